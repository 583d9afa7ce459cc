//! Requests and answers over several transports: round trips, streams, order.

use core::time::Duration;

use tng_experiments::peers::exchange::udp::{self, DATAGRAM_MAX};
use tng_experiments::peers::exchange::{ExchangeError, Habit, Load, Loaded, Page, Request, Setting, Step, Usage, Way};
use tng_sim::{Link, Loss};

const WAYS: [Way; 4] = [Way::Tcp, Way::Sst { replay_safe: true }, Way::Sst { replay_safe: false }, Way::Quic];

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// 20 ms each way, and so fast that only round trips take time.
fn setting(seed: u64) -> Setting {
    let link = Link::new().rate(1_000_000_000).delay(ms(20));
    Setting { seed, up: link.clone(), down: link, controller: "cubic".to_owned() }
}

fn step(after: Duration, cold: bool, page: Page) -> Step {
    Step { after, cold, page }
}

fn page(answers: &[u64]) -> Page {
    Page { requests: answers.iter().map(|answer| Request { request: 100, answer: *answer }).collect() }
}

fn load(way: Way, habit: Habit, steps: Vec<Step>, setting: &Setting) -> Result<Vec<Loaded>, ExchangeError> {
    Load { way, habit, setting }.run(steps)
}

/// Round trips that loading took.
fn rounds(loaded: &Loaded) -> f64 {
    loaded.seconds() / 0.040
}

fn one(way: Way, habit: Habit, page: Page, setting: &Setting) -> Loaded {
    load(way, habit, vec![step(Duration::ZERO, false, page)], setting).expect("a page")[0]
}

const SERIAL: Habit = Habit { streams: 1, persistent: false, depth: 1 };

#[test]
fn the_first_exchange_takes_what_setting_up_takes_and_the_next_on_a_kept_connection_one_round_trip() {
    for (way, cold, warm) in [
        (Way::Tcp, 2.0, 2.0),
        (Way::Sst { replay_safe: true }, 1.0, 1.0),
        (Way::Sst { replay_safe: false }, 2.0, 1.0),
        (Way::Quic, 2.0, 1.0),
        // Each on a connection of its own.
        (Way::Trickles(Usage::default()), 1.0, 1.0),
        (Way::Trickles(Usage { first_data: false, ..Usage::default() }), 2.0, 2.0),
    ] {
        let steps = vec![step(Duration::ZERO, false, page(&[100])), step(ms(1000), false, page(&[100]))];
        let loaded = load(way, Habit::EACH_ITS_OWN, steps, &setting(1)).expect("two pages");
        let found: Vec<f64> = loaded.iter().map(|page| (rounds(page) * 10.0).round() / 10.0).collect();
        assert_eq!(found, [cold, warm], "{way:?}");
    }
}

#[test]
fn a_cold_step_begins_anew_and_quic_sends_early_data_then() {
    for (way, again) in [(Way::Sst { replay_safe: false }, 2.0), (Way::Quic, 1.0)] {
        let steps = vec![step(Duration::ZERO, false, page(&[100])), step(ms(1000), true, page(&[100]))];
        let loaded = load(way, Habit::EACH_ITS_OWN, steps, &setting(1)).expect("two pages");
        assert_eq!((rounds(&loaded[1]) * 10.0).round() / 10.0, again, "{way:?}");
    }
}

#[test]
fn other_requests_wait_for_the_first_and_then_for_streams() {
    let five = page(&[100; 5]);
    // Over TCP a new connection takes two round trips, and an old one takes one.
    let rounds = |habit| (rounds(&one(Way::Tcp, habit, five.clone(), &setting(1))) * 10.0).round() / 10.0;
    assert_eq!(rounds(SERIAL), 10.0);
    assert_eq!(rounds(Habit { streams: 8, persistent: false, depth: 1 }), 4.0);
    assert_eq!(rounds(Habit { streams: 2, persistent: false, depth: 1 }), 6.0);
    assert_eq!(rounds(Habit { streams: 1, persistent: true, depth: 1 }), 6.0);
    assert_eq!(rounds(Habit { streams: 1, persistent: true, depth: 4 }), 3.0);
    let sst = one(Way::Sst { replay_safe: true }, Habit::EACH_ITS_OWN, five.clone(), &setting(1));
    assert!((2.0..2.1).contains(&(sst.seconds() / 0.040)), "{sst:?}");
}

#[test]
fn every_byte_comes_over_a_lossy_path_whatever_the_way_and_the_habit() {
    let habits = [
        SERIAL,
        Habit { streams: 8, persistent: false, depth: 1 },
        Habit { streams: 2, persistent: true, depth: 4 },
        Habit::EACH_ITS_OWN,
    ];
    for seed in 0..3 {
        for way in WAYS {
            for habit in habits {
                let bad = Link::new().rate(10_000_000).delay(ms(20)).loss(Loss::Independent(0.02));
                let setting = Setting { up: bad.clone(), down: bad, ..setting(seed) };
                let page = page(&[5_000, 40_000, 0, 100, 7, 60_000, 300]);
                let steps = vec![step(Duration::ZERO, false, page.clone()), step(ms(10), false, page)];
                let loaded =
                    load(way, habit, steps, &setting).unwrap_or_else(|e| panic!("seed {seed}, {habit:?}: {e}"));
                let bytes: Vec<(usize, u64)> = loaded.iter().map(|page| (page.requests, page.bytes)).collect();
                assert_eq!(bytes, [(7, 105_407); 2]);
                assert!(loaded[1].begun.since(loaded[0].ended) >= ms(10));
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_times() {
    for way in WAYS {
        let bad = Link::new().rate(10_000_000).delay(ms(20)).loss(Loss::Independent(0.02));
        let times = |seed| {
            let setting = Setting { up: bad.clone(), down: bad.clone(), ..setting(seed) };
            one(way, Habit::EACH_ITS_OWN, page(&[300_000, 10_000, 10_000]), &setting)
        };
        assert_eq!(times(1), times(1), "{way:?}");
        assert_ne!(times(1), times(2), "{way:?}");
    }
}

#[test]
fn a_dead_path_is_told_of_as_such() {
    for way in WAYS {
        let dead = Link::new().loss(Loss::Independent(1.0));
        let setting = Setting { up: dead, ..setting(1) };
        let error = load(way, SERIAL, vec![step(Duration::ZERO, false, page(&[1]))], &setting).expect_err("no path");
        assert!(matches!(error, ExchangeError::Lost { page: 0, .. }), "{error}");
    }
    let unknown = Setting { controller: "cubik".to_owned(), ..setting(1) };
    for way in WAYS {
        let error = load(way, SERIAL, Vec::new(), &unknown).expect_err("no controller");
        assert!(matches!(error, ExchangeError::Controller(_)), "{error}");
    }
}

#[test]
fn datagrams_take_one_round_trip_and_what_their_fragments_take() {
    let slow = Link::new().rate(1_000_000).delay(ms(20));
    let setting = Setting { up: slow.clone(), down: slow, ..setting(1) };
    let small = udp::exchange(&setting, 72, 72).expect("nothing is lost");
    assert_eq!(small, ms(40) + Duration::from_micros(2 * 8 * 100));
    // 8000 bytes and a UDP header are six fragments.
    let large = udp::exchange(&setting, 72, 8_000).expect("nothing is lost");
    assert_eq!(large, ms(40) + Duration::from_micros(8 * (100 + 8_008 + 6 * 20)));
    assert!(udp::exchange(&setting, 72, DATAGRAM_MAX).is_some());
}

#[test]
fn a_datagram_that_lost_a_fragment_never_comes() {
    let lossy = Link::new().rate(1_000_000).delay(ms(20)).loss(Loss::numbers([3]));
    let setting = Setting { down: lossy, ..setting(1) };
    assert_eq!(udp::exchange(&setting, 72, 8_000), None);
    assert!(udp::exchange(&setting, 72, 3_000).is_some());
}
