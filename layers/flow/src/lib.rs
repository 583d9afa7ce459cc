//! The flow layer (Tng 3.3): a channel with regulation on.
//!
//! * [`Section`]: a channel with its path, its names and its share in a flow: what two hosts have together, whatever
//!   they are to each other.
//! * [`Flows`]: what the sections between two hosts share on one path, and how they take turns.
//! * [`HopKey`], [`HopArmor`]: what protects a section between neighbours on a helped path: a MAC under a hop key.
//!   Off-path packets and copied ones fail; the neighbour itself can read everything, by design.
//! * [`OfferKey`], [`open_offer`]: how a helper in the path offers itself to who has sent an INIT past it.
//! * [`Itinerary`], [`join()`], [`joined()`]: how the sections of a helped path are set up in one flight.
//!
//! This layer knows nothing of end-to-end keys or streams.
#![forbid(unsafe_code)]

mod around;
mod flows;
mod hop;
mod join;
mod names;
mod offer;
mod route;
mod section;
mod sizes;
pub mod wire;
mod wishes;

pub use around::{Around, Caution, Settings};
pub use flows::{Begun, FlowPath, Flows, LEASE_LOOK, Lease, LinkName, Party, Share, TURN_PACKETS};
pub use hop::{Carries, End, HOP_COVERED_LEN, HOP_KEY_LEN, HOP_TAG_LEN, HopArmor, HopKey};
pub use join::{
    BadItinerary, Capability, CapabilityKey, HELPERS_MAX, HopKeys, Itinerary, RenewalProof, Stop, join, joined,
    open_instructions, open_join, open_joined, read_renewal, renewal,
};
pub use offer::{OFFER_LEN_MAX, Offer, OfferKey, OfferTerms, PassingInit, open_offer, passing_reply};
pub use route::{ANSWERS_OWED_MAX, ASKED_MAX, MOVE_INTERVAL_MIN, MOVES_AT_ONCE_MAX, RACE_REMEMBERED};
pub use section::{
    Arrival, BATCH_BYTES_MAX, BATCH_DATAGRAMS_MAX, Ended, LINGER_MAX, NAT_KEEP_ALIVE, Origin, RENEWALS_MAX, Section,
    SectionStart, UNACKNOWLEDGED_IDLES,
};
pub use sizes::{PROBE_AFTER, SECTION_OVERHEAD};
pub use wishes::{WISHED_NAME_LEN_MAX, WISHED_QUEUE_TIME_MAX, Wishes};
