//! Packets that go out together behind one that is full.

use tng_base::{Ecn, Instant, Protocol, Train};
use tng_congestion::Regulation;

use super::outgoing::Draft;
use super::{Channel, blank};
use crate::control::ChannelEvent;
use crate::number::truncated_len;
use crate::send::{Sent, State};
use crate::tap::Plain;
use crate::wire::{FirstByte, NUMBER_AT};

/// Packets ready to leave, a stride apart from the start of the buffer on, with the codepoint of the packet that they
/// follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SealedTrain {
    /// How many.
    pub packets: usize,
    /// Bytes of all.
    pub len: usize,
    /// Bytes of the last, which alone may be short.
    pub last: usize,
}

impl Channel {
    /// Writes more packets of `size` bytes, each `stride` bytes after the one before, the first at the start of `buf`:
    /// those that may follow a full one that [`poll_packet`](Channel::poll_packet) has just written at the same time,
    /// and hold nothing but what stands above. They cost less together. With none of them it is `poll_packet` that
    /// knows what is next.
    pub fn poll_train(
        &mut self,
        now: Instant,
        mut regulation: Option<&mut Regulation>,
        buf: &mut [u8],
        (size, stride): (usize, usize),
        above: &mut (impl Protocol + ?Sized),
    ) -> SealedTrain {
        let most = (buf.len() + stride).saturating_sub(size) / stride.max(1);
        let most = self.train_room(now, regulation.as_deref_mut(), most, size);
        if most == 0 {
            return SealedTrain::default();
        }
        let (first, _) = self.numbers.peek_run();
        let number_len = truncated_len(first, self.acked_end.checked_sub(1));
        let header_len = NUMBER_AT + number_len;
        let Some(room) = size.checked_sub(header_len + self.tag_len).filter(|room| *room >= self.body_min) else {
            return SealedTrain::default();
        };
        let mut train = Train::new(first, &mut buf[header_len..], most, stride, room);
        above.poll_train(now, self.key, &mut train);
        let (packets, last) = (train.packets(), train.last());
        let mut sealed = SealedTrain::default();
        let asks = packets > 0 && self.asks(regulation.as_deref_mut(), packets * size);
        let all_ask = regulation.as_deref().is_some_and(Regulation::is_contended);
        let ecn = self.marks.codepoint();
        for (number, packet) in (first..).zip(buf.chunks_mut(stride)).take(packets) {
            let mut draft = Draft { number, number_len, body: room, ack: false, control_at: 0, control: false };
            if sealed.packets + 1 == packets && last < room {
                draft.body = last;
                self.stretch(packet, &mut draft);
            }
            let len = NUMBER_AT + draft.number_len + draft.body + self.tag_len;
            let at_once = asks && (all_ask || sealed.packets + 1 == packets);
            self.tell_tap(now, &draft, at_once, len, packet);
            if !self.seal(&mut packet[..len], &draft, at_once) {
                break;
            }
            sealed = SealedTrain { packets: sealed.packets + 1, len: sealed.len + len, last: len };
        }
        self.book_train(now, regulation, size, &sealed, ecn);
        sealed
    }

    /// Packets that may leave at once, with nothing to say of them one by one. An acknowledgment found no room in the
    /// packet before, or it is not due any more: it can follow the train.
    fn train_room(&mut self, now: Instant, regulation: Option<&mut Regulation>, most: usize, size: usize) -> usize {
        let (first, run) = self.numbers.peek_run();
        let mut most = most.min(self.sent_room()).min(usize::try_from(run).unwrap_or(usize::MAX));
        let plain =
            !self.exhausted && !self.loss.is_probe_due() && !self.controls.is_pending() && self.notices.due().is_none();
        if !plain || most == 0 || size > usize::from(u16::MAX) {
            return 0;
        }
        let permitted = match regulation {
            Some(regulation) => regulation.permitted(now, size as u64),
            None => self.grant / size as u64,
        };
        most = most.min(usize::try_from(permitted).unwrap_or(usize::MAX));
        let number_len = |number| truncated_len(number, self.acked_end.checked_sub(1));
        while most > 0 && number_len(first + most as u64 - 1) != number_len(first) {
            most /= 2;
        }
        most
    }

    /// Tells the tap of a packet that is about to be sealed.
    #[inline]
    pub(super) fn tell_tap(&mut self, now: Instant, draft: &Draft, at_once: bool, len: usize, packet: &[u8]) {
        let Some(tap) = &mut self.tap else { return };
        let Draft { number, number_len, body, ack, control, .. } = *draft;
        let phase = self.armor.send_phase(number);
        let first = FirstByte { phase, ack, control, at_once, number_len };
        let header_len = NUMBER_AT + number_len;
        let (ecn, body) = (self.marks.codepoint(), &packet[header_len..header_len + body]);
        tap.sent(now, &Plain { number, first, len, ecn, body });
    }

    /// Header, seal and mask. Answers whether the keys held.
    pub(super) fn seal(&mut self, packet: &mut [u8], draft: &Draft, at_once: bool) -> bool {
        let Draft { number, number_len, ack, control, .. } = *draft;
        let phase = self.armor.send_phase(number);
        packet[0] = FirstByte { phase, ack, control, at_once, number_len }.to_byte(self.mark);
        packet[1..NUMBER_AT].copy_from_slice(&self.remote_id.to_bytes());
        let header_len = NUMBER_AT + number_len;
        packet[NUMBER_AT..header_len].copy_from_slice(&number.to_be_bytes()[8 - number_len..]);
        if self.armor.seal(number, header_len, packet).is_err() {
            self.exhausted = true;
            self.events.push(ChannelEvent::Exhausted);
            return false;
        }
        self.armor.protect(NUMBER_AT, number_len, packet);
        true
    }

    fn book_train(
        &mut self,
        now: Instant,
        regulation: Option<&mut Regulation>,
        size: usize,
        sealed: &SealedTrain,
        ecn: Ecn,
    ) {
        let SealedTrain { packets, len, last } = *sealed;
        if packets == 0 {
            return;
        }
        let first = if packets == 1 { last } else { size };
        let (state, ect0) = (State::Flight, ecn == Ecn::Ect0);
        let mut sent = Sent { state, payload: true, timed: true, ect0, ..blank(now, first as u16) };
        if let Some(regulation) = regulation {
            sent.stamp = regulation.handle_train_sent(now, packets, (first as u64, len as u64));
            sent.counted = true;
            if self.aside.is_some() {
                regulation.handle_discarded(len as u64);
            }
            self.note_metrics(now, Some(regulation));
        }
        self.sent.push_run(sent, packets, last as u16);
        self.numbers.take_run(packets as u64);
        self.marks.handle_sent(ecn, packets);
        self.loss.handle_sent(now);
        self.monitor.handle_sent(now);
        self.grant = self.grant.saturating_sub(len as u64);
        self.stats.packets_sent += packets as u64;
        self.stats.bytes_sent += len as u64;
    }
}
