//! The two sides of the border, as traits.

use core::ops::Range;

use crate::{Arrived, Info, Refused, Role, Route, Sample};

/// What the application has at its end of a guest's connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SocketKind {
    /// A stream of bytes each way.
    Stream = 0,
    /// Messages each way: what is appended at once is one.
    Message = 1,
}

/// What the application asks of a guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UserRequest {
    /// It has written more: the socket's send buffer ends at `until` now, an offset from its start. On a message socket
    /// this is one message, from where the last ended.
    Send {
        /// Where the send buffer ends.
        until: u64,
    },
    /// It has taken so many bytes in all of what was appended.
    Received {
        /// Bytes since the start.
        until: u64,
    },
    /// It writes nothing any more: what the send buffer holds is the last.
    Disconnect,
}

impl UserRequest {
    /// As it crosses the border: which, and how far.
    pub const fn to_numbers(self) -> (u32, u64) {
        match self {
            UserRequest::Send { until } => (0, until),
            UserRequest::Received { until } => (1, until),
            UserRequest::Disconnect => (2, 0),
        }
    }

    /// What the numbers of the border say.
    pub const fn of(request: u32, until: u64) -> Option<UserRequest> {
        match request {
            0 => Some(UserRequest::Send { until }),
            1 => Some(UserRequest::Received { until }),
            2 => Some(UserRequest::Disconnect),
            _ => None,
        }
    }
}

/// A transport: the callbacks of STP's Table 2, and what its sections 3.2.1 and 4 say of sockets, packets and timers.
///
/// One value is one end of one connection. It has no clock, no address and no memory of other connections; all that it
/// can do is in [`Host`]. A host calls it once for each batch of segments, and bounds what each call costs.
///
/// A call that panics, traps or takes too long ends the guest's connections.
pub trait Guest: Sized {
    /// What its socket is.
    const SOCKET: SocketKind;

    /// A guest whose connection begins. Nothing can be sent yet.
    fn attach(host: &mut impl Host) -> Self;

    /// The path to the peer is there, at the end that began the connection.
    fn connect(&mut self, host: &mut impl Host);

    /// The path to the peer is there, at the end that accepted.
    fn accept(&mut self, host: &mut impl Host);

    /// The connection is over: nothing leaves any more, and nothing arrives.
    fn abort(&mut self, host: &mut impl Host);

    /// Segments arrived, in this order.
    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]);

    /// Timer `id` went off, or [`TIMER_SEND`](crate::TIMER_SEND).
    fn timer(&mut self, host: &mut impl Host, id: u32);

    /// The application asks for something.
    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest);

    /// The host takes the guest down `deadline_ms` from now, or when it says that it is
    /// [done](Host::proto_done).
    fn shutdown(&mut self, host: &mut impl Host, deadline_ms: u32);

    /// The path is another one, or has changed: what was measured of it says nothing any more.
    fn path_changed(&mut self, host: &mut impl Host);

    /// A call of the protocol's own: `number` says which, `words` is what the application says. Answers bytes for the
    /// application, at most [`CALL_MAX`](crate::CALL_MAX), in `words` again: how many.
    ///
    /// # Errors
    /// If there is no such call, or it cannot be done.
    fn call(&mut self, _host: &mut impl Host, _number: u32, _words: &mut [u8], _len: usize) -> Result<usize, Refused> {
        Err(Refused::NotThere)
    }
}

/// What a guest may ask of its host, in the groups of STP's Table 2. The host answers for its own connection alone.
pub trait Host {
    // Protocol management

    /// A fact of the host, or of the connection.
    fn proto_info(&mut self, what: Info) -> u64;

    /// The guest has nothing to do any more: it may be taken down.
    fn proto_done(&mut self);

    // Sockets layer

    /// Both guests are ready: the application is told that the connection stands.
    fn so_connected(&mut self);

    /// Where the socket's send buffer ends: offset of the next byte that the application will write.
    fn so_sent(&mut self) -> u64;

    /// Reads the send buffer from an offset on; answers how many bytes there were.
    ///
    /// # Errors
    /// [`Refused::NotThere`] if the offset is in front of what was dropped, or behind the end.
    fn so_read(&mut self, from: u64, into: &mut [u8]) -> Result<usize, Refused>;

    /// The send buffer up to an offset is not needed any more: not by this guest, which has been told that the peer has
    /// it, or does not care.
    ///
    /// # Errors
    /// [`Refused::NotThere`] if it ends before.
    fn so_drop(&mut self, until: u64) -> Result<(), Refused>;

    /// Bytes that the receive buffer has room for.
    fn so_room(&mut self) -> u64;

    /// Appends bytes of a segment to the receive buffer. They never enter the guest.
    ///
    /// # Errors
    /// [`Refused::Full`], [`Refused::Closed`], or [`Refused::NotThere`].
    fn so_append(&mut self, segment: u32, bytes: Range<u32>) -> Result<(), Refused>;

    /// Appends bytes of the guest's own.
    ///
    /// # Errors
    /// [`Refused::Full`] or [`Refused::Closed`].
    fn so_append_bytes(&mut self, bytes: &[u8]) -> Result<(), Refused>;

    /// The peer's application writes nothing any more: nothing is appended from now on.
    fn so_end(&mut self);

    /// The application is told that it can read, or write, or has reached the end.
    fn so_wakeup(&mut self);

    /// Whether the application has asked to [disconnect](UserRequest::Disconnect).
    fn so_isdisconnecting(&mut self) -> bool;

    /// The connection has failed; the application is told the code, which is the protocol's own.
    fn so_error(&mut self, code: u32);

    // TCP-friendly network access

    /// Sends a segment: `head`, which is the guest's, then `body` of the socket's send buffer, which the guest need not
    /// have seen. Answers its number; numbers count from 0 without gaps. Once it is taken the body may be dropped.
    ///
    /// # Errors
    /// [`Refused::WouldBlock`], [`Refused::Length`], [`Refused::Full`], [`Refused::Closed`], [`Refused::NotThere`].
    fn net_send(&mut self, head: &[u8], body: Range<u64>) -> Result<u64, Refused>;

    /// The same, for what segment `lost` had: [`nack`](Host::nack) and [`net_send`](Host::net_send).
    ///
    /// # Errors
    /// As `net_send`.
    fn net_resend(&mut self, head: &[u8], body: Range<u64>, lost: u64) -> Result<u64, Refused>;

    /// The peer's guest has proven that segments arrived, by the sum of their nonces, and says that it held the
    /// acknowledgment back for so long.
    ///
    /// # Errors
    /// [`Refused::Unproven`].
    fn ack_sum(&mut self, numbers: Range<u64>, sum: u64, delay_us: u32) -> Result<(), Refused>;

    /// A segment is lost. Who says so early is held to the truth early.
    ///
    /// # Errors
    /// [`Refused::NotThere`] if it was never sent, has arrived, or is known to be lost.
    fn nack(&mut self, number: u64) -> Result<(), Refused>;

    /// Sends a segment without a number, which nobody acknowledges: at most as many as segments came, and as many
    /// bytes, and a few more.
    ///
    /// # Errors
    /// [`Refused::Unasked`], [`Refused::Length`], [`Refused::Full`], [`Refused::Closed`].
    fn net_sendack(&mut self, bytes: &[u8]) -> Result<(), Refused>;

    /// Bytes that the policer would let leave now.
    fn net_budget(&mut self) -> u64;

    // Runtime support

    /// Milliseconds since the connection began. Coarse, so that it measures nothing but the path.
    fn gettick(&mut self) -> u64;

    /// Reads a segment from a place on; answers how many bytes there were.
    ///
    /// # Errors
    /// [`Refused::NotThere`].
    fn seg_read(&mut self, segment: u32, from: u32, into: &mut [u8]) -> Result<usize, Refused>;

    /// Keeps a segment when [`input`](Guest::input) returns.
    ///
    /// # Errors
    /// [`Refused::Full`] or [`Refused::NotThere`].
    fn seg_keep(&mut self, segment: u32) -> Result<(), Refused>;

    /// Gives a kept segment back.
    ///
    /// # Errors
    /// [`Refused::NotThere`].
    fn seg_free(&mut self, segment: u32) -> Result<(), Refused>;

    /// Has a timer go off in so many milliseconds, once; what it was set to before counts no more.
    ///
    /// # Errors
    /// [`Refused::NotThere`] if there is no timer of that number.
    fn timer_reset(&mut self, id: u32, in_ms: u32) -> Result<(), Refused>;

    /// Stops a timer.
    ///
    /// # Errors
    /// [`Refused::NotThere`] if there is no timer of that number.
    fn timer_stop(&mut self, id: u32) -> Result<(), Refused>;

    /// A fact of the path. How large segments may be changes as the host finds out what the path takes: ask anew
    /// whenever something is sent.
    fn route(&mut self, what: Route) -> u64;

    /// Writes a line for people, who see it if they ask.
    ///
    /// # Errors
    /// [`Refused::Full`] if there were too many.
    fn log(&mut self, text: &str) -> Result<(), Refused>;

    /// 64 random bits, of a generator of this instance's own.
    fn random(&mut self) -> u64;

    /// Which end this is.
    fn role(&mut self) -> Role {
        if self.proto_info(Info::Role) == Role::Initiator as u64 { Role::Initiator } else { Role::Responder }
    }
}

/// A congestion controller as a guest: numbers in, a window and a rate out.
pub trait Controller: Sized {
    /// A fresh one, for packets of `mtu` bytes.
    fn new(mtu: u32) -> Self;

    /// Something happened. It answers by [`net_window`](Window::net_window), if window or rate changed.
    fn handle(&mut self, host: &mut impl Window, sample: &Sample);
}

/// What a controller may ask of its host.
pub trait Window {
    /// From now on so many bytes may be in flight, sent at so many bytes a second. A rate of 0 says that it follows
    /// from the window. What is below two packets counts as two; the host goes by less where its policer says less.
    fn net_window(&mut self, window: u64, rate: u64);
}
