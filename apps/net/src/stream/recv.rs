//! The receiving half.

use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, Waker, ready};
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tng_stack::structured::{Priority, StreamId};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::task::coop::poll_proceed;

use crate::connection::{Connection, Tie};
use crate::error::ReadError;
use crate::hub::{Attempt, Hub};

/// Bytes that [`RecvStream::read_to_end`] makes room for at a time, whatever the limit.
const READ_CHUNK: usize = 64 * 1024;

/// The receiving half of a stream.
///
/// Dropping the half before its end stops the stream with code 0: the peer is told to send no more.
pub struct RecvStream {
    tie: Arc<Tie>,
    id: StreamId,
    /// The end was read.
    ended: bool,
    /// What was taken of a message that is not whole.
    begun: Vec<u8>,
}

impl RecvStream {
    pub(super) fn new(tie: Arc<Tie>, id: StreamId) -> RecvStream {
        RecvStream { tie, id, ended: false, begun: Vec::new() }
    }

    /// The connection that the stream belongs to.
    pub fn connection(&self) -> Connection {
        Connection { tie: Arc::clone(&self.tie) }
    }

    /// The stream's name on its connection.
    pub fn id(&self) -> StreamId {
        self.id
    }

    /// Reads what has arrived, and waits if there is nothing. 0 means that the stream has ended (or that `out` is empty).
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was taken.
    ///
    /// # Errors
    /// See [`ReadError`]; all are final.
    pub async fn read(&mut self, out: &mut [u8]) -> Result<usize, ReadError> {
        poll_fn(|cx| self.poll_read_some(cx, out)).await
    }

    /// Takes what has arrived, at most `max` bytes of it, without copying it, and waits if there is nothing. `None` means that the
    /// stream has ended. A chunk may be kept for any time, cut and cloned; it holds 4 KiB of memory and nothing of the stream.
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was taken.
    ///
    /// # Errors
    /// See [`ReadError`]; all are final.
    pub async fn read_chunk(&mut self, max: usize) -> Result<Option<Bytes>, ReadError> {
        if self.ended {
            return Ok(None);
        }
        if max == 0 {
            return Ok(Some(Bytes::new()));
        }
        if !self.begun.is_empty() {
            let mut chunk = core::mem::take(&mut self.begun);
            self.begun = chunk.split_off(max.min(chunk.len()));
            return Ok(Some(chunk.into()));
        }
        let (id, stream) = (self.tie.id, self.id);
        let chunk =
            poll_fn(|cx| poll_read_with(&self.tie, cx, |hub, waker| hub.read_chunk(id, stream, max, waker))).await?;
        self.ended = chunk.is_none();
        Ok(chunk)
    }

    /// Reads the next message, of at most `max` bytes: what the peer wrote up to where it marked the end of a message, or up
    /// to the end of the stream. `None` means that the stream has ended.
    ///
    /// Cancel safe: if the future is dropped before it is ready, the next call goes on with the same message.
    ///
    /// # Errors
    /// [`ReadError::TooLong`] if it has more than `max` bytes: it can be read with a larger `max`, or in pieces by
    /// [`read`](RecvStream::read). See [`ReadError`] for the others, which are final.
    pub async fn read_message(&mut self, max: usize) -> Result<Option<Bytes>, ReadError> {
        if self.ended {
            return Ok(None);
        }
        if self.begun.len() > max {
            return Err(ReadError::TooLong(max));
        }
        let (id, stream) = (self.tie.id, self.id);
        let whole = poll_fn(|cx| {
            let begun = &mut self.begun;
            poll_read_with(&self.tie, cx, |hub, waker| hub.read_message(id, stream, begun, max, waker))
        })
        .await?;
        self.ended = !whole;
        Ok(whole.then(|| core::mem::take(&mut self.begun).into()))
    }

    /// Reads all that is left, if it is no more than `limit` bytes.
    ///
    /// # Errors
    /// [`ReadError::TooLong`] after `limit` bytes; see [`ReadError`] for the others.
    pub async fn read_to_end(&mut self, limit: usize) -> Result<Vec<u8>, ReadError> {
        let mut out = Vec::new();
        loop {
            let len = out.len();
            // One byte beyond the limit shows whether there is more.
            out.resize(len + READ_CHUNK.min(limit.saturating_add(1) - len), 0);
            let n = self.read(&mut out[len..]).await?;
            out.truncate(len + n);
            if out.len() > limit {
                return Err(ReadError::TooLong(limit));
            }
            if n == 0 {
                return Ok(out);
            }
        }
    }

    /// Asks the peer to give what it writes here another [`Priority`], as [`Connection::request_priority`] does.
    pub fn request_priority(&self, priority: Priority) {
        self.connection().request_priority(self.id, priority);
    }

    /// Gives the stream up: the peer is told the code, below 2^62, unless it has sent everything.
    pub fn stop(&mut self, code: u64) {
        let mut hub = self.tie.shared.lock();
        hub.stop(self.tie.id, self.id, code);
        hub.changed(self.tie.id);
    }

    fn poll_read_some(&mut self, cx: &mut Context<'_>, out: &mut [u8]) -> Poll<Result<usize, ReadError>> {
        if self.ended || out.is_empty() {
            return Poll::Ready(Ok(0));
        }
        if !self.begun.is_empty() {
            let n = out.len().min(self.begun.len());
            out[..n].copy_from_slice(&self.begun[..n]);
            self.begun.drain(..n);
            return Poll::Ready(Ok(n));
        }
        let (id, stream) = (self.tie.id, self.id);
        let n = ready!(poll_read_with(&self.tie, cx, |hub, waker| hub.read(id, stream, out, waker)))?;
        self.ended = n == 0;
        Poll::Ready(Ok(n))
    }
}

fn poll_read_with<T>(
    tie: &Tie,
    cx: &mut Context<'_>,
    read: impl FnOnce(&mut Hub, &Waker) -> Result<Attempt<T>, ReadError>,
) -> Poll<Result<T, ReadError>> {
    let progress = ready!(poll_proceed(cx));
    let mut hub = tie.shared.lock();
    let attempt = read(&mut hub, cx.waker())?;
    // Reading makes room that the peer may have to be told of.
    if hub.wants_to_send(tie.id) {
        hub.changed(tie.id);
    }
    match attempt {
        Attempt::Done(done) => {
            progress.made_progress();
            Poll::Ready(Ok(done))
        }
        Attempt::Blocked => {
            hub.waits(tie.id);
            Poll::Pending
        }
    }
}

impl Drop for RecvStream {
    fn drop(&mut self) {
        let mut hub = self.tie.shared.lock();
        if !self.ended {
            // After a reset, this is how the stream learns that nobody will ask for it any more.
            hub.stop(self.tie.id, self.id, 0);
            hub.touch();
        }
        hub.let_go(self.tie.id, self.id);
    }
}

impl AsyncRead for RecvStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let n = ready!(self.get_mut().poll_read_some(cx, out.initialize_unfilled()))?;
        out.advance(n);
        Poll::Ready(Ok(()))
    }
}

impl fmt::Debug for RecvStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvStream").field("id", &self.id).finish_non_exhaustive()
    }
}
