//! Under which name a server answers.

#[cfg(feature = "keys")]
use crate::replay::Issuer;

/// The name of an instance of a server: 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InstanceName(pub [u8; InstanceName::LEN]);

impl InstanceName {
    /// Bytes of one.
    pub const LEN: usize = 8;

    /// That of a server which seals nothing, and needs no other for the next instant.
    #[cfg(feature = "keys")]
    pub(crate) fn plain(own: Issuer) -> InstanceName {
        let mut name = [0; InstanceName::LEN];
        name[..4].copy_from_slice(&own.0.to_be_bytes());
        InstanceName(name)
    }
}
