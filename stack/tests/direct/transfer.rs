//! What the road does to a transfer.

use core::time::Duration;

use tng_sim::Loss;

use crate::world::Setting;

#[test]
fn a_lossy_path_is_used_well() {
    let mut setting = Setting::new(7);
    setting.link = setting.link.loss(Loss::Independent(0.001));
    setting.sizes = vec![10_000_000];
    let mut run = setting.start();
    let took = run.finish(Duration::from_secs(600));
    // 10 MB at 100 Mbit/s take 0.8 s; the window has to grow first and is cut by losses.
    assert!(took < Duration::from_secs(3), "{took:?}");
}

#[test]
fn keys_renew_in_place_while_data_flows_both_ways() {
    let mut setting = Setting::new(8);
    setting.client.renew_keys_after = 64;
    setting.server.renew_keys_after = 64;
    setting.link = setting.link.loss(Loss::Independent(0.02)).reorder(0.05, Duration::from_millis(3));
    setting.sizes = vec![3_000_000];
    let mut run = setting.start();
    run.finish(Duration::from_secs(600));
    let stats = run.host_stats(run.b).expect("the connection is up");
    assert!(stats.channel.packets_sent > 2_000, "{stats:?}");
    assert_eq!(stats.channel.forged, 0, "no honest packet fails to open");
}

#[test]
fn a_bulk_packet_without_acknowledgment_carries_at_most_44_bytes_of_headers() {
    let mut setting = Setting::new(9);
    // No bottleneck: nothing is lost, so every byte that is not payload is a header.
    setting.link = tng_sim::Link::new().delay(Duration::from_millis(25));
    setting.sizes = vec![20_000_000];
    let mut run = setting.start();
    let counts = std::rc::Rc::new(core::cell::Cell::new((0u64, 0u64)));
    let counting = counts.clone();
    run.world.intercept(run.link.back(), move |_, packet| {
        let (packets, bytes) = counting.get();
        counting.set((packets + 1, bytes + packet.payload.len() as u64 + 8));
        true
    });
    run.finish(Duration::from_secs(600));
    let (packets, bytes) = counts.get();
    let mean = (bytes - 20_000_000) as f64 / packets as f64;
    assert!(mean <= 44.0, "{mean}: {packets} packets, {bytes} bytes with UDP headers");
}

#[test]
fn both_versions_of_ip_carry_a_transfer() {
    let mut setting = Setting::new(10);
    setting.sizes = vec![1_000_000];
    setting.start_over_ipv6().finish(Duration::from_secs(60));
}
