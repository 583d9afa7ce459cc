//! What BBR believes of the path: filters over its samples, each a plain value.

use core::time::Duration;

use tng_base::Instant;

use crate::integers::{mul_div, nanos};

/// The least round trip of so long a time counts (draft-ietf-ccwg-bbr, `MinRTTFilterLen`).
pub const BBR_MIN_RTT_WINDOW: Duration = Duration::from_secs(10);
/// After so long without a shorter one, queues are drained to look for it (`ProbeRTTInterval`).
pub const BBR_PROBE_RTT_AFTER: Duration = Duration::from_secs(5);
/// The largest surplus of acknowledgments of one to two times so many rounds counts (`BBRExtraAckedFilterLen` is ten
/// rounds).
pub const BBR_EXTRA_ACKED_ROUNDS: u64 = 5;
/// Rounds without growth after which the bandwidth counts as found.
pub const BBR_FULL_ROUNDS: u32 = 3;

/// A count of round trips by what has been delivered: a round ends when a packet is acknowledged that left after the
/// round's start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    end: u64,
    /// Rounds so far.
    pub(super) count: u64,
}

impl Rounds {
    /// A packet was acknowledged that left when `then` bytes had been delivered, and now there are `delivered`; answers
    /// whether a round begins with that.
    pub(super) fn handle_ack(&mut self, then: u64, delivered: u64) -> bool {
        let begins = then >= self.end;
        if begins {
            self.count += 1;
            self.end = delivered;
        }
        begins
    }

    /// A round begins here.
    pub(super) fn restart(&mut self, delivered: u64) {
        self.end = delivered;
    }
}

/// The largest delivery rate of this cycle of bandwidth probes and the last, in bytes per second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxBandwidth {
    last: u64,
    this: u64,
}

impl MaxBandwidth {
    pub(super) fn handle_sample(&mut self, rate: u64) {
        self.this = self.this.max(rate);
    }

    /// A cycle is over.
    pub(super) fn advance(&mut self) {
        if self.this > 0 {
            (self.last, self.this) = (self.this, 0);
        }
    }

    pub(super) fn get(&self) -> u64 {
        self.last.max(self.this)
    }
}

/// The least round trip of [`BBR_MIN_RTT_WINDOW`], and that of the shorter time after which one looks for a lesser.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    min: Option<(Duration, Instant)>,
    recent: Option<(Duration, Instant)>,
}

impl MinRtt {
    /// Takes a sample, if there is one; answers whether it is time to look for a lesser one.
    pub(super) fn handle_sample(&mut self, now: Instant, sample: Option<Duration>) -> bool {
        let stale = self.recent.is_some_and(|(_, at)| now.since(at) > BBR_PROBE_RTT_AFTER);
        if let Some(rtt) = sample
            && self.recent.is_none_or(|(least, _)| rtt < least || stale)
        {
            self.recent = Some((rtt, now));
        }
        if let Some((recent, _)) = self.recent {
            let expired = |at| now.since(at) > BBR_MIN_RTT_WINDOW;
            if self.min.is_none_or(|(min, at)| recent < min || expired(at)) {
                self.min = self.recent;
            }
        }
        stale
    }

    /// One has looked.
    pub(super) fn handle_probed(&mut self, now: Instant) {
        if let Some((_, at)) = &mut self.recent {
            *at = now;
        }
    }

    pub(super) fn get(&self) -> Option<Duration> {
        self.min.map(|(rtt, _)| rtt)
    }
}

/// By how much acknowledgments run ahead of the bandwidth when they come in batches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    since: Instant,
    acked: u64,
    /// The largest surplus of the last span of rounds and of this one.
    extra: [u64; 2],
    /// The round in which this one began.
    since_round: u64,
}

impl Aggregation {
    /// So much was acknowledged at a path of that bandwidth; answers by how much that is too early.
    pub(super) fn handle_ack(&mut self, now: Instant, acked: u64, bandwidth: u64) -> u64 {
        let mut expected = mul_div(bandwidth, nanos(now.since(self.since)), 1_000_000_000);
        if self.acked <= expected {
            (self.since, self.acked, expected) = (now, 0, 0);
        }
        self.acked = self.acked.saturating_add(acked);
        self.acked.saturating_sub(expected)
    }

    /// Remembers a surplus, in this round, for one to two times `span` rounds.
    pub(super) fn keep(&mut self, surplus: u64, round: u64, span: u64) {
        if round >= self.since_round.saturating_add(span) {
            (self.extra, self.since_round) = ([self.extra[1], 0], round);
        }
        self.extra[1] = self.extra[1].max(surplus);
    }

    /// Nothing was in flight: what comes now is not compared with before.
    pub(super) fn restart(&mut self, now: Instant) {
        (self.since, self.acked) = (now, 0);
    }

    pub(super) fn get(&self) -> u64 {
        self.extra[0].max(self.extra[1])
    }
}

/// Whether the bandwidth has stopped growing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullBandwidth {
    level: u64,
    rounds: u32,
    /// Since the last reset.
    pub(super) now: bool,
    /// Ever.
    pub(super) reached: bool,
}

impl FullBandwidth {
    /// Takes a sample that no application has limited.
    pub(super) fn handle_sample(&mut self, rate: u64, round_begins: bool) {
        if rate >= self.level.saturating_add(self.level / 4) {
            self.restart(rate);
        } else if round_begins {
            self.rounds += 1;
            self.now = self.rounds >= BBR_FULL_ROUNDS;
            self.reached |= self.now;
        }
    }

    /// Counts anew, from this rate.
    pub(super) fn restart(&mut self, level: u64) {
        (self.level, self.rounds, self.now) = (level, 0, false);
    }
}
