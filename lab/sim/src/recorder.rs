//! What is written down of a run: the digest of everything that happened to packets.

use tng_base::Instant;
use tng_trace::Digest;

use crate::packet::Packet;
use crate::stats::DropCause;

/// Event kind of a delivery in the digest; drops have their cause's number and one more.
const DELIVERED: u8 = 0;

#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) digest: Option<Digest>,
}

impl Recorder {
    /// A host was given a packet.
    pub(crate) fn delivered(&mut self, now: Instant, packet: &Packet) {
        if let Some(digest) = &mut self.digest {
            digest.event(now, DELIVERED, packet.src, packet.dst, packet.ecn, &packet.payload);
        }
    }

    /// A packet went no further.
    pub(crate) fn dropped(&mut self, now: Instant, packet: &Packet, cause: DropCause) {
        if let Some(digest) = &mut self.digest {
            digest.event(now, cause as u8 + 1, packet.src, packet.dst, packet.ecn, &packet.payload);
        }
    }
}
