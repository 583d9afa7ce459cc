//! What exchanges need of a transport.

use core::fmt;

use tng_base::{Instant, Machine};

/// One side's use of a transport whose streams are bytes and an end, towards one server.
pub(super) trait Carrier {
    /// The transport.
    type Host: Machine;
    /// Names a stream.
    type Stream: Copy + Ord + fmt::Debug;

    /// Opens a stream to the server; `None`: not now, and [`News::CanOpen`] follows.
    fn open(&mut self, now: Instant, host: &mut Self::Host) -> Result<Option<Self::Stream>, String>;

    /// Takes bytes to be sent: how many. When it took fewer than it was given, [`News::Writable`] follows.
    fn write(&mut self, host: &mut Self::Host, stream: Self::Stream, bytes: &[u8]) -> usize;

    /// Nothing more will be written.
    fn finish(&mut self, host: &mut Self::Host, stream: Self::Stream);

    /// Throws away what has come, at most so much: how much it was, and whether that was the end.
    fn read(&mut self, host: &mut Self::Host, stream: Self::Stream, max: u64) -> (u64, bool) {
        let mut buf = [0; 16 << 10];
        let mut total = 0;
        while total < max {
            let room = usize::try_from(max - total).unwrap_or(usize::MAX).min(buf.len());
            match self.read_into(host, stream, &mut buf[..room]) {
                (0, end) => return (total, end),
                (count, true) => return (total + count as u64, true),
                (count, false) => total += count as u64,
            }
        }
        (total, false)
    }

    /// Moves what has come to `out`: how much it was, and whether that was the end.
    fn read_into(&mut self, host: &mut Self::Host, stream: Self::Stream, out: &mut [u8]) -> (usize, bool);

    /// Closes whatever connection outlives its streams: the next stream is the first of a new one.
    fn hang_up(&mut self, now: Instant, host: &mut Self::Host);

    /// What an event says.
    fn news(
        &mut self,
        host: &mut Self::Host,
        event: <Self::Host as Machine>::Event,
        tell: &mut Vec<News<Self::Stream>>,
    );
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum News<S> {
    /// The other side has opened a stream; there may be something to read.
    Incoming(S),
    /// There may be something to read, the end perhaps.
    Readable(S),
    /// There is room to write again.
    Writable(S),
    /// Streams can be opened.
    CanOpen,
    /// The exchange cannot go on.
    Lost(String),
}
