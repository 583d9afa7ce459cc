//! Writing streams.

use tng_base::Instant;
use tng_semantic::structured::{StreamId, WriteError};
use tng_stack::{ConnectionId, Host};

use super::app::{Flows, SOUGHT_EVERY, Todo};
use crate::engine::source::{Piece, Source};

/// A half that is written here.
pub(super) struct Writing {
    pub(super) connection: ConnectionId,
    stream: StreamId,
    pub(super) source: Source,
    /// When it is on the agenda, for its pace or its children.
    next: Option<Instant>,
    finished: bool,
}

impl Writing {
    pub(super) fn new(source: Source, connection: ConnectionId, stream: StreamId) -> Writing {
        Writing { connection, stream, source, next: None, finished: false }
    }
}

impl Flows {
    /// The first write of a half.
    pub(super) fn begin_writing(&mut self, stream: usize, now: Instant, host: &mut Host) {
        let until = self.writing.get(&stream).map(|writing| writing.source.until());
        if let Some(until) = until.filter(|until| *until < Instant::FAR_FUTURE) {
            self.agenda.at(until, Todo::Write(stream));
        }
        self.write(stream, now, host);
    }

    /// Writes as much of a stream as it takes now, and its end.
    pub(super) fn write(&mut self, number: usize, now: Instant, host: &mut Host) {
        let Some(writing) = self.writing.get_mut(&number).filter(|writing| !writing.finished) else { return };
        let Some(streams) = host.streams(writing.connection) else { return };
        let stream = writing.stream;
        loop {
            match writing.source.piece(now, &self.plan) {
                // A parent that ended before its children came could not have them.
                Piece::End if self.plan.streams[number].sender == self.place && self.ledger.awaits_children(number) => {
                    if writing.next.is_none_or(|time| time <= now) {
                        let time = now + SOUGHT_EVERY;
                        writing.next = Some(time);
                        self.agenda.at(time, Todo::Write(number));
                    }
                    return;
                }
                Piece::End => {
                    writing.finished = true;
                    match streams.finish(stream) {
                        Ok(()) => {
                            streams.tell_finished(stream);
                        }
                        Err(WriteError::Stopped(_) | WriteError::Reset) => {}
                        Err(error) => self.ledger.fail(number, error.to_string()),
                    }
                    return;
                }
                Piece::Later(time) => {
                    if writing.next != Some(time) {
                        writing.next = Some(time);
                        self.agenda.at(time, Todo::Write(number));
                    }
                    return;
                }
                Piece::Bytes(chunk) => match streams.write(stream, chunk) {
                    Ok(0) | Err(WriteError::Blocked) => return,
                    Ok(n) => writing.source.count_written(n),
                    // It was cut short, and that is told elsewhere.
                    Err(WriteError::Stopped(_) | WriteError::Reset) => return,
                    Err(error) => {
                        writing.finished = true;
                        return self.ledger.fail(number, error.to_string());
                    }
                },
            }
        }
    }
}
