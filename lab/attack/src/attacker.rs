//! One attack as a machine: what to send next, and what to make of what comes back.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::{ChannelId, Datagram, Ecn, Eid, Input, Instant, Machine, Output, RangeSet, Rng, SessionId, Transmit};
use tng_crypto::{Secret32, SecretRng};
use tng_isolation::wire::{Attach, Purpose};
use tng_isolation::{Identity, Initiator, Replied};

use crate::burst::{Burst, Came};
use crate::frames::{self, frame};
use crate::offers;
use crate::orders::{Orders, RelayClient};
use crate::registrants::Registrants;
use crate::rogue::{Heard, Rogue, Wish, knock_as_anybody};
use crate::server::{HOSTILE_TEXT, hostile_close};
use crate::stateless::Stateless;
use crate::storm::Storm;
use crate::{Attack, Kind, Tally, storms};

/// How long an unanswered INIT is waited for before it is sent again.
pub const PATIENCE: Duration = Duration::from_millis(200);

/// Connections that a slowloris begins.
pub const LEFT_ALONE_MAX: u64 = 512;

/// Time that an attacker makes up for when its driver was late.
pub const LATE_MAX: Duration = Duration::from_millis(20);

/// Requests that a peer makes before it leaves.
pub const REQUESTS_PER_PEER: u64 = 64;

/// Requests in one packet.
pub const REQUESTS_PER_PACKET: u64 = 16;

/// Peers that one source is, whose answers nobody reads.
pub const UNREAD_PEERS_MAX: u64 = 64;

/// Bytes of credit that a peer grants which acknowledges nothing.
const GRANTED: u64 = 1 << 30;

/// Large packets, each from another address, of a peer that acknowledges nothing.
pub const LARGE_HOPS_MAX: u64 = 2_048;

/// Addresses that a peer sends from in turn.
pub const PLACES_MAX: usize = 64;

/// Datagrams that wait to be sent back.
pub const ECHOES_MAX: usize = 64;

/// The target of an attack.
#[derive(Clone)]
pub struct Mark {
    /// Who it is.
    pub eid: Eid,
    /// Where it is.
    pub address: SocketAddr,
    /// What opens its door; empty if it is open.
    pub capability: Vec<u8>,
    /// A service that it offers, and the protocol.
    pub service: (String, String),
    /// A file that it hands out, by the file service's protocol: its path, and its size in bytes. The largest hurts
    /// most.
    pub file: Option<(String, u64)>,
    /// What a client of it has, if it is a relay.
    pub relay: Option<RelayClient>,
    /// An honest host that is registered there, if it is a registry, and where that is.
    pub registered: Option<(Eid, SocketAddr)>,
}

impl core::fmt::Debug for Mark {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Mark")
            .field("eid", &self.eid)
            .field("address", &self.address)
            .field("service", &self.service)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// The file service, and its protocol (wire.md, section 6).
pub(crate) const FILES: (&str, &str) = ("files", "tng-files/5");

/// Where a peer stands.
#[derive(Debug)]
enum Standing {
    Outside,
    Knocking { initiator: Box<Initiator>, until: Instant },
    Inside { rogue: Box<Rogue>, packets: u64 },
}

/// An attack under way. It sends at its pace until somebody stops driving it.
#[derive(Debug)]
pub struct Attacker {
    attack: &'static Attack,
    mark: Mark,
    interval: Duration,
    next_at: Instant,
    rng: Rng,
    keys: SecretRng,
    standing: Standing,
    /// What is sent again, or in parts.
    model: Vec<u8>,
    cookie: Option<[u8; 32]>,
    echoes: Vec<Vec<u8>>,
    storm: Storm,
    burst: Burst,
    stateless: Stateless,
    orders: Orders,
    registrants: Registrants,
    place: usize,
    tally: Tally,
}

impl Attacker {
    /// `attack` on `mark`, with a datagram each `interval` from `now` on. The same seed sends the same, if the same
    /// comes back, but for keys: these come from `secret`, and the mark takes those that it has met before for copies.
    pub fn new(
        attack: &'static Attack,
        mark: Mark,
        seed: u64,
        secret: impl Into<Secret32>,
        interval: Duration,
        now: Instant,
    ) -> Attacker {
        let mut keys = SecretRng::new(secret);
        let burst = Burst::new(&mut keys);
        Attacker {
            attack,
            mark,
            interval,
            next_at: now,
            rng: Rng::from_u64(seed),
            keys,
            standing: Standing::Outside,
            model: Vec::new(),
            cookie: None,
            echoes: Vec::new(),
            storm: Storm::default(),
            burst,
            stateless: Stateless::default(),
            orders: Orders::default(),
            registrants: Registrants::default(),
            place: 0,
            tally: Tally::default(),
        }
    }

    /// What was sent, and what came back.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// From which of its addresses the last datagram is to leave: 0, or one below [`PLACES_MAX`] if the attack is one
    /// that moves, or is on a relay or a registry.
    pub fn place(&self) -> usize {
        self.place
    }

    /// Where each of its addresses is seen from the mark: an attack on a relay is asked there as well as it asks, and
    /// others hear there of one on a registry.
    pub fn stand_at(&mut self, places: Vec<SocketAddr>) {
        self.registrants.stand_at(places.clone());
        self.orders.stand_at(places);
    }

    /// An INIT of somebody whom nobody has seen before.
    fn init(&mut self, wish: Wish) -> Option<Initiator> {
        let wish = Wish { capability: self.mark.capability.clone(), ..wish };
        knock_as_anybody(self.mark.eid, wish, &mut self.keys)
    }

    /// Frames that open the parent of requests, and make the first of them.
    fn first_requests(&mut self) -> Option<Vec<u8>> {
        let parent = frames::open(0, FILES.0, FILES.1);
        (self.attack.name == "hash-flood").then(|| [parent, self.requests(0)].concat())
    }

    /// Frames that ask for the file, another packet full of them.
    fn requests(&mut self, step: u64) -> Vec<u8> {
        let first = 1 + REQUESTS_PER_PACKET * step;
        let (path, size) = self.mark.file.clone().unwrap_or_default();
        let hash = (self.attack.name == "hash-flood").then(|| self.rng.bytes());
        // A path may be long, and no packet is longer than this.
        let fit = (900 / (path.len() as u64 + 56)).clamp(1, REQUESTS_PER_PACKET);
        let ask = |counter| frames::question(counter, 0, &frames::get(&path, size, hash));
        (first..first + fit).flat_map(ask).collect()
    }

    fn init_bytes(&mut self) -> Vec<u8> {
        self.init(Wish::default()).map_or(Vec::new(), |initiator| initiator.datagram().to_vec())
    }

    /// An INIT that is made once.
    fn model(&mut self) -> Vec<u8> {
        if self.model.is_empty() {
            self.model = self.init_bytes();
        }
        self.model.clone()
    }

    fn noise(&mut self, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        self.rng.fill(&mut out);
        out
    }

    /// A packet as of a channel, addressed to nobody.
    fn of_no_channel(&mut self) -> Vec<u8> {
        let len = 24 + self.rng.below(1_200) as usize;
        let mut packet = self.noise(len);
        packet[0] = 0x40 | packet[0] & 0x3f;
        packet
    }

    /// What somebody without keys sends next.
    fn strangers_datagram(&mut self) -> Vec<u8> {
        match self.attack.name {
            "init-replay" => self.model(),
            "spoof-flood" => self.init_bytes(),
            "init-flood" => {
                let mut init = self.init_bytes();
                match self.rng.below(15) {
                    0 => init.truncate(self.rng.below(1_200) as usize),
                    1 => self.flip(&mut init),
                    2 => init.extend(self.noise(100)),
                    _ => {}
                }
                init
            }
            "attach-flood" => {
                let attach = Attach { session: SessionId::MIN, count: self.rng.u64() >> 4, purpose: Purpose::Replaces };
                let wish = Wish { attach: Some(attach), ..Wish::default() };
                self.init(wish).map_or(Vec::new(), |initiator| initiator.datagram().to_vec())
            }
            "cookie-replay" => {
                let init = self.init_bytes();
                self.cookie.map_or_else(|| init.clone(), |cookie| frames::with_cookie(&init, cookie, &self.mark.eid))
            }
            "truncate" => {
                let mut init = self.model();
                init.truncate(self.rng.below(1_200) as usize);
                init
            }
            "bitflip" => {
                let mut init = self.model();
                self.flip(&mut init);
                init
            }
            "unserved" => {
                let len = 1 + self.rng.below(1_200) as usize;
                let mut out = self.noise(len);
                out[0] = 0x80 + out[0] % 0x60;
                out
            }
            "wrong-key" => {
                let other = Identity::from_seed(self.keys.secret()).eid();
                let init = knock_as_anybody(other, Wish::default(), &mut self.keys);
                init.map_or(Vec::new(), |init| init.datagram().to_vec())
            }
            "storm-join" => {
                let init = self.init_bytes();
                frames::join(&mut self.rng, &init)
            }
            "empty" => {
                let len = self.rng.below(2) as usize;
                self.noise(len)
            }
            "trickles-init-spoof" => self.stateless.strangers_init(&self.mark, &mut self.rng, &mut self.keys),
            "cookie-storm" => self.storm.datagram(&self.mark, &mut self.keys),
            "join-flood" => {
                let (place, datagram) = self.orders.flood(&self.mark, &mut self.rng, &mut self.keys);
                self.place = place;
                datagram
            }
            "reset-probe" => self.of_no_channel(),
            "reset-echo" => match self.echoes.pop() {
                Some(echo) => echo,
                None => self.of_no_channel(),
            },
            name => storms::datagram(name, &mut self.rng).unwrap_or_else(|| {
                let len = self.rng.below(1_300) as usize;
                self.noise(len)
            }),
        }
    }

    fn flip(&mut self, bytes: &mut [u8]) {
        let bit = self.rng.below(8 * bytes.len().max(1) as u64) as usize;
        if let Some(byte) = bytes.get_mut(bit / 8) {
            *byte ^= 1 << (bit % 8);
        }
    }

    /// What a peer sends next: it gets itself let in, and misbehaves.
    fn peers_datagram(&mut self, now: Instant) -> Option<Vec<u8>> {
        if self.attack.is_stateless() {
            return self.stateless.datagram(self.attack, now, &self.mark, &mut self.rng, &mut self.keys);
        }
        match self.attack.name {
            "credit-burst" => return self.burst.datagram(now, &self.mark, &mut self.keys),
            "register-flood" => {
                let drawn = (&mut self.rng, &mut self.keys);
                return self.registrants.flood(now, &self.mark, drawn, &mut self.tally);
            }
            "introduce-flood" => {
                let drawn = (&mut self.rng, &mut self.keys);
                let (place, datagram) = self.registrants.introduce(now, &self.mark, drawn, &mut self.tally)?;
                self.place = place;
                return Some(datagram);
            }
            _ => {}
        }
        match &mut self.standing {
            Standing::Outside => {
                let most = match self.attack.name {
                    "slowloris" => LEFT_ALONE_MAX,
                    "unread-answers" => UNREAD_PEERS_MAX,
                    _ => u64::MAX,
                };
                if self.tally.connections >= most {
                    return None;
                }
                self.place = 0;
                let payload = self.first_requests();
                let set_up = (self.attack.name == "path-hop").then(|| frames::grant(GRANTED));
                let transports = (self.attack.name == "stp-offer-flood").then(|| {
                    let service = if self.mark.file.is_some() { FILES.0 } else { &self.mark.service.0 };
                    offers::offer(service, &mut self.rng)
                });
                let initiator = Box::new(self.init(Wish { payload, set_up, transports, ..Wish::default() })?);
                let datagram = initiator.datagram().to_vec();
                self.standing = Standing::Knocking { initiator, until: now + PATIENCE };
                Some(datagram)
            }
            Standing::Knocking { initiator, until } if *until <= now => {
                *until = now + PATIENCE;
                Some(initiator.datagram().to_vec())
            }
            Standing::Knocking { .. } => None,
            Standing::Inside { packets, .. } => {
                let step = *packets;
                *packets += 1;
                let (control, payload) = self.misbehave(step);
                self.sealed(step, &control, &payload)
            }
        }
    }

    /// What a client of a relay sends next.
    fn clients_datagram(&mut self, now: Instant) -> Option<Vec<u8>> {
        let drawn = (&mut self.rng, &mut self.keys);
        let (place, datagram) = self.orders.datagram(self.attack.name, now, &self.mark, drawn, &mut self.tally)?;
        self.place = place;
        Some(datagram)
    }

    /// The control frames and the payload of the peer's packet number `step`.
    fn misbehave(&mut self, step: u64) -> (Vec<u8>, Vec<u8>) {
        let (service, protocol) = self.mark.service.clone();
        let open = |counter| frames::open(counter, &service, &protocol);
        let none = Vec::new;
        match self.attack.name {
            "hash-flood" => return (none(), self.requests(step + 1)),
            "unread-answers" if step == 0 => return (none(), frames::open(0, FILES.0, FILES.1)),
            "unread-answers" => return (none(), self.requests(step - 1)),
            "path-hop" if step == 0 && self.mark.file.is_some() => {
                return (none(), [frames::open(0, FILES.0, FILES.1), self.requests(0)].concat());
            }
            "stp-offer-flood" => return (none(), offers::asks(&mut self.rng)),
            // A peer that pings has nothing else to ask of a target that waits for a pipe.
            "storm-pipe" if step == 0 => return (none(), frames::open(0, storms::PIPE.0, storms::PIPE.1)),
            _ if step == 0 => return (none(), [open(0), storms::parent()].concat()),
            _ => {}
        }
        match self.attack.name {
            "nonsense" => {
                let len = 1 + self.rng.below(60) as usize;
                (none(), self.noise(len))
            }
            "gap-bomb" => {
                let bytes = (0..60).map(|i| frames::data(0, 2 * (60 * (step - 1) + i) % 4_000 + 1, &[7]));
                (none(), bytes.collect::<Vec<_>>().concat())
            }
            "credit-lie" => (none(), frames::data(0, (1 << 40) + step, &[7; 100])),
            // Large ones first: they let more come to each address, and bring what the target gives back; then as small
            // as can be.
            "path-hop" if step < LARGE_HOPS_MAX => match self.mark.file {
                None if step < 64 => (none(), frames::request(1 + step, &service, &protocol, &[7; 1_000])),
                _ => (none(), vec![0; 1_000]),
            },
            "no-ack" => (none(), frames::data(0, 1_000 * (step - 1), &[7; 1_000])),
            "challenge-flood" => {
                let challenges = (0..100).flat_map(|_| frame(0x05, &[], &self.rng.bytes::<8>()));
                (frames::control(&challenges.collect::<Vec<_>>()), none())
            }
            "id-storm" => {
                let ids = (0..20).flat_map(|i| frame(0x03, &[20 * step + i, 0], &self.rng.bytes::<22>()));
                (frames::control(&ids.collect::<Vec<_>>()), none())
            }
            "retire-storm" => (frames::control(&frame(0x04, &[1_000 + step], &[])), none()),
            "stream-bomb" => (none(), (30 * step..30 * step + 30).flat_map(open).collect()),
            "depth-bomb" => {
                let first = 100 * (step - 1) % 1_000 + 1;
                (
                    none(),
                    (first..first + 100).filter(|at| *at < 1_000).flat_map(|at| frames::child(at, at - 1)).collect(),
                )
            }
            "id-reuse" => {
                let (a, b) = (self.rng.below(20), self.rng.below(20));
                let mut frames = if a == 0 || a == b { open(a) } else { frames::child(a, b) };
                frames.extend(frames::data(a, self.rng.below(500), &self.rng.bytes::<16>()));
                (none(), frames)
            }
            "priority-flood" => {
                let first = 100 * (step - 1);
                let ask = |i: u64| frame(0x17, &[0, first + i + 1, i % 256 + 1], &[1 + (i % 255) as u8]);
                (none(), (0..100).flat_map(ask).collect())
            }
            "text-escape" => (frames::control(&hostile_close()), frames::open(step, HOSTILE_TEXT, HOSTILE_TEXT)),
            "datagram-flood" => (none(), frames::piece(0, step, 0, &[7; 1_000])),
            // If it is no storm: something that asks for an acknowledgment.
            name => storms::contents(name, step, self.mark.address, &mut self.rng)
                .unwrap_or_else(|| (frames::control(&frame(0x01, &[], &[])), none())),
        }
    }

    fn sealed(&mut self, step: u64, control: &[u8], payload: &[u8]) -> Option<Vec<u8>> {
        let Standing::Inside { rogue, .. } = &mut self.standing else { return None };
        let acknowledgment = match self.attack.name {
            "no-ack" | "challenge-flood" | "path-hop" => Vec::new(),
            "optimistic-ack" if step > 0 => {
                let mut numbers = RangeSet::new();
                numbers.insert(0..rogue.highest().unwrap_or(0) + 2 * step * step + 2);
                frames::acknowledgment(&numbers)
            }
            _ => rogue.acknowledge(),
        };
        match self.attack.name {
            "ack-bomb" => rogue.skip(1),
            "number-jump" if step > 0 && step.is_multiple_of(50) => rogue.skip(1 << 30),
            "number-jump" if step > 0 && step % 2 == 1 && !self.model.is_empty() => return Some(self.model.clone()),
            _ => {}
        }
        let packet = rogue.seal(&acknowledgment, control, payload);
        self.tally.packets += u64::from(packet.is_some());
        match (&packet, self.attack.name) {
            (None, _) => self.standing = Standing::Outside,
            (Some(packet), "number-jump") => self.model.clone_from(packet),
            // Confirmed; the next one now.
            (Some(_), "slowloris" | "stp-offer-flood") => self.standing = Standing::Outside,
            (Some(_), "text-escape") if step > 0 => self.standing = Standing::Outside,
            (Some(_), "hash-flood" | "unread-answers") if step == REQUESTS_PER_PEER / REQUESTS_PER_PACKET => {
                self.standing = Standing::Outside;
            }
            (Some(_), "path-hop") => self.place = 1 + (step as usize) % (PLACES_MAX - 1),
            _ => {}
        }
        packet
    }

    fn handle_datagram(&mut self, now: Instant, datagram: &mut [u8]) {
        self.tally.note_received(datagram);
        match self.attack.name {
            "cookie-storm" => return self.tally.reused_cookies += u64::from(self.storm.handle(datagram)),
            "credit-burst" => return self.handle_in_burst(now, datagram),
            _ if self.attack.is_stateless() => {
                if self.attack.kind == Kind::Peer {
                    self.stateless.handle(now, datagram, &mut self.tally);
                }
                return;
            }
            _ => {}
        }
        match (self.attack.kind, datagram.first()) {
            (Kind::Stranger, Some(0x03)) => {
                self.cookie = datagram.get(7..).and_then(|rest| rest.first_chunk().copied())
            }
            (Kind::Stranger, Some(0x40..=0x7f)) if self.echoes.len() < ECHOES_MAX => {
                self.echoes.push(datagram.to_vec())
            }
            (Kind::Stranger, _) => {}
            (Kind::Client, _) => self.orders.handle(now, datagram, &mut self.rng, &mut self.tally),
            (Kind::Peer | Kind::Server | Kind::Beside, _) => self.handle_as_peer(now, datagram),
        }
    }

    /// What a target says to an offer is written down.
    fn noted(&mut self, replied: Replied) -> Replied {
        if let (Replied::Established(_, answer), "stp-offer-flood") = (&replied, self.attack.name) {
            *self.tally.offers.entry(offers::said(answer.transport.as_ref())).or_default() += 1;
        }
        replied
    }

    fn handle_in_burst(&mut self, now: Instant, datagram: &mut [u8]) {
        match self.burst.handle(now, datagram) {
            Came::Nothing => {}
            Came::In => self.tally.connections += 1,
            Came::Refused => self.tally.refusals += 1,
            Came::Closed(code) => *self.tally.closes.entry(code).or_default() += 1,
        }
        self.tally.promised_bytes = self.tally.promised_bytes.max(self.burst.promised);
    }

    fn handle_as_peer(&mut self, now: Instant, datagram: &mut [u8]) {
        match core::mem::replace(&mut self.standing, Standing::Outside) {
            Standing::Knocking { mut initiator, until } => {
                let until = if initiator.handle_cookie(datagram) { now } else { until };
                self.standing = match addressed(datagram, initiator.local_id()) {
                    false => Standing::Knocking { initiator, until },
                    true => match initiator.handle_reply(datagram) {
                        Replied::Refused(_) => {
                            self.tally.refusals += 1;
                            Standing::Outside
                        }
                        replied => match Rogue::from_reply(self.noted(replied)) {
                            Ok(rogue) => {
                                self.tally.connections += 1;
                                self.model.clear();
                                Standing::Inside { rogue: Box::new(rogue), packets: 0 }
                            }
                            Err(Some(initiator)) => Standing::Knocking { initiator, until },
                            Err(None) => Standing::Outside,
                        },
                    },
                };
            }
            Standing::Inside { mut rogue, packets } => match rogue.open(datagram) {
                Heard::Close(code) => *self.tally.closes.entry(code).or_default() += 1,
                Heard::Packet { .. } | Heard::Nothing => self.standing = Standing::Inside { rogue, packets },
            },
            Standing::Outside => {}
        }
    }
}

/// Whether a datagram is a REPLY to the INIT of this channel.
pub(crate) fn addressed(datagram: &[u8], channel: ChannelId) -> bool {
    datagram.first() == Some(&0x02) && datagram.get(1..7) == Some(&channel.to_bytes()[..])
}

impl Machine for Attacker {
    /// It tells nothing but its [`tally`](Attacker::tally).
    type Event = core::convert::Infallible;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        let Input::Datagram(Datagram { remote, local, segment_size, payload, .. }) = input else { return };
        let is_of_mark = remote == self.mark.address;
        for one in payload.chunks_mut(segment_size.max(1)) {
            match self.attack.is_on_registries() {
                // Those who are introduced send, too.
                true => {
                    if is_of_mark {
                        self.tally.note_received(one);
                    }
                    self.registrants.handle(now, (local, remote), &self.mark, one, &mut self.tally);
                }
                false if is_of_mark => self.handle_datagram(now, one),
                false => {}
            }
        }
    }

    fn handle_timeout(&mut self, _now: Instant) {}

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<Self::Event> {
        if now < self.next_at {
            return Output::Timeout(Some(self.next_at));
        }
        self.next_at = if now.since(self.next_at) > LATE_MAX { now } else { self.next_at } + self.interval;
        let datagram = match self.attack.kind {
            Kind::Stranger => Some(self.strangers_datagram()),
            Kind::Peer => self.peers_datagram(now),
            // What a server says to those who dial it, a peer can say, too.
            Kind::Server => self.peers_datagram(now),
            Kind::Client => self.clients_datagram(now),
            Kind::Beside => None,
        };
        let Some(datagram) = datagram.filter(|datagram| datagram.len() <= buf.len()) else {
            // There is something to wait for: an answer.
            self.next_at = now + self.interval;
            return Output::Timeout(Some(self.next_at));
        };
        self.tally.note_sent(datagram.len());
        let len = datagram.len();
        buf[..len].copy_from_slice(&datagram);
        Output::Transmit(Transmit {
            remote: self.mark.address,
            local: None,
            ecn: Ecn::NotEct,
            len,
            segment_size: len.max(1),
        })
    }
}
