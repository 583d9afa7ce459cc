//! CUBIC (RFC 9438), in integers.

use core::time::Duration;

use tng_base::Instant;

use crate::integers::{Accrual, cube_root, mul_div};
use crate::window::{Growth, Window};
use crate::{AckSample, PathState};

/// Reduces its window to 0.7 of it at a loss or mark, returns to it fast, stays near it, then probes beyond.
///
/// Marks count like losses (RFC 9438 section 4.6 allows 0.85 for them); fast convergence is on (section 4.7).
pub type Cubic = Window<CubicCurve>;

/// The window as a cubic function of time, never less than a Reno flow would have.
///
/// Windows are bytes, times ticks of 2^-20 seconds. With `C` = 0.4 packets per cubed second the curve is
/// `W(t) = W_max + C (t - K)^3`, and `K` the time at which it passes `W_max`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CubicCurve {
    /// Where the curve has its plateau; 0 if no reduction says so.
    w_max: u64,
    /// The window before the last reduction.
    window_prior: u64,
    epoch: Option<Epoch>,
}

/// One stretch of congestion avoidance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Epoch {
    w_max: u64,
    k: u64,
    /// Time in it, not counting that in which the application was the limit (section 5.8).
    elapsed: Duration,
    grown_at: Instant,
    growth: Accrual,
    /// What a Reno flow's window would be (section 4.3).
    w_est: u64,
    est_growth: Accrual,
}

/// Ticks per second, as a power of two.
const TICK_BITS: u32 = 20;

fn ticks(d: Duration) -> u64 {
    let fraction = (u64::from(d.subsec_nanos()) << TICK_BITS) / 1_000_000_000;
    (d.as_secs() << TICK_BITS) | fraction
}

/// `C` times `cubed` cubed ticks, in bytes: 2/5 of a packet per cubed second.
fn rise(mtu: u16, t: u64) -> u64 {
    // Twelve days; further out the curve is flat. Their cube has 120 bits; the 20 lowest are less than a millionth of a
    // byte.
    let t = u128::from(t.min(1 << 40));
    let bytes = (((t * t * t) >> TICK_BITS) * u128::from(2 * u32::from(mtu))) >> (2 * TICK_BITS);
    u64::try_from(bytes).unwrap_or(u64::MAX) / 5
}

/// The time in which the curve rises by `bytes`: the cube root of `bytes / C`.
fn time_to_rise(mtu: u16, bytes: u64) -> u64 {
    cube_root(((u128::from(bytes) * 5) << (3 * TICK_BITS)) / u128::from(2 * u32::from(mtu.max(1))))
}

impl Epoch {
    fn begin(curve: &CubicCurve, window: u64, mtu: u16, now: Instant) -> Epoch {
        let w_max = curve.w_max.max(window);
        Epoch {
            w_max,
            k: time_to_rise(mtu, w_max - window),
            elapsed: Duration::ZERO,
            grown_at: now,
            growth: Accrual::default(),
            w_est: window,
            est_growth: Accrual::default(),
        }
    }

    fn w_cubic(&self, mtu: u16, t: Duration) -> u64 {
        let t = ticks(t);
        match t.checked_sub(self.k) {
            Some(after) => self.w_max.saturating_add(rise(mtu, after)),
            None => self.w_max.saturating_sub(rise(mtu, self.k - t)),
        }
    }
}

/// When the estimate of what a Reno flow would have grows as fast as Reno does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RenoPace {
    /// Once it has reached the window before the last reduction (section 4.3).
    AfterPriorWindow,
    /// Never, as in Linux.
    Never,
}

impl CubicCurve {
    fn advance(
        &mut self,
        window: u64,
        mtu: u16,
        acked: u64,
        (now, reno): (Instant, RenoPace),
        ack: &AckSample,
        path: &PathState,
    ) -> u64 {
        let mut epoch = self.epoch.unwrap_or_else(|| Epoch::begin(self, window, mtu, now));
        // Silence does not count: the first packet after it has no older one in flight.
        epoch.elapsed += now.since(epoch.grown_at.max(ack.newest.first_sent_at));
        epoch.grown_at = now;
        // In units of 1/17 packet per window: alpha is 3 (1 - 0.7) / (1 + 0.7) = 9/17 up to the former window, then 1.
        let slow = epoch.w_est < self.window_prior || reno == RenoPace::Never;
        let alpha = if slow { 9 } else { 17 };
        let estimated = epoch.est_growth.add(alpha * u64::from(mtu), acked, window.saturating_mul(17));
        epoch.w_est = epoch.w_est.saturating_add(estimated);
        let grown = if epoch.w_cubic(mtu, epoch.elapsed) < epoch.w_est {
            epoch.w_est.max(window)
        } else {
            let next_round = epoch.elapsed.saturating_add(path.rtt.smoothed());
            let target = epoch.w_cubic(mtu, next_round).clamp(window, window.saturating_add(window / 2));
            window.saturating_add(epoch.growth.add(target - window, acked, window))
        };
        self.epoch = Some(epoch);
        grown
    }
}

impl Growth for CubicCurve {
    const NAME: &'static str = "cubic";

    fn grow(&mut self, window: u64, mtu: u16, acked: u64, now: Instant, ack: &AckSample, path: &PathState) -> u64 {
        self.advance(window, mtu, acked, (now, RenoPace::AfterPriorWindow), ack, path)
    }

    fn reduce(&mut self, window: u64) -> u64 {
        self.window_prior = window;
        self.w_max = if window < self.w_max { mul_div(window, 17, 20) } else { window };
        self.epoch = None;
        mul_div(window, 7, 10)
    }

    fn handle_collapse(&mut self) {
        (self.w_max, self.epoch) = (0, None);
    }

    fn handle_mtu(&mut self) {
        self.epoch = None;
    }
}

/// CUBIC as Linux has it, to be compared with Linux: its estimate of a Reno flow's window, which is what it has where
/// losses are frequent, never grows faster than 9/17 of a packet per round trip.
pub type LinuxCubic = Window<LinuxCubicCurve>;

/// The curve of [`LinuxCubic`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LinuxCubicCurve(CubicCurve);

impl Growth for LinuxCubicCurve {
    const NAME: &'static str = "linux-cubic";

    fn grow(&mut self, window: u64, mtu: u16, acked: u64, now: Instant, ack: &AckSample, path: &PathState) -> u64 {
        self.0.advance(window, mtu, acked, (now, RenoPace::Never), ack, path)
    }

    fn reduce(&mut self, window: u64) -> u64 {
        self.0.reduce(window)
    }

    fn handle_collapse(&mut self) {
        self.0.handle_collapse();
    }

    fn handle_mtu(&mut self) {
        self.0.handle_mtu();
    }
}

#[cfg(test)]
mod tests;
