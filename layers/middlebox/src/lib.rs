//! The helper in the path (Tng 4.1): joins two sections of a flow through a shared queue, and can do nothing else to
//! it.
//!
//! * [`Helper`]: the machine, and [`HelperConfig`], what its operator decides.
//! * [`SharedQueue`]: what waits between two sections, and the receipts that are owed for it.
//! * [`InPath`]: offers a helper to who has sent a set-up past it.
//! * [`Office`]: capabilities, which say who may use the helper.
//!
//! It cannot name identities, end-to-end keys or streams: what it passes on is sealed for others.
#![forbid(unsafe_code)]

mod config;
mod ending;
mod held;
mod helper;
mod in_order;
mod in_path;
mod office;
mod queue;
mod relay;
mod repair;
mod spares;
mod tunnel;

pub use config::{
    ClientLimits, FLOW_BYTES_MAX, HALF_OPEN_FOR, HELD_BYTES_MAX, HelperConfig, NearChoice, Neighbourhood, Network,
    Offers, Onward, PORT_MIN, RELAYS_MAX, REPAIR_TIME_MAX, SECTION_FAILED_AFTER, SECTION_IDLE,
};
pub use ending::{DRAIN_FOR, FAREWELLS_MAX, TOLD_FOR};
pub use helper::{
    ANSWERS_WAITING_MAX, CAPABILITY_ENDED, FlowStatus, HELPED_NO_MORE, Helper, HelperEvent, HelperStats, LeftBecause,
    NEIGHBOUR_GONE, NoTunnel, QueueStatus, RATE_BURST, RATE_TURN_BYTES_MIN, SET_UP_LEN_MAX, SectionStatus, Served,
    TUNNEL_EXITS_MAX, TUNNEL_EXITS_PER_CLIENT_MAX, TUNNEL_FAILED_AFTER, TUNNEL_RETRY, TUNNEL_RETRY_MAX, TUNNELS_MAX,
    TunnelEnd, TunnelStatus, tunnel_named,
};
pub use in_order::{REORDERED_BYTES_MAX, TUNNEL_KNOWN_MAX};
pub use in_path::{InPath, InPathConfig, InPathStats, PASSING_FOR, PASSING_MAX};
pub use office::{ClientTag, FLOWS_MAX, Grant, Office, SHOWN_LEN, Terms};
pub use queue::{HELD_OVERHEAD, QUEUE_BYTES_MAX, QUEUE_PACKETS_MIN, QUEUE_TIME, Settled, SharedQueue, discipline_for};
pub use relay::{REST_AFTER, RelayId};
pub use repair::REPAIR_BYTES_MAX;
pub use spares::{BUFFER_SIZES, SPARES_MAX, Spares};
pub use tng_flow::OfferKey;
pub use tunnel::{
    FlowId, NotTaken, TUNNEL_BROUGHT_MAX, TUNNEL_BROUGHT_MIN, TUNNEL_BYTES_MAX, TUNNEL_FLOWS_MAX, tunnel_discipline,
};
