//! The client's side of one LIST.

use std::collections::BTreeSet;

use tng_wire::Malformed;

use super::{Answer, Decoder, ENTRIES_MAX, Entry, Fault, LEFT_OUT_MAX, LeftOut, Piece, SafePath};

/// Takes the answer to one LIST.
#[derive(Debug, Default)]
pub struct Listing {
    decoder: Decoder,
    seen: BTreeSet<SafePath>,
    so_far: Listed,
    whole: bool,
}

/// A listing that is whole.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listed {
    /// What there is, in the server's order.
    pub entries: Vec<Entry>,
    /// What the server left out, as far as it named it.
    pub left_out: Vec<LeftOut>,
    /// How many things the server left out.
    pub skipped: u64,
}

/// Why a listing could not be had, by whose fault it is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ListingError {
    /// The server said so.
    #[error("{0}")]
    Fault(Fault),
    /// The server does not keep to the protocol.
    #[error("the server does not keep to the protocol: {0}")]
    Protocol(&'static str),
    /// More entries than this side takes.
    #[error("the folder has more than {ENTRIES_MAX} entries; fetch its folders one by one")]
    TooLarge,
    /// The stream ended in the middle.
    #[error("the stream ended after {0} entries")]
    Cut(usize),
}

impl From<Malformed> for ListingError {
    fn from(_: Malformed) -> ListingError {
        ListingError::Protocol("a message is malformed, or names a path that leads out of the folder")
    }
}

impl Listing {
    /// A listing of which nothing has come yet.
    pub fn new() -> Listing {
        Listing::default()
    }

    /// Takes bytes of the stream; true when the listing is whole.
    ///
    /// # Errors
    /// Any but [`ListingError::Cut`]. The stream is of no more use.
    pub fn take(&mut self, mut input: &[u8]) -> Result<bool, ListingError> {
        while let Some(piece) = self.decoder.next(&mut input)? {
            let Listed { entries, left_out, skipped } = &mut self.so_far;
            match piece {
                _ if self.whole => return Err(ListingError::Protocol("a message came after the last")),
                Piece::Answer(Answer::Fault(fault)) => return Err(ListingError::Fault(fault)),
                Piece::Answer(Answer::Entry(_)) if entries.len() == ENTRIES_MAX => {
                    return Err(ListingError::TooLarge);
                }
                Piece::Answer(Answer::Entry(entry)) => {
                    if !self.seen.insert(entry.path.clone()) {
                        return Err(ListingError::Protocol("it names a path twice"));
                    }
                    entries.push(entry);
                }
                Piece::Answer(Answer::LeftOut(left)) if left_out.len() < LEFT_OUT_MAX => left_out.push(left),
                Piece::Answer(Answer::Listed { entries: count, skipped: left })
                    if count == entries.len() as u64 && left >= left_out.len() as u64 =>
                {
                    *skipped = left;
                    self.whole = true;
                }
                _ => return Err(ListingError::Protocol("a message came out of turn, or the count is wrong")),
            }
        }
        Ok(self.whole)
    }

    /// The stream has ended: what there is.
    ///
    /// # Errors
    /// [`ListingError::Cut`] if more should have come.
    pub fn ended(self) -> Result<Listed, ListingError> {
        if self.whole { Ok(self.so_far) } else { Err(ListingError::Cut(self.so_far.entries.len())) }
    }
}
