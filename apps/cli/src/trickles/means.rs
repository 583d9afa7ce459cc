//! What a server that keeps nothing may spend, beside what it needs.

use clap::Args;
use tng::trickles::{CacheConfig, ServerConfig};
use tng_experiments::units::size;

/// Bytes that a server may be told to remember, at most.
pub const CACHE_CHOICE_MAX: u64 = 1 << 40;

/// How much it remembers, and what it does when more comes than it can answer.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Means {
    /// Memory for what may be computed again: keys of connections, what was computed, and where something goes on. It
    /// may be forgotten at any moment, and what took the most work for its bytes is kept longest: 64MiB, 0B
    #[arg(long, value_name = "SIZE", value_parser = cache, default_value = "0B")]
    pub cache: u64,
    /// When more comes than can be answered, let each client have less under way, so that all are answered slowly and
    /// none is turned away
    #[arg(long)]
    pub throttle: bool,
}

/// Reads how much may be remembered.
fn cache(text: &str) -> Result<u64, String> {
    match size(text)? {
        bytes if bytes <= CACHE_CHOICE_MAX => Ok(bytes),
        _ => Err(format!("write at most {} GiB", CACHE_CHOICE_MAX >> 30)),
    }
}

impl Means {
    /// Settings of a server with these.
    pub fn of(&self, config: ServerConfig) -> ServerConfig {
        let bytes = usize::try_from(self.cache).unwrap_or(usize::MAX);
        ServerConfig { caches: CacheConfig::of_bytes(bytes), sheds_load: self.throttle, ..config }
    }
}
