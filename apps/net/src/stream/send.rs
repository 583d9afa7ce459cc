//! The sending half.

use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, Waker, ready};
use std::io;
use std::sync::Arc;

use tng_stack::structured::{Priority, StreamId};
use tokio::io::AsyncWrite;
use tokio::task::coop::poll_proceed;

use crate::connection::{Connection, Tie};
use crate::error::{ConnectionError, WriteError};
use crate::hub::{Attempt, Hub};

/// The sending half of a stream.
///
/// Written bytes are sent soon, in as large packets as there is data for. Dropping the half before
/// [`finish`](SendStream::finish) resets the stream with code 0. After `finish`, what was written is delivered even if the
/// half, and every other handle of the connection, is dropped.
pub struct SendStream {
    tie: Arc<Tie>,
    id: StreamId,
    /// Finished, reset, or known to have failed: dropping it means nothing.
    over: bool,
}

impl SendStream {
    pub(super) fn new(tie: Arc<Tie>, id: StreamId) -> SendStream {
        SendStream { tie, id, over: false }
    }

    /// The connection that the stream belongs to.
    pub fn connection(&self) -> Connection {
        Connection { tie: Arc::clone(&self.tie) }
    }

    /// The stream's name on its connection.
    pub fn id(&self) -> StreamId {
        self.id
    }

    /// Writes some of `data`, and waits if there is no room at all. Answers how many bytes were taken.
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was taken.
    ///
    /// # Errors
    /// See [`WriteError`]; all are final.
    pub async fn write(&mut self, data: &[u8]) -> Result<usize, WriteError> {
        poll_fn(|cx| self.poll_write_some(cx, data)).await
    }

    /// Writes all of `data`. If the future is dropped before it is ready, some of it may have been taken.
    ///
    /// # Errors
    /// See [`WriteError`]; all are final.
    pub async fn write_all(&mut self, mut data: &[u8]) -> Result<(), WriteError> {
        while !data.is_empty() {
            let n = self.write(data).await?;
            data = &data[n..];
        }
        Ok(())
    }

    /// Writes all of `data`, behind which a message ends: the reader gets it whole from
    /// [`read_message`](super::RecvStream::read_message), or learns nothing of it by reading otherwise. It has any length but none:
    /// an empty one is nothing.
    ///
    /// If the future is dropped before it is ready, some of it may have been taken, and what is written next belongs to the same
    /// message.
    ///
    /// # Errors
    /// See [`WriteError`]; all are final.
    pub async fn write_message(&mut self, mut data: &[u8]) -> Result<(), WriteError> {
        let (id, stream) = (self.tie.id, self.id);
        while !data.is_empty() {
            let write = |hub: &mut Hub, waker: &Waker| hub.write_message(id, stream, data, waker);
            let n = poll_fn(|cx| self.poll_write_with(cx, write)).await?;
            data = &data[n..];
        }
        Ok(())
    }

    /// Has what was written sent at once (SST 4.3.3, the Push flag), where it would else wait for more to fill a packet because
    /// the peer has little room. `flush` of tokio's `AsyncWrite` does the same.
    pub fn push(&mut self) {
        let mut hub = self.tie.shared.lock();
        hub.push(self.tie.id, self.id);
        hub.changed(self.tie.id);
    }

    /// Ends the stream, and waits until the peer's host has all of it. That the peer's application has read it, only the
    /// application can say.
    ///
    /// If the future is dropped the stream is finished nevertheless; awaiting another one waits again.
    ///
    /// # Errors
    /// If the stream was not, or may not have been, delivered whole.
    pub async fn finish(&mut self) -> Result<(), WriteError> {
        poll_fn(|cx| self.poll_finish(cx)).await
    }

    /// Gives the stream up: the peer is told the code, below 2^62, and loses what it has not read. Does nothing when all of
    /// a finished stream has arrived.
    pub fn reset(&mut self, code: u64) {
        self.over = true;
        let mut hub = self.tie.shared.lock();
        hub.reset(self.tie.id, self.id, code);
        hub.changed(self.tie.id);
    }

    /// The priority of what is written here; `None` when the stream is over.
    pub fn priority(&self) -> Option<Priority> {
        self.tie.shared.lock().priority(self.tie.id, self.id)
    }

    /// Gives what is written here another [`Priority`], as [`Connection::set_priority`] does: at any time, from the next
    /// packet on.
    pub fn set_priority(&self, priority: Priority) {
        self.connection().set_priority(self.id, priority);
    }

    /// Waits until the peer wants no more, and answers its code; `None` when it has the whole of a finished stream. One
    /// task at a time.
    ///
    /// # Errors
    /// When the connection is over.
    pub async fn stopped(&self) -> Result<Option<u64>, ConnectionError> {
        poll_fn(|cx| {
            let mut hub = self.tie.shared.lock();
            match hub.stopped(self.tie.id, self.id, cx.waker())? {
                Attempt::Done(code) => Poll::Ready(Ok(code)),
                Attempt::Blocked => {
                    hub.waits(self.tie.id);
                    Poll::Pending
                }
            }
        })
        .await
    }

    fn poll_write_some(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, WriteError>> {
        let (id, stream) = (self.tie.id, self.id);
        self.poll_write_with(cx, |hub, waker| hub.write(id, stream, data, waker))
    }

    fn poll_write_with(
        &mut self,
        cx: &mut Context<'_>,
        write: impl FnOnce(&mut Hub, &Waker) -> Result<Attempt<usize>, WriteError>,
    ) -> Poll<Result<usize, WriteError>> {
        let progress = ready!(poll_proceed(cx));
        let mut hub = self.tie.shared.lock();
        match write(&mut hub, cx.waker())? {
            Attempt::Done(n) => {
                hub.changed(self.tie.id);
                progress.made_progress();
                Poll::Ready(Ok(n))
            }
            Attempt::Blocked => {
                hub.waits(self.tie.id);
                Poll::Pending
            }
        }
    }

    fn poll_finish(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), WriteError>> {
        let mut hub = self.tie.shared.lock();
        if !self.over {
            hub.finish(self.tie.id, self.id)?;
            self.over = true;
            hub.touch();
        }
        match hub.delivered(self.tie.id, self.id, cx.waker())? {
            Attempt::Done(()) => Poll::Ready(Ok(())),
            Attempt::Blocked => {
                hub.waits(self.tie.id);
                Poll::Pending
            }
        }
    }
}

impl Drop for SendStream {
    fn drop(&mut self) {
        let mut hub = self.tie.shared.lock();
        if !self.over {
            hub.reset(self.tie.id, self.id, 0);
            hub.touch();
        }
        hub.let_go(self.tie.id, self.id);
    }
}

impl AsyncWrite for SendStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().poll_write_some(cx, data).map_err(Into::into)
    }

    /// As [`push`](SendStream::push); always ready.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().push();
        Poll::Ready(Ok(()))
    }

    /// As [`finish`](SendStream::finish).
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_finish(cx).map_err(Into::into)
    }
}

impl fmt::Debug for SendStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendStream").field("id", &self.id).finish_non_exhaustive()
    }
}
