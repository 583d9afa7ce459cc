//! What an endpoint is made of.

use core::fmt;
use core::time::Duration;
use std::collections::BTreeMap;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tng_base::{Eid, Instant, Semantic};
use tng_congestion::Controllers;
use tng_crypto::Secret32;
use tng_endpoint::{IdSpace, SHARDS_MAX};
use tng_stack::structured::{NAME_MAX, ServiceOptions};
use tng_stack::{
    Access, Carried, ExchangeLimits, Factory, FactoryError, Helpers, Host, HostConfig, Identity, Keep, Proposal, Target,
};
use tng_stp_host::{Advisors, Cap, Code, Quotas};
use tng_trickles::client::{ClientConfig, Policy};
use tokio::runtime::Handle;
use tokio::sync::broadcast;

#[cfg(feature = "carrier")]
use crate::carrier::Wanted;
use crate::endpoint::{Beginning, Endpoint, random_seed, time_of_day, unix};
use crate::error::BindError;
use crate::guest::{self, Guests};
use crate::help::{Purse, Token};
use crate::hub::{Hub, Shard, Shards};
use crate::observer::{Observing, Stateless};
use crate::registry::{REGISTRIES_MAX, Registries, RegistryTarget};
use crate::relay::{RELAY_EVENTS_KEPT, RelayOutlet, RelayService};
use crate::repertoire::{Negotiator, Repertoire};
use crate::socket::{Socket, UdpSocket};
use crate::stateless::StatelessService;
use crate::stateless_client::{Calling, StatelessClient};
use crate::stateless_guest::{Asking, GuestDownload};
use crate::threads::{Bound, Lane, bind_for, register_all};

/// The congestion controller of an endpoint for which none is named. The machines' own default is cubic, which is what
/// the papers' experiments run; on real links bbr uses what loses packets at random, and leaves no queue standing
/// (docs/performance.md, "The default controller").
pub const DEFAULT_CONTROLLER: &str = "bbr";

/// Threads of an endpoint at most.
pub const THREADS_MAX: usize = SHARDS_MAX as usize;

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
    bound: Option<Bound>,
    config: HostConfig,
    /// Under what name the controller is asked for, and what may be asked for.
    controller: Option<String>,
    controllers: Controllers,
    services: Vec<(String, String, ServiceOptions)>,
    protocols: Protocols,
    guests: Guests,
    repertoire: Option<Arc<Repertoire>>,
    observing: Observing,
    stateless: Option<StatelessService>,
    relay: Option<RelayService>,
    capabilities: Option<PathBuf>,
    registries: Vec<RegistryTarget>,
    registry_tokens: BTreeMap<Eid, Token>,
    registry_memory: Option<PathBuf>,
    busy_poll: Duration,
    threads: usize,
    steered: bool,
    #[cfg(feature = "carrier")]
    carriers: Wanted,
}

impl Builder {
    pub(crate) fn new() -> Builder {
        let mut config = HostConfig::new(Access::Nobody);
        config.auto_accept = false;
        config.controller = DEFAULT_CONTROLLER.parse().expect("it comes with this crate");
        let addr = SocketAddr::new(std::net::Ipv6Addr::UNSPECIFIED.into(), 0);
        Builder {
            identity: None,
            addr,
            socket: None,
            bound: None,
            config,
            controller: None,
            controllers: Controllers::default(),
            services: Vec::new(),
            protocols: Protocols::default(),
            guests: Guests::default(),
            repertoire: None,
            observing: Observing::default(),
            stateless: None,
            relay: None,
            capabilities: None,
            registries: Vec::new(),
            registry_tokens: BTreeMap::new(),
            registry_memory: None,
            busy_poll: Duration::ZERO,
            threads: 1,
            steered: true,
            #[cfg(feature = "carrier")]
            carriers: Wanted::default(),
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

    /// Sockets to use instead of binding some: as many threads drive the endpoint.
    pub fn bound(mut self, bound: Bound) -> Builder {
        self.threads = bound.threads();
        self.bound = Some(bound);
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
    /// use std::ops::Range;
    ///
    /// use tng::semantic::*;
    /// use tng::{Access, Endpoint};
    ///
    /// #[derive(Debug, Default)]
    /// struct Counter {
    ///     mine: u64,
    ///     /// The peer has yet to hear the sum, for the first time or again.
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
    ///     fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool { self.due }
    ///     fn handle_packet(
    ///         &mut self, _: Instant, _: ChannelKey, _: u64, _: Ecn, payload: &mut [u8],
    ///     ) -> Result<Taken, Violation> {
    ///         let bad = |_| Violation { code: 1, reason: "a sum has eight bytes" };
    ///         let sum = u64::from_be_bytes((&*payload).try_into().map_err(bad)?);
    ///         // Packets overtake each other, and sums only grow.
    ///         (self.theirs, self.news) = (self.theirs.max(sum), true);
    ///         Ok(Taken::All)
    ///     }
    ///     fn handle_fates(&mut self, _: Instant, channel: ChannelKey, numbers: Range<u64>, fate: Fate) {
    ///         if self.on_its_way.is_some_and(|(by, number)| by == channel && numbers.contains(&number)) {
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

    /// Has the endpoint speak a transport that is a guest (STP): peers may ask for connections by it, and
    /// [`connect_transport`](Endpoint::connect_transport) begins them. Both ends need the same code.
    ///
    /// ```no_run
    /// # use tng::stp::Code;
    /// # async fn example<G: tng::stp::Guest + Send + 'static>() -> Result<(), Box<dyn std::error::Error>> {
    /// // A guest that is compiled in; with the feature `guests`, modules are code, too.
    /// let endpoint = tng::Endpoint::builder().transport(Code::native::<G>("newreno")).build().await?;
    /// let ticket: tng::Ticket = "tng1...".parse()?;
    /// let mut connection = endpoint.connect_transport(&ticket, "newreno").await?;
    /// connection.write_all(b"hello").await?;
    /// connection.finish()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn transport(mut self, code: Code) -> Builder {
        self.guests.add(code);
        self
    }

    /// Has the endpoint negotiate transports that travel: it runs those of `repertoire` that its judge lets run, and
    /// offers them by [`Endpoint::pipe`]. Without it offers get no answer, and structured streams run.
    pub fn repertoire(mut self, repertoire: Arc<Repertoire>) -> Builder {
        self.repertoire = Some(repertoire);
        self
    }

    /// What guests may use. Without it: [`Quotas::default`].
    pub fn transport_quotas(mut self, quotas: Quotas) -> Builder {
        self.guests.set_quotas(quotas);
        self
    }

    /// What holds the rate of guests. Without it: the throughput equation.
    pub fn transport_cap(mut self, cap: Cap) -> Builder {
        self.guests.set_cap(cap);
        self
    }

    /// Has guests regulate what this endpoint sends: one for each path. [`Endpoint::guests`] tells what has come of
    /// them.
    pub fn advised(mut self, advisors: Advisors) -> Builder {
        self.config.controller = advisors.choice();
        self.guests.set_advisors(advisors);
        self
    }

    /// The control of measurements and tests: nothing holds the rate of guests. Anywhere else it harms others.
    #[doc(hidden)]
    pub fn without_policer(mut self) -> Builder {
        self.guests.leave_alone();
        self
    }

    /// The congestion controller, by name. Without it: [`DEFAULT_CONTROLLER`].
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
    /// peers together. [`Connection::keep_for`](crate::Connection::keep_for) chooses otherwise for one.
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
    /// patience. For laboratories, where people look at packets.
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

    /// How long a peer may give no sign of life when ICMP says that nobody listens where it is, until the connection
    /// ends; the default is [`UNREACHABLE_AFTER`](crate::UNREACHABLE_AFTER), which leaves a peer behind a NAT that was
    /// restarted the time to find out. `None`: what ICMP says ends no connection.
    pub fn unreachable_after(mut self, after: Option<Duration>) -> Builder {
        self.config.unreachable_after = after;
        self
    }

    /// Has a trace of every channel written to a file of its own in this folder, in qlog's streaming form, for qvis. It
    /// slows the endpoint down.
    pub fn trace(mut self, folder: impl Into<PathBuf>) -> Builder {
        self.observing.traces = Some(folder.into());
        self
    }

    /// Has the secrets of every channel written there, a line each (docs/wire.md section 2.5), so that captures can be
    /// decrypted. Anybody who has them reads everything.
    pub fn key_log(mut self, out: impl Write + Send + 'static) -> Builder {
        self.observing.key_log = Some(Box::new(out));
        self
    }

    /// Has every datagram written there in pcapng, with the secrets of every channel as comments: what
    /// wireshark/tng.lua reads without more. Anybody who has it reads everything. It slows the endpoint down.
    pub fn capture(mut self, out: impl Write + Send + 'static) -> Builder {
        self.observing.capture = Some(Box::new(out));
        self
    }

    /// Stays awake for so long after each packet: what comes meanwhile is found without being woken, some microseconds
    /// earlier, and a processor is busy with looking. Other tasks of the runtime have their turns in between. Timers
    /// are kept to a part of a millisecond then, and what leaves by them leaves in smaller batches. Without it: not at
    /// all.
    pub fn busy_poll(mut self, time: Duration) -> Builder {
        self.busy_poll = time;
        self
    }

    /// Drives the endpoint on so many threads, [`THREADS_MAX`] at most: each has a socket, and connections of its own,
    /// which it sends and receives for and no other; those that come are divided among them by their addresses, those
    /// that are begun here by turns. The application's tasks stay on the runtime that they are on, unless it spawns
    /// them on that of a [connection](crate::Connection::runtime). Limits are those of the whole endpoint, but for work
    /// (exchanges of keys, answers to strangers), which each thread has its own of.
    /// Without it: one, on the current runtime.
    ///
    /// There is one, too, with a [socket](Builder::socket) of one's own, when the endpoint writes down what it does
    /// (trace, key log, capture), or where the system does not divide an address among sockets (other than Linux).
    pub fn threads(mut self, threads: usize) -> Builder {
        self.threads = threads.clamp(1, THREADS_MAX);
        self
    }

    /// Whether the system is asked to bring each packet to the thread that it is for. Without it the threads hand
    /// packets to each other, as where the system refuses: for tests that show that this does.
    #[doc(hidden)]
    pub fn steered(mut self, steered: bool) -> Builder {
        self.steered = steered;
        self
    }

    /// Reaches peers inside TLS over TCP where UDP does not reach them (docs/carrier.md): an attempt that has no answer
    /// after a second is made that way as well, and the connection goes back to UDP when that works. Without it: by UDP
    /// alone.
    #[cfg(feature = "carrier")]
    pub fn carrier(mut self, dial: crate::carrier::CarrierDial) -> Builder {
        if dial.only {
            self.config.carried = Carried::Only;
        }
        self.carriers.dial = Some(dial);
        self
    }

    /// Takes those who come that way, too, at a port of TCP.
    #[cfg(feature = "carrier")]
    pub fn carrier_listen(mut self, listen: crate::carrier::CarrierListen) -> Builder {
        self.carriers.listen.push(listen);
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

    /// Passes on flows of others as well (docs/relay.md), on the same port: [`Endpoint::relay`] is there to watch it.
    /// The endpoint's own connections come through no helper.
    ///
    /// ```no_run
    /// # async fn example(secret: tng::Secret32) -> Result<(), Box<dyn std::error::Error>> {
    /// use tng::relay::{ClientTag, HelperConfig, RelayService, Terms};
    ///
    /// let endpoint = tng::Endpoint::builder()
    ///     .relay(RelayService::new(secret, HelperConfig::default()))
    ///     .build()
    ///     .await?;
    /// let relay = endpoint.relay().expect("it was asked for");
    /// let terms = Terms { life: std::time::Duration::from_secs(3_600), flows_max: 16, tunnels: false };
    /// let capability = relay.issue(ClientTag(1), terms)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn relay(mut self, service: RelayService) -> Builder {
        self.relay = Some(service);
        self.config.helpers = Helpers::None;
        self
    }

    /// Where the capabilities are kept that [helpers](Endpoint::via) give: this user's alone, since who has them can
    /// use the helpers. It is made when there is something to keep. Without it: in memory.
    pub fn capabilities(mut self, file: impl Into<PathBuf>) -> Builder {
        self.capabilities = Some(file.into());
        self
    }

    /// Asks this registry, too, where hosts are whose addresses are not known (docs/registry.md):
    /// [`Endpoint::connect`] needs an EID alone then. Several are asked in the order in which they are named.
    pub fn registry(mut self, registry: RegistryTarget) -> Builder {
        self.registries.push(registry);
        self
    }

    /// Shows this token to registries where this host is looked up and asked to be introduced: it lets those alone find
    /// it who have the token ([`Policy::Token`](crate::registry::Policy)).
    pub fn registry_token(mut self, of: Eid, token: Token) -> Builder {
        self.registry_tokens.insert(of, token);
        self
    }

    /// Where it is kept what was seen of hosts at registries, so that no registry can pass off something older. It is
    /// made when there is something to keep. Without it: in memory.
    pub fn registry_memory(mut self, file: impl Into<PathBuf>) -> Builder {
        self.registry_memory = Some(file.into());
        self
    }

    /// Which helpers peers may come through. Without it: any, since they see nothing but sealed packets.
    pub fn helpers(mut self, helpers: Helpers) -> Builder {
        self.config.helpers = helpers;
        self
    }

    /// A client of the servers at these addresses, which keep nothing of it (docs/trickles.md): all have the same key,
    /// and any answers for any. `policy` says which of them it turns to. It has a socket of its own; of what was said
    /// to this builder the identity, the address, the socket, and what it should write down count; a key log has
    /// nothing to hold.
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
        let busy_poll = self.busy_poll;
        let calling = Calling { identity, target, policy, config, socket, observer, busy_poll };
        StatelessClient::begin(calling, &runtime)
    }

    /// An object that a guest brings from the server at the first of these addresses, which keeps nothing of it: `code`
    /// is a client of such servers that came as code (docs/stp.md, "Systems together"), and `asked` is for the server's
    /// application. It has a socket of its own; of what was said to this builder the identity, the address, the socket
    /// and the quotas of guests count.
    ///
    /// # Errors
    /// See [`BindError`].
    pub fn stateless_guest(self, target: Target, code: &Code, asked: &[u8]) -> Result<GuestDownload, BindError> {
        let runtime = Handle::try_current().map_err(|_| BindError::NoRuntime)?;
        let identity = match self.identity {
            Some(identity) => identity,
            None => Identity::from_seed(random_seed().map_err(BindError::System)?),
        };
        let socket = match self.socket {
            Some(socket) => socket,
            None => bind(self.addr)?,
        };
        GuestDownload::begin(Asking { identity, target, code, asked, guests: self.guests, socket }, &runtime)
    }

    /// Binds the socket and starts the driver on the current tokio runtime.
    ///
    /// # Errors
    /// See [`BindError`].
    pub async fn build(self) -> Result<Endpoint, BindError> {
        self.build_serving(|_| Ok(())).await.map(|(endpoint, ())| endpoint)
    }

    /// The same, and `serve` is done before the first packet is read: who connects at once finds all that is served
    /// there. Answers what that answers as well.
    ///
    /// # Errors
    /// See [`BindError`].
    pub async fn build_serving<T>(
        mut self,
        serve: impl FnOnce(&Endpoint) -> Result<T, BindError>,
    ) -> Result<(Endpoint, T), BindError> {
        let runtime = Handle::try_current().map_err(|_| BindError::NoRuntime)?;
        if let Some(name) = &self.controller {
            self.config.controller = self.controllers.choose(name)?;
        }
        let identity = match self.identity {
            Some(identity) => identity,
            None => Identity::from_seed(random_seed().map_err(BindError::System)?),
        };
        if self.registries.len() > REGISTRIES_MAX {
            return Err(BindError::Registries);
        }
        self.config.watch = self.observing.watch();
        let addr = self.addr;
        let alone = self.socket.is_some() || self.observing.is_wanted();
        let threads = if alone { 1 } else { self.threads };
        let mut lanes = Vec::new();
        for _ in 0..if threads > 1 { threads } else { 0 } {
            lanes.push(Lane::new().map_err(BindError::System)?);
        }
        let (sockets, steered) = match (self.socket, self.bound) {
            (Some(socket), _) => (vec![socket], false),
            (None, Some(bound)) => {
                let handles: Vec<Handle> = match lanes.is_empty() {
                    true => vec![runtime.clone()],
                    false => lanes.iter().map(Lane::handle).collect(),
                };
                (register_all(bound.sockets, &handles).map_err(BindError::System)?, bound.steered)
            }
            (None, None) if lanes.is_empty() => (vec![bind(addr)?], false),
            (None, None) => {
                let handles: Vec<Handle> = lanes.iter().map(Lane::handle).collect();
                bind_for(addr, &handles, self.steered).map_err(|source| BindError::Address { addr, source })?
            }
        };
        // Where the system divides no address there is one.
        lanes.truncate(if sockets.len() > 1 { sockets.len() } else { 0 });
        let local_addr = sockets[0].local_addr().map_err(BindError::System)?;
        if self.config.place.is_empty() {
            self.config.place = place_of(local_addr);
        }
        for (service, protocol, _) in &self.services {
            check_names(service, protocol)?;
        }
        #[cfg(feature = "carrier")]
        let carriers = self.carriers.begin(&runtime, sockets.len()).map_err(BindError::System)?;
        #[cfg(feature = "carrier")]
        let underlay = carriers.as_ref().map(crate::carrier::CarrierHandle::underlay);
        #[cfg(not(feature = "carrier"))]
        let underlay = None::<Arc<dyn crate::socket::Underlay>>;
        let sockets = match &underlay {
            Some(underlay) => sockets.into_iter().enumerate().map(|(at, socket)| underlay.wrap(at, socket)).collect(),
            None => sockets,
        };
        let of = sockets.len() as u8;
        let (shards, cookies) = (Shards::new(of, self.config.memory_max), random_seed().map_err(BindError::System)?);
        let nonces = random_seed().map_err(BindError::System)?;
        let guests = Arc::new(self.guests.offered(&nonces, &random_seed().map_err(BindError::System)?));
        let (mut hubs, mut stateless_service, told) =
            (Vec::new(), self.stateless, broadcast::Sender::new(RELAY_EVENTS_KEPT));
        let stateless_part = if stateless_service.is_some() { Stateless::Server } else { Stateless::No };
        let mut observer = self.observing.begin(identity.eid(), stateless_part).map_err(BindError::Observe)?;
        for shard in 0..of {
            let ids = if of > 1 { IdSpace::new(shard, of) } else { IdSpace::WHOLE };
            let config = HostConfig { ids, ..self.config.clone() };
            let mut host = Host::new(config, identity.duplicate(), random_seed().map_err(BindError::System)?);
            for (service, protocol, options) in &self.services {
                host.listen(service, protocol, *options);
            }
            for (name, factory) in &self.protocols.0 {
                let factory = Arc::clone(factory);
                host.register(name, move |proposal| factory(proposal))?;
            }
            for code in &guests.codes {
                let (offered, code) = (Arc::clone(&guests), code.clone());
                host.register(&code.protocol(), move |proposal| guest::answer(&offered.workshop, &code, &proposal))?;
            }
            if let Some(repertoire) = &self.repertoire {
                let (repertoire, guests) = (Arc::clone(repertoire), Arc::clone(&guests));
                host.set_transports(Arc::new(Negotiator { repertoire, guests }));
            }
            host.tell_time(Instant::ZERO, unix(time_of_day()).as_secs());
            let stateless = match &mut stateless_service {
                Some(service) => {
                    let entropy = random_seed().map_err(BindError::System)?;
                    let (access, unix) = (host.config().access.clone(), unix(time_of_day()));
                    Some(service.begin(ids, identity.duplicate(), access, unix, &entropy)?)
                }
                None => None,
            };
            if of > 1 {
                host.share_cookies(Secret32::from_bytes(*cookies.expose()));
            }
            let helper = match &self.relay {
                Some(service) => Some(service.begin(ids).map_err(BindError::System)?),
                None => None,
            };
            let mut hub = Hub::new((host, stateless, helper), runtime.clone(), local_addr);
            hub.relay_outlet = self.relay.as_ref().map(|_| RelayOutlet { thread: shard.into(), told: told.clone() });
            hub.repertoire.clone_from(&self.repertoire);
            hub.underlay.clone_from(&underlay);
            hub.observer = observer.take();
            if let Some(lane) = lanes.get(usize::from(shard)) {
                (hub.shard, hub.driven_on) = (Some(Shard::new(ids, &shards)), lane.handle());
            }
            hubs.push(hub);
        }
        let stateless_lost = stateless_service.as_ref().and_then(StatelessService::lost);
        let purse = Purse::new(self.capabilities);
        let registries = Registries::new(self.registries, self.registry_tokens, self.registry_memory);
        let beginning = Beginning {
            hubs,
            sockets,
            lanes,
            shards,
            steered,
            asked: self.steered,
            busy_poll: self.busy_poll,
            guests,
            purse,
            registries,
            identity,
            stateless_lost,
            #[cfg(feature = "carrier")]
            carriers,
        };
        Endpoint::begin(beginning, &runtime, serve)
    }
}

/// A socket of the system.
pub(crate) fn bind(addr: SocketAddr) -> Result<Arc<dyn Socket>, BindError> {
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

pub(crate) fn check_names(service: &str, protocol: &str) -> Result<(), BindError> {
    let longest = service.len().max(protocol.len());
    if longest > NAME_MAX { Err(BindError::NameTooLong(longest)) } else { Ok(()) }
}
