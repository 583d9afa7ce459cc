//! How much of the processor a guest may have over time.

use core::time::Duration;

use tng_base::Instant;

use crate::Quotas;

/// Callbacks that may use all of their fuel one after the other, when nothing was used for a while.
pub const CALLS_SAVED: u64 = 4;

/// So many nanoseconds for which a host stands still for a guest in another process cost that guest one of fuel, beside
/// what it has burnt itself: each connection has a fifth of its host's time, and what its segments give it, however
/// small they are. Most of a wait is the system's, which has others to run: were it dearer, one that a busy machine
/// makes long would stop it for seconds.
pub const WAIT_FUEL_NS: u128 = 20;

/// Fuel of all callbacks: so much a second, and so much for each segment that comes or leaves. A quota of one callback
/// alone would let a guest of a few timers have the processor for itself, a call at a time. When it is used up the
/// guest waits until there is some again; what it used beyond is a debt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FuelAllowance {
    left: i64,
    per_sec: u64,
    per_segment: u64,
    most: u64,
    given_at: Instant,
}

impl FuelAllowance {
    pub(crate) fn new(quotas: &Quotas) -> FuelAllowance {
        let most = quotas.fuel.saturating_mul(CALLS_SAVED).clamp(1, i64::MAX as u64);
        let (per_sec, per_segment) = (quotas.fuel_per_sec.max(1), quotas.fuel_per_segment);
        FuelAllowance { left: most as i64, per_sec, per_segment, most, given_at: Instant::ZERO }
    }

    /// Time has passed.
    pub(crate) fn advance(&mut self, now: Instant) {
        let passed = now.since(self.given_at);
        let fuel = passed.as_nanos() * u128::from(self.per_sec) / 1_000_000_000;
        if fuel > 0 {
            self.given_at = now;
            self.give(u64::try_from(fuel).unwrap_or(u64::MAX));
        }
    }

    /// So many segments came, or left.
    pub(crate) fn handle_segments(&mut self, segments: u64) {
        self.give(segments.saturating_mul(self.per_segment));
    }

    fn give(&mut self, fuel: u64) {
        self.left = self.left.saturating_add(i64::try_from(fuel).unwrap_or(i64::MAX)).min(self.most as i64);
    }

    /// A call has used so much.
    pub(crate) fn handle_used(&mut self, fuel: u64) {
        self.left = self.left.saturating_sub(i64::try_from(fuel).unwrap_or(i64::MAX));
    }

    /// The host has stood still for a call.
    pub(crate) fn handle_waited(&mut self, waited: Duration) {
        self.handle_used(u64::try_from(waited.as_nanos() / WAIT_FUEL_NS).unwrap_or(u64::MAX));
    }

    /// When there is some again; nothing if there is now.
    pub(crate) fn next(&self) -> Option<Instant> {
        let wanted = u64::try_from(1_i64.saturating_sub(self.left)).ok().filter(|wanted| *wanted > 0)?;
        let wait = u128::from(wanted) * 1_000_000_000 / u128::from(self.per_sec) + 1;
        Some(self.given_at + Duration::from_nanos(u64::try_from(wait).unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_that_a_busy_machine_makes_long_stops_nobody_and_one_after_the_other_take_a_fifth_of_the_time() {
        let (mut fuel, ms) = (FuelAllowance::new(&Quotas::default()), Duration::from_millis(1));
        fuel.advance(Instant::from_secs(1));
        fuel.handle_waited(150 * ms);
        assert_eq!(fuel.next(), None, "it is called at once");
        let (mut now, mut waited) = (Instant::from_secs(2), Duration::ZERO);
        while now < Instant::from_secs(12) {
            fuel.advance(now);
            if fuel.next().is_none() {
                fuel.handle_waited(10 * ms);
                (now, waited) = (now + 10 * ms, waited + 10 * ms);
            }
            now += ms;
        }
        assert!((1_900..2_300).contains(&waited.as_millis()), "{waited:?} of 10 s");
    }

    #[test]
    fn what_is_used_up_comes_back_with_time_and_with_segments() {
        let quotas = Quotas { fuel: 1_000, fuel_per_sec: 10_000, fuel_per_segment: 50, ..Quotas::default() };
        let (mut fuel, at) = (FuelAllowance::new(&quotas), Instant::from_millis);
        fuel.advance(at(5_000));
        fuel.handle_used(4_000 - 1);
        assert_eq!(fuel.next(), None);
        fuel.handle_used(2_000);
        let next = fuel.next().expect("it is used up");
        assert!(next > at(5_199) && next < at(5_201), "{next:?}");
        fuel.advance(at(5_100));
        assert!(fuel.next().is_some());
        fuel.handle_segments(30);
        assert_eq!(fuel.next(), None);
        fuel.advance(at(60_000));
        fuel.handle_used(3_999);
        assert_eq!(fuel.next(), None, "no more is saved than a few calls");
        fuel.handle_used(1);
        assert!(fuel.next().is_some());
    }
}
