//! The tasks beside a store in etcd.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tng::registry::StoreError;
use tng_base::Eid;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::MissedTickBehavior;

use super::mirror::Stored;
use super::{BEAT_EVERY, HEARS_FOR, SILENT_AFTER, Shared, failed, now_ms, stored};
use crate::clock;
use crate::daemon::locked;
use crate::etcd::calls::{CHANGES_MAX, Told};
use crate::etcd::{Change, EtcdError, Kv, Outcome};

/// The pause after something that etcd did not do.
const AGAIN_AFTER: Duration = Duration::from_millis(100);

/// A change that waits to be made.
pub(super) struct Write {
    pub(super) change: Change,
    pub(super) tell: oneshot::Sender<Result<Outcome, EtcdError>>,
}

/// How often the first lease is doubled for one that is at least so long.
pub(super) fn doubled(session: Duration, lives_for: Duration) -> u32 {
    let times = lives_for.as_millis().div_ceil(session.as_millis().max(1)).max(1);
    times.next_power_of_two().trailing_zeros()
}

/// How long that lease is.
pub(super) fn lease_of(session: Duration, doubled: u32) -> Duration {
    session.saturating_mul(1 << doubled.min(31))
}

/// Begins them.
pub(super) fn begin(shared: &Arc<Shared>, waiting: mpsc::Receiver<Write>) -> Vec<AbortHandle> {
    vec![
        tokio::spawn(write(Arc::clone(shared), waiting)).abort_handle(),
        tokio::spawn(beat(Arc::clone(shared))).abort_handle(),
        tokio::spawn(listen(Arc::clone(shared))).abort_handle(),
        tokio::spawn(write_again(Arc::clone(shared))).abort_handle(),
    ]
}

/// Makes changes, all together that wait at the same time.
async fn write(shared: Arc<Shared>, mut waiting: mpsc::Receiver<Write>) {
    let mut held = VecDeque::new();
    loop {
        let first = match held.pop_front() {
            Some(first) => first,
            None => match waiting.recv().await {
                Some(first) => first,
                None => return,
            },
        };
        let mut keys = BTreeSet::from([first.change.key.clone()]);
        let mut batch = vec![first];
        // A key is changed once by a transaction: what comes next waits for the next one, in its order.
        let mut further = std::mem::take(&mut held);
        while batch.len() < CHANGES_MAX
            && let Some(next) = further.pop_front().or_else(|| waiting.try_recv().ok())
        {
            match keys.insert(next.change.key.clone()) {
                true => batch.push(next),
                false => held.push_back(next),
            }
            if held.len() >= CHANGES_MAX {
                break;
            }
        }
        held.append(&mut further);
        let (changes, tells): (Vec<Change>, Vec<_>) = batch.into_iter().map(|write| (write.change, write.tell)).unzip();
        let made = shared.etcd.change(&changes).await;
        for (which, tell) in tells.into_iter().enumerate() {
            // Who is gone need not know.
            let _ = tell.send(made.as_ref().map(|made| made[which].clone()).map_err(Clone::clone));
        }
    }
}

impl Shared {
    /// The lease that is doubled so often; it is kept from now on.
    pub(super) async fn lease(&self, doubled: u32) -> Result<u64, EtcdError> {
        let mut leases = self.leases.lock().await;
        if let Some(lease) = leases.get(&doubled) {
            return Ok(*lease);
        }
        let lease = self.etcd.grant(lease_of(self.config.session, doubled).as_secs().max(1)).await?;
        leases.insert(doubled, lease);
        Ok(lease)
    }

    /// Has leases go on; those that are over are granted anew when they are needed.
    pub(super) async fn keep_leases(&self) -> Result<(), EtcdError> {
        let kept: Vec<u64> = self.leases.lock().await.values().copied().collect();
        if kept.is_empty() {
            return Ok(());
        }
        let over = self.etcd.keep_alive(&kept).await?;
        if !over.is_empty() {
            self.leases.lock().await.retain(|_, lease| !over.contains(lease));
            self.owed.notify_one();
        }
        Ok(())
    }

    /// Tells etcd that this registry is there, in the place of what came with revision `was`. Answers the next.
    async fn beat(&self, was: u64) -> Result<u64, StoreError> {
        self.keep_leases().await.map_err(|error| failed(&error))?;
        self.check_part().await?;
        let lease = self.lease(0).await.map_err(|error| failed(&error))?;
        let heard = self.mirror().revision();
        let to = Some((now_ms().to_string().into_bytes(), lease));
        let change = Change { key: self.keys.own.clone().into_bytes(), was, to };
        let (at, next) = match self.etcd.change_one(change).await.map_err(|error| failed(&error))? {
            Outcome::Made(revision) => (revision, revision),
            Outcome::Otherwise { found, revision } => (revision, found.map_or(0, |kv| kv.revision)),
        };
        if at < heard {
            // The cluster has lost what it had, and has begun again.
            self.anew.notify_one();
        }
        Ok(next)
    }

    fn set_trouble(&self, trouble: Option<StoreError>) {
        let told = {
            let mut state = locked(&self.state);
            let is_told = state.trouble.is_some() == trouble.is_some();
            state.trouble.clone_from(&trouble);
            !is_told
        };
        if told {
            (self.config.tell)(trouble.as_ref());
        }
    }

    /// Takes what a watch tells.
    fn take(&self, keys: Vec<Kv>, revision: u64) {
        let (mut changed, mut is_owed, now_ms) = (Vec::new(), false, now_ms());
        let mut mirror = self.mirror();
        for kv in keys {
            if kv.key == self.keys.own.as_bytes() {
                locked(&self.state).heard_at = kv.value.is_some().then(clock::now);
                continue;
            }
            let Some(eid) = self.keys.eid(&kv.key) else { continue };
            let at = kv.revision;
            if mirror.note(eid, stored(eid, kv), at) {
                changed.push(eid);
                is_owed |= mirror.owed(now_ms, eid).is_some();
            }
        }
        mirror.advance(revision);
        drop(mirror);
        if is_owed {
            self.owed.notify_one();
        }
        self.tell(&changed);
    }

    /// Reads all that there is; answers at which revision that was so.
    async fn load(&self, anew: bool) -> Result<u64, EtcdError> {
        let end = format!("{}0", self.keys.hosts.trim_end_matches('/'));
        let (mut from, mut at, mut all) = (self.keys.hosts.clone().into_bytes(), 0, BTreeMap::<Eid, Stored>::new());
        loop {
            let page = self.etcd.page((&from, end.as_bytes()), at).await?;
            at = if at == 0 { page.revision } else { at };
            if let Some(last) = page.found.last() {
                from = [last.key.as_slice(), &[0]].concat();
            }
            for kv in page.found {
                let Some(eid) = self.keys.eid(&kv.key) else { continue };
                all.extend(stored(eid, kv).map(|stored| (eid, stored)));
            }
            if !page.more {
                break;
            }
        }
        let changed = self.mirror().replace(all, at, anew);
        self.owed.notify_one();
        self.tell(&changed);
        Ok(at)
    }

    /// Listens for as long as that is told which changes.
    async fn heed(&self, from: u64) -> WatchEnd {
        let all = (self.keys.all.0.as_bytes(), self.keys.all.1.as_bytes());
        let Ok(mut watching) = self.etcd.watch(all, from).await else { return WatchEnd::Lost };
        loop {
            tokio::select! {
                told = tokio::time::timeout(HEARS_FOR, watching.next()) => match told {
                    Ok(Ok(Told::Changed { keys, revision })) => self.take(keys, revision),
                    Ok(Ok(Told::Compacted)) => return WatchEnd::Compacted,
                    // Its own beat comes every second: who says nothing is cut off from the others.
                    Ok(Err(_)) | Err(_) => return WatchEnd::Lost,
                },
                () = self.anew.notified() => return WatchEnd::Anew,
            }
        }
    }
}

/// How a watch has ended.
enum WatchEnd {
    Lost,
    Compacted,
    Anew,
}

async fn listen(shared: Arc<Shared>) {
    let (mut from, mut anew) = (None, false);
    loop {
        let at = match from {
            Some(at) => Ok(at),
            None => shared.load(anew).await,
        };
        if let Ok(at) = at {
            (from, anew) = match shared.heed(at + 1).await {
                WatchEnd::Lost => (Some(at.max(shared.mirror().revision())), false),
                WatchEnd::Compacted => (None, false),
                WatchEnd::Anew => (None, true),
            };
        }
        shared.etcd.pass_over();
        tokio::time::sleep(AGAIN_AFTER).await;
    }
}

async fn beat(shared: Arc<Shared>) {
    let (mut was, mut silent_since) = (0, None);
    let mut ticks = tokio::time::interval(BEAT_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match shared.beat(was).await {
            Ok(revision) => {
                (was, silent_since) = (revision, None);
                shared.set_trouble(None);
            }
            Err(error) => {
                let since = *silent_since.get_or_insert_with(clock::now);
                if since.elapsed() >= SILENT_AFTER || shared.trouble().is_some() {
                    shared.set_trouble(Some(error));
                }
            }
        }
    }
}

/// Writes again what was lost, as soon as that is possible.
async fn write_again(shared: Arc<Shared>) {
    loop {
        shared.owed.notified().await;
        let eids = shared.mirror().all_owed(now_ms());
        let mut pause = AGAIN_AFTER;
        for some in eids.chunks(CHANGES_MAX) {
            let mut writes = JoinSet::new();
            for eid in some {
                let (shared, eid) = (Arc::clone(&shared), *eid);
                writes.spawn(async move { shared.write_again(eid).await });
            }
            let mut is_written = true;
            while let Some(written) = writes.join_next().await {
                is_written &= matches!(written, Ok(Ok(())));
            }
            if !is_written {
                shared.owed.notify_one();
                pause = BEAT_EVERY;
                break;
            }
        }
        tokio::time::sleep(pause).await;
    }
}
