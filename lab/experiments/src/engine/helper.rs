//! Helpers of a scenario: nodes that pass flows over tng on from section to section.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_middlebox::{ClientTag, Helper, HelperConfig, Neighbourhood, Network, Onward};
use tng_sim::{MachineNode, PORT, fork};
use tng_stack::{Identity, Stop, Via};

use crate::engine::plan::Plan;
use crate::engine::protocol::{Party, Speaker};
use crate::peers::transport::{Rtt, tell};
use crate::scenario::{HelperQueue, NodeKind, Scenario};
use crate::settings::Settings;

/// What a capability is good for: longer than any run, and as many flows as it may say.
const CAPABILITY: (Duration, u16) = (Duration::from_secs(10 * 365 * 24 * 3_600), 1_024);

/// [`Instant::ZERO`] in milliseconds since 1970, for helpers.
const EPOCH_MS: u64 = 1_700_000_000_000;

/// Lots of a world: what each is for, above those of hosts and protocols.
mod lot {
    /// And the place of a helper.
    pub(super) const SECRETS: u64 = 0x90 << 56;
    /// And its place, and how often it was started before.
    pub(super) const LIVES: u64 = 0x91 << 56;
    /// And the places of helper and client.
    pub(super) const CAPABILITIES: u64 = 0x92 << 56;
}

/// A helper passes on to everybody in its world.
fn config(own: &[IpAddr], queue: &HelperQueue) -> HelperConfig {
    let everybody = ["0.0.0.0", "::"].map(|all| Network { address: all.parse().expect("an address"), bits: 0 });
    let default = Neighbourhood::default();
    let queue_time = queue.time.unwrap_or(default.queue_time);
    let elsewhere = Neighbourhood { discipline: queue.discipline.clone(), queue_time, ..default };
    HelperConfig { onward: Onward::Listed(everybody.into()), own: own.to_vec(), elsewhere, ..HelperConfig::default() }
}

/// A restart does not change it.
fn secret(seed: u64, place: usize) -> [u8; 32] {
    fork(seed, lot::SECRETS | place as u64).bytes()
}

fn machine(plan: &Plan, place: usize, start: u32) -> Helper {
    let lots = fork(plan.seed(), lot::LIVES | (place as u64) << 32 | u64::from(start)).bytes::<32>();
    let secret = Secret32::from_bytes(secret(plan.seed(), place));
    let (own, queue) = &plan.helpers[&place];
    Helper::new(config(own, queue), &secret, EPOCH_MS, lots)
}

/// The helper at a place, started for the `start`th time, counted from zero.
pub(crate) fn node(plan: &Plan, place: usize, start: u32) -> Party {
    Box::new(MachineNode::new(machine(plan, place, start), ()))
}

/// What a client needs to go through the helper at a place: its capability is the client's own.
pub(crate) fn via(plan: &Plan, place: usize, client: usize) -> Via {
    let mut lots = fork(plan.seed(), lot::CAPABILITIES | (place as u64) << 28 | client as u64);
    let office = machine(plan, place, 0);
    let capability = office.office().issue(Instant::ZERO, ClientTag(client as u64 + 1), CAPABILITY, lots.bytes::<32>());
    let address = SocketAddr::new(plan.helpers[&place].0[0], PORT);
    Via::new(Identity::from_seed(secret(plan.seed(), place)).eid(), Stop::new(address, capability))
}

/// Tells what the helper at a place is set to.
pub(crate) fn tell(scenario: &Scenario, place: usize, settings: &mut Settings) {
    let node = &scenario.nodes[place];
    let NodeKind::Helper { addresses, queue } = &node.kind else { return };
    tell::helper(settings, &node.name, &config(addresses, queue));
}

impl Speaker for MachineNode<Helper, ()> {
    fn rtt(&self, _: usize, _: usize) -> Option<Rtt> {
        None
    }
}
