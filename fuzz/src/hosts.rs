//! Hosts in virtual time: two of them and a network that does what the script says, and one among strangers.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use tng_base::{ChannelId, CodeHash, Datagram, Ecn, Input, Instant, Machine, Output, PathChange};
use tng_isolation::wire::TransportOffer;
use tng_isolation::{Attach, Opening, Purpose};
use tng_stack::{Access, ConnectionId, EventKind, Host, HostConfig, HostEvent, Identity, PathId, Target as Peer};
use tng_wire::battery::emit;

use crate::Target;
use crate::app::{App, SERVICES, options};
use crate::bytes::Script;
use crate::exchange::{init_with, spoil, stateful};
use crate::parsers::openings;
use crate::streams::call;

pub(crate) const TARGETS: &[Target] = &[
    Target { memory: (48 << 20, 256 << 10), ..stateful("hosts_pair", 300, (pair, pair_seeds)) },
    Target { memory: (8 << 20, 256 << 10), ..stateful("host_alone", 500, (alone, alone_seeds)) },
];

/// Datagrams under way at most.
const FLIGHTS_MAX: usize = 96;
const PORT: u16 = 4860;
/// What a driver lends a machine to write to.
const BUFFER: usize = 1 << 16;

struct Flight {
    source: SocketAddr,
    target: SocketAddr,
    ecn: Ecn,
    bytes: Vec<u8>,
}

struct World {
    hosts: [Host; 2],
    /// Where each host is, the address that it prefers first.
    places: [Vec<SocketAddr>; 2],
    moves: u8,
    now: Instant,
    deadlines: [Option<Instant>; 2],
    flights: Vec<Flight>,
    apps: BTreeMap<(usize, ConnectionId), App>,
    ended: BTreeSet<(usize, ConnectionId)>,
    client: ConnectionId,
    /// Bytes that the second host has sent, and received, before it knew anybody.
    ledger: Option<(usize, usize)>,
    buf: Vec<u8>,
}

fn place(end: usize, which: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, end as u8, which], PORT))
}

/// What hosts are told: plain or odd, by a byte.
fn config(byte: u8, access: Access) -> HostConfig {
    let mut config = HostConfig::new(access);
    config.controller = if byte & 1 == 0 { "cubic" } else { "newreno" }.parse().expect("a controller");
    config.pacing = byte & 2 == 0;
    if byte & 4 != 0 {
        config.streams.stream_window = 4096;
        config.streams.host_window = 8192;
        config.streams.streams_max = 16;
    }
    if byte & 8 != 0 {
        config.cookie_above = 0;
    }
    config.auto_accept = byte & 16 == 0;
    config.danger_weak = byte & 32 != 0;
    if byte & 64 != 0 {
        config.renew_keys_after = 8;
    }
    config.keep_alive = (byte & 128 != 0).then_some(Duration::from_secs(5));
    config
}

fn listening(mut host: Host) -> Host {
    for (at, (service, protocol)) in SERVICES[..2].iter().enumerate() {
        host.listen(service, protocol, options(at));
    }
    host
}

impl World {
    fn new(script: &mut Script<'_>) -> World {
        let [of_client, of_server] = [script.u8(), script.u8()];
        let make = |byte, seed: u8, access| {
            listening(Host::new(config(byte, access), Identity::from_seed([seed; 32]), [seed + 1; 32]))
        };
        let mut hosts = [make(of_client, 1, Access::Nobody), make(of_server, 5, Access::Public)];
        let addresses = vec![place(1, 1)];
        let peer = Peer { eid: hosts[1].eid(), addresses, capability: None, via: Vec::new() };
        let client = hosts[0].connect(Instant::ZERO, peer).expect("an address");
        let mut world = World {
            hosts,
            places: [vec![place(0, 1), place(0, 2)], vec![place(1, 1)]],
            moves: 2,
            now: Instant::ZERO,
            deadlines: [None; 2],
            flights: Vec::new(),
            apps: BTreeMap::from([((0, client), App::new(0))]),
            ended: BTreeSet::new(),
            client,
            ledger: Some((0, 0)),
            buf: vec![0; BUFFER],
        };
        // Something to say in the first packet, or nothing.
        for _ in 0..script.below(4) {
            world.act(0, script);
        }
        world.pump(0);
        world
    }

    fn act(&mut self, end: usize, script: &mut Script<'_>) {
        let Some((&(_, id), app)) = self.apps.iter_mut().find(|((of, _), _)| *of == end) else { return };
        if let Some(streams) = self.hosts[end].streams(id) {
            app.act(streams, script);
        }
    }

    /// Lets a host say everything that it has to say.
    fn pump(&mut self, end: usize) {
        for _ in 0..20_000 {
            match self.hosts[end].poll_output(self.now, &mut self.buf) {
                Output::NeedsEntropy => self.hosts[end].handle_input(self.now, Input::Entropy(&mut [9; 32])),
                Output::Timeout(at) => {
                    self.deadlines[end] = at;
                    return;
                }
                Output::Event(event) => self.handle(end, event),
                Output::Transmit(transmit) => {
                    assert!(transmit.len > 0 && transmit.segment_size > 0);
                    let local = transmit.local.map(|local| local.ip()).filter(|ip| !ip.is_unspecified());
                    let source = match local {
                        None => self.places[end].first().copied(),
                        Some(ip) => self.places[end].iter().find(|place| place.ip() == ip).copied(),
                    };
                    if end == 1 && self.hosts[1].confirmed() > 0 {
                        self.ledger = None;
                    }
                    if let Some((sent, arrived)) = self.ledger.as_mut().filter(|_| end == 1) {
                        *sent += transmit.len;
                        assert!(*sent <= 3 * *arrived, "{sent} bytes for {arrived}, to a host that has shown nothing");
                    }
                    let Some(source) = source else { continue };
                    for bytes in self.buf[..transmit.len].chunks(transmit.segment_size) {
                        if self.flights.len() == FLIGHTS_MAX {
                            self.flights.remove(0);
                        }
                        let (target, ecn) = (transmit.remote, transmit.ecn);
                        self.flights.push(Flight { source, target, ecn, bytes: bytes.to_vec() });
                    }
                }
            }
        }
        panic!("host {end} never comes to rest");
    }

    fn handle(&mut self, end: usize, HostEvent { connection: id, kind }: HostEvent) {
        let key = (end, id);
        assert!(!self.ended.contains(&key), "something follows the end: {kind:?}");
        match kind {
            EventKind::Incoming { validated, .. } => {
                if validated || self.moves & 1 == 0 {
                    self.hosts[end].accept(self.now, id);
                } else {
                    self.hosts[end].retry(self.now, id);
                    self.ended.insert(key);
                }
            }
            EventKind::Stream(event) => {
                let app = self.apps.entry(key).or_insert_with(|| App::new(end));
                if let Some(streams) = self.hosts[end].streams(id) {
                    app.handle(streams, event);
                }
            }
            EventKind::Accepted { .. } => {
                // What has been heard of it may have been that its channel ends, and none is up any longer.
                self.ledger = None;
                self.apps.entry(key).or_insert_with(|| App::new(end));
            }
            EventKind::Closed(_) | EventKind::ConnectFailed(_) => {
                self.ended.insert(key);
                if let (Some(mut streams), Some(app)) = (self.hosts[end].take_streams(id), self.apps.get_mut(&key)) {
                    // What has arrived can still be read.
                    app.settle(&mut streams);
                    app.events(&mut streams);
                }
            }
            _ => {}
        }
    }

    fn arrive(&mut self, flight: Flight) {
        let Some(end) = (0..2).find(|end| self.places[*end].contains(&flight.target)) else { return };
        let Flight { source, target, ecn, mut bytes } = flight;
        if bytes.is_empty() {
            return;
        }
        if let Some((_, arrived)) = self.ledger.as_mut().filter(|_| end == 1) {
            *arrived += bytes.len();
        }
        let (local, segment_size) = (Some(target), bytes.len());
        let datagram = Datagram { remote: source, local, ecn, segment_size, payload: &mut bytes };
        self.hosts[end].handle_input(self.now, Input::Datagram(datagram));
        self.pump(end);
    }

    /// Everything that is under way now arrives, in order.
    fn deliver(&mut self) {
        for flight in core::mem::take(&mut self.flights) {
            self.arrive(flight);
        }
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        for end in 0..2 {
            if self.deadlines[end].is_some_and(|at| at <= self.now) {
                self.hosts[end].handle_timeout(self.now);
                self.pump(end);
            }
        }
    }

    /// Goes to the next moment at which a host wants to do something; answers whether there is one.
    fn skip(&mut self) -> bool {
        let Some(next) = self.deadlines.iter().flatten().min().copied() else { return false };
        let wait = if next > self.now { next.since(self.now) } else { Duration::ZERO };
        self.pass(wait.max(Duration::from_micros(1)));
        true
    }

    fn network(&mut self, script: &mut Script<'_>) {
        let what = script.below(8);
        let at = script.below(self.flights.len());
        if at >= self.flights.len() {
            return;
        }
        match what {
            0..=2 => {
                let flight = self.flights.remove(at);
                self.arrive(flight);
            }
            3..=4 => drop(self.flights.remove(at)),
            5 => {
                let Flight { source, target, ecn, bytes } = &self.flights[at];
                let copy = Flight { source: *source, target: *target, ecn: *ecn, bytes: bytes.clone() };
                self.flights.push(copy);
            }
            // An attacker that changes a packet of weak mode on purpose forges it.
            6 if self.hosts.iter().all(|host| host.config().danger_weak) => {}
            6 => {
                spoil(script, &mut self.flights[at].bytes);
            }
            _ => self.flights[at].ecn = Ecn::from_bits(script.u8()),
        }
    }

    /// A host changes its address and knows it, or does not.
    fn relocate(&mut self, script: &mut Script<'_>) {
        let end = script.below(2);
        let known = script.u8() & 1 == 0;
        self.moves = self.moves.wrapping_add(1) % 64 + 3;
        let new = place(end, self.moves);
        if known && script.u8() & 1 == 0 {
            // Beside the old one for a while.
            self.hosts[end].handle_input(self.now, Input::PathChange(PathChange::FurtherAddress(new.ip())));
            self.places[end].insert(1, new);
            self.places[end].truncate(4);
            self.pump(end);
            self.moves &= 63;
            return;
        }
        let old = self.places[end].remove(0);
        self.places[end].insert(0, new);
        if known {
            let change = PathChange::LocalAddress { old: Some(old.ip()), new: Some(new.ip()) };
            self.hosts[end].handle_input(self.now, Input::PathChange(change));
        }
        self.pump(end);
        self.moves &= 63;
    }

    fn manage(&mut self, script: &mut Script<'_>) {
        let end = script.below(2);
        let Some((_, id)) = self.apps.keys().find(|(of, _)| *of == end).copied() else { return };
        let (host, now) = (&mut self.hosts[end], self.now);
        match script.below(8) {
            0 => {
                let local = self.places[end].last().map(|place| place.ip());
                let _path = host.attach(now, id, local, &[]);
            }
            1 => host.detach(now, id, None),
            2 => {
                if let Some(path) = host.paths(id).first().map(|path| path.path) {
                    host.detach(now, id, Some(path));
                }
            }
            3 => host.reach(now, id, self.places[1 - end].clone()),
            4 => host.set_keep(id, (script.u8() & 1 == 0).then_some(Duration::from_secs(script.u8().into()))),
            5 => {
                let mut out = [0; 32];
                let _exported = host.export(id, b"label", b"context", &mut out);
                let peer = host.peer(id);
                let stream = tng_stack::structured::StreamId::FIRST;
                if let (Some(usid), Some(peer)) = (host.usid(id, stream), peer) {
                    let found = host.find(peer, usid);
                    assert!(found.is_none_or(|found| found == (id, stream)));
                }
            }
            6 if script.u8() < 40 => host.close(now, id, script.number(), "enough"),
            _ => {
                let _figures = (host.stats(id), host.remote_address(id), host.confirmed(), host.half_open());
            }
        }
        self.pump(end);
    }

    fn has_ended(&self, end: usize, id: ConnectionId) -> bool {
        self.ended.contains(&(end, id))
    }

    /// The second host's connection of the session that the first began.
    fn server(&self) -> Option<ConnectionId> {
        let usid = self.hosts[0].usid(self.client, tng_stack::structured::StreamId::FIRST)?;
        self.hosts[1].find(self.hosts[0].eid(), usid).map(|(id, _)| id)
    }

    fn is_done(&self) -> bool {
        let quiet = |end: usize, id: ConnectionId| {
            let idle = |streams: &tng_stack::structured::Streams| streams.is_idle() && streams.stats().streams == 0;
            self.apps.get(&(end, id)).is_none_or(App::is_done) && self.hosts[end].peek_streams(id).is_some_and(idle)
        };
        self.server().is_some_and(|server| quiet(0, self.client) && quiet(1, server))
    }

    /// From now on nothing is lost: what was begun comes to its end, or the connection to its.
    fn settle(&mut self) {
        // Those who have lost each other are introduced again.
        for (end, id) in self.apps.keys().copied() {
            self.hosts[end].reach(self.now, id, self.places[1 - end].clone());
        }
        self.pump(0);
        self.pump(1);
        let limit = self.now + Duration::from_secs(1200);
        for _ in 0..100_000 {
            if self.has_ended(0, self.client) {
                break;
            }
            for (key, app) in &mut self.apps {
                if let Some(streams) = self.hosts[key.0].streams(key.1).filter(|_| !self.ended.contains(key)) {
                    app.settle(streams);
                }
            }
            self.pump(0);
            self.pump(1);
            if self.is_done() {
                let server = self.server().expect("it is done");
                self.apps[&(0, self.client)].compare(self.apps.get(&(1, server)).unwrap_or(&App::new(1)));
                break;
            }
            if !self.flights.is_empty() {
                self.now += Duration::from_micros(500);
                self.deliver();
            } else if !self.skip() {
                // Who waits for ever, by choice, for a peer that has given it up, and has nothing to say to it, may
                // sleep.
                let waits = self.server().is_none_or(|server| self.has_ended(1, server));
                assert!(waits, "asleep with something to do: {:#?}", self.apps);
                break;
            }
            assert!(self.now < limit, "stuck: {:#?}", self.apps);
        }
        for end in 0..2 {
            self.hosts[end].close_all(self.now, 0, "done");
            self.pump(end);
        }
        let limit = self.now + Duration::from_secs(300);
        while !self.hosts.iter().all(Host::is_empty) {
            if !self.flights.is_empty() {
                self.deliver();
            } else if !self.skip() {
                panic!("asleep with a connection");
            }
            assert!(self.now < limit, "a connection that never ends");
        }
        assert_eq!((self.hosts[0].half_open(), self.hosts[1].half_open()), (0, 0));
    }
}

/// Whatever two hosts, their applications and the network do: bytes are exact, and what can end, ends.
fn pair(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let mut world = World::new(&mut script);
    while !script.is_over() {
        match script.below(12) {
            0..=3 => {
                let end = script.below(2);
                world.act(end, &mut script);
                world.pump(end);
            }
            4..=5 => world.network(&mut script),
            6..=7 => world.deliver(),
            8 => world.pass(Duration::from_micros(script.number() & 0xff_ffff)),
            9 => drop(world.skip()),
            10 => world.manage(&mut script),
            _ => world.relocate(&mut script),
        }
    }
    world.settle();
}

/// One host, whose peers are strangers with keys, and whose application calls whatever there is.
fn alone(bytes: &[u8]) {
    let mut script = Script::new(bytes);
    let first = script.u8();
    let access = if first & 1 == 0 { Access::Public } else { Access::Capability(vec![4; 16]) };
    let mut host = listening(Host::new(config(script.u8(), access), Identity::from_seed([1; 32]), [2; 32]));
    let (mut now, mut buf) = (Instant::ZERO, vec![0; BUFFER]);
    let mut heard: Vec<(SocketAddr, Vec<u8>)> = Vec::new();
    let mut ids = Vec::new();
    let mut count = 0;
    while !script.is_over() {
        let id = ConnectionId(script.u8().into());
        let from = place(2, script.u8() & 3);
        match script.below(12) {
            0 => input(&mut host, now, from, script.piece().to_vec()),
            1..=2 => {
                count += 1;
                let datagram = stranger(&mut script, &host, count);
                input(&mut host, now, from, datagram);
            }
            3..=4 => {
                let pick = script.below(heard.len());
                if let Some((remote, datagram)) = heard.get(pick) {
                    let (remote, mut datagram) = (*remote, datagram.clone());
                    spoil(&mut script, &mut datagram);
                    input(&mut host, now, remote, datagram);
                }
            }
            5 => {
                let [own, other] = [1, 9].map(|seed| Identity::from_seed([seed; 32]).eid());
                let eid = if script.u8() & 7 == 0 { own } else { other };
                let addresses = (0..script.below(4)).map(|at| place(2, at as u8)).collect();
                let _id = host
                    .connect(now, Peer { eid, addresses, capability: Some(script.piece().to_vec()), via: Vec::new() });
            }
            6 => {
                now += Duration::from_micros(script.number() & 0x3fff_ffff);
                host.handle_timeout(now);
            }
            7 => {
                if let Some(streams) = host.streams(id) {
                    call(streams, &mut script, &mut ids);
                }
            }
            8 => {
                let [old, new] = [script.u8(), script.u8()].map(|byte| (byte & 1 == 0).then(|| place(3, byte).ip()));
                let change = match (old, new) {
                    (None, Some(new)) if script.u8() & 1 == 0 => PathChange::FurtherAddress(new),
                    _ => PathChange::LocalAddress { old, new },
                };
                host.handle_input(now, Input::PathChange(change));
            }
            _ => manage(&mut host, now, id, &mut script),
        }
        let mut outputs = 0;
        loop {
            match host.poll_output(now, &mut buf) {
                Output::NeedsEntropy => host.handle_input(now, Input::Entropy(&mut [9; 32])),
                Output::Timeout(_) => break,
                Output::Event(_) => {}
                Output::Transmit(transmit) => {
                    let datagram = &buf[..transmit.len.min(transmit.segment_size)];
                    if heard.len() < 32 {
                        heard.push((transmit.remote, datagram.to_vec()));
                    }
                }
            }
            outputs += 1;
            assert!(outputs < 20_000, "the host never comes to rest");
        }
    }
}

fn input(host: &mut Host, now: Instant, remote: SocketAddr, mut bytes: Vec<u8>) {
    if let Some(segment_size) = Some(bytes.len()).filter(|len| *len > 0) {
        let local = Some(SocketAddr::from(([192, 0, 2, 99], 4_860)));
        let datagram = Datagram { remote, local, ecn: Ecn::NotEct, segment_size, payload: &mut bytes };
        host.handle_input(now, Input::Datagram(datagram));
    }
}

/// An INIT by somebody with a key, who offers, shows, attaches and says something.
fn stranger(script: &mut Script<'_>, host: &Host, count: u64) -> Vec<u8> {
    let caller = [20 + script.u8() % 3; 32];
    let flags = script.u8();
    let some = |bit: u8| (flags & bit != 0).then_some(());
    let opening = Opening {
        eid: Identity::from_seed(caller).eid(),
        channel: ChannelId::from_u64(count),
        capability: some(1).map(|()| vec![4; 16]),
        set_up: some(2).map(|()| script.piece().iter().copied().take(256).collect()),
        attach: some(4).map(|()| Attach {
            session: tng_base::SessionId::from_bytes([script.u8(); 16]),
            count: script.number(),
            purpose: [Purpose::Beside, Purpose::Replaces, Purpose::StandsBy]
                [usize::from(flags >> 3 & 1 | flags >> 5 & 2) % 3],
        }),
        transports: some(64).map(|()| TransportOffer {
            service: "files".to_owned(),
            codes: vec![CodeHash::from_bytes([script.u8(); 32]); 1 + usize::from(script.u8() % 2)],
        }),
        payload: some(16).map(|()| script.piece().iter().copied().take(500).collect()),
        ..openings()[0].clone()
    };
    let mut datagram = init_with(&caller, host.eid(), opening.channel, &emit(&opening), count);
    if flags & 32 != 0 {
        spoil(script, &mut datagram);
    }
    datagram
}

fn manage(host: &mut Host, now: Instant, id: ConnectionId, script: &mut Script<'_>) {
    let path = PathId(script.u8().into());
    match script.below(10) {
        0 => host.accept(now, id),
        1 => host.refuse(id, "no"),
        2 => host.retry(now, id),
        3 => drop(host.attach(now, id, None, &[place(2, script.u8() & 3)])),
        4 => host.detach(now, id, (script.u8() & 1 == 0).then_some(path)),
        5 => host.reach(now, id, vec![place(2, script.u8() & 3)]),
        6 => host.set_keep(id, None),
        7 => host.close(now, id, script.number(), "enough"),
        8 => drop(host.take_streams(id)),
        _ => {
            if script.u8() < 8 {
                host.close_all(now, script.number(), "over");
            }
        }
    }
}

// Seeds

fn pair_seeds() -> Vec<Vec<u8>> {
    let open = [0, 0, 0, 0, 0];
    let write = [0, 0, 2, 0, 4, 0];
    let rest =
        [6, 6, 6, 9, 6, 0, 1, 8, 0, 1, 0, 4, 3, 0, 11, 0, 0, 6, 6, 10, 0, 0, 6, 9, 6, 10, 1, 1, 8, 0x85, 1, 2, 3, 4];
    vec![
        [&[0, 0, 2, 0, 0, 0, 2, 0, 8, 0][..], &rest].concat(),
        [&[0x46, 0x0d, 0][..], &[6, 6, 6, 6], &open, &write, &rest].concat(),
        [&[0x20, 0x30, 1, 0, 0, 0][..], &[4, 6, 0, 2, 0, 50, 3], &rest, &rest].concat(),
    ]
}

fn alone_seeds() -> Vec<Vec<u8>> {
    let init =
        [0, 0, 1, 0, 17, 0, 17, 0x10, 0, 0, 3, b'w', b'w', b'w', 4, b'h', b't', b't', b'p', 0x42, 0, 2, b'o', b'k'];
    let set_up = [0, 1, 1, 1, 6, 0, 5, 0x50, 0, 0x50, 0, 16, 7, 1, 1];
    let connect = [0, 0, 5, 1, 2, 0, 0, 0, 0, 6, 0x85, 1, 2, 3, 4, 0, 0, 7, 0];
    vec![
        [&[0, 0][..], &init, &set_up, &connect].concat(),
        [&[1, 0x18][..], &init, &[0, 0, 9, 0, 0, 0, 0, 9, 0, 2, 0, 0, 3, 0, 1, 0, 5, 9]].concat(),
    ]
}
