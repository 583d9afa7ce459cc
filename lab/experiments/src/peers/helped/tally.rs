//! What becomes of a party.

use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_base::Instant;
use tng_stack::{CloseCause, EventKind};

/// How long a datagram took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delay {
    /// When it was handed to the sender's transport.
    pub sent_at: Instant,
    /// Until it, or its echo, was handed to the application.
    pub took: Duration,
}

/// One end of a party.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// It connects.
    Client,
    /// It is called.
    Server,
}

/// What a host told.
#[derive(Clone, Debug)]
pub struct Told {
    /// When.
    pub at: Instant,
    /// Which host.
    pub by: Side,
    /// What.
    pub kind: EventKind,
}

impl Told {
    /// When, in seconds of the world's time.
    pub fn at_s(&self) -> f64 {
        self.at.since(Instant::ZERO).as_secs_f64()
    }

    /// Why a path is no more, if that is told.
    pub fn lost(&self) -> Option<CloseCause> {
        match &self.kind {
            EventKind::PathLost { cause, .. } => Some(cause.clone()),
            _ => None,
        }
    }
}

/// What became of a party.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Bytes read, all of them what was sent there: a wrong byte is a failure.
    pub bytes: u64,
    /// When the first of them was read.
    pub first_at: Option<Instant>,
    /// Transfers that are complete.
    pub complete: usize,
    /// When the last of them was.
    pub completed_at: Option<Instant>,
    /// Datagrams sent with the data.
    pub pings: u64,
    /// Delays of those that arrived, in the direction of the data, in order of arrival.
    pub one_way: Vec<Delay>,
    /// Delays of those whose echo arrived, in order of arrival.
    pub round_trip: Vec<Delay>,
    /// What the hosts told, but for what streams did.
    pub events: Vec<Told>,
    /// What went wrong first.
    pub failure: Option<String>,
}

impl Tally {
    /// Channels that were lost at either end, when, and why: each loss is a bypass, a return to the helpers or a move.
    pub fn paths_lost(&self) -> impl Iterator<Item = (f64, CloseCause)> + '_ {
        self.events.iter().filter_map(|told| Some((told.at_s(), told.lost()?)))
    }
}

/// A tally that both ends write.
#[derive(Clone, Debug, Default)]
pub(super) struct Seat(Rc<RefCell<Tally>>);

impl Seat {
    pub(super) fn with<T>(&self, change: impl FnOnce(&mut Tally) -> T) -> T {
        change(&mut self.0.borrow_mut())
    }

    pub(super) fn fail(&self, reason: String) {
        self.with(|tally| {
            tally.failure.get_or_insert(reason);
        });
    }
}
