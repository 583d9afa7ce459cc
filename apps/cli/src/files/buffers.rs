//! Memory and descriptors between disks and streams: what a server has in hand of files on their way, for all peers
//! together.
//!
//! A peer may hold a quarter of what is left free, so that however many are greedy leave something, as in a host's own
//! budget (docs/machines.md, "Budget"). Who holds nothing is never made to wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    held: AtomicU64,
    freed: Notify,
}

impl Buffers {
    /// Of `max` bytes, and a place for each peer.
    pub fn new(max: u64) -> Buffers {
        Buffers { max, held: AtomicU64::new(0), freed: Notify::new() }
    }

    /// Bytes that are held.
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Bytes that a peer may hold in all, if `own` of those that are held are given back first.
    fn share(&self, own: u64) -> u64 {
        (self.max + own).saturating_sub(self.held()) / BUFFERS_PEER_PART
    }

    /// Room for a request of a peer, when there is any.
    pub async fn place(self: &Arc<Self>, account: &Arc<Account>) -> Held {
        loop {
            let freed = self.freed.notified();
            // Of places a peer has as many as would fit its share, whatever its pieces take of it: who does not read,
            // or is dead, keeps its pieces, and keeps nobody of the same key from a place.
            let at_work = account.at_work.load(Ordering::Relaxed);
            if at_work == 0 || (at_work + 1) * PLACE_MIN <= self.share(0) {
                account.at_work.fetch_add(1, Ordering::Relaxed);
                let (buffers, account) = (Arc::clone(self), Arc::clone(account));
                let mut held = Held { buffers, account, bytes: 0, piece: PIECE_MIN };
                held.count(PLACE_MIN);
                return held;
            }
            freed.await;
        }
    }
}

/// What one request holds; given back when it is dropped.
#[derive(Debug)]
pub struct Held {
    buffers: Arc<Buffers>,
    account: Arc<Account>,
    bytes: u64,
    /// Bytes that the next of its pieces may have.
    piece: usize,
}

impl Held {
    fn count(&mut self, bytes: u64) {
        for sum in [&self.buffers.held, &self.account.in_hand] {
            sum.fetch_add(bytes, Ordering::Relaxed);
            sum.fetch_sub(self.bytes, Ordering::Relaxed);
        }
        if bytes < self.bytes {
            self.buffers.freed.notify_waiters();
        }
        self.bytes = bytes;
    }

    /// Bytes that the next of its two pieces may have, while the last one is on its way.
    pub(super) fn piece(&mut self) -> usize {
        let others = self.account.in_hand.load(Ordering::Relaxed) - self.bytes;
        let share = self.buffers.share(self.bytes).saturating_sub(others);
        let last = self.piece;
        self.piece = (share / 2).clamp(PIECE_MIN as u64, PIECE_MAX as u64) as usize;
        self.count((last + self.piece) as u64);
        self.piece
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.account.at_work.fetch_sub(1, Ordering::Relaxed);
        self.count(0);
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
        let held = buffers.held();
        assert!(held <= MAX + 40 * PLACE_MIN && held > MAX / 2, "{held} bytes by {} requests", all.len());
        let honest = Arc::new(Account::new(Eid::from_bytes([99; 32])));
        let mut one = at_once(buffers.place(&honest)).expect("who holds nothing does not wait");
        assert!(one.piece() >= PIECE_MIN);
        // Control: without shares, each would hold two of the largest pieces for every request.
        assert!(40 * (REQUESTS_MAX * 2 * PIECE_MAX) as u64 > 100 * MAX);
        drop((one, all));
        assert_eq!(buffers.held(), 0);
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
            assert!(buffers.held() + PLACE_MIN > buffers.share(0), "they hold what they may: {}", buffers.held());
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
        buffers.held.fetch_add(8 << 20, Ordering::Relaxed);
        assert_eq!(first.piece(), PIECE_MIN);
        assert_eq!(first.bytes, (PIECE_MAX + PIECE_MIN) as u64);
        assert_eq!((first.piece(), first.bytes), (PIECE_MIN, PLACE_MIN));
    }

    #[tokio::test]
    async fn who_waits_goes_on_when_something_is_given_back() {
        let (buffers, one) = (Arc::new(Buffers::new(BUFFERS_PEER_PART * PLACE_MIN)), accounts(1));
        let first = buffers.place(&one[0]).await;
        assert!(at_once(buffers.place(&one[0])).is_none());
        let (second, ()) = tokio::join!(buffers.place(&one[0]), async { drop(first) });
        assert_eq!(buffers.held(), second.bytes);
    }
}
