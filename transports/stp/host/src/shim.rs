//! The host's side of one end of a guest's connection.

mod standing;

use core::fmt;
use core::ops::Range;
use core::time::Duration;
use std::sync::Arc;

use tng_base::{Footing, Instant, Rng};
use tng_nonce::{Direction, NonceKey};
use tng_stp_abi::{
    ABI_VERSION, AddressFamily, Arrived, Host, Info, RING_ENTRIES, Refused, Role, Route, SocketKind, TIMER_SEND,
};
use tng_wire::Writer;

use crate::allowance::AckAllowance;
use crate::nonces::Nonces;
use crate::outgoing::Outgoing;
use crate::segments::Segments;
use crate::socket::Socket;
use crate::timers::Timers;
use crate::traffic::Traffic;
use crate::wire::{SEGMENT_OVERHEAD_MAX, Segment};
use crate::{Beside, Books, Cap, Denials, Policer, PolicerConfig, Quotas, Signal, Verdict};

pub use standing::Standing;

/// Sums that prove nothing before the guest is stopped.
pub const UNPROVEN_MAX: u64 = 16;
/// Bytes of a line that a guest writes for people, at most.
pub const LINE_MAX: usize = 256;
/// Lines that are kept, the newest.
pub const LINES_KEPT: usize = 32;

/// What a guest's end of a connection is made with.
pub struct ShimConfig {
    /// Which end it is.
    pub role: Role,
    /// What its socket is.
    pub socket: SocketKind,
    /// What it may use.
    pub quotas: Quotas,
    /// What holds its rate.
    pub cap: Cap,
    /// What counts as congestion, where it can be told: with [`Signal::Marks`] the peer's host is trusted.
    pub signal: Signal,
    /// Whether the policer holds it back. Off is for tests alone: what it is good for shows without it.
    pub policed: bool,
    /// Whether acknowledgments are bounded by what came. Off is for tests alone.
    pub acks_bounded: bool,
    /// The key of this host's nonces.
    pub nonces: Arc<NonceKey>,
    /// A generator of its own, which also draws the name under which its nonces are made.
    pub rng: Rng,
}

impl fmt::Debug for ShimConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ShimConfig { role, socket, quotas, cap, signal, policed, acks_bounded, .. } = self;
        f.debug_struct("ShimConfig")
            .field("role", role)
            .field("socket", socket)
            .field("quotas", quotas)
            .field("cap", cap)
            .field("signal", signal)
            .field("policed", policed)
            .field("acks_bounded", acks_bounded)
            .finish_non_exhaustive()
    }
}

/// Why a guest's time is over, by its own word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// It has nothing to do any more.
    Done,
    /// The connection has failed, with the protocol's own code.
    Failed(u32),
}

/// What a guest sees of its host: socket, segments, timers, clock. It numbers what the guest sends, gives it nonces,
/// and asks the policer before anything leaves.
pub struct Shim {
    now: Instant,
    /// When the path was there first: before that no time passes.
    began: Option<Instant>,
    role: Role,
    quotas: Quotas,
    signal: Signal,
    /// Marks that the peer's host has reported, as far as the policer knows of them.
    marks: u64,
    policed: bool,
    acks_bounded: bool,
    denials: Denials,
    traffic: Traffic,
    pub(crate) socket: Socket,
    segments: Segments,
    outgoing: Outgoing,
    timers: Timers,
    acks: AckAllowance,
    books: Books,
    policer: Policer,
    nonces: Nonces,
    rng: Rng,
    /// Bytes of the guest's that a segment may have.
    segment_max: usize,
    family: AddressFamily,
    /// Bytes of the segment that the policer has refused, if nobody has told the guest since that it may leave.
    refused: Option<u64>,
    /// As much waits to leave as may.
    crowded: bool,
    area: Vec<u8>,
    lines: Vec<String>,
    lines_left: u32,
    said: Option<Said>,
    notice: bool,
}

impl fmt::Debug for Shim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shim")
            .field("socket", &self.socket)
            .field("outgoing", &self.outgoing.len())
            .field("policer", &self.policer)
            .field("denials", &self.denials)
            .field("said", &self.said)
            .finish_non_exhaustive()
    }
}

/// Bytes of the guest's in a segment of the smallest packet, before a larger one was seen.
const SEGMENT_FIRST: usize = 1_200 - 48 - SEGMENT_OVERHEAD_MAX;

impl Shim {
    /// The host's side of a connection that begins.
    pub fn new(config: ShimConfig) -> Shim {
        let now = Instant::ZERO;
        let ShimConfig { role, socket, quotas, cap, signal, policed, acks_bounded, nonces, mut rng } = config;
        let policer = Policer::new(PolicerConfig { cap, segment_max: 1_200 }, now);
        let direction = if role == Role::Initiator { Direction::Outward } else { Direction::Homeward };
        Shim {
            now,
            began: None,
            role,
            quotas,
            signal,
            marks: 0,
            policed,
            acks_bounded,
            denials: Denials::default(),
            traffic: Traffic::default(),
            socket: Socket::new(socket, quotas.send_buffer, quotas.receive_buffer),
            segments: Segments::default(),
            outgoing: Outgoing::default(),
            timers: Timers::default(),
            acks: AckAllowance::new(now),
            books: Books::new(quotas.scoreboard),
            policer,
            nonces: Nonces::new(nonces, &rng.bytes(), direction),
            rng,
            segment_max: SEGMENT_FIRST,
            family: AddressFamily::Unknown,
            refused: None,
            crowded: false,
            area: Vec::new(),
            lines: Vec::new(),
            lines_left: quotas.log_lines,
            said: None,
            notice: false,
        }
    }

    // What its owner tells it

    /// The path is there: time begins.
    pub(crate) fn begin(&mut self) {
        self.began = Some(self.now);
        self.timers.begin(self.now);
        self.policer.start(self.now);
        self.acks = AckAllowance::new(self.now);
    }

    pub(crate) fn set_now(&mut self, now: Instant) {
        self.now = self.now.max(now);
    }

    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    /// A segment arrived; it waits for the next call of `input`, if there is room in the ring.
    pub(crate) fn handle_segment(&mut self, segment: Segment<'_>) {
        if self.segments.push(segment.numbered, segment.bytes).is_err() {
            return;
        }
        self.traffic.received += 1;
        self.traffic.received_bytes += segment.bytes.len() as u64;
        // What no policer has let leave pays for nothing: two guests would answer each other's answers for ever.
        if segment.numbered.is_some() {
            self.acks.handle_arrival(segment.bytes.len() as u64);
        }
    }

    pub(crate) fn has_arrivals(&self) -> bool {
        self.segments.is_waiting()
    }

    pub(crate) fn ring_is_full(&self) -> bool {
        self.segments.is_full()
    }

    /// A call into the guest has returned.
    pub(crate) fn end_call(&mut self) {
        self.segments.take_back();
    }

    /// Packets have room for so many bytes.
    pub(crate) fn set_room(&mut self, room: usize) {
        self.segment_max = room.saturating_sub(SEGMENT_OVERHEAD_MAX).max(64);
        self.policer.set_segment_max(room.min(usize::from(u16::MAX)) as u16);
    }

    /// A packet has room for so many bytes, and without an acknowledgment of the channel's own perhaps for more.
    pub(crate) fn note_room(&mut self, room: usize) {
        if room.saturating_sub(SEGMENT_OVERHEAD_MAX) > self.segment_max {
            self.set_room(room);
        }
    }

    pub(crate) fn set_footing(&mut self, footing: Footing) {
        self.family = if footing.ipv6 { AddressFamily::V6 } else { AddressFamily::V4 };
        self.policer.set_parties(footing.parties);
        let marks = footing.marks.filter(|_| self.heeds_marks());
        self.policer.set_signal(if marks.is_some() { Signal::Marks } else { Signal::Losses });
        if let Some(marks) = marks
            && marks > core::mem::replace(&mut self.marks, marks)
        {
            self.policer.handle_marked(self.now);
        }
    }

    /// Whether marks count, and losses do not, where marks reach the peer.
    pub(crate) fn heeds_marks(&self) -> bool {
        self.signal == Signal::Marks
    }

    /// Marks of another path are not known yet.
    pub(crate) fn handle_path(&mut self) {
        self.marks = 0;
        self.policer.set_signal(Signal::Losses);
        self.policer.handle_path(self.now);
    }

    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        [self.timers.next(), self.books.poll_timeout(&self.policer)].into_iter().flatten().min()
    }

    /// A timer of the guest's that has gone off. Time passes for books and policer, too.
    pub(crate) fn take_due(&mut self) -> Option<u32> {
        self.books.handle_timeout(self.now, &mut self.policer);
        self.nonces.settle(self.books.first());
        let Some(due) = self.timers.take_due(self.now) else {
            // Not for each packet: a guest that sends without end would have it grow again at once.
            self.socket.shrink();
            return None;
        };
        if due == TIMER_SEND {
            self.refused = None;
        }
        Some(due)
    }

    /// Whether the guest, which was told to wait, is to hear that it need not any more.
    pub(crate) fn take_release(&mut self) -> bool {
        if self.crowded && self.outgoing.bytes() < self.quotas.queued / 2 {
            self.crowded = false;
            return true;
        }
        let Some(bytes) = self.refused else { return false };
        match self.policer.check(self.now, bytes) {
            Verdict::Now => {
                self.refused = None;
                self.timers.set_send(None);
                return true;
            }
            Verdict::At(at) => self.timers.set_send(Some(at)),
            Verdict::Blocked => self.timers.set_send(None),
        }
        false
    }

    /// Whether all has left that kept the guest from sending more.
    pub(crate) fn has_run_dry(&self) -> bool {
        self.crowded && self.outgoing.is_empty()
    }

    /// Whether something waits to leave.
    pub(crate) fn wants_to_send(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// Writes the next segment; nothing if there is none, or it does not fit.
    pub(crate) fn fill(&mut self, buf: &mut [u8]) -> Option<usize> {
        let front = self.outgoing.front()?;
        let overhead = Segment::overhead(front.number);
        let len = overhead + front.len();
        if len > buf.len() {
            return None;
        }
        let numbered = front.number.map(|number| (number, self.nonces.nonce(number)));
        Segment::emit_front(numbered, &mut Writer::new(&mut *buf)).ok()?;
        let rest = &mut buf[overhead..len];
        let waiting = self.outgoing.pop(rest)?;
        self.traffic.sent += 1;
        self.traffic.sent_bytes += rest.len() as u64;
        if !waiting.body.is_empty() {
            self.socket.peek(waiting.body.start, &mut rest[waiting.head..]).ok()?;
        }
        self.release();
        Some(len)
    }

    /// The next segment is larger than packets are now.
    pub(crate) fn skip_misfit(&mut self, room: usize) {
        if self.outgoing.front().is_some_and(|front| Segment::overhead(front.number) + front.len() > room) {
            self.outgoing.skip();
        }
    }

    /// The connection is over: nothing leaves, and no timer goes off.
    pub(crate) fn close(&mut self) {
        self.outgoing.clear();
        self.timers.clear();
        self.socket.disconnect();
        self.notice = true;
    }

    /// What is wrong with what the guest has done so far.
    pub(crate) fn is_denied_too_much(&self) -> bool {
        self.denials.faults() > self.quotas.denials
    }

    pub(crate) fn is_unproven_too_often(&self) -> bool {
        self.denials.proofs >= UNPROVEN_MAX
    }

    pub(crate) fn is_pushing(&self) -> bool {
        self.policed && self.policer.is_violator()
    }

    pub(crate) fn take_notice(&mut self) -> bool {
        core::mem::take(&mut self.notice)
    }

    pub(crate) fn note_notice(&mut self) {
        self.notice = true;
    }

    // What is told of it

    /// Which end it is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// The application's end.
    pub fn socket(&self) -> &Socket {
        &self.socket
    }

    /// What was denied.
    pub fn denials(&self) -> &Denials {
        &self.denials
    }

    /// What left, and what came.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Whether the guest has sent anything, acknowledgments and what waits to leave included.
    pub(crate) fn has_sent(&self) -> bool {
        self.books.next() > 0 || self.traffic.sent > 0 || !self.outgoing.is_empty()
    }

    /// Whether the guest has asked to send, and was told to wait.
    pub(crate) fn is_held_back(&self) -> bool {
        self.refused.is_some() || self.crowded
    }

    /// Whether nothing of the guest's has left, and the application has nothing of the peer's.
    pub(crate) fn is_unused(&self) -> bool {
        self.traffic.sent == 0 && !self.socket.has_something()
    }

    /// How long it has had a path.
    pub fn age(&self) -> Duration {
        self.began.map_or(Duration::ZERO, |began| self.now.since(began))
    }

    /// The policer.
    pub fn policer(&self) -> &Policer {
        &self.policer
    }

    /// Bytes of the guest's that a segment may have.
    pub fn segment_max(&self) -> usize {
        self.segment_max
    }

    /// Segments that have not met their fate.
    pub fn outstanding(&self) -> u64 {
        self.books.outstanding()
    }

    /// What the guest says of its own end.
    pub fn said(&self) -> Option<Said> {
        self.said
    }

    /// The newest lines that it has written for people.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Bytes that may be appended or kept.
    pub(crate) fn receive_room(&self) -> u64 {
        self.socket.room().saturating_sub(self.segments.kept_bytes())
    }

    /// Bytes of memory that the host holds for it.
    pub fn held(&self) -> u64 {
        self.socket.held() + self.segments.held() + self.outgoing.held() + self.books.held() + self.nonces.held()
    }

    /// Whether nothing waits to leave and nothing that left awaits its fate.
    pub(crate) fn is_idle(&self) -> bool {
        self.outgoing.is_empty() && self.books.outstanding() == 0 && !self.has_arrivals()
    }

    /// What the guest has dropped goes when no segment waits that has some of it.
    fn release(&mut self) {
        if self.outgoing.is_empty() {
            self.notice |= self.socket.release();
        }
    }

    fn check(&self, head: &[u8], body: &Range<u64>) -> Result<usize, Refused> {
        if self.said == Some(Said::Done) {
            return Err(Refused::Closed);
        }
        if !self.socket.has(body) {
            return Err(Refused::NotThere);
        }
        let len = usize::try_from(body.end - body.start).ok().and_then(|body| body.checked_add(head.len()));
        len.filter(|len| (1..=self.segment_max).contains(len)).ok_or(Refused::Length)
    }

    /// Bytes of the next segment in a packet, if it has so many of the guest's.
    fn bytes_of_next(&self, len: usize) -> u64 {
        (len + Segment::overhead(Some(self.books.next()))) as u64
    }

    /// A segment that may leave, of so many bytes in a packet; answers its number.
    fn admit(&mut self, bytes: u64, head: &[u8], body: Range<u64>) -> u64 {
        self.policer.handle_sent(self.now, bytes);
        let number = self.books.handle_sent(self.now, bytes);
        self.outgoing.push(Some(number), head, body);
        number
    }

    fn deny_segment<T>(&mut self) -> Result<T, Refused> {
        self.denials.segments += 1;
        Err(Refused::Full)
    }
}

impl Beside for Shim {
    fn quotas(&self) -> &Quotas {
        &self.quotas
    }

    fn socket_kind(&self) -> SocketKind {
        self.socket.kind()
    }

    fn take_arrived(&mut self, into: &mut [Arrived; RING_ENTRIES]) -> usize {
        self.segments.tell(into)
    }

    fn area(&mut self) -> &mut Vec<u8> {
        &mut self.area
    }

    fn deny_memory(&mut self) -> bool {
        self.denials.memory += 1;
        self.denials.faults() > self.quotas.denials
    }
}

impl Host for Shim {
    fn proto_info(&mut self, what: Info) -> u64 {
        match what {
            Info::AbiVersion => ABI_VERSION.into(),
            Info::Role => self.role as u64,
            Info::SocketKind => self.socket.kind() as u64,
            Info::MemoryMax => self.quotas.memory,
        }
    }

    fn proto_done(&mut self) {
        (self.said, self.notice) = (self.said.or(Some(Said::Done)), true);
    }

    fn so_connected(&mut self) {
        self.notice = true;
    }

    fn so_sent(&mut self) -> u64 {
        self.socket.sent()
    }

    fn so_read(&mut self, from: u64, into: &mut [u8]) -> Result<usize, Refused> {
        self.socket.peek(from, into)
    }

    fn so_drop(&mut self, until: u64) -> Result<(), Refused> {
        self.socket.drop_sent(until)?;
        self.release();
        Ok(())
    }

    fn so_room(&mut self) -> u64 {
        self.receive_room()
    }

    fn so_append(&mut self, segment: u32, bytes: Range<u32>) -> Result<(), Refused> {
        let whole = self.segments.bytes(segment)?;
        let bytes = whole.get(bytes.start as usize..bytes.end as usize).ok_or(Refused::NotThere)?;
        let beside = self.segments.kept_bytes() - self.segments.kept_bytes_of(segment);
        let appended = self.socket.append(bytes, beside);
        self.denials.buffer += u64::from(appended == Err(Refused::Full));
        appended
    }

    fn so_append_bytes(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let appended = self.socket.append(bytes, self.segments.kept_bytes());
        self.denials.buffer += u64::from(appended == Err(Refused::Full));
        appended
    }

    fn so_end(&mut self) {
        self.socket.end();
    }

    fn so_wakeup(&mut self) {
        self.notice = true;
    }

    fn so_isdisconnecting(&mut self) -> bool {
        self.socket.is_disconnecting()
    }

    fn so_error(&mut self, code: u32) {
        (self.said, self.notice) = (Some(Said::Failed(code)), true);
    }

    fn net_send(&mut self, head: &[u8], body: Range<u64>) -> Result<u64, Refused> {
        let len = self.check(head, &body)?;
        if !self.books.has_room() {
            return self.deny_segment();
        }
        if self.outgoing.bytes() + len > self.quotas.queued {
            // What waits leaves when the path takes it, and that is no fault of the guest's.
            self.crowded = true;
            return Err(Refused::WouldBlock);
        }
        let bytes = self.bytes_of_next(len);
        if self.policed && self.policer.check(self.now, bytes) != Verdict::Now {
            self.policer.handle_refused(self.now);
            self.denials.policed += 1;
            self.refused = Some(bytes);
            return Err(Refused::WouldBlock);
        }
        Ok(self.admit(bytes, head, body))
    }

    fn net_resend(&mut self, head: &[u8], body: Range<u64>, lost: u64) -> Result<u64, Refused> {
        // Whether it was lost is the books' matter; that it was, or had been found out before, is no reason not to
        // send again.
        let _ = self.nack(lost);
        self.net_send(head, body)
    }

    fn ack_sum(&mut self, numbers: Range<u64>, sum: u64, delay_us: u32) -> Result<(), Refused> {
        let delay = Duration::from_micros(delay_us.into());
        let proven = self.books.handle_proof(self.now, numbers, sum, delay, &mut self.nonces, &mut self.policer);
        self.nonces.settle(self.books.first());
        self.denials.proofs += u64::from(proven.is_err());
        proven.map_err(|_| Refused::Unproven)
    }

    fn nack(&mut self, number: u64) -> Result<(), Refused> {
        self.books.handle_nack(self.now, number, &mut self.policer)
    }

    fn net_sendack(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let len = self.check(bytes, &(0..0))?;
        if self.outgoing.bytes() + len > self.quotas.queued {
            return self.deny_segment();
        }
        if self.acks_bounded && !self.acks.take(self.now, len as u64) {
            self.denials.acknowledgments += 1;
            return Err(Refused::Unasked);
        }
        self.outgoing.push(None, bytes, 0..0);
        Ok(())
    }

    fn net_budget(&mut self) -> u64 {
        if self.policed { self.policer.budget(self.now) } else { u64::MAX }
    }

    fn gettick(&mut self) -> u64 {
        u64::try_from(self.age().as_millis()).unwrap_or(u64::MAX)
    }

    fn seg_read(&mut self, segment: u32, from: u32, into: &mut [u8]) -> Result<usize, Refused> {
        let bytes = self.segments.bytes(segment)?.get(from as usize..).ok_or(Refused::NotThere)?;
        let len = bytes.len().min(into.len());
        into[..len].copy_from_slice(&bytes[..len]);
        Ok(len)
    }

    fn seg_keep(&mut self, segment: u32) -> Result<(), Refused> {
        let kept = self.segments.keep(segment, self.receive_room());
        self.denials.buffer += u64::from(kept == Err(Refused::Full));
        kept
    }

    fn seg_free(&mut self, segment: u32) -> Result<(), Refused> {
        self.segments.give_back(segment)
    }

    fn timer_reset(&mut self, id: u32, in_ms: u32) -> Result<(), Refused> {
        self.timers.set(self.now, id, in_ms)
    }

    fn timer_stop(&mut self, id: u32) -> Result<(), Refused> {
        self.timers.stop(id)
    }

    fn route(&mut self, what: Route) -> u64 {
        match what {
            Route::SegmentMax => self.segment_max as u64,
            Route::LocalFamily => self.family as u64,
        }
    }

    fn log(&mut self, text: &str) -> Result<(), Refused> {
        let Some(left) = self.lines_left.checked_sub(1) else {
            self.denials.lines += 1;
            return Err(Refused::Full);
        };
        self.lines_left = left;
        if self.lines.len() == LINES_KEPT {
            self.lines.remove(0);
        }
        self.lines.push(tng_base::PeerText::new(text).cut(LINE_MAX).owned().to_string());
        Ok(())
    }

    fn random(&mut self) -> u64 {
        self.rng.u64()
    }
}
