//! Many seeds over many bad roads.

use core::time::Duration;

use tng_base::{Instant, Rng};
use tng_sim::{DATAGRAM_OVERHEAD, DropCause, Link, Loss};
use tng_stack::structured::ServiceOptions;

use crate::world::Setting;

/// A road drawn from the seed: the mix of faults that reliability plans call a swarm.
fn road(rng: &mut Rng) -> (Link, String) {
    let pick = |rng: &mut Rng, values: &[f64]| values[rng.below(values.len() as u64) as usize];
    let rate = pick(rng, &[2e6, 10e6, 100e6, 1e9]);
    let delay_ms = pick(rng, &[0.1, 5.0, 25.0, 150.0]);
    let loss = pick(rng, &[0.0, 0.001, 0.01, 0.05, 0.1]);
    let bursty = rng.chance(0.3);
    let reorder = pick(rng, &[0.0, 0.0, 0.01, 0.1]);
    let duplicate = pick(rng, &[0.0, 0.0, 0.05]);
    let corrupt = pick(rng, &[0.0, 0.0, 0.02]);
    let delay = Duration::from_secs_f64(delay_ms / 1e3);
    let loss_of = if bursty && loss > 0.0 { Loss::bursts(loss, 2..=4) } else { Loss::Independent(loss) };
    let link = Link::new()
        .rate(rate as u64)
        .delay(delay)
        .loss(loss_of)
        .reorder(reorder, delay / 2 + Duration::from_millis(1))
        .duplicate(duplicate)
        .corrupt(corrupt);
    let words = format!(
        "rate {rate} delay {delay_ms} ms loss {loss} bursty {bursty} reorder {reorder} duplicate {duplicate} corrupt {corrupt}"
    );
    (link, words)
}

/// One seed: a few blocks over a bad road, byte for byte, and then silence.
fn ride(seed: u64) {
    let mut rng = Rng::from_u64(seed);
    let (link, words) = road(&mut rng);
    let mut setting = Setting::new(seed);
    setting.link = link;
    setting.sizes = (0..1 + rng.below(6)).map(|_| 6 + rng.below(13)).collect::<Vec<_>>();
    setting.sizes = setting.sizes.iter().map(|bits| rng.below(1 << bits)).collect();
    setting.service = ServiceOptions { replay_safe: rng.chance(0.5), ..ServiceOptions::default() };
    if rng.chance(0.3) {
        setting.server.cookie_above = 0;
    }
    setting.client.controller = if rng.chance(0.5) { "newreno".into() } else { "cubic".into() };
    setting.server.set_up_timeout = Duration::from_secs(120);
    setting.client.set_up_timeout = Duration::from_secs(120);
    let mut run = setting.start();
    let limit = Instant::from_secs(600);
    let (a, b, link) = (run.a, run.b, run.link);
    let done = run.world.wait_until(limit, |world| {
        // The amplification ledger, from outside: as long as nobody has confirmed its address, three for one.
        if world.node(b).machine.confirmed() == 0 {
            let (sent, arrived) = (world.stats(link.back()), world.stats(link.forth()));
            let sent_bytes = sent.offered_bytes - DATAGRAM_OVERHEAD as u64 * sent.offered;
            let arrived_bytes = arrived.delivered_bytes - DATAGRAM_OVERHEAD as u64 * arrived.delivered;
            assert!(sent_bytes <= 3 * arrived_bytes, "seed {seed} ({words}): {sent_bytes} for {arrived_bytes}");
        }
        match &world.node(a).app {
            crate::world::Side::Client(client) => client.is_done() || client.ended().is_some(),
            crate::world::Side::Server(_) => false,
        }
    });
    let client = run.client();
    assert!(
        client.failed.is_empty() && done,
        "seed {seed} ({words}): failed {:?}, ended {:?}",
        client.failed,
        client.ended()
    );
    assert!(client.is_done(), "seed {seed} ({words}): ended {:?}", client.ended());
    // Liveness: with nothing more to say, both sides fall silent within the idle timeout and forget each other.
    let idle = run.world.now() + Duration::from_secs(300);
    assert!(run.world.run_until_idle(idle), "seed {seed} ({words}): never idle");
    for id in [run.a, run.b] {
        assert!(run.host(id).is_empty(), "seed {seed} ({words}): a connection is left");
    }
    assert_eq!(run.world.dropped_at_nodes(DropCause::NoRoute), 0, "seed {seed} ({words})");
}

/// `TNG_SEEDS=10000 cargo test -p tng-stack --test direct swarm` runs the full count.
#[test]
fn every_seed_arrives_byte_for_byte_and_falls_silent() {
    let seeds = std::env::var("TNG_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    (0..seeds).for_each(ride);
}
