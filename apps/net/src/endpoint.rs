//! Endpoints: one identity, one socket, many connections.

use core::fmt;
use core::time::Duration;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::SystemTime;

use tng_base::{Eid, Instant, Semantic};
use tng_congestion::Controllers;
use tng_crypto::{Secret32, Zeroizing};
use tng_stack::structured::{NAME_MAX, ServiceOptions};
use tng_stack::{
    Access, ConnectError, ExchangeLimits, Factory, FactoryError, Host, HostConfig, Identity, Keep, ListedTicket,
    Proposal, Target, TicketId, Tickets,
};
use tng_trickles::client::{ClientConfig, Policy};
use tng_trickles::server::ServerStats;
use tokio::runtime::Handle;

use crate::address::local_addresses;
use crate::connection::{Connecting, Connection};
use crate::driver::Driver;
use crate::error::{BindError, IssueError};
use crate::hub::{Attempt, Hub};
use crate::incoming::Incoming;
use crate::lock::Shared;
use crate::observer::{Observing, Stateless};
use crate::outbox::SendCounters;
use crate::socket::{Socket, UdpSocket};
use crate::speaking::Speaking;
use crate::stateless::StatelessService;
use crate::stateless_client::{Calling, StatelessClient};
use crate::ticket::{Ticket, TicketFull};

/// 32 bytes that nobody can guess, from the operating system: for an [`Identity`], or a capability.
///
/// # Errors
/// If the system has none to give.
pub fn random_seed() -> std::io::Result<Secret32> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(&mut seed[..])?;
    Ok(Secret32::from_bytes(*seed))
}

/// Protocols to register.
#[derive(Default)]
struct Protocols(Vec<(String, Arc<Factory>)>);

impl fmt::Debug for Protocols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Makes an [`Endpoint`]. See [`Endpoint::builder`].
#[derive(Debug)]
pub struct Builder {
    identity: Option<Identity>,
    addr: SocketAddr,
    socket: Option<Arc<dyn Socket>>,
    config: HostConfig,
    /// Under what name the controller is asked for, and what may be asked for.
    controller: Option<String>,
    controllers: Controllers,
    services: Vec<(String, String, ServiceOptions)>,
    protocols: Protocols,
    observing: Observing,
    stateless: Option<StatelessService>,
}

impl Builder {
    fn new() -> Builder {
        let mut config = HostConfig::new(Access::Nobody);
        config.auto_accept = false;
        let addr = SocketAddr::new(std::net::Ipv6Addr::UNSPECIFIED.into(), 0);
        Builder {
            identity: None,
            addr,
            socket: None,
            config,
            controller: None,
            controllers: Controllers::default(),
            services: Vec::new(),
            protocols: Protocols::default(),
            observing: Observing::default(),
            stateless: None,
        }
    }

    /// Who the endpoint is. Without it: a new identity, which nobody has heard of.
    pub fn identity(mut self, identity: Identity) -> Builder {
        self.identity = Some(identity);
        self
    }

    /// The address to bind to. Without it: any free port of every address, IPv6 and IPv4.
    pub fn bind(mut self, addr: SocketAddr) -> Builder {
        self.addr = addr;
        self
    }

    /// A socket to use instead of binding one.
    pub fn socket(mut self, socket: Arc<dyn Socket>) -> Builder {
        self.socket = Some(socket);
        self
    }

    /// Where the endpoint is, in any words: the same after a restart, and different from those of every other endpoint
    /// with this identity. Its stateless resets, which tell peers that a restarted endpoint has forgotten them, go by
    /// it. Without it: [`place_of`] the address that it is bound to first, which two machines without `/etc/machine-id`
    /// may share.
    pub fn place(mut self, place: impl Into<Vec<u8>>) -> Builder {
        self.config.place = place.into();
        self
    }

    /// Who may connect. Without it: nobody.
    pub fn access(mut self, access: Access) -> Builder {
        self.config.access = access;
        self
    }

    /// Keeps silent towards who does not show that it knows this endpoint's EID: to a scanner it is not there. Else an
    /// INIT for another host is answered with this one's EID, which explains a mistake, and packets of forgotten
    /// connections with a reset, so that a peer of a restarted endpoint need not find out by itself.
    pub fn silent(mut self, silent: bool) -> Builder {
        self.config.silent = silent;
        self
    }

    /// How many exchanges of keys are made with those who connect: see [`ExchangeLimits`]. Without it: 256 a second
    /// with addresses that have not shown that they are real, 256 with each network, 1,500 in all.
    pub fn exchange_limits(mut self, limits: ExchangeLimits) -> Builder {
        self.config.exchanges = limits;
        self
    }

    /// Offers a service under a name, by a protocol.
    pub fn listen(mut self, service: &str, protocol: &str, options: ServiceOptions) -> Builder {
        self.services.push((service.to_owned(), protocol.to_owned(), options));
        self
    }

    /// Speaks another protocol than structured streams, under this name: `factory` makes this end of it for each
    /// connection that a peer asks for, of what the peer's end says.
    ///
    /// A counter: either end adds to its own sum, and learns the other's. (A larger example is `lab/echoes`.)
    ///
    /// ```
    /// use tng::semantic::*;
    /// use tng::{Access, Endpoint};
    ///
    /// #[derive(Debug, Default)]
    /// struct Counter {
    ///     mine: u64,
    ///     /// The sum is to be said, for the first time or again.
    ///     due: bool,
    ///     /// The packet that says it, until it is acknowledged. What older ones said does not matter.
    ///     on_its_way: Option<(ChannelKey, u64)>,
    ///     said: u64,
    ///     theirs: u64,
    ///     news: bool,
    /// }
    ///
    /// impl Counter {
    ///     fn add(&mut self, n: u64) {
    ///         (self.mine, self.due, self.on_its_way) = (self.mine + n, true, None);
    ///     }
    /// }
    ///
    /// impl Protocol for Counter {
    ///     fn poll_packet(&mut self, _: Instant, channel: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
    ///         // In a message that sets a channel up there may be no room.
    ///         let room = buf.get_mut(..8).filter(|_| self.due)?;
    ///         room.copy_from_slice(&self.mine.to_be_bytes());
    ///         (self.due, self.on_its_way) = (false, Some((channel, number)));
    ///         Some(Filled { len: 8 })
    ///     }
    ///     fn wants_to_send(&self, _: ChannelKey) -> bool { self.due }
    ///     fn handle_packet(
    ///         &mut self, _: Instant, _: ChannelKey, _: u64, _: Ecn, payload: &mut [u8],
    ///     ) -> Result<Taken, Violation> {
    ///         let bad = |_| Violation { code: 1, reason: "a sum has eight bytes" };
    ///         let sum = u64::from_be_bytes((&*payload).try_into().map_err(bad)?);
    ///         // Packets overtake each other, and sums only grow.
    ///         (self.theirs, self.news) = (self.theirs.max(sum), true);
    ///         Ok(Taken::All)
    ///     }
    ///     fn handle_fate(&mut self, _: Instant, channel: ChannelKey, number: u64, fate: Fate) {
    ///         if self.on_its_way == Some((channel, number)) {
    ///             match fate {
    ///                 Fate::Acked => (self.due, self.on_its_way, self.said) = (false, None, self.said + 1),
    ///                 Fate::Lost | Fate::Doubtful => self.due = true,
    ///             }
    ///         }
    ///     }
    ///     // Everything outstanding on the channel counts as lost.
    ///     fn handle_detach(&mut self, _: Instant, channel: ChannelKey) {
    ///         self.due |= self.on_its_way.is_some_and(|(on, _)| on == channel);
    ///     }
    ///     // To hear a sum twice does no harm, so it may come in the first packet of who has proven nothing yet.
    ///     fn replay_safe(&self, _: &[u8]) -> bool { true }
    /// }
    ///
    /// impl Semantic for Counter {
    ///     fn set_up_item(&self) -> Option<Vec<u8>> { None }
    ///     fn handle_set_up_item(&mut self, _: Option<&[u8]>) -> Result<(), Violation> { Ok(()) }
    ///     fn is_idle(&self) -> bool { !self.due && self.on_its_way.is_none() }
    ///     fn is_empty(&self) -> bool { self.is_idle() }
    ///     fn bytes_held(&self) -> u64 { if self.is_idle() { 0 } else { 8 } }
    ///     fn progress(&self) -> u64 { self.said }
    ///     fn take_notice(&mut self) -> bool { std::mem::take(&mut self.news) }
    ///     fn handle_closed(&mut self) {}
    /// }
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Endpoint::builder()
    ///     .bind("127.0.0.1:0".parse()?)
    ///     .access(Access::Public)
    ///     .register("counter/1", |proposal| match proposal.set_up_item {
    ///         None => Ok(Box::new(Counter::default())),
    ///         Some(_) => Err(FactoryError::NotUnderstood),
    ///     })
    ///     .build()
    ///     .await?;
    /// let ticket = server.ticket()?;
    /// tokio::spawn(async move {
    ///     let peer = server.accept().await.expect("open").accept().await.expect("waiting");
    ///     let end = peer.speaking::<Counter>().expect("a counter");
    ///     end.with(|counter| counter.add(2)).expect("there");
    ///     peer.closed().await
    /// });
    ///
    /// let client = Endpoint::builder().build().await?;
    /// let mut counter = Counter::default();
    /// // It leaves with the first packet.
    /// counter.add(40);
    /// let end = client.connect_speaking(&ticket, "counter/1", counter).await?;
    /// let sum = end.wait(|it| (it.theirs > 0).then_some(it.mine + it.theirs)).await?;
    /// assert_eq!(sum, 42);
    /// # Ok(())
    /// # }
    /// # tokio::runtime::Runtime::new().unwrap().block_on(example()).unwrap();
    /// ```
    ///
    /// A protocol whose code panics ends its own connection, and nothing else: see [`Semantic`]. That the name is good
    /// [`build`](Builder::build) finds out.
    pub fn register(
        mut self,
        name: &str,
        factory: impl Fn(Proposal<'_>) -> Result<Box<dyn Semantic>, FactoryError> + Send + Sync + 'static,
    ) -> Builder {
        self.protocols.0.push((name.to_owned(), Arc::new(factory)));
        self
    }

    /// The congestion controller, by name. Without it: cubic.
    pub fn controller(mut self, name: &str) -> Builder {
        self.controller = Some(name.to_owned());
        self
    }

    /// The controllers that have a name: without it, those that come with this crate.
    pub fn controllers(mut self, controllers: Controllers) -> Builder {
        self.controllers = controllers;
        self
    }

    /// Connections that peers have begun, at most. Of more, networks get the same share, and what is left alone gives
    /// way: see [`HostConfig::connections_max`]. Those that this endpoint opens itself do not count. Without it:
    /// 65,536.
    pub fn connections_max(mut self, connections: usize) -> Builder {
        self.config.connections_max = connections;
        self
    }

    /// Streams that a peer may have open at once on one connection, substreams included; at least 16. Further ones wait
    /// at the peer. Without it: 1,024.
    pub fn streams_max(mut self, streams: u64) -> Builder {
        self.config.streams.streams_max = streams;
        // Who may open them may wait for them to be accepted.
        self.config.streams.backlog_max = usize::try_from(streams).unwrap_or(usize::MAX);
        self
    }

    /// Bytes of one stream that a peer may send ahead of its reader; at least 4,096. It bounds what one stream carries
    /// in a round trip.
    pub fn stream_window(mut self, bytes: u64) -> Builder {
        self.config.streams.stream_window = bytes;
        self
    }

    /// Bytes of all streams of a connection that a peer may send ahead of their readers; at least 4,096.
    pub fn connection_window(mut self, bytes: u64) -> Builder {
        self.config.streams.host_window = bytes;
        self
    }

    /// The largest datagram that is received whole, in bytes; larger ones can be accepted as streams only. At most half
    /// of the connection window. Without it: 16 MiB.
    pub fn datagram_max(mut self, bytes: u64) -> Builder {
        self.config.streams.datagram_max = bytes;
        self
    }

    /// Bytes that all connections together may hold, both ways, credit that peers have not used yet included. As it
    /// fills each peer gets less; when it is full, those that do nothing with what they hold are closed: see
    /// [`HostConfig::memory_max`]. Without it: 256 MiB.
    pub fn memory_max(mut self, bytes: u64) -> Builder {
        self.config.memory_max = bytes;
        self
    }

    /// Bytes that a writer may be ahead of what has been sent for the first time; at least 1. Less makes changes of
    /// priority bite sooner, more keeps a slow writer's stream busy.
    pub fn unsent_max(mut self, bytes: u64) -> Builder {
        self.config.streams.unsent_max = bytes;
        self
    }

    /// The largest UDP payload to try on a path, in bytes. Without it: 1,472, what Ethernet carries. 1,200 always
    /// passes and turns the search off.
    pub fn mtu(mut self, payload_max: usize) -> Builder {
        self.config.mtu.payload_max = payload_max;
        self
    }

    /// Packets that are sent under one key before it is renewed, in place and at no round trip. Without it: 4,194,304,
    /// far below what the cipher allows; fewer bound better what a stolen key opens.
    pub fn renew_keys_after(mut self, packets: u64) -> Builder {
        self.config.renew_keys_after = packets.max(1);
        self
    }

    /// How long a connection attempt, and a peer that asks to be accepted, may take. Without it: 10 s.
    pub fn set_up_timeout(mut self, after: Duration) -> Builder {
        self.config.set_up_timeout = after;
        self
    }

    /// How long, and how much of, connections are kept while their peer is away. Without it: 60 s, and 256 MiB of all
    /// peers together. [`Connection::keep_for`] chooses otherwise for one.
    pub fn keep(mut self, keep: Keep) -> Builder {
        self.config.keep = keep;
        self
    }

    /// Connections at most that one peer may have. Without it: 256.
    pub fn connections_per_peer(mut self, connections: usize) -> Builder {
        self.config.connections_per_peer = connections;
        self
    }

    /// Replaces encryption by a keyed checksum of 32 bits (SST 4.2.3, 4.4), on connections to peers whose configuration
    /// says so too; all others are encrypted as ever. Anyone on the path can read everything, and forge with some
    /// patience. For laboratories, where packets are to be looked at.
    /// [`ConnectionStats::cipher`](crate::ConnectionStats::cipher) tells what a connection has.
    pub fn danger_weak(mut self, weak: bool) -> Builder {
        self.config.danger_weak = weak;
        self
    }

    /// Has a packet sent when nothing was sent for this long, so that the peer and the NATs between stay awake.
    pub fn keep_alive(mut self, after: Option<Duration>) -> Builder {
        self.config.keep_alive = after;
        self
    }

    /// Has a path end when nothing arrived on it for this long; the smaller of both sides' times counts. `None`: never.
    /// The connection does not end with its last path, see [`keep`](Builder::keep).
    pub fn idle_timeout(mut self, after: Option<Duration>) -> Builder {
        self.config.idle_timeout = after;
        self
    }

    /// Has a trace of every channel written to a file of its own in this folder, in qlog's streaming form, for qvis. It
    /// slows the endpoint down.
    pub fn trace(mut self, folder: impl Into<PathBuf>) -> Builder {
        self.observing.traces = Some(folder.into());
        self
    }

    /// Has the secrets of every channel written there, a line each (docs/wire.md section 2.5), so that captures can be
    /// decrypted. Whoever has them reads everything.
    pub fn key_log(mut self, out: impl Write + Send + 'static) -> Builder {
        self.observing.key_log = Some(Box::new(out));
        self
    }

    /// Has every datagram written there in pcapng, with the secrets of every channel as comments: what
    /// wireshark/tng.lua reads without more. Whoever has it reads everything. It slows the endpoint down.
    pub fn capture(mut self, out: impl Write + Send + 'static) -> Builder {
        self.observing.capture = Some(Box::new(out));
        self
    }

    /// Changes any setting of the host.
    pub fn configure(mut self, change: impl FnOnce(&mut HostConfig)) -> Builder {
        change(&mut self.config);
        // Peers are accepted through `Endpoint::accept`.
        self.config.auto_accept = false;
        self
    }

    /// Serves those as well who keep everything themselves (docs/trickles.md): on the same port, under the same
    /// identity and for the same peers.
    pub fn serve_stateless(mut self, service: StatelessService) -> Builder {
        self.stateless = Some(service);
        self
    }

    /// A client of the servers at these addresses, which keep nothing of it (docs/trickles.md): all have the same key,
    /// and any answers for any. To which of them it turns is `policy`. It has a socket of its own; of what was said to
    /// this builder the identity, the address, the socket, and what is to be written down count; a key log has nothing
    /// to hold.
    ///
    /// Where no such server answers, its objects end with a [`DialError`](crate::trickles::DialError), `Unserved` or
    /// `Silence`; a host that says `Unserved` may serve structured streams, to ask by one instead.
    ///
    /// # Errors
    /// See [`BindError`].
    pub fn stateless(self, target: Target, policy: Policy, config: ClientConfig) -> Result<StatelessClient, BindError> {
        let runtime = Handle::try_current().map_err(|_| BindError::NoRuntime)?;
        let identity = match self.identity {
            Some(identity) => identity,
            None => Identity::from_seed(random_seed().map_err(BindError::System)?),
        };
        let socket = match self.socket {
            Some(socket) => socket,
            None => bind(self.addr)?,
        };
        let observer = self.observing.begin(identity.eid(), Stateless::Client).map_err(BindError::Observe)?;
        StatelessClient::begin(Calling { identity, target, policy, config, socket, observer }, &runtime)
    }

    /// Binds the socket and starts the driver on the current tokio runtime.
    ///
    /// # Errors
    /// See [`BindError`].
    pub async fn build(mut self) -> Result<Endpoint, BindError> {
        let runtime = Handle::try_current().map_err(|_| BindError::NoRuntime)?;
        if let Some(name) = &self.controller {
            self.config.controller = self.controllers.choose(name)?;
        }
        let identity = match self.identity {
            Some(identity) => identity,
            None => Identity::from_seed(random_seed().map_err(BindError::System)?),
        };
        self.config.watch = self.observing.watch();
        let addr = self.addr;
        let socket = match self.socket {
            Some(socket) => socket,
            None => bind(addr)?,
        };
        let local_addr = socket.local_addr().map_err(BindError::System)?;
        if self.config.place.is_empty() {
            self.config.place = place_of(local_addr);
        }
        let stateless_identity = identity.duplicate();
        let mut host = Host::new(self.config, identity, random_seed().map_err(BindError::System)?);
        for (service, protocol, options) in &self.services {
            check_names(service, protocol)?;
            host.listen(service, protocol, *options);
        }
        for (name, factory) in self.protocols.0 {
            host.register(&name, move |proposal| factory(proposal))?;
        }
        host.tell_time(Instant::ZERO, unix(time_of_day()).as_secs());
        let stateless = match self.stateless {
            Some(service) => {
                let entropy = random_seed().map_err(BindError::System)?;
                let (access, unix) = (host.config().access.clone(), unix(time_of_day()));
                Some(service.begin(stateless_identity, access, unix, &entropy)?)
            }
            None => None,
        };
        let wants_time = stateless.is_some() || matches!(host.config().access, Access::Tickets(_));
        let eid = host.eid();
        let stateless_part = if stateless.is_some() { Stateless::Server } else { Stateless::No };
        let observer = self.observing.begin(eid, stateless_part).map_err(BindError::Observe)?;
        let mut hub = Hub::new(host, stateless, runtime.clone(), local_addr);
        hub.observer = observer;
        let shared = Arc::new(Shared::new(hub));
        runtime.spawn(Driver::new(Arc::clone(&shared), socket));
        if wants_time {
            runtime.spawn(tell_time(Arc::downgrade(&shared)));
        }
        Ok(Endpoint { door: Arc::new(Door { shared, eid }) })
    }
}

fn bind(addr: SocketAddr) -> Result<Arc<dyn Socket>, BindError> {
    // The runtime's absence would be a panic.
    Handle::try_current().map_err(|_| BindError::NoRuntime)?;
    Ok(Arc::new(UdpSocket::bind(addr).map_err(|source| BindError::Address { addr, source })?))
}

/// The [`place`](Builder::place) of an endpoint that is bound to `addr` if nothing else is said: the address, which
/// another of its identity may have on another machine, and this machine.
pub fn place_of(addr: SocketAddr) -> Vec<u8> {
    // machine-id(5). Without one the address has to do.
    let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
    format!("{addr} {}", machine.trim()).into_bytes()
}

/// The ticket that [`Endpoint::ticket`] gives.
const STANDING: TicketId = TicketId(0);
/// How often a host with tickets is told the time of day.
pub const TIME_TOLD_EVERY: Duration = Duration::from_secs(1);

#[expect(clippy::disallowed_methods, reason = "tickets expire by the time of day")]
fn time_of_day() -> SystemTime {
    SystemTime::now()
}

/// The time since 1970.
fn unix(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Tells an endpoint the time of day for as long as it is there, and has tickets or seals with keys of the day.
async fn tell_time(shared: Weak<Shared<Hub>>) {
    loop {
        tokio::time::sleep(TIME_TOLD_EVERY).await;
        let Some(shared) = shared.upgrade() else { return };
        let mut hub = shared.lock();
        if hub.stateless().is_none() && !matches!(hub.host().config().access, Access::Tickets(_)) {
            return;
        }
        let (now, unix) = (hub.now(), unix(time_of_day()));
        if hub.host_mut().tell_time(now, unix.as_secs()) {
            hub.touch();
        }
        hub.align(now, unix);
    }
}

fn check_names(service: &str, protocol: &str) -> Result<(), BindError> {
    let longest = service.len().max(protocol.len());
    if longest > NAME_MAX { Err(BindError::NameTooLong(longest)) } else { Ok(()) }
}

/// What every handle of an endpoint shares.
struct Door {
    shared: Arc<Shared<Hub>>,
    eid: Eid,
}

impl Drop for Door {
    fn drop(&mut self) {
        let mut hub = self.shared.lock();
        hub.close();
        hub.touch();
    }
}

/// One identity on one socket: connects to peers and accepts them. Cheap to clone; every clone is the same endpoint.
///
/// When the last handle is dropped nobody is accepted any more. Connections go on for as long as they have handles of
/// their own; the socket closes after the last of them.
#[derive(Clone)]
pub struct Endpoint {
    door: Arc<Door>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("eid", &self.door.eid).field("local_addr", &self.local_addr()).finish()
    }
}

impl Endpoint {
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

    /// This endpoint's identity.
    pub fn eid(&self) -> Eid {
        self.door.eid
    }

    /// The address that the socket is bound to.
    pub fn local_addr(&self) -> SocketAddr {
        self.door.shared.lock().local_addr
    }

    /// The addresses at which this endpoint may be reached from this host's networks, the widest first: for a ticket.
    /// Addresses that a NAT gives it are not known here.
    pub fn local_addresses(&self) -> Vec<SocketAddr> {
        local_addresses(self.local_addr())
    }

    /// Offers another service, to the peers of connections made from now on.
    ///
    /// # Errors
    /// If a name is too long.
    pub fn listen(&self, service: &str, protocol: &str, options: ServiceOptions) -> Result<(), BindError> {
        check_names(service, protocol)?;
        self.door.shared.lock().host_mut().listen(service, protocol, options);
        Ok(())
    }

    /// How to reach this endpoint from this host's networks, with the capability that opens it if one is needed. With
    /// [`Access::Tickets`] it is the same one each time, and good until it is [revoked](Endpoint::revoke).
    ///
    /// # Errors
    /// If the capability is longer than any that can be shown.
    pub fn ticket(&self) -> Result<Ticket, TicketFull> {
        let (capability, tickets) = match &self.door.shared.lock().host().config().access {
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
    /// afterwards, and who came in is shown out. `None` is never.
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

    /// Makes a ticket worthless, and shows those out who came in with it. Answers whether it was good.
    pub fn revoke(&self, ticket: &Ticket) -> bool {
        let revoked = self.change(|tickets| match tickets.check(ticket.capability()) {
            // It is to be there again, another one, when it is asked for.
            Ok(STANDING) => {
                let generation = tickets.get(STANDING).map_or(1, |listed| listed.generation.wrapping_add(1));
                tickets.list(STANDING, ListedTicket { generation, expires_s: None })
            }
            Ok(id) => tickets.revoke(id),
            Err(_) => false,
        });
        revoked.unwrap_or(false)
    }

    /// Replaces who may connect. Peers that are there and might not come in any more are shown out.
    pub fn set_access(&self, access: Access) {
        let mut hub = self.door.shared.lock();
        let (now, before) = (hub.now(), matches!(hub.host().config().access, Access::Tickets(_)));
        hub.host_mut().set_access(now, access);
        let unix = unix(time_of_day());
        hub.host_mut().tell_time(now, unix.as_secs());
        hub.align(now, unix);
        if !before && hub.stateless().is_none() && matches!(hub.host().config().access, Access::Tickets(_)) {
            hub.runtime.spawn(tell_time(Arc::downgrade(&self.door.shared)));
        }
        hub.touch();
    }

    fn change<T>(&self, change: impl FnOnce(&mut Tickets) -> T) -> Option<T> {
        let mut hub = self.door.shared.lock();
        let now = hub.now();
        let changed = hub.host_mut().change_tickets(now, change);
        hub.align(now, unix(time_of_day()));
        hub.touch();
        changed
    }

    fn ticket_of(&self, capability: Vec<u8>) -> Result<Ticket, TicketFull> {
        let mut addresses = self.local_addresses();
        addresses.truncate(Ticket::ADDRESSES_MAX);
        Ticket::new(self.eid(), addresses, capability)
    }

    /// Connects, to the host of a [`Ticket`] or another [`Target`].
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn connect(&self, target: impl Into<Target>) -> Result<Connection, ConnectError> {
        self.dial(target)?.await
    }

    /// Begins to connect. See [`Connecting`] for what can be done before awaiting it.
    ///
    /// # Errors
    /// If the target has no address, or the endpoint is closing.
    pub fn dial(&self, target: impl Into<Target>) -> Result<Connecting, ConnectError> {
        Connecting::dial(&self.door.shared, target.into(), None)
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
        let connecting = Connecting::dial(&self.door.shared, target.into(), Some((name, Box::new(protocol))))?;
        Ok(Speaking::new(connecting.await?))
    }

    /// Waits for the next peer that asks to connect and has access. `None` when the endpoint is closed.
    pub async fn accept(&self) -> Option<Incoming> {
        loop {
            let asks = Arc::clone(&self.door.shared.lock().asks);
            let asked = asks.notified();
            if let Attempt::Done(asking) = self.door.shared.lock().next_asking() {
                return asking.map(|asking| Incoming::new(&self.door.shared, asking));
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
        self.rebind_to(bind(addr)?)
    }

    /// Moves to another socket, as [`rebind`](Endpoint::rebind) does.
    ///
    /// # Errors
    /// If the socket does not know its address.
    pub fn rebind_to(&self, socket: Arc<dyn Socket>) -> Result<(), BindError> {
        let local_addr = socket.local_addr().map_err(BindError::System)?;
        let mut hub = self.door.shared.lock();
        hub.local_addr = local_addr;
        hub.rebind(socket);
        Ok(())
    }

    /// What the endpoint has done for those who keep everything themselves, if it serves them.
    pub fn stateless_stats(&self) -> Option<ServerStats> {
        self.door.shared.lock().stateless().map(|server| *server.stats())
    }

    /// How much the endpoint has to do for them, from 0 to 1: beyond one half it grants less.
    pub fn set_stateless_load(&self, load: f64) {
        if let Some(server) = self.door.shared.lock().stateless_mut() {
            server.set_load(load);
        }
    }

    /// What has gone out through the socket.
    pub fn sent(&self) -> SendCounters {
        self.door.shared.lock().sent()
    }

    /// Why a trace, a key log or a capture is not written any more, once. The endpoint goes on without it.
    pub fn take_observer_failure(&self) -> Option<std::io::Error> {
        self.door.shared.lock().observer.as_mut()?.take_failure()
    }

    /// Closes the endpoint and all its connections with code 0, and waits until the peers' notices are out. What
    /// streams have not delivered is lost; [`finish`](crate::SendStream::finish) them first.
    pub async fn close(&self) {
        let flushed = {
            let mut hub = self.door.shared.lock();
            let now = hub.now();
            hub.close();
            hub.host_mut().close_all(now, 0, "");
            hub.flushed()
        };
        // Without a driver nothing goes out any more.
        let _ = flushed.await;
        if let Some(observer) = &mut self.door.shared.lock().observer {
            observer.flush();
        }
    }
}
