//! libFuzzer, which follows the code that an input reaches. `TNG_TARGET` names the target; docs/fuzzing.md has the
//! command.
#![no_main]

use std::alloc::System;
use std::sync::LazyLock;

use tng_fuzz::{ALLOCATOR, Target, target};

#[global_allocator]
static COUNTING: &stats_alloc::StatsAlloc<System> = ALLOCATOR;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("TNG_TARGET").unwrap_or_default();
    target(&name).unwrap_or_else(|| panic!("TNG_TARGET={name:?} names no target"))
});

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    TARGET.check(input);
});
