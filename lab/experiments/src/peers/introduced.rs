//! Two hosts, each behind a NAT or not, who are introduced to each other: they begin by way of a relay, and go on
//! directly if a way opens (docs/splitting.md, "Introduced").
//!
//! An [`Introduced`] is a world: two ends, their NATs, a relay with a host and a helper on one port, at which both
//! attend, and a second host that only tells who asks where it sees them.

mod parties;
mod rendezvous;

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_endpoint::Port;
use tng_middlebox::{ClientTag, Helper, HelperConfig, Terms};
use tng_sim::topology::ipv4;
use tng_sim::{
    Link, MachineNode, NatConfig, NatDrop, NatFilter, NatMapping, NatPorts, Node, NodeId, PORT, World, fork,
};
use tng_stack::structured::ServiceOptions;
use tng_stack::{Access, EventKind, Host, HostConfig, Identity, Relayed, Stop, Target, Via};

use self::parties::{Called, Caller};
use self::rendezvous::{Beside, Rendezvous};
use crate::peers::helped::Post;
use crate::peers::transport::tell;
use crate::settings::{Configured, Settings};

/// The stream on which a host attends at a rendezvous, or asks for an introduction.
const MEETS: (&str, &str) = ("rendezvous", "lab/1");
/// The stream between the two ends.
const TALKS: (&str, &str) = ("talk", "lab/1");
/// [`Instant::ZERO`] in milliseconds since 1970, for the helper.
const EPOCH_MS: u64 = 1_700_000_000_000;
/// What a capability is good for: longer than any run.
const TERMS: Terms = Terms { life: Duration::from_secs(24 * 3_600), flows_max: 4, tunnels: false };
/// What was said last is back by then.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// The outer addresses of the NATs, and the hosts', and those of the relay and of the other observer.
const OUTER: [u16; 2] = [301, 302];
const INNER: [u16; 2] = [1, 2];
const RELAY: u16 = 100;
const OBSERVER: u16 = 101;

/// Lots of a world: what each is for.
mod lot {
    pub(super) const HELPER: u64 = 1;
    pub(super) const CAPABILITY: u64 = 2;
    pub(super) const HOSTS: u64 = 3;
    pub(super) const NONCES: u64 = 16;
}

/// What stands before an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before {
    /// Nothing.
    Open,
    /// A NAT that keeps ports, the same for all whom a host sends to, and lets in whom it has sent to: as nft
    /// `masquerade`.
    Preserving,
    /// One that gives another port by lot to each address and port, and lets in who has that address and port: as nft
    /// `masquerade random`.
    Random,
    /// One that keeps ports, and lets in the addresses that a host has sent to, from any port of theirs.
    ByAddress,
}

impl Before {
    /// Every one, by its name.
    pub const ALL: [(&str, Before); 4] = [
        ("open", Before::Open),
        ("preserving", Before::Preserving),
        ("random", Before::Random),
        ("by-address", Before::ByAddress),
    ];

    fn nat(self, outer: IpAddr) -> Option<NatConfig> {
        let plain = NatConfig::new(vec![outer]);
        Some(match self {
            Before::Open => return None,
            Before::Preserving => plain,
            Before::Random => NatConfig { ports: NatPorts::Random, mapping: NatMapping::Each, ..plain },
            Before::ByAddress => NatConfig { filter: NatFilter::Address, ..plain },
        })
    }
}

/// A world of two hosts who are introduced.
#[derive(Clone, Debug)]
pub struct Introduced {
    /// Determines every lot.
    pub seed: u64,
    /// What stands before who calls, and before who is called.
    pub before: [Before; 2],
    /// Both are behind the first's.
    pub shared: bool,
    /// It turns round what those behind it send to its own address.
    pub hairpin: bool,
    /// Who calls knows the other's own addresses, too, beside the one where it is seen.
    pub own_addresses: bool,
    /// How long one way takes: of the link of each end, and of the relay's.
    pub delays: [Duration; 3],
    /// The share of packets that each of these links loses.
    pub loss: f64,
    /// The relay is only there for that, and not one that the user has chosen.
    pub only_to_reach: bool,
    /// Whether the hosts heed that they are introduced: if not, they know each other's addresses and no more.
    pub heeds: bool,
    /// When the NAT of an end is restarted.
    pub restart: Option<(usize, Duration)>,
    /// From when until when nothing comes to the relay, or from it.
    pub relay_out: Option<[Duration; 2]>,
    /// How long both attend before one asks for the other.
    pub waits: Duration,
    /// How long the two talk: who calls says something every 20 ms, and hears it back.
    pub talks: Duration,
    /// How long NATs remember.
    pub forgets: Duration,
}

impl Introduced {
    /// One in which both ends have NATs that keep ports, at 20, 15 and 5 ms from the middle.
    pub fn new(seed: u64, before: [Before; 2]) -> Introduced {
        Introduced {
            seed,
            before,
            shared: false,
            hairpin: false,
            own_addresses: false,
            delays: [20, 15, 5].map(Duration::from_millis),
            loss: 0.0,
            only_to_reach: true,
            heeds: true,
            restart: None,
            relay_out: None,
            waits: Duration::from_secs(1),
            talks: Duration::from_secs(10),
            forgets: tng_sim::NAT_FORGETS,
        }
    }

    fn link(&self, delay: Duration) -> Link {
        let link = Link::new().rate(50_000_000).delay(delay);
        if self.loss > 0.0 { link.loss(tng_sim::Loss::Independent(self.loss)) } else { link }
    }

    fn helper(&self) -> HelperConfig {
        Post::at(0).config
    }

    fn nats(&self) -> [Option<NatConfig>; 2] {
        core::array::from_fn(|end| {
            let config = self.before[end].nat(ipv4(OUTER[end]))?;
            (end == 0 || !self.shared).then_some(NatConfig { forgets: self.forgets, hairpin: self.hairpin, ..config })
        })
    }

    /// How long a round trip of the relayed path takes, of light alone.
    pub fn relayed_round_trip(&self) -> Duration {
        (self.delays[0] + self.delays[1] + self.delays[2] * 2) * 2
    }

    /// Makes its world, and runs it until both have fallen silent.
    pub fn run(&self) -> Met {
        let mut world: World<Box<dyn Node>> = World::new(self.seed);
        let met: Rc<RefCell<Met>> = Rc::default();
        let core = world.router("core");
        let identity = |number: u64| Identity::from_seed(fork(self.seed, lot::HOSTS | number << 8).bytes());
        let host = |number: u64, access: Access| {
            let mut host = Host::new(HostConfig::new(access), identity(number), fork(number, self.seed).bytes::<32>());
            for (service, protocol) in [MEETS, TALKS] {
                host.listen(service, protocol, ServiceOptions::default());
            }
            host
        };
        let [relay_at, observer_at] = [RELAY, OBSERVER].map(|n| SocketAddr::new(ipv4(n), PORT));
        let to = |number: u64, address: SocketAddr| Target {
            eid: identity(number).eid(),
            addresses: vec![address],
            capability: None,
            via: Vec::new(),
        };
        let meets = vec![to(2, relay_at), to(3, observer_at)];

        let secret = Secret32::from_bytes(fork(self.seed, lot::HELPER).bytes());
        let helper = Helper::new(self.helper(), &secret, EPOCH_MS, fork(self.seed, lot::HELPER).bytes::<32>());
        let capability =
            helper.office().issue(Instant::ZERO, ClientTag(1), TERMS, fork(self.seed, lot::CAPABILITY).bytes());
        let stop = Stop::new(relay_at, capability);
        let via = vec![Via { only_to_reach: self.only_to_reach, ..Via::new(identity(2).eid(), stop) }];
        let calls_at = Instant::ZERO + self.waits;
        let end = calls_at + self.talks;

        let rendezvous = Rendezvous::new(fork(self.seed, lot::NONCES));
        let relay = MachineNode::new(Port::new((host(2, Access::Public), helper)), Beside(rendezvous));
        let observer = Rendezvous::new(fork(self.seed, lot::NONCES + 1));
        let observer = MachineNode::new(host(3, Access::Public), observer);
        let own = self.own_addresses.then(|| SocketAddr::new(ipv4(INNER[1]), PORT));
        let caller = Caller::new((meets.clone(), self.heeds), (identity(1).eid(), via, own), [calls_at, end], &met);
        let caller = MachineNode::new(host(0, Access::Nobody), caller);
        let called = MachineNode::new(host(1, Access::Public), Called::new((meets, self.heeds), &met));
        let ends: [Box<dyn Node>; 2] = [Box::new(caller), Box::new(called)];

        let mut gates: [Option<NodeId>; 2] = [None; 2];
        let mut hosts = Vec::new();
        for (number, node) in ends.into_iter().enumerate() {
            let id = world.host(["caller", "called"][number], &[ipv4(INNER[number])], node);
            let link = self.link(self.delays[number]);
            let at_home = Link::new().rate(1_000_000_000).delay(Duration::from_micros(100));
            match (self.before[number], gates[0].filter(|_| self.shared)) {
                (_, Some(gate)) => _ = world.connect(id, gate, &at_home),
                (Before::Open, None) => _ = world.connect(id, core, &link),
                (_, None) => {
                    let gate = world.router(["first NAT", "second NAT"][number]);
                    world.connect(id, gate, &at_home);
                    world.connect(gate, core, &link);
                    gates[number] = Some(gate);
                }
            }
            hosts.push(id);
        }
        for (number, (config, gate)) in self.nats().into_iter().zip(gates).enumerate() {
            if let (Some(config), Some(gate)) = (config, gate) {
                let behind = if self.shared { hosts.clone() } else { vec![hosts[number]] };
                world.set_nat(gate, config, &behind);
                if let Some((_, at)) = self.restart.filter(|(end, _)| *end == number) {
                    world.at(Instant::ZERO + at, move |world| world.restart_nat(gate));
                }
            }
        }
        for (name, address, node) in
            [("relay", RELAY, Box::new(relay) as Box<dyn Node>), ("observer", OBSERVER, Box::new(observer))]
        {
            let id = world.host(name, &[ipv4(address)], node);
            let link = world.connect(id, core, &self.link(self.delays[2]));
            if let Some([from, to]) = self.relay_out.filter(|_| name == "relay") {
                world.outage(link, Instant::ZERO + from, Instant::ZERO + to);
            }
        }
        world.run_until(end + LAST_WORDS);
        let mut met = met.take();
        met.filtered = gates.into_iter().flatten().map(|gate| world.dropped_at_nat(gate, NatDrop::Filtered)).sum();
        met
    }
}

impl Configured for Introduced {
    fn tell(&self, settings: &mut Settings) {
        for (name, delay) in
            ["link of who calls", "link of who is called", "links of relay and observer"].into_iter().zip(self.delays)
        {
            tell::link(settings, name, &self.link(delay));
        }
        for (name, before) in ["before who calls", "before who is called"].into_iter().zip(self.before) {
            settings.set(name, "NAT", format_args!("{before:?}"));
        }
        settings.set("before who calls", "both are behind it", self.shared);
        tell::host(settings, "ends, relay and observer", &HostConfig::new(Access::Public));
        tell::helper(settings, "relay", &self.helper());
        settings.set("talk", "every", format_args!("{:?}", parties::SAYS_EVERY));
        settings.set("talk", "for", format_args!("{:?}", self.talks));
    }
}

/// What became of the two.
#[derive(Clone, Debug, Default)]
pub struct Met {
    /// When who calls asked to be introduced.
    pub asked_at: Option<Instant>,
    /// When each was told of the other: who calls, who is called.
    pub introduced_at: [Option<Instant>; 2],
    /// When the first byte came to who was called, and its answer to who calls.
    pub first_at: [Option<Instant>; 2],
    /// Whether the first byte came by way of the relay.
    pub began_relayed: bool,
    /// When what who calls says began to go directly, and whether it does at the end.
    pub direct_at: Option<Instant>,
    /// Whether it goes directly at the end.
    pub is_direct: bool,
    /// Why it does not, at the end.
    pub relayed: Option<Relayed>,
    /// What who called was told of its connection.
    pub events: Vec<(Instant, EventKind)>,
    /// Words that were said, and that came back, in order.
    pub said: u64,
    /// And came back.
    pub back: u64,
    /// The longest time for which nothing came back, once something had.
    pub silence: Duration,
    /// What went wrong.
    pub failure: Option<String>,
    /// Packets that the NATs let in from nobody.
    pub filtered: u64,
}

impl Met {
    /// How long after the introduction the two talk directly.
    pub fn direct_after(&self) -> Option<Duration> {
        let introduced = self.introduced_at.iter().flatten().max()?;
        self.direct_at.map(|at| at.since(*introduced))
    }

    /// How long after the caller was introduced the first byte was with who was called.
    pub fn first_after(&self) -> Option<Duration> {
        Some(self.first_at[0]?.since(self.introduced_at[0]?))
    }

    /// How often an introduction was wanted that nobody had made.
    pub fn wanted(&self) -> usize {
        self.events.iter().filter(|(_, kind)| matches!(kind, EventKind::WantsIntroduction)).count()
    }

    fn fail(&mut self, why: impl Into<String>) {
        self.failure.get_or_insert(why.into());
    }
}
