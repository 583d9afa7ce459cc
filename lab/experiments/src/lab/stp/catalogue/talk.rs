//! Scenarios in which an application says something now and then, and it counts when that is heard.

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use tng_base::{Ecn, Instant};
use tng_queue::{Limit, QueueConfig};
use tng_sim::{App, LaneId, Link, Loss, MachineNode, PORT, World, fork, topology};
use tng_stack::{Access, ConnectionId, Host, HostConfig, HostEvent, Identity};
use tng_stp_abi::SocketKind;

use super::Bench;
use crate::lab::RunError;
use crate::peers::guests::GuestRun;
use crate::peers::transport::stp::Stp;
use crate::peers::transport::{Event, News, Read, Transport, tell};
use crate::settings::{Configured, Settings};

/// A line, and what is said over it.
#[derive(Clone, Debug)]
pub(super) struct Talk {
    /// Bits per second.
    pub(super) rate_bps: u64,
    /// Both ways together.
    pub(super) rtt_ms: u64,
    /// Each way.
    pub(super) loss: Loss,
    /// From then on the data takes so much longer.
    pub(super) longer: Option<(Duration, Duration)>,
    /// Then the end that talks has another address.
    pub(super) moves: Option<Duration>,
    /// Something is said as often.
    pub(super) every: Duration,
    /// So many things.
    pub(super) count: u64,
    /// Of so many bytes.
    pub(super) len: usize,
    /// Each is answered.
    pub(super) answered: bool,
    /// The packet that opens the connection comes as often again from addresses of nobody.
    pub(super) spoofed: u16,
    /// The guest is called so before anything is said.
    pub(super) call: Option<(u32, &'static [u8])>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard {
    /// From when each was to be said to when it was heard, or answered; of those that were.
    pub(super) delays: Vec<Duration>,
    /// Packets of the one that talks.
    pub(super) packets: u64,
    /// Fuel that both have burnt.
    pub(super) fuel: [u64; 2],
}

/// Left alone at the beginning, for the connection.
const BEGINS: Duration = Duration::from_secs(1);
/// And at the end, for what is late.
const LATE: Duration = Duration::from_secs(10);
const ANSWER: usize = 64;

impl Talk {
    /// So many things of so many bytes each, as often, over a line that does nothing to them.
    pub(super) fn new(rate_bps: u64, rtt_ms: u64, count: u64, len: usize, every_ms: u64) -> Talk {
        Talk {
            rate_bps,
            rtt_ms,
            loss: Loss::None,
            longer: None,
            moves: None,
            every: Duration::from_millis(every_ms),
            count,
            len,
            answered: false,
            spoofed: 0,
            call: None,
        }
    }

    fn link(&self) -> Link {
        let queue = QueueConfig::DropTail(Limit::Packets(200));
        let link = Link::new().rate(self.rate_bps).delay(Duration::from_millis(self.rtt_ms) / 2).queue(queue);
        link.loss(self.loss.clone())
    }

    fn said_at(&self, number: u64) -> Instant {
        Instant::ZERO + BEGINS + self.every * u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Lets it be said.
    pub(super) fn run(&self, bench: &Bench<'_>, seed: u64, run: GuestRun) -> Result<Heard, RunError> {
        let talk = bench.context.world(Told { talk: self, run });
        let [left, right] = [0, 1].map(topology::ipv4);
        let [mut of_left, mut of_right] = [0, 1].map(|side| fork(seed, side));
        let called = Identity::from_seed(of_right.bytes::<32>());
        let eid = called.eid();
        let caller = Identity::from_seed(of_left.bytes::<32>());
        let sender = Host::new(HostConfig::new(Access::Nobody), caller, of_left.bytes::<32>());
        let receiver = Host::new(HostConfig::new(Access::Public), called, of_right.bytes::<32>());
        let (sends, receives) = (run.workshop(&mut of_left), run.workshop(&mut of_right));
        let mut sender = Stp::new(sender, sends, run.code());
        sender.know(SocketAddr::new(right, PORT), eid);
        let receiver = Stp::new(receiver, receives, run.accepting());
        let heard = Rc::new(RefCell::new(Heard::default()));
        let end = |talks: bool| End {
            talk: self.clone(),
            talks: talks.then_some(right),
            id: None,
            next: 0,
            bytes: 0,
            seen: BTreeSet::new(),
            heard: Rc::clone(&heard),
        };
        let mut world = World::new(seed);
        let a = world.host("talks", &[left], MachineNode::new(sender, end(true)));
        let b = world.host("hears", &[right], MachineNode::new(receiver, end(false)));
        let link = world.connect(a, b, &talk.talk.link());
        if let Some((at, more)) = self.longer {
            let lane = link.forth();
            world.at(Instant::ZERO + at, move |world| world.change(lane, |link| link.delay += more));
        }
        if let Some(at) = self.moves {
            let new = topology::ipv4(7);
            world.at(Instant::ZERO + at, move |world| world.change_address(a, left, Some(new)));
        }
        if self.spoofed > 0 {
            spoof(&mut world, link.forth(), right, self.spoofed);
        }
        world.run_until(self.said_at(self.count) + LATE);
        for (place, node) in [a, b].into_iter().enumerate() {
            let node = world.node_mut(node);
            if let Some(id) = node.app.id {
                let packets = node.machine.host.stats(id).map_or(0, |stats| stats.channel.packets_sent);
                let fuel = node.machine.guest(id).map_or(0, |guest| guest.usage().fuel);
                let mut heard = heard.borrow_mut();
                heard.fuel[place] = fuel;
                if place == 0 {
                    heard.packets = packets;
                }
            }
        }
        let heard = heard.borrow().clone();
        Ok(heard)
    }

    /// Milliseconds in the mean; what was never heard counts as the time that there was.
    pub(super) fn mean_ms(&self, bench: &Bench<'_>, run: GuestRun) -> Result<f64, RunError> {
        bench.mean(|seed| {
            let delays = self.run(bench, seed, run)?.delays;
            let never = self.count.saturating_sub(delays.len() as u64) as f64 * LATE.as_secs_f64();
            Ok((delays.iter().map(Duration::as_secs_f64).sum::<f64>() + never) / self.count as f64 * 1e3)
        })
    }

    /// Share that is heard in time.
    pub(super) fn in_time(&self, bench: &Bench<'_>, run: GuestRun, within: Duration) -> Result<f64, RunError> {
        bench.mean(|seed| {
            let delays = self.run(bench, seed, run)?.delays;
            Ok(delays.iter().filter(|delay| **delay <= within).count() as f64 / self.count as f64)
        })
    }

    /// Packets that the end that talks needs.
    pub(super) fn packets(&self, bench: &Bench<'_>, run: GuestRun) -> Result<f64, RunError> {
        bench.mean(|seed| Ok(self.run(bench, seed, run)?.packets as f64))
    }
}

/// Repeats the first packet of a lane from other addresses.
fn spoof<N: tng_sim::Node>(world: &mut World<N>, lane: LaneId, to: IpAddr, count: u16) {
    let first = Rc::new(RefCell::new(None));
    let seen = Rc::clone(&first);
    world.intercept(lane, move |_, packet| {
        seen.borrow_mut().get_or_insert_with(|| packet.payload.to_vec());
        true
    });
    world.at(Instant::ZERO + BEGINS / 2, move |world| {
        world.stop_intercepting(lane);
        for number in 0..count {
            let from = SocketAddr::new(topology::ipv4(100 + number), PORT);
            if let Some(bytes) = first.borrow().as_deref() {
                world.inject(lane, from, SocketAddr::new(to, PORT), Ecn::NotEct, bytes);
            }
        }
    });
}

struct Told<'a> {
    talk: &'a Talk,
    run: GuestRun,
}

impl Configured for Told<'_> {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "line between two that talk", &self.talk.link());
        for (side, access) in [("who talks", Access::Nobody), ("who hears", Access::Public)] {
            tell::host(settings, side, &HostConfig::new(access));
        }
        tell::guest(settings, &format!("guest, {}", self.run.name()), &self.run);
    }
}

/// An application: it says things, or hears them and perhaps answers.
struct End {
    talk: Talk,
    /// To whom, of the end that talks.
    talks: Option<IpAddr>,
    id: Option<ConnectionId>,
    next: u64,
    /// What was read of a stream.
    bytes: u64,
    /// Messages that were heard, of those that have numbers.
    seen: BTreeSet<u64>,
    heard: Rc<RefCell<Heard>>,
}

fn message(number: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len.max(8)];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes
}

impl End {
    fn take(&mut self, now: Instant, host: &mut Stp, id: ConnectionId) {
        let len = if self.talks.is_some() { ANSWER } else { self.talk.len } as u64;
        let Some(kind) = host.guest(id).map(|guest| guest.socket().kind()) else { return };
        let mut room = vec![0; 64 << 10];
        while let Read::Bytes(count) = host.read(id, &mut room) {
            let numbers: Vec<u64> = match kind {
                SocketKind::Message => {
                    room[..count].first_chunk().map(|number| u64::from_le_bytes(*number)).into_iter().collect()
                }
                SocketKind::Stream => {
                    let before = self.bytes / len;
                    self.bytes += count as u64;
                    (before..self.bytes / len).collect()
                }
            };
            let count = self.talk.count;
            for number in numbers.into_iter().filter(|number| *number < count) {
                if self.seen.insert(number) {
                    self.hear(now, host, id, number);
                }
            }
        }
    }

    fn hear(&mut self, now: Instant, host: &mut Stp, id: ConnectionId, number: u64) {
        let is_last = self.talks.is_some() || !self.talk.answered;
        if is_last {
            self.heard.borrow_mut().delays.push(now.since(self.talk.said_at(number)));
        } else {
            host.write(id, &message(number, ANSWER));
        }
    }
}

impl App<Stp> for End {
    fn handle_event(&mut self, now: Instant, host: &mut Stp, event: HostEvent) {
        let mut told = Vec::new();
        host.hear(event, &mut told);
        for event in told {
            if let Event::Stream(id, News::Incoming | News::Readable) = event {
                self.id = Some(id);
                self.take(now, host, id);
            }
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Stp) -> Option<Instant> {
        let to = self.talks?;
        if self.id.is_none() {
            self.id = host.open(now, to, None).ok();
            if let (Some(id), Some((number, bytes))) = (self.id, self.talk.call)
                && let Some(guest) = host.guest(id)
            {
                // What has no such call is another transport.
                let _ = guest.call_guest(number, bytes);
            }
        }
        let id = self.id?;
        while self.next < self.talk.count && self.talk.said_at(self.next) <= now {
            host.write(id, &message(self.next, self.talk.len));
            self.next += 1;
        }
        (self.next < self.talk.count).then(|| self.talk.said_at(self.next))
    }
}
