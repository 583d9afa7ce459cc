//! What a server grants that has much to do, and what it remembers to have less.

use super::*;
use crate::throttle::{PLACE_PACKETS_PER_SECOND_MIN, WINDOW_LOADED_MIN};

/// Packets that a place is sent at most in a second by a server under full load.
const PLACE_MAX: usize = 2 * PLACE_PACKETS_PER_SECOND_MIN as usize;

/// Clients of one place, each with five pairs that it has not spent, at a server that has that load from the next
/// second on.
fn crowd(load: f64) -> (Host, Vec<ByHand>) {
    let mut host = Host::new(1, ServerConfig::default());
    let clients = (0..40).map(|seed| {
        let mut client = ByHand::new(&mut host, seed, put(4, "100000"));
        assert_eq!(client.spend(&mut host, b""), 10);
        client
    });
    let clients = clients.collect();
    host.now += Duration::from_secs(1);
    host.server.set_load(load);
    (host, clients)
}

#[test]
fn under_full_load_no_window_grows_and_a_place_is_sent_its_share_whichever_of_its_clients_ask() {
    for (load, each, all) in [(1.0, WINDOW_LOADED_MIN as usize, PLACE_MAX), (0.0, 4, 160)] {
        let (mut host, mut clients) = crowd(load);
        let sent: Vec<usize> = clients
            .iter_mut()
            .map(|client| {
                let (datagram, _) = client.request(client.held[0], Kind::Spend, b"");
                host.ask(home(), &datagram).len()
            })
            .collect();
        assert_eq!((sent[0], sent.iter().sum::<usize>()), (each, all), "{load}: {sent:?}");
        assert!(sent.iter().all(|sent| [each, 0].contains(sent)), "{load}: {sent:?}");
        assert_eq!(host.server.stats().terminated, sent.iter().filter(|sent| **sent == 0).count() as u64);
        // In the next second there is another share.
        host.now += Duration::from_secs(1);
        let held = clients[39].held[1];
        let (datagram, _) = clients[39].request(held, Kind::Spend, b"");
        assert_eq!(host.ask(home(), &datagram).len(), each, "{load}");
    }
}

#[test]
fn under_full_load_a_timeout_begins_with_a_small_window_and_those_of_a_place_have_its_share() {
    for (load, each, all) in [(1.0, WINDOW_LOADED_MIN as usize, PLACE_MAX), (0.0, 10, 400)] {
        let (mut host, mut clients) = crowd(load);
        let sent: Vec<usize> = clients
            .iter_mut()
            .map(|client| {
                let held = client.held[0];
                let asked = held.0.issued.after(Duration::from_secs(1));
                let kind = Kind::Timeout { count: 0, asked, moved_from: None };
                let (datagram, _) = client.request(held, kind, b"");
                host.ask(home(), &datagram).len()
            })
            .collect();
        assert_eq!((sent[0], sent.iter().sum::<usize>()), (each, all), "{load}: {sent:?}");
    }
}

#[test]
fn under_full_load_what_follows_set_ups_is_of_the_share_of_their_place_and_beyond_it_the_seed_comes_alone() {
    for (load, each, all) in [(1.0, WINDOW_LOADED_MIN as usize, PLACE_MAX), (0.0, 10, 400)] {
        let mut host = Host::new(1, ServerConfig::default());
        let (_, token) = ByHand::with(&mut host, 1, put(4, "100000"), None);
        host.now += Duration::from_secs(1);
        host.server.set_load(load);
        let before = host.server.stats().opened;
        let mut clients: Vec<_> =
            (0..40).map(|seed| ByHand::with(&mut host, 10 + seed, put(4, "100000"), Some(token)).0).collect();
        assert_eq!(host.server.stats().opened - before, 40, "who comes is let in");
        // Each REPLY bears the seed, and what follows it one packet more for each number.
        let packets = |client: &ByHand| client.held.iter().map(|(held, _)| held.numbers().count()).sum::<usize>();
        let has_seed = |client: &ByHand| client.held.len() == 1 && client.held[0].0.is_seed();
        let sent: usize = clients.iter().filter(|client| !has_seed(client)).map(packets).sum();
        assert_eq!((packets(&clients[0]), sent), (each, all), "{load}");
        // Who had none spends the seed in the next second.
        host.now += Duration::from_secs(1);
        if let Some(late) = clients.iter_mut().find(|client| has_seed(client)) {
            assert_eq!(late.spend(&mut host, b""), each);
        }
        assert_eq!(clients.iter().any(has_seed), all < 40 * each, "{load}");
    }
}

#[test]
fn what_an_application_has_computed_is_remembered_for_others_until_the_server_forgets_it() {
    let computed = |output_bytes: usize| {
        let caches = CacheConfig { output_bytes, ..CacheConfig::default() };
        let mut host = Host::new(1, ServerConfig { caches, ..ServerConfig::default() });
        host.server.application_mut().is_expensive = true;
        let mut clients = [1, 2, 3].map(|seed| ByHand::new(&mut host, seed, Vec::new()));
        let mut counts = Vec::new();
        for (at, client) in clients.iter_mut().enumerate() {
            if at == 2 {
                host.server.drop_caches();
            }
            client.spend(&mut host, &put(4, "1000"));
            assert_eq!((client.checked(), client.faults.len()), (1_000, 0));
            counts.push(host.server.application().computed);
        }
        counts
    };
    assert_eq!(computed(8_000), [1, 1, 2]);
    // Control: by default nothing is remembered.
    assert_eq!(computed(0), [1, 2, 3]);
}
