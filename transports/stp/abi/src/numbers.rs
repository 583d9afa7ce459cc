//! Numbers with a meaning.

use core::fmt;

use crate::SocketKind;

/// The version of everything in this crate. A module of another is refused.
pub const ABI_VERSION: u32 = 1;

/// Bytes of a segment's beginning that the ring shows. What lies behind them is [read](crate::Host::seg_read), or
/// appended to the socket unread.
pub const HEAD_MAX: usize = 96;

/// Segments in the ring. More that arrived are told in another call.
pub const RING_ENTRIES: usize = 64;

/// Timers of a guest: numbers below this.
pub const TIMERS_MAX: u32 = 8;

/// The timer that goes off when the policer lets a segment leave again which it has refused. No guest sets it.
pub const TIMER_SEND: u32 = u32::MAX;

/// Most bytes that a call of a protocol's own says and answers.
pub const CALL_MAX: usize = 4096;

/// What a guest is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Hears what became of packets, and answers a window and a rate.
    Controller = 1,
    /// A whole transport: packets, acknowledgments, timers, retransmission. Its socket is a stream.
    Transport = 2,
    /// The same whose socket takes messages.
    Messages = 3,
}

impl Kind {
    /// What its socket is, if it has one.
    pub const fn socket(self) -> Option<SocketKind> {
        match self {
            Kind::Controller => None,
            Kind::Transport => Some(SocketKind::Stream),
            Kind::Messages => Some(SocketKind::Message),
        }
    }

    /// The transport of a socket.
    pub const fn of(socket: SocketKind) -> Kind {
        match socket {
            SocketKind::Stream => Kind::Transport,
            SocketKind::Message => Kind::Messages,
        }
    }
}

/// What `abi` of a module answers: version and kind in a word.
pub const fn abi_word(kind: Kind) -> u64 {
    ((ABI_VERSION as u64) << 8) | kind as u64
}

/// Version and kind of a module's word; no kind if it is none that this version knows.
pub const fn of_abi_word(word: u64) -> (u64, Option<Kind>) {
    let kind = match word & 0xff {
        1 => Some(Kind::Controller),
        2 => Some(Kind::Transport),
        3 => Some(Kind::Messages),
        _ => None,
    };
    (word >> 8, kind)
}

/// Why the host does not do what a guest asks for. Negative on the border.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refused {
    /// Policy: the policer lets nothing leave now; [`TIMER_SEND`] goes off when it does.
    WouldBlock,
    /// Caller: more bytes than a segment holds, or none at all.
    Length,
    /// Policy: a quota of the guest's is used up. Something has to be given back first.
    Full,
    /// Environment: the socket is closed for this.
    Closed,
    /// Caller: no such segment, number, offset or timer.
    NotThere,
    /// Peer: the acknowledgment proves nothing.
    Unproven,
    /// Policy: more acknowledgments than segments came.
    Unasked,
}

impl Refused {
    const ALL: [Refused; 7] = [
        Refused::WouldBlock,
        Refused::Length,
        Refused::Full,
        Refused::Closed,
        Refused::NotThere,
        Refused::Unproven,
        Refused::Unasked,
    ];

    /// The number on the border.
    pub const fn number(self) -> i64 {
        match self {
            Refused::WouldBlock => -1,
            Refused::Length => -2,
            Refused::Full => -3,
            Refused::Closed => -4,
            Refused::NotThere => -5,
            Refused::Unproven => -6,
            Refused::Unasked => -7,
        }
    }

    /// What a number of the border says.
    pub fn of(number: i64) -> Option<Refused> {
        Refused::ALL.into_iter().find(|refused| refused.number() == number)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::WouldBlock => "the policer lets nothing leave now; wait for the timer that says so",
            Refused::Length => "the length is none that a segment can have; ask the route for the most it can",
            Refused::Full => "a quota of this guest is used up; give something back first",
            Refused::Closed => "the socket is closed",
            Refused::NotThere => "there is no such segment, number, offset or timer",
            Refused::Unproven => "the acknowledgment proves nothing",
            Refused::Unasked => "more acknowledgments than segments have come",
        })
    }
}

impl core::error::Error for Refused {}

/// What [`proto_info`](crate::Host::proto_info) is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Info {
    /// [`ABI_VERSION`] of the host.
    AbiVersion = 0,
    /// The guest's [`Role`].
    Role = 1,
    /// [`SocketKind`](crate::SocketKind) of its socket.
    SocketKind = 2,
    /// Bytes of memory that an instance may have.
    MemoryMax = 3,
}

impl Info {
    /// Of its number on the border.
    pub fn of(number: u32) -> Option<Info> {
        [Info::AbiVersion, Info::Role, Info::SocketKind, Info::MemoryMax].into_iter().find(|it| *it as u32 == number)
    }
}

/// Which end of its connection a guest is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It began the connection.
    Initiator = 0,
    /// It accepted it.
    Responder = 1,
}

/// What [`route`](crate::Host::route) is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Route {
    /// Bytes of a segment at most, head and body, all of them the guest's.
    SegmentMax = 0,
    /// The [`AddressFamily`] of this end's address.
    LocalFamily = 1,
}

impl Route {
    /// Of its number on the border.
    pub fn of(number: u32) -> Option<Route> {
        [Route::SegmentMax, Route::LocalFamily].into_iter().find(|it| *it as u32 == number)
    }
}

/// What kind of address a path has. The address itself is the host's matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressFamily {
    /// Not known.
    Unknown = 0,
    /// IPv4.
    V4 = 4,
    /// IPv6.
    V6 = 6,
}
