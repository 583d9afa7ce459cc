//! A table that all threads write to, and for each a flag that there is something in it for that thread: so that nobody
//! need take the lock to see that there is nothing.
//!
//! The lock is taken under that of a shard, and nothing is locked under it.

use core::sync::atomic::Ordering;
use std::sync::PoisonError;

use crate::sync::{AtomicBool, Mutex};

/// The table, and its flags.
#[derive(Debug)]
pub(crate) struct Board<T> {
    table: Mutex<T>,
    news: News,
}

/// For whom there is something.
#[derive(Debug)]
pub(crate) struct News(Box<[Flag]>);

/// Changed under the lock, and on a cache line of its own: each thread looks at its own once a turn.
#[derive(Debug)]
#[repr(align(128))]
struct Flag(AtomicBool);

impl News {
    /// There is something for a thread.
    pub(crate) fn tell(&self, at: usize) {
        self.0[at].0.store(true, Ordering::Relaxed);
    }
}

impl<T> Board<T> {
    /// For so many threads.
    pub(crate) fn new(table: T, of: u8) -> Board<T> {
        let flag = |_| Flag(AtomicBool::new(false));
        Board { table: Mutex::new(table), news: News((0..of).map(flag).collect()) }
    }

    /// Writes to the table, and tells for whom there is something then.
    pub(crate) fn write<R>(&self, write: impl FnOnce(&mut T, &News) -> R) -> R {
        write(&mut self.table.lock().unwrap_or_else(PoisonError::into_inner), &self.news)
    }

    /// Takes what there is for a thread, if there is something.
    pub(crate) fn take<R>(&self, here: usize, take: impl FnOnce(&mut T, &News) -> R) -> Option<R> {
        let flag = &self.news.0[here].0;
        flag.load(Ordering::Relaxed).then(|| {
            self.write(|table, news| {
                flag.store(false, Ordering::Relaxed);
                take(table, news)
            })
        })
    }
}
