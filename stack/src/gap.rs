//! How long nothing came from the peer while the path changed.

use core::time::Duration;

use tng_base::Instant;

/// The time between the last packet of the peer's before the path changed and the first afterwards.
#[derive(Debug, Default)]
pub(crate) struct Gap {
    /// When the peer was last heard of before a change, as long as it has not been heard of since.
    heard: Option<Instant>,
    last: Option<Duration>,
}

impl Gap {
    /// The path has changed; the peer was last heard of then. Of changes that follow each other the first counts.
    pub(crate) fn open(&mut self, heard: Instant) {
        self.heard.get_or_insert(heard);
    }

    /// Whether the peer has not been heard of since.
    pub(crate) fn is_open(&self) -> bool {
        self.heard.is_some()
    }

    /// The peer is heard of.
    pub(crate) fn close(&mut self, now: Instant) {
        if let Some(heard) = self.heard.take() {
            self.last = Some(now.since(heard));
        }
    }

    /// How long the last one was.
    pub(crate) fn last(&self) -> Option<Duration> {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_lasts_from_the_last_packet_before_the_first_change_to_the_next_packet() {
        let (mut gap, at_ms) = (Gap::default(), Instant::from_millis);
        gap.close(at_ms(5));
        assert_eq!(gap.last(), None, "nothing has changed");
        gap.open(at_ms(10));
        gap.open(at_ms(30));
        assert_eq!(gap.last(), None, "nothing has come yet");
        gap.close(at_ms(110));
        gap.close(at_ms(500));
        assert_eq!(gap.last(), Some(Duration::from_millis(100)));
        gap.open(at_ms(600));
        gap.close(at_ms(601));
        assert_eq!(gap.last(), Some(Duration::from_millis(1)));
    }
}
