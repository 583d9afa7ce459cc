//! Figure 16: what a server holds, and what its clients have together, by their number.

use core::time::Duration;

use super::testbed::{Testbed, one_by_one};
use crate::exchange::{Crowd, Held, Way};
use crate::lab::RunError;

/// Bytes of the object that every client fetches again and again.
pub const OBJECT_BYTES: u64 = 500_000;
/// How far Trickles' throughput is below TCP's at most, as a share of it.
pub const PAPER_BELOW_TCP: f64 = 0.1;
/// With more clients the paper's TCP server was out of memory.
pub const PAPER_TCP_CLIENTS_MAX: u64 = 6_000;

/// What a server came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Load {
    /// Bits per second of all clients together.
    pub aggregate_bps: f64,
    /// What it held in the end, with every client under way; `None` where that is not known.
    pub held: Option<Held>,
}

/// So many clients, each of which fetches the object again and again for `time`, on a fresh connection each.
pub fn crowd(seed: u64, way: Way, clients: usize, time: Duration) -> Crowd {
    let testbed = Testbed::default().shaken();
    // As many as one client alone could have.
    let count = testbed.rate_bps as f64 * time.as_secs_f64() / 8.0 / OBJECT_BYTES as f64;
    let objects = (count / clients.max(1) as f64) as usize * 4 + 10;
    let visit = one_by_one(0, core::iter::repeat_n(OBJECT_BYTES, objects));
    testbed.crowd(seed, vec![way], vec![visit; clients])
}

/// Measures such a world: rates from a quarter of `time` on, what is held at its end.
///
/// # Errors
/// What a client failed at.
pub fn measure(crowd: &Crowd, time: Duration) -> Result<Load, RunError> {
    let mut scene = crowd.begin().map_err(RunError::broken)?;
    let rates = scene.rates_bps(time / 4, time).map_err(RunError::broken)?;
    Ok(Load { aggregate_bps: rates.iter().sum(), held: scene.held(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_reference_holds_grows_with_the_clients_and_all_have_the_link() {
        let time = Duration::from_secs(8);
        let [few, many] = [2, 40].map(|clients| measure(&crowd(1, Way::Tcp, clients, time), time).expect("a load"));
        let bytes = |load: Load| load.held.expect("TCP tells").bytes;
        assert!(bytes(many) > 10 * bytes(few), "{few:?}, {many:?}");
        assert!(few.aggregate_bps.min(many.aggregate_bps) > 80e6, "{few:?}, {many:?}");
    }
}
