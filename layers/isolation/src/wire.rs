//! The bytes of set-up (wire.md, section 2).

mod answer;
mod family;
mod items;
mod opening;
mod setup;
mod small;
mod terms;
mod transports;

use tng_base::ChannelId;

pub use answer::{Acceptance, Answer, Refusal};
pub use family::Family;
pub use items::GREASE_LEN_MAX;
pub(crate) use items::write_grease;
pub use opening::Opening;
pub use setup::{ANSWER_LEN_MAX, Cookie, Hello, INIT, INIT_LEN, INIT_LEN_MIN, OPENING_LEN, REPLY_LEN_MAX, Reply};
pub(crate) use setup::{MAC1_LEN, NOISE_AT, opening_len, write_cookie, write_init_header};
pub use small::{ANSWER_MAC_LEN, CookieAnswer, SMALL_LEN_MAX, VersionAnswer, WRONG_KEY, WrongKey};
pub use terms::{ACK_DELAY_MAX_US, Attach, Cipher, Limits, Purpose, RefusalCode};
pub use transports::{OFFER_SERVICE_MAX, TRANSPORTS_MAX, TransportAnswer, TransportOffer};

/// Most versions in a list.
pub const VERSIONS_MAX: usize = 8;
/// Most known ciphers in a list.
pub const CIPHERS_MAX: usize = 8;
/// Most extensions in a list.
pub const EXTENSIONS_MAX: usize = 16;
/// Most helpers on a path.
pub const HELPERS_MAX: usize = 8;
/// Most bytes of a capability.
pub const CAPABILITY_LEN_MAX: usize = 64;
/// Most bytes of a protocol's name.
pub const PROTOCOL_LEN_MAX: usize = 32;
/// Most bytes of a protocol's set-up.
pub const SET_UP_LEN_MAX: usize = 256;
/// Most bytes of a refusal's text.
pub const REASON_LEN_MAX: usize = 255;

/// The channel that a REPLY, COOKIE, VERSION or WRONG_KEY of any family is for, by the name that the initiator chose.
/// `None` for everything else, and for what is too short to name one.
pub fn addressee(datagram: &[u8]) -> Option<ChannelId> {
    let (first, rest) = datagram.split_first()?;
    matches!(Family::of(*first)?.1, setup::REPLY | small::COOKIE | small::VERSION | small::WRONG_KEY)
        .then(|| rest.first_chunk().map(|id| ChannelId::from_bytes(*id)))
        .flatten()
}

#[cfg(test)]
mod tests;
