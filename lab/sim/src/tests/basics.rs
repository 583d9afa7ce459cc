//! Time, routes and order.

use core::cell::Cell;
use core::net::IpAddr;
use core::net::SocketAddr;
use core::time::Duration;
use std::rc::Rc;

use tng_base::{Ecn, Input, Instant, Transmit};
use tng_queue::{CoDelConfig, Limit, QueueConfig};

use super::parties::{Party, TO_B};
use crate::topology::{A, B, chain, dumbbell, ipv4, ipv6, pair};
use crate::{DeliveryTrace, DropCause, Link, Node, Outbox, PORT, World};

const MS: Duration = Duration::from_millis(1);

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

#[test]
fn a_packet_takes_its_sending_time_and_the_delay() {
    let link = Link::new().rate(8_000_000).delay(10 * MS);
    // 972 + 28 bytes at 8 Mbit/s: one millisecond.
    let mut pair = pair(1, &link, Party::steady(TO_B, 3, 972, Duration::ZERO), Party::default());
    pair.world.run_until(at(1000));
    assert_eq!(pair.world.node(pair.b).times(), [11, 12, 13].map(at));
    assert_eq!(pair.world.now(), at(1000));
}

#[test]
fn a_busy_link_keeps_an_awkward_rate_to_the_nanosecond() {
    let rate = 7_777_777;
    let link = Link::new().rate(rate).queue(QueueConfig::DropTail(Limit::Packets(20_000)));
    let mut pair = pair(1, &link, Party::steady(TO_B, 10_000, 473, Duration::ZERO), Party::default());
    assert!(pair.world.run_until_idle(at(100_000)));
    let expected: Vec<Instant> = (1..=10_000u64)
        .map(|n| Instant::from_nanos((u128::from(n) * 501 * 8 * 1_000_000_000 / u128::from(rate)) as u64))
        .collect();
    assert_eq!(pair.world.node(pair.b).times(), expected);
}

#[test]
fn jitter_keeps_the_order_unless_it_is_allowed_not_to() {
    let run = |link: Link| {
        let mut pair = pair(3, &link.delay(10 * MS), Party::steady(TO_B, 200, 100, MS), Party::default());
        assert!(pair.world.run_until_idle(at(10_000)));
        let b = pair.world.node(pair.b);
        let delays = b.received.iter().map(|r| r.at.since(at(super::parties::number(&r.payload))));
        assert!(delays.clone().all(|d| (5 * MS..=15 * MS + 2 * MS).contains(&d)), "{:?}", delays.collect::<Vec<_>>());
        b.numbers()
    };
    let sorted: Vec<u64> = (0..200).collect();
    assert_eq!(run(Link::new().jitter(5 * MS)), sorted);
    let mut overtaken = run(Link::new().jitter_reordering(5 * MS));
    assert_ne!(overtaken, sorted);
    overtaken.sort_unstable();
    assert_eq!(overtaken, sorted);
}

/// Sends a packet from each of these ports, and keeps who sent what came and where it came to.
#[derive(Default)]
struct Ports {
    named: Vec<u16>,
    came: Vec<(SocketAddr, Option<SocketAddr>)>,
}

impl Node for Ports {
    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        if let Input::Datagram(d) = input {
            self.came.push((d.remote, d.local));
        }
    }
    fn handle_timeout(&mut self, _: Instant) {}
    fn poll(&mut self, _: Instant, outbox: &mut Outbox) -> Option<Instant> {
        for port in self.named.drain(..) {
            let local = Some(SocketAddr::new(A, port));
            outbox.send(Transmit { remote: (B, 7000).into(), local, ecn: Ecn::Ect0, len: 1, segment_size: 1 });
        }
        None
    }
}

#[test]
fn a_local_address_carries_its_port_and_a_packet_leaves_from_the_port_that_is_named() {
    let named = Ports { named: vec![0, PORT, 9], ..Ports::default() };
    let mut pair = pair(1, &Link::new().delay(MS), named, Ports::default());
    let (b, seen) = (pair.b, SocketAddr::from((B, 7000)));
    pair.world.set_port(b, 7001);
    // A host behind a translation knows its own address, not the one that others see.
    pair.world.rebind(b, B, seen);
    assert!(pair.world.run_until_idle(Instant::from_secs(1)));
    let came = [PORT, PORT, 9].map(|port| ((A, port).into(), Some((B, 7001).into())));
    assert_eq!(pair.world.node(b).came, came);
}

#[test]
fn a_batch_becomes_single_datagrams_the_last_one_shorter() {
    struct Batch(Vec<usize>);
    impl Node for Batch {
        fn handle_input(&mut self, _: Instant, input: Input<'_>) {
            if let Input::Datagram(d) = input {
                assert_eq!((d.segment_size, d.local), (d.payload.len(), Some(TO_B)));
                self.0.push(d.payload.len());
            }
        }
        fn handle_timeout(&mut self, _: Instant) {}
        fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
            if now == Instant::ZERO && self.0.is_empty() {
                outbox.send(Transmit { remote: TO_B, local: None, ecn: Ecn::Ect0, len: 2500, segment_size: 1200 });
                self.0.push(0);
            }
            None
        }
    }
    let mut pair = pair(1, &Link::new().delay(MS), Batch(vec![]), Batch(vec![1]));
    pair.world.run_until(at(10));
    assert_eq!(pair.world.node(pair.b).0, [1, 1200, 1200, 100]);
}

#[test]
fn packets_larger_than_the_mtu_are_dropped() {
    let mut source = Party::default();
    source.send(at(0), TO_B, &[0; 1472]);
    source.send(at(0), TO_B, &[0; 1473]);
    let mut pair = pair(1, &Link::new().mtu(1500), source, Party::default());
    pair.world.run_until(at(1));
    assert_eq!(pair.world.node(pair.b).received.len(), 1);
    assert_eq!(pair.world.stats(pair.link.forth()).dropped_for(DropCause::TooBig), 1);
}

#[test]
fn a_chain_stores_and_forwards_at_each_router() {
    let link = Link::new().rate(8_000_000).delay(5 * MS);
    let links = [link.clone(), link.clone(), link];
    let mut chain = chain(1, &links, Party::steady(TO_B, 2, 972, Duration::ZERO), Party::echo());
    assert!(chain.world.run_until_idle(at(1000)));
    assert_eq!(chain.world.node(chain.b).times(), [at(18), at(19)]);
    assert_eq!(chain.world.node(chain.a).times(), [at(36), at(37)]);
    assert_eq!(chain.world.stats(chain.links[1].forth()).delivered, 2);
}

#[test]
fn the_flows_of_a_dumbbell_share_its_bottleneck() {
    let pairs =
        (0..3).map(|n| (Party::steady((ipv6(2 * n + 1), PORT).into(), 100, 972, 3 * MS), Party::default())).collect();
    let (access, bottleneck) = (Link::new().rate(1_000_000_000), Link::new().rate(8_000_000).delay(MS));
    let mut bell = dumbbell(1, &access, &bottleneck, pairs);
    assert!(bell.world.run_until_idle(at(10_000)));
    for right in bell.right {
        assert_eq!(bell.world.node(right).received.len(), 100, "{}", bell.world.name(right));
    }
    let stats = bell.world.stats(bell.bottleneck.forth());
    assert_eq!((stats.delivered, stats.queue_packets_max), (300, 2));
    assert_eq!(bell.world.stats(bell.access_left[0].forth()).delivered, 100);
}

#[test]
fn a_host_with_two_links_sends_from_the_address_of_the_link_it_uses() {
    let mut world = World::new(1);
    let party = Party::steady((ipv4(9), PORT).into(), 1, 100, MS);
    let host = world.host("host", &[], party);
    let (near, far) = (world.router("near"), world.router("far"));
    let server = world.host("server", &[ipv4(9)], Party::echo());
    let wifi = world.connect(host, near, &Link::new().cost(10));
    let cellular = world.connect(host, far, &Link::new());
    for router in [near, far] {
        world.connect(router, server, &Link::new());
    }
    world.add_address(host, ipv4(1), Some(wifi));
    world.add_address(host, ipv4(2), Some(cellular));
    assert!(world.run_until_idle(at(10)));
    assert_eq!(world.node(server).remotes(), [(ipv4(2), PORT).into()]);
    assert_eq!(world.stats(cellular.back()).delivered, 1, "the answer came back the same way");
    assert_eq!(world.stats(wifi.forth()).offered, 0);
}

#[test]
fn what_nobody_is_there_for_is_dropped_where_that_shows() {
    let mut source = Party::default();
    source.send(at(0), (B, PORT + 1).into(), b"wrong port");
    source.send(at(0), (ipv4(7), PORT).into(), b"no such address");
    source.send(at(0), (ipv6(1), PORT).into(), b"fine");
    let mut pair = pair(1, &Link::new(), source, Party::default());
    pair.world.run_until(at(1));
    assert_eq!(pair.world.dropped_at_nodes(DropCause::NotHere), 1);
    assert_eq!(pair.world.dropped_at_nodes(DropCause::NoRoute), 1);
    assert_eq!(pair.world.node(pair.b).received.len(), 1);
}

#[test]
fn a_borrowed_node_is_polled_at_once_and_operations_happen_in_order() {
    let mut pair = pair(1, &Link::new().delay(MS), Party::default(), Party::default());
    pair.world.run_until(at(5));
    pair.world.node_mut(pair.a).send(at(5), TO_B, b"now");
    pair.world.at(at(7), |world| assert_eq!(world.now(), at(7)));
    let order = Rc::new(Cell::new(0));
    for number in 0..3 {
        let order = order.clone();
        pair.world.at(at(8), move |_| assert_eq!(order.replace(number + 1), number));
    }
    let came = pair.world.wait_until(at(100), |world| !world.node(pair.b).received.is_empty());
    assert!(came);
    assert_eq!(pair.world.now(), at(6));
    pair.world.run_until(at(8));
    assert_eq!(order.get(), 3);
    assert!(!pair.world.wait_until(at(100), |_| false));
}

#[test]
fn a_timer_that_is_set_anew_at_each_packet_does_not_fire_early() {
    /// Counts timeouts: it wants one, ten milliseconds after the last packet.
    struct Idle(Option<Instant>, Vec<Instant>);
    impl Node for Idle {
        fn handle_input(&mut self, now: Instant, _: Input<'_>) {
            self.0 = Some(now + 10 * MS);
        }
        fn handle_timeout(&mut self, now: Instant) {
            self.1.push(now);
            self.0 = None;
        }
        fn poll(&mut self, _: Instant, _: &mut Outbox) -> Option<Instant> {
            self.0
        }
    }
    let mut world: World<Box<dyn Node>> = World::new(1);
    let a = world.host("a", &[A], Box::new(Party::steady(TO_B, 20, 100, MS)));
    let idle = Idle(None, vec![]);
    let fired = Rc::new(Cell::new(0));
    struct Watched(Idle, Rc<Cell<u64>>);
    impl Node for Watched {
        fn handle_input(&mut self, now: Instant, input: Input<'_>) {
            self.0.handle_input(now, input);
        }
        fn handle_timeout(&mut self, now: Instant) {
            self.0.handle_timeout(now);
            self.1.set(self.1.get() + now.as_nanos());
        }
        fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
            self.0.poll(now, outbox)
        }
    }
    let b = world.host("b", &[B], Box::new(Watched(idle, fired.clone())));
    world.connect(a, b, &Link::new());
    assert!(world.run_until_idle(at(1000)));
    assert_eq!(fired.get(), at(29).as_nanos(), "once, and then");
}

#[test]
fn a_world_is_idle_although_a_timer_was_once_set_beyond_the_limit() {
    let mut a = Party::default();
    a.send(at(5000), TO_B, b"never");
    let mut pair = pair(1, &Link::new(), a, Party::default());
    assert!(!pair.world.run_until_idle(at(10)));
    pair.world.node_mut(pair.a).plan.clear();
    assert!(pair.world.run_until_idle(at(20)));
    assert_eq!(pair.world.now(), at(0), "nothing happened later than the first poll");
}

#[test]
#[should_panic(expected = "over and over (seed 7)")]
fn a_node_that_asks_for_the_past_for_ever_is_found_out() {
    struct Stuck;
    impl Node for Stuck {
        fn handle_input(&mut self, _: Instant, _: Input<'_>) {}
        fn handle_timeout(&mut self, _: Instant) {}
        fn poll(&mut self, _: Instant, _: &mut Outbox) -> Option<Instant> {
            Some(Instant::ZERO)
        }
    }
    pair(7, &Link::new(), Stuck, Stuck).world.run_until(at(1));
}

#[test]
fn changed_parameters_hold_from_then_on_and_what_waits_goes_on_waiting() {
    let slow = Link::new().rate(8_000_000);
    let mut pair = pair(1, &slow, Party::steady(TO_B, 10, 972, Duration::ZERO), Party::default());
    let lane = pair.link.forth();
    pair.world.at(Instant::from_micros(2500), move |world| {
        world.change(lane, |link| {
            link.rate_bps = Some(80_000_000);
            link.delay = 50 * MS;
            link.queue = QueueConfig::CoDel(CoDelConfig::default());
        });
        assert_eq!(world.stats(lane).queued, 7);
    });
    assert!(pair.world.run_until_idle(at(1000)));
    let us: Vec<u64> = pair.world.node(pair.b).times().iter().map(|t| t.as_nanos() / 1000).collect();
    assert_eq!(us, [1000, 2000, 3000, 53_100, 53_200, 53_300, 53_400, 53_500, 53_600, 53_700]);
}

#[test]
fn interceptors_see_alter_and_take_packets_and_forgeries_are_delivered() {
    let mut pair = pair(1, &Link::new(), Party::steady(TO_B, 10, 100, MS), Party::default());
    let lane = pair.link.forth();
    pair.world.intercept(lane, |now, packet| {
        packet.payload[8] = 7;
        now < at(3)
    });
    pair.world.at(at(5), move |world| {
        world.stop_intercepting(lane);
        let stranger: IpAddr = ipv4(77);
        world.inject(lane, (stranger, 9).into(), TO_B, Ecn::Ce, &[1; 20]);
    });
    assert!(pair.world.run_until_idle(at(100)));
    let b = pair.world.node(pair.b);
    let seen: Vec<u8> = b.received.iter().map(|r| r.payload[8]).collect();
    assert_eq!(seen, [7, 7, 7, 1, 0, 0, 0, 0, 0]);
    assert_eq!((b.received[3].remote, b.received[3].ecn), ((ipv4(77), 9).into(), Ecn::Ce));
    assert_eq!(pair.world.stats(lane).dropped_for(DropCause::Intercepted), 2);
}

#[test]
fn a_link_that_follows_a_trace_delivers_when_the_trace_says_so() {
    let trace = DeliveryTrace::new(vec![3, 3, 4, 10]).expect("a trace");
    let link = Link::new().trace(trace.clone()).delay(100 * MS);
    // Of 1,500 bytes with their headers: one an opportunity.
    let mut full = pair(1, &link, Party::steady(TO_B, 6, 1_472, Duration::ZERO), Party::default());
    full.world.run_until(at(1_000));
    assert_eq!(full.world.node(full.b).times(), [103, 103, 104, 110, 113, 113].map(at));
    let stats = full.world.stats(full.link.forth());
    assert_eq!((stats.queue_packets_max, stats.sojourn_max), (6, 13 * MS), "until then they wait, and can be dropped");
    // Two of 750 share one; the third is there too late for it.
    let mut small = pair(1, &link, Party::steady(TO_B, 3, 722, 2 * MS), Party::default());
    small.world.run_until(at(1_000));
    assert_eq!(small.world.node(small.b).times(), [103, 103, 104].map(at));
}

#[test]
fn whoever_waits_for_an_opportunity_goes_on_at_once_when_the_link_has_a_rate_again() {
    let hour = DeliveryTrace::new(vec![3_600_000]).expect("a trace");
    let party = Party::steady(TO_B, 3, 972, Duration::ZERO);
    let mut pair = pair(1, &Link::new().trace(hour.clone()), party, Party::default());
    let forth = pair.link.forth();
    pair.world.at(at(50), move |world| world.change(forth, |link| *link = link.clone().rate(8_000_000)));
    pair.world.run_until(at(1_000));
    assert_eq!(pair.world.node(pair.b).times(), [51, 52, 53].map(at));
    // A trace that comes later begins when it comes.
    pair.world.change(forth, |link| *link = link.clone().trace(DeliveryTrace::new(vec![7]).expect("a trace")));
    assert!(pair.world.run_until_idle(at(10_000_000)), "the opportunity of old is nobody's");
    assert_eq!(pair.world.stats(forth).delivered, 3);
}
