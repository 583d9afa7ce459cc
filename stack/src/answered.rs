//! INITs that have brought a confirmed channel: another copy of one is late, or somebody else's.

use std::collections::{BTreeSet, VecDeque};

/// INITs remembered after their channels were confirmed, the youngest. A copy that the network, or the initiator's
/// impatience, made before would otherwise begin another connection that nobody would ever hear of again.
pub const INITS_REMEMBERED_MAX: usize = 1_024;

/// The youngest INITs that have brought a confirmed channel, by their ephemeral keys.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    order: VecDeque<[u8; 32]>,
    known: BTreeSet<[u8; 32]>,
}

impl Answered {
    /// Whether a copy of this INIT was answered, and the answer followed up.
    pub(crate) fn contains(&self, ephemeral: &[u8; 32]) -> bool {
        self.known.contains(ephemeral)
    }

    /// The channel of this INIT is confirmed.
    pub(crate) fn note(&mut self, ephemeral: [u8; 32]) {
        if !self.known.insert(ephemeral) {
            return;
        }
        self.order.push_back(ephemeral);
        if self.order.len() > INITS_REMEMBERED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_youngest_are_known_and_no_more_than_the_bound() {
        let mut answered = Answered::default();
        let key = |i: usize| core::array::from_fn(|at| (i >> (8 * (at % 4))) as u8);
        for i in 0..3 * INITS_REMEMBERED_MAX {
            answered.note(key(i));
            answered.note(key(i));
        }
        let known = (0..3 * INITS_REMEMBERED_MAX).filter(|i| answered.contains(&key(*i)));
        assert!(known.eq(2 * INITS_REMEMBERED_MAX..3 * INITS_REMEMBERED_MAX));
        assert_eq!(answered.order.len(), INITS_REMEMBERED_MAX);
    }
}
