//! How much code goes to each peer, and comes from it, in a day.

use std::collections::BTreeMap;

use tng_base::{Eid, Instant};

use super::Declined;

/// Nanoseconds of a day.
const DAY_NS: u64 = 24 * 60 * 60 * 1_000_000_000;
/// Peers that are counted one by one.
pub const PEERS_COUNTED_MAX: usize = 1_024;
/// Transfers of one peer in a day, in each direction, unless something else is said.
pub const PEER_TRANSFERS_MAX: u64 = 64;
/// Bytes of packed forms of one peer in a day, in each direction, unless something else is said.
pub const PEER_BYTES_MAX: u64 = 16 << 20;
/// Transfers of all peers in a day, in each direction, unless something else is said.
pub const ALL_TRANSFERS_MAX: u64 = 16_384;
/// Bytes of packed forms of all peers in a day, in each direction, unless something else is said.
pub const ALL_BYTES_MAX: u64 = 1 << 30;

/// What there may be of transfers in a day, in each direction. A day is 24 hours from the driver's origin of time on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DayLimits {
    /// Transfers that are begun, those that came to nothing too.
    pub transfers: u64,
    /// Bytes of packed forms.
    pub bytes: u64,
}

impl DayLimits {
    /// For one peer, unless something else is said.
    pub const PEER: DayLimits = DayLimits { transfers: PEER_TRANSFERS_MAX, bytes: PEER_BYTES_MAX };
    /// For all peers together, unless something else is said.
    pub const ALL: DayLimits = DayLimits { transfers: ALL_TRANSFERS_MAX, bytes: ALL_BYTES_MAX };
}

/// Which way code goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// To the peer.
    Given,
    /// From the peer.
    Taken,
}

/// What was used of a day's limits.
#[derive(Clone, Copy, Default, Debug)]
struct Used {
    transfers: u64,
    bytes: u64,
}

impl Used {
    const fn has_transfer(self, limits: DayLimits) -> bool {
        self.transfers < limits.transfers
    }

    const fn has_bytes(self, more: u64, limits: DayLimits) -> bool {
        more <= limits.bytes.saturating_sub(self.bytes)
    }
}

/// Bytes that are set aside for a transfer.
#[must_use = "give back what is not moved of it"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reserved {
    peer: Eid,
    direction: Direction,
    day: u64,
    bytes: u64,
}

/// Limits by peer and day, and what was used of them.
///
/// Peers that have used most are remembered longest: who has another identity for each transfer is held by the limits
/// of all together.
#[derive(Debug)]
pub struct Allowance {
    each: DayLimits,
    all: DayLimits,
    day: u64,
    used: [Used; 2],
    peers: BTreeMap<Eid, [Used; 2]>,
}

impl Default for Allowance {
    fn default() -> Allowance {
        Allowance::new(DayLimits::PEER, DayLimits::ALL)
    }
}

impl Allowance {
    /// With these limits for each peer, and for all together.
    pub const fn new(each: DayLimits, all: DayLimits) -> Allowance {
        Allowance { each, all, day: 0, used: [Used { transfers: 0, bytes: 0 }; 2], peers: BTreeMap::new() }
    }

    /// Counts a transfer that begins.
    ///
    /// # Errors
    /// [`Declined::TooMuchToday`] if there were as many as there may be; it is not counted then.
    pub fn begin(&mut self, now: Instant, peer: Eid, direction: Direction) -> Result<(), Declined> {
        self.turn(now);
        let (each, all) = (self.each, self.all);
        let own = self.peers.get(&peer).map_or(Used::default(), |used| used[direction as usize]);
        if !own.has_transfer(each) || !self.used[direction as usize].has_transfer(all) {
            return Err(Declined::TooMuchToday);
        }
        self.used[direction as usize].transfers += 1;
        self.entry(peer)[direction as usize].transfers += 1;
        Ok(())
    }

    /// Sets bytes aside.
    ///
    /// # Errors
    /// [`Declined::TooMuchToday`] if there are not so many left.
    pub fn reserve(&mut self, now: Instant, peer: Eid, direction: Direction, bytes: u64) -> Result<Reserved, Declined> {
        self.turn(now);
        let own = self.peers.get(&peer).map_or(Used::default(), |used| used[direction as usize]);
        if !own.has_bytes(bytes, self.each) || !self.used[direction as usize].has_bytes(bytes, self.all) {
            return Err(Declined::TooMuchToday);
        }
        self.used[direction as usize].bytes += bytes;
        self.entry(peer)[direction as usize].bytes += bytes;
        Ok(Reserved { peer, direction, day: self.day, bytes })
    }

    /// So many of the bytes that were set aside were not moved; on another day they are nobody's.
    pub fn give_back(&mut self, reserved: Reserved, unmoved: u64) {
        let Reserved { peer, direction, day, bytes } = reserved;
        if day == self.day {
            let back = unmoved.min(bytes);
            let less = |used: &mut Used| used.bytes = used.bytes.saturating_sub(back);
            less(&mut self.used[direction as usize]);
            if let Some(used) = self.peers.get_mut(&peer) {
                less(&mut used[direction as usize]);
            }
        }
    }

    /// Peers that are counted one by one.
    pub fn peers(&self) -> usize {
        self.peers.len()
    }

    /// Begins a new day when one has come.
    fn turn(&mut self, now: Instant) {
        let day = now.as_nanos() / DAY_NS;
        if day > self.day {
            (self.day, self.used) = (day, Default::default());
            self.peers.clear();
        }
    }

    /// What a peer has used. It takes the place of who has used least, if there is none.
    fn entry(&mut self, peer: Eid) -> &mut [Used; 2] {
        if self.peers.len() >= PEERS_COUNTED_MAX && !self.peers.contains_key(&peer) {
            let of = |used: &[Used; 2]| (used[0].bytes + used[1].bytes, used[0].transfers + used[1].transfers);
            if let Some(least) = self.peers.iter().min_by_key(|(_, used)| of(used)).map(|(peer, _)| *peer) {
                self.peers.remove(&least);
            }
        }
        self.peers.entry(peer).or_default()
    }
}
