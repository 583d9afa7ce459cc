//! Many clients of two servers, datagram by datagram.

use core::time::Duration;

use serde_json::json;
use tng_emulator::transfer::Origin;

use super::fleets::{Bottleneck, CLIENTS, SPRAYER, Standing, Star, pause, slow};
use crate::engine::report::fairness;
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::peers::helped::real::fault;

/// Two servers behind a sprayer.
pub static SPRAYED: Experiment = Experiment {
    name: "trickles/sprayed",
    title: "Two servers, datagram by datagram",
    source: "Trickles 6.2, Figure 30",
    claim: "datagrams that go to two servers by turns, whoever sends them on, have all that both servers' links carry, \
            and divide it evenly",
    about: "Clients that fetch a large file from two servers whose links are the bottleneck: by way of `tng trickles \
            spray`; each turning to both servers itself; and, to know what both links carry, with half of them at \
            either server. Every client, the sprayer and both servers are processes of the tool, in network \
            namespaces. What clients have is the length of their files, from a time to another.",
    params: &[
        Param::count("connections", "50", (2, 200), "at the same time"),
        Param::rate("rate", "30mbit", "of each server's link"),
        Param::time("rtt", "20ms", "round trip"),
        Param::time("queue", "50ms", "what waits for either link at most"),
        Param::span("settle", "5s", "that is not counted"),
        Param::span("time", "60s", "that is"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 5 }),
    seeds: 1,
    vary: &[],
    run,
};

/// How many servers.
const SERVERS: usize = 2;
/// Of what both links carry.
const SUM: Goal = Goal::AtLeast(0.95);
/// Jain's index.
const FAIR: Goal = Goal::AtLeast(0.99);

/// Who turns to the servers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turns {
    Nobody,
    Clients,
    Sprayer,
}

/// Bits per second of each client.
fn rates(context: &Context<'_>, turns: Turns) -> Result<Vec<f64>, RunError> {
    let (settle, time) = (context.time("settle"), context.time("time"));
    let connections = context.count("connections") as usize;
    // Nobody is to come to the end.
    let most = SERVERS as f64 * context.rate("rate") as f64 / 8.0 * (settle + time).as_secs_f64();
    let bytes = (4.0 * most / connections as f64) as u64;
    let star = Star { seed: context.seed, servers: SERVERS, slow: slow(context), bottleneck: Bottleneck::Servers };
    let mut standing = Standing::begin(context, star, bytes)?;
    let Standing { network, fleet } = &mut standing;
    if turns == Turns::Sprayer {
        fleet.spray(network, SPRAYER).map_err(fault)?;
    }
    let mut downloads = Vec::new();
    for number in 0..connections {
        let (policy, from) = match turns {
            Turns::Nobody => ("stay", vec![number % SERVERS]),
            Turns::Clients => ("spray", (0..SERVERS).map(|ahead| (number + ahead) % SERVERS).collect()),
            Turns::Sprayer => ("stay", vec![0]),
        };
        downloads.push(fleet.download(network, CLIENTS, policy, &from).map_err(fault)?);
    }
    pause(settle);
    let (origin, mut ended) = (Origin::now(), 0);
    downloads.iter_mut().for_each(|download| download.sample());
    origin.rest_until(time);
    let mut rates = Vec::new();
    for download in &mut downloads {
        download.sample();
        ended += u32::from(download.has_ended().is_some());
        let [(from, before), (to, after)] = download.sampled() else { return Err(RunError::broken("no samples")) };
        let span: Duration = *to - *from;
        rates.push((after - before) as f64 * 8.0 / span.as_secs_f64());
    }
    match ended {
        0 => Ok(rates),
        ended => Err(RunError::broken(format_args!("{ended} clients have ended before their time"))),
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let mut table = Table::new(&["", "sum", "Jain's index", "least", "most"]);
    let (mut sums, mut indices, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for (name, turns) in [
        ("half of them at either server", Turns::Nobody),
        ("each client by turns", Turns::Clients),
        ("a sprayer by turns", Turns::Sprayer),
    ] {
        context.progress(name);
        let rates = rates(context, turns)?;
        let (sum, index) = (rates.iter().sum::<f64>(), fairness(&rates).unwrap_or(f64::NAN));
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let most = rates.iter().copied().fold(0.0, f64::max);
        let mbits = |rate: f64| format!("{:.3} Mbit/s", rate / 1e6);
        table.row(vec![name.to_owned(), mbits(sum), format!("{index:.4}"), mbits(least), mbits(most)]);
        results.push(json!({ "name": name, "sum_bps": sum, "jain": index, "rates_bps": rates }));
        sums.push(sum);
        indices.push(index);
    }
    let mut outcome = Outcome::new(json!({ "runs": results })).table(table);
    for (at, name) in [(1, "each client by turns"), (2, "a sprayer by turns")] {
        outcome = outcome
            .check(Check::new(format!("{name}: sum of rates, of what both links carry"), sums[at] / sums[0], "", SUM))
            .check(Check::new(format!("{name}: Jain's index"), indices[at], "", FAIR));
    }
    Ok(outcome.note(
        "What both links carry is the sum of the first run. The index of that run says how evenly servers divide their \
         links without turns.",
    ))
}
