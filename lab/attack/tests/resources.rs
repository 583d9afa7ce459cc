//! The resource model on a host in virtual time: each message at its worst, an honest client beside it.

mod hand;
mod world;

use core::time::Duration;

use tng_attack::{ATTACKS, COUNTED, Drive, HELD_HOST_MAX, MODEL_MEMORY, RESOURCES, STORMS, Sender, find};
use tng_stack::structured::FirstData;
use tng_stack::{Access, HostConfig};
use world::{Server, World};

/// Hosts that send a message at its worst at the same time, a datagram a millisecond each.
const SOURCES: [u8; 3] = [1, 4, 16];

/// Beside the most of them the service answers no more requests of a peer at once than this, as `tng serve` does
/// (docs/limits.md, `REQUESTS_MAX`); beside fewer it answers all.
const REQUESTS_MAX: usize = 64;

/// A host as `tng serve --memory` sets one up, whose service answers so many requests of a peer.
fn served(at_once: usize) -> World {
    let mut config = HostConfig::new(Access::Public);
    (config.connections_max, config.half_open_max, config.cookie_above) = (256, 256, 64);
    config.memory_max = MODEL_MEMORY;
    let mut server = Server::new(config, FirstData::Proven);
    server.service.at_once = at_once;
    World::new(server)
}

/// How long an honest client takes where nobody attacks.
fn calm() -> Duration {
    served(usize::MAX).fetch().expect("nobody keeps it out")
}

#[test]
fn every_message_that_a_host_takes_is_bounded_at_its_worst_and_delays_an_honest_client_by_no_more_than_its_own_time() {
    let (calm, mut broken) = (calm(), Vec::new());
    for row in RESOURCES {
        let Drive::Attack(name) = row.drive else { continue };
        let attack = find(name).unwrap_or_else(|| panic!("{}: there is no {name}", row.message));
        for sources in SOURCES {
            let mut world = served(if sources < 16 { usize::MAX } else { REQUESTS_MAX });
            world.begin(attack, sources, true);
            world.run(Duration::from_millis(if sources == 1 { 600 } else { 400 }));
            let alone = world.server.most_bytes;
            let took = world.fetch();
            world.run(Duration::from_millis(100));
            let context = format!("{} by {name}: {:?}", row.message, world.tally());
            assert!(world.tally().sent > 100, "{context}: it was not driven");
            let held = world.server.most_bytes;
            // What the honest client was sent, and has not acknowledged.
            let honest = 1 << 20;
            let figures = format!("{alone} bytes for {sources}, {held} later; {took:?}, in the calm {calm:?}");
            println!("{} by {name}: {figures}", row.message);
            let holds = (sources > 1 || alone <= row.held_max)
                && held <= row.held_host_max + honest
                && took.is_some_and(|took| took <= 2 * calm);
            if !holds {
                broken.push(format!("{context}: {figures}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn what_is_measured_sees_what_is_held() {
    // Control: without a bound on half-open entries a flood of strangers holds more than the model allows one of them.
    let mut config = HostConfig::new(Access::Public);
    (config.half_open_max, config.cookie_above) = (usize::MAX, usize::MAX);
    let mut world = World::new(Server::new(config, FirstData::Proven));
    world.begin(find("spoof-flood").expect("it is there"), 4, true);
    world.run(Duration::from_millis(2_000));
    let row = RESOURCES.iter().find(|row| row.message == "INIT").expect("it is there");
    assert!(world.server.most_bytes > row.held_max, "{} bytes", world.server.most_bytes);
    // Control: where all requests of all peers are answered at once, sixteen keep an honest client out.
    let mut world = served(usize::MAX);
    world.begin(find("storm-put").expect("it is there"), 16, true);
    world.run(Duration::from_millis(400));
    assert_eq!(world.fetch(), None);
}

#[test]
fn every_storm_drives_a_row_and_every_row_is_sane() {
    let driven =
        |name| RESOURCES.iter().any(|row| matches!(row.drive, Drive::Attack(by) | Drive::Process(by) if by == name));
    for storm in STORMS {
        assert!(driven(storm.name), "{} drives nothing", storm.name);
        assert!(ATTACKS.iter().all(|attack| attack.name != storm.name), "{} twice", storm.name);
    }
    for (name, work) in COUNTED {
        assert!(driven(*name) && *work > 0, "{name}");
    }
    for row in RESOURCES {
        assert!(row.held_max <= row.held_host_max && row.held_host_max <= HELD_HOST_MAX, "{}", row.message);
        assert_eq!(row.work().is_some(), row.counted_under().is_some(), "{}: tng-count hostile --write", row.message);
        assert!(!row.why.is_empty(), "{}", row.message);
        if let Drive::Process(name) = row.drive {
            assert!(find(name).is_some(), "{}: there is no {name}", row.message);
        }
        let same = |other: &&tng_attack::Resource| (other.layer, other.message) == (row.layer, row.message);
        assert_eq!(RESOURCES.iter().filter(same).count(), 1, "{} twice", row.message);
        // What anybody may send costs no more than an exchange.
        assert!(row.from == Sender::Authenticated || row.held_max <= 4 << 20, "{}", row.message);
    }
}
