//! The smallest transport that works, to begin with: messages, in order, each sent when the one before it has arrived.
//!
//! A copy of this folder is a guest. `build` makes a module of it; a host that trusts it uses it as a crate.
//!
//! The bytes of a segment are the guest's own, whatever they are. This one has two kinds:
//!
//! | byte 0 | byte 1 | then |
//! |---|---|---|
//! | 1: a message | low byte of its count | the message |
//! | 2: an acknowledgment | the same | number of the segment that came, 8 bytes, and its nonce, 8 bytes |
#![cfg_attr(target_arch = "wasm32", no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::collections::VecDeque;

use tng_stp_abi::{Arrived, Guest, Host, Refused, Route, SocketKind, TIMER_SEND, UserRequest};

const MESSAGE: u8 = 1;
const ACKNOWLEDGMENT: u8 = 2;
const HEAD: usize = 2;
const ACKNOWLEDGMENT_LEN: usize = HEAD + 16;

/// A guest has timers 0 to 7. This one is for sending again.
const TIMER_AGAIN: u32 = 0;
const AGAIN_MS: u32 = 400;

/// Messages that wait. The application writes more than a guest needs to remember.
const WAITING_MAX: usize = 256;

/// All that this end knows. There is one for each connection.
#[derive(Debug)]
pub struct StopAndWait {
    /// Where the messages end that have not arrived: offsets in the socket's send buffer. Their bytes stay there.
    waiting: VecDeque<u64>,
    /// Where the first of them begins.
    from: u64,
    /// Messages that arrived at the peer, and here.
    sent: u8,
    received: u8,
    /// Number of the segment that has the first of them, if one is on its way.
    flying: Option<u64>,
    /// The number that it had before, if it was lost.
    lost: Option<u64>,
}

impl StopAndWait {
    fn output(&mut self, host: &mut impl Host) {
        while self.flying.is_none() {
            let Some(until) = self.waiting.front().copied() else { break };
            if until - self.from + HEAD as u64 > host.route(Route::SegmentMax) {
                let _ = host.log("a message is larger than a segment, and is dropped");
                self.done_with_first(host);
                continue;
            }
            // A segment is a head of ours and bytes of the send buffer, which we need not have seen.
            let head = [MESSAGE, self.sent];
            let number = match self.lost {
                None => host.net_send(&head, self.from..until),
                // Who says early what was lost is held to the truth early.
                Some(lost) => host.net_resend(&head, self.from..until, lost),
            };
            match number {
                Ok(number) => self.flying = Some(number),
                // The policer calls with TIMER_SEND. To ask again before that is held against us.
                Err(Refused::WouldBlock) => return,
                // The host has no room, or the connection is over. We look again later.
                Err(_) => {}
            }
            let _ = host.timer_reset(TIMER_AGAIN, AGAIN_MS);
            break;
        }
        if self.waiting.is_empty() && host.so_isdisconnecting() {
            host.proto_done();
        }
    }

    fn done_with_first(&mut self, host: &mut impl Host) {
        if let Some(until) = self.waiting.pop_front() {
            (self.from, self.flying, self.lost) = (until, None, None);
            // The application may write as much again. A segment that still waits in the host is read when it leaves,
            // so nothing is dropped that may have to be read.
            let _ = host.so_drop(until);
        }
    }

    fn receive(&mut self, host: &mut impl Host, segment: &Arrived) {
        let Some((number, nonce)) = segment.numbered else { return };
        let count = segment.head[1];
        if count == self.received {
            // The bytes go from the segment to the application, and never enter this memory. If there is no room for
            // them, there is no acknowledgment, and they come again.
            if host.so_append(segment.segment, HEAD as u32..segment.len).is_err() {
                return;
            }
            host.so_wakeup();
            self.received = self.received.wrapping_add(1);
        }
        // What is not proven counts as lost, even if it came twice: so whatever came is proven, by the sum of the
        // nonces in a range of numbers. Here each range is of one number, and the sum is its nonce.
        let mut bytes = [0; ACKNOWLEDGMENT_LEN];
        (bytes[0], bytes[1]) = (ACKNOWLEDGMENT, count);
        bytes[2..10].copy_from_slice(&number.to_le_bytes());
        bytes[10..].copy_from_slice(&nonce.to_le_bytes());
        // If it is refused, the message comes again.
        let _ = host.net_sendack(&bytes);
    }

    fn acknowledge(&mut self, host: &mut impl Host, head: &[u8]) {
        // Whatever arrives may be anything: nothing here panics.
        let Some(bytes) = head.first_chunk::<ACKNOWLEDGMENT_LEN>() else { return };
        let eight = |at: usize| bytes[at..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
        let (number, nonce) = (eight(2), eight(10));
        // The host checks it. A number that we have not sent is not worth asking: 16 wrong sums end a guest.
        if self.flying.is_some_and(|flying| number <= flying) {
            let _ = host.ack_sum(number..number.saturating_add(1), nonce, 0);
        }
        if self.flying.is_some() && bytes[1] == self.sent {
            self.sent = self.sent.wrapping_add(1);
            self.done_with_first(host);
        }
    }
}

impl Guest for StopAndWait {
    const SOCKET: SocketKind = SocketKind::Message;

    fn attach(_: &mut impl Host) -> StopAndWait {
        StopAndWait { waiting: VecDeque::new(), from: 0, sent: 0, received: 0, flying: None, lost: None }
    }

    fn connect(&mut self, host: &mut impl Host) {
        host.so_connected();
        self.output(host);
    }

    fn accept(&mut self, host: &mut impl Host) {
        self.connect(host);
    }

    fn abort(&mut self, _: &mut impl Host) {
        self.waiting.clear();
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        for segment in arrived {
            match segment.head() {
                [MESSAGE, _, ..] => self.receive(host, segment),
                [ACKNOWLEDGMENT, _, ..] => self.acknowledge(host, segment.head()),
                _ => {}
            }
        }
        self.output(host);
    }

    fn timer(&mut self, host: &mut impl Host, id: u32) {
        match id {
            TIMER_AGAIN => self.lost = self.flying.take().or(self.lost),
            TIMER_SEND => {}
            _ => return,
        }
        self.output(host);
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        match request {
            UserRequest::Send { until } if self.waiting.len() < WAITING_MAX => self.waiting.push_back(until),
            // Then this one and the last that waits are one message: a better transport would say so.
            UserRequest::Send { until } => {
                if let Some(last) = self.waiting.back_mut() {
                    *last = until;
                }
            }
            UserRequest::Received { .. } | UserRequest::Disconnect => {}
        }
        self.output(host);
    }

    fn shutdown(&mut self, host: &mut impl Host, _deadline_ms: u32) {
        host.proto_done();
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        // What was on its way may have been lost with the old path.
        self.lost = self.flying.take().or(self.lost);
        self.output(host);
    }
}

#[cfg(target_arch = "wasm32")]
use stp_guest_runtime as _;

#[cfg(target_arch = "wasm32")]
tng_stp_abi::export_transport!(crate::StopAndWait);
