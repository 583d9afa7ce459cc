//! Hashes of files, which are computed beside the task that answers requests, a piece of each file in its turn.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tng::trickles::Place;
use tng_services::files::SafePath;

use super::given::Stamp;

/// Hashes that are remembered, of files that are as they were.
pub const HASHES_KEPT_MAX: usize = 1_024;
/// Files that wait to be hashed, at most: each is held open.
pub const HASHES_WAITING_MAX: usize = 64;
/// The same for clients at one address, or in one network of IPv6 (/64).
pub const HASHES_WAITING_EACH_MAX: usize = 4;
/// So many bytes at most are hashed at once: less than a millisecond.
pub const HASHED_AT_ONCE_MAX: u64 = 1 << 20;
/// Bytes of a file that are hashed before it is another's turn: who waits for a small file waits for so much of each
/// large one.
pub const HASHED_IN_TURN: u64 = 8 << 20;
/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// The first bytes of a file in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Key {
    pub(super) path: SafePath,
    pub(super) stamp: Stamp,
    /// How many.
    pub(super) len: u64,
}

/// What is known of a hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    Hash([u8; 32]),
    /// It is being computed.
    UnderWay,
    /// Nothing.
    No,
}

/// A file that is being hashed.
struct Job {
    key: Key,
    file: File,
    hasher: blake3::Hasher,
    done: u64,
}

impl Job {
    fn new(key: Key, file: File) -> Job {
        Job { key, file, hasher: blake3::Hasher::new(), done: 0 }
    }

    /// Hashes so many bytes more. Answers the hash if that was all.
    fn go_on(&mut self, most: u64) -> io::Result<Option<[u8; 32]>> {
        let end = self.key.len.min(self.done.saturating_add(most));
        let mut piece = vec![0; PIECE.min((end - self.done) as usize)];
        while self.done < end {
            let room = piece.len().min((end - self.done) as usize);
            match self.file.read(&mut piece[..room]) {
                Ok(0) => return Err(io::Error::other("it has become shorter")),
                Ok(n) => {
                    self.hasher.update(&piece[..n]);
                    self.done += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if self.done < self.key.len {
            return Ok(None);
        }
        let is_same = Stamp::of(&self.file.metadata()?) == self.key.stamp;
        if is_same { Ok(Some(*self.hasher.finalize().as_bytes())) } else { Err(io::Error::other("it changes")) }
    }
}

/// What the thread shares with who asks.
#[derive(Default)]
struct State {
    /// The oldest first.
    known: VecDeque<(Key, [u8; 32])>,
    /// Whose turn it is, first; and where the client is that asked for it.
    waiting: VecDeque<(Place, Job)>,
    /// What the thread has in its hands.
    at_work: Option<(Place, Key)>,
    is_over: bool,
}

impl State {
    fn under_way(&self) -> impl Iterator<Item = (&Place, &Key)> {
        let waiting = self.waiting.iter().map(|(place, job)| (place, &job.key));
        waiting.chain(self.at_work.iter().map(|(place, key)| (place, key)))
    }

    fn has_room(&self, place: &Place) -> bool {
        let of_one = self.under_way().filter(|(other, _)| *other == place).count();
        self.under_way().count() < HASHES_WAITING_MAX && of_one < HASHES_WAITING_EACH_MAX
    }

    fn remember(&mut self, key: Key, hash: [u8; 32]) {
        self.known.retain(|(other, _)| *other != key);
        if self.known.len() >= HASHES_KEPT_MAX {
            self.known.pop_front();
        }
        self.known.push_back((key, hash));
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hashes, and who computes them.
pub(super) struct Hashes {
    shared: Arc<Shared>,
}

impl Hashes {
    /// Starts the thread, which ends with this.
    ///
    /// # Errors
    /// If the system has none.
    pub(super) fn start() -> io::Result<Hashes> {
        let shared = Arc::<Shared>::default();
        let own = Arc::clone(&shared);
        std::thread::Builder::new().name("hashes".to_owned()).spawn(move || work(&own))?;
        Ok(Hashes { shared })
    }

    pub(super) fn look(&self, key: &Key) -> Known {
        let state = self.shared.lock();
        match state.known.iter().find(|(other, _)| other == key) {
            Some((_, hash)) => Known::Hash(*hash),
            None if state.under_way().any(|(_, other)| other == key) => Known::UnderWay,
            None => Known::No,
        }
    }

    /// Hashes a small file now.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was.
    pub(super) fn compute(&self, key: Key, file: File) -> io::Result<[u8; 32]> {
        let mut job = Job::new(key, file);
        let hash = job.go_on(u64::MAX)?.expect("it is hashed to its end");
        self.shared.lock().remember(job.key, hash);
        Ok(hash)
    }

    /// Whether one more file can be hashed for a client there: there are not too many, for all or for one place.
    pub(super) fn has_room(&self, place: &Place) -> bool {
        self.shared.lock().has_room(place)
    }

    /// Has a file hashed, of which nothing is known. Answers whether there is room.
    pub(super) fn request(&self, key: Key, place: Place, file: File) -> bool {
        let mut state = self.shared.lock();
        let has_room = state.has_room(&place);
        if has_room {
            state.waiting.push_back((place, Job::new(key, file)));
            self.shared.changed.notify_one();
        }
        has_room
    }
}

impl Drop for Hashes {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_one();
    }
}

fn work(shared: &Shared) {
    let mut state = shared.lock();
    loop {
        if state.is_over {
            return;
        }
        let Some((place, mut job)) = state.waiting.pop_front() else {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        state.at_work = Some((place, job.key.clone()));
        drop(state);
        let done = job.go_on(HASHED_IN_TURN);
        state = shared.lock();
        state.at_work = None;
        match done {
            Ok(Some(hash)) => state.remember(job.key, hash),
            Ok(None) => state.waiting.push_back((place, job)),
            // Who asks again is told what is wrong with the file now.
            Err(error) => tracing::info!(path = %job.key.path, %error, "could not be hashed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn file(len: u64) -> (File, Stamp) {
        let file = tempfile::tempfile().expect("made");
        file.set_len(len).expect("as long");
        let stamp = Stamp::of(&file.metadata().expect("known"));
        (file, stamp)
    }

    fn key(name: &str, stamp: Stamp, len: u64) -> Key {
        Key { path: SafePath::parse(name).expect("safe"), stamp, len }
    }

    fn by(last: u8) -> Place {
        Place::of([192, 0, 2, last].into())
    }

    /// How many looks, a millisecond apart, it takes until the hash is there.
    fn wait(hashes: &Hashes, key: &Key) -> u32 {
        (0..60_000)
            .find(|_| {
                crate::clock::rest(Duration::from_millis(1));
                matches!(hashes.look(key), Known::Hash(_))
            })
            .expect("it is hashed")
    }

    #[test]
    fn who_asks_for_many_lengths_of_a_huge_file_delays_no_other_client_by_more_than_a_turn_of_each() {
        let hashes = Hashes::start().expect("a thread");
        // 1 TB, of zeros: it is never hashed to its end here.
        let (huge, stamp) = file(1 << 40);
        let asked = (0..16).filter(|less| {
            hashes.request(key("huge", stamp, (1 << 40) - less), by(1), huge.try_clone().expect("a descriptor"))
        });
        assert_eq!(asked.count(), HASHES_WAITING_EACH_MAX);
        let (small, stamp) = file(2 << 20);
        let small_key = key("small", stamp, 2 << 20);
        assert!(hashes.request(small_key.clone(), by(2), small));
        let looks = wait(&hashes, &small_key);
        println!("{looks} ms");
        let mut hasher = blake3::Hasher::new();
        hasher.update(&vec![0; 2 << 20]);
        assert_eq!(hashes.look(&small_key), Known::Hash(*hasher.finalize().as_bytes()));
        assert_eq!(hashes.look(&key("huge", stamp, 1 << 40)), Known::No, "another state of the file is another");
    }

    #[test]
    fn so_many_wait_for_all_clients_together_and_all_of_a_network_are_one() {
        let hashes = Hashes::start().expect("a thread");
        let (huge, stamp) = file(1 << 40);
        let ask = |len, by| hashes.request(key("huge", stamp, len), by, huge.try_clone().expect("a descriptor"));
        let asked = (0..HASHES_WAITING_MAX as u64 + 10).filter(|n| ask((1 << 40) - n, by(*n as u8))).count();
        assert_eq!(asked, HASHES_WAITING_MAX);
        let v6 = |last| Place::of(std::net::Ipv6Addr::new(0x2001, 0xdb8, 0, 7, 0, 0, 0, last).into());
        assert_eq!(v6(1), v6(2));
        assert_ne!(v6(1), Place::of(std::net::Ipv6Addr::new(0x2001, 0xdb8, 0, 8, 0, 0, 0, 1).into()));
        assert_eq!(Place::of("::ffff:192.0.2.1".parse().expect("an address")), by(1));
    }

    #[test]
    fn what_is_under_way_is_known_as_that_until_it_is_done_however_many_others_are_remembered() {
        let hashes = Hashes::start().expect("a thread");
        let (huge, stamp) = file(1 << 40);
        let slow = key("huge", stamp, 1 << 40);
        assert!(hashes.request(slow.clone(), by(1), huge));
        let (empty, stamp) = file(0);
        for n in 0..2 * HASHES_KEPT_MAX {
            let key = key(&format!("n{n}"), stamp, 0);
            hashes.compute(key, empty.try_clone().expect("a descriptor")).expect("hashed");
        }
        assert_eq!(hashes.look(&slow), Known::UnderWay);
    }
}
