//! What happened in the last round trips, in parts of a round trip.

use core::time::Duration;

use tng_base::Instant;

use super::cap::in_time;

/// Parts into which a round trip is cut.
pub const SPANS_PER_ROUND: usize = 8;
/// Round trips whose mean is compared with the cap (STP 4.1).
pub const ROUNDS: usize = 8;

/// Spans kept, beside the one under way.
const KEPT: usize = SPANS_PER_ROUND * ROUNDS;

/// Bytes of a span, or of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Bytes {
    pub(super) sent: u64,
    pub(super) proven: u64,
    /// What the cap would have carried.
    pub(super) allowed: u64,
}

impl Bytes {
    fn add(&mut self, other: Bytes) {
        self.sent = self.sent.saturating_add(other.sent);
        self.proven = self.proven.saturating_add(other.proven);
        self.allowed = self.allowed.saturating_add(other.allowed);
    }

    fn take(&mut self, other: Bytes) {
        self.sent = self.sent.saturating_sub(other.sent);
        self.proven = self.proven.saturating_sub(other.proven);
        self.allowed = self.allowed.saturating_sub(other.allowed);
    }
}

/// The last spans and their sums. A window of time as long as a round trip lies within the span under way and the
/// [`SPANS_PER_ROUND`] before it, wherever it begins: so the sums are of one span more than the time that is asked
/// about.
#[derive(Clone, Debug)]
pub(super) struct Spans {
    kept: [Bytes; KEPT],
    /// The place of the oldest.
    oldest: usize,
    current: Bytes,
    begins: Instant,
    length: Duration,
    ends: Instant,
    /// Of those to come.
    next_length: Duration,
    /// Bytes per second that are allowed since then, without those that `current` has already.
    rate: u64,
    rate_since: Instant,
    /// Of the last round trip, and of all: the span under way included.
    round: Bytes,
    all: Bytes,
}

impl Spans {
    pub(super) fn new(now: Instant, round: Duration) -> Spans {
        Spans {
            kept: [Bytes::default(); KEPT],
            oldest: 0,
            current: Bytes::default(),
            begins: now,
            length: span_of(round),
            ends: now + span_of(round),
            next_length: span_of(round),
            rate: 0,
            rate_since: now,
            round: Bytes::default(),
            all: Bytes::default(),
        }
    }

    /// The first span begins only now.
    pub(super) fn start(&mut self, now: Instant) {
        (self.begins, self.ends, self.rate_since) = (now, now + self.length, now);
    }

    /// Time has passed. Answers whether a span has ended.
    #[inline]
    pub(super) fn advance(&mut self, now: Instant) -> bool {
        let ended = now >= self.ends;
        if ended {
            self.pass(now);
            self.ends = self.begins + self.length;
        }
        ended
    }

    #[inline(never)]
    fn pass(&mut self, now: Instant) {
        // Those to come may be shorter: how many have passed is asked anew after each.
        while let passed @ 1.. = now.since(self.begins).as_nanos() as u64 / self.length.as_nanos() as u64 {
            match passed > KEPT as u64 + 1 {
                true => self.end_all(passed),
                false => self.end_span(),
            }
        }
    }

    /// So many spans have passed that nothing is left of what is kept: as if nothing had been sent in the last ones.
    fn end_all(&mut self, passed: u64) {
        let silent = Bytes { allowed: in_time(self.rate, self.length.as_nanos() as u64), ..Bytes::default() };
        self.kept = [silent; KEPT];
        let sum = |spans: u64| Bytes { allowed: silent.allowed.saturating_mul(spans), ..Bytes::default() };
        (self.current, self.round, self.all) = (Bytes::default(), sum(SPANS_PER_ROUND as u64), sum(KEPT as u64));
        self.begins += Duration::from_nanos(self.length.as_nanos() as u64 * passed);
        (self.rate_since, self.length) = (self.begins, self.next_length);
    }

    fn end_span(&mut self) {
        let end = self.begins + self.length;
        self.allow_until(end);
        let out_of_round = (self.oldest + KEPT - SPANS_PER_ROUND) % KEPT;
        self.round.take(self.kept[out_of_round]);
        self.all.take(self.kept[self.oldest]);
        self.kept[self.oldest] = core::mem::take(&mut self.current);
        self.oldest = (self.oldest + 1) % KEPT;
        (self.begins, self.length) = (end, self.next_length);
    }

    /// What the cap has allowed since the last time goes to the span under way.
    fn allow_until(&mut self, now: Instant) {
        let allowed = in_time(self.rate, now.since(self.rate_since).as_nanos() as u64);
        self.rate_since = now;
        self.add(Bytes { allowed, ..Bytes::default() });
    }

    #[inline]
    fn add(&mut self, bytes: Bytes) {
        self.current.add(bytes);
        self.round.add(bytes);
        self.all.add(bytes);
    }

    /// From now on round trips take `round`, and so many bytes per second are allowed.
    pub(super) fn set(&mut self, now: Instant, round: Duration, rate: u64) {
        if rate != self.rate {
            self.allow_until(now);
            self.rate = rate;
        }
        self.next_length = span_of(round);
    }

    /// Starts anew, with `sent` bytes in the span under way.
    pub(super) fn restart(&mut self, now: Instant, round: Duration, sent: u64) {
        *self = Spans::new(now, round);
        self.add(Bytes { sent, allowed: sent, ..Bytes::default() });
    }

    /// Bytes left.
    #[inline]
    pub(super) fn handle_sent(&mut self, sent: u64) {
        self.add(Bytes { sent, ..Bytes::default() });
    }

    /// So many bytes are allowed, whatever the cap is.
    #[inline]
    pub(super) fn grant(&mut self, allowed: u64) {
        self.add(Bytes { allowed, ..Bytes::default() });
    }

    pub(super) fn handle_proven(&mut self, proven: u64) {
        self.add(Bytes { proven, ..Bytes::default() });
    }

    /// The last round trip.
    #[inline]
    pub(super) fn round(&self) -> Bytes {
        self.round
    }

    /// The same without the oldest span: what is certainly of the last round trip.
    pub(super) fn within_round(&self) -> Bytes {
        let mut within = self.round;
        within.take(self.kept[(self.oldest + KEPT - SPANS_PER_ROUND) % KEPT]);
        within
    }

    /// The last [`ROUNDS`] round trips. What is allowed is without the oldest span: it may be no part of them.
    #[inline]
    pub(super) fn all(&self, now: Instant) -> Bytes {
        let mut all = self.all;
        let under_way = in_time(self.rate, now.since(self.rate_since).as_nanos() as u64);
        all.allowed = all.allowed.saturating_sub(self.kept[self.oldest].allowed).saturating_add(under_way);
        all
    }

    /// When so much of what was sent in the last round trip has gone out of it that at most `sent` is left.
    pub(super) fn drained_to(&self, sent: u64) -> Instant {
        let mut left = self.round.sent;
        for ended in 0..SPANS_PER_ROUND {
            let place = (self.oldest + KEPT - SPANS_PER_ROUND + ended) % KEPT;
            left = left.saturating_sub(self.kept[place].sent);
            if left <= sent {
                return self.ends + self.next_length * ended as u32;
            }
        }
        self.ends + self.next_length * SPANS_PER_ROUND as u32
    }

    /// When the span under way began, and how long a round trip is by it.
    #[cfg(test)]
    pub(super) fn round_of_span(&self) -> (Instant, Duration) {
        (self.begins, self.length * SPANS_PER_ROUND as u32)
    }

    /// When the next span begins.
    pub(super) fn next(&self) -> Instant {
        self.ends
    }
}

fn span_of(round: Duration) -> Duration {
    Duration::from_nanos((round.as_nanos() as u64 / SPANS_PER_ROUND as u64).max(1))
}
