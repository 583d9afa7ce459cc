//! What a helper in the path offers to the initiator of an INIT that passed it (`docs/wire.md` section 2.13).

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::{ChannelId, Eid};
use tng_crypto::{
    AgreementKey, BadPoint, Forged, NONCE_LEN, Secret32, Suite, SyntheticKey, TAG_LEN, Zeroizing, hkdf, labels,
    montgomery,
};
use tng_wire::{Full, Malformed, Reader, Repr, Writer, prefixed_len};

use crate::wire::{CAPABILITY_LEN_MAX, OFFER, VERSION};
use crate::{Capability, CapabilityKey, HOP_KEY_LEN, WISHED_NAME_LEN_MAX};

/// Longest OFFER that is looked at.
pub const OFFER_LEN_MAX: usize = 512;

/// Bytes of an INIT that goes direct: no other is offered anything.
const INIT_LEN: usize = 1_200;
const INIT: u8 = 0x01;
const REPLY: u8 = 0x02;
const ID_AT: usize = 3;
const EPHEMERAL_AT: usize = 41;
const INIT_VERSION: [u8; 2] = [0, 1];

/// What of an INIT stands in clear, as it passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassingInit {
    /// The initiator's name for the channel.
    pub channel: ChannelId,
    /// Its ephemeral key: the same in all copies of the INIT, and in no other.
    pub ephemeral: [u8; 32],
}

impl PassingInit {
    /// Sees an INIT that goes direct in a datagram.
    pub fn see(datagram: &[u8]) -> Option<PassingInit> {
        if datagram.len() != INIT_LEN || datagram[0] != INIT || datagram[1..ID_AT] != INIT_VERSION {
            return None;
        }
        let channel = ChannelId::from_bytes(*datagram[ID_AT..].first_chunk()?);
        Some(PassingInit { channel, ephemeral: *datagram[EPHEMERAL_AT..].first_chunk()? })
    }
}

/// The initiator's name for the channel in a datagram that looks like a REPLY.
pub fn passing_reply(datagram: &[u8]) -> Option<ChannelId> {
    let named = (INIT_LEN >= datagram.len()).then_some(datagram)?.strip_prefix(&[REPLY])?;
    Some(ChannelId::from_bytes(*named.first_chunk()?))
}

/// An offer on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer<'a> {
    /// Its receiver's name for the channel that it has asked for.
    pub receiver: ChannelId,
    /// The version that its sender speaks.
    pub version: u16,
    /// Drawn for this offer.
    pub ephemeral: [u8; 32],
    /// Who offers.
    pub eid: Eid,
    /// Of what is sealed.
    pub nonce: [u8; NONCE_LEN],
    /// The terms, sealed for the holder of the INIT's ephemeral key, by the holder of both of the sender's.
    pub sealed: &'a [u8],
}

/// What is offered.
#[derive(Clone, Debug)]
pub struct OfferTerms {
    /// Where the helper takes JOINs.
    pub address: SocketAddr,
    /// For how long the capability is good.
    pub life: Duration,
    /// What lets its receiver use the helper.
    pub capability: Capability,
    /// What the helper's operator advises for the section between the two: the name of a controller.
    pub controller: Option<String>,
}

impl<'a> Repr<'a> for Offer<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Offer<'a>, Malformed> {
        if reader.u8()? != OFFER {
            return Err(Malformed);
        }
        Ok(Offer {
            receiver: reader.array().map(ChannelId::from_bytes)?,
            version: reader.u16()?,
            ephemeral: reader.array()?,
            eid: Eid::from_bytes(reader.array()?),
            nonce: reader.array()?,
            sealed: reader.rest(),
        })
    }

    fn wire_len(&self) -> usize {
        1 + ChannelId::LEN + 2 + 32 + 32 + NONCE_LEN + self.sealed.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(OFFER)?;
        writer.bytes(&self.receiver.to_bytes())?;
        writer.u16(self.version)?;
        writer.bytes(&self.ephemeral)?;
        writer.bytes(self.eid.as_bytes())?;
        writer.bytes(&self.nonce)?;
        writer.bytes(self.sealed)
    }
}

impl OfferTerms {
    fn read(reader: &mut Reader<'_>) -> Result<OfferTerms, Malformed> {
        let ip: IpAddr = match reader.u8()? {
            4 => reader.array::<4>()?.into(),
            6 => reader.array::<16>()?.into(),
            _ => return Err(Malformed),
        };
        let (address, life) = (SocketAddr::new(ip, reader.u16()?), Duration::from_secs(reader.u32()?.into()));
        let len = usize::from(reader.u8()?);
        if len > CAPABILITY_LEN_MAX {
            return Err(Malformed);
        }
        let shown = reader.bytes(len)?.to_vec();
        let key = Zeroizing::new(reader.array::<HOP_KEY_LEN>()?);
        let name = reader.text(WISHED_NAME_LEN_MAX)?.into_exact();
        // What later versions add stands behind it.
        Ok(OfferTerms {
            address,
            life,
            capability: Capability { shown, key: CapabilityKey::from_bytes(*key) },
            controller: (!name.is_empty()).then(|| name.to_owned()),
        })
    }

    fn name(&self) -> &str {
        self.controller.as_deref().unwrap_or_default()
    }

    fn len(&self) -> usize {
        let ip = if self.address.is_ipv4() { 4 } else { 16 };
        1 + ip + 2 + 4 + 1 + self.capability.shown.len() + HOP_KEY_LEN + prefixed_len(self.name().len())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        match self.address.ip() {
            IpAddr::V4(ip) => {
                writer.u8(4)?;
                writer.bytes(&ip.octets())?;
            }
            IpAddr::V6(ip) => {
                writer.u8(6)?;
                writer.bytes(&ip.octets())?;
            }
        }
        writer.u16(self.address.port())?;
        writer.u32(u32::try_from(self.life.as_secs()).unwrap_or(u32::MAX))?;
        writer.u8(u8::try_from(self.capability.shown.len()).map_err(|_| Full)?)?;
        writer.bytes(&self.capability.shown)?;
        writer.bytes(self.capability.key.expose())?;
        writer.prefixed(self.name().as_bytes())
    }
}

/// What seals an offer: the initiator has the secret of `init`, the helper those of `drawn` and of its EID's.
fn seal_key(init: &[u8; 32], drawn: &[u8; 32], of_drawn: &Secret32, of_eid: &Secret32) -> SyntheticKey {
    let salt = [&init[..], &drawn[..]].concat();
    let secret = hkdf::extract(&salt, &[of_drawn.expose(), of_eid.expose()]);
    SyntheticKey::derive(Suite::Aes128Gcm, &secret, labels::OFFER)
}

/// Everything before the nonce.
fn head(receiver: ChannelId, ephemeral: &[u8; 32], eid: Eid) -> Vec<u8> {
    [&[OFFER][..], &receiver.to_bytes(), &VERSION.to_be_bytes(), ephemeral, eid.as_bytes()].concat()
}

/// A helper's name, and the secret that goes with it.
#[derive(Debug)]
pub struct OfferKey {
    /// The name.
    pub eid: Eid,
    /// The pair of its Montgomery form.
    pub agreement: AgreementKey,
}

impl OfferKey {
    /// The OFFER of these terms to the initiator of `init`, under a `fresh` ephemeral key. None can be made for an INIT
    /// whose ephemeral key is no usable one.
    ///
    /// # Errors
    /// If it is not.
    pub fn offer(&self, init: &PassingInit, terms: &OfferTerms, fresh: &Secret32) -> Result<Vec<u8>, BadPoint> {
        let drawn = AgreementKey::from_secret(fresh);
        let (of_drawn, of_eid) = (drawn.agree(&init.ephemeral)?, self.agreement.agree(&init.ephemeral)?);
        let key = seal_key(&init.ephemeral, drawn.public(), &of_drawn, &of_eid);
        let mut sealed = Zeroizing::new(vec![0; terms.len() + TAG_LEN]);
        terms.write(&mut Writer::new(&mut sealed)).map_err(|Full| BadPoint)?;
        let nonce = key.seal(&[], &head(init.channel, drawn.public(), self.eid), &mut sealed);
        let offer = Offer {
            receiver: init.channel,
            version: VERSION,
            ephemeral: *drawn.public(),
            eid: self.eid,
            nonce,
            sealed: &sealed,
        };
        Ok(offer.to_vec())
    }
}

/// Opens an offer with the secret of the ephemeral key of the INIT that it answers.
///
/// # Errors
/// If it was not made for that INIT by the holder of its EID.
pub fn open_offer(secret: &Secret32, offer: &Offer<'_>) -> Result<OfferTerms, Malformed> {
    let own = AgreementKey::from_secret(secret);
    let eid = montgomery(offer.eid.as_bytes()).map_err(|BadPoint| Malformed)?;
    let (of_drawn, of_eid) = (own.agree(&offer.ephemeral), own.agree(&eid));
    let (of_drawn, of_eid) = of_drawn.and_then(|drawn| Ok((drawn, of_eid?))).map_err(|BadPoint| Malformed)?;
    let key = seal_key(own.public(), &offer.ephemeral, &of_drawn, &of_eid);
    let mut plain = Zeroizing::new(offer.sealed.to_vec());
    let aad = head(offer.receiver, &offer.ephemeral, offer.eid);
    let len = key.open(offer.nonce, &aad, &mut plain).map_err(|Forged| Malformed)?;
    OfferTerms::read(&mut Reader::new(&plain[..len]))
}

#[cfg(test)]
mod tests {
    use tng_crypto::{SigningKey, agreement_secret};
    use tng_wire::battery;

    use super::*;

    fn key(seed: u8) -> OfferKey {
        let seed = Secret32::from_bytes([seed; 32]);
        let eid = Eid::from_bytes(*SigningKey::from_seed(&seed).public());
        OfferKey { eid, agreement: AgreementKey::from_secret(&agreement_secret(&seed)) }
    }

    fn terms() -> OfferTerms {
        OfferTerms {
            address: "192.0.2.7:4860".parse().expect("an address"),
            life: Duration::from_secs(600),
            capability: Capability { shown: vec![5; 42], key: CapabilityKey::from_bytes([6; HOP_KEY_LEN]) },
            controller: Some("vegas".to_owned()),
        }
    }

    fn init(secret: &Secret32) -> PassingInit {
        PassingInit { channel: ChannelId::from_u64(9), ephemeral: *AgreementKey::from_secret(secret).public() }
    }

    fn parsed(bytes: &[u8]) -> Offer<'_> {
        Offer::parse(&mut Reader::new(bytes)).expect("an OFFER")
    }

    #[test]
    fn who_sent_the_init_reads_the_terms_and_knows_who_offers() {
        let secret = Secret32::from_bytes([3; 32]);
        let bytes = key(1).offer(&init(&secret), &terms(), &Secret32::from_bytes([4; 32])).expect("a usable key");
        assert!(bytes.len() < OFFER_LEN_MAX / 2, "{}", bytes.len());
        let offer = parsed(bytes.leak());
        battery::round_trip(&offer);
        assert_eq!((offer.eid, offer.receiver), (key(1).eid, ChannelId::from_u64(9)));
        let opened = open_offer(&secret, &offer).expect("it is for this INIT");
        assert_eq!((opened.address, opened.life), (terms().address, terms().life));
        assert_eq!(opened.capability.shown, terms().capability.shown);
        assert_eq!(opened.capability.key.expose(), terms().capability.key.expose());
        assert_eq!(opened.controller.as_deref(), Some("vegas"));
    }

    #[test]
    fn an_offer_for_another_init_and_one_that_was_touched_are_refused() {
        let secret = Secret32::from_bytes([3; 32]);
        let bytes = key(1).offer(&init(&secret), &terms(), &Secret32::from_bytes([4; 32])).expect("a usable key");
        assert!(open_offer(&Secret32::from_bytes([5; 32]), &parsed(&bytes)).is_err(), "replayed to another INIT");
        // The version is looked at by who takes it.
        for at in (1..bytes.len()).filter(|at| !(7..9).contains(at)) {
            let mut touched = bytes.clone();
            touched[at] ^= 1;
            assert!(open_offer(&secret, &parsed(&touched)).is_err(), "byte {at}");
        }
    }

    #[test]
    fn nobody_offers_in_anothers_name() {
        let secret = Secret32::from_bytes([3; 32]);
        let forger = OfferKey { eid: key(1).eid, ..key(2) };
        let bytes = forger.offer(&init(&secret), &terms(), &Secret32::from_bytes([4; 32])).expect("a usable key");
        assert!(open_offer(&secret, &parsed(&bytes)).is_err());
        let bytes = key(2).offer(&init(&secret), &terms(), &Secret32::from_bytes([4; 32])).expect("a usable key");
        assert!(open_offer(&secret, &parsed(&bytes)).is_ok(), "control: in its own");
    }

    #[test]
    fn an_ephemeral_key_of_low_order_is_offered_nothing() {
        let nobody = PassingInit { channel: ChannelId::from_u64(9), ephemeral: [0; 32] };
        assert_eq!(key(1).offer(&nobody, &terms(), &Secret32::from_bytes([4; 32])), Err(BadPoint));
    }

    #[test]
    fn what_looks_like_neither_init_nor_reply_is_none() {
        let mut datagram = vec![7; INIT_LEN];
        datagram[..3].copy_from_slice(&[INIT, 0, 1]);
        let seen = PassingInit::see(&datagram).expect("an INIT");
        assert_eq!((seen.channel.to_bytes(), seen.ephemeral), ([7; 6], [7; 32]));
        assert_eq!(PassingInit::see(&datagram[1..]), None);
        datagram[2] = 2;
        assert_eq!(PassingInit::see(&datagram), None, "of another version");
        assert_eq!(passing_reply(&[REPLY, 1, 2, 3, 4, 5, 6, 9]).map(ChannelId::to_bytes), Some([1, 2, 3, 4, 5, 6]));
        assert_eq!(passing_reply(&[REPLY, 1, 2]), None);
        assert_eq!(passing_reply(&vec![REPLY; INIT_LEN + 1]), None);
    }
}
