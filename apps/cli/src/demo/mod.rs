//! What the demonstration shows of real transfers. What it measures in virtual time are experiments of the lab.

mod relays;
mod transfer;
mod tree;

pub use relays::{Relayed, possible, relayed};
pub use transfer::{Leg, START_MAX, Transfers, transfers};
pub use tree::{FILES, SIZE_MIN, Sown, sow, wrong};
