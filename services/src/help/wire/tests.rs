use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tng_wire::battery;

use super::*;

fn ask() -> impl Strategy<Value = Ask> {
    let token = proptest::option::of(vec(any::<u8>(), 1..=TOKEN_MAX))
        .prop_map(|bytes| bytes.map(|bytes| Token::new(bytes).expect("it fits")));
    (any::<u32>(), any::<u16>(), any::<bool>(), token).prop_map(|(life_s, flows, tunnels, token)| Ask {
        life_s,
        flows,
        tunnels,
        token,
    })
}

fn terms() -> impl Strategy<Value = Terms> {
    let controllers = vec("[a-z0-9:,-]{1,32}".prop_map(PeerText::new), 0..=CONTROLLERS_MAX);
    let good_for = (1..=u32::MAX, 1..=u16::MAX, any::<bool>(), any::<[u64; 2]>(), any::<u16>());
    let capability = (vec(any::<u8>(), 1..=CAPABILITY_LEN_MAX), any::<[u8; HOP_KEY_LEN]>());
    (good_for, controllers, capability).prop_map(
        |((life_s, flows_max, tunnels, [rate_max, held_max], queue_time_max_ms), controllers, (shown, key))| Terms {
            life_s,
            flows_max,
            tunnels,
            rate_max,
            held_max,
            controllers,
            queue_time_max_ms,
            shown,
            key: CapabilityKey::from_bytes(key),
        },
    )
}

const REASONS: [Denied; 5] =
    [Denied::NotAClient, Denied::WrongToken, Denied::Draining, Denied::TooOften, Denied::Unavailable];

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![terms().prop_map(Answer::Granted), proptest::sample::select(&REASONS).prop_map(Answer::Denied)]
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn asks_survive_the_wire_and_no_truncation_goes_unnoticed(ask in ask()) {
        battery::round_trip(&ask);
    }

    #[test]
    fn answers_survive_the_wire_and_no_truncation_goes_unnoticed(answer in answer()) {
        battery::round_trip(&answer);
    }

    #[test]
    fn noise_is_refused_or_understood(bytes in vec(any::<u8>(), 0..200)) {
        battery::noise::<Ask>(&bytes);
        battery::noise::<Answer>(&bytes);
    }

    #[test]
    fn a_message_with_one_byte_changed_is_refused_or_understood(
        ask in ask(),
        answer in answer(),
        at in 0usize..1_000,
        to: u8,
    ) {
        let changed = |mut bytes: Vec<u8>| {
            let at = at % bytes.len();
            bytes[at] = to;
            bytes
        };
        battery::noise::<Ask>(&changed(battery::emit(&ask)));
        battery::noise::<Answer>(&changed(battery::emit(&answer)));
    }
}

fn plain() -> Terms {
    Terms {
        life_s: 3_600,
        flows_max: 64,
        tunnels: true,
        rate_max: 1 << 20,
        held_max: 0,
        controllers: vec![PeerText::new("vegas".into())],
        queue_time_max_ms: 100,
        shown: vec![7, 8],
        key: CapabilityKey::from_bytes([9; HOP_KEY_LEN]),
    }
}

#[test]
fn the_bytes_are_those_of_the_page() {
    let token = Some(Token::new("abc").expect("it fits"));
    let ask = Ask { life_s: 60, flows: 2, tunnels: false, token };
    assert_eq!(battery::emit(&ask), b"\x01\x00\x0b\x00\x00\x00\x3c\x00\x02\x00\x03abc");
    let expected = [
        &[0x10, 0, 51, 0, 0, 0x0e, 0x10, 0, 64, 1, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 1, 5][..],
        b"vegas\x02\x07\x08",
        &[9; HOP_KEY_LEN],
    ];
    assert_eq!(battery::emit(&Answer::Granted(plain())), expected.concat());
    assert_eq!(battery::emit(&Answer::Denied(Denied::TooOften)), [0x3f, 0, 1, 4]);
}

#[test]
fn every_reason_is_told_and_one_that_is_not_known_is_unavailable() {
    for reason in REASONS {
        battery::round_trip(&Answer::Denied(reason));
        assert!(reason.to_string().contains([';', ':']), "{reason} says what to do");
    }
    let newer = Answer::parse(&mut Reader::new(&[DENIED, 0, 1, 200]));
    assert_eq!(newer, Ok(Answer::Denied(Denied::Unavailable)));
}

#[test]
fn the_longest_messages_fit_their_bound() {
    let longest = Terms {
        controllers: vec![PeerText::new("x".repeat(CONTROLLER_NAME_MAX)); CONTROLLERS_MAX],
        shown: vec![1; CAPABILITY_LEN_MAX],
        ..plain()
    };
    assert!(longest.wire_len() <= BODY_MAX);
    battery::round_trip(&Answer::Granted(longest));
    let token = Some(Token::new([1; TOKEN_MAX]).expect("it fits"));
    battery::round_trip(&Ask { life_s: 0, flows: 0, tunnels: true, token });
}

#[test]
fn a_length_beyond_the_bound_is_refused_before_its_bytes_are_there() {
    let [high, low] = u16::try_from(BODY_MAX + 1).expect("small").to_be_bytes();
    assert_eq!(body_len([GRANTED, high, low]), Err(Malformed));
    assert_eq!(body_len([GRANTED, 4, 0]), Ok(BODY_MAX));
}

#[test]
fn terms_that_are_good_for_nothing_or_too_large_are_refused() {
    let bad = |change: fn(&mut Terms)| {
        let mut terms = plain();
        change(&mut terms);
        Answer::parse(&mut Reader::new(&battery::emit(&Answer::Granted(terms)))) == Err(Malformed)
    };
    assert!(!bad(|_| {}), "control: these are good");
    assert!(bad(|terms| terms.life_s = 0));
    assert!(bad(|terms| terms.flows_max = 0));
    assert!(bad(|terms| terms.shown.clear()));
    assert!(bad(|terms| terms.shown = vec![1; CAPABILITY_LEN_MAX + 1]));
    assert!(bad(|terms| terms.controllers = vec![PeerText::new("x".into()); CONTROLLERS_MAX + 1]));
    assert!(bad(|terms| terms.controllers = vec![PeerText::new(String::new())]));
    assert!(bad(|terms| terms.controllers = vec![PeerText::new("x".repeat(CONTROLLER_NAME_MAX + 1))]));
}

#[test]
fn a_claimed_number_of_controllers_is_nothing_without_their_names() {
    let mut bytes = battery::emit(&Answer::Granted(plain()));
    let count = HEAD_LEN + 4 + 2 + 1 + 8 + 8 + 2;
    bytes[count] = u8::try_from(CONTROLLERS_MAX).expect("small");
    assert_eq!(Answer::parse(&mut Reader::new(&bytes)), Err(Malformed));
}

#[test]
fn unknown_flags_types_and_rests_are_refused() {
    let ask = Ask { life_s: 1, flows: 1, tunnels: true, token: None };
    let good = battery::emit(&ask);
    assert_eq!(Ask::parse(&mut Reader::new(&good)), Ok(ask), "control");
    for (at, to) in [(0, GRANTED), (HEAD_LEN + 6, 2)] {
        let mut bytes = good.clone();
        bytes[at] = to;
        assert_eq!(Ask::parse(&mut Reader::new(&bytes)), Err(Malformed), "byte {at} is {to}");
    }
    let mut longer = [&good[..], &[0]].concat();
    longer[2] += 1;
    assert_eq!(Ask::parse(&mut Reader::new(&longer)), Err(Malformed), "something is left over");
}

#[test]
fn neither_key_nor_token_is_printed() {
    let token = Token::new("secret word").expect("it fits");
    let key = CapabilityKey::from_bytes(*b"sixteen is a key");
    let printed = format!(
        "{:?} {:?}",
        Ask { life_s: 1, flows: 1, tunnels: false, token: Some(token) },
        Answer::Granted(Terms { shown: vec![222; 3], key, ..plain() })
    );
    for hidden in ["secret", "115, 101", "115, 105", "222"] {
        assert!(!printed.contains(hidden), "{hidden} is in {printed}");
    }
    assert!(printed.contains("vegas"), "control: the rest is printed");
}

#[test]
fn a_token_has_a_byte_at_least_and_a_bound() {
    assert_eq!(Token::new(""), Err(super::super::BadToken));
    assert_eq!(Token::new([1; TOKEN_MAX + 1]), Err(super::super::BadToken));
    assert_eq!(Token::new("a"), Token::new("a"));
    assert_ne!(Token::new("a"), Token::new("b"));
    assert_ne!(Token::new("a"), Token::new("ab"));
}

#[test]
fn the_capability_of_terms_is_that_which_they_came_with() {
    let capability = plain().capability();
    assert_eq!((capability.shown, *capability.key.expose()), (vec![7, 8], [9; HOP_KEY_LEN]));
}
