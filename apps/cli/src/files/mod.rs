//! Files of this host for the file service: handing them out, and putting them in place.
//!
//! Everything here works over any pair of byte streams, so that the tests need no network. Disks are read and written on
//! threads of their own; between them and a stream stands a queue of a few pieces.

mod draft;
mod fetch;
mod give;
mod plan;
mod root;

pub use draft::{Fetched, Outcome, Target};
pub use fetch::{AGAIN, Opener, fetch, fetch_all, list};
pub use give::{GiveError, Given, GivenKind, answer};
pub use plan::{Job, Plan};
pub use root::Root;

use tng_services::files::{DATA_MAX, MESSAGE_MAX};
use tng_wire::{Repr, Writer};

/// Pieces between a disk and a stream.
pub const PIECES_MAX: usize = 4;
/// Bytes read from a stream at once: two DATA messages.
pub const READ_MAX: usize = 2 * DATA_MAX;
/// Files fetched at once unless `--jobs` says otherwise.
pub const JOBS: usize = 8;
/// Requests answered at once for one peer; more wait.
pub const REQUESTS_MAX: usize = 64;
/// Longest message but DATA, with its type and length.
const FRAME_MAX: usize = MESSAGE_MAX + 9;

/// Appends `message` to `out`.
fn put<'a>(message: &impl Repr<'a>, out: &mut Vec<u8>) {
    let at = out.len();
    out.resize(at + message.wire_len(), 0);
    message.emit(&mut Writer::new(&mut out[at..])).expect("wire_len bytes are enough");
}

#[cfg(test)]
mod tests;
