//! How many duplicates say that a segment is lost, on a path that reorders (RR-TCP, Zhang, Karp, Floyd and Peterson).

use crate::scoreboard::DUPLICATES;

/// Extents that are told apart; longer ones count as this long.
const EXTENT_MAX: usize = 64;
/// Of so many holes that were no losses as many in a hundred are waited for, at most and at least.
const PERCENT_MOST: u32 = 95;
const PERCENT_LEAST: u32 = 50;
/// A timeout says that waiting has cost more than it was worth.
const PERCENT_LESS: u32 = 5;

/// By how much segments came late, in segments that overtook them.
#[derive(Clone, Debug)]
pub struct Reordering {
    extents: [u16; EXTENT_MAX + 1],
    count: u32,
    percent: u32,
}

impl Default for Reordering {
    fn default() -> Reordering {
        Reordering { extents: [0; EXTENT_MAX + 1], count: 0, percent: PERCENT_MOST }
    }
}

impl Reordering {
    /// A segment that was not lost came behind so many that had left after it.
    pub fn handle(&mut self, extent: usize) {
        let place = &mut self.extents[extent.min(EXTENT_MAX)];
        *place = place.saturating_add(1);
        self.count = self.count.saturating_add(1);
        if self.count == 1_024 {
            // What was long ago counts less.
            self.extents.iter_mut().for_each(|extent| *extent /= 2);
            self.count = self.extents.iter().map(|extent| u32::from(*extent)).sum();
        }
    }

    /// Something was found lost by a timeout alone.
    pub fn handle_timeout(&mut self) {
        self.percent = PERCENT_LEAST.max(self.percent - PERCENT_LESS);
    }

    /// So many duplicates say that a segment is lost.
    pub fn duplicates(&self) -> usize {
        let wanted = self.count * self.percent / 100;
        let mut seen = 0;
        let within = self.extents.iter().position(|count| {
            seen += u32::from(*count);
            seen > wanted
        });
        match within {
            Some(extent) if self.count > 0 => (extent + 1).max(DUPLICATES),
            _ => DUPLICATES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_duplicates_are_waited_for_as_nearly_all_holes_wanted_that_were_no_losses() {
        let mut reordering = Reordering::default();
        assert_eq!(reordering.duplicates(), DUPLICATES);
        for extent in 0..100 {
            reordering.handle(extent % 20);
        }
        assert_eq!(reordering.duplicates(), 20);
        for _ in 0..100 {
            reordering.handle_timeout();
        }
        assert_eq!(reordering.duplicates(), 11, "half of them");
        for _ in 0..100_000 {
            reordering.handle(1_000);
        }
        assert_eq!(reordering.duplicates(), EXTENT_MAX + 1);
    }
}
