//! Hosts behind simulated NATs that are introduced to each other.

use core::time::Duration;

use tng_base::Instant;
use tng_experiments::peers::introduced::{Before, Introduced, Met};
use tng_stack::{EventKind, Relayed};

const SEEDS: u64 = 10;
const SOON: Duration = Duration::from_secs(2);

/// What became of each of some seeds; nothing must have gone wrong, and nothing that was said may be lost.
fn met(setting: impl Fn(u64) -> Introduced) -> Vec<Met> {
    let one = |seed| {
        let setting = setting(seed);
        let met = setting.run();
        assert_eq!(met.failure, None, "seed {seed}: {:?}", met.events);
        assert!(met.said > 100 && met.back == met.said, "seed {seed}: {} said, {} back", met.said, met.back);
        met
    };
    (1..=SEEDS).map(one).collect()
}

#[test]
fn hosts_behind_nats_that_keep_ports_begin_relayed_and_go_on_directly_within_two_seconds() {
    let setting = |seed| Introduced::new(seed, [Before::Preserving; 2]);
    let rounds = setting(0).relayed_round_trip();
    for met in met(setting) {
        assert!(met.began_relayed && met.is_direct, "{:?}", met.events);
        assert!(met.direct_after().is_some_and(|after| after < SOON), "{:?}", met.direct_after());
        assert!(met.first_after().is_some_and(|after| after < rounds * 2), "{:?}", met.first_after());
        assert_eq!((met.relayed, met.wanted()), (None, 0));
        // Nobody notices the change but by what it takes less.
        assert!(met.silence < Duration::from_millis(100), "{:?}", met.silence);
    }
}

#[test]
fn hosts_that_know_where_the_other_is_seen_and_send_nothing_there_stay_relayed() {
    // The control: it is what both send that opens the way.
    let setting = |seed| Introduced {
        heeds: false,
        talks: Duration::from_secs(20),
        ..Introduced::new(seed, [Before::Preserving; 2])
    };
    for met in met(setting) {
        assert!(met.began_relayed && met.direct_at.is_none(), "{:?}", met.events);
        assert_eq!(met.relayed, Some(Relayed::Unanswered));
        assert!(met.wanted() > 0, "the host asks for an introduction");
    }
}

#[test]
fn hosts_behind_nats_that_give_another_port_to_each_stay_relayed_and_say_so() {
    for met in met(|seed| Introduced { talks: Duration::from_secs(20), ..Introduced::new(seed, [Before::Random; 2]) }) {
        assert!(met.began_relayed && !met.is_direct && met.direct_at.is_none(), "{:?}", met.events);
        assert_eq!(met.relayed, Some(Relayed::OwnPorts));
        let told = EventKind::StaysRelayed { why: Relayed::OwnPorts };
        assert_eq!(met.events.iter().filter(|(_, kind)| *kind == told).count(), 1, "{:?}", met.events);
        assert!(met.filtered > 0, "control: they have tried");
    }
}

#[test]
fn while_the_relay_is_dead_no_nat_is_blamed_and_when_it_is_back_what_there_is_is_told() {
    let out = [2, 22].map(Duration::from_secs);
    let setting = |seed| Introduced {
        relay_out: Some(out),
        talks: Duration::from_secs(120),
        ..Introduced::new(seed, [Before::Random; 2])
    };
    for met in met(setting) {
        let told = |(at, kind): &(Instant, EventKind)| matches!(kind, EventKind::StaysRelayed { .. }).then_some(*at);
        let told: Vec<Instant> = met.events.iter().filter_map(told).collect();
        assert!(!told.is_empty() && told.iter().all(|at| *at > Instant::ZERO + out[1]), "{:?}", met.events);
        assert!(met.silence > Duration::from_secs(19), "control: {:?}", met.silence);
    }
}

#[test]
fn where_one_nat_gives_another_port_to_each_and_the_other_lets_in_addresses_the_way_is_found() {
    for before in [[Before::Random, Before::ByAddress], [Before::ByAddress, Before::Random]] {
        for met in met(|seed| Introduced::new(seed, before)) {
            assert!(met.is_direct, "{before:?}: {:?}", met.events);
            assert!(met.direct_after().is_some_and(|after| after < SOON), "{before:?}: {:?}", met.direct_after());
        }
    }
    for before in [[Before::Random, Before::Preserving], [Before::Preserving, Before::Random]] {
        for met in met(|seed| Introduced { talks: Duration::from_secs(20), ..Introduced::new(seed, before) }) {
            assert!(!met.is_direct, "control: one that lets in ports alone keeps them apart: {before:?}");
            let own = before[0] == Before::Random;
            assert_eq!(met.relayed, Some(if own { Relayed::OwnPorts } else { Relayed::Unanswered }));
        }
    }
}

#[test]
fn a_host_with_no_nat_and_one_behind_any_meet_directly() {
    for before in [Before::Open, Before::Preserving, Before::Random, Before::ByAddress] {
        for before in [[Before::Open, before], [before, Before::Open]] {
            for met in met(|seed| Introduced::new(seed, before)) {
                assert!(met.is_direct, "{before:?}: {:?}", met.events);
                assert!(met.direct_after().is_some_and(|after| after < SOON), "{before:?}: {:?}", met.direct_after());
            }
        }
    }
}

#[test]
fn hosts_behind_the_same_nat_meet_by_its_address_if_it_turns_packets_round_and_by_their_own_if_they_are_known() {
    let shared = |seed| Introduced { shared: true, ..Introduced::new(seed, [Before::Preserving; 2]) };
    assert!(met(|seed| Introduced { hairpin: true, ..shared(seed) }).iter().all(|met| met.is_direct));
    assert!(met(|seed| Introduced { own_addresses: true, ..shared(seed) }).iter().all(|met| met.is_direct));
    let apart = met(|seed| Introduced { talks: Duration::from_secs(20), ..shared(seed) });
    assert!(apart.iter().all(|met| !met.is_direct && met.relayed.is_some()), "control: neither");
}

#[test]
fn a_relay_that_the_user_has_chosen_is_not_left() {
    for met in met(|seed| Introduced { only_to_reach: false, ..Introduced::new(seed, [Before::Preserving; 2]) }) {
        assert!(met.direct_at.is_none() && !met.is_direct, "{:?}", met.events);
        assert_eq!(met.relayed, Some(Relayed::Chosen));
    }
}

#[test]
fn a_nat_that_is_restarted_in_the_middle_costs_a_gap_and_no_word() {
    // Who is called is found again once its rendezvous has heard of it, which it tells something every 15 s.
    for (end, longest_s) in [(0, 5), (1, 40)] {
        let restart = Some((end, Duration::from_millis(6_400)));
        let setting = |seed| Introduced {
            restart,
            talks: Duration::from_secs(60),
            ..Introduced::new(seed, [Before::Preserving; 2])
        };
        for met in met(setting) {
            assert!(met.direct_after().is_some_and(|after| after < SOON), "it was direct before");
            assert!(met.silence < Duration::from_secs(longest_s), "end {end}: {:?}, {:?}", met.silence, met.events);
        }
    }
}

#[test]
fn lost_packets_delay_the_direct_way_and_do_not_prevent_it() {
    let setting = |seed| Introduced {
        loss: 0.1,
        // Both attend by then, whatever is lost.
        waits: Duration::from_secs(30),
        talks: Duration::from_secs(120),
        ..Introduced::new(seed, [Before::Preserving; 2])
    };
    let met = met(setting);
    // A path that loses as much may be left again for a while.
    let direct: Vec<_> = met.iter().map(Met::direct_after).collect();
    assert!(direct.iter().all(Option::is_some), "{direct:?}");
}

#[test]
fn what_is_quiet_keeps_a_nat_that_forgets_after_thirty_seconds() {
    // Both attend for a minute before anybody calls: what keeps the way to them is what the streams that are open send.
    let setting = |seed| Introduced {
        forgets: Duration::from_secs(30),
        waits: Duration::from_secs(100),
        ..Introduced::new(seed, [Before::Preserving; 2])
    };
    assert!(met(setting).iter().all(|met| met.began_relayed && met.is_direct));
}
