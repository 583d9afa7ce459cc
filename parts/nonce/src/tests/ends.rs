//! A sender and a receiver together.

use std::collections::BTreeSet;

use tng_base::Rng;

use super::{WAY, key, seeds};
use crate::{Chain, NUMBER_LIMIT, NotTaken, RECEIPTS_SPAN_MAX, RangeProof, Receipts, Unproven};

/// What a model of the set says must be claimed: the ranges of `numbers`, ascending.
fn model_ranges(numbers: &BTreeSet<u64>) -> Vec<std::ops::Range<u64>> {
    let mut ranges: Vec<std::ops::Range<u64>> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some(last) if last.end == number => last.end += 1,
            _ => ranges.push(number..number + 1),
        }
    }
    ranges
}

/// What a receiver can prove, in pieces that a proof holds; each must count.
fn prove(chain: &Chain<'_>, receipts: &Receipts, sent: u64) {
    let proofs: Vec<RangeProof> = receipts.proofs().collect();
    for part in proofs.chunks(crate::PROOF_RANGES_MAX) {
        assert_eq!(chain.verify(receipts.first()..sent, part), Ok(()));
    }
}

#[test]
fn whatever_arrives_in_whatever_order_is_proven_and_nothing_else_is() {
    for seed in 0..seeds(200) {
        let mut rng = Rng::from_u64(seed);
        let (key, connection) = (key(seed as u8), rng.bytes());
        let chain = key.chain(&connection, WAY.0, WAY.1);
        let from = [0, 5, rng.below(NUMBER_LIMIT / 2), NUMBER_LIMIT - 700][rng.below(4) as usize];
        let mut receipts = Receipts::new(from);
        let (mut model, mut closed) = (BTreeSet::new(), from);
        let (loss, span) = (rng.unit() * 0.6, 1 + rng.below(12));
        for step in 0..500 {
            let sent = from + step + 13;
            let number = (from + step + rng.below(span)).saturating_sub(rng.below(span));
            if !rng.chance(loss) {
                let due = if number < receipts.first() {
                    Err(NotTaken::Settled)
                } else if model.contains(&number) {
                    Err(NotTaken::Known)
                } else if number < closed {
                    Err(NotTaken::Closed)
                } else {
                    model.insert(number);
                    Ok(())
                };
                assert_eq!(receipts.receive(number, chain.nonce(number)), due, "seed {seed}");
            }
            if rng.chance(0.02) {
                closed = closed.max(number);
                receipts.close(number);
            }
            if rng.chance(0.02) {
                receipts.settle(number);
                model = model.split_off(&receipts.first());
            }
            if step % 16 == 0 {
                prove(&chain, &receipts, sent);
                let proofs: Vec<RangeProof> = receipts.proofs().collect();
                let claimed: Vec<_> = proofs.iter().map(|proof| proof.range.clone()).collect();
                assert_eq!(claimed, model_ranges(&model), "seed {seed}");
                // One packet more on either side, with what is known; and the gap between two ranges.
                for (at, RangeProof { range, fold }) in proofs.iter().enumerate() {
                    let known = *fold;
                    let next = proofs.get(at + 1);
                    let mut wrong = vec![(range.start..range.end + 1, known)];
                    wrong.extend((range.start > receipts.first()).then(|| (range.start - 1..range.end, known)));
                    wrong.extend(next.map(|next| (range.start..next.range.end, known ^ next.fold)));
                    for (range, fold) in wrong {
                        let lie = [RangeProof { range, fold }];
                        assert_eq!(chain.verify(receipts.first()..sent + 1, &lie), Err(Unproven::Invented { at: 0 }));
                    }
                }
            }
        }
    }
}

#[test]
fn each_proof_begins_with_every_earlier_one_when_gaps_are_closed() {
    // What a proof says of the packets below `end`.
    let below = |proofs: &[RangeProof], end: u64| {
        let cut = |proof: &RangeProof| proof.range.start..proof.range.end.min(end);
        proofs.iter().map(cut).filter(|range| !range.is_empty()).collect::<Vec<_>>()
    };
    let begins = |closes: bool| {
        let (mut rng, key) = (Rng::from_u64(9), key(1));
        let chain = key.chain(&[1; 16], WAY.0, WAY.1);
        let mut receipts = Receipts::new(0);
        let mut earlier: Vec<(Vec<RangeProof>, u64)> = Vec::new();
        let mut held = 0;
        for step in 0..400u64 {
            let number = step + rng.below(4);
            if rng.chance(0.8) {
                let _ = receipts.receive(number, chain.nonce(number));
            }
            if step % 10 == 9 {
                let proofs: Vec<RangeProof> = receipts.proofs().collect();
                let end = proofs.last().expect("something came").range.end;
                held += earlier.iter().filter(|(before, end)| below(&proofs, *end) == below(before, *end)).count();
                earlier.push((proofs, end));
                if closes {
                    receipts.close(end);
                }
            }
        }
        (held, earlier.len() * (earlier.len() - 1) / 2)
    };
    let (held, pairs) = begins(true);
    assert_eq!(held, pairs);
    // Control.
    let (held, pairs) = begins(false);
    assert!(held < pairs, "{held} of {pairs}");
}

#[test]
fn branches_have_nonces_of_their_own_and_the_branch_0_is_the_chain() {
    let key = key(2);
    let chain = key.chain(&[7; 16], WAY.0, WAY.1);
    let tags = [0, 1, 2, 1 << 31, (1 << 48) - 1];
    let mut nonces: Vec<u64> = tags.iter().map(|tag| chain.branch(*tag).nonce(5)).collect();
    assert_eq!(nonces[0], chain.nonce(5));
    assert_eq!(chain.branch(1).branch(2).nonce(5), chain.branch(3).nonce(5));
    assert_eq!(chain.branch(1 << 48).nonce(5), chain.nonce(5), "a tag has 48 bits");
    nonces.sort_unstable();
    nonces.dedup();
    assert_eq!(nonces.len(), tags.len());
    // The proof of a range in one branch is none in another.
    assert_ne!(chain.branch(1).fold(3, 9), chain.branch(2).fold(3, 9));
}

#[test]
fn many_nonces_at_once_are_those_one_by_one() {
    let key = key(2);
    let chain = key.chain(&[7; 16], WAY.0, WAY.1);
    for count in (0..40).chain([257]) {
        for first in [0, 1, 1 << 40] {
            let mut nonces = vec![0; count];
            chain.nonces(first, &mut nonces);
            let one_by_one: Vec<u64> = (first..first + count as u64).map(|number| chain.nonce(number)).collect();
            assert_eq!(nonces, one_by_one, "{count} from {first}");
            let mut links = vec![0; count + 1];
            chain.links(first, &mut links);
            let of_links: Vec<u64> = links.windows(2).map(|pair| pair[0] ^ pair[1]).collect();
            assert_eq!(of_links, one_by_one, "{count} from {first}");
        }
    }
}

#[test]
fn the_longest_range_costs_what_the_shortest_does() {
    // Nobody could fold so many; a peer that could would be believed.
    let key = key(2);
    let chain = key.chain(&[7; 16], WAY.0, WAY.1);
    let proof = RangeProof { range: 0..NUMBER_LIMIT, fold: chain.fold(0, NUMBER_LIMIT) };
    assert_eq!(chain.verify(0..u64::MAX, &[proof]), Ok(()));
}

#[test]
fn numbers_far_ahead_and_far_behind_hold_nothing() {
    let mut receipts = Receipts::new(100);
    assert_eq!(receipts.receive(100 + RECEIPTS_SPAN_MAX, 1), Err(NotTaken::TooFar));
    assert_eq!(receipts.receive(u64::MAX, 1), Err(NotTaken::TooFar));
    assert_eq!(receipts.receive(99, 1), Err(NotTaken::Settled));
    assert_eq!(receipts.proofs().count(), 0);
    assert_eq!(receipts.receive(99 + RECEIPTS_SPAN_MAX, 1), Ok(()));
    receipts.settle(u64::MAX);
    assert_eq!(receipts.proofs().count(), 0);
    assert_eq!(receipts.receive(u64::MAX, 1), Err(NotTaken::TooFar));
    let mut last = Receipts::new(NUMBER_LIMIT - 1);
    assert_eq!(last.receive(NUMBER_LIMIT - 1, 3), Ok(()));
    assert_eq!(last.receive(NUMBER_LIMIT, 3), Err(NotTaken::TooFar));
}

#[test]
fn a_settled_range_is_cut_wherever_it_is() {
    let key = key(4);
    let chain = key.chain(&[8; 16], WAY.0, WAY.1);
    let mut whole = Receipts::new(0);
    for number in (0..20).chain(25..40) {
        whole.receive(number, chain.nonce(number)).unwrap();
    }
    for cut in 0..=45 {
        let mut receipts = whole.clone();
        receipts.settle(cut);
        receipts.settle(cut / 2);
        prove(&chain, &receipts, 40);
        let left: u64 = receipts.proofs().map(|proof| proof.range.end - proof.range.start).sum();
        assert_eq!(left, (cut..40).filter(|x| !(20..25).contains(x)).count() as u64, "cut at {cut}");
        assert_eq!(receipts.receive(50, chain.nonce(50)), Ok(()));
        prove(&chain, &receipts, 51);
    }
}

#[test]
fn what_arrived_of_any_numbers_is_told_and_folded_but_for_what_is_settled() {
    let mut whole = Receipts::new(10);
    let came: BTreeSet<u64> = (10..14).chain(17..18).chain(20..30).chain([40]).collect();
    let nonce = |number: u64| (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    came.iter().for_each(|number| assert_eq!(whole.receive(*number, nonce(*number)), Ok(())));
    for settled in [10, 12, 19, 25, 60] {
        let mut receipts = whole.clone();
        receipts.settle(settled);
        for from in 0..50 {
            for to in from..50 {
                let due: BTreeSet<u64> = came.range(from.max(settled)..to.max(settled)).copied().collect();
                assert_eq!(receipts.received(from..to).collect::<Vec<_>>(), model_ranges(&due), "{from}..{to}");
                let fold = due.iter().fold(0, |fold, number| fold ^ nonce(*number));
                assert_eq!(receipts.fold(from..to), fold, "{from}..{to} of what is not below {settled}");
            }
        }
    }
}
