//! What the host keeps beside each instance.

use core::fmt;

use tng_stp_host::{Fault, Quotas, Shim};
use wasmtime::{Memory, ResourceLimiter};

/// Who answers an instance's calls.
pub(crate) enum Side {
    /// Nobody: it is asked what it is.
    Asked,
    /// The shim of a transport.
    Transport(Box<Shim>),
    /// A controller is told nothing, and answers a window and a rate.
    Controller(Option<(u64, u64)>),
}

/// Data of a store.
pub(crate) struct State {
    pub(crate) side: Side,
    /// The instance's memory, once there is one.
    pub(crate) memory: Option<Memory>,
    quotas: Quotas,
    /// Growth that was denied, where there is no shim that counts it.
    denied: u64,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("quotas", &self.quotas).finish_non_exhaustive()
    }
}

impl State {
    pub(crate) fn new(quotas: Quotas) -> State {
        State { side: Side::Asked, memory: None, quotas, denied: 0 }
    }

    pub(crate) fn quotas(&self) -> &Quotas {
        &self.quotas
    }

    fn grow(&mut self, desired: usize, most: u64) -> wasmtime::Result<bool> {
        if desired as u64 <= most {
            return Ok(true);
        }
        let too_often = match &mut self.side {
            Side::Transport(shim) => shim.deny_memory(),
            Side::Asked | Side::Controller(_) => {
                self.denied += 1;
                self.denied > self.quotas.denials
            }
        };
        if too_often { Err(Fault::Denied.into()) } else { Ok(false) }
    }
}

impl ResourceLimiter for State {
    fn memory_growing(&mut self, _now: usize, desired: usize, _its_own: Option<usize>) -> wasmtime::Result<bool> {
        self.grow(desired, self.quotas.memory)
    }

    fn table_growing(&mut self, _now: usize, desired: usize, _its_own: Option<usize>) -> wasmtime::Result<bool> {
        self.grow(desired, self.quotas.table)
    }

    fn instances(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }
}
