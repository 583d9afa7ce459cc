//! The segments of a JPEG file (ITU-T T.81, annex B).

use core::ops::Range;

use super::huffman::{COEFFICIENTS, Table};
use super::{IMAGE_LEN_MAX, ImageError};

/// Blocks of brightness that an image has at least: 128 by 128 pixels.
const BLOCKS_MIN: u32 = 256;

const SOF_BASELINE: u8 = 0xc0;
const SOF_PROGRESSIVE: u8 = 0xc2;
const DHT: u8 = 0xc4;
const EOI: u8 = 0xd9;
const SOS: u8 = 0xda;
const DRI: u8 = 0xdd;
/// A coefficient table of that number stands for one of means without it.
const OF_COEFFICIENTS: u8 = 0x10;

/// A colour, or brightness, which is the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Component {
    id: u8,
    sampling: (u8, u8),
    /// Blocks of it in an MCU.
    pub(super) blocks: u8,
    means: u8,
    coefficients: u8,
}

/// A baseline JPEG, taken apart.
#[derive(Clone, Debug)]
pub struct Image {
    /// All before the entropy-coded data, as it is served.
    head: Vec<u8>,
    /// All behind it.
    tail: Vec<u8>,
    /// The data without its stuffing and restart markers.
    pub(super) data: Vec<u8>,
    /// Where in it restart intervals begin.
    starts: Vec<u32>,
    /// MCUs in a restart interval; 0: all.
    pub(super) interval: u32,
    pub(super) components: Vec<Component>,
    means: [Option<Table>; 4],
    coefficients: [Option<Table>; 4],
    /// The table that takes the place of the one for brightness, if that has not codes for all that a mark may need.
    replaced: Option<(u8, Table)>,
    /// MCUs side by side, and one below the other.
    pub(super) columns: u32,
    rows: u32,
    /// Pixels of a row of MCUs, one below the other.
    row_height: u32,
}

/// A frame header.
struct Frame {
    width: u32,
    height: u32,
    components: Vec<Component>,
}

impl Image {
    /// Takes a file apart.
    ///
    /// # Errors
    /// [`ImageError`]: of damages those outside of entropy-coded data.
    pub fn parse(bytes: &[u8]) -> Result<Image, ImageError> {
        if bytes.len() > IMAGE_LEN_MAX {
            return Err(ImageError::TooLong);
        }
        let Some(mut rest) = bytes.strip_prefix(&[0xff, 0xd8]) else { return Err(ImageError::NotJpeg) };
        let (mut frame, mut interval) = (None, 0);
        let (mut means, mut coefficients) = ([const { None }; 4], [const { None }; 4]);
        let mut segments = Vec::new();
        loop {
            let (marker, body, behind) = segment(rest)?;
            match marker {
                SOF_BASELINE => frame = Some(Frame::parse(body, frame.is_some())?),
                SOF_PROGRESSIVE => return Err(ImageError::Progressive),
                DHT => tables(body, &mut means, &mut coefficients)?,
                0xc1..=0xcf | 0xdc | 0xde | 0xdf => return Err(ImageError::Kind(marker)),
                DRI => match body {
                    [high, low] => interval = u32::from(u16::from_be_bytes([*high, *low])),
                    _ => return Err(ImageError::Damaged("its restart interval has another length")),
                },
                EOI | 0x00..=0xbf | 0xd0..=0xd8 => return Err(ImageError::Damaged("a marker stands where none may")),
                SOS => {
                    segments.push((marker, body));
                    rest = behind;
                    break;
                }
                _ => {}
            }
            segments.push((marker, body));
            rest = behind;
        }
        let mut frame: Frame = frame.ok_or(ImageError::Damaged("it has data and no frame"))?;
        let scan = segments.last().map_or(&[][..], |(_, body)| *body);
        frame.begin_scan(scan)?;
        let (columns, rows, row_height) = frame.mcus();
        let mut image = Image {
            head: Vec::new(),
            tail: Vec::new(),
            data: Vec::with_capacity(rest.len()),
            starts: vec![0],
            interval,
            components: frame.components,
            means,
            coefficients,
            replaced: None,
            columns,
            rows,
            row_height,
        };
        image.look_at_tables()?;
        if columns * rows * u32::from(image.components[0].blocks) < BLOCKS_MIN {
            return Err(ImageError::TooSmall);
        }
        image.take_data(rest)?;
        image.write_head(&segments)?;
        Ok(image)
    }

    /// Takes the stuffing out of entropy-coded data.
    fn take_data(&mut self, bytes: &[u8]) -> Result<(), ImageError> {
        let mut at = 0;
        loop {
            let plain = bytes[at..].iter().position(|byte| *byte == 0xff).ok_or(ImageError::Truncated)?;
            self.data.extend_from_slice(&bytes[at..at + plain]);
            at += plain;
            let marker = bytes[at..].iter().position(|byte| *byte != 0xff).ok_or(ImageError::Truncated)?;
            match bytes[at + marker] {
                0 => self.data.push(0xff),
                number @ 0xd0..=0xd7 => {
                    let expected = 0xd0 + ((self.starts.len() + 7) % 8) as u8;
                    if self.interval == 0 || number != expected {
                        return Err(ImageError::Damaged("its restart markers are not in order"));
                    }
                    self.starts.push(self.data.len() as u32);
                }
                EOI => break,
                SOS | DHT => return Err(ImageError::Scans),
                _ => return Err(ImageError::Damaged("a marker stands where none may")),
            }
            at += marker + 1;
        }
        let intervals = if self.interval == 0 { 1 } else { self.mcus().div_ceil(self.interval) };
        match self.starts.len().cmp(&(intervals as usize)) {
            core::cmp::Ordering::Less => return Err(ImageError::Truncated),
            core::cmp::Ordering::Greater => return Err(ImageError::Damaged("it has more restart markers than MCUs")),
            core::cmp::Ordering::Equal => {}
        }
        self.tail = bytes[at..].to_vec();
        Ok(())
    }

    /// Sees whether all tables are there, and replaces the one that marks need whole.
    fn look_at_tables(&mut self) -> Result<(), ImageError> {
        let has = |tables: &[Option<Table>; 4], number: u8| tables[usize::from(number)].is_some();
        let has_all = |component: &Component| {
            has(&self.means, component.means) && has(&self.coefficients, component.coefficients)
        };
        if !self.components.iter().all(has_all) {
            return Err(ImageError::Damaged("a Huffman table is missing"));
        }
        let number = self.components[0].coefficients;
        if !self.coefficients(&self.components[0]).has_all_coefficients() {
            self.replaced = Some((number, Table::new(&COEFFICIENTS.0, &COEFFICIENTS.1)?));
        }
        Ok(())
    }

    fn write_head(&mut self, segments: &[(u8, &[u8])]) -> Result<(), ImageError> {
        self.head.extend([0xff, 0xd8]);
        for (marker, body) in segments {
            let mut body = body.to_vec();
            if let Some((number, _)) = self.replaced.as_ref().filter(|_| *marker == DHT) {
                body = replaced(&body, OF_COEFFICIENTS | number);
            }
            let len = u16::try_from(body.len() + 2);
            let len = len.map_err(|_| ImageError::Damaged("a segment has more Huffman tables than there are"))?;
            self.head.extend([0xff, *marker]);
            self.head.extend(len.to_be_bytes());
            self.head.extend(body);
        }
        Ok(())
    }

    /// All before the entropy-coded data, as it is served.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// All behind it.
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// How many MCUs it has.
    pub const fn mcus(&self) -> u32 {
        self.columns * self.rows
    }

    /// How many MCUs stand side by side.
    pub const fn columns(&self) -> u32 {
        self.columns
    }

    /// How many pixels of height a row of MCUs has.
    pub const fn row_height(&self) -> u32 {
        self.row_height
    }

    /// MCUs in a restart interval; 0 if there are no restart markers.
    pub const fn restart_interval(&self) -> u32 {
        self.interval
    }

    /// Bytes that it holds.
    pub const fn held(&self) -> usize {
        self.head.capacity() + self.tail.capacity() + self.data.capacity() + 4 * self.starts.capacity()
    }

    /// Which bits of the data a restart interval has.
    pub(super) fn interval_bits(&self, interval: u32) -> Range<u64> {
        let interval = if self.interval == 0 { 0 } else { interval as usize };
        let start = |at: usize| self.starts.get(at).map_or(self.data.len() as u64, |start| u64::from(*start));
        8 * start(interval)..8 * start(interval + 1)
    }

    pub(super) fn means(&self, component: &Component) -> &Table {
        self.means[usize::from(component.means)].as_ref().expect("it was looked whether it is there")
    }

    pub(super) fn coefficients(&self, component: &Component) -> &Table {
        self.coefficients[usize::from(component.coefficients)].as_ref().expect("it was looked whether it is there")
    }

    /// The table with which coefficients are written.
    pub(super) fn coefficients_out(&self, component: &Component) -> &Table {
        match &self.replaced {
            Some((number, table)) if *number == component.coefficients => table,
            _ => self.coefficients(component),
        }
    }
}

impl Frame {
    fn parse(body: &[u8], is_second: bool) -> Result<Frame, ImageError> {
        let [bits, high, low, wide, side, count, components @ ..] = body else {
            return Err(ImageError::Damaged("its frame header is too short"));
        };
        if is_second {
            return Err(ImageError::Damaged("it has two frames"));
        }
        if *bits != 8 {
            return Err(ImageError::Damaged("its samples have not 8 bits, as those of a baseline image have"));
        }
        if !matches!(count, 1 | 3) {
            return Err(ImageError::Colours(*count));
        }
        let (height, width) = (u16::from_be_bytes([*high, *low]), u16::from_be_bytes([*wide, *side]));
        if height == 0 || width == 0 || components.len() != 3 * usize::from(*count) {
            return Err(ImageError::Damaged("its frame header makes no sense"));
        }
        let mut parsed = Vec::new();
        for component in components.chunks_exact(3) {
            let sampling = (component[1] >> 4, component[1] & 15);
            if !(1..=4).contains(&sampling.0) || !(1..=4).contains(&sampling.1) {
                return Err(ImageError::Damaged("its frame header makes no sense"));
            }
            parsed.push(Component { id: component[0], sampling, ..Component::default() });
        }
        if let [only] = &mut parsed[..] {
            // A component alone comes block by block.
            only.sampling = (1, 1);
        }
        Ok(Frame { width: width.into(), height: height.into(), components: parsed })
    }

    /// Sees that all comes in this scan, and by which tables.
    fn begin_scan(&mut self, body: &[u8]) -> Result<(), ImageError> {
        let [count, rest @ ..] = body else { return Err(ImageError::Damaged("its scan header is too short")) };
        if usize::from(*count) != self.components.len() {
            return Err(ImageError::Scans);
        }
        if rest.len() != 2 * self.components.len() + 3 {
            return Err(ImageError::Damaged("its scan header makes no sense"));
        }
        for (component, scan) in self.components.iter_mut().zip(rest.chunks_exact(2)) {
            (component.means, component.coefficients) = (scan[1] >> 4, scan[1] & 15);
            if component.id != scan[0] || component.means > 3 || component.coefficients > 3 {
                return Err(ImageError::Damaged("its scan header makes no sense"));
            }
            component.blocks = component.sampling.0 * component.sampling.1;
        }
        if rest[rest.len() - 3..] != [0, 63, 0] {
            return Err(ImageError::Damaged("its scan is not that of a baseline image"));
        }
        // As the standard has it: 10 blocks are the most.
        let blocks: u8 = self.components.iter().map(|component| component.blocks).sum();
        if blocks > 10 { Err(ImageError::Damaged("its MCUs have more blocks than there may be")) } else { Ok(()) }
    }

    /// MCUs side by side, and one below the other; and how high each is.
    fn mcus(&self) -> (u32, u32, u32) {
        let most =
            |of: fn(&Component) -> u8| self.components.iter().map(of).max().map_or(8, |most| 8 * u32::from(most));
        let (wide, high) = (most(|component| component.sampling.0), most(|component| component.sampling.1));
        (self.width.div_ceil(wide), self.height.div_ceil(high), high)
    }
}

/// The next segment: its marker, what is in it, and all behind it.
fn segment(bytes: &[u8]) -> Result<(u8, &[u8], &[u8]), ImageError> {
    let [0xff, rest @ ..] = bytes else {
        return Err(if bytes.is_empty() { ImageError::Truncated } else { ImageError::Damaged("a marker is missing") });
    };
    // Markers may have further such bytes before them.
    let fill = rest.iter().position(|byte| *byte != 0xff).ok_or(ImageError::Truncated)?;
    let marker = rest[fill];
    if matches!(marker, 0x00..=0xbf | 0xd0..=0xd9) {
        return Ok((marker, &[], &rest[fill + 1..]));
    }
    let [high, low, body @ ..] = &rest[fill + 1..] else { return Err(ImageError::Truncated) };
    let len = usize::from(u16::from_be_bytes([*high, *low]));
    let len = len.checked_sub(2).ok_or(ImageError::Damaged("a segment is shorter than its length"))?;
    let (body, behind) = body.split_at_checked(len).ok_or(ImageError::Truncated)?;
    Ok((marker, body, behind))
}

/// The tables of a segment: the byte that names each, how many codes of each length it has, and its symbols.
fn split_tables(mut body: &[u8]) -> impl Iterator<Item = Result<(u8, &[u8; 16], &[u8]), ImageError>> {
    core::iter::from_fn(move || {
        let (name, rest) = body.split_first()?;
        let parts = rest.split_first_chunk::<16>().and_then(|(counts, rest)| {
            let total = counts.iter().map(|count| usize::from(*count)).sum();
            Some((counts, rest.split_at_checked(total)?))
        });
        let Some((counts, (symbols, rest))) = parts else {
            body = &[];
            return Some(Err(ImageError::Damaged("a Huffman table is too short")));
        };
        body = rest;
        Some(Ok((*name, counts, symbols)))
    })
}

fn tables(
    body: &[u8],
    means: &mut [Option<Table>; 4],
    coefficients: &mut [Option<Table>; 4],
) -> Result<(), ImageError> {
    for table in split_tables(body) {
        let (name, counts, symbols) = table?;
        let tables = if name & OF_COEFFICIENTS == 0 { &mut *means } else { &mut *coefficients };
        let place = tables.get_mut(usize::from(name & !OF_COEFFICIENTS));
        *place.ok_or(ImageError::Damaged("a Huffman table has a number that none has"))? =
            Some(Table::new(counts, symbols)?);
    }
    Ok(())
}

/// A segment of tables, with the whole one in the place of that of a name.
fn replaced(body: &[u8], name: u8) -> Vec<u8> {
    let mut out = Vec::new();
    for (this, counts, symbols) in split_tables(body).filter_map(Result::ok) {
        out.push(this);
        if this == name {
            out.extend(COEFFICIENTS.0);
            out.extend(COEFFICIENTS.1);
        } else {
            out.extend(counts);
            out.extend(symbols);
        }
    }
    out
}
