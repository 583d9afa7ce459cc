//! How a window starts.

use core::time::Duration;

use tng_base::Instant;

use crate::AckSample;

/// RTT samples that a round needs before it is judged.
pub const N_RTT_SAMPLE: u32 = 8;
/// Least rise of the round's minimum RTT that counts as a queue building up.
pub const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
/// Rise of the round's minimum RTT that always counts.
pub const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
/// Between those two, the rise that counts is the last round's minimum RTT divided by this.
pub const MIN_RTT_DIVISOR: u32 = 8;
/// In conservative slow start the window grows by this fraction of what slow start would add.
pub const CSS_GROWTH_DIVISOR: u64 = 4;
/// Rounds of conservative slow start before it is believed that the path is full.
pub const CSS_ROUNDS: u32 = 5;

/// [`SlowStart::Counted`]: packets that one acknowledgment adds to the window at most (RFC 3465 section 2.2).
pub const COUNTED_PACKETS_MAX: u64 = 2;

/// Slow start until a limit is known. After a reduction the limit is, and every kind grows alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlowStart {
    /// Until the first loss (RFC 9002 section 7.3.1).
    Standard,
    /// Until the first loss, no acknowledgment adding more than [`COUNTED_PACKETS_MAX`] packets (RFC 5681 section 3.1
    /// with RFC 3465).
    Counted,
    /// Until the round-trip time rises (RFC 9406, HyStart++). Its limit on growth by one acknowledgment is not needed
    /// here, since packets are paced.
    HyStart(HyStart),
}

/// Where HyStart++ stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HyStart {
    /// Packets sent from then on belong to the next round.
    round_start: Option<Instant>,
    last_round_min: Option<Duration>,
    round_min: Option<Duration>,
    samples: u32,
    conservative: Option<Conservative>,
}

/// Conservative slow start: the round-trip time has risen, perhaps only by chance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Conservative {
    baseline: Duration,
    rounds_left: u32,
}

/// What slow start makes of an acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Bytes that the window grows by.
    pub grow: u64,
    /// Whether slow start ends.
    pub leave: bool,
}

impl SlowStart {
    /// HyStart++ at its beginning.
    pub fn hystart() -> SlowStart {
        SlowStart::HyStart(HyStart::default())
    }

    /// Packets were acknowledged that left while the window was the limit.
    pub fn handle_ack(&mut self, now: Instant, ack: &AckSample, mtu: u16) -> Step {
        match self {
            SlowStart::Standard | SlowStart::Counted => Step { grow: self.counted(ack.bytes, mtu), leave: false },
            SlowStart::HyStart(hystart) => hystart.handle_ack(now, ack),
        }
    }

    /// How much of `bytes`, acknowledged at once, counts while the window is below a known limit.
    pub fn counted(&self, bytes: u64, mtu: u16) -> u64 {
        match self {
            SlowStart::Counted => bytes.min(COUNTED_PACKETS_MAX * u64::from(mtu)),
            SlowStart::Standard | SlowStart::HyStart(_) => bytes,
        }
    }

    /// Begins anew.
    pub fn reset(&mut self) {
        if let SlowStart::HyStart(hystart) = self {
            *hystart = HyStart::default();
        }
    }
}

impl HyStart {
    fn handle_ack(&mut self, now: Instant, ack: &AckSample) -> Step {
        if self.round_start.is_none_or(|start| ack.newest.sent_at >= start) {
            self.round_start = Some(now);
            (self.last_round_min, self.round_min, self.samples) = (self.round_min, None, 0);
            if let Some(css) = &mut self.conservative {
                css.rounds_left -= 1;
                if css.rounds_left == 0 {
                    return Step { grow: 0, leave: true };
                }
            }
        }
        if let Some(sample) = ack.rtt {
            self.round_min = Some(self.round_min.map_or(sample.latest, |min| min.min(sample.latest)));
            self.samples += 1;
            self.judge();
        }
        let divisor = if self.conservative.is_some() { CSS_GROWTH_DIVISOR } else { 1 };
        Step { grow: ack.bytes / divisor, leave: false }
    }

    fn judge(&mut self) {
        let (Some(round_min), true) = (self.round_min, self.samples >= N_RTT_SAMPLE) else { return };
        match (self.conservative, self.last_round_min) {
            (Some(css), _) if round_min < css.baseline => self.conservative = None,
            (None, Some(last)) => {
                let rise = (last / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                if round_min >= last + rise {
                    self.conservative = Some(Conservative { baseline: round_min, rounds_left: CSS_ROUNDS });
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
