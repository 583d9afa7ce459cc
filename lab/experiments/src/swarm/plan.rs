//! What a seed makes of a family: roads, settings, work, clocks, and what befalls whom when.

use core::time::Duration;

use tng_base::Rng;
use tng_queue::{CoDelConfig, Limit, QueueConfig, RedConfig};
use tng_semantic::structured::{self, FirstData, ServiceOptions};
use tng_sim::{DATAGRAM_OVERHEAD, Link, Loss};
use tng_stack::{Access, HostConfig};

use super::Family;
use super::blow::Blow;
use super::clock::Clock;
use super::echoes::Repair;
use super::party::Work;
use crate::peers::transport::choice;

/// Smallest packet that a road carries: what every path must.
const MTU_MIN: usize = 1_200 + DATAGRAM_OVERHEAD;

/// How a run comes to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// The host that asked closes.
    Close,
    /// Nobody says anything more.
    Idle,
}

/// Everything about a run that is known before it begins. Of pairs the first belongs to those who ask, the second to
/// the one who listens.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// One road or two, there and back.
    pub roads: Vec<(Link, Link)>,
    pub configs: [HostConfig; 2],
    pub service: ServiceOptions,
    pub work: [Work; 2],
    pub clocks: [Clock; 2],
    /// What happens, and how many milliseconds after the beginning.
    pub blows: Vec<(u64, Blow)>,
    pub end: End,
    /// Others who ask.
    pub crowd: usize,
    /// The one who listens asks, too.
    pub crossed: bool,
    /// Connections may end before their time.
    pub may_lose: bool,
    /// A host that asks says something now and then: the NAT in front of it has forgotten it, and nobody else can find
    /// it.
    pub asks_again: bool,
    /// Somebody sees what passes.
    pub onlooker: bool,
    /// Who dials dials twice, for streams and for numbered echoes.
    pub echoes: bool,
    pub repair: Repair,
}

pub(super) fn pick<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.below(of.len() as u64) as usize]
}

fn ms(ms: f64) -> Duration {
    Duration::from_secs_f64(ms / 1e3)
}

/// A road on which little happens.
pub(super) fn mild(rng: &mut Rng) -> Link {
    let link = Link::new()
        .rate(pick(rng, &[2_000_000, 10_000_000, 50_000_000, 1_000_000_000]))
        .delay(ms(pick(rng, &[0.1, 1.0, 10.0, 30.0, 60.0])));
    match rng.below(4) {
        0 => link.loss(Loss::Independent(pick(rng, &[0.001, 0.01, 0.05]))),
        1 => link.duplicate(0.02).corrupt(0.01).reorder(0.05, ms(1.0 + rng.below(50) as f64)),
        _ => link,
    }
}

/// A road on which anything may happen.
pub(super) fn harsh(rng: &mut Rng) -> Link {
    let loss = pick(rng, &[0.0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.3]);
    let delay = pick(rng, &[0.1, 1.0, 5.0, 25.0, 75.0, 300.0, 750.0, 1_500.0]);
    let rate = pick(rng, &[64e3, 500e3, 2e6, 10e6, 100e6, 1e9, 10e9]) as u64;
    let bdp = (rate as f64 * 2.0 * delay / 1e3 / 8.0 / 1_300.0) as usize;
    let packets = pick(rng, &[2, 5, 25, bdp.clamp(2, 2_000), (10 * bdp).clamp(10, 4_000)]);
    let ecn = rng.chance(0.3);
    let service = Duration::from_secs_f64(1_500.0 * 8.0 / rate as f64);
    let link = Link::new()
        .rate(rate)
        .delay(ms(delay))
        .loss(match rng.below(3) {
            0 => Loss::Independent(loss),
            1 => Loss::bursts(loss, 3..=3 + rng.below(8) as u32),
            _ => Loss::gilbert(loss, 3.0 + rng.below(10) as f64),
        })
        .queue(match rng.below(4) {
            0 => QueueConfig::Red(RedConfig { ecn, service, limit_packets: packets.max(20), ..RedConfig::default() }),
            1 => QueueConfig::CoDel(CoDelConfig { ecn, limit_packets: packets, ..CoDelConfig::default() }),
            _ => QueueConfig::DropTail(Limit::Packets(packets)),
        })
        .duplicate(pick(rng, &[0.0, 0.0, 0.01, 0.05]))
        .corrupt(pick(rng, &[0.0, 0.0, 0.001, 0.02, 0.1]))
        .ecn_bleach(pick(rng, &[0.0, 0.0, 0.0, 1.0]))
        .ecn_mark(pick(rng, &[0.0, 0.0, 0.0, 0.02]));
    let jitter = ms(delay * rng.unit());
    let link = match rng.below(4) {
        0 => link.jitter(jitter),
        1 => link.jitter_reordering(jitter),
        2 => link.reorder(pick(rng, &[0.01, 0.1, 0.25]), ms(delay / 2.0 + 1.0)),
        _ => link,
    };
    if rng.chance(0.1) { link.notices() } else { link }
}

pub(super) fn work(rng: &mut Rng) -> Work {
    Work {
        opens: 1 + rng.below(5) as u32,
        size_max: pick(rng, &[500, 5_000, 40_000]),
        children: 0.3,
        datagrams: rng.below(8) as u32,
        datagram_max: pick(rng, &[100, 1_000, 5_000]),
        resets: 0.05,
        stops: 0.05,
        refusals: 0.04,
        astray: 0.03,
        slow: 0.15,
        pace: 4_000,
        priorities: 0.02,
        tick: Duration::from_millis(5 + rng.below(60)),
        echoes: 0,
    }
}

pub(super) fn config(rng: &mut Rng, access: Access) -> HostConfig {
    let mut config = HostConfig::new(access);
    config.controller = choice(pick(rng, &["cubic", "newreno"]));
    config.pacing = rng.chance(0.8);
    config.set_up_timeout = Duration::from_secs(120);
    config.keep.time = Some(Duration::from_secs(400));
    if rng.chance(0.3) {
        config.idle_timeout = Some(Duration::from_secs(pick(rng, &[10, 60])));
    }
    if rng.chance(0.2) {
        config.keep_alive = Some(Duration::from_secs(pick(rng, &[2, 7])));
    }
    if rng.chance(0.3) {
        config.streams = tight(rng);
    }
    config
}

/// Little room for streams.
fn tight(rng: &mut Rng) -> structured::Config {
    let host_window = 4_096 + rng.below(60_000);
    structured::Config {
        stream_window: 4_096 + rng.below(30_000),
        host_window,
        streams_max: 16 + rng.below(16),
        backlog_max: 4 + rng.below(20) as usize,
        datagram_max: host_window / 2,
        unsent_max: 1 + rng.below(20_000),
        unsent_all_max: 1 + rng.below(60_000),
        blocked_all_max: 1 + rng.below(20_000),
        ..structured::Config::default()
    }
}

/// Some blows, at any time of the first seconds or all at one moment.
fn blows(rng: &mut Rng, most: u64, within_ms: u64, mut draw: impl FnMut(&mut Rng) -> Blow) -> Vec<(u64, Blow)> {
    let at_once = rng.chance(0.15).then(|| 20 + rng.below(1_000));
    let count = 1 + rng.below(most);
    (0..count).map(|_| (at_once.unwrap_or_else(|| 20 + rng.below(within_ms)), draw(rng))).collect()
}

fn first_data(rng: &mut Rng) -> FirstData {
    if rng.chance(0.4) { FirstData::Unproven } else { FirstData::Proven }
}

impl Plan {
    /// A run of this family, often with something of another one. What is said in another protocol is drawn `apart`: a
    /// run without is what it would be if there were none.
    pub fn draw(family: Family, rng: &mut Rng, mut apart: Rng) -> Plan {
        let mut plan = Plan {
            roads: vec![(mild(rng), mild(rng))],
            configs: [config(rng, Access::Nobody), config(rng, Access::Public)],
            service: ServiceOptions { first_data: first_data(rng), substreams: rng.chance(0.8) },
            work: [work(rng), work(rng)],
            clocks: [Clock::PERFECT, Clock::PERFECT],
            blows: Vec::new(),
            end: if rng.chance(0.5) { End::Close } else { End::Idle },
            crowd: 0,
            crossed: false,
            may_lose: false,
            asks_again: false,
            onlooker: false,
            echoes: false,
            repair: Repair::On,
        };
        plan.echoes = apart.chance(0.3);
        plan.work.iter_mut().for_each(|work| work.echoes = 1 + apart.below(200));
        if rng.chance(0.5) {
            plan.work[1].opens = 0;
        }
        if rng.chance(0.15) {
            plan.configs[1].cookie_above = 0;
        }
        plan.add(family, rng);
        if rng.chance(0.35) {
            let other = pick(rng, Family::MIXED);
            if other != family {
                plan.add(other, rng);
            }
        }
        let befalls = |which: fn(&Blow) -> bool| plan.blows.iter().any(|(_, blow)| which(blow));
        plan.asks_again = befalls(|blow| matches!(blow, Blow::Rebind));
        // What has only begun does not outlive what befalls the rest.
        let hurts = |blow: &Blow| {
            use Blow::{Hold, Move, MoveServer, Outage, Rebind, Road, Sleep};
            matches!(blow, Rebind | Move | MoveServer { .. } | Outage { .. } | Hold { .. } | Sleep { .. } | Road { .. })
        };
        plan.may_lose |= befalls(|blow| matches!(blow, Blow::Dial { .. })) && befalls(hurts);
        // A copy of a first packet with data that may be taken twice brings a connection that nothing comes of.
        plan.may_lose |= plan.onlooker && plan.service.first_data == FirstData::Unproven;
        // Who is kept awake never falls silent.
        if plan.configs.iter().any(|config| config.keep_alive.is_some()) {
            plan.end = End::Close;
        }
        plan
    }

    fn add(&mut self, family: Family, rng: &mut Rng) {
        let who = |rng: &mut Rng| rng.below(2) as usize;
        let more = match family {
            Family::Roads => {
                self.roads[0] = (harsh(rng), harsh(rng));
                // A loss that comes in states lasts for so many packets, and who begins sends one in five seconds.
                self.configs[0].set_up_timeout = Duration::from_secs(600);
                self.configs.iter_mut().for_each(|config| config.idle_timeout = Some(Duration::from_secs(60)));
                let (forth, back) = &self.roads[0];
                if [forth, back].into_iter().any(|link| matches!(link.loss, Loss::GilbertElliott { .. })) {
                    // What who answers has half open it forgets after the shorter of these, and then the other finds it
                    // gone.
                    self.configs[1].set_up_timeout = Duration::from_secs(300);
                    self.configs.iter_mut().for_each(|config| config.idle_timeout = Some(Duration::from_secs(300)));
                }
                if rng.chance(0.3) {
                    blows(rng, 3, 10_000, |rng| Blow::Road { forth: Box::new(harsh(rng)), back: Box::new(harsh(rng)) })
                } else {
                    Vec::new()
                }
            }
            Family::Sizes => {
                let mtu = |rng: &mut Rng| pick(rng, &[MTU_MIN, 1_280, 1_400, 1_492, 1_500, 4_352, 9_000]);
                for road in &mut self.roads {
                    (road.0.mtu, road.1.mtu) = (mtu(rng), mtu(rng));
                }
                for config in &mut self.configs {
                    config.mtu.payload_max = pick(rng, &[1_200, 1_472, 1_472, 8_972]);
                    config.mtu.raise_interval = Duration::from_secs(pick(rng, &[5, 600]));
                }
                self.work.iter_mut().for_each(|work| work.size_max *= 4);
                blows(rng, 5, 8_000, |rng| {
                    let both = Some(mtu(rng));
                    match rng.below(3) {
                        0 => Blow::Mtu { forth: both, back: None },
                        1 => Blow::Mtu { forth: None, back: both },
                        _ => Blow::Mtu { forth: both, back: both },
                    }
                })
            }
            Family::Moves => blows(rng, 6, 15_000, |rng| match rng.below(6) {
                0 | 1 => Blow::Move,
                2 | 3 => Blow::Rebind,
                _ => Blow::MoveServer { both: rng.chance(0.5) },
            }),
            Family::Outages => {
                if self.end == End::Close && rng.chance(0.3) {
                    self.configs.iter_mut().for_each(|config| config.keep.time = None);
                    // What nobody closes stays for ever.
                    self.configs[1].keep.time = Some(Duration::from_secs(400));
                }
                blows(rng, 5, 40_000, |rng| match rng.below(6) {
                    0 | 1 => Blow::Outage { first: true, second: true, ms: 50 + rng.below(3_000) },
                    2 => Blow::Outage { first: true, second: true, ms: 5_000 + rng.below(20_000) },
                    3 | 4 => Blow::Outage { first: true, second: true, ms: 30_000 + rng.below(60_000) },
                    _ => Blow::Hold { ms: 50 + rng.below(20_000) },
                })
            }
            Family::Paths => {
                if self.roads.len() == 1 {
                    self.roads.push((mild(rng), mild(rng)));
                }
                blows(rng, 7, 20_000, |rng| match rng.below(10) {
                    0 | 1 => Blow::SecondPath,
                    2 => Blow::ServerAttaches,
                    3 => Blow::BothAttach,
                    4 => Blow::IntoTheVoid { who: who(rng) },
                    5 => Blow::DropOldest { who: who(rng) },
                    6 => Blow::Detach { who: who(rng) },
                    7 => Blow::Outage { first: false, second: true, ms: 100 + rng.below(20_000) },
                    _ => Blow::Outage { first: true, second: rng.chance(0.3), ms: 100 + rng.below(40_000) },
                })
            }
            Family::Restarts => {
                self.may_lose = true;
                for config in &mut self.configs {
                    config.keep.time = Some(Duration::from_secs(pick(rng, &[10, 60, 400])));
                }
                blows(rng, 3, 20_000, |rng| Blow::Restart {
                    who: who(rng),
                    away_ms: pick(rng, &[0, 50, 2_000, 45_000]),
                })
            }
            Family::Keys => {
                for config in &mut self.configs {
                    config.renew_keys_after = pick(rng, &[8, 16, 40, 100, 1 << 16]);
                }
                self.work.iter_mut().for_each(|work| work.size_max *= 4);
                blows(rng, 3, 5_000, |rng| match rng.below(4) {
                    0 => Blow::Rebind,
                    1 => Blow::Outage { first: true, second: true, ms: 100 + rng.below(3_000) },
                    2 => Blow::BothAttach,
                    _ => Blow::Road { forth: Box::new(mild(rng)), back: Box::new(mild(rng)) },
                })
            }
            Family::Floods => {
                (self.onlooker, self.crowd) = (true, 1 + rng.below(3) as usize);
                let server = &mut self.configs[1];
                server.cookie_above = pick(rng, &[0, 0, 2, 16]);
                server.half_open_max = pick(rng, &[8, 64, 1_024]);
                blows(rng, 4, 5_000, |rng| {
                    let count = 20 + rng.below(200);
                    match rng.below(5) {
                        0 | 1 => Blow::Inits { count },
                        2 => Blow::Garbage { count },
                        _ => Blow::Copies { count, flipped: rng.chance(0.5) },
                    }
                })
            }
            Family::Trees => {
                for work in &mut self.work {
                    work.opens = work.opens.min(1) * (20 + rng.below(40) as u32);
                    (work.children, work.priorities) = (0.6, 0.1);
                    (work.datagrams, work.datagram_max) = (40, pick(rng, &[300, 3_000, 30_000]));
                    work.size_max = work.size_max.min(4_000);
                }
                Vec::new()
            }
            Family::Credit => {
                for (config, work) in self.configs.iter_mut().zip(&mut self.work) {
                    config.streams = tight(rng);
                    (work.slow, work.pace) = (0.7, pick(rng, &[700, 3_000, 9_000]));
                    (work.resets, work.stops, work.refusals) = (0.25, 0.25, 0.15);
                    work.opens *= 2;
                }
                Vec::new()
            }
            Family::Crossed => {
                self.crossed = true;
                self.configs[0].access = Access::Public;
                let mut more = blows(rng, 5, 5_000, |rng| match rng.below(4) {
                    0 | 1 => Blow::Dial { who: who(rng) },
                    2 => Blow::BothAttach,
                    _ => Blow::Detach { who: who(rng) },
                });
                if rng.chance(0.4) {
                    self.may_lose = true;
                    self.configs[1].connections_per_peer = pick(rng, &[2, 256]);
                    more.push((20 + rng.below(3_000), Blow::HangUp { who: who(rng) }));
                }
                more
            }
            Family::Clocks => {
                self.clocks = [Clock::draw(rng), Clock::draw(rng)];
                let longest = pick(rng, &[300, 5_000, 45_000]);
                blows(rng, 4, 15_000, |rng| Blow::Sleep { who: who(rng), ms: 10 + rng.below(longest) })
            }
            // These have worlds of their own.
            Family::Siblings | Family::Trickles | Family::Helpers => Vec::new(),
        };
        self.blows.extend(more);
    }
}
