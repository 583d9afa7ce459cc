//! Memory and descriptors between disks and streams: what a server has in hand of files on their way, for all peers
//! together.
//!
//! A peer may hold a quarter of what is left free, so that however many are greedy leave something, as in a host's own
//! budget (docs/machines.md, "Budget"). Who holds nothing is never made to wait.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{Account, PIECE_MAX};

/// Bytes that each request for a file counts for at least, two pieces: there are never more requests at work, and never
/// more files open, than the memory has room for.
pub const PLACE_MIN: u64 = 2 * PIECE_MIN as u64;
/// Bytes of a piece, however little memory is left.
pub const PIECE_MIN: usize = 32 * 1024;
/// A peer may have this part of what is free.
pub const BUFFERS_PEER_PART: u64 = 4;
/// What files on their way may hold is this part of what connections may (`--memory`), and beside it.
pub const BUFFERS_PART: u64 = 8;

/// What all peers together hold.
#[derive(Debug)]
pub struct Buffers {
    max: u64,
    /// What is held of it. What single peers hold changes only while this is locked, so that nobody takes what another
    /// has just been given.
    held: Mutex<u64>,
    freed: Notify,
}

impl Buffers {
    /// Of `max` bytes, and a place for each peer.
    pub fn new(max: u64) -> Buffers {
        Buffers { max, held: Mutex::new(0), freed: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes that a peer may hold of those that are not among `held`.
    const fn share(&self, held: u64) -> u64 {
        self.max.saturating_sub(held) / BUFFERS_PEER_PART
    }

    /// Room for a request of a peer, when there is any.
    pub async fn place(self: &Arc<Self>, account: &Arc<Account>) -> Held {
        loop {
            let freed = self.freed.notified();
            if let Some(held) = self.place_now(account) {
                return held;
            }
            freed.await;
        }
    }

    fn place_now(self: &Arc<Self>, account: &Arc<Account>) -> Option<Held> {
        let mut all = self.lock();
        // Of places a peer has as many as would fit its share, whatever its pieces take of it: who does not read,
        // or is dead, keeps its pieces, and keeps nobody of the same key from a place.
        let at_work = account.at_work.load(Ordering::Relaxed);
        if at_work > 0 && (at_work + 1) * PLACE_MIN > self.share(*all) {
            return None;
        }
        account.at_work.store(at_work + 1, Ordering::Relaxed);
        let mut held =
            Held { buffers: Arc::clone(self), account: Arc::clone(account), bytes: 0, kept: 0, piece: PIECE_MIN };
        held.count(&mut all, PLACE_MIN);
        Some(held)
    }
}

/// What one request holds; given back when it is dropped.
#[derive(Debug)]
pub struct Held {
    buffers: Arc<Buffers>,
    account: Arc<Account>,
    bytes: u64,
    /// Bytes that it keeps to its end, beside its pieces.
    kept: u64,
    /// Bytes that the next of its pieces may have.
    piece: usize,
}

impl Held {
    fn count(&mut self, all: &mut u64, bytes: u64) {
        *all = *all - self.bytes + bytes;
        let own = self.account.in_hand.load(Ordering::Relaxed);
        self.account.in_hand.store(own - self.bytes + bytes, Ordering::Relaxed);
        if bytes < self.bytes {
            self.buffers.freed.notify_waiters();
        }
        self.bytes = bytes;
    }

    /// What its peer's share has room for, where `all` is held.
    fn room(&self, all: u64) -> u64 {
        let others = self.account.in_hand.load(Ordering::Relaxed) - self.bytes;
        self.buffers.share(all - self.bytes).saturating_sub(others)
    }

    /// Bytes that the next of its two pieces may have, while the last one is on its way.
    pub(super) fn piece(&mut self) -> usize {
        let buffers = Arc::clone(&self.buffers);
        let mut all = buffers.lock();
        let last = self.piece;
        let room = self.room(*all).saturating_sub(self.kept);
        self.piece = (room / 2).clamp(PIECE_MIN as u64, PIECE_MAX as u64) as usize;
        self.count(&mut all, self.kept + (last + self.piece) as u64);
        self.piece
    }

    /// Keeps `bytes` to its end, beside two of its pieces, if its peer's share has room for that.
    pub(super) fn keep(&mut self, bytes: u64) -> bool {
        let buffers = Arc::clone(&self.buffers);
        let mut all = buffers.lock();
        let fits = bytes.saturating_add(PLACE_MIN) <= self.room(*all);
        if fits {
            self.kept = bytes;
            self.count(&mut all, bytes + PLACE_MIN);
        }
        fits
    }

    /// Holds `most` bytes from now on, or as many of them as its peer's share has room for, but `least` in any case,
    /// and a place; answers how many.
    pub(super) fn hold(&mut self, least: u64, most: u64) -> u64 {
        let buffers = Arc::clone(&self.buffers);
        let mut all = buffers.lock();
        let bytes = most.min(self.room(*all)).max(least).max(PLACE_MIN);
        self.count(&mut all, bytes);
        bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let buffers = Arc::clone(&self.buffers);
        let mut all = buffers.lock();
        self.account.at_work.fetch_sub(1, Ordering::Relaxed);
        self.count(&mut all, 0);
    }
}

#[cfg(test)]
mod tests {
    use tng_base::Eid;

    use super::*;
    use crate::files::REQUESTS_MAX;

    fn accounts(n: u8) -> Vec<Arc<Account>> {
        (0..n).map(|n| Arc::new(Account::new(Eid::from_bytes([n; 32])))).collect()
    }

    const MAX: u64 = 8 << 20;

    fn held_of(buffers: &Buffers) -> u64 {
        *buffers.lock()
    }

    /// As many requests of each as there is room for, and pieces as large as can be.
    fn filled(buffers: &Arc<Buffers>, accounts: &[Arc<Account>]) -> Vec<Held> {
        let mut all = Vec::new();
        for account in accounts {
            for _ in 0..REQUESTS_MAX {
                let mut place = at_once(buffers.place(account));
                let Some(mut held) = place.take() else { break };
                held.piece();
                all.push(held);
            }
        }
        all
    }

    /// What is there at once, if it is.
    fn at_once<T>(work: impl Future<Output = T>) -> Option<T> {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match std::pin::pin!(work).poll(&mut context) {
            std::task::Poll::Ready(done) => Some(done),
            std::task::Poll::Pending => None,
        }
    }

    #[test]
    fn many_peers_who_ask_for_all_they_can_hold_no_more_than_there_is_and_leave_something() {
        let (buffers, greedy) = (Arc::new(Buffers::new(MAX)), accounts(40));
        let all = filled(&buffers, &greedy);
        let held = held_of(&buffers);
        assert!(held <= MAX + 40 * PLACE_MIN && held > MAX / 2, "{held} bytes by {} requests", all.len());
        let honest = Arc::new(Account::new(Eid::from_bytes([99; 32])));
        let mut one = at_once(buffers.place(&honest)).expect("who holds nothing does not wait");
        assert!(one.piece() >= PIECE_MIN);
        // Control: without shares, each would hold two of the largest pieces for every request.
        assert!(40 * (REQUESTS_MAX * 2 * PIECE_MAX) as u64 > 100 * MAX);
        drop((one, all));
        assert_eq!(held_of(&buffers), 0);
        assert!(greedy.iter().all(|account| account.in_hand.load(Ordering::Relaxed) == 0));
    }

    #[test]
    fn one_peer_alone_has_its_largest_pieces_and_all_its_requests() {
        let (buffers, one) = (Arc::new(Buffers::new(32 << 20)), accounts(1));
        let mut first = at_once(buffers.place(&one[0])).expect("there is room");
        assert_eq!(first.piece(), PIECE_MAX);
        drop(first);
        let places: Vec<_> = (0..REQUESTS_MAX).map(|_| at_once(buffers.place(&one[0]))).collect();
        assert!(places.iter().all(Option::is_some));
    }

    #[test]
    fn requests_that_are_dead_keep_their_pieces_and_keep_no_place_from_others_of_the_same_key() {
        for (max, dead) in [(4 << 20, 6), (32 << 20, 30)] {
            let (buffers, one) = (Arc::new(Buffers::new(max)), accounts(1));
            let dead: Vec<Held> = (0..dead)
                .map(|_| {
                    let mut held = at_once(buffers.place(&one[0])).expect("there is room");
                    // It has read for a while.
                    for _ in 0..4 {
                        held.piece();
                    }
                    held
                })
                .collect();
            // Control: by the bytes that they hold there would be none.
            assert!(
                held_of(&buffers) + PLACE_MIN > buffers.share(held_of(&buffers)),
                "they hold what they may: {}",
                held_of(&buffers)
            );
            let live = at_once(buffers.place(&one[0]));
            assert!(live.is_some(), "of {max}");
            drop(dead);
        }
    }

    #[test]
    fn a_piece_counts_until_the_one_after_it_is_read() {
        let (buffers, two) = (Arc::new(Buffers::new(8 << 20)), accounts(2));
        let mut first = at_once(buffers.place(&two[0])).expect("there is room");
        assert_eq!((first.piece(), first.piece()), (PIECE_MAX, PIECE_MAX));
        // All the others leave it the least.
        *buffers.lock() += 8 << 20;
        assert_eq!(first.piece(), PIECE_MIN);
        assert_eq!(first.bytes, (PIECE_MAX + PIECE_MIN) as u64);
        assert_eq!((first.piece(), first.bytes), (PIECE_MIN, PLACE_MIN));
    }

    #[test]
    fn who_holds_a_listing_has_what_its_share_has_room_for_and_in_any_case_the_least() {
        let (buffers, two) = (Arc::new(Buffers::new(MAX)), accounts(2));
        let mut first = at_once(buffers.place(&two[0])).expect("there is room");
        assert_eq!(first.hold(0, 1 << 20), 1 << 20);
        assert_eq!((first.hold(0, 1 << 30), held_of(&buffers)), (MAX / BUFFERS_PEER_PART, MAX / BUFFERS_PEER_PART));
        let mut more = at_once(buffers.place(&two[0])).expect("of places it has as many as before");
        assert_eq!(more.hold(0, 1 << 30), PLACE_MIN, "its share is used up");
        assert_eq!(more.hold(100_000, 1 << 30), 100_000);
        let mut second = at_once(buffers.place(&two[1])).expect("there is room");
        let left = MAX - MAX / BUFFERS_PEER_PART - 100_000;
        assert_eq!(second.hold(0, 1 << 30), left / BUFFERS_PEER_PART);
        assert_eq!(second.hold(0, 1), PLACE_MIN);
        drop((first, more, second));
        assert_eq!(held_of(&buffers), 0);
    }

    /// Control: where a place was looked for and then taken, as many of one peer as threads passed at once.
    #[test]
    fn requests_that_come_at_the_same_moment_have_no_more_places_than_one_after_the_other() {
        let (buffers, one) = (Arc::new(Buffers::new(MAX)), accounts(1));
        let in_a_row = {
            let all = filled_places(&buffers, &one[0]);
            all.len()
        };
        for _ in 0..50 {
            let all: Vec<Held> = std::thread::scope(|scope| {
                let workers: Vec<_> = (0..8).map(|_| scope.spawn(|| filled_places(&buffers, &one[0]))).collect();
                workers.into_iter().flat_map(|worker| worker.join().expect("it ends")).collect()
            });
            assert_eq!(all.len(), in_a_row);
        }
    }

    fn filled_places(buffers: &Arc<Buffers>, account: &Arc<Account>) -> Vec<Held> {
        std::iter::from_fn(|| buffers.place_now(account)).collect()
    }

    #[test]
    fn a_peer_has_as_many_places_as_fit_its_share_of_what_is_left_and_half_of_it_for_a_piece() {
        assert_eq!(PLACE_MIN, 64 << 10);
        // After the first, a quarter of what is left is just below two places, or two.
        for (places, fit) in [(8, 1), (9, 2)] {
            let (buffers, one) = (Arc::new(Buffers::new(places * PLACE_MIN)), accounts(1));
            assert_eq!(filled_places(&buffers, &one[0]).len(), fit, "of {places}");
        }
        let (buffers, one) = (Arc::new(Buffers::new(800 << 10)), accounts(1));
        let mut only = at_once(buffers.place(&one[0])).expect("there is room");
        assert_eq!(only.piece(), 100 << 10);
    }

    #[tokio::test]
    async fn who_waits_goes_on_when_something_is_given_back() {
        let (buffers, one) = (Arc::new(Buffers::new(BUFFERS_PEER_PART * PLACE_MIN)), accounts(1));
        let first = buffers.place(&one[0]).await;
        assert!(at_once(buffers.place(&one[0])).is_none());
        let (second, ()) = tokio::join!(buffers.place(&one[0]), async { drop(first) });
        assert_eq!(held_of(&buffers), second.bytes);
    }
}
