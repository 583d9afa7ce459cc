//! Who gets in.

use tng_isolation::{Offer, Refusal, RefusalCode};

use crate::{Access, HostConfig};

/// Whether the peer behind an offer has access, and speaks what this host does.
///
/// # Errors
/// The refusal to answer with.
pub(crate) fn judge(config: &HostConfig, offer: &Offer) -> Result<(), Refusal> {
    let refuse = |code, reason: &str| Err(Refusal { code, reason: reason.into() });
    let opening = offer.opening();
    if opening.protocol != crate::assemble::PROTOCOL {
        return refuse(RefusalCode::ProtocolNotSpoken, "this host speaks structured streams only");
    }
    match &config.access {
        Access::Public => Ok(()),
        Access::Nobody => refuse(RefusalCode::NotAllowed, "this host takes no connections"),
        Access::Listed(eids) if eids.contains(&opening.eid) => Ok(()),
        Access::Listed(_) => {
            refuse(RefusalCode::NotAllowed, "your EID is not on this host's list; ask its owner to allow it")
        }
        Access::Capability(capability) => match &opening.capability {
            Some(shown) if tng_crypto::equal(shown, capability) => Ok(()),
            Some(_) => refuse(RefusalCode::CapabilityUnknown, "the ticket is no longer valid; ask for a new one"),
            None => refuse(RefusalCode::CapabilityUnknown, "this host wants a ticket; ask its owner for one"),
        },
    }
}
