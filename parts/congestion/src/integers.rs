//! Integer arithmetic that neither overflows nor drifts.

use core::time::Duration;

/// `a * b / c`, rounded down, at most `u64::MAX`. `c` is not zero.
pub fn mul_div(a: u64, b: u64, c: u64) -> u64 {
    match a.checked_mul(b) {
        Some(product) => product / c,
        None => u64::try_from(u128::from(a) * u128::from(b) / u128::from(c)).unwrap_or(u64::MAX),
    }
}

/// Whole nanoseconds, as many as fit.
pub fn nanos(d: Duration) -> u64 {
    u64::try_from(d.as_nanos()).unwrap_or(u64::MAX)
}

/// `bytes` in `ns` nanoseconds, in bytes per second.
pub fn per_second(bytes: u64, ns: u64) -> u64 {
    mul_div(bytes, 1_000_000_000, ns.max(1))
}

/// Adds up fractions `a * b / c` and hands out whole units; the remainder is kept for the next time, so that many small
/// additions make as much as one large one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Accrual {
    remainder: u64,
}

impl Accrual {
    /// Adds `a * b / c` and answers the whole units. `c` is not zero.
    pub(crate) fn add(&mut self, a: u64, b: u64, c: u64) -> u64 {
        if let Some(sum) = a.checked_mul(b).and_then(|product| product.checked_add(self.remainder)) {
            self.remainder = sum % c;
            return sum / c;
        }
        let sum = u128::from(a) * u128::from(b) + u128::from(self.remainder);
        self.remainder = (sum % u128::from(c)) as u64;
        u64::try_from(sum / u128::from(c)).unwrap_or(u64::MAX)
    }
}

/// The largest whole number whose cube is at most `x`.
pub(crate) fn cube_root(x: u128) -> u64 {
    // Digit by digit in base 8, from the top: each step learns one bit of the root.
    let mut root: u128 = 0;
    let mut rest = x;
    for shift in (0..43).rev().map(|digit| 3 * digit) {
        root <<= 1;
        let digit = 3 * root * (root + 1) + 1;
        if rest >> shift >= digit {
            rest -= digit << shift;
            root += 1;
        }
    }
    root as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_roots_are_exact_at_and_beside_cubes() {
        let cube = |r: u64| u128::from(r) * u128::from(r) * u128::from(r);
        let mut rng = tng_base::Rng::from_u64(3);
        let small = 0..2_000;
        let large = (0..2_000).map(|_| rng.u64() >> (22 + rng.below(42)));
        for r in small.chain(large).chain([(1 << 42) - 1, 6_981_463_658_330]) {
            assert_eq!(cube_root(cube(r)), r);
            assert_eq!(cube_root(cube(r + 1) - 1), r, "just below {}", r + 1);
        }
        assert_eq!(cube_root(u128::MAX), 6_981_463_658_331);
    }

    #[test]
    fn products_beyond_64_bits_are_divided_exactly() {
        assert_eq!(mul_div(u64::MAX, 7, 10), (u128::from(u64::MAX) * 7 / 10) as u64);
        assert_eq!(mul_div(u64::MAX, 2, 1), u64::MAX);
        assert_eq!(mul_div(10, 7, 10), 7);
    }

    #[test]
    fn nothing_is_lost_in_many_small_additions() {
        let mut accrual = Accrual::default();
        let whole: u64 = (0..1_000_000).map(|_| accrual.add(3, 1, 7)).sum();
        assert_eq!(whole, 3_000_000 / 7);
        let mut large = Accrual::default();
        let whole: u64 = (0..10).map(|_| large.add(1 << 40, 1 << 40, (1 << 42) + 1)).sum();
        assert_eq!(u128::from(whole), 10 * (1u128 << 80) / ((1 << 42) + 1));
    }
}
