//! What guests are made of that are a TCP: one without ports, handshake and checksum, which are the host's.
//!
//! Each is a [`Variant`]: what it does and does not do ([`Traits`]), and how its window grows and shrinks ([`Law`]).
//! All understand each other: what one says that the other does not know of, or the other way, changes nothing.
//!
//! A segment is a [head](segment::Segment) and bytes of the sender's buffer, which never enter the guest. Whatever is
//! numbered by the host is proven to it: acknowledgments carry sums of nonces beside what TCP's carry.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod alarm;
mod law;
mod receiver;
mod recovery;
mod reordering;
mod rto;
mod scoreboard;
pub mod segment;
mod sender;
mod undo;
mod variant;

use tng_stp_abi::{Arrived, Guest, Host, Route, SocketKind, TIMER_SEND, UserRequest};

pub use crate::alarm::Alarm;
pub use crate::law::{Cwnd, Law, Progress, Standard};
pub use crate::receiver::ACK_DELAY_MS;
pub use crate::recovery::Window;
pub use crate::rto::{RTO_MAX_MS, RTO_MIN_MS, Rto};
pub use crate::scoreboard::{Fate, Scoreboard, Sent};
pub use crate::variant::{Modern, Recovery, Sampling, Traits, Variant};

use crate::receiver::Receiver;
use crate::segment::Segment;
use crate::sender::{Patience, Sender};

const TIMER_RETRANSMIT: u32 = 0;
const TIMER_ACKNOWLEDGE: u32 = 1;
const TIMER_LINGER: u32 = 2;
const TIMER_RETRY: u32 = 3;

/// How long an end stays that may have to acknowledge the peer's FIN again.
const LINGER_MS: u64 = 2_000;

/// What the application is told if the peer does not answer.
pub const ERROR_TIMED_OUT: u32 = 1;

/// How an end leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leave {
    /// It does not yet.
    Stays,
    /// The host wants it to, once all is acknowledged.
    Asked,
    /// It has said that it is done.
    Done,
}

/// One end of a connection.
#[derive(Clone, Debug)]
pub struct Tcp<V: Variant> {
    sender: Sender<V>,
    receiver: Receiver<V>,
    linger: Alarm,
    leave: Leave,
    /// The peer's FIN was here when this end's first left: a peer that acknowledges that has seen this end's answer.
    last: bool,
}

impl<V: Variant> Tcp<V> {
    fn begin(&mut self, host: &mut impl Host) {
        let (now, segment_max) = (host.gettick(), host.route(Route::SegmentMax));
        self.sender.handle_path(host, now, segment_max);
        self.sender.handle_written(host.so_sent());
        host.so_connected();
        self.output(host, now);
    }

    fn output(&mut self, host: &mut impl Host, now: u64) {
        let had_left = self.sender.is_fin_sent();
        self.sender.output(host, now, &mut self.receiver);
        if !had_left && self.sender.is_fin_sent() {
            self.last = self.receiver.is_ended();
        }
        self.leave(host, now);
    }

    /// What nothing is special about takes a short way: bytes that are wanted next and tell nothing new, or an
    /// acknowledgment alone. Answers whether this one has.
    fn predict(&mut self, host: &mut impl Host, now: u64, segment: &Arrived, head: &Segment) -> bool {
        if !head.is_plain() {
            return false;
        }
        if segment.len as usize == head.size() {
            self.sender.handle(host, now, head);
            return true;
        }
        !self.sender.has_news(head) && self.receiver.predict(host, now, segment, head)
    }

    /// Says that there is nothing left to do, if so.
    fn leave(&mut self, host: &mut impl Host, now: u64) {
        let closed = self.sender.is_finished() && self.receiver.is_ended();
        match self.leave {
            Leave::Done => {}
            Leave::Asked if self.sender.is_drained() => self.done(host),
            _ if closed && self.last => self.done(host),
            _ if closed && !self.linger.is_set() => self.linger.set(host, now, LINGER_MS),
            _ => {}
        }
    }

    /// Bytes that may be on their way.
    pub fn window(&self) -> u64 {
        self.sender.window()
    }

    fn done(&mut self, host: &mut impl Host) {
        self.leave = Leave::Done;
        host.proto_done();
    }
}

impl<V: Variant> Guest for Tcp<V> {
    const SOCKET: SocketKind = SocketKind::Stream;

    fn attach(_: &mut impl Host) -> Tcp<V> {
        Tcp {
            sender: Sender::new(TIMER_RETRANSMIT, TIMER_RETRY),
            receiver: Receiver::new(TIMER_ACKNOWLEDGE),
            linger: Alarm::new(TIMER_LINGER),
            leave: Leave::Stays,
            last: false,
        }
    }

    fn connect(&mut self, host: &mut impl Host) {
        self.begin(host);
    }

    fn accept(&mut self, host: &mut impl Host) {
        self.begin(host);
    }

    fn abort(&mut self, _: &mut impl Host) {
        self.leave = Leave::Done;
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        let now = host.gettick();
        self.sender.handle_size(host.route(Route::SegmentMax));
        for segment in arrived {
            let Some(head) = Segment::read(segment.head()) else { continue };
            if V::IS.predicts && self.predict(host, now, segment, &head) {
                continue;
            }
            self.sender.handle(host, now, &head);
            self.receiver.handle(host, now, segment, &head);
        }
        self.receiver.wake(host);
        self.output(host, now);
    }

    fn timer(&mut self, host: &mut impl Host, id: u32) {
        let now = host.gettick();
        self.sender.handle_size(host.route(Route::SegmentMax));
        match id {
            TIMER_SEND => self.sender.handle_leave(),
            TIMER_RETRY => self.sender.handle_retry(host, now),
            TIMER_RETRANSMIT => {
                if self.sender.handle_timer(host, now, &mut self.receiver) == Patience::Lost {
                    host.so_error(ERROR_TIMED_OUT);
                    return self.done(host);
                }
            }
            TIMER_ACKNOWLEDGE => self.receiver.handle_timer(host, now),
            TIMER_LINGER if self.linger.handle_timer(host, now) => return self.done(host),
            _ => return,
        }
        self.output(host, now);
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        let now = host.gettick();
        match request {
            UserRequest::Send { until } => self.sender.handle_written(until),
            UserRequest::Received { .. } => {
                self.receiver.handle_taken(host, now, 2 * u64::from(self.sender.body_max()));
                self.receiver.wake(host);
            }
            UserRequest::Disconnect => {
                self.sender.handle_written(host.so_sent());
                self.sender.handle_closing();
            }
        }
        self.output(host, now);
    }

    fn shutdown(&mut self, host: &mut impl Host, _: u32) {
        let now = host.gettick();
        if self.leave == Leave::Stays {
            self.leave = Leave::Asked;
        }
        self.receiver.flush(host, now);
        self.output(host, now);
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        let (now, segment_max) = (host.gettick(), host.route(Route::SegmentMax));
        self.sender.handle_path(host, now, segment_max);
        self.output(host, now);
    }
}
