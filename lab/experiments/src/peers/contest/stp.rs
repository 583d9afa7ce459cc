//! Parties whose transport is a guest.

use core::net::{IpAddr, SocketAddr};

use tng_base::Rng;
use tng_sim::PORT;
use tng_stack::{Access, Host, Identity};

use super::bulk::Contender;
use super::{Figures, Party, tng};
use crate::peers::guests::GuestRun;
use crate::peers::transport::stp::Stp;

/// A sender and a receiver.
pub(super) fn hosts(party: &Party, run: GuestRun, rngs: [Rng; 2], to: IpAddr) -> [Stp; 2] {
    let [mut left, mut right] = rngs;
    let (caller, called) = (Identity::from_seed(left.bytes::<32>()), Identity::from_seed(right.bytes::<32>()));
    let eid = called.eid();
    let sender = Host::new(tng::config(party, Access::Nobody), caller, left.bytes::<32>());
    let receiver = Host::new(tng::config(party, Access::Public), called, right.bytes::<32>());
    let (sends, receives) = (run.workshop(&mut left), run.workshop(&mut right));
    let mut sender = Stp::new(sender, sends, run.code());
    sender.know(SocketAddr::new(to, PORT), eid);
    [sender, Stp::new(receiver, receives, run.accepting())]
}

impl Contender for Stp {
    fn figures(&self) -> Figures {
        let mut sum = Figures::default();
        for id in self.ids() {
            let Some(stats) = self.host.stats(id) else { continue };
            sum.sent += stats.channel.packets_sent;
            sum.lost += stats.channel.lost;
        }
        sum
    }
}
