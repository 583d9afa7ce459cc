//! Worlds of one client and one server.

use core::fmt;

use tng_base::Instant;
use tng_congestion::Choice;
use tng_semantic::structured::{FirstData, ServiceOptions};
use tng_sim::{App, IpProtocol, Link, MachineNode, World, fork, topology};
use tng_stack::{Access, HostConfig, Identity};

use super::client::{Client, Loaded};
use super::server::Server;
use super::{Habit, Step};
use crate::quic as quic_host;
use crate::settings::{Configured, Settings};
use crate::transport::quic::{self, Quic};
use crate::transport::sst::{Connections, SERVICE, Sst};
use crate::transport::{Transport, tcp, tell};

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

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Tcp => "TCP",
            Way::Sst { replay_safe: true } => "tng, replay-safe",
            Way::Sst { replay_safe: false } => "tng",
            Way::Quic => "QUIC",
        })
    }
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

impl Setting {
    fn choice(&self) -> Result<Choice, ExchangeError> {
        self.controller.parse().map_err(|error| misnamed(&error))
    }

    fn tcp(&self) -> Result<tng_tcp::Config, ExchangeError> {
        Ok(tng_tcp::Config { controller: self.choice()?, ..tng_tcp::Config::default() })
    }

    fn quic(&self) -> Result<quic_host::Config, ExchangeError> {
        let controller = self.controller.parse().map_err(|error: quic_host::UnknownController| misnamed(&error))?;
        Ok(quic_host::Config { controller, ..quic_host::Config::default() })
    }

    fn tng(&self) -> Result<HostConfig, ExchangeError> {
        Ok(HostConfig { controller: self.choice()?, ..HostConfig::new(Access::Public) })
    }
}

fn misnamed(error: &dyn core::fmt::Display) -> ExchangeError {
    ExchangeError::Controller(error.to_string())
}

/// The two directions alone: hosts are told by those who make them.
impl Configured for Setting {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "client to server", &self.up);
        tell::link(settings, "server to client", &self.down);
    }
}

/// A client that loads over a network of one link, and its server.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Load<'s> {
    /// Over what.
    pub way: Way,
    /// What the client does with its streams.
    pub habit: Habit,
    /// The world.
    pub setting: &'s Setting,
}

impl Configured for Load<'_> {
    fn tell(&self, settings: &mut Settings) {
        let Load { way, habit, setting } = self;
        setting.tell(settings);
        let part = format!(
            "{way}, {} streams, persistent {}, depth {}",
            match habit.streams {
                usize::MAX => "all".to_owned(),
                streams => streams.to_string(),
            },
            habit.persistent,
            habit.depth
        );
        // A controller that it does not have is told by the run.
        let _ = match way {
            Way::Tcp => setting.tcp().map(|config| tell::tcp(settings, &part, &config)),
            Way::Quic => setting.quic().map(|config| tell::quic(settings, &part, &config)),
            Way::Sst { .. } => setting.tng().map(|config| tell::host(settings, &part, &config)),
        };
    }
}

impl Load<'_> {
    /// Loads pages, each after the other, and tells when each was there.
    ///
    /// # Errors
    /// See [`ExchangeError`].
    pub fn run(self, steps: Vec<Step>) -> Result<Vec<Loaded>, ExchangeError> {
        let Load { way, habit, setting } = self;
        let rng = |lot| fork(setting.seed, lot);
        match way {
            Way::Tcp => {
                let config = setting.tcp()?;
                let host =
                    |address, lot| tng_tcp::Host::new(address, config.clone(), rng(lot)).map_err(|e| misnamed(&e));
                let (asking, mut answering) = (host(topology::A, lot::CLIENT)?, host(topology::B, lot::SERVER)?);
                tcp::listen(&mut answering, []);
                run(way, habit, steps, setting, [asking, answering])
            }
            Way::Quic => {
                let config = setting.quic()?;
                let [asking, mut answering] =
                    [lot::CLIENT, lot::SERVER].map(|lot| quic_host::Host::new(&config, rng(lot)));
                answering.listen();
                run(way, habit, steps, setting, [asking, answering].map(Quic::new))
            }
            Way::Sst { replay_safe } => {
                let config = setting.tng()?;
                let identity = |lot| Identity::from_seed(rng(lot).bytes::<32>());
                let eid = identity(lot::SERVER_KEY).eid();
                let asking =
                    tng_stack::Host::new(config.clone(), identity(lot::CLIENT_KEY), rng(lot::CLIENT).bytes::<32>());
                let mut answering =
                    tng_stack::Host::new(config, identity(lot::SERVER_KEY), rng(lot::SERVER).bytes::<32>());
                let first_data = if replay_safe { FirstData::Unproven } else { FirstData::Proven };
                let options = ServiceOptions { first_data, ..ServiceOptions::default() };
                answering.listen(SERVICE.0, SERVICE.1, options);
                let [mut asking, answering] = [asking, answering].map(|host| Sst::new(host, Connections::One));
                asking.know(topology::B, eid);
                run(way, habit, steps, setting, [asking, answering])
            }
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
