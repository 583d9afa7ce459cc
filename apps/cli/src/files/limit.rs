//! How fast files move at most.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::clock;

/// Bytes that are read from a stream, or written to one, at once where there is a limit.
pub const LIMITED_READ_MAX: usize = 16 * 1024;

/// Time that passed unused is made up for as far back as this: waits end late, and what moves takes time itself.
pub const LAG_MAX: Duration = Duration::from_millis(100);

/// A rate that all files of a command share.
#[derive(Debug)]
pub struct Limit {
    /// Bytes a second.
    rate: u64,
    /// When all that has moved is paid for.
    paid: Mutex<Option<Instant>>,
}

impl Limit {
    /// So many bytes a second.
    pub const fn new(rate: u64) -> Limit {
        Limit { rate, paid: Mutex::new(None) }
    }

    /// Notes `bytes`; when the next may move.
    pub(super) fn take(&self, bytes: usize) -> Instant {
        self.take_at(bytes, clock::ticks())
    }

    fn take_at(&self, bytes: usize, now: Instant) -> Instant {
        let time = Duration::from_secs_f64(bytes as f64 / self.rate.max(1) as f64);
        let mut paid = self.paid.lock().unwrap_or_else(PoisonError::into_inner);
        // More of what was not used is not saved up.
        let oldest = now.checked_sub(LAG_MAX).unwrap_or(now);
        let until = paid.map_or(now, |paid| paid.max(oldest)) + time;
        *paid = Some(until);
        until
    }

    /// Files that each can move [`LIMITED_READ_MAX`] bytes in a second.
    pub(super) fn turns(&self) -> usize {
        usize::try_from(self.rate).unwrap_or(usize::MAX) / LIMITED_READ_MAX
    }

    /// Notes `bytes` that are to move, and waits until they may.
    pub(super) async fn pay(&self, bytes: usize) {
        sleep_until(self.take(bytes)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u64 = 4_000_000;

    #[test]
    fn all_together_move_no_more_than_the_rate() {
        let (limit, began) = (Limit::new(1_000), clock::ticks());
        let last = (0..20).map(|_| limit.take(100)).last().expect("twenty");
        let ended = clock::ticks();
        assert!(last >= began + Duration::from_secs(2) && last <= ended + Duration::from_secs(2));
    }

    #[test]
    fn waits_that_end_late_and_reads_that_take_time_slow_nothing() {
        let (limit, began) = (Limit::new(RATE), clock::ticks());
        // In virtual time: each read takes a while, and each wait ends up to 2 ms late.
        let (mut now, mut moved) = (began, 0);
        while moved < 20_000_000 {
            now += Duration::from_micros(700);
            moved += LIMITED_READ_MAX;
            let until = limit.take_at(LIMITED_READ_MAX, now);
            if until > now {
                now = until + Duration::from_micros(moved as u64 / 1_024 % 2_000);
            }
        }
        let rate = moved as f64 / now.duration_since(began).as_secs_f64();
        assert!((0.95..=1.05).contains(&(rate / RATE as f64)), "{rate} bytes a second");
    }

    #[test]
    fn after_a_pause_no_more_comes_at_once_than_the_lag_that_is_made_up_for() {
        let (limit, began) = (Limit::new(RATE), clock::ticks());
        limit.take_at(LIMITED_READ_MAX, began);
        let later = began + Duration::from_secs(60);
        let at_once = (0..).take_while(|_| limit.take_at(LIMITED_READ_MAX, later) <= later).count();
        assert_eq!(at_once, (RATE as f64 * LAG_MAX.as_secs_f64()) as usize / LIMITED_READ_MAX);
    }
}
