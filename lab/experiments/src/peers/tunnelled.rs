//! Legacy flows in a tunnel: connections of the reference TCP, whose segments a helper takes on one side of a
//! bottleneck and another brings out on its other side, and TCP flows beside the tunnel (Tng 4.2).
//!
//! A [`Tunnelled`] is a world. The ends of the connections are at the helpers themselves, as on a LAN that takes no
//! time.

use core::net::IpAddr;
use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output};
use tng_congestion::Choice;
use tng_crypto::Secret32;
use tng_middlebox::{
    ClientTag, FlowId, Helper, HelperConfig, HelperEvent, NotTaken, QUEUE_TIME, RelayId, Terms, tunnel_discipline,
};
use tng_sim::{App, IpProtocol, LaneStats, Link, LinkId, MachineNode, Node, PORT, World, fork, topology};
use tng_stack::Stop;
use tng_tcp::{Config, ConnectionId, News};

use crate::peers::contest::{self, Party, Seat};
use crate::peers::helped::Post;
use crate::peers::transport::tell;
use crate::settings::{Configured, Settings};

/// Bytes of data in a segment: with its headers it fits into what a tunnel carries from the start. Operators of tunnels
/// tell hosts so.
pub const TUNNELLED_MSS: u16 = 1_100;

/// Rate of an access link, bits per second: never the limit.
const ACCESS_BPS: u64 = 1_000_000_000;
/// [`Instant::ZERO`] in milliseconds since 1970, for helpers.
const EPOCH_MS: u64 = 1_700_000_000_000;
/// What a capability is good for: longer than any run.
const TERMS: Terms = Terms { life: Duration::from_secs(24 * 3_600), flows_max: 4, tunnels: true };
/// The port that the inner connections lead to: one that helpers pass on to.
const INNER_PORT: u16 = 5_000;
/// Addresses of those beside the tunnel begin here.
const BESIDE: u16 = 64;
/// Bytes that are written or read at once.
const PIECE: usize = 16 << 10;
/// Inner connections begin within this time.
const START_WITHIN: Duration = Duration::from_secs(1);

/// Lots of a world: what each is for.
mod lot {
    pub(super) const HELPERS: u64 = 1;
    pub(super) const CAPABILITY: u64 = 3;
    pub(super) const STARTS: u64 = 4;
    pub(super) const INNER: u64 = 1 << 10;
    pub(super) const BESIDE: u64 = 1 << 20;
}

/// A tunnel over a bottleneck, what is in it, and who is beside it.
#[derive(Clone, PartialEq, Debug)]
pub struct Tunnelled {
    /// Determines every lot.
    pub seed: u64,
    /// The bottleneck, each way.
    pub bottleneck: Link,
    /// What leaves a sender or a helper is late by up to this much, in steady order, so that nobody is in step with the
    /// queue.
    pub jitter: Duration,
    /// The controller of the tunnel's section, by name.
    pub imposed: Choice,
    /// Those of the connections in it, each with an endless transfer.
    pub inner: Vec<Choice>,
    /// Flows of TCP beside it.
    pub beside: Vec<Party>,
}

impl Tunnelled {
    /// Both helpers'.
    fn helper_config(&self) -> HelperConfig {
        Post::at(0).elsewhere(self.imposed.name()).config
    }

    fn inner_config(controller: &Choice) -> Config {
        Config { mss: TUNNELLED_MSS, controller: controller.clone(), ..Config::default() }
    }

    fn access(&self) -> Link {
        far_access().jitter(self.jitter / 2).delay(self.jitter / 2)
    }

    /// Makes its world; nothing has happened in it.
    ///
    /// # Panics
    /// If a controller does not exist.
    pub fn begin(self) -> Passage {
        let mut world: World<Box<dyn Node>> = World::new(self.seed);
        let (near, far) = (world.router("near"), world.router("far"));
        let bottleneck = world.connect(near, far, &self.bottleneck);
        let helper = |place: u64| {
            let secret = Secret32::from_bytes(fork(self.seed, lot::HELPERS + place).bytes());
            Helper::new(self.helper_config(), &secret, EPOCH_MS, fork(self.seed, lot::HELPERS + place).bytes())
        };
        let (mut entry, exit) = (helper(0), helper(1));
        let lots = fork(self.seed, lot::CAPABILITY).bytes::<32>();
        let capability = exit.office().issue(Instant::ZERO, ClientTag(1), TERMS, lots);
        let tally = Rc::new(RefCell::new(Tally { bytes: vec![0; self.inner.len()], ..Tally::default() }));
        let stop = Stop::new((topology::B, PORT).into(), capability);
        if let Err(error) = entry.open_tunnel(Instant::ZERO, stop, (topology::ipv4(BESIDE - 1), INNER_PORT).into()) {
            tally.borrow_mut().failure = Some(error.to_string());
        }
        let stations = [0, 1].map(|side| Station::new(side, &self, &tally));
        let [left, right] = stations;
        let a = world.host("entry", &[topology::A], Box::new(MachineNode::new(entry, left)));
        let b = world.host("exit", &[topology::B], Box::new(MachineNode::new(exit, right)));
        let mut pairs = vec![(a, b)];
        let mut seats = Vec::new();
        for (number, party) in (0_u16..).zip(&self.beside) {
            let at = [0, 1].map(|side| topology::ipv4(BESIDE + 2 * number + side));
            let lots = [0, 1].map(|side| fork(self.seed, lot::BESIDE + 2 * u64::from(number) + side));
            let seat = Seat::alone();
            let [sender, receiver] = contest::tcp_nodes(party, lots, at, &seat);
            let sender = world.host(&format!("sender {number}"), &[at[0]], sender);
            let receiver = world.host(&format!("receiver {number}"), &[at[1]], receiver);
            for id in [sender, receiver] {
                world.set_protocol(id, IpProtocol::Tcp);
            }
            pairs.push((sender, receiver));
            seats.push(seat);
        }
        for (left, right) in pairs {
            world.connect_with(left, near, &self.access(), &far_access());
            world.connect(right, far, &far_access());
        }
        Passage { world, bottleneck, tally, seats }
    }
}

/// What leads from a router to a host, and both ways at the far router.
fn far_access() -> Link {
    Link::new().rate(ACCESS_BPS)
}

impl Configured for Tunnelled {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "bottleneck, each way", &self.bottleneck);
        tell::link(settings, "senders and the tunnel's entry to the bottleneck", &self.access());
        tell::link(settings, "other access links", &far_access());
        let section = "section of the tunnel, at both helpers";
        tell::section(settings, section, &self.helper_config().elsewhere);
        settings.set(section, "discipline of each flow's queue", format_args!("{:?}", tunnel_discipline()));
        settings.set(section, "queue_time of each flow's queue", format_args!("{QUEUE_TIME:?}"));
        for controller in &self.inner {
            tell::tcp(settings, "TCP in the tunnel", &Tunnelled::inner_config(controller));
        }
        settings.set("TCP in the tunnel", "flows", self.inner.len());
        for party in &self.beside {
            tell::tcp(settings, "TCP beside the tunnel", &contest::tcp_config(party));
            settings.set("TCP beside the tunnel", "start", format_args!("{:?}", party.start));
        }
    }
}

/// What became of the tunnel.
#[derive(Clone, Debug, Default)]
struct Tally {
    /// Bytes that each inner receiver has read.
    bytes: Vec<u64>,
    /// Why it is no more, if it is not.
    failure: Option<String>,
}

/// A tunnel's world under way.
pub struct Passage {
    world: World<Box<dyn Node>>,
    bottleneck: LinkId,
    tally: Rc<RefCell<Tally>>,
    seats: Vec<Seat>,
}

impl Passage {
    /// Lets time pass until `at` after the start.
    pub fn run_until(&mut self, at: Duration) {
        self.world.run_until(Instant::ZERO + at);
    }

    /// Bytes that receivers have read: those of the inner connections, then those of the flows beside.
    pub fn bytes(&self) -> Vec<u64> {
        let inner = self.tally.borrow().bytes.clone();
        inner.into_iter().chain(self.seats.iter().map(Seat::bytes)).collect()
    }

    /// What went wrong, if anything did.
    pub fn failure(&self) -> Option<String> {
        self.tally.borrow().failure.clone().or_else(|| self.seats.iter().find_map(Seat::failure))
    }

    /// What the bottleneck did in the direction of the data.
    pub fn bottleneck(&self) -> LaneStats {
        self.world.stats(self.bottleneck.forth())
    }
}

/// One end of an inner connection.
struct Inner {
    tcp: tng_tcp::Host,
    /// When it connects, and where to, at the entry.
    begins: Option<(Instant, IpAddr)>,
    connection: Option<ConnectionId>,
    /// Whom what comes is from.
    peer: IpAddr,
}

/// What is at a helper: one end of every inner connection.
struct Station {
    tunnel: Option<RelayId>,
    inner: Vec<Inner>,
    buffer: Vec<u8>,
    tally: Rc<RefCell<Tally>>,
}

impl Station {
    fn new(side: u8, world: &Tunnelled, tally: &Rc<RefCell<Tally>>) -> Station {
        let inner = world.inner.iter().enumerate().map(|(number, controller)| {
            let address = |side: u8| IpAddr::from([10, 9, number as u8, side + 1]);
            let lots = fork(world.seed, lot::INNER + 2 * number as u64 + u64::from(side));
            let config = Tunnelled::inner_config(controller);
            let mut tcp = tng_tcp::Host::new(address(side), config, lots).expect("the controller exists");
            let peer = address(1 - side);
            let begins = (side == 0).then(|| {
                let late = fork(world.seed, lot::STARTS + number as u64).below(START_WITHIN.as_nanos() as u64);
                (Instant::ZERO + Duration::from_nanos(late), peer)
            });
            if begins.is_none() {
                tcp.listen(INNER_PORT).expect("nobody listens at it");
            }
            Inner { tcp, begins, connection: None, peer }
        });
        Station { tunnel: None, inner: inner.collect(), buffer: vec![0; 1 << 16], tally: tally.clone() }
    }

    /// The turn of one end; answers when it wants the next.
    fn drive(&mut self, now: Instant, helper: &mut Helper, tunnel: RelayId, number: usize) -> Option<Instant> {
        let Inner { tcp, begins, connection, .. } = &mut self.inner[number];
        tcp.handle_timeout(now);
        if let Some((_, peer)) = begins.take_if(|(at, _)| *at <= now) {
            *connection = tcp.connect(now, (peer, INNER_PORT).into()).ok();
        }
        if let Some(connection) = *connection {
            while tcp.write(connection, &[7; PIECE]).is_ok_and(|written| written > 0) {}
        }
        loop {
            match tcp.poll_output(now, &mut self.buffer) {
                Output::Transmit(transmit) => {
                    for segment in self.buffer[..transmit.len].chunks(transmit.segment_size) {
                        // A full queue is a loss, which is TCP's to find.
                        match helper.offer(now, tunnel, FlowId(number as u32), segment) {
                            Ok(()) | Err(NotTaken::Full) => {}
                            Err(error) => self.tally.borrow_mut().failure = Some(error.to_string()),
                        }
                    }
                }
                Output::Event(event) => match event.news {
                    News::Readable => {
                        let mut room = [0; PIECE];
                        while let Ok(count @ 1..) = tcp.read(event.id, &mut room) {
                            self.tally.borrow_mut().bytes[number] += count as u64;
                        }
                    }
                    News::Closed { end, .. } => {
                        self.tally.borrow_mut().failure = Some(format!("inner flow {number}: {end:?}"));
                    }
                    _ => {}
                },
                Output::NeedsEntropy => unreachable!("TCP has no keys"),
                Output::Timeout(at) => return at.into_iter().chain(begins.map(|(at, _)| at)).min(),
            }
        }
    }
}

impl App<Helper> for Station {
    fn handle_event(&mut self, _: Instant, _: &mut Helper, event: HelperEvent) {
        match event {
            HelperEvent::Tunnel { tunnel, .. } => self.tunnel = Some(tunnel),
            HelperEvent::Left { because, .. } => {
                self.tunnel = None;
                self.tally.borrow_mut().failure = Some(format!("the tunnel was lost: {because:?}"));
            }
            HelperEvent::Joined { .. } => {}
        }
    }

    fn poll(&mut self, now: Instant, helper: &mut Helper) -> Option<Instant> {
        let tunnel = self.tunnel?;
        while let Some((flow, mut datagram)) = helper.poll_brought(tunnel) {
            let Some(inner) = self.inner.get_mut(flow.0 as usize) else { continue };
            let (remote, segment_size) = ((inner.peer, 0).into(), datagram.len());
            let payload = &mut datagram[..];
            let segment = Datagram { remote, local: None, ecn: Ecn::NotEct, segment_size, payload };
            inner.tcp.handle_input(now, Input::Datagram(segment));
        }
        (0..self.inner.len()).filter_map(|number| self.drive(now, helper, tunnel, number)).min()
    }
}

#[cfg(test)]
mod tests {
    use tng_queue::{Limit, QueueConfig};

    use super::*;
    use crate::peers::contest::Transport;

    #[test]
    fn segments_of_several_connections_pass_a_tunnel_and_beside_it() {
        let choice = |name: &str| name.parse::<Choice>().expect("it exists");
        let queue = QueueConfig::DropTail(Limit::Bytes(50_000));
        let world = Tunnelled {
            seed: 1,
            bottleneck: Link::new().rate(10_000_000).delay(Duration::from_millis(10)).queue(queue),
            jitter: Duration::ZERO,
            imposed: choice("newreno"),
            inner: vec![choice("cubic"), choice("reno")],
            beside: vec![Party::new(Transport::Tcp, "newreno")],
        };
        let mut passage = world.begin();
        passage.run_until(Duration::from_secs(10));
        assert_eq!(passage.failure(), None);
        let bytes = passage.bytes();
        assert!(bytes.len() == 3 && bytes.iter().all(|bytes| *bytes > 500_000), "{bytes:?}");
        assert!(passage.bottleneck().delivered_bytes > 9_000_000, "the bottleneck is used");
    }
}
