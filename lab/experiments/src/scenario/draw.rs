//! Quantities that are drawn by lot.

use core::time::Duration;

use tng_base::Rng;

use tng_settings::{Field, Result, Section};

/// A quantity, each of whose values is drawn by itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Draw<T> {
    /// The mean, before [`max`](Draw::max) cuts off.
    pub mean: T,
    /// How the values are spread about it.
    pub law: Law,
    /// Larger ones become this one.
    pub max: Option<T>,
}

/// How values are spread about their mean.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Law {
    /// All are the mean.
    Fixed,
    /// Exponentially; of times between arrivals, a Poisson process.
    Exponential,
    /// By Pareto's law: the smaller the shape, which is above 1, the heavier the tail.
    Pareto {
        /// The share of values above `x` falls as the `shape`th power of `1 / x`.
        shape: f64,
    },
}

impl Law {
    /// What to multiply the mean by.
    fn factor(self, rng: &mut Rng) -> f64 {
        match self {
            Law::Fixed => 1.0,
            Law::Exponential => -(1.0 - rng.unit()).ln(),
            Law::Pareto { shape } => (shape - 1.0) / shape * (1.0 - rng.unit()).powf(-1.0 / shape),
        }
    }
}

impl<T> Draw<T> {
    /// Always this one.
    pub const fn fixed(mean: T) -> Draw<T> {
        Draw { mean, law: Law::Fixed, max: None }
    }
}

impl Draw<u64> {
    /// A value.
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        let value = if self.law == Law::Fixed { self.mean } else { (self.mean as f64 * self.law.factor(rng)) as u64 };
        self.max.map_or(value, |max| value.min(max))
    }
}

impl Draw<Duration> {
    /// A value.
    pub fn draw(&self, rng: &mut Rng) -> Duration {
        let of_ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let ns = Draw { mean: of_ns(self.mean), law: self.law, max: self.max.map(of_ns) };
        Duration::from_nanos(ns.draw(rng))
    }
}

/// Periods in which something goes on, and between them periods in which it does not; it begins with one in which it
/// does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OnOff {
    /// How long it goes on.
    pub on: Draw<Duration>,
    /// How long it does not.
    pub off: Draw<Duration>,
}

/// Shortest mean of a period.
pub const PERIOD_MIN: Duration = Duration::from_millis(1);

/// A value as it is, or a table that says how it is drawn.
pub(super) fn draw<T: PartialOrd + Copy>(
    field: &Field<'_, '_>,
    value: impl Fn(&Field<'_, '_>) -> Result<T>,
) -> Result<Draw<T>> {
    if !field.is_table() {
        return Ok(Draw::fixed(value(field)?));
    }
    const LAWS: &[&str] = &["fixed", "exponential", "pareto"];
    let section = field.table(&field.key, &["mean", "distribution", "shape", "max"])?;
    let law = match section.need("distribution")?.choice("distribution", LAWS)? {
        0 => Law::Fixed,
        1 => Law::Exponential,
        _ => {
            let shape = section.need("shape")?;
            match shape.number()? {
                number if number > 1.0 => Law::Pareto { shape: number },
                _ => return Err(shape.wrong("write a number above 1: with a smaller one there is no mean")),
            }
        }
    };
    if let (Some(shape), Law::Fixed | Law::Exponential) = (section.get("shape"), law) {
        return Err(shape.wrong("only the distribution \"pareto\" has a shape"));
    }
    let mean = value(&section.need("mean")?)?;
    let max = section.get("max").map(|field| value(&field)).transpose()?;
    if max.is_some_and(|max| max < mean) {
        return Err(section.contradiction("the largest value is less than the mean".into()));
    }
    Ok(Draw { mean, law, max })
}

/// The keys `on` and `off`.
pub(super) fn on_off(section: &Section<'_, '_>) -> Result<Option<OnOff>> {
    let period = |field: Field<'_, '_>| {
        draw(&field, |field| match field.time()? {
            time if time >= PERIOD_MIN => Ok(time),
            _ => Err(field.wrong("write a time of at least 1 ms")),
        })
    };
    match (section.get("on"), section.get("off")) {
        (None, None) => Ok(None),
        (Some(on), Some(off)) => Ok(Some(OnOff { on: period(on)?, off: period(off)? })),
        (Some(_), None) => Err(section.missing("off, beside on")),
        (None, Some(_)) => Err(section.missing("on, beside off")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_law_the_mean_is_the_one_that_was_asked_for() {
        let mut rng = Rng::from_u64(1);
        for law in [Law::Fixed, Law::Exponential, Law::Pareto { shape: 2.5 }] {
            let draw = Draw { mean: 10_000, law, max: None };
            let mean = (0..100_000).map(|_| draw.draw(&mut rng)).sum::<u64>() / 100_000;
            assert!((9_800..10_200).contains(&mean), "{law:?}: {mean}");
        }
        let short = Draw { mean: 10_000, law: Law::Pareto { shape: 1.1 }, max: Some(20_000) };
        assert!((0..10_000).map(|_| short.draw(&mut rng)).all(|value| (900..=20_000).contains(&value)));
    }
}
