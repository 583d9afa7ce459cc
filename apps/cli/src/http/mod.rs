//! HTTP/1.1 as one speaks it who hands out files (RFC 9110, RFC 9112): values without sockets.
//!
//! ```text
//! bytes ─▶ Heads ─▶ Request ─┐
//!                   About  ──┴▶ answer ─▶ Reply: a head, and texts and ranges of the file, in order
//! ```
//!
//! [`Heads`] is strict: a proxy before or behind us must not read other borders of requests than we do. What has a
//! body, two lengths, folded lines or line ends of one byte is refused, and the connection with it.

mod answer;
mod conditions;
mod heads;
mod media;
mod page;

pub use answer::{About, Head, Part, Reply, Status, answer, redirect, refusal};
pub use conditions::{Conditions, ETag};
pub use heads::{BadRequest, Heads, Method, Request, Target};
pub use page::{PAGE_LEN_MAX, escape, listing};

/// Bytes of a request's head, at most.
pub const HEAD_MAX: usize = 16 << 10;
/// Fields of a request's head, at most.
pub const FIELDS_MAX: usize = 100;
/// Bytes of what a request is about, at most: a path, each byte of it perhaps written as three, and a query.
pub const TARGET_LEN_MAX: usize = 8 << 10;
/// Entity tags in one condition that are looked at, at most.
pub const TAGS_MAX: usize = 64;

#[cfg(test)]
mod tests;
