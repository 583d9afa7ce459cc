//! How many requests are lost on their way, as far as a client can tell.
//!
//! A request that is lost is answered with nothing; of a response that is lost the other packet mostly comes. With a
//! share p of lost responses two that are released together are both lost in p^2 of cases; what is missing beyond is
//! taken for lost requests. Where responses are lost in runs too many are, and each costs a small datagram.

/// If so many requests are lost they go out twice: the second is burnt by the server if the first has come.
const TWICE_ABOVE: f64 = 1.0 / 100.0;
/// Below that share they go out once again.
const ONCE_BELOW: f64 = 1.0 / 400.0;
/// One in so many goes out once all the same: the estimate is made of what went out once.
const ONCE_PER: u32 = 8;
/// After two servers have answered one, so many go out once: something between may have changed since.
const ONCE_FOR: u32 = 1_000;
/// Requests that the estimate reaches back.
const REMEMBERED: f64 = 300.0;
/// As many are seen before it is believed.
const SEEN_MIN: u32 = 200;

/// An estimate out of the requests of late.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReverseLoss {
    /// Share of requests whose packets were all lost, smoothed.
    all: f64,
    /// Share of packets that were lost of the other requests, smoothed.
    packets: f64,
    seen: u32,
    is_twice: bool,
    turn: u32,
    /// Two servers have answered one request: what goes out twice is answered twice, and costs more than it saves. So
    /// many more go out once.
    once_for: u32,
}

impl ReverseLoss {
    /// Of the packets that a request released so many were lost, which went out once.
    pub(super) fn note(&mut self, released: u64, lost: u64) {
        if released < 2 {
            return;
        }
        self.seen = self.seen.saturating_add(1);
        let weight = self.weight();
        let is_all = lost >= released;
        self.all += (f64::from(u8::from(is_all)) - self.all) * weight;
        if !is_all {
            self.packets += (lost as f64 / released as f64 - self.packets) * weight;
        }
        self.decide();
    }

    /// A request that was noted as lost has been answered after all.
    pub(super) fn was_late(&mut self) {
        self.all = (self.all - self.weight()).max(0.0);
        self.decide();
    }

    fn weight(&self) -> f64 {
        (1.0 / f64::from(self.seen.max(1))).max(1.0 / REMEMBERED)
    }

    fn decide(&mut self) {
        let above = if self.is_twice { ONCE_BELOW } else { TWICE_ABOVE };
        self.is_twice = self.seen > SEEN_MIN && self.share() > above;
    }

    /// The share of requests that is lost.
    pub(super) fn share(&self) -> f64 {
        (self.all - self.packets * self.packets).max(0.0)
    }

    /// Two servers have answered a request that went out twice: between them and the client something spreads
    /// datagrams, and they do not know of each other what is spent.
    pub(super) const fn answered_twice(&mut self) {
        self.once_for = ONCE_FOR;
    }

    /// Whether the next request is to go out twice.
    pub(super) const fn next_is_twice(&mut self) -> bool {
        self.turn = (self.turn + 1) % ONCE_PER;
        self.once_for = self.once_for.saturating_sub(1);
        self.is_twice && self.once_for == 0 && self.turn != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tng_base::Rng;

    /// Runs requests for pairs over paths that lose so much; answers how many go out twice.
    fn run(forward: f64, reverse: f64) -> f64 {
        let (mut estimate, mut rng, mut twice) = (ReverseLoss::default(), Rng::from_u64(4), 0);
        for _ in 0..20_000 {
            if estimate.next_is_twice() {
                twice += 1;
                continue;
            }
            let is_lost = rng.chance(reverse);
            let lost = if is_lost { 2 } else { (0..2).filter(|_| rng.chance(forward)).count() as u64 };
            estimate.note(2, lost);
        }
        f64::from(twice) / 20_000.0
    }

    #[test]
    fn after_two_servers_have_answered_one_request_a_thousand_go_out_once() {
        let mut estimate = ReverseLoss::default();
        (0..300).for_each(|_| estimate.note(2, 2));
        let twice = |estimate: &mut ReverseLoss| (0..1_000).filter(|_| estimate.next_is_twice()).count();
        assert_eq!(twice(&mut estimate), 875);
        estimate.answered_twice();
        assert!(twice(&mut estimate) <= 1);
        assert_eq!(twice(&mut estimate), 875, "it is tried again");
    }

    #[test]
    fn requests_whose_answers_come_after_all_do_not_go_out_twice() {
        let twice = |late: bool| {
            let mut estimate = ReverseLoss::default();
            for at in 0..2_000 {
                estimate.note(2, if at % 4 == 0 { 2 } else { 0 });
                if late && at % 4 == 2 {
                    estimate.was_late();
                }
            }
            (0..100).filter(|_| estimate.next_is_twice()).count()
        };
        assert_eq!(twice(true), 0);
        assert!(twice(false) > 80, "control");
    }

    #[test]
    fn lost_requests_are_told_from_lost_responses() {
        for forward in [0.0, 0.01, 0.03] {
            let none = run(forward, 0.0);
            assert!(none < 0.1, "no request is lost, {forward} of responses: twice in {none}");
            let some = run(forward, 0.1);
            assert!(some > 0.8, "one in ten is lost, {forward} of responses: twice in {some}");
        }
    }
}
