//! Controllers on a model of a path: a sender that always has data, a queue in front of a link with a fixed rate, a
//! delay, and losses that are known as soon as a later packet is acknowledged.

use core::time::Duration;
use std::collections::VecDeque;
use tng_congestion::Choice;

use tng_base::{Instant, Rng};
use tng_congestion::{
    AckSample, LossCause, LossSample, Permission, RegulationConfig, RttSample, SendStamp, throughput,
};

const MTU: u64 = 1_200;

/// How packets are lost other than by overflow.
enum Losses {
    None,
    /// Each with this probability.
    Random(f64, Box<Rng>),
    /// The same, and the link tells.
    Told(f64, Box<Rng>),
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
    /// Packets that each packet found in the queue, on average.
    queue: f64,
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
    let mut regulation = name.parse::<Choice>().expect("a known name").regulation(config);
    // Packets in flight, in the order sent, with the time at which their acknowledgment comes in, if it does.
    let mut flight: VecDeque<(SendStamp, Option<Instant>, LossCause)> = VecDeque::new();
    let mut lost = Vec::new();
    let (mut now, mut link_free, mut sent) = (Instant::ZERO, Instant::ZERO, 0);
    let end = Instant::from_secs(seconds);
    let measured = Duration::from_secs(seconds - seconds / 5);
    let (mut queued_sum, mut counted) = (0, 0);
    let (mut delivered, mut outcome) = (
        0,
        Outcome {
            goodput: 0,
            window: 0.0,
            overflowed: 0,
            queue: 0.0,
            least: u64::MAX,
            most: 0,
            delivery_rate: 0,
            digest: 0,
        },
    );
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
            if now >= Instant::from_secs(seconds / 5) {
                (queued_sum, counted) = (queued_sum + queued, counted + 1);
            }
            let mut cause = LossCause::Loss;
            let arrives = if queued > path.queue {
                outcome.overflowed += 1;
                None
            } else {
                link_free = link_free.max(now) + Duration::from_nanos(MTU * 1_000_000_000 / path.rate);
                let lost = match &mut path.losses {
                    Losses::None => false,
                    Losses::Random(p, rng) | Losses::Told(p, rng) => rng.chance(*p),
                    Losses::Every(n) => sent % *n == 0,
                };
                if let Losses::Told(..) = path.losses {
                    cause = LossCause::Link;
                }
                (!lost).then_some(link_free + path.delay)
            };
            flight.push_back((stamp, arrives, cause));
        }
        let next = flight.iter().find_map(|&(_, arrives, _)| arrives);
        if let (None, Some((newest, ..))) = (next, flight.back()) {
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
        while let Some(&(newest, arrives, cause)) = flight.front() {
            if arrives == Some(now) {
                break;
            }
            lost.push(LossSample { bytes: MTU, newest, cause });
            flight.pop_front();
        }
        let Some((newest, ..)) = flight.pop_front() else { continue };
        let rtt = Some(RttSample { latest: now.since(newest.sent_at), ack_delay: Duration::ZERO });
        regulation.handle_ack(now, &AckSample { bytes: MTU, newest, rtt });
        for loss in lost.drain(..) {
            regulation.handle_loss(now, &loss);
        }
        outcome.digest = outcome.digest.wrapping_mul(31).wrapping_add(regulation.window());
        if now >= Instant::from_secs(seconds / 5) {
            delivered += MTU;
            let packets = regulation.window() / MTU;
            (outcome.least, outcome.most) = (outcome.least.min(packets), outcome.most.max(packets));
        }
    }
    outcome.delivery_rate = regulation.stats().delivery_rate.map_or(0, |rate| rate.bytes_per_sec());
    outcome.queue = queued_sum as f64 / MTU as f64 / f64::from(counted);
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

/// The bottleneck with a queue of half a round trip and random losses that the link may tell of.
fn noisy(p: f64, seed: u64, told: bool) -> Path {
    let rng = Box::new(Rng::from_u64(seed));
    let losses = if told { Losses::Told(p, rng) } else { Losses::Random(p, rng) };
    Path { losses, ..bottleneck(104) }
}

#[test]
fn bbr_keeps_nine_tenths_of_the_rate_at_one_percent_random_loss() {
    for seed in 1..=4 {
        let [bbr, newreno] = ["bbr", "newreno"].map(|name| run(name, true, noisy(0.01, seed, false), 40));
        assert!(utilization(&bbr) > 0.9, "seed {seed}: {bbr:?}");
        assert!(utilization(&newreno) < 0.1, "seed {seed}: {newreno:?}");
    }
}

#[test]
fn bbr_takes_many_losses_for_congestion() {
    for seed in 1..=2 {
        let [some, many] = [0.02, 0.1].map(|p| run("bbr", true, noisy(p, seed, false), 40));
        assert!(utilization(&some) > 0.6 && utilization(&many) < 0.4, "seed {seed}: {some:?}, {many:?}");
    }
}

#[test]
fn bbr_fills_a_path_without_filling_its_queue() {
    let [bbr, newreno] = ["bbr", "newreno"].map(|name| run(name, true, bottleneck(1_000), 60));
    assert!(utilization(&bbr) > 0.96 && bbr.queue < 30.0, "{bbr:?}");
    assert!(newreno.queue > 300.0, "{newreno:?}");
    assert_eq!(bbr.overflowed, 0, "{bbr:?}");
    assert!(bbr.least.abs_diff(104) <= 2, "half of what the path carries while it measures the round trip: {bbr:?}");
}

#[test]
fn bbr_needs_no_queue_of_a_round_trip() {
    let [bbr, newreno] = ["bbr", "newreno"].map(|name| run(name, true, bottleneck(10), 60));
    assert!(utilization(&bbr) > 0.89 && utilization(&newreno) < 0.82, "{bbr:?}, {newreno:?}");
}

#[test]
fn eln_fills_a_path_that_tells_of_its_losses() {
    for (told, low, high) in [(true, 0.92, 1.0), (false, 0.0, 0.1)] {
        let outcome = run("eln", true, noisy(0.03, 1, told), 40);
        assert!((low..high).contains(&utilization(&outcome)), "told {told}: {outcome:?}");
    }
    let newreno = run("newreno", true, noisy(0.03, 1, true), 40);
    assert!(utilization(&newreno) < 0.1, "{newreno:?}");
}

#[test]
fn fixed_has_its_rate_whatever_is_lost() {
    for p in [0.0, 0.03, 0.3] {
        let outcome = run("fixed:20mbit", true, noisy(p, 1, false), 40);
        let ratio = outcome.goodput as f64 / (2_500_000.0 * (1.0 - p));
        assert!((0.99..1.01).contains(&ratio), "loss {p}: {ratio}, {outcome:?}");
    }
}

#[test]
fn equation_keeps_to_its_formula_at_random_loss() {
    for (p, seed) in [(0.05, 1), (0.02, 2), (0.01, 3), (0.003, 4), (0.001, 5)] {
        let outcome = run("equation", true, lossy(50, Losses::Random(p, Box::new(Rng::from_u64(seed)))), 600);
        let ratio = outcome.goodput as f64 / throughput(MTU, 50_000_000, (p * 1e9) as u64) as f64;
        assert!((0.9..1.1).contains(&ratio), "loss {p}, seed {seed}: {ratio} of the formula, {outcome:?}");
    }
}

#[test]
fn equation_is_smoother_than_newreno_and_as_fast() {
    let every = || lossy(50, Losses::Every(200));
    let [equation, newreno] = ["equation", "newreno"].map(|name| run(name, true, every(), 200));
    let ratio = equation.goodput as f64 / newreno.goodput as f64;
    assert!((0.8..1.25).contains(&ratio), "{ratio}: {equation:?}, {newreno:?}");
    let swing = |outcome: &Outcome| outcome.most as f64 / outcome.least as f64;
    assert!(swing(&equation) < 1.3 && swing(&newreno) > 1.8, "{equation:?}, {newreno:?}");
}
