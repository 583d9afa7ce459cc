//! What is written down of a run: the digest of everything that happened to packets, and captures.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::rc::Rc;

use tng_base::Instant;
use tng_trace::{COMMENTS_MAX, Captured, Digest, Direction, InterfaceId, Pcapng};

use crate::link::LaneId;
use crate::packet::Packet;
use crate::stats::DropCause;

/// Event kind of a delivery in the digest; drops have their cause's number and one more.
const DELIVERED: u8 = 0;

/// Is told of every packet that goes no further.
pub(crate) type DropObserver = Box<dyn FnMut(Instant, &Packet, DropCause)>;

#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) observer: Option<DropObserver>,
    pub(crate) digest: Option<Digest>,
    /// Packets count in the digest with their length alone.
    pub(crate) sizes_only: bool,
    pub(crate) capture: Option<Capture>,
}

impl Recorder {
    /// A host was given a packet.
    pub(crate) fn delivered(&mut self, now: Instant, packet: &Packet) {
        self.digest(now, DELIVERED, packet);
    }

    /// A packet went no further.
    pub(crate) fn dropped(&mut self, now: Instant, packet: &Packet, cause: DropCause) {
        self.digest(now, cause as u8 + 1, packet);
        if let Some(observer) = &mut self.observer {
            observer(now, packet, cause);
        }
    }

    fn digest(&mut self, now: Instant, kind: u8, packet: &Packet) {
        let Some(digest) = &mut self.digest else { return };
        let len = (packet.payload.len() as u64).to_le_bytes();
        let payload = if self.sizes_only { &len[..] } else { &packet.payload };
        digest.event(now, kind, packet.src, packet.dst, packet.ecn, payload);
    }

    /// A packet was handed to a lane, or came out of it.
    pub(crate) fn crossed(&mut self, now: Instant, lane: LaneId, direction: Direction, packet: &Packet) {
        if let Some(capture) = &mut self.capture {
            capture.crossed(now, lane, direction, packet);
        }
    }
}

/// Comments on a capture, from all that have a clone of this: each goes with the packet that is captured next.
#[derive(Clone, Debug, Default)]
pub struct Comments(Rc<RefCell<VecDeque<String>>>);

impl Comments {
    /// Adds one. Of those that wait, the oldest go when there are more than a capture takes.
    pub fn add(&self, text: &str) {
        let mut waiting = self.0.borrow_mut();
        waiting.push_back(text.to_owned());
        if waiting.len() > COMMENTS_MAX {
            waiting.pop_front();
        }
    }
}

/// A capture under way.
pub(crate) struct Capture {
    out: Box<dyn Write>,
    pcapng: Pcapng,
    comments: Comments,
    /// By lane: the interface at its near end, if it is captured.
    interfaces: Vec<Option<InterfaceId>>,
    /// The first error ends the capture.
    result: io::Result<()>,
}

impl Capture {
    /// Begins a capture at the interfaces for which `names`, one for each lane, has a name.
    pub(crate) fn start(mut out: Box<dyn Write>, names: &[Option<String>], comments: Comments) -> io::Result<Capture> {
        let mut pcapng = Pcapng::start(&mut *out)?;
        let mut interfaces = Vec::new();
        for name in names {
            interfaces.push(match name {
                Some(name) => Some(pcapng.interface(&mut *out, name)?),
                None => None,
            });
        }
        Ok(Capture { out, pcapng, comments, interfaces, result: Ok(()) })
    }

    /// Ends the capture.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.result?;
        self.out.flush()
    }

    fn crossed(&mut self, now: Instant, lane: LaneId, direction: Direction, packet: &Packet) {
        // The far end of a lane is the near end of the opposite one.
        let near = match direction {
            Direction::Outbound => lane.0,
            Direction::Inbound => lane.0 ^ 1,
        };
        let Some(Some(at)) = self.interfaces.get(near as usize) else { return };
        if self.result.is_ok() {
            self.comments.0.borrow_mut().drain(..).for_each(|comment| self.pcapng.comment(&comment));
            let Packet { src, dst, ecn, protocol, ref payload, .. } = *packet;
            let captured = Captured { time: now, direction, src, dst, ecn, protocol, payload };
            self.result = self.pcapng.datagram(&mut *self.out, *at, &captured);
        }
    }
}
