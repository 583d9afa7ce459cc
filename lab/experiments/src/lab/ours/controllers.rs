//! What each controller makes of ordinary paths with everything else as by default: which one to choose.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{DeliveryTrace, DropCause, LaneStats, Link, Loss, fork};

use crate::engine::report::fairness;
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::contest::{Arena, Contest, Party, Transport};

/// Every controller over every path.
pub static CONTROLLERS: Experiment = Experiment {
    name: "ours/controllers",
    title: "Which controller to choose",
    source: "ours",
    claim: "the controller that endpoints have by default uses paths that lose nothing and paths that do, shares them \
            evenly, takes half beside TCP, and has nobody wait in long queues; where delay matters and nobody else is \
            there, vegas has them wait less still",
    about: "Over six ordinary paths, a DSL line with a long queue, a fibre with a short one, a wireless LAN and a \
            satellite that lose some packets, a cell whose rate wanders (scenarios/traces/cellular), and a line whose \
            queue holds two seconds, runs one endless tng flow, and later a second of the same controller beside it; \
            then, in a world of their own, one beside TCP under cubic. Nothing but the controller is set. What leaves \
            a sender is delayed by up to a packet's time, so that nobody is in step with the queue; when they begin is \
            drawn by lot.",
    params: &[
        Param::list(
            "controllers",
            "bbr,cubic,newreno,reno,linux-cubic,vegas,equation",
            &Kind::Text,
            "tried; the first is the one that endpoints have by default",
        ),
        Param::list("paths", "DSL,fibre,WLAN,satellite,cell,bloated", &Kind::Word(NAMES), "tried"),
        Param::share("wlan-loss", "0.5%", "of packets on the wireless LAN, with the data"),
        Param::share("satellite-loss", "0.1%", "of packets on the satellite's link, with the data"),
        Param::count("queues", "100", (1, 1_000), "per cent of what the paths' queues hold"),
        Param::span(
            "settle",
            "30s",
            "what is left out at the begin of each phase; a quarter of it on the wireless LAN, a tenth on the fibre",
        ),
        Param::span("time", "20s", "measured in each phase; the same"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[("queues", &["10", "25", "50", "100", "400"]), ("wlan-loss", &["0%", "0.1%", "0.5%", "1%", "3%"])],
    run,
};

/// A path: what is modelled of it.
struct Way {
    name: &'static str,
    rate_bps: u64,
    /// One way.
    delay: Duration,
    /// What waits for it at most, as time at its rate.
    queue: Duration,
    /// Which parameter says what is lost.
    loss: Option<&'static str>,
    /// Its rate is that of the trace; `rate_bps` is what that is about.
    follows: bool,
    /// How long its phases are, by those of the others: where round trips are short, as many take less time.
    lasts: f64,
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

const NAMES: &[&str] = &["DSL", "fibre", "WLAN", "satellite", "cell", "bloated"];

const WAYS: [Way; 6] = [
    Way { name: "DSL", rate_bps: 16_000_000, delay: ms(15), queue: ms(200), loss: None, follows: false, lasts: 1.0 },
    Way { name: "fibre", rate_bps: 100_000_000, delay: ms(5), queue: ms(10), loss: None, follows: false, lasts: 0.1 },
    Way {
        name: "WLAN",
        rate_bps: 50_000_000,
        delay: ms(10),
        queue: ms(40),
        loss: Some("wlan-loss"),
        follows: false,
        lasts: 0.25,
    },
    Way {
        name: "satellite",
        rate_bps: 20_000_000,
        delay: ms(300),
        queue: ms(600),
        loss: Some("satellite-loss"),
        follows: false,
        lasts: 1.0,
    },
    Way { name: "cell", rate_bps: 5_000_000, delay: ms(25), queue: ms(480), loss: None, follows: true, lasts: 1.0 },
    Way {
        name: "bloated",
        rate_bps: 10_000_000,
        delay: ms(10),
        queue: ms(2_000),
        loss: None,
        follows: false,
        lasts: 1.0,
    },
];

/// Those whose losses are all their queues'.
const CLEAN: [&str; 2] = ["DSL", "fibre"];
/// Those on which packets are lost by themselves.
const LOSSY: [&str; 2] = ["WLAN", "satellite"];
const CELL: &str = "cell";
/// Its queue holds a hundred times what the path does.
const BLOATED: &str = "bloated";
/// What most of TCP has.
const USUAL: &str = "cubic";
const VEGAS: &str = "vegas";

const CELLULAR: &str = include_str!("../../../../../scenarios/traces/cellular");

/// Bytes of a full packet on the link.
const PACKET_BYTES: u64 = 1_500;
/// Flows begin within this time, where the path is the same at all times.
const BEGIN_WITHIN: Duration = Duration::from_secs(1);
/// What their begin is drawn from.
const LOT_OF_BEGIN: u64 = 0x6265;

/// What came of a controller on a path.
struct Cell {
    path: &'static str,
    controller: String,
    /// Alone: bits per second, what of the path that is, the mean wait in its queue, and the share that it dropped.
    rate_bps: f64,
    used_percent: f64,
    wait_s: f64,
    dropped_percent: f64,
    /// With a second of the same: Jain's index, and the mean wait.
    jain: f64,
    two_wait_s: f64,
    /// Beside TCP under cubic: what tng has of both.
    share_percent: f64,
}

/// The time of a phase, and what the bottleneck did in it.
struct Phase {
    rates_bps: Vec<f64>,
    wait_s: f64,
    dropped_percent: f64,
}

/// Lets a phase pass and measures it.
fn phase(arena: &mut Arena, from: Duration, to: Duration) -> Phase {
    arena.run_until(from);
    let (bytes, before) = (arena.bytes(), arena.bottleneck());
    arena.run_until(to);
    let after = arena.bottleneck();
    let seconds = (to - from).as_secs_f64();
    let rates = arena.bytes().into_iter().zip(bytes).map(|(after, before)| (after - before) as f64 * 8.0 / seconds);
    let waited_s = |stats: &LaneStats| stats.sojourn_mean().as_secs_f64() * stats.dequeued as f64;
    let dequeued = (after.dequeued - before.dequeued).max(1) as f64;
    let by_queue = |stats: &LaneStats| stats.dropped_for(DropCause::Queue);
    let dropped = (by_queue(&after) - by_queue(&before)) as f64;
    Phase {
        rates_bps: rates.collect(),
        wait_s: (waited_s(&after) - waited_s(&before)) / dequeued,
        dropped_percent: dropped * 100.0 / (dequeued + dropped),
    }
}

fn measure(context: &Context<'_>, way: &Way, controller: &str, trace: &DeliveryTrace) -> Result<Cell, RunError> {
    let [settle, time] = ["settle", "time"].map(|key| context.time(key).mul_f64(way.lasts));
    let queue = (way.rate_bps as f64 / 8.0 * way.queue.as_secs_f64() * context.count("queues") as f64 / 100.0) as u64;
    let limit = QueueConfig::DropTail(Limit::Bytes(queue.max(2 * PACKET_BYTES)));
    let link = Link::new().delay(way.delay).queue(limit);
    let bottleneck = if way.follows { link.trace(trace.clone()) } else { link.rate(way.rate_bps) };
    let loss = way.loss.map_or(Loss::None, |key| Loss::Independent(context.share(key)));
    let jitter = Duration::from_nanos(PACKET_BYTES * 8 * 1_000_000_000 / way.rate_bps);
    let within = if way.follows { trace.length() } else { BEGIN_WITHIN };
    let begin = within.mul_f64(fork(context.seed, LOT_OF_BEGIN).unit());
    let contest = |parties| {
        let (bottleneck, loss) = (bottleneck.clone(), loss.clone());
        context.world(Contest { seed: context.seed, bottleneck, loss, jitter, parties })
    };
    let own = |start| Party { start, ..Party::new(Transport::Tng, controller) };

    let second = begin + settle + time;
    let mut arena = contest(vec![own(begin), own(second)]).begin();
    let alone = phase(&mut arena, begin + settle, second);
    let two = phase(&mut arena, second + settle, second + settle + time);
    let could_bps = if way.follows {
        (trace.bytes_by(second) - trace.bytes_by(begin + settle)) as f64 * 8.0 / time.as_secs_f64()
    } else {
        way.rate_bps as f64
    };
    let tcp = Party { start: begin, ..Party::new(Transport::Tcp, "cubic") };
    let mut beside = contest(vec![own(begin), tcp]).begin();
    let beside = phase(&mut beside, begin + settle, second);
    let both: f64 = beside.rates_bps.iter().sum();
    Ok(Cell {
        path: way.name,
        controller: controller.to_owned(),
        rate_bps: alone.rates_bps[0],
        used_percent: alone.rates_bps[0] * 100.0 / could_bps,
        wait_s: alone.wait_s,
        dropped_percent: alone.dropped_percent,
        jain: fairness(&two.rates_bps).unwrap_or(f64::NAN),
        two_wait_s: two.wait_s,
        share_percent: beside.rates_bps[0] * 100.0 / both.max(1.0),
    })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let controllers = context.texts("controllers");
    let all = tng_congestion::Controllers::default();
    for controller in &controllers {
        all.choose(controller).map_err(|error| RunError::Params(error.to_string()))?;
    }
    let trace = DeliveryTrace::parse(CELLULAR).map_err(|error| RunError::broken(format_args!("the trace: {error}")))?;
    let mut cells = Vec::new();
    let paths = context.words("paths");
    for way in WAYS.iter().filter(|way| paths.contains(&way.name)) {
        for controller in &controllers {
            context.progress(format_args!("{}, {controller}", way.name));
            cells.push(measure(context, way, controller, &trace)?);
        }
    }
    Ok(outcome(&controllers, &cells))
}

fn outcome(controllers: &[String], cells: &[Cell]) -> Outcome {
    let head =
        ["path", "controller", "rate", "used", "wait", "dropped", "Jain's index, two", "wait, two", "beside TCP"];
    let mut table = Table::new(&head).titled("What each makes of each path");
    for cell in cells {
        table.row(vec![
            cell.path.to_owned(),
            cell.controller.clone(),
            format!("{:.2} Mbit/s", cell.rate_bps / 1e6),
            format!("{:.0} %", cell.used_percent),
            format!("{:.1} ms", cell.wait_s * 1e3),
            format!("{:.2} %", cell.dropped_percent),
            format!("{:.3}", cell.jain),
            format!("{:.1} ms", cell.two_wait_s * 1e3),
            format!("{:.0} %", cell.share_percent),
        ]);
    }
    let figure = |cell: &Cell| {
        json!({
            "path": cell.path, "controller": cell.controller, "rate_bps": cell.rate_bps,
            "used_percent": cell.used_percent, "wait_s": cell.wait_s, "dropped_percent": cell.dropped_percent,
            "jain": cell.jain, "two_wait_s": cell.two_wait_s, "share_percent": cell.share_percent,
        })
    };
    let names: Vec<&str> = controllers.iter().map(String::as_str).collect();
    let bars = |title: &str, axis: Axis, of: fn(&Cell) -> f64| {
        let plot = Plot::new(title, Axis::names(&names), axis);
        WAYS.iter().filter(|way| cells.iter().any(|cell| cell.path == way.name)).fold(plot, |plot, way| {
            let its = cells.iter().filter(|cell| cell.path == way.name);
            plot.series(Series::bars(way.name, its.enumerate().map(|(at, cell)| (at as f64, of(cell))).collect()))
        })
    };
    let used = bars("What one flow uses of a path", Axis::new("used", "%"), |cell| cell.used_percent);
    let waits = bars("How long packets of one flow wait", Axis::new("mean wait", "ms").log(), |cell| cell.wait_s * 1e3);
    let outcome = Outcome::new(json!({ "cells": cells.iter().map(figure).collect::<Vec<_>>() }));
    let outcome = outcome.table(table).plot(used).plot(waits).note(
        "Paths are models: what they have in common with anybody's own is their kind. Waits are those in the path's \
         queue, with the data; dropped is what that queue dropped, without what was lost by itself.",
    );
    let outcome = outcome.note(
        "Those that are no controllers of whole paths are not among them: fixed and unlimited regulate nothing, and \
         eln is the one that it wraps, since these links announce no losses.",
    );
    let outcome = outcome.note(
        "What is left out was 10 s at first, and is 30 s since: on the DSL line, with its long queue, a second flow \
         under cubic has not got its half by then. With settle=10s Jain's index of two is 0.82 there, in the median of \
         six seeds.",
    );
    let default = controllers.first().map_or("", String::as_str);
    checks(default, cells).into_iter().fold(outcome, Outcome::check)
}

fn checks(default: &str, cells: &[Cell]) -> Vec<Check> {
    let of = |path: &str, controller: &str, figure: fn(&Cell) -> f64| {
        cells.iter().find(|cell| cell.path == path && cell.controller == controller).map_or(f64::NAN, figure)
    };
    let best =
        |path: &str| cells.iter().filter(|cell| cell.path == path).map(|cell| cell.rate_bps).fold(f64::NAN, f64::max);
    let mut checks = Vec::new();
    let mut check = |name: String, value: f64, unit: &'static str, goal: Goal| {
        checks.push(Check::new(name, value, unit, goal).ours().by_median());
    };
    for path in CLEAN {
        check(
            format!("{path}: used by default"),
            of(path, default, |cell| cell.used_percent),
            "%",
            Goal::AtLeast(90.0),
        );
        let part = of(path, default, |cell| cell.rate_bps) / best(path);
        check(format!("{path}: the default's rate by the best one's"), part, "", Goal::AtLeast(0.95));
        check(
            format!("{path}: Jain's index of two by default"),
            of(path, default, |cell| cell.jain),
            "",
            Goal::AtLeast(0.9),
        );
        let share = of(path, default, |cell| cell.share_percent);
        check(format!("{path}: share beside TCP cubic by default"), share, "%", Goal::Within(40.0, 60.0));
    }
    for path in LOSSY {
        let used = of(path, default, |cell| cell.used_percent);
        check(format!("{path}: used by default"), used, "%", Goal::AtLeast(80.0));
        let more = of(path, default, |cell| cell.rate_bps) / of(path, USUAL, |cell| cell.rate_bps);
        check(format!("{path}: the default's rate by cubic's"), more, "", Goal::AtLeast(1.5));
    }
    for path in [CLEAN[0], BLOATED] {
        let wait = of(path, default, |cell| cell.wait_s) / of(path, USUAL, |cell| cell.wait_s);
        check(format!("{path}: the default's wait by cubic's"), wait, "", Goal::AtMost(0.25));
    }
    let wait_ms = of(BLOATED, default, |cell| cell.wait_s * 1e3);
    check(format!("{BLOATED}: wait by default"), wait_ms, "ms", Goal::AtMost(27.0));
    check(format!("{CELL}: used by default"), of(CELL, default, |cell| cell.used_percent), "%", Goal::AtLeast(60.0));
    let short = of(CLEAN[0], VEGAS, |cell| cell.wait_s) / of(CLEAN[0], default, |cell| cell.wait_s);
    check(format!("{}: vegas's wait by the default's", CLEAN[0]), short, "", Goal::AtMost(1.0));
    let given_up = of(CLEAN[0], VEGAS, |cell| cell.share_percent);
    check(format!("{}: what vegas has beside TCP cubic", CLEAN[0]), given_up, "%", Goal::AtMost(30.0));
    checks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const FEW: [&str; 4] = ["paths=DSL", "controllers=bbr,cubic,vegas", "settle=5s", "time=5s"];

    #[test]
    fn those_that_govern_whole_paths_are_all_tried_and_the_default_first() {
        let params = CONTROLLERS.params(&[]).expect("defaults are good");
        let tried: Vec<&str> = params.text("controllers").split(',').collect();
        assert_eq!(tried[0], tng::DEFAULT_CONTROLLER);
        for entry in tng_congestion::Controllers::default().entries() {
            let left_out = ["fixed", "unlimited", "eln"].contains(&entry.name);
            assert!(tried.contains(&entry.name) != left_out, "{}", entry.name);
        }
    }

    #[test]
    fn what_is_not_tried_meets_no_goal_and_the_rest_does_on_a_line_that_loses_nothing() {
        let record = measured(&CONTROLLERS, 1, &FEW);
        let unmet = unmet(&record.outcome);
        assert!(unmet.iter().all(|name| !name.starts_with("DSL: used") && !name.contains("vegas")), "{record}");
        assert!(unmet.iter().any(|name| name.starts_with("fibre")), "{record}");
    }

    #[test]
    fn a_short_queue_leaves_vegas_nothing_to_win() {
        let record = measured(&CONTROLLERS, 1, &[FEW[0], FEW[1], FEW[2], FEW[3], "queues=4"]);
        assert!(unmet(&record.outcome).iter().any(|name| name.contains("vegas's wait")), "{record}");
    }

    #[test]
    fn a_controller_that_does_not_exist_is_refused() {
        let params = CONTROLLERS.params(&["controllers=cubic,cubci".to_owned()]).expect("texts");
        assert!(matches!(CONTROLLERS.measure(1, params, false, &|_| ()), Err(RunError::Params(_))));
    }
}
