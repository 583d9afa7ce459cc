//! Bulk transfers between nodes: what is sent, and what came of it.

use std::time::{Duration, Instant};

use crate::clock;

/// The most transfers of a run.
pub const TRANSFERS_MAX: usize = 250;
/// The most steps of a series.
pub const STEPS_MAX: usize = 1_000_000;

/// Bytes from one node to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transfer {
    /// The node that sends, by its place in the topology.
    pub from: usize,
    /// The node that receives.
    pub to: usize,
    /// The congestion controller, by name; `None`: the protocol's own choice.
    pub controller: Option<String>,
    /// When it starts, counted from the start of the run.
    pub start: Duration,
    /// How much it sends.
    pub amount: Amount,
}

/// How much a transfer sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// So many bytes.
    Bytes(u64),
    /// As much as possible for this long; then what was sent still arrives.
    For(Duration),
    /// As much as possible until the run ends.
    Forever,
}

/// How long a run lasts, and what is written down of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Everything is cut off then; the run ends earlier if all has arrived before.
    pub limit: Duration,
    /// The step of each series.
    pub interval: Duration,
}

/// What came of a transfer. Times are seconds since the start of the run, unless something else is said.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize)]
pub struct TransferFigures {
    /// The congestion controller.
    pub controller: String,
    /// Bytes that the receiver's application has read.
    pub bytes: u64,
    /// When the transfer started: before its handshake.
    pub start_s: f64,
    /// How long after the start the receiver had the first byte.
    pub first_byte_s: Option<f64>,
    /// How long after the start the receiver had everything, if it ever had.
    pub completion_s: Option<f64>,
    /// Bytes received by the time from the start to completion, or to the end of the run.
    pub goodput_bps: f64,
    /// Bytes received in each interval of the run.
    pub bytes_per_interval: Vec<u64>,
    /// Smoothed round-trip time at the sender, at the end.
    pub rtt_smoothed_us: Option<f64>,
    /// Smallest round-trip time that the sender has seen.
    pub rtt_min_us: Option<f64>,
    /// Packets that were sent again, or found lost.
    pub retransmitted: Option<u64>,
    /// Why it failed, if it did.
    pub failure: Option<String>,
}

/// When a run began.
#[derive(Clone, Copy, Debug)]
pub struct Origin(Instant);

impl Origin {
    /// It begins now.
    pub fn now() -> Origin {
        Origin(clock::now())
    }

    /// Time since it began.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// Waits until then.
    pub fn rest_until(self, time: Duration) {
        clock::pause(self.until(time));
    }

    /// How long it is until then.
    pub fn until(self, time: Duration) -> Duration {
        time.saturating_sub(self.elapsed())
    }
}

/// What a receiver writes down as bytes come in.
#[derive(Debug)]
pub struct Tally {
    origin: Origin,
    span: Span,
    start: Duration,
    bytes: u64,
    first: Option<Duration>,
    ended: Option<Duration>,
    series: Vec<u64>,
}

impl Tally {
    /// Nothing yet of a transfer that starts then.
    pub fn new(origin: Origin, span: Span, start: Duration) -> Tally {
        Tally { origin, span, start, bytes: 0, first: None, ended: None, series: Vec::new() }
    }

    /// So many bytes have come just now. What comes after the limit does not count.
    pub fn count(&mut self, bytes: usize) {
        let now = self.origin.elapsed();
        if now >= self.span.limit || bytes == 0 {
            return;
        }
        self.first.get_or_insert(now);
        self.bytes += bytes as u64;
        let step = (now.as_nanos() / self.span.interval.as_nanos().max(1)) as usize;
        if step < STEPS_MAX {
            if self.series.len() <= step {
                self.series.resize(step + 1, 0);
            }
            self.series[step] += bytes as u64;
        }
    }

    /// Everything has come.
    pub fn end(&mut self) {
        self.ended = Some(self.origin.elapsed()).filter(|now| *now <= self.span.limit);
    }

    /// Whether it has.
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// The time that is left before the limit.
    pub fn left(&self) -> Duration {
        self.origin.until(self.span.limit)
    }

    /// What came of it all.
    pub fn figures(&self) -> TransferFigures {
        let after = |time: Duration| time.saturating_sub(self.start).as_secs_f64();
        let over = self.ended.unwrap_or(self.span.limit.min(self.origin.elapsed()));
        TransferFigures {
            bytes: self.bytes,
            start_s: self.start.as_secs_f64(),
            first_byte_s: self.first.map(after),
            completion_s: self.ended.map(after),
            goodput_bps: self.bytes as f64 * 8.0 / after(over).max(1e-9),
            bytes_per_interval: self.series.clone(),
            ..TransferFigures::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_in_their_interval_until_the_limit() {
        let span = Span { limit: Duration::from_secs(3_600), interval: Duration::from_secs(1_800) };
        let mut tally = Tally::new(Origin::now(), span, Duration::ZERO);
        tally.count(1_000);
        tally.count(500);
        tally.end();
        let figures = tally.figures();
        assert_eq!((figures.bytes, &figures.bytes_per_interval[..]), (1_500, &[1_500][..]));
        assert!(figures.completion_s >= figures.first_byte_s && figures.goodput_bps > 0.0);
        let over = Span { limit: Duration::ZERO, ..span };
        let mut tally = Tally::new(Origin::now(), over, Duration::ZERO);
        tally.count(1_000);
        tally.end();
        assert_eq!((tally.left(), tally.figures()), (Duration::ZERO, TransferFigures::default()));
    }
}
