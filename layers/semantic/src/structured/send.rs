//! The sending half of a stream.
//!
//! ```text
//!          finish              all bytes and the end acked
//!   Open ─────────> Finishing ─────────────────────────────> Finished
//!     │                 │
//!     │ reset, STOP, REFUSE                RESET acked
//!     └─────────────────┴────> Resetting ──────────────────> Reset
//! ```
//!
//! An open half with everything acknowledged is `AllAcknowledged`: a few integers. It wakes when something is written,
//! and [shrinks](SendHalf::shrink) when that is acknowledged.

use core::ops::Range;
use std::collections::BTreeSet;

use bytes::{Buf, Bytes};
use tng_base::RangeSet;

use super::buffer::{Buffer, PAGE, Pages};
use super::error::WriteError;
use super::given::{GIVEN_MIN, Given};
use super::marks::{Ends, MESSAGES_MAX};
use super::stream::place;
use super::wire::Marks;

/// Bytes of a stream that may always wait to be sent or acknowledged, however much other streams hold, so that none
/// waits for another.
pub const UNSENT_MIN: u64 = PAGE as u64;

/// How far a writer may be ahead of what was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct WriteRoom {
    /// At most.
    pub(super) most: u64,
    /// What all streams together have left.
    pub(super) left: u64,
    /// What they have left for bytes that the peer's credit does not admit.
    pub(super) left_blocked: u64,
    /// What the peer's credit over all streams admits.
    pub(super) admitted: u64,
}

impl WriteRoom {
    /// Whatever comes.
    pub(super) const UNBOUNDED: WriteRoom =
        WriteRoom { most: u64::MAX, left: u64::MAX, left_blocked: u64::MAX, admitted: u64::MAX };

    /// Bytes that a stream may have unsent. Half of what the others leave is for each: that way however many there are
    /// leave something, and all have the same (Choudhury and Hahne 1998, dynamic queue length thresholds).
    fn unsent_max(self, out: &Outgoing) -> u64 {
        let admitted = out.limit.saturating_sub(out.next).min(self.admitted);
        let room = admitted.saturating_add(self.left_blocked / 2).min(self.left / 2);
        room.max(UNSENT_MIN.saturating_sub(out.in_flight())).min(self.most)
    }

    /// Bytes that a stream may have beyond those that it has.
    fn for_more(self, out: &Outgoing) -> u64 {
        self.unsent_max(out).saturating_sub(out.unsent())
    }
}

/// Why a sending half was cut short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// Our application did it.
    Local,
    /// The peer wants no more.
    Stopped,
    /// The peer refused the stream.
    Refused,
}

/// How far the end of the stream has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Unsent,
    Sent,
    Acked,
}

/// See the module's diagram.
#[derive(Debug)]
pub(super) enum SendHalf {
    /// Open, and everything is acknowledged.
    AllAcknowledged {
        /// How many bytes there were.
        written: u64,
        /// The peer's credit beyond them.
        room: u32,
        /// The application was told that it cannot write now.
        write_blocked: bool,
    },
    Open(Box<Outgoing>),
    Finishing(Box<Outgoing>, End),
    Finished,
    Resetting(Box<Resetting>),
    Reset {
        code: u64,
        cause: Cause,
    },
}

/// A RESET that is on its way.
#[derive(Debug)]
pub(super) struct Resetting {
    pub(super) code: u64,
    pub(super) final_offset: u64,
    cause: Cause,
}

/// Bytes on their way out.
#[derive(Debug)]
pub(super) struct Outgoing {
    buffer: Buffer,
    /// Everything below is acknowledged.
    base: u64,
    /// The next byte never sent.
    next: u64,
    /// End of what the application wrote.
    written: u64,
    /// The peer's credit.
    limit: u64,
    /// Only while something was lost or acknowledged out of order.
    gaps: Option<Box<Gaps>>,
    /// Only while the application has given some of them away.
    given: Option<Box<Given>>,
    /// Only of a stream that has messages or pushes.
    marks: Option<Box<Marked>>,
    /// The application was told that it cannot write now.
    write_blocked: bool,
}

/// What the application said of its bytes.
#[derive(Debug, Default)]
struct Marked {
    /// Ends of messages that are not acknowledged, or that the peer may not have read.
    messages: Ends,
    /// Bytes up to here are not to be held back.
    push: u64,
}

/// Disorder between `base` and `next`.
#[derive(Debug, Default)]
struct Gaps {
    acked: RangeSet,
    lost: RangeSet,
}

/// What there is to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sending {
    /// The queues among [`place::AGAIN`], [`place::FRESH`] and [`place::FIRSTS`] that the bytes are to stand in.
    pub(super) places: u8,
    /// Only the end is left to be said.
    pub(super) end: bool,
}

impl Sending {
    const NOTHING: Sending = Sending { places: 0, end: false };
}

/// A run of bytes to put into a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) offset: u64,
    /// Bytes there are to send in this run.
    pub(super) len: u64,
}

impl Outgoing {
    /// Bytes written and never sent.
    pub(super) fn unsent(&self) -> u64 {
        self.written - self.next
    }

    /// Pages that hold them and nothing else; the number of one that is shared goes to `shared`.
    pub(super) fn pages(&self, shared: &mut BTreeSet<u32>) -> usize {
        self.buffer.pages(shared)
    }

    /// Bytes sent, from the first on that is not acknowledged.
    pub(super) fn in_flight(&self) -> u64 {
        self.next - self.base
    }

    /// Whether the application marked the end of a short segment that credit admits.
    fn has_marked(&self, room: u64) -> bool {
        let Some(marks) = &self.marks else { return false };
        let marked = marks.messages.next(self.next).into_iter().chain((marks.push > self.next).then_some(marks.push));
        marked.min().is_some_and(|end| end - self.next <= room)
    }

    fn messages(&self) -> usize {
        self.marks.as_ref().map_or(0, |marks| marks.messages.len())
    }

    /// Forgets the ends of messages that have arrived, and that the peer has read: its credit says so.
    fn trim_marks(&mut self, window: u64) {
        let Some(marks) = &mut self.marks else { return };
        let known = self.base.min(self.limit.saturating_sub(window));
        marks.messages.forget(known);
        if marks.messages.is_empty() && marks.push <= self.next {
            self.marks = None;
        }
    }

    /// Whether new bytes should go now: not in fragments that only fill the last of the credit, unless waiting would be
    /// for nothing, or the application marked the end of one (SST 4.3.6). `segment` is what a full packet holds.
    #[inline]
    fn wants_fresh(&self, segment: u64, is_ended: bool) -> bool {
        let (queued, room) = (self.unsent(), self.limit.saturating_sub(self.next));
        queued > 0
            && room > 0
            && (room >= queued || room >= segment || self.base == self.next || is_ended || self.has_marked(room))
    }

    /// Bytes that have never been sent, may be sent now, and are among the first `most` of the stream.
    #[inline]
    fn first_bytes(&self, most: u64) -> u64 {
        self.written.min(self.limit).min(most).saturating_sub(self.next)
    }

    fn has_lost(&self) -> bool {
        self.gaps.as_ref().is_some_and(|gaps| !gaps.lost.is_empty())
    }

    fn ack(&mut self, store: &mut Pages, offset: u64, end: u64) {
        if let Some(gaps) = &mut self.gaps {
            gaps.lost.remove(offset..end);
            gaps.acked.insert(offset.max(self.base)..end.max(self.base));
            if gaps.acked.min() == Some(self.base) {
                self.base = gaps.acked.pop_first().map_or(self.base, |range| range.end);
            }
            if gaps.acked.is_empty() && gaps.lost.is_empty() {
                self.gaps = None;
            }
        } else if offset <= self.base {
            self.base = self.base.max(end);
        } else {
            self.gaps.insert(Box::default()).acked.insert(offset..end);
        }
        if self.base == self.written {
            self.clear(store);
        } else {
            self.buffer.release_below(store, self.base);
            if self.given.is_some() {
                self.release_given(store, self.base);
            }
        }
    }

    /// None of its bytes is needed any more.
    fn clear(&mut self, store: &mut Pages) {
        self.buffer.clear(store);
        self.release_given(store, u64::MAX);
    }

    fn release_given(&mut self, store: &mut Pages, offset: u64) {
        if let Some(given) = &mut self.given {
            store.given -= given.release_below(offset);
            if given.is_empty() {
                self.given = None;
            }
        }
    }

    /// Bytes that the application has given away, counted anew.
    pub(super) fn given(&self) -> usize {
        self.given.as_ref().map_or(0, |given| given.len())
    }

    /// Copies bytes from `offset` on into a packet.
    #[inline]
    fn read(&self, store: &Pages, offset: u64, packet: &mut [u8]) {
        match &self.given {
            None => self.buffer.read(store, offset, packet),
            Some(given) => self.read_given(given, store, offset, packet),
        }
    }

    fn read_given(&self, given: &Given, store: &Pages, mut offset: u64, mut packet: &mut [u8]) {
        while !packet.is_empty() {
            let n = match given.at(offset) {
                Ok(bytes) => {
                    let n = bytes.len().min(packet.len());
                    packet[..n].copy_from_slice(&bytes[..n]);
                    n
                }
                Err(until) => {
                    let n = usize::try_from(until).unwrap_or(usize::MAX).min(packet.len());
                    self.buffer.read(store, offset, &mut packet[..n]);
                    n
                }
            };
            offset += n as u64;
            packet = &mut packet[n..];
        }
    }

    fn lose(&mut self, offset: u64, end: u64) {
        let mut from = offset.max(self.base);
        if from >= end {
            return;
        }
        let Gaps { acked, lost } = &mut **self.gaps.get_or_insert_default();
        for held in acked.iter().take_while(|held| held.start < end) {
            lost.insert(from.min(held.start)..held.start);
            from = from.max(held.end);
        }
        lost.insert(from..end.max(from));
    }
}

impl SendHalf {
    /// One that has the peer's credit for `limit` bytes.
    pub(super) fn new(store: &mut Pages, limit: u64) -> SendHalf {
        let mut half = SendHalf::AllAcknowledged { written: 0, room: 0, write_blocked: false };
        half.raise(store, limit);
        half
    }

    /// Makes room for bytes on their way.
    pub(super) fn wake(&mut self, store: &mut Pages) {
        if let SendHalf::AllAcknowledged { written, room, write_blocked } = *self {
            *self = SendHalf::Open(store.outgoing.fill(Outgoing {
                buffer: Buffer::default(),
                base: written,
                next: written,
                written,
                limit: written + u64::from(room),
                gaps: None,
                given: None,
                marks: None,
                write_blocked,
            }));
        }
    }

    /// Takes no more memory than it needs, when all is acknowledged.
    #[inline]
    pub(super) fn shrink(&mut self, store: &mut Pages) {
        let SendHalf::Open(out) = &*self else { return };
        let Outgoing { base, written, limit, ref gaps, ref marks, write_blocked, .. } = **out;
        if base == written
            && gaps.is_none()
            && marks.is_none()
            && let Ok(room) = u32::try_from(limit - written)
        {
            let calm = SendHalf::AllAcknowledged { written, room, write_blocked };
            if let SendHalf::Open(spare) = core::mem::replace(self, calm) {
                store.outgoing.keep(spare);
            }
        }
    }

    /// The bytes on their way, if there may be any.
    pub(super) fn outgoing(&self) -> Option<&Outgoing> {
        match self {
            SendHalf::Open(out) | SendHalf::Finishing(out, _) => Some(out),
            SendHalf::AllAcknowledged { .. } | SendHalf::Finished | SendHalf::Resetting(_) | SendHalf::Reset { .. } => {
                None
            }
        }
    }

    fn outgoing_mut(&mut self) -> Option<&mut Outgoing> {
        match self {
            SendHalf::Open(out) | SendHalf::Finishing(out, _) => Some(out),
            SendHalf::AllAcknowledged { .. } | SendHalf::Finished | SendHalf::Resetting(_) | SendHalf::Reset { .. } => {
                None
            }
        }
    }

    /// Why it was cut short, and the code that was given, if it was.
    fn cut_short(&self) -> Option<(Cause, u64)> {
        match self {
            SendHalf::Resetting(reset) => Some((reset.cause, reset.code)),
            SendHalf::Reset { code, cause } => Some((*cause, *code)),
            SendHalf::AllAcknowledged { .. } | SendHalf::Open(_) | SendHalf::Finishing(..) | SendHalf::Finished => None,
        }
    }

    /// Takes what fits of `data`; the application is told when more does.
    pub(super) fn write(&mut self, store: &mut Pages, room: WriteRoom, data: &[u8]) -> Result<usize, WriteError> {
        if !data.is_empty() {
            self.wake(store);
        }
        let Some((out, n)) = self.admit(room, data.len())? else { return Ok(0) };
        out.buffer.write(store, out.written, &data[..n]);
        out.written += n as u64;
        Ok(n)
    }

    /// As `write`, of bytes that are given away: what is taken is taken off their front, and not copied if it is much.
    pub(super) fn give(&mut self, store: &mut Pages, room: WriteRoom, data: &mut Bytes) -> Result<usize, WriteError> {
        if data.len() < GIVEN_MIN {
            let n = self.write(store, room, data)?;
            data.advance(n);
            return Ok(n);
        }
        self.wake(store);
        let Some((out, n)) = self.admit(room, data.len())? else { return Ok(0) };
        out.given.get_or_insert_default().push(out.written, data.split_to(n));
        out.written += n as u64;
        store.given += n;
        Ok(n)
    }

    /// How many of `len` bytes may be written now; `None` of a half that rests.
    fn admit(&mut self, room: WriteRoom, len: usize) -> Result<Option<(&mut Outgoing, usize)>, WriteError> {
        if let Some(closed) = self.closed() {
            return Err(closed);
        }
        let SendHalf::Open(out) = self else { return Ok(None) };
        let n = len.min(usize::try_from(room.for_more(out)).unwrap_or(usize::MAX));
        out.write_blocked = n < len;
        if n == 0 && out.write_blocked {
            return Err(WriteError::Blocked);
        }
        Ok(Some((out, n)))
    }

    /// Why nothing can be written any more, if so.
    #[inline]
    pub(super) fn closed(&self) -> Option<WriteError> {
        if self.is_open() {
            return None;
        }
        Some(match self.cut_short() {
            None => WriteError::Finished,
            Some((Cause::Local, _)) => WriteError::Reset,
            Some((Cause::Stopped, code)) => WriteError::Stopped(code),
            Some((Cause::Refused, code)) => WriteError::Refused(code),
        })
    }

    /// Whether `len` bytes can be written at once.
    pub(super) fn has_room(&mut self, store: &mut Pages, room: WriteRoom, len: usize) -> bool {
        self.wake(store);
        let SendHalf::Open(out) = &*self else { return false };
        room.for_more(out) >= len as u64
    }

    /// As `write`, and a message ends behind the last byte of `data`, if that is taken.
    pub(super) fn write_message(
        &mut self,
        store: &mut Pages,
        room: WriteRoom,
        data: &[u8],
    ) -> Result<usize, WriteError> {
        if let SendHalf::Open(out) = self
            && out.messages() >= MESSAGES_MAX
        {
            out.write_blocked = true;
            return Err(WriteError::Blocked);
        }
        let n = self.write(store, room, data)?;
        if let SendHalf::Open(out) = self
            && n == data.len()
            && n > 0
        {
            out.marks.get_or_insert_default().messages.insert(out.written);
        }
        Ok(n)
    }

    /// What was written is not to be held back.
    pub(super) fn push(&mut self) {
        if let SendHalf::Open(out) = self
            && out.unsent() > 0
        {
            out.marks.get_or_insert_default().push = out.written;
        }
    }

    /// Whether a writer waits, and few enough bytes are unsent for it to come back if there is room.
    #[inline]
    pub(super) fn may_be_writable(&self, unsent_max: u64) -> bool {
        match self {
            SendHalf::AllAcknowledged { write_blocked, .. } => *write_blocked,
            SendHalf::Open(out) => out.write_blocked && out.unsent() <= unsent_max / 2,
            _ => false,
        }
    }

    /// Whether a writer that was turned away may come back; answers so once.
    pub(super) fn take_writable(&mut self, room: WriteRoom) -> bool {
        let out = match self {
            SendHalf::AllAcknowledged { write_blocked, .. } => return core::mem::take(write_blocked),
            SendHalf::Open(out) => out,
            _ => return false,
        };
        if !out.write_blocked {
            return false;
        }
        let unsent_max = room.unsent_max(out);
        let writable = unsent_max > 0 && out.unsent() <= unsent_max / 2 && out.messages() <= MESSAGES_MAX / 2;
        out.write_blocked &= !writable;
        writable
    }

    /// The stream ends here.
    pub(super) fn finish(&mut self, store: &mut Pages) {
        self.wake(store);
        if let SendHalf::Open(_) = self
            && let SendHalf::Open(out) = core::mem::replace(self, SendHalf::Finished)
        {
            *self = SendHalf::Finishing(out, End::Unsent);
        }
    }

    /// Gives up what was not acknowledged. Answers the bytes that were unsent and in flight, if there was anything to
    /// give up: then a RESET is due.
    pub(super) fn reset(&mut self, store: &mut Pages, code: u64, cause: Cause) -> Option<(u64, u64)> {
        let (unsent, in_flight, final_offset) = match self {
            SendHalf::AllAcknowledged { written, .. } => (0, 0, *written),
            SendHalf::Open(out) | SendHalf::Finishing(out, _) => {
                out.clear(store);
                (out.unsent(), out.in_flight(), out.next)
            }
            SendHalf::Finished | SendHalf::Resetting(_) | SendHalf::Reset { .. } => return None,
        };
        *self = SendHalf::Resetting(Box::new(Resetting { code, final_offset, cause }));
        Some((unsent, in_flight))
    }

    /// The RESET was acknowledged.
    pub(super) fn reset_acked(&mut self) {
        if let SendHalf::Resetting(reset) = self {
            *self = SendHalf::Reset { code: reset.code, cause: reset.cause };
        }
    }

    /// The peer raised its credit.
    pub(super) fn raise(&mut self, store: &mut Pages, limit: u64) {
        if let SendHalf::AllAcknowledged { written, room, .. } = self {
            match u32::try_from(limit.saturating_sub(*written)) {
                Ok(more) => *room = more.max(*room),
                Err(_) => self.wake(store),
            }
        }
        if let Some(out) = self.outgoing_mut() {
            out.limit = out.limit.max(limit);
        }
    }

    /// The first run of lost bytes.
    pub(super) fn lost(&self) -> Option<Piece> {
        let range = self.outgoing()?.gaps.as_ref()?.lost.first()?;
        Some(self.piece(range.start, range.end))
    }

    /// How many bytes there are of one that is ended, if nothing of it was sent and all of it may be at once.
    pub(super) fn whole(&self) -> Option<u64> {
        let SendHalf::Finishing(out, End::Unsent) = self else { return None };
        let untouched = out.next == 0 && out.gaps.is_none() && out.marks.is_none();
        (untouched && out.written <= out.limit).then_some(out.written)
    }

    /// A run of bytes up to the end of their message.
    fn piece(&self, start: u64, end: u64) -> Piece {
        let marks = self.outgoing().and_then(|out| out.marks.as_ref());
        let end = marks.and_then(|marks| marks.messages.next(start)).map_or(end, |message| message.min(end));
        Piece { offset: start, len: end - start }
    }

    /// What ends where a piece ends.
    pub(super) fn marks(&self, piece: Piece) -> Marks {
        let end = piece.offset + piece.len;
        let last = matches!(self, SendHalf::Finishing(out, _) if out.written == end);
        let marks = self.outgoing().and_then(|out| out.marks.as_ref());
        Marks { last, message: piece.len > 0 && marks.is_some_and(|marks| marks.messages.contains(end)) }
    }

    /// The run of bytes never sent that credit admits.
    pub(super) fn fresh(&self) -> Option<Piece> {
        let out = self.outgoing()?;
        let end = out.written.min(out.limit);
        (out.next < end).then(|| self.piece(out.next, end))
    }

    /// Draws the consequences of a change, and answers what there is to send; the peer gives credit for `window` bytes
    /// beyond what was read. A full packet holds `segment` bytes, and there is always credit for the `first`.
    #[inline]
    pub(super) fn settle(&mut self, store: &mut Pages, window: u64, segment: u64, first: u64) -> Sending {
        let (out, ended) = match self {
            SendHalf::Open(out) => (out, None),
            SendHalf::Finishing(out, end) => (out, Some(*end)),
            _ => return Sending::NOTHING,
        };
        if out.marks.is_some() {
            out.trim_marks(window);
        }
        let lost = out.has_lost();
        let again = place::AGAIN * u8::from(lost);
        if out.next == out.written {
            if ended.is_none() && out.base == out.written {
                self.shrink(store);
            }
            return Sending { places: again, end: ended == Some(End::Unsent) && !lost };
        }
        let fresh = place::FRESH * u8::from(out.wants_fresh(segment, ended.is_some()));
        let firsts = place::FIRSTS * u8::from(out.first_bytes(first) > 0);
        Sending { places: again | fresh | firsts, end: false }
    }

    /// Bytes that have never been sent, may be sent now, and are among the first `most` of the stream.
    pub(super) fn first_bytes(&self, most: u64) -> u64 {
        self.outgoing().map_or(0, |out| out.first_bytes(most))
    }

    /// Bytes written and never sent.
    #[inline]
    pub(super) fn unsent(&self) -> u64 {
        self.outgoing().map_or(0, Outgoing::unsent)
    }

    /// The offset behind everything written; meaningful while the half lives.
    pub(super) fn end(&self) -> u64 {
        match self {
            SendHalf::AllAcknowledged { written, .. } => *written,
            _ => self.outgoing().map_or(0, |out| out.written),
        }
    }

    /// Copies bytes from `offset` on into a packet.
    #[inline]
    pub(super) fn read(&self, store: &Pages, offset: u64, packet: &mut [u8]) {
        if let Some(out) = self.outgoing() {
            out.read(store, offset, packet);
        }
    }

    /// So many of the bytes that were never sent are on their way, and not the end.
    pub(super) fn note_sent(&mut self, fresh: u64) {
        if let Some(out) = self.outgoing_mut() {
            out.next += fresh;
        }
    }

    /// Copies a piece into a packet and notes that it is on its way. Answers how many bytes had never been sent.
    pub(super) fn send(&mut self, store: &Pages, offset: u64, last: bool, packet: &mut [u8]) -> u64 {
        if let SendHalf::Finishing(_, end) = self
            && last
            && *end == End::Unsent
        {
            *end = End::Sent;
        }
        let Some(out) = self.outgoing_mut() else { return 0 };
        out.read(store, offset, packet);
        let end = offset + packet.len() as u64;
        if let Some(gaps) = &mut out.gaps {
            gaps.lost.remove(offset..end);
        }
        let fresh = end.saturating_sub(out.next);
        out.next += fresh;
        fresh
    }

    /// Bytes, and perhaps the end, were acknowledged. Answers by how much the acknowledged prefix grew, and whether
    /// that finished the stream.
    pub(super) fn ack(&mut self, store: &mut Pages, offset: u64, len: u64, last: bool) -> (u64, bool) {
        if let SendHalf::Finishing(_, end) = self
            && last
        {
            *end = End::Acked;
        }
        let Some(out) = self.outgoing_mut() else { return (0, false) };
        let before = out.base;
        if len > 0 {
            out.ack(store, offset, offset + len);
        }
        let grown = out.base - before;
        let finished = matches!(self, SendHalf::Finishing(out, End::Acked) if out.base == out.written);
        if finished && let SendHalf::Finishing(spare, _) = core::mem::replace(self, SendHalf::Finished) {
            store.outgoing.keep(spare);
        }
        (grown, finished)
    }

    /// Which bytes below `offset` are not acknowledged yet; nothing, if not all of them were ever sent.
    pub(super) fn unacknowledged(&self, offset: u64) -> Option<Range<u64>> {
        match self {
            SendHalf::AllAcknowledged { written, .. } => (offset <= *written).then_some(offset..offset),
            SendHalf::Open(out) | SendHalf::Finishing(out, _) => {
                (offset <= out.next).then(|| out.base.min(offset)..offset)
            }
            // What it has sent is forgotten, or given up.
            SendHalf::Finished | SendHalf::Resetting(_) | SendHalf::Reset { .. } => Some(offset..offset),
        }
    }

    /// Bytes, and perhaps the end, were lost.
    pub(super) fn lose(&mut self, offset: u64, len: u64, last: bool) {
        if let SendHalf::Finishing(_, end) = self
            && last
            && *end == End::Sent
        {
            *end = End::Unsent;
        }
        if let Some(out) = self.outgoing_mut() {
            out.lose(offset, offset + len);
        }
    }

    /// The code of the peer's STOP, if there was one.
    pub(super) fn stopped_code(&self) -> u64 {
        self.cut_short().filter(|&(cause, _)| cause == Cause::Stopped).map_or(0, |(_, code)| code)
    }

    /// Whether nothing was ever written here that the peer may have seen, nor the end.
    pub(super) fn is_untouched(&self) -> bool {
        match self {
            SendHalf::AllAcknowledged { written, .. } => *written == 0,
            SendHalf::Open(out) => out.written == 0,
            SendHalf::Resetting(reset) => reset.final_offset == 0,
            SendHalf::Finishing(..) | SendHalf::Finished | SendHalf::Reset { .. } => false,
        }
    }

    /// The peer refused the stream although it had acknowledged all there was: what it took, it threw away.
    pub(super) fn disown(&mut self, code: u64) {
        if let SendHalf::Finished = self {
            *self = SendHalf::Reset { code, cause: Cause::Refused };
        }
    }

    /// Whether its application may still write.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, SendHalf::AllAcknowledged { .. } | SendHalf::Open(_))
    }

    /// Whether nothing more will be sent.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, SendHalf::Finished | SendHalf::Reset { .. })
    }
}
