//! Modules that nobody wrote: by wasm-smith, run by both wasmtime and wasmi.
//!
//! `TNG_SEEDS=200000 cargo test --release -p tng-stp-sandbox tests::random` runs the full count.

use std::collections::BTreeMap;

use tng_base::Rng;
use wasm_smith::{Config, Module as Smith};
use wasmi::{StoreLimits, StoreLimitsBuilder};

use super::*;
use crate::calls::{self, Call, every_import};
use crate::store::State;

fn seeds() -> u64 {
    std::env::var("TNG_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(1_000)
}

fn quotas() -> Quotas {
    Quotas { fuel: 20_000, memory: 4 * 65_536, ..Quotas::default() }
}

/// Modules with the imports and exports of a transport, and anything else that may be in one.
fn shapes() -> Config {
    let all = imports().filter(|row| row.name != "net_window");
    let imports = all.fold(Wat::transport(), |guest, row| guest.import(row.name)).bytes();
    Config {
        available_imports: Some(imports),
        exports: Some(Wat::transport().bytes()),
        max_funcs: 40,
        max_instructions: 80,
        max_globals: 12,
        max_elements: 10,
        max_element_segments: 4,
        max_data_segments: 4,
        max_memories: 0,
        max_types: 20,
        max_table_elements: 1_100,
        max_memory32_bytes: 6 * 65_536,
        // Which bits a number has that is none is each engine's own matter.
        canonicalize_nans: true,
        bulk_memory_enabled: true,
        saturating_float_to_int_enabled: true,
        sign_extension_ops_enabled: true,
        allow_start_export: false,
        exceptions_enabled: false,
        extended_const_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        multi_value_enabled: false,
        reference_types_enabled: false,
        relaxed_simd_enabled: false,
        simd_enabled: false,
        tail_call_enabled: false,
        threads_enabled: false,
        ..Config::default()
    }
}

fn random_module(seed: u64, config: &Config) -> Option<Vec<u8>> {
    let mut rng = Rng::from_u64(seed);
    let mut entropy = vec![0; 3_000];
    rng.fill(&mut entropy);
    let mut entropy = arbitrary::Unstructured::new(&entropy);
    let mut smith = Smith::new(config.clone(), &mut entropy).ok()?;
    // Half of them run to their ends by themselves, as far as loops go.
    if seed.is_multiple_of(2) {
        smith.ensure_termination(1_000).ok()?;
    }
    said(&smith.to_bytes())
}

/// The same module, whose `abi`, `ring` and `area` answer what they have to.
fn said(bytes: &[u8]) -> Option<Vec<u8>> {
    let answers = BTreeMap::from([
        ("abi", format!("i64.const {}", abi_word(Kind::Transport))),
        ("ring", "i32.const 0".to_owned()),
        ("area", "i32.const 8192".to_owned()),
    ]);
    let body = |name: &str| {
        let kind = if name == "abi" { "i64" } else { "i32" };
        let module = wat::parse_str(format!("(module (func (result {kind}) {}))", answers[name])).unwrap();
        bodies(&module).pop().map(|body| module[body].to_vec())
    };
    let mut replaced = BTreeMap::new();
    let mut imported = 0;
    for payload in wasmparser::Parser::new(0).parse_all(bytes) {
        match payload.ok()? {
            wasmparser::Payload::ImportSection(imports) => {
                let functions =
                    imports.into_imports().flatten().filter(|it| matches!(it.ty, wasmparser::TypeRef::Func(_)));
                imported = functions.count() as u32;
            }
            wasmparser::Payload::ExportSection(exports) => {
                for export in exports.into_iter().flatten().filter(|export| answers.contains_key(export.name)) {
                    replaced.insert(export.index.checked_sub(imported)?, body(export.name)?);
                }
            }
            _ => {}
        }
    }
    let section = wasmparser::Parser::new(0).parse_all(bytes).flatten().find_map(|payload| match payload {
        wasmparser::Payload::CodeSectionStart { range, .. } => Some(range),
        _ => None,
    })?;
    let mut code = Vec::new();
    let all = bodies(bytes);
    leb(all.len(), &mut code);
    for (at, range) in all.into_iter().enumerate() {
        let body = match replaced.get(&(at as u32)) {
            Some(body) => body.clone(),
            None => tamed(bytes, range)?,
        };
        leb(body.len(), &mut code);
        code.extend(body);
    }
    let mut len = Vec::new();
    leb(section.len(), &mut len);
    // In front of the section stand its number and its length.
    let mut whole = bytes[..section.start - len.len()].to_vec();
    leb(code.len(), &mut whole);
    whole.extend(code);
    whole.extend(&bytes[section.end..]);
    Some(whole)
}

/// A body without the two instructions after which wasmtime makes a number that is none canonical, wasmi leaves it as
/// it is, and wasm-smith sees to neither: what they convert goes by way of an integer.
fn tamed(bytes: &[u8], range: core::ops::Range<usize>) -> Option<Vec<u8>> {
    let body = wasmparser::FunctionBody::new(wasmparser::BinaryReader::new(&bytes[range.clone()], 0));
    let (mut whole, mut copied) = (Vec::new(), range.start);
    for item in body.get_operators_reader().ok()?.into_iter_with_offsets() {
        let (operator, at) = item.ok()?;
        let instead = match operator {
            // i64.trunc_sat_f64_s, f32.convert_i64_s
            wasmparser::Operator::F32DemoteF64 => [0xfc, 0x06, 0xb4],
            // i64.trunc_sat_f32_s, f64.convert_i64_s
            wasmparser::Operator::F64PromoteF32 => [0xfc, 0x04, 0xb9],
            _ => continue,
        };
        whole.extend(&bytes[copied..range.start + at]);
        whole.extend(instead);
        copied = range.start + at + 1;
    }
    whole.extend(&bytes[copied..range.end]);
    Some(whole)
}

fn bodies(bytes: &[u8]) -> Vec<core::ops::Range<usize>> {
    let bodies = wasmparser::Parser::new(0).parse_all(bytes).flatten().filter_map(|payload| match payload {
        wasmparser::Payload::CodeSectionEntry(body) => Some(body.range()),
        _ => None,
    });
    bodies.collect()
}

fn leb(mut number: usize, into: &mut Vec<u8>) {
    loop {
        let byte = (number & 0x7f) as u8;
        number >>= 7;
        into.push(byte | if number > 0 { 0x80 } else { 0 });
        if number == 0 {
            return;
        }
    }
}

/// A guest in wasmi, with the same host behind it.
struct Other {
    store: wasmi::Store<(State, StoreLimits)>,
    instance: wasmi::Instance,
}

/// How a call ended, as far as two engines can agree on it.
#[derive(Clone, PartialEq, Eq, Debug)]
enum End {
    Answered(i64),
    Trapped,
    Pointer,
    /// Stopped for what is counted otherwise in each engine.
    Stopped,
}

impl End {
    fn of(result: &Result<i64, Fault>) -> End {
        match result {
            Ok(answer) => End::Answered(*answer),
            Err(Fault::Trapped(_)) => End::Trapped,
            Err(Fault::Pointer) => End::Pointer,
            Err(_) => End::Stopped,
        }
    }
}

/// A fault of ours on its way through wasmi.
#[derive(Debug)]
struct Through(Fault);

impl core::fmt::Display for Through {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl wasmi::errors::HostError for Through {}

type OtherCaller<'a> = wasmi::Caller<'a, (State, StoreLimits)>;

fn through<T>(
    caller: &mut OtherCaller<'_>,
    run: impl FnOnce(&mut Call<'_>) -> Result<T, Fault>,
) -> Result<T, wasmi::Error> {
    let memory = caller.get_export("memory").and_then(wasmi::Extern::into_memory);
    let result = match memory {
        Some(memory) => {
            let (memory, data) = memory.data_and_store_mut(caller);
            run(&mut Call { memory, state: &mut data.0, copied: 0 })
        }
        None => run(&mut Call { memory: &mut [], state: &mut caller.data_mut().0, copied: 0 }),
    };
    result.map_err(|fault| wasmi::Error::host(Through(fault)))
}

macro_rules! define {
    ($($name:ident($($parameter:ident: $type:ty),*) -> $result:ty;)*) => {
        fn other_linker(engine: &wasmi::Engine) -> wasmi::Linker<(State, StoreLimits)> {
            let mut linker = wasmi::Linker::new(engine);
            $(linker.func_wrap(
                "tng",
                stringify!($name),
                |mut caller: OtherCaller<'_>, $($parameter: $type),*| -> Result<$result, wasmi::Error> {
                    through(&mut caller, |call| calls::$name(call, $($parameter),*))
                },
            ).unwrap();)*
            linker
        }
    };
}

every_import!(define);

impl Other {
    fn engine() -> wasmi::Engine {
        let mut config = wasmi::Config::default();
        config
            .consume_fuel(true)
            .wasm_multi_value(false)
            .wasm_reference_types(false)
            .wasm_extended_const(false)
            .wasm_tail_call(false);
        wasmi::Engine::new(&config)
    }

    fn start(engine: &wasmi::Engine, linker: &wasmi::Linker<(State, StoreLimits)>, bytes: &[u8]) -> Option<Other> {
        let module = wasmi::Module::new(engine, bytes).ok()?;
        let limits = StoreLimitsBuilder::new().memory_size(quotas().memory as usize).build();
        let mut state = State::new(quotas());
        state.side = crate::store::Side::Transport(shim(quotas()));
        let mut store = wasmi::Store::new(engine, (state, limits));
        store.limiter(|(_, limits)| limits);
        store.set_fuel(1_000_000).unwrap();
        let instance = linker.instantiate_and_start(&mut store, &module).ok()?;
        Some(Other { store, instance })
    }

    fn run<P: wasmi::WasmParams, R: wasmi::WasmResults>(&mut self, name: &str, parameters: P) -> Result<R, End> {
        self.store.set_fuel(1_000_000).unwrap();
        let function = self.instance.get_typed_func::<P, R>(&self.store, name).unwrap();
        function.call(&mut self.store, parameters).map_err(|error| {
            if let Some(Through(fault)) = error.downcast_ref::<Through>() {
                return End::of(&Err(fault.clone()));
            }
            match error.as_trap_code() {
                Some(
                    wasmi::TrapCode::OutOfFuel
                    | wasmi::TrapCode::StackOverflow
                    | wasmi::TrapCode::GrowthOperationLimited,
                ) => End::Stopped,
                _ => End::Trapped,
            }
        })
    }

    fn call(&mut self, callback: Callback) -> End {
        let name = callback.name();
        let ended = match callback {
            Callback::Timer(id) => self.run(name, id),
            Callback::Shutdown { deadline_ms } => self.run(name, deadline_ms),
            Callback::Input => self.run(name, (0_u32, 0_u32)),
            Callback::UserRequest(request) => self.run(name, request.to_numbers()),
            Callback::Call { number } => {
                return match self.run::<_, i64>(name, (number, 0_u32)) {
                    Ok(answer) if answer > tng_stp_abi::CALL_MAX as i64 => End::Pointer,
                    Ok(answer) => End::Answered(answer),
                    Err(end) => end,
                };
            }
            _ => self.run(name, ()),
        };
        ended.map_or_else(|end| end, |()| End::Answered(0))
    }

    fn memory(&self) -> &[u8] {
        self.instance.get_memory(&self.store, "memory").unwrap().data(&self.store)
    }
}

#[derive(Default, Debug)]
struct Counts {
    seeds: u64,
    made: u64,
    refused: BTreeMap<String, u64>,
    ran: u64,
    answered: u64,
    trapped: u64,
    stopped: u64,
    agreed: u64,
}

#[test]
fn modules_that_nobody_wrote_stay_within_their_quotas_and_two_engines_agree_on_them() {
    let (engine, config) = (Engine::new(quotas()).unwrap(), shapes());
    let other_engine = Other::engine();
    let other_linker = other_linker(&other_engine);
    let mut counts = Counts { seeds: seeds(), ..Counts::default() };
    for seed in 0..counts.seeds {
        let Some(bytes) = random_module(seed, &config) else { continue };
        counts.made += 1;
        let module = match Module::new(&engine, &bytes) {
            Ok(module) => module,
            Err(ModuleError::TooMany { what, .. }) => {
                *counts.refused.entry(format!("too many {what}")).or_default() += 1;
                continue;
            }
            Err(ModuleError::Asked(fault)) => {
                *counts.refused.entry(fault.to_string()).or_default() += 1;
                continue;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        counts.ran += 1;
        let fresh = || {
            let other = Other::start(&other_engine, &other_linker, &bytes);
            (Sandboxed::new(&module, shim(quotas())).unwrap(), other.expect("what one engine takes, the other does"))
        };
        let (mut instance, mut other) = fresh();
        for callback in CALLBACKS {
            let result = instance.call(callback);
            assert!(instance.usage().memory <= quotas().memory, "seed {seed}");
            let (end, others) = (End::of(&result), other.call(callback));
            *match end {
                End::Answered(_) => &mut counts.answered,
                End::Stopped => &mut counts.stopped,
                End::Trapped | End::Pointer => &mut counts.trapped,
            } += 1;
            if end != End::Stopped && others != End::Stopped {
                assert_eq!(end, others, "seed {seed}, {callback:?}: {result:?}");
                assert!(instance.memory() == other.memory(), "seed {seed}, {callback:?}: memory");
                counts.agreed += 1;
            }
            if result.is_err() || others == End::Stopped {
                (instance, other) = fresh();
            }
        }
    }
    println!("{counts:#?}");
    assert!(counts.ran > counts.seeds / 3, "most are run: {counts:?}");
    assert!(counts.agreed > counts.ran, "most are compared: {counts:?}");
}
