//! Who gets in.

use core::fmt;

use tng_base::{Eid, PeerText};
use tng_crypto::Zeroizing;
use tng_isolation::{Offer, Refusal, RefusalCode};

use crate::{Access, HostConfig};

/// The capability that a peer showed when it came, if it showed one: it must open the door for as long as the peer stays.
pub(crate) struct Shown(Option<Zeroizing<Vec<u8>>>);

impl Shown {
    pub(crate) fn by(offer: &Offer) -> Shown {
        Shown(offer.opening().capability.clone().map(Zeroizing::new))
    }
}

/// Whoever has it gets in: it is not printed.
impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shown(..)")
    }
}

/// Whether the peer behind an offer has access, and speaks what this host does.
///
/// # Errors
/// The refusal to answer with.
pub(crate) fn judge(config: &HostConfig, offer: &Offer) -> Result<(), Refusal> {
    let opening = offer.opening();
    if opening.protocol != crate::assemble::PROTOCOL {
        return refuse(RefusalCode::ProtocolNotSpoken, "this host speaks structured streams only");
    }
    admits(&config.access, opening.eid, &Shown::by(offer))
}

/// Whether a peer that showed this has access.
///
/// # Errors
/// The refusal to answer with.
pub(crate) fn admits(access: &Access, peer: Eid, shown: &Shown) -> Result<(), Refusal> {
    match (access, &shown.0) {
        (Access::Public, _) => Ok(()),
        (Access::Nobody, _) => refuse(RefusalCode::NotAllowed, "this host takes no connections"),
        (Access::Listed(eids), _) if eids.contains(&peer) => Ok(()),
        (Access::Listed(_), _) => {
            refuse(RefusalCode::NotAllowed, "your EID is not on this host's list; ask its owner to allow it")
        }
        (Access::Tickets(_) | Access::Capability(_), None) => {
            refuse(RefusalCode::CapabilityUnknown, "this host wants a ticket; ask its owner for one")
        }
        (Access::Tickets(tickets), Some(shown)) => match tickets.check(shown) {
            Ok(_) => Ok(()),
            Err(flaw) => refuse(RefusalCode::CapabilityUnknown, &flaw.to_string()),
        },
        (Access::Capability(capability), Some(shown)) if tng_crypto::equal(shown, capability) => Ok(()),
        (Access::Capability(_), Some(_)) => {
            refuse(RefusalCode::CapabilityUnknown, "the ticket is no longer valid; ask for a new one")
        }
    }
}

fn refuse(code: RefusalCode, reason: &str) -> Result<(), Refusal> {
    Err(Refusal { code, reason: PeerText::from(reason) })
}
