//! A transport at work.

use core::fmt;
use core::time::Duration;

use tng_stp_abi::{ARRIVED_LEN, Arrived, CALL_MAX, Kind, RING_ENTRIES};
use tng_stp_host::{Beside, Callback, Fault, Instance, Shim, Usage};
use wasmtime::TypedFunc;

use crate::module::{Module, Running};
use crate::store::Side;

/// One end of one connection that a module runs.
pub struct Sandboxed {
    body: Body,
    calls: u64,
    fuel: u64,
    fault: Option<Fault>,
}

enum Body {
    Alive(Box<Alive>),
    /// The instance is gone, and what the host has of it is left.
    Over(Box<Shim>),
}

/// An instance that can be called.
struct Alive {
    running: Running,
    functions: Functions,
    /// The entry of the ring that is written next.
    next: usize,
    arrived: [Arrived; RING_ENTRIES],
}

/// The callbacks, looked up once.
struct Functions {
    attach: TypedFunc<(), ()>,
    connect: TypedFunc<(), ()>,
    accept: TypedFunc<(), ()>,
    abort: TypedFunc<(), ()>,
    input: TypedFunc<(u32, u32), ()>,
    timer: TypedFunc<u32, ()>,
    usrreq: TypedFunc<(u32, u64), ()>,
    shutdown: TypedFunc<u32, ()>,
    path_changed: TypedFunc<(), ()>,
    call: TypedFunc<(u32, u32), i64>,
}

impl fmt::Debug for Sandboxed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandboxed")
            .field("shim", self.shim())
            .field("usage", &self.usage())
            .field("fault", &self.fault)
            .finish_non_exhaustive()
    }
}

impl Alive {
    /// An instance, beside which stands what answers it. Nothing is called yet.
    fn new(module: &Module, side: Side) -> Result<Alive, Fault> {
        let beside = beside(&side);
        let mut running = module.start(Kind::of(beside.socket_kind()), *beside.quotas())?;
        let functions = Functions {
            attach: running.function("attach")?,
            connect: running.function("connect")?,
            accept: running.function("accept")?,
            abort: running.function("abort")?,
            input: running.function("input")?,
            timer: running.function("timer")?,
            usrreq: running.function("usrreq")?,
            shutdown: running.function("shutdown")?,
            path_changed: running.function("path_changed")?,
            call: running.function("call")?,
        };
        running.store.data_mut().side = side;
        Ok(Alive { running, functions, next: 0, arrived: [Arrived::EMPTY; RING_ENTRIES] })
    }
}

/// The code of one end of a connection, whose host's side is in another process: what runs there.
pub struct Apart(Box<Alive>);

impl fmt::Debug for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Apart").finish_non_exhaustive()
    }
}

impl Apart {
    /// An instance of a transport, beside what stands for the host. Nothing is called yet.
    ///
    /// # Errors
    /// See [`Fault`].
    pub fn new(module: &Module, beside: Box<dyn Beside>) -> Result<Apart, Fault> {
        Ok(Apart(Box::new(Alive::new(module, Side::Apart(beside))?)))
    }

    /// What stands for the host.
    pub fn beside(&mut self) -> &mut dyn Beside {
        beside_mut(&mut self.0.running.store.data_mut().side)
    }

    /// As [`Instance::call`]; answers the fuel that it took, too.
    pub fn call(&mut self, callback: Callback) -> (Result<i64, Fault>, u64) {
        self.0.dispatch(callback)
    }

    /// Bytes of its memory.
    pub fn memory(&self) -> u64 {
        self.0.memory()
    }
}

impl Sandboxed {
    /// An instance of a transport, with the host's side of it; its quotas are the shim's. Nothing is called yet.
    ///
    /// # Errors
    /// See [`Fault`].
    pub fn new(module: &Module, shim: Box<Shim>) -> Result<Sandboxed, Fault> {
        let body = Body::Alive(Box::new(Alive::new(module, Side::Transport(shim))?));
        Ok(Sandboxed { body, calls: 0, fuel: 0, fault: None })
    }

    #[cfg(test)]
    fn alive(&mut self) -> &mut Alive {
        match &mut self.body {
            Body::Alive(alive) => alive,
            Body::Over(_) => panic!("it was released"),
        }
    }

    #[cfg(test)]
    pub(crate) fn tell(&mut self, arrived: &[Arrived]) -> Result<i64, Fault> {
        let alive = self.alive();
        alive.arrived[..arrived.len()].copy_from_slice(arrived);
        let told = alive.input(arrived.len());
        self.note(told)
    }

    #[cfg(test)]
    pub(crate) fn memory(&mut self) -> &[u8] {
        let running = &self.alive().running;
        running.memory.data(&running.store)
    }

    fn note(&mut self, (result, fuel): (Result<i64, Fault>, u64)) -> Result<i64, Fault> {
        self.calls += 1;
        self.fuel = self.fuel.saturating_add(fuel);
        self.fault = result.as_ref().err().cloned();
        result
    }
}

impl Alive {
    fn shim(&self) -> &Shim {
        match &self.running.store.data().side {
            Side::Transport(shim) => shim,
            Side::Asked | Side::Controller(_) | Side::Apart(_) => unreachable!("it has its shim since it was made"),
        }
    }

    fn shim_mut(&mut self) -> &mut Shim {
        match &mut self.running.store.data_mut().side {
            Side::Transport(shim) => shim,
            Side::Asked | Side::Controller(_) | Side::Apart(_) => unreachable!("it has its shim since it was made"),
        }
    }

    fn beside(&mut self) -> &mut dyn Beside {
        beside_mut(&mut self.running.store.data_mut().side)
    }

    fn memory(&self) -> u64 {
        self.running.memory.data_size(&self.running.store) as u64
    }

    fn dispatch(&mut self, callback: Callback) -> (Result<i64, Fault>, u64) {
        let (running, functions) = (&mut self.running, &self.functions);
        let (result, fuel) = match callback {
            Callback::Attach => running.call(&functions.attach, ()),
            Callback::Connect => running.call(&functions.connect, ()),
            Callback::Accept => running.call(&functions.accept, ()),
            Callback::Abort => running.call(&functions.abort, ()),
            Callback::Input => {
                let count = beside_mut(&mut running.store.data_mut().side).take_arrived(&mut self.arrived);
                return self.input(count);
            }
            Callback::Timer(id) => running.call(&functions.timer, id),
            Callback::UserRequest(request) => running.call(&functions.usrreq, request.to_numbers()),
            Callback::Shutdown { deadline_ms } => running.call(&functions.shutdown, deadline_ms),
            Callback::PathChanged => running.call(&functions.path_changed, ()),
            Callback::Call { number } => return self.own_call(number),
        };
        (result.map(|()| 0), fuel)
    }

    /// Writes the first `count` of what arrived into the ring, and says so.
    fn input(&mut self, count: usize) -> (Result<i64, Fault>, u64) {
        let first = self.next;
        for arrived in &self.arrived[..count] {
            let address = self.running.ring + self.next * ARRIVED_LEN;
            match self.running.bytes(address, ARRIVED_LEN) {
                Ok(entry) => entry.copy_from_slice(&arrived.to_bytes()),
                Err(fault) => return (Err(fault), 0),
            }
            self.next = (self.next + 1) % RING_ENTRIES;
        }
        let (result, fuel) = self.running.call(&self.functions.input, (first as u32, count as u32));
        (result.map(|()| 0), fuel)
    }

    fn own_call(&mut self, number: u32) -> (Result<i64, Fault>, u64) {
        let mut words = core::mem::take(self.beside().area());
        let (result, fuel) = self.own_call_with(number, &mut words);
        *self.beside().area() = words;
        (result, fuel)
    }

    fn own_call_with(&mut self, number: u32, words: &mut Vec<u8>) -> (Result<i64, Fault>, u64) {
        words.truncate(CALL_MAX);
        match self.running.bytes(self.running.area, words.len()) {
            Ok(area) => area.copy_from_slice(words),
            Err(fault) => return (Err(fault), 0),
        }
        let (result, fuel) = self.running.call(&self.functions.call, (number, words.len() as u32));
        words.clear();
        let answered = result.and_then(|answer| {
            let len = usize::try_from(answer).unwrap_or(0);
            if len > CALL_MAX {
                return Err(Fault::Pointer);
            }
            words.extend_from_slice(self.running.bytes(self.running.area, len)?);
            Ok(answer)
        });
        (answered, fuel)
    }
}

/// What answers a transport, which is there from the beginning on.
fn beside(side: &Side) -> &dyn Beside {
    match side {
        Side::Transport(shim) => &**shim,
        Side::Apart(beside) => &**beside,
        Side::Asked | Side::Controller(_) => unreachable!("a transport has its host since it was made"),
    }
}

/// The same, to change.
fn beside_mut(side: &mut Side) -> &mut dyn Beside {
    match side {
        Side::Transport(shim) => &mut **shim,
        Side::Apart(beside) => &mut **beside,
        Side::Asked | Side::Controller(_) => unreachable!("a transport has its host since it was made"),
    }
}

impl Instance for Sandboxed {
    fn shim(&self) -> &Shim {
        match &self.body {
            Body::Alive(alive) => alive.shim(),
            Body::Over(shim) => shim,
        }
    }

    fn shim_mut(&mut self) -> &mut Shim {
        match &mut self.body {
            Body::Alive(alive) => alive.shim_mut(),
            Body::Over(shim) => shim,
        }
    }

    fn prepare(&mut self) -> Result<bool, Fault> {
        Ok(true)
    }

    fn call(&mut self, callback: Callback) -> Result<i64, Fault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let done = match &mut self.body {
            Body::Alive(alive) => alive.dispatch(callback),
            Body::Over(_) => return Err(Fault::Trapped("it has ended".to_owned())),
        };
        self.note(done)
    }

    fn usage(&self) -> Usage {
        let memory = match &self.body {
            Body::Alive(alive) => alive.memory(),
            Body::Over(_) => 0,
        };
        Usage { calls: self.calls, fuel: self.fuel, memory, ..Usage::default() }
    }

    fn told_every(&self) -> Option<Duration> {
        None
    }

    fn looked_after_every(&self) -> Option<Duration> {
        None
    }

    fn look_after(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn release(&mut self) {
        if let Body::Alive(alive) = &mut self.body
            && let Side::Transport(shim) = core::mem::replace(&mut alive.running.store.data_mut().side, Side::Asked)
        {
            self.body = Body::Over(shim);
        }
    }
}
