//! Who gets how much of a link that tng and TCP share: SST 5.3's second benchmark.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss, fork};

use super::shape::{DSL, Shape, WIFI};
use super::validation::CONTROLLERS;
use crate::contest::{Contest, Party, Transport};
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::report::fairness;

/// The share beside TCP.
pub static FRIENDLINESS: Experiment = Experiment {
    name: "sst/friendliness",
    title: "The share beside TCP",
    source: "SST 5.3",
    claim: "beside one TCP flow with the same controller, tng takes half of the link; eight channels between two hosts \
            are one flow",
    about: "Two endless transfers, one over tng and one over the reference TCP, share a 1.5 Mbit/s DSL line (50 ms of \
            round trip, a queue of 30 packets) or an 18 Mbit/s wireless LAN (4 ms, 60 packets): both paced, and \
            neither. One of them, in turn, begins up to 2 s after the other. Then 2, 8 and 50 flows, every other one \
            over tng; and eight connections between two tng hosts beside one TCP flow. What leaves a sender is delayed \
            by up to a packet's time, so that nobody is in step with the queue.",
    params: &[
        Param::count("runs", "20", (1, 100), "each with a seed of its own"),
        Param::list("controllers", "newreno,cubic", &Kind::Word(CONTROLLERS), "of both"),
        Param::list("flows", "2,8,50", &Kind::Count(2, 200), "sharing one link"),
        Param::count("channels", "8", (1, 64), "between two hosts, beside one TCP flow"),
        Param::share("length", "100%", "of the time in which flows settle and are measured; less says less"),
    ],
    worlds: Worlds::Virtual,
    seeds: 1,
    run,
};

/// What tng takes beside one TCP flow, per cent: the project's own number.
const HALF: Goal = Goal::Within(48.0, 52.0);
/// Jain's index.
const FAIR: Goal = Goal::AtLeast(0.95);

/// The flow that begins second does so within this time.
const START_WITHIN: Duration = Duration::from_secs(2);
/// What is left out until the flows have found their shares.
const SETTLE: Duration = Duration::from_secs(20);

/// Rate for each of many flows, bits per second.
const MANY_BPS: u64 = 2_000_000;
/// Delay of the link that many flows share, one way.
const MANY_DELAY: Duration = Duration::from_millis(25);
/// Packets that the queue of that link holds for each flow: a round trip's.
const MANY_QUEUE: usize = 8;
/// How long many flows are measured.
const MANY_MEASURED: Duration = Duration::from_secs(40);

/// How long a network's flows are measured: some 100 times from one loss to the next.
fn measured_on(shape: Shape) -> Duration {
    Duration::from_secs(if shape == DSL { 200 } else { 40 })
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (runs, length) = (context.count("runs"), context.share("length"));
    if length <= 0.0 {
        return Err(RunError::Params("in no time nothing is measured; write length=1% or more".to_owned()));
    }
    let rates_bps = |contest: Contest, measured: Duration| {
        context.world(contest).rates_bps(SETTLE.mul_f64(length), (SETTLE + measured).mul_f64(length))
    };
    let mut table = Table::new(&["tng beside one TCP flow", "controller", "pacing", "mean share", "least", "most"]);
    let mut plot = Plot::new("Share of tng beside one TCP flow", Axis::new("run", ""), Axis::new("share", "%"));
    let (mut pairs, mut checks) = (Vec::new(), Vec::new());
    let percent = |share: f64| format!("{share:.1} %");
    for shape in [DSL, WIFI] {
        for controller in context.words("controllers") {
            for pacing in [true, false] {
                let paced = if pacing { "both" } else { "neither" };
                context.progress(format_args!("{} with {controller}, {paced} paced", shape.name));
                let shares: Vec<f64> = (0..runs)
                    .map(|run| {
                        let parties = two(context.seed_of(run), run, controller, [pacing; 2], 1);
                        let contest = Contest {
                            seed: context.seed_of(run),
                            bottleneck: shape.link(),
                            loss: Loss::None,
                            jitter: shape.packet_time(),
                            parties,
                        };
                        share(&rates_bps(contest, measured_on(shape)))
                    })
                    .collect();
                let (mean, least, most) = spread(&shares);
                let words = [shape.name, controller, paced].map(str::to_owned).into_iter();
                table.row(words.chain([mean, least, most].map(percent)).collect());
                let name = format!("{}, {controller}, {paced} paced", shape.name);
                checks.push(Check::new(format!("mean share: {name}"), mean, "%", HALF).paper("48.8 %"));
                let points = shares.iter().enumerate().map(|(run, share)| (run as f64 + 1.0, *share));
                plot = plot.series(Series::points(&name, points.collect()));
                pairs.push(json!({
                    "network": shape.name, "controller": controller, "paced": pacing, "mean_share_percent": mean,
                    "shares_percent": shares,
                }));
            }
        }
    }
    let mut crowds = Vec::new();
    let mut crowd_table = Table::new(&["flows", "controller", "Jain's index", "tng's half"]);
    for controller in context.words("controllers") {
        for flows in context.counts("flows") {
            context.progress(format_args!("{flows} flows with {controller}"));
            let rates = rates_bps(crowd(context.seed, flows, controller), MANY_MEASURED);
            let jain = fairness(&rates).unwrap_or(f64::NAN);
            let own: Vec<f64> = rates.iter().step_by(2).copied().collect();
            let part = own.iter().sum::<f64>() * 100.0 / rates.iter().sum::<f64>();
            crowd_table.row(vec![flows.to_string(), controller.to_owned(), format!("{jain:.3}"), percent(part)]);
            checks.push(Check::new(format!("Jain's index of {flows} flows with {controller}"), jain, "", FAIR));
            crowds.push(json!({
                "flows": flows, "controller": controller, "jain": jain, "tng_percent": part, "rates_bps": rates,
            }));
        }
    }
    let channels = context.count("channels");
    let mut together = Vec::new();
    let head = ["channels of two hosts beside one TCP flow", "controller", "mean share", "least", "most"];
    let mut channel_table = Table::new(&head);
    for controller in context.words("controllers") {
        context.progress(format_args!("{channels} channels with {controller}"));
        let shares: Vec<f64> = (0..runs)
            .map(|run| {
                let parties = two(context.seed_of(run), run, controller, [true; 2], channels as usize);
                let (seed, jitter) = (context.seed_of(run), WIFI.packet_time());
                let contest = Contest { seed, bottleneck: WIFI.link(), loss: Loss::None, jitter, parties };
                share(&rates_bps(contest, measured_on(WIFI)))
            })
            .collect();
        let (mean, least, most) = spread(&shares);
        let words = [channels.to_string(), controller.to_owned()].into_iter();
        channel_table.row(words.chain([mean, least, most].map(percent)).collect());
        let points = shares.iter().enumerate().map(|(run, share)| (run as f64 + 1.0, *share)).collect();
        plot = plot.series(Series::points(&format!("{channels} channels, {controller}"), points));
        checks.push(Check::new(format!("mean share of {channels} channels with {controller}"), mean, "%", HALF));
        together.push(json!({ "controller": controller, "mean_share_percent": mean, "shares_percent": shares }));
    }
    let results = json!({ "pairs": pairs, "crowds": crowds, "channels": together });
    let outcome = Outcome::new(results).table(table).table(crowd_table).table(channel_table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

/// One flow over tng on so many connections, and one over TCP; who begins second takes turns.
fn two(seed: u64, run: u64, controller: &str, pacing: [bool; 2], connections: usize) -> Vec<Party> {
    let late = Duration::from_nanos(fork(seed, u64::from(u32::MAX)).below(START_WITHIN.as_nanos() as u64));
    let [own, other] = [Transport::Tng, Transport::Tcp].map(|transport| Party::new(transport, controller));
    let mut parties = vec![Party { pacing: pacing[0], connections, ..own }, Party { pacing: pacing[1], ..other }];
    parties[(run % 2) as usize].start = late;
    parties
}

/// What the first has of both, per cent.
fn share(rates: &[f64]) -> f64 {
    rates[0] * 100.0 / rates.iter().sum::<f64>().max(1.0)
}

/// The mean, the least and the most.
fn spread(shares: &[f64]) -> (f64, f64, f64) {
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let end = |start, pick: fn(f64, f64) -> f64| shares.iter().copied().fold(start, pick);
    (mean, end(f64::INFINITY, f64::min), end(f64::NEG_INFINITY, f64::max))
}

/// So many flows, every other one over tng, all paced.
fn crowd(seed: u64, flows: u64, controller: &str) -> Contest {
    let queue = QueueConfig::DropTail(Limit::Packets(MANY_QUEUE * flows as usize));
    let bottleneck = Link::new().rate(MANY_BPS * flows).delay(MANY_DELAY).queue(queue);
    let mut lots = fork(seed, u64::from(u32::MAX));
    let parties = (0..flows).map(|flow| {
        let transport = if flow % 2 == 0 { Transport::Tng } else { Transport::Tcp };
        let start = Duration::from_nanos(lots.below(START_WITHIN.as_nanos() as u64));
        Party { pacing: true, start, ..Party::new(transport, controller) }
    });
    let jitter = Duration::from_nanos(1_500 * 8 * 1_000_000_000 / MANY_BPS / 2);
    Contest { seed, bottleneck, loss: Loss::None, jitter, parties: parties.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_share(controllers: [&str; 2], transports: [Transport; 2]) -> f64 {
        let runs = 4;
        let shares = (0..runs).map(|run| {
            let mut parties = two(run, run, controllers[0], [true; 2], 1);
            for ((party, transport), controller) in parties.iter_mut().zip(transports).zip(controllers) {
                (party.transport, party.controller) = (transport, crate::transport::choice(controller));
            }
            let contest =
                Contest { seed: run, bottleneck: DSL.link(), loss: Loss::None, jitter: DSL.packet_time(), parties };
            share(&contest.rates_bps(SETTLE, SETTLE + Duration::from_secs(60)))
        });
        shares.sum::<f64>() / runs as f64
    }

    #[test]
    fn tng_and_tcp_share_a_link_evenly() {
        let share = mean_share(["newreno"; 2], [Transport::Tng, Transport::Tcp]);
        assert!((46.0..54.0).contains(&share), "{share} %");
    }

    #[test]
    fn newreno_takes_more_than_vegas_beside_it() {
        let share = mean_share(["newreno", "vegas"], [Transport::Tng, Transport::Tcp]);
        assert!(share > 60.0, "{share} %");
    }
}
