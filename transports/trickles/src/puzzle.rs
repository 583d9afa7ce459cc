//! Puzzles: a client works before a server does (Juels and Brainard, "Client Puzzles"; Trickles 2.2, "Protection
//! against CPU consumption").
//!
//! A server that is asked for something expensive answers with a puzzle, and keeps nothing of it. The client finds a
//! number, and asks again with it. Two hashes of the server's check it: one computes the puzzle anew, the other looks
//! at the number.

use core::time::Duration;

#[cfg(feature = "keys")]
use tng_crypto::Blake3Key;
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use crate::EPOCH;
use crate::seal_len::BLAKE3_TAG_LEN;
#[cfg(feature = "keys")]
use crate::{ClientNetwork, ConnectionId, Keys, Wall};

/// A puzzle is good in the slot that it is set in and in the next: for 5 to 10 seconds. It is also good in the slot
/// before: another server's clock may be behind.
pub const PUZZLE_SLOT: Duration = Duration::from_secs(5);

/// Most zero bits that a puzzle asks for. A client refuses a harder one: 2^24 hashes take some two seconds.
pub const DIFFICULTY_MAX: u8 = 24;

const SLOT_MS: u64 = PUZZLE_SLOT.as_millis() as u64;
const SLOTS_PER_EPOCH: u64 = EPOCH.as_millis() as u64 / SLOT_MS;
const _: () = assert!((EPOCH.as_millis() as u64).is_multiple_of(SLOT_MS), "a slot has the keys of one epoch");

/// What a server asks of a client. For one connection in one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Puzzle {
    /// The last byte of its slot's number.
    slot: u8,
    /// Zero bits.
    difficulty: u8,
    challenge: [u8; BLAKE3_TAG_LEN],
}

/// A number that solves a puzzle, for one continuation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solution {
    slot: u8,
    difficulty: u8,
    number: u64,
}

/// Why a solution is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unsolved {
    /// It is of a slot that is over, or of keys that are erased: ask for another puzzle.
    #[error("the puzzle is no longer good: ask for another")]
    Stale,
    /// The number is wrong, or was found for another connection, place or continuation.
    #[error("the number does not solve the puzzle for this continuation")]
    Wrong,
}

impl Puzzle {
    /// One for the client of that connection, who is in that place. `difficulty` is [`DIFFICULTY_MAX`] at most: each
    /// zero bit doubles the work.
    #[cfg(feature = "keys")]
    pub fn set(keys: &Keys, now: Wall, id: &ConnectionId, place: &ClientNetwork, difficulty: u8) -> Puzzle {
        let (slot, difficulty) = (now.as_millis() / SLOT_MS, difficulty.min(DIFFICULTY_MAX));
        // Keys do not follow a clock that jumps. The puzzle is stale then.
        let key = of_slot(keys, slot).unwrap_or(&keys.present().puzzle);
        Puzzle { slot: slot as u8, difficulty, challenge: challenge(key, slot, id, place, difficulty) }
    }

    /// Zero bits that it asks for: some 2^difficulty hashes.
    pub const fn difficulty(&self) -> u8 {
        self.difficulty
    }

    /// As who has no hash solves it: only where no zero bit is asked for.
    ///
    /// # Errors
    /// The number to go on with.
    #[cfg(not(feature = "keys"))]
    pub fn solve(&self, _: &[u8; BLAKE3_TAG_LEN], from: u64, tries: u64) -> Result<Solution, u64> {
        match self.difficulty {
            0 => Ok(Solution { slot: self.slot, difficulty: 0, number: from }),
            _ => Err(from.saturating_add(tries)),
        }
    }

    /// Looks for a number that solves it for the continuation with this seal, from `from` on, `tries` times.
    ///
    /// # Errors
    /// The number to go on with: none was found.
    #[cfg(feature = "keys")]
    pub fn solve(&self, seal: &[u8; BLAKE3_TAG_LEN], from: u64, tries: u64) -> Result<Solution, u64> {
        let key = of_continuation(&self.challenge, seal);
        let end = from.saturating_add(tries);
        let found = (from..end).find(|number| zeros(&key, *number) >= u32::from(self.difficulty));
        found.map(|number| Solution { slot: self.slot, difficulty: self.difficulty, number }).ok_or(end)
    }
}

impl Solution {
    /// Zero bits of the puzzle that it says it solves.
    pub const fn difficulty(&self) -> u8 {
        self.difficulty
    }

    /// Checks it at `now`, for a request that spends the continuation with this seal. That is what makes it good for
    /// one request: the continuation is burnt before.
    ///
    /// # Errors
    /// [`Unsolved`].
    #[cfg(feature = "keys")]
    pub fn verify(
        &self,
        keys: &Keys,
        now: Wall,
        id: &ConnectionId,
        place: &ClientNetwork,
        seal: &[u8; BLAKE3_TAG_LEN],
    ) -> Result<(), Unsolved> {
        #[cfg(test)]
        tests::VERIFIED.set(tests::VERIFIED.get() + 1);
        let present = now.as_millis() / SLOT_MS;
        let slots = present.saturating_sub(1)..=present + 1;
        let slot = slots.into_iter().find(|slot| *slot as u8 == self.slot).ok_or(Unsolved::Stale)?;
        let key = of_slot(keys, slot).ok_or(Unsolved::Stale)?;
        let key = of_continuation(&challenge(key, slot, id, place, self.difficulty), seal);
        if zeros(&key, self.number) >= u32::from(self.difficulty) { Ok(()) } else { Err(Unsolved::Wrong) }
    }
}

/// The key of the puzzles of a slot, if the keys of its epoch are there.
#[cfg(feature = "keys")]
fn of_slot(keys: &Keys, slot: u64) -> Option<&Blake3Key> {
    let epoch = slot / SLOTS_PER_EPOCH;
    keys.by_last_byte(epoch as u8).filter(|keys| keys.number() == epoch).map(|keys| &keys.puzzle)
}

#[cfg(feature = "keys")]
fn challenge(
    key: &Blake3Key,
    slot: u64,
    id: &ConnectionId,
    place: &ClientNetwork,
    difficulty: u8,
) -> [u8; BLAKE3_TAG_LEN] {
    key.tag(&[&id.0, place.as_bytes(), &slot.to_be_bytes(), &[difficulty]])
}

/// What numbers are hashed under: both halves of the key are known to the client, and each continuation has another.
#[cfg(feature = "keys")]
fn of_continuation(challenge: &[u8; BLAKE3_TAG_LEN], seal: &[u8; BLAKE3_TAG_LEN]) -> Blake3Key {
    let mut key = [0; 2 * BLAKE3_TAG_LEN];
    key[..BLAKE3_TAG_LEN].copy_from_slice(challenge);
    key[BLAKE3_TAG_LEN..].copy_from_slice(seal);
    Blake3Key::from_bytes(key)
}

#[cfg(feature = "keys")]
fn zeros(key: &Blake3Key, number: u64) -> u32 {
    u128::from_be_bytes(key.tag(&[&number.to_be_bytes()])).leading_zeros()
}

impl Repr<'_> for Puzzle {
    fn parse(reader: &mut Reader<'_>) -> Result<Puzzle, Malformed> {
        let (slot, difficulty) = (reader.u8()?, reader.u8()?);
        if difficulty > DIFFICULTY_MAX {
            return Err(Malformed);
        }
        Ok(Puzzle { slot, difficulty, challenge: reader.array()? })
    }

    fn wire_len(&self) -> usize {
        2 + BLAKE3_TAG_LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.slot)?;
        writer.u8(self.difficulty)?;
        writer.bytes(&self.challenge)
    }
}

impl Repr<'_> for Solution {
    fn parse(reader: &mut Reader<'_>) -> Result<Solution, Malformed> {
        let (slot, difficulty) = (reader.u8()?, reader.u8()?);
        if difficulty > DIFFICULTY_MAX {
            return Err(Malformed);
        }
        Ok(Solution { slot, difficulty, number: reader.u64()? })
    }

    fn wire_len(&self) -> usize {
        2 + size_of::<u64>()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.slot)?;
        writer.u8(self.difficulty)?;
        writer.u64(self.number)
    }
}

/// How many solutions this thread has verified.
#[cfg(test)]
pub(crate) fn verified() -> u64 {
    tests::VERIFIED.get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EpochSecret;
    use crate::replay::{Issuer, Serials};
    use core::cell::Cell;
    use tng_base::Instant;
    use tng_crypto::Secret32;
    use tng_wire::battery;

    thread_local! {
        pub(super) static VERIFIED: Cell<u64> = const { Cell::new(0) };
    }

    const ID: ConnectionId = ConnectionId([1; 16]);
    const SEAL: [u8; BLAKE3_TAG_LEN] = [3; BLAKE3_TAG_LEN];
    const EPOCH_MS: u64 = EPOCH.as_millis() as u64;

    fn keys(epoch: u64) -> Keys {
        let secret = EpochSecret::new(1_000, Secret32::from_bytes([9; 32]));
        Keys::new(secret, at(epoch, 0)).unwrap()
    }

    fn at(epoch: u64, ms: u64) -> Wall {
        Wall::from_millis(epoch * EPOCH_MS + ms)
    }

    fn place() -> ClientNetwork {
        ClientNetwork::of([192, 0, 2, 1].into())
    }

    fn solved(puzzle: &Puzzle, seal: &[u8; BLAKE3_TAG_LEN]) -> Solution {
        puzzle.solve(seal, 0, u64::MAX).unwrap()
    }

    #[test]
    fn a_solution_is_good_for_its_connection_its_place_and_its_continuation() {
        let (keys, now) = (keys(1_001), at(1_001, 7_000));
        let puzzle = Puzzle::set(&keys, now, &ID, &place(), 12);
        let solution = solved(&puzzle, &SEAL);
        assert_eq!(solution.verify(&keys, now, &ID, &place(), &SEAL), Ok(()));
        let elsewhere = ClientNetwork::of([192, 0, 2, 2].into());
        let others = [
            solution.verify(&keys, now, &ConnectionId([2; 16]), &place(), &SEAL),
            solution.verify(&keys, now, &ID, &elsewhere, &SEAL),
            solution.verify(&keys, now, &ID, &place(), &[4; 16]),
            Solution { number: solution.number ^ 1, ..solution }.verify(&keys, now, &ID, &place(), &SEAL),
            // The puzzle of 11 bits is another.
            Solution { difficulty: 11, ..solution }.verify(&keys, now, &ID, &place(), &SEAL),
            Solution { slot: solution.slot - 1, ..solution }.verify(&keys, now, &ID, &place(), &SEAL),
        ];
        assert_eq!(others, [Err(Unsolved::Wrong); 6]);
    }

    #[test]
    fn a_solution_is_good_for_5_to_10_seconds_also_over_a_change_of_keys_and_at_a_clock_5_seconds_behind() {
        for set in [0, 1, 2_500, 4_999, EPOCH_MS - 1, EPOCH_MS - 5_000] {
            let (keys, now) = (keys(1_001), at(1_001, set));
            let solution = solved(&Puzzle::set(&keys, now, &ID, &place(), 6), &SEAL);
            let answer = |ms: u64| {
                let then = Wall::from_millis(ms);
                let mut keys = super::tests::keys(1_000);
                keys.advance(then).unwrap();
                solution.verify(&keys, then, &ID, &place(), &SEAL)
            };
            let now = now.as_millis();
            assert!([now, now + 1, now + 5_000, now - 5_000].iter().all(|ms| answer(*ms).is_ok()), "{set}");
            assert_eq!(answer(now + 10_000), Err(Unsolved::Stale));
            assert_eq!(answer(now - 10_000), Err(Unsolved::Stale));
        }
    }

    #[test]
    fn keys_that_are_erased_or_of_another_secret_know_nothing_of_a_puzzle() {
        let now = at(1_001, 7_000);
        let solution = solved(&Puzzle::set(&keys(1_001), now, &ID, &place(), 12), &SEAL);
        assert_eq!(solution.verify(&keys(1_004), now, &ID, &place(), &SEAL), Err(Unsolved::Stale));
        let other = Keys::new(EpochSecret::new(1_000, Secret32::from_bytes([8; 32])), now).unwrap();
        assert_eq!(solution.verify(&other, now, &ID, &place(), &SEAL), Err(Unsolved::Wrong));
    }

    #[test]
    fn each_bit_doubles_the_work() {
        let (keys, now) = (keys(1_001), at(1_001, 0));
        let mean = |difficulty: u8| {
            let tries = (0..200_u8).map(|n| {
                let puzzle = Puzzle::set(&keys, now, &ConnectionId([n; 16]), &place(), difficulty);
                solved(&puzzle, &SEAL).number + 1
            });
            tries.sum::<u64>() as f64 / 200.0
        };
        assert!(mean(0) < 1.01);
        for difficulty in [4, 8, 10] {
            let (mean, due) = (mean(difficulty), f64::from(1 << difficulty));
            assert!((0.7..1.4).contains(&(mean / due)), "{difficulty} bits took {mean} tries");
        }
    }

    #[test]
    fn a_client_looks_for_as_long_as_it_likes_and_goes_on_later() {
        let puzzle = Puzzle::set(&keys(1_001), at(1_001, 0), &ID, &place(), 10);
        let (mut from, mut rounds) = (0, 0);
        let found = loop {
            rounds += 1;
            match puzzle.solve(&SEAL, from, 7) {
                Ok(solution) => break solution,
                Err(next) => from = next,
            }
        };
        assert_eq!(found, solved(&puzzle, &SEAL));
        assert_eq!(rounds, found.number / 7 + 1);
        assert_eq!(puzzle.solve(&SEAL, u64::MAX, 7), Err(u64::MAX), "numbers end");
    }

    /// Requests that are taken of a thousand that a client sends with one number that it has found. `is_bound`: as
    /// puzzles are; otherwise as if numbers were hashed without their continuation.
    fn taken_with_one_number(is_bound: bool) -> usize {
        let (keys, now) = (keys(1_001), at(1_001, 0));
        let mut serials = Serials::new(Issuer(1), Instant::ZERO, 10_000, Duration::from_secs(15));
        let seal = |serial: u64| if is_bound { (u128::from(serial) + 1).to_be_bytes() } else { [0; 16] };
        let solution = solved(&Puzzle::set(&keys, now, &ID, &place(), 14), &seal(0));
        // Each request twice, in the hope that the server forgets.
        let requests = (0..500).chain(0..500);
        let taken = requests.filter(|serial| {
            serials.burn(Instant::ZERO, Issuer(1), *serial).is_ok()
                && solution.verify(&keys, now, &ID, &place(), &seal(*serial)).is_ok()
        });
        taken.count()
    }

    #[test]
    fn one_number_is_good_for_one_request() {
        assert_eq!(taken_with_one_number(true), 1);
    }

    #[test]
    fn numbers_that_were_not_bound_to_their_continuation_would_be_good_for_all_that_a_client_has() {
        assert_eq!(taken_with_one_number(false), 500);
    }

    #[test]
    fn what_is_written_is_read_and_what_is_too_hard_is_malformed() {
        let puzzle = Puzzle::set(&keys(1_001), at(1_001, 0), &ID, &place(), 255);
        assert_eq!(puzzle.difficulty(), DIFFICULTY_MAX);
        battery::round_trip(&puzzle);
        let solution = Solution { slot: 7, difficulty: DIFFICULTY_MAX, number: u64::MAX };
        battery::round_trip(&solution);
        let (mut puzzle, mut solution) = (puzzle.to_vec(), solution.to_vec());
        assert_eq!((puzzle.len(), solution.len()), (18, 10));
        (puzzle[1], solution[1]) = (DIFFICULTY_MAX + 1, DIFFICULTY_MAX + 1);
        assert_eq!(Puzzle::parse(&mut Reader::new(&puzzle)), Err(Malformed));
        assert_eq!(Solution::parse(&mut Reader::new(&solution)), Err(Malformed));
    }
}
