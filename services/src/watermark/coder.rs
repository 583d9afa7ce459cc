//! MCUs, decoded to quantised coefficients and coded again.

use super::ImageError;
use super::bit_reader::BitReader;
use super::bit_writer::BitWriter;
use super::mark::{Mark, Pattern};
use super::segments::Image;

/// Carriers stand among the first so many coefficients of a block, in zigzag order, without the mean.
pub const COEFFICIENT_MAX: usize = 15;
/// The largest coefficient that the format has with one bit more than another: it has no neighbour.
const MAGNITUDE_MAX: u16 = 1_023;

/// What was done, in MCUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Decoded and coded with a mark.
    pub coded: u64,
    /// Decoded, to know where they begin.
    pub surveyed: u64,
}

/// Where a coefficient stands that holds a bit of a mark.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) row: u32,
    pub(super) column: u32,
    /// Which block of its MCU.
    pub(super) block: u8,
}

/// Where decoded MCUs go.
pub(super) trait Sink {
    /// So many bits, the last of `bits`.
    fn bits(&mut self, bits: u16, count: u8);

    /// A coefficient that holds a bit, now this one, and how many bits of data it takes with a 0 and with a 1. Answers
    /// which it is to hold.
    fn carrier(&mut self, spot: Spot, bit: u8, room: [u8; 2]) -> u8;
}

/// Writes MCUs with a mark.
pub(super) struct Marking<'a> {
    pattern: Pattern<'a>,
    pub(super) writer: BitWriter,
    pub(super) carriers: u32,
    /// How many bits more the longest mark takes.
    pub(super) spare: u32,
}

impl<'a> Marking<'a> {
    pub(super) const fn new(mark: &'a Mark, writer: BitWriter) -> Marking<'a> {
        Marking { pattern: Pattern::new(mark), writer, carriers: 0, spare: 0 }
    }
}

impl Sink for Marking<'_> {
    fn bits(&mut self, bits: u16, count: u8) {
        self.writer.write(bits, count);
    }

    fn carrier(&mut self, spot: Spot, _: u8, room: [u8; 2]) -> u8 {
        let bit = self.pattern.bit(spot);
        self.carriers += 1;
        self.spare += u32::from(room[0].max(room[1]) - room[usize::from(bit)]);
        bit
    }
}

/// Goes through an image, MCU by MCU.
#[derive(Clone, Debug)]
pub(super) struct Coder<'a> {
    image: &'a Image,
    reader: BitReader<'a>,
    /// The MCU that comes next.
    mcu: u32,
}

impl<'a> Coder<'a> {
    /// From an MCU on, which begins at that bit of the data: where it begins a restart interval, before that.
    pub(super) fn new(image: &'a Image, mcu: u32, source: u64) -> Coder<'a> {
        let interval = mcu.saturating_sub(1) / image.interval.max(1);
        let end = image.interval_bits(interval).end;
        Coder { image, reader: BitReader::new(&image.data, source, end), mcu }
    }

    /// The MCU that comes next.
    pub(super) const fn mcu(&self) -> u32 {
        self.mcu
    }

    /// Where it begins: if it begins a restart interval, where the one before ends.
    pub(super) const fn source(&self) -> u64 {
        self.reader.at()
    }

    /// Whether it begins a restart interval, and is not the first.
    pub(super) const fn is_behind_restart(&self) -> bool {
        self.image.interval > 0 && self.mcu > 0 && self.mcu.is_multiple_of(self.image.interval)
    }

    /// Whether all were coded.
    pub(super) const fn is_over(&self) -> bool {
        self.mcu >= self.image.mcus()
    }

    /// Goes on with the next restart interval, if there is one here.
    pub(super) fn enter(&mut self) -> Result<(), ImageError> {
        if self.is_behind_restart() && !self.is_over() {
            self.end()?;
            let bits = self.image.interval_bits(self.mcu / self.image.interval);
            self.reader = BitReader::new(&self.image.data, bits.start, bits.end);
        }
        Ok(())
    }

    /// Looks whether nothing but filling is left where an interval ends.
    pub(super) fn end(&self) -> Result<(), ImageError> {
        match self.reader.left() {
            0..8 => Ok(()),
            _ => Err(ImageError::Damaged("there is more data than blocks")),
        }
    }

    /// Codes the next MCU.
    pub(super) fn code(&mut self, sink: &mut impl Sink) -> Result<(), ImageError> {
        self.enter()?;
        let (row, column) = (self.mcu / self.image.columns, self.mcu % self.image.columns);
        for (place, component) in self.image.components.iter().enumerate() {
            for block in 0..component.blocks {
                let spot = (place == 0).then_some(Spot { row, column, block });
                self.code_block(place, spot, sink)?;
            }
        }
        self.mcu += 1;
        Ok(())
    }

    fn code_block(&mut self, place: usize, spot: Option<Spot>, sink: &mut impl Sink) -> Result<(), ImageError> {
        let component = &self.image.components[place];
        let (means, coefficients) = (self.image.means(component), self.image.coefficients(component));
        let out = self.image.coefficients_out(component);
        let reader = &mut self.reader;
        // The mean, as the difference from that of the block before: marks leave it alone.
        let size = means.read(reader)?;
        if size > 11 {
            return Err(ImageError::Damaged("a mean is larger than any"));
        }
        let (code, len) = means.code(size);
        sink.bits(code, len);
        sink.bits(reader.read(size)?, size);
        let (mut at, mut spot) = (1, spot);
        while at < 64 {
            let symbol = coefficients.read(reader)?;
            let (run, size) = (usize::from(symbol >> 4), symbol & 15);
            match (run, size) {
                (0, 0) => at = 64,
                (15, 0) => at += 16,
                (_, 0 | 11..) => return Err(ImageError::Damaged("a coefficient is larger than any")),
                _ => at += run + 1,
            }
            if at > 64 {
                return Err(ImageError::Damaged("a block has more coefficients than there are"));
            }
            let value = reader.read(size)?;
            let (mut symbol, mut size, mut value) = (symbol, size, value);
            // `at` stands behind the coefficient.
            if size > 0
                && let Some(spot) = spot.take().filter(|_| at - 1 <= COEFFICIENT_MAX)
            {
                let (magnitude, is_negative) = magnitude(value, size);
                if magnitude < MAGNITUDE_MAX {
                    // 1 and 2, 3 and 4, and so on: none of them is 0.
                    let (pair, bit) = (magnitude - 1, ((magnitude - 1) & 1) as u8);
                    let of = |bit: u8| (pair & !1) + 1 + u16::from(bit);
                    let room = |bit: u8| {
                        let size = size_of(of(bit));
                        out.code((run as u8) << 4 | size).1 + size
                    };
                    let bit = sink.carrier(spot, bit, [room(0), room(1)]);
                    let magnitude = of(bit);
                    size = size_of(magnitude);
                    symbol = (run as u8) << 4 | size;
                    value = if is_negative { ((1 << size) - 1) ^ magnitude } else { magnitude };
                }
            }
            let (code, len) = out.code(symbol);
            if len == 0 {
                return Err(ImageError::Damaged("a coefficient has no code"));
            }
            sink.bits(code, len);
            sink.bits(value, size);
        }
        Ok(())
    }
}

/// What a coefficient's bits stand for, without its sign, and whether that is a minus.
const fn magnitude(value: u16, size: u8) -> (u16, bool) {
    if value >> (size - 1) == 0 { (((1 << size) - 1) ^ value, true) } else { (value, false) }
}

/// Bits of a coefficient.
const fn size_of(magnitude: u16) -> u8 {
    (16 - magnitude.leading_zeros()) as u8
}

/// Writes all MCUs from there on that begin before `until`, each with its restart marker.
pub(super) fn write<'m>(
    coder: &mut Coder<'_>,
    mark: &'m Mark,
    carry: u8,
    mut goes_on: impl FnMut(&Coder<'_>, &mut BitWriter) -> bool,
) -> Result<Marking<'m>, ImageError> {
    let mut marking = Marking::new(mark, BitWriter::stuffed(carry));
    while !coder.is_over() && goes_on(coder, &mut marking.writer) {
        if coder.is_behind_restart() {
            let number = (coder.mcu() / coder.image.interval + 7) % 8;
            marking.writer.fill();
            marking.writer.bytes.extend([0xff, 0xd0 + number as u8]);
        }
        coder.code(&mut marking)?;
    }
    if coder.is_over() {
        coder.end()?;
        marking.writer.fill();
    }
    Ok(marking)
}
