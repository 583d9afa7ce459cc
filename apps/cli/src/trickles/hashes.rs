//! Hashes of files, which are computed beside the task that answers requests, a piece of each file in its turn.

use std::fs::File;
use std::io::{self, Read};

use tng::trickles::ClientNetwork;
use tng_services::files::SafePath;

use super::given::Stamp;
use super::jobs::{self, Bounds, Jobs, Known, Turn};

/// Hashes that are remembered, of files that are as they were, at most.
pub const HASHES_KEPT_MAX: usize = 1_024;
/// Bytes of them for which there is room in any case: a folder of some hundred files is fetched with their hashes.
pub const HASHES_BYTES_MIN: usize = 128 << 10;
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
    fn hash(&mut self, most: u64) -> io::Result<Option<[u8; 32]>> {
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

impl jobs::Job for Job {
    type Key = Key;
    type Done = [u8; 32];

    fn key(&self) -> &Key {
        &self.key
    }

    fn held(key: &Key, hash: &[u8; 32]) -> usize {
        size_of_val(key) + key.path.as_str().len() + size_of_val(hash)
    }

    fn go_on(&mut self) -> Turn<[u8; 32]> {
        match self.hash(HASHED_IN_TURN) {
            Ok(Some(hash)) => Turn::Done(hash),
            Ok(None) => Turn::More,
            // Who asks again is told what is wrong with the file now.
            Err(error) => {
                tracing::info!(path = %self.key.path, %error, "could not be hashed");
                Turn::Nothing
            }
        }
    }
}

/// Hashes, and who computes them.
pub(super) struct Hashes(Jobs<Job>);

impl Hashes {
    /// Starts the thread, which ends with this. So many bytes of hashes are remembered, and [`HASHES_BYTES_MIN`] in
    /// any case.
    ///
    /// # Errors
    /// If the system has none.
    pub(super) fn start(bytes: usize) -> io::Result<Hashes> {
        let (waiting, waiting_each) = (HASHES_WAITING_MAX, HASHES_WAITING_EACH_MAX);
        let kept_bytes = bytes.max(HASHES_BYTES_MIN);
        Jobs::start("hashes", Bounds { kept: HASHES_KEPT_MAX, kept_bytes, waiting, waiting_each }).map(Hashes)
    }

    pub(super) fn look(&self, key: &Key) -> Known<[u8; 32]> {
        self.0.look(key)
    }

    /// Hashes a small file now.
    ///
    /// # Errors
    /// If it cannot be read, or is not what it was.
    pub(super) fn compute(&self, key: Key, file: File) -> io::Result<[u8; 32]> {
        let mut job = Job::new(key, file);
        let hash = job.hash(u64::MAX)?.expect("it is hashed to its end");
        self.0.remember(job.key, hash);
        Ok(hash)
    }

    /// Whether one more file can be hashed for a client there: there are not too many, for all or for one place.
    pub(super) fn has_room(&self, place: &ClientNetwork) -> bool {
        self.0.has_room(place)
    }

    /// Has a file hashed, if [`look`](Hashes::look) found nothing. Answers whether there is room.
    pub(super) fn request(&self, key: Key, place: ClientNetwork, file: File) -> bool {
        self.0.request(place, Job::new(key, file))
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

    fn by(last: u8) -> ClientNetwork {
        ClientNetwork::of([192, 0, 2, last].into())
    }

    /// How many looks, a millisecond apart, it takes until the hash is there.
    fn wait(hashes: &Hashes, key: &Key) -> u32 {
        (0..60_000)
            .find(|_| {
                crate::clock::rest(Duration::from_millis(1));
                matches!(hashes.look(key), Known::Done(_))
            })
            .expect("it is hashed")
    }

    #[test]
    fn who_asks_for_many_lengths_of_a_huge_file_delays_no_other_client_by_more_than_a_turn_of_each() {
        let hashes = Hashes::start(0).expect("a thread");
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
        assert_eq!(hashes.look(&small_key), Known::Done(*hasher.finalize().as_bytes()));
        assert_eq!(hashes.look(&key("huge", stamp, 1 << 40)), Known::No, "another state of the file is another");
    }

    #[test]
    fn so_many_wait_for_all_clients_together_and_all_of_a_network_are_one() {
        let hashes = Hashes::start(0).expect("a thread");
        let (huge, stamp) = file(1 << 40);
        let ask = |len, by| hashes.request(key("huge", stamp, len), by, huge.try_clone().expect("a descriptor"));
        let asked = (0..HASHES_WAITING_MAX as u64 + 10).filter(|n| ask((1 << 40) - n, by(*n as u8))).count();
        assert_eq!(asked, HASHES_WAITING_MAX);
        let v6 = |last| ClientNetwork::of(std::net::Ipv6Addr::new(0x2001, 0xdb8, 0, 7, 0, 0, 0, last).into());
        assert_eq!(v6(1), v6(2));
        assert_ne!(v6(1), ClientNetwork::of(std::net::Ipv6Addr::new(0x2001, 0xdb8, 0, 8, 0, 0, 0, 1).into()));
        assert_eq!(ClientNetwork::of("::ffff:192.0.2.1".parse().expect("an address")), by(1));
    }

    #[test]
    fn what_is_under_way_is_known_as_that_until_it_is_done_however_many_others_are_remembered() {
        let hashes = Hashes::start(0).expect("a thread");
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
    #[test]
    fn hashes_are_remembered_as_far_as_there_is_room_the_last_ones_in_any_case() {
        let kept = |bytes: usize| {
            let hashes = Hashes::start(bytes).expect("a thread");
            let (empty, stamp) = file(0);
            let keys: Vec<Key> = (0..2_000).map(|n| key(&format!("{}/{n:04}", "d".repeat(200)), stamp, 0)).collect();
            for key in &keys {
                hashes.compute(key.clone(), empty.try_clone().expect("a descriptor")).expect("hashed");
            }
            let known = keys.iter().filter(|key| hashes.look(key) != Known::No).count();
            assert_ne!(hashes.look(&keys[1_999]), Known::No);
            (known, hashes.0.held())
        };
        let (few, held) = kept(0);
        assert!((100..1_000).contains(&few) && held <= HASHES_BYTES_MIN, "{few} in {held} B");
        let (more, held) = kept(200_000);
        assert!(more > few && held <= 200_000, "{more} in {held} B");
        assert_eq!(kept(usize::MAX).0, HASHES_KEPT_MAX);
    }
}
