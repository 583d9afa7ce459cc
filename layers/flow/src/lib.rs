//! The flow layer (Tng 3.3): a channel with regulation on.
//!
//! * [`Flow`]: what the channels between two hosts share on one path.
//! * [`HopArmor`]: what protects a section between neighbours: a truncated MAC under a hop key. Off-path packets and copied
//!   ones fail; the neighbour itself can read everything, by design.
//!
//! This layer knows nothing of identities, end-to-end keys or streams.
#![forbid(unsafe_code)]

mod flow;
mod section;

pub use flow::Flow;
pub use section::{HOP_TAG_LEN, HopArmor};
