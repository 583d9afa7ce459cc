//! Sections coming into being.

use core::net::SocketAddr;

use tng_base::{ChannelId, ChannelKey, Instant};
use tng_channel::{Channel, Config};
use tng_crypto::Zeroize;
use tng_endpoint::{Path, RemoteIds};
use tng_flow::wire::{Answered, Declined, Greeting, Join, Joined, ORDER, Order, Refusal, TUNNEL, VERSION};
use tng_flow::{Carries, End, HopKey, Origin, Party, Section, SectionStart, Wishes};
use tng_flow::{join, joined, open_instructions, open_join, open_joined};
use tng_wire::{Reader, Repr};

use super::fairness::{Counted, Turn};
use super::tunnels::{TUNNEL_FAILED_AFTER, is_tunnel_name};
use super::{
    ANSWERS_WAITING_MAX, AroundRelay, Helper, HelperEvent, LeftBecause, fingerprint, own_payload_max, reset_token,
};
use crate::config::{HALF_OPEN_FOR, SECTION_FAILED_AFTER, SECTION_IDLE};
use crate::relay::{Far, Owner, Relay, RelayId};
use crate::{ClientLimits, Grant, SharedQueue};

impl Helper {
    pub(super) fn handle_join(&mut self, now: Instant, origin: Origin, packet: &[u8]) {
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
            let (wishes, onward) = (instructions.wishes, instructions.onward);
            // However it is written: an IPv4 address within an IPv6 one leads to the same place.
            let next = SocketAddr::new(instructions.next.ip().to_canonical(), instructions.next.port());
            let known_as = fingerprint(&self.reset_key, &instructions.near);
            if let Some(id) = self.known.get(&known_as).copied() {
                if self.tunnels.contains_key(&id) {
                    self.repeat_tunnel(id, origin.remote, len);
                } else {
                    self.repeat(id, origin.remote, (len, onward));
                }
                return Ok(());
            }
            if next == origin.remote || self.config.is_own(next, origin.local) {
                return Err(Refusal::Loop);
            }
            if self.draining {
                return Err(Refusal::Draining);
            }
            let named = onward == [TUNNEL] && is_tunnel_name(next);
            if !named && !self.config.onward.permits(next) {
                return Err(Refusal::Forbidden);
            }
            let limits = self.config.limits_of(grant.client).ok_or(Refusal::UnknownCapability)?;
            if onward == [TUNNEL] {
                self.admit_tunnel(&grant)?;
                self.admit(&grant)?;
                self.begin_tunnel(now, origin, (len, grant, greeting), (instructions.near, next), limits);
                return Ok(());
            }
            self.admit(&grant)?;
            let keys = (instructions.near, instructions.far);
            self.begin(now, origin, (len, (grant, limits), greeting), keys, (next, wishes, onward));
            Ok(())
        });
        // There are keys in it.
        opened.zeroize();
        self.opened = opened;
        taken
    }

    fn admit(&mut self, grant: &Grant) -> Result<(), Refusal> {
        if self.clients.flows(grant.client) >= usize::from(grant.flows_max) {
            // An attacker that replays what it has seen gets the places of flows that nobody follows up, and of no
            // others.
            let oldest = self.clients.unheard(grant.client).next().ok_or(Refusal::TooMany)?;
            self.remove(oldest, LeftBecause::Unanswered);
            self.remove_tunnel(oldest, LeftBecause::Unanswered);
        }
        if self.relays.len() >= self.config.relays_max {
            return Err(Refusal::Overloaded);
        }
        Ok(())
    }

    /// The client repeats its JOIN, or brings a cookie.
    fn repeat(&mut self, id: RelayId, remote: SocketAddr, (len, onward): (usize, &[u8])) {
        let Helper { reset_key, config, relays, .. } = self;
        let Some(relay) = relays.get_mut(&id) else { return };
        relay.note_asked_again(remote, len);
        match &mut relay.far {
            Far::Asked { key, id, next, join: message, due, .. } => {
                let own_repair_ms = config.repair_ms([relay.asked_by.0.ip(), next.ip()]);
                let greeting = Greeting {
                    id: *id,
                    reset_token: reset_token(reset_key, *id),
                    payload_max: relay.client.payload_max.min(own_payload_max()),
                    repair_ms: relay.client.repair_ms.saturating_add(own_repair_ms),
                };
                *message = join(key, &greeting, onward);
                *due = true;
            }
            Far::Open(_) => {
                let Some((joined, due)) = &mut relay.joined else { return };
                if relay.elsewhere.is_none() {
                    *due = true;
                } else if self.answers.len() < ANSWERS_WAITING_MAX && joined.len() <= len {
                    // A copy, or the client itself: its sender gets no more than it sent.
                    relay.near.note_answered_elsewhere();
                    self.answers.push_back((remote, joined.clone()));
                }
            }
        }
        self.wake(id);
    }

    pub(super) fn take_id(&mut self, owner: Owner) -> ChannelId {
        self.demux.take_id(&mut self.rng, owner)
    }

    pub(super) fn channel(
        &mut self,
        now: Instant,
        remote_id: ChannelId,
        key: &HopKey,
        (end, carries): (End, Carries),
    ) -> Channel {
        self.next_key += 1;
        let mut config = Config::of_section(ChannelKey(self.next_key), remote_id, self.rng.fork());
        config.failed_after =
            if matches!(carries, Carries::Plain) { TUNNEL_FAILED_AFTER } else { SECTION_FAILED_AFTER };
        Channel::new(config, Box::new(key.armor(end, carries)), now)
    }

    fn begin(
        &mut self,
        now: Instant,
        origin: Origin,
        (len, (grant, limits), greeting): (usize, (Grant, ClientLimits), Greeting),
        (near_key, far_key): (HopKey, HopKey),
        (next, wishes, onward): (SocketAddr, Wishes<&str>, &[u8]),
    ) {
        self.next_id += 1;
        let relay = RelayId(self.next_id);
        let near_id = self.take_id(Owner { relay, toward: End::Near });
        let far_id = self.take_id(Owner { relay, toward: End::Far });
        let mut path = Path::unproven(origin.remote, origin.local);
        path.handle_received(len);
        let near_choice = self.config.around(origin.remote.ip()).near_choice(wishes);
        let start = SectionStart {
            owner: Owner { relay, toward: End::Near },
            party: Party::Client(grant.client.0).wishing(near_choice.wished().cloned()),
            channel: self.channel(now, greeting.id, &near_key, (End::Far, Carries::Sealed)),
            path,
            controller: None,
            initial_rtt: tng_congestion::INITIAL_RTT,
            began: false,
            local_id: near_id,
            remote_ids: RemoteIds::new(greeting.id, Some(greeting.reset_token)),
            idle_timeout: Some(SECTION_IDLE),
            idle_times: 1,
            // How large packets may be is tried out.
            payload_max: usize::MAX,
        };
        let (rngs, config) = ([self.rng.fork(), self.rng.fork()], &self.config);
        let [around_near, around_far] = [origin.remote, next].map(|neighbour| config.around(neighbour.ip()));
        let [outward, homeward] = rngs;
        let outward = SharedQueue::new(&near_choice.discipline(around_near), near_choice.queue_time, outward)
            .repairing(config.repair_around(next.ip()));
        let queue_time = near_choice.homeward_queue_time(around_far.queue_time);
        let homeward = SharedQueue::new(&around_far.discipline(), queue_time, homeward)
            .repairing(config.repair_around(origin.remote.ip()));
        let announced = Greeting {
            id: far_id,
            reset_token: reset_token(&self.reset_key, far_id),
            payload_max: greeting.payload_max.min(own_payload_max()),
            repair_ms: greeting.repair_ms.saturating_add(config.repair_ms([origin.remote.ip(), next.ip()])),
        };
        let message = join(&far_key, &announced, onward);
        let Helper { config, demux, flows, rng, reset_key, spares, .. } = self;
        let mut around = AroundRelay { config, demux, flows, rng, reset_key, spares };
        let mut near = around.with(origin.remote.ip(), |around, _| Section::new(now, start, around));
        near.note_greetings(greeting.payload_max, own_payload_max());
        let until = now + HALF_OPEN_FOR;
        let far =
            Far::Asked { key: far_key, id: far_id, next, join: message, due: true, asked_at: now, sends: 0, until };
        let asked_by = (origin.remote, greeting.id);
        self.clients.enter(grant.client);
        self.clients.ask(grant.client, relay);
        self.known.insert(fingerprint(&self.reset_key, &near_key), relay);
        self.relays.insert(
            relay,
            Box::new(Relay {
                began: now,
                limits,
                turn: Turn::Free,
                near_first: false,
                used_at: now,
                rest_at: None,
                grant,
                asked_by,
                elsewhere: None,
                near_key,
                near: Box::new(near),
                near_choice,
                client: greeting,
                far,
                joined: None,
                outward,
                homeward,
                held: Counted::default(),
                place: Default::default(),
            }),
        );
        self.stats.joins += 1;
        self.wake(relay);
    }

    pub(super) fn handle_joined(&mut self, now: Instant, origin: Origin, packet: &[u8]) {
        let Ok(message) = Joined::parse(&mut Reader::new(packet)) else { return };
        let Some(owner) = self.demux.owner_of(packet).filter(|owner| owner.toward == End::Far) else {
            self.stats.strays += 1;
            return;
        };
        let Some(relay) = self.relays.get(&owner.relay) else {
            return self.handle_tunnel_joined(now, origin, owner, &message);
        };
        let Far::Asked { key, id, next, asked_at, sends, .. } = &relay.far else { return };
        if *next != origin.remote {
            return;
        }
        let Ok(greeting) = open_joined(key, &message) else { return };
        let (key, id, next, client) = (key.clone(), *id, *next, relay.grant.client);
        let told = relay.client.payload_max.min(own_payload_max());
        // What was asked for once gives the first round-trip time, or rather more than that: the hosts beyond answered
        // first.
        let initial_rtt = if *sends == 1 { now.since(*asked_at) } else { tng_congestion::INITIAL_RTT };
        let mut path = Path::proven(origin.remote, origin.local);
        path.handle_received(packet.len());
        let start = SectionStart {
            owner,
            party: Party::Client(client.0),
            channel: self.channel(now, greeting.id, &key, (End::Near, Carries::Sealed)),
            path,
            controller: None,
            initial_rtt: initial_rtt.max(core::time::Duration::from_micros(1)),
            began: true,
            local_id: id,
            remote_ids: RemoteIds::new(greeting.id, Some(greeting.reset_token)),
            idle_timeout: Some(SECTION_IDLE),
            idle_times: 1,
            payload_max: usize::MAX,
        };
        let Helper { config, demux, flows, rng, reset_key, spares, relays, .. } = self;
        let mut around = AroundRelay { config, demux, flows, rng, reset_key, spares };
        let far = around.with(next.ip(), |around, _| {
            let mut section = Section::new(now, start, around);
            section.note_greetings(greeting.payload_max, told);
            section.confirm(now, around);
            section
        });
        let Some(relay) = relays.get_mut(&owner.relay) else { return };
        relay.near.note_greetings(relay.client.payload_max, greeting.payload_max.min(own_payload_max()));
        let near_id = relay.near.local_id();
        let announced = Greeting {
            id: near_id,
            reset_token: reset_token(around.reset_key, near_id),
            payload_max: greeting.payload_max.min(own_payload_max()),
            repair_ms: greeting.repair_ms.saturating_add(around.config.repair_ms([relay.asked_by.0.ip(), next.ip()])),
        };
        let answer = joined(&relay.near_key, relay.asked_by.1, &announced, message.reply);
        relay.joined = Some((answer, true));
        relay.far = Far::Open(Box::new(far));
        self.events.push_back(HelperEvent::Joined { relay: owner.relay, client, toward: next });
        self.wake(owner.relay);
    }

    /// The next hop declines, or wants something else first: the client hears of it, under its own name for the
    /// section.
    pub(super) fn pass_back(&mut self, now: Instant, origin: Origin, packet: &[u8]) {
        let Some(owner) = self.demux.owner_of(packet).filter(|owner| owner.toward == End::Far) else {
            self.stats.strays += 1;
            return;
        };
        let Some(relay) = self.relays.get_mut(&owner.relay) else {
            if let Ok(declined) = Declined::parse(&mut Reader::new(packet)) {
                self.handle_tunnel_declined(origin, owner, declined.refusal);
            }
            return;
        };
        let Far::Asked { next, .. } = &relay.far else { return };
        if *next != origin.remote || self.answers.len() >= ANSWERS_WAITING_MAX {
            return;
        }
        let (_, receiver) = relay.asked_by;
        let (answer, refusal) = if let Ok(answered) = Answered::parse(&mut Reader::new(packet)) {
            (Answered { receiver, ..answered }.to_vec(), None)
        } else if let Ok(declined) = Declined::parse(&mut Reader::new(packet)) {
            (Declined { receiver, ..declined }.to_vec(), Some(declined.refusal))
        } else {
            return;
        };
        // The client repeats its JOIN if it hears nothing, and then may be sent more.
        if let Some(client) = relay.answer_to(now, answer.len()) {
            self.answers.push_back((client, answer));
        }
        if let Some(refusal) = refusal {
            self.remove(owner.relay, LeftBecause::Declined(refusal));
        }
    }
}
