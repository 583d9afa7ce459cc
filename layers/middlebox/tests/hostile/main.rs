//! Bad input to a helper: what is forged, stale, copied, repeated or contradictory is bounded, named, and takes nothing
//! from others.

mod tunnels;
mod wishes;

use core::net::SocketAddr;
use core::ops::Range;
use core::time::Duration;
use std::collections::BTreeSet;

use tng_base::{
    ChannelId, ChannelKey, Datagram, Ecn, Fate, Filled, Input, Instant, Machine, Output, Protocol, Rng, Taken,
    Violation,
};
use tng_channel::wire::{Control, Mark, Renewal};
use tng_channel::{Channel, Config, Poll};
use tng_crypto::{Secret32, SecretRng};
use tng_flow::wire::{Answered, Declined, Greeting, JOIN, JOINED, Join, Joined, Refusal, TUNNEL};
use tng_flow::{
    Capability, CapabilityKey, Carries, End, HopArmor, HopKeys, Itinerary, Stop, Wishes, join, joined, open_join,
    open_joined,
};
use tng_middlebox::{
    ANSWERS_WAITING_MAX, ClientTag, HALF_OPEN_FOR, Helper, HelperConfig, HelperEvent, LeftBecause, Network, Onward,
    TUNNEL_EXITS_PER_CLIENT_MAX, TUNNELS_MAX, Terms,
};
use tng_wire::{Reader, Repr};

use tunnels::{ask_for_tunnel, follow_up, for_tunnels};

const HOUR: Duration = Duration::from_secs(3_600);

fn at(last: u8) -> SocketAddr {
    SocketAddr::new([10, 0, 0, last].into(), 4860)
}

const CLIENT: u8 = 1;
const HELPER: u8 = 50;
const NEXT: u8 = 99;

fn helper(seed: u8) -> Helper {
    let onward = Onward::Listed(vec![Network { address: at(0).ip(), bits: 8 }]);
    let config = HelperConfig { onward, ..HelperConfig::default() };
    Helper::new(config, &Secret32::from_bytes([seed; 32]), 1_700_000_000_000, [seed ^ 0x55; 32])
}

/// Hands a datagram over; answers what goes out.
fn hand(helper: &mut Helper, now: Instant, from: SocketAddr, bytes: &[u8]) -> Vec<(SocketAddr, Vec<u8>)> {
    let mut bytes = bytes.to_vec();
    let segment_size = bytes.len().max(1);
    let datagram = Datagram { remote: from, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut bytes };
    helper.handle_input(now, Input::Datagram(datagram));
    drain(helper, now)
}

fn drain(helper: &mut Helper, now: Instant) -> Vec<(SocketAddr, Vec<u8>)> {
    let mut out = Vec::new();
    drain_into(&mut out, helper, now);
    out
}

/// Collects what goes out; answers when the helper wants to be asked again.
fn drain_into(out: &mut Vec<(SocketAddr, Vec<u8>)>, helper: &mut Helper, now: Instant) -> Option<Instant> {
    let mut buf = vec![0; 65_507];
    loop {
        match helper.poll_output(now, &mut buf) {
            Output::Transmit(sent) => {
                out.extend(buf[..sent.len].chunks(sent.segment_size).map(|bytes| (sent.remote, bytes.to_vec())));
            }
            Output::Event(_) => {}
            Output::NeedsEntropy => helper.handle_input(now, Input::Entropy(&mut [9; 32])),
            Output::Timeout(at) => return at,
        }
    }
}

/// What a client needs to ask for a section.
struct Client {
    rng: Rng,
    itinerary: Itinerary,
    keys: HopKeys,
    greeting: Greeting,
}

impl Client {
    fn new(seed: u64, capability: &Capability, next: SocketAddr) -> Client {
        let mut rng = Rng::from_u64(seed);
        let itinerary = itinerary(capability, next, Wishes::default());
        let id = ChannelId::from_u64(rng.u64());
        let greeting = Greeting { id, reset_token: rng.bytes(), payload_max: u16::MAX, repair_ms: 0 };
        let keys = itinerary.draw_keys(&mut SecretRng::new(rng.bytes::<32>()));
        Client { rng, itinerary, keys, greeting }
    }

    /// The same flow, with other wishes from now on.
    fn wish(&mut self, capability: &Capability, next: SocketAddr, wishes: Wishes) {
        self.itinerary = itinerary(capability, next, wishes);
    }

    fn join(&mut self) -> Vec<u8> {
        let orders = self.itinerary.orders(&self.keys, &[1; 900]);
        join(self.keys.near(), &self.greeting, &orders)
    }

    fn tunnel_join(&self) -> Vec<u8> {
        join(self.keys.near(), &self.greeting, &self.itinerary.orders(&self.keys, &[TUNNEL]))
    }
}

fn itinerary(capability: &Capability, next: SocketAddr, wishes: Wishes) -> Itinerary {
    let stop = Stop { wishes, ..Stop::new(at(HELPER), capability.clone()) };
    Itinerary::new(vec![stop], next).expect("a path")
}

fn capability(helper: &Helper, client: u64, flows_max: u16) -> Capability {
    helper.office().issue(Instant::ZERO, ClientTag(client), (HOUR, flows_max), Rng::from_u64(client).bytes::<32>())
}

fn refusal(out: &[(SocketAddr, Vec<u8>)]) -> Option<Refusal> {
    let [(_, bytes)] = out else { return None };
    Declined::parse(&mut Reader::new(bytes)).ok().map(|declined| declined.refusal)
}

#[test]
fn a_join_of_which_one_bit_is_not_as_written_begins_nothing_and_draws_less_than_it_is() {
    let mut whole = helper(1);
    let mut client = Client::new(1, &capability(&whole, 1, 4), at(NEXT));
    let good = client.join();
    // Behind the order stands nothing; every byte of it counts.
    for bit in 0..good.len() * 8 {
        // One a second, so that the answers' budget hides nothing.
        let now = Instant::from_secs(bit as u64 / 8);
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        let out = hand(&mut whole, now, at(CLIENT), &bad);
        let drawn: usize = out.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(whole.is_empty() && drawn < 64, "bit {bit}: {drawn} bytes drawn, {:?}", whole.stats());
        assert!(out.iter().all(|(to, _)| *to == at(CLIENT)), "bit {bit}");
    }
    for len in 0..good.len() {
        hand(&mut whole, Instant::ZERO, at(CLIENT), &good[..len]);
        assert!(whole.is_empty(), "cut to {len}");
    }
    let out = hand(&mut whole, Instant::ZERO, at(CLIENT), &good);
    assert!(matches!(&out[..], [(to, bytes)] if *to == at(NEXT) && bytes[0] == JOIN), "and as written it does");
}

/// What the next neighbour reads in the JOIN that it gets.
fn asked(client: &Client, out: &[(SocketAddr, Vec<u8>)]) -> Greeting {
    let message = Join::parse(&mut Reader::new(&out[0].1)).expect("a JOIN");
    open_join(client.keys.far(), &message).expect("written for it")
}

fn answer(client: &mut Client, to: &Greeting, payload_max: u16) -> Vec<u8> {
    let id = ChannelId::from_u64(client.rng.u64());
    let greeting = Greeting { id, reset_token: client.rng.bytes(), payload_max, repair_ms: 0 };
    joined(client.keys.far(), to.id, &greeting, &[2; 300])
}

#[test]
fn a_joined_of_which_one_bit_is_not_as_written_changes_nothing() {
    let mut helper = helper(2);
    let mut client = Client::new(2, &capability(&helper, 1, 4), at(NEXT));
    let out = hand(&mut helper, Instant::ZERO, at(CLIENT), &client.join());
    let good = {
        let to = asked(&client, &out);
        answer(&mut client, &to, u16::MAX)
    };
    for bit in 0..good.len() * 8 {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        let out = hand(&mut helper, Instant::ZERO, at(NEXT), &bad);
        let to_client = out.iter().any(|(to, bytes)| *to == at(CLIENT) && bytes[0] == JOINED);
        assert!(!to_client && helper.stats().relays == 1, "bit {bit}");
    }
    assert!(hand(&mut helper, Instant::ZERO, at(7), &good).is_empty(), "from elsewhere");
    let out = hand(&mut helper, Instant::ZERO, at(NEXT), &good);
    let [(to, bytes), ..] = &out[..] else { panic!("a JOINED: {out:?}") };
    let message = Joined::parse(&mut Reader::new(bytes)).expect("a JOINED");
    let greeting = open_joined(client.keys.near(), &message).expect("written for the client");
    assert_eq!((*to, greeting.payload_max), (at(CLIENT), 1_181), "however much the neighbour says that it takes");
    assert!(hand(&mut helper, Instant::ZERO, at(NEXT), &good).is_empty(), "again");
    for (to, packet) in out.iter().filter(|(_, bytes)| bytes[0] & 0xe0 == 0x80) {
        let back = hand(&mut helper, Instant::ZERO, *to, packet);
        assert!(back.is_empty() || back[0].1.len() < packet.len(), "its own packets sent back to it: {back:?}");
    }
}

#[test]
fn who_says_that_it_passes_on_nothing_is_not_joined() {
    let mut helper = helper(3);
    let mut client = Client::new(3, &capability(&helper, 1, 4), at(NEXT));
    for payload_max in [0, 1, 1_023] {
        client.greeting.payload_max = payload_max;
        let out = hand(&mut helper, Instant::ZERO, at(CLIENT), &client.join());
        assert_eq!(refusal(&out), Some(Refusal::Malformed), "{payload_max}");
    }
    client.greeting.payload_max = 1_181;
    let out = hand(&mut helper, Instant::ZERO, at(CLIENT), &client.join());
    let to = asked(&client, &out);
    let said = answer(&mut client, &to, 100);
    assert!(hand(&mut helper, Instant::ZERO, at(NEXT), &said).is_empty());
}

#[test]
fn capabilities_that_are_stale_foreign_or_copied_are_declined_by_name() {
    let mut helper = helper(4);
    let now = Instant::ZERO;
    let good = capability(&helper, 1, 2);
    let declined = |helper: &mut Helper, now, capability: &Capability, next| {
        let mut client = Client::new(4, capability, next);
        refusal(&hand(helper, now, at(CLIENT), &client.join()))
    };
    assert_eq!(declined(&mut helper, now + HOUR, &good, at(NEXT)), Some(Refusal::Expired));
    let foreign = capability(&self::helper(5), 1, 2);
    assert_eq!(declined(&mut helper, now, &foreign, at(NEXT)), Some(Refusal::UnknownCapability));
    // Its words can be read in a JOIN, its key cannot.
    let copied = Capability { key: CapabilityKey::from_bytes([9; 16]), ..good.clone() };
    assert_eq!(declined(&mut helper, now, &copied, at(NEXT)), Some(Refusal::Malformed));
    let outside = "203.0.113.9:4860".parse().expect("an address");
    assert_eq!(declined(&mut helper, now, &good, outside), Some(Refusal::Forbidden));
    assert_eq!(declined(&mut helper, now, &good, at(CLIENT)), Some(Refusal::Loop), "back to where it came from");
    assert!(helper.is_empty());
    for seed in [10, 11] {
        let mut channel = open(&mut helper, now, seed, &good, at(NEXT));
        hand(&mut helper, now, at(CLIENT), &said(&mut channel, now, b""));
    }
    assert_eq!(declined(&mut helper, now, &good, at(NEXT)), Some(Refusal::TooMany));
    let other = capability(&helper, 2, 2);
    assert_eq!(declined(&mut helper, now, &other, at(NEXT)), None, "another client's are its own");
}

#[test]
fn an_address_that_is_written_otherwise_leads_nowhere_else() {
    let own = at(60);
    let everybody = Onward::Listed(vec![
        Network { address: "::".parse().expect("an ip"), bits: 0 },
        Network { address: at(0).ip(), bits: 8 },
    ]);
    let config = HelperConfig { onward: everybody, own: vec![own.ip()], ..HelperConfig::default() };
    let mut helper = Helper::new(config, &Secret32::from_bytes([47; 32]), 1_700_000_000_000, [47; 32]);
    let good = capability(&helper, 1, 2);
    let mapped = |address: SocketAddr| match address.ip() {
        std::net::IpAddr::V4(ip) => SocketAddr::new(ip.to_ipv6_mapped().into(), address.port()),
        std::net::IpAddr::V6(_) => address,
    };
    for next in [own, at(CLIENT)] {
        for written in [next, mapped(next)] {
            let out = hand(&mut helper, Instant::ZERO, at(CLIENT), &Client::new(47, &good, written).join());
            assert_eq!(refusal(&out), Some(Refusal::Loop), "{written}");
        }
    }
    assert!(helper.is_empty());
    let out = hand(&mut helper, Instant::ZERO, at(CLIENT), &Client::new(48, &good, mapped(at(NEXT))).join());
    assert!(matches!(&out[..], [(to, bytes)] if *to == at(NEXT) && bytes[0] == JOIN), "control: {out:?}");
}

#[test]
fn a_join_that_comes_again_and_again_is_one_flow_and_draws_no_more_than_it_brings() {
    let mut helper = helper(6);
    let mut client = Client::new(6, &capability(&helper, 1, 1), at(NEXT));
    let first = client.join();
    let (mut brought, mut drawn) = (0, 0);
    for round in 0..1_000 {
        // The very same, or with fresh seals, from where it came from at first or, copied, from elsewhere.
        let message = if round % 2 == 0 { first.clone() } else { client.join() };
        let from = if round % 3 == 0 { at(CLIENT) } else { at(CLIENT + 1 + (round % 7) as u8) };
        let out = hand(&mut helper, Instant::ZERO, from, &message);
        brought += message.len();
        drawn += out.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        assert_eq!((helper.stats().relays, helper.stats().joins), (1, 1), "round {round}");
    }
    assert!(drawn <= brought, "{drawn} of {brought}");
    helper.handle_timeout(Instant::ZERO + HALF_OPEN_FOR);
    drain(&mut helper, Instant::ZERO + HALF_OPEN_FOR);
    assert!(helper.is_empty(), "nobody has answered");
}

#[test]
fn a_copy_sent_ahead_of_the_join_does_not_keep_the_client_from_its_answer() {
    let mut helper = helper(7);
    let mut client = Client::new(7, &capability(&helper, 1, 1), at(NEXT));
    let message = client.join();
    let out = hand(&mut helper, Instant::ZERO, at(66), &message);
    let to = asked(&client, &out);
    hand(&mut helper, Instant::ZERO, at(CLIENT), &message);
    let said = answer(&mut client, &to, u16::MAX);
    let out = hand(&mut helper, Instant::ZERO, at(NEXT), &said);
    assert!(out.iter().all(|(to, _)| [at(66), at(NEXT)].contains(to)), "{out:?}");
    let out = hand(&mut helper, Instant::ZERO, at(CLIENT), &client.join());
    assert!(matches!(&out[..], [(to, bytes)] if *to == at(CLIENT) && bytes[0] == JOINED), "{out:?}");
}

#[test]
fn a_copy_sent_ahead_does_not_keep_the_client_from_a_cookie() {
    let mut helper = helper(13);
    let mut client = Client::new(13, &capability(&helper, 1, 1), at(NEXT));
    let message = client.join();
    let out = hand(&mut helper, Instant::ZERO, at(66), &message);
    let to = asked(&client, &out);
    let cookie = Answered { receiver: to.id, answer: &[3; 39] }.to_vec();
    assert_eq!(bytes_to(&hand(&mut helper, Instant::ZERO, at(NEXT), &cookie), at(66)), cookie.len());
    // The client's own comes second: it goes on, and what is said to it is said to the client.
    let out = hand(&mut helper, Instant::ZERO, at(CLIENT), &message);
    assert!(matches!(&out[..], [(to, bytes)] if *to == at(NEXT) && bytes[0] == JOIN), "{out:?}");
    let out = hand(&mut helper, Instant::ZERO, at(NEXT), &cookie);
    assert_eq!((out.len(), bytes_to(&out, at(CLIENT))), (1, cookie.len()), "{out:?}");
    assert_eq!((helper.stats().relays, helper.stats().joins), (1, 1));
}

#[test]
fn who_is_asked_to_join_draws_the_helper_to_no_address_that_has_not_answered() {
    let mut helper = helper(14);
    let mut client = Client::new(14, &capability(&helper, 1, 1), at(NEXT));
    let victims = [at(66), at(67)];
    let (mut brought, mut drawn) = ([0; 2], [0; 2]);
    for round in 0..200 {
        let message = client.join();
        let out = hand(&mut helper, Instant::ZERO, victims[round % 2], &message);
        brought[round % 2] += message.len();
        let to = asked(&client, &out);
        for len in [1_400, 1_000, 39] {
            let answer = Answered { receiver: to.id, answer: &vec![3; len] }.to_vec();
            for _ in 0..5 {
                let out = hand(&mut helper, Instant::ZERO, at(NEXT), &answer);
                for (drawn, victim) in drawn.iter_mut().zip(victims) {
                    *drawn += bytes_to(&out, victim);
                }
            }
        }
        for (drawn, brought) in drawn.iter().zip(brought) {
            assert!(*drawn <= 3 * brought, "round {round}: {drawn} of {brought}");
        }
    }
    assert!(drawn.iter().all(|bytes| *bytes > 0));
}

#[test]
fn an_address_that_only_a_spoofed_join_came_from_draws_three_times_that_and_is_not_fed() {
    let mut helper = helper(15);
    let mut client = Client::new(15, &capability(&helper, 1, 1), at(NEXT));
    let (now, victim) = (Instant::ZERO, at(66));
    // The client and its next neighbour are one: the JOIN in the victim's name, and a copy from where the client is.
    let message = client.join();
    let out = hand(&mut helper, now, victim, &message);
    let to = asked(&client, &out);
    let mut out = hand(&mut helper, now, at(NEXT), &answer(&mut client, &to, u16::MAX));
    out.extend(hand(&mut helper, now, at(CLIENT), &message));
    let [(_, bytes)] = &out.iter().filter(|(to, _)| *to == at(CLIENT)).collect::<Vec<_>>()[..] else {
        panic!("{out:?}")
    };
    let greeting = open_joined(client.keys.near(), &Joined::parse(&mut Reader::new(bytes)).expect("JOINED"));
    let mut near =
        neighbour(greeting.expect("for the client").id, client.keys.near().armor(End::Near, Carries::Sealed));
    let mut far = neighbour(to.id, client.keys.far().armor(End::Far, Carries::Sealed));
    out.extend(hand(&mut helper, now, at(CLIENT), &said(&mut near, now, b"")));
    for _ in 0..10 {
        out.extend(hand(&mut helper, now, at(NEXT), &said(&mut far, now, &[7; 1_000])));
    }
    out.extend(pass_time(&mut helper, now, now + Duration::from_secs(60)));
    let drawn = bytes_to(&out, victim);
    assert!(drawn <= 3 * message.len(), "{drawn} bytes for a JOIN of {}", message.len());
}

#[test]
fn messages_longer_than_any_that_sets_up_are_not_looked_at() {
    let mut helper = helper(16);
    let mut client = Client::new(16, &capability(&helper, 1, 1), at(NEXT));
    let orders = client.itinerary.orders(&client.keys, &vec![1; 60_000]);
    let long = join(client.keys.near(), &client.greeting, &orders);
    assert!(hand(&mut helper, Instant::ZERO, at(CLIENT), &long).is_empty() && helper.is_empty());
    let out = hand(&mut helper, Instant::ZERO, at(CLIENT), &client.join());
    let to = asked(&client, &out);
    // As long as an IPv6 datagram may be, and longer than what may be sent over IPv4.
    let long = Answered { receiver: to.id, answer: &vec![3; 65_520 - 7] }.to_vec();
    assert!(hand(&mut helper, Instant::ZERO, at(NEXT), &long).is_empty());
    let mine = Greeting { id: ChannelId::from_u64(9), reset_token: [1; 16], payload_max: 1_181, repair_ms: 0 };
    let long = joined(client.keys.far(), to.id, &mine, &vec![2; 30_000]);
    assert!(hand(&mut helper, Instant::ZERO, at(NEXT), &long).is_empty());
    assert_eq!((helper.stats().strays, helper.stats().relays), (3, 1));
}

#[test]
fn flows_that_a_client_opens_and_closes_keep_no_other_client_out() {
    let onward = Onward::Listed(vec![Network { address: at(0).ip(), bits: 8 }]);
    let config = HelperConfig { onward, relays_max: 8, ..HelperConfig::default() };
    let mut helper = Helper::new(config, &Secret32::from_bytes([17; 32]), 1_700_000_000_000, [17; 32]);
    let mine = capability(&helper, 1, 2);
    for round in 0..50 {
        let now = Instant::ZERO + Duration::from_millis(10 * round);
        let mut channel = open(&mut helper, now, 100 + round, &mine, at(NEXT));
        channel.send_control(Control::Close { code: 1, reason: tng_base::PeerText::default() }).expect("the first");
        hand(&mut helper, now, at(CLIENT), &said(&mut channel, now, b""));
        assert_eq!(helper.stats().relays, 0, "round {round}");
        assert!(helper.stats().endings <= 2, "round {round}: {:?}", helper.stats());
    }
    let now = Instant::ZERO + Duration::from_millis(500);
    let other = capability(&helper, 2, 8);
    for flow in 0..8 {
        open(&mut helper, now, 200 + flow, &other, at(NEXT));
    }
    assert_eq!(helper.stats().relays, 8, "all that there may be");
    pass_time(&mut helper, now, now + HOUR);
    assert!(helper.is_empty());
}

#[test]
fn joins_that_somebody_has_seen_and_sends_again_keep_a_client_from_none_of_its_flows() {
    let mut helper = helper(18);
    let mine = capability(&helper, 1, 4);
    let seen: Vec<Vec<u8>> = (0..20).map(|seed| Client::new(300 + seed, &mine, at(NEXT)).join()).collect();
    let now = Instant::ZERO;
    let mut followed = open(&mut helper, now, 18, &mine, at(NEXT));
    hand(&mut helper, now, at(CLIENT), &said(&mut followed, now, b""));
    for join in &seen {
        hand(&mut helper, now, at(7), join);
        assert!(helper.stats().relays <= 4, "{:?}", helper.stats());
    }
    // The client has the place of a copy each time, and what it follows up stays.
    for flow in 0..3 {
        let mut channel = open(&mut helper, now, 400 + flow, &mine, at(NEXT));
        hand(&mut helper, now, at(CLIENT), &said(&mut channel, now, b""));
    }
    assert_eq!((helper.stats().relays, helper.stats().refused), (4, 0));
    let out = hand(&mut helper, now, at(7), &seen[0]);
    assert_eq!(refusal(&out), Some(Refusal::TooMany));
    let strays = helper.stats().strays;
    hand(&mut helper, now, at(CLIENT), &said(&mut followed, now, b""));
    assert_eq!((helper.stats().relays, helper.stats().strays), (4, strays));
}

#[test]
fn a_client_has_one_controller_home_and_one_to_each_host_whatever_the_ports() {
    let mut helper = helper(18);
    let mine = capability(&helper, 1, 16);
    for flow in 0..8 {
        let next = SocketAddr::new(at(NEXT).ip(), 5_000 + flow);
        open(&mut helper, Instant::ZERO, 300 + u64::from(flow), &mine, next);
    }
    assert_eq!(helper.stats().ways, 2);
    open(&mut helper, Instant::ZERO, 310, &mine, at(NEXT + 1));
    assert_eq!(helper.stats().ways, 3, "home is the same way");
    let other = capability(&helper, 2, 16);
    open(&mut helper, Instant::ZERO, 311, &other, at(NEXT));
    assert_eq!(helper.stats().ways, 5, "another's are its own");
}

/// The JOIN of a path through these helpers to the last address, and what wrote it.
fn through(seed: u64, stops: &[(SocketAddr, &Helper)], responder: SocketAddr) -> Vec<u8> {
    let mut rng = Rng::from_u64(seed);
    let stop = |(address, helper): &(SocketAddr, &Helper)| Stop::new(*address, capability(helper, 1, 16));
    let itinerary = Itinerary::new(stops.iter().map(stop).collect(), responder).expect("a path");
    let greeting =
        Greeting { id: ChannelId::from_u64(rng.u64()), reset_token: [1; 16], payload_max: 2_000, repair_ms: 0 };
    let keys = itinerary.draw_keys(&mut SecretRng::new(rng.bytes::<32>()));
    let orders = itinerary.orders(&keys, &[1; 400]);
    join(keys.near(), &greeting, &orders)
}

#[test]
fn a_path_that_leads_back_is_declined_and_one_that_circles_is_shorter_each_time() {
    let (mut first, mut second) = (helper(8), helper(9));
    let (a, b, also_a) = (at(HELPER), at(HELPER + 1), at(HELPER + 100));
    // Straight back, by another address of the host that asks.
    let message = through(1, &[(a, &first), (b, &second)], also_a);
    let out = hand(&mut first, Instant::ZERO, at(CLIENT), &message);
    assert!(matches!(&out[..], [(to, bytes)] if *to == b && bytes.len() < message.len()));
    let out = hand(&mut second, Instant::ZERO, also_a, &out[0].1);
    assert_eq!((refusal(&out), second.is_empty()), (Some(Refusal::Loop), true));
    let out = hand(&mut first, Instant::ZERO, b, &out[0].1);
    assert!(matches!(&out[..], [(to, _)] if *to == at(CLIENT)), "the client hears of it");
    assert_eq!((refusal(&out), first.is_empty()), (Some(Refusal::Loop), true));

    // To and fro, as far as the message goes.
    let (a, b) = ([a, also_a, at(HELPER + 101)], [b, at(HELPER + 110), at(HELPER + 111)]);
    let stops: Vec<_> = (0..3).flat_map(|round| [(a[round], &first), (b[round], &second)]).collect();
    let mut message = through(2, &stops, at(NEXT));
    let mut from = at(CLIENT);
    for round in 0..6 {
        let (one, its) = if round % 2 == 0 { (&mut first, a[round / 2]) } else { (&mut second, b[round / 2]) };
        let out = hand(one, Instant::ZERO, from, &message);
        let [(_, bytes)] = &out[..] else { panic!("round {round}: {out:?}") };
        assert!(bytes.len() < message.len(), "round {round}");
        (message, from) = (bytes.clone(), its);
    }
    assert_eq!((first.stats().relays, second.stats().relays), (3, 3));
    for one in [&mut first, &mut second] {
        one.handle_timeout(Instant::ZERO + HALF_OPEN_FOR);
        drain(one, Instant::ZERO + HALF_OPEN_FOR);
        assert!(one.is_empty());
    }
}

/// What stands above a neighbour's channel: at most one payload to carry.
struct Says<'a>(Option<&'a [u8]>);

/// Hands a helper's timeouts over until `until`; answers what goes out.
fn pass_time(helper: &mut Helper, mut now: Instant, until: Instant) -> Vec<(SocketAddr, Vec<u8>)> {
    let mut out = Vec::new();
    while let Some(at) = drain_into(&mut out, helper, now).filter(|at| *at <= until) {
        now = now.max(at);
        helper.handle_timeout(now);
    }
    out
}

/// Bytes that went to `to`.
fn bytes_to(out: &[(SocketAddr, Vec<u8>)], to: SocketAddr) -> usize {
    out.iter().filter(|(remote, _)| *remote == to).map(|(_, bytes)| bytes.len()).sum()
}

impl Protocol for Says<'_> {
    fn handle_packet(&mut self, _: Instant, _: ChannelKey, _: u64, _: Ecn, _: &mut [u8]) -> Result<Taken, Violation> {
        Ok(Taken::All)
    }

    fn replay_safe(&self, _: &[u8]) -> bool {
        true
    }

    fn poll_packet(&mut self, _: Instant, _: ChannelKey, _: u64, buf: &mut [u8]) -> Option<Filled> {
        let payload = self.0.take()?;
        buf[..payload.len()].copy_from_slice(payload);
        Some(Filled { len: payload.len() })
    }

    fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool {
        self.0.is_some()
    }

    fn handle_fates(&mut self, _: Instant, _: ChannelKey, _: Range<u64>, _: Fate) {}
}

/// A neighbour's end of a section.
fn neighbour(remote: ChannelId, armor: HopArmor) -> Channel {
    let mut config = Config::new(ChannelKey(1), remote, Rng::from_u64(remote.as_u64()));
    config.mark = Mark::Section;
    let mut channel = Channel::new(config, Box::new(armor), Instant::ZERO);
    channel.set_grant(1 << 20);
    channel
}

/// The next packet of a neighbour, which carries `payload`.
fn said(channel: &mut Channel, now: Instant, payload: &[u8]) -> Vec<u8> {
    if payload.is_empty() {
        let _asked = channel.send_control(Control::Ping);
    }
    let (mut packet, mut above) = (vec![0; 1_200], Says(Some(payload).filter(|payload| !payload.is_empty())));
    let Poll::Packet(sealed) = channel.poll_packet(now, None, &mut packet, &mut above) else {
        panic!("it has something")
    };
    packet.truncate(sealed.len);
    packet
}

/// Opens a flow to `next`, which both neighbours have joined; answers the client's section, which has the keys.
fn open(helper: &mut Helper, now: Instant, seed: u64, capability: &Capability, next: SocketAddr) -> Channel {
    let mut client = Client::new(seed, capability, next);
    let out = hand(helper, now, at(CLIENT), &client.join());
    let to = asked(&client, &out);
    let said = answer(&mut client, &to, u16::MAX);
    let out = hand(helper, now, next, &said);
    let message = Joined::parse(&mut Reader::new(&out[0].1)).expect("a JOINED");
    let greeting = open_joined(client.keys.near(), &message).expect("written for the client");
    neighbour(greeting.id, client.keys.near().armor(End::Near, Carries::Sealed))
}

/// A helper with a flow that both neighbours have joined, and the client's section, which has the keys.
fn joined_flow(seed: u8) -> (Helper, Channel) {
    let mut helper = helper(seed);
    let capability = capability(&helper, 1, 4);
    let channel = open(&mut helper, Instant::ZERO, seed.into(), &capability, at(NEXT));
    (helper, channel)
}

#[test]
fn of_packets_that_are_dropped_while_the_way_onward_is_stuck_nothing_is_kept() {
    let mut helper = helper(61);
    let mut config = helper.config().clone();
    config.limits.get_or_insert_default().held_bytes_max = Some(8_000);
    helper.set_config(Instant::ZERO, config);
    let mine = capability(&helper, 1, 4);
    // Nobody answers there after the JOINED, and the client heeds nothing.
    let mut channel = open(&mut helper, Instant::ZERO, 61, &mine, at(NEXT));
    channel.set_grant(1 << 30);
    let (mut now, mut most, mut dropped) = (Instant::ZERO, 0, 0);
    for _ in 0..4_000 {
        let until = now + Duration::from_millis(5);
        pass_time(&mut helper, now, until);
        now = until;
        hand(&mut helper, now, at(CLIENT), &said(&mut channel, now, &[1; 1_000]));
        let status = helper.flow_status(helper.flow_ids()[0]).expect("it is there");
        (most, dropped) = (most.max(status.outward.unsettled), status.outward.dropped);
    }
    assert!(dropped > 3_500, "control: {dropped} dropped");
    assert!(most < 64, "{most} of {dropped}");
}

#[test]
fn a_client_that_comes_and_goes_all_the_time_has_no_more_than_its_rate() {
    let passed_on = |rate_max| {
        let mut helper = helper(62);
        let mut config = helper.config().clone();
        config.limits.get_or_insert_default().rate_max = rate_max;
        helper.set_config(Instant::ZERO, config);
        let mine = capability(&helper, 1, 64);
        let (mut now, mut out) = (Instant::ZERO, Vec::new());
        for flow in 0..20 {
            let mut channel = open(&mut helper, now, 800 + flow, &mine, at(NEXT));
            for _ in 0..15 {
                out.extend(hand(&mut helper, now, at(CLIENT), &said(&mut channel, now, &[1; 1_000])));
            }
            // It breaks its section, and what waits may still leave.
            channel.send_control(Control::RetireId { sequence: 900 }).expect("the first");
            out.extend(hand(&mut helper, now, at(CLIENT), &said(&mut channel, now, &[1; 10])));
            let until = now + Duration::from_millis(50);
            out.extend(pass_time(&mut helper, now, until));
            now = until;
        }
        out.extend(pass_time(&mut helper, now, now + HOUR));
        assert!(helper.is_empty(), "{:?}", helper.stats());
        bytes_to(&out, at(NEXT))
    };
    let (bounded, free) = (passed_on(Some(10_000)), passed_on(None));
    // A second of it, a second in which what waits may leave, and the last packet of each flow.
    assert!(bounded < 60_000 && free > 150_000, "{bounded} and {free} bytes");
}

/// Sections that send something to this neighbour.
fn sections_to(out: &[(SocketAddr, Vec<u8>)], to: SocketAddr) -> usize {
    let ids = out.iter().filter(|(remote, bytes)| *remote == to && bytes[0] & 0xe0 == 0x80);
    ids.map(|(_, bytes)| bytes[1..7].to_vec()).collect::<BTreeSet<_>>().len()
}

#[test]
fn all_neighbours_hear_of_a_capability_that_ends_however_many_flows_it_has() {
    const FLOWS: u16 = 64;
    let mut helper = helper(63);
    let end = Instant::from_secs(5);
    let life = (end.since(Instant::ZERO), FLOWS);
    let mine = helper.office().issue(Instant::ZERO, ClientTag(1), life, Rng::from_u64(1).bytes::<32>());
    for flow in 0..u64::from(FLOWS) {
        let mut channel = open(&mut helper, Instant::ZERO, 900 + flow, &mine, at(NEXT));
        hand(&mut helper, Instant::ZERO, at(CLIENT), &said(&mut channel, Instant::ZERO, b""));
    }
    let before = end - Duration::from_nanos(1);
    pass_time(&mut helper, Instant::ZERO, before);
    assert_eq!(helper.stats().relays, usize::from(FLOWS));
    let out = pass_time(&mut helper, before, end);
    assert_eq!([CLIENT, NEXT].map(|last| sections_to(&out, at(last))), [usize::from(FLOWS); 2]);
    assert!(helper.is_empty(), "{:?}", helper.stats());
}

#[test]
fn the_other_ends_of_all_tunnels_hear_that_the_helper_is_being_shut_down() {
    let (mut helper, clients) = (helper(64), 12);
    for client in 1..=clients {
        let mine = for_tunnels(&helper, client);
        for tunnel in 0..TUNNEL_EXITS_PER_CLIENT_MAX as u64 {
            let mut section = follow_up(ask_for_tunnel(&mut helper, 1_000 + 100 * client + tunnel, &mine));
            hand(&mut helper, Instant::ZERO, at(CLIENT), &said(&mut section, Instant::ZERO, b""));
        }
    }
    let tunnels = clients as usize * TUNNEL_EXITS_PER_CLIENT_MAX;
    assert_eq!(helper.stats().tunnels, tunnels);
    helper.drain(Instant::ZERO);
    let out = drain(&mut helper, Instant::ZERO);
    assert_eq!(sections_to(&out, at(CLIENT)), tunnels);
    assert!(helper.has_told_all() && helper.is_empty(), "{:?}", helper.stats());
}

#[test]
fn a_neighbour_that_contradicts_itself_loses_its_section_and_nothing_else() {
    let frames = [
        Control::PayloadMax { sequence: 1, bytes: 0 },
        Control::PayloadMax { sequence: 1, bytes: 1_023 },
        Control::RetireId { sequence: 900 },
    ];
    for (seed, frame) in (20..).zip(frames) {
        let (mut helper, mut channel) = joined_flow(seed);
        channel.send_control(frame).expect("the first");
        let mut packet = vec![0; 1_200];
        let Poll::Packet(sealed) = channel.poll_packet(Instant::ZERO, None, &mut packet, &mut Says(None)) else {
            panic!("{frame:?} leaves")
        };
        let out = hand(&mut helper, Instant::ZERO, at(CLIENT), &packet[..sealed.len]);
        assert_eq!(helper.stats().relays, 0, "{frame:?}");
        assert!(out.iter().any(|(to, _)| *to == at(NEXT)), "{frame:?}: the other neighbour is told");
        let late = Instant::ZERO + HOUR;
        helper.handle_timeout(late);
        drain(&mut helper, late);
        assert!(helper.is_empty(), "{frame:?}: {:?}", helper.stats());
    }
}

#[test]
fn a_neighbour_that_says_much_does_not_make_the_other_one_look_silent() {
    let frames: [fn(u64) -> Control<'static>; 2] = [
        |i| Control::PayloadMax { sequence: i + 1, bytes: 1_100 + (i % 2) as u16 },
        |_| Control::Renew(Renewal::new(1, &[7; 60]).expect("short")),
    ];
    for (seed, frame) in (50..).zip(frames) {
        let (mut helper, mut channel) = joined_flow(seed);
        for i in 0..200 {
            // As if all that came before had arrived.
            let mut packet = vec![0; 1_200];
            if channel.send_control(frame(i)).is_err() {
                break;
            }
            let Poll::Packet(sealed) = channel.poll_packet(Instant::ZERO, None, &mut packet, &mut Says(None)) else {
                panic!("it leaves")
            };
            for (to, mut bytes) in hand(&mut helper, Instant::ZERO, at(CLIENT), &packet[..sealed.len]) {
                if to == at(CLIENT) {
                    let _acked = channel.handle_packet(Instant::ZERO, Ecn::NotEct, &mut bytes, None, &mut Says(None));
                }
            }
            assert_eq!(helper.stats().relays, 1, "seed {seed}, frame {i}");
        }
    }
}

#[test]
fn what_a_neighbour_says_of_sizes_counts_in_its_own_order_and_to_no_more_than_is_carried() {
    let (mut helper, mut channel) = joined_flow(30);
    let mut packets = Vec::new();
    for (sequence, bytes) in [(1, 1_100), (2, u16::MAX)] {
        channel.send_control(Control::PayloadMax { sequence, bytes }).expect("few");
        let mut packet = vec![0; 1_200];
        if let Poll::Packet(sealed) = channel.poll_packet(Instant::ZERO, None, &mut packet, &mut Says(None)) {
            packet.truncate(sealed.len);
            packets.push(packet);
        }
    }
    // The later one first: nothing changes, since so much goes on already; then the older, which is over.
    for packet in packets.iter().rev() {
        let out = hand(&mut helper, Instant::ZERO, at(CLIENT), packet);
        let told = out.iter().filter(|(to, _)| *to == at(NEXT)).count();
        assert_eq!((told, helper.stats().relays), (0, 1));
    }
}

#[test]
fn a_flood_of_anything_is_answered_within_a_budget_and_leaves_nothing() {
    let mut rng = Rng::from_u64(12);
    let mut helper = helper(12);
    let mut answers = 0;
    for _ in 0..20_000 {
        let len = 1 + rng.below(1_499) as usize;
        let mut bytes: Vec<u8> = (0..len).map(|_| rng.u64() as u8).collect();
        // Mostly what a helper looks at.
        bytes[0] = [JOIN, JOINED, 9, 10, 0x80, 0x9f, 0x8b, bytes[0]][rng.below(8) as usize];
        answers += hand(&mut helper, Instant::ZERO, at(rng.u64() as u8), &bytes).len();
    }
    assert!(helper.is_empty() && answers <= 20 * ANSWERS_WAITING_MAX, "{answers} answers in no time");
}
