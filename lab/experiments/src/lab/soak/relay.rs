//! A relay, and a host, whose clients come and go for long.

use core::time::Duration;
use std::path::Path;

use serde_json::json;
use tng_base::Rng;
use tng_emulator::{Network, Topology, TopologyLink, TopologyNode};
use tng_sim::{Link, topology};

use super::crowd::{Crowd, Says, Serving, told};
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Worlds};
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
    about: "Clients, two relays and a server, each in a network namespace of its own; all are processes of the tool. \
            So many clients at once fetch a file by way of both relays, one in five is killed on the way, and another \
            one comes for each that has ended. The first relay is killed again and again by SIGKILL, and started \
            again. The memory of the second is looked at every second; the first third does not count, nor what comes \
            before a client that was killed is forgotten for the first time. For two hours: tng lab run soak/relay \
            --real --set time=2h.",
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

/// Nodes: a router, and around it those that the soak is about.
const ROUTER: usize = 0;
const CLIENTS: usize = 1;
pub(super) const SERVER: usize = 2;
const FIRST: usize = 3;
const SECOND: usize = 4;
const NAMES: [&str; 5] = ["router", "clients", "server", "first", "second"];

/// A client that was killed is held for the idle timeout, and its streams as long as they are kept: until then memory
/// grows with each that is killed, and then as many are forgotten as come.
const SILENT_FOR: Duration = Duration::from_secs(30).saturating_add(tng_stack::KEPT_FOR);
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

pub(super) fn stand(context: &Context<'_>) -> Result<Network, RunError> {
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
    let via: Vec<String> =
        [&first, &second].into_iter().flat_map(|relay| ["--via".to_owned(), relay.place()]).collect();
    let says = move |_: &Path, _| Ok(via.clone());
    let crowd = crowd(context, &network, &says);
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
    let crowd = crowd(context, &network, &|_, _| Ok(Vec::new()));
    let visits = crowd.run(&serving, &mut rng, serving.pid(), |_| Ok(()))?;
    Ok(told("the host", &visits, settled_from(crowd.time), json!({})))
}

pub(super) fn crowd<'n>(context: &Context<'_>, network: &'n Network, says: &'n Says) -> Crowd<'n> {
    let (at_once, time, pause) = (context.count("clients"), context.time("time"), context.time("pause"));
    Crowd { network, node: CLIENTS, at_once, time, pause, says }
}

/// From when on memory counts: half of a short run does in any case.
pub(super) fn settled_from(time: Duration) -> Duration {
    (time / 3).max(SILENT_FOR).min(time / 2)
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
