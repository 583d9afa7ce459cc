//! Clients and servers that share a link.

use core::time::Duration;

use tng_experiments::lab::trickles::fig16;
use tng_experiments::peers::exchange::{
    Crowd, Dispatch, ENDLESS, Errand, ExchangeError, Habit, Kill, Origin, Page, Usage, Visit, Way,
};
use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Clients with these errands, each with the server of the number beside it; 20 Mbit/s and 10 ms of round trip.
fn crowd(servers: usize, errands: Vec<(usize, Errand)>) -> Crowd {
    let shared = Link::new().rate(20_000_000).delay(ms(5)).queue(QueueConfig::DropTail(Limit::Packets(40)));
    let access = Link::new().rate(1_000_000_000);
    let shaken = access.clone().jitter(Duration::from_micros(300)).delay(Duration::from_micros(300));
    Crowd {
        seed: 1,
        controller: "reno".to_owned(),
        down: shared.clone(),
        up: shared,
        servers: vec![Origin { way: Way::Tcp, access: shaken }; servers],
        client_access: access,
        clients: errands.into_iter().map(|(server, errand)| Visit::new(server, errand)).collect(),
        dispatch: None,
        kills: Vec::new(),
    }
}

const TRICKLES: Way = Way::Trickles(Usage::USUAL);

fn one_by_one(answers: &[u64]) -> Errand {
    Errand::new(Habit::ONE_BY_ONE, Page::sequence(100, answers.iter().copied()))
}

#[test]
fn clients_load_one_page_after_the_other_each_on_a_connection_of_its_own() {
    for way in [Way::Tcp, Way::Sst { replay_safe: true }, Way::Quic, TRICKLES] {
        let mut crowd = crowd(2, vec![(0, one_by_one(&[1_000, 100_000])), (1, one_by_one(&[5_000]))]);
        crowd.servers.iter_mut().for_each(|origin| origin.way = way);
        crowd.controller = "newreno".to_owned();
        let mut scene = crowd.begin().expect("a world");
        let loaded = scene.finish(ms(60_000)).expect("all is loaded");
        let bytes: Vec<Vec<u64>> = loaded.iter().map(|pages| pages.iter().map(|page| page.bytes).collect()).collect();
        assert_eq!(bytes, [vec![1_000, 100_000], vec![5_000]], "{way}");
        assert_eq!(scene.bytes(), [101_000, 5_000], "{way}");
        assert!(loaded[0][1].begun == loaded[0][0].ended, "{way}: the next follows at once");
    }
}

#[test]
fn who_shares_a_link_has_a_part_of_it_and_all_have_the_whole() {
    let mut scene = crowd(3, (0..3).map(|server| (server, one_by_one(&[ENDLESS]))).collect()).begin().expect("a world");
    let rates = scene.rates_bps(ms(5_000), ms(25_000)).expect("nobody fails");
    let sum: f64 = rates.iter().sum();
    assert!((17e6..20e6).contains(&sum) && rates.iter().all(|rate| *rate > sum / 6.0), "{rates:?}");
}

#[test]
fn whoever_perseveres_goes_on_after_its_server_was_killed_and_whoever_does_not_fails() {
    for down in [ms(0), ms(200)] {
        let run = |perseveres| {
            let errand = Errand { perseveres, ..one_by_one(&[5_000_000, 1_000]) };
            let mut crowd = crowd(1, vec![(0, errand)]);
            crowd.kills = vec![Kill { server: 0, at: ms(1_000), down }];
            let mut scene = crowd.begin().expect("a world");
            let loaded = scene.finish(ms(60_000));
            (loaded, scene.bytes(), scene.losses())
        };
        let (loaded, bytes, losses) = run(true);
        assert_eq!((loaded.expect("all is loaded")[0].len(), bytes), (2, vec![5_001_000]), "no byte twice, {down:?}");
        assert!(losses[0] >= 1 && (down > ms(0)) == (losses[0] > 1), "{losses:?} after {down:?}");
        let (loaded, bytes, _) = run(false);
        assert!(matches!(loaded, Err(ExchangeError::Lost { page: 0, .. })) && bytes[0] < 5_000_000, "{loaded:?}");
    }
}

#[test]
fn connections_to_one_address_go_to_the_server_with_the_fewest_and_packets_in_turn_break_tcp() {
    let begin = |dispatch| {
        let mut crowd = crowd(2, vec![(0, one_by_one(&[ENDLESS])); 5]);
        crowd.dispatch = Some(dispatch);
        crowd.begin().expect("a world")
    };
    let mut scene = begin(Dispatch::LeastConnections);
    let rates = scene.rates_bps(ms(1_000), ms(5_000)).expect("nobody fails");
    let held = [0, 1].map(|server| scene.held(server).expect("TCP tells").connections);
    assert!(held == [3, 2] && rates.iter().sum::<f64>() > 17e6, "{held:?}, {rates:?}");
    let broken = begin(Dispatch::Spray).rates_bps(ms(1_000), ms(5_000));
    assert!(matches!(broken, Err(ExchangeError::Lost { .. })), "{broken:?}");
}

#[test]
fn a_connection_that_is_over_counts_no_more() {
    // The first client keeps one server; whatever the second does goes to the other.
    let mut crowd = crowd(2, vec![(0, one_by_one(&[ENDLESS])), (0, one_by_one(&[1_000, 1_000, 1_000, ENDLESS]))]);
    crowd.dispatch = Some(Dispatch::LeastConnections);
    let mut scene = crowd.begin().expect("a world");
    let rates = scene.rates_bps(ms(2_000), ms(6_000)).expect("nobody fails");
    assert!(rates.iter().all(|rate| *rate > 1e6), "{rates:?}");
    assert_eq!(scene.held(0).expect("TCP tells").connections, 1);
}

#[test]
fn what_a_server_over_tcp_holds_grows_with_its_clients() {
    let held = |clients| {
        let mut scene = crowd(1, vec![(0, one_by_one(&[ENDLESS])); clients]).begin().expect("a world");
        scene.run_until(ms(3_000));
        let held = scene.held(0).expect("TCP tells");
        assert_eq!(held.connections, clients);
        held.bytes
    };
    let (one, eight) = (held(1), held(8));
    assert!(one > 1_000_000 && eight > 6 * one, "{one} and {eight} bytes");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let bytes = |seed| {
        let mut crowd = crowd(2, vec![(0, one_by_one(&[ENDLESS])), (1, one_by_one(&[ENDLESS]))]);
        crowd.seed = seed;
        let mut scene = crowd.begin().expect("a world");
        scene.run_until(ms(3_000));
        scene.bytes()
    };
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1), bytes(2));
}

#[test]
fn over_trickles_nothing_is_lost_with_a_server_that_is_killed_but_time() {
    for down in [ms(0), ms(200), ms(1_000)] {
        let mut crowd = crowd(1, vec![(0, one_by_one(&[5_000_000, 1_000]))]);
        crowd.servers[0].way = TRICKLES;
        crowd.kills = vec![Kill { server: 0, at: ms(1_000), down }, Kill { server: 0, at: ms(1_800), down }];
        let mut scene = crowd.begin().expect("a world");
        let loaded = scene.finish(ms(60_000)).expect("all is loaded");
        assert_eq!((loaded[0].len(), scene.bytes(), scene.losses()), (2, vec![5_001_000], vec![0]), "{down:?}");
        assert!(loaded[0][0].ended > tng_base::Instant::from_millis(1_800), "it was killed in the middle");
    }
}

#[test]
fn a_server_of_trickles_holds_the_same_for_many_clients_as_for_one() {
    let held = |clients| {
        let mut crowd = crowd(1, (0..clients).map(|_| (0, one_by_one(&[ENDLESS]))).collect());
        crowd.servers[0].way = TRICKLES;
        let mut scene = crowd.begin().expect("a world");
        scene.run_until(ms(5_000));
        assert!(scene.bytes().iter().all(|bytes| *bytes > 0), "all are under way");
        scene.held(0).expect("it tells")
    };
    let (one, many) = (held(1), held(20));
    assert_eq!((one.connections, many.connections), (0, 0));
    assert!(many.bytes.abs_diff(one.bytes) < 64 << 10, "{one:?}, {many:?}");
}

#[test]
fn requests_of_trickles_may_go_to_the_servers_of_an_address_by_turns() {
    let mut crowd = crowd(2, vec![(0, one_by_one(&[1_000_000])), (0, one_by_one(&[1_000_000]))]);
    crowd.servers.iter_mut().for_each(|origin| origin.way = TRICKLES);
    crowd.dispatch = Some(Dispatch::Spray);
    let mut scene = crowd.begin().expect("a world");
    let loaded = scene.finish(ms(60_000)).expect("all is loaded");
    assert_eq!((loaded.len(), scene.bytes()), (2, vec![1_000_000; 2]));
}

#[test]
fn clients_of_trickles_that_begin_anew_again_and_again_share_a_full_link() {
    // Some lose most of what follows their set-ups before they have asked for anything.
    let time = ms(3_000);
    let load = fig16::measure(&fig16::crowd(1, TRICKLES, 10, time), time).expect("nobody fails");
    assert!(load.aggregate_bps > 60e6, "{load:?}");
}
