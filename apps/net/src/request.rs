//! Requests as applications make them: bytes to a service, and its answer.

use core::fmt;
use core::future::{Future, poll_fn};
use core::ops::{Deref, DerefMut};
use core::pin::{Pin, pin};
use core::task::{Context, Poll};
use core::time::Duration;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tng_stack::structured::{Priority, StreamId};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::task::AbortHandle;
use tokio::time::Sleep;

use crate::connection::{Connection, Tie};
use crate::error::{ReadError, RequestError};
use crate::hub::{Attempt, Begun, Hub, Outcome, REQUESTS, Reply};
use crate::lock::Locked;
use crate::stream::{RecvStream, SendStream, Stream};

/// Bytes of an answer that are taken, unless [`answer_max`](Requesting::answer_max) says otherwise.
pub const ANSWER_MAX: usize = 16 << 20;

/// A request, from [`Connection::request`]: await it for the answer. Nothing is done before.
///
/// Cancel safe in the sense that counts here: if the future is dropped before it is ready, the request is taken back,
/// and the peer's handler is told to give up.
#[must_use = "nothing is asked before it is awaited"]
pub struct Requesting {
    tie: Arc<Tie>,
    service: String,
    protocol: &'static str,
    body: Bytes,
    priority: Priority,
    answer_max: usize,
    deadline: Option<(Duration, Option<Pin<Box<Sleep>>>)>,
    stage: Stage,
}

/// Where a request stands.
enum Stage {
    Begin,
    /// It is written, and an answer of one piece is waited for.
    Asked(StreamId, Arc<Reply>),
    /// The request or the answer is large, or has to wait for the peer's leave.
    Streams(Pin<Box<dyn Future<Output = Result<Bytes, RequestError>> + Send>>),
    Over,
}

impl fmt::Debug for Requesting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requesting").field("service", &self.service).field("len", &self.body.len()).finish()
    }
}

impl Connection {
    /// Asks a service of the peer, which [serves](crate::Endpoint::serve) it: sends `body`, and answers its answer. No
    /// round trip but this one; many at once share packets, and each is answered when it is done. A request and an
    /// answer may have any size, as far as the service takes it (a [mebibyte](crate::ServeOptions::request_max) by
    /// default); small ones are cheapest. A peer that does not serve it says so by [`RequestError::Refused`].
    ///
    /// A request is a stream of the connection, and the peer allows so many at once (1,024 by default,
    /// [`streams_max`](crate::Builder::streams_max)); it gives leave for more when half of them have ended. Those
    /// beyond wait, also for requests to other services that take long: give such a service a connection of its own.
    pub fn request(&self, service: &str, body: impl Into<Bytes>) -> Requesting {
        Requesting {
            tie: Arc::clone(&self.tie),
            service: service.to_owned(),
            protocol: REQUESTS,
            body: body.into(),
            priority: Priority::default(),
            answer_max: ANSWER_MAX,
            deadline: None,
            stage: Stage::Begin,
        }
    }
}

impl Requesting {
    /// Asks by this protocol, in the place of [`REQUESTS`]: [`ServeOptions::protocol`](crate::ServeOptions::protocol).
    pub fn protocol(mut self, protocol: &'static str) -> Requesting {
        self.protocol = protocol;
        self
    }

    /// The request goes before, or after, what else this side writes; the answer has the priority that the peer gives
    /// it.
    pub fn priority(mut self, priority: Priority) -> Requesting {
        self.priority = priority;
        self
    }

    /// Takes an answer of at most so many bytes, in place of [`ANSWER_MAX`]. Of no effect on
    /// [`into_stream`](Requesting::into_stream).
    pub fn answer_max(mut self, bytes: usize) -> Requesting {
        self.answer_max = bytes;
        self
    }

    /// Takes the request back if there is no answer after this time, which begins when it is awaited. Of no effect on
    /// [`into_stream`](Requesting::into_stream).
    pub fn deadline(mut self, after: Duration) -> Requesting {
        self.deadline = Some((after, None));
        self
    }

    /// Asks, and reads the answer as it comes: for one that is long. Its length and its time are the reader's to
    /// bound; a refusal, too, shows when it is read. What the peer does not take of the request at once is sent while
    /// the answer is read.
    ///
    /// # Errors
    /// If the service's name is too long, or the connection is over.
    pub async fn into_stream(mut self) -> Result<AnswerStream, RequestError> {
        let (begun, runtime) = {
            let mut hub = self.tie.shared.lock();
            let begun = self.ask(&mut hub)?;
            if let Attempt::Done(Begun::Whole(stream, _)) = &begun {
                hub.leave_to_reader(self.tie.id, *stream);
            }
            (begun, hub.runtime.clone())
        };
        let (stream, rest) = match begun {
            Attempt::Done(Begun::Whole(stream, _)) => {
                return Ok(AnswerStream { recv: RecvStream::new(&self.tie, stream), writing: None });
            }
            Attempt::Done(Begun::Part(stream, taken)) => (Stream::new(&self.tie, stream), self.body.slice(taken..)),
            Attempt::Blocked => (self.open().await?, core::mem::take(&mut self.body)),
        };
        let (send, recv) = stream.split();
        let writing = Some(runtime.spawn(write(send, rest)).abort_handle());
        Ok(AnswerStream { recv, writing })
    }

    /// Asks, as far as the peer has given leave.
    fn ask(&self, hub: &mut Locked<'_, Hub>) -> Result<Attempt<Begun>, RequestError> {
        let begun = hub.request(self.tie.id, (&self.service, self.protocol), &self.body, self.priority)?;
        hub.changed(self.tie.id);
        hub.waits(self.tie.id);
        Ok(begun)
    }

    /// Opens the request's stream when the peer gives leave.
    fn open(&self) -> impl Future<Output = Result<Stream, RequestError>> + Send + use<> {
        let connection = Connection { tie: Arc::clone(&self.tie) };
        let (service, protocol, priority) = (self.service.clone(), self.protocol, self.priority);
        async move {
            let stream = connection.open(&service, protocol).await?;
            stream.set_priority(priority);
            Ok(stream)
        }
    }

    fn begin(&self) -> Result<Stage, RequestError> {
        let begun = self.ask(&mut self.tie.shared.lock())?;
        let max = self.answer_max;
        Ok(match begun {
            Attempt::Done(Begun::Whole(stream, reply)) => Stage::Asked(stream, reply),
            Attempt::Done(Begun::Part(stream, taken)) => {
                let (stream, rest) = (Stream::new(&self.tie, stream), self.body.slice(taken..));
                Stage::Streams(Box::pin(exchange(stream, rest, max)))
            }
            Attempt::Blocked => {
                let (stream, body) = (self.open(), self.body.clone());
                Stage::Streams(Box::pin(async move { exchange(stream.await?, body, max).await }))
            }
        })
    }

    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<Bytes, RequestError>> {
        loop {
            match &mut self.stage {
                Stage::Begin => self.stage = self.begin()?,
                Stage::Asked(stream, reply) => {
                    let outcome = match reply.poll(cx) {
                        Poll::Pending => return Poll::Pending,
                        Poll::Ready(outcome) => outcome,
                    };
                    let stream = *stream;
                    self.stage = Stage::Over;
                    match outcome {
                        Outcome::Whole(answer) => return Poll::Ready(self.within(answer)),
                        Outcome::Lost => {
                            let error = self.tie.shared.lock().error(self.tie.id);
                            return Poll::Ready(Err(error.into()));
                        }
                        Outcome::Streams => {
                            let recv = RecvStream::new(&self.tie, stream);
                            self.stage = Stage::Streams(Box::pin(read_to_end(recv, self.answer_max)));
                        }
                    }
                }
                Stage::Streams(future) => return future.as_mut().poll(cx),
                Stage::Over => panic!("a request was polled after its answer"),
            }
        }
    }

    fn within(&self, answer: Result<Bytes, ReadError>) -> Result<Bytes, RequestError> {
        let answer = answer?;
        if answer.len() > self.answer_max { Err(RequestError::TooLong(self.answer_max)) } else { Ok(answer) }
    }
}

impl Future for Requesting {
    type Output = Result<Bytes, RequestError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Bytes, RequestError>> {
        let ready = self.poll_answer(cx);
        if ready.is_ready() {
            self.stage = Stage::Over;
            return ready;
        }
        let Some((after, sleep)) = &mut self.deadline else { return Poll::Pending };
        let after = *after;
        if sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep(after))).as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        self.give_up();
        Poll::Ready(Err(RequestError::TimedOut(after)))
    }
}

impl Requesting {
    /// Takes the request back, if it is not answered. One that has become a stream is taken back with that.
    fn give_up(&mut self) {
        if let Stage::Asked(stream, reply) = core::mem::replace(&mut self.stage, Stage::Over) {
            let mut hub = self.tie.shared.lock();
            let cancelled = hub.cancel(self.tie.id, stream);
            hub.wake_driver();
            drop(hub);
            if !cancelled && reply.is_stream() {
                drop(RecvStream::new(&self.tie, stream));
            }
        }
    }
}

impl Drop for Requesting {
    fn drop(&mut self) {
        self.give_up();
    }
}

/// An answer as it comes, and whatever is left to send of its request: a [`RecvStream`] with a companion.
///
/// Dropping it takes the request back, as far as it is not sent, and stops the answer, as far as it is not read.
#[derive(Debug)]
pub struct AnswerStream {
    recv: RecvStream,
    writing: Option<AbortHandle>,
}

impl Deref for AnswerStream {
    type Target = RecvStream;

    fn deref(&self) -> &RecvStream {
        &self.recv
    }
}

impl DerefMut for AnswerStream {
    fn deref_mut(&mut self) -> &mut RecvStream {
        &mut self.recv
    }
}

impl AsyncRead for AnswerStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.recv).poll_read(cx, out)
    }
}

impl Drop for AnswerStream {
    fn drop(&mut self) {
        if let Some(writing) = &self.writing {
            writing.abort();
        }
    }
}

/// Writes the rest of a request and reads the answer, both at once: who answers need not have read all.
async fn exchange(stream: Stream, rest: Bytes, max: usize) -> Result<Bytes, RequestError> {
    let (send, recv) = stream.split();
    let mut write = pin!(write(send, rest));
    let mut read = pin!(read_to_end(recv, max));
    let mut written = None;
    poll_fn(|cx| {
        if written.is_none()
            && let Poll::Ready(send) = write.as_mut().poll(cx)
        {
            written = Some(send);
        }
        read.as_mut().poll(cx)
    })
    .await
}

/// Writes the rest of a request. What the peer makes of it shows in the answer.
async fn write(mut send: SendStream, rest: Bytes) -> SendStream {
    if send.write_bytes(rest).await.is_ok() {
        let _ = send.finish().await;
    }
    send
}

async fn read_to_end(mut recv: RecvStream, max: usize) -> Result<Bytes, RequestError> {
    Ok(recv.read_to_end(max).await?.into())
}
