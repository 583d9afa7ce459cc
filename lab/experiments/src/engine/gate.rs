//! What goes on by periods.

use core::time::Duration;

use tng_base::Rng;

use crate::scenario::OnOff;

/// Shortest period that is drawn.
const SHORTEST: Duration = Duration::from_micros(1);

/// Open and shut by turns. Times count from when it was made, and are never asked for in the past.
#[derive(Debug)]
pub(crate) struct Gate {
    periods: OnOff,
    rng: Rng,
    open: bool,
    /// The period that was looked at last.
    since: Duration,
    until: Duration,
    /// How long the gate was open in all before it.
    before: Duration,
}

impl Gate {
    pub(crate) fn new(periods: OnOff, mut rng: Rng) -> Gate {
        let until = periods.on.draw(&mut rng).max(SHORTEST);
        Gate { periods, rng, open: true, since: Duration::ZERO, until, before: Duration::ZERO }
    }

    fn turn(&mut self) {
        if self.open {
            self.before += self.until - self.since;
        }
        self.open = !self.open;
        let period = if self.open { self.periods.on } else { self.periods.off };
        self.since = self.until;
        self.until += period.draw(&mut self.rng).max(SHORTEST);
    }

    /// How long it was open in all by `time`.
    pub(crate) fn open_by(&mut self, time: Duration) -> Duration {
        while self.until <= time {
            self.turn();
        }
        // Who has asked when it will have been open for longer has looked ahead.
        self.before + if self.open { time.saturating_sub(self.since) } else { Duration::ZERO }
    }

    /// When it will have been open for so long in all, and is.
    pub(crate) fn when_open_for(&mut self, all: Duration) -> Duration {
        while !self.open || self.before + (self.until - self.since) <= all {
            self.turn();
        }
        self.since + all.saturating_sub(self.before)
    }

    /// When it opens, if it is shut at `time`.
    pub(crate) fn shut_until(&mut self, time: Duration) -> Option<Duration> {
        self.open_by(time);
        (!self.open).then_some(self.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Draw;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn time_passes_only_while_it_is_open() {
        let gate = || Gate::new(OnOff { on: Draw::fixed(2 * S), off: Draw::fixed(3 * S) }, Rng::from_u64(0));
        let mut one = gate();
        let open: Vec<u64> = (0..12).map(|second| one.open_by(second * S).as_secs()).collect();
        assert_eq!(open, [0, 1, 2, 2, 2, 2, 3, 4, 4, 4, 4, 5]);
        let mut one = gate();
        let when: Vec<u64> = (0..5).map(|second| one.when_open_for(second * S).as_secs()).collect();
        assert_eq!(when, [0, 1, 5, 6, 10]);
        let mut one = gate();
        assert_eq!(
            [0, 1, 2, 4, 5].map(|second| one.shut_until(second * S)),
            [None, None, Some(5 * S), Some(5 * S), None]
        );
    }
}
