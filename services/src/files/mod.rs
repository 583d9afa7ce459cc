//! The file service: listings by requests to the service, and all else by protocol [`PROTOCOL`]: one stream for the
//! whole, and a child of it for each file.
//!
//! The stream that a client opens carries nothing; it is the parent of all requests, so that they share one place among
//! whatever else the connection carries, and each has a priority of its own. On a child the client writes one
//! [`Request`]. Nothing is remembered between two requests, so a restarted server serves on.
//!
//! * LIST: one [`Entry`] for each file, folder and symbolic link below a folder, what is left out, then a count.
//! * GET: the file's size, its bytes from some offset on, and the BLAKE3 hash of the whole file.
//! * PUT: the same the other way round, if the server takes files; the answer comes when all is safe on its disk.
//! * MAKE: a folder. LINK: a symbolic link. SAME: one more name of a file. REMOVE: a file, a link or an empty folder.
//!
//! **Resuming.** A client that has the first bytes of a file sends their number and their hash. The server hashes as
//! many bytes of its own: if they are the same it sends what follows, else the whole file. So neither side needs to
//! remember what a fragment belongs to, and a file that changed in between is noticed by its content. With all bytes at
//! hand the same request is a check: nothing moves but the hash. For PUT the parts are exchanged: the server tells what
//! it has.
//!
//! **Changes.** A receiver that has another version of a file tells its [`Block`]s: the lengths and the names of pieces
//! that end where their own bytes say, so that an insertion moves no other end. The sender cuts its version in the same
//! way, finds in an [`Index`] what both have, and has the receiver copy that.
//!
//! Both sides are values here: [`Supply`] makes the messages that carry a file, [`Fetch`] takes them, [`Listing`] takes
//! an answer to LIST. `docs/wire.md` section 6 has the bytes.

#[cfg(feature = "hosts")]
mod blocks;
mod decoder;
#[cfg(feature = "hosts")]
mod fetch;
mod link;
#[cfg(feature = "hosts")]
mod listing;
mod meta;
mod over;
mod path;
#[cfg(feature = "hosts")]
mod supply;
mod wire;

#[cfg(feature = "hosts")]
pub use blocks::{Index, IndexError};
pub use decoder::{Decoder, Piece};
#[cfg(feature = "hosts")]
pub use fetch::{Fetch, FetchError, Fragment, Step};
pub use link::LinkTarget;
#[cfg(feature = "hosts")]
pub use listing::{Listed, Listing, ListingError};
pub use meta::{Meta, Mtime};
pub use over::Over;
pub use path::{SafePath, UnsafePath, escaped, unescaped};
#[cfg(feature = "hosts")]
pub use supply::Supply;
pub use wire::{Answer, Block, Entry, Fault, FaultCode, Have, Kind, LeftOut, LeftOutWhy, Look, Request, Stored, Terms};

/// The service's name.
pub const SERVICE: &str = "files";
/// The protocol's name.
pub const PROTOCOL: &str = "tng-files/5";

/// Longest path in bytes.
pub const PATH_MAX: usize = 4096;
/// Longest name of one file or folder in bytes.
pub const NAME_MAX: usize = 255;
/// Most bytes in one DATA message.
pub const DATA_MAX: usize = 65536;
/// Shortest block of a file in bytes, but for its last.
pub const BLOCK_MIN: usize = 16 << 10;
/// What blocks of a file have in bytes on the average, about.
pub const BLOCK_AVERAGE: usize = 64 << 10;
/// Longest block of a file in bytes.
pub const BLOCK_MAX: usize = 256 << 10;
/// Most blocks that are told of one file: of 8 GiB. What is beyond is not told, and is sent.
pub const BLOCKS_MAX: usize = 1 << 17;
/// Most blocks that this side tells of in one message.
pub const BLOCKS_PER_MESSAGE: usize = 256;
/// No blocks are told of a file of fewer bytes: it is sent whole.
pub const BLOCKS_FILE_MIN: u64 = BLOCK_MAX as u64;
/// Longest request, and longest answer other than DATA, in bytes: two paths and their company.
pub const MESSAGE_MAX: usize = 2 * PATH_MAX + 64;
/// Most entries that a client takes in one listing.
pub const ENTRIES_MAX: usize = 1 << 20;
/// Most bytes that a client holds of one listing.
pub const LISTING_MAX: usize = 128 << 20;
/// Most things left out that are named in one listing; more are only counted.
pub const LEFT_OUT_MAX: usize = 1024;
