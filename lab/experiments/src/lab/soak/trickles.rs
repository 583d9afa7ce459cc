//! A server that keeps nothing, whose clients come and go for long.

use core::time::Duration;

use serde_json::json;
use tng_base::Rng;
use tng_emulator::transfer::Origin;
use tng_sim::Link;
use tokio::time;

use super::crowd::{Visits, told};
use super::memory::SAMPLE;
use crate::lab::trickles::twins::{Over, Twin, begins};
use crate::lab::trickles::visits::{self, Manner};
use crate::lab::{Context, Experiment, Needs, Outcome, Param, RunError, Worlds};
use crate::peers::helped::real::fault;
use crate::real::used;
use crate::real::visitor::inside;

/// A server that keeps nothing for long.
pub static TRICKLES: Experiment = Experiment {
    name: "soak/trickles",
    title: "A server that keeps nothing, whose clients come and go",
    source: "ours",
    claim: "a server of Trickles that runs for long needs no more memory than at first, however many come, \
            go or vanish, and no client loses a byte",
    about: "Clients and `tng trickles serve`, each in a network namespace of its own: the server is a process of the \
            tool, the clients are machines in the lab's, each on a socket of its own. So many at once fetch a file, \
            each at the pace of its program, which leaves the link room for all. One in five vanishes in the middle \
            and says nothing, and another one comes for each that has ended. The server's memory is looked at every \
            second; the first third does not count, nor what comes before all have begun. For two hours: tng lab run \
            soak/trickles --real --set time=2h.",
    params: &[
        Param::span("time", "180s", "clients come"),
        Param::count("clients", "10000", (1, 20_000), "at once"),
        Param::size("size", "30kB", "of the file"),
        Param::rate("pace", "6kbit", "at which each reads"),
        Param::rate("rate", "100mbit", "of the link"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 4 }),
    seeds: 1,
    vary: &[],
    run,
};

/// Of the link, each way.
const DELAY: Duration = Duration::from_millis(2);
/// The lane from the server to the clients.
const TO_CLIENTS: usize = 1;

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (seed, lasts, clients) = (context.seed, context.time("time"), context.count("clients"));
    let link = Some(Link::new().rate(context.rate("rate")).delay(DELAY));
    let (bytes, pace) = (context.size("size"), context.rate("pace") / 8);
    let twin = Twin { seed, link, over: Over::Trickles, processes: 1, more: &[], bytes, clients };
    let standing = &context.world(twin).begin()?;
    let settled = (lasts / 3).max(begins(clients)).min(lasts / 2);
    let ran = inside(&standing.network, standing.clients, || async move {
        let (mut rng, origin, mut memory) = (Rng::from_u64(seed), Origin::now(), Vec::new());
        let visits = visits::begin(standing, clients, Manner::Paced(pace), &mut rng);
        while origin.elapsed() < lasts {
            memory.push((origin.elapsed().as_secs_f64(), used::resident(&standing.pids()) as f64));
            time::sleep(SAMPLE.min(lasts / 10)).await;
        }
        let (whole, killed, failed) = (visits.whole.get(), visits.left.get(), visits.failed.take());
        let came = visits.came.get() as f64 * 8.0 / origin.elapsed().as_secs_f64();
        (Visits { whole, killed, failed, memory, ..Visits::default() }, came)
    });
    let (visits, rate_bps) = ran.map_err(fault)?;
    let lane = standing.network.figures().get(TO_CLIENTS).map(|lane| (lane.stats.offered, lane.stats.dropped()));
    let (offered, dropped) = lane.unwrap_or_default();
    let results = json!({ "rate_bps": rate_bps, "link_packets": offered, "link_packets_dropped": dropped });
    Ok(told("the server", &visits, settled, results)
        .note(
            "Those that were killed are those that vanished. All that is said of memory is of the server's process \
             alone; what comes to clients is compared byte by byte.",
        )
        .note(format!(
            "{:.2} Mbit/s came to the clients. The link lost {dropped} of {offered} packets to them. With a pace that \
             is more than the link has room for, most packets are lost, the answers to set-ups among them: then some \
             clients hear nothing for as long as one waits for the first answer, and fail.",
            rate_bps / 1e6
        )))
}
