//! What governs the sections of hosts.

use core::time::Duration;

use tng_base::Instant;

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
