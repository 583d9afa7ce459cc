//! Who gets in.

use core::fmt;

use tng_base::{Eid, PeerText};
use tng_crypto::Zeroizing;
use tng_isolation::{Offer, Refusal, RefusalCode};

use crate::Access;
use crate::semantics::{self, Registry};

/// The capability that a peer showed when it came, if it showed one: it must open the door for as long as the peer
/// stays.
pub(crate) struct Shown(Option<Zeroizing<Vec<u8>>>);

impl Shown {
    pub(crate) fn by(offer: &Offer) -> Shown {
        Shown(offer.opening().capability.clone().map(Zeroizing::new))
    }

    /// The capability.
    pub(crate) fn capability(&self) -> Option<&[u8]> {
        self.0.as_deref().map(Vec::as_slice)
    }
}

/// A peer that has it gets in: it is not printed.
impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shown(..)")
    }
}

/// Whether the peer behind an offer has access, and speaks what this host does.
///
/// # Errors
/// The refusal to answer with.
pub(crate) fn admit(access: &Access, registry: &Registry, offer: &Offer) -> Result<(), Refusal> {
    let opening = offer.opening();
    if !registry.speaks(&opening.protocol) {
        return Err(semantics::not_spoken());
    }
    access.admits(opening.eid, opening.capability.as_deref())
}

impl Access {
    /// Whether a peer that shows this capability, or none, has access: for what serves peers beside a host, too.
    ///
    /// # Errors
    /// The refusal to answer with.
    pub fn admits(&self, peer: Eid, capability: Option<&[u8]>) -> Result<(), Refusal> {
        match (self, capability) {
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
}

fn refuse(code: RefusalCode, reason: &str) -> Result<(), Refusal> {
    Err(Refusal { code, reason: PeerText::from(reason) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eid(byte: u8) -> Eid {
        Eid::from_bytes([byte; 32])
    }

    fn code(access: &Access, peer: Eid, capability: Option<&[u8]>) -> Option<RefusalCode> {
        access.admits(peer, capability).err().map(|refusal| refusal.code)
    }

    #[test]
    fn access_is_for_those_on_the_list_and_for_nobody_else() {
        let listed = Access::Listed([eid(1), eid(2)].into());
        assert_eq!(code(&listed, eid(2), None), None);
        assert_eq!(code(&listed, eid(3), Some(b"a ticket")), Some(RefusalCode::NotAllowed));
        assert_eq!(code(&Access::Public, eid(3), None), None);
        assert_eq!(code(&Access::Nobody, eid(1), None), Some(RefusalCode::NotAllowed));
    }

    #[test]
    fn access_by_a_capability_wants_that_one() {
        let door = Access::Capability(b"open".to_vec());
        assert_eq!(code(&door, eid(1), Some(b"open")), None);
        for other in [None, Some(&b"opem"[..]), Some(b""), Some(b"open ")] {
            assert_eq!(code(&door, eid(1), other), Some(RefusalCode::CapabilityUnknown), "{other:?}");
        }
    }

    #[test]
    fn what_opens_a_door_to_access_is_not_printed() {
        let shown = Shown(Some(Zeroizing::new(b"open".to_vec())));
        assert_eq!((shown.capability(), &*format!("{shown:?}")), (Some(&b"open"[..]), "Shown(..)"));
    }
}
