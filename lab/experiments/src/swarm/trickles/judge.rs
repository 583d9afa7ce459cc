//! What must hold of servers that keep nothing, seen by somebody who has their keys and watches what passes.

mod sender;
mod slots;

use core::net::{IpAddr, SocketAddr};
use core::ops::{Range, RangeInclusive};
use std::collections::{BTreeMap, BTreeSet};

use tng_base::Instant;
use tng_trickles::wire::Kind;
use tng_trickles::{ClientNetwork, ConnectionId, INITIAL_WINDOW, Line, Release, window_after_timeout};

use self::sender::Sender;
use self::slots::Slots;
use super::super::seat::NOBODY;

/// A request that a replica has read, as its keys show it.
#[derive(Debug)]
pub(super) struct Asked {
    pub id: ConnectionId,
    /// The seal of the continuation.
    pub seal: [u8; 16],
    pub kind: Kind,
    /// The line that its continuation is of, and the numbers that it covers.
    pub root: Line,
    pub numbers: RangeInclusive<u64>,
    /// What it says is lost up to there, and whether the first cut of the line is taken back.
    pub lost: Vec<Range<u64>>,
    pub is_undone: bool,
    /// What it releases by that story; nothing for a timeout.
    pub release: Option<Release>,
    /// Its continuation may have been spent before the replica was started, and it tells no loss; or it is a seed. Up
    /// to there the line may double that a timeout begins.
    pub doubles_to: Option<u64>,
}

type Id = [u8; ConnectionId::LEN];

/// A replica, and how often one was started before it.
pub(super) type Life = (usize, u64);

/// Who remembers all that servers forget.
#[derive(Debug, Default)]
pub(super) struct Oracle {
    wrong: Option<String>,
    /// Continuations that each replica has acted on.
    spent: BTreeSet<(usize, Id, [u8; 16])>,
    /// Numbers that each replica has sent, by the tag under which it did.
    numbers: BTreeSet<(usize, Id, u32, u64)>,
    connections: BTreeMap<Id, Connection>,
    /// When each server has granted timeouts to a connection.
    slots: BTreeMap<(Life, Id), Slots>,
    /// Bytes from and to each address, by replica.
    traffic: BTreeMap<(usize, SocketAddr), (u64, u64)>,
    /// Addresses that have shown what was sent there, or may have.
    shown: BTreeSet<IpAddr>,
    /// Packets and timeouts, so that it is known that there were any.
    pub acts: u64,
    pub timeouts: u64,
    pub opened: u64,
}

/// What replicas have sent on a connection.
#[derive(Debug, Default)]
struct Connection {
    /// A sender with a memory for each line of numbers that a set-up or a timeout has begun.
    senders: Vec<Sender>,
    /// Which of them each line belongs to, by its tag: losses make others of one.
    lines: BTreeMap<u32, usize>,
    /// Timeouts that were granted: each may have begun another, and so has the set-up.
    timeouts: usize,
    has_first: bool,
    /// The largest window that any of them has had.
    window_max: u64,
    /// Up to where one may double that was begun because a replica had been started, at most.
    doubles_to: u64,
}

impl Connection {
    /// The sender of a line. One that nobody has begun is none.
    fn sender(&mut self, Line { growth, tag }: &Line) -> Result<&mut Sender, String> {
        let at = match self.lines.get(&tag.0) {
            Some(at) => *at,
            None => {
                // Set-ups begin at 0; timeouts with what they grant, and with half of the window behind the packet that
                // is shown as their threshold. That packet may lie behind a loss that is not settled: the window behind
                // it is that without the loss, which may have doubled once more, and then have grown by as much again
                // as the loss has left.
                let is_first = growth.base() == 0 && !self.has_first;
                let halved = INITIAL_WINDOW.max(2 * self.window_max);
                let threshold_max = if is_first { u64::MAX } else { halved.max(self.doubles_to) };
                let may_begin = is_first || self.senders.len() - usize::from(self.has_first) < self.timeouts;
                if !may_begin || growth.start() > INITIAL_WINDOW || growth.threshold() > threshold_max {
                    return Err(format!(
                        "a line that nobody has begun, {growth:?}, beside {} others and after {} timeouts; {} was the \
                         largest window",
                        self.senders.len(),
                        self.timeouts,
                        self.window_max
                    ));
                }
                self.has_first |= is_first;
                self.senders.push(Sender::new(growth.base(), growth.start(), growth.threshold()));
                self.lines.insert(tag.0, self.senders.len() - 1);
                self.senders.len() - 1
            }
        };
        Ok(&mut self.senders[at])
    }

    /// A request of this connection was answered with the numbers `sent`.
    fn acted(&mut self, asked: &Asked, release: &Release, sent: Range<u64>) -> Result<(), String> {
        let sender = self.sender(&asked.root)?;
        sender.hear(*asked.numbers.end(), &asked.lost, asked.is_undone.then_some(asked.root.growth.base()));
        let under_way = sender.send(sent);
        let window = sender.window();
        self.window_max = self.window_max.max(window);
        // What is released may be of the line behind a loss: it is the same sender's.
        if let Some(at) = self.lines.get(&asked.root.tag.0).copied() {
            self.lines.entry(release.root.tag.0).or_insert(at);
        }
        match under_way > window {
            true => Err(format!("{under_way} packets under way, {window} are the window")),
            false => Ok(()),
        }
    }
}

/// Whether an address belongs to nobody, so that nothing sent there is ever shown.
fn is_nobody(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V4(ip) if ip.octets()[..3] == NOBODY)
}

impl Oracle {
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
    pub fn acted(&mut self, now: Instant, life: Life, from: SocketAddr, asked: &Asked, packets: u64) {
        let (replica, id) = (life.0, asked.id.0);
        match (asked.kind, &asked.release) {
            (Kind::Timeout { count, moved_from, .. }, _) => {
                self.timeouts += 1;
                if moved_from.is_none_or(|place| place == ClientNetwork::of(from.ip())) {
                    // Its continuation is sealed for the place that it comes from.
                    self.shown.insert(from.ip());
                }
                let most = window_after_timeout(count);
                if packets > most {
                    self.wrong(|| format!("replica {replica}: {packets} packets for a timeout that grants {most}"));
                }
                let connection = self.connections.entry(id).or_default();
                connection.timeouts += 1;
                connection.doubles_to = connection.doubles_to.max(asked.doubles_to.unwrap_or_default());
                if !self.slots.entry((life, id)).or_default().granted(now, count) {
                    self.wrong(|| format!("replica {replica} grants two timeouts of one second: {asked:?}"));
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
                let sent = release.numbers.start..release.numbers.start + packets;
                for number in sent.clone() {
                    if !self.numbers.insert((replica, id, release.tag.0, number)) {
                        self.wrong(|| format!("replica {replica} sends {number} twice: {asked:?}"));
                    }
                }
                if let Err(what) = self.connections.entry(id).or_default().acted(asked, release, sent.clone()) {
                    self.wrong(|| format!("replica {replica} sends {sent:?}: {what}; {asked:?}"));
                }
            }
        }
    }
}
