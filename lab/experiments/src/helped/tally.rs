//! What becomes of a party.

use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_base::Instant;
use tng_stack::EventKind;

/// How long a datagram took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delay {
    /// When it was handed to the sender's transport.
    pub sent_at: Instant,
    /// Until it, or its echo, was handed to the application.
    pub took: Duration,
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
    /// What the hosts told, client's and server's, but for what streams did.
    pub events: Vec<(Instant, EventKind)>,
    /// What went wrong first.
    pub failure: Option<String>,
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
