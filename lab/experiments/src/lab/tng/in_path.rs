//! Helpers that nobody named, in the worlds of Figures 7 and 10.

use core::time::Duration;

use serde_json::json;
use tng_base::Instant;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};
use tng_stack::{EventKind, HelpersInPath};

use super::fig10::leased;
use crate::lab::{Check, Context, Curve, Experiment, Goal, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::{Direction, Party, Post, Setting, Side};

/// Found in the path.
pub static IN_PATH: Experiment = Experiment {
    name: "tng/inpath",
    title: "Helpers in the path that nobody named",
    source: "ours, after Tng 4.1, 5.2 and 6.2",
    claim: "helpers that see a set-up pass offer themselves behind its answer: no first byte waits for them, within \
            three round trips the flow has what it would have through named ones, and a client that forbids it is as \
            if there were none",
    about: "The worlds of tng/fig10 (a leased long link between two helpers, 1 % of its packets lost) and tng/fig7 (a \
            wireless hop that loses 3 %, with a helper at the access point; up and down). In each an endless transfer: \
            by way of helpers that the client names; with the same helpers in the path, and a client that names none; \
            with these and a client that forbids it; and without any. Until helped counts from the INIT whose answer \
            the client has had: one that was lost, or whose answer was, has held up the flow itself.",
    params: &[
        Param::span("time", "30s", "that each transfer is watched"),
        Param::rate("rate", "20mbit", "of the long link"),
        Param::time("delay", "50ms", "of the long link, each way"),
        Param::rate("hop", "5mbit", "of the wireless hop, each way"),
        Param::time("path", "110ms", "round trip of the path over the wireless hop"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[
        ("delay", &["10ms", "25ms", "50ms", "100ms", "250ms"]),
        ("path", &["20ms", "50ms", "110ms", "180ms", "250ms"]),
    ],
    run,
};

const STEP: Duration = Duration::from_millis(500);
/// Round trip of the wireless hop, and what waits for a link at most, as time at its rate.
const HOP: Duration = Duration::from_millis(10);
const BUFFER: Duration = Duration::from_millis(100);
const CORE_BPS: u64 = 50_000_000;
const LAN_BPS: u64 = 1_000_000_000;
const LAN_DELAY: Duration = Duration::from_micros(100);
const LONG_LOSS: f64 = 0.01;
const HOP_LOSS: f64 = 0.03;

/// When nobody is compared yet: what begins directly has to find its pace once more.
const SETTLE: Duration = Duration::from_secs(5);

const ROUNDS: Goal = Goal::AtMost(3.0);
const LATER_MS: Goal = Goal::AtMost(1.0);
/// Of what named helpers bring.
const OF_NAMED: Goal = Goal::AtLeast(0.9);
/// Times that a client was helped who forbids it.
const UNHELPED: Goal = Goal::AtMost(0.0);
/// What such a client has of what it would have without helpers: the offer that it gets draws a lot of a link's loss.
const OF_NONE: Goal = Goal::AtLeast(0.8);

/// A world of the paper's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Testbed {
    Leased,
    Up,
    Down,
}

impl Testbed {
    const ALL: [Testbed; 3] = [Testbed::Leased, Testbed::Up, Testbed::Down];

    const fn name(self) -> &'static str {
        match self {
            Testbed::Leased => "leased long link",
            Testbed::Up => "wireless, up",
            Testbed::Down => "wireless, down",
        }
    }
}

/// How the helpers are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    Named,
    InPath,
    Forbidden,
    None,
}

impl Found {
    const ALL: [Found; 4] = [Found::Named, Found::InPath, Found::Forbidden, Found::None];

    const fn name(self) -> &'static str {
        match self {
            Found::Named => "named",
            Found::InPath => "in the path",
            Found::Forbidden => "forbidden",
            Found::None => "none",
        }
    }
}

/// What a transfer did.
struct Measured {
    first_s: f64,
    /// How long after the INIT whose answer the client has had it was first helped, in round trips of propagation;
    /// none: it was not.
    helped_rounds: Option<f64>,
    /// Bytes that arrived once it had settled.
    settled: u64,
    points: Vec<(f64, f64)>,
}

fn buffered(bps: u64, delay: Duration) -> Link {
    let bytes = (bps as f64 / 8.0 * BUFFER.as_secs_f64()) as u64;
    Link::new().rate(bps).delay(delay).queue(QueueConfig::DropTail(Limit::Bytes(bytes)))
}

/// The world and its round trip.
fn setting(context: &Context<'_>, place: Testbed, found: Found) -> (Setting, Duration) {
    let (mut setting, round_trip, mut posts, ends, direction) = match place {
        Testbed::Leased => {
            let (rate, delay) = (context.rate("rate"), context.time("delay"));
            let lan = Link::new().rate(LAN_BPS).delay(LAN_DELAY);
            let queue = QueueConfig::DropTail(Limit::Bytes((rate as f64 / 4.0 * delay.as_secs_f64()) as u64));
            let long = Link::new().rate(rate).delay(delay).queue(queue).loss(Loss::Independent(LONG_LOSS));
            let posts = vec![
                Post::at(1).elsewhere("newreno").toward(2, &leased(rate)),
                Post::at(2).elsewhere("newreno").toward(1, &leased(rate)),
            ];
            let setting = Setting::new(context.seed, vec![lan.clone().into(), long.into(), lan.into()]);
            (setting, (delay + LAN_DELAY * 2) * 2, posts, (0, 3), Direction::Up)
        }
        Testbed::Up | Testbed::Down => {
            let path = context.time("path");
            let wireless = buffered(context.rate("hop"), HOP / 2).wireless(HOP_LOSS);
            let core = buffered(CORE_BPS, path.saturating_sub(HOP) / 2);
            let posts = vec![Post::at(1).elsewhere("newreno").advising(0, "eln")];
            let direction = if place == Testbed::Up { Direction::Up } else { Direction::Down };
            (Setting::new(context.seed, vec![wireless.into(), core.into()]), path, posts, (0, 2), direction)
        }
    };
    if matches!(found, Found::InPath | Found::Forbidden) {
        posts = posts.into_iter().map(Post::in_path).collect();
    }
    let policy = if found == Found::Forbidden { HelpersInPath::Forbidden } else { HelpersInPath::Allowed };
    let party = Party::tng(found.name(), ends, direction, ["newreno", "newreno"]).in_path(policy);
    let all: Vec<usize> = (0..posts.len()).collect();
    let party = match (found, place) {
        (Found::Named, Testbed::Leased) => party.via(&all),
        (Found::Named, _) => party.via(&all).wishing("eln"),
        _ => party,
    };
    setting.step = STEP;
    setting.parties.push(party);
    setting.helpers = posts;
    (setting, round_trip)
}

fn measure(context: &Context<'_>, place: Testbed, found: Found) -> Result<Measured, RunError> {
    context.progress(format_args!("{}: {}", place.name(), found.name()));
    let (setting, round_trip) = setting(context, place, found);
    let mut run = context.world(setting).begin();
    run.run_until(SETTLE);
    let before = run.bytes(0);
    run.run_until(context.time("time"));
    let tally = run.tally(0);
    if let Some(why) = tally.failure {
        return Err(RunError::broken(format_args!("{}, {}: {why}", place.name(), found.name())));
    }
    let first = tally.first_at.ok_or_else(|| RunError::broken("nothing arrived"))?;
    let clients = || tally.events.iter().filter(|told| told.by == Side::Client);
    let helped = clients().find(|told| matches!(told.kind, EventKind::Helped { .. }));
    let connected = clients().find(|told| matches!(told.kind, EventKind::Connected));
    let begun_s = connected.map(|told| told.at_s()).unwrap_or_default() - round_trip.as_secs_f64();
    let curve = run.curve(0);
    let points = (1..)
        .zip(&curve.bytes)
        .map(|(step, bytes)| (f64::from(step) * curve.step_s, *bytes as f64 * 8e-6 / curve.step_s));
    Ok(Measured {
        first_s: first.since(Instant::ZERO).as_secs_f64(),
        helped_rounds: helped.map(|told| (told.at_s() - begun_s) / round_trip.as_secs_f64()),
        settled: run.bytes(0) - before,
        points: points.collect(),
    })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    if context.time("time") < SETTLE * 2 {
        return Err(RunError::Params(format!("flows need {SETTLE:?} to settle: time=10s or more")));
    }
    let head = ["", "named", "in the path", "forbidden", "none"];
    let mut rates = Table::new(&head).titled("Mbit/s once settled");
    let mut begins = Table::new(&["", "first byte, ms", "without helpers", "helped after, round trips"])
        .titled("In the path: how it begins");
    let (mut figures, mut checks, mut plots) = (Vec::new(), Vec::new(), Vec::new());
    let settled_s = (context.time("time") - SETTLE).as_secs_f64();
    for place in Testbed::ALL {
        let measured = Found::ALL.map(|found| measure(context, place, found));
        let [named, in_path, forbidden, none] = measured;
        let (named, in_path, forbidden, none) = (named?, in_path?, forbidden?, none?);
        let all = [&named, &in_path, &forbidden, &none];
        let mbits = all.map(|it| it.settled as f64 * 8e-6 / settled_s);
        rates.row([place.name().to_owned()].into_iter().chain(mbits.map(|it| format!("{it:.2}"))).collect());
        let rounds = in_path.helped_rounds.unwrap_or(f64::NAN);
        begins.row(vec![
            place.name().to_owned(),
            format!("{:.3}", in_path.first_s * 1e3),
            format!("{:.3}", none.first_s * 1e3),
            format!("{rounds:.2}"),
        ]);
        let mut plot = Plot::new(place.name(), Axis::new("time", "s"), Curve::axis());
        for (it, found) in all.iter().zip(Found::ALL) {
            plot.series.push(Series::steps(found.name(), it.points.clone()));
        }
        plots.push(plot);
        let name = |what: &str| format!("{}: {what}", place.name());
        let helped = forbidden.helped_rounds.iter().count() as f64;
        checks.extend([
            Check::new(
                name("first byte later than without helpers"),
                (in_path.first_s - none.first_s) * 1e3,
                "ms",
                LATER_MS,
            ),
            Check::new(name("helped after"), rounds, "round trips", ROUNDS),
            Check::new(name("in the path by named"), in_path.settled as f64 / named.settled as f64, "", OF_NAMED),
            Check::new(name("forbidden: helped"), helped, "", UNHELPED),
            Check::new(name("forbidden by none"), forbidden.settled as f64 / none.settled as f64, "", OF_NONE),
        ]);
        figures.push(json!({
            "place": place.name(), "mbits": mbits, "first_s": all.map(|it| it.first_s), "helped_rounds": rounds,
        }));
    }
    let outcome = Outcome::new(json!({ "places": figures })).table(rates).table(begins);
    let outcome = plots.into_iter().fold(outcome, Outcome::plot);
    Ok(checks.into_iter().fold(outcome, |outcome, check| outcome.check(check.ours())).note(
        "Named helpers are there from the first packet on; those in the path take over a flow that has begun directly, \
         and its sections begin with slow start.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const SHORT: [&str; 1] = ["time=12s"];

    #[test]
    fn helpers_that_nobody_named_bring_what_named_ones_do_and_nobody_waits_for_them() {
        let record = measured(&IN_PATH, 1, &SHORT);
        assert_eq!(unmet(&record.outcome), [""; 0], "{record}");
    }
}
