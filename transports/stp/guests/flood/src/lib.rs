//! UDP Flood as a guest (STP 5.1.1): messages, sent as fast as the policer lets them, and never again.
//!
//! It has no congestion control of its own. The peer acknowledges, since what is not proven counts as lost.
//!
//! Call 1 with one byte: 1 has it send segments of its own making without end, 0 has it stop.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::ops::Range;

use stp_guest_tcp::segment::{BLOCKS_MAX, PROOF_LEN, Proof};
use stp_guest_tcp::{ACK_DELAY_MS, Alarm};
use tng_stp_abi::{Arrived, Guest, Host, Receipts, Refused, Route, SocketKind, TIMER_SEND, UserRequest};

/// First byte of a segment.
const DATA: u8 = 1;
/// Of one that has nothing in it for the application.
const FILL: u8 = 2;
/// Of an acknowledgment: proofs, and for how long the newest of them was held in units of a millisecond.
const ACK: u8 = 3;

/// Bytes in front of a message, and in front of the proofs of an acknowledgment.
const HEAD: usize = 2;
/// Segments that one acknowledgment is for.
const SEGMENTS_PER_ACK: u32 = 2;
/// Messages that wait to leave.
const WAITING_MAX: usize = 1_024;
const TIMER_RETRY: u32 = 0;
const TIMER_ACKNOWLEDGE: u32 = 1;
const TIMER_DROP: u32 = 2;
const RETRY_MS: u32 = 100;
/// What was sent so long ago has left the host, whether it arrived or not.
const SENT_MS: u64 = 1_000;

/// Call that starts and stops filling.
pub const CALL_FILL: u32 = 1;

/// One end.
#[derive(Clone, Debug)]
pub struct Flood {
    /// Messages that wait, and where the last one ended that was written.
    waiting: VecDeque<Range<u64>>,
    written: u64,
    /// Messages that left: number, where it ends, and when. The host reads them late, so they are dropped later.
    sent: VecDeque<(u64, u64, u64)>,
    drop: Alarm,
    /// A segment was refused; a timer says when to try again.
    blocked: bool,
    closing: bool,
    filling: bool,
    filler: Vec<u8>,
    segment_max: usize,
    /// There is a path.
    is_open: bool,
    numbered: u64,
    receipts: Receipts,
    received_at: u64,
    unacknowledged: u32,
    alarm: Alarm,
}

impl Flood {
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
        let segment_max = usize::try_from(host.route(Route::SegmentMax)).unwrap_or(usize::MAX).max(HEAD);
        if segment_max != self.segment_max {
            self.segment_max = segment_max;
            self.fill();
        }
        while !self.blocked {
            let Some(message) = self.waiting.front().cloned() else { break };
            let until = message.end;
            if until - message.start > (self.segment_max - HEAD) as u64 {
                let _ = host.log("a message is larger than a segment, and is dropped");
            } else {
                let sent = host.net_send(&[DATA, 0], message);
                if !self.handle_sent(host, sent) {
                    break;
                }
            }
            self.waiting.pop_front();
            self.sent.push_back((self.numbered, until, now));
        }
        if !self.sent.is_empty() && !self.drop.is_set() {
            self.drop.set(host, now, SENT_MS);
        }
        while self.filling && self.waiting.is_empty() && !self.blocked {
            let sent = host.net_send(&self.filler, 0..0);
            if !self.handle_sent(host, sent) {
                break;
            }
        }
        if self.closing && self.waiting.is_empty() && self.sent.is_empty() && !self.filling {
            host.proto_done();
        }
    }

    /// Answers whether the segment is on its way.
    fn handle_sent(&mut self, host: &mut impl Host, sent: Result<u64, Refused>) -> bool {
        match sent {
            Ok(number) => self.numbered = number + 1,
            Err(Refused::WouldBlock) => self.blocked = true,
            // The host has no room now.
            Err(_) => self.blocked = host.timer_reset(TIMER_RETRY, RETRY_MS).is_ok(),
        }
        sent.is_ok()
    }

    fn receive(&mut self, host: &mut impl Host, now: u64, segment: &Arrived) -> bool {
        let fresh = segment.numbered.is_some_and(|(number, nonce)| self.receipts.receive(number, nonce));
        if !fresh {
            return false;
        }
        (self.received_at, self.unacknowledged) = (now, self.unacknowledged + 1);
        if self.unacknowledged >= SEGMENTS_PER_ACK {
            self.acknowledge(host, now);
        } else if !self.alarm.is_set() {
            self.alarm.set(host, now, ACK_DELAY_MS);
        }
        // What has no room is lost, as it is with UDP.
        segment.head[0] == DATA && host.so_append(segment.segment, HEAD as u32..segment.len).is_ok()
    }

    fn acknowledge(&mut self, host: &mut impl Host, now: u64) {
        // A tick may have begun just before; what was not waited must not be claimed.
        let held = now.saturating_sub(self.received_at).saturating_sub(1).min(ACK_DELAY_MS);
        let mut bytes = [0; HEAD + BLOCKS_MAX * PROOF_LEN];
        let (head, proofs) = bytes.split_at_mut(HEAD);
        head.copy_from_slice(&[ACK, held as u8]);
        let mut len = HEAD;
        for ((numbers, sum), place) in self.receipts.newest_first().zip(proofs.chunks_exact_mut(PROOF_LEN)) {
            place.copy_from_slice(&Proof::of(numbers, sum).to_bytes());
            len += PROOF_LEN;
        }
        if host.net_sendack(&bytes[..len]).is_ok() {
            self.unacknowledged = 0;
            self.alarm.clear();
        } else if !self.alarm.is_set() {
            self.alarm.set(host, now, ACK_DELAY_MS);
        }
    }

    fn prove(&mut self, host: &mut impl Host, head: &[u8]) {
        let Some((head, proofs)) = head.split_at_checked(HEAD) else { return };
        let held = u64::from(head[1]).min(ACK_DELAY_MS);
        // The oldest first, so that a gap that has been filled is no loss.
        for (at, proof) in proofs.as_chunks().0.iter().take(BLOCKS_MAX).enumerate().rev() {
            let proof = Proof::from_bytes(proof);
            if let Some(numbers) = proof.numbers(self.numbered) {
                let delay_us = if at == 0 { 1_000 * held as u32 } else { 0 };
                let end = numbers.end;
                if host.ack_sum(numbers, proof.sum(), delay_us).is_ok() {
                    self.drop_sent(host, |number, _| number <= end);
                }
            }
        }
    }

    /// Drops what left, the first first, as long as this is so of its number and time.
    fn drop_sent(&mut self, host: &mut impl Host, so: impl Fn(u64, u64) -> bool) {
        let mut dropped = None;
        while let Some((_, until, _)) = self.sent.pop_front_if(|(number, _, at)| so(*number, *at)) {
            dropped = Some(until);
        }
        if let Some(until) = dropped {
            // It was there until now.
            let _ = host.so_drop(until);
        }
    }
}

impl Guest for Flood {
    const SOCKET: SocketKind = SocketKind::Message;

    fn attach(_: &mut impl Host) -> Flood {
        Flood {
            waiting: VecDeque::new(),
            written: 0,
            sent: VecDeque::new(),
            drop: Alarm::new(TIMER_DROP),
            blocked: false,
            closing: false,
            filling: false,
            filler: Vec::new(),
            segment_max: 0,
            is_open: false,
            numbered: 0,
            receipts: Receipts::default(),
            received_at: 0,
            unacknowledged: 0,
            alarm: Alarm::new(TIMER_ACKNOWLEDGE),
        }
    }

    fn connect(&mut self, host: &mut impl Host) {
        self.begin(host);
    }

    fn accept(&mut self, host: &mut impl Host) {
        self.begin(host);
    }

    fn abort(&mut self, _: &mut impl Host) {
        self.filling = false;
        self.waiting.clear();
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        let now = host.gettick();
        let mut appended = false;
        for segment in arrived {
            match segment.head().first() {
                Some(&(DATA | FILL)) if segment.len as usize >= HEAD => appended |= self.receive(host, now, segment),
                Some(&ACK) => self.prove(host, segment.head()),
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
        match id {
            TIMER_SEND | TIMER_RETRY => self.blocked = false,
            TIMER_ACKNOWLEDGE if self.alarm.handle_timer(host, now) && self.unacknowledged > 0 => {
                self.acknowledge(host, now);
            }
            TIMER_DROP if self.drop.handle_timer(host, now) => {
                self.drop_sent(host, |_, at| at + SENT_MS <= now);
            }
            _ => {}
        }
        self.output(host, now);
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        let now = host.gettick();
        match request {
            UserRequest::Send { until } => {
                let message = core::mem::replace(&mut self.written, until)..until;
                // The newest is dropped where there are too many, as it is with UDP.
                if self.waiting.len() < WAITING_MAX {
                    self.waiting.push_back(message);
                }
            }
            UserRequest::Received { .. } => {}
            UserRequest::Disconnect => self.closing = true,
        }
        self.output(host, now);
    }

    fn shutdown(&mut self, host: &mut impl Host, _: u32) {
        self.filling = false;
        self.waiting.clear();
        host.proto_done();
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        let now = host.gettick();
        self.blocked = false;
        self.output(host, now);
    }

    fn call(&mut self, host: &mut impl Host, number: u32, bytes: &mut [u8], len: usize) -> Result<usize, Refused> {
        let said = bytes.get(..len).and_then(|said| said.first()).copied();
        self.filling = match (number, said) {
            (CALL_FILL, Some(0)) => false,
            (CALL_FILL, Some(1)) => true,
            _ => return Err(Refused::NotThere),
        };
        self.fill();
        let now = host.gettick();
        self.output(host, now);
        Ok(0)
    }
}

impl Flood {
    /// Makes the segment that filling sends.
    fn fill(&mut self) {
        self.filler.resize(if self.filling { self.segment_max } else { 0 }, 0);
        if let Some(format) = self.filler.first_mut() {
            *format = FILL;
        }
    }
}

#[cfg(target_arch = "wasm32")]
use stp_guest_runtime as _;

#[cfg(target_arch = "wasm32")]
tng_stp_abi::export_transport!(crate::Flood);
