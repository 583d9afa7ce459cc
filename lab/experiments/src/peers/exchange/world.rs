//! Worlds of one client and one server.

use core::fmt;

use tng_base::Instant;
use tng_sim::{Link, fork, topology};

use super::client::{Errand, Loaded, Record};
use super::party::{Lots, PartyWorld, Seat};
use super::{Habit, Step};
use crate::peers::transport::tell;
use crate::peers::transport::trickles::Usage;
use crate::settings::{Configured, Settings};

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
    /// Trickles, encrypted; a stream is a connection, and its server keeps nothing of it.
    Trickles(Usage),
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Tcp => "TCP",
            Way::Sst { replay_safe: true } => "tng, replay-safe",
            Way::Sst { replay_safe: false } => "tng",
            Way::Quic => "QUIC",
            Way::Trickles(usage) => return fmt::Display::fmt(usage, f),
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
        way.tell(settings, &part, &setting.controller);
    }
}

impl Load<'_> {
    /// Loads pages, each after the other, and tells when each was there.
    ///
    /// # Errors
    /// See [`ExchangeError`].
    pub fn run(self, steps: Vec<Step>) -> Result<Vec<Loaded>, ExchangeError> {
        let Load { way, habit, setting } = self;
        let lots = |own, key| Lots { own: fork(setting.seed, own), key: fork(setting.seed, key) };
        let seat = |at, lots| Seat { way, controller: &setting.controller, at, site: 0, lots };
        let asking = seat(topology::A, lots(lot::CLIENT, lot::CLIENT_KEY));
        let asking = asking.client(topology::B, &[], fork(setting.seed, lot::SERVER_KEY), Errand::new(habit, steps))?;
        let answering = seat(topology::B, lots(lot::SERVER, lot::SERVER_KEY)).server(Instant::ZERO)?;
        let mut world = PartyWorld::new(setting.seed);
        let a = world.host("client", &[topology::A], asking);
        let b = world.host("server", &[topology::B], answering);
        world.connect_with(a, b, &setting.up, &setting.down);
        for id in [a, b] {
            way.seat(&mut world, id);
        }
        let record =
            |world: &PartyWorld| world.running(a).and_then(|party| party.record()).cloned().unwrap_or_default();
        world.wait_until(TIME_MAX, |world| {
            world.running(a).and_then(|party| party.record()).is_some_and(Record::is_over)
        });
        record(&world).outcome(way)
    }
}
