//! Connections whose transport is a guest (STP).

mod account;
mod metered;

use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use std::io;
use std::sync::Arc;

use thiserror::Error;
use tng_base::Semantic;
use tng_crypto::Secret32;
use tng_stack::{CloseCause, FactoryError, Proposal};
use tng_stp_abi::{Refused, SocketKind};
use tng_stp_host::{
    Advisors, AnswerError, Cap, Code, End, GUEST_FAILED, GUEST_STOPPED, GUEST_UNUSED, Life, Quotas, Transport,
    Workshop, WriteError,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::connection::{Connection, Tie};
use crate::error::{ConnectError, ConnectionError};
use crate::speaking::Speaking;

pub use account::GuestAccount;
pub(crate) use account::Of;
pub(crate) use metered::Metered;

/// What happened to a guest's connection.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum GuestError {
    /// The connection is over.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The guest has ended.
    #[error("{}", ended(.0))]
    Ended(End),
    /// Caller: nothing can be written any more, or not this.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Guest: it refuses the call.
    #[error(transparent)]
    Call(#[from] Refused),
}

/// What is left of a guest's connection that was of no use.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What the application has written.
    pub(crate) written: Vec<u8>,
    pub(crate) why: String,
}

/// Whether a close code says that the other end's guest has brought the connection to its end.
pub(crate) const fn is_of_guests(code: u64) -> bool {
    matches!(code, GUEST_STOPPED | GUEST_FAILED | GUEST_UNUSED)
}

fn ended(end: &End) -> String {
    match end {
        End::Done => "the guest has nothing to do any more; connect again".to_owned(),
        End::Late => "the guest did not take its leave in time, and was taken down".to_owned(),
        End::Failed(code) => format!("the guest says that the connection failed, with its code {code}"),
        End::Stopped(fault) => fault.to_string(),
    }
}

impl From<GuestError> for io::Error {
    fn from(error: GuestError) -> io::Error {
        let kind = match &error {
            GuestError::Connection(error) => error.kind(),
            GuestError::Ended(_) => io::ErrorKind::ConnectionAborted,
            GuestError::Write(WriteError::Closed) => io::ErrorKind::BrokenPipe,
            GuestError::Write(_) | GuestError::Call(_) => io::ErrorKind::InvalidInput,
        };
        io::Error::new(kind, error)
    }
}

/// The guests that an endpoint has, and what they may do.
#[derive(Debug, Default)]
pub(crate) struct Guests {
    codes: Vec<Code>,
    advisors: Option<Advisors>,
    quotas: Quotas,
    cap: Cap,
    left_alone: bool,
}

impl Guests {
    pub(crate) fn add(&mut self, code: Code) {
        self.codes.push(code.within(Metered::new));
    }

    pub(crate) fn set_advisors(&mut self, advisors: Advisors) {
        self.advisors = Some(advisors);
    }

    pub(crate) fn set_quotas(&mut self, quotas: Quotas) {
        self.quotas = quotas;
    }

    pub(crate) fn set_cap(&mut self, cap: Cap) {
        self.cap = cap;
    }

    pub(crate) fn leave_alone(&mut self) {
        self.left_alone = true;
    }

    /// What the endpoint has of them, with secrets of its own.
    pub(crate) fn offered(self, nonces: &Secret32, seed: &Secret32) -> Offered {
        let mut workshop = Workshop::new(nonces, *seed.expose());
        (workshop.quotas, workshop.cap) = (self.quotas, self.cap);
        let workshop = if self.left_alone { workshop.without_policer() } else { workshop };
        Offered { codes: self.codes, workshop, advisors: self.advisors }
    }
}

/// The transports that an endpoint speaks, what makes ends of connections of them, and the guests that regulate.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) codes: Vec<Code>,
    pub(crate) workshop: Workshop,
    advisors: Option<Advisors>,
}

impl Offered {
    /// The accounts of the guests that regulate.
    pub(crate) fn advised(&self) -> impl Iterator<Item = GuestAccount> {
        let of = |advisors: &Advisors| {
            let name = advisors.name().to_owned();
            advisors.accounts().into_iter().map(move |account| GuestAccount::of_advisor(&name, account))
        };
        self.advisors.iter().flat_map(of)
    }
}

/// A peer that has so many connections with this host gets no guest beside them: instances are few, and one peer is not
/// to have them all.
pub const GUESTS_OF_PEER_MAX: usize = 32;

/// The end of a connection that a peer asks for.
pub(crate) fn answer(
    workshop: &Workshop,
    code: &Code,
    proposal: &Proposal<'_>,
) -> Result<Box<dyn Semantic>, FactoryError> {
    if proposal.connections >= GUESTS_OF_PEER_MAX {
        return Err(FactoryError::Busy);
    }
    match workshop.answer(code, proposal.set_up_item, proposal.memory) {
        Ok(transport) => Ok(Box::new(transport)),
        Err(AnswerError::NotUnderstood) => Err(FactoryError::NotUnderstood),
        Err(AnswerError::Fault(_)) => Err(FactoryError::Busy),
    }
}

/// A connection whose transport is a guest: a stream of bytes each way, or messages.
///
/// It reads and writes as tokio's `AsyncRead` and `AsyncWrite`, and by the calls below. Reading and writing may go on
/// at once, by two clones. The connection ends with its last handle; [`finish`](GuestConnection::finish) and read to
/// the end first.
pub struct GuestConnection {
    end: Speaking<Transport>,
    reading: Waiting,
    writing: Waiting,
}

/// A notice that is waited for.
#[derive(Default)]
struct Waiting(Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>);

impl Waiting {
    /// Looks until `look` finds something; what happens from now on wakes the task.
    fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        tie: &Arc<Tie>,
        mut look: impl FnMut() -> Result<Option<T>, GuestError>,
    ) -> Poll<Result<T, GuestError>> {
        loop {
            let waiting = self.0.get_or_insert_with(|| {
                let tie = Arc::clone(tie);
                Box::pin(async move { tie.signals.notice.notified().await })
            });
            // It waits before anything is looked at, so that no notice is missed.
            let noticed = waiting.as_mut().poll(cx).is_ready();
            if noticed {
                self.0 = None;
            }
            match look() {
                Ok(None) if noticed => {}
                Ok(None) => return Poll::Pending,
                Ok(Some(found)) => return Poll::Ready(Ok(found)),
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl Clone for GuestConnection {
    fn clone(&self) -> GuestConnection {
        GuestConnection::new(self.end.clone())
    }
}

impl fmt::Debug for GuestConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GuestConnection").field(self.connection()).finish()
    }
}

impl GuestConnection {
    pub(crate) fn new(end: Speaking<Transport>) -> GuestConnection {
        GuestConnection { end, reading: Waiting::default(), writing: Waiting::default() }
    }

    /// The connection: its peer, its paths, its end.
    pub fn connection(&self) -> &Connection {
        self.end.connection()
    }

    fn poll_read_some(&mut self, cx: &mut Context<'_>, into: &mut [u8]) -> Poll<Result<usize, GuestError>> {
        let GuestConnection { end, reading, .. } = self;
        reading.poll(cx, &end.connection().tie, || read(end, into))
    }

    fn poll_write_some(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, GuestError>> {
        let GuestConnection { end, writing, .. } = self;
        writing.poll(cx, &end.connection().tie, || write(end, bytes))
    }

    /// Reads what there is, and waits if there is nothing; on a message socket one message, cut off if `into` is
    /// shorter. Answers how many bytes, 0 at the end.
    ///
    /// Cancel safe.
    ///
    /// # Errors
    /// See [`GuestError`].
    pub async fn read(&mut self, into: &mut [u8]) -> Result<usize, GuestError> {
        poll_fn(|cx| self.poll_read_some(cx, into)).await
    }

    /// Writes some of `bytes`, on a message socket one message, and waits if there is no room. Answers how many bytes
    /// were taken.
    ///
    /// Cancel safe.
    ///
    /// # Errors
    /// See [`GuestError`].
    pub async fn write(&mut self, bytes: &[u8]) -> Result<usize, GuestError> {
        poll_fn(|cx| self.poll_write_some(cx, bytes)).await
    }

    /// Writes all of `bytes`. If the future is dropped before it is ready, some of it may have been taken.
    ///
    /// # Errors
    /// See [`GuestError`].
    pub async fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), GuestError> {
        while !bytes.is_empty() {
            let written = self.write(bytes).await?;
            bytes = &bytes[written..];
        }
        Ok(())
    }

    /// Nothing more is written; what was written still goes, as long as there is a handle.
    ///
    /// # Errors
    /// If the connection is over.
    pub fn finish(&self) -> Result<(), GuestError> {
        Ok(self.end.with(Transport::finish)?)
    }

    /// Waits until the peer's guest has everything that was written, as far as this end's guest knows.
    ///
    /// # Errors
    /// If the connection, or the guest, ended before.
    pub async fn delivered(&self) -> Result<(), GuestError> {
        let found = self.end.wait(|it| {
            let done = it.socket().sent() == it.socket().dropped();
            (done || matches!(it.life(), Life::Ended(_))).then(|| (done, it.life().clone()))
        });
        match found.await? {
            (false, Life::Ended(end)) => Err(GuestError::Ended(end)),
            _ => Ok(()),
        }
    }

    /// A call of the protocol's own: what the guest at this end answers.
    ///
    /// # Errors
    /// See [`GuestError`].
    pub fn call(&self, number: u32, bytes: &[u8]) -> Result<Vec<u8>, GuestError> {
        Ok(self.end.with(|it| it.call_guest(number, bytes))??)
    }

    /// Looks at this end: the policer, quotas, what the guest has used. `f` runs while the endpoint stands still.
    ///
    /// # Errors
    /// If nothing is left of the connection.
    pub fn with<T>(&self, f: impl FnOnce(&Transport) -> T) -> Result<T, GuestError> {
        Ok(self.end.with(|it| f(it))?)
    }

    /// What was written, if a guest's fault has ended the connection before that was of use to anybody.
    pub(crate) fn take_back(&self) -> Option<Ended> {
        let over = self.end.expects_more().err();
        let (life, told) = match &over {
            Some(ConnectionError::Ended(CloseCause::Peer { code, .. })) => (None, Some(*code)),
            _ => (self.end.with(|it| it.life().clone()).ok(), None),
        };
        let why = match (life, over) {
            (Some(Life::Ended(end @ (End::Stopped(_) | End::Failed(_) | End::Late))), _) => ended(&end),
            (None, Some(over)) if told.is_some_and(is_of_guests) => over.to_string(),
            _ => return None,
        };
        let written = self.end.with(|it| it.take_back(told == Some(GUEST_UNUSED))).ok()??;
        Some(Ended { written, why: format!("{why}; nothing is lost") })
    }

    /// Has the guest take its leave, and waits until it has.
    ///
    /// # Errors
    /// If the connection ended before, or the guest did not take its leave in time.
    pub async fn shut_down(&self) -> Result<(), GuestError> {
        self.end.with(Transport::shut_down)?;
        let ended = |it: &mut Transport| match it.life() {
            Life::Ended(end) => Some(end.clone()),
            Life::Attached | Life::Running | Life::Leaving { .. } => None,
        };
        match self.end.wait(ended).await? {
            End::Done => Ok(()),
            end => Err(GuestError::Ended(end)),
        }
    }
}

/// Why nothing is there any more, if so.
fn over(it: &Transport) -> Result<(), GuestError> {
    match it.life() {
        Life::Ended(End::Done) | Life::Attached | Life::Running | Life::Leaving { .. } => Ok(()),
        Life::Ended(end) => Err(GuestError::Ended(end.clone())),
    }
}

fn read(end: &Speaking<Transport>, into: &mut [u8]) -> Result<Option<usize>, GuestError> {
    let found = end.with(|it| match it.read(into) {
        Some(len) => Ok(Some(len)),
        None if it.socket().is_at_end() => Ok(Some(0)),
        // Messages have no end of their own. A stream that was not ended never looks whole.
        None => over(it).map(|()| {
            let over = matches!(it.life(), Life::Ended(_));
            (over && it.socket().kind() == SocketKind::Message).then_some(0)
        }),
    })??;
    match waits(end, found)? {
        Some(len) => Ok(Some(len)),
        None => end.with(|it| match it.life() {
            Life::Ended(how) => Err(GuestError::Ended(how.clone())),
            Life::Attached | Life::Running | Life::Leaving { .. } => Ok(None),
        })?,
    }
}

fn write(end: &Speaking<Transport>, bytes: &[u8]) -> Result<Option<usize>, GuestError> {
    let found = end.with(|it| match it.write(bytes) {
        Ok(len) => Ok(Ok(Some(len))),
        Err(WriteError::Full) => Ok(Ok(None)),
        Err(error) => over(it).map(|()| Err(error)),
    })??;
    match found {
        Ok(found) => waits(end, found),
        // Why the connection is over says more than that nothing can be written.
        Err(error) => end.expects_more().map_err(GuestError::from).and(Err(error.into())),
    }
}

fn waits<T>(end: &Speaking<Transport>, found: Option<T>) -> Result<Option<T>, GuestError> {
    if found.is_none() {
        end.expects_more()?;
    }
    Ok(found)
}

impl AsyncRead for GuestConnection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = ready!(self.poll_read_some(cx, into.initialize_unfilled()))?;
        into.advance(read);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for GuestConnection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(ready!(self.poll_write_some(cx, bytes)).map_err(io::Error::from))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.finish().map_err(io::Error::from))
    }
}

/// Why no guest's connection was begun.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GuestConnectError {
    /// Caller: the endpoint has no transport of this name.
    #[error(
        "this endpoint has no transport {name:?}; give it one with `Builder::transport` (it has: {})",
        .known.join(" ")
    )]
    Unknown {
        /// The name.
        name: String,
        /// Those that it has.
        known: Vec<String>,
    },
    /// The code makes no instance.
    #[error("the guest cannot be begun: {0}")]
    Guest(tng_stp_host::Fault),
    /// There is no connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
}

#[cfg(test)]
mod tests {
    use tng_base::Eid;
    use tng_stp_abi::Role;

    use super::*;

    #[test]
    fn a_peer_that_has_many_connections_gets_no_guest_beside_them() {
        let workshop = Workshop::new(&Secret32::from_bytes([7; 32]), [1; 32]);
        let code = Code::native::<stp_guest_newreno::NewReno>("newreno");
        let theirs = workshop.transport(&code, Role::Initiator).expect("room").set_up_item();
        let answered = |connections| {
            let (peer, set_up_item) = (Eid::from_bytes([3; 32]), theirs.as_deref());
            answer(&workshop, &code, &Proposal { peer, set_up_item, connections, memory: 1 << 20 }).map(drop)
        };
        assert_eq!((answered(0), answered(GUESTS_OF_PEER_MAX - 1)), (Ok(()), Ok(())));
        assert_eq!(answered(GUESTS_OF_PEER_MAX), Err(FactoryError::Busy));
    }
}
