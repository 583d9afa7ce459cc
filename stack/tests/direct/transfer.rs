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
