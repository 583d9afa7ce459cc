//! What a server that ends writes down of its filters, for the one that takes over (docs/wire.md section 11.2).

use tng_wire::{Malformed, Reader};

/// Why a server cannot go by what an earlier one wrote down. It begins as after a crash: what was given out before is
/// good for a timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HandedError {
    /// It is cut short, or says what no server writes.
    #[error("it is damaged, or cut short")]
    Malformed,
    /// It is of another kind of filter, or one of another size: of a server with other settings.
    #[error("it was written by a server with other settings")]
    OtherFilter,
    /// It is of a server that was driven by another number of threads, which divide connections otherwise.
    #[error("it was written by a server with another number of threads")]
    Threads,
    /// There is no room for all that was told, or for all servers that have given something out.
    #[error("it says more than there is room for")]
    Full,
    /// The clock says less than when it was written.
    #[error("it is of a time to come")]
    Future,
}

impl From<Malformed> for HandedError {
    fn from(Malformed: Malformed) -> HandedError {
        HandedError::Malformed
    }
}

/// A count of words, and the words.
pub(super) fn write_words(words: &[u64], out: &mut Vec<u8>) {
    out.extend_from_slice(&(words.len() as u32).to_be_bytes());
    words.iter().for_each(|word| out.extend_from_slice(&word.to_be_bytes()));
}

/// Reads words into the first of `into`, which has zeros.
pub(super) fn read_words(reader: &mut Reader<'_>, into: &mut [u64]) -> Result<(), HandedError> {
    let count = reader.u32()? as usize;
    for word in into.get_mut(..count).ok_or(HandedError::Malformed)? {
        *word = reader.u64()?;
    }
    Ok(())
}
