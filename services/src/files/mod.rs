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
//! Both sides are values here: [`Supply`] makes the messages that carry a file, [`Fetch`] takes them, [`Listing`] takes
//! an answer to LIST. `docs/wire.md` section 6 has the bytes.

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
pub use wire::{Answer, Entry, Fault, FaultCode, Have, Kind, LeftOut, LeftOutWhy, Look, Request, Stored, Terms};

/// The service's name.
pub const SERVICE: &str = "files";
/// The protocol's name.
pub const PROTOCOL: &str = "tng-files/4";

/// Longest path in bytes.
pub const PATH_MAX: usize = 4096;
/// Longest name of one file or folder in bytes.
pub const NAME_MAX: usize = 255;
/// Most bytes in one DATA message.
pub const DATA_MAX: usize = 65536;
/// Longest request, and longest answer other than DATA, in bytes: two paths and their company.
pub const MESSAGE_MAX: usize = 2 * PATH_MAX + 64;
/// Most entries that a client takes in one listing.
pub const ENTRIES_MAX: usize = 1 << 20;
/// Most bytes that a client holds of one listing.
pub const LISTING_MAX: usize = 128 << 20;
/// Most things left out that are named in one listing; more are only counted.
pub const LEFT_OUT_MAX: usize = 1024;
