//! The side that sends a file: the server's of a GET, the client's of a PUT.

use super::{Answer, Fault, FaultCode, Fragment, Have, Meta};

/// Makes the messages that carry a file while it is being read.
///
/// The contract: if the other side has something that could be right ([`Supply::to_check`]), feed that many first bytes
/// to a [`Fragment`]; then write [`head`](Supply::head), then the file from [`offset`](Supply::offset) on, each piece
/// after the head that [`data`](Supply::data) gives for it, then [`end`](Supply::end).
#[derive(Debug)]
pub struct Supply {
    size: u64,
    offset: u64,
    hasher: Fragment,
}

impl Supply {
    /// How many first bytes of a file of `size` bytes the caller reads and hashes before it sends anything; 0 if what
    /// the other side has cannot be the beginning of it.
    pub fn to_check(size: u64, have: Option<Have>) -> u64 {
        have.map(|have| have.len.get()).filter(|len| *len <= size).unwrap_or(0)
    }

    /// A supply of a file of `size` bytes, whose first bytes are `read`. What `read` has is sent only if it is not
    /// what the other side has.
    pub fn new(size: u64, have: Option<Have>, read: Fragment) -> Supply {
        let same = have.is_some_and(|have| have.len.get() == read.len() && have.hash == read.hash());
        if same {
            Supply { size, offset: read.len(), hasher: read }
        } else {
            Supply { size, offset: 0, hasher: Fragment::new() }
        }
    }

    /// Where reading and sending begins.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The first message.
    pub const fn head(&self, meta: Meta) -> Answer {
        Answer::File { size: self.size, offset: self.offset, meta }
    }

    /// Bytes still to be read.
    pub fn left(&self) -> u64 {
        self.size - self.hasher.len()
    }

    /// Notes that `piece`, at most [`DATA_MAX`](super::DATA_MAX) and [`left`](Supply::left) bytes, is sent next, and
    /// gives the head to send before it.
    ///
    /// # Panics
    /// If there are not so many bytes left, or the piece is empty or too long.
    pub fn data<'a>(&mut self, piece: &[u8], buf: &'a mut [u8; Answer::DATA_HEAD_MAX]) -> &'a [u8] {
        assert!(piece.len() as u64 <= self.left(), "more is sent than the size that was told");
        self.hasher.update(piece);
        Answer::data_head(piece.len(), buf)
    }

    /// Notes that the receiver copies what `piece` has, at most [`left`](Supply::left) bytes.
    ///
    /// # Panics
    /// If there are not so many bytes left.
    pub fn copied(&mut self, piece: &[u8]) {
        assert!(piece.len() as u64 <= self.left(), "more is sent than the size that was told");
        self.hasher.update(piece);
    }

    /// The last message. `unchanged` tells whether the file still has the size and the time that it had.
    pub fn end(self, unchanged: bool) -> Answer {
        if unchanged && self.left() == 0 {
            Answer::End { hash: self.hasher.hash() }
        } else {
            Answer::Fault(Fault::new(FaultCode::Changed, ""))
        }
    }
}
