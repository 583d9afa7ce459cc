//! A download between two hosts behind NATs, which know nothing of each other but an EID and a registry: by way of that
//! at first, then directly, and then one of the two comes from another address.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tng_base::Rng;
use tng_emulator::{Names, Network, Topology, TopologyLink, TopologyNode};
use tng_sim::Link;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use super::relays::possible;
use super::site::{Running, Site};
use super::transfer::{Leg, START_MAX, blocking, in_a_folder};
use crate::clock;
use crate::exit::Exit;
use crate::failure::{Failure, reason};
use crate::link::refused;

/// Nodes.
const CORE: usize = 0;
const REGISTRY: usize = 1;
const GATES: [usize; 2] = [2, 3];
const CLIENT: usize = 4;
const SERVER: usize = 5;
/// Where they are: behind the gates on networks of their own.
const REGISTRY_AT: [u8; 4] = [192, 0, 2, 100];
const BEHIND: [[u8; 4]; 2] = [[10, 0, 0, 1], [10, 0, 0, 2]];
/// As what the gates are seen, and as what that of the client is later.
const OUTER: [&str; 2] = ["192.0.2.1", "192.0.2.2"];
const LATER: &str = "192.0.2.3";
/// Devices toward the core, and toward who is behind a gate.
const OUTSIDE: [&str; 2] = ["link1", "link2"];
const INSIDE: [&str; 2] = ["link3", "link4"];
/// Of the lines of both, each way, and of that of the registry.
const RATE_BPS: u64 = 20_000_000;
const DELAY: Duration = Duration::from_millis(15);
const FAST_BPS: u64 = 100_000_000;
/// Bytes of the download: six seconds of it.
const BYTES: u64 = 15_000_000;
/// The client comes from elsewhere so long after the way has become direct.
const MOVES_AFTER: Duration = Duration::from_millis(1_500);
/// How long the way may take to become direct, and a download to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked what has come.
const LOOK: Duration = Duration::from_millis(20);
/// A look in which no more than this has come is one without data: probes and introductions are small.
const LITTLE: u64 = 3_000;

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Reached {
    /// The download.
    pub leg: Leg,
    /// How long it went by way of the registry, until the way was direct.
    pub relayed: Duration,
    /// The longest time without data once the client has come from elsewhere.
    pub stall: Duration,
    /// Introductions that the registry has made.
    pub introductions: u64,
}

/// Fetches a file from behind one NAT to behind another. Nothing is left behind, even if Ctrl-C ends it.
///
/// # Errors
/// If networks or NATs cannot be made here, anything does not arrive as it was sent, or the way is not what it must be.
pub async fn reached(seed: u64) -> Result<Reached, Failure> {
    possible()?;
    in_a_folder(async |folder| all(folder, seed).await).await
}

async fn all(folder: &Path, seed: u64) -> Result<Reached, Failure> {
    let network = spawn_blocking(move || network(seed)).await;
    let network = network.map_err(|error| Failure::new(Exit::Read, WHAT, error))??;
    let site = Site { folder: folder.to_owned(), network };
    let there = folder.join("there");
    let hash = blocking("making a file", move || sow(&there, seed)).await?;

    let registry = site.registry().await?;
    let at = format!("{}@{}:4860", registry.said["eid"].as_str().unwrap_or_default(), IpAddr::from(REGISTRY_AT));
    let serve = ["serve", "there", "--public", "--register", &at, "--key", "server.key"];
    let server = Running::of(site.start(SERVER, "server", &serve)?, "the server").await?;
    let eid = server.said["eid"].as_str().unwrap_or_default().to_owned();
    site.wait_for(&at, &eid).await?;

    let url = format!("tng://{eid}/file");
    let mut client =
        site.start(CLIENT, "client", &["get", "-o", "copy", "--key", "client.key", "--registry", &at, &url])?;
    let (tell, told) = watch::channel(Way::Unknown);
    let began = clock::now();
    let both = tokio::try_join!(listen(&mut client, began, &tell), site.moves(began, told));
    let (ended, Moved { relayed, stall }) = both?;
    let copy = folder.join("copy");
    let copied = blocking("checking", move || Ok(blake3::hash(&fs::read(&copy)?)));
    if copied.await? != hash {
        return Err(Failure::new(Exit::Receive, "file", "it is not what was sent"));
    }
    let status = site.status()?;
    let introductions = status["registry"]["counts"]["introductions"].as_u64().unwrap_or(0);
    drop((server, registry));
    let leg = Leg {
        path: "behind a NAT, to behind another",
        files: "1".to_owned(),
        bytes: BYTES,
        time: ended,
        clock: "real",
        checked: "every byte",
    };
    Ok(Reached { leg, relayed, stall, introductions })
}

const WHAT: &str = "making a network";

fn sow(folder: &Path, seed: u64) -> io::Result<blake3::Hash> {
    fs::create_dir(folder)?;
    let mut content = vec![0; BYTES as usize];
    Rng::from_u64(seed).fill(&mut content);
    fs::write(folder.join("file"), &content)?;
    Ok(blake3::hash(&content))
}

fn network(seed: u64) -> Result<Network, Failure> {
    let node = |name: &str, address: Option<[u8; 4]>| TopologyNode {
        name: name.to_owned(),
        addresses: address.map(IpAddr::from).into_iter().collect(),
        nat: None,
    };
    let link = |name: &str, (a, b): (usize, usize), (rate, delay): (u64, Duration)| {
        let both = Link::new().rate(rate).delay(delay);
        TopologyLink { name: name.to_owned(), a, b, forth: both.clone(), back: both }
    };
    let (line, at_home) = ((RATE_BPS, DELAY), (FAST_BPS, Duration::from_micros(100)));
    let topology = Topology {
        seed,
        nodes: vec![
            node("core", None),
            node("registry", Some(REGISTRY_AT)),
            node("gate-a", None),
            node("gate-b", None),
            node("client", Some(BEHIND[0])),
            node("server", Some(BEHIND[1])),
        ],
        links: vec![
            link("registry", (REGISTRY, CORE), (FAST_BPS, Duration::from_millis(5))),
            link("outside-a", (GATES[0], CORE), line),
            link("outside-b", (GATES[1], CORE), line),
            link("inside-a", (CLIENT, GATES[0]), at_home),
            link("inside-b", (SERVER, GATES[1]), at_home),
        ],
    };
    let network = Network::start(&topology, &Names::Private).map_err(|error| refused(WHAT, &error))?;
    for (place, gate) in GATES.into_iter().enumerate() {
        let (outside, outer) = (OUTSIDE[place], OUTER[place]);
        // As routers at home have it: what nobody inside has asked for is dropped.
        let rules = format!(
            "table ip nat {{\nchain out {{\ntype nat hook postrouting priority srcnat\n\
             oifname \"{outside}\" masquerade\n}}\n}}\n\
             table ip filter {{\n\
             chain in {{\ntype filter hook input priority filter\niifname \"{outside}\" ct state new drop\n}}\n\
             chain on {{\ntype filter hook forward priority filter\niifname \"{outside}\" ct state new drop\n}}\n}}\n",
        );
        tool(&network, gate, "nft", &["-f", "-"], &rules)?;
        ip(&network, gate, &stands_at(outside, outer))?;
        ip(&network, CORE, &format!("route add {outer}/32 dev {outside}\n"))?;
        let end = if place == 0 { CLIENT } else { SERVER };
        ip(&network, end, &format!("route replace 192.0.2.0/24 dev {}\n", INSIDE[place]))?;
    }
    ip(&network, REGISTRY, "route replace 192.0.2.0/24 dev link0\n")?;
    Ok(network)
}

/// What gives a gate an address outside.
fn stands_at(device: &str, address: &str) -> String {
    format!("address add {address}/32 dev {device}\nroute replace 192.0.2.0/24 dev {device} src {address}\n")
}

fn ip(network: &Network, node: usize, batch: &str) -> Result<(), Failure> {
    tool(network, node, "ip", &["-batch", "-"], batch)
}

/// Runs a program on a node, and gives it this to read.
fn tool(network: &Network, node: usize, program: &'static str, args: &[&str], input: &str) -> Result<(), Failure> {
    network.run_tool(node, program, args, input).map_err(|error| {
        Failure::new(Exit::NoProgram, format!("{program} in a network namespace"), reason(&error))
            .or_try("install iproute2 and nftables, on a kernel with connection tracking")
    })
}

/// By which way the client goes, as it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Unknown,
    Relayed,
    Direct,
    /// It has ended.
    Over,
}

/// Hears a client out, and tells by which way it goes; answers how long it took.
async fn listen(client: &mut Child, began: Instant, tell: &watch::Sender<Way>) -> Result<Duration, Failure> {
    // To wait for it would close that.
    let _stdin = client.stdin.take();
    let stdout = client.stdout.take().ok_or_else(|| Failure::new(Exit::Read, "fetching", "no output"))?;
    let (mut lines, mut last) = (BufReader::new(stdout).lines(), String::new());
    let is = |way| {
        tell.send_replace(way);
    };
    while let Some(line) = lines.next_line().await.map_err(|error| Failure::read("listening to the client", &error))? {
        let event: Value = serde_json::from_str(&line).unwrap_or_default();
        match (event["event"].as_str(), event["path"].as_str()) {
            (Some("connected"), Some(path)) if path.starts_with("via ") => is(Way::Relayed),
            (Some("connected"), path) => {
                let path = path.unwrap_or("none").to_owned();
                return Err(Failure::new(Exit::Partial, "the first path", format!("{path}, and not by the registry")));
            }
            (Some("back"), Some("direct")) => is(Way::Direct),
            _ => {}
        }
        last = line;
    }
    let ended = client.wait().await.map_err(|error| Failure::read("waiting for the client", &error))?;
    is(Way::Over);
    match ended.success() {
        true => Ok(began.elapsed()),
        false => Err(Failure::new(Exit::Partial, format!("the client ended with {ended}"), last)),
    }
}

/// When what happened.
struct Moved {
    relayed: Duration,
    stall: Duration,
}

impl Site {
    /// A relay that is a registry.
    async fn registry(&self) -> Result<Running, Failure> {
        let place = |name: &str| self.folder.join(name).display().to_string();
        let own = IpAddr::from(REGISTRY_AT);
        let text = format!(
            "[relay]\nlisten = '{own}:4860'\nown = ['{own}']\nonward = ['192.0.2.0/24']\nkey = '{}'\nsecret = '{}'\n\
             control = '{}'\n[terms]\nanyone = true\n[registry]\nstore = 'memory'\n",
            place("relay.key"),
            place("relay.secret"),
            place("relay.sock"),
        );
        let config = place("relay.toml");
        fs::write(&config, text).map_err(|error| Failure::write(format!("writing {config}"), &error))?;
        Running::of(self.start(REGISTRY, "registry", &["relay", "run", "--config", &config])?, "the registry").await
    }

    /// What it tells of itself.
    fn status(&self) -> Result<Value, Failure> {
        use crate::daemon::control::{Socket, ask};
        let socket = Socket::named(self.folder.join("relay.sock"), "the demo");
        ask(crate::relay::RELAY, &socket, "status")
    }

    /// Waits until a host is found.
    async fn wait_for(&self, at: &str, eid: &str) -> Result<(), Failure> {
        let began = clock::now();
        while began.elapsed() < START_MAX {
            let look = ["registry", "lookup", "--registry", at, "--key", "look.key", eid];
            let mut looking = self.start(SERVER, "look-up", &look)?;
            let _stdin = looking.stdin.take();
            let ended = looking.wait().await.map_err(|error| Failure::read("looking the server up", &error))?;
            if ended.success() {
                return Ok(());
            }
            tokio::time::sleep(LOOK * 5).await;
        }
        Err(Failure::new(Exit::Resolve, "the server", "it is not registered in time"))
    }

    /// Gives the client's gate another address some time after the way has become direct, and nobody is told.
    async fn moves(&self, began: Instant, mut told: watch::Receiver<Way>) -> Result<Moved, Failure> {
        let failed = |why: &str| Failure::new(Exit::Partial, "the way", why);
        let settled = |way: &Way| matches!(way, Way::Direct | Way::Over);
        let direct = tokio::time::timeout(PATIENCE, told.wait_for(settled)).await;
        if !direct.is_ok_and(|way| way.is_ok_and(|way| *way == Way::Direct)) {
            return Err(failed("it has not become direct"));
        }
        let relayed = began.elapsed();
        tokio::time::sleep(MOVES_AFTER).await;
        if *told.borrow() == Way::Over {
            return Err(failed("the download was over before the client could come from elsewhere"));
        }
        let [outside, _] = OUTSIDE;
        ip(&self.network, CORE, &format!("route add {LATER}/32 dev {outside}\nroute delete {}/32\n", OUTER[0]))?;
        let away = format!("{}address delete {}/32 dev {outside}\n", stands_at(outside, LATER), OUTER[0]);
        ip(&self.network, GATES[0], &away)?;
        let (mut had, mut quiet_since, mut stall) = (self.came()?, clock::now(), Duration::ZERO);
        while *told.borrow() != Way::Over && began.elapsed() < PATIENCE {
            tokio::time::sleep(LOOK).await;
            let has = self.came()?;
            if has - had > LITTLE {
                stall = stall.max(quiet_since.elapsed());
                quiet_since = clock::now();
            }
            had = has;
        }
        Ok(Moved { relayed, stall })
    }

    /// Bytes that have come to the client's device.
    fn came(&self) -> Result<u64, Failure> {
        let read = || fs::read_to_string("/proc/thread-self/net/dev");
        let table = self.network.run(CLIENT, read).and_then(|read| read);
        let table = table.map_err(|error| Failure::read("looking at a device", &error))?;
        let line = table.lines().find_map(|line| line.trim().strip_prefix(INSIDE[0])?.strip_prefix(':'));
        let bytes = line.and_then(|counts| counts.split_whitespace().next()?.parse().ok());
        bytes.ok_or_else(|| Failure::new(Exit::Read, "looking at a device", "it has no counts"))
    }
}
