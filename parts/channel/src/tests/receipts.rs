//! Receipts: acknowledgment when the layer above has taken everything, or has passed it on (Tng 4.3).

use std::time::Duration;

use crate::ChannelEvent;
use crate::wire::Mark;
use tng_base::{Ecn, Fate, PathCondition};
use tng_congestion::Turn;

use super::world::{Pipe, Verdict, World, at, ms};

#[test]
fn what_is_refused_is_never_acknowledged_and_comes_again() {
    let mut world = World::new(1, Pipe::perfect(ms(10)));
    world.run(at(1_500));
    world.ends[1].toy.verdict = Verdict::Refuse;
    world.ends[0].toy.send(0..3);
    world.run(at(1_530));
    assert_eq!(world.ends[1].toy.seen.len(), 3);
    assert!(world.ends[0].toy.acked.is_empty());
    world.ends[1].toy.verdict = Verdict::Take;
    assert!(world.run(at(10_000)));
    assert_eq!(world.ends[0].toy.acked.len(), 3);
    assert!(world.ends[1].toy.inbox.values().all(|&count| count == 1), "each was taken once");
}

#[test]
fn what_is_held_is_acknowledged_when_it_is_redeemed() {
    let mut world = World::new(2, Pipe::perfect(ms(10)));
    world.run(at(1_500));
    world.ends[1].toy.verdict = Verdict::Hold;
    world.ends[0].toy.send(0..4);
    world.run(at(1_530));
    let held: Vec<u64> = world.ends[1].received.iter().filter(|(t, _)| *t > at(1_500)).map(|(_, r)| r.number).collect();
    assert_eq!(held.len(), 4);
    assert!(world.ends[0].toy.acked.is_empty());
    for &number in &held[..3] {
        world.ends[1].channel.redeem(world.now, number, Ecn::NotEct);
    }
    world.ends[1].channel.forfeit(held[3]);
    world.ends[1].toy.verdict = Verdict::Take;
    world.run(at(1_545));
    assert_eq!(world.ends[0].toy.acked.iter().copied().collect::<Vec<_>>(), [0, 1, 2]);
    // A receipt that is never redeemed is a loss.
    assert!(world.run(at(10_000)));
    assert!(world.ends[0].toy.fates.contains(&(held[3], Fate::Lost)));
    assert_eq!(world.ends[0].toy.acked.len(), 4);
    world.ends[1].channel.redeem(world.now, held[3], Ecn::NotEct);
    assert!(world.run(at(10_000)), "redeeming what was forfeited does nothing");
}

#[test]
fn the_queue_of_a_helper_is_part_of_the_round_trip() {
    let mut world = World::new(3, Pipe::perfect(ms(10)));
    world.run(at(1_500));
    world.ends[1].toy.verdict = Verdict::Hold;
    for message in 0..30 {
        world.ends[0].toy.send(message..message + 1);
        let start = world.now;
        world.run(start + ms(40));
        let number = world.ends[1].received.iter().rev().find(|(_, r)| r.eliciting).unwrap().1.number;
        world.ends[1].channel.redeem(world.now, number, Ecn::NotEct);
        world.run(start + ms(80));
    }
    let srtt = world.ends[0].regulation.as_ref().unwrap().rtt().smoothed();
    assert!(srtt > ms(38), "{srtt:?}: 20 ms of path, 30 of queue, before smoothing");
}

#[test]
fn a_stalled_far_section_is_backpressure_and_a_dead_neighbour_is_not() {
    for dead in [false, true] {
        let mut world = World::new(4, Pipe::perfect(ms(10)));
        world.run(at(1_500));
        world.ends[1].toy.verdict = Verdict::Hold;
        if dead {
            world.ends[1].pipe.loss = 1.0;
        }
        world.ends[0].toy.send(0..4);
        world.run(at(15_000));
        let end = &world.ends[0];
        assert!(end.toy.acked.is_empty());
        assert!(end.channel.stats().probe_timeouts >= 3);
        assert_eq!(end.channel.condition(), if dead { PathCondition::Stalled } else { PathCondition::Good });
        assert_eq!(end.channel.unanswered_probes() >= 3, dead);
    }
}

/// The far end of a section holds what comes for so long: the round trip before, and what it is thought to be
/// afterwards.
fn held(seed: u64, ms_long: u64) -> (Duration, Duration) {
    let mut world = World::new(seed, Pipe::perfect(ms(10)));
    world.ends[0].toy.send(0..20);
    world.run(at(1_500));
    let before = world.ends[0].regulation.as_ref().unwrap().rtt().smoothed();
    world.ends[1].toy.verdict = Verdict::Hold;
    world.ends[0].toy.send(20..28);
    world.run(at(1_500 + ms_long));
    let held: Vec<u64> = world.ends[1].received.iter().filter(|(t, _)| *t > at(1_500)).map(|(_, r)| r.number).collect();
    world.ends[1].toy.verdict = Verdict::Take;
    for number in held {
        world.ends[1].channel.redeem(world.now, number, Ecn::NotEct);
    }
    world.run(at(1_600 + ms_long));
    assert!(world.ends[0].toy.acked.len() >= 28, "seed {seed}: {:?}", world.ends[0].toy.acked);
    (before, world.ends[0].regulation.as_ref().unwrap().rtt().smoothed())
}

#[test]
fn what_was_held_while_a_far_section_stood_still_times_next_to_nothing() {
    for seed in 60..64 {
        let (before, after) = held(seed, 30_000);
        assert!(after < before * 2, "seed {seed}: {before:?}, {after:?}");
        let (before, after) = held(seed, 80);
        assert!(after > before + ms(3), "seed {seed}: {before:?}, {after:?}: a queue does");
    }
}

#[test]
fn what_a_full_queue_refuses_is_answered_with_what_it_holds() {
    let mut world = World::new(65, Pipe::perfect(ms(10)));
    world.run(at(1_500));
    world.ends[1].toy.verdict = Verdict::Hold;
    world.ends[0].toy.send(0..2);
    world.run(at(1_600));
    world.ends[1].toy.verdict = Verdict::Refuse;
    world.ends[0].toy.send(2..4);
    world.run(at(20_000));
    let end = &world.ends[0];
    assert!(end.toy.acked.is_empty() && end.channel.stats().probe_timeouts >= 3);
    assert_eq!((end.channel.condition(), end.channel.unanswered_probes()), (PathCondition::Good, 0));
    assert!(end.channel.held_at().is_some());
}

#[test]
fn losses_while_the_far_end_holds_are_no_persistent_congestion() {
    let mut world = World::new(66, Pipe::perfect(ms(10)));
    world.ends[0].toy.send(0..100);
    world.run(at(1_500));
    world.ends[1].toy.verdict = Verdict::Hold;
    world.ends[0].toy.send(100..102);
    world.run(at(1_600));
    world.ends[1].toy.verdict = Verdict::Refuse;
    world.ends[0].toy.send(102..106);
    world.run(at(20_000));
    let window = |world: &World| world.ends[0].regulation.as_ref().unwrap().window();
    let before = window(&world);
    world.ends[1].toy.verdict = Verdict::Take;
    assert!(world.run(at(40_000)));
    assert_eq!(world.ends[0].toy.acked.len(), 106);
    assert!(window(&world) >= before / 2, "{} of {before}", window(&world));
}

#[test]
fn a_neighbour_that_holds_packets_has_its_time_to_say_so() {
    // The round trip is much shorter than what acknowledgments may be held back.
    for (mark, probed) in [(Mark::Section, false), (Mark::Channel, true)] {
        let pipes = [(); 2].map(|()| Pipe::perfect(Duration::from_micros(100)));
        let mut world = World::with(7, pipes, |_, config| config.mark = mark, 4);
        world.ends[0].toy.send(0..50);
        world.run(at(1_500));
        world.ends[1].toy.verdict = Verdict::Hold;
        world.ends[0].toy.send(50..54);
        world.run(at(1_541));
        let end = &world.ends[0];
        assert!(end.toy.acked.iter().all(|message| *message < 50), "{mark:?}: they are held");
        assert_eq!(end.channel.stats().probe_timeouts > 0, probed, "{mark:?}");
        assert_eq!(end.toy.conditions.contains(&PathCondition::Stalled), probed, "{mark:?}");
    }
}

#[test]
fn whoever_waits_for_room_hears_at_once_of_what_was_held() {
    for (turn, at_once) in [(Turn::Own { left: 4 }, true), (Turn::Free, false)] {
        let mut world = World::new(8, Pipe::perfect(ms(1)));
        world.run(at(1_500));
        world.ends[1].toy.verdict = Verdict::Hold;
        world.ends[0].regulation.as_mut().expect("one").set_turn(turn);
        world.ends[0].toy.send(0..1);
        world.run(at(1_520));
        let number = world.ends[1].received.iter().rev().find(|(_, r)| r.eliciting).expect("it came").1.number;
        world.ends[1].channel.redeem(world.now, number, Ecn::NotEct);
        world.run(at(1_523));
        assert_eq!(world.ends[0].toy.acked.len(), usize::from(at_once), "{turn:?}");
    }
}

#[test]
fn a_protocol_that_complains_closes_the_channel() {
    let mut world = World::new(5, Pipe::perfect(ms(10)));
    world.ends[1].toy.verdict = Verdict::Complain;
    world.ends[0].toy.send(0..1);
    world.run(at(1_100));
    let Some(crate::Discard::Violation(violation)) = world.ends[1].discards.first() else { panic!("a violation") };
    assert_eq!(violation.code, 77);
}

#[test]
fn without_a_regulation_the_grant_is_the_limit() {
    let mut world = World::new(6, Pipe::perfect(ms(10)));
    world.run(at(1_500));
    for end in &mut world.ends {
        end.channel.change_path(at(1_500), end.regulation.take().as_mut());
    }
    world.ends[0].toy.size = Some(984);
    world.ends[0].toy.send(0..1_000);
    world.run(at(1_600));
    assert_eq!(world.ends[1].toy.inbox.len(), 0, "nothing is granted at first");
    world.ends[0].channel.set_grant(5 * 1_200);
    world.run(at(1_700));
    let arrived = world.ends[1].toy.inbox.len();
    assert!((4..=6).contains(&arrived), "{arrived}");
    assert!(world.ends[0].channel.grant() < 1_200);
    // Loss is found, and the round trip timed, all the same.
    world.ends[0].channel.set_grant(u64::MAX);
    world.ends[0].pipe.loss = 0.1;
    world.run(at(60_000));
    assert_eq!(world.ends[1].toy.inbox.len(), 1_000);
    assert_eq!(world.ends[0].channel.rtt(None).min(), ms(20));
    assert!(world.ends[0].channel.stats().lost > 50);
    assert!(!world.ends[0].events.contains(&ChannelEvent::Condition(PathCondition::Stalled)));
}
