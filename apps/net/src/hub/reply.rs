//! What becomes of a request, for who waits for its answer. It has a lock of its own, so that nobody need take the
//! endpoint's to be told: it is taken under that, and nothing is locked under it.

use core::task::{Context, Poll, Waker};
use std::sync::PoisonError;

use bytes::Bytes;

use crate::error::ReadError;
use crate::sync::Mutex;

/// What becomes of one request.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    state: Mutex<ReplyState>,
}

#[derive(Debug)]
enum ReplyState {
    Open(Option<Waker>),
    Told(Outcome),
}

impl Default for ReplyState {
    fn default() -> ReplyState {
        ReplyState::Open(None)
    }
}

/// What became of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The whole answer, or why there is none.
    Whole(Result<Bytes, ReadError>),
    /// The answer is long, or comes bit by bit: its stream has to be read.
    Streams,
    /// The connection is over, or the answer was taken.
    Lost,
}

impl Reply {
    /// Tells it; answers whom to wake.
    #[must_use]
    pub(super) fn tell(&self, outcome: Outcome) -> Option<Waker> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match core::mem::replace(&mut *state, ReplyState::Told(outcome)) {
            ReplyState::Open(waker) => waker,
            ReplyState::Told(_) => None,
        }
    }

    /// The connection is over.
    #[must_use]
    pub(super) fn lose(&self) -> Option<Waker> {
        self.tell(Outcome::Lost)
    }

    /// Whether the answer has to be read from its stream.
    pub(crate) fn is_stream(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*state, ReplyState::Told(Outcome::Streams))
    }

    /// What became of it, once.
    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<Outcome> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *state {
            ReplyState::Open(Some(waker)) => waker.clone_from(cx.waker()),
            ReplyState::Open(none) => *none = Some(cx.waker().clone()),
            ReplyState::Told(outcome) => return Poll::Ready(core::mem::replace(outcome, Outcome::Lost)),
        }
        Poll::Pending
    }
}
