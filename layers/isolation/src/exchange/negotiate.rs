//! What is chosen out of what is offered.

use tng_base::{ChannelId, Eid};

use super::VERSIONS;
use crate::Identity;
use crate::reset::ResetToken;
use crate::wire::{Acceptance, Cipher, Limits, Opening, Refusal, RefusalCode};

/// Which ciphers a host accepts, and which it likes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CipherPolicy {
    /// The processor computes AES-GCM in hardware ([`tng_crypto::hardware_aes`]).
    pub hardware_aes: bool,
    /// Packets may go unprotected but for a checksum, if the peer's configuration says so too. For laboratories.
    pub danger_weak: bool,
}

impl CipherPolicy {
    /// What a host offers, preferred first.
    pub fn offer(&self) -> Vec<Cipher> {
        let mut ciphers = Vec::with_capacity(3);
        if self.danger_weak {
            ciphers.push(Cipher::WeakChecksum);
        }
        ciphers.extend(match self.hardware_aes {
            true => [Cipher::Aes128Gcm, Cipher::ChaCha20Poly1305],
            false => [Cipher::ChaCha20Poly1305, Cipher::Aes128Gcm],
        });
        ciphers
    }

    /// What a host chooses: the first that it accepts too, but no AES where this end lacks the hardware and there is a
    /// choice.
    pub fn choose(&self, offered: &[Cipher]) -> Option<Cipher> {
        let mut accepted = offered.iter().copied().filter(|cipher| self.danger_weak || *cipher != Cipher::WeakChecksum);
        let first = accepted.next()?;
        if first == Cipher::Aes128Gcm && !self.hardware_aes {
            return Some(accepted.find(|cipher| *cipher == Cipher::ChaCha20Poly1305).unwrap_or(first));
        }
        Some(first)
    }
}

impl Opening {
    /// The plainest opening of `identity`, which calls the channel `channel`: a direct path, no extensions, nothing
    /// shown, nothing said yet.
    pub fn new(
        identity: &Identity,
        channel: ChannelId,
        ciphers: CipherPolicy,
        limits: Limits,
        protocol: &str,
    ) -> Opening {
        Opening {
            eid: identity.eid(),
            channel,
            versions: VERSIONS.to_vec(),
            ciphers: ciphers.offer(),
            extensions: Vec::new(),
            path: Vec::new(),
            hop_key: None,
            limits,
            reset_token: None,
            capability: None,
            protocol: protocol.to_owned(),
            set_up: None,
            transports: None,
            attach: None,
            payload: None,
        }
    }
}

/// What a responder brings to an exchange.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terms {
    /// Its name for the channel.
    pub channel: ChannelId,
    /// Ciphers.
    pub ciphers: CipherPolicy,
    /// Extensions that it understands.
    pub extensions: Vec<u64>,
    /// The helpers on the path as it sees it, in order; empty when direct.
    pub path: Vec<Eid>,
    /// What it asks the initiator to keep to.
    pub limits: Limits,
    /// Reset token of that name.
    pub reset_token: ResetToken,
}

impl Terms {
    /// The answer to `opening` by these terms, without set-up or payload, nothing taken; or the refusal if the two
    /// cannot agree. Whether the initiator may come in, and whether its protocol is spoken, is not asked here.
    ///
    /// # Errors
    /// If there is no common cipher, or the ends see different paths.
    pub(super) fn answer(self, version: u16, opening: &Opening) -> Result<Acceptance, Refusal> {
        let refusal = |code, reason: &str| Refusal { code, reason: reason.into() };
        let cipher = self
            .ciphers
            .choose(&opening.ciphers)
            .ok_or_else(|| refusal(RefusalCode::NoCommonCipher, "no cipher is accepted by both ends"))?;
        if self.path != opening.path {
            return Err(refusal(RefusalCode::PathsDiffer, "the two ends see different helpers on the path"));
        }
        let mut extensions = opening.extensions.clone();
        extensions.retain(|extension| self.extensions.contains(extension));
        Ok(Acceptance {
            channel: self.channel,
            version,
            cipher,
            extensions,
            path: self.path,
            limits: self.limits,
            reset_token: self.reset_token,
            protocol: opening.protocol.clone(),
            set_up: None,
            transport: None,
            payload: None,
            taken: false,
        })
    }
}
