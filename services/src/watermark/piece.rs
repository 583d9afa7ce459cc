//! Pieces of entropy-coded data that need not begin where others end.

use core::ops::Range;

use tng_wire::{Malformed, Reader, Writer};

use super::bits::BitWriter;
use super::coder::{Coder, Marking, Work};
use super::{Image, ImageError, Mark};

/// A piece has so many MCUs at most: each that is a multiple of it begins one, and so does each restart interval.
pub const PIECE_MCUS: u32 = 16;
/// Bytes before the data of a piece.
pub const PIECE_HEAD: usize = 1 + 3 + 2;

/// What stands behind a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ends {
    /// The next, bit by bit.
    Nothing = 0,
    /// A restart marker.
    Restart = 1,
    /// The end of the data.
    Data = 2,
}

/// Where the piece ends that begins with an MCU.
pub(super) fn piece_end(image: &Image, mcu: u32) -> u32 {
    let next = |every: u32| (mcu / every + 1) * every;
    let restart = if image.restart_interval() == 0 { u32::MAX } else { next(image.restart_interval()) };
    next(PIECE_MCUS).min(restart).min(image.mcus())
}

/// Writes the piece that begins with the coder's MCU: with room for any mark (`is_slotted`), or only as long as it is.
pub(super) fn write_piece(
    coder: &mut Coder<'_>,
    image: &Image,
    mark: &Mark,
    is_slotted: bool,
    out: &mut Vec<u8>,
) -> Result<(), ImageError> {
    let until = piece_end(image, coder.mcu());
    let mut marking = Marking::new(mark, BitWriter::plain());
    while coder.mcu() < until {
        coder.code(&mut marking)?;
    }
    let ends = if coder.is_over() {
        coder.end()?;
        Ends::Data
    } else if coder.is_behind_restart() {
        Ends::Restart
    } else {
        Ends::Nothing
    };
    let bits = marking.writer.len_bits() as u32;
    let spare = if is_slotted { marking.spare } else { 0 };
    let len = (bits + spare).div_ceil(8);
    let mut head = [0; PIECE_HEAD];
    let mut writer = Writer::new(&mut head);
    let written = writer.u8(ends as u8).and_then(|()| writer.uint(bits.into(), 3));
    written.and_then(|()| writer.u16((8 * len - bits) as u16)).expect("so long is a head");
    marking.writer.fill();
    out.extend(head);
    let to = out.len() + len as usize;
    out.extend(&marking.writer.bytes);
    out.resize(to, 0xff);
    Ok(())
}

/// The pieces of some MCUs: from one, which begins at that bit of the source, up to another.
///
/// # Errors
/// [`ImageError`], if the image is damaged.
pub fn pieces(
    image: &Image,
    mark: &Mark,
    (first, source): (u32, u32),
    until: u32,
    work: &mut Work,
) -> Result<Vec<u8>, ImageError> {
    let mut coder = Coder::new(image, first, source.into());
    let mut out = Vec::new();
    while coder.mcu() < until.min(image.mcus()) {
        write_piece(&mut coder, image, mark, false, &mut out)?;
    }
    work.coded += u64::from(coder.mcu().saturating_sub(first));
    Ok(out)
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
        data[..whole].iter().for_each(|byte| self.writer.write((*byte).into(), 8));
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
