//! One budget for what all connections hold: unread answers, credit promised and used, connections that do nothing
//! (docs/attacks.md, 37 and 38; docs/machines.md, "Budget").

use core::time::Duration;

use tng_base::Instant;
use tng_sim::topology::{B, ipv4};
use tng_sim::{Link, MachineNode, NodeId, World};
use tng_stack::structured::StreamId;
use tng_stack::{
    Accounting, CONNECTION_COST, ConnectionId, FIRST_WINDOW, FIRST_WINDOW_MIN, Host, HostConfig, Identity, STUCK_AFTER,
};

use crate::apps::{Client, SERVICE};
use crate::world::{Node, Setting, Side};

const MIB: u64 = 1 << 20;
/// What the server may hold in these tests.
const MEMORY: u64 = 16 * MIB;
/// Streams that a hostile peer asks for, as many as `tng serve` answers at once.
const STREAMS: usize = 64;
/// Identities of the hostile.
const IDENTITIES: u8 = 8;

/// Of the client that came as this one.
fn seed_of(client: u16) -> [u8; 32] {
    let mut seed = [0x5a; 32];
    seed[..2].copy_from_slice(&client.to_be_bytes());
    seed
}

/// A server, and clients that are each behind a link of their own.
struct Hall {
    world: World<Node>,
    server: NodeId,
    router: NodeId,
    setting: Setting,
    link: Link,
    clients: u16,
}

impl Hall {
    fn new(seed: u64, change: impl FnOnce(&mut HostConfig)) -> Hall {
        let mut setting = Setting::new(seed);
        setting.service.substreams = true;
        (setting.server.memory_max, setting.server.connections_max) = (MEMORY, 64);
        change(&mut setting.server);
        let mut world = World::new(seed);
        let (server, router) = (world.host("server", &[B], setting.server_node(0)), world.router("router"));
        let link = Link::new().rate(1_000_000_000).delay(Duration::from_millis(5));
        world.connect(server, router, &link);
        Hall { world, server, router, setting, link, clients: 0 }
    }

    /// Somebody with an identity of their own.
    fn enter(&mut self, config: &HostConfig, sizes: &[u64]) -> NodeId {
        self.enter_hearing(config, sizes, |_| true)
    }

    /// The same, who hears only such datagrams.
    fn enter_hearing(&mut self, config: &HostConfig, sizes: &[u64], hears: impl Fn(&[u8]) -> bool + 'static) -> NodeId {
        self.clients += 1;
        let seed = seed_of(self.clients);
        let host = Host::new(config.clone(), Identity::from_seed(seed), seed);
        let client = Client::new(self.setting.target(), sizes);
        let name = format!("client {}", self.clients);
        let node = self.world.host(&name, &[ipv4(100 + self.clients)], MachineNode::new(host, Side::Client(client)));
        let link = self.world.connect(node, self.router, &self.link);
        self.world.intercept(link.back(), move |_, packet| hears(&packet.payload));
        self.pass(Duration::from_millis(100));
        node
    }

    fn pass(&mut self, time: Duration) {
        let until = self.world.now() + time;
        self.world.run_until(until);
    }

    fn host(&mut self, id: NodeId) -> &mut Host {
        &mut self.world.node_mut(id).machine
    }

    fn connection(&mut self, id: NodeId) -> ConnectionId {
        self.host(id).connections().next().expect("it has connected")
    }

    /// What the server holds, which all its tables agree on.
    fn held(&self) -> Accounting {
        let host = &self.world.node(self.server).machine;
        let held = host.accounting();
        assert_eq!(held, host.recount());
        held
    }

    /// Asks for many large answers and reads none of them.
    fn ask_and_read_nothing(&mut self, at: NodeId) {
        let connection = self.connection(at);
        let streams = self.host(at).streams(connection).expect("connected");
        for _ in 0..STREAMS {
            let id = streams.open(SERVICE.0, SERVICE.1).expect("credit");
            streams.write(id, &(8 * MIB).to_be_bytes()).expect("room");
            streams.finish(id).expect("open");
        }
    }

    /// Opens children that nobody accepts, and sends them as much as the server lets it for a while.
    fn send_what_nobody_reads(&mut self, at: NodeId, connection: ConnectionId, time: Duration) {
        let streams = self.host(at).streams(connection).expect("connected");
        let parent = streams.open(SERVICE.0, SERVICE.1).expect("credit");
        let children: Vec<StreamId> = (0..8).map(|_| streams.open_child(parent).expect("credit")).collect();
        let end = self.world.now() + time;
        while self.world.now() < end {
            let streams = self.host(at).streams(connection).expect("connected");
            for child in &children {
                while streams.write(*child, &[7; 65_536]).is_ok() {}
            }
            self.pass(Duration::from_millis(20));
        }
    }

    /// How long somebody honest waits for an answer of so many bytes.
    fn time_of(&mut self, bytes: u64) -> Duration {
        let began = self.world.now();
        let config = self.setting.client.clone();
        let node = self.enter(&config, &[bytes]);
        let is_done = |world: &World<Node>| match &world.node(node).app {
            Side::Client(client) => {
                assert!(client.ended().is_none() && client.failed.is_empty(), "{:?}", client.ended());
                client.is_done()
            }
            Side::Server(_) => unreachable!("it is a client"),
        };
        assert!(self.world.wait_until(began + Duration::from_secs(60), is_done), "it never came");
        let Side::Client(client) = &self.world.node(node).app else { unreachable!("it is a client") };
        client.done[0].1.since(began)
    }
}

/// A peer that takes little, so that what it asks for stays with the server.
fn hostile(setting: &Setting) -> HostConfig {
    let mut config = setting.client.clone();
    (config.streams.stream_window, config.streams.host_window) = (4096, 16_384);
    config
}

/// A host whose budget has no end.
fn unbounded(config: &mut HostConfig) {
    (config.memory_max, config.connections_max) = (u64::MAX / 2, 256);
    (config.streams.unsent_all_max, config.streams.blocked_all_max) = (u64::MAX, u64::MAX);
    config.streams.host_window_first = config.streams.host_window;
}

fn unread_answers(change: impl FnOnce(&mut HostConfig)) -> (u64, Duration) {
    let mut hall = Hall::new(31, change);
    for _ in 0..IDENTITIES {
        let at = hall.enter(&hostile(&hall.setting), &[]);
        hall.ask_and_read_nothing(at);
    }
    hall.pass(Duration::from_secs(2));
    let held = hall.held();
    let time = hall.time_of(2 * MIB);
    hall.held();
    (held.streams.page_bytes as u64, time)
}

#[test]
fn answers_that_many_peers_ask_for_and_do_not_read_cost_no_more_than_the_budget() {
    let alone = Hall::new(31, |_| {}).time_of(2 * MIB);
    let (held, time) = unread_answers(|_| {});
    println!("8 x 64 unread answers: {held} bytes held; an honest answer took {time:?}, {alone:?} alone");
    assert!(held <= MEMORY, "{held}");
    assert!(time <= 2 * alone, "{time:?} beside them, {alone:?} alone");
    let (held, _) = unread_answers(unbounded);
    println!("without the budget: {held} bytes held");
    assert!(held > 10 * MEMORY, "control: without the budget they cost {held}");
}

#[test]
fn sixty_four_unread_answers_of_one_peer_do_not_each_hold_a_full_buffer() {
    for (bounded, expected) in [(true, 0..=MIB), (false, 24 * MIB..=40 * MIB)] {
        let mut hall = Hall::new(32, |config| {
            config.memory_max = 256 * MIB;
            if !bounded {
                unbounded(config);
            }
        });
        let at = hall.enter(&hostile(&hall.setting), &[]);
        hall.ask_and_read_nothing(at);
        hall.pass(Duration::from_secs(2));
        let held = hall.held().streams.page_bytes as u64;
        println!("64 unread answers of one peer, bounded {bounded}: {held} bytes");
        assert!(expected.contains(&held), "{bounded}: {held}");
    }
}

fn unread_bytes(change: impl FnOnce(&mut HostConfig)) -> (Accounting, Duration) {
    let mut hall = Hall::new(33, change);
    for _ in 0..IDENTITIES {
        let mut config = hall.setting.client.clone();
        config.memory_max = 1 << 40;
        let at = hall.enter(&config, &[]);
        let connection = hall.connection(at);
        hall.send_what_nobody_reads(at, connection, Duration::from_secs(1));
    }
    let held = hall.held();
    (held, hall.time_of(2 * MIB))
}

#[test]
fn bytes_that_many_peers_send_and_nobody_reads_cost_no_more_than_the_budget() {
    let alone = Hall::new(33, |_| {}).time_of(2 * MIB);
    let (held, time) = unread_bytes(|_| {});
    println!("8 peers with unread bytes: {} bytes; an honest answer took {time:?}, {alone:?} alone", held.memory.0);
    assert!(held.memory.0 <= MEMORY && held.streams.unread_bytes > MIB, "{held:?}");
    assert!(time <= 2 * alone, "{time:?} beside them, {alone:?} alone");
    let (held, _) = unread_bytes(unbounded);
    println!("without the budget: {} bytes", held.memory.0);
    assert!(held.memory.0 > 10 * MEMORY, "control: without the budget they cost {}", held.memory.0);
}

/// What a server promises, and holds, when one peer begins many connections at once and then uses what it was given.
fn at_once(change: impl FnOnce(&mut HostConfig)) -> u64 {
    let mut hall = Hall::new(34, change);
    let config = hall.setting.client.clone();
    let at = hall.enter(&config, &[]);
    let (now, target) = (hall.world.now(), hall.setting.target());
    for _ in 0..64 {
        hall.host(at).connect(now, target.clone()).expect("an address");
    }
    hall.pass(Duration::from_secs(1));
    assert_eq!(hall.held().connections, 65);
    hall.held().memory.0
}

#[test]
fn the_connections_of_one_peer_share_what_it_is_promised_though_it_begins_them_at_once() {
    let change = |config: &mut HostConfig| (config.memory_max, config.connections_max) = (256 * MIB, 256);
    let promised = at_once(change);
    println!("65 connections of one peer: {promised} bytes promised and held");
    assert!(promised <= 256 * MIB / 4, "{promised}");
    let promised = at_once(unbounded);
    println!("without the budget: {promised} bytes");
    assert!(promised >= 65 * 32 * MIB, "control: each is promised all that there is");
}

/// What a connection is promised at first and later, and what it carries in two seconds to a service that reads.
fn uploaded(change: impl FnOnce(&mut HostConfig)) -> (u64, u64, u64) {
    let mut hall = Hall::new(35, change);
    let config = hall.setting.client.clone();
    let at = hall.enter(&config, &[]);
    let connection = hall.connection(at);
    let streams = hall.host(at).streams(connection).expect("connected");
    let stream = streams.open(SERVICE.0, SERVICE.1).expect("credit");
    let first = streams.stats().bytes_admitted;
    let end = hall.world.now() + Duration::from_secs(2);
    let (mut written, mut admitted) = (0, 0);
    while hall.world.now() < end {
        let streams = hall.host(at).streams(connection).expect("connected");
        while let Ok(n) = streams.write(stream, &[0; 65_536]) {
            written += n as u64;
        }
        admitted = admitted.max(streams.stats().bytes_admitted);
        hall.pass(Duration::from_millis(1));
    }
    (first, admitted, written)
}

#[test]
fn who_is_read_is_promised_more_and_loses_no_speed() {
    let ((first, later, bounded), (.., unbounded)) =
        (uploaded(|config| config.memory_max = 256 * MIB), uploaded(unbounded));
    println!("first window {first}, later {later}; {bounded} bytes in 2 s, {unbounded} without a budget");
    assert!(first <= FIRST_WINDOW && later > 2 * first, "{first}, then {later}");
    assert!(bounded as f64 > 0.9 * unbounded as f64, "{bounded} of {unbounded}");
}

#[test]
fn with_a_budget_for_next_to_nothing_every_stream_still_goes_on() {
    for seed in 41..44 {
        let mut setting = Setting::new(seed);
        (setting.server.memory_max, setting.server.connections_max) = (MIB / 2, 4);
        (setting.client.memory_max, setting.client.connections_max) = (MIB / 2, 4);
        setting.sizes = vec![100_000; 40];
        let mut run = setting.start();
        run.finish(Duration::from_secs(300));
        let held = run.host(run.b).accounting();
        assert!(held.memory.0 <= MIB / 2, "{held:?}");
    }
}

/// A client comes, and has a stream that is open: one that has none is as good as gone.
fn come(hall: &mut Hall) -> NodeId {
    let config = hall.setting.client.clone();
    let node = hall.enter(&config, &[]);
    open_one(hall, node);
    hall.pass(Duration::from_millis(500));
    node
}

/// Opens a stream, if there is a connection.
fn open_one(hall: &mut Hall, node: NodeId) {
    let connection = hall.host(node).connections().next();
    if let Some(connection) = connection
        && let Some(streams) = hall.host(node).streams(connection)
        && let Ok(stream) = streams.open(SERVICE.0, SERVICE.1)
    {
        streams.write(stream, b"?").expect("room");
    }
}

/// Sends so many bytes that nobody reads.
fn stand_still(hall: &mut Hall, node: NodeId, bytes: usize) {
    let connection = hall.connection(node);
    let streams = hall.host(node).streams(connection).expect("connected");
    let parent = streams.open(SERVICE.0, SERVICE.1).expect("credit");
    let child = streams.open_child(parent).expect("credit");
    assert_eq!(streams.write(child, &vec![1; bytes]), Ok(bytes));
}

const FEW: u64 = 256 << 10;

/// A server that has no room for one more, and who is there.
fn full(change: impl FnOnce(&mut HostConfig)) -> (Hall, Vec<NodeId>) {
    let mut hall = Hall::new(36, |config| {
        (config.memory_max, config.connections_max) = (FEW, 256);
        change(config);
    });
    let mut there = Vec::new();
    while hall.held().memory.0 + CONNECTION_COST + 2 * FIRST_WINDOW_MIN <= FEW {
        there.push(come(&mut hall));
        assert!(there.len() < 100, "{:?}", hall.held());
    }
    (hall, there)
}

fn ended(hall: &Hall, node: NodeId) -> bool {
    match &hall.world.node(node).app {
        Side::Client(client) => client.ended().is_some(),
        Side::Server(_) => unreachable!("it is a client"),
    }
}

#[test]
fn when_memory_is_short_nobody_who_does_something_gives_way_to_a_newcomer() {
    let (mut hall, there) = full(|_| {});
    let refused = come(&mut hall);
    assert!(ended(&hall, refused), "there is no room");
    assert!(there.iter().all(|node| !ended(&hall, *node)));
    // Control: the same with room.
    let (mut hall, _) = full(|config| config.memory_max = 2 * FEW);
    let admitted = come(&mut hall);
    assert!(!ended(&hall, admitted));
}

#[test]
fn when_memory_is_short_who_stands_still_gives_way_to_a_newcomer_and_nobody_else_does() {
    let (mut hall, there) = full(|_| {});
    stand_still(&mut hall, there[1], 3_000);
    hall.pass(Duration::from_millis(500));
    let early = come(&mut hall);
    assert!(ended(&hall, early) && !ended(&hall, there[1]), "control: it has done something just now");
    hall.pass(STUCK_AFTER);
    let second = come(&mut hall);
    assert!(!ended(&hall, second) && ended(&hall, there[1]), "in the place of the one that stood still");
    let third = come(&mut hall);
    assert!(ended(&hall, third), "all others do something");
    let others = there.iter().enumerate().filter(|(at, _)| *at != 1);
    assert!(others.map(|(_, node)| node).chain([&second]).all(|node| !ended(&hall, *node)));
}

#[test]
fn when_memory_is_short_those_give_way_first_who_need_it_least() {
    let mut hall = Hall::new(37, |config| {
        (config.memory_max, config.connections_max) = (FEW + 6_000, 256);
        config.idle_timeout = Some(Duration::from_secs(20));
        // Nobody has more than is guaranteed: who has gives way before memory is full.
        config.streams.host_window = FIRST_WINDOW_MIN;
    });
    let silent = hall.setting.client.clone();
    hall.setting.client.keep_alive = Some(Duration::from_secs(5));
    let detached = come(&mut hall);
    hall.world.stop(detached).expect("it ran");
    hall.pass(Duration::from_secs(40));
    println!("{:?}", hall.held());
    assert_eq!(hall.held().kept, 1, "its streams are kept for it");
    // What is promised counts as what has come, and bytes that have come by the page.
    let [less, more] = [3_000, 500].map(|bytes| {
        let node = come(&mut hall);
        stand_still(&mut hall, node, bytes);
        node
    });
    let quiet = hall.enter(&silent, &[]);
    let mut busy: Vec<NodeId> = (0..7).map(|_| come(&mut hall)).collect();
    hall.pass(STUCK_AFTER);
    // This one has shown its address and hears no REPLY. It would ask again, as a newcomer.
    let nearly = hall.enter_hearing(&silent, &[], |payload| payload[0] == 0x03);
    hall.world.stop(nearly).expect("it ran");
    println!("{:?}", hall.held());
    let left = |hall: &Hall| {
        let Accounting { half_open, kept, .. } = hall.held();
        [half_open == 0, kept == 0, ended(hall, quiet), ended(hall, more), ended(hall, less)]
    };
    assert_eq!(left(&hall), [false; 5], "control: nobody before there is need");
    for step in 0..5 {
        busy.push(come(&mut hall));
        assert_eq!(left(&hall), [0, 1, 2, 3, 4].map(|at| at <= step), "after newcomer {step}");
    }
    let refused = come(&mut hall);
    assert!(ended(&hall, refused), "nobody is left who would give way");
    assert!(busy.iter().all(|node| !ended(&hall, *node)));
}

/// Whether somebody who stands still has lost its connection to those who come and [hear](Hall::enter_hearing).
fn costs_a_connection(hears: fn(&[u8]) -> bool) -> bool {
    let (mut hall, there) = full(|_| {});
    stand_still(&mut hall, there[1], 3_000);
    hall.pass(STUCK_AFTER + Duration::from_millis(500));
    let config = hall.setting.client.clone();
    hall.enter_hearing(&config, &[], hears);
    hall.pass(Duration::from_secs(1));
    assert!(there.iter().all(|node| *node == there[1] || !ended(&hall, *node)));
    ended(&hall, there[1])
}

#[test]
fn when_memory_is_short_a_first_message_costs_nobody_a_connection_before_it_has_shown_its_address() {
    assert!(!costs_a_connection(|_| false));
    assert!(costs_a_connection(|payload| payload[0] == 0x03), "control: it does, once its COOKIE is shown");
}

/// The same where memory is not short before many of those come, and then a few who hear all.
fn flood_costs_a_connection(hears: bool) -> bool {
    let mut hall = Hall::new(40, |config| (config.memory_max, config.connections_max) = (4 * FEW, 64));
    let still = come(&mut hall);
    stand_still(&mut hall, still, 3_000);
    hall.pass(STUCK_AFTER);
    let config = hall.setting.client.clone();
    for _ in 0..40 {
        let node = hall.enter_hearing(&config, &[], move |_| hears);
        open_one(&mut hall, node);
    }
    let flooded = hall.held();
    for _ in 0..3 {
        come(&mut hall);
    }
    println!("{flooded:?}, then {:?}", hall.held());
    ended(&hall, still)
}

#[test]
fn before_memory_is_short_what_has_not_shown_its_address_gives_way_and_costs_nobody_a_connection() {
    assert!(!flood_costs_a_connection(false));
    assert!(flood_costs_a_connection(true), "control: as many who have shown it do");
}

#[test]
fn when_more_is_held_than_there_may_be_it_is_who_holds_most_that_gives_way_though_it_does_something() {
    for (memory, gives_way) in [(FEW, true), (2 * FEW, false)] {
        let mut hall = Hall::new(38, |config| (config.memory_max, config.connections_max) = (memory, 256));
        let there: Vec<NodeId> = (0..8).map(|_| come(&mut hall)).collect();
        let greedy = there[3];
        let connection = hall.connection(greedy);
        let streams = hall.host(greedy).streams(connection).expect("connected");
        for _ in 0..900 {
            let stream = streams.open(SERVICE.0, SERVICE.1).expect("credit");
            streams.write(stream, b"?").expect("room");
        }
        hall.pass(Duration::from_millis(500));
        assert_eq!(ended(&hall, greedy), gives_way, "of {memory} bytes");
        assert!(there.iter().all(|node| *node == greedy || !ended(&hall, *node)), "of {memory} bytes");
        assert!(hall.held().memory.0 <= memory);
    }
}

#[test]
fn when_all_have_left_nothing_is_held() {
    let (mut hall, there) = full(|_| {});
    for node in there {
        let (now, connection) = (hall.world.now(), hall.connection(node));
        hall.host(node).close(now, connection, 0, "");
    }
    hall.pass(Duration::from_secs(5));
    assert!(hall.held().is_empty(), "{:?}", hall.held());
    assert!(hall.world.now() < Instant::from_secs(60));
}
