//! What a registry knows of what etcd keeps: a plain value, which is told what was read, written and heard.
//!
//! Of a host there are two things: what etcd has of it, by whichever registry, and what the host has said *here*, for
//! as long as its lease lasts. Mostly they are the same. A host that is registered at two registries has one entry in
//! etcd, that of the registry which wrote last; the other has its own, and writes it when the first one is gone.

use std::collections::BTreeMap;

use tng::registry::{Entry, Network, Order, Policy, Put, Word};
use tng_base::Eid;

/// How long what another registry keeps is believed without a look, in milliseconds: etcd says when it ends.
pub const HEARD_LASTS_MS: u64 = 10_000;

/// What etcd has of a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// The entry. Its own end is what it was when it was written: renewals are not.
    pub entry: Entry,
    /// With which revision it came.
    pub revision: u64,
}

/// What a host has said here.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Own {
    entry: Entry,
    /// With which revision it was written, and for how long it stays there if this registry dies.
    written: (u64, u64),
    /// For which network it counts.
    network: Option<Network>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Host {
    stored: Option<Stored>,
    own: Option<Own>,
}

/// What is known of a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Known {
    /// It has said so here.
    Own(Entry),
    /// It has said so elsewhere.
    Heard(Entry),
    /// It is not there, as far as is known.
    Absent,
}

/// What has to be done with an entry that a host brings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Weighed {
    /// Nothing more.
    Done(Put),
    /// It is written if what etcd has came with revision `was`, and then that became of it.
    Write {
        /// The revision; 0: there is nothing.
        was: u64,
        /// What it is.
        put: Put,
    },
}

/// What a registry knows of what etcd keeps.
#[derive(Debug)]
pub struct Mirror {
    hosts: BTreeMap<Eid, Host>,
    /// How many of them have said something here, in all and by network.
    own: usize,
    networks: BTreeMap<Option<Network>, usize>,
    own_max: usize,
    /// All is known up to this revision.
    revision: u64,
    /// Whether there is nothing in etcd that was left out.
    is_whole: bool,
}

impl Host {
    /// What the host has said here, if its lease lasts.
    fn lasting(&self, now_ms: u64) -> Option<&Own> {
        self.own.as_ref().filter(|own| own.entry.lasts(now_ms))
    }

    /// What etcd has, unless this registry has written it and its lease is over.
    fn valid(&self, now_ms: u64) -> Option<&Stored> {
        self.stored.as_ref().filter(|stored| match &self.own {
            Some(own) if !own.entry.lasts(now_ms) => own.written.0 != stored.revision,
            _ => true,
        })
    }
}

/// What is found by nobody is kept for nobody: a host says so to be introduced, and is elsewhere what it was.
fn is_hidden(entry: &Entry) -> bool {
    matches!(entry.statement.word, Word::Here(_)) && matches!(&entry.policy, Policy::Listed(eids) if eids.is_empty())
}

/// What another registry keeps lasts for as long as etcd has it.
pub fn lasting(entry: &Entry, now_ms: u64) -> Entry {
    Entry { until_ms: now_ms.saturating_add(HEARD_LASTS_MS), ..entry.clone() }
}

impl Mirror {
    /// One that knows nothing, with room for so many hosts that say something here, and as many others. A network (an
    /// IPv4 address, or an IPv6 /64) has one more at most than are left for all: one by itself has half of the room.
    pub fn new(own_max: usize) -> Mirror {
        let (hosts, networks) = (BTreeMap::new(), BTreeMap::new());
        Mirror { hosts, own: 0, networks, own_max, revision: 0, is_whole: false }
    }

    /// Up to which revision all is known.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether what is not known here is not there, if nothing has changed since.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// How many hosts are known.
    pub fn count(&self, now_ms: u64) -> usize {
        self.hosts.values().filter(|host| host.lasting(now_ms).is_some() || host.valid(now_ms).is_some()).count()
    }

    /// What is known of a host.
    pub fn get(&self, now_ms: u64, eid: Eid) -> Known {
        let Some(host) = self.hosts.get(&eid) else { return Known::Absent };
        match (host.lasting(now_ms), host.valid(now_ms)) {
            (Some(own), stored) if stored.is_none_or(|stored| order(stored) <= own.entry.statement.order()) => {
                Known::Own(own.entry.clone())
            }
            (_, Some(stored)) => Known::Heard(lasting(&stored.entry, now_ms)),
            _ => Known::Absent,
        }
    }

    /// What has to be done with an entry that a host brings.
    pub fn weigh(&mut self, now_ms: u64, entry: &Entry) -> Weighed {
        let eid = entry.statement.eid;
        let host = self.hosts.get(&eid);
        let lives_for = entry.until_ms.saturating_sub(now_ms);
        let own = host.and_then(|host| host.lasting(now_ms));
        let stored = host.and_then(|host| host.valid(now_ms));
        let by_own = own.map(|own| entry.against(Some(&own.entry), now_ms));
        let by_stored = stored.map(|stored| entry.against(Some(&lasting(&stored.entry, now_ms)), now_ms));
        let older = |put: &Put| matches!(put, Put::Older(_) | Put::OtherHeir);
        let older = [by_own, by_stored].into_iter().flatten().find(older);
        if let Some(older) = older {
            return Weighed::Done(older);
        }
        let is_said = by_own == Some(Put::Renewed);
        let is_kept = own.is_some_and(|own| own.entry.policy == entry.policy && own.written.1 >= lives_for);
        if is_said && is_kept {
            if let Some(own) = self.hosts.get_mut(&eid).and_then(|host| host.own.as_mut()) {
                own.entry = entry.clone();
            }
            return Weighed::Done(Put::Renewed);
        }
        let has_said = host.is_some_and(|host| host.own.is_some());
        let put = if by_own.or(by_stored) == Some(Put::Renewed) { Put::Renewed } else { Put::New };
        match has_said {
            false if is_hidden(entry) => Weighed::Done(put),
            false if !self.admits(entry.network()) => Weighed::Done(Put::Full),
            // What etcd has is replaced whether it is over or not.
            _ => Weighed::Write { was: self.was(eid), put },
        }
    }

    /// Whether there is room for one more of this network.
    fn admits(&self, network: Option<Network>) -> bool {
        let left = self.own_max.saturating_sub(self.own);
        left > 0 && self.networks.get(&network).copied().unwrap_or_default() <= left
    }

    /// One that has said something here is there, or is no more.
    fn count_own(&mut self, network: Option<Network>, is_there: bool) {
        let count = self.networks.entry(network).or_default();
        if is_there {
            (self.own, *count) = (self.own + 1, *count + 1);
            return;
        }
        (self.own, *count) = (self.own - 1, *count - 1);
        if *count == 0 {
            self.networks.remove(&network);
        }
    }

    fn was(&self, eid: Eid) -> u64 {
        self.hosts.get(&eid).and_then(|host| host.stored.as_ref()).map_or(0, |stored| stored.revision)
    }

    /// What a host has said here was written with this revision, and stays for so long if nobody keeps it. Answers
    /// whether it is there still, as far as was heard.
    pub fn note_written(&mut self, entry: Entry, revision: u64, stays_ms: u64) -> bool {
        let is_told = revision <= self.revision;
        let host = self.hosts.entry(entry.statement.eid).or_default();
        // What has become of it since may have been told before that it was written.
        if !is_told && host.stored.as_ref().is_none_or(|stored| stored.revision < revision) {
            host.stored = Some(Stored { entry: entry.clone(), revision });
        }
        let network = entry.network();
        let replaced = host.own.replace(Own { entry, written: (revision, stays_ms), network });
        let is_there = host.stored.is_some();
        self.count_own(network, true);
        if let Some(replaced) = replaced {
            self.count_own(replaced.network, false);
        }
        is_there
    }

    /// What a host has said here, and etcd does not have any more; with the revision of what it has instead.
    pub fn owed(&self, now_ms: u64, eid: Eid) -> Option<(Entry, u64)> {
        let host = self.hosts.get(&eid)?;
        let own = host.lasting(now_ms)?;
        let is_there = host.stored.as_ref().is_some_and(|stored| order(stored) >= own.entry.statement.order());
        (!is_there).then(|| (own.entry.clone(), self.was(eid)))
    }

    /// All hosts that etcd owes something; see [`owed`](Self::owed).
    pub fn all_owed(&self, now_ms: u64) -> Vec<Eid> {
        let own = self.hosts.iter().filter(|(_, host)| host.own.is_some()).map(|(eid, _)| *eid);
        own.filter(|eid| self.owed(now_ms, *eid).is_some()).collect()
    }

    /// What etcd has of a host is this, or nothing, at a revision. Answers whether that is new.
    pub fn note(&mut self, eid: Eid, found: Option<Stored>, at: u64) -> bool {
        let was = self.was(eid);
        match found {
            // What was heard before, or is behind what was.
            Some(stored) if stored.revision <= was => false,
            Some(_) if !self.has_room(eid) => {
                self.is_whole = false;
                true
            }
            Some(stored) => self.keep(eid, stored),
            None if was == 0 || at < was => false,
            None => {
                let Some(host) = self.hosts.get_mut(&eid) else { return false };
                host.stored = None;
                self.drop_if_empty(eid);
                true
            }
        }
    }

    /// As [`note`](Self::note), of a host that is here, for which there is room.
    pub fn learn(&mut self, eid: Eid, found: Option<Stored>, at: u64) {
        self.hosts.entry(eid).or_default();
        self.note(eid, found, at);
        self.drop_if_empty(eid);
    }

    fn has_room(&self, eid: Eid) -> bool {
        self.hosts.contains_key(&eid) || self.hosts.len() < self.own_max.saturating_mul(2)
    }

    /// Keeps what etcd has; answers whether it says something new.
    fn keep(&mut self, eid: Eid, stored: Stored) -> bool {
        let host = self.hosts.entry(eid).or_default();
        let is_new = host.stored.as_ref().is_none_or(|kept| {
            kept.entry.statement != stored.entry.statement || kept.entry.attended != stored.entry.attended
        });
        // The host has said something newer elsewhere.
        let order = order(&stored);
        let older = host.own.take_if(|own| own.entry.statement.order() < order);
        host.stored = Some(stored);
        if let Some(older) = older {
            self.count_own(older.network, false);
        }
        is_new
    }

    fn drop_if_empty(&mut self, eid: Eid) {
        if self.hosts.get(&eid).is_some_and(|host| host.own.is_none() && host.stored.is_none()) {
            self.hosts.remove(&eid);
        }
    }

    /// Whether an answer of a member at this revision says something: it is not behind what was heard.
    pub fn is_news(&self, revision: u64) -> bool {
        revision >= self.revision
    }

    /// All is told up to this revision.
    pub fn advance(&mut self, revision: u64) {
        self.revision = self.revision.max(revision);
    }

    /// All that etcd has at a revision. `anew` if it is not what it was: its history has begun again. Answers the hosts
    /// that something else is known of now.
    pub fn replace(&mut self, mut all: BTreeMap<Eid, Stored>, revision: u64, anew: bool) -> Vec<Eid> {
        self.is_whole = true;
        self.revision = revision;
        let mut changed = Vec::new();
        let known: Vec<Eid> = self.hosts.keys().copied().collect();
        for eid in known {
            let found = all.remove(&eid);
            if anew && let Some(host) = self.hosts.get_mut(&eid) {
                host.stored = None;
            }
            if self.note(eid, found, revision) || anew {
                changed.push(eid);
            }
            self.drop_if_empty(eid);
        }
        changed.extend(all.keys());
        for (eid, stored) in all {
            self.note(eid, Some(stored), revision);
        }
        changed
    }

    /// Forgets what hosts have said here whose lease is over. Answers what of that has to be removed from etcd, with
    /// the revision that it came with.
    pub fn sweep(&mut self, now_ms: u64) -> Vec<(Eid, u64)> {
        let over = self.hosts.iter().filter(|(_, host)| host.own.is_some() && host.lasting(now_ms).is_none());
        let over: Vec<Eid> = over.map(|(eid, _)| *eid).collect();
        let mut removed = Vec::new();
        for eid in over {
            let Some(host) = self.hosts.get_mut(&eid) else { continue };
            let written = host.own.as_ref().map(|own| own.written.0);
            match host.stored.as_ref().filter(|stored| written == Some(stored.revision)) {
                // It stays until etcd has removed it: else it would seem to be another registry's.
                Some(stored) => removed.push((eid, stored.revision)),
                None => self.forget(now_ms, eid),
            }
        }
        removed
    }

    /// What a host has said here counts no more, if its lease is over.
    pub fn forget(&mut self, now_ms: u64, eid: Eid) {
        if let Some(host) = self.hosts.get_mut(&eid)
            && let Some(over) = host.own.take_if(|own| !own.entry.lasts(now_ms))
        {
            self.count_own(over.network, false);
        }
        self.drop_if_empty(eid);
    }
}

fn order(stored: &Stored) -> Order {
    stored.entry.statement.order()
}

#[cfg(test)]
mod tests {
    use tng::Identity;
    use tng::registry::{Attended, Record, Statement};

    use super::*;

    const NOW_MS: u64 = 1_800_000_000_000;

    fn entry(number: u64, registry: u8) -> Entry {
        let record = Record { number, expires_s: NOW_MS / 1_000 + 60, addresses: Vec::new() };
        let attended = Attended {
            registry: Identity::from_seed([registry; 32]).eid(),
            addresses: Vec::new(),
            observed: ([192, 0, 2, 1], 1).into(),
        };
        Entry {
            statement: Statement::new(&host(), Word::Here(record)),
            policy: Policy::Public,
            attended: Some(attended),
            until_ms: NOW_MS + 60_000,
        }
    }

    fn host() -> Identity {
        Identity::from_seed([1; 32])
    }

    fn stored(number: u64, registry: u8, revision: u64) -> Stored {
        Stored { entry: entry(number, registry), revision }
    }

    #[test]
    fn a_host_that_is_registered_at_two_registries_has_each_of_them_write_once() {
        let mut mirror = Mirror::new(10);
        assert_eq!(mirror.weigh(NOW_MS, &entry(1, 7)), Weighed::Write { was: 0, put: Put::New });
        mirror.note_written(entry(1, 7), 5, 60_000);
        assert!(mirror.note(host().eid(), Some(stored(1, 8, 6)), 6), "the other registry writes its own");
        assert_eq!(mirror.weigh(NOW_MS, &entry(1, 7)), Weighed::Done(Put::Renewed), "and nobody writes again");
        assert_eq!(mirror.get(NOW_MS, host().eid()), Known::Own(entry(1, 7)), "who asks here is sent nowhere else");
        assert_eq!(mirror.owed(NOW_MS, host().eid()), None);
        assert!(mirror.note(host().eid(), None, 7), "the other is gone");
        assert_eq!(mirror.owed(NOW_MS, host().eid()), Some((entry(1, 7), 0)), "so that this one's is written");
    }

    #[test]
    fn a_lower_number_is_older_wherever_the_higher_was_said() {
        let mut mirror = Mirror::new(10);
        mirror.note(host().eid(), Some(stored(5, 8, 6)), 6);
        let older = Weighed::Done(Put::Older(Order { rank: 0, number: 5 }));
        assert_eq!(mirror.weigh(NOW_MS, &entry(4, 7)), older);
        assert_eq!(mirror.weigh(NOW_MS, &entry(6, 7)), Weighed::Write { was: 6, put: Put::New });
        mirror.note_written(entry(6, 7), 7, 60_000);
        assert!(!mirror.note(host().eid(), Some(stored(5, 8, 6)), 7), "what was heard before is heard again");
        assert!(mirror.note(host().eid(), Some(stored(9, 8, 9)), 9));
        assert_eq!(mirror.weigh(NOW_MS, &entry(6, 7)), Weighed::Done(Put::Older(Order { rank: 0, number: 9 })));
    }

    #[test]
    fn what_is_found_by_nobody_takes_nothing_away_from_what_another_registry_keeps() {
        let mut mirror = Mirror::new(10);
        mirror.note(host().eid(), Some(stored(5, 8, 6)), 6);
        let hidden = Entry { policy: Policy::Listed(Vec::new()), ..entry(6, 7) };
        assert_eq!(mirror.weigh(NOW_MS, &hidden), Weighed::Done(Put::New));
        assert!(matches!(mirror.get(NOW_MS, host().eid()), Known::Heard(_)));
        mirror.note_written(entry(6, 7), 7, 60_000);
        assert_eq!(mirror.weigh(NOW_MS, &hidden), Weighed::Write { was: 7, put: Put::New }, "unless it was here");
    }

    #[test]
    fn a_lease_that_is_over_has_its_entry_removed_if_it_is_this_registrys_and_left_if_not() {
        let over_ms = NOW_MS + 60_000;
        let mut mirror = Mirror::new(10);
        mirror.note_written(entry(1, 7), 5, 60_000);
        assert_eq!((mirror.get(over_ms, host().eid()), mirror.count(over_ms)), (Known::Absent, 0));
        assert_eq!(mirror.sweep(over_ms), [(host().eid(), 5)]);
        mirror.note(host().eid(), Some(stored(1, 8, 6)), 6);
        assert!(matches!(mirror.get(over_ms, host().eid()), Known::Heard(_)), "another has written it meanwhile");
        assert_eq!((mirror.sweep(over_ms), mirror.own), (Vec::new(), 0));
    }

    #[test]
    fn a_longer_lease_is_written_and_a_renewal_within_the_one_before_is_not() {
        let mut mirror = Mirror::new(10);
        mirror.note_written(entry(1, 7), 5, 60_000);
        let of = |until_ms| Entry { until_ms, ..entry(1, 7) };
        assert_eq!(mirror.weigh(NOW_MS + 20_000, &of(NOW_MS + 80_000)), Weighed::Done(Put::Renewed));
        assert_eq!(mirror.get(NOW_MS + 79_000, host().eid()), Known::Own(of(NOW_MS + 80_000)));
        let longer = mirror.weigh(NOW_MS + 20_000, &of(NOW_MS + 200_000));
        assert_eq!(longer, Weighed::Write { was: 5, put: Put::Renewed });
    }

    #[test]
    fn a_network_has_no_more_of_the_room_than_is_left_for_all() {
        let mut mirror = Mirror::new(16);
        let of = |seed: u8, network: u8| {
            let observed = core::net::SocketAddr::from(([192, 0, 2, network], 9));
            let word = entry(1, 7).statement.word;
            let attended = entry(1, 7).attended.map(|attended| Attended { observed, ..attended });
            Entry { statement: Statement::new(&Identity::from_seed([seed; 32]), word), attended, ..entry(1, 7) }
        };
        let mut fill = |seeds: core::ops::Range<u8>, network| {
            let mut revision = u64::from(seeds.start);
            seeds
                .filter(|seed| match mirror.weigh(NOW_MS, &of(*seed, network)) {
                    Weighed::Done(put) => put != Put::Full,
                    Weighed::Write { .. } => {
                        revision += 1;
                        mirror.note_written(of(*seed, network), revision, 60_000);
                        true
                    }
                })
                .count()
        };
        assert_eq!(fill(20..50, 1), 9, "half of it, and one");
        assert_eq!(fill(50..90, 2), 4, "half of the rest, and one");
        assert_eq!(fill(90..91, 3), 1, "somebody else finds room");
        mirror.sweep(NOW_MS + 120_000).iter().for_each(|(eid, _)| {
            mirror.note(*eid, None, 1_000);
            mirror.forget(NOW_MS + 120_000, *eid);
        });
        assert_eq!((mirror.own, mirror.networks.len()), (0, 0), "control: they are counted for as long as they last");
    }

    #[test]
    fn what_there_is_no_room_for_is_not_said_to_be_absent() {
        let mut mirror = Mirror::new(1);
        let others = |n: u8| Identity::from_seed([n; 32]).eid();
        let all = |count: u8| (1..=count).map(|n| (others(n), stored(1, 8, 2))).collect::<BTreeMap<_, _>>();
        mirror.replace(all(2), 2, false);
        assert!(mirror.is_whole(), "control");
        mirror.replace(all(3), 3, false);
        assert_eq!((mirror.is_whole(), mirror.hosts.len()), (false, 2));
        mirror.note_written(entry(2, 7), 4, 60_000);
        let another = Entry {
            statement: Statement::new(&Identity::from_seed([9; 32]), entry(1, 7).statement.word),
            ..entry(1, 7)
        };
        assert_eq!(mirror.weigh(NOW_MS, &another), Weighed::Done(Put::Full));
    }

    #[test]
    fn all_that_is_read_anew_takes_the_place_of_what_was_known_and_what_was_lost_is_owed() {
        let mut mirror = Mirror::new(10);
        mirror.note_written(entry(1, 7), 5, 60_000);
        let other = Identity::from_seed([9; 32]).eid();
        mirror.note(other, Some(stored(1, 8, 6)), 6);
        assert_eq!(mirror.replace(BTreeMap::new(), 4, false), [], "a member that is behind takes nothing away");
        let mut changed = mirror.replace(BTreeMap::new(), 9, false);
        changed.sort_unstable();
        assert!(changed.contains(&other) && changed.contains(&host().eid()));
        assert_eq!((mirror.get(NOW_MS, other), mirror.all_owed(NOW_MS)), (Known::Absent, vec![host().eid()]));
        mirror.note_written(entry(1, 7), 10, 60_000);
        mirror.replace(BTreeMap::new(), 1, true);
        assert_eq!((mirror.all_owed(NOW_MS), mirror.revision()), (vec![host().eid()], 1), "its history begins again");
    }
}
