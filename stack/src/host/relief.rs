//! Who gives way when the budget is used up.

use core::cmp::Reverse;
use core::time::Duration;

use tng_base::Instant;

use super::Host;
use crate::ConnectionId;
use crate::connection::Connection;
use crate::residents::is_quiet;
use crate::semantics::Semantics;

/// Bytes of which none was taken for this long, by their reader here or by the peer, stand still.
pub const STUCK_AFTER: Duration = Duration::from_secs(5);

/// While memory is scarce it is looked so often for who does nothing with it.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What a peer is told whose memory is somebody else's.
const SHORT: &str = "this host is short of memory";

/// Who gives way, the first first. Those that this host has asked for itself never do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Standing {
    /// It has no channel: its streams are kept for when it comes back.
    Detached,
    /// Its peer does not answer, or has no stream and nothing to say.
    LeftAlone,
    /// It holds bytes, and nobody has taken one of them for a while.
    StandsStill,
    /// All others.
    Busy,
}

fn standing(now: Instant, connection: &Connection) -> Standing {
    let still = connection.stands_still_since().is_some_and(|since| now.since(since) >= STUCK_AFTER);
    if connection.detached_since().is_some() {
        Standing::Detached
    } else if is_quiet(now, connection) {
        Standing::LeftAlone
    } else if still {
        Standing::StandsStill
    } else {
        Standing::Busy
    }
}

impl Host {
    /// Takes note of what a connection holds, and tells its streams what more they may.
    pub(super) fn settle(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(id) {
            connection.settle(&mut self.budget);
        }
    }

    /// Gives connections up until what is held is within the budget again; and before, while little is left, those that
    /// hold much and do nothing with it, one at a time, and before these what has not shown its address.
    pub(super) fn relieve(&mut self, now: Instant) {
        // If all together hold too much, it is for those to give something up that hold their part.
        let of = self.wide.config.ids.of();
        while self.budget.is_exceeded() && self.budget.has_its_part(of) && self.gives_way(now, Standing::Busy, false) {}
        if self.budget.is_scarce() && now >= self.look_again_at {
            self.look_again_at = now + LOOK_EVERY;
            self.gives_way(now, Standing::StandsStill, true);
        }
    }

    /// Whether there is room for one more connection, and be it in the place of others that do nothing. What is made
    /// for it fits, too: it counts for no more than its [first window](crate::budget::Budget::first_window).
    pub(super) fn makes_memory(&mut self, now: Instant) -> bool {
        while !self.budget.has_room() {
            if !self.gives_way(now, Standing::StandsStill, false) {
                return false;
            }
        }
        true
    }

    /// Has one give way, of those that stand like `last` or before it: what is not confirmed first, and the oldest of
    /// it; then of a standing the one whose peer holds most. If `much`, only what holds more than is guaranteed, and in
    /// its place what has not even shown its address. Answers whether there was one.
    fn gives_way(&mut self, now: Instant, last: Standing, much: bool) -> bool {
        if !much && self.oldest_half_open_gives_way(now, false) {
            return true;
        }
        let candidates = self.residents.look_at().into_iter().filter_map(|id| {
            let connection = self.connections.get(id).filter(|connection| connection.is_settled())?;
            let standing = Some(standing(now, connection)).filter(|standing| *standing <= last)?;
            if much && !self.budget.is_much(&connection.charge) {
                return None;
            }
            let held = (self.budget.held_by_peer(&connection.charge), connection.charge.bytes());
            Some((standing, Reverse(held), id))
        });
        let Some((.., id)) = candidates.min() else { return false };
        // Where nobody else would have to give way, a newcomer has the time of a round trip to be heard of.
        if !self.oldest_half_open_gives_way(now, true) {
            self.crowd_out(now, id, SHORT);
            self.empty(id);
        }
        true
    }

    /// Answers whether there was one; if `unshown`, one that has not shown its address.
    fn oldest_half_open_gives_way(&mut self, now: Instant, unshown: bool) -> bool {
        let Some((known_as, id)) = self.half_open.oldest(unshown) else { return false };
        self.forsake(now, known_as);
        self.empty(id);
        true
    }

    /// What has arrived for a connection that is over is thrown away.
    fn empty(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(id).filter(|connection| !connection.is_settled()) {
            connection.semantics = Semantics::Gone;
        }
        self.settle(id);
    }
}
