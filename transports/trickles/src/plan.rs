//! What a request releases, when packets before it are lost (Trickles 2.5).
//!
//! A *line* is a numbering of packets that no loss and no timeout divides: the growth of a window, and a tag that
//! stands in its nonces. A loss ends a line, and the line has one heir. All requests compute the same plan, each from
//! its own number and the losses below it: the window of the loss, from the lost packet on, is as many packets as were
//! under way; those in its second half that arrive release one packet each, in the numbers after that window, and the
//! others none.
//!
//! A client might tell each request another story. [`told`] lists what a story says of each line; a server holds a
//! client to what it has told first ([`replay::Stories`](crate::replay)).

use core::ops::{Range, RangeInclusive};

use crate::NUMBER_LIMIT;
use crate::window::{Growth, THRESHOLD_MIN};

/// Tells the nonces of one line from those of another. A client does not foresee it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tag(pub u32);

/// A stretch of packets whose window one formula gives.
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
    /// The tag of the numbers, which losses may have changed since.
    pub tag: Tag,
    /// The numbers.
    pub numbers: RangeInclusive<u64>,
}

/// What a client tells of the packets of the root line and of those that follow it.
#[derive(Clone, Copy, Debug)]
pub struct Story<'a> {
    /// What is lost: ranges in order that do not meet.
    pub lost: &'a [Range<u64>],
    /// Whether all that was lost of the first window came late: the cut of that window is taken back.
    pub is_undone: bool,
}

impl Spent {
    /// The window when all before the numbers came.
    fn window(&self) -> u64 {
        self.root.growth.window(*self.numbers.end())
    }
}

impl Story<'static> {
    /// All came.
    pub const WHOLE: Story<'static> = Story { lost: &[], is_undone: false };
}

/// What changes a tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The first loss of a line.
    Loss(u64),
    /// Further losses among the packets that go on: the first, and the first after it that came.
    Gap(u64, u64),
    /// The cut that this loss began is taken back.
    Undone(u64),
    /// A timeout, of a client that shows this packet, at that time.
    Timeout(u64, u64),
}

/// Packets that one request releases at most. Lines begin with the initial window of 10, and a pair releases four: what
/// would release more was never given out.
pub const PACKETS_PER_RELEASE_MAX: u64 = 64;

/// What comes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// The line from which the continuations of what is released are computed.
    pub root: Line,
    /// The tag of what is released.
    pub tag: Tag,
    /// The numbers to be sent. None: the trickles end here.
    pub numbers: Range<u64>,
    /// Where proofs of what is released begin: at the first loss of the root line while its story has to be shown
    /// again, at the start of a line that a timeout begins. None: behind what was spent.
    pub shown_from: Option<u64>,
}

/// A story that does not go with its continuation: one of them is from a line that has gone another way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Contradiction;

/// What a story says of one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// Nothing of this line is lost up to that number.
    Whole(Tag, u64),
    /// This is the first that is lost of it.
    Loss(Tag, u64),
    /// The tag of its heir: it stands for all that matters of the window of the loss.
    Heir(Tag, Tag),
}

/// The loss that ends a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Loss {
    /// The first packet that is lost.
    first: u64,
    /// The last packet of its window.
    last: u64,
    /// Its window.
    window: u64,
}

impl Loss {
    fn of(growth: &Growth, first: u64) -> Loss {
        let window = growth.window(first - 1);
        Loss { first, last: first + window - 1, window }
    }

    /// The window after it.
    fn half(&self) -> u64 {
        (self.window / 2).max(THRESHOLD_MIN)
    }

    /// The numbers that go on, if they arrive.
    fn goes_on(&self) -> Range<u64> {
        (self.last + 1 - self.half().min(self.last)).max(self.first)..self.last + 1
    }

    /// Those of them that are lost: ranges in order.
    fn gaps<'a>(&self, lost: &'a [Range<u64>]) -> impl Iterator<Item = Range<u64>> + use<'a> {
        let goes_on = self.goes_on();
        let cut = move |range: &Range<u64>| range.start.max(goes_on.start)..range.end.min(goes_on.end);
        lost.iter().map(cut).filter(|range| !range.is_empty())
    }

    /// What the packets of `line` that go on release, in pieces without a loss between them: the packets, what they
    /// release, and its tag. The last piece may be empty; its tag is that of the heir.
    fn pieces(&self, line: Tag, lost: &[Range<u64>], after: impl Fn(Tag, Turn) -> Tag) -> impl Iterator<Item = Piece> {
        let end = self.last + 1;
        let (mut at, mut child, mut tag) = (self.goes_on().start, end, after(line, Turn::Loss(self.first)));
        let ends = self.gaps(lost).map(Some).chain([None]);
        ends.map(move |gap| {
            let came = at..gap.as_ref().map_or(end, |gap| gap.start);
            let piece = Piece { released: child..child + (came.end - came.start), came, tag };
            if let Some(gap) = gap {
                (at, child, tag) = (gap.end, piece.released.end, after(tag, Turn::Gap(gap.start, gap.end)));
            }
            piece
        })
    }

    /// What `low..=high` of its window release, and its tag.
    fn released(
        &self,
        line: Tag,
        (low, high): (u64, u64),
        lost: &[Range<u64>],
        after: impl Fn(Tag, Turn) -> Tag,
    ) -> (Tag, Range<u64>) {
        let is_own = |piece: &Piece| piece.came.contains(&low) || piece.came.contains(&high);
        match self.pieces(line, lost, after).find(is_own) {
            Some(Piece { came, released, tag }) => {
                let own = low.max(came.start)..(high + 1).min(came.end);
                let start = released.start + (own.start - came.start);
                (tag, start..start + (own.end - own.start))
            }
            None => (line, high + 1..high + 1),
        }
    }
}

/// Packets that go on, and what they release.
struct Piece {
    came: Range<u64>,
    released: Range<u64>,
    tag: Tag,
}

/// A line as a story has it.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    line: Line,
    /// The last number whose tag is not that of the line.
    mixed: u64,
    /// The loss that ends it, if there is one.
    loss: Option<Loss>,
}

/// The lines that losses make of one, in order.
#[derive(Clone, Debug)]
struct Lines<'a, F> {
    next: Option<(Line, u64)>,
    story: Story<'a>,
    /// Nothing is known of what lies beyond.
    high: u64,
    after: F,
}

impl<'a, F: Fn(Tag, Turn) -> Tag> Lines<'a, F> {
    fn new(root: Line, story: Story<'a>, high: u64, after: F) -> Lines<'a, F> {
        Lines { next: Some((root, root.growth.base())), story, high, after }
    }

    /// The line behind the window of a loss, if anything is left of it.
    fn heir(&self, line: &Line, loss: &Loss) -> Option<(Line, u64)> {
        let last = loss.pieces(line.tag, self.story.lost, &self.after).last()?;
        let (threshold, tag, mixed) = match self.story.is_undone {
            // Slow start goes as far as it would have gone without the cut.
            true => {
                let threshold = loss.window.max(line.growth.threshold());
                (threshold, (self.after)(last.tag, Turn::Undone(loss.first)), last.released.end - 1)
            }
            false => (loss.half(), last.tag, last.released.start - 1),
        };
        let start = last.released.end - (loss.last + 1);
        (start > 0).then(|| (Line { growth: Growth::new(loss.last, start, threshold), tag }, mixed))
    }
}

impl<F: Fn(Tag, Turn) -> Tag> Iterator for Lines<'_, F> {
    type Item = Stretch;

    fn next(&mut self) -> Option<Stretch> {
        let (line, mixed) = self.next.take()?;
        let from = line.growth.base() + 1;
        let first = self.story.lost.iter().find(|range| range.end > from).map(|range| range.start.max(from));
        let loss = first.filter(|first| *first <= self.high).map(|first| Loss::of(&line.growth, first));
        if let Some(loss) = loss.filter(|loss| loss.last < self.high) {
            self.next = self.heir(&line, &loss);
            // Only the first window is taken back: what follows it is not settled yet.
            self.story.is_undone = false;
        }
        Some(Stretch { line, mixed, loss })
    }
}

/// The line that a timeout begins (Trickles 2.5): behind all that was released by what the client has, with a window of
/// `initial` packets, and slow start up to half of what it was. Of a path over which nothing came but a set-up nothing
/// is known: slow start from one packet ends there where it would have ended (RFC 5681, section 3.1, of a lost SYN).
pub fn line_after_timeout(spent: &Spent, initial: u64, tag: Tag) -> Line {
    let growth = &spent.root.growth;
    let is_first = *spent.numbers.end() == growth.base() && initial == 1;
    line_anew(spent, initial, if is_first { growth.threshold() } else { spent.window() / 2 }, tag)
}

/// The line that a timeout begins at a server that was started lately and does not know what is spent: that says
/// nothing of the path. Slow start goes up to what the window was, or to where it would have gone.
pub fn line_after_restart(spent: &Spent, initial: u64, tag: Tag) -> Line {
    line_anew(spent, initial, spent.window().max(spent.root.growth.threshold()), tag)
}

fn line_anew(spent: &Spent, initial: u64, threshold: u64, tag: Tag) -> Line {
    // Twice the window: the numbers of an heir lie behind those of the window of the loss.
    let base = spent.numbers.end().saturating_add(2 * spent.window()).min(NUMBER_LIMIT - 1);
    Line { growth: Growth::new(base, initial, threshold.max(initial)), tag }
}

/// To which tags the numbers `from..=high` belong: pieces in order, handed to `each`. Answers where they end: before
/// `high` if a loss has left no trickle.
pub fn tags<F: Fn(Tag, Turn) -> Tag>(
    root: Line,
    story: Story<'_>,
    (from, high): (u64, u64),
    after: F,
    mut each: impl FnMut(Range<u64>, Tag),
) -> u64 {
    let (mut told, end) = (from.min(root.growth.base() + 1), high + 1);
    let mut tell = |to: u64, tag| {
        let piece = told.max(from)..to.min(end);
        if !piece.is_empty() {
            each(piece, tag);
        }
        told = told.max(to.min(end));
        told
    };
    let mut reached = 0;
    for Stretch { line, loss, .. } in Lines::new(root, story, high, &after) {
        let Some(loss) = loss else { return tell(end, line.tag) };
        reached = tell(loss.last + 1, line.tag);
        if loss.last < high {
            for piece in loss.pieces(line.tag, story.lost, &after) {
                reached = tell(piece.released.end, piece.tag);
            }
        }
    }
    reached
}

/// What is lost of the window of a line's first loss, in order.
pub fn first_gaps<'a>(growth: &Growth, lost: &'a [Range<u64>]) -> impl Iterator<Item = Range<u64>> + use<'a> {
    let from = growth.base() + 1;
    let first = lost.iter().find(|range| range.end > from).map(|range| Loss::of(growth, range.start.max(from)));
    let window = first.map_or(0..0, |loss| loss.first..loss.last + 1);
    let cut = move |range: &Range<u64>| range.start.max(window.start)..range.end.min(window.end);
    lost.iter().map(cut).filter(|range| !range.is_empty())
}

/// What a story says, up to the last of its continuation's numbers: one or two things of each line.
///
/// # Errors
/// Whatever `each` answers.
pub fn told<E>(
    root: Line,
    story: Story<'_>,
    high: u64,
    after: impl Fn(Tag, Turn) -> Tag,
    mut each: impl FnMut(Told) -> Result<(), E>,
) -> Result<(), E> {
    let mut parent: Option<Tag> = None;
    for Stretch { line, loss, .. } in Lines::new(root, story, high, after) {
        if let Some(parent) = parent {
            each(Told::Heir(parent, line.tag))?;
        }
        each(loss.map_or(Told::Whole(line.tag, high), |loss| Told::Loss(line.tag, loss.first)))?;
        parent = Some(line.tag);
    }
    Ok(())
}

/// What `spent` releases, when that is its story up to its last number. `after` is what a turn makes of a tag.
///
/// # Errors
/// [`Contradiction`].
pub fn release(spent: &Spent, story: Story<'_>, after: impl Fn(Tag, Turn) -> Tag) -> Result<Release, Contradiction> {
    let (low, high) = (*spent.numbers.start(), *spent.numbers.end());
    let mut owned = None;
    tags(spent.root, story, (low, high), &after, |piece, tag| {
        if piece == (low..high + 1) {
            owned = Some(tag);
        }
    });
    if owned != Some(spent.tag) {
        return Err(Contradiction);
    }
    let mut first_loss = None;
    for Stretch { line, mixed, loss } in Lines::new(spent.root, story, high, &after) {
        // What stands before the loss is not touched by it. What stands behind it in the same pair is the loss itself.
        let untouched = loss.map_or(high, |loss| loss.first - 1);
        let (tag, numbers) = match loss.filter(|_| untouched < low) {
            Some(loss) if loss.last < low => {
                first_loss = first_loss.or(Some(loss.first));
                continue;
            }
            Some(loss) => loss.released(line.tag, (low, high), story.lost, &after),
            None if low == line.growth.base() => (line.tag, line.growth.first()),
            None => (line.tag, line.growth.released(low, untouched)),
        };
        let is_within =
            numbers.end < NUMBER_LIMIT && numbers.end.saturating_sub(numbers.start) <= PACKETS_PER_RELEASE_MAX;
        if numbers.start <= high || !is_within {
            return Err(Contradiction);
        }
        // Tags that only the whole story gives are told by it until they are settled.
        let shown_from = loss.map(|loss| loss.first);
        return Ok(match shown_from.unwrap_or(high + 1) > mixed {
            true => Release { root: line, tag, numbers, shown_from },
            false => Release { root: spent.root, tag, numbers, shown_from: first_loss },
        });
    }
    Err(Contradiction)
}

#[cfg(test)]
mod liars;
#[cfg(test)]
pub(crate) mod tests;
