//! Reading bytes that a stranger wrote.

use tng_base::PeerText;

use crate::Malformed;

/// A cursor over received bytes. Every method checks; none panics.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Bytes not yet read.
    pub const fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Whether everything has been read.
    pub const fn is_empty(&self) -> bool {
        self.left() == 0
    }

    /// Position from the start.
    pub const fn position(&self) -> usize {
        self.at
    }

    /// The next byte, left in place.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next `n` bytes.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn bytes(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(n).ok_or(Malformed)?;
        let out = self.bytes.get(self.at..end).ok_or(Malformed)?;
        self.at = end;
        Ok(out)
    }

    /// The next `N` bytes as an array.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.bytes(N)?.try_into().map_err(|_| Malformed)
    }

    /// What `read` takes, as bytes.
    ///
    /// # Errors
    /// As `read`.
    pub fn taken(&mut self, read: impl FnOnce(&mut Self) -> Result<(), Malformed>) -> Result<&'a [u8], Malformed> {
        let start = self.at;
        read(self)?;
        Ok(&self.bytes[start..self.at])
    }

    /// Everything left.
    pub fn rest(&mut self) -> &'a [u8] {
        let out = &self.bytes[self.at..];
        self.at = self.bytes.len();
        out
    }

    /// Passes over every `byte` that comes next.
    pub fn skip_run(&mut self, byte: u8) {
        let left = &self.bytes[self.at..];
        self.at += left.iter().position(|other| *other != byte).unwrap_or(left.len());
    }

    /// One byte.
    ///
    /// # Errors
    /// If nothing is left.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    /// A big-endian 16-bit number.
    ///
    /// # Errors
    /// If too little is left.
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    /// A big-endian 32-bit number.
    ///
    /// # Errors
    /// If too little is left.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    /// A big-endian 64-bit number.
    ///
    /// # Errors
    /// If too little is left.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_be_bytes(self.array()?))
    }

    /// A big-endian number of `n` bytes, at most 8.
    ///
    /// # Errors
    /// If too little is left.
    pub fn uint(&mut self, n: usize) -> Result<u64, Malformed> {
        let mut bytes = [0; 8];
        bytes[8 - n..].copy_from_slice(self.bytes(n)?);
        Ok(u64::from_be_bytes(bytes))
    }

    /// A variable-length integer.
    ///
    /// # Errors
    /// If too little is left.
    pub fn varint(&mut self) -> Result<u64, Malformed> {
        let first = self.peek().ok_or(Malformed)?;
        Ok(match first >> 6 {
            0 => u64::from(self.u8()?),
            1 => u64::from(self.u16()? & 0x3fff),
            2 => u64::from(self.u32()? & 0x3fff_ffff),
            _ => self.u64()? & crate::VARINT_MAX,
        })
    }

    /// A varint length of at most `max`, then that many bytes.
    ///
    /// # Errors
    /// If the length exceeds `max` or what is left.
    pub fn prefixed(&mut self, max: usize) -> Result<&'a [u8], Malformed> {
        let len = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
        if len > max {
            return Err(Malformed);
        }
        self.bytes(len)
    }

    /// As [`prefixed`](Reader::prefixed), and UTF-8. Whatever it holds, it prints as words.
    ///
    /// # Errors
    /// As `prefixed`, or if the bytes are not UTF-8.
    pub fn text(&mut self, max: usize) -> Result<PeerText<&'a str>, Malformed> {
        core::str::from_utf8(self.prefixed(max)?).map(PeerText::new).map_err(|_| Malformed)
    }
}
