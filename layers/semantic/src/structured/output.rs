//! How a packet is filled: control frames, then data by priority.

use tng_base::{ChannelKey, Filled};
use tng_wire::{Repr, Writer, varint_len};

use super::buffer::Pages;
use super::records::{Records, Sent};
use super::scheduler::{Below, Turn};
use super::send::{Piece, Resetting, SendHalf};
use super::stream::{Asked, Stream, control, place};
use super::wire::{DataHead, Frame, LENGTH, Marks, Origin, RequestHead};
use super::{Streams, stream_leaf};

/// A packet's rest is padded rather than filled with fewer bytes of a stream than this, unless the stream has no more.
pub(super) const FRAGMENT_MIN: u64 = 16;

/// Bytes of a control frame's largest fixed part, and of a DATA head: what a packet has to hold beside its data.
const HEAD_MAX: usize = 25;

/// The frame of data at the end of what was written, if it says its length, which the end of its head does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    start: usize,
    head_len: usize,
    length_len: usize,
}

impl Tail {
    /// A frame with a head of `head_len` bytes before `len` bytes of data.
    pub(super) const fn new(start: usize, head_len: usize, len: usize) -> Tail {
        Tail { start, head_len, length_len: varint_len(len as u64) }
    }

    /// Nothing follows the frame, so its length goes without saying.
    fn strip_length(self, writer: &mut Writer<'_>) {
        let (with, end) = (self.start + self.head_len, writer.position());
        let bytes = writer.written();
        bytes[self.start] &= !LENGTH;
        bytes.copy_within(with..end, with - self.length_len);
        writer.rewind(end - self.length_len);
    }
}

impl Streams {
    /// New bytes that may go now as far as the credit over all streams is concerned: not in fragments that only fill
    /// the last of it, unless nothing is in flight and waiting would be for nothing.
    pub(super) fn fresh_room(&self) -> Option<u64> {
        let reserve = match self.scheduler.fresh(!self.brief.is_empty())? {
            Below::None => self.reserve.firsts,
            Below::Others => self.reserve.all(),
        };
        let room = self.peer_host.room().saturating_sub(reserve);
        let worth = room >= self.unsent.min(self.segment) || room > 0 && self.in_flight == 0;
        worth.then_some(room)
    }

    /// A stream whose first bytes may go although others may not, and how many of them.
    fn first_bytes(&mut self) -> Option<(u32, u64)> {
        let room = self.peer_host.room();
        let slot = self.firsts.front().filter(|_| room > 0)?;
        Some((slot, room.min(self.table[slot].send.first_bytes(self.reserve.first))))
    }

    /// Whether something waits to be sent, on whatever channel, or may wait: what has changed shows when it is polled.
    pub fn has_something(&self) -> bool {
        let something = self.is_stirred
            || self.host_credit_due
            || self.create_credit_due
            || !self.control.is_empty()
            || self.scheduler.has_again()
            || self.fresh_room().is_some()
            || !self.firsts.is_empty() && self.peer_host.room() > 0
            || !self.datagram_turns.is_empty();
        something && !self.lost
    }

    pub(super) fn fill_packet(&mut self, channel: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        self.align();
        if !self.has_something() || self.leaves_to_others(channel) {
            return None;
        }
        self.segment = (buf.len().saturating_sub(HEAD_MAX) as u64).max(1);
        let at = self.carrier(channel);
        let mut records = core::mem::take(&mut self.channels[at].records);
        let mut writer = Writer::new(buf);
        let mut tail = self.fill_control(&mut writer, &mut records, number);
        self.fill_data(&mut writer, &mut records, number, &mut tail);
        self.channels[at].records = records;
        self.align();
        if let Some(tail) = tail {
            tail.strip_length(&mut writer);
        }
        (writer.position() > 0).then_some(Filled { len: writer.position() })
    }

    fn fill_control(&mut self, writer: &mut Writer<'_>, records: &mut Records, number: u64) -> Option<Tail> {
        let mut tail = None;
        if self.host_credit_due {
            let limit = self.host.limit();
            let window = self.host.told();
            self.host_credit_due = Frame::HostCredit { limit, window }.emit(writer).is_err();
            if !self.host_credit_due {
                records.push(number, Sent::HostCredit { limit });
            }
        }
        if self.create_credit_due {
            let limit = self.creating.limit();
            self.create_credit_due = Frame::CreateCredit { limit }.emit(writer).is_err();
            if !self.create_credit_due {
                records.push(number, Sent::CreateCredit { limit });
            }
        }
        while let Some(slot) = self.control.front() {
            let stream = &mut self.table[slot];
            while stream.due != 0 {
                let bit = 1 << stream.due.trailing_zeros();
                let start = writer.position();
                match emit_control(stream, &self.pages, bit, writer) {
                    Emitted::Full => return tail,
                    Emitted::Moot => {}
                    Emitted::Sent(sent) => {
                        records.push(number, sent);
                        tail = None;
                    }
                    Emitted::End(head) => {
                        records.push(number, Sent::Data { id: head.id, offset: head.offset, len: 0, last: true });
                        tail = Some(Tail::new(start, head.wire_len(), 0));
                    }
                }
                stream.due &= !bit;
            }
            stream.places &= !place::CONTROL;
            self.control.leave_front();
            self.mark_dirty(slot);
        }
        tail
    }

    /// So many bytes have left for the first time.
    pub(super) fn note_fresh(&mut self, fresh: u64) {
        self.unsent -= fresh;
        self.in_flight += fresh;
        self.peer_host.sent += fresh;
        self.counters.bytes_sent += fresh;
    }

    /// Opens a stream whose turn it is: with all its data in one frame, if that fits and so many bytes are admitted.
    fn fill_opening(
        &mut self,
        slot: u32,
        admitted: u64,
        writer: &mut Writer<'_>,
        records: &mut Records,
        number: u64,
    ) -> Opening {
        let stream = &mut self.table[slot];
        if let (Some(len), Some(name)) = (stream.send.whole(), &stream.name)
            && len <= admitted
        {
            let head = RequestHead { id: stream.id, names: name.names(), len: len as usize };
            if head.wire_len() + head.len <= writer.left()
                && head.emit(writer).is_ok()
                && let Ok(place) = writer.room(head.len)
            {
                records.push(number, Sent::Request { id: head.id, len: len as u32 });
                let fresh = stream.send.send(&self.pages, 0, true, place);
                stream.due &= !control::INIT;
                self.note_fresh(fresh);
                self.leave_data_queues(slot);
                self.scheduler.charge(Turn::Fresh(stream_leaf(slot)), len as usize);
                return Opening::Whole;
            }
        }
        match emit_control(stream, &self.pages, control::INIT, writer) {
            Emitted::Sent(sent) => {
                records.push(number, sent);
                stream.due &= !control::INIT;
                Opening::Begun
            }
            _ => Opening::Full,
        }
    }

    /// A stream has nothing more to send.
    fn leave_data_queues(&mut self, slot: u32) {
        let stream = &mut self.table[slot];
        let mut left = stream.places & (place::BRIEF | place::FIRSTS | place::FRESH);
        stream.places ^= left;
        if left & place::BRIEF != 0 && self.brief.front() == Some(slot) {
            self.brief.leave_front();
            left ^= place::BRIEF;
        }
        self.place(slot, 0, left);
    }

    fn fill_data(&mut self, writer: &mut Writer<'_>, records: &mut Records, number: u64, tail: &mut Option<Tail>) {
        while writer.left() > 0 {
            let mut admitted = self.fresh_room();
            let brief = self.brief.front().map(stream_leaf);
            let turn = self.scheduler.next(admitted.is_some(), brief).or_else(|| {
                let (slot, bytes) = self.first_bytes()?;
                admitted = Some(bytes);
                self.firsts.rotate();
                Some(Turn::Fresh(stream_leaf(slot)))
            });
            let (turn, slot, piece) = match turn {
                Some(Turn::Again(leaf)) => (Turn::Again(leaf), leaf / 2, self.table[leaf / 2].send.lost()),
                Some(Turn::Fresh(leaf)) if leaf == stream_leaf(leaf / 2) => {
                    (Turn::Fresh(leaf), leaf / 2, self.table[leaf / 2].send.fresh())
                }
                datagram => {
                    let slot = match datagram {
                        Some(Turn::Fresh(leaf) | Turn::Again(leaf)) => Some(leaf / 2),
                        // They need no credit.
                        None => self.datagram_turns.front(),
                    };
                    match slot {
                        Some(slot) if self.fill_datagram(slot, writer, records, number, tail) => continue,
                        _ => return,
                    }
                }
            };
            let Some(mut piece) = piece else {
                self.align_one(slot);
                continue;
            };
            let stream = &self.table[slot];
            if stream.due & control::INIT != 0 && stream.places & place::CONTROL == 0 {
                match self.fill_opening(slot, admitted.unwrap_or(0), writer, records, number) {
                    Opening::Whole => {
                        *tail = None;
                        continue;
                    }
                    Opening::Begun => *tail = None,
                    Opening::Full => return pad(writer, tail),
                }
            }
            if let (Turn::Fresh(_), Some(admitted)) = (turn, admitted)
                && piece.len > admitted
            {
                piece.len = admitted;
            }
            let stream = &mut self.table[slot];
            let mut head = DataHead { id: stream.id, offset: piece.offset, marks: Marks::default(), len: None };
            let room = (writer.left() as u64).saturating_sub(head.wire_len() as u64);
            if room < piece.len.min(FRAGMENT_MIN) {
                return pad(writer, tail);
            }
            let len = if piece.len >= room {
                room
            } else {
                // Others may follow, so the length is said. Its own bytes may cost the last of the data its place.
                let len = piece.len.min(room - varint_len(piece.len) as u64);
                head.len = Some(len as usize);
                len
            };
            if len == 0 {
                return pad(writer, tail);
            }
            head.marks = stream.send.marks(Piece { len, ..piece });
            let last = head.marks.last;
            let start = writer.position();
            if head.emit(writer).is_err() {
                return;
            }
            let Ok(place) = writer.room(len as usize) else { return };
            let fresh = stream.send.send(&self.pages, head.offset, last, place);
            records.push(number, Sent::Data { id: head.id, offset: head.offset, len: len as u32, last });
            self.note_fresh(fresh);
            self.counters.bytes_resent += len - fresh;
            *tail = head.len.map(|len| Tail::new(start, head.wire_len(), len));
            self.align_one(slot);
            self.scheduler.charge(turn, len as usize);
        }
    }
}

/// How far a stream's opening went into a packet.
enum Opening {
    /// With all that there is to say.
    Whole,
    Begun,
    /// Not at all.
    Full,
}

/// What became of the wish to write a control frame.
enum Emitted {
    Sent(Sent),
    /// An empty DATA frame that ends its stream.
    End(DataHead),
    /// There is nothing to say any more.
    Moot,
    Full,
}

fn emit_control(stream: &mut Stream, pages: &Pages, bit: u8, writer: &mut Writer<'_>) -> Emitted {
    let id = stream.id;
    let (frame, sent) = match bit {
        control::INIT => {
            let origin = match (stream.parent.get(), &stream.name) {
                (Some(parent), _) if stream.ephemeral => Origin::Datagram(parent),
                (Some(parent), _) => Origin::Parent(parent),
                (None, Some(name)) => Origin::Service(name.names()),
                (None, None) => return Emitted::Moot,
            };
            (Frame::Init { id, origin }, Sent::Init(id))
        }
        control::REFUSE => match stream.refusal() {
            Some(refusal) => {
                (Frame::Refuse { id, code: refusal.code, reason: refusal.reason.borrowed() }, Sent::Refuse(id))
            }
            None => return Emitted::Moot,
        },
        control::RESET => match &stream.send {
            SendHalf::Resetting(reset) => {
                let Resetting { code, final_offset, .. } = **reset;
                (Frame::Reset { id, code, final_offset }, Sent::Reset(id))
            }
            _ => return Emitted::Moot,
        },
        control::STOP => (Frame::Stop { id, code: stream.asked().stop_code }, Sent::Stop(id)),
        control::PRIORITY => {
            let Asked { asks: count, wish: priority, .. } = stream.asked();
            (Frame::Priority { id, count, priority }, Sent::Priority { id, count })
        }
        control::CREDIT => match stream.recv.limit() {
            Some(limit) => (Frame::Credit { id, limit }, Sent::Credit { id, limit }),
            None => return Emitted::Moot,
        },
        control::RECEIVED => match stream.recv.arrived() {
            Some(offset) => (Frame::Received { id, offset }, Sent::Received),
            None => return Emitted::Moot,
        },
        _ => return emit_end(stream, pages, writer),
    };
    match frame.emit(writer) {
        Ok(()) => Emitted::Sent(sent),
        Err(_) => Emitted::Full,
    }
}

fn emit_end(stream: &mut Stream, pages: &Pages, writer: &mut Writer<'_>) -> Emitted {
    let marks = Marks { last: true, message: false };
    let head = DataHead { id: stream.id, offset: stream.send.end(), marks, len: Some(0) };
    if writer.left() < head.wire_len() || head.emit(writer).is_err() {
        return Emitted::Full;
    }
    stream.send.send(pages, head.offset, true, &mut []);
    Emitted::End(head)
}

/// Fills the packet although no sensible fragment fits: packets of a bulk transfer are all of the same size.
pub(super) fn pad(writer: &mut Writer<'_>, tail: &mut Option<Tail>) {
    if writer.position() > 0 {
        writer.tail().fill(0);
        writer.advance(writer.left());
        *tail = None;
    }
}
