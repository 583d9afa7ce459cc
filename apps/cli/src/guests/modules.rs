//! The modules that are built in.

use tng::congestion::Choice;
use tng::stp::{
    Advised, BUILT_IN, BuiltIn, Cap, Code, Engine, EngineError, Module, ModuleError, Quotas, SocketKind, built_in,
};

use crate::exit::Exit;
use crate::failure::Failure;

/// What a guest is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It regulates what others send.
    Controller,
    /// It carries a stream of bytes each way.
    Stream,
    /// It carries messages.
    Messages,
}

impl Kind {
    /// That of a module.
    pub fn of(module: &Module) -> Kind {
        match module.code("").map(|code| code.socket()) {
            None => Kind::Controller,
            Some(SocketKind::Stream) => Kind::Stream,
            Some(SocketKind::Message) => Kind::Messages,
        }
    }

    /// As a word.
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Controller => "controller",
            Kind::Stream => "stream",
            Kind::Messages => "messages",
        }
    }
}

/// An engine for modules.
///
/// # Errors
/// If this machine cannot run them.
pub fn engine() -> Result<Engine, Failure> {
    let unfit = |error: EngineError| Failure::new(Exit::NotRunnable, "starting the engine of guests", error);
    Engine::new(Quotas::default()).map_err(unfit)
}

/// The module of a guest that is built in.
///
/// # Errors
/// If it is not one for this build of the tool.
pub fn module(engine: &Engine, guest: &BuiltIn) -> Result<Module, Failure> {
    let refused = |error: ModuleError| Failure::new(Exit::NotRunnable, format!("loading {}", guest.name), error);
    Module::new(engine, guest.bytes).map_err(refused)
}

/// As [`transports`](super::transports).
pub(super) fn transports(names: &[String]) -> Result<Vec<Code>, Failure> {
    let engine = engine()?;
    let asked: Vec<&BuiltIn> = if names.is_empty() {
        BUILT_IN.iter().collect()
    } else {
        names.iter().map(|name| built_in(name).ok_or_else(|| unknown(name))).collect::<Result<_, _>>()?
    };
    let mut codes = Vec::new();
    for guest in asked {
        let code = module(&engine, guest)?.code(guest.name).filter(|code| code.socket() == SocketKind::Stream);
        match code {
            Some(code) => codes.push(code),
            None if names.is_empty() => {}
            None => return Err(unknown(guest.name).or_try("a guest whose kind is stream; `tng stp list` tells")),
        }
    }
    Ok(codes)
}

/// As [`controller`](super::controller).
pub(super) fn controller(name: &str) -> Result<Choice, Failure> {
    let engine = engine()?;
    let unknown = || {
        let controllers = BUILT_IN.iter().filter(|guest| guest.is_controller);
        let known: Vec<String> = controllers.map(|guest| format!("guest-{}", guest.name)).collect();
        let why = format!("{name:?} is no guest that is a controller; built in are {}", known.join(", "));
        Failure::usage("choosing the congestion controller", why).or_try("tng stp list")
    };
    let guest = built_in(name).filter(|guest| guest.is_controller).ok_or_else(unknown)?;
    let module = module(&engine, guest)?;
    Ok(Advised::choice(name, Cap::EquationOrCubic, move |_| module.advisor(Quotas::default())))
}

fn unknown(name: &str) -> Failure {
    let known: Vec<&str> = BUILT_IN.iter().map(|guest| guest.name).collect();
    let why = format!("{name:?} is no transport with streams; built in are {}", known.join(", "));
    Failure::usage("choosing the transport", why).or_try("tng stp list")
}
