//! The helper as a machine.

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, HashMap, VecDeque};

use tng_base::{ChannelId, ChannelKey, Datagram, Input, Instant, Machine, Output, Rng, Schedule, Transmit};
use tng_channel::wire::{Mark, NUMBER_AT};
use tng_channel::{Channel, Config};
use tng_crypto::{HmacKey, Secret32, hkdf, labels};
use tng_endpoint::{AnswerBudget, BASE_PAYLOAD, Demux, Mode, Path, RemoteIds};
use tng_flow::wire::{
    ANSWERED, Answered, DECLINED, Declined, Greeting, JOIN, JOINED, Join, Joined, ORDER, Order, Refusal, VERSION,
};
use tng_flow::{Around, End, Ended, Flows, HOP_TAG_LEN, HopKey, Origin, Party, Section, SectionStart};
use tng_flow::{join, joined, open_instructions, open_join, open_joined};
use tng_wire::{Reader, Repr, Writer};

use crate::config::{HALF_OPEN_FOR, SECTION_FAILED_AFTER, SECTION_IDLE};
use crate::relay::{Far, Owner, Relay, RelayId, plain};
use crate::{ClientTag, Grant, HelperConfig, Office, SharedQueue, discipline_for};

/// Small answers that wait for the driver, at most; beyond it they are not given.
pub const ANSWERS_WAITING_MAX: usize = 64;

/// Bytes of a section packet beside its payload, at most: first byte, id, number, MAC.
pub const SECTION_OVERHEAD: usize = NUMBER_AT + 4 + HOP_TAG_LEN;

/// Close code: the neighbour on the other side is gone.
pub const NEIGHBOUR_GONE: u64 = 8;

/// Close code: the capability has ended.
pub const CAPABILITY_ENDED: u64 = 9;

/// Why a flow is helped no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeftBecause {
    /// One of the two neighbours closed its section, or broke it.
    Closed,
    /// One of them was not heard of any more.
    Silent,
    /// Whoever was to be joined did not answer.
    Unanswered,
    /// Whoever was to be joined declined.
    Declined,
    /// The capability has ended.
    CapabilityEnded,
}

/// What a helper tells its operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HelperEvent {
    /// A flow is helped.
    Joined {
        /// Which.
        relay: RelayId,
        /// Whose.
        client: ClientTag,
        /// Where it is passed on to.
        toward: SocketAddr,
    },
    /// A flow is helped no more.
    Left {
        /// Which.
        relay: RelayId,
        /// Why.
        because: LeftBecause,
    },
}

/// Counts since the helper began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HelperStats {
    /// Flows helped or about to be.
    pub relays: usize,
    /// Bytes waiting in shared queues.
    pub queued_bytes: u64,
    /// JOINs taken, repeated ones not counted.
    pub joins: u64,
    /// JOINs refused.
    pub refused: u64,
    /// Datagrams that belong to nothing known.
    pub strays: u64,
    /// Packets dropped by shared queues of flows that have ended or not.
    pub dropped: u64,
    /// Packets marked by them.
    pub marked: u64,
}

/// A flow middlebox: a plain value, driven like any machine. It holds nothing that an end could not do without: whoever loses
/// it goes another way.
#[derive(Debug)]
pub struct Helper {
    config: HelperConfig,
    office: Office,
    reset_key: HmacKey,
    demux: Demux<Owner>,
    flows: Flows<Owner>,
    relays: HashMap<RelayId, Box<Relay>>,
    /// So that a repeated JOIN finds its relay.
    known: BTreeMap<(SocketAddr, ChannelId), RelayId>,
    /// Relays of each client.
    clients: BTreeMap<ClientTag, usize>,
    schedule: Schedule<RelayId>,
    next_id: u64,
    next_key: u64,
    answers: VecDeque<(SocketAddr, Vec<u8>)>,
    answer_budget: AnswerBudget,
    events: VecDeque<HelperEvent>,
    rng: Rng,
    stats: HelperStats,
    /// For instructions being read; kept for its memory.
    opened: Vec<u8>,
}

/// What a relay needs of its helper for the length of a call.
pub(crate) struct AroundRelay<'a> {
    pub config: &'a HelperConfig,
    pub demux: &'a mut Demux<Owner>,
    pub flows: &'a mut Flows<Owner>,
    pub rng: &'a mut Rng,
    pub reset_key: &'a HmacKey,
}

impl AroundRelay<'_> {
    /// Calls a section whose neighbour is at `ip`.
    pub(crate) fn with<T>(&mut self, ip: IpAddr, f: impl FnOnce(&mut Around<'_, Owner>) -> T) -> T {
        let reset_key = self.reset_key;
        f(&mut Around {
            settings: self.config.settings(ip),
            demux: self.demux,
            flows: self.flows,
            rng: self.rng,
            reset_token: &|id| reset_token(reset_key, id),
        })
    }
}

fn reset_token(key: &HmacKey, id: ChannelId) -> [u8; 16] {
    let tag = key.tag(&[&id.to_bytes()]);
    core::array::from_fn(|i| tag[i])
}

fn emitted<'a>(message: &impl Repr<'a>) -> Vec<u8> {
    let mut bytes = vec![0; message.wire_len()];
    message.emit(&mut Writer::new(&mut bytes)).expect("wire_len bytes are enough");
    bytes
}

/// What a helper that can pass on so much says of itself.
fn own_payload_max() -> u16 {
    (BASE_PAYLOAD - SECTION_OVERHEAD) as u16
}

impl Helper {
    /// A helper with this secret, which a restart does not change, and a `seed` that it does. [`Instant::ZERO`] is `epoch_ms` since
    /// 1970.
    pub fn new(config: HelperConfig, secret: &Secret32, epoch_ms: u64, seed: [u8; 32]) -> Helper {
        Helper {
            config,
            office: Office::new(secret, epoch_ms),
            reset_key: HmacKey::new(hkdf::expand_secret(secret, labels::HELP_RESET, &[]).expose()),
            demux: Demux::new(),
            flows: Flows::default(),
            relays: HashMap::new(),
            known: BTreeMap::new(),
            clients: BTreeMap::new(),
            schedule: Schedule::default(),
            next_id: 0,
            next_key: 0,
            answers: VecDeque::new(),
            answer_budget: AnswerBudget::default(),
            events: VecDeque::new(),
            rng: Rng::from_seed(seed),
            stats: HelperStats::default(),
            opened: Vec::new(),
        }
    }

    /// Gives capabilities out.
    pub fn office(&self) -> &Office {
        &self.office
    }

    /// Counts.
    pub fn stats(&self) -> HelperStats {
        let queues = || self.relays.values().flat_map(|relay| [&relay.outward, &relay.homeward]);
        HelperStats {
            relays: self.relays.len(),
            queued_bytes: queues().map(SharedQueue::bytes).sum(),
            dropped: self.stats.dropped + queues().map(SharedQueue::dropped).sum::<u64>(),
            marked: self.stats.marked + queues().map(SharedQueue::marks).sum::<u64>(),
            ..self.stats
        }
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.relays.is_empty() && self.demux.is_empty() && self.known.is_empty() && self.clients.is_empty()
    }

    fn split(&mut self, id: RelayId) -> Option<(&mut Relay, AroundRelay<'_>)> {
        let Helper { config, demux, flows, rng, reset_key, relays, .. } = self;
        let relay = relays.get_mut(&id)?;
        Some((relay, AroundRelay { config, demux, flows, rng, reset_key }))
    }

    fn wake(&mut self, id: RelayId) {
        if let Some(relay) = self.relays.get_mut(&id) {
            self.schedule.wake(id, &mut relay.place);
        }
    }

    fn handle_datagrams(&mut self, now: Instant, datagram: Datagram<'_>) {
        let origin = Origin { remote: datagram.remote, local: datagram.local, ecn: datagram.ecn };
        for packet in datagram.payload.chunks_mut(datagram.segment_size.max(1)) {
            let Some(&first) = packet.first() else { continue };
            match (Mode::of(first), first) {
                (Mode::Section, _) => self.handle_section_packet(now, origin, packet),
                (Mode::SetUp, JOIN) => self.handle_join(now, origin, packet),
                (Mode::SetUp, JOINED) => self.handle_joined(now, origin, packet),
                (Mode::SetUp, ANSWERED | DECLINED) => self.pass_back(origin, packet),
                _ => self.stats.strays += 1,
            }
        }
        while let Some(called) = self.flows.pop_called() {
            self.wake(called.relay);
        }
    }

    fn handle_section_packet(&mut self, now: Instant, origin: Origin, packet: &mut [u8]) {
        let Some(owner) = self.demux.owner_of(packet).or_else(|| self.demux.reset_owner(packet)) else {
            return self.reset(now, origin.remote, packet);
        };
        let is_reset = self.demux.owner_of(packet).is_none();
        let Some((relay, mut around)) = self.split(owner.relay) else { return };
        let arrival = match is_reset {
            true => Err(Ended::Idle),
            false => relay.handle_packet(now, owner.toward, origin, packet, &mut around),
        };
        match arrival {
            Ok(_) => self.wake(owner.relay),
            Err(ended) => self.end(now, owner.relay, Some(owner.toward), because(&ended)),
        }
    }

    /// Says that a section is not known here, in fewer bytes than what asked for it.
    fn reset(&mut self, now: Instant, remote: SocketAddr, packet: &[u8]) {
        self.stats.strays += 1;
        let Some(id) = Demux::<Owner>::id_in(packet) else { return };
        let len = packet.len().saturating_sub(1).min(43);
        if len < 23 || self.answers.len() >= ANSWERS_WAITING_MAX || !self.answer_budget.take(now) {
            return;
        }
        let mut bytes = vec![0; len];
        for byte in &mut bytes {
            *byte = self.rng.u64() as u8;
        }
        bytes[0] = 0x80 | bytes[0] & 0x1f;
        let at = len - 16;
        bytes[at..].copy_from_slice(&reset_token(&self.reset_key, id));
        self.answers.push_back((remote, bytes));
    }

    fn decline(&mut self, now: Instant, remote: SocketAddr, receiver: ChannelId, refusal: Refusal) {
        self.stats.refused += 1;
        if self.answers.len() < ANSWERS_WAITING_MAX && self.answer_budget.take(now) {
            self.answers.push_back((remote, emitted(&Declined { receiver, refusal })));
        }
    }

    fn handle_join(&mut self, now: Instant, origin: Origin, packet: &[u8]) {
        let Ok(message) = Join::parse(&mut Reader::new(packet)) else { return };
        if message.version != VERSION {
            return self.decline(now, origin.remote, message.sender, Refusal::Version);
        }
        if message.onward.first() != Some(&ORDER) {
            self.stats.strays += 1;
            return;
        }
        if let Err(refusal) = self.take_order(now, origin, packet.len(), &message) {
            self.decline(now, origin.remote, message.sender, refusal);
        }
    }

    fn take_order(&mut self, now: Instant, origin: Origin, len: usize, message: &Join<'_>) -> Result<(), Refusal> {
        let order = Order::parse(&mut Reader::new(message.onward)).map_err(|_| Refusal::Malformed)?;
        let grant = self.office.open(now, order.capability)?;
        let mut opened = core::mem::take(&mut self.opened);
        let instructions = open_instructions(&grant.key, &order, &mut opened);
        let taken = instructions.map_err(|_| Refusal::Malformed).and_then(|instructions| {
            let greeting = open_join(&instructions.near, message).map_err(|_| Refusal::Malformed)?;
            let (next, onward) = (instructions.next, instructions.onward);
            let known_as = (origin.remote, message.sender);
            if let Some(id) = self.known.get(&known_as).copied() {
                self.repeat(id, (len, onward), &instructions.near);
                return Ok(());
            }
            if next == origin.remote {
                return Err(Refusal::Loop);
            }
            self.admit(&grant, next)?;
            let keys = (instructions.near, instructions.far);
            self.begin(now, origin, (len, grant, greeting), keys, (next, onward));
            Ok(())
        });
        self.opened = opened;
        taken
    }

    fn admit(&self, grant: &Grant, next: SocketAddr) -> Result<(), Refusal> {
        if !self.config.onward.permits(next) {
            return Err(Refusal::Forbidden);
        }
        if self.clients.get(&grant.client).copied().unwrap_or(0) >= usize::from(grant.flows_max) {
            return Err(Refusal::TooMany);
        }
        if self.relays.len() >= self.config.relays_max {
            return Err(Refusal::Overloaded);
        }
        Ok(())
    }

    /// The client repeats its JOIN, or brings a cookie.
    fn repeat(&mut self, id: RelayId, (len, onward): (usize, &[u8]), near_key: &HopKey) {
        let reset_key = &self.reset_key;
        let Some(relay) = self.relays.get_mut(&id) else { return };
        if relay.near_key.expose() != near_key.expose() {
            return;
        }
        relay.near.note_repeated_set_up(len);
        match &mut relay.far {
            Far::Asked { key, id, join: message, due, .. } => {
                let greeting = Greeting {
                    id: *id,
                    reset_token: reset_token(reset_key, *id),
                    payload_max: relay.client_payload_max.min(own_payload_max()),
                    repair_ms: 0,
                };
                *message = join(key, &greeting, onward, &mut self.rng);
                *due = true;
            }
            Far::Open(_) => {
                if let Some((_, due)) = &mut relay.joined {
                    *due = true;
                }
            }
        }
        self.wake(id);
    }

    fn take_id(&mut self, owner: Owner) -> ChannelId {
        loop {
            let id = ChannelId::from_u64(self.rng.u64());
            if self.demux.add_id(id, owner) {
                return id;
            }
        }
    }

    fn channel(&mut self, now: Instant, remote_id: ChannelId, key: &HopKey, end: End) -> Channel {
        self.next_key += 1;
        let mut config = Config::new(ChannelKey(self.next_key), remote_id, self.rng.fork());
        config.mark = Mark::Section;
        config.failed_after = SECTION_FAILED_AFTER;
        Channel::new(config, Box::new(key.armor(end)), now)
    }

    fn begin(
        &mut self,
        now: Instant,
        origin: Origin,
        (len, grant, greeting): (usize, Grant, Greeting),
        (near_key, far_key): (HopKey, HopKey),
        (next, onward): (SocketAddr, &[u8]),
    ) {
        self.next_id += 1;
        let relay = RelayId(self.next_id);
        let near_id = self.take_id(Owner { relay, toward: End::Near });
        let far_id = self.take_id(Owner { relay, toward: End::Far });
        let mut path = Path::unproven(origin.remote, origin.local);
        path.handle_received(len);
        let start = SectionStart {
            owner: Owner { relay, toward: End::Near },
            party: Party::Client { tag: grant.client.0, toward: next },
            channel: self.channel(now, greeting.id, &near_key, End::Far),
            path,
            initial_rtt: tng_congestion::INITIAL_RTT,
            began: false,
            local_id: near_id,
            remote_ids: RemoteIds::new(greeting.id, Some(greeting.reset_token)),
            idle_timeout: Some(SECTION_IDLE),
            payload_max: BASE_PAYLOAD,
        };
        let (rngs, config) = ([self.rng.fork(), self.rng.fork()], &self.config);
        let queue = |feeding: SocketAddr, rng: Rng| {
            let neighbourhood = config.around(feeding.ip());
            SharedQueue::new(&discipline_for(&neighbourhood.controller), neighbourhood.queue_time, rng)
        };
        let [outward, homeward] = rngs;
        let (outward, homeward) = (queue(origin.remote, outward), queue(next, homeward));
        let announced = Greeting {
            id: far_id,
            reset_token: reset_token(&self.reset_key, far_id),
            payload_max: greeting.payload_max.min(own_payload_max()),
            repair_ms: greeting.repair_ms,
        };
        let message = join(&far_key, &announced, onward, &mut self.rng);
        let Helper { config, demux, flows, rng, reset_key, .. } = self;
        let mut around = AroundRelay { config, demux, flows, rng, reset_key };
        let near = around.with(origin.remote.ip(), |around| Section::new(now, start, around));
        let until = now + HALF_OPEN_FOR;
        let far =
            Far::Asked { key: far_key, id: far_id, next, join: message, due: true, asked_at: now, sends: 0, until };
        let known_as = (origin.remote, greeting.id);
        *self.clients.entry(grant.client).or_default() += 1;
        self.known.insert(known_as, relay);
        self.relays.insert(
            relay,
            Box::new(Relay {
                grant,
                known_as,
                near_key,
                near: Box::new(near),
                client_payload_max: greeting.payload_max,
                far,
                joined: None,
                outward,
                homeward,
                place: Default::default(),
            }),
        );
        self.stats.joins += 1;
        self.wake(relay);
    }

    fn handle_joined(&mut self, now: Instant, origin: Origin, packet: &[u8]) {
        let Ok(message) = Joined::parse(&mut Reader::new(packet)) else { return };
        let Some(owner) = self.demux.owner_of(packet).filter(|owner| owner.toward == End::Far) else {
            self.stats.strays += 1;
            return;
        };
        let Some(relay) = self.relays.get(&owner.relay) else { return };
        let Far::Asked { key, id, next, asked_at, sends, .. } = &relay.far else { return };
        if *next != origin.remote {
            return;
        }
        let Ok(greeting) = open_joined(key, &message) else { return };
        let (key, id, next, client) = (key.clone(), *id, *next, relay.grant.client);
        // What was asked for once gives the first round-trip time, or rather more than that: whoever is beyond answered first.
        let initial_rtt = if *sends == 1 { now.since(*asked_at) } else { tng_congestion::INITIAL_RTT };
        let mut path = Path::proven(origin.remote, origin.local);
        path.handle_received(packet.len());
        let start = SectionStart {
            owner,
            party: Party::Client { tag: client.0, toward: next },
            channel: self.channel(now, greeting.id, &key, End::Near),
            path,
            initial_rtt: initial_rtt.max(core::time::Duration::from_micros(1)),
            began: true,
            local_id: id,
            remote_ids: RemoteIds::new(greeting.id, Some(greeting.reset_token)),
            idle_timeout: Some(SECTION_IDLE),
            payload_max: BASE_PAYLOAD,
        };
        let Helper { config, demux, flows, rng, reset_key, relays, .. } = self;
        let mut around = AroundRelay { config, demux, flows, rng, reset_key };
        let far = around.with(next.ip(), |around| {
            let mut section = Section::new(now, start, around);
            section.confirm(now, around);
            section
        });
        let Some(relay) = relays.get_mut(&owner.relay) else { return };
        let near_id = relay.near.local_id();
        let announced = Greeting {
            id: near_id,
            reset_token: reset_token(around.reset_key, near_id),
            payload_max: greeting.payload_max.min(own_payload_max()),
            repair_ms: greeting.repair_ms,
        };
        let answer = joined(&relay.near_key, relay.known_as.1, &announced, message.reply, around.rng);
        relay.joined = Some((answer, true));
        relay.far = Far::Open(Box::new(far));
        self.events.push_back(HelperEvent::Joined { relay: owner.relay, client, toward: next });
        self.wake(owner.relay);
    }

    /// Whoever was asked to join declines, or wants something else first: the client hears of it, under its own name for the section.
    fn pass_back(&mut self, origin: Origin, packet: &[u8]) {
        let Some(owner) = self.demux.owner_of(packet).filter(|owner| owner.toward == End::Far) else {
            self.stats.strays += 1;
            return;
        };
        let Some(relay) = self.relays.get(&owner.relay) else { return };
        let Far::Asked { next, .. } = &relay.far else { return };
        if *next != origin.remote || self.answers.len() >= ANSWERS_WAITING_MAX {
            return;
        }
        let (client, receiver) = relay.known_as;
        let mut reader = Reader::new(packet);
        if let Ok(answered) = Answered::parse(&mut reader) {
            self.answers.push_back((client, emitted(&Answered { receiver, ..answered })));
        } else if let Ok(declined) = Declined::parse(&mut Reader::new(packet)) {
            self.answers.push_back((client, emitted(&Declined { receiver, ..declined })));
            self.remove(owner.relay, LeftBecause::Declined);
        }
    }

    /// A relay ends: the neighbours that have not gone themselves are told.
    fn end(&mut self, now: Instant, id: RelayId, gone: Option<End>, because: LeftBecause) {
        let Some(relay) = self.relays.get_mut(&id) else { return };
        let code = if because == LeftBecause::CapabilityEnded { CAPABILITY_ENDED } else { NEIGHBOUR_GONE };
        for toward in [End::Near, End::Far].into_iter().filter(|end| Some(*end) != gone) {
            if let Some(section) = relay.section(toward)
                && let Some((bytes, transmit)) = section.close_packet(now, code, "")
                && self.answers.len() < ANSWERS_WAITING_MAX
            {
                self.answers.push_back((transmit.remote, bytes));
            }
        }
        self.remove(id, because);
    }

    fn remove(&mut self, id: RelayId, because: LeftBecause) {
        let Some(mut relay) = self.relays.remove(&id) else { return };
        let Helper { config, demux, flows, rng, reset_key, .. } = self;
        let mut around = AroundRelay { config, demux, flows, rng, reset_key };
        relay.near.leave(around.flows);
        around.with(relay.near.path().remote.ip(), |around| relay.near.release(around));
        match &mut relay.far {
            Far::Open(far) => {
                far.leave(around.flows);
                around.with(far.path().remote.ip(), |around| far.release(around));
            }
            Far::Asked { id, .. } => around.demux.remove_id(*id),
        }
        self.known.remove(&relay.known_as);
        if let Some(count) = self.clients.get_mut(&relay.grant.client) {
            *count -= 1;
            if *count == 0 {
                self.clients.remove(&relay.grant.client);
            }
        }
        for queue in [&relay.outward, &relay.homeward] {
            self.stats.dropped += queue.dropped();
            self.stats.marked += queue.marks();
        }
        self.schedule.remove(id, relay.place);
        self.events.push_back(HelperEvent::Left { relay: id, because });
    }

    /// Polls the relay whose turn it is; answers what it sends.
    fn poll_front(&mut self, now: Instant, id: RelayId, buf: &mut [u8]) -> Option<Transmit> {
        let (relay, mut around) = self.split(id)?;
        let transmit = relay.poll_transmit(now, buf, &mut around);
        if transmit.is_some() {
            self.schedule.rotate();
        } else {
            let deadline = relay.poll_timeout(now, &mut around);
            let relay = self.relays.get_mut(&id)?;
            self.schedule.rest(id, &mut relay.place, deadline);
        }
        while let Some(called) = self.flows.pop_called() {
            self.wake(called.relay);
        }
        transmit
    }
}

fn because(ended: &Ended) -> LeftBecause {
    match ended {
        Ended::Idle => LeftBecause::Silent,
        Ended::Peer { .. } | Ended::Violation(_) | Ended::KeysUsedUp => LeftBecause::Closed,
    }
}

impl Machine for Helper {
    type Event = HelperEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(datagram) => self.handle_datagrams(now, datagram),
            Input::LinkLoss(_) | Input::PathChange(_) => {}
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        while let Some(id) = self.schedule.pop_due(now) {
            let Some((relay, mut around)) = self.split(id) else { continue };
            relay.place.handle_due();
            let unanswered = matches!(relay.far, Far::Asked { until, .. } if until <= now);
            if unanswered {
                self.remove(id, LeftBecause::Unanswered);
            } else if relay.grant.until <= now {
                self.end(now, id, None, LeftBecause::CapabilityEnded);
            } else if let Err((gone, ended)) = relay.handle_timeout(now, &mut around) {
                self.end(now, id, Some(gone), because(&ended));
            } else {
                self.wake(id);
            }
        }
        while let Some(called) = self.flows.pop_called() {
            self.wake(called.relay);
        }
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<HelperEvent> {
        loop {
            if let Some((remote, message)) = self.answers.pop_front() {
                buf[..message.len()].copy_from_slice(&message);
                return Output::Transmit(plain(remote, None, message.len()));
            }
            if let Some(event) = self.events.pop_front() {
                return Output::Event(event);
            }
            let Some(id) = self.schedule.front() else { return Output::Timeout(self.schedule.next_deadline()) };
            if let Some(transmit) = self.poll_front(now, id, buf) {
                return Output::Transmit(transmit);
            }
        }
    }
}
