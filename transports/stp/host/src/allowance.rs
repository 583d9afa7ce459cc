//! How much a guest may do of what costs others: a few at once, and then as time and its peer give.

use core::time::Duration;

use tng_base::Instant;

/// Acknowledgments that may leave although nothing came, at once; one more every [`ACK_EVERY`].
pub const ACKS_AT_ONCE: u64 = 4;
/// See [`ACKS_AT_ONCE`].
pub const ACK_EVERY: Duration = Duration::from_millis(250);
/// Bytes that each of them may have.
pub const ACK_BYTES: u64 = 128;
/// Segments that came, and their bytes, count for so many acknowledgments at most.
pub const ACKS_SAVED_MAX: u64 = 256;

/// Acknowledgments that may leave: one for each segment that came, with as many bytes as came, and a few a second.
#[derive(Clone, Copy, Debug)]
pub struct AckAllowance {
    packets: u64,
    bytes: u64,
    /// When time gave the last.
    given_at: Instant,
}

impl AckAllowance {
    /// A few, at the beginning.
    pub fn new(now: Instant) -> AckAllowance {
        AckAllowance { packets: ACKS_AT_ONCE, bytes: ACKS_AT_ONCE * ACK_BYTES, given_at: now }
    }

    /// A segment came.
    pub fn handle_arrival(&mut self, bytes: u64) {
        self.give(1, bytes.max(ACK_BYTES));
    }

    fn give(&mut self, packets: u64, bytes: u64) {
        self.packets = ACKS_SAVED_MAX.min(self.packets + packets);
        self.bytes = (ACKS_SAVED_MAX * 1_500).min(self.bytes + bytes);
    }

    /// How many may leave, and how many bytes, at least.
    pub(crate) fn left(&self) -> (u64, u64) {
        (self.packets, self.bytes)
    }

    /// One is to leave; answers whether it may.
    pub fn take(&mut self, now: Instant, bytes: u64) -> bool {
        let given = (now.since(self.given_at).as_millis() / ACK_EVERY.as_millis()) as u64;
        if given > 0 {
            self.given_at += ACK_EVERY * u32::try_from(given).unwrap_or(u32::MAX);
            let more = given.min(ACKS_AT_ONCE.saturating_sub(self.packets));
            self.give(more, more * ACK_BYTES);
        }
        if self.packets == 0 || self.bytes < bytes {
            return false;
        }
        (self.packets, self.bytes) = (self.packets - 1, self.bytes - bytes);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_leave_as_came_and_four_a_second() {
        let start = Instant::from_secs(1);
        let mut allowance = AckAllowance::new(start);
        let taken = |allowance: &mut AckAllowance, now| (0..1_000).filter(|_| allowance.take(now, 40)).count();
        assert_eq!((taken(&mut allowance, start), taken(&mut allowance, start)), (4, 0));
        for _ in 0..10 {
            allowance.handle_arrival(1_200);
        }
        assert_eq!(taken(&mut allowance, start), 10);
        let later = start + Duration::from_millis(500);
        assert_eq!(taken(&mut allowance, later), 2);
        assert_eq!(taken(&mut allowance, start + Duration::from_secs(3_600)), 4, "time saves up no more");
    }

    #[test]
    fn no_more_is_saved_up_than_256_and_375_kib_however_much_came() {
        let start = Instant::from_secs(1);
        let saved = || {
            let mut allowance = AckAllowance::new(start);
            (0..10_000).for_each(|_| allowance.handle_arrival(1_500));
            allowance
        };
        let (mut small, mut large) = (saved(), saved());
        assert_eq!((0..10_000).filter(|_| small.take(start, 40)).count(), 256);
        assert!(!large.take(start, 384_001) && large.take(start, 384_000) && !large.take(start, 1));
    }

    #[test]
    fn bytes_are_bounded_like_packets() {
        let now = Instant::from_secs(1);
        let mut allowance = AckAllowance::new(now);
        assert!(!allowance.take(now, ACKS_AT_ONCE * ACK_BYTES + 1));
        allowance.handle_arrival(1_200);
        assert!(allowance.take(now, 1_200) && allowance.take(now, 512) && !allowance.take(now, 1));
    }
}
