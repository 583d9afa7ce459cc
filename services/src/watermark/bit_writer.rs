//! Writes bits, the first of a byte first.

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

    /// Writes the last `count` bits of that, 16 at most.
    pub(super) fn write(&mut self, bits: u16, count: u8) {
        self.rest = self.rest << count | u32::from(bits);
        self.count += u32::from(count);
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.rest >> self.count) as u8;
            self.rest &= (1 << self.count) - 1;
            self.push(byte);
        }
    }

    /// Writes whole bytes.
    pub(super) fn write_bytes(&mut self, bytes: &[u8]) {
        self.bytes.reserve(bytes.len());
        for byte in bytes {
            let window = self.rest << 8 | u32::from(*byte);
            self.rest = window & ((1 << self.count) - 1);
            let whole = (window >> self.count) as u8;
            self.push(whole);
        }
    }

    fn push(&mut self, byte: u8) {
        self.bytes.push(byte);
        if self.stuffs && byte == 0xff {
            self.bytes.push(0);
        }
    }

    /// Fills the last byte, with ones as the format wants it.
    pub(super) fn fill(&mut self) {
        let missing = (8 - self.count % 8) % 8;
        self.write((1 << missing) - 1, missing as u8);
    }
}

/// For who makes pieces and images.
#[cfg(feature = "hosts")]
impl BitWriter {
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
}
