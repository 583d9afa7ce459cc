//! The paper's filter: two Bloom filters that take turns (Trickles 2.2, figure 4 B).

use core::time::Duration;

use tng_crypto::BLAKE3_TAG_LEN;

use super::Burnt;
use crate::Wall;

/// Bits of one hash: what the paper takes from a MAC of 128, six times.
const HASH_BITS: u32 = 21;
/// Hashes that one MAC gives.
const HASHES_PER_MAC: u32 = 128 / HASH_BITS;
/// Most entries of a filter.
pub(crate) const ENTRIES_MAX: u64 = 1 << 27;
/// Fewest entries of a filter.
const ENTRIES_MIN: u64 = 1 << 12;

/// How large a filter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BloomSize {
    /// Bits of the table.
    pub entries: u64,
    /// Bits that each element sets, at most 12.
    pub hashes: u32,
}

impl BloomSize {
    /// The paper's: 2,097,152 entries and six hashes of 21 bits.
    pub const PAPER: BloomSize = BloomSize { entries: 1 << HASH_BITS, hashes: HASHES_PER_MAC };

    /// The share of elements that are taken for others when `held` are in it (Fan et al., as in Trickles 2.2).
    pub fn false_share(&self, held: u64) -> f64 {
        let (hashes, entries) = (f64::from(self.hashes), self.entries as f64);
        (1.0 - (-hashes * held as f64 / entries).exp()).powf(hashes)
    }

    /// How many it may hold to take at most this share for others.
    fn capacity(&self, false_share_max: f64) -> u64 {
        let (hashes, entries) = (f64::from(self.hashes), self.entries as f64);
        (-entries / hashes * (1.0 - false_share_max.powf(1.0 / hashes)).ln()) as u64
    }
}

/// A set that holds what was put in, and now and then takes something else for it.
#[derive(Clone, Debug)]
pub struct Bloom {
    size: BloomSize,
    words: Box<[u64]>,
    held: u64,
}

impl Bloom {
    /// An empty one.
    pub fn new(size: BloomSize) -> Bloom {
        let entries = size.entries.clamp(1, ENTRIES_MAX);
        let size = BloomSize { entries, hashes: size.hashes.clamp(1, 2 * HASHES_PER_MAC) };
        Bloom { size, words: vec![0; entries.div_ceil(64) as usize].into_boxed_slice(), held: 0 }
    }

    /// Whether the element with these bits is in it, or is taken for one that is.
    pub fn contains(&self, bits: Bits) -> bool {
        self.places(bits).all(|(word, bit)| self.words[word] & bit != 0)
    }

    /// Puts it in.
    pub fn insert(&mut self, bits: Bits) {
        self.held += 1;
        for at in 0..self.size.hashes {
            let (word, bit) = self.place(bits, at);
            self.words[word] |= bit;
        }
    }

    /// Bytes that it holds.
    pub fn held_bytes(&self) -> usize {
        size_of_val::<[u64]>(&self.words)
    }

    fn places(&self, bits: Bits) -> impl Iterator<Item = (usize, u64)> + '_ {
        (0..self.size.hashes).map(move |at| self.place(bits, at))
    }

    /// Of bits of the MAC as they are where there are enough of them, as in the paper. Elsewhere of two hashes that are
    /// added over and over, which do as well (Kirsch and Mitzenmacher, "Less Hashing, Same Performance").
    fn place(&self, bits: Bits, at: u32) -> (usize, u64) {
        let BloomSize { entries, hashes } = self.size;
        let bit = if entries.is_power_of_two() && entries <= 1 << HASH_BITS && hashes <= HASHES_PER_MAC {
            (bits.mac >> (HASH_BITS * at)) as u64 & (entries - 1)
        } else {
            let hash = bits.step.wrapping_mul(u64::from(at)).wrapping_add(bits.start);
            ((u128::from(hash) * u128::from(entries)) >> 64) as u64
        };
        ((bit / 64) as usize, 1 << (bit % 64))
    }
}

/// Bits that nobody foresees, of which hashes are taken: those of a MAC, and two numbers that come of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    mac: u128,
    start: u64,
    step: u64,
}

impl Bits {
    /// Of a continuation's MAC.
    pub fn of_mac(mac: &[u8; BLAKE3_TAG_LEN]) -> Bits {
        let mac = u128::from_be_bytes(*mac);
        let (low, high) = (mac as u64, (mac >> 64) as u64);
        Bits { mac, start: low, step: high | 1 }
    }
}

/// All that came in one interval: a filter, and larger ones if it was too small.
#[derive(Clone, Debug)]
struct Interval {
    filters: Vec<Bloom>,
}

impl Interval {
    fn new(size: BloomSize) -> Interval {
        Interval { filters: vec![Bloom::new(size)] }
    }

    fn contains(&self, bits: Bits) -> bool {
        self.filters.iter().any(|filter| filter.contains(bits))
    }

    /// The first filter may be wrong as often as half of the share says, each next half as often as the one before
    /// (Almeida et al., "Scalable Bloom Filters").
    fn insert(&mut self, bits: Bits, false_share_max: f64) -> Result<(), Burnt> {
        let share = false_share_max / (1_u64 << self.filters.len()) as f64;
        let last = self.filters.last_mut().expect("there is one");
        if last.held < last.size.capacity(share) {
            last.insert(bits);
            return Ok(());
        }
        let entries = 4 * last.size.entries;
        if entries > ENTRIES_MAX {
            return Err(Burnt::Full);
        }
        let mut larger = Bloom::new(BloomSize { entries, ..last.size });
        larger.insert(bits);
        self.filters.push(larger);
        Ok(())
    }

    fn held(&self) -> u64 {
        self.filters.iter().map(|filter| filter.held).sum()
    }

    fn held_bytes(&self) -> usize {
        self.filters.iter().map(Bloom::held_bytes).sum()
    }
}

/// Two filters that take turns: one takes in what comes now, the other knows what came in the interval before.
#[derive(Clone, Debug)]
pub struct TwoFilters {
    /// How long each takes in: the age limit of continuations.
    interval: Duration,
    /// The most that each interval's may take for others, as a share.
    false_share_max: f64,
    hashes: u32,
    /// Since when it remembers: what was given out earlier may have been spent before its time.
    since: Wall,
    ends: Wall,
    now: Interval,
    before: Interval,
}

impl TwoFilters {
    /// Filters of this size to begin with. One that is as full as is good is helped by a larger one, and the next is as
    /// large as all that came in the last interval needs.
    pub fn new(now: Wall, interval: Duration, size: BloomSize, false_share_max: f64) -> TwoFilters {
        let empty = Interval::new(size);
        let ends = now.after(interval);
        TwoFilters {
            interval,
            false_share_max,
            hashes: size.hashes,
            since: now,
            ends,
            before: empty.clone(),
            now: empty,
        }
    }

    /// Spends the continuation that has these bits.
    ///
    /// # Errors
    /// [`Burnt`]: it was spent, or is taken for one that was; or more come than the largest filter is good for.
    pub fn burn(&mut self, now: Wall, bits: Bits, issued: Wall) -> Result<(), Burnt> {
        self.advance(now);
        if issued < self.since {
            return Err(Burnt::Forgotten);
        }
        if self.now.contains(bits) || self.before.contains(bits) {
            return Err(Burnt::Spent);
        }
        self.now.insert(bits, self.false_share_max)
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.now.held_bytes() + self.before.held_bytes()
    }

    fn advance(&mut self, now: Wall) {
        if now < self.ends {
            return;
        }
        let (held, mut size) = (self.now.held(), BloomSize { entries: ENTRIES_MIN, hashes: self.hashes });
        while size.capacity(self.false_share_max / 2.0) < held && 2 * size.entries <= ENTRIES_MAX {
            size.entries *= 2;
        }
        self.before = core::mem::replace(&mut self.now, Interval::new(size));
        if now.since(self.ends) >= self.interval {
            self.before = Interval::new(BloomSize { entries: ENTRIES_MIN, ..size });
        }
        self.ends = now.after(self.interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_crypto::{Blake3Key, Secret32};

    fn macs() -> impl Iterator<Item = Bits> {
        let key = Blake3Key::from_bytes(Secret32::from_bytes([3; 32]));
        (0_u64..).map(move |n| Bits::of_mac(&key.tag(&[&n.to_be_bytes()])))
    }

    /// The share of `asked` elements that a filter with `held` others takes for one of them.
    fn measured(size: BloomSize, held: usize, asked: usize) -> f64 {
        let (mut filter, mut macs) = (Bloom::new(size), macs());
        macs.by_ref().take(held).for_each(|bits| filter.insert(bits));
        macs.take(asked).filter(|bits| filter.contains(*bits)).count() as f64 / asked as f64
    }

    #[test]
    fn what_was_put_in_is_found_whatever_the_size() {
        for (entries, hashes) in [(1 << 21, 6), (1_583_327, 12), (1_333_328, 7), (1_000, 3), (1 << 24, 6)] {
            let mut filter = Bloom::new(BloomSize { entries, hashes });
            for bits in macs().take(10_000) {
                filter.insert(bits);
                assert!(filter.contains(bits));
            }
        }
    }

    #[test]
    fn at_the_paper_s_size_and_rate_one_filter_is_wrong_in_9_of_100_000() {
        // 83,333 continuations a second at 1 Gbit/s.
        let share = measured(BloomSize::PAPER, 83_333, 2_000_000);
        assert!((0.000_07..0.000_11).contains(&share), "{share}");
        assert!((BloomSize::PAPER.false_share(83_333) - 0.000_091).abs() < 0.000_002);
    }

    #[test]
    fn other_sizes_are_as_wrong_as_the_formula_says() {
        for (entries, hashes, held) in [(1_583_327, 12, 83_333), (1_333_328, 7, 83_333), (1 << 22, 6, 300_000)] {
            let size = BloomSize { entries, hashes };
            let (due, share) = (size.false_share(held as u64), measured(size, held, 1_000_000));
            assert!((share - due).abs() < 0.2 * due + 0.000_02, "{size:?}: {share} where {due} is due");
        }
    }

    fn filters(interval_ms: u64) -> TwoFilters {
        let size = BloomSize { entries: 1 << 14, hashes: 6 };
        TwoFilters::new(Wall::default(), Duration::from_millis(interval_ms), size, 0.000_2)
    }

    #[test]
    fn a_continuation_is_spent_once_for_as_long_as_it_is_good() {
        let mut filters = filters(1_000);
        let (all, mut refused): (Vec<Bits>, u32) = (macs().take(5_000).collect(), 0);
        for (step, bits) in (0_u64..).zip(&all) {
            let now = Wall::from_millis(step);
            let answer = filters.burn(now, *bits, now);
            refused += u32::from(answer.is_err());
            for back in [0, 500, 999] {
                let Some(earlier) = step.checked_sub(back) else { continue };
                let bits = all[earlier as usize];
                assert_eq!(filters.burn(now, bits, Wall::from_millis(earlier)), Err(Burnt::Spent), "{back} ms ago");
            }
        }
        assert!(refused <= 5, "{refused} of 5,000");
        let early = Wall::default();
        let mut later = TwoFilters::new(Wall::from_millis(9), Duration::from_secs(1), BloomSize::PAPER, 0.000_2);
        assert_eq!(later.burn(Wall::from_millis(10), all[0], early), Err(Burnt::Forgotten));
    }

    #[test]
    fn filters_grow_with_what_comes_and_shrink_again_and_are_seldom_wrong_meanwhile() {
        let (mut filters, mut macs, mut held, mut refused) = (filters(100), macs(), Vec::new(), 0);
        for (at, count) in [100, 40_000, 40_000, 40_000, 10, 10, 10].into_iter().enumerate() {
            let now = Wall::from_millis(100 * at as u64);
            for bits in macs.by_ref().take(count) {
                refused += u32::from(filters.burn(now, bits, now).is_err());
            }
            held.push(filters.held());
        }
        assert!(held[3] > 32 * held[0] && held[6] < held[0], "{held:?}");
        assert!(refused <= 48, "{refused} of 120,000, where two intervals are allowed 2 in 10,000 each");
    }

    #[test]
    fn when_more_come_than_the_largest_filter_is_good_for_they_are_refused_by_name() {
        let size = BloomSize { entries: ENTRIES_MAX, hashes: 6 };
        let mut filters = TwoFilters::new(Wall::default(), Duration::from_secs(1), size, 1e-30);
        let capacity = size.capacity(0.5e-30);
        let now = Wall::default();
        let refused = macs().take(capacity as usize + 10).filter(|bits| filters.burn(now, *bits, now).is_err()).count();
        assert_eq!(refused, 10);
        assert_eq!(filters.burn(now, macs().nth(capacity as usize + 10).unwrap(), now), Err(Burnt::Full));
    }
}
