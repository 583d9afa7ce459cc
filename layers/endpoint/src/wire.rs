//! What this layer itself says (docs/wire.md section 2.4).

use tng_wire::{Full, Malformed, Reader, Repr, Writer};

const UNSERVED: u8 = 0x06;

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

#[cfg(test)]
mod tests {
    use tng_wire::battery::{noise, round_trip};

    use super::*;

    #[test]
    fn unserved_survives_its_emission_and_nothing_else_is_it() {
        round_trip(&Unserved { first_byte: 0x80 });
        noise::<Unserved>(&[UNSERVED + 1, 0x80]);
        assert_eq!(Unserved::parse(&mut Reader::new(&[UNSERVED + 1, 0x80])), Err(Malformed));
    }
}
