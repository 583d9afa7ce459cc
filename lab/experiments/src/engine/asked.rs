//! Flows over Trickles: who receives asks, and who sends is a server that keeps nothing.
//!
//! Each stream is an object. All that a host asks of another goes over one connection. What asks for an object is the
//! number of its stream, four bytes, and the request, if the stream has one.

mod host;
mod streams;

use std::rc::Rc;

use tng_sim::{IpProtocol, MachineNode};

use self::host::Host;
use self::streams::Streams;
use crate::engine::ledger::Ledger;
use crate::engine::plan::Plan;
use crate::engine::protocol::{FIRST_MTU, Row, Speaker};
use crate::peers::transport::trickles::Usage;
use crate::peers::transport::{Rtt, tell};
use crate::scenario::Seat;

/// The UDP port of servers and clients.
const PORT: u16 = 4861;
const NO_PACE: &str = "a server that keeps nothing sends what is asked for, when it is";

/// Trickles; the receiver asks, over one connection for each pair of hosts.
pub(crate) static ROW: Row = Row {
    name: "trickles",
    lots: 4,
    seat: Seat { protocol: IpProtocol::Udp, port: PORT },
    lacks: &[
        ("via", "helpers pass on tng alone"),
        ("datagrams", "it has no datagrams"),
        ("controller", "its window is part of the protocol, and reno's"),
        ("policed", "its window is part of the protocol, and reno's"),
        ("parent", "its streams have no children"),
        ("priority", "its streams have no priorities"),
        ("connect", "its streams share a connection, which is there from the first on"),
        ("chunk", NO_PACE),
        ("on", NO_PACE),
        ("finish", "its sender knows of no stream"),
        ("reset", "its sender knows of no stream"),
    ],
    control: None,
    structured: false,
    receiver_opens: true,
    datagram_max: None,
    mtu_min: FIRST_MTU,
    repeats_bytes: true,
    node: |plan, ledger, place, start| Box::new(node(plan, ledger, place, start)),
    tell: |_, _, part, settings| tell::trickles(settings, part, Usage::USUAL),
    real: None,
};

/// A host that asks, and one that is asked.
type AskedNode = MachineNode<Host, Streams>;

/// The node at `place`, started for the `start`th time, counted from zero.
fn node(plan: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> AskedNode {
    MachineNode::new(Host::new(plan.clone(), place, start), Streams::new(place, plan.clone(), ledger.clone()))
}

impl Speaker for AskedNode {
    fn rtt(&self, _: usize, to: usize) -> Option<Rtt> {
        let stats = self.machine.clients.get(&to)?.stats();
        (!stats.rtt.is_zero()).then_some(Rtt { smoothed: stats.rtt, min: stats.rtt_min })
    }
}
