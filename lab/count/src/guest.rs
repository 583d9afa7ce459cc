//! Two hosts between which a guest is the transport: one long stream by NewReno, compiled in or as a module.

use std::sync::Arc;

use tng_base::Instant;
use tng_crypto::Secret32;
use tng_stack::{ConnectError, ConnectionId, EventKind, FactoryError, Host, HostEvent, Semantic};
use tng_stp_abi::Role;
use tng_stp_host::{AnswerError, Code, Fault, Transport, Workshop, WriteError};

use crate::pair::{self, App, End};
use crate::part::{BLOCK, Stuck};
use crate::turns::Pair;

/// How the guest runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ran {
    /// It is compiled in.
    Native,
    /// It is a module in the sandbox.
    #[cfg(feature = "guests")]
    Module,
}

impl Ran {
    /// Whether an engine makes its code.
    pub const fn is_module(self) -> bool {
        !matches!(self, Ran::Native)
    }
}

/// Where the instructions of a guest's packet are spent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// In the guest's own code, natively with what of the border was inlined into it.
    Guest,
    /// In the engine, and in what carries calls over the border.
    Border,
    /// In policer, books and nonces, but for what was inlined into the shim.
    Policer,
    /// In the rest of the host's side of the guest: socket, segments, timers.
    Shim,
    /// In what every packet costs: stack, channel, cipher, copies.
    Channel,
}

impl Share {
    /// All of them, in the order of tables.
    pub const ALL: [Share; 5] = [Share::Guest, Share::Border, Share::Policer, Share::Shim, Share::Channel];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Share::Guest => "guest",
            Share::Border => "border",
            Share::Policer => "policer",
            Share::Shim => "shim",
            Share::Channel => "channel",
        }
    }

    /// To which a function belongs, by its name: what an engine compiles has none but its address.
    pub fn of(function: &str) -> Share {
        let has = |names: &[&str]| names.iter().any(|name| function.contains(name));
        if function.starts_with("0x") || has(&["stp_guest", "tng_stp_abi::receipts"]) {
            Share::Guest
        } else if has(&["wasmtime", "tng_stp_sandbox"]) {
            Share::Border
        } else if has(&["tng_stp_host::policer", "tng_stp_host::books", "tng_stp_host::nonces", "tng_nonce"]) {
            Share::Policer
        } else if has(&["tng_stp_host"]) {
            Share::Shim
        } else {
            Share::Channel
        }
    }
}

/// Two hosts that speak it. The client writes for ever.
///
/// # Errors
/// If the client's host, or the guest, does not even begin.
pub fn pair(ran: Ran) -> Result<Pair<End>, Stuck> {
    let code = code(ran)?;
    let [ours, theirs] = [1, 2].map(|seed| Arc::new(Workshop::new(&Secret32::from_bytes([seed; 32]), [seed; 32])));
    let transport = ours.transport(&code, Role::Initiator)?;
    let (answering, protocol) = (code.clone(), code.protocol());
    let register = |host: &mut Host| {
        let registered = host.register(&protocol, move |proposal| {
            match theirs.answer(&answering, proposal.set_up_item, proposal.memory) {
                Ok(transport) => Ok(Box::new(transport) as Box<dyn Semantic>),
                Err(AnswerError::NotUnderstood) => Err(FactoryError::NotUnderstood),
                Err(AnswerError::Fault(_)) => Err(FactoryError::Busy),
            }
        });
        debug_assert!(registered.is_ok(), "the name is free");
    };
    let begin = |now, host: &mut Host, target| -> Result<ConnectionId, ConnectError> {
        host.connect_speaking(now, target, &protocol, Box::new(transport))
    };
    Ok(pair::two(
        |_| Box::new(Writer { block: vec![7; BLOCK] }),
        Box::new(Reader { block: vec![0; BLOCK] }),
        register,
        begin,
    )?)
}

fn code(ran: Ran) -> Result<Code, Fault> {
    match ran {
        Ran::Native => Ok(Code::native::<stp_guest_newreno::NewReno>("newreno")),
        #[cfg(feature = "guests")]
        Ran::Module => module().ok_or(Fault::NoRoom),
    }
}

#[cfg(feature = "guests")]
fn module() -> Option<Code> {
    use tng_stp_sandbox::{Engine, Module, built_in};

    let engine = Engine::new(tng_stp_host::Quotas::default()).ok()?;
    Module::new(&engine, built_in("newreno")?.bytes).ok()?.code("newreno")
}

/// Writes for ever.
struct Writer {
    block: Vec<u8>,
}

impl App for Writer {
    fn handle_event(&mut self, _: Instant, host: &mut Host, event: HostEvent) {
        if let EventKind::Connected | EventKind::Notice = event.kind
            && let Some(guest) = host.protocol_as::<Transport>(event.connection)
        {
            while guest.write(&self.block) != Err(WriteError::Full) {}
        }
    }
}

/// Reads what comes.
struct Reader {
    block: Vec<u8>,
}

impl App for Reader {
    fn handle_event(&mut self, _: Instant, host: &mut Host, event: HostEvent) {
        if let Some(guest) = host.protocol_as::<Transport>(event.connection) {
            while guest.read(&mut self.block).is_some() {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_belongs_to_one_part_by_its_name() {
        for (function, share) in [
            ("0x0000000004d33140", Share::Guest),
            ("stp_guest_tcp::sender::Sender::output", Share::Guest),
            ("<tng_stp_sandbox::instance::Sandboxed as tng_stp_host::instance::Instance>::call", Share::Border),
            ("wasmtime::runtime::vm::traphandlers::catch_traps", Share::Border),
            ("<tng_stp_host::shim::Shim as tng_stp_abi::guest::Host>::net_send", Share::Shim),
            ("tng_stp_host::books::Books::handle_proof", Share::Policer),
            ("tng_channel::channel::incoming::<impl tng_channel::channel::Channel>::open", Share::Channel),
        ] {
            assert_eq!(Share::of(function), share, "{function}");
        }
    }
}
