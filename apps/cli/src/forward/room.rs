//! Room for TCP connections. Each takes a descriptor of this process.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::places::PLACES_PEER_PART;
use crate::talk::Talk;

/// TCP connections at once through one connection of ours, unless `--connections` says otherwise.
pub const CONNECTIONS_DEFAULT: u32 = 4096;
/// The most that it may say.
pub const CONNECTIONS_MAX: u32 = 32_768;
/// How long a TCP connection waits for a place: those of a program that opens many at once end soon.
pub const WAITING_TIME: Duration = Duration::from_secs(1);
/// TCP connections that wait at once; more are refused without. Where they are served those of all peers, of one a
/// quarter.
pub const WAITING_MAX: usize = 1024;
/// Descriptors that a process needs beside those of TCP connections.
pub const DESCRIPTORS_SPARE: u64 = 256;

/// How many TCP connections there may be.
#[derive(Args, Clone, Copy, Debug)]
pub struct RoomArgs {
    /// Most TCP connections at the same time; one more waits for a second, and is then refused. With --serve: of all
    /// peers together, and a quarter of it for one peer
    #[arg(long, value_name = "N", default_value_t = CONNECTIONS_DEFAULT)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(CONNECTIONS_MAX)))]
    connections: u32,
}

impl RoomArgs {
    /// So many.
    pub fn connections(self) -> usize {
        self.connections as usize
    }

    /// Room for them.
    pub fn room(self) -> Room {
        Room::of(self.connections())
    }

    /// So many of one peer, if they are those of all.
    pub fn of_one_peer(self) -> usize {
        self.connections() / PLACES_PEER_PART
    }

    /// Has the system let this process open a descriptor for each of them, and says if it does not for so many.
    pub fn open_descriptors(self, talk: Talk) {
        let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return };
        let wanted = u64::from(self.connections) + DESCRIPTORS_SPARE;
        if soft < wanted.min(hard)
            && let Err(error) = setrlimit(Resource::RLIMIT_NOFILE, wanted.min(hard), hard)
        {
            tracing::debug!(%error, "RLIMIT_NOFILE");
        }
        if hard < wanted {
            talk.warn(format_args!(
                "the system lets this process open {hard} files, too few for {} TCP connections; raise the limit \
                 (ulimit -Hn), or say --connections",
                self.connections
            ));
        }
    }
}

/// Room for so many TCP connections.
#[derive(Clone, Debug)]
pub struct Room {
    places: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    /// For how many.
    pub max: usize,
}

impl Room {
    /// Room for so many.
    pub fn of(max: usize) -> Room {
        Room { places: Arc::new(Semaphore::new(max)), waiting: Arc::new(Semaphore::new(WAITING_MAX)), max }
    }

    /// A place, as soon as there is one within [`WAITING_TIME`].
    pub async fn place(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Some(place);
        }
        let _waiting = self.waiting.try_acquire().ok()?;
        timeout(WAITING_TIME, Arc::clone(&self.places).acquire_owned()).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_finds_no_place_has_the_next_one_that_is_given_back_and_is_refused_without() {
        let room = Room::of(1);
        let first = room.place().await.expect("a place");
        let mut next = std::pin::pin!(room.place());
        tokio::select! {
            biased;
            _ = &mut next => panic!("there is none"),
            () = std::future::ready(()) => {}
        }
        drop(first);
        let held = next.await.expect("it was given back");
        assert!(room.place().await.is_none(), "nobody gives one back");
        let waiting = room.waiting.try_acquire_many(WAITING_MAX as u32).expect("nobody waits");
        assert!(room.place().await.is_none(), "too many wait");
        drop((waiting, held));
        assert!(room.place().await.is_some());
    }
}
