//! Taking back what was done for a loss that was none.

use crate::law::Cwnd;

/// What there was before the window was reduced last.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    /// Window and threshold; none if there is nothing to take back.
    before: Option<(u64, u64)>,
    /// What begins before it was not in flight then.
    marker: u64,
    /// Segments that left again since, and were not told to have come twice.
    again: u32,
    /// When the first of them left.
    first_again_at: Option<u64>,
    /// Duplicates that led to it.
    extent: usize,
}

impl Undo {
    /// The window is reduced.
    pub fn begin(&mut self, window: &Cwnd, una: u64, extent: usize) {
        let before = Some((window.bytes, window.threshold));
        *self = Undo { before, marker: una, again: 0, first_again_at: None, extent };
    }

    /// A segment left again.
    pub fn handle_sent_again(&mut self, now: u64) {
        self.again += 1;
        self.first_again_at.get_or_insert(now);
    }

    /// The hole was filled behind so many duplicates.
    pub fn handle_filled(&mut self, duplicates: usize) {
        self.extent = self.extent.max(duplicates);
    }

    /// Duplicates that came before the hole was filled for which the window was reduced.
    pub fn extent(&self) -> usize {
        self.extent
    }

    /// A segment came twice. Answers whether all did that left again (RFC 3708).
    pub fn handle_twice(&mut self, from: u64) -> bool {
        if from < self.marker || self.again == 0 {
            return false;
        }
        self.again -= 1;
        self.again == 0
    }

    /// Whether the first acknowledgment since something left again answers what had left before (RFC 3522).
    pub fn is_spurious(&mut self, echo: Option<u32>) -> bool {
        match (self.first_again_at, echo) {
            (Some(at), Some(echo)) => {
                // Only the first acknowledgment says so.
                let earlier = (echo.wrapping_sub(at as u32) as i32) < 0;
                if !earlier {
                    self.before = None;
                }
                earlier
            }
            _ => false,
        }
    }

    /// Window and threshold of before, once.
    pub fn take(&mut self) -> Option<(u64, u64)> {
        self.before.take()
    }
}
