//! The receiving half of a stream.
//!
//! ```text
//!          end known               all read
//!   Open ─────────────> Draining ────────────> Finished
//!    │ │                    │ │
//!    │ │ RESET              │ │ RESET
//!    │ └────────────────────┼─┴──────────────> Reset
//!    │ stop                 │ stop
//!    └──────> Stopped ──────┴────────────────> Over
//!                  end known, or RESET
//! ```
//!
//! Most halves, most of the time, hold few bytes or none, all in order. They are `InOrder`, which is `Open` or, when
//! the end is known, `Draining` in a few integers; what does not fit these wakes them, and they
//! [shrink](RecvHalf::shrink) when it is over.

use std::collections::BTreeSet;

use tng_base::{RangeSet, Violation};

use super::buffer::{Buffer, Chunk, PAGE, Pages, SCRAP_MAX, Scrap};
use super::credit::HostCredit;
use super::error::{Read, ReadChunk, ReadError, ReadMessage};
use super::marks::{Ends, MESSAGES_MAX};
use super::violation;
use super::wire::Marks;

/// Runs of bytes that a stream holds apart from each other; a packet that would make another one is not taken.
pub const RANGES_MAX: usize = 1024;

/// Most credit of a stream that a receiver gives beyond what was read, in bytes.
pub const STREAM_WINDOW_MAX: u64 = 1 << 31;

/// See the module's diagram.
#[derive(Debug)]
pub(super) enum RecvHalf {
    /// Open, or draining, and all is in order.
    InOrder(InOrder),
    Open(Box<Arriving>),
    /// The end is known; it is `Arriving::highest`.
    Draining(Box<Arriving>),
    Finished,
    /// The application wants no more, the peer has yet to say how far it went.
    Stopped {
        highest: u64,
        limit: u64,
    },
    Reset(u64),
    Over,
}

/// Bytes on their way in: none are missing and few are unread.
#[derive(Debug)]
pub(super) struct InOrder {
    /// Everything below was read by the application.
    read: u64,
    /// The credit that the peer has from there on.
    room: u32,
    /// What has arrived and was not read.
    unread: Scrap,
    /// Ends of messages that were read since the last credit.
    messages: u16,
    /// That is all there will be.
    ended: bool,
    /// The application waits to be told that there is something to read.
    read_blocked: bool,
}

/// Bytes on their way in.
#[derive(Debug)]
pub(super) struct Arriving {
    buffer: Buffer,
    /// Everything below was read by the application.
    read: u64,
    /// Everything below has arrived.
    whole: u64,
    /// What has arrived above `whole`. Only while something is missing.
    beyond: Option<Box<RangeSet>>,
    /// The highest offset that the peer has used, or the end.
    highest: u64,
    /// The credit that the peer has.
    limit: u64,
    /// Only of a stream that has messages.
    messages: Option<Box<Messages>>,
    /// The application waits to be told that there is something to read.
    read_blocked: bool,
}

/// Messages on their way in.
#[derive(Debug, Default)]
struct Messages {
    /// Ends above what was read.
    unread: Ends,
    /// Ends that were read since the last credit.
    read: usize,
}

/// What became of bytes that arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arrival {
    Taken,
    Refused,
}

impl RecvHalf {
    /// One that has credit for `limit` bytes, at most [`STREAM_WINDOW_MAX`].
    pub(super) fn new(limit: u64) -> RecvHalf {
        let room = limit.min(STREAM_WINDOW_MAX) as u32;
        RecvHalf::InOrder(InOrder {
            read: 0,
            room,
            unread: Scrap::default(),
            messages: 0,
            ended: false,
            read_blocked: true,
        })
    }

    /// Makes room for disorder, and for many bytes.
    pub(super) fn wake(&mut self, store: &mut Pages) {
        if let RecvHalf::InOrder(calm) = self {
            let (whole, limit) = (calm.whole(), calm.limit());
            let InOrder { read, ref mut unread, messages, ended, read_blocked, .. } = *calm;
            let buffer = Buffer::new(read, core::mem::take(unread));
            let messages =
                (messages > 0).then(|| Box::new(Messages { unread: Ends::default(), read: messages.into() }));
            let arriving =
                Arriving { buffer, read, whole, beyond: None, highest: whole, limit, messages, read_blocked };
            let arriving = store.arriving.fill(arriving);
            *self = if ended { RecvHalf::Draining(arriving) } else { RecvHalf::Open(arriving) };
        }
    }

    /// Takes no more memory than it needs, when all is in order and read.
    #[inline]
    pub(super) fn shrink(&mut self, store: &mut Pages) {
        let (RecvHalf::Open(arriving) | RecvHalf::Draining(arriving)) = &*self else { return };
        let Arriving { read, highest, limit, ref messages, read_blocked, .. } = **arriving;
        if read != highest {
            return;
        }
        let messages = messages.as_ref().map_or(0, |messages| messages.read);
        if let (Ok(room), Ok(messages)) = (u32::try_from(limit - read), u16::try_from(messages)) {
            let ended = matches!(self, RecvHalf::Draining(_));
            let calm =
                RecvHalf::InOrder(InOrder { read, room, unread: Scrap::default(), messages, ended, read_blocked });
            if let RecvHalf::Open(spare) | RecvHalf::Draining(spare) = core::mem::replace(self, calm) {
                store.arriving.keep(spare);
            }
        }
    }

    /// Pages held alone, and bytes that count against credit: what the application has not read, and gaps. The number
    /// of a page that it shares goes to `shared`.
    pub(super) fn held(&self, shared: &mut BTreeSet<u32>) -> (usize, u64) {
        match self {
            RecvHalf::InOrder(calm) => {
                shared.extend(calm.unread.page());
                (0, calm.unread.len() as u64)
            }
            RecvHalf::Open(arriving) | RecvHalf::Draining(arriving) => {
                (arriving.buffer.pages(shared), arriving.highest - arriving.read)
            }
            _ => (0, 0),
        }
    }

    /// Bytes arrived, and perhaps the end behind them.
    pub(super) fn data(
        &mut self,
        store: &mut Pages,
        host: &mut HostCredit,
        offset: u64,
        data: &[u8],
        marks: Marks,
    ) -> Result<Arrival, Violation> {
        let last = marks.last;
        let end = offset.checked_add(data.len() as u64).ok_or(violation::FLOW_STREAM)?;
        if let RecvHalf::InOrder(calm) = self {
            if calm.takes(offset, data, marks) && store.fits(&calm.unread, data.len()) {
                host.charge(data.len() as u64)?;
                store.append(&mut calm.unread, data);
                calm.ended = last;
                return Ok(Arrival::Taken);
            }
            self.wake(store);
        }
        match self {
            RecvHalf::Open(arriving) => {
                if last && end < arriving.highest {
                    return Err(violation::FINAL_OFFSET);
                }
                let arrival = arriving.take(store, host, offset, data, marks.message)?;
                if last && arrival == Arrival::Taken {
                    self.drain();
                }
                Ok(arrival)
            }
            RecvHalf::Draining(arriving) => {
                if end > arriving.highest || last && end < arriving.highest {
                    return Err(violation::FINAL_OFFSET);
                }
                arriving.take(store, host, offset, data, marks.message)
            }
            RecvHalf::Stopped { highest, limit } => {
                if last && end < *highest {
                    return Err(violation::FINAL_OFFSET);
                }
                discard(host, highest, *limit, end)?;
                if last {
                    *self = RecvHalf::Over;
                }
                Ok(Arrival::Taken)
            }
            RecvHalf::InOrder(_) | RecvHalf::Finished | RecvHalf::Reset(_) | RecvHalf::Over => Ok(Arrival::Taken),
        }
    }

    fn drain(&mut self) {
        if let RecvHalf::Open(_) = self
            && let RecvHalf::Open(arriving) = core::mem::replace(self, RecvHalf::Over)
        {
            *self = RecvHalf::Draining(arriving);
        }
    }

    /// The peer gave the stream up after `final_offset`; answers whether that is news for the application.
    pub(super) fn reset(
        &mut self,
        store: &mut Pages,
        host: &mut HostCredit,
        code: u64,
        final_offset: u64,
    ) -> Result<bool, Violation> {
        self.wake(store);
        let draining = matches!(self, RecvHalf::Draining(_));
        match self {
            RecvHalf::Open(arriving) | RecvHalf::Draining(arriving) => {
                if final_offset < arriving.highest || draining && final_offset > arriving.highest {
                    return Err(violation::FINAL_OFFSET);
                }
                let unread = arriving.highest - arriving.read;
                discard(host, &mut arriving.highest, arriving.limit, final_offset)?;
                host.consume(unread);
                arriving.buffer.clear(store);
                *self = RecvHalf::Reset(code);
                Ok(true)
            }
            RecvHalf::Stopped { highest, limit } => {
                if final_offset < *highest {
                    return Err(violation::FINAL_OFFSET);
                }
                discard(host, highest, *limit, final_offset)?;
                *self = RecvHalf::Over;
                Ok(false)
            }
            RecvHalf::InOrder(_) | RecvHalf::Finished | RecvHalf::Reset(_) | RecvHalf::Over => Ok(false),
        }
    }

    /// The application wants no more; answers whether the peer has to be told.
    pub(super) fn stop(&mut self, store: &mut Pages, host: &mut HostCredit) -> bool {
        self.wake(store);
        let draining = matches!(self, RecvHalf::Draining(_));
        match self {
            RecvHalf::Open(arriving) | RecvHalf::Draining(arriving) => {
                host.consume(arriving.highest - arriving.read);
                arriving.buffer.clear(store);
                let (highest, limit) = (arriving.highest, arriving.limit);
                *self = if draining { RecvHalf::Over } else { RecvHalf::Stopped { highest, limit } };
                !draining
            }
            RecvHalf::InOrder(_)
            | RecvHalf::Finished
            | RecvHalf::Stopped { .. }
            | RecvHalf::Reset(_)
            | RecvHalf::Over => false,
        }
    }

    /// The peer will never send anything here: it refused the stream.
    pub(super) fn abandon(&mut self, store: &mut Pages, host: &mut HostCredit) {
        self.stop(store, host);
        *self = RecvHalf::Over;
    }

    /// Copies what is there, in order.
    pub(super) fn read(&mut self, store: &mut Pages, host: &mut HostCredit, out: &mut [u8]) -> Result<Read, ReadError> {
        let draining = matches!(self, RecvHalf::Draining(_));
        match self {
            RecvHalf::InOrder(calm) => {
                if calm.ended && calm.unread.is_empty() {
                    *self = RecvHalf::Finished;
                    return Ok(Read::Finished);
                }
                let n = out.len().min(calm.unread.len());
                if n == 0 && !out.is_empty() {
                    calm.read_blocked = true;
                    return Ok(Read::Blocked);
                }
                out[..n].copy_from_slice(&store.bytes(&calm.unread)[..n]);
                calm.advance(store, n);
                host.consume(n as u64);
                Ok(Read::Bytes(n))
            }
            RecvHalf::Open(arriving) | RecvHalf::Draining(arriving) => {
                if draining && arriving.read == arriving.highest {
                    arriving.buffer.clear(store);
                    *self = RecvHalf::Finished;
                    return Ok(Read::Finished);
                }
                let n = out.len().min(usize::try_from(arriving.whole - arriving.read).unwrap_or(usize::MAX));
                if n == 0 && !out.is_empty() {
                    arriving.read_blocked = true;
                    return Ok(Read::Blocked);
                }
                arriving.take_out(store, &mut out[..n]);
                host.consume(n as u64);
                Ok(Read::Bytes(n))
            }
            RecvHalf::Finished => Ok(Read::Finished),
            RecvHalf::Stopped { .. } | RecvHalf::Over => Err(ReadError::Stopped),
            RecvHalf::Reset(code) => Err(ReadError::Reset(*code)),
        }
    }

    /// Hands out what is there, in order, at most `max` bytes (but one) and one page.
    pub(super) fn read_chunk(
        &mut self,
        store: &mut Pages,
        host: &mut HostCredit,
        max: usize,
    ) -> Result<ReadChunk, ReadError> {
        let len = match self {
            RecvHalf::InOrder(calm) => calm.unread.len().min(max.max(1)).min(in_page(calm.read)),
            RecvHalf::Open(arriving) | RecvHalf::Draining(arriving) => arriving.in_page(max.max(1)),
            _ => 0,
        };
        match self {
            RecvHalf::InOrder(calm) if len > 0 => {
                host.consume(len as u64);
                let chunk = store.chunk(&calm.unread, len);
                calm.advance(store, len);
                Ok(ReadChunk::Bytes(chunk))
            }
            RecvHalf::Open(arriving) | RecvHalf::Draining(arriving) if len > 0 => {
                host.consume(len as u64);
                Ok(ReadChunk::Bytes(arriving.hand_out(store, len)))
            }
            // There is nothing to copy: the answer is that of `read`.
            _ => match self.read(store, host, &mut [0])? {
                Read::Finished => Ok(ReadChunk::Finished),
                Read::Bytes(_) | Read::Blocked => Ok(ReadChunk::Blocked),
            },
        }
    }

    /// Appends what is there of a message to `into`, up to `max` bytes in all.
    pub(super) fn read_message(
        &mut self,
        store: &mut Pages,
        host: &mut HostCredit,
        into: &mut Vec<u8>,
        max: usize,
    ) -> Result<ReadMessage, ReadError> {
        loop {
            let (unread, ended) = self.unread();
            // Its end is told with the next call, else it could not be told from that of the message.
            if ended && unread == 0 && !into.is_empty() {
                return Ok(ReadMessage::Whole);
            }
            if into.len() >= max && unread > 0 {
                return Ok(ReadMessage::TooLarge);
            }
            match self.read_chunk(store, host, max.saturating_sub(into.len()))? {
                ReadChunk::Bytes(chunk) => {
                    into.extend_from_slice(&chunk);
                    let whole = chunk.ends_message();
                    store.recycle(chunk);
                    if whole {
                        return Ok(ReadMessage::Whole);
                    }
                }
                ReadChunk::Blocked => return Ok(ReadMessage::Blocked),
                ReadChunk::Finished => return Ok(ReadMessage::Finished),
            }
        }
    }

    /// Bytes that can be read now, and whether the end lies behind them.
    fn unread(&self) -> (u64, bool) {
        match self {
            RecvHalf::InOrder(calm) => (calm.unread.len() as u64, calm.ended),
            RecvHalf::Open(arriving) => (arriving.whole - arriving.read, false),
            RecvHalf::Draining(arriving) => (arriving.whole - arriving.read, arriving.whole == arriving.highest),
            _ => (0, false),
        }
    }

    /// Raises the stream's credit to `window` above what was read, when that is worth a frame; answers whether it did.
    pub(super) fn raise(&mut self, window: u64) -> bool {
        let arriving = match self {
            RecvHalf::InOrder(calm) if !calm.ended => {
                let gain = window.saturating_sub(calm.room.into());
                let worth = is_worth(gain, window, calm.messages.into());
                if worth {
                    calm.messages = 0;
                    calm.room = window.min(STREAM_WINDOW_MAX) as u32;
                }
                return worth;
            }
            RecvHalf::Open(arriving) => arriving,
            _ => return false,
        };
        let limit = arriving.read + window;
        let gain = limit.saturating_sub(arriving.limit);
        let messages = arriving.messages.as_ref().map_or(0, |messages| messages.read);
        let worth = is_worth(gain, window, messages);
        if worth {
            arriving.limit = limit;
            if let Some(messages) = &mut arriving.messages {
                messages.read = 0;
                if messages.unread.is_empty() {
                    arriving.messages = None;
                }
            }
        }
        worth
    }

    /// Whether there are more than `most` bytes to read, or will be. An open stream that has that many is longer, if
    /// its end came with its last byte.
    pub(super) fn exceeds(&self, most: u64) -> bool {
        match self {
            RecvHalf::InOrder(calm) if calm.ended => calm.unread.len() as u64 > most,
            RecvHalf::InOrder(calm) => calm.unread.len() as u64 >= most,
            RecvHalf::Open(arriving) => arriving.whole - arriving.read >= most,
            RecvHalf::Draining(arriving) => arriving.highest - arriving.read > most,
            _ => false,
        }
    }

    /// Doubles the credit of a datagram, up to `most`, when half of it is used and nothing is read; answers whether it
    /// did. Not for streams with messages: their sender would take the ends of some for read.
    pub(super) fn widen(&mut self, store: &mut Pages, most: u64) -> bool {
        let (highest, before) = match self {
            RecvHalf::InOrder(calm) if !calm.ended => (calm.whole(), calm.limit()),
            RecvHalf::Open(arriving) => (arriving.highest, arriving.limit),
            _ => return false,
        };
        let limit = (2 * before).min(most);
        let worth = limit > before && highest >= before / 2;
        if worth {
            self.wake(store);
            if let RecvHalf::Open(arriving) = self {
                arriving.limit = limit;
            }
        }
        worth
    }

    /// The credit that the peer has, while it can use any.
    pub(super) fn limit(&self) -> Option<u64> {
        match self {
            RecvHalf::InOrder(calm) if !calm.ended => Some(calm.limit()),
            RecvHalf::Open(arriving) => Some(arriving.limit),
            _ => None,
        }
    }

    /// Up to where everything has arrived, while more may come.
    #[inline]
    pub(super) fn arrived(&self) -> Option<u64> {
        match self {
            RecvHalf::InOrder(calm) => Some(calm.whole()),
            RecvHalf::Open(arriving) | RecvHalf::Draining(arriving) => Some(arriving.whole),
            _ => None,
        }
    }

    /// Whether a reader that waits has something to read; answers so once.
    pub(super) fn take_readable(&mut self) -> bool {
        if let RecvHalf::InOrder(calm) = self {
            let readable = calm.read_blocked && (calm.ended || !calm.unread.is_empty());
            calm.read_blocked &= !readable;
            return readable;
        }
        let draining = matches!(self, RecvHalf::Draining(_));
        let (RecvHalf::Open(arriving) | RecvHalf::Draining(arriving)) = self else { return false };
        let something = arriving.whole > arriving.read || draining && arriving.read == arriving.highest;
        let readable = arriving.read_blocked && something;
        arriving.read_blocked &= !readable;
        readable
    }

    /// The code of the peer's RESET, if there was one.
    pub(super) fn reset_code(&self) -> u64 {
        if let RecvHalf::Reset(code) = self { *code } else { 0 }
    }

    /// Whether it is known how far the peer goes: nothing need be said to it any more.
    pub(super) fn has_end(&self) -> bool {
        !matches!(self, RecvHalf::InOrder(InOrder { ended: false, .. }) | RecvHalf::Open(_) | RecvHalf::Stopped { .. })
    }

    /// Whether the peer has said how far it goes, or nobody wants to know.
    pub(super) fn is_settled(&self) -> bool {
        !matches!(self, RecvHalf::InOrder(InOrder { ended: false, .. }) | RecvHalf::Open(_))
    }

    /// How many bytes there are to read if nothing is missing of them and the end.
    pub(super) fn whole(&self) -> Option<usize> {
        let (len, ended) = self.unread();
        usize::try_from(len).ok().filter(|_| ended)
    }

    /// Reads what is left, to the end, if nothing is missing of it and it is no more than `most` bytes.
    pub(super) fn read_whole(&mut self, store: &mut Pages, host: &mut HostCredit, most: usize) -> Option<Vec<u8>> {
        let len = self.whole().filter(|&len| len <= most)?;
        let mut body = Vec::with_capacity(len);
        match self {
            RecvHalf::InOrder(calm) => {
                body.extend_from_slice(store.bytes(&calm.unread));
                calm.advance(store, len);
            }
            RecvHalf::Open(arriving) | RecvHalf::Draining(arriving) => {
                body.resize(len, 0);
                arriving.take_out(store, &mut body);
            }
            _ => {}
        }
        host.consume(len as u64);
        *self = RecvHalf::Finished;
        Some(body)
    }

    /// Whether nothing more is expected from the peer, nor by the application.
    pub(super) fn is_over(&self) -> bool {
        matches!(self, RecvHalf::Finished | RecvHalf::Reset(_) | RecvHalf::Over)
    }
}

/// Bytes from an offset to the end of its page.
const fn in_page(offset: u64) -> usize {
    PAGE - (offset % PAGE as u64) as usize
}

/// Whether so much more credit, after so many messages were read, is worth a frame.
fn is_worth(gain: u64, window: u64, messages: usize) -> bool {
    gain >= (window / 2).max(1) || gain > 0 && messages >= MESSAGES_MAX / 2
}

/// Accounts for bytes up to `end` that nobody will read.
fn discard(host: &mut HostCredit, highest: &mut u64, limit: u64, end: u64) -> Result<(), Violation> {
    if end > limit {
        return Err(violation::FLOW_STREAM);
    }
    let fresh = end.saturating_sub(*highest);
    host.charge(fresh)?;
    host.consume(fresh);
    *highest += fresh;
    Ok(())
}

impl InOrder {
    /// Everything below has arrived.
    fn whole(&self) -> u64 {
        self.read + self.unread.len() as u64
    }

    /// The credit that the peer has.
    fn limit(&self) -> u64 {
        self.read + u64::from(self.room)
    }

    /// Whether these bytes, and what is said of their end, leave all in order: if they are few enough.
    fn takes(&self, offset: u64, data: &[u8], marks: Marks) -> bool {
        !self.ended
            && !marks.message
            && offset == self.whole()
            && self.unread.len() + data.len() <= SCRAP_MAX.min(self.room as usize)
    }

    fn advance(&mut self, store: &mut Pages, len: usize) {
        store.release(&mut self.unread, len);
        self.read += len as u64;
        self.room -= len as u32;
    }
}

impl Arriving {
    fn take(
        &mut self,
        store: &mut Pages,
        host: &mut HostCredit,
        offset: u64,
        data: &[u8],
        message: bool,
    ) -> Result<Arrival, Violation> {
        let end = offset + data.len() as u64;
        if end > self.limit {
            return Err(violation::FLOW_STREAM);
        }
        let start = offset.max(self.whole);
        let new = if start < end { &data[(start - offset) as usize..] } else { &[] };
        let in_order = start == self.whole;
        let runs = |beyond: &RangeSet| beyond.count_with(&(start..end));
        if !in_order && !new.is_empty() && self.beyond.as_ref().is_some_and(|beyond| runs(beyond) > RANGES_MAX) {
            return Ok(Arrival::Refused);
        }
        host.charge(end.saturating_sub(self.highest))?;
        self.highest = self.highest.max(end);
        if message && end > self.read {
            let messages = self.messages.get_or_insert_default();
            if messages.unread.insert(end) && messages.unread.len() + messages.read > MESSAGES_MAX {
                return Err(violation::FLOW_MESSAGES);
            }
        }
        if new.is_empty() {
            return Ok(Arrival::Taken);
        }
        self.buffer.write(store, start, new);
        if in_order {
            self.whole = end;
            self.join();
        } else {
            self.beyond.get_or_insert_default().insert(start..end);
        }
        Ok(Arrival::Taken)
    }

    /// Bytes beyond a gap that was filled are in order now.
    fn join(&mut self) {
        let Some(beyond) = &mut self.beyond else { return };
        while let Some(range) = beyond.first()
            && range.start <= self.whole
        {
            self.whole = self.whole.max(range.end);
            beyond.pop_first();
        }
        if beyond.is_empty() {
            self.beyond = None;
        }
    }

    fn take_out(&mut self, store: &mut Pages, out: &mut [u8]) {
        self.buffer.read(store, self.read, out);
        self.advance(store, out.len());
    }

    /// Bytes to read in the page of the first, at most `max`.
    fn in_page(&self, max: usize) -> usize {
        let page_end = self.read + in_page(self.read) as u64;
        let end = self.next_message().map_or(page_end, |message| message.min(page_end));
        max.min((self.whole.min(end) - self.read) as usize)
    }

    /// Where the message ends that is being read.
    fn next_message(&self) -> Option<u64> {
        self.messages.as_ref()?.unread.next(self.read)
    }

    fn hand_out(&mut self, store: &mut Pages, len: usize) -> Chunk {
        let end = self.read + len as u64;
        let page_end = self.read + in_page(self.read) as u64;
        let needed = end < self.whole.min(page_end)
            || self.beyond.as_ref().and_then(|beyond| beyond.min()).is_some_and(|next| next < page_end);
        let chunk = self.buffer.hand_out(store, self.read, len, needed);
        let chunk = if self.next_message() == Some(end) { chunk.ending_message() } else { chunk };
        self.advance(store, len);
        chunk
    }

    fn advance(&mut self, store: &mut Pages, len: usize) {
        self.read += len as u64;
        if let Some(messages) = &mut self.messages {
            messages.read += messages.unread.forget(self.read);
        }
        if self.read == self.whole && self.beyond.is_none() {
            self.buffer.clear(store);
        } else {
            self.buffer.release_below(store, self.read);
        }
    }
}
