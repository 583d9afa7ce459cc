//! The exchange, either end of it, and what seals packets, in the hands of somebody who knows the protocol.

use std::sync::{Arc, LazyLock};

use tng_base::{ChannelId, Eid, Instant, Rng};
use tng_channel::Armor;
use tng_crypto::{Secret32, SecretRng, StaticKey, Suite, agreement_secret, labels, montgomery, noise};
use tng_isolation::wire::REPLY_LEN_MAX;
use tng_isolation::{
    AeadArmor, CipherPolicy, CookieJar, Family, Fingerprint, Hello, INIT_LEN, Identity, Initiator, Limits, Offer,
    Opening, Refusal, RefusalCode, Replied, ResetToken, Role, Terms, WeakArmor, WrongKey, cookie_answer,
    version_answer, wrong_key,
};
use tng_wire::battery::emit;

use crate::bytes::Script;
use crate::parsers::openings;
use crate::{Kind, Target};

pub(crate) const TARGETS: &[Target] = &[
    stateful("initiator", 400, (initiator, initiator_seeds)),
    stateful("responder", 1300, (responder, responder_seeds)),
    stateful("cookies", 200, (cookies, || vec![vec![0, 0, 1, 2, 0, 1, 3, 4, 1, 9, 2, 0, 255]])),
    stateful("armor", 300, (armor, || vec![vec![0, 1, 40, 0, 0, 2, 9, 1, 1, 0], vec![1, 0, 40, 0, 1], vec![2; 30]])),
];

pub(crate) const fn stateful(name: &'static str, len_max: usize, (run, seeds): crate::Functions) -> Target {
    Target { name, kind: Kind::Stateful, len_max, memory: (256 << 10, 1024), run, seeds }
}

const POLICY: CipherPolicy = CipherPolicy { hardware_aes: true, danger_weak: false };
const THERE: ChannelId = ChannelId::from_u64(0xbbbb);

static ALICE: LazyLock<Identity> = LazyLock::new(|| Identity::from_seed([1; 32]));
static BOB: LazyLock<Identity> = LazyLock::new(|| Identity::from_seed([2; 32]));
/// Lives where Bob is said to live.
static EVE: LazyLock<Identity> = LazyLock::new(|| Identity::from_seed([3; 32]));

pub(crate) fn terms() -> Terms {
    Terms {
        channel: THERE,
        ciphers: POLICY,
        extensions: vec![70, 4],
        path: vec![],
        limits: Limits { idle_timeout_ms: 30_000, udp_payload_max: 1452, ack_delay_max_us: 25_000 },
        reset_token: ResetToken::from_bytes([7; 16]),
    }
}

/// Changes some bytes as the script says; answers whether any is another now.
pub(crate) fn spoil(script: &mut Script<'_>, bytes: &mut Vec<u8>) -> bool {
    let before = bytes.clone();
    for _ in 0..script.below(4) {
        let at = usize::from(script.u16()) % bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= script.u8();
        }
    }
    match script.below(8) {
        0 => bytes.truncate(usize::from(script.u16())),
        1 => bytes.push(script.u8()),
        _ => {}
    }
    *bytes != before
}

/// Alice calls Bob; whatever she gets, nobody but Bob, answering this INIT, makes a channel of it.
fn initiator(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mut opening = openings()[usize::from(script.u8() & 1)].clone();
    opening.eid = ALICE.eid();
    opening.path.clear();
    let mut initiator = Initiator::new(Family::Channel, &ALICE, BOB.eid(), opening, &mut SecretRng::new([1; 32]))
        .expect("a good opening");
    let mut jar = CookieJar::new(SecretRng::new([3; 32]));
    let from = "192.0.2.1:4860".parse().expect("an address");
    let mut cookies = 0;
    while !script.is_over() {
        let id = initiator.local_id();
        match script.below(8) {
            0 => {
                let datagram = script.piece();
                initiator.handle_cookie(datagram);
                initiator.handle_version(datagram);
                assert_eq!(initiator.handle_wrong_key(datagram), None, "a signature out of nothing");
            }
            1 => {
                let init = Hello::parse(Family::Channel, initiator.datagram()).expect("an INIT").fingerprint();
                let cookie = jar.issue(Instant::from_millis(script.u16().into()), from, &init);
                let mut datagram = emit(&cookie_answer(&BOB, Family::Channel, id, cookie, &init));
                let spoilt = spoil(&mut script, &mut datagram);
                let taken = initiator.handle_cookie(&datagram);
                assert!(!(taken && spoilt), "a cookie that nobody gave");
                cookies += u32::from(taken);
                assert!(cookies <= u32::from(tng_isolation::COOKIES_MAX), "an INIT without end");
                let hello = Hello::parse(Family::Channel, initiator.datagram()).expect("still an INIT");
                assert!(hello.is_for(&BOB), "its first MAC is right");
            }
            2 => {
                let versions: Vec<u16> = (0..script.below(9)).map(|_| script.u16()).collect();
                let hello = Hello::parse(Family::Channel, initiator.datagram()).expect("an INIT");
                let mut datagram = emit(&version_answer(&BOB, &hello, &versions));
                let spoilt = spoil(&mut script, &mut datagram);
                if let Some(versions) = initiator.handle_version(&datagram) {
                    assert!(!spoilt);
                    assert!(!versions.contains(&tng_isolation::VERSION));
                }
            }
            3 => {
                let answer = wrong_key(&EVE, &Hello::parse(Family::Channel, initiator.datagram()).expect("an INIT"));
                let mut datagram = emit(&answer);
                let spoilt = spoil(&mut script, &mut datagram);
                let named = initiator.handle_wrong_key(&datagram);
                assert!(named.is_none() || named == Some(EVE.eid()) && !spoilt);
                let claim = WrongKey { eid: Eid::from_bytes([script.u8(); 32]), ..answer };
                assert_eq!(initiator.handle_wrong_key(&emit(&claim)), None, "a name without its signature");
            }
            4 => {
                initiator = match initiator.handle_reply(script.piece()) {
                    Replied::Ignored(initiator) => *initiator,
                    other => panic!("an answer out of nothing: {other:?}"),
                };
            }
            answer => {
                let hello = Hello::parse(Family::Channel, initiator.datagram()).expect("an INIT");
                let offer = Offer::read(&BOB, &hello, None).expect("Bob reads it");
                let genuine = reply(offer, answer == 5);
                let mut datagram = genuine.clone();
                spoil(&mut script, &mut datagram);
                // What is under the seal, and who is addressed; the name in clear is for helpers between.
                let same = |at: core::ops::Range<usize>| genuine.get(at.clone()) == datagram.get(at);
                let intact = datagram.len() == genuine.len() && same(0..7) && same(13..genuine.len());
                initiator = match initiator.handle_reply(&datagram) {
                    Replied::Ignored(initiator) if !intact => *initiator,
                    Replied::Established(established, acceptance) if intact && answer != 5 => {
                        assert_eq!((established.peer, established.remote_id), (BOB.eid(), acceptance.channel));
                        return;
                    }
                    Replied::Refused(_) if intact && answer == 5 => return,
                    other => panic!("intact: {intact}, {other:?}"),
                };
            }
        }
    }
}

fn reply(offer: Offer, refuse: bool) -> Vec<u8> {
    if refuse {
        let refusal = Refusal { code: RefusalCode::Overloaded, reason: "no".into() };
        return offer.refuse(refusal, &mut SecretRng::new([5; 32])).expect("it fits");
    }
    let acceptance = offer.negotiate(terms()).expect("a common cipher");
    offer.accept(acceptance, &mut SecretRng::new([5; 32])).expect("it fits").1
}

/// An INIT to `responder` by somebody with the key of `caller`, with any payload, in the full form.
pub(crate) fn init_with(caller: &[u8; 32], responder: Eid, id: ChannelId, payload: &[u8], seed: u64) -> Vec<u8> {
    const PAYLOAD: usize = 1047;
    let mut content = [0; PAYLOAD];
    let len = payload.len().min(PAYLOAD);
    content[..len].copy_from_slice(&payload[..len]);
    let version = tng_isolation::VERSION.to_be_bytes();
    let prologue = [labels::PROLOGUE.as_bytes(), &version, responder.as_bytes()].concat();
    let remote = montgomery(responder.as_bytes()).expect("a key of ours");
    let seed = Secret32::from_bytes(Rng::from_u64(seed).bytes());
    let key = Arc::new(StaticKey::from_secret(agreement_secret(&Secret32::from_bytes(*caller))));
    let mut datagram = vec![0; INIT_LEN];
    datagram[0] = 1;
    datagram[1..3].copy_from_slice(&version);
    datagram[3..9].copy_from_slice(&id.to_bytes());
    let end = INIT_LEN - 16;
    let mut noise = noise::Initiator::new(&key, &remote, None, &prologue, seed);
    noise.write(&content, &mut datagram[41..end]).expect("it fits");
    let key = tng_crypto::sha256(&[labels::MAC1.as_bytes(), responder.as_bytes()]);
    let tag = tng_crypto::HmacKey::new(&key).tag(&[&datagram[..end]]);
    datagram[end..].copy_from_slice(&tag[..16]);
    datagram
}

/// Bob is called, by somebody with a key, who says under the seal whatever the bytes are; or by nobody.
fn responder(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mode = script.u8();
    let seed = script.u8();
    let mut init = if mode & 1 == 0 {
        let payload = script.take(1047);
        init_with(&[1; 32], BOB.eid(), openings()[0].channel, payload, seed.into())
    } else {
        let mut init = init_with(&[1; 32], BOB.eid(), openings()[0].channel, &emit(&openings()[0]), seed.into());
        spoil(&mut script, &mut init);
        init
    };
    if let Some(first) = init.first_mut().filter(|_| mode & 2 != 0) {
        *first = mode >> 2;
    }
    let Ok(hello) = Hello::parse(Family::Channel, &init) else { return };
    if !hello.is_for(&BOB) {
        let answer = emit(&wrong_key(&BOB, &hello));
        assert!(answer.len() < init.len());
        return;
    }
    let Ok(offer) = Offer::read(&BOB, &hello, None) else { return };
    // She cannot be anybody else, whatever she says: both EIDs that differ in the sign alone are hers (wire.md, section
    // 2.3).
    let unsigned = |eid: Eid| {
        let mut bytes = *eid.as_bytes();
        bytes[31] &= 0x7f;
        bytes
    };
    assert_eq!(unsigned(offer.peer()), unsigned(ALICE.eid()));
    let answer = match offer.negotiate(terms()) {
        Ok(acceptance) => offer.accept(acceptance, &mut SecretRng::new([5; 32])).map(|(_, reply)| reply),
        Err(refusal) => offer.refuse(refusal, &mut SecretRng::new([5; 32])),
    };
    let answer = answer.expect("an answer without a payload fits");
    assert!(answer.len() <= REPLY_LEN_MAX && answer.len() <= init.len());
}

/// A jar takes back its own cookies, from whom it gave them to, for ten seconds.
fn cookies(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mut jar = CookieJar::new(SecretRng::new([1; 32]));
    let mut now_ms = 0;
    let mut given = Vec::new();
    let place = |byte: u8| std::net::SocketAddr::from(([192, 0, 2, byte & 3], u16::from(byte >> 4)));
    while !script.is_over() {
        match script.below(4) {
            0 => now_ms += u64::from(script.u16()),
            1 => {
                let (from, init) = (place(script.u8()), Fingerprint::from_bytes([script.below(4) as u8; 32]));
                let cookie = jar.issue(Instant::from_millis(now_ms), from, &init);
                given.push((now_ms, from, init, cookie));
            }
            what => {
                let (from, init) = (place(script.u8()), Fingerprint::from_bytes([script.below(4) as u8; 32]));
                let pick = script.below(given.len());
                let Some((at, owner, named, mut cookie)) = given.get(pick).copied() else { continue };
                if what == 3 {
                    cookie.0[script.below(32)] ^= script.u8();
                }
                let good = now_ms - at <= 10_000 && owner == from && named == init && cookie == given[pick].3;
                let other =
                    given.iter().any(|it| (it.1, it.2, it.3) == (from, init, cookie) && now_ms - it.0 <= 10_000);
                assert_eq!(jar.verify(Instant::from_millis(now_ms), from, &init, cookie), good || other);
            }
        }
    }
}

/// Two armors; what the one sealed the other opens, in any order and across key phases, and nothing else.
fn armor(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let (a, b) = (Secret32::from_bytes([1; 32]), Secret32::from_bytes([2; 32]));
    let aead = |suite| -> [Box<dyn Armor>; 2] {
        let again = |secret: &Secret32| Secret32::from_bytes(*secret.expose());
        [Box::new(AeadArmor::new(suite, again(&a), again(&b))), Box::new(AeadArmor::new(suite, again(&b), again(&a)))]
    };
    let kind = script.below(3);
    let [mut ours, mut theirs] = match kind {
        0 => aead(Suite::Aes128Gcm),
        1 => aead(Suite::ChaCha20Poly1305),
        _ => [
            Box::new(WeakArmor::new(Role::Initiator, &a, &b)) as Box<dyn Armor>,
            Box::new(WeakArmor::new(Role::Responder, &b, &a)),
        ],
    };
    let mut next = 0;
    while !script.is_over() {
        let number: u64 = next + script.below(3) as u64;
        next = number + 1;
        let content = script.below(60) + 20;
        let mut packet = vec![0x43, 1, 2, 3, 4, 5, 6];
        packet.extend((number as u32).to_be_bytes());
        packet.extend((0..content).map(|at| at as u8));
        packet.resize(packet.len() + ours.tag_len(), 0);
        packet[0] |= u8::from(ours.send_phase(number)) << 5;
        ours.seal(number, 11, &mut packet).expect("far from any limit");
        ours.protect(7, 4, &mut packet);
        let spoilt = spoil(&mut script, &mut packet);
        let len = packet.len();
        if theirs.unprotect(7, &mut packet).is_none() {
            assert!(len < 11 + 16 || spoilt);
            continue;
        }
        let header = 7 + usize::from(packet[0] & 3) + 1;
        if header > packet.len() {
            continue;
        }
        let phase = packet[0] & 0x20 != 0;
        let opened = theirs.open(number, phase, header, &mut packet);
        if spoilt {
            // A checksum of 32 bits is no proof against chance, nor meant to be.
            assert!(opened.is_err() || kind == 2, "forged: {opened:?}");
        } else {
            assert_eq!(opened, Ok(content));
            assert!(packet[11..11 + content].iter().enumerate().all(|(at, byte)| *byte == at as u8));
        }
        if script.u8() & 1 == 1 {
            ours.handle_acked(number);
        }
    }
}

// Seeds

fn initiator_seeds() -> Vec<Vec<u8>> {
    vec![
        vec![0, 6, 0, 2],
        vec![1, 1, 0, 5, 0, 2, 3, 0, 2, 2, 0, 9, 0, 7, 0, 2, 7, 0, 2],
        vec![0, 5, 1, 0, 20, 1, 2, 5, 0, 2],
        vec![0, 4, 0, 3, 2, 0, 0, 0, 0, 3, 3, 1, 1],
    ]
}

fn responder_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = openings().iter().map(|opening| [&[0, 0][..], &emit(opening)].concat()).collect();
    let mut own = openings()[1].clone();
    own.eid = Identity::from_seed([1; 32]).eid();
    own.path.clear();
    seeds.push([&[0, 1][..], &emit(&own)].concat());
    seeds.push(emit(&Opening { versions: vec![9, 1], ..own }));
    seeds.extend([vec![1, 0, 1, 0, 50, 1, 2], vec![3, 0, 0, 2]]);
    seeds
}
