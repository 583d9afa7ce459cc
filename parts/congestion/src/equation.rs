//! The throughput equation: TFRC (RFC 5348), computed by the sender, which knows what became of every packet.

use tng_base::Instant;

use crate::integers::{mul_div, nanos, per_second};
use crate::window::{MAX_WINDOW, follow};
use crate::{AckSample, Controller, LossCause, LossSample, PathState, initial_window, min_window};

mod intervals;

pub use intervals::{LOSS_INTERVALS, LossIntervals};

/// A loss event rate of one, in the billionths in which it is counted.
pub const LOSS_RATE_ONE: u64 = 1_000_000_000;
/// The window is what the rate carries in a round trip and this part more, so that the pacer and not the window is the
/// limit.
pub const EQUATION_MARGIN_DIVISOR: u64 = 4;
/// Seconds in which one packet leaves however bad the path (RFC 5348 section 4.3, `t_mbi`).
pub const BACKOFF_MAX_SECS: u64 = 64;

/// Bytes per second that TCP would send in packets of `size` bytes, at a loss event rate of `loss` billionths and a
/// round trip of `rtt_ns` (RFC 5348 section 3.1, one packet per acknowledgment and a retransmission timeout of four
/// round trips).
pub fn throughput(size: u64, rtt_ns: u64, loss: u64) -> u64 {
    let (one, loss) = (u128::from(LOSS_RATE_ONE), u128::from(loss.clamp(1, LOSS_RATE_ONE)));
    let sending = (2 * loss * one / 3).isqrt();
    let waiting = 12 * (3 * loss * one / 8).isqrt() * loss / one * (one + 32 * loss * loss / one) / one;
    let divisor = (sending + waiting).max(1) * u128::from(rtt_ns.max(1));
    u64::try_from(u128::from(size) * one * one / divisor).unwrap_or(u64::MAX)
}

/// [`throughput`] the other way round: the largest loss event rate, in billionths, at which the equation still gives
/// `rate` bytes per second (RFC 5348 section 6.3.1).
pub fn loss_rate_at(size: u64, rtt_ns: u64, rate: u64) -> u64 {
    largest_loss_rate(|loss| throughput(size, rtt_ns, loss) >= rate)
}

/// The largest loss event rate, in billionths, for which `holds` is true; it is true for all that are smaller. The
/// smallest if it is true for none.
pub fn largest_loss_rate(holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (1, LOSS_RATE_ONE);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if holds(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// The rate that a TCP flow would have on the path in the long run, without its saw teeth: doubling per round trip
/// until the first loss, then what the equation says for the loss event rate of the last [`LOSS_INTERVALS`] intervals,
/// and never more than twice what the receiver got in a round trip.
///
/// Differences to RFC 5348: packets are counted in bytes over the MTU, so small ones weigh as they are; there is no
/// history discounting (section 5.5) and no damping of oscillations (section 4.5); the initial rate is that of the
/// initial window of RFC 9002; what section 4.4 does when its no-feedback timer expires is done at persistent
/// congestion.
#[derive(Clone, Copy, Debug)]
pub struct Equation {
    mtu: u16,
    window: u64,
    /// Bytes per second, as soon as a round trip was measured.
    rate: Option<u64>,
    losses: Option<LossIntervals>,
    /// What a loss event that may be a mistake has replaced.
    undo: Option<Undo>,
    round: Round,
    /// Receive rates of the last two rounds, in bytes per second (RFC 5348 section 4.3, `X_recv_set`).
    received: [u64; 2],
    /// The last time that a loss reduced the window.
    reduced_at: Option<Instant>,
}

/// What there was before a loss event.
#[derive(Clone, Copy, Debug)]
struct Undo {
    before: Option<LossIntervals>,
    /// Bytes lost in the event that have not arrived after all.
    lost: u64,
}

/// The round trip under way.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    /// It ends when a packet is acknowledged that left when so many bytes had been delivered.
    end: u64,
    start: Option<Instant>,
    delivered: u64,
    /// Whether the rate, and not the application, was the limit in some part of it.
    limited: bool,
    /// Whether a loss event began in it.
    lossy: bool,
}

impl Equation {
    /// A fresh one for packets of `mtu` bytes.
    pub fn new(mtu: u16) -> Equation {
        Equation {
            mtu,
            window: initial_window(mtu),
            rate: None,
            losses: None,
            undo: None,
            round: Round::default(),
            received: [0; 2],
            reduced_at: None,
        }
    }

    fn packet(&self) -> u64 {
        u64::from(self.mtu).max(1)
    }

    fn initial_rate(&self, path: &PathState) -> u64 {
        per_second(initial_window(self.mtu), nanos(path.rtt.smoothed()))
    }

    /// What the equation allows now.
    fn allowed(&self, losses: &LossIntervals, path: &PathState, position: u64) -> u64 {
        let loss = losses.rate(self.packet(), position);
        throughput(self.packet(), nanos(path.rtt.smoothed()), loss)
    }

    fn sent_before_reduction(&self, sent_at: Instant) -> bool {
        self.reduced_at.is_some_and(|reduced| sent_at <= reduced)
    }

    /// The window for a rate.
    fn carried(&self, rate: u64, path: &PathState) -> u64 {
        let carried = mul_div(rate, nanos(path.rtt.smoothed()), 1_000_000_000);
        carried.saturating_add(carried / EQUATION_MARGIN_DIVISOR).clamp(min_window(self.mtu), MAX_WINDOW)
    }

    /// A round is over, and so many bytes per second have arrived in it (RFC 5348 sections 4.3 and 8.2.1).
    fn set_rate(&mut self, received: u64, path: &PathState, position: u64) {
        let best = self.received[0].max(self.received[1]);
        let limit = if self.round.limited {
            self.received = [self.received[1], received];
            2 * u128::from(best.max(received))
        } else if self.round.lossy {
            self.received = [0, (best / 2).max(mul_div(received, 85, 100))];
            u128::from(self.received[1])
        } else {
            self.received = [0, best.max(received)];
            2 * u128::from(self.received[1])
        };
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        let initial = self.initial_rate(path);
        let rate = self.rate.unwrap_or(initial);
        self.rate = Some(match &self.losses {
            None => rate.saturating_mul(2).min(limit).max(initial),
            Some(losses) => {
                self.allowed(losses, path, position).min(limit).max((self.packet() / BACKOFF_MAX_SECS).max(1))
            }
        });
    }
}

/// Bytes sent on the path when the packet with that stamp had left: what tells how far apart two packets are.
fn position(stamp: &crate::SendStamp) -> u64 {
    stamp.delivered.saturating_add(stamp.lost).saturating_add(stamp.in_flight)
}

impl Controller for Equation {
    fn name(&self) -> &'static str {
        "equation"
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn pacing_rate(&self) -> Option<u64> {
        self.rate
    }

    fn handle_ack(&mut self, now: Instant, ack: &AckSample, path: &PathState) {
        if !path.rtt.has_sample() {
            return;
        }
        self.round.limited |= path.window_limited;
        if ack.newest.delivered >= self.round.end {
            match self.round.start.map(|start| nanos(now.since(start))).filter(|&ns| ns > 0) {
                None => self.rate = self.rate.or_else(|| Some(self.initial_rate(path))),
                Some(ns) => {
                    let received = per_second(path.delivered.saturating_sub(self.round.delivered), ns);
                    self.set_rate(received, path, position(&ack.newest));
                }
            }
            let (end, delivered) = (path.delivered, path.delivered);
            self.round = Round { end, delivered, start: Some(now), ..Round::default() };
        }
        let Some(rate) = self.rate else { return };
        let may_grow = path.window_limited && !self.sent_before_reduction(ack.newest.sent_at);
        self.window = follow(self.window, self.carried(rate, path), ack.bytes, may_grow);
    }

    fn handle_loss(&mut self, now: Instant, loss: &LossSample, path: &PathState) {
        let (sent_at, at) = (loss.newest.sent_at, position(&loss.newest));
        let rate = self.rate.unwrap_or_else(|| self.initial_rate(path));
        let before = self.losses;
        let begins = match &mut self.losses {
            Some(losses) => losses.handle_loss(sent_at, at, path.rtt.smoothed()),
            None => {
                let arrives = path.rate.map_or(rate, |sample| sample.bytes_per_sec()).min(rate);
                let (size, rtt) = (self.packet(), path.rtt.smoothed());
                self.losses = Some(LossIntervals::seeded(sent_at, at, size, rtt, arrives));
                true
            }
        };
        let undoable = loss.cause == LossCause::Loss;
        if begins {
            self.round.lossy = true;
            self.undo = undoable.then_some(Undo { before, lost: loss.bytes });
        } else {
            self.undo = self.undo.filter(|_| undoable).map(|u| Undo { lost: u.lost.saturating_add(loss.bytes), ..u });
        }
        let mut reduced = self.window;
        if let Some(losses) = self.losses.filter(|_| !self.sent_before_reduction(sent_at)) {
            let allowed = self.allowed(&losses, path, at).min(rate);
            reduced = reduced.min(self.carried(allowed, path));
            self.rate = Some(allowed);
        }
        if loss.cause == LossCause::PersistentCongestion {
            reduced = reduced.min(min_window(self.mtu));
            let least = per_second(reduced, nanos(path.rtt.smoothed())).min(rate);
            (self.rate, self.received, self.undo) = (Some(least), [least; 2], None);
        }
        if reduced < self.window {
            (self.window, self.reduced_at) = (reduced, Some(now));
        }
    }

    fn handle_spurious(&mut self, _now: Instant, late: &LossSample) {
        let (Some(undo), Some(losses)) = (&mut self.undo, &self.losses) else { return };
        if late.newest.sent_at < losses.event_at() {
            return;
        }
        undo.lost = undo.lost.saturating_sub(late.bytes);
        if undo.lost == 0 {
            // The rate comes back with the next round: nothing was lost but a round trip's growth.
            self.losses = undo.before;
            (self.undo, self.reduced_at) = (None, None);
        }
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.window = self.window.max(min_window(mtu));
    }

    fn reset(&mut self) {
        *self = Equation::new(self.mtu);
    }

    fn handle_idle(&mut self, periods: u32) {
        // RFC 5348 section 4.4: half as much with each timeout, but as much as at the start.
        let decayed = self.window.checked_shr(periods).unwrap_or(0).max(initial_window(self.mtu)).min(self.window);
        self.rate = self.rate.map(|rate| mul_div(rate, decayed, self.window.max(1)).max(1));
        self.received = self.received.map(|rate| mul_div(rate, decayed, self.window.max(1)));
        (self.window, self.round) = (decayed, Round::default());
    }

    fn is_slow_start(&self) -> bool {
        self.losses.is_none()
    }
}

#[cfg(test)]
mod tests;
