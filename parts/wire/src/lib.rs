//! The kit for wire formats: a reader and a writer over bytes, variable-length integers, the [`Repr`] trait, and the
//! battery of tests that every format passes.
//!
//! The formats themselves live in a `wire.rs` beside the protocol that speaks them; `docs/wire.md` gathers every byte.
#![forbid(unsafe_code)]

pub mod battery;
mod reader;
mod repr;
mod varint;
mod writer;

pub use reader::Reader;
pub use repr::{Malformed, Repr};
pub use varint::{VARINT_MAX, prefixed_len, varint_len};
pub use writer::{Full, Writer};
