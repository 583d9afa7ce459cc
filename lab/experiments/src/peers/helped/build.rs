//! The world of a setting.

use core::net::IpAddr;
use core::time::Duration;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_middlebox::{ClientTag, Helper, HelperConfig, InPath, InPathConfig, Network, OfferKey};
use tng_sim::{IpProtocol, Link, MachineNode, PORT, World, fork, topology};
use tng_stack::structured::{FirstData, ServiceOptions, Services};
use tng_stack::{Host, Identity, Stop, Target, Via};

use super::end::{Calls, DATA, End, PINGS};
use super::looped;
use super::run::{Any, Run, Score, Seated};
use super::tally::Seat;
use super::{Direction, Party, Setting, Span, Speaks};
use crate::peers::contest;

/// Bits per second of what joins a host or a helper to its router: never the limit.
const FAST_BPS: u64 = 10_000_000_000;

/// What joins a helper to its router takes so long: they stand in one room.
const BESIDE: Duration = Duration::from_micros(10);

/// What a capability is good for: longer than any run.
const CAPABILITY: (Duration, u16) = (Duration::from_secs(30 * 24 * 3_600), 1_024);

/// [`Instant::ZERO`] in milliseconds since 1970, for helpers.
const EPOCH_MS: u64 = 1_700_000_000_000;

/// The secret of a helper by its place in [`Setting::helpers`]; a restart does not change it.
fn secret_of(place: usize) -> [u8; 32] {
    let mut secret = [0x51; 32];
    secret[..8].copy_from_slice(&(place as u64).to_be_bytes());
    secret
}

/// Lots of a world: what each is for.
mod lot {
    pub(super) const CAPABILITIES: u64 = 1 << 32;
    /// And the number of a helper, and how often it was started.
    pub(super) const HELPERS: u64 = 1 << 33;
    /// And the number of a helper.
    pub(super) const IN_PATH: u64 = 1 << 34;
}

/// The addresses at a router: those of parties' hosts, or helpers, from `first` on.
pub(super) fn at_router(router: usize, number: usize) -> IpAddr {
    topology::ipv4((router as u16) << 8 | number as u16)
}

/// Those that are at a router.
fn network(router: usize) -> Network {
    // Addresses count from one, and those of a router are 256 in a row.
    Network { address: topology::ipv4((router as u16) << 8), bits: 24 }
}

/// Numbers of hosts at a router begin here, those of helpers at zero.
pub(super) const FIRST_HOST: usize = 32;

/// A helper that has just begun, for the `life`th time.
pub(super) fn helper(seed: u64, place: usize, life: u64, config: HelperConfig) -> Helper {
    let lots = fork(seed, lot::HELPERS + ((place as u64) << 16) + life).bytes();
    Helper::new(config, &Secret32::from_bytes(secret_of(place)), EPOCH_MS, lots)
}

/// What joins a helper and its router.
pub(super) fn beside() -> Link {
    coming().delay(BESIDE)
}

/// What leads from a router to a host.
pub(super) fn coming() -> Link {
    Link::new().rate(FAST_BPS)
}

impl Setting {
    /// What leads from a host to its router.
    pub(super) fn leaving(&self) -> Link {
        coming().jitter(self.jitter / 2).delay(self.jitter / 2)
    }

    /// What helper `place` is told by its operator, with the neighbourhoods that it names.
    pub(super) fn helper_config(&self, place: usize) -> HelperConfig {
        let post = &self.helpers[place];
        let mut config = post.config.clone();
        let named = post.toward.iter().map(|(router, neighbourhood)| (network(*router), neighbourhood.clone()));
        config.neighbourhoods.extend(named);
        config
    }

    /// The eyes of helper `place` at its router.
    fn in_path(&self, place: usize) -> InPath {
        let (helper, identity) = (self.helper_config(place), Identity::from_seed(secret_of(place)));
        let everywhere = Network { address: topology::ipv4(0), bits: 8 };
        let offered =
            helper.neighbourhoods.iter().filter(|(_, there)| there.offers.controllers.contains(&there.controller));
        let config = InPathConfig {
            key: OfferKey { eid: identity.eid(), agreement: identity.agreement_key() },
            addresses: vec![(self.helper_address(place), PORT).into()],
            clients: vec![everywhere],
            onward: helper.onward.clone(),
            life: CAPABILITY.0,
            flows_max: CAPABILITY.1,
            advice: offered.map(|(network, there)| (*network, there.controller.name().to_owned())).collect(),
        };
        let lots = fork(self.seed, lot::IN_PATH + place as u64).bytes::<32>();
        InPath::new(config, &Secret32::from_bytes(secret_of(place)), EPOCH_MS, lots)
    }

    fn helper_address(&self, place: usize) -> IpAddr {
        at_router(self.helpers[place].router, place)
    }

    /// Makes its world; nothing has happened in it.
    ///
    /// # Panics
    /// If a router, a helper or a controller that is named does not exist, or there are more than 32 helpers or 100
    /// parties.
    pub fn begin(self) -> Run {
        assert!(self.helpers.len() <= FIRST_HOST && self.parties.len() <= 100, "there are too many of them");
        let mut world: World<Any> = World::new(self.seed);
        let routers: Vec<_> = (0..=self.links.len()).map(|n| world.router(&format!("router {n}"))).collect();
        let link =
            |(n, Span { forth, back }): (usize, &Span)| world.connect_with(routers[n], routers[n + 1], forth, back);
        let links = self.links.iter().enumerate().map(link).collect();
        let mut helpers = Vec::new();
        for (place, post) in self.helpers.iter().enumerate() {
            let machine = helper(self.seed, place, 0, self.helper_config(place));
            let node = Any::Helper(Box::new(MachineNode::new(machine, ())));
            let id = world.host(&format!("helper {place}"), &[self.helper_address(place)], node);
            world.connect(routers[post.router], id, &beside());
            world.tell_losses(routers[post.router], id);
            if post.in_path {
                let mut in_path = self.in_path(place);
                world.watch_passing(routers[post.router], move |now, packet| {
                    let offer = in_path.pass(now, packet.src, packet.dst, &packet.payload)?;
                    Some((packet.src, packet.dst, offer))
                });
            }
            helpers.push(id);
        }
        let mut seated = Vec::new();
        for (number, party) in self.parties.iter().enumerate() {
            let addresses = [(0, party.between.0), (1, party.between.1)]
                .map(|(side, router)| at_router(router, FIRST_HOST + 2 * number + side));
            let (nodes, seat) = self.nodes(number, party, addresses);
            let names = ["client", "server"].map(|side| format!("{side} of {}", party.name));
            let mut ids = Vec::new();
            for (((node, name), address), router) in
                nodes.into_iter().zip(names).zip(addresses).zip([party.between.0, party.between.1])
            {
                let id = world.host(&name, &[address], node);
                world.connect_with(id, routers[router], &self.leaving(), &coming());
                world.tell_losses(routers[router], id);
                if let Speaks::Tcp { .. } = party.speaks {
                    world.set_protocol(id, IpProtocol::Tcp);
                    if let Some(stop) = party.stop {
                        world.at(Instant::ZERO + stop, move |world| drop(world.stop(id)));
                    }
                }
                ids.push(id);
            }
            seated.push(Seated::new(seat, [ids[0], ids[1]]));
        }
        Run::new(world, self, links, helpers, seated)
    }

    /// Client and server of a party.
    fn nodes(&self, number: usize, party: &Party, at: [IpAddr; 2]) -> ([Any; 2], Score) {
        let rngs = [0, 1].map(|side| fork(self.seed, 2 * number as u64 + side));
        match &party.speaks {
            Speaks::Tcp { controller } => {
                let bulk = contest::Party {
                    connections: party.connections,
                    bytes: party.bytes,
                    start: party.start,
                    ..contest::Party::new(contest::Transport::Tcp, controller.name())
                };
                let (seat, [client, server]) = (contest::Seat::alone(), at);
                let nodes = match party.direction {
                    Direction::Up => contest::tcp_nodes(&bulk, rngs, at, &seat),
                    Direction::Down => {
                        let [sender, receiver] = contest::tcp_nodes(&bulk, rngs, [server, client], &seat);
                        [receiver, sender]
                    }
                };
                (nodes.map(Any::Plain), Score::Tcp(seat))
            }
            Speaks::Tng { client, server, via, wishes, above } => {
                let [mut left, mut right] = rngs;
                let (caller, called) =
                    (Identity::from_seed(left.bytes::<32>()), Identity::from_seed(right.bytes::<32>()));
                let mut lots = fork(self.seed, lot::CAPABILITIES + number as u64);
                let stop = |place: &usize| {
                    let office = helper(self.seed, *place, 0, HelperConfig::default());
                    let tag = ClientTag(number as u64 + 1);
                    let capability = office.office().issue(Instant::ZERO, tag, CAPABILITY, lots.bytes::<32>());
                    let address = (self.helper_address(*place), PORT).into();
                    let stop = Stop { wishes: wishes.clone(), ..Stop::new(address, capability) };
                    Via::new(Identity::from_seed(secret_of(*place)).eid(), stop)
                };
                let target = Target {
                    eid: called.eid(),
                    addresses: vec![(at[1], PORT).into()],
                    capability: None,
                    via: via.iter().map(stop).collect(),
                };
                let (seat, up) = (Seat::default(), party.direction == Direction::Up);
                let at = Instant::ZERO + party.start;
                let calls = Calls { at, target, connections: party.connections, above: above.clone() };
                let calling = End::new(up, party, &seat).calls(calls);
                let caller = Host::new((**client).clone(), caller, left.bytes::<32>());
                let mut host = Host::new((**server).clone(), called, right.bytes::<32>());
                let mut services = Services::new();
                for (service, protocol) in [DATA, PINGS] {
                    let options = ServiceOptions { first_data: FirstData::Unproven, substreams: true };
                    host.listen(service, protocol, options);
                    services.listen(service, protocol, options);
                }
                if let Some(controller) = above {
                    looped::listen(&mut host, services, controller.clone());
                }
                let client = Any::End(Box::new(MachineNode::new(caller, calling)));
                let server = Any::End(Box::new(MachineNode::new(host, End::new(!up, party, &seat))));
                ([client, server], Score::Tng(seat))
            }
        }
    }
}
