//! Where in the output MCUs begin.

use core::ops::Range;

use tng_wire::{Malformed, Reader, VARINT_MAX, Writer};

use super::bit_writer::BitWriter;
use super::coder::{self, Coder, Sink, Spot, Work};
use super::joiner::{PIECE_HEAD, PIECE_MCUS};
use super::mark::CARRIERS_MIN;
use super::piece::{piece_end, write_piece};
use super::{Image, ImageError, Mark};

/// By what means any bytes of the output are made again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Bit alignments: the output is the image itself.
    Alignments,
    /// SKIP markers: the output is pieces with room for any mark.
    Skips,
}

/// Where an MCU begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct McuStart {
    /// Its number.
    pub mcu: u32,
    /// The bit of the source's data.
    pub source: u32,
    /// How many bytes of the output are whole before it.
    pub(super) out: u32,
    /// The bits of the output before it that are no whole byte, below a one.
    pub(super) carry: u8,
}

impl McuStart {
    /// Bytes of one.
    pub const LEN: usize = 13;

    /// Its bytes.
    pub fn to_bytes(&self) -> [u8; McuStart::LEN] {
        let mut out = [0; McuStart::LEN];
        let mut writer = Writer::new(&mut out);
        let written = [self.mcu, self.source, self.out].into_iter().try_for_each(|number| writer.u32(number));
        written.and_then(|()| writer.u8(self.carry)).expect("so long is a place");
        out
    }

    /// What was written.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn parse(reader: &mut Reader<'_>) -> Result<McuStart, Malformed> {
        Ok(McuStart { mcu: reader.u32()?, source: reader.u32()?, out: reader.u32()?, carry: reader.u8()? })
    }
}

/// Where bytes of the output are made from, and what is left to go on from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Resume {
    /// A place that is known beside those of the layout; afterwards the last before the end of what was made.
    pub place: Option<McuStart>,
    /// MCUs between that and the nearest place of the layout before it: so many are coded again by who does not know
    /// it.
    pub saved: u32,
}

const FIRST: McuStart = McuStart { mcu: 0, source: 0, out: 0, carry: 1 };

/// Places at regular intervals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    way: Way,
    /// The first is that of the first MCU.
    places: Vec<McuStart>,
    /// MCUs from each to the next.
    stride: u32,
    /// Bytes of the output that depend on MCUs.
    len: u32,
}

/// Counts what any mark takes.
#[derive(Default)]
struct Survey {
    bits: u64,
    carriers: u32,
}

impl Sink for Survey {
    fn bits(&mut self, _: u16, count: u8) {
        self.bits += u64::from(count);
    }

    fn carrier(&mut self, _: Spot, _: u8, room: [u8; 2]) -> u8 {
        self.carriers += 1;
        u8::from(room[1] > room[0])
    }
}

impl Layout {
    /// Codes all of an image and throws it away. Answers where MCUs begin, and the hash of the whole file.
    ///
    /// # Errors
    /// [`ImageError`], if it is damaged or too plain.
    pub fn alignments(image: &Image, mark: &Mark, work: &mut Work) -> Result<(Layout, [u8; 32]), ImageError> {
        let (mut places, mut len) = (Vec::new(), 0);
        let mut hasher = blake3::Hasher::new();
        hasher.update(image.head());
        let mut coder = Coder::new(image, 0, 0);
        let marking = coder::write(&mut coder, mark, FIRST.carry, |coder, writer: &mut BitWriter| {
            if coder.mcu().is_multiple_of(PIECE_MCUS) {
                hasher.update(&writer.bytes);
                len += writer.bytes.len();
                writer.bytes.clear();
                let (source, out) = (coder.source() as u32, len as u32);
                places.push(McuStart { mcu: coder.mcu(), source, out, carry: writer.carry() });
            }
            true
        })?;
        hasher.update(&marking.writer.bytes).update(image.tail());
        len += marking.writer.bytes.len();
        work.coded += u64::from(image.mcus());
        enough(marking.carriers)?;
        let layout = Layout { way: Way::Alignments, places, stride: PIECE_MCUS, len: len as u32 };
        Ok((layout, *hasher.finalize().as_bytes()))
    }

    /// Goes through an image for all clients. Answers where pieces begin that have room for any mark.
    ///
    /// # Errors
    /// [`ImageError`], if it is damaged or too plain.
    pub fn skips(image: &Image, work: &mut Work) -> Result<Layout, ImageError> {
        let (mut places, mut len, mut carriers) = (Vec::new(), 0, 0);
        let mut coder = Coder::new(image, 0, 0);
        while !coder.is_over() {
            if coder.mcu().is_multiple_of(PIECE_MCUS) {
                places.push(McuStart { mcu: coder.mcu(), source: coder.source() as u32, out: len, carry: 1 });
            }
            let (mut survey, until) = (Survey::default(), piece_end(image, coder.mcu()));
            while coder.mcu() < until {
                coder.code(&mut survey)?;
            }
            len += PIECE_HEAD as u32 + survey.bits.div_ceil(8) as u32;
            carriers += survey.carriers;
        }
        coder.end()?;
        work.surveyed += u64::from(image.mcus());
        enough(carriers)?;
        Ok(Layout { way: Way::Skips, places, stride: PIECE_MCUS, len })
    }

    /// By what means it makes bytes again.
    pub const fn way(&self) -> Way {
        self.way
    }

    /// How long the output is.
    pub fn len(&self, image: &Image) -> u64 {
        match self.way {
            Way::Alignments => (image.head().len() + image.tail().len()) as u64 + u64::from(self.len),
            Way::Skips => self.len.into(),
        }
    }

    /// Where that MCU begins, if it is one of the places.
    pub fn place(&self, mcu: u32) -> Option<&McuStart> {
        let place = self.places.get((mcu / self.stride) as usize)?;
        (place.mcu == mcu).then_some(place)
    }

    /// Bytes that it holds.
    pub const fn held(&self) -> usize {
        self.places.capacity() * size_of::<McuStart>()
    }

    /// Some bytes of the output, made from the nearest place before them.
    ///
    /// # Errors
    /// [`ImageError`], if the image is damaged, or is not the one that this is of.
    pub fn bytes(&self, image: &Image, mark: &Mark, range: Range<u64>, work: &mut Work) -> Result<Vec<u8>, ImageError> {
        self.bytes_from(image, mark, range, &mut Resume::default(), work)
    }

    /// The same, from a place where somebody has stopped before, if that is nearer: it depends on the mark, unless the
    /// output is in pieces. The same bytes come without it.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub fn bytes_from(
        &self,
        image: &Image,
        mark: &Mark,
        range: Range<u64>,
        resume: &mut Resume,
        work: &mut Work,
    ) -> Result<Vec<u8>, ImageError> {
        if self.way == Way::Skips {
            return self.of_data(image, mark, range, resume, work);
        }
        let (head, data) = (image.head().len() as u64, u64::from(self.len));
        let cut = |from: u64, to: u64| range.start.clamp(from, to) - from..range.end.clamp(from, to) - from;
        let of = |bytes: &[u8], range: Range<u64>| bytes[range.start as usize..range.end as usize].to_vec();
        let mut out = of(image.head(), cut(0, head));
        let inner = cut(head, head + data);
        if !inner.is_empty() {
            out.extend(self.of_data(image, mark, inner, resume, work)?);
        } else {
            *resume = Resume::default();
        }
        let behind = head + data;
        out.extend(of(image.tail(), cut(behind, behind + image.tail().len() as u64)));
        Ok(out)
    }

    /// The nearest place before a byte of the output.
    fn before(&self, byte: u64) -> &McuStart {
        let behind = self.places.partition_point(|place| u64::from(place.out) <= byte);
        self.places[..behind].last().unwrap_or(&FIRST)
    }

    fn of_data(
        &self,
        image: &Image,
        mark: &Mark,
        range: Range<u64>,
        resume: &mut Resume,
        work: &mut Work,
    ) -> Result<Vec<u8>, ImageError> {
        let own = *self.before(range.start);
        let place = resume.place.filter(|place| place.mcu > own.mcu && u64::from(place.out) <= range.start);
        let place = place.unwrap_or(own);
        let from = u64::from(place.out);
        let wanted = (range.start - from) as usize..(range.end - from) as usize;
        let mut coder = Coder::new(image, place.mcu, place.source.into());
        let mut last = place;
        let mut passes = |coder: &Coder<'_>, len: usize, carry: u8| {
            if len <= wanted.end {
                last = McuStart { mcu: coder.mcu(), source: coder.source() as u32, out: place.out + len as u32, carry };
            }
            len < wanted.end
        };
        let bytes = match self.way {
            Way::Alignments => {
                let goes_on =
                    |coder: &Coder<'_>, writer: &mut BitWriter| passes(coder, writer.bytes.len(), writer.carry());
                coder::write(&mut coder, mark, place.carry, goes_on)?.writer.bytes
            }
            Way::Skips => {
                let mut out = Vec::new();
                while !coder.is_over() && passes(&coder, out.len(), FIRST.carry) {
                    write_piece(&mut coder, image, mark, true, &mut out)?;
                }
                out
            }
        };
        *resume = Resume { place: Some(last), saved: last.mcu.saturating_sub(self.before(range.end).mcu) };
        work.coded += u64::from(coder.mcu() - place.mcu);
        bytes.get(wanted).map(<[u8]>::to_vec).ok_or(ImageError::Damaged("it is shorter than it was"))
    }

    /// Writes it, with as many places as there is room for: every second, fourth and so on.
    pub fn write(&self, room: usize) -> Option<Vec<u8>> {
        let mut every = 1;
        loop {
            let mut out = vec![0; room];
            let mut writer = Writer::new(&mut out);
            if self.emit(every, &mut writer).is_ok() {
                let len = writer.position();
                out.truncate(len);
                return Some(out);
            }
            if every >= self.places.len() {
                return None;
            }
            every *= 2;
        }
    }

    fn emit(&self, every: usize, writer: &mut Writer<'_>) -> Result<(), tng_wire::Full> {
        writer.varint(u64::from(self.stride) * every as u64)?;
        writer.varint(self.len.into())?;
        let mut before = FIRST;
        for place in self.places.iter().step_by(every).skip(1) {
            writer.varint((place.source - before.source).into())?;
            writer.varint((place.out - before.out).into())?;
            if self.way == Way::Alignments {
                writer.u8(place.carry)?;
            }
            before = *place;
        }
        Ok(())
    }

    /// Reads what was written.
    ///
    /// # Errors
    /// [`Malformed`].
    pub fn read(way: Way, reader: &mut Reader<'_>) -> Result<Layout, Malformed> {
        let number = |reader: &mut Reader<'_>| u32::try_from(reader.varint()?).map_err(|_| Malformed);
        let (stride, len) = (number(reader)?, number(reader)?);
        let mut places = vec![FIRST];
        let mut place = FIRST;
        while !reader.is_empty() {
            let add = |to: u32, more: u32| to.checked_add(more).ok_or(Malformed);
            place.mcu = add(place.mcu, stride)?;
            place.source = add(place.source, number(reader)?)?;
            place.out = add(place.out, number(reader)?)?;
            if way == Way::Alignments {
                place.carry = reader.u8()?;
            }
            places.push(place);
        }
        if stride == 0 || u64::from(len) > VARINT_MAX {
            Err(Malformed)
        } else {
            Ok(Layout { way, places, stride, len })
        }
    }
}

const fn enough(carriers: u32) -> Result<(), ImageError> {
    if carriers < CARRIERS_MIN { Err(ImageError::TooPlain(carriers)) } else { Ok(()) }
}
