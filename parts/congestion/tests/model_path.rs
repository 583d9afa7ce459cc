//! Controllers on a model of a path: a sender that always has data, a queue in front of a link with a fixed rate, a delay, and
//! losses that are known as soon as a later packet is acknowledged.

use core::time::Duration;
use std::collections::VecDeque;

use tng_base::{Instant, Rng};
use tng_congestion::{
    AckSample, LossCause, LossSample, Permission, Regulation, RegulationConfig, RttSample, SendStamp,
};

const MTU: u64 = 1_200;

/// How packets are lost other than by overflow.
enum Losses {
    None,
    /// Each with this probability.
    Random(f64, Box<Rng>),
    /// Every so many packets one.
    Every(u64),
}

struct Path {
    rate: u64,
    delay: Duration,
    queue: u64,
    losses: Losses,
}

/// What a run came to, its first fifth left out.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// Bytes per second that arrived.
    goodput: u64,
    /// Packets in flight that this means on average.
    window: f64,
    /// Packets lost by overflow, from the start.
    overflowed: u64,
    /// The least and the largest window, in packets.
    least: u64,
    most: u64,
    /// The last delivery rate.
    delivery_rate: u64,
    /// Sum of all windows seen: two equal runs have the same.
    digest: u64,
}

fn run(name: &str, pacing: bool, mut path: Path, seconds: u64) -> Outcome {
    let config = RegulationConfig { mtu: MTU as u16, pacing, ..RegulationConfig::default() };
    let mut regulation = Regulation::from_name(name, config).expect("a known name");
    // Packets in flight, in the order sent, with the time at which their acknowledgment comes in, if it does.
    let mut flight: VecDeque<(SendStamp, Option<Instant>)> = VecDeque::new();
    let (mut now, mut link_free, mut sent) = (Instant::ZERO, Instant::ZERO, 0);
    let end = Instant::from_secs(seconds);
    let measured = Duration::from_secs(seconds - seconds / 5);
    let (mut delivered, mut outcome) =
        (0, Outcome { goodput: 0, window: 0.0, overflowed: 0, least: u64::MAX, most: 0, delivery_rate: 0, digest: 0 });
    while now < end {
        let mut wake = Instant::FAR_FUTURE;
        loop {
            match regulation.permission(now, MTU) {
                Permission::Now => {}
                Permission::At(later) => {
                    wake = later;
                    break;
                }
                Permission::Blocked => break,
            }
            let stamp = regulation.handle_sent(now, MTU);
            sent += 1;
            let queued = link_free.since(now).as_nanos() as u64 * path.rate / 1_000_000_000;
            let arrives = if queued > path.queue {
                outcome.overflowed += 1;
                None
            } else {
                link_free = link_free.max(now) + Duration::from_nanos(MTU * 1_000_000_000 / path.rate);
                let lost = match &mut path.losses {
                    Losses::None => false,
                    Losses::Random(p, rng) => rng.chance(*p),
                    Losses::Every(n) => sent % *n == 0,
                };
                (!lost).then_some(link_free + path.delay)
            };
            flight.push_back((stamp, arrives));
        }
        let next = flight.iter().find_map(|&(_, arrives)| arrives);
        if let (None, Some((newest, _))) = (next, flight.back()) {
            // The tail was lost: a timeout tells.
            now = (now + 3 * regulation.rtt().smoothed()).min(wake);
            if now != wake {
                let bytes = MTU * flight.len() as u64;
                regulation.handle_loss(now, &LossSample { bytes, newest: *newest, cause: LossCause::Loss });
                flight.clear();
            }
            continue;
        }
        let at = next.unwrap_or(Instant::FAR_FUTURE);
        now = at.min(wake);
        if now != at {
            continue;
        }
        let mut lost: Option<(SendStamp, u64)> = None;
        while let Some(&(stamp, arrives)) = flight.front() {
            if arrives == Some(now) {
                break;
            }
            lost = Some((stamp, lost.map_or(0, |(_, bytes)| bytes) + MTU));
            flight.pop_front();
        }
        let Some((newest, _)) = flight.pop_front() else { continue };
        let rtt = Some(RttSample { latest: now.since(newest.sent_at), ack_delay: Duration::ZERO });
        regulation.handle_ack(now, &AckSample { bytes: MTU, newest, rtt });
        if let Some((newest, bytes)) = lost {
            regulation.handle_loss(now, &LossSample { bytes, newest, cause: LossCause::Loss });
        }
        outcome.digest = outcome.digest.wrapping_mul(31).wrapping_add(regulation.window());
        if now >= Instant::from_secs(seconds / 5) {
            delivered += MTU;
            let packets = regulation.window() / MTU;
            (outcome.least, outcome.most) = (outcome.least.min(packets), outcome.most.max(packets));
        }
    }
    outcome.delivery_rate = regulation.stats().delivery_rate.map_or(0, |rate| rate.bytes_per_sec());
    outcome.goodput = delivered / measured.as_secs();
    outcome.window = outcome.goodput as f64 * path.delay.as_secs_f64() / MTU as f64;
    outcome
}

/// 50 Mbit/s and 40 ms: 208 packets in flight fill it.
fn bottleneck(queue_packets: u64) -> Path {
    Path { rate: 6_250_000, delay: Duration::from_millis(40), queue: queue_packets * MTU, losses: Losses::None }
}

/// So fast that only losses limit the window.
fn lossy(delay_ms: u64, losses: Losses) -> Path {
    Path { rate: 1_250_000_000, delay: Duration::from_millis(delay_ms), queue: 1 << 40, losses }
}

fn utilization(outcome: &Outcome) -> f64 {
    outcome.goodput as f64 / 6_250_000.0
}

#[test]
fn newreno_saws_between_half_and_full_window_and_uses_three_quarters_of_a_path_with_no_queue() {
    let outcome = run("newreno", true, bottleneck(5), 100);
    assert!((0.75..0.80).contains(&utilization(&outcome)), "{outcome:?}");
    assert!(outcome.most.abs_diff(2 * outcome.least) <= 2 && outcome.most.abs_diff(208 + 5) <= 3, "{outcome:?}");
}

#[test]
fn newreno_fills_a_path_whose_queue_holds_a_round_trip() {
    let outcome = run("newreno", true, bottleneck(208), 100);
    assert!(utilization(&outcome) > 0.99, "{outcome:?}");
}

#[test]
fn cubic_uses_a_path_with_no_queue_better_than_newreno() {
    let outcome = run("cubic", true, bottleneck(5), 100);
    assert!((0.87..0.92).contains(&utilization(&outcome)), "{outcome:?}");
    assert!((outcome.least as f64 / outcome.most as f64 - 0.7).abs() < 0.02, "{outcome:?}");
}

#[test]
fn pacing_costs_no_throughput() {
    for name in ["newreno", "cubic"] {
        for queue in [10, 52, 208] {
            let [paced, unpaced] = [true, false].map(|pacing| run(name, pacing, bottleneck(queue), 40));
            let ratio = paced.goodput as f64 / unpaced.goodput as f64;
            assert!(ratio > 0.98, "{name}, queue of {queue}: {paced:?}, unpaced {unpaced:?}");
        }
    }
}

#[test]
fn the_delivery_rate_is_the_rate_of_the_link() {
    for name in ["newreno", "cubic"] {
        let rate = run(name, true, bottleneck(208), 20).delivery_rate;
        assert!(rate.abs_diff(6_250_000) < 62_500, "{name}: {rate}");
    }
}

#[test]
fn hystart_leaves_slow_start_when_the_queue_builds_up_and_not_when_it_overflows() {
    // A queue of ten round trips. (In a queue of one, conservative slow start's five rounds overflow too.)
    let [cubic, newreno] = ["cubic", "newreno"].map(|name| run(name, true, bottleneck(2_080), 5));
    assert!(newreno.overflowed > 1_000 && cubic.overflowed == 0, "{cubic:?}, {newreno:?}");
    assert!(utilization(&cubic) > 0.99 && cubic.most < 2_288, "{cubic:?}");
}

#[test]
fn newreno_keeps_to_mathis_formula_at_random_loss() {
    for (p, seed) in [(0.01, 1), (0.003, 2), (0.001, 3)] {
        let outcome = run("newreno", true, lossy(50, Losses::Random(p, Box::new(Rng::from_u64(seed)))), 1_000);
        let ratio = outcome.window / (1.5 / p).sqrt();
        assert!((0.9..1.1).contains(&ratio), "loss {p}, seed {seed}: {ratio} of the formula, {outcome:?}");
    }
}

#[test]
fn cubic_is_like_newreno_where_losses_are_frequent_and_faster_where_they_are_rare() {
    for (every, ratios) in [(300, 0.95..1.1), (1_000, 0.95..1.1), (10_000, 1.2..1.6), (100_000, 2.0..3.5)] {
        let seconds = if every > 10_000 { 150 } else { 300 };
        let [cubic, newreno] =
            ["cubic", "newreno"].map(|name| run(name, true, lossy(100, Losses::Every(every)), seconds));
        let ratio = cubic.window / newreno.window;
        assert!(ratios.contains(&ratio), "one in {every} lost: {ratio}, {cubic:?}, {newreno:?}");
    }
}

#[test]
fn linux_cubic_is_slower_than_cubic_where_losses_are_frequent_and_as_fast_where_they_are_rare() {
    let lossy = |p: f64| lossy(50, Losses::Random(p, Box::new(Rng::from_u64(1))));
    for (p, ratios) in [(0.01, 0.75..0.92), (0.000_01, 0.98..1.02)] {
        let [linux, cubic] = ["linux-cubic", "cubic"].map(|name| run(name, true, lossy(p), 300));
        let ratio = linux.window / cubic.window;
        assert!(ratios.contains(&ratio), "loss {p}, seed 1: {ratio}, {linux:?}, {cubic:?}");
    }
}

#[test]
fn a_run_repeats_bit_for_bit() {
    let again = || run("cubic", true, lossy(50, Losses::Random(0.002, Box::new(Rng::from_u64(7)))), 20);
    assert_eq!(again(), again());
}
