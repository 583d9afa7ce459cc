//! Proofs of packets that did not arrive.

use std::sync::Arc;

use tng_base::Rng;

use super::{WAY, key, seeds};
use crate::{
    Chain, Direction, NUMBER_LIMIT, NotTaken, OwnedChain, PROOF_RANGES_MAX, Purpose, RangeProof, Receipts, Unproven,
};

/// Lies that a seed tells. `TNG_SEEDS=10000 cargo test --release -p tng-nonce` tells 10^7.
const LIES_PER_SEED: u64 = 1_000;

/// A connection of 64 packets, the first seven and some others lost, and what a liar has that wants them to have
/// arrived.
struct Liar<'a> {
    rng: Rng,
    /// Nonces of the same numbers that belong to something else: another connection, direction, purpose, key.
    elsewhere: [Chain<'a>; 4],
    nonces: Vec<Option<u64>>,
}

impl Liar<'_> {
    fn known(&mut self) -> u64 {
        loop {
            let at = self.rng.below(64) as usize;
            if let Some(nonce) = self.nonces[at] {
                return nonce;
            }
        }
    }

    /// A range with a lost packet in it.
    fn range(&mut self) -> std::ops::Range<u64> {
        loop {
            let start = self.rng.below(64);
            let end = start + 1 + self.rng.below(64 - start);
            if (start..end).any(|x| self.nonces[x as usize].is_none()) {
                return start..end;
            }
        }
    }

    fn fold(&self, range: std::ops::Range<u64>) -> u64 {
        range.filter_map(|x| self.nonces[x as usize]).fold(0, |a, b| a ^ b)
    }

    /// A proof that is not true, by one of the ways that come to mind.
    fn lie(&mut self) -> RangeProof {
        let range = self.range();
        let has = self.fold(range.clone());
        let fold = match self.rng.below(9) {
            // A guess.
            0 => self.rng.u64(),
            // Zero, and all that is there without what is missing.
            1 => 0,
            2 => has,
            // That and any others.
            3 => (0..1 + self.rng.below(4)).fold(has, |fold, _| fold ^ self.known()),
            // The right range nonce of a range as long.
            4 => {
                let moved = self.rng.below(64);
                self.fold(moved..64.min(moved + range.end - range.start))
            }
            // For what is missing, nonces of the same numbers from elsewhere.
            5 => {
                let which = self.rng.below(4) as usize;
                let missing = range.clone().filter(|x| self.nonces[*x as usize].is_none());
                missing.fold(has, |fold, x| fold ^ self.elsewhere[which].nonce(x))
            }
            // The whole range from elsewhere.
            6 => {
                let which = self.rng.below(4) as usize;
                range.clone().fold(0, |fold, x| fold ^ self.elsewhere[which].nonce(x))
            }
            // What is there with a bit turned, or turned about.
            7 => has ^ 1 << self.rng.below(64),
            _ => has.rotate_left(self.rng.below(64) as u32),
        };
        RangeProof { range, fold }
    }
}

#[test]
fn no_invented_proof_is_accepted() {
    let (mut told, mut short) = (0u64, 0u64);
    for seed in 0..seeds(200) {
        let mut rng = Rng::from_u64(seed);
        let keys = [key(seed as u8), key(seed as u8 ^ 0x80)];
        let (one, other) = (rng.bytes(), rng.bytes());
        let chain = keys[0].chain(&one, WAY.0, WAY.1);
        let elsewhere = [
            keys[0].chain(&other, WAY.0, WAY.1),
            keys[0].chain(&one, Direction::Outward, WAY.1),
            keys[0].chain(&one, WAY.0, Purpose::Policer),
            keys[1].chain(&one, WAY.0, WAY.1),
        ];
        let lost: Vec<bool> = (0..64).map(|x| x < 7 || rng.chance(0.2)).collect();
        let nonces = (0..64).map(|x| (!lost[x as usize]).then(|| chain.nonce(x))).collect();
        let mut liar = Liar { rng, elsewhere, nonces };
        for _ in 0..LIES_PER_SEED {
            let lie = liar.lie();
            // Control: somebody who looks at eight bits believes one in 256.
            short += u64::from((chain.fold(lie.range.start, lie.range.end) ^ lie.fold) & 0xff == 0);
            assert_eq!(
                chain.verify(0..64, core::slice::from_ref(&lie)),
                Err(Unproven::Invented { at: 0 }),
                "seed {seed}: {lie:?}"
            );
            told += 1;
        }
        // What is true is believed.
        let mut receipts = Receipts::new(0);
        for (x, nonce) in liar.nonces.iter().enumerate() {
            nonce.map(|nonce| receipts.receive(x as u64, nonce).unwrap());
        }
        assert_eq!(chain.verify(0..64, &receipts.proofs().collect::<Vec<_>>()), Ok(()));
    }
    assert!(short > told / 512 && short < told / 64, "{short} of {told}");
    println!("{told} lies, none accepted; by eight bits {short}");
}

#[test]
fn a_second_connection_does_not_learn_what_the_first_missed() {
    // Packet 5 of the first is lost; the second got its own packet 5. Both under one key.
    let proof_with = |first: &Chain<'_>, second: &Chain<'_>| RangeProof {
        range: 0..10,
        fold: (0..10).fold(0, |fold, x| fold ^ if x == 5 { second.nonce(x) } else { first.nonce(x) }),
    };
    let key = key(1);
    let [first, second] = [[1; 16], [2; 16]].map(|connection| key.chain(&connection, WAY.0, WAY.1));
    assert_eq!(first.verify(0..10, &[proof_with(&first, &second)]), Err(Unproven::Invented { at: 0 }));
    // Control: `r_x` of the key and the number alone, as the paper has it to the letter.
    let unbound = key.chain_of_any_connection(WAY.0, WAY.1);
    let proof = proof_with(&unbound, &key.chain_of_any_connection(WAY.0, WAY.1));
    assert_eq!(unbound.verify(0..10, &[proof]), Ok(()), "the loss is hidden");
}

#[test]
fn a_packet_sent_again_under_its_number_would_hide_its_loss() {
    // Why lost bytes come again under new numbers (Trickles 2.2 takes another key for them): the loss of packet 3
    // shows.
    let key = key(1);
    let chain = key.chain(&[1; 16], WAY.0, WAY.1);
    let with = |again: u64| {
        let mut receipts = Receipts::new(0);
        for number in [0, 1, 2, 4, 5, again] {
            receipts.receive(number, chain.nonce(number)).unwrap();
        }
        let proofs: Vec<RangeProof> = receipts.proofs().collect();
        assert_eq!(chain.verify(0..7, &proofs), Ok(()));
        proofs.len()
    };
    assert_eq!(with(6), 2, "a gap");
    // Control.
    assert_eq!(with(3), 1, "none");
}

#[test]
fn what_is_wrong_with_a_proof_is_told() {
    let key = key(3);
    let chain = key.chain(&[1; 16], WAY.0, WAY.1);
    let good = |range: std::ops::Range<u64>| RangeProof { fold: chain.fold(range.start, range.end), range };
    let verify = |proofs: &[RangeProof]| chain.verify(10..100, proofs);
    assert_eq!(verify(&[]), Ok(()));
    assert_eq!(verify(&[good(10..20), good(21..30), good(99..100)]), Ok(()));
    // An empty range folds to nothing at all, which everybody knows.
    assert_eq!(verify(&[good(10..12), RangeProof { range: 20..20, fold: 0 }]), Err(Unproven::Empty { at: 1 }));
    assert_eq!(
        verify(&[RangeProof { range: core::ops::Range { start: 20, end: 12 }, fold: 0 }]),
        Err(Unproven::Empty { at: 0 })
    );
    for second in [good(20..30), good(19..30), good(10..20), good(12..14), good(10..11)] {
        assert_eq!(verify(&[good(10..20), second.clone()]), Err(Unproven::Unordered { at: 1 }), "{second:?}");
    }
    assert_eq!(verify(&[good(30..40), good(10..20)]), Err(Unproven::Unordered { at: 1 }));
    assert_eq!(verify(&[good(9..20)]), Err(Unproven::Outside { at: 0 }));
    assert_eq!(verify(&[good(10..20), good(90..101)]), Err(Unproven::Outside { at: 1 }));
    assert_eq!(chain.verify(0..u64::MAX, &[good(5..NUMBER_LIMIT + 1)]), Err(Unproven::Outside { at: 0 }));
    let mut lie = good(40..50);
    lie.fold ^= 1;
    assert_eq!(verify(&[good(10..20), lie]), Err(Unproven::Invented { at: 1 }));
    // At the limit, and one more.
    let many: Vec<RangeProof> = (0..=PROOF_RANGES_MAX as u64).map(|x| good(2 * x..2 * x + 1)).collect();
    assert_eq!(chain.verify(0..1_000, &many[..PROOF_RANGES_MAX]), Ok(()));
    assert_eq!(chain.verify(0..1_000, &many), Err(Unproven::TooMany));
}

#[test]
fn words_say_which_range_is_wrong_and_no_key_is_printed() {
    let said = [
        Unproven::TooMany.to_string(),
        Unproven::Empty { at: 1 }.to_string(),
        Unproven::Unordered { at: 2 }.to_string(),
        Unproven::Outside { at: 3 }.to_string(),
        Unproven::Invented { at: 4 }.to_string(),
    ];
    assert!(said[0].contains(&PROOF_RANGES_MAX.to_string()), "{said:?}");
    for (at, words) in said.iter().enumerate().skip(1) {
        assert!(words.starts_with(&format!("range {at} ")), "{said:?}");
    }
    let reasons = [NotTaken::Settled, NotTaken::Closed, NotTaken::Known, NotTaken::TooFar].map(|why| why.to_string());
    assert!(reasons.iter().all(|words| words.starts_with("it")), "{reasons:?}");
    assert_eq!(reasons.iter().collect::<std::collections::BTreeSet<_>>().len(), 4, "{reasons:?}");
    let key = key(1);
    let owned = OwnedChain::new(Arc::new(super::key(1)), &[1; 16], WAY.0, WAY.1);
    let printed = format!("{:?} {key:?} {owned:?}", key.chain(&[1; 16], WAY.0, WAY.1));
    assert_eq!(printed, "Chain(..) NonceKey(BlockKey(..)) OwnedChain(..)");
}

#[test]
fn nonces_are_those_of_an_independent_implementation() {
    // HKDF by Python's hmac, AES by OpenSSL's command.
    let key = crate::NonceKey::derive(&core::array::from_fn(|x| x as u8).into());
    let connection = core::array::from_fn(|x| 0xa0 + x as u8);
    let trickles = [0x83a22675_ccac9109, 0x6b6a1b57_9990c7f1, 0x80d58805_33b03b25, 0xe0696860_b0bfd380];
    let policer = [0x7d47279b_e061d318, 0xd46ef719_402b260f, 0xf24becdc_f605b5fc, 0xaa0f455c_1cc71515];
    for (direction, purpose, nonces) in
        [(Direction::Homeward, Purpose::Trickles, trickles), (Direction::Outward, Purpose::Policer, policer)]
    {
        let chain = key.chain(&connection, direction, purpose);
        assert_eq!([0, 1, 7, NUMBER_LIMIT - 1].map(|x| chain.nonce(x)), nonces, "{purpose:?}");
    }
}
