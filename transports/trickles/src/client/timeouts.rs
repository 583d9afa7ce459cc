//! When a connection waits no longer: for an answer, for something to ask with, and at its end.

use core::time::Duration;

use tng_base::Instant;

use super::rtt::{RTO_MAX, RoundTrip};
use crate::foresee::{SLOT, TIMEOUT_COUNT_MAX};

/// What is waited for, and requests for a timeout that are not answered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timeouts {
    /// Since when an answer is waited for, or a continuation to ask with.
    pub(super) armed: Option<Instant>,
    /// Whether the tail has been asked for again.
    pub(super) is_probed: bool,
    /// How often waits were doubled.
    backoff: u32,
    /// How many servers may be asked.
    servers: u32,
    /// Since the last answer to anything.
    pub(super) unanswered: u32,
    /// When the first of this slot was sent, and the count of the last.
    slot: Option<(Instant, u8)>,
    /// Whether the answer to one is taken.
    pub(super) is_wanted: bool,
    /// Whether the client has moved since it got its continuations.
    pub(super) has_moved: bool,
}

impl Timeouts {
    /// Something new came.
    pub(super) const fn answered(&mut self, now: Instant) {
        (self.armed, self.is_probed, self.backoff) = (Some(now), false, 0);
        (self.is_wanted, self.unanswered) = (false, 0);
    }

    /// The client is somewhere else.
    pub(super) const fn moved(&mut self) {
        (self.has_moved, self.slot, self.backoff) = (true, None, 0);
    }

    /// When the next may be asked for.
    pub(super) fn next_at(&self) -> Option<Instant> {
        self.slot.filter(|(_, count)| *count >= TIMEOUT_COUNT_MAX).map(|(first, _)| first + SLOT)
    }

    /// One is asked for, of one of so many servers, which is to grant no more than that count does. Answers its count:
    /// one more for each that was asked for in vain, in whatever slot.
    pub(super) fn take(&mut self, now: Instant, servers: u32, least: u8) -> u8 {
        self.backoff += u32::from(!self.asks_another());
        self.servers = servers;
        let least = (u32::from(least) + self.unanswered).min(u32::from(TIMEOUT_COUNT_MAX)) as u8;
        let (first, count) = match self.slot {
            Some((first, last)) if now < first + SLOT => (first, least.max(last + 1).min(TIMEOUT_COUNT_MAX)),
            _ => (now, least),
        };
        self.slot = Some((first, count));
        self.unanswered += 1;
        (self.is_wanted, self.armed) = (true, Some(now));
        count
    }

    /// Whether the next goes to a server that was not asked for one in this outage.
    fn asks_another(&self) -> bool {
        (1..self.servers).contains(&self.unanswered)
    }

    /// When what has been waited for since then is given up.
    pub(super) fn at(&self, armed: Instant, rtt: &RoundTrip) -> Instant {
        // One that does not grant a timeout either is away: before it is waited for longer, each of the others is
        // asked.
        let wait = match self.asks_another() {
            true => rtt.probe(),
            false => (rtt.timeout() * (1 << self.backoff.min(6))).min(RTO_MAX),
        };
        let at = armed + wait;
        self.next_at().map_or(at, |next| at.max(next))
    }

    /// Whether more than so many were asked for in vain, and one for each further server.
    pub(super) fn are_in_vain(&self, now: Instant, most: u32, rtt: &RoundTrip) -> bool {
        // Who waits for nothing misses no answer.
        let is_over = self.armed.is_some_and(|armed| now >= self.at(armed, rtt));
        self.unanswered >= most + self.servers.saturating_sub(1) && is_over
    }
}

/// Whether nothing more will be asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Closing {
    /// Something may be.
    #[default]
    No,
    /// Nothing will be, and the server has yet to be told.
    Begun,
    /// So long it waits for something to say so with.
    Until(Instant),
}

impl Closing {
    /// Nothing more will be asked for.
    pub(super) const fn begin(&mut self) {
        if matches!(self, Closing::No) {
            *self = Closing::Begun;
        }
    }

    pub(super) const fn has_begun(self) -> bool {
        !matches!(self, Closing::No)
    }

    /// Whether it waits no longer, for at most so long in all.
    pub(super) fn is_over(&mut self, now: Instant, wait: Duration) -> bool {
        let until = match *self {
            Closing::Until(until) => until,
            Closing::No | Closing::Begun => now + wait,
        };
        *self = Closing::Until(until);
        now >= until
    }

    /// When there is something to do.
    pub(super) const fn due(self, now: Instant) -> Option<Instant> {
        match self {
            Closing::No => None,
            Closing::Begun => Some(now),
            Closing::Until(until) => Some(until),
        }
    }
}
