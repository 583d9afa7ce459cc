//! What all hosts of a run know.

mod web;

use core::net::{IpAddr, SocketAddr};
use core::ops::Range;
use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};

use tng_base::{Eid, Instant, Rng};
use tng_congestion::{Choice, Controllers};
use tng_semantic::structured::Priority;
use tng_sim::{DATAGRAM_OVERHEAD, PORT, fork};
use tng_stack::{Identity, Via};
use tng_stp_host::Policed;

use crate::engine::gate::Gate;
use crate::engine::helper;
use crate::engine::ledger::{Expected, Ledger};
use crate::engine::observer::Observer;
use crate::engine::visits::Visit;
use crate::scenario::{
    Amount, DATAGRAM_MIN, DatagramSpec, Direction, End, EventKind, FlowProtocol, FlowSpec, HelperQueue, Messages,
    NodeKind, NodeSpec, OnOff, Pace, PeerAction, Scenario, StreamAction, StreamSpec, TngSpec,
};

/// Bytes of a stream's number, before everything that its opener writes.
pub(crate) const HEADER_LEN: usize = 4;
/// Set in the number of a group of datagrams.
pub(crate) const DATAGRAMS: u32 = 1 << 31;
/// Bytes of the group and number that a datagram begins with.
const DATAGRAM_HEAD_LEN: usize = DATAGRAM_MIN as usize;
/// Bytes of the longest IP packets of hosts that do not look for how long their path takes them: those of Ethernet.
const MTU_MAX: usize = 1_500;
/// The content of streams repeats after so many bytes.
pub(crate) const PATTERN_LEN: usize = 64 * 1024;
/// How long after the last datagram has left, or is too old to, the others are waited for.
pub(crate) const STRAGGLERS_AWAITED: Duration = Duration::from_secs(1);

/// What lots are drawn for, apart from what nodes draw themselves.
#[derive(Clone, Copy)]
enum Lot {
    /// When streams start, and how long they are.
    Streams = 0x80,
    StreamPeriods = 0x81,
    DatagramPeriods = 0x82,
    Pages = 0x83,
}

/// What all hosts of a run know: what is to flow, over whatever protocol.
pub(crate) struct Plan {
    /// Every stream: those of the flows, in their order, and then those that are there for datagrams only.
    pub(crate) streams: Vec<Planned>,
    pub(crate) groups: Vec<Group>,
    /// What is done to streams, in order of time.
    pub(crate) changes: Vec<(Instant, usize, StreamAction)>,
    /// What hosts do to their connections over tng, in order of time: when, which host, to which peer.
    pub(crate) dealings: Vec<(Instant, usize, usize, PeerAction)>,
    /// By node; those that are no hosts have none.
    pub(crate) peers: Vec<Option<Peer>>,
    /// By place: the addresses of helpers, and their queues.
    pub(crate) helpers: BTreeMap<usize, (Vec<IpAddr>, HelperQueue)>,
    /// The helpers from one host to another, where a flow over tng names some.
    ways: BTreeMap<(usize, usize), Vec<usize>>,
    pub(crate) pattern: Vec<u8>,
    /// What watches the hosts.
    pub(crate) observer: Observer,
    seed: u64,
    interval: Duration,
    /// Bytes of the longest IP packet that all links take.
    mtu: usize,
    /// By flow, where it names one of the suite's.
    controllers: Vec<Option<Choice>>,
    /// What a host's flows over a protocol name first, by place and protocol.
    named: BTreeMap<(usize, FlowProtocol), String>,
    /// Where a host's flows over a protocol are all under one controller, and the policer holds it.
    policed: BTreeSet<(usize, FlowProtocol)>,
    /// All that a flow could name.
    known: Controllers,
    /// By flow and place in the flow: the streams that come of it.
    ranges: Vec<Vec<Range<usize>>>,
    /// By flow and place in the flow: the streams of each page.
    webs: Vec<Vec<Vec<Range<usize>>>>,
    visits: Vec<Visit>,
    /// By flow: its streams, those of pages included.
    spans: Vec<Range<usize>>,
}

/// A stream of the run.
pub(crate) struct Planned {
    /// What carries it.
    pub(crate) protocol: FlowProtocol,
    /// The flow that it belongs to.
    pub(crate) flow: usize,
    pub(crate) opener: usize,
    pub(crate) sender: usize,
    pub(crate) receiver: usize,
    pub(crate) start: Instant,
    /// When its connection is made, if before.
    connect: Option<Instant>,
    pub(crate) amount: Amount,
    pub(crate) request: Option<u64>,
    pub(crate) pace: Option<Pace>,
    pub(crate) on_off: Option<OnOff>,
    pub(crate) priority: Option<Priority>,
    pub(crate) parent: Option<usize>,
    /// Streams will be its children.
    pub(crate) has_children: bool,
    messages: Option<Messages>,
    /// The run waits for its end, if it has one.
    awaited: bool,
    /// The page that it is a request of.
    visit: Option<usize>,
}

impl Planned {
    /// One that starts then and sends so much.
    fn new(flow: &FlowSpec, place: usize, spec: &StreamSpec, start: Instant, amount: Amount) -> Planned {
        let (sender, receiver) = flow.ends(spec.direction);
        Planned {
            protocol: flow.protocol,
            flow: place,
            opener: if spec.request.is_some() || flow.protocol.row().receiver_opens { receiver } else { sender },
            sender,
            receiver,
            start,
            connect: spec.connect.map(|time| Instant::ZERO + time),
            amount,
            request: spec.request,
            pace: spec.pace,
            on_off: spec.on_off,
            priority: spec.priority,
            parent: None,
            has_children: false,
            messages: spec.messages,
            awaited: true,
            visit: None,
        }
    }

    /// One that is there for datagrams only.
    fn carrier(flow: &FlowSpec, place: usize, direction: Direction, start: Instant) -> Planned {
        let (sender, receiver) = flow.ends(direction);
        Planned {
            protocol: flow.protocol,
            flow: place,
            opener: sender,
            sender,
            receiver,
            start,
            connect: None,
            amount: Amount::Bytes(0),
            request: None,
            pace: None,
            on_off: None,
            priority: None,
            parent: None,
            has_children: false,
            messages: None,
            awaited: false,
            visit: None,
        }
    }

    /// When it is opened: at its start, or before.
    pub(crate) fn opens(&self) -> Instant {
        self.connect.unwrap_or(self.start)
    }

    /// When it starts, if it is opened now.
    pub(crate) fn starts(&self, now: Instant) -> Instant {
        if self.connect.is_some() { self.start.max(now) } else { now }
    }

    /// The other end of what is opened here.
    pub(crate) fn acceptor(&self) -> usize {
        if self.opener == self.sender { self.receiver } else { self.sender }
    }

    fn expected(&self) -> Expected {
        Expected {
            awaited: self.awaited && self.amount != Amount::Forever,
            bytes: if let Amount::Bytes(bytes) = self.amount { Some(bytes) } else { None },
            pace: self.pace,
            messages: self.messages,
            parent: self.parent,
            visit: self.visit,
        }
    }
}

/// Datagrams alike.
pub(crate) struct Group {
    /// What carries them.
    pub(crate) protocol: FlowProtocol,
    pub(crate) sender: usize,
    pub(crate) receiver: usize,
    /// The stream whose children they are, where datagrams are that.
    pub(crate) parent: Option<usize>,
    pub(crate) spec: DatagramSpec,
}

impl Group {
    /// How long after the last was handed over the others are waited for.
    pub(crate) fn patience(&self) -> Duration {
        self.spec.lifetime.unwrap_or_default() + STRAGGLERS_AWAITED
    }
}

pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) eid: Eid,
    /// Where its tng is.
    pub(crate) addresses: Vec<SocketAddr>,
    /// What its tng does otherwise than by default.
    pub(crate) tng: TngSpec,
}

/// Streams of randomness of a run (see [`fork`]): one per node for its identity, one per start of a node.
fn identity(seed: u64, place: usize) -> Identity {
    Identity::from_seed(fork(seed, (place as u64) << 32).bytes::<32>())
}

impl Plan {
    pub(crate) fn new(scenario: &Scenario) -> Plan {
        let chosen = |name: &str| scenario.controllers.choose(name).expect("the scenario has been read");
        // Some protocols have their own.
        let of_flow = |flow: &FlowSpec| {
            let control = flow.protocol.row().control.filter(|control| control.own.is_none())?;
            let policed = scenario.is_policed(flow);
            let named = match (&flow.controller, policed) {
                (Some(name), _) => chosen(name),
                (None, true) => chosen(control.default),
                (None, false) => return None,
            };
            Some(if policed { Policed::choice(named) } else { named })
        };
        let peer = |(place, node): (usize, &NodeSpec)| match &node.kind {
            NodeKind::Router | NodeKind::Helper { .. } | NodeKind::Nat { .. } => None,
            NodeKind::Host { addresses, tng } => Some(Peer {
                name: node.name.clone(),
                eid: identity(scenario.seed, place).eid(),
                addresses: addresses.iter().map(|address| SocketAddr::new(*address, PORT)).collect(),
                tng: *tng,
            }),
        };
        let mut pattern = vec![0; PATTERN_LEN];
        fork(scenario.seed, u64::MAX).fill(&mut pattern);
        let mut plan = Plan {
            streams: Vec::new(),
            groups: Vec::new(),
            changes: Vec::new(),
            dealings: Vec::new(),
            peers: scenario.nodes.iter().enumerate().map(peer).collect(),
            helpers: (0..)
                .zip(&scenario.nodes)
                .filter_map(|(place, node)| match &node.kind {
                    NodeKind::Helper { addresses, queue } => Some((place, (addresses.clone(), queue.clone()))),
                    _ => None,
                })
                .collect(),
            ways: scenario
                .flows
                .iter()
                .filter(|flow| !flow.via.is_empty())
                .flat_map(|flow| {
                    let back = flow.via.iter().rev().copied().collect();
                    [((flow.from, flow.to), flow.via.clone()), ((flow.to, flow.from), back)]
                })
                .collect(),
            pattern,
            observer: Observer::default(),
            seed: scenario.seed,
            interval: scenario.interval,
            mtu: scenario.links.iter().flat_map(|link| [link.forth.mtu, link.back.mtu]).min().unwrap_or(MTU_MAX),
            controllers: scenario.flows.iter().map(of_flow).collect(),
            known: scenario.controllers.clone(),
            named: scenario
                .flows
                .iter()
                .rev()
                .filter_map(|flow| Some(((flow.from, flow.protocol), flow.controller.clone()?)))
                .collect(),
            policed: scenario
                .flows
                .iter()
                .filter(|flow| scenario.is_policed(flow))
                .map(|flow| (flow.from, flow.protocol))
                .collect(),
            ranges: Vec::new(),
            webs: Vec::new(),
            visits: Vec::new(),
            spans: Vec::new(),
        };
        plan.add_streams(scenario);
        plan.add_datagrams(scenario);
        for event in &scenario.events {
            let at = Instant::ZERO + event.at;
            match event.kind {
                EventKind::Stream { stream, action } => {
                    let which = plan.range(stream.flow, stream.stream);
                    plan.changes.extend(which.map(|stream| (at, stream, action)));
                }
                EventKind::Peer { node, peer, action } => plan.dealings.push((at, node, peer, action)),
                _ => {}
            }
        }
        plan
    }

    fn add_streams(&mut self, scenario: &Scenario) {
        for (number, flow) in scenario.flows.iter().enumerate() {
            let first_of_flow = self.streams.len();
            let mut ranges = Vec::new();
            for spec in &flow.streams {
                let first = self.streams.len();
                let mut rng = self.rng(Lot::Streams, (number as u64) << 32 | ranges.len() as u64);
                let mut start = Instant::ZERO + spec.start;
                for _ in 0..spec.count {
                    let amount = match spec.amount {
                        Amount::Drawn(bytes) => Amount::Bytes(bytes.draw(&mut rng)),
                        amount => amount,
                    };
                    self.streams.push(Planned::new(flow, number, spec, start, amount));
                    start += spec.every.draw(&mut rng);
                }
                ranges.push(first..self.streams.len());
            }
            for (spec, range) in flow.streams.iter().zip(&ranges) {
                let Some(above) = spec.parent.map(|parent| ranges[parent].clone()) else { continue };
                for (which, child) in range.clone().enumerate() {
                    let parent = above.start + if above.len() == 1 { 0 } else { which };
                    self.streams[child].parent = Some(parent);
                    self.streams[parent].has_children = true;
                }
            }
            self.ranges.push(ranges);
            let webs = flow.web.iter().map(|spec| self.add_web(flow, number, spec)).collect();
            self.webs.push(webs);
            self.spans.push(first_of_flow..self.streams.len());
        }
    }

    fn add_datagrams(&mut self, scenario: &Scenario) {
        for (number, flow) in scenario.flows.iter().enumerate() {
            for spec in &flow.datagrams {
                let (sender, receiver) = flow.ends(spec.direction);
                let parent = match spec.parent {
                    Some(parent) => Some(self.ranges[number][parent].start),
                    None if flow.protocol.row().structured => {
                        let start = Instant::ZERO + spec.start;
                        self.streams.push(Planned::carrier(flow, number, spec.direction, start));
                        Some(self.streams.len() - 1)
                    }
                    None => None,
                };
                let protocol = flow.protocol;
                self.groups.push(Group { protocol, sender, receiver, parent, spec: spec.clone() });
            }
        }
    }

    /// The streams that come of an entry of a flow.
    pub(crate) fn range(&self, flow: usize, stream: usize) -> Range<usize> {
        self.ranges[flow][stream].clone()
    }

    /// The streams of a flow, those of its pages included.
    pub(crate) fn streams_of(&self, flow: usize) -> Range<usize> {
        self.spans[flow].clone()
    }

    /// The congestion controller that a flow names.
    pub(crate) fn controller(&self, flow: usize) -> Option<&Choice> {
        self.controllers[flow].as_ref()
    }

    /// What the flows that a host sends over a protocol name; of one that has one controller at a host they all name
    /// it.
    pub(crate) fn named(&self, place: usize, protocol: FlowProtocol) -> Option<&str> {
        self.named.get(&(place, protocol)).map(String::as_str)
    }

    /// The suite's controller that a host has for a protocol.
    pub(crate) fn choice(&self, place: usize, protocol: FlowProtocol) -> Option<Choice> {
        let named = self.named(place, protocol);
        let choice = named.map(|name| self.known.choose(name).expect("the scenario has been read"));
        match self.policed.contains(&(place, protocol)) {
            true => Some(Policed::choice(choice.unwrap_or_default())),
            false => choice,
        }
    }

    /// The controllers that flows may be under: all that are known without parameters, then those with parameters that
    /// flows name, and those that are held by the policer, each once.
    pub(crate) fn known_controllers(&self) -> impl Iterator<Item = Choice> {
        let named = self.controllers.iter().flatten();
        let is_known = |choice: &Choice| self.known.entries().any(|entry| entry.name == choice.name());
        let others: BTreeMap<&str, &Choice> =
            named.filter(|choice| !is_known(choice)).map(|choice| (choice.name(), choice)).collect();
        let known = self.known.entries().filter_map(|entry| self.known.choose(entry.name).ok());
        known.chain(others.into_values().cloned())
    }

    /// Where a host is found.
    pub(crate) fn address(&self, place: usize) -> IpAddr {
        let peer = self.peers[place].as_ref().expect("flows are between hosts");
        peer.addresses.first().expect("a host has an address").ip()
    }

    /// Bytes of the longest datagrams that all links take, by IPv4 (RFC 791) and UDP (RFC 768).
    pub(crate) fn datagram_len(&self) -> usize {
        self.mtu.min(MTU_MAX) - DATAGRAM_OVERHEAD
    }

    /// Accounts for everything in it.
    pub(crate) fn ledger(&self) -> Ledger {
        let streams = self.streams.iter().map(Planned::expected).collect();
        let groups = self.groups.iter().map(|group| (group.spec.count, group.parent)).collect();
        Ledger::new(self.interval, streams, groups, self.visits.clone())
    }

    /// The seed of the world.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// The helpers that connections of one host to another go through, in their order.
    pub(crate) fn via(&self, from: usize, to: usize) -> Vec<Via> {
        let way = self.ways.get(&(from, to)).map_or(&[][..], Vec::as_slice);
        way.iter().map(|place| helper::via(self, *place, from)).collect()
    }

    /// Who a host is in tng.
    pub(crate) fn identity(&self, place: usize) -> Identity {
        identity(self.seed, place)
    }

    /// Randomness for a node at `place`, started for the `start`th time, counted from zero.
    pub(crate) fn node_rng(&self, place: usize, protocol: FlowProtocol, start: u32) -> Rng {
        let of_protocol = protocol.row().lots << 56;
        fork(self.seed, of_protocol | (place as u64) << 32 | u64::from(start + 1))
    }

    /// The streams that a host opens over a protocol, those that wait for others included: they start at the end of
    /// time.
    pub(crate) fn opened_by(
        &self,
        place: usize,
        protocol: FlowProtocol,
    ) -> impl Iterator<Item = (usize, &Planned)> + '_ {
        let streams = self.streams.iter().enumerate();
        streams.filter(move |(_, stream)| stream.opener == place && stream.protocol == protocol)
    }

    /// The groups of datagrams that a host sends over a protocol.
    pub(crate) fn sent_by(&self, place: usize, protocol: FlowProtocol) -> impl Iterator<Item = (usize, &Group)> + '_ {
        let groups = self.groups.iter().enumerate();
        groups.filter(move |(_, group)| group.sender == place && group.protocol == protocol)
    }

    /// What a host does to streams over a protocol.
    pub(crate) fn changes_by(
        &self,
        place: usize,
        protocol: FlowProtocol,
    ) -> impl Iterator<Item = (Instant, usize, StreamAction)> + '_ {
        let acts = move |stream: usize, action: StreamAction| {
            let stream = &self.streams[stream];
            let by = match action {
                StreamAction::Priority { by, .. } => by,
                StreamAction::Finish | StreamAction::Reset { .. } => End::Sender,
                StreamAction::Pause | StreamAction::Resume | StreamAction::Stop { .. } => End::Receiver,
            };
            stream.protocol == protocol && place == if by == End::Sender { stream.sender } else { stream.receiver }
        };
        self.changes.iter().copied().filter(move |(_, stream, action)| acts(*stream, *action))
    }

    pub(crate) fn place_of(&self, eid: Eid) -> Option<usize> {
        self.peers.iter().position(|peer| peer.as_ref().is_some_and(|peer| peer.eid == eid))
    }

    /// Randomness for a use that has this number among those of its kind.
    fn rng(&self, lot: Lot, number: u64) -> Rng {
        fork(self.seed, (lot as u64) << 56 | number)
    }

    /// The periods of a stream.
    pub(crate) fn gate_of_stream(&self, stream: usize) -> Option<Gate> {
        Some(Gate::new(self.streams[stream].on_off?, self.rng(Lot::StreamPeriods, stream as u64)))
    }

    /// The periods of a group of datagrams.
    pub(crate) fn gate_of_group(&self, group: usize) -> Option<Gate> {
        Some(Gate::new(self.groups[group].spec.on_off?, self.rng(Lot::DatagramPeriods, group as u64)))
    }

    /// Writes a datagram of a group: group, number, and the pattern.
    pub(crate) fn write_datagram(&self, group: usize, number: u64, out: &mut [u8]) {
        let Some((head, body)) = out.split_first_chunk_mut::<DATAGRAM_HEAD_LEN>() else { return };
        head[..4].copy_from_slice(&(group as u32 | DATAGRAMS).to_be_bytes());
        head[4..].copy_from_slice(&(number as u32).to_be_bytes());
        for chunk in body.chunks_mut(PATTERN_LEN) {
            chunk.copy_from_slice(&self.pattern[..chunk.len()]);
        }
    }

    /// A datagram has come: accounts for it.
    pub(crate) fn take_datagram(&self, ledger: &Ledger, bytes: &[u8], now: Instant) {
        let Some((head, body)) = bytes.split_first_chunk::<DATAGRAM_HEAD_LEN>() else { return };
        let [a, b, c, d, rest @ ..] = *head;
        let (tag, number) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes(rest));
        let group = (tag & !DATAGRAMS) as usize;
        let Some(expected) = self.groups.get(group) else { return };
        if expected.spec.size == bytes.len() as u64 && self.matches(0, body) {
            ledger.receive_datagram(group, number as usize, now, bytes.len() as u64);
        } else {
            ledger.fail_datagrams(group, format!("number {number} did not come as it was sent"));
        }
    }

    /// Whether `bytes`, which stand at `offset` of a stream, are as they were sent.
    pub(crate) fn matches(&self, offset: u64, bytes: &[u8]) -> bool {
        let (mut at, mut left) = ((offset % PATTERN_LEN as u64) as usize, bytes);
        while !left.is_empty() {
            let n = left.len().min(PATTERN_LEN - at);
            if left[..n] != self.pattern[at..at + n] {
                return false;
            }
            (at, left) = (0, &left[n..]);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_byte_anywhere_is_noticed() {
        let text = "[[node]]\nname='a'\n[[node]]\nname='b'\n[[link]]\nbetween=['a','b']\n\
                    [[flow]]\nfrom='a'\nto='b'\nbytes=1";
        let plan = Plan::new(&Scenario::parse(text).expect("a scenario"));
        let mut bytes: Vec<u8> = plan.pattern.iter().cycle().skip(1000).take(100_000).copied().collect();
        assert!(plan.matches(1000, &bytes) && plan.matches(1000 + PATTERN_LEN as u64, &bytes));
        assert!(!plan.matches(1001, &bytes));
        for at in [0, 64_535, 64_536, 99_999] {
            bytes[at] ^= 1;
            assert!(!plan.matches(1000, &bytes), "byte {at}");
            bytes[at] ^= 1;
        }
    }
}
