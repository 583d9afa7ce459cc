//! Media: messages that are good for a while, with parity, so that one of a group that is lost is there without being
//! sent again.
//!
//! After each [`GROUP`] messages, or when the application says nothing more for a while, a segment of their parity
//! leaves. What has waited for longer than its deadline does not leave at all. The rate is TFRC's (CCID 3).
//!
//! | bytes | field |
//! |---|---|
//! | 0..6 | as of messages that are sent once |
//! | 6 | place in the group; 0x80 and how many there are, of parity |
//! | 7 | low byte of the group |
//! | 8..10 | bytes of the message; of parity, the sum of theirs without carry |

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::ops::Range;

use stp_guest_tcp::Alarm;
use tng_stp_abi::{Arrived, Guest, Host, Refused, Route, SocketKind, UserRequest};

use crate::BySender;
use crate::once::{HEAD, Sending};
use crate::reports::{REPORT, Reports};

/// Messages of a group.
pub const GROUP: u8 = 4;
/// So many milliseconds a message may wait, unless the application says otherwise.
pub const DEADLINE_MS: u64 = 200;
/// Call with two bytes, little-endian: the deadline in milliseconds.
pub const CALL_DEADLINE: u32 = 1;

const PARITY: u8 = 0x80;
const LONG: usize = HEAD + 4;
const WAITING_MAX: usize = 1_024;
const TIMER_REPORT: u32 = 1;
const TIMER_FLUSH: u32 = 4;
/// A group that is not whole by then has its parity all the same.
const FLUSH_MS: u64 = 60;
/// Groups that a receiver has in mind.
const GROUPS: usize = 8;

/// The sum of messages without carry, and of their lengths.
#[derive(Clone, Debug, Default)]
struct Sum {
    bytes: Vec<u8>,
    len: u16,
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        if self.bytes.len() < bytes.len() {
            self.bytes.resize(bytes.len(), 0);
        }
        self.bytes.iter_mut().zip(bytes).for_each(|(sum, byte)| *sum ^= byte);
    }
}

/// What came of a group.
#[derive(Clone, Debug)]
struct Group {
    name: u8,
    seen: u8,
    /// How many there are, once the parity is here.
    whole: Option<u8>,
    sum: Sum,
}

/// One end.
#[derive(Clone, Debug)]
pub struct Media {
    waiting: VecDeque<(Range<u64>, u64)>,
    written: u64,
    deadline_ms: u64,
    sending: Sending<BySender>,
    reports: Reports,
    /// The group that is being sent.
    group: u8,
    placed: u8,
    sum: Sum,
    flush: Alarm,
    groups: VecDeque<Group>,
    closing: bool,
    is_open: bool,
}

impl Media {
    fn begin(&mut self, host: &mut impl Host) {
        self.is_open = true;
        host.so_connected();
        let now = host.gettick();
        self.output(host, now);
    }

    fn head(&self, now: u64, place: u8, len: u16) -> [u8; LONG] {
        let mut head = [0; LONG];
        head[..HEAD].copy_from_slice(&self.sending.head(now));
        (head[HEAD], head[HEAD + 1]) = (place, self.group);
        head[HEAD + 2..].copy_from_slice(&len.to_le_bytes());
        head
    }

    fn output(&mut self, host: &mut impl Host, now: u64) {
        let segment_max = host.route(Route::SegmentMax).min(1 << 15);
        while self.is_open {
            if self.placed == GROUP && !self.send_parity(host, now) {
                break;
            }
            let deadline = self.deadline_ms;
            while self.waiting.pop_front_if(|(_, at)| now > *at + deadline).is_some() {}
            let Some((message, _)) = self.waiting.front().cloned() else { break };
            let len = message.end - message.start;
            if len + LONG as u64 > segment_max {
                let _ = host.log("a message is larger than a segment, and is dropped");
            } else if !self.send(host, now, message) {
                break;
            }
            self.waiting.pop_front();
        }
        if self.placed > 0 && !self.flush.is_set() {
            self.flush.set(host, now, FLUSH_MS);
        }
        self.reports.output(host, now);
        if self.closing && self.waiting.is_empty() && self.sending.is_empty() {
            host.proto_done();
        }
    }

    fn send(&mut self, host: &mut impl Host, now: u64, message: Range<u64>) -> bool {
        if !self.sending.may_send(host, now) {
            return false;
        }
        let len = message.end - message.start;
        let sent = host.net_send(&self.head(now, self.placed, len as u16), message.clone());
        if !self.sending.handle_sent(host, now, sent, len + LONG as u64, message.end) {
            return false;
        }
        let mut bytes = vec![0; len as usize];
        // It is there until it is dropped.
        let _ = host.so_read(message.start, &mut bytes);
        self.sum.add(&bytes);
        self.sum.len ^= len as u16;
        self.placed += 1;
        true
    }

    /// Answers whether it left.
    fn send_parity(&mut self, host: &mut impl Host, now: u64) -> bool {
        if !self.sending.may_send(host, now) {
            return false;
        }
        let mut bytes = self.head(now, PARITY | self.placed, self.sum.len).to_vec();
        bytes.extend(&self.sum.bytes);
        let sent = host.net_send(&bytes, 0..0);
        if !self.sending.handle_sent(host, now, sent, bytes.len() as u64, 0) {
            return false;
        }
        (self.sum, self.placed, self.group) = (Sum::default(), 0, self.group.wrapping_add(1));
        self.flush.clear();
        true
    }

    fn receive(&mut self, host: &mut impl Host, now: u64, segment: &Arrived) -> bool {
        let (Some(numbered), Some(head)) = (segment.numbered, segment.head().first_chunk::<LONG>()) else {
            return false;
        };
        let two = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        if !self.reports.handle(now, numbered, segment.len.into(), two(2), two(4)) {
            return false;
        }
        let (place, name, len) = (head[HEAD], head[HEAD + 1], two(HEAD + 2));
        let mut bytes = vec![0; (segment.len as usize).saturating_sub(LONG)];
        if host.seg_read(segment.segment, LONG as u32, &mut bytes).is_err() {
            return false;
        }
        let known = self.groups.iter().position(|group| group.name == name);
        let at = known.unwrap_or_else(|| {
            if self.groups.len() == GROUPS {
                self.groups.pop_front();
            }
            self.groups.push_back(Group { name, seen: 0, whole: None, sum: Sum::default() });
            self.groups.len() - 1
        });
        let group = &mut self.groups[at];
        group.sum.add(&bytes);
        group.sum.len ^= len;
        let mut appended = false;
        if place & PARITY != 0 {
            group.whole = Some(place & !PARITY);
        } else {
            group.seen |= 1u8.checked_shl(place.into()).unwrap_or(0);
            appended = host.so_append(segment.segment, LONG as u32..segment.len).is_ok();
        }
        // All but one are here: the sum is the one that is not.
        if group.whole.is_some_and(|whole| u32::from(whole) == group.seen.count_ones() + 1) {
            let len = usize::from(group.sum.len);
            group.whole = None;
            if let Some(missing) = group.sum.bytes.get(..len) {
                appended |= host.so_append_bytes(missing).is_ok();
            }
        }
        appended
    }
}

impl Guest for Media {
    const SOCKET: SocketKind = SocketKind::Message;

    fn attach(_: &mut impl Host) -> Media {
        Media {
            waiting: VecDeque::new(),
            written: 0,
            deadline_ms: DEADLINE_MS,
            sending: Sending::new(),
            reports: Reports::new(TIMER_REPORT),
            group: 0,
            placed: 0,
            sum: Sum::default(),
            flush: Alarm::new(TIMER_FLUSH),
            groups: VecDeque::new(),
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
                _ => appended |= self.receive(host, now, segment),
            }
        }
        if appended {
            host.so_wakeup();
        }
        self.output(host, now);
    }

    fn timer(&mut self, host: &mut impl Host, id: u32) {
        let now = host.gettick();
        if id == TIMER_FLUSH {
            if self.flush.handle_timer(host, now) && self.placed > 0 {
                self.send_parity(host, now);
            }
        } else if !self.sending.handle_timer(host, now, id) {
            self.reports.handle_timer(host, now);
        }
        self.output(host, now);
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        let now = host.gettick();
        match request {
            UserRequest::Send { until } => {
                let message = core::mem::replace(&mut self.written, until)..until;
                if self.waiting.len() < WAITING_MAX {
                    self.waiting.push_back((message, now));
                }
            }
            UserRequest::Received { .. } => {}
            UserRequest::Disconnect => self.closing = true,
        }
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
        match (number, bytes.get(..len)) {
            (CALL_DEADLINE, Some(&[low, high])) => self.deadline_ms = u16::from_le_bytes([low, high]).into(),
            _ => return Err(Refused::NotThere),
        }
        Ok(0)
    }
}
