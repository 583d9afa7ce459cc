//! Processes of one user at one address. Some die in mid-transfer, and some stand still: what the others notice of
//! that.

use core::net::SocketAddr;
use core::time::Duration;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use tng_base::{Instant, Rng};
use tng_queue::{Limit, QueueConfig};
use tng_sim::topology::{B, Pair, pair};
use tng_sim::{IpProtocol, Link, Node, NodeId, PORT};
use tng_stack::Caution;

use super::Figures;
use crate::peers::downloads::{Cast, ENDLESS, Got};
use crate::peers::transport::choice;

/// The first bytes of an INIT and of a REPLY (wire.md, section 2).
const INIT: u8 = 0x01;
const REPLY: u8 = 0x02;

/// Bytes of a packet, to reckon with.
const PACKET: u64 = 1_500;

/// What those fetch who come later.
const LATER: u64 = 50_000;

/// That a dead one is silent shows after so many round trips: a probe timeout, and as long for the answer to a probe.
/// And it may have had nothing in flight, since another that is dead had the window: then it takes the window when that
/// one is found silent, and it is as long again until it is found silent itself. (In one of 5,000 worlds a newcomer
/// came 530 ms after the second of two deaths, when that took 968 ms.)
const SILENT_TRIPS: u32 = 2 * 4;

/// A newcomer has the first byte after so many round trips, through a full queue. Most of 2,096 newcomers: 2.3, but for
/// five.
const BEGUN_MAX_TRIPS: u32 = 3;

/// These five came when the live one had filled the queue, which dropped their INITs or the REPLYs to them: an INIT is
/// sent again after so long, and then the same bound holds. In one of 5,000 worlds the queue dropped a packet behind
/// those, and the first byte came after 3.03 round trips: then the bound is one more.
const INIT_AGAIN: Duration = Duration::from_secs(1);

/// And the last byte so long after that bound. Measured since the newcomer came: 0.95 s, but for those five, with 1.8
/// s.
const DONE_MAX: Duration = Duration::from_secs(2);

/// What a live one has of the line at least, when everybody else has died. Least of 324: 0.88; headers take 0.05.
const LINE_MIN: f64 = 0.75;

/// For so long that is measured.
const MEASURED: Duration = Duration::from_secs(3);

/// Whether a process dies, or stands still for a while.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Dies,
    StandsStill { ms: u64 },
}

/// What is drawn by lot.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    rate_bps: u64,
    delay: Duration,
    queue_packets: usize,
    controller: &'static str,
    /// One fetches all the time.
    live: bool,
    /// When each of the others begins, what befalls it, and when, in milliseconds.
    siblings: Vec<(u64, u64, Fate)>,
    /// When somebody new comes, in milliseconds after the last of that; one after the other.
    newcomers: Vec<u64>,
}

impl Plan {
    pub fn draw(rng: &mut Rng) -> Plan {
        let rate_bps = [2_000_000, 5_000_000, 10_000_000][rng.below(3) as usize];
        let delay = Duration::from_millis([5, 15, 40][rng.below(3) as usize]);
        let round_trip = (rate_bps as f64 / 8.0 / PACKET as f64 * 2.0 * delay.as_secs_f64()) as usize;
        let fate = |rng: &mut Rng| match rng.chance(0.6) {
            true => Fate::Dies,
            false => Fate::StandsStill { ms: 500 + rng.below(6_000) },
        };
        let sibling = |rng: &mut Rng| {
            let begins = rng.below(2_500);
            (begins, begins + 100 + rng.below(1_500), fate(rng))
        };
        let newcomer = |rng: &mut Rng| rng.below(2_000);
        Plan {
            rate_bps,
            delay,
            queue_packets: (round_trip * (1 + rng.below(2) as usize)).max(20),
            controller: ["cubic", "newreno"][rng.below(2) as usize],
            live: rng.chance(0.5),
            siblings: (0..1 + rng.below(10)).map(|_| sibling(rng)).collect(),
            newcomers: (0..3 + rng.below(2)).map(|_| newcomer(rng)).collect(),
        }
    }

    fn link(&self) -> Link {
        let queue = QueueConfig::DropTail(Limit::Packets(self.queue_packets));
        Link::new().rate(self.rate_bps).delay(self.delay).queue(queue)
    }

    /// A round trip, through a full queue.
    fn round_trip(&self) -> Duration {
        2 * self.delay + Duration::from_secs_f64(self.queue_packets as f64 * PACKET as f64 * 8.0 / self.rate_bps as f64)
    }
}

/// Something that happens to one of the siblings.
#[derive(Clone, Copy)]
enum Act {
    Begins,
    Dies,
    StandsStill,
    Wakes,
}

/// A run under way.
struct Ride {
    pair: Pair<Box<dyn Node>>,
    cast: Cast,
    /// Processes so far.
    lives: u16,
    gots: Vec<Rc<RefCell<Got>>>,
    /// Ports of those who lost something to the queue.
    losers: Rc<RefCell<Losers>>,
}

/// Who lost what to the queue, by port.
#[derive(Default)]
struct Losers {
    set_up: BTreeSet<u16>,
    later: BTreeSet<u16>,
}

impl Losers {
    fn lost(&self, port: u16) -> Lost {
        match (self.set_up.contains(&port), self.later.contains(&port)) {
            (true, _) => Lost::SetUp,
            (false, true) => Lost::Later,
            (false, false) => Lost::Nothing,
        }
    }
}

/// What somebody lost to the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lost {
    Nothing,
    /// An INIT, or the REPLY to it: the INIT is sent again after a second.
    SetUp,
    /// A packet behind those: that shows when others come, or do not, and it is sent again a round trip later.
    Later,
}

impl Ride {
    fn run_to(&mut self, at: Instant) {
        self.pair.world.run_until(at);
    }

    /// Writes down whose packets are dropped.
    fn listen(&mut self) {
        let losers = Rc::clone(&self.losers);
        self.pair.world.watch_drops(move |_, packet, _| {
            let mut losers = losers.borrow_mut();
            let lost = match packet.payload.first() {
                Some(&INIT | &REPLY) => &mut losers.set_up,
                _ => &mut losers.later,
            };
            lost.extend([packet.src.port(), packet.dst.port()]);
        });
    }

    fn begin(&mut self, size: u64) -> (NodeId, Rc<RefCell<Got>>) {
        self.lives += 1;
        let (node, got) = self.cast.getter(self.lives, size, SocketAddr::new(B, PORT));
        self.gots.push(Rc::clone(&got));
        (self.pair.world.beside(self.pair.a, IpProtocol::Udp, PORT + self.lives, node), got)
    }
}

/// One run.
fn see(seed: u64, plan: &Plan, caution: Caution) -> Seen {
    let cast = Cast { seed, controller: choice(plan.controller), caution, one_key: true };
    let at_b = SocketAddr::new(B, PORT);
    // Who is there first fetches something small, or all the time.
    let (first, got) = cast.getter(0, if plan.live { ENDLESS } else { LATER }, at_b);
    let pair = pair(seed, &plan.link(), first, cast.giver());
    let live = Rc::clone(&got);
    let mut ride = Ride { pair, cast, lives: 0, gots: vec![got], losers: Rc::default() };
    ride.pair.world.record_digest();
    ride.listen();

    let mut acts: Vec<(u64, usize, Act)> = Vec::new();
    for (who, (begins, ends, fate)) in plan.siblings.iter().enumerate() {
        acts.push((*begins, who, Act::Begins));
        match fate {
            Fate::Dies => acts.push((*ends, who, Act::Dies)),
            Fate::StandsStill { ms } => {
                acts.extend([
                    (*ends, who, Act::StandsStill),
                    (ends + ms, who, Act::Wakes),
                    (ends + ms + 400, who, Act::Dies),
                ]);
            }
        }
    }
    acts.sort_by_key(|(at, who, _)| (*at, *who));
    let mut nodes: Vec<Option<NodeId>> = vec![None; plan.siblings.len()];
    let mut asleep: Vec<Option<Box<dyn Node>>> = plan.siblings.iter().map(|_| None).collect();
    for (at, who, act) in acts {
        ride.run_to(Instant::from_millis(at));
        match (act, nodes[who]) {
            (Act::Begins, _) => nodes[who] = Some(ride.begin(ENDLESS).0),
            (Act::Dies, Some(node)) => drop(ride.pair.world.stop(node)),
            (Act::StandsStill, Some(node)) => asleep[who] = ride.pair.world.stop(node),
            (Act::Wakes, Some(node)) => {
                if let Some(woken) = asleep[who].take() {
                    ride.pair.world.start(node, woken);
                }
            }
            (_, None) => unreachable!("everybody begins before anything befalls them"),
        }
    }

    let trip = plan.round_trip();
    let mut now = ride.pair.world.now() + SILENT_TRIPS * trip;
    let mut newcomers = Vec::new();
    for later in &plan.newcomers {
        now += Duration::from_millis(*later);
        ride.run_to(now);
        let (_, got) = ride.begin(LATER);
        ride.run_to(now + BEGUN_MAX_TRIPS * trip + DONE_MAX);
        let lost = ride.losers.borrow().lost(PORT + ride.lives);
        let got = got.borrow();
        let [first, last] = [got.first, got.last].map(|at| at.map(|at| at.since(now)));
        newcomers.push(Newcomer { first, last, lost });
        now = ride.pair.world.now();
    }
    let before = live.borrow().bytes;
    let line = plan.live.then(|| {
        ride.run_to(now + MEASURED);
        (live.borrow().bytes - before) as f64 * 8.0 / MEASURED.as_secs_f64() / plan.rate_bps as f64
    });
    let lanes = ride.pair.link.lanes().map(|lane| ride.pair.world.stats(lane));
    let mut wrong = ride.gots.iter().find_map(|got| got.borrow().wrong.clone());
    if !plan.live && live.borrow().last.is_none() {
        wrong.get_or_insert("who was there first has not got everything".to_owned());
    }
    Seen {
        trip,
        newcomers,
        line,
        wrong,
        figures: Figures {
            runs: 1,
            bytes: ride.gots.iter().map(|got| got.borrow().bytes).sum(),
            halves: 2 * ride.gots.len() as u64,
            packets: lanes.iter().map(|lane| lane.offered).sum(),
            virtual_ns: ride.pair.world.now().as_nanos(),
            digest: ride.pair.world.digest().unwrap_or_default(),
            ..Figures::default()
        },
    }
}

/// Somebody who comes after the deaths.
struct Newcomer {
    /// After what time the first byte came, and the last.
    first: Option<Duration>,
    last: Option<Duration>,
    lost: Lost,
}

impl Newcomer {
    fn begins_late(&self, trip: Duration) -> bool {
        let within = |from: Duration, trips: u32| move |first: Duration| first >= from && first <= from + trips * trip;
        let at_once = self.first.is_some_and(within(Duration::ZERO, BEGUN_MAX_TRIPS));
        let again = match self.lost {
            Lost::Nothing => false,
            Lost::SetUp => self.first.is_some_and(within(INIT_AGAIN, BEGUN_MAX_TRIPS)),
            Lost::Later => self.first.is_some_and(within(Duration::ZERO, BEGUN_MAX_TRIPS + 1)),
        };
        !at_once && !again
    }
}

/// What came of a run.
struct Seen {
    trip: Duration,
    newcomers: Vec<Newcomer>,
    /// What part of the line a live one has in the end.
    line: Option<f64>,
    wrong: Option<String>,
    figures: Figures,
}

impl Seen {
    /// What does not hold.
    fn fault(&self) -> Option<String> {
        let Seen { trip, newcomers, line, wrong, .. } = self;
        if let Some(Newcomer { first, .. }) = newcomers.iter().find(|newcomer| newcomer.begins_late(*trip)) {
            return Some(format!("a newcomer has the first byte after {first:?}; a round trip takes {trip:?}"));
        }
        if newcomers.iter().any(|newcomer| newcomer.last.is_none()) {
            return Some(format!("a newcomer has not {LATER} bytes within {DONE_MAX:?}"));
        }
        let slow = line.filter(|line| *line < LINE_MIN);
        slow.map(|line| format!("who fetches all the time has {line:.2} of the line")).or(wrong.clone())
    }
}

/// One run, judged.
///
/// # Errors
/// What did not hold, in words.
pub(super) fn ride(seed: u64, plan: &Plan, caution: Caution) -> Result<Figures, String> {
    let seen = see(seed, plan, caution);
    seen.fault().map_or(Ok(seen.figures), Err)
}

#[cfg(test)]
mod tests {
    use super::super::{Family, lots};
    use super::*;

    fn seen(seeds: u64, caution: Caution) -> Vec<Seen> {
        let see = |seed| see(seed, &Plan::draw(&mut lots(Family::Siblings, seed)), caution);
        (0..seeds).map(see).collect()
    }

    #[test]
    fn without_the_defence_the_dead_hold_up_the_living() {
        let seen = seen(20, Caution { silence: false, ..Caution::ALL });
        let newcomers = || seen.iter().flat_map(|seen| seen.newcomers.iter().map(|newcomer| (newcomer, seen.trip)));
        let late = newcomers().filter(|(newcomer, trip)| newcomer.begins_late(*trip)).count();
        let unserved = newcomers().filter(|(newcomer, _)| newcomer.last.is_none()).count();
        let lines: Vec<f64> = seen.iter().filter_map(|seen| seen.line).collect();
        let slow = lines.iter().filter(|line| **line < LINE_MIN).count();
        assert!(2 * late > newcomers().count(), "control: {late} of {} begin late", newcomers().count());
        assert!(2 * unserved > newcomers().count(), "control: {unserved} of {} are not served", newcomers().count());
        assert!(2 * slow > lines.len(), "control: {slow} of {} are slow", lines.len());
    }

    #[test]
    fn who_loses_something_to_the_queue_may_begin_later_and_nobody_else() {
        let trip = Duration::from_millis(100);
        for (ms, lost, late) in [
            (1, Lost::Nothing, false),
            (300, Lost::Nothing, false),
            (301, Lost::Nothing, true),
            (301, Lost::Later, false),
            (400, Lost::Later, false),
            (401, Lost::Later, true),
            (1_100, Lost::Later, true),
            (301, Lost::SetUp, true),
            (999, Lost::SetUp, true),
            (1_000, Lost::SetUp, false),
            (1_300, Lost::SetUp, false),
            (1_301, Lost::SetUp, true),
            (1_100, Lost::Nothing, true),
        ] {
            let newcomer = Newcomer { first: Some(Duration::from_millis(ms)), last: None, lost };
            assert_eq!(newcomer.begins_late(trip), late, "after {ms} ms, {lost:?}");
        }
        for lost in [Lost::Nothing, Lost::Later, Lost::SetUp] {
            assert!(Newcomer { first: None, last: None, lost }.begins_late(trip));
        }
    }
}
