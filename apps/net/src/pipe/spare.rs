//! What carries a pipe on whose guest has ended before anything of it had left.

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{oneshot, watch};

use crate::connection::Connection;
use crate::guest::{Ended, GuestConnection};
use crate::stream::{RecvStream, SendStream, Stream};

/// How to open the stream that carries a pipe on.
pub(super) type Next = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send>>;

/// What carries a pipe, as it changes.
#[derive(Clone, Debug)]
struct Carries {
    connection: Connection,
    /// Why it is not the guest's any more.
    why: Option<Arc<str>>,
}

/// What carries a pipe: a guest's connection may give way to a stream. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Carrier(watch::Receiver<Carries>);

impl Carrier {
    /// One that does not change.
    pub(super) fn of(connection: Connection) -> Carrier {
        Carrier(watch::channel(Carries { connection, why: None }).1)
    }

    /// The connection that carries it now.
    pub fn connection(&self) -> Connection {
        self.0.borrow().connection.clone()
    }

    /// Waits until the guest has given way to a stream, and says why; nothing if the pipe ends before that.
    pub async fn gave_way(mut self) -> Option<Arc<str>> {
        self.0.wait_for(|carries| carries.why.is_some()).await.ok()?.why.clone()
    }
}

/// The guest's connection has ended, and there is no stream in its place. It is inside of the [`io::Error`] that the
/// halves of the pipe come to.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{why}; and by a stream: {error}")]
pub struct NoStream {
    /// How the guest's connection has ended.
    pub why: String,
    /// Why there is no stream.
    pub error: Arc<io::Error>,
}

/// A stream in place of a guest's connection.
pub(super) struct Spare {
    state: Mutex<Option<Waiting>>,
    carrier: Carrier,
}

/// It may be needed.
struct Waiting {
    next: Next,
    carries: watch::Sender<Carries>,
    send: oneshot::Sender<io::Result<SendStream>>,
    recv: oneshot::Sender<io::Result<RecvStream>>,
}

/// A half of the stream, for the half of the pipe that it takes the place of.
#[derive(Debug)]
pub(super) struct Heir<S> {
    spare: Arc<Spare>,
    comes: oneshot::Receiver<io::Result<S>>,
    /// What the guest's half has come to, if it has.
    error: Option<io::Error>,
}

impl fmt::Debug for Spare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spare").field("carrier", &self.carrier).finish_non_exhaustive()
    }
}

impl Spare {
    /// One for a guest's pipe, with the heirs of its halves.
    pub(super) fn between(connection: Connection, next: Next) -> (Carrier, Heir<SendStream>, Heir<RecvStream>) {
        let (carries, carrier) = watch::channel(Carries { connection, why: None });
        let ((send, of_send), (recv, of_recv)) = (oneshot::channel(), oneshot::channel());
        let (state, carrier) = (Mutex::new(Some(Waiting { next, carries, send, recv })), Carrier(carrier));
        let spare = Arc::new(Spare { state, carrier: carrier.clone() });
        let heir = Heir { spare: Arc::clone(&spare), comes: of_send, error: None };
        (carrier, heir, Heir { spare, comes: of_recv, error: None })
    }

    /// The guest's connection is over. If nothing is lost with it what was written goes by the stream, and its end if
    /// it `has_ended`.
    fn begin(&self, guest: &GuestConnection, has_ended: bool) {
        let waiting = self.state.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(waiting), Some(ended)) = (waiting, guest.take_back()) else { return };
        guest.connection().runtime().spawn(waiting.carry_on(ended, has_ended));
    }
}

impl Waiting {
    async fn carry_on(self, Ended { written, why }: Ended, has_ended: bool) {
        let Waiting { next, carries, mut send, mut recv } = self;
        let opened = tokio::select! {
            biased;
            opened = next => opened,
            // A pipe that was given up says nothing more.
            () = async { tokio::join!(send.closed(), recv.closed()); } => return,
        };
        let stream = match opened {
            Ok(stream) => stream,
            Err(error) => {
                let (kind, error) = (error.kind(), Arc::new(error));
                let said = || io::Error::new(kind, NoStream { why: why.clone(), error: Arc::clone(&error) });
                let _ = (send.send(Err(said())), recv.send(Err(said())));
                return;
            }
        };
        carries.send_replace(Carries { connection: stream.connection(), why: Some(why.into()) });
        let (mut sending, receiving) = stream.split();
        // Who does not read, or write, any more has no use for it.
        let _ = recv.send(Ok(receiving));
        if has_ended {
            // Nothing was written, and nobody need ask for this half any more.
            let _ = sending.finish().await;
            let _ = send.send(Ok(sending));
            return;
        }
        let wrote = tokio::select! {
            biased;
            wrote = sending.write_all(&written) => wrote,
            () = send.closed() => return,
        };
        let _ = send.send(wrote.map(|()| sending).map_err(io::Error::from));
    }
}

impl<S> Heir<S> {
    /// Whether the guest's half is over, and this one is waited for.
    pub(super) fn is_awaited(&self) -> bool {
        self.error.is_some()
    }

    /// The guest's half has come to this; what is written `has_ended` before, if it has.
    pub(super) fn take_over(&mut self, guest: &GuestConnection, has_ended: bool, error: io::Error) {
        self.error = Some(error);
        self.spare.begin(guest, has_ended);
    }

    /// Waits until nothing takes what is written: the guest's connection is over, and there is no stream in its place,
    /// or no more.
    pub(super) async fn gone(&self, guest: &GuestConnection, has_ended: bool) {
        self.spare.begin(guest, has_ended);
        let carrier = self.spare.carrier.clone();
        if carrier.clone().gave_way().await.is_some() {
            carrier.connection().closed().await;
        }
    }

    /// Waits for the half that goes on. It is asked no more once it has answered.
    ///
    /// # Errors
    /// What the guest's half has come to, if there is none.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<S>> {
        let came = ready!(Pin::new(&mut self.comes).poll(cx));
        Poll::Ready(came.unwrap_or_else(|_| {
            Err(self.error.take().unwrap_or_else(|| io::Error::new(io::ErrorKind::NotConnected, "the pipe is over")))
        }))
    }
}
