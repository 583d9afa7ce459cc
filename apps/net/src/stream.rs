//! Streams: reliable bytes both ways, in order.

mod recv;
mod send;

use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tng_stack::Usid;
use tng_stack::structured::{Priority, StreamId};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::connection::{Connection, Tie};
use crate::error::{OpenError, ReadError, SendDatagramError, SubstreamError, WriteError};

pub use recv::RecvStream;
pub use send::SendStream;

/// Both halves of a stream. Each half lives on when the other is over.
#[derive(Debug)]
pub struct Stream {
    send: SendStream,
    recv: RecvStream,
}

impl Stream {
    pub(crate) fn new(tie: &Arc<Tie>, id: StreamId) -> Stream {
        Stream { send: SendStream::new(Arc::clone(tie), id), recv: RecvStream::new(Arc::clone(tie), id) }
    }

    /// The stream's name on its connection, the same at both ends.
    pub fn id(&self) -> StreamId {
        self.send.id()
    }

    /// The stream's permanent name, the same at both ends and on every path (SST 4.3.1); `None` before the connection is there,
    /// and when it is over.
    pub fn usid(&self) -> Option<Usid> {
        let connection = self.connection();
        let hub = connection.tie.shared.lock();
        hub.host.usid(connection.tie.id, self.id())
    }

    /// The connection that the stream belongs to.
    pub fn connection(&self) -> Connection {
        self.send.connection()
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

    /// As [`SendStream::write_message`].
    ///
    /// # Errors
    /// As there.
    pub async fn write_message(&mut self, data: &[u8]) -> Result<(), WriteError> {
        self.send.write_message(data).await
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

    /// As [`RecvStream::read_chunk`].
    ///
    /// # Errors
    /// As there.
    pub async fn read_chunk(&mut self, max: usize) -> Result<Option<Bytes>, ReadError> {
        self.recv.read_chunk(max).await
    }

    /// As [`RecvStream::read_message`].
    ///
    /// # Errors
    /// As there.
    pub async fn read_message(&mut self, max: usize) -> Result<Option<Bytes>, ReadError> {
        self.recv.read_message(max).await
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
        let connection = self.connection();
        let mut hub = connection.tie.shared.lock();
        hub.refuse(connection.tie.id, self.id(), code, reason);
        hub.touch();
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
