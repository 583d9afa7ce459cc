//! What to do, and when.

use std::collections::BTreeMap;

use tng_base::Instant;

/// Things to do, in order of time, and of entry where times are equal.
#[derive(Debug)]
pub(crate) struct Agenda<T> {
    entries: BTreeMap<(Instant, u64), T>,
    next: u64,
}

impl<T> Default for Agenda<T> {
    fn default() -> Agenda<T> {
        Agenda { entries: BTreeMap::new(), next: 0 }
    }
}

impl<T> Agenda<T> {
    /// At the end of time nothing is done.
    pub(crate) fn at(&mut self, time: Instant, todo: T) {
        if time < Instant::FAR_FUTURE {
            self.entries.insert((time, self.next), todo);
            self.next += 1;
        }
    }

    /// Takes the first thing that is due.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<T> {
        let entry = self.entries.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(entry.remove())
    }

    /// When there is something to do.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.entries.keys().next().map(|(time, _)| *time)
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(Instant, &T) -> bool) {
        self.entries.retain(|(time, _), todo| keep(*time, todo));
    }
}
