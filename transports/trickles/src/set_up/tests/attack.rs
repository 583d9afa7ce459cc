//! What a stranger may try, or one who sees what passes.

use std::collections::HashSet;

use tng_isolation::{Acceptance, Offer, OfferError, ResetToken, Terms};

use super::*;

/// With every exchange made that is asked for.
fn without_limits() -> Server {
    Server::new(bob(), SetUpConfig { exchanges: ExchangeLimits::NONE, ..SetUpConfig::default() })
}

/// Addresses that are each the only one of their network.
fn somewhere(i: u32) -> SocketAddr {
    SocketAddr::from((core::net::Ipv4Addr::from_bits(0x0a00_0000 | i), 7))
}

#[test]
fn copies_of_an_init_are_connections_of_their_own_and_the_first_reply_counts() {
    let mut server = Server::default();
    let dial = dial(1);
    let mut copies: Vec<Box<Opened>> = (0..20).map(|_| server.opened(here(), dial.datagram())).collect();
    let ids: HashSet<ConnectionId> = copies.iter().map(|opened| opened.id()).collect();
    let secrets: HashSet<Vec<u8>> = copies.iter().map(|opened| sealed_with(&opened.secret())).collect();
    assert_eq!((ids.len(), secrets.len(), server.set_up.exchanges_made()), (20, 20, 20));
    let (first, second) = (copies.pop().unwrap(), copies.pop().unwrap());
    let id = second.id();
    let replies = [second, first].map(|opened| opened.reply(b"", &mut server.rng).unwrap());
    assert_eq!(welcomed(dial.handle(&replies[0])).id, id);
    // Who replays it from elsewhere gets what only the client can open, for a place where the client is not.
    let replayed = server.opened(at("198.51.100.1:7"), self::dial(1).datagram());
    assert_eq!(replayed.place(), ClientNetwork::of(at("198.51.100.1:7").ip()));
    assert!(!ids.contains(&replayed.id()));
}

#[test]
fn two_set_ups_cannot_claim_each_others_ids() {
    let mut server = Server::default();
    let (mut ours, mut theirs) = (dial(1), dial(2));
    let opened = [&ours, &theirs].map(|dial| server.opened(here(), dial.datagram()));
    let ids = opened.each_ref().map(|opened| opened.id());
    assert_ne!(ids[0], ids[1]);
    let replies = opened.map(|opened| opened.reply(b"", &mut server.rng).unwrap());
    // Each gets the other's REPLY, as it is, or with so much of its own before it: the name, the ids, the key, and
    // more.
    let splices = |own: &[u8], other: &[u8]| [0, 7, 13, 45, 100].map(|at| [&own[..at], &other[at..]].concat());
    for splice in splices(&replies[0], &replies[1]) {
        ours = waiting(ours.handle(&splice));
    }
    for splice in splices(&replies[1], &replies[0]) {
        theirs = waiting(theirs.handle(&splice));
    }
    // INITs with one part that is another's: the name in clear, the ephemeral key, all behind it.
    let inits = [ours.datagram().to_vec(), theirs.datagram().to_vec()];
    let parts = [(3..9, OfferError::WrongChannel), (41..73, OfferError::Forged), (73..1_184, OfferError::Forged)];
    for (part, expected) in parts {
        let mut spliced = inits[0].clone();
        spliced[part.clone()].copy_from_slice(&inits[1][part.clone()]);
        repair(&mut spliced);
        assert_eq!(server.dropped(here(), &spliced), Dropped::Bad(expected), "{part:?}");
    }
    assert_eq!(welcomed(ours.handle(&replies[0])).id, ids[0], "control");
    assert_eq!(welcomed(theirs.handle(&replies[1])).id, ids[1], "control");
}

#[test]
fn an_id_is_of_the_server_of_the_init_and_of_what_was_drawn() {
    let inits = [1, 2].map(|seed| Hello::parse(Family::Trickles, dial(seed).datagram()).unwrap().fingerprint());
    let of = |responder: &Identity, init: usize, salt| ConnectionId::of(responder.eid(), &inits[init], &[salt; 16]);
    let id = of(&bob(), 0, 1);
    assert_eq!(of(&bob(), 0, 1), id);
    // A server that repeats to its client what another has drawn brings no connection under the other's name.
    assert_ne!(of(&alice(), 0, 1), id);
    assert_ne!(of(&bob(), 0, 2), id);
    assert_ne!(of(&bob(), 1, 1), id);
}

#[test]
fn a_first_packet_from_a_forged_address_brings_at_most_three_bytes_for_one() {
    let mut server = Server::default();
    let victim = at("203.0.113.9:53");
    let token = token(&mut server, here());
    let stolen = Dial::new(&alice(), &Call { token: Some(token), ..call() }, &mut secrets(3)).unwrap();
    for dial in [dial(1), stolen] {
        let opened = server.opened(victim, dial.datagram());
        assert_eq!(opened.may_send(), 3 * dial.datagram().len() as u64, "who has a token of another place, too");
        assert!(opened.room() < 1_200);
    }
    let to_carol = Call { peer: Identity::from_seed([3; 32]).eid(), ..call() };
    let to_carol = Dial::new(&alice(), &to_carol, &mut secrets(4)).unwrap();
    let mut later = dial(1).datagram().to_vec();
    later[2] ^= 2;
    repair(&mut later);
    let nobody = |_, _: Option<&[u8]>| {
        Err(Refusal { code: RefusalCode::NotAllowed, reason: tng_base::PeerText::new("x".repeat(255)) })
    };
    let Answer::Said(refusal) = server.answer_if(&nobody, victim, dial(1).datagram()) else { panic!() };
    let said = [server.said(victim, to_carol.datagram()), server.said(victim, &later), refusal];
    assert!(said.iter().all(|said| said.len() < 1_200), "less than came");
    // Control: who has shown that it is there gets more.
    assert!(is_believed(&mut server, here(), token));
}

#[test]
fn no_cut_and_no_flipped_bit_of_an_init_opens_anything() {
    let mut server = without_limits();
    let init = dial(1).datagram().to_vec();
    for len in 0..init.len() {
        assert_eq!(server.dropped(here(), &init[..len]), Dropped::NoInit);
    }
    assert_eq!(server.dropped(here(), &[&init[..], &[0]].concat()), Dropped::NoInit);
    let mut rng = Rng::from_u64(1);
    for byte in 0..init.len() {
        let mut forged = init.clone();
        forged[byte] ^= 1 << rng.below(8);
        match server.answer(here(), &forged) {
            Answer::Opened(_) => panic!("byte {byte}"),
            Answer::Said(said) => assert!(said[0] == 0xa5 && byte > 0, "it looks like one for somebody else: {byte}"),
            Answer::Dropped(dropped) => assert!(dropped == Dropped::NoInit || dropped == Dropped::Busy),
        }
    }
    assert_eq!(server.set_up.exchanges_made(), 0, "the MAC is looked at first");
    // Who knows the EID repairs it. A cookie that nobody asked for is nothing.
    for byte in (3..9).chain(41..1_184) {
        let mut forged = init.clone();
        forged[byte] ^= 1 << rng.below(8);
        repair(&mut forged);
        let dropped = server.dropped(here(), &forged);
        assert!(matches!(dropped, Dropped::Bad(OfferError::Forged | OfferError::WrongChannel)), "{byte}: {dropped:?}");
    }
    server.opened(here(), &init);
}

#[test]
fn an_init_of_another_length_is_none_though_it_is_sealed_for_it_and_brings_not_one_byte() {
    let mut server = Server::default();
    // As short as the INIT of a JOIN may be, and longer than any.
    for len in (400..1_200).chain([1_201, 1_400, 9_000]) {
        let mut init = dial(1).datagram().to_vec();
        init.resize(len, 0);
        repair(&mut init);
        assert_eq!(server.dropped(here(), &init), Dropped::NoInit, "{len}");
    }
    assert_eq!(server.set_up.exchanges_made(), 0);
    // Control: with its own length, and the MAC made anew, it is one.
    let mut init = dial(1).datagram().to_vec();
    repair(&mut init);
    assert_eq!(server.opened(here(), &init).may_send(), 3 * 1_200);
}

#[test]
fn no_cut_and_no_flipped_bit_of_a_reply_is_a_welcome() {
    let mut server = Server::default();
    let mut dial = dial(1);
    let reply = server.opened(here(), dial.datagram()).reply(b"something", &mut server.rng).unwrap();
    for len in 0..reply.len() {
        dial = waiting(dial.handle(&reply[..len]));
    }
    for bit in 0..8 * reply.len() {
        // The server's name for a channel in clear is for those between.
        if !(7..13).contains(&(bit / 8)) {
            let mut forged = reply.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            dial = waiting(dial.handle(&forged));
        }
    }
    assert_eq!(dial.explained(), None);
    welcomed(dial.handle(&reply));
}

#[test]
fn an_authentic_reply_without_a_welcome_is_broken() {
    for set_up in [None, Some(vec![]), Some(vec![0; Welcome::LEN - 1]), Some(vec![0; Welcome::LEN + 1])] {
        let dial = dial(1);
        let hello = Hello::parse(Family::Trickles, dial.datagram()).unwrap();
        let offer = Offer::read(&bob(), &hello, None).unwrap();
        let terms = Terms {
            channel: ChannelId::from_u64(1),
            ciphers: CIPHERS,
            extensions: vec![],
            path: vec![],
            limits: LIMITS,
            reset_token: ResetToken::from_bytes([0; 16]),
        };
        let acceptance = Acceptance { set_up, ..offer.negotiate(terms).unwrap() };
        let (_, reply) = offer.accept(acceptance, &mut secrets(5)).unwrap();
        assert!(matches!(dial.handle(&reply), Heard::Failed(DialError::Broken(_))));
    }
}

/// First messages, one each 100 µs, from so many networks. Answers the exchanges that they cost, and the bytes that
/// came back for each that came.
fn flood(server: &mut Server, inits: &[Vec<u8>], count: u32, networks: u32) -> (u64, f64) {
    let (mut back, mut came) = (0, 0);
    for i in 0..count {
        let init = &inits[i as usize % inits.len()];
        came += init.len();
        back += match server.answer(somewhere(i % networks), init) {
            Answer::Opened(opened) => opened.reply(b"", &mut server.rng).unwrap().len(),
            Answer::Said(said) => said.len(),
            Answer::Dropped(_) => 0,
        };
        server.now += Duration::from_micros(100);
    }
    (server.set_up.exchanges_made(), back as f64 / came as f64)
}

#[test]
fn a_flood_costs_one_exchange_for_each_up_to_the_bucket_and_a_hash_beyond_and_clients_get_in() {
    let inits: Vec<Vec<u8>> = (0..8).map(|seed| dial(100 + seed).datagram().to_vec()).collect();
    let mut server = Server::default();
    let (exchanges, back) = flood(&mut server, &inits, 50_000, 50_000);
    assert!((128..=128 + 5 * 256 + 1).contains(&exchanges), "{exchanges}: the burst, and what five seconds bring");
    assert!(back < 0.1, "{back}");
    // A client in the midst of it shows its address, and is in: the flood has what there is without.
    server.answer(somewhere(0), &inits[0]);
    let cookie = server.said(here(), dial(1).datagram());
    let Heard::Asked(dial) = dial(1).handle(&cookie) else { panic!() };
    let reply = server.opened(here(), dial.datagram()).reply(b"", &mut server.rng).unwrap();
    welcomed(dial.handle(&reply));
    // Control: without the limits each costs one.
    assert_eq!(flood(&mut without_limits(), &inits, 2_000, 2_000).0, 2_000);
}

#[test]
fn who_returns_one_cookie_again_and_again_has_the_share_of_its_network() {
    let with_cookie = |exchanges| {
        let mut server = Server::new(bob(), SetUpConfig { exchanges, ..SetUpConfig::default() });
        let dial = dial(1);
        let cookie = server.said(somewhere(0), dial.datagram());
        let Heard::Asked(dial) = dial.handle(&cookie) else { panic!() };
        let made = flood(&mut server, &[dial.datagram().to_vec()], 2_000, 1).0;
        (server, made)
    };
    let (mut server, made) = with_cookie(ExchangeLimits { unproven: NONE_FREE, ..ExchangeLimits::default() });
    assert!((64..=64 + 52).contains(&made), "{made}: the burst of a network, and what 200 ms bring");
    // Another network is not kept waiting.
    let cookie = server.said(here(), dial(2).datagram());
    let Heard::Asked(dial) = dial(2).handle(&cookie) else { panic!() };
    server.opened(here(), dial.datagram());
    let (_, made) = with_cookie(ExchangeLimits { unproven: NONE_FREE, ..ExchangeLimits::NONE });
    assert_eq!(made, 2_000, "control: without a share it has all");
}

#[test]
fn a_flood_for_somebody_else_is_told_so_in_bounds() {
    let mut server = Server::new(Identity::from_seed([3; 32]), SetUpConfig::default());
    let init = dial(1).datagram().to_vec();
    let said = (0..10_000).filter(|_| matches!(server.answer(here(), &init), Answer::Said(_))).count();
    assert_eq!((said, server.set_up.exchanges_made()), (200, 0));
}
