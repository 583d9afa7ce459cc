//! Whether two instances of a guest carry what they are given.

use core::fmt;
use core::net::{IpAddr, SocketAddr};
use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_base::{Instant, Rng};
use tng_crypto::Secret32;
use tng_queue::{Limit, QueueConfig};
use tng_sim::{App, Link, Loss, MachineNode, Node, PORT, World, fork, topology};
use tng_stack::{Access, ConnectionId, Host, HostConfig, HostEvent, Identity};
use tng_stp_abi::SocketKind;
use tng_stp_host::{Code, End, Life, Quotas, Workshop};

use super::SEED;
use crate::peers::guests::quotas;
use crate::peers::transport::stp::Stp;
use crate::peers::transport::{Event, News, OpenError, Read, Transport, tell};
use crate::settings::{Configured, Settings};

/// Bytes of a stream.
const STREAM_LEN: u64 = 1_000_000;
/// Messages, and bytes of each.
const MESSAGES: u64 = 1_000;
const MESSAGE_LEN: usize = 600;
/// Messages that are written ahead, and how often there may be another one: guests keep the bounds of few.
const AHEAD: u64 = 16;
/// As many of them at first, and one more for each that has left: who begins slowly, and sends nothing that is too old,
/// need not send what was written before it knew its path.
const AHEAD_FIRST: u64 = 4;
const AGAIN: Duration = Duration::from_millis(5);
/// Messages that arrive over a line that loses, of all: a guest need not send them again.
pub(super) const LEAST_OF_LOSSY: f64 = 0.9;
/// Nothing takes longer.
const PATIENCE: Duration = Duration::from_secs(300);
const RATE_BPS: u64 = 10_000_000;
const DELAY: Duration = Duration::from_millis(20);
/// None is lost in the queue of the clean line.
const QUEUE: usize = 2_000;

/// What became of what was sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Carried {
    socket: SocketKind,
    /// Bytes of a stream, or messages.
    arrived: u64,
    ended: bool,
    wrong: Option<String>,
}

impl Carried {
    pub(super) const fn what(&self) -> &'static str {
        match self.socket {
            SocketKind::Stream => "1 MB",
            SocketKind::Message => "1,000 messages",
        }
    }

    /// Whether so many of the messages have arrived; of a stream all, and its end.
    pub(super) fn holds(&self, least: f64) -> bool {
        let whole = match self.socket {
            SocketKind::Stream => self.ended && self.arrived == STREAM_LEN,
            SocketKind::Message => self.arrived as f64 >= MESSAGES as f64 * least,
        };
        whole && self.wrong.is_none()
    }
}

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.socket {
            SocketKind::Stream => {
                let end = if self.ended { "with its end" } else { "without its end" };
                write!(f, "{} bytes, {end}", self.arrived)?;
            }
            SocketKind::Message => write!(f, "{} messages", self.arrived)?,
        }
        match &self.wrong {
            Some(wrong) => write!(f, "; {wrong}"),
            None if self.arrived > 0 => f.write_str(", as they were"),
            None => f.write_str("; it was still waiting when time was over"),
        }
    }
}

/// Two instances that carry it over a line that loses this share of packets, both ways.
pub(super) struct Carrying<'a> {
    pub(super) code: &'a Code,
    pub(super) loss: f64,
}

impl Carrying<'_> {
    fn link(&self) -> Link {
        let loss = if self.loss > 0.0 { Loss::Independent(self.loss) } else { Loss::None };
        let queue = QueueConfig::DropTail(Limit::Packets(QUEUE));
        Link::new().rate(RATE_BPS).delay(DELAY).queue(queue).loss(loss)
    }

    pub(super) fn run(&self) -> Carried {
        carry(self.code, &self.link())
    }
}

impl Configured for Carrying<'_> {
    fn tell(&self, settings: &mut Settings) {
        tell::link(settings, "line between two of it", &self.link());
        settings.configure("two of it", "guest", &[], &quotas(), &Quotas::default());
    }
}

fn carry(code: &Code, link: &Link) -> Carried {
    let carried = Carried { socket: code.socket(), arrived: 0, ended: false, wrong: None };
    let tally = Rc::new(RefCell::new(carried));
    let [left, right] = [0, 1].map(topology::ipv4);
    let mut rngs = [0, 1].map(|side| fork(SEED, side));
    let identities = [0, 1].map(|side: usize| Identity::from_seed(rngs[side].bytes::<32>()));
    let eid = identities[1].eid();
    let [caller, called] = identities;
    let mut sender = host(caller, Access::Nobody, code, &mut rngs[0]);
    sender.know(SocketAddr::new(right, PORT), eid);
    let receiver = host(called, Access::Public, code, &mut rngs[1]);

    let mut world: World<Box<dyn Node>> = World::new(SEED);
    let sending = Sender { to: right, begun: None, sent: 0, tally: Rc::clone(&tally), heard: Vec::new() };
    let receiving = Receiver { tally: Rc::clone(&tally), seen: vec![false; MESSAGES as usize], heard: Vec::new() };
    let a = world.host("sender", &[left], Box::new(MachineNode::new(sender, sending)));
    let b = world.host("receiver", &[right], Box::new(MachineNode::new(receiver, receiving)));
    world.connect(a, b, link);
    let over = Rc::clone(&tally);
    world.wait_until(Instant::ZERO + PATIENCE, move |_| {
        let carried = over.borrow();
        carried.ended || carried.wrong.is_some() || carried.arrived == MESSAGES && carried.socket == SocketKind::Message
    });
    tally.borrow().clone()
}

fn host(identity: Identity, access: Access, code: &Code, rng: &mut Rng) -> Stp {
    let mut workshop = Workshop::new(&Secret32::from_bytes(rng.bytes()), rng.bytes());
    workshop.quotas = quotas();
    Stp::new(Host::new(HostConfig::new(access), identity, rng.bytes::<32>()), workshop, code.clone())
}

/// The byte of the stream at this place.
fn byte(at: u64) -> u8 {
    (at.wrapping_mul(2_654_435_761) >> 13) as u8
}

fn message(number: u64) -> Vec<u8> {
    let rest = (0..MESSAGE_LEN as u64 - 8).map(|at| byte(number * MESSAGE_LEN as u64 + at));
    number.to_le_bytes().into_iter().chain(rest).collect()
}

struct Sender {
    to: IpAddr,
    begun: Option<ConnectionId>,
    /// Bytes, or messages.
    sent: u64,
    tally: Rc<RefCell<Carried>>,
    heard: Vec<Event<Stp>>,
}

impl Sender {
    fn fail(&self, why: String) {
        self.tally.borrow_mut().wrong.get_or_insert(why);
    }

    /// Whether little enough is written ahead for another message.
    fn is_near(&self, host: &mut Stp, id: ConnectionId) -> bool {
        let Some(guest) = host.guest(id) else { return false };
        let (socket, len) = (guest.socket(), MESSAGE_LEN as u64);
        let ahead = AHEAD.min(AHEAD_FIRST + socket.dropped() / len);
        socket.kind() == SocketKind::Stream || socket.sent() - socket.dropped() < ahead * len
    }

    fn write(&mut self, host: &mut Stp, id: ConnectionId) {
        let socket = self.tally.borrow().socket;
        let all = if socket == SocketKind::Stream { STREAM_LEN } else { MESSAGES };
        while self.sent < all && self.is_near(host, id) {
            let piece: Vec<u8> = match socket {
                SocketKind::Stream => (self.sent..all.min(self.sent + (32 << 10))).map(byte).collect(),
                SocketKind::Message => message(self.sent),
            };
            match (host.write(id, &piece), socket) {
                (0, _) => return,
                (len, SocketKind::Stream) => self.sent += len as u64,
                (_, SocketKind::Message) => self.sent += 1,
            }
            // Messages have no end: who is told of it may leave, with what it has not sent yet.
            if self.sent == all && socket == SocketKind::Stream {
                host.finish(id);
            }
        }
    }
}

impl App<Stp> for Sender {
    fn handle_event(&mut self, _: Instant, host: &mut Stp, event: HostEvent) {
        if let Some(why) = self.begun.and_then(|id| ended(host, id)) {
            self.fail(format!("at the sender: {why}"));
        }
        let mut heard = core::mem::take(&mut self.heard);
        host.hear(event, &mut heard);
        for event in heard.drain(..) {
            match event {
                Event::Stream(id, News::Writable) => self.write(host, id),
                Event::Lost { how, .. } => self.fail(how),
                _ => {}
            }
        }
        self.heard = heard;
    }

    fn poll(&mut self, now: Instant, host: &mut Stp) -> Option<Instant> {
        if self.begun.is_none() && self.tally.borrow().wrong.is_none() {
            match host.open(now, self.to, None) {
                Ok(id) => {
                    self.begun = Some(id);
                    self.write(host, id);
                }
                Err(OpenError::Refused(why)) => self.fail(why),
                Err(OpenError::Later) => {}
            }
        }
        let id = self.begun.filter(|_| self.tally.borrow().socket == SocketKind::Message && self.sent < MESSAGES)?;
        self.write(host, id);
        Some(now + AGAIN)
    }
}

/// How a guest has ended badly, if so.
fn ended(host: &mut Stp, id: ConnectionId) -> Option<String> {
    match host.guest(id)?.life() {
        Life::Ended(End::Stopped(fault)) => Some(fault.to_string()),
        Life::Ended(End::Failed(code)) => Some(format!("the guest says that the connection failed, with code {code}")),
        _ => None,
    }
}

struct Receiver {
    tally: Rc<RefCell<Carried>>,
    /// Messages that have arrived.
    seen: Vec<bool>,
    heard: Vec<Event<Stp>>,
}

impl Receiver {
    fn read(&mut self, host: &mut Stp, id: ConnectionId) {
        let mut buffer = vec![0; 64 << 10];
        loop {
            let mut tally = self.tally.borrow_mut();
            match host.read(id, &mut buffer) {
                Read::Bytes(len) => {
                    let wrong = match tally.socket {
                        SocketKind::Stream => stream_wrong(tally.arrived, &buffer[..len]),
                        SocketKind::Message => self::message_wrong(&buffer[..len], &mut self.seen),
                    };
                    tally.arrived += if tally.socket == SocketKind::Stream { len as u64 } else { 1 };
                    if tally.wrong.is_none() {
                        tally.wrong = wrong;
                    }
                }
                Read::Finished => {
                    tally.ended = true;
                    drop(tally);
                    return host.finish(id);
                }
                Read::Reset(_) => {
                    let why = ended(host, id).unwrap_or_default();
                    tally.wrong.get_or_insert_with(|| format!("at the receiver: {why}"));
                    return;
                }
                Read::Blocked | Read::Gone => return,
            }
        }
    }
}

fn stream_wrong(from: u64, bytes: &[u8]) -> Option<String> {
    let at = (from..).zip(bytes).find(|(at, found)| byte(*at) != **found).map(|(at, _)| at);
    at.map(|at| format!("byte {at} is another one"))
}

fn message_wrong(bytes: &[u8], seen: &mut [bool]) -> Option<String> {
    let number = bytes.first_chunk().map(|number| u64::from_le_bytes(*number)).filter(|number| *number < MESSAGES);
    match number {
        Some(number) if bytes == message(number) => {
            let again = core::mem::replace(&mut seen[number as usize], true);
            again.then(|| format!("message {number} came twice"))
        }
        _ => Some("a message came that nobody has sent".to_owned()),
    }
}

impl App<Stp> for Receiver {
    fn handle_event(&mut self, _: Instant, host: &mut Stp, event: HostEvent) {
        let mut heard = core::mem::take(&mut self.heard);
        host.hear(event, &mut heard);
        for event in heard.drain(..) {
            if let Event::Stream(id, News::Incoming | News::Readable) = event {
                self.read(host, id);
            }
        }
        self.heard = heard;
    }

    fn poll(&mut self, _: Instant, _: &mut Stp) -> Option<Instant> {
        None
    }
}
