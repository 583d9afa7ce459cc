//! Explicit loss notification (Tng 5.2).

use tng_base::{Ecn, Fate};
use tng_wire::battery::emit;

use super::world::{Pipe, World, at, first, forge, ms, regulation};
use crate::LOSS_NOTICES_MAX;
use crate::wire::{Control, NUMBER_AT};

/// Two ends whose headers can be read, a pipe from end 0 that tells of what it loses, and 50 ms each way.
fn telling(seed: u64, tag_len: usize) -> World {
    let there = Pipe { tells: true, ..Pipe::perfect(ms(50)) };
    let mut world = World::with(seed, [there, Pipe::perfect(ms(50))], |_, _| {}, tag_len);
    assert!(world.run(at(3_000)), "the set-up's own acknowledgments pass");
    world.now = at(3_000);
    world
}

fn next_number(world: &World) -> u64 {
    world.ends[0].sent.last().map_or(1, |(_, s)| s.number + 1)
}

/// How often end 0 sent what was lost, when first again, and what its regulation counted.
fn lose_one(world: &mut World) -> (u64, u64, u64) {
    let hole = next_number(world) + 2;
    world.ends[0].pipe.lose.insert(hole);
    world.ends[0].toy.send(0..8);
    assert!(world.run(at(10_000)));
    assert_eq!(world.ends[1].toy.inbox.len(), 8, "everything arrived");
    let fates: Vec<Fate> = world.ends[0].toy.fates.iter().filter(|(n, _)| *n == hole).map(|(_, f)| *f).collect();
    assert_eq!(fates, [Fate::Lost]);
    let again = world.ends[0].sent.iter().find(|(_, s)| s.number > hole + 5 && s.eliciting).unwrap().0;
    let stats = world.ends[0].regulation.as_ref().unwrap().stats();
    (again.since(at(3_000)).as_millis() as u64, stats.reductions, stats.lost)
}

#[test]
fn a_packet_that_the_link_has_lost_is_sent_again_after_a_round_trip_and_no_sign_of_congestion() {
    for (controller, reductions) in [("eln", 0), ("newreno", 1)] {
        let mut world = telling(1, 4);
        world.ends[0].regulation = regulation(controller);
        let (again, reduced, lost) = lose_one(&mut world);
        assert_eq!((again, reduced), (100, reductions), "{controller}: no reordering to wait for");
        assert!(lost > 0, "{controller}");
        assert_eq!((world.ends[0].channel.stats().lost, world.in_flight(0)), (1, 0));
    }
}

#[test]
fn of_a_packet_whose_number_is_masked_nothing_can_be_said() {
    let mut world = telling(1, 16);
    world.ends[0].regulation = regulation("eln");
    let (again, reduced, _) = lose_one(&mut world);
    assert_eq!((again, reduced), (125, 1), "the hole is found by what overtook it");
}

#[test]
fn a_lossy_link_that_tells_leaves_eln_its_window() {
    for seed in 0..5 {
        let run = |controller| {
            let mut world = telling(seed, 4);
            world.ends[0].pipe.loss = 0.03;
            world.ends[0].regulation = regulation(controller);
            world.ends[0].toy.send(0..5_000);
            assert!(world.run(at(1_000_000)), "seed {seed}");
            assert_eq!(world.ends[1].toy.inbox.len(), 5_000, "seed {seed}");
            assert_eq!(world.in_flight(0), 0, "seed {seed}: the ledger is right at the end");
            world.ends[1].received.last().unwrap().0.since(at(3_000))
        };
        let (eln, newreno) = (run("eln"), run("newreno"));
        assert!(eln * 5 < newreno, "seed {seed}: {eln:?}, {newreno:?}");
    }
}

#[test]
fn a_lone_packet_that_the_link_has_lost_needs_no_probe() {
    let mut world = telling(2, 4);
    let hole = next_number(&world);
    world.ends[0].pipe.lose.insert(hole);
    world.ends[0].toy.send(0..1);
    assert!(world.run(at(10_000)));
    let stats = world.ends[0].channel.stats();
    assert_eq!((stats.lost, stats.probe_timeouts, stats.spurious), (1, 0, 0));
    assert_eq!(world.ends[1].toy.inbox.len(), 1);
}

#[test]
fn a_notice_of_what_is_not_in_flight_changes_nothing() {
    let mut world = telling(3, 4);
    world.ends[0].toy.send(0..4);
    assert!(world.run(at(10_000)));
    let (before, fates) = (world.ends[0].channel.stats(), world.ends[0].toy.fates.clone());
    let acked = world.ends[0].sent.iter().rev().find(|(_, s)| s.eliciting).unwrap().1.number;
    for number in [acked, next_number(&world), 0, (1 << 62) - 1] {
        let frame = emit(&Control::Lost { number });
        let block = [vec![frame.len() as u8], frame].concat();
        let packet = forge(&world, 1, 1_000 + number % 1_000, first(false, true), &block);
        let received = world.deliver(0, Ecn::NotEct, &packet).expect("it breaks no rule");
        assert!(!received.eliciting, "a notice asks for no acknowledgment");
    }
    let after = world.ends[0].channel.stats();
    assert_eq!((after.lost, after.spurious, world.in_flight(0)), (before.lost, before.spurious, 0));
    assert_eq!(world.ends[0].toy.fates, fates);
}

#[test]
fn a_notice_that_proves_wrong_is_taken_back() {
    let mut world = telling(4, 4);
    world.ends[0].regulation = regulation("newreno");
    world.ends[0].toy.send(0..4);
    let number = next_number(&world);
    world.flush();
    let frame = emit(&Control::Lost { number });
    let packet = forge(&world, 1, 1_000, first(false, true), &[vec![frame.len() as u8], frame].concat());
    world.deliver(0, Ecn::NotEct, &packet).expect("it breaks no rule");
    assert!(world.run(at(10_000)));
    let stats = world.ends[0].channel.stats();
    assert_eq!((stats.lost, stats.spurious, world.in_flight(0)), (1, 1, 0));
    assert_eq!(world.ends[1].toy.inbox.len(), 4);
    assert_eq!(world.ends[0].regulation.as_ref().unwrap().stats().lost, 0, "nothing was lost");
}

#[test]
fn a_notice_of_a_packet_whose_number_is_masked_is_not_believed() {
    let mut world = telling(4, 16);
    world.ends[0].toy.send(0..4);
    let number = next_number(&world);
    world.flush();
    let frame = emit(&Control::Lost { number });
    let packet = forge(&world, 1, 1_000, first(false, true), &[vec![frame.len() as u8], frame].concat());
    world.deliver(0, Ecn::NotEct, &packet).expect("it breaks no rule");
    assert!(world.run(at(10_000)));
    assert_eq!((world.ends[0].channel.stats().lost, world.ends[1].toy.inbox.len()), (0, 4));
}

#[test]
fn only_a_header_that_can_be_read_and_was_not_received_is_told_of_and_no_more_than_so_many() {
    let mut world = telling(5, 4);
    let now = world.now;
    let header = |world: &World, number: u64| forge(world, 0, number, first(false, false), &[0; 20])[..20].to_vec();
    let seen = header(&world, 0);
    let (far, masked) = (header(&world, 5_000), [vec![0x12; 20], vec![0xc0; 20]]);
    let channel = &mut world.ends[1].channel;
    assert!(!channel.handle_link_loss(now, &seen), "it was received");
    assert!(!channel.handle_link_loss(now, &far[..NUMBER_AT + 3]), "cut off within the number");
    assert!(!channel.handle_link_loss(now, &[]));
    assert!(masked.iter().all(|foreign| !channel.handle_link_loss(now, foreign)), "not of a channel");
    assert!(channel.handle_link_loss(now, &far));
    assert!(!channel.handle_link_loss(now, &far), "once");
    let headers: Vec<_> = (0..2 * LOSS_NOTICES_MAX as u64).map(|i| header(&world, 6_000 + i)).collect();
    let told = headers.iter().filter(|header| world.ends[1].channel.handle_link_loss(now, header)).count();
    assert_eq!(told, LOSS_NOTICES_MAX - 1);
    assert_eq!(world.ends[1].channel.poll_timeout(None), Some(now));
    let sent = world.ends[1].sent.len();
    assert!(world.run(at(10_000)), "end 0 makes nothing of it");
    assert_eq!(world.ends[1].sent.len(), sent + 1, "all in one packet");
    assert!(world.ends[1].channel.handle_link_loss(world.now, &header(&world, 7_000)), "there is room again");
}
