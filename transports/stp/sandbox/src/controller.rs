//! A controller at work.

use core::fmt;

use tng_stp_abi::{Kind, SAMPLE_WORDS, Sample};
use tng_stp_host::{Advisor, Fault, Quotas, Usage};
use wasmtime::TypedFunc;

use crate::module::{Module, Running};
use crate::store::Side;

/// A congestion controller that a module runs: numbers in, a window and a rate out.
pub struct SandboxedController {
    running: Running,
    sample: TypedFunc<(), ()>,
    calls: u64,
    fuel: u64,
    fault: Option<Fault>,
}

impl fmt::Debug for SandboxedController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SandboxedController")
            .field("usage", &self.usage())
            .field("fault", &self.fault)
            .finish_non_exhaustive()
    }
}

impl SandboxedController {
    /// An instance of a controller. Nothing is called yet.
    ///
    /// # Errors
    /// See [`Fault`].
    pub fn new(module: &Module, quotas: Quotas) -> Result<SandboxedController, Fault> {
        let mut running = module.start(Kind::Controller, quotas)?;
        let sample = running.function("sample")?;
        running.store.data_mut().side = Side::Controller(None);
        Ok(SandboxedController { running, sample, calls: 0, fuel: 0, fault: None })
    }

    fn told(&mut self, sample: &Sample) -> Result<Option<(u64, u64)>, Fault> {
        let area = self.running.bytes(self.running.area, SAMPLE_WORDS * 8)?;
        for (place, word) in area.chunks_exact_mut(8).zip(sample.to_words()) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let (result, fuel) = self.running.call(&self.sample, ());
        self.fuel = self.fuel.saturating_add(fuel);
        result?;
        Ok(match &mut self.running.store.data_mut().side {
            Side::Controller(answered) => answered.take(),
            Side::Asked | Side::Transport(_) | Side::Apart(_) => None,
        })
    }
}

impl Advisor for SandboxedController {
    fn handle(&mut self, sample: &Sample) -> Result<Option<(u64, u64)>, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.calls += 1;
        let result = self.told(sample);
        self.fault = result.as_ref().err().cloned();
        result
    }

    fn usage(&self) -> Usage {
        let memory = self.running.memory.data_size(&self.running.store) as u64;
        Usage { calls: self.calls, fuel: self.fuel, memory, ..Usage::default() }
    }
}
