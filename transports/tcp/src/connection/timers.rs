//! A connection's deadlines.

use core::time::Duration;

use tng_base::Instant;

use super::{Connection, End, RETRIES_MAX, SYN_RETRIES_MAX, State};
use crate::rto::RTO_MIN;

/// Least time before a tail loss probe (two of Linux's ticks at 250 Hz and more: RFC 8985 section 7.2 leaves it open).
const TAIL_PROBE_MIN: Duration = Duration::from_millis(2);

impl Connection {
    /// When [`handle_timeout`](Self::handle_timeout) wants to be called.
    pub(crate) fn timeout(&self) -> Option<Instant> {
        let timers = &self.timers;
        let lingering = match self.state {
            State::TimeWait(until) => Some(until),
            _ => None,
        };
        [timers.retransmit, timers.tail_probe, timers.reorder, timers.persist, timers.pace, timers.ack, lingering]
            .into_iter()
            .flatten()
            .min()
    }

    /// Time has passed.
    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        let is_due = |timer: Option<Instant>| timer.is_some_and(|at| at <= now);
        if let State::TimeWait(until) = self.state
            && until <= now
        {
            self.close(End::Finished);
        }
        if is_due(self.timers.pace) {
            self.timers.pace = None;
        }
        if is_due(self.timers.ack) {
            self.timers.ack = None;
            self.due.ack = true;
        }
        if is_due(self.timers.reorder) {
            self.find_losses(now);
        }
        if is_due(self.timers.tail_probe) {
            self.timers.tail_probe = None;
            self.due.tail_probe = true;
            self.timers.retransmit = Some(now + self.rto.timeout());
        } else if is_due(self.timers.retransmit) {
            self.expire(now);
        }
        if is_due(self.timers.persist) {
            self.timers.persist = None;
            self.expired += 1;
            if self.expired > RETRIES_MAX {
                return self.close(End::TimedOut);
            }
            self.rto.back_off();
            self.due.window_probe = true;
        }
    }

    /// The retransmission timer expired.
    fn expire(&mut self, now: Instant) {
        self.timers.retransmit = None;
        self.expired += 1;
        self.counts.timeouts += 1;
        let opening = matches!(self.state, State::SynSent | State::SynReceived);
        if self.expired > if opening { SYN_RETRIES_MAX } else { RETRIES_MAX } {
            return self.close(End::TimedOut);
        }
        self.rto.back_off();
        if opening {
            self.due.syn = true;
            return;
        }
        if let Some(loss) = self.scoreboard.expire(now) {
            self.regulation.handle_loss(now, &loss);
        }
        self.recovery = Some(self.next);
        (self.timers.tail_probe, self.timers.reorder) = (None, None);
        self.due.retransmission = true;
        self.timers.retransmit = Some(now + self.rto.timeout());
    }

    /// Looks for losses by what has been delivered.
    pub(super) fn find_losses(&mut self, now: Instant) {
        let smoothed = self.rto.smoothed().unwrap_or(RTO_MIN);
        let recovering = self.recovery.is_some();
        let (loss, again) = self.scoreboard.detect(now, self.rtt_min(), smoothed, recovering);
        self.timers.reorder = again;
        if let Some(loss) = loss {
            self.regulation.handle_loss(now, &loss);
            if !recovering {
                self.recovery = Some(self.next);
                self.due.retransmission = true;
            }
            self.timers.tail_probe = None;
        }
    }

    /// Something new was sent or delivered: the timers begin anew (RFC 6298 section 5, RFC 8985 section 7.2).
    pub(super) fn restart_timers(&mut self, now: Instant) {
        self.timers.retransmit = (!self.scoreboard.is_empty()).then(|| now + self.rto.timeout());
        self.arm_tail_probe(now);
    }

    /// A probe of the tail is due before a timeout is, but none while something is known to be missing.
    pub(super) fn arm_tail_probe(&mut self, now: Instant) {
        self.timers.tail_probe = None;
        let Some(retransmit) = self.timers.retransmit else { return };
        let quiet = self.recovery.is_none() && self.probed.is_none() && !self.scoreboard.has_lost();
        let smoothed = self.rto.smoothed().filter(|_| quiet && self.agreement.sack && !self.scoreboard.has_sacked());
        if let Some(smoothed) = smoothed {
            // A lone segment's acknowledgment may be delayed.
            let company = if self.scoreboard.count() == 1 { RTO_MIN } else { TAIL_PROBE_MIN };
            self.timers.tail_probe = Some((now + 2 * smoothed + company).min(retransmit));
        }
    }
}
