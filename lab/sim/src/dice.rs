//! Randomness of the world: one seed, one independent source for each use of it.

use tng_base::Rng;

/// The source that `seed` determines for stream number `stream` of `domain`. Different streams are independent, so
/// adding a user of randomness to a world changes nothing for the others.
fn derive(seed: u64, domain: u64, stream: u64, part: u64) -> Rng {
    let mut key = [0; 32];
    for (chunk, word) in key.chunks_exact_mut(8).zip([seed, domain, stream, part]) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    Rng::from_seed(key)
}

/// A source for the use of nodes and tests: number `stream` of the world that has this seed.
pub fn fork(seed: u64, stream: u64) -> Rng {
    derive(seed, 1, stream, 0)
}

/// What a node gets when it asks for entropy for the `count`th time.
pub(crate) fn entropy(seed: u64, node: usize, count: u64) -> [u8; 32] {
    derive(seed, 4, node as u64, count).bytes()
}

/// What a NAT draws its ports from.
pub(crate) fn nat(seed: u64, node: usize) -> Rng {
    derive(seed, 5, node as u64, 0)
}

/// What a lane draws lots for. Each has its own source, so that switching one fault on leaves the others' lots as they
/// were.
#[derive(Clone, Copy)]
pub(crate) enum Lot {
    Loss,
    Jitter,
    Reorder,
    Duplicate,
    Corrupt,
    Bleach,
    Mark,
}

/// A lane's sources of randomness, made when first used.
pub(crate) struct Dice {
    seed: u64,
    lane: u64,
    lots: [Option<Box<Rng>>; 7],
}

impl Dice {
    pub(crate) fn new(seed: u64, lane: usize) -> Dice {
        Dice { seed, lane: lane as u64, lots: Default::default() }
    }

    pub(crate) fn lot(&mut self, lot: Lot) -> &mut Rng {
        let part = lot as usize;
        self.lots[part].get_or_insert_with(|| Box::new(derive(self.seed, 2, self.lane, part as u64)))
    }

    /// True with probability `p`; draws nothing when `p` is zero.
    pub(crate) fn chance(&mut self, lot: Lot, p: f64) -> bool {
        p > 0.0 && self.lot(lot).chance(p)
    }

    /// A source for the lane's queue.
    pub(crate) fn queue(&self) -> Rng {
        derive(self.seed, 3, self.lane, 0)
    }
}
