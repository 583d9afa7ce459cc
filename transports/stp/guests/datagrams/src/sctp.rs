//! SCTP (RFC 2960): messages in several streams, each in order, and none waits for another's.
//!
//! The first byte of a message says which of [`STREAMS`] streams it is of. Segments have the head of a TCP segment, and
//! behind it the stream, nothing, and the message's place in it (2 bytes). Ports, tags and addresses are the host's; a
//! path that fails or moves is told by `path_changed`, and what was on its way leaves again.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::ops::Range;

use stp_guest_tcp::segment::{BLOCKS_MAX, LONGEST, Proof, Segment};
use stp_guest_tcp::{
    ACK_DELAY_MS, Alarm, Fate, Progress, Recovery, Rto, Scoreboard, Sent, Standard, Traits, Variant, Window,
};
use tng_stp_abi::{Arrived, Guest, Host, Receipts, Refused, Route, SocketKind, TIMER_SEND, UserRequest};

/// Streams of a connection.
pub const STREAMS: usize = 16;

const MORE: usize = 4;
const WAITING_MAX: usize = 1_024;
const KEPT_MAX: usize = 256;
const STRETCHES_MAX: usize = 64;
const SEGMENTS_PER_ACK: u32 = 2;
const TIMER_AGAIN: u32 = 0;
const TIMER_ACKNOWLEDGE: u32 = 1;
const TIMER_RETRY: u32 = 2;
const RETRY_MS: u32 = 5;
const SILENT_MAX: u32 = 12;

/// How its window goes: as TCP's with selective acknowledgments (RFC 2960 section 7).
#[derive(Clone, Debug)]
struct Kind;

impl Variant for Kind {
    const IS: Traits = Traits { recovery: Recovery::Sack, says_blocks: true, ..Traits::MODERN };
    type Law = Standard;
}

/// A message that has not been acknowledged: where it lies, and where in which stream.
#[derive(Clone, Debug)]
struct Chunk {
    range: Range<u64>,
    stream: u8,
    place: u16,
}

/// A message that waits for others of its stream.
#[derive(Clone, Copy, Debug)]
struct Kept {
    stream: u8,
    place: u16,
    segment: u32,
    body: u32,
    len: u32,
}

/// One end.
#[derive(Clone, Debug)]
pub struct Sctp {
    /// Those that have left, and behind them those that wait.
    chunks: VecDeque<Chunk>,
    written: u64,
    places: [u16; STREAMS],
    board: Scoreboard,
    window: Window<Kind>,
    rto: Rto,
    timer: Alarm,
    silent: u32,
    blocked: bool,
    numbered: u64,
    segment_max: u64,
    closing: bool,
    is_open: bool,
    /// What came without gaps, and what behind it.
    next: u64,
    stretches: Vec<(u64, u64)>,
    latest: u64,
    wanted: [u16; STREAMS],
    kept: Vec<Kept>,
    receipts: Receipts,
    received_at: u64,
    unacknowledged: u32,
    acknowledge: Alarm,
}

impl Sctp {
    fn begin(&mut self, host: &mut impl Host) {
        self.is_open = true;
        host.so_connected();
        self.restart(host);
    }

    fn restart(&mut self, host: &mut impl Host) {
        self.resize(host);
        self.window.restart();
        (self.rto, self.blocked) = (Rto::default(), false);
        let now = host.gettick();
        self.output(host, now);
    }

    fn resize(&mut self, host: &mut impl Host) {
        self.segment_max = host.route(Route::SegmentMax);
        self.window.set_mss(self.segment_max.saturating_sub((LONGEST + MORE) as u64).clamp(1, 1 << 16) as u32);
    }

    fn written(&mut self, host: &mut impl Host, until: u64) {
        let range = core::mem::replace(&mut self.written, until)..until;
        let mut first = [0];
        // It is there: the application has just written it.
        let _ = host.so_read(range.start, &mut first);
        let stream = first[0] % STREAMS as u8;
        let place = self.places[usize::from(stream)];
        self.places[usize::from(stream)] = place.wrapping_add(1);
        self.chunks.push_back(Chunk { range, stream, place });
    }

    fn output(&mut self, host: &mut impl Host, now: u64) {
        while self.is_open && !self.blocked {
            let again = self.board.has_lost();
            if !(if again { self.send_again(host, now) } else { self.send_new(host, now) }) {
                break;
            }
        }
        if self.board.flight() > 0 && !self.timer.is_set() {
            self.timer.set(host, now, self.rto.timeout_ms() + ACK_DELAY_MS);
        }
        if self.unacknowledged >= SEGMENTS_PER_ACK {
            self.acknowledge(host, now);
        } else if self.unacknowledged > 0 && !self.acknowledge.is_set() {
            self.acknowledge.set(host, now, ACK_DELAY_MS);
        }
        if self.closing && self.chunks.is_empty() && self.unacknowledged == 0 {
            host.proto_done();
        }
    }

    fn chunk(&self, seq: u64) -> Option<Chunk> {
        let at = self.chunks.partition_point(|chunk| chunk.range.end <= seq);
        self.chunks.get(at).cloned()
    }

    fn send_new(&mut self, host: &mut impl Host, now: u64) -> bool {
        let Some(chunk) = self.chunk(self.board.end()) else { return false };
        let len = chunk.range.end - chunk.range.start;
        if len + (LONGEST + MORE) as u64 > self.segment_max {
            let _ = host.log("a message is larger than a segment; the connection cannot go on");
            host.so_error(1);
            host.proto_done();
            self.blocked = true;
            return false;
        }
        if !self.window.lets_new(&self.board, len) || self.board.segments() >= WAITING_MAX {
            return false;
        }
        let Some(number) = self.send(host, now, &chunk, None) else { return false };
        let (seq, len) = (chunk.range.start, len as u32);
        self.board.push(Sent { seq, number, len, at: now as u32, fate: Fate::Flying, again: false, fin: false });
        true
    }

    fn send_again(&mut self, host: &mut impl Host, now: u64) -> bool {
        let Some(lost) = self.board.first_lost(u32::MAX >> 1) else { return false };
        let Some(chunk) = self.chunk(lost.seq) else { return false };
        if !self.window.lets_again(&self.board, lost.len) {
            return false;
        }
        let Some(number) = self.send(host, now, &chunk, Some(lost.number)) else { return false };
        self.board.resent(lost.seq, number, now as u32);
        self.window.handle_sent_again(now);
        true
    }

    fn send(&mut self, host: &mut impl Host, now: u64, chunk: &Chunk, lost: Option<u64>) -> Option<u64> {
        let mut head =
            if self.unacknowledged > 0 { self.head(now) } else { Segment { ack: self.next, ..Segment::default() } };
        head.seq = chunk.range.start;
        let mut bytes = [0; LONGEST + MORE];
        let mut of_tcp = [0; LONGEST];
        let len = head.write(&mut of_tcp).len();
        bytes[..len].copy_from_slice(&of_tcp[..len]);
        let [low, high] = chunk.place.to_le_bytes();
        bytes[len..len + MORE].copy_from_slice(&[chunk.stream, 0, low, high]);
        let (bytes, body) = (&bytes[..len + MORE], chunk.range.clone());
        let sent = match lost.map(|lost| host.net_resend(bytes, body.clone(), lost)) {
            None | Some(Err(Refused::NotThere)) => host.net_send(bytes, body),
            Some(sent) => sent,
        };
        match sent {
            Ok(number) => {
                self.numbered = number + 1;
                if self.unacknowledged > 0 {
                    self.unacknowledged = 0;
                    self.acknowledge.clear();
                }
                Some(number)
            }
            Err(refused) => {
                self.blocked = refused == Refused::WouldBlock || host.timer_reset(TIMER_RETRY, RETRY_MS).is_ok();
                None
            }
        }
    }

    fn head(&self, now: u64) -> Segment {
        let held = now.saturating_sub(self.received_at).saturating_sub(1).min(ACK_DELAY_MS);
        let mut head = Segment { ack: self.next, delay_us: 1_000 * held as u16, ..Segment::default() };
        for (numbers, sum) in self.receipts.newest_first().take(BLOCKS_MAX) {
            head.proofs.push(Proof::of(numbers, sum));
        }
        let latest = self.stretches.iter().find(|stretch| stretch.0 <= self.latest && self.latest < stretch.1);
        for block in latest.into_iter().chain(self.stretches.iter().rev().filter(|it| Some(*it) != latest)) {
            if head.block_room() > 0 {
                head.blocks.push(*block);
            }
        }
        head
    }

    fn acknowledge(&mut self, host: &mut impl Host, now: u64) {
        match host.net_sendack(self.head(now).write(&mut [0; LONGEST])) {
            Ok(()) => {
                self.unacknowledged = 0;
                self.acknowledge.clear();
            }
            Err(_) => self.acknowledge.set(host, now, ACK_DELAY_MS),
        }
    }

    fn handle_acknowledgment(&mut self, host: &mut impl Host, now: u64, head: &Segment) {
        for (at, proof) in head.proofs.as_slice().iter().enumerate().rev() {
            let delay_us = if at == 0 { head.delay_us.into() } else { 0 };
            if let Some(numbers) = proof.numbers(self.numbered) {
                let _ = host.ack_sum(numbers, proof.sum(), delay_us);
            }
        }
        if head.ack > self.board.end() {
            return;
        }
        self.silent = 0;
        let (before, flight) = (self.board.una(), self.board.flight());
        let sacked: u64 = head.blocks.as_slice().iter().map(|(from, to)| self.board.sack(*from, *to)).sum();
        if head.ack <= before {
            if flight > 0 {
                self.window.handle_duplicate(&mut self.board, true, sacked);
            }
            return;
        }
        let newest = self.board.acknowledge(head.ack).filter(|(_, once)| *once);
        let rtt_ms = newest.map(|(sent, _)| {
            u64::from((now as u32).wrapping_sub(sent.at)).saturating_sub(u64::from(head.delay_us) / 1_000)
        });
        if let Some(rtt_ms) = rtt_ms {
            self.rto.handle_sample(rtt_ms);
        }
        self.rto.handle_progress();
        let (acked, is_open, end) = (head.ack - before, self.window.is_open(), self.board.end());
        let progress = Progress { now, acked, rtt_ms, una: head.ack, end, is_open };
        self.window.handle_progress(&mut self.board, &progress, flight, None);
        while self.chunks.pop_front_if(|chunk| chunk.range.end <= head.ack).is_some() {}
        let _ = host.so_drop(head.ack);
        self.timer.clear();
    }

    fn receive(&mut self, host: &mut impl Host, now: u64, segment: &Arrived, head: &Segment) -> bool {
        let Some((number, nonce)) = segment.numbered else { return false };
        let size = head.size();
        let Some(&[stream, _, low, high]) = segment.head().get(size..).and_then(|rest| rest.first_chunk::<MORE>())
        else {
            return false;
        };
        let body = (size + MORE) as u32;
        let len = segment.len.saturating_sub(body);
        if len == 0 || usize::from(stream) >= STREAMS {
            return false;
        }
        if self.receipts.receive(number, nonce) {
            self.received_at = now;
        }
        let (from, to) = (head.seq, head.seq + u64::from(len));
        let in_order = from == self.next && self.stretches.is_empty();
        self.unacknowledged += if in_order { 1 } else { SEGMENTS_PER_ACK };
        let at = self.stretches.partition_point(|stretch| stretch.1 < from);
        let has = to <= self.next || self.stretches.get(at).is_some_and(|it| it.0 <= from && to <= it.1);
        if has || self.stretches.len() == STRETCHES_MAX {
            return false;
        }
        let part = Kept { stream, place: u16::from_le_bytes([low, high]), segment: segment.segment, body, len };
        let Some(delivered) = self.take(host, part) else { return false };
        self.latest = from;
        self.note(at, from, to);
        delivered
    }

    /// Hands a message to the application, with those of its stream that wait for it, or keeps it. Answers whether
    /// there is something to read; none if there was no room.
    fn take(&mut self, host: &mut impl Host, part: Kept) -> Option<bool> {
        let stream = usize::from(part.stream);
        if part.place != self.wanted[stream] {
            if self.kept.len() == KEPT_MAX || host.seg_keep(part.segment).is_err() {
                return None;
            }
            self.kept.push(part);
            return Some(false);
        }
        if host.so_append(part.segment, part.body..part.body + part.len).is_err() {
            return None;
        }
        self.wanted[stream] = part.place.wrapping_add(1);
        self.take_kept(host);
        Some(true)
    }

    fn take_kept(&mut self, host: &mut impl Host) {
        let wanted = |kept: &Kept, wanted: &[u16; STREAMS]| wanted[usize::from(kept.stream)] == kept.place;
        while let Some(at) = self.kept.iter().position(|kept| wanted(kept, &self.wanted)) {
            let kept = self.kept[at];
            if host.so_append(kept.segment, kept.body..kept.body + kept.len).is_err() {
                return;
            }
            let _ = host.seg_free(kept.segment);
            self.kept.swap_remove(at);
            self.wanted[usize::from(kept.stream)] = kept.place.wrapping_add(1);
        }
    }

    fn note(&mut self, at: usize, from: u64, to: u64) {
        let touched = self.stretches[at..].iter().take_while(|stretch| stretch.0 <= to).count();
        let whole = self.stretches[at..at + touched]
            .iter()
            .fold((from, to), |whole, stretch| (whole.0.min(stretch.0), whole.1.max(stretch.1)));
        self.stretches.splice(at..at + touched, [whole]);
        while let Some(first) = self.stretches.first().copied().filter(|first| first.0 <= self.next) {
            self.next = self.next.max(first.1);
            self.stretches.remove(0);
        }
    }
}

impl Guest for Sctp {
    const SOCKET: SocketKind = SocketKind::Message;

    fn attach(_: &mut impl Host) -> Sctp {
        Sctp {
            chunks: VecDeque::new(),
            written: 0,
            places: [0; STREAMS],
            board: Scoreboard::default(),
            window: Window::new(),
            rto: Rto::default(),
            timer: Alarm::new(TIMER_AGAIN),
            silent: 0,
            blocked: false,
            numbered: 0,
            segment_max: 0,
            closing: false,
            is_open: false,
            next: 0,
            stretches: Vec::new(),
            latest: 0,
            wanted: [0; STREAMS],
            kept: Vec::new(),
            receipts: Receipts::default(),
            received_at: 0,
            unacknowledged: 0,
            acknowledge: Alarm::new(TIMER_ACKNOWLEDGE),
        }
    }

    fn connect(&mut self, host: &mut impl Host) {
        self.begin(host);
    }

    fn accept(&mut self, host: &mut impl Host) {
        self.begin(host);
    }

    fn abort(&mut self, _: &mut impl Host) {
        self.is_open = false;
    }

    fn input(&mut self, host: &mut impl Host, arrived: &[Arrived]) {
        let now = host.gettick();
        self.resize(host);
        let mut appended = false;
        for segment in arrived {
            let Some(head) = Segment::read(segment.head()) else { continue };
            self.handle_acknowledgment(host, now, &head);
            appended |= self.receive(host, now, segment, &head);
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
            TIMER_AGAIN if self.timer.handle_timer(host, now) && self.board.flight() > 0 => {
                if !(self.blocked && self.board.has_lost()) {
                    self.window.handle_timeout(&mut self.board, self.rto.timeouts() == 0);
                    self.rto.handle_timeout();
                    self.silent += 1;
                }
                if self.silent > SILENT_MAX {
                    host.so_error(stp_guest_tcp::ERROR_TIMED_OUT);
                    return host.proto_done();
                }
            }
            TIMER_ACKNOWLEDGE if self.acknowledge.handle_timer(host, now) && self.unacknowledged > 0 => {
                self.acknowledge(host, now);
            }
            _ => {}
        }
        self.output(host, now);
    }

    fn usrreq(&mut self, host: &mut impl Host, request: UserRequest) {
        let now = host.gettick();
        match request {
            UserRequest::Send { until } => self.written(host, until),
            UserRequest::Received { .. } => self.take_kept(host),
            UserRequest::Disconnect => self.closing = true,
        }
        self.output(host, now);
    }

    fn shutdown(&mut self, host: &mut impl Host, _: u32) {
        self.closing = true;
        let now = host.gettick();
        self.output(host, now);
    }

    fn path_changed(&mut self, host: &mut impl Host) {
        // What was on its way may have gone down with the old path.
        self.board.lose_all();
        self.restart(host);
    }
}
