//! What a target allocates.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// To be the global allocator of whatever runs targets; else they are taken to allocate nothing.
pub static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes allocated by this process so far, whatever was freed since.
pub fn allocated() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated
}
