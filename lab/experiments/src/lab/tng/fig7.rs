//! A lossy wireless last hop: the paper's Figure 7 (Topology 2).

use core::time::Duration;

use serde_json::{Value, json};
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;

use super::contenders::{BBR, Contender, Measured, NEWRENO, SPLIT};
use super::row::stays_helped;
use crate::lab::{Check, Context, Curve, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot};
use crate::peers::helped::{Direction, Setting};

/// Figure 7a.
pub static FIG7A: Experiment = Experiment {
    name: "tng/fig7a",
    title: "A lossy wireless hop: upload",
    source: "Tng 5.2, Figure 7a",
    claim: CLAIM,
    about: "An endless upload over a wireless hop that loses more and more packets, each way, and a core link behind \
            it: with newreno from end to end; split at the access point, with eln on the hop and newreno behind it; \
            and, as the paper could not, with bbr from end to end. The receiver of what the hop loses learns of it \
            from its link, and tells the sender of its section.",
    params: PARAMS,
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[
        ("rate", &["1mbit", "2mbit", "5mbit", "10mbit", "20mbit"]),
        ("hop", &["2ms", "5ms", "10ms", "20ms", "50ms"]),
    ],
    run: |context| run(context, Direction::Up),
};

/// Figure 7b.
pub static FIG7B: Experiment = Experiment {
    name: "tng/fig7b",
    title: "A lossy wireless hop: download",
    source: "Tng 5.2, Figure 7b",
    claim: CLAIM,
    about: "As tng/fig7a, with data from the server to the client.",
    params: PARAMS,
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[
        ("rate", &["1mbit", "2mbit", "5mbit", "10mbit", "20mbit"]),
        ("hop", &["2ms", "5ms", "10ms", "20ms", "50ms"]),
    ],
    run: |context| run(context, Direction::Down),
};

const CLAIM: &str = "a section on which losses are told apart from congestion keeps the bandwidth of the whole flow \
                     up, whatever the hop loses";

const PARAMS: &[Param] = &[
    Param::rate("rate", "5mbit", "of the wireless hop, each way"),
    Param::time("hop", "10ms", "round trip of the wireless hop"),
    Param::time("path", "110ms", "round trip of the whole path"),
    Param::rate("core", "50mbit", "of the core link, each way"),
    Param::time("buffer", "100ms", "what waits for either link at most, as time at its rate"),
    Param::list("losses", "0%,0.1%,1%,3%", &Kind::Share, "of packets on the hop, each way, one after the other"),
    Param::span("step", "60s", "that each of them lasts; 250 s in the paper"),
    Param::word("notices", "yes", &["yes", "no"], "whether the hop tells of what it loses"),
];

/// How finely bandwidth is shown, as in the paper.
const STEP: Duration = Duration::from_millis(2_500);
/// What is left out at the begin of each phase.
const SETTLE: Duration = Duration::from_secs(10);

/// The world: router 0 is the client's card, router 1 the access point, the core link leads to router 2.
fn setting(context: &Context<'_>, direction: Direction, contender: Contender) -> Setting {
    let (hop, path) = (context.time("hop"), context.time("path"));
    let link = |bps: u64, round_trip: Duration| {
        let buffer = (bps as f64 / 8.0 * context.time("buffer").as_secs_f64()) as u64;
        Link::new().rate(bps).delay(round_trip / 2).queue(QueueConfig::DropTail(Limit::Bytes(buffer)))
    };
    let wireless = link(context.rate("rate"), hop).wireless(0.0);
    let wireless = Link { notices: context.word("notices") == "yes", ..wireless };
    let core = link(context.rate("core"), path.saturating_sub(hop));
    let mut setting = Setting::new(context.seed, vec![wireless.into(), core.into()]);
    setting.step = STEP;
    setting.helpers.extend(contender.helper());
    setting.parties.push(contender.party(direction));
    setting
}

fn run(context: &Context<'_>, direction: Direction) -> Result<Outcome, RunError> {
    let (losses, step) = (context.shares("losses"), context.time("step"));
    if step < SETTLE * 2 {
        return Err(RunError::Params(format!("flows need {SETTLE:?} to settle: step=20s or more")));
    }
    if losses.len() < 2 || losses[0] > 0.0 {
        let problem = "the first loss is to be none, and the last is compared with it: losses=0%,3%";
        return Err(RunError::Params(problem.to_owned()));
    }
    let mut measured = Vec::new();
    let split = Contender::split("eln", NEWRENO);
    for contender in [Contender::whole(NEWRENO), split, Contender::whole(BBR)] {
        context.progress(contender.name);
        let mut run = context.world(setting(context, direction, contender)).begin();
        for (end, loss) in (1..).zip(&losses) {
            for lane in run.links[0].lanes() {
                run.world.change(lane, |link| link.corrupt = *loss);
            }
            run.run_until(step * end);
        }
        measured.push(Measured::of(contender.name, &run)?);
    }
    let span = |end: u32| ((step * (end - 1) + SETTLE).as_secs_f64(), (step * end).as_secs_f64());
    let spans: Vec<(f64, f64)> = (1..).take(losses.len()).map(span).collect();
    Ok(outcome(context, &measured, &losses, &spans))
}

fn outcome(context: &Context<'_>, measured: &[Measured], losses: &[f64], spans: &[(f64, f64)]) -> Outcome {
    let head: Vec<&str> = core::iter::once("loss").chain(measured.iter().map(|it| it.name)).collect();
    let mut table = Table::new(&head).titled("Bandwidth, Mbit/s");
    for (loss, span) in losses.iter().zip(spans) {
        let rates = measured.iter().map(|it| format!("{:.2}", it.rate_bps(*span) / 1e6));
        table.row(core::iter::once(format!("{} %", loss * 100.0)).chain(rates).collect());
    }
    let mut plot = Plot::new("Bandwidth over the lossy hop", Axis::new("time", "s"), Curve::axis());
    plot = measured.iter().fold(plot, |plot, it| plot.series(it.curve.series()));
    for (begun, loss) in (1..).zip(&losses[1..]) {
        plot = plot.mark((context.time("step") * begun).as_secs_f64(), &format!("{} %", loss * 100.0));
    }
    let figures = |it: &Measured| -> Value {
        json!({
            "contender": it.name, "rates_bps": spans.iter().map(|span| it.rate_bps(*span)).collect::<Vec<_>>(),
            "delays_s": spans.iter().map(|span| it.delay_s(*span)).collect::<Vec<_>>(), "mbits": it.curve.mbits(),
            "paths_lost": it.paths_lost, "helped_percent": it.helped_percent,
        })
    };
    let results = json!({
        "losses": losses, "step_s": STEP.as_secs_f64(), "contenders": measured.iter().map(figures).collect::<Vec<_>>(),
    });
    let rate = |contender: &str, span: Option<&(f64, f64)>| {
        let found = measured.iter().find(|it| it.name == contender).zip(span);
        found.map_or(f64::NAN, |(it, span)| it.rate_bps(*span))
    };
    let kept = |contender| rate(contender, spans.last()) / rate(contender, spans.first());
    let beside = |contender| rate(SPLIT, spans.last()) / rate(contender, spans.last());
    Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(
            Check::new("split: bandwidth at the last loss by that without", kept(SPLIT), "", Goal::AtLeast(0.85))
                .paper("maximized"),
        )
        .check(
            Check::new("newreno: bandwidth at the last loss by that without", kept(NEWRENO), "", Goal::AtMost(0.4))
                .ours()
                .paper("falls"),
        )
        .check(
            Check::new("at the last loss: split's bandwidth by newreno's", beside(NEWRENO), "", Goal::AtLeast(2.0))
                .ours(),
        )
        .check(Check::new("at the last loss: split's bandwidth by bbr's", beside(BBR), "", Goal::AtLeast(0.95)).ours())
        .check(stays_helped(
            SPLIT,
            measured.iter().find(|it| it.name == SPLIT).map_or(f64::NAN, |it| it.helped_percent),
        ))
        .note("A section does not send again what it loses, as the paper's did: the streams do, from end to end.")
        .note("Rates, times and queues are modelled; the paper does not print its own.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::tests::{measured, unmet};

    const SHORT: [&str; 2] = ["step=25s", "losses=0%,3%"];

    #[test]
    fn the_figure_of_the_paper_comes_out_each_way_and_the_same_again() {
        for experiment in [&FIG7A, &FIG7B] {
            let record = measured(experiment, 1, &SHORT);
            assert!(record.holds(), "{record}");
        }
        assert_eq!(measured(&FIG7A, 2, &SHORT), measured(&FIG7A, 2, &SHORT));
    }

    #[test]
    fn where_the_hop_tells_nothing_of_what_it_loses_the_split_flow_is_no_better_off() {
        for experiment in [&FIG7A, &FIG7B] {
            let record = measured(experiment, 1, &[SHORT[0], SHORT[1], "notices=no"]);
            let kept = "split: bandwidth at the last loss by that without";
            assert!(unmet(&record.outcome).contains(&kept), "{record}");
        }
    }
}
