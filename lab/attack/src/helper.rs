//! A helper that keeps to nobody's rules: an honest one, and what is done to its datagrams behind its back.

use core::net::SocketAddr;
use core::ops::Range;
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use tng_base::{
    ChannelId, ChannelKey, Datagram, Ecn, Fate, Filled, Input, Instant, Machine, Output, Protocol, Rng, Taken,
    Transmit, Violation,
};
use tng_channel::wire::Mark;
use tng_channel::{Channel, Config, Poll};
use tng_crypto::Secret32;
use tng_endpoint::Mode;
use tng_flow::wire::{Answered, Declined, Greeting, Instructions, JOIN, JOINED, Join, Joined, Order, Refusal};
use tng_flow::{Carries, End, HopKey, open_instructions, open_join, open_joined};
use tng_middlebox::{Helper, HelperEvent, Office};
use tng_wire::{Reader, Repr};

/// Datagrams that a rogue helper keeps copies of, at most.
pub const COPIES_MAX: usize = 64;

/// Datagrams that it holds back, at most; further ones leave at once.
pub const HELD_BACK_MAX: usize = 4_096;

/// What a rogue helper does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Deed {
    /// Drops this share of what it sends.
    Drop(f64),
    /// Holds this share back for a random time of at most 50 ms.
    Reorder(f64),
    /// Sends this share twice.
    Duplicate(f64),
    /// Flips a bit in this share.
    Corrupt(f64),
    /// Sends old datagrams again, in the place of this share.
    Replay(f64),
    /// Sends this share somewhere else.
    Redirect(f64, SocketAddr),
    /// Holds everything back for so long.
    Delay(Duration),
    /// Sends nothing more.
    Swallow,
    /// Acknowledges what clients send at once, and drops it.
    AckAndDrop,
    /// Says of what clients send that it waits for its turn, and keeps it for ever.
    Hold,
    /// Closes the section with a client as soon as there is anything on it.
    Close,
    /// Says in the set-up that packets may be late by so many milliseconds, and what the largest is that it passes on.
    Lie(u16, u16),
    /// Hands on what the responder answers, but not the section.
    Strip,
    /// Declines, and resets with what it learned in the set-up whatever takes its place.
    DeclineAndReset,
}

impl Deed {
    /// What becomes of the section with a client, if this is about the whole of it.
    fn grip(self) -> Option<Grip> {
        match self {
            Deed::AckAndDrop => Some(Grip::Drops),
            Deed::Hold => Some(Grip::Holds),
            Deed::Close => Some(Grip::Closes),
            _ => None,
        }
    }

    /// Whether it is done to what clients are told in the set-up.
    fn is_of_set_up(self) -> bool {
        self.grip().is_some() || matches!(self, Deed::Lie(..) | Deed::Strip | Deed::DeclineAndReset)
    }
}

/// What is done with everything on a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Grip {
    Drops,
    Holds,
    Closes,
}

/// How long after a flow was declined the responder is sent a reset: before, while and after something else is set up.
const RESETS_MS: [u64; 8] = [0, 5, 15, 30, 60, 120, 500, 2_000];

/// One datagram on its way out.
#[derive(Clone, Debug)]
struct Out {
    remote: SocketAddr,
    ecn: Ecn,
    bytes: Vec<u8>,
}

/// The section of a client that no honest helper has.
#[derive(Debug)]
struct Sink {
    channel: Channel,
    client: SocketAddr,
    grip: Grip,
}

impl Sink {
    /// The end of the section.
    fn farewell(&mut self, now: Instant) -> Option<Out> {
        let mut bytes = vec![0; 1_200];
        let sealed = self.channel.build_farewell(now, 0, &[], &mut bytes)?;
        bytes.truncate(sealed.len);
        Some(Out { remote: self.client, ecn: sealed.ecn, bytes })
    }
}

/// What the order and the greeting of a JOIN told.
#[derive(Debug)]
struct Told {
    near: HopKey,
    reset_token: [u8; 16],
    next: SocketAddr,
}

/// Takes everything and has nothing to say.
pub(crate) struct Pit(pub Grip);

impl Protocol for Pit {
    fn handle_packet(&mut self, _: Instant, _: ChannelKey, _: u64, _: Ecn, _: &mut [u8]) -> Result<Taken, Violation> {
        Ok(if self.0 == Grip::Holds { Taken::Later } else { Taken::All })
    }

    fn replay_safe(&self, _: &[u8]) -> bool {
        true
    }

    fn poll_packet(&mut self, _: Instant, _: ChannelKey, _: u64, _: &mut [u8]) -> Option<Filled> {
        None
    }

    fn wants_to_send(&mut self, _: Instant, _: ChannelKey) -> bool {
        false
    }

    fn handle_fates(&mut self, _: Instant, _: ChannelKey, _: Range<u64>, _: Fate) {}
}

/// A helper that does its [`Deed`]s from some time on. It has everything that an honest one has: the keys of its two
/// sections, and no other.
#[derive(Debug)]
pub struct RogueHelper {
    honest: Helper,
    office: Office,
    deeds: Vec<Deed>,
    from: Instant,
    rng: Rng,
    /// Of the sections with clients, by the clients' ids.
    told: BTreeMap<ChannelId, Told>,
    /// By this helper's ids.
    sinks: BTreeMap<ChannelId, Sink>,
    copies: VecDeque<Out>,
    held_back: BTreeMap<(Instant, u64), Out>,
    next: u64,
    ready: VecDeque<Out>,
    buf: Vec<u8>,
}

impl RogueHelper {
    /// `honest`, which has this secret and this time of day at [`Instant::ZERO`], and its deeds `from` some time on.
    /// Deeds that are done to sections as a whole, or to the set-up, concern the flows that begin from then on, the
    /// others all.
    pub fn new(
        honest: Helper,
        secret: &Secret32,
        epoch_ms: u64,
        deeds: Vec<Deed>,
        from: Instant,
        rng: Rng,
    ) -> RogueHelper {
        RogueHelper {
            honest,
            office: Office::new(secret, epoch_ms),
            deeds,
            from,
            rng,
            told: BTreeMap::new(),
            sinks: BTreeMap::new(),
            copies: VecDeque::new(),
            held_back: BTreeMap::new(),
            next: 0,
            ready: VecDeque::new(),
            buf: vec![0; 65_536],
        }
    }

    /// The helper that it was.
    pub fn honest(&self) -> &Helper {
        &self.honest
    }

    /// What it does.
    pub fn deeds(&self) -> &[Deed] {
        &self.deeds
    }

    /// From now on it does nothing of the kind any more: what it has begun comes to its end.
    pub fn repent(&mut self) {
        self.deeds.clear();
        self.sinks.clear();
    }

    /// Nothing is left but what clients may still send.
    pub fn is_empty(&self) -> bool {
        self.honest.is_empty() && self.held_back.is_empty() && self.ready.is_empty()
    }

    /// What it does now to those who ask for a section.
    fn of_set_up(&self, now: Instant) -> Vec<Deed> {
        self.deeds.iter().copied().filter(|deed| self.from <= now && deed.is_of_set_up()).collect()
    }

    /// Learns from the JOIN of a client what any helper does.
    fn learn(&mut self, now: Instant, packet: &[u8]) -> Option<()> {
        let join = Join::parse(&mut Reader::new(packet)).ok()?;
        let order = Order::parse(&mut Reader::new(join.onward)).ok()?;
        let grant = self.office.open(now, order.capability).ok()?;
        let mut opened = Vec::new();
        let Instructions { near, next, .. } = open_instructions(&grant.key, &order, &mut opened).ok()?;
        let Greeting { id, reset_token, .. } = open_join(&near, &join).ok()?;
        self.told.insert(id, Told { near, reset_token, next });
        Some(())
    }

    /// The honest helper's word to a client, and what is to become of it.
    fn do_to_set_up(&mut self, now: Instant, deed: Deed, out: &mut Out) -> Option<()> {
        let joined = Joined::parse(&mut Reader::new(&out.bytes)).ok()?;
        let receiver = joined.receiver;
        let told = self.told.get(&receiver)?;
        match deed {
            Deed::Lie(repair_ms, payload_max) => {
                let greeting = Greeting { repair_ms, payload_max, ..open_joined(&told.near, &joined).ok()? };
                out.bytes = tng_flow::joined(&told.near, receiver, &greeting, joined.reply);
            }
            Deed::Strip => out.bytes = Answered { receiver, answer: joined.reply }.to_vec(),
            Deed::DeclineAndReset => {
                let reset = [&[0x40, 1, 2, 3, 4, 5, 6][..], &told.reset_token].concat();
                for ms in RESETS_MS {
                    self.next += 1;
                    let reset = Out { remote: told.next, ecn: Ecn::NotEct, bytes: reset.clone() };
                    self.held_back.insert((now + Duration::from_millis(ms), self.next), reset);
                }
                out.bytes = Declined { receiver, refusal: Refusal::TooMany }.to_vec();
            }
            _ => self.take_over(now, deed.grip()?, out)?,
        }
        Some(())
    }

    /// From here on the section that a client is told of is ours.
    fn take_over(&mut self, now: Instant, grip: Grip, out: &Out) -> Option<()> {
        let (joined, client) = (Joined::parse(&mut Reader::new(&out.bytes)).ok()?, out.remote);
        let key = &self.told.get(&joined.receiver)?.near;
        let own = open_joined(key, &joined).ok()?.id;
        if !self.sinks.contains_key(&own) {
            let mut config = Config::new(ChannelKey(self.next), joined.receiver, self.rng.fork());
            config.mark = Mark::Section;
            let channel = Channel::new(config, Box::new(key.armor(End::Far, Carries::Sealed)), now);
            self.sinks.insert(own, Sink { channel, client, grip });
            self.next += 1;
        }
        Some(())
    }

    fn sink_of(&mut self, packet: &[u8]) -> Option<&mut Sink> {
        let id = packet.get(1..7)?.try_into().ok()?;
        self.sinks.get_mut(&ChannelId::from_bytes(id))
    }

    /// What the honest helper sends goes through our hands.
    fn tamper(&mut self, now: Instant, mut out: Out) {
        for deed in self.of_set_up(now) {
            if out.bytes.first() == Some(&JOINED) {
                let _ = self.do_to_set_up(now, deed, &mut out);
            }
        }
        let mut delay = Duration::ZERO;
        let deeds = if self.from <= now { self.deeds.clone() } else { Vec::new() };
        for deed in deeds {
            let by_chance = match deed {
                Deed::Drop(share)
                | Deed::Reorder(share)
                | Deed::Duplicate(share)
                | Deed::Corrupt(share)
                | Deed::Replay(share)
                | Deed::Redirect(share, _) => self.rng.chance(share),
                Deed::Delay(_) | Deed::Swallow => true,
                _ => false,
            };
            if !by_chance {
                continue;
            }
            match deed {
                Deed::Drop(_) | Deed::Swallow => return,
                Deed::Reorder(_) => delay += Duration::from_micros(self.rng.below(50_000)),
                Deed::Delay(time) => delay += time,
                Deed::Duplicate(_) => self.ready.push_back(out.clone()),
                Deed::Corrupt(_) => {
                    let at = self.rng.below(out.bytes.len() as u64) as usize;
                    out.bytes[at] ^= 1 << self.rng.below(8);
                }
                Deed::Replay(_) if !self.copies.is_empty() => {
                    let at = self.rng.below(self.copies.len() as u64) as usize;
                    out = self.copies[at].clone();
                }
                Deed::Redirect(_, elsewhere) => out.remote = elsewhere,
                _ => {}
            }
        }
        if self.copies.len() < COPIES_MAX {
            self.copies.push_back(out.clone());
        }
        if delay == Duration::ZERO || self.held_back.len() >= HELD_BACK_MAX {
            self.ready.push_back(out);
        } else {
            self.next += 1;
            self.held_back.insert((now + delay, self.next), out);
        }
    }

    fn poll_sinks(&mut self, now: Instant) -> Option<Out> {
        for sink in self.sinks.values_mut() {
            while sink.channel.poll_event().is_some() {}
            if let Poll::Packet(sealed) =
                sink.channel.poll_packet(now, None, &mut self.buf[..1_200], &mut Pit(sink.grip))
            {
                return Some(Out { remote: sink.client, ecn: sealed.ecn, bytes: self.buf[..sealed.len].to_vec() });
            }
        }
        None
    }
}

impl Machine for RogueHelper {
    type Event = HelperEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        let Input::Datagram(datagram) = input else { return self.honest.handle_input(now, input) };
        let Datagram { remote, local, ecn, segment_size, payload } = datagram;
        for packet in payload.chunks_mut(segment_size.max(1)) {
            match packet.first() {
                Some(&JOIN) if !self.of_set_up(now).is_empty() => _ = self.learn(now, packet),
                Some(first) if Mode::of(*first) == Mode::Section => {
                    if let Some(sink) = self.sink_of(packet) {
                        let _ = sink.channel.handle_packet(now, ecn, packet, None, &mut Pit(sink.grip));
                        let farewell = if sink.grip == Grip::Closes { sink.farewell(now) } else { None };
                        self.ready.extend(farewell);
                        continue;
                    }
                }
                _ => {}
            }
            let segment_size = packet.len();
            self.honest
                .handle_input(now, Input::Datagram(Datagram { remote, local, ecn, segment_size, payload: packet }));
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.honest.handle_timeout(now);
        for sink in self.sinks.values_mut() {
            sink.channel.handle_timeout(now, None, &mut Pit(sink.grip));
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<HelperEvent> {
        loop {
            while let Some(entry) = self.held_back.first_entry().filter(|entry| entry.key().0 <= now) {
                self.ready.push_back(entry.remove());
            }
            if let Some(out) = self.ready.pop_front().or_else(|| self.poll_sinks(now)) {
                let len = out.bytes.len();
                buf[..len].copy_from_slice(&out.bytes);
                return Output::Transmit(Transmit {
                    remote: out.remote,
                    local: None,
                    ecn: out.ecn,
                    len,
                    segment_size: len,
                });
            }
            match self.honest.poll_output(now, buf) {
                Output::Transmit(Transmit { remote, ecn, len, segment_size, .. }) => {
                    for bytes in buf[..len].to_vec().chunks(segment_size) {
                        self.tamper(now, Out { remote, ecn, bytes: bytes.to_vec() });
                    }
                }
                Output::Event(event) => return Output::Event(event),
                Output::NeedsEntropy => return Output::NeedsEntropy,
                Output::Timeout(at) => {
                    let held = self.held_back.keys().next().map(|(at, _)| *at);
                    let sinks = self.sinks.values_mut().filter_map(|sink| sink.channel.poll_timeout(None));
                    return Output::Timeout(at.into_iter().chain(held).chain(sinks).min());
                }
            }
        }
    }
}
