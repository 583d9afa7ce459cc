//! Packets coming in.

use core::ops::Range;

use tng_base::{Arrivals, Ecn, Fields, Instant, Protocol, Taken, Violation};
use tng_congestion::Regulation;
use tng_wire::{Reader, Repr};

use super::{Channel, PROTOCOL_VIOLATION};
use crate::OpenError;
use crate::number::recover;
use crate::replay::Seen;
use crate::tap::Plain;
use crate::wire::{AckBlock, Control, FirstByte, Mark, NUMBER_AT};

/// A packet that was opened and accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// Its number.
    pub number: u64,
    /// No higher number had arrived before: its source address is the peer's latest.
    pub newest: bool,
    /// It asks for acknowledgment.
    pub eliciting: bool,
}

/// Why a packet came to nothing. Only [`Violation`](Discard::Violation) calls for an answer: close the channel with it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Discard {
    /// It is not a channel packet.
    #[error("not a channel packet; look at the first byte before choosing a channel")]
    Foreign,
    /// It is shorter than any packet of this channel.
    #[error("too short for a packet of this channel; ignore it, or compare it with the stateless reset tokens")]
    TooShort,
    /// Its number has been received before.
    #[error("received before; ignore it")]
    Replayed,
    /// Its number lies below the replay window.
    #[error("too old to tell whether it was received before; ignore it")]
    TooOld,
    /// It is not authentic.
    #[error("not authentic; ignore it, or compare it with the stateless reset tokens")]
    Forged,
    /// The keys may open nothing more.
    #[error("the keys have reached their limit; move to a new channel")]
    Exhausted,
    /// It is authentic and breaks the protocol.
    #[error("the peer broke the protocol ({}); close the channel with code {}", .0.reason, .0.code)]
    Violation(Violation),
}

impl Channel {
    /// Takes one packet, opening it in place. `ecn` is the codepoint that it arrived with.
    ///
    /// # Errors
    /// Why it came to nothing. Nothing but the counts has changed then, except after [`Discard::Violation`].
    pub fn handle_packet(
        &mut self,
        now: Instant,
        ecn: Ecn,
        packet: &mut [u8],
        mut regulation: Option<&mut Regulation>,
        above: &mut (impl Protocol + ?Sized),
    ) -> Result<Received, Discard> {
        let (number, first, body) = match self.open(packet) {
            Ok(opened) => opened,
            Err(discard) => {
                self.note_dropped(now, packet.len(), &discard);
                return Err(discard);
            }
        };
        self.replay.commit(number, now);
        self.note_received(now, ecn, 1, packet.len());
        let newest = number + 1 == self.replay.end();
        let in_order = self.receipts.handle_arrival(number);
        let at_once = !in_order || ecn == Ecn::Ce || first.at_once;

        if let Some(tap) = &mut self.tap {
            tap.received(now, &Plain { number, first, len: packet.len(), ecn, body: &packet[body.clone()] });
        }

        let (body_at, body_end) = (body.start, body.end);
        let mut reader = Reader::new(&packet[body]);
        if first.ack {
            let block = AckBlock::parse(&mut reader).map_err(|_| violation("malformed acknowledgment"))?;
            self.handle_ack(now, number, &block, regulation.as_deref_mut()).map_err(Discard::Violation)?;
        }
        let mut eliciting = false;
        if first.control {
            eliciting = self.handle_controls(now, &mut reader, regulation)?;
        }
        // Fates first: what stands above may want to send in answer, with the newest knowledge.
        self.report(now, above);
        let at = body_at + reader.position();
        let payload = &mut packet[at..body_end];
        let taken = if payload.is_empty() {
            Taken::All
        } else {
            eliciting = true;
            above.handle_packet(now, self.key, number, ecn, payload).map_err(Discard::Violation)?
        };
        let asked = number..number + u64::from(first.at_once);
        self.settle(now, (number, ecn), taken, (eliciting.then_some(at_once), asked));
        Ok(Received { number, newest, eliciting })
    }

    /// Takes those at the start of `packets`, each of `size` bytes but the last, that follow in number what came last,
    /// and hold nothing but what goes above: what [`handle_packet`](Channel::handle_packet) does for each, in one step.
    /// Answers their bytes; 0 where headers are masked, and for what needs more.
    ///
    /// # Errors
    /// When the peer broke the protocol.
    pub fn handle_run(
        &mut self,
        now: Instant,
        ecn: Ecn,
        (packets, size): (&mut [u8], usize),
        above: &mut (impl Protocol + ?Sized),
    ) -> Result<usize, Violation> {
        if self.mark != Mark::Section || self.tap.is_some() {
            return Ok(0);
        }
        let start = self.replay.end();
        if above.takes_runs() {
            return Ok(self.handle_arrivals(now, ecn, (packets, size), above));
        }
        let (mut end, mut asked, mut len) = (start, start..start, 0);
        let mut last = Ok(Taken::Later);
        for packet in packets.chunks_mut(size.max(1)) {
            let Some((at_once, body)) = self.open_next(end, packet) else { break };
            last = above.handle_packet(now, self.key, end, ecn, &mut packet[body]);
            asked = with(asked, end, at_once);
            (end, len) = (end + 1, len + packet.len());
            if last != Ok(Taken::Later) {
                break;
            }
        }
        if end == start {
            return Ok(0);
        }
        self.note_run(now, (start..end, ecn), len);
        let taken = last?;
        let held = start..if taken == Taken::Later { end } else { end - 1 };
        if !held.is_empty() {
            self.receipts.hold(now, held, asked.clone());
        }
        if taken != Taken::Later {
            self.settle(now, (end - 1, ecn), taken, (Some(ecn == Ecn::Ce || asked.end == end), asked));
        }
        Ok(len)
    }

    /// The same for who takes them [together](Protocol::takes_runs).
    fn handle_arrivals(
        &mut self,
        now: Instant,
        ecn: Ecn,
        (packets, size): (&mut [u8], usize),
        above: &mut (impl Protocol + ?Sized),
    ) -> usize {
        let start = self.replay.end();
        let (mut end, mut asked, mut len) = (start, start..start, 0);
        let (mut first, mut last_end) = (0..0, 0);
        for packet in packets.chunks_mut(size.max(1)) {
            let Some((at_once, body)) = self.open_next(end, packet) else { break };
            if end == start {
                first = body.clone();
            } else if body.start != first.start {
                break;
            }
            asked = with(asked, end, at_once);
            (end, last_end, len) = (end + 1, len + body.end, len + packet.len());
        }
        if end == start {
            return 0;
        }
        let bytes = &packets[first.start..last_end];
        let arrivals = Arrivals { numbers: start..end, ecn, bytes, stride: size, len: first.len() };
        let held = above.handle_run(now, self.key, &arrivals) as u64;
        self.note_run(now, (start..end, ecn), len);
        if held > 0 {
            self.receipts.hold(now, start..start + held, asked);
        }
        for number in start + held..end {
            self.settle(now, (number, ecn), Taken::Refused, (None, 0..0));
        }
        len
    }

    /// Packets that follow what came last have come.
    fn note_run(&mut self, now: Instant, (numbers, ecn): (Range<u64>, Ecn), len: usize) {
        self.replay.commit_run(numbers.clone(), now);
        self.receipts.handle_arrivals(numbers.end);
        self.note_received(now, ecn, numbers.end - numbers.start, len);
    }

    #[inline]
    fn note_received(&mut self, now: Instant, ecn: Ecn, packets: u64, bytes: usize) {
        self.last_received = now;
        self.stats.packets_received += packets;
        self.stats.bytes_received += bytes as u64;
        self.stats.marks_received += if ecn == Ecn::Ce { packets } else { 0 };
    }

    /// What stands above has taken what packet `number` holds, or not; the packet asks for acknowledgment if there is
    /// `asks`: at once if that is true. Of those that `asked` has it is wanted as soon as they are passed on.
    #[inline(always)]
    fn settle(
        &mut self,
        now: Instant,
        (number, ecn): (u64, Ecn),
        taken: Taken,
        (asks, asked): (Option<bool>, Range<u64>),
    ) {
        match taken {
            Taken::All => {
                self.receipts.count(ecn, self.numbers.end());
                self.receipts.redeem(now, number, self.numbers.end());
                if let Some(at_once) = asks {
                    self.receipts.schedule(now, at_once);
                }
            }
            Taken::Later => self.receipts.hold(now, number..number + 1, asked),
            Taken::Refused => {
                self.receipts.count(ecn, self.numbers.end());
                self.receipts.refuse(now);
            }
        }
    }

    /// The held packet `number` has been passed on: its receipt is redeemed, its sender hears of it. `ecn` is the
    /// codepoint that it arrived with, or the mark that it got since: a queue that holds packets is the last router of
    /// the channel's path (Tng 4.3).
    pub fn redeem(&mut self, now: Instant, number: u64, ecn: Ecn) {
        if self.receipts.holds(number) {
            self.receipts.count(ecn, self.numbers.end());
            self.receipts.redeem(now, number, self.numbers.end());
            let asked = self.receipts.asks(number..number + 1);
            self.receipts.schedule(now, asked || ecn == Ecn::Ce);
        }
    }

    /// The same of several held packets that leave together and have one codepoint: what is acknowledged of them is one
    /// range.
    pub fn redeem_run(&mut self, now: Instant, numbers: Range<u64>, ecn: Ecn) {
        if !self.receipts.redeem_run(now, numbers.clone(), (ecn, self.numbers.end())) {
            numbers.for_each(|number| self.redeem(now, number, ecn));
        }
    }

    /// The held packet `number` was dropped: its receipt will never be redeemed.
    pub fn forfeit(&mut self, number: u64) {
        self.receipts.forfeit(number);
    }

    /// Opens a packet that has this number and nothing but a payload; none if it is another, or not authentic.
    fn open_next(&mut self, number: u64, packet: &mut [u8]) -> Option<(bool, Range<usize>)> {
        let first = FirstByte::from_byte(*packet.first().filter(|first| self.mark.is_on(**first))?);
        let header_len = NUMBER_AT + first.number_len;
        if first.ack || first.control || packet.len() <= header_len + self.tag_len {
            return None;
        }
        if recover(number, truncated(&packet[NUMBER_AT..header_len]), first.number_len) != number {
            return None;
        }
        let len = self.armor.open(number, first.phase, header_len, packet).ok()?;
        Some((first.at_once, header_len..header_len + len))
    }

    fn open(&mut self, packet: &mut [u8]) -> Result<(u64, FirstByte, Range<usize>), Discard> {
        if !self.mark.is_on(*packet.first().ok_or(Discard::TooShort)?) {
            return Err(Discard::Foreign);
        }
        if packet.len() < NUMBER_AT + self.body_min + self.tag_len {
            return Err(Discard::TooShort);
        }
        self.armor.unprotect(NUMBER_AT, packet).ok_or(Discard::TooShort)?;
        let first = FirstByte::from_byte(packet[0]);
        let header_len = NUMBER_AT + first.number_len;
        let number = recover(self.replay.end(), truncated(&packet[NUMBER_AT..header_len]), first.number_len);
        match self.replay.check(number) {
            Seen::New => {}
            Seen::Before => {
                self.stats.replayed += 1;
                return Err(Discard::Replayed);
            }
            Seen::TooOld => {
                self.stats.replayed += 1;
                return Err(Discard::TooOld);
            }
        }
        match self.armor.open(number, first.phase, header_len, packet) {
            Ok(len) => Ok((number, first, header_len..header_len + len)),
            Err(OpenError::Forged) => {
                self.stats.forged += 1;
                Err(Discard::Forged)
            }
            Err(OpenError::Exhausted) => Err(Discard::Exhausted),
        }
    }

    #[cold]
    fn note_dropped(&mut self, now: Instant, len: usize, discard: &Discard) {
        self.note(now, "transport:packet_dropped", || {
            let trigger = match discard {
                Discard::Replayed | Discard::TooOld => "duplicate",
                Discard::Forged => "decryption_failure",
                Discard::Foreign | Discard::TooShort => "header_parse_error",
                Discard::Exhausted => "key_unavailable",
                Discard::Violation(_) => "general",
            };
            Fields::new().with("raw", Fields::new().with("length", len)).with("trigger", trigger)
        });
    }

    /// Reads the control block; answers whether one of its frames asks for acknowledgment.
    fn handle_controls(
        &mut self,
        now: Instant,
        reader: &mut Reader<'_>,
        mut regulation: Option<&mut Regulation>,
    ) -> Result<bool, Discard> {
        let len = reader.varint().map_err(|_| violation("malformed control block"))?;
        let len = usize::try_from(len).map_err(|_| violation("malformed control block"))?;
        let block = reader.bytes(len).map_err(|_| violation("malformed control block"))?;
        let mut frames = Reader::new(block);
        let mut eliciting = false;
        loop {
            // A packet may hold a thousand of them.
            frames.skip_run(Control::PAD);
            if frames.is_empty() {
                return Ok(eliciting);
            }
            let control = Control::parse(&mut frames).map_err(|_| violation("malformed control frame"))?;
            eliciting |= control.is_eliciting();
            if let Control::Lost { number } = control {
                self.handle_lost_on_link(now, number, regulation.as_deref_mut());
            }
            if control.is_of_sections() && self.mark != Mark::Section {
                return Err(violation("a control frame of sections"));
            }
            if !self.events.push_control(control) {
                return Err(violation("too many control frames"));
            }
        }
    }
}

/// Of numbers from the first to the last that asks: the same with `number`, which follows, if it does.
fn with(asked: Range<u64>, number: u64, asks: bool) -> Range<u64> {
    match asks {
        true if asked.is_empty() => number..number + 1,
        true => asked.start..number + 1,
        false => asked,
    }
}

/// A number as it stands in a header.
fn truncated(number: &[u8]) -> u32 {
    number.iter().fold(0, |n, &byte| n << 8 | u32::from(byte))
}

fn violation(reason: &'static str) -> Discard {
    Discard::Violation(Violation { code: PROTOCOL_VIOLATION, reason })
}
