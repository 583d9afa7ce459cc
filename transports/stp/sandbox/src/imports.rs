//! Imports as the engine hands them to modules.

use tng_stp_host::Fault;
use wasmtime::{AsContextMut, Caller, Engine, Linker};

use crate::calls::{self, Call, every_import};
use crate::limits::{COPIED_MAX, HOST_CALL_FUEL};
use crate::store::State;

/// The module that all imports are from.
pub(crate) const MODULE: &str = "tng";

/// Makes a call, which is the guest's to pay.
fn run<T>(caller: &mut Caller<'_, State>, call: impl FnOnce(&mut Call<'_>) -> Result<T, Fault>) -> wasmtime::Result<T> {
    let mut memory: &mut [u8] = &mut [];
    let state = match caller.data().memory {
        Some(of) => {
            let state;
            (memory, state) = of.data_and_store_mut(caller.as_context_mut());
            state
        }
        None => caller.data_mut(),
    };
    let mut made = Call { memory, state, copied: 0 };
    let answer = call(&mut made)?;
    let fuel = HOST_CALL_FUEL + made.copied.min(COPIED_MAX);
    state.burn(fuel)?;
    Ok(answer)
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
