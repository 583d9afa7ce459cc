//! When and what is acknowledged.

use std::collections::VecDeque;

use crate::AckPolicy;
use crate::receive::Receipts;
use crate::wire::{ACK_RANGES_MAX, AckBlock, AckRanges, DELAY_UNIT_US, FirstByte};
use tng_base::{Ecn, RangeSet};

use super::world::{MTU, Pipe, World, at, first, forge, ms};

/// Times at which an end sent packets that ask for nothing.
fn bare(world: &World, which: usize) -> Vec<tng_base::Instant> {
    world.ends[which].sent.iter().filter(|(_, s)| !s.eliciting).map(|(at, _)| *at).collect()
}

#[test]
fn one_packet_is_acknowledged_after_the_delay_and_two_at_once() {
    for (messages, wait) in [(1, 40), (2, 0)] {
        let mut world = World::new(1, Pipe::perfect(ms(5)));
        // Let the acknowledgments of the set-up pass first.
        world.run(at(1_500));
        let before = bare(&world, 1).len();
        world.now = at(2_000);
        world.ends[0].toy.send(0..messages);
        assert!(world.run(at(3_000)));
        let acks = &bare(&world, 1)[before..];
        assert_eq!(acks, [at(2_005 + wait)], "{messages} messages");
        assert_eq!(world.ends[0].channel.stats().probe_timeouts, 0);
    }
}

#[test]
fn what_is_sent_while_others_wait_is_acknowledged_at_once() {
    let mut world = World::new(1, Pipe::perfect(ms(5)));
    world.run(at(1_500));
    let before = bare(&world, 1).len();
    world.now = at(2_000);
    let regulation = world.ends[0].regulation.as_mut().unwrap();
    regulation.set_turn(tng_congestion::Turn::Own { left: 1 });
    world.ends[0].toy.send(0..2);
    // The second waits for another turn.
    world.run(at(2_100));
    assert_eq!(bare(&world, 1)[before..], [at(2_005)]);
    let regulation = world.ends[0].regulation.as_mut().unwrap();
    regulation.set_turn(tng_congestion::Turn::Free);
    world.now = at(3_000);
    assert!(world.run(at(4_000)));
    assert_eq!(bare(&world, 1)[before + 1..], [at(3_045)], "now nobody waits");
}

#[test]
fn a_batch_is_acknowledged_once() {
    let mut world = World::new(2, Pipe::perfect(ms(5)));
    world.run(at(1_500));
    let before = bare(&world, 1).len();
    world.ends[0].toy.send(0..8);
    assert!(world.run(at(3_000)));
    assert_eq!(bare(&world, 1).len() - before, 1, "eight packets that arrived together have one acknowledgment");
}

#[test]
fn where_packets_are_always_late_acknowledgments_do_not_tell_of_the_past_for_ever() {
    let (mut receipts, mut told) = (Receipts::new(AckPolicy::default()), VecDeque::new());
    let mut most = 0;
    for ours in 0..5_000 {
        // Every tenth packet comes fifty later, one in forty never; and that ours arrived is known after twenty.
        let (number, late, never) = (ours + 50, ours % 10 == 0, ours % 40 == 7);
        for number in [(!late && !never).then_some(number), late.then_some(ours)].into_iter().flatten() {
            receipts.handle_arrival(number);
            receipts.redeem(at(ours), number, ours);
        }
        let AckRanges::Held { set, .. } = receipts.block(at(ours), ACK_RANGES_MAX).ranges else { panic!("its own") };
        most = most.max(set.count());
        assert!(
            set.iter().any(|range| range.contains(&number)) != (late || never),
            "{ours}: nothing untold is forgotten"
        );
        told.push_back((ours, receipts.handle_sent()));
        if told.len() > 20 {
            let (ours, end) = told.pop_front().expect("some");
            receipts.handle_ack_acked(ours, end);
        }
    }
    assert!(most < 12, "{most} ranges");
}

#[test]
fn an_acknowledgment_rides_on_what_is_sent_anyway() {
    let mut world = World::new(3, Pipe::perfect(ms(5)));
    world.run(at(1_500));
    let (alone, acks) = (world.ends[1].channel.stats().acks_alone, world.ends[1].channel.stats().acks_sent);
    world.ends[0].toy.send(0..1);
    world.run(at(1_508));
    world.ends[1].toy.send(100..101);
    assert!(world.run(at(3_000)));
    let stats = world.ends[1].channel.stats();
    assert_eq!((stats.acks_alone - alone, stats.acks_sent - acks), (0, 1));
}

#[test]
fn nothing_new_to_acknowledge_costs_no_bytes() {
    let mut world = World::new(4, Pipe::perfect(ms(5)));
    world.run(at(1_500));
    let acks = world.ends[0].channel.stats().acks_sent;
    world.ends[0].toy.send(0..50);
    assert!(world.run(at(3_000)));
    assert_eq!(
        world.ends[0].channel.stats().acks_sent - acks,
        0,
        "acknowledgments are not acknowledged for their own sake"
    );
}

#[test]
fn a_packet_out_of_order_or_marked_is_acknowledged_at_once() {
    for case in ["gap", "late", "mark", "none"] {
        let mut world = World::new(5, Pipe::perfect(ms(5)));
        world.run(at(1_500));
        let payload = |number: u64| forge(&world, 0, number, first(false, false), &[9; 8]);
        let packets: &[(u64, Ecn)] = match case {
            "gap" => &[(50, Ecn::NotEct)],
            "late" => &[(50, Ecn::NotEct), (48, Ecn::NotEct)],
            "mark" => &[(2, Ecn::Ce)],
            _ => &[(2, Ecn::Ect0)],
        };
        let packets: Vec<_> = packets.iter().map(|&(number, ecn)| (ecn, payload(number))).collect();
        for (ecn, packet) in packets {
            // In the common case the number after the last one of the set-up's acknowledgments.
            let before = bare(&world, 1).len();
            world.deliver(1, ecn, &packet).unwrap();
            world.flush();
            assert_eq!(bare(&world, 1).len() - before, usize::from(case != "none"), "{case}");
        }
    }
}

#[test]
fn acknowledged_acknowledgments_are_forgotten() {
    let mut pipe = Pipe::perfect(ms(10));
    pipe.loss = 0.05;
    let mut world = World::with(6, [pipe, Pipe::perfect(ms(10))], |_, _| {}, 16);
    world.ends[0].toy.send(0..3_000);
    assert!(world.run(at(600_000)));
    // Hundreds of holes were left by losses; the blocks stay short because the other side confirms them from time to
    // time.
    let sent = &world.ends[1].sent;
    let longest = sent.iter().skip(sent.len() / 2).map(|(_, s)| s.len).max().unwrap();
    assert!(world.ends[0].channel.stats().lost > 100);
    assert!(longest < 200, "{longest}");
    let asked = sent.iter().filter(|(_, s)| s.eliciting).count();
    assert!(asked > 10 && asked < sent.len() / 20, "{asked} of {} packets asked for an answer", sent.len());
}

#[test]
fn a_late_number_stays_acknowledged_until_the_peer_knows() {
    let mut world = World::new(7, Pipe::perfect(ms(5)));
    world.run(at(1_500));
    let data = |world: &World, number: u64| forge(world, 0, number, first(false, false), &[9; 8]);
    // 10 to 12 arrive and are acknowledged, then 9 arrives late and its acknowledgment is lost.
    for number in [10, 11, 12] {
        let packet = data(&world, number);
        world.deliver(1, Ecn::NotEct, &packet).unwrap();
    }
    world.flush();
    let told = world.ends[1].sent.last().unwrap().1.number;
    let late = data(&world, 9);
    world.deliver(1, Ecn::NotEct, &late).unwrap();
    world.flush();
    let ack = super::world::ack_of(&{
        let mut set = RangeSet::new();
        set.insert(told..told + 1);
        set
    });
    let packet = forge(&world, 0, 13, FirstByte { ack: true, ..first(true, false) }, &[&ack[..], &[9; 8]].concat());
    world.deliver(1, Ecn::NotEct, &packet).unwrap();
    world.now += ms(20);
    world.ends[1].toy.send(0..1);
    let before = world.ends[0].toy.fates.len();
    let mut buf = vec![0; MTU];
    let end = &mut world.ends[1];
    let crate::Poll::Packet(sealed) =
        end.channel.poll_packet(world.now, end.regulation.as_mut(), &mut buf, &mut end.toy)
    else {
        panic!("an acknowledgment is due")
    };
    // Only the numbers that were never reported again: 9, late, and 13.
    let mut reader = world.armors.0.clone();
    let packet = &mut buf[..sealed.len];
    crate::Armor::unprotect(&mut reader, 7, packet).unwrap();
    let header = 7 + FirstByte::from_byte(packet[0]).number_len;
    crate::Armor::open(&mut reader, sealed.number, false, header, packet).unwrap();
    let block: crate::wire::AckBlock<'_> =
        tng_wire::Repr::parse(&mut tng_wire::Reader::new(&packet[header..])).unwrap();
    assert!(block.ranges.iter().any(|r| r.contains(&9)), "{block:?}");
    assert!(block.ranges.iter().any(|r| r.contains(&13)), "{block:?}");
    assert_eq!(world.ends[0].toy.fates.len(), before);
}

#[test]
fn the_reported_delay_keeps_the_round_trip_honest() {
    let mut world = World::with(
        8,
        [Pipe::perfect(ms(20)), Pipe::perfect(ms(20))],
        |_, config| {
            config.ack.max_delay = ms(100);
            config.peer_max_ack_delay = ms(100);
        },
        16,
    );
    for message in 0..40 {
        world.ends[0].toy.send(message..message + 1);
        world.run(at(2_000 + message * 500));
    }
    let rtt = *world.ends[0].regulation.as_ref().unwrap().rtt();
    assert!(rtt.latest() >= ms(135), "{rtt:?}");
    assert!(rtt.smoothed() < ms(48), "{rtt:?}");
}

#[test]
fn the_repetition_of_a_lost_report_times_nothing() {
    for (delay_ms, timed) in [(5, true), (395, false)] {
        let mut world = World::new(9, Pipe::perfect(ms(5)));
        world.run(at(1_500));
        world.ends[1].pipe.loss = 1.0;
        world.ends[0].toy.send(0..1);
        world.flush();
        let number = world.ends[0].sent.last().unwrap().1.number;
        world.now += ms(400);
        let mut set = RangeSet::new();
        set.insert(number..number + 1);
        let ranges = AckRanges::Held { set: &set, limit: 1 };
        let block = AckBlock { ranges, delay: delay_ms * 1_000 / DELAY_UNIT_US, unredeemed: None, ecn: None };
        let packet = forge(&world, 1, 200, first(true, false), &tng_wire::battery::emit(&block));
        world.deliver(0, Ecn::NotEct, &packet).unwrap();
        let latest = world.ends[0].regulation.as_ref().unwrap().rtt().latest();
        assert_eq!(latest, if timed { ms(400) } else { ms(10) }, "reported after {delay_ms} ms");
    }
}

#[test]
fn what_is_redeemed_as_a_run_is_told_as_if_each_had_been_by_itself() {
    let (mut in_one_step, mut refused) = (0, 0);
    for seed in 0..20 {
        let mut rng = tng_base::Rng::from_u64(seed);
        let [mut runs, mut singly] = [(); 2].map(|()| Receipts::new(AckPolicy::default()));
        let mut next = 0;
        for ours in 0..200 {
            let len = 1 + rng.u64() % 20;
            // Every fourth batch leaves a gap before it, and of every fifth one packet was forfeited.
            next += u64::from(ours % 4 == 3);
            let run = next..next + len;
            next = run.end;
            for receipts in [&mut runs, &mut singly] {
                for number in run.clone() {
                    receipts.handle_arrival(number);
                    receipts.hold(at(ours), number..number + 1, number..number + u64::from(ours % 7 == 0));
                }
                if ours % 5 == 4 {
                    receipts.forfeit(run.start);
                }
            }
            let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ce][(rng.u64() % 3) as usize];
            let one_by_one = |receipts: &mut Receipts| {
                for number in run.clone().filter(|number| receipts.holds(*number)).collect::<Vec<_>>() {
                    receipts.count(ecn, ours);
                    receipts.redeem(at(ours), number, ours);
                    let asked = receipts.asks(number..number + 1);
                    receipts.schedule(at(ours), asked || ecn == Ecn::Ce);
                }
            };
            one_by_one(&mut singly);
            if runs.redeem_run(at(ours), run.clone(), (ecn, ours)) {
                in_one_step += 1;
            } else {
                refused += 1;
                one_by_one(&mut runs);
            }
            let told = |receipts: &Receipts| format!("{:?}", receipts.block(at(ours), ACK_RANGES_MAX));
            assert_eq!(told(&runs), told(&singly), "seed {seed}, batch {ours}");
            assert_eq!(runs.due(), singly.due(), "seed {seed}, batch {ours}");
            if rng.u64().is_multiple_of(3) {
                assert_eq!(runs.handle_sent(), singly.handle_sent(), "seed {seed}");
            }
        }
    }
    // Control: both ways were gone.
    assert!(in_one_step > 1_000 && refused > 500, "{in_one_step} in one step, {refused} not");
}
