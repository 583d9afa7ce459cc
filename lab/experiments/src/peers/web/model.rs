//! Pages drawn by lot.

use core::f64::consts::TAU;
use core::time::Duration;

use tng_base::Rng;

use crate::peers::exchange::{Page, Request};

/// Values below its least or above its greatest are drawn again so often, and then taken as that.
const TRIES_MAX: usize = 64;

/// A distribution whose logarithm is normal, cut at both ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lognormal {
    /// Mean of the logarithm.
    pub mu: f64,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
}

impl Lognormal {
    /// Draws a value.
    pub fn draw(&self, rng: &mut Rng) -> f64 {
        let mut value = self.min;
        for _ in 0..TRIES_MAX {
            // Box and Muller's way to a normal variate.
            let normal = (-2.0 * (1.0 - rng.unit()).ln()).sqrt() * (TAU * rng.unit()).cos();
            value = (self.mu + self.sigma * normal).exp();
            if (self.min..=self.max).contains(&value) {
                return value;
            }
        }
        value.clamp(self.min, self.max)
    }
}

/// Pareto's distribution; what lies above the greatest value is that.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pareto {
    /// How fast it falls.
    pub alpha: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
}

impl Pareto {
    /// Draws a value.
    pub fn draw(&self, rng: &mut Rng) -> f64 {
        (self.min / (1.0 - rng.unit()).powf(1.0 / self.alpha)).min(self.max)
    }
}

/// What pages are like.
///
/// The default is the HTTP model of the evaluation methodologies of 3GPP2 (C.R1002) and IEEE 802.16m, whose
/// distributions are those that Choi and Limb ("A behavioral model of web traffic", ICNP 1999) fitted to a recorded
/// campus network, cut at both ends:
///
/// | what | distribution |
/// |---|---|
/// | main object | lognormal, mu 8.37, sigma 1.37, 100 B to 2 MB; without the cuts a mean of 11 kB |
/// | embedded object | lognormal, mu 6.17, sigma 2.36, 50 B to 2 MB; without the cuts a mean of 7.8 kB |
/// | embedded objects of a page | Pareto, alpha 1.1, from 2 to 55, less 2; a mean of 5.6 |
/// | time to look at a page | exponential, mean 30 s |
/// | request | lognormal, mean 360 B, standard deviation 106 B (Choi and Limb's), 100 B to 2 kB |
///
/// They are pages of the paper's time, not of today: a page of 2025 has about seventy objects and two megabytes (HTTP
/// Archive).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Model {
    /// Bytes of a page's first answer.
    pub main: Lognormal,
    /// Bytes of each of the others.
    pub embedded: Lognormal,
    /// How many others there are, and two more.
    pub count: Pareto,
    /// Bytes of a request.
    pub request: Lognormal,
    /// Mean time between a page and the next, exponentially distributed.
    pub think_mean: Duration,
}

impl Default for Model {
    fn default() -> Model {
        Model {
            main: Lognormal { mu: 8.37, sigma: 1.37, min: 100.0, max: 2e6 },
            embedded: Lognormal { mu: 6.17, sigma: 2.36, min: 50.0, max: 2e6 },
            count: Pareto { alpha: 1.1, min: 2.0, max: 55.0 },
            request: Lognormal { mu: 5.845, sigma: 0.289, min: 100.0, max: 2e3 },
            think_mean: Duration::from_secs(30),
        }
    }
}

impl Model {
    /// Draws a page.
    pub fn page(&self, rng: &mut Rng) -> Page {
        let embedded = (self.count.draw(rng) - self.count.min) as usize;
        let mut request = |answer: &Lognormal| {
            let answer = answer.draw(rng) as u64;
            Request { request: self.request.draw(rng) as u32, answer }
        };
        let main = request(&self.main);
        let others = (0..embedded).map(|_| request(&self.embedded));
        Page { requests: core::iter::once(main).chain(others).collect() }
    }

    /// Draws how long somebody looks at a page.
    pub fn think(&self, rng: &mut Rng) -> Duration {
        self.think_mean.mul_f64(-(1.0 - rng.unit()).ln())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(draw: impl Fn(&mut Rng) -> f64) -> Vec<f64> {
        let mut rng = Rng::from_u64(1);
        let mut values: Vec<f64> = (0..20_000).map(|_| draw(&mut rng)).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn distributions_have_the_medians_and_means_that_are_published() {
        let model = Model::default();
        let main = draws(|rng| model.main.draw(rng));
        assert!((4_100.0..4_600.0).contains(&main[10_000]), "{}", main[10_000]);
        assert!((10_000.0..11_500.0).contains(&mean(&main)), "{}", mean(&main));
        let embedded = draws(|rng| model.embedded.draw(rng));
        // The median of the uncut distribution is exp(6.17); what lies below 50 B is drawn again.
        assert!((550.0..800.0).contains(&embedded[10_000]), "{}", embedded[10_000]);
        let count = draws(|rng| model.count.draw(rng) - 2.0);
        assert!((5.0..6.2).contains(&mean(&count)), "{}", mean(&count));
        let request = draws(|rng| model.request.draw(rng));
        assert!((350.0..370.0).contains(&mean(&request)), "{}", mean(&request));
        let think = draws(|rng| model.think(rng).as_secs_f64());
        assert!((29.0..31.0).contains(&mean(&think)), "{}", mean(&think));
    }

    #[test]
    fn values_stay_within_their_bounds_even_where_nearly_none_lies() {
        let model = Model::default();
        for values in [draws(|rng| model.main.draw(rng)), draws(|rng| model.embedded.draw(rng))] {
            assert!(values[0] >= 50.0 && values[values.len() - 1] <= 2e6);
        }
        let narrow = Lognormal { mu: 0.0, sigma: 0.1, min: 10.0, max: 11.0 };
        assert!(draws(|rng| narrow.draw(rng)).iter().all(|value| (10.0..=11.0).contains(value)));
        let count = draws(|rng| model.count.draw(rng));
        assert!(count[0] >= 2.0 && count[count.len() - 1] == 55.0);
    }

    #[test]
    fn the_same_seed_gives_the_same_pages() {
        let pages = |seed| {
            let mut rng = Rng::from_u64(seed);
            (0..50).map(|_| Model::default().page(&mut rng)).collect::<Vec<_>>()
        };
        assert_eq!(pages(1), pages(1));
        assert_ne!(pages(1), pages(2));
        assert!(
            pages(1).iter().any(|page| page.requests.len() == 1) && pages(1).iter().any(|page| page.requests.len() > 8)
        );
    }
}
