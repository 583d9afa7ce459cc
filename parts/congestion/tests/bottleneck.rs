//! Controllers side by side on a model of a path: senders that always have data, one drop-tail queue in front of a link
//! with a fixed rate, a delay.

use core::time::Duration;
use std::collections::VecDeque;
use tng_congestion::Choice;

use tng_base::Instant;
use tng_congestion::{
    AckSample, LossCause, LossSample, Permission, Regulation, RegulationConfig, RttSample, SendStamp,
};

const MTU: u64 = 1_200;
/// 50 Mbit/s.
const RATE: u64 = 6_250_000;
const DELAY: Duration = Duration::from_millis(40);

struct Sender {
    regulation: Regulation,
    starts: Instant,
    /// Packets in flight, in the order sent, with the time at which their acknowledgment comes in, if it does.
    flight: VecDeque<(SendStamp, Option<Instant>)>,
    wake: Instant,
    delivered: u64,
}

impl Sender {
    fn new(name: &str, starts: Instant) -> Sender {
        let config = RegulationConfig { mtu: MTU as u16, ..RegulationConfig::default() };
        let regulation = name.parse::<Choice>().expect("a known name").regulation(config);
        Sender { regulation, starts, flight: VecDeque::new(), wake: starts, delivered: 0 }
    }

    /// When something happens to it next: an acknowledgment, the pacer, or a timeout when all in flight is lost.
    fn next(&self) -> Instant {
        let acked = self.flight.iter().find_map(|&(_, arrives)| arrives);
        let timeout = self.flight.back().map(|(newest, _)| newest.sent_at + 3 * self.regulation.rtt().smoothed());
        acked.or(timeout).unwrap_or(Instant::FAR_FUTURE).min(self.wake)
    }

    fn handle_time(&mut self, now: Instant, counted: bool) {
        if self.flight.iter().all(|&(_, arrives)| arrives.is_none()) && self.wake > now {
            for (newest, _) in self.flight.drain(..) {
                self.regulation.handle_loss(now, &LossSample { bytes: MTU, newest, cause: LossCause::Loss });
            }
        }
        while self.flight.iter().find_map(|&(_, arrives)| arrives).is_some_and(|at| at <= now) {
            while let Some((newest, arrives)) = self.flight.pop_front() {
                if arrives.is_some() {
                    let rtt = Some(RttSample { latest: now.since(newest.sent_at), ack_delay: Duration::ZERO });
                    self.regulation.handle_ack(now, &AckSample { bytes: MTU, newest, rtt });
                    self.delivered += if counted { MTU } else { 0 };
                    break;
                }
                self.regulation.handle_loss(now, &LossSample { bytes: MTU, newest, cause: LossCause::Loss });
            }
        }
    }
}

/// What each of them has of the link, in percent, from half time on. They start a second apart.
fn race(names: &[&str], queue_packets: u64, seconds: u64) -> Vec<u64> {
    let mut senders: Vec<Sender> =
        (0..).zip(names).map(|(i, name)| Sender::new(name, Instant::from_millis(i * 1_000))).collect();
    let (end, half) = (Instant::from_secs(seconds), Instant::from_secs(seconds / 2));
    let mut link_free = Instant::ZERO;
    loop {
        let now = senders.iter().map(Sender::next).min().unwrap_or(end);
        if now >= end {
            break;
        }
        for sender in senders.iter_mut().filter(|sender| sender.next() <= now && sender.starts <= now) {
            sender.handle_time(now, now >= half);
            sender.wake = loop {
                match sender.regulation.permission(now, MTU) {
                    Permission::Now => {}
                    Permission::At(later) => break later,
                    Permission::Blocked => break Instant::FAR_FUTURE,
                }
                let stamp = sender.regulation.handle_sent(now, MTU);
                let queued = link_free.since(now).as_nanos() as u64 * RATE / 1_000_000_000;
                let fits = queued <= queue_packets * MTU;
                if fits {
                    link_free = link_free.max(now) + Duration::from_nanos(MTU * 1_000_000_000 / RATE);
                }
                sender.flight.push_back((stamp, fits.then_some(link_free + DELAY)));
            };
        }
    }
    senders.iter().map(|sender| sender.delivered * 100 / (RATE * (seconds - seconds / 2))).collect()
}

/// Races of 100 s, the first of the two starting first and then the other, with queues of a half, one, and two round
/// trips: the least that either had, and the least that both had together.
fn least_share(one: &str, other: &str) -> (u64, u64) {
    let mut least = (100, 100);
    for queue in [104, 208, 416] {
        for names in [[one, other], [other, one]] {
            let shares = race(&names, queue, 100);
            least.0 = shares.iter().copied().fold(least.0, u64::min);
            least.1 = least.1.min(shares.iter().sum());
        }
    }
    least
}

#[test]
fn bbr_neither_starves_nor_is_starved_beside_controllers_that_losses_govern() {
    for other in ["newreno", "cubic"] {
        let (least, together) = least_share("bbr", other);
        assert!(least >= 15 && together >= 95, "beside {other}: {least} %, together {together} %");
    }
}

#[test]
fn equation_and_newreno_have_the_same_within_a_factor_of_three() {
    let (least, together) = least_share("equation", "newreno");
    assert!(least >= 25 && together >= 95, "{least} %, together {together} %");
}

#[test]
fn two_of_a_kind_share() {
    for (name, at_least) in [("bbr", 20), ("equation", 33), ("newreno", 33), ("eln", 33)] {
        let (least, together) = least_share(name, name);
        assert!(least >= at_least && together >= 95, "two {name}: {least} %, together {together} %");
    }
}

#[test]
fn four_on_a_leased_link_have_what_they_were_given() {
    let shares = race(&["fixed:5mbit", "fixed:20mbit", "fixed:10mbit", "fixed:15mbit"], 20, 20);
    for (share, whole) in shares.iter().zip([10, 40, 20, 30]) {
        assert!(share.abs_diff(whole) <= 1, "{shares:?}");
    }
}
