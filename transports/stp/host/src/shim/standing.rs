//! What a guest in another process may take for granted, so that it need not ask for each thing that it does.

use core::ops::Range;

use tng_stp_abi::{AddressFamily, Host, Refused};

use super::Shim;
use crate::policer::SEGMENT_ADDED;
use crate::wire::Segment;

/// Where a shim stands between two calls of its guest. Whatever fits in here is done without a question; the rest is
/// asked for, and answered as it would be here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Milliseconds since the path was there.
    pub tick: u64,
    /// Where the send buffer begins and ends.
    pub send_buffer: (u64, u64),
    /// Bytes that the receive buffer has room for.
    pub receive_room: u64,
    /// Messages for which it has room.
    pub messages: u32,
    /// Segments that may be kept.
    pub kept: u32,
    /// The number of the next segment.
    pub next: u64,
    /// Bytes that the policer lets leave, what is added to segments included.
    pub leave: u64,
    /// Segments for which the scoreboard has room.
    pub segments: u32,
    /// Bytes for which there is room among what waits to leave.
    pub queue: u32,
    /// Acknowledgments that may leave.
    pub acknowledgments: u32,
    /// Bytes that they may have.
    pub acknowledgment_bytes: u64,
    /// Bytes of a segment at most.
    pub segment_max: u32,
    /// Of this end's address.
    pub family: AddressFamily,
    /// Whether the application has asked to disconnect.
    pub disconnecting: bool,
    /// Whether the peer's application writes nothing any more.
    pub ended: bool,
    /// Whether the guest has said that it is done, or that the connection has failed.
    pub said: bool,
}

impl Standing {
    /// Of a shim that lets nothing be done.
    pub const NOTHING: Standing = Standing {
        tick: 0,
        send_buffer: (0, 0),
        receive_room: 0,
        messages: 0,
        kept: 0,
        next: 0,
        leave: 0,
        segments: 0,
        queue: 0,
        acknowledgments: 0,
        acknowledgment_bytes: 0,
        segment_max: 0,
        family: AddressFamily::Unknown,
        disconnecting: false,
        ended: false,
        said: false,
    };

    /// What a segment of so many bytes takes of [`leave`](Standing::leave), if it is the next.
    pub fn cost(&self, len: usize) -> u64 {
        (len + Segment::overhead(Some(self.next))) as u64 + SEGMENT_ADDED
    }
}

impl Shim {
    /// Where it stands.
    pub fn standing(&mut self) -> Standing {
        let (acknowledgments, acknowledgment_bytes) = self.acks.left();
        let few = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Standing {
            tick: self.gettick(),
            send_buffer: (self.socket.first(), self.socket.sent()),
            receive_room: self.receive_room(),
            messages: few(self.socket.places()),
            kept: few(self.segments.places()),
            next: self.books.next(),
            leave: if self.policed { self.policer.leave(self.now) } else { u64::MAX },
            segments: few(self.books.room()),
            queue: few(self.quotas.queued.saturating_sub(self.outgoing.bytes())),
            acknowledgments: u32::try_from(acknowledgments).unwrap_or(u32::MAX),
            acknowledgment_bytes,
            segment_max: few(self.segment_max),
            family: self.family,
            disconnecting: self.socket.is_disconnecting(),
            ended: self.socket.has_ended(),
            said: self.said.is_some(),
        }
    }

    /// As [`net_send`](Host::net_send), of what the policer has let leave when it was asked last: `leave`, which this
    /// is taken from. Had the guest sent it then, before it told of what is proven and lost since, it would have left.
    ///
    /// # Errors
    /// As `net_send`; [`Refused::WouldBlock`] if it is more than that.
    pub fn net_send_within(&mut self, head: &[u8], body: Range<u64>, leave: &mut u64) -> Result<u64, Refused> {
        let len = self.check(head, &body)?;
        if !self.books.has_room() || self.outgoing.bytes() + len > self.quotas.queued {
            return Err(Refused::Full);
        }
        let bytes = self.bytes_of_next(len);
        *leave = leave.checked_sub(bytes + SEGMENT_ADDED).ok_or(Refused::WouldBlock)?;
        Ok(self.admit(bytes, head, body))
    }

    /// As [`net_send`](Host::net_send) of so many bytes, where so much waits to leave that there is no room for them.
    ///
    /// # Errors
    /// If there is room.
    pub fn net_send_crowded(&mut self, len: usize) -> Result<(), Refused> {
        if len > self.segment_max || self.outgoing.bytes() + len <= self.quotas.queued {
            return Err(Refused::NotThere);
        }
        self.crowded = true;
        Ok(())
    }

    /// Bytes of the buffer that a segment is in: what it takes of the receive buffer when it is kept.
    pub fn segment_buffer(&self, segment: u32) -> u64 {
        self.segments.buffer_of(segment)
    }
}
