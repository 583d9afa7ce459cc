//! What BBR is doing, and when it does something else.

use core::time::Duration;

use tng_base::Instant;

use crate::MAX_WINDOW;
use crate::integers::nanos;

use super::model::FullBandwidth;
use super::{BBR_PROBE_RTT_TIME, BBR_PROBE_WAIT_MIN, BBR_PROBE_WAIT_SPREAD, BBR_RENO_ROUNDS_MAX, Bbr, Sample};

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Twice as much each round, until the bandwidth no longer grows, or too much is lost.
    Startup,
    /// The queue that this has left empties.
    Drain {
        /// The round in which that began.
        since: u64,
    },
    /// A cycle between sending a little less, as much as, and a little more than the bandwidth.
    ProbeBw(Cycle),
    /// The queues are emptied to see the round trip without them.
    ProbeRtt {
        /// When that was long enough, if they are empty.
        until: Option<Instant>,
        /// A round trip has passed with empty queues.
        round_done: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cycle {
    pub(super) step: Step,
    /// When the last probe ended.
    pub(super) since: Instant,
    /// Time from then to the next probe.
    pub(super) wait: Duration,
    /// The round in which it ended.
    pub(super) round: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Sends less, to empty what the probe has left in queues.
    Down,
    /// Sends as much as the bandwidth, leaving room for others.
    Cruise {
        /// The round in which that began.
        round: u64,
    },
    /// Fills the pipe before a probe, without the short-term bounds.
    Refill,
    /// Sends more than the bandwidth.
    Up {
        /// Rounds of it: the bound of what may be in flight rises faster with each.
        rounds: u32,
        /// Bytes acknowledged at the bound since it was raised last.
        acked: u64,
    },
}

/// Which packets the acknowledgments coming in are for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Echo {
    /// Packets that left before a probe, or long after.
    Other,
    /// A probe began; packets from before it still come in.
    Starting,
    /// Packets of the probe.
    Probe,
    /// The probe is over; packets of it still come in.
    Stopping,
}

impl Bbr {
    /// Whether what is acknowledged now left while cruising.
    pub(super) fn is_cruising(&self) -> bool {
        let Phase::ProbeBw(Cycle { step: Step::Cruise { round }, .. }) = self.phase else { return false };
        self.rounds.count > round + 1
    }

    /// Gains in percent: of the pacing rate to the bandwidth, of the window to the product of bandwidth and round trip.
    pub(super) fn gains(&self) -> (u64, u64) {
        match self.phase {
            Phase::Startup => (277, 200),
            Phase::Drain { .. } => (50, 200),
            Phase::ProbeRtt { .. } => (100, 50),
            Phase::ProbeBw(cycle) => match cycle.step {
                Step::Down => (90, 200),
                Step::Cruise { .. } | Step::Refill => (100, 200),
                Step::Up { .. } => (125, 225),
            },
        }
    }

    /// What comes back from a probe of the bandwidth changes the long-term bound, and after a careful one that went
    /// well another begins at once, which is answered.
    pub(super) fn adapt(&mut self, sample: &Sample) -> bool {
        if sample.round_begins {
            match self.echo {
                Echo::Starting => self.echo = Echo::Probe,
                Echo::Stopping => {
                    if matches!(self.phase, Phase::ProbeBw(_)) && !sample.limited {
                        self.bandwidth.advance();
                    }
                    (self.echo, self.probing) = (Echo::Other, false);
                    if self.careful
                        && !self.too_high
                        && let Phase::ProbeBw(cycle) = self.phase
                    {
                        self.start_refill(cycle);
                        return true;
                    }
                }
                Echo::Other | Echo::Probe => {}
            }
        }
        let too_much = self.is_too_much(sample.lost_since, sample.in_flight_then);
        if too_much && self.probing {
            self.handle_too_high(sample.now, sample.in_flight_then, sample.limited);
        } else if !too_much && let Some(hi) = self.bounds.inflight_hi {
            self.bounds.inflight_hi = Some(hi.max(sample.in_flight_then));
            self.raise(sample);
        }
        false
    }

    /// A probe goes well at its bound: more may be in flight, twice as much more in each round.
    fn raise(&mut self, sample: &Sample) {
        let (packet, window) = (self.packet(), self.window);
        let (Phase::ProbeBw(Cycle { step: Step::Up { rounds, acked }, .. }), Some(hi)) =
            (&mut self.phase, &mut self.bounds.inflight_hi)
        else {
            return;
        };
        if sample.window_full && window >= *hi {
            *acked = acked.saturating_add(sample.acked);
            let for_a_packet = (window >> *rounds).max(packet);
            let packets = *acked / for_a_packet;
            *acked %= for_a_packet;
            *hi = hi.saturating_add(packets.saturating_mul(packet)).min(MAX_WINDOW);
        }
        if sample.round_begins {
            *rounds = (*rounds + 1).min(30);
        }
    }

    /// So much in flight was too much for the path.
    pub(super) fn handle_too_high(&mut self, now: Instant, in_flight: u64, limited: bool) {
        (self.probing, self.too_high) = (false, true);
        if !limited {
            let usual = self.carried(self.bandwidth(), 100).min(self.window);
            self.bounds.handle_too_high(in_flight, usual);
        }
        if let Phase::ProbeBw(Cycle { step: Step::Up { .. }, .. }) = self.phase {
            self.start_down(now);
        }
    }

    /// The next step of the cycle, if it is time.
    pub(super) fn step(&mut self, sample: &Sample) {
        let Phase::ProbeBw(cycle) = self.phase else { return };
        let now = sample.now;
        match cycle.step {
            Step::Down | Step::Cruise { .. } if self.is_probe_due(now, &cycle) => self.start_refill(cycle),
            Step::Down => {
                let calm = self.with_headroom().is_none_or(|headroom| sample.in_flight <= headroom);
                if calm && sample.in_flight <= self.in_flight_for(self.bandwidth.get(), 100) {
                    self.phase = Phase::ProbeBw(Cycle { step: Step::Cruise { round: self.rounds.count }, ..cycle });
                }
            }
            Step::Cruise { .. } => {}
            Step::Refill => {
                if sample.round_begins {
                    self.probing = true;
                    self.echo = Echo::Starting;
                    self.rounds.restart(sample.delivered_now);
                    self.full.restart(sample.rate);
                    self.phase = Phase::ProbeBw(Cycle { step: Step::Up { rounds: 0, acked: 0 }, ..cycle });
                }
            }
            Step::Up { .. } => {
                // A window is never quite full, and less so after an acknowledgment.
                let most = sample.in_flight.saturating_add(sample.acked).saturating_add(self.packet());
                if self.too_high && self.bounds.inflight_hi.is_some_and(|hi| most > hi) {
                    (self.too_high, self.careful) = (false, true);
                    self.start_down(now);
                } else if sample.window_full && self.bounds.inflight_hi.is_some_and(|hi| self.window >= hi) {
                    // The bound, and not the path, keeps the bandwidth from growing.
                    self.full.restart(sample.rate);
                } else if self.full.now {
                    self.too_high = false;
                    self.start_down(now);
                }
            }
        }
    }

    fn is_probe_due(&self, now: Instant, cycle: &Cycle) -> bool {
        let pipe = self.carried(self.bandwidth(), 100).min(self.window) / self.packet();
        now.since(cycle.since) >= cycle.wait || self.rounds.count - cycle.round >= pipe.min(BBR_RENO_ROUNDS_MAX)
    }

    fn start_refill(&mut self, cycle: Cycle) {
        self.bounds.forget_short_term();
        self.careful = false;
        if let Some(episode) = &mut self.episode {
            episode.undo = None;
        }
        self.probing = false;
        self.rounds.restart(self.delivered);
        self.phase = Phase::ProbeBw(Cycle { step: Step::Refill, ..cycle });
    }

    pub(super) fn start_down(&mut self, now: Instant) {
        self.probes += 1;
        self.echo = Echo::Stopping;
        self.arrived.forget();
        let dice = hash(now.as_nanos() ^ self.probes.rotate_left(32));
        let spread = Duration::from_nanos(dice % nanos(BBR_PROBE_WAIT_SPREAD));
        // A round more or less, for the same reason.
        let round = self.rounds.count.saturating_sub(dice >> 63);
        let wait = BBR_PROBE_WAIT_MIN + spread;
        self.phase = Phase::ProbeBw(Cycle { step: Step::Down, since: now, wait, round });
    }

    /// Looks for a lesser round trip when it is time, and ends that.
    pub(super) fn probe_rtt(&mut self, due: bool, sample: &Sample) {
        if due && !self.idle_restart && !matches!(self.phase, Phase::ProbeRtt { .. }) {
            self.phase = Phase::ProbeRtt { until: None, round_done: false };
            self.held = Some((sample.now, sample.now));
            self.echo = Echo::Stopping;
            self.rounds.restart(sample.delivered_now);
        }
        let allowed = self.probe_rtt_window();
        let Phase::ProbeRtt { until, round_done } = &mut self.phase else { return };
        self.held = self.held.map(|(since, _)| (since, sample.now));
        match until {
            None if sample.in_flight <= allowed => {
                (*until, *round_done) = (Some(sample.now + BBR_PROBE_RTT_TIME), false);
                self.rounds.restart(sample.delivered_now);
            }
            None => {}
            Some(end) => {
                *round_done |= sample.round_begins;
                if *round_done && sample.now >= *end {
                    self.end_probe_rtt(sample.now);
                }
            }
        }
    }

    /// Losses have ended what was being done, by mistake: does it again.
    pub(super) fn resume(&mut self, before: Phase) {
        match (before, self.phase) {
            (Phase::Startup, phase) if self.full.reached => {
                self.full = FullBandwidth::default();
                (self.echo, self.probing) = (Echo::Other, false);
                // A probe of the round trip goes on, and the start after it.
                if !matches!(phase, Phase::ProbeRtt { .. }) {
                    self.phase = Phase::Startup;
                }
            }
            (
                Phase::ProbeBw(cycle @ Cycle { step: Step::Up { .. }, .. }),
                Phase::ProbeBw(Cycle { step: Step::Down, .. }),
            ) => {
                self.echo = Echo::Other;
                self.start_refill(cycle);
            }
            _ => {}
        }
    }

    pub(super) fn probe_rtt_window(&self) -> u64 {
        self.carried(self.bandwidth(), 50).max(self.least())
    }

    pub(super) fn end_probe_rtt(&mut self, now: Instant) {
        self.min_rtt.handle_probed(now);
        self.bounds.forget_short_term();
        self.phase = Phase::Startup;
        if self.full.reached {
            self.start_down(now);
            if let Phase::ProbeBw(cycle) = &mut self.phase {
                cycle.step = Step::Cruise { round: self.rounds.count };
            }
        }
    }
}

/// Spreads a number over all 64 bits (the finishing steps of splitmix64).
fn hash(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
