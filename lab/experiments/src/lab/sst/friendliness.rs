//! Who gets how much of a link that tng and TCP share: SST 5.3's second benchmark.

use core::time::Duration;

use serde_json::json;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss, fork};

use super::shape::{DSL, Shape, WIFI};
use super::validation::CONTROLLERS;
use crate::engine::report::fairness;
use crate::lab::{Check, Context, Experiment, Goal, Kind, Outcome, Param, RunError, SEEDS_MIN, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::contest::{Contest, Party, Transport};

/// The share beside TCP.
pub static FRIENDLINESS: Experiment = Experiment {
    name: "sst/friendliness",
    title: "The share beside TCP",
    source: "SST 5.3",
    claim: "beside one TCP flow with the same controller, tng takes half of the link; eight channels between two hosts \
            are one flow",
    about: "Two endless transfers, one over tng and one over the reference TCP, share a 1.5 Mbit/s DSL line (50 ms of \
            round trip, a queue of 30 packets) or an 18 Mbit/s wireless LAN (4 ms, 60 packets): both paced, neither, \
            and by default, where tng is paced and TCP is not. One of them, in turn, begins up to 2 s after the other. \
            Then 2, 8 and 50 flows, every other one over tng; and eight connections between two tng hosts beside one \
            TCP flow. What leaves a sender is delayed by up to a packet's time, so that nobody is in step with the \
            queue. ours/bbr has the same for bbr, and sst/beside-kernel beside the kernel's TCP.",
    params: &[
        Param::list("controllers", "newreno,cubic", &Kind::Word(CONTROLLERS), "of both"),
        Param::list("flows", "2,8,50", &Kind::Count(2, 200), "sharing one link"),
        Param::count("channels", "8", (1, 64), "between two hosts, beside one TCP flow"),
        Param::share("length", "100%", "of the time in which flows settle and are measured; less says less"),
    ],
    worlds: Worlds::Virtual,
    seeds: SEEDS_MIN,
    vary: &[],
    run,
};

/// What tng takes beside one TCP flow, per cent: the project's own number, of what many runs have in the median.
const HALF: Goal = Goal::Within(48.0, 52.0);
/// Jain's index.
const FAIR: Goal = Goal::AtLeast(0.95);

/// Who paces what it sends, of tng and TCP.
const PACED: [(&str, [bool; 2]); 3] = [("both", [true; 2]), ("neither", [false; 2]), ("by default", [true, false])];

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
    let length = context.share("length");
    if length <= 0.0 {
        return Err(RunError::Params("in no time nothing is measured; write length=1% or more".to_owned()));
    }
    let rates_bps = |contest: Contest, measured: Duration| {
        context.world(contest).rates_bps(SETTLE.mul_f64(length), (SETTLE + measured).mul_f64(length))
    };
    // Who begins second takes turns.
    let turn = context.seed;
    let mut table = Table::new(&["tng beside one TCP flow", "controller", "paced", "share"]);
    let (mut bars, mut names): (Vec<f64>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut pairs, mut checks) = (Vec::new(), Vec::new());
    let percent = |share: f64| format!("{share:.1} %");
    for shape in [DSL, WIFI] {
        for controller in context.words("controllers") {
            for (paced, pacing) in PACED {
                context.progress(format_args!("{} with {controller}, paced: {paced}", shape.name));
                let parties = two(context.seed_of(0), turn, [controller; 2], pacing, 1);
                let (seed, jitter) = (context.seed_of(0), shape.packet_time());
                let contest = Contest { seed, bottleneck: shape.link(), loss: Loss::None, jitter, parties };
                let share = share(&rates_bps(contest, measured_on(shape)));
                table.row([shape.name, controller, paced, &percent(share)].map(str::to_owned).into());
                let name = format!("{}, {controller}, paced: {paced}", shape.name);
                checks.push(Check::new(format!("share: {name}"), share, "%", HALF).by_median().paper("48.8 %"));
                bars.push(share);
                names.push(name);
                pairs.push(json!({
                    "network": shape.name, "controller": controller, "paced": paced, "share_percent": share,
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
    let mut channel_table = Table::new(&["channels of two hosts beside one TCP flow", "controller", "share"]);
    for controller in context.words("controllers") {
        context.progress(format_args!("{channels} channels with {controller}"));
        let parties = two(context.seed_of(0), turn, [controller; 2], [true; 2], channels as usize);
        let (seed, jitter) = (context.seed_of(0), WIFI.packet_time());
        let contest = Contest { seed, bottleneck: WIFI.link(), loss: Loss::None, jitter, parties };
        let share = share(&rates_bps(contest, measured_on(WIFI)));
        channel_table.row(vec![channels.to_string(), controller.to_owned(), percent(share)]);
        let name = format!("{channels} channels, {controller}");
        checks.push(Check::new(format!("share: {name}"), share, "%", HALF).by_median());
        bars.push(share);
        names.push(name);
        together.push(json!({ "controller": controller, "share_percent": share }));
    }
    let results = json!({ "pairs": pairs, "crowds": crowds, "channels": together });
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let plot = Plot::new("Share of tng beside one TCP flow", Axis::names(&names), Axis::new("share", "%"));
    let points = (0..).map(f64::from).zip(bars).collect();
    let plot = plot.series(Series::bars("share", points));
    let outcome = Outcome::new(results).table(table).table(crowd_table).table(channel_table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}

/// One flow over tng on so many connections, and one over TCP; who begins second takes turns.
fn two(seed: u64, turn: u64, controllers: [&str; 2], pacing: [bool; 2], connections: usize) -> Vec<Party> {
    let late = Duration::from_nanos(fork(seed, u64::from(u32::MAX)).below(START_WITHIN.as_nanos() as u64));
    let (own, other) = (Party::new(Transport::Tng, controllers[0]), Party::new(Transport::Tcp, controllers[1]));
    let mut parties = vec![Party { pacing: pacing[0], connections, ..own }, Party { pacing: pacing[1], ..other }];
    parties[(turn % 2) as usize].start = late;
    parties
}

/// What the first has of both, per cent.
fn share(rates: &[f64]) -> f64 {
    rates[0] * 100.0 / rates.iter().sum::<f64>().max(1.0)
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
            let mut parties = two(run, run, [controllers[0]; 2], [true; 2], 1);
            for ((party, transport), controller) in parties.iter_mut().zip(transports).zip(controllers) {
                (party.transport, party.controller) = (transport, crate::peers::transport::choice(controller));
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
