//! The attacks on registries, on a registry in virtual time, beside an honest client that looks a host up.

mod hand;

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::BTreeMap;

use hand::{Datagrams, at, give, give_to, said};
use tng_attack::{Attack, Attacker, Mark, REGISTRIES, Tally, find};
use tng_base::{Eid, Instant, Machine, Output};
use tng_services::registry::{
    Answer, Ask, Caller, Desk, DeskConfig, Entry, Memory, PROTOCOL, Policy, Push, Put, Record, SERVICE, Statement, Word,
};
use tng_stack::structured::{Read, ServiceOptions, StreamEvent, StreamId};
use tng_stack::{Access, ConnectionId, EventKind, Host, HostConfig, HostEvent, Identity, Target};
use tng_wire::{Reader, Repr};

/// The time of day when the world begins.
const EPOCH_MS: u64 = 1_700_000_000_000;

fn registry_at() -> SocketAddr {
    at("192.0.2.2:4860")
}

fn honest_at() -> SocketAddr {
    at("192.0.2.1:7")
}

/// Where a host is that is registered, and hears of introductions.
fn registered_at() -> SocketAddr {
    at("192.0.2.3:9")
}

fn attacker_at(place: usize) -> SocketAddr {
    SocketAddr::from(([203, 0, 113, 5], 5_000 + place as u16))
}

fn identity(byte: u8) -> Identity {
    Identity::from_seed([byte; 32])
}

/// What is wrong with a registry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flaw {
    None,
    /// It keeps whatever it is told, of whomever.
    Believing,
    /// It says where a host says that it is, and not where it sees it.
    Gullible,
    /// It tells everything again and again.
    Talkative,
}

type Way = Option<(ConnectionId, StreamId)>;

struct Registry {
    host: Host,
    desk: Desk<Way>,
    store: Memory,
    flaw: Flaw,
    /// What hosts say of where they are.
    said: BTreeMap<Eid, SocketAddr>,
}

impl Registry {
    fn new(flaw: Flaw) -> Registry {
        let own = identity(9);
        let desk = Desk::new(DeskConfig::default(), own.eid(), &[registry_at()]);
        let mut host = Host::new(HostConfig::new(Access::Public), own, [8; 32]);
        host.listen(SERVICE, PROTOCOL, ServiceOptions::default());
        let mut registry = Registry { host, desk, store: Memory::new(1_000), flaw, said: BTreeMap::new() };
        let honest = Caller { eid: identity(20).eid(), observed: registered_at(), rtt: Duration::ZERO };
        let record = Record { number: 1, expires_s: u64::MAX / 2, addresses: vec![registered_at()] };
        let statement = Statement::new(&identity(20), Word::Here(record));
        let (entry, _) = registry.desk.entry(EPOCH_MS, &honest, (0, Policy::Public), statement).expect("its own");
        registry.store.put_now(EPOCH_MS, entry);
        registry.desk.attend(&honest, None).expect("there is room");
        registry
    }

    /// What it answers a request with; an introduction is told to the other side as well.
    fn answer(&mut self, now: Instant, caller: &Caller, ask: &Ask, way: (ConnectionId, StreamId)) -> Answer {
        if let Err(denied) = self.desk.admit(now, caller, ask) {
            return Answer::Denied(denied);
        }
        let unix_ms = EPOCH_MS + now.since(Instant::ZERO).as_millis() as u64;
        let found = |store: &Memory, eid| store.get_now(unix_ms, eid);
        match ask.clone() {
            Ask::Register { lease_s, policy, statement } => {
                if let Word::Here(Record { addresses, .. }) = &statement.word {
                    self.said.extend(addresses.first().map(|at| (statement.eid, *at)));
                }
                let kept = match self.flaw {
                    Flaw::Believing => {
                        Ok((Entry { statement, policy, attended: None, until_ms: unix_ms + 60_000 }, 60))
                    }
                    _ => self.desk.entry(unix_ms, caller, (lease_s, policy), statement),
                };
                match kept.map(|(entry, lease_s)| (self.store.put_now(unix_ms, entry), lease_s)) {
                    Ok((Put::New | Put::Renewed, lease_s)) => Answer::Registered { lease_s, observed: caller.observed },
                    Ok((Put::Older(_) | Put::OtherHeir | Put::Full, _)) => Answer::Absent,
                    Err(denied) => Answer::Denied(denied),
                }
            }
            Ask::LookUp { eid, .. } | Ask::Watch { eid, .. } => {
                self.desk.found(caller.eid, None, found(&self.store, eid))
            }
            Ask::Attend => match self.desk.attend(caller, Some(way)) {
                Ok(_) => Answer::Attended,
                Err(denied) => Answer::Denied(denied),
            },
            Ask::Introduce { eid, nonce, .. } => {
                let entry = found(&self.store, eid);
                match self.desk.introduce(now, caller.eid, (nonce, None), entry.as_ref()) {
                    Ok((answer, push)) => {
                        if let Some(Push { to: Some((connection, stream)), mut introduced }) = push {
                            if self.flaw == Flaw::Gullible {
                                let said = self.said.get(&introduced.peer);
                                introduced.observed = said.copied().unwrap_or(introduced.observed);
                            }
                            self.tell((connection, stream), &Answer::Introduced(introduced));
                        }
                        answer
                    }
                    Err(denied) => Answer::Denied(denied),
                }
            }
        }
    }

    fn tell(&mut self, (connection, stream): (ConnectionId, StreamId), answer: &Answer) {
        let times = if self.flaw == Flaw::Talkative { 128 } else { 1 };
        if let Some(streams) = self.host.streams(connection) {
            // Who is gone hears nothing.
            let _ = streams.write(stream, &answer.to_vec().repeat(times));
        }
    }

    fn handle(&mut self, now: Instant, event: &HostEvent) {
        let connection = event.connection;
        let (Some(eid), Some(observed)) = (self.host.peer(connection), self.host.remote_address(connection)) else {
            return;
        };
        let caller = Caller { eid, observed, rtt: Duration::ZERO };
        while let Some(incoming) = self.host.streams(connection).and_then(|streams| streams.accept()) {
            let (mut body, mut piece) = (Vec::new(), [0; 4_096]);
            while let Some(Ok(Read::Bytes(len))) =
                self.host.streams(connection).map(|streams| streams.read(incoming.id, &mut piece))
            {
                body.extend(&piece[..len]);
            }
            let way = (connection, incoming.id);
            let Ok(ask) = Ask::parse(&mut Reader::new(&body)) else { continue };
            let answer = self.answer(now, &caller, &ask, way);
            self.tell(way, &answer);
            if !matches!(ask, Ask::Attend | Ask::Watch { .. })
                && let Some(streams) = self.host.streams(connection)
            {
                let _ = streams.finish(incoming.id);
            }
        }
    }

    fn said(&mut self, now: Instant, buf: &mut [u8]) -> Datagrams {
        let mut events = Vec::new();
        let mut out = said(&mut self.host, now, buf, |_, event| events.push(event));
        events.iter().for_each(|event| self.handle(now, event));
        out.extend(said(&mut self.host, now, buf, |_, _| {}));
        out
    }
}

struct World {
    registry: Registry,
    attacker: Attacker,
    honest: Option<(Host, bool)>,
    met: u8,
    now: Instant,
    buf: Vec<u8>,
}

impl World {
    fn new(attack: &'static Attack, seed: u64, flaw: Flaw) -> World {
        let registry = Registry::new(flaw);
        let mark = Mark {
            eid: identity(9).eid(),
            address: registry_at(),
            capability: Vec::new(),
            service: (String::new(), String::new()),
            file: None,
            relay: None,
            registered: Some((identity(20).eid(), registered_at())),
        };
        let now = Instant::from_secs(1);
        let mut attacker = Attacker::new(attack, mark, seed, [seed as u8 ^ 0x55; 32], Duration::from_millis(1), now);
        attacker.stand_at((0..attack.places()).map(attacker_at).collect());
        World { registry, attacker, honest: None, met: 100, now, buf: vec![0; 65_536] }
    }

    /// A millisecond.
    fn step(&mut self) {
        let now = self.now;
        while let Output::Transmit(t) = self.attacker.poll_output(now, &mut self.buf) {
            let from = attacker_at(self.attacker.place());
            give(&mut self.registry.host, now, from, &self.buf[..t.len]);
        }
        if let Some((host, served)) = &mut self.honest {
            let out = said(host, now, &mut self.buf, |host, event| *served |= looked_up(host, &event));
            out.iter().for_each(|(_, datagram)| give(&mut self.registry.host, now, honest_at(), datagram));
        }
        for (to, datagram) in self.registry.said(now, &mut self.buf) {
            if to.ip() == attacker_at(0).ip() {
                give_to(&mut self.attacker, now, (Some(to), registry_at()), &datagram);
            } else if let Some((host, _)) = self.honest.as_mut().filter(|_| to == honest_at()) {
                give(host, now, registry_at(), &datagram);
            }
        }
        self.now += Duration::from_millis(1);
    }

    fn run(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.step();
        }
    }

    /// Whether somebody honest has found the registered host within 3 s.
    fn finds(&mut self) -> bool {
        self.met += 1;
        let mut host = Host::new(HostConfig::new(Access::Nobody), identity(self.met), [self.met; 32]);
        let target =
            Target { eid: identity(9).eid(), addresses: vec![registry_at()], capability: None, via: Vec::new() };
        host.connect(self.now, target).expect("an address");
        self.honest = Some((host, false));
        let end = self.now + Duration::from_secs(3);
        while self.now < end && !self.honest.as_ref().is_some_and(|(_, served)| *served) {
            self.step();
        }
        self.honest.take().is_some_and(|(_, served)| served)
    }
}

/// Looks the registered host up as soon as there is a connection; answers whether it was found.
fn looked_up(host: &mut Host, event: &HostEvent) -> bool {
    let Some(streams) = host.streams(event.connection) else { return false };
    match event.kind {
        EventKind::Connected => {
            let stream = streams.open(SERVICE, PROTOCOL).expect("credit");
            let ask = Ask::LookUp { eid: identity(20).eid(), token: None };
            streams.write(stream, &ask.to_vec()).expect("room");
            streams.finish(stream).expect("open");
            false
        }
        EventKind::Stream(StreamEvent::Readable(stream)) => {
            let mut answer = [0; 4_096];
            let Ok(Read::Bytes(len)) = streams.read(stream, &mut answer) else { return false };
            matches!(Answer::parse(&mut Reader::new(&answer[..len])), Ok(Answer::Found { .. }))
        }
        _ => false,
    }
}

/// Four seconds of an attack on a registry: the books, and whether somebody honest found a host meanwhile and after it.
fn assault(attack: &'static Attack, seed: u64, flaw: Flaw) -> (World, Tally, [bool; 2]) {
    let mut world = World::new(attack, seed, flaw);
    world.run(Duration::from_secs(2));
    let during = world.finds();
    world.run(Duration::from_secs(2));
    let tally = world.attacker.tally().clone();
    let after = world.finds();
    (world, tally, [during, after])
}

fn faults(attack: &Attack, tally: &Tally) -> Vec<String> {
    attack.missing(tally).into_iter().chain(attack.faults(tally)).collect()
}

#[test]
fn a_registry_keeps_nothing_forged_sends_no_stranger_anywhere_and_answers_an_honest_client_meanwhile() {
    for (attack, seed) in REGISTRIES.iter().flat_map(|attack| (0..3).map(move |seed| (attack, seed))) {
        let (world, tally, found) = assault(attack, seed, Flaw::None);
        let context = format!("{}, seed {seed}: {tally:?}", attack.name);
        assert_eq!((faults(attack, &tally), found), (Vec::new(), [true; 2]), "{context}");
        assert!(tally.sent > 1_000 && world.registry.desk.attending() <= 1_000, "{context}");
        println!("{context}");
    }
}

#[test]
fn both_sides_of_introductions_are_told_at_most_three_bytes_for_one_and_a_stranger_is_told_nothing() {
    let attack = find("introduce-flood").expect("it is in the catalogue");
    let (_, tally, _) = assault(attack, 1, Flaw::None);
    let made = tally.introductions;
    assert!(made.told > 8 && made.asked > 100, "{tally:?}");
    assert!(tally.amplification() <= 3.0, "{}", tally.amplification());
    assert!(made.strayed_bytes > 0, "control: some seem to come from the stranger: {tally:?}");
    assert_eq!((made.misled, made.stranger_others), (0, 0), "{tally:?}");
    let (_, talkative, _) = assault(attack, 1, Flaw::Talkative);
    assert!(talkative.amplification() > 3.0, "control: {}", talkative.amplification());
}

#[test]
fn a_registry_that_believes_what_it_is_told_does_not_pass() {
    let told = |name, flaw| {
        let attack = find(name).expect("it is in the catalogue");
        faults(attack, &assault(attack, 1, flaw).1).join("; ")
    };
    assert!(told("register-flood", Flaw::Believing).contains("forged"));
    assert!(told("introduce-flood", Flaw::Gullible).contains("an address that nobody has proven"));
}
