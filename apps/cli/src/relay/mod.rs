//! `tng relay`: helpers on real networks (docs/relay.md).
//!
//! * [`config`]: what a file says, and where each value comes from; [`clients`]: for whom, and on what terms.
//! * [`secret`]: the file of the secret from which capabilities follow.
//! * [`daemon`]: the process, from its sockets to its end; [`sandbox`]: what it gives up once it is bound.
//! * [`ticket`]: what leads clients to it.
//! * [`tunnels`]: flows of unmodified programs, from a device or a port here to one at another relay.
//! * [`control`]: the socket by which it is asked and told; [`status`]: what it tells of itself; [`metrics`]: the same
//!   for Prometheus; [`journal`]: a line for each flow.

pub mod clients;
pub mod config;
pub mod control;
pub mod daemon;
pub mod journal;
pub mod metrics;
pub mod sandbox;
pub mod secret;
pub mod status;
pub mod ticket;
pub mod tunnels;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is behind a lock; a task that panicked under it has left it as good as it was.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
