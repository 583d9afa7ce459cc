//! Who a host is.

use core::fmt;
use std::sync::Arc;

use tng_base::Eid;
use tng_crypto::{AgreementKey, BadPoint, HmacKey, SIGNATURE_LEN, Secret32, Shared, SigningKey, StaticKey, Zeroizing};
use tng_crypto::{agreement_secret, hkdf, labels, montgomery};

use crate::exchange::{answer_key, mac1_key};
use crate::reset::ResetKey;

/// Beginning of the text form of a secret.
const SECRET_PREFIX: &str = "tngsecret1";

/// A host's key pair, from which everything else that names or proves the host follows.
///
/// The public half is the [`Eid`]. The same pair, in its Montgomery form, is the static key of the Noise exchange.
pub struct Identity {
    seed: Secret32,
    signing: SigningKey,
    agreement: Arc<StaticKey>,
    mac1: HmacKey,
    answer_key: HmacKey,
    eid: Eid,
}

/// Why a text is not an identity's secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SecretTextError {
    /// It does not begin with `tngsecret1`.
    Prefix,
    /// What follows is not the 52 characters of a secret.
    Body,
}

impl Identity {
    /// The identity that `seed` determines (RFC 8032, section 5.1.5). Any host with the seed is this host.
    pub fn from_seed(seed: impl Into<Secret32>) -> Identity {
        let seed = seed.into();
        let signing = SigningKey::from_seed(&seed);
        let eid = Eid::from_bytes(*signing.public());
        let agreement = Arc::new(StaticKey::from_secret(agreement_secret(&seed)));
        Identity { agreement, seed, signing, mac1: mac1_key(&eid), answer_key: answer_key(&eid), eid }
    }

    /// The same for another machine of the host's: it answers in the same name.
    pub fn duplicate(&self) -> Identity {
        Identity::from_seed(self.seed.duplicate())
    }

    /// The public half.
    pub const fn eid(&self) -> Eid {
        self.eid
    }

    /// The secret half as text, for a key file: one line without its end, `tngsecret1` and 52 characters.
    pub fn to_secret_text(&self) -> Zeroizing<String> {
        // The seed is written like an EID: 256 bits of base32.
        Zeroizing::new(format!("{SECRET_PREFIX}{}", Eid::from_bytes(*self.seed.expose())))
    }

    /// Reads the text form, white space around it allowed.
    ///
    /// # Errors
    /// If it is something else.
    pub fn from_secret_text(text: &str) -> Result<Identity, SecretTextError> {
        let body = text.trim().strip_prefix(SECRET_PREFIX).ok_or(SecretTextError::Prefix)?;
        let seed: Eid = body.parse().map_err(|_| SecretTextError::Body)?;
        Ok(Identity::from_seed(*seed.as_bytes()))
    }

    /// The key of the stateless-reset tokens of the host that listens at `place` under this identity: the same after a
    /// restart there, when resets are needed, and another at every other place. Two hosts with one key would answer
    /// each other's tokens to anybody who asks (RFC 9000 section 21.11).
    pub fn reset_key(&self, place: &[u8]) -> ResetKey {
        ResetKey::new(hkdf::expand_secret(&self.seed, labels::RESET_KEY, place))
    }

    /// The key of the tickets that open `door` on this host: the same after a restart, so that they stay good, and no
    /// help in making those of another door.
    pub fn ticket_key(&self, door: &[u8]) -> TicketKey {
        TicketKey(Arc::new(HmacKey::new(hkdf::expand_secret(&self.seed, labels::CAPABILITY, door).expose())))
    }

    /// This host's signature over what is said, for what `label` says it is for.
    pub fn sign(&self, label: labels::Label, said: &[u8]) -> [u8; SIGNATURE_LEN] {
        self.signing.sign(&[label.as_bytes(), said].concat())
    }

    /// The pair of the EID's Montgomery form, by which a helper in the path shows whose offer it makes.
    pub fn agreement_key(&self) -> AgreementKey {
        AgreementKey::from_secret(&agreement_secret(&self.seed))
    }

    /// The Noise static key.
    pub(crate) const fn agreement(&self) -> &Arc<StaticKey> {
        &self.agreement
    }

    /// The key of the first MAC of what is for this host.
    pub(crate) const fn mac1(&self) -> &HmacKey {
        &self.mac1
    }

    /// The key of the MACs of its small answers.
    pub(crate) const fn answer_key(&self) -> &HmacKey {
        &self.answer_key
    }

    pub(crate) const fn signing(&self) -> &SigningKey {
        &self.signing
    }
}

/// The key of the tickets of one door. Anybody who has it can make them.
#[derive(Clone, Debug)]
pub struct TicketKey(Arc<HmacKey>);

impl TicketKey {
    /// The MAC over what a ticket says.
    pub fn tag(&self, said: &[u8]) -> [u8; 16] {
        let tag = self.0.tag(&[said]);
        core::array::from_fn(|i| tag[i])
    }

    /// Whether `tag` is the MAC over what a ticket says. Constant time.
    pub fn verify(&self, said: &[u8], tag: &[u8]) -> bool {
        self.0.verify(&[said], tag)
    }
}

/// What an identity has worked out about a peer, and need not again in their next exchange. It changes no byte of it.
/// As secret as the identity itself.
#[derive(Clone, Debug)]
pub struct Acquaintance {
    eid: Eid,
    shared: Arc<Shared>,
}

impl Acquaintance {
    /// Works it out.
    ///
    /// # Errors
    /// If `peer` is no usable key.
    pub fn new(identity: &Identity, peer: Eid) -> Result<Acquaintance, BadPoint> {
        let key = montgomery(peer.as_bytes())?;
        Ok(Acquaintance { eid: peer, shared: identity.agreement.agree(&key)? })
    }

    /// The peer's EID, and what was learned in an exchange with it.
    pub(crate) const fn learned(eid: Eid, shared: Arc<Shared>) -> Acquaintance {
        Acquaintance { eid, shared }
    }

    /// The peer.
    pub const fn eid(&self) -> Eid {
        self.eid
    }

    /// The peer's Noise static key.
    pub(crate) fn key(&self) -> &[u8; 32] {
        self.shared.peer()
    }

    pub(crate) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({:?})", self.eid)
    }
}

impl fmt::Display for SecretTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SecretTextError::Prefix => write!(f, "a secret key begins with {SECRET_PREFIX}; this is something else"),
            SecretTextError::Body => write!(f, "after {SECRET_PREFIX} a secret key has 52 characters, a-z and 2-7"),
        }
    }
}

impl core::error::Error for SecretTextError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_survives_its_key_file() {
        let identity = Identity::from_seed([1; 32]);
        let text = identity.to_secret_text();
        assert_eq!(text.len(), 62);
        let back = Identity::from_secret_text(&format!(" {}\n", *text)).unwrap();
        assert_eq!(back.eid(), identity.eid());
        assert_eq!(back.agreement().public(), &montgomery(identity.eid().as_bytes()).unwrap());
    }

    #[test]
    fn a_text_that_is_no_secret_says_what_is_wrong() {
        let identity = Identity::from_seed([7; 32]);
        let fault = |text: &str| Identity::from_secret_text(text).map(|_| ());
        assert_eq!(fault(&identity.eid().to_string()), Err(SecretTextError::Prefix));
        assert_eq!(fault(&identity.to_secret_text()[..61]), Err(SecretTextError::Body));
        assert_eq!(fault(""), Err(SecretTextError::Prefix));
    }

    #[test]
    fn reset_tokens_belong_to_one_identity_at_one_place() {
        let id = tng_base::ChannelId::from_u64(1);
        let token = |seed, place: &[u8]| *Identity::from_seed([seed; 32]).reset_key(place).token(id).as_bytes();
        assert_eq!(token(7, b"here"), token(7, b"here"), "also after a restart");
        assert_ne!(token(7, b"here"), token(7, b"there"));
        assert_ne!(token(7, b"here"), token(8, b"here"));
    }

    #[test]
    fn a_capability_belongs_to_one_host_and_one_door() {
        let (a, b) = (Identity::from_seed([7; 32]), Identity::from_seed([8; 32]));
        assert_eq!(a.ticket_key(b"attic").tag(b""), Identity::from_seed([7; 32]).ticket_key(b"attic").tag(b""));
        assert_ne!(a.ticket_key(b"attic").tag(b""), a.ticket_key(b"cellar").tag(b""));
        assert_ne!(a.ticket_key(b"attic").tag(b""), b.ticket_key(b"attic").tag(b""));
    }

    #[test]
    fn an_identity_prints_its_public_half_alone() {
        let identity = Identity::from_seed([7; 32]);
        assert_eq!(format!("{identity:?}"), format!("Identity({:?})", identity.eid()));
    }
}
