//! Which thread has which session.
//!
//! The lock is taken under that of a shard, and nothing is locked under it.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use tng_base::{Eid, SessionId};

use crate::sync::{Mutex, MutexGuard};

/// A session, by whose it is.
pub(crate) type Session = (Eid, SessionId);

/// The shards of sessions.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<BTreeMap<Session, u8>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Session, u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session has begun here.
    pub(crate) fn enter(&self, session: Session, here: u8) {
        self.lock().insert(session, here);
    }

    /// It is over here. If it has begun elsewhere meanwhile, it is there.
    pub(crate) fn leave(&self, session: Session, here: u8) {
        let mut sessions = self.lock();
        if sessions.get(&session) == Some(&here) {
            sessions.remove(&session);
        }
    }

    /// Where it is, if it is not here.
    pub(crate) fn elsewhere(&self, session: Session, here: u8) -> Option<u8> {
        self.lock().get(&session).copied().filter(|shard| *shard != here)
    }

    /// The shard is gone.
    pub(crate) fn leave_all(&self, here: u8) {
        self.lock().retain(|_, shard| *shard != here);
    }
}
