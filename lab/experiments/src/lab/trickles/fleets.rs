//! What the experiments with real servers have in common: a star of nodes, downloads one after the other, and what is
//! done to the servers meanwhile.

use core::time::Duration;

use tng_base::Rng;
use tng_emulator::transfer::Origin;
use tng_emulator::{Network, Topology, TopologyLink, TopologyNode};
use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, topology};
use tng_trickles::SKEW_MAX;

use crate::lab::{Context, RunError};
use crate::peers::helped::real::fault;
use crate::peers::transport::tell;
use crate::peers::trial::network;
use crate::real::{Fetched, Fleet};
use crate::settings::{Configured, Settings};

/// The nodes: a router, and around it the clients, perhaps a sprayer, and the servers.
const ROUTER: usize = 0;
pub(super) const CLIENTS: usize = 1;
pub(super) const SPRAYER: usize = 2;
pub(super) const SERVERS: usize = 3;

/// How often it is looked what has happened.
const LOOK: Duration = Duration::from_millis(5);
/// No download takes longer.
const LIMIT: Duration = Duration::from_secs(300);
/// What waits for a link that is not the bottleneck.
const FAST_BPS: u64 = 1_000_000_000;
/// From this age on a server takes what others have given out whose clocks may differ by so much.
pub(super) const fn settled(skew: Duration) -> Duration {
    Duration::from_secs(1).saturating_add(skew)
}

/// Which links are the bottleneck.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bottleneck {
    /// That of the clients.
    Clients,
    /// That of each server.
    Servers,
}

/// Servers, clients and a sprayer, each on a link of its own around a router.
#[derive(Clone, Debug)]
pub(super) struct Star {
    pub(super) seed: u64,
    pub(super) servers: usize,
    pub(super) slow: Link,
    pub(super) bottleneck: Bottleneck,
}

impl Configured for Star {
    fn tell(&self, settings: &mut Settings) {
        let Star { seed: _, servers, slow, bottleneck } = self;
        let (clients, server) = match bottleneck {
            Bottleneck::Clients => (slow, &fast()),
            Bottleneck::Servers => (&fast(), slow),
        };
        tell::link(settings, "clients to the router, both ways", clients);
        tell::link(settings, "each server to the router, both ways", server);
        settings.set("processes", "kind", "the tool, with default settings");
        settings.set("processes", "servers", servers);
    }
}

impl Star {
    /// The nodes and links alone.
    ///
    /// # Errors
    /// If there can be no networks here.
    pub(super) fn network(&self) -> Result<Network, RunError> {
        let Star { seed, servers, slow, bottleneck } = self;
        let node = |place: usize| TopologyNode {
            name: match place {
                ROUTER => "router".to_owned(),
                CLIENTS => "clients".to_owned(),
                SPRAYER => "sprayer".to_owned(),
                server => format!("server-{}", server - SERVERS),
            },
            addresses: if place == ROUTER { Vec::new() } else { vec![topology::ipv4(place as u16)] },
            nat: None,
        };
        let spoke = |place: usize| {
            let is_slow = match bottleneck {
                Bottleneck::Clients => place == CLIENTS,
                Bottleneck::Servers => place >= SERVERS,
            };
            let link = if is_slow { slow.clone() } else { fast() };
            TopologyLink { name: format!("to-{place}"), a: ROUTER, b: place, forth: link.clone(), back: link }
        };
        let (nodes, links) = ((0..SERVERS + servers).map(node).collect(), (1..SERVERS + servers).map(spoke).collect());
        network(&Topology { seed: *seed, nodes, links })
    }
}

fn fast() -> Link {
    Link::new().rate(FAST_BPS)
}

/// A link of the experiment's rate, round trip and queue.
pub(super) fn slow(context: &Context<'_>) -> Link {
    let (rate, queue) = (context.rate("rate"), context.time("queue"));
    let bytes = (rate as f64 / 8.0 * queue.as_secs_f64()) as u64;
    Link::new().rate(rate).delay(context.time("rtt") / 2).queue(QueueConfig::DropTail(Limit::Bytes(bytes)))
}

/// What stands: the network, and servers on it that run and take what each other gives out.
pub(super) struct Standing {
    pub(super) network: Network,
    pub(super) fleet: Fleet,
}

impl Standing {
    /// Everything, with a file of so many bytes.
    ///
    /// # Errors
    /// If there can be no network, or a server does not begin.
    pub(super) fn begin(context: &Context<'_>, star: Star, bytes: u64) -> Result<Standing, RunError> {
        let star = context.world(star);
        let network = star.network()?;
        let places: Vec<usize> = (SERVERS..SERVERS + star.servers).collect();
        let mut fleet = Fleet::new(&network, &places, bytes, &mut Rng::from_u64(star.seed)).map_err(fault)?;
        for which in 0..star.servers {
            fleet.start(&network, which).map_err(fault)?;
        }
        pause(settled(SKEW_MAX));
        Ok(Standing { network, fleet })
    }

    /// Fetches the file again and again by a policy, from all servers, until `enough`; `act` is called all the while
    /// with the time since the beginning.
    ///
    /// # Errors
    /// If a client fails, or `act` does.
    pub(super) fn fetch(
        &mut self,
        policy: &str,
        mut enough: impl FnMut(usize) -> bool,
        mut act: impl FnMut(Duration, &mut Fleet, &Network) -> Result<(), RunError>,
    ) -> Result<Visits, RunError> {
        let Standing { network, fleet } = self;
        let all: Vec<usize> = (0..fleet.len()).collect();
        let (origin, mut visits) = (Origin::now(), Visits::default());
        while !enough(visits.fetched.len()) {
            let mut download = fleet.download(network, CLIENTS, policy, &all).map_err(fault)?;
            let (mut had, mut since) = (0, origin.elapsed());
            let took = loop {
                let now = origin.elapsed();
                act(now, fleet, network)?;
                let bytes = download.bytes();
                if bytes != had {
                    visits.longest = visits.longest.max(now.saturating_sub(since));
                    (had, since) = (bytes, now);
                }
                if let Some(took) = download.has_ended() {
                    break took;
                }
                if now.saturating_sub(since) > LIMIT {
                    return Err(RunError::broken("nothing comes any more"));
                }
                origin.rest_until(now + LOOK);
            };
            visits.fetched.push(fleet.fetched(&download, took).map_err(fault)?);
        }
        Ok(visits)
    }
}

/// Lets time pass.
pub(super) fn pause(time: Duration) {
    Origin::now().rest_until(time);
}

/// What became of downloads, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Visits {
    pub(super) fetched: Vec<Fetched>,
    /// The longest time in which nothing was written.
    pub(super) longest: Duration,
}

impl Visits {
    /// Share of them that are whole.
    pub(super) fn whole(&self) -> f64 {
        self.fetched.iter().filter(|one| one.is_whole).count() as f64 / self.fetched.len() as f64
    }

    /// Connections beyond the first of each.
    pub(super) fn again(&self) -> u64 {
        self.fetched.iter().map(|one| one.connections.saturating_sub(1)).sum()
    }

    /// Timeouts that they asked for.
    pub(super) fn timeouts(&self) -> u64 {
        self.fetched.iter().map(|one| one.timeouts).sum()
    }

    /// Packets that they took for lost, of all that came.
    pub(super) fn lost(&self) -> (u64, u64) {
        let sum = |of: fn(&Fetched) -> u64| self.fetched.iter().map(of).sum();
        (sum(|one| one.lost), sum(|one| one.packets))
    }

    /// Bits of files, each of so many bytes, in a second.
    pub(super) fn goodput_bps(&self, bytes: u64) -> f64 {
        let time: Duration = self.fetched.iter().map(|one| one.took).sum();
        self.fetched.len() as f64 * bytes as f64 * 8.0 / time.as_secs_f64()
    }

    /// What the first said that failed, if one did.
    pub(super) fn failure(&self) -> String {
        self.fetched.iter().find_map(|one| one.failure.clone()).unwrap_or_default()
    }
}
