//! When to sleep and when to stay awake, so that what is due at a time happens then.

use std::time::Duration;

use tng_base::Instant;

/// How long before something is due a sleep ends, before it is known how late this machine wakes.
const LEAD_DEFAULT: Duration = Duration::from_micros(80);
/// The least of it.
const LEAD_MIN: Duration = Duration::from_micros(20);
/// The most: on a machine that is later, packets are late.
const LEAD_MAX: Duration = Duration::from_micros(300);
/// What is taken from the lead when a sleep was not longer than that.
const LEAD_STEP: Duration = Duration::from_nanos(500);
/// How many times as much is added when it was: one sleep in ten ends too late.
const LEAD_RAISE: u32 = 9;
/// Time spent awake for nothing is at most this part of all time: the thread runs before all others.
const AWAKE_PART: u32 = 3;
/// What of that can be saved up.
const ALLOWANCE_MAX: Duration = Duration::from_millis(1);

/// How a thread that must be punctual sleeps: until shortly before something is due, by as much as this machine is
/// usually late to wake it, and then not any more.
#[derive(Debug)]
pub(crate) struct Waking {
    lead: Duration,
    allowance: Duration,
    awake: bool,
    /// When [`sleep`](Waking::sleep) was last asked.
    asked: Instant,
}

impl Waking {
    pub(crate) fn new(now: Instant) -> Waking {
        Waking { lead: LEAD_DEFAULT, allowance: ALLOWANCE_MAX, awake: false, asked: now }
    }

    /// How long to sleep if something is due in `rest`; not at all if that is soon. Nothing if it is soon and the
    /// thread has been awake for too long.
    pub(crate) fn sleep(&mut self, now: Instant, rest: Duration) -> Option<Duration> {
        let passed = now.since(self.asked);
        self.asked = now;
        self.allowance = (self.allowance + passed / AWAKE_PART).min(ALLOWANCE_MAX);
        if self.awake {
            self.allowance = self.allowance.saturating_sub(passed);
        }
        self.awake = rest <= self.lead && !self.allowance.is_zero();
        match rest.checked_sub(self.lead) {
            Some(sleep) if !sleep.is_zero() => Some(sleep),
            _ => self.awake.then_some(Duration::ZERO),
        }
    }

    /// A sleep ended so long after it should have.
    pub(crate) fn woke(&mut self, late: Duration) {
        let lead = match late > self.lead {
            true => self.lead + LEAD_STEP * LEAD_RAISE,
            false => self.lead.saturating_sub(LEAD_STEP),
        };
        self.lead = lead.clamp(LEAD_MIN, LEAD_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: Duration = Duration::from_micros(1);

    #[test]
    fn a_sleep_ends_early_by_what_nine_wakings_in_ten_are_late() {
        let mut waking = Waking::new(Instant::ZERO);
        for number in 0..10_000 {
            // Evenly from 100 to 199 microseconds late.
            waking.woke((100 + number * 37 % 100) * US);
        }
        let sleep = waking.sleep(Instant::ZERO, 1_000 * US).expect("it sleeps");
        assert!((800 * US..=820 * US).contains(&sleep), "{sleep:?}");
        (0..10_000).for_each(|_| waking.woke(Duration::from_secs(1)));
        assert_eq!(waking.sleep(Instant::ZERO, 1_000 * US), Some(1_000 * US - LEAD_MAX));
        (0..10_000).for_each(|_| waking.woke(Duration::ZERO));
        assert_eq!(waking.sleep(Instant::ZERO, 1_000 * US), Some(1_000 * US - LEAD_MIN));
    }

    #[test]
    fn it_stays_awake_for_a_third_of_the_time_at_most() {
        let mut waking = Waking::new(Instant::ZERO);
        let (mut now, mut awake) = (Instant::ZERO, Duration::ZERO);
        while now < Instant::ZERO + Duration::from_secs(1) {
            let step = match waking.sleep(now, 5 * US) {
                Some(Duration::ZERO) => {
                    awake += US;
                    US
                }
                Some(sleep) => panic!("{sleep:?} with something due"),
                None => 30 * US,
            };
            now += step;
        }
        assert!((300_000 * US..=340_000 * US).contains(&awake), "{awake:?}");
    }
}
