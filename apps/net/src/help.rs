//! Capabilities as a service (docs/relay.md): what a helper gives out, and what a client asks for and keeps.

mod capability_store;
mod client;
mod desk;
mod error;

pub use capability_store::{CAPABILITIES_KEPT_MAX, CAPABILITY_FILE_MAX, StoredCapabilities};
pub(crate) use capability_store::{replace, turn};
pub(crate) use client::Purse;
pub use client::{
    ASK_WITHIN, DECLINED_PAUSE, HELPERS_MAX, HelperTarget, RENEW_AGAIN_FIRST, RENEW_AGAIN_MAX, Wanted, ask,
};
pub use desk::{GRANTS_BURST, GRANTS_COUNTED, GRANTS_PER_S, HelpTerms};
pub use error::{FileFault, HelpError};
pub use tng_services::help::{Ask, BadToken, Denied, Terms, Token};
