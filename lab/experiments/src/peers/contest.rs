//! Bulk transfers of several pairs of hosts through one bottleneck: who gets how much.
//!
//! A [`Contest`] is a bottleneck between two routers and, on either side of it, one host of each [`Party`], on an
//! access link of its own. The left host of a party sends, the right one reads at once. Parties speak tng or the
//! reference TCP; nothing else differs between them.

mod bulk;
#[cfg(test)]
mod siblings;
mod stp;
mod tcp;
mod tng;

pub(crate) use tcp::config as tcp_config;

use core::net::IpAddr;
use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_base::{Instant, Rng};
use tng_congestion::Choice;
use tng_sim::{Carrier, IpProtocol, LaneStats, Link, Loss, Node, World, fork, topology};
use tng_stack::Access;

use crate::peers::guests::GuestRun;
use crate::peers::transport::{choice, tell};
use crate::settings::{Configured, Settings};

/// Rate of an access link, bits per second: never the limit.
const ACCESS_BPS: u64 = 1_000_000_000;

/// What a party speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transport {
    /// Structured streams over an encrypted channel.
    Tng,
    /// The same with a checksum in place of encryption (SST 4.2.3).
    TngWeak,
    /// The reference TCP.
    Tcp,
    /// A guest.
    Stp(GuestRun),
}

impl Transport {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Transport::Tng => "tng",
            Transport::TngWeak => "tng (weak)",
            Transport::Tcp => "tcp",
            Transport::Stp(run) => run.name(),
        }
    }
}

/// One sender and one receiver.
#[derive(Clone, PartialEq, Debug)]
pub struct Party {
    /// What they speak.
    pub transport: Transport,
    /// The sender's congestion controller, by name.
    pub controller: Choice,
    /// Whether the sender spreads what it sends over the round trip.
    pub pacing: bool,
    /// Connections between the two, each with one transfer.
    pub connections: usize,
    /// Bytes of each transfer; endless if `None`.
    pub bytes: Option<u64>,
    /// When it begins.
    pub start: Duration,
}

impl Party {
    /// One endless transfer from the start, with the settings that the transport has by default.
    pub fn new(transport: Transport, controller: &str) -> Party {
        Party {
            transport,
            controller: choice(controller),
            pacing: transport != Transport::Tcp,
            connections: 1,
            bytes: None,
            start: Duration::ZERO,
        }
    }
}

/// A bottleneck and those who share it.
#[derive(Clone, PartialEq, Debug)]
pub struct Contest {
    /// Determines every lot.
    pub seed: u64,
    /// The shared link, in both directions.
    pub bottleneck: Link,
    /// Loss on the shared link, in the direction of the data alone.
    pub loss: Loss,
    /// Each sender's access link delays by up to this much, in steady order: real hosts are not in step, and packets
    /// that all take the same time would make the drop-tail queue always hit the same flow (S. Floyd, V. Jacobson: On
    /// Traffic Phase Effects in Packet-Switched Gateways, 1992).
    pub jitter: Duration,
    /// Who takes part.
    pub parties: Vec<Party>,
}

/// Figures of a sender, its connections together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// Packets sent, those without data included.
    pub sent: u64,
    /// Packets found lost (tng), segments sent again (TCP).
    pub lost: u64,
    /// Probe timeouts (tng), retransmission timeouts (TCP).
    pub timeouts: u64,
    /// Windows reduced.
    pub reductions: u64,
    /// Reductions taken back.
    pub undone: u64,
}

/// What became of a party.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Bytes read.
    bytes: u64,
    /// Transfers that are complete.
    complete: usize,
    /// When the last of them was.
    completed_at: Option<Instant>,
    figures: Figures,
    failure: Option<String>,
}

type Tallies = Rc<RefCell<Vec<Tally>>>;

/// One party's seat in the tallies.
#[derive(Clone)]
pub(crate) struct Seat {
    number: usize,
    tallies: Tallies,
}

impl Seat {
    /// That of a party that is alone.
    pub(crate) fn alone() -> Seat {
        Seat { number: 0, tallies: Rc::new(RefCell::new(vec![Tally::default()])) }
    }

    /// Bytes that the receiver has read.
    pub(crate) fn bytes(&self) -> u64 {
        self.with(|tally| tally.bytes)
    }

    /// What went wrong, if anything did.
    pub(crate) fn failure(&self) -> Option<String> {
        self.with(|tally| tally.failure.clone())
    }

    fn with<T>(&self, change: impl FnOnce(&mut Tally) -> T) -> T {
        change(&mut self.tallies.borrow_mut()[self.number])
    }

    pub(crate) fn read(&self, bytes: u64) {
        self.with(|tally| tally.bytes += bytes);
    }

    pub(crate) fn complete(&self, now: Instant) {
        self.with(|tally| (tally.complete, tally.completed_at) = (tally.complete + 1, Some(now)));
    }

    pub(crate) fn fail(&self, reason: String) {
        self.with(|tally| {
            tally.failure.get_or_insert(reason);
        });
    }
}

/// A sender and a receiver that speak the reference TCP, at these addresses.
pub(crate) fn tcp_nodes(party: &Party, rngs: [Rng; 2], at: [IpAddr; 2], seat: &Seat) -> [Box<dyn Node>; 2] {
    bulk::nodes(tcp::hosts(party, rngs, at), party, seat, at[1])
}

/// A contest under way.
pub struct Arena {
    world: World<Box<dyn Node>>,
    contest: Contest,
    tallies: Tallies,
    bottleneck: tng_sim::LinkId,
}

/// What leads from a router to a host, and both ways between the far router and the hosts there.
fn far_access() -> Link {
    Link::new().rate(ACCESS_BPS)
}

impl Configured for Contest {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "bottleneck, with the data", &self.forth());
        tell::link(settings, "bottleneck, against the data", &self.bottleneck);
        tell::link(settings, "senders to the bottleneck", &self.near_access());
        tell::link(settings, "other access links", &far_access());
        for party in &self.parties {
            let Party { transport, controller: _, pacing: _, connections, bytes, start } = party;
            let name = format!("flows over {}", transport.name());
            settings.set(&name, "connections", connections);
            settings.set(&name, "bytes of each", bytes.map_or("endless".to_owned(), |bytes| bytes.to_string()));
            settings.set(&name, "start", format_args!("{start:?}"));
            match transport {
                Transport::Tng | Transport::TngWeak => {
                    for (side, access) in [("sender", Access::Nobody), ("receiver", Access::Public)] {
                        let part = format!("{side} over {}", transport.name());
                        tell::host(settings, &part, &tng::config(party, access));
                    }
                }
                Transport::Tcp => tell::tcp(settings, "sender and receiver over tcp", &tcp::config(party)),
                Transport::Stp(run) => tell::guest(settings, &format!("sender and receiver over {}", run.name()), run),
            }
        }
    }
}

impl Contest {
    /// The bottleneck in the direction of the data.
    fn forth(&self) -> Link {
        self.bottleneck.clone().loss(self.loss.clone())
    }

    /// What leads from a sender to the near router.
    fn near_access(&self) -> Link {
        far_access().jitter(self.jitter / 2).delay(self.jitter / 2)
    }

    /// Makes its world; nothing has happened in it.
    ///
    /// # Panics
    /// If a party names a controller that does not exist.
    pub fn begin(self) -> Arena {
        let mut world: World<Box<dyn Node>> = World::new(self.seed);
        let tallies: Tallies = Rc::new(RefCell::new(vec![Tally::default(); self.parties.len()]));
        let (near, far) = (world.router("near"), world.router("far"));
        let forth = self.forth();
        let bottleneck = world.connect_with(near, far, &forth, &self.bottleneck);
        let (near_access, far_access) = (self.near_access(), far_access());
        for (number, party) in self.parties.iter().enumerate() {
            let seat = Seat { number, tallies: tallies.clone() };
            let rngs = [0, 1].map(|side| fork(self.seed, 2 * number as u64 + side));
            let [left, right] = [0, 1].map(|side| topology::ipv4(2 * number as u16 + side));
            let [sender, receiver] = match party.transport {
                Transport::Tng | Transport::TngWeak => bulk::nodes(tng::hosts(party, rngs, right), party, &seat, right),
                Transport::Tcp => tcp_nodes(party, rngs, [left, right], &seat),
                Transport::Stp(run) => bulk::nodes(stp::hosts(party, run, rngs, right), party, &seat, right),
            };
            let a = world.host(&format!("left{number}"), &[left], sender);
            let b = world.host(&format!("right{number}"), &[right], receiver);
            // Only what leaves the sender is shaken: acknowledgments of a loaded direction would be, too, and change
            // nothing.
            world.connect_with(a, near, &near_access, &far_access);
            world.connect(b, far, &far_access);
            if party.transport == Transport::Tcp {
                for id in [a, b] {
                    world.set_protocol(id, IpProtocol::Tcp);
                }
            }
        }
        Arena { world, contest: self, tallies, bottleneck }
    }

    /// Bits per second of each party in the time `from` to `to` after the start.
    pub fn rates_bps(self, from: Duration, to: Duration) -> Vec<f64> {
        let mut arena = self.begin();
        arena.run_until(from);
        let before = arena.bytes();
        arena.run_until(to);
        let seconds = (to - from).as_secs_f64();
        arena.bytes().iter().zip(before).map(|(after, before)| (after - before) as f64 * 8.0 / seconds).collect()
    }
}

impl Arena {
    /// Lets time pass until `at` after the start.
    pub fn run_until(&mut self, at: Duration) {
        self.world.run_until(Instant::ZERO + at);
    }

    /// The bottleneck sends nothing from one time to another, in the direction of the data; what is offered waits.
    pub fn hold(&mut self, from: Duration, to: Duration) {
        let lane = self.bottleneck.forth();
        for (time, carrier) in [(from, Carrier::Holds), (to, Carrier::Up)] {
            self.world.at(Instant::ZERO + time, move |world| world.set_carrier(lane, carrier));
        }
    }

    /// Lets time pass until every transfer that has an end is complete, but not beyond `limit`. Answers how long that
    /// took from the start of the first, or what went wrong.
    ///
    /// # Errors
    /// What the first party that failed says, or that the time was not enough.
    pub fn finish(&mut self, limit: Duration) -> Result<Duration, String> {
        let awaited: Vec<usize> =
            self.contest.parties.iter().map(|party| party.bytes.map_or(0, |_| party.connections)).collect();
        let tallies = self.tallies.clone();
        let over = move || {
            let tallies = tallies.borrow();
            let complete = tallies.iter().zip(&awaited).all(|(tally, count)| tally.complete >= *count);
            complete || tallies.iter().any(|tally| tally.failure.is_some())
        };
        let done = self.world.wait_until(Instant::ZERO + limit, |_| over());
        if let Some(reason) = self.tallies.borrow().iter().find_map(|tally| tally.failure.clone()) {
            return Err(reason);
        }
        let start = self.contest.parties.iter().map(|party| party.start).min().unwrap_or_default();
        let last = self.tallies.borrow().iter().filter_map(|tally| tally.completed_at).max();
        match last.filter(|_| done) {
            Some(at) => Ok(at.since(Instant::ZERO + start)),
            None => Err(format!("not complete within {limit:?}")),
        }
    }

    /// Bytes that each party's receiver has read.
    pub fn bytes(&self) -> Vec<u64> {
        self.tallies.borrow().iter().map(|tally| tally.bytes).collect()
    }

    /// A sender's figures.
    pub fn figures(&self, party: usize) -> Figures {
        self.tallies.borrow()[party].figures
    }

    /// What the bottleneck did in the direction of the data.
    pub fn bottleneck(&self) -> LaneStats {
        self.world.stats(self.bottleneck.forth())
    }
}
