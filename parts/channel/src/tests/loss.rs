//! What counts as lost, and when to ask.

use crate::{PTO_MAX, Verdict};
use tng_base::{Ecn, Fate, Instant};

use super::world::{MTU, Pipe, World, at, ms, regulation};

fn fates(world: &World, number: u64) -> Vec<Fate> {
    world.ends[0].toy.fates.iter().filter(|(n, _)| *n == number).map(|(_, f)| *f).collect()
}

/// A world in which the first batch of messages loses what `lose` says.
fn losing(seed: u64, lose: &[u64], messages: u64) -> World {
    let mut world = World::new(seed, Pipe::perfect(ms(50)));
    assert!(world.run(at(3_000)), "the set-up's own acknowledgments pass");
    let next = world.ends[0].sent.last().map_or(1, |(_, s)| s.number + 1);
    world.now = at(3_000);
    world.ends[0].pipe.lose = lose.iter().map(|n| n + next).collect();
    world.ends[0].toy.send(0..messages);
    world
}

#[test]
fn a_hole_is_found_a_quarter_round_trip_after_what_overtook_it() {
    let mut world = losing(1, &[2], 8);
    let hole = *world.ends[0].pipe.lose.first().unwrap();
    assert!(world.run(at(10_000)));
    assert_eq!(world.ends[1].toy.inbox.len(), 8);
    assert_eq!(fates(&world, hole), [Fate::Lost]);
    let again = world.ends[0].sent.iter().find(|(_, s)| s.number > hole + 5 && s.eliciting).unwrap().0;
    assert_eq!(again, at(3_000 + 100 + 25), "a round trip and a quarter");
    assert_eq!(world.ends[0].channel.stats().probe_timeouts, 0);
    assert!(world.ends[0].regulation.as_ref().unwrap().stats().reductions == 1);
}

#[test]
fn a_lost_tail_is_probed_again() {
    let mut world = losing(2, &[6, 7], 8);
    let tail: Vec<u64> = world.ends[0].pipe.lose.iter().copied().collect();
    let sent = world.ends[0].sent.len();
    assert!(world.run(at(10_000)));
    assert_eq!(world.ends[1].toy.inbox.len(), 8);
    for number in tail {
        assert_eq!(
            fates(&world, number).first(),
            Some(&Fate::Doubtful),
            "its content was wanted again, without a verdict"
        );
    }
    let probe = world.ends[0].sent[sent + 8].0;
    assert!(probe >= at(3_100) && probe < at(3_400), "{probe:?}");
    assert_eq!(world.ends[0].channel.stats().probe_timeouts, 1);
}

#[test]
fn without_content_a_probe_is_a_ping() {
    let mut world = losing(3, &[0], 1);
    world.ends[0].toy.size = Some(0);
    world.flush();
    // The message is withdrawn: there is nothing to repeat.
    world.ends[0].toy.carried.clear();
    assert!(world.run(at(10_000)));
    assert!(world.ends[0].sent.iter().any(|(at, s)| *at > Instant::from_millis(3_000) && s.eliciting && s.len < 40));
    assert!(!world.ends[0].channel.is_outstanding());
}

#[test]
fn probes_back_off_to_their_longest_distance() {
    let mut world = losing(4, &[], 4);
    world.ends[0].pipe.loss = 1.0;
    world.run(Instant::from_secs(2_000));
    let mut times: Vec<Instant> = world.ends[0].sent.iter().map(|(at, _)| *at).filter(|&t| t >= at(3_000)).collect();
    times.dedup();
    let gaps: Vec<_> = times.windows(2).map(|w| w[1].since(w[0])).collect();
    assert!(gaps.windows(2).all(|g| g[1] == (g[0] * 2).min(PTO_MAX)), "{gaps:?}");
    assert_eq!(gaps.last(), Some(&PTO_MAX));
}

#[test]
fn probes_leave_although_the_window_is_full() {
    let mut world = losing(5, &[], 1_000);
    world.ends[0].pipe.loss = 1.0;
    world.run(at(3_090));
    let full = world.in_flight(0);
    let sent = world.ends[0].sent.len();
    assert!(full + 2 * MTU as u64 > world.ends[0].regulation.as_ref().unwrap().window());
    world.run(at(3_500));
    assert_eq!(world.ends[0].sent.len() - sent, 2, "two probes");
    assert_eq!(world.in_flight(0), full + 2 * MTU as u64);
}

#[test]
fn overtaking_within_the_window_is_no_loss() {
    let mut pipe = Pipe::perfect(ms(50));
    pipe.reorder = (0.3, ms(20));
    let mut world = World::with(6, [pipe, Pipe::perfect(ms(50))], |_, _| {}, 16);
    world.ends[0].toy.send(0..500);
    assert!(world.run(at(60_000)));
    assert_eq!(world.ends[0].channel.stats().lost, 0);
}

#[test]
fn a_mistake_is_noticed_and_widens_the_window() {
    let mut pipe = Pipe::perfect(ms(50));
    pipe.reorder = (0.1, ms(60));
    let mut world = World::with(7, [pipe, Pipe::perfect(ms(50))], |_, _| {}, 16);
    world.ends[0].toy.send(0..4_000);
    assert!(world.run(at(120_000)));
    let stats = world.ends[0].channel.stats();
    assert!(stats.spurious > 0, "some were later than a quarter round trip");
    assert_eq!(stats.lost, stats.spurious, "nothing was truly lost, and all of it was noticed");
    assert!(stats.lost < 40, "{} of 4000 after the first lesson", stats.lost);
    let lost = world.ends[0].toy.fates.iter().find(|(_, f)| *f == Fate::Lost).unwrap().0;
    assert_eq!(fates(&world, lost), [Fate::Lost, Fate::Acked]);
    assert!(world.ends[0].regulation.as_ref().unwrap().stats().undone > 0);
}

#[test]
fn packets_that_are_late_by_more_than_a_round_trip_again_and_again_are_waited_for() {
    let mut pipe = Pipe::perfect(ms(25));
    pipe.reorder = (0.3, ms(100));
    let mut world = World::with(9, [pipe, Pipe::perfect(ms(25))], |_, _| {}, 16);
    world.ends[0].toy.send(0..20_000);
    assert!(world.run(at(120_000)));
    let lost = world.ends[0].channel.stats().lost;
    assert!(lost < 400, "{lost} of 6,000 that were late");
}

/// Time to move the messages, in ms, when `held` packets out of a hundred are overtaken by hundreds.
fn transfer(seed: u64, reorder: f64, by: std::time::Duration) -> (u64, u64) {
    let mut pipe = Pipe::perfect(ms(30));
    pipe.rate = Some(200_000_000);
    pipe.queue = 2_000;
    pipe.reorder = (reorder, by);
    let mut world = World::with(seed, [pipe, Pipe::perfect(ms(30))], |_, _| {}, 16);
    world.ends[0].toy.send(0..30_000);
    assert!(world.run(at(600_000)), "seed {seed}");
    assert_eq!(world.ends[1].toy.inbox.len(), 30_000, "seed {seed}");
    let last = world.ends[1].received.iter().rev().find(|(_, r)| r.eliciting).expect("messages").0;
    (last.since(at(1_000)).as_millis() as u64, world.ends[0].channel.stats().lost)
}

#[test]
fn reordering_by_five_hundred_packets_does_not_collapse_the_rate() {
    let (straight, _) = transfer(8, 0.0, ms(0));
    // 200 Mbit/s are 20 packets in a ms.
    let (mixed, lost) = transfer(8, 0.05, ms(25));
    assert!(mixed < straight * 3 / 2, "{mixed} ms instead of {straight}, {lost} found lost");
}

#[test]
fn a_long_outage_is_persistent_congestion() {
    let mut pipe = Pipe::perfect(ms(20));
    (pipe.rate, pipe.queue) = (Some(20_000_000), 80);
    let mut world = World::with(9, [pipe, Pipe::perfect(ms(20))], |_, _| {}, 16);
    world.ends[0].toy.send(0..100_000);
    world.ends[0].pipe.outage = at(1_500)..at(4_000);
    world.run(at(1_800));
    let before = world.ends[0].regulation.as_ref().unwrap().window();
    world.run(at(3_900));
    let during = world.ends[0].regulation.as_ref().unwrap().window();
    world.run(at(4_300));
    let after = world.ends[0].regulation.as_ref().unwrap().stats();
    assert!(before > 20 * MTU as u64 && during == before, "{before} {during}: silence alone says nothing yet");
    assert!(after.reductions > 0 && after.window < before / 2, "{after:?}");
}

#[test]
fn marks_slow_the_sender_down_without_loss() {
    let mut pipe = Pipe::perfect(ms(20));
    (pipe.rate, pipe.queue, pipe.mark_beyond) = (Some(10_000_000), 200, 10);
    let mut world = World::with(10, [pipe, Pipe::perfect(ms(20))], |_, _| {}, 16);
    world.ends[0].toy.send(0..5_000);
    assert!(world.run(at(60_000)));
    let stats = world.ends[0].channel.stats();
    assert_eq!(stats.lost, 0);
    assert!(stats.marks_reported > 2);
    assert!(world.ends[0].regulation.as_ref().unwrap().stats().reductions > 2);
    assert!(world.ends[1].channel.stats().marks_received > 2);
}

#[test]
fn marking_ends_where_it_does_not_work() {
    for case in ["bleach", "blackhole", "fine", "late bleach"] {
        let mut world = World::new(11, Pipe::perfect(ms(20)));
        if case == "late bleach" {
            world.ends[0].toy.send(0..100);
            assert!(world.run(at(60_000)), "{case}");
        }
        world.ends[0].pipe.bleach = case.ends_with("bleach");
        world.ends[0].pipe.ecn_blackhole = case == "blackhole";
        world.ends[0].toy.send(0..600);
        assert!(world.run(at(120_000)), "{case}");
        let last = world.ends[0].sent.last().unwrap().1.ecn;
        assert_eq!(last, if case == "fine" { Ecn::Ect0 } else { Ecn::NotEct }, "{case}");
        let told = world.ends[0].events.contains(&crate::ChannelEvent::EcnFailed);
        assert_eq!(told, case != "fine", "{case}");
        assert_eq!(world.ends[1].toy.inbox.len(), 600, "{case}");
    }
}

#[test]
fn two_channels_share_one_regulation() {
    // Two worlds' senders in one ledger: what one sends, the other cannot.
    let mut shared = regulation("newreno");
    let mut worlds = [World::new(12, Pipe::perfect(ms(20))), World::new(13, Pipe::perfect(ms(20)))];
    for world in &mut worlds {
        world.run(at(1_500));
        world.ends[0].toy.send(0..1_000);
        world.now = at(2_000);
    }
    let mut buf = vec![0; MTU];
    let mut counts = [0, 0];
    for (world, count) in worlds.iter_mut().zip(&mut counts) {
        let end = &mut world.ends[0];
        while let crate::Poll::Packet(_) = end.channel.poll_packet(world.now, shared.as_mut(), &mut buf, &mut end.toy) {
            *count += 1;
        }
    }
    assert_eq!(counts, [10, 0], "the initial window is for both");
    let shared = shared.as_mut().unwrap();
    worlds[0].ends[0].channel.forget_in_flight(shared);
    assert_eq!(shared.in_flight(), 0);
}

#[test]
fn what_a_timer_finds_lost_of_a_channel_that_has_stepped_aside_reduces_the_window_and_leaves_the_books_once() {
    let mut world = losing(14, &[0, 1], 8);
    let lost = *world.ends[0].pipe.lose.first().unwrap();
    world.run(at(3_110));
    let (now, end) = (world.now, &mut world.ends[0]);
    assert_eq!(end.channel.outstanding(), 2, "overtaken by the others, and not given up yet");
    let shared = end.regulation.as_mut().unwrap();
    let others = 2_000;
    let missing = shared.in_flight();
    shared.handle_sent(now, others);
    let window = shared.window();
    end.channel.step_aside(now, shared, Verdict::None);
    assert_eq!((shared.in_flight(), shared.window()), (others, window), "that it is silent says nothing by itself");
    while fates(&world, lost).is_empty() {
        assert!(world.step(at(3_200)));
        assert_eq!(world.in_flight(0), others);
    }
    assert_eq!(fates(&world, lost), [Fate::Lost]);
    assert!(!world.ends[0].channel.is_aside(), "nothing is open that could be heard of");
    let stats = world.ends[0].regulation.as_ref().expect("it has one").stats();
    assert_eq!((stats.reductions, stats.lost), (1, missing));
    assert!(stats.window < window, "{} of {window}", stats.window);
    world.run(at(10_000));
    assert_eq!(world.ends[1].toy.inbox.len(), 8);
    assert_eq!(world.in_flight(0), others, "what others have in flight is theirs");
}

#[test]
fn one_that_is_about_to_find_a_loss_has_not_asked_for_an_answer_however_late_its_timer_is() {
    let mut world = losing(15, &[0, 1, 2], 8);
    world.run(at(3_110));
    let end = &mut world.ends[0];
    assert_eq!(end.channel.outstanding(), 3, "overtaken by the others, and not given up yet");
    let shared = end.regulation.as_mut().expect("it has one");
    end.channel.note_turn(at(3_900), shared);
    assert!(!end.channel.is_asked());
}
