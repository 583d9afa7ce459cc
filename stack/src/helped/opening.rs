//! The direct way to a peer whose helpers are there only to reach it (docs/splitting.md, "Introduced").

use core::time::Duration;

use tng_base::Instant;

use super::judge::{RETURN_FIRST, RETURN_MAX};

/// When to ask for the direct channel that takes the place of the helped one.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// None while it is asked for, or carries.
    at: Option<Instant>,
    interval: Duration,
    /// Since when the direct channel has carried, if it does.
    direct_since: Option<Instant>,
    /// It was asked for, and did not come about.
    failed: bool,
    /// The peer was heard of at an address that nobody had named.
    learned: bool,
}

impl Opening {
    pub(crate) fn new() -> Opening {
        Opening { at: None, interval: RETURN_FIRST, direct_since: None, failed: false, learned: false }
    }

    /// When to ask, while helpers carry.
    pub(crate) fn at(&self) -> Option<Instant> {
        self.at
    }

    /// Whether it was asked for in vain.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Whether the peer's NAT gives it another port for this host than it was introduced with.
    pub(crate) fn has_learned(&self) -> bool {
        self.learned
    }

    /// Helpers carry from now on: the direct way is asked for at once, or later if it has just been lost.
    pub(crate) fn note_helped(&mut self, now: Instant) {
        match self.direct_since.take() {
            Some(since) if now.since(since) < self.interval => self.put_off(now),
            Some(_) => (self.at, self.interval) = (Some(now), RETURN_FIRST),
            None if self.failed => self.at = self.at.or(Some(now + self.interval)),
            None => self.at = Some(now),
        }
    }

    /// It is asked for.
    pub(crate) fn note_asked(&mut self) {
        self.at = None;
    }

    /// Nothing came of it, although there was another way to the peer (`is_meant`), or as there was none.
    pub(crate) fn note_failed(&mut self, now: Instant, is_meant: bool) {
        self.failed |= is_meant;
        self.put_off(now);
    }

    /// It carries.
    pub(crate) fn note_direct(&mut self, now: Instant) {
        (self.at, self.failed) = (None, false);
        self.direct_since.get_or_insert(now);
    }

    /// The two were introduced, or the peer was heard of directly: it is worth asking now.
    pub(crate) fn note_chance(&mut self, now: Instant, learned: bool) {
        self.learned |= learned;
        if self.at.is_some() {
            self.at = Some(now);
        }
    }

    fn put_off(&mut self, now: Instant) {
        self.at = Some(now + self.interval);
        self.interval = (self.interval * 2).min(RETURN_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_s(s: u64) -> Instant {
        Instant::from_secs(s)
    }

    #[test]
    fn the_direct_way_is_asked_for_at_once_and_after_failures_more_and_more_rarely() {
        let mut opening = Opening::new();
        assert_eq!(opening.at(), None, "nothing carries yet");
        opening.note_helped(at_s(1));
        assert_eq!(opening.at(), Some(at_s(1)));
        opening.note_asked();
        assert_eq!(opening.at(), None);
        opening.note_failed(at_s(11), true);
        assert_eq!((opening.at(), opening.has_failed()), (Some(at_s(41)), true));
        opening.note_asked();
        opening.note_failed(at_s(51), true);
        assert_eq!(opening.at(), Some(at_s(111)));
        opening.note_chance(at_s(60), false);
        assert_eq!(opening.at(), Some(at_s(60)), "they were introduced again");
    }

    #[test]
    fn one_that_has_served_is_asked_for_again_at_once_and_one_that_breaks_at_once_is_not() {
        let mut opening = Opening::new();
        opening.note_helped(at_s(0));
        opening.note_asked();
        opening.note_direct(at_s(1));
        opening.note_helped(at_s(100));
        assert_eq!(opening.at(), Some(at_s(100)));
        opening.note_asked();
        opening.note_direct(at_s(101));
        opening.note_helped(at_s(102));
        assert_eq!(opening.at(), Some(at_s(132)));
    }
}
