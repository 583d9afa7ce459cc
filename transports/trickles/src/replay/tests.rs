//! Replicas whose clocks differ, started again and again, before a client that presents everything everywhere.

use core::time::Duration;
use std::collections::{HashMap, VecDeque};

use tng_base::{Instant, Rng};
use tng_crypto::{Blake3Key, Secret32};

use super::*;
use crate::{AGE_MAX, Age, Horizon, SKEW_MAX, Stamp, Wall, WallClock};

/// What is presented: a million in the full count.
fn presented() -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20_000)
}

const REPLICAS: usize = 3;

#[derive(Clone, Copy)]
struct Rules {
    /// Two Bloom filters, or rings.
    is_bloom: bool,
    /// What filters remember.
    remembered: Duration,
    /// By how much a server takes others' clocks to be ahead when it starts.
    skew_at_start: Duration,
    /// What is stamped further ahead is refused.
    refused_ahead: Duration,
    /// By how much the last clock is ahead of the first.
    ahead: Duration,
}

const AS_BUILT: Rules = Rules {
    is_bloom: false,
    remembered: AGE_MAX.saturating_add(SKEW_MAX),
    skew_at_start: SKEW_MAX,
    refused_ahead: SKEW_MAX,
    ahead: SKEW_MAX,
};

enum Filter {
    Rings(Serials),
    Blooms(TwoFilters),
}

struct Replica {
    clock: WallClock,
    horizon: Horizon,
    filter: Filter,
    serial: u64,
}

impl Replica {
    fn start(rules: &Rules, clock: WallClock, now: Instant, issuer: u32) -> Replica {
        let own = Issuer(issuer);
        let size = BloomSize::new(1 << 16, 6).unwrap();
        let filter = match rules.is_bloom {
            true => Filter::Blooms(TwoFilters::new(now, rules.remembered, size, 0.000_2)),
            false => Filter::Rings(Serials::new(own, now, 100_000, rules.remembered)),
        };
        // The rule of the start is the horizon's own; a control moves the start back.
        let started = clock.at(now).after(rules.skew_at_start).as_millis() - SKEW_MAX.as_millis() as u64;
        let horizon = Horizon::new(own, Wall::from_millis(started));
        Replica { clock, horizon, filter, serial: 0 }
    }

    fn acts_on(&mut self, rules: &Rules, now: Instant, (issuer, serial, issued, bits): Presented) -> bool {
        let wall = self.clock.at(now);
        let age = match self.horizon.judge(wall, issuer, issued) {
            Age::Future if issued.near(wall) <= wall.after(rules.refused_ahead) => Age::Fresh,
            age => age,
        };
        age == Age::Fresh
            && match &mut self.filter {
                Filter::Rings(serials) => serials.burn(now, issuer, serial).is_ok(),
                Filter::Blooms(filters) => filters.burn(now, bits).is_ok(),
            }
    }
}

type Presented = (Issuer, u64, Stamp, Bits);

/// How often replicas act on what is presented, and how often on what they have acted on before.
fn run(rules: &Rules, seed: u64, presented: u64) -> (u64, u64) {
    let mut rng = Rng::from_u64(seed);
    let mac = Blake3Key::from_bytes(Secret32::from_bytes([7; 32]));
    let mut now = Instant::from_secs(100);
    let half = rules.ahead.as_millis() as u64 / 2;
    let clocks = [0, half, 2 * half].map(|ahead| WallClock::set(now, Wall::from_millis(1_790_000_000_000 + ahead)));
    let mut issuers = 0;
    let mut start = |clock: WallClock, now: Instant| {
        issuers += 1;
        Replica::start(rules, clock, now, issuers)
    };
    let mut replicas = clocks.map(|clock| start(clock, now));
    // All that was given out within a minute, with the replicas that have acted on it.
    let mut given: VecDeque<(Instant, Presented)> = VecDeque::new();
    let mut acted: HashMap<(Issuer, u64), [u64; REPLICAS]> = HashMap::new();
    let (mut acts, mut again) = (0, 0);
    for _ in 0..presented {
        now += Duration::from_millis(rng.below(20));
        let at = rng.below(REPLICAS as u64) as usize;
        if rng.below(20) == 0 || given.is_empty() {
            let replica = &mut replicas[at];
            let (issuer, serial) = (replica.horizon.own, replica.serial);
            replica.serial += 1;
            let tag = mac.tag(&[&issuer.0.to_be_bytes(), &serial.to_be_bytes()]);
            let issued = Stamp::of(replica.clock.at(now));
            given.push_back((now, (issuer, serial, issued, Bits::of_mac(&tag))));
        }
        if rng.below(500) == 0 {
            replicas[at] = start(replicas[at].clock, now);
        }
        while given.front().is_some_and(|(then, _)| now.since(*then) > Duration::from_secs(60)) {
            let gone = given.pop_front().expect("there is one").1;
            acted.remove(&(gone.0, gone.1));
        }
        // Those of the last 20 seconds, mostly.
        let back = if rng.below(10) == 0 { 1_000 } else { 100 };
        let young = given.len() - rng.below(given.len().min(back) as u64) as usize;
        let what = given[young - 1].1;
        if replicas[at].acts_on(rules, now, what) {
            let count = &mut acted.entry((what.0, what.1)).or_default()[at];
            again += u64::from(*count > 0);
            *count += 1;
            acts += 1;
        }
    }
    (acts, again)
}

#[test]
fn replicas_whose_clocks_differ_by_the_skew_and_that_are_started_again_act_on_each_continuation_once() {
    for is_bloom in [false, true] {
        let (acts, again) = run(&Rules { is_bloom, ..AS_BUILT }, 1, presented());
        println!("{} presented, {acts} acted on", presented());
        assert!(acts > presented() / 20, "{acts}");
        assert_eq!(again, 0, "of {acts}");
    }
}

#[test]
fn filters_that_remembered_for_the_age_limit_alone_would_let_a_replica_act_twice() {
    let (acts, again) = run(&Rules { is_bloom: true, remembered: AGE_MAX, ..AS_BUILT }, 1, 200_000);
    assert!(again > 0, "of {acts}");
}

#[test]
fn a_server_that_took_all_clocks_for_its_own_when_it_starts_would_act_twice() {
    let (acts, again) = run(&Rules { skew_at_start: Duration::ZERO, ..AS_BUILT }, 1, 20_000);
    assert!(again > 0, "of {acts}");
}

#[test]
fn a_clock_further_ahead_than_the_skew_would_make_filters_forget_too_early_if_its_stamps_were_not_refused() {
    let wrong = Rules { is_bloom: true, ahead: 4 * SKEW_MAX, ..AS_BUILT };
    assert_eq!(run(&wrong, 1, 20_000).1, 0);
    let (acts, again) = run(&Rules { refused_ahead: Duration::MAX, ..wrong }, 1, 20_000);
    assert!(again > 0, "of {acts}");
}
