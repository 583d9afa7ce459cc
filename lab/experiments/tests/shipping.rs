//! Code on its way between two hosts, in virtual time, over the path of STP 5.4: 2 Mbit/s, 100 ms, packets that are
//! lost.
#![cfg(feature = "guests")]

use core::time::Duration;
use std::sync::Arc;

use tng_base::{CodeHash, Instant};
use tng_crypto::code_hash;
use tng_experiments::peers::guests::repertoire::Acceptance;
use tng_experiments::peers::shipping::{Ground, Resident, Standing, Town, Visit};
use tng_services::code::{Declined, Fetch, FetchError, Form, Part};
use tng_sim::{Link, Loss};
use tng_stack::structured::Priority;

const NEWRENO: &[u8] = include_bytes!("../../../transports/stp/guests/modules/newreno.wasm");
/// The round trip of the path.
const ROUND_TRIP: Duration = Duration::from_millis(100);
/// When code is asked for.
const ASKED: Instant = Instant::from_secs(5);

/// A client and a server on the path.
struct Run {
    standing: Standing,
    seed: u64,
}

#[derive(Clone, Copy)]
struct Setting {
    seed: u64,
    loss: f64,
    with_bulk: bool,
    asks: Option<CodeHash>,
    priority: Option<Priority>,
}

impl Run {
    fn new(setting: Setting, part: Option<Part>) -> Run {
        let Setting { seed, loss, with_bulk, asks, priority } = setting;
        let resident = |has: Vec<Arc<[u8]>>| Resident { accepts: Acceptance::Any, has, prefers: None };
        let town = Town {
            seed,
            ground: Ground::Line,
            link: Link::new().rate(2_000_000).delay(ROUND_TRIP / 2).loss(Loss::Independent(loss)),
            compiling: Duration::from_millis(100),
            residents: vec![resident(Vec::new()), resident(vec![NEWRENO.into()])],
        };
        let mut standing = town.stand();
        priority.into_iter().for_each(|priority| standing.courier_mut(1).priority = priority);
        let (to, bytes) = (standing.targets[1].clone(), if with_bulk { u64::MAX } else { 0 });
        let asks = asks.map(|hash| (ASKED, Fetch::new(hash, Form::Binary, part)));
        standing.courier_mut(0).plan(Visit { at: Instant::ZERO, to, offers: Vec::new(), bytes, asks });
        Run { standing, seed }
    }

    fn bulk_bytes(&self) -> u64 {
        self.standing.courier(0).visits[0].bytes
    }

    /// How long the module takes from when it is asked for.
    fn fetch(&mut self) -> Duration {
        let client = self.standing.hosts[0];
        let limit = ASKED + Duration::from_secs(120);
        let done = self.standing.world.wait_until(limit, |world| world.node(client).app.came.is_some());
        assert!(done, "seed {}: not within two minutes", self.seed);
        let (at, code) = self.standing.courier_mut(0).came.take().expect("it came");
        let code = code.expect("an honest peer");
        assert!(code.module == NEWRENO && code.manifest == [1; 300]);
        at.since(ASKED)
    }

    /// Bytes of bulk that come from when code is asked for until then.
    fn bulk_until(&mut self, until: Instant) -> u64 {
        self.standing.world.run_until(ASKED);
        let before = self.bulk_bytes();
        self.standing.world.run_until(until);
        self.bulk_bytes() - before
    }
}

fn plain() -> Setting {
    Setting { seed: 0, loss: 0.005, with_bulk: false, asks: Some(code_hash(NEWRENO)), priority: None }
}

/// The times of so many seeds, in order.
fn times(setting: Setting, seeds: u64) -> Vec<Duration> {
    let mut times: Vec<_> = (1..=seeds).map(|seed| Run::new(Setting { seed, ..setting }, None).fetch()).collect();
    times.sort_unstable();
    times
}

fn told(what: &str, times: &[Duration]) {
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    println!("{what}: median {:?}, 90 % {:?}, longest {:?}, of {} seeds", at(50), at(90), at(100), times.len());
}

#[test]
fn newreno_is_there_in_a_second_on_the_path_of_the_paper() {
    let times = times(plain(), 100);
    told("0.5 % loss", &times);
    assert!(times[0] >= ROUND_TRIP * 3 / 2, "no faster than light");
    assert!(times[99] <= Duration::from_secs(1), "{times:?}");
}

#[test]
fn newreno_is_there_in_three_seconds_where_every_twentieth_packet_is_lost() {
    let times = times(Setting { loss: 0.05, ..plain() }, 100);
    told("5 % loss", &times);
    assert!(times[99] <= Duration::from_secs(3), "{times:?}");
}

#[test]
fn a_transfer_beside_it_hardly_feels_code_and_code_comes_although_the_transfer_never_pauses() {
    let until = ASKED + Duration::from_secs(10);
    let (mut lost, mut took) = (Vec::new(), Vec::new());
    for seed in 1..=20 {
        // Without losses, so that what differs is the code alone.
        let bulk = Setting { seed, loss: 0.0, with_bulk: true, ..plain() };
        let alone = Run::new(Setting { asks: None, ..bulk }, None).bulk_until(until);
        let mut beside = Run::new(bulk, None);
        let rest = beside.bulk_until(until);
        took.push(beside.fetch());
        lost.push(100.0 * (alone as f64 - rest as f64) / alone as f64);
    }
    took.sort_unstable();
    told("beside bulk", &took);
    println!("of its rate bulk lost in ten seconds, in percent: {lost:.2?}");
    assert!(lost.iter().all(|percent| (0.2..=5.0).contains(percent)), "{lost:?}");
    // Control: below the level of everything else it would wait for a pause.
    let below = Priority { level: Some(-1), weight: 1 };
    let mut starved = Run::new(Setting { seed: 1, loss: 0.0, with_bulk: true, priority: Some(below), ..plain() }, None);
    starved.standing.world.run_until(ASKED + Duration::from_secs(60));
    assert!(starved.standing.courier(0).came.is_none());
}

#[test]
fn while_code_comes_what_is_beside_it_has_sixteen_parts_of_seventeen() {
    let mut run = Run::new(Setting { seed: 3, loss: 0.0, with_bulk: true, ..plain() }, None);
    run.standing.world.run_until(ASKED);
    let before = run.bulk_bytes();
    let took = run.fetch();
    let bulk = run.bulk_bytes() - before;
    println!("the module took {took:?}, beside {bulk} bytes");
    let packed = 13_660.0 + 400.0;
    // The round trip of the question is bulk's alone.
    assert!(bulk as f64 / packed >= 16.0, "{bulk}");
}

#[test]
fn what_came_over_a_connection_that_died_need_not_come_again() {
    let mut cut = Run::new(Setting { seed: 7, ..plain() }, None);
    // The first flight has come.
    cut.standing.world.run_until(ASKED + ROUND_TRIP + Duration::from_millis(40));
    let fetch = cut.standing.courier_mut(0).fetching().expect("it was asked for");
    let part = fetch.into_part().expect("some has come");
    let there = part.as_bytes().len();
    println!("{there} bytes had come");
    assert!((2_000..13_000).contains(&there));
    // Another connection, of another host.
    let mut rest = Run::new(Setting { seed: 8, ..plain() }, Some(part));
    assert!(rest.fetch() < Duration::from_secs(1));
}

#[test]
fn a_host_that_has_no_code_says_so_in_a_round_trip() {
    let asks = Some(code_hash(b"other"));
    let mut run = Run::new(Setting { seed: 9, loss: 0.0, asks, ..plain() }, None);
    run.standing.world.run_until(ASKED + Duration::from_secs(1));
    let (at, answer) = run.standing.courier_mut(0).came.take().expect("it is answered");
    assert_eq!(answer, Err(FetchError::Declined(Declined::NotHere)));
    assert!((ROUND_TRIP..ROUND_TRIP + Duration::from_millis(10)).contains(&at.since(ASKED)));
}
