//! A store that other programs change, and a policy that changes: what is known of both is kept in step with them.

use core::time::Duration;
use std::fs::{self, Metadata};
use std::path::Path;
use std::sync::{PoisonError, Weak};
use std::time::SystemTime;

use tng_base::CodeHash;
use tokio::task::spawn_blocking;

use super::managed::place;
use super::{Inner, KEEPS_UP_EVERY, Supply, WRITES_DOWN_EVERY};
use crate::repertoire::Confinement;

/// What of a store tells that another program has changed it.
const TELLING: [&str; 3] = ["index", "history", "revocations"];

/// How a store was when it was looked at.
type Seen = [Option<Stamp>; TELLING.len()];

/// What of a file tells that it is another one. Times alone do not: two changes may come within one tick of the file
/// system's clock. Files of a store are renamed into place, so each is a file of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    len: u64,
    /// 0 where files have no number.
    inode: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let metadata = fs::metadata(path).ok()?;
        Some(Stamp { modified: metadata.modified().ok()?, len: metadata.len(), inode: inode(&metadata) })
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

/// Transports that may run, and where.
pub(super) type Runnable = Vec<(CodeHash, Confinement)>;

/// Keeps a store and what is known of it in step, as long as there is somebody who uses it. What may run and was not so
/// at `first` is made ready; of the rest it is for others to say.
pub(super) async fn keep_up(inner: Weak<Inner>, mut first: Runnable) {
    let (mut seen, mut since_written) = (None, Duration::ZERO);
    let mut last = first.clone();
    loop {
        tokio::time::sleep(KEEPS_UP_EVERY).await;
        since_written += KEEPS_UP_EVERY;
        let Some(held) = inner.upgrade() else { return };
        let writes = since_written >= WRITES_DOWN_EVERY;
        if writes {
            since_written = Duration::ZERO;
        }
        let kept = spawn_blocking(move || (held.keep_up_once(seen, writes), held.runnable())).await;
        let Ok((now, runnable)) = kept else { return };
        seen = now;
        // What could not be made ready is tried again when there is something else.
        if runnable != last {
            first.retain(|code| runnable.contains(code));
            let new = runnable.iter().filter(|code| !first.contains(code)).map(|(hash, _)| *hash).collect();
            tokio::spawn(prepare_each(inner.clone(), new));
            last = runnable;
        }
    }
}

/// Has code ready to run, one after the other, as long as there is somebody who uses it. What cannot run is told to who
/// asks for it.
pub(super) async fn prepare_each(inner: Weak<Inner>, codes: Vec<CodeHash>) {
    for hash in codes {
        let Some(supply) = inner.upgrade().map(Supply) else { return };
        let _ = supply.prepare(hash).await;
    }
}

impl Inner {
    /// Reads what has changed since the store was `seen`, and writes down what happened here. What cannot be read or
    /// written now is tried again the next time.
    fn keep_up_once(&self, seen: Option<Seen>, writes: bool) -> Option<Seen> {
        let manager = &self.judge.manager;
        let policy = self.policy.lock().unwrap_or_else(PoisonError::into_inner).as_mut().and_then(|changed| changed());
        if let Some(policy) = policy {
            manager.set_policy(policy);
        }
        let folder = manager.store().folder();
        let now = TELLING.map(|name| Stamp::of(&folder.join(name)));
        let read = seen == Some(now) || manager.reload().is_ok();
        if writes {
            let _ = manager.save();
        }
        self.forget_what_is_gone();
        read.then_some(now)
    }

    /// Transports that are here, each with its place, but for those that no rule lets run for anybody.
    pub(super) fn runnable(&self) -> Runnable {
        self.judge.manager.look(|policy, known| {
            let may_run = |hash: CodeHash| {
                let manifest = known.index.module(&hash).and_then(|entry| entry.manifest.as_ref());
                let level = policy.level(known, &hash, manifest);
                policy.accepts(level).then(|| (hash, place(level)))
            };
            known.transports().into_iter().filter_map(may_run).collect()
        })
    }
}
