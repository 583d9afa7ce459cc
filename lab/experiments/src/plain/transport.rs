//! What a transport with plain streams can do.

use core::fmt;
use core::net::IpAddr;
use core::time::Duration;

use tng_base::{Instant, Machine};

/// A transport whose streams are bytes and an end.
pub(crate) trait Transport: Machine {
    /// Names one of its streams.
    type Stream: Copy + Ord + fmt::Debug;

    /// Opens a stream to a host, for a flow whose congestion controller is named.
    fn open(&mut self, now: Instant, to: IpAddr, controller: Option<&str>) -> Result<Self::Stream, OpenError>;

    /// Takes bytes to be sent: how many. Zero: [`News::Writable`] tells when there is room.
    fn write(&mut self, now: Instant, stream: Self::Stream, bytes: &[u8]) -> usize;

    /// Nothing more will be written.
    fn finish(&mut self, now: Instant, stream: Self::Stream);

    /// What has come, in order.
    fn read(&mut self, now: Instant, stream: Self::Stream, out: &mut [u8]) -> Read;

    /// The writer gives the stream up.
    fn reset(&mut self, now: Instant, stream: Self::Stream, code: u64);

    /// The reader gives the stream up.
    fn stop(&mut self, now: Instant, stream: Self::Stream, code: u64);

    /// What an event says of a stream.
    fn news(&mut self, event: Self::Event) -> Option<(Self::Stream, News)>;

    /// Round-trip times on the way that a stream takes, if any was measured and it is still known.
    fn rtt(&self, stream: Self::Stream) -> Option<Rtt>;
}

/// What a read gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Read {
    /// So many bytes.
    Bytes(usize),
    /// Nothing for now.
    Blocked,
    /// Everything was read.
    Finished,
    /// The stream is not known any more: all was read if it ended well, and if not, [`News::Lost`] says why.
    Gone,
}

/// What happened to a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum News {
    /// The other side has opened it.
    Incoming,
    /// There may be something to read, its end perhaps.
    Readable,
    /// There is room to write again.
    Writable,
    /// It has ended well, and its round-trip times will be forgotten: the last.
    Over(Option<Rtt>),
    /// It has ended badly, in this way; likewise.
    Lost(&'static str, Option<Rtt>),
}

/// Why a stream is not open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum OpenError {
    /// It never will be.
    Refused(String),
}

/// Round-trip times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rtt {
    pub(crate) smoothed: Duration,
    pub(crate) min: Duration,
}
