//! Figure 25: what a flow has beside others. The worlds are those of [`fig26`](super::fig26) as well.

use core::time::Duration;

use serde_json::{Value, json};
use tng_sim::fork;

use super::testbed::{Testbed, WAYS, one_by_one, rates_bps};
use crate::exchange::{Crowd, ENDLESS, Way};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};

/// Figure 25.
pub static FIG25: Experiment = Experiment {
    name: "trickles/fig25",
    title: "A flow beside others",
    source: "Trickles 6.1, Figure 25",
    claim: "beside TCP's reno a flow of Trickles has its share and no more",
    about: "One flow in the foreground and others in the background, each kind with a server of its own, fetch endless \
            objects over a shared link of 100 Mbit/s: the reference TCP with reno, and Trickles, each in either place. \
            Beside one flow each figure is the mean of many runs, beside more of fewer. What leaves servers is delayed \
            by up to some packets' time, in order: packets leave hosts two and three at a time, and in a network that \
            shakes them less it is their phase that says whose packet finds the queue full.",
    params: &[
        Param::list("background", "9,24,49,99", &Kind::Count(2, 999), "flows in it"),
        Param::count("runs", "20", (1, 50), "beside one flow"),
        Param::count("runs_many", "2", (1, 50), "beside more"),
        Param::span("rtt", "20ms", "round trip"),
        Param::count("shake", "5", (0, 100), "packets' time up to which what leaves servers is delayed"),
        Param::list("shakes", "0,1,2,10", &Kind::Count(0, 100), "the same, for a flow of Trickles beside one of TCP"),
        Param::count("runs_shakes", "5", (1, 50), "of each of these"),
        Param::span("settle", "10s", "that is not counted"),
        Param::span("time", "20s", "that is"),
    ],
    worlds: Worlds::Virtual,
    seeds: 1,
    run,
};

/// What a flow of Trickles has of the link beside one of the reference, percent.
const HALF: Goal = Goal::Within(47.0, 53.0);
/// What the flow in the foreground has of the mean of all, beside more: "comparable".
const COMPARABLE: Goal = Goal::Within(0.5, 2.0);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let numbers = core::iter::once((1, context.count("runs")));
    let numbers =
        numbers.chain(context.counts("background").into_iter().map(|flows| (flows, context.count("runs_many"))));
    let mixes = mixes(context, numbers)?;
    let plot = plot("The foreground by the mean of all", &mixes, |shares| shares.foreground);
    let mut outcome = Outcome::new(json!({ "flows": mixes.iter().map(Mix::json).collect::<Vec<_>>() }))
        .table(table("of the mean", &mixes, |shares| shares.foreground))
        .table(phases(context)?)
        .plot(plot)
        .note("The paper's bars have no numbers in its text.");
    for Mix { foreground, background, flows, shares, .. } in mixes {
        if (foreground, background) != (WAYS[1], WAYS[0]) {
            continue;
        }
        let name = format!("Trickles beside {flows} of TCP");
        outcome = outcome.check(match flows {
            1 => Check::new(format!("{name}: share"), 50.0 * shares.foreground, "%", HALF),
            _ => Check::new(format!("{name}: of the mean"), shares.foreground, "", COMPARABLE).paper("\"comparable\""),
        });
    }
    Ok(outcome)
}

/// What a flow of Trickles has beside one of the reference, by how much the network shakes what leaves servers.
fn phases(context: &Context<'_>) -> Result<Table, RunError> {
    let (from, to) = (context.time("settle"), context.time("settle") + context.time("time"));
    let mut table = Table::new(&["packets' time", "runs", "share"]).titled("Trickles beside 1 of TCP, by the shake");
    for shake in context.counts("shakes") {
        context.progress(format_args!("a shake of {shake} packets' time"));
        let (runs, mut share) = (context.count("runs_shakes"), 0.0);
        for number in 0..runs {
            let crowd = crowd(context.seed_of(number), WAYS[1], WAYS[0], 1, (context.time("rtt"), shake as u32));
            share += 50.0 * measure(&context.world(crowd), from, to)?.foreground / runs as f64;
        }
        table.row(vec![shake.to_string(), runs.to_string(), format!("{share:.1} %")]);
    }
    Ok(table)
}

/// A flow beside others, over several runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Mix {
    /// Over what the one goes.
    pub foreground: Way,
    /// Over what the others go.
    pub background: Way,
    /// How many these are.
    pub flows: u64,
    /// How often it was measured.
    pub runs: u64,
    /// Means over the runs.
    pub shares: Shares,
}

impl Mix {
    /// For scripts.
    pub fn json(&self) -> Value {
        let Mix { foreground, background, flows, runs, shares } = self;
        json!({
            "foreground": foreground.to_string(), "background": background.to_string(), "flows": flows, "runs": runs,
            "of_the_mean": shares.foreground, "slowest_by_fastest": shares.slowest,
        })
    }
}

/// Who is in the foreground and who in the background, each of them over either way.
const KINDS: [(Way, Way); 4] = [(WAYS[1], WAYS[0]), (WAYS[0], WAYS[1]), (WAYS[0], WAYS[0]), (WAYS[1], WAYS[1])];

/// Measures each kind beside so many flows, with so many runs.
///
/// # Errors
/// What a client failed at.
pub fn mixes(context: &Context<'_>, numbers: impl IntoIterator<Item = (u64, u64)>) -> Result<Vec<Mix>, RunError> {
    let (from, to) = (context.time("settle"), context.time("settle") + context.time("time"));
    let path = (context.time("rtt"), context.count("shake") as u32);
    let (mut mixes, mut number) = (Vec::new(), 0);
    for (flows, runs) in numbers {
        for (foreground, background) in KINDS {
            context.progress(format_args!("{foreground} beside {flows} of {background}"));
            let mut shares = Shares { foreground: 0.0, slowest: 0.0 };
            for _ in 0..runs {
                let crowd = crowd(context.seed_of(number), foreground, background, flows as usize, path);
                let measured = measure(&context.world(crowd), from, to)?;
                shares.foreground += measured.foreground / runs as f64;
                shares.slowest += measured.slowest / runs as f64;
                number += 1;
            }
            mixes.push(Mix { foreground, background, flows, runs, shares });
        }
    }
    Ok(mixes)
}

/// One of the shares of each.
pub fn table(share: &str, mixes: &[Mix], of: fn(&Shares) -> f64) -> Table {
    let mut table = Table::new(&["foreground", "background", "flows", "runs", share]);
    for Mix { foreground, background, flows, runs, shares } in mixes {
        table.row(vec![
            foreground.to_string(),
            background.to_string(),
            flows.to_string(),
            runs.to_string(),
            format!("{:.3}", of(shares)),
        ]);
    }
    table
}

/// One of the shares of each, by the number of flows.
pub fn plot(title: &str, mixes: &[Mix], of: fn(&Shares) -> f64) -> Plot {
    let plot = Plot::new(title, Axis::new("flows in the background", "").log(), Axis::new("share", ""));
    KINDS.iter().fold(plot, |plot, (foreground, background)| {
        let kind = mixes.iter().filter(|mix| (mix.foreground, mix.background) == (*foreground, *background));
        let points = kind.map(|mix| (mix.flows as f64, of(&mix.shares))).collect();
        plot.series(Series::line(&format!("{foreground} beside {background}"), points))
    })
}

/// The flows begin within this time.
const START_WITHIN: Duration = Duration::from_secs(2);
/// What the seed is used for beside the world.
const LOT_OF_STARTS: u64 = 1 << 34;
/// Packets that wait for the shared link for each flow, at least.
const QUEUE_PER_FLOW: usize = 8;

/// One flow in the foreground and others in the background, each kind with a server of its own, on a dumbbell of 100
/// Mbit/s with access links of 1 Gbit/s. A queue that holds [`QUEUE_PACKETS`](super::testbed::QUEUE_PACKETS) packets
/// holds one for each of 100 flows; it has eight for each. What leaves servers is shaken by up to `shake` packets' time.
pub fn crowd(seed: u64, foreground: Way, background: Way, flows: usize, (rtt, shake): (Duration, u32)) -> Crowd {
    let testbed = Testbed::default().rtt(rtt).shaken_by(shake);
    let testbed = Testbed { queue_packets: testbed.queue_packets.max(QUEUE_PER_FLOW * (flows + 1)), ..testbed };
    let mut lots = fork(seed, LOT_OF_STARTS);
    let visits = (0..=flows).map(|number| {
        let mut visit = one_by_one(usize::from(number > 0), [ENDLESS]);
        visit.errand.steps[0].after = Duration::from_nanos(lots.below(START_WITHIN.as_nanos() as u64));
        visit
    });
    let visits = visits.collect();
    testbed.crowd(seed, vec![foreground, background], visits)
}

/// Who had how much.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shares {
    /// What the flow in the foreground had of the mean of all.
    pub foreground: f64,
    /// What the slowest had of the fastest.
    pub slowest: f64,
}

/// Measures such a world.
///
/// # Errors
/// What a client failed at.
pub fn measure(crowd: &Crowd, from: Duration, to: Duration) -> Result<Shares, RunError> {
    let rates = rates_bps(crowd, from, to)?;
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let end = |start, pick: fn(f64, f64) -> f64| rates.iter().copied().fold(start, pick);
    Ok(Shares { foreground: rates[0] / mean, slowest: end(f64::INFINITY, f64::min) / end(0.0, f64::max) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: (Duration, u32) = (Duration::from_millis(20), 5);

    fn shares(flows: usize, seeds: u64, seconds: u64) -> (f64, f64) {
        let (from, to) = (Duration::from_secs(10), Duration::from_secs(10 + seconds));
        let all = (1..=seeds).map(|seed| measure(&crowd(seed, Way::Tcp, Way::Tcp, flows, PATH), from, to));
        let all: Vec<Shares> = all.map(|shares| shares.expect("they are measured")).collect();
        let mean = |of: fn(&Shares) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        (mean(|shares| shares.foreground), mean(|shares| shares.slowest))
    }

    #[test]
    fn a_flow_of_the_reference_beside_another_has_half() {
        let (foreground, _) = shares(1, 6, 25);
        assert!((0.9..1.1).contains(&foreground), "{foreground}");
    }

    #[test]
    fn the_more_flows_the_further_the_slowest_is_behind_the_fastest() {
        let (few, many) = (shares(1, 3, 20).1, shares(49, 1, 10).1);
        assert!(many < few && many > 0.0, "{few}, {many}");
    }

    #[test]
    fn none_of_a_hundred_flows_of_trickles_stands_still() {
        // In queues that long packets wait for longer than a timeout does: some are asked for in vain.
        let crowd = crowd(1_003, WAYS[1], WAYS[1], 99, PATH);
        let shares = measure(&crowd, Duration::from_secs(5), Duration::from_secs(12)).expect("they are measured");
        assert!(shares.slowest > 0.1, "{shares:?}");
    }
}
