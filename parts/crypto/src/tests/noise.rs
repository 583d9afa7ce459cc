//! Noise IK: the published vectors, and the properties that the exchange builds on.

use std::sync::Arc;

use serde::Deserialize;
use snow::Builder;

use super::{array, hex};
use crate::noise::{Failed, Initiator, MESSAGE_1_OVERHEAD, MESSAGE_2_OVERHEAD, Resolver, Responder};
use crate::{Secret32, Shared, StaticKey};

#[derive(Deserialize)]
struct File {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    source: String,
    protocol_name: String,
    init_prologue: String,
    init_static: String,
    init_ephemeral: String,
    init_remote_static: String,
    resp_prologue: String,
    resp_static: String,
    resp_ephemeral: String,
    handshake_hash: Option<String>,
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    payload: String,
    ciphertext: String,
}

#[test]
fn the_published_vectors_hold_over_our_primitives() {
    let file: File = serde_json::from_str(include_str!("../../vectors/noise_ik_25519_chachapoly_sha256.json")).unwrap();
    assert_eq!(file.vectors.len(), 2);
    for v in file.vectors {
        let resolver = || Box::new(Resolver::new(Secret32::from_bytes([0; 32])));
        let mut initiator = Builder::with_resolver(v.protocol_name.parse().unwrap(), resolver())
            .prologue(&hex(&v.init_prologue))
            .unwrap()
            .local_private_key(&hex(&v.init_static))
            .unwrap()
            .fixed_ephemeral_key_for_testing_only(&hex(&v.init_ephemeral))
            .remote_public_key(&hex(&v.init_remote_static))
            .unwrap()
            .build_initiator()
            .unwrap();
        let mut responder = Builder::with_resolver(v.protocol_name.parse().unwrap(), resolver())
            .prologue(&hex(&v.resp_prologue))
            .unwrap()
            .local_private_key(&hex(&v.resp_static))
            .unwrap()
            .fixed_ephemeral_key_for_testing_only(&hex(&v.resp_ephemeral))
            .build_responder()
            .unwrap();
        let (mut sealed, mut opened) = ([0; 1024], [0; 1024]);
        for (i, message) in v.messages[..2].iter().enumerate() {
            let (from, to) = if i == 0 { (&mut initiator, &mut responder) } else { (&mut responder, &mut initiator) };
            let len = from.write_message(&hex(&message.payload), &mut sealed).unwrap();
            assert_eq!(sealed[..len], hex(&message.ciphertext), "{} message {i}", v.source);
            let len = to.read_message(&sealed[..len], &mut opened).unwrap();
            assert_eq!(opened[..len], hex(&message.payload));
        }
        if let Some(hash) = v.handshake_hash {
            assert_eq!(initiator.get_handshake_hash(), hex(&hash));
        }
        let mut initiator = initiator.into_transport_mode().unwrap();
        let mut responder = responder.into_transport_mode().unwrap();
        for (i, message) in v.messages.iter().enumerate().skip(2) {
            let (from, to) =
                if i % 2 == 0 { (&mut initiator, &mut responder) } else { (&mut responder, &mut initiator) };
            let len = from.write_message(&hex(&message.payload), &mut sealed).unwrap();
            assert_eq!(sealed[..len], hex(&message.ciphertext), "{} message {i}", v.source);
            let len = to.read_message(&sealed[..len], &mut opened).unwrap();
            assert_eq!(opened[..len], hex(&message.payload));
        }
    }
}

fn key(byte: u8) -> Arc<StaticKey> {
    Arc::new(StaticKey::from_secret(Secret32::from_bytes([byte; 32])))
}

fn initiator(prologue: &[u8], known: Option<&Arc<Shared>>) -> Initiator {
    Initiator::new(&key(1), key(2).public(), known, prologue, Secret32::from_bytes([3; 32]))
}

fn respond(
    message: &[u8],
    known: Option<&Arc<Shared>>,
    out: &mut [u8],
) -> Result<(Responder, crate::noise::Heard), Failed> {
    Responder::read(&key(2), known, b"prologue", message, out)
}

/// Of the responder.
fn ephemeral() -> Secret32 {
    Secret32::from_bytes([4; 32])
}

#[test]
fn both_ends_split_the_same_keys() {
    let mut initiator = initiator(b"prologue", None);
    let (mut message, mut out) = ([0; 256], [0; 256]);
    let len = initiator.write(b"opening", &mut message).unwrap();
    assert_eq!(len, MESSAGE_1_OVERHEAD + 7);
    let (responder, heard) = respond(&message[..len], None, &mut out).unwrap();
    assert_eq!((heard.len, heard.shared.peer()), (7, key(1).public()));
    assert_eq!(&out[..7], b"opening");
    let (len, theirs) = responder.write(ephemeral(), b"answer", &mut message).unwrap();
    assert_eq!(len, MESSAGE_2_OVERHEAD + 6);
    assert_eq!(initiator.read(&message[..len], &mut out), Ok(6));
    let ours = initiator.split();
    assert_eq!(ours.hash, theirs.hash);
    assert_eq!(ours.to_responder.expose(), theirs.to_responder.expose());
    assert_eq!(ours.to_initiator.expose(), theirs.to_initiator.expose());
    assert_ne!(ours.to_initiator.expose(), ours.to_responder.expose());
}

#[test]
fn a_forged_answer_leaves_room_for_the_true_one() {
    let mut initiator = initiator(b"prologue", None);
    let (mut message, mut out) = ([0; 256], [0; 256]);
    let len = initiator.write(b"opening", &mut message).unwrap();
    let (responder, _) = respond(&message[..len], None, &mut out).unwrap();
    let (len, theirs) = responder.write(ephemeral(), b"answer", &mut message).unwrap();
    for at in 0..len {
        let mut forged = message;
        forged[at] ^= 1;
        assert_eq!(initiator.read(&forged[..len], &mut out), Err(Failed), "byte {at}");
        assert_eq!(initiator.read(&message[..at], &mut out), Err(Failed), "cut at {at}");
    }
    assert_eq!(initiator.read(&[0; 64], &mut out), Err(Failed), "a zero ephemeral key");
    assert_eq!(initiator.read(&message[..len], &mut out), Ok(6));
    assert_eq!(initiator.split().to_responder.expose(), theirs.to_responder.expose());
}

#[test]
fn another_prologue_is_another_conversation() {
    let mut initiator = initiator(b"another", None);
    let (mut message, mut out) = ([0; 256], [0; 256]);
    let len = initiator.write(b"opening", &mut message).unwrap();
    assert_eq!(respond(&message[..len], None, &mut out).err(), Some(Failed));
}

#[test]
fn a_static_key_of_low_order_is_refused_by_the_initiator() {
    let zero = array("0000000000000000000000000000000000000000000000000000000000000000");
    let mut initiator = Initiator::new(&key(1), &zero, None, b"", Secret32::from_bytes([3; 32]));
    assert_eq!(initiator.write(b"", &mut [0; 256]), Err(Failed));
}

/// Both messages and the hash, of a handshake in which the ends believe to know what they agree on.
fn transcript(to: Option<&Arc<Shared>>, from: Option<&Arc<Shared>>) -> (Vec<u8>, Vec<u8>, [u8; 32]) {
    let mut initiator = initiator(b"prologue", to);
    let (mut message, mut out) = ([0; 256], [0; 256]);
    let len = initiator.write(b"opening", &mut message).unwrap();
    let first = message[..len].to_vec();
    let (responder, heard) = respond(&first, from, &mut out).unwrap();
    assert_eq!(heard.shared.peer(), key(1).public());
    let (len, theirs) = responder.write(ephemeral(), b"answer", &mut message).unwrap();
    initiator.read(&message[..len], &mut out).unwrap();
    assert_eq!(initiator.split().to_responder.expose(), theirs.to_responder.expose());
    (first, message[..len].to_vec(), theirs.hash)
}

#[test]
fn what_was_worked_out_before_changes_no_byte_of_a_handshake_whether_it_fits_or_not() {
    let plain = transcript(None, None);
    let to = key(1).agree(key(2).public()).unwrap();
    let from = key(2).agree(key(1).public()).unwrap();
    assert_eq!(transcript(Some(&to), Some(&from)), plain);
    let of_others = [key(1).agree(key(5).public()), key(2).agree(key(5).public()), key(5).agree(key(1).public())];
    for other in of_others.map(Result::unwrap) {
        assert_eq!(transcript(Some(&other), Some(&other)), plain);
    }
}

#[test]
fn what_a_responder_learns_is_what_the_two_static_keys_agree_on() {
    let (mut message, mut out) = ([0; 256], [0; 256]);
    let len = initiator(b"prologue", None).write(b"", &mut message).unwrap();
    let (_, heard) = respond(&message[..len], None, &mut out).unwrap();
    let known = heard.shared;
    let (_, again) = respond(&message[..len], Some(&known), &mut out).unwrap();
    assert!(Arc::ptr_eq(&known, &again.shared), "computed again");
}

#[test]
fn a_message_in_the_name_of_a_known_peer_is_as_forged_as_any() {
    let (mut message, mut out) = ([0; 256], [0; 256]);
    let len = initiator(b"prologue", None).write(b"opening", &mut message).unwrap();
    let known = key(2).agree(key(1).public()).unwrap();
    for at in 0..len {
        let mut forged = message;
        forged[at] ^= 1;
        assert_eq!(respond(&forged[..len], Some(&known), &mut out).err(), Some(Failed), "byte {at}");
        assert_eq!(respond(&message[..at], Some(&known), &mut out).err(), Some(Failed), "cut at {at}");
    }
}
