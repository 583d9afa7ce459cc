//! What a server that keeps nothing may spend, beside what it needs.

use clap::Args;
use tng::trickles::{CacheConfig, ServerConfig};
use tng_settings::units::size;

/// Bytes that a server may be told to remember, at most.
pub const CACHE_CHOICE_MAX: u64 = 1 << 40;
/// What a server of marked images remembers unless it is told otherwise: it takes an image apart for each request that
/// it has no room to remember it for.
pub const IMAGES_CACHE_DEFAULT: u64 = 64 << 20;
/// Parts of what may be remembered: keys of connections have one, where something goes on another, and the others what
/// was computed: by the server for its application, or by that itself.
const PARTS: usize = 8;

/// How much it remembers, and what it does when more comes than it can answer.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Means {
    /// Memory for what may be computed again: keys of connections, what was computed (hashes, images), and where
    /// something goes on. It may be forgotten at any moment, and what took the most work for its bytes is kept
    /// longest: 64MiB, 0B [default: 0B; of images 64MiB]
    #[arg(long, value_name = "SIZE", value_parser = cache)]
    pub cache: Option<u64>,
    /// When more comes than can be answered, let each client have less under way, so that all are answered slowly and
    /// none is turned away
    #[arg(long)]
    pub throttle: bool,
}

/// Which application it is, as far as it keeps what it computes itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keeper {
    /// Hashes of files.
    Files,
    /// Nothing.
    Shop,
    /// Images, and where their MCUs begin; nothing for which there is a cache of the server's.
    Images,
}

impl Keeper {
    /// How many [`PARTS`] are its own.
    const fn parts(self) -> usize {
        match self {
            Keeper::Files => 1,
            Keeper::Shop => 0,
            Keeper::Images => PARTS - 2,
        }
    }

    const fn cache_default(self) -> u64 {
        match self {
            Keeper::Files | Keeper::Shop => 0,
            Keeper::Images => IMAGES_CACHE_DEFAULT,
        }
    }
}

/// Reads how much may be remembered.
fn cache(text: &str) -> Result<u64, String> {
    size(text).and_then(cache_choice)
}

/// So many bytes to remember, if so many may be chosen.
///
/// # Errors
/// If they are too many.
pub fn cache_choice(bytes: u64) -> Result<u64, String> {
    match bytes {
        bytes if bytes <= CACHE_CHOICE_MAX => Ok(bytes),
        _ => Err(format!("write at most {}GiB", CACHE_CHOICE_MAX >> 30)),
    }
}

impl Means {
    /// All that may be remembered, in bytes.
    fn bytes(self, keeper: Keeper) -> usize {
        usize::try_from(self.cache.unwrap_or(keeper.cache_default())).unwrap_or(usize::MAX)
    }

    /// Bytes of that which are the application's own.
    pub fn own_bytes(self, keeper: Keeper) -> usize {
        self.bytes(keeper) / PARTS * keeper.parts()
    }

    /// Settings of a server with these, of such an application: what that does not keep itself is the server's.
    pub fn of(self, keeper: Keeper, config: ServerConfig) -> ServerConfig {
        let all = CacheConfig::of_bytes(self.bytes(keeper));
        let output_bytes = match keeper {
            // None of it would be used.
            Keeper::Images => 0,
            Keeper::Files | Keeper::Shop => all.output_bytes - self.own_bytes(keeper),
        };
        ServerConfig { caches: CacheConfig { output_bytes, ..all }, sheds_load: self.throttle, ..config }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bound_holds_what_the_server_and_its_application_remember_together() {
        for cache in [None, Some(0), Some(1), Some(1_000_003), Some(64 << 20), Some(CACHE_CHOICE_MAX)] {
            for keeper in [Keeper::Files, Keeper::Shop, Keeper::Images] {
                let means = Means { cache, throttle: false };
                let caches = means.of(keeper, ServerConfig::default()).caches;
                let all = means.bytes(keeper);
                let sockets = all / PARTS;
                assert!(
                    sockets + caches.output_bytes + caches.parse_bytes + means.own_bytes(keeper) <= all,
                    "{means:?}"
                );
                assert!(means.own_bytes(keeper) == 0 || keeper != Keeper::Shop);
            }
        }
        assert_eq!(Means::default().of(Keeper::Files, ServerConfig::default()).caches, CacheConfig::default());
        assert!(Means::default().own_bytes(Keeper::Images) == 48 << 20);
        assert_eq!(cache("1024GiB"), Ok(CACHE_CHOICE_MAX));
        assert!(cache("1025GiB").is_err_and(|why| why.contains("at most 1024GiB")));
    }
}
