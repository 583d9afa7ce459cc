//! The Noise IK handshake, `Noise_IK_25519_ChaChaPoly_SHA256`, over this crate's primitives.
//!
//! The pattern itself is snow's; the primitives are ours, because snow's own are slow at X25519 and draw randomness
//! from the system.

use core::fmt;
use core::hint::black_box;
use std::sync::{Arc, OnceLock};

use snow::{Builder, HandshakeState};
use zeroize::Zeroize;

use crate::{Secret32, Shared, StaticKey};

mod resolver;

use resolver::{Ephemeral, Learning, WorkedOut};

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
pub struct Responder {
    state: HandshakeState,
    ephemeral: Ephemeral,
}

fn builder<'a>(key: &'a StaticKey, prologue: &'a [u8], resolver: Resolver) -> Builder<'a> {
    let params = "Noise_IK_25519_ChaChaPoly_SHA256".parse().expect("the name is a pattern");
    Builder::with_resolver(params, Box::new(resolver))
        .local_private_key(key.secret().expose())
        .and_then(|builder| builder.prologue(prologue))
        .expect("each is set once")
}

impl Initiator {
    /// A handshake from the holder of `key` to the holder of `remote`. What the two agree on need not be computed if it
    /// is `known`. `ephemeral` is the secret half of the ephemeral key: never the same twice.
    pub fn new(
        key: &Arc<StaticKey>,
        remote: &[u8; 32],
        known: Option<&Arc<Shared>>,
        prologue: &[u8],
        ephemeral: Secret32,
    ) -> Initiator {
        let worked_out = WorkedOut { key: Arc::clone(key), known: known.cloned(), learned: None };
        let state = builder(key, prologue, Resolver::with(ephemeral.into(), worked_out))
            .remote_public_key(remote)
            .and_then(Builder::build_initiator)
            .expect("all that the pattern needs is there");
        Initiator(state)
    }

    /// Writes message 1 (`e, es, s, ss`) to the start of `out`; answers its length.
    ///
    /// # Errors
    /// If `remote` is of low order, or `out` is shorter than payload and [`MESSAGE_1_OVERHEAD`], or it was called
    /// before.
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

/// What message 1 says.
#[derive(Debug)]
pub struct Heard {
    /// Length of its payload.
    pub len: usize,
    /// What this end's static key and the initiator's agree on, for the next time.
    pub shared: Arc<Shared>,
}

impl Responder {
    /// The answering end, holder of `key`, reads message 1, whose payload it writes to `out`. What the two agree on
    /// need not be computed if it is `known`; that is a guess, which may be wrong.
    ///
    /// # Errors
    /// If the message is not meant for this responder, or not authentic. How long that takes does not tell whether the
    /// guess was right: anybody can send a message in the name of another.
    pub fn read(
        key: &Arc<StaticKey>,
        known: Option<&Arc<Shared>>,
        prologue: &[u8],
        message: &[u8],
        out: &mut [u8],
    ) -> Result<(Responder, Heard), Failed> {
        let shared = Arc::new(OnceLock::new());
        let ephemeral = *message.first_chunk().ok_or(Failed)?;
        let learned = Some(Learning { ephemeral, shared: Arc::clone(&shared) });
        let worked_out = WorkedOut { key: Arc::clone(key), known: known.cloned(), learned };
        let ephemeral_key = Ephemeral::default();
        let resolver = Resolver::with(ephemeral_key.clone(), worked_out);
        let mut state =
            builder(key, prologue, resolver).build_responder().expect("all that the pattern needs is there");
        match state.read_message(message, out) {
            Ok(len) => {
                let shared = Arc::clone(shared.get().ok_or(Failed)?);
                Ok((Responder { state, ephemeral: ephemeral_key }, Heard { len, shared }))
            }
            Err(_) => {
                if let (Some(shared), Some(known)) = (shared.get(), known)
                    && Arc::ptr_eq(shared, known)
                {
                    let _ = black_box(key.agree(known.peer()));
                }
                Err(Failed)
            }
        }
    }

    /// Writes message 2 to the start of `out`; answers its length and the keys. `ephemeral` is the secret half of the
    /// ephemeral key: never the same twice.
    ///
    /// # Errors
    /// If the initiator's ephemeral key is of low order, or `out` is too short.
    pub fn write(mut self, ephemeral: Secret32, payload: &[u8], out: &mut [u8]) -> Result<(usize, Split), Failed> {
        self.ephemeral.set(ephemeral);
        let len = self.state.write_message(payload, out)?;
        Ok((len, split(&mut self.state)))
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
