//! Figure 30: two servers of one address.

use core::time::Duration;

use tng_sim::{Link, fork};

use super::testbed::{ACCESS_BPS, RATE_BPS, Testbed, one_by_one, rates_bps};
use crate::exchange::{Crowd, Dispatch, ENDLESS, Origin, Way};
use crate::lab::RunError;
use crate::report::fairness;

/// How many there are.
pub const SERVERS: usize = 2;
/// Connections. The paper's points have no numbers in its text: with many of them Trickles is fairer than TCP.
pub const CONNECTIONS: [usize; 8] = [1, 2, 5, 10, 21, 40, 61, 100];

/// Connections begin within this time.
const START_WITHIN: Duration = Duration::from_secs(1);
/// What the seed is used for beside the world.
const LOT_OF_STARTS: u64 = 1 << 35;

/// So many clients of one address, each with an endless object; two servers on a switch, each at 100 Mbit/s, which is
/// the bottleneck.
pub fn crowd(seed: u64, way: Way, dispatch: Dispatch, connections: usize, rtt: Duration) -> Crowd {
    let testbed = Testbed { rate_bps: 10 * ACCESS_BPS, ..Testbed::default() };
    let mut lots = fork(seed, LOT_OF_STARTS);
    let visits = (0..connections).map(|_| {
        let mut visit = one_by_one(0, [ENDLESS]);
        visit.errand.steps[0].after = Duration::from_nanos(lots.below(START_WITHIN.as_nanos() as u64));
        visit
    });
    let crowd = testbed.crowd(seed, Vec::new(), visits.collect());
    let own = Testbed { rate_bps: RATE_BPS, ..Testbed::default().rtt(rtt) };
    let access = own.crowd(seed, Vec::new(), Vec::new()).down;
    let servers = vec![Origin { way, access }; SERVERS];
    // The clients' links shake, not the servers': these are the bottleneck.
    let shake = own.packet_time() / 2;
    let client_access = Link::new().rate(ACCESS_BPS).delay(shake).jitter(shake);
    Crowd { dispatch: Some(dispatch), servers, client_access, ..crowd }
}

/// Jain's index of what the clients of such a world have from `from` to `to`.
///
/// # Errors
/// What a client failed at.
pub fn jain(crowd: &Crowd, from: Duration, to: Duration) -> Result<f64, RunError> {
    Ok(fairness(&rates_bps(crowd, from, to)?).unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(10);

    fn index(dispatch: Dispatch, connections: usize) -> Result<f64, RunError> {
        let crowd = crowd(1, Way::Tcp, dispatch, connections, RTT);
        jain(&crowd, Duration::from_secs(2), Duration::from_secs(8))
    }

    #[test]
    fn least_connections_is_unfair_to_those_of_the_server_that_has_one_more() {
        let (two, three) = (index(Dispatch::LeastConnections, 2), index(Dispatch::LeastConnections, 3));
        // One has a server alone and two share the other: (1 + 1/2 + 1/2)^2 / (3 (1 + 1/4 + 1/4)).
        let (two, three) = (two.expect("measured"), three.expect("measured"));
        assert!(two > 0.999 && (0.84..0.93).contains(&three), "{two}, {three}");
    }

    #[test]
    fn packets_in_turn_are_not_for_the_reference() {
        assert!(index(Dispatch::Spray, 4).is_err());
    }
}
