//! The application's end of a guest's connection: two buffers.

use core::ops::Range;
use std::collections::VecDeque;

use tng_stp_abi::{Refused, SocketKind};

/// What the application writes and reads, and what the guest takes and appends. Offsets count from the start of the
/// connection.
#[derive(Debug)]
pub struct Socket {
    kind: SocketKind,
    /// Bytes that the guest has not dropped, and those that it has while segments with some of them wait to leave.
    send: VecDeque<u8>,
    /// Offset of the first of them.
    first: u64,
    /// What the guest has dropped ends here.
    dropped: u64,
    send_max: u64,
    /// Something was not written for want of room, and nobody has been told that there is some again.
    refused: bool,
    /// Where each message ends that the guest has not heard of, if it is a message socket.
    unsaid: VecDeque<u64>,
    /// Bytes that the application has not taken.
    receive: VecDeque<u8>,
    /// Bytes that it has.
    taken: u64,
    /// Lengths of the messages in there, if it is a message socket.
    messages: VecDeque<usize>,
    receive_max: u64,
    /// The application writes nothing any more.
    disconnecting: bool,
    /// The peer's does not.
    ended: bool,
}

/// Why nothing is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WriteError {
    /// Environment: the send buffer is full. A notice follows when it is not.
    Full,
    /// Caller: the application has said that it writes nothing any more, or the connection is over.
    Closed,
    /// Caller: a message longer than the send buffer, or an empty one.
    Length,
}

impl core::fmt::Display for WriteError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            WriteError::Full => "the send buffer is full; write again when the connection says so",
            WriteError::Closed => "nothing can be written any more: the stream was finished, or the connection is over",
            WriteError::Length => "a message has one byte at least, and at most as many as the send buffer",
        })
    }
}

impl core::error::Error for WriteError {}

impl Socket {
    pub(crate) fn new(kind: SocketKind, send_max: u64, receive_max: u64) -> Socket {
        Socket {
            kind,
            send: VecDeque::new(),
            first: 0,
            dropped: 0,
            send_max,
            refused: false,
            unsaid: VecDeque::new(),
            receive: VecDeque::new(),
            taken: 0,
            messages: VecDeque::new(),
            receive_max,
            disconnecting: false,
            ended: false,
        }
    }

    /// The receive buffer has no more than so many bytes.
    pub(crate) fn set_receive_max(&mut self, bytes: u64) {
        self.receive_max = self.receive_max.min(bytes);
    }

    /// What kind it is.
    pub fn kind(&self) -> SocketKind {
        self.kind
    }

    // The application's side

    /// Writes as much as there is room for, or a whole message; answers how many bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, WriteError> {
        if self.disconnecting {
            return Err(WriteError::Closed);
        }
        let room = usize::try_from(self.send_max.saturating_sub(self.send.len() as u64)).unwrap_or(usize::MAX);
        if self.unsaid.len() >= MESSAGES_MAX {
            self.refused = true;
            return Err(WriteError::Full);
        }
        let len = match self.kind {
            SocketKind::Message if bytes.is_empty() || bytes.len() as u64 > self.send_max => {
                return Err(WriteError::Length);
            }
            SocketKind::Message if bytes.len() > room => 0,
            _ => bytes.len().min(room),
        };
        self.refused = len < bytes.len();
        if len == 0 && !bytes.is_empty() {
            return Err(WriteError::Full);
        }
        append(&mut self.send, &bytes[..len], self.send_max);
        if self.kind == SocketKind::Message {
            self.unsaid.push_back(self.sent());
        }
        Ok(len)
    }

    /// The application writes nothing any more.
    pub(crate) fn disconnect(&mut self) {
        self.disconnecting = true;
    }

    /// Takes what has been appended: bytes, or one message, cut off at the end of `into`. Answers how many bytes, and
    /// nothing when there is nothing yet.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> Option<usize> {
        let whole = match self.kind {
            SocketKind::Stream => self.receive.len().min(into.len()),
            SocketKind::Message => self.messages.pop_front()?,
        };
        if whole == 0 && self.kind == SocketKind::Stream {
            return None;
        }
        let len = whole.min(into.len());
        copy(&self.receive, 0, &mut into[..len]);
        self.receive.drain(..whole);
        self.taken += whole as u64;
        Some(len)
    }

    /// Bytes of the next message, or all that can be read of a stream.
    pub fn readable(&self) -> usize {
        match self.kind {
            SocketKind::Stream => self.receive.len(),
            SocketKind::Message => self.messages.front().copied().unwrap_or_default(),
        }
    }

    /// Whether there is nothing to read, and never will be.
    pub fn is_at_end(&self) -> bool {
        self.ended && self.receive.is_empty()
    }

    /// Bytes that the application has taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Bytes that were appended, whether or not the application has taken them.
    pub fn appended(&self) -> u64 {
        self.taken + self.receive.len() as u64
    }

    /// Whether the application has something of the peer's: bytes, or their end.
    pub(crate) fn has_something(&self) -> bool {
        self.appended() > 0 || self.ended
    }

    /// All that was written, if the guest has dropped nothing of it.
    pub(crate) fn written(&self) -> Option<Vec<u8>> {
        (self.dropped == 0).then(|| self.send.iter().copied().collect())
    }

    // The guest's side

    /// Where the send buffer begins.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// Where the send buffer ends.
    pub fn sent(&self) -> u64 {
        self.first + self.send.len() as u64
    }

    /// Where what the guest has not heard of yet ends: the next message, or all that was written.
    pub(crate) fn take_unsaid(&mut self) -> u64 {
        self.unsaid.pop_front().unwrap_or_else(|| self.sent())
    }

    /// Whether there are messages that the guest has not heard of.
    pub(crate) fn has_unsaid(&self) -> bool {
        !self.unsaid.is_empty()
    }

    /// Up to where the guest has dropped it.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Whether the send buffer has these bytes.
    pub(crate) fn has(&self, bytes: &Range<u64>) -> bool {
        bytes.start <= bytes.end && (bytes.is_empty() || bytes.start >= self.first && bytes.end <= self.sent())
    }

    /// Reads the send buffer from an offset on.
    pub(crate) fn peek(&self, from: u64, into: &mut [u8]) -> Result<usize, Refused> {
        let at = from.checked_sub(self.first).and_then(|at| usize::try_from(at).ok()).ok_or(Refused::NotThere)?;
        let len = self.send.len().checked_sub(at).ok_or(Refused::NotThere)?.min(into.len());
        copy(&self.send, at, &mut into[..len]);
        Ok(len)
    }

    /// The guest drops what is before `until`. It is there until it is [released](Socket::release).
    pub(crate) fn drop_sent(&mut self, until: u64) -> Result<(), Refused> {
        if until > self.sent() {
            return Err(Refused::NotThere);
        }
        self.dropped = self.dropped.max(until);
        Ok(())
    }

    /// No segment waits to leave: what was dropped takes no room any more. Answers whether somebody may wait for that:
    /// for room, or for all that was written to be there.
    pub(crate) fn release(&mut self) -> bool {
        let dropped = self.dropped - self.first;
        self.send.drain(..dropped as usize);
        self.first = self.dropped;
        dropped > 0 && (core::mem::take(&mut self.refused) || self.send.is_empty())
    }

    /// Messages that may still be appended.
    pub(crate) fn places(&self) -> usize {
        MESSAGES_MAX.saturating_sub(self.messages.len())
    }

    pub(crate) fn room(&self) -> u64 {
        self.receive_max.saturating_sub(self.receive.len() as u64)
    }

    /// Appends bytes, or a message, which has one byte at least: to read none is the end. So many bytes of the buffer's
    /// are in segments that the guest keeps.
    pub(crate) fn append(&mut self, bytes: &[u8], beside: u64) -> Result<(), Refused> {
        if self.ended {
            return Err(Refused::Closed);
        }
        if bytes.is_empty() && self.kind == SocketKind::Message {
            return Err(Refused::Length);
        }
        if bytes.len() as u64 > self.room().saturating_sub(beside) || self.messages.len() >= MESSAGES_MAX {
            return Err(Refused::Full);
        }
        append(&mut self.receive, bytes, self.receive_max);
        if self.kind == SocketKind::Message {
            self.messages.push_back(bytes.len());
        }
        Ok(())
    }

    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    pub(crate) fn is_disconnecting(&self) -> bool {
        self.disconnecting
    }

    /// Whether the peer's application writes nothing any more.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Gives back what empty buffers need not have.
    pub(crate) fn shrink(&mut self) {
        for buffer in [&mut self.send, &mut self.receive] {
            if buffer.is_empty() {
                buffer.shrink_to(SHRUNK);
            }
        }
    }

    /// Bytes of memory that both buffers have.
    pub(crate) fn held(&self) -> u64 {
        let ends = self.messages.capacity() + self.unsaid.capacity();
        (self.send.capacity() + self.receive.capacity() + ends * size_of::<u64>()) as u64
    }
}

/// Bytes of memory that an empty buffer keeps at most.
const SHRUNK: usize = 64 << 10;

/// Messages that wait to be taken, and those that a guest has not heard of, at most.
pub const MESSAGES_MAX: usize = 4_096;

/// Appends to a buffer that has at most so many bytes. It grows by doubling, and no further than that.
fn append(ring: &mut VecDeque<u8>, bytes: &[u8], max: u64) {
    let wanted = ring.len() + bytes.len();
    if wanted > ring.capacity() {
        let doubled = (2 * ring.capacity()).min(usize::try_from(max).unwrap_or(usize::MAX));
        ring.reserve_exact(doubled.max(wanted) - ring.len());
    }
    ring.extend(bytes);
}

/// Copies from a place in a ring on; there are enough bytes.
pub(crate) fn copy(ring: &VecDeque<u8>, at: usize, into: &mut [u8]) {
    let (front, back) = ring.as_slices();
    let first = front.len().saturating_sub(at).min(into.len());
    let (one, two) = into.split_at_mut(first);
    one.copy_from_slice(front.get(at..at + first).unwrap_or_default());
    let at = at.saturating_sub(front.len());
    two.copy_from_slice(back.get(at..at + two.len()).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_takes_as_much_as_there_is_room_for_and_tells_offsets() {
        let mut socket = Socket::new(SocketKind::Stream, 10, 10);
        assert_eq!((socket.write(b"hello, world"), socket.sent()), (Ok(10), 10));
        assert_eq!(socket.write(b"!"), Err(WriteError::Full));
        let mut bytes = [0; 4];
        assert_eq!((socket.peek(3, &mut bytes), &bytes), (Ok(4), b"lo, "));
        assert_eq!((socket.drop_sent(5), socket.dropped(), socket.peek(4, &mut bytes)), (Ok(()), 5, Ok(4)));
        assert!(socket.release() && socket.peek(4, &mut bytes) == Err(Refused::NotThere));
        assert_eq!((socket.write(b"world"), socket.sent()), (Ok(5), 15));
        let mut rest = [0; 20];
        assert_eq!((socket.peek(5, &mut rest), &rest[..10]), (Ok(10), &b", worworld"[..]));
        assert_eq!((socket.drop_sent(16), socket.drop_sent(2)), (Err(Refused::NotThere), Ok(())));
        socket.disconnect();
        assert_eq!(socket.write(b"x"), Err(WriteError::Closed));
    }

    #[test]
    fn who_waits_for_room_or_for_all_to_be_there_is_told_of_it_and_of_nothing_else() {
        let mut socket = Socket::new(SocketKind::Stream, 10, 10);
        assert_eq!((socket.write(b"hello"), socket.drop_sent(2), socket.release()), (Ok(5), Ok(()), false));
        assert_eq!((socket.drop_sent(5), socket.release(), socket.release()), (Ok(()), true, false), "all is there");
        assert_eq!((socket.write(b"hello, world"), socket.drop_sent(6), socket.release()), (Ok(10), Ok(()), true));
    }

    #[test]
    fn what_is_appended_is_read_up_to_the_end() {
        let mut socket = Socket::new(SocketKind::Stream, 10, 8);
        assert_eq!(
            (socket.append(b"abcde", 0), socket.append(b"fghi", 0), socket.room()),
            (Ok(()), Err(Refused::Full), 3)
        );
        assert_eq!(socket.append(b"fgh", 1), Err(Refused::Full), "what is kept in segments is in the buffer, too");
        let mut bytes = [0; 3];
        assert_eq!((socket.read(&mut bytes), &bytes, socket.taken()), (Some(3), b"abc", 3));
        socket.end();
        assert_eq!((socket.append(b"x", 0), socket.is_at_end()), (Err(Refused::Closed), false));
        assert_eq!((socket.read(&mut bytes), socket.read(&mut bytes), socket.is_at_end()), (Some(2), None, true));
    }

    #[test]
    fn messages_are_whole_or_not_there() {
        let mut socket = Socket::new(SocketKind::Message, 10, 10);
        assert_eq!((socket.write(b"seven!!"), socket.write(b"four")), (Ok(7), Err(WriteError::Full)));
        assert_eq!((socket.write(b""), socket.write(&[0; 11])), (Err(WriteError::Length), Err(WriteError::Length)));
        assert_eq!((socket.append(b"abc", 0), socket.append(b"defgh", 0)), (Ok(()), Ok(())));
        assert_eq!(socket.append(b"", 0), Err(Refused::Length), "it would look like the end");
        let mut bytes = [0; 4];
        assert_eq!((socket.readable(), socket.read(&mut bytes)), (3, Some(3)));
        assert_eq!((socket.read(&mut bytes), &bytes), (Some(4), b"defg"));
        assert_eq!(socket.read(&mut bytes), None);
        assert_eq!((socket.taken(), socket.room()), (8, 10), "what was cut off counts as taken");
    }
}
