//! The host's side of one end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use tng_stp_abi::{ABI_VERSION, AddressFamily, Arrived, Host, Info, Refused, Role, Route, SocketKind, TIMERS_MAX};

use crate::link::Flying;
use crate::{Rng, mix};

/// What is counted of a guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// Segments sent with a number.
    pub numbered: u64,
    /// Of these, those that were said to repeat a lost one.
    pub resent: u64,
    /// Acknowledgments sent.
    pub acknowledgments: u64,
    /// Sums that were right,
    pub proven: u64,
    /// and that were not.
    pub unproven: u64,
    /// Requests that were refused for other reasons than time.
    pub refused: u64,
    /// Segments refused until later.
    pub blocked: u64,
    /// Bytes appended.
    pub appended: u64,
}

/// A segment that waits to leave.
#[derive(Debug)]
pub(crate) struct Leaving {
    numbered: Option<(u64, u64)>,
    head: Vec<u8>,
    body: Range<u64>,
}

/// One end.
#[derive(Debug)]
pub struct Mock {
    /// Microseconds since the beginning.
    pub now: u64,
    /// Bytes of a segment at most.
    pub segment_max: u64,
    /// Bytes that the receive buffer has.
    pub receive_buffer: u64,
    /// Bytes that wait to leave in one call, at most.
    pub queued_max: u64,
    /// Bytes a second that may leave; none: all.
    pub rate: Option<u64>,
    /// What was counted.
    pub facts: Facts,
    /// What the application wrote and the guest has not dropped, and where it begins.
    pub sending: (u64, VecDeque<u8>),
    /// Bytes, and messages, that wait for the application.
    pub received: VecDeque<Vec<u8>>,
    /// Bytes that the application took.
    pub taken: u64,
    /// Whether the guest said so.
    pub connected: bool,
    /// Same: nothing is appended any more.
    pub ended: bool,
    /// Same: it has nothing to do.
    pub done: bool,
    /// Same: the connection has failed.
    pub error: Option<u32>,
    /// Same: lines.
    pub lines: Vec<String>,
    /// Whether the application has disconnected.
    pub disconnecting: bool,
    pub(crate) out: Vec<Leaving>,
    pub(crate) timers: [Option<u64>; TIMERS_MAX as usize],
    /// When the policer calls.
    pub(crate) leave_at: Option<u64>,
    role: Role,
    socket: SocketKind,
    rng: Rng,
    key: u64,
    free_at: u64,
    segments: BTreeMap<u32, Vec<u8>>,
    kept: BTreeSet<u32>,
    handles: u32,
    acknowledgments_left: u64,
}

impl Mock {
    /// One end with this role and kind of socket.
    pub fn new(role: Role, socket: SocketKind, seed: u64) -> Mock {
        Mock {
            now: 0,
            segment_max: 1_200,
            receive_buffer: 256 << 10,
            queued_max: u64::MAX,
            rate: None,
            facts: Facts::default(),
            sending: (0, VecDeque::new()),
            received: VecDeque::new(),
            taken: 0,
            connected: false,
            ended: false,
            done: false,
            error: None,
            lines: Vec::new(),
            disconnecting: false,
            out: Vec::new(),
            timers: [None; TIMERS_MAX as usize],
            leave_at: None,
            role,
            socket,
            rng: Rng(seed),
            key: mix(seed),
            free_at: 0,
            segments: BTreeMap::new(),
            kept: BTreeSet::new(),
            handles: 0,
            acknowledgments_left: 100,
        }
    }

    /// Bytes that wait for the application.
    pub fn unread(&self) -> u64 {
        self.received.iter().map(|bytes| bytes.len() as u64).sum()
    }

    /// A segment has arrived: as the guest is told.
    pub(crate) fn arrive(&mut self, segment: Flying) -> Arrived {
        self.handles += 1;
        self.acknowledgments_left += 1;
        let mut arrived = Arrived { segment: self.handles, ..Arrived::EMPTY };
        (arrived.len, arrived.numbered) = (segment.bytes.len() as u32, segment.numbered);
        let shown = segment.bytes.len().min(arrived.head.len());
        arrived.head[..shown].copy_from_slice(&segment.bytes[..shown]);
        self.segments.insert(self.handles, segment.bytes);
        arrived
    }

    /// The call of `input` has returned.
    pub(crate) fn take_back(&mut self) {
        self.segments.retain(|segment, _| self.kept.contains(segment));
    }

    /// What leaves now. Bodies are read only now: what the guest has dropped since is lost.
    pub(crate) fn leave(&mut self) -> Vec<Flying> {
        let leaving = core::mem::take(&mut self.out);
        let read =
            |it: Leaving| Some(Flying { bytes: [it.head, self.body(&it.body)?].concat(), numbered: it.numbered });
        leaving.into_iter().filter_map(read).collect()
    }

    /// Segments that the guest keeps.
    pub fn kept(&self) -> usize {
        self.kept.len()
    }

    fn nonce(&self, number: u64) -> u64 {
        mix(self.key ^ number) ^ mix(self.key ^ (number + 1))
    }

    fn refuse<T>(&mut self, refused: Refused) -> Result<T, Refused> {
        self.facts.refused += 1;
        Err(refused)
    }

    fn body(&self, body: &Range<u64>) -> Option<Vec<u8>> {
        let (start, bytes) = (self.sending.0, &self.sending.1);
        if body.is_empty() {
            return (body.start == body.end).then(Vec::new);
        }
        let from = usize::try_from(body.start.checked_sub(start)?).ok()?;
        let to = usize::try_from(body.end - start).ok()?;
        (to <= bytes.len()).then(|| bytes.range(from..to).copied().collect())
    }
}

impl Host for Mock {
    fn proto_info(&mut self, what: Info) -> u64 {
        match what {
            Info::AbiVersion => ABI_VERSION.into(),
            Info::Role => self.role as u64,
            Info::SocketKind => self.socket as u64,
            Info::MemoryMax => 4 << 20,
        }
    }

    fn proto_done(&mut self) {
        self.done = true;
    }

    fn so_connected(&mut self) {
        self.connected = true;
    }

    fn so_sent(&mut self) -> u64 {
        self.sending.0 + self.sending.1.len() as u64
    }

    fn so_read(&mut self, from: u64, into: &mut [u8]) -> Result<usize, Refused> {
        let to = self.so_sent().min(from.saturating_add(into.len() as u64));
        let Some(body) = self.body(&(from..to.max(from))) else { return self.refuse(Refused::NotThere) };
        into[..body.len()].copy_from_slice(&body);
        Ok(body.len())
    }

    fn so_drop(&mut self, until: u64) -> Result<(), Refused> {
        if until > self.so_sent() {
            return self.refuse(Refused::NotThere);
        }
        let gone = until.saturating_sub(self.sending.0);
        self.sending.1.drain(..gone as usize);
        self.sending.0 += gone;
        Ok(())
    }

    fn so_room(&mut self) -> u64 {
        let kept: usize = self.kept.iter().filter_map(|it| self.segments.get(it)).map(Vec::len).sum();
        self.receive_buffer.saturating_sub(self.unread() + kept as u64)
    }

    fn so_append(&mut self, segment: u32, bytes: Range<u32>) -> Result<(), Refused> {
        let held = self.segments.get(&segment).map_or(0, Vec::len) as u64;
        let found = self.segments.get(&segment).and_then(|it| it.get(bytes.start as usize..bytes.end as usize));
        let Some(found) = found.map(<[u8]>::to_vec) else { return self.refuse(Refused::NotThere) };
        // Its own bytes are no reason to refuse a segment that was kept.
        let own = if self.kept.contains(&segment) { held } else { 0 };
        if self.so_room() + own < found.len() as u64 {
            return self.refuse(Refused::Full);
        }
        self.so_append_bytes_unchecked(found)
    }

    fn so_append_bytes(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        if self.so_room() < bytes.len() as u64 {
            return self.refuse(Refused::Full);
        }
        self.so_append_bytes_unchecked(bytes.to_vec())
    }

    fn so_end(&mut self) {
        self.ended = true;
    }

    fn so_wakeup(&mut self) {}

    fn so_isdisconnecting(&mut self) -> bool {
        self.disconnecting
    }

    fn so_error(&mut self, code: u32) {
        self.error = Some(code);
    }

    fn net_send(&mut self, head: &[u8], body: Range<u64>) -> Result<u64, Refused> {
        if self.body(&body).is_none() {
            return self.refuse(Refused::NotThere);
        }
        let len = head.len() as u64 + (body.end - body.start);
        if len == 0 || len > self.segment_max {
            return self.refuse(Refused::Length);
        }
        let queued: u64 = self.out.iter().map(|it| it.head.len() as u64 + it.body.end - it.body.start).sum();
        if queued + len > self.queued_max {
            return self.refuse(Refused::Full);
        }
        if let Some(rate) = self.rate {
            // Three segments may leave at once.
            let burst = 3 * self.segment_max * 1_000_000 / rate;
            if self.free_at > self.now + burst {
                self.leave_at = Some(self.free_at - burst);
                self.facts.blocked += 1;
                return Err(Refused::WouldBlock);
            }
            self.free_at = self.free_at.max(self.now) + len * 1_000_000 / rate;
        }
        let number = self.facts.numbered;
        self.facts.numbered += 1;
        self.out.push(Leaving { numbered: Some((number, self.nonce(number))), head: head.to_vec(), body });
        Ok(number)
    }

    fn net_resend(&mut self, head: &[u8], body: Range<u64>, lost: u64) -> Result<u64, Refused> {
        if lost >= self.facts.numbered {
            return self.refuse(Refused::NotThere);
        }
        let sent = self.net_send(head, body)?;
        self.facts.resent += 1;
        Ok(sent)
    }

    fn ack_sum(&mut self, numbers: Range<u64>, sum: u64, _delay_us: u32) -> Result<(), Refused> {
        let right = mix(self.key ^ numbers.start) ^ mix(self.key ^ numbers.end);
        if numbers.is_empty() || numbers.end > self.facts.numbered || sum != right {
            self.facts.unproven += 1;
            return Err(Refused::Unproven);
        }
        self.facts.proven += 1;
        Ok(())
    }

    fn nack(&mut self, number: u64) -> Result<(), Refused> {
        if number < self.facts.numbered { Ok(()) } else { self.refuse(Refused::NotThere) }
    }

    fn net_sendack(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        if bytes.is_empty() || bytes.len() as u64 > self.segment_max {
            return self.refuse(Refused::Length);
        }
        let Some(left) = self.acknowledgments_left.checked_sub(1) else { return self.refuse(Refused::Unasked) };
        self.acknowledgments_left = left;
        self.facts.acknowledgments += 1;
        self.out.push(Leaving { numbered: None, head: bytes.to_vec(), body: 0..0 });
        Ok(())
    }

    fn net_budget(&mut self) -> u64 {
        self.segment_max
    }

    fn gettick(&mut self) -> u64 {
        self.now / 1_000
    }

    fn seg_read(&mut self, segment: u32, from: u32, into: &mut [u8]) -> Result<usize, Refused> {
        let found = self.segments.get(&segment).and_then(|it| it.get(from as usize..));
        let Some(found) = found else { return self.refuse(Refused::NotThere) };
        let len = found.len().min(into.len());
        into[..len].copy_from_slice(&found[..len]);
        Ok(len)
    }

    fn seg_keep(&mut self, segment: u32) -> Result<(), Refused> {
        let Some(len) = self.segments.get(&segment).map(Vec::len) else { return self.refuse(Refused::NotThere) };
        if self.so_room() < len as u64 {
            return self.refuse(Refused::Full);
        }
        self.kept.insert(segment);
        Ok(())
    }

    fn seg_free(&mut self, segment: u32) -> Result<(), Refused> {
        if !self.kept.remove(&segment) {
            return self.refuse(Refused::NotThere);
        }
        self.segments.remove(&segment);
        Ok(())
    }

    fn timer_reset(&mut self, id: u32, in_ms: u32) -> Result<(), Refused> {
        let at = self.now + 1_000 * u64::from(in_ms);
        let Some(timer) = self.timers.get_mut(id as usize) else { return self.refuse(Refused::NotThere) };
        *timer = Some(at);
        Ok(())
    }

    fn timer_stop(&mut self, id: u32) -> Result<(), Refused> {
        let Some(timer) = self.timers.get_mut(id as usize) else { return self.refuse(Refused::NotThere) };
        *timer = None;
        Ok(())
    }

    fn route(&mut self, what: Route) -> u64 {
        match what {
            Route::SegmentMax => self.segment_max,
            Route::LocalFamily => AddressFamily::V4 as u64,
        }
    }

    fn log(&mut self, text: &str) -> Result<(), Refused> {
        self.lines.push(text.to_owned());
        Ok(())
    }

    fn random(&mut self) -> u64 {
        self.rng.draw()
    }
}

impl Mock {
    fn so_append_bytes_unchecked(&mut self, bytes: Vec<u8>) -> Result<(), Refused> {
        if self.ended {
            return self.refuse(Refused::Closed);
        }
        self.facts.appended += bytes.len() as u64;
        self.received.push_back(bytes);
        Ok(())
    }
}
