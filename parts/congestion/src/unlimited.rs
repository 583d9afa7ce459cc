//! No congestion control.

use tng_base::Instant;

use crate::{AckSample, Controller, LossSample, PathState};

/// No window and no pacing: for links that are known to be one's own, and for measuring everything else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unlimited;

impl Controller for Unlimited {
    fn name(&self) -> &'static str {
        "unlimited"
    }
    fn window(&self) -> u64 {
        u64::MAX
    }
    fn handle_ack(&mut self, _now: Instant, _ack: &AckSample, _path: &PathState) {}
    fn handle_loss(&mut self, _now: Instant, _loss: &LossSample, _path: &PathState) {}
    fn set_mtu(&mut self, _mtu: u16) {}
    fn reset(&mut self) {}
    fn is_slow_start(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Permission, Regulation, RegulationConfig, battery};

    #[test]
    fn unlimited_passes_the_battery() {
        battery::administered(&|_| Box::new(Unlimited));
    }

    #[test]
    fn nothing_holds_unlimited_back() {
        let mut regulation = Regulation::new(Box::new(Unlimited), RegulationConfig::default());
        for _ in 0..10_000 {
            assert_eq!(regulation.permission(Instant::ZERO, 1_200), Permission::Now);
            regulation.handle_sent(Instant::ZERO, 1_200);
        }
        assert!(regulation.budget(Instant::ZERO) > 1 << 60);
        assert_eq!(regulation.stats().pacing_rate, None);
    }
}
