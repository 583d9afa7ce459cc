//! What governs a connection need not be what governs its host.

use core::time::Duration;

use tng_base::Instant;
use tng_congestion::{Choice, Controllers, Fixed, RegulationStats, Share};
use tng_sim::topology::{B, ipv4};
use tng_sim::{Link, NodeId};
use tng_stack::ConnectionId;

use crate::world::{Run, Setting};

const SIZE: u64 = 3_000_000;

fn setting(seed: u64) -> Setting {
    let mut setting = Setting::new(seed);
    setting.link = Link::new().rate(10_000_000).delay(Duration::from_millis(20));
    setting.sizes = vec![SIZE];
    setting
}

/// A controller of a program's own: 2 Mbit/s, whatever the path does.
fn own() -> Choice {
    let mut controllers = Controllers::default();
    let share = Share { rate: 250_000, window: None };
    controllers
        .register("two-megabits", "2 Mbit/s", move |mtu| Box::new(Fixed::new(mtu, Some(share))))
        .expect("nobody has the name");
    controllers.choose("two-megabits").expect("registered")
}

/// The only connection of a host.
fn only(run: &mut Run, at: NodeId) -> ConnectionId {
    run.host(at).connections().next().expect("one")
}

fn regulation(run: &mut Run, at: NodeId) -> RegulationStats {
    let id = only(run, at);
    run.host(at).stats(id).expect("up").regulation
}

#[test]
fn what_is_chosen_while_a_connection_comes_up_governs_its_first_channel() {
    let mut run = setting(1).start();
    let a = run.a;
    // Its INIT is on the way.
    run.world.run_until(Instant::from_millis(1));
    let (now, id) = (run.world.now(), only(&mut run, a));
    run.host(a).set_controller(now, id, own());
    run.world.run_until(Instant::from_millis(300));
    assert_eq!(regulation(&mut run, a).controller, "fixed");
}

#[test]
fn the_end_that_accepts_chooses_for_its_own_direction() {
    let least = SIZE as f64 * 8.0 / 2e6;
    let took = |choice: Option<Choice>| {
        let mut run = setting(2).start();
        let (a, b) = (run.a, run.b);
        run.world.run_until(Instant::from_millis(60));
        let (now, id) = (run.world.now(), only(&mut run, b));
        if let Some(choice) = choice {
            run.host(b).set_controller(now, id, choice);
        }
        let took = run.finish(Duration::from_secs(60)).as_secs_f64();
        assert_eq!(regulation(&mut run, a).controller, "cubic", "the peer's is the peer's");
        took
    };
    let own = took(Some(own()));
    assert!((0.95 * least..1.2 * least).contains(&own), "{own} s at 2 Mbit/s");
    let control = took(None);
    assert!(control < least / 2.0, "under the host's: {control} s");
}

#[test]
fn a_flow_under_way_goes_on_under_the_new_controller_and_keeps_it_when_the_host_moves() {
    let mut run = setting(3).start();
    let b = run.b;
    run.world.run_until(Instant::from_secs(1));
    let (now, id) = (run.world.now(), only(&mut run, b));
    let before = regulation(&mut run, b);
    assert_eq!(before.controller, "cubic");
    run.host(b).set_controller(now, id, "bbr".parse().expect("known"));
    let after = regulation(&mut run, b);
    assert_eq!((after.controller, after.in_flight), ("bbr", before.in_flight), "nothing leaves the books");
    assert_eq!(after.rtt.min(), before.rtt.min(), "the path is the same");
    assert!(after.window < before.window, "it begins anew: {} of {} bytes", after.window, before.window);
    run.world.run_until(Instant::from_secs(2));
    assert!(regulation(&mut run, b).window > 2 * after.window, "and grows: {:?}", regulation(&mut run, b));
    run.world.change_address(b, B, Some(ipv4(9)));
    run.finish(Duration::from_secs(30));
    assert_eq!(regulation(&mut run, b).controller, "bbr", "on another path, in another flow");
}
