//! Flows that take the same way under different regulation, one after the other, and what came of each over time.

use core::time::Duration;

use tng_middlebox::QUEUE_BYTES_MAX;
use tng_queue::{Limit, QueueConfig};

use crate::lab::{Curve, RunError};
use crate::page::Series;
use crate::peers::helped::{Delay, Direction, Party, Post, Run};

/// How the way is regulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Contender {
    /// In legends and tables.
    pub(super) name: &'static str,
    /// Controllers of the section with the client and of the one with the server; of a path without sections the
    /// client's and the server's.
    pub(super) near: &'static str,
    pub(super) far: &'static str,
    /// Whether a helper joins two sections.
    pub(super) split: bool,
    /// Whether its queues are drop-tail, as in the paper, instead of what the controllers that feed them expect.
    pub(super) drop_tail: bool,
    /// Whether its client, whose host is under what governs the rest, asks the helper for the controller of its section
    /// in its order, instead of both being told by their owners.
    pub(super) asks: bool,
}

impl Contender {
    /// A controller from end to end.
    pub(super) const fn whole(name: &'static str) -> Contender {
        Contender { name, near: name, far: name, split: false, drop_tail: false, asks: false }
    }

    /// One for the section with the client, one for the rest.
    pub(super) const fn split(near: &'static str, far: &'static str) -> Contender {
        Contender { name: SPLIT, near, far, split: true, drop_tail: false, asks: false }
    }

    /// The same with the paper's queue between them.
    pub(super) const fn drop_tail(near: &'static str, far: &'static str) -> Contender {
        Contender { name: DROP_TAIL, drop_tail: true, ..Contender::split(near, far) }
    }

    /// The same, with its client asking for what governs its section.
    pub(super) const fn asking(self) -> Contender {
        Contender { asks: true, ..self }
    }

    /// The helper that it needs, at router 1.
    pub(super) fn helper(self) -> Option<Post> {
        let post = || match Post::at(1).elsewhere(self.far) {
            post if self.asks => post.offering(0, self.near),
            post => post.toward(0, self.near),
        };
        // What waits is bounded by time, whatever the discipline.
        let drop_tail = QueueConfig::DropTail(Limit::Bytes(QUEUE_BYTES_MAX));
        self.split.then(|| if self.drop_tail { post().discipline(&drop_tail) } else { post() })
    }

    /// Its endless transfer between routers 0 and 2, by way of helper 0 if it is split.
    pub(super) fn party(self, direction: Direction) -> Party {
        let via: &[usize] = if self.split { &[0] } else { &[] };
        let party = |client| Party::tng(self.name, (0, 2), direction, [client, self.far]).via(via).ping(PING_EVERY);
        if self.asks { party(self.far).wishing(self.near) } else { party(self.near) }
    }
}

pub(super) const NEWRENO: &str = "newreno";
pub(super) const VEGAS: &str = "vegas";
pub(super) const BBR: &str = "bbr";
/// What a split one is called.
pub(super) const SPLIT: &str = "split";
/// The same with a drop-tail queue.
pub(super) const DROP_TAIL: &str = "split, drop-tail";

/// How often the delay is measured.
const PING_EVERY: Duration = Duration::from_millis(100);

/// What came of a contender.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Measured {
    pub(super) name: &'static str,
    /// What its receiver read.
    pub(super) curve: Curve,
    /// When each ping was sent, and how long it was under way there and back, seconds.
    pub(super) round_trips: Vec<(f64, f64)>,
    /// Pings that brought no echo.
    pub(super) unanswered: u64,
    /// Channels that were lost: each loss is a bypass or a return to the helper.
    pub(super) paths_lost: usize,
    /// Steps at whose end it led by way of the helper, percent.
    pub(super) helped_percent: f64,
}

impl Measured {
    /// What came of the first party of a run.
    ///
    /// # Errors
    /// If it failed.
    pub(super) fn of(name: &'static str, run: &Run) -> Result<Measured, RunError> {
        let tally = run.tally(0);
        if let Some(reason) = tally.failure {
            return Err(RunError::broken(format_args!("{name}: {reason}")));
        }
        let seconds =
            |delay: &Delay| (delay.sent_at.since(tng_base::Instant::ZERO).as_secs_f64(), delay.took.as_secs_f64());
        let mut round_trips: Vec<(f64, f64)> = tally.round_trip.iter().map(seconds).collect();
        round_trips.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Measured {
            name,
            curve: run.curve(0),
            unanswered: tally.pings - round_trips.len() as u64,
            round_trips,
            paths_lost: tally.paths_lost().count(),
            helped_percent: run.helped_percent(0),
        })
    }

    /// Bits per second in a span of time.
    pub(super) fn rate_bps(&self, (from_s, to_s): (f64, f64)) -> f64 {
        self.curve.sum(from_s, to_s) as f64 * 8.0 / (to_s - from_s)
    }

    /// Mean round trip of what was sent in a span of time, seconds; not a number if nothing was.
    pub(super) fn delay_s(&self, (from_s, to_s): (f64, f64)) -> f64 {
        let within = self.round_trips.iter().filter(|(at_s, _)| (from_s..to_s).contains(at_s)).map(|(_, took)| *took);
        let (sum, count) = within.fold((0.0, 0), |(sum, count), took| (sum + took, count + 1));
        sum / f64::from(count)
    }

    /// Mean round trips by step, milliseconds.
    pub(super) fn delays_ms(&self) -> Vec<f64> {
        let step_s = self.curve.step_s;
        (0..self.curve.bytes.len())
            .map(|step| self.delay_s((step as f64 * step_s, (step + 1) as f64 * step_s)) * 1e3)
            .collect()
    }

    /// The same for a page.
    pub(super) fn delay_series(&self) -> Series {
        let points = self.delays_ms().into_iter().enumerate();
        Series::steps(self.name, points.map(|(step, ms)| (step as f64 * self.curve.step_s, ms)).collect())
    }
}
