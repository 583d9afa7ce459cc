//! What the channels of one path share.

use core::net::SocketAddr;

use tng_base::Instant;
use tng_congestion::{Regulation, RegulationConfig, UnknownController};

/// The regulation of a path: one controller, one RTT, one pacer, however many channels.
#[derive(Debug)]
pub struct Flow {
    regulation: Regulation,
}

impl Flow {
    /// A flow governed by the controller named `controller`, at its initial window.
    ///
    /// # Errors
    /// If there is no such controller.
    pub fn new(controller: &str, config: RegulationConfig) -> Result<Flow, UnknownController> {
        Ok(Flow { regulation: Regulation::from_name(controller, config)? })
    }

    /// The regulation.
    pub fn regulation(&self) -> &Regulation {
        &self.regulation
    }

    /// The regulation, to pass to a channel.
    pub fn regulation_mut(&mut self) -> &mut Regulation {
        &mut self.regulation
    }

    /// The peer is at another address now. What was learned stays if only its port changed, which is a NAT's doing; a different
    /// host address is a different path and starts at the initial window. Answers whether it started afresh.
    pub fn handle_move(&mut self, now: Instant, from: SocketAddr, to: SocketAddr) -> bool {
        let other_path = from.ip() != to.ip();
        if other_path {
            self.regulation.reset_for_new_path(now);
        }
        other_path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_port_keeps_what_was_learned_and_a_new_address_starts_afresh() {
        let mut flow = Flow::new("newreno", RegulationConfig::default()).expect("a controller");
        let [a, b, c] = ["192.0.2.1:1", "192.0.2.1:2", "192.0.2.9:2"].map(|text| text.parse().expect("an address"));
        assert!(!flow.handle_move(Instant::ZERO, a, b));
        assert!(flow.handle_move(Instant::ZERO, b, c));
        assert!(Flow::new("nonesuch", RegulationConfig::default()).is_err());
    }
}
