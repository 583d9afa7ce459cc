use tng_base::{PeerText, Rng};
use tng_crypto::DatagramKey;
use tng_wire::{Repr, battery};

use super::*;
use crate::replay::Issuer;
use crate::*;

fn continuation(rng: &mut Rng) -> Continuation {
    let first = 1_000 + rng.below(1 << 30);
    let base = first - 1 - rng.below(900);
    Continuation {
        site: Site(rng.u64() as u16),
        issuer: Issuer(rng.u64() as u32),
        serial: rng.below(1 << 40),
        first,
        is_pair: rng.below(2) == 0,
        root: Line { growth: Growth::new(base, 1 + rng.below(100), 1 + rng.below(100)), tag: Tag(rng.u64() as u32) },
        tag: Tag(rng.u64() as u32),
        keying: Keying::of(rng.u64() as u8),
        issued: Stamp::of(Wall::from_millis(rng.u64())),
        rtt: Rtt::of(core::time::Duration::from_micros(rng.below(1 << 20))),
        shown_from: base + 1 + rng.below(first - base),
    }
}

/// Writes it, reads it, and reads no truncation of it.
fn bytes_of(emit: impl Fn(&mut Writer<'_>) -> Result<(), Full>) -> Vec<u8> {
    let mut bytes = vec![0; 4_000];
    let mut writer = Writer::new(&mut bytes);
    emit(&mut writer).unwrap();
    let len = writer.position();
    for cut in 0..len {
        assert!(emit(&mut Writer::new(&mut bytes[..cut])).is_err());
    }
    emit(&mut Writer::new(&mut bytes)).unwrap();
    bytes.truncate(len);
    bytes
}

#[test]
fn headers_are_read_as_they_were_written() {
    let instance = InstanceName([5; 8]);
    for armor in [Armor::Sealed, Armor::Plain] {
        battery::round_trip(&RequestHeader { armor, epoch: 7, id: ConnectionId([3; 16]), count: 0x0102_0304 });
        battery::round_trip(&ResponseHeader { armor, handle: [1, 2, 3, 4], instance, count: 9, index: 200 });
    }
}

#[test]
fn denials_are_opened_as_they_were_sealed_and_nothing_else_is_one() {
    let key = DatagramKey::from_bytes(&[1; 16]);
    let (armor, instance) = (Armor::Sealed, InstanceName([5; 8]));
    let header = ResponseHeader { armor, handle: [1, 2, 3, 4], instance, count: 9, index: 0 };
    for denial in [Denial::Old, Denial::BeforeStart, Denial::Untimely, Denial::Untold] {
        let now = Stamp::of(Wall::from_millis(12_345_678));
        let mut datagram = [0; Denial::RESPONSE_LEN];
        assert_eq!(denial.seal(now, header, Some(&key), &mut datagram), Denial::RESPONSE_LEN);
        let read = ResponseHeader::parse(&mut Reader::new(&datagram)).unwrap();
        assert_eq!(read, ResponseHeader { index: Denial::INDEX, ..header });
        assert_eq!(Denial::parse(read.open(&key, &mut datagram).unwrap()), Ok((denial, now)));
    }
    for text in [&b""[..], &[0], &[1], &[1, 1, 1], &[0, 1, 1, 1], &[5, 1, 1, 1], &[1, 1, 1, 1, 1]] {
        assert_eq!(Denial::parse(text), Err(Malformed));
    }
}

#[test]
fn requests_and_responses_are_opened_with_their_key_and_every_bit_counts() {
    let key = |byte| DatagramKey::from_bytes(&[byte; 16]);
    let header = RequestHeader { armor: Armor::Sealed, epoch: 7, id: ConnectionId([3; 16]), count: 5 };
    let sealed = |text: &[u8]| {
        let mut datagram = [&battery::emit(&header)[..], text, &[0; 16]].concat();
        let seal = header.seal(&key(1), &mut datagram);
        assert_eq!(datagram[datagram.len() - 16..], seal);
        datagram
    };
    let datagram = sealed(b"what is asked");
    let (text, seal) = header.open(&key(1), &mut datagram.clone()).map(|(text, seal)| (text.to_vec(), seal)).unwrap();
    assert_eq!((&text[..], &seal[..]), (&b"what is asked"[..], &datagram[datagram.len() - 16..]));
    assert!(header.open(&key(2), &mut datagram.clone()).is_err());
    for bit in 0..8 * datagram.len() {
        let mut changed = datagram.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let header = RequestHeader::parse(&mut Reader::new(&changed));
        assert!(header.is_err() || header.unwrap().open(&key(1), &mut changed).is_err(), "bit {bit}");
    }
    for cut in 0..datagram.len() {
        assert!(header.open(&key(1), &mut datagram.clone()[..cut]).is_err());
    }
}

#[test]
fn demands_are_read_as_they_were_written() {
    let mut rng = Rng::from_u64(1);
    for _ in 0..500 {
        let continuation = continuation(&mut rng);
        let demand = Demand {
            kind: match rng.below(3) {
                0 => Kind::Spend,
                1 => Kind::Timeout { count: rng.below(5) as u8, asked: continuation.issued, moved_from: None },
                _ => Kind::Timeout {
                    count: 0,
                    asked: continuation.issued,
                    moved_from: Some(ClientNetwork::of([192, 0, 2, 1].into())),
                },
            },
            renewal: (rng.below(3) == 0).then(|| Renewal { from: rng.below(1 << 61), epoch: rng.u64() as u8 }),
            wants_secret: rng.below(2) == 0,
            datagram_len: 1_200 + rng.below(7_801) as usize,
            held: continuation.rtt,
            continuation,
            seal: rng.bytes(),
        };
        let mut proof = Proof::with_room();
        let (from, high) = (continuation.shown_from, *continuation.numbers().end());
        proof.set((from, high), core::iter::once(high..high + 1), 9, (rng.below(2) == 0).then_some(8)).unwrap();
        let bytes = bytes_of(|writer| demand.emit(Armor::Sealed, &proof, writer));
        let mut back = Proof::with_room();
        let mut reader = Reader::new(&bytes);
        let read = Demand::parse(Armor::Sealed, &mut reader, &mut back).unwrap();
        assert!(reader.is_empty());
        assert_eq!(format!("{read:?} {back:?}"), format!("{demand:?} {proof:?}"));
        for cut in 0..bytes.len() {
            assert!(Demand::parse(Armor::Sealed, &mut Reader::new(&bytes[..cut]), &mut back).is_err());
        }
    }
}

fn puzzle() -> Puzzle {
    let secret = EpochSecret::new(3, tng_crypto::Secret32::from_bytes([9; 32]));
    let now = Wall::from_millis(3 * 600_000);
    Puzzle::set(
        &Keys::new(secret, now).unwrap(),
        now,
        &ConnectionId([1; 16]),
        &ClientNetwork::of([192, 0, 2, 1].into()),
        0,
    )
}

#[test]
fn what_is_asked_is_read_as_it_was_written() {
    let mut want = vec![0; 200];
    let mut writer = Writer::new(&mut want);
    Ask::emit_want(b"sealed", &[0..10, 10..20, 1 << 40..(1 << 40) + 1], &mut writer).unwrap();
    let len = writer.position();
    want.truncate(len);
    let Ask::Want { output, ranges } = Ask::parse(&mut Reader::new(&want)).unwrap() else { panic!("it is a want") };
    assert_eq!((output, ranges.iter().count()), (&b"sealed"[..], 3));
    assert_eq!(bytes_of(|writer| Ask::Want { output, ranges }.emit(writer)), want);
    let solution = puzzle().solve(&[1; 16], 0, 1).unwrap();
    let put = |is_end| Ask::Put { object: 3, input: b"in", offset: 9, is_end, reserved: 5..80_005, data: b"GET" };
    for ask in [put(true), put(false), Ask::Solved(solution), Ask::Close] {
        let bytes = bytes_of(|writer| ask.emit(writer));
        assert_eq!(Ask::parse(&mut Reader::new(&bytes)), Ok(ask));
        (0..bytes.len()).for_each(|cut| assert!(Ask::parse(&mut Reader::new(&bytes[..cut])).is_err()));
    }
}

#[test]
fn ranges_that_overlap_are_empty_or_lie_beyond_the_row_are_malformed() {
    let one = |start, end| [Bytes { start, end }];
    let parse = |ranges: &[Bytes]| {
        let mut bytes = [0; 400];
        let mut writer = Writer::new(&mut bytes);
        Ask::emit_want(b"", ranges, &mut writer).ok()?;
        let len = writer.position();
        Ask::parse(&mut Reader::new(&bytes[..len])).ok().map(|_| ())
    };
    assert!(parse(&[0..10, 10..11]).is_some() && parse(&one(VARINT_MAX - 1, VARINT_MAX)).is_some());
    assert!(parse(&[0..10, 9..11]).is_none() && parse(&[5..10, 0..1]).is_none() && parse(&one(3, 3)).is_none());
    assert!(parse(&one(VARINT_MAX, VARINT_MAX + 1)).is_none() && parse(&[]).is_none());
    let most: Vec<_> = (0..RANGES_MAX as u64).map(|at| at..at + 1).collect();
    let more: Vec<_> = (0..=RANGES_MAX as u64).map(|at| at..at + 1).collect();
    assert!(parse(&most).is_some() && parse(&more).is_none());
}

#[test]
fn what_is_told_is_read_as_it_was_written() {
    let (text, puzzle) = (PeerText::new("gone"), puzzle());
    let all = [
        Tell::Data { start: 1 << 40, data: b"bytes" },
        Tell::Skip(9..100),
        Tell::Output { object: 1, valid: 0..80_000, output: b"sealed" },
        Tell::Input { object: 1, taken: 9, until: None, input: b"sealed" },
        Tell::Input { object: 1, taken: 9, until: Some(512), input: b"sealed" },
        Tell::Fault { object: 1, fault: Fault::Version, text },
        Tell::Fault { object: 1, fault: Fault::Application(404), text },
        Tell::Secret { epoch: 3, secret: &[7; 32] },
        Tell::ClientNetwork(ClientNetwork::of([192, 0, 2, 1].into())),
        Tell::Puzzle { object: 3, puzzle },
    ];
    for tell in all {
        let bytes = bytes_of(|writer| tell.emit(writer));
        assert_eq!(Tell::parse(&mut Reader::new(&bytes)), Ok(tell));
        (0..bytes.len()).for_each(|cut| assert!(Tell::parse(&mut Reader::new(&bytes[..cut])).is_err()));
    }
    let mut data = [0; 40];
    let mut writer = Writer::new(&mut data);
    Tell::Data { start: 77, data: b"0123456789" }.emit(&mut writer).unwrap();
    assert_eq!(writer.position(), 10 + Tell::data_overhead(77, 10));
}

#[test]
fn what_is_given_is_read_by_who_foresees_it_and_takes_42_bytes_when_only_serial_and_times_are_new() {
    let mut rng = Rng::from_u64(2);
    let (mut short, mut whole) = (0, 0);
    for _ in 0..2_000 {
        let foreseen = continuation(&mut rng);
        let mut continuation = foreseen;
        continuation.serial = match rng.below(3) {
            0 => rng.below(1 << 40),
            _ => (foreseen.serial + rng.below(1_000)) % (1 << 40),
        };
        continuation.issued = Stamp::of(Wall::from_millis(rng.u64()));
        match rng.below(6) {
            0 => continuation.tag = Tag(3),
            1 => (continuation.root.tag, continuation.tag) = (Tag(3), Tag(4)),
            2 => continuation.issuer = Issuer(9),
            3 => (continuation.first, continuation.is_pair) = (continuation.first + 5, false),
            _ => {}
        }
        let given = Given { nonce: rng.u64(), continuation, seal: rng.bytes() };
        for foreseen in [Some(&foreseen), None] {
            let bytes = bytes_of(|writer| given.emit(Armor::Sealed, foreseen, writer));
            assert_eq!(Given::parse(Armor::Sealed, &mut Reader::new(&bytes), foreseen), Ok(given.clone()));
            assert!(bytes.len() <= Given::LEN_MAX);
            (0..bytes.len()).for_each(|cut| {
                assert!(Given::parse(Armor::Sealed, &mut Reader::new(&bytes[..cut]), foreseen).is_err())
            });
            short += u32::from(bytes.len() == Given::LEN);
            whole += u32::from(foreseen.is_none());
        }
    }
    println!("down with what differs: {} bytes, the nonce and the seal in them", Given::LEN);
    assert!(Given::LEN <= 42 && short > 300 && whole == 2_000, "{short}");
}

#[test]
fn noise_is_read_without_a_panic() {
    let mut rng = Rng::from_u64(3);
    let (foreseen, mut proof, mut noise) = (continuation(&mut rng), Proof::with_room(), [0; 90]);
    for _ in 0..100_000 {
        rng.fill(&mut noise);
        noise[0] &= 15;
        let _ = Demand::parse(Armor::Sealed, &mut Reader::new(&noise), &mut proof);
        let _ = Ask::parse(&mut Reader::new(&noise));
        let _ = Tell::parse(&mut Reader::new(&noise));
        let _ = Given::parse(Armor::Sealed, &mut Reader::new(&noise), Some(&foreseen));
    }
}
