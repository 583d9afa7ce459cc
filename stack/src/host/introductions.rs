//! Hosts that somebody has introduced to each other: each opens what stands before it for the other
//! (docs/splitting.md, "Introduced").

use core::net::SocketAddr;

use tng_base::{Ecn, Instant, Output, Transmit};
use tng_endpoint::{Claim, Introduction, Mapping, Punch, Reached, is_carried};
use tng_flow::Origin;
use tng_wire::{Reader, Repr, Writer};

use super::{ANSWERS_WAITING_MAX, Host, Word};
use crate::{Carried, ConnectionId, HostEvent, Relayed};

impl Host {
    /// Somebody has introduced this host and another to each other: each sends a few small datagrams to where the other
    /// was seen, so that the NATs between let pass what comes from there. A connection to it that goes by way of
    /// helpers which are there [only to reach it](crate::Via::only_to_reach) is asked for a direct channel, which takes
    /// their place. Answers whether the introduction is heeded: not by a host that uses no UDP; bounds are in
    /// docs/limits.md.
    pub fn introduced(&mut self, now: Instant, introduction: &Introduction) -> bool {
        if self.wide.config.carried == Carried::Only {
            return false;
        }
        let mut own = self.wide.rng.bytes::<8>();
        // What has heard nothing says zero.
        own[0] |= 1;
        let heeded = self.punches.introduce(now, introduction, own);
        if heeded {
            let mut addresses = introduction.addresses.clone();
            addresses.retain(|address| !is_carried(address.ip()));
            for id in self.connections_to(introduction.eid) {
                if let Some(connection) = self.connections.get_mut(id) {
                    connection.handle_introduced(now, &addresses, &mut self.wide);
                }
                self.wake(id);
            }
        }
        heeded
    }

    /// Somebody, at `observer`, tells where it sees this host now.
    pub fn note_seen(&mut self, observer: SocketAddr, seen: SocketAddr) {
        self.wide.sightings.note(observer, seen);
    }

    /// What the NAT before this host does, as far as [others have told](Host::note_seen).
    pub fn mapping(&self) -> Mapping {
        self.wide.sightings.mapping()
    }

    /// Why a connection goes by way of helpers, if it does.
    pub fn relayed(&self, id: ConnectionId) -> Option<Relayed> {
        self.connections.get(id)?.relayed(self.mapping())
    }

    fn connections_to(&self, peer: tng_base::Eid) -> Vec<ConnectionId> {
        let to = |id: &ConnectionId| self.connections.get(*id).is_some_and(|connection| connection.peer == peer);
        self.connections.ids().filter(to).collect()
    }

    pub(super) fn claim_punch(&self, packet: &[u8]) -> Claim {
        match Punch::parse(&mut Reader::new(packet)) {
            Ok(punch) if self.punches.knows(&punch.nonce) => Claim::Knows,
            // It says nothing to the sender, and asks the others.
            Ok(_) if self.wide.config.ids.is_shared() => Claim::Disowns(0),
            _ => Claim::Neither,
        }
    }

    pub(super) fn handle_punch(&mut self, now: Instant, origin: Origin, packet: &[u8]) -> Option<ConnectionId> {
        let punch = Punch::parse(&mut Reader::new(packet)).ok()?;
        if self.punches.knows(&punch.nonce) {
            self.handle_punch_for(now, origin, &punch);
        } else if self.may_tell_of_unknown(now) {
            self.tell_siblings(Word::Punch(origin, punch));
        }
        None
    }

    /// A PUNCH came, here or at another host that shares the address.
    pub fn handle_punch_for(&mut self, now: Instant, origin: Origin, punch: &Punch) {
        let Some(reached) = self.punches.handle(now, origin.remote, origin.local, punch) else { return };
        self.handle_reached(now, &reached);
        self.tell_siblings(Word::Reached(reached));
    }

    /// An introduced host was heard of, here or by another host that shares the address.
    pub fn handle_reached(&mut self, now: Instant, reached: &Reached) {
        for id in self.connections_to(reached.eid) {
            if let Some(connection) = self.connections.get_mut(id) {
                connection.handle_reached(now, reached);
            }
            self.wake(id);
        }
    }

    /// The next PUNCH to send.
    pub(super) fn poll_punch(&mut self, now: Instant, buf: &mut [u8]) -> Option<Output<HostEvent>> {
        let (remote, local, punch) = self.punches.poll(now)?;
        punch.emit(&mut Writer::new(buf)).ok()?;
        let (len, ecn) = (Punch::LEN, Ecn::NotEct);
        Some(Output::Transmit(Transmit { remote, local, ecn, len, segment_size: len }))
    }

    /// Whether the others may be told of one more packet that nobody here knows.
    fn may_tell_of_unknown(&mut self, now: Instant) -> bool {
        self.wide.config.ids.is_shared()
            && self.siblings.words.len() < ANSWERS_WAITING_MAX
            && self.siblings.asks.take(now)
    }
}
