//! The modules that are built in.

use tng::stp::{
    Advisor, Advisors, BuiltIn, Cap, Engine, EngineError, Fault, GUEST_PREFIX, Module, ModuleError, Quotas,
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

/// Guests of a module that is built in and regulates.
pub(super) fn advisors(name: &str, module: Module) -> Advisors {
    warned_of(name, move |_| module.advisor(Quotas::default()))
}

fn warned_of(name: &str, make: impl Fn(u16) -> Result<Box<dyn Advisor>, Fault> + Send + Sync + 'static) -> Advisors {
    Advisors::new(name, Cap::EquationOrCubic, make, warning(name))
}

/// Warns people when a guest of this name does not regulate: what is measured then is NewReno.
pub(super) fn warning(name: &str) -> impl Fn(&Fault) + Send + Sync + 'static {
    let label = format!("{GUEST_PREFIX}{name}");
    move |fault: &Fault| tracing::warn!("{label} does not regulate, NewReno does in its place: {fault}")
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
