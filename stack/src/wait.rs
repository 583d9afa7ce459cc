//! What a connection waits for, when it waits for longer than anybody would expect.

use core::mem::discriminant;
use core::time::Duration;

use tng_base::Instant;

use crate::PathId;

/// A wait is told when it has lasted so long.
pub const WAIT_TOLD_AFTER: Duration = Duration::from_secs(1);

/// What a connection waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Wait {
    /// Entropy of this host's system, without which there is no set-up.
    Entropy,
    /// An answer to the set-up, which was sent so often.
    Answer {
        /// How often.
        sends: u32,
    },
    /// An answer to the set-up of a peer that is busy: it has asked this host to show that it receives, was shown that,
    /// and makes exchanges in turn, so many a second.
    Exchange {
        /// How often it was shown.
        sends: u32,
    },
    /// Helpers, through which the set-up goes.
    Helpers,
    /// An acknowledgment: of what was sent on this path none has come.
    Acknowledgment {
        /// Which.
        path: PathId,
    },
    /// A turn on this path: other connections with the same peer use what may be in flight there.
    Turn {
        /// Which.
        path: PathId,
    },
    /// Credit of the peer, which takes no more for now.
    Credit {
        /// Bytes that are written and wait.
        unsent_bytes: u64,
    },
    /// Leave of the peer to open another stream.
    Streams,
}

/// What tells one wait from the next: while it is the same, nothing has moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// The set-up, whatever is waited for in it.
    SetUp,
    /// The set-up as long as it goes through helpers.
    HelpedSetUp,
    /// Since when nothing was acknowledged.
    Since(Instant),
    /// When something was sent last.
    Sent(Instant),
    /// Bytes that have been sent.
    Bytes(u64),
    /// The leave that was used up.
    Leave,
}

/// What there is to tell of waits, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Changed {
    /// A wait that was told is over, and has lasted so long.
    pub over: Option<(Wait, Duration)>,
    /// This is waited for, and has been for long enough.
    pub waits: Option<Wait>,
}

#[derive(Debug)]
struct Seen {
    wait: Wait,
    mark: Mark,
    since: Instant,
    told: bool,
}

/// The wait that a connection is in, if it is in one.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Option<Seen>);

impl Waiting {
    /// Takes note of what is waited for now; of several the one that was seen before, else the first.
    #[inline]
    pub(crate) fn look(&mut self, now: Instant, found: &[Option<(Wait, Mark)>]) -> Changed {
        match self.0.is_some() || found.iter().any(Option::is_some) {
            true => self.compare(now, found),
            false => Changed::default(),
        }
    }

    fn compare(&mut self, now: Instant, found: &[Option<(Wait, Mark)>]) -> Changed {
        let mut changed = Changed::default();
        let found = || found.iter().flatten().copied();
        let goes_on = self.0.as_ref().and_then(|seen| found().find(|(_, mark)| *mark == seen.mark));
        if goes_on.is_none() {
            let told = self.0.take().filter(|seen| seen.told);
            changed.over = told.map(|seen| (seen.wait, now.since(seen.since)));
        }
        let Some((wait, mark)) = goes_on.or_else(|| found().next()) else { return changed };
        let seen = self.0.get_or_insert(Seen { wait, mark, since: now, told: false });
        let other = discriminant(&seen.wait) != discriminant(&wait);
        seen.wait = wait;
        if seen.since + WAIT_TOLD_AFTER <= now && (other || !seen.told) {
            seen.told = true;
            changed.waits = Some(wait);
        }
        changed
    }

    /// When to tell of the wait.
    pub(crate) fn told_at(&self) -> Option<Instant> {
        self.0.as_ref().filter(|seen| !seen.told).map(|seen| seen.since + WAIT_TOLD_AFTER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDIT: Wait = Wait::Credit { unsent_bytes: 1 };
    const ANSWER: Wait = Wait::Answer { sends: 1 };

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    /// What is told at a look.
    fn look(waiting: &mut Waiting, ms: u64, found: &[Option<(Wait, Mark)>]) -> Changed {
        waiting.look(at(ms), found)
    }

    const NOTHING: Changed = Changed { over: None, waits: None };

    fn waits(wait: Wait) -> Changed {
        Changed { waits: Some(wait), ..NOTHING }
    }

    fn over(wait: Wait, ms: u64) -> Changed {
        Changed { over: Some((wait, Duration::from_millis(ms))), ..NOTHING }
    }

    #[test]
    fn a_wait_is_told_once_when_it_has_lasted_and_once_when_it_is_over() {
        let mut waiting = Waiting::default();
        let found = &[Some((CREDIT, Mark::Bytes(7)))];
        assert_eq!(look(&mut waiting, 0, found), NOTHING);
        assert_eq!(waiting.told_at(), Some(at(1_000)));
        assert_eq!(look(&mut waiting, 999, found), NOTHING);
        assert_eq!(look(&mut waiting, 1_000, found), waits(CREDIT));
        assert_eq!((look(&mut waiting, 2_000, found), waiting.told_at()), (NOTHING, None));
        assert_eq!(look(&mut waiting, 2_500, &[]), over(CREDIT, 2_500));
        assert_eq!(look(&mut waiting, 9_000, &[None]), NOTHING);
    }

    #[test]
    fn what_moves_on_is_not_told_however_long_it_goes_on() {
        let mut waiting = Waiting::default();
        for ms in (0..10_000).step_by(500) {
            assert_eq!(look(&mut waiting, ms, &[Some((CREDIT, Mark::Bytes(ms)))]), NOTHING);
        }
    }

    #[test]
    fn a_set_up_that_waits_for_another_thing_says_so_at_once_and_begins_no_other_wait() {
        let mut waiting = Waiting::default();
        look(&mut waiting, 0, &[Some((Wait::Entropy, Mark::SetUp))]);
        assert_eq!(look(&mut waiting, 800, &[Some((ANSWER, Mark::SetUp))]), NOTHING);
        assert_eq!(look(&mut waiting, 1_000, &[Some((ANSWER, Mark::SetUp))]), waits(ANSWER));
        let busy = Wait::Exchange { sends: 1 };
        assert_eq!(look(&mut waiting, 1_100, &[Some((busy, Mark::SetUp))]), waits(busy));
        assert_eq!(look(&mut waiting, 1_200, &[]), over(busy, 1_200));
    }

    #[test]
    fn a_wait_that_goes_on_is_not_another_because_something_else_is_waited_for_too() {
        let mut waiting = Waiting::default();
        let credit = Some((CREDIT, Mark::Bytes(7)));
        let silence = Some((Wait::Acknowledgment { path: PathId(1) }, Mark::Since(at(500))));
        look(&mut waiting, 0, &[None, credit]);
        look(&mut waiting, 500, &[silence, credit]);
        assert_eq!(look(&mut waiting, 1_000, &[silence, credit]), waits(CREDIT));
    }
}
