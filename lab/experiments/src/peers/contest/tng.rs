//! Parties that speak tng.

use core::net::IpAddr;

use tng_base::Rng;
use tng_semantic::structured::ServiceOptions;
use tng_stack::{Access, Host, HostConfig, Identity};

use super::bulk::Contender;
use super::{Figures, Party, Transport};
use crate::peers::transport::sst::{Connections, SERVICE, Sst};

/// What one is set to.
pub(super) fn config(party: &Party, access: Access) -> HostConfig {
    HostConfig {
        controller: party.controller.clone(),
        pacing: party.pacing,
        danger_weak: party.transport == Transport::TngWeak,
        ..HostConfig::new(access)
    }
}

/// A sender and a receiver.
pub(super) fn hosts(party: &Party, rngs: [Rng; 2], to: IpAddr) -> [Sst; 2] {
    let [mut left, mut right] = rngs;
    let (caller, called) = (Identity::from_seed(left.bytes::<32>()), Identity::from_seed(right.bytes::<32>()));
    let eid = called.eid();
    let sender = Host::new(config(party, Access::Nobody), caller, left.bytes::<32>());
    let mut receiver = Host::new(config(party, Access::Public), called, right.bytes::<32>());
    receiver.listen(SERVICE.0, SERVICE.1, ServiceOptions::default());
    let [mut sender, receiver] = [sender, receiver].map(|host| Sst::new(host, Connections::Each));
    sender.know(to, eid);
    [sender, receiver]
}

impl Contender for Sst {
    fn figures(&self) -> Figures {
        let mut sum = Figures::default();
        for stats in self.host.connections().filter_map(|id| self.host.stats(id)) {
            sum.sent += stats.channel.packets_sent;
            sum.lost += stats.channel.lost;
            sum.timeouts += stats.channel.probe_timeouts;
            sum.reductions += stats.regulation.reductions;
            sum.undone += stats.regulation.undone;
        }
        sum
    }
}
