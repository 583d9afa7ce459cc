//! The sending half.

use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, Waker, ready};
use std::io;

use bytes::Bytes;
use tng_stack::structured::{Priority, StreamId};
use tokio::io::AsyncWrite;
use tokio::task::coop::poll_proceed;

use super::Handle;
use crate::connection::Connection;
use crate::error::{ConnectionError, WriteError};
use crate::hub::{Attempt, Half, Hub};

/// The sending half of a stream.
///
/// Written bytes are sent soon, in as large packets as there is data for. Dropping the half before
/// [`finish`](SendStream::finish) resets the stream with code 0. After `finish`, what was written is delivered even if
/// the half, and every other handle of the connection, is dropped.
pub struct SendStream(pub(super) Handle);

impl SendStream {
    /// The connection that the stream belongs to.
    pub fn connection(&self) -> Connection {
        self.0.connection()
    }

    /// The stream's name on its connection.
    pub fn id(&self) -> StreamId {
        self.0.id
    }

    /// Writes some of `data`, and waits if there is no room at all. Answers how many bytes were taken.
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was taken.
    ///
    /// # Errors
    /// See [`WriteError`]; all are final.
    pub async fn write(&mut self, data: &[u8]) -> Result<usize, WriteError> {
        poll_fn(|cx| self.0.poll_write(cx, data)).await
    }

    /// Writes all of `data`. If the future is dropped before it is ready, some of it may have been taken.
    ///
    /// # Errors
    /// See [`WriteError`]; all are final.
    pub async fn write_all(&mut self, data: &[u8]) -> Result<(), WriteError> {
        self.0.write_all(data).await
    }

    /// Writes all of `data`, which is given away: of much it copies nothing before a packet takes it. The buffer that
    /// it is of is held until the peer has acknowledged these bytes. If the future is dropped before it is ready, some
    /// of it may have been taken.
    ///
    /// # Errors
    /// See [`WriteError`]; all are final.
    pub async fn write_bytes(&mut self, data: Bytes) -> Result<(), WriteError> {
        self.0.write_bytes(data).await
    }

    /// Writes all of `data`, behind which a message ends: the reader gets it whole from
    /// [`read_message`](super::RecvStream::read_message), or learns nothing of it by reading otherwise. It has any
    /// length but none: an empty one is nothing.
    ///
    /// If the future is dropped before it is ready, some of it may have been taken, and what is written next belongs to
    /// the same message.
    ///
    /// # Errors
    /// See [`WriteError`]; all are final.
    pub async fn write_message(&mut self, data: &[u8]) -> Result<(), WriteError> {
        self.0.write_message(data).await
    }

    /// Has what was written sent at once (SST 4.3.3, the Push flag), where it would else wait for more to fill a packet
    /// because the peer has little room. `flush` of tokio's `AsyncWrite` does the same.
    pub fn push(&mut self) {
        self.0.push();
    }

    /// Ends the stream, and does not wait: what was written goes on to the peer, also when this handle is dropped.
    ///
    /// # Errors
    /// If the stream was cut short before.
    pub fn end(&mut self) -> Result<(), WriteError> {
        self.0.end()
    }

    /// [Ends](SendStream::end) the stream, and waits until the peer's host has all of it. That the peer's application
    /// has read it, only the application can say.
    ///
    /// If the future is dropped the stream is finished nevertheless; awaiting another one waits again.
    ///
    /// # Errors
    /// If the stream was not, or may not have been, delivered whole.
    pub async fn finish(&mut self) -> Result<(), WriteError> {
        poll_fn(|cx| self.0.poll_finish(cx)).await
    }

    /// Gives the stream up: the peer is told the code, below 2^62, and loses what it has not read. Does nothing when
    /// all of a finished stream has arrived.
    pub fn reset(&mut self, code: u64) {
        self.0.reset(code);
    }

    /// The priority of what is written here; `None` when the stream is over.
    pub fn priority(&self) -> Option<Priority> {
        self.connection().priority(self.0.id)
    }

    /// Gives what is written here another [`Priority`], as [`Connection::set_priority`] does: at any time, from the
    /// next packet on.
    pub fn set_priority(&self, priority: Priority) {
        self.connection().set_priority(self.0.id, priority);
    }

    /// Waits until the peer wants no more, and answers its code; `None` when it has the whole of a finished stream. One
    /// task at a time.
    ///
    /// # Errors
    /// When the connection is over.
    pub async fn stopped(&self) -> Result<Option<u64>, ConnectionError> {
        poll_fn(|cx| {
            let Handle { tie, id } = &self.0;
            let mut hub = tie.shared.lock();
            match hub.stopped(tie.id, *id, cx.waker())? {
                Attempt::Done(code) => Poll::Ready(Ok(code)),
                Attempt::Blocked => {
                    hub.waits(tie.id);
                    Poll::Pending
                }
            }
        })
        .await
    }
}

/// Sending.
impl Handle {
    pub(super) async fn write_all(&self, mut data: &[u8]) -> Result<(), WriteError> {
        while !data.is_empty() {
            let n = poll_fn(|cx| self.poll_write(cx, data)).await?;
            data = &data[n..];
        }
        Ok(())
    }

    pub(super) async fn write_bytes(&self, mut data: Bytes) -> Result<(), WriteError> {
        let (id, stream) = (self.tie.id, self.id);
        while !data.is_empty() {
            poll_fn(|cx| self.poll_write_with(cx, |hub, waker| hub.write_bytes(id, stream, &mut data, waker))).await?;
        }
        Ok(())
    }

    pub(super) async fn write_message(&self, mut data: &[u8]) -> Result<(), WriteError> {
        let (id, stream) = (self.tie.id, self.id);
        while !data.is_empty() {
            let write = |hub: &mut Hub, waker: &Waker| hub.write_message(id, stream, data, waker);
            let n = poll_fn(|cx| self.poll_write_with(cx, write)).await?;
            data = &data[n..];
        }
        Ok(())
    }

    pub(super) fn push(&self) {
        let mut hub = self.tie.shared.lock();
        hub.push(self.tie.id, self.id);
        hub.changed(self.tie.id);
    }

    pub(super) fn reset(&self, code: u64) {
        let mut hub = self.tie.shared.lock();
        hub.reset(self.tie.id, self.id, code);
        hub.changed(self.tie.id);
    }

    pub(super) fn poll_write(&self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, WriteError>> {
        let (id, stream) = (self.tie.id, self.id);
        self.poll_write_with(cx, |hub, waker| hub.write(id, stream, data, waker))
    }

    fn poll_write_with(
        &self,
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

    pub(super) fn end(&self) -> Result<(), WriteError> {
        let mut hub = self.tie.shared.lock();
        if hub.finish(self.tie.id, self.id)? {
            hub.changed(self.tie.id);
        }
        Ok(())
    }

    pub(super) fn poll_finish(&self, cx: &mut Context<'_>) -> Poll<Result<(), WriteError>> {
        let mut hub = self.tie.shared.lock();
        if hub.finish(self.tie.id, self.id)? {
            hub.wake_driver();
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
        self.0.let_go(&[Half::Send]);
    }
}

impl AsyncWrite for SendStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.0.poll_write(cx, data).map_err(Into::into)
    }

    /// As [`push`](SendStream::push); always ready.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.push();
        Poll::Ready(Ok(()))
    }

    /// As [`finish`](SendStream::finish).
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_finish(cx).map_err(Into::into)
    }
}

impl fmt::Debug for SendStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendStream").field("id", &self.0.id).finish_non_exhaustive()
    }
}
