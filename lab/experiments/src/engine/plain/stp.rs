//! Flows over guests: each stream is a connection of its own.

use core::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::{IpProtocol, MachineNode};
use tng_stack::{Access, ConnectionId, Host, HostConfig};
use tng_stp_host::Cap;

use super::app::Streams;
use super::scripted::{Scripted, SendError};
use crate::engine::ledger::Ledger;
use crate::engine::plan::Plan;
use crate::engine::protocol::{FIRST_MTU, Row, Speaker};
use crate::peers::guests::{Guest, GuestRun, Ran};
use crate::peers::transport::stp::Stp;
use crate::peers::transport::{Rtt, tell};
use crate::scenario::{FlowProtocol, Seat};

/// What flows over guests cannot have.
const LACKS: &[(&str, &str)] = &[
    ("via", "its hosts know of no helpers"),
    ("datagrams", "this guest's socket is a stream"),
    ("controller", "a guest has its own"),
    ("policed", "the policer holds every guest"),
    ("parent", "its streams have no children"),
    ("priority", "its streams have no priorities"),
];

/// UDP port of the first guest's hosts; each guest has one.
const PORT: u16 = 4862;

macro_rules! row {
    ($row:ident, $guest:expr, $name:literal, $lots:literal, $protocol:expr) => {
        /// A guest, as a module in its sandbox, behind the policer.
        pub(crate) static $row: Row = Row {
            name: $name,
            lots: $lots,
            seat: Seat { protocol: IpProtocol::Udp, port: PORT + $lots - 5 },
            lacks: LACKS,
            control: None,
            structured: false,
            receiver_opens: false,
            datagram_max: None,
            mtu_min: FIRST_MTU,
            repeats_bytes: true,
            node: |plan, ledger, place, start| Box::new(node(plan, ledger, place, start, $guest, $protocol)),
            tell: |_, _, part, settings| tell::guest(settings, part, &run($guest)),
            real: None,
        };
    };
}

row!(NEWRENO, Guest::NewReno, "stp:newreno", 5, FlowProtocol::STP_NEWRENO);
row!(SACK, Guest::Sack, "stp:sack", 6, FlowProtocol::STP_SACK);

/// A host that runs a guest.
type StpNode = MachineNode<Stp, Streams<Stp>>;

/// Without the sandbox the same source, compiled in: on the network it is the same.
const RAN: Ran = {
    #[cfg(feature = "guests")]
    {
        Ran::Module
    }
    #[cfg(not(feature = "guests"))]
    {
        Ran::Policed
    }
};

const fn run(guest: Guest) -> GuestRun {
    GuestRun { guest, ran: RAN, cap: Cap::EquationOrCubic }
}

/// The node at `place`, started for the `start`th time, counted from zero.
fn node(plan: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32, guest: Guest, protocol: FlowProtocol) -> StpNode {
    let mut rng = plan.node_rng(place, protocol, start);
    let host = Host::new(HostConfig::new(Access::Public), plan.identity(place), rng.bytes());
    let workshop = run(guest).workshop(&mut rng);
    let mut stp = Stp::new(host, workshop, run(guest).code());
    for peer in plan.peers.iter().flatten() {
        let Some(address) = peer.addresses.first() else { continue };
        stp.know(SocketAddr::new(address.ip(), protocol.row().seat.port), peer.eid);
    }
    MachineNode::new(stp, Streams::new(place, protocol, plan.clone(), ledger.clone()))
}

impl Speaker for StpNode {
    fn rtt(&self, flow: usize, _: usize) -> Option<Rtt> {
        self.app.rtt(&self.machine, flow)
    }
}

impl Scripted for Stp {
    fn reset(&mut self, id: ConnectionId, code: u64) {
        self.give_up(id, code);
    }

    fn stop(&mut self, id: ConnectionId, code: u64) {
        self.give_up(id, code);
    }

    fn send_datagram(&mut self, _: Instant, _: IpAddr, _: &[u8]) -> Result<(), SendError> {
        Err(SendError::Never("this guest's socket is a stream".to_owned()))
    }

    fn recv_datagram(&mut self, _: ConnectionId) -> Option<Vec<u8>> {
        None
    }

    fn rtt(&self, id: ConnectionId) -> Option<Rtt> {
        let regulation = self.host.stats(id)?.regulation;
        regulation.rtt.has_sample().then(|| Rtt { smoothed: regulation.rtt.smoothed(), min: regulation.rtt.min() })
    }
}
