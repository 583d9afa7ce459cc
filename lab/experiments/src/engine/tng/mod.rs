//! Flows over tng: the application beside a [`Host`], which opens the streams of its host, sends its datagrams, does to
//! them what the scenario says, and checks every byte that it receives.
//!
//! * [`app`]: what a host does when.
//! * [`write`], [`read`], [`datagrams`]: how.
//!
//! What all hosts of a run know is in [`plan`](crate::engine::plan). A stream begins with its number, four bytes; a
//! datagram with the number of its group, whose first bit is set, and its own.

mod app;
mod datagrams;
mod read;
mod write;

use std::rc::Rc;

use tng_congestion::Choice;
use tng_semantic::structured::ServiceOptions;
use tng_sim::{IpProtocol, MachineNode, PORT};
use tng_stack::{Access, Host, HostConfig};

use app::Flows;

use crate::engine::ledger::Ledger;
use crate::engine::plan::Plan;
use crate::engine::protocol::{Control, FIRST_MTU, Row, Speaker};
use crate::peers::transport::{Helped, Rtt, tell};
use crate::real::Real;
use crate::scenario::{FlowProtocol, Kept, Seat, TngSpec};

/// Structured streams of this suite.
pub(crate) static ROW: Row = Row {
    name: "tng",
    lots: 0,
    seat: Seat { protocol: IpProtocol::Udp, port: PORT },
    lacks: &[("connect", "its streams share a connection, which is there from the first on")],
    control: Some(Control { by_host: true, own: None, default: Choice::DEFAULT }),
    structured: true,
    receiver_opens: false,
    datagram_max: None,
    mtu_min: FIRST_MTU,
    repeats_bytes: true,
    node: |plan, ledger, place, start| Box::new(node(plan, ledger, place, start)),
    tell: |plan, place, part, settings| tell::host(settings, part, &config(plan, place)),
    real: Some(Real::TNG),
};

/// A host that runs tng.
type TngNode = MachineNode<Host, Flows>;

/// Service and protocol of every flow's streams.
const SERVICE: (&str, &str) = ("flow", "lab/1");

/// What the host at `place` is set to.
fn config(plan: &Plan, place: usize) -> HostConfig {
    let mut config = HostConfig::new(Access::Public);
    if let Some(peer) = &plan.peers[place] {
        let TngSpec { keep_alive, keep, streams_max, weak } = peer.tng;
        config.keep_alive = keep_alive;
        config.danger_weak = weak;
        config.streams.streams_max = streams_max.unwrap_or(config.streams.streams_max);
        match keep {
            Some(Kept::For(time)) => config.keep.time = Some(time),
            Some(Kept::Forever) => config.keep.time = None,
            None => {}
        }
        config.controller = plan.choice(place, FlowProtocol::TNG).unwrap_or(config.controller);
    }
    config
}

/// The node at `place`, started for the `start`th time, counted from zero.
fn node(plan: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> TngNode {
    let seed = plan.node_rng(place, FlowProtocol::TNG, start).bytes();
    let mut host = Host::new(config(plan, place), plan.identity(place), seed);
    host.listen(SERVICE.0, SERVICE.1, ServiceOptions { substreams: true, ..ServiceOptions::default() });
    MachineNode::new(host, Flows::new(place, plan.clone(), ledger.clone()))
}

impl Speaker for TngNode {
    fn rtt(&self, _: usize, to: usize) -> Option<Rtt> {
        let stats = self.machine.stats(self.app.connected(to)?)?;
        Some(Rtt { smoothed: stats.rtt, min: stats.rtt_min })
    }

    fn helped(&self, to: usize) -> Option<Helped> {
        let stats = self.app.connected(to).and_then(|connection| self.machine.stats(connection));
        let section = stats.filter(|stats| stats.helpers > 0).map(|stats| {
            let rtt = stats.regulation.rtt;
            Rtt { smoothed: rtt.smoothed(), min: rtt.min() }
        });
        Some(Helped { section, ..self.app.helped(to) })
    }

    fn datagrams_expired(&self, to: usize) -> Option<u64> {
        Some(self.machine.peek_streams(self.app.connected(to)?)?.stats().datagrams_expired)
    }
}
