//! Bytes both ways to a service of a peer, by whatever transport runs.

mod spare;

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
use spare::{Heir, Next, Spare};

pub use spare::{Carrier, NoStream};

/// Bytes both ways between two applications: by a transport that was negotiated, on a connection of its own, or by a
/// stream of structured streams. [Split](Pipe::split) it to read and write.
///
/// A guest that ends before anything of it has left gives way to a stream where there [is one](Pipe::or_else): what was
/// written goes by that, and reader and writer see no difference.
pub struct Pipe {
    by: By,
    carrier: Carrier,
}

enum By {
    Stream(Stream),
    Guest(Box<ByGuest>),
}

/// A guest's connection, and what carries the halves on where it ends too early.
struct ByGuest {
    guest: GuestConnection,
    heirs: Option<(Heir<SendStream>, Heir<RecvStream>)>,
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
        Pipe { carrier: Carrier::of(stream.connection()), by: By::Stream(stream) }
    }
}

impl From<GuestConnection> for Pipe {
    fn from(guest: GuestConnection) -> Pipe {
        let carrier = Carrier::of(guest.connection().clone());
        Pipe { by: By::Guest(Box::new(ByGuest { guest, heirs: None })), carrier }
    }
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pipe").field(&self.connection()).finish()
    }
}

impl Pipe {
    /// Connects and opens a pipe to the service that the offer names: by one of the transports that it offers, or by a
    /// stream that speaks `protocol`. It takes as many round trips either way. A guest that ends too early gives way to
    /// a stream of another connection.
    ///
    /// # Errors
    /// See [`PipeError`].
    pub(crate) async fn begin(
        endpoint: &Endpoint,
        target: Target,
        offer: TransportOffer,
        protocol: &str,
    ) -> Result<Pipe, PipeError> {
        let (service, protocol) = (offer.service.clone(), protocol.to_owned());
        let connection = endpoint.connect_offering(target.clone(), offer).await?;
        let Ok(guest) = connection.guest() else { return Ok(connection.open(&service, &protocol).await?.into()) };
        let endpoint = endpoint.downgrade();
        let next = async move {
            let gone = || io::Error::new(io::ErrorKind::NotConnected, "the endpoint is closed");
            let connection = endpoint.upgrade().ok_or_else(gone)?.connect(target).await?;
            Ok(connection.open(&service, &protocol).await?)
        };
        Ok(Pipe::from(guest).or_else(next))
    }

    /// Goes by this stream if a guest carries it and ends, through its own fault or that of the peer's guest, before
    /// anything of it has left and the application has anything of the peer's. A pipe that was
    /// [begun](Endpoint::pipe) has one; who accepts may have another one from its peer.
    #[must_use]
    pub fn or_else(self, next: impl Future<Output = io::Result<Stream>> + Send + 'static) -> Pipe {
        match self.by {
            By::Stream(_) => self,
            By::Guest(by) => {
                let next: Next = Box::pin(next);
                let (carrier, send, recv) = Spare::between(by.guest.connection().clone(), next);
                Pipe { by: By::Guest(Box::new(ByGuest { heirs: Some((send, recv)), ..*by })), carrier }
            }
        }
    }

    /// The connection: its peer, its paths, its end.
    pub fn connection(&self) -> Connection {
        self.carrier.connection()
    }

    /// What carries it, while that may change.
    pub fn carrier(&self) -> Carrier {
        self.carrier.clone()
    }

    /// The guest's connection, if a guest carries it.
    pub fn guest(&self) -> Option<&GuestConnection> {
        match &self.by {
            By::Stream(_) => None,
            By::Guest(by) => Some(&by.guest),
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
            By::Guest(by) => {
                let ByGuest { guest, heirs } = *by;
                let (of_send, of_recv) = heirs.unzip();
                let leave = Arc::new(Leave { guest: guest.clone(), ended: AtomicBool::new(false) });
                let recv = OfGuest { guest: guest.clone(), leave: Arc::clone(&leave), heir: of_recv };
                let half = Half::Guest(Box::new(OfGuest { guest, leave, heir: of_send }));
                (PipeSend { half, ending: None }, PipeRecv(Half::Guest(Box::new(recv))))
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

impl Leave {
    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }
}

impl Drop for Leave {
    fn drop(&mut self) {
        let connection = self.guest.connection();
        if !self.has_ended() {
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
    Guest(Box<OfGuest<S>>),
}

#[derive(Debug)]
struct OfGuest<S> {
    guest: GuestConnection,
    leave: Arc<Leave>,
    /// What takes its place if the guest ends too early.
    heir: Option<Heir<S>>,
}

impl<S> Half<S> {
    /// Does something with what carries this half: the guest, or a stream that has taken its place.
    fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        by_stream: impl FnOnce(&mut S, &mut Context<'_>) -> Poll<io::Result<T>>,
        mut by_guest: impl FnMut(&mut GuestConnection, &Leave, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        loop {
            let it = match self {
                Half::Stream(stream) => return by_stream(stream, cx),
                Half::Guest(it) => it,
            };
            if let Some(heir) = it.heir.as_mut().filter(|heir| heir.is_awaited()) {
                match ready!(heir.poll(cx)) {
                    Ok(stream) => *self = Half::Stream(stream),
                    Err(error) => {
                        // Who asks again hears it from the guest's connection.
                        it.heir = None;
                        return Poll::Ready(Err(error));
                    }
                }
                continue;
            }
            let done = ready!(by_guest(&mut it.guest, &it.leave, cx));
            match (done, &mut it.heir) {
                (Err(error), Some(heir)) => heir.take_over(&it.guest, it.leave.has_ended(), error),
                (done, _) => return Poll::Ready(done),
            }
        }
    }
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
            Half::Guest(it) => {
                it.guest.connection().closed().await;
                if let Some(heir) = &it.heir {
                    heir.gone(&it.guest, it.leave.has_ended()).await;
                }
            }
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
            Half::Guest(it) => {
                it.heir = None;
                it.guest.connection().close(code, "");
            }
        }
    }
}

impl PipeRecv {
    /// Takes nothing more; the peer of a stream is told the code. Of a guest's connection the other direction goes on.
    pub fn stop(&mut self, code: u64) {
        match &mut self.0 {
            Half::Stream(recv) => recv.stop(code),
            Half::Guest(it) => it.heir = None,
        }
    }
}

impl AsyncWrite for PipeSend {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().half.poll(
            cx,
            |send, cx| Pin::new(send).poll_write(cx, bytes),
            |guest, _, cx| Pin::new(guest).poll_write(cx, bytes),
        )
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().half.poll(
            cx,
            |send, cx| Pin::new(send).poll_flush(cx),
            |guest, _, cx| Pin::new(guest).poll_flush(cx),
        )
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let PipeSend { half, ending } = self.get_mut();
        half.poll(
            cx,
            |send, cx| Pin::new(send).poll_shutdown(cx),
            |guest, leave, cx| {
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
            },
        )
    }
}

impl AsyncRead for PipeRecv {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        // What reads is one of the two.
        let into = core::cell::RefCell::new(into);
        self.get_mut().0.poll(
            cx,
            |recv, cx| Pin::new(recv).poll_read(cx, &mut into.borrow_mut()),
            |guest, _, cx| Pin::new(guest).poll_read(cx, &mut into.borrow_mut()),
        )
    }
}
