//! What a flow may send in the long run.

use core::fmt;
use core::str::FromStr;

use tng_congestion::integers::mul_div;
use tng_congestion::{LOSS_RATE_ONE, largest_loss_rate, throughput};

/// What the policer holds a flow to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Cap {
    /// The throughput equation (STP equation 1, RFC 5348 section 3.1).
    #[default]
    Equation,
    /// The larger of the equation and what CUBIC would send (RFC 9438 section 5.1), which losses hold back less on fast
    /// and long paths.
    EquationOrCubic,
}

impl Cap {
    /// Bytes per second for packets of `size` bytes, at a loss event rate of `loss` billionths and a round trip of
    /// `rtt_ns`.
    pub fn rate(self, size: u64, rtt_ns: u64, loss: u64) -> u64 {
        let equation = throughput(size, rtt_ns, loss);
        match self {
            Cap::Equation => equation,
            Cap::EquationOrCubic => equation.max(cubic(size, rtt_ns, loss)),
        }
    }

    /// [`rate`](Self::rate) the other way round: the largest loss event rate, in billionths, at which the cap is still
    /// `rate` bytes per second (RFC 5348 section 6.3.1).
    pub fn loss_at(self, size: u64, rtt_ns: u64, rate: u64) -> u64 {
        largest_loss_rate(|loss| self.rate(size, rtt_ns, loss) >= rate)
    }
}

/// The mean rate of CUBIC with its constants C = 0.4 and beta = 0.7. Its window is `1.054 (R / p)^(3/4)` packets, `R`
/// in seconds (RFC 9438 section 5.1), or where that is more, in its Reno-friendly region, `(1.5 / p)^(1/2)` (section
/// 4.3).
fn cubic(size: u64, rtt_ns: u64, loss: u64) -> u64 {
    let loss = u128::from(loss.clamp(1, LOSS_RATE_ONE));
    // R / p with 32 binary places: nanoseconds over billionths.
    let ratio = (u128::from(rtt_ns) << 32) / loss;
    // x^(3/4) = sqrt(x sqrt(x)), which has 24 places then.
    let concave = ratio.saturating_mul(ratio.isqrt()).isqrt().saturating_mul(1_054) / 1_000;
    let friendly = (((3 * u128::from(LOSS_RATE_ONE)) << 47) / loss).isqrt();
    let window = concave.max(friendly).saturating_mul(u128::from(size));
    let per_sec = (window.saturating_mul(1_000_000_000) / u128::from(rtt_ns.max(1))) >> 24;
    u64::try_from(per_sec).unwrap_or(u64::MAX)
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cap::Equation => "equation",
            Cap::EquationOrCubic => "equation-or-cubic",
        })
    }
}

/// A name that is not one of a [`Cap`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownCap;

impl fmt::Display for UnknownCap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cap is \"equation\" or \"equation-or-cubic\"")
    }
}

impl core::error::Error for UnknownCap {}

impl FromStr for Cap {
    type Err = UnknownCap;

    fn from_str(text: &str) -> Result<Cap, UnknownCap> {
        [Cap::Equation, Cap::EquationOrCubic].into_iter().find(|cap| cap.to_string() == text).ok_or(UnknownCap)
    }
}

/// A part of a rate in a time.
pub(super) fn in_time(rate: u64, ns: u64) -> u64 {
    mul_div(rate, ns, 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cubic_cap_is_that_of_the_rfc() {
        // RFC 9438 table 2: windows of CUBIC with an RTT of 0.1 s, in packets, and of Reno where that is more.
        for (loss, packets) in [(1e-2, 12.2), (1e-3, 38.7), (1e-4, 187.0), (1e-5, 1_054.0), (1e-6, 5_926.0)] {
            let window = cubic(1_000, 100_000_000, (loss * 1e9) as u64) as f64 / 10_000.0;
            assert!((window - packets).abs() / packets < 0.01, "p {loss}: {window}, {packets}");
        }
        // And against floating point, everywhere.
        for rtt_ms in [1_u64, 5, 30, 300, 2_000] {
            for loss in [1_u64, 100, 10_000, 1_000_000, 100_000_000, LOSS_RATE_ONE] {
                let rtt = rtt_ms as f64 / 1e3;
                let p = loss as f64 / 1e9;
                let wanted = f64::max(1.054 * (rtt / p).powf(0.75), (1.5 / p).sqrt()) * 1_200.0 / rtt;
                let got = cubic(1_200, rtt_ms * 1_000_000, loss) as f64;
                assert!((got - wanted).abs() <= 1.0 + wanted * 1e-4, "{rtt_ms} ms, {loss}: {got}, {wanted}");
            }
        }
    }

    #[test]
    fn the_larger_cap_is_much_larger_on_fast_and_long_paths_alone() {
        let ratio = |rtt_ms: u64, loss| {
            let [equation, larger] =
                [Cap::Equation, Cap::EquationOrCubic].map(|cap| cap.rate(1_200, rtt_ms * 1_000_000, loss));
            larger as f64 / equation as f64
        };
        assert!((1.0..1.02).contains(&ratio(5, 1_000_000)) && (1.0..1.1).contains(&ratio(50, 10_000_000)));
        assert!(ratio(100, 100_000) > 1.5 && ratio(300, 10_000) > 5.0);
    }

    #[test]
    fn the_loss_rate_at_a_rate_is_the_largest_that_still_gives_it() {
        for cap in [Cap::Equation, Cap::EquationOrCubic] {
            for rate in [1_000, 100_000, 10_000_000, 1_000_000_000] {
                let loss = cap.loss_at(1_200, 50_000_000, rate);
                assert!(loss == 1 || cap.rate(1_200, 50_000_000, loss) >= rate);
                assert!(loss == LOSS_RATE_ONE || cap.rate(1_200, 50_000_000, loss + 1) < rate);
            }
        }
    }

    #[test]
    fn no_input_overflows() {
        for size in [0, 1, u64::MAX] {
            for rtt in [0, 1, u64::MAX] {
                for loss in [0, 1, u64::MAX] {
                    Cap::EquationOrCubic.rate(size, rtt, loss);
                    Cap::EquationOrCubic.loss_at(size, rtt, loss);
                }
            }
        }
    }

    #[test]
    fn a_cap_is_chosen_by_its_name() {
        for cap in [Cap::Equation, Cap::EquationOrCubic] {
            assert_eq!(cap.to_string().parse(), Ok(cap));
        }
        assert_eq!("cubic".parse::<Cap>(), Err(UnknownCap));
        assert_eq!(Cap::default(), Cap::Equation);
    }
}
