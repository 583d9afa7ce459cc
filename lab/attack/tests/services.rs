//! Attacks on what a host serves and on its set-up, in virtual time, each with its control.

mod hand;
mod world;

use core::time::Duration;

use tng_attack::{Tally, find};
use tng_stack::structured::FirstData;
use tng_stack::{Access, HostConfig};
use world::{Server, World};

fn public() -> HostConfig {
    HostConfig::new(Access::Public)
}

/// An attack by one source for so long, which hears the answers or does not; an honest client must be served in the
/// midst of it.
fn assault(server: Server, name: &str, time: Duration, hears: bool) -> (Server, Tally) {
    let mut world = World::new(server);
    world.begin(find(name).expect("it is in the catalogue"), 1, hears);
    world.run(time / 2);
    assert!(world.fetch().is_some(), "{name}: an honest client is not served within 3 s");
    world.run(time / 2);
    (std::mem::replace(&mut world.server, Server::new(public(), FirstData::Proven)), world.tally())
}

#[test]
fn nobody_makes_a_host_work_who_has_not_shown_to_be_there() {
    let time = Duration::from_millis(300);
    let (server, tally) = assault(Server::new(public(), FirstData::Proven), "hash-flood", time, false);
    assert!(tally.sent > 0 && tally.connections == 0, "control: {tally:?}");
    assert_eq!(server.asked, 1, "but the honest client's; {tally:?}");
    let (server, tally) = assault(Server::new(public(), FirstData::Proven), "hash-flood", time, true);
    assert!(server.asked > 64, "control: whoever shows it is served: {}, {tally:?}", server.asked);
    let (server, tally) = assault(Server::new(public(), FirstData::Unproven), "hash-flood", time, false);
    assert!(server.asked > 1, "control: of a service that says so, first packets count: {}, {tally:?}", server.asked);
}

#[test]
fn a_cookie_is_good_for_the_message_that_it_was_given_for() {
    let mut config = public();
    config.cookie_above = 0;
    let (_, tally) = assault(Server::new(config, FirstData::Proven), "cookie-storm", Duration::from_secs(2), true);
    assert_eq!(tally.reused_cookies, 0, "{tally:?}");
    let (cookies, replies) = (tally.kinds["cookie"], tally.kinds["reply"]);
    assert!(cookies > 0 && replies > 0, "control: with its own cookie a message is answered: {tally:?}");
}
