//! Packets that nobody honest sent. (Each defence's own attacks stand beside it; here the whole host is under them.)

use core::net::SocketAddr;
use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_base::{ChannelId, Datagram, Ecn, Input, Instant, Machine, Output, Rng};
use tng_crypto::SecretRng;
use tng_endpoint::Port;
use tng_isolation::{CipherPolicy, Family, Initiator, Limits, Opening};
use tng_sim::App;
use tng_sim::PORT;
use tng_sim::topology::{A, B};
use tng_stack::structured::{FirstData, ServiceOptions};
use tng_stack::{EventKind, ExchangeLimits, Host, HostEvent, Identity};

use crate::apps::SERVICE;
use crate::world::{Node, Run, Setting, Side};

const LIMIT: Duration = Duration::from_secs(60);

/// Every datagram of a lane from now on, as it is sent.
pub fn record(run: &mut Run, lane: tng_sim::LaneId) -> Rc<RefCell<Vec<Vec<u8>>>> {
    let recorded = Rc::new(RefCell::new(Vec::new()));
    let recording = recorded.clone();
    run.world.intercept(lane, move |_, packet| {
        recording.borrow_mut().push(packet.payload.clone());
        true
    });
    recorded
}

/// What a host answers to one datagram, without a world around it.
pub fn answers(
    host: &mut impl Machine<Event = HostEvent>,
    now: Instant,
    remote: SocketAddr,
    datagram: &[u8],
) -> Vec<(SocketAddr, Vec<u8>)> {
    let mut payload = datagram.to_vec();
    let segment_size = payload.len();
    let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
    host.handle_input(now, Input::Datagram(datagram));
    drain(host, now)
}

pub fn drain(host: &mut impl Machine<Event = HostEvent>, now: Instant) -> Vec<(SocketAddr, Vec<u8>)> {
    drain_telling(host, now, true, |_| {})
}

/// What a host has to say, whose events are told; its system has `entropy` for it, or not.
pub fn drain_telling(
    host: &mut impl Machine<Event = HostEvent>,
    now: Instant,
    entropy: bool,
    mut tell: impl FnMut(EventKind),
) -> Vec<(SocketAddr, Vec<u8>)> {
    let (mut out, mut buf) = (Vec::new(), vec![0; 65_536]);
    loop {
        match host.poll_output(now, &mut buf) {
            Output::Transmit(t) => out.extend(buf[..t.len].chunks(t.segment_size).map(|d| (t.remote, d.to_vec()))),
            Output::Event(event) => tell(event.kind),
            Output::NeedsEntropy if entropy => host.handle_input(now, Input::Entropy(&mut [9; 32])),
            Output::NeedsEntropy => {}
            Output::Timeout(_) => return out,
        }
    }
}

/// A real INIT for the setting's server, as the network sees it.
pub fn captured_init(setting: &Setting) -> Vec<u8> {
    let mut client = setting.client_node(setting.target()).machine;
    client.connect(Instant::ZERO, setting.target()).expect("an address");
    drain(&mut client, Instant::ZERO).swap_remove(0).1
}

#[test]
fn truncated_and_damaged_copies_of_every_packet_disturb_nothing() {
    for (seed, cut) in [(30, true), (31, false)] {
        let mut setting = Setting::new(seed);
        setting.sizes = vec![60_000, 10, 3_000];
        let mut run = setting.start();
        let (forth, back) = (run.link.forth(), run.link.back());
        let there = record(&mut run, forth);
        let here = record(&mut run, back);
        let mut rng = Rng::from_u64(seed);
        let mut at = Instant::ZERO;
        while !run.client().is_done() {
            at += Duration::from_millis(5);
            assert!(at < Instant::from_secs(60), "seed {seed}: the transfer must end");
            run.world.run_until(at);
            for (lane, packets) in [(forth, &there), (back, &here)] {
                let (src, dst) = if lane == forth { (A, B) } else { (B, A) };
                for mut packet in packets.take().into_iter().take(8) {
                    if cut {
                        packet.truncate(rng.below(packet.len() as u64) as usize);
                    } else {
                        let bit = rng.below(8 * packet.len() as u64) as usize;
                        packet[bit / 8] ^= 1 << (bit % 8);
                    }
                    run.world.inject(lane, (src, PORT).into(), (dst, PORT).into(), Ecn::NotEct, &packet);
                }
                // Nothing injected may be copied again.
                packets.take();
            }
        }
        assert_eq!(run.client().failed, Vec::<String>::new(), "seed {seed}");
    }
}

#[test]
fn a_replayed_init_delivers_nothing_and_leaves_nothing() {
    let setting = Setting::new(32);
    let init = captured_init(&setting);
    let mut run = setting.start();
    run.finish(LIMIT);
    assert!(run.world.run_until_idle(Instant::from_secs(100)), "idle");
    let events = run.server().events.len();
    let attacker: SocketAddr = (A, 666).into();
    run.world.inject(run.link.forth(), attacker, (B, PORT).into(), Ecn::NotEct, &init);
    let now = run.world.now();
    run.world.run_until(now + Duration::from_secs(30));
    assert_eq!(run.server().events.len(), events, "an unconfirmed peer is not announced");
    assert!(run.host(run.b).is_empty(), "the half-open entry is gone after the set-up timeout");
}

#[test]
fn an_address_that_never_answers_gets_at_most_three_times_what_it_sent() {
    let mut setting = Setting::new(33);
    // Early data is answered at once, with far more than may leave.
    setting.service = ServiceOptions { first_data: FirstData::Unproven, ..ServiceOptions::default() };
    setting.sizes = vec![1_000_000];
    let init = pump(&mut setting.client_node(setting.target()), Instant::ZERO).swap_remove(0).1;
    let mut server = setting.server_node(0);
    let (mut received, mut sent) = (0, 0);
    let remote: SocketAddr = "203.0.113.9:9".parse().expect("an address");
    let mut now = Instant::ZERO;
    for round in 0..200 {
        now += Duration::from_millis(137);
        let out = if round % 10 == 0 {
            received += init.len();
            feed(&mut server, now, remote, &init)
        } else {
            pump(&mut server, now)
        };
        sent += bytes_to(remote, &out);
        assert!(sent <= 3 * received, "round {round}: {sent} for {received}");
    }
    assert!(sent > 2 * received, "all that is allowed is used: {sent} for {received}");
}

/// The most entries, and the cookies, that a flood of strangers costs.
fn flooded_by_strangers(cookie_above: usize, exchanges: ExchangeLimits) -> (usize, usize) {
    let mut setting = Setting::new(34);
    (setting.server.cookie_above, setting.server.exchanges) = (cookie_above, exchanges);
    let mut server = setting.server_node(0).machine;
    let (mut most, mut cookies) = (0, 0);
    for i in 0..300u32 {
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&i.to_be_bytes());
        let mut host = Host::new(setting.client.clone(), Identity::from_seed(seed), seed);
        host.connect(Instant::ZERO, setting.target()).expect("an address");
        let init = drain(&mut host, Instant::ZERO).swap_remove(0).1;
        let remote = SocketAddr::from(([198, 51, 100, (i % 250) as u8], 1_000 + i as u16));
        let out = answers(&mut server, Instant::from_millis(u64::from(i) * 10), remote, &init);
        cookies += out.iter().filter(|(_, datagram)| datagram[0] == 0x03).count();
        most = most.max(server.half_open());
    }
    (most, cookies)
}

#[test]
fn a_flood_of_strangers_costs_bounded_entries_and_then_only_cookies() {
    let (most, cookies) = flooded_by_strangers(32, ExchangeLimits::default());
    assert!(most == 32 && cookies >= 200, "{most} entries, {cookies} cookies");
    assert_eq!(
        flooded_by_strangers(usize::MAX, ExchangeLimits::NONE),
        (300, 0),
        "control: without, each costs an entry"
    );
}

#[test]
fn two_hosts_that_forgot_a_channel_do_not_reset_each_other_for_ever() {
    let setting = Setting::new(35);
    let (mut a, mut b) = (setting.server_node(1).machine, setting.server_node(2).machine);
    let [at_a, at_b]: [SocketAddr; 2] = [(A, PORT).into(), (B, PORT).into()];
    let mut packet = vec![0x55; 60];
    let mut exchanged = 0;
    while let Some((_, reset)) = answers(&mut b, Instant::ZERO, at_a, &packet).pop() {
        let Some((_, back)) = answers(&mut a, Instant::ZERO, at_b, &reset).pop() else { break };
        assert!(back.len() < reset.len() && reset.len() < packet.len());
        packet = back;
        exchanged += 2;
    }
    assert!((1..=8).contains(&exchanged), "{exchanged}");
}

#[test]
fn a_mode_that_is_not_served_gets_one_small_answer_and_noise_gets_none() {
    let setting = Setting::new(36);
    let mut server = setting.server_node(0).machine;
    let remote: SocketAddr = (A, 7).into();
    assert_eq!(answers(&mut server, Instant::ZERO, remote, &[0xa5; 100]), [], "that is the port's to say");
    let mut server = Port::new((server,));
    let out = answers(&mut server, Instant::ZERO, remote, &[0xa5; 100]);
    assert_eq!(out, [(remote, vec![0x06, 0xa5])]);
    let mut rng = Rng::from_u64(36);
    for len in 0..1_300usize {
        let mut noise = vec![0; len];
        rng.fill(&mut noise);
        if let Some(first) = noise.first_mut() {
            *first &= 0x3f;
        }
        if len > 0 {
            assert_eq!(answers(&mut server, Instant::ZERO, remote, &noise), [], "{len} bytes");
        }
    }
    assert!(server.sole().is_empty());
}

#[test]
fn a_close_cannot_be_forged_by_who_only_knows_the_channel_id() {
    let mut setting = Setting::new(37);
    setting.sizes = vec![5_000_000];
    let mut run = setting.start();
    let back = run.link.back();
    let seen = record(&mut run, back);
    run.world.run_until(Instant::from_millis(300));
    let sample = seen.borrow().iter().rev().find(|packet| packet[0] & 0xc0 == 0x40).cloned().expect("a channel packet");
    let mut rng = Rng::from_u64(37);
    for _ in 0..200 {
        let mut forged = sample.clone();
        rng.fill(&mut forged[7..]);
        run.world.inject(back, (B, PORT).into(), (A, PORT).into(), Ecn::NotEct, &forged);
    }
    run.finish(LIMIT);
    assert!(!run.client().has(|kind| matches!(kind, EventKind::Closed(_))));
}

/// What a node has to say, its application included.
pub fn pump(node: &mut Node, now: Instant) -> Vec<(SocketAddr, Vec<u8>)> {
    let mut out = Vec::new();
    let mut buf = vec![0; 65_536];
    node.machine.handle_timeout(now);
    node.app.poll(now, &mut node.machine);
    let mut due = 0;
    loop {
        match node.machine.poll_output(now, &mut buf) {
            Output::Transmit(t) => out.extend(buf[..t.len].chunks(t.segment_size).map(|d| (t.remote, d.to_vec()))),
            Output::Event(event) => node.app.handle_event(now, &mut node.machine, event),
            Output::NeedsEntropy => node.machine.handle_input(now, Input::Entropy(&mut [9; 32])),
            Output::Timeout(Some(at)) if at <= now => {
                due += 1;
                assert!(due < 4, "a timer stays in the past: {at:?} at {now:?}");
                node.machine.handle_timeout(now);
            }
            Output::Timeout(_) => return out,
        }
    }
}

/// What a node says to one datagram.
pub fn feed(node: &mut Node, now: Instant, remote: SocketAddr, datagram: &[u8]) -> Vec<(SocketAddr, Vec<u8>)> {
    let mut payload = datagram.to_vec();
    let segment_size = payload.len();
    let datagram = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload: &mut payload };
    node.machine.handle_input(now, Input::Datagram(datagram));
    pump(node, now)
}

/// Bytes among datagrams that go to `remote`.
pub fn bytes_to(remote: SocketAddr, out: &[(SocketAddr, Vec<u8>)]) -> usize {
    out.iter().filter(|(to, _)| *to == remote).map(|(_, datagram)| datagram.len()).sum()
}

/// What a node says until `until`, if nothing arrives.
pub fn wait(node: &mut Node, from: Instant, until: Instant) -> Vec<(SocketAddr, Vec<u8>)> {
    let (mut now, mut out) = (from, Vec::new());
    while now < until {
        now += Duration::from_millis(7);
        out.extend(pump(node, now));
    }
    out
}

/// Client and server with the exchange done but for the client's first packets, which are the third value.
pub fn half_open(setting: &Setting, at_a: SocketAddr) -> (Node, Node, Vec<Vec<u8>>) {
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let init = pump(&mut client, Instant::ZERO).swap_remove(0).1;
    let reply = feed(&mut server, Instant::ZERO, at_a, &init).swap_remove(0).1;
    let first = feed(&mut client, Instant::ZERO, (B, PORT).into(), &reply);
    (client, server, first.into_iter().map(|(_, datagram)| datagram).collect())
}

#[test]
fn the_packet_that_confirms_an_initiator_does_not_prove_the_address_that_it_claims_to_come_from() {
    let mut setting = Setting::new(40);
    setting.sizes = vec![5_000_000];
    let [attacker, victim]: [SocketAddr; 2] = [(A, 5).into(), "203.0.113.9:9".parse().expect("an address")];
    let (_client, mut server, first) = half_open(&setting, attacker);
    let (mut received, mut sent) = (0, 0);
    for datagram in &first {
        received += datagram.len();
        sent += bytes_to(victim, &feed(&mut server, Instant::ZERO, victim, datagram));
    }
    sent += bytes_to(victim, &wait(&mut server, Instant::ZERO, Instant::from_secs(5)));
    assert!(received > 0 && sent <= 3 * received, "{sent} for {received}");
}

#[test]
fn a_farewell_to_an_unproven_address_keeps_to_three_times_what_came_from_it() {
    let mut setting = Setting::new(41);
    setting.sizes = vec![100];
    let [attacker, victim]: [SocketAddr; 2] = [(A, 5).into(), "203.0.113.9:9".parse().expect("an address")];
    let (mut client, mut server, first) = half_open(&setting, attacker);
    let now = Instant::ZERO;
    for datagram in &first {
        for (_, datagram) in feed(&mut server, now, attacker, datagram) {
            feed(&mut client, now, (B, PORT).into(), &datagram);
        }
    }
    // The next packet pretends to come from the victim.
    let later = Instant::from_millis(400);
    let id = client.machine.connections().next().expect("a connection");
    client.machine.streams(id).expect("open").open(SERVICE.0, SERVICE.1).expect("credit");
    let said = pump(&mut client, later).into_iter().map(|(_, datagram)| datagram);
    let moved = said.min_by_key(Vec::len).expect("a packet");
    let (mut received, mut sent) = (moved.len(), 0);
    sent += bytes_to(victim, &feed(&mut server, later, victim, &moved));
    let id = server.machine.connections().next().expect("a connection");
    server.machine.close(later, id, 99, &"w".repeat(255));
    sent += bytes_to(victim, &pump(&mut server, later));
    assert!(sent <= 3 * received, "{sent} for {received}");
    for _ in 0..64 {
        received += 23;
        sent += bytes_to(victim, &feed(&mut server, later, victim, &moved[..23]));
        assert!(sent <= 3 * received, "{sent} for {received}");
    }
}

#[test]
fn a_stranger_who_never_answers_is_not_kept_awake() {
    let mut setting = Setting::new(42);
    setting.server.keep_alive = Some(Duration::from_millis(100));
    let init = captured_init(&setting);
    let mut server = setting.server_node(0);
    let remote: SocketAddr = "203.0.113.9:9".parse().expect("an address");
    let mut sent = bytes_to(remote, &feed(&mut server, Instant::ZERO, remote, &init));
    sent += bytes_to(remote, &wait(&mut server, Instant::ZERO, Instant::from_secs(20)));
    assert!(sent <= 3 * init.len(), "{sent}");
    assert!(server.machine.is_empty());
}

/// An INIT for the setting's server by somebody else, who chooses the channel id.
fn stranger_init(setting: &Setting, channel: ChannelId) -> Vec<u8> {
    let identity = Identity::from_seed([0xbb; 32]);
    let ciphers = CipherPolicy { hardware_aes: true, danger_weak: false };
    let limits = Limits { idle_timeout_ms: 0, udp_payload_max: 1_200, ack_delay_max_us: 0 };
    let opening = Opening::new(&identity, channel, ciphers, limits, "structured");
    let initiator =
        Initiator::new(Family::Channel, &identity, setting.target().eid, opening, &mut SecretRng::new([7; 32]));
    initiator.expect("a good opening").datagram().to_vec()
}

#[test]
fn an_init_of_somebody_else_under_the_same_channel_id_does_not_keep_the_honest_one_out() {
    let setting = Setting::new(43);
    let at_a: SocketAddr = (A, PORT).into();
    let mut client = setting.client_node(setting.target());
    let init = pump(&mut client, Instant::ZERO).swap_remove(0).1;
    // The attacker, who saw the INIT, is faster: the same id and source address, its own exchange.
    let channel = ChannelId::from_bytes(*init[3..].first_chunk().expect("an id"));
    let mut server = setting.server_node(0);
    feed(&mut server, Instant::ZERO, at_a, &stranger_init(&setting, channel));
    let reply = feed(&mut server, Instant::ZERO, at_a, &init);
    for (_, datagram) in reply {
        feed(&mut client, Instant::ZERO, (B, PORT).into(), &datagram);
    }
    let Some(id) = client.machine.connections().next() else { panic!("failed") };
    assert!(client.machine.stats(id).is_some(), "the honest initiator is connected");
}

#[test]
fn a_reply_that_somebody_relays_from_another_address_does_not_prove_that_address() {
    let mut setting = Setting::new(44);
    // An answer that comes from another address than was asked.
    let victim: SocketAddr = "203.0.113.9:9".parse().expect("an address");
    setting.sizes = vec![100; 15];
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let init = pump(&mut client, Instant::ZERO).swap_remove(0).1;
    let reply = feed(&mut server, Instant::ZERO, (A, PORT).into(), &init).swap_remove(0).1;
    let mut sent = 0;
    let id = client.machine.connections().next().expect("a connection");
    // Something to upload.
    let stream = client.machine.streams(id).expect("dialing").open(SERVICE.0, SERVICE.1).expect("credit");
    client.machine.streams(id).expect("dialing").write(stream, &[7; 100_000]).expect("room");
    sent += bytes_to(victim, &feed(&mut client, Instant::ZERO, victim, &reply));
    sent += bytes_to(victim, &wait(&mut client, Instant::ZERO, Instant::from_secs(5)));
    assert!(sent > 0 && sent <= 3 * reply.len(), "{sent} for {}", reply.len());
}

#[test]
fn a_listening_host_gives_away_no_reset_token_of_a_connecting_one_with_the_same_identity() {
    let setting = Setting::new(45);
    let at_a: SocketAddr = (A, PORT).into();
    let (_client, mut server, first) = half_open(&setting, at_a);
    let now = Instant::ZERO;
    let said: Vec<_> = first.iter().flat_map(|datagram| feed(&mut server, now, at_a, datagram)).collect();
    let (_, to_client) = said.iter().find(|(_, datagram)| datagram[0] & 0xc0 == 0x40).expect("a channel packet");
    // Another process of the same identity, asked about the client's channel id.
    let identity = Identity::from_seed([setting.seed as u8; 32]);
    let mut oracle = Host::new(setting.server.clone(), identity, [1; 32]);
    let resets = answers(&mut oracle, now, (A, 66).into(), to_client);
    assert_eq!(resets.len(), 1, "it knows no such channel");
    let events = |server: &Node| match &server.app {
        Side::Server(server) => server.events.len(),
        Side::Client(_) => unreachable!("it is a server"),
    };
    let before = events(&server);
    feed(&mut server, now, at_a, &resets[0].1);
    assert_eq!(events(&server), before, "the connection goes on");
}

/// Whether what another listener with the server's identity says to packets of a channel of the server's ends that
/// channel.
fn ended_by_another_listener(at: &[u8]) -> bool {
    let mut setting = Setting::new(49);
    setting.server.place = b"here".to_vec();
    let at_a: SocketAddr = (A, PORT).into();
    let (mut client, mut server, first) = half_open(&setting, at_a);
    let now = Instant::ZERO;
    let told: Vec<_> = first.iter().flat_map(|datagram| feed(&mut server, now, at_a, datagram)).collect();
    let said: Vec<_> =
        told.iter().flat_map(|(_, datagram)| feed(&mut client, now, (B, PORT).into(), datagram)).collect();
    let to_server = said.iter().map(|(_, datagram)| datagram).chain(&first).max_by_key(|datagram| datagram.len());
    let mut config = setting.server.clone();
    config.place = at.to_vec();
    let mut oracle = Host::new(config, setting.server_identity(), [1; 32]);
    let resets = answers(&mut oracle, now, (A, 66).into(), to_server.expect("a channel packet"));
    assert_eq!(resets.len(), 1, "it knows no such channel");
    let id = client.machine.connections().next().expect("a connection");
    assert_eq!(client.machine.paths(id).len(), 1);
    feed(&mut client, now, (B, PORT).into(), &resets[0].1);
    client.machine.paths(id).is_empty()
}

#[test]
fn two_listeners_with_one_key_give_away_none_of_each_others_reset_tokens() {
    assert!(!ended_by_another_listener(b"there"));
    assert!(ended_by_another_listener(b"here"), "control: without a place of their own they do");
}

#[test]
fn a_flood_of_junk_does_not_silence_the_cookies() {
    let mut setting = Setting::new(46);
    setting.server.cookie_above = 0;
    let init = captured_init(&setting);
    let mut server = setting.server_node(0).machine;
    let remote: SocketAddr = (A, 8).into();
    let now = Instant::from_secs(1);
    let answered = (0..5_000).filter(|_| !answers(&mut server, now, remote, &[0x55; 60]).is_empty()).count();
    assert!(answered < 5_000, "junk is answered within bounds");
    let out = answers(&mut server, now, (A, PORT).into(), &init);
    assert_eq!(out.first().map(|(_, datagram)| datagram[0]), Some(0x03));
}

#[test]
fn a_cookie_is_worth_nothing_at_another_address() {
    let mut setting = Setting::new(48);
    setting.server.cookie_above = 0;
    let [here, elsewhere]: [SocketAddr; 2] = [(A, PORT).into(), (A, 9).into()];
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let init = pump(&mut client, Instant::ZERO).swap_remove(0).1;
    let cookie = feed(&mut server, Instant::ZERO, here, &init).swap_remove(0).1;
    let again = feed(&mut client, Instant::ZERO, (B, PORT).into(), &cookie).swap_remove(0).1;
    let kinds = |out: Vec<(SocketAddr, Vec<u8>)>| out.iter().map(|(_, datagram)| datagram[0]).collect::<Vec<_>>();
    assert_eq!(kinds(feed(&mut server, Instant::ZERO, elsewhere, &again)), [0x03]);
    assert_eq!(server.machine.half_open(), 0);
    assert_eq!(kinds(feed(&mut server, Instant::ZERO, here, &again)), [0x02]);
    assert_eq!(server.machine.half_open(), 1);
}

/// Connections that 84 initiators of one network, and then one of another, come to half have with a server, and the
/// exchanges that they cost it. Each takes a cookie and brings it back, and is then never heard of again.
fn half_open_of_one_network(exchanges: ExchangeLimits) -> Vec<(usize, u64, bool)> {
    let mut setting = Setting::new(44);
    (setting.server.cookie_above, setting.server.exchanges) = (0, exchanges);
    setting.server.half_open_per_network = 40;
    let mut server = setting.server_node(0).machine;
    let mut connect = |now: Instant, i: u32, remote: SocketAddr| {
        let mut seed = [7; 32];
        seed[..4].copy_from_slice(&i.to_be_bytes());
        let mut client = Host::new(setting.client.clone(), Identity::from_seed(seed), seed);
        client.connect(now, setting.target()).expect("an address");
        let init = drain(&mut client, now).swap_remove(0).1;
        let cookie = answers(&mut server, now, remote, &init).swap_remove(0).1;
        let again = answers(&mut client, now, (B, PORT).into(), &cookie).swap_remove(0).1;
        let before = (server.half_open(), server.exchanges());
        answers(&mut server, now, remote, &again);
        (server.half_open() - before.0, server.exchanges() - before.1)
    };
    let networks = [("2001:db8:0:1::", "2001:db8:0:2::"), ("198.51.100.", "198.51.101.")];
    let found = networks.into_iter().zip(1..).map(|((net, others), second)| {
        let now = Instant::from_secs(second);
        let from = |net: &str, i: u32| {
            let host: core::net::IpAddr =
                format!("{net}{}", 1 + if net.contains(':') { i } else { 0 }).parse().expect("an address");
            SocketAddr::new(host, 1_000 + i as u16)
        };
        let base = 10_000 * second as u32;
        let of_one: Vec<_> = (0..84).map(|i| connect(now, base + i, from(net, i))).collect();
        let (entries, exchanges) = of_one.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (entries, exchanges, connect(now, base + 5_000, from(others, 1)) == (1, 1))
    });
    found.collect()
}

#[test]
fn one_network_that_returns_its_cookies_leaves_room_for_the_others() {
    let share = ExchangeLimits::default().per_network.burst;
    let found = half_open_of_one_network(ExchangeLimits::default());
    assert_eq!(found, [(40, share, true), (40, share, true)], "its share of entries, and of exchanges");
    let found = half_open_of_one_network(ExchangeLimits::NONE);
    assert_eq!(
        found,
        [(40, 84, true), (40, 84, true)],
        "control: each of the others replaces an entry, at the price of one more"
    );
}
