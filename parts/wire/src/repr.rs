//! What a wire format offers.

use crate::{Full, Reader, Writer};

/// Bytes that are not the format they should be: truncated, out of range, or self-contradictory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

impl core::fmt::Display for Malformed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("malformed")
    }
}

impl core::error::Error for Malformed {}

impl From<Full> for Malformed {
    fn from(_: Full) -> Malformed {
        Malformed
    }
}

/// The sensible representation of something on the wire; only states that can be sent and understood.
///
/// `parse(emit(x)) == x` for every value, and `emit` writes exactly [`wire_len`](Repr::wire_len) bytes.
pub trait Repr<'a>: Sized {
    /// Reads one value, leaving the reader after it.
    ///
    /// # Errors
    /// [`Malformed`], with the reader in no particular place.
    fn parse(reader: &mut Reader<'a>) -> Result<Self, Malformed>;

    /// Bytes that [`emit`](Repr::emit) will write.
    fn wire_len(&self) -> usize;

    /// Writes the value.
    ///
    /// # Errors
    /// [`Full`] if the writer has less than [`wire_len`](Repr::wire_len) bytes left.
    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full>;

    /// The bytes of the value, in a buffer of their own: for messages that are seldom sent.
    fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.wire_len()];
        self.emit(&mut Writer::new(&mut bytes)).expect("wire_len bytes are enough");
        bytes
    }
}
