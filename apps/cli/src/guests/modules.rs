//! The modules that are built in.

use tng::stp::{
    Advisor, Advisors, BUILT_IN, BuiltIn, Cap, Code, Engine, EngineError, Fault, Kind, Module, ModuleError, Quotas,
    built_in,
};

use crate::exit::Exit;
use crate::failure::Failure;

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
        names.iter().map(|name| built_in(name).ok_or_else(|| unknown(&engine, name))).collect::<Result<_, _>>()?
    };
    let mut codes = Vec::new();
    for guest in asked {
        let module = module(&engine, guest)?;
        match module.code(guest.name).filter(|_| module.kind() == Kind::Transport) {
            Some(code) => codes.push(code),
            None if names.is_empty() => {}
            None => {
                return Err(unknown(&engine, guest.name).or_try("a guest whose kind is stream; `tng stp list` tells"));
            }
        }
    }
    Ok(codes)
}

/// As [`Regulator::named`](super::Regulator::named), of a guest.
pub(super) fn advisors(name: &str) -> Result<Advisors, Failure> {
    let engine = engine()?;
    let unknown = || {
        let controllers = BUILT_IN.iter().filter(|guest| guest.is_controller);
        let known: Vec<String> = controllers.map(|guest| format!("guest-{}", guest.name)).collect();
        let why = format!("{name:?} is no guest that is a controller; built in are {}", known.join(", "));
        Failure::usage("choosing the congestion controller", why).or_try("tng stp list")
    };
    let guest = built_in(name).filter(|guest| guest.is_controller).ok_or_else(unknown)?;
    let module = module(&engine, guest)?;
    Ok(warned_of(name, move |_| module.advisor(Quotas::default())))
}

/// Guests that regulate. People are warned when one does not: what is measured then is NewReno.
fn warned_of(name: &str, make: impl Fn(u16) -> Result<Box<dyn Advisor>, Fault> + Send + Sync + 'static) -> Advisors {
    let label = format!("guest-{name}");
    let told = move |fault: &Fault| tracing::warn!("{label} does not regulate, NewReno does in its place: {fault}");
    Advisors::new(name, Cap::EquationOrCubic, make, told)
}

fn unknown(engine: &Engine, name: &str) -> Failure {
    let is_one = |guest: &&BuiltIn| module(engine, guest).is_ok_and(|module| module.kind() == Kind::Transport);
    let transports: Vec<&str> = BUILT_IN.iter().filter(is_one).map(|guest| guest.name).collect();
    let why = format!("{name:?} is no transport with streams; built in are {}", transports.join(", "));
    Failure::usage("choosing the transport", why).or_try("tng stp list")
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Said(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Said {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("held").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn people_are_warned_when_a_guest_that_regulates_cannot_be_made() {
        let said = Said::default();
        let writer = said.clone();
        let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).finish();
        tracing::subscriber::with_default(subscriber, || {
            let controller = warned_of("cubic", |_| Err(Fault::NoRoom)).choice().make(1_200);
            assert!(controller.window() > 0, "control: somebody regulates");
        });
        let said = String::from_utf8(said.0.lock().expect("held").clone()).expect("text");
        assert!(said.contains("WARN") && said.contains("guest-cubic does not regulate, NewReno does"), "{said}");
        assert!(said.contains("no room for another instance"), "{said}");
    }
}
