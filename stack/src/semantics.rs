//! The semantic protocols: structured streams, which are built in, and those that are registered by name.
//!
//! A connection speaks one of them from its first packet to its last; which, its Opening says (docs/wire.md, section
//! 2.3). Two hosts may have connections of several at once, and these share a flow like any other connections.

pub(crate) mod negotiation;
mod undecided;

use core::fmt;
use core::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tng_base::{
    ChannelKey, Ecn, Eid, Fate, Fields, Filled, Footing, Instant, PathCondition, Protocol, Semantic, Taken, Train,
    Value, Violation,
};
use tng_channel::Describe;
use tng_isolation::wire::{PROTOCOL_LEN_MAX, SET_UP_LEN_MAX};
use tng_isolation::{Refusal, RefusalCode};
use tng_semantic::structured::{self, Allowance, Holdings, Streams};

use crate::guarded::Guarded;
use crate::{BadProtocol, EventKind, PROTOCOL, ProtocolFault};
use negotiation::Transports;

pub(crate) use undecided::{Undecided, Until, make};

/// A peer asks for a connection that speaks a registered protocol.
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    /// Who asks. That its message is no replay shows later.
    pub peer: Eid,
    /// What its side of the protocol says.
    pub set_up_item: Option<&'a [u8]>,
    /// Connections that it has with this host already, whatever they speak, those that it has only asked for included:
    /// a factory that hands out something scarce sees to it that one peer has not all of it.
    pub connections: usize,
    /// Bytes that this side may hold and promise from the start. A value that counts for more is thrown away, and the
    /// peer refused as if the factory were [busy](FactoryError::Busy): nobody gives way to it.
    pub memory: u64,
}

/// Why a factory makes no protocol of a [`Proposal`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FactoryError {
    /// Peer: its set-up item is not understood. It gets refusal 4.
    NotUnderstood,
    /// Policy: it is not wanted, for this reason. The peer gets refusal 6 and the first 255 bytes of the reason.
    Unwanted(String),
    /// Environment: there is no room for it now. The peer gets refusal 5.
    Busy,
}

impl fmt::Display for FactoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactoryError::NotUnderstood => {
                f.write_str("this host does not understand the set-up of this protocol; update one of the two")
            }
            FactoryError::Unwanted(reason) => f.write_str(reason),
            FactoryError::Busy => f.write_str("this host has no room for this protocol now; try again later"),
        }
    }
}

impl core::error::Error for FactoryError {}

impl From<FactoryError> for Refusal {
    fn from(error: FactoryError) -> Refusal {
        let code = match error {
            FactoryError::NotUnderstood => RefusalCode::ProtocolNotSpoken,
            FactoryError::Unwanted(_) => RefusalCode::RefusedByApplication,
            FactoryError::Busy => RefusalCode::Overloaded,
        };
        refusal(code, &error.to_string())
    }
}

fn refusal(code: RefusalCode, reason: &str) -> Refusal {
    Refusal { code, reason: tng_base::PeerText::new(reason).cut(255).owned() }
}

/// Makes the protocol of a connection that a peer asks for. It is called before the peer has shown that it receives at
/// its address, so it is to cost little. If it panics the peer is refused as if it were [busy](FactoryError::Busy).
/// (Panics are caught by unwinding: in a program built with `panic = "abort"` each ends the program.)
pub type Factory = dyn Fn(Proposal<'_>) -> Result<Box<dyn Semantic>, FactoryError> + Send + Sync;

/// What the factories of a host are called.
#[derive(Default)]
pub(crate) struct Registry {
    rows: Vec<(Arc<str>, Arc<Factory>)>,
    transports: Option<Arc<dyn Transports>>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.rows.iter().map(|(name, _)| name)).finish()
    }
}

fn check_name(name: &str) -> Result<(), BadProtocol> {
    match name {
        "" => Err(BadProtocol::NoName),
        PROTOCOL => Err(BadProtocol::BuiltIn),
        name if name.len() > PROTOCOL_LEN_MAX => Err(BadProtocol::NameTooLong(name.len())),
        _ => Ok(()),
    }
}

impl Registry {
    pub(crate) fn register(&mut self, name: &str, factory: Arc<Factory>) -> Result<(), BadProtocol> {
        check_name(name)?;
        if self.speaks(name) {
            return Err(BadProtocol::Taken);
        }
        self.rows.push((name.into(), factory));
        Ok(())
    }

    pub(crate) fn set_transports(&mut self, transports: Arc<dyn Transports>) {
        self.transports = Some(transports);
    }

    pub(crate) fn transports(&self) -> Option<&dyn Transports> {
        self.transports.as_deref()
    }

    /// Whether this host speaks a protocol.
    pub(crate) fn speaks(&self, name: &str) -> bool {
        name == PROTOCOL || self.rows.iter().any(|(row, _)| **row == *name)
    }

    /// Makes what a peer asks for, if it is not structured streams.
    ///
    /// # Errors
    /// The refusal to answer with.
    pub(crate) fn make(&self, name: &str, proposal: Proposal<'_>) -> Result<Semantics, Refusal> {
        let Some((name, factory)) = self.rows.iter().find(|(row, _)| **row == *name) else {
            return Err(not_spoken());
        };
        // A peer that has proven nothing is not to end the host by what one protocol makes of its words.
        let made = catch_unwind(AssertUnwindSafe(|| factory(proposal))).unwrap_or(Err(FactoryError::Busy));
        let semantics = Semantics::registered(Arc::clone(name), made?).map_err(|bad| match bad {
            BadProtocol::Failed(_) => FactoryError::Busy.into(),
            _ => refusal(RefusalCode::RefusedByApplication, "this host has more to say than a set-up holds"),
        })?;
        if semantics.cost() > proposal.memory {
            return Err(FactoryError::Busy.into());
        }
        Ok(semantics)
    }
}

/// What a peer is told whose protocol nobody has here.
pub(crate) fn not_spoken() -> Refusal {
    refusal(RefusalCode::ProtocolNotSpoken, "this host does not speak this protocol; use one that it speaks")
}

/// What a connection speaks. Structured streams are dispatched statically: a comparison for each call.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are the large one, which lies where it is used")]
pub(crate) enum Semantics {
    Structured(Streams),
    Registered(Registered),
    /// The two ends still negotiate which of the two it is.
    Undecided(Box<Undecided>),
    /// The connection has ended, and what it spoke was taken, or thrown away.
    Gone,
}

/// A registered protocol's value.
#[derive(Debug)]
pub(crate) struct Registered {
    name: Arc<str>,
    /// What its set-up says: it was found to fit.
    set_up_item: Option<Vec<u8>>,
    pub(crate) semantic: Guarded,
}

use Semantics::{Gone, Structured, Undecided as Open};

impl Semantics {
    /// A registered protocol's value.
    ///
    /// # Errors
    /// If the set-up cannot say what it is.
    pub(crate) fn registered(name: Arc<str>, semantic: Box<dyn Semantic>) -> Result<Semantics, BadProtocol> {
        check_name(&name)?;
        let semantic = Guarded::new(semantic);
        let set_up_item = semantic.set_up_item();
        if let Some(fault) = semantic.fault() {
            return Err(BadProtocol::Failed(fault));
        }
        match &set_up_item {
            Some(item) if item.len() > SET_UP_LEN_MAX => Err(BadProtocol::SetUpTooLong(item.len())),
            _ => Ok(Semantics::Registered(Registered { name, set_up_item, semantic })),
        }
    }

    /// What it is called on the wire.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Structured(_) => Some(PROTOCOL),
            Open(_) => Some(PROTOCOL),
            Semantics::Registered(it) => Some(&it.name),
            Gone => None,
        }
    }

    /// The streams, if it is known that it speaks them.
    pub(crate) fn streams(&self) -> Option<&Streams> {
        match self {
            Structured(streams) => Some(streams),
            Semantics::Registered(_) | Open(_) | Gone => None,
        }
    }

    pub(crate) fn streams_mut(&mut self) -> Option<&mut Streams> {
        match self {
            Structured(streams) => Some(streams),
            Semantics::Registered(_) | Open(_) | Gone => None,
        }
    }

    /// Writes down the frames of a payload, for observers. Those of a registered protocol are its own matter.
    pub(crate) fn describe(&self) -> Describe {
        match self {
            Structured(_) => structured::describe,
            Semantics::Registered(_) | Open(_) | Gone => describe_opaque,
        }
    }

    /// What a registered protocol has done wrong, if it has: it is not called any more.
    pub(crate) fn fault(&self) -> Option<ProtocolFault> {
        match self {
            Structured(_) | Open(_) | Gone => None,
            Semantics::Registered(Registered { semantic, .. }) => semantic.fault(),
        }
    }

    // The set-up

    pub(crate) fn set_up_item(&self) -> Option<Vec<u8>> {
        match self {
            Structured(streams) => Some(streams.setup_item()),
            Open(it) => it.streams.set_up_item(),
            Semantics::Registered(it) => it.set_up_item.clone(),
            Gone => None,
        }
    }

    /// What the initiator says of its streams; a registered protocol was made of it.
    pub(crate) fn handle_opening_item(&mut self, item: Option<&[u8]>) -> Result<(), Violation> {
        match self {
            Semantics::Registered(_) => Ok(()),
            Structured(_) | Open(_) | Gone => self.handle_set_up_item(item),
        }
    }

    pub(crate) fn handle_set_up_item(&mut self, item: Option<&[u8]>) -> Result<(), Violation> {
        match self {
            Structured(streams) => item.map_or(Ok(()), |item| streams.set_peer_setup(item)),
            Open(it) => it.streams.handle_set_up_item(item),
            Semantics::Registered(Registered { semantic, .. }) => semantic.handle_set_up_item(item),
            Gone => Ok(()),
        }
    }

    pub(crate) fn handle_set_up_packet(
        &mut self,
        now: Instant,
        channel: ChannelKey,
        payload: &[u8],
        early: bool,
    ) -> Result<Taken, Violation> {
        match self {
            Structured(streams) => {
                streams.set_early(early);
                let taken = streams.handle_payload(now, payload);
                streams.set_early(false);
                taken
            }
            Semantics::Registered(Registered { semantic, .. }) => {
                semantic.handle_set_up_packet(now, channel, payload, early)
            }
            Open(_) | Gone => Ok(Taken::Refused),
        }
    }

    pub(crate) fn repeatable(&self, payload: &[u8]) -> bool {
        match self {
            Structured(streams) => streams.repeatable(payload),
            Semantics::Registered(Registered { semantic, .. }) => semantic.repeatable(payload),
            Open(_) | Gone => false,
        }
    }

    // Standing and memory

    /// Nothing is open, nor is anything expected for a while: what can be had again takes no memory.
    pub(crate) fn shrink(&mut self) {
        match self {
            Structured(streams) => streams.shrink(),
            Semantics::Registered(_) | Open(_) | Gone => {}
        }
    }

    pub(crate) fn set_retired(&mut self, channel: ChannelKey, retired: bool) {
        match self {
            Structured(streams) => streams.set_retired(channel, retired),
            Semantics::Registered(Registered { semantic, .. }) => semantic.set_retired(channel, retired),
            Open(it) => it.each(|it| it.set_retired(channel, retired)),
            Gone => {}
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        match self {
            Structured(streams) => streams.is_idle(),
            Semantics::Registered(Registered { semantic, .. }) => semantic.is_idle(),
            Open(_) | Gone => true,
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Structured(streams) => streams.is_empty(),
            Semantics::Registered(Registered { semantic, .. }) => semantic.is_empty(),
            Open(_) | Gone => true,
        }
    }

    /// Bytes that count as held for the budget.
    #[inline]
    pub(crate) fn cost(&self) -> u64 {
        match self {
            Structured(streams) => streams.cost(),
            Semantics::Registered(Registered { semantic, .. }) => semantic.bytes_held() + semantic.bytes_promised(),
            Open(it) => it.cost(),
            Gone => 0,
        }
    }

    /// Bytes that a connection without a channel keeps.
    pub(crate) fn bytes_held(&self) -> usize {
        match self {
            Structured(streams) => streams.bytes_held(),
            Semantics::Registered(Registered { semantic, .. }) => {
                usize::try_from(semantic.bytes_held()).unwrap_or(usize::MAX)
            }
            Open(_) | Gone => 0,
        }
    }

    /// Bytes that a registered protocol holds; none of structured streams, whose [`Holdings`] tell more.
    pub(crate) fn registered_bytes(&self) -> u64 {
        match self {
            Structured(_) | Open(_) | Gone => 0,
            Semantics::Registered(Registered { semantic, .. }) => semantic.bytes_held(),
        }
    }

    pub(crate) fn holds_bytes(&self) -> bool {
        match self {
            Structured(streams) => streams.holds_bytes(),
            Semantics::Registered(Registered { semantic, .. }) => semantic.bytes_held() > 0,
            Open(_) | Gone => false,
        }
    }

    pub(crate) fn progress(&self) -> u64 {
        match self {
            Structured(streams) => streams.progress(),
            Semantics::Registered(Registered { semantic, .. }) => semantic.progress(),
            Open(_) | Gone => 0,
        }
    }

    /// Answers whether something was given back by that.
    pub(crate) fn allow(&mut self, allowance: Allowance) -> bool {
        match self {
            Structured(streams) => streams.allow(allowance),
            Open(it) => it.streams.allow(allowance),
            Gone => false,
            Semantics::Registered(Registered { semantic, .. }) => {
                let cost = |semantic: &Guarded| semantic.bytes_held() + semantic.bytes_promised();
                let before = cost(semantic);
                semantic.allow(allowance.spare);
                cost(semantic) != before
            }
        }
    }

    /// What its streams hold, by counts kept as they change.
    pub(crate) fn holdings(&self) -> Holdings {
        self.streams().map(Streams::holdings).unwrap_or_default()
    }

    /// The same, counted anew.
    pub(crate) fn recount(&self) -> Holdings {
        self.streams().map(Streams::recount).unwrap_or_default()
    }

    /// Bytes of streams that wait, and that were sent.
    pub(crate) fn unsent_and_sent(&self) -> (u64, u64) {
        self.streams().map_or((0, 0), Streams::unsent_and_sent)
    }

    pub(crate) fn waits_for_leave(&self) -> bool {
        self.streams().is_some_and(Streams::waits_for_leave)
    }

    /// Whether a payload shows that the peer speaks this, and not streams.
    pub(crate) fn recognizes(&self, payload: &[u8]) -> bool {
        match self {
            Semantics::Registered(Registered { semantic, .. }) => semantic.recognizes(payload),
            Structured(_) | Open(_) | Gone => false,
        }
    }

    /// Says something soon, so that the peer knows what this is.
    pub(crate) fn speak_first(&mut self) {
        match self {
            Structured(streams) => streams.speak_first(),
            Semantics::Registered(Registered { semantic, .. }) => semantic.speak_first(),
            Open(_) | Gone => {}
        }
    }

    // What the application is told

    #[inline]
    pub(crate) fn poll_event(&mut self) -> Option<EventKind> {
        match self {
            Structured(streams) => streams.poll_event().map(EventKind::Stream),
            Semantics::Registered(Registered { semantic, .. }) => semantic.take_notice().then_some(EventKind::Notice),
            Open(_) | Gone => None,
        }
    }

    pub(crate) fn handle_closed(&mut self) {
        match self {
            Structured(streams) => streams.handle_closed(),
            Semantics::Registered(Registered { semantic, .. }) => semantic.handle_closed(),
            Open(it) => it.each(Semantics::handle_closed),
            Gone => {}
        }
    }
}

fn describe_opaque(payload: &[u8], frames: &mut Vec<Value>) {
    if !payload.is_empty() {
        frames.push(Fields::new().with("frame_type", "opaque").with("length", payload.len()).into());
    }
}

impl Protocol for Semantics {
    fn handle_packet(
        &mut self,
        now: Instant,
        channel: ChannelKey,
        number: u64,
        ecn: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        match self {
            Structured(streams) => streams.handle_packet(now, channel, number, ecn, payload),
            Semantics::Registered(Registered { semantic, .. }) => {
                semantic.handle_packet(now, channel, number, ecn, payload)
            }
            Open(_) => match self.decide(payload) {
                true => self.handle_packet(now, channel, number, ecn, payload),
                false => Ok(Taken::Refused),
            },
            Gone => Ok(Taken::Refused),
        }
    }

    fn replay_safe(&self, payload: &[u8]) -> bool {
        match self {
            Structured(streams) => streams.replay_safe(payload),
            Semantics::Registered(Registered { semantic, .. }) => semantic.replay_safe(payload),
            Open(_) | Gone => false,
        }
    }

    fn poll_packet(&mut self, now: Instant, channel: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        match self {
            Structured(streams) => streams.poll_packet(now, channel, number, buf),
            Semantics::Registered(Registered { semantic, .. }) => semantic.poll_packet(now, channel, number, buf),
            Open(_) | Gone => None,
        }
    }

    fn poll_train(&mut self, now: Instant, channel: ChannelKey, train: &mut Train<'_>) {
        match self {
            Structured(streams) => streams.poll_train(now, channel, train),
            Semantics::Registered(Registered { semantic, .. }) => semantic.poll_train(now, channel, train),
            Open(_) | Gone => {}
        }
    }

    #[inline]
    fn wants_to_send(&mut self, now: Instant, channel: ChannelKey) -> bool {
        match self {
            Structured(streams) => streams.wants_to_send(now, channel),
            Semantics::Registered(Registered { semantic, .. }) => semantic.wants_to_send(now, channel),
            Open(_) | Gone => false,
        }
    }

    fn handle_fates(&mut self, now: Instant, channel: ChannelKey, numbers: Range<u64>, fate: Fate) {
        match self {
            Structured(streams) => streams.handle_fates(now, channel, numbers, fate),
            Semantics::Registered(Registered { semantic, .. }) => semantic.handle_fates(now, channel, numbers, fate),
            Open(_) | Gone => {}
        }
    }

    fn handle_attach(&mut self, now: Instant, channel: ChannelKey) {
        match self {
            Structured(streams) => streams.handle_attach(now, channel),
            Semantics::Registered(Registered { semantic, .. }) => semantic.handle_attach(now, channel),
            Open(it) => it.each(|it| it.handle_attach(now, channel)),
            Gone => {}
        }
    }

    fn handle_detach(&mut self, now: Instant, channel: ChannelKey) {
        match self {
            Structured(streams) => streams.handle_detach(now, channel),
            Semantics::Registered(Registered { semantic, .. }) => semantic.handle_detach(now, channel),
            Open(it) => it.each(|it| it.handle_detach(now, channel)),
            Gone => {}
        }
    }

    fn handle_path(&mut self, now: Instant, channel: ChannelKey, condition: PathCondition) {
        match self {
            Structured(streams) => streams.handle_path(now, channel, condition),
            Semantics::Registered(Registered { semantic, .. }) => semantic.handle_path(now, channel, condition),
            Open(it) => it.each(|it| it.handle_path(now, channel, condition)),
            Gone => {}
        }
    }

    fn handle_move(&mut self, now: Instant, channel: ChannelKey) {
        match self {
            Structured(_) | Gone => {}
            Open(it) => it.each(|it| it.handle_move(now, channel)),
            Semantics::Registered(Registered { semantic, .. }) => semantic.handle_move(now, channel),
        }
    }

    #[inline]
    fn polices_itself(&self) -> bool {
        match self {
            Structured(_) | Gone => false,
            // Marks cannot be trusted if it turns out to be a guest.
            Open(it) => matches!(it.until, Until::FirstPacket(_)),
            Semantics::Registered(Registered { semantic, .. }) => semantic.polices_itself(),
        }
    }

    fn heeds_marks(&self) -> bool {
        match self {
            Structured(_) | Open(_) | Gone => false,
            Semantics::Registered(Registered { semantic, .. }) => semantic.heeds_marks(),
        }
    }

    fn handle_footing(&mut self, now: Instant, footing: Footing) {
        match self {
            Structured(_) | Open(_) | Gone => {}
            Semantics::Registered(Registered { semantic, .. }) => semantic.handle_footing(now, footing),
        }
    }

    #[inline]
    fn poll_timeout(&self) -> Option<Instant> {
        match self {
            Structured(streams) => streams.poll_timeout(),
            Semantics::Registered(Registered { semantic, .. }) => semantic.poll_timeout(),
            Open(_) | Gone => None,
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        match self {
            Structured(streams) => streams.handle_timeout(now),
            Semantics::Registered(Registered { semantic, .. }) => semantic.handle_timeout(now),
            Open(_) | Gone => {}
        }
    }
}
