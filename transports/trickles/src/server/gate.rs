//! What stands between a request and an application: everything that a server checks, in its order.

use core::net::SocketAddr;
use core::time::Duration;

use tng_base::Instant;
use tng_crypto::{BLAKE3_TAG_LEN, DatagramKey, TAG_LEN};
use tng_wire::{Reader, Repr};

use super::Refused;
use super::caches::{Outputs, SocketKeys, Sockets};
use crate::foresee::window_after_timeout;
use crate::replay::{Issuer, Objects, Replay, Stories, Timeouts};
use crate::wire::{Armor, Demand, Denial, Given, Kind, RequestHeader, ResponseHeader};
use crate::{
    Age, ClientNetwork, ConnectionId, ConnectionSecret, Continuation, EPOCH, Horizon, Instance, InstanceName, Keying,
    Keys, KeysError, NUMBER_LIMIT, Nonces, Proof, Release, Renewal, Rtt, Site, Stamp, Throttle, Turn, Wall, WallClock,
    plan,
};

/// All that a server has, but for its application and what is under way. Of a client it has bits in filters.
pub(super) struct Gate {
    pub(super) keys: Keys,
    pub(super) clock: WallClock,
    /// When it started, by the driver's time.
    pub(super) begun: Instant,
    /// For how long before that it knows what is spent: what an earlier server has handed over.
    pub(super) known_before: Duration,
    pub(super) site: Site,
    /// Whether it seals anything.
    pub(super) armor: Armor,
    pub(super) horizon: Horizon,
    pub(super) replay: Replay,
    pub(super) timeouts: Timeouts,
    /// Whether what clients foresee is left out of continuations.
    pub(super) delta_encoding: bool,
    /// Whether connections outlive the keys that they began with.
    pub(super) renews: bool,
    pub(super) stories: Stories,
    pub(super) objects: Objects,
    pub(super) throttle: Throttle,
    /// Kept for its memory.
    pub(super) proof: Proof,
    pub(super) sockets: Sockets,
    pub(super) outputs: Outputs,
}

/// What is released.
#[derive(Clone, Debug)]
pub(super) struct Granted {
    /// What the plan releases.
    pub(super) release: Release,
    /// Where the numbers end that are sent.
    pub(super) end: u64,
    /// Whether the client foresees the plan.
    pub(super) is_foreseen: bool,
    /// Where this server sees the client, if it has named another place.
    pub(super) place_told: Option<ClientNetwork>,
}

impl Granted {
    /// How many packets are sent.
    pub(super) fn count(&self) -> u64 {
        self.end - self.release.numbers.start
    }
}

/// Why a request is granted nothing, and what its client is told of that.
pub(super) struct Denied {
    pub(super) refused: Refused,
    pub(super) told: Option<(Denial, ResponseHeader, Option<DatagramKey>)>,
}

impl<E: Into<Refused>> From<E> for Denied {
    fn from(error: E) -> Denied {
        Denied { refused: error.into(), told: None }
    }
}

/// A request that was opened.
struct Opened<'a> {
    text: &'a [u8],
    seal: [u8; TAG_LEN],
    /// The keys of its connection; none if it is not sealed.
    socket: Option<SocketKeys>,
}

/// What a request is granted.
pub(super) struct Grant {
    pub(super) id: ConnectionId,
    pub(super) header: ResponseHeader,
    /// What its answer is sealed with, if it is.
    pub(super) key: Option<DatagramKey>,
    /// The epoch of the secret that the request is sealed with, and the seal.
    pub(super) epoch: u8,
    pub(super) request: [u8; TAG_LEN],
    /// The continuation that was spent, as a client foresees others by it.
    pub(super) spent: Continuation,
    pub(super) seal: [u8; BLAKE3_TAG_LEN],
    pub(super) keying: Keying,
    pub(super) release: Granted,
    pub(super) rtt: Rtt,
    pub(super) datagram_len: usize,
    pub(super) wants_secret: bool,
    /// Where the asks begin in the opened request, which begins behind its header.
    pub(super) asks_from: usize,
    pub(super) asks_len: usize,
}

impl Gate {
    pub(super) fn wall(&self, now: Instant) -> Wall {
        self.clock.at(now)
    }

    /// Its clock was set. It started when the clock that is right now would have said so: what was before that may have
    /// been spent, and a clock that was behind at the start would not know.
    pub(super) fn set_clock(&mut self, clock: WallClock) {
        self.clock = clock;
        self.horizon.started = clock.at(self.begun).before(self.known_before);
    }

    /// When the present epoch ends, by this server's clock.
    pub(super) fn epoch_ends(&self, now: Instant) -> Instant {
        let (epoch_ms, wall_ms) = (EPOCH.as_millis() as u64, self.wall(now).as_millis());
        now + Duration::from_millis(epoch_ms - wall_ms % epoch_ms)
    }

    /// When there is something to do though nobody asks for anything.
    pub(super) fn deadline(&self, now: Instant) -> Instant {
        let epoch_ends = self.epoch_ends(now);
        self.outputs.parses.expires_at().map_or(epoch_ends, |expires| epoch_ends.min(expires))
    }

    /// Takes the steps that are due for the keys.
    pub(super) fn advance(&mut self, now: Instant) -> Result<(), KeysError> {
        let (wall, present) = (self.wall(now), self.keys.present().number());
        let advanced = self.keys.advance(wall);
        if self.keys.present().number() != present {
            self.sockets.keep_to(&self.keys);
        }
        advanced
    }

    /// Judges a request, in place. The order is that of docs/trickles.md: what costs a stranger nothing to make is
    /// refused before anything is written down, and what is spent is spent before it is looked at what it is good for.
    pub(super) fn judge(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        instance: &mut Instance,
        datagram: &mut [u8],
    ) -> Result<Grant, Denied> {
        let (wall, received, armor) = (self.wall(now), datagram.len(), self.armor);
        let header = RequestHeader::parse(&mut Reader::new(datagram)).map_err(|_| Refused::Malformed)?;
        if header.armor != armor {
            return Err(Refused::Armor.into());
        }
        let RequestHeader { epoch, id, count, .. } = header;
        let Opened { text, seal: request_seal, socket } = self.open(&header, datagram)?;
        let mut reader = Reader::new(text);
        let mut proof = core::mem::take(&mut self.proof);
        let answer = Demand::parse(armor, &mut reader, &mut proof).map_err(|_| Refused::Malformed).and_then(|demand| {
            let granted = self.grant(now, (id, remote, received), &demand, &proof)?;
            Ok((demand, granted))
        });
        self.proof = proof;
        let granted = match answer {
            Ok(granted) => Ok(granted),
            Err(refused) => Err((refused, refused.denial().ok_or(refused)?)),
        };
        let name = match armor {
            Armor::Sealed => instance.name(now, &request_seal).ok_or(Refused::Overloaded)?,
            // No key comes of it: it tells servers apart.
            Armor::Plain => InstanceName::plain(self.horizon.own),
        };
        let handle = *id.0.first_chunk().expect("an id is longer than a handle");
        let header = ResponseHeader { armor, handle, instance: name, count, index: 0 };
        let key = socket.map(|socket| socket.secret.responses(name, &request_seal));
        let (demand, (release, keying)) = match granted {
            Ok(granted) => granted,
            Err((refused, denial)) => return Err(Denied { refused, told: Some((denial, header, key)) }),
        };
        Ok(Grant {
            id,
            header,
            key,
            epoch,
            request: request_seal,
            spent: demand.continuation,
            seal: demand.seal,
            keying,
            rtt: self.rtt(wall, &demand),
            release,
            datagram_len: demand.datagram_len,
            wants_secret: demand.wants_secret,
            asks_from: RequestHeader::LEN + reader.position(),
            asks_len: text.len() - reader.position(),
        })
    }

    /// Opens a request, if it is sealed.
    fn open<'a>(&mut self, header: &RequestHeader, datagram: &'a mut [u8]) -> Result<Opened<'a>, Refused> {
        let RequestHeader { epoch, id, .. } = *header;
        if self.armor.is_plain() {
            let text = &datagram[RequestHeader::LEN..];
            return Ok(Opened { text, seal: [0; TAG_LEN], socket: None });
        }
        let keys = self.keys.by_last_byte(epoch).ok_or(Refused::Epoch)?;
        let known = self.sockets.get(&id, epoch);
        let is_known = known.is_some();
        let socket = known.unwrap_or_else(|| SocketKeys::new(ConnectionSecret::new(keys.connection_secret(&id))));
        let (text, seal) = header.open(&socket.requests, datagram).map_err(|_| Refused::Forged)?;
        if !is_known {
            self.sockets.insert(id, epoch, &socket);
        }
        Ok(Opened { text, seal, socket: Some(socket) })
    }

    fn grant(
        &mut self,
        now: Instant,
        (id, remote, received): (ConnectionId, SocketAddr, usize),
        demand: &Demand,
        proof: &Proof,
    ) -> Result<(Granted, Keying), Refused> {
        let (continuation, here) = (&demand.continuation, ClientNetwork::of(remote.ip()));
        let from = match demand.kind {
            Kind::Timeout { moved_from: Some(from), .. } => from,
            _ => here,
        };
        let sealed_by = self.keys.by_last_byte(continuation.keying.epoch).ok_or(Refused::Epoch)?;
        if !self.armor.is_plain() && !continuation.verify(sealed_by, &id, &from, &demand.seal) {
            return Err(Refused::Unsealed);
        }
        let wall = self.wall(now);
        let age = self.horizon.judge(wall, continuation.issuer, continuation.issued);
        match (age, demand.kind) {
            (Age::Future, _) => return Err(Refused::Future),
            (Age::Old, Kind::Spend) => return Err(Refused::Old),
            (Age::BeforeStart, Kind::Spend) => return Err(Refused::BeforeStart),
            _ => {}
        }
        // Burnt before it is looked at what it is good for: who guesses nonces spends a continuation for each guess.
        let timeout = match demand.kind {
            Kind::Spend => {
                self.replay.burn(now, &id, continuation)?;
                // Another site says nothing of the path to this one: the window begins anew there.
                let is_other = continuation.site != self.site;
                if is_other {
                    self.timeouts.grant(now, &id, 0)?;
                }
                is_other.then_some(0)
            }
            Kind::Timeout { asked, .. } if !self.horizon.is_timely(wall, asked) => return Err(Refused::Untimely),
            Kind::Timeout { count, asked, .. } => {
                self.timeouts.grant_once(now, &id, asked, count)?;
                Some(count)
            }
        };
        let high = *continuation.numbers().end();
        let is_good = |renewal: &Renewal| self.renews && renewal.from > high && self.is_to_come(renewal.epoch);
        let renewal = demand.renewal.filter(is_good);
        // Who names one that is not taken foresees another keying.
        let is_foreseen = renewal == demand.renewal;
        let keying = continuation.keying.renewed(renewal);
        let nonces = Nonces::new(&self.keys, id, &keying).ok_or(Refused::Epoch)?;
        match self.armor {
            Armor::Sealed => proof.verify(continuation, &nonces)?,
            Armor::Plain => proof.check(continuation, &nonces)?,
        }
        let after = |tag, turn| nonces.after(tag, turn);
        let Some(count) = timeout else {
            let told = &mut self.stories;
            plan::told(continuation.root, proof.story(), high, after, |what| told.agree(now, &id, what))?;
            let release = plan::release(&continuation.spent(), proof.story(), after)?;
            let covered = 1 + u64::from(continuation.is_pair);
            let window = release.root.growth.window(high);
            let end = self.throttle.allow(now, &here, window, covered, release.numbers.clone()).end;
            return Ok((Granted { release, end, is_foreseen, place_told: None }, keying));
        };
        let foreseen = window_after_timeout(count);
        let mut initial = self.throttle.initial_window(foreseen);
        if from != here {
            // The new address may be somebody else's: three bytes for each that came, until something is spent there.
            initial = initial.min((3 * received / demand.datagram_len) as u64);
        }
        if initial == 0 {
            return Err(Refused::Overloaded);
        }
        let tag =
            nonces.after(continuation.tag, Turn::Timeout(high, self.clock.at(now).as_millis() << 3 | u64::from(count)));
        // What this server refuses since it was started lately says nothing of the path; a loss does.
        let is_same_path = continuation.site == self.site && from == here;
        let is_path_known = is_same_path && age == Age::BeforeStart && proof.story().lost.is_empty();
        let anew = if is_path_known { plan::line_after_restart } else { plan::line_after_timeout };
        let release = Release::of_line(anew(&continuation.spent(), initial, tag));
        if release.numbers.end >= NUMBER_LIMIT {
            return Err(Refused::Terminated);
        }
        let end = self.throttle.allow(now, &here, initial, initial, release.numbers.clone()).end;
        let is_foreseen = is_foreseen && initial == foreseen && demand.kind != Kind::Spend && !is_path_known;
        Ok((Granted { release, end, is_foreseen, place_told: (from != here).then_some(here) }, keying))
    }

    /// Whether that is the present epoch or the next.
    fn is_to_come(&self, epoch: u8) -> bool {
        let present = self.keys.present().number();
        self.keys.by_last_byte(epoch).is_some_and(|keys| keys.number() >= present)
    }

    /// The round-trip time with what this request says of it: the time since its continuation was given out, but for
    /// what the client has kept it. Of what another server gave out nothing is measured: clocks differ by more than
    /// round trips take.
    fn rtt(&self, wall: Wall, demand: &Demand) -> Rtt {
        let continuation = &demand.continuation;
        let age = wall.since(continuation.issued.near(wall));
        match demand.kind {
            Kind::Spend if continuation.issuer == self.horizon.own => {
                continuation.rtt.with(age.saturating_sub(demand.held.time()))
            }
            Kind::Spend | Kind::Timeout { .. } => continuation.rtt,
        }
    }
}

/// What the packets of a grant give: nonces and continuations, sealed. Packets of a pair bear the same one.
pub(super) struct Giver<'a> {
    pub(super) nonces: Nonces<'a>,
    pub(super) id: ConnectionId,
    pub(super) place: ClientNetwork,
    pub(super) spent: Continuation,
    pub(super) keying: Keying,
    pub(super) granted: &'a Granted,
    pub(super) rtt: Rtt,
    armor: Armor,
    last: Option<(Continuation, [u8; BLAKE3_TAG_LEN])>,
}

impl<'a> Giver<'a> {
    pub(super) fn new(
        keys: &'a Keys,
        (id, place): (ConnectionId, ClientNetwork),
        (spent, keying, rtt): (Continuation, Keying, Rtt),
        (granted, armor): (&'a Granted, Armor),
    ) -> Option<Giver<'a>> {
        let nonces = Nonces::new(keys, id, &keying)?;
        Some(Giver { nonces, id, place, spent, keying, granted, rtt, armor, last: None })
    }

    /// What packet `index` gives, and what its client foresees of that, if it does. `issue` gives a name and a serial
    /// for each continuation.
    pub(super) fn give(
        &mut self,
        index: u8,
        (site, issued): (Site, Stamp),
        keys: &Keys,
        mut issue: impl FnMut() -> (Issuer, u64),
    ) -> Option<(Given, Option<Continuation>)> {
        let Granted { release, end, is_foreseen, .. } = self.granted;
        let foreseen = release.foresee(&self.spent, self.keying, index);
        let is_second = !index.is_multiple_of(2);
        if !is_second {
            let ((issuer, serial), rtt) = (issue(), self.rtt);
            let is_pair = foreseen.first + 1 < *end;
            let tagged = release.tagged(&foreseen);
            let continuation = Continuation { site, issuer, serial, issued, rtt, is_pair, ..tagged };
            let sealed_by = keys.by_last_byte(continuation.keying.epoch)?;
            let seal = match self.armor {
                Armor::Sealed => continuation.seal(sealed_by, &self.id, &self.place),
                Armor::Plain => [0; BLAKE3_TAG_LEN],
            };
            self.last = Some((continuation, seal));
        }
        let (continuation, seal) = self.last?;
        let nonce = match self.armor {
            Armor::Sealed => self.nonces.nonce(release.tag, continuation.first + u64::from(is_second)),
            Armor::Plain => 0,
        };
        Some((Given { nonce, continuation, seal }, is_foreseen.then_some(foreseen)))
    }
}

/// The continuation of a REPLY: it stands before the first line of a connection.
pub(super) fn seed(epoch: u8, initial: u64) -> Continuation {
    let growth = crate::Growth::new(0, initial, crate::WINDOW_MAX);
    Continuation {
        site: Site::default(),
        issuer: Issuer(0),
        serial: 0,
        first: 0,
        is_pair: false,
        root: crate::Line { growth, tag: crate::Tag(0) },
        tag: crate::Tag(0),
        keying: Keying::of(epoch),
        issued: Stamp::of(Wall::default()),
        rtt: Rtt::default(),
        shown_from: 0,
    }
}
