//! Names: of hosts and of channels.

use core::fmt;
use core::str::FromStr;

use data_encoding::{BitOrder, DecodeKind, Encoding, Specification};

/// An endpoint identity: a host's Ed25519 public key, written as 52 characters of base32 (lower case, no padding).
///
/// A host is its key; addresses are only hints to where it may be found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Eid([u8; 32]);

/// Why a text is not an [`Eid`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EidError {
    /// It does not have 52 characters.
    Length(usize),
    /// It holds a character outside `a-z2-7`.
    Alphabet,
    /// Its last character has bits beyond the key's 256.
    LastCharacter,
}

fn base32() -> Encoding {
    let mut spec = Specification::new();
    spec.symbols.push_str("abcdefghijklmnopqrstuvwxyz234567");
    spec.translate.from.push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    spec.translate.to.push_str("abcdefghijklmnopqrstuvwxyz");
    spec.bit_order = BitOrder::MostSignificantFirst;
    spec.encoding().expect("the specification is a constant")
}

impl Eid {
    /// Length of the text form.
    pub const TEXT_LEN: usize = 52;

    /// The identity with these public-key bytes. Whether they are a valid point is found out when they are used.
    pub const fn from_bytes(bytes: [u8; 32]) -> Eid {
        Eid(bytes)
    }

    /// The public-key bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Eid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&base32().encode(&self.0))
    }
}

impl fmt::Debug for Eid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Eid({}..)", &base32().encode(&self.0)[..8])
    }
}

impl FromStr for Eid {
    type Err = EidError;
    fn from_str(text: &str) -> Result<Eid, EidError> {
        if text.len() != Eid::TEXT_LEN {
            return Err(EidError::Length(text.len()));
        }
        let bytes = base32().decode(text.as_bytes()).map_err(|error| match error.kind {
            DecodeKind::Trailing => EidError::LastCharacter,
            _ => EidError::Alphabet,
        })?;
        Ok(Eid(bytes.try_into().map_err(|_| EidError::Alphabet)?))
    }
}

impl fmt::Display for EidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EidError::Length(n) => write!(f, "an EID has 52 characters, this has {n}"),
            EidError::Alphabet => f.write_str("an EID is written with the letters a-z and the digits 2-7 only"),
            EidError::LastCharacter => f.write_str("the last letter of an EID is a or q; copy it whole"),
        }
    }
}

impl core::error::Error for EidError {}

/// The receiver's name for a channel: 48 unpredictable bits, chosen by the receiver, sent in every packet to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(u64);

impl ChannelId {
    /// Bytes on the wire.
    pub const LEN: usize = 6;

    /// The low 48 bits of `raw`.
    pub const fn from_u64(raw: u64) -> ChannelId {
        ChannelId(raw & 0xffff_ffff_ffff)
    }

    /// The identifier as a number below `2^48`.
    pub const fn as_u64(self) -> u64 {
        self.0
    }

    /// The identifier as it stands on the wire, most significant byte first.
    pub const fn to_bytes(self) -> [u8; 6] {
        let b = self.0.to_be_bytes();
        [b[2], b[3], b[4], b[5], b[6], b[7]]
    }

    /// Reads the wire form.
    pub const fn from_bytes(b: [u8; 6]) -> ChannelId {
        ChannelId(u64::from_be_bytes([0, 0, b[0], b[1], b[2], b[3], b[4], b[5]]))
    }
}

impl fmt::Debug for ChannelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:012x}", self.0)
    }
}

/// The streams of one pair of hosts since an exchange began them: 128 bits that both ends derive from that exchange.
/// What channels carry them changes; this does not (SST 4.3.1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId([u8; 16]);

impl SessionId {
    /// Below every other.
    pub const MIN: SessionId = SessionId([0; 16]);
    /// Above every other.
    pub const MAX: SessionId = SessionId([0xff; 16]);

    /// Bytes on the wire.
    pub const LEN: usize = 16;

    /// The name with these bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> SessionId {
        SessionId(bytes)
    }

    /// The name's bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_eid_survives_its_text_form_in_either_case() {
        let eid = Eid::from_bytes(core::array::from_fn(|i| i as u8 * 7));
        let text = eid.to_string();
        assert_eq!(text.len(), Eid::TEXT_LEN);
        assert_eq!(text.parse(), Ok(eid));
        assert_eq!(text.to_uppercase().parse(), Ok(eid));
    }

    #[test]
    fn a_bad_eid_text_names_its_fault() {
        assert_eq!("abc".parse::<Eid>(), Err(EidError::Length(3)));
        assert_eq!("1".repeat(52).parse::<Eid>(), Err(EidError::Alphabet));
        assert_eq!("7".repeat(52).parse::<Eid>(), Err(EidError::LastCharacter), "bits beyond 256 must be zero");
        for (last, good) in [("a", true), ("q", true), ("b", false), ("r", false)] {
            assert_eq!(("7".repeat(51) + last).parse::<Eid>().is_ok(), good, "{last}");
        }
    }

    #[test]
    fn a_channel_id_survives_the_wire() {
        let id = ChannelId::from_u64(0x1234_5678_9abc_def0);
        assert_eq!(id.as_u64(), 0x5678_9abc_def0);
        assert_eq!(ChannelId::from_bytes(id.to_bytes()), id);
    }
}
