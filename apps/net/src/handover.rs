//! What one thread of an endpoint hands to another: a bounded queue that wakes who takes from it.
//!
//! Its lock is taken under that of a shard, and nothing is locked under it.

use core::task::Waker;
use std::sync::PoisonError;

use crate::sync::Mutex;

/// A queue to one thread.
#[derive(Debug)]
pub(crate) struct Handover<T> {
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    waiting: Vec<T>,
    /// What they take up.
    bytes: usize,
    bytes_max: usize,
    /// Wakes the thread's driver, unless it is awake already.
    driver: Option<Waker>,
    /// The thread was called since it last took what waits.
    called: bool,
    /// Nobody takes anything any more.
    gone: bool,
}

/// What became of an attempt to hand something over.
pub(crate) enum HandedOver<T> {
    /// It is there; the waker of the thread, if it sleeps.
    Taken(Option<Waker>),
    /// There was no room: it is lost.
    Full,
    /// The thread is gone.
    Gone(T),
}

impl<T> Handover<T> {
    /// A queue that holds so many bytes.
    pub(crate) fn new(bytes_max: usize) -> Handover<T> {
        let state = State { waiting: Vec::new(), bytes: 0, bytes_max, driver: None, called: false, gone: false };
        Handover { state: Mutex::new(state) }
    }

    /// Hands something over that takes up so many bytes. Who is woken takes locks: not while one is held.
    pub(crate) fn push(&self, item: T, bytes: usize) -> HandedOver<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.gone {
            return HandedOver::Gone(item);
        }
        if state.bytes + bytes > state.bytes_max {
            return HandedOver::Full;
        }
        state.bytes += bytes;
        state.waiting.push(item);
        HandedOver::Taken(state.driver.take())
    }

    /// Has the thread have a turn, however full the queue is. Answers the waker of the thread, if it sleeps.
    #[must_use]
    pub(crate) fn call(&self) -> Option<Waker> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.called = true;
        state.driver.take()
    }

    /// Moves all that waits to `into`. The driver is woken by what comes from now on. Answers whether the thread was
    /// called.
    pub(crate) fn take(&self, driver: &Waker, into: &mut Vec<T>) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        into.append(&mut state.waiting);
        state.bytes = 0;
        match &mut state.driver {
            Some(known) => known.clone_from(driver),
            none => *none = Some(driver.clone()),
        }
        core::mem::take(&mut state.called)
    }

    /// Nobody takes anything any more.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.gone, state.bytes, state.driver) = (true, 0, None);
        state.waiting.clear();
    }
}
