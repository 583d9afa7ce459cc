//! How large segments are.

use super::SEGMENT_ADDED;

/// Segments that the mean is taken of.
const SMOOTHING: u64 = 16;
/// No packet is larger.
const SIZE_MAX: u64 = u16::MAX as u64 + SEGMENT_ADDED;

/// The mean size of the segments sent lately, with what is added to them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct MeanSize {
    /// Times [`SMOOTHING`]; 0 before the first.
    smoothed: u64,
}

impl MeanSize {
    /// A segment of so many bytes, or several of that mean, left.
    #[inline]
    pub(super) fn handle_sent(&mut self, bytes: u64) {
        let bytes = bytes.min(SIZE_MAX);
        let kept = if self.smoothed == 0 { bytes * (SMOOTHING - 1) } else { self.smoothed - self.smoothed / SMOOTHING };
        self.smoothed = kept + bytes;
    }

    /// The mean, which no division is by zero for.
    #[inline]
    pub(super) fn bytes(self) -> u64 {
        (self.smoothed / SMOOTHING).max(1 + SEGMENT_ADDED)
    }
}
