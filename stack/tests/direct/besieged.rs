//! Requests for further channels that are copied, lost, late, or nobody's to make.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::{ChannelId, Eid, Instant, Rng, SessionId};
use tng_crypto::SecretRng;
use tng_isolation::wire::{Attach, Purpose};
use tng_isolation::{Cipher, CipherPolicy, Family, Identity, Initiator, Limits, Opening};
use tng_sim::PORT;
use tng_sim::topology::{A, B, ipv4};
use tng_stack::structured::{FirstData, StreamId};
use tng_stack::{CloseCause, ConnectionId, EventKind};

use crate::attack::{bytes_to, feed, pump, wait};
use crate::world::{Node, Run, Setting, Side};

const AT_A: SocketAddr = SocketAddr::new(A, PORT);
const AT_B: SocketAddr = SocketAddr::new(B, PORT);
const SECOND: Duration = Duration::from_secs(1);

type Datagrams = Vec<Vec<u8>>;

fn to_wire(said: Vec<(SocketAddr, Vec<u8>)>) -> Datagrams {
    said.into_iter().map(|(_, datagram)| datagram).collect()
}

/// Carries datagrams to and fro, in no time, until both are silent.
fn talk(client: &mut Node, server: &mut Node, now: Instant, mut to_server: Datagrams) {
    while !to_server.is_empty() {
        let to_client: Datagrams =
            to_server.iter().flat_map(|datagram| to_wire(feed(server, now, AT_A, datagram))).collect();
        to_server = to_client.iter().flat_map(|datagram| to_wire(feed(client, now, AT_B, datagram))).collect();
    }
}

/// A client and a server that have met, and have nothing more to say.
fn met(setting: &Setting) -> (Node, Node) {
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let init = to_wire(pump(&mut client, Instant::ZERO));
    talk(&mut client, &mut server, Instant::ZERO, init);
    (client, server)
}

fn only(node: &Node) -> ConnectionId {
    node.machine.connections().next().expect("a connection")
}

fn events(node: &Node) -> Vec<EventKind> {
    match &node.app {
        Side::Server(server) => server.events.iter().map(|event| event.kind.clone()).collect(),
        Side::Client(client) => client.events.iter().map(|(_, event)| event.kind.clone()).collect(),
    }
}

/// The client's INIT for a further channel.
fn request(client: &mut Node, now: Instant) -> Vec<u8> {
    let id = only(client);
    client.machine.attach(now, id, None, &[AT_B]).expect("room for a channel");
    let said = to_wire(pump(client, now));
    said.into_iter().find(|datagram| datagram[0] == 0x01).expect("an INIT")
}

fn answered(said: &[(SocketAddr, Vec<u8>)]) -> bool {
    said.iter().any(|(_, datagram)| datagram[0] == 0x02)
}

fn elsewhere(i: u8) -> SocketAddr {
    SocketAddr::from(([203, 0, 113, i], 9))
}

/// An INIT by somebody who is neither the client nor the server.
fn forged(to: Eid, channel: u64, shape: impl FnOnce(&mut Opening)) -> Vec<u8> {
    written(&Identity::from_seed([0xbb; 32]), to, channel, shape)
}

/// An INIT that no host makes.
fn written(identity: &Identity, to: Eid, channel: u64, shape: impl FnOnce(&mut Opening)) -> Vec<u8> {
    let ciphers = CipherPolicy { hardware_aes: true, danger_weak: false };
    let limits = Limits { idle_timeout_ms: 0, udp_payload_max: 1_200, ack_delay_max_us: 0 };
    let mut opening = Opening::new(identity, ChannelId::from_u64(channel), ciphers, limits, "structured");
    shape(&mut opening);
    let initiator = Initiator::new(
        Family::Channel,
        identity,
        to,
        opening,
        &mut SecretRng::new(Rng::from_u64(channel).bytes::<32>()),
    );
    initiator.expect("a good opening").datagram().to_vec()
}

fn session(node: &Node) -> SessionId {
    node.machine.usid(only(node), StreamId::FIRST).expect("a session").session
}

#[test]
fn nobody_asks_for_a_channel_to_the_streams_of_others() {
    let setting = Setting::new(60);
    let (mut client, mut server) = met(&setting);
    let (told, there) = (events(&server), only(&server));
    let attach = Attach { session: session(&client), count: 1 << 40, purpose: Purpose::Replaces };
    let init = forged(setting.target().eid, 5, |opening| opening.attach = Some(attach));
    let said = feed(&mut server, Instant::from_secs(1), elsewhere(1), &init);
    assert!(bytes_to(elsewhere(1), &said) <= init.len(), "a refusal at most");
    assert_eq!((server.machine.half_open(), server.machine.connections().count()), (0, 1));
    assert_eq!(events(&server), told);
    assert_eq!(server.machine.paths(there).len(), 1);
    // Nor has it used up the counts of the owner of the streams.
    let init = request(&mut client, Instant::from_secs(1));
    talk(&mut client, &mut server, Instant::from_secs(1), vec![init]);
    assert_eq!(server.machine.paths(there).len(), 2);
}

#[test]
fn nobody_brings_streams_a_channel_under_another_protocols_name() {
    let setting = Setting::new(64);
    let (mut client, mut server) = met(&setting);
    server.machine.register("odd/1", |_| panic!("nobody may be asked for one")).expect("a free name");
    let (told, there, now) = (events(&server), only(&server), Instant::from_millis(1));
    // The client itself, with a session that is its own, and a count that it has not used.
    let attach = |count| Some(Attach { session: session(&client), count, purpose: Purpose::Beside });
    let asks = |channel, name: &str, count| {
        written(&setting.client_identity(), setting.target().eid, channel, |opening| {
            (opening.protocol, opening.attach) = (name.into(), attach(count));
        })
    };
    for (channel, name) in [(5, "odd/1"), (6, "nobody's")] {
        let said = feed(&mut server, now, elsewhere(1), &asks(channel, name, 10));
        assert_eq!(bytes_to(elsewhere(1), &said), 0, "{name}: it is dropped");
        assert_eq!((server.machine.half_open(), server.machine.connections().count()), (0, 1));
    }
    assert_eq!(events(&server), told);
    // The control: under the name of the streams the same request is answered; its count has not been used up.
    let said = feed(&mut server, now, elsewhere(1), &asks(7, "structured", 10));
    assert!(answered(&said));
    assert_eq!(server.machine.half_open(), 1);
    // And what there was is none the worse.
    let init = request(&mut client, now);
    talk(&mut client, &mut server, now, vec![init]);
    assert!(server.machine.paths(there).len() >= 2);
}

#[test]
fn copies_of_a_request_from_many_addresses_are_worth_three_times_their_bytes_and_keep_nobody_out() {
    let mut setting = Setting::new(61);
    setting.sizes = vec![1_000];
    let (mut client, mut server) = met(&setting);
    let there = only(&server);
    let mut now = Instant::from_secs(1);
    // It never gets there itself.
    let seen = request(&mut client, now);
    // What the server has to say is more than it may.
    let streams = server.machine.streams(there).expect("there");
    let stream = streams.open("nothing", "known").expect("credit");
    streams.write(stream, &[7; 20_000]).expect("room");
    let mut sent = BTreeMap::new();
    for i in 0..100 {
        *sent.entry(elsewhere(i % 50)).or_insert(0) +=
            bytes_to(elsewhere(i % 50), &feed(&mut server, now, elsewhere(i % 50), &seen));
        now += Duration::from_millis(1);
        assert!(server.machine.half_open() <= 8 + 8, "{} entries", server.machine.half_open());
    }
    assert_eq!(server.machine.remote_address(there), Some(AT_A));
    assert_eq!(server.machine.paths(there).len(), 1, "none of them is up");
    // The next, and even one that has been copied before, gets through.
    for _ in 0..2 {
        let init = request(&mut client, now);
        for i in 100..120 {
            feed(&mut server, now, elsewhere(i), &init);
        }
        talk(&mut client, &mut server, now, vec![init]);
    }
    assert_eq!(server.machine.paths(there).len(), 3);
    for (to, datagram) in wait(&mut server, now, now + 15 * SECOND) {
        *sent.entry(to).or_insert(0) += datagram.len();
    }
    for i in 0..50 {
        let sent = sent[&elsewhere(i)];
        assert!(sent <= 2 * 3 * seen.len(), "{sent} for twice {}", seen.len());
    }
    assert_eq!(server.machine.half_open(), 0);
}

#[test]
fn a_request_that_nobody_follows_up_does_not_end_streams_that_have_no_other_channel() {
    let setting = Setting::new(62);
    let (mut client, mut server) = met(&setting);
    let (id, now) = (only(&client), Instant::from_secs(1));
    let init = request(&mut client, now);
    assert!(answered(&feed(&mut server, now, elsewhere(1), &init)));
    client.machine.detach(now, id, None);
    for datagram in to_wire(pump(&mut client, now)) {
        feed(&mut server, now, AT_A, &datagram);
    }
    wait(&mut server, now, now + 20 * SECOND);
    assert_eq!(server.machine.connections().count(), 1, "{:?}", events(&server));
    let told = events(&server);
    let count = |kind: fn(&EventKind) -> bool| told.iter().filter(|event| kind(event)).count();
    assert_eq!(count(|kind| matches!(kind, EventKind::Away)), 1, "{told:?}");
    assert_eq!(count(|kind| matches!(kind, EventKind::PathLost { .. })), 1, "{told:?}");
    assert_eq!(count(|kind| matches!(kind, EventKind::Condition { .. })), 0, "{told:?}");
    wait(&mut server, now + 20 * SECOND, now + 62 * SECOND);
    assert_eq!(server.machine.connections().count(), 0, "the time runs from the loss of the last channel");
}

#[test]
fn the_first_channel_may_fail_unconfirmed_while_a_further_one_works() {
    let setting = Setting::new(63);
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let now = Instant::ZERO;
    let init = to_wire(pump(&mut client, now)).swap_remove(0);
    let reply = to_wire(feed(&mut server, now, AT_A, &init)).swap_remove(0);
    // Nothing more passes on the first channel from here to there.
    let first = to_wire(feed(&mut client, now, AT_B, &reply));
    let name = first[0][1..7].to_vec();
    let mut to_server = vec![request(&mut client, now)];
    while !to_server.is_empty() {
        to_server.retain(|datagram| datagram[1..7] != name);
        let back: Datagrams = to_server.iter().flat_map(|it| to_wire(feed(&mut server, now, AT_A, it))).collect();
        to_server = back.iter().flat_map(|it| to_wire(feed(&mut client, now, AT_B, it))).collect();
    }
    wait(&mut server, now, now + 15 * SECOND);
    let told = events(&server);
    assert!(told.iter().any(|kind| matches!(kind, EventKind::Accepted { .. })), "{told:?}");
    assert!(!told.iter().any(|kind| matches!(kind, EventKind::Closed(_))), "{told:?}");
    assert_eq!(server.machine.paths(only(&server)).len(), 1);
}

#[test]
fn requests_may_overtake_each_other_and_a_used_one_is_worth_nothing() {
    let setting = Setting::new(64);
    let (mut client, mut server) = met(&setting);
    let now = Instant::from_secs(1);
    let inits: Datagrams = (0..3).map(|_| request(&mut client, now)).collect();
    for init in inits.iter().rev() {
        talk(&mut client, &mut server, now, vec![init.clone()]);
    }
    assert_eq!(server.machine.paths(only(&server)).len(), 4);
    for init in &inits {
        assert_eq!(feed(&mut server, now, elsewhere(1), init), []);
    }
    assert_eq!(server.machine.half_open(), 0);
}

#[test]
fn a_host_that_takes_no_connections_is_silent_to_strangers_even_while_it_has_one_of_its_own() {
    let setting = Setting::new(65);
    let (mut client, _server) = met(&setting);
    let now = Instant::from_secs(1);
    let attach = Attach { session: session(&client), count: 1, purpose: Purpose::Replaces };
    for attach in [None, Some(attach)] {
        let init = forged(setting.client_eid(), 6, |opening| opening.attach = attach);
        assert_eq!(bytes_to(elsewhere(1), &feed(&mut client, now, elsewhere(1), &init)), 0);
    }
}

#[test]
fn a_refusal_does_not_wait_for_the_next_thing_to_happen() {
    let setting = Setting::new(66);
    let mut server = setting.server_node(0);
    let init = forged(setting.target().eid, 7, |opening| opening.ciphers = vec![Cipher::WeakChecksum]);
    assert!(answered(&feed(&mut server, Instant::ZERO, elsewhere(1), &init)));
}

#[test]
fn channels_taken_and_dropped_again_and_again_are_not_all_remembered() {
    let setting = Setting::new(67);
    let (mut client, mut server) = met(&setting);
    let now = Instant::from_secs(1);
    let mut first = None;
    for _ in 0..30 {
        let id = only(&client);
        let init = request(&mut client, now);
        let reply = to_wire(feed(&mut server, now, AT_A, &init));
        let confirming: Datagrams = reply.iter().flat_map(|it| to_wire(feed(&mut client, now, AT_B, it))).collect();
        // The older channel may have something to say before it.
        first.get_or_insert_with(|| confirming.last().cloned().expect("a packet"));
        talk(&mut client, &mut server, now, confirming);
        let newest = client.machine.paths(id).last().expect("a channel").path;
        client.machine.detach(now, id, Some(newest));
        let farewell = to_wire(pump(&mut client, now));
        talk(&mut client, &mut server, now, farewell);
    }
    assert_eq!(server.machine.paths(only(&server)).len(), 1);
    let said = feed(&mut server, now, AT_A, &first.expect("there were some"));
    assert_eq!(said.len(), 1, "a channel long gone is reset: it is unknown");
}

#[test]
fn strangers_who_ask_for_streams_that_nobody_has_soon_need_a_cookie_before_they_cost_an_exchange() {
    let setting = Setting::new(68);
    let mut server = setting.server_node(0);
    let attach = Attach { session: SessionId::MIN, count: 1, purpose: Purpose::Beside };
    let mut cookies = 0;
    for i in 0..400 {
        let init = forged(setting.target().eid, i, |opening| opening.attach = Some(attach));
        let said = feed(&mut server, Instant::from_secs(1), elsewhere(1), &init);
        cookies += said.iter().filter(|(_, datagram)| datagram[0] == 0x03).count();
    }
    assert!(cookies >= 150, "{cookies}");
}

#[test]
fn a_peer_that_gives_its_channels_up_is_left_alone_until_somebody_has_something_to_say() {
    for client_leaves in [true, false] {
        let mut run = Setting::new(69).start();
        run.finish(60 * SECOND);
        let (a, b) = (run.a, run.b);
        run.world.run_until(Instant::from_secs(20));
        let leaver = if client_leaves { a } else { b };
        let (id, now) = (only(run.world.node(leaver)), run.world.now());
        run.host(leaver).detach(now, id, None);
        run.world.run_until(now + 10 * SECOND);
        for node in [a, b] {
            let id = only(run.world.node(node));
            assert!(run.host(node).paths(id).is_empty(), "client leaves: {client_leaves}");
        }
        ask(&mut run, 1_000);
        run.finish(60 * SECOND);
    }
}

fn ask(run: &mut Run, len: u64) {
    let a = run.a;
    if let Side::Client(client) = &mut run.world.node_mut(a).app {
        client.ask(len);
    }
}

#[test]
fn a_request_into_the_void_holds_nothing_back() {
    let mut setting = Setting::new(70);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_millis(300));
    let (a, b, now) = (run.a, run.b, run.world.now());
    let void: IpAddr = ipv4(99);
    for node in [a, b] {
        let id = only(run.world.node(node));
        run.host(node).attach(now, id, None, &[(void, PORT).into()]).expect("room for a channel");
    }
    let took = run.finish(60 * SECOND);
    assert!(took < 4 * SECOND, "{took:?}");
}

#[test]
fn what_a_request_carries_goes_another_way_when_an_old_channel_recovers_first() {
    let mut setting = Setting::new(71);
    setting.sizes = vec![5_000_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_millis(300));
    // Back on the old channel before the peer has learned where to answer: requests from the server go to nobody.
    let (a, b, now) = (run.a, run.b, run.world.now());
    let there = only(run.world.node(b));
    run.world.outage(run.link, now, now + 5 * SECOND);
    run.host(b).reach(now, there, vec![(ipv4(99), PORT).into()]);
    let id = only(run.world.node(a));
    run.host(a).reach(now, id, vec![(ipv4(98), PORT).into()]);
    let took = run.finish(60 * SECOND);
    assert!(took < 12 * SECOND, "{took:?}");
}

#[test]
fn streams_are_taken_only_from_what_has_ended() {
    let setting = Setting::new(72);
    let (mut client, mut server) = met(&setting);
    let id = only(&client);
    assert!(client.machine.take_streams(id).is_none(), "they are in use");
    client.machine.close(Instant::ZERO, id, 0, "");
    assert!(client.machine.take_streams(id).is_some());
    assert!(client.machine.streams(id).is_none(), "nothing can be opened on what is gone");
    assert_eq!(client.machine.protocol_name(id), None, "nor does it speak anything");
    let farewell = to_wire(pump(&mut client, Instant::ZERO));
    talk(&mut client, &mut server, Instant::ZERO, farewell);
    assert!(
        matches!(events(&server).last(), Some(EventKind::Closed(CloseCause::Peer { .. }))),
        "{:?}",
        events(&server)
    );
}

#[test]
fn a_copy_of_an_init_that_comes_after_its_channel_is_up_begins_nothing() {
    let mut setting = Setting::new(68);
    setting.service.first_data = FirstData::Unproven;
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let init = to_wire(pump(&mut client, Instant::ZERO));
    talk(&mut client, &mut server, Instant::ZERO, init.clone());
    let told = events(&server);
    let tables = |server: &Node| {
        let held = server.machine.accounting();
        (held.connections, held.channels, held.sessions, held.half_open, held.channel_ids)
    };
    let held = tables(&server);
    // The path was slow, and the client impatient; or somebody else is late with a copy.
    for from in [AT_A, elsewhere(1)] {
        assert!(!answered(&feed(&mut server, Instant::from_secs(1), from, &init[0])));
    }
    assert_eq!((events(&server), tables(&server)), (told, held));
}

#[test]
fn a_copy_of_an_init_whose_sender_was_heard_of_only_to_say_goodbye_begins_nothing() {
    let mut setting = Setting::new(69);
    setting.service.first_data = FirstData::Unproven;
    let (mut client, mut server) = (setting.client_node(setting.target()), setting.server_node(0));
    let init = to_wire(pump(&mut client, Instant::ZERO));
    let reply = to_wire(feed(&mut server, Instant::ZERO, AT_A, &init[0]));
    // What the client says first is lost, its CLOSE is not.
    reply.iter().for_each(|datagram| drop(feed(&mut client, Instant::ZERO, AT_B, datagram)));
    let id = only(&client);
    client.machine.close(Instant::ZERO, id, 0, "");
    let close = to_wire(pump(&mut client, Instant::ZERO));
    assert!(!close.is_empty());
    close.iter().for_each(|datagram| drop(feed(&mut server, Instant::ZERO, AT_A, datagram)));
    let told = events(&server);
    for from in [AT_A, elsewhere(1)] {
        assert!(!answered(&feed(&mut server, Instant::from_millis(1), from, &init[0])));
    }
    assert_eq!((events(&server), server.machine.accounting().half_open), (told, 0));
}
