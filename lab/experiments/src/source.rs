//! What is written to one half of a stream: its opener's number for it, if the opener writes it, and then the pattern, as much of it and as
//! fast as the scenario says.

use tng_base::Instant;

use crate::ledger::times;
use crate::plan::{HEADER_LEN, PATTERN_LEN, Plan, Planned};
use crate::scenario::{Amount, Pace};

/// One half, as far as it has been written.
#[derive(Debug)]
pub(crate) struct Source {
    /// The stream's number, if this is its opener's half.
    head: Option<[u8; HEADER_LEN]>,
    /// Bytes written, the head included.
    written: u64,
    /// What is to be written in all, the head included; `None`: whatever fits until `until`.
    total: Option<u64>,
    until: Instant,
    pace: Option<Pace>,
    began: Instant,
}

/// What there is to write now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// These bytes, or a part of them.
    Bytes(&'a [u8]),
    /// Nothing before then.
    Later(Instant),
    /// The end.
    End,
}

impl Source {
    /// The opener's half: a request, or the whole.
    pub(crate) fn of_opener(number: usize, planned: &Planned, now: Instant) -> Source {
        let head = Some((number as u32).to_be_bytes());
        let whole = |bytes: u64| Amount::Bytes(bytes + HEADER_LEN as u64);
        let (amount, pace) = match (planned.request, planned.amount) {
            (Some(bytes), _) => (whole(bytes), None),
            (None, Amount::Bytes(bytes)) => (whole(bytes), planned.pace),
            (None, amount) => (amount, planned.pace),
        };
        Source { head, ..Source::new(amount, pace, now) }
    }

    /// The answer to a request.
    pub(crate) fn of_answerer(planned: &Planned, now: Instant) -> Source {
        Source::new(planned.amount, planned.pace, now)
    }

    fn new(amount: Amount, pace: Option<Pace>, now: Instant) -> Source {
        let (total, until) = match amount {
            Amount::Bytes(bytes) => (Some(bytes), Instant::FAR_FUTURE),
            Amount::For(time) => (None, now + time),
            Amount::Forever => (None, Instant::FAR_FUTURE),
        };
        Source { head: None, written: 0, total, until, pace, began: now }
    }

    /// When it is over although it could go on; [`Instant::FAR_FUTURE`]: never.
    pub(crate) fn until(&self) -> Instant {
        self.until
    }

    /// What to write now.
    pub(crate) fn piece<'a>(&'a self, now: Instant, plan: &'a Plan) -> Piece<'a> {
        let left = self.left(now);
        if left == 0 {
            return Piece::End;
        }
        let admitted = left.min(self.admitted(now));
        if admitted == 0 {
            return Piece::Later(self.resumes());
        }
        let bytes = match &self.head {
            Some(head) if self.written < head.len() as u64 => &head[self.written as usize..],
            _ => &plan.pattern[(self.body() % PATTERN_LEN as u64) as usize..],
        };
        Piece::Bytes(&bytes[..bytes.len().min(usize::try_from(admitted).unwrap_or(usize::MAX))])
    }

    /// So many bytes more have been written.
    pub(crate) fn count_written(&mut self, bytes: usize) {
        self.written += bytes as u64;
    }

    /// No more is written than has been, but for the head.
    pub(crate) fn end_here(&mut self) {
        self.total = Some(self.written.max(self.head_len()));
    }

    fn head_len(&self) -> u64 {
        self.head.map_or(0, |head| head.len() as u64)
    }

    /// Bytes of the stream's content that have been written.
    fn body(&self) -> u64 {
        self.written.saturating_sub(self.head_len())
    }

    /// Bytes that remain to be written in all.
    fn left(&self, now: Instant) -> u64 {
        match self.total {
            Some(total) => total - self.written,
            None if now >= self.until => 0,
            None => u64::MAX,
        }
    }

    /// Bytes that the pace admits now.
    fn admitted(&self, now: Instant) -> u64 {
        let Some(Pace { chunk, interval }) = self.pace else { return u64::MAX };
        let chunks = now.since(self.began).as_nanos() / interval.as_nanos() + 1;
        let bytes = u64::try_from(chunks).unwrap_or(u64::MAX).saturating_mul(chunk);
        bytes.saturating_add(self.head_len()).saturating_sub(self.written)
    }

    /// When the pace admits more than has been written.
    fn resumes(&self) -> Instant {
        let Some(Pace { chunk, interval }) = self.pace else { return Instant::FAR_FUTURE };
        self.began + times(interval, self.body() / chunk)
    }
}
