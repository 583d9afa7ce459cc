//! The helper as a machine.

mod claims;
mod fairness;
mod governing;
mod joining;
mod leaving;
mod status;
mod tunnels;

use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, HashMap, VecDeque};

use tng_base::{
    CarrierNews, ChannelId, Datagram, Input, Instant, Machine, Output, PathChange, Rng, Schedule, Transmit,
};
use tng_channel::wire::{Renewal, reset_len};
use tng_congestion::Regulation;
use tng_crypto::{HmacKey, Secret32, SecretSource, hkdf, labels};
use tng_endpoint::{BASE_PAYLOAD, Demux, Mode, TokenBucket};
use tng_flow::wire::{ANSWERED, DECLINED, Declined, JOIN, JOINED, Refusal};
use tng_flow::{Around, Arrival, End, Flows, HopKey, Origin, SECTION_OVERHEAD, read_renewal};
use tng_wire::Repr;

use self::fairness::Clients;
pub(crate) use self::fairness::{Counted, Turn};
pub use self::fairness::{RATE_BURST, RATE_TURN_BYTES_MIN};
use self::governing::Dismissals;
use self::leaving::because;
pub use self::status::{FlowStatus, QueueStatus, SectionStatus};
use self::tunnels::Tunnel;
pub use self::tunnels::{
    NoTunnel, TUNNEL_EXITS_MAX, TUNNEL_EXITS_PER_CLIENT_MAX, TUNNEL_FAILED_AFTER, TUNNEL_RETRY, TUNNEL_RETRY_MAX,
    TUNNELS_MAX, TunnelEnd, TunnelStatus, tunnel_named,
};
use crate::ending::Ending;
use crate::relay::{Far, Owner, Relay, RelayId, plain};
use crate::{ClientTag, Grant, HelperConfig, NearChoice, Office, SharedQueue, Spares};

/// Small answers that wait for the driver, at most; beyond it they are not given.
pub const ANSWERS_WAITING_MAX: usize = 64;

/// Bytes of the longest message that sets a section up: what one packet of Ethernet holds. It bounds what a half-open
/// flow keeps, and how many orders one JOIN may hold.
pub const SET_UP_LEN_MAX: usize = 1_472;

/// Close code: the neighbour on the other side is gone.
pub const NEIGHBOUR_GONE: u64 = 8;

/// Close code: the capability has ended.
pub const CAPABILITY_ENDED: u64 = 9;

/// Close code: the helper is being shut down, or passes nothing on to that neighbour any more.
pub const HELPED_NO_MORE: u64 = 10;

/// Why a flow is helped no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeftBecause {
    /// One of the two neighbours closed its section, or broke it.
    Closed,
    /// One of them was not heard of any more.
    Silent,
    /// The next hop did not answer.
    Unanswered,
    /// The next hop declined, and why.
    Declined(Refusal),
    /// The capability has ended.
    CapabilityEnded,
    /// The helper's settings permit it no more.
    Forbidden,
    /// The helper is being shut down.
    Draining,
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
    /// A tunnel is there: its other end has answered, or has been heard of since its JOIN.
    Tunnel {
        /// Which.
        tunnel: RelayId,
        /// Whose, if it was asked for from elsewhere; else [`u64::MAX`].
        client: ClientTag,
        /// Where what comes out of it is passed on to.
        to: SocketAddr,
    },
    /// A flow is helped no more, or a tunnel is lost.
    Left {
        /// Which.
        relay: RelayId,
        /// Why.
        because: LeftBecause,
        /// What the flow was; none for a tunnel.
        served: Option<Served>,
    },
}

/// What a flow was that is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Served {
    /// Whose.
    pub client: ClientTag,
    /// The neighbour toward the initiator.
    pub near: SocketAddr,
    /// The neighbour toward the responder.
    pub far: SocketAddr,
    /// When it was asked for.
    pub began: Instant,
    /// Bytes of packets that came from the initiator's side.
    pub outward_bytes: u64,
    /// Bytes of packets that came from the responder's side.
    pub homeward_bytes: u64,
    /// Packets that the shared queues marked.
    pub marked: u64,
    /// Packets that they dropped.
    pub dropped: u64,
}

/// Counts since the helper began.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HelperStats {
    /// Flows helped or about to be.
    pub relays: usize,
    /// Flows that are over, but whose end a neighbour has yet to hear of.
    pub endings: usize,
    /// Ways that have a controller of their own: one home to each client's address, one to each host that its flows go
    /// on to.
    pub ways: usize,
    /// Tunnels, there or asked for.
    pub tunnels: usize,
    /// Bytes waiting for their sections.
    pub tunnel_bytes: u64,
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
    /// Bytes of the datagrams that came, of whatever kind.
    pub received_bytes: u64,
    /// Bytes of the datagrams of flows and tunnels that left.
    pub sent_bytes: u64,
}

impl HelperStats {
    /// Those of two helpers together.
    pub fn and(self, other: HelperStats) -> HelperStats {
        HelperStats {
            relays: self.relays + other.relays,
            endings: self.endings + other.endings,
            ways: self.ways + other.ways,
            tunnels: self.tunnels + other.tunnels,
            tunnel_bytes: self.tunnel_bytes + other.tunnel_bytes,
            queued_bytes: self.queued_bytes + other.queued_bytes,
            joins: self.joins + other.joins,
            refused: self.refused + other.refused,
            strays: self.strays + other.strays,
            dropped: self.dropped + other.dropped,
            marked: self.marked + other.marked,
            received_bytes: self.received_bytes + other.received_bytes,
            sent_bytes: self.sent_bytes + other.sent_bytes,
        }
    }
}

/// What there is of flows, by their names: the helper counts these itself, so nobody chooses them.
type ById<T> = HashMap<RelayId, T, foldhash::quality::RandomState>;

/// A flow middlebox: a plain value, driven like any machine. It holds nothing that an end could not do without: an end
/// that loses it goes another way.
#[derive(Debug)]
pub struct Helper {
    config: HelperConfig,
    office: Office,
    reset_key: HmacKey,
    demux: Demux<Owner>,
    flows: Flows<Owner>,
    relays: ById<Box<Relay>>,
    /// What is left of relays that are over.
    endings: ById<Box<Ending>>,
    /// For legacy flows.
    tunnels: ById<Box<Tunnel>>,
    /// So that a repeated JOIN finds its relay.
    known: BTreeMap<Fingerprint, RelayId>,
    /// It is being shut down: no JOIN is taken.
    draining: bool,
    /// Those that are to end.
    dismissals: Dismissals,
    /// What each client has here.
    clients: Clients,
    schedule: Schedule<RelayId>,
    next_id: u64,
    next_key: u64,
    answers: VecDeque<(SocketAddr, Vec<u8>)>,
    answer_budget: TokenBucket,
    events: VecDeque<HelperEvent>,
    /// Draws that become visible on the wire.
    rng: Rng,
    secrets: SecretSource,
    /// Tunnels that it asks for as soon as there is entropy.
    asking: VecDeque<RelayId>,
    stats: HelperStats,
    /// For instructions being read; kept for its memory.
    opened: Vec<u8>,
    /// Of all queues.
    spares: Spares,
}

/// Bytes of those packets at the start, each of `size` bytes but the last, that go to the same section.
fn run_len(packets: &[u8], size: usize) -> usize {
    let id = |packet: &[u8]| packet.get(1..7).and_then(|id| <[u8; 6]>::try_from(id).ok());
    let of_first = id(packets);
    let mut end = size.min(packets.len());
    while end < packets.len()
        && Mode::of(packets[end]) == Mode::Section
        && of_first.is_some()
        && id(&packets[end..]) == of_first
    {
        end = (end + size).min(packets.len());
    }
    end
}

/// Of the hop key of a section that a client asked for: the same in every copy of its JOIN, and in no other.
type Fingerprint = [u8; 16];

fn fingerprint(key: &HmacKey, near: &HopKey) -> Fingerprint {
    let tag = key.tag(&[b"near", near.expose()]);
    core::array::from_fn(|i| tag[i])
}

/// What a relay needs of its helper for the length of a call.
pub(crate) struct AroundRelay<'a> {
    pub config: &'a HelperConfig,
    pub demux: &'a mut Demux<Owner>,
    pub flows: &'a mut Flows<Owner>,
    pub rng: &'a mut Rng,
    pub reset_key: &'a HmacKey,
    pub spares: &'a mut Spares,
}

impl AroundRelay<'_> {
    /// Calls a section whose neighbour is at `ip`.
    pub(crate) fn with<T>(&mut self, ip: IpAddr, f: impl FnOnce(&mut Around<'_, Owner>, &mut Spares) -> T) -> T {
        let reset_key = self.reset_key;
        let mut around = Around {
            settings: self.config.settings(ip),
            demux: self.demux,
            flows: self.flows,
            rng: self.rng,
            reset_token: &|id| reset_token(reset_key, id),
        };
        f(&mut around, self.spares)
    }
}

fn reset_token(key: &HmacKey, id: ChannelId) -> [u8; 16] {
    let tag = key.tag(&[&id.to_bytes()]);
    core::array::from_fn(|i| tag[i])
}

/// What a renewal grants, if it is good: of this helper, for this flow, and of the same client.
fn renewed(office: &Office, now: Instant, renewal: &Renewal, near: &HopKey, client: ClientTag) -> Option<Grant> {
    let (shown, proof) = read_renewal(renewal).ok()?;
    let grant = office.open(now, shown).ok()?;
    (proof.is_good((shown, &grant.key), near) && grant.client == client).then_some(grant)
}

/// What a helper that can pass on so much says of itself.
fn own_payload_max() -> u16 {
    (BASE_PAYLOAD - SECTION_OVERHEAD) as u16
}

impl Helper {
    /// A helper with this secret, which a restart does not change, and a `seed` that it does: fresh entropy that nobody
    /// else has. [`Instant::ZERO`] is `epoch_ms` since 1970.
    pub fn new(config: HelperConfig, secret: &Secret32, epoch_ms: u64, seed: impl Into<Secret32>) -> Helper {
        let mut secrets = SecretSource::new(seed);
        let (rng, ids) = (secrets.visible(), config.ids);
        Helper {
            config,
            office: Office::new(secret, epoch_ms),
            reset_key: HmacKey::new(hkdf::expand_secret(secret, labels::HELP_RESET, &[]).expose()),
            demux: Demux::within(ids),
            flows: Flows::default(),
            relays: ById::default(),
            endings: ById::default(),
            tunnels: ById::default(),
            known: BTreeMap::new(),
            draining: false,
            dismissals: Dismissals::default(),
            clients: Clients::default(),
            schedule: Schedule::default(),
            next_id: 0,
            next_key: 0,
            answers: VecDeque::new(),
            answer_budget: TokenBucket::default(),
            events: VecDeque::new(),
            rng,
            secrets,
            asking: VecDeque::new(),
            stats: HelperStats::default(),
            opened: Vec::new(),
            spares: Spares::default(),
        }
    }

    /// Gives capabilities out.
    pub fn office(&self) -> &Office {
        &self.office
    }

    /// Counts.
    pub fn stats(&self) -> HelperStats {
        let queues = || {
            let of_relays = self.relays.values().flat_map(|relay| [&relay.outward, &relay.homeward]);
            of_relays.chain(self.endings.values().map(|ending| &ending.queue))
        };
        HelperStats {
            relays: self.relays.len(),
            endings: self.endings.len(),
            ways: self.flows.len().0,
            tunnels: self.tunnels.len(),
            tunnel_bytes: self.tunnels.values().map(|tunnel| tunnel.waiting_bytes()).sum(),
            queued_bytes: queues().map(SharedQueue::bytes).sum(),
            dropped: self.stats.dropped + queues().map(SharedQueue::dropped).sum::<u64>(),
            marked: self.stats.marked + queues().map(SharedQueue::marks).sum::<u64>(),
            ..self.stats
        }
    }

    /// How the section between a client and this helper is run, of a flow that is helped or about to be.
    pub fn near_choice(&self, id: RelayId) -> Option<&NearChoice> {
        self.relays.get(&id).map(|relay| &relay.near_choice)
    }

    /// What governs one of the two sections of a flow: none if there is no such flow, or nobody has joined it there.
    pub fn regulation(&self, id: RelayId, toward: End) -> Option<&Regulation> {
        let relay = self.relays.get(&id)?;
        let section = match (toward, &relay.far) {
            (End::Near, _) => &relay.near,
            (End::Far, Far::Open(far)) => far,
            (End::Far, Far::Asked { .. }) => return None,
        };
        Some(section.regulation(&self.flows))
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.relays.is_empty()
            && self.endings.is_empty()
            && self.tunnels.is_empty()
            && self.demux.is_empty()
            && self.known.is_empty()
            && self.clients.is_empty()
    }

    fn split(&mut self, id: RelayId) -> Option<(&mut Relay, AroundRelay<'_>)> {
        let Helper { config, demux, flows, rng, reset_key, spares, relays, .. } = self;
        let relay = relays.get_mut(&id)?;
        Some((relay, AroundRelay { config, demux, flows, rng, reset_key, spares }))
    }

    fn split_ending(&mut self, id: RelayId) -> Option<(&mut Ending, AroundRelay<'_>)> {
        let Helper { config, demux, flows, rng, reset_key, spares, endings, .. } = self;
        let ending = endings.get_mut(&id)?;
        Some((ending, AroundRelay { config, demux, flows, rng, reset_key, spares }))
    }

    /// Wakes those whose turn has come to use what they share.
    fn wake_called(&mut self, now: Instant) {
        self.flows.divide(now);
        while let Some(called) = self.flows.pop_called() {
            self.wake(called.relay);
        }
    }

    fn wake(&mut self, id: RelayId) {
        if let Some(relay) = self.relays.get_mut(&id) {
            self.schedule.wake(id, &mut relay.place);
        } else if let Some(ending) = self.endings.get_mut(&id) {
            self.schedule.wake(id, &mut ending.place);
        } else if let Some(tunnel) = self.tunnels.get_mut(&id) {
            self.schedule.wake(id, &mut tunnel.place);
        }
    }

    fn handle_datagrams(&mut self, now: Instant, datagram: Datagram<'_>) {
        self.stats.received_bytes += datagram.payload.len() as u64;
        let origin = Origin { remote: datagram.remote, local: datagram.local, ecn: datagram.ecn };
        let (size, mut rest) = (datagram.segment_size.max(1), datagram.payload);
        while let Some(&first) = rest.first() {
            let end = match Mode::of(first) {
                // What goes to the same in a row is handled together.
                Mode::Section => run_len(rest, size),
                _ => size.min(rest.len()),
            };
            let (packets, others) = rest.split_at_mut(end);
            rest = others;
            match (Mode::of(first), first) {
                (Mode::SetUp, _) if packets.len() > SET_UP_LEN_MAX => self.stats.strays += 1,
                (Mode::Section, _) => self.handle_section_packets(now, origin, (packets, size)),
                (Mode::SetUp, JOIN) => self.handle_join(now, origin, packets),
                (Mode::SetUp, JOINED) => self.handle_joined(now, origin, packets),
                (Mode::SetUp, ANSWERED | DECLINED) => self.pass_back(now, origin, packets),
                _ => self.stats.strays += 1,
            }
        }
        self.wake_called(now);
    }

    /// Packets of one section, each of `size` bytes but the last, which may have fewer.
    fn handle_section_packets(&mut self, now: Instant, origin: Origin, (packets, size): (&mut [u8], usize)) {
        let Some(owner) = self.demux.owner_of(packets) else {
            return packets.chunks_mut(size).for_each(|packet| self.handle_stray(now, origin, packet));
        };
        if self.tunnels.contains_key(&owner.relay) {
            for packet in packets.chunks_mut(size) {
                self.handle_tunnel_packet(now, origin, owner, packet);
            }
            return self.keep_bounds(now, owner.relay);
        }
        if owner.toward == End::Far && self.leads_astray(owner.relay, origin) {
            self.stats.strays += packets.chunks(size).len() as u64;
            return;
        }
        let arrived = if let Some((relay, mut around)) = self.split(owner.relay) {
            relay.handle_packets(now, owner.toward, origin, (packets, size), &mut around)
        } else if let Some((ending, mut around)) = self.split_ending(owner.relay) {
            let mut arrived = Ok(Arrival::Discarded);
            for packet in packets.chunks_mut(size) {
                match ending.handle_packet(now, origin, packet, &mut around) {
                    Ok(Arrival::Authentic) => arrived = Ok(Arrival::Authentic),
                    Ok(Arrival::Discarded) => {}
                    Err(ended) => {
                        arrived = Err(ended);
                        break;
                    }
                }
            }
            arrived
        } else {
            return;
        };
        match arrived {
            Ok(arrival) => self.note_arrival(now, owner, arrival),
            Err(ended) => self.part(now, owner.relay, owner.toward, because(&ended)),
        }
    }

    /// Whether a neighbour seems to have moved to where nothing may be passed on to.
    fn leads_astray(&self, id: RelayId, origin: Origin) -> bool {
        let next = match (self.relays.get(&id), self.endings.get(&id)) {
            (Some(relay), _) => relay.next(),
            (None, Some(ending)) => ending.section.path().remote,
            (None, None) => return false,
        };
        origin.remote != next
            && (!self.config.onward.permits(origin.remote) || self.config.is_own(origin.remote, origin.local))
    }

    /// Packets have come for a flow: what has to be done once, however many.
    fn note_arrival(&mut self, now: Instant, owner: Owner, arrival: Arrival) {
        if arrival == Arrival::Authentic
            && owner.toward == End::Near
            && self.clients.has_unheard()
            && let Some(relay) = self.relays.get(&owner.relay)
        {
            self.clients.hear(relay.grant.client, owner.relay);
        }
        self.take_renewals(now, owner.relay);
        self.keep_bounds(now, owner.relay);
        self.wake(owner.relay);
    }

    /// A packet under a name that is nobody's: it may reset a section all the same.
    fn handle_stray(&mut self, now: Instant, origin: Origin, packet: &mut [u8]) {
        match self.demux.reset_owner(packet) {
            Some(owner) => self.handle_reset(now, owner),
            None => self.reset(now, origin.remote, packet),
        }
    }

    /// Another thread at this port has a packet with this token at its end, which nobody knows there.
    pub fn handle_token(&mut self, now: Instant, token: &[u8; 16]) {
        if let Some(owner) = self.demux.token_owner(token) {
            self.handle_reset(now, owner);
            self.wake_called(now);
        }
    }

    /// A neighbour does not know its section any more.
    fn handle_reset(&mut self, now: Instant, owner: Owner) {
        match self.tunnels.contains_key(&owner.relay) {
            true => self.lose_tunnel(now, owner.relay, LeftBecause::Closed),
            false => self.part(now, owner.relay, owner.toward, LeftBecause::Closed),
        }
    }

    fn handle_tunnel_packet(&mut self, now: Instant, origin: Origin, owner: Owner, packet: &mut [u8]) {
        let Helper { config, demux, flows, rng, reset_key, spares, tunnels, office, .. } = self;
        let Some(tunnel) = tunnels.get_mut(&owner.relay) else { return };
        let mut around = AroundRelay { config, demux, flows, rng, reset_key, spares };
        match tunnel.handle_packet(now, origin, packet, &mut around) {
            Ok(arrival) => {
                tunnel.take_renewal(office, now);
                if arrival == Arrival::Authentic
                    && let Some((client, to)) = tunnel.hear()
                {
                    self.clients.hear(client, owner.relay);
                    self.events.push_back(HelperEvent::Tunnel { tunnel: owner.relay, client, to });
                }
                self.wake(owner.relay);
            }
            Err(ended) => self.lose_tunnel(now, owner.relay, because(&ended)),
        }
    }

    /// The client may have sent a fresh capability, for this helper or for one behind it. What is not good is as if it
    /// had not come: the flow ends when its time is over.
    fn take_renewals(&mut self, now: Instant, id: RelayId) {
        let Helper { relays, office, .. } = self;
        let Some(relay) = relays.get_mut(&id) else { return };
        // Nobody renews anything from there.
        while relay.far().is_some_and(|far| far.take_renewal().is_some()) {}
        // What cannot go on now waits here, since its sender knows that it has come.
        while relay.far().is_none_or(|far| far.may_pass_on())
            && let Some(renewal) = relay.near.take_renewal()
        {
            match renewal.hops.checked_sub(1) {
                Some(hops) => {
                    if let (Some(far), Some(rest)) = (relay.far(), Renewal::new(hops, renewal.words())) {
                        far.renew(rest);
                    }
                }
                None => {
                    let Relay { near_key, grant, .. } = &mut **relay;
                    if let Some(fresh) = renewed(office, now, &renewal, near_key, grant.client) {
                        grant.until = grant.until.max(fresh.until);
                    }
                }
            }
        }
    }

    /// Says that a section is not known here, in fewer bytes than what asked for it.
    fn reset(&mut self, now: Instant, remote: SocketAddr, packet: &[u8]) {
        self.stats.strays += 1;
        let (Some(id), Some(len)) = (Demux::<Owner>::id_in(packet), reset_len(packet.len())) else { return };
        if self.answers.len() >= ANSWERS_WAITING_MAX || !self.answer_budget.take(now) {
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
            self.answers.push_back((remote, Declined { receiver, refusal }.to_vec()));
        }
    }

    fn handle_relay_timeout(&mut self, now: Instant, id: RelayId) {
        let Some((relay, mut around)) = self.split(id) else { return };
        relay.place.handle_due();
        let unanswered = matches!(relay.far, Far::Asked { until, .. } if until <= now);
        if unanswered {
            self.remove(id, LeftBecause::Unanswered);
        } else if relay.grant.until <= now {
            self.dismissals.push_back((id, LeftBecause::CapabilityEnded));
        } else if let Err((gone, ended)) = relay.handle_timeout(now, &mut around) {
            self.part(now, id, gone, because(&ended));
        } else {
            self.unrank(id);
            self.wake(id);
        }
    }

    fn handle_ending_timeout(&mut self, now: Instant, id: RelayId) {
        let Some((ending, mut around)) = self.split_ending(id) else { return };
        ending.place.handle_due();
        if ending.is_over(now) || ending.handle_timeout(now, &mut around).is_err() {
            self.remove_ending(id);
        } else {
            self.wake(id);
        }
    }

    /// Polls the relay whose turn it is; answers what it sends.
    fn poll_front(&mut self, now: Instant, id: RelayId, buf: &mut [u8]) -> Option<Transmit> {
        let turn_bytes = self.look_at_rate(now, id);
        let largest = self.config.mtu.payload_max;
        let most = turn_bytes.map_or(usize::MAX, |bytes| bytes.max(largest)).min(buf.len());
        let (buf, mut is_tunnel) = (&mut buf[..most], false);
        let (transmit, deadline) = if let Some((relay, mut around)) = self.split(id) {
            let transmit = relay.poll_transmit(now, buf, &mut around);
            (transmit, transmit.map_or_else(|| relay.poll_timeout(now, &mut around), |_| None))
        } else if let Some((ending, mut around)) = self.split_ending(id) {
            let transmit = ending.poll_transmit(now, buf, &mut around);
            (transmit, transmit.map_or_else(|| ending.poll_timeout(now, &mut around), |_| None))
        } else {
            let Helper { config, demux, flows, rng, reset_key, spares, tunnels, .. } = self;
            let tunnel = tunnels.get_mut(&id)?;
            is_tunnel = true;
            let mut around = AroundRelay { config, demux, flows, rng, reset_key, spares };
            let transmit = tunnel.poll_transmit(now, buf, &mut around);
            (transmit, transmit.map_or_else(|| tunnel.poll_timeout(now, &mut around), |_| None))
        };
        if let Some(transmit) = &transmit {
            self.stats.sent_bytes += transmit.len as u64;
        }
        if turn_bytes.is_some() {
            self.charge_rate(now, id, transmit.map_or(0, |transmit| transmit.len));
        }
        let again = is_tunnel && self.bring(now, id, transmit.is_some());
        match is_tunnel {
            true => self.keep_bounds(now, id),
            false => self.count(id),
        }
        if turn_bytes.is_some() && transmit.is_none() {
            self.end_turn(id);
        }
        let Helper { relays, endings, tunnels, schedule, .. } = self;
        if transmit.is_some() {
            schedule.rotate();
        } else if let Some(relay) = relays.get_mut(&id) {
            schedule.park(id, &mut relay.place, deadline);
        } else if let Some(ending) = endings.get_mut(&id) {
            schedule.park(id, &mut ending.place, deadline);
        } else if let Some(tunnel) = tunnels.get_mut(&id) {
            schedule.park(id, &mut tunnel.place, deadline);
            if again {
                schedule.wake(id, &mut tunnel.place);
            }
        }
        self.wake_called(now);
        transmit
    }
}

impl Machine for Helper {
    type Event = HelperEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Datagram(datagram) => self.handle_datagrams(now, datagram),
            Input::LinkLoss(loss) => {
                let Some(owner) = self.demux.owner_of(&loss.header) else { return };
                let Helper { relays, endings, tunnels, .. } = self;
                let section = relays.get_mut(&owner.relay).and_then(|relay| relay.section(owner.toward));
                let section = section.or_else(|| endings.get_mut(&owner.relay).map(|ending| &mut *ending.section));
                let section = section.or_else(|| tunnels.get_mut(&owner.relay).and_then(|tunnel| tunnel.section()));
                if section.is_some_and(|section| section.channel.handle_link_loss(now, &loss.header)) {
                    self.wake(owner.relay);
                }
            }
            Input::PathChange(PathChange::Carrier { remote, news }) => {
                self.flows.set_held(remote, news == CarrierNews::Full);
                self.wake_called(now);
            }
            // Its neighbours say themselves whether they are there, and silence ends what is left.
            Input::PathChange(_) | Input::Unreachable(_) => {}
            Input::Entropy(entropy) => self.handle_entropy(now, entropy),
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.clients.lapse(now);
        self.spares.shrink(now);
        while let Some(id) = self.schedule.pop_due(now) {
            if self.endings.contains_key(&id) {
                self.handle_ending_timeout(now, id);
            } else if self.tunnels.contains_key(&id) {
                self.handle_tunnel_timeout(now, id);
            } else {
                self.handle_relay_timeout(now, id);
            }
        }
        self.wake_called(now);
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<HelperEvent> {
        loop {
            if self.secrets.poll_need() {
                return Output::NeedsEntropy;
            }
            if !self.dismissals.is_empty() {
                self.dismiss_due(now);
            }
            if let Some((remote, message)) = self.answers.pop_front() {
                buf[..message.len()].copy_from_slice(&message);
                return Output::Transmit(plain(remote, None, message.len()));
            }
            if let Some(event) = self.events.pop_front() {
                return Output::Event(event);
            }
            let Some(id) = self.schedule.front() else {
                let deadlines = [self.schedule.next_deadline(), self.clients.lapses_at(), self.spares.rest_at()];
                return Output::Timeout(deadlines.into_iter().flatten().min());
            };
            if let Some(transmit) = self.poll_front(now, id, buf) {
                return Output::Transmit(transmit);
            }
        }
    }
}
