//! What stands for the host's side of a guest in the guest's process.

use core::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use tng_stp_abi::{ABI_VERSION, Arrived, Host, Info, RING_ENTRIES, Refused, Role, Route, SocketKind, TIMERS_MAX};
use tng_stp_host::{Beside, Quotas, Standing};
use tng_wire::{Repr, Writer};

use crate::line::Line;
use crate::wire::{Deed, Deeds, Order, Question, Report, Turn, cut};

/// Bytes of deeds after which the host hears of them.
pub const DEEDS_MAX: usize = 64 << 10;
/// Bytes that are asked for at once.
const READ_MAX: usize = 64 << 10;
/// Longer heads fit no segment, and longer bytes no buffer.
const BYTES_MAX: usize = 512 << 10;

/// Says yes where the host has said beforehand that it would, and asks it otherwise: a no is always the host's.
pub(crate) struct Mirror {
    line: Arc<Mutex<Line>>,
    role: Role,
    socket: SocketKind,
    quotas: Quotas,
    stands: Standing,
    /// What the host has not heard of.
    deeds: Vec<u8>,
    /// By number.
    segments: Vec<Option<Held>>,
    /// Numbers of those that the call under way was told of.
    told: Vec<u32>,
    arriving: Vec<Arrived>,
    area: Vec<u8>,
    /// What the host has answered.
    answered: Vec<u8>,
    denied: u64,
}

/// A segment that the host has for the guest.
#[derive(Clone, Copy, Debug)]
struct Held {
    len: u32,
    /// Bytes of the buffer that it is in.
    buffer: u64,
    kept: bool,
}

/// What the host would say to a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    /// It leaves.
    Surely,
    /// There is no room for its so many bytes among what waits to leave.
    Not(u32),
    /// Only the host knows.
    Unknown,
}

impl Mirror {
    pub(crate) fn new(line: Arc<Mutex<Line>>, (role, socket): (Role, SocketKind), quotas: Quotas) -> Mirror {
        Mirror {
            line,
            role,
            socket,
            quotas,
            stands: Standing::NOTHING,
            deeds: Vec::new(),
            segments: Vec::new(),
            told: Vec::new(),
            arriving: Vec::new(),
            area: Vec::new(),
            answered: Vec::new(),
            denied: 0,
        }
    }

    /// A call begins.
    pub(crate) fn begin(&mut self, turn: &Turn<'_>) {
        self.stands = turn.stands.0;
        self.arriving.clear();
        for (arrived, buffer) in turn.arrived() {
            let at = arrived.segment as usize;
            if self.segments.len() <= at {
                self.segments.resize(at + 1, None);
            }
            self.segments[at] = Some(Held { len: arrived.len, buffer, kept: false });
            self.told.push(arrived.segment);
            self.arriving.push(arrived);
        }
        self.area.clear();
        if matches!(turn.callback, tng_stp_host::Callback::Call { .. }) {
            self.area.extend_from_slice(turn.bytes);
        }
    }

    /// It is over: what it did not keep is gone. Answers what the host has not heard of.
    pub(crate) fn end(&mut self) -> (&[u8], &[u8]) {
        for segment in self.told.drain(..) {
            let slot = &mut self.segments[segment as usize];
            *slot = slot.filter(|held| held.kept);
        }
        (&self.deeds, &self.area)
    }

    /// The host has heard of everything.
    pub(crate) fn forget(&mut self) {
        self.deeds.clear();
    }

    fn held(&mut self, segment: u32) -> Option<&mut Held> {
        self.segments.get_mut(segment as usize)?.as_mut()
    }

    fn note(&mut self, deed: &Deed<'_>) {
        let start = self.deeds.len();
        self.deeds.resize(start + deed.wire_len(), 0);
        let emitted = deed.emit(&mut Writer::new(&mut self.deeds[start..]));
        debug_assert!(emitted.is_ok(), "wire_len bytes are enough");
        if self.deeds.len() > DEEDS_MAX {
            self.ask(&Question::Nothing);
        }
    }

    /// Asks the host. Without a host there is nothing to do here any more.
    fn ask(&mut self, question: &Question<'_>) -> i64 {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = line.send(&Report::Ask(Deeds(&self.deeds), question.clone()));
        let Ok(Order::Answer { number, bytes, stands }) = asked.and_then(|()| line.receive(None)) else {
            std::process::exit(1)
        };
        self.deeds.clear();
        self.stands = stands.0;
        self.answered.clear();
        self.answered.extend_from_slice(bytes);
        number
    }

    fn ask_for(&mut self, deed: Deed<'_>) -> Result<u64, Refused> {
        number(self.ask(&Question::Deed(deed)))
    }

    /// As [`ask_for`](Mirror::ask_for), of what answers nothing.
    fn asked(&mut self, deed: Deed<'_>) -> Result<(), Refused> {
        self.ask_for(deed).map(drop)
    }

    /// Whether a segment surely leaves; what it takes is taken then.
    fn takes(&mut self, head: usize, body: &Range<u64>) -> Takes {
        let it = &mut self.stands;
        let Some(len) = body.end.checked_sub(body.start).and_then(|body| usize::try_from(body).ok()) else {
            return Takes::Unknown;
        };
        let len = len.saturating_add(head);
        let there = body.is_empty() || body.start >= it.send_buffer.0 && body.end <= it.send_buffer.1;
        let fits = (1..=it.segment_max as usize).contains(&len) && it.segments > 0;
        if it.said || !there || !fits {
            return Takes::Unknown;
        }
        if len > it.queue as usize {
            return Takes::Not(len as u32);
        }
        if it.cost(len) > it.leave {
            return Takes::Unknown;
        }
        it.leave -= it.cost(len);
        it.queue -= len as u32;
        (it.segments, it.next) = (it.segments - 1, it.next + 1);
        Takes::Surely
    }

    /// Whether so many bytes are surely appended.
    fn appends(&mut self, len: usize) -> bool {
        let it = &mut self.stands;
        let message = self.socket == SocketKind::Message;
        if it.ended || len as u64 > it.receive_room || message && (len == 0 || it.messages == 0) {
            return false;
        }
        it.receive_room -= len as u64;
        it.messages -= u32::from(message);
        true
    }

    fn read(
        &mut self,
        into: &mut [u8],
        mut question: impl FnMut(usize, u32) -> Question<'static>,
    ) -> Result<usize, Refused> {
        let mut done = 0;
        loop {
            let piece = (into.len() - done).min(READ_MAX);
            let asked = number(self.ask(&question(done, piece as u32)));
            let found = match asked {
                // What came before counts.
                Err(_) if done > 0 => return Ok(done),
                asked => usize::try_from(asked?).unwrap_or(0).min(piece).min(self.answered.len()),
            };
            into[done..done + found].copy_from_slice(&self.answered[..found]);
            done += found;
            if found < READ_MAX {
                return Ok(done);
            }
        }
    }
}

/// What a number of the border says.
fn number(number: i64) -> Result<u64, Refused> {
    u64::try_from(number).map_err(|_| Refused::of(number).unwrap_or(Refused::NotThere))
}

impl Beside for Mirror {
    fn quotas(&self) -> &Quotas {
        &self.quotas
    }

    fn socket_kind(&self) -> SocketKind {
        self.socket
    }

    fn take_arrived(&mut self, into: &mut [Arrived; RING_ENTRIES]) -> usize {
        let count = self.arriving.len().min(RING_ENTRIES);
        into[..count].copy_from_slice(&self.arriving[..count]);
        self.arriving.clear();
        count
    }

    fn area(&mut self) -> &mut Vec<u8> {
        &mut self.area
    }

    fn deny_memory(&mut self) -> bool {
        self.note(&Deed::DeniedMemory);
        self.denied += 1;
        self.denied > self.quotas.denials
    }
}

impl Host for Mirror {
    fn proto_info(&mut self, what: Info) -> u64 {
        match what {
            Info::AbiVersion => ABI_VERSION.into(),
            Info::Role => self.role as u64,
            Info::SocketKind => self.socket as u64,
            Info::MemoryMax => self.quotas.memory,
        }
    }

    fn proto_done(&mut self) {
        self.note(&Deed::Done);
        self.stands.said = true;
    }

    fn so_connected(&mut self) {
        self.note(&Deed::Connected);
    }

    fn so_sent(&mut self) -> u64 {
        self.stands.send_buffer.1
    }

    fn so_read(&mut self, from: u64, into: &mut [u8]) -> Result<usize, Refused> {
        self.read(into, |done, len| Question::Read { from: from.saturating_add(done as u64), len })
    }

    fn so_drop(&mut self, until: u64) -> Result<(), Refused> {
        if until > self.stands.send_buffer.1 {
            return self.asked(Deed::Drop { until });
        }
        self.note(&Deed::Drop { until });
        // It may be gone at once, or when what waits has left.
        self.stands.send_buffer.0 = self.stands.send_buffer.0.max(until);
        Ok(())
    }

    fn so_room(&mut self) -> u64 {
        self.stands.receive_room
    }

    fn so_append(&mut self, segment: u32, bytes: Range<u32>) -> Result<(), Refused> {
        let within = self.held(segment).is_some_and(|held| bytes.start <= bytes.end && bytes.end <= held.len);
        let deed = Deed::Append { segment, bytes: bytes.clone() };
        if !within || !self.appends((bytes.end - bytes.start) as usize) {
            return self.asked(deed);
        }
        self.note(&deed);
        Ok(())
    }

    fn so_append_bytes(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        if bytes.len() > BYTES_MAX {
            return Err(Refused::Full);
        }
        if !self.appends(bytes.len()) {
            return self.asked(Deed::AppendBytes(bytes));
        }
        self.note(&Deed::AppendBytes(bytes));
        Ok(())
    }

    fn so_end(&mut self) {
        self.note(&Deed::End);
        self.stands.ended = true;
    }

    fn so_wakeup(&mut self) {
        self.note(&Deed::Wakeup);
    }

    fn so_isdisconnecting(&mut self) -> bool {
        self.stands.disconnecting
    }

    fn so_error(&mut self, code: u32) {
        self.note(&Deed::Error { code });
        self.stands.said = true;
    }

    fn net_send(&mut self, head: &[u8], body: Range<u64>) -> Result<u64, Refused> {
        if head.len() > BYTES_MAX {
            return Err(Refused::Length);
        }
        let number = self.stands.next;
        match self.takes(head.len(), &body) {
            Takes::Surely => {
                self.note(&Deed::Send { head, body });
                Ok(number)
            }
            Takes::Not(len) => {
                self.note(&Deed::Crowded { len });
                Err(Refused::WouldBlock)
            }
            Takes::Unknown => self.ask_for(Deed::Send { head, body }),
        }
    }

    fn net_resend(&mut self, head: &[u8], body: Range<u64>, lost: u64) -> Result<u64, Refused> {
        if head.len() > BYTES_MAX {
            return Err(Refused::Length);
        }
        let number = self.stands.next;
        if self.takes(head.len(), &body) != Takes::Surely {
            return self.ask_for(Deed::Resend { head, body, lost });
        }
        self.note(&Deed::Resend { head, body, lost });
        Ok(number)
    }

    /// Whether it proves anything, only the host knows, and it counts what does not. The guest goes on as if it did: a
    /// peer that lies about what it has could as well throw it away.
    fn ack_sum(&mut self, numbers: Range<u64>, sum: u64, delay_us: u32) -> Result<(), Refused> {
        self.note(&Deed::Sum { numbers, sum, delay_us });
        Ok(())
    }

    fn nack(&mut self, number: u64) -> Result<(), Refused> {
        if number >= self.stands.next {
            return Err(Refused::NotThere);
        }
        self.note(&Deed::Nack { number });
        Ok(())
    }

    fn net_sendack(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        if bytes.len() > BYTES_MAX {
            return Err(Refused::Length);
        }
        let it = &mut self.stands;
        let fits = (1..=it.segment_max as usize).contains(&bytes.len()) && bytes.len() <= it.queue as usize;
        let allowed = it.acknowledgments > 0 && bytes.len() as u64 <= it.acknowledgment_bytes;
        if it.said || !fits || !allowed {
            return self.asked(Deed::SendAck(bytes));
        }
        it.queue -= bytes.len() as u32;
        it.acknowledgments -= 1;
        it.acknowledgment_bytes -= bytes.len() as u64;
        self.note(&Deed::SendAck(bytes));
        Ok(())
    }

    fn net_budget(&mut self) -> u64 {
        self.ask(&Question::Budget).cast_unsigned()
    }

    fn gettick(&mut self) -> u64 {
        self.stands.tick
    }

    fn seg_read(&mut self, segment: u32, from: u32, into: &mut [u8]) -> Result<usize, Refused> {
        self.read(into, |done, len| Question::ReadSegment { segment, from: from.saturating_add(done as u32), len })
    }

    fn seg_keep(&mut self, segment: u32) -> Result<(), Refused> {
        let (room, places) = (self.stands.receive_room, self.stands.kept);
        let taken = match self.held(segment) {
            Some(held) if !held.kept && places > 0 && held.buffer <= room => {
                held.kept = true;
                held.buffer
            }
            _ => {
                self.asked(Deed::Keep { segment })?;
                if let Some(held) = self.held(segment) {
                    held.kept = true;
                }
                return Ok(());
            }
        };
        self.stands.receive_room -= taken;
        self.stands.kept -= 1;
        self.note(&Deed::Keep { segment });
        Ok(())
    }

    fn seg_free(&mut self, segment: u32) -> Result<(), Refused> {
        let told = self.told.contains(&segment);
        let given = match self.held(segment) {
            Some(held) if held.kept => {
                held.kept = false;
                held.buffer
            }
            _ => return self.asked(Deed::Free { segment }),
        };
        if !told {
            self.segments[segment as usize] = None;
        }
        self.stands.receive_room += given;
        self.stands.kept += 1;
        self.note(&Deed::Free { segment });
        Ok(())
    }

    fn timer_reset(&mut self, id: u32, in_ms: u32) -> Result<(), Refused> {
        if id >= TIMERS_MAX {
            return Err(Refused::NotThere);
        }
        self.note(&Deed::Timer { id, in_ms });
        Ok(())
    }

    fn timer_stop(&mut self, id: u32) -> Result<(), Refused> {
        if id >= TIMERS_MAX {
            return Err(Refused::NotThere);
        }
        self.note(&Deed::StopTimer { id });
        Ok(())
    }

    fn route(&mut self, what: Route) -> u64 {
        match what {
            Route::SegmentMax => self.stands.segment_max.into(),
            Route::LocalFamily => self.stands.family as u64,
        }
    }

    fn log(&mut self, text: &str) -> Result<(), Refused> {
        number(self.ask(&Question::Log(cut(text)))).map(drop)
    }

    fn random(&mut self) -> u64 {
        self.ask(&Question::Random).cast_unsigned()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::thread;

    use tng_stp_host::Callback;

    use super::*;
    use crate::wire::Stands;

    /// What a guest is told of a segment of 100 bytes, whether its host was asked, and what the host hears.
    fn sends(stands: Standing) -> (Result<u64, Refused>, bool, Vec<u8>) {
        let (here, there) = UnixStream::pair().unwrap();
        let host = thread::spawn(move || {
            let mut line = Line::new(there);
            let asked = line.receive::<Report<'_>>(None).is_ok();
            let answer = Order::Answer { number: Refused::NotThere.number(), bytes: &[], stands: Stands(stands) };
            let _ = line.send(&answer);
            asked
        });
        let line = Arc::new(Mutex::new(Line::new(here)));
        let mut mirror = Mirror::new(line, (Role::Initiator, SocketKind::Stream), Quotas::default());
        mirror.begin(&Turn { stands: Stands(stands), callback: Callback::Attach, then: None, bytes: &[] });
        let told = mirror.net_send(&[7; 100], 0..0);
        let deeds = mirror.end().0.to_vec();
        drop(mirror);
        (told, host.join().unwrap(), deeds)
    }

    #[test]
    fn what_surely_leaves_or_surely_has_no_room_is_no_question() {
        let room =
            Standing { next: 3, leave: 1_000, segments: 10, queue: 1_000, segment_max: 1_400, ..Standing::NOTHING };
        let mut deeds = Deeds(&[]);
        let (told, asked, heard) = sends(room);
        deeds.0 = &heard;
        assert_eq!((told, asked), (Ok(3), false));
        assert_eq!(deeds.take().unwrap(), Some(Deed::Send { head: &[7; 100], body: 0..0 }));
        let (told, asked, heard) = sends(Standing { queue: 99, ..room });
        deeds.0 = &heard;
        assert_eq!((told, asked), (Err(Refused::WouldBlock), false));
        assert_eq!(deeds.take().unwrap(), Some(Deed::Crowded { len: 100 }));
        // What the policer says to more than it has let leave is not known here.
        assert_eq!(sends(Standing { leave: 99, ..room }), (Err(Refused::NotThere), true, Vec::new()));
    }
}
