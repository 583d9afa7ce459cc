//! Hosts of one identity that share an address, each on a thread of its own (docs/decisions/0023): what one is told of
//! the others, and tells them. A host that is alone is told nothing, and has nothing to tell.

use tng_base::{Eid, Instant, SessionId};
use tng_channel::wire::{RESET_LEN_MAX, RESET_LEN_MIN};
use tng_crypto::{Secret32, SecretSource};
use tng_endpoint::{Punch, Reached, TokenBucket};
use tng_flow::Origin;
use tng_isolation::{CookieJar, Offer, Refusal, RefusalCode};

use super::relief::{ASKED_FOR, LOOK_EVERY};
use super::{ANSWERS_WAITING_MAX, Host};
use crate::{Access, ConnectionId};

/// What the others hold, so that limits are those of all together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Elsewhere {
    /// Connections that peers have begun and confirmed.
    pub residents: usize,
    /// Half-open entries.
    pub half_open: usize,
    /// Sessions that peers may ask channels for.
    pub sessions: usize,
    /// Bytes that count in the budget.
    pub memory: u64,
    /// Bytes of connections without a channel.
    pub kept: usize,
    /// The most of those that one of the others holds.
    pub kept_most: usize,
    /// Which connection of theirs would give way first.
    pub gives_way: GivesWay,
    /// One of them wants room for a newcomer.
    pub wants_room: bool,
}

/// Which connection of a host gives way first when memory is short: of hosts that share it that of the least goes, and
/// nobody's is the most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GivesWay(pub u64);

impl GivesWay {
    /// None may.
    pub const NOBODY: GivesWay = GivesWay(u64::MAX);

    /// Whether it does nothing, and gives way to a newcomer.
    pub(super) fn is_idle(self) -> bool {
        self < GivesWay::IN_USE
    }
}

impl Default for GivesWay {
    fn default() -> GivesWay {
        GivesWay::NOBODY
    }
}

/// What a host holds of one peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PeerHeld {
    /// Connections that are there.
    pub connections: usize,
    /// When the one heard of least lately was last heard of.
    pub heard: Option<Instant>,
}

/// What a host tells the others.
#[derive(Debug)]
pub enum Word {
    /// The peer may ask for further channels of this session here.
    Session(Eid, SessionId),
    /// And no more.
    Over(Eid, SessionId),
    /// A peer holds so many bytes here, or a little less, and may have as many connections as before or others.
    Peer(Eid, u64),
    /// This INIT has brought a channel: copies of it begin nothing.
    Answered([u8; 32]),
    /// A peer has one connection more here: with those of all others it may have too many.
    Welcome(Eid),
    /// An INIT came for a session that is not here.
    Stray(Box<Stray>),
    /// A packet that nobody here knows may be the stateless reset of a channel of another.
    Token([u8; 16]),
    /// A PUNCH came, from there, that names no introduction of this host's.
    Punch(Origin, Punch),
    /// A host that was introduced here was heard of.
    Reached(Reached),
}

/// An INIT for a session that is elsewhere, or nowhere.
#[derive(Debug)]
pub struct Stray {
    peer: Eid,
    session: SessionId,
    origin: Origin,
    packet: Vec<u8>,
    offer: Offer,
    through: Option<tng_base::ChannelId>,
}

impl Stray {
    pub(super) fn new(
        (peer, session): (Eid, SessionId),
        origin: Origin,
        packet: &[u8],
        offer: Offer,
        through: Option<tng_base::ChannelId>,
    ) -> Stray {
        Stray { peer, session, origin, packet: packet.to_vec(), offer, through }
    }

    /// Which session is meant.
    pub fn session(&self) -> (Eid, SessionId) {
        (self.peer, self.session)
    }

    /// From where it came.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The datagram, as it came: for the host that has the session.
    pub fn into_packet(self) -> Vec<u8> {
        self.packet
    }
}

/// What a host keeps for its siblings.
#[derive(Debug, Default)]
pub(super) struct Siblings {
    pub(super) elsewhere: Elsewhere,
    pub(super) words: std::collections::VecDeque<Word>,
    /// For how many unknown packets the others are asked.
    pub(super) asks: TokenBucket,
    pub(super) relief: Relief,
}

/// Where a host stands in finding out, with others, who gives way.
#[derive(Debug, Default)]
pub(super) struct Relief {
    /// Since when more is held than there may be, or a newcomer wants room.
    pub(super) since: Option<Instant>,
    /// Which of its own would, when it last looked.
    pub(super) gives_way: GivesWay,
    /// When it looks again.
    pub(super) look_at: Instant,
    /// When it is called again, while there is too much.
    pub(super) again_at: Option<Instant>,
    /// When the others were last asked for room for a newcomer.
    pub(super) wants_room_at: Option<Instant>,
    /// The others are to look, too.
    calls: bool,
    /// When they were last called.
    called_at: Option<Instant>,
}

impl Relief {
    /// Has the others look, unless they were called just now.
    pub(super) fn call(&mut self, now: Instant) {
        if self.called_at.is_none_or(|at| now.since(at) >= ASKED_FOR) {
            (self.calls, self.called_at) = (true, Some(now));
        }
    }
}

impl Host {
    /// A cookie of one is good at all of them that have the same secret, and the same clock.
    pub fn share_cookies(&mut self, secret: Secret32) {
        self.cookies = CookieJar::new(SecretSource::new(secret).fork());
    }

    /// What the others hold from now on. If all together hold too much, and it is for this one to give something up,
    /// it does.
    pub fn handle_elsewhere(&mut self, now: Instant, elsewhere: Elsewhere) {
        self.siblings.elsewhere = elsewhere;
        self.budget.set_elsewhere(elsewhere.memory);
        self.give_up_beyond_cap(now);
        self.relieve(now);
    }

    /// A peer holds so many bytes with the others from now on.
    pub fn set_peer_elsewhere(&mut self, peer: Eid, bytes: u64) {
        self.budget.set_peer_elsewhere(peer, bytes);
    }

    /// What this one holds of a peer.
    pub fn held_of(&self, peer: Eid) -> PeerHeld {
        let settled = self.sessions_with(peer).filter(|connection| connection.is_settled());
        settled.fold(PeerHeld::default(), |held, connection| {
            let heard = connection.last_heard();
            let heard = if held.connections == 0 { heard } else { held.heard.min(heard) };
            PeerHeld { connections: held.connections + 1, heard }
        })
    }

    /// Another has answered this INIT.
    pub fn handle_answered(&mut self, ephemeral: [u8; 32]) {
        self.answered.note(ephemeral);
    }

    /// Of more connections than a peer may have with all together, one of this host's gives way: that which was heard
    /// of least lately.
    pub fn crowd_out_of(&mut self, now: Instant, peer: Eid) {
        self.make_room(now, peer);
    }

    /// Whether the others are to [look](Host::handle_elsewhere) at what this one holds, though nothing else calls them.
    pub fn calls_siblings(&mut self) -> bool {
        core::mem::take(&mut self.siblings.relief.calls)
    }

    /// What this one holds.
    pub fn held(&self, now: Instant) -> Elsewhere {
        Elsewhere {
            residents: self.residents.len(),
            half_open: self.half_open.len(),
            sessions: self.sessions.len(),
            memory: self.budget.used(),
            kept: self.detached.bytes(),
            kept_most: self.detached.bytes(),
            gives_way: self.siblings.relief.gives_way,
            wants_room: self.siblings.relief.wants_room_at.is_some_and(|at| now.since(at) < LOOK_EVERY),
        }
    }

    /// The next thing to tell the others: the driver of hosts that share an address asks after each poll.
    pub fn poll_word(&mut self) -> Option<Word> {
        let peer = self.budget.poll_peer().map(|(peer, bytes)| Word::Peer(peer, bytes));
        peer.or_else(|| self.siblings.words.pop_front())
    }

    pub(super) fn tell_siblings(&mut self, word: Word) {
        if self.wide.config.ids.is_shared() {
            self.siblings.words.push_back(word);
        }
    }

    /// Nobody has the session: who asks for it is told.
    pub fn decline_stray(&mut self, now: Instant, stray: Stray) {
        // To whom it has a connection with, a host that takes none is no secret.
        if !matches!(self.wide.config.access, Access::Nobody) || self.connections_with(stray.peer) > 0 {
            let reason = "this host does not know the session, or no longer";
            let refusal = Refusal { code: RefusalCode::UnknownSession, reason: reason.into() };
            self.decline(now, stray.origin, stray.through, stray.offer, refusal);
        }
    }

    /// Whether a packet that is unknown here may be the reset of something of another.
    pub(super) fn may_reset_sibling(&self, packet: &[u8]) -> bool {
        self.wide.config.ids.is_shared() && (RESET_LEN_MIN..=RESET_LEN_MAX).contains(&packet.len())
    }

    /// Asks the others whether a packet that is unknown here is the reset of one of theirs, within bounds.
    pub(super) fn ask_siblings(&mut self, now: Instant, packet: &[u8]) {
        if self.may_reset_sibling(packet)
            && self.siblings.words.len() < ANSWERS_WAITING_MAX
            && self.siblings.asks.take(now)
            && let Some(token) = packet.last_chunk()
        {
            self.siblings.words.push_back(Word::Token(*token));
        }
    }

    /// Another has a packet with this token at its end, which it does not know.
    pub fn handle_token(&mut self, now: Instant, token: &[u8; 16]) {
        if let Some(owner) = self.wide.demux.token_owner(token)
            && let Some(connection) = self.connections.get_mut(owner.connection)
        {
            connection.handle_reset(now, owner.channel, &mut self.wide);
            self.wake(owner.connection);
        }
    }

    /// A host's part of what all have room to remember of what is past.
    pub(super) fn part_of(&self, max: usize) -> usize {
        max.div_ceil(usize::from(self.wide.config.ids.of()))
    }

    /// Places that the others leave to this host.
    pub(super) fn places(&self) -> usize {
        self.wide.config.connections_max.saturating_sub(self.siblings.elsewhere.residents)
    }

    /// A peer may not ask for further channels of a session any more.
    pub(super) fn forget_session(&mut self, peer: Eid, session: SessionId) {
        if self.sessions.remove(&(peer, session)).is_some() {
            self.budget.note_peer(peer);
            self.tell_siblings(Word::Over(peer, session));
        }
    }

    /// From now on it may.
    pub(super) fn enter_session(&mut self, peer: Eid, session: SessionId, id: ConnectionId) {
        self.sessions.insert((peer, session), id);
        self.budget.note_peer(peer);
        self.tell_siblings(Word::Session(peer, session));
    }
}
