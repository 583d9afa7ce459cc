//! How a connection begins: one datagram each way, and nothing kept at the server (docs/trickles.md, "Set-up").
//!
//! ```text
//! client                                         server
//! Dial::new ────────── INIT ───────────────────▶ SetUp::answer
//!     │  ◀──── COOKIE, VERSION, WRONG_KEY ─────── Answer::Said
//!     ▼                                          Answer::Opened
//! Dial::handle ◀────── REPLY ─────────────────── Opened::reply, or Opened::refuse
//!     │                                              │
//!     ▼                                              ▼
//! Welcomed                                       (nothing)
//! ```
//!
//! The messages are those of `tng_isolation` in a family of their own.

mod client;
mod server;
mod welcome;

use tng_base::Eid;
use tng_crypto::{BLAKE3_TAG_LEN, labels, sha256};
use tng_isolation::{Cipher, CipherPolicy, Fingerprint, INIT_LEN, Limits};

pub use client::{Call, Dial, DialError, Heard, Welcomed};
pub use server::{Access, Answer, Dropped, Opened, Premises, SetUp, SetUpConfig};
pub use welcome::{AddressToken, TOKEN_LIFE, Welcome};

use crate::ConnectionId;
use crate::wire::Armor;

/// What Trickles is called where set-ups name a protocol.
pub const PROTOCOL: &str = "trickles";

/// What it is called by those who were told to leave seals out.
pub const PLAIN_PROTOCOL: &str = "trickles-plain";

/// What stands in a set-up by those who seal requests and responses, or do not.
const fn protocol(armor: Armor) -> &'static str {
    if armor.is_plain() { PLAIN_PROTOCOL } else { PROTOCOL }
}

/// Bytes that a server draws for the id of a connection.
pub const SALT_LEN: usize = 16;

/// Requests and responses are sealed with this, and with nothing else.
const CIPHER: Cipher = Cipher::Aes128Gcm;
/// What both ends choose by: it makes the above the first choice.
const CIPHERS: CipherPolicy = CipherPolicy { hardware_aes: true, danger_weak: false };
/// What both ends ask for. The terms of a channel, which there is none of here: no more than the least.
const LIMITS: Limits = Limits { idle_timeout_ms: 0, udp_payload_max: INIT_LEN as u64, ack_delay_max_us: 0 };

impl ConnectionId {
    /// The id of the connection that `responder` grants to who sent the INIT, by what it drew for it.
    ///
    /// It hashes all of message 1, and of message 2 what the server gives to it. It cannot hash all of message 2, which
    /// bears the secret that follows from the id.
    fn of(responder: Eid, init: &Fingerprint, salt: &[u8; SALT_LEN]) -> ConnectionId {
        let hash = sha256(&[labels::TRICKLES_ID.as_bytes(), responder.as_bytes(), init.as_bytes(), salt]);
        ConnectionId(*hash.first_chunk().expect("a hash has 32 bytes"))
    }
}

const _: () = assert!(BLAKE3_TAG_LEN == 16, "the length of a seal in docs/wire.md");

#[cfg(test)]
mod tests;
