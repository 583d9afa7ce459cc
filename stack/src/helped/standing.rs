//! What a channel is to its connection, and how it gives way to another.

use core::time::Duration;

use tng_base::{ChannelKey, Instant};

use crate::CloseCause;

/// Longest time for which a channel that has given way to another is used on, and then for which it is heard.
pub const RETIRES_MAX: Duration = Duration::from_secs(3);

/// The same of one by a carrier, as far as it is used on: what it holds has waited in TCP, and its window says nothing.
pub const CARRIED_RETIRES_MAX: Duration = Duration::from_secs(1);

/// Round trips in which a channel finds its pace: a slow start doubles in each.
const OVERLAP_ROUNDS: u32 = 16;

/// Probe timeouts after which nothing more is expected on it.
const HEARD_PTOS: u32 = 3;

/// What a channel is to its connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// It carries the streams, or is to.
    Carries,
    /// It carries probes alone, until it is needed.
    StandsBy,
    /// Another has taken its place: it still takes what is on its way. In a box, since hardly any does.
    Retires(Box<Retires>),
}

/// Of a channel whose place another has taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Retires {
    /// It gets nothing new once that is over.
    pub overlap: Option<Overlap>,
    pub since: Instant,
    pub cause: CloseCause,
}

/// A channel gives way bit by bit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Overlap {
    /// To which.
    pub by: ChannelKey,
    /// How it filled the path before.
    before: Filling,
    /// How long at most.
    until: Instant,
}

/// How a channel gives way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaves {
    /// It is used on until this one, which takes its place, has found its pace.
    Overlapped(ChannelKey),
    /// It gets nothing new, and what is on its way may still arrive.
    Drained,
    /// What is on its way goes by others.
    AtOnce,
}

/// How a channel fills its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Filling {
    /// Of its flow, which leads to the first helper if there is one, in bytes.
    pub window: u64,
    /// Bytes on the way there.
    pub in_flight: u64,
    /// Packets on the way to the other end: beyond the first helper a path begins slowly, too.
    pub under_way: u64,
}

/// How far one channel has given way to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Share {
    /// It may send.
    Sends,
    /// The two together fill the path: it waits.
    Waits,
    /// The other has nearly found its pace, or has had the time for it: it gets nothing new.
    Done,
}

impl Overlap {
    /// A channel that fills a path like this, of such a round trip, gives way to another.
    pub(crate) fn new(now: Instant, by: ChannelKey, own: Filling, rtt: Duration) -> Overlap {
        Overlap { by, before: own, until: now + (rtt * OVERLAP_ROUNDS).min(RETIRES_MAX) }
    }

    /// The same, of one by a carrier.
    pub(crate) fn carried(self, now: Instant) -> Overlap {
        Overlap { until: self.until.min(now + CARRIED_RETIRES_MAX), ..self }
    }

    /// What is left for the channel that gives way: the two together are to fill the path as before, and not to fill it
    /// twice.
    pub(crate) fn share(&self, now: Instant, by: Filling, own: Filling) -> Share {
        let Filling { window, under_way, .. } = self.before;
        // What is last of a window comes slowly where two share a queue.
        if self.until <= now || by.window * 4 >= window * 3 && by.under_way >= under_way {
            Share::Done
        } else if by.in_flight + own.in_flight >= window {
            Share::Waits
        } else {
            Share::Sends
        }
    }
}

impl Standing {
    /// When a channel that gives way has sent enough, or else has been heard long enough: what is on its way may still
    /// arrive, and the other end may not have found its pace.
    pub(crate) fn retires_until(&self, last_received: Instant, pto: Duration) -> Option<Instant> {
        let Standing::Retires(retires) = self else { return None };
        let Retires { overlap, since, .. } = &**retires;
        let heard_until = last_received.max(*since) + pto * HEARD_PTOS;
        Some(overlap.as_ref().map_or(heard_until.min(*since + RETIRES_MAX * 2), |overlap| overlap.until))
    }

    /// For what a channel gives way, if it does.
    pub(crate) fn gives_way_for(&self) -> Option<&CloseCause> {
        match self {
            Standing::Retires(retires) => Some(&retires.cause),
            Standing::Carries | Standing::StandsBy => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Filling = Filling { window: 100, in_flight: 60, under_way: 8 };

    fn at_ms(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    #[test]
    fn a_channel_that_gives_way_and_the_one_in_its_place_fill_the_path_together_and_not_twice() {
        let overlap = Overlap::new(at_ms(0), ChannelKey(2), WHOLE, Duration::from_millis(100));
        let share =
            |in_flight, window, under_way| overlap.share(at_ms(10), Filling { window, in_flight, under_way }, WHOLE);
        assert_eq!(share(39, 74, 8), Share::Sends);
        assert_eq!(share(40, 74, 8), Share::Waits);
        assert_eq!(share(0, 75, 8), Share::Done, "the other has found its pace");
        assert_eq!(share(0, 75, 7), Share::Sends, "not beyond the first helper");
        let late = Filling { window: 10, ..Filling::default() };
        assert_eq!(overlap.share(at_ms(1_599), late, WHOLE), Share::Sends);
        assert_eq!(overlap.share(at_ms(1_600), late, WHOLE), Share::Done);
        let overlap = Overlap::new(at_ms(0), ChannelKey(2), WHOLE, Duration::from_secs(1));
        assert_eq!(overlap.share(at_ms(3_000), late, WHOLE), Share::Done, "however far it is");
        let carried = overlap.carried(at_ms(0));
        assert_eq!([999, 1_000].map(|ms| carried.share(at_ms(ms), late, WHOLE)), [Share::Sends, Share::Done]);
    }

    #[test]
    fn a_channel_that_gets_nothing_new_is_heard_for_three_probe_timeouts_and_for_six_seconds_at_most() {
        let cause = CloseCause::Replaced;
        let retires =
            |overlap| Standing::Retires(Box::new(Retires { overlap, since: at_ms(1_000), cause: cause.clone() }));
        let until = |received: u64, pto: u64| {
            retires(None).retires_until(at_ms(received), Duration::from_millis(pto)).map(|at| at.since(Instant::ZERO))
        };
        assert_eq!(until(0, 100), Some(Duration::from_millis(1_300)));
        assert_eq!(until(2_000, 100), Some(Duration::from_millis(2_300)));
        assert_eq!(until(6_900, 100), Some(Duration::from_millis(7_000)));
        let overlapped = retires(Some(Overlap::new(at_ms(1_000), ChannelKey(2), WHOLE, Duration::from_secs(1))));
        assert_eq!(overlapped.retires_until(at_ms(1_000), Duration::from_millis(100)), Some(at_ms(4_000)));
        assert_eq!(Standing::Carries.retires_until(at_ms(0), Duration::ZERO), None);
    }
}
