//! Two hosts that somebody has introduced to each other open the NATs between them: each sends small datagrams to where
//! the other was seen, so that what the other sends is an answer to it (docs/splitting.md, "Introduced").

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Eid, Instant};

use crate::{Punch, TokenBucket, is_carried};

/// PUNCHes that an introduction sends to one address of its own accord, at most: at once, and after 100, 300, 700,
/// 1,500 and 3,100 ms.
pub const PUNCHES_MAX: u32 = 6;

/// Time from the first of them to the second; doubles.
pub const PUNCHED_AGAIN_AFTER: Duration = Duration::from_millis(100);

/// Addresses of an introduction that are punched, at most; the others are left out.
pub const PUNCHED_ADDRESSES_MAX: usize = 4;

/// Addresses that nobody named, and from which the introduced host sends, at most.
pub const LEARNED_ADDRESSES_MAX: usize = 2;

/// PUNCHes of an introduced host that are answered, for each address at most.
pub const PUNCHES_ANSWERED_MAX: u32 = 3;

/// How long an introduction lasts: as long as an attempt to connect.
pub const INTRODUCED_FOR: Duration = Duration::from_secs(10);

/// Shortest time between two introductions to the same host where it was seen before, whatever further addresses it
/// has; one that comes earlier is left out. Several processes of one key are seen at several addresses.
pub const INTRODUCED_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Introductions that a host heeds at once, to all others together.
pub const INTRODUCTIONS_BURST: u64 = 16;

/// The same per second, in the long run.
pub const INTRODUCTIONS_PER_S: u64 = 4;

/// Longest time for which those who introduce may have the first PUNCH wait.
pub const BEGINS_AFTER_MAX: Duration = Duration::from_secs(2);

/// Two hosts are told of each other, each of where the other was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Introduction {
    /// The other host.
    pub eid: Eid,
    /// Where it was seen, the likeliest first.
    pub addresses: Vec<SocketAddr>,
    /// Names the introduction, at both ends alike.
    pub nonce: [u8; 16],
    /// How long to wait, so that both begin at the same time.
    pub begin_in: Duration,
}

/// An introduced host was heard of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reached {
    /// Which.
    pub eid: Eid,
    /// Where.
    pub remote: SocketAddr,
    /// Nobody had named the address.
    pub learned: bool,
}

/// An address that an introduction punches.
#[derive(Debug)]
struct Hole {
    remote: SocketAddr,
    local: Option<SocketAddr>,
    /// Sent of this host's own accord, so far.
    sent: u32,
    next_at: Option<Instant>,
    answered: u32,
    /// One of theirs is owed an answer.
    owes: bool,
    learned: bool,
    /// What this host sends there comes back: it has been told of.
    open: bool,
}

#[derive(Debug)]
struct Underway {
    eid: Eid,
    /// The first address of the introduction.
    seen_at: Option<SocketAddr>,
    nonce: [u8; 16],
    own: [u8; 8],
    theirs: [u8; 8],
    since: Instant,
    holes: Vec<Hole>,
}

impl Underway {
    fn punch(&self) -> Punch {
        Punch { nonce: self.nonce, own: self.own, echo: self.theirs }
    }
}

/// The introductions of a host that are under way.
#[derive(Debug)]
pub struct Punches {
    underway: VecDeque<Underway>,
    budget: TokenBucket,
}

impl Default for Punches {
    fn default() -> Punches {
        let budget = TokenBucket::new(INTRODUCTIONS_PER_S, INTRODUCTIONS_BURST);
        Punches { underway: VecDeque::new(), budget }
    }
}

/// Whether anybody can be at an address.
fn is_somewhere(address: &SocketAddr) -> bool {
    let ip = address.ip();
    let everybody = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    // Where a carrier leads, this host alone can say.
    address.port() != 0 && !ip.is_unspecified() && !ip.is_multicast() && !everybody && !is_carried(ip)
}

impl Punches {
    /// Begins to punch; `own` is drawn for it, and not zero. Answers whether the introduction is heeded: a host is
    /// introduced again, and to others, within bounds.
    pub fn introduce(&mut self, now: Instant, introduction: &Introduction, own: [u8; 8]) -> bool {
        self.forget(now);
        let seen_at = introduction.addresses.first().copied();
        let same = |it: &Underway| it.eid == introduction.eid && it.seen_at == seen_at;
        let again =
            |it: &Underway| it.nonce == introduction.nonce || same(it) && now.since(it.since) < INTRODUCED_AGAIN_AFTER;
        if self.underway.iter().any(again) || !self.budget.take(now) {
            return false;
        }
        self.underway.retain(|it| !same(it));
        let begin_at = now + introduction.begin_in.min(BEGINS_AFTER_MAX);
        let named = introduction.addresses.iter().filter(|address| is_somewhere(address)).take(PUNCHED_ADDRESSES_MAX);
        let holes = named.map(|remote| Hole {
            remote: *remote,
            local: None,
            sent: 0,
            next_at: Some(begin_at),
            answered: 0,
            owes: false,
            learned: false,
            open: false,
        });
        let Introduction { eid, nonce, .. } = introduction.clone();
        let holes = holes.collect();
        self.underway.push_back(Underway { eid, seen_at, nonce, own, theirs: [0; 8], since: now, holes });
        true
    }

    /// Whether a host was introduced of late.
    pub fn is_underway(&self, now: Instant, eid: Eid) -> bool {
        self.underway.iter().any(|it| it.eid == eid && now.since(it.since) < INTRODUCED_FOR)
    }

    /// Whether an introduction of this name is under way.
    pub fn knows(&self, nonce: &[u8; 16]) -> bool {
        self.underway.iter().any(|it| it.nonce == *nonce)
    }

    /// A PUNCH came. Who is heard of at an address is told of twice at most: when the first comes from where it was
    /// said to be, and when one comes that answers what this host has sent there. Of other addresses the first says
    /// nothing: anybody can have sent it from anywhere.
    pub fn handle(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        local: Option<SocketAddr>,
        punch: &Punch,
    ) -> Option<Reached> {
        self.forget(now);
        let it = self.underway.iter_mut().find(|it| it.nonce == punch.nonce)?;
        let same = |hole: &Hole| (hole.remote.ip(), hole.remote.port()) == (remote.ip(), remote.port());
        let at = match it.holes.iter().position(same) {
            Some(at) => at,
            None => {
                let learned = it.holes.iter().filter(|hole| hole.learned).count();
                if learned >= LEARNED_ADDRESSES_MAX {
                    return None;
                }
                let hole = Hole {
                    remote,
                    local,
                    sent: 0,
                    next_at: None,
                    answered: 0,
                    owes: false,
                    learned: true,
                    open: false,
                };
                it.holes.push(hole);
                it.holes.len() - 1
            }
        };
        it.theirs = punch.own;
        let (own, eid, hole) = (it.own, it.eid, &mut it.holes[at]);
        let first = hole.answered == 0 && !hole.owes;
        hole.local = local;
        if hole.answered < PUNCHES_ANSWERED_MAX && !hole.owes {
            hole.owes = true;
        }
        let opens = punch.echo == own && !hole.open;
        if opens {
            // It is heard of there, and hears of this host.
            (hole.open, hole.next_at) = (true, None);
        }
        (opens || first && !hole.learned).then_some(Reached { eid, remote, learned: hole.learned })
    }

    /// The next PUNCH to send now: to whom, from which of this host's addresses if that is known, and what.
    pub fn poll(&mut self, now: Instant) -> Option<(SocketAddr, Option<SocketAddr>, Punch)> {
        self.forget(now);
        for it in &mut self.underway {
            let punch = it.punch();
            for hole in &mut it.holes {
                if core::mem::take(&mut hole.owes) {
                    hole.answered += 1;
                } else if hole.next_at.is_some_and(|at| at <= now) {
                    hole.sent += 1;
                    let again = now + PUNCHED_AGAIN_AFTER * (1 << (hole.sent - 1));
                    hole.next_at = (hole.sent < PUNCHES_MAX).then_some(again);
                } else {
                    continue;
                }
                return Some((hole.remote, hole.local, punch));
            }
        }
        None
    }

    /// When to poll again.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.underway.iter().flat_map(|it| &it.holes).filter_map(|hole| hole.next_at).min()
    }

    fn forget(&mut self, now: Instant) {
        self.underway.retain(|it| now.since(it.since) < INTRODUCED_FOR);
    }
}

#[cfg(test)]
mod tests;
