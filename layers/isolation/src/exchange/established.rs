//! What a finished exchange leaves.

use core::fmt;

use tng_base::{ChannelId, Eid, SessionId};
use tng_channel::Armor;
use tng_crypto::noise::Split;
use tng_crypto::{Label, Secret32, Suite, hkdf, labels};

use crate::armor::{AeadArmor, KeyLimits, RENEW_AFTER, Role, WeakArmor};
use crate::wire::Cipher;

/// A finished exchange, from this host's end.
///
/// It holds the first traffic secrets, for a key log. Take out what is needed and drop the rest, so that the armor's
/// renewed keys protect what was said before.
#[derive(Debug)]
pub struct Established {
    /// Who the peer is, proven.
    pub peer: Eid,
    /// This host's name for the channel: in packets to it.
    pub local_id: ChannelId,
    /// The peer's name for the channel: in packets from here.
    pub remote_id: ChannelId,
    /// What protects the packets.
    pub cipher: Cipher,
    /// Hash of the exchange: public, the same at both ends, of no other exchange.
    pub handshake_hash: [u8; 32],
    /// Secrets for the layers above.
    pub exporter: Exporter,
    /// First traffic secrets: initiator's, responder's.
    first: [Secret32; 2],
    role: Role,
}

impl Established {
    pub(super) fn new(
        role: Role,
        peer: Eid,
        local_id: ChannelId,
        remote_id: ChannelId,
        cipher: Cipher,
        split: Split,
    ) -> Established {
        let Split { hash, to_responder, to_initiator } = split;
        let secret = hkdf::extract(&hash, &[to_responder.expose(), to_initiator.expose()]);
        Established {
            peer,
            local_id,
            remote_id,
            cipher,
            handshake_hash: hash,
            exporter: Exporter(hkdf::expand_secret(&secret, labels::EXPORTER, &[])),
            first: [to_responder, to_initiator],
            role,
        }
    }

    /// What protects the packets. There is one: two would seal different packets with the same key and number.
    pub fn armor(self) -> Box<dyn Armor> {
        self.armor_renewing_after(RENEW_AFTER)
    }

    /// The same, its keys renewed after so many packets of a phase.
    pub fn armor_renewing_after(self, packets: u64) -> Box<dyn Armor> {
        let [to_responder, to_initiator] = &self.first;
        let (send, receive) = match self.role {
            Role::Initiator => (to_responder, to_initiator),
            Role::Responder => (to_initiator, to_responder),
        };
        let aead = |suite| {
            let limits = KeyLimits { renew_after: packets, ..KeyLimits::of(suite) };
            Box::new(AeadArmor::with_limits(suite, send.duplicate(), receive.duplicate(), limits))
        };
        match self.cipher {
            Cipher::Aes128Gcm => aead(Suite::Aes128Gcm),
            Cipher::ChaCha20Poly1305 => aead(Suite::ChaCha20Poly1305),
            Cipher::WeakChecksum => Box::new(WeakArmor::new(self.role, send, receive)),
        }
    }

    /// The name of the streams that this exchange begins, if it begins any. Public between the two ends, known to
    /// nobody else.
    pub fn session(&self) -> SessionId {
        let secret = self.exporter.export(labels::SESSION, &[]);
        SessionId::from_bytes(*secret.expose().first_chunk().expect("32 bytes have a first 16"))
    }

    /// Which end this host was.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// What a capture of this channel is read with: a line for a key log. Anybody who has the line reads everything; it
    /// is made only when asked for.
    pub fn key_log_line(&self) -> KeyLogLine<'_> {
        KeyLogLine(self)
    }
}

/// A line of a key log: `tng1`, the initiator's and the responder's channel id, the cipher's number, the initiator's
/// and the responder's first traffic secret, in hexadecimal, separated by spaces.
#[derive(Clone, Copy)]
pub struct KeyLogLine<'a>(&'a Established);

impl fmt::Display for KeyLogLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Established { local_id, remote_id, cipher, first, role, .. } = self.0;
        let (initiator, responder) = match role {
            Role::Initiator => (local_id, remote_id),
            Role::Responder => (remote_id, local_id),
        };
        write!(f, "tng1 {initiator:?} {responder:?} {}", cipher.code())?;
        for secret in first {
            f.write_str(" ")?;
            secret.expose().iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        }
        Ok(())
    }
}

impl fmt::Debug for KeyLogLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyLogLine(..)")
    }
}

/// Derives secrets that both ends share and nobody else has, independent of the packets' keys.
#[derive(Debug)]
pub struct Exporter(Secret32);

impl Exporter {
    /// Most bytes that [`fill`](Self::fill) fills at once: 255 hash outputs (RFC 5869 section 2.3).
    pub const EXPORT_MAX: usize = 255 * 32;

    /// A second copy, on purpose.
    pub const fn duplicate(&self) -> Exporter {
        Exporter(self.0.duplicate())
    }

    /// The secret for the use that `label` names, in a `context` that may be empty.
    pub fn export(&self, label: Label, context: &[u8]) -> Secret32 {
        hkdf::expand_secret(&self.0, label, context)
    }

    /// Fills `out` for the use that an application names by `label`, in a `context` that may be empty (in the manner of
    /// RFC 5705). Answers `false`, and fills nothing, if `out` is longer than [`EXPORT_MAX`](Self::EXPORT_MAX).
    pub fn fill(&self, label: &[u8], context: &[u8], out: &mut [u8]) -> bool {
        let fits = out.len() <= Exporter::EXPORT_MAX;
        if fits {
            // The length keeps label and context apart.
            let info = [&(label.len() as u64).to_be_bytes(), label, context].concat();
            hkdf::expand(&self.0, labels::EXPORTED, &info, out);
        }
        fits
    }
}
