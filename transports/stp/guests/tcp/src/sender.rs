//! What is sent: new bytes as the windows allow, lost ones again.

use tng_stp_abi::{Host, Refused};

use crate::alarm::Alarm;
use crate::law::Progress;
use crate::receiver::{ACK_DELAY_MS, Receiver, SMALL_WINDOW};
use crate::recovery::Window;
use crate::rto::Rto;
use crate::scoreboard::{Fate, Scoreboard, Sent};
use crate::segment::{BLOCKS_MAX, FIXED, LONGEST, Proof, STAMP_LEN, Segment};
use crate::variant::{Sampling, Variant};

/// How long after a refusal the host may have room again.
const RETRY_MS: u64 = 5;
/// With so many segments on their way, a small one waits to become larger.
const SMALL_BESIDE: usize = 64;
/// What the peer is taken to have room for before it says so.
const EDGE_INITIAL: u64 = 65_536;
/// Timeouts without a segment of the peer's after which the connection has failed.
const SILENT_MAX: u32 = 12;

/// What a timeout was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// There is some left.
    Left,
    /// The peer has not answered for minutes.
    Lost,
}

/// The sending half.
#[derive(Clone, Debug)]
pub struct Sender<V: Variant> {
    board: Scoreboard,
    window: Window<V>,
    rto: Rto,
    alarm: Alarm,
    /// Where the send buffer ends.
    until: u64,
    /// The application writes nothing behind that.
    closing: bool,
    fin_sent: bool,
    /// The peer has room up to here.
    edge: u64,
    /// Bytes of a segment, head included.
    segment_max: u32,
    /// A segment was refused, and no timer has said since that another may leave.
    waiting: bool,
    retry: Alarm,
    /// Timeouts since a segment came.
    silent: u32,
    /// Segments numbered so far.
    numbered: u64,
    /// Proofs handed in lately: acknowledgments repeat them.
    proven: [Proof; BLOCKS_MAX],
}

/// Bytes of a head without an acknowledgment.
const fn head_len<V: Variant>() -> u32 {
    let stamp = if V::IS.timestamps { STAMP_LEN } else { 0 };
    (FIXED + stamp) as u32
}

/// Of a window that is too large to be said in 16 bits, who does not know of such understands those.
fn window_of<V: Variant>(head: &Segment) -> u64 {
    let most = if V::IS.large_windows { u32::MAX } else { SMALL_WINDOW };
    head.window.min(most).into()
}

impl<V: Variant> Sender<V> {
    /// Before anything was sent. Both timers are its own.
    pub fn new(timer: u32, retry_timer: u32) -> Sender<V> {
        Sender {
            board: Scoreboard::default(),
            window: Window::new(),
            rto: Rto::default(),
            alarm: Alarm::new(timer),
            until: 0,
            closing: false,
            fin_sent: false,
            edge: EDGE_INITIAL,
            segment_max: 0,
            waiting: false,
            retry: Alarm::new(retry_timer),
            silent: 0,
            numbered: 0,
            proven: [Proof::default(); BLOCKS_MAX],
        }
    }

    /// The path is this one from now on, with segments of so many bytes.
    pub fn handle_path(&mut self, host: &mut impl Host, now: u64, segment_max: u64) {
        self.handle_size(segment_max);
        (self.rto, self.waiting) = (Rto::default(), false);
        self.window.restart();
        self.set_alarm(host, now, self.board.flight() > 0);
    }

    /// Segments have so many bytes from now on: the host learns what the path carries.
    pub fn handle_size(&mut self, segment_max: u64) {
        self.segment_max = segment_max.min(1 << 16) as u32;
        self.window.set_mss(self.body_max());
    }

    /// Bytes that may be on their way.
    pub fn window(&self) -> u64 {
        self.window.bytes()
    }

    /// Bytes of a body at most, behind a head of the least length.
    pub fn body_max(&self) -> u32 {
        self.segment_max.saturating_sub(head_len::<V>()).max(1)
    }

    /// The application has written up to here.
    pub fn handle_written(&mut self, until: u64) {
        self.until = self.until.max(until);
    }

    /// It writes no more.
    pub fn handle_closing(&mut self) {
        self.closing = true;
    }

    /// Whether all that was written has been acknowledged, and the end of it if there is one.
    pub fn is_drained(&self) -> bool {
        self.board.una() >= self.until + u64::from(self.closing)
    }

    /// Whether the peer has all that there will ever be, and knows that it is all.
    pub fn is_finished(&self) -> bool {
        self.closing && self.board.una() > self.until
    }

    /// Whether the end of the stream has left.
    pub fn is_fin_sent(&self) -> bool {
        self.fin_sent
    }

    /// Whether a segment says anything that is not known.
    pub fn has_news(&self, head: &Segment) -> bool {
        let edge = head.ack + window_of::<V>(head);
        head.ack != self.board.una() || edge > self.edge || !head.proofs.as_slice().is_empty()
    }

    /// Every segment of the peer's says how far it is.
    pub fn handle(&mut self, host: &mut impl Host, now: u64, head: &Segment) {
        if head.ack > self.board.end() {
            return;
        }
        self.prove(host, head);
        let edge = head.ack + window_of::<V>(head);
        if edge > self.edge {
            self.edge = edge;
            if V::IS.sampling != Sampling::Karn {
                self.rto.handle_progress();
            }
        }
        self.silent = 0;
        let (before, flight) = (self.board.una(), self.board.flight());
        if let Some((from, _)) = head.twice {
            self.window.handle_twice(&mut self.board, from);
        }
        let mut sacked = 0;
        for (from, to) in head.blocks.as_slice() {
            sacked += self.board.sack(*from, *to);
        }
        if head.ack > before {
            let newest = self.board.acknowledge(head.ack);
            let echo = head.stamp.filter(|_| V::IS.timestamps).map(|(_, answers)| answers);
            let left = match (echo, newest) {
                (Some(echo), _) => Some(echo),
                (None, Some((sent, once))) if once || V::IS.sampling == Sampling::Any => Some(sent.at),
                _ => None,
            };
            let rtt_ms = left.map(|left| {
                let rtt = u64::from((now as u32).wrapping_sub(left));
                rtt.saturating_sub(u64::from(head.delay_us) / 1_000)
            });
            if let Some(rtt_ms) = rtt_ms {
                self.rto.handle_sample(rtt_ms);
            }
            if V::IS.sampling != Sampling::Karn || rtt_ms.is_some() {
                self.rto.handle_progress();
            }
            let (acked, end) = (head.ack - before, self.board.end());
            let is_open = self.window.is_open();
            let progress = Progress { now, acked, rtt_ms, una: head.ack, end, is_open };
            self.window.handle_progress(&mut self.board, &progress, flight, echo);
            let _ = host.so_drop(head.ack.min(self.until));
            self.set_alarm(host, now, self.board.flight() > 0);
        } else if head.ack == before && flight > 0 {
            self.window.handle_duplicate(&mut self.board, head.gap, sacked);
        }
    }

    fn prove(&mut self, host: &mut impl Host, head: &Segment) {
        // The oldest first, so that a gap that has been filled is no loss.
        for (at, proof) in head.proofs.as_slice().iter().enumerate().rev() {
            if self.proven.contains(proof) {
                continue;
            }
            let delay_us = if at == 0 { u32::from(head.delay_us) } else { 0 };
            if let Some(numbers) = proof.numbers(self.numbered) {
                // What the host thinks of it changes nothing here.
                let _ = host.ack_sum(numbers, proof.sum(), delay_us);
            }
        }
        for (at, proof) in head.proofs.as_slice().iter().enumerate() {
            self.proven[at] = *proof;
        }
    }

    /// The timer went off.
    pub fn handle_timer(&mut self, host: &mut impl Host, now: u64, receiver: &mut Receiver<V>) -> Patience {
        if !self.alarm.handle_timer(host, now) {
            return Patience::Left;
        }
        // If what is lost has not left again yet, there is nothing new to learn.
        if !(self.waiting && self.board.has_lost()) {
            if self.board.flight() == 0 {
                // Either the window is closed, or the host had no room.
                self.probe(host, now, receiver);
            } else {
                self.window.handle_timeout(&mut self.board, self.rto.timeouts() == 0);
            }
            self.rto.handle_timeout();
            self.silent += 1;
        }
        self.set_alarm(host, now, true);
        if self.silent > SILENT_MAX { Patience::Lost } else { Patience::Left }
    }

    fn probe(&mut self, host: &mut impl Host, now: u64, receiver: &Receiver<V>) {
        let head = Segment { probe: true, seq: self.board.end(), ..receiver.head(now) };
        let _ = host.net_sendack(head.write(&mut [0; LONGEST]));
    }

    /// The policer lets segments leave again.
    pub fn handle_leave(&mut self) {
        self.waiting = false;
    }

    /// The host may have room again.
    pub fn handle_retry(&mut self, host: &mut impl Host, now: u64) {
        self.waiting &= !self.retry.handle_timer(host, now);
    }

    /// Sends what may leave.
    pub fn output(&mut self, host: &mut impl Host, now: u64, receiver: &mut Receiver<V>) {
        if self.segment_max == 0 {
            return;
        }
        while !self.waiting {
            let sent = if self.board.has_lost() {
                self.send_again(host, now, receiver)
            } else {
                self.send_new(host, now, receiver)
            };
            if !sent {
                break;
            }
        }
        let wanted = self.board.flight() > 0 || self.has_new() && !self.waiting;
        if wanted && !self.alarm.is_set() {
            self.set_alarm(host, now, true);
        }
    }

    fn has_new(&self) -> bool {
        self.board.end() < self.until || self.closing && !self.fin_sent
    }

    fn send_again(&mut self, host: &mut impl Host, now: u64, receiver: &Receiver<V>) -> bool {
        let Some(lost) = self.board.first_lost(self.body_max()) else { return false };
        if !self.window.lets_again(&self.board, lost.len) {
            return false;
        }
        let head = Segment { seq: lost.seq, fin: lost.fin, ..receiver.head(now) };
        let body = lost.seq..lost.end() - u64::from(lost.fin);
        let mut bytes = [0; LONGEST];
        let bytes = head.write(&mut bytes);
        let sent = match host.net_resend(bytes, body.clone(), lost.number) {
            // The host may have found out itself.
            Err(Refused::NotThere) => host.net_send(bytes, body),
            sent => sent,
        };
        let Some(number) = self.handle_sent(host, now, sent) else { return false };
        self.board.resent(lost.seq, number, now as u32);
        self.window.handle_sent_again(now);
        true
    }

    fn send_new(&mut self, host: &mut impl Host, now: u64, receiver: &mut Receiver<V>) -> bool {
        if !self.has_new() {
            return false;
        }
        let from = self.board.end();
        let (wanted, room) = (self.until.saturating_sub(from), self.edge.saturating_sub(from));
        let mss = u64::from(self.body_max());
        let mut len = wanted.min(room).min(mss);
        // A little at a time of what does not fit into the window is not worth a segment (RFC 1122 4.2.3.4).
        let silly = len < wanted.min(mss) && self.board.flight() > 0
            || len < mss && !self.closing && self.board.segments() >= SMALL_BESIDE;
        if wanted > 0 && (len == 0 || silly) || !self.window.lets_new(&self.board, len) {
            return false;
        }
        let mut head = receiver.head_with_ack(host, now);
        len = len.min(u64::from(self.segment_max).saturating_sub(head.size() as u64).max(1));
        let fin = self.closing && from + len == self.until;
        (head.seq, head.fin) = (from, fin);
        let sent = host.net_send(head.write(&mut [0; LONGEST]), from..from + len);
        let Some(number) = self.handle_sent(host, now, sent) else { return false };
        receiver.handle_acknowledged();
        self.fin_sent |= fin;
        let len = len as u32 + u32::from(fin);
        self.board.push(Sent { seq: from, number, len, at: now as u32, fate: Fate::Flying, again: false, fin });
        true
    }

    fn handle_sent(&mut self, host: &mut impl Host, now: u64, sent: Result<u64, Refused>) -> Option<u64> {
        match sent {
            Ok(number) => {
                self.numbered = number + 1;
                Some(number)
            }
            Err(refused) => {
                self.waiting = true;
                // The host has no room. To ask again at once would count as pushing.
                if refused != Refused::WouldBlock {
                    self.retry.set(host, now, RETRY_MS);
                }
                None
            }
        }
    }

    fn set_alarm(&mut self, host: &mut impl Host, now: u64, wanted: bool) {
        if wanted {
            self.alarm.set(host, now, self.rto.timeout_ms() + ACK_DELAY_MS);
        } else {
            self.alarm.clear();
        }
    }
}
