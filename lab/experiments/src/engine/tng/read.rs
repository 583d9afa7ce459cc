//! Accepting and reading streams.

use tng_base::Instant;
use tng_semantic::structured::{Read, ReadError, StreamId};
use tng_stack::{ConnectionId, Host};

use super::app::Flows;
use super::write::Writing;
use crate::engine::plan::{DATAGRAMS, HEADER_LEN};
use crate::engine::source::Source;

/// A half that is read here.
#[derive(Default)]
pub(super) struct Reading {
    head: Vec<u8>,
    /// Which stream it is, as soon as its head says so.
    pub(super) stream: Option<usize>,
    part: Part,
    offset: u64,
}

/// What is read.
#[derive(Default)]
pub(super) enum Part {
    /// What the opener wrote, before its head is there.
    #[default]
    Opening,
    /// What the stream is there for.
    Body,
    /// What asks for that.
    Request,
    /// A half on which nothing comes but its end.
    Nothing,
    /// A datagram, so far.
    Datagram(Vec<u8>),
}

impl Reading {
    /// The other half of a stream that was opened here.
    pub(super) fn known(stream: usize, part: Part) -> Reading {
        Reading { head: Vec::new(), stream: Some(stream), part, offset: 0 }
    }
}

/// How a half ended.
enum Ended {
    Whole,
    Cut(String),
    Wrong(String),
}

impl Flows {
    /// Reads what has come on a stream.
    pub(super) fn read(&mut self, now: Instant, host: &mut Host, connection: ConnectionId, id: StreamId) {
        let key = (connection, id);
        let Some(mut reading) = self.reading.remove(&key) else { return };
        let mut buffer = core::mem::take(&mut self.buffer);
        let ended = loop {
            if matches!(reading.part, Part::Body) && reading.stream.is_some_and(|stream| self.paused.contains(&stream))
            {
                break None;
            }
            let Some(streams) = host.streams(connection) else { break None };
            // What follows the head may have to wait, if the stream is not to be read.
            let most =
                if matches!(reading.part, Part::Opening) { HEADER_LEN - reading.head.len() } else { buffer.len() };
            match streams.read(id, &mut buffer[..most]) {
                Ok(Read::Bytes(n)) => {
                    if let Err(problem) = self.take(&mut reading, now, host, key, &buffer[..n]) {
                        break Some(Ended::Wrong(problem));
                    }
                }
                Ok(Read::Blocked) => break None,
                Ok(Read::Finished) => break Some(Ended::Whole),
                // Its event comes as well.
                Err(ReadError::Reset(_)) => break None,
                Err(error) => break Some(Ended::Wrong(error.to_string())),
            }
        };
        self.buffer = buffer;
        match ended {
            None => drop(self.reading.insert(key, reading)),
            Some(ended) => self.settle(reading, ended, now, host, key),
        }
    }

    /// Takes bytes of a half.
    fn take(
        &mut self,
        reading: &mut Reading,
        now: Instant,
        host: &mut Host,
        (connection, id): (ConnectionId, StreamId),
        bytes: &[u8],
    ) -> Result<(), String> {
        if matches!(reading.part, Part::Opening) {
            reading.head.extend_from_slice(bytes);
            let Some(head) = reading.head.first_chunk::<HEADER_LEN>() else { return Ok(()) };
            let number = u32::from_be_bytes(*head);
            if number & DATAGRAMS != 0 {
                reading.part = Part::Datagram(head.to_vec());
            } else {
                let stream = number as usize;
                let planned = self.plan.streams.get(stream).ok_or_else(|| format!("there is no stream {stream}"))?;
                reading.part = if planned.request.is_some() { Part::Request } else { Part::Body };
                reading.stream = Some(stream);
                self.ledger.arrive(stream);
                self.know(stream, connection, id, now, host);
                self.end_parent(stream, now, host);
            }
            return Ok(());
        }
        match &mut reading.part {
            Part::Datagram(datagram) => datagram.extend_from_slice(bytes),
            _ if !self.plan.matches(reading.offset, bytes) => {
                return Err(format!("a wrong byte behind {}", reading.offset));
            }
            _ => {
                reading.offset += bytes.len() as u64;
                if let (Some(stream), Part::Body, false) = (reading.stream, &reading.part, bytes.is_empty()) {
                    self.ledger.count_received(stream, now, bytes.len() as u64);
                }
            }
        }
        Ok(())
    }

    /// The other side gave up what it wrote.
    pub(super) fn end_reset(
        &mut self,
        code: u64,
        now: Instant,
        host: &mut Host,
        connection: ConnectionId,
        id: StreamId,
    ) {
        if let Some(reading) = self.reading.remove(&(connection, id)) {
            let how = format!("reset by the sender with code {code}");
            self.settle(reading, Ended::Cut(how), now, host, (connection, id));
        }
    }

    /// A half has come to its end.
    fn settle(
        &mut self,
        reading: Reading,
        ended: Ended,
        now: Instant,
        host: &mut Host,
        (connection, id): (ConnectionId, StreamId),
    ) {
        match (reading.part, reading.stream, ended) {
            (Part::Datagram(bytes), _, Ended::Whole) => self.plan.take_datagram(&self.ledger, &bytes, now),
            (Part::Body, Some(stream), Ended::Whole) => self.ledger.end(stream, now),
            (Part::Body, Some(stream), Ended::Cut(how)) => self.ledger.cut(stream, now, how),
            (Part::Request, Some(stream), Ended::Whole) => {
                self.writing.insert(stream, Writing::new(Source::of_answerer(&self.plan, stream, now), connection, id));
                return self.begin_writing(stream, now, host);
            }
            (Part::Body | Part::Request, Some(stream), Ended::Wrong(reason) | Ended::Cut(reason)) => {
                self.ledger.fail(stream, reason);
            }
            _ => {}
        }
        if let Some(stream) = reading.stream {
            self.end_parent(stream, now, host);
        }
        self.end_other_half(reading.stream, host, connection, id);
    }

    /// Nothing more is read here; if nothing is written either, says so.
    pub(super) fn end_other_half(
        &mut self,
        stream: Option<usize>,
        host: &mut Host,
        connection: ConnectionId,
        id: StreamId,
    ) {
        if !stream.is_some_and(|stream| self.writing.contains_key(&stream))
            && let Some(streams) = host.streams(connection)
        {
            // Fails if this half was over before, and that is as well.
            let _ = streams.finish(id);
        }
    }
}
