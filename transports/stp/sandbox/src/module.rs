//! Code that was checked and compiled.

use core::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tng_stp_abi::{ABI_VERSION, ARRIVED_LEN, CALL_MAX, Kind, RING_ENTRIES, SAMPLE_WORDS, of_abi_word};
use tng_stp_host::{Advisor, Code, Fault, Quotas};
use wasmtime::{Instance, InstancePre, Memory, Store, Trap, TypedFunc, WasmParams, WasmResults};

use crate::border::MEMORY;
use crate::calls::range;
use crate::check::{ModuleError, check};
use crate::controller::SandboxedController;
use crate::engine::{Engine, EngineSlot};
use crate::instance::Sandboxed;
use crate::limits::{INSTANCES_OF_MODULE_MAX, TICKS_MAX};
use crate::store::State;

/// A module, ready to be instantiated. Clones are the same module.
#[derive(Clone)]
pub struct Module(Arc<Shared>);

struct Shared {
    engine: Engine,
    code: InstancePre<State>,
    kind: Kind,
    instances: AtomicUsize,
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("kind", &self.0.kind).field("instances", &self.instances()).finish()
    }
}

impl Module {
    /// Checks and compiles a module, and asks it what it is. Compiling takes about a second for a megabyte, on the
    /// thread that calls.
    ///
    /// # Errors
    /// See [`ModuleError`].
    pub fn new(engine: &Engine, bytes: &[u8]) -> Result<Module, ModuleError> {
        let names = check(bytes, engine.quotas())?;
        let compiled = wasmtime::Module::from_binary(engine.wasmtime(), bytes).map_err(uncompiled)?;
        Module::of(engine, &compiled, |kind| names.check(kind))
    }

    /// Of compiled code: asks it what it is, and has that checked.
    pub(crate) fn of(
        engine: &Engine,
        compiled: &wasmtime::Module,
        check: impl FnOnce(Kind) -> Result<(), ModuleError>,
    ) -> Result<Module, ModuleError> {
        let code = engine.linker().instantiate_pre(compiled).map_err(uncompiled)?;
        let quotas = engine.quotas();
        // Time is counted while there are instances, and this is one.
        let _place = engine.enter().ok_or(ModuleError::Asked(Fault::NoRoom))?;
        let (mut store, instance, memory) = start(engine, &code, *quotas).map_err(ModuleError::Asked)?;
        let word = ask(&mut store, &instance, "abi").map_err(ModuleError::Asked)?;
        let kind = match of_abi_word(word) {
            (found, _) if found != u64::from(ABI_VERSION) => return Err(ModuleError::Version { found }),
            (_, kind) => kind.ok_or(ModuleError::UnknownKind)?,
        };
        check(kind)?;
        for (what, len) in places(kind) {
            place(&mut store, &instance, memory, what, *len)?;
        }
        Ok(Module(Arc::new(Shared { engine: engine.clone(), code, kind, instances: AtomicUsize::new(0) })))
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    pub(crate) fn serialized(&self) -> wasmtime::Result<Vec<u8>> {
        self.0.code.module().serialize()
    }

    /// A transport's code, under a name; nothing if it is a controller.
    pub fn code(&self, name: &str) -> Option<Code> {
        let (module, socket) = (self.clone(), self.kind().socket()?);
        Some(Code::new(name, socket, move |shim| {
            Ok(Box::new(Sandboxed::new(&module, shim)?) as Box<dyn tng_stp_host::Instance>)
        }))
    }

    /// An instance of a controller.
    ///
    /// # Errors
    /// See [`Fault`]; [`Fault::Trapped`] if it is a transport.
    pub fn advisor(&self, quotas: Quotas) -> Result<Box<dyn Advisor>, Fault> {
        Ok(Box::new(SandboxedController::new(self, quotas)?))
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Instances of it that run now.
    pub fn instances(&self) -> usize {
        self.0.instances.load(Ordering::Relaxed)
    }

    /// An instance that nobody has called yet.
    pub(crate) fn start(&self, kind: Kind, quotas: Quotas) -> Result<Running, Fault> {
        if self.0.kind != kind {
            return Err(Fault::Trapped(format!("it is a {:?}, and was to run as a {kind:?}", self.0.kind)));
        }
        let place = self.enter().ok_or(Fault::NoRoom)?;
        let (mut store, instance, memory) = start(&self.0.engine, &self.0.code, quotas)?;
        let mut addresses = [0; 2];
        for (address, (what, len)) in addresses.iter_mut().zip(places(kind)) {
            *address = self::place(&mut store, &instance, memory, what, *len).map_err(|error| match error {
                ModuleError::Asked(fault) => fault,
                _ => Fault::Pointer,
            })?;
        }
        let [area, ring] = addresses;
        Ok(Running { store, instance, memory, area, ring, _place: place })
    }

    fn enter(&self) -> Option<OneOf> {
        let more = |instances| (instances < INSTANCES_OF_MODULE_MAX).then_some(instances + 1);
        self.0.instances.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        // Counted from here on: what is dropped counts it back.
        let mut one = OneOf { module: self.clone(), _place: None };
        one._place = Some(self.0.engine.enter()?);
        Some(one)
    }
}

/// An instance's place, in its module and in its engine.
#[derive(Debug)]
pub(crate) struct OneOf {
    module: Module,
    _place: Option<EngineSlot>,
}

impl Drop for OneOf {
    fn drop(&mut self) {
        self.module.0.instances.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An instance with its memory. Memory goes back to the system before the place does.
pub(crate) struct Running {
    pub(crate) store: Store<State>,
    pub(crate) instance: Instance,
    pub(crate) memory: Memory,
    pub(crate) area: usize,
    pub(crate) ring: usize,
    _place: OneOf,
}

impl Running {
    /// One of the instance's functions, looked up once.
    pub(crate) fn function<P: WasmParams, R: WasmResults>(&mut self, name: &str) -> Result<TypedFunc<P, R>, Fault> {
        self.instance.get_typed_func(&mut self.store, name).map_err(|error| fault(&error))
    }

    /// So many bytes of its memory from an address on. Memory never shrinks, so a place that was there is there.
    pub(crate) fn bytes(&mut self, address: usize, len: usize) -> Result<&mut [u8], Fault> {
        let memory = self.memory.data_mut(&mut self.store);
        memory.get_mut(address..).and_then(|memory| memory.get_mut(..len)).ok_or(Fault::Pointer)
    }

    /// Calls the guest, with fuel and time for one call; answers the fuel that it took, too.
    pub(crate) fn call<P: WasmParams, R: WasmResults>(
        &mut self,
        function: &TypedFunc<P, R>,
        parameters: P,
    ) -> (Result<R, Fault>, u64) {
        call(&mut self.store, function, parameters)
    }
}

/// What a module of a kind says the place of, and how long that is: the area first.
fn places(kind: Kind) -> &'static [(&'static str, usize)] {
    match kind {
        Kind::Controller => &[("area", SAMPLE_WORDS * 8)],
        Kind::Transport | Kind::Messages => &[("area", CALL_MAX), ("ring", RING_ENTRIES * ARRIVED_LEN)],
    }
}

fn start(
    engine: &Engine,
    code: &InstancePre<State>,
    quotas: Quotas,
) -> Result<(Store<State>, Instance, Memory), Fault> {
    let mut store = Store::new(engine.wasmtime(), State::new(quotas));
    store.limiter(|state| state);
    store.epoch_deadline_trap();
    // Segments that are no plain image of memory are copied by code.
    arm(&mut store).map_err(|error| fault(&error))?;
    let instance = code.instantiate(&mut store).map_err(|error| fault(&error))?;
    let memory = instance.get_memory(&mut store, MEMORY).ok_or(Fault::Pointer)?;
    store.data_mut().memory = Some(memory);
    Ok((store, instance, memory))
}

/// Gives it fuel and time for one call.
fn arm(store: &mut Store<State>) -> wasmtime::Result<()> {
    store.set_epoch_deadline(TICKS_MAX);
    store.data_mut().refuel();
    store.set_fuel(store.data().quotas().fuel)
}

fn call<P: WasmParams, R: WasmResults>(
    store: &mut Store<State>,
    function: &TypedFunc<P, R>,
    parameters: P,
) -> (Result<R, Fault>, u64) {
    if let Err(error) = arm(store) {
        return (Err(fault(&error)), 0);
    }
    let fuel = store.data().quotas().fuel;
    let result = function.call(&mut *store, parameters).map_err(|error| fault(&error));
    // What a call has burnt when time stops it is not known.
    let left = if let Err(Fault::Cpu) = result { 0 } else { store.get_fuel().unwrap_or(0) };
    (result, fuel.saturating_sub(left).saturating_add(store.data().burnt()))
}

fn ask<R: WasmResults>(store: &mut Store<State>, instance: &Instance, name: &str) -> Result<R, Fault> {
    let function = instance.get_typed_func::<(), R>(&mut *store, name).map_err(|error| fault(&error))?;
    call(store, &function, ()).0
}

/// Where the instance has this; all of it lies in memory.
fn place(
    store: &mut Store<State>,
    instance: &Instance,
    memory: Memory,
    what: &'static str,
    len: usize,
) -> Result<usize, ModuleError> {
    let address: u32 = ask(store, instance, what).map_err(ModuleError::Asked)?;
    let range = u32::try_from(len).ok().and_then(|len| range(address, len));
    match range {
        Some(range) if range.end <= memory.data_size(&*store) => Ok(range.start),
        _ => Err(ModuleError::OutsideMemory(what)),
    }
}

fn uncompiled(error: wasmtime::Error) -> ModuleError {
    ModuleError::Uncompiled(error.to_string())
}

/// What an error of the engine's says of the guest.
pub(crate) fn fault(error: &wasmtime::Error) -> Fault {
    if let Some(fault) = error.downcast_ref::<Fault>() {
        return fault.clone();
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel | Trap::Interrupt) => Fault::Cpu,
        Some(Trap::StackOverflow) => Fault::Stack,
        Some(trap) => Fault::Trapped(trap.to_string()),
        None => Fault::Trapped(error.to_string()),
    }
}
