//! What is lost, late, doubled or damaged.

use core::cell::RefCell;
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::{Link, Loss};
use tng_tcp::Config;
use tng_tcp::wire::Segment;
use tng_wire::{Reader, Repr};

use crate::world::*;

/// Loses the data segments with these numbers, counted from zero, retransmissions included.
fn lose_data(pair: &mut Pair, numbers: &'static [u64]) {
    let mut seen = 0;
    pair.world.intercept(pair.link.forth(), move |_, packet| {
        let segment = Segment::parse(&mut Reader::new(&packet.payload)).expect("a segment");
        if segment.payload.is_empty() {
            return true;
        }
        seen += 1;
        !numbers.contains(&(seen - 1))
    });
}

#[test]
fn several_holes_in_one_window_are_filled_within_one_round_trip_more() {
    let without = {
        let mut pair = pair(1, &path(), &Config::default(), sending(200_000), Plan::default());
        assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
        host_b(&pair).read_at.unwrap()
    };
    let mut pair = pair(1, &path(), &Config::default(), sending(200_000), Plan::default());
    lose_data(&mut pair, &[30, 32, 35, 40]);
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    let stats = client(&pair).stats.unwrap();
    assert_eq!((stats.retransmits, stats.timeouts, stats.reductions), (4, 0, 1));
    let later = host_b(&pair).read_at.unwrap().since(without);
    assert!(later < ms(100), "{later:?}");
}

#[test]
fn a_lost_tail_is_probed_before_the_timeout() {
    let mut pair = pair(2, &path(), &Config::default(), sending(14_480), Plan::default());
    lose_data(&mut pair, &[9]);
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    let stats = client(&pair).stats.unwrap();
    assert_eq!((stats.probes, stats.timeouts, stats.reductions), (1, 0, 1), "the repair counts as a loss");
    let read_at = host_b(&pair).read_at.unwrap();
    // Two round trips, and what a delayed acknowledgment of a lone segment may take.
    assert!(read_at < Instant::from_millis(400), "{read_at:?}");
}

#[test]
fn a_lost_retransmission_is_found_without_a_timeout() {
    let mut pair = pair(3, &path(), &Config::default(), sending(1_000_000), Plan::default());
    // Number 31 is lost; its retransmission goes out after what is then in flight.
    let lost = Rc::new(RefCell::new((None, 0)));
    let state = Rc::clone(&lost);
    let mut seen = 0;
    pair.world.intercept(pair.link.forth(), move |_, packet| {
        let segment = Segment::parse(&mut Reader::new(&packet.payload)).expect("a segment");
        if segment.payload.is_empty() {
            return true;
        }
        seen += 1;
        let (number, times) = &mut *state.borrow_mut();
        if seen == 31 {
            *number = Some(segment.seq);
        }
        if *number == Some(segment.seq) && *times < 2 {
            *times += 1;
            return false;
        }
        true
    });
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    let stats = client(&pair).stats.unwrap();
    assert_eq!(lost.borrow().1, 2);
    assert_eq!((stats.timeouts, stats.retransmits), (0, 2));
}

#[test]
fn timeouts_double_and_the_connection_goes_on_after_an_outage() {
    let mut pair = pair(4, &path(), &Config::default(), sending(3_000_000), Plan::default());
    pair.world.outage(pair.link, Instant::from_secs(1), Instant::from_secs(8));
    assert!(run_to_the_end(&mut pair, Instant::from_secs(200)));
    let stats = client(&pair).stats.unwrap();
    // Of 0.25 s or so, doubling: five or six fit into seven seconds.
    assert!((4..=6).contains(&stats.timeouts), "{stats:?}");
    assert_eq!(host_b(&pair).read, 3_000_000);
}

#[test]
fn a_peer_that_is_gone_is_given_up_after_the_bounded_number_of_timeouts() {
    let mut pair = pair(5, &path(), &Config::default(), sending(3_000_000), Plan::default());
    pair.world.outage(pair.link, Instant::from_secs(1), Instant::from_secs(1_000_000));
    pair.world.run_until(Instant::from_secs(10_000));
    let (at, end) = client(&pair).end.unwrap();
    assert_eq!(end, tng_tcp::End::TimedOut);
    // Linux's fifteen retries come to about fifteen minutes.
    assert!((600.0..1_200.0).contains(&at.as_secs_f64()), "{at:?}");
}

#[test]
fn a_syn_that_is_lost_is_sent_again_after_a_second_and_one_never_answered_ends() {
    let mut world = pair(6, &path(), &Config::default(), sending(1), Plan::default());
    let mut first = true;
    world.world.intercept(world.link.forth(), move |_, _| !core::mem::take(&mut first));
    assert!(run_to_the_end(&mut world, Instant::from_secs(100)));
    let established = client(&world).established.unwrap().as_secs_f64();
    assert!((1.0..1.1).contains(&established), "{established}");
    let mut deaf = pair(6, &path(), &Config::default(), sending(1), Plan::default());
    deaf.world.intercept(deaf.link.forth(), |_, _| false);
    deaf.world.run_until(Instant::from_secs(1_000));
    let (at, end) = client(&deaf).end.unwrap();
    assert_eq!((end, at.as_nanos() / 1_000_000_000), (tng_tcp::End::TimedOut, 127));
}

#[test]
fn bytes_are_exact_whatever_the_path_does_to_packets() {
    for seed in 0..24 {
        let mut link = path();
        match seed % 6 {
            0 => link = link.loss(Loss::Independent(0.1)),
            1 => link = link.reorder(0.2, ms(15)),
            2 => link = link.duplicate(0.2),
            // Discarded by the link layer: three flipped bits pass TCP's own checksum now and then.
            3 => link = link.wireless(0.05),
            4 => link = link.jitter_reordering(ms(15)),
            _ => {
                link = link.loss(Loss::bursts(0.03, 1..=6)).reorder(0.05, ms(30)).duplicate(0.05);
            }
        }
        let config = Config { sack: seed % 5 != 0, timestamps: seed % 4 != 0, ..Config::default() };
        let (forth, back) = (sending(300_000), sending(50_000));
        let mut pair = pair_of(seed, &link, [&config, &Config::default()], forth, back);
        assert!(run_to_the_end(&mut pair, Instant::from_secs(3_000)), "seed {seed}");
        let ends = (client(&pair).end, host_b(&pair).end, client(&pair).stats);
        assert_eq!((host_b(&pair).read, client(&pair).read), (300_000, 50_000), "seed {seed}: {ends:?}");
    }
}

#[test]
fn reordering_is_learnt_and_does_not_cost_a_reduction_every_time() {
    let link = path().reorder(0.02, ms(8));
    let mut pair = pair(7, &link, &Config::default(), sending(5_000_000), Plan::default());
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    let stats = client(&pair).stats.unwrap();
    let standing = stats.reductions - stats.undone;
    assert!(standing < 10 && stats.timeouts == 0, "{stats:?}");
}

#[test]
fn a_late_packet_takes_the_reduction_back() {
    // One packet is half a second late: everything after it is acknowledged first, and then the original arrives.
    let mut pair = pair(
        8,
        &path(),
        &Config { controller: "reno".parse().expect("a controller"), ..Config::default() },
        sending(400_000),
        Plan::default(),
    );
    let lane = pair.link.forth();
    pair.world.at(Instant::from_millis(150), move |world| {
        world.change(lane, |link| link.reorder = Some(tng_sim::Reorder::Late { probability: 0.2, extra: ms(35) }));
    });
    pair.world.at(Instant::from_millis(170), move |world| {
        world.change(lane, |link| link.reorder = None);
    });
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    let stats = client(&pair).stats.unwrap();
    assert!(stats.reductions >= 1 && stats.undone >= 1, "{stats:?}");
}

#[test]
fn acknowledgments_wait_for_a_second_segment_or_40_ms_once_the_connection_is_under_way() {
    let mut pair = pair(9, &path(), &Config::default(), sending(2_000_000), Plan::default());
    assert!(run_to_the_end(&mut pair, Instant::from_secs(100)));
    let (data, acks) = (pair.world.stats(pair.link.forth()).offered, pair.world.stats(pair.link.back()).offered);
    assert!(acks < data * 52 / 100 + 20 && acks > data * 48 / 100, "{acks} acknowledgments of {data} segments");
}

#[test]
fn no_window_is_lost_to_an_application_that_sends_little() {
    // One small write per round trip for long: the window stays where it was.
    let config = Config { controller: "reno".parse().expect("a controller"), ..Config::default() };
    let idle = Plan { finish: Finish::Never, ..Plan::default() };
    let mut pair = pair(10, &Link::new().delay(ms(20)), &config, idle, idle);
    pair.world.run_until(Instant::from_secs(1));
    let a = pair.a;
    let before = stats_of(&pair, a).cwnd;
    for step in 0..100_u64 {
        pair.world.run_until(Instant::from_millis(1_000 + step * 50));
        let id = only_id(&pair, a);
        pair.world.node_mut(a).machine.write(id, &[byte(2 * step), byte(2 * step + 1)]).expect("a connection");
    }
    pair.world.run_until(Instant::from_secs(10));
    assert_eq!(stats_of(&pair, a).cwnd, before);
    assert_eq!(before, 14_480);
}
