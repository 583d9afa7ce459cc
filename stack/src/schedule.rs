//! Which connections have something to do, and when the others will.

use std::collections::{BTreeSet, VecDeque};

use tng_base::Instant;

use crate::ConnectionId;

/// A connection's place in the [`Schedule`].
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Place {
    queued: bool,
    deadline: Option<Instant>,
}

/// A round of connections with work, and an index of deadlines.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    ready: VecDeque<ConnectionId>,
    deadlines: BTreeSet<(Instant, ConnectionId)>,
}

impl Schedule {
    /// `id` has something to do now.
    pub(crate) fn wake(&mut self, id: ConnectionId, place: &mut Place) {
        if !place.queued {
            place.queued = true;
            self.ready.push_back(id);
        }
    }

    /// The connection whose turn it is.
    pub(crate) fn front(&self) -> Option<ConnectionId> {
        self.ready.front().copied()
    }

    /// The front had its turn and may have more to do: the others first.
    pub(crate) fn rotate(&mut self) {
        self.ready.rotate_left(1);
    }

    /// The front has nothing to do before `deadline`.
    pub(crate) fn rest(&mut self, id: ConnectionId, place: &mut Place, deadline: Option<Instant>) {
        debug_assert_eq!(self.front(), Some(id), "only the front rests");
        self.ready.pop_front();
        place.queued = false;
        self.set_deadline(id, place, deadline);
    }

    /// Forgets the front: it is gone.
    pub(crate) fn drop_front(&mut self) {
        self.ready.pop_front();
    }

    /// Forgets `id`, which may be the front.
    pub(crate) fn remove(&mut self, id: ConnectionId, mut place: Place) {
        self.set_deadline(id, &mut place, None);
        if place.queued {
            self.ready.retain(|ready| *ready != id);
        }
    }

    /// Connections with something to do, and deadlines held.
    pub(crate) fn len(&self) -> (usize, usize) {
        (self.ready.len(), self.deadlines.len())
    }

    fn set_deadline(&mut self, id: ConnectionId, place: &mut Place, deadline: Option<Instant>) {
        if place.deadline == deadline {
            return;
        }
        // In this order the index of a single connection is never empty, and keeps its memory.
        if let Some(new) = deadline {
            self.deadlines.insert((new, id));
        }
        if let Some(old) = place.deadline {
            self.deadlines.remove(&(old, id));
        }
        place.deadline = deadline;
    }

    /// The earliest deadline.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// Takes the connection with the earliest deadline, if that is not after `now`.
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<ConnectionId> {
        let (at, id) = *self.deadlines.first()?;
        (at <= now).then(|| {
            self.deadlines.pop_first();
            id
        })
    }
}

impl Place {
    /// Whether it has something to do, and whether it has a deadline.
    pub(crate) fn held(&self) -> (bool, bool) {
        (self.queued, self.deadline.is_some())
    }

    /// The deadline was taken by [`Schedule::pop_due`].
    pub(crate) fn handle_due(&mut self) {
        self.deadline = None;
    }
}
