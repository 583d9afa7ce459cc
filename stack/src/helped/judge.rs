//! When to leave a helped path, and when to come back (ARCHITECTURE section 5; docs/splitting.md, "Judged by use").

use core::mem;
use core::time::Duration;

use tng_base::Instant;
use tng_channel::PTO_MAX;

use crate::Sign;

/// Probe timeouts, from end to end, for which nothing is acknowledged until a path counts as silent.
pub const SILENT_PTOS: u32 = 3;

/// Packets that ask for acknowledgment which must have been on their way meanwhile, for a probe timeout each: some are
/// lost on any path. At 3 % in each direction four in a row are lost once in a hundred thousand times.
pub const SILENT_PACKETS: u64 = 4;

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

/// Packets over which losses are counted, at least, in each of two periods in a row.
pub const LOSS_PACKETS: u64 = 200;

/// How long losses are counted at least: the end of a slow start may lose as many in a moment.
pub const LOSS_PERIOD: Duration = Duration::from_secs(2);

/// Share of packets lost above which a path is compared with the alternative, in percent.
pub const LOSS_PERCENT: u64 = 5;

/// How many times the alternative's share a path may lose.
pub const LOSS_TIMES: u64 = 3;

/// So many losses more are taken for granted of the alternative: with as few samples nobody knows better.
const LOSS_UNSEEN: u64 = 3;

/// Periods in a row that must be bad.
pub const BAD_PERIODS: u32 = 2;

/// Samples of the alternative that there must be before anything is compared with it.
const SAMPLES_MIN: u64 = 5;

/// Shortest time after which a path that was left is tried again; doubles.
pub const RETURN_FIRST: Duration = Duration::from_secs(30);

/// Longest time after which a path that was left is tried again.
pub const RETURN_MAX: Duration = Duration::from_secs(3_600);

/// A path that has served so many times as long as it was last avoided is trusted anew.
const TRUSTED_AFTER: u32 = 4;

/// How a host judges helped paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JudgeConfig {
    /// How often the alternative is asked for a sign of life while the helped path is in use.
    pub sampled_every: Duration,
    /// How long a helped path is in use before an alternative is set up beside it.
    pub stands_by_after: Duration,
    /// Shortest time after which a path that was left is tried again; doubles.
    pub return_first: Duration,
    /// Longest such time.
    pub return_max: Duration,
}

impl Default for JudgeConfig {
    fn default() -> JudgeConfig {
        JudgeConfig {
            sampled_every: SAMPLED_EVERY,
            stands_by_after: STANDS_BY_AFTER,
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
    /// The alternative is to be asked for a sign of life; if there is none, it is time for one.
    Ask,
    Leave(Sign),
}

/// A time over which something is counted, from these counts on.
#[derive(Clone, Copy, Debug)]
struct Period {
    since: Instant,
    asked: u64,
    lost: u64,
    samples: u32,
    rtt_min: Duration,
    /// Periods in a row that were bad.
    bad: u32,
}

impl Period {
    fn new(now: Instant, helped: &Helped, bad: u32) -> Period {
        Period { since: now, asked: helped.asked, lost: helped.lost, samples: 0, rtt_min: Duration::MAX, bad }
    }
}

/// Judges one helped path while it is in use.
#[derive(Debug)]
pub(crate) struct Judge {
    sampled_every: Duration,
    began: Instant,
    acked: u64,
    /// What had been asked, and was not on its way any more, when something was last acknowledged.
    asked: u64,
    /// Since when enough has been asked since.
    enough_since: Option<Instant>,
    held_since: Option<Instant>,
    asked_at: Instant,
    /// Acknowledgments have come since.
    moved: bool,
    delay: Period,
    loss: Period,
    /// Since when the alternative has answered without a break.
    good_since: Option<Instant>,
    /// How much longer than otherwise to wait: both were out of order, and the helped one may find out later.
    grace: Duration,
    look_at: Option<Instant>,
}

impl Judge {
    pub(crate) fn new(now: Instant, config: &JudgeConfig, helped: &Helped) -> Judge {
        Judge {
            sampled_every: config.sampled_every,
            began: now,
            acked: helped.acked,
            asked: 0,
            enough_since: None,
            held_since: None,
            asked_at: now,
            moved: false,
            delay: Period::new(now, helped, 0),
            loss: Period::new(now, helped, 0),
            good_since: None,
            grace: Duration::ZERO,
            look_at: None,
        }
    }

    /// Since when the path has been in use.
    pub(crate) fn began(&self) -> Instant {
        self.began
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
        if helped.acked != mem::replace(&mut self.acked, helped.acked) {
            (self.asked, self.enough_since) = (helped.asked.saturating_sub(helped.outstanding), None);
            (self.held_since, self.moved) = (None, true);
            self.delay.samples += 1;
            self.delay.rtt_min = self.delay.rtt_min.min(helped.rtt);
        }
        if helped.asked >= self.asked + SILENT_PACKETS {
            self.enough_since.get_or_insert(now);
        }
        match helped.held {
            true => _ = self.held_since.get_or_insert(now),
            false => self.held_since = None,
        }
        let stuck = match (self.held_since, helped.waiting_since) {
            (Some(since), _) => Some((since, BLOCKED_FOR.max(helped.pto * SILENT_PTOS), Sign::Blocked)),
            (None, Some(since)) => Some((since, helped.pto * SILENT_PTOS, Sign::Silent)),
            (None, None) => None,
        };
        self.note_alternative_answers(now, stuck.map(|(since, ..)| since), alternative);
        self.look_at = None;
        if let Some((since, patience, sign)) = stuck {
            if since + helped.pto > now {
                self.look_at = Some(since + helped.pto);
            } else if self.is_over(now, (since, patience), helped, alternative) {
                return Verdict::Leave(sign);
            }
        }
        if let Some(alternative) = alternative.filter(|it| it.asked >= SAMPLES_MIN && self.good_since.is_some())
            && let Some(sign) = self.compare(now, helped, alternative)
        {
            return Verdict::Leave(sign);
        }
        let doubted = stuck.is_some_and(|(since, ..)| since + helped.pto <= now) || self.loses(helped);
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

    /// Whether a path on which nothing has moved `since` is to be left for the alternative.
    fn is_over(
        &mut self,
        now: Instant,
        (since, patience): (Instant, Duration),
        helped: &Helped,
        alternative: Option<&Alternative>,
    ) -> bool {
        let (Some(alternative), Some(good_since)) = (alternative, self.good_since) else { return false };
        let until = if good_since > since { good_since + patience + self.grace } else { since + patience };
        if until > now {
            self.wake(until);
            return false;
        }
        let Some(enough_since) = self.enough_since else { return false };
        if enough_since + helped.pto > now {
            self.wake(enough_since + helped.pto);
            return false;
        }
        alternative.answered_at >= since + helped.pto
    }

    /// Whether the path has lost so much of late that the alternative is worth a closer look.
    fn loses(&self, helped: &Helped) -> bool {
        let (asked, lost) = (helped.asked - self.loss.asked, helped.lost.saturating_sub(self.loss.lost));
        self.loss.bad > 0 || asked >= LOSS_PACKETS / 4 && lost * 100 > asked * LOSS_PERCENT
    }

    /// Compares the two over periods.
    fn compare(&mut self, now: Instant, helped: &Helped, alternative: &Alternative) -> Option<Sign> {
        let delay = self.delay;
        if now.since(delay.since) >= DELAY_PERIOD && delay.samples >= DELAY_SAMPLES {
            let bad = delay.rtt_min > alternative.rtt * 2 + DELAY_MORE;
            self.delay = Period::new(now, helped, if bad { delay.bad + 1 } else { 0 });
            if self.delay.bad >= BAD_PERIODS {
                return Some(Sign::Delay);
            }
        }
        let loss = self.loss;
        let (asked, lost) = (helped.asked - loss.asked, helped.lost.saturating_sub(loss.lost));
        if now.since(loss.since) >= LOSS_PERIOD && asked >= LOSS_PACKETS {
            let much = lost * 100 > asked * LOSS_PERCENT;
            let more = lost * alternative.asked > LOSS_TIMES * (alternative.lost + LOSS_UNSEEN) * asked;
            // While it is much and nobody knows yet whether it is more, the doubt stays.
            let bad = match (much, more) {
                (true, true) => loss.bad + 1,
                (true, false) => loss.bad.min(BAD_PERIODS - 1),
                (false, _) => 0,
            };
            self.loss = Period::new(now, helped, bad);
            if bad >= BAD_PERIODS {
                return Some(Sign::Loss);
            }
        }
        None
    }
}

/// When to try the helpers again.
#[derive(Debug)]
pub(crate) struct Return {
    first: Duration,
    max: Duration,
    backoff: Duration,
    at: Option<Instant>,
}

impl Return {
    pub(crate) fn new(config: &JudgeConfig) -> Return {
        let JudgeConfig { return_first, return_max, .. } = *config;
        Return { first: return_first, max: return_max, backoff: return_first, at: None }
    }

    /// The helped path was left, after it had served for so long, or could not be had.
    pub(crate) fn note_left(&mut self, now: Instant, served: Duration) {
        if served >= self.backoff * TRUSTED_AFTER {
            self.backoff = self.first;
        }
        self.at = Some(now + self.backoff);
    }

    /// It is tried again.
    pub(crate) fn note_tried(&mut self, now: Instant) {
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
