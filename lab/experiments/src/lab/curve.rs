//! What arrived over time.

use crate::page::{Axis, Series};

/// Bytes by equal steps of time, from zero on.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// What arrived.
    pub name: String,
    /// Length of a step in seconds.
    pub step_s: f64,
    /// Bytes of each step; nothing arrived behind the last.
    pub bytes: Vec<u64>,
}

impl Curve {
    /// What plots of them count. What waits behind a loss is read at once when that is repaired, so that a step may
    /// hold more than the link carries in it.
    pub fn axis() -> Axis {
        Axis::new("read by the application", "Mbit/s")
    }

    /// The first step that begins at a time or later.
    fn step(&self, time_s: f64) -> usize {
        // A time that is a whole number of steps is not always one in binary fractions.
        (time_s / self.step_s - 1e-6).ceil().max(0.0) as usize
    }

    /// Bytes of the steps that begin in a span of time.
    pub fn sum(&self, from_s: f64, to_s: f64) -> u64 {
        let steps = self.bytes.iter().skip(self.step(from_s));
        steps.take(self.step(to_s).saturating_sub(self.step(from_s))).sum()
    }

    /// The same in steps so many times as long.
    pub fn coarser(&self, times: usize) -> Curve {
        let bytes = self.bytes.chunks(times).map(|steps| steps.iter().sum()).collect();
        Curve { name: self.name.clone(), step_s: self.step_s * times as f64, bytes }
    }

    /// Mbit/s of each step.
    pub fn mbits(&self) -> Vec<f64> {
        self.bytes.iter().map(|bytes| *bytes as f64 * 8e-6 / self.step_s).collect()
    }

    /// Mbit/s for a page, back at zero behind the last step.
    pub fn series(&self) -> Series {
        let values = self.mbits().into_iter().chain([0.0]);
        let points = values.enumerate().map(|(step, mbits)| (step as f64 * self.step_s, mbits));
        Series::steps(&self.name, points.collect())
    }

    /// The steps around a time in which nothing arrived: when they begin and end. `None` if something arrived in the
    /// step of that time and in the one before, or nothing on one of its sides.
    pub fn gap(&self, time_s: f64) -> Option<(f64, f64)> {
        let at = self.step(time_s).min(self.bytes.len());
        let before = self.bytes[..at].iter().rposition(|bytes| *bytes > 0)? + 1;
        let behind = at + self.bytes[at..].iter().position(|bytes| *bytes > 0)?;
        (before < behind).then_some((before as f64 * self.step_s, behind as f64 * self.step_s))
    }

    /// The longest time without anything that begins between `from_s` and `to_s`, or has begun before; it is looked at
    /// until `until_s`, which is where one that never ended ends.
    pub fn longest_gap_s(&self, (from_s, to_s): (f64, f64), until_s: f64) -> f64 {
        let (from, to, until) = (self.step(from_s), self.step(to_s), self.step(until_s));
        let is_empty = |step: &usize| self.bytes.get(*step).is_none_or(|bytes| *bytes == 0);
        let gap = |begin: usize| (begin..until).take_while(is_empty).count();
        let begins = (from..to.min(until)).filter(|step| *step == from || !is_empty(&(step - 1)));
        begins.map(gap).max().unwrap_or(0) as f64 * self.step_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(bytes: &[u64]) -> Curve {
        Curve { name: "a".into(), step_s: 0.1, bytes: bytes.to_vec() }
    }

    #[test]
    fn a_sum_takes_the_steps_that_begin_in_the_span() {
        let curve = curve(&[1, 2, 4, 8]);
        assert_eq!(curve.sum(0.0, 0.4), 15);
        assert_eq!(curve.sum(0.1, 0.3), 6);
        assert_eq!(curve.sum(0.3, 9.0), 8);
        assert_eq!(curve.sum(0.3, 0.1), 0);
    }

    #[test]
    fn coarser_steps_have_the_same_bytes() {
        assert_eq!(curve(&[1, 2, 4, 8, 16]).coarser(2).bytes, [3, 12, 16]);
        let fast = curve(&[125_000]);
        assert_eq!(fast.mbits(), [10.0]);
        assert_eq!(fast.series().points, [(0.0, 10.0), (0.1, 0.0)]);
    }

    #[test]
    fn a_gap_is_what_is_empty_around_a_time() {
        let gap = |bytes: &[u64], time_s| {
            curve(bytes).gap(time_s).map(|(from, to)| ((from * 10.0).round() as u64, (to * 10.0).round() as u64))
        };
        assert_eq!(gap(&[1, 1, 0, 0, 1], 0.2), Some((2, 4)));
        assert_eq!(gap(&[1, 0, 0, 0, 1], 0.2), Some((1, 4)));
        assert_eq!(gap(&[1, 1, 1, 1, 1], 0.2), None);
        assert_eq!(gap(&[1, 1, 0, 0], 0.2), None, "it never came back");
        assert_eq!(gap(&[0, 0, 0, 1], 0.2), None, "it had not begun");
        assert_eq!(gap(&[1], 9.0), None);
    }

    #[test]
    fn the_longest_gap_begins_within_a_span_and_may_end_behind_it() {
        let gap = |bytes: &[u64], span, until_s| (curve(bytes).longest_gap_s(span, until_s) * 10.0).round() as u64;
        let bytes = [0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1];
        assert_eq!(gap(&bytes, (0.1, 0.4), 1.1), 2);
        assert_eq!(gap(&bytes, (0.3, 0.6), 1.1), 2);
        assert_eq!(gap(&bytes, (0.3, 0.8), 1.1), 3, "it ends behind the span");
        assert_eq!(gap(&bytes, (0.3, 0.8), 0.9), 2, "nobody looks further");
        assert_eq!(gap(&bytes, (0.8, 0.9), 1.1), 2, "what began before counts from there on");
        assert_eq!(gap(&[1, 1], (0.0, 0.2), 0.2), 0);
        assert_eq!(gap(&[1, 1], (0.0, 0.3), 1.0), 8, "nothing came again");
    }
}
