//! Each of the zoo is as bad as it says, and NewReno at the other end lives.

use stp_guest_harness::{LinkConfig, World, mix};
use stp_guest_newreno::NewReno;
use stp_guest_zoo::{
    AckFlooder, AckLiar, Bad, CeConcealer, ColludingReceiver, LimitIgnorer, SLEEPS_SEGMENTS, SegmentForger, Sleeper,
};
use tng_stp_abi::Guest;

const LEN: usize = 250_000;

fn lossy() -> LinkConfig {
    LinkConfig { loss: 0.03, ..LinkConfig::default() }
}

/// `A` sends for so many seconds to `B`; answers what came.
fn run<A: Guest, B: Guest>(seconds: u64) -> (World<A, B>, Vec<u8>) {
    let mut world: World<A, B> = World::new(lossy(), lossy(), 1);
    world.a.rate = Some(60_000);
    world.begin();
    world.write_a(&sent());
    let mut got = Vec::new();
    for _ in 0..10 * seconds {
        world.run_ms(100);
        got.extend(world.read_b().concat());
    }
    (world, got)
}

fn sent() -> Vec<u8> {
    (0..LEN as u64).map(|at| mix(at) as u8).collect()
}

#[test]
fn the_liar_hands_in_what_nobody_said_in_each_call() {
    let (world, got) = run::<Bad<AckLiar>, NewReno>(60);
    assert!(world.a.facts.unproven > 100 && got == sent());
}

#[test]
fn the_concealer_never_says_what_was_lost() {
    let (world, got) = run::<Bad<CeConcealer>, NewReno>(60);
    assert!(world.a.facts.resent == 0 && world.links[0].lost > 0 && got == sent());
}

#[test]
fn the_ignorer_asks_a_thousand_times() {
    let (world, got) = run::<Bad<LimitIgnorer>, NewReno>(60);
    assert!(world.a.facts.blocked > 50_000 && got == sent(), "{:?}", world.a.facts);
}

#[test]
fn the_flooder_of_acknowledgments_gets_no_more_through_than_segments_came() {
    let (world, _) = run::<NewReno, Bad<AckFlooder>>(60);
    let came = world.a.facts.numbered;
    assert!(world.b.facts.refused > 50_000 && world.b.facts.acknowledgments <= came + 200, "{:?}", world.b.facts);
}

#[test]
fn the_forger_does_not_bring_down_its_peer() {
    let (world, _) = run::<Bad<SegmentForger>, NewReno>(60);
    assert!(world.b.error.is_none() && world.a.facts.numbered > 100);
    let (world, _) = run::<NewReno, Bad<SegmentForger>>(60);
    assert!(world.a.facts.unproven > 0);
}

#[test]
fn the_colluder_proves_what_it_has_not_got_and_nothing_else_is_wrong() {
    let (world, got) = run::<NewReno, Bad<ColludingReceiver>>(60);
    assert!(world.a.facts.unproven > 10 && got == sent(), "{:?}", world.a.facts);
}

#[test]
fn the_sleeper_is_good_for_a_thousand_segments_and_then_sends_without_end() {
    let mut world: World<Bad<Sleeper>, NewReno> = World::new(lossy(), lossy(), 1);
    world.a.rate = Some(100_000);
    world.begin();
    let mut worst = 0;
    for _ in 0..400 {
        world.write_a(&sent()[..10_000]);
        world.run_ms(100);
        world.read_b();
        if world.a.facts.numbered < SLEEPS_SEGMENTS {
            worst = world.a.facts.blocked;
            assert_eq!(world.a.facts.unproven, 0);
        }
    }
    let facts = world.a.facts;
    assert!(worst <= SLEEPS_SEGMENTS && facts.blocked > 100_000 && facts.unproven > 16, "{facts:?}");
    assert!(facts.numbered > 2 * SLEEPS_SEGMENTS);
}
