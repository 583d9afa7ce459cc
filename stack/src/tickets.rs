//! Tickets: what opens a host to their holders, until they expire or are revoked.

use core::fmt;
use std::collections::BTreeMap;

use tng_isolation::{Identity, TicketKey};

/// Bytes of a ticket's capability on the wire (docs/wire.md, section 2.2).
pub const TICKET_CAPABILITY_LEN: usize = 28;
/// Tickets that one host lists at most.
pub const TICKETS_MAX: usize = 4_096;

/// The number of a ticket. It is drawn by chance, so that a list that was lost and begun anew brings no old ticket
/// back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TicketId(pub u64);

/// What a host knows of a ticket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedTicket {
    /// Of the tickets with this id, that with this generation is good, and none before it.
    pub generation: u32,
    /// When it expires, in seconds since 1970; `None` is never.
    pub expires_s: Option<u64>,
}

/// Why a ticket does not open the door.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TicketFlaw {
    /// It was not made for this door.
    Unknown,
    /// Its time is over.
    Expired,
    /// It was made here, and is listed no more.
    Revoked,
    /// It was made here, and made anew since.
    Replaced,
}

/// The tickets of a door. A ticket's capability proves that this host has made it, by a MAC over id and generation;
/// whether it still counts is for the list to say, and what is not listed does not. Without the list no ticket is good.
#[derive(Clone, Debug)]
pub struct Tickets {
    key: TicketKey,
    listed: BTreeMap<TicketId, ListedTicket>,
    /// The time of day, in seconds since 1970, as far as it was told.
    now_s: u64,
}

impl Tickets {
    /// None yet, for one door of a host. Another door, another name: a ticket for one opens no other.
    pub fn new(identity: &Identity, door: &[u8]) -> Tickets {
        Tickets { key: identity.ticket_key(door), listed: BTreeMap::new(), now_s: 0 }
    }

    /// Lists a ticket, or lists it otherwise; answers whether there was room.
    pub fn list(&mut self, id: TicketId, listed: ListedTicket) -> bool {
        let room = self.listed.len() < TICKETS_MAX || self.listed.contains_key(&id);
        if room {
            self.listed.insert(id, listed);
        }
        room
    }

    /// Lists a ticket no more; answers whether it was listed.
    pub fn revoke(&mut self, id: TicketId) -> bool {
        self.listed.remove(&id).is_some()
    }

    /// What is known of a ticket that is listed.
    pub fn get(&self, id: TicketId) -> Option<ListedTicket> {
        self.listed.get(&id).copied()
    }

    /// What the holder of a ticket shows. `None` if it is not listed.
    pub fn capability(&self, id: TicketId) -> Option<Vec<u8>> {
        let generation = self.listed.get(&id)?.generation;
        let mut out = [&id.0.to_be_bytes()[..], &generation.to_be_bytes()].concat();
        let tag = self.key.tag(&out);
        out.extend_from_slice(&tag);
        Some(out)
    }

    /// Whether a capability opens the door now.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check(&self, capability: &[u8]) -> Result<TicketId, TicketFlaw> {
        let (said, tag) = capability.split_at_checked(12).ok_or(TicketFlaw::Unknown)?;
        if capability.len() != TICKET_CAPABILITY_LEN || !self.key.verify(said, tag) {
            return Err(TicketFlaw::Unknown);
        }
        let (id, generation) = said.split_first_chunk().ok_or(TicketFlaw::Unknown)?;
        let id = TicketId(u64::from_be_bytes(*id));
        let generation = u32::from_be_bytes(generation.try_into().map_err(|_| TicketFlaw::Unknown)?);
        let listed = self.get(id).ok_or(TicketFlaw::Revoked)?;
        match listed {
            _ if listed.generation != generation => Err(TicketFlaw::Replaced),
            _ if listed.expires_s.is_some_and(|expires| expires <= self.now_s) => Err(TicketFlaw::Expired),
            _ => Ok(id),
        }
    }

    /// Tells the time of day, in seconds since 1970; answers whether a ticket has expired since it was last told.
    pub fn tell_time(&mut self, unix_s: u64) -> bool {
        let before = core::mem::replace(&mut self.now_s, unix_s);
        self.listed.values().filter_map(|listed| listed.expires_s).any(|expires| before < expires && expires <= unix_s)
    }
}

impl fmt::Display for TicketFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TicketFlaw::Unknown => "the ticket is for something else than this host serves; ask for a new one",
            TicketFlaw::Expired => "the ticket has expired; ask for a new one",
            TicketFlaw::Revoked => "the ticket was revoked, or another host gave it out; ask for a new one",
            TicketFlaw::Replaced => "the ticket was made anew, and this is the old one; ask for the new one",
        })
    }
}

impl core::error::Error for TicketFlaw {}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: TicketId = TicketId(7);

    fn door(name: &[u8]) -> Tickets {
        Tickets::new(&Identity::from_seed([1; 32]), name)
    }

    fn listed(generation: u32, expires_s: Option<u64>) -> ListedTicket {
        ListedTicket { generation, expires_s }
    }

    #[test]
    fn a_ticket_opens_its_door_until_it_expires_is_revoked_or_is_made_anew() {
        let mut tickets = door(b"photos");
        assert!(tickets.list(ID, listed(1, Some(100))) && !tickets.tell_time(99));
        let shown = tickets.capability(ID).expect("it is listed");
        assert_eq!(shown.len(), TICKET_CAPABILITY_LEN);
        assert_eq!(tickets.check(&shown), Ok(ID), "control: it is good");
        assert!(tickets.tell_time(100) && !tickets.tell_time(101), "that it expires is told once");
        assert_eq!(tickets.check(&shown), Err(TicketFlaw::Expired));
        tickets.list(ID, listed(1, None));
        assert_eq!(tickets.check(&shown), Ok(ID), "it was prolonged");
        tickets.list(ID, listed(2, None));
        assert_eq!(tickets.check(&shown), Err(TicketFlaw::Replaced));
        assert_eq!(tickets.check(&tickets.capability(ID).expect("listed")), Ok(ID));
        assert!(tickets.revoke(ID) && !tickets.revoke(ID));
        assert_eq!(tickets.check(&shown), Err(TicketFlaw::Revoked));
    }

    #[test]
    fn no_other_door_no_other_host_and_no_forger_makes_one() {
        let mut tickets = door(b"photos");
        tickets.list(ID, listed(1, None));
        let shown = tickets.capability(ID).expect("it is listed");
        let other_host = Tickets { key: Identity::from_seed([2; 32]).ticket_key(b"photos"), ..tickets.clone() };
        let other_door = Tickets { key: door(b"inbox").key, ..tickets.clone() };
        for stranger in [other_host, other_door] {
            assert_eq!(stranger.check(&shown), Err(TicketFlaw::Unknown));
        }
        for bit in 0..8 * shown.len() {
            let mut forged = shown.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(tickets.check(&forged), Err(TicketFlaw::Unknown), "bit {bit}");
        }
        for len in 0..shown.len() {
            assert_eq!(tickets.check(&shown[..len]), Err(TicketFlaw::Unknown));
        }
        assert_eq!(tickets.check(&[&shown[..], &[0]].concat()), Err(TicketFlaw::Unknown));
    }

    #[test]
    fn the_list_has_a_bound() {
        let mut tickets = door(b"photos");
        assert!((0..TICKETS_MAX as u64).all(|id| tickets.list(TicketId(id), listed(1, None))));
        assert!(!tickets.list(TicketId(1 << 40), listed(1, None)) && tickets.list(TicketId(0), listed(2, None)));
    }
}
