//! What a helper says of packets that others at its port read too.

use tng_channel::wire::reset_len;
use tng_endpoint::{Claim, Mode, Tenant};
use tng_flow::wire::{ANSWERED, DECLINED, JOIN, JOINED, Join, ORDER};
use tng_wire::{Reader, Repr};

use super::Helper;

impl Tenant for Helper {
    fn reads(&self, first: u8) -> bool {
        matches!(first, JOIN | JOINED | ANSWERED | DECLINED) || Mode::of(first) == Mode::Section
    }

    fn claim(&self, packet: &[u8]) -> Claim {
        match packet.first() {
            Some(&JOIN) => match Join::parse(&mut Reader::new(packet)) {
                Ok(join) if join.onward.first() == Some(&ORDER) => Claim::Serves,
                _ => Claim::Neither,
            },
            _ if self.demux.owner_of(packet).is_some() => Claim::Knows,
            Some(first) if Mode::of(*first) == Mode::Section => match reset_len(packet.len()) {
                _ if self.demux.reset_owner(packet).is_some() => Claim::Knows,
                Some(len) => Claim::Disowns(len),
                None => Claim::Neither,
            },
            _ => Claim::Neither,
        }
    }
}
