//! The host, and who waits for what of it. Everything here is under the endpoint's lock.

mod guests;
mod peers;
mod reply;
mod requests;
mod shards;
mod streams;
mod substreams;
#[cfg(test)]
mod tests;

use core::convert::Infallible;
use core::task::Waker;
use core::time::Duration;
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Weak};

use tng_base::{Datagram, Eid, Instant, Semantic, Transmit};
use tng_endpoint::{OneOf, Port};
use tng_middlebox::{Helper, HelperEvent, RelayId};
use tng_stack::structured::{StreamEvent, StreamId, Streams};
use tng_stack::{
    Access, CloseCause, ConnectError, ConnectionId, EventKind, Host, HostEvent, Negotiation, PROTOCOL, Refusal, Target,
    TransportOffer,
};
use tokio::runtime::Handle;
use tokio::sync::{Notify, broadcast};

use crate::error::ConnectionError;
use crate::events::{ConnectionEvent, EVENTS_KEPT};
use crate::help::Purse;
use crate::lock::{Driven, Locked};
use crate::observer::Observer;
use crate::relay::RelayOutlet;
use crate::repertoire::Repertoire;
use crate::socket::{Socket, Underlay};
use crate::stateless::{StatelessServer, wall_clock};

use guests::Departed;
use peers::Peers;
use requests::{Held, Service};
use streams::Slot;

pub use guests::GUESTS_KEPT;
pub(crate) use reply::{Outcome, Reply};
pub use requests::REQUESTS;
pub(crate) use requests::{Begun, Bounds, ServiceKey, Taken, Totals, Unread};
pub use shards::{HANDED_OVER_MAX, HandedCounters};
pub(crate) use shards::{Shard, Shards};
pub(crate) use streams::Half;

/// A peer that waits to be accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asking {
    pub(crate) id: ConnectionId,
    pub(crate) eid: Eid,
    pub(crate) remote: SocketAddr,
    pub(crate) validated: bool,
}

/// What tasks of one connection wait for, apart from the bytes of streams. Each is checked under the lock, and notified
/// after the change.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    /// The connection came about, or failed.
    pub(crate) settled: Notify,
    /// It is over.
    pub(crate) ended: Notify,
    /// Another stream may be opened.
    pub(crate) can_open: Notify,
    /// There is room for more datagrams.
    pub(crate) can_send_datagram: Notify,
    /// A stream waits to be accepted.
    pub(crate) incoming: Notify,
    /// The registered protocol that the connection speaks has something to tell.
    pub(crate) notice: Notify,
}

/// Where a connection stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// The other side has yet to answer, or to be answered.
    Pending,
    Open,
    Ended(CloseCause),
}

/// What is left of a connection that is over.
#[derive(Debug)]
enum Left {
    Streams(Box<Streams>),
    Protocol(Box<dyn Semantic>),
}

/// What a connection is begun to speak.
pub(crate) enum Speaks<'a> {
    Streams,
    /// A protocol that the peer has registered under this name.
    Protocol(&'a str, Box<dyn Semantic>),
    /// One of these transports, or streams.
    Offered(TransportOffer),
}

/// A connection that the application has a handle of, that the endpoint serves, or whose last bytes are on their way.
#[derive(Debug)]
struct Peer {
    stage: Stage,
    eid: Eid,
    /// It has streams, and speaks no registered protocol.
    has_streams: bool,
    remote: Option<SocketAddr>,
    signals: Arc<Signals>,
    /// Of streams with something to note.
    slots: HashMap<StreamId, Slot, foldhash::fast::RandomState>,
    /// What the host has left behind after the end: what has arrived can still be read.
    left: Option<Left>,
    /// Nothing leaves before somebody waits, so that the first data goes into the first packet.
    held: bool,
    /// Handles that the application has, each for itself and its clones.
    ties: u32,
    /// Handles of those who answer its requests. They keep nothing open.
    serving: u32,
    /// As it asked, if the endpoint has let it in by itself, for its services: it is kept without handles.
    kept: Option<Asking>,
    /// What is held of its requests, by service.
    requests: Vec<Held>,
    /// Who follows what happens to it, if anybody ever did.
    followers: Option<broadcast::Sender<ConnectionEvent>>,
}

impl Peer {
    fn new(eid: Eid, signals: Arc<Signals>, has_streams: bool, remote: Option<SocketAddr>, held: bool) -> Peer {
        Peer {
            stage: Stage::Pending,
            eid,
            has_streams,
            remote,
            signals,
            slots: HashMap::default(),
            left: None,
            held,
            ties: 1,
            serving: 0,
            kept: None,
            requests: Vec::new(),
            followers: None,
        }
    }

    /// Nobody keeps it any more.
    const fn is_dropped(&self) -> bool {
        self.ties == 0 && self.kept.is_none()
    }

    /// Nor does anybody use it, or wait for what was written on it.
    fn is_unused(&self) -> bool {
        self.is_dropped() && self.serving == 0 && self.slots.is_empty()
    }

    /// Why what was asked for is not there, of a connection whose end was not told.
    fn missing(&self, streams: bool) -> ConnectionError {
        match &self.stage {
            Stage::Ended(cause) => cause.clone().into(),
            Stage::Pending | Stage::Open if streams != self.has_streams => ConnectionError::OtherProtocol,
            // It has just given way, and what it held was thrown away.
            Stage::Pending | Stage::Open => CloseCause::Crowded.into(),
        }
    }

    fn tell(&self, event: ConnectionEvent) {
        if let Some(followers) = &self.followers {
            // Nobody may follow any more.
            let _ = followers.send(event);
        }
    }

    fn wake_all(&mut self, wakers: &mut Vec<Waker>) {
        #[expect(clippy::iter_over_hash_type, reason = "all are woken, in whatever order")]
        for slot in self.slots.values_mut() {
            slot.wake_all(wakers);
        }
        let Signals { settled, ended, can_open, can_send_datagram, incoming, notice } = &*self.signals;
        for signal in [settled, ended, can_open, can_send_datagram, incoming, notice] {
            signal.notify_waiters();
        }
    }
}

impl Stage {
    /// Why a connection at this stage, which the host does not know any more, cannot be used.
    fn error(&self) -> ConnectionError {
        match self {
            Stage::Ended(cause) => ConnectionError::Ended(cause.clone()),
            Stage::Pending | Stage::Open => ConnectionError::Stopped,
        }
    }
}

/// The machines of an endpoint's port.
type Tenants = (Host, Option<StatelessServer>, Option<Helper>);

/// The host and its application's side.
#[derive(Debug)]
pub(crate) struct Hub {
    /// The host; what serves those who keep everything themselves, if anything does; and what passes flows of others
    /// on, if anything does. Who changes something of them has the driver poll afterwards.
    port: Port<Tenants>,
    /// Takes what the helper tells.
    pub(crate) relay_outlet: Option<RelayOutlet>,
    /// What helpers have given the endpoint.
    pub(crate) purse: Weak<Purse>,
    /// Those who wait for what tunnels bring.
    tunnel_readers: Vec<(RelayId, Waker)>,
    /// Its part of an endpoint of several threads.
    pub(crate) shard: Option<Shard>,
    /// Runs the waits of connections that nobody holds any more.
    pub(crate) runtime: Handle,
    /// Where its driver runs: on that, or on its own thread's.
    pub(crate) driven_on: Handle,
    /// What the socket is bound to.
    pub(crate) local_addr: SocketAddr,
    /// Other ways to its peers than UDP, if there are any.
    pub(crate) underlay: Option<Arc<dyn Underlay>>,
    peers: Peers,
    departed: Departed,
    /// The transports that travel, which are told how guests end.
    pub(crate) repertoire: Option<Arc<Repertoire>>,
    asking: VecDeque<Asking>,
    /// The application has asked for peers: it is the one that lets them in.
    accepts: bool,
    /// What the endpoint serves by itself.
    services: Vec<Service>,
    /// What streams have to tell. Kept for its allocation.
    told: Vec<StreamEvent>,
    /// Somebody asks to be accepted, or nobody will any more.
    pub(crate) asks: Arc<Notify>,
    /// The application has dropped or closed the endpoint: nobody is accepted any more.
    closed: bool,
    /// The driver is gone.
    stopped: bool,
    /// Writes down what happens, if anybody asked for it.
    pub(crate) observer: Option<Box<Observer>>,
}

/// What became of an attempt to use a stream.
pub(crate) enum Attempt<T> {
    Done(T),
    /// Not now: its slot's waker will be called.
    Blocked,
}

/// The endpoint and its connections.
impl Hub {
    pub(crate) fn new(tenants: Tenants, runtime: Handle, local_addr: SocketAddr) -> Hub {
        Hub {
            port: Port::new(tenants),
            relay_outlet: None,
            purse: Weak::new(),
            tunnel_readers: Vec::new(),
            shard: None,
            driven_on: runtime.clone(),
            runtime,
            local_addr,
            underlay: None,
            peers: Peers::default(),
            departed: Departed::default(),
            repertoire: None,
            asking: VecDeque::new(),
            accepts: false,
            services: Vec::new(),
            told: Vec::new(),
            asks: Arc::default(),
            closed: false,
            stopped: false,
            observer: None,
        }
    }

    /// A socket as the driver of this thread is to have it.
    pub(crate) fn with_underlay(&self, thread: usize, socket: Arc<dyn Socket>) -> Arc<dyn Socket> {
        match &self.underlay {
            Some(underlay) => underlay.wrap(thread, socket),
            None => socket,
        }
    }

    /// The host.
    pub(crate) fn host(&self) -> &Host {
        &self.port.tenants().0
    }

    /// The host, to be used.
    pub(crate) fn host_mut(&mut self) -> &mut Host {
        &mut self.port.tenants_mut().0
    }

    /// The server that keeps nothing.
    pub(crate) fn stateless(&self) -> Option<&StatelessServer> {
        self.port.tenants().1.as_ref()
    }

    /// The server that keeps nothing, to be used.
    pub(crate) fn stateless_mut(&mut self) -> Option<&mut StatelessServer> {
        self.port.tenants_mut().1.as_mut()
    }

    /// What passes flows of others on, to be used.
    pub(crate) fn relay_mut(&mut self) -> Option<&mut Helper> {
        self.port.tenants_mut().2.as_mut()
    }

    /// This task waits for what a tunnel brings; the task that waited for the same one is woken.
    pub(crate) fn await_tunnel(&mut self, tunnel: RelayId, reader: &Waker) {
        match self.tunnel_readers.iter_mut().find(|(of, _)| *of == tunnel) {
            Some((_, waker)) if waker.will_wake(reader) => {}
            Some((_, waker)) => core::mem::replace(waker, reader.clone()).wake(),
            None => self.tunnel_readers.push((tunnel, reader.clone())),
        }
    }

    /// Wakes those for whom a tunnel has brought something, or is gone.
    fn wake_tunnel_readers(&mut self, wakers: &mut Vec<Waker>) {
        let Hub { tunnel_readers, port, .. } = self;
        let Some(helper) = &port.tenants().2 else { return };
        let ready = |(tunnel, _): &mut (RelayId, Waker)| helper.has_brought(*tunnel);
        wakers.extend(tunnel_readers.extract_if(.., ready).map(|(_, waker)| waker));
    }

    /// Who may connect has changed: both machines go by the same.
    pub(crate) fn align_access(&mut self) {
        let (host, stateless, _) = self.port.tenants_mut();
        if let Some(stateless) = stateless {
            let access = host.config().access.clone();
            if !matches!(access, Access::Public) {
                stateless.renew_no_more();
            }
            stateless.set_access(Box::new(move |peer, shown: Option<&[u8]>| access.admits(peer, shown)));
        }
    }

    /// The time of day. What is due by it is done when the driver polls.
    pub(crate) fn tell_time(&mut self, now: Instant, unix: Duration) {
        if let Some(stateless) = self.stateless_mut() {
            stateless.set_clock(wall_clock(now, unix));
        }
        if self.host_mut().tell_time(now, unix.as_secs()) {
            self.align_access();
        }
    }

    /// Begins to connect, to speak structured streams if no other protocol; nothing leaves before somebody waits.
    pub(crate) fn dial(
        &mut self,
        now: Instant,
        mut target: Target,
        speaks: Speaks<'_>,
        signals: Arc<Signals>,
    ) -> Result<ConnectionId, ConnectError> {
        if self.closed || self.stopped {
            return Err(ConnectError::Closing);
        }
        if let Some(underlay) = &self.underlay {
            underlay.add_addresses(&mut target.addresses);
            if let Some(first) = target.via.first_mut() {
                let mut asked = vec![first.stop.address];
                underlay.add_addresses(&mut asked);
                first.carried = asked.split_off(1);
            }
        }
        let (has_streams, eid) = (!matches!(speaks, Speaks::Protocol(..)), target.eid);
        let host = &mut self.port.tenants_mut().0;
        let id = match speaks {
            Speaks::Streams => host.connect(now, target)?,
            Speaks::Protocol(name, protocol) => host.connect_speaking(now, target, name, protocol)?,
            Speaks::Offered(offer) => host.connect_offering(now, target, offer)?,
        };
        self.peers.insert(id, Peer::new(eid, signals, has_streams, None, true));
        Ok(id)
    }

    /// Nobody but who accepts lets peers in from now on. Those that were let in before ask, too.
    pub(crate) fn begin_accepting(&mut self) {
        self.accepts = true;
        self.asking.extend(self.peers.iter().filter_map(|(_, peer)| peer.kept));
    }

    /// The next peer that asks, or an answer that there will be none.
    pub(crate) fn next_asking(&mut self) -> Attempt<Option<Asking>> {
        match self.asking.pop_front() {
            None if self.closed || self.stopped => Attempt::Done(None),
            None => Attempt::Blocked,
            asking => Attempt::Done(asking),
        }
    }

    /// Accepts a peer, for a handle of the application's. `None` if it is not there any more.
    pub(crate) fn admit(&mut self, now: Instant, asking: Asking) -> Option<Arc<Signals>> {
        if self.stopped {
            return None;
        }
        if let Some(peer) = self.peers.get_mut(asking.id) {
            peer.kept.take()?;
            peer.ties = 1;
            return Some(Arc::clone(&peer.signals));
        }
        let host = &mut self.port.tenants_mut().0;
        host.peer(asking.id)?;
        let (has_streams, signals) = (host.protocol_name(asking.id) == Some(PROTOCOL), Arc::<Signals>::default());
        host.accept(now, asking.id);
        let peer = Peer::new(asking.eid, Arc::clone(&signals), has_streams, Some(asking.remote), false);
        self.peers.insert(asking.id, peer);
        Some(signals)
    }

    /// Refuses a peer, or closes its connection if it was let in for a service.
    pub(crate) fn turn_away(&mut self, now: Instant, asking: Asking, reason: &str) {
        match self.peers.get(asking.id) {
            Some(peer) if peer.kept.is_some() => self.port.tenants_mut().0.close(now, asking.id, 0, reason),
            Some(_) => {}
            None => self.port.tenants_mut().0.refuse(asking.id, reason),
        }
    }

    /// Has a peer ask again.
    pub(crate) fn retry(&mut self, now: Instant, asking: Asking) {
        if self.peers.contains(asking.id) {
            // It has shown what a cookie would.
            self.asking.push_back(Asking { validated: true, ..asking });
            self.asks.notify_one();
        } else {
            self.port.tenants_mut().0.retry(now, asking.id);
        }
    }

    /// Nobody is accepted from now on. Answers the connections that are to [end](Hub::give_up) after a while.
    pub(crate) fn close(&mut self, now: Instant) -> Vec<ConnectionId> {
        self.closed = true;
        while let Some(asking) = self.asking.pop_front() {
            if !self.peers.contains(asking.id) {
                self.port.tenants_mut().0.refuse(asking.id, "closing");
            }
        }
        self.asks.notify_waiters();
        self.close_services(now)
    }

    /// Whether its driver is gone.
    pub(crate) const fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Where a connection stands. An error if the driver is gone.
    pub(crate) fn stage(&self, id: ConnectionId) -> Result<Stage, ConnectionError> {
        match self.peers.get(id) {
            Some(Peer { stage: Stage::Pending | Stage::Open, .. }) if self.stopped => Err(ConnectionError::Stopped),
            Some(peer) => Ok(peer.stage.clone()),
            None => Err(ConnectionError::Stopped),
        }
    }

    /// Where the peer is, or was.
    pub(crate) fn remote(&self, id: ConnectionId) -> Option<SocketAddr> {
        self.port.tenants().0.remote_address(id).or_else(|| self.peers.get(id)?.remote)
    }

    /// What happens to a connection from now on; nothing if it is over.
    pub(crate) fn follow(&mut self, id: ConnectionId) -> broadcast::Receiver<ConnectionEvent> {
        match self.peers.get_mut(id) {
            Some(peer) if !matches!(peer.stage, Stage::Ended(_)) && !self.stopped => {
                peer.followers.get_or_insert_with(|| broadcast::Sender::new(EVENTS_KEPT)).subscribe()
            }
            _ => broadcast::Sender::new(1).subscribe(),
        }
    }

    /// The registered protocol of a connection, or what it left.
    pub(crate) fn protocol<P: Semantic>(&mut self, id: ConnectionId) -> Result<&mut P, ConnectionError> {
        match self.peers.get_mut(id) {
            None => Err(ConnectionError::Stopped),
            Some(Peer { left: Some(Left::Protocol(left)), .. }) => {
                left.downcast_mut().ok_or(ConnectionError::OtherProtocol)
            }
            Some(Peer { left: Some(Left::Streams(_)), .. }) => Err(ConnectionError::OtherProtocol),
            Some(Peer { stage, .. }) if self.stopped => Err(stage.error()),
            Some(peer) => match self.port.tenants_mut().0.protocol(id) {
                None => Err(peer.missing(false)),
                Some(protocol) => protocol.downcast_mut().ok_or(ConnectionError::OtherProtocol),
            },
        }
    }

    /// Whether something may still happen on a connection.
    pub(crate) fn expects_more(&self, id: ConnectionId) -> Result<(), ConnectionError> {
        match self.stage(id)? {
            Stage::Ended(cause) => Err(cause.into()),
            Stage::Pending | Stage::Open => Ok(()),
        }
    }

    /// How its two ends have negotiated.
    pub(crate) fn negotiation(&self, id: ConnectionId) -> Option<Negotiation> {
        self.port.tenants().0.negotiation(id).cloned()
    }

    /// What a connection speaks.
    pub(crate) fn protocol_name(&self, id: ConnectionId) -> Option<String> {
        self.port.tenants().0.protocol_name(id).map(str::to_owned)
    }

    /// Closes a connection.
    pub(crate) fn close_connection(&mut self, now: Instant, id: ConnectionId, code: u64, reason: &str) {
        self.port.tenants_mut().0.close(now, id, code, reason);
    }

    /// The application has no handle of the connection any more, in as far as this was the last. Answers whether last
    /// bytes are on their way, for which to wait a while before [closing](Hub::give_up).
    pub(crate) fn forsake(&mut self, now: Instant, id: ConnectionId) -> bool {
        let Some(peer) = self.peers.get_mut(id) else { return false };
        peer.ties -= 1;
        peer.is_dropped() && self.wind_up(now, id)
    }

    /// Ends a connection that is forsaken, once all that was written on it has arrived. Answers whether that is still
    /// to come.
    pub(super) fn wind_up(&mut self, now: Instant, id: ConnectionId) -> bool {
        let Some(peer) = self.peers.get(id) else { return false };
        if matches!(peer.stage, Stage::Ended(_)) {
            if peer.serving == 0 {
                self.peers.remove(id);
            }
            return false;
        }
        if !peer.is_unused() {
            // The last of those who use it has it looked at again.
            return true;
        }
        let host = &mut self.port.tenants_mut().0;
        // Where nobody has answered yet, only what is finished is waited for.
        let dials = peer.remote.is_none();
        let over = |streams: &Streams| streams.is_settled() || dials && !streams.delivers();
        if host.peek_streams(id).is_none_or(over) {
            host.close(now, id, 0, "");
            return false;
        }
        self.used_no_more(id);
        true
    }

    /// The last who used a forsaken connection is gone: it ends when what was written has arrived.
    pub(super) fn used_no_more(&mut self, id: ConnectionId) {
        if let Some(streams) = self.port.tenants_mut().0.streams(id) {
            streams.tell_settled();
        }
    }

    /// The wait for a forsaken connection's last bytes is over.
    pub(crate) fn give_up(&mut self, now: Instant, id: ConnectionId) {
        if self.peers.get(id).is_some_and(Peer::is_dropped) {
            self.port.tenants_mut().0.close(now, id, 0, "");
        }
    }

    fn connection_event(&mut self, now: Instant, id: ConnectionId, kind: EventKind, wakers: &mut Vec<Waker>) {
        if let EventKind::Incoming { eid, remote, validated } = kind {
            let asking = Asking { id, eid, remote, validated };
            if self.closed {
                self.port.tenants_mut().0.refuse(id, "closing");
            } else if self.serves_alone() {
                self.admit_to_services(now, asking);
            } else {
                self.asking.push_back(asking);
                self.asks.notify_one();
            }
            return;
        }
        let Some(peer) = self.peers.get_mut(id) else {
            // It was not answered in time.
            self.asking.retain(|asking| asking.id != id);
            return;
        };
        let cause = match kind {
            EventKind::Accepted { .. } | EventKind::Connected => {
                let host = &self.port.tenants().0;
                peer.stage = Stage::Open;
                // What was offered is settled now.
                peer.has_streams = host.protocol_name(id) == Some(PROTOCOL);
                peer.remote = host.remote_address(id).or(peer.remote);
                peer.signals.settled.notify_waiters();
                return;
            }
            EventKind::Notice => return peer.signals.notice.notify_waiters(),
            EventKind::ConnectFailed(error) => CloseCause::NotConnected(error),
            EventKind::Closed(cause) => cause,
            kind => {
                if let EventKind::Declined { helpers, refusal: Refusal::UnknownCapability | Refusal::Expired } = &kind
                    && let Some(purse) = self.purse.upgrade()
                {
                    purse.note_declined(helpers);
                }
                if let EventKind::Moved { remote, .. } | EventKind::PathAdded { remote, .. } = kind {
                    peer.remote = Some(remote);
                }
                if let Some(event) = ConnectionEvent::of(kind) {
                    peer.tell(event);
                }
                return;
            }
        };
        let host = &mut self.port.tenants_mut().0;
        if !peer.has_streams {
            self.departed.note(host, (id, peer), &cause, self.repertoire.as_deref());
        }
        peer.stage = Stage::Ended(cause);
        let streams = host.take_streams(id).map(|streams| Left::Streams(Box::new(streams)));
        peer.left = streams.or_else(|| host.take_protocol(id).map(Left::Protocol));
        peer.wake_all(wakers);
        peer.followers = None;
        if peer.kept.take().is_some() {
            self.asking.retain(|asking| asking.id != id);
        }
        if peer.is_dropped() && peer.serving == 0 {
            self.peers.remove(id);
        }
    }
}

impl Driven for Hub {
    type Machine = Port<Tenants>;

    fn machine(&mut self) -> &mut Self::Machine {
        &mut self.port
    }

    fn handle_event(
        &mut self,
        now: Instant,
        event: OneOf<HostEvent, Infallible, HelperEvent>,
        wakers: &mut Vec<Waker>,
    ) -> usize {
        let event = match event {
            OneOf::First(event) => event,
            OneOf::Third(event) => {
                if let Some(outlet) = &self.relay_outlet {
                    outlet.tell(now, event);
                }
                return 1;
            }
        };
        match event.kind {
            EventKind::Stream(first) => self.stream_events(now, event.connection, first, wakers),
            kind => {
                self.connection_event(now, event.connection, kind, wakers);
                1
            }
        }
    }

    fn take_handed(&mut self, driver: &Waker) -> bool {
        self.take_handed_over(driver)
    }

    fn begin_turn(&mut self, now: Instant, wakers: &mut Vec<Waker>) {
        self.begin_shard_turn(now, wakers);
    }

    fn handle_datagram(&mut self, now: Instant, datagram: Datagram<'_>, wakers: &mut Vec<Waker>) {
        if let Some(observer) = &mut self.observer {
            observer.arrived(now, &datagram, self.local_addr);
        }
        self.take_packets(now, datagram, wakers);
    }

    fn handle_backlog(&mut self, is_there_more: bool) {
        if let Some(server) = self.stateless_mut() {
            server.set_has_more(is_there_more);
        }
    }

    fn handle_leaving(&mut self, now: Instant, transmit: &Transmit, bytes: &[u8]) {
        if let Some(observer) = &mut self.observer {
            observer.take_keys(&mut self.port.tenants_mut().0);
            observer.leaving(now, transmit, bytes, self.local_addr);
        }
    }

    fn handle_polled(&mut self, now: Instant, wakers: &mut Vec<Waker>) -> bool {
        if let Some(observer) = &mut self.observer {
            let (host, stateless, _) = self.port.tenants_mut();
            observer.attend(host);
            if let Some(server) = stateless {
                observer.attend_stateless(|watch| watch.server(now, server.stats()));
            }
        }
        self.wake_tunnel_readers(wakers);
        self.end_shard_turn(now, wakers)
    }

    fn handle_stop(&mut self, wakers: &mut Vec<Waker>) {
        if let Some(observer) = &mut self.observer {
            observer.flush();
        }
        self.leave_shards();
        self.stopped = true;
        self.closed = true;
        self.asking.clear();
        self.asks.notify_waiters();
        wakers.extend(self.tunnel_readers.drain(..).map(|(_, waker)| waker));
        for (_, peer) in self.peers.iter_mut() {
            peer.wake_all(wakers);
            peer.followers = None;
        }
        for service in &self.services {
            service.wake();
        }
    }

    fn is_finished(&self) -> bool {
        self.closed && self.port.tenants().0.is_empty()
    }
}

impl Locked<'_, Hub> {
    /// Has what was done on a connection sent soon.
    pub(crate) fn changed(&mut self, id: ConnectionId) {
        if !self.peers.get(id).is_some_and(|peer| peer.held) {
            self.wake_driver();
        }
    }

    /// Somebody waits for something on a connection: nothing is held back any more.
    pub(crate) fn waits(&mut self, id: ConnectionId) {
        if let Some(peer) = self.peers.get_mut(id)
            && core::mem::take(&mut peer.held)
        {
            self.wake_driver();
        }
    }
}
