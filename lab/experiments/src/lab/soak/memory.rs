//! What clients that come and go leave in the memory of a process.

use core::time::Duration;

use serde_json::{Value, json};

use crate::lab::{Check, Goal};
use crate::page::{Axis, Plot, Series};

/// How often memory is looked at.
pub(super) const SAMPLE: Duration = Duration::from_secs(1);
/// Bytes of a mebibyte.
pub(super) const MIB: f64 = (1 << 20) as f64;
/// Growth of memory, MiB: of an hour, or of the run if that is shorter.
const GROWTH: Goal = Goal::AtMost(1.0);
const HOUR_S: f64 = 3_600.0;
/// So many samples are told as one mean.
const SAMPLES_A_MINUTE: usize = 60;

/// The memory of a process, and how it grew from some time on.
pub(super) struct Memory<'a> {
    who: &'a str,
    /// Seconds and bytes.
    points: &'a [(f64, f64)],
    left_out_s: f64,
    measured_s: f64,
    per_s: f64,
    around: f64,
}

impl<'a> Memory<'a> {
    /// What these samples, seconds and bytes, say of a process: those before `settled_from` do not count.
    pub(super) fn of(who: &'a str, points: &'a [(f64, f64)], settled_from: Duration) -> Memory<'a> {
        let left_out_s = settled_from.as_secs_f64();
        let settled: Vec<(f64, f64)> = points.iter().copied().filter(|(at_s, _)| *at_s >= left_out_s).collect();
        let measured_s = settled.last().map_or(0.0, |last| last.0) - settled.first().map_or(0.0, |first| first.0);
        let per_s = slope(&settled);
        Memory { who, points, left_out_s, measured_s, per_s, around: farthest(&settled, per_s) }
    }

    fn most(&self) -> f64 {
        self.points.iter().map(|point| point.1).fold(f64::NAN, f64::max)
    }

    /// Rows of a table.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        vec![
            ("memory, at most", format!("{:.2} MiB", self.most() / MIB)),
            ("left out at the beginning", format!("{:.0} s", self.left_out_s)),
            ("measured", format!("{:.0} s", self.measured_s)),
            ("slope", format!("{:.2} MiB an hour", self.per_s * HOUR_S / MIB)),
            ("around it, at most", format!("{:.2} MiB", self.around / MIB)),
        ]
    }

    /// The same for programs.
    pub(super) fn note(&self, results: &mut Value) {
        let minutes = self.points.chunks(SAMPLES_A_MINUTE);
        let minutes = minutes.map(|minute| minute.iter().map(|point| point.1).sum::<f64>() / minute.len() as f64);
        for (key, value) in [
            ("memory_by_minute_bytes", json!(minutes.collect::<Vec<f64>>())),
            ("memory_max_bytes", json!(self.most())),
            ("measured_s", json!(self.measured_s)),
            ("left_out_s", json!(self.left_out_s)),
            ("around_slope_bytes", json!(self.around)),
            ("slope_mib_per_hour", json!(self.per_s * HOUR_S / MIB)),
        ] {
            results[key] = value;
        }
    }

    /// The picture.
    pub(super) fn plot(&self) -> Plot {
        let points = self.points.iter().map(|(at_s, bytes)| (*at_s, bytes / MIB)).collect();
        let plot = Plot::new("Memory", Axis::new("time", "s"), Axis::new("resident", "MiB"));
        plot.series(Series::line(self.who, points))
    }

    /// That it does not grow.
    pub(super) fn check(&self) -> Check {
        let growth = self.per_s * self.measured_s.min(HOUR_S) / MIB;
        let name = format!("memory of {} grows, by its slope over an hour or what was measured of it", self.who);
        Check::new(name, growth, "MiB", GROWTH)
    }
}

/// The middle of a series.
fn middle(points: &[(f64, f64)]) -> (f64, f64) {
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    (mean(|point| point.0), mean(|point| point.1))
}

/// How far a series goes from its line of this slope.
fn farthest(points: &[(f64, f64)], slope: f64) -> f64 {
    let (x, y) = middle(points);
    points.iter().map(|point| (point.1 - y - slope * (point.0 - x)).abs()).fold(0.0, f64::max)
}

/// By how much a series grows in a second, of the line that lies nearest to it.
fn slope(points: &[(f64, f64)]) -> f64 {
    let (x, y) = middle(points);
    let both: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    both / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_that_of_the_nearest_line() {
        assert!((slope(&[(0.0, 5.0), (1.0, 7.0), (2.0, 9.0)]) - 2.0).abs() < 1e-9);
        assert!(slope(&[(0.0, 1.0), (1.0, 3.0), (2.0, 1.0), (3.0, 3.0)]) > 0.0);
        assert!(slope(&[(1.0, 1.0)]).is_nan(), "of one point there is none");
    }

    #[test]
    fn what_comes_and_goes_is_told_apart_from_what_grows() {
        let saw: Vec<(f64, f64)> = (0..100).map(|at| (f64::from(at), f64::from(at % 2) * 50.0)).collect();
        let grows = slope(&saw);
        assert!(grows.abs() < 0.1, "{grows}");
        assert!((24.0..27.0).contains(&farthest(&saw, grows)));
    }
}
