//! Minisockets in C (docs/trickles.md, "The server"; Trickles 3.3, figure 11): servers that keep nothing of their
//! clients, and clients of them, for programs in C and in whatever calls C.
//!
//! ```text
//! C program ─▶ calls   pointers become slices; each failure errno and a text
//!                │
//!                ▼
//!              open    descriptor ─▶ Server │ Client, of this thread
//!                         │             │
//!                      handles      minisockets and objects by numbers that are never given twice
//!                         ▼             ▼
//!                      turns    a machine on a UDP socket, in the caller's own thread
//! ```
//!
//! The header `include/tng_msk.h` is generated of [`calls`], [`events`], [`server`] and [`settings`]
//! (`tests/header.rs`). Only [`calls`] has `unsafe` code: it reads what C programs point at.

#![cfg(target_os = "linux")]
#![warn(clippy::undocumented_unsafe_blocks)]

pub mod calls;
pub mod client;
pub mod descriptor;
pub mod errno;
pub mod events;
pub mod handles;
pub mod keys;
pub mod open;
pub mod server;
pub mod settings;
pub mod turns;
