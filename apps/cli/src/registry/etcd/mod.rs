//! A store in a cluster of etcd, which several registries share (docs/registry.md, "Stores";
//! docs/decisions/0059-renewals-do-not-reach-etcd.md).
//!
//! Keys are `PREFIX/hosts/EID`, with an entry as value; `PREFIX/part`, which part of all hosts the cluster has; and
//! `PREFIX/registries/ID`, by which a registry hears that it hears. All that a registry writes hangs on leases of its
//! own, a lease for many hosts. It keeps them for as long as it runs, and removes by itself what hosts do not renew.
//!
//! * `mirror`: what is known of what etcd has: all of it, if there is room. Look-ups are answered from there.
//! * `keeping`: the tasks beside: one writes, one keeps the leases, one listens, one writes again what was lost.

mod keeping;
mod mirror;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tng::registry::{Change, Entry, Heard, Put, Store, StoreError, Waits};
use tng_base::Eid;
use tng_wire::{Reader, Repr};
use tokio::sync::{Notify, OnceCell, mpsc, oneshot};
use tokio::task::AbortHandle;

use self::keeping::Write;
use self::mirror::{Known, Mirror, Stored, Weighed};
use crate::clock;
use crate::daemon::locked;
use crate::etcd::{Change as KeyChange, Etcd, EtcdError, EtcdPlace, Kv, Outcome};

/// How long what a registry has written stays at least when the registry has died, and how long a lease is that hosts
/// share. Hosts with longer leases share one that is as long, or less than twice as long.
pub const SESSION: Duration = Duration::from_secs(60);
/// How often a registry tells etcd that it is there.
pub const BEAT_EVERY: Duration = Duration::from_secs(1);
/// For so long after it has heard itself a registry takes what it knows for all that there is.
pub const HEARS_FOR: Duration = Duration::from_secs(3);
/// After so long without an answer it is said that etcd does not answer.
pub const SILENT_AFTER: Duration = Duration::from_secs(3);
/// Changes that wait to be written; hosts beyond are told to come again.
pub const WRITES_WAITING_MAX: usize = 16_384;
/// How often an entry is tried to be written that others change at the same time.
const WRITE_TRIES_MAX: usize = 8;

/// Hears whether a store is all that it should be: why not, or nothing.
pub type Tell = Arc<dyn Fn(Option<&StoreError>) + Send + Sync>;

/// How a store is made.
#[derive(Clone)]
pub struct EtcdConfig {
    /// Where it is.
    pub place: EtcdPlace,
    /// Which part of all hosts it has, of how many.
    pub part: (usize, usize),
    /// Hosts that say something here, at most; of as many others it is known where they are.
    pub hosts_max: usize,
    /// See [`SESSION`].
    pub session: Duration,
    /// Who hears of it when etcd does not answer, and when it does again.
    pub tell: Tell,
}

impl fmt::Debug for EtcdConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdConfig").field("place", &self.place).field("part", &self.part).finish_non_exhaustive()
    }
}

/// Keeps entries in a cluster of etcd.
pub struct EtcdStore {
    shared: Arc<Shared>,
    tasks: Vec<AbortHandle>,
}

impl fmt::Debug for EtcdStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdStore").field("config", &self.shared.config).finish_non_exhaustive()
    }
}

impl Drop for EtcdStore {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

/// What the store and its tasks share.
struct Shared {
    config: EtcdConfig,
    etcd: Etcd,
    keys: Keys,
    mirror: Mutex<Mirror>,
    heard: Mutex<Vec<Heard>>,
    /// The leases that are kept, by how often the first is doubled.
    leases: tokio::sync::Mutex<BTreeMap<u32, u64>>,
    state: Mutex<State>,
    writes: mpsc::Sender<Write>,
    /// Whether the cluster has the part of all hosts that it is named for.
    is_placed: OnceCell<()>,
    /// Something that hosts have said here is not in etcd any more.
    owed: Notify,
    /// The history of etcd has begun again.
    anew: Notify,
}

#[derive(Default)]
struct State {
    /// When the registry last heard itself.
    heard_at: Option<Instant>,
    trouble: Option<StoreError>,
}

/// Where everything is.
struct Keys {
    hosts: String,
    own: String,
    part: String,
    all: (String, String),
}

impl Keys {
    fn new(prefix: &str, id: &str) -> Keys {
        Keys {
            hosts: format!("{prefix}/hosts/"),
            own: format!("{prefix}/registries/{id}"),
            part: format!("{prefix}/part"),
            // `0` comes behind `/`.
            all: (format!("{prefix}/"), format!("{prefix}0")),
        }
    }

    fn host(&self, eid: Eid) -> Vec<u8> {
        format!("{}{eid}", self.hosts).into_bytes()
    }

    /// Whose key this is.
    fn eid(&self, key: &[u8]) -> Option<Eid> {
        std::str::from_utf8(key).ok()?.strip_prefix(&self.hosts)?.parse().ok()
    }
}

fn failed(error: &EtcdError) -> StoreError {
    StoreError(error.to_string())
}

fn now_ms() -> u64 {
    clock::since_1970().as_millis() as u64
}

/// What etcd has of a host. What cannot be read, or stands under another's name, is not believed.
fn stored(eid: Eid, kv: Kv) -> Option<Stored> {
    let value = kv.value?;
    let mut reader = Reader::new(&value);
    let entry = Entry::parse(&mut reader).ok().filter(|entry| reader.is_empty() && entry.statement.eid == eid)?;
    Some(Stored { entry, revision: kv.revision })
}

impl EtcdStore {
    /// The store in this cluster, which need not answer yet. To be called where tasks can be spawned.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn open(config: EtcdConfig) -> std::io::Result<EtcdStore> {
        let id = crate::hex::hex(&tng::random_seed()?.expose()[..8]);
        let (writes, waiting) = mpsc::channel(WRITES_WAITING_MAX);
        let shared = Arc::new(Shared {
            etcd: Etcd::new(&config.place.members),
            keys: Keys::new(&config.place.prefix, &id),
            mirror: Mutex::new(Mirror::new(config.hosts_max)),
            heard: Mutex::default(),
            leases: tokio::sync::Mutex::default(),
            state: Mutex::default(),
            writes,
            is_placed: OnceCell::new(),
            owed: Notify::new(),
            anew: Notify::new(),
            config,
        });
        let tasks = keeping::begin(&shared, waiting);
        Ok(EtcdStore { shared, tasks })
    }
}

impl Shared {
    fn mirror(&self) -> MutexGuard<'_, Mirror> {
        locked(&self.mirror)
    }

    /// Whether all is heard that changes.
    fn hears(&self) -> bool {
        locked(&self.state).heard_at.is_some_and(|at| at.elapsed() < HEARS_FOR)
    }

    fn trouble(&self) -> Option<StoreError> {
        locked(&self.state).trouble.clone()
    }

    /// Tells the registry of changes.
    fn tell(&self, eids: &[Eid]) {
        let heard = locked(&self.heard).clone();
        for eid in eids {
            heard.iter().for_each(|heard| heard(Change::Of(*eid)));
        }
    }

    async fn put(&self, now_ms: u64, entry: Entry) -> Result<Put, StoreError> {
        if !self.is_placed.initialized() {
            self.check_part().await?;
        }
        for _ in 0..WRITE_TRIES_MAX {
            let weighed = self.mirror().weigh(now_ms, &entry);
            match weighed {
                Weighed::Done(put) => return Ok(put),
                Weighed::Write { was, put } => {
                    if self.write(now_ms, &entry, was).await? {
                        if put == Put::New {
                            self.tell(&[entry.statement.eid]);
                        }
                        return Ok(put);
                    }
                }
            }
        }
        Err(StoreError("others change what is kept of the host all the time".to_owned()))
    }

    /// Has an entry written in the place of what came with revision `was`. Answers whether it is, and else knows what
    /// is there instead.
    async fn write(&self, now_ms: u64, entry: &Entry, mut was: u64) -> Result<bool, StoreError> {
        let eid = entry.statement.eid;
        let lives_for = Duration::from_millis(entry.until_ms.saturating_sub(now_ms));
        let doubled = keeping::doubled(self.config.session, lives_for);
        let stays_ms = keeping::lease_of(self.config.session, doubled).as_millis() as u64;
        let lease = self.lease(doubled).await.map_err(|error| failed(&error))?;
        let key = self.keys.host(eid);
        let made = loop {
            let change = KeyChange { key: key.clone(), was, to: Some((entry.to_vec(), lease)) };
            let (found, at) = match self.queue(change)?.await {
                Err(_) => return Err(StoreError("the registry ends".to_owned())),
                Ok(Err(error)) if error.is_not_found() => {
                    self.keep_leases().await.map_err(|error| failed(&error))?;
                    return Ok(false);
                }
                Ok(Err(error)) => return Err(failed(&error)),
                Ok(Ok(Outcome::Made(revision))) => break revision,
                Ok(Ok(Outcome::Otherwise { found, revision })) => (found, revision),
            };
            let is_there = found.as_ref().map(|kv| kv.revision);
            match (found.and_then(|kv| stored(eid, kv)), is_there) {
                // A member that did not answer in time has done what it was asked.
                (Some(Stored { entry: found, revision }), _) if found == *entry => break revision,
                // What is no entry is nothing to anybody.
                (None, Some(revision)) if revision != was => was = revision,
                (found, _) => {
                    self.mirror().learn(eid, found, at);
                    return Ok(false);
                }
            }
        };
        if !self.mirror().note_written(entry.clone(), made, stays_ms) {
            self.owed.notify_one();
        }
        Ok(true)
    }

    /// Has a change made, together with others that wait.
    fn queue(&self, change: KeyChange) -> Result<oneshot::Receiver<Result<Outcome, EtcdError>>, StoreError> {
        let (tell, told) = oneshot::channel();
        let full = |_| StoreError("etcd is too slow for all that is new".to_owned());
        self.writes.try_send(Write { change, tell }).map_err(full)?;
        Ok(told)
    }

    /// Writes again what a host has said here, and etcd has lost.
    async fn write_again(&self, eid: Eid) -> Result<(), StoreError> {
        for _ in 0..WRITE_TRIES_MAX {
            let now_ms = now_ms();
            let Some((entry, was)) = self.mirror().owed(now_ms, eid) else { return Ok(()) };
            if self.write(now_ms, &entry, was).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn get(&self, now_ms: u64, eid: Eid) -> Result<Option<Entry>, StoreError> {
        let (known, is_whole) = {
            let mirror = self.mirror();
            (mirror.get(now_ms, eid), mirror.is_whole())
        };
        let known = match known {
            Known::Own(entry) => return Ok(Some(entry)),
            Known::Heard(entry) => Some(entry),
            Known::Absent => None,
        };
        // Nobody waits for what does not answer if there is something to say.
        let is_placed = self.is_placed.initialized();
        if (is_placed && self.hears() && (known.is_some() || is_whole)) || (known.is_some() && self.trouble().is_some())
        {
            return Ok(known);
        }
        if !self.is_placed.initialized() && known.is_none() {
            let part = self.etcd.get(self.keys.part.as_bytes()).await.map_err(|error| failed(&error))?;
            part.found.first().map_or(Ok(()), |kv| self.same_part(kv))?;
        }
        let read = match self.etcd.get(&self.keys.host(eid)).await {
            Ok(read) => read,
            Err(error) => return known.map(Some).ok_or_else(|| failed(&error)),
        };
        let at = read.revision;
        let found = read.found.into_iter().next().and_then(|kv| stored(eid, kv));
        let read = found.as_ref().map(|stored| mirror::lasting(&stored.entry, now_ms));
        let mut mirror = self.mirror();
        if !mirror.is_news(at) {
            return Ok(known.or(read));
        }
        mirror.note(eid, found, at);
        Ok(match mirror.get(now_ms, eid) {
            Known::Own(entry) | Known::Heard(entry) => Some(entry),
            // There was no room for it.
            Known::Absent => read,
        })
    }

    async fn remove_expired(&self, now_ms: u64) -> Result<(), StoreError> {
        let over = self.mirror().sweep(now_ms);
        let mut waiting = Vec::new();
        for (eid, was) in over {
            waiting.push((eid, self.queue(KeyChange { key: self.keys.host(eid), was, to: None })?));
        }
        for (eid, told) in waiting {
            let (found, at) = match told_of(told).await? {
                Outcome::Made(revision) => (None, revision),
                Outcome::Otherwise { found, revision } => (found.and_then(|kv| stored(eid, kv)), revision),
            };
            let mut mirror = self.mirror();
            mirror.learn(eid, found, at);
            mirror.forget(now_ms, eid);
        }
        Ok(())
    }

    /// Sees that the cluster has that part of all hosts that this registry takes it to have, and notes it if nobody
    /// has.
    async fn check_part(&self) -> Result<(), StoreError> {
        let check = async || {
            let said = self.part();
            let change = KeyChange { key: self.keys.part.clone().into_bytes(), was: 0, to: Some((said.clone(), 0)) };
            match self.etcd.change_one(change).await.map_err(|error| failed(&error))? {
                Outcome::Otherwise { found: Some(kv), .. } => self.same_part(&kv),
                Outcome::Made(_) | Outcome::Otherwise { found: None, .. } => Ok(()),
            }
        };
        self.is_placed.get_or_try_init(check).await?;
        Ok(())
    }

    fn part(&self) -> Vec<u8> {
        let (part, of) = self.config.part;
        format!("{} of {of}", part + 1).into_bytes()
    }

    fn same_part(&self, kv: &Kv) -> Result<(), StoreError> {
        let (said, own) = (kv.value.clone().unwrap_or_default(), self.part());
        if said == own {
            return Ok(());
        }
        let [said, own] = [&said, &own].map(|text| String::from_utf8_lossy(text));
        let place = &self.config.place;
        Err(StoreError(format!(
            "{place} has part {said} of all hosts, and is named as part {own}: name the same \
             clusters in the same order at all registries"
        )))
    }
}

async fn told_of(told: oneshot::Receiver<Result<Outcome, EtcdError>>) -> Result<Outcome, StoreError> {
    match told.await {
        Ok(told) => told.map_err(|error| failed(&error)),
        Err(_) => Err(StoreError("the registry ends".to_owned())),
    }
}

impl Store for EtcdStore {
    fn put(&self, now_ms: u64, entry: Entry) -> Waits<'_, Put> {
        Box::pin(self.shared.put(now_ms, entry))
    }

    fn get(&self, now_ms: u64, eid: Eid) -> Waits<'_, Option<Entry>> {
        Box::pin(self.shared.get(now_ms, eid))
    }

    fn remove_expired(&self, now_ms: u64) -> Waits<'_, ()> {
        Box::pin(self.shared.remove_expired(now_ms))
    }

    fn count(&self, now_ms: u64) -> usize {
        self.shared.mirror().count(now_ms)
    }

    fn watch(&self, heard: Heard) {
        locked(&self.shared.heard).push(heard);
    }

    fn trouble(&self) -> Option<StoreError> {
        self.shared.trouble()
    }
}
