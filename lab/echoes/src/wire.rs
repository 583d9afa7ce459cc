//! Frames and set-up item (docs/wire.md, "Numbered echoes").

use tng_wire::{Full, Malformed, Reader, Repr, VARINT_MAX, Writer, varint_len};

/// Longest body of a request, in bytes.
pub const BODY_MAX: usize = 64;

/// Most numbers ahead of its lowest open one that an end may ask for; least is [`WINDOW_MIN`].
pub const WINDOW_MAX: u64 = 1 << 12;

/// Numbers ahead that an end may ask for before it has the other's set-up item.
pub const WINDOW_MIN: u64 = 16;

/// The version of the set-up item.
const VERSION: u8 = 1;

const ASK: u8 = 0x01;
const ECHO: u8 = 0x02;

/// What stands in a payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Frame<'a> {
    Ask { number: u64, body: &'a [u8] },
    Echo { number: u64, body: &'a [u8] },
}

impl<'a> Repr<'a> for Frame<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Frame<'a>, Malformed> {
        let kind = reader.u8()?;
        let number = reader.varint()?;
        let len = usize::from(reader.u8()?);
        if len > BODY_MAX {
            return Err(Malformed);
        }
        let body = reader.bytes(len)?;
        match kind {
            ASK => Ok(Frame::Ask { number, body }),
            ECHO => Ok(Frame::Echo { number, body }),
            _ => Err(Malformed),
        }
    }

    fn wire_len(&self) -> usize {
        let (Frame::Ask { number, body } | Frame::Echo { number, body }) = self;
        1 + varint_len(*number) + 1 + body.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let (kind, number, body) = match self {
            Frame::Ask { number, body } => (ASK, number, body),
            Frame::Echo { number, body } => (ECHO, number, body),
        };
        writer.u8(kind)?;
        writer.varint(*number)?;
        writer.u8(body.len() as u8)?;
        writer.bytes(body)
    }
}

/// What each end says at the set-up: how far ahead the other may ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SetUp {
    pub(crate) window: u64,
}

impl<'a> Repr<'a> for SetUp {
    fn parse(reader: &mut Reader<'a>) -> Result<SetUp, Malformed> {
        let (version, window) = (reader.u8()?, reader.varint()?);
        let understood = version == VERSION && reader.is_empty() && (WINDOW_MIN..=WINDOW_MAX).contains(&window);
        if understood { Ok(SetUp { window }) } else { Err(Malformed) }
    }

    fn wire_len(&self) -> usize {
        1 + varint_len(self.window)
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        writer.u8(VERSION)?;
        writer.varint(self.window)
    }
}

const _: () = assert!(WINDOW_MAX < VARINT_MAX && BODY_MAX <= u8::MAX as usize);

#[cfg(test)]
mod tests {
    use tng_wire::battery;

    use super::*;

    #[test]
    fn frames_and_set_up_items_survive_the_battery() {
        for number in [0, 1, 63, 64, 1 << 20, VARINT_MAX] {
            for body in [&b""[..], b"x", &[7; BODY_MAX]] {
                battery::round_trip(&Frame::Ask { number, body });
                battery::round_trip(&Frame::Echo { number, body });
            }
        }
        for window in [WINDOW_MIN, 17, 1_000, WINDOW_MAX] {
            battery::round_trip(&SetUp { window });
        }
    }

    #[test]
    fn what_is_no_frame_and_no_set_up_item_is_malformed() {
        let is_frame = |bytes: &[u8]| Frame::parse(&mut Reader::new(bytes)).is_ok();
        assert!(is_frame(&[ASK, 0, 1, b'x']));
        assert!(!is_frame(&[0x03, 0, 0]), "no such type");
        assert!(!is_frame(&[ASK, 0, 2, b'x']), "cut short");
        assert!(!is_frame(&[&[ASK, 0, 65][..], &[0; 65]].concat()), "a body too long");
        let item = |bytes: &[u8]| SetUp::parse(&mut Reader::new(bytes));
        assert_eq!(item(&[1, 16]), Ok(SetUp { window: 16 }));
        for other in [&[][..], &[1], &[2, 16], &[1, 15], &[1, 16, 0], &[1, 0x80, 1, 0, 1]] {
            assert_eq!(item(other), Err(Malformed), "{other:?}");
        }
    }
}
