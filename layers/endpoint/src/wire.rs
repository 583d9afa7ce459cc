//! What this layer itself says (docs/wire.md sections 2.4 and 2.12).

use tng_wire::{Full, Malformed, Reader, Repr, Writer};

const UNSERVED: u8 = 0x06;

/// First byte of a PUNCH.
pub const PUNCH: u8 = 0x0e;

/// UNSERVED: nobody at this port reads packets with a first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unserved {
    /// The first byte of what was sent.
    pub first_byte: u8,
}

impl Unserved {
    /// Bytes of the message.
    pub const LEN: usize = 2;
}

impl Repr<'_> for Unserved {
    fn parse(reader: &mut Reader<'_>) -> Result<Unserved, Malformed> {
        if reader.u8()? != UNSERVED {
            return Err(Malformed);
        }
        Ok(Unserved { first_byte: reader.u8()? })
    }

    fn wire_len(&self) -> usize {
        Unserved::LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(UNSERVED)?;
        writer.u8(self.first_byte)
    }
}

/// A small datagram between introduced hosts. It asks for nothing but another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Punch {
    /// Of the introduction.
    pub nonce: [u8; 16],
    /// What its sender has drawn for the introduction.
    pub own: [u8; 8],
    /// What its receiver has drawn; zero while its sender has not heard of that.
    pub echo: [u8; 8],
}

impl Punch {
    /// Bytes of the message.
    pub const LEN: usize = 1 + 16 + 8 + 8;
}

impl Repr<'_> for Punch {
    fn parse(reader: &mut Reader<'_>) -> Result<Punch, Malformed> {
        if reader.u8()? != PUNCH {
            return Err(Malformed);
        }
        let punch = Punch { nonce: reader.array()?, own: reader.array()?, echo: reader.array()? };
        if reader.is_empty() { Ok(punch) } else { Err(Malformed) }
    }

    fn wire_len(&self) -> usize {
        Punch::LEN
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(PUNCH)?;
        writer.bytes(&self.nonce)?;
        writer.bytes(&self.own)?;
        writer.bytes(&self.echo)
    }
}

#[cfg(test)]
mod tests {
    use tng_wire::battery::{emit, noise, round_trip};

    use super::*;

    #[test]
    fn a_punch_survives_its_emission_and_has_one_length() {
        let punch = Punch { nonce: [1; 16], own: [2; 8], echo: [3; 8] };
        round_trip(&punch);
        let mut longer = emit(&punch);
        noise::<Punch>(&longer);
        longer.push(0);
        assert_eq!(Punch::parse(&mut Reader::new(&longer)), Err(Malformed));
        longer.truncate(Punch::LEN);
        longer[0] = UNSERVED;
        assert_eq!(Punch::parse(&mut Reader::new(&longer)), Err(Malformed));
    }

    #[test]
    fn unserved_survives_its_emission_and_nothing_else_is_it() {
        round_trip(&Unserved { first_byte: 0x80 });
        noise::<Unserved>(&[UNSERVED + 1, 0x80]);
        assert_eq!(Unserved::parse(&mut Reader::new(&[UNSERVED + 1, 0x80])), Err(Malformed));
    }
}
