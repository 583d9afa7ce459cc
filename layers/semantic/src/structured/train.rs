//! How packets that leave together are filled: one stream's bytes that take several are one turn.

use tng_base::{ChannelKey, Train};
use tng_wire::Writer;

use super::records::Run;
use super::scheduler::Turn;
use super::wire::{DataHead, Marks};
use super::{Streams, stream_leaf};

/// Full packets that a stream may fill in one turn while others have something to send, too.
pub const TURN_PACKETS: u64 = 4;

impl Streams {
    pub(super) fn fill_train(&mut self, channel: ChannelKey, train: &mut Train<'_>) {
        loop {
            self.fill_run(channel, train);
            if train.left() == 0 {
                return;
            }
            let number = train.number();
            let Some(filled) = self.fill_packet(channel, number, train.packet()) else { return };
            train.push(filled.len);
        }
    }

    /// Fills full packets with new bytes of the stream whose turn it is, as long as nothing else has to go. The last
    /// bytes before an end are left to a packet that may say so.
    fn fill_run(&mut self, channel: ChannelKey, train: &mut Train<'_>) {
        self.align();
        let others = self.host_credit_due
            || self.create_credit_due
            || !self.control.is_empty()
            || !self.brief.is_empty()
            || self.scheduler.has_again()
            || self.leaves_to_others(channel);
        if others || train.left() < 2 {
            return;
        }
        let Some(room) = self.fresh_room() else { return };
        let Some(turn @ Turn::Fresh(leaf)) = self.scheduler.next(true, None) else { return };
        let slot = leaf / 2;
        if leaf != stream_leaf(slot) {
            return;
        }
        let stream = &mut self.table[slot];
        let Some(piece) = stream.send.fresh() else { return };
        let mut head = DataHead { id: stream.id, offset: piece.offset, marks: Marks::default(), len: None };
        let head_len = head.wire_len();
        let Some(each) = train.room().checked_sub(head_len).filter(|each| *each > 0) else { return };
        let mut most = (piece.len.saturating_sub(1) / each as u64).min(room / each as u64);
        if !self.scheduler.is_alone() {
            most = most.min(TURN_PACKETS);
        }
        let (number, mut packets) = (train.number(), 0);
        // Pieces of a run are all as long.
        while u64::from(packets) < most && train.left() > 0 && head.wire_len() == head_len {
            let mut writer = Writer::new(train.packet());
            if head.emit(&mut writer).is_err() {
                break;
            }
            stream.send.read(&self.pages, head.offset, writer.tail());
            train.push(head_len + each);
            head.offset += each as u64;
            packets += 1;
        }
        if packets == 0 {
            return;
        }
        let fresh = head.offset - piece.offset;
        stream.send.note_sent(fresh);
        let run = Run { id: stream.id, offset: piece.offset, piece: each as u32 };
        let at = self.carrier(channel);
        self.channels[at].records.push_run(number, packets, run);
        self.note_fresh(fresh);
        self.align_one(slot);
        self.scheduler.charge(turn, fresh as usize);
    }
}
