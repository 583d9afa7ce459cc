//! The path's condition, and changes of path.

use crate::ChannelEvent;
use tng_base::{Instant, PathCondition};

use super::world::{Pipe, World, at, ms, regulation};

#[test]
fn a_path_is_good_then_stalled_then_failed_then_good_again() {
    let mut world = World::new(1, Pipe::perfect(ms(10)));
    world.run(at(2_000));
    world.ends[0].pipe.outage = at(2_000)..at(40_000);
    world.ends[0].toy.send(0..3);
    world.run(at(2_100));
    assert_eq!(world.ends[0].channel.condition(), PathCondition::Good);
    world.run(at(4_000));
    assert_eq!(world.ends[0].channel.condition(), PathCondition::Stalled);
    assert!(world.ends[0].channel.unanswered_probes() >= 3);
    world.run(at(21_999));
    assert_eq!(world.ends[0].channel.condition(), PathCondition::Stalled);
    world.run(at(22_001));
    assert_eq!(world.ends[0].channel.condition(), PathCondition::Failed);
    assert!(world.run(at(200_000)));
    assert_eq!(world.ends[0].channel.condition(), PathCondition::Good);
    let changes = [PathCondition::Stalled, PathCondition::Failed, PathCondition::Good];
    assert_eq!(world.ends[0].toy.conditions, changes);
    assert!(changes.iter().all(|c| world.ends[0].events.contains(&ChannelEvent::Condition(*c))));
    assert_eq!(world.ends[1].toy.inbox.len(), 3);
}

#[test]
fn what_outlasts_a_stall_times_next_to_nothing_unless_the_path_stays_so_slow() {
    let mut world = World::new(8, Pipe::perfect(ms(10)));
    world.ends[0].toy.send(0..20);
    world.run(at(2_000));
    let srtt = |world: &World| world.ends[0].regulation.as_ref().unwrap().rtt().smoothed();
    let before = srtt(&world);
    // A link that stands still for half a minute and then passes on what it holds.
    world.ends[0].pipe.delay = ms(30_000);
    world.ends[0].toy.send(20..22);
    world.run(at(31_000));
    world.ends[0].pipe.delay = ms(10);
    world.run(at(60_000));
    assert_eq!(world.ends[0].toy.acked.len(), 22);
    assert!(srtt(&world) < before * 2, "{before:?}, {:?}", srtt(&world));
    world.ends[0].pipe.delay = ms(2_000);
    for message in 22..82 {
        world.ends[0].toy.send(message..message + 1);
        let now = world.now;
        world.run(now + ms(3_000));
    }
    assert!(srtt(&world) > ms(1_500), "{:?}", srtt(&world));
}

#[test]
fn an_idle_path_stays_good_for_ever() {
    let mut world = World::new(2, Pipe::perfect(ms(10)));
    assert!(world.run(Instant::from_secs(100_000)));
    assert_eq!(world.ends[0].channel.condition(), PathCondition::Good);
    assert!(world.ends[0].sent.len() < 4);
}

#[test]
fn moving_to_another_path_takes_the_old_one_out_of_the_books() {
    let mut world = World::new(3, Pipe::perfect(ms(50)));
    world.run(at(2_000));
    world.ends[0].toy.send(0..300);
    world.run(at(2_130));
    let mut old = std::mem::replace(&mut world.ends[0].regulation, regulation("newreno"));
    assert!(old.as_ref().unwrap().in_flight() > 0);
    world.ends[0].channel.change_path(world.now, old.as_mut());
    assert_eq!(old.as_ref().unwrap().in_flight(), 0);
    world.ends[0].pipe.delay = ms(5);
    world.ends[1].pipe.delay = ms(5);
    assert!(world.run(at(20_000)));
    assert_eq!(world.ends[1].toy.inbox.len(), 300);
    assert_eq!(world.in_flight(0), 0);
    let rtt = world.ends[0].regulation.as_ref().unwrap().rtt();
    assert!(rtt.smoothed() < ms(25), "{rtt:?}: late acknowledgments from the old path say nothing of the new one");
}

#[test]
fn what_was_lost_with_the_old_path_is_sent_on_the_new_one() {
    let mut world = World::new(4, Pipe::perfect(ms(50)));
    world.run(at(2_000));
    world.ends[0].pipe.loss = 1.0;
    world.ends[0].toy.send(0..10);
    world.run(at(2_020));
    let mut old = std::mem::replace(&mut world.ends[0].regulation, regulation("newreno"));
    world.ends[0].channel.change_path(world.now, old.as_mut());
    world.ends[0].pipe.loss = 0.0;
    world.ends[0].toy.send(10..11);
    assert!(world.run(at(20_000)));
    assert_eq!(world.ends[1].toy.inbox.len(), 11);
    assert_eq!(
        world.ends[0].regulation.as_ref().unwrap().stats().reductions,
        0,
        "the old path's losses are not its fault"
    );
}

#[test]
fn ending_a_channel_empties_its_share_of_the_books() {
    let mut world = World::new(5, Pipe::perfect(ms(50)));
    world.run(at(2_000));
    world.ends[0].toy.send(0..300);
    world.run(at(2_030));
    let end = &mut world.ends[0];
    let regulation = end.regulation.as_mut().unwrap();
    assert!(regulation.in_flight() > 0);
    end.channel.forget_in_flight(regulation);
    assert_eq!(regulation.in_flight(), 0);
}
