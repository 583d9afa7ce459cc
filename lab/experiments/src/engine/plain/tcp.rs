//! Flows over the reference TCP.

use core::net::IpAddr;
use std::rc::Rc;

use tng_base::Instant;
use tng_congestion::Choice;
use tng_sim::{IpProtocol, MachineNode};
use tng_tcp::{Config, ConnectionId, Host};

use super::app::Streams;
use super::scripted::{Scripted, SendError};
use crate::engine::ledger::Ledger;
use crate::engine::plan::Plan;
use crate::engine::protocol::{Control, Row, Speaker};
use crate::peers::transport::{Rtt, tcp, tell};
use crate::real::Real;
use crate::scenario::{FlowProtocol, Seat};

/// The reference TCP; each stream is a connection.
pub(crate) static ROW: Row = Row {
    name: "tcp",
    lots: 1,
    // Segments have their own ports.
    seat: Seat { protocol: IpProtocol::Tcp, port: 0 },
    lacks: &[
        ("via", "helpers pass on tng alone"),
        ("datagrams", "it has no datagrams"),
        ("parent", "its streams have no children"),
        ("priority", "its streams have no priorities"),
    ],
    control: Some(Control { by_host: false, own: None, default: Choice::DEFAULT }),
    structured: false,
    receiver_opens: false,
    datagram_max: None,
    mtu_min: 0,
    repeats_bytes: true,
    node: |plan, ledger, place, start| Box::new(node(plan, ledger, place, start)),
    // Its controllers are those of the flows.
    tell: |_, _, part, settings| tell::tcp(settings, part, &Config::default()),
    real: Some(Real::KERNEL_TCP),
};

/// A host that runs TCP.
type TcpNode = MachineNode<Host, Streams<Host>>;

/// The node at `place`, started for the `start`th time, counted from zero.
fn node(plan: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> TcpNode {
    let rng = plan.node_rng(place, FlowProtocol::TCP, start);
    let mut host = Host::new(plan.address(place), Config::default(), rng).expect("its settings are the defaults");
    tcp::listen(&mut host, plan.known_controllers());
    MachineNode::new(host, Streams::new(place, FlowProtocol::TCP, plan.clone(), ledger.clone()))
}

impl Speaker for TcpNode {
    fn rtt(&self, flow: usize, _: usize) -> Option<Rtt> {
        self.app.rtt(&self.machine, flow)
    }
}

impl Scripted for Host {
    fn reset(&mut self, stream: ConnectionId, _: u64) {
        let _ = self.abort(stream);
    }

    fn stop(&mut self, stream: ConnectionId, _: u64) {
        let _ = self.abort(stream);
    }

    fn send_datagram(&mut self, _: Instant, _: IpAddr, _: &[u8]) -> Result<(), SendError> {
        Err(SendError::Never("TCP has no datagrams".to_owned()))
    }

    fn recv_datagram(&mut self, _: ConnectionId) -> Option<Vec<u8>> {
        None
    }

    fn rtt(&self, stream: ConnectionId) -> Option<Rtt> {
        tcp::rtt(&self.stats(stream).ok()?)
    }
}
