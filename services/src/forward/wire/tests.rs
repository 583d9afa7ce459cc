use core::net::IpAddr;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tng_wire::battery;

use super::*;

fn request() -> impl Strategy<Value = Request> {
    let connect = ("[a-zA-Z0-9.:-]{1,255}", 1..u16::MAX)
        .prop_filter_map("a destination", |(host, port)| Destination::new(&host, port).ok().map(Request::Connect));
    let bind = ("[a-z0-9.:]{0,40}", any::<u16>()).prop_map(|(host, port)| Request::Bind { host, port });
    prop_oneof![connect, bind]
}

fn answer() -> impl Strategy<Value = Answer> {
    let code = (0u64..10).prop_map(RefusalCode::from_u64);
    prop_oneof![
        any::<(IpAddr, u16)>().prop_map(|(ip, port)| Answer::Ok { address: SocketAddr::new(ip, port) }),
        (code, ".{0,80}").prop_map(|(code, reason)| Answer::Refused(Refusal::new(code, &reason))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn requests_survive_the_wire(request in request()) {
        battery::round_trip(&request);
    }

    #[test]
    fn answers_survive_the_wire(answer in answer()) {
        battery::round_trip(&answer);
    }

    #[test]
    fn noise_is_refused_or_understood(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        battery::noise::<Request>(&bytes);
        battery::noise::<Answer>(&bytes);
    }

    #[test]
    fn a_request_with_one_byte_changed_is_refused_or_understood(
        request in request(),
        at in 0usize..400,
        to in any::<u8>(),
    ) {
        let mut bytes = battery::emit(&request);
        let at = at % bytes.len();
        bytes[at] = to;
        battery::noise::<Request>(&bytes);
    }
}

#[test]
fn the_bytes_are_those_of_the_page() {
    let request = Request::Connect("a.example:443".parse().expect("a destination"));
    assert_eq!(battery::emit(&request), [b"\x01\x00\x0c\x09a.example".as_slice(), &[0x01, 0xbb]].concat());
    let refused = Answer::Refused(Refusal::new(RefusalCode::NotAllowed, "no"));
    assert_eq!(battery::emit(&refused), b"\x3f\x00\x04\x01\x02no");
}

#[test]
fn the_longest_messages_fit_their_bound() {
    let longest = "a".repeat(HOST_MAX);
    battery::round_trip(&Request::Connect(Destination::new(&longest, 1).expect("a destination")));
    battery::round_trip(&Answer::Refused(Refusal::new(RefusalCode::Other, &"é".repeat(200))));
}

#[test]
fn a_length_beyond_the_bound_is_refused_before_its_bytes_are_there() {
    let beyond = u16::try_from(BODY_MAX + 1).expect("small").to_be_bytes();
    assert_eq!(body_len([CONNECT, beyond[0], beyond[1]]), Err(Malformed));
    assert_eq!(body_len([CONNECT, 0, 7]), Ok(7));
}

#[test]
fn a_host_that_could_confuse_a_reader_is_refused() {
    for host in ["", "a b", "a\r\nb", "a/b", "u@a"] {
        let mut bytes = vec![CONNECT, 0, u8::try_from(host.len() + 3).expect("short")];
        bytes.push(u8::try_from(host.len()).expect("short"));
        bytes.extend_from_slice(host.as_bytes());
        bytes.extend_from_slice(&[0, 80]);
        assert_eq!(Request::parse(&mut Reader::new(&bytes)), Err(Malformed), "{host:?}");
    }
}
