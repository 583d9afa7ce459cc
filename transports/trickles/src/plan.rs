//! What a request releases, when packets before it are lost (Trickles 2.5).
//!
//! A *line* is a numbering of packets that no loss, timeout or undoing divides: a growth of the window, and a tag that
//! stands in its nonces. A loss ends a line and begins another. All requests of a line compute the same plan, each from
//! its own number and the losses below it: the window of the loss, from the lost packet on, is as many packets as were
//! under way; those in its second half that arrive release one packet each, in the numbers after that window, and the
//! others none.

use core::ops::{Range, RangeInclusive};

use crate::window::{Growth, THRESHOLD_MIN};

/// Tells the nonces of one line from those of another. A client does not foresee it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Tag(pub u32);

/// A growth of the window and its tag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Line {
    /// How its window grows.
    pub growth: Growth,
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
    fn of(growth: &Growth, first: u64) -> Loss {
        let window = growth.window(first - 1);
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
        let from = line.growth.base() + 1;
        while self.lost.first().is_some_and(|range| range.end <= from) {
            self.lost = &self.lost[1..];
        }
        let first = self.lost.first().map(|range| range.start.max(from)).filter(|first| *first <= self.high);
        let loss = first.map(|first| Loss::of(&line.growth, first));
        if let Some(loss) = loss.filter(|loss| loss.last < self.high) {
            let survivors = alive(loss.goes_on(), self.lost);
            let next = || Line {
                growth: Growth::new(loss.last, survivors, loss.half),
                tag: (self.after)(line.tag, loss.first),
            };
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
        let piece = (line.growth.base() + 1).max(from)..end;
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
        if spent.tag != line.tag || low <= line.growth.base() {
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
                let numbers = line.growth.released(low, untouched);
                Release { root: line, tag: line.tag, numbers, shown_from: loss.map(|loss| loss.first) }
            }
        });
    }
    Err(Contradiction)
}

#[cfg(test)]
mod liars;
#[cfg(test)]
mod tests;
