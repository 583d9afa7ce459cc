//! Whole messages over a pair of sockets.

use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use tng_stp_sandbox::MODULE_MAX;
use tng_wire::{Reader, Repr, Writer};

use crate::confine::{ConfineError, close_others};

/// Bytes of a message at most. The largest that is not a module has what the guest has done in one go, with bytes for
/// the receive buffer.
pub const FRAME_MAX: usize = MODULE_MAX + 4_096;
/// Bytes that are read at once, and that a buffer keeps.
const READ_AT_ONCE: usize = 64 << 10;
const LENGTH: usize = 4;

/// Why there is no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineError {
    /// The other end is not there any more.
    Gone,
    /// It did not say it in time.
    Slow,
    /// It says what is none, or says more than it was asked for.
    Strange,
}

impl From<io::Error> for LineError {
    fn from(error: io::Error) -> LineError {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => LineError::Slow,
            _ => LineError::Gone,
        }
    }
}

/// One end of a pair: one message there, and one back.
#[derive(Debug)]
pub(crate) struct Line {
    stream: UnixStream,
    /// Room for a message; its first `filled` bytes have come.
    read: Vec<u8>,
    filled: usize,
    written: Vec<u8>,
}

impl Line {
    pub(crate) fn new(stream: UnixStream) -> Line {
        Line { stream, read: Vec::new(), filled: 0, written: Vec::new() }
    }

    /// Another descriptor of it, to see when it is closed.
    pub(crate) fn watched(&self) -> io::Result<OwnedFd> {
        self.stream.try_clone().map(OwnedFd::from)
    }

    /// Closes every other descriptor of this process.
    pub(crate) fn close_others(&self) -> Result<(), ConfineError> {
        close_others(&self.stream)
    }

    /// How long a call of the system may take.
    pub(crate) fn set_patience(&self, patience: Duration) -> io::Result<()> {
        self.stream.set_read_timeout(Some(patience))?;
        self.stream.set_write_timeout(Some(patience))
    }

    pub(crate) fn send<'a>(&mut self, message: &impl Repr<'a>) -> Result<(), LineError> {
        self.write(message);
        let sent = self.stream.write_all(&self.written);
        shrink(&mut self.written);
        Ok(sent?)
    }

    fn write<'a>(&mut self, message: &impl Repr<'a>) {
        let len = message.wire_len();
        self.written.clear();
        self.written.extend_from_slice(&u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes());
        self.written.resize(LENGTH + len, 0);
        let emitted = message.emit(&mut Writer::new(&mut self.written[LENGTH..]));
        debug_assert!(emitted.is_ok(), "wire_len bytes are enough");
    }

    /// Waits for a message: until then, or for ever.
    pub(crate) fn receive<'a, T: Repr<'a>>(&'a mut self, until: Option<Instant>) -> Result<T, LineError> {
        self.read_whole(until)?;
        let mut reader = Reader::new(&self.read[LENGTH..self.filled]);
        let message = T::parse(&mut reader).map_err(|_| LineError::Strange)?;
        if reader.is_empty() { Ok(message) } else { Err(LineError::Strange) }
    }

    /// Leaves the message in `read`. What is claimed to come takes no room before it is there.
    fn read_whole(&mut self, until: Option<Instant>) -> Result<(), LineError> {
        shrink(&mut self.read);
        let (mut filled, mut whole) = (0, None);
        loop {
            if self.read.len() - filled < READ_AT_ONCE / 4 {
                self.read.resize(filled + READ_AT_ONCE, 0);
            }
            match self.stream.read(&mut self.read[filled..]) {
                Ok(0) => return Err(LineError::Gone),
                Ok(len) => filled += len,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            if whole.is_none()
                && let Some(length) = self.read[..filled].first_chunk::<LENGTH>()
            {
                let len = u32::from_be_bytes(*length) as usize;
                whole = Some(LENGTH + Some(len).filter(|len| *len <= FRAME_MAX).ok_or(LineError::Strange)?);
            }
            match whole {
                Some(whole) if filled == whole => {
                    self.filled = filled;
                    return Ok(());
                }
                Some(whole) if filled > whole => return Err(LineError::Strange),
                _ if until.is_some_and(|until| now() > until) => return Err(LineError::Slow),
                _ => {}
            }
        }
    }
}

/// Room that a module took is not kept.
fn shrink(buffer: &mut Vec<u8>) {
    if buffer.capacity() > 2 * READ_AT_ONCE {
        buffer.truncate(READ_AT_ONCE);
        buffer.shrink_to(READ_AT_ONCE);
    }
}

/// The clock that bounds a wait.
#[expect(clippy::disallowed_methods, reason = "another process runs in real time, and is waited for no longer")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Deeds, Question, Report};

    fn pair() -> (Line, UnixStream) {
        let (here, there) = UnixStream::pair().unwrap();
        (Line::new(here), there)
    }

    #[test]
    fn messages_arrive_whole_however_they_are_cut() {
        let (mut line, mut there) = pair();
        let (deeds, mut sent) = (vec![4; 200_000], Line::new(there.try_clone().unwrap()));
        sent.write(&Report::Ask(Deeds(&deeds), Question::Budget));
        let bytes = sent.written.clone();
        let writing = std::thread::spawn(move || {
            for piece in bytes.chunks(7_001) {
                there.write_all(piece).unwrap();
            }
            there
        });
        assert_eq!(line.receive(None), Ok(Report::Ask(Deeds(&deeds), Question::Budget)));
        drop((writing.join().unwrap(), sent));
        assert_eq!(line.receive::<Report<'_>>(None), Err(LineError::Gone));
    }

    #[test]
    fn what_is_claimed_and_does_not_come_takes_no_room_and_is_not_waited_for() {
        let (mut line, mut there) = pair();
        line.set_patience(Duration::from_millis(20)).unwrap();
        there.write_all(&(FRAME_MAX as u32).to_be_bytes()).unwrap();
        assert_eq!(line.receive::<Report<'_>>(None), Err(LineError::Slow));
        assert!(line.read.capacity() <= 2 * READ_AT_ONCE);
        let (mut line, mut there) = pair();
        there.write_all(&(FRAME_MAX as u32 + 1).to_be_bytes()).unwrap();
        assert_eq!(line.receive::<Report<'_>>(None), Err(LineError::Strange));
    }

    #[test]
    fn who_says_more_than_it_was_asked_for_is_strange_and_who_drips_is_slow() {
        let (mut line, mut there) = pair();
        there.write_all(&[0, 0, 0, 2, 1, 2, 0]).unwrap();
        assert_eq!(line.receive::<Report<'_>>(None), Err(LineError::Strange));
        let (mut line, mut there) = pair();
        there.write_all(&[0, 0]).unwrap();
        let past = now();
        assert_eq!(line.receive::<Report<'_>>(Some(past)), Err(LineError::Slow));
    }
}
