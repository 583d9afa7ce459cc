//! Several machines on one UDP port: the ordered table from first byte to machine (docs/machines.md, "A port").

mod tenants;

use core::fmt;
use core::net::SocketAddr;
use std::collections::VecDeque;

use tng_base::{Datagram, Ecn, Input, Instant, LinkLoss, Machine, Output, Transmit};
use tng_wire::Repr;

pub use self::tenants::{Claim, OneOf, Tenant, Tenants};
use crate::{Mode, TokenBucket, Unserved};

/// Machines that a port holds, at most: so large are the tuples that are [`Tenants`].
pub const TENANTS_MAX: usize = 3;

/// UNSERVED answers that wait for the driver, at most; beyond it they are not given.
pub const UNSERVED_WAITING_MAX: usize = 64;

/// In the place of those who read a first byte: nobody does, and who sends it is told.
const UNREAD: u8 = 1 << 7;

/// Several machines behind one UDP socket, as one machine: the first byte tells which of them read a packet, and where
/// several do, they say whose it is. A machine that alone reads a first byte is asked nothing: it pays for a look at
/// the table.
///
/// The port itself says one thing: that nobody here reads a first byte (UNSERVED).
pub struct Port<P> {
    tenants: P,
    /// By first byte, who reads it: one bit for each tenant, the lowest for the first, or [`UNREAD`]; none if nobody
    /// does and nobody is told.
    readers: [u8; 256],
    /// Who may have something to say, in the same bits.
    unpolled: u8,
    /// Whose turn it is to say it.
    turn: usize,
    /// When each wants to be called.
    deadlines: [Option<Instant>; TENANTS_MAX],
    /// How often each has asked for entropy that has not come.
    asked: [u32; TENANTS_MAX],
    /// To whom the port answers, from which of our addresses, and with what.
    unserved: VecDeque<(SocketAddr, Option<SocketAddr>, Unserved)>,
    budget: TokenBucket,
    /// Of packets that go to several. Kept for its memory.
    copy: Vec<u8>,
}

impl<M: Tenant> Port<(M,)> {
    /// The only tenant.
    pub fn sole(&self) -> &M {
        &self.tenants.0
    }

    /// The only tenant, for use. Poll the port afterwards.
    pub fn sole_mut(&mut self) -> &mut M {
        &mut self.tenants.0
    }
}

impl<P: Tenants> Port<P> {
    /// These tenants on one port, in the order in which they are asked.
    pub fn new(tenants: P) -> Port<P> {
        const { assert!(P::COUNT <= TENANTS_MAX, "the bits and rows are for so many") };
        let readers = core::array::from_fn(|first| {
            let reads = |at: &usize| tenants.reads(*at, first as u8);
            match (0..P::COUNT).filter(reads).fold(0, |bits, at| bits | 1 << at) {
                0 if is_told(first as u8) => UNREAD,
                readers => readers,
            }
        });
        Port {
            tenants,
            readers,
            unpolled: Self::ALL,
            turn: 0,
            deadlines: [None; TENANTS_MAX],
            asked: [0; TENANTS_MAX],
            unserved: VecDeque::new(),
            budget: TokenBucket::default(),
            copy: Vec::new(),
        }
    }

    const ALL: u8 = (1 << P::COUNT) - 1;

    /// The tenants.
    pub fn tenants(&self) -> &P {
        &self.tenants
    }

    /// The tenants, for use. Poll the port afterwards.
    pub fn tenants_mut(&mut self) -> &mut P {
        self.unpolled = Self::ALL;
        &mut self.tenants
    }

    fn handle_datagram(&mut self, now: Instant, datagram: Datagram<'_>) {
        let Datagram { remote, local, ecn, segment_size, payload } = datagram;
        let (segment_size, mut rest, mut told) = (segment_size.max(1), payload, false);
        let Some(mut takers) = self.takers(rest, segment_size) else { return };
        // What goes to the same in a row stays together.
        loop {
            let (mut end, mut next) = (segment_size, None);
            while end < rest.len() {
                next = self.takers(&rest[end..], segment_size);
                if next != Some(takers) {
                    break;
                }
                end += segment_size;
            }
            let (payload, others) = rest.split_at_mut(end.min(rest.len()));
            if takers != UNREAD {
                self.hand_over(now, takers, Datagram { remote, local, ecn, segment_size, payload });
            } else if !told && payload.len().min(segment_size) >= Unserved::LEN {
                told = true;
                self.tell_unserved(now, (remote, local), payload[0]);
            }
            let Some(others_takers) = next.filter(|_| !others.is_empty()) else { return };
            (rest, takers) = (others, others_takers);
        }
    }

    /// Who gets the first of these packets.
    #[inline]
    fn takers(&self, packets: &[u8], segment_size: usize) -> Option<u8> {
        let readers = self.readers[usize::from(*packets.first()?)];
        let contested = readers & readers.wrapping_sub(1) != 0;
        Some(if contested { self.claimants(readers, &packets[..segment_size.min(packets.len())]) } else { readers })
    }

    /// Who of those that read a packet get it.
    fn claimants(&self, readers: u8, packet: &[u8]) -> u8 {
        let (mut know, mut serve, mut disown, mut unanswered) = (0, 0_u8, 0, packet.len());
        for at in places(readers) {
            match self.tenants.claim(at, packet) {
                Claim::Knows => know |= 1 << at,
                Claim::Serves => serve |= 1 << at,
                Claim::Disowns(bytes) if bytes <= unanswered => {
                    unanswered -= bytes;
                    disown |= 1 << at;
                }
                Claim::Disowns(_) | Claim::Neither => {}
            }
        }
        match (know, serve) {
            (0, 0) => disown,
            (0, serve) => serve & serve.wrapping_neg(),
            (know, _) => know,
        }
    }

    /// Hands packets to those who get them.
    #[inline]
    fn hand_over(&mut self, now: Instant, takers: u8, datagram: Datagram<'_>) {
        self.unpolled |= takers;
        let last = match takers.checked_ilog2() {
            Some(last) if takers.is_power_of_two() => last,
            Some(last) => {
                self.hand_copies(now, takers & !(1 << last), &datagram);
                last
            }
            None => return,
        };
        self.tenants.handle_input(last as usize, now, Input::Datagram(datagram));
    }

    /// Hands copies of packets to those who get them before somebody else does: packets are opened in place.
    fn hand_copies(&mut self, now: Instant, takers: u8, datagram: &Datagram<'_>) {
        let Datagram { remote, local, ecn, segment_size, ref payload } = *datagram;
        let mut copy = core::mem::take(&mut self.copy);
        for at in places(takers) {
            copy.clear();
            copy.extend_from_slice(payload);
            let datagram = Datagram { remote, local, ecn, segment_size, payload: &mut copy };
            self.tenants.handle_input(at, now, Input::Datagram(datagram));
        }
        self.copy = copy;
    }

    /// Says once for what came together that nobody reads such a packet.
    fn tell_unserved(&mut self, now: Instant, (remote, local): (SocketAddr, Option<SocketAddr>), first_byte: u8) {
        if !self.tenants.is_silent() && self.unserved.len() < UNSERVED_WAITING_MAX && self.budget.take(now) {
            self.unserved.push_back((remote, local, Unserved { first_byte }));
        }
    }

    /// The next answer of its own, from the address that was asked.
    #[cold]
    fn poll_unserved(&mut self, buf: &mut [u8]) -> Option<Transmit> {
        let (remote, local, unserved) = self.unserved.pop_front()?;
        let len = Unserved::LEN;
        buf[..len].copy_from_slice(&unserved.to_vec());
        Some(Transmit { remote, local, ecn: Ecn::NotEct, len, segment_size: len })
    }

    /// A link lost a packet. Those hear of it who know the id in its header.
    fn handle_link_loss(&mut self, now: Instant, loss: LinkLoss) {
        let Some(first) = loss.header.first() else { return };
        let readers = self.readers[usize::from(*first)] & Self::ALL;
        let is_concerned =
            |at: &usize| readers.is_power_of_two() || self.tenants.claim(*at, &loss.header) == Claim::Knows;
        let takers = places(readers).filter(is_concerned).fold(0, |bits, at| bits | 1 << at);
        self.unpolled |= takers;
        let Some(last) = takers.checked_ilog2() else { return };
        for at in places(takers & !(1 << last)) {
            self.tenants.handle_input(at, now, Input::LinkLoss(loss.clone()));
        }
        self.tenants.handle_input(last as usize, now, Input::LinkLoss(loss));
    }
}

/// Whether somebody who sends packets with this first byte is told if nobody reads them.
fn is_told(first: u8) -> bool {
    matches!(Mode::of(first), Mode::Section | Mode::Trickles | Mode::Carrier)
}

/// The places of the bits that are set, the lowest first.
fn places(mut bits: u8) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let at = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(at)
    })
}

impl<P: Tenants> Machine for Port<P> {
    type Event = P::Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(datagram) => self.handle_datagram(now, datagram),
            Input::LinkLoss(loss) => self.handle_link_loss(now, loss),
            Input::Unreachable(told) => {
                self.unpolled = Self::ALL;
                // Only who has sent what is quoted knows it.
                for at in 0..P::COUNT {
                    self.tenants.handle_input(at, now, Input::Unreachable(told.clone()));
                }
            }
            Input::PathChange(change) => {
                self.unpolled = Self::ALL;
                for at in 0..P::COUNT {
                    self.tenants.handle_input(at, now, Input::PathChange(change));
                }
            }
            Input::Entropy(entropy) => {
                // What nobody has asked for is as good with the first.
                let at = self.asked.iter().position(|asked| *asked > 0).unwrap_or(0);
                self.asked[at] = self.asked[at].saturating_sub(1);
                self.unpolled |= 1 << at;
                self.tenants.handle_input(at, now, Input::Entropy(entropy));
            }
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.unpolled = Self::ALL;
        self.tenants.handle_timeout(now);
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<P::Event> {
        if !self.unserved.is_empty()
            && let Some(transmit) = self.poll_unserved(buf)
        {
            return Output::Transmit(transmit);
        }
        if P::COUNT == 1 {
            return self.tenants.poll_output(0, now, buf);
        }
        while self.unpolled != 0 {
            let at = self.turn;
            // Each says one thing, then it is the next one's turn: none waits for long because another has much to say.
            self.turn = (at + 1) % P::COUNT;
            if self.unpolled & 1 << at == 0 {
                continue;
            }
            let output = self.tenants.poll_output(at, now, buf);
            match output {
                Output::Timeout(deadline) => {
                    self.deadlines[at] = deadline;
                    self.unpolled &= !(1 << at);
                    continue;
                }
                Output::NeedsEntropy => self.asked[at] += 1,
                Output::Transmit(_) | Output::Event(_) => {}
            }
            return output;
        }
        Output::Timeout(self.deadlines.iter().flatten().min().copied())
    }
}

impl<P: fmt::Debug> fmt::Debug for Port<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Port").field("tenants", &self.tenants).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
