//! One transfer, alone on the emulator, as experiments measure it beside a [`Contest`](crate::peers::contest::Contest);
//! or two that share it.

use core::time::Duration;

use tng_emulator::transfer::{Amount, Span, Transfer, TransferFigures};
use tng_emulator::{Names, Network, NetworkError, Topology};
use tng_sim::{DropCause, LaneStats, Link, Loss};

use crate::lab::RunError;
use crate::peers::transport::tell;
use crate::real::{self, Real};
use crate::settings::{Configured, Settings};

/// Steps of a transfer's series: what is left out and what is measured are so many of them, to the nearest.
const STEP: Duration = Duration::from_millis(10);

/// A transfer from one host to another over a link of their own. Its lots are those that the bottleneck of a contest
/// with the same seed draws: in both worlds the same packets are lost, by their numbers.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Trial {
    pub(crate) seed: u64,
    pub(crate) link: Link,
    /// In the direction of the data.
    pub(crate) loss: Loss,
    pub(crate) real: Real,
    pub(crate) controller: String,
}

impl Configured for Trial {
    fn tell(&self, settings: &mut Settings) {
        let Trial { seed: _, link, loss, real, controller } = self;
        tell::link(settings, "link, with the data", &link.clone().loss(loss.clone()));
        tell::link(settings, "link, against the data", link);
        real.tell(settings, controller);
    }
}

/// Two transfers from one host to another at once, over one link.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Duel {
    pub(crate) seed: u64,
    pub(crate) link: Link,
    pub(crate) sides: [Side; 2],
}

/// One of the two.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Side {
    pub(crate) real: Real,
    pub(crate) controller: String,
    /// When it begins.
    pub(crate) start: Duration,
}

impl Configured for Duel {
    fn tell(&self, settings: &mut Settings) {
        let Duel { seed: _, link, sides } = self;
        tell::link(settings, "link, both ways", link);
        sides.iter().for_each(|Side { real, controller, start: _ }| real.tell(settings, controller));
    }
}

/// Networks on which a transfer is tried, at most. Of one that is disturbed nothing counts.
const NETWORKS_MAX: u64 = 3;

/// What became of one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Pace {
    /// Bits per second that were read.
    pub(crate) rate_bps: f64,
    /// By how much the worst hundredth of the packets left the emulator late, microseconds.
    pub(crate) late_p99_us: f64,
    /// Transfers before it that do not count.
    pub(crate) disturbed: u64,
    /// Of the packets with data, those for which the queue had no room, per cent; from the start on.
    pub(crate) dropped: f64,
}

impl Duel {
    /// The pace of each over `time`, after `settle` is over.
    ///
    /// # Errors
    /// As those of [`Trial::pace`].
    pub(crate) fn paces(&self, settle: Duration, time: Duration) -> Result<[Pace; 2], RunError> {
        let transfers = self.sides.clone().map(|Side { real, controller, start }| {
            let controller = Some(controller);
            (real, Transfer { from: 0, to: 1, controller, start, amount: Amount::Forever })
        });
        let topology = Topology::pair(self.seed, &self.link);
        let (figures, pace) = undisturbed(&topology, &transfers, settle + time)?;
        let [a, b] = &figures[..] else { return Err(RunError::broken("no figures")) };
        Ok([a, b].map(|figures| Pace { rate_bps: rate_bps(figures, settle, time), ..pace }))
    }
}

impl Trial {
    /// The pace over `time`, after `settle` is over.
    ///
    /// # Errors
    /// If there can be no networks here, or none that loses only what its link loses, or the transfer fails.
    pub(crate) fn pace(&self, settle: Duration, time: Duration) -> Result<Pace, RunError> {
        let (figures, pace) = self.transfer(Amount::Forever, settle + time)?;
        Ok(Pace { rate_bps: rate_bps(&figures, settle, time), ..pace })
    }

    /// Seconds from before the handshake until so many bytes have been read, and a curve of them in megabytes.
    ///
    /// # Errors
    /// As those of [`pace`](Trial::pace), and if `limit` does not suffice.
    pub(crate) fn completion(&self, bytes: u64, limit: Duration) -> Result<(f64, Vec<(f64, f64)>), RunError> {
        let (figures, _) = self.transfer(Amount::Bytes(bytes), limit)?;
        let late = || RunError::broken(format_args!("{} of {bytes} bytes within {limit:?}", figures.bytes));
        let took_s = figures.completion_s.ok_or_else(late)?;
        let mut sum = 0;
        let curve = (1..).zip(&figures.bytes_per_interval).map(|(step, bytes)| {
            sum += bytes;
            ((STEP * step).as_secs_f64(), sum as f64 / 1e6)
        });
        Ok((took_s, [(0.0, 0.0)].into_iter().chain(curve.step_by(10)).collect()))
    }

    fn transfer(&self, amount: Amount, limit: Duration) -> Result<(TransferFigures, Pace), RunError> {
        let mut topology = Topology::pair(self.seed, &self.link);
        topology.links[0].forth.loss = self.loss.clone();
        let controller = Some(self.controller.clone());
        let transfer = Transfer { from: 0, to: 1, controller, start: Duration::ZERO, amount };
        let (figures, pace) = undisturbed(&topology, &[(self.real, transfer)], limit)?;
        let figures = figures.into_iter().next().ok_or_else(|| RunError::broken("no figures"))?;
        Ok((figures.clone(), Pace { rate_bps: figures.goodput_bps, ..pace }))
    }
}

/// Bits per second over `time`, after `settle` is over.
fn rate_bps(figures: &TransferFigures, settle: Duration, time: Duration) -> f64 {
    let steps = |span: Duration| (span.as_nanos() / STEP.as_nanos()) as usize;
    let (first, count) = (steps(settle), steps(time));
    let bytes: u64 = figures.bytes_per_interval.iter().skip(first).take(count).sum();
    bytes as f64 * 8.0 / (STEP * count.max(1) as u32).as_secs_f64()
}

/// A network of its own.
///
/// # Errors
/// If there can be none here.
pub(crate) fn network(topology: &Topology) -> Result<Network, RunError> {
    Network::start(topology, &Names::Private).map_err(|error| match error {
        NetworkError::NotRoot => RunError::Denied(error.to_string()),
        error => RunError::Environment {
            problem: error.to_string(),
            remedy: "on Linux with /dev/net/tun and iproute2; without --real most experiments need neither".to_owned(),
        },
    })
}

/// The transfers on networks of their own, one after the other, until one loses nothing but what its link is to lose;
/// what came of each, and what the link did, as the pace of all but for the rate.
fn undisturbed(
    topology: &Topology,
    transfers: &[(Real, Transfer)],
    limit: Duration,
) -> Result<(Vec<TransferFigures>, Pace), RunError> {
    let mut missed = 0;
    for disturbed in 0..NETWORKS_MAX {
        let network = network(topology)?;
        let figures = real::run(&network, transfers, Span { limit, interval: STEP }).map_err(RunError::broken)?;
        if let Some(why) = figures.iter().find_map(|figures| figures.failure.as_ref()) {
            return Err(RunError::broken(why));
        }
        let lanes = network.figures();
        missed = network.unseen().iter().sum::<u64>() + lanes.iter().map(|lane| lane.refused).sum::<u64>();
        if missed == 0 {
            let late_us = lanes.iter().map(|lane| lane.lateness.percentiles().p99_us);
            let late_p99_us = late_us.fold(0.0, f64::max);
            let of = |stats: &LaneStats| stats.dropped_for(DropCause::Queue) as f64 / stats.offered.max(1) as f64;
            let dropped = lanes.first().map_or(0.0, |forth| 100.0 * of(&forth.stats));
            return Ok((figures, Pace { rate_bps: 0.0, late_p99_us, disturbed, dropped }));
        }
    }
    Err(RunError::Environment {
        problem: format!(
            "this machine lost {missed} packets on their way to or from the emulator, and some before in the same \
             transfer"
        ),
        remedy: "again, on a machine that does nothing else".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_told_of_real_hosts_what_it_is_told_of_simulated_ones_defaults_and_all() {
        let told = |real: Real| {
            let (link, loss, controller) = (Link::new(), Loss::None, "cubic".to_owned());
            let settings = Settings::of(&Trial { seed: 1, link, loss, real, controller });
            settings.lines().iter().map(|line| line.join(" ")).collect::<Vec<_>>().join("\n")
        };
        for (real, words) in [
            (
                Real::TNG,
                &[
                    "tng in real time kind: tng; auto_accept: false; controller: cubic; pacing: true",
                    "danger_weak: false",
                ][..],
            ),
            (Real::TNG_WEAK, &["danger_weak: true", "tng by default", "memory_max"]),
            (Real::QUIC, &["kind: QUIC; controller: Cubic; streams_max: 1000", "QUIC by default"]),
            (Real::KERNEL_TCP, &["kind: the kernel's TCP; controller: cubic; everything else: as the kernel has it"]),
        ] {
            let told = told(real);
            words.iter().for_each(|words| assert!(told.contains(words), "{words} of {real:?}:\n{told}"));
        }
    }
}
