//! Guests that download from a server which keeps nothing of them (docs/stp.md, "Systems together"), each on a socket
//! of its own.

use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::io;
use std::sync::Arc;

use tng_base::{Instant, Machine};
use tng_stack::{Identity, Target};
use tng_stp_abi::Role;
use tng_stp_host::{Code, Transport};
use tng_stp_receiver::{Event, Receiver, ReceiverConfig, ReceiverError};
use tng_trickles::set_up::Call;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::runtime::Handle;

use crate::driver::Driver;
use crate::endpoint::random_seed;
use crate::error::BindError;
use crate::guest::{Guests, Metered};
use crate::lock::{Driven, Shared};
use crate::socket::Socket;

/// An object that a guest brings from a server without state: its bytes, in order. See
/// [`Builder::stateless_guest`](crate::Builder::stateless_guest). Dropped, it is given up.
pub struct GuestDownload(Arc<Shared<Tasks>>);

impl fmt::Debug for GuestDownload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuestDownload").finish_non_exhaustive()
    }
}

/// Why a guest brings no more.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GuestDownloadError {
    /// The receiver has ended.
    #[error(transparent)]
    Receiver(#[from] ReceiverError),
    /// Environment: the runtime of the driver is gone, or its socket is.
    #[error("the driver of the guest's download is gone: its runtime has ended, or its socket failed")]
    Stopped,
}

impl From<GuestDownloadError> for io::Error {
    fn from(error: GuestDownloadError) -> io::Error {
        io::Error::other(error)
    }
}

/// The machine, and who waits for it.
struct Tasks {
    receiver: Receiver,
    reader: Option<Waker>,
    ended: Option<GuestDownloadError>,
    /// Nobody reads any more.
    is_over: bool,
}

/// Whom a guest asks, and for what.
pub(crate) struct Asking<'a> {
    pub(crate) identity: Identity,
    pub(crate) target: Target,
    pub(crate) code: &'a Code,
    pub(crate) asked: &'a [u8],
    pub(crate) guests: Guests,
    pub(crate) socket: Arc<dyn Socket>,
}

impl GuestDownload {
    pub(crate) fn begin(asking: Asking<'_>, runtime: &Handle) -> Result<GuestDownload, BindError> {
        let Asking { identity, target, code, asked, guests, socket } = asking;
        let server = *target.addresses.first().ok_or(BindError::NoAddress)?;
        let call = Call { capability: target.capability, ..Call::new(target.eid) };
        let seed = || random_seed().map_err(BindError::System);
        let workshop = guests.offered(&seed()?, &seed()?).workshop;
        let code = code.clone().within(Metered::new);
        let guest = workshop.transport(&code, Role::Initiator).map_err(BindError::Guest)?;
        let whom = (identity, call, server);
        let receiver = Receiver::new(ReceiverConfig::default(), whom, guest, asked, seed()?, Instant::ZERO);
        let receiver = receiver.map_err(BindError::Asked)?;
        let tasks = Tasks { receiver, reader: None, ended: None, is_over: false };
        let shared = Arc::new(Shared::new(tasks));
        runtime.spawn(Driver::new(Arc::clone(&shared), socket));
        Ok(GuestDownload(shared))
    }

    /// Reads what has come, at least one byte; 0 at the end.
    ///
    /// # Errors
    /// [`GuestDownloadError`].
    pub async fn read(&mut self, out: &mut [u8]) -> Result<usize, GuestDownloadError> {
        core::future::poll_fn(|cx| self.poll(cx, out)).await
    }

    /// Looks at the guest.
    pub fn with<T>(&self, look: impl FnOnce(&Transport) -> T) -> T {
        look(self.0.lock().receiver.transport())
    }

    fn poll(&mut self, cx: &Context<'_>, out: &mut [u8]) -> Poll<Result<usize, GuestDownloadError>> {
        let mut tasks = self.0.lock();
        if let Some(len) = tasks.receiver.read(out) {
            // There is room for more.
            tasks.wake_driver();
            return Poll::Ready(Ok(len));
        }
        if tasks.receiver.is_at_end() {
            return Poll::Ready(Ok(0));
        }
        if let Some(error) = &tasks.ended {
            return Poll::Ready(Err(error.clone()));
        }
        tasks.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl AsyncRead for GuestDownload {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if buf.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let len = core::task::ready!(self.poll(cx, buf.initialize_unfilled()))?;
        buf.advance(len);
        Poll::Ready(Ok(()))
    }
}

impl Drop for GuestDownload {
    fn drop(&mut self) {
        let mut tasks = self.0.lock();
        tasks.is_over = true;
        tasks.wake_driver();
    }
}

impl Driven for Tasks {
    type Machine = Receiver;

    fn machine(&mut self) -> &mut Receiver {
        &mut self.receiver
    }

    fn handle_event(&mut self, _: Instant, event: <Receiver as Machine>::Event, wakers: &mut Vec<Waker>) -> usize {
        if let Event::Ended(error) = event {
            self.ended.get_or_insert(error.into());
        }
        wakers.extend(self.reader.take());
        1
    }

    fn handle_stop(&mut self, wakers: &mut Vec<Waker>) {
        self.ended.get_or_insert(GuestDownloadError::Stopped);
        wakers.extend(self.reader.take());
    }

    fn is_finished(&self) -> bool {
        self.is_over || self.ended.is_some() || self.receiver.is_at_end()
    }
}
