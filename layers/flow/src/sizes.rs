//! How large the packets of a section may be, and those that go on behind it.

use core::time::Duration;

use tng_base::Instant;
use tng_channel::wire::{Control, NUMBER_AT};
use tng_endpoint::{MtuConfig, PathMtu};

use crate::HOP_TAG_LEN;

/// Bytes of a packet between neighbours beside what it carries, at most: first byte, id, number, MAC.
pub const SECTION_OVERHEAD: usize = NUMBER_AT + 4 + HOP_TAG_LEN;

/// How long larger packets are not tried on a new channel, unless it fills those it has: one that ends before had no
/// use for them.
pub const PROBE_AFTER: Duration = Duration::from_millis(50);

/// Probe timeouts in a row after which it is in doubt whether packets of the current size pass.
const BLACK_HOLE_PROBES: u32 = 2;

/// What is known of how large packets may be.
#[derive(Debug)]
pub(crate) struct Sizes {
    mtu: PathMtu,
    /// The probe that is out: its packet number.
    probe: Option<u64>,
    /// From then on larger packets are tried.
    probe_from: Instant,
    peer_max: usize,
    /// Of a section between neighbours: the largest end-to-end packet that goes on from the peer, and which of its
    /// words that was.
    onward: (u64, u16),
    /// The same in the other direction, as the peer was last told.
    announced: (u64, u16),
}

impl Sizes {
    /// Of a channel that begins `now`, whose peer takes UDP payloads of `peer_max` bytes.
    pub(crate) fn new(now: Instant, config: MtuConfig, peer_max: usize) -> Sizes {
        Sizes {
            mtu: PathMtu::new(config, peer_max),
            probe: None,
            probe_from: now + PROBE_AFTER,
            peer_max,
            onward: (0, u16::MAX),
            announced: (0, u16::MAX),
        }
    }

    /// Packets go another way, and nothing is known of it.
    pub(crate) fn start_over(&mut self, config: MtuConfig) {
        self.mtu = PathMtu::new(config, self.peer_max);
        self.probe = None;
    }

    /// The largest UDP payload known to pass, in bytes.
    pub(crate) fn current(&self) -> usize {
        self.mtu.current()
    }

    /// The same as a field of the wire has it.
    pub(crate) fn current_u16(&self) -> u16 {
        size(self.mtu.current())
    }

    /// At the set-up the peer has said that end-to-end packets of `theirs` bytes go on from it at most, and was told
    /// `ours`.
    pub(crate) fn note_greetings(&mut self, theirs: u16, ours: u16) {
        (self.onward.1, self.announced.1) = (theirs, ours);
    }

    /// The largest end-to-end packet that goes by here, in bytes. What waits for a path that is silent is not dropped
    /// before it is known that it is the size.
    pub(crate) fn carried(&self) -> usize {
        self.mtu.hoped() - SECTION_OVERHEAD
    }

    /// The largest that goes by here and goes on behind.
    pub(crate) fn onward(&self) -> usize {
        self.carried().min(self.onward.1.into())
    }

    /// The peer's word number `sequence` of what goes on behind it.
    pub(crate) fn handle_onward(&mut self, sequence: u64, bytes: u16) {
        self.onward = self.onward.max((sequence, bytes));
    }

    /// What to tell the peer if end-to-end packets of `bytes` go on from here, and that is new to it.
    pub(crate) fn announce(&mut self, bytes: usize) -> Option<Control<'static>> {
        let bytes = size(bytes);
        if bytes == self.announced.1 {
            return None;
        }
        let sequence = self.announced.0 + 1;
        self.announced = (sequence, bytes);
        Some(Control::PayloadMax { sequence, bytes })
    }

    /// A packet of the current size was filled: larger ones are worth a try.
    pub(crate) fn handle_filled(&mut self, now: Instant) {
        self.probe_from = now;
        self.mtu.handle_filled(now);
    }

    /// From when on a larger size may be tried, if none is under way.
    pub(crate) fn probe_at(&self) -> Option<Instant> {
        self.probe.is_none().then_some(self.probe_from)
    }

    /// The size to try now, if it is time.
    pub(crate) fn poll_probe(&mut self, now: Instant) -> Option<usize> {
        self.probe_at().filter(|at| *at <= now)?;
        self.mtu.poll_probe(now)
    }

    /// What was tried left as packet `number`, or did not leave at all.
    pub(crate) fn handle_probe_sent(&mut self, number: Option<u64>) {
        self.probe = number;
        if number.is_none() {
            self.mtu.handle_probe_lost();
        }
    }

    /// What became of packet `number`; answers whether the size is another now.
    pub(crate) fn handle_probe_fate(&mut self, number: u64, acked: bool) -> bool {
        if self.probe.take_if(|probe| *probe == number).is_none() {
            return false;
        }
        if acked {
            self.mtu.handle_probe_acked();
        } else {
            self.mtu.handle_probe_lost();
        }
        acked
    }

    /// So many probe timeouts in a row were unanswered; answers whether the size is another now.
    pub(crate) fn handle_unanswered(&mut self, probes: u32) -> bool {
        let doubtful = probes >= BLACK_HOLE_PROBES && self.mtu.handle_doubt();
        if doubtful {
            self.probe = None;
        }
        doubtful
    }
}

fn size(bytes: usize) -> u16 {
    u16::try_from(bytes).unwrap_or(u16::MAX)
}
