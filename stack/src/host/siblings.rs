//! Hosts of one identity that share an address, each on a thread of its own (docs/decisions/0023): what one is told of
//! the others, and tells them. A host that is alone is told nothing, and has nothing to tell.

use tng_base::{Eid, Instant, SessionId};
use tng_channel::wire::{RESET_LEN_MAX, RESET_LEN_MIN};
use tng_crypto::{Secret32, SecretSource};
use tng_endpoint::TokenBucket;
use tng_flow::Origin;
use tng_isolation::{CookieJar, Offer, Refusal, RefusalCode};

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
}

/// What a host tells the others.
#[derive(Debug)]
pub enum Word {
    /// The peer may ask for further channels of this session here.
    Session(Eid, SessionId),
    /// And no more.
    Over(Eid, SessionId),
    /// An INIT came for a session that is not here.
    Stray(Box<Stray>),
    /// A packet that nobody here knows may be the stateless reset of a channel of another.
    Token([u8; 16]),
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
    words: std::collections::VecDeque<Word>,
    /// For how many unknown packets the others are asked.
    asks: TokenBucket,
}

impl Host {
    /// A cookie of one is good at all of them that have the same secret, and the same clock.
    pub fn share_cookies(&mut self, secret: Secret32) {
        self.cookies = CookieJar::new(SecretSource::new(secret).fork());
    }

    /// What the others hold from now on.
    pub fn set_elsewhere(&mut self, elsewhere: Elsewhere) {
        self.siblings.elsewhere = elsewhere;
        self.budget.set_elsewhere(elsewhere.memory);
    }

    /// What this one holds.
    pub fn held(&self) -> Elsewhere {
        Elsewhere {
            residents: self.residents.len(),
            half_open: self.half_open.len(),
            sessions: self.sessions.len(),
            memory: self.budget.used(),
        }
    }

    /// The next thing to tell the others: whoever shares an address asks for them after each poll.
    pub fn poll_word(&mut self) -> Option<Word> {
        self.siblings.words.pop_front()
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

    /// Asks the others whether a packet that is unknown here is the reset of one of theirs, within bounds.
    pub(super) fn ask_siblings(&mut self, now: Instant, packet: &[u8]) {
        let may_be_reset = (RESET_LEN_MIN..=RESET_LEN_MAX).contains(&packet.len());
        if self.wide.config.ids.is_shared()
            && may_be_reset
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

    /// Places that the others leave to this host.
    pub(super) fn places(&self) -> usize {
        self.wide.config.connections_max.saturating_sub(self.siblings.elsewhere.residents)
    }

    /// A peer may not ask for further channels of a session any more.
    pub(super) fn forget_session(&mut self, peer: Eid, session: SessionId) {
        if self.sessions.remove(&(peer, session)).is_some() {
            self.tell_siblings(Word::Over(peer, session));
        }
    }

    /// From now on it may.
    pub(super) fn enter_session(&mut self, peer: Eid, session: SessionId, id: ConnectionId) {
        self.sessions.insert((peer, session), id);
        self.tell_siblings(Word::Session(peer, session));
    }
}
