//! What guests take, by the clock.

use core::time::Duration;
use std::time::Instant;

use tng_stp_host::{Around, Callback, Fault, Instance, Usage};

/// An instance whose calls are timed, and whose memory is looked at before and after them: in between it only shrinks.
#[derive(Debug)]
pub(crate) struct Metered {
    inner: Box<dyn Instance>,
    time: Duration,
    most: u64,
}

impl Metered {
    pub(crate) fn new(inner: Box<dyn Instance>) -> Metered {
        Metered { inner, time: Duration::ZERO, most: 0 }
    }

    fn held(&self) -> u64 {
        self.inner.shim().held() + self.inner.usage().memory
    }

    fn meter(&mut self, call: impl FnOnce(&mut dyn Instance) -> Result<i64, Fault>) -> Result<i64, Fault> {
        let before = self.held();
        let began = clock();
        let answer = call(&mut *self.inner);
        self.time += began.elapsed();
        self.most = self.most.max(before).max(self.held());
        answer
    }
}

/// The monotonic clock. That of a thread's processor time costs the system a call, a dozen times as much.
#[expect(clippy::disallowed_methods, reason = "what a guest takes is told to people, and decides nothing")]
fn clock() -> Instant {
    Instant::now()
}

impl Around for Metered {
    fn inner(&self) -> &dyn Instance {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Instance {
        &mut *self.inner
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        self.meter(|inner| inner.call(callback))
    }

    fn call_both(&mut self, first: Callback, second: Callback) -> Result<i64, Fault> {
        self.meter(|inner| inner.call_both(first, second))
    }

    fn usage(&self) -> Usage {
        Usage { time: self.time, most: self.most, ..self.inner.usage() }
    }
}
