use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

/// A proxy fed with pieces of `input` of `piece` bytes: what it wrote, and its last step.
fn fed(input: &[u8], piece: usize) -> (Vec<u8>, SocksStep) {
    let (mut socks, mut written) = (Socks::default(), Vec::new());
    for bytes in input.chunks(piece) {
        let mut step = socks.take(bytes);
        while let SocksStep::Reply(reply) = step {
            written.extend(reply);
            step = socks.take(&[]);
        }
        if step != SocksStep::More {
            return (written, step);
        }
    }
    (written, SocksStep::More)
}

/// Where to, whole and in single bytes, with nothing behind it.
fn opened(input: &[u8]) -> String {
    let [whole, cut] = [input.len(), 1].map(|piece| match fed(input, piece).1 {
        SocksStep::Open { to, ahead } if ahead.is_empty() => to.to_string(),
        step => panic!("{step:?} for {input:?}"),
    });
    assert_eq!(whole, cut, "however it is cut");
    whole
}

fn refused(input: &[u8]) -> Vec<u8> {
    match fed(input, input.len()).1 {
        SocksStep::Refuse(reply) => reply,
        step => panic!("{step:?} for {input:?}"),
    }
}

fn socks(address: &[u8]) -> Vec<u8> {
    [&[5, 1, 0, 5, 1, 0][..], address].concat()
}

fn at(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

#[test]
fn socks_asks_for_an_ipv4_an_ipv6_address_or_a_name() {
    let ipv6 = [&[4, 0x20, 1, 0xd, 0xb8][..], &[0; 11], &[1, 0, 80]].concat();
    for (address, expected) in [
        (&[1, 192, 0, 2, 7, 1, 187][..], "192.0.2.7:443"),
        (&ipv6, "[2001:db8::1]:80"),
        (b"\x03\x0bexample.org\x00\x50", "example.org:80"),
    ] {
        assert_eq!(opened(&socks(address)), expected);
    }
    assert_eq!(fed(&socks(&[1, 1, 2, 3, 4, 0, 80]), 1).0, [5, 0]);
    let more = fed(&[&socks(&[1, 1, 2, 3, 4, 0, 80])[..], b"first words"].concat(), 99).1;
    assert!(matches!(more, SocksStep::Open { ahead, .. } if ahead == b"first words"));
}

#[test]
fn socks_says_what_it_does_not_do() {
    assert_eq!(refused(&[5, 1, 2]), [5, 0xff], "a password alone");
    assert_eq!(refused(&[5, 0]), [5, 0xff], "no method at all");
    let reply = |code| [&[5, code, 0, 1][..], &[0; 6]].concat();
    assert_eq!(refused(&[5, 1, 0, 5, 2, 0, 1, 1, 2, 3, 4, 0, 80]), reply(7), "BIND");
    assert_eq!(refused(&[5, 1, 0, 5, 1, 0, 9]), reply(8), "an unknown kind of address");
    assert_eq!(refused(&socks(&[1, 1, 2, 3, 4, 0, 0])), reply(1), "port 0");
    assert_eq!(refused(&socks(b"\x03\x03a\nb\x00\x50")), reply(1), "no name");
    assert_eq!(refused(&[4, 1, 0, 80]), SOCKS4_REJECTED);
    assert_eq!(refused(b"\x16\x03\x01"), b"", "something else");
    assert!(Socks::begins_with(4) && Socks::begins_with(5) && !Socks::begins_with(b'G'));
}

#[test]
fn socks_answers_tell_where_it_leads_or_what_is_wrong() {
    assert_eq!(Socks::granted(at("192.0.2.7:80")), [5, 0, 0, 1, 192, 0, 2, 7, 0, 80]);
    assert_eq!(Socks::granted(at("[::1]:80")).len(), 22);
    for (code, expected) in [(RefusalCode::NotAllowed, 2), (RefusalCode::ConnectionRefused, 5), (RefusalCode::Busy, 1)]
    {
        assert_eq!(Socks::refused(code)[1], expected);
    }
}

#[test]
fn every_truncation_asks_for_more() {
    let whole = socks(b"\x03\x01a\x00\x50");
    for cut in 1..whole.len() {
        assert_eq!(fed(&whole[..cut], cut).1, SocksStep::More, "{cut} of {whole:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn noise_means_the_same_however_it_is_cut(
        start in proptest::sample::select(vec![&b""[..], &[5, 1, 0], &[5, 1, 0, 5, 1, 0]]),
        noise in proptest::collection::vec(
            prop_oneof![any::<u8>(), proptest::sample::select(&b"\x01\x03\x04\x05a.-"[..])],
            0..120,
        ),
        piece in 1usize..20,
    ) {
        let input = [start, &noise[..]].concat();
        let ((wrote, whole), (wrote_pieces, pieces)) = (fed(&input, input.len().max(1)), fed(&input, piece));
        prop_assert_eq!(wrote, wrote_pieces);
        match (whole, pieces) {
            // What comes behind the opening is not in the pieces yet.
            (SocksStep::Open { to, ahead }, SocksStep::Open { to: also, ahead: less }) => {
                prop_assert!(to == also && ahead.starts_with(&less));
            }
            (whole, pieces) => prop_assert_eq!(whole, pieces),
        }
    }
}
