use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tng_wire::battery;

use super::*;
use crate::perf::{DATAGRAM_MAX, DURATION_MAX_MS, OMIT_MAX_MS};

fn test() -> impl Strategy<Value = Test> {
    let direction = prop_oneof![Just(Direction::Forward), Just(Direction::Reverse), Just(Direction::Both)];
    let end = prop_oneof![(1..=DURATION_MAX_MS).prop_map(End::After), (1..=VARINT_MAX).prop_map(End::Bytes)];
    let sizes = (1..=LANES_MAX, 0..=OMIT_MAX_MS, STAMP_LEN..=DATAGRAM_MAX, 0..=VARINT_MAX, 0..=VARINT_MAX);
    (direction, any::<[bool; 2]>(), end, sizes).prop_map(
        |(direction, [datagrams, wants_output], end, (lanes, omit_ms, block_len, rate, burst))| Test {
            direction,
            datagrams,
            wants_output,
            lanes,
            end,
            omit_ms,
            block_len,
            rate,
            burst,
        },
    )
}

fn results() -> impl Strategy<Value = Results> {
    let number = || 0..=VARINT_MAX;
    let lane = proptest::array::uniform12(number()).prop_map(|n| LaneResult {
        bytes: n[0],
        duration_us: n[1],
        packets: n[2],
        lost: n[3],
        out_of_order: n[4],
        jitter_ns: n[5],
        packets_all: n[6],
        retransmits: n[7],
        window_max: n[8],
        rtt_max_us: n[9],
        rtt_min_us: n[10],
        rtt_mean_us: n[11],
    });
    (number(), number(), "[a-z0-9]{0,32}", proptest::collection::vec(lane, 0..10)).prop_map(
        |(user, system, controller, lanes)| Results {
            cpu: Cpu { user, system },
            controller: PeerText::new(controller),
            lanes,
        },
    )
}

fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        test().prop_map(Message::Test),
        Just(Message::Start),
        results().prop_map(Message::End),
        Just(Message::Ready),
        Just(Message::Done),
        results().prop_map(Message::Results),
        (any::<bool>(), ".{0,80}").prop_map(|(json, text)| Message::Output(if json {
            Output::Json(PeerText::new(text))
        } else {
            Output::Text(PeerText::new(text))
        })),
        ((0u64..6).prop_map(FaultCode::from_u64), ".{0,80}")
            .prop_map(|(code, reason)| Message::Fault(Fault::new(code, &reason))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn messages_survive_the_wire(message in message()) {
        battery::round_trip(&message);
    }

    #[test]
    fn stamps_survive_the_wire(lane in 0..LANES_MAX as u8, number: u64, sent_us: u64) {
        battery::round_trip(&Stamp { lane, number, sent_us });
    }

    #[test]
    fn noise_is_refused_or_understood(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        battery::noise::<Message>(&bytes);
        battery::noise::<Stamp>(&bytes);
    }

    #[test]
    fn a_message_with_one_byte_changed_is_refused_or_understood(message in message(), at in 0usize..400, to: u8) {
        let mut bytes = battery::emit(&message);
        let at = at % bytes.len();
        bytes[at] = to;
        battery::noise::<Message>(&bytes);
    }
}

const PLAIN: Test = Test {
    direction: Direction::Reverse,
    datagrams: true,
    wants_output: false,
    lanes: 4,
    end: End::After(10_000),
    omit_ms: 0,
    block_len: 1200,
    rate: 0,
    burst: 0,
};

#[test]
fn the_bytes_are_those_of_the_page() {
    let bytes = battery::emit(&Message::Test(PLAIN));
    assert_eq!(bytes, [1, 0, 0, 0, 10, 6, 4, 0x67, 0x10, 0, 0, 0x44, 0xb0, 0, 0]);
    let fault = Message::Fault(Fault::new(FaultCode::Busy, "no"));
    assert_eq!(battery::emit(&fault), b"\x3f\x00\x00\x00\x04\x01\x02no");
    let stamp = Stamp { lane: 3, number: 1, sent_us: 2 };
    assert_eq!(battery::emit(&stamp), [3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
}

#[test]
fn the_longest_results_fit_their_bound() {
    let lane = LaneResult { bytes: VARINT_MAX, duration_us: VARINT_MAX, ..LaneResult::default() };
    let results = Results {
        controller: PeerText::new("x".repeat(NAME_MAX)),
        lanes: vec![lane; 2 * LANES_MAX],
        ..Results::default()
    };
    battery::round_trip(&Message::End(results.clone()));
    let more = Results { lanes: vec![lane; 2 * LANES_MAX + 1], ..results };
    assert_eq!(Message::parse(&mut Reader::new(&battery::emit(&Message::End(more)))), Err(Malformed));
}

#[test]
fn a_count_of_lanes_beyond_the_bytes_is_refused() {
    let mut bytes = battery::emit(&Message::Results(Results::default()));
    *bytes.last_mut().expect("the count") = 63;
    assert_eq!(Message::parse(&mut Reader::new(&bytes)), Err(Malformed));
}

#[test]
fn a_length_beyond_the_bound_is_refused_before_its_bytes_are_there() {
    let [a, b, c, d] = u32::try_from(BODY_MAX + 1).expect("small").to_be_bytes();
    assert_eq!(body_len([OUTPUT, a, b, c, d]), Err(Malformed));
    assert_eq!(body_len([OUTPUT, 0, 0, 1, 0]), Ok(256));
}

#[test]
fn a_test_that_makes_no_sense_is_refused() {
    let good = battery::emit(&Message::Test(PLAIN));
    // Flags without a direction, an unknown flag, no lanes, both kinds of ends, a datagram too short for its stamp.
    for (at, to) in [(5, 4), (5, 0x16), (6, 0), (9, 1), (11, 0x40)] {
        let mut bytes = good.clone();
        bytes[at] = to;
        if at == 11 {
            bytes[12] = 1;
        }
        assert_eq!(Message::parse(&mut Reader::new(&bytes)), Err(Malformed), "byte {at} is {to}");
    }
}
