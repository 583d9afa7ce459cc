//! The code service, protocol [`PROTOCOL`]: transport code that one host has and another asks for, or is offered (STP
//! 5.4).
//!
//! A module is known by its hash alone, so it does not matter who sends it. It travels packed: one zstd frame. All is
//! asked by requests, each a stream of its own with priority [`PRIORITY`]:
//!
//! * ASK: a module, or its text form; the answer tells how long it is, brings its manifest, then the packed form from
//!   some offset on.
//! * PUSH: what this host could bring; the other side takes it from some offset on, or declines.
//! * GIVE: the next piece of what was taken.
//!
//! **Resuming.** Who has the first bytes of a packed form tells how many, and the hash of the whole packed form. Where
//! the other side has packed it to the same bytes, it sends what follows, else all. Who packs packs the same to the
//! same bytes, so a transfer goes on over another connection, and with another host of the same version.
//!
//! Nothing is allocated because somebody claims a length, and nothing is believed before the hash is right. No machine
//! here reads a file or a clock: [`Fetch`] takes an answer to ASK, [`Push`] brings code, [`Desk`] answers both from a
//! [`Shelf`] and within an [`Allowance`]. `docs/wire.md` section 12 has the bytes.

mod allowance;
mod declined;
mod desk;
mod fetch;
mod packed;
mod push;
mod wire;

pub use allowance::{Allowance, DayLimits, Direction, Reserved};
pub use declined::Declined;
pub use desk::{Desk, Reply, Shelf, Supply};
pub use fetch::{Code, Fetch, FetchError, Part, Step};
pub use packed::{Packed, TooLarge, UnpackError, unpack};
pub use push::{Push, PushError, Pushed};
pub use wire::{Answer, Ask, Form, Give, Have, Offer, Request};

use tng_stack::structured::Priority;

/// The service's name.
pub const SERVICE: &str = "code";
/// The protocol's name.
pub const PROTOCOL: &str = "tng-code/1";
/// The least weight on the level of everything else: what is beside it has all but a seventeenth, and a transfer that
/// never pauses does not keep code from coming.
pub const PRIORITY: Priority = Priority { level: None, weight: 1 };

/// Longest module, and longest text form, in bytes.
pub const MODULE_MAX: usize = 1 << 20;
/// Longest packed form in bytes: a module that does not pack, in blocks as they are, and their heads.
pub const PACKED_MAX: usize = MODULE_MAX + 1_024;
/// Longest manifest in bytes.
pub const MANIFEST_MAX: usize = 4_096;
/// Most bytes of a packed form in one GIVE.
pub const PIECE_MAX: usize = 32 << 10;
/// Longest request in bytes.
pub const REQUEST_MAX: usize = crate::framed::HEAD_LEN + wire::GIVE_FIXED + PIECE_MAX;
