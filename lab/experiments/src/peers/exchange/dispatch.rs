//! One address for several servers: which of them a packet goes to.

use core::net::{IpAddr, SocketAddr};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_sim::{IpProtocol, LaneId, Packet, PacketEnd, ports_of, readdress, topology};

use super::party::PartyWorld;

/// The address that stands for all servers.
pub(super) const SHARED: IpAddr = topology::ipv4(0xfff0);

/// Where packets for the address of all servers go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dispatch {
    /// A connection goes to the server that has the fewest when it begins, and stays there.
    LeastConnections,
    /// Each packet goes to the server after that of the packet before it, whatever it belongs to.
    Spray,
}

/// [`Dispatch`] at work.
struct Dispatcher {
    dispatch: Dispatch,
    servers: Vec<IpAddr>,
    /// By client: its server, and whether the connection goes on.
    flows: BTreeMap<SocketAddr, (usize, bool)>,
    /// The next of [`Dispatch::Spray`].
    next: usize,
}

/// Bits of a TCP segment's flags, and where they stand (RFC 9293 section 3.1).
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const FLAGS_AT: usize = 13;

/// The flags of a TCP segment; of a datagram none.
fn flags(packet: &Packet) -> u8 {
    match packet.protocol {
        IpProtocol::Tcp => packet.payload.get(FLAGS_AT).copied().unwrap_or_default(),
        IpProtocol::Udp => 0,
    }
}

/// Source and destination, with the ports that a TCP segment has in its header.
fn ends(packet: &Packet) -> [SocketAddr; 2] {
    let (src, dst) = match packet.protocol {
        IpProtocol::Tcp => ports_of(&packet.payload).unwrap_or_default(),
        IpProtocol::Udp => (packet.src.port(), packet.dst.port()),
    };
    [SocketAddr::new(packet.src.ip(), src), SocketAddr::new(packet.dst.ip(), dst)]
}

/// Rewrites the header of a TCP segment for another address. A datagram's is not part of its payload.
fn rewrite(packet: &mut Packet, end: PacketEnd, old: SocketAddr, to: IpAddr) {
    if packet.protocol == IpProtocol::Tcp {
        readdress(packet.protocol, &mut packet.payload, end, old, SocketAddr::new(to, old.port()));
    }
}

impl Dispatcher {
    fn server_of(&mut self, packet: &Packet) -> usize {
        match self.dispatch {
            Dispatch::Spray => {
                let server = self.next;
                self.next = (server + 1) % self.servers.len();
                server
            }
            Dispatch::LeastConnections => {
                let [client, _] = ends(packet);
                match self.flows.get(&client) {
                    Some((server, goes_on)) if *goes_on || flags(packet) & SYN == 0 => *server,
                    _ => {
                        let count = |server| {
                            self.flows.values().filter(|(other, goes_on)| *goes_on && *other == server).count()
                        };
                        let least = (0..self.servers.len()).min_by_key(|server| count(*server)).unwrap_or_default();
                        self.flows.insert(client, (least, true));
                        least
                    }
                }
            }
        }
    }

    fn forth(&mut self, packet: &mut Packet) {
        if packet.dst.ip() != SHARED {
            return;
        }
        let server = self.server_of(packet);
        let to = self.servers[server];
        let [_, old] = ends(packet);
        packet.dst.set_ip(to);
        rewrite(packet, PacketEnd::Destination, old, to);
    }

    fn back(&mut self, packet: &mut Packet) {
        let [old, client] = ends(packet);
        if flags(packet) & (FIN | RST) != 0
            && let Some((_, goes_on)) = self.flows.get_mut(&client)
        {
            *goes_on = false;
        }
        packet.src.set_ip(SHARED);
        rewrite(packet, PacketEnd::Source, old, SHARED);
    }
}

/// Makes what comes from clients on these lanes, for the address of all, go to servers, and what these answer on those
/// lanes come from there.
pub(super) fn install(
    world: &mut PartyWorld,
    dispatch: Dispatch,
    servers: Vec<IpAddr>,
    clients: &[LaneId],
    answers: &[LaneId],
) {
    let dispatcher = Dispatcher { dispatch, servers, flows: BTreeMap::new(), next: 0 };
    let dispatcher = Rc::new(RefCell::new(dispatcher));
    for lane in clients {
        let dispatcher = Rc::clone(&dispatcher);
        world.intercept(*lane, move |_, packet| {
            dispatcher.borrow_mut().forth(packet);
            true
        });
    }
    for lane in answers {
        let dispatcher = Rc::clone(&dispatcher);
        world.intercept(*lane, move |_, packet| {
            dispatcher.borrow_mut().back(packet);
            true
        });
    }
}
