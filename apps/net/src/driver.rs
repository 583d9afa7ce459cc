//! The loop between a socket and a machine.
//!
//! One task per socket. A turn takes what one receive call gives, feeds it to the machine, polls the machine until it
//! has nothing more or the outbox is full, and sends. Receiving, timers and sending take turns, so none starves the
//! others; after some turns the task yields to the runtime. The clock is read once per turn.
//!
//! With nothing to do the task sleeps until the system wakes it. A driver that is told to stay awake
//! ([`Driver::busy_poll`]) asks the socket itself again and again for a while after each packet, in turn with the
//! runtime's other tasks: what comes meanwhile is found some microseconds earlier.
//!
//! Packets full of small things for many tasks are fed a few at a time, and the tasks run in between: what they answer
//! is on its way while the rest is being worked on. Else two hosts that ask each other many small things would take
//! turns, each idle while the other works.

mod timer;

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::io;
use std::sync::Arc;

use tng_base::{Datagram, Input, Instant, Machine, Output, PathChange};
use tng_crypto::Zeroize;
use tokio::sync::oneshot;

use crate::lock::{Clock, Driven, Shared};
use crate::outbox::Outbox;
use crate::socket::{RECEIVE_BATCH, RECEIVE_BUFFER, Received, Socket};

use timer::{FINE_BELOW, Timer};

/// Turns in a row before the driver yields to other tasks.
const TURNS_MAX: u32 = 16;

/// Failed receive calls in a row before the driver stops reading for [`RECEIVE_PAUSE`].
pub const RECEIVE_ERRORS_MAX: u32 = 16;

/// Packets that the machine is told of in one turn as not arrived, at most.
pub const UNREACHABLES_MAX: usize = 64;

/// How long the driver leaves a socket alone that only fails.
pub const RECEIVE_PAUSE: Duration = Duration::from_millis(10);

/// Events in one turn beyond which the next one is fed fewer packets.
const EVENTS_MAX: usize = 16;

/// The least time from one timer to the next. A machine whose timer has already passed after it was polled would else
/// spin, and what leaves at finer times leaves in smaller batches.
const TIMER_FLOOR: Duration = Duration::from_millis(1);

/// The least time from one timer to the next of a driver that was told to be quick: it stays awake after a packet, too.
const TIMER_GRAIN: Duration = Duration::from_micros(50);

/// How long the driver waits before it asks a system again that had no entropy.
pub const ENTROPY_RETRY_AFTER: Duration = Duration::from_millis(100);

/// Drives one machine over one socket until the machine is finished. Several that share the socket are one
/// (`tng_endpoint::Port`).
pub struct Driver<D: Driven> {
    shared: Arc<Shared<D>>,
    socket: Arc<dyn Socket>,
    inbox: Inbox,
    outbox: Outbox,
    timer: Timer,
    entropy: Entropy,
    /// When the machine wants to be called.
    deadline: Option<Instant>,
    /// When it was called last.
    timed_at: Instant,
    /// That is soon, as seen when it said so.
    near: bool,
    /// For how long after a packet the driver asks for the next one without sleeping.
    busy_poll: Duration,
    /// So long it does.
    awake_until: Option<Instant>,
    /// The machine was not polled to its end because the outbox was full.
    more: bool,
    /// The machine is finished; what it wrote last is on its way out.
    finished: bool,
    /// Packets that the machine is fed in one turn.
    portion: usize,
    /// Whether the socket had nothing when it was asked last, or some time since the machine was told.
    was_drained: bool,
    /// Tasks to wake after the turn. Kept for its allocation.
    wakers: Vec<Waker>,
    /// To be told when the outbox is empty and the machine polled to its end.
    awaits_flush: Vec<oneshot::Sender<()>>,
}

impl<D: Driven> Driver<D> {
    /// Must be called within a tokio runtime that has timers, and waits for descriptors.
    pub fn new(shared: Arc<Shared<D>>, socket: Arc<dyn Socket>) -> Driver<D> {
        Driver {
            timer: Timer::new(shared.clock()),
            shared,
            socket,
            inbox: Inbox::new(),
            outbox: Outbox::new(),
            entropy: Entropy::new(|out| getrandom::fill(out).is_ok()),
            deadline: None,
            timed_at: Instant::ZERO,
            near: false,
            busy_poll: Duration::ZERO,
            awake_until: None,
            more: true,
            finished: false,
            portion: PORTION_MAX,
            was_drained: true,
            wakers: Vec::new(),
            awaits_flush: Vec::new(),
        }
    }

    /// Stays awake for so long after each packet, and finds the next one earlier; meanwhile a processor is busy. Timers
    /// are kept to a part of a millisecond then.
    pub fn busy_poll(mut self, time: Duration) -> Driver<D> {
        self.busy_poll = time;
        self
    }

    /// Runs turns until there is nothing to do. An error means that this runtime waits for nothing any more.
    fn poll_turns(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut received = 0;
        for turn in 0..TURNS_MAX {
            let blocked = self.outbox.poll_flush(&*self.socket, cx)?.is_pending();
            if !blocked && !self.more {
                for tell in self.awaits_flush.drain(..) {
                    // The task that asked may have stopped waiting.
                    let _ = tell.send(());
                }
            }
            if self.finished {
                return if blocked { Poll::Pending } else { Poll::Ready(Ok(())) };
            }
            if received >= RECEIVE_BATCH || turn > 0 && self.inbox.has_rest() {
                // Who was woken takes what has come before there is more: datagrams have no flow control, and wait in
                // little room.
                break;
            }
            let messages = match self.inbox.has_rest() {
                true => 1,
                false => {
                    let awake = self.awake_until.is_some();
                    self.inbox.poll_receive(&*self.socket, self.shared.clock(), awake, cx)?
                }
            };
            self.was_drained |= messages == 0;
            let wake_at = [self.deadline, self.inbox.paused_until, self.entropy.again_at].into_iter().flatten().min();
            let near = self.near && wake_at == self.deadline;
            let due = self.timer.poll_due(cx, wake_at, near);
            // In the first turn somebody may have touched the machine; later ones are woken for that.
            if turn > 0 && messages == 0 && !due && (blocked || !self.more) {
                if self.awake_until.is_some() {
                    // The others have their turn, and then it is this task's again.
                    cx.waker().wake_by_ref();
                }
                return Poll::Pending;
            }
            self.turn(cx, messages);
            received += messages;
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Feeds the machine what was received and what the clock says, and takes what it has to say.
    fn turn(&mut self, cx: &Context<'_>, messages: usize) {
        let mut shared = self.shared.lock();
        shared.set_sent(self.outbox.counters());
        self.awaits_flush.append(&mut shared.take_awaits_flush());
        let touched = shared.take_touched(cx.waker());
        let handed = shared.take_handed(cx.waker());
        let (news, unreachable) = (self.socket.take_news(), self.socket.take_unreachable());
        let now = shared.now();
        if messages > 0 && !self.busy_poll.is_zero() {
            self.awake_until = Some(now + self.busy_poll);
        } else if self.awake_until.is_some_and(|until| until <= now) {
            self.awake_until = None;
        }
        let due = self.deadline.is_some_and(|deadline| deadline <= now);
        let entropy_due = self.entropy.again_at.is_some_and(|at| at <= now);
        if messages == 0
            && !due
            && !entropy_due
            && !touched
            && !handed
            && !self.more
            && news.is_none()
            && unreachable.is_none()
        {
            return;
        }
        shared.begin_turn(now, &mut self.wakers);
        shared.handle_backlog(!core::mem::take(&mut self.was_drained));
        if let Some(socket) = shared.take_rebound() {
            let local = socket.local_addr().ok().map(|addr| addr.ip()).filter(|ip| !ip.is_unspecified());
            shared.machine().handle_input(now, Input::PathChange(PathChange::LocalAddress { old: None, new: local }));
            self.socket = socket;
        }
        if let Some(further) = shared.take_further() {
            shared.machine().handle_input(now, Input::PathChange(PathChange::FurtherAddress(further)));
        }
        let mut next = news;
        while let Some((remote, news)) = next {
            shared.machine().handle_input(now, Input::PathChange(PathChange::Carrier { remote, news }));
            next = self.socket.take_news();
        }
        let (mut next, mut told) = (unreachable, 0);
        while let Some(unreachable) = next {
            shared.machine().handle_input(now, Input::Unreachable(unreachable));
            told += 1;
            next = if told < UNREACHABLES_MAX { self.socket.take_unreachable() } else { None };
        }
        let mut packets = 0;
        while let Some(datagram) = self.inbox.next(self.portion - packets) {
            packets += datagram.payload.len().div_ceil(datagram.segment_size);
            shared.handle_datagram(now, datagram, &mut self.wakers);
        }
        if due {
            self.timed_at = now;
            shared.machine().handle_timeout(now);
        }
        if entropy_due {
            self.entropy.hand_in(now, shared.machine());
        }
        self.more = true;
        let mut events = 0;
        while let Some(buffer) = self.outbox.vacant() {
            match shared.machine().poll_output(now, buffer) {
                Output::Transmit(transmit) => {
                    shared.handle_leaving(now, &transmit, &buffer[..transmit.len]);
                    self.outbox.push(transmit);
                }
                Output::Event(event) => {
                    events += shared.handle_event(now, event, &mut self.wakers);
                }
                Output::NeedsEntropy => {
                    self.entropy.owed += 1;
                    self.entropy.hand_in(now, shared.machine());
                }
                Output::Timeout(deadline) => {
                    let quick = !self.busy_poll.is_zero();
                    // Not from now on: where turns are more frequent than that, no timer would ever be due.
                    self.deadline = deadline.map(|deadline| match quick && deadline > now {
                        true => deadline.max(self.timed_at + TIMER_GRAIN),
                        false => deadline.max(self.timed_at + TIMER_FLOOR),
                    });
                    self.near = quick && self.deadline.is_some_and(|deadline| deadline < now + FINE_BELOW);
                    self.more = false;
                    break;
                }
            }
        }
        self.more |= shared.handle_polled(now, &mut self.wakers);
        if packets > 0 {
            self.portion = (packets * EVENTS_MAX / events.max(EVENTS_MAX / 2)).clamp(1, PORTION_MAX);
        }
        self.finished = !self.more && shared.is_finished();
        drop(shared);
        self.wakers.drain(..).for_each(Waker::wake);
    }
}

impl<D: Driven> Future for Driver<D> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // The only error is that the runtime waits for nothing any more; dropping the driver tells everyone.
        self.get_mut().poll_turns(cx).map(|_| ())
    }
}

impl<D: Driven> Drop for Driver<D> {
    fn drop(&mut self) {
        let mut shared = self.shared.lock();
        shared.set_gone();
        shared.handle_stop(&mut self.wakers);
        drop(shared);
        self.wakers.drain(..).for_each(Waker::wake);
    }
}

/// Fills what it is given, and answers whether it could.
type Fill = dyn FnMut(&mut [u8; 32]) -> bool + Send;

/// The system's entropy on its way to a machine.
struct Entropy {
    fill: Box<Fill>,
    /// How often it was asked for and not handed in.
    owed: u32,
    /// When the system, which had none, is asked again.
    again_at: Option<Instant>,
}

impl Entropy {
    fn new(fill: impl FnMut(&mut [u8; 32]) -> bool + Send + 'static) -> Entropy {
        Entropy { fill: Box::new(fill), owed: 0, again_at: None }
    }

    /// Hands in what is owed, if the system has it. Else the exchanges wait: a machine asks once for each.
    fn hand_in(&mut self, now: Instant, machine: &mut impl Machine) {
        self.again_at = None;
        while self.owed > 0 {
            let mut entropy = [0; 32];
            if !(self.fill)(&mut entropy) {
                self.again_at = Some(now + ENTROPY_RETRY_AFTER);
                return;
            }
            machine.handle_input(now, Input::Entropy(&mut entropy));
            entropy.zeroize();
            self.owed -= 1;
        }
    }
}

/// More packets than any receive call gives.
const PORTION_MAX: usize = RECEIVE_BATCH * RECEIVE_BUFFER;

/// Messages on their way from a [`Socket`] to a machine: of a [`Driver`], or of a loop of a program's own.
pub struct Inbox {
    buffer: Box<[u8]>,
    received: [Received; RECEIVE_BATCH],
    /// Messages in the buffer.
    count: usize,
    /// The first of them that was not fed to the machine as a whole, and how much of it was.
    at: (usize, usize),
    errors_in_a_row: u32,
    /// The socket only fails and is left alone until then.
    paused_until: Option<Instant>,
}

impl Inbox {
    /// An empty one, with a buffer for all that a receive call gives.
    #[expect(clippy::new_without_default, reason = "it takes half a megabyte")]
    pub fn new() -> Inbox {
        Inbox {
            buffer: vec![0; RECEIVE_BATCH * RECEIVE_BUFFER].into_boxed_slice(),
            received: [Received::default(); RECEIVE_BATCH],
            count: 0,
            at: (0, 0),
            errors_in_a_row: 0,
            paused_until: None,
        }
    }

    /// Makes one receive call that succeeds, if the socket has something, and answers how many messages it gave. With
    /// 0, the task is woken when there are some, or `paused_until` says when to come back. If `awake`, the system is
    /// asked also when it has not said that there is something.
    ///
    /// # Errors
    /// Only when waiting is no longer possible.
    pub fn poll_receive(
        &mut self,
        socket: &dyn Socket,
        clock: Clock,
        awake: bool,
        cx: &mut Context<'_>,
    ) -> io::Result<usize> {
        if self.paused_until.is_some_and(|until| clock.now() < until) {
            return Ok(0);
        }
        self.paused_until = None;
        loop {
            let unasked = match socket.poll_readable(cx) {
                Poll::Ready(ready) => ready.map(|()| false)?,
                Poll::Pending if awake => true,
                Poll::Pending => break,
            };
            let received = match unasked {
                false => socket.try_receive(&mut self.buffer, &mut self.received),
                true => socket.receive_unasked(&mut self.buffer, &mut self.received),
            };
            match received {
                Ok(count @ 1..) => {
                    self.errors_in_a_row = 0;
                    (self.count, self.at) = (count, (0, 0));
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && unasked => break,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // An error tells of a datagram sent earlier, which the machine will find lost.
                Ok(0) | Err(_) => {
                    self.errors_in_a_row += 1;
                    if self.errors_in_a_row >= RECEIVE_ERRORS_MAX {
                        self.errors_in_a_row = 0;
                        self.paused_until = Some(clock.now() + RECEIVE_PAUSE);
                        break;
                    }
                }
            }
        }
        Ok(0)
    }

    /// Whether some of what was received has not been fed to the machine.
    fn has_rest(&self) -> bool {
        self.at.0 < self.count
    }

    /// What comes next, at most `packets` of it.
    pub fn next(&mut self, packets: usize) -> Option<Datagram<'_>> {
        while self.at.0 < self.count && self.received[self.at.0].len == 0 {
            self.at.0 += 1;
        }
        let (message, start) = self.at;
        if message >= self.count || packets == 0 {
            return None;
        }
        let received = &self.received[message];
        let segment_size = received.segment_size.clamp(1, received.len);
        let end = received.len.min(segment_size.saturating_mul(packets).saturating_add(start));
        self.at = if end < received.len { (message, end) } else { (message + 1, 0) };
        let from = message * RECEIVE_BUFFER;
        Some(Datagram {
            remote: received.remote,
            local: received.local,
            ecn: received.ecn,
            segment_size,
            payload: &mut self.buffer[from + start..from + end],
        })
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("count", &self.count).field("at", &self.at).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
