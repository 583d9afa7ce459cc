//! The client's end: an INIT until there is an answer.

use core::fmt;

use tng_base::{ChannelId, Eid};
use tng_crypto::{Secret32, SecretRng, Zeroizing};
use tng_endpoint::Unserved;
use tng_isolation::wire::INIT;
use tng_isolation::{
    Broken, Family, Fingerprint, Hello, INIT_LEN, Identity, InitiateError, Initiator, Opening, Refusal, RefusalCode,
    Replied,
};
use tng_wire::{Reader, Repr};

use super::{AddressToken, CIPHER, CIPHERS, LIMITS, Welcome, protocol};
use crate::wire::Armor;
use crate::{ClientNetwork, ConnectionId, ConnectionSecret};

/// Whom a client asks for a connection, and what it says with it.
pub struct Call {
    /// The server.
    pub peer: Eid,
    /// What opens its door, at most 64 bytes.
    pub capability: Option<Vec<u8>>,
    /// From the last connection with this server or another that has its keys.
    pub token: Option<AddressToken>,
    /// What is asked for first, at most as long as [`room`](Call::room) says: opaque here.
    pub first: Vec<u8>,
    /// Whether requests and responses are sealed: as the server was told, or there is no connection.
    pub armor: Armor,
}

impl Call {
    /// A call to `peer` that shows nothing and asks for nothing yet.
    pub const fn new(peer: Eid) -> Call {
        Call { peer, capability: None, token: None, first: Vec::new(), armor: Armor::Sealed }
    }

    /// Most bytes that [`first`](Call::first) may have beside the rest.
    pub fn room(&self, identity: &Identity) -> usize {
        self.opening(identity, ChannelId::from_u64(0)).payload_room(INIT_LEN)
    }

    fn opening(&self, identity: &Identity, name: ChannelId) -> Opening {
        Opening {
            ciphers: vec![CIPHER],
            capability: self.capability.clone(),
            set_up: self.token.map(|token| token.0.to_vec()),
            payload: Some(self.first.clone()),
            ..Opening::new(identity, name, CIPHERS, LIMITS, protocol(self.armor))
        }
    }
}

/// A set-up that waits for its REPLY.
#[derive(Debug)]
pub struct Dial {
    initiator: Box<Initiator>,
    /// The same with a cookie and without.
    init: Fingerprint,
    explained: Option<DialError>,
    armor: Armor,
}

/// What a datagram comes to.
#[derive(Debug)]
pub enum Heard {
    /// The set-up goes on as before: send the INIT again when its time has come.
    Waiting(Dial),
    /// The server wants the address shown: send the INIT again at once, which is another now.
    Asked(Dial),
    /// There is a connection.
    Welcomed(Box<Welcomed>),
    /// There is none.
    Failed(DialError),
}

/// A connection that a server has granted.
#[derive(Debug)]
pub struct Welcomed {
    /// Its name.
    pub id: ConnectionId,
    /// The last byte of the key epoch that the secret is of.
    pub epoch: u8,
    /// Its secret in that epoch.
    pub secret: ConnectionSecret,
    /// For the next set-up.
    pub token: AddressToken,
    /// Where the server sees this client.
    pub place: ClientNetwork,
    /// What the server begins with: opaque here.
    pub rest: Vec<u8>,
}

/// How the server differs.
const fn differs(plain_here: &bool) -> &'static str {
    match plain_here {
        true => "seals all that it sends, and this client was told to leave seals out",
        false => "leaves seals out, and this client was not told to",
    }
}

/// Why there is no connection.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DialError {
    /// Peer: it refuses.
    #[error("the server refused: {} (code {})", .0.reason, .0.code.code())]
    Refused(Refusal),
    /// Caller, or peer: one of the two leaves seals out, and the other was not told so.
    #[error("the server {}; tell both ends --danger-plain, or neither", differs(.plain_here))]
    SealsDiffer {
        /// Whether it is this end that leaves them out.
        plain_here: bool,
    },
    /// Peer: its answer breaks the protocol.
    #[error("the server's answer breaks the protocol; update one of the two")]
    Broken(Broken),
    /// Peer: another server answers at the address.
    #[error("another server answers at the address: {0}; check the address, or ask for a new ticket")]
    WrongKey(Eid),
    /// Peer: it speaks none of our versions.
    #[error("the server speaks only protocol versions {0:?}; update one of the two")]
    Version(Vec<u16>),
    /// Peer: Trickles is not served there.
    #[error("no Trickles server answers at the address; connect by structured streams, or start one there")]
    Unserved,
    /// Environment: no answer.
    #[error("no answer in time; check the address, that the server runs, and that UDP passes")]
    Silence,
}

impl Dial {
    /// Begins a set-up. `rng` must have had fresh entropy for it.
    ///
    /// # Errors
    /// If the peer is no key, or what the client has to say does not fit.
    pub fn new(identity: &Identity, call: &Call, rng: &mut SecretRng) -> Result<Dial, InitiateError> {
        let opening = call.opening(identity, ChannelId::from_bytes(rng.visible().bytes()));
        let initiator = Initiator::new(Family::Trickles, identity, call.peer, opening, rng)?;
        let hello = Hello::parse(Family::Trickles, initiator.datagram()).expect("it was written as an INIT");
        let init = hello.fingerprint();
        Ok(Dial { initiator: Box::new(initiator), init, explained: None, armor: call.armor })
    }

    /// The INIT: send it, and the same again until there is an answer. A server may have granted a connection to each
    /// copy that it got; the first REPLY that arrives is the one that counts.
    pub fn datagram(&self) -> &[u8] {
        self.initiator.datagram()
    }

    /// Whom it is for.
    pub const fn peer(&self) -> Eid {
        self.initiator.peer()
    }

    /// Whether the INIT takes a further cookie: begin another set-up if it does not, and no answer comes.
    pub const fn takes_cookies(&self) -> bool {
        self.initiator.takes_cookies()
    }

    /// Takes a datagram, which must have come from an address that the INIT went to. Whatever is no answer to it
    /// changes nothing.
    ///
    /// WRONG_KEY, VERSION and UNSERVED end nothing, since others than the server can have said them:
    /// [`explained`](Self::explained) has them from then on.
    pub fn handle(mut self, datagram: &[u8]) -> Heard {
        if self.initiator.handle_cookie(datagram) {
            return Heard::Asked(self);
        }
        if let Some(explained) = self.explanation(datagram) {
            self.explained = Some(explained);
            return Heard::Waiting(self);
        }
        let peer = self.peer();
        match self.initiator.handle_reply(datagram) {
            Replied::Ignored(initiator) => Heard::Waiting(Dial { initiator, ..self }),
            Replied::Refused(refusal) if refusal.code == RefusalCode::SealsDiffer => {
                Heard::Failed(DialError::SealsDiffer { plain_here: self.armor.is_plain() })
            }
            Replied::Refused(refusal) => Heard::Failed(DialError::Refused(refusal)),
            Replied::Broken(broken) => Heard::Failed(DialError::Broken(broken)),
            Replied::Established(_, acceptance) => {
                let set_up = Zeroizing::new(acceptance.set_up.unwrap_or_default());
                let mut reader = Reader::new(&set_up);
                match Welcome::parse(&mut reader) {
                    Ok(welcome) if reader.is_empty() => Heard::Welcomed(Box::new(Welcomed {
                        id: ConnectionId::of(peer, &self.init, &welcome.salt),
                        epoch: welcome.epoch,
                        secret: ConnectionSecret::new(Secret32::from_bytes(*welcome.secret)),
                        token: welcome.token,
                        place: welcome.place,
                        rest: acceptance.payload.unwrap_or_default(),
                    })),
                    _ => Heard::Failed(DialError::Broken(Broken::Malformed)),
                }
            }
        }
    }

    /// What somebody has said that would explain why there is no REPLY: a reason to try something else beside it.
    pub const fn explained(&self) -> Option<&DialError> {
        self.explained.as_ref()
    }

    /// The time is over.
    pub fn give_up(self) -> DialError {
        self.explained.unwrap_or(DialError::Silence)
    }

    fn explanation(&self, datagram: &[u8]) -> Option<DialError> {
        if let Some(versions) = self.initiator.handle_version(datagram) {
            return Some(DialError::Version(versions));
        }
        if let Some(eid) = self.initiator.handle_wrong_key(datagram) {
            return Some(DialError::WrongKey(eid));
        }
        let mut reader = Reader::new(datagram);
        let unserved = Unserved::parse(&mut reader).ok().filter(|_| reader.is_empty())?;
        (unserved.first_byte == Family::Trickles.first_byte(INIT)).then_some(DialError::Unserved)
    }
}

/// What opens the door is not printed.
impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("peer", &self.peer).finish_non_exhaustive()
    }
}
