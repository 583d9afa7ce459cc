//! A machine on a UDP socket, in the caller's own thread: what `tng::Driver` does in a task.

use core::task::{Context, Waker};
use core::time::Duration;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, RawFd};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use tng::{Clock, ENTROPY_RETRY_AFTER, Inbox, Outbox, PolledSocket, Socket};
use tng_base::{Input, Instant, Machine, Output};
use tng_crypto::Zeroizing;

use crate::descriptor::Descriptor;

/// Turns before the caller has its own turn, whatever more there is to do.
const TURNS_MAX: u32 = 16;

/// The least time from one timer to the next, as `tng::Driver` has it: a machine whose timer has passed after it was
/// polled would else spin.
const TIMER_FLOOR: Duration = Duration::from_millis(1);

/// What takes what a machine has to tell.
pub trait Taker<M: Machine> {
    /// Takes an event.
    fn take(&mut self, event: M::Event);

    /// Whether there is something for the caller: it is given that before more is done.
    fn has_some(&self, machine: &M) -> bool;
}

/// The machine, and what drives it.
#[derive(Debug)]
pub struct Turns<M> {
    machine: M,
    socket: PolledSocket,
    descriptor: Descriptor,
    inbox: Inbox,
    outbox: Outbox,
    clock: Clock,
    /// When the machine wants to be called.
    deadline: Option<Instant>,
    /// When it was called last.
    timed_at: Instant,
    /// It was not polled to its end.
    more: bool,
    /// How often it has asked for entropy that the system did not have.
    owed: u32,
}

impl<M: Machine> Turns<M> {
    /// The machine that `make` makes at the clock's beginning, on a socket that is bound to `addr`.
    ///
    /// # Errors
    /// What the system answers.
    pub fn new(addr: SocketAddr, make: impl FnOnce() -> M) -> io::Result<Turns<M>> {
        let socket = PolledSocket::bind(addr)?;
        let descriptor = Descriptor::new(&socket)?;
        let clock = Clock::start();
        Ok(Turns {
            machine: make(),
            socket,
            descriptor,
            inbox: Inbox::new(),
            outbox: Outbox::new(),
            clock,
            deadline: None,
            timed_at: Instant::ZERO,
            more: true,
            owed: 0,
        })
    }

    /// The descriptor to wait for.
    pub fn number(&self) -> RawFd {
        self.descriptor.number()
    }

    /// Where the socket is bound.
    ///
    /// # Errors
    /// What the system answers.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// The driver's time.
    pub fn now(&self) -> Instant {
        self.clock.now()
    }

    /// The machine, to be looked at.
    pub const fn machine(&self) -> &M {
        &self.machine
    }

    /// The machine, to be used: it may have more to say then, so the descriptor becomes readable.
    pub fn machine_mut(&mut self) -> &mut M {
        self.more = true;
        // Without it the program that waits elsewhere finds out with the next datagram.
        let _ = self.descriptor.make_ready();
        &mut self.machine
    }

    /// Does what there is to do, for so long at most (`None`: as long as it takes), until there is something for the
    /// caller. Then, or if there is nothing, the descriptor says when there is more.
    ///
    /// # Errors
    /// What the system answers; `Interrupted` if a signal came.
    pub fn run(&mut self, timeout: Option<Duration>, taker: &mut impl Taker<M>) -> io::Result<()> {
        let until = timeout.map(|timeout| self.now() + timeout);
        let mut has_waited = false;
        loop {
            self.turns(taker)?;
            if taker.has_some(&self.machine) {
                return self.descriptor.make_ready();
            }
            let now = self.now();
            if has_waited && until.is_some_and(|until| until <= now) {
                return self.settle(now);
            }
            let wait = match self.more && !self.socket.is_full() {
                true => Some(Duration::ZERO),
                false => self.deadline.into_iter().chain(until).min().map(|at| at.since(now)),
            };
            if let Err(error) = self.wait(wait) {
                self.settle(now)?;
                return Err(error);
            }
            has_waited = true;
        }
    }

    /// Everything that is ready, but no waiting.
    fn turns(&mut self, taker: &mut impl Taker<M>) -> io::Result<()> {
        let cx = &mut Context::from_waker(Waker::noop());
        for _ in 0..TURNS_MAX {
            let messages = self.inbox.poll_receive(&self.socket, self.clock, false, cx)?;
            let now = self.clock.now();
            let due = self.deadline.is_some_and(|deadline| deadline <= now);
            if messages == 0 && !due && !self.more && self.owed == 0 {
                break;
            }
            while let Some(datagram) = self.inbox.next(usize::MAX) {
                self.machine.handle_input(now, Input::Datagram(datagram));
            }
            if due {
                self.timed_at = now;
                self.machine.handle_timeout(now);
            }
            self.poll(now, taker);
            if self.outbox.poll_flush(&self.socket, cx)?.is_pending() || self.owed > 0 {
                break;
            }
            if taker.has_some(&self.machine) {
                break;
            }
        }
        Ok(())
    }

    /// Takes what the machine has to say, as far as there is room for it.
    fn poll(&mut self, now: Instant, taker: &mut impl Taker<M>) {
        self.hand_in(now);
        self.more = true;
        while let Some(buffer) = self.outbox.vacant() {
            match self.machine.poll_output(now, buffer) {
                Output::Transmit(transmit) => self.outbox.push(transmit),
                Output::Event(event) => taker.take(event),
                Output::NeedsEntropy => {
                    self.owed += 1;
                    self.hand_in(now);
                }
                Output::Timeout(deadline) => {
                    let retry = (self.owed > 0).then_some(now + ENTROPY_RETRY_AFTER);
                    let deadline = deadline.map(|deadline| deadline.max(self.timed_at + TIMER_FLOOR));
                    self.deadline = deadline.into_iter().chain(retry).min();
                    self.more = false;
                    return;
                }
            }
        }
    }

    /// Hands in the entropy that is owed, if the system has it.
    fn hand_in(&mut self, now: Instant) {
        while self.owed > 0 {
            let mut entropy = Zeroizing::new([0; 32]);
            if getrandom::fill(&mut entropy[..]).is_err() {
                return;
            }
            self.machine.handle_input(now, Input::Entropy(&mut entropy));
            self.owed -= 1;
        }
    }

    /// Waits for the socket.
    fn wait(&self, wait: Option<Duration>) -> io::Result<()> {
        let room = if self.socket.is_full() { PollFlags::POLLOUT } else { PollFlags::empty() };
        let mut polled = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN | room)];
        ppoll(&mut polled, wait.map(TimeSpec::from_duration), None)?;
        let [polled] = polled;
        let said = |flag| polled.revents().is_some_and(|revents| revents.intersects(flag | PollFlags::POLLERR));
        self.socket.told(said(PollFlags::POLLIN), said(PollFlags::POLLOUT));
        Ok(())
    }

    /// The descriptor says when there is something to do.
    fn settle(&mut self, now: Instant) -> io::Result<()> {
        let is_full = self.socket.is_full();
        let after = match self.more && !is_full {
            true => Some(Duration::ZERO),
            false => self.deadline.map(|deadline| deadline.since(now)),
        };
        self.descriptor.settle(after, &self.socket, is_full)
    }
}
