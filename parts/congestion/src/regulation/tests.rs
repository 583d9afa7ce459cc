use super::*;
use crate::Choice;
use crate::{NewReno, RttSample, SlowStart};

const MTU: u64 = 1_200;

fn ms(n: u64) -> Instant {
    Instant::from_millis(n)
}

fn newreno(pacing: bool) -> Regulation {
    let config = RegulationConfig { pacing, ..RegulationConfig::default() };
    Regulation::new(Box::new(NewReno::new(1_200, SlowStart::Standard)), config)
}

fn rtt(ms: u64) -> Option<RttSample> {
    Some(RttSample { latest: Duration::from_millis(ms), ack_delay: Duration::ZERO })
}

/// Sends full packets while it may.
fn fill(regulation: &mut Regulation, now: Instant) -> Vec<SendStamp> {
    let mut sent = Vec::new();
    while regulation.permission(now, MTU) == Permission::Now {
        sent.push(regulation.handle_sent(now, MTU));
    }
    sent
}

fn acknowledge_all(regulation: &mut Regulation, now: Instant, sent: &[SendStamp]) {
    let Some(&newest) = sent.last() else { return };
    let sample = RttSample { latest: now.since(newest.sent_at), ack_delay: Duration::ZERO };
    regulation.handle_ack(now, &AckSample { bytes: MTU * sent.len() as u64, newest, rtt: Some(sample) });
}

/// A regulation that has played so many unpaced rounds of 50 ms, and the time.
fn grown(rounds: u64, pacing: bool) -> (Regulation, Instant) {
    let mut regulation = newreno(false);
    for round in 0..rounds {
        let sent = fill(&mut regulation, ms(round * 50));
        acknowledge_all(&mut regulation, ms(round * 50 + 50), &sent);
    }
    regulation.pacing = pacing;
    regulation.set_pace(ms(rounds * 50));
    (regulation, ms(rounds * 50))
}

#[test]
fn a_window_is_filled_and_then_blocked_until_something_comes_back() {
    let mut regulation = newreno(false);
    assert_eq!(regulation.budget(ms(0)), 12_000);
    let sent = fill(&mut regulation, ms(0));
    assert_eq!((sent.len(), regulation.in_flight(), regulation.budget(ms(0))), (10, 12_000, 0));
    assert_eq!(regulation.permission(ms(0), MTU), Permission::Blocked);
    regulation.handle_ack(ms(50), &AckSample { bytes: MTU, newest: sent[0], rtt: rtt(50) });
    assert_eq!((regulation.permission(ms(50), MTU), regulation.budget(ms(50))), (Permission::Now, 2 * MTU));
}

#[test]
fn stamps_say_what_was_true_when_the_packet_left() {
    let mut regulation = newreno(false);
    let first = regulation.handle_sent(ms(10), MTU);
    assert_eq!((first.sent_at, first.first_sent_at, first.delivered_at), (ms(10), ms(10), ms(10)));
    assert_eq!((first.delivered, first.in_flight, first.app_limited), (0, MTU, false));
    let second = regulation.handle_sent(ms(20), MTU);
    regulation.handle_ack(ms(60), &AckSample { bytes: MTU, newest: first, rtt: rtt(50) });
    let third = regulation.handle_sent(ms(70), 500);
    assert_eq!((third.first_sent_at, third.delivered_at, third.delivered), (ms(10), ms(60), MTU));
    assert_eq!((second.in_flight, third.in_flight), (2 * MTU, MTU + 500));
}

#[test]
fn the_ledger_counts_every_fate() {
    let mut regulation = newreno(false);
    let sent = fill(&mut regulation, ms(0));
    let loss = LossSample { bytes: 2 * MTU, newest: sent[1], cause: LossCause::Loss };
    regulation.handle_ack(ms(50), &AckSample { bytes: 3 * MTU, newest: sent[4], rtt: None });
    regulation.handle_loss(ms(51), &loss);
    regulation.handle_loss(ms(51), &LossSample { bytes: 0, cause: LossCause::Ecn, ..loss });
    regulation.handle_discarded(MTU);
    let stats = regulation.stats();
    assert_eq!((stats.in_flight, stats.delivered, stats.lost, stats.reductions), (4 * MTU, 3 * MTU, 2 * MTU, 1));
    regulation.handle_spurious(ms(60), &loss);
    let stats = regulation.stats();
    assert_eq!((stats.in_flight, stats.delivered, stats.lost), (4 * MTU, 5 * MTU, 0));
}

#[test]
#[should_panic(expected = "are in flight")]
#[cfg(debug_assertions)]
fn a_packet_that_comes_back_twice_is_noticed_in_development() {
    let mut regulation = newreno(false);
    regulation.handle_sent(ms(0), MTU);
    regulation.handle_discarded(MTU);
    regulation.handle_discarded(MTU);
}

#[test]
fn channels_share_one_window() {
    let mut regulation = newreno(false);
    let ours = regulation.handle_sent(ms(0), 6_000);
    regulation.handle_sent(ms(0), 6_000);
    assert_eq!(regulation.permission(ms(0), 1), Permission::Blocked);
    regulation.handle_loss(ms(50), &LossSample { bytes: 6_000, newest: ours, cause: LossCause::Loss });
    assert_eq!((regulation.window(), regulation.permission(ms(50), 1)), (6_000, Permission::Blocked));
}

#[test]
fn a_turn_is_over_when_its_packets_have_left_and_others_have_the_rest_of_the_window() {
    let mut regulation = newreno(false);
    regulation.set_turn(Turn::Own { left: 3 });
    assert_eq!(
        (regulation.is_contended(), fill(&mut regulation, ms(0)).len(), regulation.is_refusing()),
        (true, 3, true)
    );
    regulation.set_turn(Turn::Others);
    assert_eq!(
        (regulation.is_contended(), fill(&mut regulation, ms(0)).len(), regulation.is_refusing()),
        (false, 0, true)
    );
    regulation.set_turn(Turn::Free);
    assert!(!regulation.is_contended() && !regulation.is_refusing());
    assert_eq!(fill(&mut regulation, ms(0)).len(), 7, "ten are the initial window");
}

#[test]
fn an_idle_channel_that_asks_for_nothing_does_not_stop_the_growth_of_a_busy_one() {
    let mut regulation = newreno(false);
    let sent = fill(&mut regulation, ms(0));
    regulation.handle_app_limited();
    acknowledge_all(&mut regulation, ms(50), &sent);
    assert_eq!(regulation.window(), 24_000);
}

#[test]
fn the_pacer_spreads_a_window_over_the_round_trip() {
    let (mut regulation, start) = grown(6, true);
    assert_eq!(regulation.window(), 640 * MTU);
    // Slow start: twice the window per round trip, so it is out after half of it.
    assert_eq!(regulation.stats().pacing_rate, Some(2 * 640 * MTU * 20));
    let (mut now, mut largest) = (start, 0);
    loop {
        largest = largest.max(fill(&mut regulation, now).len());
        match regulation.permission(now, MTU) {
            Permission::At(later) => now = later,
            _ => break,
        }
    }
    assert_eq!(regulation.in_flight(), 640 * MTU);
    let took = now.since(start);
    assert!((20..=25).contains(&took.as_millis()), "{took:?}");
    assert!(largest as u64 * MTU <= 2 * 30_720 + MTU, "{largest} packets at once");
}

#[test]
fn after_slow_start_the_rate_is_five_quarters_of_the_window_per_round_trip() {
    let (mut regulation, now) = grown(6, true);
    let sent = fill(&mut regulation, now);
    regulation.handle_loss(now, &LossSample { bytes: MTU, newest: sent[0], cause: LossCause::Loss });
    assert_eq!(regulation.stats().pacing_rate, Some(320 * MTU * 20 * 5 / 4));
}

#[test]
fn there_is_no_burst_after_idling() {
    let (mut regulation, now) = grown(6, true);
    let rested = now + Duration::from_secs(100);
    let burst = fill(&mut regulation, rested).len() as u64 * MTU;
    let capacity = regulation.stats().pacing_rate.unwrap() / 500;
    assert!(burst <= capacity, "{burst} of {capacity}");
    assert!(matches!(regulation.permission(rested, MTU), Permission::At(_)));
}

#[test]
fn a_small_window_that_rested_may_send_ten_packets() {
    let (mut regulation, now) = grown(2, true);
    assert_eq!(fill(&mut regulation, now + Duration::from_secs(1)).len(), 10);
}

#[test]
fn below_a_millisecond_and_when_switched_off_nothing_is_paced() {
    let mut loopback = newreno(true);
    let sent = fill(&mut loopback, ms(0));
    let now = Instant::from_micros(80);
    acknowledge_all(&mut loopback, now, &sent);
    assert_eq!((loopback.stats().pacing_rate, loopback.budget(now)), (None, 24_000));
    let (mut unpaced, now) = grown(6, false);
    assert_eq!(unpaced.budget(now), 640 * MTU);
}

/// Sends so many packets as the pacer lets them out, from `now` on.
fn spread(regulation: &mut Regulation, now: Instant, packets: usize) -> Vec<SendStamp> {
    let (mut sent, mut at) = (Vec::new(), now);
    while sent.len() < packets {
        match regulation.permission(at, MTU) {
            Permission::Now => sent.push(regulation.handle_sent(at, MTU)),
            Permission::At(later) => at = later,
            Permission::Blocked => panic!("{packets} packets do not fit the window"),
        }
    }
    sent
}

#[test]
fn being_held_back_by_the_pacer_makes_the_window_grow_only_if_half_of_it_is_used() {
    for (packets, growth) in [(80, 0), (600, 300 * MTU)] {
        let (mut regulation, now) = grown(6, true);
        let window = regulation.window();
        assert_eq!(window, 640 * MTU);
        let sent = spread(&mut regulation, now, packets);
        acknowledge_all(&mut regulation, now + Duration::from_millis(60), &sent[..packets / 2]);
        assert_eq!(regulation.window(), window + growth, "{packets} packets");
    }
}

#[test]
fn nothing_can_be_said_of_the_delivery_rate_in_less_than_a_round_trip() {
    let mut regulation = newreno(false);
    let first = regulation.handle_sent(ms(0), MTU);
    regulation.handle_ack(ms(50), &AckSample { bytes: MTU, newest: first, rtt: rtt(50) });
    assert!(regulation.stats().delivery_rate.is_some());
    let second = regulation.handle_sent(ms(60), MTU);
    regulation.handle_ack(ms(70), &AckSample { bytes: MTU, newest: second, rtt: None });
    assert_eq!(regulation.stats().delivery_rate, None);
}

#[test]
fn delivery_rate_is_not_taken_in_by_acknowledgments_that_come_in_a_heap() {
    let mut regulation = newreno(false);
    let first = regulation.handle_sent(ms(0), MTU);
    let second = regulation.handle_sent(ms(100), MTU);
    regulation.handle_ack(ms(200), &AckSample { bytes: MTU, newest: first, rtt: rtt(20) });
    let third = regulation.handle_sent(ms(200), MTU);
    regulation.handle_ack(ms(230), &AckSample { bytes: 2 * MTU, newest: third, rtt: rtt(30) });
    // Two packets within 200 ms of sending, although within 30 ms of acknowledging.
    let rate = regulation.stats().delivery_rate.unwrap();
    assert_eq!((rate.bytes, rate.interval), (2 * MTU, Duration::from_millis(200)));
    assert_eq!(second.in_flight, 2 * MTU);
}

#[test]
fn delivery_rate_is_bytes_over_the_longer_of_sending_and_acknowledging() {
    let mut regulation = newreno(false);
    let sent: Vec<_> = (0..10).map(|i| regulation.handle_sent(ms(i), MTU)).collect();
    // One packet a millisecond came in, but the acknowledgments came in twice that time.
    for (i, stamp) in sent.iter().enumerate() {
        let now = ms(50 + 2 * i as u64);
        let latest = now.since(stamp.sent_at);
        let rtt = Some(RttSample { latest, ack_delay: Duration::ZERO });
        regulation.handle_ack(now, &AckSample { bytes: MTU, newest: *stamp, rtt });
    }
    let rate = regulation.stats().delivery_rate.unwrap();
    assert_eq!((rate.bytes, rate.interval), (10 * MTU, Duration::from_millis(68)));
    assert_eq!(rate.bytes_per_sec(), 12_000_000 / 68);
}

#[test]
fn packets_are_marked_app_limited_until_the_gap_has_been_delivered() {
    let mut regulation = newreno(false);
    let first = regulation.handle_sent(ms(0), MTU);
    regulation.handle_app_limited();
    let second = regulation.handle_sent(ms(10), MTU);
    assert_eq!((first.app_limited, second.app_limited), (false, true));
    regulation.handle_ack(ms(50), &AckSample { bytes: MTU, newest: first, rtt: rtt(50) });
    assert!(regulation.handle_sent(ms(50), MTU).app_limited);
    regulation.handle_ack(ms(60), &AckSample { bytes: MTU, newest: second, rtt: rtt(50) });
    assert!(!regulation.handle_sent(ms(60), MTU).app_limited);
    assert!(regulation.stats().delivery_rate.unwrap().app_limited);
}

#[test]
fn a_full_window_is_not_app_limited() {
    let mut regulation = newreno(false);
    fill(&mut regulation, ms(0));
    regulation.handle_app_limited();
    assert!(!regulation.handle_sent(ms(0), MTU).app_limited);
}

#[test]
fn a_new_path_starts_over_and_old_packets_say_nothing_about_it() {
    let (mut regulation, now) = grown(4, true);
    let old = fill(&mut regulation, now);
    let in_flight = regulation.in_flight();
    regulation.reset_for_new_path(now + Duration::from_millis(1));
    assert_eq!((regulation.window(), regulation.in_flight()), (12_000, in_flight));
    assert!(!regulation.rtt().has_sample());
    let later = now + Duration::from_millis(300);
    let half = &old[..old.len() / 2];
    acknowledge_all(&mut regulation, later, half);
    let bytes = in_flight - half.len() as u64 * MTU;
    let newest = old[old.len() - 1];
    regulation.handle_loss(later, &LossSample { bytes, newest, cause: LossCause::PersistentCongestion });
    let late = LossSample { bytes: MTU, newest, cause: LossCause::Loss };
    regulation.handle_spurious(later, &late);
    assert_eq!((regulation.window(), regulation.in_flight()), (12_000, 0));
    assert!(!regulation.rtt().has_sample());
    assert_eq!(fill(&mut regulation, later).len(), 10);
}

#[test]
fn what_the_link_was_said_to_have_lost_and_arrives_takes_back_no_reduction() {
    for (controller, window) in [("eln", 6_000), ("eln:cubic", 8_400), ("newreno", 6_000)] {
        let config = RegulationConfig { mtu: MTU as u16, pacing: false, ..RegulationConfig::default() };
        let mut regulation = controller.parse::<Choice>().expect("a controller").regulation(config);
        let sent = fill(&mut regulation, ms(0));
        let sample = |at: usize, cause| LossSample { bytes: MTU, newest: sent[at], cause };
        regulation.handle_loss(ms(50), &sample(0, LossCause::Loss));
        regulation.handle_loss(ms(50), &sample(1, LossCause::Link));
        assert_eq!((regulation.window(), regulation.stats().lost), (window, 2 * MTU), "{controller}");
        regulation.handle_spurious(ms(60), &sample(1, LossCause::Link));
        let stats = regulation.stats();
        assert_eq!((regulation.window(), stats.lost, stats.undone), (window, MTU, 0), "{controller}");
        assert_eq!(regulation.path.lost, MTU, "{controller}: what was lost to congestion stays lost");
    }
}

#[test]
fn late_arrivals_from_an_old_path_take_nothing_back_on_the_new_one() {
    let mut regulation = newreno(false);
    let old = regulation.handle_sent(ms(0), MTU);
    regulation.reset_for_new_path(ms(10));
    let sent = fill(&mut regulation, ms(10));
    let loss = LossSample { bytes: MTU, newest: sent[0], cause: LossCause::Loss };
    regulation.handle_loss(ms(60), &loss);
    regulation.handle_spurious(ms(60), &LossSample { newest: old, ..loss });
    assert_eq!(regulation.window(), 6_000);
    regulation.handle_spurious(ms(60), &loss);
    assert_eq!(regulation.window(), 12_000);
}

#[test]
fn a_new_path_is_not_app_limited_from_the_start() {
    let mut regulation = newreno(false);
    regulation.handle_sent(ms(0), MTU);
    regulation.handle_app_limited();
    regulation.reset_for_new_path(ms(10));
    assert!(!regulation.handle_sent(ms(10), MTU).app_limited);
}

#[test]
fn a_larger_mtu_raises_the_minimum_and_the_batch() {
    let mut regulation = newreno(true);
    regulation.set_mtu(ms(0), 9_000);
    assert_eq!((regulation.window(), regulation.mtu()), (18_000, 9_000));
    assert_eq!(regulation.permission(ms(0), 9_000), Permission::Now);
    regulation.handle_sent(ms(0), 9_000);
    // 3,000 bytes of the start burst are left of two packets; the rate is 36,000 bytes in 333 ms.
    assert_eq!(regulation.permission(ms(0), 9_000), Permission::At(Instant::from_nanos(138_750_139)));
}

#[test]
fn persistent_congestion_forgets_the_minimum_rtt() {
    let (mut regulation, now) = grown(2, false);
    let sent = fill(&mut regulation, now);
    let newest = sent[sent.len() - 1];
    let bytes = regulation.in_flight() - MTU;
    regulation.handle_loss(now, &LossSample { bytes, newest, cause: LossCause::PersistentCongestion });
    regulation.handle_ack(now, &AckSample { bytes: MTU, newest, rtt: rtt(200) });
    assert_eq!(regulation.rtt().min(), Duration::from_millis(200));
}
