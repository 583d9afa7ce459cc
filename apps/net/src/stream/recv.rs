//! The receiving half.

use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, Waker, ready};
use std::io;

use bytes::Bytes;
use tng_stack::structured::{Priority, StreamId};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::task::coop::poll_proceed;

use super::Handle;
use crate::connection::Connection;
use crate::error::ReadError;
use crate::hub::{Attempt, Half, Hub};

/// Bytes that [`RecvStream::read_to_end`] makes room for at a time, whatever the limit.
const READ_CHUNK: usize = 64 * 1024;

/// The receiving half of a stream.
///
/// Dropping the half before its end stops the stream with code 0: the peer is told to send no more.
pub struct RecvStream(pub(super) Handle);

impl RecvStream {
    /// The connection that the stream belongs to.
    pub fn connection(&self) -> Connection {
        self.0.connection()
    }

    /// The stream's name on its connection.
    pub fn id(&self) -> StreamId {
        self.0.id
    }

    /// Reads what has arrived, and waits if there is nothing. 0 means that the stream has ended (or that `out` is
    /// empty).
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was taken.
    ///
    /// # Errors
    /// See [`ReadError`]; all are final.
    pub async fn read(&mut self, out: &mut [u8]) -> Result<usize, ReadError> {
        self.0.read(out).await
    }

    /// Takes what has arrived, at most `max` bytes of it and about a MiB, and waits if there is nothing. `None` means
    /// that the stream has ended. What lies in one page of 4 KiB is not copied, if it is a quarter of it or more; more
    /// than a page is put together: [`read_chunks`](RecvStream::read_chunks) copies nothing. A chunk may be kept for
    /// any time, cut and cloned; it holds four times its bytes of memory at most, and nothing of the stream.
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was taken.
    ///
    /// # Errors
    /// See [`ReadError`]; all are final.
    pub async fn read_chunk(&mut self, max: usize) -> Result<Option<Bytes>, ReadError> {
        self.0.read_chunk(max).await
    }

    /// Takes what has arrived, page by page and without a copy, in as many chunks as `out` has room for, and waits if
    /// there is nothing. Answers how many there are; `None` means that the stream has ended.
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was taken.
    ///
    /// # Errors
    /// See [`ReadError`]; all are final.
    pub async fn read_chunks(&mut self, out: &mut [Bytes]) -> Result<Option<usize>, ReadError> {
        self.0.read_chunks(out).await
    }

    /// Reads the next message, of at most `max` bytes: what the peer wrote up to where it marked the end of a message,
    /// or up to the end of the stream. `None` means that the stream has ended.
    ///
    /// Cancel safe: if the future is dropped before it is ready, the next call goes on with the same message.
    ///
    /// # Errors
    /// [`ReadError::TooLong`] if it has more than `max` bytes: it can be read with a larger `max`, or in pieces by
    /// [`read`](RecvStream::read). See [`ReadError`] for the others, which are final.
    pub async fn read_message(&mut self, max: usize) -> Result<Option<Bytes>, ReadError> {
        self.0.read_message(max).await
    }

    /// Reads all that is left, if it is no more than `limit` bytes.
    ///
    /// # Errors
    /// [`ReadError::TooLong`] after `limit` bytes; see [`ReadError`] for the others.
    pub async fn read_to_end(&mut self, limit: usize) -> Result<Vec<u8>, ReadError> {
        self.0.read_to_end(limit).await
    }

    /// Asks the peer to give what it writes here another [`Priority`], as [`Connection::request_priority`] does.
    pub fn request_priority(&self, priority: Priority) {
        self.connection().request_priority(self.0.id, priority);
    }

    /// Gives the stream up: the peer is told the code, below 2^62, unless it has sent everything.
    pub fn stop(&mut self, code: u64) {
        self.0.stop(code);
    }
}

/// Receiving.
impl Handle {
    pub(super) async fn read(&self, out: &mut [u8]) -> Result<usize, ReadError> {
        poll_fn(|cx| self.poll_read(cx, out)).await
    }

    pub(super) async fn read_chunk(&self, max: usize) -> Result<Option<Bytes>, ReadError> {
        if max == 0 {
            return Ok(Some(Bytes::new()));
        }
        let (id, stream) = (self.tie.id, self.id);
        poll_fn(|cx| self.poll_read_with(cx, |hub, waker| hub.read_chunk(id, stream, max, waker))).await
    }

    pub(super) async fn read_chunks(&self, out: &mut [Bytes]) -> Result<Option<usize>, ReadError> {
        let (id, stream) = (self.tie.id, self.id);
        poll_fn(|cx| self.poll_read_with(cx, |hub, waker| hub.read_chunks(id, stream, out, waker))).await
    }

    pub(super) async fn read_message(&self, max: usize) -> Result<Option<Bytes>, ReadError> {
        let (id, stream) = (self.tie.id, self.id);
        poll_fn(|cx| self.poll_read_with(cx, |hub, waker| hub.read_message(id, stream, max, waker))).await
    }

    pub(super) async fn read_to_end(&self, limit: usize) -> Result<Vec<u8>, ReadError> {
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

    pub(super) fn stop(&self, code: u64) {
        let mut hub = self.tie.shared.lock();
        hub.stop(self.tie.id, self.id, code);
        hub.changed(self.tie.id);
    }

    pub(super) fn poll_read(&self, cx: &mut Context<'_>, out: &mut [u8]) -> Poll<Result<usize, ReadError>> {
        if out.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let (id, stream) = (self.tie.id, self.id);
        self.poll_read_with(cx, |hub, waker| hub.read(id, stream, out, waker))
    }

    fn poll_read_with<T>(
        &self,
        cx: &mut Context<'_>,
        read: impl FnOnce(&mut Hub, &Waker) -> Result<Attempt<T>, ReadError>,
    ) -> Poll<Result<T, ReadError>> {
        let progress = ready!(poll_proceed(cx));
        let mut hub = self.tie.shared.lock();
        let attempt = read(&mut hub, cx.waker())?;
        // Reading makes room that the peer may have to be told of.
        if hub.wants_to_send(self.tie.id) {
            hub.changed(self.tie.id);
        }
        match attempt {
            Attempt::Done(done) => {
                progress.made_progress();
                Poll::Ready(Ok(done))
            }
            Attempt::Blocked => {
                hub.waits(self.tie.id);
                Poll::Pending
            }
        }
    }
}

impl Drop for RecvStream {
    fn drop(&mut self) {
        self.0.let_go(&[Half::Recv]);
    }
}

impl AsyncRead for RecvStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let n = ready!(self.0.poll_read(cx, out.initialize_unfilled()))?;
        out.advance(n);
        Poll::Ready(Ok(()))
    }
}

impl fmt::Debug for RecvStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvStream").field("id", &self.0.id).finish_non_exhaustive()
    }
}
