//! Figures of a connection.

use core::time::Duration;

/// A connection's figures at one moment. Bytes are those of the application's data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Name of the controller.
    pub controller: &'static str,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Where slow start ends, bytes, if known.
    pub ssthresh: Option<u64>,
    /// Bytes in flight, as the congestion controller counts them.
    pub in_flight: u64,
    /// Smoothed round-trip time, if there was a sample.
    pub srtt: Option<Duration>,
    /// Least round-trip time lately; zero before the first sample.
    pub rtt_min: Duration,
    /// Retransmission timeout.
    pub rto: Duration,
    /// Bytes written and cumulatively acknowledged.
    pub acked: u64,
    /// Bytes received in order.
    pub received: u64,
    /// Segments sent, those without data included.
    pub segments_sent: u64,
    /// Segments received.
    pub segments_received: u64,
    /// Data segments sent again.
    pub retransmits: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Tail loss probes.
    pub probes: u64,
    /// Windows reduced.
    pub reductions: u64,
    /// Reductions taken back because nothing had been lost.
    pub undone: u64,
}
