//! Each variant carries streams as they were, and does what its extension is for: beside it the same without it.

use stp_guest_harness::{Facts, LinkConfig, Run, World, pattern, whole};
use stp_guest_newreno::NewReno;
use stp_guest_sack::Sack;
use stp_guest_variants::{
    ByteCounting, Dsack, Eifel, Fack, FastRecovery, HeaderPrediction, HighPerformance, Karn, LimitedTransmit, Nice,
    RrTcp, Satellite, Tahoe, VegasTcp, Westwood, Wtcp,
};
use tng_stp_abi::Guest;

const SECOND: u64 = 1_000_000;

/// Carries streams of these lengths, over these ways, by a seed: microseconds, and what the first end has done.
type Whole = fn([usize; 2], LinkConfig, LinkConfig, u64) -> (u64, Facts);

fn lossy(loss: f64) -> LinkConfig {
    LinkConfig { loss, held: 0.02, doubled: 0.01, ..LinkConfig::default() }
}

fn at_any_loss<A: Guest, B: Guest>() {
    for loss in [0.0, 0.01, 0.1] {
        for seed in 0..3 {
            whole::<A, B>([100_000, 0], lossy(loss), lossy(loss), seed);
            whole::<A, B>([30_000, 40_000], lossy(loss), lossy(loss), 100 + seed);
        }
    }
}

macro_rules! each {
    ($($name:ident: $guest:ty;)*) => {
        $(
            #[test]
            fn $name() {
                at_any_loss::<$guest, $guest>();
                at_any_loss::<$guest, Tahoe>();
            }
        )*
    };
}

each! {
    tahoe_carries_streams: Tahoe;
    fast_recovery_carries_streams_and_so_with_tahoe: FastRecovery;
    karn_carries_streams_and_so_with_tahoe: Karn;
    limited_transmit_carries_streams_and_so_with_tahoe: LimitedTransmit;
    byte_counting_carries_streams_and_so_with_tahoe: ByteCounting;
    rfc1323_carries_streams_and_so_with_tahoe: HighPerformance;
    d_sack_carries_streams_and_so_with_tahoe: Dsack;
    fack_carries_streams_and_so_with_tahoe: Fack;
    tcpsat_carries_streams_and_so_with_tahoe: Satellite;
    rr_tcp_carries_streams_and_so_with_tahoe: RrTcp;
    eifel_carries_streams_and_so_with_tahoe: Eifel;
    header_prediction_carries_streams_and_so_with_tahoe: HeaderPrediction;
    vegas_carries_streams_and_so_with_tahoe: VegasTcp;
    nice_carries_streams_and_so_with_tahoe: Nice;
    westwood_carries_streams_and_so_with_tahoe: Westwood;
    wtcp_carries_streams_and_so_with_tahoe: Wtcp;
    newreno_carries_streams_with_tahoe: NewReno;
    sack_carries_streams_with_tahoe: Sack;
}

/// A line of 250 kB/s and 100 ms.
fn line() -> LinkConfig {
    LinkConfig { delay_us: 50_000, rate: 250_000, queue: 100_000, ..LinkConfig::default() }
}

/// So many bytes one way, with these segments lost: microseconds, and what the sender has done.
fn losing<G: Guest>(len: usize, lost: &[u64]) -> (u64, Facts) {
    let there = LinkConfig { lost: lost.to_vec(), ..line() };
    whole::<G, G>([len, 0], there, line(), 1)
}

#[test]
fn fast_recovery_goes_on_sending_where_tahoe_begins_anew() {
    let (tahoe, fast) = (losing::<Tahoe>(400_000, &[60, 200]).0, losing::<FastRecovery>(400_000, &[60, 200]).0);
    println!("tahoe {tahoe} us, fast recovery {fast} us");
    assert!(fast + SECOND / 5 < tahoe);
}

#[test]
fn sack_and_fack_make_good_in_one_round_trip_what_costs_tahoe_a_slow_start() {
    let lost = [60, 62, 64, 66, 68];
    let took = [losing::<FastRecovery>, losing::<Sack>, losing::<Fack>].map(|run| run(300_000, &lost).0);
    println!("reno {}, sack {}, fack {} us", took[0], took[1], took[2]);
    assert!(took[2] + SECOND / 5 < took[0] && took[1] + SECOND / 5 < took[0]);
}

#[test]
fn fack_finds_what_was_lost_by_one_segment_that_came_and_sack_waits_for_the_timer() {
    // The last of a flight arrives alone.
    let lost: Vec<u64> = (46..50).collect();
    let in_order = |fate: (u64, Facts)| (fate.0, fate.1.resent);
    let (sack, fack) = (in_order(losing::<Dsack>(60_000, &lost)), in_order(losing::<Fack>(60_000, &lost)));
    println!("sack {sack:?}, fack {fack:?}");
    assert!(fack.0 < sack.0);
}

#[test]
fn limited_transmit_finds_a_loss_without_the_timer_where_the_window_is_three() {
    // Windows of 1, 2 and 3 segments; the first of the third is lost.
    let (tahoe, limited) = (losing::<Tahoe>(40_000, &[3]).0, losing::<LimitedTransmit>(40_000, &[3]).0);
    println!("tahoe {tahoe} us, limited transmit {limited} us");
    assert!(limited + SECOND / 10 < tahoe);
}

#[test]
fn byte_counting_opens_the_window_as_fast_as_if_each_segment_were_acknowledged() {
    let (tahoe, counting) = (losing::<Tahoe>(200_000, &[]).0, losing::<ByteCounting>(200_000, &[]).0);
    println!("tahoe {tahoe} us, byte counting {counting} us");
    assert!(counting + SECOND / 10 < tahoe);
}

#[test]
fn rfc1323_fills_a_line_that_holds_more_than_a_small_window() {
    let long = LinkConfig { delay_us: 100_000, rate: 2_500_000, queue: 2_000_000, ..LinkConfig::default() };
    let took = |run: Whole| run([4_000_000, 0], long.clone(), long.clone(), 1).0;
    let (tahoe, large) = (took(whole::<Tahoe, Tahoe>), took(whole::<HighPerformance, HighPerformance>));
    println!("tahoe {tahoe} us, rfc1323 {large} us");
    assert!(2 * large < tahoe);
}

#[test]
fn tcpsat_begins_with_more_and_fills_a_satellites_line() {
    let long = LinkConfig { delay_us: 250_000, rate: 1_250_000, queue: 1_000_000, ..LinkConfig::default() };
    let took = |run: Whole| run([1_000_000, 0], long.clone(), long.clone(), 1).0;
    let (tahoe, satellite) = (took(whole::<Tahoe, Tahoe>), took(whole::<Satellite, Satellite>));
    println!("tahoe {tahoe} us, tcpsat {satellite} us");
    assert!(3 * satellite < 2 * tahoe);
}

/// A stream whose path takes much longer from one moment on, so that the timer goes off in vain: what the sender has
/// done, and its window when the first acknowledgments have come after all.
fn delayed<G: Guest>(window: fn(&G) -> u64) -> (Facts, u64) {
    let slow = LinkConfig { queue: 4_000_000, ..line() };
    let mut run: Run<G> = Run::new(slow.clone(), slow, 1);
    run.left[0] = pattern(600_000, 1).into();
    run.world.begin();
    let until = |run: &mut Run<G>, ms: u64| {
        while run.world.now < 1_000 * ms {
            run.write();
            run.world.step(1_000 * ms);
            run.got[1].extend(run.world.read_b().concat());
        }
    };
    until(&mut run, 1_000);
    // The line stands still for longer than the timer waits.
    let now = run.world.now;
    run.world.links[0].pause(now, 700_000);
    until(&mut run, 2_000);
    let open = run.world.guest_a().map_or(0, window);
    run.finish(600 * SECOND);
    assert!(run.got[1] == pattern(600_000, 1));
    (run.world.a.facts, open)
}

#[test]
fn eifel_takes_back_a_timeout_that_was_none_and_sends_little_twice() {
    let (reno, of_reno) = delayed::<FastRecovery>(FastRecovery::window);
    let (eifel, of_eifel) = delayed::<Eifel>(Eifel::window);
    println!("reno: {} again, window {of_reno}; eifel: {} again, window {of_eifel}", reno.resent, eifel.resent);
    assert!(of_eifel > 2 * of_reno && 2 * eifel.resent < reno.resent);
}

#[test]
fn d_sack_takes_the_reduction_back_when_what_was_sent_again_came_twice() {
    let held = LinkConfig { held: 0.02, held_us: 40_000, ..line() };
    let run = |of: Whole| (0..8).map(|seed| of([600_000, 0], held.clone(), line(), seed).0).sum::<u64>() / 8;
    let (fast, dsack, rr) =
        (run(whole::<FastRecovery, FastRecovery>), run(whole::<Dsack, Dsack>), run(whole::<RrTcp, RrTcp>));
    println!("reno {fast} us, d-sack {dsack} us, rr-tcp {rr} us");
    assert!(10 * dsack < 9 * fast);
    let again = |of: Whole| (0..8).map(|seed| of([600_000, 0], held.clone(), line(), seed).1.resent).sum::<u64>();
    let (dsack, rr) = (again(whole::<Dsack, Dsack>), again(whole::<RrTcp, RrTcp>));
    println!("again: d-sack {dsack}, rr-tcp {rr}");
    assert!(2 * rr < dsack, "it learns to wait: {rr}, {dsack}");
}

/// A little once a second, over a path whose round trip is three times as long after a while: segments sent again.
fn interactive<G: Guest>() -> u64 {
    let mut world: World<G, G> = World::new(line(), line(), 1);
    world.begin();
    for second in 0..60 {
        world.write_a(&pattern(500, second));
        world.run_ms(1_000);
        if second == 20 {
            world.links[0].config.delay_us += 340_000;
        }
    }
    assert_eq!(world.read_b().concat().len(), 30_000);
    world.a.facts.resent
}

#[test]
fn karn_measures_nothing_of_what_was_sent_twice_and_the_timeout_fits_the_path() {
    let (tahoe, karn) = (interactive::<Tahoe>(), interactive::<Karn>());
    println!("tahoe: {tahoe} again, karn: {karn} again");
    assert!(tahoe > 20 && karn < 5);
}

#[test]
fn vegas_keeps_the_queue_short_that_tahoe_fills() {
    let run = |of: Whole| of([2_000_000, 0], LinkConfig { queue: 30_000, ..line() }, line(), 1);
    let ((tahoe, of_tahoe), (vegas, of_vegas)) = (run(whole::<Tahoe, Tahoe>), run(whole::<VegasTcp, VegasTcp>));
    println!("tahoe {tahoe} us, {} again; vegas {vegas} us, {} again", of_tahoe.resent, of_vegas.resent);
    assert!(vegas <= tahoe && of_vegas.resent * 4 < of_tahoe.resent);
}

#[test]
fn westwood_and_wtcp_keep_their_windows_where_losses_are_the_lines() {
    let noisy = LinkConfig { loss: 0.003, delay_us: 50_000, rate: 625_000, queue: 200_000, ..LinkConfig::default() };
    let run = |of: Whole| (0..8).map(|seed| of([4_000_000, 0], noisy.clone(), line(), seed).0).sum::<u64>() / 8;
    let newreno = run(whole::<NewReno, NewReno>);
    let (westwood, wtcp) = (run(whole::<Westwood, Westwood>), run(whole::<Wtcp, Wtcp>));
    println!("newreno {newreno} us, westwood {westwood} us, wtcp {wtcp} us");
    assert!(10 * westwood < 9 * newreno && 10 * wtcp < 9 * newreno);
}

#[test]
fn an_old_segment_that_comes_late_is_dropped_by_its_timestamp() {
    let mut world: World<HighPerformance, HighPerformance> =
        World::new(LinkConfig { doubled: 0.5, held: 0.5, held_us: 400_000, ..line() }, line(), 1);
    world.begin();
    world.write_a(&pattern(100_000, 1));
    world.run_ms(60_000);
    assert!(world.read_b().concat() == pattern(100_000, 1));
}
