//! What a request says before it asks for anything.

#[cfg(feature = "keys")]
use tng_crypto::{DatagramKey, TAG_LEN};
use tng_wire::{Full, Malformed, Reader, Repr, Writer};

use super::{Armor, DATAGRAM_LEN_MAX, DATAGRAM_LEN_MIN, PLAIN_REQUEST, REQUEST};
#[cfg(feature = "keys")]
use crate::aead_nonce;
use crate::seal_len::BLAKE3_TAG_LEN;
use crate::{ClientNetwork, ConnectionId, Continuation, NUMBER_LIMIT, Proof, Renewal, Rtt, Stamp};

/// What stands in clear.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestHeader {
    /// Whether the request is sealed: its first byte says so.
    pub armor: Armor,
    /// The last byte of the number of the epoch whose secret it is sealed with.
    pub epoch: u8,
    /// Whose it is.
    pub id: ConnectionId,
    /// Counts the client's requests on the connection, from 1: none has that of another, whatever it is sealed with.
    pub count: u32,
}

/// Servers that share an address know by these bytes whose it is.
#[cfg(feature = "keys")]
const _: () = assert!(REQUEST == tng_endpoint::REQUEST_BYTE && RequestHeader::ID_AT == tng_endpoint::REQUEST_HINT_AT);

impl RequestHeader {
    /// Bytes of one.
    pub const LEN: usize = Self::ID_AT + ConnectionId::LEN + 4;

    /// Where the id stands.
    pub const ID_AT: usize = 1 + 1;

    /// Opens the request that begins with it, in place. Answers what was sealed, and the seal.
    ///
    /// # Errors
    /// [`Malformed`]: somebody else wrote it, or changed it.
    #[cfg(feature = "keys")]
    pub fn open<'a>(&self, key: &DatagramKey, datagram: &'a mut [u8]) -> Result<(&'a [u8], [u8; TAG_LEN]), Malformed> {
        let (clear, sealed) = datagram.split_at_mut_checked(RequestHeader::LEN).ok_or(Malformed)?;
        let seal = *sealed.last_chunk().ok_or(Malformed)?;
        let len = key.open(aead_nonce(u64::from(self.count)), clear, sealed).map_err(|_| Malformed)?;
        Ok((&sealed[..len], seal))
    }

    /// Seals a request in place: `datagram` begins with the header, and ends with room for the seal. Answers that.
    #[cfg(feature = "keys")]
    pub fn seal(&self, key: &DatagramKey, datagram: &mut [u8]) -> [u8; TAG_LEN] {
        let (clear, sealed) = datagram.split_at_mut(RequestHeader::LEN);
        key.seal(aead_nonce(u64::from(self.count)), clear, sealed);
        *sealed.last_chunk().expect("there is room for the seal")
    }
}

impl Repr<'_> for RequestHeader {
    fn parse(reader: &mut Reader<'_>) -> Result<RequestHeader, Malformed> {
        let armor = match reader.u8()? {
            REQUEST => Armor::Sealed,
            PLAIN_REQUEST => Armor::Plain,
            _ => return Err(Malformed),
        };
        let (epoch, id) = (reader.u8()?, ConnectionId(reader.array()?));
        Ok(RequestHeader { armor, epoch, id, count: reader.u32()? })
    }

    fn wire_len(&self) -> usize {
        RequestHeader::LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(self.armor.request())?;
        writer.u8(self.epoch)?;
        writer.bytes(&self.id.0)?;
        writer.u32(self.count)
    }
}

/// What a client wants of its continuation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// What it is worth.
    Spend,
    /// A new line, because there is nothing to spend, or because it is too old.
    Timeout {
        /// How often the client has asked in this slot before.
        count: u8,
        /// When it is asked for, by the clock of servers as its client knows it: a copy is not good for long.
        asked: Stamp,
        /// The place that the continuation is sealed for, as a server has told it, if the client may be in another as
        /// this server sees it: it has moved, or asks at another address.
        moved_from: Option<ClientNetwork>,
    },
}

const TIMEOUT: u8 = 1 << 0;
const RENEWAL: u8 = 1 << 1;
const SECRET: u8 = 1 << 2;
const MOVED: u8 = 1 << 3;

/// What stands before the items of a request, under its seal.
#[derive(Clone, Debug)]
pub struct Demand {
    /// What the client wants of the continuation.
    pub kind: Kind,
    /// From which packet on it wants nonces of another epoch.
    pub renewal: Option<Renewal>,
    /// Whether it wants its secret of the present epoch.
    pub wants_secret: bool,
    /// The largest datagrams that it takes.
    pub datagram_len: usize,
    /// How long it has had the continuation: the rest of the time since that was given out is a round trip.
    pub held: Rtt,
    /// The continuation.
    pub continuation: Continuation,
    /// Its seal.
    pub seal: [u8; BLAKE3_TAG_LEN],
}

impl Demand {
    /// One that presents a continuation which the client has just got, and wants nothing else: datagrams of the least
    /// length, keys as they are.
    pub fn new(kind: Kind, continuation: Continuation, seal: [u8; BLAKE3_TAG_LEN]) -> Demand {
        let (datagram_len, held) = (DATAGRAM_LEN_MIN, Rtt::default());
        Demand { kind, renewal: None, wants_secret: false, datagram_len, held, continuation, seal }
    }

    /// Reads it, and the proof that goes with it into `proof`, of a request with this armor.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(armor: Armor, reader: &mut Reader<'_>, proof: &mut Proof) -> Result<Demand, Malformed> {
        let flags = reader.u8()?;
        if flags & !(TIMEOUT | RENEWAL | SECRET | MOVED) != 0 {
            return Err(Malformed);
        }
        let kind = match (flags & TIMEOUT != 0, flags & MOVED != 0) {
            (false, false) => Kind::Spend,
            (false, true) => return Err(Malformed),
            (true, has_moved) => Kind::Timeout {
                count: reader.u8()?,
                asked: Stamp::parse(reader)?,
                moved_from: if has_moved { Some(ClientNetwork::from_bytes(reader.array()?)) } else { None },
            },
        };
        let renewal = match flags & RENEWAL != 0 {
            true => Some(Renewal { from: reader.varint()?, epoch: reader.u8()? }),
            false => None,
        };
        let datagram_len = usize::try_from(reader.varint()?).map_err(|_| Malformed)?;
        if !(DATAGRAM_LEN_MIN..=DATAGRAM_LEN_MAX).contains(&datagram_len)
            || renewal.is_some_and(|renewal| renewal.from >= NUMBER_LIMIT)
        {
            return Err(Malformed);
        }
        let held = Rtt::parse(reader)?;
        let continuation = Continuation::parse(reader)?;
        let seal = armor.read_seal(reader)?;
        proof.parse(armor, reader, &continuation)?;
        Ok(Demand { kind, renewal, wants_secret: flags & SECRET != 0, datagram_len, held, continuation, seal })
    }

    /// Writes it and the proof into a request with this armor.
    ///
    /// # Errors
    /// [`Full`].
    pub fn emit(&self, armor: Armor, proof: &Proof, writer: &mut Writer<'_>) -> Result<(), Full> {
        let kind = match self.kind {
            Kind::Spend => 0,
            Kind::Timeout { moved_from: None, .. } => TIMEOUT,
            Kind::Timeout { moved_from: Some(_), .. } => TIMEOUT | MOVED,
        };
        let renewal = if self.renewal.is_some() { RENEWAL } else { 0 };
        writer.u8(kind | renewal | if self.wants_secret { SECRET } else { 0 })?;
        if let Kind::Timeout { count, asked, moved_from } = self.kind {
            writer.u8(count)?;
            asked.emit(writer)?;
            moved_from.map_or(Ok(()), |place| writer.bytes(place.as_bytes()))?;
        }
        if let Some(Renewal { from, epoch }) = self.renewal {
            writer.varint(from)?;
            writer.u8(epoch)?;
        }
        writer.varint(self.datagram_len as u64)?;
        self.held.emit(writer)?;
        self.continuation.emit(writer)?;
        armor.write_seal(&self.seal, writer)?;
        proof.emit(armor, writer)
    }
}
