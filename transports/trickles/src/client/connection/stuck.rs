//! What a connection does that has nothing to spend: it asks for a timeout, and is given up in the end.

use tng_base::{Instant, Transmit};

use super::{Connection, Context, SECRET_AGE_MAX, transmit};
use crate::client::book::Asking;
use crate::client::objects::Objects;
use crate::client::sent::Request;
use crate::client::timeouts::{TIMEOUTS_UNANSWERED_MAX, TIMEOUTS_UNANSWERED_OLD_MAX};
use crate::wire::{Denial, Kind};
use crate::{Continuation, INITIAL_WINDOW, count_for_window, release_after_timeout, window_after_timeout};

/// Why nothing is spent before there is another line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stuck {
    /// A server does not take what there is.
    Denied,
    /// What came cannot be told, or a server has no room to remember what is lost of it.
    Untold,
    /// The set-up was lost at first.
    SetUpLost,
}

impl Stuck {
    /// A server has denied what was asked for, and there is nothing else to ask with.
    const fn denied(denial: Denial) -> Stuck {
        match denial {
            Denial::Untold => Stuck::Untold,
            Denial::Old | Denial::BeforeStart | Denial::Untimely => Stuck::Denied,
        }
    }

    /// Whether that says nothing of the path. If a loss is told with it, it does: the server takes it for one, too.
    const fn is_of_no_loss(self, tells_loss: bool) -> bool {
        matches!(self, Stuck::Denied) && !tells_loss
    }
}

impl Connection {
    /// A server does not grant that request.
    pub(super) fn denied(&mut self, now: Instant, count: u32, denial: Denial, objects: &mut Objects) {
        if denial == Denial::Untimely {
            // A clock was set, or this host has slept: now the time is known.
            (self.stuck, self.timeouts.is_wanted) = (Some(Stuck::denied(denial)), false);
        } else if let Some(request) = self.sent.get_mut(count).filter(|request| request.strand == self.strand) {
            self.book.denied(now, &request.release, request.server);
            // What is still under way may come to another server, or have a younger continuation.
            self.sent.deny(count, |asked| objects.over(asked));
            if !self.sent.is_waiting() && self.book.spendable().is_none() {
                self.stuck = Some(Stuck::denied(denial));
            }
        }
    }

    /// The client is somewhere else: its continuations are good where it was.
    pub(in crate::client) fn moved(&mut self) {
        self.timeouts.moved();
        self.rtt.forget();
    }

    /// Whether servers do not answer any more, or there is nothing that could be asked with.
    pub(in crate::client) fn is_lost(&self, now: Instant) -> bool {
        // A server that renews no secrets, or none for who was idle for long, may have erased the keys.
        let is_secret_old = now >= self.renew_at + SECRET_AGE_MAX;
        let most = if is_secret_old { TIMEOUTS_UNANSWERED_OLD_MAX } else { TIMEOUTS_UNANSWERED_MAX };
        let are_silent = self.timeouts.are_in_vain(now, most, self.awaited());
        are_silent || self.count > u32::MAX - 16 || !self.book.has_continuation()
    }

    /// Whether nothing can be asked for but a timeout.
    pub(super) fn needs_line(&self, now: Instant, wants: bool) -> bool {
        self.stuck.is_some() || self.timeouts.has_moved || wants && self.book.is_stale(now)
    }

    /// Asks for a timeout: what is under way counts as lost.
    pub(super) fn time_out(&mut self, buf: &mut [u8], context: &mut Context<'_>) -> Option<Transmit> {
        let now = context.now;
        if self.timeouts.next_at().is_some_and(|at| now < at) {
            return None;
        }
        self.sent.give_up(|asked| context.objects.over(asked));
        context.objects.wants(now);
        let held = self.book.prove_newest(&mut self.proof)?;
        let (server, to) = context.replicas.next(now);
        // Another server may see it elsewhere, and so may all if it has moved, which nobody may have told it.
        let (place, told_by) = self.place;
        let has_moved = self.timeouts.has_moved;
        let moved_from = (has_moved || self.timeouts.unanswered > 0 || to != told_by).then_some(place);
        let least = count_for_window(self.restart_window(now, &held.continuation));
        let count = self.timeouts.take(now, context.replicas.count() as u32, least);
        let release = release_after_timeout(&held.continuation, window_after_timeout(count), held.continuation.tag);
        let packets = if has_moved { 1 } else { release.numbers.end - release.numbers.start };
        let capacity = self.capacity(packets, &held, false, context);
        let asking = Asking { request: self.count, server, sent: now };
        let mut request = Request::new(asking, self.secret.epoch, &held.continuation, release);
        self.strands += 1;
        request.strand = self.strands;
        // Times of servers are known from what they gave out, and from what they say of their clock.
        let (clock, at) =
            self.clock.filter(|(_, at)| *at >= held.since).unwrap_or((held.continuation.issued, held.since));
        let kind = Kind::Timeout { count, asked: clock.after(now.since(at)), moved_from };
        let len = self.write(buf, (&held, kind), &mut request, context, |objects, writer, asked| {
            objects.write(now, writer, capacity, None, asked);
        })?;
        self.sent.push(request);
        self.sent.forget(now);
        self.solving = None;
        self.again = 0;
        context.stats.timeouts += 1;
        self.keep(buf, len, to);
        Some(transmit(to, len))
    }

    /// The window that a line may begin with, in packets, which a timeout begins with that continuation.
    fn restart_window(&self, now: Instant, newest: &Continuation) -> u64 {
        let window = newest.root.growth.window(*newest.numbers().end());
        match self.stuck {
            // The path is another, or no packet was lost on it.
            _ if self.timeouts.has_moved => INITIAL_WINDOW,
            Some(stuck) if stuck.is_of_no_loss(!self.proof.lost().is_empty()) => INITIAL_WINDOW,
            Some(Stuck::SetUpLost) => 1,
            // Who was idle goes on with what it had (RFC 5681, section 4.1).
            None if self.book.is_stale(now) => window,
            // All that a connection began with is lost: so may be a set-up.
            _ if newest.is_seed() => 1,
            _ => window / 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_says_nothing_of_the_path_unless_losses_are_told() {
        for denial in [Denial::Old, Denial::BeforeStart, Denial::Untimely] {
            assert_eq!([false, true].map(|tells| Stuck::denied(denial).is_of_no_loss(tells)), [true, false]);
        }
        assert_eq!([false, true].map(|tells| Stuck::denied(Denial::Untold).is_of_no_loss(tells)), [false; 2]);
    }
}
