//! Attacks on those who dial, in virtual time: an honest client, and somebody who does it harm.

mod hand;

use core::net::SocketAddr;
use core::time::Duration;

use hand::{Datagrams, at, give};
use tng_attack::{Beside, Bomb, HOSTILE_TEXT, Server};
use tng_base::{Eid, Instant, Machine};
use tng_services::files::{Listing, ListingError};
use tng_stack::structured::{ServiceOptions, StreamEvent};
use tng_stack::{Access, EventKind, Host, HostConfig, HostEvent, Identity, Target};

const SERVICE: (&str, &str) = ("blocks", "test/1");

fn dialer_at() -> SocketAddr {
    at("192.0.2.1:7")
}

fn server_at() -> SocketAddr {
    at("192.0.2.2:4860")
}

/// From where somebody beside the path speaks.
fn beside_at() -> SocketAddr {
    at("203.0.113.9:9")
}

/// What a machine says now, to whom, and what it tells.
fn said<M: Machine>(machine: &mut M, now: Instant) -> (Datagrams, Vec<M::Event>) {
    let mut events = Vec::new();
    (hand::said(machine, now, &mut vec![0; 65_536], |_, event| events.push(event)), events)
}

fn client(seed: u8, eid: Eid) -> Host {
    let mut config = HostConfig::new(Access::Nobody);
    config.keep_alive = Some(Duration::from_secs(1));
    let mut client = Host::new(config, Identity::from_seed([seed; 32]), [seed; 32]);
    let target = Target { eid, addresses: vec![server_at()], capability: None, via: Vec::new() };
    client.connect(Instant::from_secs(1), target).expect("an address");
    client
}

/// An honest server at a place, one that asks everybody for a cookie, if it is told to.
fn honest_server(place: &str, asks: bool) -> Host {
    let mut config = HostConfig::new(Access::Public);
    config.place = place.into();
    if asks {
        config.cookie_above = 0;
    }
    let seed = place.len() as u8;
    let mut host = Host::new(config, Identity::from_seed([9; 32]), [seed; 32]);
    host.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
    host
}

fn connected(events: &[HostEvent]) -> bool {
    events.iter().any(|event| matches!(event.kind, EventKind::Connected))
}

/// Whether an honest client connects to an honest server that asks for cookies, while somebody says `forged` to each of
/// its first messages before anybody else does: from elsewhere, and as if it were the server.
fn connects(mut forged: impl FnMut(&[u8]) -> Vec<Vec<u8>>) -> bool {
    let mut server = honest_server("here", true);
    let mut client = client(3, Identity::from_seed([9; 32]).eid());
    let mut now = Instant::from_secs(1);
    for _ in 0..600 {
        let (to_server, events) = said(&mut client, now);
        if connected(&events) {
            return true;
        }
        for (_, datagram) in &to_server {
            for lie in forged(datagram) {
                give(&mut client, now, beside_at(), &lie);
                give(&mut client, now, server_at(), &lie);
            }
            give(&mut server, now, dialer_at(), datagram);
        }
        for (_, datagram) in said(&mut server, now).0 {
            give(&mut client, now, server_at(), &datagram);
        }
        now += Duration::from_millis(20);
    }
    false
}

#[test]
fn cookies_that_nobody_gave_end_no_dial() {
    let mut beside = Beside::new(1);
    let reached = connects(|overheard| beside.forge_cookies(overheard));
    assert!(beside.tally().sent >= 8, "control: something was forged: {:?}", beside.tally());
    assert!(reached, "the dial was ended by {:?}", beside.tally());
    // Control: by somebody who has seen the message they are as good as the server's, and end it.
    let eid = Identity::from_seed([9; 32]).eid();
    assert!(!connects(|overheard| beside.forge_cookies_on_the_path(overheard, &eid)));
}

/// Whether a channel of an honest client to an honest server lives, while somebody who hears it asks another host of
/// the same key, at another place or what is taken for the same, for its reset, and hands on the answer.
fn survives(place: &str) -> bool {
    let (mut server, mut other) = (honest_server("here", false), honest_server(place, false));
    let mut client = client(3, Identity::from_seed([9; 32]).eid());
    let (mut beside, mut now, mut reset, mut began) = (Beside::new(1), Instant::from_secs(1), Vec::new(), 0);
    for step in 0..200 {
        let (to_server, _) = said(&mut client, now);
        for (_, datagram) in &to_server {
            began += usize::from(datagram[0] == 0x01);
            if step > 50
                && reset.is_empty()
                && let Some(question) = beside.ask_for_reset(datagram)
            {
                give(&mut other, now, beside_at(), &question);
                reset = said(&mut other, now).0;
                // From where it seems to come is the liar's choice.
                reset.iter().for_each(|(_, answer)| give(&mut client, now, server_at(), answer));
            }
            give(&mut server, now, dialer_at(), datagram);
        }
        for (_, datagram) in said(&mut server, now).0 {
            give(&mut client, now, server_at(), &datagram);
        }
        now += Duration::from_millis(100);
    }
    assert!(beside.tally().sent > 0, "control: somebody asked");
    began == 1
}

#[test]
fn the_reset_of_another_listener_of_the_same_key_ends_no_channel() {
    assert!(survives("elsewhere"), "a channel was ended from outside");
    assert!(!survives("here"), "control: what is at one place resets the channels of that place");
}

/// What an honest client tells of a server that ends the conversation in the `n`th way.
fn told(n: usize) -> String {
    let mut server = Server::new([5; 32]);
    let mut words = String::new();
    for attempt in 0..=n {
        let mut client = client(3 + attempt as u8, server.eid());
        let mut now = Instant::from_secs(1);
        words.clear();
        for _ in 0..100 {
            let (to_server, events) = said(&mut client, now);
            for event in events {
                if connected(std::slice::from_ref(&event)) {
                    let streams = client.streams(event.connection).expect("there");
                    // Unless it has been closed already.
                    let _ = streams.open(SERVICE.0, SERVICE.1);
                }
                words += &match &event.kind {
                    EventKind::Closed(cause) => format!("{cause}\n"),
                    EventKind::ConnectFailed(error) => format!("{error}\n"),
                    EventKind::Stream(StreamEvent::Refused { reason, .. }) => format!("{reason}\n"),
                    _ => String::new(),
                };
            }
            to_server.iter().for_each(|(_, datagram)| give(&mut server, now, dialer_at(), datagram));
            for (_, datagram) in said(&mut server, now).0 {
                give(&mut client, now, server_at(), &datagram);
            }
            now += Duration::from_millis(20);
        }
    }
    words
}

/// Whether a terminal would do anything with it but show it.
fn is_hostile(c: char) -> bool {
    c != '\n' && c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn what_a_server_says_reaches_no_terminal_as_it_is() {
    assert!(HOSTILE_TEXT.chars().any(is_hostile), "control: it is hostile");
    for way in 0..3 {
        let words = told(way);
        assert!(words.contains("drawkcab"), "control: way {way} is told: {words:?}");
        assert!(!words.chars().any(is_hostile), "way {way}: {words:?}");
        assert!(!words.lines().any(|line| line.starts_with("FORGED")), "way {way}: {words:?}");
    }
}

/// Most bytes of a listing that a client takes before it gives up, with what frames them.
const TAKEN_MAX: u64 = tng_services::files::LISTING_MAX as u64 + (8 << 20);

#[test]
fn a_listing_without_end_is_given_up_before_it_fills_the_memory() {
    let (mut bomb, mut listing, mut taken) = (Bomb::default(), Listing::new(), 0_u64);
    let ended = loop {
        let entry = bomb.entry();
        taken += entry.len() as u64;
        match listing.take(&entry) {
            Ok(whole) => assert!(!whole, "it never says that it ends"),
            Err(error) => break error,
        }
        assert!(taken <= TAKEN_MAX, "{taken} bytes were taken, of {} entries", bomb.entries());
    };
    assert!(matches!(ended, ListingError::TooLarge), "{ended}");
}
