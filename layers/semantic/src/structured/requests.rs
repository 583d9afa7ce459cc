//! Requests and answers: streams that are opened, written and ended in one call, and whose answer is read in one.
//!
//! A request is a stream like any other. What is small on either side, and is there whole, takes these calls; what is
//! not goes on as a stream, by the same id.

use std::sync::Arc;

use super::buffer::PAGE;
use super::error::{OpenError, ReadError, WriteError};
use super::recv::RecvHalf;
use super::scheduler::Priority;
use super::{StreamId, Streams, next_waiting};

/// Bytes of a request, and of an answer, that is handed over whole; a larger one is read as a stream.
pub const WHOLE_MAX: usize = PAGE;

/// A request that a peer made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// The stream that it came on; [answer](Streams::answer) it there.
    pub id: StreamId,
    /// The service that it is for.
    pub service: Arc<str>,
    /// It came in a first packet whose sender has not proven yet that it is not a replay.
    pub early: bool,
    /// All of it; `None` of one that is not there whole yet, or has more than [`WHOLE_MAX`] bytes: read that.
    pub body: Option<Vec<u8>>,
}

impl Streams {
    /// Opens a stream to a service, writes `body` and ends it, all in one, and answers how much of the body was taken.
    /// If it was not all, the stream is open: write the rest.
    ///
    /// # Errors
    /// As [`open`](Streams::open).
    pub fn request(
        &mut self,
        service: &str,
        protocol: &str,
        body: &[u8],
        priority: Priority,
    ) -> Result<(StreamId, usize), OpenError> {
        let slot = self.open_slot(service, protocol)?;
        let id = self.table[slot].id;
        if priority != Priority::default() {
            self.prioritize(slot, priority);
        }
        let taken = match self.write_and_finish(slot, body) {
            true => body.len(),
            false => self.write(id, body).unwrap_or(0),
        };
        Ok((id, taken))
    }

    /// Writes all of `body` and ends the stream, if there is room for it.
    fn write_and_finish(&mut self, slot: u32, body: &[u8]) -> bool {
        let room = self.write_room();
        let stream = &mut self.table[slot];
        if !stream.send.has_room(&mut self.pages, room, body.len()) {
            return false;
        }
        let taken = stream.send.write(&mut self.pages, room, body);
        debug_assert_eq!(taken, Ok(body.len()), "there was room");
        stream.send.finish(&mut self.pages);
        self.unsent += body.len() as u64;
        self.mark_dirty(slot);
        true
    }

    /// The answer to a request, if all of it is there and it has at most [`WHOLE_MAX`] bytes: the stream is then let go
    /// of, as by [`release`](Streams::release).
    ///
    /// # Errors
    /// See [`ReadError`]; all are final.
    pub fn take_answer(&mut self, id: StreamId) -> Result<Option<Vec<u8>>, ReadError> {
        let Some(slot) = self.known(id) else {
            return Err(if self.lost { ReadError::ConnectionLost } else { ReadError::Unknown });
        };
        let stream = &self.table[slot];
        if let Some(refusal) = stream.refusal() {
            return Err(ReadError::Refused(refusal.code));
        }
        if let RecvHalf::Reset(code) = stream.recv {
            return Err(ReadError::Reset(code));
        }
        match self.read_whole(slot) {
            None if self.lost => Err(ReadError::ConnectionLost),
            None => Ok(None),
            answer => {
                self.release_slot(slot);
                Ok(answer)
            }
        }
    }

    /// The next request of a service whose streams are requests. For as long as there are more, and when there are
    /// again, [`StreamEvent::Requested`](super::StreamEvent::Requested) follows. Of those that their peer has taken
    /// back meanwhile nothing is told.
    pub fn next_request(&mut self) -> Option<Request> {
        loop {
            let waiting = next_waiting(&mut self.requests)?;
            self.requested_due = !self.requests.is_empty();
            let slot = waiting.slot;
            let stream = &mut self.table[slot];
            stream.hand_over();
            if matches!(stream.recv, RecvHalf::Reset(_)) || !stream.send.is_open() {
                self.release_slot(slot);
                continue;
            }
            let body = self.read_whole(slot);
            self.mark_dirty(slot);
            let service = Arc::clone(&self.services.name(waiting.offered()).service);
            return Some(Request { id: self.table[slot].id, service, early: waiting.early(), body });
        }
    }

    /// Answers a request that was read: writes all of `answer`, ends the stream and lets go of it. Answers `false`, and
    /// does nothing, if there is no room for all of it: then write it as a stream.
    ///
    /// # Errors
    /// See [`WriteError`]: nobody waits for the answer any more.
    pub fn answer(&mut self, id: StreamId, answer: &[u8]) -> Result<bool, WriteError> {
        if self.lost {
            return Err(WriteError::ConnectionLost);
        }
        let slot = self.known(id).ok_or(WriteError::Unknown)?;
        if let Some(closed) = self.table[slot].send.closed() {
            self.release_slot(slot);
            return Err(closed);
        }
        let answered = self.write_and_finish(slot, answer);
        if answered {
            self.release_slot(slot);
        }
        Ok(answered)
    }

    /// Reads a stream from its beginning, or what is left of it, to its end, if all of it is there and it is small.
    fn read_whole(&mut self, slot: u32) -> Option<Vec<u8>> {
        let stream = &mut self.table[slot];
        let mut uncounted = None;
        let host = self.host.of(stream.id, &mut uncounted);
        stream.recv.read_whole(&mut self.pages, host, WHOLE_MAX)
    }
}
