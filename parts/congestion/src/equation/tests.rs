use super::*;
use crate::battery;

fn equation(mtu: u16) -> Box<dyn Controller> {
    Box::new(Equation::new(mtu))
}

#[test]
fn equation_passes_the_battery() {
    battery::all(&equation);
}
