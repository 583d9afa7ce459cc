//! Several stores that share the hosts: each has those whose EIDs begin alike.

use std::fmt;
use std::sync::Arc;

use tng::registry::{Entry, Heard, Put, Store, StoreError, Waits};
use tng_base::Eid;

/// Stores, one at least, each of as large a part of all EIDs, in their order.
pub struct Parts(Vec<Arc<dyn Store>>);

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Parts").field(&self.0.len()).finish()
    }
}

impl Parts {
    /// Those stores.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(stores: Vec<Arc<dyn Store>>) -> Parts {
        assert!(!stores.is_empty(), "hosts are kept somewhere");
        Parts(stores)
    }

    /// The store of a host.
    fn of(&self, eid: Eid) -> &dyn Store {
        &*self.0[part(eid, self.0.len())]
    }
}

/// Which of `count` parts a host is in, by the first bits of its EID. EIDs are evenly spread.
pub fn part(eid: Eid, count: usize) -> usize {
    let first = u32::from_be_bytes(*eid.as_bytes().first_chunk().expect("an EID has 32 bytes"));
    ((u64::from(first) * count as u64) >> 32) as usize
}

impl Store for Parts {
    fn put(&self, now_ms: u64, entry: Entry) -> Waits<'_, Put> {
        self.of(entry.statement.eid).put(now_ms, entry)
    }

    fn get(&self, now_ms: u64, eid: Eid) -> Waits<'_, Option<Entry>> {
        self.of(eid).get(now_ms, eid)
    }

    fn remove_expired(&self, now_ms: u64) -> Waits<'_, ()> {
        Box::pin(async move {
            let mut ended = Ok(());
            // All of them, although one fails.
            for store in &self.0 {
                ended = store.remove_expired(now_ms).await.and(ended);
            }
            ended
        })
    }

    fn count(&self, now_ms: u64) -> usize {
        self.0.iter().map(|store| store.count(now_ms)).sum()
    }

    fn watch(&self, heard: Heard) {
        self.0.iter().for_each(|store| store.watch(Arc::clone(&heard)));
    }

    fn trouble(&self) -> Option<StoreError> {
        self.0.iter().find_map(|store| store.trouble())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tng::Identity;
    use tng::registry::{Memory, battery};

    use super::*;

    #[tokio::test]
    async fn stores_that_share_the_hosts_are_a_store() {
        let parts =
            || -> Vec<Arc<dyn Store>> { (0..3).map(|_| Arc::new(Memory::new(100)) as Arc<dyn Store>).collect() };
        battery(&Parts::new(parts()), 1_000_000, Duration::from_secs(60), async |_| {}).await;
    }

    #[test]
    fn the_first_bits_of_an_eid_say_where_it_is_kept() {
        let eid = |first: u8| Eid::from_bytes([first; 32]);
        assert_eq!([0, 0x7f, 0x80, 0xff].map(|first| part(eid(first), 2)), [0, 0, 1, 1]);
        assert_eq!([0, 0x3f, 0x40, 0xff].map(|first| part(eid(first), 4)), [0, 0, 1, 3]);
        assert_eq!(part(eid(0xff), 3), 2);
        let mut counts = [0; 3];
        (0..=255).for_each(|seed| counts[part(Identity::from_seed([seed; 32]).eid(), 3)] += 1);
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
    }
}
