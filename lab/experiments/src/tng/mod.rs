//! Flows over tng: the application beside a [`Host`], which opens the streams of its host, sends its datagrams, does to
//! them what the scenario says, and checks every byte that it receives.
//!
//! * [`app`]: what a host does when.
//! * [`write`], [`read`], [`datagrams`]: how.
//!
//! What all hosts of a run know is in [`plan`](crate::plan). A stream begins with its number, four bytes; a datagram
//! with the number of its group, whose first bit is set, and its own.

mod app;
mod datagrams;
mod read;
mod write;

use std::rc::Rc;

use tng_semantic::structured::ServiceOptions;
use tng_sim::MachineNode;
use tng_stack::{Access, Host, HostConfig};

pub(crate) use app::Flows;

use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::scenario::{FlowProtocol, Kept, TngSpec};

/// A host that runs tng.
pub(crate) type TngNode = MachineNode<Host, Flows>;

/// Service and protocol of every flow's streams.
const SERVICE: (&str, &str) = ("flow", "lab/1");

/// The node at `place`, started for the `start`th time, counted from zero.
pub(crate) fn node(plan: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> TngNode {
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
        config.controller = peer.controller.clone().unwrap_or(config.controller);
    }
    let seed = plan.node_rng(place, FlowProtocol::Tng, start).bytes();
    let mut host = Host::new(config, plan.identity(place), seed);
    host.listen(SERVICE.0, SERVICE.1, ServiceOptions { substreams: true, ..ServiceOptions::default() });
    MachineNode::new(host, Flows::new(place, plan.clone(), ledger.clone()))
}
