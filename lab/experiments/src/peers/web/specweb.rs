//! The sizes of the files that SPECweb99 asks for.

use tng_base::Rng;

/// Share of requests for each class of files.
const CLASS_SHARES: [f64; CLASSES] = [0.35, 0.50, 0.14, 0.01];
const CLASSES: usize = 4;
/// Files of a class.
const FILES: usize = 9;
/// By file of a class: how often it is asked for, as its rank among them. The middle one is asked for most; Zipf's law
/// with exponent 1 says how much more.
const RANKS: [u32; FILES] = [9, 6, 4, 2, 1, 3, 5, 7, 8];
/// Bytes of the smallest file of the smallest class; file `n` of it has `n` times as many, and each class ten times
/// those of the one before.
const STEP_BYTES: f64 = 102.4;

/// The static requests of SPECweb99 (Standard Performance Evaluation Corporation, 1999): four classes of nine files,
/// 102 B to 921 B, 1 KiB to 9 KiB, 10 KiB to 90 KiB and 100 KiB to 900 KiB, asked for in 35, 50, 14 and 1 % of the
/// requests; within a class by Zipf's law. The mean is 14,727 B.
///
/// An endless sequence; the same seed draws the same sizes, bytes.
#[derive(Debug)]
pub struct SpecWeb {
    rng: Rng,
}

impl SpecWeb {
    /// Sizes that this draws.
    pub fn new(rng: Rng) -> SpecWeb {
        SpecWeb { rng }
    }

    /// Bytes of file `file` of class `class`, both counted from zero.
    fn bytes(class: usize, file: usize) -> u64 {
        (STEP_BYTES * 10_f64.powi(class as i32) * (file + 1) as f64) as u64
    }
}

impl Iterator for SpecWeb {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let class = pick(&CLASS_SHARES, &mut self.rng);
        let file = pick(&RANKS.map(|rank| 1.0 / f64::from(rank)), &mut self.rng);
        Some(SpecWeb::bytes(class, file))
    }
}

/// One of these, each as often as its weight says.
fn pick(weights: &[f64], rng: &mut Rng) -> usize {
    let mut left = rng.unit() * weights.iter().sum::<f64>();
    let place = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    place.unwrap_or(weights.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 200_000;

    fn sizes(seed: u64) -> Vec<u64> {
        SpecWeb::new(Rng::from_u64(seed)).take(DRAWS).collect()
    }

    /// Three sigma of a share that was drawn so often.
    fn near(count: usize, of: usize, share: f64) -> bool {
        let sigma = (share * (1.0 - share) / of as f64).sqrt();
        (count as f64 / of as f64 - share).abs() < 3.0 * sigma
    }

    #[test]
    fn classes_have_the_shares_that_are_published() {
        let sizes = sizes(7);
        let bounds = [(100, 1_000, 0.35), (1_000, 10_000, 0.50), (10_000, 100_000, 0.14), (100_000, 1_000_000, 0.01)];
        for (from, to, share) in bounds {
            let count = sizes.iter().filter(|size| (from..to).contains(*size)).count();
            assert!(near(count, DRAWS, share), "{count} from {from} to {to}");
        }
    }

    #[test]
    fn within_a_class_files_have_the_shares_that_are_published() {
        let sizes = sizes(8);
        let of = sizes.iter().filter(|size| (1_024..10_240).contains(*size)).count();
        let published = [0.039, 0.059, 0.088, 0.177, 0.353, 0.118, 0.071, 0.050, 0.044];
        for (file, share) in published.into_iter().enumerate() {
            let count = sizes.iter().filter(|size| **size == 1_024 * (file as u64 + 1)).count();
            // They are published to three digits.
            assert!(near(count, of, share) || near(count, of, share + 0.0005), "{count} of {of} of file {file}");
        }
    }

    #[test]
    fn the_mean_is_some_fourteen_kilobytes() {
        let sizes = sizes(9);
        let mean = sizes.iter().sum::<u64>() as f64 / DRAWS as f64;
        assert!((14_300.0..15_150.0).contains(&mean), "{mean}");
        assert_eq!((sizes.iter().min(), sizes.iter().max()), (Some(&102), Some(&921_600)));
    }

    #[test]
    fn the_same_seed_draws_the_same_sizes() {
        assert_eq!(sizes(1), sizes(1));
        assert_ne!(sizes(1), sizes(2));
    }
}
