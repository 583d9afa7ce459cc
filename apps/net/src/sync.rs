//! The locks, and what is read beside them. `tests/interleavings.rs` puts loom's in their place.

pub(crate) use core::sync::atomic::{AtomicBool, AtomicU64};
pub(crate) use std::sync::{Mutex, MutexGuard};
