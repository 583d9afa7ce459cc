//! What must hold of servers that keep nothing, seen by somebody who has their keys and watches what passes.

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, BTreeSet};

use tng_trickles::wire::Kind;
use tng_trickles::{ConnectionId, INITIAL_WINDOW, Place, Release, window_after_timeout};

use super::super::seat::NOBODY;

/// A request that a replica has read, as its keys show it.
#[derive(Debug)]
pub(super) struct Asked {
    pub id: ConnectionId,
    /// The seal of the continuation.
    pub seal: [u8; 16],
    pub kind: Kind,
    /// The last number that the continuation covers.
    pub high: u64,
    /// What it releases by that story; nothing for a timeout.
    pub release: Option<Release>,
}

/// Who remembers all that servers forget.
#[derive(Debug, Default)]
pub(super) struct Judge {
    wrong: Option<String>,
    /// Continuations that each replica has acted on.
    spent: BTreeSet<(usize, [u8; ConnectionId::LEN], [u8; 16])>,
    /// Numbers that each replica has sent, by the tag under which it did.
    numbers: BTreeSet<(usize, [u8; ConnectionId::LEN], u32, u64)>,
    /// Bytes from and to each address, by replica.
    traffic: BTreeMap<(usize, SocketAddr), (u64, u64)>,
    /// Addresses that have shown what was sent there, or may have.
    shown: BTreeSet<IpAddr>,
    /// Packets and timeouts, so that it is known that there were any.
    pub acts: u64,
    pub timeouts: u64,
    pub opened: u64,
}

/// Whether an address belongs to nobody, so that nothing sent there is ever shown.
fn is_nobody(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V4(ip) if ip.octets()[..3] == NOBODY)
}

impl Judge {
    /// Says what does not hold. The first counts.
    pub fn wrong(&mut self, what: impl FnOnce() -> String) {
        if self.wrong.is_none() {
            self.wrong = Some(what());
        }
    }

    /// What does not hold.
    pub fn verdict(&self) -> Option<&str> {
        self.wrong.as_deref()
    }

    /// A datagram has come to a replica.
    pub fn heard(&mut self, replica: usize, from: SocketAddr, len: usize) {
        self.traffic.entry((replica, from)).or_default().0 += len as u64;
    }

    /// A replica has said so much.
    pub fn said(&mut self, replica: usize, to: SocketAddr, len: usize) {
        let (came, went) = self.traffic.entry((replica, to)).or_default();
        *went += len as u64;
        let (came, went, ip) = (*came, *went, to.ip());
        if went > 3 * came && (is_nobody(ip) || !self.shown.contains(&ip)) {
            self.wrong(|| format!("replica {replica}: {went} bytes for the {came} that came from {to}"));
        }
    }

    /// That address has been told something which lets it be believed when it comes back: a cookie, or a token.
    pub fn may_show(&mut self, to: SocketAddr) {
        self.shown.insert(to.ip());
    }

    /// A replica has granted so many connections, and sent what they begin with.
    pub fn opened(&mut self, replica: usize, packets: usize) {
        self.opened += 1;
        if packets as u64 > 1 + INITIAL_WINDOW {
            self.wrong(|| format!("replica {replica}: {packets} packets for an INIT"));
        }
    }

    /// A replica has acted on a request from there, and sent so many packets.
    pub fn acted(&mut self, replica: usize, from: SocketAddr, asked: &Asked, packets: u64) {
        let id = asked.id.0;
        match (asked.kind, &asked.release) {
            (Kind::Timeout { count, moved_from, .. }, _) => {
                self.timeouts += 1;
                if moved_from.is_none_or(|place| place == Place::of(from.ip())) {
                    // Its continuation is sealed for the place that it comes from.
                    self.shown.insert(from.ip());
                }
                let most = window_after_timeout(count);
                if packets > most {
                    self.wrong(|| format!("replica {replica}: {packets} packets for a timeout that grants {most}"));
                }
            }
            (Kind::Spend, None) => {
                self.wrong(|| format!("replica {replica} acts on a story that is none: {asked:?}"));
            }
            (Kind::Spend, Some(release)) => {
                self.acts += 1;
                self.shown.insert(from.ip());
                if !self.spent.insert((replica, id, asked.seal)) {
                    self.wrong(|| format!("replica {replica} acts twice on one continuation: {asked:?}"));
                }
                // The closed form: behind packet k there are C(k) under way, and no more.
                let growth = &release.root.growth;
                let behind = asked.high.max(growth.base());
                let sent = release.numbers.start..release.numbers.start + packets;
                if sent.end > behind + growth.window(behind) + 1 {
                    self.wrong(|| format!("replica {replica} sends {sent:?} for {asked:?}"));
                }
                for number in sent {
                    if !self.numbers.insert((replica, id, release.tag.0, number)) {
                        self.wrong(|| format!("replica {replica} sends {number} twice: {asked:?}"));
                    }
                }
            }
        }
    }
}
