//! The sending host changes its address: the paper's Figure 11.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use serde_json::json;
use tng_base::{Instant, PathCondition};
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, PORT, topology};
use tng_stack::EventKind;

use super::row::{party, row};
use crate::helped::{Any, Direction, Party, Run, Setting};
use crate::lab::{Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot};

/// Figure 11.
pub static FIG11: Experiment = Experiment {
    name: "tng/fig11",
    title: "The sending host changes its address",
    source: "Tng 6.3, Figure 11",
    claim: "streams survive their flow: a few round trips after a stall they go on over a new one, and without any gap if the change is known before",
    about: "A host sends over a link of 10 Mbit/s; after 10 s its address is another. Direct and by way of a helper; the sender is who began the \
            connection, or who did not, and then its new address must be looked up, which takes a round trip to the registry from when the stall is \
            told; and with notice: the host has the new address for a while beside the old one. A stall is the longest time without data around \
            the change.",
    params: &[
        Param::rate("rate", "10mbit", "of the sender's link"),
        Param::time("delay", "10ms", "of each of two links, each way"),
        Param::time("lookup", "40ms", "round trip to the registry"),
        Param::time("notice", "2s", "how long a host has both addresses that knows before"),
    ],
    worlds: Worlds::Virtual,
    run,
};

const LINKS: usize = 2;
/// Rate of the other link.
const CORE_BPS: u64 = 100_000_000;
/// A queue of so much time.
const QUEUE_MS: u64 = 50;
/// How finely gaps are measured; several packets arrive in each step.
const STEP: Duration = Duration::from_millis(5);
/// Steps of the measurement in one of the picture.
const COARSER: usize = 20;
const MOVE_AT: Duration = Duration::from_secs(10);
const END: Duration = Duration::from_secs(16);
/// A stall begins at most so long after the change, and may last as long.
const AROUND_S: f64 = 1.0;
/// The number of the address that the host gets, among those of its router.
const NEW_ADDRESS: u16 = 200;

/// Probe timeouts and round trips that a stall may last.
const PROBE_TIMEOUTS: f64 = 3.0;
const ROUND_TRIPS: f64 = 4.0;
/// Of what a stall may last.
const STALL: Goal = Goal::AtMost(100.0);
/// Milliseconds: packets of the new path overtake none of the old one, and none is missing.
const GAP: Goal = Goal::AtMost(10.0);

/// Who moves, and how.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Case {
    name: &'static str,
    helped: bool,
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

const CASES: [Case; 6] = [
    Case { name: "direct", helped: false, sender: Sender::Client, notice: false },
    Case { name: "helped", helped: true, sender: Sender::Client, notice: false },
    Case { name: "direct, looked up", helped: false, sender: Sender::Server, notice: false },
    Case { name: "helped, looked up", helped: true, sender: Sender::Server, notice: false },
    Case { name: "direct, with notice", helped: false, sender: Sender::Client, notice: true },
    Case { name: "helped, with notice", helped: true, sender: Sender::Client, notice: true },
];

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
    let sections: &[&str] = if case.helped { &["vegas", "vegas"] } else { &["vegas"] };
    let links = match case.sender {
        Sender::Client => vec![slow.into(), core.into()],
        Sender::Server => vec![core.into(), slow.into()],
    };
    let mut setting = Setting { step: STEP, ..row(context.seed, links, sections) };
    let direction = if case.sender == Sender::Client { Direction::Up } else { Direction::Down };
    setting.parties.push(Party { direction, ..party(case.name, LINKS, sections) });
    setting
}

fn measure(context: &Context<'_>, case: Case) -> Result<Moved, RunError> {
    context.progress(case.name);
    let mut run = setting(context, case).begin();
    let (place, router) = if case.sender == Sender::Client { (0, 0) } else { (1, LINKS as u16) };
    let mover = run.hosts(0)[place];
    let old = run.world.address(mover).ip();
    let new = topology::ipv4(router << 8 | NEW_ADDRESS);
    if case.notice {
        run.run_until(MOVE_AT - context.time("notice"));
        run.world.bring_address(mover, new);
    }
    run.run_until(MOVE_AT);
    if run.is_helped(0) != case.helped {
        return Err(RunError::broken(format_args!("{}: the connection went another way", case.name)));
    }
    let stats = run.stats(0)[place].first().copied();
    let stats = stats.ok_or_else(|| RunError::broken(format_args!("{}: no connection", case.name)))?;
    let (timeout_s, round_s) = (stats.pto.as_secs_f64(), stats.rtt.as_secs_f64());
    run.world.change_address(mover, old, Some(new).filter(|_| !case.notice));
    if case.sender == Sender::Server {
        look_up(context, &mut run, new);
    }
    run.run_until(END);
    if let Some(why) = run.tally(0).failure {
        return Err(RunError::broken(format_args!("{}: {why}", case.name)));
    }
    let (curve, move_s) = (run.curve(0), MOVE_AT.as_secs_f64());
    // A host that knows before begins its new flow when it has the new address.
    let from_s = if case.notice { move_s - context.time("notice").as_secs_f64() } else { move_s };
    let stall_s = curve.longest_gap_s(from_s, move_s + AROUND_S);
    let lookup_s = if case.sender == Sender::Server { context.time("lookup").as_secs_f64() } else { 0.0 };
    Ok(Moved { curve, stall_s, allowed_s: PROBE_TIMEOUTS * timeout_s + ROUND_TRIPS * round_s + lookup_s })
}

/// The client asks the registry once it is told of a stall, and is told the new address.
fn look_up(context: &Context<'_>, run: &mut Run, new: IpAddr) {
    let stalled = |run: &Run| {
        let told = |(at, kind): &(Instant, EventKind)| {
            let bad = matches!(kind, EventKind::Condition { condition, .. } if *condition != PathCondition::Good);
            *at >= Instant::ZERO + MOVE_AT && (bad || matches!(kind, EventKind::PathLost { .. } | EventKind::Away))
        };
        run.tally(0).events.iter().any(told)
    };
    let mut at = MOVE_AT;
    while !stalled(run) && at < END {
        at += STEP;
        run.run_until(at);
    }
    run.run_until((at + context.time("lookup")).min(END));
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
    let mut plot =
        Plot::new("What arrives while the sender moves", Axis::new("time", "s"), Axis::new("rate", "Mbit/s"));
    let (mut figures, mut checks) = (Vec::new(), Vec::new());
    for case in CASES {
        let Moved { curve, stall_s, allowed_s } = measure(context, case)?;
        let ms = |seconds: f64| format!("{:.0} ms", seconds * 1e3);
        table.row(vec![case.name.to_owned(), ms(stall_s), ms(allowed_s)]);
        figures.push(json!({ "name": case.name, "stall_s": stall_s, "allowed_s": allowed_s }));
        plot.series.push(curve.coarser(COARSER).series());
        checks.push(match case.notice {
            true => Check::new(format!("{}: longest time without data", case.name), stall_s * 1e3, "ms", GAP)
                .paper("none, it expects"),
            false => Check::new(
                format!("{}: stall, of 3 PTO, 4 round trips and the look-up", case.name),
                100.0 * stall_s / allowed_s,
                "%",
                STALL,
            )
            .paper("a few round trips after the stall"),
        });
    }
    let outcome = Outcome::new(json!({ "cases": figures, "moved_s": MOVE_AT.as_secs_f64() }));
    let outcome = outcome.table(table).plot(plot.mark(MOVE_AT.as_secs_f64(), "another address"));
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "The host is told of its new address by its system, as hosts are; the registry answers with it after a round trip, and is otherwise \
         not simulated. PTO and round trip are those of the sender before the change. With notice \
         the time without data is looked for from when the host has the new address. A direct channel moves there at once, since nobody says whether the \
         old address lasts, and begins with a small window; a helped one begins a flow beside the old one.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn streams_go_on_a_few_round_trips_after_the_stall() {
        let record = measured(&FIG11, 1, &[]);
        // It moves in place, and begins anew with a small window.
        let small = "direct, with notice: longest time without data";
        assert!(unmet(&record.outcome).iter().all(|name| *name == small), "{record}");
    }

    #[test]
    fn a_sender_that_moves_is_followed_before_anybody_has_looked_it_up() {
        let params = FIG11.params(&["lookup=1s".to_owned()]).expect("values");
        let context = Context::new(1, params, false, &|_| ());
        let slow = measure(&context, CASES[3]).expect("it runs");
        assert!(slow.stall_s < 0.1, "{}", slow.stall_s);
    }
}
