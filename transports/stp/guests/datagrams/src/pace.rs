//! When a message that is sent once may leave.

use core::fmt;

/// When the next one may leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Now.
    Now,
    /// At this millisecond.
    At(u64),
    /// When something has arrived.
    Later,
}

/// What a report of the peer's has told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct News {
    /// Segments and bytes that are known to have arrived.
    pub arrived: u64,
    /// The same in bytes.
    pub bytes: u64,
    /// The newest that was found lost: its number, and when it had left.
    pub lost: Option<(u64, u64)>,
    /// Segments that have left in all.
    pub numbered: u64,
    /// Bytes of a segment.
    pub size: u64,
    /// Smoothed round trip in milliseconds, 1 at least.
    pub rtt_ms: u64,
    /// Loss events per segment in billionths, and bytes a second, as the peer counts them.
    pub peer: (u64, u64),
}

/// A congestion control of segments that are not sent again.
pub trait Pace: Clone + Default + fmt::Debug {
    /// What segments say of it, so that the other end knows what to report.
    fn tag(&self) -> u8;

    /// Whether another segment may leave with so many on their way.
    fn turn(&mut self, now: u64, flying: usize) -> Turn;

    /// One left.
    fn handle_sent(&mut self, now: u64, len: u64);

    /// The peer reported.
    fn handle_news(&mut self, now: u64, news: &News);

    /// It has not for four round trips, and a second.
    fn handle_silence(&mut self, now: u64);

    /// The application chooses; answers whether there is such a choice.
    fn choose(&mut self, _what: u8) -> bool {
        false
    }
}
