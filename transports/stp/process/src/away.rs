//! A guest whose code runs in another process: the host's end.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use tng_stp_abi::{Arrived, CALL_MAX, Host, RING_ENTRIES, Refused};
use tng_stp_host::{Beside, Callback, Fault, Instance, Shim, Usage};
use tng_wire::{Reader, Repr};

use crate::line::{LineError, now};
use crate::process::{Ending, Process};
use crate::wire::{Allowed, Deed, Deeds, Done, Order, Question, Report, Stands, Turn};

/// The process of a guest has so long for a call. The host stands still meanwhile; who takes longer is ended.
pub const ANSWER_MAX: Duration = Duration::from_millis(500);

/// A process that is not called is looked after this often: the least probe timeout of a channel, which has the
/// 40 ms in it for which an acknowledgment may wait.
pub const LOOKED_AFTER_EVERY: Duration = Duration::from_millis(40);

/// A guest hears this often of what happens: its clock counts no less, and two switches between processes for each
/// packet would cost more than all else.
pub const TOLD_EVERY: Duration = Duration::from_millis(1);

/// Bytes that are answered to one question.
const ANSWERED_MAX: usize = 64 << 10;

/// Has a process that nobody else has, if there is one.
pub(crate) type Source = dyn FnMut() -> Option<Process> + Send;

/// Where a guest's process is.
enum At {
    /// It has none yet: who has proven nothing takes none.
    Nowhere(Box<Source>),
    /// It has this one.
    There(Process),
    /// It is called no more.
    Over,
}

/// One end of one connection whose guest runs in a process of its own.
pub(crate) struct Away {
    /// What the guest is called.
    name: Arc<str>,
    shim: Box<Shim>,
    process: At,
    begun: bool,
    arrived: Box<[Arrived; RING_ENTRIES]>,
    /// What a message has beside its numbers.
    bytes: Vec<u8>,
    usage: Usage,
    fault: Option<Fault>,
}

impl fmt::Debug for Away {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Away")
            .field("name", &self.name)
            .field("shim", &self.shim)
            .field("process", &self.process().and_then(Process::id))
            .field("usage", &self.usage)
            .field("fault", &self.fault)
            .finish_non_exhaustive()
    }
}

/// A process says what cannot be.
#[derive(Debug)]
struct Strange;

impl From<Strange> for LineError {
    fn from(_: Strange) -> LineError {
        LineError::Strange
    }
}

impl Away {
    /// A guest that is not attached yet. It takes a process when its connection is proven.
    pub(crate) fn new(
        name: Arc<str>,
        source: impl FnMut() -> Option<Process> + Send + 'static,
        shim: Box<Shim>,
    ) -> Away {
        let arrived = Box::new([Arrived::EMPTY; RING_ENTRIES]);
        let (bytes, usage) = (Vec::new(), Usage::default());
        let process = At::Nowhere(Box::new(source));
        Away { name, shim, process, begun: false, arrived, bytes, usage, fault: None }
    }

    fn process(&self) -> Option<&Process> {
        match &self.process {
            At::There(process) => Some(process),
            At::Nowhere(_) | At::Over => None,
        }
    }

    /// What is said for a guest that has no process yet: it is attached when it has one.
    fn call_nobody(&mut self, callback: Callback) -> i64 {
        match callback {
            Callback::Call { .. } => Refused::WouldBlock.number(),
            Callback::Shutdown { .. } => {
                self.shim.proto_done();
                0
            }
            _ => 0,
        }
    }

    /// Calls the guest, which is attached before anything else.
    fn call_there(&mut self, callback: Callback, then: Option<Callback>) -> Result<Result<i64, Fault>, LineError> {
        let until = now() + ANSWER_MAX;
        if !self.begun
            && callback != Callback::Attach
            && let Err(fault) = self.turn(Callback::Attach, None, until)?
        {
            return Ok(Err(fault));
        }
        self.turn(callback, then, until)
    }

    fn turn(
        &mut self,
        callback: Callback,
        then: Option<Callback>,
        until: Instant,
    ) -> Result<Result<i64, Fault>, LineError> {
        let Away { shim, process, begun, arrived, bytes, usage, .. } = self;
        let calls = 1 + u64::from(then.is_some());
        usage.calls += calls;
        let At::There(process) = process else { return Err(LineError::Gone) };
        bytes.clear();
        match callback {
            Callback::Input => {
                let count = shim.take_arrived(arrived);
                for segment in &arrived[..count] {
                    crate::wire::tell(bytes, segment, shim.segment_buffer(segment.segment));
                }
            }
            Callback::Call { .. } => bytes.extend_from_slice(shim.area()),
            _ => {}
        }
        let line = &mut process.line;
        let stands = shim.standing();
        let mut leave = stands.leave;
        let turn = Turn { stands: Stands(stands), callback, then, bytes };
        line.send(&match core::mem::replace(begun, true) {
            true => Order::Turn(turn),
            false => {
                let (role, socket, allowed) = (shim.role(), shim.socket_kind(), Allowed(*shim.quotas()));
                Order::Begin { role, socket, allowed, turn }
            }
        })?;
        loop {
            // What comes without end is over in time, too.
            if now() > until {
                return Err(LineError::Slow);
            }
            let call = Called { callback, calls, leave: &mut leave };
            let number = match hear(shim, usage, call, line.receive(Some(until))?, bytes)? {
                Heard::Asked(number) => number,
                Heard::Over(answer) => return Ok(answer),
            };
            let stands = shim.standing();
            leave = stands.leave;
            line.send(&Order::Answer { number, bytes, stands: Stands(stands) })?;
        }
    }

    /// Calls the guest for one thing, and for another after that, in one message.
    fn call_in_one(&mut self, callback: Callback, then: Option<Callback>) -> Result<i64, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if let At::Nowhere(_) = self.process {
            // The path of packets calls nobody for two things.
            return Ok(self.call_nobody(callback));
        }
        let began = now();
        let turn = self.call_there(callback, then);
        self.usage.waited += began.elapsed();
        let error = match turn {
            Ok(answer) => {
                self.fault = answer.as_ref().err().cloned();
                return answer;
            }
            Err(error) => error,
        };
        let fault = match (error, core::mem::replace(&mut self.process, At::Over)) {
            (LineError::Gone, At::There(process)) => match process.end() {
                Ending::Ended { signal } => Fault::ProcessGone { signal },
                Ending::LivesOn => Fault::ProcessStrange,
            },
            (LineError::Gone, At::Nowhere(_) | At::Over) => Fault::ProcessGone { signal: None },
            (LineError::Slow, _) => Fault::ProcessSlow { guest: Arc::clone(&self.name), after: ANSWER_MAX },
            (LineError::Strange, _) => Fault::ProcessStrange,
        };
        self.fault = Some(fault.clone());
        Err(fault)
    }
}

/// A call that is under way.
struct Called<'a> {
    callback: Callback,
    /// Calls of the guest in it.
    calls: u64,
    /// What the policer lets leave.
    leave: &'a mut u64,
}

/// What a message comes to.
enum Heard {
    /// A question, and what is answered: a number of the border.
    Asked(i64),
    /// The end of the call.
    Over(Result<i64, Fault>),
}

/// Does what a message says.
fn hear(
    shim: &mut Shim,
    usage: &mut Usage,
    call: Called<'_>,
    report: Report<'_>,
    bytes: &mut Vec<u8>,
) -> Result<Heard, Strange> {
    match report {
        Report::Ask(deeds, question) => {
            do_all(shim, deeds, call.leave)?;
            Ok(Heard::Asked(answer(shim, question, bytes)))
        }
        Report::Done(done) => {
            do_all(shim, done.deeds, call.leave)?;
            finish(shim, usage, &call, done).map(Heard::Over)
        }
        Report::Ready(_) | Report::Unfit(_) => Err(Strange),
    }
}

/// What a host makes of any bytes in place of a message; for tests.
///
/// # Errors
/// What they say that the guest has done wrong, and [`Fault::ProcessStrange`].
#[doc(hidden)]
pub fn hear_bytes(shim: &mut Shim, usage: &mut Usage, callback: Callback, bytes: &[u8]) -> Result<i64, Fault> {
    let mut reader = Reader::new(bytes);
    let report = Report::parse(&mut reader).ok().filter(|_| reader.is_empty()).ok_or(Fault::ProcessStrange)?;
    let mut leave = shim.standing().leave;
    let call = Called { callback, calls: 1, leave: &mut leave };
    match hear(shim, usage, call, report, &mut Vec::new()) {
        Ok(Heard::Asked(_)) => Ok(0),
        Ok(Heard::Over(answer)) => answer,
        Err(Strange) => Err(Fault::ProcessStrange),
    }
}

/// The call is over.
fn finish(
    shim: &mut Shim,
    usage: &mut Usage,
    call: &Called<'_>,
    done: Done<'_>,
) -> Result<Result<i64, Fault>, Strange> {
    let Done { answer, fuel, memory, area, .. } = done;
    // Beside its own fuel a guest has as much for what the host does.
    let quotas = shim.quotas();
    if fuel > quotas.fuel.saturating_mul(2 * call.calls) || memory > quotas.memory || area.len() > CALL_MAX {
        return Err(Strange);
    }
    (usage.fuel, usage.memory) = (usage.fuel.saturating_add(fuel), memory);
    let Callback::Call { .. } = call.callback else { return Ok(answer.map(|_| 0)) };
    shim.area().clear();
    shim.area().extend_from_slice(area);
    Ok(answer)
}

/// Does what the guest has done.
fn do_all(shim: &mut Shim, mut deeds: Deeds<'_>, leave: &mut u64) -> Result<(), Strange> {
    while let Some(deed) = deeds.take().map_err(|_| Strange)? {
        // The process has said yes where it was told beforehand that this host would.
        do_one(shim, deed, leave).map_err(|_| Strange)?;
    }
    Ok(())
}

fn do_one(shim: &mut Shim, deed: Deed<'_>, leave: &mut u64) -> Result<(), Refused> {
    match deed {
        Deed::Send { head, body } => shim.net_send_within(head, body, leave).map(drop),
        Deed::Resend { head, body, lost } => {
            // As in `net_resend`.
            let _ = shim.nack(lost);
            shim.net_send_within(head, body, leave).map(drop)
        }
        // What proves nothing, or was no loss, is counted by who knows.
        Deed::Sum { numbers, sum, delay_us } => {
            let _ = shim.ack_sum(numbers, sum, delay_us);
            Ok(())
        }
        Deed::Nack { number } => {
            let _ = shim.nack(number);
            Ok(())
        }
        deed => try_one(shim, deed).map(drop),
    }
}

/// Does what the guest would do, if it may.
fn try_one(shim: &mut Shim, deed: Deed<'_>) -> Result<u64, Refused> {
    let done = match deed {
        Deed::Send { head, body } => return shim.net_send(head, body),
        Deed::Resend { head, body, lost } => return shim.net_resend(head, body, lost),
        Deed::Sum { numbers, sum, delay_us } => shim.ack_sum(numbers, sum, delay_us),
        Deed::Nack { number } => shim.nack(number),
        Deed::Drop { until } => shim.so_drop(until),
        Deed::Append { segment, bytes } => shim.so_append(segment, bytes),
        Deed::AppendBytes(bytes) => shim.so_append_bytes(bytes),
        Deed::SendAck(bytes) => shim.net_sendack(bytes),
        Deed::Keep { segment } => shim.seg_keep(segment),
        Deed::Free { segment } => shim.seg_free(segment),
        Deed::Timer { id, in_ms } => shim.timer_reset(id, in_ms),
        Deed::StopTimer { id } => shim.timer_stop(id),
        Deed::Done => {
            shim.proto_done();
            Ok(())
        }
        Deed::Connected => {
            shim.so_connected();
            Ok(())
        }
        Deed::End => {
            shim.so_end();
            Ok(())
        }
        Deed::Wakeup => {
            shim.so_wakeup();
            Ok(())
        }
        Deed::Error { code } => {
            shim.so_error(code);
            Ok(())
        }
        Deed::DeniedMemory => {
            shim.deny_memory();
            Ok(())
        }
        Deed::Crowded { len } => shim.net_send_crowded(len as usize),
    };
    done.map(|()| 0)
}

/// Answers a question: a number of the border, and bytes.
fn answer(shim: &mut Shim, question: Question<'_>, bytes: &mut Vec<u8>) -> i64 {
    bytes.clear();
    let mut room = |len: u32| bytes.resize((len as usize).min(ANSWERED_MAX), 0);
    let answered = match question {
        Question::Nothing => Ok(0),
        Question::Deed(deed) => try_one(shim, deed),
        Question::Read { from, len } => {
            room(len);
            shim.so_read(from, bytes).map(|len| len as u64)
        }
        Question::ReadSegment { segment, from, len } => {
            room(len);
            shim.seg_read(segment, from, bytes).map(|len| len as u64)
        }
        Question::Log(text) => shim.log(text).map(|()| 0),
        // Any number of 64 bits.
        Question::Budget => return shim.net_budget().cast_signed(),
        Question::Random => return shim.random().cast_signed(),
    };
    answered.map_or_else(Refused::number, |number| i64::try_from(number).unwrap_or(i64::MAX))
}

impl Instance for Away {
    fn shim(&self) -> &Shim {
        &self.shim
    }

    fn shim_mut(&mut self) -> &mut Shim {
        &mut self.shim
    }

    fn prepare(&mut self) -> Result<bool, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if let At::Nowhere(source) = &mut self.process
            && let Some(process) = source()
        {
            self.process = At::There(process);
        }
        Ok(self.process().is_some())
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        self.call_in_one(callback, None)
    }

    fn call_both(&mut self, first: Callback, second: Callback) -> Result<i64, Fault> {
        self.call_in_one(first, Some(second))
    }

    fn usage(&self) -> Usage {
        Usage { memory: if self.process().is_some() { self.usage.memory } else { 0 }, ..self.usage }
    }

    fn told_every(&self) -> Option<Duration> {
        Some(TOLD_EVERY)
    }

    fn looked_after_every(&self) -> Option<Duration> {
        Some(LOOKED_AFTER_EVERY)
    }

    fn look_after(&mut self) -> Result<(), Fault> {
        let At::There(process) = &mut self.process else { return self.fault.clone().map_or(Ok(()), Err) };
        process.is_there().map_err(|signal| {
            let fault = Fault::ProcessGone { signal };
            self.fault = Some(fault.clone());
            fault
        })
    }

    fn release(&mut self) {
        self.process = At::Over;
    }
}
