//! Random mixes of faults. A failing seed is in the message.

use tng_base::{Instant, Rng};

use super::world::{MTU, Pipe, Verdict, World, at, ms};

fn pick<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.below(choices.len() as u64) as usize]
}

fn pipe(rng: &mut Rng) -> Pipe {
    let delay = ms(pick(rng, &[0, 1, 5, 20, 100, 500]));
    Pipe {
        rate: pick(rng, &[None, Some(1_000_000), Some(10_000_000), Some(100_000_000)]),
        queue: pick(rng, &[5, 25, 200]),
        mark_beyond: pick(rng, &[3, 20, usize::MAX]),
        loss: pick(rng, &[0.0, 0.001, 0.01, 0.05, 0.1, 0.3]),
        duplicate: pick(rng, &[0.0, 0.01, 0.05]),
        corrupt: pick(rng, &[0.0, 0.001, 0.02, 0.3]),
        reorder: (pick(rng, &[0.0, 0.01, 0.1, 0.25]), pick(rng, &[ms(1), delay / 2, delay])),
        bleach: rng.chance(0.1),
        ecn_blackhole: rng.chance(0.05),
        outage: if rng.chance(0.2) { at(1_500)..at(4_500) } else { at(0)..at(0) },
        ..Pipe::perfect(delay)
    }
}

/// One mix of faults: every message arrives once, both sides go idle in time, and the books are empty then.
fn run(seed: u64) {
    let mut rng = Rng::from_u64(seed);
    let pipes = [pipe(&mut rng), pipe(&mut rng)];
    let mut world = World::with(seed, pipes.clone(), |_, _| {}, 16);
    // A quarter each with helpers' queues, and without regulation.
    match seed % 4 {
        2 => world.ends[1].toy.verdict = Verdict::Queue,
        3 => {
            world.grant = 20 * MTU as u64;
            for end in &mut world.ends {
                let mut regulation = end.regulation.take();
                end.channel.change_path(world.now, regulation.as_mut());
                assert_eq!(regulation.map(|r| r.in_flight()), Some(0), "seed {seed}");
            }
        }
        _ => {}
    }
    let counts = [rng.below(400), rng.below(40)];
    for (end, count) in world.ends.iter_mut().zip(counts) {
        end.toy.send(0..count);
    }
    let idle = world.run(Instant::from_secs(1_800));
    assert!(
        idle,
        "seed {seed}: still busy at {:?}: {:#?}\n{pipes:?}",
        world.now,
        world.ends.each_ref().map(|e| e.channel.stats())
    );
    for (which, &count) in counts.iter().enumerate() {
        let (sender, receiver) = (&world.ends[which], &world.ends[1 - which]);
        assert_eq!(receiver.toy.inbox.len() as u64, count, "seed {seed}, end {which}");
        assert_eq!(sender.toy.acked.len() as u64, count, "seed {seed}, end {which}");
        assert_eq!(world.in_flight(which), 0, "seed {seed}, end {which}");
        assert!(!sender.channel.is_outstanding(), "seed {seed}");
        assert_eq!(sender.channel.unanswered_probes(), 0, "seed {seed}");
    }
}

/// `TNG_SEEDS=10000 cargo test -p tng-channel swarm` runs the full count.
#[test]
fn every_message_arrives_and_both_sides_go_idle_with_empty_books() {
    let seeds = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    (0..seeds).for_each(run);
}
