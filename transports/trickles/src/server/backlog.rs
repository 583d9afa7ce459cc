//! Whether more comes than a server can answer, by what waits (Trickles 7.1: "degraded service rather than rejecting
//! new requests or failing").

use core::time::Duration;

use tng_base::Instant;

use super::{QUEUE_MAX, Server};
use crate::minisocket::Application;
use crate::throttle::STANDING_STEPS;

/// So long requests wait without a break before that is a standing queue, and no burst. So often, at most, a standing
/// queue makes windows smaller by half: what was cut before shows after a round trip or two.
pub const STANDING_MIN: Duration = Duration::from_millis(100);

/// So often, at most, windows become larger again when nothing stands: what each step brings shows before the next.
pub const RELIEF_EVERY: Duration = Duration::from_secs(1);

/// A queue that is never empty: what is sent in answer brings more than is answered. It is measured as by CoDel (RFC
/// 8289): a queue that is empty now and then absorbs bursts, and is fine, however busy the server is.
#[derive(Debug)]
pub(super) struct Backlog {
    /// Since when something waits.
    since: Option<Instant>,
    /// When the steps changed last.
    changed: Instant,
    steps: u32,
}

impl Backlog {
    pub(super) const fn new(now: Instant) -> Backlog {
        Backlog { since: None, changed: now, steps: 0 }
    }

    /// Whether something waits `now`. Answers how many steps of a throttle there should be, of so many.
    pub(super) fn note(&mut self, now: Instant, is_waiting: bool, steps_max: u32) -> u32 {
        let since = match is_waiting {
            true => *self.since.get_or_insert(now),
            false => {
                self.since = None;
                now
            }
        };
        let changed = now.since(self.changed);
        if now.since(since) >= STANDING_MIN {
            if changed >= STANDING_MIN && self.steps < steps_max {
                (self.steps, self.changed) = (self.steps + 1, now);
            }
        } else if changed >= RELIEF_EVERY {
            // One for each second: nobody may have asked for anything meanwhile.
            let seconds = u32::try_from(changed.as_millis() / RELIEF_EVERY.as_millis()).unwrap_or(u32::MAX);
            (self.steps, self.changed) = (self.steps.saturating_sub(seconds), now);
        }
        self.steps
    }
}

impl<A: Application> Server<A> {
    /// Whether its driver has found something there each time that it looked since it said so last: then more waits
    /// than has been handed in.
    pub const fn set_has_more(&mut self, has_more: bool) {
        self.has_more_elsewhere = has_more;
    }

    /// To how many packets under way it holds each connection at present; none if it does not.
    pub const fn window_max(&self) -> Option<u64> {
        self.gate.throttle.window_max()
    }

    /// Looks at what waits, if it sheds load.
    pub(super) fn look_at_backlog(&mut self, now: Instant) {
        if let Some(backlog) = &mut self.backlog {
            let waiting = self.arrived.len() + self.queue.len();
            self.gate.throttle.set_waiting(waiting, QUEUE_MAX);
            let standing = backlog.note(now, waiting > 0 || self.has_more_elsewhere, STANDING_STEPS);
            self.gate.throttle.set_standing(standing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_is_empty_for_a_tenth_of_a_second_is_a_step_more_and_a_second_without_is_one_less() {
        let at = |ms: u64| Instant::from_millis(1_000 + ms);
        let mut backlog = Backlog::new(at(0));
        let mut steps = |ms, is_waiting| backlog.note(at(ms), is_waiting, 11);
        // Bursts: something waits nearly always, and not always.
        for ms in 0..5_000 {
            assert_eq!(steps(ms, ms % 99 != 0), 0);
        }
        let grown: Vec<u32> = (5_001..7_000).map(|ms| steps(ms, true)).collect();
        assert_eq!((grown[0], grown[300], grown[1_998]), (0, 3, 11));
        let relieved: Vec<u32> = (7_000..20_000).map(|ms| steps(ms, ms % 50 == 0)).collect();
        assert_eq!((relieved[0], relieved[1_100], relieved[12_999]), (11, 10, 0));
        for ms in 20_000..21_000 {
            steps(ms, true);
        }
        assert_eq!((steps(21_000, true), steps(24_500, false), steps(90_000, false)), (10, 7, 0), "after a rest");
    }
}
