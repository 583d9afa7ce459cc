//! Messages that are sent once, by a [`Pace`].
//!
//! | bytes | field of a segment with a message |
//! |---|---|
//! | 0 | the pace's tag |
//! | 1 | 0 |
//! | 2..4 | when it left, in milliseconds |
//! | 4..6 | round trip, in milliseconds; 0 if it is not known |

use alloc::collections::VecDeque;
use core::ops::Range;

use stp_guest_tcp::Alarm;
use tng_stp_abi::{Arrived, Guest, Host, Refused, Route, SocketKind, TIMER_SEND, UserRequest};

use crate::books::{Books, Left};
use crate::dccp::CALL_CCID;
use crate::reports::{REPORT, Report, Reports};
use crate::{News, Pace, Turn};

pub(crate) const HEAD: usize = 6;
const WAITING_MAX: usize = 1_024;
const TIMER_RETRY: u32 = 0;
const TIMER_REPORT: u32 = 1;
const TIMER_TURN: u32 = 2;
const TIMER_SILENCE: u32 = 3;
const RETRY_MS: u32 = 20;
/// Nothing is reported for so long at least before that is a silence.
const SILENCE_MS: u64 = 1_000;

/// What left, and what is known of the way: the sending half of all that send a message once.
#[derive(Clone, Debug)]
pub(crate) struct Sending<P> {
    pub(crate) pace: P,
    books: Books,
    numbered: u64,
    /// Eighths of a millisecond; 0 before there is one.
    smoothed_8: u64,
    size: u64,
    blocked: bool,
    turn: Alarm,
    silence: Alarm,
}

impl<P: Pace> Sending<P> {
    pub(crate) fn new() -> Sending<P> {
        Sending {
            pace: P::default(),
            books: Books::default(),
            numbered: 0,
            smoothed_8: 0,
            size: 0,
            blocked: false,
            turn: Alarm::new(TIMER_TURN),
            silence: Alarm::new(TIMER_SILENCE),
        }
    }

    /// The head of a segment that leaves now.
    pub(crate) fn head(&self, now: u64) -> [u8; HEAD] {
        let [left, more] = (now as u16).to_le_bytes();
        let [rtt, rest] = ((self.smoothed_8 / 8).min(u16::MAX.into()) as u16).to_le_bytes();
        [self.pace.tag(), 0, left, more, rtt, rest]
    }

    /// Whether a segment may leave; if not, a timer says when to ask again.
    pub(crate) fn may_send(&mut self, host: &mut impl Host, now: u64) -> bool {
        if self.blocked {
            return false;
        }
        match self.pace.turn(now, self.books.flying()) {
            Turn::Now => true,
            Turn::At(at) => {
                self.turn.set(host, now, at.saturating_sub(now).max(1));
                false
            }
            Turn::Later => false,
        }
    }

    /// What became of one: answers whether it left.
    pub(crate) fn handle_sent(
        &mut self,
        host: &mut impl Host,
        now: u64,
        sent: Result<u64, Refused>,
        len: u64,
        until: u64,
    ) -> bool {
        match sent {
            Ok(number) => {
                self.numbered = number + 1;
                self.size = if self.size == 0 { len } else { (7 * self.size + len) / 8 };
                self.pace.handle_sent(now, len);
                self.books.push(Left { number, until, len, at: now });
                if !self.silence.is_set() {
                    self.silence.set(host, now, self.silence_ms());
                }
                true
            }
            Err(Refused::WouldBlock) => {
                self.blocked = true;
                false
            }
            // The host has no room now.
            Err(_) => {
                self.blocked = host.timer_reset(TIMER_RETRY, RETRY_MS).is_ok();
                false
            }
        }
    }

    fn silence_ms(&self) -> u64 {
        SILENCE_MS.max(4 * self.smoothed_8 / 8)
    }

    pub(crate) fn handle_report(&mut self, host: &mut impl Host, now: u64, head: &[u8]) {
        let Some((report, proofs)) = Report::read(head) else { return };
        let mut news = News { numbered: self.numbered, peer: report.peer, ..News::default() };
        let last = proofs.len().saturating_sub(1);
        // The oldest first, so that a gap that has been filled is no loss.
        for (at, proof) in proofs.rev().enumerate() {
            let Some(numbers) = proof.numbers(self.numbered) else { continue };
            let delay_us = if at == last { 1_000 * report.held_ms as u32 } else { 0 };
            if host.ack_sum(numbers.clone(), proof.sum(), delay_us).is_err() {
                continue;
            }
            let (arrived, bytes, newest) = self.books.arrive(numbers);
            (news.arrived, news.bytes) = (news.arrived + arrived, news.bytes + bytes);
            if newest.is_some() && at == last {
                let rtt = u64::from((now as u16).wrapping_sub(report.left)).saturating_sub(report.held_ms).max(1);
                let smoothed = self.smoothed_8;
                self.smoothed_8 = if smoothed == 0 { 8 * rtt } else { smoothed - smoothed / 8 + rtt };
            }
        }
        while let Some(lost) = self.books.take_lost() {
            news.lost = Some((lost.number, lost.at));
        }
        (news.size, news.rtt_ms) = (self.size.max(1), (self.smoothed_8 / 8).max(1));
        if news.arrived > 0 || news.lost.is_some() {
            self.pace.handle_news(now, &news);
            self.silence.clear();
            if self.books.flying() > 0 {
                self.silence.set(host, now, self.silence_ms());
            }
        }
        self.drop_done(host);
    }

    /// Answers whether the timer is one of these.
    pub(crate) fn handle_timer(&mut self, host: &mut impl Host, now: u64, id: u32) -> bool {
        match id {
            TIMER_SEND | TIMER_RETRY => self.blocked = false,
            TIMER_TURN => {
                self.turn.handle_timer(host, now);
            }
            TIMER_SILENCE if self.silence.handle_timer(host, now) => {
                self.pace.handle_silence(now);
                while self.books.give_up(now.saturating_sub(self.silence_ms() / 2)).is_some() {}
                if self.books.flying() > 0 {
                    self.silence.set(host, now, self.silence_ms());
                }
                self.drop_done(host);
            }
            TIMER_SILENCE => {}
            _ => return false,
        }
        true
    }

    fn drop_done(&mut self, host: &mut impl Host) {
        if let Some(until) = self.books.done() {
            // It was there until now.
            let _ = host.so_drop(until);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.books.flying() == 0
    }

    /// The path is another one.
    pub(crate) fn restart(&mut self) {
        (self.pace, self.smoothed_8, self.blocked) = (P::default(), 0, false);
    }
}

/// One end.
#[derive(Clone, Debug)]
pub struct Datagrams<P: Pace> {
    waiting: VecDeque<Range<u64>>,
    written: u64,
    sending: Sending<P>,
    reports: Reports,
    closing: bool,
    is_open: bool,
}

impl<P: Pace> Datagrams<P> {
    fn begin(&mut self, host: &mut impl Host) {
        self.is_open = true;
        host.so_connected();
        let now = host.gettick();
        self.output(host, now);
    }

    fn output(&mut self, host: &mut impl Host, now: u64) {
        if !self.is_open {
            return;
        }
        let segment_max = host.route(Route::SegmentMax);
        while let Some(message) = self.waiting.front().cloned() {
            let len = message.end - message.start + HEAD as u64;
            if len > segment_max {
                let _ = host.log("a message is larger than a segment, and is dropped");
            } else {
                if !self.sending.may_send(host, now) {
                    break;
                }
                let sent = host.net_send(&self.sending.head(now), message.clone());
                if !self.sending.handle_sent(host, now, sent, len, message.end) {
                    break;
                }
            }
            self.waiting.pop_front();
        }
        self.reports.output(host, now);
        if self.closing && self.waiting.is_empty() && self.sending.is_empty() {
            host.proto_done();
        }
    }

    fn receive(&mut self, host: &mut impl Host, now: u64, segment: &Arrived) -> bool {
        let (Some(numbered), [_, _, left, more, rtt, rest, ..]) = (segment.numbered, segment.head) else {
            return false;
        };
        let (left, rtt) = (u16::from_le_bytes([left, more]), u16::from_le_bytes([rtt, rest]));
        // What has no room is lost, as it is with UDP.
        self.reports.handle(now, numbered, segment.len.into(), left, rtt)
            && host.so_append(segment.segment, HEAD as u32..segment.len).is_ok()
    }
}

impl<P: Pace> Guest for Datagrams<P> {
    const SOCKET: SocketKind = SocketKind::Message;

    fn attach(_: &mut impl Host) -> Datagrams<P> {
        Datagrams {
            waiting: VecDeque::new(),
            written: 0,
            sending: Sending::new(),
            reports: Reports::new(TIMER_REPORT),
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
        let mut appended = false;
        for segment in arrived {
            match segment.head() {
                [REPORT, ..] => self.sending.handle_report(host, now, segment.head()),
                head if head.len() >= HEAD => appended |= self.receive(host, now, segment),
                _ => {}
            }
        }
        if appended {
            host.so_wakeup();
        }
        self.output(host, now);
    }

    fn timer(&mut self, host: &mut impl Host, id: u32) {
        let now = host.gettick();
        if !self.sending.handle_timer(host, now, id) {
            self.reports.handle_timer(host, now);
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
        self.waiting.clear();
        host.proto_done();
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        self.sending.restart();
        let now = host.gettick();
        self.output(host, now);
    }

    fn call(&mut self, _: &mut impl Host, number: u32, bytes: &mut [u8], len: usize) -> Result<usize, Refused> {
        let chosen = match (number, bytes.get(..len)) {
            (CALL_CCID, Some([what])) => self.sending.pace.choose(*what),
            _ => false,
        };
        if chosen { Ok(0) } else { Err(Refused::NotThere) }
    }
}
