use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tng_wire::battery;

use super::super::REQUEST_MAX;
use super::*;

fn hashes() -> impl Strategy<Value = CodeHash> {
    any::<[u8; CODE_HASH_LEN]>().prop_map(CodeHash::from_bytes)
}

fn offers() -> impl Strategy<Value = Offer> {
    let sizes = (1..=MODULE_MAX as u32, 1..=PACKED_MAX as u32);
    (sizes, any::<[u8; 32]>(), vec(any::<u8>(), 0..=300))
        .prop_map(|((size, packed_size), packed_hash, manifest)| Offer { size, packed_size, packed_hash, manifest })
}

fn requests() -> impl Strategy<Value = Request> {
    let form = prop_oneof![Just(Form::Binary), Just(Form::Text)];
    let have = (1..=PACKED_MAX as u32, any::<[u8; 32]>()).prop_map(|(len, packed_hash)| Have { len, packed_hash });
    let piece = (hashes(), 0..=PACKED_MAX as u32, vec(any::<u8>(), 1..=300));
    prop_oneof![
        (hashes(), form, proptest::option::of(have)).prop_map(|(hash, form, have)| Request::Ask(Ask {
            hash,
            form,
            have
        })),
        (hashes(), offers()).prop_map(|(hash, offer)| Request::Push { hash, offer }),
        piece.prop_map(|(hash, offset, piece)| Request::Give(Give { hash, offset, piece })),
    ]
}

fn answers() -> impl Strategy<Value = Answer> {
    prop_oneof![
        (offers(), any::<u32>()).prop_map(|(offer, at)| Answer::Sends { offset: at % (offer.packed_size + 1), offer }),
        (0..=PACKED_MAX as u32).prop_map(|offset| Answer::Take { offset }),
        Just(Answer::Taken),
        (0..Declined::ALL.len()).prop_map(|at| Answer::Declined(Declined::ALL[at])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn requests_survive_the_wire_and_no_truncation_goes_unnoticed(request in requests()) {
        battery::round_trip(&request);
    }

    #[test]
    fn answers_survive_the_wire_and_no_truncation_goes_unnoticed(answer in answers()) {
        battery::round_trip(&answer);
    }

    #[test]
    fn noise_is_refused_or_understood(bytes in vec(any::<u8>(), 0..200)) {
        battery::noise::<Request>(&bytes);
        battery::noise::<Answer>(&bytes);
    }

    #[test]
    fn a_message_with_one_byte_changed_is_refused_or_understood(
        request in requests(),
        answer in answers(),
        at in 0usize..1_000,
        to: u8,
    ) {
        let changed = |mut bytes: Vec<u8>| {
            let at = at % bytes.len();
            bytes[at] = to;
            bytes
        };
        battery::noise::<Request>(&changed(battery::emit(&request)));
        battery::noise::<Answer>(&changed(battery::emit(&answer)));
    }
}

const HASH: CodeHash = CodeHash::from_bytes([7; CODE_HASH_LEN]);

fn offer() -> Offer {
    Offer { size: 300, packed_size: 258, packed_hash: [9; 32], manifest: vec![1, 2] }
}

#[test]
fn the_bytes_are_those_of_the_page() {
    let have = Some(Have { len: 5, packed_hash: [9; 32] });
    let ask = Request::Ask(Ask { hash: HASH, form: Form::Text, have });
    let expected = [&[0x01, 0, 69][..], &[7; 32], &[1, 0, 0, 0, 5], &[9; 32]].concat();
    assert_eq!(battery::emit(&ask), expected);
    let told = [&[0, 0, 1, 44, 0, 0, 1, 2][..], &[9; 32], &[2, 1, 2]].concat();
    let push = Request::Push { hash: HASH, offer: offer() };
    assert_eq!(battery::emit(&push), [&[0x02, 0, 75][..], &[7; 32], &told].concat());
    let give = Request::Give(Give { hash: HASH, offset: 258, piece: vec![5, 6] });
    assert_eq!(battery::emit(&give), [&[0x03, 0, 38][..], &[7; 32], &[0, 0, 1, 2, 5, 6]].concat());
    let sends = Answer::Sends { offset: 5, offer: offer() };
    assert_eq!(battery::emit(&sends), [&[0x10, 0, 47, 0, 0, 0, 5][..], &told].concat());
    assert_eq!(battery::emit(&Answer::Take { offset: 1 }), [0x11, 0, 4, 0, 0, 0, 1]);
    assert_eq!(battery::emit(&Answer::Taken), [0x12, 0, 0]);
    assert_eq!(battery::emit(&Answer::Declined(Declined::TooMuchToday)), [0x3f, 0, 1, 3]);
}

#[test]
fn every_reason_is_told_with_what_to_do_and_one_that_is_not_known_is_unavailable() {
    for (code, declined) in (0..).zip(Declined::ALL) {
        assert_eq!((declined.code(), Declined::of_code(code)), (code, declined));
        let alike = |other: &&Declined| other.word() == declined.word() || other.to_string() == declined.to_string();
        assert_eq!(Declined::ALL.iter().filter(alike).count(), 1, "{declined} is told apart");
        assert!(declined.to_string().contains("; "), "{declined} says what to do");
    }
    for code in Declined::ALL.len() as u8..=u8::MAX {
        assert_eq!(Declined::of_code(code), Declined::Unavailable);
    }
    assert_eq!(Answer::parse(&mut Reader::new(&[DECLINED, 0, 1, 200])), Ok(Answer::Declined(Declined::Unavailable)));
}

#[test]
fn the_longest_messages_fit_their_bounds() {
    let longest = Offer { manifest: vec![1; MANIFEST_MAX], ..offer() };
    battery::round_trip(&Request::Push { hash: HASH, offer: longest.clone() });
    let sends = Answer::Sends { offset: 0, offer: longest };
    assert_eq!(sends.wire_len(), HEAD_LEN + ANSWER_BODY_MAX);
    battery::round_trip(&sends);
    let give = Request::Give(Give { hash: HASH, offset: 0, piece: vec![1; PIECE_MAX] });
    assert_eq!(give.wire_len(), REQUEST_MAX);
    battery::round_trip(&give);
}

#[test]
fn sizes_that_no_module_has_and_rests_are_refused() {
    let bad = |change: fn(&mut Offer)| {
        let mut offer = offer();
        change(&mut offer);
        let request = battery::emit(&Request::Push { hash: HASH, offer: offer.clone() });
        let answer = battery::emit(&Answer::Sends { offset: 0, offer });
        let refused = Request::parse(&mut Reader::new(&request)) == Err(Malformed);
        assert_eq!(refused, Answer::parse(&mut Reader::new(&answer)) == Err(Malformed));
        refused
    };
    assert!(!bad(|_| {}), "control: this is good");
    assert!(bad(|offer| offer.size = 0));
    assert!(bad(|offer| offer.size = MODULE_MAX as u32 + 1));
    assert!(bad(|offer| offer.packed_size = 0));
    assert!(bad(|offer| offer.packed_size = PACKED_MAX as u32 + 1));
    assert!(bad(|offer| offer.manifest = vec![1; MANIFEST_MAX + 1]));
    let behind = battery::emit(&Answer::Sends { offset: 259, offer: offer() });
    assert_eq!(Answer::parse(&mut Reader::new(&behind)), Err(Malformed), "from behind its end");
    for bytes in [&[0x12, 0, 1, 0][..], &[0x11, 0, 5, 0, 0, 0, 1, 0], &[0x11, 0, 4, 0, 0x11, 0, 0], &[9, 0, 0]] {
        assert_eq!(Answer::parse(&mut Reader::new(bytes)), Err(Malformed), "{bytes:?}");
    }
    let ask = battery::emit(&Request::Ask(Ask { hash: HASH, form: Form::Binary, have: None }));
    for (at, to) in [(0, 9), (HEAD_LEN + 32, 2), (HEAD_LEN + 36, 1)] {
        let mut bytes = ask.clone();
        bytes[at] = to;
        assert_eq!(Request::parse(&mut Reader::new(&bytes)), Err(Malformed), "byte {at} is {to}");
    }
}

#[test]
fn a_length_beyond_the_bound_is_refused_before_its_bytes_are_there() {
    let [high, low] = u16::try_from(ANSWER_BODY_MAX + 1).expect("small").to_be_bytes();
    assert_eq!(Answer::message_len([SENDS, high, low]), Err(Malformed));
    let [high, low] = u16::try_from(ANSWER_BODY_MAX).expect("small").to_be_bytes();
    assert_eq!(Answer::message_len([SENDS, high, low]), Ok(HEAD_LEN + ANSWER_BODY_MAX));
}
