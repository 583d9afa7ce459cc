//! Endpoints: one identity, one address, many connections.

use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::SystemTime;

use tng_base::{Eid, Semantic};
use tng_crypto::{Secret32, Zeroizing};
use tng_stack::structured::ServiceOptions;
use tng_stack::{
    Access, Capability, CloseCause, ConnectError, Identity, Introduction, ListedTicket, Mapping, NOT_HERE, Target,
    TicketId, Tickets, TransportOffer,
};
use tng_stp_abi::Role;
use tng_trickles::replay::HandedError;
use tng_trickles::server::{CachesCounts, ServerStats};
use tng_trickles::{EpochSecrets, KeysError};
use tokio::runtime::Handle;

use crate::address::{local_addresses, on_every_link, told_addresses};
use crate::builder::{Builder, bind, check_names};
#[cfg(feature = "carrier")]
use crate::carrier::CarrierHandle;
use crate::connection::{Connecting, Connection, linger};
use crate::driver::Driver;
use crate::error::{BindError, IssueError};
use crate::guest::{GuestAccount, GuestConnectError, GuestConnection, Offered, is_of_guests};
use crate::help::Purse;
use crate::hub::{Attempt, HandedCounters, Hub, Shards, Speaks};
use crate::incoming::Incoming;
use crate::lock::{Clock, Shared};
use crate::outbox::SendCounters;
use crate::pipe::{Pipe, PipeError};
use crate::registry::{Found, Registries};
use crate::relay::Relay;
use crate::socket::{Socket, UdpSocket};
use crate::speaking::Speaking;
use crate::stateless::StatelessServer;
use crate::threads::{self, Lane, Work, register};
use crate::ticket::{Ticket, TicketFull};

/// 32 bytes that nobody can guess, from the operating system: for an [`Identity`](crate::Identity), or a capability.
///
/// # Errors
/// If the system has none to give.
pub fn random_seed() -> std::io::Result<Secret32> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut seed[..])?;
    Ok(Secret32::from_bytes(*seed))
}

/// The ticket that [`Endpoint::ticket`] gives.
const STANDING: TicketId = TicketId(0);
/// How often a host with tickets is told the time of day.
pub const TIME_TOLD_EVERY: Duration = Duration::from_secs(1);

#[expect(clippy::disallowed_methods, reason = "tickets expire by the time of day")]
pub(crate) fn time_of_day() -> SystemTime {
    SystemTime::now()
}

/// The time since 1970.
pub(crate) fn unix(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Tells an endpoint's threads the time of day for as long as one is there, and has tickets or seals with keys of the
/// day.
async fn tell_time(shards: Vec<Weak<Shared<Hub>>>) {
    loop {
        tokio::time::sleep(TIME_TOLD_EVERY).await;
        let mut wanted = false;
        for shared in shards.iter().filter_map(Weak::upgrade) {
            let mut hub = shared.lock();
            if hub.stateless().is_none() && !matches!(hub.host().config().access, Access::Tickets(_)) {
                continue;
            }
            wanted = true;
            let now = hub.now();
            hub.tell_time(now, unix(time_of_day()));
            hub.wake_driver();
        }
        if !wanted {
            return;
        }
    }
}

/// What every handle of an endpoint shares.
struct Door {
    /// One for each thread.
    shards: Box<[Arc<Shared<Hub>>]>,
    /// The threads' runtimes; none of an endpoint that is on the application's.
    lanes: Box<[Handle]>,
    common: Arc<Shards>,
    steered: bool,
    asked: bool,
    /// Whose turn it is to begin a connection, and to be asked for a peer.
    turn: AtomicUsize,
    /// Held while who may come in is changed at all of them.
    changing: Mutex<()>,
    /// The application has begun to let peers in itself, at all of them.
    accepting: Once,
    identity: Identity,
    guests: Arc<Offered>,
    /// What helpers have given; its renewals end with it.
    purse: Arc<Purse>,
    /// Who is asked for hosts, and where this one is registered; that ends with it.
    registries: Registries,
    stateless_lost: Option<HandedError>,
    #[cfg(feature = "carrier")]
    carriers: Option<CarrierHandle>,
}

impl Drop for Door {
    fn drop(&mut self) {
        for shared in &self.shards {
            let mut hub = shared.lock();
            let now = hub.now();
            let (lingering, runtime) = (hub.close(now), hub.runtime.clone());
            hub.wake_driver();
            drop(hub);
            if !lingering.is_empty() {
                linger(shared, &runtime, lingering);
            }
        }
    }
}

/// What an endpoint begins with.
pub(crate) struct Beginning {
    pub(crate) hubs: Vec<Hub>,
    pub(crate) sockets: Vec<Arc<dyn Socket>>,
    /// As many, or none for an endpoint on the application's runtime.
    pub(crate) lanes: Vec<Lane>,
    pub(crate) shards: Arc<Shards>,
    pub(crate) steered: bool,
    /// The system is asked to steer.
    pub(crate) asked: bool,
    pub(crate) busy_poll: Duration,
    pub(crate) guests: Arc<Offered>,
    pub(crate) purse: Purse,
    pub(crate) registries: Registries,
    pub(crate) identity: Identity,
    pub(crate) stateless_lost: Option<HandedError>,
    #[cfg(feature = "carrier")]
    pub(crate) carriers: Option<CarrierHandle>,
}

/// One identity on one socket: connects to peers and accepts them. Cheap to clone; every clone is the same endpoint.
///
/// When the last handle is dropped nobody is accepted and no request is taken any more. Connections go on for as long
/// as they have handles of their own; the socket closes after the last of them.
#[derive(Clone)]
pub struct Endpoint {
    door: Arc<Door>,
}

/// An endpoint, if it is still there.
pub(crate) struct WeakEndpoint(Weak<Door>);

impl WeakEndpoint {
    pub(crate) fn upgrade(&self) -> Option<Endpoint> {
        self.0.upgrade().map(|door| Endpoint { door })
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("eid", &self.eid()).field("local_addr", &self.local_addr()).finish()
    }
}

impl Endpoint {
    /// Has `serve` done, then starts the drivers, and what tells the time of day if that is wanted.
    pub(crate) fn begin<T>(
        beginning: Beginning,
        runtime: &Handle,
        serve: impl FnOnce(&Endpoint) -> Result<T, BindError>,
    ) -> Result<(Endpoint, T), BindError> {
        let Beginning {
            mut hubs,
            sockets,
            lanes,
            shards: common,
            steered,
            asked,
            busy_poll,
            guests,
            purse,
            registries,
            identity,
            stateless_lost,
            #[cfg(feature = "carrier")]
            carriers,
        } = beginning;
        let purse = Arc::new(purse);
        let host = hubs[0].host();
        let tickets = matches!(host.config().access, Access::Tickets(_));
        let wants_time = tickets || hubs[0].stateless().is_some();
        let (clock, asks) = (Clock::start(), Arc::clone(&hubs[0].asks));
        for hub in &mut hubs {
            hub.asks = Arc::clone(&asks);
            hub.purse = Arc::downgrade(&purse);
        }
        let shards: Box<[_]> = hubs.into_iter().map(|hub| Arc::new(Shared::by(hub, clock))).collect();
        let handles = lanes.iter().map(Lane::handle).collect();
        let (turn, changing, accepting) = (AtomicUsize::new(0), Mutex::new(()), Once::new());
        let door = Door {
            shards,
            lanes: handles,
            common,
            steered,
            asked,
            turn,
            changing,
            accepting,
            identity,
            guests,
            purse,
            registries,
            stateless_lost,
            #[cfg(feature = "carrier")]
            carriers,
        };
        let endpoint = Endpoint { door: Arc::new(door) };
        let served = serve(&endpoint)?;
        if lanes.is_empty() {
            let driven = endpoint.shards().iter().zip(sockets);
            for (shared, socket) in driven {
                runtime.spawn(Driver::new(Arc::clone(shared), socket).busy_poll(busy_poll));
            }
        } else {
            let works = lanes.into_iter().zip(sockets).zip(endpoint.shards());
            let work = |((lane, socket), shared): ((_, _), &Arc<_>)| Work {
                lane,
                shared: Arc::clone(shared),
                socket,
                busy_poll,
            };
            threads::start(works.map(work).collect(), runtime).map_err(BindError::System)?;
        }
        if wants_time {
            runtime.spawn(tell_time(endpoint.shards().iter().map(Arc::downgrade).collect()));
        }
        Ok((endpoint, served))
    }

    /// How many threads drive it.
    pub fn threads(&self) -> usize {
        self.door.shards.len()
    }

    /// Whether all its threads are there: one that failed, by a fault of its own, is not.
    pub fn is_running(&self) -> bool {
        self.shards().iter().all(|shared| !shared.lock().is_stopped())
    }

    /// Whether the system brings each packet to the thread that it is for. Else the threads hand them to each other.
    pub fn is_steered(&self) -> bool {
        self.door.steered
    }

    /// What its threads have handed to each other.
    pub fn handed(&self) -> HandedCounters {
        self.door.common.counters()
    }

    /// The first thread's, for what is the same with all.
    fn first(&self) -> &Arc<Shared<Hub>> {
        &self.door.shards[0]
    }

    /// Begins to connect, on the next thread that is there.
    fn begin_dial(&self, mut target: Target, speaks: Speaks<'_>) -> Result<Connecting, ConnectError> {
        target.addresses = on_every_link(target.addresses);
        let (shards, turn) = (&self.door.shards, self.door.turn.fetch_add(1, Ordering::Relaxed));
        let in_turn = |offset: usize| &shards[turn.wrapping_add(offset) % shards.len()];
        let there = (0..shards.len()).map(in_turn).find(|shared| !shared.lock().is_stopped());
        Connecting::dial(there.unwrap_or(&shards[0]), target, speaks)
    }

    /// Begins an endpoint.
    ///
    /// ```
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = tng::Endpoint::builder()
    ///     .bind("127.0.0.1:0".parse()?)
    ///     .access(tng::Access::Public)
    ///     .listen("echo", "bytes", tng::ServiceOptions::default())
    ///     .build()
    ///     .await?;
    /// println!("{} at {}", server.eid(), server.local_addr());
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// What helpers have given it.
    pub(crate) fn purse(&self) -> &Purse {
        &self.door.purse
    }

    /// Who is asked for hosts, and where this one is registered.
    pub(crate) fn registries(&self) -> &Registries {
        &self.door.registries
    }

    /// What signs for this endpoint.
    pub(crate) fn identity(&self) -> &Identity {
        &self.door.identity
    }

    /// The runtime on which it was built.
    pub(crate) fn runtime(&self) -> Handle {
        self.first().lock().runtime.clone()
    }

    /// The endpoint, for who does not keep it.
    pub(crate) fn downgrade(&self) -> WeakEndpoint {
        WeakEndpoint(Arc::downgrade(&self.door))
    }

    /// A helper has given a fresh capability: all threads' connections through it go by that.
    pub(crate) fn renew(&self, helper: Eid, capability: &Capability) {
        for shared in self.shards() {
            let mut hub = shared.lock();
            hub.host_mut().renew(helper, capability);
            hub.wake_driver();
        }
    }

    /// What its handles share with its drivers, one for each thread.
    pub(crate) fn shards(&self) -> &[Arc<Shared<Hub>>] {
        &self.door.shards
    }

    /// This endpoint's identity.
    pub fn eid(&self) -> Eid {
        self.door.identity.eid()
    }

    /// The address that it is bound to.
    pub fn local_addr(&self) -> SocketAddr {
        self.first().lock().local_addr
    }

    /// The addresses at which this endpoint may be reached from this host's networks, the widest first, the loopback
    /// last. Addresses that a NAT gives it are not known here.
    pub fn local_addresses(&self) -> Vec<SocketAddr> {
        local_addresses(self.local_addr())
    }

    /// Offers another service, to the peers of connections made from now on.
    ///
    /// # Errors
    /// If a name is too long.
    pub fn listen(&self, service: &str, protocol: &str, options: ServiceOptions) -> Result<(), BindError> {
        check_names(service, protocol)?;
        for shared in self.shards() {
            shared.lock().host_mut().listen(service, protocol, options);
        }
        Ok(())
    }

    /// How to reach this endpoint from this host's networks, with the capability that opens it if one is needed. With
    /// [`Access::Tickets`] it is the same one each time, and good until it is [revoked](Endpoint::revoke).
    ///
    /// # Errors
    /// If the capability is longer than any that can be shown.
    pub fn ticket(&self) -> Result<Ticket, TicketFull> {
        let (capability, tickets) = match &self.first().lock().host().config().access {
            Access::Capability(capability) => (capability.clone(), false),
            access => (Vec::new(), matches!(access, Access::Tickets(_))),
        };
        let standing = |tickets: &mut Tickets| {
            let _ = tickets.get(STANDING).is_some()
                || tickets.list(STANDING, ListedTicket { generation: 1, expires_s: None });
            tickets.capability(STANDING)
        };
        let capability = if tickets { self.change(standing).flatten().ok_or(TicketFull)? } else { capability };
        self.ticket_of(capability)
    }

    /// A new ticket, for [`Access::Tickets`], that expires at `expires`, to the second: nobody comes in with it
    /// afterwards, and clients that came in are shown out; those of a server that keeps nothing, within two
    /// [epochs](crate::trickles::EPOCH). `None` is never.
    ///
    /// # Errors
    /// If there are too many tickets, or it is not tickets that open this endpoint.
    pub fn issue(&self, expires: Option<SystemTime>) -> Result<Ticket, IssueError> {
        let seed = random_seed().map_err(IssueError::System)?;
        let id = TicketId(u64::from_be_bytes(core::array::from_fn(|i| seed.expose()[i])));
        let expires_s = expires.map(|expires| unix(expires).as_secs());
        let capability = self.change(|tickets| {
            let listed = tickets.list(id, ListedTicket { generation: 1, expires_s });
            listed.then(|| tickets.capability(id)).flatten()
        });
        let capability = capability.ok_or(IssueError::NoTickets)?.ok_or(IssueError::TooMany)?;
        Ok(self.ticket_of(capability).expect("the capability of a ticket is shorter than any may be"))
    }

    /// Makes a ticket worthless, and shows those out who came in with it, as [`issue`](Endpoint::issue) says. Answers
    /// whether it was good.
    pub fn revoke(&self, ticket: &Ticket) -> bool {
        let revoked = self.change(|tickets| match tickets.check(ticket.capability()) {
            // The next call that asks for it finds another one.
            Ok(STANDING) => {
                let generation = tickets.get(STANDING).map_or(1, |listed| listed.generation.wrapping_add(1));
                tickets.list(STANDING, ListedTicket { generation, expires_s: None })
            }
            Ok(id) => tickets.revoke(id),
            Err(_) => false,
        });
        revoked.unwrap_or(false)
    }

    /// Replaces who may connect. Peers that are there and might not come in any more are shown out, as
    /// [`issue`](Endpoint::issue) says.
    pub fn set_access(&self, access: Access) {
        let _changing = self.door.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut wants_time, is_told) = (false, matches!(access, Access::Tickets(_)));
        for shared in self.shards() {
            let mut hub = shared.lock();
            let (now, before) = (hub.now(), matches!(hub.host().config().access, Access::Tickets(_)));
            wants_time |= !before && hub.stateless().is_none() && is_told;
            hub.host_mut().set_access(now, access.clone());
            hub.tell_time(now, unix(time_of_day()));
            hub.align_access();
            hub.wake_driver();
        }
        if wants_time {
            let runtime = self.first().lock().runtime.clone();
            runtime.spawn(tell_time(self.shards().iter().map(Arc::downgrade).collect()));
        }
    }

    /// Changes the tickets of the first thread, and has the others go by the same.
    fn change<T>(&self, change: impl FnOnce(&mut Tickets) -> T) -> Option<T> {
        let _changing = self.door.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let (changed, access) = {
            let mut hub = self.first().lock();
            let now = hub.now();
            let changed = hub.host_mut().change_tickets(now, change)?;
            hub.align_access();
            hub.wake_driver();
            (changed, hub.host().config().access.clone())
        };
        for shared in &self.shards()[1..] {
            let mut hub = shared.lock();
            let now = hub.now();
            hub.host_mut().set_access(now, access.clone());
            hub.align_access();
            hub.wake_driver();
        }
        Some(changed)
    }

    fn ticket_of(&self, capability: Vec<u8>) -> Result<Ticket, TicketFull> {
        Ticket::new(self.eid(), told_addresses(self.local_addr()), capability)
    }

    /// Connects, to the host of a [`Ticket`], or another [`Target`]. One that has no address, such as an EID alone, is
    /// [looked up](Endpoint::look_up) first, if there are [registries](Builder::registry), which then
    /// [see to it](Endpoint::meet) that it is reached wherever it is.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn connect(&self, target: impl Into<Target>) -> Result<Connection, ConnectError> {
        let (target, found) = self.located(target.into()).await?;
        self.meeting(self.dial(target)?, found).await
    }

    /// A connection that begins, looked after if its host was found at a registry.
    fn meeting(&self, connecting: Connecting, found: Option<Found>) -> Connecting {
        if let Some(found) = found {
            self.meet(connecting.connection(), found);
        }
        connecting
    }

    /// Begins to connect. See [`Connecting`] for what can be done before awaiting it.
    ///
    /// # Errors
    /// If the target has no address, or the endpoint is closing.
    pub fn dial(&self, target: impl Into<Target>) -> Result<Connecting, ConnectError> {
        self.begin_dial(target.into(), Speaks::Streams)
    }

    /// Connects, to speak the protocol that the peer has [registered](Builder::register) under this name; `protocol` is
    /// this end of it. What it has to say already rides in the first packet.
    ///
    /// # Errors
    /// See [`ConnectError`]; a peer that does not speak the protocol refuses with code 4.
    pub async fn connect_speaking<P: Semantic>(
        &self,
        target: impl Into<Target>,
        name: &str,
        protocol: P,
    ) -> Result<Speaking<P>, ConnectError> {
        let (target, found) = self.located(target.into()).await?;
        let connecting = self.begin_dial(target, Speaks::Protocol(name, Box::new(protocol)))?;
        Ok(Speaking::new(self.meeting(connecting, found).await?))
    }

    /// Begins to connect as [`dial`](Endpoint::dial), to speak one of these transports with a service if the peer runs
    /// it, and structured streams if not. It takes no round trip more. What came of it
    /// [`Connection::negotiation`] tells; [`pipe`](Endpoint::pipe) does what is usually done then.
    ///
    /// # Errors
    /// As [`dial`](Endpoint::dial), and if the offer is none that may be sent.
    pub fn dial_offering(&self, target: impl Into<Target>, offer: TransportOffer) -> Result<Connecting, ConnectError> {
        self.begin_dial(target.into(), Speaks::Offered(offer))
    }

    /// Connects as [`dial_offering`](Endpoint::dial_offering), and by structured streams if there is no room here any
    /// more for the transport that the peer agrees to, or if a guest ends the connection before anybody has it.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn connect_offering(
        &self,
        target: impl Into<Target>,
        offer: TransportOffer,
    ) -> Result<Connection, ConnectError> {
        let (target, found) = self.located(target.into()).await?;
        match self.meeting(self.dial_offering(target.clone(), offer)?, found.clone()).await {
            Err(error) if is_for_want_of_a_guest(&error) => self.meeting(self.dial(target)?, found).await,
            connected => connected,
        }
    }

    /// Connects and opens a pipe to the service that the offer names: by one of the transports that it offers if the
    /// peer runs it, or by a stream that speaks `protocol`. It takes as many round trips either way.
    ///
    /// # Errors
    /// See [`PipeError`].
    pub async fn pipe(
        &self,
        target: impl Into<Target>,
        offer: TransportOffer,
        protocol: &str,
    ) -> Result<Pipe, PipeError> {
        Pipe::begin(self, target.into(), offer, protocol).await
    }

    /// Connects by a transport that is a guest, which both ends have [under this name](Builder::transport).
    ///
    /// # Errors
    /// See [`GuestConnectError`]; a peer that does not have the transport refuses with code 4.
    pub async fn connect_transport(
        &self,
        target: impl Into<Target>,
        name: &str,
    ) -> Result<GuestConnection, GuestConnectError> {
        let Offered { codes, workshop, .. } = &*self.door.guests;
        let Some(code) = codes.iter().find(|code| code.name() == name) else {
            let known = codes.iter().map(|code| code.name().to_owned()).collect();
            return Err(GuestConnectError::Unknown { name: name.to_owned(), known });
        };
        let transport = workshop.transport(code, Role::Initiator).map_err(GuestConnectError::Guest)?;
        Ok(GuestConnection::new(self.connect_speaking(target, &code.protocol(), transport).await?))
    }

    /// What the guests have used and done that are at work here, and the last
    /// [`GUESTS_KEPT`](crate::GUESTS_KEPT) of each thread that were; then those that regulate
    /// ([`Builder::advised`](crate::Builder::advised)), and the last of them that were stopped.
    pub fn guests(&self) -> Vec<GuestAccount> {
        let of = |shared: &Arc<Shared<Hub>>| {
            let mut hub = shared.lock();
            let accounts = hub.guests();
            hub.wake_driver();
            accounts
        };
        self.shards().iter().flat_map(of).chain(self.door.guests.advised()).collect()
    }

    /// Waits for the next peer that asks to connect and has access. `None` when the endpoint is closed.
    ///
    /// From the first call on nobody else lets peers in. Those that were let in for a [service](Endpoint::serve)
    /// before, and are still there, come first.
    pub async fn accept(&self) -> Option<Incoming> {
        let begin = || self.shards().iter().for_each(|shared| shared.lock().begin_accepting());
        self.door.accepting.call_once(begin);
        let asks = Arc::clone(&self.first().lock().asks);
        loop {
            let asked = asks.notified();
            let (shards, turn) = (self.shards(), self.door.turn.fetch_add(1, Ordering::Relaxed));
            let mut open = false;
            for at in 0..shards.len() {
                let shared = &shards[turn.wrapping_add(at) % shards.len()];
                match shared.lock().next_asking() {
                    Attempt::Done(Some(asking)) => {
                        // One notice may stand for several threads' peers.
                        if shards.len() > 1 {
                            asks.notify_one();
                        }
                        return Some(Incoming::new(shared, asking));
                    }
                    Attempt::Done(None) => {}
                    Attempt::Blocked => open = true,
                }
            }
            if !open {
                return None;
            }
            asked.await;
        }
    }

    /// Moves to another address: the network under this host has changed, or the port is to. Connections, their streams
    /// and what is on its way survive, and so does its [`place`](Builder::place); the peers see
    /// [`ConnectionEvent::Moved`](crate::ConnectionEvent::Moved).
    ///
    /// # Errors
    /// If the address cannot be bound; the endpoint stays where it was. See [`BindError`].
    pub fn rebind(&self, addr: SocketAddr) -> Result<(), BindError> {
        if self.door.lanes.is_empty() {
            return self.rebind_to(bind(addr)?);
        }
        let failed = |source| BindError::Address { addr, source };
        let lanes = &self.door.lanes;
        let (sockets, _) = UdpSocket::bind_several(addr, lanes.len(), self.door.asked).map_err(failed)?;
        let mut bound = Vec::new();
        for ((socket, lane), shared) in sockets.into_iter().zip(lanes).zip(self.shards()) {
            match register(socket, lane) {
                // It is closed, as the one was that its thread had: what would come to it comes to the others.
                Err(_) if shared.lock().is_stopped() => bound.push(None),
                socket => bound.push(Some(socket.map_err(failed)?)),
            }
        }
        let Some(socket) = bound.iter().flatten().next() else { return Ok(()) };
        let local_addr = socket.local_addr().map_err(BindError::System)?;
        for ((thread, shared), socket) in self.shards().iter().enumerate().zip(bound) {
            let mut hub = shared.lock();
            hub.local_addr = local_addr;
            if let Some(socket) = socket {
                let socket = hub.with_underlay(thread, socket);
                hub.rebind(socket);
            }
        }
        Ok(())
    }

    /// Moves to another socket, as [`rebind`](Endpoint::rebind) does.
    ///
    /// # Errors
    /// If the socket does not know its address, or the endpoint is driven by several threads, which cannot share it.
    pub fn rebind_to(&self, socket: Arc<dyn Socket>) -> Result<(), BindError> {
        if self.threads() > 1 {
            return Err(BindError::Threads);
        }
        let local_addr = socket.local_addr().map_err(BindError::System)?;
        let mut hub = self.first().lock();
        hub.local_addr = local_addr;
        let socket = hub.with_underlay(0, socket);
        hub.rebind(socket);
        Ok(())
    }

    /// Tells the endpoint, bound to the unspecified address, that its host has a further address: connections that it
    /// began and that are in use go on over a channel from there, beside the old address for as long as that lasts, and
    /// without a gap. When an address goes, [`rebind`](Endpoint::rebind).
    pub fn note_address(&self, address: IpAddr) {
        for shared in self.shards() {
            shared.lock().note_address(address);
        }
    }

    /// Somebody has introduced this host and another to each other: each sends a few small datagrams to where the other
    /// was seen, so that the NATs between let pass what comes from there. A connection that goes by way of helpers
    /// which are there [only to reach](crate::Via::only_to_reach) the other host is asked for a direct path, and goes
    /// on there as soon as that opens. Call it at both ends; at the one that connects, after
    /// [`dial`](Endpoint::dial). Answers whether the introduction is heeded: how often is bounded.
    pub fn introduced(&self, introduction: &Introduction) -> bool {
        let holds = |shared: &&Arc<Shared<Hub>>| {
            let hub = shared.lock();
            hub.host().connections().any(|id| hub.host().peer(id) == Some(introduction.eid))
        };
        let shared = self.shards().iter().find(holds).unwrap_or_else(|| self.first());
        let mut hub = shared.lock();
        let now = hub.now();
        let heeded = hub.host_mut().introduced(now, introduction);
        hub.wake_driver();
        heeded
    }

    /// Somebody at `observer` tells where this host is seen now. Two who do tell what the NAT before it is like:
    /// [`Connection::relayed`] says so.
    ///
    /// [`Connection::relayed`]: crate::Connection::relayed
    pub fn note_seen(&self, observer: SocketAddr, seen: SocketAddr) {
        for shared in self.shards() {
            shared.lock().host_mut().note_seen(observer, seen);
        }
    }

    /// What the NAT before this host does, as far as [others have told](Endpoint::note_seen).
    pub fn mapping(&self) -> Mapping {
        self.first().lock().host().mapping()
    }

    /// Its carriers, if it takes or begins any ([`Builder::carrier`](crate::Builder::carrier)).
    #[cfg(feature = "carrier")]
    pub fn carriers(&self) -> Option<&CarrierHandle> {
        self.door.carriers.as_ref()
    }

    /// What passes flows of others on here, if anything does ([`Builder::relay`](crate::Builder::relay)).
    pub fn relay(&self) -> Option<Relay> {
        let first = self.first().lock();
        let told = first.relay_outlet.as_ref().map(|outlet| outlet.told.clone())?;
        drop(first);
        Some(Relay::new(self.shards().into(), told))
    }

    /// What the endpoint has done for those who keep everything themselves, if it serves them.
    pub fn stateless_stats(&self) -> Option<ServerStats> {
        self.stateless_threads().into_iter().reduce(ServerStats::and)
    }

    /// The same for each of its threads.
    pub fn stateless_threads(&self) -> Vec<ServerStats> {
        self.shards().iter().filter_map(|shared| shared.lock().stateless().map(|server| *server.stats())).collect()
    }

    /// Bytes that it holds for all of them together: the same whichever clients ask and however many they are.
    pub fn stateless_held(&self) -> usize {
        self.shards().iter().filter_map(|shared| shared.lock().stateless().map(StatelessServer::held)).sum()
    }

    /// What caches have done and hold that help to serve them, if there are any.
    pub fn stateless_caches(&self) -> CachesCounts {
        let all = self.shards().iter().filter_map(|shared| shared.lock().stateless().map(StatelessServer::caches));
        all.reduce(CachesCounts::and).unwrap_or_default()
    }

    /// To how many packets under way each of them is held at present, by the thread that has the most to do; none if
    /// they are not.
    pub fn stateless_window_max(&self) -> Option<u64> {
        self.shards().iter().filter_map(|shared| shared.lock().stateless()?.window_max()).min()
    }

    /// How much the endpoint has to do for them, from 0 to 1: beyond one half it grants less.
    pub fn set_stateless_load(&self, load: f64) {
        for shared in self.shards() {
            if let Some(server) = shared.lock().stateless_mut() {
                server.set_load(load);
            }
        }
    }

    /// The secrets of the fleet were rotated: what it serves those who keep everything themselves with from now on.
    ///
    /// # Errors
    /// [`KeysError`]: they are of another time, and what was before holds.
    pub fn set_stateless_secrets(&self, secrets: &EpochSecrets) -> Result<(), KeysError> {
        for shared in self.shards() {
            let mut hub = shared.lock();
            let now = hub.now();
            if let Some(server) = hub.stateless_mut() {
                server.set_secrets(now, secrets.duplicate())?;
            }
        }
        Ok(())
    }

    /// Judges no request of theirs from now on, and answers what the endpoint that takes its place is to know, for
    /// [`StatelessService::taking_over`](crate::StatelessService::taking_over): what is spent, thread by thread.
    pub fn retire_stateless(&self) -> Vec<Vec<u8>> {
        let retire = |shared: &Arc<Shared<Hub>>| {
            let mut hub = shared.lock();
            let now = hub.now();
            let handed = hub.stateless_mut().map(|server| server.retire(now));
            hub.wake_driver();
            handed
        };
        self.shards().iter().filter_map(retire).collect()
    }

    /// Why what an earlier endpoint has handed over was not taken, if it was not: it is as after a crash, and what was
    /// given out before is good for a timeout.
    pub fn stateless_lost(&self) -> Option<HandedError> {
        self.door.stateless_lost
    }

    /// What has gone out through its sockets.
    pub fn sent(&self) -> SendCounters {
        self.shards().iter().map(|shared| shared.lock().sent()).fold(SendCounters::default(), SendCounters::and)
    }

    /// Why a trace, a key log or a capture is not written any more, once. The endpoint goes on without it.
    pub fn take_observer_failure(&self) -> Option<std::io::Error> {
        self.first().lock().observer.as_mut()?.take_failure()
    }

    /// Closes the endpoint and all its connections with code 0, and waits until the peers' notices are out. What
    /// streams have not delivered is lost; [`finish`](crate::SendStream::finish) them first. Where it is registered
    /// nobody finds it any more: that is told before, for half a second at most.
    pub async fn close(&self) {
        self.registries().withdraw().await;
        let close = |shared: &Arc<Shared<Hub>>| {
            let mut hub = shared.lock();
            let now = hub.now();
            hub.close(now);
            hub.host_mut().close_all(now, 0, "");
            hub.flushed()
        };
        let flushed: Vec<_> = self.shards().iter().map(close).collect();
        for flushed in flushed {
            // Without a driver nothing goes out any more.
            let _ = flushed.await;
        }
        let underlay = self.first().lock().underlay.clone();
        if let Some(underlay) = underlay {
            underlay.flushed().await;
        }
        if let Some(observer) = &mut self.first().lock().observer {
            observer.flush();
        }
    }
}

/// Whether a connection has not come about because a guest of one of its ends is not there, or was stopped at once.
fn is_for_want_of_a_guest(error: &ConnectError) -> bool {
    match error {
        ConnectError::Rejected(violation) => *violation == NOT_HERE,
        ConnectError::ProtocolFailed(_) => true,
        ConnectError::Ended(cause) => matches!(**cause, CloseCause::Peer { code, .. } if is_of_guests(code)),
        _ => false,
    }
}
