//! WTCP: a loss with no queue before it is no sign of congestion, and changes nothing.

use stp_guest_tcp::{Cwnd, Law, Progress};

/// Round trips of less than so many hundredths of the least are those of a path without a queue.
const QUEUE: u64 = 125;

/// The law.
#[derive(Clone, Default, Debug)]
pub struct Wtcp {
    base_ms: u64,
    /// Smoothed, in eighths.
    rtt_8: u64,
}

impl Law for Wtcp {
    fn measure(&mut self, _: &mut Cwnd, progress: &Progress) {
        if let Some(rtt) = progress.rtt_ms.map(|rtt| rtt.max(1)) {
            self.base_ms = if self.base_ms == 0 { rtt } else { self.base_ms.min(rtt) };
            self.rtt_8 = if self.rtt_8 == 0 { 8 * rtt } else { self.rtt_8 - self.rtt_8 / 8 + rtt };
        }
    }

    fn threshold(&mut self, window: &Cwnd, flight: u64) -> u64 {
        let no_queue = 100 * self.rtt_8 < 8 * QUEUE * self.base_ms;
        if no_queue { window.bytes } else { flight / 2 }.max(2 * window.mss)
    }
}
