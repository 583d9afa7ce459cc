//! Tests that every wire format passes. Call them from the format's own tests.

use crate::{Reader, Repr, Writer};

/// Emits `value`, checks its announced length, parses it back, and checks that every shorter prefix is either refused
/// or read as something that takes exactly that prefix. For values that borrow, too: the bytes live as long as the
/// process, a price that only tests may pay.
///
/// # Panics
/// If the format breaks one of these rules.
pub fn round_trip<T>(value: &T)
where
    T: PartialEq + core::fmt::Debug + Repr<'static>,
{
    let bytes: &'static [u8] = emit(value).leak();
    let mut reader = Reader::new(bytes);
    let back = T::parse(&mut reader).expect("what was emitted parses");
    assert_eq!(&back, value);
    assert!(reader.is_empty(), "parse left {} bytes of {}", reader.left(), bytes.len());
    for cut in 0..bytes.len() {
        let mut reader = Reader::new(&bytes[..cut]);
        if let Ok(shorter) = T::parse(&mut reader) {
            assert_eq!(reader.position(), cut, "{shorter:?} came from a truncation that was not noticed");
        }
    }
}

/// The bytes of `value`.
///
/// # Panics
/// If `emit` writes other than `wire_len` bytes, or fits into less.
pub fn emit<'a, T: Repr<'a>>(value: &T) -> Vec<u8> {
    let mut bytes = vec![0; value.wire_len()];
    let mut writer = Writer::new(&mut bytes);
    value.emit(&mut writer).expect("wire_len bytes are enough");
    assert_eq!(writer.left(), 0, "emit wrote less than wire_len");
    if !bytes.is_empty() {
        let mut short = vec![0; bytes.len() - 1];
        assert!(value.emit(&mut Writer::new(&mut short)).is_err(), "emit fits into less than wire_len");
    }
    bytes
}

/// Parses `bytes`, whatever they are; and if they parse, checks that the value survives its own emission. The heart of
/// a fuzz target.
///
/// # Panics
/// If a value that parsed does not survive.
pub fn noise<T>(bytes: &[u8])
where
    T: PartialEq + core::fmt::Debug + for<'a> Repr<'a>,
{
    if let Ok(value) = T::parse(&mut Reader::new(bytes)) {
        let again = emit(&value);
        let back = T::parse(&mut Reader::new(&again)).expect("a value's own emission parses");
        assert_eq!(back, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Full, Malformed, VARINT_MAX, varint_len};

    #[derive(PartialEq, Debug)]
    struct Varint(u64);

    impl Repr<'_> for Varint {
        fn parse(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
            reader.varint().map(Varint)
        }
        fn wire_len(&self) -> usize {
            varint_len(self.0)
        }
        fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
            writer.varint(self.0)
        }
    }

    #[test]
    fn varints_survive_at_every_boundary() {
        for v in [0, 0x3f, 0x40, 0x3fff, 0x4000, 0x3fff_ffff, 0x4000_0000, VARINT_MAX] {
            round_trip(&Varint(v));
        }
    }

    #[test]
    fn a_length_beyond_its_bound_or_its_bytes_is_malformed() {
        assert_eq!(Reader::new(&[5, 1, 2, 3, 4, 5]).prefixed(4), Err(Malformed));
        assert_eq!(Reader::new(&[5, 1, 2, 3, 4]).prefixed(10), Err(Malformed));
        assert_eq!(Reader::new(&[2, 0xff, 0xfe]).text(10), Err(Malformed));
        assert_eq!(Reader::new(&[2, b'h', b'i']).text(2), Ok(tng_base::PeerText::new("hi")));
    }

    #[test]
    fn a_run_of_one_byte_is_passed_over_up_to_the_next_other_or_the_end() {
        let mut reader = Reader::new(&[0, 0, 1, 0]);
        reader.skip_run(0);
        assert_eq!((reader.position(), reader.u8()), (2, Ok(1)));
        reader.skip_run(0);
        assert!(reader.is_empty());
        reader.skip_run(0);
        assert!(reader.is_empty());
    }

    #[test]
    fn a_write_that_does_not_fit_writes_nothing() {
        let mut buf = [0; 3];
        let mut writer = Writer::new(&mut buf);
        assert_eq!(writer.prefixed(b"abc"), Err(Full));
        assert_eq!(writer.position(), 0);
        assert_eq!(writer.prefixed(b"ab"), Ok(()));
        assert_eq!(writer.written(), [2, b'a', b'b']);
    }
}
