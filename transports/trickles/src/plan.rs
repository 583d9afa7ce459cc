//! What a request releases, when packets before it are lost (Trickles 2.5).
//!
//! A *line* is a numbering of packets that no loss, timeout or undoing divides: an epoch and a tag that stands in its
//! nonces. A loss ends a line and begins another. All requests of a line compute the same plan, each from its own number
//! and the losses below it: the window of the loss, from the lost packet on, is as many packets as were under way; those
//! in its second half that arrive release one packet each, in the numbers after that window, and the others none.

use core::ops::{Range, RangeInclusive};

use crate::window::{Epoch, THRESHOLD_MIN};

/// Tells the nonces of one line from those of another. A client does not foresee it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tag(pub u32);

/// An epoch and its tag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Line {
    /// How its window grows.
    pub epoch: Epoch,
    /// What its nonces are bound to.
    pub tag: Tag,
}

/// A continuation that is spent: the numbers that it is worth, and where they stand.
#[derive(Clone, Debug)]
pub struct Spent {
    /// The line from which all is computed.
    pub root: Line,
    /// The tag of the line that the numbers belong to, which losses may have begun since.
    pub tag: Tag,
    /// The numbers.
    pub numbers: RangeInclusive<u64>,
}

/// What comes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// The line from which the continuations of what is released are computed.
    pub root: Line,
    /// The tag of the line that they belong to.
    pub tag: Tag,
    /// The numbers to be sent. None: the trickles end here.
    pub numbers: Range<u64>,
    /// Whether the window of a loss is not over: the losses from there on are to be shown again.
    pub shown_from: Option<u64>,
}

/// The losses that a request tells of do not go with its continuation: one of them is from a line that has gone another
/// way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction;

/// The loss that ends a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Loss {
    /// The first packet that is lost.
    first: u64,
    /// The last packet of its window.
    last: u64,
    /// Half of the window.
    half: u64,
}

impl Loss {
    fn of(epoch: &Epoch, first: u64) -> Loss {
        let window = epoch.window(first - 1);
        Loss { first, last: first + window - 1, half: (window / 2).max(THRESHOLD_MIN) }
    }

    /// The numbers that go on, if they arrive.
    fn goes_on(&self) -> Range<u64> {
        (self.last + 1 - self.half.min(self.last)).max(self.first)..self.last + 1
    }
}

/// How many of `numbers` are not `lost`: ranges in order that do not meet.
fn alive(numbers: Range<u64>, lost: &[Range<u64>]) -> u64 {
    let gone = |range: &Range<u64>| range.end.min(numbers.end).saturating_sub(range.start.max(numbers.start));
    numbers.end.saturating_sub(numbers.start) - lost.iter().map(gone).sum::<u64>()
}

/// The lines that losses make of one, in order: each with the loss that ends it, if there is one.
#[derive(Clone, Debug)]
struct Lines<'a, F> {
    line: Option<Line>,
    lost: &'a [Range<u64>],
    /// Nothing is known of what lies beyond.
    high: u64,
    after: F,
}

impl<'a, F: Fn(Tag, u64) -> Tag> Lines<'a, F> {
    fn new(root: Line, lost: &'a [Range<u64>], high: u64, after: F) -> Lines<'a, F> {
        Lines { line: Some(root), lost, high, after }
    }
}

impl<F: Fn(Tag, u64) -> Tag> Iterator for Lines<'_, F> {
    type Item = (Line, Option<Loss>);

    fn next(&mut self) -> Option<(Line, Option<Loss>)> {
        let line = self.line.take()?;
        let from = line.epoch.base() + 1;
        while self.lost.first().is_some_and(|range| range.end <= from) {
            self.lost = &self.lost[1..];
        }
        let first = self.lost.first().map(|range| range.start.max(from)).filter(|first| *first <= self.high);
        let loss = first.map(|first| Loss::of(&line.epoch, first));
        if let Some(loss) = loss.filter(|loss| loss.last < self.high) {
            let survivors = alive(loss.goes_on(), self.lost);
            let next = || Line { epoch: Epoch::new(loss.last, survivors, loss.half), tag: (self.after)(line.tag, loss.first) };
            self.line = (survivors > 0).then(next);
        }
        Some((line, loss))
    }
}

/// To which tags the numbers `from..=high` belong, when these of them are `lost`: pieces in order. They end early where
/// a loss has left no trickle.
pub fn tags<F: Fn(Tag, u64) -> Tag>(
    root: Line,
    lost: &[Range<u64>],
    (from, high): (u64, u64),
    after: F,
) -> impl Iterator<Item = (Range<u64>, Tag)> {
    Lines::new(root, lost, high, after).filter_map(move |(line, loss)| {
        let end = loss.map_or(high, |loss| loss.last.min(high)) + 1;
        let piece = (line.epoch.base() + 1).max(from)..end;
        (!piece.is_empty()).then_some((piece, line.tag))
    })
}

/// What `spent` releases, when `lost` is what is lost up to its last number: ranges in order that do not meet. `after`
/// is the tag of the line that a loss begins.
///
/// # Errors
/// [`Contradiction`].
pub fn release(spent: &Spent, lost: &[Range<u64>], after: impl Fn(Tag, u64) -> Tag) -> Result<Release, Contradiction> {
    let (low, high) = (*spent.numbers.start(), *spent.numbers.end());
    for (line, loss) in Lines::new(spent.root, lost, high, &after) {
        // What stands before the loss is not touched by it. What stands behind it in the same pair is the loss itself.
        let untouched = loss.map_or(high, |loss| loss.first - 1);
        let ends = loss.map_or(high, |loss| loss.last);
        if high > ends && low > untouched {
            if low <= ends {
                return Err(Contradiction);
            }
            continue;
        }
        if spent.tag != line.tag || low <= line.epoch.base() {
            return Err(Contradiction);
        }
        return Ok(match loss {
            Some(loss) if untouched < low => {
                let goes_on = loss.goes_on();
                let before = goes_on.start..low.max(goes_on.start);
                let own = low.max(goes_on.start)..(high + 1).max(goes_on.start);
                let start = loss.last + 1 + alive(before, lost);
                let numbers = start..start + alive(own, lost);
                Release { root: line, tag: after(line.tag, loss.first), numbers, shown_from: Some(loss.first) }
            }
            loss => {
                let start = low + line.epoch.window(low - 1);
                let end = untouched + line.epoch.window(untouched) + 1;
                Release { root: line, tag: line.tag, numbers: start..end, shown_from: loss.map(|loss| loss.first) }
            }
        });
    }
    Err(Contradiction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, VecDeque};

    struct Draw(u64);

    impl Draw {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        }
        fn below(&mut self, n: u64) -> u64 {
            self.next() % n
        }
    }

    fn after(tag: Tag, lost: u64) -> Tag {
        Tag(((u64::from(tag.0) ^ lost).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32)
    }

    /// A sender that remembers all: the window by counting, losses seen in order, one cut a window, and after it as many
    /// packets under way as have survived.
    struct Direct {
        next: u64,
        window: u64,
        threshold: u64,
        counted: u64,
        /// The end of the window of the loss, and what has come of it.
        recovery: Option<(u64, u64, u64)>,
    }

    impl Direct {
        /// Packet `number` is acknowledged, or known to be lost. Answers how many are sent.
        fn handle(&mut self, number: u64, arrived: bool) -> u64 {
            if let Some((last, half, survivors)) = &mut self.recovery
                && number <= *last
            {
                let sent = u64::from(arrived && number + *half > *last);
                *survivors += sent;
                self.next += sent;
                return sent;
            }
            if let Some((_, half, survivors)) = self.recovery.take() {
                (self.window, self.threshold, self.counted) = (survivors, half, 0);
            }
            if !arrived {
                let (last, half) = (number + self.window - 1, (self.window / 2).max(2));
                self.recovery = Some((last, half, 0));
                return 0;
            }
            let before = self.window;
            if self.window < self.threshold {
                self.window += 1;
            } else {
                self.counted += 1;
                if self.counted == self.window {
                    (self.window, self.counted) = (self.window + 1, 0);
                }
            }
            let sent = 1 + self.window - before;
            self.next += sent;
            sent
        }
    }

    #[test]
    fn whatever_is_lost_each_number_is_released_once_and_as_many_as_a_sender_with_a_memory_sends() {
        let (mut losses, mut ended) = (0, 0);
        for seed in 0..10_000 {
            let mut draw = Draw(seed);
            let start = 1 + draw.below(40);
            let threshold = start + draw.below(60);
            let (rate, burst) = (draw.below(80), 1 + draw.below(6));
            let root = Line { epoch: Epoch::new(0, start, threshold), tag: Tag(1) };
            let mut direct = Direct { next: start + 1, window: start, threshold, counted: 0, recovery: None };
            // Pairs under way: the continuation, and where losses are to be shown from.
            let mut under_way = VecDeque::new();
            let send = |under_way: &mut VecDeque<(Spent, u64)>, root: Line, tag, numbers: Range<u64>, from: u64| {
                let mut at = numbers.start;
                while at < numbers.end {
                    let last = (at + 1).min(numbers.end - 1);
                    under_way.push_back((Spent { root, tag, numbers: at..=last }, from));
                    at = last + 1;
                }
            };
            send(&mut under_way, root, root.tag, 1..start + 1, 1);
            let (mut next, mut lost, mut left) = (start + 1, Vec::<Range<u64>>::new(), 0);
            let mut nonces = BTreeMap::new();
            while let Some((spent, from)) = under_way.pop_front() {
                let (low, high) = (*spent.numbers.start(), *spent.numbers.end());
                if high > 3_000 {
                    break;
                }
                let mut arrived = false;
                let mut sent = 0;
                for number in low..=high {
                    assert_eq!(nonces.insert(number, spent.tag), None, "each once");
                    if left == 0 && draw.below(1_000) < rate {
                        left = 1 + draw.below(burst);
                    }
                    let is_lost = left > 0;
                    left -= u64::from(is_lost);
                    if is_lost {
                        losses += 1;
                        match lost.last_mut() {
                            Some(range) if range.end == number => range.end += 1,
                            _ => lost.push(number..number + 1),
                        }
                    }
                    arrived |= !is_lost;
                    sent += direct.handle(number, !is_lost);
                }
                if !arrived {
                    assert_eq!(sent, 0, "nobody asks");
                    continue;
                }
                let shown: Vec<_> = lost.iter().filter(|range| range.end > from).cloned().collect();
                let release = release(&spent, &shown, after).expect("an honest client");
                let mut told = from..from;
                for (piece, tag) in tags(spent.root, &shown, (from, high), after) {
                    assert_eq!(piece.start, told.end);
                    assert!(piece.clone().all(|number| nonces[&number] == tag), "seed {seed}: {piece:?} {tag:?}");
                    told.end = piece.end;
                }
                assert_eq!(told.end, high + 1);
                assert_eq!(release.numbers.end - release.numbers.start, sent, "seed {seed} at {low}: {spent:?} {shown:?} {release:?}");
                if sent > 0 {
                    assert_eq!(release.numbers.start, next, "contiguous");
                }
                next += sent;
                assert_eq!(next, direct.next);
                let flight = next - 1 - high;
                assert!(flight <= direct.window || direct.recovery.is_some(), "{flight} under way");
                let from = release.shown_from.unwrap_or(high + 1);
                send(&mut under_way, release.root, release.tag, release.numbers, from);
            }
            ended += u64::from(under_way.is_empty());
        }
        assert!(losses > 100_000 && ended < 9_000, "{losses} lost, {ended} ended for want of survivors");
        println!("{losses} packets lost, {ended} of 10,000 ended for want of survivors");
    }
}
