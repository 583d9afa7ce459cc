//! How fast, and how fair.

use tng_base::Instant;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{IpProtocol, Link, Loss, topology};
use tng_tcp::Config;

use crate::world::*;

/// Bytes per second that one flow gets through `link`, after a start that does not count.
fn goodput(controller: &str, seed: u64, link: &Link, seconds: u64) -> f64 {
    let config = Config { controller: controller.parse().expect("a controller"), ..Config::default() };
    let mut pair = pair(seed, link, &config, sending(1 << 40), Plan::default());
    pair.world.run_until(Instant::from_secs(10));
    let before = host_b(&pair).read;
    pair.world.run_until(Instant::from_secs(10 + seconds));
    (host_b(&pair).read - before) as f64 / seconds as f64
}

#[test]
fn reno_keeps_to_mathis_formula_at_random_loss() {
    // M. Mathis, J. Semke, J. Mahdavi, T. Ott: The Macroscopic Behavior of the TCP Congestion Avoidance Algorithm.
    // 1997. The constant for random losses and a window that grows by acknowledged bytes is sqrt(3/2).
    for p in [0.001, 0.003, 0.01] {
        let link = Link::new().delay(ms(50));
        let config = Config { controller: "reno".parse().expect("a controller"), ..Config::default() };
        let mut sum = 0.0;
        let seeds = 2;
        let seconds = 80;
        for seed in 0..seeds {
            let mut pair = pair(seed, &link, &config, sending(1 << 40), Plan::default());
            let lane = pair.link.forth();
            pair.world.change(lane, |link| link.loss = Loss::Independent(p));
            pair.world.run_until(Instant::from_secs(10));
            let before = host_b(&pair).read;
            pair.world.run_until(Instant::from_secs(10 + seconds));
            sum += (host_b(&pair).read - before) as f64 / seconds as f64;
        }
        let expected = 1_448.0 / 0.1 * (1.5 / p).sqrt();
        let ratio = sum / seeds as f64 / expected;
        assert!((0.8..1.2).contains(&ratio), "at {p} the ratio to the formula is {ratio}");
    }
}

#[test]
fn every_controller_uses_a_path_whose_queue_holds_a_round_trip() {
    let queue = QueueConfig::DropTail(Limit::Packets(40));
    let link = Link::new().rate(10_000_000).delay(ms(20)).queue(queue);
    for controller in ["reno", "newreno", "cubic", "vegas"] {
        let share = goodput(controller, 1, &link, 10) / (10e6 / 8.0 * 1_448.0 / 1_500.0);
        assert!(share > 0.97, "{controller} uses {share}");
    }
}

#[test]
fn vegas_leaves_the_queue_short() {
    let link = Link::new().rate(20_000_000).delay(ms(20));
    let config = Config { controller: "vegas".parse().expect("a controller"), ..Config::default() };
    let mut pair = pair(2, &link, &config, sending(1 << 40), Plan::default());
    pair.world.run_until(Instant::from_secs(8));
    let srtt = stats_of(&pair, pair.a).srtt.unwrap();
    assert!(srtt < ms(46), "{srtt:?}");
}

#[test]
fn two_flows_of_a_kind_share_a_bottleneck() {
    for controller in ["reno", "newreno", "cubic"] {
        let config = Config { controller: controller.parse().expect("a controller"), ..Config::default() };
        let mut shares = Vec::new();
        for seed in 0..2 {
            let parties = (0..2_u16).map(|flow| {
                let (left, right) = (topology::ipv4(2 * flow), topology::ipv4(2 * flow + 1));
                let to = core::net::SocketAddr::new(right, PORT);
                let begin = Instant::from_millis(seed * 130 + u64::from(flow) * 700);
                let sender = Party::opening(sending(1 << 40), begin, to);
                (node(left, &config, seed, sender), node(right, &config, seed, Party::new(Plan::default())))
            });
            let queue = QueueConfig::DropTail(Limit::Packets(30));
            let bottleneck = Link::new().rate(8_000_000).delay(ms(20)).queue(queue);
            let access = Link::new().rate(1_000_000_000).delay(ms(1));
            let mut bell = topology::dumbbell(seed, &access, &bottleneck, parties.collect());
            for id in bell.left.iter().chain(&bell.right).copied().collect::<Vec<_>>() {
                bell.world.set_protocol(id, IpProtocol::Tcp);
            }
            bell.world.run_until(Instant::from_secs(10));
            let read = |bell: &topology::Dumbbell<Node>| {
                [0, 1].map(|flow| bell.world.node(bell.right[flow]).app.only().read as f64)
            };
            let before = read(&bell);
            bell.world.run_until(Instant::from_secs(30));
            let after = read(&bell);
            let [x, y] = [after[0] - before[0], after[1] - before[1]];
            assert!((x + y) * 8.0 / 20.0 > 0.95 * 8e6 * 1_448.0 / 1_500.0, "{controller}, seed {seed}: {x} + {y}");
            shares.push(x / (x + y));
        }
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        assert!((0.35..0.65).contains(&mean), "{controller}: {shares:?}");
    }
}
