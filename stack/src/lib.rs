//! Assembles the layers into a [`Host`]: the only place where layers meet.
//!
//! * [`Host`]: every connection of one identity, as one machine.
//! * [`HostConfig`], [`Access`], [`Target`]: what it is told.
//! * [`HostEvent`], [`ConnectError`], [`CloseCause`]: what it tells.
//! * [`Accounting`]: what it holds.
#![forbid(unsafe_code)]

mod acquaintances;
mod admission;
mod answer;
mod answered;
mod assemble;
mod attachment;
mod budget;
mod codes;
mod config;
mod connection;
mod detached;
mod dial;
mod error;
mod event;
mod gap;
mod guarded;
mod half_open;
mod helped;
mod helpers;
mod host;
mod host_wide;
mod link;
mod names;
mod reach;
mod residents;
mod semantics;
mod stats;
mod table;
mod terms;
mod tickets;
mod wait;
mod watch;

pub use acquaintances::ACQUAINTANCES_MAX;
pub use answered::INITS_REMEMBERED_MAX;
pub use budget::{
    CONNECTION_COST, FIRST_WINDOW_MIN, FIRST_WINDOW_PART, GUARANTEED_PART, MemoryShares, NEWCOMERS_PART, PEER_PART,
    SCARCE_PART, UNREAD_PART,
};
pub use config::{
    Access, Carried, FIRST_WINDOW, HostConfig, KEPT_BYTES_MAX, KEPT_BYTES_PER_PEER, KEPT_FOR, Keep, MEMORY_MAX, Target,
    UNREACHABLE_AFTER,
};
pub use connection::{CHANNELS_MAX, COUNTS_BEHIND_MAX, LINGERING_MAX};
pub use dial::{
    ADDRESSES_MAX, CONFIRM_AFTER, HELPED_PATIENCE, JOIN_REPEAT_MIN, REPEAT_FIRST, REPEAT_MAX, REPEAT_MIN, REPEAT_PTOS,
};
pub use error::{AttachError, BadProtocol, CloseCause, ConnectError, Sign};
pub use event::{EventKind, HostEvent};
pub use guarded::{ProtocolFault, REGISTERED_BYTES_MAX};
pub use helped::{
    BAD_PERIODS, BLOCKED_FOR, CARRIED_MAX, CARRIED_RETIRES_MAX, DELAY_MORE, DELAY_PERIOD, DELAY_SAMPLES, DOUBTED_EVERY,
    GUARD_FLOOR, HELPED_IDLE_TIMES, HELPED_STALLED_PROBES, LOSS_ASSUMED_OVER, LOSS_PERCENT_ASSUMED, LOSS_PERCENT_BORNE,
    LOSS_PERCENT_LEFT, LOSS_SCORE, LOSS_SCORE_ROUND, LOSS_TIMES, OFFERS_COLLECTED_MAX, OFFERS_COLLECTED_MIN,
    OFFERS_FOR, OFFERS_MAX, OFFERS_TRIED_MAX, PathMonitorConfig, QUIET_LEFT, RETIRES_MAX, RETURN_FIRST, RETURN_MAX,
    RETURN_SOON, SAMPLED_EVERY, SILENT_BY_CHANCE, SILENT_PTOS, SILENT_TRIALS_FEW, SILENT_TRIALS_MAX, SILENT_TRIALS_MIN,
    STANDS_BY_AFTER, TRIAL_APART,
};
pub use helpers::{Helpers, HelpersInPath, Via};
pub use host::{
    ANSWERS_WAITING_MAX, Accounting, ENDED_MAX, Elsewhere, GivesWay, Host, PeerHeld, STUCK_AFTER, Stray, Word,
};
pub use link::RESTS_AFTER;
pub use names::{ConnectionId, PROTOCOL, PathId, Usid};
pub use reach::{PATIENCE, RETRY_FIRST, RETRY_MAX, SILENT_FOR};
pub use residents::{LOOKED_AT_MAX, QUIET_AFTER, SCARCE_BELOW};
pub use semantics::negotiation::{Asked, NOT_HERE, Negotiation, Settled, Transports};
pub use semantics::{Factory, FactoryError, Proposal};
pub use stats::{ConnectionStats, PathStats, PathTaken, Relayed};
pub use terms::{IDLE_TIMEOUT_MIN, UDP_PAYLOAD_MAX};
pub use tickets::{ListedTicket, TICKET_CAPABILITY_LEN, TICKETS_MAX, TicketFlaw, TicketId, Tickets};
pub use tng_base::Semantic;
pub use tng_endpoint::{ExchangeLimits, IdSpace, Introduction, Mapping, Network, Rate, TokenBucket, is_carried};
#[doc(hidden)]
pub use tng_flow::Caution;
pub use tng_flow::wire::CAPABILITY_LEN_MAX;
pub use tng_flow::wire::Refusal;
pub use tng_flow::{BATCH_BYTES_MAX, BATCH_DATAGRAMS_MAX, LINGER_MAX, NAT_KEEP_ALIVE, PROBE_AFTER};
pub use tng_flow::{Capability, CapabilityKey, HOP_KEY_LEN, Stop, WISHED_NAME_LEN_MAX, WISHED_QUEUE_TIME_MAX, Wishes};
pub use tng_isolation::wire::{OFFER_SERVICE_MAX, TRANSPORTS_MAX, TransportAnswer, TransportOffer};
pub use tng_isolation::{Cipher, Identity};
pub use tng_semantic::structured;
pub use wait::{WAIT_TOLD_AFTER, Wait};
pub use watch::{HostNote, KEY_LINES_MAX, Watch};
