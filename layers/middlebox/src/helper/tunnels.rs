//! Tunnels of a helper: the end that asked for one, and the end that was asked.

use core::net::{IpAddr, Ipv6Addr, SocketAddr};
use core::time::Duration;

use tng_base::{ChannelId, Instant, PathCondition, ScheduleEntry, Transmit};
use tng_crypto::{HmacKey, sha256};
use tng_endpoint::{Path, RemoteIds};
use tng_flow::wire::{Greeting, Joined, Refusal, TUNNEL};
use tng_flow::{
    Arrival, BadItinerary, Capability, Carries, End, Ended, HopKey, HopKeys, Itinerary, Origin, Party,
    SECTION_OVERHEAD, Section, SectionStart, Stop, join, joined, open_joined, renewal,
};

use super::fairness::{Counted, Turn};
use super::status::{SectionStatus, section_status};
use super::{AroundRelay, Helper, HelperEvent, LeftBecause, fingerprint, own_payload_max, reset_token};
use crate::config::{HALF_OPEN_FOR, HelperConfig, SECTION_IDLE};
use crate::relay::{Owner, RelayId, plain, rate};
use crate::tunnel::Legacy;
use crate::{ClientLimits, ClientTag, FlowId, Grant, NotTaken};

/// Whose the tunnels are that a helper has asked for.
pub(super) const OPERATOR: ClientTag = ClientTag(u64::MAX);

/// Tunnels that a helper has asked for, at most.
pub const TUNNELS_MAX: usize = 64;

/// Tunnels that end at a helper because others have asked for them, at most.
pub const TUNNEL_EXITS_MAX: usize = 256;

/// Of them those of one client, at most.
pub const TUNNEL_EXITS_PER_CLIENT_MAX: usize = 8;

/// How long a tunnel waits for an answer at first, before it asks again; doubles up to [`TUNNEL_RETRY_MAX`].
pub const TUNNEL_RETRY: Duration = Duration::from_secs(1);

/// The longest time between two attempts.
pub const TUNNEL_RETRY_MAX: Duration = Duration::from_secs(30);

/// A tunnel is lost after so long without an answer to what it sends: nobody else misses it, and small packets may not
/// be answered by a reset where a host shares the port.
pub const TUNNEL_FAILED_AFTER: Duration = Duration::from_secs(10);

/// How often the end that asked says something, so that the tunnel is there when it is needed.
const KEEP_ALIVE: Duration = Duration::from_secs(25);

/// The network of tunnels that have a name in place of an address that they lead to (RFC 6666: nothing is routed
/// there).
const NAMED: [u16; 4] = [0x0100, 0, 0, 0];

/// The port of all of them.
const NAMED_PORT: u16 = 4_860;

/// What stands for the address that a tunnel leads to, where both ends know the tunnel by a name: what comes out of it
/// is the business of the end that was asked.
pub fn tunnel_named(name: &str) -> SocketAddr {
    let hash = sha256(&[b"tunnel", name.as_bytes()]);
    let word = |at: usize| u16::from_be_bytes([hash[2 * at], hash[2 * at + 1]]);
    let [a, b, c, d] = NAMED;
    SocketAddr::new(Ipv6Addr::new(a, b, c, d, word(0), word(1), word(2), word(3)).into(), NAMED_PORT)
}

/// Whether this stands for a name.
pub(super) fn is_tunnel_name(to: SocketAddr) -> bool {
    matches!(to.ip(), IpAddr::V6(ip) if ip.segments()[..4] == NAMED)
}

/// Which end of a tunnel this is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TunnelEnd {
    /// The one that asks the helper there.
    Asking(SocketAddr),
    /// The one that was asked.
    Asked {
        /// Whose it is.
        client: ClientTag,
        /// When its capability ends.
        until: Instant,
        /// Whether its client has been heard of since: before, what asked for it may have been a copy of a JOIN.
        heard: bool,
    },
}

/// A tunnel, at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct TunnelStatus {
    /// Which.
    pub tunnel: RelayId,
    /// Which end of it.
    pub end: TunnelEnd,
    /// The address that it leads to, or [what stands for its name](tunnel_named).
    pub to: SocketAddr,
    /// Its section, if it is there.
    pub section: Option<SectionStatus>,
    /// The largest datagram that its section carries now, whatever the flow.
    pub datagram_max: usize,
    /// Legacy flows that have a queue.
    pub flows: usize,
    /// Of them those that wait for their turn.
    pub waiting_flows: usize,
    /// Bytes that wait for the section, with what they take beside.
    pub waiting_bytes: u64,
    /// Datagrams that the queues have dropped.
    pub dropped: u64,
    /// Datagrams that left again, since the section had lost them.
    pub repaired: u64,
}

/// Why there is no tunnel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoTunnel {
    /// This helper has asked for as many as it may.
    #[error("this helper has asked for {TUNNELS_MAX} tunnels; close one")]
    TooMany,
    /// It cannot be.
    #[error(transparent)]
    Path(#[from] BadItinerary),
}

/// One end of a tunnel.
#[derive(Debug)]
pub(crate) struct Tunnel {
    role: Role,
    section: Option<Box<Section<Owner>>>,
    legacy: Legacy,
    /// What its client may have.
    pub limits: ClientLimits,
    /// Whether it may send and bring, as far as its client's rate goes.
    pub turn: Turn,
    /// Bytes held in it.
    pub held: Counted,
    pub place: ScheduleEntry,
}

#[derive(Debug)]
enum Role {
    /// The end that asked.
    Entry {
        stop: Stop,
        to: SocketAddr,
        asked: Option<Asked>,
        /// When it was last granted.
        joined_at: Instant,
        retry_at: Instant,
        interval: Duration,
    },
    /// The end that was asked.
    Exit { grant: Grant, to: SocketAddr, asked_by: SocketAddr, key: HopKey, unheard: Option<Unheard> },
}

/// The other end has not been heard of since it was answered.
#[derive(Debug)]
struct Unheard {
    joined: Vec<u8>,
    due: bool,
    /// Then the tunnel is forgotten: what asked for it may have been a copy.
    until: Instant,
}

/// A JOIN that is out.
#[derive(Debug)]
struct Asked {
    keys: HopKeys,
    id: ChannelId,
    /// For how long it says that this end repairs.
    repair_ms: u16,
    join: Vec<u8>,
    due: bool,
    at: Instant,
    sends: u32,
}

impl Tunnel {
    fn new(role: Role, legacy: Legacy, limits: ClientLimits) -> Tunnel {
        let (turn, held, place) = Default::default();
        Tunnel { role, section: None, legacy, limits, turn, held, place }
    }

    fn is_entry(&self) -> bool {
        matches!(self.role, Role::Entry { .. })
    }

    pub(super) fn ip(&self) -> IpAddr {
        match &self.role {
            Role::Entry { stop, .. } => stop.address.ip(),
            Role::Exit { asked_by, .. } => asked_by.ip(),
        }
    }

    /// Bytes that wait for the section.
    pub(super) fn waiting_bytes(&self) -> u64 {
        self.legacy.waiting_bytes()
    }

    /// Whose it is.
    pub(super) fn client(&self) -> ClientTag {
        match &self.role {
            Role::Entry { .. } => OPERATOR,
            Role::Exit { grant, .. } => grant.client,
        }
    }

    /// Bytes that are held: what waits, is kept for repair, waits for what comes before it, or to be taken out.
    pub(super) fn held_bytes(&self) -> u64 {
        self.legacy.held_bytes()
    }

    /// Gives something up of it.
    pub(super) fn give_way(&mut self, now: Instant) {
        self.legacy.give_way(now);
    }

    /// Whether it has something to send or to bring.
    pub(super) fn wants(&self) -> bool {
        self.legacy.wants()
    }

    /// Lets all that it has brought be taken out.
    pub(super) fn bring_all(&mut self) {
        self.legacy.bring_all();
    }

    /// Lets some of it be taken out, of a client with a rate: `most` bytes; answers how many those are.
    pub(super) fn bring_some(&mut self, most: usize, rate: u64) -> usize {
        self.legacy.bring_some(most, rate)
    }

    pub(super) fn handle_packet(
        &mut self,
        now: Instant,
        origin: Origin,
        packet: &mut [u8],
        around: &mut AroundRelay<'_>,
    ) -> Result<Arrival, Ended> {
        let (ip, legacy) = (self.ip(), &mut self.legacy);
        let Some(section) = &mut self.section else { return Ok(Arrival::Discarded) };
        around.with(ip, |around, _| section.handle_datagram(now, origin, packet, legacy, around))
    }

    /// Something authentic has come. Answers whose tunnel it is and where it leads, if that was the first to come.
    pub(super) fn hear(&mut self) -> Option<(ClientTag, SocketAddr)> {
        let Role::Exit { grant, to, unheard, .. } = &mut self.role else { return None };
        unheard.take().map(|_| (grant.client, *to))
    }

    pub(super) fn poll_transmit(
        &mut self,
        now: Instant,
        buf: &mut [u8],
        around: &mut AroundRelay<'_>,
    ) -> Option<Transmit> {
        let ip = self.ip();
        match &mut self.role {
            Role::Entry { stop, asked: Some(asked), .. } if asked.due => {
                (asked.due, asked.sends) = (false, asked.sends + 1);
                buf[..asked.join.len()].copy_from_slice(&asked.join);
                return Some(plain(stop.address, None, asked.join.len()));
            }
            Role::Exit { unheard: Some(Unheard { joined, due, .. }), .. } if *due => {
                *due = false;
                let section = self.section.as_mut()?;
                if section.path().budget() >= joined.len() as u64 {
                    buf[..joined.len()].copy_from_slice(joined);
                    section.note_sent(now, joined.len());
                    return Some(plain(section.path().remote, section.path().local, joined.len()));
                }
            }
            _ => {}
        }
        let (section, legacy) = (self.section.as_mut()?, &mut self.legacy);
        legacy.set_payload_max(section.largest_carried());
        legacy.set_closed(self.turn.is_closed());
        around.with(ip, |around, _| section.poll_transmit(now, buf, legacy, around))
    }

    fn handle_timeout(&mut self, now: Instant, around: &mut AroundRelay<'_>) -> Result<(), Ended> {
        let (ip, entry, legacy) = (self.ip(), matches!(self.role, Role::Entry { .. }), &mut self.legacy);
        let Some(section) = &mut self.section else { return Ok(()) };
        around.with(ip, |around, _| {
            around.settings.keep_alive = Some(KEEP_ALIVE).filter(|_| entry);
            section.handle_timeout(now, legacy, around, false)
        })
    }

    pub(super) fn poll_timeout(&mut self, now: Instant, around: &mut AroundRelay<'_>) -> Option<Instant> {
        let mut settings = around.config.settings(self.ip());
        let own = match &self.role {
            Role::Entry { retry_at, .. } => {
                settings.keep_alive = Some(KEEP_ALIVE);
                self.section.is_none().then_some(*retry_at)
            }
            Role::Exit { grant, unheard, .. } => unheard.iter().map(|it| it.until).chain([grant.until]).min(),
        };
        let flows = &*around.flows;
        let section = self.section.as_mut().and_then(|section| section.poll_timeout(now, (&settings, flows), false));
        own.into_iter().chain(section).chain(self.legacy.poll_timeout()).chain(self.turn.until()).min()
    }

    /// What its neighbour's section is, for what its link says.
    pub(super) fn section(&mut self) -> Option<&mut Section<Owner>> {
        self.section.as_deref_mut()
    }

    pub(super) fn take_renewal(&mut self, office: &crate::Office, now: Instant) {
        let (Some(section), Role::Exit { grant, key, .. }) = (&mut self.section, &mut self.role) else { return };
        while let Some(renewal) = section.take_renewal() {
            let fresh = super::renewed(office, now, &renewal, key, grant.client);
            if let Some(fresh) = fresh.filter(|fresh| fresh.tunnels) {
                grant.until = grant.until.max(fresh.until);
            }
        }
    }
}

impl Helper {
    /// Opens a tunnel to the helper at `stop`, which passes what comes out of it on to `to`: for legacy flows that come
    /// in here. It is asked for until it is there, and again whenever it is lost. Its other end is the operator's
    /// business, as is whose legacy flows may use it.
    ///
    /// # Errors
    /// See [`NoTunnel`].
    pub fn open_tunnel(&mut self, now: Instant, stop: Stop, to: SocketAddr) -> Result<RelayId, NoTunnel> {
        if self.tunnels.values().filter(|tunnel| tunnel.is_entry()).count() >= TUNNELS_MAX {
            return Err(NoTunnel::TooMany);
        }
        // An end of a tunnel takes no notice of wishes.
        let stop = Stop::new(stop.address, stop.capability);
        // Only whether it can be.
        Itinerary::new(vec![stop.clone()], to)?;
        self.next_id += 1;
        let id = RelayId(self.next_id);
        let role = Role::Entry { stop, to, asked: None, joined_at: now, retry_at: now, interval: TUNNEL_RETRY };
        let legacy = Legacy::new(own_payload_max().into(), self.rng.fork());
        self.clients.enter(OPERATOR);
        self.tunnels.insert(id, Box::new(Tunnel::new(role, legacy, ClientLimits::default())));
        self.ask(now, id);
        Ok(id)
    }

    /// Closes a tunnel.
    pub fn close_tunnel(&mut self, now: Instant, id: RelayId) {
        self.end_tunnel(now, id, super::NEIGHBOUR_GONE, LeftBecause::Closed);
    }

    /// Shows a fresh capability to the other end of a tunnel that this end asked for. Answers whether there is such a
    /// one.
    pub fn renew_tunnel(&mut self, id: RelayId, capability: &Capability) -> bool {
        let Some(tunnel) = self.tunnels.get_mut(&id) else { return false };
        let Role::Entry { stop, asked, .. } = &mut tunnel.role else { return false };
        stop.capability = capability.clone();
        if let (Some(section), Some(asked)) = (&mut tunnel.section, asked)
            && let Some(renewal) = renewal(capability, asked.keys.near(), 0)
        {
            section.renew(renewal);
        }
        self.wake(id);
        true
    }

    /// A datagram of a legacy flow that is to go through a tunnel.
    ///
    /// # Errors
    /// Why it does not: see [`NotTaken`]. It is lost, as in any router.
    pub fn offer(&mut self, now: Instant, id: RelayId, flow: FlowId, datagram: &[u8]) -> Result<(), NotTaken> {
        let tunnel = self.tunnels.get_mut(&id).ok_or(NotTaken::Unknown)?;
        let rate = tunnel.section.as_ref().and_then(|section| rate(section, &self.flows));
        let taken = tunnel.legacy.offer(now, flow, datagram, rate);
        self.wake(id);
        taken
    }

    /// Whether a tunnel has brought something, or nothing ever will: there is no such tunnel.
    pub fn has_brought(&self, id: RelayId) -> bool {
        self.tunnels.get(&id).is_none_or(|tunnel| tunnel.legacy.has_brought())
    }

    /// The tunnels, in the order in which they came.
    pub fn tunnel_statuses(&self) -> Vec<TunnelStatus> {
        let mut ids: Vec<RelayId> = self.tunnels.keys().copied().collect();
        ids.sort_unstable();
        ids.into_iter().filter_map(|id| self.tunnel_status(id)).collect()
    }

    /// One tunnel.
    pub fn tunnel_status(&self, id: RelayId) -> Option<TunnelStatus> {
        let Tunnel { role, section, legacy, .. } = &**self.tunnels.get(&id)?;
        let (end, to) = match role {
            Role::Entry { stop, to, .. } => (TunnelEnd::Asking(stop.address), *to),
            Role::Exit { grant, to, unheard, .. } => {
                (TunnelEnd::Asked { client: grant.client, until: grant.until, heard: unheard.is_none() }, *to)
            }
        };
        Some(TunnelStatus {
            tunnel: id,
            end,
            to,
            section: section.as_ref().map(|section| section_status(section, &self.flows)),
            datagram_max: legacy.datagram_max(FlowId(u32::MAX)),
            flows: legacy.flows(),
            waiting_flows: legacy.waiting_flows(),
            waiting_bytes: legacy.waiting_bytes(),
            dropped: legacy.dropped(),
            repaired: legacy.repaired(),
        })
    }

    /// The next datagram that a tunnel has brought.
    pub fn poll_brought(&mut self, id: RelayId) -> Option<(FlowId, Vec<u8>)> {
        let legacy = &mut self.tunnels.get_mut(&id)?.legacy;
        let brought = legacy.pop();
        if brought.is_some() && !legacy.has_brought() {
            self.count(id);
        }
        brought
    }

    /// There is entropy for one of the tunnels that wait for it.
    pub(super) fn handle_entropy(&mut self, now: Instant, entropy: &mut [u8; 32]) {
        self.secrets.handle_entropy(entropy);
        self.rng = self.secrets.visible();
        for id in core::mem::take(&mut self.asking) {
            if self.tunnels.get(&id).is_some_and(|tunnel| tunnel.is_entry() && tunnel.section.is_none()) {
                self.ask(now, id);
            }
        }
    }

    /// Sends a JOIN for a tunnel, with keys of its own: as soon as there is entropy for them.
    fn ask(&mut self, now: Instant, id: RelayId) {
        let Some(mut secrets) = self.secrets.for_exchange() else {
            if let Some(Role::Entry { retry_at, interval, .. }) = self.tunnels.get_mut(&id).map(|it| &mut it.role) {
                *retry_at = now + *interval;
            }
            if !self.asking.contains(&id) {
                self.asking.push_back(id);
            }
            return self.wake(id);
        };
        let section_id = self.take_id(Owner { relay: id, toward: End::Far });
        let Helper { tunnels, reset_key, demux, config, .. } = self;
        let Some(Role::Entry { stop, to, asked, retry_at, interval, .. }) =
            tunnels.get_mut(&id).map(|tunnel| &mut tunnel.role)
        else {
            return;
        };
        if let Some(Asked { id, .. }) = asked {
            demux.remove_id(*id);
        }
        let Ok(itinerary) = Itinerary::new(vec![stop.clone()], *to) else { return };
        let repair_ms = repair_ms(config, stop.address.ip());
        let (greeting, keys) = (greeting((reset_key, section_id), repair_ms), itinerary.draw_keys(&mut secrets));
        let join = join(keys.near(), &greeting, &itinerary.orders(&keys, &[TUNNEL]));
        *asked = Some(Asked { keys, id: section_id, repair_ms, join, due: true, at: now, sends: 0 });
        *retry_at = now + *interval;
        *interval = (*interval * 2).min(TUNNEL_RETRY_MAX);
        self.wake(id);
    }

    /// A JOINED, perhaps for a tunnel.
    pub(super) fn handle_tunnel_joined(&mut self, now: Instant, origin: Origin, owner: Owner, message: &Joined<'_>) {
        let Some(tunnel) = self.tunnels.get(&owner.relay) else { return };
        let Role::Entry { stop, asked: Some(asked), to, .. } = &tunnel.role else { return };
        if tunnel.section.is_some() || stop.address != origin.remote {
            return;
        }
        let key = asked.keys.near().clone();
        let Ok(greeting) = open_joined(&key, message) else { return };
        let initial_rtt = if asked.sends == 1 { now.since(asked.at) } else { tng_congestion::INITIAL_RTT };
        let repair_ms = (asked.repair_ms, greeting.repair_ms);
        let (local_id, to, mut path) = (asked.id, *to, Path::proven(origin.remote, origin.local));
        path.handle_received(message.reply.len());
        let start = SectionStart {
            owner,
            party: Party::Client(OPERATOR.0),
            channel: self.channel(now, greeting.id, &key, (End::Near, Carries::Plain)),
            path,
            controller: None,
            initial_rtt: initial_rtt.max(Duration::from_micros(1)),
            began: true,
            local_id,
            remote_ids: RemoteIds::new(greeting.id, Some(greeting.reset_token)),
            idle_timeout: Some(SECTION_IDLE),
            idle_times: 1,
            payload_max: usize::MAX,
        };
        self.open_section(now, start, (greeting.payload_max, own_payload_max()), repair_ms);
        self.events.push_back(HelperEvent::Tunnel { tunnel: owner.relay, client: OPERATOR, to });
        if let Some(Role::Entry { joined_at, .. }) = self.tunnels.get_mut(&owner.relay).map(|tunnel| &mut tunnel.role) {
            *joined_at = now;
        }
        self.wake(owner.relay);
    }

    /// The section of a tunnel comes into being; of larger packets than these it is to carry none before it has tried.
    fn open_section(
        &mut self,
        now: Instant,
        start: SectionStart<Owner>,
        (theirs, ours): (u16, u16),
        repair_ms: (u16, u16),
    ) {
        let (ip, began, owner) = (start.path.remote.ip(), start.began, start.owner);
        let Helper { config, demux, flows, rng, reset_key, spares, tunnels, .. } = self;
        let mut around = AroundRelay { config, demux, flows, rng, reset_key, spares };
        let section = around.with(ip, |around, _| {
            let mut section = Section::new(now, start, around);
            section.note_greetings(theirs, ours);
            if began {
                section.confirm(now, around);
            }
            section
        });
        if let Some(tunnel) = tunnels.get_mut(&owner.relay) {
            tunnel.section = Some(Box::new(section));
            tunnel.legacy.begin_section(now, repair_ms);
            let around = config.around(ip);
            tunnel.legacy.set_queueing(around.discipline.as_ref(), around.queue_time);
        }
    }

    /// Whether a tunnel may end here for the holder of this grant. If there is no other place, it takes that of one of
    /// the client's tunnels for which nothing but the JOIN has come, perhaps a copy.
    pub(super) fn admit_tunnel(&mut self, grant: &Grant) -> Result<(), Refusal> {
        if !grant.tunnels {
            return Err(Refusal::Forbidden);
        }
        let of_client = self.clients.exits(grant.client) >= TUNNEL_EXITS_PER_CLIENT_MAX;
        let exits = self.tunnels.values().filter(|tunnel| !tunnel.is_entry()).count();
        if of_client || exits >= TUNNEL_EXITS_MAX {
            let refusal = if of_client { Refusal::TooMany } else { Refusal::Overloaded };
            let oldest = self.clients.unheard(grant.client).find(|id| self.tunnels.contains_key(id)).ok_or(refusal)?;
            self.remove_tunnel(oldest, LeftBecause::Unanswered);
        }
        Ok(())
    }

    /// Somebody with a good capability wants a tunnel that ends here. The operator hears of it when something comes
    /// that only the two ends can have written: a JOIN may be a copy.
    pub(super) fn begin_tunnel(
        &mut self,
        now: Instant,
        origin: Origin,
        (len, grant, greeting): (usize, Grant, Greeting),
        (key, to): (HopKey, SocketAddr),
        limits: ClientLimits,
    ) {
        self.next_id += 1;
        let owner = Owner { relay: RelayId(self.next_id), toward: End::Near };
        let local_id = self.take_id(owner);
        let repair_ms = repair_ms(&self.config, origin.remote.ip());
        let ours = self::greeting((&self.reset_key, local_id), repair_ms);
        let answer = joined(&key, greeting.id, &ours, &[]);
        let mut path = Path::unproven(origin.remote, origin.local);
        path.handle_received(len);
        let start = SectionStart {
            owner,
            party: Party::Client(grant.client.0),
            channel: self.channel(now, greeting.id, &key, (End::Far, Carries::Plain)),
            path,
            controller: None,
            initial_rtt: tng_congestion::INITIAL_RTT,
            began: false,
            local_id,
            remote_ids: RemoteIds::new(greeting.id, Some(greeting.reset_token)),
            idle_timeout: Some(SECTION_IDLE),
            idle_times: 1,
            payload_max: usize::MAX,
        };
        let (client, known_as) = (grant.client, fingerprint(&self.reset_key, &key));
        let unheard = Some(Unheard { joined: answer, due: true, until: now + HALF_OPEN_FOR });
        let role = Role::Exit { grant, to, asked_by: origin.remote, key, unheard };
        let legacy = Legacy::new(own_payload_max().into(), self.rng.fork());
        self.tunnels.insert(owner.relay, Box::new(Tunnel::new(role, legacy, limits)));
        self.open_section(now, start, (greeting.payload_max, ours.payload_max), (repair_ms, greeting.repair_ms));
        self.known.insert(known_as, owner.relay);
        self.clients.enter_exit(client);
        self.clients.ask(client, owner.relay);
        self.stats.joins += 1;
        self.wake(owner.relay);
    }

    /// The JOIN for a tunnel has come again.
    pub(super) fn repeat_tunnel(&mut self, id: RelayId, remote: SocketAddr, len: usize) {
        let Some(tunnel) = self.tunnels.get_mut(&id) else { return };
        if let (Role::Exit { asked_by, unheard: Some(Unheard { due, .. }), .. }, Some(section)) =
            (&mut tunnel.role, &mut tunnel.section)
            && *asked_by == remote
        {
            section.note_repeated_set_up(len);
            *due = true;
        }
        self.wake(id);
    }

    pub(super) fn handle_tunnel_timeout(&mut self, now: Instant, id: RelayId) {
        let Helper { config, demux, flows, rng, reset_key, spares, tunnels, .. } = self;
        let Some(tunnel) = tunnels.get_mut(&id) else { return };
        let mut around = AroundRelay { config, demux, flows, rng, reset_key, spares };
        tunnel.place.handle_due();
        tunnel.legacy.release(now);
        match &tunnel.role {
            Role::Entry { retry_at, .. } if tunnel.section.is_none() => {
                if *retry_at <= now {
                    self.ask(now, id);
                }
            }
            Role::Exit { grant, .. } if grant.until <= now => {
                return self.dismissals.push_back((id, LeftBecause::CapabilityEnded));
            }
            Role::Exit { unheard: Some(Unheard { until, .. }), .. } if *until <= now => {
                return self.remove_tunnel(id, LeftBecause::Unanswered);
            }
            _ => {
                let failed = |section: &Section<Owner>| section.channel.condition() == PathCondition::Failed;
                let over = tunnel.handle_timeout(now, &mut around).is_err();
                // The end that was asked keeps a tunnel for as long as it may come back.
                if over || tunnel.is_entry() && tunnel.section.as_deref().is_some_and(failed) {
                    return self.lose_tunnel(now, id, LeftBecause::Silent);
                }
            }
        }
        self.wake(id);
    }

    /// The helper at the other end of a tunnel that this end asked for does not want it. It is asked again, when it is
    /// time.
    pub(super) fn handle_tunnel_declined(&mut self, origin: Origin, owner: Owner, refusal: Refusal) {
        let Some(tunnel) = self.tunnels.get_mut(&owner.relay) else { return };
        let Role::Entry { stop, asked, .. } = &mut tunnel.role else { return };
        if tunnel.section.is_some() || stop.address != origin.remote {
            return;
        }
        if let Some(asked) = asked.take() {
            self.demux.remove_id(asked.id);
            let because = LeftBecause::Declined(refusal);
            self.events.push_back(HelperEvent::Left { relay: owner.relay, because, served: None });
        }
    }

    /// The section of a tunnel is over: the end that asked asks again, the other forgets it. It asks after a second at
    /// the earliest, and later each time if the other end takes it back at once.
    pub(super) fn lose_tunnel(&mut self, now: Instant, id: RelayId, because: LeftBecause) {
        let Some(tunnel) = self.tunnels.get_mut(&id) else { return };
        let Role::Entry { asked, joined_at, retry_at, interval, .. } = &mut tunnel.role else {
            return self.remove_tunnel(id, because);
        };
        if now.since(*joined_at) >= *interval {
            *interval = TUNNEL_RETRY;
        }
        *retry_at = now + *interval;
        let asked = asked.take();
        if let Some(section) = tunnel.section.take() {
            self.release(section);
        } else if let Some(asked) = asked {
            self.demux.remove_id(asked.id);
        }
        self.events.push_back(HelperEvent::Left { relay: id, because, served: None });
        self.wake(id);
    }

    pub(super) fn end_tunnel(&mut self, now: Instant, id: RelayId, code: u64, because: LeftBecause) {
        let Some(tunnel) = self.tunnels.get_mut(&id) else { return };
        if let Some((bytes, transmit)) = tunnel.section.as_mut().and_then(|it| it.close_packet(now, code, ""))
            && self.answers.len() < super::ANSWERS_WAITING_MAX
        {
            self.answers.push_back((transmit.remote, bytes));
        }
        self.remove_tunnel(id, because);
    }

    pub(super) fn remove_tunnel(&mut self, id: RelayId, because: LeftBecause) {
        let Some(tunnel) = self.tunnels.remove(&id) else { return };
        if let Some(next) = self.clients.leave_round(tunnel.client(), id, tunnel.turn) {
            self.wake(next);
        }
        let Tunnel { role, section, held, place, .. } = *tunnel;
        if matches!(role, Role::Entry { .. }) {
            self.clients.leave(OPERATOR, id, held);
        }
        match role {
            Role::Entry { asked: Some(asked), .. } if section.is_none() => self.demux.remove_id(asked.id),
            Role::Entry { .. } => {}
            Role::Exit { grant, key, .. } => {
                self.known.remove(&fingerprint(&self.reset_key, &key));
                self.clients.hear(grant.client, id);
                self.clients.leave_exit(grant.client, id, held);
            }
        }
        if let Some(section) = section {
            self.release(section);
        }
        self.schedule.remove(id, place);
        self.events.push_back(HelperEvent::Left { relay: id, because, served: None });
    }
}

/// For how long what is lost on the section of a tunnel to this neighbour is sent again.
fn repair_ms(config: &HelperConfig, ip: IpAddr) -> u16 {
    config.repair_around(ip).map_or(0, |time| time.as_millis() as u16)
}

/// What one end of a tunnel says of itself.
fn greeting((reset_key, id): (&HmacKey, ChannelId), repair_ms: u16) -> Greeting {
    debug_assert!(usize::from(own_payload_max()) + SECTION_OVERHEAD == tng_endpoint::BASE_PAYLOAD);
    Greeting { id, reset_token: reset_token(reset_key, id), payload_max: own_payload_max(), repair_ms }
}
