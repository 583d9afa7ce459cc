//! What can be computed again, kept while there is room for it (Trickles 5.1 and 7.1).

use core::borrow::Borrow;
use core::hash::Hash;
use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tng_base::{Instant, Rng};

use crate::ClientNetwork;

/// Bytes that an entry counts for beside its name and its value: it stands in three tables.
pub const CACHE_ENTRY_BYTES: usize = 256;
/// What clients in one place have had computed takes up at most so great a part of a cache, one in so many: what others
/// have had computed is not dropped for it.
pub const CACHE_PLACES_MIN: usize = 4;

/// What a cache has done, and what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheCounts {
    /// How often what was looked for was there.
    pub hits: u64,
    /// How often it was not.
    pub misses: u64,
    /// Entries that were dropped for the room that others needed.
    pub dropped: u64,
    /// Entries that were dropped because their time was over.
    pub expired: u64,
    /// Bytes that it holds.
    pub bytes: u64,
}

impl CacheCounts {
    /// What two caches have done together.
    #[must_use]
    pub const fn and(self, other: CacheCounts) -> CacheCounts {
        CacheCounts {
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
            dropped: self.dropped + other.dropped,
            expired: self.expired + other.expired,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// What is kept of what was computed: "the smaller between the expanded state of a continuation and the total generated
/// output should be inserted into the cache" (Trickles 7.1).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kept {
    /// What the output is made of again: less, and there is something left to compute.
    State(Arc<[u8]>),
    /// The output.
    Output(Arc<[u8]>),
}

impl Kept {
    /// The smaller of the two. Of two that are as large, the output: nothing is left to compute.
    pub fn smaller(state: &[u8], output: &[u8]) -> Kept {
        if state.len() < output.len() { Kept::State(state.into()) } else { Kept::Output(output.into()) }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Kept::State(bytes) | Kept::Output(bytes) => bytes,
        }
    }
}

/// What an entry is worth: when all that is worth less is gone, it is dropped. No two are worth the same, as each bears
/// the number of its use.
type Worth = (u64, u64);

/// Steps of worth for a unit of work for a byte: of long entries that took little work, too, some took less.
const WORTH_STEPS: u128 = 1 << 20;

#[derive(Clone, Debug)]
struct Entry<V> {
    value: V,
    bytes: usize,
    /// Work that it saves for each byte.
    density: u64,
    /// Among all, and among those of its owner.
    worth: [Worth; 2],
    owner: ClientNetwork,
    since: Instant,
}

/// What was computed for clients in one place.
#[derive(Clone, Debug, Default)]
struct Owner {
    held: usize,
    floor: u64,
    /// The least worth first.
    order: BTreeSet<Worth>,
}

/// Things by name, of bounded size. Each can be computed again, and may be dropped at any moment.
///
/// What took the most work for its bytes is kept longest (GreedyDual-Size: P. Cao and S. Irani, "Cost-Aware WWW Proxy
/// Caching Algorithms", USITS 1997). An entry is worth the work that it saves for each of its bytes, and what the last
/// entry was worth that was dropped: so what nobody looks for is dropped in the end, however much work it was. Work is
/// in units of the caller's, the same for all of a cache: MCUs, items, bytes that are read. It is not time.
///
/// What needs room for clients in one [place](ClientNetwork) beyond a [part](CACHE_PLACES_MIN) of the cache drops what was
/// computed for them, and nothing else. Who asks for much that is costly so displaces little of what others need, and
/// who asks for the same as others does not have it computed at all.
#[derive(Clone, Debug)]
pub struct Cache<K, V> {
    bytes_max: usize,
    life: Option<Duration>,
    known: HashMap<K, Entry<V>>,
    /// The least worth first.
    order: BTreeMap<Worth, K>,
    /// By the number of the last use.
    used: BTreeMap<u64, K>,
    owners: BTreeMap<[u8; ClientNetwork::LEN], Owner>,
    /// What the last entry was worth that was dropped.
    floor: u64,
    uses: u64,
    counts: CacheCounts,
}

impl<K: Hash + Eq + Clone, V> Cache<K, V> {
    /// An empty one for so many bytes; of none it keeps nothing.
    pub fn new(bytes_max: usize) -> Cache<K, V> {
        Cache {
            bytes_max,
            life: None,
            known: HashMap::new(),
            order: BTreeMap::new(),
            used: BTreeMap::new(),
            owners: BTreeMap::new(),
            floor: 0,
            uses: 0,
            counts: CacheCounts::default(),
        }
    }

    /// One that drops what nobody has used for so long.
    pub fn for_a_while(bytes_max: usize, life: Duration) -> Cache<K, V> {
        Cache { life: Some(life), ..Cache::new(bytes_max) }
    }

    /// What stands there under a name.
    pub fn get<Q: Hash + Eq + ?Sized>(&mut self, now: Instant, name: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        if self.bytes_max == 0 {
            return None;
        }
        self.expire(now);
        let Some((name, entry)) = self.known.remove_entry(name) else {
            self.counts.misses += 1;
            return None;
        };
        self.counts.hits += 1;
        self.unlist(&entry);
        Some(&self.list(name, Entry { since: now, ..entry }).value)
    }

    /// Keeps something of so many bytes, which took so much work for a client in a place. What is larger than the part
    /// of a place is not kept.
    pub fn insert(&mut self, now: Instant, owner: ClientNetwork, name: K, value: V, (bytes, work): (usize, u64)) {
        self.expire(now);
        self.remove(&name);
        let (bytes, share) = (bytes.saturating_add(CACHE_ENTRY_BYTES), self.bytes_max / CACHE_PLACES_MIN);
        if bytes > share {
            return;
        }
        while let Some(of) = self.owners.get_mut(owner.as_bytes()).filter(|of| of.held + bytes > share)
            && let Some(least) = of.order.pop_first()
        {
            of.floor = least.0;
            self.drop_used(least.1);
        }
        while self.held() + bytes > self.bytes_max
            && let Some((least, _)) = self.order.first_key_value()
        {
            let least = *least;
            self.floor = least.0;
            self.drop_used(least.1);
        }
        let density = u64::try_from(u128::from(work) * WORTH_STEPS / bytes as u128).unwrap_or(u64::MAX);
        self.list(name, Entry { value, bytes, density, worth: [(0, 0); 2], owner, since: now });
    }

    /// Enters something that is used now.
    fn list(&mut self, name: K, entry: Entry<V>) -> &Entry<V> {
        self.uses += 1;
        let of = self.owners.entry(*entry.owner.as_bytes()).or_default();
        let worth = [self.floor, of.floor].map(|floor| (floor.saturating_add(entry.density), self.uses));
        of.held += entry.bytes;
        of.order.insert(worth[1]);
        self.counts.bytes += entry.bytes as u64;
        self.order.insert(worth[0], name.clone());
        self.used.insert(self.uses, name.clone());
        self.known.entry(name).insert_entry(Entry { worth, ..entry }).into_mut()
    }

    fn unlist(&mut self, entry: &Entry<V>) {
        let [worth, own] = entry.worth;
        self.order.remove(&worth);
        self.used.remove(&worth.1);
        self.counts.bytes -= entry.bytes as u64;
        if let Some(of) = self.owners.get_mut(entry.owner.as_bytes()) {
            of.order.remove(&own);
            of.held -= entry.bytes;
            if of.held == 0 {
                self.owners.remove(entry.owner.as_bytes());
            }
        }
    }

    fn remove(&mut self, name: &K) {
        if let Some(entry) = self.known.remove(name) {
            self.unlist(&entry);
        }
    }

    /// Drops, for room, what was used as that.
    fn drop_used(&mut self, number: u64) {
        if let Some(name) = self.used.remove(&number) {
            self.remove(&name);
            self.counts.dropped += 1;
        }
    }

    /// Drops what nobody has used for long.
    pub fn expire(&mut self, now: Instant) {
        while self.expires_at().is_some_and(|at| at <= now)
            && let Some((_, name)) = self.used.pop_first()
        {
            self.remove(&name);
            self.counts.expired += 1;
        }
    }

    /// When the time of something is over.
    pub fn expires_at(&self) -> Option<Instant> {
        let oldest = self.known.get(self.used.first_key_value()?.1)?;
        self.life.map(|life| oldest.since + life)
    }

    /// Drops each of its entries with that chance: for tests, as nothing may be needed.
    pub fn lose(&mut self, rng: &mut Rng, chance: f64) {
        let lost: Vec<K> = self.used.values().filter(|_| rng.chance(chance)).cloned().collect();
        lost.iter().for_each(|name| self.remove(name));
    }

    /// Drops all.
    pub fn clear(&mut self) {
        let counts = CacheCounts { bytes: 0, ..self.counts };
        *self = Cache { life: self.life, counts, ..Cache::new(self.bytes_max) };
    }

    /// Bytes that its entries count for.
    pub const fn held(&self) -> usize {
        self.counts.bytes as usize
    }

    /// What it has done, and what it holds.
    pub const fn counts(&self) -> CacheCounts {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::from_secs(1);
    /// Room for forty entries of 744 bytes: ten of a place.
    const ROOM: usize = 40_000;

    fn place(n: u8) -> ClientNetwork {
        ClientNetwork::of([192, 0, 2, n].into())
    }

    fn names(cache: &Cache<u32, u32>) -> Vec<u32> {
        let mut names: Vec<u32> = cache.known.keys().copied().collect();
        names.sort_unstable();
        names
    }

    /// Whether tables and sums agree.
    fn check<V>(cache: &Cache<u32, V>) {
        let (count, held) = (cache.known.len(), cache.known.values().map(|entry| entry.bytes).sum::<usize>());
        assert_eq!((cache.order.len(), cache.used.len(), cache.held()), (count, count, held));
        assert_eq!(cache.owners.values().map(|of| of.order.len()).sum::<usize>(), count);
        assert_eq!(cache.owners.values().map(|of| of.held).sum::<usize>(), held);
        assert!(held <= cache.bytes_max);
        assert!(cache.owners.values().all(|of| of.held > 0 && of.held <= cache.bytes_max / CACHE_PLACES_MIN));
    }

    #[test]
    fn what_took_the_most_work_for_its_bytes_is_kept_longest_and_what_nobody_uses_is_dropped_in_the_end() {
        let mut cache = Cache::new(ROOM);
        let costly = 1_000_000;
        cache.insert(NOW, place(0), costly, 0, (744, 1_000));
        for n in 0..200 {
            cache.insert(NOW, place(1 + n as u8 % 8), n, n, (744, 10));
            check(&cache);
        }
        assert!(cache.get(NOW, &costly).is_some(), "{:?}", cache.counts());
        assert!(cache.get(NOW, &0).is_none() && cache.get(NOW, &199).is_some());
        // Control: where all took the same, the one that was used longest ago goes.
        let mut same = Cache::new(ROOM);
        (0..60).for_each(|n| {
            same.insert(NOW, place(n as u8 % 8), n, n, (744, 10));
            same.get(NOW, &0);
        });
        assert_eq!(names(&same), [&[0][..], &(21..60).collect::<Vec<_>>()].concat());
        // Nobody looks for it any more: a hundred times as much work is forgotten after a hundred turnovers.
        let needed = (200..).find(|n| {
            cache.insert(NOW, place(1 + *n as u8 % 8), *n, *n, (744, 10));
            !cache.known.contains_key(&costly)
        });
        println!("dropped after {needed:?} others");
        assert!(needed.is_some_and(|needed| (2_000..8_000).contains(&needed)), "{needed:?}");
    }

    #[test]
    fn who_fills_a_cache_with_what_is_costliest_displaces_little_of_what_others_have_had_computed() {
        for (places, is_harmed) in [(1, false), (200, true)] {
            let mut cache = Cache::new(ROOM);
            let honest = 0..20;
            honest.clone().for_each(|n| cache.insert(NOW, place(n as u8 % 2), n, n, (744, 5)));
            for n in 1_000..6_000 {
                cache.insert(NOW, place(10 + (n % places) as u8), n, n, (744, 1_000_000));
                check(&cache);
            }
            let left = honest.filter(|n| cache.known.contains_key(n)).count();
            // Control: who has 200 places gets all.
            assert_eq!(left, if is_harmed { 0 } else { 20 }, "{places}");
        }
    }

    #[test]
    fn what_is_kept_for_a_while_is_gone_when_nobody_has_used_it_for_so_long() {
        let (mut cache, life) = (Cache::for_a_while(ROOM, Duration::from_secs(5)), Duration::from_secs(5));
        cache.insert(NOW, place(1), 1, 'a', (100, 1));
        cache.insert(NOW + Duration::from_secs(1), place(1), 2, 'b', (100, 1_000));
        assert!(cache.get(NOW + Duration::from_secs(4), &1).is_some());
        assert_eq!(cache.expires_at(), Some(NOW + Duration::from_secs(1) + life));
        cache.expire(NOW + Duration::from_secs(6));
        assert_eq!((cache.known.len(), cache.counts().expired), (1, 1));
        assert!(cache.get(NOW + Duration::from_secs(9), &1).is_none());
        assert_eq!((cache.held(), cache.counts().expired, cache.expires_at()), (0, 2, None));
        check(&cache);
        // Control: without a life nothing is over.
        let mut lasting = Cache::new(ROOM);
        lasting.insert(NOW, place(1), 1, 'a', (100, 1));
        assert!(lasting.get(NOW + Duration::from_secs(1_000_000), &1).is_some());
    }

    #[test]
    fn a_cache_of_no_bytes_keeps_nothing_and_what_is_larger_than_the_part_of_a_place_is_not_kept() {
        let (mut none, mut some) = (Cache::new(0), Cache::new(ROOM));
        none.insert(NOW, place(1), 1, 1, (0, 1));
        some.insert(NOW, place(1), 1, 1, (ROOM / CACHE_PLACES_MIN, 1));
        assert!(none.get(NOW, &1).is_none() && some.get(NOW, &1).is_none());
        assert_eq!((none.counts(), some.counts().bytes), (CacheCounts::default(), 0));
        some.insert(NOW, place(1), 1, 1, (ROOM / CACHE_PLACES_MIN - CACHE_ENTRY_BYTES, 1));
        assert!(some.get(NOW, &1).is_some());
    }

    #[test]
    fn tables_agree_whatever_is_kept_used_lost_and_over() {
        for seed in 0..50 {
            let (mut rng, mut now) = (Rng::from_u64(seed), NOW);
            let mut cache = Cache::for_a_while(20_000, Duration::from_millis(40));
            for _ in 0..1_000 {
                now += Duration::from_millis(rng.below(5));
                let (name, place) = (rng.below(60) as u32, place(rng.below(5) as u8));
                match rng.below(10) {
                    0..5 => cache.insert(now, place, name, (), (rng.below(3_000) as usize, rng.below(1 << 40))),
                    5..9 => _ = cache.get(now, &name),
                    _ => cache.lose(&mut rng, 0.1),
                }
                check(&cache);
            }
            let counts = cache.counts();
            assert!([counts.hits, counts.misses, counts.dropped, counts.expired].iter().all(|n| *n > 0), "{counts:?}");
            cache.clear();
            check(&cache);
        }
    }

    #[test]
    fn the_smaller_of_state_and_output_is_kept() {
        assert_eq!(Kept::smaller(b"12", b"123"), Kept::State(b"12"[..].into()));
        assert_eq!(Kept::smaller(b"1234", b"123"), Kept::Output(b"123"[..].into()));
        assert_eq!(Kept::smaller(b"abc", b"123"), Kept::Output(b"123"[..].into()));
    }
}
