//! The Isolation layer (Tng 3, SST 4): who the peer is, and packets that nobody else can read, change or make.
//!
//! * [`Identity`]: a host's keys; its public half is its EID.
//! * [`Hello`], [`Offer`], [`Initiator`]: the exchange, one message each way, as values that turn into the next.
//! * [`CookieJar`]: proof of address without state. [`ResetKey`]: the end of channels that were forgotten.
//! * [`AeadArmor`], [`WeakArmor`]: what the exchange leaves around a channel's packets.
#![forbid(unsafe_code)]

mod armor;
mod cookie;
mod exchange;
mod identity;
mod reset;
pub mod wire;

pub use armor::{
    AeadArmor, CHECKSUM_LEN, FORGERIES_MAX_CHACHA, FORGERIES_MAX_GCM, FORGERIES_MAX_WEAK, KeyLimits, RENEW_AFTER, Role,
    SEALS_MAX_GCM, WeakArmor,
};
pub use cookie::{COOKIE_EPOCH, COOKIE_LIFE, CookieJar};
pub use exchange::{
    Broken, COOKIES_MAX, CipherPolicy, Established, Exporter, Fingerprint, InitiateError, Initiator, KeyLogLine, Offer,
    OfferError, Replied, Terms, TooLong, VERSION, VERSIONS, cookie_answer, version_answer, wrong_key,
};
pub use identity::{Acquaintance, Identity, SecretTextError, TicketKey};
pub use reset::{ResetKey, ResetToken};
pub use wire::{
    Acceptance, Attach, Cipher, Cookie, CookieAnswer, Family, Hello, INIT_LEN, Limits, Opening, Purpose, Refusal,
    RefusalCode, VersionAnswer, WrongKey, addressee,
};
