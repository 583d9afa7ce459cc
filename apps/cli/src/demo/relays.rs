//! A download over a long and lossy way between network namespaces: direct, by way of two relays, and by way of relays
//! that are killed in the middle of it.

use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use serde_json::Value;
use tng_base::Rng;
use tng_emulator::{Names, Network, hindrance};
use tng_experiments::Scenario;
use tokio::task::spawn_blocking;

use super::site::{Running, Site};
use super::transfer::{Leg, blocking, heard_out, in_a_folder};
use crate::clock;
use crate::daemon::control::{self, Socket};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::link::refused;

/// The nodes of the network that do something.
const CLIENT: usize = 0;
const SERVER: usize = 1;
const RELAYS: [usize; 2] = [2, 3];

/// The relays, as the client's configuration calls them, and where they are.
const NAMES: [&str; 2] = ["near", "far"];
const ADDRESSES: [&str; 2] = ["10.0.1.2", "10.0.2.2"];

/// Bytes of the downloads that are timed, and of the one in whose middle the relays are killed.
const TIMED: u64 = 1_000_000;
const KILLED: u64 = 8_000_000;

/// The relays are killed so long after that download began, and started again so much later.
const KILLED_AFTER: Duration = Duration::from_millis(1_500);
const AWAY: Duration = Duration::from_millis(300);

/// A line, and two sites.
const LINKS: &str = r#"
    [[node]]
    name = "client"
    addresses = ["10.0.1.1"]
    [[node]]
    name = "server"
    addresses = ["10.0.2.1"]
    [[node]]
    name = "near"
    addresses = ["10.0.1.2"]
    [[node]]
    name = "far"
    addresses = ["10.0.2.2"]
    [[node]]
    name = "site 1"
    kind = "router"
    [[node]]
    name = "site 2"
    kind = "router"
    [[link]]
    between = ["client", "site 1"]
    [[link]]
    between = ["near", "site 1"]
    [[link]]
    between = ["server", "site 2"]
    [[link]]
    between = ["far", "site 2"]
    [[link]]
    between = ["site 1", "site 2"]
    rate = "20mbit"
    delay = "40ms"
    loss = "1%"
    queue = { time = "100ms" }
"#;

/// What each relay leases of the line: a little less than it carries, headers not counted.
const LEASED: &str = "18mbit";

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Relayed {
    /// Direct; by way of the relays; by way of relays that are killed.
    pub legs: [Leg; 3],
    /// How often the killed ones were used: once before, and again after that.
    pub joins: u64,
}

/// Fetches the same over the line in each of the three ways. Nothing is left behind, even if Ctrl-C ends it.
///
/// # Errors
/// If networks cannot be made here, anything does not arrive as it was sent, or the relays do not help.
pub async fn relayed(seed: u64) -> Result<Relayed, Failure> {
    possible()?;
    in_a_folder(async |folder| all(folder, seed).await).await
}

/// Whether this machine lets the process have networks.
///
/// # Errors
/// What is missing, by name, and what to do about it.
pub fn possible() -> Result<(), Failure> {
    hindrance().map_err(|error| refused(WHAT, &error))
}

async fn all(folder: &Path, seed: u64) -> Result<Relayed, Failure> {
    let network = spawn_blocking(move || network(seed)).await;
    let network = network.map_err(|error| Failure::new(Exit::Read, "making a network", error))??;
    let site = Site { folder: folder.to_owned(), network };
    let there = folder.join("there");
    let [timed, killed] = blocking("making files", move || File::both(&there, seed)).await?;

    let server = site.start(
        SERVER,
        "server",
        // What most of TCP has: under bbr, the default, the direct way is as fast.
        &["serve", "there", "--public", "-C", "cubic", "--bind", "10.0.2.1:4860", "--key", "server.key"],
    )?;
    let server = Running::of(server, "the server").await?;
    let url = server.said["url"].as_str().unwrap_or_default().trim_end_matches('/');
    let relays = site.relays().await?;
    site.name(&relays).map_err(|error| Failure::write("naming the relays", &error))?;

    let direct = site.fetch(url, &timed, &[]).await?;
    let helped = site.fetch(url, &timed, &NAMES).await?;
    let killing = async {
        tokio::time::sleep(KILLED_AFTER).await;
        for mut relay in relays {
            relay.child.kill().await.map_err(|error| Failure::read("killing a relay", &error))?;
        }
        tokio::time::sleep(AWAY).await;
        site.relays().await
    };
    let (survived, again) = tokio::try_join!(site.fetch(url, &killed, &NAMES), killing)?;
    let joins = site.joins().await?;
    drop((server, again));
    if joins == 0 {
        return Err(Failure::new(Exit::Partial, "the relays", "they were not used again after they had been killed"));
    }
    let leg = |path, bytes, time| {
        let (files, clock, checked) = ("1".to_owned(), "real", "every byte");
        Leg { path, files, bytes, time, clock, checked }
    };
    let legs = [
        leg("to the other site, direct, under cubic", timed.bytes, direct),
        leg("the same by way of two relays", timed.bytes, helped),
        leg("by way of relays that are killed", killed.bytes, survived),
    ];
    Ok(Relayed { legs, joins })
}

fn network(seed: u64) -> Result<Network, Failure> {
    let text = format!("world.seed = {seed}\n{LINKS}");
    let none: [&str; 0] = [];
    let scenario = Scenario::parse_network(&text, &none).map_err(|error| Failure::new(Exit::Read, WHAT, error))?;
    Network::start(&scenario.topology(), &Names::Private).map_err(|error| refused(WHAT, &error))
}

const WHAT: &str = "making a network";

/// A file that is fetched.
struct File {
    name: &'static str,
    bytes: u64,
    hash: [u8; 32],
}

impl File {
    fn both(folder: &Path, seed: u64) -> io::Result<[File; 2]> {
        fs::create_dir(folder)?;
        let mut rng = Rng::from_u64(seed);
        let mut sow = |name, bytes| -> io::Result<File> {
            let mut content = vec![0; bytes as usize];
            rng.fill(&mut content);
            fs::write(folder.join(name), &content)?;
            Ok(File { name, bytes, hash: blake3::hash(&content).into() })
        };
        Ok([sow("timed", TIMED)?, sow("killed", KILLED)?])
    }
}

impl Site {
    /// Starts both relays, with the secrets that they have had before.
    async fn relays(&self) -> Result<[Running; 2], Failure> {
        Ok([self.relay(0).await?, self.relay(1).await?])
    }

    async fn relay(&self, which: usize) -> Result<Running, Failure> {
        let (name, own, other) = (NAMES[which], ADDRESSES[which], ADDRESSES[1 - which]);
        let place = |suffix: &str| self.folder.join(format!("{name}.{suffix}")).display().to_string();
        let text = format!(
            "[relay]\nlisten = '{own}:4860'\nown = ['{own}']\nonward = ['10.0.0.0/8']\nkey = '{}'\nsecret = '{}'\n\
             control = '{}'\n[terms]\nanyone = true\n\
             [[neighbourhood]]\nnetwork = '{other}/32'\nlease = {{ rate = '{LEASED}' }}\n",
            place("key"),
            place("secret"),
            place("sock"),
        );
        let config = place("toml");
        fs::write(&config, text).map_err(|error| Failure::write(format!("writing {config}"), &error))?;
        Running::of(self.start(RELAYS[which], name, &["relay", "run", "--config", &config])?, name).await
    }

    /// Tells the client which relays there are.
    fn name(&self, relays: &[Running; 2]) -> io::Result<()> {
        let folder = self.folder.join("tng");
        fs::create_dir(&folder)?;
        let host = |((name, address), relay): ((&str, &str), &Running)| {
            format!("[hosts.{name}]\neid = {}\naddress = '{address}:4860'\n", relay.said["eid"])
        };
        let hosts: String = NAMES.into_iter().zip(ADDRESSES).zip(relays).map(host).collect();
        fs::write(folder.join("config.toml"), hosts)
    }

    /// Fetches a file by way of these relays, and compares it: how long it took.
    async fn fetch(&self, url: &str, file: &File, via: &[&str]) -> Result<Duration, Failure> {
        let (began, url) = (clock::now(), format!("{url}/{}", file.name));
        let mut args = vec!["get", "-o", "copy", "--key", "client.key", &url];
        via.iter().for_each(|name| args.extend(["--via", name]));
        let mut client = self.start(CLIENT, "client", &args)?;
        let events = heard_out(&mut client).await?;
        let time = began.elapsed();
        let connected = events.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let connected = connected.into_iter().find(|event| event["event"] == "connected").unwrap_or_default();
        let way = if via.is_empty() { "direct".to_owned() } else { format!("via {}", via.join(", ")) };
        if connected["path"] != *way {
            return Err(Failure::new(Exit::Partial, "the path", format!("{}, and not {way}", connected["path"])));
        }
        let copy = self.folder.join("copy");
        let hash = blocking("checking", move || {
            let content = fs::read(&copy)?;
            fs::remove_file(&copy)?;
            Ok(blake3::hash(&content))
        });
        match hash.await?.as_bytes() == &file.hash {
            true => Ok(time),
            false => Err(Failure::new(Exit::Receive, file.name, "it is not what was sent")),
        }
    }

    /// How often the relays that run now were joined, the one less.
    async fn joins(&self) -> Result<u64, Failure> {
        let mut least = u64::MAX;
        for name in NAMES {
            let socket = Socket::named(self.folder.join(format!("{name}.sock")), "the demo");
            let status = spawn_blocking(move || control::ask(crate::relay::RELAY, &socket, "status")).await;
            let status = status.map_err(|error| Failure::new(Exit::Read, "asking a relay", error))??;
            least = least.min(status["counts"]["joins"].as_u64().unwrap_or(0));
        }
        Ok(least)
    }
}
