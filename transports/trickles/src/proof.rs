//! Which packets came, with the nonces of all of them in eight bytes (Trickles 2.2 and appendix A).

use core::ops::Range;

use tng_nonce::{Chain, PROOF_RANGES_MAX};
use tng_wire::{Full, Malformed, Reader, Writer, varint_len};

use crate::{Continuation, NUMBER_LIMIT, Tag, plan};

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
}

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
        Proof { came: ranges(), lost: ranges(), shown: 0..0, fold: 0 }
    }

    /// What came of `from..=high`, with the folded nonces of it: ranges in order that do not meet.
    ///
    /// # Errors
    /// [`TooScattered`]: it does not fit. The proof is then an empty one.
    pub fn set(
        &mut self,
        from: u64,
        high: u64,
        came: impl IntoIterator<Item = Range<u64>>,
        fold: u64,
    ) -> Result<(), TooScattered> {
        (self.shown, self.fold) = (from..high + 1, fold);
        self.came.clear();
        let mut came = came.into_iter();
        self.came.extend(came.by_ref().take(PROOF_RANGES_MAX));
        let holds = came.next().map(|range| TooScattered { holds_below: range.start });
        if holds.is_some() {
            (self.shown, self.fold) = (0..0, 0);
            self.came.clear();
        }
        self.turn();
        holds.map_or(Ok(()), Err)
    }

    /// What did not come.
    pub fn lost(&self) -> &[Range<u64>] {
        &self.lost
    }

    /// What came.
    pub fn came(&self) -> &[Range<u64>] {
        &self.came
    }

    /// Reads the proof that goes with a continuation.
    ///
    /// # Errors
    /// [`Malformed`]: also what does not end with the numbers of its continuation.
    pub fn parse(&mut self, reader: &mut Reader<'_>, continuation: &Continuation) -> Result<(), Malformed> {
        let (mut at, high) = (continuation.shown_from, *continuation.numbers().end());
        self.shown = at..high + 1;
        self.came.clear();
        let count = reader.varint()?;
        if count > PROOF_RANGES_MAX as u64 {
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
        self.fold = reader.u64()?;
        self.turn();
        Ok(())
    }

    /// Bytes that [`emit`](Proof::emit) writes.
    pub fn wire_len(&self) -> usize {
        let pieces = self.pieces().map(|(gap, len)| varint_len(gap) + varint_len(len)).sum::<usize>();
        varint_len(self.came.len() as u64) + pieces + size_of::<u64>()
    }

    /// Writes it.
    ///
    /// # Errors
    /// [`Full`].
    pub fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.varint(self.came.len() as u64)?;
        for (gap, len) in self.pieces() {
            writer.varint(gap)?;
            writer.varint(len)?;
        }
        writer.u64(self.fold)
    }

    /// Checks it. `chain` is the connection's, and `after` gives the tag of the line that a loss begins. Two blocks of
    /// AES a range, and two more where it goes from one line into the next.
    ///
    /// The continuation is burnt before: who may try again and again guesses.
    ///
    /// # Errors
    /// [`ProofError`].
    pub fn verify(
        &self,
        continuation: &Continuation,
        chain: &Chain<'_>,
        after: impl Fn(Tag, u64) -> Tag,
    ) -> Result<(), ProofError> {
        if self.came.last().is_none_or(|range| range.end <= continuation.first) {
            return Err(ProofError::OwnLost);
        }
        let (mut fold, mut rest, mut told) = (0, &self.came[..], self.shown.start);
        let shown = (self.shown.start, self.shown.end - 1);
        for (piece, tag) in plan::tags(continuation.root, &self.lost, shown, after) {
            let branch = chain.branch(u64::from(tag.0));
            while let Some(range) = rest.first().filter(|range| range.start < piece.end) {
                let end = range.end.min(piece.end);
                fold ^= branch.fold(range.start.max(piece.start), end);
                if range.end > piece.end {
                    break;
                }
                rest = &rest[1..];
            }
            told = piece.end;
        }
        match (told == self.shown.end, fold == self.fold) {
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
    use crate::{Growth, Line, Rtt, Site, Stamp, Wall};
    use tng_base::Rng;
    use tng_crypto::Secret32;
    use tng_nonce::{Direction, NonceKey, Purpose};

    fn after(tag: Tag, lost: u64) -> Tag {
        Tag(tag.0.wrapping_mul(31).wrapping_add(lost as u32))
    }

    fn continuation(base: u64, shown_from: u64, first: u64) -> Continuation {
        Continuation {
            site: Site(0),
            issuer: Issuer(0),
            serial: 0,
            first,
            is_pair: false,
            root: Line { growth: Growth::new(base, 10, 20), tag: Tag(5) },
            tag: Tag(5),
            issued: Stamp::of(Wall::default()),
            rtt: Rtt::default(),
            shown_from,
        }
    }

    struct Sender {
        key: NonceKey,
    }

    impl Sender {
        fn new() -> Sender {
            Sender { key: NonceKey::derive(&Secret32::from_bytes([4; 32])) }
        }

        fn chain(&self) -> Chain<'_> {
            self.key.chain(&[1; 16], Direction::Homeward, Purpose::Trickles)
        }

        /// The fold of what came, packet by packet, each with the nonce of its line.
        fn fold(&self, continuation: &Continuation, came: &[Range<u64>], lost: &[Range<u64>]) -> u64 {
            let shown = (continuation.shown_from, *continuation.numbers().end());
            let mut fold = 0;
            for (piece, tag) in plan::tags(continuation.root, lost, shown, after) {
                let branch = self.chain().branch(u64::from(tag.0));
                let of_piece = piece.filter(|number| came.iter().any(|range| range.contains(number)));
                fold = of_piece.fold(fold, |fold, number| fold ^ branch.nonce(number));
            }
            fold
        }

        fn proof(&self, continuation: &Continuation, came: &[Range<u64>]) -> Proof {
            let mut proof = Proof::with_room();
            proof.set(continuation.shown_from, *continuation.numbers().end(), came.iter().cloned(), 0).unwrap();
            proof.fold = self.fold(continuation, came, &proof.lost);
            proof
        }

        fn verify(&self, continuation: &Continuation, proof: &Proof) -> Result<(), ProofError> {
            proof.verify(continuation, &self.chain(), after)
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
            let continuation = continuation(base, shown_from, first);
            let mut came: Vec<Range<u64>> = Vec::new();
            for number in shown_from..=first {
                if number == first || rng.below(10) > 0 {
                    match came.last_mut() {
                        Some(range) if range.end == number => range.end += 1,
                        _ => came.push(number..number + 1),
                    }
                }
            }
            let mut proof = sender.proof(&continuation, &came);
            let shown = (shown_from, first);
            let pieces: Vec<_> = plan::tags(continuation.root, &proof.lost, shown, after).collect();
            if pieces.last().is_none_or(|(piece, _)| piece.end <= first) {
                assert_eq!(sender.verify(&continuation, &proof), Err(ProofError::Outside));
                continue;
            }
            over_lines += u32::from(pieces.len() > 1);
            assert_eq!(sender.verify(&continuation, &proof), Ok(()), "{came:?}");
            let mut bytes = vec![0; proof.wire_len()];
            let mut writer = Writer::new(&mut bytes);
            proof.emit(&mut writer).unwrap();
            assert_eq!(writer.left(), 0);
            let mut back = Proof::with_room();
            back.parse(&mut Reader::new(&bytes), &continuation).unwrap();
            assert_eq!((&back.came, &back.lost, back.fold), (&proof.came, &proof.lost, proof.fold));
            for cut in 0..bytes.len() {
                assert!(back.parse(&mut Reader::new(&bytes[..cut]), &continuation).is_err());
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
                proof.set(shown_from, first, joined, fold).unwrap();
                let answer = sender.verify(&continuation, &proof);
                assert!(matches!(answer, Err(ProofError::Invented | ProofError::Outside)), "{answer:?}");
                refused += 1;
            }
        }
        assert!(over_lines > 2_000 && refused > 10_000, "{over_lines} {refused}");
    }

    #[test]
    fn what_came_in_more_ranges_than_fit_is_refused_and_what_came_below_that_fits() {
        let every_other = |below: u64| (1..below).step_by(2).map(|number| number..number + 1);
        let mut proof = Proof::with_room();
        let most = 2 * PROOF_RANGES_MAX as u64;
        assert_eq!(proof.set(1, most - 1, every_other(most), 9), Ok(()));
        assert_eq!((proof.came.len(), proof.came.capacity()), (PROOF_RANGES_MAX, PROOF_RANGES_MAX + 1));
        let answer = proof.set(1, most + 1, every_other(most + 2), 9);
        assert_eq!(answer, Err(TooScattered { holds_below: most + 1 }));
        assert!(proof.came.is_empty() && proof.lost.is_empty());
        assert_eq!(proof.set(1, most - 1, every_other(most + 1), 9), Ok(()));
    }

    #[test]
    fn nonces_of_one_line_prove_nothing_in_another() {
        let (sender, continuation) = (Sender::new(), continuation(0, 1, 30));
        let honest = sender.proof(&continuation, core::slice::from_ref(&(1..31)));
        assert_eq!(sender.verify(&continuation, &honest), Ok(()));
        let mut other = continuation;
        other.root.tag = Tag(6);
        assert_eq!(sender.verify(&other, &honest), Err(ProofError::Invented));
    }

    #[test]
    fn who_says_that_its_own_packet_is_lost_proves_nothing() {
        let (sender, continuation) = (Sender::new(), continuation(0, 1, 30));
        let proof = sender.proof(&continuation, core::slice::from_ref(&(1..30)));
        assert_eq!(sender.verify(&continuation, &proof), Err(ProofError::OwnLost));
        assert_eq!(sender.verify(&continuation, &sender.proof(&continuation, &[])), Err(ProofError::OwnLost));
    }

    #[test]
    fn ranges_that_are_empty_or_touch_or_go_beyond_are_malformed() {
        let continuation = continuation(0, 1, 30);
        let parse = |pieces: &[u8]| {
            let bytes = [pieces, &[0; 8]].concat();
            Proof::with_room().parse(&mut Reader::new(&bytes), &continuation)
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
        proof.set(base + 1, first, [base + 1..base + 200, base + 201..first + 1], u64::MAX).unwrap();
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
