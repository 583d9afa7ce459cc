//! Where a peer may be found, and when to look for it again.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::{Eid, Instant};
use tng_endpoint::is_carried;
use tng_flow::Capability;

use crate::dial::SOUGHT_EVERY;
use crate::{ADDRESSES_MAX, Carried, Target, Via};

/// Shortest time between the end of an attempt to reach a peer again and the next; doubles.
pub const RETRY_FIRST: Duration = Duration::from_secs(1);

/// Longest time between two attempts to reach a peer again.
pub const RETRY_MAX: Duration = Duration::from_secs(60);

/// How long the end that did not begin the session leaves looking to the other, which more often can be heard first.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// How long a peer is silent, while streams are open and a carrier could stand in for UDP, until it is asked for a sign
/// of life: a host that only waits for data has nothing unanswered, and would not notice that UDP no longer passes.
pub const SILENT_FOR: Duration = Duration::from_secs(1);

/// Where a peer may be found, and when to look for it again.
#[derive(Debug)]
pub(crate) struct Reach {
    target: Target,
    /// When carriers are asked.
    carried: Carried,
    /// The helpers on the way have offered themselves: they are where this host was when they did.
    offered: bool,
    /// Where it was last.
    seen: Option<SocketAddr>,
    /// A further address of this host's, from which no channel has been asked for yet. In a box, since hardly any host
    /// has one.
    further: Option<Box<IpAddr>>,
    /// Set while a channel is wanted.
    next_at: Option<Instant>,
    interval: Duration,
    /// When it was last looked whether UDP reaches it.
    sought_at: Option<Instant>,
    /// When it was last asked for a sign of life since it had fallen silent.
    doubted_at: Option<Instant>,
}

impl Reach {
    pub(crate) fn new(target: Target, carried: Carried) -> Reach {
        let (seen, further, next_at, sought_at, doubted_at) = (None, None, None, None, None);
        Reach { target, carried, offered: false, seen, further, next_at, interval: RETRY_FIRST, sought_at, doubted_at }
    }

    /// The peer is there now. Where a carrier leads says nothing: it is this host that knows how to reach it, or
    /// nobody.
    pub(crate) fn note_seen(&mut self, remote: SocketAddr) {
        if !is_carried(remote.ip()) {
            self.seen = Some(remote);
        }
    }

    /// Whether the peer may be found by UDP.
    pub(crate) fn has_uncarried(&self) -> bool {
        let mut addresses = self.seen.iter().chain(&self.target.addresses);
        self.carried != Carried::Only && addresses.any(|address| !is_carried(address.ip()))
    }

    /// Whether the peer, or the first helper on the way to it, may be found by a carrier.
    pub(crate) fn has_carried(&self) -> bool {
        let first = self.target.via.first().map_or(&[][..], |via| &via.carried);
        self.target.addresses.iter().chain(first).any(|address| is_carried(address.ip()))
    }

    /// When to ask a peer for a sign of life that was heard last at `heard`: once, when it has fallen silent. What
    /// answers that is no news.
    pub(crate) fn doubts_at(&self, heard: Instant) -> Option<Instant> {
        self.doubted_at.is_none_or(|at| at + SILENT_FOR < heard).then(|| heard + SILENT_FOR)
    }

    /// It is asked for one now.
    pub(crate) fn note_doubted(&mut self, now: Instant) {
        self.doubted_at = Some(now);
    }

    /// When to look next whether UDP reaches a peer that a carrier is used to.
    pub(crate) fn sought_next(&self) -> Instant {
        self.sought_at.map_or(Instant::ZERO, |at| at + SOUGHT_EVERY)
    }

    /// It is looked for now.
    pub(crate) fn note_sought(&mut self, now: Instant) {
        self.sought_at = Some(now);
    }

    /// A channel from this further address is wanted in the place of those that there are.
    pub(crate) fn note_further(&mut self, address: IpAddr) {
        self.further = Some(Box::new(address));
    }

    /// The further address from which one is wanted; it is asked for now.
    pub(crate) fn take_further(&mut self) -> Option<IpAddr> {
        self.further.take().map(|it| *it)
    }

    /// The peer may be found there from now on.
    pub(crate) fn set_addresses(&mut self, addresses: Vec<SocketAddr>) {
        self.target.addresses = addresses;
        self.seen = None;
    }

    /// A helper has a fresh capability for us; answers which on the way it is, if it is there.
    pub(crate) fn renew(&mut self, helper: Eid, capability: &Capability) -> Option<usize> {
        let at = self.target.via.iter().position(|via| via.eid == helper)?;
        self.target.via[at].stop.capability = capability.clone();
        Some(at)
    }

    /// Helpers in the path have offered themselves: channels may lead through them from now on.
    pub(crate) fn offer(&mut self, via: Vec<Via>) {
        (self.target.via, self.offered) = (via, true);
    }

    /// Whether helpers are on the way that have offered themselves.
    pub(crate) fn is_offered(&self) -> bool {
        self.offered
    }

    /// Of several helpers that have offered themselves the first is left; answers whether there were several.
    pub(crate) fn shorten(&mut self) -> bool {
        let several = self.offered && self.target.via.len() > 1;
        if several {
            self.target.via.truncate(1);
        }
        several
    }

    /// Helpers that have offered themselves are where this host was: the way does not lead through them any more.
    pub(crate) fn forget_offered(&mut self) {
        if core::mem::take(&mut self.offered) {
            self.target.via.clear();
        }
    }

    /// Whether the path to it is to lead through helpers.
    pub(crate) fn is_helped(&self) -> bool {
        !self.target.via.is_empty()
    }

    /// Whether the helpers are there only to reach the peer.
    pub(crate) fn is_only_reached(&self) -> bool {
        self.is_helped() && self.target.via.iter().all(|via| via.only_to_reach)
    }

    /// The peer was heard of at this address, which nobody has named.
    pub(crate) fn note_further_remote(&mut self, remote: SocketAddr) {
        if !self.target.addresses.contains(&remote) && self.target.addresses.len() < ADDRESSES_MAX {
            self.target.addresses.push(remote);
        }
    }

    /// Whom to ask through helpers. Those that are there to reach the peer do so where it was seen by them, wherever it
    /// was heard of directly.
    pub(crate) fn helped_target(&self) -> Target {
        if self.is_only_reached() { self.target.clone() } else { self.target() }
    }

    /// Whether somebody has said that the peer is elsewhere, and it has not been heard of since.
    pub(crate) fn denies(&self, remote: SocketAddr) -> bool {
        self.seen.is_none() && !self.target.addresses.is_empty() && !self.target.addresses.contains(&remote)
    }

    /// Whom to ask for a channel: first where it was last.
    pub(crate) fn target(&self) -> Target {
        let mut addresses: Vec<SocketAddr> = self.seen.into_iter().collect();
        addresses.extend(self.target.addresses.iter().filter(|address| Some(**address) != self.seen));
        addresses.truncate(ADDRESSES_MAX);
        Target { addresses, ..self.target.clone() }
    }

    /// A channel is wanted, from `at` on; if one is wanted already, nothing changes.
    pub(crate) fn want(&mut self, at: Instant) {
        self.next_at.get_or_insert(at);
    }

    /// There is a reason to believe that the next attempt has better chances than the last.
    pub(crate) fn hurry(&mut self, now: Instant) {
        self.interval = RETRY_FIRST;
        self.next_at = Some(now);
    }

    /// There is a channel, or no need of one.
    pub(crate) fn satisfied(&mut self) {
        self.next_at = None;
        self.interval = RETRY_FIRST;
    }

    /// An attempt is being made.
    pub(crate) fn handle_attempt(&mut self, now: Instant) {
        self.next_at = self.next_at.map(|_| now + self.interval);
    }

    /// An attempt failed.
    pub(crate) fn handle_failure(&mut self, now: Instant) {
        if self.next_at.is_some() {
            self.next_at = Some(now + self.interval);
            self.interval = (self.interval * 2).min(RETRY_MAX);
        }
    }

    /// When to make the next attempt, if one is wanted and there is anywhere to look.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.next_at.filter(|_| self.seen.is_some() || !self.target.addresses.is_empty())
    }
}
