//! The end that answers.

use core::fmt;
use std::sync::Arc;

use tng_base::{ChannelId, Eid};
use tng_crypto::noise::MESSAGE_2_OVERHEAD;
use tng_crypto::{SecretRng, Shared, Zeroizing, montgomery, noise};
use tng_wire::{Reader, Repr, Writer};

use super::{Established, Fingerprint, Terms, VERSIONS, prologue};
use crate::armor::Role;
use crate::wire::{
    ANSWER_LEN_MAX, Acceptance, Answer, Family, Hello, OPENING_LEN, Opening, Refusal, Reply, opening_len, write_grease,
};
use crate::{Acquaintance, Identity};

/// An INIT that was read: the initiator is who it says, and offers this. It may still be a replay: nothing that must
/// not happen twice may happen before a packet under the new keys arrives.
pub struct Offer {
    noise: noise::Responder,
    family: Family,
    version: u16,
    /// Whom the REPLY is addressed to.
    addressee: ChannelId,
    fingerprint: Fingerprint,
    opening: Opening,
    shared: Arc<Shared>,
}

/// Why an INIT is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OfferError {
    /// Its first MAC is not for this host.
    NotForUs,
    /// This host does not speak its version.
    Version,
    /// It is not authentic.
    Forged,
    /// Its items cannot be read.
    Malformed,
    /// The EID in it is not that of the key that it was made with.
    WrongEid,
    /// Somebody changed the initiator's name for the channel on the way.
    WrongChannel,
    /// Its initiator could have used a version that both prefer, and was kept from it.
    Downgraded,
}

/// The answer does not fit a REPLY.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong;

impl Offer {
    /// Reads an INIT: the first thing that costs Diffie-Hellman. It costs less if it comes from the host that is
    /// `expected`. It takes no entropy: that is for the answer.
    ///
    /// # Errors
    /// If the INIT is not a good one for this host; it is then dropped in silence.
    pub fn read(identity: &Identity, hello: &Hello<'_>, expected: Option<&Acquaintance>) -> Result<Offer, OfferError> {
        if !hello.is_for(identity) {
            return Err(OfferError::NotForUs);
        }
        if !VERSIONS.contains(&hello.version()) {
            return Err(OfferError::Version);
        }
        let offer = Offer::open(identity, hello, expected)?;
        offer.judge(expected, &VERSIONS)?;
        Ok(offer)
    }

    /// What an INIT says, whether it can be true or not.
    pub(super) fn open(
        identity: &Identity,
        hello: &Hello<'_>,
        expected: Option<&Acquaintance>,
    ) -> Result<Offer, OfferError> {
        let (family, version) = (hello.family(), hello.version());
        let (key, prologue) = (identity.agreement(), prologue(family, version, &identity.eid()));
        let known = expected.map(Acquaintance::shared);
        // There may be a hop key in it, and a capability.
        let mut payload = Zeroizing::new([0; OPENING_LEN]);
        let payload = &mut payload[..opening_len(hello.bytes().len())];
        let heard = noise::Responder::read(key, known, &prologue, hello.noise(), payload);
        let (noise, noise::Heard { shared, .. }) = heard.map_err(|_| OfferError::Forged)?;
        let opening = Opening::parse(&mut Reader::new(payload)).map_err(|_| OfferError::Malformed)?;
        let (addressee, fingerprint) = (hello.initiator_id(), hello.fingerprint());
        Ok(Offer { noise, family, version, addressee, fingerprint, opening, shared })
    }

    /// Whether what it says can be true, to a host that speaks these versions.
    pub(super) fn judge(&self, expected: Option<&Acquaintance>, spoken: &[u16]) -> Result<(), OfferError> {
        let (opening, key) = (&self.opening, self.shared.peer());
        let is_expected = expected.is_some_and(|it| it.eid() == opening.eid && it.key() == key);
        if !is_expected && montgomery(opening.eid.as_bytes()).as_ref() != Ok(key) {
            return Err(OfferError::WrongEid);
        }
        if opening.channel != self.addressee {
            return Err(OfferError::WrongChannel);
        }
        if opening.versions.iter().find(|version| spoken.contains(version)) != Some(&self.version) {
            return Err(OfferError::Downgraded);
        }
        Ok(())
    }

    /// The initiator.
    pub const fn peer(&self) -> Eid {
        self.opening.eid
    }

    /// What was worked out about the initiator, for its next INIT.
    pub fn acquaintance(&self) -> Acquaintance {
        Acquaintance::learned(self.opening.eid, Arc::clone(&self.shared))
    }

    /// What its INIT is known by.
    pub const fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// What it offers and wants.
    pub const fn opening(&self) -> &Opening {
        &self.opening
    }

    /// The answer by `terms`, to which set-up, payload and `taken` may be added.
    ///
    /// # Errors
    /// With what to [`refuse`](Offer::refuse) for, if offer and terms do not meet.
    pub fn negotiate(&self, terms: Terms) -> Result<Acceptance, Refusal> {
        terms.answer(self.version, &self.opening)
    }

    /// Accepts: the channel and the REPLY, with an ephemeral key drawn from `rng`.
    ///
    /// # Errors
    /// If the answer does not fit.
    pub fn accept(self, acceptance: Acceptance, rng: &mut SecretRng) -> Result<(Established, Vec<u8>), TooLong> {
        let (peer, remote_id) = (self.opening.eid, self.opening.channel);
        let (local_id, cipher) = (acceptance.channel, acceptance.cipher);
        let (reply, split) = self.reply(local_id, &Answer::Accepted(acceptance), rng)?;
        Ok((Established::new(Role::Responder, peer, local_id, remote_id, cipher, split), reply))
    }

    /// Refuses: the REPLY that says so, with an ephemeral key drawn from `rng`.
    ///
    /// # Errors
    /// If the reason exceeds 255 bytes.
    pub fn refuse(self, refusal: Refusal, rng: &mut SecretRng) -> Result<Vec<u8>, TooLong> {
        let no_channel = ChannelId::from_u64(0);
        self.reply(no_channel, &Answer::Refused(refusal), rng).map(|(reply, _)| reply)
    }

    fn reply(
        self,
        local_id: ChannelId,
        answer: &Answer,
        rng: &mut SecretRng,
    ) -> Result<(Vec<u8>, noise::Split), TooLong> {
        answer.check().map_err(|_| TooLong)?;
        let mut payload = Zeroizing::new([0; ANSWER_LEN_MAX]);
        let mut writer = Writer::new(&mut payload[..]);
        write_grease(&mut writer, &mut rng.visible()).and_then(|()| answer.emit(&mut writer)).map_err(|_| TooLong)?;
        let mut message = [0; ANSWER_LEN_MAX + MESSAGE_2_OVERHEAD];
        // The initiator's ephemeral key agreed with our static one, so it is not of low order and agrees again.
        let (len, split) = self.noise.write(rng.secret(), writer.written(), &mut message).map_err(|_| TooLong)?;
        let (family, initiator_id) = (self.family, self.addressee);
        let reply = Reply { family, initiator_id, responder_id: local_id, noise: &message[..len] };
        let mut datagram = vec![0; reply.wire_len()];
        reply.emit(&mut Writer::new(&mut datagram)).map_err(|_| TooLong)?;
        Ok((datagram, split))
    }
}

impl fmt::Debug for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offer")
            .field("peer", &self.opening.eid)
            .field("channel", &self.opening.channel)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for OfferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OfferError::NotForUs => "the INIT is for another host",
            OfferError::Version => "the INIT is of a version that is not spoken here",
            OfferError::Forged => "the INIT is not authentic",
            OfferError::Malformed => "the INIT's items cannot be read",
            OfferError::WrongEid => "the INIT names an EID whose key it was not made with",
            OfferError::WrongChannel => "the INIT's channel id in clear is not the one under its seal",
            OfferError::Downgraded => "the INIT uses a lower version than both ends speak",
        })
    }
}

impl core::error::Error for OfferError {}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer does not fit a REPLY: shorten its payload or its reason")
    }
}

impl core::error::Error for TooLong {}
