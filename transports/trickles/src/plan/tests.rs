//! What is released, against a sender that remembers all.

use std::collections::{BTreeMap, VecDeque};

use tng_base::Rng;

use super::*;
use crate::window::tests::Reno;

pub(crate) fn after(tag: Tag, turn: Turn) -> Tag {
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    let (kind, from, to) = match turn {
        Turn::Loss(first) => (1, first, first),
        Turn::Gap(from, to) => (2, from, to),
        Turn::Undone(first) => (3, first, first),
        Turn::Timeout(high, time) => (4, high, time),
    };
    Tag((mix(mix(mix(mix(7, u64::from(tag.0)), kind), from), to) >> 32) as u32)
}

/// A sender that remembers all: the window by counting, losses seen in order, one cut a window, and after it as many
/// packets under way as have survived.
struct Direct {
    next: u64,
    reno: Reno,
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
            self.reno = Reno { window: survivors, threshold: half, counted: 0 };
        }
        if !arrived {
            let (last, half) = (number + self.reno.window - 1, (self.reno.window / 2).max(2));
            self.recovery = Some((last, half, 0));
            return 0;
        }
        let before = self.reno.window;
        let sent = 1 + self.reno.acknowledge() - before;
        self.next += sent;
        sent
    }
}

#[test]
fn whatever_is_lost_each_number_is_released_once_and_as_many_as_a_sender_with_a_memory_sends() {
    let (mut losses, mut ended) = (0, 0);
    for seed in 0..10_000 {
        let mut draw = Rng::from_u64(seed);
        let start = 1 + draw.below(40);
        let threshold = start + draw.below(60);
        let (rate, burst) = (draw.below(80), 1 + draw.below(6));
        let root = Line { growth: Growth::new(0, start, threshold), tag: Tag(1) };
        let mut direct =
            Direct { next: start + 1, reno: Reno { window: start, threshold, counted: 0 }, recovery: None };
        // Pairs under way: the continuation, and where losses must be shown from.
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
            let story = Story { lost: &shown, is_undone: false };
            let release = release(&spent, story, after).expect("an honest client");
            let mut told = from..from;
            let reached = tags(spent.root, story, (from, high), after, |piece, tag| {
                assert_eq!(piece.start, told.end);
                assert!(piece.clone().all(|number| nonces[&number] == tag), "seed {seed}: {piece:?} {tag:?}");
                told.end = piece.end;
            });
            assert_eq!((told.end, reached), (high + 1, high + 1));
            assert_eq!(
                release.numbers.end - release.numbers.start,
                sent,
                "seed {seed} at {low}: {spent:?} {shown:?} {release:?}"
            );
            if sent > 0 {
                assert_eq!(release.numbers.start, next, "contiguous");
            }
            next += sent;
            assert_eq!(next, direct.next);
            // In recovery the window is that of the loss.
            let (flight, window) = (next - 1 - high, direct.reno.window);
            assert!(flight <= window, "seed {seed}: {flight} under way, the window is {window}");
            let behind = release.shown_from.unwrap_or(high + 1);
            assert!(behind >= from, "seed {seed}: what was settled is shown again, from {behind} and not {from}");
            send(&mut under_way, release.root, release.tag, release.numbers, behind);
        }
        ended += u64::from(under_way.is_empty());
    }
    assert!(losses > 100_000 && ended < 9_000, "{losses} lost, {ended} ended for want of survivors");
    println!("{losses} packets lost, {ended} of 10,000 ended for want of survivors");
}

#[test]
fn after_a_cut_that_is_taken_back_slow_start_ends_where_it_would_have_ended() {
    let heir = |growth, is_undone| {
        let root = Line { growth, tag: Tag(1) };
        let gap = 5..6;
        let (lost, end) = ([gap], 5 + growth.window(4));
        // The last packet that the window of the loss releases: all behind it is the heir's.
        let last = end + growth.window(4) / 2 - 1;
        let spent = Spent { root, tag: after(root.tag, Turn::Loss(5)), numbers: last..=last };
        let Release { root, .. } = release(&spent, Story { lost: &lost, is_undone }, after).expect("an honest client");
        (root.growth.start(), root.growth.threshold())
    };
    let (slow, steady) = (Growth::new(0, 10, 100), Growth::new(0, 10, 10));
    assert_eq!((heir(slow, false), heir(slow, true)), ((7, 7), (7, 100)));
    assert_eq!((heir(steady, false), heir(steady, true)), ((5, 5), (5, 10)));
}

#[test]
fn a_story_that_does_not_lead_to_the_tag_of_its_continuation_releases_nothing() {
    let growth = Growth::new(0, 10, 100);
    let root = Line { growth, tag: Tag(1) };
    let last = 5 + growth.window(4) + growth.window(4) / 2 - 1;
    let spent = |tag| Spent { root, tag, numbers: last..=last };
    let heir = after(root.tag, Turn::Loss(5));
    let told = |tag, lost: Option<Range<u64>>| {
        let story = Story { lost: lost.as_slice(), is_undone: false };
        release(&spent(tag), story, after).map(|_| ())
    };
    assert_eq!(told(heir, Some(5..6)), Ok(()), "control: this is how it was");
    // Nothing was lost; another was; a packet of before the loss.
    assert_eq!(told(heir, None), Err(Contradiction));
    assert_eq!(told(heir, Some(6..7)), Err(Contradiction));
    assert_eq!(told(root.tag, Some(5..6)), Err(Contradiction));
    // Control: the same of who tells what is so.
    assert_eq!(told(root.tag, None), Ok(()));
}
