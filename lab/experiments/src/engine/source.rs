//! What is written to one half of a stream: its opener's number for it, if the opener writes it, and then the pattern,
//! as much of it and as fast as the scenario says.

use tng_base::Instant;

use crate::engine::gate::Gate;
use crate::engine::ledger::times;
use crate::engine::plan::{HEADER_LEN, PATTERN_LEN, Plan};
use crate::scenario::{Amount, Pace};

/// One half, as far as it has been written.
#[derive(Debug)]
pub(crate) struct Source {
    /// The stream's number, if this is its opener's half.
    head: Option<[u8; HEADER_LEN]>,
    /// Bytes written, the head included.
    written: u64,
    /// Bytes to write in all, the head included; `None`: whatever fits until `until`.
    total: Option<u64>,
    until: Instant,
    pace: Option<Pace>,
    /// Time passes for the pace only while it is open, and without a pace nothing is written while it is shut.
    gate: Option<Gate>,
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
    pub(crate) fn of_opener(plan: &Plan, number: usize, now: Instant) -> Source {
        let planned = &plan.streams[number];
        let head = Some((number as u32).to_be_bytes());
        let mut source = match planned.request {
            Some(bytes) => Source::new(Amount::Bytes(bytes), None, None, now),
            None => Source::new(planned.amount, planned.pace, plan.gate_of_stream(number), now),
        };
        source.total = source.total.map(|bytes| bytes + HEADER_LEN as u64);
        Source { head, ..source }
    }

    /// The answer to a request.
    pub(crate) fn of_answerer(plan: &Plan, number: usize, now: Instant) -> Source {
        let planned = &plan.streams[number];
        Source::new(planned.amount, planned.pace, plan.gate_of_stream(number), now)
    }

    fn new(amount: Amount, pace: Option<Pace>, gate: Option<Gate>, now: Instant) -> Source {
        let (total, until) = match amount {
            Amount::Bytes(bytes) => (Some(bytes), Instant::FAR_FUTURE),
            Amount::For(time) => (None, now + time),
            // Every stream's size has been drawn before.
            Amount::Forever | Amount::Drawn(_) => (None, Instant::FAR_FUTURE),
        };
        Source { head: None, written: 0, total, until, pace, gate, began: now }
    }

    /// When it is over although it could go on; [`Instant::FAR_FUTURE`]: never.
    pub(crate) fn until(&self) -> Instant {
        self.until
    }

    /// What to write now.
    pub(crate) fn piece<'a>(&'a mut self, now: Instant, plan: &'a Plan) -> Piece<'a> {
        let left = self.left(now);
        if left == 0 {
            return Piece::End;
        }
        let admitted = match self.admitted(now) {
            Ok(bytes) => left.min(bytes),
            Err(time) => return Piece::Later(time),
        };
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

    /// Bytes that pace and periods admit now, or when they admit any.
    fn admitted(&mut self, now: Instant) -> Result<u64, Instant> {
        if now < self.began {
            // On a connection that is made before: the head goes ahead.
            return Some(self.head_len().saturating_sub(self.written)).filter(|left| *left > 0).ok_or(self.began);
        }
        let elapsed = now.since(self.began);
        let Some(Pace { chunk, interval }) = self.pace else {
            let shut_until = self.gate.as_mut().and_then(|gate| gate.shut_until(elapsed));
            return shut_until.map_or(Ok(u64::MAX), |time| Err(self.began + time));
        };
        let active = self.gate.as_mut().map_or(elapsed, |gate| gate.open_by(elapsed));
        let chunks = u64::try_from(active.as_nanos() / interval.as_nanos() + 1).unwrap_or(u64::MAX);
        let bytes = chunks.saturating_mul(chunk).saturating_add(self.head_len()).saturating_sub(self.written);
        if bytes > 0 {
            return Ok(bytes);
        }
        let after = times(interval, self.body() / chunk);
        Err(self.began + self.gate.as_mut().map_or(after, |gate| gate.when_open_for(after)))
    }
}
