//! Bits, the first of a byte first.

use super::ImageError;

/// Reads entropy-coded data without its stuffing.
#[derive(Clone, Debug)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at: u64,
    end: u64,
}

impl<'a> BitReader<'a> {
    /// From that bit of `bytes` on, up to another.
    pub(super) fn new(bytes: &'a [u8], at: u64, end: u64) -> BitReader<'a> {
        BitReader { bytes, at, end: end.min(8 * bytes.len() as u64) }
    }

    /// The bit that comes next.
    pub(super) const fn at(&self) -> u64 {
        self.at
    }

    /// How many there are.
    pub(super) const fn left(&self) -> u64 {
        self.end.saturating_sub(self.at)
    }

    /// The next 16 bits. What is behind the end means nothing.
    pub(super) fn peek(&self) -> u16 {
        let byte = (self.at / 8) as usize;
        let get = |at: usize| u32::from(self.bytes.get(at).copied().unwrap_or_default());
        let window = get(byte) << 16 | get(byte + 1) << 8 | get(byte + 2);
        (window >> (8 - self.at % 8)) as u16
    }

    /// Goes on behind so many.
    pub(super) fn pass(&mut self, count: u8) -> Result<(), ImageError> {
        if u64::from(count) > self.left() {
            return Err(ImageError::Damaged("its data ends before its blocks do"));
        }
        self.at += u64::from(count);
        Ok(())
    }

    /// Reads so many, 16 at most.
    pub(super) fn read(&mut self, count: u8) -> Result<u16, ImageError> {
        let bits = u32::from(self.peek()) >> (16 - count);
        self.pass(count)?;
        Ok(bits as u16)
    }
}

/// Writes bits, as entropy-coded data has them or without its stuffing.
#[derive(Clone, Debug)]
pub(super) struct BitWriter {
    pub(super) bytes: Vec<u8>,
    /// What is no whole byte yet, and how many bits that is.
    rest: u32,
    count: u32,
    stuffs: bool,
}

impl BitWriter {
    /// Writes a 0 behind each byte of ones, which would be taken for a marker.
    pub(super) fn stuffed(carry: u8) -> BitWriter {
        // The highest one says how many bits stand below it.
        let carry = u32::from(carry).max(1);
        let count = carry.ilog2();
        BitWriter { bytes: Vec::new(), rest: carry ^ 1 << count, count, stuffs: true }
    }

    /// Writes bits and nothing else.
    pub(super) fn plain() -> BitWriter {
        BitWriter { stuffs: false, ..BitWriter::stuffed(1) }
    }

    /// What is no whole byte yet, below a one.
    pub(super) const fn carry(&self) -> u8 {
        (1 << self.count | self.rest) as u8
    }

    /// How many bits were written, if nothing was stuffed.
    pub(super) const fn len_bits(&self) -> u64 {
        8 * self.bytes.len() as u64 + self.count as u64
    }

    /// Writes the last `count` bits of that, 16 at most.
    pub(super) fn write(&mut self, bits: u16, count: u8) {
        self.rest = self.rest << count | u32::from(bits);
        self.count += u32::from(count);
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.rest >> self.count) as u8;
            self.rest &= (1 << self.count) - 1;
            self.bytes.push(byte);
            if self.stuffs && byte == 0xff {
                self.bytes.push(0);
            }
        }
    }

    /// Fills the last byte, with ones as the format wants it.
    pub(super) fn fill(&mut self) {
        let missing = (8 - self.count % 8) % 8;
        self.write((1 << missing) - 1, missing as u8);
    }
}
