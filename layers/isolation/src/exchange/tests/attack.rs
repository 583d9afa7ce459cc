//! What a stranger on the path, or at the other end, may try.

use tng_crypto::{Secret32, noise};
use tng_wire::{Repr, Writer};

use super::*;
use crate::wire::{Answer, Hello, INIT_LEN, NOISE_AT, OPENING_LEN};

#[test]
fn no_flipped_bit_of_an_init_makes_another_offer() {
    let initiator = initiate(opening(HARDWARE));
    for byte in 1..INIT_LEN {
        let mut forged = initiator.datagram().to_vec();
        forged[byte] ^= 1 << (byte % 8);
        assert!(!Hello::parse(Family::Channel, &forged).unwrap().is_for(&bob()));
        assert_eq!(read(&forged).map(|_| ()), Err(OfferError::NotForUs), "byte {byte}");
    }
}

/// As above by somebody who knows the responder's EID, which is no secret, and repairs the first MAC.
#[test]
fn not_even_with_its_mac_repaired() {
    let initiator = initiate(opening(HARDWARE));
    let key = mac1_key(&bob().eid());
    let mut rng = Rng::from_u64(1);
    // Every byte up to the end of the static key, where the structure is, and the tag; a sample of the long payload.
    let bytes = (1..NOISE_AT + 100).chain((NOISE_AT + 100..MAC1_AT - 16).step_by(29)).chain(MAC1_AT - 16..MAC1_AT);
    for byte in bytes {
        let mut forged = initiator.datagram().to_vec();
        forged[byte] ^= 1 << rng.below(8);
        write_mac1(&key, &mut forged);
        let outcome = read(&forged).map(|_| ());
        match byte {
            1..3 => assert_eq!(outcome, Err(OfferError::Version), "byte {byte}"),
            3..9 => assert_eq!(outcome, Err(OfferError::WrongChannel), "byte {byte}"),
            // A cookie is judged by the jar.
            9..NOISE_AT => assert_eq!(outcome, Ok(())),
            _ => assert_eq!(outcome, Err(OfferError::Forged), "byte {byte}"),
        }
    }
}

#[test]
fn no_flipped_bit_of_a_reply_makes_a_channel_or_spoils_the_true_one() {
    let mut initiator = initiate(opening(HARDWARE));
    let (theirs, reply) = accept(read(initiator.datagram()).unwrap(), HARDWARE);
    for bit in 0..reply.len() * 8 {
        // The responder's id in clear, which is for helpers: see below.
        if (7..13).contains(&(bit / 8)) {
            continue;
        }
        let mut forged = reply.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        initiator = ignored(initiator.handle_reply(&forged));
    }
    for cut in 0..reply.len() {
        initiator = ignored(initiator.handle_reply(&reply[..cut]));
    }
    initiator = ignored(initiator.handle_reply(&[reply.clone(), vec![0]].concat()));
    let (ours, _) = established(initiator.handle_reply(&reply));
    assert_eq!(ours.handshake_hash, theirs.handshake_hash);
}

#[test]
fn the_responder_s_id_in_clear_misleads_nobody() {
    for bit in 7 * 8..13 * 8 {
        let initiator = initiate(opening(HARDWARE));
        let (_, mut reply) = accept(read(initiator.datagram()).unwrap(), HARDWARE);
        reply[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(established(initiator.handle_reply(&reply)).0.remote_id, THERE);
    }
}

#[test]
fn an_init_that_helpers_leave_less_room_for_is_read_like_any_other() {
    let helper = Eid::from_bytes([5; 32]);
    let opening = Opening { path: vec![helper], hop_key: Some([8; 16].into()), ..opening(HARDWARE) };
    let mut rng = secrets(1);
    let acquaintance = crate::Acquaintance::new(&alice(), bob().eid()).unwrap();
    let initiator = Initiator::with(Family::Channel, &alice(), &acquaintance, (opening, 700), &mut rng).unwrap();
    assert_eq!(initiator.datagram().len(), 700);
    assert!(!Hello::parse(Family::Channel, initiator.datagram()).unwrap().is_direct());
    let offer = read(initiator.datagram()).unwrap();
    assert_eq!(offer.opening().hop_key.as_deref(), Some(&[8; 16]));
    let acceptance = offer.negotiate(Terms { path: vec![helper], ..terms(HARDWARE) }).unwrap();
    let (theirs, reply) = offer.accept(acceptance, &mut secrets(2)).unwrap();
    assert_eq!(theirs.remote_id, HERE);
    assert_eq!(established(initiator.handle_reply(&reply)).0.remote_id, THERE);
}

#[test]
fn noise_of_every_length_is_ignored() {
    let mut rng = Rng::from_u64(8);
    let mut initiator = initiate(opening(HARDWARE));
    for len in (0..1300).step_by(7) {
        let mut bytes = vec![0; len];
        rng.fill(&mut bytes);
        for first in [None, Some(1), Some(2), Some(3), Some(4), Some(5)] {
            if let (Some(first), Some(byte)) = (first, bytes.first_mut()) {
                *byte = first;
            }
            if let Some(id) = bytes.get_mut(1..7) {
                id.copy_from_slice(&HERE.to_bytes());
            }
            if let Ok(hello) = Hello::parse(Family::Channel, &bytes) {
                assert!(!hello.is_for(&bob()));
            }
            assert_eq!(initiator.handle_wrong_key(&bytes), None);
            initiator = ignored(initiator.handle_reply(&bytes));
        }
    }
}

#[test]
fn a_replayed_init_gives_an_offer_of_its_own_each_time() {
    let initiator = initiate(opening(HARDWARE));
    let first = read(initiator.datagram()).unwrap();
    let replayed = read(initiator.datagram()).unwrap();
    assert_eq!(first.opening(), replayed.opening());
    let (first, reply) = accept(first, HARDWARE);
    let (replayed, other_reply) = accept_with(replayed, HARDWARE, &mut secrets(3));
    assert_ne!(first.handshake_hash, replayed.handshake_hash);
    // The initiator can finish either, and only one; the other half-open channel hears nothing that opens.
    let (ours, _) = established(initiator.handle_reply(&reply));
    assert_eq!(ours.handshake_hash, first.handshake_hash);
    assert!(!passes(&mut *ours.armor(), &mut *replayed.armor(), 1));
    assert_ne!(reply, other_reply);
}

#[test]
fn an_answer_to_another_init_is_no_answer() {
    let one = initiate(opening(HARDWARE));
    let other = Initiator::new(Family::Channel, &alice(), bob().eid(), opening(HARDWARE), &mut secrets(5)).unwrap();
    let (_, reply) = accept(read(other.datagram()).unwrap(), HARDWARE);
    ignored(one.handle_reply(&reply));
    established(other.handle_reply(&reply));
}

#[test]
fn nobody_else_can_answer_for_the_responder() {
    // Mallory copies the whole exchange but has only a key of their own.
    let mallory = Identity::from_seed([6; 32]);
    let mut initiator = initiate(opening(HARDWARE));
    let to_mallory =
        Initiator::new(Family::Channel, &alice(), mallory.eid(), opening(HARDWARE), &mut secrets(1)).unwrap();
    let hello = Hello::parse(Family::Channel, to_mallory.datagram()).unwrap();
    let offer = Offer::read(&mallory, &hello, None).unwrap();
    let (_, reply) = accept(offer, HARDWARE);
    initiator = ignored(initiator.handle_reply(&reply));
    assert_eq!(initiator.peer(), bob().eid());
}

/// An INIT as `identity` would make it, with the opening's bytes in the attacker's hands.
fn crafted(identity: &Identity, version: u16, bound: u16, opening: &Opening) -> [u8; INIT_LEN] {
    let remote = tng_crypto::montgomery(bob().eid().as_bytes()).unwrap();
    let mut noise = noise::Initiator::new(
        identity.agreement(),
        &remote,
        None,
        &prologue(Family::Channel, bound, &bob().eid()),
        Secret32::from_bytes([8; 32]),
    );
    let mut payload = [0; OPENING_LEN];
    opening.emit(&mut Writer::new(&mut payload)).unwrap();
    let mut datagram = [0; INIT_LEN];
    crate::wire::write_init_header(&mut datagram, Family::Channel, version, HERE);
    noise.write(&payload, &mut datagram[NOISE_AT..MAC1_AT]).unwrap();
    write_mac1(&mac1_key(&bob().eid()), &mut datagram);
    datagram
}

#[test]
fn nobody_can_claim_another_s_eid() {
    let honest = Opening { eid: alice().eid(), versions: vec![1], ..opening(HARDWARE) };
    assert!(read(&crafted(&alice(), 1, 1, &honest)).is_ok(), "control");
    let mallory = Identity::from_seed([6; 32]);
    let claim = crafted(&mallory, 1, 1, &honest);
    assert_eq!(read(&claim).map(|_| ()), Err(OfferError::WrongEid));
    // Control: the message itself is in order; only the judgement stands between Mallory and Alice's name.
    let offer = Offer::open(&bob(), &Hello::parse(Family::Channel, &claim).unwrap(), None).unwrap();
    assert_eq!(offer.peer(), alice().eid());
    for nonsense in [[0; 32], [0xff; 32]] {
        let opening = Opening { eid: Eid::from_bytes(nonsense), ..honest.clone() };
        assert_eq!(read(&crafted(&mallory, 1, 1, &opening)).map(|_| ()), Err(OfferError::WrongEid));
    }
}

#[test]
fn who_is_expected_must_prove_itself_like_anybody() {
    let expected = read(initiate(opening(HARDWARE)).datagram()).unwrap().acquaintance();
    let read =
        |init: &[u8; INIT_LEN], expected| Offer::read(&bob(), &Hello::parse(Family::Channel, init).unwrap(), expected);
    let honest = Opening { eid: alice().eid(), versions: vec![1], ..opening(HARDWARE) };
    let again = read(&crafted(&alice(), 1, 1, &honest), Some(&expected)).unwrap();
    assert_eq!(again.peer(), alice().eid());
    // Somebody else, in her name and in their own.
    let mallory = Identity::from_seed([6; 32]);
    assert_eq!(read(&crafted(&mallory, 1, 1, &honest), Some(&expected)).err(), Some(OfferError::WrongEid));
    let own = Opening { eid: mallory.eid(), ..honest.clone() };
    let other = read(&crafted(&mallory, 1, 1, &own), Some(&expected)).unwrap();
    assert_eq!((other.peer(), other.acquaintance().eid()), (mallory.eid(), mallory.eid()));
    // She herself, in the name of another.
    let lie = Opening { eid: mallory.eid(), ..honest };
    assert_eq!(read(&crafted(&alice(), 1, 1, &lie), Some(&expected)).err(), Some(OfferError::WrongEid));
}

#[test]
fn a_version_cannot_be_talked_down() {
    let versions = |versions: &[u16]| Opening { eid: alice().eid(), versions: versions.to_vec(), ..opening(HARDWARE) };
    // Made for another version, its number in clear changed: the prologue differs.
    assert_eq!(read(&crafted(&alice(), 1, 2, &versions(&[2, 1]))).map(|_| ()), Err(OfferError::Forged));
    // An initiator made to use version 1 although the opening says that it would not.
    let lowered = crafted(&alice(), 1, 1, &versions(&[2, 3]));
    assert_eq!(read(&lowered).map(|_| ()), Err(OfferError::Downgraded));
    let control = Offer::open(&bob(), &Hello::parse(Family::Channel, &lowered).unwrap(), None);
    assert!(control.is_ok(), "the message itself is in order");
    // A host that speaks both is not fooled by an INIT whose initiator was told that it speaks only the lower.
    let lowered = crafted(&alice(), 1, 1, &versions(&[2, 1]));
    let offer = Offer::open(&bob(), &Hello::parse(Family::Channel, &lowered).unwrap(), None).unwrap();
    assert_eq!(offer.judge(None, &[1, 2]), Err(OfferError::Downgraded));
    assert_eq!(offer.judge(None, &[1]), Ok(()));
    // What this host does not speak does not count as a better choice.
    assert!(read(&crafted(&alice(), 1, 1, &versions(&[9, 1]))).is_ok());
}

#[test]
fn a_responder_cannot_choose_what_was_not_offered() {
    let initiator = || initiate(opening(HARDWARE));
    let answer = |change: fn(&mut Acceptance)| {
        let offer = read(initiator().datagram()).unwrap();
        let mut acceptance = offer.negotiate(terms(HARDWARE)).unwrap();
        change(&mut acceptance);
        let (_, reply) = offer.accept(acceptance, &mut secrets(2)).unwrap();
        initiator().handle_reply(&reply)
    };
    established(answer(|_| ()));
    let changes: [fn(&mut Acceptance); 5] = [
        |a| a.version = 2,
        |a| a.cipher = Cipher::WeakChecksum,
        |a| a.extensions.push(7),
        |a| a.path.push(Eid::from_bytes([5; 32])),
        |a| a.protocol = "other".into(),
    ];
    for change in changes {
        assert!(matches!(answer(change), Replied::Broken(Broken::NotOffered)));
    }
}

#[test]
fn an_authentic_answer_of_nonsense_ends_the_attempt() {
    let initiator = initiate(opening(HARDWARE));
    let hello = Hello::parse(Family::Channel, initiator.datagram()).unwrap();
    let identity = bob();
    let (key, prologue) = (identity.agreement(), prologue(Family::Channel, VERSION, &identity.eid()));
    let heard = noise::Responder::read(key, None, &prologue, hello.noise(), &mut [0; OPENING_LEN]);
    let (responder, _) = heard.unwrap();
    let mut reply = vec![2];
    reply.extend(HERE.to_bytes());
    reply.extend(THERE.to_bytes());
    let mut message = [0; 100];
    let (len, _) = responder.write(Secret32::from_bytes([4; 32]), b"nonsense", &mut message).unwrap();
    reply.extend(&message[..len]);
    assert!(matches!(initiator.handle_reply(&reply), Replied::Broken(Broken::Malformed)));
}

#[test]
fn a_static_or_ephemeral_key_of_low_order_gets_nowhere() {
    let initiator = initiate(opening(HARDWARE));
    let mut datagram = initiator.datagram().to_vec();
    for point in [0, 1] {
        datagram[NOISE_AT..NOISE_AT + 32].fill(0);
        datagram[NOISE_AT] = point;
        write_mac1(&mac1_key(&bob().eid()), &mut datagram);
        assert_eq!(read(&datagram).map(|_| ()), Err(OfferError::Forged));
    }
    // And in a REPLY.
    let mut reply = vec![0; 13 + 48 + 40];
    reply[0] = 2;
    reply[1..7].copy_from_slice(&HERE.to_bytes());
    ignored(initiator.handle_reply(&reply));
}

#[test]
fn an_eid_is_one_key_on_both_curves() {
    let identity = alice();
    assert_eq!(tng_crypto::montgomery(identity.eid().as_bytes()), Ok(*identity.agreement().public()));
}

#[test]
fn a_refusal_is_heard_from_the_responder_alone() {
    let initiator = initiate(opening(HARDWARE));
    let refusal = Refusal { code: RefusalCode::NotAllowed, reason: "no".into() };
    let mut forged = vec![2];
    forged.extend(HERE.to_bytes());
    forged.extend(THERE.to_bytes());
    forged.extend([7; 32]);
    forged.extend(emit(&Answer::Refused(refusal.clone())));
    forged.extend([0; 16]);
    let initiator = ignored(initiator.handle_reply(&forged));
    let reply = read(initiator.datagram()).unwrap().refuse(refusal.clone(), &mut secrets(2)).unwrap();
    assert!(matches!(initiator.handle_reply(&reply), Replied::Refused(heard) if heard == refusal));
}
