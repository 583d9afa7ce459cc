//! Instances around others: what looks at a guest, or holds it up.

use core::fmt;
use core::time::Duration;

use crate::{Callback, Fault, Instance, Shim, Usage};

/// An instance around another one, to which it hands on all that it does not do itself. It is an [`Instance`].
pub trait Around: fmt::Debug + Send {
    /// The one inside.
    fn inner(&self) -> &dyn Instance;

    /// The same, to call.
    fn inner_mut(&mut self) -> &mut dyn Instance;

    /// As [`Instance::prepare`].
    ///
    /// # Errors
    /// As there.
    fn prepare(&mut self) -> Result<bool, Fault> {
        self.inner_mut().prepare()
    }

    /// As [`Instance::call`].
    ///
    /// # Errors
    /// As there.
    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        self.inner_mut().call(callback)
    }

    /// As [`Instance::call_both`]: who sees to single calls sees these as two.
    ///
    /// # Errors
    /// As there.
    fn call_both(&mut self, first: Callback, second: Callback) -> Result<i64, Fault> {
        Around::call(self, first)?;
        Around::call(self, second)
    }

    /// As [`Instance::usage`].
    fn usage(&self) -> Usage {
        self.inner().usage()
    }

    /// As [`Instance::told_every`].
    fn told_every(&self) -> Option<Duration> {
        self.inner().told_every()
    }

    /// As [`Instance::looked_after_every`].
    fn looked_after_every(&self) -> Option<Duration> {
        self.inner().looked_after_every()
    }
}

impl<A: Around> Instance for A {
    fn shim(&self) -> &Shim {
        self.inner().shim()
    }

    fn shim_mut(&mut self) -> &mut Shim {
        self.inner_mut().shim_mut()
    }

    fn prepare(&mut self) -> Result<bool, Fault> {
        Around::prepare(self)
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        Around::call(self, callback)
    }

    fn call_both(&mut self, first: Callback, second: Callback) -> Result<i64, Fault> {
        Around::call_both(self, first, second)
    }

    fn usage(&self) -> Usage {
        Around::usage(self)
    }

    fn told_every(&self) -> Option<Duration> {
        Around::told_every(self)
    }

    fn looked_after_every(&self) -> Option<Duration> {
        Around::looked_after_every(self)
    }

    fn look_after(&mut self) -> Result<(), Fault> {
        self.inner_mut().look_after()
    }

    fn release(&mut self) {
        self.inner_mut().release();
    }
}
