//! What protects a section costs: `cargo run --release -p tng-flow --example hop_mac`.
//!
//! Nanoseconds a packet, of the fastest of 40 runs and of the one in the middle: sealing at one end, opening at the
//! other, and what the MAC was before, HMAC-SHA-256 over the whole packet.
#![allow(clippy::disallowed_methods, reason = "measuring real time is the purpose")]

use std::hint::black_box;
use std::time::Instant as Clock;

use tng_channel::Armor;
use tng_channel::wire::{FirstByte, Mark, NUMBER_AT};
use tng_crypto::HmacKey;
use tng_flow::{Carries, End, HOP_KEY_LEN, HOP_TAG_LEN, HopKey};

const RUNS: usize = 40;
const TIMES: u64 = 20_000;

fn measure(what: &str, mut operation: impl FnMut(u64)) {
    let mut ns: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Clock::now();
            (0..TIMES).for_each(&mut operation);
            start.elapsed().as_nanos() as f64 / TIMES as f64
        })
        .collect();
    ns.sort_by(f64::total_cmp);
    println!("{what:56} {:8.1} {:8.1}", ns[0], ns[RUNS / 2]);
}

/// A packet of `len` bytes with this acknowledgment block.
fn packet(ack: &[u8], len: usize) -> Vec<u8> {
    let first = FirstByte { phase: false, ack: !ack.is_empty(), control: false, at_once: false, number_len: 2 };
    let mut packet = vec![first.to_byte(Mark::Section), 1, 2, 3, 4, 5, 6, 0, 0];
    packet.extend(ack);
    packet.resize(len, 0x5a);
    packet
}

fn main() {
    println!("{:56} {:>8} {:>8}", "ns", "fastest", "middle");
    let key = HopKey::from_bytes([7; HOP_KEY_LEN]);
    let header_len = NUMBER_AT + 2;
    // Of one range, with ECN counts.
    let ack = [0x81, 0x50, 0, 0x40, 90, 3, 0x50, 0, 0, 0];
    for (what, carries, mut packet) in [
        ("a packet of 1,200 bytes", Carries::Sealed, packet(&[], 1_200)),
        ("the same with an acknowledgment", Carries::Sealed, packet(&ack, 1_200)),
        ("an acknowledgment alone", Carries::Sealed, packet(&ack, header_len + ack.len() + HOP_TAG_LEN)),
        ("a tunnel's packet of 1,200 bytes", Carries::Plain, packet(&[], 1_200)),
    ] {
        let (mut near, mut far) = (key.armor(End::Near, carries), key.armor(End::Far, carries));
        measure(&format!("{what}, sealed"), |number| {
            near.seal(number, header_len, black_box(&mut packet)).expect("there is room");
        });
        near.seal(7, header_len, &mut packet).expect("there is room");
        measure(&format!("{what}, opened"), |_| {
            black_box(far.open(7, false, header_len, black_box(&mut packet))).expect("it is authentic");
        });
        let hmac = HmacKey::new(&[7; 32]);
        measure(&format!("{what}, HMAC-SHA-256"), |number| {
            black_box(hmac.tag(&[&number.to_be_bytes(), black_box(&packet[..packet.len() - HOP_TAG_LEN])]));
        });
    }
    measure("the keys of a section", |_| {
        black_box(key.armor(End::Near, Carries::Sealed));
    });
}
