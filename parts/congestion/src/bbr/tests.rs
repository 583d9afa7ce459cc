use super::*;
use crate::battery;

fn bbr(mtu: u16) -> Box<dyn Controller> {
    Box::new(Bbr::new(mtu))
}

#[test]
fn bbr_passes_the_battery() {
    battery::all(&bbr);
}
