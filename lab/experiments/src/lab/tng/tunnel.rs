//! Legacy flows in a tunnel under a controller that its operator imposes (Tng 4.2).

mod real;

use core::time::Duration;

use serde_json::json;
use tng_congestion::Choice;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{LaneStats, Link};

use super::contenders::{NEWRENO, VEGAS};
use crate::engine::report::fairness;
use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::contest::{Contest, Party, Transport};
use crate::peers::tunnelled::Tunnelled;

/// Legacy flows in a tunnel.
pub static TUNNEL: Experiment = Experiment {
    name: "tng/tunnel",
    title: "Legacy flows in a tunnel",
    source: "Tng 4.2, administrative isolation",
    claim: "legacy flows in a tunnel behave together as the controller that its operator imposes, whatever their own: \
            under newreno as one TCP-friendly flow, under vegas with a short queue; and each has its share",
    about: "Endless transfers of the reference TCP, some under cubic and some under reno, whose segments a helper \
            takes before a bottleneck and another brings out behind it: in a tunnel under newreno, cubic and \
            vegas, and the same transfers without a tunnel. At first they are alone; then a flow of TCP newreno begins \
            on the bottleneck, too. With --real: iperf3, a program that knows of no tunnel, sends over the kernel's \
            TCP through a tunnel between two processes of `tng relay run` whose way is long and lossy, leased and \
            repaired; beside the same program without the tunnel, and QUIC.",
    params: &[
        Param::rate("rate", "10mbit", "of the bottleneck, each way"),
        Param::time("delay", "20ms", "of the bottleneck, each way"),
        Param::time("buffer", "100ms", "what waits for the bottleneck at most, as time at its rate"),
        Param::list("inner", "cubic,reno,cubic,reno", &Kind::Word(INNER), "the legacy flows, by their own controllers"),
        Param::span("step", "40s", "of each of the two phases"),
        Param::rate("long-rate", "20mbit", "of the long way, with --real"),
        Param::time("long-delay", "300ms", "of it, each way"),
        Param::share("long-loss", "1%", "of packets on it, each way"),
        Param::time("long-settle", "10s", "left out at the begin"),
        Param::span("long-time", "40s", "measured"),
    ],
    worlds: Worlds::Either(Needs { root: true, minutes: 5 }),
    seeds: SEEDS_MIN,
    vary: &[
        ("buffer", &["20ms", "50ms", "100ms", "200ms", "500ms"]),
        ("delay", &["2ms", "10ms", "20ms", "50ms", "150ms"]),
    ],
    run: |context| if context.real { real::run(context) } else { run(context) },
};

const INNER: &[&str] = &["cubic", "reno", "newreno", "vegas", "bbr", "unlimited"];
/// Imposed ones.
const IMPOSED: [&str; 3] = [NEWRENO, "cubic", VEGAS];
/// The same flows without a tunnel.
const DIRECT: &str = "no tunnel";
const PACKET_BYTES: u64 = 1_500;
/// What is left out at the begin of each phase.
const SETTLE: Duration = Duration::from_secs(15);

/// What came of the legacy flows.
struct Row {
    name: &'static str,
    /// Bits per second of each, alone.
    rates_bps: Vec<f64>,
    /// Mean wait in the bottleneck's queue, seconds, and what it dropped, alone.
    wait_s: f64,
    dropped: u64,
    /// What they have together beside another flow, per cent.
    share_percent: f64,
    /// Mean wait then.
    beside_wait_s: f64,
}

impl Row {
    fn rate_bps(&self) -> f64 {
        self.rates_bps.iter().sum()
    }
}

/// What a world shows: bytes that each flow's receiver has, those beside last, and the bottleneck's counts.
type Look = (Vec<u64>, LaneStats);

/// Both phases; `look` lets time pass until then.
fn phases(name: &'static str, step: Duration, mut look: impl FnMut(Duration) -> Look) -> Row {
    let mut phase = |from: Duration, to: Duration| {
        let ((before, lane_before), (after, lane_after)) = (look(from), look(to));
        let seconds = (to - from).as_secs_f64();
        let rates = after.iter().zip(before).map(|(after, before)| (after - before) as f64 * 8.0 / seconds);
        let waited_s = |stats: &LaneStats| stats.sojourn_mean().as_secs_f64() * stats.dequeued as f64;
        let dequeued = (lane_after.dequeued - lane_before.dequeued).max(1) as f64;
        let wait_s = (waited_s(&lane_after) - waited_s(&lane_before)) / dequeued;
        (rates.collect::<Vec<_>>(), wait_s, lane_after.dropped() - lane_before.dropped())
    };
    let (alone, wait_s, dropped) = phase(SETTLE, step);
    let (both, beside_wait_s, _) = phase(step + SETTLE, step * 2);
    let inner = alone.len() - 1;
    let share_percent = both[..inner].iter().sum::<f64>() * 100.0 / both.iter().sum::<f64>().max(1.0);
    Row { name, rates_bps: alone[..inner].to_vec(), wait_s, dropped, share_percent, beside_wait_s }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (rate, step) = (context.rate("rate"), context.time("step"));
    if step < SETTLE * 2 {
        return Err(RunError::Params(format!("flows need {SETTLE:?} to settle: step=30s or more")));
    }
    let bytes = (rate as f64 / 8.0 * context.time("buffer").as_secs_f64()) as u64;
    let queue = QueueConfig::DropTail(Limit::Bytes(bytes.max(2 * PACKET_BYTES)));
    let bottleneck = Link::new().rate(rate).delay(context.time("delay")).queue(queue);
    let jitter = Duration::from_nanos(PACKET_BYTES * 8 * 1_000_000_000 / rate);
    let inner = context.words("inner");
    let beside = Party { start: step, ..Party::new(Transport::Tcp, NEWRENO) };
    let mut rows = Vec::new();
    for imposed in IMPOSED {
        context.progress(format_args!("in a tunnel under {imposed}"));
        let choice = |name: &str| name.parse::<Choice>().map_err(|error| RunError::broken(error.to_string()));
        let world = context.world(Tunnelled {
            seed: context.seed,
            bottleneck: bottleneck.clone(),
            jitter,
            imposed: choice(imposed)?,
            inner: inner.iter().map(|name| choice(name)).collect::<Result<_, _>>()?,
            beside: vec![beside.clone()],
        });
        let mut passage = world.begin();
        rows.push(phases(imposed, step, |at| {
            passage.run_until(at);
            (passage.bytes(), passage.bottleneck())
        }));
        if let Some(why) = passage.failure() {
            return Err(RunError::broken(format_args!("under {imposed}: {why}")));
        }
    }
    context.progress(DIRECT);
    let legacy = inner.iter().map(|controller| Party::new(Transport::Tcp, controller));
    let parties = legacy.chain([beside]).collect();
    let contest = Contest { seed: context.seed, bottleneck, loss: tng_sim::Loss::None, jitter, parties };
    let mut arena = context.world(contest).begin();
    rows.push(phases(DIRECT, step, |at| {
        arena.run_until(at);
        (arena.bytes(), arena.bottleneck())
    }));
    Ok(outcome(&rows))
}

fn outcome(rows: &[Row]) -> Outcome {
    let head = ["tunnel under", "alone", "wait", "dropped", "Jain's index within", "share beside TCP", "wait beside"];
    let mut table = Table::new(&head).titled("What legacy flows have together, and the bottleneck's queue");
    let ms = |time_s: f64| format!("{:.1} ms", time_s * 1e3);
    let jain = |row: &Row| fairness(&row.rates_bps).unwrap_or(f64::NAN);
    for row in rows {
        table.row(vec![
            row.name.to_owned(),
            format!("{:.2} Mbit/s", row.rate_bps() / 1e6),
            ms(row.wait_s),
            row.dropped.to_string(),
            format!("{:.3}", jain(row)),
            format!("{:.0} %", row.share_percent),
            ms(row.beside_wait_s),
        ]);
    }
    let figure = |row: &Row| {
        json!({
            "imposed": row.name, "rates_bps": row.rates_bps, "wait_s": row.wait_s, "dropped": row.dropped,
            "jain": jain(row), "share_percent": row.share_percent, "beside_wait_s": row.beside_wait_s,
        })
    };
    let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let bars = |title: &str, axis: Axis, of: &dyn Fn(&Row) -> f64| {
        let points = rows.iter().enumerate().map(|(at, row)| (at as f64, of(row))).collect();
        Plot::new(title, Axis::names(&names), axis).series(Series::bars("legacy flows", points))
    };
    let shares = bars("What legacy flows have beside one TCP flow", Axis::new("share", "%"), &|row| row.share_percent);
    let waits = bars("The bottleneck's queue while they are alone", Axis::new("wait", "ms"), &|row| row.wait_s * 1e3);
    let outcome = Outcome::new(json!({ "rows": rows.iter().map(figure).collect::<Vec<_>>() }));
    let outcome = outcome.table(table).plot(shares).plot(waits).note(
        "A tunnel has a queue for each flow in it, with CoDel that drops: what it imposes, senders find there, not in \
         the bottleneck. Segments in it have 1,100 B of data, which fit from the start, the others 1,460.",
    );
    checks(rows, jain).into_iter().fold(outcome, Outcome::check)
}

/// What of a row is told.
type Figure = fn(&Row) -> f64;

fn checks(rows: &[Row], jain: impl Fn(&Row) -> f64) -> [Check; 6] {
    let of = |name: &str, figure: Figure| rows.iter().find(|row| row.name == name).map_or(f64::NAN, figure);
    let by_direct = |name: &str, figure: Figure| of(name, figure) / of(DIRECT, figure);
    let (share, wait): (Figure, Figure) = (|row| row.share_percent, |row| row.wait_s);
    let least = rows.iter().filter(|row| row.name != DIRECT).map(jain).fold(f64::NAN, f64::min);
    [
        Check::new("under newreno: share beside one TCP flow", of(NEWRENO, share), "%", Goal::Within(40.0, 60.0))
            .ours()
            .by_median()
            .paper("to enforce TCP-friendliness"),
        Check::new("without a tunnel: share beside one TCP flow", of(DIRECT, share), "%", Goal::AtLeast(70.0)).ours(),
        Check::new(
            "under vegas, alone: wait at the bottleneck by that without a tunnel",
            by_direct(VEGAS, wait),
            "",
            Goal::AtMost(0.2),
        )
        .ours()
        .paper("deploy new congestion control schemes within a domain"),
        Check::new(
            "under vegas, alone: rate by that without a tunnel",
            by_direct(VEGAS, Row::rate_bps),
            "",
            Goal::AtLeast(0.85),
        )
        .ours(),
        Check::new("under vegas: share beside one TCP flow", of(VEGAS, share), "%", Goal::AtMost(35.0))
            .ours()
            .paper("cannot compete fairly"),
        Check::new("in tunnels: the least of Jain's index of their flows", least, "", Goal::AtLeast(0.9))
            .ours()
            .on(0.9),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    #[test]
    fn what_is_imposed_governs_whatever_the_flows_bring() {
        let record = measured(&TUNNEL, 1, &[]);
        let unmet = unmet(&record.outcome);
        assert!(unmet.iter().all(|name| !name.contains("vegas, alone") && !name.starts_with("without")), "{record}");
        assert_eq!(record, measured(&TUNNEL, 1, &[]));
    }

    #[test]
    fn flows_that_are_gentle_by_themselves_need_no_tunnel() {
        let record = measured(&TUNNEL, 1, &["inner=vegas"]);
        let unmet = unmet(&record.outcome);
        assert!(unmet.iter().any(|name| name.starts_with("without a tunnel")), "{record}");
        assert!(unmet.iter().any(|name| name.contains("wait at the bottleneck")), "{record}");
    }
}
