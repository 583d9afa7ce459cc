//! The clock and the punctuality of one host: no two are alike, and none is perfect.

use core::time::Duration;

use tng_base::{Instant, Rng};

/// Parts in a billion.
const BILLION: u128 = 1_000_000_000;

/// How a host sees time, and how late it is.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// What it shows when the world begins.
    pub offset: Duration,
    /// How much too fast it goes, in parts per billion.
    pub drift_ppb: i64,
    /// It goes in steps of so much.
    pub grain: Duration,
    /// Timers go off late by up to so much.
    pub late: Duration,
    /// What arrives is handed over after so much, together with what has arrived since.
    pub coalesce: Duration,
}

impl Clock {
    /// The world's own.
    pub const PERFECT: Clock = Clock {
        offset: Duration::ZERO,
        drift_ppb: 0,
        grain: Duration::from_nanos(1),
        late: Duration::ZERO,
        coalesce: Duration::ZERO,
    };

    /// Some other.
    pub fn draw(rng: &mut Rng) -> Clock {
        let pick = |rng: &mut Rng, of: &[u64]| of[rng.below(of.len() as u64) as usize];
        Clock {
            offset: Duration::from_secs(pick(rng, &[0, 1, 1_000_000])),
            drift_ppb: rng.below(1_000_001) as i64 - 500_000,
            grain: Duration::from_nanos(pick(rng, &[1, 1_000, 1_000_000, 4_000_000, 15_625_000])),
            late: Duration::from_micros(pick(rng, &[0, 0, 1_000, 20_000, 100_000])),
            coalesce: Duration::from_micros(pick(rng, &[0, 0, 50, 1_000, 10_000])),
        }
    }

    fn rate(&self) -> u128 {
        (BILLION as i128 + i128::from(self.drift_ppb)) as u128
    }

    /// What it shows at a time of the world.
    pub fn show(&self, at: Instant) -> Instant {
        let grain = self.grain.as_nanos().max(1);
        let shown = self.offset.as_nanos() + u128::from(at.as_nanos()) * self.rate() / BILLION;
        Instant::from_nanos((shown / grain * grain) as u64)
    }

    /// The first time of the world at which it shows `shown` or more.
    pub fn when(&self, shown: Instant) -> Instant {
        let grain = self.grain.as_nanos().max(1);
        let ahead = u128::from(shown.as_nanos()).div_ceil(grain) * grain;
        let since = ahead.saturating_sub(self.offset.as_nanos());
        Instant::from_nanos(u64::try_from((since * BILLION).div_ceil(self.rate())).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_goes_off_at_the_first_moment_at_which_the_clock_shows_its_time() {
        for seed in 0..2_000 {
            let mut rng = Rng::from_u64(seed);
            let clock = Clock::draw(&mut rng);
            let timer = Instant::from_nanos(clock.offset.as_nanos() as u64 + rng.below(1 << 42));
            let when = clock.when(timer);
            assert!(clock.show(when) >= timer, "seed {seed}: too early");
            let before = Instant::from_nanos(when.as_nanos().saturating_sub(1));
            assert!(when == Instant::ZERO || clock.show(before) < timer, "seed {seed}: too late");
        }
    }
}
