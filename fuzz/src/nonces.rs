//! Range nonces: a receiver led through a life, and its proofs and those of a liar before the sender.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

use tng_crypto::Secret32;
use tng_nonce::{
    Direction, NUMBER_LIMIT, NonceKey, NotTaken, PROOF_RANGES_MAX, Purpose, RECEIPTS_SPAN_MAX, RangeProof, Receipts,
    Unproven,
};

use crate::bytes::Script;
use crate::{Kind, Target};

/// The check lists all that is claimed, again and again.
pub(crate) const TARGETS: &[Target] =
    &[Target { name: "nonces", kind: Kind::Stateful, len_max: 600, memory: (64 << 10, 8 << 10), run: nonces, seeds }];

/// What arrived is claimed and believed, also when some of it arrived twice, late, too late, or damaged; what did not
/// arrive is not, whatever is said of it.
fn nonces(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let key = NonceKey::derive(&Secret32::from_bytes([1; 32]));
    let chain = key.chain(&[2; 16], Direction::Homeward, Purpose::Policer);
    let base = [0, 1 << 40, NUMBER_LIMIT - 400][script.below(3)];
    let mut receipts = Receipts::new(base);
    // What is wrong with the nonce of each number that was taken.
    let mut model: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut first, mut closed) = (base, base);
    let damage = |model: &BTreeMap<u64, u64>, range: Range<u64>| model.range(range).fold(0, |all, (_, one)| all ^ one);
    while !script.is_over() {
        let what = script.below(8);
        let number = base + u64::from(script.u8());
        match what {
            0..=2 => {
                let wrong = if script.below(8) == 0 { u64::from(script.u8()) } else { 0 };
                let due = if number < first {
                    Err(NotTaken::Settled)
                } else if let Entry::Vacant(place) = model.entry(number) {
                    if number < closed { Err(NotTaken::Closed) } else { Ok(_ = place.insert(wrong)) }
                } else {
                    Err(NotTaken::Known)
                };
                assert_eq!(receipts.receive(number, chain.nonce(number) ^ wrong), due, "{number}");
            }
            3 => {
                closed = closed.max(number);
                receipts.close(number);
            }
            4 => {
                first = first.max(number);
                receipts.settle(number);
                model = model.split_off(&first);
            }
            5 => {
                let far = number.saturating_add(script.number() << 3);
                if far - first.min(far) >= RECEIPTS_SPAN_MAX || far >= NUMBER_LIMIT {
                    assert_eq!(receipts.receive(far, 1), Err(NotTaken::TooFar));
                }
            }
            // A lie, or by chance the truth.
            6 => {
                let range = number..number + script.below(40) as u64;
                let mut fold = range.clone().fold(0, |fold, x| fold ^ chain.nonce(x));
                let lie = script.number();
                fold ^= lie;
                let verdict = chain.verify(base..NUMBER_LIMIT, &[RangeProof { range: range.clone(), fold }]);
                let due = if range.is_empty() {
                    Err(Unproven::Empty { at: 0 })
                } else if lie != 0 {
                    Err(Unproven::Invented { at: 0 })
                } else {
                    Ok(())
                };
                assert_eq!(verdict, due, "{range:?}");
            }
            _ => {
                let proofs: Vec<RangeProof> = receipts.proofs().collect();
                let claimed: Vec<u64> = proofs.iter().flat_map(|proof| proof.range.clone()).collect();
                assert!(claimed.iter().eq(model.keys()), "{claimed:?}");
                for part in proofs.chunks(PROOF_RANGES_MAX) {
                    let at = part.iter().position(|proof| damage(&model, proof.range.clone()) != 0);
                    let due = at.map_or(Ok(()), |at| Err(Unproven::Invented { at }));
                    assert_eq!(chain.verify(first..NUMBER_LIMIT, part), due);
                }
            }
        }
        assert_eq!(receipts.first(), first);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let script = |base: u8, ops: &[&[u8]]| [&[base], ops.concat().as_slice()].concat();
    let in_order: Vec<u8> = (0..40).flat_map(|number| [0, number, 1]).collect();
    let gaps: Vec<u8> = (0..60).filter(|number| number % 5 != 3).flat_map(|number| [1, number, 1]).collect();
    let reversed: Vec<u8> = (0..60).rev().flat_map(|number| [2, number, u8::from(number != 20)]).collect();
    let settled = [7, 0, 3, 30, 4, 17, 7, 0, 0, 28, 1, 4, 90, 0, 95, 1, 7, 0];
    let lies = [6, 2, 9, 0, 6, 2, 9, 5, 6, 4, 0, 0, 6, 70, 8, 3, 7, 0, 5, 9, 0xff, 255, 255];
    vec![
        script(0, &[&in_order, &[7, 0]]),
        script(1, &[&gaps, &settled]),
        script(2, &[&gaps, &lies]),
        script(1, &[&reversed, &lies, &settled]),
    ]
}
