//! The lock that the machine is behind. `tests/interleavings.rs` puts loom's in its place.

pub(crate) use std::sync::{Mutex, MutexGuard};
