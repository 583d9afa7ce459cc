//! Transports that travel: what is offered, what is said to it, what runs (STP 3.3.1).
//!
//! An initiator offers transports by the hash of their code; the responder says OK, SENDME, NO, or names another; all
//! of it rides in the set-up's two messages. What comes of it is a connection that speaks the transport, or one that
//! speaks structured streams. Who has which code, and what may run, [`Transports`] knows.

use core::fmt;
use std::sync::Arc;

use tng_base::{CodeHash, Eid, Semantic, Violation};
use tng_isolation::wire::{TransportAnswer, TransportOffer};
use tng_semantic::structured::Role;

use crate::{FactoryError, codes};

/// What a host has to say of transports. It is asked in the path of packets, so it is to answer out of memory.
pub trait Transports: fmt::Debug + Send + Sync {
    /// What to say to a peer that offers transports. It has shown nothing yet: its message may be a replay.
    fn answer(&self, peer: Eid, offer: &TransportOffer) -> TransportAnswer;

    /// Whether to run what the peer would rather run, in place of what this host offered.
    fn follows(&self, peer: Eid, offer: &TransportOffer, code: CodeHash) -> bool;

    /// Makes this end of a connection that speaks the transport.
    ///
    /// # Errors
    /// If there is no room for it, or it is there no more.
    fn make(&self, asked: Asked<'_>) -> Result<Box<dyn Semantic>, FactoryError>;
}

/// An end of a transport that a host is to make.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The transport.
    pub code: CodeHash,
    /// Which end.
    pub role: Role,
    /// The other end's host.
    pub peer: Eid,
    /// What it is to carry.
    pub service: &'a str,
    /// Connections that the peer has with this host already.
    pub connections: usize,
    /// Bytes that this side may hold and promise from the start.
    pub memory: u64,
}

/// What came of an offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settled {
    /// The responder has asked for this one in place of those; the initiator decides.
    Asked(CodeHash),
    /// This transport runs.
    Runs(CodeHash),
    /// The responder may not run any of them; or it does not know of transports that travel.
    No,
    /// The responder asks for this code. Structured streams run meanwhile.
    SendMe(CodeHash),
    /// The responder would rather have run this one, which the initiator does not. Structured streams run.
    Declined(CodeHash),
}

/// How the two ends of a connection have negotiated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Negotiation {
    /// What the initiator offered.
    pub offer: TransportOffer,
    /// What came of it.
    pub settled: Settled,
}

/// What a connection is called that speaks a transport which was negotiated: `stp:` and the first digits of its hash.
pub(crate) fn name_of(code: &CodeHash) -> Arc<str> {
    let mut name = format!("stp:{code}");
    name.truncate(tng_isolation::wire::PROTOCOL_LEN_MAX);
    name.into()
}

/// What the peer is told when what it has agreed to cannot run here.
pub const NOT_HERE: Violation =
    Violation { code: codes::INTERNAL, reason: "the transport agreed on cannot run here now" };
