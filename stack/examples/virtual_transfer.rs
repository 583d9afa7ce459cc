//! Wall time of a transfer in virtual time: `cargo run --release -p tng-stack --example virtual_transfer`.
#[path = "../tests/direct/apps.rs"]
#[allow(dead_code, reason = "shared with the tests, which use the rest")]
mod apps;
#[path = "../tests/direct/world.rs"]
#[allow(dead_code, reason = "shared with the tests, which use the rest")]
mod world;

use core::time::Duration;
use tng_sim::Loss;
use world::Setting;

fn main() {
    let mut setting = Setting::new(7);
    setting.link = setting.link.loss(Loss::Independent(0.001));
    setting.sizes = vec![100_000_000];
    let mut run = setting.start();
    #[allow(clippy::disallowed_methods, reason = "it measures wall time")]
    let began = std::time::Instant::now();
    let took = run.finish(Duration::from_secs(600));
    println!("100 MB over 100 Mbit/s, 50 ms, 0.1 % loss: {took:?} of virtual time, {:?} of wall time", began.elapsed());
}
