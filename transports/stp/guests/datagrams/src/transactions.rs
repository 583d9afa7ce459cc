//! T/TCP (RFC 1644): a connection for each message, and none of its round trips.
//!
//! What the initiator says is a request, in a connection of its own that a connection count names; what the responder
//! says goes with the connection that is open. A count that is larger than the last one needs no handshake: it cannot
//! be an old one (the TAO test). The first has one. One message is under way each way; the others wait.
//!
//! | bytes | field |
//! |---|---|
//! | 0 | SYN (bit 0), what follows is a message (1), it answers (2), a proof follows (3) |
//! | 1 | low byte of the count of this message |
//! | 2 | the same of what it answers |
//! | 3 | milliseconds for which that was held |
//! | 4..8 | connection count |
//! | 16 | proof |

use alloc::collections::VecDeque;
use core::ops::Range;

use stp_guest_tcp::segment::{PROOF_LEN, Proof};
use stp_guest_tcp::{ACK_DELAY_MS, Alarm, Rto};
use tng_stp_abi::{Arrived, Guest, Host, Receipts, Refused, Role, Route, SocketKind, TIMER_SEND, UserRequest};

const SYN: u8 = 1;
const MESSAGE: u8 = 2;
const ANSWER: u8 = 4;
const PROVEN: u8 = 8;
const FIXED: usize = 8;
const LONGEST: usize = FIXED + PROOF_LEN;
const WAITING_MAX: usize = 1_024;
const TIMER_AGAIN: u32 = 0;
const TIMER_ANSWER: u32 = 1;

/// What the one message under way waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Under {
    /// There is none.
    Nothing,
    /// It has not left: the connection is being made.
    Opening,
    /// It is on its way.
    Flying,
}

/// One end. `TAO`: what begins a connection has the message with it.
#[derive(Clone, Debug)]
pub struct Transactions<const TAO: bool> {
    initiates: bool,
    waiting: VecDeque<Range<u64>>,
    written: u64,
    under: Under,
    /// Its count, by which the peer knows it again, and that of its connection.
    count: u8,
    connection: u32,
    /// The segment that carries it, and when that left.
    number: Option<u64>,
    left_at: u64,
    again: bool,
    rto: Rto,
    timer: Alarm,
    blocked: bool,
    numbered: u64,
    /// What came: the next message's count, the last connection that passed, and one that is half open.
    next: u8,
    passed: Option<u32>,
    half_open: Option<u32>,
    receipts: Receipts,
    received_at: u64,
    /// The count of what has to be answered, and whether the answer has a SYN.
    owed: Option<(u8, bool)>,
    answer: Alarm,
    closing: bool,
    is_open: bool,
}

impl<const TAO: bool> Transactions<TAO> {
    fn begin(&mut self, host: &mut impl Host) {
        (self.is_open, self.initiates) = (true, host.role() == Role::Initiator);
        host.so_connected();
        let now = host.gettick();
        self.output(host, now);
    }

    fn head(&mut self, flags: u8, now: u64) -> ([u8; LONGEST], usize) {
        let mut bytes = [0; LONGEST];
        let (owed, syn) = self.owed.take().map_or((None, false), |(count, syn)| (Some(count), syn));
        let proof = self.receipts.newest_first().next();
        let held = now.saturating_sub(self.received_at).saturating_sub(1).min(ACK_DELAY_MS);
        bytes[0] = flags
            | if owed.is_some() { ANSWER } else { 0 }
            | if syn { SYN } else { 0 }
            | if proof.is_some() { PROVEN } else { 0 };
        (bytes[1], bytes[2], bytes[3]) = (self.count, owed.unwrap_or(0), held as u8);
        bytes[4..FIXED].copy_from_slice(&self.connection.to_le_bytes());
        self.answer.clear();
        let Some((numbers, sum)) = proof else { return (bytes, FIXED) };
        bytes[FIXED..].copy_from_slice(&Proof::of(numbers, sum).to_bytes());
        (bytes, LONGEST)
    }

    fn output(&mut self, host: &mut impl Host, now: u64) {
        if self.is_open && self.under == Under::Nothing && !self.blocked {
            self.next_message(host, now);
        }
        if self.owed.is_some() && !self.answer.is_set() {
            self.answer.set(host, now, ACK_DELAY_MS);
        }
        if self.closing && self.waiting.is_empty() && self.owed.is_none() {
            host.proto_done();
        }
    }

    fn next_message(&mut self, host: &mut impl Host, now: u64) {
        while let Some(message) = self.waiting.front().cloned() {
            if message.end - message.start + LONGEST as u64 > host.route(Route::SegmentMax) {
                let _ = host.log("a message is larger than a segment, and is dropped");
                self.waiting.pop_front();
                continue;
            }
            if self.initiates {
                self.connection += 1;
            }
            self.under = if self.initiates && !TAO { Under::Opening } else { Under::Flying };
            (self.number, self.again) = (None, false);
            return self.send(host, now);
        }
    }

    /// Sends what is under way, for the first time or again.
    fn send(&mut self, host: &mut impl Host, now: u64) {
        let Some(message) = self.waiting.front().cloned() else { return };
        let (flags, body) = match self.under {
            Under::Nothing => return,
            Under::Opening => (SYN, 0..0),
            Under::Flying if self.initiates && TAO => (SYN | MESSAGE, message),
            Under::Flying => (MESSAGE, message),
        };
        let owed = self.owed;
        let (bytes, len) = self.head(flags, now);
        let sent = match self.number {
            None => host.net_send(&bytes[..len], body),
            Some(lost) => match host.net_resend(&bytes[..len], body.clone(), lost) {
                Err(Refused::NotThere) => host.net_send(&bytes[..len], body),
                sent => sent,
            },
        };
        match sent {
            Ok(number) => (self.number, self.numbered, self.left_at) = (Some(number), number + 1, now),
            Err(refused) => {
                self.owed = owed;
                self.blocked = refused == Refused::WouldBlock;
            }
        }
        self.timer.set(host, now, self.rto.timeout_ms() + ACK_DELAY_MS);
    }

    fn handle_answer(&mut self, host: &mut impl Host, now: u64, head: &[u8]) {
        let (flags, count, held) = (head[0], head[2], u64::from(head[3]).min(ACK_DELAY_MS));
        if let Some(proof) = head[FIXED..].first_chunk().filter(|_| flags & PROVEN != 0) {
            let proof = Proof::from_bytes(proof);
            if let Some(numbers) = proof.numbers(self.numbered) {
                // What the host thinks of it changes nothing here.
                let _ = host.ack_sum(numbers, proof.sum(), 1_000 * held as u32);
            }
        }
        if flags & ANSWER == 0 || count != self.count || self.under == Under::Nothing {
            return;
        }
        if !self.again {
            self.rto.handle_sample(now.saturating_sub(self.left_at + held));
        }
        self.rto.handle_progress();
        self.timer.clear();
        if self.under == Under::Opening {
            // The handshake is over; the message follows.
            (self.under, self.count) = (Under::Flying, self.count.wrapping_add(1));
            (self.number, self.again) = (None, false);
            return self.send(host, now);
        }
        if let Some(message) = self.waiting.pop_front() {
            let _ = host.so_drop(message.end);
        }
        (self.under, self.count) = (Under::Nothing, self.count.wrapping_add(1));
    }

    /// Answers whether the application has something to read.
    fn receive(&mut self, host: &mut impl Host, now: u64, segment: &Arrived, head: &[u8]) -> bool {
        let Some((number, nonce)) = segment.numbered else { return false };
        let (flags, count) = (head[0], head[1]);
        let connection = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        if self.receipts.receive(number, nonce) {
            self.received_at = now;
        }
        let body = if flags & PROVEN != 0 { LONGEST } else { FIXED } as u32;
        if count != self.next {
            // It came before, and its answer was lost.
            self.owed = Some((count, flags & MESSAGE == 0));
            self.acknowledge(host, now);
            return false;
        }
        if flags & MESSAGE == 0 {
            (self.half_open, self.next) = (Some(connection), count.wrapping_add(1));
            self.owed = Some((count, true));
            self.acknowledge(host, now);
            return false;
        }
        // An old connection's count is not larger. The first that is seen has nothing to be held against.
        let passes = self.half_open == Some(connection) || self.passed.is_none_or(|passed| connection > passed);
        if !self.initiates && !passes || host.so_append(segment.segment, body..segment.len).is_err() {
            return false;
        }
        if !self.initiates {
            (self.passed, self.connection, self.half_open) = (Some(connection), connection, None);
        }
        self.next = count.wrapping_add(1);
        self.owed = Some((count, false));
        host.so_wakeup();
        true
    }

    fn acknowledge(&mut self, host: &mut impl Host, now: u64) {
        let owed = self.owed;
        let (bytes, len) = self.head(0, now);
        if host.net_sendack(&bytes[..len]).is_err() {
            self.owed = owed;
        }
    }
}

impl<const TAO: bool> Guest for Transactions<TAO> {
    const SOCKET: SocketKind = SocketKind::Message;

    fn attach(_: &mut impl Host) -> Transactions<TAO> {
        Transactions {
            initiates: false,
            waiting: VecDeque::new(),
            written: 0,
            under: Under::Nothing,
            count: 0,
            connection: 0,
            number: None,
            left_at: 0,
            again: false,
            rto: Rto::default(),
            timer: Alarm::new(TIMER_AGAIN),
            blocked: false,
            numbered: 0,
            next: 0,
            passed: None,
            half_open: None,
            receipts: Receipts::default(),
            received_at: 0,
            owed: None,
            answer: Alarm::new(TIMER_ANSWER),
            closing: false,
            is_open: false,
        }
    }

    fn connect(&mut self, host: &mut impl Host) {
        self.begin(host);
    }

    fn accept(&mut self, host: &mut impl Host) {
        self.begin(host);
    }

    fn abort(&mut self, _: &mut impl Host) {
        self.waiting.clear();
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        let now = host.gettick();
        for segment in arrived {
            let head = segment.head();
            let needs = if head.first().is_some_and(|flags| flags & PROVEN != 0) { LONGEST } else { FIXED };
            if head.len() < needs {
                continue;
            }
            self.handle_answer(host, now, head);
            self.receive(host, now, segment, head);
        }
        self.output(host, now);
    }

    fn timer(&mut self, host: &mut impl Host, id: u32) {
        let now = host.gettick();
        match id {
            TIMER_SEND => {
                self.blocked = false;
                if self.number.is_none() {
                    self.send(host, now);
                }
            }
            TIMER_AGAIN if self.timer.handle_timer(host, now) => {
                (self.again, self.blocked) = (true, false);
                self.rto.handle_timeout();
                self.send(host, now);
            }
            TIMER_ANSWER if self.answer.handle_timer(host, now) && self.owed.is_some() => self.acknowledge(host, now),
            _ => {}
        }
        self.output(host, now);
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        match request {
            UserRequest::Send { until } => {
                let message = core::mem::replace(&mut self.written, until)..until;
                if self.waiting.len() < WAITING_MAX {
                    self.waiting.push_back(message);
                }
            }
            UserRequest::Received { .. } => {}
            UserRequest::Disconnect => self.closing = true,
        }
        let now = host.gettick();
        self.output(host, now);
    }

    fn shutdown(&mut self, host: &mut impl Host, _: u32) {
        host.proto_done();
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        let now = host.gettick();
        (self.rto, self.blocked) = (Rto::default(), false);
        self.send(host, now);
    }
}
