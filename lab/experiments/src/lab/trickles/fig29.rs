//! Figure 29: a server that is killed in the middle of a download.

mod real;

use core::time::Duration;

use serde_json::json;

use super::testbed::{Testbed, WAYS, one_by_one};
use crate::lab::{Check, Context, Curve, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::{Crowd, ENDLESS, Kill, Way};

/// Figure 29.
pub static FIG29: Experiment = Experiment {
    name: "trickles/fig29",
    title: "A server that is killed in mid-download",
    source: "Trickles 6.2, Figure 29",
    claim: "to a client of Trickles a server that is killed and started again is a lost window; one of TCP makes a new \
            connection and asks for the rest",
    about: "One client fetches an endless object over a switched LAN. After 10 s the server's process ends, and \
            another is there at once or later: over Trickles; over the reference TCP with reno, whose client is told \
            by a reset; and over the same TCP whose server lives on while the link carries nothing, for that time and \
            a round trip more: that of the requests that a server refuses since it did not live when they were \
            granted. The paper starts the server again at once; its curve has no numbers in its text. With --real: the \
            same over a slower link between network namespaces, tng trickles serve and nginx ended by SIGKILL and \
            started again.",
    params: &[
        Param::list("downs", "0ms,50ms,200ms,1s", &Kind::Time, "nothing is there"),
        Param::rate("rate", "1gbit", "of the link"),
        Param::span("after", "2s", "is counted from the kill, and the time down before it"),
        Param::rate("real-rate", "100mbit", "of the link with --real"),
        Param::span("real-kill", "10s", "after which the server is killed with --real"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 3 }),
    seeds: 1,
    vary: &[],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

/// What Trickles brings after the blow by its own rate before, of what the reference, by its own, brings after losing
/// the same packets.
const AFTER: Goal = Goal::AtLeast(1.0);
/// The time whose rate is that before the blow.
const BEFORE: Duration = Duration::from_secs(2);
/// When it is killed.
pub const KILLED_AT: Duration = Duration::from_secs(10);
/// What the plot has before that.
const PLOT_BEFORE: Duration = Duration::from_millis(500);
/// What a trace counts together.
const STEP: Duration = Duration::from_millis(50);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rate_bps, after) = (context.rate("rate"), context.time("after"));
    let runs = [
        ("Trickles, killed", WAYS[1], Blow::Killed),
        ("TCP, killed", WAYS[0], Blow::Killed),
        ("TCP, unplugged", WAYS[0], Blow::Unplugged),
    ];
    let mut table = Table::new(&["down", "over", "before", "after, time down included", "by the rate before", "lost"])
        .titled("What comes after the blow");
    let (mut outcome, mut results, mut checks) = (Outcome::new(json!({})), Vec::new(), Vec::new());
    for down in context.times("downs") {
        let (end, words) = (KILLED_AT + down + after, format!("down for {down:?}"));
        let plot = Plot::new(&format!("Down for {down:?}"), Axis::new("time", "s"), Curve::axis());
        let (mut plot, mut bytes, mut losses, mut kept) = (plot, Vec::new(), Vec::new(), Vec::new());
        for (name, way, blow) in runs {
            context.progress(format_args!("{words}: {name}"));
            let crowd = context.world(crowd(context.seed, way, rate_bps, Duration::ZERO, blow, down));
            let trace = trace(&crowd, blow, down, end, STEP)?;
            let (before, after) = (trace.between(KILLED_AT - BEFORE, KILLED_AT), trace.between(KILLED_AT, end));
            let rate = |bytes, time: Duration| bytes as f64 * 8.0 / time.as_secs_f64();
            let share = rate(after, end - KILLED_AT) / rate(before, BEFORE);
            table.row(vec![
                format!("{down:?}"),
                name.to_owned(),
                format!("{:.1} Mbit/s", rate(before, BEFORE) / 1e6),
                format!("{:.1} MB", after as f64 / 1e6),
                format!("{share:.3}"),
                trace.losses.to_string(),
            ]);
            bytes.push(after);
            losses.push(trace.losses);
            kept.push(share);
            let rates =
                trace.bytes.iter().enumerate().map(|(at, bytes)| {
                    ((STEP * at as u32).as_secs_f64(), *bytes as f64 * 8.0 / STEP.as_secs_f64() / 1e6)
                });
            let begin = (KILLED_AT - PLOT_BEFORE).as_secs_f64();
            plot = plot.series(Series::steps(name, rates.filter(|(at, _)| *at >= begin).collect()));
        }
        let name = format!("{words}: Trickles by TCP that loses the same packets, each by its rate before");
        checks.push(Check::new(name, kept[0] / kept[2], "", AFTER));
        let lost = f64::from(losses[0]);
        checks.push(Check::new(format!("{words}: connections lost over Trickles"), lost, "", Goal::AtMost(0.0)));
        outcome = outcome.plot(plot.mark(KILLED_AT.as_secs_f64(), "killed"));
        results.push(json!({ "down_s": down.as_secs_f64(), "bytes": bytes, "losses": losses, "kept": kept }));
    }
    outcome.results = json!({ "runs": runs.map(|(name, ..)| name), "downs": results });
    let outcome = outcome.table(table).note(
        "Rates are normalised: each is held against its own rate before, and not against the other's. On a link that \
         is full a packet of Trickles has fewer bytes of data than one of TCP (trickles/sizes), whatever befalls the \
         server; in bytes, as the table has them, Trickles may be behind.",
    );
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

/// What waits for the link at most: of 1,000 packets at 1 Gbit/s.
const QUEUE_TIME: Duration = Duration::from_millis(12);

/// What happens at that time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blow {
    /// The server's process ends, with all that it knew. A client over TCP is told by a reset, makes a new connection,
    /// and asks for the rest.
    Killed,
    /// The link carries nothing for that time and a full round trip more: the same packets are lost, nothing else.
    Unplugged,
}

/// The rate between the two, bits per second.
pub const RATE_BPS: u64 = 1_000_000_000;

/// One client of one server.
pub fn crowd(seed: u64, way: Way, rate_bps: u64, rtt: Duration, blow: Blow, down: Duration) -> Crowd {
    let testbed = Testbed { rate_bps, ..Testbed::default().rtt(rtt) };
    let queue_packets = (QUEUE_TIME.as_nanos() / testbed.packet_time().as_nanos()) as usize;
    let testbed = Testbed { queue_packets, ..testbed };
    let mut visit = one_by_one(0, [ENDLESS]);
    visit.errand.perseveres = true;
    let kills = match blow {
        Blow::Killed => vec![Kill { server: 0, at: KILLED_AT, down }],
        Blow::Unplugged => Vec::new(),
    };
    Crowd { kills, ..testbed.crowd(seed, vec![way], vec![visit]) }
}

/// What arrived over time.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// Length of a step.
    pub step: Duration,
    /// Bytes of answers that arrived in each, from the start.
    pub bytes: Vec<u64>,
    /// Connections that were lost.
    pub losses: u32,
}

impl Trace {
    /// Bytes from one time to another.
    pub fn between(&self, from: Duration, to: Duration) -> u64 {
        let place = |at: Duration| (at.as_nanos() / self.step.as_nanos()) as usize;
        self.bytes.iter().take(place(to)).skip(place(from)).sum()
    }
}

/// Measures such a world for `time`, in steps.
///
/// # Errors
/// What the client failed at.
pub fn trace(crowd: &Crowd, blow: Blow, down: Duration, time: Duration, step: Duration) -> Result<Trace, RunError> {
    let mut scene = crowd.begin().map_err(RunError::broken)?;
    if blow == Blow::Unplugged {
        scene.unplug(KILLED_AT, KILLED_AT + down + QUEUE_TIME + crowd.down.delay * 2);
    }
    let (mut bytes, mut at) = (Vec::new(), Duration::ZERO);
    while at < time {
        let rates = scene.rates_bps(at, at + step).map_err(RunError::broken)?;
        bytes.push((rates[0] * step.as_secs_f64() / 8.0).round() as u64);
        at += step;
    }
    Ok(Trace { step, bytes, losses: scene.losses()[0] })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(2);

    #[test]
    fn after_a_kill_trickles_brings_no_less_than_the_reference_that_loses_the_same_packets() {
        let (rate_bps, down, end) = (20_000_000, Duration::from_millis(200), Duration::from_secs(12));
        let kept = [(WAYS[1], down), (WAYS[0], down), (WAYS[1], 2 * down)].map(|(way, down)| {
            let blow = if way == WAYS[1] { Blow::Killed } else { Blow::Unplugged };
            let crowd = crowd(1, way, rate_bps, Duration::ZERO, blow, down);
            let trace = trace(&crowd, blow, down, end, STEP).expect("it goes on");
            assert_eq!(trace.losses, 0);
            trace.between(KILLED_AT, end) as f64 / trace.between(KILLED_AT - BEFORE, KILLED_AT) as f64
        });
        assert!(AFTER.holds(kept[0] / kept[1]), "{kept:?}");
        assert!(!AFTER.holds(kept[2] / kept[1]), "one that was down for twice the time has what it had: {kept:?}");
    }

    fn traced(blow: Blow, down: Duration) -> Trace {
        let crowd = crowd(1, Way::Tcp, RATE_BPS / 10, RTT, blow, down);
        trace(&crowd, blow, down, Duration::from_secs(12), Duration::from_millis(50)).expect("it goes on")
    }

    #[test]
    fn a_client_of_the_reference_makes_a_new_connection_and_has_lost_what_that_takes() {
        for down in [0, 200] {
            let down = Duration::from_millis(down);
            let trace = traced(Blow::Killed, down);
            assert!(trace.losses > 0, "{trace:?}");
            let before = trace.between(KILLED_AT - Duration::from_secs(1), KILLED_AT);
            let after = trace.between(KILLED_AT, KILLED_AT + Duration::from_secs(1));
            let lost = 1.0 - after as f64 / before as f64;
            // What it had before was not all of the link.
            let least = down.as_secs_f64() - 0.05;
            assert!((least..least + 0.5).contains(&lost), "{lost} of a second after {down:?}");
        }
    }

    #[test]
    fn unplugged_for_a_while_the_reference_keeps_its_connection() {
        let trace = traced(Blow::Unplugged, Duration::from_millis(200));
        assert_eq!(trace.losses, 0);
        assert!(trace.between(KILLED_AT + Duration::from_secs(1), KILLED_AT + Duration::from_secs(2)) > 3_000_000);
    }
}
