//! The client's side of one LIST.

use std::collections::BTreeSet;

use tng_wire::Malformed;

use super::{Answer, Decoder, ENTRIES_MAX, Entry, Fault, Kind, LEFT_OUT_MAX, LISTING_MAX, LeftOut, Meta, Piece};

/// What an entry holds beside its path, in bytes: the rest of it, and a fingerprint with its place in a tree.
const ENTRY_COST: usize = size_of::<Entry>() + 32;

/// Takes the answer to one LIST.
#[derive(Debug)]
pub struct Listing {
    decoder: Decoder,
    /// Fingerprints of the paths so far.
    seen: BTreeSet<[u8; 16]>,
    so_far: Listed,
    /// Bytes that it holds, and may.
    held: usize,
    held_max: usize,
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
    /// What is known of the folder itself.
    pub folder: Meta,
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
    #[error(
        "the folder has more than {ENTRIES_MAX} entries, or {LISTING_MAX} bytes of them; fetch its folders one by one"
    )]
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

impl Default for Listing {
    fn default() -> Listing {
        Listing::new()
    }
}

impl Listing {
    /// A listing before any of it has come.
    pub fn new() -> Listing {
        Listing::holding(LISTING_MAX)
    }

    /// One that takes so many bytes of entries.
    fn holding(held_max: usize) -> Listing {
        let (decoder, seen, so_far) = (Decoder::new(), BTreeSet::new(), Listed::default());
        Listing { decoder, seen, so_far, held: 0, held_max, whole: false }
    }

    /// Takes bytes of the stream; true when the listing is whole.
    ///
    /// # Errors
    /// Any but [`ListingError::Cut`]. The stream is of no more use.
    pub fn take(&mut self, mut input: &[u8]) -> Result<bool, ListingError> {
        while let Some(piece) = self.decoder.next(&mut input)? {
            let Listed { entries, left_out, skipped, folder } = &mut self.so_far;
            match piece {
                _ if self.whole => return Err(ListingError::Protocol("a message came after the last")),
                Piece::Answer(Answer::Fault(fault)) => return Err(ListingError::Fault(fault)),
                Piece::Answer(Answer::Entry(entry)) => {
                    let target = match &entry.kind {
                        Kind::Link(target) => target.as_str().len(),
                        Kind::Same(path) => path.as_str().len(),
                        Kind::File | Kind::Folder => 0,
                    };
                    self.held += entry.path.as_str().len() + target + ENTRY_COST;
                    if entries.len() == ENTRIES_MAX || self.held > self.held_max {
                        return Err(ListingError::TooLarge);
                    }
                    if !self.seen.insert(entry.path.fingerprint()) {
                        return Err(ListingError::Protocol("it names a path twice"));
                    }
                    entries.push(entry);
                }
                Piece::Answer(Answer::LeftOut(left)) if left_out.len() < LEFT_OUT_MAX => left_out.push(left),
                Piece::Answer(Answer::Listed { entries: count, skipped: left, folder: meta })
                    if count == entries.len() as u64 && left >= left_out.len() as u64 =>
                {
                    (*skipped, *folder) = (left, meta);
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

#[cfg(test)]
mod tests {
    use tng_wire::{Repr, Writer};

    use super::*;
    use crate::files::SafePath;

    /// Sends entries with the longest paths, and answers how many were taken and what the listing held then.
    fn bomb(mut listing: Listing, entries: usize) -> (usize, usize, Option<ListingError>) {
        for i in 0..entries {
            let path = format!("{i:0>200}{}", "/x".repeat(1_900));
            let path = SafePath::parse(&path).expect("a path");
            let entry = Answer::Entry(Entry { kind: Kind::File, path, size: 0, meta: Meta::default() });
            let mut bytes = vec![0; entry.wire_len()];
            entry.emit(&mut Writer::new(&mut bytes)).expect("wire_len bytes are enough");
            if let Err(error) = listing.take(&bytes) {
                return (i, listing.holds(), Some(error));
            }
        }
        (entries, listing.holds(), None)
    }

    impl Listing {
        /// Bytes of paths and fingerprints that are in fact there.
        fn holds(&self) -> usize {
            let paths: usize = self.so_far.entries.iter().map(|entry| entry.path.as_str().len()).sum();
            paths + self.seen.len() * 16
        }
    }

    #[test]
    fn a_listing_is_bounded_in_bytes_and_not_in_entries_alone() {
        let (taken, held, error) = bomb(Listing::holding(1 << 20), 4_000);
        assert_eq!(error, Some(ListingError::TooLarge));
        assert!(taken < 270 && held <= 1 << 20, "{taken} {held}");
        let (taken, held, error) = bomb(Listing::holding(usize::MAX), 4_000);
        assert_eq!((taken, error), (4_000, None));
        assert!(held > 15 << 20, "control: {held}");
    }

    #[test]
    fn a_path_that_comes_twice_is_noticed_by_its_fingerprint() {
        let entry = |path: &str| {
            let path = SafePath::parse(path).expect("a path");
            Answer::Entry(Entry { kind: Kind::File, path, size: 0, meta: Meta::default() }).to_vec()
        };
        let mut listing = Listing::new();
        assert_eq!(listing.take(&[entry("a"), entry("b")].concat()), Ok(false));
        assert!(matches!(listing.take(&entry("a")), Err(ListingError::Protocol(_))));
    }
}
