//! What one end says the other hears, whatever happens to the path.

use core::time::Duration;

use stp_guest_flood::Flood;
use stp_guest_newreno::NewReno;
use stp_guest_sack::Sack;
use tng_base::Instant;
use tng_sim::topology::A;
use tng_sim::{Link, Loss};
use tng_stack::EventKind;
use tng_stp_host::{Code, End, Life};

use crate::world::{ELSEWHERE, Run, Says, Setting, seeds};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn streams() -> [Code; 2] {
    [Code::native::<NewReno>("newreno"), Code::native::<Sack>("sack")]
}

fn faulty(link: Link, loss: f64) -> Link {
    link.loss(Loss::Independent(loss)).duplicate(0.03).reorder(0.03, 20 * MS)
}

fn whole(amount: u64) -> Says {
    Says { amount, finishes: true, ..Says::default() }
}

#[test]
fn bytes_arrive_as_they_were_both_ways_and_end_over_a_path_that_loses_doubles_and_reorders() {
    for code in streams() {
        for seed in seeds(3) {
            for loss in [0.0, 0.02, 0.1] {
                let mut setting = Setting::new(seed).saying(whole(40_000));
                setting.links[0] = faulty(setting.links[0].clone(), loss);
                let mut run = setting.start();
                run.connect(&code);
                run.finish(300 * SECOND);
                run.pass(60 * SECOND);
                for id in [run.a, run.b] {
                    let life = run.app(id).talk().life();
                    assert_eq!(*life, Life::Ended(End::Done), "{} takes its leave when both have ended", code.name());
                }
                run.end();
            }
        }
    }
}

#[test]
fn messages_of_a_flood_come_whole_or_not_at_all() {
    for seed in seeds(3) {
        let says = Says { amount: 200, message: 900, every: 10 * MS, ..Says::default() };
        let mut setting = Setting::new(seed).saying(says);
        setting.links[0] = setting.links[0].clone().loss(Loss::Independent(0.1)).reorder(0.03, 20 * MS);
        let mut run = setting.start();
        run.connect(&Code::native::<Flood>("flood"));
        run.pass(10 * SECOND);
        for id in [run.a, run.b] {
            let talk = run.app(id).talk();
            assert_eq!(talk.wrong, None);
            assert_eq!(talk.bytes, talk.heard * 908, "whole");
            assert!((100..200).contains(&talk.heard), "{} of 200 messages, a tenth is lost", talk.heard);
        }
        run.end();
    }
}

#[test]
fn messages_of_a_flood_all_come_over_a_path_that_loses_none() {
    let says = Says { amount: 200, message: 900, every: 10 * MS, ..Says::default() };
    let mut run = Setting::new(1).saying(says).start();
    run.connect(&Code::native::<Flood>("flood"));
    run.finish(10 * SECOND);
    run.end();
}

/// A transfer that is under way for some seconds.
fn under_way(code: &Code, seed: u64) -> Run {
    let mut setting = Setting::new(seed).saying(whole(1_000_000));
    setting.links[0] = setting.links[0].clone().rate(4_000_000);
    let mut run = setting.start();
    run.connect(code);
    run.pass(SECOND);
    run
}

#[test]
fn a_client_that_moves_or_whose_nat_forgets_it_goes_on() {
    for code in streams() {
        for seed in seeds(2) {
            let mut run = under_way(&code, seed);
            run.world.rebind(run.a, A, (A, 40_001).into());
            // What queues before it knows takes its time.
            run.pass(1_500 * MS);
            run.world.change_address(run.a, A, Some(ELSEWHERE));
            run.finish(60 * SECOND);
            let moved = |(_, event): &&(Instant, tng_stack::HostEvent)| matches!(event.kind, EventKind::Moved { .. });
            assert_eq!(run.app(run.b).events.iter().filter(moved).count(), 2);
            run.end();
        }
    }
}

#[test]
fn an_outage_of_ten_seconds_loses_nothing() {
    for code in streams() {
        for seed in seeds(2) {
            let mut run = under_way(&code, seed);
            run.world.outage(run.links[0], Instant::from_secs(1), Instant::from_secs(11));
            let took = run.finish(60 * SECOND);
            assert!(took > 11 * SECOND && took < 30 * SECOND, "{}: {took:?}", code.name());
            run.end();
        }
    }
}

#[test]
fn one_and_two_helpers_on_the_path_carry_a_guest() {
    for code in streams() {
        for seed in seeds(2) {
            for helpers in 1..3 {
                let mut run = Setting::helped(seed, helpers).saying(whole(100_000)).start();
                let id = run.connect(&code);
                // An INIT that is lost may go directly.
                run.world.run_until(Instant::from_millis(100));
                for link in run.links.clone() {
                    for lane in link.lanes() {
                        run.world.change(lane, |link| link.loss = Loss::Independent(0.02));
                    }
                }
                run.finish(60 * SECOND);
                assert_eq!(run.host(run.a).stats(id).expect("up").helpers, helpers);
                run.end();
            }
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_run_and_another_another() {
    let digest = |code: &Code, seed| {
        let mut setting = Setting::new(seed).saying(whole(40_000));
        setting.links[0] = faulty(setting.links[0].clone(), 0.02);
        let mut run = setting.start();
        run.world.record_digest();
        run.connect(code);
        run.stream();
        run.pass(3 * SECOND);
        run.world.digest().expect("it was asked for")
    };
    for code in streams() {
        assert_eq!(digest(&code, 1), digest(&code, 1));
        assert_ne!(digest(&code, 1), digest(&code, 2));
    }
}
