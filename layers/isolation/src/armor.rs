//! What the exchange puts around a channel's packets.

mod aead;
mod weak;

pub use aead::{AeadArmor, FORGERIES_MAX_CHACHA, FORGERIES_MAX_GCM, KeyLimits, RENEW_AFTER, SEALS_MAX_GCM};
pub use weak::{CHECKSUM_LEN, FORGERIES_MAX_WEAK, WeakArmor};

/// Which end of the exchange this host was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It sent the INIT.
    Initiator,
    /// It sent the REPLY.
    Responder,
}

impl Role {
    /// The other end's.
    pub const fn peer(self) -> Role {
        match self {
            Role::Initiator => Role::Responder,
            Role::Responder => Role::Initiator,
        }
    }
}
