//! An oracle: whatever an end sends stays within what the packets that reached it have granted.

use std::collections::BTreeMap;

use tng_wire::{Reader, Repr};

use super::super::StreamId;
use super::super::wire::{Frame, Setup};

#[derive(Debug)]
pub(super) struct Ledger {
    stream: u64,
    host: u64,
    create: u64,
    limits: BTreeMap<StreamId, u64>,
    used: BTreeMap<StreamId, u64>,
    opened: u64,
}

impl Default for Ledger {
    fn default() -> Ledger {
        let Setup { stream, host, create } = Setup::ASSUMED;
        Ledger { stream, host, create, limits: BTreeMap::new(), used: BTreeMap::new(), opened: 0 }
    }
}

fn frames(payload: &[u8]) -> Vec<Frame<'_>> {
    let mut reader = Reader::new(payload);
    let mut frames = Vec::new();
    while !reader.is_empty() {
        frames.push(Frame::parse(&mut reader).expect("an end sends only frames"));
    }
    frames
}

impl Ledger {
    pub(super) fn setup(&mut self, item: &[u8]) {
        let setup = Setup::parse(&mut Reader::new(item)).expect("a good item");
        self.stream = self.stream.max(setup.stream);
        self.host = self.host.max(setup.host);
        self.create = self.create.max(setup.create);
    }

    pub(super) fn received(&mut self, payload: &[u8]) {
        for frame in frames(payload) {
            match frame {
                Frame::Credit { id, limit } => {
                    let known = self.limits.entry(id).or_default();
                    *known = (*known).max(limit);
                }
                Frame::HostCredit { limit, .. } => self.host = self.host.max(limit),
                Frame::CreateCredit { limit } => self.create = self.create.max(limit),
                _ => {}
            }
        }
    }

    fn opens(&mut self, id: StreamId) {
        self.opened = self.opened.max(id.counter() + 1);
        assert!(self.opened <= self.create, "{} streams created, {} granted", self.opened, self.create);
    }

    fn uses(&mut self, id: StreamId, end: u64) {
        let used = self.used.entry(id).or_default();
        *used = (*used).max(end);
        let limit = self.limits.get(&id).copied().unwrap_or(0).max(self.stream);
        assert!(*used <= limit, "stream {id} used {used} of {limit}");
        let sum: u64 = self.used.values().sum();
        assert!(sum <= self.host, "used {sum} of {} over all streams", self.host);
    }

    pub(super) fn sent(&mut self, payload: &[u8]) {
        for frame in frames(payload) {
            match frame {
                Frame::Init { id, .. } => self.opens(id),
                Frame::Data { head, data } => self.uses(head.id, head.offset + data.len() as u64),
                Frame::Request { head, data } => {
                    self.opens(head.id);
                    self.uses(head.id, data.len() as u64);
                }
                Frame::Reset { id, final_offset, .. } => {
                    let used = self.used.get(&id).copied().unwrap_or(0);
                    assert_eq!(final_offset, used, "a RESET says how far its sender went");
                }
                _ => {}
            }
        }
    }
}
