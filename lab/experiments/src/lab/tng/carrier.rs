//! Where UDP is blocked: sections inside TCP.

mod real;

use core::cell::Cell;
use core::net::SocketAddr;
use core::time::Duration;
use std::rc::Rc;

use serde_json::json;
use tng_base::Instant;
use tng_congestion::Choice;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, MachineNode, Node, PORT, World, fork, topology};
use tng_stack::{Access, Caution, HostConfig};

use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::peers::carried::{Above, Carried, CarriedCounts, SEGMENT};
use crate::peers::downloads::{Cast, ENDLESS};
use crate::peers::transport::tell;
use crate::settings::{Configured, Settings};

/// UDP blocked and unblocked, and TCP that breaks.
pub static CARRIER: Experiment = Experiment {
    name: "tng/carrier",
    title: "Where UDP is blocked",
    source: "ours, after Tng 7",
    claim: "a carrier costs nothing above it: UDP may be blocked and unblocked, and the TCP that stands in for it may \
            break, without a byte lost or a stream ended, and UDP is used again soon",
    about: "A download over one link whose ends have carriers (docs/carrier.md). A filter drops every datagram for a \
            while, again and again, and lets TCP pass; then a download while UDP is blocked for good and every \
            connection of TCP breaks, again and again. Every byte is compared. TCP is the reference TCP of this \
            laboratory, without TLS. With --real: the library with carriers inside TLS over the kernel's TCP, between \
            network namespaces; nft blocks UDP; beside the kernel's TCP alone.",
    params: &[
        Param::rate("rate", "4mbit", "of the link"),
        Param::time("delay", "20ms", "of the link, each way"),
        Param::time("queue", "100ms", "what waits for the link at most"),
        Param::count("times", "20", (1, 99), "UDP is blocked, and TCP breaks"),
        Param::span("blocked", "8s", "each time"),
        Param::span("open", "8s", "between two times"),
        Param::span("every", "4s", "TCP breaks where UDP is blocked for good"),
        Param::rate("real-rate", "100mbit", "of the link, with --real"),
        Param::time("real-delay", "10ms", "of the link, each way, with --real"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 7 }),
    seeds: SEEDS_MIN,
    vary: &[],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

/// Datagrams with so many bytes hold data.
const FULL: usize = 1_000;
/// From when on UDP is blocked.
const FROM: Duration = Duration::from_secs(2);

/// Transfers in which a byte was wrong.
const WRONG: Goal = Goal::AtMost(0.0);
/// Seconds from when UDP passes until all goes by it.
const BACK: Goal = Goal::AtMost(5.0);
/// Seconds without a new byte: three probe timeouts, a second, and the set-up of both.
const GAP: Goal = Goal::AtMost(5.0);
/// Of the rate of the kernel's TCP, with --real.
const OF_TCP: Goal = Goal::AtLeast(0.8);
/// Of the link's rate, over all.
const SHARE: Goal = Goal::AtLeast(50.0);
/// Percent of the link's rate by carriers that break.
const BROKEN_SHARE: Goal = Goal::AtLeast(40.0);

/// What passed a filter on the way of the data.
#[derive(Clone, Copy, Default)]
struct Seen {
    blocked: bool,
    /// When data went inside TCP last.
    carried_at: Instant,
}

/// What the worlds are made of.
struct Blocked {
    link: Link,
}

impl Blocked {
    fn of(context: &Context<'_>) -> Blocked {
        let bytes = (context.rate("rate") as f64 / 8.0 * context.time("queue").as_secs_f64()) as u64;
        let queue = QueueConfig::DropTail(Limit::Bytes(bytes));
        Blocked { link: Link::new().rate(context.rate("rate")).delay(context.time("delay")).queue(queue) }
    }
}

impl Configured for Blocked {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "link, each way", &self.link);
        tell::host(settings, "ends", &HostConfig::new(Access::Public));
        tell::tcp(settings, "TCP of carriers", &Carried::tcp());
    }
}

/// One download under way.
struct Download {
    world: World<Box<dyn Node>>,
    seen: Rc<Cell<Seen>>,
    got: Rc<core::cell::RefCell<crate::peers::downloads::Got>>,
    counts: Rc<Cell<CarriedCounts>>,
    /// How many bytes there were when it was looked last, and since when.
    before: (u64, Instant),
    gap: Duration,
}

/// How finely gaps are measured.
const STEP: Duration = Duration::from_millis(20);

impl Download {
    /// TCP breaks at these times.
    fn begin(context: &Context<'_>, breaks: Vec<Instant>) -> Download {
        let seed = context.seed;
        let Blocked { link } = context.world(Blocked::of(context));
        let [giver_at, getter_at] = [0, 1].map(topology::ipv4);
        let cast = Cast { seed, controller: Choice::default(), caution: Caution::ALL, one_key: true };
        let (host, giver) = cast.giving();
        let giver = MachineNode::new(Carried::new(host, giver_at, fork(seed, 1)), Above(giver));
        let carrier = tng_endpoint::carried_address(SocketAddr::new(giver_at, 443), 1);
        let (host, getter, got) = cast.getting(0, ENDLESS, vec![SocketAddr::new(giver_at, PORT), carrier]);
        let mut carried = Carried::new(host, getter_at, fork(seed, 2)).breaking(breaks);
        let address = carried.address_of(giver_at);
        debug_assert_eq!(address, carrier, "it is the first");
        let counts = Rc::clone(&carried.counts);
        let mut world: World<Box<dyn Node>> = World::new(seed);
        let giver = world.host("giver", &[giver_at], Box::new(giver));
        let getter = world.host("getter", &[getter_at], Box::new(MachineNode::new(carried, Above(getter))));
        let link = world.connect(giver, getter, &link);
        let seen = Rc::<Cell<Seen>>::default();
        for (lane, forth) in [(link.forth(), true), (link.back(), false)] {
            let seen = Rc::clone(&seen);
            world.intercept(lane, move |now, packet| {
                let mut was = seen.get();
                let carried = packet.payload.first() == Some(&SEGMENT);
                if carried && forth && packet.payload.len() >= FULL {
                    was.carried_at = now;
                    seen.set(was);
                }
                carried || !was.blocked
            });
        }
        Download { world, seen, got, counts, before: (0, Instant::ZERO), gap: Duration::ZERO }
    }

    fn block(&mut self, blocked: bool) {
        self.seen.set(Seen { blocked, ..self.seen.get() });
    }

    fn run_until(&mut self, until: Duration) {
        while self.world.now() < Instant::ZERO + until {
            let now = (self.world.now() + STEP).min(Instant::ZERO + until);
            self.world.run_until(now);
            let bytes = self.got.borrow().bytes;
            if bytes > self.before.0 {
                self.before = (bytes, now);
            }
            self.gap = self.gap.max(now.since(self.before.1));
        }
    }

    /// Answers how many bytes came, or what went wrong.
    fn end(&self) -> Result<u64, String> {
        let got = self.got.borrow();
        got.wrong.clone().map_or(Ok(got.bytes), Err)
    }

    /// What came in so long, of what the link carries.
    fn share(&self, context: &Context<'_>, within: Duration) -> f64 {
        let bits = self.got.borrow().bytes as f64 * 8.0;
        100.0 * bits / (context.rate("rate") as f64 * within.as_secs_f64())
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let times = context.count("times");
    context.progress("UDP blocked and unblocked");
    let mut toggled = Download::begin(context, Vec::new());
    let (blocked, open) = (context.time("blocked"), context.time("open"));
    let (mut at, mut back, mut carried) = (FROM, Vec::new(), 0);
    for _ in 0..times {
        toggled.run_until(at);
        toggled.block(true);
        let before = toggled.counts.get().bytes;
        toggled.run_until(at + blocked);
        carried += u64::from(toggled.seen.get().carried_at > Instant::ZERO + at);
        debug_assert!(toggled.counts.get().bytes >= before);
        toggled.block(false);
        let unblocked = Instant::ZERO + at + blocked;
        at += blocked + open;
        toggled.run_until(at);
        back.push(toggled.seen.get().carried_at.since(unblocked).as_secs_f64());
    }
    let longest = back.iter().copied().fold(0.0, f64::max);
    let share = toggled.share(context, at);

    context.progress("TCP that breaks");
    let every = context.time("every");
    let breaks = (1..=times as u32).map(|n| Instant::ZERO + FROM + every * n).collect();
    let mut broken = Download::begin(context, breaks);
    broken.block(true);
    let until = FROM + every * (times as u32 + 1);
    broken.run_until(until);
    let broken_share = broken.share(context, until);

    let mut table =
        Table::new(&["", "wrong", "bytes", "of the link's rate", "carriers", "longest time without a byte"]);
    for (name, download, share) in [("UDP comes and goes", &toggled, share), ("TCP breaks", &broken, broken_share)] {
        let ended = download.end();
        table.row(vec![
            name.to_owned(),
            ended.as_ref().err().cloned().unwrap_or_else(|| "nothing".to_owned()),
            ended.unwrap_or_default().to_string(),
            format!("{share:.0} %"),
            download.counts.get().begun.to_string(),
            format!("{:.2} s", download.gap.as_secs_f64()),
        ]);
    }
    let wrong = [&toggled, &broken].iter().filter(|download| download.end().is_err()).count();
    let results = json!({
        "back_s": back,
        "carried_times": carried,
        "share_percent": [share, broken_share],
        "gap_s": [toggled.gap.as_secs_f64(), broken.gap.as_secs_f64()],
        "carriers": [toggled.counts.get().begun, broken.counts.get().begun],
        "wrong": [toggled.end().err(), broken.end().err()],
    });
    let missed = times as f64 - carried as f64;
    Ok(Outcome::new(results)
        .table(table)
        .check(Check::new("downloads with a byte lost or wrong", wrong as f64, "", WRONG))
        .check(Check::new("blocked times without data by a carrier", missed, "", WRONG))
        .check(Check::new("UDP passes again: seconds until nothing goes by a carrier", longest, "s", BACK))
        .check(Check::new("longest time without a byte, UDP coming and going", toggled.gap.as_secs_f64(), "s", GAP))
        .check(Check::new("of the link's rate, UDP coming and going", share, "%", SHARE))
        .check(Check::new("of the link's rate, TCP breaking", broken_share, "%", BROKEN_SHARE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn udp_comes_and_goes_and_tcp_breaks_and_no_byte_is_lost() {
        let record = measured(&CARRIER, 1, &["times=3"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn what_is_open_for_too_short_a_time_is_not_gone_back_to() {
        let record = measured(&CARRIER, 1, &["times=2", "delay=1500ms", "blocked=15s", "open=15s"]);
        assert!(!record.holds(), "set-up and the change take round trips of three seconds: {record}");
    }
}
