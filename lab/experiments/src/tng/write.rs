//! Writing streams.

use tng_base::Instant;
use tng_semantic::structured::{StreamId, WriteError};
use tng_stack::{ConnectionId, Host};

use super::app::{Flows, SOUGHT_EVERY, Todo};
use super::plan::{HEADER_LEN, PATTERN_LEN, Planned};
use crate::ledger::times;
use crate::scenario::{Amount, Pace};

/// A half that is written here.
pub(super) struct Writing {
    pub(super) connection: ConnectionId,
    stream: StreamId,
    /// The stream's number, if this is its opener's half.
    head: Option<[u8; HEADER_LEN]>,
    /// Bytes written, the head included.
    written: u64,
    /// What is to be written in all, the head included; `None`: whatever fits until `until`.
    total: Option<u64>,
    until: Instant,
    pace: Option<Pace>,
    began: Instant,
    /// When it is on the agenda, for its pace or its children.
    next: Option<Instant>,
    finished: bool,
}

impl Writing {
    /// The opener's half: a request, or the whole.
    pub(super) fn of_opener(
        number: usize,
        planned: &Planned,
        connection: ConnectionId,
        stream: StreamId,
        now: Instant,
    ) -> Writing {
        let head = Some((number as u32).to_be_bytes());
        match planned.request {
            Some(bytes) => Writing {
                head,
                ..Writing::new(Amount::Bytes(bytes + HEADER_LEN as u64), None, connection, stream, now)
            },
            None => {
                let amount = match planned.amount {
                    Amount::Bytes(bytes) => Amount::Bytes(bytes + HEADER_LEN as u64),
                    amount => amount,
                };
                Writing { head, ..Writing::new(amount, planned.pace, connection, stream, now) }
            }
        }
    }

    /// The answer to a request.
    pub(super) fn of_answerer(planned: &Planned, connection: ConnectionId, stream: StreamId, now: Instant) -> Writing {
        Writing::new(planned.amount, planned.pace, connection, stream, now)
    }

    fn new(amount: Amount, pace: Option<Pace>, connection: ConnectionId, stream: StreamId, now: Instant) -> Writing {
        let (total, until) = match amount {
            Amount::Bytes(bytes) => (Some(bytes), Instant::FAR_FUTURE),
            Amount::For(time) => (None, now + time),
            Amount::Forever => (None, Instant::FAR_FUTURE),
        };
        Writing {
            connection,
            stream,
            head: None,
            written: 0,
            total,
            until,
            pace,
            began: now,
            next: None,
            finished: false,
        }
    }

    fn head_len(&self) -> u64 {
        self.head.map_or(0, |head| head.len() as u64)
    }

    /// Bytes of the stream's content that have been written.
    fn body(&self) -> u64 {
        self.written.saturating_sub(self.head_len())
    }

    /// No more is written than has been, but for the head.
    pub(super) fn end_here(&mut self) {
        self.total = Some(self.written.max(self.head_len()));
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
    fn resumes(&self) -> Option<Instant> {
        let Pace { chunk, interval } = self.pace?;
        Some(self.began + times(interval, self.body() / chunk))
    }
}

impl Flows {
    /// The first write of a half.
    pub(super) fn begin_writing(&mut self, stream: usize, now: Instant, host: &mut Host) {
        let until = self.writing.get(&stream).map(|writing| writing.until);
        if let Some(until) = until.filter(|until| *until < Instant::FAR_FUTURE) {
            self.at(until, Todo::Write(stream));
        }
        self.write(stream, now, host);
    }

    /// Writes as much of a stream as it takes now, and its end.
    pub(super) fn write(&mut self, number: usize, now: Instant, host: &mut Host) {
        let Some(writing) = self.writing.get_mut(&number).filter(|writing| !writing.finished) else { return };
        let Some(streams) = host.streams(writing.connection) else { return };
        let stream = writing.stream;
        loop {
            let left = writing.left(now);
            if left == 0 {
                // A parent that ended before its children came could not have them.
                if self.plan.streams[number].sender == self.place && self.ledger.awaits_children(number) {
                    if writing.next.is_none_or(|time| time <= now) {
                        let time = now + SOUGHT_EVERY;
                        writing.next = Some(time);
                        self.at(time, Todo::Write(number));
                    }
                    return;
                }
                writing.finished = true;
                match streams.finish(stream) {
                    Ok(()) | Err(WriteError::Stopped(_) | WriteError::Reset) => {}
                    Err(error) => self.ledger.fail(number, error.to_string()),
                }
                return;
            }
            let left = left.min(writing.admitted(now));
            if left == 0 {
                let resumes = writing.resumes().filter(|time| writing.next != Some(*time));
                if let Some(time) = resumes {
                    writing.next = Some(time);
                    self.at(time, Todo::Write(number));
                }
                return;
            }
            let chunk = match &writing.head {
                Some(head) if writing.written < head.len() as u64 => &head[writing.written as usize..],
                _ => &self.plan.pattern[(writing.body() % PATTERN_LEN as u64) as usize..],
            };
            let chunk = &chunk[..chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            match streams.write(stream, chunk) {
                Ok(0) | Err(WriteError::Blocked) => return,
                Ok(n) => writing.written += n as u64,
                // It was cut short, and that is told elsewhere.
                Err(WriteError::Stopped(_) | WriteError::Reset) => return,
                Err(error) => {
                    writing.finished = true;
                    return self.ledger.fail(number, error.to_string());
                }
            }
        }
    }
}
