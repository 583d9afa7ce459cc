//! What is in folders, as one text that clients fetch by its bytes.

use std::collections::VecDeque;

use tng_services::files::{Answer, Fault, FaultCode, LEFT_OUT_MAX, SafePath};
use tng_wire::{Repr, Writer};

use super::Wrong;
use super::given::Stamp;
use crate::files::{Found, Root, meta};

/// Bytes of the listing of a folder, at most. A larger folder is not listed.
pub const LISTING_LEN_MAX: usize = 1 << 20;
/// Listings that are kept between requests, to be made again at any moment.
pub const LISTINGS_KEPT_MAX: usize = 8;

/// The listings that were asked for last.
#[derive(Default)]
pub(super) struct Listings(VecDeque<(SafePath, Stamp, Vec<u8>)>);

impl Listings {
    /// The listing of a folder that is this one, if it is kept.
    pub(super) fn find(&self, path: &SafePath, stamp: Stamp) -> Option<&[u8]> {
        let found = self.0.iter().find(|(known, its, _)| known == path && *its == stamp);
        found.map(|(_, _, text)| &text[..])
    }

    /// The listing of a folder as it is now.
    ///
    /// # Errors
    /// If it is none that may be listed, or too large.
    pub(super) fn make(&mut self, root: &Root, path: &SafePath) -> Result<(Stamp, &[u8]), Wrong> {
        let text = list(root, path)?;
        let stamp = Stamp::of_text(&text);
        Ok((stamp, self.keep(path, stamp, text)))
    }

    /// Keeps a listing that was made before.
    pub(super) fn keep(&mut self, path: &SafePath, stamp: Stamp, text: Vec<u8>) -> &[u8] {
        self.0.retain(|(known, _, _)| known != path);
        if self.0.len() == LISTINGS_KEPT_MAX {
            self.0.pop_front();
        }
        self.0.push_back((path.clone(), stamp, text));
        let (_, _, text) = self.0.back().expect("it was just put there");
        text
    }

    /// Forgets all.
    #[cfg(test)]
    pub(super) fn drop_all(&mut self) {
        self.0.clear();
    }
}

fn list(root: &Root, path: &SafePath) -> Result<Vec<u8>, Fault> {
    let (mut text, mut entries, mut skipped) = (Vec::new(), 0, 0);
    for found in root.walk(path)?.shallow() {
        match found? {
            Found::Entry(entry) => {
                entries += 1;
                put(&Answer::Entry(entry), &mut text);
            }
            Found::LeftOut(left) => {
                skipped += 1;
                if skipped <= LEFT_OUT_MAX as u64 {
                    put(&Answer::LeftOut(left), &mut text);
                }
            }
        }
        if text.len() > LISTING_LEN_MAX {
            let why = "the folder has too many entries for a server that keeps nothing; ask for files by their names";
            return Err(Fault::new(FaultCode::NoRoom, why));
        }
    }
    let folder = meta(&root.look(path)?);
    put(&Answer::Listed { entries, skipped, folder }, &mut text);
    Ok(text)
}

/// Appends a message.
pub(super) fn put(message: &Answer, out: &mut Vec<u8>) {
    let at = out.len();
    out.resize(at + message.wire_len(), 0);
    message.emit(&mut Writer::new(&mut out[at..])).expect("wire_len bytes are enough");
}
