//! A store that ends with its process.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tng_base::Eid;

use super::{Change, Entry, Heard, Put, Store, Waits};

/// Keeps entries in memory, at most so many.
pub struct Memory {
    state: Mutex<State>,
    entries_max: usize,
}

#[derive(Default)]
struct State {
    entries: BTreeMap<Eid, Entry>,
    heard: Vec<Heard>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("entries_max", &self.entries_max).finish_non_exhaustive()
    }
}

impl Memory {
    /// An empty one, with room for so many hosts.
    pub fn new(entries_max: usize) -> Memory {
        Memory { state: Mutex::default(), entries_max }
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`put`](Store::put), which it never waits for.
    pub fn put_now(&self, now_ms: u64, entry: Entry) -> Put {
        let mut state = self.locked();
        let eid = entry.statement.eid;
        let kept = state.entries.get(&eid);
        let put = entry.against(kept, now_ms);
        if matches!(put, Put::Older(_)) {
            return put;
        }
        if kept.is_none() && state.entries.len() >= self.entries_max {
            return Put::Full;
        }
        state.entries.insert(eid, entry);
        let heard = if put == Put::New { state.heard.clone() } else { Vec::new() };
        drop(state);
        heard.iter().for_each(|heard| heard(Change::Of(eid)));
        put
    }
}

impl Memory {
    /// As [`get`](Store::get), which it never waits for.
    pub fn get_now(&self, now_ms: u64, eid: Eid) -> Option<Entry> {
        self.locked().entries.get(&eid).filter(|entry| entry.lasts(now_ms)).cloned()
    }

    /// Forgets those whose lease has ended: who they are, and how many are left.
    pub fn sweep(&self, now_ms: u64) -> (Vec<Eid>, usize) {
        let mut state = self.locked();
        let gone: Vec<Eid> =
            state.entries.extract_if(.., |_, entry| !entry.lasts(now_ms)).map(|(eid, _)| eid).collect();
        (gone, state.entries.len())
    }
}

impl Store for Memory {
    fn put(&self, now_ms: u64, entry: Entry) -> Waits<'_, Put> {
        let put = self.put_now(now_ms, entry);
        Box::pin(async move { Ok(put) })
    }

    fn get(&self, now_ms: u64, eid: Eid) -> Waits<'_, Option<Entry>> {
        let entry = self.get_now(now_ms, eid);
        Box::pin(async move { Ok(entry) })
    }

    fn remove_expired(&self, now_ms: u64) -> Waits<'_, usize> {
        let (_, left) = self.sweep(now_ms);
        Box::pin(async move { Ok(left) })
    }

    fn watch(&self, heard: Heard) {
        self.locked().heard.push(heard);
    }
}
