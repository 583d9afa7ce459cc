use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::RefusalCode;
use super::*;

/// A front fed with pieces of `input` of `piece` bytes: what it wrote, and its last step.
fn fed(input: &[u8], piece: usize) -> (Vec<u8>, Step) {
    let (mut front, mut written) = (Front::new(), Vec::new());
    for bytes in input.chunks(piece) {
        let mut step = front.take(bytes);
        while let Step::Reply(reply) = step {
            written.extend(reply);
            step = front.take(&[]);
        }
        if step != Step::More {
            return (written, step);
        }
    }
    (written, Step::More)
}

/// Where to, in which manner, and what goes ahead, whole and in single bytes, with nothing behind it.
fn opened(input: &[u8]) -> (String, Manner, String) {
    let mut ways = [input.len(), 1].map(|piece| match fed(input, piece).1 {
        Step::Open { to, manner, ahead } => (to.to_string(), manner, String::from_utf8_lossy(&ahead).into_owned()),
        step => panic!("{step:?} for {}", String::from_utf8_lossy(input)),
    });
    assert_eq!(ways[0], ways[1], "however it is cut");
    core::mem::replace(&mut ways[0], (String::new(), Manner::Socks, String::new()))
}

fn refused(input: &[u8]) -> Vec<u8> {
    match fed(input, input.len()).1 {
        Step::Refuse(reply) => reply,
        step => panic!("{step:?} for {}", String::from_utf8_lossy(input)),
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
        assert_eq!(opened(&socks(address)), (expected.to_owned(), Manner::Socks, String::new()));
    }
    assert_eq!(fed(&socks(&[1, 1, 2, 3, 4, 0, 80]), 1).0, [5, 0]);
    let more = fed(&[&socks(&[1, 1, 2, 3, 4, 0, 80])[..], b"first words"].concat(), 99).1;
    assert!(matches!(more, Step::Open { ahead, .. } if ahead == b"first words"));
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
}

#[test]
fn socks_answers_tell_where_it_leads_or_what_is_wrong() {
    assert_eq!(Manner::Socks.granted(at("192.0.2.7:80")), [5, 0, 0, 1, 192, 0, 2, 7, 0, 80]);
    assert_eq!(Manner::Socks.granted(at("[::1]:80")).len(), 22);
    for (code, expected) in [(RefusalCode::NotAllowed, 2), (RefusalCode::ConnectionRefused, 5), (RefusalCode::Busy, 1)]
    {
        assert_eq!(Manner::Socks.refused(&Refusal::new(code, ""))[1], expected);
    }
}

#[test]
fn http_connect_is_a_tunnel() {
    let request = b"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\nProxy-Authorization: x\r\n\r\n";
    assert_eq!(opened(request), ("example.org:443".to_owned(), Manner::Connect, String::new()));
    assert_eq!(opened(b"CONNECT [::1]:22 HTTP/1.0\n\n").0, "[::1]:22");
    let refusal = Refusal::new(RefusalCode::NotAllowed, "example.org:443");
    let text = String::from_utf8(Manner::Connect.refused(&refusal)).expect("text");
    assert!(text.starts_with("HTTP/1.1 403 Forbidden\r\n") && text.ends_with("\r\n\r\nnot allowed: example.org:443\n"));
    assert!(Manner::Connect.granted(at("1.2.3.4:5")).starts_with(b"HTTP/1.1 200 "));
}

#[test]
fn a_plain_request_leaves_in_origin_form_without_what_concerns_the_proxy_alone() {
    let request = b"POST http://Example.org:8080/a?b=c HTTP/1.1\r\nHost: other\r\nAccept: */*\r\nProxy-Connection: \
                    keep-alive\r\nConnection: keep-alive, X-Hop, Content-Length\r\nX-Hop: 1\r\nUpgrade: h2c\r\n\
                    Content-Length: 4\r\n\r\n";
    let expected = "POST /a?b=c HTTP/1.1\r\nHost: Example.org:8080\r\nAccept: */*\r\nContent-Length: 4\r\nVia: 1.1 \
                    tng\r\nConnection: close\r\n\r\n";
    assert_eq!(opened(request), ("Example.org:8080".to_owned(), Manner::Plain, expected.to_owned()));
    let body = fed(&[&request[..], b"body"].concat(), 999).1;
    assert!(matches!(body, Step::Open { ahead, .. } if ahead.ends_with(b"\r\n\r\nbody")));
    for (target, to, line) in [
        ("GET http://a", "a:80", "GET / HTTP/1.1\r\n"),
        ("GET HTTP://[::1]:81?q", "[::1]:81", "GET /?q HTTP/1.1\r\n"),
        ("OPTIONS http://a", "a:80", "OPTIONS * HTTP/1.1\r\n"),
    ] {
        let (destination, _, ahead) = opened(format!("{target} HTTP/1.1\r\n\r\n").as_bytes());
        assert!(destination == to && ahead.starts_with(line), "{target}: {destination} {ahead}");
    }
}

#[test]
fn http_that_is_no_good_is_told_so() {
    for request in [
        "GET / HTTP/1.1\r\n\r\n",
        "GET https://a/ HTTP/1.1\r\n\r\n",
        "GET http://user:word@a/ HTTP/1.1\r\n\r\n",
        "GET http://a/#x HTTP/1.1\r\n\r\n",
        "GET http:///x HTTP/1.1\r\n\r\n",
        "GET http://a/ HTTP/2.0\r\n\r\n",
        "GET http://a/\r\n\r\n",
        "GET  http://a/ HTTP/1.1\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nno colon\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nX: 1\r\n folded: 2\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nSpace : 1\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\nX: a\rY: b\r\n\r\n",
        "CONNECT a HTTP/1.1\r\n\r\n",
        "CONNECT http://a:1 HTTP/1.1\r\n\r\n",
        "CONNECT a:0 HTTP/1.1\r\n\r\n",
    ] {
        let reply = refused(request.as_bytes());
        assert!(reply.starts_with(b"HTTP/1.1 400 "), "{request}: {}", String::from_utf8_lossy(&reply));
    }
    assert_eq!(refused(b"\x16\x03\x01"), b"", "TLS to a proxy that has none");
}

#[test]
fn a_head_without_an_end_is_held_only_up_to_the_bound() {
    let mut front = Front::new();
    assert_eq!(front.take(b"GET http://a/ HTTP/1.1\r\n"), Step::More);
    let piece = [b'x'; 1000];
    let last = (0..=ASKING_MAX / 1000).map(|_| front.take(&piece)).find(|step| *step != Step::More);
    assert!(matches!(last, Some(Step::Refuse(reply)) if reply.starts_with(b"HTTP/1.1 431 ")));
    assert!(front.asked.is_empty());
}

#[test]
fn every_truncation_asks_for_more() {
    for whole in
        [&socks(b"\x03\x01a\x00\x50")[..], b"CONNECT a:1 HTTP/1.1\r\nX: y\r\n\r\n", b"GET http://a/ HTTP/1.1\n\n"]
    {
        for cut in 1..whole.len() {
            assert_eq!(fed(&whole[..cut], cut).1, Step::More, "{cut} of {whole:?}");
        }
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
        start in proptest::sample::select(vec![&b""[..], &[5, 1, 0], b"GET http://a", b"CONNECT "]),
        noise in proptest::collection::vec(
            prop_oneof![any::<u8>(), proptest::sample::select(&b" \r\n:/aH1.?#"[..])],
            0..120,
        ),
        piece in 1usize..20,
    ) {
        let input = [start, &noise[..]].concat();
        let ((wrote, whole), (wrote_pieces, pieces)) = (fed(&input, input.len().max(1)), fed(&input, piece));
        prop_assert_eq!(wrote, wrote_pieces);
        match (whole, pieces) {
            // What comes behind the opening is not in the pieces yet.
            (Step::Open { to, ahead, .. }, Step::Open { to: also, ahead: less, .. }) => {
                prop_assert!(to == also && ahead.starts_with(&less));
            }
            (whole, pieces) => prop_assert_eq!(whole, pieces),
        }
    }
}
