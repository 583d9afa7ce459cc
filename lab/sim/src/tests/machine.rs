//! Machines with applications.

use core::time::Duration;

use tng_base::{Ecn, Input, Instant, Machine, Output, Transmit};

use super::parties::TO_B;
use crate::topology::pair;
use crate::{App, Link, MachineNode};

/// Sends a byte for each ping that is ordered, and tells of each byte that comes.
#[derive(Default)]
struct Pinger {
    ordered: u32,
    came: u32,
    timeout: Option<Instant>,
    timeouts: Vec<Instant>,
}

impl Machine for Pinger {
    type Event = &'static str;

    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        if let Input::Datagram(_) = input {
            self.came += 1;
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        if self.timeout.is_some_and(|timeout| timeout <= now) {
            self.timeout = None;
            self.timeouts.push(now);
        }
    }

    fn poll_output(&mut self, _: Instant, buf: &mut [u8]) -> Output<&'static str> {
        if self.came > 0 {
            self.came -= 1;
            return Output::Event("ping");
        }
        if self.ordered > 0 {
            self.ordered -= 1;
            buf[0] = 1;
            return Output::Transmit(Transmit { remote: TO_B, local: None, ecn: Ecn::Ect0, len: 1, segment_size: 1 });
        }
        Output::Timeout(self.timeout)
    }
}

/// Orders two pings for each event up to a bound, and one at each of its own times.
#[derive(Default)]
struct Orders {
    times: Vec<Instant>,
    events: Vec<Instant>,
}

impl App<Pinger> for Orders {
    fn handle_event(&mut self, now: Instant, machine: &mut Pinger, event: &'static str) {
        assert_eq!(event, "ping");
        self.events.push(now);
        machine.timeout = Some(now + Duration::from_millis(3));
    }

    fn poll(&mut self, now: Instant, machine: &mut Pinger) -> Option<Instant> {
        while self.times.last().is_some_and(|time| *time <= now) {
            self.times.pop();
            machine.ordered += 1;
        }
        self.times.last().copied()
    }
}

#[test]
fn what_an_application_orders_is_sent_at_once_and_its_timers_fire_beside_the_machines() {
    let at = Instant::from_millis;
    let orders = Orders { times: vec![at(20), at(5), at(5)], ..Orders::default() };
    let a = MachineNode::new(Pinger::default(), orders);
    let b = MachineNode::new(Pinger::default(), Orders::default());
    let mut pair = pair(1, &Link::new().delay(Duration::from_millis(1)), a, b);
    assert!(pair.world.run_until_idle(at(1000)));
    let b = pair.world.node(pair.b);
    assert_eq!(b.app.events, [at(6), at(6), at(21)]);
    assert_eq!(b.machine.timeouts, [at(9), at(24)]);
}
