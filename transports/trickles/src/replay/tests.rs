//! Replicas whose clocks differ, started again and again, before a client that presents everything everywhere.

use core::time::Duration;
use std::collections::{HashMap, VecDeque};

use tng_base::{Instant, Rng};
use tng_crypto::{Blake3Key, Secret32};

use super::*;
use crate::{
    AGE_MAX, Age, ConnectionId, Continuation, Growth, Horizon, Keying, Line, Rtt, SKEW_MAX, Site, Stamp, Tag, Wall,
    WallClock,
};

/// What is presented: a million in the full count.
fn presented() -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(20_000)
}

const REPLICAS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Filter {
    Rings,
    Blooms,
    /// The control.
    Off,
}

#[derive(Clone, Copy)]
struct Rules {
    filter: Filter,
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
    filter: Filter::Rings,
    remembered: AGE_MAX.saturating_add(SKEW_MAX),
    skew_at_start: SKEW_MAX,
    refused_ahead: SKEW_MAX,
    ahead: SKEW_MAX,
};

struct Replica {
    clock: WallClock,
    horizon: Horizon,
    replay: Replay,
}

impl Replica {
    fn start(rules: &Rules, clock: WallClock, now: Instant, issuer: u32) -> Replica {
        let own = Issuer(issuer);
        let replay = match rules.filter {
            Filter::Blooms => by_packet(own, now, rules.remembered),
            Filter::Rings | Filter::Off => Replay::serials(own, now, 100_000, rules.remembered),
        };
        // The rule of the start is the horizon's own; a control moves the start back.
        let started = clock.at(now).after(rules.skew_at_start).as_millis() - SKEW_MAX.as_millis() as u64;
        Replica { clock, horizon: Horizon::new(own, Wall::from_millis(started)), replay }
    }

    fn acts_on(&mut self, rules: &Rules, now: Instant, continuation: &Continuation) -> bool {
        let (wall, Continuation { issuer, issued, .. }) = (self.clock.at(now), *continuation);
        let age = match self.horizon.judge(wall, issuer, issued) {
            Age::Future if issued.near(wall) <= wall.after(rules.refused_ahead) => Age::Fresh,
            age => age,
        };
        age == Age::Fresh && (rules.filter == Filter::Off || self.replay.burn(now, &ID, continuation).is_ok())
    }
}

const ID: ConnectionId = ConnectionId([1; 16]);

fn by_packet(own: Issuer, now: Instant, remembered: Duration) -> Replay {
    let key = Blake3Key::from_bytes(Secret32::from_bytes([own.0 as u8; 32]));
    Replay::filters(own, key, TwoFilters::new(now, remembered, BloomSize::new(1 << 16, 6).unwrap(), 0.000_2))
}

fn continuation((issuer, serial): (Issuer, u64), first: u64, issued: Stamp) -> Continuation {
    let root = Line { growth: Growth::new(0, 10, 20), tag: Tag(1) };
    Continuation {
        site: Site(0),
        issuer,
        serial,
        first,
        is_pair: false,
        root,
        tag: root.tag,
        keying: Keying::of(3),
        issued,
        rtt: Rtt::default(),
        shown_from: 1,
    }
}

/// How often replicas act on what is presented, and how often on what they have acted on before.
fn run(rules: &Rules, seed: u64, presented: u64) -> (u64, u64) {
    let mut rng = Rng::from_u64(seed);
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
    let mut given: VecDeque<(Instant, Continuation)> = VecDeque::new();
    let mut acted: HashMap<(Issuer, u64), [u64; REPLICAS]> = HashMap::new();
    let (mut acts, mut again, mut number) = (0, 0, 0);
    for _ in 0..presented {
        now += Duration::from_millis(rng.below(20));
        let at = rng.below(REPLICAS as u64) as usize;
        if rng.below(20) == 0 || given.is_empty() {
            let replica = &mut replicas[at];
            let issued = Stamp::of(replica.clock.at(now));
            number += 1;
            given.push_back((now, continuation(replica.replay.issue(), number, issued)));
        }
        if rng.below(500) == 0 {
            replicas[at] = start(replicas[at].clock, now);
        }
        while given.front().is_some_and(|(then, _)| now.since(*then) > Duration::from_secs(60)) {
            let gone = given.pop_front().expect("there is one").1;
            acted.remove(&(gone.issuer, gone.serial));
        }
        // Those of the last 20 seconds, mostly.
        let back = if rng.below(10) == 0 { 1_000 } else { 100 };
        let young = given.len() - rng.below(given.len().min(back) as u64) as usize;
        let what = given[young - 1].1;
        if replicas[at].acts_on(rules, now, &what) {
            let count = &mut acted.entry((what.issuer, what.serial)).or_default()[at];
            again += u64::from(*count > 0);
            *count += 1;
            acts += 1;
        }
    }
    (acts, again)
}

#[test]
fn replicas_whose_clocks_differ_by_the_skew_and_that_are_started_again_act_on_each_continuation_once() {
    for filter in [Filter::Rings, Filter::Blooms] {
        let (acts, again) = run(&Rules { filter, ..AS_BUILT }, 1, presented());
        println!("{} presented, {acts} acted on", presented());
        assert!(acts > presented() / 20, "{acts}");
        assert_eq!(again, 0, "of {acts}");
    }
}

#[test]
fn without_a_filter_a_replica_would_act_as_often_as_it_is_asked() {
    let (acts, again) = run(&Rules { filter: Filter::Off, ..AS_BUILT }, 1, 20_000);
    assert!(again > acts / 2, "{again} of {acts}");
}

#[test]
fn filters_that_remembered_for_the_age_limit_alone_would_let_a_replica_act_twice() {
    let (acts, again) = run(&Rules { filter: Filter::Blooms, remembered: AGE_MAX, ..AS_BUILT }, 1, 200_000);
    assert!(again > 0, "of {acts}");
}

#[test]
fn a_server_that_took_all_clocks_for_its_own_when_it_starts_would_act_twice() {
    let (acts, again) = run(&Rules { skew_at_start: Duration::ZERO, ..AS_BUILT }, 1, 20_000);
    assert!(again > 0, "of {acts}");
}

#[test]
fn a_clock_further_ahead_than_the_skew_would_make_filters_forget_too_early_if_its_stamps_were_not_refused() {
    let wrong = Rules { filter: Filter::Blooms, ahead: 4 * SKEW_MAX, ..AS_BUILT };
    assert_eq!(run(&wrong, 1, 20_000).1, 0);
    let (acts, again) = run(&Rules { refused_ahead: Duration::MAX, ..wrong }, 1, 20_000);
    assert!(again > 0, "of {acts}");
}

#[test]
fn what_two_servers_give_out_for_one_packet_is_spent_once_by_who_goes_by_packets_and_twice_by_who_goes_by_serials() {
    let (now, remembered, issued) = (Instant::ZERO, AGE_MAX + SKEW_MAX, Stamp::of(Wall::default()));
    let one = continuation((Issuer(1), 7), 5, issued);
    let mut other = Continuation { issuer: Issuer(2), serial: 9, ..one };
    // Of two requests for it, each may have named other keys, and shown more or less.
    (other.keying, other.shown_from, other.rtt) = (Keying::of(4), 5, Rtt::of(Duration::from_millis(30)));
    for (mut replay, due) in [
        (by_packet(Issuer(1), now, remembered), Err(Burnt::Spent)),
        (Replay::serials(Issuer(1), now, 1_000, remembered), Ok(())),
    ] {
        assert_eq!([0, 1].map(|_| replay.issue()), [(Issuer(1), 0), (Issuer(1), 1)]);
        assert_eq!(replay.burn(now, &ID, &one), Ok(()));
        assert_eq!([&one, &other].map(|again| replay.burn(now, &ID, again)), [Err(Burnt::Spent), due]);
        let elsewhere = [
            (ConnectionId([2; 16]), Continuation { serial: 10, ..one }),
            (ID, Continuation { serial: 11, first: 6, ..one }),
            (ID, Continuation { serial: 12, tag: Tag(2), ..one }),
        ];
        let held = replay.held();
        assert_eq!(elsewhere.map(|(id, continuation)| replay.burn(now, &id, &continuation)), [Ok(()); 3]);
        assert_eq!(replay.held(), held);
    }
}
