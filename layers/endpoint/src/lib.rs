//! The endpoint layer (Tng 3.2): who a datagram is for, where it may be answered, and how large it may be.
//!
//! * [`Mode`]: the first byte tells which protocol reads a datagram.
//! * [`Port`]: several machines behind one socket, by that byte, as one machine.
//! * [`Demux`]: channel ids and reset tokens to whatever they belong to.
//! * [`IdSpace`]: which of several hosts behind one address a packet is for; each host has a thread of its own.
//! * [`LocalIds`], [`RemoteIds`]: the names each side gives the other for a channel, with spares.
//! * [`Path`]: an address pair with its validation and its amplification ledger.
//! * [`PathMtu`]: packetization-layer path MTU discovery (RFC 8899).
//! * [`Punches`]: opens the NATs between hosts that were introduced. [`Sightings`]: what others say of where this host
//!   is.
//! * [`Frames`]: datagrams in a byte stream, and the addresses of who is reached by one.
//! * [`TokenBucket`]: bounds what strangers can make this host do. [`Exchanges`]: how many exchanges of keys, by the
//!   [`Network`] that they come from.
//!
//! This layer knows nothing of keys, windows or streams.
#![forbid(unsafe_code)]

mod bucket;
mod carrier;
mod demux;
mod exchanges;
mod ids;
mod mode;
mod mtu;
mod network;
mod path;
mod port;
mod punch;
mod sightings;
mod space;
mod wire;

pub use bucket::{ANSWERS_BURST, ANSWERS_PER_S, COOKIES_BURST, COOKIES_PER_S, TokenBucket};
pub use carrier::{
    CARRIED_LEN_MAX, FRAME_HEAD, FRAMES_BUFFER, Frames, Garbage, carried_address, carrier_number, is_carried,
    push_frame,
};
pub use demux::Demux;
pub use exchanges::{
    EXCHANGES_ALL_BURST, EXCHANGES_ALL_PER_S, EXCHANGES_NETWORK_BURST, EXCHANGES_NETWORK_PER_S, EXCHANGES_NETWORKS_MAX,
    EXCHANGES_UNPROVEN_BURST, EXCHANGES_UNPROVEN_PER_S, ExchangeLimits, Exchanges, Rate,
};
pub use ids::{IssuedId, LocalIds, MAX_REMOTE_IDS, RemoteIds, SPARE_IDS, TooManyIds};
pub use mode::Mode;
pub use mtu::{BASE_PAYLOAD, MtuConfig, PathMtu};
pub use network::{Network, is_public};
pub use path::{AMPLIFICATION_MAX, CHALLENGE_TRIES, CHALLENGED_FOR, Path, Validation};
pub use port::{Claim, OneOf, Port, TENANTS_MAX, Tenant, Tenants, UNSERVED_WAITING_MAX};
pub use punch::{
    BEGINS_AFTER_MAX, INTRODUCED_AGAIN_AFTER, INTRODUCED_FOR, INTRODUCTIONS_BURST, INTRODUCTIONS_PER_S, Introduction,
    LEARNED_ADDRESSES_MAX, PUNCHED_ADDRESSES_MAX, PUNCHED_AGAIN_AFTER, PUNCHES_ANSWERED_MAX, PUNCHES_MAX, Punches,
    Reached,
};
pub use sightings::{Mapping, OBSERVERS_MAX, Sightings};
pub use space::{BEGINNINGS, HINT_AT, IdSpace, PLAIN_BIT, REQUEST_BYTE, REQUEST_HINT_AT, SHARDS_MAX};
pub use wire::{PUNCH, Punch, Unserved};
