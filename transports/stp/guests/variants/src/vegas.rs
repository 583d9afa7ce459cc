//! TCP Vegas (Brakmo and Peterson 1995): once a round trip the window is held against what it would carry without a
//! queue.

use stp_guest_tcp::{Cwnd, Law, Progress};

/// Segments that wait in the queue: fewer are too few, more are too many, and more than those end slow start.
const ALPHA: u64 = 2;
const BETA: u64 = 4;
const GAMMA: u64 = 1;

/// What is measured of round trips.
#[derive(Clone, Default, Debug)]
pub(crate) struct Rounds {
    /// The least round trip, and the least and the most of this one; 0 where there is none yet.
    pub(crate) base_ms: u64,
    pub(crate) least_ms: u64,
    pub(crate) most_ms: u64,
    /// The round is over when all before this is acknowledged.
    until: u64,
}

impl Rounds {
    /// Answers the least round trip of a round that is over.
    pub(crate) fn handle(&mut self, progress: &Progress) -> Option<u64> {
        if let Some(rtt) = progress.rtt_ms {
            let rtt = rtt.max(1);
            let least = |before: u64| if before == 0 { rtt } else { before.min(rtt) };
            (self.base_ms, self.least_ms) = (least(self.base_ms), least(self.least_ms));
            self.most_ms = self.most_ms.max(rtt);
        }
        if progress.una < self.until {
            return None;
        }
        self.until = progress.end;
        Some(core::mem::take(&mut self.least_ms)).filter(|least| *least > 0)
    }

    /// Bytes of a window that wait in the queue, by a round trip.
    pub(crate) fn waiting(&self, window: &Cwnd, rtt_ms: u64) -> u64 {
        window.bytes * (rtt_ms - self.base_ms) / rtt_ms
    }
}

/// The law.
#[derive(Clone, Default, Debug)]
pub struct Vegas {
    rounds: Rounds,
    /// Slow start grows in every other round, so that what it measures is of one window.
    grows: bool,
}

impl Vegas {
    fn round(&mut self, window: &mut Cwnd, rtt_ms: u64) {
        let (waiting, mss) = (self.rounds.waiting(window, rtt_ms), window.mss);
        if window.bytes < window.threshold {
            self.grows = !self.grows;
            if waiting > GAMMA * mss {
                window.bytes = (window.bytes - window.bytes / 8).max(2 * mss);
                window.threshold = window.bytes;
            }
        } else if waiting < ALPHA * mss {
            window.bytes += mss;
        } else if waiting > BETA * mss {
            window.bytes = (window.bytes - mss).max(2 * mss);
        }
    }
}

impl Law for Vegas {
    fn measure(&mut self, window: &mut Cwnd, progress: &Progress) {
        if let Some(rtt_ms) = self.rounds.handle(progress)
            && progress.is_open
        {
            self.round(window, rtt_ms);
        }
    }

    fn grow(&mut self, window: &mut Cwnd, acked: u64, step_max: u64, byte_counting: bool) {
        if window.bytes < window.threshold && self.grows {
            window.grow(acked, step_max, byte_counting);
        }
    }
}
