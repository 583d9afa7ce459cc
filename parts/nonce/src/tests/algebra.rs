//! Appendix A, whatever the values of `r_x` are.
//!
//! A nonce is a sum of two unknowns over GF(2). What follows from nonces by XOR is what they span; what is not in the
//! span is, the unknowns being uniform and independent, uniform to who knows the nonces. So a property of spans is one
//! of every attack that computes.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{WAY, key};

/// A sum of unknowns: a bit for each.
type Sum = u64;

/// Nonces as sums of the unknowns; `unknown` says which one stands for `r_x`.
fn nonce(x: u32, unknown: impl Fn(u32) -> u32) -> Sum {
    1 << unknown(x) ^ 1 << unknown(x + 1)
}

/// A basis of what `sums` span, each with a leading bit of its own.
fn span(sums: impl Iterator<Item = Sum>) -> Vec<Sum> {
    let mut basis = Vec::new();
    for sum in sums {
        let rest = reduce(&basis, sum);
        if rest != 0 {
            basis.push(rest);
            basis.sort_unstable_by(|a, b| b.cmp(a));
        }
    }
    basis
}

/// What is left of `sum` when everything of the span is taken out.
fn reduce(basis: &[Sum], sum: Sum) -> Sum {
    basis.iter().fold(sum, |rest, member| rest.min(rest ^ member))
}

/// All ranges of packets below `count`.
fn ranges(count: u32) -> impl Iterator<Item = Range<u32>> {
    (0..count).flat_map(move |start| (start + 1..=count).map(move |end| start..end))
}

/// How many pairs of a range and a set of received packets that lacks one of it give the proof away all the same.
fn given_away(count: u32, unknown: impl Fn(u32) -> u32 + Copy) -> usize {
    let mut found = 0;
    for received in 0u32..1 << count {
        let basis = span((0..count).filter(|x| received >> x & 1 == 1).map(|x| nonce(x, unknown)));
        for range in ranges(count) {
            let proof: Sum = range.clone().map(|x| nonce(x, unknown)).fold(0, |a, b| a ^ b);
            let whole = range.clone().all(|x| received >> x & 1 == 1);
            let known = reduce(&basis, proof) == 0;
            assert!(known || !whole, "who has every nonce of {range:?} has its proof");
            found += usize::from(known && !whole);
        }
    }
    found
}

#[test]
fn no_nonces_that_lack_one_packet_of_a_range_give_its_proof() {
    for count in 1..=10 {
        assert_eq!(given_away(count, |x| x), 0, "{count} packets");
    }
    // Control: unknowns that come again close the chain to a ring, and the packets around a gap tell what is in it.
    assert!(given_away(6, |x| x % 4) > 0);
}

#[test]
fn whatever_of_another_connection_is_known_does_not_help() {
    // The unknowns of the second connection: the next ones, or the very same where the connection is left out of `r_x`.
    let helped = |second: fn(u32) -> u32| {
        let (count, mut found) = (5, 0);
        for received in 0u32..1 << (2 * count) {
            let first = (0..count).filter(|x| received >> x & 1 == 1).map(|x| nonce(x, |x| x));
            let other = (0..count).filter(|x| received >> (count + x) & 1 == 1).map(|x| nonce(x, second));
            let basis = span(first.chain(other));
            found += ranges(count)
                .filter(|range| {
                    let whole = range.clone().all(|x| received >> x & 1 == 1);
                    !whole && reduce(&basis, range.clone().map(|x| nonce(x, |x| x)).fold(0, |a, b| a ^ b)) == 0
                })
                .count();
        }
        found
    };
    assert_eq!(helped(|x| 16 + x), 0);
    // Control.
    assert!(helped(|x| x) > 0);
}

/// Theorem A.1 by counting: of all sequences of `count + 1` words of `bits`, sorted by the nonces that somebody has who
/// lacks those for which `lacks` says so, how often each range nonce comes.
fn worlds(count: u32, bits: u32, lacks: impl Fn(u32) -> bool) -> BTreeMap<Vec<u64>, BTreeMap<u64, u64>> {
    let word = |world: u64, x: u32| world >> (x * bits) & ((1 << bits) - 1);
    let mut seen: BTreeMap<Vec<u64>, BTreeMap<u64, u64>> = BTreeMap::new();
    for world in 0..1u64 << ((count + 1) * bits) {
        let known = (0..count).filter(|x| !lacks(*x)).map(|x| word(world, x) ^ word(world, x + 1)).collect();
        *seen.entry(known).or_default().entry(word(world, 0) ^ word(world, count)).or_default() += 1;
    }
    seen
}

#[test]
fn all_nonces_but_one_say_as_much_of_the_range_nonce_as_none_do() {
    for (count, bits) in [(1, 4), (2, 3), (3, 3), (4, 3), (5, 2)] {
        for missing in 0..count {
            for (known, proofs) in worlds(count, bits, |x| x == missing) {
                let each = 1 << bits;
                assert_eq!(proofs.len(), each, "{known:?}: every range nonce is possible");
                assert!(proofs.values().all(|&n| n == each as u64), "{known:?}: and as likely as any: {proofs:?}");
            }
        }
        // Control: with all of them there is but one.
        assert!(worlds(count, bits, |_| false).values().all(|proofs| proofs.len() == 1));
    }
}

#[test]
fn no_other_set_of_nonces_folds_to_the_proof_of_a_range() {
    const COUNT: u32 = 12;
    let key = key(1);
    let chain = key.chain(&[3; 16], WAY.0, WAY.1);
    let nonces: [u64; COUNT as usize] = core::array::from_fn(|x| chain.nonce(1_000 + x as u64));
    let mut matches = 0;
    for set in 0u32..1 << COUNT {
        let fold = (0..COUNT).filter(|x| set >> x & 1 == 1).fold(0, |fold, x| fold ^ nonces[x as usize]);
        for range in ranges(COUNT) {
            let whole = range.clone().fold(0, |bits, x| bits | 1 << x) == set;
            let proof = chain.fold(1_000 + u64::from(range.start), 1_000 + u64::from(range.end));
            assert_eq!(fold == proof, whole, "{set:b} for {range:?}");
            matches += u32::from(whole);
        }
    }
    assert_eq!(matches, COUNT * (COUNT + 1) / 2);
}
