//! Hashing the beginnings of files: this host's own, and for peers that say they have them. To say so costs a peer a
//! few bytes and this host a whole file, so that work is rationed: one piece at a time for all peers together, one file
//! at a time for each, and so many bytes a second.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tng_base::Eid;
use tng_services::files::{DATA_MAX, Fragment};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use super::{LISTINGS_PER_PEER_MAX, REQUESTS_MAX};
use crate::clock;

/// Bytes that are hashed in one go; in between others have their turn, and work that nobody waits for any more ends.
pub const SLICE_MAX: u64 = 1 << 20;
/// Bytes a second that are hashed for all peers together unless `--hash-rate` says otherwise, of what they say they
/// have.
pub const HASH_RATE: u64 = 512_000_000;
/// For one peer it is this part of that.
pub const HASH_PEER_SHARE: u64 = 2;
/// What was not used of the rate in this time can be had at once.
pub const HASH_BURST: Duration = Duration::from_secs(16);
/// Hashes remembered of files that have not changed since.
pub const REMEMBERED_MAX: usize = 64;
/// A file that was changed less than these seconds before it was hashed may change again without a sign of it: its
/// clock is coarse.
const AT_REST: i64 = 2;

/// A pace that uses up what was not used before, up to a burst: the virtual scheduling of ITU-T I.371.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Bytes per second.
    rate: u64,
    /// When all that was taken is paid for.
    paid: Instant,
}

impl Pace {
    const fn new(rate: u64, now: Instant) -> Pace {
        Pace { rate, paid: now }
    }

    /// Takes `bytes`, which may be used at the time that this answers.
    fn take(&mut self, now: Instant, bytes: u64) -> Instant {
        let since = self.paid.max(now);
        self.paid = since + Duration::from_secs_f64(bytes as f64 / self.rate.max(1) as f64);
        since.checked_sub(HASH_BURST).map_or(now, |at| at.max(now))
    }
}

/// What a peer may have this host do, over all its connections.
#[derive(Debug)]
pub struct Account {
    /// Who it is.
    pub eid: Eid,
    /// Requests answered at once.
    pub requests: Arc<Semaphore>,
    /// Listings made at once.
    pub listings: Semaphore,
    /// One file is hashed at a time.
    hashing: tokio::sync::Mutex<Option<Pace>>,
    /// Bytes of files on their way that its requests hold.
    pub(super) in_hand: AtomicU64,
    /// Requests that hold them.
    pub(super) at_work: AtomicU64,
}

impl Account {
    /// Of a peer that has asked for nothing yet.
    pub fn new(eid: Eid) -> Account {
        Account {
            eid,
            requests: Arc::new(Semaphore::new(REQUESTS_MAX)),
            listings: Semaphore::new(LISTINGS_PER_PEER_MAX),
            hashing: tokio::sync::Mutex::default(),
            in_hand: AtomicU64::new(0),
            at_work: AtomicU64::new(0),
        }
    }

    /// Whether it has had more hashed than its rate has paid for by now: who comes again is held to it.
    pub fn owes(&self) -> bool {
        // Who holds the lock is at work.
        let Ok(pace) = self.hashing.try_lock() else { return true };
        pace.is_some_and(|pace| pace.paid > clock::ticks())
    }
}

/// What is rationed for all peers together.
#[derive(Debug)]
pub struct Ration {
    rate: u64,
    /// Whose turn it is. Who waits is served in order, and asks again after each slice: so peers take turns.
    turn: Arc<Semaphore>,
    pace: Mutex<Option<Pace>>,
    remembered: Mutex<VecDeque<(Known, Fragment)>>,
    hashed: AtomicU64,
    /// See [`AT_REST`].
    at_rest: i64,
    /// Without it, everybody hashes at once: what the tests of it compare with.
    fair: bool,
}

/// The first bytes of a file in a state in which it was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Known {
    file: (u64, u64),
    /// Size, and times of the last change of contents and of anything, in s and ns.
    state: (u64, [i64; 4]),
    len: u64,
}

impl Known {
    /// `None`: the file changed just now.
    fn new(file: &File, len: u64, at_rest: i64) -> io::Result<Option<Known>> {
        let at = file.metadata()?;
        let state = (at.len(), [at.mtime(), at.mtime_nsec(), at.ctime(), at.ctime_nsec()]);
        let rests = at.ctime().saturating_add(at_rest) <= clock::seconds_since_1970() as i64;
        Ok(rests.then_some(Known { file: (at.dev(), at.ino()), state, len }))
    }
}

impl Ration {
    /// So many bytes a second.
    pub fn new(rate: u64) -> Ration {
        let (pace, remembered) = (Mutex::default(), Mutex::default());
        let (turn, hashed) = (Arc::new(Semaphore::new(1)), AtomicU64::new(0));
        Ration { rate, turn, pace, remembered, hashed, at_rest: AT_REST, fair: true }
    }

    /// No ration at all.
    #[cfg(test)]
    pub(super) fn none() -> Ration {
        let turn = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
        Ration { turn, fair: false, ..Ration::new(u64::MAX) }
    }

    /// Bytes hashed so far of what peers said they have.
    pub fn hashed(&self) -> u64 {
        self.hashed.load(Ordering::Relaxed)
    }

    /// Hashes the first `len` bytes of `file` for a peer, when it is its turn; fewer if it is shorter. Work that was
    /// begun ends with the slice when this is dropped.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub async fn front(&self, account: &Account, file: File, len: u64) -> io::Result<(File, Fragment)> {
        if len == 0 {
            return Ok((file, Fragment::new()));
        }
        let mut own = match self.fair {
            true => Some(account.hashing.lock().await),
            false => None,
        };
        let known = self.fair.then(|| Known::new(&file, len, self.at_rest)).transpose()?.flatten();
        if let Some(fragment) = known.and_then(|known| self.recall(&known)) {
            return Ok((file, fragment));
        }
        let mut front = Front::new(file, len);
        while front.left > 0 {
            let Some(turn) = self.next_turn(own.as_deref_mut(), front.left.min(SLICE_MAX)).await else { break };
            let before = front.fragment.len();
            front = front.step(Some(turn)).await?;
            self.hashed.fetch_add(front.fragment.len() - before, Ordering::Relaxed);
        }
        if let Some(known) = known
            && known.len == front.fragment.len()
            && Known::new(&front.file, len, self.at_rest)? == Some(known)
        {
            self.remember(known, &front.fragment);
        }
        Ok((front.file, front.fragment))
    }

    /// Waits for a peer's turn to have so many bytes of a file read and hashed that has no beginning of its own.
    pub(super) async fn turn(&self, account: &Account, bytes: u64) -> Option<OwnedSemaphorePermit> {
        let mut own = account.hashing.lock().await;
        let turn = self.next_turn(self.fair.then_some(&mut *own), bytes).await;
        self.hashed.fetch_add(bytes, Ordering::Relaxed);
        turn
    }

    async fn next_turn(&self, own: Option<&mut Option<Pace>>, slice: u64) -> Option<OwnedSemaphorePermit> {
        let mine = |pace: &mut Option<Pace>, bytes| take(pace, self.rate / HASH_PEER_SHARE, bytes);
        let all = |bytes| take(&mut self.pace.lock().unwrap_or_else(PoisonError::into_inner), self.rate, bytes);
        let mut own = own;
        if let Some(pace) = own.as_deref_mut() {
            sleep_until(mine(pace, 0)).await;
        }
        // Never closed.
        let turn = Arc::clone(&self.turn).acquire_owned().await.ok()?;
        if let Some(pace) = own {
            sleep_until(all(0)).await;
            // What is given up while it waits is not paid for, or waiting would cost the others time.
            mine(pace, slice);
            all(slice);
        }
        Some(turn)
    }

    fn recall(&self, known: &Known) -> Option<Fragment> {
        let remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.iter().find(|(other, _)| other == known).map(|(_, fragment)| fragment.clone())
    }

    fn remember(&self, known: Known, fragment: &Fragment) {
        let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.len() == REMEMBERED_MAX {
            remembered.pop_front();
        }
        remembered.push_back((known, fragment.clone()));
    }
}

fn take(pace: &mut Option<Pace>, rate: u64, bytes: u64) -> Instant {
    let now = clock::ticks();
    pace.get_or_insert_with(|| Pace::new(rate, now)).take(now, bytes)
}

/// Who hashes the beginning of a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hasher<'a> {
    /// This host, for itself.
    Own,
    /// This host, for a peer.
    Rationed(&'a Ration, &'a Account),
}

impl Hasher<'_> {
    /// Waits for the turn to read and hash so many bytes of a file; it lasts until it is dropped.
    pub(super) async fn turn(self, bytes: u64) -> Option<OwnedSemaphorePermit> {
        match self {
            Hasher::Rationed(ration, account) if bytes > 0 => ration.turn(account, bytes).await,
            Hasher::Rationed(..) | Hasher::Own => None,
        }
    }

    /// Reads and hashes the first `len` bytes of `file`; fewer if it is shorter.
    pub(super) async fn front(self, file: File, len: u64) -> io::Result<(File, Fragment)> {
        match self {
            Hasher::Rationed(ration, account) => ration.front(account, file, len).await,
            Hasher::Own => {
                let mut front = Front::new(file, len);
                while front.left > 0 {
                    front = front.step(None).await?;
                }
                Ok((front.file, front.fragment))
            }
        }
    }
}

/// A file that is being hashed from its beginning.
struct Front {
    file: File,
    fragment: Fragment,
    left: u64,
    buf: Vec<u8>,
}

impl Front {
    fn new(file: File, len: u64) -> Front {
        Front { file, fragment: Fragment::new(), left: len, buf: Vec::new() }
    }

    /// Hashes a slice on a thread for disks, and gives the turn back there: it lasts as long as the work.
    async fn step(mut self, turn: Option<OwnedSemaphorePermit>) -> io::Result<Front> {
        let step = spawn_blocking(move || {
            self.buf.resize(DATA_MAX, 0);
            let mut slice = self.left.min(SLICE_MAX);
            while slice > 0 {
                let room = slice.min(DATA_MAX as u64) as usize;
                match self.file.read(&mut self.buf[..room]) {
                    Ok(0) => {
                        self.left = 0;
                        break;
                    }
                    Ok(n) => {
                        self.fragment.update(&self.buf[..n]);
                        (slice, self.left) = (slice - n as u64, self.left - n as u64);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            drop(turn);
            Ok(self)
        });
        step.await.map_err(io::Error::other)?
    }
}

#[cfg(test)]
mod tests;
