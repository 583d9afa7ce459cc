//! Flows over QUIC.

use core::net::IpAddr;
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::MachineNode;

use super::app::Streams;
use super::scripted::{Scripted, SendError};
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::quic::{Config, ConnectionId, Controller, DatagramError, Host};
use crate::scenario::FlowProtocol;
use crate::transport::quic::{self, Quic};
use crate::transport::{Rtt, Transport};

/// A host that runs QUIC.
pub(crate) type QuicNode = MachineNode<Quic, Streams<Quic>>;

/// The node at `place`, started for the `start`th time, counted from zero.
pub(crate) fn node(plan: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> QuicNode {
    let controller = plan.peers[place].as_ref().and_then(|peer| peer.quic_controller.as_deref());
    let controller = controller.and_then(|name| name.parse::<Controller>().ok()).unwrap_or_default();
    let rng = plan.node_rng(place, FlowProtocol::Quic, start);
    let mut host = Host::new(&Config { controller, ..Config::default() }, rng);
    host.listen();
    MachineNode::new(Quic::new(host), Streams::new(place, FlowProtocol::Quic, plan.clone(), ledger.clone()))
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
