//! Figure 29: a server that is killed in the middle of a download.

use core::time::Duration;

use super::testbed::{Testbed, one_by_one};
use crate::exchange::{Crowd, ENDLESS, Kill, Way};
use crate::lab::RunError;

/// When it is killed.
pub const KILLED_AT: Duration = Duration::from_secs(10);
/// How long nothing is there. The paper restarts it at once; its curve has no numbers in its text.
pub const DOWN_MS: [u64; 4] = [0, 50, 200, 1_000];

/// What waits for the link at most: of 1,000 packets at 1 Gbit/s.
const QUEUE_TIME: Duration = Duration::from_millis(12);

/// What happens at that time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blow {
    /// The server's process ends, with all that it knew. A client over TCP is told by a reset, makes a new connection,
    /// and asks for the rest.
    Killed,
    /// The link carries nothing: the same packets are lost, and nothing else.
    Unplugged,
}

/// The rate between the two, bits per second.
pub const RATE_BPS: u64 = 1_000_000_000;

/// One client of one server.
pub fn crowd(seed: u64, way: Way, rate_bps: u64, rtt: Duration, blow: Blow, down: Duration) -> Crowd {
    let testbed = Testbed { rate_bps, ..Testbed::default().rtt(rtt) };
    let queue_packets = (QUEUE_TIME.as_nanos() / testbed.packet_time().as_nanos()) as usize;
    let testbed = Testbed { queue_packets, ..testbed };
    let mut visit = one_by_one(0, [ENDLESS]);
    visit.errand.perseveres = true;
    let kills = match blow {
        Blow::Killed => vec![Kill { server: 0, at: KILLED_AT, down }],
        Blow::Unplugged => Vec::new(),
    };
    Crowd { kills, ..testbed.crowd(seed, vec![way], vec![visit]) }
}

/// What arrived over time.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// Length of a step.
    pub step: Duration,
    /// Bytes of answers that arrived in each, from the start.
    pub bytes: Vec<u64>,
    /// Connections that were lost.
    pub losses: u32,
}

impl Trace {
    /// Bytes from one time to another.
    pub fn between(&self, from: Duration, to: Duration) -> u64 {
        let place = |at: Duration| (at.as_nanos() / self.step.as_nanos()) as usize;
        self.bytes.iter().take(place(to)).skip(place(from)).sum()
    }
}

/// Measures such a world for `time`, in steps.
///
/// # Errors
/// What the client failed at.
pub fn trace(crowd: &Crowd, blow: Blow, down: Duration, time: Duration, step: Duration) -> Result<Trace, RunError> {
    let mut scene = crowd.begin().map_err(RunError::broken)?;
    if blow == Blow::Unplugged {
        scene.unplug(KILLED_AT, KILLED_AT + down);
    }
    let (mut bytes, mut at) = (Vec::new(), Duration::ZERO);
    while at < time {
        let rates = scene.rates_bps(at, at + step).map_err(RunError::broken)?;
        bytes.push((rates[0] * step.as_secs_f64() / 8.0).round() as u64);
        at += step;
    }
    Ok(Trace { step, bytes, losses: scene.losses()[0] })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(2);

    fn traced(blow: Blow, down: Duration) -> Trace {
        let crowd = crowd(1, Way::Tcp, RATE_BPS / 10, RTT, blow, down);
        trace(&crowd, blow, down, Duration::from_secs(12), Duration::from_millis(50)).expect("it goes on")
    }

    #[test]
    fn a_client_of_the_reference_makes_a_new_connection_and_has_lost_what_that_takes() {
        for down in [0, 200] {
            let down = Duration::from_millis(down);
            let trace = traced(Blow::Killed, down);
            assert!(trace.losses > 0, "{trace:?}");
            let before = trace.between(KILLED_AT - Duration::from_secs(1), KILLED_AT);
            let after = trace.between(KILLED_AT, KILLED_AT + Duration::from_secs(1));
            let lost = 1.0 - after as f64 / before as f64;
            // What it had before was not all of the link.
            let least = down.as_secs_f64() - 0.05;
            assert!((least..least + 0.5).contains(&lost), "{lost} of a second after {down:?}");
        }
    }

    #[test]
    fn unplugged_for_a_while_the_reference_keeps_its_connection() {
        let trace = traced(Blow::Unplugged, Duration::from_millis(200));
        assert_eq!(trace.losses, 0);
        assert!(trace.between(KILLED_AT + Duration::from_secs(1), KILLED_AT + Duration::from_secs(2)) > 3_000_000);
    }
}
