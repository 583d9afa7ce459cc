//! What runs on a host.

use tng_base::{Input, Instant, Transmit};

use core::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

use crate::dice;
use crate::packet::{Packet, Pool};

/// Bytes of the buffer that a node writes its datagrams to: the largest batch.
pub const BATCH_BYTES_MAX: usize = 64 * 1024;

/// Names a host or router of one world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The number of the node, counted from zero in the order of making.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A protocol party together with the application that drives it. See [`MachineNode`](crate::MachineNode) for the usual
/// one.
///
/// The world calls [`poll`](Node::poll) after every input, after every timeout, and after a test has borrowed the node.
pub trait Node {
    /// Takes one input.
    fn handle_input(&mut self, now: Instant, input: Input<'_>);

    /// The time that `poll` asked for has come.
    fn handle_timeout(&mut self, now: Instant);

    /// Sends what there is to send, and answers when it wants to be called again.
    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant>;
}

impl<N: Node + ?Sized> Node for Box<N> {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        (**self).handle_input(now, input);
    }

    fn handle_timeout(&mut self, now: Instant) {
        (**self).handle_timeout(now);
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        (**self).poll(now, outbox)
    }
}

/// Where a node puts its datagrams: it writes them to [`buffer`](Outbox::buffer) and then says with
/// [`send`](Outbox::send) what it wrote.
pub struct Outbox {
    buffer: Box<[u8]>,
    /// Sources that are not settled yet have the unspecified address, or port zero.
    #[expect(clippy::vec_box, reason = "the boxes go on to queues as they are")]
    pub(crate) packets: Vec<Box<Packet>>,
    pub(crate) pool: Pool,
    seed: u64,
    /// Whose turn it is.
    pub(crate) node: NodeId,
    /// How often each node has asked for entropy.
    asked: Vec<u64>,
}

/// The source of a packet whose sender left the choice to the host.
const UNSETTLED: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0));

impl Outbox {
    pub(crate) fn new(seed: u64) -> Outbox {
        let buffer = vec![0; BATCH_BYTES_MAX].into_boxed_slice();
        Outbox { buffer, packets: Vec::new(), pool: Pool::default(), seed, node: NodeId(0), asked: Vec::new() }
    }

    /// [`BATCH_BYTES_MAX`] bytes.
    pub fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    /// What the node's machine gets when it asks for entropy: by the world's seed, the node, and how often it has
    /// asked.
    pub fn entropy(&mut self) -> [u8; 32] {
        let node = self.node.index();
        if self.asked.len() <= node {
            self.asked.resize(node + 1, 0);
        }
        self.asked[node] += 1;
        dice::entropy(self.seed, node, self.asked[node])
    }

    /// Sends what stands at the start of the buffer. A batch becomes single datagrams.
    ///
    /// # Panics
    /// If the batch has a segment size of zero or is longer than the buffer: a bug of the machine.
    pub fn send(&mut self, transmit: Transmit) {
        assert!(transmit.segment_size > 0, "a batch with segments of no length");
        let src = transmit.local.unwrap_or(UNSETTLED);
        for segment in self.buffer[..transmit.len].chunks(transmit.segment_size) {
            self.packets.push(self.pool.packet(src, transmit.remote, transmit.ecn, segment));
        }
    }
}
