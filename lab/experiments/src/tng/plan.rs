//! What all hosts of a run know.

use core::net::SocketAddr;
use core::ops::Range;
use core::time::Duration;
use std::rc::Rc;

use tng_base::{Eid, Instant};
use tng_semantic::structured::{Priority, ServiceOptions};
use tng_sim::{MachineNode, PORT, fork};
use tng_stack::{Access, Host, HostConfig, Identity};

use super::TngNode;
use super::app::Flows;
use crate::ledger::{Expected, Ledger, times};
use crate::scenario::{
    Amount, DatagramSpec, EventKind, Messages, NodeKind, NodeSpec, Pace, Scenario, StreamAction, StreamSpec,
};

/// Service and protocol of every flow's streams.
pub(super) const SERVICE: (&str, &str) = ("flow", "lab/1");
/// Bytes of a stream's number, before everything that its opener writes.
pub(super) const HEADER_LEN: usize = 4;
/// Set in the number of a group of datagrams.
pub(super) const DATAGRAMS: u32 = 1 << 31;
/// The content of streams repeats after so many bytes.
pub(super) const PATTERN_LEN: usize = 64 * 1024;
/// How long after the last datagram has left, or is too old to, the others are waited for.
pub(super) const STRAGGLERS_AWAITED: Duration = Duration::from_secs(1);

pub(crate) struct Plan {
    /// Every stream: those of the flows, in their order, and then those that are there for datagrams only.
    pub(super) streams: Vec<Planned>,
    pub(super) groups: Vec<Group>,
    /// What is done to streams, in order of time.
    pub(super) changes: Vec<(Instant, usize, StreamAction)>,
    /// By node; routers have none.
    pub(super) peers: Vec<Option<Peer>>,
    pub(super) pattern: Vec<u8>,
    seed: u64,
    interval: Duration,
    /// By flow and place in the flow: the streams that come of it.
    ranges: Vec<Vec<Range<usize>>>,
}

/// A stream of the run.
pub(super) struct Planned {
    pub(super) opener: usize,
    pub(super) sender: usize,
    pub(super) receiver: usize,
    pub(super) start: Instant,
    pub(super) amount: Amount,
    pub(super) request: Option<u64>,
    pub(super) pace: Option<Pace>,
    pub(super) priority: Option<Priority>,
    pub(super) parent: Option<usize>,
    /// Streams are to be its children.
    pub(super) has_children: bool,
    messages: Option<Messages>,
    /// It stands in the report.
    reported: bool,
}

impl Planned {
    fn new(spec: &StreamSpec, (sender, receiver): (usize, usize), number: u32) -> Planned {
        Planned {
            opener: if spec.request.is_some() { receiver } else { sender },
            sender,
            receiver,
            start: Instant::ZERO + spec.start + times(spec.every, number.into()),
            amount: spec.amount,
            request: spec.request,
            pace: spec.pace,
            priority: spec.priority,
            parent: None,
            has_children: false,
            messages: spec.messages,
            reported: true,
        }
    }

    /// One that is there for datagrams only.
    fn carrier((sender, receiver): (usize, usize), start: Instant) -> Planned {
        Planned {
            opener: sender,
            sender,
            receiver,
            start,
            amount: Amount::Bytes(0),
            request: None,
            pace: None,
            priority: None,
            parent: None,
            has_children: false,
            messages: None,
            reported: false,
        }
    }

    /// The other end of what is opened here.
    pub(super) fn acceptor(&self) -> usize {
        if self.opener == self.sender { self.receiver } else { self.sender }
    }

    fn expected(&self) -> Expected {
        Expected {
            awaited: self.reported && self.amount != Amount::Forever,
            bytes: if let Amount::Bytes(bytes) = self.amount { Some(bytes) } else { None },
            pace: self.pace,
            messages: self.messages,
            parent: self.parent,
        }
    }
}

/// Datagrams alike.
pub(super) struct Group {
    pub(super) sender: usize,
    pub(super) parent: usize,
    pub(super) spec: DatagramSpec,
}

impl Group {
    /// How long after the last was handed over the others are waited for.
    pub(super) fn patience(&self) -> Duration {
        self.spec.lifetime.unwrap_or_default() + STRAGGLERS_AWAITED
    }
}

pub(super) struct Peer {
    pub(super) eid: Eid,
    pub(super) addresses: Vec<SocketAddr>,
    controller: Option<String>,
    keep_alive: Option<Duration>,
}

/// Streams of randomness of a run (see [`fork`]): one per node for its identity, one per start of a node.
fn identity(seed: u64, place: usize) -> Identity {
    Identity::generate(&mut fork(seed, (place as u64) << 32))
}

impl Plan {
    pub(crate) fn new(scenario: &Scenario) -> Plan {
        let peer = |(place, node): (usize, &NodeSpec)| match &node.kind {
            NodeKind::Router => None,
            NodeKind::Host { addresses, keep_alive } => Some(Peer {
                eid: identity(scenario.seed, place).eid(),
                addresses: addresses.iter().map(|address| SocketAddr::new(*address, PORT)).collect(),
                controller: scenario.controller_of(place).map(str::to_owned),
                keep_alive: *keep_alive,
            }),
        };
        let mut pattern = vec![0; PATTERN_LEN];
        fork(scenario.seed, u64::MAX).fill(&mut pattern);
        let mut plan = Plan {
            streams: Vec::new(),
            groups: Vec::new(),
            changes: Vec::new(),
            peers: scenario.nodes.iter().enumerate().map(peer).collect(),
            pattern,
            seed: scenario.seed,
            interval: scenario.interval,
            ranges: Vec::new(),
        };
        plan.add_streams(scenario);
        plan.add_datagrams(scenario);
        for event in &scenario.events {
            if let EventKind::Stream { stream, action } = event.kind {
                let which = plan.range(stream.flow, stream.stream);
                plan.changes.extend(which.map(|stream| (Instant::ZERO + event.at, stream, action)));
            }
        }
        plan
    }

    fn add_streams(&mut self, scenario: &Scenario) {
        for flow in &scenario.flows {
            let mut ranges = Vec::new();
            for spec in &flow.streams {
                let first = self.streams.len();
                let ends = flow.ends(spec.direction);
                self.streams.extend((0..spec.count).map(|number| Planned::new(spec, ends, number)));
                ranges.push(first..self.streams.len());
            }
            for (spec, range) in flow.streams.iter().zip(&ranges) {
                let Some(above) = spec.parent.map(|parent| ranges[parent].clone()) else { continue };
                for (number, child) in range.clone().enumerate() {
                    let parent = above.start + if above.len() == 1 { 0 } else { number };
                    self.streams[child].parent = Some(parent);
                    self.streams[parent].has_children = true;
                }
            }
            self.ranges.push(ranges);
        }
    }

    fn add_datagrams(&mut self, scenario: &Scenario) {
        for (number, flow) in scenario.flows.iter().enumerate() {
            for spec in &flow.datagrams {
                let ends = flow.ends(spec.direction);
                let parent = match spec.parent {
                    Some(parent) => self.ranges[number][parent].start,
                    None => {
                        self.streams.push(Planned::carrier(ends, Instant::ZERO + spec.start));
                        self.streams.len() - 1
                    }
                };
                self.groups.push(Group { sender: ends.0, parent, spec: spec.clone() });
            }
        }
    }

    /// The streams that come of an entry of a flow.
    pub(crate) fn range(&self, flow: usize, stream: usize) -> Range<usize> {
        self.ranges[flow][stream].clone()
    }

    /// Accounts for everything in it.
    pub(crate) fn ledger(&self) -> Ledger {
        let streams = self.streams.iter().map(Planned::expected).collect();
        let groups = self.groups.iter().map(|group| (group.spec.count, group.parent)).collect();
        Ledger::new(self.interval, streams, groups)
    }

    /// The node at `place`, started for the `start`th time, counted from zero.
    pub(crate) fn node(self: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> TngNode {
        let mut config = HostConfig::new(Access::Public);
        if let Some(peer) = &self.peers[place] {
            config.keep_alive = peer.keep_alive;
            config.controller = peer.controller.clone().unwrap_or(config.controller);
        }
        let seed = fork(self.seed, (place as u64) << 32 | u64::from(start + 1)).bytes();
        let mut host = Host::new(config, identity(self.seed, place), seed);
        host.listen(SERVICE.0, SERVICE.1, ServiceOptions { substreams: true, ..ServiceOptions::default() });
        MachineNode::new(host, Flows::new(place, self.clone(), ledger.clone()))
    }

    pub(super) fn place_of(&self, eid: Eid) -> Option<usize> {
        self.peers.iter().position(|peer| peer.as_ref().is_some_and(|peer| peer.eid == eid))
    }

    /// Whether `bytes`, which stand at `offset` of a stream, are as they were sent.
    pub(super) fn matches(&self, offset: u64, bytes: &[u8]) -> bool {
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
