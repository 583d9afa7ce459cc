//! A hostile peer: the attacks of `docs/attacks.md` that can be made from outside, by name, as a machine.
//!
//! * [`ATTACKS`], [`find`]: what there is.
//! * [`Attacker`]: one of them, driven like any other machine. It says what it sent and what came back: [`Tally`].
//! * [`Rogue`]: a peer with good keys that seals whatever it likes.
//! * [`RogueHelper`]: a helper that drops, delays, damages, repeats and misleads, or acknowledges and drops.
#![forbid(unsafe_code)]

mod attacker;
mod catalogue;
mod frames;
mod helper;
mod rogue;
mod tally;

pub use attacker::{Attacker, ECHOES_MAX, LATE_MAX, LEFT_ALONE_MAX, Mark, PATIENCE};
pub use catalogue::{ATTACKS, Attack, Kind, find};
pub use frames::CONTENT_MAX;
pub use helper::{COPIES_MAX, Deed, HELD_BACK_MAX, RogueHelper};
pub use rogue::{Heard, REMEMBERED_MAX, Rogue};
pub use tally::Tally;
