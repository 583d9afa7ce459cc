//! The guests of experiments as modules.

use std::sync::OnceLock;

use tng_stp_host::Code;
use tng_stp_sandbox::{Engine, Module, built_in};

use super::{Guest, quotas};

/// A guest as a module. All are compiled once, for all worlds.
pub(super) fn module(guest: Guest) -> Code {
    static CODES: OnceLock<Vec<(Guest, Code)>> = OnceLock::new();
    let codes = CODES.get_or_init(|| {
        let engine = Engine::new(quotas()).expect("this machine runs modules");
        let code = |guest: Guest| {
            let built_in = built_in(guest.name()).expect("it comes with the sandbox");
            let module = Module::new(&engine, built_in.bytes).expect("it is one that was built and tested");
            (guest, module.code(guest.name()).expect("it is a transport"))
        };
        [Guest::NewReno, Guest::Sack, Guest::Flood].map(code).to_vec()
    });
    codes.iter().find(|(of, _)| *of == guest).map(|(_, code)| code.clone()).expect("all are there")
}
