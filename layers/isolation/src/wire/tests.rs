use tng_base::{ChannelId, CodeHash, Eid, PeerText, Rng, SessionId};
use tng_wire::battery::{emit, noise, round_trip};
use tng_wire::{Malformed, Reader, Repr, Writer};

use super::items::{kind, write_item};
use super::*;
use crate::reset::ResetToken;

const ID: ChannelId = ChannelId::from_u64(0x0102_0304_0506);

fn limits() -> Limits {
    Limits { idle_timeout_ms: 30_000, udp_payload_max: 1452, ack_delay_max_us: 25_000 }
}

fn small_opening() -> Opening {
    Opening {
        eid: Eid::from_bytes([1; 32]),
        channel: ID,
        versions: vec![1],
        ciphers: vec![Cipher::Aes128Gcm, Cipher::ChaCha20Poly1305],
        extensions: vec![],
        path: vec![],
        hop_key: None,
        limits: limits(),
        reset_token: None,
        capability: None,
        protocol: "structured".into(),
        set_up: None,
        transports: None,
        attach: None,
        payload: None,
    }
}

fn full_opening() -> Opening {
    Opening {
        versions: (1..=8).collect(),
        ciphers: vec![Cipher::WeakChecksum; CIPHERS_MAX],
        extensions: (0..16).map(|i| 1 << (3 * i)).collect(),
        path: (0..8).map(|i| Eid::from_bytes([i; 32])).collect(),
        hop_key: Some([7; 16].into()),
        reset_token: Some(ResetToken::from_bytes([3; 16])),
        capability: Some(vec![4; CAPABILITY_LEN_MAX]),
        protocol: "p".repeat(PROTOCOL_LEN_MAX),
        set_up: Some(vec![5; SET_UP_LEN_MAX]),
        attach: Some(Attach { session: SessionId::from_bytes([8; 16]), count: 300, purpose: Purpose::Replaces }),
        payload: Some(vec![6; 100]),
        ..small_opening()
    }
}

fn offer(codes: u8) -> TransportOffer {
    let codes = (0..codes).map(|code| CodeHash::from_bytes([code; 32])).collect();
    TransportOffer { service: "files".into(), codes }
}

fn acceptance() -> Acceptance {
    Acceptance {
        channel: ID,
        version: 1,
        cipher: Cipher::ChaCha20Poly1305,
        extensions: vec![7],
        path: vec![Eid::from_bytes([9; 32])],
        limits: limits(),
        reset_token: ResetToken::from_bytes([3; 16]),
        protocol: "structured".into(),
        set_up: Some(vec![]),
        transport: Some(TransportAnswer::SendMe(CodeHash::from_bytes([2; 32]))),
        payload: Some(vec![6; 100]),
        taken: true,
    }
}

fn refusal() -> Refusal {
    Refusal { code: RefusalCode::Overloaded, reason: "ask again tomorrow".into() }
}

fn openings() -> [Opening; 5] {
    let offering = |codes| Opening { transports: Some(offer(codes)), ..small_opening() };
    [
        small_opening(),
        full_opening(),
        offering(1),
        offering(4),
        Opening { versions: vec![], ciphers: vec![], ..small_opening() },
    ]
}

fn answers() -> [Answer; 4] {
    let plain = Acceptance { set_up: None, transport: None, payload: None, taken: false, path: vec![], ..acceptance() };
    [
        Answer::Accepted(acceptance()),
        Answer::Accepted(plain),
        Answer::Refused(refusal()),
        Answer::Refused(Refusal { code: RefusalCode::Other(99), reason: PeerText::new("x".repeat(REASON_LEN_MAX)) }),
    ]
}

#[test]
fn openings_and_answers_pass_the_battery() {
    openings().iter().for_each(round_trip);
    answers().iter().for_each(round_trip);
}

#[test]
fn small_answers_pass_the_battery() {
    round_trip(&CookieAnswer { family: Family::Channel, initiator_id: ID, cookie: Cookie([7; 32]), mac: [8; 16] });
    for n in 0..=VERSIONS_MAX as u16 {
        round_trip(&VersionAnswer {
            family: Family::Channel,
            initiator_id: ID,
            versions: (0..n).collect(),
            mac: [8; 16],
        });
    }
    round_trip(&WrongKey {
        family: Family::Channel,
        initiator_id: ID,
        eid: Eid::from_bytes([1; 32]),
        signature: [2; 64],
    });
}

/// Noise, and every valid message with a few bytes changed.
fn scramble<T: PartialEq + core::fmt::Debug + for<'a> Repr<'a>>(seeds: &[T]) {
    let mut rng = Rng::from_u64(1);
    let mut buf = [0; 200];
    for _ in 0..5_000 {
        let len = rng.below(200) as usize;
        rng.fill(&mut buf[..len]);
        noise::<T>(&buf[..len]);
    }
    for value in seeds {
        let bytes = emit(value);
        for round in 0..3_000 {
            let mut bytes = bytes.clone();
            for _ in 0..=round % 4 {
                let at = rng.below(bytes.len() as u64) as usize;
                bytes[at] = rng.u64() as u8;
            }
            bytes.truncate(rng.below(2 * bytes.len() as u64) as usize);
            noise::<T>(&bytes);
        }
    }
}

#[test]
fn noise_is_read_as_nothing_or_as_what_it_says() {
    scramble(&openings());
    scramble(&answers());
    scramble(&[VersionAnswer { family: Family::Channel, initiator_id: ID, versions: vec![1, 2, 3], mac: [8; 16] }]);
    scramble(&[CookieAnswer { family: Family::Channel, initiator_id: ID, cookie: Cookie([7; 32]), mac: [8; 16] }]);
    scramble::<WrongKey>(&[]);
}

fn parse(bytes: &[u8]) -> Result<Opening, Malformed> {
    Opening::parse(&mut Reader::new(bytes))
}

/// The small opening with an item put before its end, or in the place of one.
fn with_item(kind: u64, value: &[u8]) -> Result<Opening, Malformed> {
    let mut bytes = emit(&small_opening());
    bytes.truncate(bytes.len() - 2);
    let mut buf = vec![0; 2_000];
    let mut writer = Writer::new(&mut buf);
    writer.bytes(&bytes).unwrap();
    write_item(&mut writer, kind, value).unwrap();
    write_item(&mut writer, kind::END, &[]).unwrap();
    parse(writer.written())
}

#[test]
fn unknown_items_are_skipped_wherever_they_stand() {
    for unknown in [kind::KNOWN, 63, 64, 0x3fff, 1 << 40] {
        assert_eq!(with_item(unknown, b"anything"), Ok(small_opening()), "type {unknown}");
    }
    let mut rng = Rng::from_u64(5);
    for _ in 0..200 {
        let mut buf = [0; 300];
        let mut writer = Writer::new(&mut buf);
        write_grease(&mut writer, &mut rng).unwrap();
        assert!(writer.position() <= GREASE_LEN_MAX);
        small_opening().emit(&mut writer).unwrap();
        assert_eq!(parse(writer.written()), Ok(small_opening()));
    }
}

#[test]
fn a_known_item_twice_or_out_of_place_spoils_the_message() {
    for known in 1..kind::KNOWN {
        let value: &[u8] = if known == kind::RESET_TOKEN { &[0; 16] } else { b"" };
        let absent = [kind::EXTENSIONS, kind::RESET_TOKEN, kind::CAPABILITY, kind::SET_UP, kind::PAYLOAD];
        assert_eq!(with_item(known, value).is_ok(), absent.contains(&known), "type {known}");
    }
    let mut twice = emit(&full_opening());
    twice.truncate(twice.len() - 2);
    twice.extend([kind::PAYLOAD as u8, 0, kind::END as u8, 0]);
    assert_eq!(parse(&twice), Err(Malformed));
}

#[test]
fn every_required_item_is_missed() {
    // Each item of the small opening is required: leave out one after the other.
    let bytes = emit(&small_opening());
    let mut reader = Reader::new(&bytes);
    let mut items = 0;
    while !reader.is_empty() {
        let from = reader.position();
        let kind = reader.varint().unwrap();
        reader.prefixed(usize::MAX).unwrap();
        let without = [&bytes[..from], &bytes[reader.position()..]].concat();
        assert_eq!(parse(&without), Err(Malformed), "type {kind}");
        items += 1;
    }
    assert_eq!(items, 8);
}

#[test]
fn what_a_responder_says_to_transports_has_to_go_with_the_offer() {
    let code = |of| CodeHash::from_bytes([of; 32]);
    let (offered, other) = (offer(2), code(7));
    for (answer, admitted) in [
        (TransportAnswer::No, true),
        (TransportAnswer::Ok(code(1)), true),
        (TransportAnswer::Ok(other), false),
        (TransportAnswer::SendMe(code(0)), true),
        (TransportAnswer::SendMe(other), false),
        (TransportAnswer::Use(other), true),
        (TransportAnswer::Use(code(1)), false),
    ] {
        assert_eq!(offered.admits(&answer), admitted, "{answer:?}");
        round_trip(&answer);
    }
    assert_eq!(TransportAnswer::parse(&mut Reader::new(&[4; 33])), Err(Malformed));
    assert_eq!(TransportAnswer::parse(&mut Reader::new(&[1; 34])), Err(Malformed));
    round_trip(&offered);
}

#[test]
fn every_bound_is_checked() {
    let over = [
        ("versions", Opening { versions: vec![1; VERSIONS_MAX + 1], ..small_opening() }),
        ("ciphers", Opening { ciphers: vec![Cipher::Aes128Gcm; CIPHERS_MAX + 1], ..small_opening() }),
        ("extensions", Opening { extensions: vec![1; EXTENSIONS_MAX + 1], ..small_opening() }),
        ("path", Opening { path: vec![Eid::from_bytes([0; 32]); HELPERS_MAX + 1], ..small_opening() }),
        ("capability", Opening { capability: Some(vec![0; CAPABILITY_LEN_MAX + 1]), ..small_opening() }),
        ("protocol", Opening { protocol: "p".repeat(PROTOCOL_LEN_MAX + 1), ..small_opening() }),
        ("set-up", Opening { set_up: Some(vec![0; SET_UP_LEN_MAX + 1]), ..small_opening() }),
        (
            "service",
            Opening { transports: Some(TransportOffer { service: "s".repeat(65), ..offer(1) }), ..small_opening() },
        ),
        ("transports", Opening { transports: Some(offer(5)), ..small_opening() }),
        ("no transport", Opening { transports: Some(offer(0)), ..small_opening() }),
        (
            "a transport twice",
            Opening {
                transports: Some(TransportOffer { codes: vec![CodeHash::from_bytes([1; 32]); 2], ..offer(1) }),
                ..small_opening()
            },
        ),
        ("transports of a further channel", Opening { transports: Some(offer(1)), ..full_opening() }),
        ("UDP payload", Opening { limits: Limits { udp_payload_max: 1199, ..limits() }, ..small_opening() }),
        ("delay", Opening { limits: Limits { ack_delay_max_us: ACK_DELAY_MAX_US + 1, ..limits() }, ..small_opening() }),
    ];
    for (what, opening) in over {
        assert_eq!(parse(&emit(&opening)), Err(Malformed), "{what}");
        assert!(opening.check().is_err(), "{what} is not sent either");
    }
    let refused = |refusal| Answer::Refused(refusal);
    let long = refused(Refusal { reason: PeerText::new("x".repeat(REASON_LEN_MAX + 1)), ..refusal() });
    assert_eq!(Answer::parse(&mut Reader::new(&emit(&long))), Err(Malformed));
    assert!(long.check().is_err());
    // What no varint holds cannot be received, only configured.
    let unsayable = Opening { limits: Limits { idle_timeout_ms: u64::MAX, ..limits() }, ..small_opening() };
    assert!(unsayable.check().is_err());
    assert!(Opening { extensions: vec![u64::MAX], ..small_opening() }.check().is_err());
    assert!(refused(Refusal { code: RefusalCode::Other(u64::MAX), ..refusal() }).check().is_err());
}

/// The small opening with the value of one item replaced.
fn replaced(kind: u64, value: &[u8]) -> Result<Opening, Malformed> {
    let bytes = emit(&small_opening());
    let (mut reader, mut buf) = (Reader::new(&bytes), vec![0; 1_000]);
    let mut writer = Writer::new(&mut buf);
    while !reader.is_empty() {
        let at = reader.varint().unwrap();
        let was = reader.prefixed(usize::MAX).unwrap();
        write_item(&mut writer, at, if at == kind { value } else { was }).unwrap();
    }
    parse(writer.written())
}

#[test]
fn values_of_the_wrong_shape_spoil_the_message() {
    assert_eq!(replaced(kind::EID, &[1; 32]), Ok(small_opening()), "control");
    let wrong: [(u64, &[u8]); 9] = [
        (kind::EID, &[1; 31]),
        (kind::VERSIONS, &[0, 1, 0]),
        (kind::PATH, &[1; 33]),
        (kind::LIMITS, &[0]),
        (kind::LIMITS, &[0, 0x45, 0xac, 0, 0]),
        (kind::PROTOCOL, &[0xff, 0xfe]),
        (kind::END, &[0]),
        (kind::VERSIONS, &[0; 2 * VERSIONS_MAX + 2]),
        (kind::PATH, &[1; 32 * HELPERS_MAX + 32]),
    ];
    for (kind, value) in wrong {
        assert_eq!(replaced(kind, value), Err(Malformed), "type {kind}: {value:?}");
    }
}

#[test]
fn ciphers_without_a_meaning_here_are_passed_over() {
    let ciphers = replaced(kind::CIPHERS, &[77, 2, 0, 1]).map(|opening| opening.ciphers);
    assert_eq!(ciphers, Ok(vec![Cipher::ChaCha20Poly1305, Cipher::Aes128Gcm]));
}

#[test]
fn a_payload_fills_the_room_that_is_left_and_no_more() {
    for opening in openings() {
        let room = opening.payload_room(INIT_LEN);
        let filled = |len| Opening { payload: Some(vec![0; len]), ..opening.clone() };
        assert!(filled(room).wire_len() + GREASE_LEN_MAX <= OPENING_LEN);
        assert!(filled(room + 3).wire_len() + GREASE_LEN_MAX > OPENING_LEN);
    }
    let room = acceptance().payload_room();
    let filled = |len| Answer::Accepted(Acceptance { payload: Some(vec![0; len]), ..acceptance() });
    assert!(filled(room).wire_len() + GREASE_LEN_MAX <= ANSWER_LEN_MAX);
    assert!(filled(room + 3).wire_len() + GREASE_LEN_MAX > ANSWER_LEN_MAX);
    assert!(small_opening().payload_room(INIT_LEN) > 900, "a first packet carries a request");
}

#[test]
fn an_answer_chooses_exactly_one_version_and_cipher() {
    let bytes = emit(&Answer::Accepted(acceptance()));
    let at = |needle: &[u8]| bytes.windows(needle.len()).position(|w| w == needle).unwrap();
    let parse = |bytes: &[u8]| Answer::parse(&mut Reader::new(bytes));
    assert!(parse(&bytes).is_ok());
    let mut none = bytes.clone();
    none[at(&[3, 1, 2]) + 2] = 99;
    assert_eq!(parse(&none), Err(Malformed), "a cipher without a meaning here");
    let mut two = bytes.clone();
    two.splice(at(&[3, 1, 2])..at(&[3, 1, 2]) + 3, [3, 2, 1, 2]);
    assert_eq!(parse(&two), Err(Malformed));
}

#[test]
fn a_refusal_carries_nothing_else() {
    let mut bytes = emit(&Answer::Refused(refusal()));
    bytes.truncate(bytes.len() - 2);
    bytes.extend([kind::TAKEN as u8, 0, kind::END as u8, 0]);
    assert_eq!(Answer::parse(&mut Reader::new(&bytes)), Err(Malformed));
}

#[test]
fn replies_have_their_ids_and_at_least_an_empty_message() {
    let message = [8; 100];
    let reply =
        Reply { family: Family::Channel, initiator_id: ID, responder_id: ChannelId::from_u64(9), noise: &message };
    let mut bytes = vec![0; reply.wire_len()];
    reply.emit(&mut Writer::new(&mut bytes)).unwrap();
    assert_eq!(Reply::parse(&mut Reader::new(&bytes)), Ok(reply));
    assert_eq!(addressee(&bytes), Some(ID));
    for cut in 0..13 + 48 {
        assert!(Reply::parse(&mut Reader::new(&bytes[..cut])).is_err(), "cut at {cut}");
    }
    assert!(Reply::parse(&mut Reader::new(&[&[2][..], &[0; 1199]].concat())).is_ok());
    assert!(Reply::parse(&mut Reader::new(&[&[2][..], &[0; 1200]].concat())).is_err());
    let mut other = bytes;
    other[0] = 3;
    assert!(Reply::parse(&mut Reader::new(&other)).is_err());
}

#[test]
fn an_init_that_goes_direct_has_one_length_and_none_is_longer() {
    let mut bytes = [0; 1201];
    bytes[0] = 1;
    for len in 0..=bytes.len() {
        let hello = Hello::parse(Family::Channel, &bytes[..len]);
        assert_eq!(hello.is_ok(), (INIT_LEN_MIN..=INIT_LEN).contains(&len));
        assert_eq!(hello.is_ok_and(|hello| hello.is_direct()), len == INIT_LEN);
    }
    bytes[0] = 2;
    assert!(Hello::parse(Family::Channel, &bytes[..INIT_LEN]).is_err());
}

#[test]
fn an_init_is_read_where_it_was_written() {
    let mut bytes = [0; INIT_LEN];
    write_init_header(&mut bytes, Family::Channel, 0x1234, ID);
    assert_eq!(Hello::parse(Family::Channel, &bytes).map(|hello| hello.cookie()), Ok(None));
    write_cookie(&mut bytes, Cookie([7; 32]));
    bytes[NOISE_AT..NOISE_AT + 32].fill(5);
    bytes[INIT_LEN - MAC1_LEN..].fill(6);
    let hello = Hello::parse(Family::Channel, &bytes).unwrap();
    assert_eq!((hello.version(), hello.initiator_id()), (0x1234, ID));
    assert_eq!((hello.cookie(), hello.ephemeral(), hello.mac1()), (Some(Cookie([7; 32])), [5; 32], [6; 16]));
    assert_eq!((NOISE_AT, INIT_LEN - MAC1_LEN - NOISE_AT, OPENING_LEN), (41, 1143, 1047), "as wire.md says");
}

#[test]
fn answers_name_whom_they_are_for() {
    let answer =
        emit(&CookieAnswer { family: Family::Channel, initiator_id: ID, cookie: Cookie([7; 32]), mac: [8; 16] });
    assert_eq!(addressee(&answer), Some(ID));
    assert_eq!(addressee(&answer[..6]), None);
    assert_eq!(addressee(&[]), None);
    assert_eq!(addressee(&[1; 1200]), None, "an INIT names nobody here");
    assert_eq!(addressee(&[6, 0x80, 0, 0, 0, 0, 0]), None);
}
