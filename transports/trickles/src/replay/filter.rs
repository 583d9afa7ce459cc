//! Either of the filters.

use core::time::Duration;

use tng_base::Instant;
use tng_crypto::Blake3Key;
use tng_wire::Reader;

use super::{Bits, Burnt, HandedError, Issuer, Serials, TwoFilters};
use crate::{ConnectionId, Continuation, SERIAL_LIMIT};

/// What a filter that was written down begins with.
const SERIALS: u8 = 1;
const FILTERS: u8 = 2;

/// How a server knows what is spent.
#[derive(Debug)]
pub enum Replay {
    /// By who gave it out, and its serial. Two servers' continuations for one packet are two.
    Serials(Serials),
    /// By packet: two servers' continuations for one packet are one.
    Filters {
        /// The server's name.
        own: Issuer,
        /// The next serial: nobody asks for it, but no two continuations are the same.
        next: u64,
        /// The server's own. Keys of epochs would not do: a client names the epoch that its continuations move to, and
        /// might have one packet's made with two.
        key: Blake3Key,
        /// The filters.
        filters: TwoFilters,
    },
}

impl Replay {
    /// The exact filter of a server that calls itself `own`: as [`Serials::new`].
    pub fn serials(own: Issuer, now: Instant, serials: u64, remembered: Duration) -> Replay {
        Replay::Serials(Serials::new(own, now, serials, remembered))
    }

    /// Bloom filters of a server that calls itself `own`. `key` is drawn for them alone.
    pub const fn filters(own: Issuer, key: Blake3Key, filters: TwoFilters) -> Replay {
        Replay::Filters { own, next: 0, key, filters }
    }

    /// The server's name and its next serial, for a continuation that it gives out.
    pub fn issue(&mut self) -> (Issuer, u64) {
        match self {
            Replay::Serials(serials) => serials.issue(),
            Replay::Filters { own, next, .. } => {
                let serial = *next;
                *next = (serial + 1) % SERIAL_LIMIT;
                (*own, serial)
            }
        }
    }

    /// Spends a continuation of that connection, whose seal and age have been checked.
    ///
    /// # Errors
    /// [`Burnt`].
    pub fn burn(&mut self, now: Instant, id: &ConnectionId, continuation: &Continuation) -> Result<(), Burnt> {
        match self {
            Replay::Serials(serials) => serials.burn(now, continuation.issuer, continuation.serial),
            Replay::Filters { key, filters, .. } => {
                let (tag, first) = (continuation.tag.0.to_be_bytes(), continuation.first.to_be_bytes());
                let mac = key.tag(&[&id.0, &tag, &first]);
                filters.burn(now, Bits::of_mac(&mac))
            }
        }
    }

    /// Writes down what is spent (docs/wire.md section 11.2).
    pub(crate) fn write(&self, now: Instant, out: &mut Vec<u8>) {
        match self {
            Replay::Serials(serials) => {
                out.push(SERIALS);
                serials.write(now, out);
            }
            Replay::Filters { key, filters, .. } => {
                out.push(FILTERS);
                out.extend_from_slice(key.expose());
                filters.write(out);
            }
        }
    }

    /// The same filter, of the same size, that knows what another server has written down.
    pub(crate) fn taking_over(&self, now: Instant, reader: &mut Reader<'_>) -> Result<Replay, HandedError> {
        match (self, reader.u8()?) {
            (Replay::Serials(serials), SERIALS) => serials.taking_over(now, reader).map(Replay::Serials),
            (Replay::Filters { own, next, filters, .. }, FILTERS) => {
                let key = Blake3Key::from_bytes(reader.array::<32>()?);
                Ok(Replay::Filters { own: *own, next: *next, key, filters: filters.taking_over(now, reader)? })
            }
            (_, SERIALS | FILTERS) => Err(HandedError::OtherFilter),
            _ => Err(HandedError::Malformed),
        }
    }

    /// See [`Server::prefault_memory`](crate::server::Server::prefault_memory).
    pub(crate) fn prefault(&mut self) {
        match self {
            Replay::Serials(serials) => serials.prefault(),
            Replay::Filters { filters, .. } => filters.prefault(),
        }
    }

    /// Bytes that it holds.
    pub fn held(&self) -> usize {
        match self {
            Replay::Serials(serials) => serials.held(),
            Replay::Filters { filters, .. } => filters.held(),
        }
    }
}
