//! What the daemons of the tool have in common: `tng relay run` (docs/relay.md) and `tng trickles serve`
//! (docs/trickles.md).
//!
//! * [`told`]: the values of a configuration, and where each comes from.
//! * [`process`]: signals, systemd, the end; [`sandbox`]: what a process gives up once it is bound.
//! * [`control`]: the socket by which a daemon is asked and told; [`metrics`]: what it tells Prometheus.
//! * [`lines`]: its access log; [`table`]: what people read.

pub mod control;
pub mod lines;
pub mod log;
pub mod metrics;
pub mod process;
pub mod sandbox;
pub mod table;
pub mod told;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prometheus_client::encoding::DescriptorEncoder;
use serde_json::Value;

use crate::clock;
use crate::failure::Failure;

/// What is behind a lock; a task that panicked under it has left it as good as it was.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a kind of daemon is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// For people: "relay".
    pub name: &'static str,
    /// What those commands begin with that ask it.
    pub command: &'static str,
    /// Its unit; its socket and its folders are called so, too.
    pub unit: &'static str,
    /// What the names of its metrics begin with.
    pub metrics: &'static str,
}

/// What a daemon tells some at a time.
pub type Listed = Box<dyn Iterator<Item = Vec<Value>> + Send>;

/// A daemon that runs, as those see it who ask it something.
pub trait Daemon: Send + Sync + 'static {
    /// What it is called.
    const KIND: Kind;

    /// How long it has run, and the like.
    fn life(&self) -> &Life;

    /// Whether all its threads are there.
    fn is_running(&self) -> bool;

    /// What it tells of itself, but for a [list](Daemon::list).
    fn status(&self) -> Value;

    /// What it tells beside that, under a name, some at a time: there may be much of it.
    fn list(&self) -> Option<(&'static str, Listed)> {
        None
    }

    /// Every value that holds, and where it comes from.
    fn told(&self) -> Value;

    /// Reads the configuration again. If that fails, nothing changes; either way its [`Life`] knows.
    ///
    /// # Errors
    /// If it cannot be read, is none, or wants what only a restart changes.
    fn reload(&self) -> Result<(), Failure>;

    /// Its figures, beside those of its life.
    ///
    /// # Errors
    /// If the encoder fails.
    fn measure(&self, to: &mut DescriptorEncoder<'_>) -> fmt::Result;
}

/// How long a daemon has run, what became of its configurations, and whether it is about to end.
#[derive(Debug)]
pub struct Life {
    began: Instant,
    reloads: AtomicU64,
    config_error: Mutex<Option<String>>,
    draining: AtomicBool,
}

impl Life {
    /// That of a daemon that begins now.
    pub fn begin() -> Life {
        Life {
            began: clock::now(),
            reloads: AtomicU64::new(0),
            config_error: Mutex::new(None),
            draining: AtomicBool::new(false),
        }
    }

    /// For how long it has run.
    pub fn uptime(&self) -> Duration {
        self.began.elapsed()
    }

    /// How often its configuration was replaced.
    pub fn reloads(&self) -> u64 {
        self.reloads.load(Ordering::Relaxed)
    }

    /// What was wrong with the last configuration that it was to take.
    pub fn config_error(&self) -> Option<String> {
        locked(&self.config_error).clone()
    }

    /// Whether it is about to end.
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// It is.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Notes what became of a configuration, and passes that on.
    ///
    /// # Errors
    /// As `reloaded` says.
    pub fn note(&self, reloaded: Result<(), Failure>) -> Result<(), Failure> {
        *locked(&self.config_error) =
            reloaded.as_ref().err().map(|failure| format!("{}: {}", failure.what, failure.why));
        if reloaded.is_ok() {
            self.reloads.fetch_add(1, Ordering::Relaxed);
        }
        reloaded
    }
}
