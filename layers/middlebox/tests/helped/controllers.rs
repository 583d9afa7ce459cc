//! What governs the sections of hosts.

use core::time::Duration;

use tng_base::Instant;
use tng_congestion::{Bbr, Choice};
use tng_middlebox::{Neighbourhood, Network};
use tng_sim::topology::B;

use crate::world::{Run, Setting};

/// What governs the client's sending.
fn controller(run: &Run) -> &'static str {
    let node = run.sender();
    let connection = node.app.connection.expect("connected");
    node.machine.stats(connection).expect("a channel").regulation.controller
}

#[test]
fn under_bbr_a_host_is_direct_and_on_a_section_cubic_takes_its_place() {
    for (helpers, expected) in [(0, ["bbr", "bbr", "vegas"]), (1, ["cubic", "cubic", "vegas"])] {
        let mut setting = Setting::new(7, helpers);
        (setting.client.controller, setting.len) = ("bbr".parse().expect("it is known"), 20_000_000);
        let mut run = setting.start();
        let mut at = |ms| {
            run.world.run_until(Instant::ZERO + Duration::from_millis(ms));
            controller(&run)
        };
        let by_host = at(300);
        assert_eq!(by_host, expected[0], "{helpers} helpers");
        for (name, expected) in [("bbr", expected[1]), ("vegas", expected[2])] {
            run.set_controller(name);
            assert_eq!(controller(&run), expected, "{helpers} helpers, and {name} asked for");
        }
    }
}

/// The mean round trip of a section of 20 ms under bbr that feeds a queue which a section under `next` empties, the
/// slower of the two.
fn round_trip_ms(next: Choice) -> f64 {
    let mut setting = Setting::new(8, 1);
    setting.links[1] = setting.links[1].clone().rate(20_000_000);
    setting.len = 1_000_000_000;
    // Under its own name it is refused.
    setting.client.controller = Choice::of("model", |mtu| Box::new(Bbr::new(mtu)));
    let toward = Neighbourhood {
        controller: next.try_into().expect("not under the name of bbr"),
        ..setting.helpers[0].elsewhere.clone()
    };
    setting.helpers[0].neighbourhoods.push((Network::only(B), toward));
    let mut run = setting.start();
    run.mean_rtt_ms()
}

#[test]
fn bbr_keeps_the_queue_full_that_a_section_with_a_changing_rate_empties_and_short_where_the_rate_is_fixed() {
    let fixed = round_trip_ms("fixed:18mbit,200kB".parse().expect("a controller"));
    let changing = round_trip_ms(Choice::of("model", |mtu| Box::new(Bbr::new(mtu))));
    assert!(fixed < 30.0 && changing > 35.0, "{fixed:.1} ms and {changing:.1} ms");
}
