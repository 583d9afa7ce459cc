//! Bytes both ways to a service of a peer, by whatever transport runs.

use core::fmt;
use core::future::{Future, poll_fn, ready as ready_now};
use core::pin::Pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll, ready};
use std::io;
use std::sync::Arc;

use tng_stack::{Negotiation, Target, TransportOffer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::connection::Connection;
use crate::endpoint::Endpoint;
use crate::error::{ConnectError, ConnectionError, OpenError};
use crate::guest::{GuestConnection, GuestError};
use crate::stream::{RecvStream, SendStream, Stream};

/// Bytes both ways between two applications: by a transport that was negotiated, on a connection of its own, or by a
/// stream of structured streams. [Split](Pipe::split) it to read and write.
pub struct Pipe {
    by: By,
}

enum By {
    Stream(Stream),
    Guest(GuestConnection),
}

/// Why there is no pipe.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipeError {
    /// There is no connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// There is no stream on it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The connection is over already.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
}

impl From<Stream> for Pipe {
    fn from(stream: Stream) -> Pipe {
        Pipe { by: By::Stream(stream) }
    }
}

impl From<GuestConnection> for Pipe {
    fn from(connection: GuestConnection) -> Pipe {
        Pipe { by: By::Guest(connection) }
    }
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pipe").field(&self.connection()).finish()
    }
}

impl Pipe {
    /// Connects and opens a pipe to the service that the offer names: by one of the transports that it offers, or by a
    /// stream that speaks `protocol`. It takes as many round trips either way.
    ///
    /// # Errors
    /// See [`PipeError`].
    pub(crate) async fn begin(
        endpoint: &Endpoint,
        target: Target,
        offer: TransportOffer,
        protocol: &str,
    ) -> Result<Pipe, PipeError> {
        let service = offer.service.clone();
        let connection = endpoint.connect_offering(target, offer).await?;
        match connection.guest() {
            Ok(guest) => Ok(guest.into()),
            Err(_) => Ok(connection.open(&service, protocol).await?.into()),
        }
    }

    /// The connection: its peer, its paths, its end.
    pub fn connection(&self) -> Connection {
        match &self.by {
            By::Stream(stream) => stream.connection(),
            By::Guest(guest) => guest.connection().clone(),
        }
    }

    /// The guest's connection, if a guest carries it.
    pub fn guest(&self) -> Option<&GuestConnection> {
        match &self.by {
            By::Stream(_) => None,
            By::Guest(guest) => Some(guest),
        }
    }

    /// How it was negotiated what carries it.
    ///
    /// # Errors
    /// If the connection is over.
    pub async fn negotiation(&self) -> Result<Option<Negotiation>, ConnectionError> {
        self.connection().negotiation().await
    }

    /// The halves. Each lives on when the other is over.
    pub fn split(self) -> (PipeSend, PipeRecv) {
        match self.by {
            By::Stream(stream) => {
                let (send, recv) = stream.split();
                (send.into(), recv.into())
            }
            By::Guest(guest) => {
                let leave = Arc::new(Leave { guest: guest.clone(), ended: AtomicBool::new(false) });
                let recv = PipeRecv(Half::Guest(guest.clone(), Arc::clone(&leave)));
                (PipeSend { half: Half::Guest(guest, leave), ending: None }, recv)
            }
        }
    }
}

/// Ends a guest's connection with the last half of its pipe.
struct Leave {
    guest: GuestConnection,
    /// All that was to be written has been, and has arrived.
    ended: AtomicBool,
}

impl Drop for Leave {
    fn drop(&mut self) {
        let connection = self.guest.connection();
        if !self.ended.load(Ordering::Relaxed) {
            // What was not ended must not look whole to the peer.
            return connection.close(GIVEN_UP, "the pipe was given up");
        }
        // The peer's last words may still have to be acknowledged by the guest.
        let guest = self.guest.clone();
        connection.runtime().spawn(async move { drop(guest.shut_down().await) });
    }
}

impl fmt::Debug for Leave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Leave").field(&self.guest).finish()
    }
}

/// The code with which a guest's connection is closed whose pipe was given up before its end.
pub const GIVEN_UP: u64 = 1;

#[derive(Debug)]
enum Half<S> {
    Stream(S),
    Guest(GuestConnection, Arc<Leave>),
}

/// The end of what is written, on its way.
type Ending = Pin<Box<dyn Future<Output = Result<(), GuestError>> + Send + Sync>>;

/// The half of a [`Pipe`] that is written to. `poll_shutdown` ends it, and waits until the peer has all. Dropped before
/// that, it looks to the peer as what it is: not whole.
pub struct PipeSend {
    half: Half<SendStream>,
    ending: Option<Ending>,
}

/// The half of a [`Pipe`] that is read from.
#[derive(Debug)]
pub struct PipeRecv(Half<RecvStream>);

impl fmt::Debug for PipeSend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PipeSend").field(&self.half).finish()
    }
}

impl From<SendStream> for PipeSend {
    fn from(send: SendStream) -> PipeSend {
        PipeSend { half: Half::Stream(send), ending: None }
    }
}

impl From<RecvStream> for PipeRecv {
    fn from(recv: RecvStream) -> PipeRecv {
        PipeRecv(Half::Stream(recv))
    }
}

impl PipeSend {
    /// Waits until the peer takes nothing more of what is written here: it has stopped the stream, or the connection is
    /// over.
    pub async fn gone(&self) {
        match &self.half {
            // That nobody can tell any more says the same.
            Half::Stream(send) => drop(send.stopped().await),
            Half::Guest(guest, _) => drop(guest.connection().closed().await),
        }
    }

    /// Ends this half, and waits until the peer has all of it, as far as this end knows.
    ///
    /// # Errors
    /// If the peer does not take it, or the connection is over before.
    pub async fn finish(&mut self) -> io::Result<()> {
        poll_fn(|cx| Pin::new(&mut *self).poll_shutdown(cx)).await
    }

    /// Gives the pipe up: what was written may be lost, and does not look whole. The peer is told the code.
    pub fn reset(&mut self, code: u64) {
        match &mut self.half {
            Half::Stream(send) => send.reset(code),
            Half::Guest(guest, _) => guest.connection().close(code, ""),
        }
    }
}

impl PipeRecv {
    /// Takes nothing more; the peer of a stream is told the code. Of a guest's connection the other direction goes on.
    pub fn stop(&mut self, code: u64) {
        if let Half::Stream(recv) = &mut self.0 {
            recv.stop(code);
        }
    }
}

impl AsyncWrite for PipeSend {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.get_mut().half {
            Half::Stream(send) => Pin::new(send).poll_write(cx, bytes),
            Half::Guest(guest, _) => Pin::new(guest).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().half {
            Half::Stream(send) => Pin::new(send).poll_flush(cx),
            Half::Guest(guest, _) => Pin::new(guest).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let PipeSend { half, ending } = self.get_mut();
        match half {
            Half::Stream(send) => Pin::new(send).poll_shutdown(cx),
            Half::Guest(guest, leave) => {
                let ended = match ending {
                    Some(ending) => ready!(ending.as_mut().poll(cx)),
                    None => {
                        guest.finish()?;
                        let guest = guest.clone();
                        let begun = ending.insert(Box::pin(async move { guest.delivered().await }));
                        ready!(begun.as_mut().poll(cx))
                    }
                };
                // Who asks again is told the same.
                *ending = Some(Box::pin(ready_now(ended.clone())));
                leave.ended.store(ended.is_ok(), Ordering::Relaxed);
                Poll::Ready(ended.map_err(io::Error::from))
            }
        }
    }
}

impl AsyncRead for PipeRecv {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().0 {
            Half::Stream(recv) => Pin::new(recv).poll_read(cx, into),
            Half::Guest(guest, _) => Pin::new(guest).poll_read(cx, into),
        }
    }
}
