use tng_base::{ChannelId, Eid, Instant, PeerText, Rng};
use tng_channel::Armor;
use tng_crypto::{SecretRng, labels};
use tng_wire::battery::emit;

use super::*;
use crate::wire::{Family, INIT_LEN, MAC1_LEN, VersionAnswer};

const MAC1_AT: usize = INIT_LEN - MAC1_LEN;
use crate::{Acceptance, Cipher, CookieJar, Identity, Limits, Opening, Refusal, RefusalCode, ResetToken};

mod attack;
mod families;
mod theft;

const HERE: ChannelId = ChannelId::from_u64(0xaaaa);
const THERE: ChannelId = ChannelId::from_u64(0xbbbb);
const HARDWARE: CipherPolicy = CipherPolicy { hardware_aes: true, danger_weak: false };
const SOFTWARE: CipherPolicy = CipherPolicy { hardware_aes: false, danger_weak: false };

fn limits() -> Limits {
    Limits { idle_timeout_ms: 30_000, udp_payload_max: 1452, ack_delay_max_us: 25_000 }
}

fn alice() -> Identity {
    Identity::from_seed([1; 32])
}

fn bob() -> Identity {
    Identity::from_seed([2; 32])
}

fn opening(policy: CipherPolicy) -> Opening {
    Opening {
        extensions: vec![4, 5, 6],
        capability: Some(vec![9; 16]),
        set_up: Some(vec![1, 2]),
        payload: Some(b"first data".to_vec()),
        ..Opening::new(&alice(), HERE, policy, limits(), "structured")
    }
}

fn terms(policy: CipherPolicy) -> Terms {
    Terms {
        channel: THERE,
        ciphers: policy,
        extensions: vec![6, 4, 99],
        path: vec![],
        limits: limits(),
        reset_token: ResetToken::from_bytes([7; 16]),
    }
}

fn initiate(opening: Opening) -> Initiator {
    Initiator::new(Family::Channel, &alice(), bob().eid(), opening, &mut secrets(1)).unwrap()
}

/// A generator of secrets for one end of an exchange.
fn secrets(seed: u64) -> SecretRng {
    SecretRng::new(Rng::from_u64(seed).bytes::<32>())
}

fn read(datagram: &[u8]) -> Result<Offer, OfferError> {
    Offer::read(&bob(), &Hello::parse(Family::Channel, datagram).unwrap(), None)
}

fn accept(offer: Offer, policy: CipherPolicy) -> (Established, Vec<u8>) {
    accept_with(offer, policy, &mut secrets(2))
}

fn accept_with(offer: Offer, policy: CipherPolicy, rng: &mut SecretRng) -> (Established, Vec<u8>) {
    let acceptance = offer.negotiate(terms(policy)).unwrap();
    offer.accept(Acceptance { taken: true, payload: Some(b"answer".to_vec()), ..acceptance }, rng).unwrap()
}

fn established(replied: Replied) -> (Established, Acceptance) {
    match replied {
        Replied::Established(established, acceptance) => (*established, *acceptance),
        other => panic!("{other:?}"),
    }
}

fn ignored(replied: Replied) -> Initiator {
    match replied {
        Replied::Ignored(initiator) => *initiator,
        other => panic!("{other:?}"),
    }
}

/// One packet from one armor to the other.
fn passes(from: &mut dyn Armor, to: &mut dyn Armor, number: u64) -> bool {
    let tag_len = from.tag_len();
    let mut packet = vec![0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, number as u8];
    packet.extend(b"a text of some length");
    packet.extend(vec![0; tag_len]);
    packet[0] |= u8::from(from.send_phase(number)) << 5;
    from.seal(number, 11, &mut packet).unwrap();
    from.protect(7, 4, &mut packet);
    to.unprotect(7, &mut packet).unwrap();
    let phase = packet[0] & 0x20 != 0;
    to.open(number, phase, 11, &mut packet) == Ok(21) && packet[11..].starts_with(b"a text of some length")
}

#[test]
fn one_message_each_way_makes_a_channel() {
    let initiator = initiate(opening(HARDWARE));
    let offer = read(initiator.datagram()).unwrap();
    assert_eq!((offer.peer(), offer.opening().channel), (alice().eid(), HERE));
    assert_eq!(*offer.opening(), *initiator.opening());
    assert_eq!(offer.opening().payload.as_deref(), Some(&b"first data"[..]));
    let (theirs, reply) = accept(offer, HARDWARE);
    assert!(reply.len() <= initiator.datagram().len());
    let (ours, acceptance) = established(initiator.handle_reply(&reply));

    assert_eq!((ours.peer, ours.local_id, ours.remote_id), (bob().eid(), HERE, THERE));
    assert_eq!((theirs.peer, theirs.local_id, theirs.remote_id), (alice().eid(), THERE, HERE));
    assert_eq!(ours.handshake_hash, theirs.handshake_hash);
    assert_eq!((acceptance.cipher, ours.cipher, theirs.cipher), (Cipher::Aes128Gcm, ours.cipher, Cipher::Aes128Gcm));
    assert_eq!(acceptance.extensions, [4, 6]);
    assert_eq!((acceptance.payload.as_deref(), acceptance.taken), (Some(&b"answer"[..]), true));
    let (mut ours, mut theirs) = (ours.armor(), theirs.armor());
    for number in 0..5 {
        assert!(passes(&mut *ours, &mut *theirs, number));
        assert!(passes(&mut *theirs, &mut *ours, number));
    }
    assert!(!passes(&mut *established_pair(3).0.armor(), &mut *theirs, 9), "another exchange's keys");
}

fn established_pair(seed: u64) -> (Established, Established) {
    let initiator =
        Initiator::new(Family::Channel, &alice(), bob().eid(), opening(HARDWARE), &mut secrets(seed)).unwrap();
    let (theirs, reply) = accept(read(initiator.datagram()).unwrap(), HARDWARE);
    (established(initiator.handle_reply(&reply)).0, theirs)
}

#[test]
fn both_ends_export_the_same_secrets_and_log_the_same_line() {
    let (ours, theirs) = established_pair(3);
    let export = |end: &Established, context: &[u8]| *end.exporter.export(labels::EXPORTER, context).expose();
    assert_eq!(export(&ours, b"a"), export(&theirs, b"a"));
    assert_ne!(export(&ours, b"a"), export(&ours, b"b"));
    assert_ne!(export(&ours, b"a"), export(&established_pair(4).0, b"a"));

    let line = ours.key_log_line().to_string();
    assert_eq!(line, theirs.key_log_line().to_string());
    let fields: Vec<&str> = line.split(' ').collect();
    assert_eq!(fields[..4], ["tng1", "00000000aaaa", "00000000bbbb", "1"]);
    assert!(fields.len() == 6 && fields[4].len() == 64 && fields[5].len() == 64 && fields[4] != fields[5]);
    assert!(!format!("{ours:?} {:?}", ours.key_log_line()).contains(fields[4]));
}

#[test]
fn a_key_log_line_opens_the_channel_s_packets() {
    let (ours, theirs) = established_pair(3);
    let line = theirs.key_log_line().to_string();
    let secret = |i: usize| {
        let bytes = data_encoding::HEXLOWER.decode(line.split(' ').nth(i).unwrap().as_bytes()).unwrap();
        tng_crypto::Secret32::from_bytes(bytes.try_into().unwrap())
    };
    let mut observer = crate::AeadArmor::new(tng_crypto::Suite::Aes128Gcm, secret(5), secret(4));
    assert!(passes(&mut *ours.armor(), &mut observer, 1));
}

#[test]
fn the_cipher_is_the_initiator_s_choice_unless_it_is_slow_at_the_other_end() {
    use Cipher::{Aes128Gcm, ChaCha20Poly1305, WeakChecksum};
    let weak = CipherPolicy { danger_weak: true, ..HARDWARE };
    let choices = [
        (HARDWARE, HARDWARE, Aes128Gcm),
        (HARDWARE, SOFTWARE, ChaCha20Poly1305),
        (SOFTWARE, HARDWARE, ChaCha20Poly1305),
        (SOFTWARE, SOFTWARE, ChaCha20Poly1305),
        (weak, HARDWARE, Aes128Gcm),
        (HARDWARE, weak, Aes128Gcm),
        (weak, weak, WeakChecksum),
    ];
    for (a, b, chosen) in choices {
        assert_eq!(b.choose(&a.offer()), Some(chosen), "{a:?} to {b:?}");
    }
    assert_eq!(SOFTWARE.choose(&[Aes128Gcm]), Some(Aes128Gcm));
    assert_eq!(HARDWARE.choose(&[WeakChecksum]), None);
    assert_eq!(HARDWARE.choose(&[]), None);
}

#[test]
fn weak_mode_carries_packets_if_both_say_so() {
    let weak = CipherPolicy { danger_weak: true, ..HARDWARE };
    let initiator = initiate(opening(weak));
    let (theirs, reply) = accept(read(initiator.datagram()).unwrap(), weak);
    let (ours, _) = established(initiator.handle_reply(&reply));
    assert_eq!((ours.cipher, theirs.cipher), (Cipher::WeakChecksum, Cipher::WeakChecksum));
    let (mut ours, mut theirs) = (ours.armor(), theirs.armor());
    assert!(passes(&mut *ours, &mut *theirs, 1) && passes(&mut *theirs, &mut *ours, 1));
}

#[test]
fn ends_that_cannot_agree_part_with_a_reason() {
    let helper = Eid::from_bytes([5; 32]);
    let on_path = Terms { path: vec![helper], ..terms(HARDWARE) };
    let only_weak = Opening { ciphers: vec![Cipher::WeakChecksum], ..opening(HARDWARE) };
    let cases = [
        (opening(HARDWARE), on_path, RefusalCode::PathsDiffer),
        (
            Opening { path: vec![helper], hop_key: Some([8; 16].into()), ..opening(HARDWARE) },
            terms(HARDWARE),
            RefusalCode::PathsDiffer,
        ),
        (only_weak, terms(HARDWARE), RefusalCode::NoCommonCipher),
    ];
    for (opening, terms, code) in cases {
        let initiator = initiate(opening);
        let offer = read(initiator.datagram()).unwrap();
        let refusal = offer.negotiate(terms).unwrap_err();
        assert_eq!(refusal.code, code);
        let reply = offer.refuse(refusal.clone(), &mut secrets(2)).unwrap();
        let Replied::Refused(heard) = initiator.handle_reply(&reply) else { panic!() };
        assert_eq!(heard, refusal);
    }
}

#[test]
fn what_does_not_fit_is_not_sent() {
    let new = |opening| Initiator::new(Family::Channel, &alice(), bob().eid(), opening, &mut secrets(1)).map(|_| ());
    let room = opening(HARDWARE).payload_room(INIT_LEN);
    let filled = |len| Opening { payload: Some(vec![0; len]), ..opening(HARDWARE) };
    assert_eq!(new(filled(room)), Ok(()));
    assert_eq!(new(filled(room + 20)), Err(InitiateError::TooLong));
    assert_eq!(new(Opening { protocol: "x".repeat(33), ..opening(HARDWARE) }), Err(InitiateError::TooLong));
    let endless = Limits { idle_timeout_ms: u64::MAX, ..limits() };
    assert_eq!(new(Opening { limits: endless, ..opening(HARDWARE) }), Err(InitiateError::TooLong));

    let initiator = initiate(opening(HARDWARE));
    let offer = || read(initiator.datagram()).unwrap();
    let acceptance = offer().negotiate(terms(HARDWARE)).unwrap();
    let filled = |len| Acceptance { payload: Some(vec![0; len]), ..acceptance.clone() };
    let (_, reply) = offer().accept(filled(acceptance.payload_room()), &mut secrets(2)).unwrap();
    assert!(reply.len() <= 1200);
    assert!(offer().accept(filled(acceptance.payload_room() + 20), &mut secrets(2)).is_err());
    let long = Refusal { code: RefusalCode::RefusedByApplication, reason: PeerText::new("x".repeat(256)) };
    assert_eq!(offer().refuse(long, &mut secrets(2)), Err(TooLong));
}

#[test]
fn a_peer_that_is_no_key_is_refused_before_anything_is_sent() {
    for bad in [[0; 32], [0xff; 32], {
        let mut one = [0; 32];
        one[0] = 1;
        one
    }] {
        let made = Initiator::new(Family::Channel, &alice(), Eid::from_bytes(bad), opening(HARDWARE), &mut secrets(1));
        assert_eq!(made.map(|_| ()), Err(InitiateError::BadPeer), "{bad:?}");
    }
}

#[test]
fn a_cookie_comes_back_in_the_same_init() {
    let mut initiator = initiate(opening(HARDWARE));
    let before = initiator.datagram().to_vec();
    let mut jar = CookieJar::new(secrets(9));
    let from = "192.0.2.1:4860".parse().unwrap();
    let now = Instant::from_secs(3);
    let init = Hello::parse(Family::Channel, &before).unwrap().fingerprint();
    let cookie = jar.issue(now, from, &init);
    assert!(initiator.handle_cookie(&emit(&cookie_answer(&bob(), Family::Channel, HERE, cookie, &init))));
    let hello = Hello::parse(Family::Channel, initiator.datagram()).unwrap();
    assert!(hello.is_for(&bob()), "the MAC covers the cookie");
    assert_eq!((hello.cookie(), hello.fingerprint()), (Some(cookie), init));
    assert!(jar.verify(now, from, &hello.fingerprint(), hello.cookie().unwrap()));
    assert_eq!(hello.ephemeral(), Hello::parse(Family::Channel, &before).unwrap().ephemeral());
    let (_, reply) = accept(read(initiator.datagram()).unwrap(), HARDWARE);
    established(initiator.handle_reply(&reply));
}

#[test]
fn cookies_for_others_or_without_end_are_not_taken() {
    let mut initiator = initiate(opening(HARDWARE));
    let init = Hello::parse(Family::Channel, initiator.datagram()).unwrap().fingerprint();
    let answer = |id, byte| emit(&cookie_answer(&bob(), Family::Channel, id, crate::Cookie([byte; 32]), &init));
    assert!(!initiator.handle_cookie(&answer(THERE, 1)));
    assert!(!initiator.handle_cookie(&answer(HERE, 0)), "no cookie at all");
    assert!(!initiator.handle_cookie(&[answer(HERE, 1), vec![0]].concat()));
    for i in 0..COOKIES_MAX {
        assert!(initiator.handle_cookie(&answer(HERE, i + 1)));
        assert!(!initiator.handle_cookie(&answer(HERE, i + 1)), "a copy");
    }
    let last = initiator.datagram().to_vec();
    assert!(!initiator.handle_cookie(&answer(HERE, 99)));
    assert_eq!(initiator.datagram().to_vec(), last);
}

/// Somebody who knows both ends and the channel's id, but has not seen the INIT; or has, and does not know whom it is
/// for.
#[test]
fn a_cookie_or_a_version_from_who_lacks_the_init_or_the_eid_is_not_taken() {
    let mut initiator = initiate(opening(HARDWARE));
    let before = initiator.datagram().to_vec();
    let other = Initiator::new(Family::Channel, &alice(), bob().eid(), opening(HARDWARE), &mut secrets(5)).unwrap();
    let (hello, unseen) =
        (Hello::parse(Family::Channel, &before).unwrap(), Hello::parse(Family::Channel, other.datagram()).unwrap());
    let carol = Identity::from_seed([3; 32]);
    let cookie = crate::Cookie([7; 32]);
    for (identity, hello) in [(&bob(), &unseen), (&carol, &hello)] {
        for _ in 0..2 * COOKIES_MAX {
            assert!(!initiator.handle_cookie(&emit(&cookie_answer(
                identity,
                Family::Channel,
                HERE,
                cookie,
                &hello.fingerprint()
            ))));
        }
        assert_eq!(initiator.handle_version(&emit(&version_answer(identity, hello, &[2]))), None);
    }
    let good = emit(&cookie_answer(&bob(), Family::Channel, HERE, cookie, &hello.fingerprint()));
    for bit in 0..good.len() * 8 {
        let mut forged = good.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert!(!initiator.handle_cookie(&forged), "bit {bit}");
    }
    assert_eq!(initiator.datagram(), before, "and none of them has been counted");
    assert!(initiator.handle_cookie(&good), "control: the true one is taken");
}

#[test]
fn a_host_that_is_meant_otherwise_says_who_it_is() {
    let carol = Identity::from_seed([3; 32]);
    let initiator = initiate(opening(HARDWARE));
    let hello = Hello::parse(Family::Channel, initiator.datagram()).unwrap();
    assert!(hello.is_for(&bob()) && !hello.is_for(&carol));
    let answer = emit(&wrong_key(&carol, &hello));
    assert!(answer.len() <= crate::wire::SMALL_LEN_MAX && answer.len() * 3 < initiator.datagram().len());
    assert_eq!(initiator.handle_wrong_key(&answer), Some(carol.eid()));
    assert_eq!(initiator.handle_wrong_key(&emit(&wrong_key(&bob(), &hello))), None, "the right key is no wrong key");
    let other = Initiator::new(Family::Channel, &alice(), bob().eid(), opening(HARDWARE), &mut secrets(5)).unwrap();
    assert_eq!(other.handle_wrong_key(&answer), None, "it answers one INIT alone");
    for bit in 0..answer.len() * 8 {
        let mut forged = answer.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(initiator.handle_wrong_key(&forged), None, "bit {bit}");
    }
}

#[test]
fn a_version_answer_explains_a_failure() {
    let initiator = initiate(opening(HARDWARE));
    let hello = Hello::parse(Family::Channel, initiator.datagram()).unwrap();
    let answer =
        |id, versions: &[u16]| emit(&VersionAnswer { initiator_id: id, ..version_answer(&bob(), &hello, versions) });
    assert_eq!(initiator.handle_version(&answer(HERE, &[2, 3])), Some(vec![2, 3]));
    assert_eq!(initiator.handle_version(&answer(THERE, &[2, 3])), None);
    assert_eq!(initiator.handle_version(&answer(HERE, &[3, 1])), None, "who speaks ours would have answered");
    assert_eq!(initiator.handle_version(b""), None);
}

#[test]
fn an_opening_prints_nothing_that_opens_doors() {
    let opening = Opening { capability: Some(vec![251; 16]), ..opening(HARDWARE) };
    assert!(!format!("{opening:?}").contains("251"));
}

#[test]
fn every_message_carries_something_unknown() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let mut rng = secrets(seed);
        let initiator = Initiator::new(Family::Channel, &alice(), bob().eid(), opening(HARDWARE), &mut rng).unwrap();
        let hello = Hello::parse(Family::Channel, initiator.datagram()).unwrap();
        let identity = bob();
        let (key, prologue) = (identity.agreement(), prologue(Family::Channel, VERSION, &identity.eid()));
        let mut payload = [0; crate::wire::OPENING_LEN];
        tng_crypto::noise::Responder::read(key, None, &prologue, hello.noise(), &mut payload).unwrap();
        seen.insert(tng_wire::Reader::new(&payload).varint().unwrap());
    }
    assert!(seen.len() > 15 && seen.iter().all(|kind| *kind >= 0x1000), "{seen:?}");
}
