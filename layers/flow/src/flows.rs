//! What the channels of one path share, and whose turn it is to use it.

mod leased;
mod parties;

use core::net::IpAddr;
use core::time::Duration;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use tng_base::{Eid, Instant};
use tng_congestion::{Choice, Regulation, Turn};
use tng_endpoint::is_carried;

pub use self::leased::LEASE_LOOK;
use self::leased::{Divided, Part};
pub use self::parties::PARTIES_LOOK;
use self::parties::{Parties, Seen};

/// Packets that leave together when channels take turns, at least: as many as one channel sends when it hears of two at
/// once. A sender that fills each free place by itself finds those of a full drop-tail queue before others do, and
/// takes more than its share.
pub const TURN_PACKETS: usize = 2;

/// Of a large window there is room for this part when a turn begins, if the turn is so long: each turn costs the sender
/// a call of its system, and the receiver an acknowledgment.
const TURN_PART: u64 = 32;

/// More room than for so many bytes is not waited for: they are what leaves in one call of the system.
const TURN_BYTES: u64 = 1 << 16;

/// With whom a flow is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Party {
    /// A host, whatever helpers there are on the way to it.
    Host(Eid),
    /// At a helper: a client, by its tag, wherever its flows come from or go to.
    Client(u64),
    /// One of these, with whom it was negotiated what governs the flow: nothing else does, and a channel that something
    /// else governs is no part of it. See [`Party::wishing`].
    Wishing(Box<(Party, Choice)>),
}

impl Party {
    /// The same for sections that this was asked to govern, if anything was.
    #[must_use]
    pub fn wishing(self, wished: Option<Choice>) -> Party {
        match wished {
            Some(wished) => Party::Wishing(Box::new((self, wished))),
            None => self,
        }
    }

    /// What was asked to govern a flow with it, if anything was.
    pub fn wished(&self) -> Option<&Choice> {
        match self {
            Party::Wishing(wishing) => Some(&wishing.1),
            Party::Host(_) | Party::Client(_) => None,
        }
    }

    /// Who that is, whatever was asked.
    fn who(&self) -> &Party {
        match self {
            Party::Wishing(wishing) => wishing.0.who(),
            Party::Host(_) | Party::Client(_) => self,
        }
    }
}

/// The way between two hosts. Ports do not count: a NAT changes them, and the way is the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FlowPath {
    /// With whom.
    pub party: Party,
    /// This host's address, if the driver names it.
    pub local: Option<IpAddr>,
    /// The peer's address.
    pub remote: IpAddr,
}

impl FlowPath {
    /// Whether the two are one way, as far as is known.
    fn is_same(&self, other: &FlowPath) -> bool {
        let unnamed = self.local.is_none() || other.local.is_none();
        self.party == other.party && self.remote == other.remote && (unnamed || self.local == other.local)
    }
}

/// A leased link: the network that it leads to, by an address and how many of its bits count; none for all others.
pub type LinkName = Option<(IpAddr, u8)>;

/// A link with a rate of its own, divided among the flows that use it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lease {
    /// Which link: the flows of one name divide it.
    pub link: LinkName,
    /// All of it.
    pub whole: tng_congestion::Share,
}

/// What governs a flow that begins.
#[derive(Debug)]
pub struct Begun {
    /// Its regulation.
    pub regulation: Regulation,
    /// The link that it is to have a part of, if there is one.
    pub lease: Option<Lease>,
}

impl From<Regulation> for Begun {
    fn from(regulation: Regulation) -> Begun {
        Begun { regulation, lease: None }
    }
}

/// A channel's share in a flow, held by `who` and to be [given back](Flows::leave).
#[derive(Debug)]
pub struct Share<Who> {
    who: Who,
    flow: usize,
    /// It stands in the flow's queue.
    waits: bool,
    /// It has no turns: nothing is heard of it.
    aside: bool,
    /// When it counted as a party last.
    seen: Seen,
}

impl<Who> Share<Who> {
    /// Which flow it is in: equal for two shares exactly if they are in one.
    pub fn flow(&self) -> usize {
        self.flow
    }

    /// Whether it wants a turn.
    pub fn waits(&self) -> bool {
        self.waits
    }
}

/// The flows of a host: one controller, one RTT and one pacer for each path, however many channels go there
/// (ARCHITECTURE section 3). A flow lives as long as a channel has a share in it.
///
/// Channels that want to send and may not stand in a queue. The channel at its front sends next, a few packets, and
/// goes to its end if that was not all; the others have no permission meanwhile, whatever the window says. So each has
/// as many turns as any other, and a channel whose own acknowledgments arrive does not take what another has waited
/// for.
#[derive(Debug)]
pub struct Flows<Who> {
    by_path: BTreeMap<Arc<FlowPath>, usize>,
    /// Each apart from the others: it is large, and the slots grow by doubling.
    slots: Vec<Option<Box<Flow<Who>>>>,
    free: Vec<usize>,
    /// Those whose turn has come, to be told.
    called: VecDeque<Who>,
    /// Those that lead to peers by carriers.
    carried: BTreeMap<IpAddr, Vec<usize>>,
    /// Links that are divided.
    leased: BTreeMap<LinkName, Divided>,
    /// Those of them on which what flows want has changed.
    undivided: BTreeSet<LinkName>,
}

#[derive(Debug)]
struct Flow<Who> {
    path: Arc<FlowPath>,
    regulation: Regulation,
    /// Its part of a leased link.
    part: Option<Box<Part>>,
    shares: usize,
    waiting: VecDeque<Who>,
    /// The front of the queue has been called, and has not come yet.
    called: bool,
    /// The channel that had it alone and was not heard of: it is called when another comes.
    lone: Option<Who>,
    /// Who uses it, where somebody wants to know.
    parties: Option<Box<Parties>>,
}

impl<Who> Default for Flows<Who> {
    fn default() -> Flows<Who> {
        let (by_path, leased) = (BTreeMap::new(), BTreeMap::new());
        Flows {
            by_path,
            slots: Vec::new(),
            free: Vec::new(),
            called: VecDeque::new(),
            carried: BTreeMap::new(),
            leased,
            undivided: BTreeSet::new(),
        }
    }
}

impl<Who: Copy + Eq> Flows<Who> {
    /// Flows held, and shares in them.
    pub fn len(&self) -> (usize, usize) {
        (self.by_path.len(), self.slots.iter().flatten().map(|flow| flow.shares).sum())
    }

    /// Bytes in flight, by the books of all flows.
    pub fn in_flight(&self) -> u64 {
        self.slots.iter().flatten().map(|flow| flow.regulation.in_flight()).sum()
    }

    /// A share in the flow on `path` for `who`, whose packets have at most `mtu` bytes. If it is the first, `begin`
    /// makes the regulation, and says whether the flow is to have a part of a leased link.
    pub fn join<B: Into<Begun>>(
        &mut self,
        now: Instant,
        who: Who,
        path: FlowPath,
        mtu: u16,
        begin: impl FnOnce() -> B,
    ) -> Share<Who> {
        let flow = match self.by_path.get(&path) {
            Some(flow) => *flow,
            None => self.begin(now, path, begin().into()),
        };
        let share = Share { who, flow, waits: false, aside: false, seen: Seen::default() };
        let joined = self.flow_mut(&share);
        joined.shares += 1;
        let lone = joined.lone.take();
        self.called.extend(lone);
        self.set_mtu(now, &share, mtu);
        share
    }

    fn begin(&mut self, now: Instant, path: FlowPath, Begun { regulation, lease }: Begun) -> usize {
        let part = lease.map(|lease| Box::new(Part::new(lease.link)));
        let (path, waiting) = (Arc::new(path), VecDeque::new());
        let flow = Flow {
            path: Arc::clone(&path),
            regulation,
            part,
            shares: 0,
            waiting,
            called: false,
            lone: None,
            parties: None,
        };
        let flow = Some(Box::new(flow));
        let at = match self.free.pop() {
            Some(free) => {
                self.slots[free] = flow;
                free
            }
            None => {
                self.slots.push(flow);
                self.slots.len() - 1
            }
        };
        if let Some(lease) = lease {
            self.join_leased(now, (path.party.who(), at), lease);
        }
        if is_carried(path.remote) {
            self.carried.entry(path.remote).or_default().push(at);
        }
        self.by_path.insert(path, at);
        at
    }

    /// The carrier to this peer takes no more, or more again.
    pub fn set_held(&mut self, remote: IpAddr, held: bool) {
        for at in self.carried.get(&remote).into_iter().flatten() {
            if let Some(flow) = &mut self.slots[*at] {
                flow.regulation.set_held(held);
                flow.call(&mut self.called);
            }
        }
    }

    /// Whether the share is one in the flow on `path`.
    pub fn is_on(&self, share: &Share<Who>, path: &FlowPath) -> bool {
        self.flow(share).path.is_same(path)
    }

    /// The channel goes another way from now on. What it has in flight must have left the books of the flow that it
    /// leaves.
    pub fn change<B: Into<Begun>>(
        &mut self,
        now: Instant,
        share: &mut Share<Who>,
        path: FlowPath,
        mtu: u16,
        begin: impl FnOnce() -> B,
    ) {
        let joined = self.join(now, share.who, path, mtu, begin);
        self.leave(&mut core::mem::replace(share, joined));
    }

    /// The channel has ended. What it had in flight must have left the books. The share is worth nothing any more.
    pub fn leave(&mut self, share: &mut Share<Who>) {
        self.step_out(share);
        let index = core::mem::replace(&mut share.flow, usize::MAX);
        let Some(slot) = self.slots.get_mut(index) else { return };
        let Some(flow) = slot else { return };
        flow.shares -= 1;
        if flow.shares == 0 {
            let (part, path) = (flow.part.take(), Arc::clone(&flow.path));
            self.by_path.remove(&path);
            if let Entry::Occupied(mut carried) = self.carried.entry(path.remote) {
                carried.get_mut().retain(|at| *at != index);
                if carried.get().is_empty() {
                    carried.remove();
                }
            }
            *slot = None;
            self.free.push(index);
            if let Some(part) = part {
                self.leave_leased((path.party.who(), index), *part);
            }
        } else {
            flow.call(&mut self.called);
        }
    }

    fn flow(&self, share: &Share<Who>) -> &Flow<Who> {
        self.slots[share.flow].as_ref().expect("a flow lives as long as a share in it")
    }

    fn flow_mut(&mut self, share: &Share<Who>) -> &mut Flow<Who> {
        self.slots[share.flow].as_mut().expect("a flow lives as long as a share in it")
    }

    /// What governs the flow.
    pub fn regulation(&self, share: &Share<Who>) -> &Regulation {
        &self.flow(share).regulation
    }

    /// The same, to tell what became of packets.
    pub fn regulation_mut(&mut self, share: &Share<Who>) -> &mut Regulation {
        &mut self.flow_mut(share).regulation
    }

    /// Another controller governs the flow from now on, unless it has a part of a leased link.
    pub fn set_controller(&mut self, now: Instant, share: &Share<Who>, controller: &Choice) {
        let flow = self.flow_mut(share);
        if flow.part.is_none() && !is_carried(flow.path.remote) {
            let mtu = flow.regulation.mtu();
            flow.regulation.set_controller(now, controller.make(mtu));
            self.settle(share);
        }
    }

    /// Whether other channels have shares in the same flow.
    pub fn is_shared(&self, share: &Share<Who>) -> bool {
        self.flow(share).shares > 1
    }

    /// The channel's packets have at most `mtu` bytes now. The flow keeps the most that any of its channels has had: a
    /// window must hold two of each.
    pub fn set_mtu(&mut self, now: Instant, share: &Share<Who>, mtu: u16) {
        let flow = self.flow_mut(share);
        let known = flow.regulation.mtu();
        if mtu > known || mtu < known && flow.shares == 1 {
            flow.regulation.set_mtu(now, mtu);
        }
    }

    /// The channel is about to send: what governs the flow, and knows whose turn it is and how many packets may leave
    /// in it.
    /// `in_flight` are its own bytes in the flow's books.
    pub fn begin_turn(&mut self, now: Instant, share: &Share<Who>, in_flight: u64) -> &mut Regulation {
        let flow = self.flow_mut(share);
        let reserve = flow.part_beside_policed(now).saturating_sub(in_flight);
        let turn = match flow.waiting.front() {
            _ if share.aside => Turn::Others,
            None => Turn::Free,
            Some(front) if *front != share.who => Turn::Others,
            Some(_) => {
                flow.called = false;
                match flow.waiting.len() {
                    1 => Turn::Free,
                    _ if reserve > 0 || flow.has_turn() => Turn::Own { left: flow.turn_packets() },
                    _ => Turn::Others,
                }
            }
        };
        flow.regulation.set_turn(turn);
        flow.regulation.set_reserve(reserve);
        &mut flow.regulation
    }

    /// The channel is about to send, and a policer of its own holds it: it has no turns. Answers what governs the flow,
    /// and how many parties use it, this one included: those who wait, or have sent half a full packet of late.
    pub fn begin_policed(&mut self, now: Instant, share: &mut Share<Who>) -> (&mut Regulation, usize) {
        self.step_out(share);
        let flow = self.slots[share.flow].as_mut().expect("a flow lives as long as a share in it");
        flow.regulation.set_turn(Turn::Policed);
        let look = flow.look();
        let parties = flow.parties.get_or_insert_with(|| Box::new(Parties::new(now))).count(now, look, share.seen);
        (&mut flow.regulation, parties)
    }

    /// Whether it is the flow that has just refused the channel a packet, which may have bounds of its own.
    pub fn refuses(&self, share: &Share<Who>) -> bool {
        self.flow(share).regulation.is_refusing()
    }

    /// The channel has `sent` so many bytes, and has more that the flow `held` back or not. Answers whether it must
    /// look at the clock itself, if that is what holds it back; else it will be called.
    pub fn end_turn(&mut self, share: &mut Share<Who>, sent: usize, held: bool) -> bool {
        self.note_leased_use(share, sent, held);
        let flow = self.slots[share.flow].as_mut().expect("a flow lives as long as a share in it");
        if let Some(parties) = flow.parties.as_mut().filter(|_| held || sent >= usize::from(flow.regulation.mtu()) / 2)
        {
            parties.note(&mut share.seen);
        }
        // One that is alone hears of what it waits for itself, but not of a carrier.
        let alone = flow.shares == 1 && !flow.regulation.is_held();
        if !share.waits && (alone || share.aside || !held) {
            return true;
        }
        let first = flow.waiting.front() == Some(&share.who);
        match (share.waits, held) {
            (false, true) => {
                share.waits = true;
                flow.waiting.push_back(share.who);
            }
            (true, true) if sent > 0 && first => flow.waiting.rotate_left(1),
            (true, false) => self.step_out(share),
            _ => {}
        }
        let flow = self.slots[share.flow].as_mut().expect("a flow lives as long as a share in it");
        let last = flow.waiting.front() != Some(&share.who);
        // A channel that is at the front, and was before, knows what it waits for.
        if first && last {
            flow.call(&mut self.called);
        }
        !last
    }

    /// Nothing is heard of the channel, which has the flow alone: it is called when another comes.
    pub fn note_silent(&mut self, share: &Share<Who>) {
        self.flow_mut(share).lone = Some(share.who);
    }

    /// Nothing is heard of the channel: it has no turns until it [comes back](Flows::come_back), and may only probe.
    /// What it has in flight must have left the books.
    pub fn step_aside(&mut self, share: &mut Share<Who>) {
        self.step_out(share);
        share.aside = true;
        self.settle(share);
    }

    /// The channel is heard of again, and has turns like any other.
    pub fn come_back(&mut self, share: &mut Share<Who>) {
        share.aside = false;
    }

    /// Takes `share` out of the queue.
    fn step_out(&mut self, share: &mut Share<Who>) {
        if !core::mem::take(&mut share.waits) {
            return;
        }
        let flow = self.flow_mut(share);
        if flow.waiting.front() == Some(&share.who) {
            flow.called = false;
            flow.waiting.pop_front();
        } else {
            flow.waiting.retain(|who| *who != share.who);
        }
    }

    /// Something in flight was acknowledged, found lost or given up: the channel that has waited longest is called if
    /// there is room.
    pub fn settle(&mut self, share: &Share<Who>) {
        let flow = self.slots[share.flow].as_mut().expect("a flow lives as long as a share in it");
        flow.call(&mut self.called);
    }

    /// The next channel to tell that its turn has come.
    pub fn pop_called(&mut self) -> Option<Who> {
        self.called.pop_front()
    }
}

impl<Who: Copy> Flow<Who> {
    /// How long who has used the flow counts.
    fn look(&self) -> Duration {
        PARTIES_LOOK.max(2 * self.regulation.rtt().smoothed())
    }

    /// What a channel may have in flight whatever those have who police themselves: its part of the window. Nothing if
    /// there are none of these: then the window is what channels share.
    fn part_beside_policed(&self, now: Instant) -> u64 {
        let parties = self.parties.as_ref().and_then(|parties| parties.known(now, self.look()));
        parties.map_or(0, |parties| self.regulation.window() / parties.max(2) as u64)
    }

    /// Packets in one turn: half of what is each waiting channel's part of the window, and a multiple of
    /// [`TURN_PACKETS`].
    fn turn_packets(&self) -> usize {
        let packets = self.regulation.window() / u64::from(self.regulation.mtu().max(1));
        let part = usize::try_from(packets).unwrap_or(usize::MAX) / (2 * self.waiting.len().max(1));
        (part - part % TURN_PACKETS).max(TURN_PACKETS)
    }

    /// Whether there is room for a turn: for [`TURN_PACKETS`] while there are others, unless the window holds but two
    /// turns, and for more of a large window, lest each turn is as short as the acknowledgment that began it.
    fn has_turn(&self) -> bool {
        let (regulation, mtu) = (&self.regulation, u64::from(self.regulation.mtu()));
        if regulation.is_held() {
            return false;
        }
        let (window, turn) = (regulation.window(), TURN_PACKETS as u64 * mtu);
        let wanted = if self.waiting.len() < 2 || window < 2 * turn {
            mtu
        } else {
            turn.max((window / TURN_PART).min(self.turn_packets() as u64 * mtu).min(TURN_BYTES))
        };
        regulation.in_flight().saturating_add(wanted) <= window
    }

    fn call(&mut self, to: &mut VecDeque<Who>) {
        if let Some(front) = self.waiting.front()
            && !self.called
            && self.has_turn()
        {
            self.called = true;
            to.push_back(*front);
        }
    }
}

#[cfg(test)]
mod tests;
