//! One carrier, as its sender and the tasks that move its bytes share it.

use core::time::Duration;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tng_endpoint::{carried_address, push_frame};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::{AGAIN_FIRST, AGAIN_MAX, Told};

/// Bytes that wait for a carrier from which on machines are told that it takes no more.
pub const OUT_FULL: usize = 128 * 1024;

/// Bytes that wait for a carrier at most, acknowledgments and probes included; what is beyond it is dropped. One that is
/// only beginning has no more than [`OUT_FULL`].
pub const OUT_MAX: usize = 512 * 1024;

/// Bytes that have come by a carrier and wait for the machine at most: as long it is not read.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sent {
    /// They wait to be written. `full`: no more are to be sent, which this thread has not been told.
    Taken { full: bool },
    /// They wait for a carrier, which is to be begun now.
    Begins,
    /// They are lost.
    Dropped,
}

impl Link {
    pub(super) fn new(number: u64, peer: SocketAddr, thread: usize, is_dialed: bool) -> Link {
        let state = State {
            stage: if is_dialed { Stage::Rests { until: None } } else { Stage::Up },
            out: Vec::new(),
            writes: false,
            full: None,
            came: 0,
            again_after: AGAIN_FIRST,
            up_at: None,
        };
        Link {
            number,
            address: carried_address(peer, number),
            peer,
            thread,
            is_dialed,
            state: Mutex::new(state),
            to_write: Notify::new(),
            to_read: Notify::new(),
            written: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Datagrams of `size` bytes, the last perhaps shorter, are to go, says the machine of this thread.
    pub(super) fn send(&self, thread: usize, size: usize, datagrams: &[u8]) -> Sent {
        let mut state = self.state();
        let begins = match state.stage {
            Stage::Over => return Sent::Dropped,
            Stage::Rests { until: Some(until) } if until > Instant::now() => return Sent::Dropped,
            Stage::Rests { .. } => true,
            Stage::Begins | Stage::Up => false,
        };
        let max = if state.stage == Stage::Up { OUT_MAX } else { OUT_FULL };
        if state.out.len() + datagrams.len() > max {
            return Sent::Dropped;
        }
        let mut whole = true;
        for datagram in datagrams.chunks(size.max(1)) {
            whole &= push_frame(&mut state.out, datagram);
        }
        if begins {
            state.stage = Stage::Begins;
            return Sent::Begins;
        }
        let is_full = state.stage == Stage::Up && state.out.len() >= OUT_FULL;
        let told = is_full && {
            let told = state.full.get_or_insert_default();
            let news = !told.contains(&thread);
            if news {
                told.push(thread);
            }
            news
        };
        drop(state);
        self.to_write.notify_one();
        if whole { Sent::Taken { full: told } } else { Sent::Dropped }
    }

    /// It is there.
    pub(super) fn note_up(&self) {
        let mut state = self.state();
        if state.stage == Stage::Begins {
            state.stage = Stage::Up;
        }
        state.up_at = Some(Instant::now());
    }

    /// What is to be written next, in exchange for a buffer that is empty, and who can be told that it takes more now.
    /// `None` if it is over.
    pub(super) async fn take_out(&self, spare: &mut Vec<u8>) -> Option<Told> {
        loop {
            let wait = self.to_write.notified();
            {
                let mut state = self.state();
                if state.out.is_empty() {
                    state.writes = false;
                    self.written.notify_waiters();
                    if state.stage == Stage::Over {
                        return None;
                    }
                } else {
                    state.writes = true;
                    core::mem::swap(&mut state.out, spare);
                    return Some(state.full.take().unwrap_or_default());
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
    /// earliest. Answers who had been told that it takes no more.
    pub(super) fn reset(&self) -> Told {
        let mut state = self.state();
        let served = state.up_at.take().is_some_and(|at| at.elapsed() >= SERVED_AFTER);
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
        state.full.take().unwrap_or_default()
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
