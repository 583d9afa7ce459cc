//! Explicit loss notification: what a link says that it lost to corruption (Tng 5.2).

use tng_base::{Fate, Instant};
use tng_congestion::{LossCause, LossSample, Regulation};

use super::Channel;
use crate::number::recover;
use crate::replay::Seen;
use crate::wire::{FirstByte, NUMBER_AT};

impl Channel {
    /// The link at this end has lost a packet of this channel to corruption, which began with these bytes: its sender
    /// is told with the next packet that leaves. Answers whether it will be; not if the number is masked, was received
    /// already, or cannot be read, or if [`LOSS_NOTICES_MAX`](crate::LOSS_NOTICES_MAX) others wait. Nothing is taken
    /// from the header on trust: a forged one brings about that a packet is sent once more, and with a controller that
    /// believes in such notices (`eln`) that one loss is not taken for congestion.
    pub fn handle_link_loss(&mut self, now: Instant, header: &[u8]) -> bool {
        let readable = self.armor.sample_len() == 0 && header.first().is_some_and(|&b| self.mark.is_on(b));
        let Some(first) = header.first().filter(|_| readable).map(|&byte| FirstByte::from_byte(byte)) else {
            return false;
        };
        let Some(bytes) = header.get(NUMBER_AT..NUMBER_AT + first.number_len) else { return false };
        let truncated = bytes.iter().fold(0, |n, &byte| n << 8 | u32::from(byte));
        let number = recover(self.replay.end(), truncated, first.number_len);
        matches!(self.replay.check(number), Seen::New) && self.notices.push(now, number)
    }

    /// The peer says that its link has lost our packet `number`: it is lost at once, and that is no sign of congestion.
    /// What is not in flight is not concerned, and of masked numbers nobody can know.
    pub(super) fn handle_lost_on_link(&mut self, now: Instant, number: u64, regulation: Option<&mut Regulation>) {
        if self.armor.sample_len() > 0 {
            return;
        }
        let booked = self.sent.booked();
        let Some(mut sent) = self.sent.lose_on_link(number) else { return };
        let mut regulation = regulation;
        if self.aside.is_some()
            && let Some(regulation) = regulation.as_deref_mut()
        {
            sent.counted &= self.come_back(now, booked, regulation);
        }
        self.stats.lost += 1;
        self.loss.handle_lost_on_link(now);
        if let Some(tap) = &mut self.tap {
            tap.lost(now, number, "tng_link");
        }
        if sent.payload {
            self.fates.push(number, Fate::Lost);
        }
        if sent.control {
            self.controls.handle_lost(number);
        }
        if self.sent.outstanding() == 0 {
            self.monitor.handle_idle();
        }
        if let (true, Some(regulation)) = (sent.counted, regulation) {
            let loss = LossSample { bytes: u64::from(sent.size), newest: sent.stamp, cause: LossCause::Link };
            regulation.handle_loss(now, &loss);
        }
    }
}
