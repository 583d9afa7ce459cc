//! The Noise IK handshake, `Noise_IK_25519_ChaChaPoly_SHA256`, over this crate's primitives.
//!
//! The pattern itself is snow's; the primitives are ours, because snow's own are slow at X25519 and draw randomness
//! from the system.

use core::fmt;

use snow::{Builder, HandshakeState};
use zeroize::Zeroize;

use crate::Secret32;

mod resolver;

pub use resolver::Resolver;

/// Bytes that message 1 adds to its payload: ephemeral key, sealed static key, tag.
pub const MESSAGE_1_OVERHEAD: usize = 32 + 48 + 16;
/// Bytes that message 2 adds to its payload: ephemeral key, tag.
pub const MESSAGE_2_OVERHEAD: usize = 32 + 16;

/// The handshake failed: the message is not authentic, too short, or holds a key of low order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the handshake message is not authentic")
    }
}

impl core::error::Error for Failed {}

impl From<snow::Error> for Failed {
    fn from(_: snow::Error) -> Failed {
        Failed
    }
}

/// What a finished handshake leaves.
#[derive(Debug)]
pub struct Split {
    /// The transcript's hash: public, the same at both ends, different for every handshake.
    pub hash: [u8; 32],
    /// First output: from initiator to responder.
    pub to_responder: Secret32,
    /// Second output: from responder to initiator.
    pub to_initiator: Secret32,
}

/// The end that begins.
pub struct Initiator(HandshakeState);

/// The end that answers.
pub struct Responder(HandshakeState);

fn builder<'a>(secret: &'a Secret32, prologue: &'a [u8], seed: Secret32) -> Builder<'a> {
    let params = "Noise_IK_25519_ChaChaPoly_SHA256".parse().expect("the name is a pattern");
    Builder::with_resolver(params, Box::new(Resolver::new(seed)))
        .local_private_key(secret.expose())
        .and_then(|builder| builder.prologue(prologue))
        .expect("each is set once")
}

impl Initiator {
    /// A handshake from the holder of the X25519 `secret` to the holder of `remote`. `seed` determines the ephemeral key:
    /// never the same twice.
    pub fn new(secret: &Secret32, remote: &[u8; 32], prologue: &[u8], seed: Secret32) -> Initiator {
        let state = builder(secret, prologue, seed)
            .remote_public_key(remote)
            .and_then(Builder::build_initiator)
            .expect("all that the pattern needs is there");
        Initiator(state)
    }

    /// Writes message 1 (`e, es, s, ss`) to the start of `out`; answers its length.
    ///
    /// # Errors
    /// If `remote` is of low order, or `out` is shorter than payload and [`MESSAGE_1_OVERHEAD`], or it was called before.
    pub fn write(&mut self, payload: &[u8], out: &mut [u8]) -> Result<usize, Failed> {
        Ok(self.0.write_message(payload, out)?)
    }

    /// Reads message 2 (`e, ee, se`); answers the length of the payload in `out`, which is
    /// [`MESSAGE_2_OVERHEAD`] shorter than the message or longer. After a failure another message may be read.
    ///
    /// # Errors
    /// If the message is not the responder's answer to message 1.
    pub fn read(&mut self, message: &[u8], out: &mut [u8]) -> Result<usize, Failed> {
        Ok(self.0.read_message(message, out)?)
    }

    /// The keys, once message 2 was read.
    ///
    /// # Panics
    /// If it was not.
    pub fn split(mut self) -> Split {
        split(&mut self.0)
    }
}

impl Responder {
    /// The answering end, holder of the X25519 `secret`. `seed` determines the ephemeral key: never the same twice.
    pub fn new(secret: &Secret32, prologue: &[u8], seed: Secret32) -> Responder {
        let state = builder(secret, prologue, seed).build_responder().expect("all that the pattern needs is there");
        Responder(state)
    }

    /// Reads message 1; answers the length of the payload in `out`, and the initiator's static key.
    ///
    /// # Errors
    /// If the message is not meant for this responder, or not authentic.
    pub fn read(&mut self, message: &[u8], out: &mut [u8]) -> Result<(usize, [u8; 32]), Failed> {
        let len = self.0.read_message(message, out)?;
        let remote = self.0.get_remote_static().and_then(|key| key.try_into().ok()).ok_or(Failed)?;
        Ok((len, remote))
    }

    /// Writes message 2 to the start of `out`; answers its length and the keys.
    ///
    /// # Errors
    /// If message 1 was not read, or the initiator's ephemeral key is of low order, or `out` is too short.
    pub fn write(mut self, payload: &[u8], out: &mut [u8]) -> Result<(usize, Split), Failed> {
        let len = self.0.write_message(payload, out)?;
        Ok((len, split(&mut self.0)))
    }
}

fn split(state: &mut HandshakeState) -> Split {
    assert!(state.is_handshake_finished(), "split before the last message");
    let mut hash = [0; 32];
    hash.copy_from_slice(state.get_handshake_hash());
    let (mut first, mut second) = state.dangerously_get_raw_split();
    let split = Split { hash, to_responder: Secret32::from_bytes(first), to_initiator: Secret32::from_bytes(second) };
    first.zeroize();
    second.zeroize();
    split
}

impl fmt::Debug for Initiator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Initiator(..)")
    }
}

impl fmt::Debug for Responder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Responder(..)")
    }
}
