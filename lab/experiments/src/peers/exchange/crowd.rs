//! Many clients and their servers, who share a link.

use core::net::IpAddr;
use core::time::Duration;

use tng_base::Instant;
use tng_sim::{LaneStats, Link, LinkId, NodeId, fork, topology};

use super::client::{Errand, Loaded, Record};
use super::dispatch::{self, Dispatch};
use super::party::{Lots, PartyWorld, Seat};
use super::world::{ExchangeError, Way};
use crate::peers::transport::{Held, tell};
use crate::settings::{Configured, Settings};

/// A server.
#[derive(Clone, PartialEq, Debug)]
pub struct Origin {
    /// What it speaks.
    pub way: Way,
    /// What leads from it to the shared link, and back.
    pub access: Link,
}

/// A client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit {
    /// Its server, counted from zero; it speaks as that does.
    pub server: usize,
    /// Over Trickles: further servers that it may turn to. It takes the nearest for each connection, and goes on with
    /// another when that does not answer.
    pub replicas: Vec<usize>,
    /// What it is there for.
    pub errand: Errand,
}

impl Visit {
    /// A client of one server.
    pub fn new(server: usize, errand: Errand) -> Visit {
        Visit { server, replicas: Vec::new(), errand }
    }
}

/// A server's process ends, with everything that it knew, and another is there later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kill {
    /// Which, counted from zero.
    pub server: usize,
    /// When.
    pub at: Duration,
    /// How long nothing is there.
    pub down: Duration,
}

/// Servers on one side of a link, clients on the other. Each host has an access link of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Crowd {
    /// Decides every lot.
    pub seed: u64,
    /// The congestion controller, by name.
    pub controller: String,
    /// The shared link, from the servers to the clients.
    pub down: Link,
    /// The shared link, from the clients to the servers.
    pub up: Link,
    /// What leads from the shared link to each client, and back.
    pub client_access: Link,
    /// The servers.
    pub servers: Vec<Origin>,
    /// The clients.
    pub clients: Vec<Visit>,
    /// Whether all servers are one address to clients, and which then has a packet.
    pub dispatch: Option<Dispatch>,
    /// What befalls the servers.
    pub kills: Vec<Kill>,
}

/// Hosts draw from streams of the world's lots by their number, and by what it is for.
mod lot {
    pub(super) const SERVER: u64 = 1 << 20;
    pub(super) const SERVER_KEY: u64 = 2 << 20;
    pub(super) const CLIENT: u64 = 3 << 20;
    pub(super) const CLIENT_KEY: u64 = 4 << 20;
    /// The lots of a server's next process are so much further.
    pub(super) const LIFE: u64 = 1 << 32;
}

/// Most servers and clients of a crowd.
pub const CROWD_MAX: usize = 10_000;

impl Configured for Crowd {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "shared link, servers to clients", &self.down);
        tell::link(settings, "shared link, clients to servers", &self.up);
        tell::link(settings, "links of clients", &self.client_access);
        for (number, Origin { way, access }) in self.servers.iter().enumerate() {
            tell::link(settings, "links of servers", access);
            let first = self.servers[..number].iter().all(|other| other.way != *way);
            if first {
                let part = format!("hosts that speak {way}");
                way.tell(settings, &part, &self.controller);
                let servers = self.servers.iter().filter(|other| other.way == *way).count();
                let clients = self.clients.iter().filter(|visit| self.servers[visit.server].way == *way);
                settings.set(&part, "servers", servers);
                settings.set(&part, "clients", clients.clone().count());
                for Visit { server: _, replicas, errand: Errand { habit, steps: _, perseveres } } in clients {
                    settings.describe(&part, habit);
                    if !replicas.is_empty() {
                        settings.set(&part, "servers to choose from", 1 + replicas.len());
                    }
                    settings.set(&part, "perseveres", perseveres);
                }
            }
        }
        if let Some(dispatch) = self.dispatch {
            settings.set("servers", "dispatch", format_args!("{dispatch:?}"));
        }
        if self.has_replicas() {
            settings.set("servers", "sites", "each has its own");
        }
        for kill in &self.kills {
            settings.describe("killed server", kill);
        }
    }
}

impl Crowd {
    fn server_at(number: usize) -> IpAddr {
        topology::ipv4(number as u16)
    }

    fn client_at(&self, number: usize) -> IpAddr {
        topology::ipv4((self.servers.len() + number) as u16)
    }

    fn has_replicas(&self) -> bool {
        self.clients.iter().any(|visit| !visit.replicas.is_empty())
    }

    fn key_of(&self, server: usize) -> tng_base::Rng {
        // Of one address, or of one list, all have one identity.
        let server = if self.dispatch.is_some() || self.has_replicas() { 0 } else { server };
        fork(self.seed, lot::SERVER_KEY + server as u64)
    }

    /// Where a server's process sits, the `life`th there, counted from zero.
    fn server_seat(&self, number: usize, life: u64) -> Seat<'_> {
        let own = fork(self.seed, lot::SERVER + number as u64 + life * lot::LIFE);
        let lots = Lots { own, key: self.key_of(number) };
        // Those of a list are far from each other, those of one address are near.
        let site = if self.has_replicas() { number as u16 } else { 0 };
        let (way, at) = (self.servers[number].way, Crowd::server_at(number));
        Seat { way, controller: &self.controller, at, site, lots }
    }

    /// Makes its world; nothing has happened in it.
    ///
    /// # Errors
    /// If there is no such controller on one of its ways.
    ///
    /// # Panics
    /// If a client's server does not exist, or there are more than [`CROWD_MAX`] of either.
    pub fn begin(&self) -> Result<Scene, ExchangeError> {
        assert!(self.servers.len().max(self.clients.len()) <= CROWD_MAX, "at most {CROWD_MAX} servers and clients");
        let mut world = PartyWorld::new(self.seed);
        let (near, far) = (world.router("near"), world.router("far"));
        let shared = world.connect_with(near, far, &self.down, &self.up);
        let (mut servers, mut answers) = (Vec::new(), Vec::new());
        for (number, Origin { way, access }) in self.servers.iter().enumerate() {
            let at = Crowd::server_at(number);
            let id = world.host(&format!("server{number}"), &[at], self.server_seat(number, 0).server(Instant::ZERO)?);
            answers.push(world.connect(id, near, access));
            way.seat(&mut world, id);
            servers.push(id);
        }
        let (mut clients, mut asks) = (Vec::new(), Vec::new());
        for (number, Visit { server, replicas, errand }) in self.clients.iter().enumerate() {
            let (way, at) = (self.servers[*server].way, self.client_at(number));
            let lots = [lot::CLIENT, lot::CLIENT_KEY].map(|kind| fork(self.seed, kind + number as u64));
            let [own, key] = lots;
            let seat = Seat { way, controller: &self.controller, at, site: 0, lots: Lots { own, key } };
            let to = if self.dispatch.is_some() { dispatch::SHARED } else { Crowd::server_at(*server) };
            let others: Vec<IpAddr> = replicas.iter().map(|server| Crowd::server_at(*server)).collect();
            let node = seat.client(to, &others, self.key_of(*server), errand.clone())?;
            let id = world.host(&format!("client{number}"), &[at], node);
            asks.push(world.connect(id, far, &self.client_access));
            way.seat(&mut world, id);
            clients.push((id, way));
        }
        if let (Some(dispatch), Some(first)) = (self.dispatch, servers.first()) {
            // Routers know the way to it; no packet for it comes to the host.
            world.add_address(*first, dispatch::SHARED, None);
            let lanes = |links: &[LinkId]| links.iter().map(|link| link.forth()).collect::<Vec<_>>();
            let at = (0..servers.len()).map(Crowd::server_at).collect();
            dispatch::install(&mut world, dispatch, at, &lanes(&asks), &lanes(&answers));
        }
        for (life, kill) in (1..).zip(&self.kills) {
            let (id, ruin) = (servers[kill.server], self.server_seat(kill.server, 0).ruin()?);
            let at = Instant::ZERO + kill.at;
            let fresh = self.server_seat(kill.server, life).server(at + kill.down)?;
            world.at(at, move |world| {
                world.stop(id);
                if let Some(ruin) = ruin {
                    world.start(id, ruin);
                }
            });
            world.at(at + kill.down, move |world| world.start(id, fresh));
        }
        Ok(Scene { world, shared, servers, clients })
    }
}

/// A crowd under way.
pub struct Scene {
    world: PartyWorld,
    shared: LinkId,
    servers: Vec<NodeId>,
    clients: Vec<(NodeId, Way)>,
}

fn record(world: &PartyWorld, client: NodeId) -> Option<&Record> {
    world.running(client).and_then(|party| party.record())
}

impl Scene {
    fn records(&self) -> impl Iterator<Item = (&Record, Way)> {
        self.clients.iter().filter_map(|(id, way)| Some((record(&self.world, *id)?, *way)))
    }

    /// Lets time pass until `at` after the start.
    pub fn run_until(&mut self, at: Duration) {
        self.world.run_until(Instant::ZERO + at);
    }

    /// The shared link carries nothing from `from` to `to` after the start.
    pub fn unplug(&mut self, from: Duration, to: Duration) {
        self.world.outage(self.shared, Instant::ZERO + from, Instant::ZERO + to);
    }

    /// Lets time pass until every client is done or one has failed, but not beyond `limit`. What each loaded.
    ///
    /// # Errors
    /// What a client failed at, or that the time was not enough.
    pub fn finish(&mut self, limit: Duration) -> Result<Vec<Vec<Loaded>>, ExchangeError> {
        let clients = &self.clients;
        let over = |world: &PartyWorld| {
            let mut left = 0_usize;
            for (id, _) in clients {
                match record(world, *id) {
                    Some(record) if record.has_failed() => return true,
                    Some(record) if record.is_over() => {}
                    _ => left += 1,
                }
            }
            left == 0
        };
        self.world.wait_until(Instant::ZERO + limit, over);
        self.records().map(|(record, way)| record.clone().outcome(way)).collect()
    }

    /// Bytes of answers that each client has.
    pub fn bytes(&self) -> Vec<u64> {
        self.records().map(|(record, _)| record.bytes).collect()
    }

    /// Pages that each client has, so far.
    pub fn loaded(&self) -> Vec<&[Loaded]> {
        self.records().map(|(record, _)| record.loaded.as_slice()).collect()
    }

    /// Connections that each client lost and went on after.
    pub fn losses(&self) -> Vec<u32> {
        self.records().map(|(record, _)| record.losses).collect()
    }

    /// What a client's transport has done, in words; empty where nobody counts.
    pub fn account(&self, client: usize) -> String {
        self.world.running(self.clients[client].0).map(|party| party.account()).unwrap_or_default()
    }

    /// What a server keeps for its clients, where that is known.
    pub fn held(&self, server: usize) -> Option<Held> {
        self.world.running(self.servers[server]).and_then(|party| party.held())
    }

    /// Bits per second that each client has of answers from `from` to `to` after the start.
    ///
    /// # Errors
    /// What a client failed at.
    pub fn rates_bps(&mut self, from: Duration, to: Duration) -> Result<Vec<f64>, ExchangeError> {
        self.run_until(from);
        let before = self.bytes();
        self.run_until(to);
        for (record, way) in self.records().filter(|(record, _)| record.has_failed()) {
            record.clone().outcome(way)?;
        }
        let seconds = (to - from).as_secs_f64();
        Ok(self.bytes().iter().zip(before).map(|(after, before)| (after - before) as f64 * 8.0 / seconds).collect())
    }

    /// What the shared link did, toward the clients.
    pub fn shared_down(&self) -> LaneStats {
        self.world.stats(self.shared.forth())
    }
}
