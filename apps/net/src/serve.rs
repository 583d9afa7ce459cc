//! Services that answer requests: a function of a request, and what calls it.
//!
//! One task for each service takes what has come, a batch at a time under one lock, and calls the function. What is
//! ready at once is answered with the others of its batch, under one lock again; only what is not goes on as a task of
//! its own.

use core::future::{Future, poll_fn};
use core::panic::AssertUnwindSafe;
use core::pin::{Pin, pin};
use core::task::{Context, Poll};
use std::collections::HashMap;
use std::panic::catch_unwind;
use std::sync::Arc;

use bytes::Bytes;
use tng_base::Eid;
use tng_stack::ConnectionId;
use tng_stack::structured::{FirstData, ServiceOptions, StreamId};
use tokio::sync::Notify;
use tokio::task::{Id, JoinSet};

use crate::builder::check_names;
use crate::connection::Connection;
use crate::endpoint::Endpoint;
use crate::error::{BindError, ReadError};
use crate::hub::{Hub, REQUESTS, ServiceKey, Taken};
use crate::lock::Shared;
use crate::stream::Stream;

/// The code of a request whose handler panicked, as its asker finds it in
/// [`RequestError::Failed`](crate::RequestError::Failed).
pub const PANICKED: u64 = (1 << 62) - 1;
/// The code of a request that is longer than the service takes.
pub const TOO_LONG: u64 = (1 << 62) - 2;

/// Requests that are looked at under one lock.
const BATCH: usize = 64;

/// How a service takes requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServeOptions {
    /// When a request in a peer's first packet is handed over.
    pub first_data: FirstData,
    /// Bytes that a request may have; a longer one fails with [`TOO_LONG`].
    pub request_max: usize,
    /// Requests that may be taken and not answered, of all peers; of one peer, as many as half of what the others
    /// leave. Those beyond are refused, with the number and the service's name for a reason.
    pub requests_max: usize,
}

impl Default for ServeOptions {
    fn default() -> ServeOptions {
        ServeOptions { first_data: FirstData::default(), request_max: 1 << 20, requests_max: 4096 }
    }
}

/// A request that a peer has made.
#[derive(Clone, Debug)]
pub struct Request {
    body: Bytes,
    peer: Eid,
    early: bool,
}

impl Request {
    /// What the peer has sent.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// What the peer has sent, to keep.
    pub fn into_body(self) -> Bytes {
        self.body
    }

    /// Who asks. It has proven its identity, but see [`is_early`](Request::is_early).
    pub fn peer(&self) -> Eid {
        self.peer
    }

    /// Whether it came in a first packet that may be a copy of somebody else's; see [`FirstData::Unproven`].
    pub fn is_early(&self) -> bool {
        self.early
    }
}

/// What a handler answers: bytes, or a code that says why there are none, below 2^62. Whatever turns into bytes is an
/// answer, and a `Result` of such and a code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer(Result<Bytes, u64>);

macro_rules! answers {
    ($($from:ty),*) => {$(
        impl From<$from> for Answer {
            fn from(body: $from) -> Answer {
                Answer(Ok(body.into()))
            }
        }
    )*};
}

answers!(Bytes, Vec<u8>, String, &'static str, &'static [u8]);

impl<T: Into<Answer>> From<Result<T, u64>> for Answer {
    fn from(result: Result<T, u64>) -> Answer {
        result.map_or_else(|code| Answer(Err(code & ((1 << 62) - 1))), Into::into)
    }
}

impl Endpoint {
    /// Answers the requests of peers to a service, by a function of the [`Request`]; the peers ask by
    /// [`Connection::request`]. It goes on until the endpoint is closed or its last handle dropped.
    ///
    /// Peers are let in for it as [`Access`](crate::Access) says. A program that calls [`accept`](Endpoint::accept)
    /// lets them in itself, from its first call on; their requests are answered all the same.
    ///
    /// The function may be called many times at once. What it does before its first wait should be short: others of the
    /// service wait for it. If it panics, its request fails with [`PANICKED`]. If its asker goes away, its future is
    /// dropped.
    ///
    /// ```
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use tng::{Access, Endpoint, Request};
    ///
    /// let server = Endpoint::builder().bind("127.0.0.1:0".parse()?).access(Access::Public).build().await?;
    /// server.serve("shout", async |request: Request| request.body().to_ascii_uppercase())?;
    ///
    /// let client = Endpoint::builder().build().await?;
    /// let connection = client.connect(&server.ticket()?).await?;
    /// assert_eq!(connection.request("shout", "hello").await?, "HELLO");
    /// # Ok(())
    /// # }
    /// # tokio::runtime::Runtime::new().unwrap().block_on(example()).unwrap();
    /// ```
    ///
    /// # Errors
    /// If the name is too long, or the service is served already.
    pub fn serve<F, W, A>(&self, service: &str, handler: F) -> Result<(), BindError>
    where
        F: Fn(Request) -> W + Send + Sync + 'static,
        W: Future<Output = A> + Send + 'static,
        A: Into<Answer> + Send + 'static,
    {
        self.serve_with(service, ServeOptions::default(), handler)
    }

    /// As [`serve`](Endpoint::serve), with other bounds.
    ///
    /// # Errors
    /// As there.
    pub fn serve_with<F, W, A>(&self, service: &str, options: ServeOptions, handler: F) -> Result<(), BindError>
    where
        F: Fn(Request) -> W + Send + Sync + 'static,
        W: Future<Output = A> + Send + 'static,
        A: Into<Answer> + Send + 'static,
    {
        check_names(service, REQUESTS)?;
        let offer = ServiceOptions { first_data: options.first_data, ..ServiceOptions::default() };
        let (handler, request_max, open) = (Arc::new(handler), options.request_max, Arc::default());
        for shared in self.shards() {
            let mut hub = shared.lock();
            let now = hub.now();
            let served = hub.serve(now, service, offer, (options.requests_max, Arc::clone(&open)));
            let (key, comes) = served.ok_or_else(|| BindError::Served(service.to_owned()))?;
            let runtime = hub.runtime.clone();
            hub.touch();
            drop(hub);
            let (shared, handler) = (Arc::clone(shared), Arc::clone(&handler));
            let (running, askers) = (JoinSet::new(), HashMap::new());
            runtime.spawn(Serving { shared, key, handler, request_max, running, askers }.run(comes));
        }
        Ok(())
    }
}

/// What calls a service's function.
struct Serving<F> {
    shared: Arc<Shared<Hub>>,
    key: ServiceKey,
    handler: Arc<F>,
    request_max: usize,
    /// What could not be answered at once.
    running: JoinSet<Option<Answered>>,
    /// Whose they are.
    askers: HashMap<Id, (ConnectionId, StreamId)>,
}

/// An answer, and to what. `None` of a request that has become a stream, which is answered by then.
struct Answered {
    id: ConnectionId,
    stream: StreamId,
    answer: Answer,
}

impl<F, W, A> Serving<F>
where
    F: Fn(Request) -> W + Send + Sync + 'static,
    W: Future<Output = A> + Send + 'static,
    A: Into<Answer> + Send + 'static,
{
    async fn run(mut self, comes: Arc<Notify>) {
        let (mut taken, mut answered) = (Vec::new(), Vec::new());
        let mut place: Pin<Box<Option<W>>> = Box::pin(None);
        loop {
            let closed = self.shared.lock().requests(self.key, &mut taken, BATCH);
            if closed {
                // Dropping what runs ends it.
                return;
            }
            if taken.is_empty() && answered.is_empty() {
                let mut notified = pin!(comes.notified());
                let ended = poll_fn(|cx| match notified.as_mut().poll(cx) {
                    Poll::Ready(()) => Poll::Ready(None),
                    Poll::Pending => match self.running.poll_join_next_with_id(cx) {
                        Poll::Ready(Some(ended)) => Poll::Ready(Some(ended)),
                        Poll::Ready(None) | Poll::Pending => Poll::Pending,
                    },
                })
                .await;
                answered.extend(ended.and_then(|ended| self.ended(ended)));
            }
            while let Some(ended) = self.running.try_join_next_with_id() {
                answered.extend(self.ended(ended));
            }
            for request in taken.drain(..) {
                let mut request = Some(request);
                let call =
                    poll_fn(|cx| Poll::Ready(request.take().and_then(|request| self.call(request, &mut place, cx))));
                answered.extend(call.await);
            }
            self.answer(&mut answered);
            tokio::task::consume_budget().await;
        }
    }

    /// What became of a request that was not answered at once. Of one whose future was dropped there is no answer.
    fn ended(&mut self, ended: Result<(Id, Option<Answered>), tokio::task::JoinError>) -> Option<Answered> {
        let (task, answered, panicked) = match ended {
            Ok((task, answered)) => (task, answered, false),
            Err(error) => (error.id(), None, error.is_panic()),
        };
        let Some((id, stream)) = self.askers.remove(&task) else { return answered };
        if panicked {
            // What it kept did when it was dropped.
            return Some(Answered { id, stream, answer: Answer(Err(PANICKED)) });
        }
        if answered.is_none() {
            self.shared.lock().close_request(self.key, id);
        }
        answered
    }

    /// Calls the function, and takes the answer if it is ready.
    fn call(&mut self, taken: Taken, place: &mut Pin<Box<Option<W>>>, cx: &mut Context<'_>) -> Option<Answered> {
        let Taken { id, stream, eid: peer, early, body } = taken;
        let Some(body) = body else {
            self.call_with_stream(id, stream, peer, early);
            return None;
        };
        if body.len() > self.request_max {
            return Some(Answered { id, stream, answer: Answer(Err(TOO_LONG)) });
        }
        let answer = catch(|| {
            place.set(Some((self.handler)(Request { body, peer, early })));
            poll_place(place.as_mut(), cx)
        });
        if let Poll::Ready(answer) = answer {
            let dropped = catch_unwind(AssertUnwindSafe(|| place.set(None)));
            let answer = if dropped.is_ok() { answer } else { Answer(Err(PANICKED)) };
            return Some(Answered { id, stream, answer });
        }
        let mut work = core::mem::replace(place, Box::pin(None));
        let task = self.running.spawn(async move {
            let answer = poll_fn(|cx| catch(|| poll_place(work.as_mut(), cx))).await;
            Some(Answered { id, stream, answer })
        });
        self.askers.insert(task.id(), (id, stream));
        if !self.shared.lock().work_on(id, stream, task.clone()) {
            task.abort();
        }
        None
    }

    /// Reads the request, calls the function, and writes the answer, all as a stream.
    fn call_with_stream(&mut self, id: ConnectionId, stream: StreamId, peer: Eid, early: bool) {
        let (shared, handler, max) = (Arc::clone(&self.shared), Arc::clone(&self.handler), self.request_max);
        let task = self.running.spawn(async move {
            let handed_over = shared.lock().hand_over(id, stream);
            let connection = Connection::of(&shared, id).filter(|_| handed_over)?;
            let mut stream = Stream::new(&connection.tie, stream);
            let body = match stream.read_to_end(max).await {
                Ok(body) => body.into(),
                Err(ReadError::TooLong(_)) => {
                    stream.stop(TOO_LONG);
                    stream.reset(TOO_LONG);
                    return None;
                }
                Err(_) => return None,
            };
            let (mut send, _recv) = stream.split();
            let answer = {
                let (mut request, mut work) = (Some(Request { body, peer, early }), pin!(None));
                let mut stopped = pin!(send.stopped());
                let mut poll_work = |cx: &mut Context<'_>| {
                    if let Some(request) = request.take() {
                        work.set(Some(handler(request)));
                    }
                    poll_place(work.as_mut(), cx)
                };
                // Who asked may go away.
                poll_fn(|cx| match catch(|| poll_work(cx)) {
                    Poll::Pending => stopped.as_mut().poll(cx).map(|_| None),
                    Poll::Ready(answer) => Poll::Ready(Some(answer)),
                })
                .await?
            };
            match answer {
                Answer(Ok(body)) => write(send, &body).await,
                Answer(Err(code)) => send.reset(code),
            }
            None
        });
        self.askers.insert(task.id(), (id, stream));
    }

    /// Answers what is ready.
    fn answer(&mut self, answered: &mut Vec<Answered>) {
        if answered.is_empty() {
            return;
        }
        let mut large = Vec::new();
        let mut hub = self.shared.lock();
        for Answered { id, stream, answer: Answer(answer) } in answered.drain(..) {
            let body = answer.as_deref().map_err(|code| *code);
            match (hub.answer(id, stream, body), answer) {
                (Ok(false), Ok(body)) if hub.hand_over(id, stream) => large.push((id, stream, body)),
                _ => hub.close_request(self.key, id),
            }
        }
        hub.touch();
        drop(hub);
        for (id, stream, body) in large {
            let shared = Arc::clone(&self.shared);
            let task = self.running.spawn(async move {
                let connection = Connection::of(&shared, id)?;
                let (send, _recv) = Stream::new(&connection.tie, stream).split();
                write(send, &body).await;
                None
            });
            self.askers.insert(task.id(), (id, stream));
        }
    }
}

/// Writes an answer; whoever asked may not want it any more.
async fn write(mut send: crate::stream::SendStream, body: &[u8]) {
    if send.write_all(body).await.is_ok() {
        let _ = send.finish().await;
    }
}

fn poll_place<W: Future<Output: Into<Answer>>>(place: Pin<&mut Option<W>>, cx: &mut Context<'_>) -> Poll<Answer> {
    place.as_pin_mut().map_or(Poll::Pending, |work| work.poll(cx).map(Into::into))
}

/// Has a panic be an answer, too.
fn catch(poll: impl FnOnce() -> Poll<Answer>) -> Poll<Answer> {
    catch_unwind(AssertUnwindSafe(poll)).unwrap_or(Poll::Ready(Answer(Err(PANICKED))))
}
