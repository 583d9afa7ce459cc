//! Bytes read as decisions.

/// What is left of an input. Every question has an answer: at the end it is zero, or nothing.
#[derive(Debug)]
pub struct Script<'a> {
    left: &'a [u8],
}

impl<'a> Script<'a> {
    /// A script from its beginning.
    pub const fn new(bytes: &'a [u8]) -> Script<'a> {
        Script { left: bytes }
    }

    /// Whether nothing is left to decide by.
    pub const fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    /// The next byte.
    pub fn u8(&mut self) -> u8 {
        let Some((first, rest)) = self.left.split_first() else { return 0 };
        self.left = rest;
        *first
    }

    /// The next two bytes.
    pub fn u16(&mut self) -> u16 {
        u16::from_be_bytes([self.u8(), self.u8()])
    }

    /// A number below `bound`, from one byte.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.u8()) % bound.max(1)
    }

    /// A number of any size, small ones from few bytes: the first says how many follow.
    pub fn number(&mut self) -> u64 {
        let first = self.u8();
        let len = usize::from(first >> 6) * 2;
        let mut value = u64::from(first & 0x3f);
        for _ in 0..len {
            value = value << 8 | u64::from(self.u8());
        }
        value
    }

    /// The next `n` bytes, or as many as there are.
    pub fn take(&mut self, n: usize) -> &'a [u8] {
        let (taken, rest) = self.left.split_at(n.min(self.left.len()));
        self.left = rest;
        taken
    }

    /// All that is left.
    pub const fn rest(&self) -> &'a [u8] {
        self.left
    }

    /// A piece: its length in the lower 12 bits of two bytes, then so many bytes.
    pub fn piece(&mut self) -> &'a [u8] {
        let len = usize::from(self.u16() & 0x0fff);
        self.take(len)
    }
}
