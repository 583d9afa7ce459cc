//! Guests as WebAssembly modules, in a sandbox.
//!
//! A [`Module`] is code that was checked and compiled once; a [`Sandboxed`] is an instance of it, one end of one
//! connection, and a [`SandboxedController`] one of a controller. Each has memory, stack and table of a bounded size,
//! and so much fuel for each call. All that it can ask for is in [`tng_stp_abi::TABLE`].
//!
//! An instance never shares memory with another: it is mapped when the instance begins and unmapped when it ends.
//! A module that was compiled before can be had of what was kept ([`Module::of_compiled`]). That is the one piece of
//! `unsafe` code here, in a file of its own; the lints of the workspace deny it everywhere else.

mod border;
mod built_in;
mod calls;
mod check;
mod compiled;
mod controller;
mod engine;
mod imports;
mod instance;
mod limits;
mod module;
mod store;
mod text;

pub use built_in::{BUILT_IN, BuiltIn, CATALOGUE, RECEIVERS, built_in};
pub use check::ModuleError;
pub use compiled::{CompiledError, CompiledKey};
pub use controller::SandboxedController;
pub use engine::{Engine, EngineError};
pub use instance::{Apart, Sandboxed};
pub use limits::{INSTANCES_MAX, INSTANCES_OF_MODULE_MAX, MODULE_MAX};
pub use module::Module;
pub use text::{TextError, text};

#[cfg(test)]
mod tests;
