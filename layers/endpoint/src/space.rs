//! Hosts of one identity behind one address, each on a thread of its own: whose of them a packet is.

use tng_base::ChannelId;

use crate::{Demux, Mode};

/// The byte of a channel id that says whose it is.
pub const HINT_AT: usize = 0;

/// Hosts that share an address, at most.
pub const SHARDS_MAX: u8 = 8;

/// The first bytes of the set-up messages that begin something, and carry no id of their receiver's (INIT, JOIN).
pub const BEGINNINGS: [u8; 2] = [0x01, 0x07];

/// The first byte of a request to a server that keeps nothing of who asks (docs/wire.md section 2.10).
pub const REQUEST_BYTE: u8 = 0xa8;
/// What the first byte of such a request has more if it is not sealed.
pub const PLAIN_BIT: u8 = 0x02;

/// The byte of such a request that says whose it is: the first of its connection's id.
pub const REQUEST_HINT_AT: usize = 2;

/// Which of the hosts that share an address one is. It gives out ids that say so, and no others: the first byte of an
/// id, by the number of hosts, leaves the number of its host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdSpace {
    shard: u8,
    of: u8,
}

impl Default for IdSpace {
    fn default() -> IdSpace {
        IdSpace::WHOLE
    }
}

impl IdSpace {
    /// Of the only host at its address.
    pub const WHOLE: IdSpace = IdSpace { shard: 0, of: 1 };

    /// Of host number `shard` of so many.
    ///
    /// # Panics
    /// If there is none of that number, or there are more than [`SHARDS_MAX`].
    pub fn new(shard: u8, of: u8) -> IdSpace {
        assert!(shard < of && of <= SHARDS_MAX, "host {shard} of {of}");
        IdSpace { shard, of }
    }

    /// The number of the host.
    pub fn shard(self) -> u8 {
        self.shard
    }

    /// How many hosts share the address.
    pub fn of(self) -> u8 {
        self.of
    }

    /// Whether the address is shared.
    pub fn is_shared(self) -> bool {
        self.of > 1
    }

    /// Whether an id says that it is of this host.
    pub fn holds(self, id: ChannelId) -> bool {
        self.owns(id.to_bytes()[HINT_AT])
    }

    /// Whether an id of any kind does, by the byte that says whose it is.
    pub fn owns(self, hint: u8) -> bool {
        hint % self.of == self.shard
    }

    /// The host that a packet names. `None` if any host that gets it may take it.
    #[inline]
    pub fn named_in(self, packet: &[u8]) -> Option<u8> {
        let first = *packet.first()?;
        let named = match Mode::of(first) {
            Mode::Channel | Mode::Section => true,
            Mode::SetUp => !BEGINNINGS.contains(&first),
            // A server that keeps nothing knows by thread what a connection has spent.
            Mode::Trickles if first & !PLAIN_BIT == REQUEST_BYTE => {
                return packet.get(REQUEST_HINT_AT).map(|hint| hint % self.of);
            }
            Mode::Trickles => false,
            Mode::Carrier | Mode::Unassigned => false,
        };
        let id = Demux::<()>::id_in(packet).filter(|_| named)?;
        Some(id.to_bytes()[HINT_AT] % self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_base::Rng;

    #[test]
    fn an_id_is_of_one_host_and_its_packets_name_that_one() {
        let mut rng = Rng::from_u64(1);
        for of in 1..=SHARDS_MAX {
            for _ in 0..100 {
                let id = ChannelId::from_u64(rng.u64());
                let holders: Vec<u8> = (0..of).filter(|shard| IdSpace::new(*shard, of).holds(id)).collect();
                assert_eq!(holders.len(), 1);
                for first in [0x02, 0x03, 0x04, 0x05, 0x08, 0x09, 0x0a, 0x40, 0x7f, 0x80, 0x9f] {
                    let packet = [&[first][..], &id.to_bytes(), &[9; 9]].concat();
                    assert_eq!(IdSpace::new(of - 1, of).named_in(&packet), Some(holders[0]), "{first:#x}");
                    assert_eq!(IdSpace::new(of - 1, of).named_in(&packet[..6]), None, "cut");
                }
            }
        }
    }

    #[test]
    fn what_begins_something_names_nobody_and_a_request_the_host_of_its_connection() {
        let space = IdSpace::new(2, 3);
        for first in [0x01, 0x07, 0xa1, 0xa9, 0xab, 0xac, 0xc0, 0x20, 0xff] {
            assert_eq!(space.named_in(&[first; 20]), None, "{first:#x}");
        }
        for id in 0..=255 {
            let named = space.named_in(&[REQUEST_BYTE, 7, id, 9]);
            assert_eq!(named, Some(id % 3));
            assert_eq!(named, space.named_in(&[REQUEST_BYTE | PLAIN_BIT, 7, id, 9]));
            assert_eq!(space.owns(id), named == Some(space.shard()));
        }
        assert_eq!(space.named_in(&[REQUEST_BYTE, 7]), None, "cut");
        assert_eq!(space.named_in(&[]), None);
    }
}
