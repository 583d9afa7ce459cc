//! What a browser asks for when.

use core::ops::Range;
use core::time::Duration;
use std::collections::VecDeque;

use crate::scenario::FlowProtocol;

/// A page that is looked at: its requests are streams, and the first tells of the others.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    /// The host that asks, and over what.
    pub(crate) opener: (usize, FlowProtocol),
    waiting: VecDeque<usize>,
    under_way: usize,
    at_once: usize,
    /// The first request of the next page, and how long after this one it is made.
    next: Option<(usize, Duration)>,
}

impl Visit {
    /// A page whose first request will be made. Of the others so many are under way `at_once`, at least one.
    pub(crate) fn new(
        opener: (usize, FlowProtocol),
        requests: &Range<usize>,
        at_once: usize,
        next: Option<(usize, Duration)>,
    ) -> Visit {
        Visit { opener, waiting: requests.clone().skip(1).collect(), under_way: 1, at_once, next }
    }

    /// One of its requests is over: those that are made then, each so much later.
    pub(crate) fn settle_one(&mut self) -> Vec<(usize, Duration)> {
        self.under_way -= 1;
        let count = (self.at_once - self.under_way).min(self.waiting.len());
        self.under_way += count;
        let next = if self.under_way == 0 { self.next.take() } else { None };
        self.waiting.drain(..count).map(|request| (request, Duration::ZERO)).chain(next).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_request_tells_of_the_others_and_the_last_answer_of_the_next_page() {
        let second = Duration::from_secs(1);
        let mut visit = Visit::new((0, FlowProtocol::TCP), &(10..15), 3, Some((20, second)));
        let starts: Vec<Vec<usize>> =
            (0..5).map(|_| visit.settle_one().iter().map(|(request, _)| *request).collect()).collect();
        assert_eq!(starts, [vec![11, 12, 13], vec![14], vec![], vec![], vec![20]]);
    }
}
