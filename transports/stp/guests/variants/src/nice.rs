//! TCP Nice (Venkataramani, Kokku and Dahlin 2002): what nobody waits for gives way to everybody else.

use stp_guest_tcp::{Cwnd, Law, Progress};

use crate::vegas::{Rounds, Vegas};

/// Of the way from the least to the greatest round trip, in a hundred: behind that there is a queue of others,
const THRESHOLD: u64 = 20;
/// and if so many of a hundred acknowledgments of a round say so, the window is halved.
const FRACTION: u64 = 50;

/// The law: Vegas, and halving by round trips alone.
#[derive(Clone, Default, Debug)]
pub struct Nice {
    vegas: Vegas,
    rounds: Rounds,
    samples: u64,
    late: u64,
}

impl Law for Nice {
    fn measure(&mut self, window: &mut Cwnd, progress: &Progress) {
        self.vegas.measure(window, progress);
        let over = self.rounds.handle(progress).is_some();
        if let Some(rtt_ms) = progress.rtt_ms {
            let (base, most) = (self.rounds.base_ms, self.rounds.most_ms);
            self.samples += 1;
            self.late += u64::from(100 * rtt_ms.saturating_sub(base) > THRESHOLD * (most - base));
        }
        if over {
            if 100 * self.late > FRACTION * self.samples && self.samples > 0 && progress.is_open {
                window.bytes = (window.bytes / 2).max(window.mss);
                window.threshold = window.bytes;
            }
            (self.samples, self.late) = (0, 0);
        }
    }

    fn grow(&mut self, window: &mut Cwnd, acked: u64, step_max: u64, byte_counting: bool) {
        self.vegas.grow(window, acked, step_max, byte_counting);
    }
}
