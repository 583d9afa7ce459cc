//! What both ends settle: ciphers, limits, reasons to refuse.

use tng_base::{Eid, SessionId};
use tng_wire::{Full, Malformed, Reader, Repr, VARINT_MAX, Writer, varint_len};

use super::{EXTENSIONS_MAX, HELPERS_MAX, INIT_LEN, PROTOCOL_LEN_MAX, SET_UP_LEN_MAX};

/// Longest acknowledgment delay that may be announced, in µs (as RFC 9000, section 18.2: 2^14 ms).
pub const ACK_DELAY_MAX_US: u64 = 1000 << 14;
/// Smallest UDP payload that may be announced as the largest accepted: an INIT must fit.
const UDP_PAYLOAD_MIN: u64 = INIT_LEN as u64;

/// What protects a channel's packets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cipher {
    /// AES-128-GCM.
    Aes128Gcm,
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305,
    /// A keyed checksum: no secrecy (SST 4.2.3).
    WeakChecksum,
}

impl Cipher {
    /// Its number on the wire.
    pub const fn code(self) -> u8 {
        match self {
            Cipher::Aes128Gcm => 1,
            Cipher::ChaCha20Poly1305 => 2,
            Cipher::WeakChecksum => 3,
        }
    }

    pub(super) const fn from_code(code: u8) -> Option<Cipher> {
        match code {
            1 => Some(Cipher::Aes128Gcm),
            2 => Some(Cipher::ChaCha20Poly1305),
            3 => Some(Cipher::WeakChecksum),
            _ => None,
        }
    }
}

/// What a host asks its peer to keep to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Silence after which the channel ends, in ms; 0 for never.
    pub idle_timeout_ms: u64,
    /// Largest UDP payload that the host accepts, at least 1200.
    pub udp_payload_max: u64,
    /// Longest that the host holds back an acknowledgment, in µs, at most 2^14 ms.
    pub ack_delay_max_us: u64,
}

/// The channel is to carry streams that an earlier exchange of the same two hosts began (SST 4.3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attach {
    /// Which streams.
    pub session: SessionId,
    /// How many channels the sender has asked for in this session, this one included: one that has brought a channel
    /// brings no other.
    pub count: u64,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a further channel is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To carry the streams beside the others.
    Beside,
    /// To carry them in the place of the others, which are given up once this one is confirmed.
    Replaces,
    /// To be there: it carries probes alone, until one of the two ends says otherwise.
    StandsBy,
}

impl Repr<'_> for Attach {
    fn parse(reader: &mut Reader<'_>) -> Result<Attach, Malformed> {
        let session = SessionId::from_bytes(reader.array()?);
        let count = reader.varint()?;
        let purpose = match reader.u8()? {
            0 => Purpose::Beside,
            1 => Purpose::Replaces,
            2 => Purpose::StandsBy,
            _ => return Err(Malformed),
        };
        if reader.is_empty() { Ok(Attach { session, count, purpose }) } else { Err(Malformed) }
    }

    fn wire_len(&self) -> usize {
        SessionId::LEN + varint_len(self.count) + 1
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.bytes(self.session.as_bytes())?;
        writer.varint(self.count)?;
        writer.u8(self.purpose as u8)
    }
}

/// Why a responder refuses (wire.md, section 2.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalCode {
    /// The initiator is not on the list.
    NotAllowed,
    /// The capability is unknown or expired.
    CapabilityUnknown,
    /// No cipher is accepted by both.
    NoCommonCipher,
    /// The protocol is not spoken.
    ProtocolNotSpoken,
    /// Too much to do.
    Overloaded,
    /// The application's choice.
    RefusedByApplication,
    /// The two ends see different paths.
    PathsDiffer,
    /// The streams to be attached are not known, or no longer.
    UnknownSession,
    /// One of the two was told to leave seals out, and the other was not.
    SealsDiffer,
    /// A later version's reason.
    Other(u64),
}

impl RefusalCode {
    /// Its number on the wire.
    pub const fn code(self) -> u64 {
        match self {
            RefusalCode::NotAllowed => 1,
            RefusalCode::CapabilityUnknown => 2,
            RefusalCode::NoCommonCipher => 3,
            RefusalCode::ProtocolNotSpoken => 4,
            RefusalCode::Overloaded => 5,
            RefusalCode::RefusedByApplication => 6,
            RefusalCode::PathsDiffer => 7,
            RefusalCode::UnknownSession => 8,
            RefusalCode::SealsDiffer => 9,
            RefusalCode::Other(code) => code,
        }
    }

    /// The reason with this number.
    pub const fn from_code(code: u64) -> RefusalCode {
        match code {
            1 => RefusalCode::NotAllowed,
            2 => RefusalCode::CapabilityUnknown,
            3 => RefusalCode::NoCommonCipher,
            4 => RefusalCode::ProtocolNotSpoken,
            5 => RefusalCode::Overloaded,
            6 => RefusalCode::RefusedByApplication,
            7 => RefusalCode::PathsDiffer,
            8 => RefusalCode::UnknownSession,
            9 => RefusalCode::SealsDiffer,
            code => RefusalCode::Other(code),
        }
    }
}

/// Checks what an Opening and an Answer have in common against its bounds.
pub(super) fn check(
    extensions: &[u64],
    path: &[Eid],
    limits: &Limits,
    protocol: &str,
    set_up: Option<&Vec<u8>>,
) -> Result<(), Malformed> {
    let possible = extensions.len() <= EXTENSIONS_MAX
        && extensions.iter().all(|extension| *extension <= VARINT_MAX)
        && path.len() <= HELPERS_MAX
        && limits.idle_timeout_ms <= VARINT_MAX
        && (UDP_PAYLOAD_MIN..=VARINT_MAX).contains(&limits.udp_payload_max)
        && limits.ack_delay_max_us <= ACK_DELAY_MAX_US
        && protocol.len() <= PROTOCOL_LEN_MAX
        && set_up.is_none_or(|set_up| set_up.len() <= SET_UP_LEN_MAX);
    if possible { Ok(()) } else { Err(Malformed) }
}
