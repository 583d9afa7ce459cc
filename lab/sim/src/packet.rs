//! Packets, and the pool that their buffers come from and go back to.

use core::net::SocketAddr;

use tng_base::{Ecn, Instant};
use tng_queue::Item;
use tng_trace::IpProtocol;

use crate::link::{DATAGRAM_OVERHEAD, SEGMENT_OVERHEAD};
use crate::nat::{PacketEnd, ports_of, readdress};

/// One UDP datagram, or TCP segment, on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Source, as the network sees it.
    pub src: SocketAddr,
    /// Destination, as the network sees it.
    pub dst: SocketAddr,
    /// ECN codepoint.
    pub ecn: Ecn,
    /// What it is.
    pub protocol: IpProtocol,
    /// UDP payload, or TCP segment.
    pub payload: Vec<u8>,
    /// The payload is all that a link sees of it, its headers included.
    pub(crate) whole: bool,
    /// When it joined the queue that it waits in.
    pub(crate) queued_at: Instant,
    /// Routers it has passed.
    pub(crate) hops: u8,
}

impl Packet {
    fn fresh(src: SocketAddr, dst: SocketAddr, ecn: Ecn, payload: Vec<u8>) -> Packet {
        let (protocol, queued_at) = (IpProtocol::Udp, Instant::ZERO);
        Packet { src, dst, ecn, protocol, payload, whole: false, queued_at, hops: 0 }
    }

    /// Bytes that the packet takes of a link and of a queue: its payload and [`DATAGRAM_OVERHEAD`] or
    /// [`SEGMENT_OVERHEAD`]; of what went through a [`LiveLane`](crate::LiveLane), its own.
    pub fn wire_bytes(&self) -> usize {
        let overhead = match self.protocol {
            _ if self.whole => 0,
            IpProtocol::Udp => DATAGRAM_OVERHEAD,
            IpProtocol::Tcp => SEGMENT_OVERHEAD,
        };
        self.payload.len() + overhead
    }
}

impl Packet {
    /// Source and destination. A TCP segment has its ports in its header.
    pub(crate) fn ends(&self) -> (SocketAddr, SocketAddr) {
        let (src, dst) = match (self.protocol, ports_of(&self.payload)) {
            (IpProtocol::Tcp, Some(ports)) => ports,
            _ => (self.src.port(), self.dst.port()),
        };
        (SocketAddr::new(self.src.ip(), src), SocketAddr::new(self.dst.ip(), dst))
    }

    /// Gives it another source or destination.
    pub(crate) fn readdress(&mut self, end: PacketEnd, to: SocketAddr) {
        let (src, dst) = self.ends();
        let (from, own) = match end {
            PacketEnd::Source => (src, &mut self.src),
            PacketEnd::Destination => (dst, &mut self.dst),
        };
        match self.protocol {
            IpProtocol::Udp => *own = to,
            IpProtocol::Tcp => {
                own.set_ip(to.ip());
                readdress(IpProtocol::Tcp, &mut self.payload, end, from, to);
            }
        }
    }
}

impl Item for Box<Packet> {
    fn bytes(&self) -> usize {
        self.wire_bytes()
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

/// Packets no longer in use, kept for their buffers.
#[derive(Default)]
pub(crate) struct Pool {
    #[expect(clippy::vec_box, reason = "the boxes themselves are what is recycled")]
    free: Vec<Box<Packet>>,
}

impl Pool {
    /// A packet with this payload; `queued_at` and `hops` fresh.
    pub(crate) fn packet(&mut self, src: SocketAddr, dst: SocketAddr, ecn: Ecn, payload: &[u8]) -> Box<Packet> {
        match self.free.pop() {
            Some(mut packet) => {
                packet.payload.clear();
                packet.payload.extend_from_slice(payload);
                let payload = core::mem::take(&mut packet.payload);
                *packet = Packet::fresh(src, dst, ecn, payload);
                packet
            }
            None => Box::new(Packet::fresh(src, dst, ecn, payload.to_vec())),
        }
    }

    pub(crate) fn copy(&mut self, of: &Packet) -> Box<Packet> {
        let mut copy = self.packet(of.src, of.dst, of.ecn, &of.payload);
        (copy.hops, copy.protocol, copy.whole) = (of.hops, of.protocol, of.whole);
        copy
    }

    pub(crate) fn recycle(&mut self, packet: Box<Packet>) {
        self.free.push(packet);
    }
}
