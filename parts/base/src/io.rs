//! The shape of a protocol machine: inputs, outputs, and the trait that drivers drive.

use core::net::{IpAddr, SocketAddr};

use crate::Instant;

/// The two ECN bits of an IP header (RFC 3168).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct = 0b00,
    /// ECN-capable, codepoint 1.
    Ect1 = 0b01,
    /// ECN-capable, codepoint 0: what we send.
    Ect0 = 0b10,
    /// Congestion experienced.
    Ce = 0b11,
}

impl Ecn {
    /// The codepoint in the low two bits of `bits`.
    pub const fn from_bits(bits: u8) -> Ecn {
        match bits & 0b11 {
            0b00 => Ecn::NotEct,
            0b01 => Ecn::Ect1,
            0b10 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }
}

/// One or more UDP datagrams from one source, received together.
#[derive(Debug)]
pub struct Datagram<'a> {
    /// Where they came from.
    pub remote: SocketAddr,
    /// The local address they were sent to, where the driver knows it. Port 0 where it does not know that.
    pub local: Option<SocketAddr>,
    /// Their ECN codepoint.
    pub ecn: Ecn,
    /// Every datagram has this length except the last, which may be shorter. Never zero.
    pub segment_size: usize,
    /// The datagrams, back to back; opened in place.
    pub payload: &'a mut [u8],
}

/// A notice from a link that it lost a packet to corruption, not congestion (Tng 5.2's explicit loss notification).
#[derive(Clone, Debug)]
pub struct LinkLoss {
    /// Where the lost packet came from.
    pub remote: SocketAddr,
    /// The first bytes of the lost packet, enough to read its header.
    pub header: Vec<u8>,
}

/// Somebody says that a packet sent earlier did not reach where it was sent to: an ICMP error, or this system. Who is
/// on the path can forge it, and so can others who guess: it is a hint, which shortens waits and ends nothing by
/// itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreachable {
    /// Where the packet was sent to.
    pub remote: SocketAddr,
    /// Why it did not arrive.
    pub why: Hindrance,
    /// The first bytes of the packet, as many as are quoted; what was sent by nobody quotes something else.
    pub quoted: Vec<u8>,
    /// This system itself says so, which nobody else can forge; it need quote nothing.
    pub by_system: bool,
}

/// Why a packet does not reach its destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hindrance {
    /// The host is there, and nobody listens at the port (RFC 792, type 3 code 3; RFC 4443, type 1 code 4).
    Port,
    /// The host, or its network, is not there.
    Host,
    /// A firewall forbids it.
    Prohibited,
    /// It is too large for the path.
    TooBig {
        /// The largest IP packet that passes, in bytes; 0 if that was not said.
        mtu: u32,
    },
}

/// The host's own attachment to the network changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathChange {
    /// One of this host's addresses, or all of them, are gone; others have come in their place. These are addresses of
    /// interfaces, which have no port: sockets at them keep theirs.
    LocalAddress {
        /// The address that is gone; `None`: whatever there was.
        old: Option<IpAddr>,
        /// The new one, where it is known.
        new: Option<IpAddr>,
    },
    /// This host has a further address; those that it had are still there, and may stay.
    FurtherAddress(IpAddr),
    /// Something has become of the carrier that leads to a peer (docs/carrier.md).
    Carrier {
        /// The address by which machines know that peer.
        remote: IpAddr,
        /// What.
        news: CarrierNews,
    },
}

/// What has become of a carrier: a byte stream that datagrams to an address go by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CarrierNews {
    /// It takes nothing more for now but acknowledgments and probes.
    Full,
    /// It takes more again.
    Ready,
    /// It has broken, and what was on its way is lost. What is sent to the address next begins another.
    Broken,
}

/// What a driver hands to a machine.
#[derive(Debug)]
pub enum Input<'a> {
    /// Datagrams arrived.
    Datagram(Datagram<'a>),
    /// A link reported a loss.
    LinkLoss(LinkLoss),
    /// Somebody says that what was sent to an address does not arrive.
    Unreachable(Unreachable),
    /// The host moved.
    PathChange(PathChange),
    /// Fresh entropy for the machine's next secrets: 32 bytes of the system's that nobody else has or gets. The machine
    /// that uses them wipes them. To be handed in whenever [`Output::NeedsEntropy`] asks.
    Entropy(&'a mut [u8; 32]),
}

/// Datagrams that the machine has written into the driver's buffer, to be sent now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transmit {
    /// Destination.
    pub remote: SocketAddr,
    /// Source address to send from, if it matters. Port 0 leaves the port to the driver. One that has a single socket
    /// sends from that socket's port, whatever is named.
    pub local: Option<SocketAddr>,
    /// ECN codepoint for every datagram.
    pub ecn: Ecn,
    /// Bytes written at the start of the buffer.
    pub len: usize,
    /// Every datagram has this length except the last, which may be shorter. `len` if there is only one.
    pub segment_size: usize,
}

/// What a machine hands to its driver.
#[derive(Debug)]
pub enum Output<E> {
    /// Send these datagrams.
    Transmit(Transmit),
    /// Tell the application.
    Event(E),
    /// Hand in fresh [`Input::Entropy`], now: an exchange of keys waits for it. Said once for each exchange. Not before
    /// it is asked: what is kept in store is used twice if the machine is copied.
    NeedsEntropy,
    /// Nothing more to do until this time, or until the next input.
    Timeout(Option<Instant>),
}

impl<E> Output<E> {
    /// The same, with an event told in other words.
    pub fn map<F>(self, tell: impl FnOnce(E) -> F) -> Output<F> {
        match self {
            Output::Transmit(transmit) => Output::Transmit(transmit),
            Output::Event(event) => Output::Event(tell(event)),
            Output::NeedsEntropy => Output::NeedsEntropy,
            Output::Timeout(at) => Output::Timeout(at),
        }
    }
}

/// A protocol party as a plain value. It owns no clock, socket, thread, lock, and no randomness but what it was given.
///
/// The contract of the drive loop: after every `handle_*` call, and after any call of the machine's own interface, call
/// [`poll_output`](Machine::poll_output) until it answers [`Output::Timeout`]; then wait for that time or for input.
/// Time never goes backwards from one call to the next.
pub trait Machine {
    /// What the machine tells its application.
    type Event;

    /// Takes one input.
    fn handle_input(&mut self, now: Instant, input: Input<'_>);

    /// Takes note that time has passed. Calling it early is harmless.
    fn handle_timeout(&mut self, now: Instant);

    /// The next thing to do. Datagrams are written to the start of `buf` (64 KiB hold the largest batch).
    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<Self::Event>;
}

/// A machine that need not be there. If it is not, nothing that comes is anything to it, and it has nothing to say.
impl<M: Machine> Machine for Option<M> {
    type Event = M::Event;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        if let Some(machine) = self {
            machine.handle_input(now, input);
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        if let Some(machine) = self {
            machine.handle_timeout(now);
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<M::Event> {
        self.as_mut().map_or(Output::Timeout(None), |machine| machine.poll_output(now, buf))
    }
}
