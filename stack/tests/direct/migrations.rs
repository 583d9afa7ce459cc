//! Many seeds of outages, moves, second paths and sleep: every byte arrives, nothing is left.

use core::net::IpAddr;
use core::time::Duration;

use tng_base::{Instant, Rng};
use tng_sim::topology::{A, B, ipv4};
use tng_sim::{Link, LinkId, Loss, PORT};
use tng_stack::{CloseCause, ConnectionId, EventKind, Identity};

use crate::world::{A2, Node, Run, Setting, Side};

/// What happens to a connection while it carries blocks.
#[derive(Debug)]
enum Blow {
    /// No packet passes on one link, or on both.
    Outage { first: bool, second: bool, ms: u64 },
    /// The client's address on the first link changes.
    ClientMoves,
    /// Both hosts' addresses change, and the client learns where the server is 100 ms later.
    BothMove,
    /// The client's NAT forgets.
    Rebind,
    /// The client asks for a second path.
    SecondPath,
    /// One end gives its channels up.
    Detach { client: bool },
    /// The server asks for a channel to the client's second address.
    ServerAttaches,
    /// A request for a channel goes where nobody is.
    IntoTheVoid { client: bool },
    /// One end gives up the channel that it has had longest.
    DropOldest { client: bool },
}

fn blow(rng: &mut Rng) -> Blow {
    match rng.below(11) {
        0 | 1 => Blow::Outage { first: true, second: rng.chance(0.5), ms: 100 + rng.below(20_000) },
        2 => Blow::Outage { first: true, second: true, ms: 30_000 + rng.below(15_000) },
        3 => Blow::ClientMoves,
        4 => Blow::BothMove,
        5 => Blow::Rebind,
        6 => Blow::SecondPath,
        7 => Blow::ServerAttaches,
        8 => Blow::IntoTheVoid { client: rng.chance(0.5) },
        9 => Blow::DropOldest { client: rng.chance(0.5) },
        _ => Blow::Detach { client: rng.chance(0.5) },
    }
}

/// Where the hosts are now.
struct Places {
    client: IpAddr,
    server: IpAddr,
    moves: u16,
}

fn client_id(node: &Node) -> Option<ConnectionId> {
    match &node.app {
        Side::Client(client) => client.connection,
        Side::Server(_) => None,
    }
}

fn strike(run: &mut Run, second: LinkId, at: &mut Places, blow: &Blow) {
    let (a, b, link, world) = (run.a, run.b, run.link, &mut run.world);
    let now = world.now();
    let mut fresh = || {
        at.moves += 1;
        ipv4(100 + at.moves)
    };
    match blow {
        Blow::Outage { first, second: both, ms } => {
            let until = now + Duration::from_millis(*ms);
            for link in first.then_some(link).into_iter().chain(both.then_some(second)) {
                world.outage(link, now, until);
            }
        }
        Blow::ClientMoves => {
            let new = fresh();
            let old = core::mem::replace(&mut at.client, new);
            world.change_address(a, old, Some(new));
        }
        Blow::BothMove => {
            let (new, new_server) = (fresh(), fresh());
            let old = core::mem::replace(&mut at.client, new);
            let old_server = core::mem::replace(&mut at.server, new_server);
            world.change_address(a, old, Some(new));
            world.change_address(b, old_server, Some(new_server));
            world.at(now + Duration::from_millis(100), move |world| {
                let now = world.now();
                let node = world.node_mut(a);
                if let Some(id) = client_id(node) {
                    node.machine.reach(now, id, vec![(new_server, PORT).into()]);
                }
            });
        }
        Blow::Rebind => {
            let client = at.client;
            at.moves += 1;
            let seen = (ipv4(100 + at.moves), 50_000 + at.moves).into();
            world.rebind(a, client, seen);
        }
        Blow::SecondPath => {
            let server = (at.server, PORT).into();
            let node = world.node_mut(a);
            if let Some(id) = client_id(node) {
                // There may be too many, or none that is settled: then nothing happens.
                let _ = node.machine.attach(now, id, Some(A2), &[server]);
            }
        }
        Blow::Detach { client } => {
            let node = world.node_mut(if *client { a } else { b });
            let ids: Vec<ConnectionId> = node.machine.connections().collect();
            for id in ids {
                node.machine.detach(now, id, None);
            }
        }
        Blow::ServerAttaches => {
            let node = world.node_mut(b);
            for id in node.machine.connections().collect::<Vec<_>>() {
                let _ = node.machine.attach(now, id, None, &[(A2, PORT).into()]);
            }
        }
        Blow::IntoTheVoid { client } => {
            let node = world.node_mut(if *client { a } else { b });
            for id in node.machine.connections().collect::<Vec<_>>() {
                let _ = node.machine.attach(now, id, None, &[(ipv4(99), PORT).into()]);
            }
        }
        Blow::DropOldest { client } => {
            let node = world.node_mut(if *client { a } else { b });
            for id in node.machine.connections().collect::<Vec<_>>() {
                let oldest = node.machine.paths(id).first().map(|path| path.path);
                if oldest.is_some() {
                    node.machine.detach(now, id, oldest);
                }
            }
        }
    }
}

fn ride(seed: u64) {
    let mut rng = Rng::from_u64(seed ^ 0x6d69_6772);
    let road = |rng: &mut Rng| {
        let loss = [0.0, 0.0, 0.01, 0.05, 0.1][rng.below(5) as usize];
        let rate = [2_000_000, 10_000_000, 50_000_000][rng.below(3) as usize];
        let road = Link::new().rate(rate).delay(Duration::from_millis(1 + rng.below(60))).loss(Loss::Independent(loss));
        match rng.below(4) {
            0 => road.duplicate(0.02).corrupt(0.01).reorder(0.05, Duration::from_millis(1 + rng.below(100))),
            _ => road,
        }
    };
    let mut setting = Setting::new(seed);
    setting.link = road(&mut rng);
    let other = road(&mut rng);
    setting.sizes = (0..1 + rng.below(8)).map(|_| 8 + rng.below(14)).collect();
    setting.sizes = setting.sizes.iter().map(|bits| rng.below(1 << bits)).collect();
    for config in [&mut setting.client, &mut setting.server] {
        config.keep.time = Some(Duration::from_secs(400));
        config.set_up_timeout = Duration::from_secs(60);
    }
    let blows: Vec<(u64, Blow)> = (0..1 + rng.below(6)).map(|_| (20 + rng.below(20_000), blow(&mut rng))).collect();
    // Some come all at once.
    let at_once = rng.chance(0.2);
    let blows: Vec<(u64, Blow)> =
        blows.into_iter().map(|(ms, blow)| (if at_once { 1_000 } else { ms }, blow)).collect();
    let words = format!("{blows:?}");
    let (mut run, second) = setting.start_with_two_paths(&other);
    let mut places = Places { client: A, server: B, moves: 0 };
    let mut times: Vec<&(u64, Blow)> = blows.iter().collect();
    times.sort_by_key(|(ms, _)| *ms);
    let (a, more) = (run.a, rng.below(1 << 18));
    // Before that the streams are nobody's yet.
    let b = run.b;
    run.world.wait_until(Instant::from_secs(60), |world| world.node(b).machine.confirmed() > 0);
    for (ms, blow) in times {
        run.world.run_until(Instant::from_millis(*ms));
        strike(&mut run, second, &mut places, blow);
        // There is always something to carry across.
        if let Side::Client(client) = &mut run.world.node_mut(a).app {
            client.ask(more);
        }
    }
    let done = run.world.wait_until(Instant::from_secs(600), |world| match &world.node(a).app {
        Side::Client(client) => client.is_done() || client.ended().is_some(),
        Side::Server(_) => false,
    });
    let client = run.client();
    let (failed, ended) = (&client.failed, client.ended());
    assert!(done && failed.is_empty() && client.is_done(), "seed {seed} ({words}): failed {failed:?}, ended {ended:?}");
    // Both applications let their streams sleep; then the connection, its channels, and everything of them go.
    let idle = run.world.now() + Duration::from_secs(1_500);
    assert!(run.world.run_until_idle(idle), "seed {seed} ({words}): never idle");
    for id in [run.a, run.b] {
        assert!(run.host(id).is_empty(), "seed {seed} ({words}): a connection is left");
        assert_eq!(run.host(id).half_open(), 0, "seed {seed} ({words})");
    }
}

/// One end is begun anew: the other is told, in words that say so, and what it had to say fails.
fn restart(seed: u64) {
    let mut rng = Rng::from_u64(seed ^ 0x7265_7374);
    let mut setting = Setting::new(seed);
    setting.link = Link::new().rate(10_000_000).delay(Duration::from_millis(1 + rng.below(60)));
    setting.link = setting.link.loss(Loss::Independent([0.0, 0.01, 0.1][rng.below(3) as usize]));
    setting.sizes = vec![1 << (10 + rng.below(14)), 30_000_000];
    let server = rng.chance(0.5);
    let mut run = setting.start();
    run.world.run_until(Instant::from_millis(300 + rng.below(8_000)));
    let gone = if server { run.b } else { run.a };
    run.world.stop(gone);
    // Sooner or later than anybody has missed it.
    run.world.run_until(run.world.now() + Duration::from_millis(rng.below(50_000)));
    if server {
        let fresh = run.setting.server_node(1);
        run.world.start(gone, fresh);
        let limit = run.world.now() + Duration::from_secs(130);
        run.world.run_until(limit);
        // One that only waits for more hears of it when it has waited long enough, and any other asks.
        let ends = [CloseCause::Reset, CloseCause::Idle].map(EventKind::Closed);
        let typed = run.client().ended().is_some_and(|ended| ends.contains(ended));
        assert!(typed, "seed {seed}: {:?}", run.client().events);
        assert_eq!(
            run.client().events.iter().filter(|(_, event)| matches!(event.kind, EventKind::Closed(_))).count(),
            1
        );
    } else {
        run.setting.sizes = vec![100_000];
        let mut fresh = run.setting.client_node(run.setting.target());
        fresh.machine = tng_stack::Host::new(
            run.setting.client.clone(),
            Identity::from_seed([seed as u8; 32]),
            [seed as u8 ^ 0x11; 32],
        );
        run.world.start(gone, fresh);
        let (now, world) = (run.world.now(), &mut run.world);
        world.wait_until(now + Duration::from_secs(400), |world| match &world.node(gone).app {
            Side::Client(client) => client.is_done() || client.ended().is_some(),
            Side::Server(_) => false,
        });
        assert!(run.client().is_done(), "seed {seed}: the fresh one is served: {:?}", run.client().events);
    }
    let end = run.world.now() + Duration::from_secs(300);
    assert!(run.world.run_until_idle(end), "seed {seed}: never idle");
    assert!(run.host(run.a).is_empty() && run.host(run.b).is_empty(), "seed {seed}: a connection is left");
    let closed = run.server().events.iter().filter(|event| matches!(event.kind, EventKind::Closed(_))).count();
    let accepted = run.server().events.iter().filter(|event| matches!(event.kind, EventKind::Accepted { .. })).count();
    assert_eq!(accepted, closed, "seed {seed}: everything that began has ended: {:?}", run.server().events);
}

#[test]
fn a_process_that_is_begun_anew_is_told_from_the_one_before_and_every_end_is_told_once() {
    (0..40).for_each(restart);
}

/// `TNG_SEEDS=10000 cargo test -p tng-stack --test direct migrations` runs more than the usual 500.
#[test]
fn every_seed_of_outages_and_moves_arrives_byte_for_byte_and_leaves_nothing() {
    let seeds = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(500);
    (0..seeds).for_each(ride);
}
