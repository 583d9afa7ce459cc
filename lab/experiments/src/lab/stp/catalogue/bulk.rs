//! Scenarios in which a transfer goes on without end, or has one.

use core::time::Duration;

use tng_queue::{Limit, QueueConfig, ThresholdConfig};
use tng_sim::{Link, Loss};

use super::{Bench, speaks};
use crate::lab::RunError;
use crate::peers::contest::{Contest, Party, Transport};
use crate::peers::guests::Guest;

/// A line, and what it does to packets.
#[derive(Clone, Debug)]
pub(super) struct Bulk {
    /// Bits per second.
    pub(super) rate_bps: u64,
    /// Both ways together.
    pub(super) rtt_ms: u64,
    /// Packets that wait.
    pub(super) queue: usize,
    /// What comes when so many wait already is marked.
    pub(super) marks_at: Option<usize>,
    /// In the direction of the data.
    pub(super) loss: Loss,
    /// A share of packets comes so many milliseconds late.
    pub(super) late: Option<(f64, u64)>,
    /// It stands still for so many milliseconds, as often.
    pub(super) stands: Option<(u64, u64)>,
    /// Measured, seconds.
    pub(super) secs: u64,
}

/// Left out at the beginning.
const SETTLE: Duration = Duration::from_secs(5);
/// No transfer takes longer.
const PATIENCE: Duration = Duration::from_secs(600);

impl Bulk {
    /// A line that loses nothing, with a round trip of packets in its queue and 20 more.
    pub(super) fn new(rate_bps: u64, rtt_ms: u64) -> Bulk {
        let queue = 20 + (rate_bps * rtt_ms / 1_000 / 8 / 1_500) as usize;
        Bulk { rate_bps, rtt_ms, queue, marks_at: None, loss: Loss::None, late: None, stands: None, secs: 40 }
    }

    fn contest(&self, seed: u64, parties: Vec<Party>) -> Contest {
        let queue = match self.marks_at {
            None => QueueConfig::DropTail(Limit::Packets(self.queue)),
            Some(mark_packets) => QueueConfig::Threshold(ThresholdConfig { mark_packets, limit_packets: self.queue }),
        };
        let link = Link::new().rate(self.rate_bps).delay(Duration::from_millis(self.rtt_ms) / 2).queue(queue);
        let bottleneck = match self.late {
            None => link,
            Some((share, ms)) => link.reorder(share, Duration::from_millis(ms)),
        };
        let jitter = Duration::from_nanos(1_500 * 8 * 1_000_000_000 / self.rate_bps);
        Contest { seed, bottleneck, loss: self.loss.clone(), jitter, parties }
    }

    /// Bits per second of each of these.
    pub(super) fn rates(&self, bench: &Bench<'_>, seed: u64, parties: Vec<Party>) -> Vec<f64> {
        let to = SETTLE + Duration::from_secs(self.secs);
        let mut arena = bench.context.world(self.contest(seed, parties)).begin();
        if let Some((every, for_ms)) = self.stands {
            for time in (1..).map(|number| Duration::from_millis(number * every)).take_while(|time| *time < to) {
                arena.hold(time, time + Duration::from_millis(for_ms));
            }
        }
        arena.run_until(SETTLE);
        let before = arena.bytes();
        arena.run_until(to);
        let rates = arena.bytes().into_iter().zip(before);
        rates.map(|(after, before)| (after - before) as f64 * 8.0 / self.secs as f64).collect()
    }

    /// Mbit/s of one that is alone.
    pub(super) fn rate(&self, bench: &Bench<'_>, speaks: Transport) -> Result<f64, RunError> {
        bench.mean(|seed| Ok(self.rates(bench, seed, vec![Party::new(speaks, "newreno")])[0] / 1e6))
    }

    /// Mbit/s of a guest that is alone.
    pub(super) fn of(&self, bench: &Bench<'_>, guest: Guest) -> Result<f64, RunError> {
        self.rate(bench, speaks(guest))
    }

    /// Seconds that a transfer takes.
    pub(super) fn takes(&self, bench: &Bench<'_>, guest: Guest, bytes: u64) -> Result<f64, RunError> {
        bench.mean(|seed| {
            let party = Party { bytes: Some(bytes), ..Party::new(speaks(guest), "newreno") };
            let mut arena = bench.context.world(self.contest(seed, vec![party])).begin();
            let took = arena.finish(PATIENCE).map_err(RunError::broken)?;
            Ok(took.as_secs_f64())
        })
    }

    /// Mbit/s that a flow of the reference TCP has beside a guest.
    pub(super) fn beside(&self, bench: &Bench<'_>, guest: Guest) -> Result<f64, RunError> {
        bench.mean(|seed| {
            let parties = vec![Party::new(Transport::Tcp, "newreno"), Party::new(speaks(guest), "newreno")];
            Ok(self.rates(bench, seed, parties)[0] / 1e6)
        })
    }

    /// Standard deviation of the rate by its mean, in samples of half a second, of a guest that is alone.
    pub(super) fn varies(&self, bench: &Bench<'_>, guest: Guest) -> Result<f64, RunError> {
        const SAMPLE: Duration = Duration::from_millis(500);
        bench.mean(|seed| {
            let contest = self.contest(seed, vec![Party::new(speaks(guest), "newreno")]);
            let mut arena = bench.context.world(contest).begin();
            let mut at = 2 * SETTLE;
            arena.run_until(at);
            let (mut before, mut samples) = (arena.bytes()[0], Vec::new());
            for _ in 0..2 * self.secs {
                at += SAMPLE;
                arena.run_until(at);
                let after = arena.bytes()[0];
                samples.push((after - before) as f64);
                before = after;
            }
            Ok(super::super::testbed::variation(&samples))
        })
    }
}
