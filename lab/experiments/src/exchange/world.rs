//! Worlds of one client and one server.

use tng_base::Instant;
use tng_congestion::Choice;
use tng_semantic::structured::{FirstData, ServiceOptions};
use tng_sim::{App, IpProtocol, Link, MachineNode, World, fork, topology};
use tng_stack::{Access, HostConfig, Identity};

use super::client::{Client, Loaded};
use super::server::Server;
use super::{Habit, Step};
use crate::quic as quic_host;
use crate::transport::quic::{self, Quic};
use crate::transport::sst::{Connections, SERVICE, Sst};
use crate::transport::{Transport, tcp};

/// Over what requests go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// The reference TCP, unencrypted; a stream is a connection.
    Tcp,
    /// tng's structured streams, encrypted, over one channel.
    Sst {
        /// Whether the service may act on a first flight that could be a replay.
        replay_safe: bool,
    },
    /// QUIC, one connection.
    Quic,
}

/// The world, and what runs in it alike whatever the way.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// Decides every lot.
    pub seed: u64,
    /// From the client to the server.
    pub up: Link,
    /// From the server to the client.
    pub down: Link,
    /// The congestion controller: `cubic` or `newreno`.
    pub controller: String,
}

/// Why pages were not loaded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExchangeError {
    /// There is no such controller on this way.
    #[error("{0}")]
    Controller(String),
    /// A connection was lost, or an answer came short.
    #[error("page {page} was not loaded over {way:?}: {why}")]
    Lost {
        /// Over what.
        way: Way,
        /// Which, counted from 0.
        page: usize,
        /// Why.
        why: String,
    },
    /// It took longer than `TIME_MAX`.
    #[error("page {page} was not loaded over {way:?} within a day")]
    Endless {
        /// Over what.
        way: Way,
        /// Which, counted from 0.
        page: usize,
    },
}

/// Most time that a world is given.
const TIME_MAX: Instant = Instant::from_secs(24 * 60 * 60);

/// Lots of a world: what each is for.
mod lot {
    pub(super) const CLIENT: u64 = 1;
    pub(super) const SERVER: u64 = 2;
    pub(super) const CLIENT_KEY: u64 = 3;
    pub(super) const SERVER_KEY: u64 = 4;
}

/// One of the two sides.
#[expect(clippy::large_enum_variant, reason = "there are two, and each lives in its place in the world")]
enum Side<T: Transport> {
    Client(Client<T>),
    Server(Server<T>),
}

impl<T: Transport> App<T> for Side<T> {
    fn handle_event(&mut self, now: Instant, host: &mut T, event: T::Event) {
        match self {
            Side::Client(client) => client.handle_event(now, host, event),
            Side::Server(server) => server.handle_event(host, event),
        }
    }

    fn poll(&mut self, now: Instant, host: &mut T) -> Option<Instant> {
        match self {
            Side::Client(client) => client.poll(now, host),
            Side::Server(_) => None,
        }
    }
}

/// Loads pages over a network of one link, each after the other, and tells when each was there.
///
/// # Errors
/// See [`ExchangeError`].
pub fn load(way: Way, habit: Habit, steps: Vec<Step>, setting: &Setting) -> Result<Vec<Loaded>, ExchangeError> {
    let rng = |lot| fork(setting.seed, lot);
    let misnamed = |error: &dyn core::fmt::Display| ExchangeError::Controller(error.to_string());
    let chosen = || setting.controller.parse::<Choice>().map_err(|e| misnamed(&e));
    match way {
        Way::Tcp => {
            let config = tng_tcp::Config { controller: chosen()?, ..tng_tcp::Config::default() };
            let host = |address, lot| tng_tcp::Host::new(address, config.clone(), rng(lot)).map_err(|e| misnamed(&e));
            let (asking, mut answering) = (host(topology::A, lot::CLIENT)?, host(topology::B, lot::SERVER)?);
            tcp::listen(&mut answering, []);
            run(way, habit, steps, setting, [asking, answering])
        }
        Way::Quic => {
            let controller = setting.controller.parse().map_err(|e: quic_host::UnknownController| misnamed(&e))?;
            let config = quic_host::Config { controller, ..quic_host::Config::default() };
            let [asking, mut answering] = [lot::CLIENT, lot::SERVER].map(|lot| quic_host::Host::new(&config, rng(lot)));
            answering.listen();
            run(way, habit, steps, setting, [asking, answering].map(Quic::new))
        }
        Way::Sst { replay_safe } => {
            let config = HostConfig { controller: chosen()?, ..HostConfig::new(Access::Public) };
            let identity = |lot| Identity::from_seed(rng(lot).bytes::<32>());
            let eid = identity(lot::SERVER_KEY).eid();
            let asking =
                tng_stack::Host::new(config.clone(), identity(lot::CLIENT_KEY), rng(lot::CLIENT).bytes::<32>());
            let mut answering = tng_stack::Host::new(config, identity(lot::SERVER_KEY), rng(lot::SERVER).bytes::<32>());
            let first_data = if replay_safe { FirstData::Unproven } else { FirstData::Proven };
            let options = ServiceOptions { first_data, ..ServiceOptions::default() };
            answering.listen(SERVICE.0, SERVICE.1, options);
            let [mut asking, answering] = [asking, answering].map(|host| Sst::new(host, Connections::One));
            asking.know(topology::B, eid);
            run(way, habit, steps, setting, [asking, answering])
        }
    }
}

fn run<T: Transport>(
    way: Way,
    habit: Habit,
    steps: Vec<Step>,
    setting: &Setting,
    [asking, answering]: [T; 2],
) -> Result<Vec<Loaded>, ExchangeError> {
    let mut world = World::new(setting.seed);
    let client = MachineNode::new(asking, Side::Client(Client::new(topology::B, habit, steps)));
    let a = world.host("client", &[topology::A], client);
    let b = world.host("server", &[topology::B], MachineNode::new(answering, Side::Server(Server::new())));
    world.connect_with(a, b, &setting.up, &setting.down);
    for id in [a, b] {
        match way {
            Way::Tcp => world.set_protocol(id, IpProtocol::Tcp),
            Way::Quic => world.set_port(id, quic::PORT),
            Way::Sst { .. } => {}
        }
    }
    let client = |world: &World<MachineNode<T, Side<T>>>| match &world.node(a).app {
        Side::Client(client) => {
            let outcome = client.outcome().map(|outcome| outcome.map(<[_]>::to_vec).map_err(str::to_owned));
            (client.loaded_count(), outcome)
        }
        Side::Server(_) => (0, None),
    };
    world.wait_until(TIME_MAX, |world| client(world).1.is_some());
    match client(&world) {
        (_, Some(Ok(loaded))) => Ok(loaded),
        (page, Some(Err(why))) => Err(ExchangeError::Lost { way, page, why }),
        (page, None) => Err(ExchangeError::Endless { way, page }),
    }
}
