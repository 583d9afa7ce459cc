//! Credit over all streams of a connection, and for their creation: absolute sums that only rise.

use tng_base::Violation;

use super::violation;

/// What we let the peer send over all streams together.
///
/// `received` counts every stream up to its highest offset, as the peer counts what it has sent; `consumed` counts what the
/// application read or what was thrown away. When a stream ends both have counted it up to its final offset, so no credit
/// is ever lost.
#[derive(Clone, Debug)]
pub(super) struct HostCredit {
    window: u64,
    limit: u64,
    received: u64,
    consumed: u64,
}

impl HostCredit {
    pub(super) fn new(window: u64) -> HostCredit {
        HostCredit { window, limit: window, received: 0, consumed: 0 }
    }

    /// The peer has used `n` more.
    pub(super) fn charge(&mut self, n: u64) -> Result<(), Violation> {
        if n > self.limit - self.received {
            return Err(violation::FLOW_HOST);
        }
        self.received += n;
        Ok(())
    }

    /// `n` bytes were read or thrown away.
    pub(super) fn consume(&mut self, n: u64) {
        self.consumed += n;
    }

    /// Raises the limit when that is worth a frame: answers whether it did.
    ///
    /// What streams hold unread may lie there for long, and must not keep the others from their share of the rest: half of
    /// what the peer could use now, not half of the window, is worth a frame.
    pub(super) fn raise(&mut self) -> bool {
        let limit = self.consumed + self.window;
        let gain = limit - self.limit;
        let usable = self.window - self.held();
        let worth = gain > 0 && 2 * gain >= usable;
        if worth {
            self.limit = limit;
        }
        worth
    }

    /// The limit now granted.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// What the peer has used.
    #[cfg(test)]
    pub(super) fn received(&self) -> u64 {
        self.received
    }

    /// Bytes that count as received but not as consumed: what the application has yet to read, and gaps.
    pub(super) fn held(&self) -> u64 {
        self.received - self.consumed
    }
}

/// What the peer lets us send over all streams together.
#[derive(Clone, Debug)]
pub(super) struct PeerCredit {
    /// The peer's limit.
    pub(super) limit: u64,
    /// Bytes sent, each counted once.
    pub(super) sent: u64,
}

impl PeerCredit {
    /// Bytes that may be sent now.
    pub(super) fn room(&self) -> u64 {
        self.limit - self.sent
    }
}

/// How many streams the peer may create.
#[derive(Clone, Debug)]
pub(super) struct CreateCredit {
    window: u64,
    limit: u64,
    ended: u64,
}

impl CreateCredit {
    pub(super) fn new(window: u64) -> CreateCredit {
        CreateCredit { window, limit: window, ended: 0 }
    }

    /// One of the peer's streams ended; answers whether the limit was raised.
    pub(super) fn end_one(&mut self) -> bool {
        self.ended += 1;
        let limit = self.ended + self.window;
        let worth = limit - self.limit >= (self.window / 2).max(1);
        if worth {
            self.limit = limit;
        }
        worth
    }

    /// The limit now granted: counters of the peer's streams lie below it.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }
}
