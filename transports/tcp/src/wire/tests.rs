use super::*;
use tng_base::Rng;
use tng_wire::battery;

fn plain() -> Segment<'static> {
    Segment {
        source: 80,
        destination: 49_152,
        seq: 7,
        ack: Some(u32::MAX),
        flags: Flags::default(),
        window: 512,
        options: Options::default(),
        payload: b"",
    }
}

fn blocks(count: u32) -> SackBlocks {
    let mut sack = SackBlocks::default();
    for at in 0..count {
        assert!(sack.push(at * 10, at * 10 + 5));
    }
    sack
}

#[test]
fn segments_with_every_set_of_options_pass_the_battery() {
    let stamps = [None, Some(Timestamps { value: 1, echo: 2 })];
    for timestamps in stamps {
        for count in 0..=(4 - u32::from(timestamps.is_some())) {
            let options = Options { timestamps, sack: blocks(count), ..Options::default() };
            for payload in [&b""[..], b"x", b"data of a segment"] {
                let flags = Flags { fin: true, psh: true, ..Flags::default() };
                battery::round_trip(&Segment { flags, options, payload, ..plain() });
            }
        }
        for (mss, window_scale, sack_permitted) in
            [(Some(1_460), Some(7), true), (None, Some(14), false), (Some(88), None, true), (None, None, false)]
        {
            let options = Options { mss, window_scale, sack_permitted, timestamps, ..Options::default() };
            let flags = Flags { syn: true, ..Flags::default() };
            battery::round_trip(&Segment { flags, options, ack: None, ..plain() });
        }
    }
}

#[test]
fn noise_is_refused_or_survives() {
    for seed in 0..20_000 {
        let mut rng = Rng::from_u64(seed);
        let mut bytes = vec![0; rng.below(90) as usize];
        rng.fill(&mut bytes);
        if let Some(offset) = bytes.get_mut(12) {
            *offset = (5 + rng.below(11) as u8) << 4;
        }
        if rng.chance(0.5) {
            // Options that mean something.
            for byte in bytes.iter_mut().skip(20) {
                *byte = [0, 1, 2, 3, 4, 5, 8, 10, 18, 26][rng.below(10) as usize];
            }
        }
        // What battery::noise does, which values that borrow cannot have done for them.
        if let Ok(segment) = Segment::parse(&mut Reader::new(&bytes)) {
            let again = battery::emit(&segment);
            assert_eq!(Segment::parse(&mut Reader::new(&again)), Ok(segment), "seed {seed}");
        }
    }
}

#[test]
fn the_bytes_are_those_of_the_specification() {
    let options = Options {
        mss: Some(1_460),
        window_scale: Some(7),
        sack_permitted: true,
        timestamps: Some(Timestamps { value: 0x0102_0304, echo: 0 }),
        ..Options::default()
    };
    let syn = Segment { flags: Flags { syn: true, ..Flags::default() }, ack: None, options, ..plain() };
    let bytes = battery::emit(&syn);
    let header = [0, 80, 0xc0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0xa0, 0x02, 2, 0, 0, 0, 0, 0];
    assert_eq!(bytes[..20], header);
    assert_eq!(bytes[20..], [2, 4, 5, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7]);
}

#[test]
fn a_checksum_holds_and_any_changed_bit_breaks_it() {
    for (source, destination) in [("10.0.0.1", "10.0.0.2"), ("fd00::1", "fd00::2")] {
        let (source, destination) = (source.parse().unwrap(), destination.parse().unwrap());
        for payload in [&b""[..], b"odd", b"even", b"12345"] {
            let mut bytes = battery::emit(&Segment { payload, ..plain() });
            seal(source, destination, &mut bytes);
            assert!(verify(source, destination, &bytes));
            for bit in 0..bytes.len() * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert!(!verify(source, destination, &bytes), "bit {bit}");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            assert!(!verify(source, "10.0.0.9".parse().unwrap(), &bytes));
        }
    }
}

#[test]
fn a_known_segment_has_its_known_checksum() {
    // Worked out by hand: 0xc0a8 + 0x0001 + 0xc0a8 + 0x00c7 + 6 + 20, then the words of the header.
    let segment = Segment { source: 1, destination: 2, seq: 3, ack: None, window: 4, ..plain() };
    let mut bytes = battery::emit(&segment);
    seal("192.168.0.1".parse().unwrap(), "192.168.0.199".parse().unwrap(), &mut bytes);
    let words: u32 = 0xc0a8 + 1 + 0xc0a8 + 0xc7 + 6 + 20 + 1 + 2 + 3 + 0x5000 + 4;
    assert_eq!(u16::from_be_bytes([bytes[16], bytes[17]]), !((words >> 16) + (words & 0xffff)) as u16);
}
