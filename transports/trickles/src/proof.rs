//! Which packets came, with the nonces of all of them in eight bytes (Trickles 2.2 and appendix A).

use core::ops::Range;

use tng_nonce::PROOF_RANGES_MAX;
use tng_wire::{Full, Malformed, Reader, Writer, varint_len};

#[cfg(feature = "keys")]
use crate::Nonces;
use crate::plan::Story;
#[cfg(feature = "keys")]
use crate::plan::{self, Tag};
use crate::wire::Armor;
use crate::{Continuation, NUMBER_LIMIT};

/// Ranges of a proof, and what lies between them, to be used again for the next.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// What came: ranges in order, with gaps between them.
    came: Vec<Range<u64>>,
    /// What did not, from the first number of the proof to its last: the same the other way round.
    lost: Vec<Range<u64>>,
    /// From the first number that is not settled to the last that is shown.
    shown: Range<u64>,
    /// The nonces of all that came, folded.
    fold: u64,
    /// The nonces of all that was lost of the first window and came late, folded: the cut of that window is taken back.
    late: Option<u64>,
}

/// Stands beside the number of ranges.
const UNDONE: u8 = 1 << 7;
const _: () = assert!(PROOF_RANGES_MAX < UNDONE as usize);

/// Why a proof is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProofError {
    /// None of the packets that its continuation goes with has come: nobody who has it can say so.
    #[error("it says that the packets of its own continuation are lost")]
    OwnLost,
    /// It tells of numbers that belong to no line: the losses leave no trickle that could have sent them.
    #[error("it tells of packets that nobody sent")]
    Outside,
    /// The nonces are not those of the packets.
    #[error("it tells of packets without their nonces")]
    Invented,
}

/// What came is in more ranges than a proof has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("more than {PROOF_RANGES_MAX} ranges: spend a continuation of a number below {holds_below} first")]
pub struct TooScattered {
    /// What came below this number fits: a continuation of such a number can be spent. Behind it the client declares
    /// packets lost that came, as many as lie between two ranges, or asks for a timeout.
    pub holds_below: u64,
}

impl Proof {
    /// An empty one, with room for the largest.
    pub fn with_room() -> Proof {
        let ranges = || Vec::with_capacity(PROOF_RANGES_MAX + 1);
        Proof { came: ranges(), lost: ranges(), shown: 0..0, fold: 0, late: None }
    }

    /// Bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        let Proof { came, lost, shown: _, fold: _, late: _ } = self;
        (came.capacity() + lost.capacity()) * size_of::<Range<u64>>()
    }

    /// What came of `from..=high`, with the folded nonces of it: ranges in order that do not meet. `late` is the fold
    /// of what was lost of the first window, if all of it came late.
    ///
    /// # Errors
    /// [`TooScattered`]: it does not fit. The proof is then an empty one.
    pub fn set(
        &mut self,
        (from, high): (u64, u64),
        came: impl IntoIterator<Item = Range<u64>>,
        fold: u64,
        late: Option<u64>,
    ) -> Result<(), TooScattered> {
        (self.shown, self.fold, self.late) = (from..high + 1, fold, late);
        self.came.clear();
        let mut came = came.into_iter();
        self.came.extend(came.by_ref().take(PROOF_RANGES_MAX));
        let holds = came.next().map(|range| TooScattered { holds_below: range.start });
        if holds.is_some() {
            (self.shown, self.fold, self.late) = (0..0, 0, None);
            self.came.clear();
        }
        self.turn();
        holds.map_or(Ok(()), Err)
    }

    /// What it tells.
    pub fn story(&self) -> Story<'_> {
        Story { lost: &self.lost, is_undone: self.late.is_some() }
    }

    /// What did not come.
    pub fn lost(&self) -> &[Range<u64>] {
        &self.lost
    }

    /// What came.
    pub fn came(&self) -> &[Range<u64>] {
        &self.came
    }

    /// Reads the proof that goes with a continuation, of a request with this armor.
    ///
    /// # Errors
    /// [`Malformed`]: also what does not end with the numbers of its continuation.
    pub fn parse(
        &mut self,
        armor: Armor,
        reader: &mut Reader<'_>,
        continuation: &Continuation,
    ) -> Result<(), Malformed> {
        let (mut at, high) = (continuation.shown_from, *continuation.numbers().end());
        self.shown = at..high + 1;
        self.came.clear();
        let count = reader.u8()?;
        let (count, is_undone) = (usize::from(count & !UNDONE), count & UNDONE != 0);
        if count > PROOF_RANGES_MAX {
            return Err(Malformed);
        }
        for which in 0..count {
            let (gap, len) = (reader.varint()?, reader.varint()?);
            let start = at.checked_add(gap).filter(|start| *start < NUMBER_LIMIT).ok_or(Malformed)?;
            let end = start.checked_add(len).filter(|end| *end <= self.shown.end).ok_or(Malformed)?;
            if len == 0 || (which > 0 && gap == 0) {
                return Err(Malformed);
            }
            self.came.push(start..end);
            at = end;
        }
        self.fold = armor.read_nonce(reader)?;
        self.late = if is_undone { Some(armor.read_nonce(reader)?) } else { None };
        self.turn();
        Ok(())
    }

    /// Bytes that it has in a sealed request.
    pub fn wire_len(&self) -> usize {
        let pieces = self.pieces().map(|(gap, len)| varint_len(gap) + varint_len(len)).sum::<usize>();
        1 + pieces + size_of::<u64>() * if self.late.is_some() { 2 } else { 1 }
    }

    /// Writes it into a request with this armor.
    ///
    /// # Errors
    /// [`Full`].
    pub fn emit(&self, armor: Armor, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.came.len() as u8 | if self.late.is_some() { UNDONE } else { 0 })?;
        for (gap, len) in self.pieces() {
            writer.varint(gap)?;
            writer.varint(len)?;
        }
        armor.write_nonce(self.fold, writer)?;
        self.late.map_or(Ok(()), |late| armor.write_nonce(late, writer))
    }

    /// Checks it. Two blocks of AES a range, and two more where it goes from one tag to the next.
    ///
    /// The continuation is burnt before: who may try again and again guesses.
    ///
    /// # Errors
    /// [`ProofError`].
    #[cfg(feature = "keys")]
    pub fn verify(&self, continuation: &Continuation, nonces: &Nonces<'_>) -> Result<(), ProofError> {
        self.verify_with(continuation, nonces, |tag, numbers| nonces.fold(tag, numbers))
    }

    /// Looks whether it can be true, where nonces are left out.
    ///
    /// # Errors
    /// [`ProofError`].
    #[cfg(feature = "keys")]
    pub(crate) fn check(&self, continuation: &Continuation, nonces: &Nonces<'_>) -> Result<(), ProofError> {
        self.verify_with(continuation, nonces, |_, _| 0)
    }

    #[cfg(feature = "keys")]
    fn verify_with(
        &self,
        continuation: &Continuation,
        nonces: &Nonces<'_>,
        fold_of: impl Fn(Tag, Range<u64>) -> u64,
    ) -> Result<(), ProofError> {
        if self.came.last().is_none_or(|range| range.end <= continuation.first) {
            return Err(ProofError::OwnLost);
        }
        let (mut fold, mut rest) = (0, &self.came[..]);
        let shown = (self.shown.start, self.shown.end - 1);
        let after = |tag, turn| nonces.after(tag, turn);
        let told = plan::tags(continuation.root, self.story(), shown, after, |piece, tag| {
            while let Some(range) = rest.first().filter(|range| range.start < piece.end) {
                fold ^= fold_of(tag, range.start.max(piece.start)..range.end.min(piece.end));
                if range.end > piece.end {
                    break;
                }
                rest = &rest[1..];
            }
        });
        let late = plan::first_gaps(&continuation.root.growth, &self.lost);
        let late = late.fold(0, |fold, gap| fold ^ fold_of(continuation.root.tag, gap));
        match (told == self.shown.end, fold == self.fold && self.late.is_none_or(|told| told == late)) {
            (false, _) => Err(ProofError::Outside),
            (true, false) => Err(ProofError::Invented),
            (true, true) => Ok(()),
        }
    }

    /// Each range as the gap before it and its length.
    fn pieces(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let ends = core::iter::once(self.shown.start).chain(self.came.iter().map(|range| range.end));
        self.came.iter().zip(ends).map(|(range, end)| (range.start - end, range.end - range.start))
    }

    fn turn(&mut self) {
        self.lost.clear();
        let mut at = self.shown.start;
        for range in &self.came {
            if at < range.start {
                self.lost.push(at..range.start);
            }
            at = range.end;
        }
        if at < self.shown.end {
            self.lost.push(at..self.shown.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Issuer;
    use crate::{ConnectionId, EpochSecret, Growth, Keying, Keys, Line, Renewal, Rtt, Site, Stamp, Tag, Wall};
    use tng_base::Rng;
    use tng_crypto::Secret32;

    fn continuation(base: u64, shown_from: u64, first: u64) -> Continuation {
        Continuation {
            site: Site(0),
            issuer: Issuer(0),
            serial: 0,
            first,
            is_pair: false,
            root: Line { growth: Growth::new(base, 10, 20), tag: Tag(5) },
            tag: Tag(5),
            keying: Keying::of(3),
            issued: Stamp::of(Wall::default()),
            rtt: Rtt::default(),
            shown_from,
        }
    }

    struct Sender {
        keys: Keys,
    }

    impl Sender {
        fn new() -> Sender {
            let secret = EpochSecret::new(3, Secret32::from_bytes([9; 32]));
            Sender { keys: Keys::new(secret, Wall::from_millis(3 * 600_000)).unwrap() }
        }

        fn nonces(&self, continuation: &Continuation) -> Nonces<'_> {
            Nonces::new(&self.keys, ConnectionId([1; 16]), &continuation.keying).unwrap()
        }

        /// The tag of each number.
        fn tags(&self, continuation: &Continuation, story: Story<'_>) -> Vec<(Range<u64>, Tag)> {
            let shown = (continuation.shown_from, *continuation.numbers().end());
            let nonces = self.nonces(continuation);
            let mut pieces = Vec::new();
            plan::tags(
                continuation.root,
                story,
                shown,
                |tag, turn| nonces.after(tag, turn),
                |piece, tag| pieces.push((piece, tag)),
            );
            pieces
        }

        fn proof(&self, continuation: &Continuation, came: &[Range<u64>], late: Option<u64>) -> Proof {
            let mut proof = Proof::with_room();
            let shown = (continuation.shown_from, *continuation.numbers().end());
            proof.set(shown, came.iter().cloned(), 0, late).unwrap();
            // Packet by packet, each with the nonce of its tag.
            let nonces = self.nonces(continuation);
            for (piece, tag) in self.tags(continuation, proof.story()) {
                let of_piece = piece.filter(|number| came.iter().any(|range| range.contains(number)));
                proof.fold = of_piece.fold(proof.fold, |fold, number| fold ^ nonces.nonce(tag, number));
            }
            proof
        }

        fn verify(&self, continuation: &Continuation, proof: &Proof) -> Result<(), ProofError> {
            proof.verify(continuation, &self.nonces(continuation))
        }
    }

    #[test]
    fn proofs_of_what_came_are_taken_also_over_the_ends_of_lines_and_no_other() {
        let (sender, mut rng) = (Sender::new(), Rng::from_u64(9));
        let (mut over_lines, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let base = rng.below(1_000);
            let shown_from = base + 1 + rng.below(5);
            let first = shown_from + rng.below(60);
            let mut continuation = continuation(base, shown_from, first);
            if rng.below(3) == 0 {
                continuation.keying.then = Some(Renewal { from: shown_from + rng.below(60), epoch: 4 });
            }
            let mut came: Vec<Range<u64>> = Vec::new();
            for number in shown_from..=first {
                if number == first || rng.below(10) > 0 {
                    match came.last_mut() {
                        Some(range) if range.end == number => range.end += 1,
                        _ => came.push(number..number + 1),
                    }
                }
            }
            let mut proof = sender.proof(&continuation, &came, None);
            let pieces = sender.tags(&continuation, proof.story());
            if pieces.last().is_none_or(|(piece, _)| piece.end <= first) {
                assert_eq!(sender.verify(&continuation, &proof), Err(ProofError::Outside));
                continue;
            }
            over_lines += u32::from(pieces.len() > 1);
            assert_eq!(sender.verify(&continuation, &proof), Ok(()), "{came:?}");
            let mut bytes = vec![0; proof.wire_len()];
            let mut writer = Writer::new(&mut bytes);
            proof.emit(Armor::Sealed, &mut writer).unwrap();
            assert_eq!(writer.left(), 0);
            let mut back = Proof::with_room();
            back.parse(Armor::Sealed, &mut Reader::new(&bytes), &continuation).unwrap();
            assert_eq!((&back.came, &back.lost, back.fold), (&proof.came, &proof.lost, proof.fold));
            for cut in 0..bytes.len() {
                assert!(back.parse(Armor::Sealed, &mut Reader::new(&bytes[..cut]), &continuation).is_err());
            }
            // Hides a loss: what it knows does not fold to what is due.
            if let Some(gap) = proof.lost.first().cloned() {
                let fold = proof.fold;
                let mut lie = came.clone();
                lie.push(gap);
                lie.sort_by_key(|range| range.start);
                let joined = lie.iter().fold(Vec::<Range<u64>>::new(), |mut joined, range| {
                    match joined.last_mut() {
                        Some(last) if last.end == range.start => last.end = range.end,
                        _ => joined.push(range.clone()),
                    }
                    joined
                });
                proof.set((shown_from, first), joined, fold, None).unwrap();
                let answer = sender.verify(&continuation, &proof);
                assert!(matches!(answer, Err(ProofError::Invented | ProofError::Outside)), "{answer:?}");
                refused += 1;
            }
        }
        assert!(over_lines > 2_000 && refused > 10_000, "{over_lines} {refused}");
    }

    #[test]
    fn a_cut_is_taken_back_by_who_has_the_nonces_of_all_that_came_late() {
        let sender = Sender::new();
        let continuation = continuation(0, 1, 30);
        let came = [1..4, 5..8, 10..31];
        let nonces = sender.nonces(&continuation);
        let late = [4..5, 8..10].into_iter().fold(0, |fold, gap| fold ^ nonces.fold(Tag(5), gap));
        // Tags behind the window are others when the cut is taken back.
        let proof = sender.proof(&continuation, &came, Some(late));
        assert_eq!(sender.verify(&continuation, &proof), Ok(()));
        let all_but_one = nonces.fold(Tag(5), 4..5) ^ nonces.fold(Tag(5), 8..9);
        for wrong in [0, all_but_one, late ^ 1] {
            let proof = sender.proof(&continuation, &came, Some(wrong));
            assert_eq!(sender.verify(&continuation, &proof), Err(ProofError::Invented));
        }
    }

    #[test]
    fn what_came_in_more_ranges_than_fit_is_refused_and_what_came_below_that_fits() {
        let every_other = |below: u64| (1..below).step_by(2).map(|number| number..number + 1);
        let mut proof = Proof::with_room();
        let most = 2 * PROOF_RANGES_MAX as u64;
        assert_eq!(proof.set((1, most - 1), every_other(most), 9, None), Ok(()));
        assert_eq!((proof.came.len(), proof.came.capacity()), (PROOF_RANGES_MAX, PROOF_RANGES_MAX + 1));
        let answer = proof.set((1, most + 1), every_other(most + 2), 9, None);
        assert_eq!(answer, Err(TooScattered { holds_below: most + 1 }));
        assert!(proof.came.is_empty() && proof.lost.is_empty());
        assert_eq!(proof.set((1, most - 1), every_other(most + 1), 9, None), Ok(()));
    }

    #[test]
    fn nonces_of_one_line_prove_nothing_in_another() {
        let (sender, continuation) = (Sender::new(), continuation(0, 1, 30));
        let honest = sender.proof(&continuation, core::slice::from_ref(&(1..31)), None);
        assert_eq!(sender.verify(&continuation, &honest), Ok(()));
        let mut other = continuation;
        other.root.tag = Tag(6);
        assert_eq!(sender.verify(&other, &honest), Err(ProofError::Invented));
    }

    #[test]
    fn who_says_that_its_own_packet_is_lost_proves_nothing() {
        let (sender, continuation) = (Sender::new(), continuation(0, 1, 30));
        let proof = sender.proof(&continuation, core::slice::from_ref(&(1..30)), None);
        assert_eq!(sender.verify(&continuation, &proof), Err(ProofError::OwnLost));
        assert_eq!(sender.verify(&continuation, &sender.proof(&continuation, &[], None)), Err(ProofError::OwnLost));
    }

    #[test]
    fn ranges_that_are_empty_or_touch_or_go_beyond_are_malformed() {
        let continuation = continuation(0, 1, 30);
        let parse = |pieces: &[u8]| {
            let bytes = [pieces, &[0; 8]].concat();
            Proof::with_room().parse(Armor::Sealed, &mut Reader::new(&bytes), &continuation)
        };
        assert_eq!(parse(&[1, 0, 30]), Ok(()));
        assert_eq!(parse(&[2, 0, 3, 1, 26]), Ok(()));
        assert_eq!(parse(&[1, 0, 0]), Err(Malformed));
        assert_eq!(parse(&[1, 0, 31]), Err(Malformed));
        assert_eq!(parse(&[1, 31, 1]), Err(Malformed));
        assert_eq!(parse(&[2, 0, 3, 0, 27]), Err(Malformed));
        assert_eq!(parse(&[65]), Err(Malformed));
    }

    #[test]
    fn with_one_loss_a_continuation_takes_at_most_88_bytes_with_its_proof_its_seal_and_the_name_of_its_connection() {
        let (base, first) = (1_000_000, 1_000_500);
        let mut continuation = continuation(base, base + 1, first);
        continuation.root.growth = Growth::new(base, 400, 800);
        (continuation.tag, continuation.serial) = (Tag(77), (1 << 40) - 1);
        let mut proof = Proof::with_room();
        proof.set((base + 1, first), [base + 1..base + 200, base + 201..first + 1], u64::MAX, None).unwrap();
        let len = {
            use tng_wire::Repr;
            continuation.wire_len()
        };
        let all = 1 + 16 + len + 16 + proof.wire_len();
        println!(
            "{all} bytes: the epoch 1, the connection 16, the continuation {len}, its seal 16, the proof {}",
            proof.wire_len()
        );
        assert!(all <= 88, "{all}");
    }
}
