//! The round-trip time to servers as the client measures it, and what follows from it.

use core::time::Duration;

/// The shortest time after which a client that hears nothing asks for a timeout. RFC 6298 says a second, for receivers
/// that wait up to half of one before they acknowledge; a server answers at once, so this is what Linux takes.
pub const RTO_MIN: Duration = Duration::from_millis(200);
/// The longest (RFC 6298, section 2.5).
pub const RTO_MAX: Duration = Duration::from_secs(60);
/// The same before anything was measured (RFC 6298, section 2.1).
pub const RTO_FIRST: Duration = Duration::from_secs(1);

/// An estimate after RFC 6298.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundTrip(Option<Measured>);

#[derive(Clone, Copy, Debug)]
struct Measured {
    smoothed: Duration,
    variance: Duration,
    least: Duration,
}

impl RoundTrip {
    /// A request has been answered after that time.
    pub(super) fn sample(&mut self, time: Duration) {
        self.0 = Some(match self.0 {
            None => Measured { smoothed: time, variance: time / 2, least: time },
            Some(Measured { smoothed, variance, least }) => Measured {
                variance: (3 * variance + smoothed.abs_diff(time)) / 4,
                smoothed: (7 * smoothed + time) / 8,
                least: least.min(time),
            },
        });
    }

    /// Smoothed.
    pub(super) fn smoothed(&self) -> Option<Duration> {
        self.0.map(|measured| measured.smoothed)
    }

    /// The shortest that was measured.
    pub(super) fn least(&self) -> Option<Duration> {
        self.0.map(|measured| measured.least)
    }

    /// After how long without an answer all that is under way counts as lost.
    pub(super) fn timeout(&self) -> Duration {
        self.most().map_or(RTO_FIRST, |most| most.clamp(RTO_MIN, RTO_MAX))
    }

    /// After how long without an answer the tail is probed (RFC 8985, section 7.2).
    pub(super) fn probe(&self) -> Duration {
        self.0.map_or(RTO_FIRST, |measured| (2 * measured.smoothed).min(self.timeout()))
    }

    /// No answer but a few takes longer than that.
    pub(super) fn most(&self) -> Option<Duration> {
        self.0.map(|measured| measured.smoothed + 4 * measured.variance)
    }
}

/// The round trips to all servers that are asked, and to each of them.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundTrips {
    all: RoundTrip,
    each: Vec<RoundTrip>,
}

impl RoundTrips {
    /// That server has answered a request after that time.
    pub(super) fn sample(&mut self, server: u16, time: Duration) {
        let at = usize::from(server);
        if self.each.len() <= at {
            self.each.resize(at + 1, RoundTrip::default());
        }
        self.each[at].sample(time);
        self.all.sample(time);
    }

    /// As if all were one.
    pub(super) const fn all(&self) -> &RoundTrip {
        &self.all
    }

    /// To that server; what is known of others, if it has not answered yet.
    pub(super) fn to(&self, server: u16) -> &RoundTrip {
        self.each.get(usize::from(server)).filter(|rtt| rtt.0.is_some()).unwrap_or(&self.all)
    }

    /// The path is another: nothing that was measured says anything.
    pub(super) fn forget(&mut self) {
        *self = RoundTrips::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timeout_follows_the_spread_of_what_was_measured_and_is_never_short() {
        let mut rtt = RoundTrip::default();
        assert_eq!((rtt.timeout(), rtt.probe()), (RTO_FIRST, RTO_FIRST));
        rtt.sample(Duration::from_millis(100));
        assert_eq!((rtt.timeout(), rtt.probe()), (Duration::from_millis(300), Duration::from_millis(200)));
        (0..100).for_each(|_| rtt.sample(Duration::from_millis(100)));
        assert_eq!((rtt.timeout(), rtt.probe()), (RTO_MIN, Duration::from_millis(200)));
        (0..100).for_each(|at| rtt.sample(Duration::from_millis(50 + 100 * (at % 2))));
        assert!(rtt.timeout() > Duration::from_millis(250));
        assert_eq!(rtt.least(), Some(Duration::from_millis(50)));
        rtt.sample(Duration::from_secs(1_000));
        assert_eq!(rtt.timeout(), RTO_MAX);
    }

    #[test]
    fn each_server_has_a_round_trip_of_its_own_and_one_that_has_not_answered_that_of_the_others() {
        let mut rtt = RoundTrips::default();
        assert_eq!(rtt.to(3).smoothed(), None);
        for (server, ms) in [(0, 10), (2, 50)] {
            (0..100).for_each(|_| rtt.sample(server, Duration::from_millis(ms)));
        }
        let smoothed = [0, 2].map(|server| rtt.to(server).smoothed().unwrap().as_millis());
        assert_eq!(smoothed, [10, 50]);
        assert_eq!([1, 7].map(|server| rtt.to(server).least()), [rtt.all().least(); 2]);
        rtt.forget();
        assert_eq!((rtt.to(0).smoothed(), rtt.all().smoothed()), (None, None));
    }
}
