//! The condition of a channel's path (Tng 6.1), judged by the acknowledgments alone.

use core::time::Duration;

use tng_base::{Instant, PathCondition};

/// So many probes without an answer, and the path is stalled, if nothing else is said.
pub const STALLED_PROBES: u32 = 2;

/// Good, until probes go unanswered; Failed, after so long without progress while something was outstanding.
#[derive(Debug)]
pub struct Monitor {
    failed_after: Duration,
    stalled_probes: u32,
    /// Since when something has been outstanding without any of it being acknowledged.
    waiting_since: Option<Instant>,
    /// The same, wherever the channel has led since, and whatever the peer says to hold.
    unacknowledged_since: Option<Instant>,
    last_progress: Instant,
    condition: PathCondition,
}

impl Monitor {
    /// A good path, given up after `failed_after` without progress.
    pub fn new(failed_after: Duration, now: Instant) -> Monitor {
        Monitor {
            failed_after,
            stalled_probes: STALLED_PROBES,
            waiting_since: None,
            unacknowledged_since: None,
            last_progress: now,
            condition: PathCondition::Good,
        }
    }

    /// After so many probes without an answer the path is stalled from now on.
    pub fn set_stalled_probes(&mut self, probes: u32) {
        self.stalled_probes = probes;
    }

    /// The condition.
    pub fn condition(&self) -> PathCondition {
        self.condition
    }

    /// When the peer last showed that something of ours had arrived.
    pub fn last_progress(&self) -> Instant {
        self.last_progress
    }

    /// Since when something has been outstanding without any of it being acknowledged.
    pub fn waiting_since(&self) -> Option<Instant> {
        self.waiting_since
    }

    /// Something that asks for acknowledgment left.
    pub fn handle_sent(&mut self, now: Instant) {
        self.waiting_since.get_or_insert(now);
        self.unacknowledged_since.get_or_insert(now);
    }

    /// Something of ours was acknowledged; `outstanding` tells whether more is awaited.
    pub fn handle_progress(&mut self, now: Instant, outstanding: bool) {
        self.handle_hope(now, outstanding);
        self.unacknowledged_since = self.waiting_since;
    }

    /// The path is another, or the peer says that it holds something; `outstanding` tells whether more is awaited.
    pub fn handle_hope(&mut self, now: Instant, outstanding: bool) {
        self.last_progress = now;
        self.waiting_since = outstanding.then_some(now);
        self.condition = PathCondition::Good;
    }

    /// Nothing is outstanding any more; the last of it was given up as lost.
    pub fn handle_idle(&mut self) {
        (self.waiting_since, self.unacknowledged_since) = (None, None);
    }

    /// Since when nothing that was outstanding has been acknowledged.
    pub fn unacknowledged_since(&self) -> Option<Instant> {
        self.unacknowledged_since
    }

    /// `unanswered` probes have gone out since the last progress.
    pub fn handle_probe(&mut self, unanswered: u32) {
        if unanswered >= self.stalled_probes && self.condition == PathCondition::Good {
            self.condition = PathCondition::Stalled;
        }
    }

    /// When the path will be given up.
    pub fn timeout(&self) -> Option<Instant> {
        let since = self.waiting_since?;
        (self.condition != PathCondition::Failed).then_some(since + self.failed_after)
    }

    /// Takes note that time has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        if self.timeout().is_some_and(|at| at <= now) {
            self.condition = PathCondition::Failed;
        }
    }
}
