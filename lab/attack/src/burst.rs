//! Many connections of one peer that are begun before any is confirmed, and what each is promised.

use std::collections::{BTreeMap, VecDeque};

use tng_base::{ChannelId, Instant};
use tng_crypto::SecretRng;
use tng_isolation::{Identity, Initiator, Replied};
use tng_wire::Reader;

use crate::attacker::{Mark, PATIENCE};
use crate::frames;
use crate::rogue::{Heard, Rogue, Wish, knock};

/// Connections of a burst.
pub const BURST_MAX: usize = 64;

/// What a host promises that says nothing of it, in bytes over all streams (wire.md, section 4).
const PROMISED_INITIAL: u64 = 4_096;

/// Bytes of each piece that is sent where nothing is in order yet.
const PIECE: usize = 1_000;

/// One peer with many connections at once.
#[derive(Debug)]
pub(crate) struct Burst {
    identity: Identity,
    knocking: BTreeMap<ChannelId, (Initiator, Instant)>,
    begun: usize,
    /// Those that have been answered; the target will hear of all of them at the same moment.
    inside: BTreeMap<ChannelId, Member>,
    turns: VecDeque<ChannelId>,
    /// Bytes of credit that all of them hold.
    pub promised: u64,
}

#[derive(Debug)]
struct Member {
    rogue: Rogue,
    promised: u64,
    packets: u64,
}

/// What came of a datagram.
pub(crate) enum Came {
    Nothing,
    In,
    Refused,
    Closed(u64),
}

impl Burst {
    pub(crate) fn new(keys: &mut SecretRng) -> Burst {
        let identity = Identity::from_seed(keys.secret());
        let (knocking, inside, turns) = (BTreeMap::new(), BTreeMap::new(), VecDeque::new());
        Burst { identity, knocking, begun: 0, inside, turns, promised: 0 }
    }

    pub(crate) fn datagram(&mut self, now: Instant, mark: &Mark, keys: &mut SecretRng) -> Option<Vec<u8>> {
        if self.begun < BURST_MAX {
            let wish = Wish { capability: mark.capability.clone(), ..Wish::default() };
            let initiator = knock(&self.identity, mark.eid, wish, keys)?;
            let datagram = initiator.datagram().to_vec();
            self.knocking.insert(initiator.local_id(), (initiator, now + PATIENCE));
            self.begun += 1;
            return Some(datagram);
        }
        if let Some((initiator, until)) = self.knocking.values_mut().find(|(_, until)| *until <= now) {
            *until = now + PATIENCE;
            return Some(initiator.datagram().to_vec());
        }
        let id = self.turns.pop_front()?;
        let member = self.inside.get_mut(&id)?;
        self.turns.push_back(id);
        let (service, protocol) = &mark.service;
        // Every byte but the first: nobody can read any of it.
        let payload = match member.packets {
            0 => frames::open(0, service, protocol),
            n => frames::data(0, 1 + PIECE as u64 * (n - 1), &[7; PIECE]),
        };
        member.packets += 1;
        let acknowledgment = member.rogue.acknowledge();
        member.rogue.seal(&acknowledgment, &[], &payload)
    }

    pub(crate) fn handle(&mut self, now: Instant, datagram: &mut [u8]) -> Came {
        let Some(id) = datagram.get(1..7).and_then(|id| id.try_into().ok()).map(ChannelId::from_bytes) else {
            return Came::Nothing;
        };
        match datagram.first() {
            Some(0x03) => {
                if let Some((initiator, until)) = self.knocking.get_mut(&id)
                    && initiator.handle_cookie(datagram)
                {
                    *until = now;
                }
                Came::Nothing
            }
            Some(0x02) => {
                let Some((initiator, until)) = self.knocking.remove(&id) else { return Came::Nothing };
                match initiator.handle_reply(datagram) {
                    Replied::Established(up, acceptance) => {
                        let promised = acceptance.set_up.as_deref().map_or(PROMISED_INITIAL, over_all_streams);
                        self.promised += promised;
                        self.inside.insert(id, Member { rogue: Rogue::new(*up), promised, packets: 0 });
                        self.turns.push_back(id);
                        Came::In
                    }
                    Replied::Ignored(initiator) => {
                        self.knocking.insert(id, (*initiator, until));
                        Came::Nothing
                    }
                    Replied::Refused(_) => Came::Refused,
                    Replied::Broken(_) => Came::Nothing,
                }
            }
            _ => {
                let Some(member) = self.inside.get_mut(&id) else { return Came::Nothing };
                let Heard::Close(code) = member.rogue.open(datagram) else { return Came::Nothing };
                let gone = self.inside.remove(&id).map_or(0, |member| member.promised);
                self.promised -= gone;
                self.turns.retain(|other| *other != id);
                Came::Closed(code)
            }
        }
    }
}

/// The second number of the set-up item (wire.md, section 4): the credit over all streams, in bytes.
fn over_all_streams(item: &[u8]) -> u64 {
    let mut reader = Reader::new(item);
    let numbers = reader.varint().and_then(|_| reader.varint());
    numbers.unwrap_or(PROMISED_INITIAL)
}
