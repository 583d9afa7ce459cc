//! The end that begins.

use core::fmt;

use tng_base::{ChannelId, Eid};
use tng_crypto::{HmacKey, Secret32, SecretRng, Zeroizing, noise, verify};
use tng_wire::{Malformed, Reader, Repr, Writer};

use super::answers::{is_answer_to, wrong_key_message};
use super::{Established, Fingerprint, VERSION, answer_key, mac1_key, prologue, write_mac1};
use crate::armor::Role;
use crate::wire::{
    ANSWER_LEN_MAX, ANSWER_MAC_LEN, Acceptance, Answer, CookieAnswer, Family, Hello, INIT_LEN, INIT_LEN_MIN, MAC1_LEN,
    NOISE_AT, OPENING_LEN, Opening, Refusal, Reply, VersionAnswer, WrongKey, opening_len, write_cookie, write_grease,
    write_init_header,
};
use crate::{Acquaintance, Identity};

/// Most cookies that one INIT is sent again for: nobody makes an initiator send without end.
pub const COOKIES_MAX: u8 = 8;

/// An INIT was made and waits for its REPLY.
pub struct Initiator {
    noise: noise::Initiator,
    family: Family,
    mac1: HmacKey,
    /// Helpers in the path seal for the holder of the ephemeral key.
    ephemeral: Secret32,
    datagram: Vec<u8>,
    peer: Eid,
    opening: Opening,
    cookies: u8,
}

/// Why no INIT can be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitiateError {
    /// The peer's EID is no usable key.
    BadPeer,
    /// A part of the opening exceeds its bound, or all of it together what an INIT holds.
    TooLong,
}

/// How an authentic REPLY broke the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    /// Its items cannot be read.
    Malformed,
    /// It chose what was not offered: a version, a cipher, an extension, a protocol or a path.
    NotOffered,
}

/// What a REPLY came to.
#[derive(Debug)]
pub enum Replied {
    /// The channel exists.
    Established(Box<Established>, Box<Acceptance>),
    /// The responder refuses.
    Refused(Refusal),
    /// The responder does not keep to the protocol.
    Broken(Broken),
    /// It was not the responder's answer to this INIT; the true one may still come.
    Ignored(Box<Initiator>),
}

impl Initiator {
    /// An exchange of `identity` with `peer` for what `family` sets up, opened by `opening`, with an ephemeral key
    /// drawn from `rng`.
    ///
    /// # Errors
    /// If `peer` is no key, or the opening does not fit.
    ///
    /// # Panics
    /// If the opening is not of `identity`.
    pub fn new(
        family: Family,
        identity: &Identity,
        peer: Eid,
        opening: Opening,
        rng: &mut SecretRng,
    ) -> Result<Initiator, InitiateError> {
        let peer = Acquaintance::new(identity, peer).map_err(|_| InitiateError::BadPeer)?;
        Initiator::with(family, identity, &peer, (opening, INIT_LEN), rng)
    }

    /// As [`new`](Initiator::new), with what `identity` has worked out about the peer before, and an INIT of `len`
    /// bytes: fewer than [`INIT_LEN`] if helpers on the way need the rest.
    ///
    /// # Errors
    /// If the opening does not fit.
    ///
    /// # Panics
    /// If the opening is not of `identity`, or `len` is not between [`INIT_LEN_MIN`] and [`INIT_LEN`].
    pub fn with(
        family: Family,
        identity: &Identity,
        acquaintance: &Acquaintance,
        (opening, len): (Opening, usize),
        rng: &mut SecretRng,
    ) -> Result<Initiator, InitiateError> {
        assert!((INIT_LEN_MIN..=INIT_LEN).contains(&len), "an INIT of {len} bytes");
        assert_eq!(opening.eid, identity.eid(), "an opening of another identity");
        let peer = acquaintance.eid();

        opening.check().map_err(|_| InitiateError::TooLong)?;
        // There may be a hop key in it, and a capability.
        let mut payload = Zeroizing::new([0; OPENING_LEN]);
        let payload = &mut payload[..opening_len(len)];
        let mut writer = Writer::new(payload);
        write_grease(&mut writer, &mut rng.visible())
            .and_then(|()| opening.emit(&mut writer))
            .map_err(|_| InitiateError::TooLong)?;

        let (key, prologue) = (identity.agreement(), prologue(family, VERSION, &peer));
        let known = Some(acquaintance.shared());
        let ephemeral = rng.secret();
        let mut noise = noise::Initiator::new(key, acquaintance.key(), known, &prologue, ephemeral.duplicate());
        let mut datagram = vec![0; len];
        write_init_header(&mut datagram, family, VERSION, opening.channel);
        noise.write(payload, &mut datagram[NOISE_AT..len - MAC1_LEN]).map_err(|_| InitiateError::BadPeer)?;
        let mac1 = mac1_key(&peer);
        write_mac1(&mac1, &mut datagram);
        Ok(Initiator { noise, family, mac1, ephemeral, datagram, peer, opening, cookies: 0 })
    }

    /// The INIT: send it, and the same again until there is an answer.
    pub fn datagram(&self) -> &[u8] {
        &self.datagram
    }

    /// The secret of the INIT's ephemeral key, which opens what helpers in the path have sealed for its sender.
    pub const fn ephemeral(&self) -> &Secret32 {
        &self.ephemeral
    }

    /// Whom it is for.
    pub const fn peer(&self) -> Eid {
        self.peer
    }

    /// This host's name for the channel.
    pub const fn local_id(&self) -> ChannelId {
        self.opening.channel
    }

    /// What was offered.
    pub const fn opening(&self) -> &Opening {
        &self.opening
    }

    /// Whom answers to it name.
    const fn name(&self) -> (Family, ChannelId) {
        (self.family, self.opening.channel)
    }

    fn hello(&self) -> Hello<'_> {
        Hello::parse(self.family, &self.datagram).expect("it was written as an INIT")
    }

    /// Whether a small answer is one to this INIT, by somebody who has seen it and knows whom it calls.
    fn is_answered_by<'a>(
        &self,
        answer: &impl Repr<'a>,
        addressee: (Family, ChannelId),
        mac: &[u8; ANSWER_MAC_LEN],
    ) -> bool {
        let init: Fingerprint = self.hello().fingerprint();
        addressee == self.name() && is_answer_to(&init, &answer_key(&self.peer), answer, mac)
    }

    /// Takes a COOKIE; if it answers `true`, [`datagram`](Initiator::datagram) has it, and the caller sends that at
    /// once. A COOKIE that is not for this INIT does not count, nor does a copy.
    pub fn handle_cookie(&mut self, datagram: &[u8]) -> bool {
        let Some(answer): Option<CookieAnswer> = whole(datagram) else { return false };
        if !self.takes_cookies()
            || self.hello().cookie() == Some(answer.cookie)
            || !self.is_answered_by(&answer, (answer.family, answer.initiator_id), &answer.mac)
        {
            return false;
        }
        self.cookies += 1;
        write_cookie(&mut self.datagram, answer.cookie);
        write_mac1(&self.mac1, &mut self.datagram);
        true
    }

    /// Whether it takes a further COOKIE. An INIT that does not is good for nothing where a cookie is asked for, once
    /// the last has expired.
    pub const fn takes_cookies(&self) -> bool {
        self.cookies < COOKIES_MAX
    }

    /// The versions that a VERSION answer names, if it is an answer to this INIT. Nobody signs it: any host that saw
    /// the INIT and knows whom it calls can have sent it, so it explains a failure but is no reason to stop waiting. A
    /// list with our version in it is a lie.
    pub fn handle_version(&self, datagram: &[u8]) -> Option<Vec<u16>> {
        let answer: VersionAnswer = whole(datagram)?;
        let plausible = !answer.versions.contains(&VERSION);
        (plausible && self.is_answered_by(&answer, (answer.family, answer.initiator_id), &answer.mac))
            .then_some(answer.versions)
    }

    /// Who, by a WRONG_KEY answer, lives at the address instead; `None` unless that host signed this very INIT. It
    /// shows that the holder of that key saw the INIT, not that nobody else lives there.
    pub fn handle_wrong_key(&self, datagram: &[u8]) -> Option<Eid> {
        let answer: WrongKey = whole(datagram)?;
        let ours = (answer.family, answer.initiator_id) == self.name() && answer.eid != self.peer;
        (ours && verify(answer.eid.as_bytes(), &wrong_key_message(&self.datagram), &answer.signature))
            .then_some(answer.eid)
    }

    /// Takes a REPLY. Whatever does not come from the peer in answer to this INIT leaves the exchange as it was. The
    /// name that counts for the channel is the one under the seal, not the one in clear.
    pub fn handle_reply(mut self, datagram: &[u8]) -> Replied {
        let reply = whole(datagram).filter(|reply: &Reply<'_>| (reply.family, reply.initiator_id) == self.name());
        let mut payload = Zeroizing::new([0; ANSWER_LEN_MAX]);
        let Some(len) = reply.and_then(|reply| self.noise.read(reply.noise, &mut payload[..]).ok()) else {
            return Replied::Ignored(Box::new(self));
        };
        let acceptance = match Answer::parse(&mut Reader::new(&payload[..len])) {
            Ok(Answer::Accepted(acceptance)) => acceptance,
            Ok(Answer::Refused(refusal)) => return Replied::Refused(refusal),
            Err(Malformed) => return Replied::Broken(Broken::Malformed),
        };
        if !offered(&self.opening, &acceptance) {
            return Replied::Broken(Broken::NotOffered);
        }
        let established = Established::new(
            Role::Initiator,
            self.peer,
            self.opening.channel,
            acceptance.channel,
            acceptance.cipher,
            self.noise.split(),
        );
        Replied::Established(Box::new(established), Box::new(acceptance))
    }
}

/// A message that fills its datagram.
fn whole<'a, T: Repr<'a>>(datagram: &'a [u8]) -> Option<T> {
    let mut reader = Reader::new(datagram);
    let message = T::parse(&mut reader).ok()?;
    reader.is_empty().then_some(message)
}

/// Whether everything that was chosen was there to choose.
fn offered(opening: &Opening, chosen: &Acceptance) -> bool {
    opening.versions.contains(&chosen.version)
        && opening.ciphers.contains(&chosen.cipher)
        && chosen.extensions.iter().all(|extension| opening.extensions.contains(extension))
        && opening.path == chosen.path
        && opening.protocol == chosen.protocol
        && chosen.transport.as_ref().is_none_or(|said| opening.transports.as_ref().is_some_and(|it| it.admits(said)))
}

impl fmt::Debug for Initiator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Initiator")
            .field("peer", &self.peer)
            .field("channel", &self.opening.channel)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for InitiateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InitiateError::BadPeer => "the peer's EID is no usable public key: check it for typing errors",
            InitiateError::TooLong => "the offer exceeds its bounds: offer or name less, shorten the first data",
        })
    }
}

impl core::error::Error for InitiateError {}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Broken::Malformed => "the peer's answer cannot be read: it may run another release",
            Broken::NotOffered => "the peer chose what was not offered: it does not keep to the protocol",
        })
    }
}

impl core::error::Error for Broken {}
