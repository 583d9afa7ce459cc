//! A helper that acknowledges and drops.

use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use serde_json::json;
use tng_base::Instant;
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;
use tng_stack::{ConnectionStats, GUARD_FLOOR};

use super::row::{party, row};
use crate::lab::{Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot};

/// From the start, and in the middle.
pub static ACK_THEN_DROP: Experiment = Experiment {
    name: "tng/ack-then-drop",
    title: "A helper that acknowledges and drops",
    source: "ours, after Tng 2.2 (mid-loop tuning) and 4.3",
    claim: "whoever acknowledges at once and passes nothing on draws an initial window and some probes, is found out, \
            and done without; no byte is lost",
    about: "Two links and a helper between, whose far section knows no congestion and whose packets are all dropped \
            behind it: what comes is acknowledged at once, and nothing passes, from the start or from the middle of a \
            transfer on. Set-up passes. Counted are the bytes that the helper swallows, and how long it takes until \
            data arrives another way.",
    params: &[
        Param::rate("rate", "20mbit", "of both links"),
        Param::time("delay", "10ms", "of both links, each way"),
        Param::size("bytes", "10MB", "of the transfer"),
        Param::time("begins", "2s", "the dropping, in the second run"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

const LINKS: usize = 2;
const STEP: Duration = Duration::from_millis(1);
/// Steps of the measurement in one of the picture.
const COARSER: usize = 100;
const LIMIT: Duration = Duration::from_secs(120);
/// Queues of so much time.
const QUEUE_MS: u64 = 50;
/// Full packets of an initial window (RFC 9002 section 7.2), of a probe, and of what says that more waits.
const INITIAL_PACKETS: u64 = GUARD_FLOOR / 1_200;
const PROBE_PACKETS: u64 = 2;
const OTHER_PACKETS: u64 = 2;
/// Of an initial window and the probes that were sent, percent.
const DRAWN: Goal = Goal::AtMost(100.0);
/// Probe timeouts without an acknowledgment from end to end until the path is left.
const LEFT: Goal = Goal::AtMost(PROBE_TIMEOUTS);
const PROBE_TIMEOUTS: f64 = 3.0;
/// Round trips that come on top, until data arrives another way.
const ROUND_TRIPS: u32 = 4;
const AGAIN: Goal = Goal::AtMost(100.0);
const WHOLE: Goal = Goal::AtLeast(1.0);

/// The first bits of a section packet (docs/wire.md section 3).
fn is_section(packet: &[u8]) -> bool {
    packet.first().is_some_and(|first| first & 0xe0 == 0x80)
}

struct Row {
    curve: Curve,
    /// UDP payload that the helper swallowed, and what it may have: an initial window and the probes that were sent.
    drawn: u64,
    allowed: u64,
    probes: u64,
    /// From when it could be noticed on until the client went another way, and until data arrived.
    left_s: f64,
    again_s: f64,
    /// How long before it left something was last acknowledged from end to end.
    silent_s: f64,
    /// The client's probe timeout before it left, and its round trip when it began.
    pto_s: f64,
    round_s: f64,
    complete: usize,
    whole_s: f64,
    reasons: Vec<String>,
}

fn measure(context: &Context<'_>, name: &str, begins: Duration) -> Result<Row, RunError> {
    context.progress(name);
    let queue = QueueConfig::DropTail(Limit::Bytes(context.rate("rate") / 8 * QUEUE_MS / 1_000));
    let link = Link::new().rate(context.rate("rate")).delay(context.time("delay")).queue(queue);
    let sections = ["cubic", "unlimited"];
    let mut setting = row(context.seed, vec![link.into(); LINKS], &sections);
    setting.step = STEP;
    setting.parties.push(party(name, LINKS, &sections).bytes(context.size("bytes")));
    let mut run = context.world(setting).begin();
    let helper = run.world.address(run.helpers[0]);
    let drawn: Rc<RefCell<(u64, u64)>> = Rc::default();
    let counting = drawn.clone();
    run.world.intercept(run.links[LINKS - 1].forth(), move |now, packet| {
        let passes = packet.src != helper || !is_section(&packet.payload) || now < Instant::ZERO + begins;
        if !passes {
            let (drawn, packet_max) = &mut *counting.borrow_mut();
            let len = packet.payload.len() as u64;
            (*drawn, *packet_max) = (*drawn + len, len.max(*packet_max));
        }
        passes
    });
    let (mut before, mut last, mut left_s) = (None, None, f64::NAN);
    let mut acked_s = f64::NAN;
    let mut now = Duration::ZERO;
    while run.tally(0).complete == 0 && run.tally(0).failure.is_none() && now < LIMIT {
        now += STEP;
        run.run_until(now);
        let helped = run.paths(0)[0].iter().find(|path| path.stats.helpers > 0).map(|path| path.stats);
        if now >= begins {
            before = before.or(helped.map(|stats| (now, stats)));
        }
        let acked = |stats: Option<ConnectionStats>| stats.map(|stats| stats.channel.bytes_acked);
        if left_s.is_nan() && helped.is_some() {
            if acked(helped) != acked(last) {
                acked_s = now.as_secs_f64();
            }
            last = helped;
        }
        if before.is_some() && left_s.is_nan() && run.is_direct(0) {
            left_s = now.as_secs_f64();
        }
    }
    let (Some((begun, before)), Some(last)) = (before, last) else {
        return Err(RunError::broken(format_args!("{name}: it was not helped")));
    };
    let (curve, tally, begun_s) = (run.curve(0), run.tally(0), begun.as_secs_f64());
    // What had left the helper before still arrives, and so does what the set-up brings.
    let quiet_s = begun_s + (LINKS as f64) * context.time("delay").as_secs_f64() + 1e-3 * QUEUE_MS as f64;
    let again = curve.bytes.iter().enumerate().find(|(at, bytes)| *at as f64 * curve.step_s >= quiet_s && **bytes > 0);
    let again_s = again.map_or(f64::NAN, |(at, _)| (at + 1) as f64 * curve.step_s);
    let (drawn, packet) = *drawn.borrow();
    let probes = last.channel.probe_timeouts - before.channel.probe_timeouts;
    Ok(Row {
        curve,
        drawn,
        allowed: (INITIAL_PACKETS + PROBE_PACKETS * probes + OTHER_PACKETS) * packet,
        probes,
        left_s: left_s - begun_s,
        // It has left within the last step.
        silent_s: left_s - STEP.as_secs_f64() - acked_s,
        again_s: again_s - begun_s,
        pto_s: last.pto.as_secs_f64(),
        round_s: before.rtt.as_secs_f64(),
        complete: tally.complete,
        whole_s: tally.completed_at.map_or(f64::NAN, |at| at.since(Instant::ZERO).as_secs_f64()),
        reasons: tally.paths_lost().map(|(_, cause)| cause.to_string()).collect(),
    })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let rows = [
        measure(context, "from the start", Duration::ZERO)?,
        measure(context, "in the middle", context.time("begins"))?,
    ];
    let head = [
        "",
        "swallowed",
        "window and probes",
        "probes",
        "left after",
        "data again after",
        "whole after",
        "why it was left",
    ];
    let mut table = Table::new(&head);
    let mut plot = Plot::new("What arrives", Axis::new("time", "s"), Curve::axis());
    let (mut figures, mut checks) = (Vec::new(), Vec::new());
    for row in &rows {
        let (name, Row { drawn, allowed, probes, left_s, silent_s, again_s, pto_s, round_s, whole_s, reasons, .. }) =
            (&row.curve.name, row);
        let ms = |seconds: f64| format!("{:.0} ms", seconds * 1e3);
        table.row(vec![
            name.clone(),
            format!("{drawn} B"),
            format!("{allowed} B"),
            probes.to_string(),
            ms(*left_s),
            ms(*again_s),
            format!("{whole_s:.2} s"),
            reasons.first().cloned().unwrap_or_default(),
        ]);
        plot.series.push(row.curve.coarser(COARSER).series());
        figures.push(json!({
            "name": name, "swallowed_bytes": drawn, "allowed_bytes": allowed, "probe_timeouts": probes,
            "left_s": left_s,
            "silent_s": silent_s, "again_s": again_s, "pto_s": pto_s, "round_trip_s": round_s, "whole_s": whole_s,
            "reasons": reasons,
        }));
        let patience_s = PROBE_TIMEOUTS * pto_s;
        let again = again_s / (patience_s + f64::from(ROUND_TRIPS) * round_s);
        let swallowed = *drawn as f64 / *allowed as f64;
        checks.push(Check::new(
            format!("{name}: swallowed, of an initial window and the probes"),
            100.0 * swallowed,
            "%",
            DRAWN,
        ));
        checks.push(Check::new(format!("{name}: silence until it is left"), silent_s / pto_s, "PTO", LEFT));
        let arrives = format!("{name}: data arrives another way after, of 3 PTO and 4 round trips");
        checks.push(Check::new(arrives, 100.0 * again, "%", AGAIN).ours());
        checks.push(Check::new(format!("{name}: transfers whole, every byte right"), row.complete as f64, "", WHOLE));
    }
    let outcome = Outcome::new(json!({ "runs": figures })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "In the middle a sender has a round trip of packets on its way before anything can be missed, so that a helper \
         that turns evil then draws what the link carries in that time, and what the guard lets go until the silence \
         is noticed.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn a_helper_that_swallows_is_done_without_and_gets_little_unless_much_was_on_its_way() {
        let record = measured(&ACK_THEN_DROP, 1, &["bytes=6MB"]);
        assert_eq!(
            unmet(&record.outcome),
            ["in the middle: swallowed, of an initial window and the probes"],
            "{record}"
        );
    }
}
