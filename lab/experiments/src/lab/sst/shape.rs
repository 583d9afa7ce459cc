//! The two networks of SST 5.3.

use core::time::Duration;

use tng_queue::{Limit, QueueConfig};
use tng_sim::Link;

/// Bytes of a full packet on the link.
const PACKET_BYTES: u64 = 1_500;

/// A network of the paper: its rate is the paper's, the rest is modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) rate_bps: u64,
    pub(crate) delay: Duration,
    pub(crate) queue_packets: usize,
}

/// A DSL line with 50 ms of round trip (SST 5.4) and a queue of 240 ms.
pub(crate) const DSL: Shape =
    Shape { name: "dsl", rate_bps: 1_500_000, delay: Duration::from_millis(25), queue_packets: 30 };

/// A wireless LAN with a queue of 40 ms.
pub(crate) const WIFI: Shape =
    Shape { name: "wifi", rate_bps: 18_000_000, delay: Duration::from_millis(2), queue_packets: 60 };

/// Lines on which a figure is tried whose parameters are a rate and a delay: slower and faster, nearer and farther.
pub(super) const LINES: &[(&str, &[&str])] = &[
    ("rate", &["500kbit", "1.5mbit", "5mbit", "20mbit", "100mbit"]),
    ("delay", &["2ms", "10ms", "25ms", "100ms", "300ms"]),
];

impl Shape {
    pub(crate) fn link(self) -> Link {
        let queue = QueueConfig::DropTail(Limit::Packets(self.queue_packets));
        Link::new().rate(self.rate_bps).delay(self.delay).queue(queue)
    }

    /// How long a full packet takes to send.
    pub(crate) fn packet_time(self) -> Duration {
        Duration::from_nanos(PACKET_BYTES * 8 * 1_000_000_000 / self.rate_bps)
    }
}
