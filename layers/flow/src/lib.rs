//! The flow layer (Tng 3.3): a channel with regulation on.
//!
//! * [`Flows`]: what the channels between two hosts share on one path, and how they take turns.
//! * [`HopArmor`]: what protects a section between neighbours: a truncated MAC under a hop key. Off-path packets and copied
//!   ones fail; the neighbour itself can read everything, by design.
//!
//! This layer knows nothing of identities, end-to-end keys or streams.
#![forbid(unsafe_code)]

mod flows;
mod section;

pub use flows::{FlowPath, Flows, Share, TURN_PACKETS};
pub use section::{HOP_TAG_LEN, HopArmor};
