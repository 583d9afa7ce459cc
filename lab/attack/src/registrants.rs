//! Hostile hosts at a registry (wire.md, section 14): records without end, and introductions without end.

use core::net::{IpAddr, SocketAddr};

use tng_base::{Eid, Instant, Rng};
use tng_crypto::{SecretRng, labels};
use tng_isolation::{Identity, Initiator};

use crate::attacker::{PATIENCE, addressed};
use crate::frames;
use crate::rogue::{Heard, Rogue, Wish, knock};
use crate::{Mark, Tally};

/// The registry service, and its protocol.
const REGISTRY: (&str, &str) = ("registry", "tng-registry/1");
/// Requests that a host makes before it leaves without a word: as many streams as anybody is granted at first.
pub const ASKS_PER_HOST: u64 = 15;
/// One host in so many says nothing that is true.
const FORGER_ONE_IN: u64 = 4;
/// One request for an introduction in so many seems to come from somebody else.
const STRAY_ONE_IN: u64 = 4;
/// Bytes that are granted to the registry.
const GRANTED: u64 = 1 << 30;
/// Where a host's record says that it is good for ever, in seconds since 1970.
const FOR_EVER_S: u64 = u64::MAX / 2;
/// What each nonce of an introduction begins with.
const MARKED_LEN: usize = 8;
/// Bytes of a nonce.
const NONCE_LEN: usize = 16;

const REGISTER: u8 = 0x01;
const ATTEND: u8 = 0x02;
const LOOK_UP: u8 = 0x03;
const WATCH: u8 = 0x04;
const INTRODUCE: u8 = 0x05;
const REGISTERED: u8 = 0x10;
const ATTENDED: u8 = 0x11;

/// From which of its addresses one asks to be introduced, at which one is called, and where a stranger is who has
/// nothing to do with it.
pub(crate) const CALLER: usize = 0;
pub(crate) const CALLED: usize = 1;
pub(crate) const STRANGER: usize = 2;
/// So many addresses.
pub(crate) const PLACES: usize = 3;

/// What came of introductions that were asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Introductions {
    /// Requests for one.
    pub asked: u64,
    /// Times that one of the two was told.
    pub told: u64,
    /// Times that an address was named at which neither has shown to be.
    pub misled: u64,
    /// Datagrams that hosts who were introduced have sent to where the other is, and their bytes.
    pub punched: u64,
    /// The same in bytes.
    pub punched_bytes: u64,
    /// Bytes of requests that seemed to come from the stranger.
    pub strayed_bytes: u64,
    /// Bytes that the registry has sent to the stranger.
    pub stranger_bytes: u64,
    /// Datagrams that others have sent there.
    pub stranger_others: u64,
}

impl Introductions {
    pub(crate) fn add(&mut self, other: &Introductions) {
        self.asked += other.asked;
        self.told += other.told;
        self.misled += other.misled;
        self.punched += other.punched;
        self.punched_bytes += other.punched_bytes;
        self.strayed_bytes += other.strayed_bytes;
        self.stranger_bytes += other.stranger_bytes;
        self.stranger_others += other.stranger_others;
    }
}

/// How far a host has come.
#[derive(Debug)]
enum Standing {
    Outside,
    Knocking { initiator: Box<Initiator>, until: Instant },
    Inside { rogue: Box<Rogue>, asks: u64, attended: bool, again_at: Instant },
}

/// One host.
#[derive(Debug)]
struct Host {
    identity: Identity,
    standing: Standing,
    /// Nothing that it says is true.
    forges: bool,
}

impl Host {
    fn new(forges: bool, keys: &mut SecretRng) -> Host {
        Host { identity: Identity::from_seed(keys.secret()), standing: Standing::Outside, forges }
    }

    /// What it says to be let in, if it is not yet.
    fn knock(&mut self, now: Instant, mark: &Mark, keys: &mut SecretRng) -> Option<Vec<u8>> {
        match &mut self.standing {
            Standing::Outside => {
                let capability = mark.capability.clone();
                let wish = Wish { capability, set_up: Some(frames::grant(GRANTED)), ..Wish::default() };
                let initiator = Box::new(knock(&self.identity, mark.eid, wish, keys)?);
                let datagram = initiator.datagram().to_vec();
                self.standing = Standing::Knocking { initiator, until: now + PATIENCE };
                Some(datagram)
            }
            Standing::Knocking { initiator, until } if *until <= now => {
                *until = now + PATIENCE;
                Some(initiator.datagram().to_vec())
            }
            Standing::Knocking { .. } | Standing::Inside { .. } => None,
        }
    }

    /// Takes what is for it; answers what it could read, and whether it was for it.
    fn handle(&mut self, now: Instant, datagram: &mut [u8], tally: &mut Tally) -> Option<Vec<u8>> {
        match &mut self.standing {
            Standing::Outside => None,
            Standing::Knocking { initiator, until } => {
                if initiator.handle_cookie(datagram) {
                    *until = now;
                    return None;
                }
                if !addressed(datagram, initiator.local_id()) {
                    return None;
                }
                let Standing::Knocking { initiator, until } = core::mem::replace(&mut self.standing, Standing::Outside)
                else {
                    return None;
                };
                match Rogue::from_reply(initiator.handle_reply(datagram)) {
                    Ok(rogue) => {
                        tally.connections += 1;
                        let rogue = Box::new(rogue);
                        self.standing = Standing::Inside { rogue, asks: 0, attended: false, again_at: now };
                    }
                    Err(Some(initiator)) => self.standing = Standing::Knocking { initiator, until },
                    Err(None) => tally.refusals += 1,
                }
                None
            }
            Standing::Inside { rogue, attended, .. } => match rogue.open(datagram) {
                Heard::Packet { payload } => {
                    *attended |= says(&payload, ATTENDED, 0);
                    Some(payload)
                }
                Heard::Close(code) => {
                    *tally.closes.entry(code).or_default() += 1;
                    self.standing = Standing::Outside;
                    None
                }
                Heard::Nothing => None,
            },
        }
    }

    /// A packet with its next request.
    fn ask(&mut self, message: &[u8], tally: &mut Tally) -> Option<Vec<u8>> {
        let Standing::Inside { rogue, asks, .. } = &mut self.standing else { return None };
        let request = frames::request(*asks, REGISTRY.0, REGISTRY.1, message);
        *asks += 1;
        seal(rogue, &request, tally)
    }

    /// Registers and attends, again and again until it is attended to: packets are lost, and nobody else would repeat
    /// them. Answers whether that is done.
    fn settle(&mut self, now: Instant, stranger: Option<SocketAddr>, tally: &mut Tally) -> Result<(), Option<Vec<u8>>> {
        let record = record(&self.identity, 1, stranger.as_slice());
        let Standing::Inside { rogue, asks, attended, again_at } = &mut self.standing else { return Err(None) };
        if *attended {
            return Ok(());
        }
        if now < *again_at {
            return Err(None);
        }
        (*again_at, *asks) = (now + PATIENCE, 2);
        let both = [register(0, &[0], &record), message(ATTEND, &[])];
        let requests = both.iter().zip(0..).flat_map(|(ask, at)| frames::request(at, REGISTRY.0, REGISTRY.1, ask));
        Err(seal(rogue, &requests.collect::<Vec<_>>(), tally))
    }

    const fn asks(&self) -> u64 {
        match &self.standing {
            Standing::Inside { asks, .. } => *asks,
            Standing::Outside | Standing::Knocking { .. } => 0,
        }
    }
}

fn seal(rogue: &mut Rogue, payload: &[u8], tally: &mut Tally) -> Option<Vec<u8>> {
    let acknowledgment = rogue.acknowledge();
    let packet = rogue.seal(&acknowledgment, &[], payload);
    tally.packets += u64::from(packet.is_some());
    packet
}

/// The hosts of an attack.
#[derive(Debug, Default)]
pub(crate) struct Registrants {
    places: Vec<SocketAddr>,
    host: Option<Host>,
    called: Option<Host>,
    hosts: u64,
    marked: [u8; MARKED_LEN],
}

impl Registrants {
    pub(crate) fn stand_at(&mut self, places: Vec<SocketAddr>) {
        self.places = places;
    }

    fn stranger(&self) -> Option<SocketAddr> {
        self.places.get(STRANGER).copied()
    }

    /// What hosts say that come, say much that is kept, true or not, and leave without a word.
    pub(crate) fn flood(
        &mut self,
        now: Instant,
        mark: &Mark,
        (rng, keys): (&mut Rng, &mut SecretRng),
        tally: &mut Tally,
    ) -> Option<Vec<u8>> {
        if self.host.as_ref().is_none_or(|host| host.asks() >= ASKS_PER_HOST) {
            self.hosts += 1;
            self.host = Some(Host::new(self.hosts.is_multiple_of(FORGER_ONE_IN), keys));
        }
        let host = self.host.as_mut()?;
        if !matches!(host.standing, Standing::Inside { .. }) {
            return host.knock(now, mark, keys);
        }
        let step = host.asks();
        let ask = if host.forges { forged(&host.identity, step, rng, keys) } else { kept(&host.identity, step, rng) };
        host.ask(&ask, tally)
    }

    /// What hosts say that have themselves introduced to others, as often as they can, and from which place.
    pub(crate) fn introduce(
        &mut self,
        now: Instant,
        mark: &Mark,
        (rng, keys): (&mut Rng, &mut SecretRng),
        tally: &mut Tally,
    ) -> Option<(usize, Vec<u8>)> {
        if self.marked == [0; MARKED_LEN] {
            self.marked = rng.bytes();
        }
        let stranger = self.stranger();
        let called = self.called.get_or_insert_with(|| Host::new(false, keys));
        let settled =
            called.knock(now, mark, keys).map_or_else(|| called.settle(now, stranger, tally), |it| Err(Some(it)));
        match settled {
            Ok(()) => {}
            Err(Some(datagram)) => return Some((CALLED, datagram)),
            Err(None) => return None,
        }
        // What it has heard it acknowledges, so that it is told more.
        if let Standing::Inside { rogue, .. } = &mut called.standing
            && rng.below(8) == 0
        {
            return Some((CALLED, seal(rogue, &[], tally)?));
        }
        let called = called.identity.eid();
        if self.host.as_ref().is_none_or(|host| host.asks() >= ASKS_PER_HOST) {
            self.host = Some(Host::new(false, keys));
        }
        let host = self.host.as_mut()?;
        if let Some(datagram) = host.knock(now, mark, keys) {
            return Some((CALLER, datagram));
        }
        if let Err(said) = host.settle(now, stranger, tally) {
            return said.map(|datagram| (CALLER, datagram));
        }
        let whom = match rng.below(8) {
            0..4 => called,
            4..6 => mark.registered.map_or(called, |(eid, _)| eid),
            6 => host.identity.eid(),
            _ => Eid::from_bytes(rng.bytes()),
        };
        let nonce = [&self.marked[..], &rng.bytes::<{ NONCE_LEN - MARKED_LEN }>()].concat();
        let ask = message(INTRODUCE, &[whom.as_bytes(), &nonce[..], &[0]].concat());
        let datagram = host.ask(&ask, tally)?;
        tally.introductions.asked += 1;
        let strays = stranger.is_some() && rng.below(STRAY_ONE_IN) == 0;
        if strays {
            tally.introductions.strayed_bytes += datagram.len() as u64;
        }
        Some((if strays { STRANGER } else { CALLER }, datagram))
    }

    /// Takes what has come at one of the places, from the target or from others.
    pub(crate) fn handle(
        &mut self,
        now: Instant,
        (local, remote): (Option<SocketAddr>, SocketAddr),
        mark: &Mark,
        datagram: &mut [u8],
        tally: &mut Tally,
    ) {
        let at_stranger = self.stranger().is_some_and(|stranger| local == Some(stranger));
        match (remote == mark.address, at_stranger) {
            (true, true) => return tally.introductions.stranger_bytes += datagram.len() as u64,
            (false, true) => return tally.introductions.stranger_others += 1,
            (false, false) => {
                tally.introductions.punched += 1;
                tally.introductions.punched_bytes += datagram.len() as u64;
                return;
            }
            (true, false) => {}
        }
        for host in self.host.iter_mut().chain(&mut self.called) {
            // What is not for it, it cannot read.
            let Some(payload) = host.handle(now, &mut datagram.to_vec(), tally) else { continue };
            let registered = says(&payload, REGISTERED, 4 + 7) || says(&payload, REGISTERED, 4 + 19);
            match host.forges {
                true => tally.acted_on += u64::from(registered),
                false => tally.answered += u64::from(registered),
            }
            for named in introduced(&payload, self.marked) {
                tally.introductions.told += 1;
                let own = self.places.iter().take(STRANGER).any(|place| *place == named);
                let honest = mark.registered.is_some_and(|(_, at)| at == named);
                tally.introductions.misled += u64::from(!own && !honest);
            }
        }
    }
}

/// Whether a message with so many bytes behind its head stands in what came.
fn says(payload: &[u8], kind: u8, len: u16) -> bool {
    let [high, low] = len.to_be_bytes();
    payload.windows(3).any(|head| head == [kind, high, low])
}

/// The addresses that introductions name, found by what their nonces begin with.
fn introduced(payload: &[u8], marked: [u8; MARKED_LEN]) -> Vec<SocketAddr> {
    if marked == [0; MARKED_LEN] {
        return Vec::new();
    }
    let starts = payload.windows(MARKED_LEN).enumerate().filter(|(_, at)| *at == marked).map(|(at, _)| at);
    starts.filter_map(|at| address(payload.get(at + NONCE_LEN + 2..)?)).collect()
}

fn address(bytes: &[u8]) -> Option<SocketAddr> {
    let (kind, rest) = bytes.split_first()?;
    let (ip, rest): (IpAddr, &[u8]) = match kind {
        4 => (rest.first_chunk::<4>().copied()?.into(), &rest[4..]),
        6 => (rest.first_chunk::<16>().copied()?.into(), &rest[16..]),
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_be_bytes(rest.first_chunk().copied()?)))
}

/// A message: type, length, body.
fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind][..], &(body.len() as u16).to_be_bytes(), body].concat()
}

fn register(lease_s: u32, policy: &[u8], statement: &[u8]) -> Vec<u8> {
    message(REGISTER, &[&lease_s.to_be_bytes()[..], policy, statement].concat())
}

/// What a host says of itself, with the signature of who signs.
fn statement(kind: u8, of: Eid, word: &[u8], signer: &Identity) -> Vec<u8> {
    let said = [&[kind][..], of.as_bytes(), word].concat();
    let signature = signer.sign(labels::REGISTRY_STATEMENT, &said);
    [said, signature.to_vec()].concat()
}

fn here(number: u64, addresses: &[SocketAddr]) -> Vec<u8> {
    let mut out = [number.to_be_bytes(), FOR_EVER_S.to_be_bytes()].concat();
    out.push(addresses.len() as u8);
    for address in addresses {
        match address.ip() {
            IpAddr::V4(ip) => out.extend([&[4][..], &ip.octets()].concat()),
            IpAddr::V6(ip) => out.extend([&[6][..], &ip.octets()].concat()),
        }
        out.extend(address.port().to_be_bytes());
    }
    out
}

fn record(of: &Identity, number: u64, addresses: &[SocketAddr]) -> Vec<u8> {
    statement(1, of.eid(), &here(number, addresses), of)
}

fn revocation(of: &Identity) -> Vec<u8> {
    statement(3, of.eid(), &1_u64.to_be_bytes(), of)
}

/// Anybody's addresses, as many as a record has room for.
fn anywhere(rng: &mut Rng) -> Vec<SocketAddr> {
    (0..8).map(|_| SocketAddr::new(IpAddr::from(rng.bytes::<16>()), rng.u64() as u16)).collect()
}

/// Requests that make a registry keep something, or look for it.
fn kept(own: &Identity, step: u64, rng: &mut Rng) -> Vec<u8> {
    let look = |kind, rng: &mut Rng| message(kind, &[&rng.bytes::<32>()[..], &[0]].concat());
    match step {
        // As long as can be, and by a list as long as can be.
        0 => register(u32::MAX, &[0], &record(own, 1, &anywhere(rng))),
        1 => message(ATTEND, &[]),
        2 => {
            let listed: Vec<u8> = (0..32).flat_map(|_| rng.bytes::<32>()).collect();
            register(u32::MAX, &[&[1, 32][..], &listed].concat(), &record(own, 2, &anywhere(rng)))
        }
        // Of a host that has revoked its key something is kept for more than a year.
        ASKS_LAST => register(0, &[0], &revocation(own)),
        _ if step.is_multiple_of(2) => look(WATCH, rng),
        _ => look(LOOK_UP, rng),
    }
}

const ASKS_LAST: u64 = ASKS_PER_HOST - 1;

/// Requests that may not be granted.
fn forged(own: &Identity, step: u64, rng: &mut Rng, keys: &mut SecretRng) -> Vec<u8> {
    let other = Identity::from_seed(keys.secret());
    match step % 5 {
        // Another's record, well signed; one in another's name; an unsigned one; one that has expired.
        0 => register(0, &[0], &record(&other, 1, &anywhere(rng))),
        1 => register(0, &[0], &statement(1, other.eid(), &here(1, &[]), own)),
        2 => {
            let mut said = record(own, 1, &[]);
            let at = rng.below(said.len() as u64) as usize;
            said[at] ^= 1 << rng.below(8);
            register(0, &[0], &said)
        }
        3 => {
            let word = [&1_u64.to_be_bytes()[..], &1_u64.to_be_bytes(), &[0]].concat();
            register(0, &[0], &statement(1, own.eid(), &word, own))
        }
        // In another's name that its key is lost.
        _ => register(0, &[0], &statement(3, other.eid(), &1_u64.to_be_bytes(), own)),
    }
}
