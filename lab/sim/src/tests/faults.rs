//! Links that misbehave, to measure.

use core::time::Duration;

use tng_base::{Ecn, Instant};

use super::parties::{Party, TO_B};
use crate::topology::{B, Pair, chain, pair};
use crate::{Carrier, DropCause, Link, Loss, PATTERN_HOLD, Patterns, World};

const MS: Duration = Duration::from_millis(1);

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// A pair after `count` packets, one each millisecond, went over this link.
fn sent(seed: u64, link: &Link, count: u64, ecn: Ecn) -> Pair<Party> {
    let source = Party { ecn, ..Party::steady(TO_B, count, 100, MS) };
    let mut pair = pair(seed, link, source, Party::default());
    assert!(pair.world.run_until_idle(Instant::FAR_FUTURE));
    pair
}

/// Lengths of the runs of numbers below `count` that are missing.
fn gaps(numbers: &[u64], count: u64) -> Vec<u64> {
    let ends = numbers.iter().copied().chain([count]);
    let starts = [0].into_iter().chain(numbers.iter().map(|n| n + 1));
    starts.zip(ends).map(|(start, end)| end - start).filter(|gap| *gap > 0).collect()
}

/// Checks that the share of `count` packets that are lost lies within three sigma of the model's, `variance` being that
/// of the sum per packet.
fn loses_its_rate(loss: Loss, variance: f64) -> Vec<u64> {
    let (seed, count) = (11, 100_000);
    let expected = loss.rate();
    let pair = sent(seed, &Link::new().loss(loss.clone()), count, Ecn::NotEct);
    let lost = pair.world.stats(pair.link.forth()).dropped_for(DropCause::Loss) as f64 / count as f64;
    let sigma = (variance / count as f64).sqrt();
    assert!(
        (lost - expected).abs() < 3.0 * sigma,
        "{loss:?}: {lost} lost, expected {expected} +- {sigma}, seed {seed}"
    );
    gaps(&pair.world.node(pair.b).numbers(), count)
}

#[test]
fn independent_loss_loses_its_rate() {
    for p in [0.001, 0.05, 0.3] {
        loses_its_rate(Loss::Independent(p), p * (1.0 - p));
    }
}

#[test]
fn bursty_loss_loses_its_rate_in_bursts_of_two_to_four() {
    let loss = Loss::bursts(0.01, 2..=4);
    assert!((loss.rate() - 0.01).abs() < 1e-12);
    let Loss::Bursty { start, min: 2, max: 4 } = loss else { panic!("{loss:?}") };
    // Renewal theory, cycles of G packets before a burst and L in it: var((1 - r) L - r G) / E[G + L].
    let (rate, gap_mean, gap_variance) = (0.01, (1.0 - start) / start, (1.0 - start) / (start * start));
    let variance = ((1.0 - rate) * (1.0 - rate) * (2.0 / 3.0) + rate * rate * gap_variance) / (gap_mean + 3.0);
    let gaps = loses_its_rate(loss, variance);
    let of = |length: u64| gaps.iter().filter(|gap| **gap == length).count();
    assert_eq!(of(1), 0);
    assert!((2..=4).all(|length| of(length) > gaps.len() / 4), "{} {} {}", of(2), of(3), of(4));
    assert!(gaps.iter().filter(|gap| **gap > 4).count() < gaps.len() / 20, "bursts seldom touch");
}

#[test]
fn gilbert_elliott_loss_loses_its_rate_in_runs_of_its_mean_length() {
    let loss = Loss::gilbert(0.02, 5.0);
    let Loss::GilbertElliott { to_bad, to_good, .. } = loss else { panic!("{loss:?}") };
    // A two-state chain: correlation between neighbours is 1 - to_bad - to_good.
    let correlation = 1.0 - to_bad - to_good;
    let variance = 0.02 * 0.98 * (1.0 + correlation) / (1.0 - correlation);
    let gaps = loses_its_rate(loss, variance);
    let mean = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
    let sigma = (20.0 / gaps.len() as f64).sqrt();
    assert!((mean - 5.0).abs() < 3.0 * sigma, "runs of {mean} on average, {} of them", gaps.len());
}

#[test]
fn gilbert_elliott_loss_in_both_states_loses_its_rate() {
    let loss = Loss::GilbertElliott { to_bad: 0.05, to_good: 0.2, loss_good: 0.01, loss_bad: 0.5 };
    assert!((loss.rate() - (0.2 * 0.5 + 0.8 * 0.01)).abs() < 1e-12);
    let (bad, correlation, swing) = (0.2f64, 0.75f64, 0.49f64);
    let state = bad * (1.0 - bad) * swing * swing;
    let within = 0.2 * 0.25 + 0.8 * 0.01 * 0.99;
    loses_its_rate(loss, within + state * (1.0 + correlation) / (1.0 - correlation));
}

#[test]
fn exactly_the_named_packets_are_lost() {
    let pair = sent(1, &Link::new().loss(Loss::numbers([0, 2, 3])), 6, Ecn::NotEct);
    assert_eq!(pair.world.node(pair.b).numbers(), [1, 4, 5]);
}

#[test]
fn a_fault_switched_on_leaves_the_lots_of_the_others_and_of_other_links_as_they_were() {
    let lossy = Link::new().loss(Loss::Independent(0.2));
    let alone = sent(4, &lossy, 500, Ecn::NotEct);
    let numbers = alone.world.node(alone.b).numbers();
    let with_more = sent(4, &lossy.clone().duplicate(0.3).jitter_reordering(10 * MS), 500, Ecn::NotEct);
    let mut seen = with_more.world.node(with_more.b).numbers();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, numbers);

    let mut world = World::new(4);
    let a = world.host("a", &[crate::topology::A], Party::steady(TO_B, 500, 100, MS));
    let b = world.host("b", &[B], Party::default());
    world.connect(a, b, &lossy);
    let c = world.router("c");
    world.connect(b, c, &lossy);
    assert!(world.run_until_idle(at(10_000)));
    assert_eq!(world.node(b).numbers(), numbers);
}

#[test]
fn reordered_packets_are_late_by_their_extra_delay_and_hold_up_nobody() {
    let link = Link::new().delay(10 * MS).reorder(0.1, 25 * MS);
    let pair = sent(2, &link, 10_000, Ecn::NotEct);
    let b = pair.world.node(pair.b);
    let late = b.received.iter().filter(|r| {
        let delay = r.at.since(at(super::parties::number(&r.payload)));
        assert!(delay == 10 * MS || delay == 35 * MS, "{delay:?}");
        delay == 35 * MS
    });
    let late = late.count();
    assert!((910..1090).contains(&late), "{late} of 10000 late");
    assert_eq!(b.received.len(), 10_000);
}

#[test]
fn packets_that_are_spared_the_delay_overtake_the_others_which_have_that_delay_and_no_more() {
    let pair = sent(2, &Link::new().delay(10 * MS).reorder_ahead(0.25), 10_000, Ecn::NotEct);
    let b = pair.world.node(pair.b);
    let ahead = b.received.iter().filter(|r| {
        let delay = r.at.since(at(super::parties::number(&r.payload)));
        assert!(delay == 10 * MS || delay.is_zero(), "{delay:?}");
        delay.is_zero()
    });
    let ahead = ahead.count();
    assert!((2370..2630).contains(&ahead), "{ahead} of 10000 ahead");
    assert!(!b.numbers().is_sorted());
}

#[test]
fn duplicated_packets_come_twice() {
    let pair = sent(2, &Link::new().duplicate(0.05), 10_000, Ecn::NotEct);
    let stats = pair.world.stats(pair.link.forth());
    assert!((435..565).contains(&stats.duplicated), "{}", stats.duplicated);
    assert_eq!(stats.delivered, 10_000 + stats.duplicated);
}

#[test]
fn corrupted_packets_have_one_to_three_bits_flipped() {
    let pair = sent(2, &Link::new().corrupt(0.3), 5_000, Ecn::NotEct);
    let corrupted = pair.world.stats(pair.link.forth()).corrupted;
    let mut seen = [0u64; 4];
    for (number, r) in (0u64..).zip(&pair.world.node(pair.b).received) {
        let flipped = (u64::from_le_bytes(r.payload[..8].try_into().unwrap()) ^ number).count_ones()
            + r.payload[8..].iter().map(|b| b.count_ones()).sum::<u32>();
        seen[flipped as usize] += 1;
    }
    assert!((1400..1600).contains(&corrupted), "{corrupted}");
    // Two flips of the same bit are none, but rare.
    assert!(seen[1..].iter().all(|n| *n > 400) && seen[0] >= 5_000 - corrupted, "{seen:?}");
}

#[test]
fn a_wireless_hop_tells_its_receiver_of_each_loss_when_the_packet_would_have_come() {
    let pair = sent(2, &Link::new().delay(10 * MS).wireless(0.2), 1_000, Ecn::NotEct);
    let b = pair.world.node(pair.b);
    let damaged = pair.world.stats(pair.link.forth()).dropped_for(DropCause::Damaged);
    assert_eq!((b.received.len() + b.losses.len(), b.losses.len() as u64), (1000, damaged));
    assert!((160..240).contains(&damaged), "{damaged}");
    for (time, loss) in &b.losses {
        assert_eq!((loss.header.len(), loss.remote), (64, pair.world.address(pair.a)));
        assert_eq!(*time, at(super::parties::number(&loss.header)) + 10 * MS);
    }
}

#[test]
fn a_router_passes_notices_on_to_who_is_told_if_the_packet_was_for_it() {
    for told in [true, false] {
        let links = [Link::new().wireless(0.2), Link::new()];
        let mut chain = chain(3, &links, Party::steady(TO_B, 1_000, 100, MS), Party::default());
        chain.world.tell_losses(chain.routers[0], if told { chain.b } else { chain.a });
        assert!(chain.world.run_until_idle(Instant::FAR_FUTURE));
        let damaged = chain.world.stats(chain.links[0].forth()).dropped_for(DropCause::Damaged);
        let heard = [chain.a, chain.b].map(|id| chain.world.node(id).losses.len() as u64);
        assert_eq!(heard, [0, if told { damaged } else { 0 }], "{damaged} lost");
    }
}

#[test]
fn losses_on_an_ordinary_link_and_at_its_queue_are_not_announced() {
    let link = Link::new().rate(100_000).loss(Loss::Independent(0.2));
    let quiet = sent(2, &link, 2_000, Ecn::NotEct);
    assert!(quiet.world.node(quiet.b).losses.is_empty());
    let told = sent(2, &link.notices(), 2_000, Ecn::NotEct);
    let stats = told.world.stats(told.link.forth());
    assert!(stats.dropped_for(DropCause::Queue) > 0);
    assert_eq!(told.world.node(told.b).losses.len() as u64, stats.dropped_for(DropCause::Loss));
}

#[test]
fn ecn_is_bleached_and_marked_by_faulty_links() {
    let share = |link: Link, ecn: Ecn, of: Ecn| {
        let pair = sent(2, &link, 1_000, ecn);
        pair.world.node(pair.b).received.iter().filter(|r| r.ecn == of).count()
    };
    assert_eq!(share(Link::new().ecn_bleach(1.0), Ecn::Ect0, Ecn::NotEct), 1000);
    assert!((60..140).contains(&share(Link::new().ecn_mark(0.1), Ecn::Ect0, Ecn::Ce)));
    assert_eq!(share(Link::new().ecn_mark(1.0), Ecn::NotEct, Ecn::NotEct), 1000);
    assert_eq!(share(Link::new().ecn_mark(1.0).ecn_bleach(1.0), Ecn::Ect0, Ecn::NotEct), 1000);
}

#[test]
fn an_outage_drops_what_waits_and_what_comes_but_not_what_is_under_way() {
    let link = Link::new().rate(800_000).delay(100 * MS);
    // 128 bytes take 1.28 ms to send, one comes each millisecond: a queue grows.
    let mut pair = pair(1, &link, Party::steady(TO_B, 100, 100, MS), Party::default());
    pair.world.outage(pair.link, Instant::from_micros(20_500), Instant::from_micros(40_500));
    assert!(pair.world.run_until_idle(at(10_000)));
    let numbers = pair.world.node(pair.b).numbers();
    // At 20.5 ms 16 packets were sent and the 17th was being sent.
    let expected: Vec<u64> = (0..17).chain(41..100).collect();
    assert_eq!(numbers, expected);
    assert_eq!(pair.world.stats(pair.link.forth()).dropped_for(DropCause::Outage), 24);
}

#[test]
fn a_holding_link_keeps_what_comes_until_it_is_up_again() {
    let link = Link::new().rate(8_000_000);
    let mut pair = pair(1, &link, Party::steady(TO_B, 100, 100, MS), Party::default());
    let lane = pair.link.forth();
    pair.world.at(Instant::from_micros(20_500), move |world| world.set_carrier(lane, Carrier::Holds));
    pair.world.at(Instant::from_micros(40_500), move |world| world.set_carrier(lane, Carrier::Up));
    assert!(pair.world.run_until_idle(at(10_000)));
    let b = pair.world.node(pair.b);
    assert_eq!(b.numbers(), (0..100).collect::<Vec<_>>());
    assert!(b.times()[21] > Instant::from_micros(40_500));
    assert_eq!(pair.world.stats(lane).queue_packets_max, 20);
}

/// `count` packets that each take a millisecond to send, back to back over a link that reorders so.
fn burst(seed: u64, count: u64, link: &Link) -> Pair<Party> {
    let source = Party::steady(TO_B, count, 72, MS);
    let mut pair = pair(seed, &link.clone().rate(800_000), source, Party::default());
    assert!(pair.world.run_until_idle(Instant::FAR_FUTURE));
    pair
}

fn patterns(text: &str) -> Patterns {
    Patterns::parse(text).expect("patterns")
}

#[test]
fn bursts_arrive_in_the_order_of_their_patterns() {
    for (text, order) in [
        ("100% 2 1", [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]),
        ("100% 5 4 3 2 1", [4, 3, 2, 1, 0, 9, 8, 7, 6, 5]),
        ("100% 1 4 2 5 3", [0, 3, 1, 4, 2, 5, 8, 6, 9, 7]),
        ("100% 1 2 3", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ] {
        let pair = burst(3, 10, &Link::new().delay(40 * MS).reorder_bursts(patterns(text)));
        let b = pair.world.node(pair.b);
        assert_eq!(b.numbers(), order, "{text}");
        // Nobody is earlier than without, and who is late comes with the one that it waited for.
        let sent = |number: u64| at(41 + number);
        let mut last = 0;
        for (number, received) in order.iter().zip(&b.received) {
            last = last.max(*number);
            assert_eq!(received.at, sent(last), "{number} of {text}");
        }
    }
}

#[test]
fn a_packet_that_nobody_overtakes_in_time_is_late_by_the_hold() {
    // The burst ends before its pattern does.
    let link = Link::new().delay(40 * MS).reorder_bursts(patterns("100% 1 2 4 3"));
    let pair = burst(3, 3, &link);
    let received = &pair.world.node(pair.b).received;
    assert_eq!(received.iter().map(|one| one.at).collect::<Vec<_>>(), [at(41), at(42), at(43) + PATTERN_HOLD]);
}

#[test]
fn what_would_be_late_in_a_burst_can_be_lost_instead() {
    let pair = burst(3, 10, &Link::new().lose_of_bursts(patterns("100% 1 4 2 5 3")));
    assert_eq!(pair.world.node(pair.b).numbers(), [0, 3, 4, 5, 8, 9]);
    assert_eq!(pair.world.stats(pair.link.forth()).dropped_for(DropCause::Loss), 4);
}

#[test]
fn bursts_of_the_model_make_the_share_of_packets_late_that_they_say_and_lose_none() {
    let (count, model) = (200_000, Patterns::bursts(0.01, 10, 0.5));
    let late = |seed| {
        let pair = burst(seed, count, &Link::new().delay(10 * MS).reorder_bursts(model.clone()));
        let numbers = pair.world.node(pair.b).numbers();
        assert_eq!(numbers.len() as u64, count);
        let mut last = 0;
        let late = numbers.iter().filter(|number| {
            last = last.max(**number);
            last > **number
        });
        late.count() as f64
    };
    let expected = model.late_share() * count as f64;
    for seed in [1, 2] {
        assert!((late(seed) - expected).abs() < 5.0 * expected.sqrt(), "{} late, {expected} expected", late(seed));
    }
    assert!(late(1) != late(2), "chance decides");
}

#[test]
fn lost_packets_have_no_place_in_a_pattern() {
    let link = Link::new().loss(Loss::numbers([0, 3])).reorder_bursts(patterns("100% 2 1"));
    let pair = burst(3, 6, &link);
    assert_eq!(pair.world.node(pair.b).numbers(), [2, 1, 5, 4]);
}
