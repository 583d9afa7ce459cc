//! Bytes that the application has given away: they are sent from where they are, and never copied into pages.

use std::collections::VecDeque;

use bytes::Bytes;

/// Fewer are copied: a page is cheaper than to remember where they are.
pub const GIVEN_MIN: usize = 4096;

/// What was given of a stream's bytes, by offset. What lies between was written, and is in pages.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// In order, each behind the end of the one before.
    pieces: VecDeque<(u64, Bytes)>,
}

impl Given {
    /// Takes bytes that begin at `offset`, behind all others.
    pub(super) fn push(&mut self, offset: u64, bytes: Bytes) {
        self.pieces.push_back((offset, bytes));
    }

    /// What was given from `offset` on, as far as it lies together; or how many bytes up to the next.
    pub(super) fn at(&self, offset: u64) -> Result<&[u8], u64> {
        let end = |(start, bytes): &(u64, Bytes)| start + bytes.len() as u64;
        // Mostly it is the first; what goes again may be any.
        let next = match self.pieces.front() {
            Some(first) if end(first) > offset => 0,
            _ => self.pieces.partition_point(|piece| end(piece) <= offset),
        };
        match self.pieces.get(next) {
            Some((start, bytes)) if *start <= offset => Ok(&bytes[(offset - start) as usize..]),
            Some((start, _)) => Err(start - offset),
            None => Err(u64::MAX),
        }
    }

    /// Gives back what ends at or below `offset`; answers how many bytes that was.
    pub(super) fn release_below(&mut self, offset: u64) -> usize {
        let mut released = 0;
        while let Some((_, bytes)) = self.pieces.pop_front_if(|(start, bytes)| *start + bytes.len() as u64 <= offset) {
            released += bytes.len();
        }
        released
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Bytes that it holds, counted anew.
    pub(super) fn len(&self) -> usize {
        self.pieces.iter().map(|(_, bytes)| bytes.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_found_where_it_was_given_and_what_lies_between_is_passed_over() {
        let mut given = Given::default();
        given.push(10, Bytes::from_static(b"abcdef"));
        given.push(16, Bytes::from_static(b"gh"));
        given.push(30, Bytes::from_static(b"xyz"));
        assert_eq!(given.at(0), Err(10));
        assert_eq!(given.at(10), Ok(&b"abcdef"[..]));
        assert_eq!(given.at(15), Ok(&b"f"[..]));
        assert_eq!(given.at(16), Ok(&b"gh"[..]));
        assert_eq!(given.at(18), Err(12));
        assert_eq!(given.at(32), Ok(&b"z"[..]));
        assert_eq!(given.at(33), Err(u64::MAX));
        assert_eq!((given.release_below(15), given.len()), (0, 11));
        assert_eq!((given.release_below(18), given.len()), (8, 3));
        assert_eq!(given.at(18), Err(12));
        assert_eq!((given.release_below(33), given.is_empty()), (3, true));
    }
}
