//! What links do to packets beyond delaying them.

use core::ops::RangeInclusive;
use core::time::Duration;

use tng_base::{RangeSet, Rng};

use crate::pattern::Patterns;

/// How a link loses packets.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Loss {
    /// It does not.
    #[default]
    None,
    /// Each packet with this probability, whatever befell the others.
    Independent(f64),
    /// At each packet a burst begins with probability `start`; it takes between `min` and `max` packets in a row, each
    /// length as likely.
    Bursty {
        /// Probability that a burst begins.
        start: f64,
        /// Fewest packets of a burst.
        min: u32,
        /// Most packets of a burst.
        max: u32,
    },
    /// The model of Gilbert and Elliott: two states, left with probabilities `to_bad` and `to_good` after each packet,
    /// which is lost with the probability that belongs to the state.
    GilbertElliott {
        /// Probability to go from good to bad.
        to_bad: f64,
        /// Probability to go from bad to good.
        to_good: f64,
        /// Loss while good.
        loss_good: f64,
        /// Loss while bad.
        loss_bad: f64,
    },
    /// Exactly these packets, counted from zero since this loss was set.
    Numbers(RangeSet),
}

impl Loss {
    /// Bursts of these lengths that together lose the share `rate` of all packets.
    pub fn bursts(rate: f64, lengths: RangeInclusive<u32>) -> Loss {
        let mean = f64::from(lengths.start() + lengths.end()) / 2.0;
        let start = rate / (mean * (1.0 - rate) + rate);
        Loss::Bursty { start, min: *lengths.start(), max: *lengths.end() }
    }

    /// Gilbert's model (nothing lost while good, everything while bad) with this share of all packets lost, in runs of
    /// this mean length.
    pub fn gilbert(rate: f64, run_mean: f64) -> Loss {
        let to_good = 1.0 / run_mean;
        Loss::GilbertElliott { to_bad: to_good * rate / (1.0 - rate), to_good, loss_good: 0.0, loss_bad: 1.0 }
    }

    /// The packets with these numbers, counted from zero since this loss was set.
    pub fn numbers(numbers: impl IntoIterator<Item = u64>) -> Loss {
        let mut set = RangeSet::new();
        for number in numbers {
            set.insert(number..number + 1);
        }
        Loss::Numbers(set)
    }

    /// The share of packets lost in the long run; zero for [`Loss::Numbers`].
    pub fn rate(&self) -> f64 {
        match *self {
            Loss::None | Loss::Numbers(_) => 0.0,
            Loss::Independent(p) => p,
            Loss::Bursty { start, min, max } => {
                let mean = f64::from(min + max) / 2.0;
                start * mean / (start * mean + 1.0 - start)
            }
            Loss::GilbertElliott { to_bad, to_good, loss_good, loss_bad } => {
                if to_bad + to_good == 0.0 {
                    return loss_good;
                }
                let bad = to_bad / (to_bad + to_good);
                bad * loss_bad + (1.0 - bad) * loss_good
            }
        }
    }
}

/// How packets come to overtake each other.
#[derive(Clone, PartialEq, Debug)]
pub enum Reorder {
    /// Some take a longer way and are overtaken.
    Late {
        /// Probability of the longer way.
        probability: f64,
        /// By how much it is longer.
        extra: Duration,
    },
    /// Some are spared the delay and overtake the others, as with netem.
    Ahead {
        /// Probability of that.
        probability: f64,
    },
    /// Those of a burst arrive in the order of a pattern.
    Burst {
        /// The orders, each with how often it is drawn.
        patterns: Patterns,
        /// How long a packet waits at most for those that are to overtake it.
        hold: Duration,
        /// Those that would be late are lost instead: what reordering costs is seen beside it.
        lost: bool,
    },
}

/// A [`Loss`] at work.
pub(crate) struct LossProcess {
    loss: Loss,
    seen: u64,
    burst_left: u32,
    bad: bool,
}

impl LossProcess {
    pub(crate) fn new(loss: Loss) -> LossProcess {
        LossProcess { loss, seen: 0, burst_left: 0, bad: false }
    }

    /// Whether the loss draws lots at all.
    pub(crate) fn is_none(&self) -> bool {
        self.loss == Loss::None
    }

    /// Whether the next packet is lost.
    pub(crate) fn loses(&mut self, rng: &mut Rng) -> bool {
        let number = self.seen;
        self.seen += 1;
        match &self.loss {
            Loss::None => false,
            Loss::Independent(p) => rng.chance(*p),
            Loss::Bursty { start, min, max } => {
                if self.burst_left > 0 {
                    self.burst_left -= 1;
                    return true;
                }
                let begins = rng.chance(*start);
                if begins {
                    let length = min + rng.below(u64::from(max.saturating_sub(*min)) + 1) as u32;
                    self.burst_left = length.saturating_sub(1);
                }
                begins
            }
            Loss::GilbertElliott { to_bad, to_good, loss_good, loss_bad } => {
                let lost = rng.chance(if self.bad { *loss_bad } else { *loss_good });
                if rng.chance(if self.bad { *to_good } else { *to_bad }) {
                    self.bad = !self.bad;
                }
                lost
            }
            Loss::Numbers(numbers) => numbers.contains(number),
        }
    }
}

/// Flips between one and three bits.
pub(crate) fn flip_bits(payload: &mut [u8], rng: &mut Rng) {
    if payload.is_empty() {
        return;
    }
    for _ in 0..=rng.below(3) {
        let bit = rng.below(payload.len() as u64 * 8);
        payload[(bit / 8) as usize] ^= 1 << (bit % 8);
    }
}
