//! Connections: one peer, one channel, many streams.

use core::fmt;
use core::future::{Future, IntoFuture};
use core::pin::Pin;
use core::time::Duration;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use tng_base::{Eid, Semantic};
use tng_congestion::Choice;
use tng_stack::structured::{Priority, Stats as StreamStats, StreamId, Streams};
use tng_stack::{CloseCause, ConnectError, ConnectionId, ConnectionStats, Negotiation, Settled, Target};
use tokio::runtime::Handle;

use crate::error::{ConnectionError, NotConnected, OpenError, SendDatagramError, SubstreamError};
use crate::events::Events;
use crate::guest::GuestConnection;
use crate::hub::{Attempt, Hub, Signals, Speaks, Stage};
use crate::incoming::IncomingStream;
use crate::lock::Shared;
use crate::speaking::Speaking;
use crate::stream::Stream;

/// How long the last bytes of finished streams and of answers may take to arrive after every handle of their connection
/// was dropped.
pub const LINGER_MAX: Duration = Duration::from_secs(30);

/// What every handle of a connection shares. The connection is let go with the last of them.
pub(crate) struct Tie {
    pub(crate) shared: Arc<Shared<Hub>>,
    pub(crate) id: ConnectionId,
    eid: Eid,
    pub(crate) signals: Arc<Signals>,
    holder: Holder,
}

/// Who has a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Holder {
    /// It keeps the connection.
    Application,
    /// Who answers a request. It keeps nothing: else the peer would, by asking.
    Service,
}

impl Drop for Tie {
    fn drop(&mut self) {
        let mut hub = self.shared.lock();
        let now = hub.now();
        let lingers = match self.holder {
            Holder::Application => hub.forsake(now, self.id),
            Holder::Service => {
                hub.untie_from_serving(now, self.id);
                false
            }
        };
        let lingers = lingers.then(|| hub.runtime.clone());
        hub.wake_driver();
        drop(hub);
        if let Some(runtime) = lingers {
            linger(&self.shared, &runtime, vec![self.id]);
        }
    }
}

/// Gives forsaken connections their time to end of themselves.
pub(crate) fn linger(shared: &Arc<Shared<Hub>>, runtime: &Handle, ids: Vec<ConnectionId>) {
    let shared = Arc::downgrade(shared);
    runtime.spawn(async move {
        tokio::time::sleep(LINGER_MAX).await;
        let Some(shared) = shared.upgrade() else { return };
        let mut hub = shared.lock();
        let now = hub.now();
        for id in ids {
            hub.give_up(now, id);
        }
        hub.wake_driver();
    });
}

/// A connection to a peer that has proven its identity. Cheap to clone; every clone is the same connection.
///
/// The connection ends when it is [closed](Connection::close), when the peer closes it or is
/// [away](Connection::keep_for) for too long, or when the last handle is dropped: this one, its clones and its streams.
/// In that last case data of finished streams is still delivered, and so are answers to requests that are being worked
/// on, for up to [`LINGER_MAX`].
#[derive(Clone)]
pub struct Connection {
    pub(crate) tie: Arc<Tie>,
}

/// A connection, if somebody has a handle of it still.
pub(crate) struct WeakConnection(Weak<Tie>);

impl WeakConnection {
    pub(crate) fn upgrade(&self) -> Option<Connection> {
        self.0.upgrade().map(|tie| Connection { tie })
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("id", &self.tie.id.0).field("peer", &self.tie.eid).finish()
    }
}

impl Connection {
    pub(crate) fn new(shared: &Arc<Shared<Hub>>, id: ConnectionId, eid: Eid, signals: Arc<Signals>) -> Connection {
        let tie = Tie { shared: Arc::clone(shared), id, eid, signals, holder: Holder::Application };
        Connection { tie: Arc::new(tie) }
    }

    /// The connection, for who does not keep it.
    pub(crate) fn downgrade(&self) -> WeakConnection {
        WeakConnection(Arc::downgrade(&self.tie))
    }

    /// The runtime on which the connection is driven: that of its thread, if its endpoint has
    /// [several](crate::Builder::threads), else the one on which the endpoint was built. Tasks that do little but read
    /// and write its streams are best there: no other thread has to be woken for them, and with several threads they
    /// are divided as connections are. What they compute, the driver waits for.
    pub fn runtime(&self) -> Handle {
        self.tie.shared.lock().driven_on.clone()
    }

    /// A handle for who answers a request, if the connection is still there.
    pub(crate) fn to_serve(shared: &Arc<Shared<Hub>>, id: ConnectionId) -> Option<Connection> {
        let (eid, signals) = shared.lock().tie_to_serve(id)?;
        let tie = Tie { shared: Arc::clone(shared), id, eid, signals, holder: Holder::Service };
        Some(Connection { tie: Arc::new(tie) })
    }

    /// The peer's identity. On a connection that is not there yet: the identity that it will have to prove.
    pub fn peer(&self) -> Eid {
        self.tie.eid
    }

    /// The protocol that the connection speaks, by its name on the wire: `structured` for streams. `None` when nothing
    /// is left of it.
    pub fn protocol(&self) -> Option<String> {
        self.tie.shared.lock().protocol_name(self.tie.id)
    }

    /// Waits until it is settled which transport runs, and tells how; `None` if none was offered, and nothing is waited
    /// for. The end that connected knows as soon as the connection is there; the other may have to hear from it once
    /// more, if it asked for another transport.
    ///
    /// # Errors
    /// If the connection is over before.
    pub async fn negotiation(&self) -> Result<Option<Negotiation>, ConnectionError> {
        loop {
            let settled = self.tie.signals.settled.notified();
            {
                let mut hub = self.tie.shared.lock();
                match hub.negotiation(self.tie.id) {
                    Some(Negotiation { settled: Settled::Asked(_), .. }) => hub.expects_more(self.tie.id)?,
                    negotiation => return Ok(negotiation),
                }
                hub.waits(self.tie.id);
            }
            settled.await;
        }
    }

    /// The registered protocol `P` that the connection speaks.
    ///
    /// # Errors
    /// If it speaks another, or nothing is left of it.
    pub fn speaking<P: Semantic>(&self) -> Result<Speaking<P>, ConnectionError> {
        self.tie.shared.lock().protocol::<P>(self.tie.id)?;
        Ok(Speaking::new(self.clone()))
    }

    /// The connection as one whose transport is a guest.
    ///
    /// # Errors
    /// If it speaks something else, or nothing is left of it.
    pub fn guest(&self) -> Result<GuestConnection, ConnectionError> {
        Ok(GuestConnection::new(self.speaking()?))
    }

    /// Where the peer is now. `None` before the connection is there.
    pub fn remote_address(&self) -> Option<SocketAddr> {
        self.tie.shared.lock().remote(self.tie.id)
    }

    /// The connection's figures, while it is up.
    pub fn stats(&self) -> Option<ConnectionStats> {
        self.tie.shared.lock().host().stats(self.tie.id)
    }

    /// What its streams and datagrams have carried, hold and lost, while it is up.
    pub fn stream_stats(&self) -> Option<StreamStats> {
        self.tie.shared.lock().host().peek_streams(self.tie.id).map(Streams::stats)
    }

    /// What happens to the connection from now on: paths that come, go, move and stall, and the peer's being away.
    /// Every call gives a follower of its own.
    pub fn events(&self) -> Events {
        Events::new(self.tie.shared.lock().follow(self.tie.id))
    }

    /// Opens a stream to a service, and waits for the peer's leave if as many are open as it allows. No round trip:
    /// what is written at once travels with the opening. If the peer refuses, reading and writing say so.
    ///
    /// # Errors
    /// If a name is too long or the connection is over.
    pub async fn open(&self, service: &str, protocol: &str) -> Result<Stream, OpenError> {
        self.open_with(|hub| hub.open(self.tie.id, service, protocol)).await
    }

    /// Opens a substream of the stream `parent`, which either side may have opened. No round trip: its opening and what
    /// is written at once share the next packet. The peer gets it if its side of the parent listens for substreams. It
    /// outlives its parent.
    ///
    /// For handles of a stream that was [split](Stream::split); else [`Stream::open_substream`] is shorter.
    ///
    /// # Errors
    /// If the parent or the connection is over.
    pub async fn open_substream(&self, parent: StreamId) -> Result<Stream, OpenError> {
        self.open_with(|hub| hub.open_substream(self.tie.id, parent)).await
    }

    async fn open_with(
        &self,
        attempt: impl Fn(&mut Hub) -> Result<Attempt<StreamId>, OpenError>,
    ) -> Result<Stream, OpenError> {
        loop {
            let can_open = self.tie.signals.can_open.notified();
            {
                let mut hub = self.tie.shared.lock();
                let opened = match attempt(&mut hub) {
                    Ok(Attempt::Blocked) => None,
                    Ok(Attempt::Done(id)) => Some(Ok(id)),
                    Err(error) => Some(Err(error)),
                };
                match opened {
                    Some(opened) => {
                        hub.changed(self.tie.id);
                        // There may be room for more than one of those who wait, and who failed has taken none.
                        self.tie.signals.can_open.notify_one();
                        return Ok(Stream::new(&self.tie, opened?));
                    }
                    None => hub.waits(self.tie.id),
                }
            }
            can_open.await;
        }
    }

    /// Waits for the next stream that the peer opens. It is here as soon as its opening is, written to or not.
    ///
    /// # Errors
    /// When the connection is over and every stream that had arrived was accepted.
    pub async fn accept(&self) -> Result<IncomingStream, ConnectionError> {
        loop {
            let incoming = self.tie.signals.incoming.notified();
            {
                let mut hub = self.tie.shared.lock();
                match hub.accept(self.tie.id)? {
                    Attempt::Done(incoming) => {
                        // One notice may stand for several streams.
                        self.tie.signals.incoming.notify_one();
                        let stream = Stream::new(&self.tie, incoming.id);
                        let (service, protocol, early) = (incoming.service, incoming.protocol, incoming.early);
                        return Ok(IncomingStream { service, protocol, early, stream });
                    }
                    Attempt::Blocked => hub.waits(self.tie.id),
                }
            }
            incoming.await;
        }
    }

    /// Waits for the next substream of `parent` that the peer opens: here as soon as it is opened, written to or not. A
    /// datagram that the peer sent there is a substream too, which has ended; what is written on it fails with
    /// [`WriteError::Stopped`](crate::WriteError::Stopped).
    ///
    /// The parent listens for substreams from now on, if it did not before; what came earlier was refused.
    ///
    /// # Errors
    /// When the parent or the connection is over, and every substream that had arrived was accepted.
    pub async fn accept_substream(&self, parent: StreamId) -> Result<Stream, SubstreamError> {
        let child = self.take_below(parent, |hub| hub.accept_substream(self.tie.id, parent)).await?;
        Ok(Stream::new(&self.tie, child))
    }

    /// Has a stream take substreams and datagrams from now on. Streams of services that were offered with
    /// [`ServiceOptions::substreams`](crate::ServiceOptions::substreams), and substreams, do so from the start. On a
    /// stream opened here, call it before anything is awaited, or what the peer opens at once is refused.
    ///
    /// # Errors
    /// If the connection is over, or there is no handle of the stream any more.
    pub fn listen_substreams(&self, parent: StreamId) -> Result<(), SubstreamError> {
        self.tie.shared.lock().listen_substreams(self.tie.id, parent).map(|_| ())
    }

    /// Sends a datagram as a substream of `parent`: whole or not at all, in no order. One that has not left `lifetime`
    /// from now is dropped. It never waits; see [`SendDatagramError::Full`] and
    /// [`send_datagram_wait`](Connection::send_datagram_wait).
    ///
    /// Small ones are sent once. Those that would probably lose a fragment, by their size and the measured loss, are
    /// sent again until they arrive. The peer sees no difference.
    ///
    /// # Errors
    /// See [`SendDatagramError`]; all but `Full` are final.
    pub fn send_datagram(
        &self,
        parent: StreamId,
        data: &[u8],
        lifetime: Option<Duration>,
    ) -> Result<(), SendDatagramError> {
        let mut hub = self.tie.shared.lock();
        hub.send_datagram(self.tie.id, parent, data, lifetime)?;
        hub.changed(self.tie.id);
        Ok(())
    }

    /// Sends a datagram as [`send_datagram`](Connection::send_datagram) does, and waits for room if there is none. Its
    /// lifetime begins then.
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was taken.
    ///
    /// # Errors
    /// See [`SendDatagramError`]; never `Full`.
    pub async fn send_datagram_wait(
        &self,
        parent: StreamId,
        data: &[u8],
        lifetime: Option<Duration>,
    ) -> Result<(), SendDatagramError> {
        loop {
            let room = self.tie.signals.can_send_datagram.notified();
            match self.send_datagram(parent, data, lifetime) {
                Err(SendDatagramError::Full) => self.tie.shared.lock().waits(self.tie.id),
                done => return done,
            }
            room.await;
        }
    }

    /// Waits for the next datagram that the peer sends as a substream of `parent`. Any substream that the peer has
    /// finished and that has arrived whole is a datagram too: an application that wants to tell them apart asks a
    /// parent for substreams or for datagrams, not for both.
    ///
    /// The parent listens from now on, as with [`accept_substream`](Connection::accept_substream).
    ///
    /// Cancel safe: if the future is dropped before it is ready, nothing was taken.
    ///
    /// # Errors
    /// When the parent or the connection is over, and every datagram that had arrived was received.
    pub async fn recv_datagram(&self, parent: StreamId) -> Result<Bytes, SubstreamError> {
        let datagram = self.take_below(parent, |hub| hub.recv_datagram(self.tie.id, parent)).await?;
        // What was taken makes room that the peer may have to be told of.
        let mut hub = self.tie.shared.lock();
        if hub.wants_to_send(self.tie.id) {
            hub.changed(self.tie.id);
        }
        Ok(datagram)
    }

    async fn take_below<T>(
        &self,
        parent: StreamId,
        mut attempt: impl FnMut(&mut Hub) -> Result<Attempt<T>, SubstreamError>,
    ) -> Result<T, SubstreamError> {
        let children = self.tie.shared.lock().listen_substreams(self.tie.id, parent);
        let children = match children {
            Ok(children) => children,
            // What has arrived can still be taken.
            Err(error) => match attempt(&mut self.tie.shared.lock())? {
                Attempt::Done(taken) => return Ok(taken),
                Attempt::Blocked => return Err(error),
            },
        };
        loop {
            // Made before looking, so that no notice is missed.
            let notified = children.notified();
            {
                let mut hub = self.tie.shared.lock();
                match attempt(&mut hub)? {
                    Attempt::Done(taken) => return Ok(taken),
                    Attempt::Blocked => hub.waits(self.tie.id),
                }
            }
            notified.await;
        }
    }

    /// The priority of what this side writes on a stream; `None` when it is over.
    pub fn priority(&self, stream: StreamId) -> Option<Priority> {
        self.tie.shared.lock().priority(self.tie.id, stream)
    }

    /// Gives what this side writes on a stream another [`Priority`], from the next packet on. Its substreams without a
    /// level of their own go along.
    pub fn set_priority(&self, stream: StreamId, priority: Priority) {
        let mut hub = self.tie.shared.lock();
        hub.set_priority(self.tie.id, stream, priority);
        hub.changed(self.tie.id);
    }

    /// Asks the peer to give what it writes on a stream another [`Priority`] (SST 5.6). The request passes the data by;
    /// the last one counts, and the peer may change its mind later.
    pub fn request_priority(&self, stream: StreamId, priority: Priority) {
        let mut hub = self.tie.shared.lock();
        hub.request_priority(self.tie.id, stream, priority);
        hub.changed(self.tie.id);
    }

    /// Fills `out` with a secret that both ends of this connection derive and nobody else can, for `label` and
    /// `context` (in the manner of RFC 5705): to bind another protocol to this connection. The same for as long as the
    /// connection lasts, on whatever paths.
    ///
    /// # Errors
    /// If the connection is not there yet, or over.
    pub fn export_keying_material(&self, label: &[u8], context: &[u8], out: &mut [u8]) -> Result<(), NotConnected> {
        let exported = self.tie.shared.lock().host().export(self.tie.id, label, context, out);
        if exported { Ok(()) } else { Err(NotConnected) }
    }

    /// What governs how fast this end sends, from now on: `"bbr".parse()` chooses one that comes with the library,
    /// [`Controllers::choose`](crate::congestion::Controllers::choose) one of a program's own. Without it:
    /// [`Builder::controller`](crate::Builder::controller). See
    /// [`Host::set_controller`](tng_stack::Host::set_controller) for connections that share a path.
    pub fn set_controller(&self, controller: Choice) {
        let mut hub = self.tie.shared.lock();
        let now = hub.now();
        hub.host_mut().set_controller(now, self.tie.id, controller);
        hub.wake_driver();
    }

    /// Closes the connection: the peer is told the code and the reason, at most 255 bytes of it. What streams have not
    /// delivered is lost; [`finish`](crate::SendStream::finish) them first.
    pub fn close(&self, code: u64, reason: &str) {
        let mut hub = self.tie.shared.lock();
        let now = hub.now();
        hub.close_connection(now, self.tie.id, code, reason);
        hub.wake_driver();
    }

    /// Waits until the connection is over, and says why.
    pub async fn closed(&self) -> CloseCause {
        loop {
            let ended = self.tie.signals.ended.notified();
            match self.stage() {
                Ok(Stage::Ended(cause)) => return cause,
                // Without its driver the connection is over for this side.
                Err(_) => return CloseCause::Local,
                Ok(Stage::Pending | Stage::Open) => self.tie.shared.lock().waits(self.tie.id),
            }
            ended.await;
        }
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self) -> bool {
        !matches!(self.stage(), Ok(Stage::Pending | Stage::Open))
    }

    fn stage(&self) -> Result<Stage, ConnectionError> {
        self.tie.shared.lock().stage(self.tie.id)
    }
}

/// A connection on its way. Await it.
///
/// Streams may be opened on [`connection`](Connecting::connection) and written to before: nothing leaves before this
/// side waits for something on this connection, so the first data rides in the first packet. (Other traffic of a busy
/// endpoint may push it out earlier.) Services that do not take [unproven](crate::FirstData::Unproven) first data get
/// it one round trip later.
#[derive(Debug)]
#[must_use = "nothing leaves before somebody waits"]
pub struct Connecting {
    connection: Connection,
}

impl Connecting {
    pub(crate) fn dial(
        shared: &Arc<Shared<Hub>>,
        target: Target,
        speaks: Speaks<'_>,
    ) -> Result<Connecting, ConnectError> {
        let (eid, signals) = (target.eid, Arc::<Signals>::default());
        let mut hub = shared.lock();
        let now = hub.now();
        let id = hub.dial(now, target, speaks, Arc::clone(&signals))?;
        drop(hub);
        Ok(Connecting { connection: Connection::new(shared, id, eid, signals) })
    }

    /// The connection, for early streams.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    async fn settled(self) -> Result<Connection, ConnectError> {
        loop {
            let tie = &self.connection.tie;
            let settled = tie.signals.settled.notified();
            match self.connection.stage() {
                Ok(Stage::Open) => break,
                Ok(Stage::Ended(cause)) => return Err(cause.into()),
                // Without its driver nothing comes about.
                Err(_) => return Err(ConnectError::Closing),
                Ok(Stage::Pending) => tie.shared.lock().waits(tie.id),
            }
            settled.await;
        }
        Ok(self.connection)
    }
}

impl IntoFuture for Connecting {
    type Output = Result<Connection, ConnectError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.settled())
    }
}
