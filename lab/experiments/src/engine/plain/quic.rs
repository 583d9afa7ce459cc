//! Flows over QUIC.

use core::net::IpAddr;
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::{IpProtocol, MachineNode};

use super::app::Streams;
use super::scripted::{Scripted, SendError};
use crate::engine::ledger::Ledger;
use crate::engine::plan::Plan;
use crate::engine::protocol::{Control, FIRST_MTU, Row, Speaker};
use crate::peers::quic::{Config, ConnectionId, Controller, DatagramError, Host};
use crate::peers::transport::quic::{self, PORT, Quic};
use crate::peers::transport::{Rtt, Transport, tell};
use crate::real::Real;
use crate::scenario::{FlowProtocol, Seat};

/// QUIC, as quinn has it; one connection for each pair of hosts.
pub(crate) static ROW: Row = Row {
    name: "quic",
    lots: 2,
    seat: Seat { protocol: IpProtocol::Udp, port: PORT },
    lacks: &[
        ("via", "helpers pass on tng alone"),
        ("policed", "its controllers are quinn's own"),
        ("parent", "its streams have no children"),
        ("priority", "its streams have no priorities"),
        ("connect", "its streams share a connection, which is there from the first on"),
        ("lifetime", "its datagrams have none"),
    ],
    control: Some(Control { by_host: true, own: Some(&CONTROLLERS), default: Controller::DEFAULT.name() }),
    structured: false,
    receiver_opens: false,
    datagram_max: None,
    mtu_min: FIRST_MTU,
    // Its bytes depend on keys that no seed determines.
    repeats_bytes: false,
    node: |plan, ledger, place, start| Box::new(node(plan, ledger, place, start)),
    tell: |plan, place, part, settings| tell::quic(settings, part, &config(plan, place)),
    real: Some(Real::QUIC),
};

/// Names of quinn's controllers.
const CONTROLLERS: [&str; Controller::ALL.len()] = {
    let [cubic, newreno, bbr] = Controller::ALL;
    [cubic.name(), newreno.name(), bbr.name()]
};

/// A host that runs QUIC.
type QuicNode = MachineNode<Quic, Streams<Quic>>;

/// What the host at `place` is set to.
fn config(plan: &Plan, place: usize) -> Config {
    let controller = plan.named(place, FlowProtocol::QUIC);
    let controller = controller.and_then(|name| name.parse::<Controller>().ok()).unwrap_or_default();
    Config { controller, ..Config::default() }
}

/// The node at `place`, started for the `start`th time, counted from zero.
fn node(plan: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> QuicNode {
    let rng = plan.node_rng(place, FlowProtocol::QUIC, start);
    let mut host = Host::new(&config(plan, place), rng);
    host.listen();
    MachineNode::new(Quic::new(host), Streams::new(place, FlowProtocol::QUIC, plan.clone(), ledger.clone()))
}

impl Speaker for QuicNode {
    fn rtt(&self, flow: usize, _: usize) -> Option<Rtt> {
        self.app.rtt(&self.machine, flow)
    }
}

impl Scripted for Quic {
    fn reset(&mut self, (id, stream): Self::Stream, code: u64) {
        // Fails if the half was over before, and that is as well.
        let _ = self.host.reset(id, stream, u32::try_from(code).unwrap_or(u32::MAX));
    }

    fn stop(&mut self, (id, stream): Self::Stream, code: u64) {
        let _ = self.host.stop(id, stream, u32::try_from(code).unwrap_or(u32::MAX));
    }

    fn send_datagram(&mut self, now: Instant, to: IpAddr, bytes: &[u8]) -> Result<(), SendError> {
        let id = self.connection(now, to).map_err(SendError::Never)?.ok_or(SendError::Later)?;
        self.host.send_datagram(id, bytes).map_err(|error| match error {
            DatagramError::Blocked => SendError::Full,
            error => SendError::Never(error.to_string()),
        })
    }

    fn recv_datagram(&mut self, carrier: ConnectionId) -> Option<Vec<u8>> {
        Some(self.host.recv_datagram(carrier).ok()??.to_vec())
    }

    fn rtt(&self, (id, _): <Quic as Transport>::Stream) -> Option<Rtt> {
        quic::rtt(&self.host.stats(id).ok()?)
    }
}
