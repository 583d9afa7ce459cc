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

/// A stream in place of a guest's connection.
pub(super) struct Spare {
    state: Mutex<Option<Waiting>>,
    carries: watch::Sender<Carries>,
}

/// It may be needed.
struct Waiting {
    next: Next,
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
        f.debug_struct("Spare").field("carries", &*self.carries.borrow()).finish_non_exhaustive()
    }
}

impl Spare {
    /// One for a guest's pipe, with the heirs of its halves.
    pub(super) fn between(connection: Connection, next: Next) -> (Carrier, Heir<SendStream>, Heir<RecvStream>) {
        let (carries, carrier) = watch::channel(Carries { connection, why: None });
        let ((send, of_send), (recv, of_recv)) = (oneshot::channel(), oneshot::channel());
        let state = Mutex::new(Some(Waiting { next, send, recv }));
        let spare = Arc::new(Spare { state, carries });
        let heir = Heir { spare: Arc::clone(&spare), comes: of_send, error: None };
        (Carrier(carrier), heir, Heir { spare, comes: of_recv, error: None })
    }

    /// The guest's connection is over. If nothing is lost with it what was written goes by the stream.
    fn begin(self: &Arc<Spare>, guest: &GuestConnection) {
        let waiting = self.state.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Some(waiting), Some(Ended { written, why })) = (waiting, guest.take_back()) else { return };
        let spare = Arc::clone(self);
        guest.connection().runtime().spawn(async move { spare.carry_on(waiting, &written, &why).await });
    }

    async fn carry_on(&self, Waiting { next, send, recv }: Waiting, written: &[u8], why: &str) {
        let stream = match next.await {
            Ok(stream) => stream,
            Err(error) => {
                let said = |error: &io::Error| io::Error::new(error.kind(), format!("{why}; and by a stream: {error}"));
                let _ = (send.send(Err(said(&error))), recv.send(Err(said(&error))));
                return;
            }
        };
        self.carries.send_replace(Carries { connection: stream.connection(), why: Some(why.into()) });
        let (mut sending, receiving) = stream.split();
        // Who does not read, or write, any more has no use for it.
        let _ = recv.send(Ok(receiving));
        let _ = send.send(sending.write_all(written).await.map(|()| sending).map_err(io::Error::from));
    }
}

impl<S> Heir<S> {
    /// Whether the guest's half is over, and this one is waited for.
    pub(super) fn is_awaited(&self) -> bool {
        self.error.is_some()
    }

    /// The guest's half has come to this.
    pub(super) fn take_over(&mut self, guest: &GuestConnection, error: io::Error) {
        self.error = Some(error);
        self.spare.begin(guest);
    }

    /// Waits for the half that goes on.
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
