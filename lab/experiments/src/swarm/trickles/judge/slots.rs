//! Whether a connection was granted a timeout once in each second, though nobody says when its seconds begin.

use tng_base::Instant;
use tng_trickles::replay::SLOT;

/// Where in a second a connection's own seconds may begin, and when it was granted timeouts.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    /// Nanoseconds: ranges with both ends in them.
    phases: Vec<(u64, u64)>,
    /// The last of each count.
    last: Vec<(u8, Instant)>,
}

impl Default for Slots {
    fn default() -> Slots {
        Slots { phases: vec![(0, SLOT.as_nanos() as u64 - 1)], last: Vec::new() }
    }
}

impl Slots {
    /// A timeout was granted that had that count. Answers whether it is of another second than the one before it with
    /// the same, by any phase that goes with all others.
    pub fn granted(&mut self, now: Instant, count: u8) -> bool {
        let slot = SLOT.as_nanos() as u64;
        let before = self.last.iter().position(|(of, _)| *of == count).map(|at| self.last.swap_remove(at).1);
        self.last.push((count, now));
        let Some(before) = before.filter(|before| now.since(*before) < SLOT) else { return true };
        // A second begins behind the one and not behind the other.
        let (from, to) = ((before.as_nanos() + 1) % slot, now.as_nanos() % slot);
        let arcs = match now == before {
            true => vec![],
            false if from <= to => vec![(from, to)],
            false => vec![(0, to), (from, slot - 1)],
        };
        let cut = |(from, to): (u64, u64)| arcs.iter().map(move |arc| (from.max(arc.0), to.min(arc.1)));
        self.phases = self.phases.iter().flat_map(|phase| cut(*phase)).filter(|(from, to)| from <= to).collect();
        !self.phases.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each of these is of a second of its own.
    fn are_apart(ms: &[u64]) -> bool {
        let mut slots = Slots::default();
        ms.iter().fold(true, |are, ms| are & slots.granted(Instant::from_millis(*ms), 0))
    }

    #[test]
    fn two_that_lie_close_may_be_of_two_seconds_and_three_may_not() {
        assert!(are_apart(&[100, 1_100, 2_100, 5_000]));
        assert!(are_apart(&[900, 1_000]) && are_apart(&[1_999, 2_000, 3_000]) && !are_apart(&[1_999, 2_000, 2_999]));
        assert!(!are_apart(&[1_000, 1_400, 1_900]));
        assert!(!are_apart(&[1_000, 1_000]));
        // A second of its own for each alone, but not for all: one begins behind 300 ms, another before.
        assert!(are_apart(&[1_300, 1_600]) && are_apart(&[5_200, 5_300]) && !are_apart(&[1_300, 1_600, 5_200, 5_300]));
        let mut slots = Slots::default();
        assert!((0..5).all(|count| slots.granted(Instant::from_millis(7), count)), "each count is one of its own");
    }
}
