//! The simulator against queueing theory.

use core::time::Duration;

use tng_base::Instant;
use tng_queue::{Limit, QueueConfig};

use super::parties::{Party, TO_B};
use crate::topology::pair;
use crate::{Link, fork};

/// Mean wait in an M/D/1 queue, in service times (Pollaczek and Khinchine): `u / 2(1 - u)`.
#[test]
fn the_mean_wait_of_poisson_arrivals_is_that_of_the_m_d_1_queue() {
    // 1000 bytes at 8 Mbit/s: one millisecond of service.
    for (utilisation, count) in [(0.3, 200_000), (0.6, 300_000), (0.8, 600_000)] {
        let link = Link::new().rate(8_000_000).queue(QueueConfig::DropTail(Limit::Packets(100_000)));
        let mean = Duration::from_millis(1).div_f64(utilisation);
        let seed = 5;
        let source = Party::poisson(TO_B, count, 972, mean, fork(seed, 0));
        let mut pair = pair(seed, &link, source, Party::deaf());
        assert!(pair.world.run_until_idle(Instant::FAR_FUTURE));
        let stats = pair.world.stats(pair.link.forth());
        assert_eq!(stats.delivered, count);
        let wait = stats.sojourn_mean().as_secs_f64() * 1e3;
        let expected = utilisation / (2.0 * (1.0 - utilisation));
        assert!((wait / expected - 1.0).abs() < 0.02, "at {utilisation}: {wait} ms waited, expected {expected}");
        // Little's law: mean length = arrival rate * mean wait.
        let length = stats.queue_packets_mean();
        assert!((length / (wait * utilisation) - 1.0).abs() < 0.01, "at {utilisation}: length {length}");
    }
}
