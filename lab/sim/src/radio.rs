//! Traces of links by radio, made by models: what a cell, a crowded Wi-Fi and a satellite that hands over do to a rate.
//!
//! The same model, seed and length give the same trace on any machine: lots decide between numbers that are computed
//! without any function whose last bit is the machine's own.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use tng_base::Rng;

use crate::delivery::DeliveryTrace;
use crate::dice::fork;

/// A kind of link by radio, modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Radio {
    /// A cell that a phone moves through: packets come by lot, at a rate that wanders between nothing and 12 Mbit/s by
    /// 2.4 Mbit/s in a second (one standard deviation); once nothing comes, nothing may come for a second and longer.
    /// The model of K. Winstein, A. Sivaraman, H. Balakrishnan: Stochastic Forecasts Achieve High Throughput and Low
    /// Delay over Cellular Networks, NSDI 2013, section 3.1, with its numbers, and a bound above.
    Cellular,
    /// A Wi-Fi (802.11n, one antenna) among others: bursts of 2 ms at 6.5 to 65 Mbit/s, which is one step more or less
    /// every 100 ms at most; between them the channel is others', mostly for a millisecond or two while these are
    /// quiet, and for some ten while they are busy, seconds each. Every ten seconds it looks at other channels for 100
    /// ms.
    Wifi,
    /// A satellite in a low orbit: a new one, or a new share of one, every 15 s, at 12, 27, 42 and 57 s of a minute,
    /// when nothing comes for 50 to 250 ms; between 3 and 15 Mbit/s, which is another with each and strays by a tenth
    /// within one. The intervals are those that N. Mohan and others saw: A Multifaceted Look at Starlink Performance,
    /// WWW 2024; the rates are smaller than theirs, so that the files are.
    Satellite,
}

/// Longest trace that a model makes: the fastest stays below the opportunities that a trace may have.
pub const RADIO_TIME_MAX: Duration = Duration::from_secs(300);

/// What lots are drawn from: above what links and nodes draw from.
const LOTS: u64 = 0x7261 << 48;

/// Times are drawn in steps of 100 us.
const STEPS_A_MS: u32 = 10;
const STEPS_A_S: f64 = 10_000.0;

/// Packets a second that a cell delivers at most: 12 Mbit/s.
const CELL_TOP: f64 = 1_000.0;
/// By how much that wanders in a second, one standard deviation.
const CELL_SIGMA: f64 = 200.0;
/// How often a second a cell that delivers nothing begins again.
const CELL_ESCAPES: f64 = 1.0;
/// The rate wanders once in so many milliseconds.
const CELL_TICK_MS: u32 = 20;

/// Bits per second of the rates of 802.11n on 20 MHz with one antenna, long guard interval.
const WIFI_BPS: [f64; 8] = [6.5e6, 13e6, 19.5e6, 26e6, 39e6, 52e6, 58.5e6, 65e6];

/// Bits per second of a satellite, least and most.
const SATELLITE_BPS: [f64; 2] = [3e6, 15e6];

/// Bits of an opportunity.
const BITS: f64 = 12_000.0;

impl Radio {
    /// All of them.
    pub const ALL: [Radio; 3] = [Radio::Cellular, Radio::Wifi, Radio::Satellite];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Radio::Cellular => "cellular",
            Radio::Wifi => "wifi",
            Radio::Satellite => "satellite",
        }
    }

    /// A trace of so much time, to the millisecond; at its very end something may be delivered, so that it repeats
    /// then. `None` if that is less than a millisecond, or more than [`RADIO_TIME_MAX`].
    pub fn trace(self, seed: u64, length: Duration) -> Option<DeliveryTrace> {
        let end = u32::try_from(length.as_millis()).ok().filter(|_| length <= RADIO_TIME_MAX)?;
        let mut air = Air { rng: fork(seed, LOTS | self as u64), times: Vec::new(), end };
        match self {
            Radio::Cellular => air.cellular(),
            Radio::Wifi => air.wifi(),
            Radio::Satellite => air.satellite(),
        }
        air.times.push(end);
        DeliveryTrace::new(air.times).ok()
    }
}

impl fmt::Display for Radio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Radio {
    type Err = String;

    fn from_str(text: &str) -> Result<Radio, String> {
        let names = || Radio::ALL.map(Radio::name).join(", ");
        let known = Radio::ALL.into_iter().find(|radio| radio.name() == text);
        known.ok_or_else(|| format!("no model is called {text}; there are {}", names()))
    }
}

/// A trace in the making.
struct Air {
    rng: Rng,
    times: Vec<u32>,
    /// It ends there.
    end: u32,
}

impl Air {
    /// About normal, mean 0 and deviation 1: the sum of twelve lots.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.rng.unit()).sum::<f64>() - 6.0
    }

    /// About exponential with this mean, in whole steps.
    fn steps(&mut self, mean_s: f64) -> u32 {
        let ends = 1.0 / (mean_s * STEPS_A_S);
        let mut steps = 1;
        while !self.rng.chance(ends) {
            steps += 1;
        }
        steps
    }

    fn cellular(&mut self) {
        let mut rate = self.rng.unit() * CELL_TOP;
        let tick_s = f64::from(CELL_TICK_MS) / 1e3;
        for ms in 0..self.end {
            if ms % CELL_TICK_MS == 0 {
                let by = self.normal() * CELL_SIGMA * tick_s.sqrt();
                // Off the bound above, and held at the one below.
                rate = match rate + by {
                    _ if rate == 0.0 && self.rng.chance(CELL_ESCAPES * tick_s) => by.abs(),
                    _ if rate == 0.0 => 0.0,
                    above if above > CELL_TOP => 2.0 * CELL_TOP - above,
                    other => other.max(0.0),
                };
            }
            let count = (0..STEPS_A_MS).filter(|_| self.rng.chance(rate / STEPS_A_S)).count();
            self.times.extend(core::iter::repeat_n(ms, count));
        }
    }

    fn wifi(&mut self) {
        let (mut pace, mut busy, mut bits) = (4_usize, false, 0.0);
        // In steps: until when the channel is ours, or others'; and when the others become quiet or busy.
        let (mut ours, mut until, mut changes) = (false, 0, self.steps(3.0));
        for step in 0..self.end * STEPS_A_MS {
            let ms = step / STEPS_A_MS;
            if step % 1_000 == 0 {
                pace = (pace + self.rng.below(3) as usize).saturating_sub(1).min(WIFI_BPS.len() - 1);
            }
            if step == changes {
                busy = !busy;
                changes += self.steps(if busy { 2.0 } else { 3.0 });
            }
            if step >= until {
                ours = !ours;
                until = step + if ours { 20 } else { self.steps(if busy { 12e-3 } else { 1.5e-3 }) };
            }
            // It is elsewhere.
            if !ours || ms % 10_000 >= 9_900 {
                continue;
            }
            bits += WIFI_BPS[pace] / STEPS_A_S;
            while bits >= BITS {
                bits -= BITS;
                self.times.push(ms);
            }
        }
    }

    fn satellite(&mut self) {
        let (mut bps, mut silent, mut bits) = (0.0, 0, 0.0);
        for ms in 0..self.end {
            if ms == 0 || ms % 15_000 == 12_000 {
                let [least, most] = SATELLITE_BPS;
                bps = least + self.rng.unit() * (most - least);
                silent = if ms == 0 { 0 } else { ms + 50 + self.rng.below(201) as u32 };
            }
            if ms < silent {
                continue;
            }
            bits += bps * (1.0 + 0.1 * self.normal()).max(0.0) / 1e3;
            while bits >= BITS {
                bits -= BITS;
                self.times.push(ms);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn minute(radio: Radio, seed: u64) -> DeliveryTrace {
        radio.trace(seed, MINUTE).expect("a minute")
    }

    /// Mbit/s in each of the spans of so many milliseconds.
    fn mbits(trace: &DeliveryTrace, span_ms: u32) -> Vec<f64> {
        let mut bits = vec![0.0; (trace.length().as_millis() as u32).div_ceil(span_ms) as usize + 1];
        trace.times().iter().for_each(|time| bits[(time / span_ms) as usize] += BITS);
        bits.iter().map(|bits| bits / f64::from(span_ms) / 1e3).collect()
    }

    /// The longest times without any, in milliseconds, and when they begin.
    fn gaps(trace: &DeliveryTrace) -> Vec<(u32, u32)> {
        let mut gaps: Vec<(u32, u32)> = trace.times().windows(2).map(|pair| (pair[1] - pair[0], pair[0])).collect();
        gaps.sort_unstable_by(|one, other| other.cmp(one));
        gaps
    }

    #[test]
    fn the_same_seed_makes_the_same_trace_of_the_length_asked_for_and_another_another() {
        for radio in Radio::ALL {
            let trace = minute(radio, 1);
            assert_eq!((trace.length(), &trace), (MINUTE, &minute(radio, 1)), "{radio}");
            assert_ne!(trace, minute(radio, 2), "{radio}");
            assert_eq!(radio.name().parse(), Ok(radio));
            let short = radio.trace(1, Duration::from_millis(1)).expect("a millisecond");
            assert_eq!(short.length(), Duration::from_millis(1), "{radio}");
            assert!(radio.trace(1, RADIO_TIME_MAX).is_some(), "{radio}");
            for length in [Duration::ZERO, RADIO_TIME_MAX + Duration::from_nanos(1), Duration::MAX] {
                assert_eq!(radio.trace(1, length), None, "{radio}, {length:?}");
            }
        }
        assert!("weather".parse::<Radio>().is_err_and(|words| words.contains("cellular, wifi, satellite")));
    }

    #[test]
    fn a_cell_wanders_over_all_its_rates_and_is_silent_at_times() {
        let traces: Vec<DeliveryTrace> = (0..20).map(|seed| minute(Radio::Cellular, seed)).collect();
        let seconds: Vec<f64> = traces.iter().flat_map(|trace| mbits(trace, 1_000)).collect();
        let share =
            |of: &dyn Fn(f64) -> bool| seconds.iter().filter(|it| of(**it)).count() as f64 / seconds.len() as f64;
        assert!(share(&|it| it < 2.0) > 0.1 && share(&|it| it > 10.0) > 0.1, "{seconds:?}");
        assert!(seconds.iter().all(|it| *it < 13.5), "{seconds:?}");
        // From one second to the next it is not another at once.
        let steps = seconds.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum::<f64>() / seconds.len() as f64;
        assert!((0.8..2.5).contains(&steps), "{steps}");
        let silent = traces.iter().filter(|trace| gaps(trace)[0].0 > 500).count();
        assert!((5..=18).contains(&silent), "{silent} of 20 are silent for half a second");
    }

    #[test]
    fn a_wifi_delivers_in_bursts_and_looks_elsewhere_every_ten_seconds() {
        for seed in 0..5 {
            let trace = minute(Radio::Wifi, seed);
            let mean = trace.mean_bps() as f64 / 1e6;
            assert!((5.0..25.0).contains(&mean), "{mean}");
            for at in (9_900..60_000).step_by(10_000) {
                assert!(!trace.times().iter().any(|time| (at..at + 100).contains(time)), "{at}, seed {seed}");
            }
            // Most milliseconds have nothing, and those that have anything have more than the mean.
            let own = mbits(&trace, 1);
            let empty = own.iter().filter(|it| **it == 0.0).count() as f64 / own.len() as f64;
            assert!((0.4..0.9).contains(&empty), "{empty}");
        }
    }

    #[test]
    fn a_satellite_hands_over_every_fifteen_seconds_and_goes_on_at_another_rate() {
        for seed in 0..5 {
            let trace = minute(Radio::Satellite, seed);
            let mut longest: Vec<u32> = gaps(&trace)[..4].iter().map(|(_, begin)| begin.div_ceil(1_000)).collect();
            longest.sort_unstable();
            assert_eq!(longest, [12, 27, 42, 57], "seed {seed}");
            assert!(gaps(&trace)[..4].iter().all(|(ms, _)| (50..=256).contains(ms)), "seed {seed}");
            let rates = mbits(&trace, 1_000);
            let [one, other] = [13..26, 28..41].map(|span| &rates[span]);
            let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
            assert!(one.iter().all(|it| (it / mean(one) - 1.0).abs() < 0.05), "seed {seed}: {one:?}");
            assert!((mean(one) / mean(other) - 1.0).abs() > 0.02, "seed {seed}: {one:?}, {other:?}");
        }
    }
}
