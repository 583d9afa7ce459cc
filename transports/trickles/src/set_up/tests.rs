use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{ChannelId, Instant, Rng};
use tng_crypto::{HmacKey, Secret32, SecretRng, Zeroizing};
use tng_endpoint::{ExchangeLimits, Rate};
use tng_isolation::wire::{Attach, Purpose};
use tng_isolation::{Family, version_answer};
use tng_isolation::{Hello, Identity, InitiateError, Initiator, Opening, Refusal, RefusalCode, VERSION};
use tng_wire::{Repr, battery};

use super::*;
use crate::{ClientNetwork, ConnectionSecret, EPOCH, EpochSecret, Keys, Wall, aead_nonce};

mod attack;

const SOME_EPOCH: u64 = 3_000_000;
/// No exchange with who has shown nothing.
const NONE_FREE: Rate = Rate { per_s: 0, burst: 0 };

fn alice() -> Identity {
    Identity::from_seed([1; 32])
}

fn bob() -> Identity {
    Identity::from_seed([2; 32])
}

fn secrets(seed: u64) -> SecretRng {
    SecretRng::new(Rng::from_u64(seed).bytes::<32>())
}

fn at(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

fn here() -> SocketAddr {
    at("192.0.2.1:7")
}

fn keys(byte: u8) -> Keys {
    let secret = EpochSecret::new(SOME_EPOCH - 1, Secret32::from_bytes([byte; 32]));
    Keys::new(secret, wall_at(Duration::ZERO)).unwrap()
}

/// So long after the beginning of the epoch.
fn wall_at(time: Duration) -> Wall {
    Wall::from_millis(SOME_EPOCH * EPOCH.as_millis() as u64).after(time)
}

fn everybody(_: tng_base::Eid, _: Option<&[u8]>) -> Result<(), Refusal> {
    Ok(())
}

/// A server, and what it is told with each datagram.
struct Server {
    set_up: SetUp,
    now: Instant,
    wall: Wall,
    keys: Keys,
    rng: SecretRng,
}

impl Server {
    fn new(identity: Identity, config: SetUpConfig) -> Server {
        let (now, wall) = (Instant::from_secs(100), wall_at(Duration::ZERO));
        Server { set_up: SetUp::new(identity, config, secrets(9)), now, wall, keys: keys(7), rng: secrets(10) }
    }

    fn answer(&mut self, from: SocketAddr, datagram: &[u8]) -> Answer {
        self.answer_if(&everybody, from, datagram)
    }

    fn answer_if(&mut self, access: &dyn Access, from: SocketAddr, datagram: &[u8]) -> Answer {
        let premises = Premises { now: self.now, wall: self.wall, keys: &self.keys, access };
        self.set_up.answer(&premises, from, datagram, &mut self.rng)
    }

    fn opened(&mut self, from: SocketAddr, datagram: &[u8]) -> Box<Opened> {
        match self.answer(from, datagram) {
            Answer::Opened(opened) => opened,
            other => panic!("{other:?}"),
        }
    }

    fn said(&mut self, from: SocketAddr, datagram: &[u8]) -> Vec<u8> {
        match self.answer(from, datagram) {
            Answer::Said(said) => said,
            other => panic!("{other:?}"),
        }
    }

    fn dropped(&mut self, from: SocketAddr, datagram: &[u8]) -> Dropped {
        match self.answer(from, datagram) {
            Answer::Dropped(dropped) => dropped,
            other => panic!("{other:?}"),
        }
    }
}

impl Default for Server {
    fn default() -> Server {
        Server::new(bob(), SetUpConfig::default())
    }
}

fn call() -> Call {
    Call { first: b"first requests".to_vec(), ..Call::new(bob().eid()) }
}

fn dial(seed: u64) -> Dial {
    Dial::new(&alice(), &call(), &mut secrets(seed)).unwrap()
}

fn welcomed(heard: Heard) -> Welcomed {
    match heard {
        Heard::Welcomed(welcomed) => *welcomed,
        other => panic!("{other:?}"),
    }
}

fn waiting(heard: Heard) -> Dial {
    match heard {
        Heard::Waiting(dial) => dial,
        other => panic!("{other:?}"),
    }
}

fn refused(heard: Heard) -> RefusalCode {
    match heard {
        Heard::Failed(DialError::Refused(refusal)) => refusal.code,
        other => panic!("{other:?}"),
    }
}

/// The first MAC of an INIT to Bob, which everybody can make who knows his EID.
fn repair(init: &mut [u8]) {
    let key = HmacKey::new(&sha256(&[labels::MAC1.as_bytes(), bob().eid().as_bytes()]));
    let (covered, mac1) = init.split_at_mut(init.len() - 16);
    mac1.copy_from_slice(&key.tag(&[covered])[..16]);
}

fn sealed_with(secret: &ConnectionSecret) -> Vec<u8> {
    let mut text = vec![0; 40];
    secret.requests().seal(aead_nonce(1), b"", &mut text);
    text
}

#[test]
fn one_datagram_each_way_opens_a_connection_that_both_ends_call_the_same() {
    let mut server = Server::default();
    let dial = dial(1);
    assert_eq!((dial.datagram().len(), dial.datagram()[0]), (1_200, 0xa1));
    let opened = server.opened(here(), dial.datagram());
    assert_eq!((opened.peer(), opened.first()), (alice().eid(), &b"first requests"[..]));
    assert_eq!(opened.place(), ClientNetwork::of(here().ip()));
    let (id, secret) = (opened.id(), opened.secret());
    assert_eq!(sealed_with(&ConnectionSecret::new(server.keys.present().connection_secret(&id))), sealed_with(&secret));
    let reply = opened.reply(b"first packets", &mut server.rng).unwrap();
    assert_eq!(reply[0], 0xa2);
    let welcomed = welcomed(dial.handle(&reply));
    assert_eq!((welcomed.id, welcomed.epoch), (id, SOME_EPOCH as u8));
    assert_eq!(sealed_with(&welcomed.secret), sealed_with(&secret));
    assert_eq!(welcomed.rest, b"first packets");
    assert!(!format!("{welcomed:?} {:?}", call()).contains("first requests"));
}

#[test]
fn what_a_server_welcomes_with_survives_its_emission() {
    let mut rng = Rng::from_u64(1);
    for _ in 0..100 {
        let (secret, token) = (Zeroizing::new(rng.bytes()), AddressToken(rng.bytes()));
        let place = ClientNetwork::from_bytes(rng.bytes());
        let welcome = Welcome { epoch: rng.u64() as u8, salt: rng.bytes(), secret, token, place };
        battery::round_trip(&welcome);
        battery::noise::<Welcome>(&rng.bytes::<100>());
    }
    assert_eq!((Welcome::LEN, AddressToken::LEN), (98, 33), "as wire.md says");
}

#[test]
fn an_init_is_filled_and_a_reply_is_and_more_is_refused() {
    let (mut server, identity) = (Server::default(), alice());
    let mut call = Call { capability: Some(vec![1; 64]), token: Some(AddressToken([7; 33])), ..Call::new(bob().eid()) };
    let room = call.room(&identity);
    assert!(room > 800, "{room}");
    call.first = vec![5; room];
    let dial = Dial::new(&identity, &call, &mut secrets(1)).unwrap();
    let opened = server.opened(here(), dial.datagram());
    assert_eq!(opened.first(), &call.first);
    let room = opened.room();
    assert!(room > 900, "{room}");
    let reply = opened.reply(&vec![6; room], &mut server.rng).unwrap();
    assert!((1_180..=1_200).contains(&reply.len()), "{}", reply.len());
    let again = server.opened(here(), dial.datagram());
    assert!(again.reply(&vec![6; room + 20], &mut server.rng).is_err());
    assert_eq!(welcomed(dial.handle(&reply)).rest, vec![6; room]);

    call.first = vec![5; call.first.len() + 20];
    assert_eq!(Dial::new(&identity, &call, &mut secrets(1)).map(|_| ()), Err(InitiateError::TooLong));
    let nobody = Call::new(tng_base::Eid::from_bytes([0xff; 32]));
    assert_eq!(Dial::new(&identity, &nobody, &mut secrets(1)).map(|_| ()), Err(InitiateError::BadPeer));
}

#[test]
fn who_may_not_come_in_is_told_why_and_nobody_else_answers() {
    let mut server = Server::default();
    let listed = |peer, capability: Option<&[u8]>| match peer == alice().eid() && capability == Some(b"open") {
        true => Ok(()),
        false => Err(Refusal { code: RefusalCode::NotAllowed, reason: "no".into() }),
    };
    let with = |capability: &[u8]| {
        let call = Call { capability: Some(capability.to_vec()), ..call() };
        Dial::new(&alice(), &call, &mut secrets(1)).unwrap()
    };
    let (good, bad) = (with(b"open"), with(b"opem"));
    let Answer::Said(reply) = server.answer_if(&listed, here(), bad.datagram()) else { panic!() };
    assert_eq!(refused(bad.handle(&reply)), RefusalCode::NotAllowed);
    assert!(matches!(server.answer_if(&listed, here(), good.datagram()), Answer::Opened(_)));
    let long = |_, _: Option<&[u8]>| {
        Err(Refusal { code: RefusalCode::Overloaded, reason: tng_base::PeerText::new("x".repeat(300)) })
    };
    let Answer::Said(reply) = server.answer_if(&long, here(), good.datagram()) else { panic!() };
    assert_eq!(refused(good.handle(&reply)), RefusalCode::Overloaded, "what is too long of the reason is left out");
}

#[test]
fn who_wants_what_trickles_has_not_is_refused_by_a_code() {
    let mut server = Server::default();
    let opening = || Opening {
        ciphers: vec![CIPHER],
        ..Opening::new(&alice(), ChannelId::from_u64(5), CIPHERS, LIMITS, PROTOCOL)
    };
    let attach = Attach { session: tng_base::SessionId::from_bytes([1; 16]), count: 0, purpose: Purpose::Beside };
    let cases = [
        (Opening { protocol: "structured".into(), ..opening() }, Some(RefusalCode::ProtocolNotSpoken)),
        (Opening { ciphers: vec![Cipher::ChaCha20Poly1305], ..opening() }, Some(RefusalCode::NoCommonCipher)),
        (Opening { attach: Some(attach), ..opening() }, Some(RefusalCode::UnknownSession)),
        (
            Opening { path: vec![alice().eid()], hop_key: Some([8; 16].into()), ..opening() },
            Some(RefusalCode::PathsDiffer),
        ),
        (opening(), None),
    ];
    for (opening, code) in cases {
        let init = Initiator::new(Family::Trickles, &alice(), bob().eid(), opening, &mut secrets(1)).unwrap();
        match (server.answer(here(), init.datagram()), code) {
            (Answer::Said(reply), Some(code)) => {
                let tng_isolation::Replied::Refused(refusal) = init.handle_reply(&reply) else { panic!() };
                assert_eq!(refusal.code, code);
            }
            (Answer::Opened(_), None) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn another_server_says_who_it_is_unless_it_is_silent() {
    let carol = || Identity::from_seed([3; 32]);
    let mut server = Server::new(carol(), SetUpConfig::default());
    let dial = dial(1);
    let wrong_key = server.said(here(), dial.datagram());
    assert_eq!((wrong_key[0], server.set_up.exchanges_made()), (0xa5, 0));
    let dial = waiting(dial.handle(&wrong_key));
    assert_eq!(dial.explained(), Some(&DialError::WrongKey(carol().eid())));
    assert_eq!(server.dropped(here(), &dial.datagram()[..1_199]), Dropped::NoInit);
    let mut silent = Server::new(carol(), SetUpConfig { silent: true, ..SetUpConfig::default() });
    assert_eq!(silent.dropped(here(), dial.datagram()), Dropped::Stranger);
    // The right one may still answer.
    let mut right = Server::default();
    let reply = right.opened(here(), dial.datagram()).reply(b"", &mut right.rng).unwrap();
    welcomed(dial.handle(&reply));
}

#[test]
fn what_is_said_of_a_version_or_of_nobody_there_explains_and_ends_nothing() {
    let mut server = Server::default();
    let mut dial = dial(1);
    assert_eq!(self::dial(1).give_up(), DialError::Silence);
    let mut later = dial.datagram().to_vec();
    later[1..3].copy_from_slice(&(VERSION + 1).to_be_bytes());
    repair(&mut later);
    let version = server.said(here(), &later);
    assert_eq!((version[0], server.set_up.exchanges_made()), (0xa4, 0));
    dial = waiting(dial.handle(&version));
    assert_eq!(dial.explained(), None, "it is an answer to another INIT, and our version is in it");
    let hello = Hello::parse(Family::Trickles, dial.datagram()).unwrap();
    let version = version_answer(&bob(), &hello, &[7]).to_vec();
    dial = waiting(dial.handle(&version));
    assert_eq!(dial.explained(), Some(&DialError::Version(vec![7])));
    for other in [&[6, 0x01][..], &[6, 0xa1, 0], &[6], &[]] {
        dial = waiting(dial.handle(other));
        assert_eq!(dial.explained(), Some(&DialError::Version(vec![7])), "{other:?}");
    }
    dial = waiting(dial.handle(&[6, 0xa1]));
    assert_eq!(dial.explained(), Some(&DialError::Unserved));
    let reply = server.opened(here(), dial.datagram()).reply(b"", &mut server.rng).unwrap();
    welcomed(dial.handle(&reply));
}

#[test]
fn an_init_of_a_channel_is_none_here() {
    let opening = Opening::new(&alice(), ChannelId::from_u64(5), CIPHERS, LIMITS, PROTOCOL);
    let init = Initiator::new(Family::Channel, &alice(), bob().eid(), opening, &mut secrets(1)).unwrap();
    assert_eq!(Server::default().dropped(here(), init.datagram()), Dropped::NoInit);
}

#[test]
fn a_cookie_lets_a_client_in_when_many_ask() {
    let exchanges = ExchangeLimits { unproven: NONE_FREE, ..ExchangeLimits::default() };
    let mut server = Server::new(bob(), SetUpConfig { exchanges, ..SetUpConfig::default() });
    let before = dial(1);
    let cookie = server.said(here(), before.datagram());
    assert_eq!((cookie[0], server.set_up.exchanges_made()), (0xa3, 0), "a hash, and no more");
    let unasked = before.datagram().to_vec();
    let Heard::Asked(dial) = before.handle(&cookie) else { panic!() };
    assert_ne!(dial.datagram(), unasked);
    assert_eq!(server.said(at("192.0.2.1:8"), dial.datagram())[0], 0xa3, "it is good for one address");
    let opened = server.opened(here(), dial.datagram());
    assert!(opened.address_is_shown() && opened.may_send() == u64::MAX);
    let id = opened.id();
    let reply = opened.reply(b"", &mut server.rng).unwrap();
    assert_eq!(welcomed(dial.handle(&reply)).id, id, "the cookie is no part of the id");
    server.now += Duration::from_secs(11);
    assert_eq!(server.said(here(), self::dial(1).datagram())[0], 0xa3);
}

/// A token given out in place `from`, at the beginning of the epoch.
fn token(server: &mut Server, from: SocketAddr) -> AddressToken {
    let dial = dial(50);
    let opened = server.opened(from, dial.datagram());
    assert!(!opened.address_is_shown());
    assert_eq!(opened.may_send(), 3 * 1_200);
    let reply = opened.reply(b"", &mut server.rng).unwrap();
    welcomed(dial.handle(&reply)).token
}

/// Whether a set-up that shows the token may send all it likes.
fn is_believed(server: &mut Server, from: SocketAddr, token: AddressToken) -> bool {
    let call = Call { token: Some(token), ..call() };
    let dial = Dial::new(&alice(), &call, &mut secrets(60)).unwrap();
    server.opened(from, dial.datagram()).address_is_shown()
}

#[test]
fn an_address_token_shows_its_place_from_any_port_and_no_other() {
    let mut server = Server::default();
    let v4 = token(&mut server, here());
    assert!(is_believed(&mut server, here(), v4));
    assert!(is_believed(&mut server, at("192.0.2.1:9999"), v4), "a NAT gives another port");
    assert!(is_believed(&mut server, at("[::ffff:192.0.2.1]:1"), v4));
    assert!(!is_believed(&mut server, at("192.0.2.2:7"), v4));
    let v6 = token(&mut server, at("[2001:db8::1]:7"));
    assert!(is_believed(&mut server, at("[2001:db8::ffff]:7"), v6), "privacy addresses");
    assert!(!is_believed(&mut server, at("[2001:db8:0:1::1]:7"), v6));
    assert!(is_believed(&mut server, here(), v4), "and twice: nobody keeps a list");
    let (place, wall) = (ClientNetwork::of(here().ip()), server.wall);
    for bit in 0..8 * AddressToken::LEN {
        let mut forged = v4;
        forged.0[bit / 8] ^= 1 << (bit % 8);
        assert!(!forged.shows(&server.keys, wall, &place), "bit {bit}");
    }
    assert!(!v4.shows(&keys(8), wall, &place), "of servers with other keys");
    assert!(v4.shows(&keys(7), wall, &place), "control: of a replica");
    assert_ne!(token(&mut server, here()), v4, "each set-up has another");
}

#[test]
fn an_address_token_is_good_for_ten_minutes_and_never_longer_than_its_key() {
    // Issued late in an epoch: the key changes while it is good.
    let mut server = Server { wall: wall_at(Duration::from_secs(599)), ..Server::default() };
    let token = token(&mut server, here());
    let (issued, place) = (server.wall, ClientNetwork::of(here().ip()));
    for (s, is_good) in [(0, true), (2, true), (599, true), (600, false), (1_300, false)] {
        let now = issued.after(Duration::from_secs(s));
        server.keys.advance(now).unwrap();
        assert_eq!(token.shows(&server.keys, now, &place), is_good, "{s}");
    }
    assert!(!token.shows(&server.keys, issued, &place), "a clock that goes back does not bring the key back");
    // To a replica whose clock is behind it is of the future.
    for (s, is_good) in [(594, true), (593, false)] {
        assert_eq!(token.shows(&keys(7), wall_at(Duration::from_secs(s)), &place), is_good, "{s}");
    }
}
