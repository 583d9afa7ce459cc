//! The paper's filter: two Bloom filters that take turns (Trickles 2.2, figure 4 B).

use core::time::Duration;

use tng_base::Instant;
use tng_crypto::BLAKE3_TAG_LEN;
use tng_wire::Reader;

use super::handed::{read_words, write_words};
use super::{Burnt, HandedError, prefault};

/// Bits of one hash: what the paper takes from a MAC of 128, six times.
const HASH_BITS: u32 = 21;
/// Hashes that one MAC gives.
const HASHES_PER_MAC: u32 = 128 / HASH_BITS;
/// Most hashes of a filter: more make it wrong more often at any size that is of use.
pub const HASHES_MAX: u32 = 2 * HASHES_PER_MAC;
/// Most entries of a filter.
pub const ENTRIES_MAX: u64 = 1 << 27;
/// Filters of an interval at most: each is four times as large as the one before.
const INTERVAL_FILTERS_MAX: u8 = 14;
/// Fewest entries of a filter.
const ENTRIES_MIN: u64 = 1 << 12;

/// How large a filter is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BloomSize {
    entries: u64,
    hashes: u32,
}

/// Why there is no filter of a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BloomSizeError {
    /// It has no entries, or too many.
    #[error("a filter has 1 to {ENTRIES_MAX} entries, and not {asked}")]
    Entries {
        /// What was asked for.
        asked: u64,
    },
    /// It takes everything for what it holds, or hashes more often than is of use.
    #[error("a filter takes 1 to {HASHES_MAX} hashes of an element, and not {asked}")]
    Hashes {
        /// What was asked for.
        asked: u32,
    },
}

impl BloomSize {
    /// `entries` bits in the table, [`ENTRIES_MAX`] at most, and `hashes` bits that each element sets, [`HASHES_MAX`]
    /// at most.
    ///
    /// # Errors
    /// [`BloomSizeError`].
    pub const fn new(entries: u64, hashes: u32) -> Result<BloomSize, BloomSizeError> {
        if entries == 0 || entries > ENTRIES_MAX {
            return Err(BloomSizeError::Entries { asked: entries });
        }
        if hashes == 0 || hashes > HASHES_MAX {
            return Err(BloomSizeError::Hashes { asked: hashes });
        }
        Ok(BloomSize { entries, hashes })
    }

    /// The paper's: 2,097,152 entries and six hashes of 21 bits.
    pub const PAPER: BloomSize = BloomSize { entries: 1 << HASH_BITS, hashes: HASHES_PER_MAC };

    /// A part of it, rounded up: so many parts hold as much as the whole.
    #[must_use]
    pub const fn divided(self, of: u64) -> BloomSize {
        BloomSize { entries: self.entries.div_ceil(of), ..self }
    }

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
        Bloom { size, words: vec![0; size.entries.div_ceil(64) as usize].into_boxed_slice(), held: 0 }
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

    /// See [`Server::prefault_memory`](crate::server::Server::prefault_memory).
    fn prefault(&mut self) {
        prefault(&mut self.words);
    }

    /// Bytes that it holds.
    pub fn held_bytes(&self) -> usize {
        size_of_val::<[u64]>(&self.words)
    }

    fn write(&self, out: &mut Vec<u8>) {
        let used = self.words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        out.extend_from_slice(&self.size.entries.to_be_bytes());
        out.extend_from_slice(&self.held.to_be_bytes());
        write_words(&self.words[..used], out);
    }

    fn read(reader: &mut Reader<'_>, hashes: u32) -> Result<Bloom, HandedError> {
        let size = BloomSize::new(reader.u64()?, hashes).map_err(|_| HandedError::Malformed)?;
        let mut filter = Bloom { held: reader.u64()?, ..Bloom::new(size) };
        read_words(reader, &mut filter.words)?;
        Ok(filter)
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

/// Bits that nobody foresees, and that hashes are cut from: those of a MAC, and two numbers that come of them.
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

    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.filters.len() as u8);
        self.filters.iter().for_each(|filter| filter.write(out));
    }

    fn read(reader: &mut Reader<'_>, hashes: u32) -> Result<Interval, HandedError> {
        let count = reader.u8()?;
        if !(1..=INTERVAL_FILTERS_MAX).contains(&count) {
            return Err(HandedError::Malformed);
        }
        let filters = (0..count).map(|_| Bloom::read(reader, hashes)).collect::<Result<_, _>>()?;
        Ok(Interval { filters })
    }

    fn held_bytes(&self) -> usize {
        self.filters.iter().map(Bloom::held_bytes).sum()
    }
}

/// Two filters that take turns: one takes in what comes now, the other knows what came in the interval before. Time is
/// the driver's: no clock that is set makes a server forget.
#[derive(Clone, Debug)]
pub struct TwoFilters {
    /// How long each takes in, and remembers at least.
    interval: Duration,
    /// The most that each interval's may take for others, as a share.
    false_share_max: f64,
    hashes: u32,
    ends: Instant,
    now: Interval,
    before: Interval,
}

impl TwoFilters {
    /// Filters of this size to begin with, for continuations that are good for `interval`
    /// ([`Horizon::remembered`](crate::Horizon::remembered)). One that is as full as is good is helped by a larger one,
    /// and the next is as large as all that came in the last interval needs.
    pub fn new(now: Instant, interval: Duration, size: BloomSize, false_share_max: f64) -> TwoFilters {
        let empty = Interval::new(size);
        let ends = now + interval;
        TwoFilters { interval, false_share_max, hashes: size.hashes, ends, before: empty.clone(), now: empty }
    }

    /// Spends the continuation that has these bits. Its seal and its age are checked before
    /// ([`Horizon::judge`](crate::Horizon::judge)).
    ///
    /// # Errors
    /// [`Burnt`]: it was spent, or is taken for one that was; or more come than the largest filter is good for.
    pub fn burn(&mut self, now: Instant, bits: Bits) -> Result<(), Burnt> {
        self.advance(now);
        if self.now.contains(bits) || self.before.contains(bits) {
            return Err(Burnt::Spent);
        }
        self.now.insert(bits, self.false_share_max)
    }

    /// See [`Server::prefault_memory`](crate::server::Server::prefault_memory).
    pub(super) fn prefault(&mut self) {
        self.now.filters.iter_mut().chain(&mut self.before.filters).for_each(Bloom::prefault);
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.now.held_bytes() + self.before.held_bytes()
    }

    /// Writes down what is spent.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.hashes.to_be_bytes());
        self.now.write(out);
        self.before.write(out);
    }

    /// The same, with what another has written down in the place of what these know. It is remembered for as long as
    /// if it came now.
    pub(super) fn taking_over(&self, now: Instant, reader: &mut Reader<'_>) -> Result<TwoFilters, HandedError> {
        if reader.u32()? != self.hashes {
            return Err(HandedError::OtherFilter);
        }
        let (lately, before) = (Interval::read(reader, self.hashes)?, Interval::read(reader, self.hashes)?);
        Ok(TwoFilters { ends: now + self.interval, now: lately, before, ..self.clone() })
    }

    fn advance(&mut self, now: Instant) {
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
        self.ends = now + self.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_crypto::{Blake3Key, Secret32};

    fn size(entries: u64, hashes: u32) -> BloomSize {
        BloomSize::new(entries, hashes).unwrap()
    }

    #[test]
    fn a_filter_without_entries_or_hashes_or_with_too_many_is_refused() {
        for asked in [0, ENTRIES_MAX + 1, u64::MAX] {
            assert_eq!(BloomSize::new(asked, 6), Err(BloomSizeError::Entries { asked }));
        }
        for asked in [0, HASHES_MAX + 1, u32::MAX] {
            assert_eq!(BloomSize::new(1, asked), Err(BloomSizeError::Hashes { asked }));
        }
    }

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
            let mut filter = Bloom::new(size(entries, hashes));
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
            let size = size(entries, hashes);
            let (due, share) = (size.false_share(held as u64), measured(size, held, 1_000_000));
            assert!((share - due).abs() < 0.2 * due + 0.000_02, "{size:?}: {share} where {due} is due");
        }
    }

    fn filters(interval_ms: u64) -> TwoFilters {
        TwoFilters::new(Instant::ZERO, Duration::from_millis(interval_ms), size(1 << 14, 6), 0.000_2)
    }

    #[test]
    fn a_continuation_is_spent_once_for_as_long_as_it_is_good() {
        let mut filters = filters(1_000);
        let (all, mut refused): (Vec<Bits>, u32) = (macs().take(5_000).collect(), 0);
        for (step, bits) in (0_u64..).zip(&all) {
            let now = Instant::from_millis(step);
            let answer = filters.burn(now, *bits);
            refused += u32::from(answer.is_err());
            for back in [0, 500, 999] {
                let Some(earlier) = step.checked_sub(back) else { continue };
                let bits = all[earlier as usize];
                assert_eq!(filters.burn(now, bits), Err(Burnt::Spent), "{back} ms ago");
            }
        }
        assert!(refused <= 5, "{refused} of 5,000");
    }

    #[test]
    fn filters_grow_with_what_comes_and_shrink_again_and_are_seldom_wrong_meanwhile() {
        let (mut filters, mut macs, mut held, mut refused) = (filters(100), macs(), Vec::new(), 0);
        for (at, count) in [100, 40_000, 40_000, 40_000, 10, 10, 10].into_iter().enumerate() {
            let now = Instant::from_millis(100 * at as u64);
            for bits in macs.by_ref().take(count) {
                refused += u32::from(filters.burn(now, bits).is_err());
            }
            held.push(filters.held());
        }
        assert!(held[3] > 32 * held[0] && held[6] < held[0], "{held:?}");
        assert!(refused <= 48, "{refused} of 120,000, where two intervals are allowed 2 in 10,000 each");
    }

    #[test]
    fn when_more_come_than_the_largest_filter_is_good_for_they_are_refused_by_name() {
        let size = size(ENTRIES_MAX, 6);
        let mut filters = TwoFilters::new(Instant::ZERO, Duration::from_secs(1), size, 1e-30);
        let capacity = size.capacity(0.5e-30);
        let now = Instant::ZERO;
        let refused = macs().take(capacity as usize + 10).filter(|bits| filters.burn(now, *bits).is_err()).count();
        assert_eq!(refused, 10);
        assert_eq!(filters.burn(now, macs().nth(capacity as usize + 10).unwrap()), Err(Burnt::Full));
    }
}
