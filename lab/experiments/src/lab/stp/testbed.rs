//! The lines of the paper's measurements, and who is on them.

use core::time::Duration;

use tng_queue::{Limit, QueueConfig};
use tng_sim::{Link, Loss};
use tng_stp_host::Cap;

use crate::lab::Context;
use crate::peers::contest::{Contest, Party, Transport};
use crate::peers::guests::{Guest, GuestRun, Ran};

/// Packets that a router's queue holds: Dummynet's own number.
pub const QUEUE: usize = 50;

/// A line and what it loses.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name on the page.
    pub name: String,
    /// Bits per second.
    pub rate_bps: u64,
    /// Both ways together.
    pub rtt: Duration,
    /// In the direction of the data.
    pub loss: Loss,
}

impl Line {
    /// A line that loses this share of packets, each by itself.
    pub fn new(name: &str, rate_bps: u64, rtt_ms: u64, loss: f64) -> Line {
        let loss = if loss > 0.0 { Loss::Independent(loss) } else { Loss::None };
        Line { name: name.to_owned(), rate_bps, rtt: Duration::from_millis(rtt_ms), loss }
    }

    /// With a round trip of packets in its queue, or [`QUEUE`] if that is more.
    pub fn link(&self) -> Link {
        let packets = self.rate_bps as f64 * self.rtt.as_secs_f64() / 8.0 / 1_500.0;
        let queue = QueueConfig::DropTail(Limit::Packets(QUEUE.max(packets.ceil() as usize)));
        Link::new().rate(self.rate_bps).delay(self.rtt / 2).queue(queue)
    }

    /// These, on it.
    pub fn contest(&self, seed: u64, parties: Vec<Party>) -> Contest {
        // What leaves a sender is shaken by a packet's time, so that nobody is in step with the queue.
        let jitter = Duration::from_nanos(1_500 * 8 * 1_000_000_000 / self.rate_bps);
        Contest { seed, bottleneck: self.link(), loss: self.loss.clone(), jitter, parties }
    }
}

/// The paper's WAN 1, 2 and 3 (5.6).
pub fn wans() -> [Line; 3] {
    [
        Line::new("WAN 1", 2_000_000, 100, 0.005),
        Line::new("WAN 2", 5_000_000, 50, 0.005),
        Line::new("WAN 3", 25_000_000, 50, 0.0),
    ]
}

/// A guest, run in some way.
pub const fn guest(guest: Guest, ran: Ran, cap: Cap) -> Transport {
    Transport::Stp(GuestRun { guest, ran, cap })
}

/// The cap that a parameter names.
pub fn cap(context: &Context<'_>) -> Cap {
    context.word("cap").parse().expect("the parameter has the names of caps")
}

/// Bits per second in each of so many seconds, of one who is alone on the line.
pub fn seconds(context: &Context<'_>, line: &Line, seed: u64, transport: Transport, of: Times) -> Vec<f64> {
    seconds_of(context, line.contest(seed, vec![Party::new(transport, "newreno")]), of).swap_remove(0)
}

/// What is left out, and what is measured.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Left out at the beginning.
    pub settle: Duration,
    /// Measured behind it.
    pub measured: Duration,
}

impl Times {
    /// Those of the parameters `settle` and `time`.
    pub fn of(context: &Context<'_>) -> Times {
        Times { settle: context.time("settle"), measured: context.time("time") }
    }
}

/// Bits per second of each party in each second.
pub fn seconds_of(context: &Context<'_>, contest: Contest, of: Times) -> Vec<Vec<f64>> {
    let parties = contest.parties.len();
    let mut arena = context.world(contest).begin();
    arena.run_until(of.settle);
    let (mut before, mut rates) = (arena.bytes(), vec![Vec::new(); parties]);
    for second in 1..=of.measured.as_secs().max(1) {
        arena.run_until(of.settle + Duration::from_secs(second));
        let after = arena.bytes();
        for (party, rates) in rates.iter_mut().enumerate() {
            rates.push((after[party] - before[party]) as f64 * 8.0);
        }
        before = after;
    }
    rates
}

/// The mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Standard deviation by mean, in per cent.
pub fn variation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len().max(1) as f64;
    variance.sqrt() * 100.0 / mean
}

/// In Mbit/s.
pub fn mbit(bps: f64) -> String {
    format!("{:.2} Mbit/s", bps / 1e6)
}
