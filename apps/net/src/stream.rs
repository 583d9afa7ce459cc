//! Streams: reliable bytes both ways, in order.

use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tng_stack::structured::{Priority, StreamId};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::coop::poll_proceed;

use crate::connection::{Connection, Tie};
use crate::error::{ConnectionError, OpenError, ReadError, SendDatagramError, SubstreamError, WriteError};
use crate::hub::Attempt;

/// Bytes that [`RecvStream::read_to_end`] makes room for at a time, whatever the limit.
const READ_CHUNK: usize = 64 * 1024;

/// Both halves of a stream. Each half lives on when the other is over.
#[derive(Debug)]
pub struct Stream {
    send: SendStream,
    recv: RecvStream,
}

/// The sending half of a stream.
///
/// Written bytes are sent soon, in as large packets as there is data for; there is no flushing. Dropping the half before
/// [`finish`](SendStream::finish) resets the stream with code 0. After `finish`, what was written is delivered even if the
/// half, and every other handle of the connection, is dropped.
pub struct SendStream {
    tie: Arc<Tie>,
    id: StreamId,
    /// Finished, reset, or known to have failed: dropping it means nothing.
    over: bool,
}

/// The receiving half of a stream.
///
/// Dropping the half before its end stops the stream with code 0: the peer is told to send no more.
pub struct RecvStream {
    tie: Arc<Tie>,
    id: StreamId,
    /// The end was read.
    ended: bool,
}

impl Stream {
    pub(crate) fn new(tie: &Arc<Tie>, id: StreamId) -> Stream {
        Stream {
            send: SendStream { tie: Arc::clone(tie), id, over: false },
            recv: RecvStream { tie: Arc::clone(tie), id, ended: false },
        }
    }

    /// The stream's name on its connection, the same at both ends.
    pub fn id(&self) -> StreamId {
        self.send.id
    }

    /// The connection that the stream belongs to.
    pub fn connection(&self) -> Connection {
        Connection { tie: Arc::clone(&self.send.tie) }
    }

    /// Opens a substream, as [`Connection::open_substream`] does.
    ///
    /// # Errors
    /// If this stream or the connection is over.
    pub async fn open_substream(&self) -> Result<Stream, OpenError> {
        self.connection().open_substream(self.id()).await
    }

    /// Waits for the next substream that the peer opens, as [`Connection::accept_substream`] does.
    ///
    /// # Errors
    /// When this stream or the connection is over.
    pub async fn accept_substream(&self) -> Result<Stream, SubstreamError> {
        self.connection().accept_substream(self.id()).await
    }

    /// Has the stream take substreams and datagrams from now on, as [`Connection::listen_substreams`] does.
    ///
    /// # Errors
    /// If the connection is over.
    pub fn listen_substreams(&self) -> Result<(), SubstreamError> {
        self.connection().listen_substreams(self.id())
    }

    /// Sends a datagram as a substream, as [`Connection::send_datagram`] does.
    ///
    /// # Errors
    /// As there.
    pub fn send_datagram(&self, data: &[u8], lifetime: Option<Duration>) -> Result<(), SendDatagramError> {
        self.connection().send_datagram(self.id(), data, lifetime)
    }

    /// Waits for the next datagram that the peer sends here, as [`Connection::recv_datagram`] does.
    ///
    /// # Errors
    /// As there.
    pub async fn recv_datagram(&self) -> Result<Bytes, SubstreamError> {
        self.connection().recv_datagram(self.id()).await
    }

    /// As [`SendStream::priority`].
    pub fn priority(&self) -> Option<Priority> {
        self.send.priority()
    }

    /// As [`SendStream::set_priority`].
    pub fn set_priority(&self, priority: Priority) {
        self.send.set_priority(priority);
    }

    /// As [`RecvStream::request_priority`].
    pub fn request_priority(&self, priority: Priority) {
        self.recv.request_priority(priority);
    }

    /// As [`SendStream::reset`].
    pub fn reset(&mut self, code: u64) {
        self.send.reset(code);
    }

    /// As [`RecvStream::stop`].
    pub fn stop(&mut self, code: u64) {
        self.recv.stop(code);
    }

    /// The two halves.
    pub fn split(self) -> (SendStream, RecvStream) {
        (self.send, self.recv)
    }

    /// The two halves, on loan.
    pub fn halves(&mut self) -> (&mut SendStream, &mut RecvStream) {
        (&mut self.send, &mut self.recv)
    }

    /// As [`SendStream::write_all`].
    ///
    /// # Errors
    /// As there.
    pub async fn write_all(&mut self, data: &[u8]) -> Result<(), WriteError> {
        self.send.write_all(data).await
    }

    /// As [`SendStream::finish`].
    ///
    /// # Errors
    /// As there.
    pub async fn finish(&mut self) -> Result<(), WriteError> {
        self.send.finish().await
    }

    /// As [`RecvStream::read`].
    ///
    /// # Errors
    /// As there.
    pub async fn read(&mut self, out: &mut [u8]) -> Result<usize, ReadError> {
        self.recv.read(out).await
    }

    /// As [`RecvStream::read_to_end`].
    ///
    /// # Errors
    /// As there.
    pub async fn read_to_end(&mut self, limit: usize) -> Result<Vec<u8>, ReadError> {
        self.recv.read_to_end(limit).await
    }

    /// Refuses a stream that the peer opened.
    pub(crate) fn refuse(self, code: u64, reason: &str) {
        let mut hub = self.send.tie.shared.lock();
        hub.refuse(self.send.tie.id, self.send.id, code, reason);
        hub.touch();
    }
}

impl SendStream {
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
        Connection { tie: Arc::clone(&self.tie) }.set_priority(self.id, priority);
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
        let progress = ready!(poll_proceed(cx));
        let mut hub = self.tie.shared.lock();
        match hub.write(self.tie.id, self.id, data, cx.waker()) {
            Ok(Attempt::Done(n)) => {
                hub.changed(self.tie.id);
                progress.made_progress();
                Poll::Ready(Ok(n))
            }
            Ok(Attempt::Blocked) => {
                hub.waits(self.tie.id);
                Poll::Pending
            }
            Err(error) => Poll::Ready(Err(error)),
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

impl RecvStream {
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
        Connection { tie: Arc::clone(&self.tie) }.request_priority(self.id, priority);
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
        let progress = ready!(poll_proceed(cx));
        let mut hub = self.tie.shared.lock();
        match hub.read(self.tie.id, self.id, out, cx.waker()) {
            Ok(Attempt::Done(n)) => {
                self.ended = n == 0;
                // Reading makes room that the peer may have to be told of.
                if hub.wants_to_send(self.tie.id) {
                    hub.changed(self.tie.id);
                }
                progress.made_progress();
                Poll::Ready(Ok(n))
            }
            Ok(Attempt::Blocked) => {
                hub.waits(self.tie.id);
                Poll::Pending
            }
            Err(error) => Poll::Ready(Err(error)),
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

impl AsyncWrite for SendStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().poll_write_some(cx, data).map_err(Into::into)
    }

    /// Always ready: written bytes are on their way.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// As [`finish`](SendStream::finish).
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_finish(cx).map_err(Into::into)
    }
}

impl AsyncRead for RecvStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let n = ready!(self.get_mut().poll_read_some(cx, out.initialize_unfilled()))?;
        out.advance(n);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().send).poll_write(cx, data)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().send).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().send).poll_shutdown(cx)
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().recv).poll_read(cx, out)
    }
}

impl fmt::Debug for SendStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SendStream").field("id", &self.id).finish_non_exhaustive()
    }
}

impl fmt::Debug for RecvStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecvStream").field("id", &self.id).finish_non_exhaustive()
    }
}
