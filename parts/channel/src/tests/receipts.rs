//! Receipts: acknowledgment when the layer above has taken everything, or has passed it on (Tng 4.3).

use crate::ChannelEvent;
use tng_base::{Ecn, Fate, PathCondition};

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
