//! What is kept of a file or folder beside its bytes and its name.

use tng_wire::{Full, Malformed, Reader, VARINT_MAX, Writer, varint_len};

const MODE: u8 = 1;
const MODIFIED: u8 = 2;
const HOLES: u8 = 4;

/// The bits of a mode that the wire has: permissions, set-user-ID, set-group-ID, sticky.
const MODE_MAX: u16 = 0o7777;
const NS_MAX: u64 = 999_999_999;
/// Seconds on either side of 1970 that the wire has room for: 73 thousand million years.
const S_MAX: i64 = (VARINT_MAX / 2) as i64;

/// When something was last modified.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mtime {
    s: i64,
    ns: u32,
}

impl Mtime {
    /// `s` seconds after 1970, fewer than 0 before it, and `ns` nanoseconds later; none beyond what the wire has.
    pub const fn new(s: i64, ns: u32) -> Option<Mtime> {
        if s >= -S_MAX && s <= S_MAX && ns as u64 <= NS_MAX { Some(Mtime { s, ns }) } else { None }
    }

    /// Whole seconds since 1970, rounded down.
    pub const fn s(self) -> i64 {
        self.s
    }

    /// Nanoseconds on top of [`s`](Mtime::s), below 10^9.
    pub const fn ns(self) -> u32 {
        self.ns
    }

    /// Milliseconds since 1970; none before.
    pub fn ms(self) -> Option<u64> {
        u64::try_from(self.s).ok()?.checked_mul(1_000)?.checked_add(u64::from(self.ns / 1_000_000))
    }
}

/// What is known of a file or folder beside its bytes and its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Meta {
    /// Permissions, as Unix has them: at most `0o7777`.
    pub mode: Option<u16>,
    /// When it was last modified.
    pub modified: Option<Mtime>,
    /// It is a file with holes: runs of zeros that its disk does not hold.
    pub holes: bool,
}

impl Meta {
    /// Bytes of the longest.
    pub const LEN_MAX: usize = 1 + 2 + 8 + varint_len(NS_MAX);

    pub(super) const fn wire_len(&self) -> usize {
        let mode = if self.mode.is_some() { 2 } else { 0 };
        let modified = match self.modified {
            Some(Mtime { s, ns }) => varint_len(zigzag(s)) + varint_len(ns as u64),
            None => 0,
        };
        1 + mode + modified
    }

    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Meta, Malformed> {
        let flags = reader.u8()?;
        if flags & !(MODE | MODIFIED | HOLES) != 0 {
            return Err(Malformed);
        }
        let mut meta = Meta { holes: flags & HOLES != 0, ..Meta::default() };
        if flags & MODE != 0 {
            meta.mode = Some(reader.u16()?).filter(|mode| *mode <= MODE_MAX);
            meta.mode.ok_or(Malformed)?;
        }
        if flags & MODIFIED != 0 {
            let (s, ns) = (reader.varint()?, reader.varint()?);
            let ns = u32::try_from(ns).map_err(|_| Malformed)?;
            meta.modified = Some(Mtime::new(unzigzag(s), ns).ok_or(Malformed)?);
        }
        Ok(meta)
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) -> Result<(), Full> {
        let flag = |is: bool, flag| if is { flag } else { 0 };
        writer
            .u8(flag(self.mode.is_some(), MODE) | flag(self.modified.is_some(), MODIFIED) | flag(self.holes, HOLES))?;
        if let Some(mode) = self.mode {
            writer.u16(mode & MODE_MAX)?;
        }
        if let Some(Mtime { s, ns }) = self.modified {
            writer.varint(zigzag(s))?;
            writer.varint(ns.into())?;
        }
        Ok(())
    }
}

/// Numbers close to 0 on either side are small: 0, -1, 1, -2, 2.
const fn zigzag(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)).cast_unsigned()
}

const fn unzigzag(n: u64) -> i64 {
    (n >> 1).cast_signed() ^ -((n & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_before_1970_keeps_its_nanoseconds() {
        for (s, ns) in [(0, 0), (-1, 999_999_999), (1, 1), (S_MAX, 5), (-S_MAX, 5)] {
            let meta = Meta { modified: Mtime::new(s, ns), ..Meta::default() };
            let mut bytes = vec![0; meta.wire_len()];
            meta.emit(&mut Writer::new(&mut bytes)).expect("wire_len bytes are enough");
            assert_eq!(Meta::parse(&mut Reader::new(&bytes)), Ok(meta));
        }
        assert_eq!(Mtime::new(-1, 999_000_000).and_then(Mtime::ms), None);
        assert_eq!(Mtime::new(2, 3_000_000).and_then(Mtime::ms), Some(2_003));
    }

    #[test]
    fn what_no_file_can_have_is_refused() {
        let whole_second = [MODIFIED, 2, 0xbb, 0x9a, 0xca, 0x00];
        for bytes in [&[8][..], &[MODE, 0x10, 0x00], &whole_second] {
            assert_eq!(Meta::parse(&mut Reader::new(bytes)), Err(Malformed), "{bytes:?}");
        }
        assert_eq!(Mtime::new(0, 1_000_000_000), None);
    }
}
