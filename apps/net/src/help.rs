//! Capabilities as a service (docs/relay.md): what a helper gives out, and what a client asks for and keeps.

mod desk;

pub use desk::{GRANTS_BURST, GRANTS_COUNTED, GRANTS_PER_S, HelpTerms};
pub use tng_services::help::{Ask, Denied, Token};
