//! Servers that keep nothing: several replicas with one secret, killed and started again, with clocks that differ,
//! under clients that move, and everything else that the swarm has.
//!
//! A [`Oracle`](judge::Oracle) has the keys of the fleet and sees what passes. It remembers what servers forget: which
//! continuations each has acted on, and which numbers it has sent.

mod judge;
mod replica;
mod visitor;

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use tng_base::{Ecn, Input, Instant, Machine, Output, Rng};
use tng_endpoint::{ExchangeLimits, Rate};
use tng_isolation::{Family as Messages, Identity};
use tng_sim::topology::ipv4;
use tng_sim::{Carrier, Link, LinkId, Node, NodeId, Outbox, PORT, World};
use tng_trickles::EPOCH;
use tng_trickles::client::{Client, ClientConfig, Options, Policy, Replicas};
use tng_trickles::replay::BloomSize;
use tng_trickles::server::{FilterConfig, ServerConfig};
use tng_trickles::set_up::Call;
use tng_trickles::wire::REQUEST;

use self::replica::{Apart, Defect, Fleet, Replica};
use self::visitor::{Visitor, Wish};
use super::Figures;
use super::plan::{harsh, mild, pick};
use super::seat::NOBODY;

/// Clocks of replicas are ahead by less than this: the skew.
const AHEAD_MAX_MS: u64 = 5_000;

/// A clock that is wrong is behind by more than this: the age limit and twice the skew. To such a clock all that others
/// have given out is of a time to come. One that is behind by less acts on what was spent before, until it is set: that
/// clocks differ by the skew at most is what servers go by.
const BEHIND_MIN_MS: u64 = 10_000 + 2 * AHEAD_MAX_MS + 1;

/// Time for all objects to come once nothing more befalls anybody.
const PATIENCE: Duration = Duration::from_secs(7_200);

/// When clients have all that they want they fall silent: after this time, for that long.
const CALM_AFTER: Duration = Duration::from_secs(10);
const CALM: Duration = Duration::from_secs(100);

/// Serials that a ring remembers, and what rings may hold in the end for each server that ever was; or Bloom filters,
/// which are as large as what came lately needs; and what a server may hold besides.
const SERIALS: u64 = (1 << 17) - 64;
const HELD_PER_LIFE_MAX: usize = 16 << 10;
const BLOOMS_HELD_MAX: usize = 64 << 10;
const HELD_MAX: usize = 4 << 10;

/// Datagrams of a flood at most; and remembered for it.
const FLOOD_MAX: u64 = 300;
const SEEN_MAX: usize = 256;

/// INIT (wire.md, section 2).
const INIT: u8 = 0x01;

/// Something that happens. `which` is a replica, `who` a client.
#[derive(Clone, Debug)]
enum Blow {
    /// A replica ends, and another begins with the same secret a while later.
    Kill {
        which: usize,
        away_ms: u64,
        ahead_ms: u64,
    },
    /// The same, but its clock is far behind at first, and is set a while later.
    KillBehind {
        which: usize,
        away_ms: u64,
        behind_ms: u64,
        set_after_ms: u64,
    },
    /// All of them.
    KillAll {
        away_ms: u64,
    },
    /// A clock is set.
    Clock {
        which: usize,
        ahead_ms: u64,
    },
    /// A replica has so much to do.
    Load {
        which: usize,
        percent: u64,
    },
    /// A replica or a client does not run for a while.
    SleepReplica {
        which: usize,
        ms: u64,
    },
    SleepClient {
        who: usize,
        ms: u64,
    },
    /// A client has another address, and knows.
    Move {
        who: usize,
    },
    /// A translator gives it another address, or only another port.
    Rebind {
        who: usize,
        port_alone: bool,
    },
    /// No packet passes to and from a client, or a replica.
    OutageClient {
        who: usize,
        ms: u64,
    },
    OutageReplica {
        which: usize,
        ms: u64,
    },
    /// Packets wait, and then all come.
    Hold {
        who: usize,
        ms: u64,
    },
    /// The road is another from now on.
    Road {
        who: usize,
        forth: Box<Link>,
        back: Box<Link>,
    },
    /// Somebody sends what he has seen, perhaps damaged, in the name of who sent it or from elsewhere, to any replica.
    Copies {
        count: u64,
        flipped: bool,
        in_its_name: bool,
    },
    /// Nonsense, from elsewhere.
    Garbage {
        count: u64,
    },
    /// INITs of strangers, from elsewhere.
    Inits {
        count: u64,
    },
}

/// What a client is drawn as.
#[derive(Clone, Debug)]
struct Guest {
    link: (Link, Link),
    policy: Policy,
    late: Duration,
    wishes: Vec<Wish>,
    repeats_requests: bool,
}

/// What is drawn by lot.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The link of each replica, and how far its clock is ahead.
    replicas: Vec<(Link, u64)>,
    guests: Vec<Guest>,
    filter: FilterConfig,
    cookies: bool,
    into_epoch: Duration,
    part: Option<u64>,
    blows: Vec<(u64, Blow)>,
}

fn wishes(rng: &mut Rng, is_harsh: bool) -> Vec<Wish> {
    let most = if is_harsh { 20_000 } else { pick(rng, &[3_000, 60_000, 400_000]) };
    let mut at = 0;
    let mut wish = |rng: &mut Rng, is_late: bool| {
        at += if is_late { pick(rng, &[30_000, 400_000, 1_500_000]) } else { rng.below(4_000) };
        let len = rng.below(most);
        let from = if rng.chance(0.2) { rng.below(len / 2 + 1) } else { 0 };
        let until = rng.chance(0.2).then(|| from + rng.below(len + 10));
        let reserve = pick(rng, &[2_000, 30_000, 80_000, 1 << 24]);
        let buffer = pick(rng, &[9_000, 100_000, 1 << 22]);
        Wish {
            at: Instant::from_millis(at),
            len,
            salt: rng.u64(),
            room: if rng.chance(0.2) { rng.below(4_000) as usize } else { 0 },
            options: Options { reserve, buffer, from, until, ..Options::default() },
            is_slow: rng.chance(0.1),
            until: rng.chance(0.05).then(|| from + rng.below(len + 1)),
        }
    };
    let mut wishes: Vec<Wish> = (0..3 + rng.below(8)).map(|_| wish(rng, false)).collect();
    if rng.chance(0.2) {
        wishes.push(wish(rng, true));
    }
    wishes
}

impl Plan {
    pub fn draw(rng: &mut Rng) -> Plan {
        let replicas: Vec<(Link, u64)> = (0..1 + rng.below(4))
            .map(|_| {
                let delay = Duration::from_micros(pick(rng, &[50, 1_000, 10_000, 30_000]));
                (Link::new().rate(1_000_000_000).delay(delay), rng.below(AHEAD_MAX_MS))
            })
            .collect();
        let guests: Vec<Guest> = (0..1 + rng.below(3))
            .map(|_| {
                let is_harsh = rng.chance(0.25);
                let road = |rng: &mut Rng| if is_harsh { harsh(rng) } else { mild(rng) };
                Guest {
                    link: (road(rng), road(rng)),
                    policy: pick(rng, &[Policy::Stay, Policy::Spray, Policy::Nearest]),
                    late: Duration::from_micros(pick(rng, &[0, 0, 1_000, 20_000])),
                    wishes: wishes(rng, is_harsh),
                    repeats_requests: rng.chance(0.8),
                }
            })
            .collect();
        let (servers, clients) = (replicas.len() as u64, guests.len() as u64);
        let blow = |rng: &mut Rng| {
            let (which, who) = (rng.below(servers) as usize, rng.below(clients) as usize);
            let away_ms = pick(rng, &[0, 0, 50, 700, 3_000, 30_000]);
            let count = 10 + rng.below(150);
            match rng.below(21) {
                0..=4 => Blow::Kill { which, away_ms, ahead_ms: rng.below(AHEAD_MAX_MS) },
                5 => Blow::KillAll { away_ms },
                6 => Blow::Clock { which, ahead_ms: rng.below(AHEAD_MAX_MS) },
                7 => Blow::Load { which, percent: rng.below(90) },
                8 => Blow::SleepReplica { which, ms: 10 + rng.below(5_000) },
                9 => Blow::SleepClient { who, ms: 10 + rng.below(20_000) },
                10 => Blow::Move { who },
                11 => Blow::Rebind { who, port_alone: rng.chance(0.5) },
                12 => Blow::OutageClient { who, ms: 50 + rng.below(40_000) },
                13 => Blow::OutageReplica { which, ms: 50 + rng.below(20_000) },
                14 => Blow::Hold { who, ms: 50 + rng.below(12_000) },
                15 => Blow::Road { who, forth: Box::new(mild(rng)), back: Box::new(mild(rng)) },
                16 | 17 => Blow::Copies { count, flipped: rng.chance(0.3), in_its_name: rng.chance(0.6) },
                18 => Blow::Garbage { count },
                19 => Blow::KillBehind {
                    which,
                    away_ms,
                    behind_ms: BEHIND_MIN_MS + rng.below(60_000),
                    set_after_ms: 1 + rng.below(3_000),
                },
                _ => Blow::Inits { count },
            }
        };
        let mut blows: Vec<(u64, Blow)> = (0..rng.below(9)).map(|_| (20 + rng.below(15_000), blow(rng))).collect();
        blows.sort_by_key(|(at, _)| *at);
        let epoch_ms = EPOCH.as_millis() as u64;
        Plan {
            replicas,
            guests,
            filter: match rng.chance(0.5) {
                true => FilterConfig::Serials(SERIALS),
                false => FilterConfig::Filters(BloomSize::new(1 << 16, 6).expect("a size"), 0.000_2),
            },
            cookies: rng.chance(0.2),
            into_epoch: Duration::from_millis(if rng.chance(0.3) { epoch_ms - 9_000 } else { rng.below(epoch_ms) }),
            // Each takes a round trip, and a connection that is lost begins the asking anew: on the worst roads there
            // is time for a few dozen parts, and for a hundred there never is.
            part: rng.chance(0.3).then(|| 200 + rng.below(1_000)),
            blows,
        }
    }
}

/// Who takes part.
enum Party {
    Replica(Box<Replica>),
    Visitor(Box<Visitor>),
}

impl Party {
    fn replica(&mut self) -> Option<&mut Replica> {
        if let Party::Replica(replica) = self { Some(replica) } else { None }
    }

    fn visitor(&mut self) -> Option<&mut Visitor> {
        if let Party::Visitor(visitor) = self { Some(visitor) } else { None }
    }

    fn as_visitor(&self) -> Option<&Visitor> {
        if let Party::Visitor(visitor) = self { Some(visitor) } else { None }
    }
}

impl Node for Party {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match self {
            Party::Replica(replica) => replica.handle_input(now, input),
            Party::Visitor(visitor) => visitor.handle_input(now, input),
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        match self {
            Party::Replica(replica) => replica.handle_timeout(now),
            Party::Visitor(visitor) => visitor.handle_timeout(now),
        }
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        match self {
            Party::Replica(replica) => replica.poll(now, outbox),
            Party::Visitor(visitor) => visitor.poll(now, outbox),
        }
    }
}

/// What somebody between has seen: from whom.
type Seen = Rc<RefCell<VecDeque<(SocketAddr, Vec<u8>)>>>;

/// A run under way.
struct Ride {
    world: World<Party>,
    fleet: Rc<Fleet>,
    replicas: Vec<NodeId>,
    replica_links: Vec<LinkId>,
    visitors: Vec<NodeId>,
    links: Vec<LinkId>,
    places: Vec<IpAddr>,
    /// Where each client seems to be, behind its translator.
    seen_at: Vec<Option<SocketAddr>>,
    moves: u16,
    lives: usize,
    seen: Seen,
    rng: Rng,
}

fn replica_at(which: usize) -> IpAddr {
    ipv4(1 + which as u16)
}

impl Ride {
    fn new(seed: u64, plan: &Plan, mut rng: Rng, defect: Defect) -> Ride {
        let mut world = World::new(seed);
        world.record_digest();
        let mut config = ServerConfig { filter: plan.filter, timeouts: 1 << 10, ..ServerConfig::default() };
        config.set_up.exchanges = match plan.cookies {
            true => ExchangeLimits { unproven: Rate { per_s: 0, burst: 0 }, ..ExchangeLimits::default() },
            false => ExchangeLimits::default(),
        };
        let fleet = Rc::new(Fleet {
            identity: rng.bytes(),
            secret: rng.bytes(),
            into_epoch: plan.into_epoch,
            config,
            part: plan.part,
            defect,
            judge: Rc::default(),
            lives: Cell::default(),
        });
        let router = world.router("r");
        let (mut replicas, mut replica_links) = (Vec::new(), Vec::new());
        for (which, (link, ahead_ms)) in plan.replicas.iter().enumerate() {
            let apart = Apart::Ahead(Duration::from_millis(*ahead_ms));
            let replica = fleet.start(Instant::ZERO, which, apart, rng.fork());
            let node = world.host("replica", &[replica_at(which)], Party::Replica(Box::new(replica)));
            replica_links.push(world.connect(node, router, link));
            replicas.push(node);
        }
        let (mut visitors, mut links, mut places, seen) = (Vec::new(), Vec::new(), Vec::new(), Seen::default());
        for (who, guest) in plan.guests.iter().enumerate() {
            let at = ipv4(20 + who as u16);
            let addresses: Vec<SocketAddr> =
                (0..plan.replicas.len()).map(|which| (replica_at(which), PORT).into()).collect();
            let config = ClientConfig {
                set_up_timeout: PATIENCE,
                silence_max: PATIENCE,
                repeats_requests: guest.repeats_requests,
                ..ClientConfig::default()
            };
            let replicas = Replicas::new(addresses, guest.policy).expect("there are some");
            let call = Call::new(fleet.identity().eid());
            let (identity, seed) = (Identity::from_seed(rng.bytes()), rng.bytes::<32>());
            let client = Client::connect(config, identity, call, replicas, seed, Instant::ZERO);
            let visitor = Visitor::new(client, &fleet.judge, guest.wishes.clone(), guest.late, rng.fork());
            let node = world.host("client", &[at], Party::Visitor(Box::new(visitor)));
            let link = world.connect_with(node, router, &guest.link.0, &guest.link.1);
            let kept = Rc::clone(&seen);
            world.intercept(link.forth(), move |_, packet| {
                let mut seen = kept.borrow_mut();
                if seen.len() == SEEN_MAX {
                    seen.pop_front();
                }
                seen.push_back((packet.src, packet.payload.clone()));
                true
            });
            visitors.push(node);
            links.push(link);
            places.push(at);
        }
        let (seen_at, lives) = (vec![None; visitors.len()], replicas.len());
        Ride { world, fleet, replicas, replica_links, visitors, links, places, seen_at, moves: 0, lives, seen, rng }
    }

    fn visitor(&mut self, who: usize) -> Option<&mut Visitor> {
        self.world.running(self.visitors[who])?;
        self.world.node_mut(self.visitors[who]).visitor()
    }

    fn replica(&mut self, which: usize) -> Option<&mut Replica> {
        self.world.running(self.replicas[which])?;
        self.world.node_mut(self.replicas[which]).replica()
    }

    /// A replica ends; another begins after so long.
    fn kill(&mut self, which: usize, away: Duration, apart: Apart) {
        let node = self.replicas[which];
        if self.world.stop(node).is_none() {
            return;
        }
        self.lives += 1;
        let (fleet, rng) = (Rc::clone(&self.fleet), self.rng.fork());
        self.world.at(self.world.now() + away, move |world| {
            let replica = fleet.start(world.now(), which, apart, rng);
            world.start(node, Party::Replica(Box::new(replica)));
        });
    }

    fn strike(&mut self, blow: &Blow) {
        let (now, ms) = (self.world.now(), Duration::from_millis);
        match *blow {
            Blow::Kill { which, away_ms, ahead_ms } => self.kill(which, ms(away_ms), Apart::Ahead(ms(ahead_ms))),
            Blow::KillBehind { which, away_ms, behind_ms, set_after_ms } => {
                self.kill(which, ms(away_ms), Apart::Behind(ms(behind_ms)));
                let node = self.replicas[which];
                self.world.at(now + ms(away_ms) + ms(set_after_ms), move |world| {
                    let now = world.now();
                    if world.running(node).is_some()
                        && let Some(replica) = world.node_mut(node).replica()
                    {
                        replica.set_clock(now, Apart::Ahead(Duration::ZERO));
                    }
                });
            }
            Blow::KillAll { away_ms } => {
                for which in 0..self.replicas.len() {
                    let ahead_ms = self.rng.below(AHEAD_MAX_MS);
                    self.kill(which, ms(away_ms), Apart::Ahead(ms(ahead_ms)));
                }
            }
            Blow::Clock { which, ahead_ms } => {
                let apart = Apart::Ahead(ms(ahead_ms));
                self.replica(which).into_iter().for_each(|replica| replica.set_clock(now, apart));
            }
            Blow::Load { which, percent } => {
                self.replica(which).into_iter().for_each(|replica| replica.set_load(percent as f64 / 100.0));
            }
            Blow::SleepReplica { which, ms: time } => {
                self.replica(which).into_iter().for_each(|replica| replica.sleep(now, ms(time)));
            }
            Blow::SleepClient { who, ms: time } => {
                self.visitor(who).into_iter().for_each(|visitor| visitor.sleep(now, ms(time)));
            }
            Blow::Move { who } => {
                self.moves += 1;
                let new = ipv4(100 + self.moves);
                let old = core::mem::replace(&mut self.places[who], new);
                self.seen_at[who] = None;
                self.world.change_address(self.visitors[who], old, Some(new));
            }
            Blow::Rebind { who, port_alone } => {
                self.moves += 1;
                let before = self.seen_at[who].filter(|_| port_alone).map(|seen| seen.ip());
                let seen = (before.unwrap_or(ipv4(100 + self.moves)), 50_000 + self.moves).into();
                self.seen_at[who] = Some(seen);
                self.world.rebind(self.visitors[who], self.places[who], seen);
            }
            Blow::OutageClient { who, ms: time } => self.world.outage(self.links[who], now, now + ms(time)),
            Blow::OutageReplica { which, ms: time } => {
                self.world.outage(self.replica_links[which], now, now + ms(time));
            }
            Blow::Hold { who, ms: time } => {
                let lanes = self.links[who].lanes();
                lanes.into_iter().for_each(|lane| self.world.set_carrier(lane, Carrier::Holds));
                self.world.at(now + ms(time), move |world| {
                    lanes.into_iter().for_each(|lane| world.set_carrier(lane, Carrier::Up));
                });
            }
            Blow::Road { who, ref forth, ref back } => {
                for (lane, to) in self.links[who].lanes().into_iter().zip([forth, back]) {
                    let to = (**to).clone();
                    self.world.change(lane, move |link| *link = Link { mtu: link.mtu, cost: link.cost, ..to });
                }
            }
            Blow::Copies { count, flipped, in_its_name } => self.copy(count, flipped, in_its_name),
            Blow::Garbage { count } => {
                for at in 0..count.min(FLOOD_MAX) {
                    let mut payload = vec![0; 1 + self.rng.below(1_300) as usize];
                    self.rng.fill(&mut payload);
                    let first = [REQUEST, Messages::Trickles.first_byte(INIT), payload[0]];
                    payload[0] = pick(&mut self.rng, &first);
                    self.flood(at, None, &payload);
                }
            }
            Blow::Inits { count } => {
                let inits: Vec<Vec<u8>> = (0..4).map(|_| self.init()).collect();
                for at in 0..count.min(FLOOD_MAX) {
                    self.flood(at, None, &inits[(at % 4) as usize]);
                }
            }
        }
    }

    fn copy(&mut self, count: u64, flipped: bool, in_its_name: bool) {
        let seen: Vec<_> = self.seen.borrow().iter().cloned().collect();
        for at in 0..count.min(FLOOD_MAX) {
            // The last ones above all: others are too old for anything.
            let back = self.rng.below(seen.len().max(1) as u64) as usize;
            let Some((from, mut payload)) = seen.get(seen.len().saturating_sub(1 + back)).cloned() else { return };
            if flipped && !payload.is_empty() {
                let bit = self.rng.below(payload.len() as u64 * 8);
                payload[(bit / 8) as usize] ^= 1 << (bit % 8);
            }
            self.flood(at, in_its_name.then_some(from), &payload);
        }
    }

    /// The first datagram of a stranger.
    fn init(&mut self) -> Vec<u8> {
        let replicas = Replicas::new(vec![(replica_at(0), PORT).into()], Policy::Stay).expect("there is one");
        let call = Call::new(self.fleet.identity().eid());
        let (identity, seed) = (Identity::from_seed(self.rng.bytes()), self.rng.bytes::<32>());
        let config = ClientConfig::default();
        let mut stranger = Client::connect(config, identity, call, replicas, seed, Instant::ZERO);
        let mut buf = vec![0; 65_536];
        loop {
            match stranger.poll_output(Instant::ZERO, &mut buf) {
                Output::Transmit(transmit) => return buf[..transmit.len].to_vec(),
                Output::NeedsEntropy => {
                    stranger.handle_input(Instant::ZERO, Input::Entropy(&mut self.rng.bytes()));
                }
                Output::Event(_) => {}
                Output::Timeout(_) => unreachable!("a client begins with an INIT"),
            }
        }
    }

    /// One datagram of a flood: a hundred a millisecond, from an address of nobody, or in somebody's name.
    fn flood(&mut self, at: u64, from: Option<SocketAddr>, payload: &[u8]) {
        let [a, b, c] = NOBODY;
        let nobody = SocketAddr::new(IpAddr::from([a, b, c, self.rng.below(40) as u8]), 9);
        let (from, which) = (from.unwrap_or(nobody), self.rng.below(self.replicas.len() as u64) as usize);
        let (to, lane) = ((replica_at(which), PORT).into(), self.replica_links[which].back());
        let payload = payload.to_vec();
        self.world.at(self.world.now() + Duration::from_micros(10 * at), move |world| {
            world.inject(lane, from, to, Ecn::NotEct, &payload);
        });
    }

    /// Goes on until all came that was asked for.
    fn finish(&mut self) -> Result<(), String> {
        let limit = self.world.now() + PATIENCE;
        let (visitors, judge) = (self.visitors.clone(), Rc::clone(&self.fleet.judge));
        let is_done = self.world.wait_until(limit, |world| {
            let is_done = |node: &NodeId| world.node(*node).as_visitor().is_none_or(Visitor::is_done);
            judge.borrow().verdict().is_some() || visitors.iter().all(is_done)
        });
        if let Some(wrong) = self.fleet.judge.borrow().verdict() {
            return Err(wrong.to_owned());
        }
        if is_done {
            return Ok(());
        }
        let waiting = self.visitors.iter().filter_map(|node| self.world.node(*node).as_visitor());
        let waiting: Vec<String> = waiting.filter(|one| !one.is_done()).map(Visitor::waits_for).collect();
        Err(format!("not all came within {PATIENCE:?}: {}", waiting.join("; ")))
    }

    /// Everybody has what was wanted: clients are silent, and servers hold nothing of them.
    fn rest(&mut self) -> Result<(), String> {
        let sent = |ride: &Ride| -> u64 {
            ride.visitors.iter().filter_map(|node| ride.world.node(*node).as_visitor()).map(|one| one.sent).sum()
        };
        self.world.run_until(self.world.now() + CALM_AFTER);
        let before = sent(self);
        self.world.run_until(self.world.now() + CALM);
        let after = sent(self);
        if after != before {
            return Err(format!("clients that have all send {} datagrams in {CALM:?}", after - before));
        }
        let filters_most = match self.fleet.config.filter {
            FilterConfig::Serials(_) => self.lives * HELD_PER_LIFE_MAX,
            FilterConfig::Filters(..) => BLOOMS_HELD_MAX,
        };
        for which in 0..self.replicas.len() {
            let (filters, held) = self.replica(which).map_or((0, 0), |replica| replica.held());
            if filters > filters_most || held > HELD_MAX {
                return Err(format!(
                    "replica {which} holds {held} bytes in the end, {HELD_MAX} are allowed, and its filters {filters} \
                     more than at first, of {filters_most}"
                ));
            }
        }
        Ok(())
    }

    fn figures(&mut self) -> Figures {
        let visitors: Vec<&Visitor> =
            self.visitors.iter().filter_map(|node| self.world.node(*node).as_visitor()).collect();
        let sum = |of: fn(&Visitor) -> u64| visitors.iter().map(|visitor| of(visitor)).sum::<u64>();
        Figures {
            runs: 1,
            bytes: sum(|visitor| visitor.bytes),
            halves: sum(|visitor| visitor.objects),
            packets: sum(|visitor| visitor.sent),
            heard: sum(|visitor| visitor.heard),
            timeouts: sum(|visitor| visitor.stats().timeouts),
            virtual_ns: self.world.now().as_nanos(),
            digest: self.world.digest().unwrap_or_default(),
            ..Figures::default()
        }
    }
}

/// One run, with something broken by hand or nothing.
fn see(seed: u64, plan: &Plan, rng: Rng, defect: Defect) -> Result<Figures, String> {
    let mut ride = Ride::new(seed, plan, rng, defect);
    for (at, blow) in &plan.blows {
        ride.world.run_until(Instant::from_millis(*at).max(ride.world.now()));
        ride.strike(blow);
    }
    // A replica that is away comes back within this time.
    ride.world.run_until(ride.world.now() + Duration::from_secs(45));
    ride.finish()?;
    ride.rest()?;
    // Nothing that was needed was held: others that have just begun serve the same clients, over what these have.
    for which in 0..ride.replicas.len() {
        ride.kill(which, Duration::ZERO, Apart::Ahead(Duration::ZERO));
    }
    let now = ride.world.now();
    for who in 0..ride.visitors.len() {
        let options = Options::default();
        let salt = ride.rng.u64();
        let wish = Wish { at: now, len: 30_000, salt, room: 0, options, is_slow: false, until: None };
        ride.visitor(who).into_iter().for_each(|visitor| visitor.wish(wish.clone()));
    }
    ride.finish()?;
    let judge = Rc::clone(&ride.fleet.judge);
    if judge.borrow().acts == 0 {
        return Err("no continuation was spent".into());
    }
    Ok(ride.figures())
}

/// One run, judged.
///
/// # Errors
/// What did not hold, in words.
pub(super) fn ride(seed: u64, plan: &Plan, rng: Rng) -> Result<Figures, String> {
    see(seed, plan, rng, Defect::Nothing)
}

#[cfg(test)]
mod tests {
    use super::super::{Family, lots};
    use super::*;

    /// What is found of so many worlds in which something is broken.
    fn found(defect: Defect, seeds: u64) -> Vec<String> {
        let see = |seed| {
            let mut rng = lots(Family::Trickles, seed);
            let plan = Plan::draw(&mut rng);
            see(seed, &plan, rng, defect).err()
        };
        (0..seeds).filter_map(see).collect()
    }

    /// That something is broken shows in this way, and in no other, in so many worlds of some at least.
    fn shows(defect: Defect, (worlds, of): (usize, u64), words: &[&str]) {
        let found = found(defect, of);
        assert!(found.len() >= worlds, "control: {defect:?} is found in {} of {of} worlds", found.len());
        let other = found.iter().find(|wrong| !words.iter().any(|words| wrong.contains(words)));
        assert_eq!(other, None, "control: {defect:?}");
    }

    #[test]
    fn a_server_that_takes_what_was_before_its_start_acts_twice() {
        shows(Defect::RemembersNoStart, (3, 100), &["twice"]);
    }

    #[test]
    fn a_packet_more_than_is_released_is_more_than_a_sender_with_a_memory_has_under_way() {
        shows(Defect::OneMore, (90, 100), &["under way", "for a timeout", "twice"]);
    }

    #[test]
    fn a_second_timeout_of_one_second_is_seen() {
        shows(Defect::GrantsTwice, (10, 25), &["two timeouts"]);
    }

    #[test]
    fn a_server_whose_clock_is_behind_when_it_starts_acts_twice_if_it_goes_on_to_trust_that() {
        let found = |defect| {
            let see = |seed: u64| {
                let mut rng = lots(Family::Trickles, seed);
                let mut plan = Plan::draw(&mut rng);
                // In the midst of what clients ask for; then what was there is there once more.
                let behind = Blow::KillBehind { which: 0, away_ms: 0, behind_ms: 30_000, set_after_ms: 1 };
                let copies = Blow::Copies { count: 200, flipped: false, in_its_name: true };
                plan.blows = vec![(500 + 200 * seed, behind), (505 + 200 * seed, copies)];
                see(seed, &plan, rng, defect).err()
            };
            (0..10).filter_map(see).collect::<Vec<_>>()
        };
        let twice = found(Defect::TrustsItsFirstClock);
        let other = twice.iter().find(|wrong| !wrong.contains("twice"));
        assert!(twice.len() >= 3 && other.is_none(), "{} of 10: {other:?}", twice.len());
        assert_eq!(found(Defect::Nothing), [""; 0]);
    }

    #[test]
    fn who_shouts_says_more_than_three_bytes_for_one() {
        shows(Defect::Shouts, (90, 100), &["bytes for the", "packets for an INIT"]);
    }

    #[test]
    fn bytes_that_differ_between_replicas_are_seen() {
        shows(Defect::Differs, (10, 100), &["other bytes"]);
    }

    #[test]
    fn a_table_by_connection_is_seen() {
        shows(Defect::Keeps, (10, 100), &["in the end"]);
    }
}
