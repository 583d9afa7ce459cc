//! The guests of experiments as modules.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use tng_base::CodeHash;
use tng_crypto::code_hash;
use tng_stp_host::Code;
use tng_stp_sandbox::{Engine, Module, ModuleError, built_in};

use super::{Guest, quotas};

/// The guests of experiments as modules. All are compiled once, for all worlds.
pub(super) fn module(guest: Guest) -> Code {
    let built_in = built_in(guest.name()).expect("it comes with the sandbox");
    compiled(built_in.bytes, guest.name()).expect("it is one that was built and tested")
}

/// What a module is compiled into, as a transport of this name: once for all worlds.
///
/// # Errors
/// If it is none that the engine takes.
///
/// # Panics
/// If it is no transport, or this machine runs no modules.
pub(crate) fn compiled(module: &[u8], name: &str) -> Result<Code, ModuleError> {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    static CODES: Mutex<BTreeMap<CodeHash, Code>> = Mutex::new(BTreeMap::new());
    let mut codes = CODES.lock().unwrap_or_else(PoisonError::into_inner);
    let hash = code_hash(module);
    if let Some(code) = codes.get(&hash) {
        return Ok(code.clone());
    }
    let engine = ENGINE.get_or_init(|| Engine::new(quotas()).expect("this machine runs modules"));
    let code = Module::new(engine, module)?.code(name).expect("it is a transport");
    codes.insert(hash, code.clone());
    Ok(code)
}

/// NewReno as somebody else built it, who marks it so: the same code under another hash, which no host has of itself.
///
/// # Panics
/// If the mark is longer than 100 bytes.
pub fn somebody_elses(mark: &str) -> Vec<u8> {
    assert!(mark.len() <= 100, "a length of one byte");
    let mut module = built_in("newreno").expect("it comes with the sandbox").bytes.to_vec();
    // A custom section (WebAssembly 5.5.3): a name and nothing in it.
    module.extend_from_slice(&[0, mark.len() as u8 + 1, mark.len() as u8]);
    module.extend_from_slice(mark.as_bytes());
    module
}
