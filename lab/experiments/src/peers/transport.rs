//! What transports with plain streams have in common: their streams are bytes and an end.
//!
//! * [`tcp`]: the reference TCP as one; every stream is a connection.
//! * [`quic`]: QUIC as one.
//! * [`tell`]: how pages tell what hosts and links are set to.
//! * [`sst`]: tng's structured streams as one, without what else these can do.
//! * [`stp`]: guests as one; every stream is a connection.
//! * [`trickles`]: Trickles as one; every stream is a connection.

pub(crate) mod quic;
pub(crate) mod sst;
pub(crate) mod stp;
pub(crate) mod tcp;
pub(crate) mod tell;
pub(crate) mod trickles;

use core::fmt;
use core::net::IpAddr;
use core::time::Duration;
use tng_congestion::{Choice, SectionChoice};

use tng_base::{Instant, Machine};

/// The controller of a name that an experiment has fixed, or a parameter of known words.
///
/// # Panics
/// If there is none.
pub(crate) fn choice(name: &str) -> Choice {
    name.parse().expect("experiments name controllers that there are")
}

/// The same for a section between helpers.
///
/// # Panics
/// If there is none, or it is for no section.
pub(crate) fn section_choice(name: &str) -> SectionChoice {
    name.parse().expect("experiments name controllers that sections may have")
}

/// A transport whose streams are bytes and an end.
pub(crate) trait Transport: Machine + Sized {
    /// Names one of its streams.
    type Stream: Copy + Ord + fmt::Debug;
    /// Names what carries streams: where each is a connection of its own, the same.
    type Carrier: Copy + Eq + fmt::Debug;

    /// What carries a stream.
    fn carrier(stream: Self::Stream) -> Self::Carrier;

    /// Opens a stream to a host, for a flow whose congestion controller is named.
    fn open(&mut self, now: Instant, to: IpAddr, controller: Option<&Choice>) -> Result<Self::Stream, OpenError>;

    /// Takes bytes to be sent: how many. Fewer than it is given: [`News::Writable`] tells when there is room. What is
    /// gone takes nothing, and [`Event::Lost`] tells of it.
    fn write(&mut self, stream: Self::Stream, bytes: &[u8]) -> usize;

    /// Nothing more will be written.
    fn finish(&mut self, stream: Self::Stream);

    /// What has come, in order.
    fn read(&mut self, stream: Self::Stream, out: &mut [u8]) -> Read;

    /// Closes whatever connection to a host outlives its streams: the next stream is the first of a new one.
    fn hang_up(&mut self, now: Instant, to: IpAddr);

    /// What it has done, in words, for who asks why it was slow; empty where nobody counts.
    fn account(&self) -> String {
        String::new()
    }

    /// What is kept for peers, where that is known.
    fn held(&self) -> Option<Held> {
        None
    }

    /// What an event of the machine says to the application, in order.
    fn hear(&mut self, event: <Self as Machine>::Event, tell: &mut Vec<Event<Self>>);
}

/// Something happened.
pub(crate) enum Event<T: Transport> {
    /// To a stream.
    Stream(T::Stream, News),
    /// What could not be opened or sent before may be now.
    Ready,
    /// Datagrams have come.
    Datagrams(T::Carrier),
    /// All streams of a carrier have ended badly, in this way; their last round-trip times.
    Lost {
        carrier: T::Carrier,
        /// An application that waits to open more streams to this peer waits in vain.
        peer: Option<IpAddr>,
        how: String,
        rtt: Option<Rtt>,
    },
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
    /// The writer gave the stream up, with this code.
    Reset(u64),
    /// The stream is not known any more: all was read if it ended well, and if not, [`Event::Lost`] says why.
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
    /// The reader gave it up, with this code.
    Stopped(u64),
    /// It has ended well, and its round-trip times will be forgotten: the last.
    Over(Option<Rtt>),
}

/// Why a stream is not open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum OpenError {
    /// [`Event::Ready`] tells when to try again.
    Later,
    /// It never will be.
    Refused(String),
}

/// What a host knows of the helpers on its way to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Helped {
    /// Whether its connection has ever led through helpers.
    pub(crate) used: bool,
    /// Whether it leads through them now.
    pub(crate) now: bool,
    /// How often it has gone on without them.
    pub(crate) left: u32,
    /// How often it has come back to them.
    pub(crate) returned: u32,
    /// Round-trip times to the first of them, while it leads through them.
    pub(crate) section: Option<Rtt>,
}

impl Helped {
    /// The connection leads through helpers, or not.
    pub(crate) fn note(&mut self, helped: bool) {
        match (core::mem::replace(&mut self.now, helped), helped) {
            (true, false) => self.left += 1,
            (false, true) => {
                self.returned += u32::from(self.used);
                self.used = true;
            }
            _ => {}
        }
    }
}

/// What a host keeps for its peers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// Connections that it knows of.
    pub connections: usize,
    /// Bytes that its applications have written and that are not acknowledged; of a server that keeps nothing by
    /// connection, all that it holds.
    pub bytes: u64,
}

/// Round-trip times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rtt {
    pub(crate) smoothed: Duration,
    pub(crate) min: Duration,
}
