//! Who gets how much of a link that tng and the kernel's TCP share.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, fork};

use crate::lab::tcp::kernel::SET_UP;
use crate::lab::{Check, Context, Experiment, Goal, Kind, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::trial::{Duel, Side};
use crate::real::Real;

/// The share beside the kernel's TCP.
pub static BESIDE_KERNEL: Experiment = Experiment {
    name: "sst/beside-kernel",
    title: "The share beside the kernel's TCP",
    source: "SST 5.3",
    claim: "beside one flow of the kernel's TCP, tng as it comes, or under bbr, takes a third of the link and leaves \
            one",
    about: "Two endless transfers at once, one over tng on real sockets and one over the kernel's TCP, from one \
            network namespace to another over a link of the emulator, whose queue holds as much as the path, or what \
            is asked for. Both have what they have by default, but for the controller. One of them, in turn, begins up \
            to 2 s after the other. sst/friendliness has the same with the reference TCP in virtual time.",
    params: &[
        Param::rate("rate", "10mbit", "of the link"),
        Param::time("rtt", "40ms", "of the path, without what waits"),
        Param::time("queue", "40ms", "what it takes the link to empty its queue"),
        Param::list(
            "pairs",
            "cubic/cubic,cubic/reno,bbr/cubic,bbr/bbr",
            &Kind::Word(PAIRS),
            "tng's controller, and the \
             kernel's",
        ),
        Param::time("settle", "5s", "left out at the begin"),
        Param::span("time", "15s", "measured"),
        Param::count("runs", "5", (1, 100), "of each, each with a seed of its own"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 7 }),
    seeds: 1,
    vary: &[],
    run,
};

const PAIRS: &[&str] = &[
    "cubic/cubic",
    "cubic/reno",
    "cubic/bbr",
    "newreno/cubic",
    "newreno/reno",
    "newreno/bbr",
    "bbr/cubic",
    "bbr/reno",
    "bbr/bbr",
];
/// What tng takes, per cent, in the median: the project's own number.
const SHARED: Goal = Goal::Within(35.0, 65.0);
/// The flow that begins second does so within this time.
const START_WITHIN: Duration = Duration::from_secs(2);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (settle, time, runs) = (context.time("settle"), context.time("time"), context.count("runs"));
    let bytes = context.rate("rate") as f64 / 8.0 * context.time("queue").as_secs_f64();
    let queue = QueueConfig::DropTail(Limit::Bytes(bytes as u64));
    let link = Link::new().rate(context.rate("rate")).delay(context.time("rtt") / 2).queue(queue);
    let mut pairs: Vec<(&str, Vec<[f64; 3]>)> =
        context.words("pairs").into_iter().map(|pair| (pair, Vec::new())).collect();
    let mut left = (settle + time + SET_UP) * (runs as u32 * pairs.len() as u32);
    for run in 0..runs {
        for (pair, measured) in &mut pairs {
            context.progress_with(format_args!("run {} of {runs}: {pair}", run + 1), left);
            let seed = context.seed_of(run);
            let late = Duration::from_nanos(fork(seed, 0).below(START_WITHIN.as_nanos() as u64));
            let (own, other) = pair.split_once('/').unwrap_or((pair, pair));
            let side = |real, controller: &str| Side { real, controller: controller.to_owned(), start: Duration::ZERO };
            let mut sides = [side(Real::TNG, own), side(Real::KERNEL_TCP, other)];
            sides[(run % 2) as usize].start = late;
            let duel = context.world(Duel { seed, link: link.clone(), sides });
            let [own, other] = duel.paces(settle, time)?;
            measured.push([own.rate_bps, other.rate_bps, own.dropped]);
            left = left.saturating_sub(settle + time + SET_UP);
        }
    }
    let mut table = Table::new(&["tng", "kernel's TCP", "share", "all runs", "both together", "dropped in the queue"]);
    let (mut results, mut checks, mut bars, mut names) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (pair, measured) in &pairs {
        let share = |[own, other, _]: &[f64; 3]| own * 100.0 / (own + other).max(1.0);
        let shares: Vec<f64> = measured.iter().map(share).collect();
        let middle = median(shares.clone());
        let together = median(measured.iter().map(|[own, other, _]| own + other).collect()) / 1e6;
        let dropped = median(measured.iter().map(|[.., dropped]| *dropped).collect());
        let (own, other) = pair.split_once('/').unwrap_or((pair, pair));
        let all: Vec<String> = shares.iter().map(|share| format!("{share:.1}")).collect();
        table.row(vec![
            own.to_owned(),
            other.to_owned(),
            format!("{middle:.1} %"),
            all.join(" "),
            format!("{together:.2} Mbit/s"),
            format!("{dropped:.2} %"),
        ]);
        let name = format!("share of tng under {own} beside the kernel's {other}");
        checks.push(Check::new(&name, middle, "%", SHARED).paper("48.8 % of equals"));
        names.push(name);
        bars.push(middle);
        results.push(json!({ "pair": pair, "shares_percent": shares, "dropped_percent": dropped }));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let plot = Plot::new("Share of tng beside the kernel's TCP", Axis::names(&names), Axis::new("share", "%"));
    let points = (0..).map(f64::from).zip(bars).collect();
    let outcome =
        Outcome::new(json!({ "pairs": results })).table(table).plot(plot.series(Series::bars("share", points)));
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "The kernel's sender is as it comes: autotuned buffers, paced under bbr alone. Both senders, both receivers \
         and the emulator share this machine's processors. A run in which this machine lost packets that the link did \
         not lose is begun anew.",
    ).note(
        "Linux has version 1 of bbr, which looks at no loss: it fills a queue of this length until three packets of a \
         hundred are dropped, and whoever minds that gives way. With a queue that drops nothing (queue=160ms, \
         pairs=bbr/bbr, three runs) the share beside it is 49.5 %.",
    ))
}

/// The one in the middle, or between the two there.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count => f64::midpoint(values[(count - 1) / 2], values[count / 2]),
    }
}
