//! How old a continuation is, and what it is good for by that.

use core::time::Duration;

use crate::continuation::Issuer;
use crate::{Stamp, Wall};

/// A continuation is as good as this is long; a client that has none younger asks for a timeout.
pub const AGE_MAX: Duration = Duration::from_secs(10);

/// Clocks of two servers differ by no more than this. What is stamped later than that ahead is refused.
pub const SKEW_MAX: Duration = Duration::from_secs(5);

/// Names of servers in whose place one stands that it remembers: those that gave out lately what it takes.
pub const PREDECESSORS_MAX: usize = 4;

/// What a continuation is good for, by the time at which it was given out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Age {
    /// It may be spent.
    Fresh,
    /// It may have been spent before this server started: it is good for a timeout.
    BeforeStart,
    /// It is older than the age limit: it is good for a timeout.
    Old,
    /// It is stamped further ahead than clocks differ: it is good for nothing.
    Future,
}

/// What a server judges the age of continuations by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Horizon {
    /// The name that it gives continuations out under. It was drawn when the server started.
    pub own: Issuer,
    /// The names of those in whose place it stands, which have handed over what they knew.
    pub predecessors: [Option<Issuer>; PREDECESSORS_MAX],
    /// When it started, by its clock; or the first of those in whose place it stands.
    pub started: Wall,
    /// How long a continuation is good.
    pub age_max: Duration,
    /// How much clocks of servers differ.
    pub skew_max: Duration,
}

impl Horizon {
    /// That of a server that starts as `own`: [`AGE_MAX`] and [`SKEW_MAX`].
    pub const fn new(own: Issuer, started: Wall) -> Horizon {
        Horizon { own, predecessors: [None; PREDECESSORS_MAX], started, age_max: AGE_MAX, skew_max: SKEW_MAX }
    }

    /// What a continuation is good for that `issuer` gave out at `issued`. This is the one place that says so.
    ///
    /// A server accepts what the clock of another has stamped for as long as the skew before that time. So what others
    /// stamped within the skew after the start may have been spent before it; what it gave out itself cannot, nor what
    /// its predecessors did.
    pub fn judge(&self, now: Wall, issuer: Issuer, issued: Stamp) -> Age {
        let issued = issued.near(now);
        if issued > now.after(self.skew_max) {
            Age::Future
        } else if now > issued.after(self.age_max) {
            Age::Old
        } else if !self.is_own(issuer) && issued < self.started.after(self.skew_max) {
            Age::BeforeStart
        } else {
            Age::Fresh
        }
    }

    fn is_own(&self, issuer: Issuer) -> bool {
        issuer == self.own || self.predecessors.contains(&Some(issuer))
    }

    /// Whether a timeout may be granted that was asked for at `asked`, as far as its client knows the servers' clock:
    /// by the stamp of what it was given last, and the time since. So it is behind by a round trip at least.
    pub fn is_timely(&self, now: Wall, asked: Stamp) -> bool {
        let asked = asked.near(now);
        asked <= now.after(self.skew_max) && now <= asked.after(self.age_max)
    }

    /// How long a filter remembers what was spent: from the skew before it was given out to its age limit.
    pub const fn remembered(&self) -> Duration {
        self.age_max.saturating_add(self.skew_max)
    }

    /// How long a client is held to what it has told of a line: three age limits and the skew.
    ///
    /// When a loss `L` is told, all numbers below it have been released. So a packet that is not spent yet releases
    /// none below `L`: it may be spent for an age limit more, and what it releases for another. That tells of `L`, and
    /// may contradict. It may also be a packet of the window of the loss that was told lost; what it releases lies
    /// behind that window and names another heir, for a third age limit. All that comes of that has tags that know the
    /// whole story. The skew counts once: the stamp of the first and the clock of the last server differ by it,
    /// whatever clocks are between.
    pub const fn held_to_story(&self) -> Duration {
        self.age_max.saturating_mul(3).saturating_add(self.skew_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Issuer = Issuer(1);
    const OTHER: Issuer = Issuer(2);

    fn at(ms: u64) -> Wall {
        Wall::from_millis(1_790_000_000_000 + ms)
    }

    #[test]
    fn a_continuation_is_old_after_the_age_limit_and_of_the_future_beyond_the_skew_to_the_millisecond() {
        let horizon = Horizon::new(OWN, at(0));
        let judge = |now, issued| horizon.judge(at(now), OTHER, Stamp::of(at(issued)));
        assert_eq!(judge(60_000, 60_000), Age::Fresh);
        assert_eq!([judge(60_000, 50_000), judge(60_000, 49_999)], [Age::Fresh, Age::Old]);
        assert_eq!([judge(60_000, 65_000), judge(60_000, 65_001)], [Age::Fresh, Age::Future]);
        assert_eq!(judge(60_000, 60_000 + 3_600_000), Age::Future);
        let strict = Horizon { skew_max: Duration::ZERO, age_max: Duration::from_secs(1), ..horizon };
        assert_eq!(strict.judge(at(60_000), OTHER, Stamp::of(at(60_001))), Age::Future);
        assert_eq!(strict.judge(at(60_000), OTHER, Stamp::of(at(58_999))), Age::Old);
    }

    #[test]
    fn what_others_gave_out_before_a_server_started_may_have_been_spent_and_what_it_gave_out_itself_was_not() {
        let horizon = Horizon::new(OWN, at(10_000));
        let judge = |issuer, issued| horizon.judge(at(12_000), issuer, Stamp::of(at(issued)));
        // Another server's clock is ahead: it was spent here, by this server's clock, before the start.
        assert_eq!(judge(OTHER, 14_999), Age::BeforeStart);
        assert_eq!(judge(OTHER, 15_000), Age::Fresh);
        assert_eq!(judge(OWN, 10_000), Age::Fresh);
        let heir = Horizon { own: Issuer(3), predecessors: [Some(OWN), None, None, None], ..horizon };
        let judge = |issuer| heir.judge(at(12_000), issuer, Stamp::of(at(10_000)));
        assert_eq!([judge(Issuer(3)), judge(OWN), judge(OTHER)], [Age::Fresh, Age::Fresh, Age::BeforeStart]);
    }

    #[test]
    fn what_a_filter_remembers_is_good_no_longer() {
        let horizon = Horizon::new(OWN, at(0));
        let issued = Stamp::of(at(105_000));
        let times = (0..300_000).filter(|now| horizon.judge(at(*now), OTHER, issued) == Age::Fresh);
        let (first, last) = times.fold((u64::MAX, 0), |(first, last), now| (first.min(now), last.max(now)));
        assert_eq!(Duration::from_millis(last - first), horizon.remembered());
    }
}
