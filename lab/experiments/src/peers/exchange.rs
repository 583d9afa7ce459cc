//! Requests and answers over several transports: what a browser does with its connections, and how long its pages take.
//!
//! * [`Page`]: requests; the first has to be answered before the others are known.
//! * [`Habit`]: over how many streams requests go, and whether a stream takes more than one.
//! * [`Way`]: over what: the reference TCP, SST (tng's structured streams), QUIC, or Trickles.
//! * [`Load`]: a client that loads pages from a server, one after the other, in a world of their own.
//! * [`Crowd`]: many clients and their servers, who share a link.
//! * [`datagrams`]: datagrams of one size by UDP, QUIC and tng, and how many come.
//! * [`udp`]: datagrams that IP fragments, and exchanges of one datagram each.
//!
//! A request begins with how long it is and how much it asks for; an answer is so many bytes and nothing else. Their
//! contents mean nothing.

mod client;
mod crowd;
pub mod datagrams;
mod dispatch;
mod party;
mod server;
pub mod udp;
mod world;

pub use client::{Errand, Loaded};
pub use crowd::{CROWD_MAX, Crowd, Kill, Origin, Scene, Visit};
pub use dispatch::Dispatch;
pub use world::{ExchangeError, Load, Setting, Way};

pub(crate) use server::parse;

pub use crate::peers::transport::Held;
pub use crate::peers::transport::trickles::{Pipelining, Usage};

use core::time::Duration;

use crate::peers::transport::{Read, Transport};

/// Bytes at the start of a request that say how long it is (4) and how much it asks for (8).
pub(crate) const HEAD_LEN: usize = 12;
/// An answer that nobody sees the end of, bytes.
pub const ENDLESS: u64 = 1 << 40;
/// Bytes of the longest request; longer ones are cut.
pub const REQUEST_MAX: u32 = 64 << 10;

/// A request and its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// Bytes asked with; 12 at least, [`REQUEST_MAX`] at most.
    pub request: u32,
    /// Bytes of the answer.
    pub answer: u64,
}

/// What is loaded at once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Page {
    /// The first tells of the others: they are asked for when its answer is there, all together.
    pub requests: Vec<Request>,
}

impl Page {
    /// A page of one request.
    pub fn single(request: u32, answer: u64) -> Page {
        Page { requests: vec![Request { request, answer }] }
    }

    /// Pages of one request each, one at once after the other.
    pub fn sequence(request: u32, answers: impl IntoIterator<Item = u64>) -> Vec<Step> {
        let step = |answer| Step { after: Duration::ZERO, cold: false, page: Page::single(request, answer) };
        answers.into_iter().map(step).collect()
    }

    /// Bytes of all answers.
    pub fn bytes(&self) -> u64 {
        self.requests.iter().map(|request| request.answer).sum()
    }
}

/// What a client does with its streams; where streams are connections, with these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Habit {
    /// Most streams at once.
    pub streams: usize,
    /// Whether a stream that has been answered takes another request, and is kept from page to page.
    pub persistent: bool,
    /// Requests on a persistent stream that have not been answered, at most.
    pub depth: usize,
}

impl Habit {
    /// A stream for every request, as many at once as there are requests.
    pub const EACH_ITS_OWN: Habit = Habit { streams: usize::MAX, persistent: false, depth: 1 };
    /// A stream for every request, one at a time.
    pub const ONE_BY_ONE: Habit = Habit { streams: 1, persistent: false, depth: 1 };
}

/// One thing that a client does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// How long after the step before.
    pub after: Duration,
    /// Whether it closes its connections before.
    pub cold: bool,
    /// What it loads.
    pub page: Page,
}

/// Moves what has come on a stream to `out`: how much it was, and whether that was the end.
fn take<T: Transport>(host: &mut T, stream: T::Stream, out: &mut [u8]) -> (usize, bool) {
    match host.read(stream, out) {
        Read::Bytes(count) => (count, false),
        Read::Blocked => (0, false),
        Read::Finished | Read::Reset(_) | Read::Gone => (0, true),
    }
}

/// Throws away what has come on a stream, at most so much: how much it was, and whether that was the end.
fn skip<T: Transport>(host: &mut T, stream: T::Stream, max: u64) -> (u64, bool) {
    let mut buf = [0; 16 << 10];
    let mut total = 0;
    while total < max {
        let room = usize::try_from(max - total).unwrap_or(usize::MAX).min(buf.len());
        match take(host, stream, &mut buf[..room]) {
            (0, end) => return (total, end),
            (count, _) => total += count as u64,
        }
    }
    (total, false)
}
