use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use tng_wire::battery;

use super::super::{ADDRESSES_MAX, Entry, LISTED_MAX, Record, Succession, TokenHash, Word};
use super::*;

fn eid() -> impl Strategy<Value = Eid> {
    any::<[u8; 32]>().prop_map(Eid::from_bytes)
}

fn at() -> impl Strategy<Value = SocketAddr> {
    let four = any::<[u8; 4]>().prop_map(|ip| IpAddr::V4(Ipv4Addr::from(ip)));
    let six = any::<[u8; 16]>().prop_map(|ip| IpAddr::V6(Ipv6Addr::from(ip)));
    (prop_oneof![four, six], any::<u16>()).prop_map(|(ip, port)| SocketAddr::new(ip, port))
}

fn signature() -> impl Strategy<Value = [u8; 64]> {
    any::<[[u8; 32]; 2]>().prop_map(|halves| core::array::from_fn(|i| halves[i / 32][i % 32]))
}

fn statement() -> impl Strategy<Value = Statement> {
    let record = (any::<[u64; 2]>(), vec(at(), 0..=ADDRESSES_MAX))
        .prop_map(|([number, expires_s], addresses)| Word::Here(Record { number, expires_s, addresses }));
    let succession = (any::<u64>(), eid(), signature())
        .prop_map(|(made_s, heir, consent)| Word::Succeeded(Succession { made_s, heir, consent }));
    let revocation = any::<u64>().prop_map(|made_s| Word::Revoked { made_s });
    (eid(), prop_oneof![record, succession, revocation], signature()).prop_map(|(eid, word, signature)| Statement {
        eid,
        word,
        signature,
    })
}

fn policy() -> impl Strategy<Value = Policy> {
    prop_oneof![
        Just(Policy::Public),
        vec(eid(), 0..=LISTED_MAX).prop_map(Policy::Listed),
        any::<[u8; 32]>().prop_map(|hash| Policy::Token(TokenHash(hash))),
    ]
}

fn token() -> impl Strategy<Value = Option<Token>> {
    let token = vec(any::<u8>(), 1..=TOKEN_MAX).prop_map(|bytes| Token::new(bytes).expect("it fits"));
    proptest::option::of(token)
}

fn ask() -> impl Strategy<Value = Ask> {
    prop_oneof![
        (any::<u32>(), policy(), statement()).prop_map(|(lease_s, policy, statement)| Ask::Register {
            lease_s,
            policy,
            statement
        }),
        Just(Ask::Attend),
        (eid(), token()).prop_map(|(eid, token)| Ask::LookUp { eid, token }),
        (eid(), token()).prop_map(|(eid, token)| Ask::Watch { eid, token }),
        (eid(), any::<[u8; NONCE_LEN]>(), token()).prop_map(|(eid, nonce, token)| Ask::Introduce { eid, nonce, token }),
    ]
}

fn attended() -> impl Strategy<Value = Attended> {
    (eid(), vec(at(), 0..=REGISTRY_ADDRESSES_MAX), at()).prop_map(|(registry, addresses, observed)| Attended {
        registry,
        addresses,
        observed,
    })
}

fn introduced() -> impl Strategy<Value = Introduced> {
    (eid(), select(&[Role::Caller, Role::Called]), any::<[u8; NONCE_LEN]>(), any::<u16>(), at())
        .prop_map(|(peer, role, nonce, begin_ms, observed)| Introduced { peer, role, nonce, begin_ms, observed })
}

fn answer() -> impl Strategy<Value = Answer> {
    let older = (any::<u8>(), any::<u64>()).prop_map(|(rank, number)| Denied::Older(Order { rank, number }));
    let others = [
        Denied::NotSigned,
        Denied::Expired,
        Denied::TooOften,
        Denied::Full,
        Denied::NotRegistered,
        Denied::NotAttended,
        Denied::OtherHeir,
        Denied::Unavailable,
    ];
    prop_oneof![
        (1..=u32::MAX, at()).prop_map(|(lease_s, observed)| Answer::Registered { lease_s, observed }),
        select(vec![Answer::Attended, Answer::Absent]),
        (statement(), proptest::option::of(attended()))
            .prop_map(|(statement, attended)| Answer::Found { statement, attended }),
        introduced().prop_map(Answer::Introduced),
        prop_oneof![older, select(others.to_vec())].prop_map(Answer::Denied),
    ]
}

fn entry() -> impl Strategy<Value = Entry> {
    (statement(), policy(), proptest::option::of(attended()), any::<u64>())
        .prop_map(|(statement, policy, attended, until_ms)| Entry { statement, policy, attended, until_ms })
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        cases: 128,
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
    fn what_a_store_keeps_survives_and_no_truncation_goes_unnoticed(entry in entry()) {
        battery::round_trip(&entry);
    }

    #[test]
    fn noise_is_refused_or_understood(bytes in vec(any::<u8>(), 0..300)) {
        battery::noise::<Ask>(&bytes);
        battery::noise::<Answer>(&bytes);
        battery::noise::<Entry>(&bytes);
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

    #[test]
    fn both_sides_of_an_introduction_are_told_at_most_three_bytes_for_each_that_asked(
        [one, other] in [introduced(), introduced()],
        nonce: [u8; NONCE_LEN],
    ) {
        let asked = Ask::Introduce { eid: one.peer, nonce, token: None }.wire_len();
        let told = Answer::Introduced(one).wire_len() + Answer::Introduced(other).wire_len();
        prop_assert!(told <= 3 * asked, "{told} for {asked}");
    }
}

#[test]
fn the_longest_messages_fit_into_a_body() {
    let six = "[2001:db8::1]:4860".parse().expect("an address");
    let record = Record { number: 1, expires_s: 2, addresses: vec![six; ADDRESSES_MAX] };
    let statement = Statement { eid: Eid::from_bytes([1; 32]), word: Word::Here(record), signature: [0; 64] };
    let policy = Policy::Listed(vec![Eid::from_bytes([2; 32]); LISTED_MAX]);
    let attended =
        Attended { registry: Eid::from_bytes([3; 32]), addresses: vec![six; REGISTRY_ADDRESSES_MAX], observed: six };
    battery::round_trip(&Ask::Register { lease_s: 1, policy, statement: statement.clone() });
    battery::round_trip(&Answer::Found { statement, attended: Some(attended) });
}

#[test]
fn an_unknown_code_counts_as_none_that_can_be_done_now() {
    let mut bytes = battery::emit(&Answer::Denied(Denied::Full));
    bytes[HEAD_LEN] = 200;
    assert_eq!(Answer::parse(&mut Reader::new(&bytes)), Ok(Answer::Denied(Denied::Unavailable)));
}
