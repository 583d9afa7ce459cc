//! Which of many parties have something to do, and when the others will.

use std::collections::{BTreeSet, VecDeque};

use crate::Instant;

/// A party's place in the [`Schedule`], kept beside the party.
#[derive(Clone, Copy, Default, Debug)]
pub struct ScheduleEntry {
    queued: bool,
    deadline: Option<Instant>,
}

/// A round of parties with work, and an index of deadlines. It knows each by its name alone.
#[derive(Debug)]
pub struct Schedule<Id> {
    ready: VecDeque<Id>,
    deadlines: BTreeSet<(Instant, Id)>,
}

impl<Id> Default for Schedule<Id> {
    fn default() -> Schedule<Id> {
        Schedule { ready: VecDeque::new(), deadlines: BTreeSet::new() }
    }
}

impl<Id: Copy + Ord> Schedule<Id> {
    /// `id` has something to do now.
    pub fn wake(&mut self, id: Id, place: &mut ScheduleEntry) {
        if !place.queued {
            place.queued = true;
            self.ready.push_back(id);
        }
    }

    /// The party whose turn it is.
    pub fn front(&self) -> Option<Id> {
        self.ready.front().copied()
    }

    /// The front had its turn and may have more to do: the others first.
    pub fn rotate(&mut self) {
        self.ready.rotate_left(1);
    }

    /// The front has nothing to do before `deadline`.
    pub fn park(&mut self, id: Id, place: &mut ScheduleEntry, deadline: Option<Instant>) {
        debug_assert!(self.front() == Some(id), "only the front rests");
        self.ready.pop_front();
        place.queued = false;
        self.set_deadline(id, place, deadline);
    }

    /// Forgets the front: it is gone.
    pub fn drop_front(&mut self) {
        self.ready.pop_front();
    }

    /// Forgets `id`, which may be the front.
    pub fn remove(&mut self, id: Id, mut place: ScheduleEntry) {
        self.set_deadline(id, &mut place, None);
        if place.queued {
            self.ready.retain(|ready| *ready != id);
        }
    }

    /// Parties with something to do, and deadlines held.
    pub fn len(&self) -> (usize, usize) {
        (self.ready.len(), self.deadlines.len())
    }

    fn set_deadline(&mut self, id: Id, place: &mut ScheduleEntry, deadline: Option<Instant>) {
        if place.deadline == deadline {
            return;
        }
        // In this order the index of a single party is never empty, and keeps its memory.
        if let Some(new) = deadline {
            self.deadlines.insert((new, id));
        }
        if let Some(old) = place.deadline {
            self.deadlines.remove(&(old, id));
        }
        place.deadline = deadline;
    }

    /// The earliest deadline.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// Takes the party with the earliest deadline, if that is not after `now`.
    pub fn pop_due(&mut self, now: Instant) -> Option<Id> {
        let (at, id) = *self.deadlines.first()?;
        (at <= now).then(|| {
            self.deadlines.pop_first();
            id
        })
    }
}

impl ScheduleEntry {
    /// Whether it has something to do, and whether it has a deadline.
    pub fn held(&self) -> (bool, bool) {
        (self.queued, self.deadline.is_some())
    }

    /// The deadline was taken by [`Schedule::pop_due`].
    pub fn handle_due(&mut self) {
        self.deadline = None;
    }
}
