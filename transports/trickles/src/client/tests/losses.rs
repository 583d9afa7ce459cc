use core::time::Duration;

use tng_base::Rng;

use super::world::*;
use crate::INITIAL_WINDOW;
use crate::client::{ClientConfig, ClientStats, Event, LATER_PACKETS_MIN, Options, Policy};

/// How many worlds: more in the full count.
fn seeds(default: u64) -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(default)
}

#[test]
fn objects_come_whole_whatever_paths_lose_reorder_and_repeat() {
    for seed in 0..seeds(200) {
        let mut rng = Rng::from_u64(seed);
        let mut world = World::new(seed);
        for path in [&mut world.down, &mut world.up] {
            path.delay = ms(1 + rng.below(60));
            path.loss = rng.below(4) as f64 * 0.02;
            path.held_up = (rng.below(3) as f64 * 0.1, ms(rng.below(30)));
            path.twice = rng.below(2) as f64 * 0.1;
        }
        let ids: Vec<_> = (0..1 + rng.below(4)).map(|_| world.ask(rng.below(300_000))).collect();
        let took = world.finish(ms(300_000));
        let (stats, server) = (world.stats(), *world.server(0).stats());
        assert_eq!(stats.bytes, world.got.values().sum::<u64>(), "seed {seed}: each byte is counted once");
        println!("seed {seed}: {took:?} {:?} {stats:?} {server:?}", world.got);
        assert!(ids.iter().all(|id| world.has_finished(*id)), "seed {seed}: {:?}", world.events);
        assert_eq!(server.refused, 0, "seed {seed}: an honest client is refused nothing: {server:?}");
    }
}

#[test]
fn what_comes_is_counted_when_it_comes_though_something_before_it_is_missing() {
    let mut world = World::new(1);
    world.down.loss = 0.02;
    let id = world.ask(400_000);
    let end = world.now + ms(60_000);
    let is_ahead = world.run_until(end, |world| world.stats().bytes > world.got[&id] + 10_000);
    assert!(is_ahead, "nothing was counted but what could be read: {:?}", world.stats());
}

/// With how many packets a client begins, where that datagram to it is lost, if any is.
fn begins_with(lost: Option<u64>) -> (u64, ClientStats) {
    let mut world = World::new(1);
    world.drop_down.extend(lost);
    world.ask_with(1_000_000, Options { reserve: 1 << 24, ..Options::default() });
    let end = world.now + ms(60_000);
    assert!(world.run_until(end, |world| world.server(0).stats().packets > 0), "{:?}", world.stats());
    let first = world.server(0).stats().packets;
    world.finish(ms(60_000));
    (first, world.stats())
}

#[test]
fn a_client_whose_set_up_was_lost_begins_with_one_packet_and_has_the_whole_window_soon() {
    let ((ten, _), (one, stats)) = (begins_with(None), begins_with(Some(1)));
    assert_eq!((ten, one), (INITIAL_WINDOW, 1));
    assert!(stats.window > 2 * INITIAL_WINDOW && stats.timeouts == 1, "{stats:?}");
}

/// Bytes a second of an object over that world.
fn speed(config: ClientConfig, shape: impl FnOnce(&mut World)) -> (f64, ClientStats) {
    let len = 8_000_000;
    let mut world = World::with(3, Plan { config, rtt: ms(40), ..Plan::default() });
    world.down.rate = Some((1_500_000, 60_000));
    shape(&mut world);
    world.ask_with(len, Options { reserve: 1 << 24, ..Options::default() });
    let took = world.finish(Duration::from_secs(600));
    (len as f64 / took.as_secs_f64(), world.stats())
}

#[test]
fn who_learns_how_packets_overtake_each_other_loses_little_by_it_and_has_cuts_taken_back() {
    let shape = |world: &mut World| world.down.held_up = (0.02, ms(12));
    let (best, _) = speed(ClientConfig::default(), |_| {});
    let (learned, stats) = speed(ClientConfig::default(), shape);
    let control = ClientConfig { learns_reordering: false, ..ClientConfig::default() };
    let (unlearned, other) = speed(control.clone(), shape);
    // Of twelve milliseconds come eighteen packets at most.
    let (tuned, tuned_stats) = speed(ClientConfig { reordering_packets: 30, ..control }, shape);
    println!("{best} {learned} {unlearned} {tuned}\n{stats:?}\n{other:?}\n{tuned_stats:?}");
    assert!(stats.cuts_taken_back > 0 && stats.reordering_packets > 3, "{stats:?}");
    assert!(learned > 0.9 * best, "{learned} of {best}");
    assert!(unlearned < 0.8 * learned && other.cuts > 3 * stats.cuts, "{unlearned} of {learned}: {other:?}");
    assert!(tuned > 0.9 * best && tuned_stats.cuts <= stats.cuts, "{tuned} of {best}: {tuned_stats:?}");
}

/// Bytes a second of a long object over 100 Mbit/s and 30 ms, where such a share of packets comes up to nine late.
fn speed_where_some_are_late(seed: u64, share: f64) -> (f64, ClientStats) {
    let (len, rate) = (20_000_000, 12_500_000);
    let mut world = World::with(seed, Plan { rtt: ms(30), ..Plan::default() });
    world.down.rate = Some((rate, rate * 3 / 100));
    world.down.held_up = (share, Duration::from_nanos(9 * 1_500 * 1_000_000_000 / rate));
    world.ask_with(len, Options { reserve: 1 << 26, ..Options::default() });
    let took = world.finish(Duration::from_secs(60));
    (len as f64 / took.as_secs_f64(), world.stats())
}

#[test]
fn a_fast_path_that_often_reorders_costs_no_more_than_a_tenth() {
    for seed in 0..seeds(6) {
        let ((best, _), (late, stats)) = (speed_where_some_are_late(seed, 0.0), speed_where_some_are_late(seed, 0.005));
        println!("seed {seed}: {late:.0} of {best:.0}, {stats:?}");
        assert!(late > 0.9 * best, "seed {seed}: {late} of {best}, {stats:?}");
        // Packets did come late.
        assert!(stats.reordering_packets > LATER_PACKETS_MIN, "seed {seed}: {stats:?}");
    }
}

#[test]
fn requests_go_out_twice_where_many_are_lost() {
    let shape = |world: &mut World| world.up.loss = 0.05;
    let (twice, stats) = speed(ClientConfig::default(), shape);
    let (once, other) = speed(ClientConfig { repeats_requests: false, ..ClientConfig::default() }, shape);
    println!("{twice} {once}\n{stats:?}\n{other:?}");
    assert!(twice > 1.3 * once && stats.repeated > 1_000, "{twice} and {once}: {stats:?}");
    assert!((0.02..0.1).contains(&other.reverse_loss) && other.repeated < 10, "{other:?}");
    let (_, stats) = speed(ClientConfig::default(), |world| world.down.loss = 0.02);
    assert!(stats.repeated < stats.requests / 5, "responses are lost, and no request: {stats:?}");
}

#[test]
fn where_two_servers_answer_what_goes_out_twice_it_goes_out_once() {
    let repeated = |is_spread| {
        let mut world = World::with(3, Plan { servers: 2, rtt: ms(40), ..Plan::default() });
        world.down.rate = Some((1_500_000, 60_000));
        (world.up.loss, world.is_spread) = (0.05, is_spread);
        world.ask_with(8_000_000, Options { reserve: 1 << 24, ..Options::default() });
        world.finish(Duration::from_secs(600));
        let answered: u64 = (0..2).map(|which| world.server(which).stats().answered).sum();
        (world.stats(), answered)
    };
    let (stats, answered) = repeated(true);
    assert!(stats.repeated < stats.requests / 8 && answered < stats.requests * 9 / 8, "{answered}: {stats:?}");
    // Control: one server burns the second.
    let (stats, _) = repeated(false);
    assert!(stats.repeated > 1_000, "{stats:?}");
}

/// How long 8 MB take from two servers that a client asks like that, and how many packets were lost on the way.
fn from_two(policy: Policy, rtt: Duration, shape: impl FnOnce(&mut World)) -> (Duration, u64, ClientStats) {
    let mut world = World::with(3, Plan { servers: 2, policy, rtt, ..Plan::default() });
    shape(&mut world);
    world.ask_with(8_000_000, Options { reserve: 1 << 24, ..Options::default() });
    let took = world.finish(ms(60_000));
    world.run(ms(200));
    let stats = world.stats();
    // The REPLY is no packet.
    (took, world.down_count - 1 - stats.packets, stats)
}

#[test]
fn answers_of_two_servers_that_overtake_each_other_are_asked_for_once() {
    for (farther, rate) in [(2, 1_500_000), (10, 1_500_000), (40, 1_500_000), (40, 12_500_000)] {
        let shape = |world: &mut World| {
            (world.farther, world.down.rate) = (ms(farther), Some((rate, rate * 3 / 100)));
        };
        let (took, lost, stats) = from_two(Policy::Spray, ms(20), shape);
        let (far, ..) = from_two(Policy::Stay, ms(20), shape);
        println!("{farther} ms farther: {took:?} for {far:?} from the farther, {lost} lost, {stats:?}");
        assert!(stats.lost <= lost + 20 && stats.repeated < 20, "{farther} ms: {lost} were lost, {stats:?}");
        assert!(took < far * 13 / 10, "{farther} ms: {took:?}, {far:?} from the farther alone");
    }
}

#[test]
fn of_what_two_servers_send_only_that_is_asked_for_again_which_is_lost() {
    let (_, lost, stats) = from_two(Policy::Spray, ms(20), |world| {
        (world.farther, world.down.loss) = (ms(15), 0.01);
    });
    println!("{lost} lost, {stats:?}");
    assert!(lost > 50 && stats.lost - stats.late <= lost * 11 / 10 && stats.late < lost / 5, "{lost}: {stats:?}");
}

#[test]
fn servers_on_a_busy_host_are_asked_once_for_each_packet_though_each_has_its_turn_at_another_time() {
    let shape = |world: &mut World| {
        (world.busy, world.down.rate) = ((0.02, ms(4)), Some((50_000_000, 2_000_000)));
    };
    let rtt = Duration::from_micros(300);
    let (took, lost, stats) = from_two(Policy::Spray, rtt, shape);
    let (one, _, alone) = from_two(Policy::Stay, rtt, shape);
    println!("{took:?} for {one:?} from one, {lost} lost, {stats:?}; from one: {alone:?}");
    assert!(stats.lost <= lost + 50 && stats.repeated < 50, "{lost} were lost, {stats:?}");
    assert!(took < one * 12 / 10, "{took:?}, {one:?} from one");
}

#[test]
fn on_a_fast_network_the_second_packet_of_a_pair_is_waited_for() {
    for (bytes_per_second, rtt_us) in [(12_500_000, 100), (1_250_000, 100), (125_000_000, 20), (12_500_000, 10_000)] {
        let mut token = None;
        for (len, asks_late) in [3_000, 30_000, 300_000].into_iter().flat_map(|len| [(len, false), (len, true)]) {
            let rtt = Duration::from_micros(rtt_us);
            let config = ClientConfig { datagram_len: 1_472, ..ClientConfig::default() };
            let mut world = World::with(3, Plan { config, token: token.take(), rtt, ..Plan::default() });
            world.down.rate = Some((bytes_per_second, 10_000_000));
            // In the first datagram, or when the connection stands: small packets come before large ones then.
            let end = world.now + ms(1_000);
            let asks_late = asks_late && world.run_until(end, |world| world.events.contains(&Event::Connected));
            let id = world.ask_with(len, Options { reserve: 1 << 24, ..Options::default() });
            world.finish(ms(10_000));
            let stats = world.stats();
            assert!(world.has_finished(id), "{stats:?}");
            assert_eq!((stats.lost, stats.late), (0, 0), "{len}, {rtt_us} us, {asks_late}: {stats:?}");
            token = world.client.token();
        }
    }
}

#[test]
fn a_lost_tail_is_probed() {
    let mut world = World::with(4, Plan { rtt: ms(100), ..Plan::default() });
    world.ask(200_000);
    let whole = world.finish(ms(10_000));
    let last = world.down_count;
    for lost in 1..4 {
        let mut world = World::with(4, Plan { rtt: ms(100), ..Plan::default() });
        world.drop_down = (last - lost + 1..=last).collect();
        world.ask(200_000);
        let took = world.finish(ms(10_000));
        assert!(took < whole + ms(450), "{lost} lost: {took:?}, {whole:?} without");
        assert_eq!(world.stats().timeouts, 0, "{lost} lost: {:?}", world.stats());
    }
}

#[test]
fn a_path_that_is_dead_for_a_while_is_asked_over_again_and_again_and_no_more_often_than_granted() {
    let mut world = World::new(5);
    world.ask(20_000_000);
    world.run(ms(100));
    (world.down.loss, world.up.loss) = (1.0, 1.0);
    world.run(ms(200));
    let before = world.up_count;
    world.run(ms(3_000));
    assert!(world.up_count - before < 10, "{}", world.up_count - before);
    (world.down.loss, world.up.loss) = (0.0, 0.0);
    world.finish(ms(60_000));
    println!("{:?}", world.stats());
}

#[test]
fn the_rate_over_a_path_that_loses_is_that_of_reno() {
    for loss in [0.005, 0.01, 0.02] {
        let (speed, stats) = speed(ClientConfig::default(), |world| {
            world.down.loss = loss;
            world.down.rate = None;
        });
        // Mathis, Semke, Mahdavi and Ott: sqrt(3/2) packets a round trip over the root of the loss.
        let formula = 1_123.0 * 1.5_f64.sqrt() / 0.04 / loss.sqrt();
        println!("{loss}: {speed:.0} bytes a second, {formula:.0} by the formula; {stats:?}");
        assert!((0.8..1.25).contains(&(speed / formula)), "{loss}: {speed} {formula}");
        assert!(stats.timeouts < 5, "{stats:?}");
    }
}

#[test]
fn datagrams_that_somebody_has_changed_do_nothing() {
    for seed in 0..seeds(50) {
        let mut world = World::new(seed);
        world.changed = 0.5;
        let ids = [world.ask(200_000), world.ask(1_000)];
        let took = world.finish(ms(10_000));
        assert!(ids.iter().all(|id| world.has_finished(*id)) && took < ms(400), "{took:?}");
        assert_eq!((world.stats().lost, world.stats().timeouts), (0, 0), "{:?}", world.stats());
    }
}
