//! What range nonces and the primitives beside them cost: `cargo run --release -p tng-nonce --example cost`.
//!
//! Nanoseconds an operation, of the fastest of 40 runs and of the one in the middle.
#![allow(clippy::disallowed_methods, reason = "measuring real time is the purpose")]

use std::hint::black_box;
use std::time::Instant as Clock;

use tng_crypto::{Blake3Key, BlockKey, HmacKey, Secret32, SipKey};
use tng_nonce::{Direction, NonceKey, Purpose, RangeProof, Receipts};

const RUNS: usize = 40;

/// Does `operation` so many times in each run, which is as much as `per_call` of what is counted each.
fn measure(what: &str, times: u64, per_call: u64, mut operation: impl FnMut(u64)) {
    let mut ns: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Clock::now();
            (0..times).for_each(&mut operation);
            start.elapsed().as_nanos() as f64 / (times * per_call) as f64
        })
        .collect();
    ns.sort_by(f64::total_cmp);
    println!("{what:48} {:8.1} {:8.1}", ns[0], ns[RUNS / 2]);
}

fn main() {
    println!("{:48} {:>8} {:>8}", "ns", "fastest", "middle");
    primitives();
    nonces();
    receipts();
}

fn primitives() {
    let secret = Secret32::from_bytes([7; 32]);
    let (blake3, sip) = (Blake3Key::from_bytes([1; 32]), SipKey::from_bytes([1; 16]));
    let (block, hmac) = (BlockKey::from_bytes(&[1; 16]), HmacKey::new(&[1; 32]));
    for len in [24, 48, 64, 128, 1_200] {
        let mut message = vec![0; len];
        measure(&format!("SipHash-2-4, {len} bytes"), 20_000, 1, |i| {
            message[0] = i as u8;
            black_box(sip.tag(&[&message]));
        });
        measure(&format!("keyed BLAKE3, {len} bytes"), 5_000, 1, |i| {
            message[0] = i as u8;
            black_box(blake3.tag(&[&message]));
        });
        measure(&format!("HMAC-SHA-256, {len} bytes"), 5_000, 1, |i| {
            message[0] = i as u8;
            black_box(hmac.tag(&[&message]));
        });
    }
    measure("AES-128, a block alone", 20_000, 1, |i| {
        black_box(block.prf(u128::from(i)));
    });
    measure("AES-128, two blocks, each", 20_000, 2, |i| {
        black_box(block.prf_all([u128::from(i), 7]));
    });
    measure("AES-128, eight blocks, each", 20_000, 8, |i| {
        black_box(block.prf_all::<8>(core::array::from_fn(|at| u128::from(i) + at as u128)));
    });
    measure("AES-128, a key out of a secret", 2_000, 1, |_| {
        black_box(BlockKey::derive(&secret, tng_crypto::labels::RANGE_NONCE));
    });
}

fn nonces() {
    let key = NonceKey::derive(&Secret32::from_bytes([7; 32]));
    let chain = key.chain(&[1; 16], Direction::Homeward, Purpose::Trickles);
    measure("a chain", 20_000, 1, |i| {
        black_box(key.chain(&u128::from(i).to_be_bytes(), Direction::Homeward, Purpose::Trickles));
    });
    measure("a nonce alone", 20_000, 1, |i| {
        black_box(chain.nonce(i));
    });
    let mut out = [0; 64];
    measure("64 nonces in a row, each", 1_000, 64, |i| {
        chain.nonces(i, &mut out);
        black_box(&out);
    });
    for ranges in [1, 2, 8, 64] {
        let mut receipts = Receipts::new(0);
        for number in (0..1_024).filter(|number| number % (1_024 / ranges) != 0) {
            receipts.receive(number, chain.nonce(number)).expect("each is new");
        }
        let proofs: Vec<RangeProof> = receipts.proofs().collect();
        measure(&format!("a proof of {ranges} ranges checked, a range"), 2_000, ranges, |_| {
            chain.verify(0..1_024, black_box(&proofs)).expect("it is true");
        });
        measure(&format!("{ranges} proofs made, each"), 2_000, ranges, |_| {
            receipts.proofs().for_each(|proof| {
                black_box(proof);
            });
        });
    }
}

fn receipts() {
    const COUNT: u64 = 4_096;
    measure("a nonce taken in order", 4, COUNT, |_| {
        let mut receipts = Receipts::new(0);
        for number in 0..COUNT {
            receipts.receive(number, number).expect("each is new");
        }
        black_box(&receipts);
    });
    measure("a nonce taken, each 64 in reverse", 4, COUNT, |_| {
        let mut receipts = Receipts::new(0);
        for number in 0..COUNT {
            receipts.receive(number ^ 63, number).expect("each is new");
        }
        black_box(&receipts);
    });
}
