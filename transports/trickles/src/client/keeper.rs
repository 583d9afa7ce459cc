//! What seals the requests of a connection and opens what answers them.

use tng_wire::Malformed;

#[cfg(feature = "keys")]
use crate::ConnectionSecret;
use crate::seal_len::TAG_LEN;
use crate::wire::{RequestHeader, ResponseHeader};

/// Who has a connection's secret.
#[derive(Debug)]
pub(super) enum Keeper {
    /// The client itself.
    #[cfg(feature = "keys")]
    Client(ConnectionSecret),
    /// The host of a guest, which seals what the client sends, and hands it what was opened.
    Host,
}

/// The connection's secret in an epoch.
#[derive(Debug)]
pub(super) struct Secret {
    /// The last byte of its number.
    pub(super) epoch: u8,
    pub(super) keeper: Keeper,
}

impl Secret {
    /// Whether it can be renewed: who does not have it is given another with another connection.
    pub(super) const fn is_here(&self) -> bool {
        !matches!(self.keeper, Keeper::Host)
    }

    /// That of another epoch, if this one can be renewed.
    pub(super) fn renewed(&self, epoch: u8, secret: &[u8; 32]) -> Option<Secret> {
        match self.keeper {
            #[cfg(feature = "keys")]
            Keeper::Client(_) => {
                let secret = ConnectionSecret::new(tng_crypto::Secret32::from_bytes(*secret));
                Some(Secret { epoch, keeper: Keeper::Client(secret) })
            }
            Keeper::Host => {
                let _ = (epoch, secret);
                None
            }
        }
    }

    /// What a response says, which answers the request with that seal.
    pub(super) fn open<'a>(
        &self,
        header: &ResponseHeader,
        request: &[u8; TAG_LEN],
        datagram: &'a mut [u8],
    ) -> Result<&'a [u8], Malformed> {
        match &self.keeper {
            #[cfg(feature = "keys")]
            Keeper::Client(secret) => header.open(&secret.responses(header.instance, request), datagram),
            Keeper::Host => {
                let _ = (header, request);
                datagram.get(ResponseHeader::LEN..).ok_or(Malformed)
            }
        }
    }

    /// Seals a request, which ends with room for the seal; answers that, if it is made here.
    pub(super) fn seal(&self, header: &RequestHeader, datagram: &mut [u8]) -> [u8; TAG_LEN] {
        match &self.keeper {
            #[cfg(feature = "keys")]
            Keeper::Client(secret) => header.seal(&secret.requests(), datagram),
            Keeper::Host => {
                let _ = (header, datagram);
                [0; TAG_LEN]
            }
        }
    }
}
