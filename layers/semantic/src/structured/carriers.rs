//! The channels that carry the streams (SST 4.3.1): all streams use all of them.
//!
//! Every channel fills its packets from the same queues as fast as its own controller lets it, so several share the
//! work by what each can bear, and a stream's data may go by any. A channel whose path has stalled, or that is only
//! being asked for, leaves the work to the others.

use tng_base::{ChannelKey, PathCondition};
use tng_wire::{Reader, Repr};

use super::records::Records;
use super::wire::Frame;
use super::{Carrier, Streams};

impl Carrier {
    fn works(&self) -> bool {
        self.condition == Some(PathCondition::Good) && !self.retired
    }

    /// Whether what is on its way on it is to go by another.
    fn fails(&self) -> bool {
        self.condition != Some(PathCondition::Good)
    }
}

impl Streams {
    pub(super) fn carrier(&mut self, key: ChannelKey) -> usize {
        self.channels.iter().position(|carrier| carrier.key == key).unwrap_or_else(|| {
            // Mostly there is one.
            self.channels.reserve_exact(1);
            self.channels.push(Carrier { key, records: Records::default(), condition: None, retired: false });
            self.channels.len() - 1
        })
    }

    /// Whether a channel has nothing to send because it is stalled, or not proven yet, and others work: what an
    /// exchange that comes to nothing has taken along is missing until it has failed.
    pub(super) fn leaves_to_others(&self, key: ChannelKey) -> bool {
        let mut working = self.channels.iter().filter(|carrier| carrier.works()).peekable();
        working.peek().is_some() && working.all(|carrier| carrier.key != key)
    }

    /// A packet is to leave soon, so that the peer learns that these are streams: it tells its credit once more.
    pub fn speak_first(&mut self) {
        self.host_credit_due = true;
    }

    /// The channel gives way to others while they work, or does so no longer: what is on its way on it may arrive, and
    /// nothing new goes by it.
    pub fn set_retired(&mut self, channel: ChannelKey, retired: bool) {
        if let Some(carrier) = self.channels.iter_mut().find(|carrier| carrier.key == channel) {
            carrier.retired = retired;
        }
    }

    /// What is on its way on channels that do not work goes by the others, if there are any. It may still arrive.
    pub(super) fn free_stalled(&mut self) {
        if !self.channels.iter().any(Carrier::works) {
            return;
        }
        for at in 0..self.channels.len() {
            if self.channels[at].fails() {
                for sent in self.channels[at].records.doubt_all() {
                    self.frame_lost(sent);
                }
            }
        }
    }

    /// Whether a payload that its sender has sent in this session may be taken a second time without harm: everything
    /// may that names what it is about by ids and offsets, which is all but datagrams.
    pub fn repeatable(&self, payload: &[u8]) -> bool {
        let mut reader = Reader::new(payload);
        while !reader.is_empty() {
            match Frame::parse(&mut reader) {
                Ok(Frame::Datagram { .. }) | Err(_) => return false,
                Ok(_) => {}
            }
        }
        true
    }
}
