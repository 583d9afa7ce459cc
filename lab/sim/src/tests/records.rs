//! Digests, captures and counts.

use core::time::Duration;
use std::io::{self, Write};

use tng_base::{Ecn, Instant, Rng};
use tng_queue::{CoDelConfig, Limit, QueueConfig, RedConfig, ThresholdConfig};
use tng_trace::Memory;

use super::parties::{Party, TO_B};
use crate::topology::{chain, pair};
use crate::{Comments, DropCause, Link, LinkId, Loss, Tap, World};

const MS: Duration = Duration::from_millis(1);

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// A link with everything wrong with it, drawn from `rng`.
fn faulty(rng: &mut Rng) -> Link {
    let queues = [
        QueueConfig::DropTail(Limit::Packets(20)),
        QueueConfig::DropTail(Limit::Bytes(10_000)),
        QueueConfig::DropTail(Limit::Time(20 * MS)),
        QueueConfig::Red(RedConfig { weight: 0.05, ecn: true, ..RedConfig::default() }),
        QueueConfig::CoDel(CoDelConfig { ecn: rng.chance(0.5), ..CoDelConfig::default() }),
        QueueConfig::Threshold(ThresholdConfig::default()),
    ];
    let losses = [Loss::None, Loss::Independent(0.05), Loss::bursts(0.05, 2..=4), Loss::gilbert(0.05, 8.0)];
    Link {
        rate_bps: rng.chance(0.8).then(|| 200_000 + rng.below(2_000_000)),
        jitter_reorders: rng.chance(0.5),
        notices: rng.chance(0.5),
        checked: rng.chance(0.5),
        ..Link::new()
            .delay(Duration::from_micros(rng.below(50_000)))
            .jitter(Duration::from_micros(rng.below(50_000)))
            .queue(queues[rng.below(6) as usize].clone())
            .loss(losses[rng.below(4) as usize].clone())
            .reorder(rng.unit() * 0.2, 20 * MS)
            .duplicate(rng.unit() * 0.05)
            .ecn_bleach(rng.unit() * 0.05)
            .ecn_mark(rng.unit() * 0.05)
            .mtu(428 + rng.below(200) as usize)
            .corrupt(rng.unit() * 0.05)
    }
}

/// A run with everything happening; answers the world and its links.
fn eventful(seed: u64, world_seed: u64) -> (World<Party>, Vec<LinkId>) {
    let mut rng = Rng::from_u64(seed);
    let links: Vec<Link> = (0..=rng.below(3)).map(|_| faulty(&mut rng)).collect();
    let source = Party { ecn: Ecn::Ect0, ..Party::poisson(TO_B, 1_500, 400, 2 * MS, rng.fork()) };
    let mut chain = chain(world_seed, &links, source, Party::echo());
    chain.world.record_digest();
    let middle = chain.links[chain.links.len() / 2];
    chain.world.outage(middle, at(500), at(700));
    let other = faulty(&mut rng);
    chain.world.at(at(1500), move |world| world.change(middle.forth(), |link| *link = other));
    (chain.world, chain.links)
}

#[test]
fn the_same_seed_gives_the_same_digest_and_another_seed_another() {
    for seed in 0..10 {
        let run = |world_seed| {
            let (mut world, _) = eventful(seed, world_seed);
            world.run_until(at(5000));
            world.digest().expect("it was asked for")
        };
        assert_eq!(run(seed), run(seed), "seed {seed}");
        assert_ne!(run(seed), run(seed + 1000), "seed {seed}");
    }
}

#[test]
fn every_packet_is_accounted_for_at_any_time() {
    for seed in 0..40 {
        let (mut world, links) = eventful(seed, seed);
        for time in [1, 100, 600, 1501, 2500, 60_000] {
            world.run_until(at(time));
            for lane in links.iter().flat_map(|link| link.lanes()) {
                let s = world.stats(lane);
                let accounted = s.delivered + s.dropped() + s.queued + s.in_flight;
                assert_eq!(s.offered + s.duplicated, accounted, "seed {seed} at {time} ms, {lane:?}: {s:?}");
            }
        }
        assert!(links.iter().all(|link| world.stats(link.forth()).in_flight == 0), "seed {seed}");
    }
}

#[test]
fn counts_tell_lengths_waits_and_bytes() {
    let link = Link::new().rate(8_000_000).delay(10 * MS).queue(QueueConfig::DropTail(Limit::Packets(3)));
    // One millisecond each; five at once: one is sent, three wait, one is dropped.
    let mut pair = pair(1, &link, Party::steady(TO_B, 5, 972, Duration::ZERO), Party::default());
    let lane = pair.link.forth();
    pair.world.run_until(at(2));
    let mid = pair.world.stats(lane);
    assert_eq!((mid.queued, mid.in_flight), (1, 3));
    pair.world.run_until(at(20));
    let s = pair.world.stats(lane);
    assert_eq!((s.offered, s.offered_bytes, s.delivered, s.delivered_bytes), (5, 5000, 4, 4000));
    assert_eq!((s.dropped(), s.dropped_for(DropCause::Queue)), (1, 1));
    assert_eq!((s.queue_packets_max, s.queue_bytes_max, s.dequeued), (3, 3000, 4));
    assert_eq!((s.sojourn_mean(), s.sojourn_max), (MS * 3 / 2, 3 * MS));
    assert!((s.queue_packets_mean() - 6.0 / 20.0).abs() < 1e-9);
    assert!((s.queue_bytes_mean() - 6000.0 / 20.0).abs() < 1e-9);
}

/// Interface and time of each packet of a capture.
fn packets(file: &[u8]) -> Vec<(u32, Instant)> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let (mut at, mut out) = (0, Vec::new());
    while at < file.len() {
        if word(at) == 6 {
            let ns = u64::from(word(at + 12)) << 32 | u64::from(word(at + 16));
            out.push((word(at + 8), Instant::from_nanos(ns)));
        }
        at += word(at + 4) as usize;
    }
    out
}

#[test]
fn a_capture_shows_what_each_end_of_a_link_saw_and_when() {
    let run = |tap: fn(&[LinkId]) -> Tap| {
        let link = Link::new().delay(5 * MS);
        let lossy = link.clone().loss(Loss::numbers([1]));
        let mut chain = chain(1, &[link, lossy], Party::steady(TO_B, 2, 100, MS), Party::default());
        let file = Memory::default();
        chain.world.capture(Box::new(file.clone()), tap(&chain.links), &Comments::default()).unwrap();
        assert!(chain.world.run_until_idle(at(100)));
        chain.world.stop_capture().unwrap();
        packets(&file.bytes())
    };
    // Interfaces of the world: a-r1, r1-a, r1-b, b-r1. The second packet does not come out of the second link.
    let expected = [(0, 0), (0, 1), (1, 5), (2, 5), (1, 6), (2, 6), (3, 10)].map(|(i, ms)| (i, at(ms)));
    assert_eq!(run(|_| Tap::World), expected);
    assert_eq!(run(|links| Tap::Link(links[1])), [(0, at(5)), (0, at(6)), (1, at(10))]);
}

#[test]
fn a_capture_whose_output_fails_says_so_in_the_end_and_disturbs_nobody() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut pair = pair(1, &Link::new(), Party::steady(TO_B, 20, 100, MS), Party::default());
    pair.world.capture(Box::new(Full(1000)), Tap::Node(pair.a), &Comments::default()).unwrap();
    assert!(pair.world.run_until_idle(at(100)));
    assert_eq!(pair.world.node(pair.b).received.len(), 20);
    assert_eq!(pair.world.stop_capture().unwrap_err().kind(), io::ErrorKind::StorageFull);
}
