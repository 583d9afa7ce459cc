//! Formats on the wire: whatever is read survives its own emission, which is the only one and never longer than what
//! was read.

use tng_base::{ChannelId, CodeHash, Eid, PeerText, RangeSet, SessionId};
use tng_channel::wire::{AckBlock, Control, FirstByte, Mark};
use tng_crypto::{AgreementKey, Secret32};
use tng_endpoint::{FRAME_HEAD, Frames, Garbage, Punch, Unserved, push_frame};
use tng_flow::{Capability, CapabilityKey, Offer, OfferKey, OfferTerms, PassingInit, open_offer, passing_reply};
use tng_isolation::wire::{Answer, Reply, TransportAnswer, TransportOffer};
use tng_isolation::{
    Attach, Cipher, CipherPolicy, Cookie, CookieAnswer, Family, Hello, Identity, Limits, Opening, Purpose, Refusal,
    RefusalCode, VersionAnswer, WrongKey, addressee,
};
use tng_semantic::structured::{self, Role, Services, Streams};
use tng_services::{files, forward, help, perf, registry};
use tng_wire::battery::emit;
use tng_wire::{Reader, Repr};

use crate::bytes::Script;
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] = &[
    parser("opening", 1047, (opening, || openings().iter().map(emit).collect())),
    parser("answer", 1127, (answer, || answers().iter().map(emit).collect())),
    parser("small_answers", 128, (small_answers, small_seeds)),
    parser("ack_block", 300, (ack_block, || vec![vec![1, 9, 0, 0], ack_seed(), vec![0x40, 7]])),
    parser("controls", 400, (controls, || controls_seeds().to_vec())),
    parser("frames", 600, (frames, frames_seeds)),
    parser("file_messages", 700, (file_messages, file_seeds)),
    parser("file_stream", 2048, (file_stream, file_stream_seeds)),
    // The buffer of a stream has one size.
    Target { memory: (256 << 10, 64), ..parser("carrier_frames", 2048, (carrier_frames, carrier_seeds)) },
    parser("forward_messages", 600, (forward_messages, forward_seeds)),
    parser("help_messages", 700, (help_messages, help_seeds)),
    parser("offer", 320, (offer, offer_seeds)),
    parser("perf_messages", 2048, (perf_messages, perf_seeds)),
    parser("registry_messages", 2_048, (registry_messages, registry_seeds)),
    parser("ranges", 400, (ranges, || vec![vec![0, 1, 9, 0, 20, 30, 1, 5, 25, 2, 7]])),
];

/// A parser may hold on to what it reads, twice over, and to a message of fixed size; the check emits it a few times.
pub(crate) const fn parser(name: &'static str, len_max: usize, (run, seeds): crate::Functions) -> Target {
    Target { name, kind: Kind::Parser, len_max, memory: (16 << 10, 64), run, seeds }
}

/// Reads a value from the front of some bytes, with what every format promises.
macro_rules! survives {
    ($kind:ty, $bytes:expr) => {{
        let mut reader = Reader::new($bytes);
        match <$kind>::parse(&mut reader) {
            Err(_) => None,
            Ok(value) => {
                let once = emit(&value);
                assert!(once.len() <= reader.position(), "{value:?} grew from {} to {}", reader.position(), once.len());
                let mut again = Reader::new(&once);
                let back = <$kind>::parse(&mut again).expect("what was emitted parses");
                assert!(again.is_empty(), "{value:?} leaves {} bytes of its own", again.left());
                assert!(back == value, "{value:?} became {back:?}");
                assert!(emit(&back) == once, "{value:?} has two forms");
                Some((value, reader.position()))
            }
        }
    }};
}

pub(crate) use survives;

fn opening(bytes: &[u8]) {
    survives!(Opening, bytes);
}

fn answer(bytes: &[u8]) {
    survives!(Answer, bytes);
}

fn small_answers(bytes: &[u8]) {
    survives!(CookieAnswer, bytes);
    survives!(VersionAnswer, bytes);
    survives!(WrongKey, bytes);
    survives!(Unserved, bytes);
    survives!(Punch, bytes);
    survives!(Attach, bytes);
    if let Some((reply, _)) = survives!(Reply<'_>, bytes) {
        assert_eq!(addressee(bytes), Some(reply.initiator_id));
    }
    if let Ok(hello) = Hello::parse(Family::Channel, bytes) {
        let _fields = (hello.version(), hello.initiator_id(), hello.cookie(), hello.ephemeral());
    }
    if let Some(first) = bytes.first().copied().filter(|first| Mark::Channel.is_on(*first)) {
        assert_eq!(FirstByte::from_byte(first).to_byte(Mark::Channel), first);
    }
}

fn ack_block(bytes: &[u8]) {
    let Some((block, _)) = survives!(AckBlock<'_>, bytes) else { return };
    let mut below = u64::MAX;
    for range in block.ranges.iter() {
        assert!(range.start < range.end && range.end < below, "ranges fall and do not touch: {range:?} under {below}");
        below = range.start;
    }
    assert_eq!(block.ranges.iter().count(), block.ranges.count());
    let _delay = block.delay();
}

fn controls(mut bytes: &[u8]) {
    while let Some((_, taken)) = survives!(Control<'_>, bytes) {
        bytes = &bytes[taken..];
    }
}

fn frames(bytes: &[u8]) {
    structured::battery::frames(bytes);
    structured::battery::setup(bytes);
    let streams = Streams::new(Role::Responder, structured::Config::default(), Services::new());
    // Judged before anything of it is believed.
    let _judged = (streams.repeatable(bytes), tng_base::Protocol::replay_safe(&streams, bytes));
}

/// What comes of a stream that comes in these pieces: datagrams, and what ends it.
fn carried<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Vec<u8>>, Option<Garbage>, bool) {
    let (mut frames, mut datagrams) = (Frames::default(), Vec::new());
    for mut piece in pieces {
        while !piece.is_empty() {
            let room = frames.room();
            assert!(!room.is_empty(), "what waits for its rest leaves room for it");
            let len = room.len().min(piece.len());
            room[..len].copy_from_slice(&piece[..len]);
            frames.filled(len);
            piece = &piece[len..];
            loop {
                match frames.next() {
                    Ok(Some(datagram)) => datagrams.push(datagram.to_vec()),
                    Ok(None) => break,
                    Err(garbage) => return (datagrams, Some(garbage), frames.is_within()),
                }
            }
        }
    }
    (datagrams, None, frames.is_within())
}

/// However the stream of a carrier is cut, the same comes of it, and what came is written as it was.
fn carrier_frames(bytes: &[u8]) {
    let Some((cut, bytes)) = bytes.split_first() else { return };
    let at_once = carried([bytes].into_iter());
    assert_eq!(carried(bytes.chunks(usize::from(*cut).max(1))), at_once);
    let (datagrams, garbage, within) = at_once;
    let mut again = Vec::new();
    for datagram in &datagrams {
        assert!(push_frame(&mut again, datagram), "what came fits into a frame");
    }
    assert_eq!(again.len(), datagrams.iter().map(|datagram| datagram.len() + FRAME_HEAD).sum::<usize>());
    assert!(bytes.starts_with(&again));
    if garbage.is_none() && !within {
        assert_eq!(again, bytes, "nothing is skipped");
    }
}

fn carrier_seeds() -> Vec<Vec<u8>> {
    let mut whole = vec![3];
    for len in [1, 40, 300] {
        push_frame(&mut whole, &vec![0x41; len]);
    }
    let cut = whole[..whole.len() - 7].to_vec();
    let empty = vec![1, 0xc0, 0, 0];
    let long = vec![1, 0xc0, 0xff, 0xff, 1];
    let other = [&whole[..], b"GET / HTTP/1.1\r\n"].concat();
    vec![whole, cut, empty, long, other]
}

fn file_messages(bytes: &[u8]) {
    survives!(files::Request, bytes);
    survives!(files::Answer, bytes);
}

/// What comes out of a decoder, with data joined.
#[derive(PartialEq, Debug, Default)]
struct Decoded {
    messages: Vec<(usize, files::Answer)>,
    data: Vec<u8>,
    whole: bool,
    failed: bool,
}

fn decode<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Decoded {
    let (mut decoder, mut out) = (files::Decoder::new(), Decoded::default());
    for mut piece in pieces {
        loop {
            match decoder.next(&mut piece) {
                Ok(None) => break,
                Ok(Some(files::Piece::Answer(message))) => out.messages.push((out.data.len(), message)),
                Ok(Some(files::Piece::Data(data))) => out.data.extend_from_slice(data),
                Err(_) => return Decoded { failed: true, ..out },
            }
        }
    }
    out.whole = decoder.is_between_messages();
    out
}

/// However the bytes of an answer are cut, the same comes out of it; and what takes answers takes any.
fn file_stream(bytes: &[u8]) {
    let Some((cut, bytes)) = bytes.split_first() else { return };
    let step = usize::from(*cut).max(1);
    let at_once = decode([bytes].into_iter());
    assert_eq!(decode(bytes.chunks(step)), at_once);

    let (mut at_once, mut by_step) = (files::Listing::new(), files::Listing::new());
    let first = at_once.take(bytes);
    let mut second = Ok(false);
    for chunk in bytes.chunks(step) {
        second = by_step.take(chunk);
        if second != Ok(false) {
            break;
        }
    }
    if let (Ok(first), Ok(second)) = (&first, &second) {
        // Without a byte there was nothing to take.
        assert!(first == second || bytes.is_empty(), "{first} at once, {second} by {step}");
    }
    let _listed = at_once.ended();

    let mut fragment = files::Fragment::new();
    fragment.update(&bytes[..bytes.len().min(usize::from(*cut & 7))]);
    let told = u64::from(*cut);
    let (mut fetch, mut input) = (files::Fetch::new(fragment).with_blocks_of(told), bytes);
    while let Ok(Some(step)) = fetch.step(&mut input) {
        if let files::Step::Copy { from, len } = step {
            assert!(from + len <= told, "nothing is copied that was not told of");
            fetch.copied(&bytes[..len as usize % bytes.len()]);
        }
    }

    let (mut index, mut blocks) = (files::Index::new(), 0);
    for (_, message) in decode([bytes].into_iter()).messages {
        let files::Answer::Blocks(some) = message else { continue };
        if index.take(&some, true).is_err() {
            break;
        }
        blocks += some.len();
        assert!(index.len() == blocks && some.iter().all(|block| index.find(block).is_some()));
    }
}

fn forward_messages(bytes: &[u8]) {
    survives!(forward::Request, bytes);
    survives!(forward::Answer, bytes);
}

fn help_messages(bytes: &[u8]) {
    survives!(help::Ask, bytes);
    if let Some((help::Answer::Granted(terms), _)) = survives!(help::Answer, bytes) {
        assert!(terms.life_s > 0 && terms.flows_max > 0 && terms.controllers.len() <= help::CONTROLLERS_MAX);
        let shown = terms.capability().shown.len();
        assert!((1..=tng_flow::wire::CAPABILITY_LEN_MAX).contains(&shown), "an order takes it, of {shown} bytes");
    }
}

fn registry_messages(bytes: &[u8]) {
    survives!(registry::Ask, bytes);
    survives!(registry::Answer, bytes);
    let Some((registry::Entry { statement, policy, .. }, _)) = survives!(registry::Entry, bytes) else { return };
    if let registry::Policy::Listed(listed) = &policy {
        assert!(listed.len() <= registry::LISTED_MAX);
    }
    // Nobody makes a signature by chance, and nobody is taken for another.
    let other = Identity::from_seed([77; 32]).eid();
    assert!(statement.eid == other || statement.check(other, 0).is_err());
}

fn perf_messages(bytes: &[u8]) {
    survives!(perf::Message, bytes);
    survives!(perf::Stamp, bytes);
    let mut arrivals = perf::Arrivals::default();
    let mut rest = Reader::new(bytes);
    while let (Ok(stamp), Ok(now_us)) = (perf::Stamp::parse(&mut rest), rest.u64()) {
        arrivals.arrive(stamp, now_us);
        let _lost = (arrivals.lost(), arrivals.since(&arrivals.clone()));
    }
}

/// Sets of numbers, against a set of numbers.
fn ranges(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let (mut set, mut model) = (RangeSet::new(), [false; 300]);
    while !script.is_over() {
        let (what, start, len) = (script.below(4), usize::from(script.u8()), script.below(40));
        let range = start as u64..(start + len) as u64;
        match what {
            0 | 1 => {
                let new = !model[start..start + len].iter().all(|there| *there);
                assert_eq!(set.insert(range.clone()), new, "inserting {range:?}");
                model[start..start + len].fill(true);
            }
            2 => {
                set.remove(range);
                model[start..start + len].fill(false);
            }
            _ => {
                assert_eq!(
                    set.covers(range.clone()),
                    model[start..start + len].iter().all(|there| *there),
                    "{range:?}"
                );
                let mut with = set.clone();
                with.insert(range.clone());
                assert_eq!(set.count_with(&range), with.count());
            }
        }
        assert_eq!(set.size(), model.iter().filter(|there| **there).count() as u64);
        assert_eq!(set.contains(start as u64), model[start]);
    }
    let all: Vec<u64> = set.iter().flatten().collect();
    let expected: Vec<u64> = (0..300).filter(|at| model[*at as usize]).collect();
    assert_eq!(all, expected);
    assert_eq!((set.min(), set.max()), (expected.first().copied(), expected.last().copied()));
}

// Seeds

fn limits() -> Limits {
    Limits { idle_timeout_ms: 30_000, udp_payload_max: 1452, ack_delay_max_us: 25_000 }
}

const ID: ChannelId = ChannelId::from_u64(0x0102_0304_0506);

pub(crate) fn openings() -> [Opening; 3] {
    let identity = Identity::from_seed([1; 32]);
    let policy = CipherPolicy { hardware_aes: true, danger_weak: true };
    let plain = Opening::new(&identity, ID, policy, limits(), "structured");
    let full = Opening {
        extensions: vec![4, 70, 20_000],
        path: vec![Eid::from_bytes([9; 32])],
        reset_token: Some(tng_isolation::ResetToken::from_bytes([3; 16])),
        capability: Some(vec![4; 16]),
        set_up: Some(vec![0x50, 0, 0x50, 0, 16]),
        attach: Some(Attach { session: SessionId::from_bytes([8; 16]), count: 300, purpose: Purpose::Replaces }),
        payload: Some(vec![0x10, 0, 0, 1, b'a', 1, b'b']),
        ..plain.clone()
    };
    let transports = TransportOffer { service: "files".into(), codes: vec![CodeHash::from_bytes([5; 32])] };
    let offering = Opening { transports: Some(transports), ..plain.clone() };
    [plain, full, offering]
}

fn answers() -> [Answer; 2] {
    let acceptance = tng_isolation::Acceptance {
        channel: ID,
        version: 1,
        cipher: Cipher::ChaCha20Poly1305,
        extensions: vec![7],
        path: vec![],
        limits: limits(),
        reset_token: tng_isolation::ResetToken::from_bytes([3; 16]),
        protocol: "structured".into(),
        set_up: Some(vec![]),
        transport: Some(TransportAnswer::SendMe(CodeHash::from_bytes([5; 32]))),
        payload: Some(vec![6; 20]),
        taken: true,
    };
    let refusal = Refusal { code: RefusalCode::Overloaded, reason: "tomorrow".into() };
    [Answer::Accepted(acceptance), Answer::Refused(refusal)]
}

/// The secret of the ephemeral key of the INIT that offers are for.
const OFFERED_TO: [u8; 32] = [3; 32];

/// Offers, with a controller that is advised and without.
fn offers() -> Vec<Vec<u8>> {
    let (identity, secret) = (Identity::from_seed([1; 32]), Secret32::from_bytes(OFFERED_TO));
    let key = OfferKey { eid: identity.eid(), agreement: identity.agreement_key() };
    let ephemeral = *AgreementKey::from_secret(&secret).public();
    let init = PassingInit { channel: ChannelId::from_u64(9), ephemeral };
    let offer = |(address, controller): (&str, Option<&str>)| {
        let terms = OfferTerms {
            address: address.parse().unwrap(),
            life: core::time::Duration::from_secs(60),
            capability: Capability { shown: vec![5; 42], key: CapabilityKey::from_bytes([6; 16]) },
            controller: controller.map(str::to_owned),
        };
        key.offer(&init, &terms, &Secret32::from_bytes([4; 32])).unwrap()
    };
    [("192.0.2.7:4860", Some("vegas")), ("[2001:db8::7]:4860", None)].map(offer).into()
}

fn offer_seeds() -> Vec<Vec<u8>> {
    let mut reply = vec![2; 60];
    reply[1..7].copy_from_slice(&[9; 6]);
    [offers(), vec![reply]].concat()
}

/// Nobody opens an offer but one that a helper made, whole, for that very INIT.
fn offer(bytes: &[u8]) {
    let _ = (PassingInit::see(bytes), passing_reply(bytes));
    let Some((offer, _)) = survives!(Offer<'_>, bytes) else { return };
    if open_offer(&Secret32::from_bytes(OFFERED_TO), &offer).is_ok() {
        // Who takes it looks at the version before.
        let alike = |made: &Vec<u8>| made[..7] == bytes[..7] && made[9..] == bytes[9..];
        assert!(offers().iter().any(alike), "an offer that nobody made was opened");
    }
}

fn small_seeds() -> Vec<Vec<u8>> {
    vec![
        emit(&CookieAnswer { family: Family::Channel, initiator_id: ID, cookie: Cookie([7; 32]), mac: [8; 16] }),
        emit(&VersionAnswer { family: Family::Channel, initiator_id: ID, versions: vec![2, 3], mac: [8; 16] }),
        emit(&WrongKey {
            family: Family::Channel,
            initiator_id: ID,
            eid: Eid::from_bytes([1; 32]),
            signature: [2; 64],
        }),
        emit(&Unserved { first_byte: 0x80 }),
        emit(&Punch { nonce: [1; 16], own: [2; 8], echo: [0; 8] }),
        emit(&Attach { session: SessionId::from_bytes([8; 16]), count: 300, purpose: Purpose::Replaces }),
        emit(&Reply { family: Family::Channel, initiator_id: ID, responder_id: ID, noise: &[5; 60] }),
    ]
}

fn ack_seed() -> Vec<u8> {
    vec![0xc3, 0x40, 90, 4, 2, 0, 1, 5, 0, 0x40, 99, 1, 2, 3]
}

fn controls_seeds() -> [Vec<u8>; 3] {
    let close = emit(&Control::Close { code: 64, reason: PeerText::new("enough") });
    let new = tng_channel::wire::NewId { sequence: 70, retire_below: 3, id: ID, reset_token: [9; 16] };
    let renewal = tng_channel::wire::Renewal::new(2, &[7; 60]).expect("short");
    let sizes =
        [Control::PayloadMax { sequence: 70, bytes: 1_300 }, Control::Renew(renewal), Control::Lost { number: 900 }];
    let rest = [Control::NewId(new), Control::RetireId { sequence: 1 }, Control::Challenge([1; 8]), Control::Ping];
    [close, rest.iter().flat_map(emit).collect(), sizes.iter().flat_map(emit).collect()]
}

fn frames_seeds() -> Vec<Vec<u8>> {
    let frames: [&[u8]; 11] = [
        &[0x10, 2, 0, 3, b'w', b'w', b'w', 4, b'h', b't', b't', b'p', 0x46, 2, 2, b'o', b'k'],
        &[0x10, 3, 3, 0x18, 4, 1, 0],
        &[0x19, 2, 3, b'w', b'w', b'w', 4, b'h', b't', b't', b'p', 2, b'o', b'k'],
        &[0x11, 2, 4, 2, b'n', b'o'],
        &[0x12, 2, 7, 0x41, 0],
        &[0x13, 2, 7, 0x14, 2, 0x50, 0, 0x1a, 2, 0x40, 0x80],
        &[0x15, 0x80, 1, 0, 0, 0x16, 0x40, 64],
        &[0x17, 2, 1, 0x40, 129, 16],
        &[0x27, 2, 9, 0x41, 0x2c, 2, b'o', b'k', 0x49, 2, 3, b'z'],
        &[0x22, 2, 9, 2, b'o', b'k', 0x23, 2, 2, b'o', b'k', 0x21, 2, b'z'],
        &[0x58, 2, 1, 2, 3, 0x7e, 4, 0x3f, 0, 0, 0, 0, 0, 0, 1, 2, b'o', b'k', 0x70, 2, 1, 2, 3, 4, 5, 6, b'z'],
    ];
    frames.map(<[u8]>::to_vec).to_vec()
}

fn file_meta() -> files::Meta {
    files::Meta { mode: Some(0o755), modified: files::Mtime::new(-1_700_000_000, 999_999_999), holes: true }
}

fn file_link() -> files::Answer {
    let (path, target) = (files::SafePath::parse("d/l"), files::LinkTarget::new("../f"));
    let kind = files::Kind::Link(target.expect("a target"));
    files::Answer::Entry(files::Entry { kind, path: path.expect("a path"), size: 0, meta: file_meta() })
}

fn file_answers() -> Vec<files::Answer> {
    vec![
        files::Answer::File { size: 3, offset: 0, meta: file_meta() },
        files::Answer::End { hash: *blake3_of_abc() },
        files::Answer::Fault(files::Fault::new(files::FaultCode::NotFound, "gone")),
        files::Answer::LeftOut(files::LeftOut::new(files::LeftOutWhy::Link, "a/link")),
        file_link(),
        files::Answer::Blocks(vec![
            files::Block { len: 20_000, name: [7; 16] },
            files::Block { len: 5, name: [8; 16] },
        ]),
        files::Answer::Copy { from: 0, len: 3 },
    ]
}

/// Of `abc`, the file of the seeds.
fn blake3_of_abc() -> Box<[u8; 32]> {
    let mut fragment = files::Fragment::new();
    fragment.update(b"abc");
    Box::new(fragment.hash())
}

fn file_seeds() -> Vec<Vec<u8>> {
    let requests = [vec![0x01, 2, 1, b'a'], vec![0x02, 6, 16, 3, b'a', b'/', b'b', 0], vec![0x03, 3, 2, 1, b'a']];
    requests.into_iter().chain(file_answers().iter().map(emit)).collect()
}

fn file_stream_seeds() -> Vec<Vec<u8>> {
    let answers: Vec<Vec<u8>> = file_answers().iter().map(emit).collect();
    let got = [&[2][..], &answers[0], &[0x11, 3], b"abc", &answers[1]].concat();
    let listed = [&[5][..], &[0x20, 5, 0, 1, b'a', 3, 0], &answers[3], &[0x21, 2, 1, 1]].concat();
    let copied = [&[8][..], &answers[0], &answers[6], &answers[1]].concat();
    vec![got, listed, [&[1][..], &answers[2]].concat(), copied, [&[9][..], &answers[5], &answers[5]].concat()]
}

fn forward_seeds() -> Vec<Vec<u8>> {
    let connect = [&[0x01, 0, 14, 11][..], b"example.org", &[0, 80]].concat();
    let bind = vec![0x02, 0, 3, 0, 0, 0];
    let ok = [&[0x10, 0, 13, 12][..], b"192.0.2.1:80"].concat();
    let refused = emit(&forward::Answer::Refused(forward::Refusal::new(forward::RefusalCode::NotAllowed, "no")));
    vec![connect, bind, ok, refused]
}

fn help_seeds() -> Vec<Vec<u8>> {
    let token = help::Token::new("a token").ok();
    let asks = [
        help::Ask { life_s: 0, flows: 0, tunnels: false, token: None },
        help::Ask { life_s: 86_400, flows: 64, tunnels: true, token },
    ];
    let terms = help::Terms {
        life_s: 3_600,
        flows_max: 64,
        tunnels: true,
        rate_max: 12_500_000,
        held_max: 1 << 20,
        controllers: ["vegas", "cubic"].map(|name| PeerText::new(name.to_owned())).to_vec(),
        queue_time_max_ms: 100,
        shown: vec![7; 42],
        key: tng_flow::CapabilityKey::from_bytes([9; 16]),
    };
    let bare = help::Terms { controllers: Vec::new(), queue_time_max_ms: 0, ..terms.clone() };
    let denied = help::Denied::TooOften;
    let answers = [help::Answer::Granted(terms), help::Answer::Granted(bare), help::Answer::Denied(denied)];
    asks.iter().map(emit).chain(answers.iter().map(emit)).collect()
}

fn registry_seeds() -> Vec<Vec<u8>> {
    let [host, heir] = [5, 6].map(|n| Identity::from_seed([n; 32]));
    let at: [core::net::SocketAddr; 2] =
        [([192, 0, 2, 7], 4_860).into(), ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1], 4_860).into()];
    let record = registry::Record { number: 1, expires_s: 2, addresses: at.to_vec() };
    let statement = registry::Statement::new(&host, registry::Word::Here(record));
    let succession = registry::Succession::new(host.eid(), &heir, 3);
    let succession = registry::Statement::new(&host, registry::Word::Succeeded(succession));
    let revocation = registry::Statement::new(&host, registry::Word::Revoked { made_s: 4 });
    let attended = registry::Attended { registry: heir.eid(), addresses: at.to_vec(), observed: at[0] };
    let token = help::Token::new("a token").ok();
    let listed = registry::Policy::Listed(vec![heir.eid()]);
    let hash = registry::Policy::Token(registry::TokenHash([7; 32]));
    let asks = [
        registry::Ask::Register { lease_s: 60, policy: listed, statement: statement.clone() },
        registry::Ask::Register { lease_s: 0, policy: hash, statement: succession },
        registry::Ask::Register { lease_s: 0, policy: registry::Policy::Public, statement: revocation },
        registry::Ask::Attend,
        registry::Ask::LookUp { eid: host.eid(), token: token.clone() },
        registry::Ask::Watch { eid: host.eid(), token: None },
        registry::Ask::Introduce { eid: host.eid(), nonce: [8; registry::NONCE_LEN], token },
    ];
    let introduced = registry::Introduced {
        peer: host.eid(),
        role: registry::Role::Called,
        nonce: [9; registry::NONCE_LEN],
        begin_ms: 20,
        observed: at[1],
    };
    let older = registry::Denied::Older(registry::Order { rank: 0, number: 9 });
    let answers = [
        registry::Answer::Registered { lease_s: 60, observed: at[0] },
        registry::Answer::Attended,
        registry::Answer::Found { statement: statement.clone(), attended: Some(attended.clone()) },
        registry::Answer::Absent,
        registry::Answer::Introduced(introduced),
        registry::Answer::Denied(older),
    ];
    let policy = registry::Policy::Public;
    let entry = registry::Entry { statement, policy, attended: Some(attended), until_ms: 1 };
    asks.iter().map(emit).chain(answers.iter().map(emit)).chain([emit(&entry)]).collect()
}

fn perf_seeds() -> Vec<Vec<u8>> {
    let stamp = emit(&perf::Stamp { lane: 1, number: 2, sent_us: 3 });
    let test = [&[0x01, 0, 0, 0, 13, 1, 1, 0x4f, 0xa0, 0, 0, 0x80, 2, 0, 0, 0, 0][..], &[0; 4]].concat();
    let results = emit(&perf::Message::Results(perf::Results::default()));
    vec![test, vec![0x02, 0, 0, 0, 0], vec![0x12, 0, 0, 0, 3, 0, b'h', b'i'], results, [&stamp[..], &[0; 8]].concat()]
}
