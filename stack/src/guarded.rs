//! A registered protocol, called so that what it does wrong ends its own connection and no other.
//!
//! A protocol handles what peers send, some of it before they have proven anything, and it is not this host's code. So
//! each call into it is made here: if it panics, or says that it wrote more than there was room for, it is not called
//! again, and the connection that it belongs to ends. Structured streams do not come this way.

use core::cell::Cell;
use core::fmt;
use core::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tng_base::{
    ChannelKey, Ecn, Fate, Filled, Footing, Instant, PathCondition, Protocol, Semantic, Taken, Train, Violation,
};

use crate::codes;

/// Bytes that one registered protocol counts for at most, whatever it says that it holds or promises: more than any
/// host has, and few enough that sums over all connections do not overflow.
pub const REGISTERED_BYTES_MAX: u64 = 1 << 40;

/// What a registered protocol has done wrong at this end. That is a fault of the program that brought it, not of the
/// peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProtocolFault {
    /// It panicked.
    Panicked,
    /// [`poll_packet`](Protocol::poll_packet) says that it wrote more bytes than there was room for.
    Overfilled {
        /// Bytes that it says it wrote.
        len: usize,
        /// Bytes of room.
        room: usize,
    },
    /// It says that it [cannot go on](Semantic::failure).
    Stopped {
        /// The close code that the peer is told.
        code: u64,
        /// Why, for people.
        reason: &'static str,
    },
}

impl fmt::Display for ProtocolFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProtocolFault::Panicked => {
                f.write_str("the registered protocol panicked; what the panic printed says where to mend it")
            }
            ProtocolFault::Overfilled { len, room } => {
                write!(f, "the registered protocol says that it wrote {len} bytes where {room} fit; mend `poll_packet`")
            }
            ProtocolFault::Stopped { reason, .. } => {
                write!(f, "the registered protocol stopped: {reason}; ask it for more")
            }
        }
    }
}

impl core::error::Error for ProtocolFault {}

impl ProtocolFault {
    /// What the peer is told.
    pub(crate) const fn violation(self) -> Violation {
        match self {
            ProtocolFault::Stopped { code, reason } => Violation { code, reason },
            ProtocolFault::Panicked | ProtocolFault::Overfilled { .. } => {
                Violation { code: codes::INTERNAL, reason: "the protocol has failed at the other end" }
            }
        }
    }
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Guarded {
    protocol: Box<dyn Semantic>,
    fault: Cell<Option<ProtocolFault>>,
}

impl Guarded {
    pub(crate) fn new(protocol: Box<dyn Semantic>) -> Guarded {
        Guarded { protocol, fault: Cell::new(None) }
    }

    /// What it has done wrong, if it has, or why it cannot go on.
    pub(crate) fn fault(&self) -> Option<ProtocolFault> {
        let stopped = || {
            self.ask(|it| it.failure())
                .flatten()
                .map(|Violation { code, reason }| ProtocolFault::Stopped { code, reason })
        };
        self.fault.get().or_else(stopped).or_else(|| self.fault.get())
    }

    /// The protocol's value, for the application, which answers for its own calls.
    pub(crate) fn get_mut(&mut self) -> &mut dyn Semantic {
        &mut *self.protocol
    }

    pub(crate) fn into_inner(self) -> Box<dyn Semantic> {
        self.protocol
    }

    /// What `call` answers; nothing if the protocol has failed, now or before.
    fn call<T>(&mut self, call: impl FnOnce(&mut dyn Semantic) -> T) -> Option<T> {
        let Guarded { protocol, fault } = self;
        guard(fault, || call(&mut **protocol))
    }

    fn ask<T>(&self, ask: impl FnOnce(&dyn Semantic) -> T) -> Option<T> {
        guard(&self.fault, || ask(&*self.protocol))
    }
}

fn guard<T>(fault: &Cell<Option<ProtocolFault>>, call: impl FnOnce() -> T) -> Option<T> {
    if fault.get().is_some() {
        return None;
    }
    // Nobody but the application, which is told, sees again what the panic left.
    let answer = catch_unwind(AssertUnwindSafe(call)).ok();
    if answer.is_none() {
        fault.set(Some(ProtocolFault::Panicked));
    }
    answer
}

impl Protocol for Guarded {
    fn handle_packet(
        &mut self,
        now: Instant,
        channel: ChannelKey,
        number: u64,
        ecn: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        let taken = self.call(|it| it.handle_packet(now, channel, number, ecn, payload));
        taken.unwrap_or(Err(ProtocolFault::Panicked.violation()))
    }

    fn replay_safe(&self, payload: &[u8]) -> bool {
        self.ask(|it| it.replay_safe(payload)).unwrap_or(false)
    }

    /// What is empty is no packet.
    fn poll_packet(&mut self, now: Instant, channel: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        let room = buf.len();
        let filled = self.call(|it| it.poll_packet(now, channel, number, buf)).flatten()?;
        if filled.len > room {
            self.fault.set(Some(ProtocolFault::Overfilled { len: filled.len, room }));
            return None;
        }
        (filled.len > 0).then_some(filled)
    }

    fn poll_train(&mut self, now: Instant, channel: ChannelKey, train: &mut Train<'_>) {
        let room = train.room();
        self.call(|it| it.poll_train(now, channel, train));
        if let Some(len) = train.overfilled() {
            self.fault.set(Some(ProtocolFault::Overfilled { len, room }));
        }
    }

    fn wants_to_send(&mut self, now: Instant, channel: ChannelKey) -> bool {
        self.call(|it| it.wants_to_send(now, channel)).unwrap_or(false)
    }

    fn handle_fates(&mut self, now: Instant, channel: ChannelKey, numbers: Range<u64>, fate: Fate) {
        self.call(|it| it.handle_fates(now, channel, numbers, fate));
    }

    fn handle_attach(&mut self, now: Instant, channel: ChannelKey) {
        self.call(|it| it.handle_attach(now, channel));
    }

    fn handle_detach(&mut self, now: Instant, channel: ChannelKey) {
        self.call(|it| it.handle_detach(now, channel));
    }

    fn handle_path(&mut self, now: Instant, channel: ChannelKey, condition: PathCondition) {
        self.call(|it| it.handle_path(now, channel, condition));
    }

    fn handle_move(&mut self, now: Instant, channel: ChannelKey) {
        self.call(|it| it.handle_move(now, channel));
    }

    fn polices_itself(&self) -> bool {
        self.ask(|it| it.polices_itself()).unwrap_or(false)
    }

    fn heeds_marks(&self) -> bool {
        self.ask(|it| it.heeds_marks()).unwrap_or(false)
    }

    fn handle_footing(&mut self, now: Instant, footing: Footing) {
        self.call(|it| it.handle_footing(now, footing));
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.ask(|it| it.poll_timeout()).flatten()
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.call(|it| it.handle_timeout(now));
    }
}

impl Semantic for Guarded {
    fn recognizes(&self, payload: &[u8]) -> bool {
        self.ask(|it| it.recognizes(payload)).unwrap_or(false)
    }

    fn speak_first(&mut self) {
        self.call(|it| it.speak_first());
    }

    fn set_up_item(&self) -> Option<Vec<u8>> {
        self.ask(|it| it.set_up_item()).flatten()
    }

    fn handle_set_up_item(&mut self, item: Option<&[u8]>) -> Result<(), Violation> {
        self.call(|it| it.handle_set_up_item(item)).unwrap_or(Err(ProtocolFault::Panicked.violation()))
    }

    fn handle_set_up_packet(
        &mut self,
        now: Instant,
        channel: ChannelKey,
        payload: &[u8],
        early: bool,
    ) -> Result<Taken, Violation> {
        let taken = self.call(|it| it.handle_set_up_packet(now, channel, payload, early));
        taken.unwrap_or(Err(ProtocolFault::Panicked.violation()))
    }

    fn repeatable(&self, payload: &[u8]) -> bool {
        self.ask(|it| it.repeatable(payload)).unwrap_or(false)
    }

    fn set_retired(&mut self, channel: ChannelKey, retired: bool) {
        self.call(|it| it.set_retired(channel, retired));
    }

    fn is_idle(&self) -> bool {
        self.ask(|it| it.is_idle()).unwrap_or(true)
    }

    fn is_empty(&self) -> bool {
        self.ask(|it| it.is_empty()).unwrap_or(true)
    }

    fn bytes_held(&self) -> u64 {
        self.ask(|it| it.bytes_held()).unwrap_or(0).min(REGISTERED_BYTES_MAX)
    }

    fn bytes_promised(&self) -> u64 {
        self.ask(|it| it.bytes_promised()).unwrap_or(0).min(REGISTERED_BYTES_MAX)
    }

    fn progress(&self) -> u64 {
        self.ask(|it| it.progress()).unwrap_or(0)
    }

    fn allow(&mut self, spare_bytes: i64) {
        self.call(|it| it.allow(spare_bytes));
    }

    fn take_notice(&mut self) -> bool {
        self.call(|it| it.take_notice()).unwrap_or(false)
    }

    fn handle_closed(&mut self) {
        self.call(|it| it.handle_closed());
    }
}
