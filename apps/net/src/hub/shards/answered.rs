//! The youngest INITs that have brought a channel, at whatever thread.
//!
//! The lock is taken under that of a shard, and nothing is locked under it.

use core::sync::atomic::Ordering;
use std::collections::VecDeque;
use std::sync::PoisonError;

use tng_stack::INITS_REMEMBERED_MAX;

use crate::sync::{AtomicU64, Mutex};

/// What all threads note, and catch up with.
#[derive(Debug)]
pub(crate) struct Answered {
    youngest: Mutex<VecDeque<[u8; 32]>>,
    /// How many there were, so that nobody need take the lock to see that there is none. Changed under it.
    count: AtomicU64,
}

impl Answered {
    pub(crate) fn new() -> Answered {
        Answered { youngest: Mutex::new(VecDeque::new()), count: AtomicU64::new(0) }
    }

    /// This INIT has brought a channel.
    pub(crate) fn note(&self, init: [u8; 32]) {
        let mut youngest = self.youngest.lock().unwrap_or_else(PoisonError::into_inner);
        if youngest.len() == INITS_REMEMBERED_MAX {
            youngest.pop_front();
        }
        youngest.push_back(init);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Tells those after the first `known`, as far as they are remembered; these are known then.
    pub(crate) fn catch_up(&self, known: &mut u64, mut tell: impl FnMut([u8; 32])) {
        if self.count.load(Ordering::Relaxed) == *known {
            return;
        }
        let youngest = self.youngest.lock().unwrap_or_else(PoisonError::into_inner);
        let count = self.count.load(Ordering::Relaxed);
        let new = usize::try_from(count - *known).unwrap_or(usize::MAX).min(youngest.len());
        youngest.range(youngest.len() - new..).for_each(|init| tell(*init));
        *known = count;
    }
}
