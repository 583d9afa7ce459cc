//! What guests can do, and what they cannot.

mod border;
mod faults;
mod kept;
mod load;
mod pointers;
mod quotas;
mod random;
mod text;
mod work;

use core::fmt::Write;

use std::sync::Arc;

use tng_base::Rng;
use tng_crypto::Secret32;
use tng_nonce::NonceKey;
use tng_stp_abi::{Kind, Role, Row, Side, SocketKind, TABLE, Type, abi_word};
use tng_stp_host::{Callback, Cap, Fault, Instance, Quotas, Shim, ShimConfig};

use crate::{Engine, Module, ModuleError, Sandboxed, SandboxedController};

/// The text of a module that does nothing, but for what a test says.
#[derive(Clone, Debug)]
pub(super) struct Wat {
    kind: Kind,
    memory: String,
    imports: String,
    fields: String,
    bodies: Vec<(&'static str, String)>,
    without: Vec<&'static str>,
}

impl Wat {
    fn new(kind: Kind) -> Wat {
        let memory = "(memory (export \"memory\") 1)".to_owned();
        Wat { kind, memory, imports: String::new(), fields: String::new(), bodies: Vec::new(), without: Vec::new() }
    }

    pub(super) fn transport() -> Wat {
        Wat::new(Kind::Transport)
    }

    pub(super) fn controller() -> Wat {
        Wat::new(Kind::Controller)
    }

    /// With an import of the table, as `$name`.
    pub(super) fn import(mut self, name: &str) -> Wat {
        let row = crate::border::row(Side::Import, name).unwrap();
        writeln!(self.imports, "(import \"tng\" {name:?} (func ${name} {}))", signature(row)).unwrap();
        self
    }

    pub(super) fn import_text(mut self, text: &str) -> Wat {
        writeln!(self.imports, "{text}").unwrap();
        self
    }

    pub(super) fn field(mut self, text: &str) -> Wat {
        writeln!(self.fields, "{text}").unwrap();
        self
    }

    pub(super) fn memory(mut self, text: &str) -> Wat {
        text.clone_into(&mut self.memory);
        self
    }

    /// An export does this; its parameters are `$` and their names in the table.
    pub(super) fn body(mut self, name: &'static str, text: impl Into<String>) -> Wat {
        self.bodies.push((name, text.into()));
        self
    }

    pub(super) fn without(mut self, name: &'static str) -> Wat {
        self.without.push(name);
        self
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("(module\n{}{}\n{}", self.imports, self.memory, self.fields);
        for name in crate::border::exports(self.kind).filter(|name| !self.without.contains(name)) {
            let row = crate::border::row(Side::Export, name).unwrap();
            let said = self.bodies.iter().find(|(of, _)| *of == name).map(|(_, body)| body.clone());
            let body = said.unwrap_or_else(|| match name {
                "abi" => format!("i64.const {}", abi_word(self.kind)),
                "area" => "i32.const 8192".to_owned(),
                _ => row.result.map_or(String::new(), |kind| format!("{}.const 0", value(kind))),
            });
            writeln!(text, "(func ${name} (export {name:?}) {} {body})", signature(row)).unwrap();
        }
        text + ")"
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let text = self.text();
        wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    pub(super) fn load(&self) -> Result<Module, ModuleError> {
        Module::new(&engine(), &self.bytes())
    }

    /// An instance with these quotas.
    pub(super) fn start(&self, quotas: Quotas) -> Sandboxed {
        let module = Module::new(&Engine::new(quotas).unwrap(), &self.bytes()).unwrap();
        Sandboxed::new(&module, shim(quotas)).unwrap()
    }

    /// What becomes of one callback of a fresh instance.
    pub(super) fn call(&self, callback: Callback) -> Result<i64, Fault> {
        self.start(Quotas::default()).call(callback)
    }

    pub(super) fn start_controller(&self) -> SandboxedController {
        SandboxedController::new(&self.load().unwrap(), Quotas::default()).unwrap()
    }
}

pub(super) fn value(kind: Type) -> &'static str {
    match kind {
        Type::U32 => "i32",
        Type::U64 | Type::I64 => "i64",
    }
}

fn signature(row: &Row) -> String {
    let mut text = String::new();
    for (name, kind) in row.parameters {
        write!(text, "(param ${name} {}) ", value(*kind)).unwrap();
    }
    if let Some(kind) = row.result {
        write!(text, "(result {})", value(kind)).unwrap();
    }
    text
}

pub(super) fn imports() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(|row| row.side == Side::Import)
}

pub(super) fn engine() -> Engine {
    Engine::new(Quotas::default()).unwrap()
}

pub(super) fn shim(quotas: Quotas) -> Box<Shim> {
    Box::new(Shim::new(ShimConfig {
        role: Role::Initiator,
        socket: SocketKind::Stream,
        quotas,
        cap: Cap::default(),
        signal: tng_stp_host::Signal::default(),
        policed: true,
        acks_bounded: true,
        nonces: Arc::new(NonceKey::derive(&Secret32::from_bytes([7; 32]))),
        rng: Rng::from_u64(1),
    }))
}

/// Every callback, once.
pub(super) const CALLBACKS: [Callback; 10] = [
    Callback::Attach,
    Callback::Connect,
    Callback::Accept,
    Callback::Input,
    Callback::Timer(3),
    Callback::UserRequest(tng_stp_abi::UserRequest::Send { until: 9 }),
    Callback::PathChanged,
    Callback::Call { number: 1 },
    Callback::Shutdown { deadline_ms: 2_000 },
    Callback::Abort,
];
