//! Time, routes and order.

use core::time::Duration;

use tng_base::Instant;

use super::parties::Party;
use crate::topology::{B, pair};
use crate::{Link, Loss, PORT};

fn b() -> core::net::SocketAddr {
    (B, PORT).into()
}

#[test]
fn a_packet_takes_its_sending_time_and_the_delay() {
    let link = Link::new().rate(8_000_000).delay(Duration::from_millis(10));
    // 972 + 28 bytes at 8 Mbit/s: one millisecond.
    let mut pair = pair(1, &link, Party::steady(b(), 3, 972, Duration::ZERO), Party::default());
    pair.world.run_until(Instant::from_secs(1));
    let expected = [11, 12, 13].map(Instant::from_millis);
    assert_eq!(pair.world.node(pair.b).times(), expected);
}

#[test]
fn the_same_seed_gives_the_same_digest_and_another_seed_another() {
    let run = |seed| {
        let link = Link::new().rate(8_000_000).delay(Duration::from_millis(10)).loss(Loss::Independent(0.1));
        let mut pair = pair(seed, &link, Party::steady(b(), 1000, 500, Duration::from_millis(1)), Party::echo());
        pair.world.record_digest();
        assert!(pair.world.run_until_idle(Instant::from_secs(100)));
        pair.world.digest()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn jitter_keeps_the_order_unless_it_is_allowed_not_to() {
    let jitter = Duration::from_millis(5);
    let run = |link: Link| {
        let link = link.delay(Duration::from_millis(10));
        let mut pair = pair(3, &link, Party::steady(b(), 200, 100, Duration::from_millis(1)), Party::default());
        assert!(pair.world.run_until_idle(Instant::from_secs(10)));
        pair.world.node(pair.b).numbers()
    };
    let sorted: Vec<u64> = (0..200).collect();
    assert_eq!(run(Link::new().jitter(jitter)), sorted);
    let mut overtaken = run(Link::new().jitter_reordering(jitter));
    assert_ne!(overtaken, sorted);
    overtaken.sort_unstable();
    assert_eq!(overtaken, sorted);
}
