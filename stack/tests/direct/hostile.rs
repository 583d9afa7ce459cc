//! Attacks that are counted in seeds, each with the defence switched off, too (docs/attacks.md).
//!
//! `TNG_SEEDS=10000 cargo test --release -p tng-stack --test direct hostile` runs the full counts.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::{Ecn, Input, Instant, Machine, PathChange, Rng};
use tng_endpoint::AMPLIFICATION_MAX;
use tng_sim::PORT;
use tng_sim::topology::{A, B};
use tng_stack::structured::{FirstData, ServiceOptions};
use tng_stack::{Caution, CloseCause, EventKind, ExchangeLimits, Host};

use crate::attack::{answers, captured_init, feed, pump};
use crate::world::{Node, Setting};

const AT_A: SocketAddr = SocketAddr::new(A, PORT);
const AT_B: SocketAddr = SocketAddr::new(B, PORT);

/// How many seeds: what is asked for by name, else a fiftieth of it or less.
fn seeds(usual: u64) -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn victim(i: u64) -> SocketAddr {
    SocketAddr::from(([203, 0, 113, i as u8], 9))
}

/// Bytes to and from addresses that are not the client's.
#[derive(Default)]
struct Ledger(BTreeMap<SocketAddr, (usize, usize)>);

impl Ledger {
    fn received(&mut self, from: SocketAddr, len: usize) {
        self.0.entry(from).or_default().0 += len;
    }

    /// Books what the server said; answers what of it is for the client.
    fn sent(&mut self, said: Vec<(SocketAddr, Vec<u8>)>) -> Vec<(SocketAddr, Vec<u8>)> {
        for (to, datagram) in said.iter().filter(|(to, _)| *to != AT_A) {
            self.0.entry(*to).or_default().1 += datagram.len();
        }
        said
    }

    /// The most bytes sent for one received.
    fn worst(&self) -> f64 {
        let ratio = |(received, sent): &(usize, usize)| *sent as f64 / (*received).max(1) as f64;
        self.0.values().map(ratio).fold(0.0, f64::max)
    }
}

/// A client whose datagrams somebody lets come from other addresses now and then. `answering`: what is said to these
/// addresses reaches the client, so that they are proven. Answers the worst amplification that was ever true.
fn amplification(seed: u64, answering: bool) -> f64 {
    let mut setting = Setting::new(seed);
    let first_data = if seed.is_multiple_of(2) { FirstData::Unproven } else { FirstData::Proven };
    setting.service = ServiceOptions { first_data, ..ServiceOptions::default() };
    setting.sizes = vec![300_000; 3];
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let (mut rng, mut ledger, mut now, mut worst) = (Rng::from_u64(seed), Ledger::default(), Instant::ZERO, 0.0_f64);
    let mut seen: Vec<Vec<u8>> = Vec::new();
    for _ in 0..60 {
        now += Duration::from_millis(rng.below(40));
        let mut to_server: Vec<Vec<u8>> = pump(&mut client, now).into_iter().map(|(_, datagram)| datagram).collect();
        // Something old, too: an INIT that began an attempt, or a packet of the channel.
        if !seen.is_empty() && rng.chance(0.2) {
            to_server.push(seen[rng.below(seen.len() as u64) as usize].clone());
        }
        let mut to_client = ledger.sent(pump(&mut server, now));
        for datagram in to_server {
            let from = if rng.chance(0.3) { victim(rng.below(3)) } else { AT_A };
            ledger.received(from, datagram.len());
            to_client.extend(ledger.sent(feed(&mut server, now, from, &datagram)));
            worst = worst.max(ledger.worst());
            if seen.len() < 64 {
                seen.push(datagram);
            }
        }
        for (to, datagram) in to_client.into_iter().filter(|(to, _)| answering || *to == AT_A) {
            // What goes to a victim comes back from there: the answers of one round are enough for the proof.
            for (_, datagram) in feed(&mut client, now, AT_B, &datagram) {
                ledger.received(to, datagram.len());
                ledger.sent(feed(&mut server, now, to, &datagram));
                worst = worst.max(ledger.worst());
            }
        }
    }
    worst
}

/// Attack 1, and its control.
#[test]
fn whatever_comes_from_wherever_an_address_that_never_answers_gets_three_times_that_at_most() {
    let limit = AMPLIFICATION_MAX as f64;
    let most = (0..seeds(60))
        .map(|seed| (amplification(seed, false), seed))
        .fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
    assert!(most.0 <= limit, "seed {}: {} times", most.1, most.0);
    assert!(most.0 > 1.0, "the allowance was used: {}", most.0);
    let control = (0..5).map(|seed| amplification(seed, true)).fold(0.0, f64::max);
    assert!(control > limit, "control: a peer that proves itself gets more, and this test sees it: {control}");
}

/// A threshold above which cookies are asked for; without one nor is there a limit to exchanges.
fn threshold(cookie_above: usize) -> (usize, ExchangeLimits) {
    (cookie_above, if cookie_above == usize::MAX { ExchangeLimits::NONE } else { ExchangeLimits::default() })
}

/// What a flood of INITs from as many addresses leaves: entries at most, and how many of the honest got in within 3 s.
fn flooded(inits: u32, cookie_above: usize) -> (usize, usize) {
    let mut setting = Setting::new(2);
    (setting.server.cookie_above, setting.server.exchanges) = threshold(cookie_above);
    setting.server.half_open_max = usize::MAX;
    let init = captured_init(&setting);
    let mut server = setting.server_node(0).machine;
    let (mut rng, mut now, mut most, mut connected) = (Rng::from_u64(2), Instant::from_secs(1), 0, 0);
    let every = inits / 100;
    for i in 0..inits {
        // 10,000 a second, from 65,536 addresses; one in five cut short, altered, or with something behind it.
        now += Duration::from_micros(100);
        let from = SocketAddr::from(([198, 18, (i >> 8) as u8, i as u8], 1_000 + (i >> 16) as u16));
        let mut datagram = init.clone();
        match rng.below(15) {
            0 => datagram.truncate(rng.below(1_200) as usize),
            1 => datagram[rng.below(1_200) as usize] ^= 1 << rng.below(8),
            2 => datagram.extend(&init[..100]),
            _ => {}
        }
        answers(&mut server, now, from, &datagram);
        most = most.max(server.half_open());
        if i % every == every - 1 {
            connected += usize::from(connects(&setting, &mut server, now, i / every));
        }
    }
    (most, connected)
}

/// Whether an honest client at an address of its own gets its REPLY, with what it sends in its first 3 s.
fn connects(setting: &Setting, server: &mut Host, now: Instant, i: u32) -> bool {
    let from = SocketAddr::from(([192, 0, 2, i as u8], 7));
    let mut honest = setting.client_in_life(setting.target(), i);
    let mut to_server = pump(&mut honest, now);
    // INIT, COOKIE, INIT, REPLY; and the same once more after a second for what was not answered.
    for round in 0..4 {
        let mut to_client = Vec::new();
        for (_, datagram) in to_server.drain(..) {
            to_client.extend(answers(server, now, from, &datagram).into_iter().filter(|(to, _)| *to == from));
        }
        for (_, datagram) in to_client {
            if datagram[0] == 0x02 {
                return true;
            }
            to_server.extend(feed(&mut honest, now, AT_B, &datagram));
        }
        if to_server.is_empty() && round < 3 {
            to_server = pump(&mut honest, now + Duration::from_millis(1_100));
        }
    }
    false
}

/// Attack 2, and its control. The full count is a million: `TNG_SEEDS=1000000`.
#[test]
fn a_flood_of_inits_fills_the_table_to_its_threshold_and_keeps_no_honest_client_out() {
    let (entries, connected) = flooded(seeds(5_000).max(5_000) as u32, 256);
    assert!(entries <= 256 + 100, "{entries} entries: the flood's, and those of the honest with a cookie");
    assert!(connected >= 99, "{connected} of 100");
    let (entries, _) = flooded(2_000, usize::MAX);
    assert!(entries > 1_000, "control: without the threshold each costs an entry, {entries}");
}

/// Attack 3: every packet of a conversation, cut at every byte and with every bit flipped, before the packet itself
/// arrives.
#[test]
fn no_cut_and_no_flipped_bit_of_any_packet_of_a_conversation_does_anything() {
    let mut setting = Setting::new(3);
    setting.sizes = vec![2_000];
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let mut now = Instant::ZERO;
    let mut copies = 0;
    let mut to_server = pump(&mut client, now);
    while !to_server.is_empty() {
        let mut to_client = Vec::new();
        for (_, datagram) in &to_server {
            copies += damaged(&mut server, now, AT_A, datagram);
            to_client.extend(feed(&mut server, now, AT_A, datagram));
        }
        to_server.clear();
        for (_, datagram) in &to_client {
            copies += damaged(&mut client, now, AT_B, datagram);
            to_server.extend(feed(&mut client, now, AT_B, datagram));
        }
        now += Duration::from_millis(1);
    }
    let crate::world::Side::Client(app) = &client.app else { unreachable!("it is a client") };
    assert!(copies > 10_000, "{copies}");
    assert!(app.is_done() && app.failed.is_empty(), "{:?} {:?}", app.failed, app.events);
    let id = client.machine.connections().next().expect("it goes on");
    assert_eq!(client.machine.paths(id).len(), 1);
}

/// Gives a node every damaged copy of a datagram.
fn damaged(node: &mut Node, now: Instant, from: SocketAddr, datagram: &[u8]) -> usize {
    let mut count = 0;
    let mut give = |copy: &[u8]| {
        let said = answers(&mut node.machine, now, from, copy);
        assert!(said.iter().all(|(_, said)| said[0] >> 6 != 1 || said.len() < 60), "nothing but small answers");
        count += 1;
    };
    for len in 0..datagram.len() {
        give(&datagram[..len]);
    }
    // Of a long one, the bits of its head, of its end, and of every ninth byte between.
    for byte in (0..datagram.len()).filter(|at| *at < 120 || *at + 40 > datagram.len() || at % 9 == 0) {
        for bit in 0..8 {
            // The ids in clear of a REPLY are for helpers, and count for nothing.
            if datagram[0] == 0x02 && (7..13).contains(&byte) {
                continue;
            }
            let mut copy = datagram.to_vec();
            copy[byte] ^= 1 << bit;
            give(&copy);
        }
    }
    count
}

/// Whom somebody races who sends copies of all that its peer sends.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Raced {
    /// The server, which sends a file.
    Sender,
    /// The client, which only receives it.
    Receiver,
}

/// An attacker on the path is faster: it sends copies of all that one end sends, for a time, from its own address,
/// ahead of the packets themselves, and passes on what is sent to that address, so that even the proofs succeed.
/// Answers how many packets of the other end it drew, and for how long after the end of the race; that is without end
/// if the other end still sends there.
fn hijacked(seed: u64, raced: Raced, passes_on: bool, caution: Caution) -> (usize, Duration) {
    let mut setting = Setting::new(seed);
    setting.sizes = vec![20_000_000];
    (setting.client.caution, setting.server.caution) = (caution, caution);
    let forth = Duration::from_millis(10);
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let attacker: SocketAddr = "203.0.113.66:66".parse().expect("an address");
    let mut rng = Rng::from_u64(seed);
    let begin = Instant::from_millis(60 + rng.below(60));
    let end = begin + Duration::from_millis(5 + rng.below(100));
    let mut flights: BTreeMap<(Instant, u64), (bool, SocketAddr, Vec<u8>)> = BTreeMap::new();
    let (mut now, mut count, mut drawn, mut astray) = (Instant::ZERO, 0_u64, 0, end);
    while now < end + Duration::from_millis(500) {
        let mut launch = |at: Instant, to_server: bool, from: SocketAddr, datagram: Vec<u8>| {
            count += 1;
            flights.insert((at, count), (to_server, from, datagram));
        };
        let faster = now + forth - Duration::from_millis(1);
        for (to_server, own) in [(true, AT_A), (false, AT_B)] {
            let (from, to) = if to_server { (&mut client, AT_B) } else { (&mut server, AT_A) };
            let copied = to_server == (raced == Raced::Sender);
            for (towards, datagram) in pump(from, now) {
                if copied && (begin..end).contains(&now) && rng.chance(0.9) {
                    launch(faster, to_server, attacker, datagram.clone());
                }
                if towards == to {
                    launch(now + forth, to_server, own, datagram);
                } else if towards == attacker {
                    (drawn, astray) = (drawn + 1, astray.max(now));
                    if passes_on {
                        launch(now + forth, to_server, attacker, datagram);
                    }
                }
            }
        }
        now += Duration::from_millis(1);
        while let Some(entry) = flights.first_entry().filter(|entry| entry.key().0 <= now) {
            let (to_server, from, datagram) = entry.remove();
            let node = if to_server { &mut server } else { &mut client };
            let segment_size = datagram.len();
            let mut payload = datagram;
            let input =
                tng_base::Datagram { remote: from, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
            node.machine.handle_input(now, Input::Datagram(input));
        }
    }
    for (node, peer) in [(&server, AT_A), (&client, AT_B)] {
        let id = node.machine.connections().next().unwrap_or_else(|| panic!("seed {seed}: the connection is gone"));
        if node.machine.remote_address(id) != Some(peer) {
            return (drawn, Duration::MAX);
        }
    }
    (drawn, astray.since(end))
}

/// Attack 12.
#[test]
fn who_races_copies_from_another_address_holds_the_path_only_for_as_long_as_it_races() {
    let races = |caution| {
        let each = [(Raced::Sender, false), (Raced::Sender, true), (Raced::Receiver, false), (Raced::Receiver, true)];
        each.map(|(raced, passes_on)| {
            let races = (0..seeds(20)).map(|seed| hijacked(seed, raced, passes_on, caution));
            races.fold((0, Duration::ZERO), |(drawn, worst), (more, took)| (drawn + more, worst.max(took)))
        })
    };
    let guarded = races(Caution::ALL);
    for (drawn, took) in guarded {
        // Round trip 20 ms, acknowledgment delay at most 40 ms: three probe timeouts are beyond 200 ms.
        assert!(took <= Duration::from_millis(200), "{guarded:?}");
        assert!(drawn > 0, "the race is won now and then: {guarded:?}");
    }
    let unguarded = races(Caution { old_path: false, ..Caution::ALL });
    assert!(unguarded.iter().any(|(_, took)| *took == Duration::MAX), "control: {unguarded:?}");
    let much = |at: usize| 100 * guarded[at].0 < unguarded[at].0;
    assert!(much(1) && much(3), "control: where proofs are passed on all is drawn: {guarded:?}, {unguarded:?}");
}

/// A peer that lets each of its packets come from another address, and acknowledges nothing: it hears nothing, and
/// because it believes that it has moved it goes on. Answers how often the server has followed it, what is left of its
/// channel, and why it ended, after so many seconds.
fn hopping(seconds: u64, caution: Caution) -> (usize, usize, Option<CloseCause>) {
    let mut setting = Setting::new(32);
    setting.sizes = vec![20_000_000];
    setting.server.caution = caution;
    setting.client.keep_alive = Some(Duration::from_millis(20));
    setting.client.caution = Caution { unacknowledged: false, ..Caution::ALL };
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let mut to_server = pump(&mut client, Instant::ZERO);
    for _ in 0..3 {
        let to_client: Vec<_> =
            to_server.iter().flat_map(|(_, datagram)| feed(&mut server, Instant::ZERO, AT_A, datagram)).collect();
        to_server =
            to_client.iter().flat_map(|(_, datagram)| feed(&mut client, Instant::ZERO, AT_B, datagram)).collect();
    }
    let (mut followed, mut at) = (0, None);
    for ms in (10..seconds * 1_000).step_by(10) {
        let now = Instant::from_millis(ms);
        if ms % 1_000 == 0 {
            let moved = PathChange::LocalAddress { old: None, new: Some(A) };
            client.machine.handle_input(now, Input::PathChange(moved));
        }
        for (i, (_, datagram)) in pump(&mut client, now).into_iter().enumerate() {
            // It asks for no other channel.
            if datagram[0] >> 6 != 1 {
                continue;
            }
            let from = SocketAddr::from(([198, 18, (ms >> 8) as u8, ms as u8], 1_000 + i as u16));
            feed(&mut server, now, from, &datagram);
        }
        pump(&mut server, now);
        let id = server.machine.connections().next();
        let there = id.and_then(|id| server.machine.remote_address(id));
        followed += usize::from(there.is_some() && there != at);
        at = there.or(at);
    }
    let paths = server.machine.connections().map(|id| server.machine.paths(id).len()).sum();
    let crate::world::Side::Server(app) = &server.app else { unreachable!("it is a server") };
    let cause = app.events.iter().find_map(|event| match &event.kind {
        EventKind::PathLost { cause, .. } => Some(cause.clone()),
        _ => None,
    });
    (followed, paths, cause)
}

/// Attack 32.
#[test]
fn a_peer_that_hops_with_every_packet_and_acknowledges_nothing_is_followed_seldom_and_given_up() {
    let (followed, paths, cause) = hopping(70, Caution::ALL);
    assert!((1..=70 * 10).contains(&followed), "{followed} moves in 70 s");
    assert_eq!((paths, cause), (0, Some(CloseCause::Unacknowledged)));
    let (followed, ..) = hopping(20, Caution { paced_moves: false, ..Caution::ALL });
    assert!(followed > 1_000, "control: {followed} moves in 20 s");
    let (_, paths, cause) = hopping(70, Caution { unacknowledged: false, ..Caution::ALL });
    assert_eq!((paths, cause), (1, None), "control: it stays for as long as it likes");
}

/// Attack 14, as far as a machine goes: the storm moves no timer, wakes nobody and costs no state.
#[test]
fn a_storm_of_empty_and_one_byte_datagrams_delays_no_transfer() {
    let took = |storm: usize| {
        let mut setting = Setting::new(14);
        setting.sizes = vec![2_000_000];
        let mut run = setting.start();
        let (mut at, mut said) = (Instant::ZERO, 0);
        while !run.client().is_done() {
            at += Duration::from_millis(1);
            assert!(at < Instant::from_secs(20), "the transfer must end");
            run.world.run_until(at);
            let b = run.b;
            for i in 0..storm {
                let mut payload = vec![(i * 37) as u8; i % 2];
                let datagram = tng_base::Datagram {
                    remote: victim(i as u64 % 200),
                    local: None,
                    ecn: Ecn::NotEct,
                    segment_size: 1,
                    payload: &mut payload,
                };
                let host = run.host(b);
                host.handle_input(at, Input::Datagram(datagram));
                said += 1;
            }
        }
        assert_eq!(said > 0, storm > 0);
        at
    };
    let (calm, stormy) = (took(0), took(500));
    assert!(stormy.since(Instant::ZERO) <= calm.since(Instant::ZERO).mul_f64(1.25), "{calm:?}, then {stormy:?}");
}

/// Attack 15: tokens that somebody guesses.
#[test]
fn no_guessed_reset_ends_a_channel_and_the_true_one_does() {
    let setting = Setting::new(15);
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let mut to_server: Vec<_> = pump(&mut client, Instant::ZERO);
    let mut to_client_all = Vec::new();
    while !to_server.is_empty() {
        let to_client: Vec<_> =
            to_server.iter().flat_map(|(_, datagram)| feed(&mut server, Instant::ZERO, AT_A, datagram)).collect();
        to_server =
            to_client.iter().flat_map(|(_, datagram)| feed(&mut client, Instant::ZERO, AT_B, datagram)).collect();
        to_client_all.extend(to_client);
    }
    let now = Instant::from_secs(1);
    let (_, sample) = to_client_all.iter().find(|(_, datagram)| datagram[0] >> 6 == 1).expect("a channel packet");
    let mut rng = Rng::from_u64(15);
    for _ in 0..seeds(2_000) {
        let mut guess = vec![0; 23 + rng.below(20) as usize];
        rng.fill(&mut guess);
        guess[0] = 0x40 | guess[0] & 0x3f;
        // Half of them to the client's own channel id.
        if rng.chance(0.5) {
            guess[1..7].copy_from_slice(&sample[1..7]);
        }
        feed(&mut client, now, AT_B, &guess);
    }
    let id = client.machine.connections().next().expect("it goes on");
    assert_eq!(client.machine.paths(id).len(), 1, "no guess counts");
    // Control: a server that has lost its state answers the client's next packet with the token itself.
    let mut reborn = setting.server_node(9);
    client.machine.streams(id).expect("open").open(crate::apps::SERVICE.0, crate::apps::SERVICE.1).expect("credit");
    let resets: Vec<_> =
        pump(&mut client, now).iter().flat_map(|(_, datagram)| feed(&mut reborn, now, AT_A, datagram)).collect();
    for (_, reset) in resets {
        feed(&mut client, now, AT_B, &reset);
    }
    let left = client.machine.connections().next().map_or(0, |id| client.machine.paths(id).len());
    assert_eq!(left, 0, "the true token ends the channel");
}

/// Attack 16, slowloris: thousands of half-open channels of one peer that are never confirmed.
#[test]
fn ten_thousand_beginnings_of_one_peer_leave_what_the_threshold_allows_and_then_nothing() {
    let opened = |cookie_above: usize| {
        let mut setting = Setting::new(16);
        (setting.server.cookie_above, setting.server.exchanges) = threshold(cookie_above);
        let mut server = setting.server_node(0).machine;
        let mut most = 0;
        let init = captured_init(&setting);
        for i in 0..10_000_u32 {
            let from = SocketAddr::from(([198, 51, 100, 7], 1_000 + i as u16));
            answers(&mut server, Instant::from_millis(u64::from(i) / 4), from, &init);
            most = most.max(server.half_open());
            if most > 2_000 {
                break;
            }
        }
        let until = Instant::from_secs(60);
        server.handle_timeout(until);
        crate::attack::drain(&mut server, until);
        (most, server.half_open(), server.is_empty())
    };
    assert_eq!(opened(256), (256, 0, true));
    let (without, ..) = opened(usize::MAX);
    assert!(without > 2_000, "control: without a threshold they stay, {without}");
}

/// Attack 9 against the whole host: numbers that nobody sent, up to the largest that a packet can name.
#[test]
fn forged_numbers_do_not_keep_one_honest_packet_out() {
    let mut setting = Setting::new(9);
    setting.sizes = vec![200_000];
    let mut run = setting.start();
    let forth = run.link.forth();
    let seen = crate::attack::record(&mut run, forth);
    let mut rng = Rng::from_u64(9);
    let (mut at, mut forged) = (Instant::ZERO, 0);
    while !run.client().is_done() {
        at += Duration::from_millis(2);
        assert!(at < Instant::from_secs(20), "the transfer must end");
        run.world.run_until(at);
        let Some(sample) = seen.take().into_iter().rev().find(|packet| packet[0] >> 6 == 1) else { continue };
        for _ in 0..20 {
            let mut packet = sample.clone();
            rng.fill(&mut packet[7..11]);
            run.world.inject(forth, (A, PORT).into(), (B, PORT).into(), Ecn::NotEct, &packet);
            forged += 1;
        }
        seen.take();
    }
    assert!(forged > 200, "{forged}");
    assert!(run.client().failed.is_empty(), "{:?}", run.client().failed);
    assert!(run.client().events.iter().all(|(_, event)| !matches!(event.kind, tng_stack::EventKind::Closed(_))));
}
