//! More peers than there are places: who gets in, who gives way, and who is never asked to (docs/attacks.md, 2 and 16).

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::{Instant, Machine};
use tng_sim::PORT;
use tng_sim::topology::B;
use tng_stack::{
    CloseCause, ConnectError, ConnectionId, ENDED_MAX, EventKind, ExchangeLimits, Host, Identity, QUIET_AFTER,
};

use crate::apps::SERVICE;
use crate::attack::{answers, drain_telling};
use crate::world::Setting;

const AT_B: SocketAddr = SocketAddr::new(B, PORT);
const PLACES: usize = 8;

fn at(ip: &str, port: u16) -> SocketAddr {
    SocketAddr::new(ip.parse::<IpAddr>().expect("an address"), port)
}

/// A server with few places, and peers that come from wherever they like.
struct Siege {
    setting: Setting,
    server: Host,
    now: Instant,
    peers: u32,
    /// What was said to others than the one who was talked with.
    aside: Vec<(SocketAddr, Vec<u8>)>,
}

/// Somebody at an address, with one connection.
struct Peer {
    host: Host,
    at: SocketAddr,
    id: ConnectionId,
    events: Vec<EventKind>,
}

impl Peer {
    /// What it says now.
    fn said(&mut self, now: Instant) -> Vec<Vec<u8>> {
        self.host.handle_timeout(now);
        let said = drain_telling(&mut self.host, now, true, |kind| self.events.push(kind));
        said.into_iter().map(|(_, datagram)| datagram).collect()
    }

    fn hears(&mut self, now: Instant, datagram: &[u8]) {
        let mut payload = datagram.to_vec();
        let segment_size = payload.len();
        let (local, ecn) = (None, tng_base::Ecn::NotEct);
        let datagram = tng_base::Datagram { remote: AT_B, local, ecn, segment_size, payload: &mut payload };
        self.host.handle_input(now, tng_base::Input::Datagram(datagram));
    }

    fn is_in(&self) -> bool {
        let over = |kind: &EventKind| matches!(kind, EventKind::Closed(_) | EventKind::ConnectFailed(_));
        self.events.contains(&EventKind::Connected) && !self.events.iter().any(over)
    }

    /// Refused with "overloaded".
    fn is_refused(&self) -> bool {
        let refused = |kind: &EventKind| match kind {
            EventKind::ConnectFailed(ConnectError::Refused { code: 5, reason }) => reason.exact().contains("as many"),
            _ => false,
        };
        self.events.iter().any(refused)
    }

    /// Sent away.
    fn is_crowded_out(&self) -> bool {
        let crowded = |kind: &EventKind| match kind {
            EventKind::Closed(CloseCause::Peer { code: 0, reason }) => reason.exact().contains("too many other"),
            _ => false,
        };
        self.events.iter().any(crowded)
    }
}

impl Siege {
    fn new(change: impl FnOnce(&mut Setting)) -> Siege {
        let mut setting = Setting::new(70);
        setting.server.connections_max = PLACES;
        // Of all that is limited, only places are meant to be scarce.
        setting.server.exchanges = ExchangeLimits::NONE;
        change(&mut setting);
        let server = setting.server_node(0).machine;
        Siege { setting, server, now: Instant::from_secs(1), peers: 0, aside: Vec::new() }
    }

    /// Somebody who nobody has seen before sends an INIT from there, with a stream or without.
    fn knock(&mut self, at: SocketAddr, busy: bool) -> (Peer, Vec<Vec<u8>>) {
        self.peers += 1;
        let mut seed = [70; 32];
        seed[..4].copy_from_slice(&self.peers.to_be_bytes());
        let mut host = Host::new(self.setting.client.clone(), Identity::from_seed(seed), seed);
        let id = host.connect(self.now, self.setting.target()).expect("an address");
        if busy {
            let streams = host.streams(id).expect("it is there");
            let stream = streams.open(SERVICE.0, SERVICE.1).expect("the first");
            streams.write(stream, b"8").expect("room");
        }
        let mut peer = Peer { host, at, id, events: Vec::new() };
        let said = peer.said(self.now);
        (peer, said)
    }

    /// Carries what a peer says, and what it is answered, until both are silent.
    fn carry(&mut self, peer: &mut Peer, mut said: Vec<Vec<u8>>) {
        let at = peer.at;
        while !said.is_empty() {
            for datagram in said {
                let back = answers(&mut self.server, self.now, peer.at, &datagram);
                for (to, datagram) in back {
                    match to == at {
                        true => peer.hears(self.now, &datagram),
                        false => self.aside.push((to, datagram)),
                    }
                }
            }
            said = peer.said(self.now);
        }
    }

    fn come(&mut self, at: SocketAddr, busy: bool) -> Peer {
        let (mut peer, said) = self.knock(at, busy);
        self.carry(&mut peer, said);
        peer
    }

    /// So many from one network.
    fn crowd(&mut self, ip: &str, count: usize, busy: bool) -> Vec<Peer> {
        let from = self.peers as u16;
        (0..count as u16).map(|i| self.come(at(ip, 1_000 + from + i), busy)).collect()
    }

    /// Lets time pass; of the peers only these are there to hear what the server has to say.
    fn pass(&mut self, time: Duration, there: &mut [&mut Peer]) {
        let until = self.now + time;
        while self.now < until {
            self.now += Duration::from_millis(50);
            self.server.handle_timeout(self.now);
            let said = crate::attack::drain(&mut self.server, self.now);
            for (to, datagram) in core::mem::take(&mut self.aside).into_iter().chain(said) {
                if let Some(peer) = there.iter_mut().find(|peer| peer.at == to) {
                    peer.hears(self.now, &datagram);
                }
            }
            for peer in &mut *there {
                let said = peer.said(self.now);
                self.carry(peer, said);
            }
        }
    }
}

fn all_in(peers: &[Peer]) -> bool {
    peers.iter().all(Peer::is_in)
}

#[test]
fn a_network_that_has_every_place_leaves_some_to_whoever_comes_from_another() {
    let mut siege = Siege::new(|_| {});
    let crowd = siege.crowd("203.0.113.5", PLACES, true);
    assert!(all_in(&crowd), "the places are free");
    // Control: by itself a full host takes nobody, and those of one network do not give way to each other.
    assert!(siege.come(at("203.0.113.5", 9), false).is_refused());
    let honest = siege.crowd("192.0.2.1", PLACES / 2, true);
    assert!(all_in(&honest), "{:?}", honest.iter().map(|peer| &peer.events).collect::<Vec<_>>());
    assert_eq!(siege.server.confirmed(), PLACES);
    assert!(siege.come(at("192.0.2.1", 9), true).is_refused(), "each network has its half");
    assert!(siege.come(at("192.0.2.2", 9), true).is_in());
}

#[test]
fn addresses_of_one_ipv6_network_share_its_places() {
    let mut siege = Siege::new(|_| {});
    let from = |i: usize| at(&format!("2001:db8:0:1::{i:x}"), 9);
    let crowd: Vec<Peer> = (0..PLACES).map(|i| siege.come(from(i), true)).collect();
    assert!(all_in(&crowd) && siege.come(from(99), true).is_refused());
    assert!(siege.come(at("2001:db8:0:2::1", 9), true).is_in());
}

#[test]
fn connections_left_alone_give_way_and_those_in_use_do_not() {
    let mut siege = Siege::new(|_| {});
    let mut used = siege.come(at("192.0.2.1", 9), true);
    let mut left: Vec<Peer> = (1..PLACES).map(|i| siege.come(at(&format!("203.0.113.{i}"), 9), false)).collect();
    assert!(used.is_in() && all_in(&left));
    assert!(siege.come(at("192.0.2.2", 9), true).is_refused(), "control: they have only just come");
    let mut there: Vec<&mut Peer> = left.iter_mut().chain([&mut used]).collect();
    siege.pass(2 * QUIET_AFTER, &mut there);
    let mut come: Vec<Peer> =
        (0..PLACES as u8 - 1).map(|i| siege.come(at(&format!("198.51.100.{i}"), 9), true)).collect();
    assert!(all_in(&come), "as many as had left theirs alone");
    assert!(siege.come(at("198.51.100.99", 9), true).is_refused(), "and no more");
    let mut there: Vec<&mut Peer> = left.iter_mut().chain([&mut used]).chain(&mut come).collect();
    siege.pass(2 * QUIET_AFTER, &mut there);
    assert!(used.is_in() && all_in(&come));
    assert!(left.iter().all(Peer::is_crowded_out), "and they were told so");
}

#[test]
fn peers_that_do_not_answer_any_more_give_way_within_seconds_whatever_they_have_open() {
    for there in [false, true] {
        let mut siege = Siege::new(|_| {});
        let mut crowd = siege.crowd("203.0.113.5", PLACES, true);
        assert!(all_in(&crowd) && siege.come(at("203.0.113.5", 9), true).is_refused());
        let mut listening: Vec<&mut Peer> = if there { crowd.iter_mut().collect() } else { Vec::new() };
        siege.pass(2 * QUIET_AFTER, &mut listening);
        // A peer that comes now is refused; but the silent ones are asked whether they are there.
        assert!(siege.come(at("203.0.113.5", 10), true).is_refused());
        // Nobody has answered anything yet, so the first of three probes takes a second and the third four.
        siege.pass(Duration::from_secs(8), &mut listening);
        assert_eq!(siege.come(at("203.0.113.5", 11), true).is_in(), !there, "control: a peer that answers stays");
    }
}

#[test]
fn who_has_not_been_heard_of_again_takes_no_place() {
    let mut siege = Siege::new(|setting| setting.server.cookie_above = 100);
    for i in 0..300 {
        let (peer, init) = siege.knock(at("203.0.113.5", 1_000 + i), true);
        answers(&mut siege.server, siege.now, peer.at, &init[0]);
    }
    assert_eq!((siege.server.half_open(), siege.server.confirmed()), (100, 0));
    let honest: Vec<Peer> = (0..PLACES).map(|i| siege.come(at(&format!("192.0.2.{i}"), 9), true)).collect();
    assert!(all_in(&honest));
    assert_eq!(siege.server.confirmed(), PLACES, "control: and then there are no more");
    assert!(siege.come(at("192.0.2.99", 9), true).is_refused());
}

#[test]
fn a_flood_from_the_address_of_an_honest_peer_does_not_keep_it_out_if_both_return_their_cookies() {
    let mut siege = Siege::new(|setting| setting.server.cookie_above = 0);
    let share = siege.setting.server.half_open_per_network;
    let flood = |siege: &mut Siege| {
        for i in 0..2 * share as u16 {
            let (mut peer, init) = siege.knock(at("192.0.2.1", 1_000 + i), false);
            let cookie = answers(&mut siege.server, siege.now, peer.at, &init[0]);
            peer.hears(siege.now, &cookie[0].1);
            let again = peer.said(siege.now);
            answers(&mut siege.server, siege.now, peer.at, &again[0]);
        }
    };
    flood(&mut siege);
    assert_eq!(siege.server.half_open(), share, "control: it has all that it may have");
    assert!(siege.come(at("192.0.2.1", 9), true).is_in());
    assert_eq!(siege.server.half_open(), share - 1);
    flood(&mut siege);
    assert_eq!(siege.server.half_open(), share);
    siege.pass(Duration::from_secs(11), &mut []);
    assert_eq!((siege.server.half_open(), siege.server.confirmed()), (0, 1));
}

#[test]
fn who_comes_and_goes_without_end_is_not_remembered_without_end() {
    let mut siege = Siege::new(|_| {});
    for i in 0..ENDED_MAX as u16 + 200 {
        let mut peer = siege.come(at("203.0.113.5", 1_000 + i), false);
        peer.host.close(siege.now, peer.id, 0, "");
        let said = peer.said(siege.now);
        siege.carry(&mut peer, said);
    }
    assert_eq!(siege.server.connections().count(), ENDED_MAX, "and all of them have found a place");
    siege.pass(Duration::from_secs(11), &mut []);
    assert!(siege.server.is_empty());
}
