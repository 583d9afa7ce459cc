//! What bbr takes, what it gets, and what it has thrown away.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{DropCause, Link, Loss, fork};

use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::contest::{Contest, Party, Transport};

/// bbr beside TCP and alone, on three queues.
pub static BBR: Experiment = Experiment {
    name: "ours/bbr",
    title: "bbr with bounds",
    source: "ours, after SST 5.3",
    claim: "tng under bbr leaves a TCP flow beside it a third of the link and takes as much itself, whatever the \
            queue; alone it fills the link, loses little in the queue, and a loss of 1 % takes a tenth of its rate at \
            most",
    about: "One link, whose queue holds a quarter of what the path does, as much, or four times as much. One endless \
            transfer over tng under bbr and one over the reference TCP share it, each with what it has by default: TCP \
            under bbr is paced, and under cubic it is not. One of them, in turn, begins up to 2 s after the other. \
            Then the transfer over tng has the link to itself, and chance takes as many of its packets as is asked \
            for. Of what is offered to the queue the share that it drops is counted over the whole run, starts \
            included. What leaves a sender is delayed by up to a packet's time, so that nobody is in step with the \
            queue.",
    params: &[
        Param::rate("rate", "10mbit", "of the link"),
        Param::time("rtt", "40ms", "of the path, without what waits"),
        Param::list("queues", "0.25,1,4", &Kind::Word(QUEUES), "times what the path holds"),
        Param::list("beside", "cubic,bbr", &Kind::Word(BESIDE), "of the TCP flow"),
        Param::list(
            "losses",
            "0%,1%",
            &Kind::Share,
            "of packets, while alone; the first is what the others are \
             compared with",
        ),
        Param::time("settle", "20s", "left out at the begin"),
        Param::span("time", "60s", "measured"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// Times what the path holds.
const QUEUES: &[&str] = &["0.25", "0.5", "1", "2", "4", "8"];
/// Controllers of TCP.
const BESIDE: &[&str] = &["newreno", "cubic", "reno", "vegas", "bbr"];

/// What tng takes beside one TCP flow, per cent: the project's own number, of what many runs have in the median.
const SHARED: Goal = Goal::Within(35.0, 65.0);
/// Alone and without losses, of the link's rate; heads are a twentieth of that.
const FULL: Goal = Goal::AtLeast(85.0);
/// With losses, of the rate without.
const LOSSY: Goal = Goal::AtLeast(90.0);

/// The flow that begins second does so within this time.
const START_WITHIN: Duration = Duration::from_secs(2);
const PACKET_BITS: u64 = 1_500 * 8;

/// What came of a run.
struct Figures {
    rates_bps: Vec<f64>,
    /// Of the packets offered to the queue, per cent.
    dropped: f64,
}

fn measure(context: &Context<'_>, held: &str, loss: f64, parties: Vec<Party>) -> Figures {
    let (rate, rtt) = (context.rate("rate"), context.time("rtt"));
    let held: f64 = held.parse().expect("one of the words");
    let bytes = rate as f64 / 8.0 * rtt.as_secs_f64() * held;
    let bottleneck = Link::new().rate(rate).delay(rtt / 2).queue(QueueConfig::DropTail(Limit::Bytes(bytes as u64)));
    let jitter = Duration::from_nanos(PACKET_BITS * 1_000_000_000 / rate);
    let loss = if loss > 0.0 { Loss::Independent(loss) } else { Loss::None };
    let contest = Contest { seed: context.seed_of(0), bottleneck, loss, jitter, parties };
    let mut arena = context.world(contest).begin();
    let (settle, time) = (context.time("settle"), context.time("time"));
    arena.run_until(settle);
    let before = arena.bytes();
    arena.run_until(settle + time);
    let rates = arena.bytes().into_iter().zip(before);
    let stats = arena.bottleneck();
    Figures {
        rates_bps: rates.map(|(after, before)| (after - before) as f64 * 8.0 / time.as_secs_f64()).collect(),
        dropped: stats.dropped_for(DropCause::Queue) as f64 * 100.0 / stats.offered.max(1) as f64,
    }
}

/// Both; who begins second takes turns.
fn both(seed: u64, turn: u64, controller: &str) -> Vec<Party> {
    let late = Duration::from_nanos(fork(seed, u64::from(u32::MAX)).below(START_WITHIN.as_nanos() as u64));
    let other = Party::new(Transport::Tcp, controller);
    let mut parties = vec![Party::new(Transport::Tng, "bbr"), Party { pacing: controller == "bbr", ..other }];
    parties[(turn % 2) as usize].start = late;
    parties
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let percent = |share: f64| format!("{share:.1} %");
    let queue = |held: &str| format!("queue of {held} times the path");
    let (mut shares, mut alone, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    let (mut bars, mut names) = (Vec::new(), Vec::new());
    let mut table = Table::new(&["queue, by the path", "beside TCP", "share", "dropped in the queue"]);
    for controller in context.words("beside") {
        for held in context.words("queues") {
            context.progress(format_args!("beside {controller}, a {}", queue(held)));
            let parties = both(context.seed_of(0), context.seed, controller);
            let Figures { rates_bps, dropped } = measure(context, held, 0.0, parties);
            let share = rates_bps[0] * 100.0 / rates_bps.iter().sum::<f64>();
            table.row(vec![held.to_owned(), controller.to_owned(), percent(share), format!("{dropped:.2} %")]);
            let name = format!("share beside TCP {controller}, {}", queue(held));
            checks.push(Check::new(&name, share, "%", SHARED).by_median());
            names.push(name);
            bars.push(share);
            shares.push(json!({
                "beside": controller, "queue_by_path": held, "share_percent": share, "dropped_percent": dropped,
            }));
        }
    }
    let mut alone_table = Table::new(&["queue, by the path", "lost", "rate, of the link", "dropped in the queue"]);
    for held in context.words("queues") {
        let mut first = None;
        for loss in context.shares("losses") {
            context.progress(format_args!("alone, {} % lost, a {}", loss * 100.0, queue(held)));
            let Figures { rates_bps, dropped } = measure(context, held, loss, vec![Party::new(Transport::Tng, "bbr")]);
            let rate = rates_bps[0] * 100.0 / context.rate("rate") as f64;
            alone_table.row(vec![held.to_owned(), percent(loss * 100.0), percent(rate), format!("{dropped:.2} %")]);
            let lost = percent(loss * 100.0);
            let check = match first {
                None => Check::new(format!("rate alone, {}, {lost} lost", queue(held)), rate, "%", FULL),
                Some(first) => {
                    let name = format!("rate alone, {}, {lost} lost, of the first", queue(held));
                    Check::new(name, rate * 100.0 / first, "%", LOSSY)
                }
            };
            checks.push(check.by_median().ours());
            first = first.or(Some(rate));
            alone.push(json!({
                "queue_by_path": held, "loss": loss, "rate_percent": rate, "dropped_percent": dropped,
            }));
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let plot = Plot::new("Share of tng under bbr beside one TCP flow", Axis::names(&names), Axis::new("share", "%"));
    let points = (0..).map(f64::from).zip(bars).collect();
    let outcome = Outcome::new(json!({ "shares": shares, "alone": alone })).table(table).table(alone_table);
    let outcome = outcome.plot(plot.series(Series::bars("share", points)));
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}
