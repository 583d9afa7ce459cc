//! When a connection waits no longer: for an answer, for something to ask with, and at its end.

use core::time::Duration;

use tng_base::Instant;

use super::rtt::{RTO_MAX, RoundTrip};
use crate::foresee::{SLOT, TIMEOUT_COUNT_MAX};

/// After so many requests for a timeout without an answer, each awaited, the connection is given up for another.
pub const TIMEOUTS_UNANSWERED_MAX: u32 = 5;
/// The same, if the connection's secret is an epoch old.
pub const TIMEOUTS_UNANSWERED_OLD_MAX: u32 = 2;

/// What is waited for, and requests for a timeout that are not answered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timeouts {
    /// Since when an answer is waited for, or a continuation to ask with.
    pub(super) armed: Option<Instant>,
    /// Whether the tail has been asked for again.
    pub(super) is_probed: bool,
    /// How often waits were doubled.
    backoff: u32,
    /// How many servers may be asked.
    servers: u32,
    /// Since the last answer to anything.
    pub(super) unanswered: u32,
    /// The same, on this path alone: what was asked for on another says nothing of this one.
    vain: u32,
    /// When each count was asked with last.
    asked: [Option<Instant>; TIMEOUT_COUNT_MAX as usize + 1],
    /// Whether the answer to one is taken.
    pub(super) is_wanted: bool,
    /// Whether the client has moved since it got its continuations.
    pub(super) has_moved: bool,
}

impl Timeouts {
    /// Something new came.
    pub(super) const fn answered(&mut self, now: Instant) {
        (self.armed, self.is_probed, self.backoff) = (Some(now), false, 0);
        (self.is_wanted, self.unanswered, self.vain) = (false, 0, 0);
    }

    /// The client is somewhere else.
    pub(super) const fn moved(&mut self) {
        (self.has_moved, self.backoff, self.vain) = (true, 0, 0);
        self.asked = [None; TIMEOUT_COUNT_MAX as usize + 1];
    }

    /// When the next may be asked for: there is no count above the highest.
    pub(super) fn next_at(&self) -> Option<Instant> {
        self.asked[usize::from(TIMEOUT_COUNT_MAX)].map(|at| at + SLOT)
    }

    /// One is asked for, of one of so many servers, which is to grant no more than that count does. Answers its count:
    /// one more for each that was asked for in vain, in whatever slot, and none that was asked with in the last one. A
    /// server grants each once in a slot, and nobody else knows when its slots begin.
    pub(super) fn take(&mut self, now: Instant, servers: u32, least: u8) -> u8 {
        self.backoff += u32::from(!self.asks_another());
        self.servers = servers;
        let least = (u32::from(least) + self.vain).min(u32::from(TIMEOUT_COUNT_MAX)) as u8;
        let is_free = |count: &u8| self.asked[usize::from(*count)].is_none_or(|at| now >= at + SLOT);
        let count = (least..=TIMEOUT_COUNT_MAX).find(is_free).unwrap_or(TIMEOUT_COUNT_MAX);
        self.asked[usize::from(count)] = Some(now);
        (self.unanswered, self.vain) = (self.unanswered + 1, self.vain + 1);
        (self.is_wanted, self.armed) = (true, Some(now));
        count
    }

    /// Whether the next goes to a server that was not asked for one in this outage.
    fn asks_another(&self) -> bool {
        (1..self.servers).contains(&self.unanswered)
    }

    /// When what has been waited for since then is given up.
    pub(super) fn at(&self, armed: Instant, rtt: &RoundTrip) -> Instant {
        // One that does not grant a timeout either is away: before it is waited for longer, each of the others is
        // asked.
        let wait = match self.asks_another() {
            true => rtt.probe(),
            false => (rtt.timeout() * (1 << self.backoff.min(6))).min(RTO_MAX),
        };
        let at = armed + wait;
        self.next_at().map_or(at, |next| at.max(next))
    }

    /// Whether more than so many were asked for in vain, and one for each further server.
    pub(super) fn are_in_vain(&self, now: Instant, most: u32, rtt: &RoundTrip) -> bool {
        // Who waits for nothing misses no answer.
        let is_over = self.armed.is_some_and(|armed| now >= self.at(armed, rtt));
        self.unanswered >= most + self.servers.saturating_sub(1) && is_over
    }
}

/// Whether nothing more will be asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Closing {
    /// Something may be.
    #[default]
    No,
    /// Nothing will be, and the server has yet to be told.
    Begun,
    /// So long it waits for something to say so with.
    Until(Instant),
}

impl Closing {
    /// Nothing more will be asked for.
    pub(super) const fn begin(&mut self) {
        if matches!(self, Closing::No) {
            *self = Closing::Begun;
        }
    }

    pub(super) const fn has_begun(self) -> bool {
        !matches!(self, Closing::No)
    }

    /// Whether it waits no longer, for at most so long in all.
    pub(super) fn is_over(&mut self, now: Instant, wait: Duration) -> bool {
        let until = match *self {
            Closing::Until(until) => until,
            Closing::No | Closing::Begun => now + wait,
        };
        *self = Closing::Until(until);
        now >= until
    }

    /// When there is something to do.
    pub(super) const fn due(self, now: Instant) -> Option<Instant> {
        match self {
            Closing::No => None,
            Closing::Begun => Some(now),
            Closing::Until(until) => Some(until),
        }
    }
}

#[cfg(test)]
mod tests {
    use tng_base::Rng;

    use super::*;
    use crate::foresee::{INITIAL_WINDOW, window_after_timeout};

    #[test]
    fn no_count_is_asked_with_twice_in_a_second_whatever_is_answered() {
        let mut rng = Rng::from_u64(1);
        let (mut timeouts, mut now) = (Timeouts::default(), Instant::from_millis(0));
        let mut last = [None::<Instant>; TIMEOUT_COUNT_MAX as usize + 1];
        for _ in 0..20_000 {
            now += Duration::from_millis(rng.below(400));
            if timeouts.next_at().is_none_or(|next| now >= next) {
                let least = rng.below(u64::from(TIMEOUT_COUNT_MAX) + 1) as u8;
                let count = timeouts.take(now, 1 + rng.below(3) as u32, least);
                let before = last[usize::from(count)].replace(now);
                assert!(count >= least && before.is_none_or(|before| now.since(before) >= SLOT), "{count} at {now:?}");
            }
            if rng.chance(0.5) {
                timeouts.answered(now);
            }
        }
        assert!(last.iter().all(Option::is_some), "control: {last:?}");
    }

    #[test]
    fn what_was_asked_for_in_vain_makes_lines_smaller_on_that_path_and_on_no_other() {
        let (mut timeouts, mut now) = (Timeouts::default(), Instant::from_millis(0));
        let mut window = |timeouts: &mut Timeouts| {
            now += Duration::from_secs(10);
            window_after_timeout(timeouts.take(now, 1, 0))
        };
        assert_eq!([0; 6].map(|_| window(&mut timeouts)), [INITIAL_WINDOW, 5, 2, 1, 1, 1]);
        timeouts.moved();
        assert_eq!([0; 2].map(|_| window(&mut timeouts)), [INITIAL_WINDOW, 5]);
        assert_eq!(timeouts.unanswered, 8, "a connection that nobody answers anywhere is given up");
    }
}
