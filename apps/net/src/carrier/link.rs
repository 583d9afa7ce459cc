//! One carrier, as its sender and the tasks that move its bytes share it.

#![expect(clippy::disallowed_methods, reason = "a carrier is beside the driver, and as that in real time")]

use core::time::Duration;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tng_base::CarrierNews;
use tng_endpoint::{carried_address, push_frame};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::inbox::{Came, Inbox};
use super::{AGAIN_FIRST, AGAIN_MAX};

/// Threads whose machines are told of something.
type Told = Vec<usize>;

/// Bytes that wait for a carrier from which on machines are told that it takes no more.
pub const OUT_FULL: usize = 128 * 1024;

/// Bytes that wait for a carrier at most, acknowledgments and probes included; what is beyond it is dropped. One that
/// is only beginning has no more than [`OUT_FULL`].
pub const OUT_MAX: usize = 512 * 1024;

/// Bytes that have come by a carrier and wait for the machine at most: beyond it TCP is not read.
pub(super) const IN_MAX: usize = 512 * 1024;

/// One that was there for so long has served: the next one is begun as soon as there is something to send.
const SERVED_AFTER: Duration = Duration::from_secs(5);

/// One carrier.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) number: u64,
    /// How machines know who it leads to.
    pub(super) address: SocketAddr,
    /// Its other end, by TCP.
    pub(super) peer: SocketAddr,
    /// The thread that what comes is for.
    pub(super) thread: usize,
    /// This end begins it, and again when it was lost.
    pub(super) is_dialed: bool,
    /// Those of the endpoint's threads. They are told while the state is locked: in the order in which it changed.
    inboxes: Arc<[Inbox]>,
    state: Mutex<State>,
    /// There is something to write, or it is over.
    to_write: Notify,
    /// There is room for what comes, or it is over.
    to_read: Notify,
    /// All is written.
    written: Notify,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    /// Frames that wait.
    out: Vec<u8>,
    /// A part of them is on its way to the system.
    writes: bool,
    /// Machines have been told that it takes no more: those of these threads.
    full: Option<Told>,
    /// Bytes that have come and wait for a machine.
    came: usize,
    /// How long to wait after the next one that fails, or breaks soon.
    again_after: Duration,
    /// Since when it is there.
    up_at: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// There is none, and none is begun before then.
    Rests {
        until: Option<Instant>,
    },
    /// It is coming up.
    Begins,
    Up,
    /// It is not wanted any more.
    Over,
}

/// What became of datagrams.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sent {
    /// There is no carrier yet: who sends begins it now.
    pub begins: bool,
    /// They are lost.
    pub dropped: bool,
}

impl Link {
    pub(super) fn new(number: u64, peer: SocketAddr, inboxes: Arc<[Inbox]>, is_dialed: bool) -> Link {
        let thread = number as usize % inboxes.len();
        let state = State {
            stage: if is_dialed { Stage::Rests { until: None } } else { Stage::Up },
            out: Vec::new(),
            writes: false,
            full: None,
            came: 0,
            again_after: AGAIN_FIRST,
            up_at: (!is_dialed).then(Instant::now),
        };
        Link {
            number,
            address: carried_address(peer, number),
            peer,
            thread,
            is_dialed,
            inboxes,
            state: Mutex::new(state),
            to_write: Notify::new(),
            to_read: Notify::new(),
            written: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Datagrams have come, for the machine.
    pub(super) fn push(self: &Arc<Link>, came: Came) {
        self.inboxes[self.thread].push(came, self);
    }

    /// Tells the machines of these threads.
    fn tell(&self, threads: &[usize], news: CarrierNews) {
        for thread in threads {
            self.inboxes[*thread].tell(self.address.ip(), news);
        }
    }

    /// Datagrams of `size` bytes, the last perhaps shorter, are to go, says the machine of this thread.
    pub(super) fn send(&self, thread: usize, size: usize, datagrams: &[u8]) -> Sent {
        let mut state = self.state();
        let mut sent = Sent::default();
        let max = match state.stage {
            Stage::Over => 0,
            Stage::Rests { until: Some(until) } if until > Instant::now() => 0,
            Stage::Rests { .. } => {
                (sent.begins, state.stage) = (true, Stage::Begins);
                OUT_FULL
            }
            Stage::Begins => OUT_FULL,
            Stage::Up => OUT_MAX,
        };
        if state.out.len() + datagrams.len() > max {
            sent.dropped = true;
        } else {
            for datagram in datagrams.chunks(size.max(1)) {
                sent.dropped |= !push_frame(&mut state.out, datagram);
            }
        }
        // What is not there takes nothing either.
        if state.stage != Stage::Up || state.out.len() >= OUT_FULL {
            let told = state.full.get_or_insert_default();
            if !told.contains(&thread) {
                told.push(thread);
                self.tell(&[thread], CarrierNews::Full);
            }
        }
        drop(state);
        self.to_write.notify_one();
        sent
    }

    /// It is there.
    pub(super) fn note_up(&self) {
        let mut state = self.state();
        if state.stage == Stage::Begins {
            state.stage = Stage::Up;
        }
        state.up_at = Some(Instant::now());
    }

    /// What goes next, in exchange for a buffer that is empty: then it takes more. Answers whether it goes on at all.
    pub(super) async fn take_out(&self, spare: &mut Vec<u8>) -> bool {
        loop {
            let wait = self.to_write.notified();
            {
                let mut state = self.state();
                if state.out.is_empty() && state.full.is_none() {
                    state.writes = false;
                    self.written.notify_waiters();
                    if state.stage == Stage::Over {
                        return false;
                    }
                } else {
                    state.writes = true;
                    core::mem::swap(&mut state.out, spare);
                    self.tell(&state.full.take().unwrap_or_default(), CarrierNews::Ready);
                    return true;
                }
            }
            wait.await;
        }
    }

    /// Bytes have come, for the machine.
    pub(super) fn note_came(&self, bytes: usize) {
        self.state().came += bytes;
    }

    /// The machine has taken them.
    pub(super) fn note_taken(&self, bytes: usize) {
        let mut state = self.state();
        state.came -= bytes;
        if state.came <= IN_MAX / 2 {
            self.to_read.notify_one();
        }
    }

    /// Waits until the machine has room for what comes.
    pub(super) async fn has_room(&self) {
        loop {
            let wait = self.to_read.notified();
            {
                let state = self.state();
                if state.came <= IN_MAX || state.stage == Stage::Over {
                    return;
                }
            }
            wait.await;
        }
    }

    /// It has broken, or did not come about: what waited is lost, and the next one is begun after a while at the
    /// earliest. Machines are told.
    pub(super) fn reset(&self) {
        let mut state = self.state();
        let up_at = state.up_at.take();
        let served = up_at.is_some_and(|at| at.elapsed() >= SERVED_AFTER);
        // One that has served may be begun again at once.
        let until = (!served).then(|| Instant::now() + state.again_after);
        state.again_after = if served { AGAIN_FIRST } else { (state.again_after * 2).min(AGAIN_MAX) };
        state.stage = match state.stage {
            Stage::Over => Stage::Over,
            _ if !self.is_dialed => Stage::Over,
            _ => Stage::Rests { until },
        };
        state.out.clear();
        state.writes = false;
        self.written.notify_waiters();
        let told = if up_at.is_some() { state.full.take().unwrap_or_default() } else { Told::new() };
        // A dial may wait for one that never came up.
        if self.is_dialed {
            let everybody: Told = (0..self.inboxes.len()).collect();
            self.tell(&everybody, CarrierNews::Broken);
        } else {
            self.tell(&told, CarrierNews::Ready);
        }
    }

    /// It is not wanted any more: what waits is written, and then it ends.
    pub(super) fn end(&self) {
        let mut state = self.state();
        if state.stage != Stage::Up {
            state.out.clear();
        }
        state.stage = Stage::Over;
        drop(state);
        self.to_write.notify_one();
        self.to_read.notify_one();
    }

    /// Waits until all that waits is written.
    pub(super) async fn flushed(&self) {
        loop {
            let wait = self.written.notified();
            {
                let state = self.state();
                if state.stage != Stage::Up || state.out.is_empty() && !state.writes {
                    return;
                }
            }
            wait.await;
        }
    }
}
