//! What holds of range nonces: the algebra, the attacks, and the two ends together.

use tng_crypto::Secret32;

use crate::{Direction, NonceKey, Purpose};

mod algebra;
mod attacks;
mod ends;

fn key(which: u8) -> NonceKey {
    NonceKey::derive(&Secret32::from_bytes([which; 32]))
}

/// The way of most tests.
const WAY: (Direction, Purpose) = (Direction::Homeward, Purpose::Trickles);

/// How many seeds: what is asked for by `TNG_SEEDS`, else as many as take no time.
fn seeds(usual: u64) -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}
