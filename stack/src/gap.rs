//! How long nothing came from the peer, though something was awaited of it, when a path was lost.

use core::time::Duration;

use tng_base::Instant;

/// The time for which something was awaited of the peer and nothing came, around the loss of a path that carried.
#[derive(Debug, Default)]
pub(crate) struct Gap {
    /// Since when something is awaited, as long as nothing has come since a path was lost.
    since: Option<Instant>,
    last: Option<Duration>,
}

impl Gap {
    /// A path is lost, and since then something is awaited of the peer. Of losses that follow each other the first
    /// counts.
    pub(crate) fn open(&mut self, since: Instant) {
        self.since.get_or_insert(since);
    }

    /// Whether the peer has not been heard of since.
    pub(crate) fn is_open(&self) -> bool {
        self.since.is_some()
    }

    /// The peer is heard of.
    pub(crate) fn close(&mut self, now: Instant) {
        if let Some(since) = self.since.take() {
            self.last = Some(now.since(since));
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
    fn a_gap_lasts_from_the_first_loss_until_the_peer_is_heard_of() {
        let (mut gap, at_ms) = (Gap::default(), Instant::from_millis);
        gap.close(at_ms(5));
        assert_eq!(gap.last(), None, "nothing is lost");
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
