//! Who gives way when the budget is used up.

use core::cmp::Reverse;
use core::time::Duration;

use tng_base::Instant;

use super::{GivesWay, Host};
use crate::ConnectionId;
use crate::connection::Connection;
use crate::residents::is_quiet;
use crate::semantics::Semantics;

/// Bytes stand still if none was taken for this long, by their reader here or by the peer.
pub const STUCK_AFTER: Duration = Duration::from_secs(5);

/// While memory is scarce it is looked so often for who does nothing with it.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Hosts that share the budget have so long to say which of their connections would give way, once there is too much.
pub(super) const ASKED_FOR: Duration = Duration::from_millis(50);

/// Who finds no room asks again within this time, and is answered by what the others have said then.
const ROOM_ASKED_FOR: Duration = Duration::from_secs(5);

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

/// Bits for what the peer of a connection holds, below its standing.
const HELD_BITS: u32 = 56;

impl Standing {
    /// Where it has its turn, among those of all hosts; half-open entries are before all.
    const fn place(self) -> u64 {
        (1 + self as u64) << HELD_BITS
    }
}

impl GivesWay {
    /// From here on they are in use.
    pub(super) const IN_USE: GivesWay = GivesWay(Standing::Busy.place());
}

/// How it stands, what its peer and itself hold, and which it is.
type FirstToGo = (Standing, Reverse<(u64, u64)>, ConnectionId);

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
        match self.wide.config.ids.is_shared() {
            false => while self.budget.is_exceeded() && self.gives_way(now, Standing::Busy, false) {},
            true => self.relieve_with_siblings(now),
        }
        if self.budget.is_scarce() && now >= self.look_again_at {
            self.look_again_at = now + LOOK_EVERY;
            self.gives_way(now, Standing::StandsStill, true);
        }
    }

    /// If hosts together hold too much, that one gives way which would if they were one host: they tell each other
    /// which of theirs that would be. One that does not say so in time is left out.
    fn relieve_with_siblings(&mut self, now: Instant) {
        let wanted = self.siblings.elsewhere.wants_room && !self.budget.has_room();
        let pressed = wanted || self.budget.is_exceeded();
        if !pressed {
            (self.siblings.relief.since, self.siblings.relief.again_at) = (None, None);
        }
        if !pressed && !self.budget.is_scarce() {
            self.siblings.relief.gives_way = GivesWay::NOBODY;
            return;
        }
        if now >= self.siblings.relief.look_at {
            self.look_who_gives_way(now);
            self.siblings.relief.look_at = now + LOOK_EVERY;
            self.siblings.relief.call(now);
        }
        if !pressed {
            return;
        }
        let since = *self.siblings.relief.since.get_or_insert(now);
        if now < since + ASKED_FOR {
            self.siblings.relief.call(now);
            self.siblings.relief.again_at = Some(since + ASKED_FOR);
            return;
        }
        loop {
            let (own, exceeded) = (self.siblings.relief.gives_way, self.budget.is_exceeded());
            let may = exceeded && own != GivesWay::NOBODY || wanted && !self.budget.has_room() && own.is_idle();
            if !may {
                break;
            }
            if own > self.siblings.elsewhere.gives_way {
                self.siblings.relief.call(now);
                break;
            }
            if !self.gives_way(now, if exceeded { Standing::Busy } else { Standing::StandsStill }, false) {
                break;
            }
            self.look_who_gives_way(now);
        }
        self.siblings.relief.again_at = self.budget.is_exceeded().then_some(now + LOOK_EVERY);
    }

    /// There is no room here for a newcomer. Whether another host may make some: then it is to come again.
    pub(super) fn asks_siblings_for_room(&mut self, now: Instant) -> bool {
        if !self.wide.config.ids.is_shared() {
            return false;
        }
        let asked = self.siblings.relief.wants_room_at.is_some_and(|at| now.since(at) < ROOM_ASKED_FOR);
        if asked && !self.siblings.elsewhere.gives_way.is_idle() {
            return false;
        }
        self.siblings.relief.wants_room_at = Some(now);
        self.siblings.relief.call(now);
        true
    }

    /// Finds out which of this host's connections would give way.
    fn look_who_gives_way(&mut self, now: Instant) {
        let half_open = self.half_open.oldest(false).map(|_| GivesWay(0));
        self.siblings.relief.gives_way = half_open.unwrap_or_else(|| {
            // Who holds no more than its part of the budget keeps what is in use.
            let part = self.budget.has_its_part(self.wide.config.ids.of());
            let last = if part { Standing::Busy } else { Standing::StandsStill };
            let ids = self.residents.next_to_look_at();
            let Some((standing, Reverse((held, _)), _)) = self.first_to_go(now, &ids, last, false) else {
                return GivesWay::NOBODY;
            };
            let most = (1 << HELD_BITS) - 1;
            GivesWay(standing.place() | (most - held.min(most)))
        });
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
        let ids = self.residents.look_at();
        let Some((.., id)) = self.first_to_go(now, &ids, last, much) else { return false };
        // Where nobody else would have to give way, a newcomer has the time of a round trip to be heard of.
        if !self.oldest_half_open_gives_way(now, true) {
            self.crowd_out(now, id, SHORT);
            self.empty(id);
        }
        true
    }

    /// Of these, the one that gives way first, how it stands, and what its peer and itself hold.
    fn first_to_go(&self, now: Instant, ids: &[ConnectionId], last: Standing, much: bool) -> Option<FirstToGo> {
        let candidates = ids.iter().filter_map(|id| {
            let connection = self.connections.get(*id).filter(|connection| connection.is_settled())?;
            let standing = Some(standing(now, connection)).filter(|standing| *standing <= last)?;
            if much && !self.budget.is_much(&connection.charge) {
                return None;
            }
            let held = (self.budget.held_by_peer(&connection.charge), connection.charge.bytes());
            Some((standing, Reverse(held), *id))
        });
        candidates.min()
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
