//! When to leave a helped path, and when to come back (ARCHITECTURE section 5; docs/splitting.md, "Judged by use").

use core::mem;
use core::time::Duration;

use tng_base::Instant;
use tng_channel::PTO_MAX;

use crate::Sign;

/// Probe timeouts, from end to end, for which nothing is acknowledged until a path counts as silent, where so little is
/// lost that [`SILENT_TRIALS_FEW`] suffice. Elsewhere it is as many as trials: what a section sends again comes late.
pub const SILENT_PTOS: u32 = 3;

/// Trials of a path that loses no more than a queue that overflows now and then.
pub const SILENT_TRIALS_FEW: u32 = 5;

/// Trials that a path must have failed meanwhile, the last one a probe timeout ago, where hardly anything is lost: a
/// trial is a packet that asks for acknowledgment, [`TRIAL_APART`] after the one before.
pub const SILENT_TRIALS_MIN: u32 = 3;

/// The same where much is lost.
pub const SILENT_TRIALS_MAX: u32 = 10;

/// Share of packets that a path is taken to lose before it is known, in percent, as if seen over [`LOSS_ASSUMED_OVER`].
pub const LOSS_PERCENT_ASSUMED: u64 = 5;

/// Packets over which that is assumed.
pub const LOSS_ASSUMED_OVER: u64 = 50;

/// Packets of a round trip that count toward what a path loses, at most.
const LOSS_COUNTED: u64 = 30;

/// Of so many packets one that is lost counts in a round trip, and one of fewer: where a queue overflows more are lost
/// in one round trip than in all others.
const LOSS_ONE_OF: u64 = 20;

/// Packets nearer to each other than this may share an acknowledgment, and are lost with it.
pub const TRIAL_APART: Duration = Duration::from_millis(25);

/// An honest path fails all trials of a silence as rarely as this: so many are asked for.
pub const SILENT_BY_CHANCE: f64 = 1e-6;

/// How long nothing moves behind the first helper, which says that it holds packets, until a path counts as blocked.
pub const BLOCKED_FOR: Duration = Duration::from_secs(2);

/// How often the alternative is asked for a sign of life while the helped path is in use.
pub const SAMPLED_EVERY: Duration = Duration::from_secs(1);

/// How often while there is a doubt.
pub const DOUBTED_EVERY: Duration = Duration::from_millis(100);

/// How long a helped path is in use before an alternative is set up beside it: a short exchange pays for none.
pub const STANDS_BY_AFTER: Duration = Duration::from_secs(1);

/// How long delays are compared before they count once.
pub const DELAY_PERIOD: Duration = Duration::from_secs(5);

/// Acknowledgments that such a period has at least.
pub const DELAY_SAMPLES: u32 = 10;

/// By how much the smallest round trip of a period exceeds twice the alternative's in a path that is too slow.
pub const DELAY_MORE: Duration = Duration::from_millis(50);

/// A path that the other end leaves counts as silent if nothing has come by it for so long, or for two round trips if
/// that is longer; else it has done harm.
pub const QUIET_LEFT: Duration = Duration::from_millis(200);

/// Share of packets that a path may lose, in percent: one that loses this is not left for it.
pub const LOSS_PERCENT_BORNE: u64 = 10;

/// Share of packets that a path loses when it should be left, in percent.
pub const LOSS_PERCENT_LEFT: u64 = 20;

/// How much likelier it must be that a path loses [`LOSS_PERCENT_LEFT`] than that it loses [`LOSS_PERCENT_BORNE`], as a
/// natural logarithm: at the latter a path is left by chance once in millions of packets.
pub const LOSS_SCORE: f64 = 12.0;

/// What a round trip adds to that at most: the end of a slow start may lose very much in a moment.
pub const LOSS_SCORE_ROUND: f64 = 2.0;

/// How many times the alternative's share a path may lose.
pub const LOSS_TIMES: u64 = 3;

/// So many losses more are taken for granted of the alternative: with as few samples nobody knows better.
const LOSS_UNSEEN: u64 = 3;

/// Periods in a row that must be too slow.
pub const BAD_PERIODS: u32 = 2;

/// Samples of the alternative that there must be before anything is compared with it.
const SAMPLES_MIN: u64 = 5;

/// Shortest time after which a path is tried again on which nothing came any more; doubles. A helper that has died is
/// often started again at once.
pub const RETURN_SOON: Duration = Duration::from_millis(250);

/// Shortest time after which a path is tried again that did harm; doubles. One that has served for so long is trusted
/// as at first.
pub const RETURN_FIRST: Duration = Duration::from_secs(30);

/// Longest time after which a path that was left is tried again.
pub const RETURN_MAX: Duration = Duration::from_secs(3_600);

/// A path that has served so many times as long as it was last avoided is trusted anew.
const TRUSTED_AFTER: u32 = 4;

/// How a host judges helped paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathMonitorConfig {
    /// How often the alternative is asked for a sign of life while the helped path is in use.
    pub sampled_every: Duration,
    /// How long a helped path is in use before an alternative is set up beside it.
    pub stands_by_after: Duration,
    /// Shortest time after which a path is tried again on which nothing came any more; doubles.
    pub return_soon: Duration,
    /// Shortest time after which a path is tried again that did harm; doubles.
    pub return_first: Duration,
    /// Longest such time.
    pub return_max: Duration,
}

impl Default for PathMonitorConfig {
    fn default() -> PathMonitorConfig {
        PathMonitorConfig {
            sampled_every: SAMPLED_EVERY,
            stands_by_after: STANDS_BY_AFTER,
            return_soon: RETURN_SOON,
            return_first: RETURN_FIRST,
            return_max: RETURN_MAX,
        }
    }
}

/// A helped path at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Helped {
    /// Bytes acknowledged from end to end so far.
    pub acked: u64,
    /// Packets of the other end's that have come so far.
    pub heard: u64,
    /// Packets sent so far that ask for acknowledgment.
    pub asked: u64,
    /// Of them on their way.
    pub outstanding: u64,
    /// Packets of them lost, as far as is known.
    pub lost: u64,
    /// The last round trip from end to end.
    pub rtt: Duration,
    /// The probe timeout from end to end.
    pub pto: Duration,
    /// Since when something has been outstanding with none of it acknowledged.
    pub waiting_since: Option<Instant>,
    /// The first helper says that it holds packets.
    pub held: bool,
}

/// The alternative at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alternative {
    /// When it was last heard of.
    pub answered_at: Instant,
    /// Since when it has owed an answer.
    pub waiting_since: Option<Instant>,
    pub pto: Duration,
    pub rtt: Duration,
    /// Packets sent so far that ask for an answer.
    pub asked: u64,
    /// Of them lost.
    pub lost: u64,
}

/// What to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Stay,
    /// Ask the alternative for a sign of life; if there is none, it is time for one.
    Ask,
    Leave(Sign),
}

/// A time over which delays are compared.
#[derive(Clone, Copy, Debug)]
struct Period {
    since: Instant,
    samples: u32,
    rtt_min: Duration,
    /// Periods in a row that were too slow.
    bad: u32,
}

impl Period {
    fn new(now: Instant, bad: u32) -> Period {
        Period { since: now, samples: 0, rtt_min: Duration::MAX, bad }
    }
}

/// Judges one helped path while it is in use.
#[derive(Debug)]
pub(crate) struct PathMonitor {
    sampled_every: Duration,
    began: Instant,
    /// What was acknowledged by now.
    acked: u64,
    /// What was acknowledged and heard when it began; none once it has served.
    first: Option<(u64, u64)>,
    trials: Trials,
    held_since: Option<Instant>,
    asked_at: Instant,
    /// Acknowledgments have come since.
    moved: bool,
    delay: Period,
    losses: Losses,
    /// Since when the alternative has answered without a break.
    good_since: Option<Instant>,
    /// How much longer than otherwise to wait: both were out of order, and the helped one may find out later.
    grace: Duration,
    look_at: Option<Instant>,
}

impl PathMonitor {
    pub(crate) fn new(now: Instant, config: &PathMonitorConfig, helped: &Helped) -> PathMonitor {
        PathMonitor {
            sampled_every: config.sampled_every,
            began: now,
            acked: helped.acked,
            first: Some((helped.acked, helped.heard)),
            trials: Trials::default(),
            held_since: None,
            asked_at: now,
            moved: false,
            delay: Period::new(now, 0),
            losses: Losses::new(now, helped),
            good_since: None,
            grace: Duration::ZERO,
            look_at: None,
        }
    }

    /// Since when the path has been in use.
    pub(crate) fn began(&self) -> Instant {
        self.began
    }

    /// Whether anything has arrived by it at the other end, or here while nothing was awaited there. A helper that took
    /// what it was given from the start has done harm, whatever it brought.
    pub(crate) fn has_served(&self) -> bool {
        self.first.is_none()
    }

    /// An alternative is there whose path was never out of order.
    pub(crate) fn note_good_alternative(&mut self) {
        (self.good_since, self.grace) = (Some(Instant::ZERO), Duration::ZERO);
    }

    /// When to look again, if nothing happens.
    pub(crate) fn look_at(&self) -> Option<Instant> {
        self.look_at
    }

    /// Looks at the path and the alternative, if there is one.
    pub(crate) fn look(&mut self, now: Instant, helped: &Helped, alternative: Option<&Alternative>) -> Verdict {
        self.trials.note(now, helped);
        self.losses.note(now, helped);
        let serves = |(acked, heard): &(u64, u64)| {
            helped.acked > *acked || helped.heard > *heard && helped.waiting_since.is_none()
        };
        self.first = self.first.filter(|first| !serves(first));
        if helped.acked != mem::replace(&mut self.acked, helped.acked) {
            self.trials.pass(now, helped);
            (self.held_since, self.moved) = (None, true);
            self.delay.samples += 1;
            self.delay.rtt_min = self.delay.rtt_min.min(helped.rtt);
        }
        match helped.held {
            true => _ = self.held_since.get_or_insert(now),
            false => self.held_since = None,
        }
        let stuck = match (self.held_since, helped.waiting_since) {
            (Some(since), _) => Some((since, Sign::Blocked)),
            (None, Some(since)) => Some((since, Sign::Silent)),
            (None, None) => None,
        };
        self.note_alternative_answers(now, stuck.map(|(since, _)| since), alternative);
        self.look_at = None;
        if let Some((since, sign)) = stuck {
            if since + helped.pto > now {
                self.look_at = Some(since + helped.pto);
            } else if self.is_over(now, (since, sign), helped, alternative) {
                return Verdict::Leave(sign);
            }
        }
        if let Some(alternative) = alternative.filter(|it| it.asked >= SAMPLES_MIN && self.good_since.is_some())
            && let Some(sign) = self.compare(now, helped, alternative)
        {
            return Verdict::Leave(sign);
        }
        let doubted = stuck.is_some_and(|(since, _)| since + helped.pto <= now) || self.losses.are_many();
        let interval = if doubted { DOUBTED_EVERY.min(self.sampled_every) } else { self.sampled_every };
        if !doubted && !self.moved && stuck.is_none() {
            return Verdict::Stay;
        }
        let at = self.asked_at + interval;
        if at <= now {
            (self.asked_at, self.moved) = (now, false);
            self.wake(now + interval);
            return Verdict::Ask;
        }
        self.wake(at);
        Verdict::Stay
    }

    fn wake(&mut self, at: Instant) {
        self.look_at = Some(self.look_at.map_or(at, |other| other.min(at)));
    }

    /// Keeps account of when the alternative answers.
    fn note_alternative_answers(&mut self, now: Instant, stuck: Option<Instant>, alternative: Option<&Alternative>) {
        let Some(alternative) = alternative else {
            self.good_since = None;
            return;
        };
        let silent = alternative.waiting_since.is_some_and(|since| since + alternative.pto * SILENT_PTOS <= now);
        if silent {
            self.good_since = None;
        } else if self.good_since.is_none() {
            // A helped path that was out of order at the same time probes at growing distances; it is not to be left
            // because it notices later.
            self.good_since = Some(now);
            self.grace = stuck.map_or(Duration::ZERO, |since| now.since(since)).min(PTO_MAX);
        }
    }

    /// Whether to leave a path on which nothing has moved `since` for the alternative.
    fn is_over(
        &mut self,
        now: Instant,
        (since, sign): (Instant, Sign),
        helped: &Helped,
        alternative: Option<&Alternative>,
    ) -> bool {
        let (Some(alternative), Some(good_since)) = (alternative, self.good_since) else { return false };
        let needed = silent_trials(self.losses.share(), alternative);
        let patience = match sign {
            Sign::Blocked => BLOCKED_FOR.max(helped.pto * SILENT_PTOS),
            _ => helped.pto * silent_ptos(needed),
        };
        let until = if good_since > since { good_since + patience + self.grace } else { since + patience };
        if until > now {
            self.wake(until);
            return false;
        }
        let Some(failed_at) = self.trials.failed(needed) else { return false };
        if failed_at + helped.pto > now {
            self.wake(failed_at + helped.pto);
            return false;
        }
        alternative.answered_at >= since + helped.pto
    }

    /// Compares the two over periods.
    fn compare(&mut self, now: Instant, helped: &Helped, alternative: &Alternative) -> Option<Sign> {
        let delay = self.delay;
        if now.since(delay.since) >= DELAY_PERIOD && delay.samples >= DELAY_SAMPLES {
            let bad = delay.rtt_min > alternative.rtt * 2 + DELAY_MORE;
            self.delay = Period::new(now, if bad { delay.bad + 1 } else { 0 });
            if self.delay.bad >= BAD_PERIODS {
                return Some(Sign::Delay);
            }
        }
        self.losses.are_worse_than(helped, alternative).then_some(Sign::Loss)
    }
}

/// Packets that a path was asked to answer since it last did, so far apart that each has a chance of its own.
#[derive(Clone, Copy, Debug, Default)]
struct Trials {
    /// What had been asked so far.
    asked: u64,
    /// When each began; those that are beyond the most that are needed have no place here.
    at: [Instant; SILENT_TRIALS_MAX as usize],
    count: usize,
}

impl Trials {
    /// Something was acknowledged. What is on its way still began in the last round trip.
    fn pass(&mut self, now: Instant, helped: &Helped) {
        let still = |at: &Instant| *at + helped.rtt > now;
        let kept = if helped.outstanding > 0 { self.at[..self.count].iter().filter(|at| still(at)).count() } else { 0 };
        self.at.copy_within(self.count - kept..self.count, 0);
        self.count = kept;
        if helped.outstanding > 0 && kept == 0 {
            self.begin(now);
        }
    }

    /// What was asked since the last look.
    fn note(&mut self, now: Instant, helped: &Helped) {
        let last = self.count.checked_sub(1).map(|last| self.at[last]);
        if helped.asked > self.asked && last.is_none_or(|last| last + TRIAL_APART <= now) {
            self.begin(now);
        }
        self.asked = helped.asked;
    }

    fn begin(&mut self, now: Instant) {
        if let Some(at) = self.at.get_mut(self.count) {
            (*at, self.count) = (now, self.count + 1);
        }
    }

    /// When the last one of so many began, if there were as many.
    fn failed(&self, needed: u32) -> Option<Instant> {
        self.at[..self.count].get(needed as usize - 1).copied()
    }
}

/// Trials that a path fails by chance as rarely as [`SILENT_BY_CHANCE`], if it loses this share of packets one way, or
/// as many as the alternative.
fn silent_trials(share: f64, alternative: &Alternative) -> u32 {
    let share = share.max(alternative.lost as f64 / alternative.asked.max(1) as f64).min(0.5);
    // An answer may be lost as well as what it answers.
    let fails = 1.0 - (1.0 - share).powi(2);
    let needed = (SILENT_BY_CHANCE.ln() / fails.max(f64::MIN_POSITIVE).ln()).ceil();
    (needed as u32).clamp(SILENT_TRIALS_MIN, SILENT_TRIALS_MAX)
}

/// How many probe timeouts a path may be silent if so many trials must fail.
fn silent_ptos(trials: u32) -> u32 {
    if trials <= SILENT_TRIALS_FEW { SILENT_PTOS } else { trials }
}

/// Whether a path loses what it should not: how much likelier that is than that it loses what is borne (a CUSUM of
/// Page's, over round trips).
#[derive(Clone, Copy, Debug)]
struct Losses {
    score: f64,
    /// What had been asked and lost when the score was last zero, and when the round trip began.
    since: (u64, u64),
    round: (u64, u64),
    round_began: Instant,
    /// Packets, and those of them that were lost, where no round trip counts more than another.
    counted: (f64, f64),
}

impl Losses {
    fn new(now: Instant, helped: &Helped) -> Losses {
        let counts = (helped.asked, helped.lost);
        let assumed = LOSS_ASSUMED_OVER as f64;
        let counted = (assumed, assumed * LOSS_PERCENT_ASSUMED as f64 / 100.0);
        Losses { score: 0.0, since: counts, round: counts, round_began: now, counted }
    }

    /// What was asked and lost since.
    fn counted(helped: &Helped, since: (u64, u64)) -> (u64, u64) {
        let asked = helped.asked.saturating_sub(since.0);
        (asked, helped.lost.saturating_sub(since.1).min(asked))
    }

    fn note(&mut self, now: Instant, helped: &Helped) {
        if now.since(self.round_began) < helped.rtt {
            return;
        }
        let (asked, lost) = Losses::counted(helped, self.round);
        let [borne, left] = [LOSS_PERCENT_BORNE, LOSS_PERCENT_LEFT].map(|percent| percent as f64 / 100.0);
        let arrived = (asked - lost) as f64;
        let more = lost as f64 * (left / borne).ln() + arrived * ((1.0 - left) / (1.0 - borne)).ln();
        // Beyond what is needed it says no more, and would only take longer to forget.
        self.score = (self.score + more.min(LOSS_SCORE_ROUND)).clamp(0.0, LOSS_SCORE);
        (self.round, self.round_began) = ((helped.asked, helped.lost), now);
        if asked > 0 {
            let weight = asked.min(LOSS_COUNTED) as f64;
            let most = (weight / LOSS_ONE_OF as f64).max(1.0);
            self.counted = (self.counted.0 + weight, self.counted.1 + (lost as f64 * weight / asked as f64).min(most));
        }
        if self.score == 0.0 {
            self.since = self.round;
        }
    }

    /// The share that a path loses.
    fn share(&self) -> f64 {
        self.counted.1 / self.counted.0
    }

    /// Whether the alternative is worth a closer look.
    fn are_many(&self) -> bool {
        self.score >= LOSS_SCORE / 3.0
    }

    /// Whether to leave the path for them.
    fn are_worse_than(&self, helped: &Helped, alternative: &Alternative) -> bool {
        let (asked, lost) = Losses::counted(helped, self.since);
        let more = lost * alternative.asked > LOSS_TIMES * (alternative.lost + LOSS_UNSEEN) * asked;
        self.score >= LOSS_SCORE && more
    }
}

/// When to try the helpers again.
#[derive(Debug)]
pub(crate) struct Return {
    soon: Duration,
    first: Duration,
    max: Duration,
    backoff: Duration,
    /// What it was before the last harm.
    unharmed: Option<Duration>,
    at: Option<Instant>,
}

impl Return {
    pub(crate) fn new(config: &PathMonitorConfig) -> Return {
        let PathMonitorConfig { return_soon: soon, return_first: first, return_max: max, .. } = *config;
        Return { soon, first, max, backoff: soon, unharmed: None, at: None }
    }

    /// The helped path was left, after it had served for so long, for the harm that it did or since nothing came by it;
    /// or it could not be had.
    pub(crate) fn note_left(&mut self, now: Instant, served: Duration, harmed: bool) {
        if served >= (self.backoff * TRUSTED_AFTER).max(self.first) {
            self.backoff = self.soon;
        }
        self.unharmed = harmed.then_some(self.backoff);
        if harmed {
            self.backoff = self.backoff.max(self.first);
        }
        self.at = Some(now + self.backoff);
    }

    /// What it was left for was no harm: nothing came by it any more.
    pub(crate) fn note_unharmed(&mut self, now: Instant) {
        if let Some(backoff) = self.unharmed.take() {
            self.backoff = backoff;
            self.at = Some(now + backoff);
        }
    }

    /// It is tried again.
    pub(crate) fn note_tried(&mut self, now: Instant) {
        self.unharmed = None;
        self.backoff = (self.backoff * 2).min(self.max);
        self.at = Some(now + self.backoff);
    }

    /// From when on helpers may be asked, if they were left.
    pub(crate) fn at(&self) -> Option<Instant> {
        self.at
    }

    /// Whether helpers may be asked now.
    pub(crate) fn permits(&self, now: Instant) -> bool {
        self.at.is_none_or(|at| at <= now)
    }
}

#[cfg(test)]
mod tests;
