//! An attempt to connect: the INIT, its repetitions, and the race between addresses.

mod refused;

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use crate::semantics::Semantics;
use tng_base::{ChannelId, ChannelKey, Ecn, Eid, Fate, Instant, Protocol, Transmit, Value};
use tng_crypto::{Secret32, SecretRng};
use tng_endpoint::{Path, is_carried};
use tng_flow::wire::{Greeting, Joined};
use tng_flow::{BadItinerary, HopKey, HopKeys, Itinerary};
use tng_isolation::wire::{Attach, CAPABILITY_LEN_MAX, INIT_LEN, INIT_LEN_MIN, Purpose};
use tng_isolation::{
    Acceptance, Acquaintance, Broken, Established, Family, Identity, InitiateError, Initiator, Opening, Replied,
};
use tng_wire::{Reader, Repr};

use crate::acquaintances::Acquaintances;
use crate::helped::{Joining, THIN_ACKS};
use crate::terms;
use crate::wait::Mark;
use crate::watch;
use crate::{Carried, ConnectError, HostConfig, Target, Wait};
use tng_flow::Origin;

pub use refused::CONFIRM_AFTER;
use refused::Refused;

/// First repetition of an unanswered INIT (RFC 9002's initial PTO); doubles. Where the round trip to the peer is known
/// it is [`REPEAT_PTOS`] probe timeouts, if that is less.
pub const REPEAT_FIRST: Duration = Duration::from_secs(1);

/// Probe timeouts of a channel with the same peer after which an INIT is repeated first.
pub const REPEAT_PTOS: u32 = 2;

/// Shortest such time.
pub const REPEAT_MIN: Duration = Duration::from_millis(100);

/// Shortest time after which helpers are asked again to join a flow that goes on without them: half of a round trip, if
/// that is more.
pub const JOIN_REPEAT_MIN: Duration = Duration::from_millis(20);

/// Longest time between two INITs, well below the life of a cookie.
pub const REPEAT_MAX: Duration = Duration::from_secs(5);

/// Time between two INITs to a peer that a carrier is used to, to see whether UDP reaches it (again).
pub const SOUGHT_EVERY: Duration = Duration::from_secs(1);

/// How long one address has a head start over the next (RFC 8305 section 5).
const RACE_STEP: Duration = Duration::from_millis(250);

/// How long the right host has to answer after another host has proven its key at one of the addresses.
const WRONG_PEER_GRACE: Duration = Duration::from_secs(1);

/// Addresses raced at most.
pub const ADDRESSES_MAX: usize = 16;

#[derive(Debug)]
struct Attempt {
    remote: SocketAddr,
    next_at: Instant,
    interval: Duration,
    /// An INIT has gone there.
    asked: bool,
    /// What is said of it, if it does not arrive.
    refused: Option<Refused>,
}

impl Attempt {
    fn new(remote: SocketAddr, next_at: Instant, interval: Duration) -> Attempt {
        Attempt { remote, next_at, interval, asked: false, refused: None }
    }
}

/// Who dials: its identity, settings, the reset token of the dial's name, and whom it has called before.
pub(crate) type Caller<'a> = (&'a Identity, &'a HostConfig, [u8; 16], &'a mut Acquaintances<Eid>);

/// Longest time that helpers have to answer before the peer is asked directly.
pub const HELPED_PATIENCE: Duration = Duration::from_millis(2_500);

/// The way through helpers.
#[derive(Debug)]
pub(crate) struct Way {
    itinerary: Itinerary,
    /// Where the first helper is asked: by UDP, and by carriers.
    first: Vec<SocketAddr>,
    eids: Vec<Eid>,
    /// All helpers are.
    trusted: bool,
    until: Instant,
    /// If it leads nowhere, no other is asked for.
    only: bool,
}

impl Way {
    /// The way that `target` asks for, if any.
    ///
    /// # Errors
    /// If it cannot be.
    pub(crate) fn to(now: Instant, target: &Target) -> Result<Option<Way>, BadItinerary> {
        // Where a carrier leads means nothing to a helper.
        let responder = target.addresses.iter().find(|address| !is_carried(address.ip()));
        let (Some(responder), Some(via)) = (responder, target.via.first()) else { return Ok(None) };
        let stops = target.via.iter().map(|via| via.stop.clone()).collect();
        let itinerary = Itinerary::new(stops, *responder)?;
        let first = core::iter::once(via.stop.address).chain(via.carried.iter().copied()).collect();
        let eids = target.via.iter().map(|via| via.eid).collect();
        let trusted = target.via.iter().all(|via| via.trusted);
        Ok(Some(Way { itinerary, first, eids, trusted, until: now + HELPED_PATIENCE, only: false }))
    }

    /// This way or none, as long as the attempt lasts.
    pub(crate) fn only(self) -> Way {
        Way { only: true, until: Instant::FAR_FUTURE, ..self }
    }
}

/// A connection attempt.
#[derive(Debug)]
pub(crate) struct Dial {
    way: Option<Way>,
    target: Target,
    /// The address to send from, if the caller cares.
    local: Option<IpAddr>,
    /// The application has said where to ask this time; otherwise it is wherever the peer may be found.
    pinned: bool,
    local_id: ChannelId,
    /// First repetition of the INIT.
    repeat_first: Duration,
    /// When carriers are asked.
    carried: Carried,
    /// Only whether UDP reaches the peer is asked: not by a carrier, and evenly often.
    uncarried: bool,
    /// Absent until the INIT is first sent, so that it can carry what the application has written by then, under a key
    /// whose entropy did not wait for it.
    exchange: Option<Exchange>,
    attempts: Vec<Attempt>,
    deadline: Instant,
    wrong_peer: Option<(Eid, Instant)>,
    /// It lasts its time, whatever is said of the addresses.
    patient: bool,
    /// Versions that somebody at the address claims to speak; not signed, so only an explanation.
    versions: Option<Vec<u16>>,
}

#[derive(Debug)]
struct Exchange {
    /// Absent only while a REPLY is read.
    initiator: Option<Box<Initiator>>,
    /// Of the sections, if it goes by helpers.
    keys: Option<HopKeys>,
    sent_at: Instant,
    sends: u32,
    payload_sent: bool,
    /// The peer is busy, and was shown that this host receives.
    shown: bool,
    init_len: usize,
    /// What it carried, if somebody watches.
    frames: Vec<Value>,
}

/// A completed exchange.
#[derive(Debug)]
pub(crate) struct Dialed {
    pub established: Box<Established>,
    pub acceptance: Box<Acceptance>,
    pub init_sent_at: Instant,
    /// How often it was sent.
    pub sends: u32,
    /// Whether it carried data.
    pub payload_sent: bool,
    /// What it carried, if somebody watches.
    pub frames: Vec<Value>,
    /// The secret of the INIT's ephemeral key.
    pub ephemeral: Secret32,
    /// The section with the first helper, if there is one.
    pub helped: Option<Joining>,
    /// Of the sections by which the helpers are reached.
    pub helper_keys: Vec<HopKey>,
    /// The INIT's bytes.
    pub init_len: usize,
    /// The REPLY's bytes.
    pub reply_len: usize,
    /// Where the REPLY came from; proven if the INIT was sent there.
    pub path: Path,
}

/// A received IPv6 address may differ in what is no part of the address.
fn same_place(a: SocketAddr, b: SocketAddr) -> bool {
    (a.ip(), a.port()) == (b.ip(), b.port())
}

/// One attempt at each address, the first at once, and by carriers when they may be asked.
fn race(now: Instant, addresses: &[SocketAddr], interval: Duration, by_carriers: Carried) -> Vec<Attempt> {
    let (carried, mut plain): (Vec<SocketAddr>, Vec<SocketAddr>) =
        addresses.iter().take(ADDRESSES_MAX).partition(|address| is_carried(address.ip()));
    let later = match by_carriers {
        // Where there is no other way there is nothing to wait for.
        Carried::After(_) if plain.is_empty() => now,
        Carried::After(after) => now + after,
        Carried::Only => {
            plain.clear();
            now
        }
    };
    let attempts = |from: Instant, addresses: Vec<SocketAddr>| {
        addresses.into_iter().zip(0u32..).map(move |(remote, at)| {
            let next_at = from + RACE_STEP * at;
            Attempt::new(remote, next_at, interval)
        })
    };
    attempts(now, plain).chain(attempts(later, carried)).collect()
}

impl Dial {
    pub(crate) fn new(
        now: Instant,
        (target, local): (Target, Option<IpAddr>),
        local_id: ChannelId,
        config: &HostConfig,
        way: Option<Way>,
        repeat_first: Duration,
    ) -> Dial {
        let (deadline, carried) = (now + config.set_up_timeout, config.carried);
        let asked = way.as_ref().map_or(&target.addresses, |way| &way.first);
        let attempts = race(now, asked, repeat_first, carried);
        let (exchange, wrong_peer, versions) = (None, None, None);
        let (pinned, uncarried, patient) = (false, false, false);
        Dial {
            way,
            target,
            local,
            pinned,
            local_id,
            repeat_first,
            carried,
            uncarried,
            exchange,
            attempts,
            deadline,
            wrong_peer,
            patient,
            versions,
        }
    }

    /// The same, but that it asks by no carrier, and evenly often, until it is to ask [anywhere](Dial::ask_anywhere).
    pub(crate) fn uncarried(mut self) -> Dial {
        self.uncarried = true;
        self.attempts.retain(|attempt| !is_carried(attempt.remote.ip()));
        self.attempts.iter_mut().for_each(|attempt| attempt.interval = SOUGHT_EVERY);
        Dial { repeat_first: SOUGHT_EVERY, ..self }
    }

    /// One that asked whether UDP reaches the peer asks by carriers as well from now on: no other channel works.
    pub(crate) fn ask_anywhere(&mut self, now: Instant, addresses: &[SocketAddr]) {
        if !core::mem::take(&mut self.uncarried) {
            return;
        }
        match &self.way {
            Some(way) => self.attempts = race(now, &way.first, self.repeat_first, self.carried),
            None => self.look_at(now, addresses),
        }
    }

    /// The helpers do not help: the peer is asked directly, in another exchange. What the first was to carry is lost.
    fn go_direct(&mut self, now: Instant, key: ChannelKey, semantics: &mut Semantics) {
        self.way = None;
        self.attempts = race(now, &self.target.addresses, self.repeat_first, self.carried);
        if self.exchange.take().is_some_and(|exchange| exchange.payload_sent) {
            semantics.handle_fates(now, key, 0..1, Fate::Lost);
        }
    }

    /// Helpers that have not answered by now do not.
    pub(crate) fn lose_patience(&mut self, now: Instant, key: ChannelKey, semantics: &mut Semantics) {
        if self.way.as_ref().is_some_and(|way| way.until <= now && !way.only) {
            self.go_direct(now, key, semantics);
        }
    }

    /// From now on this is the id of the channel.
    pub(crate) fn rename(&mut self, id: ChannelId) {
        self.local_id = id;
    }

    /// A helper has declined, or a host after it. Answers who the helpers were, if they were asked.
    pub(crate) fn handle_declined(
        &mut self,
        now: Instant,
        origin: Origin,
        key: ChannelKey,
        semantics: &mut Semantics,
    ) -> Option<Vec<Eid>> {
        let way = self.way.as_ref().filter(|way| way.first.contains(&origin.remote) && now < way.until)?;
        let helpers = way.eids.clone();
        self.handle_no_help(now, key, semantics);
        Some(helpers)
    }

    /// Nothing comes of the way through helpers; the peer is asked directly.
    pub(crate) fn handle_no_help(&mut self, now: Instant, key: ChannelKey, semantics: &mut Semantics) {
        match &mut self.way {
            Some(way) if way.only => way.until = now,
            Some(_) => self.go_direct(now, key, semantics),
            None => {}
        }
    }

    /// The caller has another address.
    pub(crate) fn set_local(&mut self, local: Option<IpAddr>) {
        self.local = local;
    }

    /// Asks at these addresses alone, wherever else the peer may turn out to be.
    pub(crate) fn pinned(self) -> Dial {
        Dial { pinned: true, ..self }
    }

    /// The peer may be found at these addresses now: the same INIT goes there, and no longer to where it is not.
    pub(crate) fn look_at(&mut self, now: Instant, addresses: &[SocketAddr]) {
        let asked = |address: &SocketAddr| self.attempts.iter().any(|attempt| attempt.remote == *address);
        let wanted = |address: &&SocketAddr| !self.uncarried || !is_carried(address.ip());
        let addresses: Vec<SocketAddr> = addresses.iter().take(ADDRESSES_MAX).filter(wanted).copied().collect();
        if self.way.is_none() && !self.pinned && !addresses.iter().all(asked) {
            self.attempts = race(now, &addresses, self.repeat_first, self.carried);
        }
    }

    /// What goes there passes, or so it seems: the INIT does, at once.
    pub(crate) fn ask_at(&mut self, now: Instant, remote: SocketAddr) {
        let (interval, room) = (self.repeat_first, self.attempts.len() < ADDRESSES_MAX);
        if self.way.is_some() {
            return;
        }
        match self.attempts.iter_mut().find(|attempt| same_place(attempt.remote, remote)) {
            Some(attempt) => (attempt.next_at, attempt.interval, attempt.refused) = (now, interval, None),
            None if room => self.attempts.push(Attempt::new(remote, now, interval)),
            None => {}
        }
    }

    pub(crate) fn local_id(&self) -> ChannelId {
        self.local_id
    }

    /// Whether it is time to make the INIT.
    pub(crate) fn is_to_begin(&self, now: Instant) -> bool {
        self.exchange.is_none() && self.attempts.iter().any(|attempt| attempt.next_at <= now)
    }

    /// The INIT to send now, if one is due. `reset_token` is that of the dial's name.
    pub(crate) fn poll_transmit(&mut self, now: Instant, buf: &mut [u8], reset_token: [u8; 16]) -> Option<Transmit> {
        let at = self.attempts.iter().position(|attempt| attempt.next_at <= now)?;
        let exchange = self.exchange.as_mut()?;
        let initiator = exchange.initiator.as_ref()?;
        exchange.sends += 1;
        let attempt = &mut self.attempts[at];
        attempt.note_asked();
        attempt.next_at = now + attempt.interval;
        // Helpers that may be given up soon are asked again while there is time.
        if !self.uncarried && self.way.as_ref().is_none_or(|way| way.only) {
            attempt.interval = (attempt.interval * 2).min(REPEAT_MAX);
        }
        let joining = self.way.as_ref().zip(exchange.keys.as_ref()).map(|(way, keys)| {
            // What the end takes is no bound, what the sections carry is.
            let (id, payload_max) = (self.local_id, u16::MAX);
            let greeting = Greeting { id, reset_token, payload_max, repair_ms: 0 };
            tng_flow::join(keys.near(), &greeting, &way.itinerary.orders(keys, initiator.datagram()))
        });
        let datagram = joining.as_deref().unwrap_or(initiator.datagram());
        let len = datagram.len();
        buf[..len].copy_from_slice(datagram);
        let local = self.local.map(|local| SocketAddr::new(local, 0));
        Some(Transmit { remote: attempt.remote, local, ecn: Ecn::NotEct, len, segment_size: len })
    }

    /// Makes the INIT, with keys drawn from `rng`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(crate) fn begin(
        &mut self,
        now: Instant,
        (key, attach): (ChannelKey, Option<Attach>),
        semantics: &mut Semantics,
        (identity, config, reset_token, called): Caller<'_>,
        rng: &mut SecretRng,
    ) -> Result<(), ConnectError> {
        let peer = match called.get(self.target.eid) {
            Some(peer) => peer.clone(),
            None => {
                let peer = Acquaintance::new(identity, self.target.eid).map_err(|_| ConnectError::InvalidEid)?;
                called.insert(self.target.eid, peer.clone());
                peer
            }
        };
        let mut opening: Opening = terms::opening(identity.eid(), self.local_id, config, semantics, reset_token);
        opening.capability = self.target.capability.clone();
        let capability_len = opening.capability.as_ref().map_or(0, Vec::len);
        let mut init_len = INIT_LEN;
        let keys = self.way.as_ref().map(|way| way.itinerary.draw_keys(rng));
        if let (Some(way), Some(keys)) = (&self.way, &keys) {
            opening.path = way.eids.clone();
            opening.hop_key = Some((*keys.far().expose()).into());
            opening.limits.ack_delay_max_us = THIN_ACKS.max_delay.as_micros() as u64;
            init_len = INIT_LEN.saturating_sub(way.itinerary.overhead()).max(INIT_LEN_MIN);
        }
        if attach.is_some() {
            // What was granted to the session stays.
            (opening.attach, opening.set_up) = (attach, None);
        }
        let mut payload = vec![0; opening.payload_room(init_len)];
        let silent = attach.is_some_and(|attach| attach.purpose == Purpose::StandsBy);
        let filled = if silent { None } else { semantics.poll_packet(now, key, 0, &mut payload) };
        opening.payload = filled.map(|filled| {
            payload.truncate(filled.len);
            payload
        });
        let frames = if config.watch.notes {
            watch::frames(semantics.describe(), opening.payload.as_deref())
        } else {
            Vec::new()
        };
        let begun = Initiator::with(Family::Channel, identity, &peer, (opening, init_len), rng);
        let payload_sent = filled.is_some();
        let initiator = match begun {
            Ok(initiator) => Some(Box::new(initiator)),
            Err(InitiateError::BadPeer) => return Err(ConnectError::InvalidEid),
            // A capability has so many bytes at most, or is too long for any INIT.
            Err(InitiateError::TooLong) if capability_len > CAPABILITY_LEN_MAX => {
                return Err(ConnectError::CapabilityTooLong);
            }
            // What helpers are told leaves less room than there is without them.
            Err(InitiateError::TooLong) if self.way.as_ref().is_some_and(|way| !way.only) => {
                if payload_sent {
                    semantics.handle_fates(now, key, 0..1, Fate::Lost);
                }
                self.go_direct(now, key, semantics);
                return self.begin(now, (key, attach), semantics, (identity, config, reset_token, called), rng);
            }
            Err(InitiateError::TooLong) => return Err(ConnectError::OpeningTooLong),
        };
        self.exchange =
            Some(Exchange { initiator, keys, sent_at: now, sends: 0, payload_sent, shown: false, init_len, frames });
        Ok(())
    }

    /// Bytes of what is sent to each address, or to the first helper: of the INIT, which is all but the whole of it.
    fn datagram_len(&self, exchange: &Exchange) -> usize {
        exchange.init_len.max(tng_endpoint::BASE_PAYLOAD)
    }

    fn initiator(&mut self) -> Option<&mut Initiator> {
        self.exchange.as_mut()?.initiator.as_deref_mut()
    }

    /// A COOKIE arrived from an address that was asked: the peer is under load and wants our address proven.
    pub(crate) fn handle_cookie(&mut self, now: Instant, remote: SocketAddr, message: &[u8]) {
        if self.initiator().is_some_and(|initiator| initiator.handle_cookie(message))
            && let Some(attempt) = self.attempts.iter_mut().find(|attempt| same_place(attempt.remote, remote))
        {
            attempt.next_at = now;
            // Somebody is there: no reason to wait any longer than at first.
            attempt.interval = REPEAT_FIRST;
            if let Some(exchange) = &mut self.exchange {
                exchange.shown = true;
            }
            self.note_answered(remote);
        }
    }

    /// What it waits for. When helpers are given up the wait for them is over, and that for the peer begins.
    pub(crate) fn wait(&self) -> (Wait, Mark) {
        let mark = if self.way.is_some() { Mark::HelpedSetUp } else { Mark::SetUp };
        let wait = match &self.exchange {
            None => Wait::Entropy,
            Some(_) if self.way.is_some() => Wait::Helpers,
            Some(exchange) if exchange.shown => Wait::Exchange { sends: exchange.sends },
            Some(exchange) => Wait::Answer { sends: exchange.sends },
        };
        (wait, mark)
    }

    /// Another host has proven its key at one of the addresses. Not the end yet: another address may be right.
    pub(crate) fn handle_wrong_key(&mut self, now: Instant, message: &[u8]) {
        if let Some(seen) = self.initiator().and_then(|initiator| initiator.handle_wrong_key(message)) {
            self.wrong_peer.get_or_insert((seen, now + WRONG_PEER_GRACE));
        }
    }

    /// Somebody claims that the peer speaks other versions.
    pub(crate) fn handle_version(&mut self, message: &[u8]) {
        if let Some(versions) = self.initiator().and_then(|initiator| initiator.handle_version(message)) {
            self.versions = Some(versions);
        }
    }

    /// A JOINED arrived: the first helper's word for the section, and a REPLY in it.
    pub(crate) fn handle_joined(&mut self, origin: Origin, message: &[u8]) -> Option<Result<Dialed, ConnectError>> {
        let way = self.way.as_ref()?;
        let message = Joined::parse(&mut Reader::new(message)).ok()?;
        let keys = self.exchange.as_ref()?.keys.as_ref()?;
        let key = keys.near().clone();
        let greeting = tng_flow::open_joined(&key, &message).ok()?;
        let helper_keys = keys.of_helpers().cloned().collect();
        // One that this host does not know, or that cannot govern a section, no helper offers.
        let wished = way.itinerary.wishes().controller.as_ref().and_then(|name| name.parse().ok());
        let helped = Some(Joining { key, greeting, helpers: way.eids.clone(), trusted: way.trusted, wished });
        let outcome = self.handle_reply(origin, message.reply)?;
        Some(outcome.map(|dialed| Dialed { helped, helper_keys, ..dialed }))
    }

    /// Whether this asks through helpers.
    pub(crate) fn is_helped(&self) -> bool {
        self.way.is_some()
    }

    /// The helpers that this asks through, in order.
    pub(crate) fn helpers(&self) -> &[Eid] {
        self.way.as_ref().map_or(&[], |way| &way.eids)
    }

    /// A REPLY arrived. One that is not from the peer changes nothing.
    pub(crate) fn handle_reply(&mut self, origin: Origin, message: &[u8]) -> Option<Result<Dialed, ConnectError>> {
        let path = self.path_of(origin, message.len());
        let exchange = self.exchange.as_mut()?;
        let initiator = exchange.initiator.take()?;
        let ephemeral = initiator.ephemeral().duplicate();
        match initiator.handle_reply(message) {
            Replied::Established(established, acceptance) => Some(Ok(Dialed {
                ephemeral,
                established,
                acceptance,
                init_sent_at: exchange.sent_at,
                sends: exchange.sends,
                payload_sent: exchange.payload_sent,
                frames: core::mem::take(&mut exchange.frames),
                helped: None,
                helper_keys: Vec::new(),
                init_len: exchange.init_len,
                reply_len: message.len(),
                path,
            })),
            Replied::Refused(refusal) => {
                Some(Err(ConnectError::Refused { code: refusal.code.code(), reason: refusal.reason }))
            }
            Replied::Broken(Broken::Malformed | Broken::NotOffered) => Some(Err(ConnectError::Broken)),
            Replied::Ignored(initiator) => {
                exchange.initiator = Some(initiator);
                None
            }
        }
    }

    /// Whether the INIT goes to this address.
    pub(crate) fn asks(&self, remote: SocketAddr) -> bool {
        self.attempts.iter().any(|attempt| same_place(attempt.remote, remote))
    }

    /// The path that a REPLY of `len` bytes came by. Only the peer can have written it, but somebody else may have
    /// passed it on from where nobody asked for it.
    fn path_of(&self, origin: Origin, len: usize) -> Path {
        if self.asks(origin.remote) {
            return Path::proven(origin.remote, origin.local);
        }
        let mut path = Path::unproven(origin.remote, origin.local);
        path.handle_received(len);
        path
    }

    /// Why the attempt has failed by now, if it has.
    pub(crate) fn handle_timeout(&self, now: Instant) -> Option<ConnectError> {
        if self.way.as_ref().is_some_and(|way| way.only && way.until <= now) {
            return Some(ConnectError::NotHelped);
        }
        match self.wrong_peer {
            Some((seen, at)) if at <= now => Some(ConnectError::WrongPeer { expected: self.target.eid, seen }),
            Some((seen, _)) if self.deadline <= now => {
                Some(ConnectError::WrongPeer { expected: self.target.eid, seen })
            }
            _ if self.deadline <= now && self.exchange.is_none() => Some(ConnectError::NoEntropy),
            _ if self.deadline <= now => Some(match &self.versions {
                Some(theirs) => ConnectError::Version { theirs: theirs.clone() },
                None => self.said().unwrap_or(ConnectError::TimedOut),
            }),
            _ => self.refusal(),
        }
    }

    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        // Without entropy there is nothing to repeat; when it comes the host polls.
        let begun = self.attempts.iter().filter(|_| self.exchange.is_some());
        let repeat = begun.map(|attempt| attempt.next_at).min();
        let grace = self.wrong_peer.map(|(_, at)| at);
        let direct = self.way.as_ref().map(|way| way.until.min(self.deadline));
        // All that is left is to say so.
        let refused = self.refusal().and(Some(Instant::ZERO));
        [repeat, grace, direct, refused, Some(self.deadline)].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use tng_endpoint::carried_address;

    use super::*;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    #[test]
    fn carriers_are_asked_when_udp_has_had_its_time_and_at_once_where_there_is_nothing_else() {
        let udp = |last| SocketAddr::from(([192, 0, 2, last], 4860));
        let carried = [carried_address(udp(1), 1), carried_address(udp(2), 2)];
        let race = |addresses: &[SocketAddr], by_carriers| {
            let attempts = race(at(0), addresses, REPEAT_FIRST, by_carriers).into_iter();
            attempts.map(|attempt| (attempt.remote, attempt.next_at)).collect::<Vec<_>>()
        };
        let both = [carried[0], udp(1), carried[1], udp(2)];
        let asked = [(udp(1), at(0)), (udp(2), at(250)), (carried[0], at(1_000)), (carried[1], at(1_250))];
        let after = Carried::After(Duration::from_secs(1));
        assert_eq!(race(&both, after), asked);
        let alone = [(carried[0], at(0)), (carried[1], at(250))];
        assert_eq!(race(&carried, after), alone);
        assert_eq!(race(&both, Carried::Only), alone);
        assert_eq!(race(&[udp(1)], Carried::Only), []);
    }
}
