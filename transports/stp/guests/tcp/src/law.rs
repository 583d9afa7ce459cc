//! How a window grows while nothing is lost, and what a loss makes of it.

use core::fmt;

/// A window, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cwnd {
    /// Bytes that may be on their way.
    pub bytes: u64,
    /// Below that it is slow start.
    pub threshold: u64,
    /// Bytes of a body.
    pub mss: u64,
    /// Bytes acknowledged towards the next segment of congestion avoidance.
    pub counted: u64,
}

/// An acknowledgment of something new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Milliseconds since the connection began.
    pub now: u64,
    /// Bytes that it acknowledges.
    pub acked: u64,
    /// The round trip that it gives, in milliseconds, if it does.
    pub rtt_ms: Option<u64>,
    /// Where what is acknowledged ends.
    pub una: u64,
    /// Where what was sent ends.
    pub end: u64,
    /// Whether nothing is lost.
    pub is_open: bool,
}

/// What a window does.
pub trait Law: Clone + Default + fmt::Debug {
    /// Something was acknowledged, whatever state it is in: what is measured is measured here.
    fn measure(&mut self, _window: &mut Cwnd, _progress: &Progress) {}

    /// A segment arrived that does not follow what is acknowledged.
    fn handle_duplicate(&mut self, _window: &Cwnd) {}

    /// It grows: nothing is lost, and all of it is used. `step_max`: so much at once in slow start.
    fn grow(&mut self, window: &mut Cwnd, acked: u64, step_max: u64, byte_counting: bool) {
        window.grow(acked, step_max, byte_counting);
    }

    /// Something is lost, with so much in flight: the new threshold.
    fn threshold(&mut self, window: &Cwnd, flight: u64) -> u64 {
        (flight / 2).max(2 * window.mss)
    }
}

/// Slow start, congestion avoidance, and half of it after a loss (RFC 5681).
#[derive(Clone, Default, Debug)]
pub struct Standard;

impl Law for Standard {}

impl Cwnd {
    /// Slow start, or congestion avoidance.
    pub fn grow(&mut self, acked: u64, step_max: u64, byte_counting: bool) {
        if self.bytes < self.threshold {
            self.bytes += if byte_counting { acked.min(step_max) } else { self.mss };
            return;
        }
        self.counted += if byte_counting { acked } else { self.mss };
        if self.counted >= self.bytes {
            self.counted -= self.bytes;
            self.bytes += self.mss;
        }
    }
}
