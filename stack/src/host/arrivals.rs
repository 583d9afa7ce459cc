//! What arrives: channel packets, and the set-up messages of those who want one.

use core::net::SocketAddr;

use tng_base::{ChannelId, Datagram, Eid, Instant, SessionId};
use tng_endpoint::{Demux, Mode, Network, PUNCH};
use tng_isolation::wire::Attach;
use tng_isolation::{
    Acquaintance, Family, Hello, Offer, Refusal, RefusalCode, VERSIONS, cookie_answer, version_answer, wrong_key,
};

use super::{ANSWERS_WAITING_MAX, Host, Stray, Word};
use crate::admission::Shown;
use crate::answer::{Answer, Refused, through_helper};
use crate::attachment::{Attachment, HalfOpen, Offered, State};
use crate::connection::Connection;
use crate::dial::Dialed;
use crate::half_open::{Entry, Room};
use crate::helped::Joining;
use crate::names::Owner;
use crate::reach::Reach;
use crate::semantics::negotiation::Negotiation;
use crate::{Access, CloseCause, ConnectError, ConnectionId, EventKind, Target, admission, assemble, codes};
use tng_flow::wire::{ANSWERED, Answered, DECLINED, Declined, JOIN, JOINED, Join, OFFER};
use tng_flow::{Arrival, HopKey, Origin, open_join};
use tng_wire::{Reader, Repr};

/// What a peer is told whose place is somebody else's.
const CROWDED: &str = "too many other connections";

/// Whether the peer has said something that it will say to a host that asks directly, too.
fn is_final(error: &ConnectError) -> bool {
    matches!(error, ConnectError::Refused { code, .. } if *code != RefusalCode::PathsDiffer.code())
}

impl Host {
    /// Answers somebody, within bounds, from the address that was asked.
    pub(super) fn answer(&mut self, now: Instant, origin: Origin, message: impl FnOnce(&mut Self) -> Option<Vec<u8>>) {
        if self.answers.len() < ANSWERS_WAITING_MAX
            && self.answer_budget.take(now)
            && let Some(message) = message(self)
        {
            self.answers.push_back((origin, Answer::Ready(message)));
        }
    }

    /// Refuses an offer, if there is room for one more answer. `through` is what the helper that asked calls the
    /// section, if one did.
    pub(super) fn decline(
        &mut self,
        now: Instant,
        origin: Origin,
        through: Option<ChannelId>,
        offer: Offer,
        refusal: Refusal,
    ) {
        if self.answers.len() < ANSWERS_WAITING_MAX && self.answer_budget.take(now) {
            let refused = Refused { offer, refusal, through };
            self.answers.push_back((origin, Answer::Refusal(Box::new(refused))));
        }
    }

    /// Answers a host that has not shown that it knows this host's EID, unless this host is silent.
    fn answer_stranger(&mut self, now: Instant, origin: Origin, message: impl FnOnce(&mut Self) -> Option<Vec<u8>>) {
        if !self.wide.config.silent {
            self.answer(now, origin, message);
        }
    }

    pub(super) fn handle_datagrams(&mut self, now: Instant, datagram: Datagram<'_>) {
        let origin = Origin { remote: datagram.remote, local: datagram.local, ecn: datagram.ecn };
        let (size, mut rest, mut last) = (datagram.segment_size.max(1), datagram.payload, None);
        while let Some(&first) = rest.first() {
            let (packet, others) = rest.split_at_mut(size.min(rest.len()));
            let (woken, channel) = match Mode::of(first) {
                Mode::SetUp => (self.handle_set_up(now, origin, packet), None),
                Mode::Channel | Mode::Section => {
                    let owner = self.handle_channel_packet(now, origin, packet);
                    (owner.map(|owner| owner.connection), owner)
                }
                Mode::Trickles | Mode::Carrier | Mode::Unassigned => (None, None),
            };
            // Woken once for a batch, so that a batch gets one acknowledgment.
            if let Some(id) = woken.filter(|_| woken != last) {
                self.wake(id);
            }
            last = woken;
            let named = Demux::<Owner>::id_in(packet);
            rest = others;
            if let Some(owner) = channel {
                let alike = |next: &&[u8]| Mode::of(next[0]) == Mode::of(first) && Demux::<Owner>::id_in(next) == named;
                let alike = rest.chunks(size).take_while(alike).map(<[u8]>::len).sum();
                let taken = self.handle_alike(now, owner, origin, &mut rest[..alike], size);
                rest = &mut rest[taken..];
            }
        }
    }

    /// Takes packets behind one of the same channel, as long as they are the peer's. Answers how many bytes of them
    /// were taken: with the first that is not, or ends the channel, this ends.
    fn handle_alike(&mut self, now: Instant, owner: Owner, origin: Origin, packets: &mut [u8], size: usize) -> usize {
        if packets.is_empty() {
            return 0;
        }
        let Some(connection) = self.connections.get_mut(owner.connection) else { return 0 };
        let run = connection.handle_packets(now, owner.channel, origin, packets, size, &mut self.wide);
        if let Some(discarded) = run.discarded {
            self.handle_unauthentic(now, origin, &packets[discarded]);
        }
        run.taken
    }

    fn handle_channel_packet(&mut self, now: Instant, origin: Origin, packet: &mut [u8]) -> Option<Owner> {
        if let Some(owner) = self.wide.demux.owner_of(packet) {
            let (id, key) = (owner.connection, owner.channel);
            let connection = self.connections.get_mut(id)?;
            let arrival = connection.handle_packet(now, key, origin, packet, &mut self.wide);
            if let Some(attachment) = connection.attachment(key)
                && !attachment.is_half_open()
                && let Some(known_as) = attachment.half_open_as.take()
            {
                let entry = self.half_open.remove(&known_as);
                // Also if it was heard of only to say that it closes.
                if arrival == Arrival::Authentic {
                    self.answered.note(known_as.1);
                    self.tell_siblings(Word::Answered(known_as.1));
                    if let Some(caller) = entry.and_then(|entry| entry.caller) {
                        self.callers.insert(known_as.0.ip(), caller);
                    }
                }
                self.welcome(now, id, Network::of(known_as.0.ip()));
            }
            if arrival == Arrival::Authentic {
                return Some(owner);
            }
            self.wake(id);
        }
        self.handle_unauthentic(now, origin, packet);
        None
    }

    /// Takes a packet that no channel has sent: a stateless reset looks like a packet of any.
    #[cold]
    fn handle_unauthentic(&mut self, now: Instant, origin: Origin, packet: &[u8]) {
        if let Some(owner) = self.wide.demux.reset_owner(packet) {
            if let Some(connection) = self.connections.get_mut(owner.connection) {
                connection.handle_reset(now, owner.channel, &mut self.wide);
                self.wake(owner.connection);
            }
        } else if self.wide.demux.owner_of(packet).is_none()
            && let Some(id) = Demux::<Owner>::id_in(packet)
        {
            let (answered, first) = (packet.len(), packet[0]);
            self.ask_siblings(now, packet);
            self.answer_stranger(now, origin, |host| {
                let mut reset = host.wide.reset_key.write(id, answered, &mut host.wide.rng)?;
                // It looks like a packet of what it answers.
                let kept = if Mode::of(first) == Mode::Section { 0x1f } else { 0x3f };
                reset[0] = first & !kept | reset[0] & kept;
                Some(reset)
            });
        }
    }

    fn handle_set_up(&mut self, now: Instant, origin: Origin, packet: &[u8]) -> Option<ConnectionId> {
        match *packet.first()? {
            0x01 => {
                let hello = Hello::parse(Family::Channel, packet).ok().filter(Hello::is_direct)?;
                self.handle_init(now, origin, packet, &hello, None)
            }
            0x02..=0x05 => self.handle_set_up_answer(now, origin, packet),
            JOIN => {
                let join = Join::parse(&mut Reader::new(packet)).ok()?;
                let hello = Hello::parse(Family::Channel, join.onward).ok()?;
                self.handle_init(now, origin, packet, &hello, Some(&join))
            }
            JOINED | ANSWERED | DECLINED => self.handle_helper_answer(now, origin, packet),
            PUNCH => self.handle_punch(now, origin, packet),
            OFFER => self.handle_offer_of_help(now, packet),
            _ => None,
        }
    }

    /// A helper that nobody named has seen a set-up of ours pass.
    fn handle_offer_of_help(&mut self, now: Instant, packet: &[u8]) -> Option<ConnectionId> {
        let owner = self.wide.demux.owner_of(packet)?;
        let bidding = self.connections.get_mut(owner.connection)?.bidding.as_mut()?;
        bidding.handle_offer(now, owner.channel, &self.wide.config.in_path, packet);
        Some(owner.connection)
    }

    /// A helper, or a host after it, answers a JOIN of ours.
    fn handle_helper_answer(&mut self, now: Instant, origin: Origin, packet: &[u8]) -> Option<ConnectionId> {
        let owner = self.wide.demux.owner_of(packet)?;
        let (attachment, semantics) = self.connections.get_mut(owner.connection)?.split(owner.channel)?;
        let State::Dialing(dial) = &mut attachment.state else { return None };
        match *packet.first()? {
            JOINED => {
                let outcome = dial.handle_joined(origin, packet)?;
                self.handle_dialed(now, owner, outcome)
            }
            // Nobody but the first helper speaks for those behind it.
            ANSWERED if dial.is_helped() && dial.asks(origin.remote) => {
                let answered = Answered::parse(&mut Reader::new(packet)).ok()?;
                let small = answered.answer.to_vec();
                self.handle_set_up_answer_of(now, origin, owner, &small)
            }
            DECLINED => {
                let refusal = Declined::parse(&mut Reader::new(packet)).ok()?.refusal;
                let helpers = dial.handle_declined(now, origin, owner.channel, semantics)?;
                self.connections.get_mut(owner.connection)?.note_declined(helpers, refusal);
                self.wake(owner.connection);
                None
            }
            _ => None,
        }
    }

    /// An answer to an INIT of ours: a REPLY or one of the small ones.
    fn handle_set_up_answer(&mut self, now: Instant, origin: Origin, packet: &[u8]) -> Option<ConnectionId> {
        let owner = self.wide.demux.owner_of(packet)?;
        let connection = self.connections.get_mut(owner.connection)?;
        let State::Dialing(dial) = &mut connection.attachment(owner.channel)?.state else { return None };
        // A helped one comes in the words of the helper.
        if dial.is_helped() { None } else { self.handle_set_up_answer_of(now, origin, owner, packet) }
    }

    fn handle_set_up_answer_of(
        &mut self,
        now: Instant,
        origin: Origin,
        owner: Owner,
        packet: &[u8],
    ) -> Option<ConnectionId> {
        let id = owner.connection;
        let (attachment, semantics) = self.connections.get_mut(id)?.split(owner.channel)?;
        let State::Dialing(dial) = &mut attachment.state else { return None };
        // A REPLY shows by itself who wrote it.
        if *packet.first()? != 0x02 && !dial.asks(origin.remote) {
            return None;
        }
        let outcome = match packet.first()? {
            0x02 => match dial.handle_reply(origin, packet)? {
                // Without a section nothing can come of a REPLY but a refusal: a helper that passes it on like that
                // does not help. Nor does anybody help a host that wants no helpers.
                outcome if dial.is_helped() && !outcome.as_ref().is_err_and(is_final) => {
                    let helpers = dial.helpers().to_vec();
                    dial.handle_no_help(now, owner.channel, semantics);
                    if let (Err(ConnectError::Refused { reason, .. }), Some(connection)) =
                        (outcome, self.connections.get_mut(id))
                    {
                        connection.push_event(EventKind::HelpersRefused { helpers, reason });
                    }
                    self.wake(id);
                    return None;
                }
                outcome => outcome,
            },
            0x03 => {
                dial.handle_cookie(now, origin.remote, packet);
                self.wake(id);
                return None;
            }
            0x04 => {
                dial.handle_version(packet);
                return None;
            }
            _ => {
                dial.handle_wrong_key(now, packet);
                self.wake(id);
                return None;
            }
        };
        self.handle_dialed(now, owner, outcome)
    }

    /// An exchange of ours is over.
    fn handle_dialed(
        &mut self,
        now: Instant,
        owner: Owner,
        outcome: Result<Dialed, ConnectError>,
    ) -> Option<ConnectionId> {
        let id = owner.connection;
        let connection = self.connections.get_mut(id)?;
        match outcome {
            Ok(dialed) => {
                let transports = (self.registry.transports(), self.budget.first_window(connection.peer));
                assemble::dialed(now, owner, connection, dialed, transports, &mut self.wide);
                self.note_session(id);
            }
            Err(error) => connection.handle_dial_failed(now, owner.channel, error, &mut self.wide),
        }
        self.wake(id);
        Some(id)
    }

    pub(super) fn connections_with(&self, peer: Eid) -> usize {
        self.sessions_with(peer).filter(|connection| connection.is_settled()).count()
    }

    pub(super) fn sessions_with(&self, peer: Eid) -> impl Iterator<Item = &Connection> {
        let sessions = self.sessions.range((peer, SessionId::MIN)..=(peer, SessionId::MAX));
        sessions.filter_map(|(_, id)| self.connections.get(*id))
    }

    /// A peer is heard of again: it has a connection. Of more than there may be, another gives way, or this one.
    fn welcome(&mut self, now: Instant, id: ConnectionId, network: Network) {
        let Some(connection) = self.connections.get(id).filter(|connection| connection.is_settled()) else { return };
        let (peer, began) = (connection.peer, connection.was_begun_by_peer());
        if self.connections_with(peer) > self.wide.config.connections_per_peer {
            self.make_room(now, peer);
        }
        self.budget.note_peer(peer);
        self.tell_siblings(Word::Welcome(peer));
        self.ask_the_silent(now);
        // A further channel takes no further place.
        if !began || self.residents.contains(id) {
            return;
        }
        if self.residents.len() >= self.places() {
            let crowded_out = self.residents.who_gives_way(now, network, &self.connections).unwrap_or(id);
            self.crowd_out(now, crowded_out, CROWDED);
            if crowded_out == id {
                return;
            }
        }
        self.residents.insert(id, network);
    }

    /// Nobody is let in, and there is no peer that has streams here.
    fn has_no_business(&self) -> bool {
        let sessions = self.sessions.len() + self.siblings.elsewhere.sessions;
        matches!(self.wide.config.access, Access::Nobody) && sessions == 0
    }

    /// Whether one more connection that a peer begins has a place.
    ///
    /// # Errors
    /// The refusal to answer with, if it is not to come again in a moment.
    fn has_place(&mut self, now: Instant, remote: SocketAddr) -> Result<(), Option<Refusal>> {
        self.ask_the_silent(now);
        let network = Network::of(remote.ip());
        let overloaded = |reason: &str| Err(Some(Refusal { code: RefusalCode::Overloaded, reason: reason.into() }));
        if self.residents.len() >= self.places()
            && self.residents.who_gives_way(now, network, &self.connections).is_none()
        {
            return overloaded("this host has as many connections as it takes; try again later");
        }
        if !self.makes_memory(now) {
            if self.asks_siblings_for_room(now) {
                return Err(None);
            }
            return overloaded("this host has no memory for another connection; try again later");
        }
        Ok(())
    }

    /// When places are scarce, the host asks silent peers whether they are still there.
    fn ask_the_silent(&mut self, now: Instant) {
        for id in self.residents.silent(now, self.places(), &self.connections) {
            if let Some(connection) = self.connections.get_mut(id) {
                connection.ask_whether_there(now);
                self.wake(id);
            }
        }
    }

    /// Closes a connection so that others have a place.
    pub(super) fn crowd_out(&mut self, now: Instant, id: ConnectionId, reason: &str) {
        self.residents.remove(id);
        if let Some(connection) = self.connections.get_mut(id) {
            self.budget.note_peer(connection.peer);
            connection.close(now, codes::NO_ERROR, reason, CloseCause::Crowded, &mut self.wide);
            self.wake(id);
        }
    }

    /// Gives up a half-open entry.
    pub(super) fn forsake(&mut self, now: Instant, known_as: HalfOpen) {
        let Some(&Entry { owner, .. }) = self.half_open.get(&known_as) else { return };
        self.half_open.remove(&known_as);
        if let Some(connection) = self.connections.get_mut(owner.connection) {
            connection.forsake(now, owner.channel, &mut self.wide);
            self.wake(owner.connection);
        }
    }

    /// Of more connections than a peer may have, gives up that which was heard of least lately.
    pub(super) fn make_room(&mut self, now: Instant, peer: Eid) {
        let settled = self.sessions.range((peer, SessionId::MIN)..=(peer, SessionId::MAX)).filter_map(|(_, id)| {
            let connection = self.connections.get(*id).filter(|connection| connection.is_settled())?;
            Some((connection.last_heard(), *id))
        });
        if let Some((_, id)) = settled.min() {
            self.crowd_out(now, id, CROWDED);
        }
    }

    /// From now on the peer may ask for further channels.
    pub(super) fn note_session(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(id)
            && let Some(session) = connection.session.as_mut().filter(|session| !session.noted)
        {
            session.noted = true;
            let (peer, session) = (connection.peer, session.id);
            self.enter_session(peer, session, id);
        }
    }

    /// A stranger wants to connect: the checks that cost little come first (ARCHITECTURE section 4).
    fn handle_init(
        &mut self,
        now: Instant,
        origin: Origin,
        packet: &[u8],
        hello: &Hello<'_>,
        join: Option<&Join<'_>>,
    ) -> Option<ConnectionId> {
        let through = join.map(|join| join.sender);
        let back = |answer: Option<Vec<u8>>| answer.map(|answer| through_helper(through, answer));
        // The first MAC stands where it does in every version.
        if !hello.is_for(&self.identity) {
            if !matches!(self.wide.config.access, Access::Nobody) {
                self.answer_stranger(now, origin, |host| back(Some(wrong_key(&host.identity, hello).to_vec())));
            }
            return None;
        }
        if !VERSIONS.contains(&hello.version()) {
            self.answer(now, origin, |host| back(Some(version_answer(&host.identity, hello, &VERSIONS).to_vec())));
            return None;
        }
        let known_as = (origin.remote, hello.ephemeral());
        if let Some(&Entry { owner, .. }) = self.half_open.get(&known_as) {
            let connection = self.connections.get_mut(owner.connection)?;
            connection.attachment(owner.channel)?.handle_repeated_init(packet.len());
            self.wake(owner.connection);
            return None;
        }
        if self.answered.contains(&known_as.1) {
            return None;
        }
        // Nobody but a peer that has streams here.
        if self.closing || self.has_no_business() {
            return None;
        }
        let shown = hello.cookie();
        let validated =
            shown.is_some_and(|cookie| self.cookies.verify(now, origin.remote, &hello.fingerprint(), cookie));
        let network = Network::of(origin.remote.ip());
        let mut instead = None;
        // Who has not shown its address takes no memory that somebody else would have to give up for it.
        let crowded = self.half_open.len() + self.siblings.elsewhere.half_open >= self.wide.config.cookie_above
            || !self.budget.has_plenty();
        if crowded || !self.exchanges.take_unproven(now) {
            if !validated {
                if self.answers.len() < ANSWERS_WAITING_MAX && self.cookie_budget.take(now) {
                    let init = hello.fingerprint();
                    let cookie = self.cookies.issue(now, origin.remote, &init);
                    let answer = cookie_answer(&self.identity, Family::Channel, hello.initiator_id(), cookie, &init);
                    self.answers.extend(back(Some(answer.to_vec())).map(|answer| (origin, Answer::Ready(answer))));
                }
                return None;
            }
            // The address is real now, so its owner can be held to a share.
            if !self.exchanges.take_proven(now, network) {
                return None;
            }
            match self.half_open.room_for(network, &self.wide.config, self.siblings.elsewhere.half_open) {
                Room::Free => {}
                Room::Instead(other) => instead = Some(other),
                Room::None => return None,
            }
        }
        let (owner, caller) = self.handle_offer(now, origin, (packet, join), hello, validated)?;
        // Only now is it known to be worth a place.
        if let Some(other) = instead {
            self.forsake(now, other);
        }
        self.half_open.insert(known_as, Entry { owner, since: now, validated, caller: Some(caller) });
        let attachment = self.connections.get_mut(owner.connection)?.attachment(owner.channel)?;
        attachment.half_open_as = Some(Box::new(known_as));
        Some(owner.connection)
    }

    /// An INIT is worth an exchange.
    fn handle_offer(
        &mut self,
        now: Instant,
        origin: Origin,
        (packet, join): (&[u8], Option<&Join<'_>>),
        hello: &Hello<'_>,
        validated: bool,
    ) -> Option<(Owner, Acquaintance)> {
        self.exchanges.note();
        let expected = self.callers.get(origin.remote.ip());
        let offer = Offer::read(&self.identity, hello, expected).ok()?;
        let until = now + self.wide.config.set_up_timeout;
        let (attach, peer, caller) = (offer.opening().attach, offer.peer(), offer.acquaintance());
        let joining = match join {
            None => None,
            Some(join) => {
                let key = HopKey::from_bytes(**offer.opening().hop_key.as_ref()?);
                let greeting = open_join(&key, join).ok()?;
                let path = &offer.opening().path;
                if !self.wide.config.helpers.permit(path) {
                    self.refuse_helpers(now, origin, offer, greeting.id);
                    return None;
                }
                Some(Joining { key, greeting, helpers: path.clone(), trusted: false, wished: None })
            }
        };
        let offered = Offered {
            offer,
            origin,
            init_len: packet.len(),
            joining,
            until,
            accepted: false,
            taken: false,
            rejected: None,
        };
        let owner = match attach {
            Some(attach) => self.handle_attach_offer(now, peer, (offered, packet), attach),
            None => self.handle_first_offer(now, peer, offered, validated),
        };
        Some((owner?, caller))
    }

    /// A peer comes by helpers that are not wanted here: it is told, and may come directly.
    fn refuse_helpers(&mut self, now: Instant, origin: Origin, offer: Offer, section: ChannelId) {
        // A host that takes no connections tells nobody that it is there.
        if matches!(self.wide.config.access, Access::Nobody) && self.connections_with(offer.peer()) == 0 {
            return;
        }
        let reason = "this host wants no such helpers on the path; connect directly";
        let refusal = Refusal { code: RefusalCode::PathsDiffer, reason: reason.into() };
        self.decline(now, origin, Some(section), offer, refusal);
    }

    /// A peer asks for a further channel for streams that it says it has here.
    fn handle_attach_offer(
        &mut self,
        now: Instant,
        peer: Eid,
        (offered, packet): (Offered, &[u8]),
        attach: Attach,
    ) -> Option<Owner> {
        let known = self.sessions.get(&(peer, attach.session)).copied();
        let going_on = |id: &ConnectionId| self.connections.get(*id).is_some_and(|connection| !connection.has_ended());
        let Some(id) = known.filter(going_on) else {
            let through = offered.joining.as_ref().map(|joining| joining.greeting.id);
            let stray = Stray::new((peer, attach.session), offered.origin, packet, offered.offer, through);
            match self.wide.config.ids.is_shared() {
                true => self.tell_siblings(Word::Stray(Box::new(stray))),
                false => self.decline_stray(now, stray),
            }
            return None;
        };
        let channel = self.take_key();
        let connection = self.connections.get_mut(id)?;
        let admits = connection.semantics.name() == Some(&*offered.offer.opening().protocol)
            && connection.admits(now, &attach, &mut self.wide);
        if !admits {
            return None;
        }
        connection.attachments.push(Attachment::new(channel, State::Offered(Box::new(offered)), Some(attach)));
        assemble::admit(now, connection, channel);
        self.wake(id);
        Some(Owner { connection: id, channel })
    }

    /// A peer begins a session.
    fn handle_first_offer(&mut self, now: Instant, peer: Eid, offered: Offered, validated: bool) -> Option<Owner> {
        if matches!(self.wide.config.access, Access::Nobody) {
            return None;
        }
        let remote = offered.origin.remote;
        let judged = admission::admit(&self.wide.config.access, &self.registry, &offered.offer);
        let placed = judged.map_err(Some).and_then(|()| self.has_place(now, remote));
        let made = placed.and_then(|()| self.make(&offered.offer).map_err(Some));
        let (semantics, settled) = match made {
            Ok(made) => made,
            Err(refusal) => {
                let through = offered.joining.as_ref().map(|joining| joining.greeting.id);
                if let Some(refusal) = refusal {
                    self.decline(now, offered.origin, through, offered.offer, refusal);
                }
                return None;
            }
        };
        let (channel, config) = (self.take_key(), &self.wide.config);
        let charge = self.budget.enter(peer, semantics.cost());
        let target = Target { eid: peer, addresses: Vec::new(), capability: None, via: Vec::new() };
        let reach = Reach::new(target, self.wide.config.carried);
        let shown = Some(Shown::by(&offered.offer));
        let offer = offered.offer.opening().transports.as_ref();
        let negotiation =
            offer.zip(settled).map(|(offer, settled)| Box::new(Negotiation { offer: offer.clone(), settled }));
        let first = Attachment::new(channel, State::Offered(Box::new(offered)), None);
        let (accepted, mut connection) =
            (config.auto_accept, Connection::new(peer, (semantics, charge), first, reach, config));
        connection.shown = shown;
        connection.negotiation = negotiation;
        let id = self.connections.insert_with(|_| connection);
        if let Some(connection) = self.connections.get_mut(id) {
            match accepted {
                true => assemble::admit(now, connection, channel),
                false => connection.tell_incoming(remote, validated),
            }
        }
        self.wake(id);
        Some(Owner { connection: id, channel })
    }
}
