//! What has come by carriers, for the driver of one thread.

use core::task::Waker;
use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tng_base::{CarrierNews, Ecn};

use super::link::Link;
use crate::socket::{RECEIVE_BUFFER, Received};

/// Datagrams that are handed out together at most, as of UDP: what else is there has its turn between.
const TOGETHER_MAX: usize = 64;

/// What a group takes beside its bytes, at least: it counts among those that wait, lest many small ones take much more.
const GROUP_COST: usize = 128;

/// Datagrams of one carrier that came together, each of one size but the last, which may be shorter.
#[derive(Debug)]
pub(super) struct Came {
    remote: SocketAddr,
    size: usize,
    bytes: Vec<u8>,
}

impl Came {
    /// Such a group, with its first datagram.
    pub(super) fn new(remote: SocketAddr, first: &[u8]) -> Came {
        Came { remote, size: first.len(), bytes: first.to_vec() }
    }

    /// Takes another, if it is one of the group.
    pub(super) fn push(&mut self, datagram: &[u8]) -> bool {
        let fits = datagram.len() <= self.size
            && self.bytes.len().is_multiple_of(self.size)
            && self.bytes.len() / self.size < TOGETHER_MAX
            && self.bytes.len() + datagram.len() <= RECEIVE_BUFFER;
        if fits {
            self.bytes.extend_from_slice(datagram);
        }
        fits
    }

    fn cost(&self) -> usize {
        self.bytes.len() + GROUP_COST
    }
}

#[derive(Debug, Default)]
struct Waiting {
    came: VecDeque<(Came, Arc<Link>)>,
    news: VecDeque<(IpAddr, CarrierNews)>,
    driver: Option<Waker>,
}

/// What waits for a driver.
#[derive(Debug, Default)]
pub(super) struct Inbox(Mutex<Waiting>);

impl Inbox {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Datagrams have come.
    pub(super) fn push(&self, came: Came, by: &Arc<Link>) {
        by.note_came(came.cost());
        let mut waiting = self.waiting();
        waiting.came.push_back((came, Arc::clone(by)));
        let driver = waiting.driver.take();
        drop(waiting);
        driver.into_iter().for_each(Waker::wake);
    }

    /// Tells the machine something.
    pub(super) fn tell(&self, remote: IpAddr, news: CarrierNews) {
        let mut waiting = self.waiting();
        waiting.news.push_back((remote, news));
        let driver = waiting.driver.take();
        drop(waiting);
        driver.into_iter().for_each(Waker::wake);
    }

    /// Nobody takes it any more.
    pub(super) fn clear(&self) {
        self.waiting().came.clear();
    }

    /// What there is to tell the machine next.
    pub(super) fn take_news(&self) -> Option<(IpAddr, CarrierNews)> {
        self.waiting().news.pop_front()
    }

    /// Whether something has come; if not, `driver` is woken when it has, or there are news.
    pub(super) fn poll(&self, driver: &Waker) -> bool {
        let mut waiting = self.waiting();
        if !waiting.driver.as_ref().is_some_and(|known| known.will_wake(driver)) {
            waiting.driver = Some(driver.clone());
        }
        !waiting.came.is_empty()
    }

    /// Hands out what has come, a group to each of `received`, with [`RECEIVE_BUFFER`] bytes of `buffer`.
    pub(super) fn take(&self, buffer: &mut [u8], received: &mut [Received]) -> usize {
        let mut count = 0;
        for (room, out) in buffer.chunks_mut(RECEIVE_BUFFER).zip(received) {
            let Some((came, by)) = self.waiting().came.pop_front() else { break };
            let len = came.bytes.len();
            room[..len].copy_from_slice(&came.bytes);
            *out = Received { remote: came.remote, local: None, ecn: Ecn::NotEct, len, segment_size: came.size };
            by.note_taken(came.cost());
            count += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_datagrams_are_handed_out_a_few_at_a_time_and_count_for_what_they_take() {
        let mut group = Came::new(([192, 0, 2, 1], 9).into(), &[7]);
        let further = (0..1_000).filter(|_| group.push(&[7])).count();
        assert_eq!((further, group.cost()), (TOGETHER_MAX - 1, TOGETHER_MAX + GROUP_COST));
        let mut group = Came::new(([192, 0, 2, 1], 9).into(), &[7; 1_200]);
        assert!((1..RECEIVE_BUFFER / 1_200).all(|_| group.push(&[7; 1_200])), "control: large ones fill a buffer");
        assert!(!group.push(&[7; 1_200]));
    }
}
