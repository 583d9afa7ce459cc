//! The same with processes, and a sprayer.

use core::cell::Cell;
use core::time::Duration;
use std::rc::Rc;

use serde_json::json;
use tng_base::Rng;
use tng_emulator::Network;
use tng_emulator::transfer::Origin;
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;
use tokio::time;

use super::super::fleets::{Bottleneck, CLIENTS, SERVERS as FIRST_SERVER, SPRAYER, Star, pause, settled};
use super::super::testbed::QUEUE_PACKETS;
use super::{EVEN, FAIR, FAIRER, FROM, SERVERS, START_WITHIN};
use crate::engine::report::fairness;
use crate::lab::{Check, Context, Outcome, RunError, Table};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::real::fault;
use crate::peers::transport::trickles::{Usage, client_config};
use crate::real::visitor::{Failure, Keepless, Source, Wanted, fetch, inside};
use crate::real::{FILE, Fleet, Nginx};

/// By how much clocks may differ: the servers have one.
const SKEW: Duration = Duration::from_millis(500);
/// A file is so many times as long as what a connection's share brings.
const LARGER: f64 = 4.0;

/// Who is asked, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Curve {
    /// Over TCP, the server that has the fewest connections.
    Tcp,
    /// Over Trickles, by turns.
    Turns,
    /// Over Trickles, the server that has the fewest.
    Stay,
}

const CURVES: [(&str, Curve); 3] = [
    ("the kernel's TCP, to the one with the fewest", Curve::Tcp),
    ("Trickles, by turns", Curve::Turns),
    ("Trickles, to the one with the fewest", Curve::Stay),
];

fn link(context: &Context<'_>) -> Link {
    let queue = QueueConfig::DropTail(Limit::Packets(QUEUE_PACKETS));
    Link::new().rate(context.rate("real-rate")).delay(context.time("rtt") / 2).queue(queue)
}

/// Where each connection's file comes from: with connections that never end the one with the fewest is the other one.
type Sources = Vec<Source>;

/// Bits per second of each connection.
fn rates(context: &Context<'_>, curve: Curve, connections: u64) -> Result<Vec<f64>, RunError> {
    let (seed, settle, span) = (context.seed, context.time("settle"), context.time("real-time"));
    let most = SERVERS as f64 * context.rate("real-rate") as f64 / 8.0 * (START_WITHIN + settle + span).as_secs_f64();
    let bytes = (LARGER * most / connections as f64) as u64;
    let star = Star { seed, servers: SERVERS, slow: link(context), bottleneck: Bottleneck::Servers };
    let nodes = FIRST_SERVER..FIRST_SERVER + SERVERS;
    match curve {
        Curve::Tcp => {
            let network = context.world(star).network()?;
            let mut file = vec![0; bytes as usize];
            Rng::from_u64(seed).fill(&mut file);
            let nginx = |node| Nginx::start(&network, node, &[(FILE, &file)], 1).map_err(fault);
            let servers = nodes.map(nginx).collect::<Result<Vec<_>, _>>()?;
            let sources = servers.iter().map(|nginx| Source::Http(nginx.address())).collect();
            visit(context, &network, sources, (file.into(), connections))
        }
        Curve::Turns | Curve::Stay => {
            let network = context.world(star).network()?;
            let (nodes, mut rng) = (nodes.collect::<Vec<_>>(), Rng::from_u64(seed));
            let fleet = Fleet::new(&network, &nodes, bytes, &mut rng).map_err(fault)?;
            let mut fleet = fleet.with(&["--skew", &format!("{}ms", SKEW.as_millis())]);
            (0..SERVERS).try_for_each(|which| fleet.start(&network, which)).map_err(fault)?;
            if curve == Curve::Turns {
                fleet.spray(&network, SPRAYER).map_err(fault)?;
                pause(settled(SKEW));
            }
            let source = |which| Source::Stateless(Keepless::new(fleet.places(&[which]), client_config(Usage::USUAL)));
            visit(context, &network, (0..SERVERS).map(source).collect(), (fleet.file(), connections))
        }
    }
}

fn visit(
    context: &Context<'_>,
    network: &Network,
    sources: Sources,
    (file, connections): (std::sync::Arc<[u8]>, u64),
) -> Result<Vec<f64>, RunError> {
    let (seed, settle, span) = (context.seed, context.time("settle"), context.time("real-time"));
    let from = network.topology().nodes[CLIENTS].addresses[0];
    let visited = inside(network, CLIENTS, || async move {
        let mut rng = Rng::from_u64(seed);
        let failure: Rc<Cell<Option<Failure>>> = Rc::default();
        let counts: Vec<Rc<Cell<u64>>> = (0..connections).map(|_| Rc::default()).collect();
        for (nth, count) in counts.iter().enumerate() {
            let source = sources[nth % sources.len()].clone();
            let wanted = Wanted { name: FILE.to_owned(), bytes: file.clone(), buffer: None, pace: None };
            let (mut rng, count, failure) = (rng.fork(), Rc::clone(count), Rc::clone(&failure));
            let start = START_WITHIN * nth as u32 / connections as u32;
            tokio::task::spawn_local(async move {
                time::sleep(start).await;
                // One that has far more than its share has all of the file at last, and asks for it again.
                loop {
                    if let Err(why) = fetch(&source, wanted.clone(), from, &mut rng, &count).await {
                        return failure.set(Some(why));
                    }
                }
            });
        }
        time::sleep(START_WITHIN + settle).await;
        let (before, began): (Vec<u64>, _) = (counts.iter().map(|count| count.get()).collect(), Origin::now());
        time::sleep(span).await;
        let seconds = began.elapsed().as_secs_f64();
        match failure.take() {
            Some(why) => Err(why),
            None => {
                Ok(counts.iter().zip(before).map(|(now, before)| (now.get() - before) as f64 * 8.0 / seconds).collect())
            }
        }
    });
    visited.map_err(fault)?.map_err(RunError::broken)
}

pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let heads = [&["connections"][..], &CURVES.map(|(name, _)| name), &["sum over TCP", "sum by turns"]].concat();
    let mut table = Table::new(&heads);
    let (mut points, mut results, mut checks) = (vec![Vec::new(); CURVES.len()], Vec::new(), Vec::new());
    for connections in context.counts("real-connections") {
        let (mut indices, mut sums) = (Vec::new(), Vec::new());
        for ((name, curve), points) in CURVES.into_iter().zip(&mut points) {
            context.progress(format_args!("{connections} connections over {name}"));
            let rates = rates(context, curve, connections)?;
            let index = fairness(&rates).unwrap_or(f64::NAN);
            points.push((connections as f64, index));
            results.push(json!({ "connections": connections, "over": name, "jain": index, "rates_bps": rates }));
            indices.push(index);
            sums.push(rates.iter().sum::<f64>());
        }
        let mbits = |sum: f64| format!("{:.2} Mbit/s", sum / 1e6);
        let cells = indices.iter().map(|index| format!("{index:.4}")).chain([mbits(sums[0]), mbits(sums[1])]);
        table.row([connections.to_string()].into_iter().chain(cells).collect());
        if connections < FROM {
            continue;
        }
        let name = format!("{connections} connections: Jain's index of Trickles");
        checks.push(Check::new(&name, indices[1], "", FAIR));
        checks.push(Check::new(format!("{name} above that of the kernel's TCP"), indices[1] - indices[0], "", FAIRER));
    }
    let plot = Plot::new("Fairness", Axis::new("connections", "").log(), Axis::new("Jain's index", ""));
    let plot =
        CURVES.iter().zip(points).fold(plot, |plot, ((name, _), points)| plot.series(Series::line(name, points)));
    let outcome = Outcome::new(json!({ "runs": results })).table(table).plot(plot).note(EVEN).note(
        "trickles/fig30 in virtual time is the same with faster links, and the page beside this one. Every packet of a \
         run by turns is carried by the emulator four times and by the sprayer once; servers, sprayer, emulator and \
         clients share two cores, which is why the links are slower here. nginx has two servers' files without a \
         sprayer: connections that do not end go to the one with the fewest when each goes to the other than the one \
         before it. In real time a check is of one run.",
    );
    Ok(checks.into_iter().fold(outcome, Outcome::check))
}
