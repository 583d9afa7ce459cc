//! A relay, and a host, whose clients come and go for long.

use core::time::Duration;

use serde_json::json;
use tng_base::Rng;
use tng_emulator::{Network, Topology, TopologyLink, TopologyNode};
use tng_sim::{Link, topology};

use super::crowd::{Crowd, Serving, Visits, slope};
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::real::fault;
use crate::peers::transport::tell;
use crate::peers::trial::network;
use crate::real::Daemon;
use crate::settings::{Configured, Settings};

/// A relay for long, behind another one that is killed again and again.
pub static RELAY: Experiment = Experiment {
    name: "soak/relay",
    title: "A relay whose clients come and go",
    source: "ours",
    claim: "a relay that runs for long needs no more memory than at first, whoever comes, goes or is killed beside it, \
            and no client loses a byte",
    about: "Clients, two relays and a server, each in a network namespace of its own; all are processes of the tool. So \
            many clients at once fetch a file by way of both relays, one in five is killed on the way, and another one \
            comes for each that has ended. The first relay is killed again and again by SIGKILL, and started again. \
            The memory of the second is looked at every second; the first third does not count, nor what comes before \
            a client that was killed is forgotten for the first time. For two hours: tng lab run soak/relay --real \
            --set time=2h.",
    params: &[
        Param::span("time", "180s", "clients come"),
        Param::count("clients", "4", (1, 100), "at once"),
        Param::time("pause", "300ms", "until another one comes for one that has ended"),
        Param::size("size", "300kB", "of the file"),
        Param::span("every", "10s", "the first relay is killed"),
        Param::time("down", "500ms", "until it is started again"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 4 }),
    seeds: 1,
    vary: &[],
    run: relay,
};

/// A host for long.
pub static HOST: Experiment = Experiment {
    name: "soak/host",
    title: "A host whose clients come and go",
    source: "ours",
    claim: "a host that serves for long needs no more memory than at first, whoever comes, goes or is killed, and no \
            client loses a byte",
    about: "Clients and `tng serve`, each in a network namespace of its own; all are processes of the tool. So many \
            clients at once fetch a file, one in five is killed on the way, and another one comes for each that has \
            ended. The server's memory is looked at every second; the first third does not count, nor what comes \
            before a client that was killed is forgotten for the first time. For two hours: tng lab run soak/host \
            --real --set time=2h.",
    params: &[
        Param::span("time", "180s", "clients come"),
        Param::count("clients", "4", (1, 100), "at once"),
        Param::time("pause", "300ms", "until another one comes for one that has ended"),
        Param::size("size", "300kB", "of the file"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 4 }),
    seeds: 1,
    vary: &[],
    run: host,
};

/// Nodes: a router, and around it those of whom the soak is.
const ROUTER: usize = 0;
const CLIENTS: usize = 1;
const SERVER: usize = 2;
const FIRST: usize = 3;
const SECOND: usize = 4;
const NAMES: [&str; 5] = ["router", "clients", "server", "first", "second"];

/// A client that was killed is held for the idle timeout, and its streams as long as they are kept: until then memory
/// grows with each that is killed, and then as many are forgotten as come.
const SILENT_FOR: Duration = Duration::from_secs(30).saturating_add(tng_stack::KEPT_FOR);
/// Growth of memory, MiB: of an hour, or of the run if that is shorter.
const GROWTH: Goal = Goal::AtMost(1.0);
const HOUR_S: f64 = 3_600.0;
/// Clients that failed.
const FAILED: Goal = Goal::AtMost(0.0);
/// Clients that have all they wanted.
const WHOLE: Goal = Goal::AtLeast(1.0);
/// Kills of the first relay.
const KILLS: Goal = Goal::AtLeast(1.0);
/// What clients asked of the second relay.
const JOINS: Goal = Goal::AtLeast(1.0);

/// A relay's file: it serves everybody in the network.
const RELAY_FILE: &str = "onward = [\"10.0.0.0/8\"]\n[terms]\nanyone = true\nflows = 1024\n";

/// Everybody on a link of their own around a router.
struct Star {
    seed: u64,
    link: Link,
}

impl Configured for Star {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "each node to the router, both ways", &self.link);
        settings.set("processes", "kind", "the tool, with default settings; relays serve everybody");
    }
}

fn stand(context: &Context<'_>) -> Result<Network, RunError> {
    let link = Link::new().rate(100_000_000).delay(Duration::from_millis(2));
    let Star { seed, link } = context.world(Star { seed: context.seed, link });
    let node = |(place, name): (usize, &&str)| TopologyNode {
        name: (*name).to_owned(),
        addresses: if place == ROUTER { Vec::new() } else { vec![topology::ipv4(place as u16)] },
        nat: None,
    };
    let spoke = |place: usize| TopologyLink {
        name: format!("to-{}", NAMES[place]),
        a: ROUTER,
        b: place,
        forth: link.clone(),
        back: link.clone(),
    };
    let (nodes, links) = (NAMES.iter().enumerate().map(node).collect(), (1..NAMES.len()).map(spoke).collect());
    network(&Topology { seed, nodes, links })
}

fn relay(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (network, mut rng) = (stand(context)?, Rng::from_u64(context.seed));
    let mut first = Daemon::start(&network, FIRST, RELAY_FILE).map_err(fault)?;
    let second = Daemon::start(&network, SECOND, RELAY_FILE).map_err(fault)?;
    let serving = Serving::start(&network, SERVER, context.size("size"), &mut rng)?;
    let via = [&first, &second].into_iter().flat_map(|relay| ["--via".to_owned(), relay.place()]).collect();
    let crowd = crowd(context, &network, via);
    let (every, down) = (context.time("every"), context.time("down"));
    let (mut kills, mut next, mut again) = (0_u64, every, None);
    let watched = second.pid().ok_or_else(|| RunError::broken("the second relay does not run"))?;
    let visits = crowd.run(&serving, &mut rng, watched, |now| {
        match again {
            Some(at) if now >= at => {
                first.spawn(&network).map_err(fault)?;
                again = None;
            }
            None if now >= next && now < crowd.time => {
                first.kill();
                kills += 1;
                again = Some(now + down);
                next = now + every.max(down);
            }
            _ => {}
        }
        Ok(())
    })?;
    let status = second.status().map_err(fault)?;
    let [joins, flows] = ["joins", "flows"].map(|key| status["counts"][key].as_u64().unwrap_or(0));
    let results = json!({ "kills": kills, "joins": joins, "flows_left": flows });
    let outcome = told("the second relay", &visits, settled_from(crowd.time), results);
    Ok(outcome
        .check(Check::new("kills of the first relay", kills as f64, "", KILLS).ours())
        .check(Check::new("joins at the second relay", joins as f64, "", JOINS).ours())
        .note(
            "Clients that find the first relay away do without both and say so; a client under way goes on directly. \
             Those whose clients were killed stay at the second relay until their neighbours are found silent. haproxy \
             would end each connection of the one that is killed.",
        ))
}

fn host(context: &Context<'_>) -> Result<Outcome, RunError> {
    let (network, mut rng) = (stand(context)?, Rng::from_u64(context.seed));
    let serving = Serving::start(&network, SERVER, context.size("size"), &mut rng)?;
    let crowd = crowd(context, &network, Vec::new());
    let visits = crowd.run(&serving, &mut rng, serving.pid(), |_| Ok(()))?;
    Ok(told("the host", &visits, settled_from(crowd.time), json!({})))
}

fn crowd<'n>(context: &Context<'_>, network: &'n Network, via: Vec<String>) -> Crowd<'n> {
    let (at_once, time, pause) = (context.count("clients"), context.time("time"), context.time("pause"));
    Crowd { network, node: CLIENTS, at_once, time, pause, via }
}

/// From when on memory counts: half of a short run does in any case.
fn settled_from(time: Duration) -> Duration {
    (time / 3).max(SILENT_FOR).min(time / 2)
}

/// What became of clients, and how the memory of a process grew from then on.
pub(super) fn told(who: &str, visits: &Visits, settled_from: Duration, mut results: serde_json::Value) -> Outcome {
    let Visits { whole, killed, failed, why, memory } = visits;
    let settled: Vec<(f64, f64)> =
        memory.iter().copied().filter(|(at_s, _)| *at_s >= settled_from.as_secs_f64()).collect();
    let (per_s, mib) = (slope(&settled), f64::from(1 << 20));
    let measured_s = settled.last().map_or(0.0, |last| last.0) - settled.first().map_or(0.0, |first| first.0);
    let growth = per_s * measured_s.min(HOUR_S) / mib;
    let mut table = Table::new(&["", ""]).titled("Clients, and memory");
    let most = memory.iter().map(|point| point.1).fold(f64::NAN, f64::max);
    for (name, value) in [
        ("clients that have the whole file", whole.to_string()),
        ("clients killed on the way", killed.to_string()),
        ("clients that failed", failed.to_string()),
        ("memory, at most", format!("{:.2} MiB", most / mib)),
        ("measured", format!("{measured_s:.0} s")),
        ("slope", format!("{:.2} MiB an hour", per_s * HOUR_S / mib)),
    ] {
        table.row(vec![name.to_owned(), value]);
    }
    let points = memory.iter().map(|(at_s, bytes)| (*at_s, bytes / mib)).collect();
    let plot = Plot::new("Memory", Axis::new("time", "s"), Axis::new("resident", "MiB"));
    // A sample a second.
    let minutes = memory.chunks(60).map(|minute| minute.iter().map(|point| point.1).sum::<f64>() / minute.len() as f64);
    for (key, value) in [
        ("memory_by_minute_bytes", json!(minutes.collect::<Vec<f64>>())),
        ("whole", json!(whole)),
        ("killed", json!(killed)),
        ("failed", json!(failed)),
        ("memory_max_bytes", json!(most)),
        ("measured_s", json!(measured_s)),
        ("slope_mib_per_hour", json!(per_s * HOUR_S / mib)),
    ] {
        results[key] = value;
    }
    let name = format!("memory of {who} grows, by its slope over an hour or what was measured of it");
    Outcome::new(results)
        .table(table)
        .plot(plot.series(Series::line(who, points)))
        .check(Check::new(name, growth, "MiB", GROWTH))
        .check(Check::new("clients that failed", *failed as f64, "", FAILED).because(why.clone().unwrap_or_default()))
        .check(Check::new("clients that have the whole file", *whole as f64, "", WHOLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_counts_once_as_many_silent_clients_are_forgotten_as_come() {
        let from = |seconds| settled_from(Duration::from_secs(seconds)).as_secs();
        assert_eq!([60, 180, 240, 7_200].map(from), [30, 90, 90, 2_400]);
    }
}
