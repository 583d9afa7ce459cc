//! The secrets of a fleet in etcd, at `PREFIX/keys`: the text that a file would hold. All servers watch it.

use std::future::Future;
use std::sync::{Arc, Once};
use std::time::Duration;

use tng::trickles::EPOCH;
use tng_crypto::Zeroizing;

use super::{Changing, FleetKeys, parsed, what};
use crate::etcd::{Change, Etcd, EtcdError, EtcdPlace, Kv, Outcome, Watching};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::key::KEY_FILE_MAX;

/// How long after a watch has ended another one is begun.
const WATCH_AGAIN_AFTER: Duration = Duration::from_millis(500);
/// How often secrets are tried to be written that others write at the same time.
const WRITE_TRIES_MAX: usize = 16;

/// The key.
#[derive(Clone, Debug)]
pub struct EtcdKeys {
    place: EtcdPlace,
    key: Vec<u8>,
}

/// What tells that they may have changed.
#[derive(Debug)]
pub(super) struct Signs {
    etcd: Arc<Etcd>,
    key: Vec<u8>,
    watching: Option<Watching>,
}

/// Waits for what etcd answers, in a thread of its own: who asks may be a task or none.
fn answer<T: Send>(asked: impl Future<Output = T> + Send) -> Result<T, Failure> {
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map(|runtime| runtime.block_on(asked))
    };
    let ran = std::thread::scope(|scope| scope.spawn(run).join());
    // That a task of it panics is told where it does.
    let ran = ran.unwrap_or_else(|_| Err(std::io::Error::other("the thread that asks etcd has failed")));
    ran.map_err(|error| Failure::read("asking etcd", &error))
}

impl EtcdKeys {
    pub(super) fn new(place: EtcdPlace) -> EtcdKeys {
        let key = format!("{}/keys", place.prefix).into_bytes();
        EtcdKeys { place, key }
    }

    pub(super) fn place(&self) -> &EtcdPlace {
        &self.place
    }

    fn etcd(&self) -> Etcd {
        static WARNED: Once = Once::new();
        if !self.place.is_near() {
            let place = &self.place;
            WARNED.call_once(|| {
                tracing::warn!(
                    "the secrets of the fleet go to {place} in clear, by plain HTTP: who reads along has them; \
                     keep that network to etcd and its clients"
                );
            });
        }
        Etcd::new(&self.place.members)
    }

    fn failed(&self, doing: &str, error: &EtcdError) -> Failure {
        Failure::told(Exit::Read, what(doing, &self.place), error)
    }

    /// Writes them where nothing is; answers whether that was so.
    pub(super) fn create(&self, text: &str) -> Result<bool, Failure> {
        let change = Change { key: self.key.clone(), was: 0, to: Some((text.as_bytes().to_vec(), 0)) };
        let made = answer(async { self.etcd().change_one(change).await })?;
        let made = made.map_err(|error| self.failed("writing", &error))?;
        Ok(match made {
            Outcome::Made(_) => true,
            // A member that did not answer in time has done what it was asked.
            Outcome::Otherwise { found, .. } => found.is_some_and(|kv| kv.value.as_deref() == Some(text.as_bytes())),
        })
    }

    pub(super) fn change(&self, change: &Changing<'_>) -> Result<FleetKeys, Failure> {
        answer(async {
            let etcd = self.etcd();
            for _ in 0..WRITE_TRIES_MAX {
                // A rotation that builds on what a member has that is behind would come to nothing.
                let read = etcd.get_agreed(&self.key).await.map_err(|error| self.failed("reading", &error))?;
                let (kept, was) = self.parsed(read.found)?;
                let Some(changed) = change(kept)? else { return self.load_by(&etcd).await };
                let to = Some((changed.text().as_bytes().to_vec(), 0));
                let made = etcd.change_one(Change { key: self.key.clone(), was, to }).await;
                if let Outcome::Made(_) = made.map_err(|error| self.failed("writing", &error))? {
                    return Ok(changed);
                }
            }
            let why = "others write them all the time";
            Err(Failure::new(Exit::Busy, what("writing", &self.place), why).or_try("again"))
        })?
    }

    pub(super) fn load(&self) -> Result<FleetKeys, Failure> {
        answer(async { self.load_by(&self.etcd()).await })?
    }

    /// What they are now; without a leader, what the member has that answers.
    async fn load_by(&self, etcd: &Etcd) -> Result<FleetKeys, Failure> {
        let read = match etcd.get_agreed(&self.key).await {
            Err(EtcdError::Silent(_)) => etcd.get(&self.key).await,
            read => read,
        };
        let read = read.map_err(|error| self.failed("reading", &error))?;
        Ok(self.parsed(read.found)?.0)
    }

    fn parsed(&self, found: Vec<Kv>) -> Result<(FleetKeys, u64), Failure> {
        let what = || what("reading", &self.place);
        let Some(Kv { value: Some(mut value), revision, .. }) = found.into_iter().next() else {
            return Err(Failure::new(Exit::Read, what(), "there are none")
                .or_try(format!("`tng trickles keys new {}` for a new fleet; or its right prefix", self.place)));
        };
        value.truncate(KEY_FILE_MAX as usize);
        let text = Zeroizing::new(String::from_utf8(value).unwrap_or_default());
        Ok((parsed(&text, what)?, revision))
    }

    pub(super) fn signs(&self) -> Signs {
        Signs { etcd: Arc::new(self.etcd()), key: self.key.clone(), watching: None }
    }
}

impl Signs {
    /// Waits until they have changed, an epoch is half over, or etcd has to be asked: when a watch begins or ends.
    pub(super) async fn next(&mut self) {
        if let Some(watching) = &mut self.watching {
            // That a watch is silent may be because its member is cut off.
            match tokio::time::timeout(EPOCH / 2, watching.next()).await {
                Ok(Ok(_)) => return,
                Ok(Err(_)) | Err(_) => {
                    self.watching = None;
                    self.etcd.pass_over();
                    return;
                }
            }
        }
        tokio::time::sleep(WATCH_AGAIN_AFTER).await;
        let end = [self.key.as_slice(), &[0]].concat();
        // From now on; what was before is read when it is there.
        self.watching = self.etcd.watch((&self.key, &end), 0).await.ok();
    }
}
