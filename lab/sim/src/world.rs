//! The world: a clock, nodes, and what is between them.

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;
use std::io::{self, Write};

use tng_base::{Datagram, Ecn, Input, Instant, LinkLoss, PathChange};
use tng_trace::{Digest, IpProtocol};

use crate::dice;
use crate::host::Host;
use crate::lane::{Arrival, Lane};
use crate::link::{Carrier, LaneId, Link, LinkId};
use crate::nat::{Nat, NatConfig, NatDrop, PacketEnd};
use crate::net::Net;
use crate::node::{Node, NodeId, Outbox};
use crate::packet::Packet;
use crate::recorder::{Capture, Comments};
use crate::route::Attachment;
use crate::schedule::Event;
use crate::stats::{DropCause, LaneStats, QueueLook};

/// Bytes of a lost packet that a link-loss notice shows.
const NOTICE_BYTES: usize = 64;

/// A node that asks this often in a row for a time that has already come makes no progress.
const FRUITLESS_MAX: u32 = 1000;

/// A host or router.
struct Station<N> {
    name: String,
    host: Option<Host<N>>,
    /// Hosts that hear what the links of this router tell of losses.
    told: Vec<NodeId>,
    /// What a router translates.
    nat: Option<Box<Translation>>,
    /// Who sees what passes a router.
    watcher: Option<Watcher>,
}

/// What somebody at a router sends behind a packet that has passed: from where it seems to come, where it goes, and
/// what it is.
pub type Behind = (SocketAddr, SocketAddr, Vec<u8>);

type Watcher = Box<dyn FnMut(Instant, &Packet) -> Option<Behind>>;

/// What a router translates between those behind it and the others.
struct Translation {
    nat: Nat,
    /// The nodes behind it, each at the other end of a link.
    inside: Vec<NodeId>,
    /// Packets that it did not let pass, by [`NatDrop`].
    dropped: [u64; NatDrop::ALL.len()],
}

/// Where a capture listens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tap {
    /// At both ends of every link.
    World,
    /// At both ends of one link.
    Link(LinkId),
    /// At one node's end of each of its links.
    Node(NodeId),
}

type Operation<N> = Box<dyn FnOnce(&mut World<N>)>;

/// A network in virtual time.
pub struct World<N> {
    net: Net,
    stations: Vec<Station<N>>,
    outbox: Outbox,
    operations: BTreeMap<u32, Operation<N>>,
    operation_next: u32,
    seed: u64,
}

/// Building.
impl<N: Node> World<N> {
    /// An empty world; `seed` determines every lot that is drawn in it.
    pub fn new(seed: u64) -> World<N> {
        World {
            net: Net::new(seed),
            stations: Vec::new(),
            outbox: Outbox::new(seed),
            operations: BTreeMap::new(),
            operation_next: 0,
            seed,
        }
    }

    /// Adds a host that runs `node` and has these addresses, IPv4 or IPv6, reachable over any of its links. The first
    /// of a family is the source address of what the node sends without naming one.
    pub fn host(&mut self, name: &str, addresses: &[IpAddr], node: N) -> NodeId {
        let id = NodeId(self.stations.len() as u32);
        self.add_station(name, Some(Host::new(id, node)));
        for address in addresses {
            self.add_address(id, *address, None);
        }
        self.wake(id);
        id
    }

    /// Adds a further node to a host: it has the host's addresses and links, and gets those packets that are UDP
    /// datagrams to its port, or TCP segments. Several machines on one UDP port are one node. What happens to the
    /// host's addresses happens to all of its nodes; each stops and starts by itself.
    ///
    /// # Panics
    /// If the host has a node for these packets.
    pub fn beside(&mut self, host: NodeId, protocol: IpProtocol, port: u16, node: N) -> NodeId {
        let taken = |other: &NodeId| {
            let other = self.host_ref(*other);
            other.protocol == protocol && (other.port == port || protocol == IpProtocol::Tcp)
        };
        assert!(!self.nodes_at(host).any(|other| taken(&other)), "a host has two nodes for the same packets");
        let place = self.host_ref(host).place;
        let id = NodeId(self.stations.len() as u32);
        let mut further = Host::new(place, node);
        (further.port, further.protocol) = (port, protocol);
        further.addresses.clone_from(&self.host_ref(place).addresses);
        let name = self.name(place).to_owned();
        self.add_station(&name, Some(further));
        self.host_mut(place).beside.push(id);
        self.wake(id);
        id
    }

    /// Adds a router: it stores and forwards, by the queues of its links.
    pub fn router(&mut self, name: &str) -> NodeId {
        self.add_station(name, None);
        NodeId(self.stations.len() as u32 - 1)
    }

    /// Makes a router a NAT between the nodes `inside`, each at the other end of a link of its, and all others: what
    /// leaves toward the others comes from its own addresses, and of what comes for these it lets in what it is set to.
    /// Nothing else gets in; those inside reach each other by its addresses only if it is set to that.
    pub fn set_nat(&mut self, router: NodeId, config: NatConfig, inside: &[NodeId]) {
        for address in &config.addresses {
            self.net.routes.attach(*address, Attachment { node: router.0, link: None });
        }
        let nat = Nat::new(config, dice::nat(self.seed, router.index()));
        self.stations[router.index()].nat =
            Some(Box::new(Translation { nat, inside: inside.to_vec(), dropped: Default::default() }));
    }

    /// A NAT is restarted: it knows nobody any more, and those behind it are seen at other ports than before, and hear
    /// nothing of it. What is no NAT stays as it is.
    pub fn restart_nat(&mut self, router: NodeId) {
        if let Some(translation) = &mut self.stations[router.index()].nat {
            translation.nat.restart();
        }
    }

    /// Connects two nodes by a link that is the same in both directions.
    pub fn connect(&mut self, a: NodeId, b: NodeId, link: &Link) -> LinkId {
        self.connect_with(a, b, link, link)
    }

    /// Connects two nodes by a link that is `forth` from `a` to `b`, and `back` from `b` to `a`.
    pub fn connect_with(&mut self, a: NodeId, b: NodeId, forth: &Link, back: &Link) -> LinkId {
        self.net.connect(a.0, b.0, forth, back)
    }

    /// Gives a host one more address, reached over any of its links or over one alone. What it sends from that address
    /// leaves by that link.
    pub fn add_address(&mut self, id: NodeId, address: IpAddr, link: Option<LinkId>) {
        let place = self.host_ref(id).place;
        self.each_at(place, |host| host.addresses.push((address, link)));
        self.net.routes.attach(address, Attachment { node: place.0, link });
    }

    /// What the links of `router` tell of lost packets for `host` is told to that host, as if it were the router
    /// itself: a flow middlebox in an access point, or the host whose modem the router is.
    pub fn tell_losses(&mut self, router: NodeId, host: NodeId) {
        self.stations[router.index()].told.push(host);
    }

    /// Sets the UDP port at which a node listens and from which it sends.
    pub fn set_port(&mut self, id: NodeId, port: u16) {
        self.host_mut(id).port = port;
    }

    /// Sets what a node's packets are. With [`IpProtocol::Tcp`] its node sends and receives whole TCP segments, which
    /// have ports of their own: it gets those to every port, and a link charges them for an IP header alone.
    pub fn set_protocol(&mut self, id: NodeId, protocol: IpProtocol) {
        self.host_mut(id).protocol = protocol;
    }

    /// Writes everything that happens to packets from now on into a digest: every delivery and every drop, with time,
    /// addresses and bytes.
    pub fn record_digest(&mut self) {
        self.net.recorder.digest = Some(Digest::new());
    }

    /// As [`record_digest`](World::record_digest), but packets count with their length alone: for worlds with parties
    /// that draw bytes which no seed determines, as a TLS library does.
    pub fn record_digest_of_sizes(&mut self) {
        self.record_digest();
        self.net.recorder.sizes_only = true;
    }

    /// Captures datagrams from now on, in pcapng, at the links that exist now: each end of a link is an interface,
    /// which sees what its node hands to the link and what comes out of it. Of `comments`, each goes with the packet
    /// that comes next.
    ///
    /// # Errors
    /// Those of the output when it begins; later ones are kept for [`stop_capture`](World::stop_capture).
    pub fn capture(&mut self, out: Box<dyn Write>, tap: Tap, comments: &Comments) -> io::Result<()> {
        let names: Vec<Option<String>> = (0..self.net.routes.lane_count() as u32)
            .map(|lane| {
                let lane = LaneId(lane);
                let (near, far) = self.ends(lane);
                let tapped = match tap {
                    Tap::World => true,
                    Tap::Link(link) => lane.link() == link,
                    Tap::Node(node) => near == node,
                };
                tapped.then(|| format!("{}-{}", self.name(near), self.name(far)))
            })
            .collect();
        self.net.recorder.capture = Some(Capture::start(out, &names, comments.clone())?);
        Ok(())
    }

    /// Ends the capture, if there is one.
    ///
    /// # Errors
    /// The first that the output met.
    pub fn stop_capture(&mut self) -> io::Result<()> {
        self.net.recorder.capture.take().map_or(Ok(()), Capture::finish)
    }

    fn add_station(&mut self, name: &str, host: Option<Host<N>>) {
        self.net.routes.add_node(host.is_none());
        self.stations.push(Station { name: name.to_owned(), host, told: Vec::new(), nat: None, watcher: None });
    }

    /// The nodes of the host that a node belongs to, the first of it first.
    fn nodes_at(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let place = self.host_ref(id).place;
        core::iter::once(place).chain(self.host_ref(place).beside.iter().copied())
    }

    /// Does something to every node of a host.
    fn each_at(&mut self, id: NodeId, mut change: impl FnMut(&mut Host<N>)) {
        let nodes: Vec<NodeId> = self.nodes_at(id).collect();
        nodes.into_iter().for_each(|node| change(self.host_mut(node)));
    }

    fn host_mut(&mut self, id: NodeId) -> &mut Host<N> {
        self.stations[id.index()].host.as_mut().expect("the node is a host, not a router")
    }

    fn host_ref(&self, id: NodeId) -> &Host<N> {
        self.stations[id.index()].host.as_ref().expect("the node is a host, not a router")
    }
}

/// Looking.
impl<N: Node> World<N> {
    /// The time.
    pub fn now(&self) -> Instant {
        self.net.now
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The name of a node.
    pub fn name(&self, id: NodeId) -> &str {
        &self.stations[id.index()].name
    }

    /// A host's node.
    ///
    /// # Panics
    /// If the host is stopped, or is a router.
    pub fn node(&self, id: NodeId) -> &N {
        self.host_ref(id).node.as_ref().expect("the host is not stopped")
    }

    /// A host's node, unless the host is stopped.
    ///
    /// # Panics
    /// If the host is a router.
    pub fn running(&self, id: NodeId) -> Option<&N> {
        self.host_ref(id).node.as_ref()
    }

    /// A host's node, to be used by the test. It is polled at the next event, which is due at once.
    ///
    /// # Panics
    /// If the host is stopped, or is a router.
    pub fn node_mut(&mut self, id: NodeId) -> &mut N {
        self.wake(id);
        self.host_mut(id).node.as_mut().expect("the host is not stopped")
    }

    /// Where a host is found: its first address and its port.
    ///
    /// # Panics
    /// If it has no address.
    pub fn address(&self, id: NodeId) -> SocketAddr {
        let host = self.host_ref(id);
        let (ip, _) = host.addresses.first().expect("the host has an address");
        SocketAddr::new(*ip, host.port)
    }

    /// The addresses of a host, the one that it uses first.
    pub fn addresses(&self, id: NodeId) -> impl Iterator<Item = IpAddr> + '_ {
        self.host_ref(id).addresses.iter().map(|(address, _)| *address)
    }

    /// The nodes at the two ends of a lane: where packets enter, and where they leave.
    pub fn ends(&self, lane: LaneId) -> (NodeId, NodeId) {
        let (from, to) = self.net.routes.ends(lane);
        (NodeId(from), NodeId(to))
    }

    /// The lane by which what a node sends to an address leaves it: the first of the path of least cost. `None`: there
    /// is no path.
    pub fn route(&mut self, from: NodeId, to: IpAddr) -> Option<LaneId> {
        self.net.routes.next(from.0, to, None)
    }

    /// The parameters of a lane.
    pub fn lane(&self, lane: LaneId) -> &Link {
        self.net.lanes[lane.0 as usize].link()
    }

    /// What a lane has seen so far.
    pub fn stats(&self, lane: LaneId) -> LaneStats {
        self.net.lanes[lane.0 as usize].stats(self.net.now)
    }

    /// Looks at the queue of a lane.
    pub fn look(&mut self, lane: LaneId) -> QueueLook {
        self.net.lanes[lane.0 as usize].look()
    }

    /// Packets dropped at nodes, not on links, for this cause.
    pub fn dropped_at_nodes(&self, cause: DropCause) -> u64 {
        self.net.drops.of(cause)
    }

    /// Packets that a NAT did not let pass, for this reason; of what is no NAT none.
    pub fn dropped_at_nat(&self, id: NodeId, why: NatDrop) -> u64 {
        self.stations[id.index()].nat.as_ref().map_or(0, |translation| translation.dropped[why as usize])
    }

    /// The digest of everything since [`record_digest`](World::record_digest), if that was called.
    pub fn digest(&self) -> Option<[u8; 32]> {
        self.net.recorder.digest.as_ref().map(Digest::value)
    }
}

/// Interfering.
impl<N: Node> World<N> {
    /// Does `operation` when the time comes; at once, but not before the next step, if it has come already.
    pub fn at(&mut self, time: Instant, operation: impl FnOnce(&mut World<N>) + 'static) {
        let number = self.operation_next;
        self.operation_next += 1;
        self.operations.insert(number, Box::new(operation));
        self.net.schedule.push(time.max(self.net.now), Event::Operation(number));
    }

    /// Changes the parameters of a lane from now on. What waits goes on waiting; what is being sent or under way is not
    /// affected. A changed loss or queue discipline starts anew. Routing costs stay as they were.
    pub fn change(&mut self, lane: LaneId, change: impl FnOnce(&mut Link)) {
        let mut link = self.lane(lane).clone();
        change(&mut link);
        self.net.on_lane(lane, &mut self.outbox.pool, |lane, context| lane.set_link(context, link));
    }

    /// Changes whether a lane carries anything.
    pub fn set_carrier(&mut self, lane: LaneId, carrier: Carrier) {
        self.net.on_lane(lane, &mut self.outbox.pool, |lane, context| lane.set_carrier(context, carrier));
    }

    /// Schedules an outage of both directions of a link, in which packets are dropped.
    pub fn outage(&mut self, link: LinkId, from: Instant, to: Instant) {
        for (time, carrier) in [(from, Carrier::Drops), (to, Carrier::Up)] {
            self.at(time, move |world| link.lanes().into_iter().for_each(|lane| world.set_carrier(lane, carrier)));
        }
    }

    /// Tells `observer` of every packet that goes no further, anywhere, from now on.
    pub fn watch_drops(&mut self, observer: impl FnMut(Instant, &Packet, DropCause) + 'static) {
        self.net.recorder.observer = Some(Box::new(observer));
    }

    /// Lets `interceptor` see, alter and take (by answering `false`) every packet that is offered to a lane from now
    /// on.
    pub fn intercept(&mut self, lane: LaneId, interceptor: impl FnMut(Instant, &mut Packet) -> bool + 'static) {
        self.net.lanes[lane.0 as usize].set_interceptor(Some(Box::new(interceptor)));
    }

    /// Lets the packets of a lane alone again.
    pub fn stop_intercepting(&mut self, lane: LaneId) {
        self.net.lanes[lane.0 as usize].set_interceptor(None);
    }

    /// Lets `watcher` see every packet that passes a router from now on. What it answers leaves the router behind the
    /// packet: so does a machine in the path that nobody has addressed.
    pub fn watch_passing(&mut self, router: NodeId, watcher: impl FnMut(Instant, &Packet) -> Option<Behind> + 'static) {
        self.stations[router.index()].watcher = Some(Box::new(watcher));
    }

    /// Offers a packet to a lane as if it came from the node at the near end, whatever its addresses.
    pub fn inject(&mut self, lane: LaneId, src: SocketAddr, dst: SocketAddr, ecn: Ecn, payload: &[u8]) {
        let packet = self.outbox.pool.packet(src, dst, ecn, payload);
        self.net.offer(lane, packet, &mut self.outbox.pool);
    }

    /// Takes the address `old` from a host, if it has it, and gives it `new` on the same link, if any; its node hears
    /// of the change. Translations of the old address are gone.
    pub fn change_address(&mut self, id: NodeId, old: IpAddr, new: Option<IpAddr>) {
        let place = self.host_ref(id).place;
        let (mut link, mut forgotten) = (None, Vec::new());
        self.each_at(place, |host| {
            let (own, gone) = host.change_address(old, new);
            link = link.or(own);
            forgotten.extend(gone);
        });
        for address in forgotten {
            self.net.routes.detach(address);
        }
        if let Some(new) = new {
            self.net.routes.attach(new, Attachment { node: place.0, link });
        }
        for node in self.nodes_at(place).collect::<Vec<_>>() {
            self.input(node, Input::PathChange(PathChange::LocalAddress { old: Some(old), new }));
        }
    }

    /// Gives a host an address that it did not have, over any of its links; its nodes hear of it.
    pub fn bring_address(&mut self, id: NodeId, new: IpAddr) {
        self.add_address(id, new, None);
        for node in self.nodes_at(self.host_ref(id).place).collect::<Vec<_>>() {
            self.input(node, Input::PathChange(PathChange::FurtherAddress(new)));
        }
    }

    /// From now on, what the node sends from `local` comes, for everybody else, from `seen`, and what is sent to `seen`
    /// reaches the node: the translation of a NAT that has just forgotten the one before. The node hears nothing of it,
    /// and the host's other nodes have translations of their own.
    pub fn rebind(&mut self, id: NodeId, local: IpAddr, seen: SocketAddr) {
        let place = self.host_ref(id).place;
        let link = self.host_mut(id).translate(local, seen);
        self.net.routes.attach(seen.ip(), Attachment { node: place.0, link });
    }

    /// Stops a host: its node is handed out, and what comes for it is dropped.
    pub fn stop(&mut self, id: NodeId) -> Option<N> {
        let host = self.host_mut(id);
        host.timer = None;
        host.node.take()
    }

    /// Runs `node` on a host, instead of whatever ran there: with [`stop`](World::stop) before it a reboot, alone a
    /// restart in no time.
    pub fn start(&mut self, id: NodeId, node: N) {
        let host = self.host_mut(id);
        host.timer = None;
        host.node = Some(node);
        self.wake(id);
    }
}

/// Running.
impl<N: Node> World<N> {
    /// Goes to the next event, if any is left, and handles it: the time it happened.
    pub fn step(&mut self) -> Option<Instant> {
        self.step_until(Instant::FAR_FUTURE)
    }

    /// Handles every event up to and including `time`; then it is `time`.
    pub fn run_until(&mut self, time: Instant) {
        while self.step_until(time).is_some() {}
        self.net.now = self.net.now.max(time);
    }

    /// Handles events until none is left, or the next one lies after `limit`: whether none is left.
    pub fn run_until_idle(&mut self, limit: Instant) -> bool {
        while self.step_until(limit).is_some() {}
        self.is_idle()
    }

    /// Whether nothing will happen any more unless somebody interferes: no packet waits or is under way, no node wants
    /// to be called, no operation is scheduled.
    fn is_idle(&self) -> bool {
        let asleep = |host: &Host<N>| host.node.is_none() || host.timer.is_none() && !host.woken;
        self.operations.is_empty()
            && self.net.lanes.iter().all(Lane::is_idle)
            && self.stations.iter().filter_map(|station| station.host.as_ref()).all(asleep)
    }

    /// Handles events until `done`, which is asked before the first and after each: whether it answered yes by `limit`.
    pub fn wait_until(&mut self, limit: Instant, mut done: impl FnMut(&World<N>) -> bool) -> bool {
        loop {
            if done(self) {
                return true;
            }
            if self.step_until(limit).is_none() {
                return false;
            }
        }
    }

    fn step_until(&mut self, limit: Instant) -> Option<Instant> {
        loop {
            let (time, event) = self.net.schedule.pop_until(limit)?;
            if self.handle(time, event) {
                return Some(time);
            }
        }
    }

    /// Handles one event; `false` if it was stale.
    fn handle(&mut self, time: Instant, event: Event) -> bool {
        match event {
            Event::Sent(lane) => {
                self.net.now = time;
                self.net.on_lane(LaneId(lane), &mut self.outbox.pool, |lane, context| lane.handle_sent(context));
            }
            Event::Arrival(lane) => {
                if !self.net.lanes[lane as usize].expects_arrival(time) {
                    return false;
                }
                self.net.now = time;
                let lane = LaneId(lane);
                let (from, to) = self.net.routes.ends(lane);
                while let Some(arrival) = self.net.take_arrival(lane) {
                    match arrival {
                        Arrival::Packet(packet) => self.arrive(NodeId(from), NodeId(to), packet),
                        Arrival::Notice(packet) => self.notice(NodeId(to), packet),
                    }
                }
            }
            Event::Node(node) => return self.handle_node(NodeId(node), time),
            Event::Operation(number) => {
                self.net.now = time;
                if let Some(operation) = self.operations.remove(&number) {
                    operation(self);
                }
            }
        }
        true
    }

    /// A node's event is due: its timer, or because it was woken.
    fn handle_node(&mut self, id: NodeId, time: Instant) -> bool {
        let host = self.host_mut(id);
        if host.event_at != Some(time) {
            return false;
        }
        host.event_at = None;
        let due = host.timer.is_some_and(|timer| timer <= time);
        let woken = core::mem::take(&mut host.woken);
        if !due && !woken {
            self.schedule_node(id);
            return false;
        }
        self.net.now = time;
        if due {
            let host = self.host_mut(id);
            host.timer = None;
            let fruitless = host.count_timeout(time);
            if let Some(node) = &mut host.node {
                node.handle_timeout(time);
            }
            assert!(
                fruitless < FRUITLESS_MAX,
                "{} asks at {time:?} for a time that has come, over and over (seed {})",
                self.name(id),
                self.seed
            );
        }
        self.poll(id);
        true
    }

    /// Which node of a host a packet is for, and which of its addresses.
    fn addressee(&self, id: NodeId, packet: &Packet) -> Option<(NodeId, SocketAddr)> {
        let local = |id: NodeId| Some((id, self.host_ref(id).local_of(packet.dst, packet.protocol)?));
        local(id).or_else(|| self.host_ref(id).beside.iter().find_map(|other| local(*other)))
    }

    /// A packet reaches a NAT: whether it goes on.
    fn translate(&mut self, from: NodeId, id: NodeId, packet: &mut Packet) -> bool {
        let Some(Translation { nat, inside, dropped }) = self.stations[id.index()].nat.as_deref_mut() else {
            return true;
        };
        let (now, protocol, (src, dst)) = (self.net.now, packet.protocol, packet.ends());
        let changed = if !inside.contains(&from) {
            nat.enter(now, protocol, src, dst).map(|host| (PacketEnd::Destination, host))
        } else if nat.has(dst.ip()) {
            match nat.hairpins() {
                true => match nat.leave(now, protocol, src, dst) {
                    // Out of the front and in again, as any other: whom it is for sees the sender from outside.
                    Some(seen) => {
                        packet.readdress(PacketEnd::Source, seen);
                        nat.enter(now, protocol, seen, dst).map(|host| (PacketEnd::Destination, host))
                    }
                    None => Err(NatDrop::NoPort),
                },
                false => Err(NatDrop::Hairpin),
            }
        } else {
            let next = self.net.routes.next(id.0, dst.ip(), None).map(|lane| NodeId(self.net.routes.ends(lane).1));
            if next.is_none_or(|next| inside.contains(&next)) {
                return true;
            }
            let seen = nat.leave(now, protocol, src, dst).ok_or(NatDrop::NoPort);
            seen.map(|seen| (PacketEnd::Source, seen))
        };
        match changed {
            Ok((end, to)) => packet.readdress(end, to),
            Err(why) => dropped[why as usize] += 1,
        }
        changed.is_ok()
    }

    /// A packet passes a router, and behind it goes what is said of it there.
    fn pass(&mut self, id: NodeId, packet: Box<Packet>) {
        let now = self.net.now;
        let behind = self.stations[id.index()].watcher.as_mut().and_then(|watcher| watcher(now, &packet));
        self.net.forward(id.0, packet, &mut self.outbox.pool);
        if let Some((src, dst, payload)) = behind {
            let packet = self.outbox.pool.packet(src, dst, Ecn::NotEct, &payload);
            self.net.forward(id.0, packet, &mut self.outbox.pool);
        }
    }

    /// A packet reaches a router or a host, from the node at the other end of a link.
    fn arrive(&mut self, from: NodeId, id: NodeId, mut packet: Box<Packet>) {
        if self.stations[id.index()].host.is_none() {
            return match self.translate(from, id, &mut packet) {
                true => self.pass(id, packet),
                false => self.net.drop(packet, DropCause::Filtered, &mut self.outbox.pool),
            };
        }
        let Some((id, local)) = self.addressee(id, &packet) else {
            return self.net.drop(packet, DropCause::NotHere, &mut self.outbox.pool);
        };
        let Some(node) = &mut self.stations[id.index()].host.as_mut().and_then(|host| host.node.as_mut()) else {
            return self.net.drop(packet, DropCause::Stopped, &mut self.outbox.pool);
        };
        self.net.recorder.delivered(self.net.now, &packet);
        let datagram = Datagram {
            remote: packet.src,
            local: Some(local),
            ecn: packet.ecn,
            segment_size: packet.payload.len().max(1),
            payload: &mut packet.payload,
        };
        node.handle_input(self.net.now, Input::Datagram(datagram));
        self.outbox.pool.recycle(packet);
        self.poll(id);
    }

    /// A link tells the node at its end of a loss; if the host has several, the one that the packet was for. Routers do
    /// not listen, but pass it on to who is told.
    fn notice(&mut self, id: NodeId, packet: Box<Packet>) {
        let station = &self.stations[id.index()];
        let to = match station.host {
            Some(_) => Some(self.addressee(id, &packet).map_or(id, |(id, _)| id)),
            None => station.told.iter().find_map(|host| self.addressee(*host, &packet).map(|(id, _)| id)),
        };
        let header = packet.payload[..packet.payload.len().min(NOTICE_BYTES)].to_vec();
        let remote = packet.src;
        self.outbox.pool.recycle(packet);
        if let Some(id) = to {
            self.input(id, Input::LinkLoss(LinkLoss { remote, header }));
        }
    }

    fn input(&mut self, id: NodeId, input: Input<'_>) {
        let now = self.net.now;
        if let Some(node) = &mut self.host_mut(id).node {
            node.handle_input(now, input);
            self.poll(id);
        }
    }

    /// Lets a node send, and notes when it wants to be called again.
    fn poll(&mut self, id: NodeId) {
        let now = self.net.now;
        let Some(host) = &mut self.stations[id.index()].host else { return };
        let Some(node) = &mut host.node else { return };
        self.outbox.node = id;
        host.timer = node.poll(now, &mut self.outbox).map(|timer| timer.max(now));
        let mut packets = core::mem::take(&mut self.outbox.packets);
        for packet in packets.drain(..) {
            self.send(id, packet);
        }
        self.outbox.packets = packets;
        self.schedule_node(id);
    }

    /// Sends a packet that its node has written: settles source address and link.
    fn send(&mut self, id: NodeId, mut packet: Box<Packet>) {
        let net = &mut self.net;
        let Some(host) = &self.stations[id.index()].host else { return };
        match host.source(packet.src, packet.dst, |via| net.routes.next(host.place.0, packet.dst.ip(), via)) {
            Some((lane, src)) => {
                (packet.src, packet.protocol) = (src, host.protocol);
                net.offer(lane, packet, &mut self.outbox.pool);
            }
            None => net.drop(packet, DropCause::NoRoute, &mut self.outbox.pool),
        }
    }

    /// Polls a node as soon as the world runs.
    fn wake(&mut self, id: NodeId) {
        self.host_mut(id).woken = true;
        self.schedule_node(id);
    }

    /// Makes sure that an event waits for the node by the time that it wants one.
    fn schedule_node(&mut self, id: NodeId) {
        let now = self.net.now;
        let host = self.host_mut(id);
        let wanted = if host.woken { Some(now) } else { host.timer };
        if let Some(time) = wanted
            && host.event_at.is_none_or(|scheduled| time < scheduled)
        {
            host.event_at = Some(time);
            self.net.schedule.push(time, Event::Node(id.0));
        }
    }
}
