//! Tests that every [`Armor`] passes. Call them from the armor's own tests.

use crate::wire::{FirstByte, Mark, NUMBER_AT};
use crate::{Armor, OpenError};

/// Two armors that understand each other.
pub type Pair = (Box<dyn Armor>, Box<dyn Armor>);

/// Runs the whole battery. `pair` makes a fresh pair each time, with equal keys for equal calls or not.
///
/// # Panics
/// If the armor breaks one of its rules.
pub fn armor(pair: impl Fn() -> Pair) {
    round_trip(pair());
    forgeries(pair());
    directions(pair());
    phases(pair());
}

/// A sealed, masked packet; `body` is any length that leaves the sample whole.
fn sealed(armor: &mut dyn Armor, number: u64, number_len: usize, body: usize) -> Vec<u8> {
    let phase = armor.send_phase(number);
    let header_len = NUMBER_AT + number_len;
    let mut packet = vec![0; header_len + body + armor.tag_len()];
    packet[0] = FirstByte { phase, ack: body % 2 == 1, control: body % 3 == 1, at_once: body % 5 == 1, number_len }
        .to_byte(Mark::Channel);
    for (i, byte) in packet[1..].iter_mut().enumerate() {
        *byte = (i as u64 * 31 + number) as u8;
    }
    packet[NUMBER_AT..header_len].copy_from_slice(&number.to_be_bytes()[8 - number_len..]);
    armor.seal(number, header_len, &mut packet).expect("keys are fresh");
    armor.protect(NUMBER_AT, number_len, &mut packet);
    packet
}

/// Unmasks and opens; answers header and plaintext.
fn opened(armor: &mut dyn Armor, number: u64, packet: &[u8]) -> Option<Vec<u8>> {
    let mut packet = packet.to_vec();
    armor.unprotect(NUMBER_AT, &mut packet)?;
    let first = FirstByte::from_byte(packet[0]);
    let header_len = NUMBER_AT + first.number_len;
    if packet[NUMBER_AT..header_len] != number.to_be_bytes()[8 - first.number_len..] {
        // The channel would recover another number from it.
        let truncated = packet[NUMBER_AT..header_len].iter().fold(0, |n, &byte| n << 8 | u32::from(byte));
        let other = crate::number::recover(number, truncated, first.number_len);
        assert_eq!(armor.open(other, first.phase, header_len, &mut packet), Err(OpenError::Forged));
        return None;
    }
    let len = match armor.open(number, first.phase, header_len, &mut packet) {
        Ok(len) => len,
        Err(OpenError::Forged) => return None,
        Err(OpenError::Exhausted) => panic!("keys are fresh"),
    };
    packet.truncate(header_len + len);
    Some(packet)
}

/// Shortest body that a channel sends with this armor behind a number of that length.
fn shortest(armor: &dyn Armor, number_len: usize) -> usize {
    (4 + armor.sample_len()).saturating_sub(armor.tag_len() + number_len)
}

/// What was sealed opens to header and plaintext as they were, whatever its size, number, and length of the number, and
/// whichever side has rested.
pub fn round_trip((mut a, mut b): Pair) {
    let numbers = [1, 2, 255, 256, 65_535, 65_536, 1 << 24, (1 << 32) - 1, 1 << 32, (1 << 40) + 7, (1 << 62) - 1];
    for number in numbers {
        a.shrink();
        b.shrink();
        for number_len in 1..=4 {
            for body in [0, 1, 2, 3, 16, 17, 100, 1_401].map(|b| b + shortest(&*a, number_len)) {
                let packet = sealed(&mut *a, number, number_len, body);
                let plain = opened(&mut *b, number, &packet).expect("an honest packet opens");
                assert_eq!(plain.len(), NUMBER_AT + number_len + body, "number {number}, body {body}");
                let rest = &plain[NUMBER_AT + number_len..];
                let wanted = (NUMBER_AT + number_len - 1..).map(|i| (i as u64 * 31 + number) as u8);
                assert!(rest.iter().copied().eq(wanted.take(body)), "number {number}, body {body}");
                assert!(packet[1..NUMBER_AT] == plain[1..NUMBER_AT], "the channel id stays in the clear");
            }
        }
    }
    let mut short = vec![0x40; NUMBER_AT + 1];
    if b.sample_len() > 0 {
        assert_eq!(b.unprotect(NUMBER_AT, &mut short), None, "a packet without a sample is noticed");
    }
}

/// No changed, shortened, lengthened or renumbered packet opens, and trying leaves no trace.
pub fn forgeries((mut a, mut b): Pair) {
    let body = 40 + shortest(&*a, 2);
    let packet = sealed(&mut *a, 300, 2, body);
    for bit in 0..packet.len() * 8 {
        let mut forged = packet.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(opened(&mut *b, 300, &forged), None, "bit {bit} was changed unnoticed");
    }
    for len in NUMBER_AT + 4..packet.len() {
        assert_eq!(opened(&mut *b, 300, &packet[..len]), None, "cut to {len} unnoticed");
    }
    let mut longer = packet.clone();
    longer.push(0);
    assert_eq!(opened(&mut *b, 300, &longer), None);
    assert_eq!(
        opened(&mut *b, 300 + 65_536, &packet),
        None,
        "the whole number is authentic, not only what is on the wire"
    );
    assert!(opened(&mut *b, 300, &packet).is_some(), "forgeries left a trace");
}

/// A packet sent back to its sender does not open.
pub fn directions((mut a, mut b): Pair) {
    let packet = sealed(&mut *a, 5, 2, 64);
    let mut reflected = packet.clone();
    if a.unprotect(NUMBER_AT, &mut reflected).is_some() {
        let first = FirstByte::from_byte(reflected[0]);
        let opened = a.open(5, first.phase, NUMBER_AT + first.number_len, &mut reflected);
        assert_eq!(opened, Err(OpenError::Forged), "a reflected packet opened");
    }
    assert!(opened(&mut *b, 5, &packet).is_some());
}

/// Both directions keep working over many packets, overtaken by one another and partly lost, while acknowledgments let
/// phases change.
pub fn phases((mut a, mut b): Pair) {
    let mut held: Option<(u64, Vec<u8>)> = None;
    for number in 1..2_000 {
        let packet = sealed(&mut *a, number, 3, 20);
        match number % 7 {
            0 => {} // lost
            1 => held = Some((number, packet)),
            _ => {
                assert!(opened(&mut *b, number, &packet).is_some(), "number {number}");
                a.handle_acked(number);
                if let Some((late, packet)) = held.take() {
                    assert!(opened(&mut *b, late, &packet).is_some(), "number {late}, overtaken by {number}");
                }
            }
        }
        let answer = sealed(&mut *b, number, 3, 20);
        assert!(opened(&mut *a, number, &answer).is_some(), "number {number} back");
        b.handle_acked(number);
    }
}
