//! A server that keeps nothing, on its machine, and somebody beside it who has its keys and looks at what it does.

use core::convert::Infallible;
use core::net::SocketAddr;
use core::time::Duration;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use tng_base::{Datagram, Ecn, Eid, Input, Instant, Machine, Output, Rng, Transmit};
use tng_crypto::Secret32;
use tng_isolation::{Family, Identity, Refusal};
use tng_sim::{Node, Outbox};
use tng_trickles::minisocket::{Answer, Application, Asked as Wish};
use tng_trickles::server::{Beginnings, Server, ServerConfig};
use tng_trickles::wire::{Armor, Demand, Fault, Kind, RequestHeader};
use tng_trickles::{ConnectionSecret, EPOCH, EpochSecret, Keys, Nonces, Proof, SKEW_MAX, Wall, WallClock, release};
use tng_wire::{Reader, Repr};

use super::judge::{Asked, Life, Oracle};

/// Datagrams that wait for a replica that does not run; more are dropped, as by a socket.
const HELD_MAX: usize = 256;

/// The epoch in which worlds begin.
pub(super) const FIRST_EPOCH: u64 = 3_000_000;

/// Servers' drivers count time from so long before a world begins.
const DRIVERS_OLDER: Duration = Duration::from_secs(120);

/// What a driver says at a time of the world.
fn driver(now: Instant) -> Instant {
    now + DRIVERS_OLDER
}

/// COOKIE (wire.md, section 2).
const COOKIE: u8 = 0x03;

/// What is broken by hand, to see that it is found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(not(test), expect(dead_code, reason = "tests alone break anything"))]
pub(super) enum Defect {
    #[default]
    Nothing,
    /// One that is started again believes that it has been there for a minute.
    RemembersNoStart,
    /// One whose clock was behind when it started goes on to say when that was by that clock.
    TrustsItsFirstClock,
    /// It sends a packet more than is released.
    OneMore,
    /// All that is said is said twelve times.
    Shouts,
    /// Byte 5,000 of each object is another at every second replica.
    Differs,
    /// It grants each timeout twice.
    GrantsTwice,
    /// It keeps 1 kB of each connection.
    Keeps,
}

/// What byte of an object stands there.
pub(super) const fn byte(salt: u64, at: u64) -> u8 {
    ((at ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(8 * at..)?.first_chunk().copied().map(u64::from_be_bytes)
}

/// What asks for an object: how long it is, which, and room for more.
pub(super) fn upload(len: u64, salt: u64, room: usize) -> Vec<u8> {
    let mut bytes = [len.to_be_bytes(), salt.to_be_bytes()].concat();
    bytes.resize(bytes.len() + room, 0);
    bytes
}

/// Objects of any length.
#[derive(Debug)]
pub(super) struct Shelf {
    /// How much of an asking is taken at once.
    part: Option<u64>,
    differs: bool,
}

/// What is sealed of an object: how long it is, which, and where the part begins that is reserved now.
#[derive(Clone, Copy, Debug)]
struct Volume {
    len: u64,
    salt: u64,
    from: u64,
}

impl Volume {
    /// As it was sealed.
    fn read(bytes: &[u8]) -> Option<Volume> {
        Some(Volume { len: word(bytes, 0)?, salt: word(bytes, 1)?, from: word(bytes, 2)? })
    }

    /// As it is asked for.
    fn named(bytes: &[u8]) -> Option<Volume> {
        Some(Volume { len: word(bytes, 0)?, salt: word(bytes, 1)?, from: 0 })
    }

    fn sealed(self) -> [u8; 24] {
        let words = [self.len, self.salt, self.from].map(u64::to_be_bytes);
        *words.as_flattened().first_chunk().expect("three words")
    }

    /// Writes the bytes whose place `from` stands at `start`.
    fn fill(self, start: u64, differs: bool) -> impl FnMut(u64, &mut [u8]) -> Result<(), Infallible> {
        move |at, buf| {
            for (place, at) in buf.iter_mut().zip(at - start + self.from..) {
                *place = byte(self.salt, at) ^ u8::from(differs && at == 5_000);
            }
            Ok(())
        }
    }
}

impl Application for Shelf {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Wish<'_>, answer: &mut Answer<'_>) {
        match asked {
            Wish::Put { object, state, offset, is_end, reserved, data } => {
                // What is sealed of it is all, or the beginning of its name.
                let known = state.and_then(Volume::read);
                let name = [state.unwrap_or_default(), data].concat();
                let volume = match (known, Volume::named(&name)) {
                    (Some(volume), _) | (None, Some(volume)) => volume,
                    (None, None) if is_end => {
                        answer.fault(object, Fault::Application(70), "no object is called so");
                        return;
                    }
                    (None, None) => {
                        answer.input(object, offset + data.len() as u64, None, &name);
                        return;
                    }
                };
                let taken = self.part.map_or(data.len() as u64, |part| part.min(data.len() as u64));
                if !is_end || taken < data.len() as u64 {
                    let until = self.part.map(|part| offset + taken + part);
                    answer.input(object, offset + taken, until, &volume.sealed());
                    return;
                }
                let (room, left) = (reserved.end - reserved.start, volume.len.saturating_sub(volume.from));
                let end = reserved.start + left.min(room);
                if reserved.start < end {
                    answer.output(object, reserved.start..end, &volume.sealed());
                }
                if left >= room {
                    let next = Volume { from: volume.from + room, ..volume };
                    answer.input(object, offset + taken, None, &next.sealed());
                }
                // Before the bytes, which take all the room that there is.
                answer.skip(end..reserved.end);
                let Ok(_) = answer.send_with(reserved.start..end, volume.fill(reserved.start, self.differs));
            }
            Wish::Want { valid, ranges, state, .. } => {
                let Some(volume) = Volume::read(state) else { return };
                for range in ranges.iter() {
                    let Ok(_) = answer.send_with(range, volume.fill(valid.start, self.differs));
                }
            }
            Wish::Close | Wish::Bad { .. } => {}
        }
    }
}

/// What all replicas have in common.
#[derive(Debug)]
pub(super) struct Fleet {
    pub identity: [u8; 32],
    pub secret: [u8; 32],
    /// How long after the beginning of its epoch a world begins.
    pub into_epoch: Duration,
    pub config: ServerConfig,
    pub part: Option<u64>,
    pub defect: Defect,
    pub judge: Rc<RefCell<Oracle>>,
    /// How many were started.
    pub lives: Cell<u64>,
}

fn everybody(_: Eid, _: Option<&[u8]>) -> Result<(), Refusal> {
    Ok(())
}

impl Fleet {
    pub fn identity(&self) -> Identity {
        Identity::from_seed(self.identity)
    }

    fn wall(&self, now: Instant, apart: Apart) -> Wall {
        let begins = Wall::from_millis(FIRST_EPOCH * EPOCH.as_millis() as u64);
        let right = begins.after(self.into_epoch + now.since(Instant::ZERO));
        match apart {
            Apart::Ahead(time) => right.after(time),
            Apart::Behind(time) => Wall::from_millis(right.as_millis() - time.as_millis() as u64),
        }
    }

    fn keys(&self, wall: Wall) -> Keys {
        let secret = EpochSecret::new(FIRST_EPOCH - 2, Secret32::from_bytes(self.secret));
        Keys::new(secret, wall).expect("the first epoch is not far")
    }

    /// A replica that starts at `now`, with a clock that is so far from what is right.
    pub fn start(self: &Rc<Fleet>, now: Instant, which: usize, apart: Apart, mut rng: Rng) -> Replica {
        let wall = self.wall(now, apart);
        let clock = WallClock::set(driver(now), wall);
        let older = match (self.defect, apart) {
            (Defect::RemembersNoStart, _) => Duration::from_secs(60),
            (Defect::TrustsItsFirstClock, Apart::Behind(time)) => time,
            _ => Duration::ZERO,
        };
        let begun = Instant::ZERO + driver(now).since(Instant::ZERO + older);
        self.lives.set(self.lives.get() + 1);
        let beginnings = Beginnings {
            identity: self.identity(),
            keys: self.keys(wall),
            access: Box::new(everybody),
            clock,
            entropy: rng.bytes(),
        };
        let shelf = Shelf { part: self.part, differs: self.defect == Defect::Differs && which % 2 == 1 };
        let server = Server::new(self.config.clone(), beginnings, shelf, begun);
        Replica {
            held_at_first: (server.held_by_filters(), server.held()),
            server,
            fleet: Rc::clone(self),
            life: (which, self.lives.get()),
            which,
            keys: self.keys(wall),
            clock,
            started: driver(now),
            rng,
            outbox: VecDeque::new(),
            asleep_until: Instant::ZERO,
            arrived: VecDeque::new(),
            deadline: None,
            buf: vec![0; 65_536],
        }
    }
}

/// How far a clock is from what is right.
#[derive(Clone, Copy, Debug)]
pub(super) enum Apart {
    Ahead(Duration),
    Behind(Duration),
}

/// A datagram that has arrived, and was not handed over yet.
#[derive(Debug)]
struct Arrived {
    remote: SocketAddr,
    local: Option<SocketAddr>,
    bytes: Vec<u8>,
}

/// A server on its machine.
#[derive(Debug)]
pub(super) struct Replica {
    server: Server<Shelf>,
    fleet: Rc<Fleet>,
    which: usize,
    life: Life,
    /// The fleet's, to look at what passes.
    keys: Keys,
    clock: WallClock,
    /// When it was started, by the driver.
    started: Instant,
    rng: Rng,
    outbox: VecDeque<(Transmit, Vec<u8>)>,
    asleep_until: Instant,
    arrived: VecDeque<Arrived>,
    deadline: Option<Instant>,
    buf: Vec<u8>,
    /// By filters, and in all.
    held_at_first: (usize, usize),
}

impl Replica {
    /// It does not run for so long.
    pub fn sleep(&mut self, now: Instant, time: Duration) {
        self.asleep_until = now + time;
    }

    /// Its clock is set: it is so far from what is right now.
    pub fn set_clock(&mut self, now: Instant, apart: Apart) {
        self.clock = WallClock::set(driver(now), self.fleet.wall(now, apart));
        self.server.set_clock(self.clock);
    }

    /// How much it has to do.
    pub fn set_load(&mut self, load: f64) {
        self.server.set_load(load);
    }

    /// Bytes that it holds beyond those with which it began: of them those of filters, and all others. What it keeps
    /// for what comes next it has given back.
    pub fn held(&mut self) -> (usize, usize) {
        self.server.drop_caches();
        let kept = if self.fleet.defect == Defect::Keeps { 1_000 * self.server.stats().opened as usize } else { 0 };
        let (filters, all) = (self.server.held_by_filters(), self.server.held() + kept);
        let (filters_at_first, at_first) = self.held_at_first;
        (filters.saturating_sub(filters_at_first), (all - filters).saturating_sub(at_first - filters_at_first))
    }

    /// What a request says, to somebody who has the keys.
    fn read(&mut self, now: Instant, bytes: &[u8]) -> Option<Asked> {
        // What cannot follow a clock stays as it is, as with the server.
        let _ = self.keys.advance(self.clock.at(driver(now)));
        let header = RequestHeader::parse(&mut Reader::new(bytes)).ok()?;
        let secret = ConnectionSecret::new(self.keys.by_last_byte(header.epoch)?.connection_secret(&header.id));
        let mut bytes = bytes.to_vec();
        let (text, _) = header.open(&secret.requests(), &mut bytes).ok()?;
        let mut proof = Proof::with_room();
        let demand = Demand::parse(Armor::Sealed, &mut Reader::new(text), &mut proof).ok()?;
        let continuation = demand.continuation;
        let nonces = Nonces::new(&self.keys, header.id, &continuation.keying.renewed(demand.renewal))?;
        let release = release(&continuation.spent(), proof.story(), |tag, turn| nonces.after(tag, turn)).ok();
        let story = proof.story();
        let (growth, high) = (&continuation.root.growth, *continuation.numbers().end());
        let issued = continuation.issued.near(self.clock.at(driver(now)));
        let may_be_spent = issued < self.clock.at(self.started).after(SKEW_MAX);
        Some(Asked {
            id: header.id,
            seal: demand.seal,
            kind: demand.kind,
            root: continuation.root,
            numbers: continuation.numbers(),
            lost: story.lost.to_vec(),
            is_undone: story.is_undone,
            release,
            doubles_to: (may_be_spent && story.lost.is_empty() || continuation.is_seed())
                .then(|| growth.window(high).max(growth.threshold())),
        })
    }

    /// Hands a datagram over, and looks at what comes of it.
    fn handle(&mut self, now: Instant, Arrived { remote, local, mut bytes }: Arrived) {
        let (asked, len, before, queued) =
            (self.read(now, &bytes), bytes.len(), *self.server.stats(), self.outbox.len());
        let datagram = Datagram { remote, local, ecn: Ecn::NotEct, segment_size: len.max(1), payload: &mut bytes };
        self.server.handle_input(driver(now), Input::Datagram(datagram));
        self.settle(now, Some(remote));
        let after = *self.server.stats();
        let judge = Rc::clone(&self.fleet.judge);
        let mut judge = judge.borrow_mut();
        judge.heard(self.which, remote, len);
        if after.answered > before.answered {
            let more = u64::from(self.fleet.defect == Defect::OneMore);
            match &asked {
                Some(asked) => {
                    let is_timeout = matches!(asked.kind, Kind::Timeout { .. });
                    let times = if self.fleet.defect == Defect::GrantsTwice && is_timeout { 2 } else { 1 };
                    let packets = after.packets - before.packets + more;
                    (0..times).for_each(|_| judge.acted(now, self.life, remote, asked, packets));
                }
                None => judge.wrong(|| "a replica answers what cannot be read".into()),
            }
        }
        let said = || self.outbox.iter().skip(queued);
        let packets: usize = said().map(|(transmit, _)| transmit.len.div_ceil(transmit.segment_size)).sum();
        said().for_each(|(transmit, _)| judge.said(self.which, transmit.remote, transmit.len));
        if after.opened > before.opened {
            judge.opened(self.which, packets);
            judge.may_show(remote);
        }
        let cookie = Family::Trickles.first_byte(COOKIE);
        if said().any(|(_, bytes)| bytes.first() == Some(&cookie)) {
            judge.may_show(remote);
        }
    }

    /// Lets the server say what it has to say, all of it to who has asked.
    fn settle(&mut self, now: Instant, due: Option<SocketAddr>) {
        loop {
            match self.server.poll_output(driver(now), &mut self.buf) {
                Output::Transmit(transmit) => {
                    if due != Some(transmit.remote) {
                        self.fleet
                            .judge
                            .borrow_mut()
                            .wrong(|| format!("{} is told what {due:?} has asked", transmit.remote));
                    }
                    let times = if self.fleet.defect == Defect::Shouts { 12 } else { 1 };
                    let said = self.buf[..transmit.len].to_vec();
                    self.outbox.extend(core::iter::repeat_n((transmit, said), times));
                }
                Output::NeedsEntropy => {
                    self.server.handle_input(driver(now), Input::Entropy(&mut self.rng.bytes()));
                }
                Output::Timeout(deadline) => {
                    self.deadline = deadline.map(|at| Instant::ZERO + at.since(driver(Instant::ZERO)));
                    return;
                }
                Output::Event(never) => match never {},
            }
        }
    }
}

impl Node for Replica {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        let Input::Datagram(Datagram { remote, local, payload, .. }) = input else { return };
        let arrived = Arrived { remote, local, bytes: payload.to_vec() };
        if now >= self.asleep_until && self.arrived.is_empty() {
            self.handle(now, arrived);
        } else if self.arrived.len() < HELD_MAX {
            self.arrived.push_back(arrived);
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.server.handle_timeout(driver(now));
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        if now < self.asleep_until {
            return Some(self.asleep_until);
        }
        while let Some(arrived) = self.arrived.pop_front() {
            self.handle(now, arrived);
        }
        self.settle(now, None);
        while let Some((transmit, said)) = self.outbox.pop_front() {
            outbox.buffer()[..said.len()].copy_from_slice(&said);
            outbox.send(transmit);
        }
        self.deadline
    }
}
