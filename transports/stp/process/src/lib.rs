//! Guests in processes of their own: code that nobody vouches for runs where there are no keys, files and network.
//!
//! The host's side of a guest, its [`Shim`](tng_stp_host::Shim), stays where it is, with the policer, the books and the
//! nonces: whatever the other process says, what leaves is held there. A call of the guest is a message, and what the
//! guest has done in it comes back as another ([`wire`]). A process is for one connection: what it does wrong, and its
//! death, end that alone.
//!
//! [`Processes`] starts them, a [`Nursery`] has some ready for one module, and [`serve`] is what they run.
#![forbid(unsafe_code)]

mod away;
mod bell;
mod child;
mod confine;
mod line;
mod mirror;
mod nursery;
mod process;
pub mod wire;

#[doc(hidden)]
pub use away::hear_bytes;
pub use away::{ANSWER_MAX, LOOKED_AFTER_EVERY, TOLD_EVERY};
pub use child::serve;
pub use confine::{ConfineError, DATA_MAX, Filter};
pub use line::FRAME_MAX;
pub use mirror::DEEDS_MAX;
pub use nursery::{AGAIN_AFTER, Nursery, PROCESSES_MAX, Processes, SPARES_MAX, StartError};
pub use process::{Program, START_MAX};

#[cfg(test)]
mod tests;
