//! What a set-up message sets up, by its first byte.

use tng_crypto::{Label, labels};
use tng_wire::{Malformed, Reader};

/// What a set-up message sets up. All families have the same messages under first bytes of their own, and nothing that
/// is made for one passes for another's: a MAC covers the first byte of every message that has one, and the Noise
/// exchange begins with a label of the family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// A channel between two hosts: `0x01` to `0x05`.
    Channel,
    /// A Trickles connection, without state at the responder: `0xa1` to `0xa5`.
    Trickles,
}

/// The bits of a first byte that tell a family's messages apart.
const MESSAGES: u8 = 0x0f;

impl Family {
    /// The first byte of one of its messages, such as [`INIT`](super::INIT).
    pub const fn first_byte(self, message: u8) -> u8 {
        message
            | match self {
                Family::Channel => 0x00,
                Family::Trickles => 0xa0,
            }
    }

    /// The family of a first byte, and which of its messages it begins.
    pub(super) const fn of(first: u8) -> Option<(Family, u8)> {
        let message = first & MESSAGES;
        match first & !MESSAGES {
            0x00 => Some((Family::Channel, message)),
            0xa0 => Some((Family::Trickles, message)),
            _ => None,
        }
    }

    /// Reads the first byte of this message, of whatever family.
    pub(super) fn parse(reader: &mut Reader<'_>, message: u8) -> Result<Family, Malformed> {
        match Family::of(reader.u8()?) {
            Some((family, it)) if it == message => Ok(family),
            _ => Err(Malformed),
        }
    }

    /// What the Noise exchange begins with.
    pub(crate) const fn prologue(self) -> Label {
        match self {
            Family::Channel => labels::PROLOGUE,
            Family::Trickles => labels::TRICKLES_PROLOGUE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_byte_is_of_one_family_at_most() {
        for first in 0..=u8::MAX {
            let found = Family::of(first);
            assert_eq!(found.is_some(), matches!(first, 0x00..=0x0f | 0xa0..=0xaf), "{first:#04x}");
            assert!(found.is_none_or(|(family, message)| family.first_byte(message) == first));
        }
    }
}
