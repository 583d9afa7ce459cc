//! What the channels of one path share.

use tng_base::Instant;

use crate::{AckSample, LossSample, SendStamp};

/// Settings of a [`Regulation`].
#[derive(Clone, Copy, Debug)]
pub struct RegulationConfig {}

/// Whether a packet may leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Permission {
    /// Now.
    Now,
    /// When the pacer releases the next batch.
    At(Instant),
    /// When something in flight is acknowledged or lost.
    Blocked,
}

/// One controller, one RTT estimator, one pacer, and the bytes in flight.
#[derive(Debug)]
pub struct Regulation {}

impl Regulation {
    /// Whether a packet of `bytes` may leave now.
    pub fn permission(&mut self, _now: Instant, _bytes: u64) -> Permission {
        todo!()
    }
    /// A packet left and counts as in flight.
    pub fn handle_sent(&mut self, _now: Instant, _bytes: u64) -> SendStamp {
        todo!()
    }
    /// Packets were acknowledged.
    pub fn handle_ack(&mut self, _now: Instant, _sample: &AckSample) {
        todo!()
    }
    /// Packets were lost or marked.
    pub fn handle_loss(&mut self, _now: Instant, _sample: &LossSample) {
        todo!()
    }
    /// Packets left the books without a verdict (their channel ended, or moved to another path).
    pub fn handle_discarded(&mut self, _bytes: u64) {
        todo!()
    }
}
