//! How late packets leave an emulator.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Buckets for each doubling: what is read from the histogram is right to about 1/8.
const STEPS: u64 = 8;
/// Doublings from one microsecond on: the last bucket holds everything beyond about a minute.
const DOUBLINGS: usize = 26;
const BUCKETS: usize = STEPS as usize * (DOUBLINGS + 1);

/// A histogram of the time from when packets were due at the far end of their link until they were written there.
#[derive(Clone, Debug)]
pub struct Lateness {
    buckets: [u64; BUCKETS],
    count: u64,
    sum_ns: u128,
    max: Duration,
}

impl Default for Lateness {
    fn default() -> Lateness {
        Lateness { buckets: [0; BUCKETS], count: 0, sum_ns: 0, max: Duration::ZERO }
    }
}

/// A histogram in a few figures, in microseconds.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Percentiles {
    /// Packets.
    pub count: u64,
    /// Their mean.
    pub mean_us: f64,
    /// The median.
    pub p50_us: f64,
    /// The 90th percentile.
    pub p90_us: f64,
    /// The 99th percentile.
    pub p99_us: f64,
    /// The 99.9th percentile.
    pub p999_us: f64,
    /// The latest.
    pub max_us: f64,
}

/// The bucket of a time: linear up to [`STEPS`] microseconds, then as many for each doubling.
fn bucket(late: Duration) -> usize {
    let us = u64::try_from(late.as_micros()).unwrap_or(u64::MAX);
    if us < STEPS {
        return us as usize;
    }
    let doubling = us.ilog2() - STEPS.ilog2();
    let step = (us >> doubling) - STEPS;
    ((u64::from(doubling) + 1) * STEPS + step).min(BUCKETS as u64 - 1) as usize
}

/// The least time that no longer belongs to a bucket, in microseconds.
fn end_us(bucket: usize) -> u64 {
    let (doubling, step) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    match doubling {
        0 => step + 1,
        _ => (STEPS + step + 1) << (doubling - 1),
    }
}

impl Lateness {
    /// Counts a packet.
    pub fn count(&mut self, late: Duration) {
        self.buckets[bucket(late)] += 1;
        self.count += 1;
        self.sum_ns += late.as_nanos();
        self.max = self.max.max(late);
    }

    /// Adds another histogram's packets.
    pub fn add(&mut self, other: &Lateness) {
        self.buckets.iter_mut().zip(other.buckets).for_each(|(ours, theirs)| *ours += theirs);
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.max = self.max.max(other.max);
    }

    /// The figures. Percentiles are the upper ends of their buckets, but not above the maximum.
    pub fn percentiles(&self) -> Percentiles {
        let max_us = self.max.as_nanos() as f64 / 1e3;
        let at = |share: f64| {
            let rank = (self.count as f64 * share).ceil().max(1.0) as u64;
            let mut seen = 0;
            let place = self.buckets.iter().position(|count| {
                seen += count;
                seen >= rank
            });
            place.map_or(0.0, |place| (end_us(place) as f64).min(max_us))
        };
        Percentiles {
            count: self.count,
            mean_us: self.sum_ns as f64 / 1e3 / self.count.max(1) as f64,
            p50_us: at(0.5),
            p90_us: at(0.9),
            p99_us: at(0.99),
            p999_us: at(0.999),
            max_us,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_lies_in_the_bucket_that_ends_after_it() {
        for us in (0..2_000).chain([5_000, 65_535, 65_536, 1_000_000, 59_000_000]) {
            let place = bucket(Duration::from_micros(us));
            assert!(us < end_us(place) && (place == 0 || us >= end_us(place - 1)), "{us} in {place}");
        }
        assert_eq!(bucket(Duration::from_secs(1 << 40)), BUCKETS - 1);
    }

    #[test]
    fn percentiles_are_right_to_an_eighth() {
        let mut late = Lateness::default();
        for us in 1..=1_000 {
            late.count(Duration::from_micros(us));
        }
        let figures = late.percentiles();
        assert_eq!((figures.count, figures.mean_us, figures.max_us), (1_000, 500.5, 1_000.0));
        for (value, exact) in [(figures.p50_us, 500.0), (figures.p90_us, 900.0), (figures.p99_us, 990.0)] {
            assert!(value >= exact && value <= exact * 1.125, "{value} for {exact}");
        }
        let mut twice = late.clone();
        twice.add(&late);
        assert_eq!(twice.percentiles().p50_us, figures.p50_us);
        assert_eq!(Lateness::default().percentiles(), Percentiles::default());
    }
}
