//! Guests as WebAssembly modules, in a sandbox.
//!
//! A [`Module`] is code that was checked and compiled once; a [`Sandboxed`] is an instance of it, one end of one
//! connection, and a [`SandboxedController`] one of a controller. Each has memory, stack and table of a bounded size,
//! and so much fuel for each call. All that it can ask for is in [`tng_stp_abi::TABLE`].
//!
//! An instance never shares memory with another: it is mapped when the instance begins and unmapped when it ends.
#![forbid(unsafe_code)]

mod border;
mod calls;
mod check;
mod controller;
mod engine;
mod imports;
mod instance;
mod limits;
mod module;
mod store;

pub use check::ModuleError;
pub use controller::SandboxedController;
pub use engine::{Engine, EngineError};
pub use instance::Sandboxed;
pub use limits::{INSTANCES_MAX, INSTANCES_OF_MODULE_MAX, MODULE_MAX};
pub use module::Module;

#[cfg(test)]
mod tests;
