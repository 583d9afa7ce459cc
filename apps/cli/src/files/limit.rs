//! How fast files move at most.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::clock;

/// Bytes that are read from a stream at once where there is a limit.
pub const LIMITED_READ_MAX: usize = 16 * 1024;

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
        let time = Duration::from_secs_f64(bytes as f64 / self.rate.max(1) as f64);
        let mut paid = self.paid.lock().unwrap_or_else(PoisonError::into_inner);
        let now = clock::ticks();
        // What was not used is not saved up.
        let until = paid.map_or(now, |paid| paid.max(now)) + time;
        *paid = Some(until);
        until
    }

    /// Notes `bytes` that have moved, and waits until more may.
    pub(super) async fn pay(&self, bytes: usize) {
        sleep_until(self.take(bytes)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_together_move_no_more_than_the_rate() {
        let (limit, began) = (Limit::new(1_000), clock::ticks());
        let last = (0..20).map(|_| limit.take(100)).last().expect("twenty");
        let ended = clock::ticks();
        assert!(last >= began + Duration::from_secs(2) && last <= ended + Duration::from_secs(2));
    }
}
