//! Leased links: divided among the flows on them by what these use.

use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::Instant;
use tng_congestion::LeasedLink;

use super::{Flow, Flows, Lease, LinkName, Party, Share};

/// How often it is looked at what flows use of a leased link: so long, or twice, one that has fallen silent keeps its
/// part.
pub const LEASE_LOOK: Duration = Duration::from_millis(500);

/// A leased link: divided among the parties that flows are with, and each party's part among its flows, so that a party
/// that goes many ways has no more of it.
#[derive(Debug)]
pub(super) struct Divided {
    link: LeasedLink,
    /// The number of each on the link, and what each of its flows, by their slots, wants at most.
    among: BTreeMap<Party, (u64, BTreeMap<usize, Option<u64>>)>,
    next_number: u64,
    looked_at: Instant,
}

impl Divided {
    fn new(now: Instant, whole: tng_congestion::Share) -> Divided {
        Divided { link: LeasedLink::new(whole), among: BTreeMap::new(), next_number: 0, looked_at: now }
    }

    /// The flow in a slot comes; whether there is room for it.
    fn join(&mut self, party: &Party, slot: usize) -> bool {
        if !self.among.contains_key(party) {
            if self.link.join(self.next_number).is_err() {
                return false;
            }
            self.among.insert(party.clone(), (self.next_number, BTreeMap::new()));
            self.next_number += 1;
        }
        self.set_demand(party, slot, None);
        true
    }

    /// It goes.
    fn leave(&mut self, party: &Party, slot: usize) {
        let Some((number, flows)) = self.among.get_mut(party) else { return };
        flows.remove(&slot);
        if flows.is_empty() {
            self.link.leave(*number);
            self.among.remove(party);
        } else {
            let number = *number;
            self.link.set_demand(number, self.demand_of(party));
        }
    }

    /// The flow in a slot can use no more than so much; none: whatever it gets.
    fn set_demand(&mut self, party: &Party, slot: usize, demand: Option<u64>) {
        let Some((number, flows)) = self.among.get_mut(party) else { return };
        flows.insert(slot, demand);
        let number = *number;
        self.link.set_demand(number, self.demand_of(party));
    }

    fn demand_of(&self, party: &Party) -> Option<u64> {
        let flows = self.among.get(party).map(|(_, flows)| flows)?;
        flows.values().try_fold(0_u64, |sum, demand| Some(sum.saturating_add((*demand)?)))
    }

    /// The slots, and the part of each.
    fn parts(&self) -> Vec<(usize, tng_congestion::Share)> {
        let shares: BTreeMap<_, _> = self.link.shares().into_iter().collect();
        let mut parts = Vec::new();
        for (number, flows) in self.among.values() {
            let Some(whole) = shares.get(number) else { continue };
            let mut own = LeasedLink::new(*whole);
            for (slot, demand) in flows {
                // One more than there may be keeps what it has.
                if own.join(*slot as u64).is_ok() {
                    own.set_demand(*slot as u64, *demand);
                }
            }
            parts.extend(own.shares().into_iter().map(|(slot, share)| (slot as usize, share)));
        }
        parts
    }
}

/// A flow's part of a leased link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    link: LinkName,
    /// What it has, in bytes per second.
    rate: u64,
    /// What it is thought to want at most; none: whatever it can get.
    demand: Option<u64>,
    /// Bytes sent since it was looked at last.
    sent: u64,
}

impl Part {
    pub(super) fn new(link: LinkName) -> Part {
        Part { link, rate: 0, demand: None, sent: 0 }
    }

    /// What a flow wants that has sent so much in `time`: if it has used no more than half of what it has, twice of
    /// what it used.
    fn demand_after(&self, time: Duration) -> Option<u64> {
        let used = u128::from(self.sent) * 1_000_000 / time.as_micros().max(1);
        let twice = u64::try_from(used * 2).unwrap_or(u64::MAX);
        (twice <= self.rate).then_some(twice)
    }
}

impl<Who: Copy + Eq> Flows<Who> {
    pub(super) fn join_leased(&mut self, now: Instant, (party, slot): (&Party, usize), Lease { link, whole }: Lease) {
        // One more than there may be keeps what it has from the start, an initial window for each round trip.
        if self.leased.entry(link).or_insert_with(|| Divided::new(now, whole)).join(party, slot) {
            self.undivided.insert(link);
            self.divide(now);
        }
    }

    /// A leased link has another rate, or another window, from now on; it is divided anew at the next
    /// [`divide`](Flows::divide). One that nobody uses changes nothing.
    pub fn set_whole(&mut self, Lease { link, whole }: Lease) {
        if let Some(divided) = self.leased.get_mut(&link) {
            divided.link.set_whole(whole);
            self.undivided.insert(link);
        }
    }

    pub(super) fn leave_leased(&mut self, (party, slot): (&Party, usize), part: Part) {
        if let Some(divided) = self.leased.get_mut(&part.link) {
            divided.leave(party, slot);
            self.undivided.insert(part.link);
        }
    }

    /// A channel has sent so much, and its flow holds it back or not. One that was silent, or sent less than it might,
    /// has a full part again as soon as it wants one.
    pub(super) fn note_leased_use(&mut self, share: &Share<Who>, sent: usize, held: bool) {
        let Some(Some(flow)) = self.slots.get_mut(share.flow) else { return };
        let Some(part) = &mut flow.part else { return };
        part.sent += sent as u64;
        // A far section that is blocked holds it back, too, and takes nothing.
        let wants = sent > 0 && (held || part.demand == Some(0)) || held && part.demand.is_some_and(|rate| rate > 0);
        if wants
            && part.demand.take().is_some()
            && let Some(divided) = self.leased.get_mut(&part.link)
        {
            divided.set_demand(flow.path.party.who(), share.flow, None);
            self.undivided.insert(part.link);
            self.called.push_back(share.who);
        }
    }

    /// Divides leased links anew that flows have left, or use otherwise than before. A caller that has any calls this
    /// once in a while, before it looks at who was called.
    pub fn divide(&mut self, now: Instant) {
        if self.leased.values().any(|divided| now.since(divided.looked_at) >= LEASE_LOOK) {
            self.look_at_use(now);
        }
        while let Some(name) = self.undivided.pop_first() {
            let Some(divided) = self.leased.get(&name) else { continue };
            if divided.among.is_empty() {
                self.leased.remove(&name);
                continue;
            }
            for (at, share) in divided.parts() {
                if let Some(Some(flow)) = self.slots.get_mut(at)
                    && let Some(part) = &mut flow.part
                {
                    part.rate = share.rate;
                    flow.regulation.set_share(now, share);
                    flow.call(&mut self.called);
                }
            }
        }
    }

    fn look_at_use(&mut self, now: Instant) {
        for (at, flow) in self.slots.iter_mut().enumerate() {
            let Some(Flow { path, part: Some(part), .. }) = flow.as_deref_mut() else { continue };
            let Some(divided) = self.leased.get_mut(&part.link) else { continue };
            let time = now.since(divided.looked_at);
            if time < LEASE_LOOK {
                continue;
            }
            let demand = part.demand_after(time);
            part.sent = 0;
            if demand != core::mem::replace(&mut part.demand, demand) {
                divided.set_demand(path.party.who(), at, demand);
                self.undivided.insert(part.link);
            }
        }
        for divided in self.leased.values_mut().filter(|divided| now.since(divided.looked_at) >= LEASE_LOOK) {
            divided.looked_at = now;
        }
    }
}
