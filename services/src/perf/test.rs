//! What a test is, and whether a server takes it.

use core::time::Duration;

use super::wire::{Fault, FaultCode};
use super::{BLOCK_MAX, DATAGRAM_MAX, DURATION_MAX_MS, LANES_MAX, OMIT_MAX_MS, STAMP_LEN};

/// Who sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The client.
    Forward,
    /// The server.
    Reverse,
    /// Both at once.
    Both,
}

impl Direction {
    /// Whether the client sends.
    pub const fn client_sends(self) -> bool {
        matches!(self, Direction::Forward | Direction::Both)
    }

    /// Whether the server sends.
    pub const fn server_sends(self) -> bool {
        matches!(self, Direction::Reverse | Direction::Both)
    }
}

/// When a test is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// After so many milliseconds, 1 to [`DURATION_MAX_MS`].
    After(u64),
    /// When so many bytes have arrived in each direction that is measured, all lanes together; at least 1.
    Bytes(u64),
}

/// What a client asks a server to take part in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    /// Who sends.
    pub direction: Direction,
    /// Datagrams rather than streams.
    pub datagrams: bool,
    /// The client wants to see what the server prints.
    pub wants_output: bool,
    /// Lanes in each direction, 1 to [`LANES_MAX`].
    pub lanes: usize,
    /// When it is over.
    pub end: End,
    /// The beginning that is not counted, in milliseconds, up to [`OMIT_MAX_MS`].
    pub omit_ms: u64,
    /// Bytes of one write, up to [`BLOCK_MAX`], or of one datagram, with room for its [`Stamp`](super::Stamp) and up to
    /// [`DATAGRAM_MAX`].
    pub block_len: usize,
    /// Rate of each lane in bits per second; 0 for as fast as it goes.
    pub rate: u64,
    /// Blocks that may follow each other at once when the rate is limited; 0 for one.
    pub burst: u64,
}

impl Test {
    /// Whether all figures are within what the protocol allows.
    pub const fn is_valid(&self) -> bool {
        let end = match self.end {
            End::After(ms) => ms >= 1 && ms <= DURATION_MAX_MS,
            End::Bytes(bytes) => bytes >= 1,
        };
        let (least, most) = if self.datagrams { (STAMP_LEN, DATAGRAM_MAX) } else { (1, BLOCK_MAX) };
        let block_len = self.block_len >= least && self.block_len <= most;
        end && block_len && self.lanes >= 1 && self.lanes <= LANES_MAX && self.omit_ms <= OMIT_MAX_MS
    }
}

/// What a server takes part in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Lanes in each direction.
    pub lanes_max: usize,
    /// Longest test; one that ends with a count of bytes is broken off then. What is omitted counts.
    pub duration_max: Duration,
    /// Most bytes of a test, both directions together; it is broken off then.
    pub bytes_max: Option<u64>,
    /// Highest rate of a test in bits per second, all lanes of both directions together, over any few seconds.
    pub rate_max: Option<u64>,
}

impl Limits {
    /// Whether a test is within the limits, as far as that can be said before.
    ///
    /// # Errors
    /// What is above them.
    pub fn check(&self, test: &Test) -> Result<(), Fault> {
        let refuse = |reason: String| Err(Fault::new(FaultCode::NotAllowed, &reason));
        if test.lanes > self.lanes_max {
            return refuse(format!("at most {} parallel streams here", self.lanes_max));
        }
        let directions = if test.direction == Direction::Both { 2 } else { 1 };
        if let Some(max) = self.rate_max
            && test.rate.saturating_mul(test.lanes as u64).saturating_mul(directions) > max
        {
            return refuse(format!("at most {max} bit/s here, all streams together"));
        }
        match test.end {
            End::After(ms) if Duration::from_millis(ms + test.omit_ms) > self.duration_max => {
                refuse(format!("at most {} s here, with what is omitted", self.duration_max.as_secs()))
            }
            End::Bytes(bytes) if self.bytes_max.is_some_and(|max| bytes.saturating_mul(directions) > max) => {
                refuse(format!("at most {} bytes here", self.bytes_max.unwrap_or_default()))
            }
            End::After(_) | End::Bytes(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: Test = Test {
        direction: Direction::Forward,
        datagrams: false,
        wants_output: false,
        lanes: 4,
        end: End::After(10_000),
        omit_ms: 0,
        block_len: 1 << 17,
        rate: 0,
        burst: 0,
    };
    const LIMITS: Limits =
        Limits { lanes_max: 4, duration_max: Duration::from_secs(10), bytes_max: Some(1000), rate_max: Some(8000) };

    #[test]
    fn a_test_within_the_limits_is_taken_and_one_above_any_of_them_is_not() {
        assert_eq!(LIMITS.check(&TEST), Ok(()));
        for (beyond, word) in [
            (Test { lanes: 5, ..TEST }, "parallel"),
            (Test { omit_ms: 1, ..TEST }, "omitted"),
            (Test { end: End::Bytes(1001), ..TEST }, "bytes"),
            (Test { end: End::Bytes(501), direction: Direction::Both, ..TEST }, "bytes"),
            (Test { rate: 2001, ..TEST }, "bit/s"),
            (Test { rate: u64::MAX, ..TEST }, "bit/s"),
        ] {
            let fault = LIMITS.check(&beyond).expect_err(word);
            assert!(fault.code == FaultCode::NotAllowed && fault.reason().exact().contains(word), "{fault}");
        }
    }

    #[test]
    fn figures_without_sense_are_not_valid() {
        assert!(TEST.is_valid());
        for bad in [
            Test { lanes: 0, ..TEST },
            Test { lanes: LANES_MAX + 1, ..TEST },
            Test { end: End::After(0), ..TEST },
            Test { end: End::Bytes(0), ..TEST },
            Test { omit_ms: OMIT_MAX_MS + 1, ..TEST },
            Test { block_len: 0, ..TEST },
            Test { block_len: STAMP_LEN - 1, datagrams: true, ..TEST },
            Test { block_len: DATAGRAM_MAX + 1, datagrams: true, ..TEST },
        ] {
            assert!(!bad.is_valid(), "{bad:?}");
        }
    }
}
