//! STP: transport code as a guest, held to TCP-friendly rates.
//!
//! docs/stp.md has the design.
#![forbid(unsafe_code)]

mod instance;
mod quotas;
mod shim;

pub use instance::{Callback, Fault, Instance, Native, Usage};
pub use quotas::{Denials, Quotas};
pub use shim::Shim;
