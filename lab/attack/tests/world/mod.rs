//! A host with a file service that never tires, attackers, and an honest client beside them, in virtual time.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use tng_attack::{Attack, Attacker, Mark, Tally};
use tng_base::{Eid, Instant, Machine, Output};
use tng_endpoint::Port;
use tng_stack::structured::{FirstData, Read, ServiceOptions, StreamEvent, StreamId, Streams};
use tng_stack::{Access, Accounting, ConnectionId, EventKind, Host, HostConfig, HostEvent, Identity, Target};

use crate::hand::{Datagrams, at, give, said};

pub const FILES: (&str, &str) = ("files", "tng-files/5");

/// The type of a GET (wire.md, section 6).
const GET: u8 = 0x02;

/// How long a datagram of the honest client, or to it, is on its way.
const ONE_WAY: Duration = Duration::from_millis(10);

pub fn server_at() -> SocketAddr {
    at("192.0.2.2:4860")
}

fn honest_at() -> SocketAddr {
    at("192.0.2.1:7")
}

fn attacker_at(index: u8, place: usize) -> SocketAddr {
    SocketAddr::from(([203, 0, 113, index], 5 + place as u16))
}

fn eid() -> Eid {
    Identity::from_seed([9; 32]).eid()
}

/// A service that answers each request with as many bytes as anybody takes.
pub struct Server {
    pub host: Port<(Host,)>,
    /// Requests that were read.
    pub asked: usize,
    /// Bytes that the host held at its most: see [`held_bytes`].
    pub most_bytes: u64,
    /// Packets whose fate was open, at the most.
    pub most_outstanding: usize,
    pub service: Service,
}

/// What it does with requests. None is ever over.
pub struct Service {
    /// Requests of one connection that are answered at the most; the others wait.
    pub at_once: usize,
    answered: BTreeMap<ConnectionId, usize>,
}

/// Bytes that a host holds by its own account: of streams' data, and of what stands for a connection, a channel, an
/// entry or a packet.
pub fn held_bytes(held: &Accounting) -> u64 {
    // A little more than each is, with its part of the tables that lead to it.
    let [connection, channel, half_open, stream, packet, answer] = [4_096, 8_192, 2_048, 512, 64, 1_500];
    let streams = held.streams;
    let bytes = streams.page_bytes
        + streams.datagrams_in_bytes
        + streams.datagrams_out_bytes
        + held.connections * connection
        + held.channels * channel
        + held.half_open * half_open
        + streams.streams * stream
        + streams.packets_outstanding * packet
        + held.answers * answer;
    bytes as u64
}

impl Service {
    fn pour(streams: &mut Streams, id: StreamId) {
        while streams.write(id, &[7; 65_536]).is_ok_and(|written| written > 0) {}
    }

    /// Answers how many requests it has read.
    fn read(streams: &mut Streams, id: StreamId) -> usize {
        let (mut asked, mut buf) = (0, [0; 4_096]);
        while let Ok(Read::Bytes(len)) = streams.read(id, &mut buf) {
            asked += usize::from(len > 0 && buf[0] == GET);
        }
        Service::pour(streams, id);
        asked
    }

    /// The same.
    fn handle(&mut self, host: &mut Host, event: &HostEvent) -> usize {
        let (Some(streams), EventKind::Stream(told)) = (host.streams(event.connection), &event.kind) else { return 0 };
        let mut asked = 0;
        match told {
            StreamEvent::Incoming => while streams.accept().is_some() {},
            StreamEvent::ChildIncoming { parent } => {
                let answered = self.answered.entry(event.connection).or_default();
                while *answered < self.at_once
                    && let Some(child) = streams.accept_child(*parent)
                {
                    *answered += 1;
                    asked += Service::read(streams, child);
                }
            }
            StreamEvent::Readable(id) => asked += Service::read(streams, *id),
            StreamEvent::Writable(id) => Service::pour(streams, *id),
            _ => {}
        }
        asked
    }
}

impl Server {
    pub fn new(config: HostConfig, first_data: FirstData) -> Server {
        let mut host = Host::new(config, Identity::from_seed([9; 32]), [8; 32]);
        host.listen(FILES.0, FILES.1, ServiceOptions { first_data, substreams: true });
        let service = Service { at_once: usize::MAX, answered: BTreeMap::new() };
        Server { host: Port::new((host,)), asked: 0, most_bytes: 0, most_outstanding: 0, service }
    }

    fn said(&mut self, now: Instant, buf: &mut [u8]) -> Datagrams {
        said(&mut self.host, now, buf, |host, event| self.asked += self.service.handle(host.sole_mut(), &event))
    }

    fn look(&mut self) {
        let held = self.host.sole().accounting();
        self.most_bytes = self.most_bytes.max(held_bytes(&held));
        self.most_outstanding = self.most_outstanding.max(held.streams.packets_outstanding);
    }
}

/// A server and who wants something of it.
pub struct World {
    pub server: Server,
    pub now: Instant,
    attackers: Vec<Attacker>,
    /// Whether what the server says reaches them.
    hears: bool,
    honest: Option<Honest>,
    met: u8,
    buf: Vec<u8>,
}

/// Somebody who connects, and asks for a file.
struct Honest {
    host: Host,
    to_server: VecDeque<(Instant, Vec<u8>)>,
    to_client: VecDeque<(Instant, Vec<u8>)>,
    served: bool,
}

impl World {
    pub fn new(server: Server) -> World {
        let (attackers, buf) = (Vec::new(), vec![0; 65_536]);
        World { server, now: Instant::from_secs(1), attackers, hears: true, honest: None, met: 0, buf }
    }

    /// So many attackers begin, each with a datagram a millisecond, who `hear` what is answered, or do not.
    pub fn begin(&mut self, attack: &'static Attack, sources: u8, hears: bool) {
        let (service, file) = ((FILES.0.to_owned(), FILES.1.to_owned()), Some(("big".to_owned(), 1 << 40)));
        let mark = Mark {
            eid: eid(),
            address: server_at(),
            capability: Vec::new(),
            service,
            file,
            relay: None,
            registered: None,
        };
        self.hears = hears;
        self.attackers = (0..sources)
            .map(|i| {
                let (seed, secret) = (u64::from(i), [100 + i; 32]);
                Attacker::new(attack, mark.clone(), seed, secret, Duration::from_millis(1), self.now)
            })
            .collect();
    }

    /// The books of all attackers.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.attackers.iter().for_each(|attacker| tally.add(attacker.tally()));
        tally
    }

    /// A millisecond.
    fn step(&mut self) {
        let now = self.now;
        for (attacker, index) in self.attackers.iter_mut().zip(0..) {
            while let Output::Transmit(t) = attacker.poll_output(now, &mut self.buf) {
                let from = attacker_at(index, attacker.place());
                give(&mut self.server.host, now, from, &self.buf[..t.len]);
            }
        }
        if let Some(honest) = &mut self.honest {
            honest.step(now, &mut self.server, &mut self.buf);
        }
        for (to, datagram) in self.server.said(now, &mut self.buf) {
            let attacker = (0..self.attackers.len()).find(|i| to.ip() == attacker_at(*i as u8, 0).ip());
            if let Some(index) = attacker.filter(|_| self.hears) {
                give(&mut self.attackers[index], now, server_at(), &datagram);
            } else if let Some(honest) = self.honest.as_mut().filter(|_| to == honest_at()) {
                honest.to_client.push_back((now + ONE_WAY, datagram));
            }
        }
        self.server.look();
        self.now += Duration::from_millis(1);
    }

    pub fn run(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.step();
        }
    }

    /// How long somebody honest takes to connect and to have the beginning of a file; `None` after 3 s.
    pub fn fetch(&mut self) -> Option<Duration> {
        self.met += 1;
        let mut host = Host::new(HostConfig::new(Access::Nobody), Identity::from_seed([self.met; 32]), [self.met; 32]);
        let target = Target { eid: eid(), addresses: vec![server_at()], capability: None, via: Vec::new() };
        host.connect(self.now, target).expect("an address");
        self.honest = Some(Honest { host, to_server: VecDeque::new(), to_client: VecDeque::new(), served: false });
        let began = self.now;
        while self.now.since(began) < Duration::from_secs(3) {
            self.step();
            if self.honest.as_ref().is_some_and(|honest| honest.served) {
                self.honest = None;
                return Some(self.now.since(began));
            }
        }
        None
    }
}

impl Honest {
    fn step(&mut self, now: Instant, server: &mut Server, buf: &mut [u8]) {
        while let Some((_, datagram)) = self.to_client.pop_front_if(|(at, _)| *at <= now) {
            give(&mut self.host, now, server_at(), &datagram);
        }
        let served = &mut self.served;
        let datagrams = said(&mut self.host, now, buf, |host, event| *served |= Honest::handle(host, &event));
        self.to_server.extend(datagrams.into_iter().map(|(_, datagram)| (now + ONE_WAY, datagram)));
        while let Some((_, datagram)) = self.to_server.pop_front_if(|(at, _)| *at <= now) {
            give(&mut server.host, now, honest_at(), &datagram);
        }
    }

    /// Answers whether it is served.
    fn handle(host: &mut Host, event: &HostEvent) -> bool {
        let Some(streams) = host.streams(event.connection) else { return false };
        if matches!(event.kind, EventKind::Connected) {
            let parent = streams.open(FILES.0, FILES.1).expect("credit");
            let child = streams.open_child(parent).expect("credit");
            streams.write(child, &[GET, 2, 0, 0]).expect("room");
            streams.finish(child).expect("open");
        }
        matches!(event.kind, EventKind::Stream(StreamEvent::Readable(_)))
    }
}
