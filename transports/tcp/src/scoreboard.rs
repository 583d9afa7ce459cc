//! What is under way and what became of it: RACK (RFC 8985 section 6).

use core::ops::Range;
use core::time::Duration;
use std::collections::VecDeque;

use tng_base::Instant;
use tng_congestion::{LossCause, LossSample, SendStamp};

/// Segments acknowledged out of order after which a gap is a loss, as long as no reordering was seen.
pub const DUPLICATE_THRESHOLD: usize = 3;
/// The reordering window is the least round-trip time divided by this, times how often it proved too small.
pub const REORDER_DIVISOR: u32 = 4;
/// Recoveries after which a widened reordering window is narrow again.
pub const REORDER_ROUNDS: u32 = 16;

/// Where a segment stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    Flying,
    Sacked,
    /// To be sent again.
    Lost,
}

/// A segment that was sent and is not cumulatively acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) seq: u64,
    pub(crate) end: u64,
    /// Of its latest transmission.
    stamp: SendStamp,
    standing: Standing,
    retransmitted: bool,
    /// The stamp of the transmission before the latest one, if that was found lost.
    lost: Option<SendStamp>,
    /// The stamp of the first transmission, if the latest is a tail loss probe.
    probed: Option<SendStamp>,
}

/// What one acknowledgment delivered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delivered {
    /// Bytes that leave the books as delivered.
    pub(crate) bytes: u64,
    /// Stamp of the latest transmission among them.
    pub(crate) newest: Option<SendStamp>,
    /// Send times of the oldest and the newest among those that were sent once.
    pub(crate) timed: Option<(Instant, Instant)>,
    /// Bytes that had been found lost and arrived after all.
    pub(crate) late: Option<(u64, SendStamp)>,
    /// Bytes of transmissions that were needless.
    pub(crate) needless: u64,
    /// A tail loss probe repaired a loss that nobody had noticed.
    pub(crate) repaired: Option<SendStamp>,
}

impl Delivered {
    fn count(&mut self, bytes: u64, stamp: SendStamp) {
        self.bytes += bytes;
        self.newest = Some(self.newest.filter(|newest| newest.sent_at > stamp.sent_at).unwrap_or(stamp));
    }

    fn time(&mut self, at: Instant) {
        self.timed = Some(self.timed.map_or((at, at), |(oldest, newest)| (oldest.min(at), newest.max(at))));
    }

    fn count_late(&mut self, bytes: u64, stamp: SendStamp) {
        let (sum, newest) = self.late.unwrap_or((0, stamp));
        self.late = Some((sum + bytes, if newest.sent_at > stamp.sent_at { newest } else { stamp }));
    }
}

/// What an acknowledgment says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    /// Everything before it arrived.
    pub(crate) ack: u64,
    /// Selective acknowledgments.
    pub(crate) blocks: &'a [Range<u64>],
    /// When the segment left, to the millisecond, that the peer answers, if timestamps are used.
    pub(crate) echo: Option<Instant>,
    /// Whether it reports something received twice.
    pub(crate) duplicate: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Scoreboard {
    sent: VecDeque<Sent>,
    sacked: usize,
    lost: usize,
    /// The highest number delivered.
    forward: u64,
    reordered: bool,
    /// Of the latest transmission known to have arrived: when it left, its end, and how long it took.
    rack: Option<(Instant, u64, Duration)>,
    /// The reordering window's multiplier, and recoveries left until it is one again.
    widened: (u32, u32),
    /// The multiplier grows once per round trip: not before this number is acknowledged.
    widen_after: u64,
}

/// A transmission is told from a later one by the millisecond.
fn is_before(echo: Instant, sent_at: Instant) -> bool {
    echo.as_nanos() / 1_000_000 < sent_at.as_nanos() / 1_000_000
}

impl Scoreboard {
    pub(crate) fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    pub(crate) fn has_lost(&self) -> bool {
        self.lost > 0
    }

    pub(crate) fn count(&self) -> usize {
        self.sent.len()
    }

    pub(crate) fn has_sacked(&self) -> bool {
        self.sacked > 0
    }

    pub(crate) fn push(&mut self, seq: u64, end: u64, stamp: SendStamp) {
        self.sent.push_back(Sent {
            seq,
            end,
            stamp,
            standing: Standing::Flying,
            retransmitted: false,
            lost: None,
            probed: None,
        });
    }

    /// The first segment to send again.
    pub(crate) fn next_lost(&self) -> Option<(usize, Sent)> {
        if self.lost == 0 {
            return None;
        }
        self.sent.iter().enumerate().find(|(_, sent)| sent.standing == Standing::Lost).map(|(at, sent)| (at, *sent))
    }

    /// The last segment, which a tail loss probe sends again: the bytes that its former transmission counts as in
    /// flight.
    pub(crate) fn last(&self) -> Option<(usize, Sent)> {
        let at = self.sent.len().checked_sub(1)?;
        (self.sent[at].standing == Standing::Flying).then_some((at, self.sent[at]))
    }

    /// The segment at `at` is sent again.
    pub(crate) fn resend(&mut self, at: usize, stamp: SendStamp) {
        let sent = &mut self.sent[at];
        if sent.standing == Standing::Lost {
            self.lost -= 1;
            sent.lost = Some(sent.stamp);
            sent.probed = None;
        } else if !sent.retransmitted {
            sent.probed = Some(sent.stamp);
        }
        (sent.standing, sent.stamp, sent.retransmitted) = (Standing::Flying, stamp, true);
    }

    /// Takes an acknowledgment.
    pub(crate) fn acknowledge(&mut self, now: Instant, word: Word<'_>, rtt_min: Duration) -> Delivered {
        let mut delivered = Delivered::default();
        while let Some(front) = self.sent.front().copied() {
            if front.end <= word.ack {
                self.deliver(now, &front, word, rtt_min, &mut delivered);
                self.leave(front.standing);
                self.sent.pop_front();
                continue;
            }
            if front.seq < word.ack {
                // The peer took a part.
                let part = Sent { end: word.ack, ..front };
                self.deliver(now, &part, word, rtt_min, &mut delivered);
                self.sent[0].seq = word.ack;
            }
            break;
        }
        for block in word.blocks {
            let first = self.sent.partition_point(|sent| sent.seq < block.start);
            for at in first..self.sent.len() {
                let sent = self.sent[at];
                if sent.end > block.end {
                    break;
                }
                if sent.standing != Standing::Sacked {
                    self.deliver(now, &sent, word, rtt_min, &mut delivered);
                    self.leave(sent.standing);
                    self.sent[at].standing = Standing::Sacked;
                    self.sacked += 1;
                }
            }
        }
        if word.duplicate && word.ack >= self.widen_after {
            self.widened = ((self.widened.0 + 1).min(64), REORDER_ROUNDS);
            self.widen_after = self.sent.back().map_or(word.ack, |last| last.end);
        }
        delivered
    }

    fn leave(&mut self, standing: Standing) {
        self.sacked -= usize::from(standing == Standing::Sacked);
        self.lost -= usize::from(standing == Standing::Lost);
    }

    fn deliver(&mut self, now: Instant, sent: &Sent, word: Word<'_>, rtt_min: Duration, delivered: &mut Delivered) {
        let bytes = sent.end - sent.seq;
        if sent.end < self.forward && !sent.retransmitted && sent.standing != Standing::Sacked {
            self.reordered = true;
        }
        self.forward = self.forward.max(sent.end);
        // The peer answers an earlier transmission, or answers faster than it could.
        let early = sent.retransmitted
            && match word.echo {
                Some(echo) => is_before(echo, sent.stamp.sent_at),
                None => now.since(sent.stamp.sent_at) < rtt_min,
            };
        match (sent.standing, sent.lost) {
            (Standing::Sacked, _) => return,
            (Standing::Lost, _) => delivered.count_late(bytes, sent.stamp),
            (Standing::Flying, Some(before)) if early && word.echo.is_some() => {
                delivered.needless += bytes;
                delivered.count_late(bytes, before);
            }
            (Standing::Flying, _) => {
                delivered.count(bytes, sent.stamp);
                if let Some(before) = sent.probed.filter(|_| !early && !word.duplicate && word.echo.is_some()) {
                    delivered.repaired = Some(before);
                }
            }
        }
        if !sent.retransmitted {
            delivered.time(sent.stamp.sent_at);
        }
        let newer = self.rack.is_none_or(|(at, end, _)| (sent.stamp.sent_at, sent.end) > (at, end));
        if !early && newer {
            self.rack = Some((sent.stamp.sent_at, sent.end, now.since(sent.stamp.sent_at)));
        }
    }

    /// Finds what is lost by what was delivered: the loss, and when to look again if something may yet be.
    pub(crate) fn detect(
        &mut self,
        now: Instant,
        rtt_min: Duration,
        smoothed: Duration,
        recovering: bool,
    ) -> (Option<LossSample>, Option<Instant>) {
        let Some((rack_at, rack_end, rack_rtt)) = self.rack else { return (None, None) };
        let impatient = !self.reordered && (recovering || self.sacked >= DUPLICATE_THRESHOLD);
        let window =
            if impatient { Duration::ZERO } else { (rtt_min / REORDER_DIVISOR * self.widened.0.max(1)).min(smoothed) };
        let (mut loss, mut again) = (None, None);
        for sent in &mut self.sent {
            if !sent.retransmitted && (sent.stamp.sent_at, sent.end) >= (rack_at, rack_end) {
                break; // the rest was sent later still
            }
            if sent.standing != Standing::Flying || (sent.stamp.sent_at, sent.end) >= (rack_at, rack_end) {
                continue;
            }
            let due = sent.stamp.sent_at + rack_rtt + window;
            if due <= now {
                sent.standing = Standing::Lost;
                self.lost += 1;
                add_loss(&mut loss, sent, LossCause::Loss);
            } else {
                again = Some(again.map_or(due, |at: Instant| at.min(due)));
            }
        }
        (loss, again)
    }

    /// The retransmission timer expired: the first segment is lost, and with it what left long enough ago (RFC 8985
    /// section 6.3).
    pub(crate) fn expire(&mut self, now: Instant) -> Option<LossSample> {
        if self.sent.front().is_some_and(|front| front.standing == Standing::Sacked) {
            // The peer has dropped what it had acknowledged selectively (RFC 2018 section 8).
            self.sacked = 0;
            for sent in self.sent.iter_mut().filter(|sent| sent.standing == Standing::Sacked) {
                sent.standing = Standing::Lost;
                self.lost += 1;
            }
        }
        let patience = self.rack.map_or(Duration::ZERO, |(_, _, rtt)| rtt);
        let mut loss = None;
        for (at, sent) in self.sent.iter_mut().enumerate() {
            if sent.standing == Standing::Flying && (at == 0 || sent.stamp.sent_at + patience <= now) {
                sent.standing = Standing::Lost;
                self.lost += 1;
                add_loss(&mut loss, sent, LossCause::PersistentCongestion);
            }
        }
        loss
    }

    /// A recovery is over: one fewer until the reordering window is narrow again.
    pub(crate) fn end_recovery(&mut self) {
        self.widened.1 = self.widened.1.saturating_sub(1);
        if self.widened.1 == 0 {
            self.widened.0 = 1;
        }
    }
}

fn add_loss(loss: &mut Option<LossSample>, sent: &Sent, cause: LossCause) {
    let bytes = sent.end - sent.seq;
    match loss {
        None => *loss = Some(LossSample { bytes, newest: sent.stamp, cause }),
        Some(loss) => {
            loss.bytes += bytes;
            if sent.stamp.sent_at > loss.newest.sent_at {
                loss.newest = sent.stamp;
            }
        }
    }
}
