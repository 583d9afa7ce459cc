//! What the host keeps beside each instance.

use core::fmt;

use tng_stp_host::{Beside, Fault, Quotas, Shim};
use wasmtime::{Memory, ResourceLimiter};

/// Who answers an instance's calls.
pub(crate) enum Side {
    /// Nobody: it is asked what it is.
    Asked,
    /// The shim of a transport.
    Transport(Box<Shim>),
    /// What stands for the shim of a transport in another process.
    Apart(Box<dyn Beside>),
    /// A controller is told nothing, and answers a window and a rate.
    Controller(Option<(u64, u64)>),
}

/// Data of a store.
pub(crate) struct State {
    pub(crate) side: Side,
    /// The instance's memory, once there is one.
    pub(crate) memory: Option<Memory>,
    quotas: Quotas,
    /// Fuel that is left for what the host does in this call. It is as much as the guest has for itself, and counted
    /// apart, since a guest's own is kept in a register.
    left: u64,
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
        State { side: Side::Asked, memory: None, quotas, left: 0, denied: 0 }
    }

    pub(crate) fn quotas(&self) -> &Quotas {
        &self.quotas
    }

    /// A call into the guest begins.
    pub(crate) fn refuel(&mut self) {
        self.left = self.quotas.fuel;
    }

    /// The host has done something.
    pub(crate) fn burn(&mut self, fuel: u64) -> Result<(), Fault> {
        self.left = self.left.checked_sub(fuel).ok_or(Fault::Cpu)?;
        Ok(())
    }

    /// Fuel that was burnt in this call for what the host did.
    pub(crate) fn burnt(&self) -> u64 {
        self.quotas.fuel - self.left
    }

    fn grow(&mut self, desired: usize, most: u64) -> wasmtime::Result<bool> {
        if desired as u64 <= most {
            return Ok(true);
        }
        let too_often = match &mut self.side {
            Side::Transport(shim) => shim.deny_memory(),
            Side::Apart(beside) => beside.deny_memory(),
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
