//! The engine that compiles modules and runs them.

use core::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use tng_stp_host::Quotas;
use wasmtime::{Config, Linker, OperatorCost, OptLevel, Strategy, WasmFeatures};

use crate::limits::{GROW_FUEL, INSTANCES_MAX, TICK};
use crate::store::State;

/// What modules may use: WebAssembly 1.0, with what the stable compilers emit for it today. `CALL_INDIRECT_OVERLONG` is
/// an encoding, no instruction.
pub(crate) const FEATURES: WasmFeatures = WasmFeatures::FLOATS
    .union(WasmFeatures::MUTABLE_GLOBAL)
    .union(WasmFeatures::SATURATING_FLOAT_TO_INT)
    .union(WasmFeatures::SIGN_EXTENSION)
    .union(WasmFeatures::BULK_MEMORY)
    .union(WasmFeatures::CALL_INDIRECT_OVERLONG);

/// Why there is no engine.
#[derive(Debug)]
#[non_exhaustive]
pub enum EngineError {
    /// Environment: this machine cannot run compiled modules.
    Unsupported(String),
    /// Environment: the thread that counts time did not start.
    Thread(std::io::Error),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Unsupported(why) => {
                write!(f, "this machine cannot run guests: {why}; use transports that are built in")
            }
            EngineError::Thread(why) => write!(f, "the thread that counts the time of guests did not start: {why}"),
        }
    }
}

impl core::error::Error for EngineError {}

/// Compiles modules and runs them: one for a program. Clones are the same engine.
#[derive(Clone)]
pub struct Engine(Arc<Shared>);

struct Shared {
    wasmtime: wasmtime::Engine,
    linker: Linker<State>,
    quotas: Quotas,
    clock: Arc<Clock>,
    ticker: Option<JoinHandle<()>>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shared { quotas, clock, .. } = &*self.0;
        f.debug_struct("Engine").field("quotas", quotas).field("instances", &clock.lock().instances).finish()
    }
}

impl Engine {
    /// An engine whose modules fit these quotas. The size of the stack is the engine's; all others may differ from
    /// instance to instance.
    ///
    /// # Errors
    /// See [`EngineError`].
    pub fn new(quotas: Quotas) -> Result<Engine, EngineError> {
        let unsupported = |error: wasmtime::Error| EngineError::Unsupported(error.to_string());
        let wasmtime = wasmtime::Engine::new(&config(&quotas)).map_err(unsupported)?;
        let linker = crate::imports::linker(&wasmtime).map_err(unsupported)?;
        let clock = Arc::new(Clock::default());
        let ticker = {
            let (clock, wasmtime) = (clock.clone(), wasmtime.clone());
            std::thread::Builder::new().name("tng-guests".to_owned()).spawn(move || clock.run(&wasmtime))
        };
        let ticker = Some(ticker.map_err(EngineError::Thread)?);
        Ok(Engine(Arc::new(Shared { wasmtime, linker, quotas, clock, ticker })))
    }

    /// Instances that run now.
    pub fn instances(&self) -> usize {
        self.0.clock.lock().instances
    }

    pub(crate) fn wasmtime(&self) -> &wasmtime::Engine {
        &self.0.wasmtime
    }

    pub(crate) fn linker(&self) -> &Linker<State> {
        &self.0.linker
    }

    /// What its modules fit.
    pub fn quotas(&self) -> &Quotas {
        &self.0.quotas
    }

    /// A place for one more instance, if there is one.
    pub(crate) fn enter(&self) -> Option<EngineSlot> {
        let mut state = self.0.clock.lock();
        if state.instances == INSTANCES_MAX {
            return None;
        }
        state.instances += 1;
        drop(state);
        self.0.clock.changed.notify_one();
        Some(EngineSlot(self.clone()))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.clock.lock().over = true;
        self.clock.changed.notify_one();
        if let Some(ticker) = self.ticker.take() {
            // It has nothing to say, and cannot have panicked.
            let _ = ticker.join();
        }
    }
}

/// The place of an instance in its engine.
#[derive(Debug)]
pub(crate) struct EngineSlot(Engine);

impl Drop for EngineSlot {
    fn drop(&mut self) {
        self.0.0.clock.lock().instances -= 1;
    }
}

/// Counts time while there are instances, and sleeps while there are none.
#[derive(Default)]
struct Clock {
    state: Mutex<ClockState>,
    changed: Condvar,
}

#[derive(Default)]
struct ClockState {
    instances: usize,
    over: bool,
}

impl Clock {
    fn lock(&self) -> MutexGuard<'_, ClockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, engine: &wasmtime::Engine) {
        let mut state = self.lock();
        loop {
            let asleep = self.changed.wait_while(state, |state| state.instances == 0 && !state.over);
            state = asleep.unwrap_or_else(PoisonError::into_inner);
            if state.over {
                return;
            }
            let ticking = self.changed.wait_timeout_while(state, TICK, |state| !state.over);
            state = ticking.unwrap_or_else(PoisonError::into_inner).0;
            engine.increment_epoch();
        }
    }
}

fn config(quotas: &Quotas) -> Config {
    let mut config = Config::new();
    config.strategy(Strategy::Cranelift).cranelift_opt_level(OptLevel::Speed);
    config.wasm_features(WasmFeatures::all(), false).wasm_features(FEATURES, true);
    // The same run has the same result, on every machine.
    config.cranelift_nan_canonicalization(true);
    // Bulk instructions burn one for each byte.
    config.consume_fuel(true).operator_cost(OperatorCost { MemoryGrow: GROW_FUEL, ..OperatorCost::new() });
    config.epoch_interruption(true);
    config.max_wasm_stack(usize::try_from(quotas.stack).unwrap_or(usize::MAX).max(1));
    // 4 GiB of addresses are set aside for each memory, so it never moves, and hardware checks its bounds.
    config.memory_may_move(false);
    // Nobody looks at frames of guests.
    config.wasm_backtrace_max_frames(None).native_unwind_info(false).generate_address_map(false);
    config
}
