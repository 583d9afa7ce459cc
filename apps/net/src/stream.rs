//! Streams: reliable bytes both ways, in order.

mod recv;
mod send;

use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use core::time::Duration;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tng_stack::Usid;
use tng_stack::structured::{Priority, StreamId};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::connection::{Connection, Tie};
use crate::error::{OpenError, ReadError, SendDatagramError, SubstreamError, WriteError};
use crate::hub::Half;

pub use recv::RecvStream;
pub use send::SendStream;

/// A stream of a connection, as its handles name it: there may be many, so this is all that they are.
pub(crate) struct Handle {
    tie: Arc<Tie>,
    id: StreamId,
}

impl Handle {
    fn connection(&self) -> Connection {
        Connection { tie: Arc::clone(&self.tie) }
    }

    fn let_go(&self, halves: &[Half]) {
        let mut hub = self.tie.shared.lock();
        for &half in halves {
            if hub.let_go(self.tie.id, self.id, half) {
                hub.wake_driver();
            }
        }
    }
}

impl RecvStream {
    /// The half of a stream that has no other.
    pub(crate) fn new(tie: &Arc<Tie>, id: StreamId) -> RecvStream {
        RecvStream(Handle { tie: Arc::clone(tie), id })
    }
}

/// Both halves of a stream. Each half lives on when the other is over.
pub struct Stream {
    /// `None` when the halves have gone their own ways.
    handle: Option<Handle>,
}

impl Stream {
    pub(crate) fn new(tie: &Arc<Tie>, id: StreamId) -> Stream {
        Stream { handle: Some(Handle { tie: Arc::clone(tie), id }) }
    }

    fn handle(&self) -> &Handle {
        self.handle.as_ref().expect("only split takes it, and the stream with it")
    }

    /// The stream's name on its connection, the same at both ends.
    pub fn id(&self) -> StreamId {
        self.handle().id
    }

    /// The stream's permanent name, the same at both ends and on every path (SST 4.3.1); `None` before the connection
    /// is there, and when it is over.
    pub fn usid(&self) -> Option<Usid> {
        let connection = self.connection();
        let hub = connection.tie.shared.lock();
        hub.host().usid(connection.tie.id, self.id())
    }

    /// The connection that the stream belongs to.
    pub fn connection(&self) -> Connection {
        self.handle().connection()
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

    /// Sends a datagram and waits for room if there is none, as [`Connection::send_datagram_wait`] does.
    ///
    /// # Errors
    /// As there.
    pub async fn send_datagram_wait(&self, data: &[u8], lifetime: Option<Duration>) -> Result<(), SendDatagramError> {
        self.connection().send_datagram_wait(self.id(), data, lifetime).await
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
        self.connection().priority(self.id())
    }

    /// As [`SendStream::set_priority`].
    pub fn set_priority(&self, priority: Priority) {
        self.connection().set_priority(self.id(), priority);
    }

    /// As [`RecvStream::request_priority`].
    pub fn request_priority(&self, priority: Priority) {
        self.connection().request_priority(self.id(), priority);
    }

    /// As [`SendStream::reset`].
    pub fn reset(&mut self, code: u64) {
        self.handle().reset(code);
    }

    /// As [`RecvStream::stop`].
    pub fn stop(&mut self, code: u64) {
        self.handle().stop(code);
    }

    /// The two halves.
    pub fn split(mut self) -> (SendStream, RecvStream) {
        let Handle { tie, id } = self.handle.take().expect("only split takes it, and the stream with it");
        (SendStream(Handle { tie: Arc::clone(&tie), id }), RecvStream(Handle { tie, id }))
    }

    /// As [`SendStream::write_all`].
    ///
    /// # Errors
    /// As there.
    pub async fn write_all(&mut self, data: &[u8]) -> Result<(), WriteError> {
        self.handle().write_all(data).await
    }

    /// As [`SendStream::write_bytes`].
    ///
    /// # Errors
    /// As there.
    pub async fn write_bytes(&mut self, data: Bytes) -> Result<(), WriteError> {
        self.handle().write_bytes(data).await
    }

    /// As [`SendStream::write_message`].
    ///
    /// # Errors
    /// As there.
    pub async fn write_message(&mut self, data: &[u8]) -> Result<(), WriteError> {
        self.handle().write_message(data).await
    }

    /// As [`SendStream::finish`].
    ///
    /// # Errors
    /// As there.
    pub async fn finish(&mut self) -> Result<(), WriteError> {
        poll_fn(|cx| self.handle().poll_finish(cx)).await
    }

    /// As [`RecvStream::read`].
    ///
    /// # Errors
    /// As there.
    pub async fn read(&mut self, out: &mut [u8]) -> Result<usize, ReadError> {
        self.handle().read(out).await
    }

    /// As [`RecvStream::read_chunk`].
    ///
    /// # Errors
    /// As there.
    pub async fn read_chunk(&mut self, max: usize) -> Result<Option<Bytes>, ReadError> {
        self.handle().read_chunk(max).await
    }

    /// As [`RecvStream::read_chunks`].
    ///
    /// # Errors
    /// As there.
    pub async fn read_chunks(&mut self, out: &mut [Bytes]) -> Result<Option<usize>, ReadError> {
        self.handle().read_chunks(out).await
    }

    /// As [`RecvStream::read_message`].
    ///
    /// # Errors
    /// As there.
    pub async fn read_message(&mut self, max: usize) -> Result<Option<Bytes>, ReadError> {
        self.handle().read_message(max).await
    }

    /// As [`RecvStream::read_to_end`].
    ///
    /// # Errors
    /// As there.
    pub async fn read_to_end(&mut self, limit: usize) -> Result<Vec<u8>, ReadError> {
        self.handle().read_to_end(limit).await
    }

    /// Refuses a stream that the peer opened.
    pub(crate) fn refuse(self, code: u64, reason: &str) {
        let connection = self.connection();
        let mut hub = connection.tie.shared.lock();
        hub.refuse(connection.tie.id, self.id(), code, reason);
        hub.wake_driver();
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(handle) = &self.handle {
            handle.let_go(&[Half::Send, Half::Recv]);
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.handle().poll_write(cx, data).map_err(Into::into)
    }

    /// As [`SendStream::push`]; always ready.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.handle().push();
        Poll::Ready(Ok(()))
    }

    /// As [`SendStream::finish`].
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.handle().poll_finish(cx).map_err(Into::into)
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let n = ready!(self.handle().poll_read(cx, out.initialize_unfilled()))?;
        out.advance(n);
        Poll::Ready(Ok(()))
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("id", &self.id()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_the_connection_and_a_number_whether_of_a_half_or_of_both() {
        let sizes = [size_of::<Stream>(), size_of::<SendStream>(), size_of::<RecvStream>()];
        assert_eq!(sizes, [size_of::<(Arc<Tie>, StreamId)>(); 3]);
    }
}
