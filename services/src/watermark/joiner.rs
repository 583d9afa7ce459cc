//! Pieces of entropy-coded data that need not begin where others end, and what joins them.

use core::ops::Range;

use tng_wire::{Malformed, Reader};

use super::bit_writer::BitWriter;

/// A piece has so many MCUs at most: each that is a multiple of it begins one, and so does each restart interval.
pub const PIECE_MCUS: u32 = 16;
/// Bytes before the data of a piece.
pub const PIECE_HEAD: usize = 1 + 3 + 2;

/// What stands behind a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    /// The next, bit by bit.
    Nothing = 0,
    /// A restart marker.
    Restart = 1,
    /// The end of the data.
    Data = 2,
}

/// Why what came is not joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unjoined {
    /// It is no piece.
    #[error("what the server sends is no piece of an image")]
    Malformed,
    /// It stands behind the end, or before it.
    #[error("the server's pieces do not make an image")]
    End,
}

/// Makes entropy-coded data of pieces.
#[derive(Clone, Debug)]
pub struct Joiner {
    writer: BitWriter,
    restarts: u8,
    is_over: bool,
}

impl Default for Joiner {
    fn default() -> Joiner {
        Joiner { writer: BitWriter::stuffed(1), restarts: 0, is_over: false }
    }
}

impl Joiner {
    /// Takes all pieces that have come whole. Answers how many bytes they have.
    ///
    /// # Errors
    /// [`Unjoined`].
    pub fn join(&mut self, bytes: &[u8]) -> Result<usize, Unjoined> {
        let mut taken = 0;
        while let Some(head) = bytes[taken..].first_chunk::<PIECE_HEAD>() {
            let mut reader = Reader::new(head);
            let mut head = || Ok::<_, Malformed>((reader.u8()?, reader.uint(3)?, reader.u16()?));
            let (ends, bits, skip) = head().map_err(|Malformed| Unjoined::Malformed)?;
            let all = bits + u64::from(skip);
            if ends > Ends::Data as u8 || !all.is_multiple_of(8) {
                return Err(Unjoined::Malformed);
            }
            let range: Range<usize> = taken + PIECE_HEAD..taken + PIECE_HEAD + (all / 8) as usize;
            let Some(data) = bytes.get(range.clone()) else { break };
            self.add(data, bits, ends)?;
            taken = range.end;
        }
        Ok(taken)
    }

    fn add(&mut self, data: &[u8], bits: u64, ends: u8) -> Result<(), Unjoined> {
        if self.is_over {
            return Err(Unjoined::End);
        }
        let (whole, rest) = ((bits / 8) as usize, (bits % 8) as u8);
        self.writer.write_bytes(&data[..whole]);
        if rest > 0 {
            self.writer.write((data[whole] >> (8 - rest)).into(), rest);
        }
        if ends != Ends::Nothing as u8 {
            self.writer.fill();
        }
        if ends == Ends::Restart as u8 {
            self.writer.bytes.extend([0xff, 0xd0 + self.restarts]);
            self.restarts = (self.restarts + 1) % 8;
        }
        self.is_over = ends == Ends::Data as u8;
        Ok(())
    }

    /// The data that is whole so far, once.
    pub fn take(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.writer.bytes)
    }

    /// Whether the end of the data came.
    pub const fn is_over(&self) -> bool {
        self.is_over
    }
}
