//! Packets going out.

use tng_base::{Ecn, Instant, PeerText, Protocol};
use tng_congestion::{Permission, Regulation};
use tng_wire::{Repr, Writer};

use super::{Channel, MTU_PROBES_MAX, MtuProbe, blank};
use crate::number::truncated_len;
use crate::send::{Sent, State};
use crate::wire::{ACK_RANGES_MAX, Control, Mark, NUMBER_AT, RESET_LEN_MIN};

/// A packet ready to leave, at the start of the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sealed {
    /// Its bytes.
    pub len: usize,
    /// Its number.
    pub number: u64,
    /// The codepoint to send it with.
    pub ecn: Ecn,
    /// It asks for acknowledgment.
    pub eliciting: bool,
}

/// What there is to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poll {
    /// This packet.
    Packet(Sealed),
    /// Nothing.
    Nothing,
    /// Something, when the pacer releases it.
    At(Instant),
    /// Something, when acknowledgments or the caller's [`grant`](Channel::set_grant) allow it.
    Blocked,
}

/// What [`Channel::build_control`] builds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ControlKind {
    /// A packet that is sent once and whose fate nobody asks.
    Plain,
    /// A probe of the path's MTU: its fate is told as [`MtuProbe`](crate::ChannelEvent::MtuProbe), and its loss is no
    /// sign of congestion.
    MtuProbe,
}

/// So many acknowledgments in packets that ask for none themselves, and the next one asks: the peer's answer lets us
/// forget old ranges.
pub const QUIET_MAX: u32 = 32;

/// A packet being written: its header is not there yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draft {
    pub(super) number: u64,
    pub(super) number_len: usize,
    /// Bytes from the end of the header on.
    pub(super) body: usize,
    pub(super) ack: bool,
    /// Where the control block starts, or would, counted from the end of the header.
    pub(super) control_at: usize,
    pub(super) control: bool,
}

impl Channel {
    /// Writes the next packet to the start of `buf`, which is exactly as large as a packet may be. Call it until it
    /// answers something else than a packet: after each batch of received packets, after each timeout, and when what
    /// stands above has something new to send.
    pub fn poll_packet(
        &mut self,
        now: Instant,
        mut regulation: Option<&mut Regulation>,
        buf: &mut [u8],
        above: &mut (impl Protocol + ?Sized),
    ) -> Poll {
        if self.exhausted {
            return Poll::Nothing;
        }
        let probe = self.loss.is_probe_due();
        let content = above.wants_to_send(now, self.key) || self.controls.is_pending();
        let mut wait = Poll::Nothing;
        if probe || content {
            let permission = if probe {
                Permission::Now
            } else if !self.has_sent_room() {
                Permission::Blocked
            } else {
                match regulation.as_deref_mut() {
                    Some(regulation) => regulation.permission(now, buf.len() as u64),
                    None if self.grant >= buf.len() as u64 => Permission::Now,
                    None => Permission::Blocked,
                }
            };
            match permission {
                Permission::Now => {
                    if let Some(sealed) = self.fill(now, regulation.as_deref_mut(), buf, probe, Some(above)) {
                        return Poll::Packet(sealed);
                    }
                }
                Permission::At(at) => wait = Poll::At(at),
                Permission::Blocked => wait = Poll::Blocked,
            }
        }
        if self.ack_due().is_some_and(|due| due <= now) {
            if let Some(sealed) = self.poll_receipts(now, regulation, buf) {
                return Poll::Packet(sealed);
            }
        } else if let (Poll::Nothing, Some(regulation)) = (wait, regulation) {
            regulation.handle_app_limited();
        }
        wait
    }

    /// The acknowledgment that is due, if one is, in a packet of its own. A batch of full packets may end with it.
    pub fn poll_receipts(
        &mut self,
        now: Instant,
        regulation: Option<&mut Regulation>,
        buf: &mut [u8],
    ) -> Option<Sealed> {
        if self.exhausted || self.ack_due().is_none_or(|due| due > now) {
            return None;
        }
        // Once in a while it asks for an acknowledgment itself, unless one is awaited anyway. On a section what is
        // awaited tells of no acknowledgment, which leaves by itself there. What asks is in flight.
        let room = match &regulation {
            Some(regulation) => regulation.has_room(),
            None => self.grant >= buf.len() as u64,
        };
        let awaited = self.sent.outstanding() > 0 && !(self.mark == Mark::Section && room);
        let ask = self.quiet >= QUIET_MAX && !awaited;
        let nobody: Option<&mut dyn Protocol> = None;
        self.fill(now, regulation, buf, ask, nobody)
    }

    /// Writes one packet: acknowledgment, control frames and payload as there are, all of them only if `above` is
    /// given; a PING if it would otherwise not ask for acknowledgment and must.
    fn fill(
        &mut self,
        now: Instant,
        regulation: Option<&mut Regulation>,
        buf: &mut [u8],
        ask: bool,
        above: Option<&mut (impl Protocol + ?Sized)>,
    ) -> Option<Sealed> {
        let mut draft = self.draft(buf)?;
        let number = draft.number;
        let end = buf.len() - self.tag_len;
        let mut writer = Writer::new(&mut buf[NUMBER_AT + draft.number_len..end]);
        if self.receipts.due().is_some() {
            draft.ack = self.write_ack(now, &mut writer);
        }
        draft.control_at = writer.position();
        let mut payload = false;
        let (notices, controls) = self.write_controls(&mut writer, above.is_some());
        if let Some(above) = above {
            let mut fill = |writer: &mut Writer<'_>| {
                let filled = above.poll_packet(now, self.key, number, writer.tail());
                writer.advance(filled.map_or(0, |filled| filled.len));
                filled.is_some_and(|filled| filled.len > 0)
            };
            payload = fill(&mut writer);
            if !payload && draft.ack && controls + notices == 0 {
                // What cannot be cut may want the room of the acknowledgment, which can follow by itself.
                writer.rewind(0);
                payload = fill(&mut writer);
                draft.ack = !payload && self.write_ack(now, &mut writer);
                draft.control_at = if payload { 0 } else { writer.position() };
            }
        }
        draft.control = controls + notices > 0;
        let mut eliciting = payload || controls > 0;
        if ask && !eliciting && !draft.control {
            // Who has forgotten the channel answers no packet that may be such an answer itself.
            let before = NUMBER_AT + draft.number_len + writer.position() + self.tag_len;
            let pad_to = (RESET_LEN_MIN + 1).saturating_sub(before);
            draft.control = write_frames(&mut writer, &[Control::Ping], pad_to).is_some();
            eliciting = draft.control;
        }
        draft.body = writer.position();
        if !eliciting && !draft.ack && !draft.control {
            return None;
        }
        self.notices.handle_sent(notices);
        let control = self.controls.handle_sent(number, controls);
        let state = if eliciting { State::Flight } else { State::Quiet };
        self.finish(now, regulation, buf, draft, Sent { state, payload, control, timed: true, ..blank(now, 0) })
    }

    /// Builds a packet of control frames alone, for a path of the caller's choice: CHALLENGE, RESPONSE, CLOSE, probes
    /// of the MTU. With a CLOSE goes the acknowledgment that is due. `pad_to` is the whole packet's length. The
    /// regulation is the channel's own if the packet goes its way, and none if it goes another; only an MTU probe
    /// counts in it. Answers `None` if the frames do not fit into `buf`, if there are [`MTU_PROBES_MAX`] probes under
    /// way, or the keys are used up.
    pub fn build_control(
        &mut self,
        now: Instant,
        controls: &[Control<'_>],
        pad_to: Option<usize>,
        buf: &mut [u8],
        kind: ControlKind,
        regulation: Option<&mut Regulation>,
    ) -> Option<Sealed> {
        let probe = kind == ControlKind::MtuProbe;
        if self.exhausted || !self.has_sent_room() || (probe && self.mtu_probes.len() >= MTU_PROBES_MAX) {
            return None;
        }
        let mut draft = self.draft(buf)?;
        let header_len = NUMBER_AT + draft.number_len;
        let end = buf.len() - self.tag_len;
        let mut writer = Writer::new(&mut buf[header_len..end]);
        let pad_to = pad_to.unwrap_or(0).saturating_sub(header_len + self.tag_len);
        // After a farewell nothing is acknowledged any more, so it says what has arrived.
        let closes = controls.iter().any(|control| matches!(control, Control::Close { .. }));
        if closes && self.receipts.due().is_some() {
            draft.ack = self.write_ack(now, &mut writer);
        }
        draft.control_at = writer.position();
        write_frames(&mut writer, controls, pad_to)?;
        draft.control = true;
        draft.body = writer.position();
        let eliciting = probe || controls.iter().any(Control::is_eliciting);
        let state = if probe { State::MtuProbe } else { State::Quiet };
        let rtt = *self.rtt(regulation.as_deref());
        let regulation = regulation.filter(|_| probe);
        let sealed = self.finish(now, regulation, buf, draft, Sent { state, ..blank(now, 0) })?;
        if probe {
            let deadline = now + self.loss.pto(&rtt);
            self.mtu_probes.push(MtuProbe { number: sealed.number, size: sealed.len as u16, deadline });
        }
        Some(Sealed { eliciting, ..sealed })
    }

    /// Builds the last packet of a section: CLOSE with `code`, and `payload`, the last that it carries. It is sent
    /// once, whatever the regulation says. `None` if it does not fit.
    pub fn build_farewell(&mut self, now: Instant, code: u64, payload: &[u8], buf: &mut [u8]) -> Option<Sealed> {
        let mut draft = self.draft(buf)?;
        let end = buf.len() - self.tag_len;
        let mut writer = Writer::new(&mut buf[NUMBER_AT + draft.number_len..end]);
        if self.receipts.due().is_some() {
            draft.ack = self.write_ack(now, &mut writer);
        }
        draft.control_at = writer.position();
        write_frames(&mut writer, &[Control::Close { code, reason: PeerText::default() }], 0)?;
        writer.bytes(payload).ok()?;
        (draft.control, draft.body) = (true, writer.position());
        self.finish(now, None, buf, draft, Sent { state: State::Quiet, ..blank(now, 0) })
    }

    /// The next packet's number and header, to be written when the rest is there. `None` if `buf` holds no packet.
    fn draft(&self, buf: &[u8]) -> Option<Draft> {
        let (number, _) = self.numbers.peek();
        let number_len = truncated_len(number, self.acked_end.checked_sub(1));
        let room = buf.len() >= NUMBER_AT + number_len + self.body_min + self.tag_len + 4;
        (room && buf.len() <= usize::from(u16::MAX)).then_some(Draft {
            number,
            number_len,
            body: 0,
            ack: false,
            control_at: 0,
            control: false,
        })
    }

    /// Writes the acknowledgment block with as many ranges as fit; answers whether any do.
    fn write_ack(&mut self, now: Instant, writer: &mut Writer<'_>) -> bool {
        let mut ranges = ACK_RANGES_MAX;
        let start = writer.position();
        while self.receipts.block(now, ranges).emit(writer).is_err() {
            writer.rewind(start);
            if ranges == 0 {
                return false;
            }
            ranges /= 2;
        }
        true
    }

    /// Writes the notices of losses that fit, and the queued control frames if those are wanted, too; answers how many
    /// of each.
    fn write_controls(&mut self, writer: &mut Writer<'_>, all: bool) -> (usize, usize) {
        let (mut count, mut len) = (0, 0);
        let wanted = if all { usize::MAX } else { 0 };
        let queued = self.notices.queued().chain(self.controls.queued().take(wanted));
        for control in queued.clone() {
            len += control.wire_len();
            if len + 2 > writer.left() {
                break;
            }
            count += 1;
        }
        if count > 0 {
            let written = write_block(writer, queued.take(count), 0);
            debug_assert!(written.is_some(), "their length was summed up");
        }
        let notices = count.min(self.notices.queued().len());
        (notices, count - notices)
    }

    /// Header, seal, mask, and the books.
    fn finish(
        &mut self,
        now: Instant,
        mut regulation: Option<&mut Regulation>,
        buf: &mut [u8],
        mut draft: Draft,
        mut sent: Sent,
    ) -> Option<Sealed> {
        self.stretch(buf, &mut draft);
        let Draft { number, number_len, body, ack, .. } = draft;
        let len = NUMBER_AT + number_len + body + self.tag_len;
        let at_once = sent.state == State::Flight && self.asks(regulation.as_deref_mut(), len);
        let ecn = self.marks.codepoint();
        self.tell_tap(now, &draft, at_once, len, buf);
        if !self.seal(&mut buf[..len], &draft, at_once) {
            return None;
        }

        if self.numbers.peek().1 {
            self.sent.push(Sent { state: State::Skipped, ..blank(now, 0) });
        }
        self.numbers.take(self.sent.outstanding());
        if ack {
            sent.ack_end = self.receipts.handle_sent();
            self.stats.acks_sent += 1;
        }
        self.marks.handle_sent(ecn, 1);
        sent.ect0 = ecn == Ecn::Ect0;
        sent.size = len as u16;
        let eliciting = sent.state == State::Flight;
        match (ack, eliciting) {
            (true, true) => self.quiet = 0,
            (true, false) => self.quiet += 1,
            (false, _) => {}
        }
        if eliciting {
            self.loss.handle_sent(now);
            self.monitor.handle_sent(now);
            self.grant = self.grant.saturating_sub(len as u64);
        } else if sent.state == State::Quiet && ack {
            self.stats.acks_alone += 1;
        }
        if let (State::Flight | State::MtuProbe, Some(regulation)) = (sent.state, regulation) {
            sent.stamp = regulation.handle_sent(now, len as u64);
            sent.counted = true;
            if self.aside.is_some() {
                regulation.handle_discarded(len as u64);
            }
            self.note_metrics(now, Some(regulation));
        }
        self.sent.push(sent);
        self.stats.packets_sent += 1;
        self.stats.bytes_sent += len as u64;
        Some(Sealed { len, number, ecn, eliciting })
    }

    /// Whether packets of `bytes` in all ask for acknowledgment at once.
    pub(super) fn asks(&self, regulation: Option<&mut Regulation>, bytes: usize) -> bool {
        match (regulation, self.mark) {
            (None, _) => false,
            // Others wait for the room that they take.
            (Some(regulation), Mark::Channel) => regulation.is_contended(),
            (Some(regulation), Mark::Section) => regulation.asks(bytes as u64),
        }
    }

    /// Makes a packet long enough for its header to be masked: a longer number, then padding.
    pub(super) fn stretch(&self, buf: &mut [u8], draft: &mut Draft) {
        if draft.number_len + draft.body >= self.body_min {
            return;
        }
        let start = NUMBER_AT + draft.number_len;
        let number_len = (self.body_min - draft.body).min(4);
        buf.copy_within(start..start + draft.body, NUMBER_AT + number_len);
        draft.number_len = number_len;
        let missing = self.body_min.saturating_sub(number_len + draft.body);
        if missing == 0 {
            return;
        }
        // The block's length, which is below 64 and so one byte, then as many PADs.
        let at = NUMBER_AT + number_len + draft.control_at;
        let from = at + usize::from(draft.control);
        let held = if draft.control { buf[at] } else { 0 };
        let rest = from..NUMBER_AT + number_len + draft.body;
        let pads = missing - usize::from(!draft.control);
        buf.copy_within(rest, at + 1 + pads);
        buf[at] = held + pads as u8;
        buf[at + 1..at + 1 + pads].fill(0);
        draft.body += missing;
        draft.control = true;
    }
}

/// Writes a control block of these frames, filled up with PADs to `pad_to` bytes in all. `None`, with nothing written,
/// if it does not fit.
fn write_frames(writer: &mut Writer<'_>, controls: &[Control<'_>], pad_to: usize) -> Option<()> {
    write_block(writer, controls.iter(), pad_to)
}

fn write_block<'a, 'c: 'a>(
    writer: &mut Writer<'_>,
    controls: impl Iterator<Item = &'a Control<'c>> + Clone,
    pad_to: usize,
) -> Option<()> {
    let frames: usize = controls.clone().map(Repr::wire_len).sum();
    let mut len = frames;
    if pad_to > 0 {
        // The length itself takes one byte up to 63 and two up to 16383.
        len = len.max(pad_to.saturating_sub(if pad_to <= 64 { 1 } else { 2 }));
    }
    if writer.left() < tng_wire::varint_len(len as u64) + len {
        return None;
    }
    writer.varint(len as u64).ok()?;
    for control in controls {
        control.emit(writer).ok()?;
    }
    writer.room(len - frames).ok()?.fill(0);
    Some(())
}
