//! A machine behind a lock, shared by its driver and by the tasks that use it.

use core::net::IpAddr;
use core::ops::{Deref, DerefMut};
use core::task::Waker;
use std::sync::{Arc, PoisonError};

use tng_base::{Datagram, Input, Instant, Machine, Transmit};

use tokio::sync::oneshot;

use crate::outbox::SendCounters;
use crate::socket::Socket;
use crate::sync::{Mutex, MutexGuard};

/// A machine, and what stands beside it under the same lock.
pub trait Driven: Send + 'static {
    /// What the driver drives.
    type Machine: Machine;

    /// The machine.
    fn machine(&mut self) -> &mut Self::Machine;

    /// Takes one event of the machine, and others that it has, if it knows of a shorter way to them. Answers how many.
    /// Tasks to be woken go to `wakers`; they are woken when the lock is released.
    fn handle_event(
        &mut self,
        now: Instant,
        event: <Self::Machine as Machine>::Event,
        wakers: &mut Vec<Waker>,
    ) -> usize;

    /// Takes what other threads have handed over since; what they do from now on wakes the driver. Answers whether
    /// there is some.
    fn take_handed(&mut self, _driver: &Waker) -> bool {
        false
    }

    /// The driver is about to do something. Tasks to be woken go to `wakers`.
    fn begin_turn(&mut self, _now: Instant, _wakers: &mut Vec<Waker>) {}

    /// Datagrams have arrived, for the machine. Tasks to be woken go to `wakers`.
    fn handle_datagram(&mut self, now: Instant, datagram: Datagram<'_>, _wakers: &mut Vec<Waker>) {
        self.machine().handle_input(now, Input::Datagram(datagram));
    }

    /// Whether the driver has found something at its socket each time that it looked since this was said last: then
    /// more may wait there.
    fn handle_backlog(&mut self, _is_there_more: bool) {}

    /// The machine has written these datagrams.
    fn handle_leaving(&mut self, _now: Instant, _transmit: &Transmit, _bytes: &[u8]) {}

    /// The machine has been polled. Answers whether to poll it again.
    fn handle_polled(&mut self, _now: Instant, _wakers: &mut Vec<Waker>) -> bool {
        false
    }

    /// The driver is gone and nothing will move any more. Every waiting task goes to `wakers`.
    fn handle_stop(&mut self, wakers: &mut Vec<Waker>);

    /// Whether the driver may end once everything is sent.
    fn is_finished(&self) -> bool;
}

/// Real time as machines see it: nanoseconds since the driver was made.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: std::time::Instant,
}

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "the driver is where time comes from")]
    /// A clock that reads zero now.
    pub fn start() -> Clock {
        Clock { origin: std::time::Instant::now() }
    }

    /// Time since the start.
    pub fn now(&self) -> Instant {
        Instant::ZERO + self.origin.elapsed()
    }

    /// The moment as tokio's timers take it.
    pub fn to_tokio(self, at: Instant) -> tokio::time::Instant {
        // A time beyond the reach of the system's clock is as good as a day ahead: timers may fire early.
        const DAY: core::time::Duration = core::time::Duration::from_secs(86_400);
        let origin = self.origin;
        let far = || origin + origin.elapsed() + DAY;
        origin.checked_add(at.since(Instant::ZERO)).unwrap_or_else(far).into()
    }
}

/// The lock. Held for a copy or a burst of packets, never across a wait or a system call.
#[derive(Debug)]
pub struct Shared<D> {
    clock: Clock,
    state: Mutex<State<D>>,
}

#[derive(Debug)]
struct State<D> {
    driven: D,
    /// The latest time given out: it never goes back, whichever task asks.
    now: Instant,
    /// The machine was touched since the driver last polled it.
    touched: bool,
    /// Wakes the driver.
    driver: Option<Waker>,
    /// What has gone out.
    sent: SendCounters,
    /// To be told when everything that the machine has to say by now is out.
    awaits_flush: Vec<oneshot::Sender<()>>,
    /// The socket to go on with, from the driver's next turn.
    rebound: Option<Arc<dyn Socket>>,
    /// An address that the host has beside those it had, which the machine has not heard of.
    further: Option<IpAddr>,
    /// The driver is gone for good.
    gone: bool,
}

impl<D: Driven> Shared<D> {
    /// Puts a machine behind the lock.
    pub fn new(driven: D) -> Shared<D> {
        Shared::by(driven, Clock::start())
    }

    /// The same, by a clock that others go by, too.
    pub fn by(driven: D, clock: Clock) -> Shared<D> {
        let state = State {
            driven,
            now: Instant::ZERO,
            touched: true,
            driver: None,
            sent: SendCounters::default(),
            awaits_flush: Vec::new(),
            rebound: None,
            further: None,
            gone: false,
        };
        Shared { clock, state: Mutex::new(state) }
    }

    /// The clock that its times are read from.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Takes the lock. Keep it short: the driver waits.
    pub fn lock(&self) -> Locked<'_, D> {
        // A panic under the lock ends the driver, which tells everyone; the others must still be able to hear it.
        let guard = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Locked { clock: self.clock, guard: Some(guard), driver: None }
    }
}

/// The lock, held. The driver is woken after it is released.
pub struct Locked<'a, D> {
    clock: Clock,
    /// Taken only when the lock is dropped.
    guard: Option<MutexGuard<'a, State<D>>>,
    /// To be woken on release.
    driver: Option<Waker>,
}

impl<D> Locked<'_, D> {
    fn state(&mut self) -> &mut State<D> {
        self.guard.as_mut().expect("held until dropped")
    }

    /// The time, not before any time given out earlier.
    pub fn now(&mut self) -> Instant {
        // Read under the lock: no other task can have been given a later one.
        let now = self.clock.now();
        let state = self.state();
        state.now = state.now.max(now);
        state.now
    }

    /// Has the driver poll the machine soon. A burst of calls wakes it once.
    pub fn wake_driver(&mut self) {
        let state = self.state();
        if !core::mem::replace(&mut state.touched, true)
            && let Some(driver) = state.driver.take()
        {
            self.driver = Some(driver);
        }
    }

    /// Resolves when everything that the machine has to say by now has gone out, or the driver is gone.
    pub fn flushed(&mut self) -> oneshot::Receiver<()> {
        let (tell, told) = oneshot::channel();
        if !self.state().gone {
            self.state().awaits_flush.push(tell);
            self.wake_driver();
        }
        told
    }

    /// Those who wait for what is polled now to go out.
    pub(crate) fn take_awaits_flush(&mut self) -> Vec<oneshot::Sender<()>> {
        core::mem::take(&mut self.state().awaits_flush)
    }

    /// The driver ends: nothing goes out any more.
    pub(crate) fn set_gone(&mut self) {
        let state = self.state();
        (state.gone, state.rebound) = (true, None);
        state.awaits_flush.clear();
    }

    /// Has the driver go on with another socket; the machine is told that its host has moved. What arrives at the old
    /// one from now on is lost. A driver that is gone takes none.
    pub fn rebind(&mut self, socket: Arc<dyn Socket>) {
        if !self.state().gone {
            self.state().rebound = Some(socket);
            self.wake_driver();
        }
    }

    /// The socket to go on with, if there is a new one.
    pub(crate) fn take_rebound(&mut self) -> Option<Arc<dyn Socket>> {
        self.state().rebound.take()
    }

    /// Has the driver tell the machine of a further address of its host.
    pub fn note_address(&mut self, address: IpAddr) {
        self.state().further = Some(address);
        self.wake_driver();
    }

    /// The further address, if there is one to tell of.
    pub(crate) fn take_further(&mut self) -> Option<IpAddr> {
        self.state().further.take()
    }

    /// What has gone out through the socket, as of the driver's last turn.
    pub fn sent(&mut self) -> SendCounters {
        self.state().sent
    }

    /// The driver's report of what has gone out.
    pub(crate) fn set_sent(&mut self, sent: SendCounters) {
        self.state().sent = sent;
    }

    /// The driver is about to poll the machine; it is woken by the next [`wake_driver`](Locked::wake_driver). Answers
    /// whether there was one.
    pub(crate) fn take_touched(&mut self, driver: &Waker) -> bool {
        let state = self.state();
        match &mut state.driver {
            Some(known) => known.clone_from(driver),
            none => *none = Some(driver.clone()),
        }
        core::mem::take(&mut state.touched)
    }
}

impl<D> Deref for Locked<'_, D> {
    type Target = D;
    fn deref(&self) -> &D {
        &self.guard.as_ref().expect("held until dropped").driven
    }
}

impl<D> DerefMut for Locked<'_, D> {
    fn deref_mut(&mut self) -> &mut D {
        &mut self.state().driven
    }
}

impl<D> Drop for Locked<'_, D> {
    fn drop(&mut self) {
        self.guard = None;
        if let Some(driver) = self.driver.take() {
            driver.wake();
        }
    }
}
