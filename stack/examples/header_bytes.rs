//! Bytes that are not payload, in a transfer over a path that loses nothing, by kind of packet:
//! `cargo run --release -p tng-stack --example header_bytes -- [BYTES]`.
#[path = "../tests/direct/apps.rs"]
#[allow(dead_code, reason = "shared with the tests, which use the rest")]
mod apps;
#[path = "../tests/direct/world.rs"]
#[allow(dead_code, reason = "shared with the tests, which use the rest")]
mod world;

use core::cell::RefCell;
use core::time::Duration;
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_sim::Link;
use world::Setting;

/// UDP's own header.
const UDP: u64 = 8;

fn main() {
    let bytes: u64 = std::env::args().nth(1).map_or(1_000_000_000, |text| text.parse().expect("a number of bytes"));
    let mut setting = Setting::new(1);
    setting.link = Link::new().delay(Duration::from_millis(5));
    setting.sizes = vec![bytes];
    let mut run = setting.start();
    let mut lanes = BTreeMap::new();
    for (name, lane) in [("server to client", run.link.back()), ("client to server", run.link.forth())] {
        let sizes: Rc<RefCell<BTreeMap<usize, u64>>> = Rc::default();
        let counting = sizes.clone();
        run.world.intercept(lane, move |_, packet| {
            *counting.borrow_mut().entry(packet.payload.len()).or_default() += 1;
            true
        });
        lanes.insert(name, sizes);
    }
    run.finish(Duration::from_secs(3_600));
    let data = lanes["server to client"].borrow();
    let packets: u64 = data.values().sum();
    let sent: u64 = data.iter().map(|(len, count)| (*len as u64 + UDP) * count).sum();
    println!(
        "{bytes} bytes in {packets} packets: mean {:.2} header bytes a packet",
        (sent - bytes) as f64 / packets as f64
    );
    for (name, sizes) in &lanes {
        let mut common: Vec<_> = sizes.borrow().iter().map(|(len, count)| (*count, *len)).collect();
        common.sort_unstable_by(|a, b| b.cmp(a));
        println!(
            "{name}: the commonest sizes of UDP payload (count x bytes): {}",
            list(&common[..common.len().min(6)])
        );
    }
}

fn list(common: &[(u64, usize)]) -> String {
    common.iter().map(|(count, len)| format!("{count} x {len}")).collect::<Vec<_>>().join(", ")
}
