//! What a client has told of a line that had a loss stays told.

use core::time::Duration;

use tng_base::Instant;
use tng_crypto::SipKey;
use tng_wire::Reader;

use super::HandedError;
use super::fingerprints::{Fingerprints, NoRoom};
use crate::{ConnectionId, Tag, Told};

/// Things told that [`Stories`] remembers in a generation, if its owner has no other wish: 2^17 places of 16 bytes,
/// half of them in use. A server that sends 83,333 packets a second (1 Gbit/s) and loses one in a hundred of them hears
/// of 58,000 losses and heirs in a generation.
pub const STORIES_REMEMBERED: usize = 1 << 16;

/// The first loss of lines, and their heirs, as clients told of them first ([`told`](crate::told)). A client that tells
/// each request another story would be given more than a window.
///
/// By fingerprint, in tables of fixed size: one is taken for another with a chance of some 2^-45, which costs a
/// trickle.
pub struct Stories {
    key: SipKey,
    told: Fingerprints<u64>,
}

/// Why a request is not answered for what it tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StoryError {
    /// Another request has told otherwise.
    #[error("it contradicts what was told of the same packets before")]
    Contradicted,
    /// There is no room to remember it, so that it could be contradicted later.
    #[error("there is no room to remember what it tells")]
    Full,
}

impl core::fmt::Debug for Stories {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Stories").field("told", &self.told).finish_non_exhaustive()
    }
}

impl Stories {
    /// Remembers what is told for at least `remembered`
    /// ([`Horizon::held_to_story`](crate::Horizon::held_to_story)) and at most twice as long; so many `entries` within
    /// that time. `key` is drawn for it alone: nobody can look for two that are taken for one.
    pub fn new(key: SipKey, remembered: Duration, entries: usize) -> Stories {
        Stories { key, told: Fingerprints::new(remembered, entries) }
    }

    /// Takes in what a request tells of a line, if it goes with what was told. What is whole needs no room: it is
    /// refused if a loss is known in it.
    ///
    /// # Errors
    /// [`StoryError`]. Nothing is changed then.
    pub fn agree(&mut self, now: Instant, id: &ConnectionId, told: Told) -> Result<(), StoryError> {
        let (fingerprint, value) = match told {
            Told::Whole(tag, high) => {
                let known = self.told.get(now, self.fingerprint(id, b"loss", tag));
                return known.is_none_or(|first| first > high).then_some(()).ok_or(StoryError::Contradicted);
            }
            Told::Loss(tag, first) => (self.fingerprint(id, b"loss", tag), first),
            Told::Heir(tag, Tag(heir)) => (self.fingerprint(id, b"heir", tag), u64::from(heir)),
        };
        match self.told.insert(now, fingerprint, value) {
            Ok(known) if known.is_none_or(|known| known == value) => Ok(()),
            Ok(_) => Err(StoryError::Contradicted),
            Err(NoRoom) => Err(StoryError::Full),
        }
    }

    /// Writes down what was told (docs/wire.md section 11.2).
    pub(crate) fn write(&mut self, now: Instant, out: &mut Vec<u8>) {
        out.extend_from_slice(self.key.expose());
        for told in self.told.all(now) {
            out.extend_from_slice(&(told.len() as u32).to_be_bytes());
            for (fingerprint, value) in told {
                out.extend_from_slice(&fingerprint.to_be_bytes());
                out.extend_from_slice(&value.to_be_bytes());
            }
        }
    }

    /// Those of another server, which has written them down, in as much room as these have.
    pub(crate) fn taking_over(&self, now: Instant, reader: &mut Reader<'_>) -> Result<Stories, HandedError> {
        let key = SipKey::from_bytes(reader.array()?);
        let mut generation = || {
            let count = reader.u32()?;
            (0..count).map(|_| Ok((reader.u64()?, reader.u64()?))).collect::<Result<Vec<(u64, u64)>, HandedError>>()
        };
        let (lately, before) = (generation()?, generation()?);
        let told = self.told.taking_over(now, [&lately, &before]).ok_or(HandedError::Full)?;
        Ok(Stories { key, told })
    }

    /// See [`Server::prefault_memory`](crate::server::Server::prefault_memory).
    pub(crate) fn prefault(&mut self) {
        self.told.prefault();
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        self.told.held()
    }

    fn fingerprint(&self, id: &ConnectionId, kind: &[u8; 4], Tag(tag): Tag) -> u64 {
        u64::from_be_bytes(self.key.tag(&[&id.0, kind, &tag.to_be_bytes()]))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tng_base::Rng;

    use super::*;
    use crate::replay::Issuer;
    use crate::{AGE_MAX, Growth, Horizon, Line, SKEW_MAX, Spent, Story, Turn, Wall, release, told};

    const REMEMBERED: Duration = Horizon::new(Issuer(1), Wall::from_millis(0)).held_to_story();

    fn stories(entries: usize) -> Stories {
        Stories::new(SipKey::from_bytes([8; 16]), REMEMBERED, entries)
    }

    fn connection(n: u64) -> ConnectionId {
        ConnectionId(u128::from(n).to_be_bytes())
    }

    /// A million in the full count.
    fn operations() -> u64 {
        std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20_000)
    }

    #[test]
    fn stories_in_any_order_are_judged_as_a_map_of_all_that_was_told_judges_them() {
        let (mut stories, mut rng) = (stories(STORIES_REMEMBERED), Rng::from_u64(4));
        // What was told first, and in which generation.
        let mut exact: BTreeMap<(u64, bool, u32), (u64, u128)> = BTreeMap::new();
        let (held, mut now) = (stories.held(), Instant::ZERO);
        let (mut first, mut again, mut contradicted, mut forgotten) = (0, 0, 0, 0);
        for _ in 0..operations() {
            now += Duration::from_millis(rng.below(50));
            let generation = u128::from(now.as_nanos()) / REMEMBERED.as_nanos();
            // Each line is told of for two minutes.
            let minute = (now.as_nanos() / 60_000_000_000) as u32;
            let (client, tag) = (rng.below(8), minute + rng.below(2) as u32);
            let (is_heir, is_whole, value) = (rng.below(3) == 0, rng.below(3) == 0, rng.below(3));
            let told = match (is_heir, is_whole) {
                (true, _) => Told::Heir(Tag(tag), Tag(value as u32)),
                (false, true) => Told::Whole(Tag(tag), value),
                (false, false) => Told::Loss(Tag(tag), value),
            };
            let key = (client, is_heir, tag);
            let (known, was_told) = match exact.get(&key) {
                Some((known, then)) if generation - then <= 1 => (Some(*known), true),
                before => (None, before.is_some()),
            };
            let agrees =
                known.is_none_or(|known| if let Told::Whole(..) = told { known > value } else { known == value });
            let answer = stories.agree(now, &connection(client), told);
            assert_eq!(answer, if agrees { Ok(()) } else { Err(StoryError::Contradicted) }, "{told:?}, {known:?}");
            if known.is_none() && !matches!(told, Told::Whole(..)) {
                exact.insert(key, (value, generation));
            }
            *match (known.is_some(), agrees) {
                (true, true) => &mut again,
                (true, false) => &mut contradicted,
                (false, _) if was_told => &mut forgotten,
                (false, _) => &mut first,
            } += 1;
        }
        println!("{first} first, {again} again, {contradicted} contradicted, {forgotten} after they were forgotten");
        let least = operations() / 2_000;
        assert!([first, again, contradicted, forgotten].iter().all(|count| *count > least));
        assert_eq!(stories.held(), held);
    }

    #[test]
    fn a_client_is_held_to_what_it_told_first_of_each_line() {
        let (mut stories, id, tag) = (stories(100), connection(1), Tag(5));
        let mut agree = |ms, id, told| stories.agree(Instant::from_millis(ms), &id, told);
        const NO: Result<(), StoryError> = Err(StoryError::Contradicted);
        assert_eq!(agree(0, id, Told::Whole(tag, 90)), Ok(()));
        assert_eq!(agree(0, id, Told::Loss(tag, 40)), Ok(()), "what is whole is not remembered");
        assert_eq!([39, 40, 41].map(|high| agree(1, id, Told::Whole(tag, high))), [Ok(()), NO, NO]);
        assert_eq!([39, 40, 41].map(|first| agree(1, id, Told::Loss(tag, first))), [NO, Ok(()), NO]);
        assert_eq!([7, 7, 8].map(|heir| agree(1, id, Told::Heir(tag, Tag(heir)))), [Ok(()), Ok(()), NO]);
        // Other lines and other connections are others.
        assert_eq!(agree(1, id, Told::Whole(Tag(6), 50)), Ok(()));
        assert_eq!(agree(1, connection(2), Told::Heir(tag, Tag(8))), Ok(()));
        // Up to the last request that may contradict.
        assert_eq!([35_000, 69_999, 70_000].map(|ms| agree(ms, id, Told::Whole(tag, 50))), [NO, NO, Ok(())]);
    }

    #[test]
    fn more_than_are_remembered_are_refused_by_name_and_none_is_forgotten_early() {
        let mut stories = stories(1_000);
        let mut agree =
            |ms, tag, first| stories.agree(Instant::from_millis(ms), &connection(1), Told::Loss(tag, first));
        assert!((0..1_000).all(|tag| agree(1, Tag(tag), 9).is_ok()));
        assert_eq!([agree(34_999, Tag(1_000), 9), agree(34_999, Tag(9), 9)], [Err(StoryError::Full), Ok(())]);
        assert_eq!(agree(35_000, Tag(1_000), 9), Ok(()));
        assert!((0..=1_000).all(|tag| agree(35_001, Tag(tag), 8) == Err(StoryError::Contradicted)));
    }

    /// Makes of a tag what nobody looks for here.
    fn after(Tag(tag): Tag, turn: Turn) -> Tag {
        let (kind, from) = match turn {
            Turn::Loss(first) => (1, first),
            Turn::Gap(from, to) => (2, from ^ to << 16),
            Turn::Undone(first) => (3, first),
            Turn::Timeout(high, time) => (4, high ^ time << 16),
        };
        Tag((tag + kind).wrapping_mul(0x9e37_79b9).wrapping_add(from as u32).wrapping_mul(0x85eb_ca6b))
    }

    /// A client that spends what it has as late as it may: whether it is given a second heir of one line.
    fn is_given_a_second_heir(remembered: Duration) -> bool {
        let mut stories = Stories::new(SipKey::from_bytes([8; 16]), remembered, 100);
        let root = Line { growth: Growth::new(0, 16, 16), tag: Tag(1) };
        let loss = 17;
        let last = loss + root.growth.window(loss - 1) - 1;
        let mut spend = |now, tag, number, lost: &[_]| {
            let (spent, story) = (Spent { root, tag, numbers: number..=number }, Story { lost, is_undone: false });
            told(root, story, number, after, |told| stories.agree(now, &connection(1), told)).ok()?;
            let release = release(&spent, story, after).unwrap();
            release.numbers.clone().next().map(|first| (release.tag, first))
        };
        // Told just before a generation ends: it is forgotten as early as can be.
        let then = Instant::ZERO + remembered - Duration::from_millis(1);
        let (gap, late) = (loss..loss + 1, last - 1);
        // One that goes on and, behind the window of the loss, tells of the heir, without the late one.
        let (tag, behind) = spend(then, root.tag, last - 4, core::slice::from_ref(&gap)).unwrap();
        let (first_heir, _) = spend(then, tag, behind, &[gap.clone(), late..last]).unwrap();
        // The one that releases the late one is spent ten seconds later, the late one ten seconds after that, and what
        // that releases after ten more.
        let before = (1..loss).find(|number| root.growth.released(*number, *number).contains(&late)).unwrap();
        assert!(spend(then + AGE_MAX, root.tag, before, &[]).is_some());
        let (tag, behind) = spend(then + 2 * AGE_MAX, root.tag, late, core::slice::from_ref(&gap)).unwrap();
        let second = spend(then + 3 * AGE_MAX, tag, behind, core::slice::from_ref(&gap));
        second.is_some_and(|(heir, _)| heir != first_heir)
    }

    #[test]
    fn a_line_has_one_heir_though_a_client_spends_each_packet_as_late_as_it_may() {
        assert!(!is_given_a_second_heir(REMEMBERED));
        assert!(is_given_a_second_heir(2 * AGE_MAX + SKEW_MAX), "two age limits are too short");
    }

    #[test]
    fn what_was_told_is_known_to_the_server_that_takes_over_for_as_long_again() {
        let (mut before, id) = (stories(100), connection(1));
        let at = Instant::from_millis;
        before.agree(at(1), &id, Told::Loss(Tag(5), 40)).unwrap();
        before.agree(at(36_000), &id, Told::Heir(Tag(5), Tag(7))).unwrap();
        let mut text = Vec::new();
        before.write(at(36_000), &mut text);
        let mut after = Stories::new(SipKey::from_bytes([9; 16]), REMEMBERED, 100);
        const NO: Result<(), StoryError> = Err(StoryError::Contradicted);
        // Control: one that was handed nothing.
        assert_eq!(after.agree(at(0), &id, Told::Loss(Tag(5), 41)), Ok(()));
        after = after.taking_over(at(0), &mut Reader::new(&text)).unwrap();
        assert_eq!(after.agree(at(0), &id, Told::Loss(Tag(5), 41)), NO);
        assert_eq!([8, 7].map(|heir| after.agree(at(34_999), &id, Told::Heir(Tag(5), Tag(heir)))), [NO, Ok(())]);
        assert_eq!(after.agree(at(69_999), &id, Told::Heir(Tag(5), Tag(8))), NO);
        let small = Stories::new(SipKey::from_bytes([9; 16]), REMEMBERED, 1);
        let mut more = Vec::new();
        (0..3).for_each(|tag| before.agree(at(36_000), &id, Told::Loss(Tag(20 + tag), 9)).unwrap());
        before.write(at(36_000), &mut more);
        assert_eq!(small.taking_over(at(0), &mut Reader::new(&more)).err(), Some(HandedError::Full));
    }
}
