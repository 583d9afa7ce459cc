//! Addresses that change under a connection.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::Instant;
use tng_sim::topology::A;
use tng_stack::EventKind;

use crate::world::Setting;

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn a_nat_that_rebinds_the_port_costs_no_byte_and_no_window() {
    let mut setting = Setting::new(1);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(1));
    let seen: SocketAddr = (A, 40_001).into();
    run.world.rebind(run.a, A, seen);
    let took = run.finish(LIMIT);
    assert!(took < Duration::from_secs(4), "{took:?}");
    let moved = run.server().events.iter().any(|event| event.kind == EventKind::Moved(seen));
    assert!(moved, "{:?}", run.server().events);
}

#[test]
fn a_client_that_moves_to_another_address_goes_on() {
    let mut setting = Setting::new(2);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(1));
    let new: IpAddr = "10.0.0.77".parse().expect("an address");
    run.world.change_address(run.a, A, Some(new));
    let took = run.finish(LIMIT);
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn an_outage_of_ten_seconds_loses_nothing() {
    let mut setting = Setting::new(3);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.outage(run.link, Instant::from_secs(1), Instant::from_secs(11));
    let took = run.finish(LIMIT);
    assert!(took > Duration::from_secs(11) && took < Duration::from_secs(20), "{took:?}");
    let stalled = run.client().has(|kind| matches!(kind, EventKind::Condition(_)));
    let told = run.server().events.iter().any(|event| matches!(event.kind, EventKind::Condition(_)));
    assert!(stalled || told, "a stalled path is told");
}

#[test]
fn a_path_that_shrinks_is_found_out() {
    let mut setting = Setting::new(4);
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    run.world.run_until(Instant::from_secs(1));
    for lane in [run.link.forth(), run.link.back()] {
        run.world.change(lane, |link| link.mtu = 1_300);
    }
    let took = run.finish(LIMIT);
    assert!(took < Duration::from_secs(10), "{took:?}");
}
