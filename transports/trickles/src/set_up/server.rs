//! The server's end: everything is answered at once, and nothing is kept of who asked.

use core::fmt;
use core::net::{IpAddr, SocketAddr};
use std::collections::VecDeque;

use tng_base::{ChannelId, Eid, Instant};
use tng_crypto::{Secret32, SecretRng, Zeroizing};
use tng_endpoint::{
    AMPLIFICATION_MAX, COOKIES_BURST, COOKIES_PER_S, ExchangeLimits, Exchanges, IdSpace, Network, TokenBucket,
};
use tng_isolation::wire::REASON_LEN_MAX;
use tng_isolation::{
    Acceptance, Acquaintance, CookieJar, Family, Hello, Identity, Offer, OfferError, Refusal, RefusalCode, ResetToken,
    Terms, TooLong, VERSIONS, cookie_answer, version_answer, wrong_key,
};
use tng_wire::Repr;

use super::{AddressToken, CIPHER, CIPHERS, LIMITS, PLAIN_PROTOCOL, PROTOCOL, Welcome, protocol};
use crate::wire::Armor;
use crate::{ClientNetwork, ConnectionId, ConnectionSecret, Keys, Wall};

/// Who may open connections. An application that serves structured streams as well asks the same list for both.
pub trait Access {
    /// Whether a peer that shows this capability, or none, may open one.
    ///
    /// # Errors
    /// The refusal to answer with.
    fn admits(&self, peer: Eid, capability: Option<&[u8]>) -> Result<(), Refusal>;
}

impl<F: Fn(Eid, Option<&[u8]>) -> Result<(), Refusal>> Access for F {
    fn admits(&self, peer: Eid, capability: Option<&[u8]>) -> Result<(), Refusal> {
        self(peer, capability)
    }
}

/// Settings of a [`SetUp`].
#[derive(Clone, Debug, Default)]
pub struct SetUpConfig {
    /// Whether nothing at all is said to who does not show that it knows this server's EID. Without it a client that
    /// means another is told this one's.
    pub silent: bool,
    /// How many exchanges (Diffie-Hellman) are made. Who has shown nothing must return a cookie when those for such
    /// addresses are used up; who returns one is held to the share of its network.
    pub exchanges: ExchangeLimits,
    /// Which of the servers that share an address it is: the ids of its connections say so.
    pub ids: IdSpace,
    /// Whether requests and responses are sealed. A client that was told otherwise is refused, and an attacker on the
    /// path cannot change that: what a client was told stands sealed in its INIT.
    pub armor: Armor,
}

/// What an INIT is judged by, beside the server's own: at the time, and by whom.
pub struct Premises<'a> {
    /// The driver's time.
    pub now: Instant,
    /// The time that servers share.
    pub wall: Wall,
    /// The keys that servers share.
    pub keys: &'a Keys,
    /// Who may open connections.
    pub access: &'a dyn Access,
}

/// Addresses whose last callers' keys a server remembers at most: those of programs that call again and again.
pub const CALLERS_KNOWN_MAX: usize = 32;

/// What a server answers INITs with. It holds its key, what it signs cookies with, and how often it has done what of
/// late, by network; and of no client that it has let in anything.
#[derive(Debug)]
pub struct SetUp {
    identity: Identity,
    silent: bool,
    ids: IdSpace,
    armor: Armor,
    cookies: CookieJar,
    exchanges: Exchanges,
    answer_budget: TokenBucket,
    cookie_budget: TokenBucket,
    /// The last caller from each address: a third of an exchange is not computed again. It can be forgotten.
    callers: VecDeque<(IpAddr, Acquaintance)>,
}

/// What becomes of an INIT.
#[derive(Debug)]
pub enum Answer {
    /// A connection, if the server answers with [`Opened::reply`].
    Opened(Box<Opened>),
    /// Nothing but this datagram, to where the INIT came from: a COOKIE, VERSION or WRONG_KEY, or a REPLY that refuses.
    Said(Vec<u8>),
    /// Nothing.
    Dropped(Dropped),
}

/// Why an INIT is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dropped {
    /// It is none.
    NoInit,
    /// It is for somebody else, and this server keeps silent to strangers.
    Stranger,
    /// So much is said, or so many exchanges are made, already. If it is honest it comes again.
    Busy,
    /// It cannot be read, or not be true.
    Bad(OfferError),
}

impl SetUp {
    /// The set-ups of the server that is `identity`; keys of cookies come from `rng`.
    pub fn new(identity: Identity, config: SetUpConfig, rng: SecretRng) -> SetUp {
        SetUp {
            identity,
            silent: config.silent,
            ids: config.ids,
            armor: config.armor,
            cookies: CookieJar::new(rng),
            exchanges: Exchanges::new(config.exchanges),
            answer_budget: TokenBucket::default(),
            cookie_budget: TokenBucket::new(COOKIES_PER_S, COOKIES_BURST),
            callers: VecDeque::with_capacity(CALLERS_KNOWN_MAX),
        }
    }

    /// The server.
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Whether a packet is an INIT for this server.
    pub fn is_for(&self, packet: &[u8]) -> bool {
        Hello::parse(Family::Trickles, packet).is_ok_and(|hello| hello.is_for(&self.identity))
    }

    /// Whether strangers are told nothing.
    pub const fn is_silent(&self) -> bool {
        self.silent
    }

    /// Bytes that it holds: of networks that have returned cookies lately, and of callers.
    pub fn held(&self) -> usize {
        let SetUp {
            identity: _,
            silent: _,
            ids: _,
            armor: _,
            cookies: _,
            exchanges,
            answer_budget: _,
            cookie_budget: _,
            callers,
        } = self;
        exchanges.held() + callers.capacity() * size_of::<(IpAddr, Acquaintance)>()
    }

    /// Who has called from there last, as far as it is remembered.
    fn caller(&self, from: IpAddr) -> Option<&Acquaintance> {
        self.callers.iter().find(|(ip, _)| *ip == from).map(|(_, caller)| caller)
    }

    fn note_caller(&mut self, from: IpAddr, caller: Acquaintance) {
        if let Some((_, known)) = self.callers.iter_mut().find(|(ip, _)| *ip == from) {
            *known = caller;
            return;
        }
        if self.callers.len() >= CALLERS_KNOWN_MAX {
            self.callers.pop_front();
        }
        self.callers.push_back((from, caller));
    }

    /// Forgets who has called.
    pub fn forget_callers(&mut self) {
        self.callers.clear();
    }

    /// Exchanges that were made, whatever came of them.
    #[cfg(test)]
    pub(super) fn exchanges_made(&self) -> u64 {
        self.exchanges.made()
    }

    /// What a datagram from `from` comes to. The checks that cost little come first; Diffie-Hellman is done at most
    /// once for each datagram, and not at all for who has not shown its address while many ask. `rng` must have had
    /// fresh entropy for this datagram: a copy of the server must not draw the same.
    pub fn answer(
        &mut self,
        premises: &Premises<'_>,
        from: SocketAddr,
        datagram: &[u8],
        rng: &mut SecretRng,
    ) -> Answer {
        let now = premises.now;
        let Some(hello) = Hello::parse(Family::Trickles, datagram).ok().filter(Hello::is_direct) else {
            return Answer::Dropped(Dropped::NoInit);
        };
        if !hello.is_for(&self.identity) {
            if self.silent {
                return Answer::Dropped(Dropped::Stranger);
            }
            return self.say(now, |identity| wrong_key(identity, &hello).to_vec());
        }
        if !VERSIONS.contains(&hello.version()) {
            return self.say(now, |identity| version_answer(identity, &hello, &VERSIONS).to_vec());
        }
        let init = hello.fingerprint();
        let has_cookie = hello.cookie().is_some_and(|cookie| self.cookies.verify(now, from, &init, cookie));
        if !self.exchanges.take_unproven(now) {
            if !has_cookie {
                if !self.cookie_budget.take(now) {
                    return Answer::Dropped(Dropped::Busy);
                }
                let cookie = self.cookies.issue(now, from, &init);
                let id = hello.initiator_id();
                return Answer::Said(cookie_answer(&self.identity, Family::Trickles, id, cookie, &init).to_vec());
            }
            if !self.exchanges.take_proven(now, Network::of(from.ip())) {
                return Answer::Dropped(Dropped::Busy);
            }
        }
        self.exchanges.note();
        let offer = match Offer::read(&self.identity, &hello, self.caller(from.ip())) {
            Ok(offer) => offer,
            Err(error) => return Answer::Dropped(Dropped::Bad(error)),
        };
        self.note_caller(from.ip(), offer.acquaintance());
        match judge(&offer, self.armor, premises.access, rng) {
            Ok(acceptance) => {
                let came = Came { place: ClientNetwork::of(from.ip()), bytes: datagram.len(), has_cookie };
                let responder = (self.identity.eid(), self.ids);
                let opened = Opened::new(premises, responder, came, (offer, acceptance), rng);
                Answer::Opened(Box::new(opened))
            }
            Err(refusal) => match self.answer_budget.take(now) {
                true => refuse(offer, refusal, rng).map_or(Answer::Dropped(Dropped::Busy), Answer::Said),
                false => Answer::Dropped(Dropped::Busy),
            },
        }
    }

    /// Says something to somebody who is not let in, within bounds.
    fn say(&mut self, now: Instant, message: impl FnOnce(&Identity) -> Vec<u8>) -> Answer {
        match self.answer_budget.take(now) {
            true => Answer::Said(message(&self.identity)),
            false => Answer::Dropped(Dropped::Busy),
        }
    }
}

/// What a server answers an offer with, if it may come in.
///
/// # Errors
/// The refusal to answer with.
fn judge(offer: &Offer, armor: Armor, access: &dyn Access, rng: &mut SecretRng) -> Result<Acceptance, Refusal> {
    let refusal = |code, reason: &str| Err(Refusal { code, reason: reason.into() });
    let opening = offer.opening();
    if opening.protocol != protocol(armor) && [PROTOCOL, PLAIN_PROTOCOL].contains(&&*opening.protocol) {
        let reason = match armor {
            Armor::Sealed => "this server seals all that it sends, and takes nothing else",
            Armor::Plain => "this server was told to leave seals out (danger_plain), and the client was not",
        };
        return refusal(RefusalCode::SealsDiffer, reason);
    }
    if opening.protocol != protocol(armor) {
        return refusal(RefusalCode::ProtocolNotSpoken, "this server speaks Trickles alone in such a set-up");
    }
    if opening.attach.is_some() {
        return refusal(RefusalCode::UnknownSession, "a Trickles server knows no sessions");
    }
    if !opening.ciphers.contains(&CIPHER) {
        return refusal(RefusalCode::NoCommonCipher, "requests and responses are sealed with AES-128-GCM");
    }
    access.admits(opening.eid, opening.capability.as_deref())?;
    let terms = Terms {
        channel: ChannelId::from_bytes(rng.visible().bytes()),
        ciphers: CIPHERS,
        extensions: Vec::new(),
        path: Vec::new(),
        limits: LIMITS,
        reset_token: ResetToken::from_bytes([0; 16]),
    };
    Ok(Acceptance { cipher: CIPHER, ..offer.negotiate(terms)? })
}

/// A REPLY that refuses. What is too long of the reason is left out.
fn refuse(offer: Offer, Refusal { code, reason }: Refusal, rng: &mut SecretRng) -> Option<Vec<u8>> {
    let reason = reason.cut(REASON_LEN_MAX).owned();
    offer.refuse(Refusal { code, reason }, rng).ok()
}

/// How an INIT came.
struct Came {
    place: ClientNetwork,
    bytes: usize,
    has_cookie: bool,
}

/// A connection that there will be: once its REPLY is made, nothing is left of it here.
pub struct Opened {
    id: ConnectionId,
    place: ClientNetwork,
    address_is_shown: bool,
    received: usize,
    secret: Secret32,
    offer: Offer,
    acceptance: Acceptance,
}

impl Opened {
    fn new(
        premises: &Premises<'_>,
        (responder, ids): (Eid, IdSpace),
        came: Came,
        (offer, acceptance): (Offer, Acceptance),
        rng: &mut SecretRng,
    ) -> Opened {
        let Premises { keys, wall, .. } = *premises;
        let Came { place, bytes, has_cookie } = came;
        let mut visible = rng.visible();
        // Drawn until the id says which server it is of.
        let (salt, id) = core::iter::repeat_with(|| {
            let salt = visible.bytes();
            (salt, ConnectionId::of(responder, offer.fingerprint(), &salt))
        })
        .find(|(_, id)| ids.owns(id.0[0]))
        .expect("one of them is");
        let secret = keys.present().connection_secret(&id);
        let shown = offer.opening().set_up.as_deref().and_then(|shown| shown.try_into().ok()).map(AddressToken);
        let welcome = Welcome {
            epoch: keys.present().number() as u8,
            salt,
            secret: Zeroizing::new(*secret.expose()),
            token: AddressToken::issue(keys, wall, &place, &mut visible),
            place,
        };
        Opened {
            id,
            place,
            address_is_shown: has_cookie || shown.is_some_and(|token| token.shows(keys, wall, &place)),
            received: bytes,
            secret,
            offer,
            acceptance: Acceptance { set_up: Some(welcome.to_vec()), taken: true, ..acceptance },
        }
    }

    /// The connection's name, which the client computes as well.
    pub const fn id(&self) -> ConnectionId {
        self.id
    }

    /// Where the client is.
    pub const fn place(&self) -> ClientNetwork {
        self.place
    }

    /// The client, proven.
    pub const fn peer(&self) -> Eid {
        self.offer.peer()
    }

    /// The connection's secret, in the present key epoch.
    pub fn secret(&self) -> ConnectionSecret {
        ConnectionSecret::new(self.secret.duplicate())
    }

    /// What the client asks for first: opaque here.
    pub fn first(&self) -> &[u8] {
        self.offer.opening().payload.as_deref().unwrap_or_default()
    }

    /// Whether the client has shown that it is where its datagram says that it comes from, or was lately.
    pub const fn address_is_shown(&self) -> bool {
        self.address_is_shown
    }

    /// Bytes that may be sent in answer to the INIT, the REPLY among them: three for each that came, unless the address
    /// is shown.
    pub const fn may_send(&self) -> u64 {
        if self.address_is_shown { u64::MAX } else { AMPLIFICATION_MAX * self.received as u64 }
    }

    /// Most bytes that [`reply`](Self::reply) has room for.
    pub fn room(&self) -> usize {
        self.acceptance.payload_room()
    }

    /// The REPLY, at most 1200 bytes: `rest` is what the client begins with, opaque here. Send it to where the INIT
    /// came from.
    ///
    /// # Errors
    /// If `rest` does not fit.
    pub fn reply(self, rest: &[u8], rng: &mut SecretRng) -> Result<Vec<u8>, TooLong> {
        let acceptance = Acceptance { payload: Some(rest.to_vec()), ..self.acceptance };
        self.offer.accept(acceptance, rng).map(|(_, reply)| reply)
    }
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("id", &self.id).field("peer", &self.offer.peer()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Premises<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Premises").field("now", &self.now).field("wall", &self.wall).finish_non_exhaustive()
    }
}
