//! Introduced hosts behind NATs of the kernel: nft, in network namespaces.

#![expect(clippy::disallowed_methods, reason = "what is measured is real time")]

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::json;
use tng::help::{HelpTerms, HelperTarget};
use tng::relay::{ClientTag, HelperConfig, Network as Listed, Onward, RelayService, Terms};
use tng::{
    Access, Connection, Eid, Endpoint, Identity, Introduction, PathTaken, Relayed, Request, Secret32, ServiceOptions,
    Target,
};
use tng_emulator::{Network, Topology, TopologyLink, TopologyNode};
use tng_sim::{Link, topology};
use tokio::time::sleep;

use super::{ALL, SOON};
use crate::lab::{Check, Context, Outcome, RunError, Table};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::real::fault;
use crate::peers::trial::network;
use crate::real::tng as hosts;

/// Nodes, in the order in which they stand.
const CORE: usize = 0;
const RELAY: usize = 1;
const OBSERVER: usize = 2;
const GATES: [usize; 2] = [3, 4];
const ENDS: [usize; 2] = [5, 6];
/// What the NATs are seen as.
const OUTER: [Ipv4Addr; 2] = [Ipv4Addr::new(192, 0, 2, 1), Ipv4Addr::new(192, 0, 2, 2)];
/// The first port of an end. Each run has the next: what a NAT remembers of the one before is of no use to it.
const FIRST_PORT: u16 = 20_000;
/// How often it is looked which way a connection goes.
const LOOK: Duration = Duration::from_millis(5);
/// A request is answered by then, or will never be.
const PATIENCE: Duration = Duration::from_secs(15);
/// What an end that stays relayed is given until it says why: an attempt lasts so long, and a moment more.
const SAYS_WHY: Duration = Duration::from_secs(12);

/// What nft is told of a NAT, beside its link outside.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    masquerade: [&'static str; 2],
    direct: bool,
}

const CASES: [Case; 3] = [
    Case { name: "nft masquerade", masquerade: ["masquerade"; 2], direct: true },
    Case { name: "nft masquerade random", masquerade: ["masquerade random"; 2], direct: false },
    Case {
        name: "nft masquerade random calls masquerade",
        masquerade: ["masquerade random", "masquerade"],
        direct: false,
    },
];

/// What came of a run.
struct Found {
    /// How long after the introduction it went directly.
    direct_after: Option<Duration>,
    first_byte: Duration,
    relayed: Option<Relayed>,
}

fn at(ip: impl Into<IpAddr>, port: u16) -> SocketAddr {
    SocketAddr::new(ip.into(), port)
}

fn standing(context: &Context<'_>) -> Topology {
    let node = |name: &str, number: Option<u16>| TopologyNode {
        name: name.to_owned(),
        addresses: number.map(topology::ipv4).into_iter().collect(),
        nat: None,
    };
    let link = |name: &str, (a, b): (usize, usize), delay: Duration| {
        let both = Link::new().rate(50_000_000).delay(delay);
        TopologyLink { name: name.to_owned(), a, b, forth: both.clone(), back: both }
    };
    let (delay, relay, at_home) = (context.time("delay"), context.time("relay"), Duration::from_micros(100));
    Topology {
        seed: context.seed,
        nodes: vec![
            node("core", None),
            node("relay", Some(100)),
            node("observer", Some(101)),
            node("gate-a", None),
            node("gate-b", None),
            node("a", Some(1)),
            node("b", Some(2)),
        ],
        links: vec![
            link("relay", (RELAY, CORE), relay),
            link("observer", (OBSERVER, CORE), relay),
            link("outside-a", (GATES[0], CORE), delay),
            link("outside-b", (GATES[1], CORE), delay),
            link("inside-a", (ENDS[0], GATES[0]), at_home),
            link("inside-b", (ENDS[1], GATES[1]), at_home),
        ],
    }
}

/// Runs a program on a node, and gives it this to read.
pub(in crate::lab::tng) fn tool(
    network: &Network,
    node: usize,
    program: &str,
    args: &[&str],
    input: &str,
) -> Result<(), RunError> {
    network.run_tool(node, program, args, input).map_err(|error| RunError::Environment {
        problem: format!("{program} in a network namespace: {error}"),
        remedy: "install iproute2 and nftables, on a kernel with connection tracking".to_owned(),
    })
}

/// The NATs, and the ways to them.
fn set_up(network: &Network, case: Case) -> Result<(), RunError> {
    for (end, outer) in OUTER.into_iter().enumerate() {
        let (outside, inside) = (format!("link{}", 2 + end), format!("link{}", 4 + end));
        let rules = format!(
            "table ip nat {{\n\
             chain out {{ type nat hook postrouting priority srcnat; oifname \"{outside}\" {}; }}\n\
             }}\n\
             table ip filter {{\n\
             chain in {{ type filter hook input priority filter; iifname \"{outside}\" ct state new drop; }}\n\
             chain on {{ type filter hook forward priority filter; iifname \"{outside}\" ct state new drop; }}\n\
             }}\n",
            case.masquerade[end],
        );
        tool(network, GATES[end], "nft", &["-f", "-"], &rules)?;
        let own = format!("address add {outer}/32 dev {outside}\nroute add 192.0.2.0/24 dev {outside} src {outer}\n");
        tool(network, GATES[end], "ip", &["-batch", "-"], &own)?;
        tool(network, CORE, "ip", &["-batch", "-"], &format!("route add {outer}/32 dev {outside}\n"))?;
        tool(network, ENDS[end], "ip", &["-batch", "-"], &format!("route add 192.0.2.0/24 dev {inside}\n"))?;
    }
    for (node, device) in [(RELAY, "link0"), (OBSERVER, "link1")] {
        tool(network, node, "ip", &["-batch", "-"], &format!("route add 192.0.2.0/24 dev {device}\n"))?;
    }
    Ok(())
}

/// Where an endpoint has seen who came, by its EID.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<BTreeMap<Eid, SocketAddr>>>);

impl Seen {
    /// All who connect are let in, stay, and are seen.
    fn watch(&self, endpoint: Endpoint) {
        let seen = self.clone();
        tokio::spawn(async move {
            let mut held: Vec<Connection> = Vec::new();
            while let Some(incoming) = endpoint.accept().await {
                let (eid, remote) = (incoming.eid(), incoming.remote_address());
                seen.0.lock().unwrap_or_else(PoisonError::into_inner).insert(eid, remote);
                held.extend(incoming.accept().await);
            }
        });
    }

    fn of(&self, eid: Eid) -> Result<SocketAddr, RunError> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&eid).copied();
        seen.ok_or_else(|| RunError::broken("an end did not come to the relay or the observer"))
    }
}

/// Relay and observer of a case, and what they have seen.
struct Middle {
    relay: Endpoint,
    observer: Endpoint,
    seen: [Seen; 2],
}

fn broken(error: impl std::fmt::Display) -> RunError {
    RunError::broken(error)
}

impl Middle {
    async fn begin(network: &Network, runtime: &tokio::runtime::Runtime) -> Result<Middle, RunError> {
        let onward = Onward::Listed(vec![Listed { address: IpAddr::from([192, 0, 2, 0]), bits: 24 }]);
        let config = HelperConfig { onward, ..HelperConfig::default() };
        let socket = |node| hosts::socket(network, runtime, node, 0).map_err(fault);
        let builder = |number: u8| Endpoint::builder().identity(Identity::from_seed([number; 32]));
        let relay = builder(101).access(Access::Public).socket(socket(RELAY)?);
        let relay = relay.relay(RelayService::new(Secret32::from_bytes([9; 32]), config)).build().await;
        let relay = relay.map_err(broken)?;
        let terms = || HelpTerms {
            client: ClientTag(1),
            terms: Terms { life: Duration::from_secs(3_600), flows_max: 1_000, tunnels: false },
            rate_max: None,
            held_max: None,
            controllers: Vec::new(),
            queue_time_max: None,
        };
        relay.serve_help(move |_, _| Ok(terms())).map_err(broken)?;
        let observer = builder(102).access(Access::Public).socket(socket(OBSERVER)?).build().await.map_err(broken)?;
        let seen = [Seen::default(), Seen::default()];
        seen[0].watch(relay.clone());
        seen[1].watch(observer.clone());
        Ok(Middle { relay, observer, seen })
    }

    fn targets(&self) -> [Target; 2] {
        [&self.relay, &self.observer].map(|endpoint| Target {
            eid: endpoint.eid(),
            addresses: vec![endpoint.local_addr()],
            capability: None,
            via: Vec::new(),
        })
    }
}

/// An end that attends: its connections to relay and observer stay.
struct End {
    endpoint: Endpoint,
    _attends: Vec<Connection>,
    seen: SocketAddr,
}

async fn attend(middle: &Middle, builder: tng::Builder) -> Result<End, RunError> {
    let endpoint = builder.build().await.map_err(broken)?;
    let mut attends = Vec::new();
    for (target, seen) in middle.targets().into_iter().zip(&middle.seen) {
        let observer = target.addresses[0];
        attends.push(endpoint.connect(target).await.map_err(broken)?);
        endpoint.note_seen(observer, seen.of(endpoint.eid())?);
    }
    let seen = middle.seen[0].of(endpoint.eid())?;
    Ok(End { endpoint, _attends: attends, seen })
}

async fn meet(
    network: &Network,
    runtime: &tokio::runtime::Runtime,
    middle: &Middle,
    case: Case,
    run: u16,
) -> Result<Found, RunError> {
    let builder = |end: usize, access| {
        let own = network.topology().nodes[ENDS[end]].addresses[0];
        let socket = hosts::bind(network, runtime, ENDS[end], at(own, FIRST_PORT + run)).map_err(fault)?;
        let identity = Identity::from_seed([(run as u8).wrapping_mul(2) + end as u8; 32]);
        Ok::<_, RunError>(Endpoint::builder().identity(identity).access(access).socket(socket))
    };
    let a = attend(middle, builder(0, Access::Nobody)?).await?;
    let b = attend(middle, builder(1, Access::Public)?).await?;
    b.endpoint.serve("echo", async |request: Request| request.into_body()).map_err(broken)?;
    b.endpoint.listen("hold", "lab/1", ServiceOptions::default()).map_err(broken)?;
    let helper = HelperTarget::new(middle.relay.eid(), vec![middle.relay.local_addr()]);
    let mut via = a.endpoint.via(&helper).await.map_err(broken)?;
    via.only_to_reach = true;

    let mut nonce = [run as u8; 16];
    nonce[..8].copy_from_slice(&b.endpoint.eid().as_bytes()[..8]);
    let introduction = |eid, seen| Introduction { eid, addresses: vec![seen], nonce, begin_in: Duration::ZERO };
    let begun = Instant::now();
    let target = Target { eid: b.endpoint.eid(), addresses: vec![b.seen], capability: None, via: vec![via] };
    let connecting = a.endpoint.dial(target).map_err(broken)?;
    a.endpoint.introduced(&introduction(b.endpoint.eid(), b.seen));
    b.endpoint.introduced(&introduction(a.endpoint.eid(), a.seen));
    let connection = connecting.await.map_err(broken)?;
    let _held = connection.open("hold", "lab/1").await.map_err(broken)?;
    let ask = || async {
        let answer = tokio::time::timeout(PATIENCE, connection.request("echo", "word")).await.map_err(broken)?;
        answer.map_err(broken)
    };
    ask().await?;
    let first_byte = begun.elapsed();
    let (mut direct_after, limit) = (None, if case.direct { SOON * 2 } else { SAYS_WHY });
    while begun.elapsed() < limit && direct_after.is_none() {
        if matches!(connection.path(), Some(PathTaken::Direct { .. })) {
            direct_after = Some(begun.elapsed());
        }
        sleep(LOOK).await;
    }
    // What was said on the way from the one to the other comes, too.
    ask().await?;
    let relayed = connection.relayed();
    connection.close(0, "");
    for endpoint in [a.endpoint, b.endpoint] {
        endpoint.close().await;
    }
    Ok(Found { direct_after, first_byte, relayed })
}

/// The kernel's NATs.
pub(super) fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let runs = context.count("runs") as u16;
    let mut table = Table::new(&["", "runs", "direct", "median", "longest", "first answer", "says why"])
        .titled("From the introduction to the direct way");
    let mut plot =
        Plot::new("Direct ways", Axis::new("time after the introduction", "s"), Axis::new("runs that are direct", "%"));
    let (mut figures, mut checks) = (Vec::new(), Vec::new());
    let runtime = hosts::runtime().map_err(fault)?;
    for case in CASES {
        let network = network(&standing(context))?;
        set_up(&network, case)?;
        let middle = runtime.block_on(Middle::begin(&network, &runtime))?;
        let mut found = Vec::new();
        for run in 0..runs {
            context.progress(format_args!("{}, run {} of {runs}", case.name, run + 1));
            found.push(runtime.block_on(meet(&network, &runtime, &middle, case, run))?);
        }
        let mut after: Vec<Duration> = found.iter().filter_map(|found| found.direct_after).collect();
        after.sort_unstable();
        let percent = |count: usize| 100.0 * count as f64 / f64::from(runs);
        let ms = |time: Option<&Duration>| time.map_or("–".to_owned(), |time| format!("{} ms", time.as_millis()));
        let first = found.iter().map(|found| found.first_byte).max();
        let told = found.iter().filter(|found| match case.direct {
            true => found.relayed.is_none(),
            false => found.relayed == Some(Relayed::OwnPorts),
        });
        let told = told.count();
        table.row(vec![
            case.name.to_owned(),
            runs.to_string(),
            after.len().to_string(),
            ms(after.get(after.len() / 2)),
            ms(after.last()),
            ms(first.as_ref()),
            told.to_string(),
        ]);
        let points = after.iter().enumerate().map(|(at, time)| (time.as_secs_f64(), percent(at + 1)));
        plot.series.push(Series::steps(case.name, points.collect()));
        figures.push(json!({
            "case": case.name, "runs": runs, "told": told,
            "direct_after_s": after.iter().map(Duration::as_secs_f64).collect::<Vec<_>>(),
            "first_answer_s": found.iter().map(|found| found.first_byte.as_secs_f64()).collect::<Vec<_>>(),
        }));
        let soon = after.iter().filter(|after| **after <= SOON).count();
        let (what, share) = match case.direct {
            true => ("direct within 2 s", percent(soon)),
            false => ("relayed at the end", percent(usize::from(runs) - after.len())),
        };
        checks.push(Check::new(format!("{}: {what}", case.name), share, "%", ALL));
        checks.push(Check::new(format!("{}: says so, and why", case.name), percent(told), "%", ALL));
    }
    let outcome = Outcome::new(json!({ "cases": figures })).table(table).plot(plot);
    Ok(checks.into_iter().fold(outcome, Outcome::check).note(
        "Each NAT is a network namespace with a rule of nft's, and, as routers at home have it, one that drops what \
         nobody inside has asked for: without that the kernel takes an early datagram from outside for a flow to the \
         router itself, and gives the answer another port. The two ends are introduced by this process, which asks the \
         relay's endpoint where it sees them. Each run has ports of its own.",
    ))
}

#[cfg(test)]
mod tests {
    use super::super::PUNCH;
    use crate::lab::RunError;

    #[test]
    fn nft_masquerade_punches_and_masquerade_random_stays_relayed_and_says_so() {
        let params = PUNCH.params(&["runs=2".to_owned()]).expect("parameters");
        match PUNCH.measure(1, params, true, &|_| {}) {
            Ok(record) => assert!(record.outcome.holds(), "{record}"),
            // Not root, no TUN, or no nft.
            Err(why @ (RunError::Denied(_) | RunError::Environment { .. })) => {
                assert!(std::env::var_os("TNG_NEED_NFT").is_none(), "there are no NATs: {why}");
                eprintln!("there are no NATs: {why}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}
