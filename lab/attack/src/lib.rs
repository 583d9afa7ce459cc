//! A hostile peer: the attacks of `docs/attacks.md` that can be made from outside, by name, as a machine.
//!
//! * [`ATTACKS`], [`STATELESS`], [`RELAYS`], [`REGISTRIES`], [`find`]: what there is.
//! * [`Attacker`]: one of them, driven like any other machine. It says what it sent and what came back: [`Tally`].
//! * [`RESOURCES`]: what every message may cost at worst; [`STORMS`]: attacks that drive the rows which no other
//!   drives.
//! * [`Server`], [`Bomb`]: a server that harms those who dial it. [`Beside`]: somebody who does so from beside the
//!   path.
//! * [`Rogue`]: a peer with good keys that seals whatever it likes.
//! * [`RogueHelper`]: a helper that drops, delays, damages, repeats and misleads, or acknowledges and drops.
#![forbid(unsafe_code)]

mod attacker;
mod beside;
mod burst;
mod catalogue;
mod frames;
mod helper;
mod offers;
mod orders;
mod registrants;
mod resources;
mod rogue;
mod server;
mod stateless;
mod storm;
mod storms;
mod tally;
mod work;

pub use attacker::{
    Attacker, ECHOES_MAX, LARGE_HOPS_MAX, LATE_MAX, LEFT_ALONE_MAX, Mark, PATIENCE, PLACES_MAX, REQUESTS_PER_PACKET,
    REQUESTS_PER_PEER, UNREAD_PEERS_MAX,
};
pub use beside::{Beside, FORGED_PER_INIT, Offers, QUESTION_LEN};
pub use burst::BURST_MAX;
pub use catalogue::{
    ATTACKS, Attack, Kind, LISTERS_MIN, PROMISED_MAX, REGISTRIES, RELAYS, STATELESS, TargetKind, find,
};
pub use frames::CONTENT_MAX;
pub use helper::{COPIES_MAX, Deed, HELD_BACK_MAX, RogueHelper};
pub use offers::ASKS_PER_PEER;
pub use orders::{ORDER_PAUSE, ORDER_SENDS_MAX, OrderTally, RelayClient, may_be_listed};
pub use registrants::{ASKS_PER_HOST, Introductions};
pub use resources::{
    ANSWER_HELD_MAX, ANSWERS_HELD_HOST_MAX, CHANNEL_HELD_MAX, Drive, HALF_OPEN_HELD_HOST_MAX, HALF_OPEN_HELD_MAX,
    HELD_HOST_MAX, Layer, MODEL_MEMORY, PEER_HELD_MAX, RESOURCES, Resource, Sender, WORK_MARGIN,
    WORK_MARGIN_INSTRUCTIONS,
};
pub use rogue::{Heard, REMEMBERED_MAX, Rogue};
pub use server::{BOMB_PATH_LEN, Bomb, HOSTILE_TEXT, Server, WAITING_MAX};
pub use stateless::{COPIES_KEPT_MAX, REQUESTS_WATCHED_MAX, STAY_MAX};
pub use storm::{BARE_MAX, USES_MAX};
pub use storms::STORMS;
pub use tally::Tally;
pub use work::{COUNTED, COUNTED_FOR};
