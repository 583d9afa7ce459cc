//! Segments (RFC 9293 section 3.1), with the options MSS, window scale and timestamps (RFC 7323) and SACK (RFC 2018).

use core::net::IpAddr;

use tng_wire::{Full, Malformed, Reader, Repr, Writer};

/// Bytes of a header without options.
pub const HEADER_LEN: usize = 20;
/// Most bytes of options.
pub const OPTIONS_MAX: usize = 40;
/// Most blocks of selective acknowledgment in one segment; one less beside timestamps.
pub const SACK_BLOCKS_MAX: usize = 4;
/// Largest shift of a window (RFC 7323 section 2.3); larger ones count as this.
pub const WINDOW_SCALE_MAX: u8 = 14;

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const PSH: u8 = 0x08;
const ACK: u8 = 0x10;

const KIND_END: u8 = 0;
const KIND_NOP: u8 = 1;
const KIND_MSS: u8 = 2;
const KIND_WINDOW_SCALE: u8 = 3;
const KIND_SACK_PERMITTED: u8 = 4;
const KIND_SACK: u8 = 5;
const KIND_TIMESTAMPS: u8 = 8;

/// Where the checksum stands.
const CHECKSUM_AT: usize = 16;
/// IP protocol number.
const PROTOCOL: u64 = 6;

/// The control bits but ACK, which is in [`Segment::ack`]. URG and the ECN bits are neither sent nor read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// Synchronizes sequence numbers.
    pub syn: bool,
    /// No more data.
    pub fin: bool,
    /// Resets the connection.
    pub rst: bool,
    /// Nothing follows for now.
    pub psh: bool,
}

/// Ranges received beyond the acknowledgment, `[start, end)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SackBlocks {
    blocks: [(u32, u32); SACK_BLOCKS_MAX],
    count: u8,
}

impl SackBlocks {
    /// Adds a block if there is room; answers whether there was.
    pub fn push(&mut self, start: u32, end: u32) -> bool {
        let free = self.blocks.get_mut(usize::from(self.count));
        let fits = free.is_some();
        if let Some(block) = free {
            *block = (start, end);
            self.count += 1;
        }
        fits
    }

    /// The blocks, in the order of the segment.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.blocks[..usize::from(self.count)].iter().copied()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        usize::from(self.count)
    }
}

/// A timestamp and the echo of the peer's (RFC 7323 section 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timestamps {
    /// The sender's clock, milliseconds.
    pub value: u32,
    /// The peer's clock as last seen, if the segment has an acknowledgment.
    pub echo: u32,
}

/// The options that are understood. The first three stand in segments with SYN only, [`sack`](Options::sack) only in
/// others; elsewhere they are passed over like any unknown option.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Largest segment that the sender takes, bytes.
    pub mss: Option<u16>,
    /// Shift of the windows that the sender tells.
    pub window_scale: Option<u8>,
    /// Whether selective acknowledgments may be sent.
    pub sack_permitted: bool,
    /// Timestamps.
    pub timestamps: Option<Timestamps>,
    /// Selective acknowledgments.
    pub sack: SackBlocks,
}

impl Options {
    /// Bytes that they take, padding included.
    pub fn wire_len(&self) -> usize {
        let flag = |set: bool, len: usize| if set { len } else { 0 };
        flag(self.mss.is_some(), 4)
            + flag(self.window_scale.is_some(), 4)
            + match (self.timestamps.is_some(), self.sack_permitted) {
                (true, _) => 12,
                (false, true) => 4,
                (false, false) => 0,
            }
            + flag(self.sack.count > 0, 4 + 8 * self.sack.count())
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        if let Some(mss) = self.mss {
            writer.bytes(&[KIND_MSS, 4])?;
            writer.u16(mss)?;
        }
        if let Some(timestamps) = self.timestamps {
            // The two bytes that would be padding carry SACK-permitted where there is one.
            writer.bytes(&if self.sack_permitted { [KIND_SACK_PERMITTED, 2] } else { [KIND_NOP, KIND_NOP] })?;
            writer.bytes(&[KIND_TIMESTAMPS, 10])?;
            writer.u32(timestamps.value)?;
            writer.u32(timestamps.echo)?;
        } else if self.sack_permitted {
            writer.bytes(&[KIND_NOP, KIND_NOP, KIND_SACK_PERMITTED, 2])?;
        }
        if let Some(shift) = self.window_scale {
            writer.bytes(&[KIND_NOP, KIND_WINDOW_SCALE, 3, shift])?;
        }
        if self.sack.count > 0 {
            writer.bytes(&[KIND_NOP, KIND_NOP, KIND_SACK, 2 + 8 * self.sack.count])?;
            for (start, end) in self.sack.iter() {
                writer.u32(start)?;
                writer.u32(end)?;
            }
        }
        Ok(())
    }

    fn parse(mut reader: Reader<'_>, syn: bool) -> Result<Options, Malformed> {
        let mut options = Options::default();
        while !reader.is_empty() {
            let kind = reader.u8()?;
            match kind {
                KIND_END => break,
                KIND_NOP => continue,
                _ => {}
            }
            let len = usize::from(reader.u8()?).checked_sub(2).ok_or(Malformed)?;
            let mut body = Reader::new(reader.bytes(len)?);
            match (kind, len) {
                (KIND_MSS, 2) if syn => options.mss = Some(body.u16()?),
                (KIND_WINDOW_SCALE, 1) if syn => options.window_scale = Some(body.u8()?.min(WINDOW_SCALE_MAX)),
                (KIND_SACK_PERMITTED, 0) if syn => options.sack_permitted = true,
                (KIND_TIMESTAMPS, 8) => {
                    options.timestamps = Some(Timestamps { value: body.u32()?, echo: body.u32()? });
                }
                (KIND_SACK, 8..) if !syn && len % 8 == 0 => {
                    options.sack = SackBlocks::default();
                    while !body.is_empty() {
                        options.sack.push(body.u32()?, body.u32()?);
                    }
                }
                _ => {}
            }
        }
        Ok(options)
    }
}

/// A TCP segment. Its checksum is the business of [`seal`] and [`verify`], since it covers addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment<'a> {
    /// Port that it comes from.
    pub source: u16,
    /// Port that it goes to.
    pub destination: u16,
    /// Number of its first byte, or of its SYN.
    pub seq: u32,
    /// The next number that the sender expects, if it acknowledges.
    pub ack: Option<u32>,
    /// Control bits.
    pub flags: Flags,
    /// Bytes that may be sent beyond the acknowledgment, shifted as agreed.
    pub window: u16,
    /// Options.
    pub options: Options,
    /// Data.
    pub payload: &'a [u8],
}

impl<'a> Repr<'a> for Segment<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<Segment<'a>, Malformed> {
        let (source, destination, seq, ack) = (reader.u16()?, reader.u16()?, reader.u32()?, reader.u32()?);
        let header_len = usize::from(reader.u8()? >> 4) * 4;
        let bits = reader.u8()?;
        let window = reader.u16()?;
        reader.bytes(4)?; // checksum, urgent pointer
        let options = Reader::new(reader.bytes(header_len.checked_sub(HEADER_LEN).ok_or(Malformed)?)?);
        let is = |bit| bits & bit != 0;
        Ok(Segment {
            source,
            destination,
            seq,
            ack: is(ACK).then_some(ack),
            flags: Flags { syn: is(SYN), fin: is(FIN), rst: is(RST), psh: is(PSH) },
            window,
            options: Options::parse(options, is(SYN))?,
            payload: reader.rest(),
        })
    }

    fn wire_len(&self) -> usize {
        HEADER_LEN + self.options.wire_len() + self.payload.len()
    }

    fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let header_len = HEADER_LEN + self.options.wire_len();
        if writer.left() < self.wire_len() || header_len > HEADER_LEN + OPTIONS_MAX {
            return Err(Full);
        }
        writer.u16(self.source)?;
        writer.u16(self.destination)?;
        writer.u32(self.seq)?;
        writer.u32(self.ack.unwrap_or(0))?;
        writer.u8((header_len as u8 / 4) << 4)?;
        let bit = |set: bool, bit: u8| if set { bit } else { 0 };
        let Flags { syn, fin, rst, psh } = self.flags;
        writer.u8(bit(syn, SYN) | bit(fin, FIN) | bit(rst, RST) | bit(psh, PSH) | bit(self.ack.is_some(), ACK))?;
        writer.u16(self.window)?;
        writer.u32(0)?; // checksum, urgent pointer
        self.options.emit(writer)?;
        writer.bytes(self.payload)
    }
}

/// Writes the checksum of a whole segment between these addresses into its place. Shorter than a header, it is left
/// alone.
pub fn seal(source: IpAddr, destination: IpAddr, segment: &mut [u8]) {
    if segment.len() < HEADER_LEN {
        return;
    }
    segment[CHECKSUM_AT..CHECKSUM_AT + 2].fill(0);
    let checksum = !fold(sum(source, destination, segment));
    segment[CHECKSUM_AT..CHECKSUM_AT + 2].copy_from_slice(&checksum.to_be_bytes());
}

/// Whether the checksum of a segment between these addresses is right.
pub fn verify(source: IpAddr, destination: IpAddr, segment: &[u8]) -> bool {
    segment.len() >= HEADER_LEN && fold(sum(source, destination, segment)) == u16::MAX
}

/// The sum of pseudo header and segment (RFC 9293 section 3.1; RFC 8200 section 8.1 for IPv6, whose lengths and zeros
/// sum to the same).
fn sum(source: IpAddr, destination: IpAddr, segment: &[u8]) -> u64 {
    let address = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => sum_bytes(&ip.octets()),
        IpAddr::V6(ip) => sum_bytes(&ip.octets()),
    };
    address(source) + address(destination) + PROTOCOL + segment.len() as u64 + sum_bytes(segment)
}

/// The sum of 16-bit words, in twos, which carries fold into the same.
fn sum_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<4>();
    let words: u64 = words.iter().map(|word| u64::from(u32::from_be_bytes(*word))).sum();
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    words + u64::from(u32::from_be_bytes(last))
}

/// One's complement: carries are added until there are none.
fn fold(mut sum: u64) -> u16 {
    while sum > u64::from(u16::MAX) {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}

#[cfg(test)]
mod tests;
