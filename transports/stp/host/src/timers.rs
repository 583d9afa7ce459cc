//! A guest's timers.

use core::time::Duration;

use tng_base::Instant;
use tng_stp_abi::{Refused, TIMER_SEND, TIMERS_MAX};

/// Timers go off no sooner than so long after they are set: a guest that sets one anew whenever it goes off is called
/// this often, and no more.
pub const TIMER_MIN: Duration = Duration::from_millis(1);

#[derive(Debug, Default)]
pub(crate) struct Timers {
    /// Time passes. What is set before counts from when it begins to.
    running: bool,
    at: [Option<Instant>; TIMERS_MAX as usize],
    /// The guest waits for the policer, which may let something leave then.
    send_at: Option<Instant>,
}

impl Timers {
    /// Time begins.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.running = true;
        for at in self.at.iter_mut().flatten() {
            *at = now + at.since(Instant::ZERO);
        }
    }

    pub(crate) fn set(&mut self, now: Instant, id: u32, in_ms: u32) -> Result<(), Refused> {
        let slot = self.at.get_mut(id as usize).ok_or(Refused::NotThere)?;
        let now = if self.running { now } else { Instant::ZERO };
        *slot = Some(now + Duration::from_millis(in_ms.into()).max(TIMER_MIN));
        Ok(())
    }

    pub(crate) fn stop(&mut self, id: u32) -> Result<(), Refused> {
        *self.at.get_mut(id as usize).ok_or(Refused::NotThere)? = None;
        Ok(())
    }

    pub(crate) fn set_send(&mut self, at: Option<Instant>) {
        self.send_at = at;
    }

    /// When the next goes off.
    pub(crate) fn next(&self) -> Option<Instant> {
        if !self.running {
            return None;
        }
        self.at.iter().flatten().copied().chain(self.send_at).min()
    }

    /// One that has gone off.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<u32> {
        if !self.running {
            return None;
        }
        if self.send_at.is_some_and(|at| at <= now) {
            self.send_at = None;
            return Some(TIMER_SEND);
        }
        let due = self.at.iter().position(|at| at.is_some_and(|at| at <= now))?;
        self.at[due] = None;
        Some(due as u32)
    }

    pub(crate) fn clear(&mut self) {
        *self = Timers { running: self.running, ..Timers::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_goes_off_once_and_the_policers_first() {
        let now = Instant::from_secs(1);
        let mut timers = Timers::default();
        assert_eq!(
            (timers.set(now, 5, 7), timers.next(), timers.take_due(now + Duration::from_secs(9))),
            (Ok(()), None, None)
        );
        timers.begin(now);
        assert_eq!((timers.next(), timers.stop(5)), (Some(now + Duration::from_millis(7)), Ok(())));
        assert_eq!(
            (timers.set(now, 3, 20), timers.set(now, 0, 0), timers.set(now, 8, 1)),
            (Ok(()), Ok(()), Err(Refused::NotThere))
        );
        assert_eq!((timers.next(), timers.take_due(now)), (Some(now + TIMER_MIN), None));
        timers.set_send(Some(now));
        let later = now + Duration::from_millis(20);
        let gone: Vec<u32> = core::iter::from_fn(|| timers.take_due(later)).collect();
        assert_eq!((gone, timers.next()), (vec![TIMER_SEND, 0, 3], None));
        timers.set(now, 1, 5).unwrap();
        assert_eq!((timers.stop(1), timers.next(), timers.stop(9)), (Ok(()), None, Err(Refused::NotThere)));
    }
}
