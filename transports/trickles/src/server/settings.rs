//! What a server is told when it begins.

use core::fmt;
use core::time::Duration;

use tng_endpoint::IdSpace;
use tng_isolation::Identity;

use super::CacheConfig;
use crate::replay::{BloomSize, STORIES_REMEMBERED};
use crate::set_up::{Access, SetUpConfig};
use crate::{Keys, SKEW_MAX, Site, WallClock};

/// How a server knows what is spent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FilterConfig {
    /// Exactly, by who gave it out: one bit for each of so many that were given out last. For servers whose clients
    /// stay with one.
    Serials(u64),
    /// By packet, in two Bloom filters of this size to begin with, that are wrong in at most that share of cases: for
    /// fleets whose clients reach several servers.
    Filters(BloomSize, f64),
}

/// Settings of a [`Server`](super::Server).
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Near which servers it is.
    pub site: Site,
    /// By how much clocks of the fleet's servers may differ; all servers say the same. What another has stamped further
    /// ahead is refused.
    pub skew_max: Duration,
    /// Who is let in, and how often.
    pub set_up: SetUpConfig,
    /// How it knows what is spent.
    pub filter: FilterConfig,
    /// Connections that may ask for a timeout in the same second.
    pub timeouts: usize,
    /// Losses, and lines that follow on them, that it remembers in 35 s ([`STORIES_REMEMBERED`]). Clients that tell of
    /// more are told to ask for a timeout.
    pub stories: usize,
    /// Whether it leaves out of continuations what clients foresee (Trickles 5.3). If not, packets have less room.
    pub delta_encoding: bool,
    /// Whether it gives a connection the secret of the next epoch, so that it may last. If not, a connection ends with
    /// the keys that it began with, after one to two [epochs](crate::EPOCH), and its client sets up another: who is not
    /// let in any more is out by then. All servers of a fleet do the same.
    pub renews: bool,
    /// What it remembers to save work.
    pub caches: CacheConfig,
    /// Whether it gives each client less while more comes than it can answer, by what waits: smaller windows, and the
    /// share of a place when its queue is more than half full. If not, it does so where its owner
    /// [says](super::Server::set_load) what the load is, and drops what its queue has no room for.
    pub sheds_load: bool,
    /// Whether it leaves out what seals requests, responses and continuations ([`Armor::Plain`]): for devices on a wire
    /// to which nobody has access who is not trusted. Its clients are told the same, or have no connection.
    ///
    /// [`Armor::Plain`]: crate::wire::Armor::Plain
    pub danger_plain: bool,
}

impl ServerConfig {
    /// That of one of several servers of a process that share an address, and divide connections among them by their
    /// ids: all together hold as much as one with this.
    #[must_use]
    pub fn divided(&self, ids: IdSpace) -> ServerConfig {
        let of = u64::from(ids.of());
        let part = |count: usize| count.div_ceil(usize::from(ids.of()));
        let filter = match self.filter {
            FilterConfig::Serials(serials) => FilterConfig::Serials(serials.div_ceil(of)),
            FilterConfig::Filters(size, share) => FilterConfig::Filters(size.divided(of), share),
        };
        let CacheConfig { sockets, output_bytes, parse_bytes } = self.caches;
        // Down, not up: a bound of memory is for all of them together.
        let part_of = |bytes: usize| bytes / usize::from(ids.of());
        let caches = CacheConfig {
            sockets: part(sockets),
            output_bytes: part_of(output_bytes),
            parse_bytes: part_of(parse_bytes),
        };
        let set_up = SetUpConfig { ids, ..self.set_up.clone() };
        let (timeouts, stories) = (part(self.timeouts), part(self.stories));
        ServerConfig { filter, caches, set_up, timeouts, stories, ..self.clone() }
    }
}

impl Default for ServerConfig {
    /// The exact filter for 8 million continuations (1 MiB for each server of the fleet), 65,536 timeouts a second.
    fn default() -> ServerConfig {
        ServerConfig {
            site: Site::default(),
            skew_max: SKEW_MAX,
            set_up: SetUpConfig::default(),
            filter: FilterConfig::Serials((1 << 23) - 64),
            timeouts: 1 << 16,
            stories: STORIES_REMEMBERED,
            delta_encoding: true,
            renews: true,
            caches: CacheConfig::default(),
            sheds_load: false,
            danger_plain: false,
        }
    }
}

/// What a server begins with.
pub struct Beginnings {
    /// The server's own key: clients know it.
    pub identity: Identity,
    /// The keys that it shares with others.
    pub keys: Keys,
    /// Who is let in.
    pub access: Box<dyn Access + Send>,
    /// What its clock says.
    pub clock: WallClock,
    /// Fresh entropy.
    pub entropy: [u8; 32],
}

impl fmt::Debug for Beginnings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Beginnings").field("identity", &self.identity.eid()).finish_non_exhaustive()
    }
}
