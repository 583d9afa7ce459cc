//! What a connection on which nothing happens takes of memory. The allocator counts, so this is a program of its own.

use core::net::SocketAddr;
use core::time::Duration;
use std::alloc::System;
use std::collections::VecDeque;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output};
use tng_stack::structured::{Read, ServiceOptions, StreamId};
use tng_stack::{Access, ConnectionId, EventKind, ExchangeLimits, Host, HostConfig, Identity, Target};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Hosts that have a connection with the one in the middle.
const OTHERS: usize = 64;

/// One way of the link.
const DELAY: Duration = Duration::from_millis(5);

/// Between the beginnings of two connections.
const APART: Duration = Duration::from_millis(20);

/// How long nothing happens.
const REST: Duration = Duration::from_secs(5);

const SERVICE: (&str, &str) = ("idle", "idle/1");

fn live() -> isize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated as isize - stats.bytes_deallocated as isize
}

/// A host, and what it has allocated.
struct End {
    host: Host,
    at: SocketAddr,
    bytes: isize,
    deadline: Option<Instant>,
    connections: Vec<ConnectionId>,
}

struct Packet {
    arrives: Instant,
    from: SocketAddr,
    to: usize,
    ecn: Ecn,
    segment_size: usize,
    payload: Vec<u8>,
}

/// The host in the middle, number 0, and the others.
struct World {
    now: Instant,
    ends: Vec<End>,
    under_way: VecDeque<Packet>,
    buf: Vec<u8>,
}

fn address(number: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, 0, 1 + number as u8], 4_860))
}

fn number_of(address: SocketAddr) -> usize {
    (0..=OTHERS).find(|number| self::address(*number) == address).expect("hosts send to hosts")
}

impl World {
    fn new() -> World {
        let ends = (0..=OTHERS).map(|number| {
            let mut config = HostConfig::new(Access::Public);
            config.exchanges = ExchangeLimits::NONE;
            let mut host = Host::new(config, Identity::from_seed([number as u8; 32]), [number as u8; 32]);
            host.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
            End { host, at: address(number), bytes: 0, deadline: None, connections: Vec::new() }
        });
        let (now, under_way) = (Instant::from_secs(1), VecDeque::new());
        World { now, ends: ends.collect(), under_way, buf: vec![0; 65_536] }
    }

    /// Calls a host, and then does what it asks for.
    fn call(&mut self, number: usize, call: impl FnOnce(&mut Host, Instant)) {
        let World { now, ends, under_way, buf } = self;
        let End { host, at, bytes, deadline, connections } = &mut ends[number];
        let mut counted = |call: &mut dyn FnMut(&mut Host)| {
            let before = live();
            call(host);
            *bytes += live() - before;
        };
        let mut call = Some(call);
        counted(&mut |host| call.take().expect("it is called once")(host, *now));
        loop {
            let mut output = Output::Timeout(None);
            counted(&mut |host| output = host.poll_output(*now, buf));
            match output {
                Output::Transmit(transmit) => under_way.push_back(Packet {
                    arrives: *now + DELAY,
                    from: *at,
                    to: number_of(transmit.remote),
                    ecn: transmit.ecn,
                    segment_size: transmit.segment_size,
                    payload: buf[..transmit.len].to_vec(),
                }),
                Output::Event(event) => {
                    let begins = matches!(event.kind, EventKind::Connected | EventKind::Accepted { .. });
                    connections.extend(begins.then_some(event.connection));
                }
                Output::NeedsEntropy => counted(&mut |host| host.handle_input(*now, Input::Entropy(&mut [33; 32]))),
                Output::Timeout(at) => {
                    *deadline = at;
                    return;
                }
            }
        }
    }

    fn run(&mut self, time: Duration) {
        let until = self.now + time;
        loop {
            let due = (0..self.ends.len()).filter_map(|at| Some((self.ends[at].deadline?, at))).min();
            let arrives = self.under_way.front().map(|packet| packet.arrives);
            let Some(next) = due.map(|(at, _)| at).into_iter().chain(arrives).min().filter(|at| *at <= until) else {
                self.now = until;
                return;
            };
            self.now = self.now.max(next);
            if arrives == Some(next)
                && let Some(mut packet) = self.under_way.pop_front()
            {
                let Packet { from, to, ecn, segment_size, ref mut payload, .. } = packet;
                self.call(to, |host, now| {
                    let datagram = Datagram { remote: from, local: None, ecn, segment_size, payload: &mut payload[..] };
                    host.handle_input(now, Input::Datagram(datagram));
                });
            } else if let Some((_, at)) = due {
                self.call(at, |host, now| host.handle_timeout(now));
            }
        }
    }

    fn connect(&mut self, from: usize, to: usize) {
        let target =
            Target { eid: self.ends[to].host.eid(), addresses: vec![address(to)], capability: None, via: Vec::new() };
        self.call(from, |host, now| {
            host.connect(now, target).expect("there is room for it");
        });
        self.run(APART);
    }
}

impl World {
    /// The host in the middle with a connection to each of the others, which it asked for or answered.
    fn connected(asks: bool) -> World {
        let mut world = World::new();
        for other in 1..=OTHERS {
            let (from, to) = if asks { (0, other) } else { (other, 0) };
            world.connect(from, to);
        }
        assert_eq!(world.ends[0].connections.len(), OTHERS);
        world
    }

    /// A question and its answer on each connection, some of them of much more than a packet.
    fn talk(&mut self) {
        let mut asked: Vec<(ConnectionId, StreamId)> = Vec::new();
        for (at, id) in self.ends[0].connections.clone().into_iter().enumerate() {
            self.call(0, |host, _| {
                let streams = host.streams(id).expect("it is there");
                let stream = streams.open(SERVICE.0, SERVICE.1).expect("leave");
                streams.write(stream, &vec![7; 10 + at * 1_000]).expect("room");
                streams.finish(stream).expect("it is open");
                asked.push((id, stream));
            });
        }
        self.run(REST / 10);
        for other in 1..=OTHERS {
            let id = self.ends[other].connections[0];
            self.call(other, |host, _| {
                let streams = host.streams(id).expect("it is there");
                let stream = streams.accept().expect("it has arrived").id;
                while matches!(streams.read(stream, &mut [0; 5_000]), Ok(Read::Bytes(_))) {}
                streams.finish(stream).expect("it is open");
            });
        }
        self.run(REST / 10);
        for (id, stream) in asked {
            self.call(0, |host, _| {
                let read = host.streams(id).expect("it is there").read(stream, &mut [0; 9]);
                assert_eq!(read, Ok(Read::Finished));
            });
        }
    }

    /// Bytes that the host in the middle has allocated for each of its connections, after a while.
    fn bytes_at_rest(&mut self) -> isize {
        self.run(REST);
        self.ends[0].bytes / OTHERS as isize
    }
}

/// Bytes for a connection, at most. Awake it takes a third more, and as much again of what this does not count: what
/// the crypto library asks for, which is C.
const IDLE_MAX: isize = 6_500;

/// Bytes that a farewell and its books take beside.
const FAREWELL_MAX: isize = 500;

#[test]
fn an_idle_connection_takes_little_memory_at_either_end_whatever_it_has_done_before_until_it_is_forgotten() {
    for asks in [true, false] {
        let mut world = World::connected(asks);
        let awake = world.ends[0].bytes / OTHERS as isize;
        let fresh = world.bytes_at_rest();
        world.talk();
        let used = world.bytes_at_rest();
        world.call(0, |host, now| host.close_all(now, 0, "the end"));
        let closed = world.ends[0].bytes / OTHERS as isize;
        println!("asked for: {asks}; {fresh} bytes, {used} after use, {closed} closed, {awake} while some are awake");
        assert!(fresh <= IDLE_MAX && used <= IDLE_MAX, "{fresh} bytes, {used} after use");
        assert!(closed <= IDLE_MAX + FAREWELL_MAX, "{closed} bytes, until what is closed is forgotten");
    }
}
