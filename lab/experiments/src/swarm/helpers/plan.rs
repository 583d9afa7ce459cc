//! What a seed makes of a world with helpers.

use core::time::Duration;

use tng_base::Rng;
use tng_congestion::Share;
use tng_endpoint::MtuConfig;
use tng_middlebox::{ClientLimits, HelperConfig, Neighbourhood, Offers, Onward};
use tng_queue::{CoDelConfig, Limit, QueueConfig, RedConfig};
use tng_semantic::structured::{FirstData, ServiceOptions};
use tng_sim::{Link, Loss};
use tng_stack::{Access, HostConfig, Wishes};

use super::super::clock::Clock;
use super::super::echoes::Repair;
use super::super::party::Work;
use super::super::plan::{End, config, pick, work};
use super::place;
use crate::peers::transport::section_choice;

/// Controllers that govern sections.
pub(super) const CONTROLLERS: [&str; 4] = ["newreno", "cubic", "vegas", "eln"];

/// A capability that outlives every run.
const LONG: Duration = Duration::from_secs(24 * 3_600);

/// A way between two routers.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub ends: (usize, usize),
    pub forth: Link,
    pub back: Link,
}

/// A helper, and the router that it is beside.
#[derive(Clone, Debug)]
pub(super) struct Post {
    pub router: usize,
    pub config: HelperConfig,
    /// What its operator offers in every neighbourhood, and whatever else changes.
    pub offers: Offers,
    /// It is not there in the beginning, and comes after so many milliseconds.
    pub comes_ms: Option<u64>,
}

/// A host that asks, and by which helpers.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub router: usize,
    /// Places of helpers, in their order on the path.
    pub via: Vec<usize>,
    /// What each is asked for.
    pub wishes: Vec<Wishes>,
    pub trusted: bool,
    /// For how long its first capabilities are good, and for how many flows at once.
    pub life: Duration,
    pub flows_max: u16,
}

/// A tunnel from one helper to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub from: usize,
    pub to: usize,
    pub life: Duration,
    /// Each end offers a datagram so often.
    pub every: Duration,
    pub flows: u32,
}

/// Something that happens. `which` is a helper; `who` is a host, and the first host listens.
#[derive(Clone, Debug)]
pub(super) enum Blow {
    /// A helper is killed, and is started again with its secret and nothing else.
    Kill { which: usize, away_ms: u64 },
    /// The same, and its secret is gone, too.
    LoseSecret { which: usize, away_ms: u64 },
    /// A helper does not run for a while.
    Sleep { which: usize, ms: u64 },
    /// A helper is told to end, ends when it has told everybody, and is started again.
    Drain { which: usize, away_ms: u64 },
    /// Other settings hold.
    Settings { which: usize, config: Box<HelperConfig> },
    /// A host gets fresh capabilities of all its helpers.
    Renew { who: usize, life: Duration },
    /// So does the helper that has asked for the tunnel.
    RenewTunnel { life: Duration },
    /// A host's flows are governed otherwise.
    Govern { who: usize, controller: &'static str },
    /// Nothing passes between two routers.
    Outage { way: usize, ms: u64 },
    /// A way is another from now on.
    Road { way: usize, forth: Box<Link>, back: Box<Link> },
    /// A host's address changes; where the one that listens is then, the others are told.
    Move { who: usize },
    /// The NAT of a host that asks forgets.
    Rebind { who: usize },
    /// A host gives up all channels that it has.
    Detach { who: usize },
    /// A host asks for a direct channel beside what it has.
    Attach { who: usize },
    /// A host does not run for a while.
    SleepHost { who: usize, ms: u64 },
    /// Somebody sends a helper what he has seen go there, from elsewhere, perhaps damaged.
    Copies { which: usize, count: u64, flipped: bool },
}

/// Everything about a run that is known before it begins.
#[derive(Clone, Debug)]
pub(in crate::swarm) struct Plan {
    pub(super) routers: usize,
    pub(super) ways: Vec<Way>,
    pub(super) posts: Vec<Post>,
    /// The router of the host that listens.
    pub(super) server_at: usize,
    pub(super) callers: Vec<Caller>,
    /// Of those who ask, and of the one who listens.
    pub(super) configs: [HostConfig; 2],
    pub(super) service: ServiceOptions,
    pub(super) work: [Work; 2],
    pub(super) clocks: [Clock; 2],
    pub(super) tunnel: Option<Line>,
    pub(super) blows: Vec<(u64, Blow)>,
    pub(super) end: End,
    pub(super) echoes: bool,
    pub(super) repair: Repair,
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A way as there are some: every second one loses nothing.
fn road(rng: &mut Rng) -> Link {
    let delay = pick(rng, &[0.1, 1.0, 5.0, 20.0, 60.0, 150.0]);
    let link = Link::new()
        .rate(pick(rng, &[1_000_000, 5_000_000, 20_000_000, 100_000_000]))
        .delay(Duration::from_secs_f64(delay / 1e3))
        .queue(QueueConfig::DropTail(Limit::Packets(pick(rng, &[10, 50, 200]))));
    match rng.below(8) {
        0 => link.loss(Loss::Independent(pick(rng, &[0.001, 0.01, 0.03, 0.1]))),
        1 => link.loss(Loss::bursts(pick(rng, &[0.01, 0.05]), 3..=6)),
        2 => link.duplicate(0.03).corrupt(0.01),
        3 => link.reorder(0.05, Duration::from_secs_f64(delay / 2e3 + 1e-3)),
        _ => link,
    }
}

/// A capability's life: every third one is short.
fn life(rng: &mut Rng) -> Duration {
    if rng.chance(0.3) { Duration::from_secs(1 + rng.below(20)) } else { LONG }
}

fn offers(rng: &mut Rng) -> Offers {
    let controllers = CONTROLLERS.into_iter().filter(|_| rng.chance(0.4)).map(section_choice).collect();
    Offers { controllers, queue_time_max: pick(rng, &[None, Some(ms(20)), Some(ms(200))]) }
}

fn neighbourhood(rng: &mut Rng, offers: &Offers) -> Neighbourhood {
    Neighbourhood {
        controller: section_choice(pick(rng, &CONTROLLERS)),
        pacing: rng.chance(0.8),
        discipline: match rng.below(6) {
            0 => Some(QueueConfig::DropTail(Limit::Packets(pick(rng, &[5, 100])))),
            1 => Some(QueueConfig::CoDel(CoDelConfig { ecn: rng.chance(0.5), ..CoDelConfig::default() })),
            2 => Some(QueueConfig::Red(RedConfig { ecn: rng.chance(0.5), ..RedConfig::default() })),
            _ => None,
        },
        queue_time: ms(pick(rng, &[5, 25, 100, 500])),
        repair: pick(rng, &[None, None, None, Some(ms(100)), Some(ms(1_000))]),
        lease: rng.chance(0.1).then(|| {
            let window = pick(rng, &[None, Some(100_000)]);
            Share { rate: pick(rng, &[100_000, 500_000, 2_500_000]), window }
        }),
        offers: offers.clone(),
    }
}

fn settings(rng: &mut Rng, offers: &Offers, routers: usize) -> HelperConfig {
    // Those of one router are a neighbourhood, and everybody else is elsewhere.
    let router = rng.below(routers as u64) as usize;
    let neighbourhoods = match rng.chance(0.5) {
        true => vec![(place::network(router), neighbourhood(rng, offers))],
        false => Vec::new(),
    };
    let mut limits = ClientLimits::default();
    if rng.chance(0.15) {
        limits.rate_max = Some(pick(rng, &[50_000, 500_000]));
    }
    if rng.chance(0.15) {
        limits.held_bytes_max = Some(pick(rng, &[3_000, 60_000]));
    }
    HelperConfig {
        onward: Onward::Listed(vec![place::everywhere()]),
        elsewhere: neighbourhood(rng, offers),
        neighbourhoods,
        mtu: MtuConfig { payload_max: pick(rng, &[1_200, 1_472, 1_472]), ..MtuConfig::default() },
        relays_max: pick(rng, &[1, 4, 16_384, 16_384]),
        held_bytes_max: pick(rng, &[20_000, 200_000, 64 << 20, 64 << 20]),
        limits: Some(limits),
        ..HelperConfig::default()
    }
}

fn wishes(rng: &mut Rng) -> Wishes {
    Wishes {
        controller: rng.chance(0.5).then(|| pick(rng, &CONTROLLERS).to_owned()),
        queue_time: pick(rng, &[None, Some(ms(10)), Some(ms(150))]),
    }
}

impl Plan {
    pub(in crate::swarm) fn draw(rng: &mut Rng) -> Plan {
        let routers = 2 + rng.below(4) as usize;
        let any_router = |rng: &mut Rng| rng.below(routers as u64) as usize;
        let way = |rng: &mut Rng, ends| Way { ends, forth: road(rng), back: road(rng) };
        // A tree, and sometimes a way more.
        let mut ways = Vec::new();
        for router in 1..routers {
            let ends = (rng.below(router as u64) as usize, router);
            ways.push(way(rng, ends));
        }
        if routers > 2 && rng.chance(0.4) {
            ways.push(way(rng, (0, routers - 1)));
        }
        let mut posts = Vec::new();
        for _ in 0..1 + rng.below(5) {
            let offers = offers(rng);
            let config = settings(rng, &offers, routers);
            let comes_ms = rng.chance(0.1).then(|| 500 + rng.below(10_000));
            posts.push(Post { router: any_router(rng), config, offers, comes_ms });
        }
        let mut callers = Vec::new();
        for _ in 0..1 + rng.below(3) {
            // Some of the helpers, each once, in any order.
            let mut left: Vec<usize> = (0..posts.len()).collect();
            let count = 1 + rng.below(left.len() as u64) as usize;
            let via: Vec<usize> = (0..count).map(|_| left.remove(rng.below(left.len() as u64) as usize)).collect();
            callers.push(Caller {
                router: any_router(rng),
                wishes: via.iter().map(|_| wishes(rng)).collect(),
                via,
                trusted: rng.chance(0.2),
                life: life(rng),
                flows_max: pick(rng, &[1, 4, 64]),
            });
        }
        let mut plan = Plan {
            routers,
            ways,
            server_at: any_router(rng),
            configs: [config(rng, Access::Nobody), config(rng, Access::Public)],
            // An INIT by way of helpers that is answered too late is followed by another one, direct: of what may be
            // taken twice, both would be.
            service: ServiceOptions { first_data: FirstData::Proven, substreams: rng.chance(0.8) },
            work: [work(rng), work(rng)],
            clocks: [Clock::PERFECT, Clock::PERFECT],
            tunnel: None,
            blows: Vec::new(),
            end: if rng.chance(0.5) { End::Close } else { End::Idle },
            echoes: rng.chance(0.3),
            repair: Repair::On,
            posts,
            callers,
        };
        plan.work.iter_mut().for_each(|work| {
            (work.size_max, work.echoes) = (work.size_max * 5, 1 + rng.below(200));
        });
        if rng.chance(0.5) {
            plan.work[1].opens = 0;
        }
        if rng.chance(0.15) {
            plan.clocks = [Clock::draw(rng), Clock::draw(rng)];
        }
        if rng.chance(0.1) {
            plan.configs[1].helpers = tng_stack::Helpers::None;
        }
        if plan.posts.len() > 1 && rng.chance(0.4) {
            let from = rng.below(plan.posts.len() as u64) as usize;
            let to = (from + 1 + rng.below(plan.posts.len() as u64 - 1) as usize) % plan.posts.len();
            let every = ms(pick(rng, &[2, 20, 100]));
            plan.tunnel = Some(Line { from, to, life: life(rng), every, flows: 1 + rng.below(12) as u32 });
        }
        let count = 2 + rng.below(10);
        plan.blows = (0..count).map(|_| (20 + rng.below(20_000), plan.blow(rng))).collect();
        plan.blows.sort_by_key(|(at_ms, _)| *at_ms);
        // Who is kept awake never falls silent.
        if plan.configs.iter().any(|config| config.keep_alive.is_some()) {
            plan.end = End::Close;
        }
        plan
    }

    fn blow(&self, rng: &mut Rng) -> Blow {
        let which = rng.below(self.posts.len() as u64) as usize;
        let (who, way) =
            (rng.below(1 + self.callers.len() as u64) as usize, rng.below(self.ways.len() as u64) as usize);
        let asks = 1 + rng.below(self.callers.len() as u64) as usize;
        let away_ms = pick(rng, &[0, 50, 300, 2_000, 15_000]);
        match rng.below(20) {
            0..4 => Blow::Kill { which, away_ms },
            4 => Blow::LoseSecret { which, away_ms },
            5 => Blow::Sleep { which, ms: 50 + rng.below(8_000) },
            6 | 7 => Blow::Drain { which, away_ms },
            8..11 => {
                let Post { offers, .. } = &self.posts[which];
                let mut config = settings(rng, offers, self.routers);
                if rng.chance(0.15) {
                    config.onward = Onward::Listed(Vec::new());
                }
                Blow::Settings { which, config: Box::new(config) }
            }
            11 | 12 => Blow::Renew { who: asks, life: life(rng) },
            13 => Blow::RenewTunnel { life: life(rng) },
            14 => match rng.below(3) {
                0 => Blow::Govern { who, controller: pick(rng, &["cubic", "newreno", "vegas", "bbr"]) },
                1 => Blow::SleepHost { who, ms: 50 + rng.below(5_000) },
                _ => Blow::Attach { who: asks },
            },
            15 => {
                let longest = pick(rng, &[3_000, 40_000]);
                Blow::Outage { way, ms: 50 + rng.below(longest) }
            }
            16 => Blow::Road { way, forth: Box::new(road(rng)), back: Box::new(road(rng)) },
            17 => Blow::Move { who },
            18 => match rng.below(2) {
                0 => Blow::Rebind { who: asks },
                _ => Blow::Detach { who },
            },
            _ => Blow::Copies { which, count: 10 + rng.below(200), flipped: rng.chance(0.5) },
        }
    }

    /// Whether the operator of a helper ever leases a link.
    pub(super) fn leases(&self, which: usize) -> bool {
        self.neighbourhoods(which).any(|there| there.lease.is_some())
    }

    /// All neighbourhoods that its settings ever have.
    fn neighbourhoods(&self, which: usize) -> impl Iterator<Item = &Neighbourhood> {
        let changed = self.blows.iter().filter_map(move |(_, blow)| match blow {
            Blow::Settings { which: of, config } if *of == which => Some(&**config),
            _ => None,
        });
        let all = [&self.posts[which].config].into_iter().chain(changed);
        all.flat_map(|config| config.neighbourhoods.iter().map(|(_, there)| there).chain([&config.elsewhere]))
    }

    /// Whether some host can be found by nobody until it speaks again.
    pub(super) fn asks_again(&self) -> bool {
        self.blows.iter().any(|(_, blow)| matches!(blow, Blow::Rebind { .. }))
    }
}
