//! What a host says of packets that others at its port read too.

use tng_channel::wire::reset_len;
use tng_endpoint::{Claim, Mode, PUNCH, Tenant};
use tng_flow::wire::{ANSWERED, DECLINED, JOIN, JOINED, Join, OFFER};
use tng_isolation::wire::{INIT, WRONG_KEY};
use tng_isolation::{Family, Hello};
use tng_wire::{Reader, Repr};

use super::Host;
use crate::Access;

impl Host {
    /// An INIT that is for this host begins something. Of one for somebody else it says so, as the only one: a scanner
    /// that looks for hosts is told of one alone.
    fn claim_init(&self, hello: Option<Hello<'_>>, packet: &[u8]) -> Claim {
        match hello {
            Some(hello) if hello.is_for(&self.identity) => Claim::Serves,
            Some(_) if !self.is_silent() && !matches!(self.wide.config.access, Access::Nobody) => {
                Claim::Disowns(packet.len())
            }
            _ => Claim::Neither,
        }
    }
}

impl Tenant for Host {
    fn reads(&self, first: u8) -> bool {
        match Mode::of(first) {
            Mode::SetUp => {
                matches!(first, INIT..=WRONG_KEY | JOIN | JOINED | ANSWERED | DECLINED | OFFER | PUNCH)
            }
            Mode::Channel | Mode::Section => true,
            Mode::Trickles | Mode::Carrier | Mode::Unassigned => false,
        }
    }

    fn claim(&self, packet: &[u8]) -> Claim {
        let Some(&first) = packet.first() else { return Claim::Neither };
        match (Mode::of(first), first) {
            (Mode::SetUp, INIT) => {
                self.claim_init(Hello::parse(Family::Channel, packet).ok().filter(Hello::is_direct), packet)
            }
            (Mode::SetUp, JOIN) => {
                let join = Join::parse(&mut Reader::new(packet));
                self.claim_init(join.ok().and_then(|join| Hello::parse(Family::Channel, join.onward).ok()), packet)
            }
            (Mode::SetUp, PUNCH) => self.claim_punch(packet),
            _ if self.wide.demux.owner_of(packet).is_some() => Claim::Knows,
            (Mode::Channel | Mode::Section, _) => match reset_len(packet.len()) {
                _ if self.wide.demux.reset_owner(packet).is_some() => Claim::Knows,
                Some(len) if !self.is_silent() => Claim::Disowns(len),
                // It says nothing to the sender, and asks the others.
                _ if self.may_reset_sibling(packet) => Claim::Disowns(0),
                _ => Claim::Neither,
            },
            _ => Claim::Neither,
        }
    }

    fn is_silent(&self) -> bool {
        self.wide.config.silent
    }
}
