//! Credit over all streams of a connection, and for their creation: absolute sums that only rise.

use tng_base::Violation;

use super::violation;
use super::wire::Setup;

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
    /// Something was received or consumed since it was last looked at.
    moved: bool,
}

impl HostCredit {
    pub(super) fn new(window: u64) -> HostCredit {
        HostCredit { window, limit: window, received: 0, consumed: 0, moved: false }
    }

    /// The peer has used `n` more.
    pub(super) fn charge(&mut self, n: u64) -> Result<(), Violation> {
        if n > self.limit - self.received {
            return Err(violation::FLOW_HOST);
        }
        self.received += n;
        self.moved = true;
        Ok(())
    }

    /// `n` bytes were read or thrown away.
    pub(super) fn consume(&mut self, n: u64) {
        self.consumed += n;
        self.moved = true;
    }

    /// Raises the limit when that is worth a frame: answers whether it did.
    ///
    /// What streams hold unread may lie there for long, and must not keep the others from their share of the rest: half of
    /// what the peer could use now, not half of the window, is worth a frame. What it keeps in [reserve](Reserve) does not
    /// count.
    #[inline]
    pub(super) fn raise(&mut self) -> bool {
        core::mem::take(&mut self.moved) && self.raise_if_worth()
    }

    fn raise_if_worth(&mut self) -> bool {
        let limit = self.consumed + self.window;
        let gain = limit - self.limit;
        let usable = (self.window - self.held()).saturating_sub(2 * self.window / RESERVE_PART);
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

/// Part of the credit over all streams, as it was granted at first, that bulk leaves to the first bytes of streams, and once
/// more that lower levels leave to higher ones, if there are any: a sixteenth each. Without it streams that nobody reads could
/// use all of it up, and new ones and urgent ones would wait for their readers.
pub const RESERVE_PART: u64 = 16;

/// First bytes of a stream for which there is always credit, if there are as many as this at least: else the window is too small
/// for so many streams, and nothing is kept for them.
pub const FIRST_MIN: u64 = 16;

/// What a sender keeps of the credit over all streams.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reserve {
    /// For the first bytes of streams.
    pub(super) firsts: u64,
    /// The first bytes of each: all streams that may exist at once can use theirs together.
    pub(super) first: u64,
    /// For higher levels.
    pub(super) levels: u64,
}

impl Reserve {
    /// From what the peer granted, and how many streams it may create.
    pub(super) fn new(peer: &Setup, create: u64) -> Reserve {
        let part = peer.host / RESERVE_PART;
        let first = part / (peer.create + create);
        let firsts = if first < FIRST_MIN { Reserve::default() } else { Reserve { firsts: part, first, levels: 0 } };
        Reserve { levels: part, ..firsts }
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
