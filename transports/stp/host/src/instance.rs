//! What runs a guest.

use core::any::Any;
use core::fmt;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tng_stp_abi::{Arrived, Guest, Host, RING_ENTRIES, Refused, SocketKind, UserRequest};

use crate::{Quotas, Shim};

/// A call of the host's into a guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callback {
    /// The connection begins.
    Attach,
    /// The path is there, at the end that began.
    Connect,
    /// The path is there, at the end that accepted.
    Accept,
    /// The connection is over.
    Abort,
    /// Segments arrived: [`Shim::take_arrived`] has them.
    Input,
    /// A timer went off.
    Timer(u32),
    /// The application asks for something.
    UserRequest(UserRequest),
    /// The guest is taken down in so many milliseconds.
    Shutdown {
        /// Milliseconds until then.
        deadline_ms: u32,
    },
    /// The path is another one.
    PathChanged,
    /// A call of the protocol's own; its bytes are [`Shim::area`].
    Call {
        /// Which.
        number: u32,
    },
}

impl Callback {
    /// The function of the border that it calls.
    pub const fn name(self) -> &'static str {
        match self {
            Callback::Attach => "attach",
            Callback::Connect => "connect",
            Callback::Accept => "accept",
            Callback::Abort => "abort",
            Callback::Input => "input",
            Callback::Timer(_) => "timer",
            Callback::UserRequest(_) => "usrreq",
            Callback::Shutdown { .. } => "shutdown",
            Callback::PathChanged => "path_changed",
            Callback::Call { .. } => "call",
        }
    }
}

/// What a guest has done wrong. It is not called again.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// Policy: a callback used all of its fuel, or ran past the backstop in time.
    Cpu,
    /// Policy: it used all of its stack.
    Stack,
    /// Policy: it was denied too much.
    Denied,
    /// Policy: sums that were to prove that segments arrived proved nothing, too often. It, or its peer, makes them up.
    Unproven,
    /// Policy: it asked to send again and again when it had been told to wait.
    Pushing,
    /// Guest: it pointed outside of its memory.
    Pointer,
    /// Guest: it panicked, or ran into a trap.
    Trapped(String),
    /// Policy: it had something to send, and sent nothing in time.
    Silent,
    /// Policy: it had something to send, burnt all the fuel that it may have, and sent nothing.
    Busy,
    /// Environment: there is no room for an instance.
    NoRoom,
    /// Environment, or guest: the process in which it ran has ended.
    ProcessGone {
        /// The signal that ended it, if one did.
        signal: Option<i32>,
    },
    /// Policy: the process in which it ran did not answer a call in time.
    ProcessSlow {
        /// What the guest is called.
        guest: Arc<str>,
        /// So long it had.
        after: Duration,
    },
    /// Guest: the process in which it ran says what none does that runs our code, or closes its line and lives on.
    ProcessStrange,
    /// Policy: it does not run any more.
    Refused,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Cpu => f.write_str("the guest used up its time in one call; do less in a call, or set a timer"),
            Fault::Stack => f.write_str("the guest used up its stack; recurse less"),
            Fault::Denied => f.write_str("the guest went on asking for what its quotas deny; look at its denials"),
            Fault::Unproven => {
                f.write_str("proofs that segments arrived proved nothing; the guest or its peer makes them up")
            }
            Fault::Pushing => f.write_str("the guest went on sending when it was told to wait; wait for the timer"),
            Fault::Pointer => f.write_str("the guest pointed outside of its memory"),
            Fault::Trapped(what) => write!(f, "the guest trapped: {what}"),
            Fault::Busy => f.write_str(
                "the guest had something to send, used all of the processor that it may have, and sent nothing",
            ),
            Fault::Silent => f.write_str("the guest had something to send, and sent nothing in time"),
            Fault::NoRoom => f.write_str("there is no room for another instance of the guest; close connections"),
            Fault::ProcessGone { signal: Some(signal) } => {
                write!(f, "the guest's process was ended by signal {signal}; connect again")
            }
            Fault::ProcessGone { signal: None } => f.write_str("the guest's process has ended; connect again"),
            Fault::ProcessSlow { guest, after } => write!(
                f,
                "the process of the guest {guest} did not answer a call within {} ms, and was ended; connect again",
                after.as_millis()
            ),
            Fault::ProcessStrange => {
                f.write_str("the guest's process did what none may do, and was ended; do not run this code again")
            }
            Fault::Refused => {
                f.write_str("the policy does not let the guest run any more; `tng stp policy explain` says why")
            }
        }
    }
}

impl core::error::Error for Fault {}

impl Fault {
    /// What the peer is told: nothing of this host but the kind of the fault.
    pub const fn told(&self) -> &'static str {
        match self {
            Fault::Cpu => "a guest was stopped: it used up its time in one call",
            Fault::Stack => "a guest was stopped: it used up its stack",
            Fault::Denied => "a guest was stopped: it went on asking for what its quotas deny",
            Fault::Unproven => "a guest was stopped: proofs that segments arrived proved nothing",
            Fault::Pushing => "a guest was stopped: it went on sending when it was told to wait",
            Fault::Pointer => "a guest was stopped: it pointed outside of its memory",
            Fault::Trapped(_) => "a guest was stopped: it trapped",
            Fault::Busy => "a guest was stopped: it used all of its processor, and sent nothing",
            Fault::Silent => "a guest was stopped: it had something to send, and sent nothing in time",
            Fault::NoRoom => "there was no room for a guest",
            Fault::ProcessGone { .. } => "a guest's process has ended",
            Fault::ProcessSlow { .. } => "a guest was stopped: its process did not answer in time",
            Fault::ProcessStrange => "a guest was stopped: its process did what none may do",
            Fault::Refused => "a guest was stopped: the policy does not let it run any more",
        }
    }
}

/// What an instance has used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// Calls into the guest.
    pub calls: u64,
    /// Fuel burnt in them; natively none is counted.
    pub fuel: u64,
    /// Bytes of the guest's memory; natively none are counted. It never shrinks, and is
    /// gone when the guest has ended.
    pub memory: u64,
    /// Time that its calls took, where somebody with a clock measures it. No call waits for anything, so it is that of
    /// a processor, unless that did something else meanwhile.
    pub time: Duration,
    /// Most bytes that the guest and the host, for it, had at once, where somebody looks.
    pub most: u64,
    /// Time for which the host stood still for calls that another process ran.
    pub waited: Duration,
}

/// What answers a guest's code where it runs: the host's side, or what stands for it in another process.
pub trait Beside: Host + Any + Send {
    /// What it may use.
    fn quotas(&self) -> &Quotas;

    /// What its socket is.
    fn socket_kind(&self) -> SocketKind;

    /// What the call of `input` that begins is told.
    fn take_arrived(&mut self, into: &mut [Arrived; RING_ENTRIES]) -> usize;

    /// Bytes of a call of the protocol's own: what the application says, and then what the guest answers.
    fn area(&mut self) -> &mut Vec<u8>;

    /// Growth of memory, or of a table, was denied. Answers whether that was once too often.
    fn deny_memory(&mut self) -> bool;
}

/// A guest at work: one end of one connection, with the host's side of it.
pub trait Instance: fmt::Debug + Send {
    /// The host's side.
    fn shim(&self) -> &Shim;

    /// The same, to change.
    fn shim_mut(&mut self) -> &mut Shim;

    /// Gets what calls need, if it has to be had from somewhere, and says whether it is there. It is asked when the
    /// first channel is there, so that who has proven nothing takes nothing that is scarce, and again until it is.
    ///
    /// # Errors
    /// See [`Fault`]. The instance is not called.
    fn prepare(&mut self) -> Result<bool, Fault>;

    /// Calls the guest. `Call` answers how many bytes of the area are its answer, or a [`Refused`]; all others 0.
    ///
    /// # Errors
    /// See [`Fault`]. The instance is not called again.
    fn call(&mut self, callback: Callback) -> Result<i64, Fault>;

    /// Tells the guest of two things, one after the other; of the second only if the first is well.
    ///
    /// # Errors
    /// As [`call`](Instance::call).
    fn call_both(&mut self, first: Callback, second: Callback) -> Result<i64, Fault> {
        self.call(first)?;
        self.call(second)
    }

    /// What it has used.
    fn usage(&self) -> Usage;

    /// How often to tell it of what happens, where a call is dear: the next time it hears of more at once.
    fn told_every(&self) -> Option<Duration>;

    /// How often to [look after](Instance::look_after) it while it is not called, if it can end by itself.
    fn looked_after_every(&self) -> Option<Duration>;

    /// Finds out whether it is there still.
    ///
    /// # Errors
    /// See [`Fault`]. The instance is not called again.
    fn look_after(&mut self) -> Result<(), Fault>;

    /// It is not called any more: what only calls need goes, its memory first. The host's side stays.
    fn release(&mut self);
}

/// A guest that is compiled into this program, and called directly.
pub struct Native<G> {
    shim: Box<Shim>,
    guest: Option<G>,
    arrived: Box<[Arrived; RING_ENTRIES]>,
    calls: u64,
}

impl<G> fmt::Debug for Native<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Native").field("shim", &self.shim).field("calls", &self.calls).finish_non_exhaustive()
    }
}

impl<G: Guest + Send> Native<G> {
    /// A guest that is not attached yet.
    pub fn new(shim: Box<Shim>) -> Native<G> {
        Native { shim, guest: None, arrived: Box::new([Arrived::EMPTY; RING_ENTRIES]), calls: 0 }
    }

    fn dispatch(&mut self, callback: Callback) -> i64 {
        let shim = &mut *self.shim;
        let Some(guest) = &mut self.guest else {
            if callback == Callback::Attach {
                self.guest = Some(G::attach(shim));
            }
            return 0;
        };
        match callback {
            Callback::Attach => {}
            Callback::Connect => guest.connect(shim),
            Callback::Accept => guest.accept(shim),
            Callback::Abort => guest.abort(shim),
            Callback::Input => {
                let count = shim.take_arrived(&mut self.arrived);
                guest.input(shim, &self.arrived[..count]);
            }
            Callback::Timer(id) => guest.timer(shim, id),
            Callback::UserRequest(request) => guest.usrreq(shim, request),
            Callback::Shutdown { deadline_ms } => guest.shutdown(shim, deadline_ms),
            Callback::PathChanged => guest.path_changed(shim),
            Callback::Call { number } => {
                let mut area = core::mem::take(shim.area());
                let len = area.len();
                area.resize(tng_stp_abi::CALL_MAX, 0);
                let answer = guest.call(shim, number, &mut area, len);
                *shim.area() = area;
                return answer.map_or_else(Refused::number, |len| len as i64);
            }
        }
        0
    }
}

impl<G: Guest + Send> Instance for Native<G> {
    fn shim(&self) -> &Shim {
        &self.shim
    }

    fn shim_mut(&mut self) -> &mut Shim {
        &mut self.shim
    }

    fn prepare(&mut self) -> Result<bool, Fault> {
        Ok(true)
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        self.calls += 1;
        // Nobody sees again what the panic left: the guest is not called any more.
        catch_unwind(AssertUnwindSafe(|| self.dispatch(callback))).map_err(|_| Fault::Trapped("panicked".to_owned()))
    }

    fn usage(&self) -> Usage {
        Usage { calls: self.calls, ..Usage::default() }
    }

    fn told_every(&self) -> Option<Duration> {
        None
    }

    fn looked_after_every(&self) -> Option<Duration> {
        None
    }

    fn look_after(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn release(&mut self) {
        self.guest = None;
    }
}
