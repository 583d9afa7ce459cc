//! A store that ends with its process.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tng_base::Eid;
use tng_stack::Network;

use super::{Change, Entry, Heard, Put, Store, Waits};

/// Keeps entries in memory, at most so many. When there are as many, one more takes the place of the last that came of
/// the network (an IPv4 address, or an IPv6 /64) with the most, if that has more than its own would; otherwise there is
/// no room for it. What was published of keys counts as of one network.
pub struct Memory {
    state: Mutex<State>,
    entries_max: usize,
}

#[derive(Default)]
struct State {
    entries: BTreeMap<Eid, Kept>,
    networks: Networks,
    /// How many came so far.
    came: u64,
    /// Who had to make room since the last sweep.
    displaced: Vec<Eid>,
    heard: Vec<Heard>,
}

struct Kept {
    entry: Entry,
    /// Its place among all that came.
    came: u64,
}

/// Whose entries there are.
#[derive(Default)]
struct Networks {
    /// In the order in which they came.
    of: BTreeMap<Option<Network>, BTreeMap<u64, Eid>>,
    /// How many each has.
    counts: BTreeSet<(usize, Option<Network>)>,
}

impl Networks {
    fn change(&mut self, network: Option<Network>, change: impl FnOnce(&mut BTreeMap<u64, Eid>)) {
        let hosts = self.of.entry(network).or_default();
        self.counts.remove(&(hosts.len(), network));
        change(hosts);
        match hosts.len() {
            0 => _ = self.of.remove(&network),
            count => _ = self.counts.insert((count, network)),
        }
    }

    /// Who makes room for one more of this network.
    fn displaced_by(&self, network: Option<Network>) -> Option<Eid> {
        let own = self.of.get(&network).map_or(0, BTreeMap::len);
        let (_, most) = self.counts.last().filter(|(count, _)| *count > own + 1)?;
        self.of.get(most)?.last_key_value().map(|(_, eid)| *eid)
    }
}

impl State {
    fn insert(&mut self, entry: Entry) {
        let (eid, network) = (entry.statement.eid, entry.network());
        self.remove(eid);
        self.came += 1;
        let came = self.came;
        self.networks.change(network, |hosts| _ = hosts.insert(came, eid));
        self.entries.insert(eid, Kept { entry, came });
    }

    fn remove(&mut self, eid: Eid) {
        if let Some(Kept { entry, came }) = self.entries.remove(&eid) {
            self.networks.change(entry.network(), |hosts| _ = hosts.remove(&came));
        }
    }
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
        let is_full = state.entries.len() >= self.entries_max;
        match state.entries.get_mut(&eid) {
            Some(kept) => match entry.against(Some(&kept.entry), now_ms) {
                Put::New => {}
                put @ (Put::Older(_) | Put::OtherHeir | Put::Full) => return put,
                Put::Renewed => {
                    kept.entry = entry;
                    return Put::Renewed;
                }
            },
            None if is_full => {
                let Some(displaced) = state.networks.displaced_by(entry.network()) else { return Put::Full };
                state.remove(displaced);
                state.displaced.push(displaced);
            }
            None => {}
        }
        state.insert(entry);
        let heard = state.heard.clone();
        drop(state);
        heard.iter().for_each(|heard| heard(Change::Of(eid)));
        Put::New
    }
}

impl Memory {
    /// As [`get`](Store::get), which it never waits for.
    pub fn get_now(&self, now_ms: u64, eid: Eid) -> Option<Entry> {
        self.locked().entries.get(&eid).map(|kept| &kept.entry).filter(|entry| entry.lasts(now_ms)).cloned()
    }

    /// Forgets those whose lease has ended: who they are, and who had to make room since the last time.
    pub fn sweep(&self, now_ms: u64) -> Vec<Eid> {
        let mut state = self.locked();
        let mut gone = core::mem::take(&mut state.displaced);
        let ended = state.entries.iter().filter(|(_, kept)| !kept.entry.lasts(now_ms)).map(|(eid, _)| *eid);
        let ended: Vec<Eid> = ended.collect();
        ended.iter().for_each(|eid| state.remove(*eid));
        gone.extend(ended);
        gone
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

    fn remove_expired(&self, now_ms: u64) -> Waits<'_, ()> {
        self.sweep(now_ms);
        Box::pin(async move { Ok(()) })
    }

    fn count(&self, _: u64) -> usize {
        self.locked().entries.len()
    }

    fn watch(&self, heard: Heard) {
        self.locked().heard.push(heard);
    }
}
