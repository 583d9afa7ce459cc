//! What comes of an offer of transports.

use tng_base::Violation;
use tng_isolation::wire::TransportAnswer;
use tng_semantic::structured::Role;

use super::Connection;
use crate::semantics::make;
use crate::semantics::negotiation::{Asked, NOT_HERE, Negotiation, Settled, Transports};

impl Connection {
    /// The responder's answer to what this end has offered is there: the connection becomes what it says. Answers
    /// whether the answer's set-up item is for it.
    ///
    /// # Errors
    /// If the transport that runs at the other end cannot run at this one.
    pub(crate) fn settle_offer(
        &mut self,
        answer: Option<TransportAnswer>,
        (transports, memory): (Option<&dyn Transports>, u64),
    ) -> Result<bool, Violation> {
        let (Some(offer), peer) = (self.semantics.offer().cloned(), self.peer) else { return Ok(true) };
        let asked = |code| Asked { code, role: Role::Initiator, peer, service: &offer.service, connections: 1, memory };
        let made = |code| transports.and_then(|transports| make(transports, asked(code)).ok());
        let mut own_item = true;
        let settled = match answer {
            None | Some(TransportAnswer::No) => Settled::No,
            Some(TransportAnswer::SendMe(code)) => Settled::SendMe(code),
            Some(TransportAnswer::Ok(code)) => {
                self.semantics = made(code).ok_or(NOT_HERE)?;
                Settled::Runs(code)
            }
            Some(TransportAnswer::Use(code)) => {
                let follows = transports.is_some_and(|transports| transports.follows(peer, &offer, code));
                match follows.then(|| made(code)).flatten() {
                    Some(transport) => {
                        (self.semantics, own_item) = (transport, false);
                        Settled::Runs(code)
                    }
                    None => Settled::Declined(code),
                }
            }
        };
        self.semantics.fall_back();
        if let Some(TransportAnswer::Use(_)) = answer {
            // The peer waits to hear which of the two it is.
            self.semantics.speak_first();
        }
        self.negotiation = Some(Box::new(Negotiation { offer, settled }));
        Ok(own_item)
    }

    /// The initiator's first packet may have settled what runs.
    pub(crate) fn note_decided(&mut self) {
        if let Some(negotiation) = &mut self.negotiation
            && let Settled::Asked(code) = negotiation.settled
            && !self.semantics.is_undecided()
        {
            let runs = self.semantics.streams().is_none();
            negotiation.settled = if runs { Settled::Runs(code) } else { Settled::Declined(code) };
        }
    }

    /// What this end answers to what its peer offered.
    pub(crate) fn transport_answer(&self) -> Option<TransportAnswer> {
        Some(match self.negotiation.as_ref()?.settled {
            Settled::Asked(code) => TransportAnswer::Use(code),
            Settled::Runs(code) => TransportAnswer::Ok(code),
            Settled::SendMe(code) => TransportAnswer::SendMe(code),
            Settled::No | Settled::Declined(_) => TransportAnswer::No,
        })
    }
}
