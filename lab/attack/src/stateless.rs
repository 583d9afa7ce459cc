//! A hostile client of a server that keeps nothing (docs/trickles.md): what such a server has sealed for it is changed,
//! shown again, lied about, and spent for what is expensive.

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use tng_base::{Instant, Rng};
use tng_crypto::{BLAKE3_TAG_LEN, SecretRng, TAG_LEN};
use tng_isolation::Identity;
use tng_nonce::Receipts;
use tng_trickles::replay::Issuer;
use tng_trickles::set_up::{AddressToken, Call, Dial, Heard, Welcomed};
use tng_trickles::wire::{Armor, Ask, Demand, Denial, Given, Kind, RequestHeader, ResponseHeader};
use tng_trickles::{
    ConnectionId, ConnectionSecret, Continuation, Growth, Keying, Proof, Release, SERIAL_LIMIT, Solution, Stamp, Story,
    Tag, Wall, release_foreseen,
};
use tng_wire::{Reader, Repr, Writer};

use crate::attacker::PATIENCE;
use crate::{Attack, Mark, Tally};

/// How long a client stays, and then comes again: none of what it holds is too old to be spent.
pub const STAY_MAX: Duration = Duration::from_secs(2);
/// How long it waits for what it has asked for.
const ANSWER_PATIENCE: Duration = Duration::from_millis(500);
/// Requests whose answers are looked for.
pub const REQUESTS_WATCHED_MAX: usize = 4_096;
/// Requests that can be sent again as they were.
pub const COPIES_KEPT_MAX: usize = 64;
/// A client that forges or repeats sends one honest request in so many.
const HONEST_EACH: u64 = 16;
/// Bytes of a request at most.
const REQUEST_LEN: usize = 1_200;
/// Bytes of a client's row that are reserved for each object.
const RESERVED: u64 = 1_024;
/// What a server of files is asked for (wire.md, section 6.1).
const LISTING: u8 = 2;
const HASH: u8 = 3;
/// So many bytes at least are asked to be hashed.
const HASHED_MIN: u64 = 1 << 16;

/// A client that dials again and again.
#[derive(Debug, Default)]
pub(crate) struct Stateless {
    standing: Standing,
    /// What was given to connections of before.
    others: VecDeque<Held>,
    /// A first message, to be sent again or in parts.
    model: Vec<u8>,
}

#[derive(Debug, Default)]
enum Standing {
    #[default]
    Outside,
    Dialing {
        dial: Box<Dial>,
        until: Instant,
    },
    Inside(Box<Inside>),
}

/// A continuation, and its seal.
type Held = (Continuation, [u8; BLAKE3_TAG_LEN]);

/// A connection.
#[derive(Debug)]
struct Inside {
    id: ConnectionId,
    epoch: u8,
    secret: ConnectionSecret,
    since: Instant,
    heard: Instant,
    count: u32,
    step: u64,
    objects: u64,
    receipts: Receipts,
    /// What was not spent yet, in order.
    held: VecDeque<Held>,
    watched: BTreeMap<u32, Watched>,
    /// Requests that were answered.
    copies: VecDeque<Copy>,
}

/// A request whose answer is looked for.
#[derive(Debug)]
struct Watched {
    seal: [u8; TAG_LEN],
    /// What it releases if it is honest; nothing may come of any other.
    honest: Option<Honest>,
    datagram: Vec<u8>,
    /// Packets that came, by their index.
    came: Vec<u8>,
}

/// What an honest request spends, and what that releases.
#[derive(Debug)]
struct Honest {
    spent: Held,
    release: Release,
}

/// An honest request that was answered: nothing may be answered for what it has spent.
#[derive(Debug)]
struct Copy {
    datagram: Vec<u8>,
    spent: Held,
}

impl Stateless {
    /// What a client that nobody let in sends: first messages, whole or not.
    pub(crate) fn strangers_init(&mut self, mark: &Mark, rng: &mut Rng, keys: &mut SecretRng) -> Vec<u8> {
        let again = !self.model.is_empty() && rng.below(4) == 0;
        if !again {
            let token = (rng.below(4) == 0).then(|| AddressToken(rng.bytes()));
            self.model = dial(mark, token, keys).map_or(Vec::new(), |dial| dial.datagram().to_vec());
        }
        let mut init = self.model.clone();
        match rng.below(16) {
            0 => init.truncate(rng.below(init.len().max(1) as u64) as usize),
            1 => flip(&mut init, rng),
            2 => init.extend(rng.bytes::<100>()),
            _ => {}
        }
        init
    }

    /// What a client sends next: it gets itself let in, and misbehaves.
    pub(crate) fn datagram(
        &mut self,
        attack: &Attack,
        now: Instant,
        mark: &Mark,
        rng: &mut Rng,
        keys: &mut SecretRng,
    ) -> Option<Vec<u8>> {
        match &mut self.standing {
            Standing::Outside => {
                let dial = Box::new(dial(mark, None, keys)?);
                let datagram = dial.datagram().to_vec();
                self.standing = Standing::Dialing { dial, until: now + PATIENCE };
                Some(datagram)
            }
            Standing::Dialing { dial, until } if *until <= now => {
                *until = now + PATIENCE;
                Some(dial.datagram().to_vec())
            }
            Standing::Dialing { .. } => None,
            Standing::Inside(inside) => {
                let datagram = inside.misbehave(attack, mark, &self.others, rng);
                let is_over = now.since(inside.since) > STAY_MAX || now.since(inside.heard) > ANSWER_PATIENCE;
                if is_over || datagram.is_none() && inside.held.is_empty() && inside.is_answered() {
                    self.others = core::mem::take(&mut inside.held);
                    self.standing = Standing::Outside;
                }
                datagram
            }
        }
    }

    pub(crate) fn handle(&mut self, now: Instant, datagram: &mut [u8], tally: &mut Tally) {
        self.standing = match core::mem::take(&mut self.standing) {
            Standing::Outside => Standing::Outside,
            Standing::Dialing { dial, until } => match dial.handle(datagram) {
                Heard::Waiting(dial) => Standing::Dialing { dial: Box::new(dial), until },
                Heard::Asked(dial) => Standing::Dialing { dial: Box::new(dial), until: now },
                Heard::Failed(_) => {
                    tally.refusals += 1;
                    Standing::Outside
                }
                Heard::Welcomed(welcomed) => match Inside::new(now, *welcomed) {
                    Some(inside) => {
                        tally.connections += 1;
                        Standing::Inside(Box::new(inside))
                    }
                    None => Standing::Outside,
                },
            },
            Standing::Inside(mut inside) => {
                inside.handle(now, datagram, tally);
                Standing::Inside(inside)
            }
        };
    }
}

/// A set-up of somebody whom nobody has seen before.
fn dial(mark: &Mark, token: Option<AddressToken>, keys: &mut SecretRng) -> Option<Dial> {
    let capability = Some(mark.capability.clone()).filter(|capability| !capability.is_empty());
    let call = Call { capability, token, ..Call::new(mark.eid) };
    Dial::new(&Identity::from_seed(keys.secret()), &call, keys).ok()
}

fn flip(bytes: &mut [u8], rng: &mut Rng) {
    let bit = rng.below(8 * bytes.len().max(1) as u64) as usize;
    if let Some(byte) = bytes.get_mut(bit / 8) {
        *byte ^= 1 << (bit % 8);
    }
}

impl Inside {
    fn new(now: Instant, welcomed: Welcomed) -> Option<Inside> {
        let Welcomed { id, epoch, secret, rest, .. } = welcomed;
        let given = Given::parse(Armor::Sealed, &mut Reader::new(&rest), None).ok()?;
        let mut receipts = Receipts::new(given.continuation.first);
        receipts.receive(given.continuation.first, given.nonce).ok()?;
        Some(Inside {
            id,
            epoch,
            secret,
            since: now,
            heard: now,
            count: 0,
            step: 0,
            objects: 0,
            receipts,
            held: VecDeque::from([(given.continuation, given.seal)]),
            watched: BTreeMap::new(),
            copies: VecDeque::new(),
        })
    }

    /// Whether nothing is waited for.
    fn is_answered(&self) -> bool {
        !self.watched.values().any(|watched| watched.honest.is_some() && watched.came.is_empty())
    }

    fn misbehave(&mut self, attack: &Attack, mark: &Mark, others: &VecDeque<Held>, rng: &mut Rng) -> Option<Vec<u8>> {
        self.step += 1;
        // The seed is spent as it should be: what comes of it is what there is to do harm with.
        if self.step == 1 {
            return self.honest(&[]);
        }
        match attack.name {
            "expensive-requests" => {
                let asks = self.expensive(mark, rng);
                self.honest(&asks)
            }
            "proof-forge" => self.lie(rng),
            "continuation-replay" if !self.step.is_multiple_of(HONEST_EACH) => self.repeat(rng),
            "continuation-forge" if !self.step.is_multiple_of(HONEST_EACH) => self.forge(others, rng),
            _ => self.honest(&[]),
        }
    }

    /// Spends the first that is held, if all came that goes with it.
    fn honest(&mut self, asks: &[u8]) -> Option<Vec<u8>> {
        let (continuation, seal) = *self.held.front()?;
        let proof = self.proof(&continuation, 0, None)?;
        let release = release_foreseen(&continuation, Story::WHOLE).ok()?;
        self.held.pop_front();
        self.receipts.settle(continuation.shown_from.max(self.receipts.first()));
        let honest = Honest { spent: (continuation, seal), release };
        Some(self.request(&Demand::new(Kind::Spend, continuation, seal), &proof, asks, Some(honest)))
    }

    /// A proof that all came that goes with a continuation. `instead` is folded into it; `late` says that so much came
    /// late.
    fn proof(&self, continuation: &Continuation, instead: u64, late: Option<u64>) -> Option<Proof> {
        let numbers = continuation.shown_from..continuation.numbers().end() + 1;
        let is_whole = self.receipts.received(numbers.clone()).eq([numbers.clone()]);
        let mut proof = Proof::with_room();
        let fold = self.receipts.fold(numbers.clone()) ^ instead;
        proof.set((numbers.start, numbers.end - 1), [numbers], fold, late).ok().filter(|()| is_whole)?;
        Some(proof)
    }

    /// Says that all came, and does not know the nonce of one; or shows another's, or what is none.
    fn lie(&mut self, rng: &mut Rng) -> Option<Vec<u8>> {
        let (continuation, seal) = *self.held.front()?;
        let numbers = continuation.shown_from..continuation.numbers().end() + 1;
        let hidden = numbers.start + rng.below(numbers.end - numbers.start);
        let own = self.receipts.fold(hidden..hidden + 1);
        let wrong = match rng.below(5) {
            // Whatever is wrong with the fold, it is not nothing.
            0 => own,
            1 => own ^ self.receipts.fold(self.receipts.first()..hidden),
            2 => 1 << rng.below(64),
            3 => rng.u64(),
            _ => 0,
        };
        let late = (wrong == 0).then(|| rng.u64());
        let proof = self.proof(&continuation, wrong, late)?;
        // The server burns the serial before it looks at the proof.
        self.held.pop_front();
        Some(self.request(&Demand::new(Kind::Spend, continuation, seal), &proof, &[], None))
    }

    /// Shows again what is spent.
    fn repeat(&mut self, rng: &mut Rng) -> Option<Vec<u8>> {
        if self.copies.is_empty() {
            return None;
        }
        let Copy { datagram, spent } = &self.copies[rng.below(self.copies.len() as u64) as usize];
        let (continuation, seal) = *spent;
        if rng.below(2) == 0 {
            return Some(datagram.clone());
        }
        // The same in another request. What it shows has been settled: the filter comes before the proof.
        let proof = self.any_proof(&continuation, rng)?;
        Some(self.request(&Demand::new(Kind::Spend, continuation, seal), &proof, &[], None))
    }

    fn any_proof(&self, continuation: &Continuation, rng: &mut Rng) -> Option<Proof> {
        let numbers = continuation.shown_from..continuation.numbers().end().checked_add(1)?;
        let mut proof = Proof::with_room();
        proof
            .set((numbers.start, numbers.end - 1), Some(numbers).filter(|numbers| !numbers.is_empty()), rng.u64(), None)
            .ok()?;
        Some(proof)
    }

    /// Shows what no server has sealed so.
    fn forge(&mut self, others: &VecDeque<Held>, rng: &mut Rng) -> Option<Vec<u8>> {
        let held = *self.held.get(rng.below(self.held.len().max(1) as u64) as usize)?;
        let (mut continuation, mut seal) = held;
        match rng.below(16) {
            0 => continuation.root.growth = Growth::new(continuation.root.growth.base(), 10_000, 10_000),
            1 => continuation.is_pair = !continuation.is_pair,
            2 => continuation.serial = rng.below(SERIAL_LIMIT),
            3 => continuation.issuer = Issuer(rng.u64() as u32),
            4 => continuation.first += 1 + rng.below(1 << 30),
            5 => continuation.tag = Tag(rng.u64() as u32),
            6 => continuation.root.tag = Tag(rng.u64() as u32),
            7 => continuation.shown_from += rng.below(continuation.first - continuation.shown_from + 1),
            8 => continuation.issued = Stamp::of(Wall::from_millis(rng.u64() >> 20)),
            9 => continuation.keying = Keying::of(self.epoch.wrapping_add(1 + rng.below(2) as u8)),
            10 => continuation.site.0 ^= 1,
            // Another's, and the seal of another.
            11 => (continuation, seal) = *others.get(rng.below(others.len().max(1) as u64) as usize)?,
            12 => seal = others.get(rng.below(others.len().max(1) as u64) as usize)?.1,
            13 => seal[rng.below(16) as usize] ^= 1 << rng.below(8),
            _ => seal = rng.bytes(),
        }
        if (continuation, seal) == held {
            return None;
        }
        let proof = match self.proof(&continuation, 0, None) {
            Some(proof) => proof,
            None => self.any_proof(&continuation, rng)?,
        };
        let kind = if rng.below(4) == 0 {
            Kind::Timeout { count: 0, asked: continuation.issued, moved_from: None }
        } else {
            Kind::Spend
        };
        Some(self.request(&Demand::new(kind, continuation, seal), &proof, &[], None))
    }

    /// Asks for hashes of a file, each of another length, and for listings, as many as there is room for, and says now
    /// and then that it has solved a puzzle.
    fn expensive(&mut self, mark: &Mark, rng: &mut Rng) -> Vec<u8> {
        let mut out = [0; REQUEST_LEN - 250];
        let mut writer = Writer::new(&mut out);
        loop {
            if rng.below(4) == 0 {
                // Of a slot and a difficulty that may be those of the present.
                let guess = [&[rng.u64() as u8, rng.below(25) as u8][..], &rng.bytes::<8>()].concat();
                let guess = Solution::parse(&mut Reader::new(&guess)).expect("it is as long as one");
                // Without room for it there is none for what is asked for.
                let _ = Ask::Solved(guess).emit(&mut writer);
            }
            let mut asking = [0; 600];
            let mut inner = Writer::new(&mut asking);
            let asked = match &mark.file {
                Some((path, size)) if rng.below(8) > 0 => {
                    let len = size.min(&HASHED_MIN) + rng.below(size.saturating_sub(HASHED_MIN).max(1));
                    inner.u8(HASH).and_then(|()| inner.varint(len)).and_then(|()| inner.bytes(path.as_bytes()))
                }
                _ => inner.u8(LISTING).and_then(|()| inner.varint(0)),
            };
            let start = self.objects * RESERVED;
            let (input, reserved) = (&[][..], start..start + RESERVED);
            let put =
                Ask::Put { object: self.objects, input, offset: 0, is_end: true, reserved, data: inner.written() };
            if asked.is_err() || put.emit(&mut writer).is_err() {
                return writer.written().to_vec();
            }
            self.objects += 1;
        }
    }

    /// A sealed request.
    fn request(&mut self, demand: &Demand, proof: &Proof, asks: &[u8], honest: Option<Honest>) -> Vec<u8> {
        let header = RequestHeader { armor: Armor::Sealed, epoch: self.epoch, id: self.id, count: self.count };
        let mut datagram = vec![0; REQUEST_LEN];
        let mut writer = Writer::new(&mut datagram);
        let written = header.emit(&mut writer).and_then(|()| demand.emit(Armor::Sealed, proof, &mut writer));
        written.and_then(|()| writer.bytes(asks)).and_then(|()| writer.bytes(&[0; TAG_LEN])).expect("there is room");
        let len = writer.position();
        datagram.truncate(len);
        let seal = header.seal(&self.secret.requests(), &mut datagram);
        if self.watched.len() >= REQUESTS_WATCHED_MAX {
            self.watched.pop_first();
        }
        let copy = if honest.is_some() { datagram.clone() } else { Vec::new() };
        self.watched.insert(self.count, Watched { seal, honest, datagram: copy, came: Vec::new() });
        self.count += 1;
        datagram
    }

    fn handle(&mut self, now: Instant, datagram: &mut [u8], tally: &mut Tally) {
        let Ok(header) = ResponseHeader::parse(&mut Reader::new(datagram)) else { return };
        let Some(watched) = self.watched.get_mut(&header.count) else { return };
        let key = self.secret.responses(header.instance, &watched.seal);
        let Ok(text) = header.open(&key, datagram) else { return };
        if header.index == Denial::INDEX {
            return;
        }
        let is_new = !watched.came.contains(&header.index);
        let Some(Honest { spent, release }) = watched.honest.as_ref().filter(|_| is_new) else {
            // Forged, invented, or there a second time.
            tally.acted_on += 1;
            return;
        };
        let foreseen = release.foresee(&spent.0, spent.0.keying, header.index);
        let Ok(given) = Given::parse(Armor::Sealed, &mut Reader::new(text), Some(&foreseen)) else { return };
        self.heard = now;
        if watched.came.is_empty() {
            tally.answered += 1;
            if self.copies.len() >= COPIES_KEPT_MAX {
                self.copies.pop_front();
            }
            self.copies.push_back(Copy { datagram: core::mem::take(&mut watched.datagram), spent: *spent });
        }
        watched.came.push(header.index);
        let continuation = given.continuation;
        let second = u64::from(continuation.is_pair && header.index & 1 == 1);
        // What is known or settled already tells nothing new.
        let _ = self.receipts.receive(continuation.first + second, given.nonce);
        if !self.held.iter().any(|(held, _)| held.first == continuation.first) {
            let at = self.held.partition_point(|(held, _)| held.first < continuation.first);
            self.held.insert(at, (continuation, given.seal));
        }
    }
}
