//! Parties that speak TCP.

use core::net::IpAddr;

use tng_base::Rng;
use tng_tcp::{Config, Host};

use super::bulk::Contender;
use super::{Figures, Party};
use crate::peers::transport::tcp;

/// What both are set to.
pub(crate) fn config(party: &Party) -> Config {
    Config { controller: party.controller.clone(), pacing: party.pacing, ..Config::default() }
}

/// A sender and a receiver.
pub(super) fn hosts(party: &Party, rngs: [Rng; 2], at: [IpAddr; 2]) -> [Host; 2] {
    let config = config(party);
    let ([left, right], [here, there]) = (rngs, at);
    let host = |address, rng| Host::new(address, config.clone(), rng).expect("a party's controller exists");
    let (sender, mut receiver) = (host(here, left), host(there, right));
    tcp::listen(&mut receiver, []);
    [sender, receiver]
}

impl Contender for Host {
    fn figures(&self) -> Figures {
        let mut sum = Figures::default();
        for stats in self.connections().filter_map(|id| self.stats(id).ok()) {
            sum.sent += stats.segments_sent;
            sum.lost += stats.retransmits;
            sum.timeouts += stats.timeouts;
            sum.reductions += stats.reductions;
            sum.undone += stats.undone;
        }
        sum
    }
}
