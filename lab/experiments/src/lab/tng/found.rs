//! Figure 11 by way of a registry: a sender moves, nobody is told, and its peer finds it there.

use core::time::Duration;
use std::io::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::process::{Command, Stdio};

use serde_json::json;
use tng::registry::{Registering, RegistryTarget};
use tng::{Access, Endpoint, Identity, ServiceOptions};
use tng_emulator::transfer::Origin;
use tng_emulator::{Network, Topology, TopologyLink, TopologyNode};
use tng_sim::{Link, topology};
use tokio::runtime::Runtime;
use tokio::time;

use super::fig11::{PROBE_TIMEOUTS, ROUND_TRIPS};
use crate::lab::{Check, Context, Experiment, Goal, Needs, Outcome, Param, RunError, Table, Worlds};
use crate::page::{Axis, Plot, Series};
use crate::peers::helped::real::fault;
use crate::peers::transport::tell;
use crate::peers::trial::network;
use crate::real::{Daemon, tng as hosts};
use crate::settings::{Configured, Settings};

/// Figure 11, found.
pub static FOUND: Experiment = Experiment {
    name: "tng/fig11-registry",
    title: "A sender that moves is found through a registry",
    source: "Tng 6.3, Figure 11, and 3.2",
    claim: "a host that moves without notice, behind a firewall of its peer that lets in answers alone, is found \
            through a registry, and its stream goes on within three probe timeouts and four round trips",
    about: "A client, a server and `tng registry run`, each in a network namespace of its own: the registry is a \
            process of the tool, the two are endpoints of the lab's. The server is registered; the client knows its \
            EID alone, asks the registry, connects, and the server sends without end. Then the server's socket is \
            another one at another of its addresses, and its old one is closed. Before the client stands a firewall of \
            nft's, which lets in what answers something and no more: that the server has moved only the registry can \
            tell. A stall is the longest time without data around the move. Each move is one of a connection of its \
            own. At last, for comparison, the registry is stopped before the move.",
    params: &[
        Param::count("moves", "40", (1, 1_000), "each of a connection of its own"),
        Param::rate("rate", "10mbit", "of the server's link"),
        Param::time("delay", "10ms", "of each link, each way"),
        Param::time("before", "800ms", "that the server sends until it moves"),
        Param::time("behind", "2500ms", "that is looked at from then on"),
    ],
    worlds: Worlds::Real(Needs { root: true, minutes: 4 }),
    seeds: 1,
    vary: &[],
    run,
};

/// Nodes.
const ROUTER: usize = 0;
const OF_REGISTRY: usize = 1;
const CLIENT: usize = 2;
const SERVER: usize = 3;
const NAMES: [&str; 4] = ["router", "registry", "client", "server"];
/// The first port of a run. Each run has others: what a firewall remembers of the one before is of no use to it.
const FIRST_PORT: u16 = 20_000;
const SERVICE: (&str, &str) = ("flow", "lab/1");
/// Bytes that are written, and read, at once.
const CHUNK: usize = 32 << 10;
/// Longest wait for a connection, and its first byte.
const PATIENCE: Duration = Duration::from_secs(15);
/// All of them, in percent.
const ALL: Goal = Goal::AtLeast(100.0);
/// The same without the registry: longer than is allowed.
const TOO_LONG: Goal = Goal::AtLeast(100.0);
/// A move after which the registry is not there.
const LOST: &str = "without the registry";

/// Everybody on a link of their own around a router.
struct Star {
    seed: u64,
    slow: Link,
    fast: Link,
}

impl Configured for Star {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "the server to the router, both ways", &self.slow);
        tell::link(settings, "each other node to the router, both ways", &self.fast);
        settings.set(
            "processes",
            "kind",
            "the tool, with default settings; the registry keeps what it knows in memory",
        );
    }
}

fn stand(context: &Context<'_>) -> Result<Network, RunError> {
    let fast = Link::new().rate(100_000_000).delay(context.time("delay"));
    let slow = fast.clone().rate(context.rate("rate"));
    let Star { seed, slow, fast } = context.world(Star { seed: context.seed, slow, fast });
    let node = |place: usize, addresses: &[u16]| TopologyNode {
        name: NAMES[place].to_owned(),
        addresses: addresses.iter().map(|number| topology::ipv4(*number)).collect(),
        nat: None,
    };
    let spoke = |place: usize, link: &Link| TopologyLink {
        name: format!("to-{}", NAMES[place]),
        a: ROUTER,
        b: place,
        forth: link.clone(),
        back: link.clone(),
    };
    // The server has two addresses.
    let nodes = vec![node(ROUTER, &[]), node(OF_REGISTRY, &[1]), node(CLIENT, &[2]), node(SERVER, &[3, 4])];
    let links = vec![spoke(OF_REGISTRY, &fast), spoke(CLIENT, &fast), spoke(SERVER, &slow)];
    network(&Topology { seed, nodes, links })
}

/// What comes to the client is dropped unless it answers something.
fn firewall(network: &Network) -> Result<(), RunError> {
    let rules = "table ip filter {\nchain in {\ntype filter hook input priority filter\niifname \"lo\" accept\n\
                 ct state new drop\n}\n}\n";
    let set = || -> std::io::Result<()> {
        let mut command = Command::new("nft");
        let mut child = command.args(["-f", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(rules.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        match output.status.success() {
            true => Ok(()),
            false => Err(std::io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
        }
    };
    network.run(CLIENT, set).flatten().map_err(|error| RunError::Environment {
        problem: format!("nft in a network namespace: {error}"),
        remedy: "install nftables, on a kernel with connection tracking".to_owned(),
    })
}

fn broken(error: impl core::fmt::Display) -> RunError {
    RunError::broken(error)
}

/// A move, and what came of it.
struct Move {
    stall_s: f64,
    allowed_s: f64,
}

impl Move {
    fn share(&self) -> f64 {
        100.0 * self.stall_s / self.allowed_s
    }
}

/// Who takes part in a move.
struct Stage<'n> {
    network: &'n Network,
    runtime: &'n Runtime,
    registry: RegistryTarget,
    before: Duration,
    behind: Duration,
}

impl Stage<'_> {
    fn builder(&self, node: usize, at: (IpAddr, u16)) -> Result<tng::Builder, RunError> {
        let socket = hosts::bind(self.network, self.runtime, node, SocketAddr::from(at)).map_err(fault)?;
        let seed = tng::random_seed().map_err(broken)?;
        Ok(Endpoint::builder().identity(Identity::from_seed(seed)).socket(socket))
    }

    /// One move; `act` is called when the server is about to.
    async fn run(&self, number: u16, act: impl FnOnce()) -> Result<Move, RunError> {
        let addresses = |node: usize| &self.network.topology().nodes[node].addresses;
        let port = FIRST_PORT + 2 * number;
        let own = addresses(SERVER);
        let server = self.builder(SERVER, (own[0], port))?.access(Access::Public);
        let server = server.listen(SERVICE.0, SERVICE.1, ServiceOptions::default()).build().await.map_err(broken)?;
        let _registered = server.register(&self.registry, Registering::default()).await.map_err(broken)?;
        let client = self.builder(CLIENT, (addresses(CLIENT)[0], port))?.registry(self.registry.clone());
        let client = client.build().await.map_err(broken)?;
        let (eid, accepting) = (server.eid(), server.clone());
        let sending = async move {
            let connection = accepting.accept().await?.accept().await.ok()?;
            let mut stream = connection.accept().await.ok()?.stream;
            // It ends with its endpoint.
            tokio::spawn(async move { while stream.write_all(&[7; CHUNK]).await.is_ok() {} });
            Some(connection)
        };
        let receiving = async {
            let connection = client.connect(eid).await.map_err(broken)?;
            let mut stream = connection.open(SERVICE.0, SERVICE.1).await.map_err(broken)?;
            stream.write_all(&[0]).await.map_err(broken)?;
            Ok::<_, RunError>((connection, stream))
        };
        let both = async { tokio::join!(sending, receiving) };
        let (sender, received) = time::timeout(PATIENCE, both).await.map_err(|_| broken("no connection in time"))?;
        let (sender, (connection, mut stream)) = (sender.ok_or_else(|| broken("no connection"))?, received?);

        let (origin, mut arrivals) = (Origin::now(), Vec::new());
        let moving = async {
            time::sleep(self.before).await;
            let stats = sender.stats().ok_or_else(|| broken("the server has no path before it moves"))?;
            let allowed_s = PROBE_TIMEOUTS * stats.pto.as_secs_f64() + ROUND_TRIPS * stats.rtt.as_secs_f64();
            act();
            let socket = hosts::bind(self.network, self.runtime, SERVER, SocketAddr::new(own[1], port + 1));
            let at_s = origin.elapsed().as_secs_f64();
            // The old socket is closed with this.
            server.rebind_to(socket.map_err(fault)?).map_err(broken)?;
            time::sleep(self.behind).await;
            Ok::<_, RunError>((at_s, allowed_s))
        };
        let reading = async {
            while let Ok(Some(_)) = stream.read_chunk(CHUNK).await {
                arrivals.push(origin.elapsed().as_secs_f64());
            }
            broken("the stream has ended")
        };
        let (at_s, allowed_s) = tokio::select! {
            moved = moving => moved?,
            ended = reading => return Err(ended),
        };
        let end_s = origin.elapsed().as_secs_f64();
        connection.close(0, "");
        tokio::join!(client.close(), server.close());
        let stall_s = longest_gap(arrivals.into_iter(), (at_s, end_s));
        Ok(Move { stall_s, allowed_s })
    }
}

/// The longest time without an arrival that lasts into a span or begins in it.
fn longest_gap(arrivals: impl Iterator<Item = f64>, (from_s, end_s): (f64, f64)) -> f64 {
    let (mut last, mut longest) = (None, 0.0_f64);
    for at_s in arrivals.chain([end_s]) {
        if at_s >= from_s {
            longest = longest.max(at_s - last.unwrap_or(from_s));
        }
        last = Some(at_s);
    }
    longest
}

fn run(context: &Context<'_>) -> Result<Outcome, RunError> {
    let network = stand(context)?;
    firewall(&network)?;
    let mut daemon = Daemon::registry(&network, OF_REGISTRY).map_err(fault)?;
    let runtime = hosts::runtime().map_err(fault)?;
    let (registry, moves) = (daemon.registry_target(), context.count("moves") as u16);
    let [before, behind] = ["before", "behind"].map(|name| context.time(name));
    let stage = Stage { network: &network, runtime: &runtime, registry, before, behind };
    let mut made = Vec::new();
    for number in 0..moves {
        context.progress(format_args!("move {} of {moves}", number + 1));
        made.push(runtime.block_on(stage.run(number, || ()))?);
    }
    context.progress(LOST);
    let lost = runtime.block_on(stage.run(moves, || daemon.kill()))?;

    made.sort_by(|one, other| one.share().total_cmp(&other.share()));
    let within = made.iter().filter(|made| made.share() <= 100.0).count();
    let percent = |count: usize| 100.0 * count as f64 / made.len() as f64;
    let mut table = Table::new(&["", "stall", "3 PTO + 4 round trips", "of that"]);
    let ms = |seconds: f64| format!("{:.0} ms", seconds * 1e3);
    let last = made.len() - 1;
    let rows = [("the shortest", &made[0]), ("the median", &made[last / 2]), ("the longest", &made[last])];
    for (name, made) in rows.into_iter().chain([(LOST, &lost)]) {
        let share = format!("{:.0} %", made.share());
        table.row(vec![name.to_owned(), ms(made.stall_s), ms(made.allowed_s), share]);
    }
    let points = made.iter().enumerate().map(|(at, made)| (made.share(), percent(at + 1))).collect();
    let plot = Plot::new("Stalls", Axis::new("of 3 PTO and 4 round trips", "%"), Axis::new("moves", "%"));
    let plot = plot.series(Series::steps("through the registry", points));
    let of = |made: &Move| json!({ "stall_s": made.stall_s, "allowed_s": made.allowed_s });
    let results = json!({
        "moves": made.iter().map(of).collect::<Vec<_>>(), "within": within, "lost": of(&lost),
    });
    Ok(Outcome::new(results)
        .table(table)
        .plot(plot)
        .check(
            Check::new("moves that stall no longer than 3 PTO and 4 round trips", percent(within), "%", ALL)
                .paper("a few round trips after the stall"),
        )
        .check(Check::new(format!("{LOST}: stall, of 3 PTO and 4 round trips"), lost.share(), "%", TOO_LONG).ours())
        .note(
            "PTO and round trip are those of the server before it moves; what is allowed includes the look-up. The \
             server's endpoint is told that its socket is another one, and nobody else is. The client finds the server \
             silent, watches it at the registry, which has seen it come from elsewhere, and sends there: that opens the \
             firewall.",
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_the_longest_that_lasts_into_the_span_or_begins_in_it() {
        let of = |arrivals: &[f64]| longest_gap(arrivals.iter().copied(), (1.0, 2.0));
        assert!((of(&[0.2, 0.9, 1.4, 1.5]) - 0.5).abs() < 1e-9, "from 0.9 to 1.4, or from 1.5 to the end");
        assert!((of(&[0.9, 1.9]) - 1.0).abs() < 1e-9);
        assert!((of(&[0.1, 0.8, 0.95, 1.0, 1.5, 2.0]) - 0.5).abs() < 1e-9, "what was before does not count");
        assert!((of(&[]) - 1.0).abs() < 1e-9);
    }
}
