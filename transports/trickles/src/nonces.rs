//! What the nonces and the tags of a connection's packets are made of.

use core::ops::Range;

use tng_crypto::SipKey;
use tng_nonce::{Chain, Direction, Purpose};

use crate::plan::Turn;
use crate::{ConnectionId, Keying, Keys, Renewal, Tag};

/// The nonces and the tags of one connection.
#[derive(Debug)]
pub struct Nonces<'keys> {
    id: ConnectionId,
    first: Half<'keys>,
    then: Option<(u64, Half<'keys>)>,
}

#[derive(Debug)]
struct Half<'keys> {
    chain: Chain<'keys>,
    tags: &'keys SipKey,
}

impl<'keys> Half<'keys> {
    fn of(keys: &'keys Keys, id: &ConnectionId, epoch: u8) -> Option<Half<'keys>> {
        let keys = keys.by_last_byte(epoch)?;
        Some(Half { chain: keys.nonces.chain(&id.0, Direction::Homeward, Purpose::Trickles), tags: &keys.tags })
    }
}

impl<'keys> Nonces<'keys> {
    /// Those of the connection `id`; none if the keys have been erased, or are not made yet. A block of AES, two after
    /// a renewal.
    pub fn new(keys: &'keys Keys, id: ConnectionId, keying: &Keying) -> Option<Nonces<'keys>> {
        let first = Half::of(keys, &id, keying.epoch)?;
        let then = match keying.then {
            Some(Renewal { from, epoch }) => Some((from, Half::of(keys, &id, epoch)?)),
            None => None,
        };
        Some(Nonces { id, first, then })
    }

    /// Those of whatever connection: what the binding is good for shows without it.
    #[cfg(test)]
    pub(crate) fn of_any_connection(keys: &'keys Keys, id: ConnectionId, keying: &Keying) -> Option<Nonces<'keys>> {
        let keys = keys.by_last_byte(keying.epoch)?;
        let chain = keys.nonces.chain_of_any_connection(Direction::Homeward, Purpose::Trickles);
        Some(Nonces { id, first: Half { chain, tags: &keys.tags }, then: None })
    }

    /// The nonce of a packet.
    pub fn nonce(&self, tag: Tag, number: u64) -> u64 {
        self.half(number).chain.branch(u64::from(tag.0)).nonce(number)
    }

    /// The nonces of packets that have one tag, folded: two blocks of AES, four across a renewal.
    pub fn fold(&self, tag: Tag, numbers: Range<u64>) -> u64 {
        let of =
            |half: &Half<'_>, from, to| if from < to { half.chain.branch(u64::from(tag.0)).fold(from, to) } else { 0 };
        match &self.then {
            None => of(&self.first, numbers.start, numbers.end),
            Some((from, then)) => {
                of(&self.first, numbers.start, numbers.end.min(*from)) ^ of(then, numbers.start.max(*from), numbers.end)
            }
        }
    }

    /// What a turn makes of a tag. Its key is of the epoch of the packet that is lost: whether a continuation knows of
    /// epochs before that or not, the tag is the same.
    pub fn after(&self, tag: Tag, turn: Turn) -> Tag {
        let (kind, from, to) = match turn {
            Turn::Loss(first) => (1_u8, first, first),
            Turn::Gap(from, to) => (2, from, to),
            Turn::Undone(first) => (3, first, first),
            Turn::Timeout(high, time) => (4, high, time),
        };
        let parts: [&[u8]; 5] = [&self.id.0, &tag.0.to_be_bytes(), &[kind], &from.to_be_bytes(), &to.to_be_bytes()];
        let [a, b, c, d, ..] = self.half(from).tags.tag(&parts);
        Tag(u32::from_be_bytes([a, b, c, d]))
    }

    fn half(&self, number: u64) -> &Half<'keys> {
        match &self.then {
            Some((from, then)) if *from <= number => then,
            _ => &self.first,
        }
    }
}
