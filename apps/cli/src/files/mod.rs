//! Files of this host for the file service: handing them out, and putting them in place.
//!
//! Everything here works over any pair of byte streams, so that the tests need no network. Disks are read and written
//! on threads of their own, a piece at a time; no thread waits for a stream.

pub mod beneath;
mod blocks;
mod buffers;
mod destination;
mod draft;
mod fetch;
mod filter;
mod give;
mod hashing;
mod lanes;
mod limit;
mod outlet;
mod own;
mod plan;
mod root;
mod send;
mod sink;
mod source;
mod spool;
mod standing;
mod tree;
mod walk;
mod watched;

pub use buffers::{BUFFERS_PART, BUFFERS_PEER_PART, Buffers, Held, PIECE_MIN, PLACE_MIN};
pub use destination::{Base, Destination, Target};
pub use draft::{Care, FETCHED, Fetched, OVER, Outcome};
pub(crate) use fetch::fault_failure;
pub use fetch::{AGAIN, Answering, Opened, Opener, fetch, fetch_all, list};
pub use filter::{Filter, FilterArgs};
pub use give::{
    GiveError, Given, GivenKind, LISTINGS_MAX, LISTINGS_PER_PEER_MAX, STALL_TIME, Service, Taker, Uploads, answer,
    answer_listing,
};
pub use hashing::{Account, HASH_BURST, HASH_PEER_SHARE, HASH_RATE, REMEMBERED_MAX, Ration, SLICE_MAX};
pub use lanes::{Dial, Errand, Knob, Lanes, Order, SMALL_MAX, SMALL_PER_LARGE, Urgency, is_fatal, run_all};
pub use limit::{LIMITED_READ_MAX, Limit};
pub use outlet::Outlet;
pub use own::Own;
pub use plan::{Job, Plan};
pub(crate) use root::meta;
pub use root::{NAME_COST, Root};
pub use send::{ASKED_MAX, Origin, Parcel, Sending, There, link_all, make, make_all, remove_all, same_all, send_all};
pub use sink::{Quota, WRITE_DELAY, WRITE_MIN, WRITE_TOLD_AFTER};
pub use spool::Spool;
pub use standing::{Known, LinkPlace, OverArgs, REFUSE, Standing, link_deed};
pub use tree::{Backups, LinkJob, SameJob, Tree, extra, making, place_of_link, place_of_same};
pub use walk::{Found, PENDING_MAX, SAME_MAX, SORTED_MAX, Walk};
pub use watched::LOOK_TIME;

use tng_services::files::{DATA_MAX, MESSAGE_MAX};
use tng_wire::{Repr, Writer};

/// Bytes between a disk and a stream, twice for each file on its way: four DATA messages.
pub const PIECE_MAX: usize = 4 * DATA_MAX;
/// Bytes read from a stream at once: two DATA messages.
pub const READ_MAX: usize = 2 * DATA_MAX;
/// Large files at once unless `--jobs` says otherwise.
pub const JOBS: usize = 8;
/// Most files at once, of each kind: what `--jobs` may say.
pub const JOBS_MAX: usize = 16;
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
