//! A connection that does not know yet what it speaks.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tng_isolation::wire::TransportOffer;
use tng_semantic::structured::Streams;

use super::Semantics;
use crate::FactoryError;
use crate::semantics::negotiation::{Asked, Transports, name_of};

/// A connection that does not know yet what it speaks: it says nothing. It counts as one of streams, which it becomes
/// if nothing else is settled.
#[derive(Debug)]
pub(crate) struct Undecided {
    /// Structured streams.
    pub(crate) streams: Semantics,
    pub(crate) until: Until,
}

/// What settles it.
#[derive(Debug)]
pub(crate) enum Until {
    /// The responder's answer to what this end offers.
    Answer(TransportOffer),
    /// The initiator's first packet: it is the transport's, which this end would rather speak, or one of streams.
    FirstPacket(Box<Semantics>),
}

impl Undecided {
    /// Bytes that it counts for: those of both that it may become.
    pub(crate) fn cost(&self) -> u64 {
        let other = match &self.until {
            Until::Answer(_) => 0,
            Until::FirstPacket(transport) => transport.cost(),
        };
        self.streams.cost() + other
    }

    /// Tells both that it may become.
    pub(crate) fn each(&mut self, mut tell: impl FnMut(&mut Semantics)) {
        tell(&mut self.streams);
        if let Until::FirstPacket(transport) = &mut self.until {
            tell(transport);
        }
    }

    /// What it turns out to be by a packet of the peer's; nothing if it is not for the peer to say.
    fn decided_by(&mut self, payload: &[u8]) -> Option<Semantics> {
        let Until::FirstPacket(transport) = &mut self.until else { return None };
        let decided = if transport.recognizes(payload) { &mut **transport } else { &mut self.streams };
        Some(core::mem::replace(decided, Semantics::Gone))
    }
}

impl Semantics {
    /// Streams, unless the peer takes up an offer.
    pub(crate) fn offering(streams: Streams, offer: TransportOffer) -> Semantics {
        let streams = Semantics::Structured(streams);
        Semantics::Undecided(Box::new(Undecided { streams, until: Until::Answer(offer) }))
    }

    /// Streams, unless the peer would rather speak the transport that this end would.
    pub(crate) fn asking(streams: Streams, transport: Semantics) -> Semantics {
        let streams = Semantics::Structured(streams);
        Semantics::Undecided(Box::new(Undecided { streams, until: Until::FirstPacket(Box::new(transport)) }))
    }

    /// What it offers, as long as that is open.
    pub(crate) fn offer(&self) -> Option<&TransportOffer> {
        match self {
            Semantics::Undecided(undecided) => match &undecided.until {
                Until::Answer(offer) => Some(offer),
                Until::FirstPacket(_) => None,
            },
            _ => None,
        }
    }

    pub(crate) fn is_undecided(&self) -> bool {
        matches!(self, Semantics::Undecided(_))
    }

    /// Becomes streams, if it is not decided yet.
    pub(crate) fn fall_back(&mut self) {
        if let Semantics::Undecided(undecided) = self {
            let streams = core::mem::replace(&mut undecided.streams, Semantics::Gone);
            *self = streams;
        }
    }

    /// Becomes what a packet of the peer shows that it speaks; answers whether that is settled.
    pub(crate) fn decide(&mut self, payload: &[u8]) -> bool {
        if let Semantics::Undecided(undecided) = self
            && let Some(decided) = undecided.decided_by(payload)
        {
            *self = decided;
        }
        !self.is_undecided()
    }
}

/// Makes an end of a transport that was agreed on.
///
/// # Errors
/// If there is no room for it, or it is there no more.
pub(crate) fn make(transports: &dyn Transports, asked: Asked<'_>) -> Result<Semantics, FactoryError> {
    // As with a factory, a peer that has proven nothing is not to end the host.
    let made = catch_unwind(AssertUnwindSafe(|| transports.make(asked))).unwrap_or(Err(FactoryError::Busy))?;
    let semantics = Semantics::registered(name_of(&asked.code), made).map_err(|_| FactoryError::Busy)?;
    if semantics.cost() > asked.memory { Err(FactoryError::Busy) } else { Ok(semantics) }
}
