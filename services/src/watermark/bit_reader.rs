//! Reads bits, the first of a byte first.

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
