//! Noise's primitives for snow.

use std::sync::{Arc, OnceLock};

use crate::{AeadKey, HmacKey, NONCE_LEN, Secret32, Shared, StaticKey, Suite, TAG_LEN, equal};
use aws_lc_rs::digest;
use snow::Error;
use snow::params::{CipherChoice, DHChoice, HashChoice};
use snow::resolvers::CryptoResolver;
use snow::types::{Cipher, Dh, Hash, Random};

/// Gives snow X25519, SHA-256 and ChaCha20-Poly1305, and the ephemeral key that was drawn for it. Other choices it does
/// not know.
#[derive(Debug)]
pub struct Resolver {
    ephemeral: Ephemeral,
    worked_out: Option<WorkedOut>,
}

/// What need not be computed again in this handshake.
#[derive(Clone, Debug)]
pub(super) struct WorkedOut {
    /// This end's static key.
    pub key: Arc<StaticKey>,
    /// What it agrees on with a peer that is likely to be the one.
    pub known: Option<Arc<Shared>>,
    /// What it agrees on with the peer that is the one.
    pub learned: Option<Learning>,
}

/// Keeps what two static keys agree on.
#[derive(Clone, Debug)]
pub(super) struct Learning {
    /// The key that the static key meets beside the peer's.
    pub ephemeral: [u8; 32],
    /// Filled in the course of the handshake.
    pub shared: Arc<OnceLock<Arc<Shared>>>,
}

impl Resolver {
    /// A resolver for one handshake with this ephemeral key.
    pub fn new(ephemeral: Secret32) -> Resolver {
        Resolver { ephemeral: Ephemeral::from(ephemeral), worked_out: None }
    }

    pub(super) const fn with(ephemeral: Ephemeral, worked_out: WorkedOut) -> Resolver {
        Resolver { ephemeral, worked_out: Some(worked_out) }
    }
}

impl CryptoResolver for Resolver {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        Some(Box::new(self.ephemeral.clone()))
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        matches!(choice, DHChoice::Curve25519)
            .then(|| Box::new(X25519 { worked_out: self.worked_out.clone(), pair: None }) as _)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        matches!(choice, HashChoice::SHA256).then(|| Box::new(Sha256(digest::Context::new(&digest::SHA256))) as _)
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        matches!(choice, CipherChoice::ChaChaPoly).then(|| Box::new(ChaChaPoly { key: None }) as _)
    }
}

/// The secret half of a handshake's ephemeral key, which may be drawn when the handshake is under way, and is all the
/// randomness that the handshake gets.
#[derive(Clone, Debug, Default)]
pub(super) struct Ephemeral(Arc<OnceLock<Secret32>>);

impl Ephemeral {
    /// The key is drawn.
    pub(super) fn set(&self, secret: Secret32) {
        // In a handshake there is one.
        let _ = self.0.set(secret);
    }
}

impl From<Secret32> for Ephemeral {
    fn from(secret: Secret32) -> Ephemeral {
        Ephemeral(Arc::new(OnceLock::from(secret)))
    }
}

impl Random for Ephemeral {
    fn try_fill_bytes(&mut self, dest: &mut [u8]) -> Result<(), Error> {
        let secret = self.0.get().filter(|secret| secret.expose().len() == dest.len()).ok_or(Error::Rng)?;
        dest.copy_from_slice(secret.expose());
        Ok(())
    }
}

struct X25519 {
    worked_out: Option<WorkedOut>,
    pair: Option<Pair>,
}

enum Pair {
    /// The one that was worked out.
    Static(WorkedOut),
    /// Any other.
    Fresh(StaticKey),
}

impl Pair {
    fn key(&self) -> &StaticKey {
        match self {
            Pair::Static(worked_out) => &worked_out.key,
            Pair::Fresh(key) => key,
        }
    }
}

impl WorkedOut {
    /// What the static key and `peer` agree on, computed if it must be.
    fn agree(&self, peer: &[u8; 32], out: &mut [u8]) -> Result<(), Error> {
        let known = self.known.as_ref().filter(|known| known.secret_of(self.key.public(), peer).is_some());
        let shared = match known {
            Some(known) => Arc::clone(known),
            None => self.key.agree(peer).map_err(|_| Error::Dh)?,
        };
        let secret = shared.secret_of(self.key.public(), peer).ok_or(Error::Dh)?;
        out[..32].copy_from_slice(secret.expose());
        if let Some(learning) = self.learned.as_ref().filter(|learning| learning.ephemeral != *peer) {
            // In a handshake there is one such peer.
            let _ = learning.shared.set(shared);
        }
        Ok(())
    }
}

impl Dh for X25519 {
    fn name(&self) -> &'static str {
        "25519"
    }

    fn pub_len(&self) -> usize {
        32
    }

    fn priv_len(&self) -> usize {
        32
    }

    fn set(&mut self, privkey: &[u8]) {
        let mut secret = Secret32::from_bytes([0; 32]);
        secret.expose_mut().copy_from_slice(privkey);
        let is_own = |own: &&WorkedOut| equal(own.key.secret().expose(), secret.expose());
        self.pair = Some(match self.worked_out.as_ref().filter(is_own) {
            Some(own) => Pair::Static(own.clone()),
            None => Pair::Fresh(StaticKey::from_secret(secret)),
        });
    }

    fn generate(&mut self, rng: &mut dyn Random) -> Result<(), Error> {
        let mut secret = Secret32::from_bytes([0; 32]);
        rng.try_fill_bytes(secret.expose_mut())?;
        self.pair = Some(Pair::Fresh(StaticKey::from_secret(secret)));
        Ok(())
    }

    fn pubkey(&self) -> &[u8] {
        self.pair.as_ref().map_or(&[0; 32], |pair| pair.key().public())
    }

    fn privkey(&self) -> &[u8] {
        self.pair.as_ref().map_or(&[0; 32], |pair| pair.key().secret().expose())
    }

    fn dh(&self, pubkey: &[u8], out: &mut [u8]) -> Result<(), Error> {
        // snow hands over its largest key's buffer; ours is the beginning of it.
        let peer = pubkey.first_chunk::<32>().ok_or(Error::Dh)?;
        match self.pair.as_ref().ok_or(Error::Dh)? {
            Pair::Static(worked_out) => worked_out.agree(peer, out),
            Pair::Fresh(key) => key.agree_into(peer, out).map_err(|_| Error::Dh),
        }
    }
}

struct ChaChaPoly {
    key: Option<AeadKey>,
}

impl ChaChaPoly {
    fn nonce(counter: u64) -> [u8; NONCE_LEN] {
        let mut nonce = [0; NONCE_LEN];
        nonce[4..].copy_from_slice(&counter.to_le_bytes());
        nonce
    }
}

impl Cipher for ChaChaPoly {
    fn name(&self) -> &'static str {
        "ChaChaPoly"
    }

    fn set(&mut self, key: &[u8; 32]) {
        self.key = Some(AeadKey::from_bytes(Suite::ChaCha20Poly1305, key));
    }

    fn encrypt(&self, nonce: u64, authtext: &[u8], plaintext: &[u8], out: &mut [u8]) -> usize {
        let len = plaintext.len() + TAG_LEN;
        let key = self.key.as_ref().expect("snow seals only with a key set");
        out[..plaintext.len()].copy_from_slice(plaintext);
        key.seal(ChaChaPoly::nonce(nonce), authtext, &mut out[..len]);
        len
    }

    fn decrypt(&self, nonce: u64, authtext: &[u8], ciphertext: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        let key = self.key.as_ref().ok_or(Error::Decrypt)?;
        let len = ciphertext.len().checked_sub(TAG_LEN).ok_or(Error::Decrypt)?;
        let out = out.get_mut(..len).ok_or(Error::Decrypt)?;
        key.open_to(ChaChaPoly::nonce(nonce), authtext, ciphertext, out).map_err(|_| Error::Decrypt)?;
        Ok(len)
    }
}

struct Sha256(digest::Context);

impl Hash for Sha256 {
    fn name(&self) -> &'static str {
        "SHA256"
    }

    fn block_len(&self) -> usize {
        64
    }

    fn hash_len(&self) -> usize {
        32
    }

    fn reset(&mut self) {
        self.0 = digest::Context::new(&digest::SHA256);
    }

    fn input(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn result(&mut self, out: &mut [u8]) {
        out[..32].copy_from_slice(self.0.clone().finish().as_ref());
    }

    fn hmac(&mut self, key: &[u8], data: &[u8], out: &mut [u8]) {
        // snow passes keys in the buffer of its largest hash, zero behind ours; zeros behind a key shorter than a block
        // do not change an HMAC.
        out[..32].copy_from_slice(&HmacKey::new(key).tag(&[data]));
    }
}
