//! What both ends know of a packet before it is sent: the continuation that it bears, but for what only servers know.
//!
//! A response says of its continuation what differs from this (delta encoding, Trickles 5.3).

use core::time::Duration;

use crate::{Continuation, Keying, Line, Release, Renewal, Story, Tag};

/// The window that a connection begins with, in packets, and the most that a line begins with which a timeout begins
/// (RFC 6928, section 2).
pub const INITIAL_WINDOW: u64 = 10;
/// Each count of a timeout is granted once in this while.
pub const SLOT: Duration = Duration::from_secs(1);
/// The highest count of a timeout. Each is granted once in a slot: two initial windows in all.
pub const TIMEOUT_COUNT_MAX: u8 = 5;

/// The window that a timeout of that count begins a line with: half of that of the count before, down to one packet.
/// (Trickles 2.2, "recovery requests"; RFC 5681, sections 3.1 and 4.1, of what is lost again and again.) A client
/// chooses its count by its window and by how often it has asked in vain, and none twice in a slot.
pub const fn window_after_timeout(count: u8) -> u64 {
    match INITIAL_WINDOW.checked_shr(count as u32) {
        None | Some(0) => 1,
        Some(window) => window,
    }
}

/// The lowest count whose window is no larger than so many packets, or one packet.
pub const fn count_for_window(most: u64) -> u8 {
    let mut count = 0;
    while window_after_timeout(count) > most && window_after_timeout(count) > 1 {
        count += 1;
    }
    count
}

impl Keying {
    /// The same with what a request says of it. What is not settled yet stands: a request cannot name another number.
    pub const fn renewed(self, renewal: Option<Renewal>) -> Keying {
        match self.then {
            None => Keying { then: renewal, ..self },
            Some(_) => self,
        }
    }
}

impl Release {
    /// What a timeout releases: all that its line begins with.
    pub const fn of_line(root: Line) -> Release {
        let numbers = root.growth.first();
        Release { root, tag: root.tag, shown_from: Some(numbers.start), numbers }
    }

    /// The continuation of its packet `index`, counted from 0, when `spent` was spent for it. Packets go out in pairs
    /// from the first on, the last alone if their count is odd: both of a pair bear the same continuation.
    ///
    /// Tags are as if a loss changed none: a client computes a release with those that it knows
    /// (`release(spent, story, |_, _| spent.tag)`), and is told what they are if they are others. Who gives the
    /// continuation out, its serial, and times are those of `spent`.
    pub fn foresee(&self, spent: &Continuation, keying: Keying, index: u8) -> Continuation {
        let first = self.numbers.start + (u64::from(index) & !1);
        let shown_from = self.shown_from.unwrap_or(spent.numbers().end() + 1);
        let root_tag = if self.root.growth == spent.root.growth { spent.root.tag } else { spent.tag };
        Continuation {
            first,
            is_pair: first + 1 < self.numbers.end,
            root: Line { tag: root_tag, ..self.root },
            tag: spent.tag,
            keying: keying.settled(shown_from),
            shown_from,
            ..*spent
        }
    }

    /// The same continuation with the tags that it has.
    pub const fn tagged(&self, foreseen: &Continuation) -> Continuation {
        Continuation { root: Line { tag: self.root.tag, ..foreseen.root }, tag: self.tag, ..*foreseen }
    }
}

/// What `spent` releases when that is its story, as its client computes it: all is right but the tags.
///
/// # Errors
/// [`Contradiction`](crate::Contradiction).
pub fn release_foreseen(spent: &Continuation, story: Story<'_>) -> Result<Release, crate::Contradiction> {
    crate::release(&spent.spent(), story, |_, _| spent.tag)
}

/// What a timeout that presents `spent` for the `count`-th time in its slot releases; its line has that tag, which a
/// client foresees as that of `spent`.
pub fn release_after_timeout(spent: &Continuation, initial: u64, tag: Tag) -> Release {
    Release::of_line(crate::line_after_timeout(&spent.spent(), initial, tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::after;
    use crate::replay::Issuer;
    use crate::wire::{Armor, Given};
    use crate::{Growth, Rtt, Site, Stamp, Wall, release};
    use core::time::Duration;
    use std::collections::VecDeque;
    use tng_base::Rng;
    use tng_wire::{Reader, Writer};

    fn seed(rng: &mut Rng) -> Continuation {
        let base = rng.below(1 << 30);
        Continuation {
            site: Site(1),
            issuer: Issuer(2),
            serial: 0,
            first: base,
            is_pair: false,
            root: Line { growth: Growth::new(base, 1 + rng.below(30), 1 + rng.below(60)), tag: Tag(1) },
            tag: Tag(1),
            keying: Keying::of(3),
            issued: Stamp::of(Wall::default()),
            rtt: Rtt::default(),
            shown_from: base,
        }
    }

    /// What the server gives with each packet that a request releases, built packet by packet.
    fn given(spent: &Continuation, release: &Release, keying: Keying, serial: &mut u64) -> Vec<Continuation> {
        let (mut all, mut at) = (Vec::new(), release.numbers.start);
        while at < release.numbers.end {
            let is_pair = at + 1 < release.numbers.end;
            let shown_from = release.shown_from.unwrap_or(spent.numbers().end() + 1);
            *serial += 1;
            let continuation = Continuation {
                serial: *serial,
                first: at,
                is_pair,
                root: release.root,
                tag: release.tag,
                keying: keying.settled(shown_from),
                shown_from,
                rtt: spent.rtt.with(Duration::from_millis(7)),
                ..*spent
            };
            all.extend(core::iter::repeat_n(continuation, if is_pair { 2 } else { 1 }));
            at += 1 + u64::from(is_pair);
        }
        all
    }

    /// Writes what is given as the server foresees that the client foresees it, reads it as the client foresees it.
    fn told(given: &Continuation, by_server: &Continuation, by_client: &Continuation) -> Given {
        let given = Given { nonce: 5, continuation: *given, seal: [6; 16] };
        let mut bytes = [0; 200];
        let mut writer = Writer::new(&mut bytes);
        given.emit(Armor::Sealed, Some(by_server), &mut writer).unwrap();
        assert!(writer.position() <= Given::LEN + 8, "what differs is serial, times and tags");
        Given::parse(Armor::Sealed, &mut Reader::new(writer.written()), Some(by_client)).unwrap()
    }

    #[test]
    fn a_client_foresees_all_that_a_server_gives_but_serials_times_and_tags() {
        let (mut others, mut renewed, mut timeouts, mut undone) = (0, 0, 0, 0);
        for run in 0..1_000 {
            let mut rng = Rng::from_u64(run);
            let (mut under_way, mut serial) = (VecDeque::from([seed(&mut rng)]), 0);
            let (mut lost, rate) = (Vec::<core::ops::Range<u64>>::new(), rng.below(60));
            let base = under_way[0].first;
            let mut renewal = None;
            while let Some(spent) = under_way.pop_front() {
                let high = *spent.numbers().end();
                if high > base + 600 {
                    break;
                }
                if high > base + 300 && renewal.is_none() {
                    renewal = Some(Renewal {
                        from: under_way.back().map_or(high, |last| *last.numbers().end()) + 9,
                        epoch: 4,
                    });
                }
                let mut arrived = false;
                for number in spent.numbers() {
                    if number == base || rng.below(1_000) >= rate {
                        arrived = true;
                    } else {
                        match lost.last_mut() {
                            Some(range) if range.end == number => range.end += 1,
                            _ => lost.push(number..number + 1),
                        }
                    }
                }
                if !arrived && !under_way.is_empty() {
                    continue;
                }
                let shown: Vec<_> = lost.iter().filter(|range| range.end > spent.shown_from).cloned().collect();
                let is_undone = !shown.is_empty() && run % 4 == 0;
                let keying = spent.keying.renewed(renewal);
                let story = Story { lost: &shown, is_undone };
                let (server, client) = match arrived {
                    true => {
                        let server = release(&spent.spent(), story, after).expect("an honest client");
                        (server, release_foreseen(&spent, story).expect("what the server computes"))
                    }
                    false => {
                        let initial = window_after_timeout(rng.below(5) as u8);
                        timeouts += 1;
                        lost.clear();
                        let tag = Tag(rng.u64() as u32);
                        (release_after_timeout(&spent, initial, tag), release_after_timeout(&spent, initial, spent.tag))
                    }
                };
                assert_eq!(client.numbers, server.numbers);
                undone += u64::from(is_undone);
                for (index, given) in given(&spent, &server, keying, &mut serial).into_iter().enumerate() {
                    let index = index as u8;
                    let (by_server, by_client) =
                        (server.foresee(&spent, keying, index), client.foresee(&spent, keying, index));
                    assert_eq!(by_server, by_client);
                    let full = server.tagged(&by_server);
                    assert_eq!(Continuation { serial: given.serial, rtt: given.rtt, ..full }, given);
                    let told = told(&given, &by_server, &by_client);
                    assert_eq!(told.continuation, given);
                    others += u64::from(given.tag != by_client.tag || given.root.tag != by_client.root.tag);
                    renewed += u64::from(given.keying == Keying::of(4));
                    if index & 1 == 0 {
                        under_way.push_back(told.continuation);
                    }
                }
            }
        }
        assert!(others > 1_000 && renewed > 1_000 && undone > 1_000, "{others} {renewed} {undone}");
        println!("{others} with tags that were told, {renewed} renewed, {timeouts} timeouts, {undone} undone");
    }

    #[test]
    fn each_further_try_of_a_timeout_halves_the_window() {
        let windows: Vec<_> = (0..=5).map(window_after_timeout).collect();
        assert_eq!(windows, [10, 5, 2, 1, 1, 1]);
        assert_eq!(window_after_timeout(255), 1);
        let counts: Vec<_> = [u64::MAX, 10, 9, 5, 4, 2, 1, 0].map(count_for_window).into();
        assert_eq!(counts, [0, 0, 1, 1, 2, 2, 3, 3]);
        let most: u64 = (0..=TIMEOUT_COUNT_MAX).map(window_after_timeout).sum();
        assert_eq!(most, 2 * INITIAL_WINDOW, "of one connection in a second");
    }

    #[test]
    fn over_a_path_that_nothing_came_over_but_a_set_up_slow_start_from_one_packet_has_no_end_before_a_loss() {
        let seed = Growth::new(0, INITIAL_WINDOW, crate::WINDOW_MAX);
        let line = |numbers, initial| {
            let root = Line { growth: seed, tag: Tag(1) };
            let growth =
                crate::line_after_timeout(&crate::Spent { root, tag: Tag(1), numbers }, initial, Tag(2)).growth;
            (growth.start(), growth.threshold())
        };
        assert_eq!(line(0..=0, 1), (1, crate::WINDOW_MAX));
        assert_eq!(line(0..=0, 10), (10, 10));
        assert_eq!(line(1..=2, 1), (1, 6), "half of the window");
    }
}
