//! Makes pieces of entropy-coded data.

use tng_wire::Writer;

use super::bit_writer::BitWriter;
use super::coder::{Coder, Marking, Work};
use super::joiner::{Ends, PIECE_HEAD, PIECE_MCUS};
use super::{Image, ImageError, Mark};

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
