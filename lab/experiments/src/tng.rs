//! Flows over tng: the application beside a [`Host`], which opens a stream for each flow of its host, and checks every byte
//! of those that it receives.

use core::net::SocketAddr;
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_base::{Eid, Instant};
use tng_semantic::structured::{OpenError, Read, ServiceOptions, StreamEvent, StreamId, WriteError};
use tng_sim::{App, MachineNode, PORT, fork};
use tng_stack::{Access, ConnectionId, EventKind, Host, HostConfig, HostEvent, Identity, Target};

use crate::ledger::Ledger;
use crate::scenario::{Amount, FlowSpec, NodeKind, NodeSpec, Scenario};

/// Service and protocol of every flow's stream. It begins with the number of the flow, four bytes.
const SERVICE: (&str, &str) = ("flow", "lab/1");
const HEADER_LEN: usize = 4;

/// The content of flows repeats after so many bytes.
const PATTERN_LEN: usize = 64 * 1024;

/// A host that runs tng.
pub(crate) type TngNode = MachineNode<Host, Flows>;

/// What all hosts of a run know.
pub(crate) struct Plan {
    flows: Vec<FlowSpec>,
    /// By node; routers have none.
    peers: Vec<Option<Peer>>,
    pattern: Vec<u8>,
    seed: u64,
}

struct Peer {
    eid: Eid,
    addresses: Vec<SocketAddr>,
    controller: Option<String>,
}

/// Streams of randomness of a run (see [`fork`]): one per node for its identity, one per start of a node.
fn identity(seed: u64, place: usize) -> Identity {
    Identity::generate(&mut fork(seed, (place as u64) << 32))
}

impl Plan {
    pub(crate) fn new(scenario: &Scenario) -> Plan {
        let peer = |(place, node): (usize, &NodeSpec)| match &node.kind {
            NodeKind::Router => None,
            NodeKind::Host { addresses } => Some(Peer {
                eid: identity(scenario.seed, place).eid(),
                addresses: addresses.iter().map(|address| SocketAddr::new(*address, PORT)).collect(),
                controller: scenario.controller_of(place).map(str::to_owned),
            }),
        };
        let mut pattern = vec![0; PATTERN_LEN];
        fork(scenario.seed, u64::MAX).fill(&mut pattern);
        Plan {
            flows: scenario.flows.clone(),
            peers: scenario.nodes.iter().enumerate().map(peer).collect(),
            pattern,
            seed: scenario.seed,
        }
    }

    /// The node at `place`, started for the `start`th time, counted from zero.
    pub(crate) fn node(self: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> TngNode {
        let mut config = HostConfig::new(Access::Public);
        if let Some(controller) = self.peers[place].as_ref().and_then(|peer| peer.controller.clone()) {
            config.controller = controller;
        }
        let seed = fork(self.seed, (place as u64) << 32 | u64::from(start + 1)).bytes();
        let mut host = Host::new(config, identity(self.seed, place), seed);
        host.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
        MachineNode::new(host, Flows::new(place, self.clone(), ledger.clone()))
    }

    fn place_of(&self, eid: Eid) -> Option<usize> {
        self.peers.iter().position(|peer| peer.as_ref().is_some_and(|peer| peer.eid == eid))
    }

    /// How much of `bytes`, which stand at `offset` of a flow, is as it was sent.
    fn matches(&self, offset: u64, bytes: &[u8]) -> bool {
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

/// The application of one host.
pub(crate) struct Flows {
    plan: Rc<Plan>,
    ledger: Ledger,
    /// Flows of this host that have not been started, the last one first.
    waiting: Vec<usize>,
    /// By peer: the connection that new flows use.
    connections: BTreeMap<usize, ConnectionId>,
    sending: BTreeMap<usize, Sending>,
    receiving: BTreeMap<(ConnectionId, StreamId), Receiving>,
    buffer: Vec<u8>,
    /// Flows that an earlier life of this host left behind have been given up.
    settled_past: bool,
}

struct Sending {
    connection: ConnectionId,
    /// `None` until the peer admits another stream.
    stream: Option<StreamId>,
    /// Bytes written, the header included.
    written: u64,
    /// What is to be written in all, the header included; `None`: whatever fits until `until`.
    total: Option<u64>,
    until: Instant,
    finished: bool,
}

#[derive(Default)]
struct Receiving {
    header: Vec<u8>,
    flow: Option<usize>,
    offset: u64,
}

impl Flows {
    fn new(place: usize, plan: Rc<Plan>, ledger: Ledger) -> Flows {
        let mut waiting: Vec<usize> = (0..plan.flows.len()).filter(|flow| plan.flows[*flow].from == place).collect();
        waiting.sort_by_key(|flow| core::cmp::Reverse((plan.flows[*flow].start, *flow)));
        Flows {
            plan,
            ledger,
            waiting,
            connections: BTreeMap::new(),
            sending: BTreeMap::new(),
            receiving: BTreeMap::new(),
            buffer: vec![0; PATTERN_LEN],
            settled_past: false,
        }
    }

    /// Starts the flows whose time has come.
    fn start_due(&mut self, now: Instant, host: &mut Host) {
        while let Some(flow) = self.waiting.pop_if(|flow| Instant::ZERO + self.plan.flows[*flow].start <= now) {
            if !self.ledger.is_waiting(flow) {
                continue;
            }
            self.ledger.start(flow, now);
            let FlowSpec { to, amount, .. } = self.plan.flows[flow];
            let Some(connection) = self.connection(now, host, to) else {
                self.ledger.fail(flow, "the sender could not begin to connect");
                continue;
            };
            let (total, until) = match amount {
                Amount::Bytes(bytes) => (Some(bytes + HEADER_LEN as u64), Instant::FAR_FUTURE),
                Amount::For(time) => (None, now + time),
            };
            self.sending.insert(flow, Sending { connection, stream: None, written: 0, total, until, finished: false });
            self.send(flow, now, host);
        }
    }

    /// The connection to a peer, begun now if there is none.
    fn connection(&mut self, now: Instant, host: &mut Host, to: usize) -> Option<ConnectionId> {
        if let Some(connection) = self.connections.get(&to) {
            return Some(*connection);
        }
        let peer = self.plan.peers[to].as_ref()?;
        let target = Target { eid: peer.eid, addresses: peer.addresses.clone(), capability: None };
        let connection = host.connect(now, target).ok()?;
        self.connections.insert(to, connection);
        Some(connection)
    }

    /// Writes as much of a flow as its stream takes.
    fn send(&mut self, flow: usize, now: Instant, host: &mut Host) {
        let Some(sending) = self.sending.get_mut(&flow) else { return };
        if sending.finished {
            return;
        }
        let Some(streams) = host.streams(sending.connection) else { return };
        let stream = match sending.stream {
            Some(stream) => stream,
            None => match streams.open(SERVICE.0, SERVICE.1) {
                Ok(stream) => *sending.stream.insert(stream),
                Err(OpenError::Blocked) => return,
                Err(error) => return self.ledger.fail(flow, error.to_string()),
            },
        };
        let header = (flow as u32).to_be_bytes();
        loop {
            let left = match sending.total {
                Some(total) => total - sending.written,
                None if now >= sending.until => 0,
                None => u64::MAX,
            };
            if left == 0 {
                sending.finished = true;
                if let Err(error) = streams.finish(stream) {
                    self.ledger.fail(flow, error.to_string());
                }
                return;
            }
            let chunk = match sending.written.checked_sub(HEADER_LEN as u64) {
                None => &header[sending.written as usize..],
                Some(offset) => &self.plan.pattern[(offset % PATTERN_LEN as u64) as usize..],
            };
            let chunk = &chunk[..chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            match streams.write(stream, chunk) {
                Ok(0) | Err(WriteError::Blocked) => return,
                Ok(n) => {
                    let body_before = sending.written.saturating_sub(HEADER_LEN as u64);
                    sending.written += n as u64;
                    let body = sending.written.saturating_sub(HEADER_LEN as u64);
                    self.ledger.count_sent(flow, body - body_before);
                }
                Err(error) => {
                    sending.finished = true;
                    return self.ledger.fail(flow, error.to_string());
                }
            }
        }
    }

    fn receive(&mut self, now: Instant, host: &mut Host, connection: ConnectionId, stream: StreamId) {
        let (Some(streams), Some(receiving)) =
            (host.streams(connection), self.receiving.get_mut(&(connection, stream)))
        else {
            return;
        };
        let end = loop {
            match streams.read(stream, &mut self.buffer) {
                Ok(Read::Bytes(n)) => {
                    let mut body = &self.buffer[..n];
                    let header = body.len().min(HEADER_LEN - receiving.header.len());
                    receiving.header.extend_from_slice(&body[..header]);
                    body = &body[header..];
                    if receiving.flow.is_none()
                        && let Some(bytes) = receiving.header.first_chunk::<HEADER_LEN>()
                    {
                        receiving.flow = Some(u32::from_be_bytes(*bytes) as usize);
                    }
                    let Some(flow) = receiving.flow.filter(|flow| *flow < self.plan.flows.len()) else { continue };
                    if !self.plan.matches(receiving.offset, body) {
                        break Err(format!("a wrong byte behind {}", receiving.offset));
                    }
                    receiving.offset += body.len() as u64;
                    if !body.is_empty() {
                        self.ledger.count_received(flow, now, body.len() as u64);
                    }
                }
                Ok(Read::Blocked) => return,
                Ok(Read::Finished) => break Ok(receiving.offset),
                Err(error) => break Err(error.to_string()),
            }
        };
        let Some(flow) = receiving.flow else { return };
        match (end, self.plan.flows[flow].amount) {
            (Ok(length), Amount::Bytes(bytes)) if length != bytes => {
                self.ledger.fail(flow, format!("ended after {length} bytes"));
            }
            (Ok(_), _) => self.ledger.done(flow, now),
            (Err(reason), _) => self.ledger.fail(flow, reason),
        }
        self.receiving.remove(&(connection, stream));
    }

    /// A connection is gone, and with it the flows that were on it.
    fn lose(&mut self, connection: ConnectionId, reason: &str) {
        self.connections.retain(|_, other| *other != connection);
        for (flow, sending) in &self.sending {
            if sending.connection == connection {
                self.ledger.fail(*flow, reason);
            }
        }
        self.sending.retain(|_, sending| sending.connection != connection);
        for ((on, _), receiving) in &self.receiving {
            if *on == connection
                && let Some(flow) = receiving.flow
            {
                self.ledger.fail(flow, reason);
            }
        }
        self.receiving.retain(|(on, _), _| *on != connection);
    }

    fn flow_of(&self, connection: ConnectionId, stream: StreamId) -> Option<usize> {
        let here = |sending: &Sending| sending.connection == connection && sending.stream == Some(stream);
        self.sending.iter().find(|(_, sending)| here(sending)).map(|(flow, _)| *flow)
    }

    fn handle_stream(&mut self, now: Instant, host: &mut Host, connection: ConnectionId, event: StreamEvent) {
        match event {
            StreamEvent::Incoming => {
                while let Some(incoming) = host.streams(connection).and_then(|streams| streams.accept()) {
                    self.receiving.insert((connection, incoming.id), Receiving::default());
                    self.receive(now, host, connection, incoming.id);
                }
            }
            StreamEvent::Readable(stream) => self.receive(now, host, connection, stream),
            StreamEvent::Writable(stream) => {
                if let Some(flow) = self.flow_of(connection, stream) {
                    self.send(flow, now, host);
                }
            }
            StreamEvent::CanOpen => {
                let unopened = |(_, s): &(&usize, &Sending)| s.connection == connection && s.stream.is_none();
                let flows: Vec<usize> = self.sending.iter().filter(unopened).map(|(flow, _)| *flow).collect();
                flows.into_iter().for_each(|flow| self.send(flow, now, host));
            }
            StreamEvent::Refused { id, reason, .. } => {
                if let Some(flow) = self.flow_of(connection, id) {
                    self.ledger.fail(flow, format!("refused: {reason}"));
                }
            }
            StreamEvent::Finished(stream) => {
                if let Some(flow) = self.flow_of(connection, stream) {
                    self.sending.remove(&flow);
                }
            }
            StreamEvent::Reset { .. } | StreamEvent::Stopped { .. } | StreamEvent::ChildIncoming { .. } => {}
        }
    }
}

impl App<Host> for Flows {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let connection = event.connection;
        match event.kind {
            EventKind::Stream(event) => self.handle_stream(now, host, connection, event),
            EventKind::Accepted { eid } => {
                if let Some(peer) = self.plan.place_of(eid) {
                    self.connections.entry(peer).or_insert(connection);
                }
            }
            EventKind::ConnectFailed(error) => self.lose(connection, &error.to_string()),
            EventKind::Closed(cause) => self.lose(connection, &cause.to_string()),
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if !self.settled_past {
            self.settled_past = true;
            for flow in self.waiting.iter().filter(|flow| self.ledger.is_running(**flow)) {
                self.ledger.fail(*flow, "the sender was restarted");
            }
        }
        self.start_due(now, host);
        let overdue = |(_, s): &(&usize, &Sending)| !s.finished && s.until <= now;
        let ended: Vec<usize> = self.sending.iter().filter(overdue).map(|(flow, _)| *flow).collect();
        ended.into_iter().for_each(|flow| self.send(flow, now, host));
        let next_start = self.waiting.last().map(|flow| Instant::ZERO + self.plan.flows[*flow].start);
        let next_end = self.sending.values().filter(|s| !s.finished && s.until > now).map(|s| s.until).min();
        [next_start, next_end].into_iter().flatten().filter(|time| *time < Instant::FAR_FUTURE).min()
    }
}

impl Flows {
    /// The connections of this host to its peers, by the peer's place.
    pub(crate) fn connections(&self) -> impl Iterator<Item = (usize, ConnectionId)> + '_ {
        self.connections.iter().map(|(place, connection)| (*place, *connection))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_byte_anywhere_is_noticed() {
        let plan = Plan::new(&Scenario::parse("[[node]]\nname = 'a'").expect("a scenario"));
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
