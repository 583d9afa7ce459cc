//! A helper that acknowledges and drops.

use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use serde_json::json;
use tng_base::Instant;
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;
use tng_stack::EventKind;

use super::row::{party, row};
use crate::lab::{Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot};

/// From the start, and in the middle.
pub static ACK_THEN_DROP: Experiment = Experiment {
    name: "tng/ack-then-drop",
    title: "A helper that acknowledges and drops",
    source: "ours, after Tng 2.2 (mid-loop tuning) and 4.3",
    claim: "whoever acknowledges at once and passes nothing on draws an initial window and some probes, is found out, and done without; no byte is lost",
    about: "Two links and a helper between, whose far section knows no congestion and whose packets are all dropped behind it: what comes is \
            acknowledged at once, and nothing passes, from the start or from the middle of a transfer on. Set-up passes. Counted are the bytes that the helper \
            swallows, and how long it takes until data arrives another way.",
    params: &[
        Param::rate("rate", "20mbit", "of both links"),
        Param::time("delay", "10ms", "of both links, each way"),
        Param::size("bytes", "10MB", "of the transfer"),
        Param::time("begins", "2s", "the dropping, in the second run"),
    ],
    worlds: Worlds::Virtual,
    run,
};

const LINKS: usize = 2;
const STEP: Duration = Duration::from_millis(10);
const LIMIT: Duration = Duration::from_secs(120);
/// Queues of so much time.
const QUEUE_MS: u64 = 50;
/// An initial window (RFC 9002 section 7.2), and a dozen of probes: two packets at each timeout, and what says that more waits.
const DRAWN: Goal = Goal::AtMost(12_000.0 + 12.0 * 1_250.0);
/// Probe timeouts until data arrives another way, from the start: the three of silence, and set-up.
const SOON: Goal = Goal::AtMost(3.0);

/// The first bits of a section packet (docs/wire.md section 3).
fn is_section(packet: &[u8]) -> bool {
    packet.first().is_some_and(|first| first & 0xe0 == 0x80)
}

struct Row {
    curve: Curve,
    /// UDP payload that the helper swallowed.
    drawn: u64,
    /// When it began to, and when data arrived again.
    begins_s: f64,
    again_s: f64,
    whole_s: f64,
    /// Of the client's path when it was left.
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
    let mut run = setting.begin();
    let helper = run.world.address(run.helpers[0]);
    let drawn: Rc<RefCell<u64>> = Rc::default();
    let counting = drawn.clone();
    run.world.intercept(run.links[LINKS - 1].forth(), move |now, packet| {
        let passes = packet.src != helper || !is_section(&packet.payload) || now < Instant::ZERO + begins;
        if !passes {
            *counting.borrow_mut() += packet.payload.len() as u64;
        }
        passes
    });
    let whole = run.finish(0, LIMIT).map_err(|why| RunError::broken(format_args!("{name}: {why}")))?;
    let (curve, begins_s) = (run.curve(0), begins.as_secs_f64());
    // What had left the helper before still arrives, and so does what the set-up brings.
    let quiet_s = begins_s + 2.0 * (LINKS as f64) * context.time("delay").as_secs_f64() + 2e-3 * QUEUE_MS as f64;
    let again = curve.bytes.iter().enumerate().find(|(at, bytes)| *at as f64 * curve.step_s >= quiet_s && **bytes > 0);
    let again_s = again.map_or(f64::NAN, |(at, _)| at as f64 * curve.step_s);
    let reason = |(_, kind): &(Instant, EventKind)| match kind {
        EventKind::PathLost { cause, .. } => Some(cause.to_string()),
        _ => None,
    };
    let reasons = run.tally(0).events.iter().filter_map(reason).collect();
    let drawn = *drawn.borrow();
    Ok(Row { curve, drawn, begins_s, again_s, whole_s: whole.as_secs_f64(), reasons })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let rows = [
        measure(context, "from the start", Duration::ZERO)?,
        measure(context, "in the middle", context.time("begins"))?,
    ];
    let mut table = Table::new(&["", "swallowed", "data arrives again after", "whole after", "why the path was left"]);
    let mut plot = Plot::new("What arrives", Axis::new("time", "s"), Axis::new("rate", "Mbit/s"));
    let mut figures = Vec::new();
    for Row { curve, drawn, begins_s, again_s, whole_s, reasons } in &rows {
        table.row(vec![
            curve.name.clone(),
            format!("{drawn} B"),
            format!("{:.2} s", again_s - begins_s),
            format!("{whole_s:.2} s"),
            reasons.first().cloned().unwrap_or_default(),
        ]);
        plot.series.push(curve.coarser(10).series());
        figures.push(json!({
            "name": curve.name, "swallowed_bytes": drawn, "again_s": again_s - begins_s, "whole_s": whole_s, "reasons": reasons,
        }));
    }
    let [start, middle] = &rows;
    // In a round trip of the guard twice what was acknowledged in the one before may leave, and in the middle that is the rate's.
    let round_s = 2.0 * LINKS as f64 * context.time("delay").as_secs_f64() + 1e-3 * QUEUE_MS as f64;
    let round_bytes = context.rate("rate") as f64 / 8.0 * round_s;
    let rounds = middle.drawn as f64 / round_bytes;
    Ok(Outcome::new(json!({ "runs": figures }))
        .table(table)
        .plot(plot)
        .check(Check::new("from the start: bytes swallowed", start.drawn as f64, "B", DRAWN))
        .check(Check::new("from the start: data arrives another way after", start.again_s, "s", SOON))
        .check(Check::new(
            "in the middle: swallowed, in round trips of the link with its queue",
            rounds,
            "",
            Goal::AtMost(4.0),
        ))
        .check(Check::new("in the middle: data arrives another way after", middle.again_s - middle.begins_s, "s", SOON))
        .check(Check::new("transfers whole, every byte right, of two", rows.len() as f64, "", Goal::AtLeast(2.0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn a_helper_that_swallows_gets_little_and_is_done_without() {
        let record = measured(&ACK_THEN_DROP, 1, &["bytes=6MB"]);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
        assert!(!DRAWN.holds(6e6), "the whole transfer is the control");
    }
}
