//! Imports as the engine hands them to modules.

use tng_stp_host::Fault;
use wasmtime::{AsContextMut, Caller, Engine, Linker};

use crate::calls::{self, Call, every_import};
use crate::limits::{COPIED_MAX, HOST_CALL_FUEL};
use crate::store::State;

/// The module that all imports are from.
pub(crate) const MODULE: &str = "tng";

/// Makes a call, and burns fuel for it: what the host does is the guest's to pay.
fn run<T>(caller: &mut Caller<'_, State>, call: impl FnOnce(&mut Call<'_>) -> Result<T, Fault>) -> wasmtime::Result<T> {
    let fuel = caller.get_fuel()?;
    let (result, copied) = match caller.data().memory {
        Some(memory) => {
            let (memory, state) = memory.data_and_store_mut(caller.as_context_mut());
            with(memory, state, call)
        }
        None => with(&mut [], caller.data_mut(), call),
    };
    let answer = result?;
    let left = fuel.checked_sub(HOST_CALL_FUEL + copied.min(COPIED_MAX)).ok_or(Fault::Cpu)?;
    caller.set_fuel(left)?;
    Ok(answer)
}

fn with<T>(
    memory: &mut [u8],
    state: &mut State,
    run: impl FnOnce(&mut Call<'_>) -> Result<T, Fault>,
) -> (Result<T, Fault>, u64) {
    let mut call = Call { memory, state, copied: 0 };
    let result = run(&mut call);
    (result, call.copied)
}

macro_rules! define {
    ($($name:ident($($parameter:ident: $type:ty),*) -> $result:ty;)*) => {
        /// All imports.
        pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<State>> {
            let mut linker = Linker::new(engine);
            $(linker.func_wrap(
                MODULE,
                stringify!($name),
                |mut caller: Caller<'_, State>, $($parameter: $type),*| -> wasmtime::Result<$result> {
                    run(&mut caller, |call| calls::$name(call, $($parameter),*))
                },
            )?;)*
            Ok(linker)
        }
    };
}

every_import!(define);
