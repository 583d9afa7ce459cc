//! Two channels, a toy protocol above each, and a bad pipe between them, in virtual time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;
use std::time::Duration;

use crate::testing::ChecksumArmor;
use crate::wire::{ACK_RANGES_MAX, AckBlock, AckRanges, FirstByte, Mark, NUMBER_AT};
use crate::{Armor, Channel, ChannelEvent, Config, Discard, Poll, Received, Sealed};
use tng_base::{
    ChannelId, ChannelKey, Ecn, Fate, Filled, Instant, PathCondition, Protocol, RangeSet, Rng, Taken, Violation,
};
use tng_congestion::{Choice, Regulation, RegulationConfig};
use tng_wire::battery::emit;

pub const MTU: usize = 1_200;

pub fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// Numbered messages, one to a packet, each wanted on the other side.
#[derive(Debug, Default)]
pub struct Toy {
    /// Messages to send, or to send again.
    pub outbox: BTreeSet<u64>,
    /// What each packet carried.
    pub carried: BTreeMap<u64, u64>,
    pub acked: BTreeSet<u64>,
    pub fates: Vec<(u64, Fate)>,
    /// Messages received, and how often.
    pub inbox: BTreeMap<u64, u32>,
    /// Packets handed up, by number.
    pub seen: BTreeSet<u64>,
    pub conditions: Vec<PathCondition>,
    /// Bytes of a packet's payload beyond its header of 16; as many as fit if none.
    pub size: Option<usize>,
    /// A packet has so many bytes, or is not sent.
    pub whole: bool,
    /// What becomes of received packets.
    pub verdict: Verdict,
    /// Packets and messages held, not yet in a queue.
    pub held: Vec<(u64, u64)>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub enum Verdict {
    #[default]
    Take,
    Refuse,
    Hold,
    Complain,
    /// Take anything without a look.
    Ignore,
    /// Hold it for a while, as a helper does; now and then, refuse it.
    Queue,
}

impl Toy {
    pub fn send(&mut self, messages: Range<u64>) {
        self.outbox.extend(messages);
    }
}

impl Protocol for Toy {
    fn handle_packet(
        &mut self,
        _: Instant,
        _: ChannelKey,
        _: u64,
        _: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        if self.verdict == Verdict::Complain {
            return Err(Violation { code: 77, reason: "toy" });
        }
        if payload.len() < 16 || self.verdict == Verdict::Ignore {
            return Ok(Taken::All);
        }
        let number = u64::from_be_bytes(payload[..8].try_into().expect("8 bytes"));
        let message = u64::from_be_bytes(payload[8..16].try_into().expect("8 bytes"));
        assert!(self.seen.insert(number), "packet {number} was handed up twice");
        assert!(payload[16..].iter().all(|&b| b == message as u8), "packet {number} was altered");
        match self.verdict {
            Verdict::Refuse => return Ok(Taken::Refused),
            Verdict::Queue if number % 19 == 3 => return Ok(Taken::Refused),
            Verdict::Queue => self.held.push((number, message)),
            Verdict::Hold => {}
            _ => *self.inbox.entry(message).or_default() += 1,
        }
        Ok(if matches!(self.verdict, Verdict::Hold | Verdict::Queue) { Taken::Later } else { Taken::All })
    }

    fn replay_safe(&self, _payload: &[u8]) -> bool {
        true
    }

    fn poll_packet(&mut self, _now: Instant, _channel: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        let len = 16 + self.size.unwrap_or(usize::MAX - 16).min(buf.len().checked_sub(16)?);
        if self.whole && self.size.is_some_and(|size| len < 16 + size) {
            return None;
        }
        let message = self.outbox.pop_first()?;
        buf[..8].copy_from_slice(&number.to_be_bytes());
        buf[8..16].copy_from_slice(&message.to_be_bytes());
        buf[16..len].fill(message as u8);
        self.carried.insert(number, message);
        Some(Filled { len })
    }

    fn wants_to_send(&mut self, _now: Instant, _channel: ChannelKey) -> bool {
        !self.outbox.is_empty()
    }

    fn handle_fates(&mut self, _now: Instant, _channel: ChannelKey, numbers: Range<u64>, fate: Fate) {
        for number in numbers {
            self.fates.push((number, fate));
            let Some(&message) = self.carried.get(&number) else { continue };
            match fate {
                Fate::Acked => {
                    self.acked.insert(message);
                    self.outbox.remove(&message);
                }
                Fate::Lost | Fate::Doubtful => {
                    if !self.acked.contains(&message) {
                        self.outbox.insert(message);
                    }
                }
            }
        }
    }

    fn handle_path(&mut self, _now: Instant, _channel: ChannelKey, condition: PathCondition) {
        self.conditions.push(condition);
    }
}

/// One direction of the pipe.
#[derive(Clone, Debug)]
pub struct Pipe {
    pub delay: Duration,
    /// Bits per second.
    pub rate: Option<u64>,
    /// Packets that wait for the rate at most.
    pub queue: usize,
    /// Beyond so many waiting packets, ECN-capable ones are marked.
    pub mark_beyond: usize,
    pub loss: f64,
    pub duplicate: f64,
    pub corrupt: f64,
    /// Probability of an extra delay, and how long it is at most.
    pub reorder: (f64, Duration),
    /// ECN bits are erased.
    pub bleach: bool,
    /// Packets with ECN bits are lost.
    pub ecn_blackhole: bool,
    /// Nothing passes in this time.
    pub outage: std::ops::Range<Instant>,
    /// Packets lost by number.
    pub lose: BTreeSet<u64>,
    /// The far end hears of what the pipe loses by chance or by number when it would have arrived.
    pub tells: bool,
    /// No packet is longer.
    pub mtu: usize,
}

impl Pipe {
    pub fn perfect(delay: Duration) -> Pipe {
        Pipe {
            delay,
            rate: None,
            queue: usize::MAX,
            mark_beyond: usize::MAX,
            loss: 0.0,
            duplicate: 0.0,
            corrupt: 0.0,
            reorder: (0.0, Duration::ZERO),
            bleach: false,
            ecn_blackhole: false,
            outage: Instant::ZERO..Instant::ZERO,
            lose: BTreeSet::new(),
            tells: false,
            mtu: usize::MAX,
        }
    }
}

#[derive(Debug)]
pub struct End {
    pub channel: Channel,
    pub regulation: Option<Regulation>,
    pub toy: Toy,
    pub pipe: Pipe,
    /// Packets sent, with the time.
    pub sent: Vec<(Instant, Sealed)>,
    pub events: Vec<ChannelEvent>,
    pub discards: Vec<Discard>,
    pub received: Vec<(Instant, Received)>,
    pub wait: Option<Instant>,
    /// Every packet sent, if it is wanted.
    pub copies: Option<Vec<Vec<u8>>>,
    /// When the pipe's rate lets the next packet in, and the departures it still holds.
    busy_until: Instant,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Flight {
    at: Instant,
    order: u64,
    to: usize,
    ecn: u8,
    /// Only the link layer sees it.
    corrupted: bool,
    bytes: Vec<u8>,
}

pub struct World {
    pub now: Instant,
    pub ends: [End; 2],
    pub rng: Rng,
    flights: BinaryHeap<Reverse<Flight>>,
    order: u64,
    buf: Vec<u8>,
    /// What helpers hold: when it leaves, whose it is, packet and message.
    queue: Vec<(Instant, usize, u64, u64)>,
    /// Bytes granted to ends without a regulation at each step.
    pub grant: u64,
    /// Copies of the armors as they were at first, to forge with.
    pub armors: (ChecksumArmor, ChecksumArmor),
}

pub fn regulation(name: &str) -> Option<Regulation> {
    let config = RegulationConfig { mtu: MTU as u16, ..RegulationConfig::default() };
    Some(name.parse::<Choice>().expect("a controller").regulation(config))
}

impl World {
    /// Two ends after their set-up, which took one round trip; `adjust` may change the settings of end 0 and end 1.
    pub fn with(seed: u64, pipes: [Pipe; 2], adjust: impl Fn(usize, &mut Config), tag_len: usize) -> World {
        let mut rng = Rng::from_u64(seed);
        let armors = match ChecksumArmor::pair(seed, tag_len, 100) {
            // As in weak mode.
            (a, b) if tag_len == 4 => (a.unmasked(), b.unmasked()),
            masked => masked,
        };
        let start = Instant::from_millis(1_000);
        let now = start + pipes[0].delay + pipes[1].delay;
        let mut make = |which: usize, armor: ChecksumArmor, pipe: Pipe| {
            let mut config =
                Config::new(ChannelKey(which as u64), ChannelId::from_u64(0x1234_5600 + which as u64), rng.fork());
            adjust(which, &mut config);
            let mut regulation = regulation("newreno");
            let mut channel = Channel::new(config, Box::new(armor), start);
            channel.note_setup_sent(start, MTU, false, regulation.as_mut());
            channel.note_setup_received(start, true);
            End {
                channel,
                regulation,
                toy: Toy::default(),
                pipe,
                sent: Vec::new(),
                events: Vec::new(),
                discards: Vec::new(),
                received: Vec::new(),
                wait: None,
                copies: None,
                busy_until: Instant::ZERO,
            }
        };
        let [there, back] = pipes;
        let mut ends = [make(0, armors.0.clone(), there), make(1, armors.1.clone(), back)];
        for End { channel, regulation, toy, .. } in &mut ends {
            channel.setup_acked(now, regulation.as_mut(), toy);
            toy.fates.clear();
        }
        World {
            now,
            ends,
            rng,
            flights: BinaryHeap::new(),
            order: 0,
            queue: Vec::new(),
            grant: 0,
            buf: vec![0; MTU],
            armors,
        }
    }

    pub fn new(seed: u64, pipe: Pipe) -> World {
        World::with(seed, [pipe.clone(), pipe], |_, _| {}, 16)
    }

    /// Sends what both ends have to send now.
    pub fn flush(&mut self) {
        for from in 0..2 {
            if self.ends[from].regulation.is_none() {
                self.ends[from].channel.set_grant(self.grant.max(self.ends[from].channel.grant()));
            }
            loop {
                let End { channel, regulation, toy, wait, .. } = &mut self.ends[from];
                match channel.poll_packet(self.now, regulation.as_mut(), &mut self.buf, toy) {
                    Poll::Packet(sealed) => {
                        let within = regulation.as_ref().is_none_or(|r| r.in_flight() <= r.window());
                        assert!(
                            within || !sealed.eliciting || channel.unanswered_probes() > 0,
                            "more in flight than the window allows"
                        );
                        let bytes = self.buf[..sealed.len].to_vec();
                        self.put(from, sealed, bytes);
                    }
                    Poll::At(at) => {
                        assert!(at > self.now, "the pacer's time is in the past");
                        *wait = Some(at);
                        break;
                    }
                    Poll::Nothing | Poll::Blocked => {
                        *wait = None;
                        break;
                    }
                }
            }
            while let Some(event) = self.ends[from].channel.poll_event() {
                self.ends[from].events.push(event);
            }
        }
    }

    /// Puts a packet into the pipe.
    pub fn put(&mut self, from: usize, sealed: Sealed, bytes: Vec<u8>) {
        let now = self.now;
        self.ends[from].sent.push((now, sealed));
        let end = &mut self.ends[from];
        if let Some(copies) = &mut end.copies {
            copies.push(bytes.clone());
        }
        let pipe = end.pipe.clone();
        let lost =
            pipe.outage.contains(&now) || bytes.len() > pipe.mtu || (pipe.ecn_blackhole && sealed.ecn != Ecn::NotEct);
        if lost {
            return;
        }
        let corrupted = pipe.lose.contains(&sealed.number) || self.rng.chance(pipe.loss);
        if corrupted && !pipe.tells {
            return;
        }
        let mut ecn = if pipe.bleach { Ecn::NotEct } else { sealed.ecn };
        let mut leaves = now;
        if let Some(rate) = pipe.rate {
            let each = Duration::from_nanos(bytes.len() as u64 * 8 * 1_000_000_000 / rate);
            let waiting = end.busy_until.since(now).as_nanos() / each.as_nanos().max(1);
            if waiting >= pipe.queue as u128 {
                return;
            }
            if waiting >= pipe.mark_beyond as u128 && ecn == Ecn::Ect0 {
                ecn = Ecn::Ce;
            }
            end.busy_until = end.busy_until.max(now) + each;
            leaves = end.busy_until;
        }
        let copies = if self.rng.chance(pipe.duplicate) { 2 } else { 1 };
        for _ in 0..copies {
            let mut at = leaves + pipe.delay;
            if self.rng.chance(pipe.reorder.0) {
                at += Duration::from_nanos(self.rng.below(pipe.reorder.1.as_nanos() as u64));
            }
            let mut bytes = bytes.clone();
            if self.rng.chance(pipe.corrupt) {
                let bit = self.rng.below(bytes.len() as u64 * 8) as usize;
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            self.order += 1;
            self.flights.push(Reverse(Flight {
                at,
                order: self.order,
                to: 1 - from,
                ecn: ecn as u8,
                corrupted,
                bytes,
            }));
        }
    }

    /// Hands a packet to an end now.
    pub fn deliver(&mut self, to: usize, ecn: Ecn, bytes: &[u8]) -> Result<Received, Discard> {
        let End { channel, regulation, toy, received, discards, .. } = &mut self.ends[to];
        let result = channel.handle_packet(self.now, ecn, &mut bytes.to_vec(), regulation.as_mut(), toy);
        match &result {
            Ok(packet) => received.push((self.now, *packet)),
            Err(discard) => discards.push(discard.clone()),
        }
        result
    }

    /// When something happens next.
    pub fn next(&mut self) -> Option<Instant> {
        let flight = self.flights.peek().map(|f| f.0.at);
        let mut next = flight.into_iter().chain(self.queue.iter().map(|q| q.0)).min();
        for end in &mut self.ends {
            let timeout = end.channel.poll_timeout(end.regulation.as_ref());
            next = [next, timeout, end.wait].into_iter().flatten().min();
        }
        next
    }

    /// One step: whatever happens next, before or at `until`. False if nothing does.
    pub fn step(&mut self, until: Instant) -> bool {
        self.flush();
        let Some(next) = self.next().filter(|&next| next <= until) else {
            self.now = self.now.max(until.min(Instant::from_secs(1_000_000)));
            return false;
        };
        assert!(next >= self.now, "a timer lies in the past: {next:?} < {:?}", self.now);
        self.now = next;
        while self.flights.peek().is_some_and(|f| f.0.at <= self.now) {
            let Reverse(flight) = self.flights.pop().expect("peeked");
            if flight.corrupted {
                let header = &flight.bytes[..flight.bytes.len().min(64)];
                self.ends[flight.to].channel.handle_link_loss(self.now, header);
                continue;
            }
            // What comes of it is in the end's lists.
            let _: Result<Received, Discard> = self.deliver(flight.to, Ecn::from_bits(flight.ecn), &flight.bytes);
        }
        self.release();
        for End { channel, regulation, toy, .. } in &mut self.ends {
            if channel.poll_timeout(regulation.as_ref()).is_some_and(|at| at <= self.now) {
                channel.handle_timeout(self.now, regulation.as_mut(), toy);
            }
        }
        true
    }

    /// Helpers pass on what has been in their queues for long enough, and drop some of it.
    fn release(&mut self) {
        for which in 0..2 {
            for (number, message) in std::mem::take(&mut self.ends[which].toy.held) {
                let leaves = self.now + Duration::from_micros(self.rng.below(30_000));
                self.queue.push((leaves, which, number, message));
            }
        }
        let now = self.now;
        for (_, which, number, message) in self.queue.extract_if(.., |q| q.0 <= now) {
            let end = &mut self.ends[which];
            if self.rng.chance(0.05) {
                end.channel.forfeit(number);
            } else {
                end.channel.redeem(now, number, Ecn::NotEct);
                *end.toy.inbox.entry(message).or_default() += 1;
            }
        }
    }

    /// Runs until nothing more happens, or until `until`; answers whether it went idle.
    pub fn run(&mut self, until: Instant) -> bool {
        while self.step(until) {}
        self.flush();
        self.next().is_none()
    }

    pub fn in_flight(&self, which: usize) -> u64 {
        self.ends[which].regulation.as_ref().map_or(0, Regulation::in_flight)
    }
}

/// An authentic packet from `from` with this content, as a dishonest peer that holds the keys would make it.
pub fn forge(world: &World, from: usize, number: u64, first: FirstByte, content: &[u8]) -> Vec<u8> {
    let mut armor = if from == 0 { world.armors.0.clone() } else { world.armors.1.clone() };
    let header_len = NUMBER_AT + 4;
    let mut packet = vec![0; header_len + content.len() + armor.tag_len()];
    let phase = armor.send_phase(number);
    packet[0] = FirstByte { phase, number_len: 4, ..first }.to_byte(Mark::Channel);
    packet[NUMBER_AT..header_len].copy_from_slice(&number.to_be_bytes()[4..]);
    packet[header_len..header_len + content.len()].copy_from_slice(content);
    armor.seal(number, header_len, &mut packet).expect("fresh keys");
    armor.protect(NUMBER_AT, 4, &mut packet);
    packet
}

/// The first byte of a packet that holds an acknowledgment, or control frames, or only payload.
pub fn first(ack: bool, control: bool) -> FirstByte {
    FirstByte { phase: false, ack, control, at_once: false, number_len: 4 }
}

/// An acknowledgment block of these numbers.
pub fn ack_of(numbers: &RangeSet) -> Vec<u8> {
    let ranges = AckRanges::Held { set: numbers, limit: ACK_RANGES_MAX };
    emit(&AckBlock { ranges, delay: 0, unredeemed: None, ecn: None })
}
