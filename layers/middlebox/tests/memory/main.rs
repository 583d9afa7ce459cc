//! What a flow takes of a helper's memory on which nothing happens, and one that nobody has answered yet. The allocator
//! counts, so this is a program of its own.

mod world;

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tng_middlebox::{BUFFER_SIZES, FLOW_BYTES_MAX, SPARES_MAX};

use self::world::{Counted, Established, REST, TALK, half_open};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn live() -> isize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated as isize - stats.bytes_deallocated as isize
}

const HALF_OPEN_FLOWS: u16 = 10_000;

const FLOWS: u16 = 1_000;

/// Bytes of all buffers that a helper keeps for packets to come, at most.
fn spare_bytes_max() -> isize {
    BUFFER_SIZES.iter().zip(SPARES_MAX).map(|(size, most)| size * most).sum::<usize>() as isize
}

#[test]
fn a_flow_takes_little_memory_while_nobody_answers_and_while_nothing_happens_whatever_it_has_carried() {
    let mut counted = Counted::new();
    let before = counted.bytes;
    assert_eq!(half_open(HALF_OPEN_FLOWS, &mut counted).relays, usize::from(HALF_OPEN_FLOWS));
    let asked = (counted.bytes - before) / HALF_OPEN_FLOWS as isize;
    let mut world = Established::new(1, FLOWS);
    let of_each = |world: &Established| world.helper().bytes / FLOWS as isize;
    let awake = of_each(&world);
    assert_eq!(world.answered(), FLOWS.into());
    world.run(REST);
    let fresh = of_each(&world);
    world.talk(TALK);
    world.run(REST);
    let used = of_each(&world);
    assert_eq!((world.answered(), world.helper().helper.stats().relays), (2 * usize::from(FLOWS), FLOWS.into()));
    let spares = spare_bytes_max() / FLOWS as isize;
    println!(
        "{asked} bytes half-open; {awake} while some are awake, {fresh} at rest, {used} after use; of these spare \
         buffers {spares} at most"
    );
    let most = FLOW_BYTES_MAX as isize;
    assert!(asked <= most && fresh <= most && used <= most + spares, "{asked}, {fresh}, {used} bytes");
}
