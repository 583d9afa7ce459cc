//! Services that answer requests: a function of a request, and what calls it.
//!
//! One task for each service takes what has come, a batch at a time, and calls the function. What is ready at once is
//! answered with the others of its batch, under the lock under which the next is taken; only what is not goes on as a
//! task of its own.

use core::fmt;
use core::future::{Future, poll_fn};
use core::panic::AssertUnwindSafe;
use core::pin::{Pin, pin};
use core::task::{Context, Poll, ready};
use core::time::Duration;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::panic::catch_unwind;
use std::sync::Arc;

use bytes::Bytes;
use tng_base::Eid;
use tng_stack::ConnectionId;
use tng_stack::structured::{FirstData, StreamId, refusal};
use tokio::sync::Notify;
use tokio::task::coop::poll_proceed;
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::timeout;

use crate::builder::check_names;
use crate::connection::Connection;
use crate::endpoint::Endpoint;
use crate::error::BindError;
use crate::events::Events;
use crate::hub::{Attempt, Bounds, Hub, REQUESTS, ServiceKey, Taken, Totals, Unread};
use crate::lock::Shared;
use crate::stream::{SendStream, Stream};

/// The code of a request whose handler panicked, as its asker finds it in
/// [`RequestError::Failed`](crate::RequestError::Failed).
pub const PANICKED: u64 = (1 << 62) - 1;
/// The code of a request that is longer than the service takes.
pub const TOO_LONG: u64 = (1 << 62) - 2;
/// The code of a request that was not there whole in the time that the service gives it.
pub const TOO_SLOW: u64 = (1 << 62) - 3;

/// The largest code of a service's own; what is beyond counts as that.
pub const CODE_MAX: u64 = TOO_SLOW - 1;

/// Requests that are looked at under one lock.
const BATCH: usize = 64;

/// How a service takes requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServeOptions {
    /// By which protocol it is asked: another than [`REQUESTS`] where what requests and answers mean has a name and a
    /// version of its own.
    pub protocol: &'static str,
    /// When a request in a peer's first packet is handed over.
    pub first_data: FirstData,
    /// Bytes that a request may have; a longer one fails with [`TOO_LONG`].
    pub request_max: usize,
    /// Requests that may be taken and not answered, of all peers; of one connection, as many as half of what the others
    /// leave. Those beyond are refused, with the number and the service's name for a reason.
    pub requests_max: usize,
    /// Requests of one connection that may be taken and not answered, in any case.
    pub requests_per_connection_max: usize,
    /// Time that a request may take to come whole, from when its first bytes are there; a slower one fails with
    /// [`TOO_SLOW`].
    pub request_within: Duration,
    /// Bytes of requests that are not answered, of all peers; of one connection, as many as half of what the others
    /// leave. At least twice `request_max`. Only those count that come in more than one packet: it grows with what has
    /// come of them, not with what a peer says. Those beyond are refused, with the number and the service's name for a
    /// reason.
    pub bytes_max: usize,
}

impl Default for ServeOptions {
    fn default() -> ServeOptions {
        ServeOptions {
            protocol: REQUESTS,
            first_data: FirstData::default(),
            request_max: 1 << 20,
            requests_max: 4096,
            requests_per_connection_max: usize::MAX,
            request_within: Duration::from_secs(30),
            bytes_max: 64 << 20,
        }
    }
}

/// A request that a peer has made.
#[derive(Clone)]
pub struct Request {
    body: Bytes,
    peer: Eid,
    early: bool,
    shared: Arc<Shared<Hub>>,
    id: ConnectionId,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { body, peer, early, .. } = self;
        f.debug_struct("Request").field("body", body).field("peer", peer).field("early", early).finish_non_exhaustive()
    }
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

    /// Where the peer is now, if it is there still. Of an [early](Request::is_early) request that is not proven.
    pub fn remote_address(&self) -> Option<SocketAddr> {
        self.shared.lock().remote(self.id)
    }

    /// Where the peer has shown that it receives, or where it is if it has shown that nowhere without helpers between.
    pub(crate) fn proven_address(&self) -> Option<SocketAddr> {
        let hub = self.shared.lock();
        hub.host().proven_address(self.id).or_else(|| hub.remote(self.id))
    }

    /// The smoothed round trip to the peer, while there is a path to it.
    pub fn rtt(&self) -> Option<Duration> {
        self.shared.lock().host().stats(self.id).map(|stats| stats.rtt)
    }

    /// What happens to the connection on which it came, from now on.
    pub(crate) fn events(&self) -> Events {
        Events::new(self.shared.lock().follow(self.id))
    }

    /// Whether it came in a first packet that may be a copy of somebody else's; see [`FirstData::Unproven`].
    pub fn is_early(&self) -> bool {
        self.early
    }
}

/// What a handler answers: bytes, or a code that says why there are none, below 2^62. Whatever turns into bytes is an
/// answer, and a `Result` of such and a code; what is long may be [written](Answer::written) as it comes about.
#[derive(Debug)]
pub struct Answer(Said);

enum Said {
    Bytes(Bytes),
    Code(u64),
    Written(Box<Writer>),
}

/// What writes an answer.
type Writer = dyn FnOnce(SendStream) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send;

impl Answer {
    /// An answer that `write` writes, bit by bit, and [finishes](SendStream::finish): so it need not be held. If it is
    /// dropped before, the answer is given up with code 0. The request is not answered before `write` is done.
    ///
    /// If the asker goes away, writing fails, and [`stopped`](SendStream::stopped) tells.
    pub fn written<F, W>(write: F) -> Answer
    where
        F: FnOnce(SendStream) -> W + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        Answer(Said::Written(Box::new(|send| Box::pin(write(send)))))
    }

    const fn code(code: u64) -> Answer {
        Answer(Said::Code(code))
    }
}

impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Bytes(bytes) => f.debug_tuple("Bytes").field(bytes).finish(),
            Said::Code(code) => f.debug_tuple("Code").field(code).finish(),
            Said::Written(_) => f.write_str("Written"),
        }
    }
}

macro_rules! answers {
    ($($from:ty),*) => {$(
        impl From<$from> for Answer {
            fn from(body: $from) -> Answer {
                Answer(Said::Bytes(body.into()))
            }
        }
    )*};
}

answers!(Bytes, Vec<u8>, String, &'static str, &'static [u8]);

impl<T: Into<Answer>> From<Result<T, u64>> for Answer {
    fn from(result: Result<T, u64>) -> Answer {
        result.map_or_else(|code| Answer::code(code.min(CODE_MAX)), Into::into)
    }
}

impl Endpoint {
    /// Answers the requests of peers to a service, by a function of the [`Request`]; the peers ask by
    /// [`Connection::request`]. It goes on until the endpoint is closed or its last handle dropped.
    ///
    /// Peers are let in for it as [`Access`](crate::Access) says. A program that calls [`accept`](Endpoint::accept)
    /// lets them in itself, from its first call on; their requests are answered all the same, for as long as it has
    /// their connection. Those that were let in before are the first that it gets.
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
        check_names(service, options.protocol)?;
        let ServeOptions { protocol, first_data, request_max, request_within, .. } = options;
        let bounds = Bounds {
            requests: options.requests_max,
            requests_per_connection: options.requests_per_connection_max,
            bytes: options.bytes_max.max(request_max.saturating_mul(2)),
        };
        let (handler, totals) = (Arc::new(handler), Arc::<Totals>::default());
        for shared in self.shards() {
            let mut hub = shared.lock();
            let now = hub.now();
            let served = hub.serve(now, (service, protocol), first_data, (bounds, Arc::clone(&totals)));
            let (key, comes) = served.ok_or_else(|| BindError::Served(service.to_owned()))?;
            let runtime = hub.runtime.clone();
            hub.wake_driver();
            drop(hub);
            let serving = Serving {
                shared: Arc::clone(shared),
                key,
                handler: Arc::clone(&handler),
                request_max,
                request_within,
                running: JoinSet::new(),
                askers: HashMap::new(),
                begun: Vec::new(),
                ended: Vec::new(),
                large: Vec::new(),
                done: Vec::new(),
            };
            runtime.spawn(serving.run(comes));
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
    request_within: Duration,
    /// What could not be answered at once. There is no answer to a request that has become a stream: it is written.
    running: JoinSet<Option<Answer>>,
    /// Whose they are.
    askers: HashMap<Id, (ConnectionId, StreamId)>,
    /// What has begun to run since the lock was taken last.
    begun: Vec<(ConnectionId, StreamId, AbortHandle)>,
    /// What has ended since then, and the answer unless it is written.
    ended: Vec<Ended>,
    /// Answers that have yet to be written, as streams.
    large: Vec<(ConnectionId, StreamId, Said)>,
    /// Answers that are written, or will not be. They are the application's, and may hold anything, connections of the
    /// same endpoint too: they are not dropped under the lock.
    done: Vec<Said>,
}

/// A request that is answered, or will not be.
struct Ended {
    id: ConnectionId,
    stream: StreamId,
    answer: Option<Answer>,
}

impl<F, W, A> Serving<F>
where
    F: Fn(Request) -> W + Send + Sync + 'static,
    W: Future<Output = A> + Send + 'static,
    A: Into<Answer> + Send + 'static,
{
    async fn run(mut self, comes: Arc<Notify>) {
        let mut taken = Vec::new();
        let mut place: Pin<Box<Option<W>>> = Box::pin(None);
        // Dropping what runs ends it.
        while !self.exchange(&mut taken) {
            self.write_large();
            if taken.is_empty() {
                let mut notified = pin!(comes.notified());
                let ended = poll_fn(|cx| match notified.as_mut().poll(cx) {
                    Poll::Ready(()) => Poll::Ready(None),
                    Poll::Pending => match self.running.poll_join_next_with_id(cx) {
                        Poll::Ready(Some(ended)) => Poll::Ready(Some(ended)),
                        Poll::Ready(None) | Poll::Pending => Poll::Pending,
                    },
                })
                .await;
                if let Some(ended) = ended {
                    self.note_end(ended);
                }
            }
            while let Some(ended) = self.running.try_join_next_with_id() {
                self.note_end(ended);
            }
            for request in taken.drain(..) {
                let mut request = Some(request);
                poll_fn(|cx| {
                    if let Some(request) = request.take() {
                        self.call(request, &mut place, cx);
                    }
                    Poll::Ready(())
                })
                .await;
            }
            tokio::task::consume_budget().await;
        }
        // Others may go on where this thread is gone.
        let unanswered = taken.len() + self.ended.len() + self.large.len() + self.askers.len();
        self.shared.lock().abandon_requests(self.key, unanswered);
    }

    /// Answers what is ready, and takes what has come. Answers whether there will be no more.
    fn exchange(&mut self, taken: &mut Vec<Taken>) -> bool {
        let mut hub = self.shared.lock();
        for (id, stream, work) in self.begun.drain(..) {
            if !hub.work_on(id, stream, work.clone()) {
                // Who asked has taken it back.
                work.abort();
            }
        }
        if !self.ended.is_empty() {
            hub.wake_driver();
        }
        for Ended { id, stream, answer } in self.ended.drain(..) {
            let said = answer.map(|Answer(said)| said);
            let answered = match &said {
                Some(Said::Bytes(body)) => hub.answer(id, stream, Ok(body)),
                Some(Said::Code(code)) => hub.answer(id, stream, Err(*code)),
                Some(Said::Written(_)) => Ok(false),
                None => Ok(true),
            };
            match said {
                Some(said) if answered == Ok(false) && hub.hand_over(id, stream) => self.large.push((id, stream, said)),
                said => {
                    hub.close_request(self.key, id);
                    self.done.extend(said);
                }
            }
        }
        let closed = hub.requests(self.key, taken, BATCH);
        drop(hub);
        while let Some(said) = self.done.pop() {
            // A panic concerns nobody: the request is answered.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(said)));
        }
        closed
    }

    /// Begins to write what has to wait for room.
    fn write_large(&mut self) {
        for (id, stream, said) in self.large.drain(..) {
            let shared = Arc::clone(&self.shared);
            let task = self.running.spawn(async move {
                let connection = Connection::to_serve(&shared, id)?;
                let (send, _recv) = Stream::new(&connection.tie, stream).split();
                write(send, said).await;
                None
            });
            self.askers.insert(task.id(), (id, stream));
        }
    }

    /// What became of a request that was not answered at once. To one whose future was dropped there is no answer.
    fn note_end(&mut self, ended: Result<(Id, Option<Answer>), tokio::task::JoinError>) {
        let (task, answer) = match ended {
            Ok(ended) => ended,
            // What it kept did when it was dropped.
            Err(error) => (error.id(), error.is_panic().then_some(Answer::code(PANICKED))),
        };
        if let Some((id, stream)) = self.askers.remove(&task) {
            self.ended.push(Ended { id, stream, answer });
        }
    }

    /// Calls the function. The answer goes to the others, if it is ready.
    fn call(&mut self, taken: Taken, place: &mut Pin<Box<Option<W>>>, cx: &mut Context<'_>) {
        let Taken { id, stream, eid: peer, early, body } = taken;
        let Some(body) = body else { return self.call_with_stream(id, stream, peer, early) };
        let answer = if body.len() > self.request_max {
            Answer::code(TOO_LONG)
        } else {
            let shared = Arc::clone(&self.shared);
            let answer = catch(|| {
                place.set(Some((self.handler)(Request { body, peer, early, shared, id })));
                poll_place(place.as_mut(), cx)
            });
            let Poll::Ready(answer) = answer else {
                let mut work = core::mem::replace(place, Box::pin(None));
                let task = self
                    .running
                    .spawn(async move { Some(poll_fn(|cx| catch(|| poll_place(work.as_mut(), cx))).await) });
                self.askers.insert(task.id(), (id, stream));
                return self.begun.push((id, stream, task));
            };
            let dropped = catch_unwind(AssertUnwindSafe(|| place.set(None)));
            if dropped.is_ok() { answer } else { Answer::code(PANICKED) }
        };
        self.ended.push(Ended { id, stream, answer: Some(answer) });
    }

    /// Reads the request, calls the function, and writes the answer, all as a stream.
    fn call_with_stream(&mut self, id: ConnectionId, stream: StreamId, peer: Eid, early: bool) {
        let (shared, handler, max) = (Arc::clone(&self.shared), Arc::clone(&self.handler), self.request_max);
        let (key, within) = (self.key, self.request_within);
        let task = self.running.spawn(async move {
            let handed_over = shared.lock().hand_over(id, stream);
            let connection = Connection::to_serve(&shared, id).filter(|_| handed_over)?;
            let asked_at = Arc::clone(&shared);
            let mut reading = Reading { shared, key, id, stream, body: Vec::new(), held: 0 };
            let stream = Stream::new(&connection.tie, stream);
            let give_up = |mut stream: Stream, code| {
                stream.stop(code);
                stream.reset(code);
                None
            };
            match timeout(within, reading.read(max)).await {
                Ok(Ok(())) => {}
                Ok(Err(Unread::Over)) => return None,
                Ok(Err(Unread::TooLong)) => return give_up(stream, TOO_LONG),
                Ok(Err(Unread::Busy(reason))) => {
                    stream.refuse(refusal::BUSY, &reason);
                    return None;
                }
                Err(_) => return give_up(stream, TOO_SLOW),
            }
            let body = core::mem::take(&mut reading.body).into();
            let (send, _recv) = stream.split();
            let answer = {
                let request = Request { body, peer, early, shared: asked_at, id };
                let (mut request, mut work) = (Some(request), pin!(None));
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
            drop(reading);
            let Answer(said) = answer;
            write(send, said).await;
            None
        });
        self.askers.insert(task.id(), (id, stream));
    }
}

/// A request on its way in, or worked on: its bytes are held until this is dropped.
struct Reading {
    shared: Arc<Shared<Hub>>,
    key: ServiceKey,
    id: ConnectionId,
    stream: StreamId,
    body: Vec<u8>,
    /// Bytes that it has room for.
    held: usize,
}

impl Reading {
    async fn read(&mut self, most: usize) -> Result<(), Unread> {
        while !poll_fn(|cx| self.poll_read(cx, most)).await? {}
        Ok(())
    }

    /// Answers whether it is all there.
    fn poll_read(&mut self, cx: &mut Context<'_>, most: usize) -> Poll<Result<bool, Unread>> {
        let progress = ready!(poll_proceed(cx));
        let mut hub = self.shared.lock();
        let of = (self.id, self.stream);
        let read = hub.read_request(self.key, of, (&mut self.body, &mut self.held), most, cx.waker());
        // Reading makes room that the peer may have to be told of.
        if hub.wants_to_send(self.id) {
            hub.changed(self.id);
        }
        match read? {
            Attempt::Blocked => Poll::Pending,
            Attempt::Done(whole) => {
                progress.made_progress();
                Poll::Ready(Ok(whole))
            }
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if self.held > 0 {
            self.shared.lock().release_bytes(self.key, self.id, self.held);
        }
    }
}

/// Writes an answer; who asked may not want it any more. What has begun goes on when the service is closed.
async fn write(mut send: SendStream, said: Said) {
    let written = tokio::spawn(async move {
        match said {
            Said::Written(write) => write(send).await,
            Said::Code(code) => send.reset(code),
            Said::Bytes(body) => {
                if send.write_all(&body).await.is_ok() {
                    let _ = send.finish().await;
                }
            }
        }
    });
    let _ = written.await;
}

fn poll_place<W: Future<Output: Into<Answer>>>(place: Pin<&mut Option<W>>, cx: &mut Context<'_>) -> Poll<Answer> {
    place.as_pin_mut().map_or(Poll::Pending, |work| work.poll(cx).map(Into::into))
}

/// Has a panic be an answer, too.
fn catch(poll: impl FnOnce() -> Poll<Answer>) -> Poll<Answer> {
    catch_unwind(AssertUnwindSafe(poll)).unwrap_or(Poll::Ready(Answer::code(PANICKED)))
}
