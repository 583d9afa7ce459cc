use tng_base::{ChannelId, PeerText, RangeSet, Rng};
use tng_wire::battery;
use tng_wire::{Malformed, Reader, Repr, VARINT_MAX};

use super::*;

#[test]
fn every_first_byte_survives_and_marks_a_channel_packet() {
    for byte in 0x40..=0x7fu8 {
        assert!(Mark::Channel.is_on(byte));
        assert_eq!(FirstByte::from_byte(byte).to_byte(Mark::Channel), byte);
    }
    assert!((0..=0xffu8).filter(|b| !(0x40..0x80).contains(b)).all(|b| !Mark::Channel.is_on(b)));
}

#[test]
fn control_frames_survive() {
    let new = NewId { sequence: 70, retire_below: VARINT_MAX, id: ChannelId::from_u64(1 << 47), reset_token: [9; 16] };
    for control in [
        Control::Pad,
        Control::Ping,
        Control::Close { code: 64, reason: PeerText::new("enough is enough") },
        Control::Close { code: VARINT_MAX, reason: PeerText::default() },
        Control::NewId(new),
        Control::RetireId { sequence: 16_384 },
        Control::Challenge([1, 2, 3, 4, 5, 6, 7, 8]),
        Control::Response([0xff; 8]),
        Control::Lost { number: 16_383 },
        Control::PayloadMax { sequence: 3, bytes: 1_181 },
        Control::PayloadMax { sequence: 16_384, bytes: u16::MAX },
        Control::Renew(Renewal::new(0, &[]).expect("short")),
        Control::Renew(Renewal::new(7, &[9; RENEWAL_LEN_MAX]).expect("short")),
        Control::Lost { number: VARINT_MAX },
        Control::Carry,
    ] {
        battery::round_trip(&control);
    }
    let long = "x".repeat(CLOSE_REASON_MAX + 1);
    let bytes = battery::emit(&Control::Close { code: 0, reason: PeerText::new(&long) });
    assert_eq!(Control::parse(&mut Reader::new(&bytes)), Err(Malformed));
    for bad in [&[8, 1, 0x80, 1, 0, 0][..], &[10, 0, 94], &[10, 0]] {
        let bytes = [bad, &[0; 100]].concat();
        let end = if bad.len() == 2 { 2 } else { bytes.len() };
        assert_eq!(Control::parse(&mut Reader::new(&bytes[..end])), Err(Malformed), "{bad:?}");
    }
    for unknown in 11..=255 {
        assert_eq!(Control::parse(&mut Reader::new(&[unknown; 32])), Err(Malformed));
    }
}

/// Ranges with gaps and lengths of every size of varint.
fn ranges(rng: &mut Rng, count: u64) -> &'static RangeSet {
    let mut set = RangeSet::new();
    let mut at = rng.below(3);
    let mut any = || {
        let bound = [1, 100, 20_000, 1 << 31][rng.below(4) as usize];
        rng.below(bound)
    };
    for _ in 0..count {
        let len = 1 + any();
        set.insert(at..at + len);
        at += len + 1 + any();
    }
    Box::leak(Box::new(set))
}

#[test]
fn acknowledgment_blocks_survive() {
    let mut rng = Rng::from_u64(1);
    for round in 0..100 {
        let set = ranges(&mut rng, [0, 1, 2, 63, 80][round % 5]);
        let limit = ACK_RANGES_MAX;
        let block = AckBlock {
            ranges: AckRanges::Held { set, limit },
            delay: if set.is_empty() { 0 } else { rng.below(1 << 20) },
            unredeemed: rng.chance(0.5).then(|| rng.below(VARINT_MAX)),
            ecn: rng.chance(0.5).then(|| EcnCounts { ect0: rng.below(1 << 40), ect1: 0, ce: rng.below(70) }),
        };
        battery::round_trip(&block);
        assert_eq!(block.ranges.largest(), set.max());
        assert_eq!(block.ranges.count(), set.count().min(limit));
    }
}

#[test]
fn what_a_packet_carries_is_found_without_its_blocks_being_read() {
    let mut rng = Rng::from_u64(3);
    for round in 0..400 {
        let set = ranges(&mut rng, [0, 1, 2, 63, 80][round % 5]);
        let block = AckBlock {
            ranges: AckRanges::Held { set, limit: ACK_RANGES_MAX },
            delay: rng.below(1 << 20),
            unredeemed: rng.chance(0.5).then(|| rng.below(VARINT_MAX)),
            ecn: rng.chance(0.5).then(|| EcnCounts { ect0: rng.below(1 << 40), ect1: 0, ce: rng.below(70) }),
        };
        let [ack, control, at_once] = [0.7, 0.5, 0.5].map(|share| rng.chance(share));
        let number_len = 1 + round % 4;
        let first = FirstByte { phase: false, ack, control, at_once, number_len };
        let mut packet = vec![first.to_byte(Mark::Section)];
        let header_len = NUMBER_AT + number_len;
        packet.resize(header_len, 0xff);
        if ack {
            packet.extend(battery::emit(&block));
        }
        if control {
            let len = rng.below(100) as u8;
            match len {
                0..64 => packet.push(len),
                _ => packet.extend([0x40, len]),
            }
            packet.resize(packet.len() + usize::from(len), 0xff);
        }
        let at = packet.len();
        packet.resize(at + rng.below(40) as usize, 0xff);
        assert_eq!(payload_at(header_len, &packet), Some(at), "{round}");
        for len in 0..at {
            assert_eq!(payload_at(header_len, &packet[..len]), None, "{round}: {len} of {at}");
        }
    }
    for bytes in [&[0x98, 0, 0, 0, 0, 0, 0, 0, 0x40][..], &[0x88, 0, 0, 0, 0, 0, 0, 0, 0xff, 255, 255, 255]] {
        assert_eq!(payload_at(NUMBER_AT + 1, bytes), None, "{bytes:?}");
    }
}

#[test]
fn the_bytes_are_those_of_the_page() {
    let mut set = RangeSet::new();
    set.insert(3..5);
    set.insert(6..10);
    let block = AckBlock {
        ranges: AckRanges::Held { set: &set, limit: ACK_RANGES_MAX },
        delay: 100,
        unredeemed: Some(12),
        ecn: Some(EcnCounts { ect0: 5, ect1: 0, ce: 1 }),
    };
    // Two ranges, R and E; 9 and three below; 5 is missing; 4 and one below.
    assert_eq!(battery::emit(&block), [0xc2, 9, 0x40, 100, 3, 0, 1, 12, 5, 0, 1]);
    let nothing = AckBlock { ranges: AckRanges::Held { set: &set, limit: 0 }, delay: 0, unredeemed: None, ecn: None };
    assert_eq!(battery::emit(&nothing), [0]);
    let first = FirstByte { phase: true, ack: true, control: true, at_once: true, number_len: 2 };
    assert_eq!(first.to_byte(Mark::Channel), 0b0111_1101);
    assert_eq!(battery::emit(&Control::RetireId { sequence: 5 }), [4, 5]);
}

#[test]
fn ranges_that_reach_below_zero_are_malformed() {
    for bytes in [&[1, 5, 0, 6][..], &[2, 5, 0, 0, 4, 0], &[2, 5, 0, 5, 0, 0], &[2, 5, 0, 0, 3, 1]] {
        assert_eq!(AckBlock::parse(&mut Reader::new(bytes)), Err(Malformed), "{bytes:?}");
    }
    assert!(AckBlock::parse(&mut Reader::new(&[2, 5, 0, 0, 3, 0])).is_ok());
}

#[test]
fn noise_is_refused_or_means_what_it_says() {
    let mut rng = Rng::from_u64(2);
    for _ in 0..20_000 {
        let mut bytes = vec![0; rng.below(24) as usize];
        rng.fill(&mut bytes);
        if rng.chance(0.8) {
            bytes.iter_mut().for_each(|b| *b &= 0x47);
        }
        if let Ok(block) = AckBlock::parse(&mut Reader::new(&bytes)) {
            let ranges: Vec<_> = block.ranges.iter().collect();
            assert!(ranges.iter().all(|r| r.start < r.end));
            assert!(ranges.windows(2).all(|w| w[1].end < w[0].start), "{ranges:?}: highest first and apart");
            let again = battery::emit(&block);
            assert_eq!(AckBlock::parse(&mut Reader::new(&again)), Ok(block));
        }
        if let Ok(control) = Control::parse(&mut Reader::new(&bytes)) {
            assert_eq!(Control::parse(&mut Reader::new(&battery::emit(&control))), Ok(control));
        }
    }
}
