//! Figure 18: clients that ask for files as SPECweb99 does, each on a connection of its own.

use core::time::Duration;

use tng_sim::fork;

use super::testbed::{Testbed, one_by_one, rates_bps};
use crate::exchange::{Crowd, Way};
use crate::lab::RunError;
use crate::web::SpecWeb;

/// Mbit/s of all clients together: how many there are, over TCP, over Trickles (Figure 18).
pub const PAPER: [(usize, f64, f64); 3] = [(1, 83.1, 68.3), (2, 91.0, 76.9), (3, 92.9, 78.5)];

/// What the seed is used for beside the worlds.
const LOT_OF_SIZES: u64 = 1 << 33;
/// Packets that wait for the link. The slow start of a file of 900 kB overruns the testbed's queue; that of the paper's
/// TCP, with a receive window of 64 kB, never did.
const QUEUE_PACKETS: usize = 1_000;
/// Bytes of a file on average, at least.
const MEAN_BYTES: f64 = 14_000.0;

/// So many clients for `time`. The sizes of a client do not depend on how it asks for them.
pub fn crowd(seed: u64, way: Way, clients: usize, time: Duration) -> Crowd {
    let testbed = Testbed { queue_packets: QUEUE_PACKETS, ..Testbed::default() };
    // Twice as many as fit.
    let count = (testbed.rate_bps as f64 * time.as_secs_f64() / 8.0 / MEAN_BYTES * 2.0) as usize;
    let visit = |client: usize| {
        let sizes = SpecWeb::new(fork(seed, LOT_OF_SIZES + client as u64));
        one_by_one(0, sizes.take(count))
    };
    testbed.crowd(seed, vec![way], (0..clients).map(visit).collect())
}

/// Bits per second of all clients of such a world together.
///
/// # Errors
/// What a client failed at.
pub fn aggregate_bps(crowd: &Crowd, time: Duration) -> Result<f64, RunError> {
    Ok(rates_bps(crowd, Duration::ZERO, time)?.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_has_more_of_the_link_the_more_clients_there_are() {
        let time = Duration::from_secs(4);
        let rate = |clients| aggregate_bps(&crowd(1, Way::Tcp, clients, time), time).expect("they are loaded") / 1e6;
        let rates = PAPER.map(|(clients, _, _)| rate(clients));
        assert!(rates.is_sorted(), "{rates:?}");
        for (rate, (clients, paper, _)) in rates.iter().zip(PAPER) {
            assert!((rate / paper - 1.0).abs() < 0.1, "{rate} of {clients} clients, {paper} in the paper");
        }
    }
}
