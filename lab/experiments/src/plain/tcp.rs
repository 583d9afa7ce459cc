//! Flows over the reference TCP.

use core::net::IpAddr;
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::MachineNode;
use tng_tcp::{Config, ConnectionId, Host};

use super::app::Streams;
use super::scripted::{Scripted, SendError};
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::scenario::FlowProtocol;
use crate::transport::{Rtt, tcp};

/// A host that runs TCP.
pub(crate) type TcpNode = MachineNode<Host, Streams<Host>>;

/// The node at `place`, started for the `start`th time, counted from zero.
pub(crate) fn node(plan: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> TcpNode {
    let rng = plan.node_rng(place, FlowProtocol::Tcp, start);
    let mut host = Host::new(plan.address(place), Config::default(), rng).expect("its settings are the defaults");
    tcp::listen(&mut host, plan.known_controllers());
    MachineNode::new(host, Streams::new(place, FlowProtocol::Tcp, plan.clone(), ledger.clone()))
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
