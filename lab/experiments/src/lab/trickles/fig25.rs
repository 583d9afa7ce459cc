//! Figure 25: what a flow has beside others. The worlds are those of [`fig26`](super::fig26) as well.

use core::ops::Range;
use core::time::Duration;

use serde_json::{Value, json};
use tng_sim::fork;

use super::testbed::{Testbed, WAYS, one_by_one, rates_bps};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::exchange::{Crowd, ENDLESS, Way};

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
            shakes them less it is how they are spaced that says whose packet finds the queue full.",
    params: &[
        Param::list("background", "9,24,49,99", &Kind::Count(2, 999), "flows in it"),
        Param::count("runs", "20", (1, 50), "beside one flow"),
        Param::count("runs_many", "5", (1, 50), "beside more"),
        Param::span("rtt", "20ms", "round trip"),
        Param::count("shake", "5", (0, 100), "packets' time up to which what leaves servers is delayed"),
        Param::list("shakes", "0,1,2,10", &Kind::Count(0, 100), "the same, for a flow beside one of TCP"),
        Param::count("runs_shakes", "5", (1, 50), "of each of these"),
        Param::span("settle", "10s", "that is not counted"),
        Param::span("time", "20s", "that is"),
        Param::span("settle_many", "5s", "the same beside more than one"),
        Param::span("time_many", "10s", "the same beside more than one"),
    ],
    worlds: Worlds::Virtual,
    seeds: 1,
    vary: &[],
    run,
};

/// What a flow of Trickles has of the link beside one of the reference, percent.
const HALF: Goal = Goal::Within(47.0, 53.0);
/// What the flow in the foreground has of the mean of all, beside more: "comparable".
const COMPARABLE: Goal = Goal::Within(0.8, 1.25);

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let [one, many] =
        [["runs", "settle", "time"], ["runs_many", "settle_many", "time_many"]].map(|[runs, from, time]| {
            let from = context.time(from);
            (context.count(runs), from..from + context.time(time))
        });
    let many = context.counts("background").into_iter().map(|flows| (flows, many.clone()));
    let mixes = mixes(context, core::iter::once((1, one)).chain(many))?;
    let plot = plot("The foreground by the mean of all", &mixes, |shares| shares.foreground);
    let mut outcome = Outcome::new(json!({ "flows": mixes.iter().map(Mix::json).collect::<Vec<_>>() }))
        .table(table("of the mean", &mixes, |shares| shares.foreground))
        .table(phases(context)?)
        .plot(plot)
        .note("The paper's bars have no numbers in its text.")
        .note(
            "The share of one half holds where what leaves servers is shaken enough, and that is what is judged. In a \
             network that shakes it by two packets' time or less Trickles has 53 % and more, while two of TCP have \
             half each on average, as they must whatever happens: there the number is missed. It is how packets are \
             spaced that decides there: a flow of TCP that paces, and one that acknowledges every segment, had 53 % \
             and 33 % beside one that does neither where nothing is shaken, and 48 % and 55 % where five packets' \
             time are (means of 5 seeds; not among these runs).",
        );
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

/// What a flow of Trickles, and another of the reference, has beside one of the reference, by how much the network
/// shakes what leaves servers. Two of the reference have half on average whatever happens; what phases do to them is in
/// what the one has that has more.
fn phases(context: &Context<'_>) -> Result<Table, RunError> {
    let time = context.time("settle")..context.time("settle") + context.time("time");
    let head = ["packets' time", "runs", "Trickles", "one that has more", "another of TCP", "one that has more"];
    let mut table = Table::new(&head).titled("Share beside 1 of TCP, by the shake");
    for shake in context.counts("shakes") {
        let runs = context.count("runs_shakes");
        let mut row = vec![shake.to_string(), runs.to_string()];
        for way in [WAYS[1], WAYS[0]] {
            context.progress(format_args!("a shake of {shake} packets' time, {way}"));
            let (mut share, mut more) = (0.0, 0.0);
            for number in 0..runs {
                let crowd = crowd(context.seed_of(number), way, WAYS[0], 1, (context.time("rtt"), shake as u32));
                let measured = measure(&context.world(crowd), time.clone())?;
                share += 50.0 * measured.foreground / runs as f64;
                more += 100.0 / (1.0 + measured.slowest) / runs as f64;
            }
            row.extend([share, more].map(|share| format!("{share:.1} %")));
        }
        table.row(row);
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

/// Measures each kind beside so many flows, with so many runs, over that time after the start.
///
/// # Errors
/// What a client failed at.
pub fn mixes(
    context: &Context<'_>,
    numbers: impl IntoIterator<Item = (u64, (u64, Range<Duration>))>,
) -> Result<Vec<Mix>, RunError> {
    let path = (context.time("rtt"), context.count("shake") as u32);
    let (mut mixes, mut number) = (Vec::new(), 0);
    for (flows, (runs, time)) in numbers {
        for (foreground, background) in KINDS {
            context.progress(format_args!("{foreground} beside {flows} of {background}"));
            let mut shares = Shares { foreground: 0.0, slowest: 0.0 };
            for _ in 0..runs {
                let crowd = crowd(context.seed_of(number), foreground, background, flows as usize, path);
                let measured = measure(&context.world(crowd), time.clone())?;
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
/// holds one for each of 100 flows; it has eight for each. What leaves servers is shaken by up to `shake` packets'
/// time.
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

/// Measures such a world over that time after its start.
///
/// # Errors
/// What a client failed at.
pub fn measure(crowd: &Crowd, time: Range<Duration>) -> Result<Shares, RunError> {
    let rates = rates_bps(crowd, time.start, time.end)?;
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let end = |start, pick: fn(f64, f64) -> f64| rates.iter().copied().fold(start, pick);
    Ok(Shares { foreground: rates[0] / mean, slowest: end(f64::INFINITY, f64::min) / end(0.0, f64::max) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: (Duration, u32) = (Duration::from_millis(20), 5);

    /// Shares of a flow beside others of the reference, means of some runs.
    fn shares((way, flows): (Way, usize), seeds: u64, seconds: u64, (rtt, shake): (Duration, u32)) -> (f64, f64) {
        let time = Duration::from_secs(5)..Duration::from_secs(5 + seconds);
        let all = (1..=seeds).map(|seed| measure(&crowd(seed, way, Way::Tcp, flows, (rtt, shake)), time.clone()));
        let all: Vec<Shares> = all.map(|shares| shares.expect("they are measured")).collect();
        let mean = |of: fn(&Shares) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        (mean(|shares| shares.foreground), mean(|shares| shares.slowest))
    }

    #[test]
    fn a_flow_of_trickles_and_one_of_the_reference_have_half_beside_another_of_that() {
        let share = |way, seeds, shake| 50.0 * shares((way, 1), seeds, 12, (PATH.0, shake)).0;
        let [trickles, tcp] = [WAYS[1], WAYS[0]].map(|way| share(way, 5, PATH.1));
        let unshaken = share(WAYS[1], 2, 0);
        println!("{trickles}, {tcp}, {unshaken}");
        assert!(HALF.holds(trickles) && HALF.holds(tcp), "{trickles}, {tcp}");
        assert!(!HALF.holds(unshaken), "what nothing shakes: {unshaken}");
    }

    #[test]
    fn the_more_flows_the_further_the_slowest_is_behind_the_fastest() {
        let [few, many] = [1, 49].map(|flows| shares((WAYS[0], flows), 1, 10, PATH).1);
        assert!(many < few && many > 0.0, "{few}, {many}");
    }

    #[test]
    fn none_of_a_hundred_flows_of_trickles_stands_still() {
        // In queues that long packets wait for longer than a timeout does: some are asked for in vain.
        let crowd = crowd(1_003, WAYS[1], WAYS[1], 99, PATH);
        let shares = measure(&crowd, Duration::from_secs(5)..Duration::from_secs(12)).expect("they are measured");
        assert!(shares.slowest > 0.1, "{shares:?}");
    }
}
