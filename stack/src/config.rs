//! What a host is told at birth.

use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;
use std::collections::BTreeSet;

use tng_base::Eid;
use tng_congestion::Choice;
use tng_endpoint::{IdSpace, MtuConfig};
use tng_flow::Caution;
use tng_semantic::structured;

use crate::{ExchangeLimits, Helpers, HelpersInPath, PathMonitorConfig, Tickets, Via, Watch};

/// Who may connect. There is no default on purpose: access to a server is an explicit choice. What opens the door is
/// not printed.
#[derive(Clone)]
pub enum Access {
    /// Nobody: this host only connects out.
    Nobody,
    /// Everybody.
    Public,
    /// The hosts listed.
    Listed(BTreeSet<Eid>),
    /// Hosts that hold one of these tickets.
    Tickets(Tickets),
    /// Hosts that show this capability, which the application has made and looks after itself: at most 64 bytes. It
    /// does not expire.
    Capability(Vec<u8>),
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Access::Nobody => f.write_str("Nobody"),
            Access::Public => f.write_str("Public"),
            Access::Listed(eids) => f.debug_tuple("Listed").field(eids).finish(),
            Access::Tickets(tickets) => f.debug_tuple("Tickets").field(tickets).finish(),
            Access::Capability(_) => f.write_str("Capability(..)"),
        }
    }
}

/// Settings of a [`Host`](crate::Host). Every default is listed in `docs/limits.md`.
#[derive(Clone, Debug)]
pub struct HostConfig {
    /// Who may connect.
    pub access: Access,
    /// Where a host that listens is, in any words: the same after a restart, and no two hosts of one identity may say
    /// the same. Its stateless resets go by it.
    pub place: Vec<u8>,
    /// Whether peers with access are accepted without asking the application.
    pub auto_accept: bool,
    /// Congestion controller. On a helped path it governs the section at this end, or, if it is bbr, cubic does
    /// ([`SectionChoice`](tng_congestion::SectionChoice)).
    pub controller: Choice,
    /// Whether bursts are spread over the round trip.
    pub pacing: bool,
    /// A channel ends when nothing arrived for this long, nor since something was sent that asks for an answer. `None`:
    /// never. Its streams are kept, see [`keep`](HostConfig::keep).
    pub idle_timeout: Option<Duration>,
    /// A packet is sent when nothing was sent for this long, so that the peer and the NATs between stay awake. While
    /// streams are open that happens in any case, after half of the idle timeout (three quarters at the end that was
    /// asked for the channel), and after 25 s at most.
    pub keep_alive: Option<Duration>,
    /// ICMP says that nobody listens where the peer is, or that its host is not there: it is asked for a sign of life
    /// at once, and if it gives none for so long, the connection ends. `None`: what ICMP says ends no wait for a peer
    /// that was there. For an application that has chosen how long a peer is waited for
    /// ([`Host::set_keep`](crate::Host)), that holds.
    pub unreachable_after: Option<Duration>,
    /// When an attempt to reach a peer, or the first helper on the way to it, is made by a carrier, where there is an
    /// address for one (docs/carrier.md).
    pub carried: Carried,
    /// A connection attempt, or a half-open entry, is given up after this.
    pub set_up_timeout: Duration,
    /// How long, and how much of, streams are kept while their peer is unreachable.
    pub keep: Keep,
    /// Bytes that all connections together may hold: what is written and not acknowledged, what has arrived and is not
    /// read, what was promised as credit, and [`CONNECTION_COST`](crate::CONNECTION_COST) for each connection there is.
    /// As it fills, each peer gets less, and when it is full those give way that docs/machines.md lists ("Budget").
    pub memory_max: u64,
    /// How long without progress until a path counts as failed.
    pub path_failed_after: Duration,
    /// Path MTU discovery.
    pub mtu: MtuConfig,
    /// Connections that peers have begun and confirmed, at most. When there are as many, one more takes the place of
    /// another from the network (an IPv4 address, or an IPv6 /64) with the most, if that has more than its own would;
    /// or of one that is left alone (no streams and silence for a second, or no answer) from a network with as many.
    /// Otherwise it is refused. Connections that this host opens itself do not count.
    pub connections_max: usize,
    /// Connections at most that one peer may have. Of more, that which was heard of least lately gives way: a peer that
    /// was killed again and again is not locked out by what it left. What they may hold together is bounded by
    /// [`memory_max`](HostConfig::memory_max).
    pub connections_per_peer: usize,
    /// Half-open entries held at most. Who shows a cookie when the table is full replaces one that showed none, or one
    /// of the network with the most.
    pub half_open_max: usize,
    /// Half-open entries that one IPv4 address, or one IPv6 /64, may hold once it has returned a cookie; a further one
    /// replaces the oldest of them.
    pub half_open_per_network: usize,
    /// Half-open entries above which a stranger must return a cookie before it costs state or a Diffie-Hellman.
    pub cookie_above: usize,
    /// How many exchanges (Diffie-Hellman) are made with those who connect.
    pub exchanges: ExchangeLimits,
    /// Whether nothing at all is said to who does not show that it knows this host's EID: to an INIT for another host,
    /// which else is told this one's EID, and to packets of channels that this host does not know. Nor does its port
    /// tell anybody what is not served there. Then nobody finds it who looks for hosts. The price: peers of a host that
    /// was restarted find out after their probes, not at once.
    pub silent: bool,
    /// Packets sent under one key before it is renewed in place.
    pub renew_keys_after: u64,
    /// Accept and offer the weak keyed checksum instead of encryption, if the peer's configuration says so too
    /// (SST 4.2.3). Anyone on the path can read and forge.
    pub danger_weak: bool,
    /// Which helpers peers may come through.
    pub helpers: Helpers,
    /// Whose offers this host takes of helpers in the path that nobody named.
    pub in_path: HelpersInPath,
    /// How helped paths are judged; `None` leaves one only when it fails, and then for good.
    pub judge: Option<PathMonitorConfig>,
    /// Which of the hosts that share its identity and address it is: it gives out ids that say so.
    pub ids: IdSpace,
    /// Streams.
    pub streams: structured::Config,
    /// What the host tells its observers.
    pub watch: Watch,
    /// What guards against peers that die, lie, or are copied: for tests that show what it is for.
    #[doc(hidden)]
    pub caution: Caution,
}

impl HostConfig {
    /// The defaults, with `access`.
    pub fn new(access: Access) -> HostConfig {
        HostConfig {
            access,
            place: Vec::new(),
            auto_accept: true,
            controller: Choice::default(),
            pacing: true,
            idle_timeout: Some(Duration::from_secs(30)),
            keep_alive: None,
            unreachable_after: Some(UNREACHABLE_AFTER),
            carried: Carried::After(CARRIED_AFTER),
            set_up_timeout: Duration::from_secs(10),
            keep: Keep::default(),
            memory_max: MEMORY_MAX,
            path_failed_after: Duration::from_secs(20),
            mtu: MtuConfig::default(),
            connections_max: 65_536,
            connections_per_peer: 256,
            half_open_max: 1_024,
            half_open_per_network: 256,
            cookie_above: 256,
            exchanges: ExchangeLimits::default(),
            silent: false,
            renew_keys_after: tng_isolation::RENEW_AFTER,
            danger_weak: false,
            helpers: Helpers::Any,
            in_path: HelpersInPath::Allowed,
            judge: Some(PathMonitorConfig::default()),
            ids: IdSpace::WHOLE,
            streams: structured::Config { host_window_first: FIRST_WINDOW, ..structured::Config::default() },
            watch: Watch::default(),
            caution: Caution::default(),
        }
    }
}

/// How long a peer may be silent when ICMP says that nobody listens where it is. A NAT that has lost what it knew
/// says so of a peer behind it that is well, and that finds out by its keep-alive, after 15 s at most.
pub const UNREACHABLE_AFTER: Duration = Duration::from_secs(20);

/// Credit over all streams that a connection has from its start, in bytes, if memory is not short and nobody says
/// otherwise.
pub const FIRST_WINDOW: u64 = 8 << 20;

/// Bytes that all connections together may hold, if nobody says otherwise.
pub const MEMORY_MAX: u64 = 256 << 20;

/// How long UDP has to answer before a carrier is tried as well.
pub const CARRIED_AFTER: Duration = Duration::from_secs(1);

/// How long a connection may be without a channel, if nobody says otherwise.
pub const KEPT_FOR: Duration = Duration::from_secs(60);

/// Bytes that the buffers of one unreachable peer may hold undisturbed, if nobody says otherwise.
pub const KEPT_BYTES_PER_PEER: usize = 1 << 20;

/// Bytes that the buffers of all unreachable peers together may hold, if nobody says otherwise.
pub const KEPT_BYTES_MAX: usize = 256 << 20;

/// How long, and how much of, streams are kept while their peer is unreachable. Each end decides for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keep {
    /// How long a connection may be without a channel; `None` is for ever. An application may choose otherwise for one
    /// of its connections.
    pub time: Option<Duration>,
    /// Bytes that the buffers of one unreachable peer may hold undisturbed.
    pub bytes_per_peer: usize,
    /// Bytes that the buffers of all unreachable peers together may hold, half of
    /// [`memory_max`](HostConfig::memory_max) at most. Beyond it connections are given up, the one longest without a
    /// channel first: of those that hold more than `bytes_per_peer`; then of those whose time no application has
    /// chosen; then of all.
    pub bytes_max: usize,
}

impl Default for Keep {
    fn default() -> Keep {
        Keep { time: Some(KEPT_FOR), bytes_per_peer: KEPT_BYTES_PER_PEER, bytes_max: KEPT_BYTES_MAX }
    }
}

/// When peers are asked by carriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carried {
    /// So much later than by UDP, if there is no answer by then.
    After(Duration),
    /// At once, and by nothing else.
    Only,
}

/// Whom to connect to, and where it may be found. Its capability is not printed.
#[derive(Clone)]
pub struct Target {
    /// The host.
    pub eid: Eid,
    /// Addresses to try, the likeliest first. They are raced: the next is tried 250 ms after the one before.
    pub addresses: Vec<SocketAddr>,
    /// A capability to show, if its access asks for one.
    pub capability: Option<Vec<u8>>,
    /// The helpers that the path is to lead through, in order; none for a direct one. If they do not help, the path is
    /// direct.
    pub via: Vec<Via>,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target")
            .field("eid", &self.eid)
            .field("addresses", &self.addresses)
            .field("via", &self.via)
            .finish_non_exhaustive()
    }
}

/// A host whose addresses are not known; who connects asks a registry for them.
impl From<Eid> for Target {
    fn from(eid: Eid) -> Target {
        Target { eid, addresses: Vec::new(), capability: None, via: Vec::new() }
    }
}
