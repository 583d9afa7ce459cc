//! The sending host changes its address: the paper's Figure 11.

mod real;

use core::cell::Cell;
use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::rc::Rc;

use serde_json::json;
use tng_base::PathCondition;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, PORT, topology};
use tng_stack::EventKind;

use super::row::{party, row};
use crate::lab::{Check, Context, Curve, Experiment, Goal, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot};
use crate::peers::helped::{Any, Direction, Party, Run, Setting, Side, Told};

/// Figure 11.
pub static FIG11: Experiment = Experiment {
    name: "tng/fig11",
    title: "The sending host changes its address",
    source: "Tng 6.3, Figure 11",
    claim: "streams survive their flow: a few round trips after a stall they go on over a new one, and without any gap \
            if the change is known before",
    about: "A host sends over a link of 10 Mbit/s; after 10 s its address is another. Direct, by way of a helper and \
            by way of one on each side of a third link; the sender is who began the connection, or who did not, and \
            then a firewall lets in to the client what comes from the new address only once the client has sent \
            something there, so that it must be looked up, which takes a round trip to the registry from when the \
            stall is told; and with notice: the host has the new address for a while beside the old one. A stall is \
            the longest time without data around the change. With --real: a sender that began the connection, over the \
            same links between network namespaces, each helper a process of `tng relay run`.",
    params: &[
        Param::rate("rate", "10mbit", "of the sender's link"),
        Param::time("delay", "10ms", "of each link, each way"),
        Param::time("lookup", "40ms", "round trip to the registry"),
        Param::time("notice", "2s", "how long a host has both addresses that knows before"),
        Param::span("before", "10s", "until the address changes"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 1 }),
    seeds: SEEDS_MIN,
    vary: &[("delay", &["10ms", "20ms", "30ms", "50ms", "100ms"]), ("notice", &["200ms", "500ms", "1s", "2s", "5s"])],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

/// Rate of the other links.
const CORE_BPS: u64 = 100_000_000;
/// A queue of so much time.
const QUEUE_MS: u64 = 50;
/// How finely gaps are measured; several packets arrive in each step.
const STEP: Duration = Duration::from_millis(5);
/// Steps of the measurement in one of the picture.
const COARSER: usize = 20;
/// How long it is looked at once the address has changed.
const BEHIND: Duration = Duration::from_secs(6);
/// A stall begins at most so long after the change; it may last until the end.
const AROUND_S: f64 = 1.0;
/// The number of the address that the host gets, among those of its router.
const NEW_ADDRESS: u16 = 200;

/// Probe timeouts and round trips that a stall may last, the look-up included.
pub(super) const PROBE_TIMEOUTS: f64 = 3.0;
pub(super) const ROUND_TRIPS: f64 = 4.0;
/// Of what a stall may last.
const STALL: Goal = Goal::AtMost(100.0);
/// Milliseconds: packets of the new path overtake none of the old one, and none is missing.
const GAP: Goal = Goal::AtMost(10.0);

/// Who moves, and how.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Case {
    name: &'static str,
    helpers: usize,
    sender: Sender,
    notice: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sender {
    /// It began the connection.
    Client,
    /// It did not: its peer looks for it.
    Server,
}

const CASES: [Case; 9] = [
    Case { name: "direct", helpers: 0, sender: Sender::Client, notice: false },
    Case { name: "helped", helpers: 1, sender: Sender::Client, notice: false },
    Case { name: "helped on both sides", helpers: 2, sender: Sender::Client, notice: false },
    Case { name: "direct, looked up", helpers: 0, sender: Sender::Server, notice: false },
    Case { name: "helped, reached by its helper", helpers: 1, sender: Sender::Server, notice: false },
    Case { name: "helped on both sides, reached by its helper", helpers: 2, sender: Sender::Server, notice: false },
    Case { name: "direct, with notice", helpers: 0, sender: Sender::Client, notice: true },
    Case { name: "helped, with notice", helpers: 1, sender: Sender::Client, notice: true },
    Case { name: "helped on both sides, with notice", helpers: 2, sender: Sender::Client, notice: true },
];

impl Case {
    /// Links in the row: one between each two hosts or helpers, and two where there are none.
    fn links(self) -> usize {
        self.helpers.max(1) + 1
    }

    /// What it has to hold: with notice no `gap`, otherwise a stall no longer than it may last, both in seconds.
    fn check(self, (stall_s, allowed_s): (f64, f64), gap: Goal) -> Check {
        if self.notice {
            return Check::new(format!("{}: longest time without data", self.name), stall_s * 1e3, "ms", gap)
                .on(0.95)
                .paper("none, it expects");
        }
        let share = 100.0 * stall_s / allowed_s;
        Check::new(format!("{}: stall, of 3 PTO and 4 round trips", self.name), share, "%", STALL)
            .paper("a few round trips after the stall")
    }
}

struct Moved {
    curve: Curve,
    stall_s: f64,
    /// What it may last.
    allowed_s: f64,
}

fn setting(context: &Context<'_>, case: Case) -> Setting {
    let queue = QueueConfig::DropTail(Limit::Bytes(context.rate("rate") / 8 * QUEUE_MS / 1_000));
    let slow = Link::new().rate(context.rate("rate")).delay(context.time("delay")).queue(queue);
    let core = slow.clone().rate(CORE_BPS);
    // Vegas fills no queue, and so loses nothing: what is missing is so because of the move.
    let sections = vec!["vegas"; case.helpers + 1];
    let mut links = vec![core.into(); case.links()];
    let own = if case.sender == Sender::Client { 0 } else { case.links() - 1 };
    links[own] = slow.into();
    let mut setting = Setting { step: STEP, ..row(context.seed, links, &sections) };
    let direction = if case.sender == Sender::Client { Direction::Up } else { Direction::Down };
    setting.parties.push(Party { direction, ..party(case.name, case.links(), &sections) });
    setting
}

fn measure(context: &Context<'_>, case: Case) -> Result<Moved, RunError> {
    context.progress(case.name);
    let (move_at, end) = (context.time("before"), context.time("before") + BEHIND);
    let mut run = context.world(setting(context, case)).begin();
    let (place, router) = if case.sender == Sender::Client { (0, 0) } else { (1, case.links() as u16) };
    let mover = run.hosts(0)[place];
    let old = run.world.address(mover).ip();
    let new = topology::ipv4(router << 8 | NEW_ADDRESS);
    if case.notice {
        run.run_until(move_at.saturating_sub(context.time("notice")));
        run.world.bring_address(mover, new);
    }
    run.run_until(move_at);
    if run.is_helped(0) != (case.helpers > 0) {
        return Err(RunError::broken(format_args!("{}: the connection went another way", case.name)));
    }
    let stats = run.stats(0)[place].first().copied();
    let stats = stats.ok_or_else(|| RunError::broken(format_args!("{}: no connection", case.name)))?;
    let (timeout_s, round_s) = (stats.pto.as_secs_f64(), stats.rtt.as_secs_f64());
    if case.sender == Sender::Server {
        firewall(&mut run, new);
    }
    run.world.change_address(mover, old, Some(new).filter(|_| !case.notice));
    if case.sender == Sender::Server {
        look_up(context, &mut run, new);
    }
    run.run_until(end);
    if let Some(why) = run.tally(0).failure {
        return Err(RunError::broken(format_args!("{}: {why}", case.name)));
    }
    let (curve, move_s) = (run.curve(0), move_at.as_secs_f64());
    // A host that knows before begins its new flow when it has the new address.
    let from_s = if case.notice { move_s - context.time("notice").as_secs_f64() } else { move_s };
    let stall_s = curve.longest_gap_s((from_s, move_s + AROUND_S), end.as_secs_f64());
    Ok(Moved { curve, stall_s, allowed_s: PROBE_TIMEOUTS * timeout_s + ROUND_TRIPS * round_s })
}

/// The client is behind a firewall: what comes from the server's new address is let in once the client has sent
/// something there. Otherwise the server itself would tell of it, and nobody would have to look it up; to a helper it
/// does.
fn firewall(run: &mut Run, new: IpAddr) {
    let known: Rc<Cell<bool>> = Rc::default();
    let knows = known.clone();
    run.world.intercept(run.links[0].forth(), move |_, packet| {
        knows.set(knows.get() || packet.dst.ip() == new);
        true
    });
    run.world.intercept(run.links[0].back(), move |_, packet| packet.src.ip() != new || known.get());
}

/// The client asks the registry once it is told of a stall, and is told the new address.
fn look_up(context: &Context<'_>, run: &mut Run, new: IpAddr) {
    let (move_at, end) = (context.time("before"), context.time("before") + BEHIND);
    let stalled = |run: &Run| {
        let told = |told: &Told| {
            let bad = matches!(told.kind, EventKind::Condition { condition, .. } if condition != PathCondition::Good);
            let bad = bad || matches!(told.kind, EventKind::PathLost { .. } | EventKind::Away);
            // The server knows that it has moved; the client has to find out.
            bad && told.by == Side::Client && told.at_s() >= move_at.as_secs_f64()
        };
        run.tally(0).events.iter().any(told)
    };
    let mut at = move_at;
    while !stalled(run) && at < end {
        at += STEP;
        run.run_until(at);
    }
    run.run_until((at + context.time("lookup")).min(end));
    let (client, now) = (run.hosts(0)[0], run.world.now());
    if let Any::End(node) = run.world.node_mut(client) {
        let connections: Vec<_> = node.app.connections().collect();
        for connection in connections {
            node.machine.reach(now, connection, vec![SocketAddr::new(new, PORT)]);
        }
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let mut table = Table::new(&["", "stall", "3 PTO + 4 round trips"]);
    let mut plot = Plot::new("What arrives while the sender moves", Axis::new("time", "s"), Curve::axis());
    let (mut figures, mut checks) = (Vec::new(), Vec::new());
    for case in CASES {
        let Moved { curve, stall_s, allowed_s } = measure(context, case)?;
        let ms = |seconds: f64| format!("{:.0} ms", seconds * 1e3);
        table.row(vec![case.name.to_owned(), ms(stall_s), ms(allowed_s)]);
        figures.push(json!({ "name": case.name, "stall_s": stall_s, "allowed_s": allowed_s }));
        plot.series.push(curve.coarser(COARSER).series());
        checks.push(case.check((stall_s, allowed_s), GAP));
    }
    let moved_s = context.time("before").as_secs_f64();
    let outcome = Outcome::new(json!({ "cases": figures, "moved_s": moved_s }));
    let outcome = outcome.table(table).plot(plot.mark(moved_s, "another address"));
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "The host is told of its new address by its system, as hosts are; the registry answers with it after a round \
         trip, and is otherwise not simulated. PTO and round trip are those of the sender before the change, and what \
         is allowed includes the look-up. With notice the time without data is looked for from when the host has the \
         new address; a flow begins there beside the old one, which gives way bit by bit. On a longer path \
         (delay=50ms) the new flow's slow start overshoots the queue of 50 ms and leaves 300 ms without data, as any \
         beginning does; with a queue of two round trips there is no gap. A sender that moves behind a firewall must \
         be looked up where there is no helper; with one it comes back by way of that, and nobody has to \
         look. The client, which mostly receives, takes a probe timeout of its own more to notice that a sender is \
         gone.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const LOOKED_UP: &str = "direct, looked up: stall, of 3 PTO and 4 round trips";

    #[test]
    fn streams_go_on_a_few_round_trips_after_the_stall() {
        let record = measured(&FIG11, 1, &[]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }

    #[test]
    fn a_registry_that_is_slower_than_allowed_for_is_seen() {
        let record = measured(&FIG11, 1, &["lookup=1500ms"]);
        let stall_s = record.outcome.results["cases"][3]["stall_s"].as_f64().expect("a figure");
        assert!(stall_s > 1.5, "longer than the second in which it begins: {record}");
        assert!(unmet(&record.outcome).contains(&LOOKED_UP), "{record}");
    }
}
