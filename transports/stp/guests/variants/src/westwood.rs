//! TCP Westwood (Wang, Valla, Sanadidi and Gerla 2002): a loss leaves the window that what has arrived lately would
//! fill.

use stp_guest_tcp::{Cwnd, Law, Progress};

/// The law: what has arrived, once a round trip, smoothed.
#[derive(Clone, Default, Debug)]
pub struct Westwood {
    base_ms: u64,
    /// Bytes a second, smoothed; 0 before there is a sample.
    rate: u64,
    /// Since then so much was acknowledged.
    since: u64,
    acked: u64,
    /// Of what will be acknowledged, duplicates have told of so much already.
    ahead: u64,
}

impl Law for Westwood {
    fn measure(&mut self, _: &mut Cwnd, progress: &Progress) {
        if let Some(rtt) = progress.rtt_ms {
            self.base_ms = if self.base_ms == 0 { rtt.max(1) } else { self.base_ms.min(rtt.max(1)) };
        }
        let told = self.ahead.min(progress.acked);
        self.ahead -= told;
        self.acked += progress.acked - told;
        let over = progress.now - self.since;
        if self.base_ms > 0 && over >= self.base_ms {
            let sample = self.acked * 1_000 / over;
            // What is acknowledged while losses are made good says how much was lost, not what the path carries.
            if progress.is_open {
                self.rate = if self.rate == 0 { sample } else { (self.rate + sample) / 2 };
            }
            (self.since, self.acked) = (progress.now, 0);
        }
    }

    fn handle_duplicate(&mut self, window: &Cwnd) {
        self.ahead += window.mss;
        self.acked += window.mss;
    }

    fn threshold(&mut self, window: &Cwnd, _: u64) -> u64 {
        (self.rate * self.base_ms / 1_000).max(2 * window.mss)
    }
}
