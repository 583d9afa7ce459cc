//! Two hosts, or many, in a simulated network, each with an application that writes what it is told to and checks what
//! it reads.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::{Instant, Rng};
use tng_sim::{App, IpProtocol, Link, MachineNode, NodeId, topology};
use tng_tcp::{Config, ConnectionId, End, Event, Host, News, Stats};

pub const PORT: u16 = 80;

/// What an application does with each of its connections.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Bytes to write.
    pub write: u64,
    /// Whether to finish after them; at once or when the peer has finished.
    pub finish: Finish,
    /// When to read from.
    pub read_from: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    Never,
    After,
    AfterPeer,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan { write: 0, finish: Finish::AfterPeer, read_from: Instant::ZERO }
    }
}

/// What became of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Record {
    pub written: u64,
    pub read: u64,
    pub established: Option<Instant>,
    /// When the last byte was read.
    pub read_at: Option<Instant>,
    pub peer_finished: Option<Instant>,
    pub end: Option<(Instant, End)>,
    pub stats: Option<Stats>,
    finishing: bool,
}

#[derive(Debug)]
pub struct Party {
    pub plan: Plan,
    pub records: BTreeMap<ConnectionId, Record>,
    /// To be opened when it is time.
    pub open: Vec<(Instant, SocketAddr)>,
    buf: Vec<u8>,
}

/// Byte `at` of what everybody writes.
pub fn byte(at: u64) -> u8 {
    (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

impl Party {
    pub fn new(plan: Plan) -> Party {
        Party { plan, records: BTreeMap::new(), open: Vec::new(), buf: vec![0; 1 << 16] }
    }

    pub fn opening(plan: Plan, at: Instant, to: SocketAddr) -> Party {
        Party { open: vec![(at, to)], ..Party::new(plan) }
    }

    /// The only connection.
    pub fn only(&self) -> &Record {
        assert_eq!(self.records.len(), 1, "{:?}", self.records);
        self.records.values().next().expect("a connection")
    }

    fn work(&mut self, now: Instant, host: &mut Host, id: ConnectionId) {
        let Some(record) = self.records.get_mut(&id) else { return };
        while record.written < self.plan.write {
            // One byte more than there is room for asks to be told when there is more.
            let room = host.room(id).unwrap_or(0) + 1;
            let len = (self.plan.write - record.written).min(room.min(self.buf.len()) as u64) as usize;
            for (at, out) in (record.written..).zip(&mut self.buf[..len]) {
                *out = byte(at);
            }
            let Ok(count @ 1..) = host.write(id, &self.buf[..len]) else { break };
            record.written += count as u64;
        }
        let ready = record.written == self.plan.write;
        let may = match self.plan.finish {
            Finish::Never => false,
            Finish::After => true,
            Finish::AfterPeer => record.peer_finished.is_some(),
        };
        if ready && may && !record.finishing {
            record.finishing = host.finish(id).is_ok();
        }
        if now < self.plan.read_from {
            return;
        }
        while let Ok(count @ 1..) = host.read(id, &mut self.buf) {
            for got in &self.buf[..count] {
                assert_eq!(*got, byte(record.read), "byte {} is wrong", record.read);
                record.read += 1;
            }
            record.read_at = Some(now);
        }
    }
}

impl App<Host> for Party {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: Event) {
        let record = self.records.entry(event.id).or_default();
        match event.news {
            News::Connected | News::Accepted { .. } => record.established = Some(now),
            News::PeerFinished => record.peer_finished = Some(now),
            News::Closed { end, stats } => {
                (record.end, record.stats) = (Some((now, end)), Some(stats));
            }
            News::Readable | News::Writable => {}
        }
        self.work(now, host, event.id);
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        while let Some(at) = self.open.iter().position(|(at, _)| *at <= now) {
            let (_, to) = self.open.remove(at);
            let id = host.connect(now, to).expect("room for a connection");
            self.records.insert(id, Record::default());
        }
        if self.plan.read_from != Instant::ZERO && now >= self.plan.read_from {
            self.plan.read_from = Instant::ZERO;
            for id in self.records.keys().copied().collect::<Vec<_>>() {
                self.work(now, host, id);
            }
        }
        let reading = (self.plan.read_from > now).then_some(self.plan.read_from);
        self.open.iter().map(|(at, _)| *at).chain(reading).min()
    }
}

pub type Node = MachineNode<Host, Party>;
pub type Pair = topology::Pair<Node>;

pub fn node(address: IpAddr, config: &Config, seed: u64, party: Party) -> Node {
    let mut host = Host::new(address, config.clone(), Rng::from_u64(seed)).expect("a configuration");
    host.listen(PORT).expect("a free port");
    MachineNode::new(host, party)
}

pub fn server() -> SocketAddr {
    SocketAddr::new(topology::B, PORT)
}

/// A pair in which `a` connects to `b` at once.
pub fn pair(seed: u64, link: &Link, config: &Config, a: Plan, b: Plan) -> Pair {
    pair_of(seed, link, [config, config], a, b)
}

pub fn pair_of(seed: u64, link: &Link, configs: [&Config; 2], a: Plan, b: Plan) -> Pair {
    let client = node(topology::A, configs[0], seed ^ 1, Party::opening(a, Instant::ZERO, server()));
    let server = node(topology::B, configs[1], seed ^ 2, Party::new(b));
    let mut pair = topology::pair(seed, link, client, server);
    for id in [pair.a, pair.b] {
        pair.world.set_protocol(id, IpProtocol::Tcp);
    }
    pair.world.record_digest();
    pair
}

/// `a` writes so many bytes and finishes.
pub fn sending(bytes: u64) -> Plan {
    Plan { write: bytes, finish: Finish::After, ..Plan::default() }
}

pub fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// 10 Mbit/s, 20 ms each way.
pub fn path() -> Link {
    Link::new().rate(10_000_000).delay(ms(20))
}

pub fn client(pair: &Pair) -> &Record {
    pair.world.node(pair.a).app.only()
}

pub fn host_b(pair: &Pair) -> &Record {
    pair.world.node(pair.b).app.only()
}

/// Runs until both ends are closed; the one that closed first leaves TIME-WAIT last.
pub fn run_to_the_end(pair: &mut Pair, limit: Instant) -> bool {
    let (a, b) = (pair.a, pair.b);
    pair.world.wait_until(limit, |world| {
        [a, b].iter().all(|id| {
            let records = &world.node(*id).app.records;
            !records.is_empty() && records.values().all(|record| record.end.is_some())
        })
    })
}

pub fn only_id(pair: &Pair, node: NodeId) -> ConnectionId {
    *pair.world.node(node).app.records.keys().next().expect("a connection")
}

pub fn stats_of(pair: &Pair, node: NodeId) -> Stats {
    pair.world.node(node).machine.stats(only_id(pair, node)).expect("a connection")
}
