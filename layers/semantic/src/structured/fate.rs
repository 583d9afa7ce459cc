//! What became of packets.

use core::ops::Range;

use tng_base::{ChannelKey, Fate, Violation};

use super::records::{Sent, Verdict};
use super::stream::{control, pending, wants};
use super::{Streams, violation};

impl Streams {
    pub(super) fn take_fates(&mut self, channel: ChannelKey, numbers: Range<u64>, fate: Fate) {
        let Some(at) = self.channels.iter().position(|carrier| carrier.key == channel) else { return };
        if fate != Fate::Doubtful {
            self.outbox.measure(numbers.end - numbers.start, fate == Fate::Lost);
        }
        let mut records = core::mem::take(&mut self.channels[at].records);
        records.settle(numbers, fate, |sent, verdict| match verdict {
            Verdict::Acked => self.frame_acked(sent),
            Verdict::Requeue => self.frame_lost(sent),
        });
        records.trim();
        self.channels[at].records = records;
    }

    fn frame_acked(&mut self, sent: Sent) {
        match sent {
            Sent::Data { id, offset, len, last } => {
                if let Some(slot) = self.table.find(id) {
                    self.data_acked(slot, offset, len.into(), last);
                }
            }
            Sent::Request { id, len } => {
                let Some(slot) = self.table.find(id) else { return };
                let stream = &mut self.table[slot];
                stream.waive(control::INIT);
                stream.name = None;
                self.data_acked(slot, 0, len.into(), true);
            }
            Sent::Init(id) => self.control_acked(id, control::INIT),
            Sent::Refuse(id) => self.control_acked(id, control::REFUSE),
            Sent::Stop(id) => self.control_acked(id, control::STOP),
            Sent::Reset(id) => {
                if let Some(slot) = self.table.find(id) {
                    self.table[slot].send.reset_acked();
                }
                self.control_acked(id, control::RESET);
            }
            Sent::Priority { id, count } if self.is_last_request(id, count) => {
                self.control_acked(id, control::PRIORITY)
            }
            Sent::Priority { .. }
            | Sent::Credit { .. }
            | Sent::Received
            | Sent::HostCredit { .. }
            | Sent::CreateCredit { .. }
            | Sent::Datagram => {}
        }
    }

    fn data_acked(&mut self, slot: u32, offset: u64, len: u64, last: bool) {
        let stream = &mut self.table[slot];
        let (grown, finished) = stream.send.ack(&mut self.pages, offset, len, last);
        self.in_flight -= grown;
        if finished && stream.wants & wants::FINISHED != 0 {
            stream.events |= pending::FINISHED;
        }
        self.mark_dirty(slot);
    }

    /// The peer says that everything below `offset` has arrived. Of what went by a path that is gone it may be the only
    /// word.
    ///
    /// # Errors
    /// If not all of that was ever sent.
    pub(super) fn take_received(&mut self, slot: u32, offset: u64) -> Result<(), Violation> {
        let news = self.table[slot].send.unacknowledged(offset).ok_or(violation::UNSENT)?;
        if !news.is_empty() {
            self.data_acked(slot, news.start, news.end - news.start, false);
        }
        Ok(())
    }

    fn control_acked(&mut self, id: super::StreamId, bit: u8) {
        let Some(slot) = self.table.find(id) else { return };
        let stream = &mut self.table[slot];
        stream.waive(bit);
        if bit == control::INIT {
            stream.name = None;
        }
        self.mark_dirty(slot);
    }

    pub(super) fn frame_lost(&mut self, sent: Sent) {
        match sent {
            Sent::Data { id, offset, len, last } => {
                if let Some(slot) = self.table.find(id) {
                    self.data_lost(slot, offset, len, last);
                }
            }
            Sent::Request { id, len } => {
                let Some(slot) = self.table.find(id) else { return };
                self.table[slot].lost(control::INIT);
                self.data_lost(slot, 0, len, true);
            }
            Sent::Init(id) => self.control_lost(id, control::INIT),
            Sent::Refuse(id) => self.control_lost(id, control::REFUSE),
            Sent::Reset(id) => self.control_lost(id, control::RESET),
            Sent::Stop(id) => self.control_lost(id, control::STOP),
            Sent::Credit { id, limit } => {
                // A newer one is on its way, or due, if the limit has risen since.
                let Some(slot) = self.table.find(id) else { return };
                if self.table[slot].recv.limit() == Some(limit) {
                    self.table[slot].due |= control::CREDIT;
                    self.mark_dirty(slot);
                }
            }
            // A newer one is on its way, or due, if the wish has changed since.
            Sent::Priority { id, count } if self.is_last_request(id, count) => self.control_lost(id, control::PRIORITY),
            Sent::Datagram => self.outbox.lost += 1,
            Sent::Priority { .. } | Sent::Received => {}
            Sent::HostCredit { limit } => self.host_credit_due |= limit == self.host.limit(),
            Sent::CreateCredit { limit } => self.create_credit_due |= limit == self.creating.limit(),
        }
    }

    fn data_lost(&mut self, slot: u32, offset: u64, len: u32, last: bool) {
        self.table[slot].send.lose(offset, u64::from(len), last);
        self.mark_dirty(slot);
    }

    fn is_last_request(&self, id: super::StreamId, count: u32) -> bool {
        self.table.find(id).is_some_and(|slot| self.table[slot].asked().asks == count)
    }

    fn control_lost(&mut self, id: super::StreamId, bit: u8) {
        let Some(slot) = self.table.find(id) else { return };
        self.table[slot].lost(bit);
        self.mark_dirty(slot);
    }
}
