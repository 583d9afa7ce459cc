//! Registration as a service (docs/registry.md): what a registry does for hosts, and what hosts ask of it.

mod client;
mod desk;
mod error;
mod meeting;
mod registration;
mod seen;

pub(crate) use client::Registries;
pub use client::{ASK_WITHIN, Found, HEDGE_AFTER, Introduction, REGISTRIES_MAX, RegistryTarget, Watching, publish};
pub use desk::{Registry, RegistryDenials, RegistryStats, SWEEP_EVERY, TOLD_KEPT};
pub use error::{RegistryError, SeenFault};
pub use meeting::{INTRODUCED_AFTER, RELAY_ASKED_WITHIN, WATCH_AGAIN_AFTER};
pub use registration::{
    INTRODUCED_KEPT, RECORD_LIFE, REGISTER_AGAIN_FIRST, REGISTER_AGAIN_MAX, RENEW_EVERY_MAX, Registering, Registration,
    Standing, WITHDRAWN_WITHIN,
};
pub use seen::{SEEN_FILE_MAX, SEEN_MAX};
pub use tng_services::registry::{
    ADDRESSES_MAX, Attended, Caller, Change, Denied, DeskConfig, Entry, Flaw, Heard, LISTED_MAX, Memory, NONCE_LEN,
    Network, Order, PROTOCOL, Policy, Put, Record, Role, SERVICE, Statement, Store, StoreError, Succession, TokenHash,
    Waits, Word, battery,
};
