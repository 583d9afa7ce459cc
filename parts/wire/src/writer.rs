//! Writing into a buffer that someone else owns.

use crate::varint_len;

/// The buffer has no room for what was to be written. Nothing of it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

impl core::fmt::Display for Full {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("no room left in the buffer")
    }
}

impl core::error::Error for Full {}

/// A cursor over a buffer being filled. A write that does not fit writes nothing.
#[derive(Debug)]
pub struct Writer<'a> {
    buf: &'a mut [u8],
    at: usize,
}

impl<'a> Writer<'a> {
    /// A writer at the start of `buf`.
    pub const fn new(buf: &'a mut [u8]) -> Writer<'a> {
        Writer { buf, at: 0 }
    }

    /// Bytes that still fit.
    pub const fn left(&self) -> usize {
        self.buf.len() - self.at
    }

    /// Bytes written.
    pub const fn position(&self) -> usize {
        self.at
    }

    /// What was written so far.
    pub fn written(&mut self) -> &mut [u8] {
        &mut self.buf[..self.at]
    }

    /// Room for `n` bytes, to be filled by the caller.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn room(&mut self, n: usize) -> Result<&mut [u8], Full> {
        let end = self.at.checked_add(n).ok_or(Full)?;
        let out = self.buf.get_mut(self.at..end).ok_or(Full)?;
        self.at = end;
        Ok(out)
    }

    /// The unwritten part of the buffer; follow with [`advance`](Writer::advance).
    pub fn tail(&mut self) -> &mut [u8] {
        &mut self.buf[self.at..]
    }

    /// Counts `n` bytes of the [`tail`](Writer::tail) as written.
    ///
    /// # Panics
    /// If the tail is shorter: the caller wrote where it could not.
    pub fn advance(&mut self, n: usize) {
        assert!(n <= self.left(), "advanced beyond the buffer");
        self.at += n;
    }

    /// Goes back to `position`, forgetting what was written after it.
    ///
    /// # Panics
    /// If `position` lies ahead.
    pub fn rewind(&mut self, position: usize) {
        assert!(position <= self.at, "rewound forwards");
        self.at = position;
    }

    /// Writes `bytes`.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.room(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// Writes one byte.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn u8(&mut self, v: u8) -> Result<(), Full> {
        self.bytes(&[v])
    }

    /// Writes a big-endian 16-bit number.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn u16(&mut self, v: u16) -> Result<(), Full> {
        self.bytes(&v.to_be_bytes())
    }

    /// Writes a big-endian 32-bit number.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn u32(&mut self, v: u32) -> Result<(), Full> {
        self.bytes(&v.to_be_bytes())
    }

    /// Writes a big-endian 64-bit number.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn u64(&mut self, v: u64) -> Result<(), Full> {
        self.bytes(&v.to_be_bytes())
    }

    /// Writes the low `n` bytes of a number, at most 8, big-endian.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn uint(&mut self, v: u64, n: usize) -> Result<(), Full> {
        self.bytes(&v.to_be_bytes()[8 - n..])
    }

    /// Writes a variable-length integer in its shortest form.
    ///
    /// # Errors
    /// If it does not fit the buffer.
    ///
    /// # Panics
    /// If `v` exceeds [`VARINT_MAX`](crate::VARINT_MAX).
    pub fn varint(&mut self, v: u64) -> Result<(), Full> {
        assert!(v <= crate::VARINT_MAX, "value too large for a varint");
        match varint_len(v) {
            1 => self.u8(v as u8),
            2 => self.u16(v as u16 | 0x4000),
            4 => self.u32(v as u32 | 0x8000_0000),
            _ => self.u64(v | 0xc000_0000_0000_0000),
        }
    }

    /// Writes a varint length, then `bytes`.
    ///
    /// # Errors
    /// If both do not fit.
    pub fn prefixed(&mut self, bytes: &[u8]) -> Result<(), Full> {
        if self.left() < varint_len(bytes.len() as u64) + bytes.len() {
            return Err(Full);
        }
        self.varint(bytes.len() as u64)?;
        self.bytes(bytes)
    }
}
