//! What a response says before it tells anything.

#[cfg(feature = "keys")]
use tng_crypto::DatagramKey;
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::{Armor, PLAIN_RESPONSE, RESPONSE};
#[cfg(feature = "keys")]
use crate::aead_nonce;
use crate::continuation::Issuer;
use crate::continuation::{SERIAL_LEN, read_serial, write_serial};
use crate::seal_len::{BLAKE3_TAG_LEN, TAG_LEN};
use crate::{Continuation, InstanceName, Rtt, Site, Stamp, Tag};

/// What stands in clear.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResponseHeader {
    /// Whether the response is sealed: its first byte says so.
    pub armor: Armor,
    /// The first bytes of the connection's id.
    pub handle: [u8; 4],
    /// Who answers: with the request's seal it gives the key.
    pub instance: InstanceName,
    /// The count of the request.
    pub count: u32,
    /// Which of the packets that the request releases it is, from 0.
    pub index: u8,
}

impl ResponseHeader {
    /// Bytes of one.
    pub const LEN: usize = 1 + 4 + InstanceName::LEN + 4 + 1;

    /// Opens the response that begins with it, in place. Answers what was sealed.
    ///
    /// # Errors
    /// [`Malformed`]: somebody else wrote it, or changed it.
    #[cfg(feature = "keys")]
    pub fn open<'a>(&self, key: &DatagramKey, datagram: &'a mut [u8]) -> Result<&'a [u8], Malformed> {
        let (clear, sealed) = datagram.split_at_mut_checked(ResponseHeader::LEN).ok_or(Malformed)?;
        let len = key.open(aead_nonce(u64::from(self.index)), clear, sealed).map_err(|_| Malformed)?;
        Ok(&sealed[..len])
    }

    /// Seals a response in place: `datagram` begins with the header, and ends with room for the seal.
    #[cfg(feature = "keys")]
    pub fn seal(&self, key: &DatagramKey, datagram: &mut [u8]) {
        let (clear, sealed) = datagram.split_at_mut(ResponseHeader::LEN);
        key.seal(aead_nonce(u64::from(self.index)), clear, sealed);
    }
}

impl Repr<'_> for ResponseHeader {
    fn parse(reader: &mut Reader<'_>) -> Result<ResponseHeader, Malformed> {
        let armor = match reader.u8()? {
            RESPONSE => Armor::Sealed,
            PLAIN_RESPONSE => Armor::Plain,
            _ => return Err(Malformed),
        };
        let (handle, instance) = (reader.array()?, InstanceName(reader.array()?));
        Ok(ResponseHeader { armor, handle, instance, count: reader.u32()?, index: reader.u8()? })
    }

    fn wire_len(&self) -> usize {
        ResponseHeader::LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.armor.response())?;
        writer.bytes(&self.handle)?;
        writer.bytes(&self.instance.0)?;
        writer.u32(self.count)?;
        writer.u8(self.index)
    }
}

/// Why a request that was opened, and whose continuation is genuine, is not answered: its client can do something about
/// it. It stands sealed in a response that is no packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Denial {
    /// Its continuation is good for a timeout only: it is older than the age limit.
    Old,
    /// The same: it is from before this server started.
    BeforeStart,
    /// The time at which a timeout is asked for is not that of this server.
    Untimely,
    /// This server has no room to remember the losses that it tells of: what it asks for is good for a timeout.
    Untold,
}

const _: () = assert!(crate::PACKETS_PER_RELEASE_MAX <= Denial::INDEX as u64, "an index is no packet's and a denial's");

impl Denial {
    /// Stands in the place of a packet's index.
    pub const INDEX: u8 = u8::MAX;
    /// Bytes of a response that bears one: less than any request has.
    pub const RESPONSE_LEN: usize = ResponseHeader::LEN + 4 + TAG_LEN;

    /// Writes the response to the start of `datagram`, with what the server's clock says: sealed with `key`, or as it
    /// is. Answers how long it is.
    #[cfg(feature = "keys")]
    pub fn seal(
        self,
        now: Stamp,
        header: ResponseHeader,
        key: Option<&DatagramKey>,
        datagram: &mut [u8; Denial::RESPONSE_LEN],
    ) -> usize {
        let header = ResponseHeader { index: Denial::INDEX, ..header };
        let mut writer = Writer::new(&mut datagram[..ResponseHeader::LEN + 4]);
        let code = match self {
            Denial::Old => 1,
            Denial::BeforeStart => 2,
            Denial::Untimely => 3,
            Denial::Untold => 4,
        };
        let written = header.emit(&mut writer).and_then(|()| writer.u8(code)).and_then(|()| now.emit(&mut writer));
        written.expect("it was made for that");
        if let Some(key) = key {
            header.seal(key, datagram);
        }
        ResponseHeader::LEN + 4 + header.armor.tag_len()
    }

    /// Reads what was sealed: why, and what the server's clock said.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(text: &[u8]) -> Result<(Denial, Stamp), Malformed> {
        let mut reader = Reader::new(text);
        let denial = match reader.u8()? {
            1 => Denial::Old,
            2 => Denial::BeforeStart,
            3 => Denial::Untimely,
            4 => Denial::Untold,
            _ => return Err(Malformed),
        };
        let now = Stamp::parse(&mut reader)?;
        if reader.is_empty() { Ok((denial, now)) } else { Err(Malformed) }
    }
}

/// What a packet gives its receiver, before it tells anything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The packet's nonce.
    pub nonce: u64,
    /// The continuation that goes with the packet, and with its pair.
    pub continuation: Continuation,
    /// Its seal, over the whole of it.
    pub seal: [u8; BLAKE3_TAG_LEN],
}

const WHOLE: u8 = 1 << 0;
const ISSUER: u8 = 1 << 1;
const TAG: u8 = 1 << 2;
const ROOT_TAG: u8 = 1 << 3;
/// Bytes of a serial that is near the one that is foreseen.
const NEAR_LEN: usize = 3;

impl Given {
    /// Most bytes of one that is said by what differs, when neither issuer nor tags do.
    pub const LEN: usize = 8 + 1 + NEAR_LEN + 3 + 3 + BLAKE3_TAG_LEN;
    /// Most bytes of one.
    pub const LEN_MAX: usize = 8 + 1 + Continuation::LEN_MAX + BLAKE3_TAG_LEN;

    /// Bytes of one that says all of a continuation.
    pub fn whole_len(continuation: &Continuation) -> usize {
        8 + 1 + continuation.wire_len() + BLAKE3_TAG_LEN
    }

    /// Reads it of a response with this armor. `foreseen` is the continuation that the receiver expects but for its
    /// issuer, serial, times and tags; it does not know any in a set-up.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(armor: Armor, reader: &mut Reader<'_>, foreseen: Option<&Continuation>) -> Result<Given, Malformed> {
        let (nonce, flags) = (armor.read_nonce(reader)?, reader.u8()?);
        let continuation = match (flags, foreseen) {
            (WHOLE, _) => Continuation::parse(reader)?,
            (_, Some(foreseen)) if flags & !(ISSUER | TAG | ROOT_TAG) == 0 => {
                let mut continuation = *foreseen;
                if flags & ISSUER != 0 {
                    (continuation.site, continuation.issuer) = (Site(reader.u16()?), Issuer(reader.u32()?));
                    continuation.serial = read_serial(reader)?;
                } else {
                    continuation.serial = near(foreseen.serial, reader.array()?);
                }
                (continuation.issued, continuation.rtt) = (Stamp::parse(reader)?, Rtt::parse(reader)?);
                if flags & TAG != 0 {
                    continuation.tag = Tag(reader.u32()?);
                }
                if flags & ROOT_TAG != 0 {
                    continuation.root.tag = Tag(reader.u32()?);
                }
                continuation
            }
            _ => return Err(Malformed),
        };
        Ok(Given { nonce, continuation, seal: armor.read_seal(reader)? })
    }

    /// Writes it into a response with this armor, for somebody who foresees that.
    ///
    /// # Errors
    /// [`Full`].
    pub fn emit(&self, armor: Armor, foreseen: Option<&Continuation>, writer: &mut Writer<'_>) -> Result<(), Full> {
        let continuation = &self.continuation;
        armor.write_nonce(self.nonce, writer)?;
        match foreseen.filter(|foreseen| differs_as_foreseen(continuation, foreseen)) {
            None => {
                writer.u8(WHOLE)?;
                continuation.emit(writer)?;
            }
            Some(foreseen) => {
                let low: [u8; NEAR_LEN] = *continuation.serial.to_be_bytes().last_chunk().expect("a u64 has 8 bytes");
                let is_near = near(foreseen.serial, low) == continuation.serial;
                let is_known = (continuation.site, continuation.issuer) == (foreseen.site, foreseen.issuer) && is_near;
                let (has_tag, has_root) =
                    (continuation.tag != foreseen.tag, continuation.root.tag != foreseen.root.tag);
                let flags = [(!is_known, ISSUER), (has_tag, TAG), (has_root, ROOT_TAG)];
                writer.u8(flags.into_iter().map(|(is_set, flag)| if is_set { flag } else { 0 }).sum())?;
                if is_known {
                    writer.bytes(&low)?;
                } else {
                    writer.u16(continuation.site.0)?;
                    writer.u32(continuation.issuer.0)?;
                    write_serial(continuation.serial, writer)?;
                }
                continuation.issued.emit(writer)?;
                continuation.rtt.emit(writer)?;
                if has_tag {
                    writer.u32(continuation.tag.0)?;
                }
                if has_root {
                    writer.u32(continuation.root.tag.0)?;
                }
            }
        }
        armor.write_seal(&self.seal, writer)
    }
}

/// Whether a continuation differs from the one that is foreseen in nothing but what a delta says.
fn differs_as_foreseen(continuation: &Continuation, foreseen: &Continuation) -> bool {
    let mut alike = *foreseen;
    (alike.site, alike.issuer, alike.serial) = (continuation.site, continuation.issuer, continuation.serial);
    (alike.issued, alike.rtt) = (continuation.issued, continuation.rtt);
    (alike.tag, alike.root.tag) = (continuation.tag, continuation.root.tag);
    alike == *continuation
}

/// The serial that ends in `low` and is nearest to `known`.
fn near(known: u64, low: [u8; NEAR_LEN]) -> u64 {
    let [a, b, c] = low;
    let low = u64::from(u32::from_be_bytes([0, a, b, c]));
    let around = 1_u64 << (8 * NEAR_LEN);
    let ahead = low.wrapping_sub(known) % around;
    let ahead = if ahead < around / 2 { ahead } else { ahead.wrapping_sub(around) };
    known.wrapping_add(ahead) % (1 << (8 * SERIAL_LEN))
}
