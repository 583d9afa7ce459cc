//! What runs in the process of a guest.

use std::any::Any;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use tng_stp_host::{Callback, Fault, Quotas};
use tng_stp_sandbox::{Apart, Engine, Module};

use crate::confine::{Filter, limit, limit_files};
use crate::line::{Line, LineError};
use crate::mirror::Mirror;
use crate::wire::{Deeds, Done, Order, Report, cut};

/// Runs a guest for the process that started this one, which is at the other end of stdin, until that has enough.
///
/// To be called first in `main`, while there is one thread: every descriptor but the pair's is closed, and what the
/// process may use and call is given up before it has any code.
pub fn serve() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody is there to be told.
        Err(LineError::Gone | LineError::Slow | LineError::Strange) => ExitCode::FAILURE,
    }
}

fn run() -> Result<(), LineError> {
    let mut line = Line::new(inherited().map_err(|_| LineError::Gone)?);
    // What was inherited beside it is nobody's here. Without `/proc` there is no telling what that is.
    let shut = line.close_others().and_then(|()| limit());
    let (quotas, module) = match line.receive(None)? {
        Order::Load { allowed, module } => (allowed.0, module.to_vec()),
        _ => return Err(LineError::Strange),
    };
    let ready = shut.map_err(|error| error.to_string()).and_then(|()| compile(quotas, &module));
    let module = match ready {
        Ok(module) => module,
        Err(why) => return line.send(&Report::Unfit(cut(&why))),
    };
    line.send(&Report::Ready(module.kind()))?;
    serve_module(line, &module)
}

/// One connection, and then the end.
pub(crate) fn serve_module(line: Line, module: &Module) -> Result<(), LineError> {
    let line = Arc::new(Mutex::new(line));
    let (mirror, mut called_for) = {
        let mut held = line.lock().unwrap_or_else(PoisonError::into_inner);
        match held.receive(None) {
            Ok(Order::Begin { role, socket, allowed, turn }) => {
                let mut mirror = Mirror::new(Arc::clone(&line), (role, socket), allowed.0);
                mirror.begin(&turn);
                (mirror, (turn.callback, turn.then))
            }
            Ok(_) => return Err(LineError::Strange),
            // It was ready, and nobody needed it.
            Err(LineError::Gone) => return Ok(()),
            Err(error) => return Err(error),
        }
    };
    let mut instance = Apart::new(module, Box::new(mirror));
    loop {
        let done = match &mut instance {
            Ok(instance) => call(instance, called_for),
            Err(fault) => (Err(fault.clone()), 0, 0),
        };
        report(&line, instance.as_mut().ok(), done)?;
        let mut held = line.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = match held.receive(None) {
            Ok(Order::Turn(turn)) => turn,
            Ok(_) => return Err(LineError::Strange),
            // The host has enough.
            Err(LineError::Gone) => return Ok(()),
            Err(error) => return Err(error),
        };
        called_for = (turn.callback, turn.then);
        if let Ok(instance) = &mut instance {
            mirror_of(instance).begin(&turn);
        }
    }
}

/// The pair's end.
fn inherited() -> io::Result<UnixStream> {
    let stream = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // Whatever else stdin is, it stays as it is.
    stream.peer_addr()?;
    Ok(stream)
}

/// The engine's thread is there before anything is given up; the module is looked at afterwards alone.
fn compile(quotas: Quotas, module: &[u8]) -> Result<Module, String> {
    let engine = Engine::new(quotas).map_err(|error| error.to_string())?;
    Filter::Compiling.close().map_err(|error| error.to_string())?;
    let module = Module::new(&engine, module).map_err(|error| error.to_string())?;
    limit_files().and_then(|()| Filter::Running.close()).map_err(|error| error.to_string())?;
    Ok(module)
}

/// Answer, fuel and memory.
type Called = (Result<i64, Fault>, u64, u64);

fn call(instance: &mut Apart, (callback, then): (Callback, Option<Callback>)) -> Called {
    let (mut answer, mut fuel) = instance.call(callback);
    if let Some(then) = then.filter(|_| answer.is_ok()) {
        let (again, more) = instance.call(then);
        (answer, fuel) = (again, fuel + more);
    }
    (answer, fuel, instance.memory())
}

fn mirror_of(instance: &mut Apart) -> &mut Mirror {
    let beside: &mut dyn Any = instance.beside();
    beside.downcast_mut().expect("it was made beside a mirror")
}

fn report(line: &Mutex<Line>, instance: Option<&mut Apart>, (answer, fuel, memory): Called) -> Result<(), LineError> {
    let answer = answer.map_err(|fault| match fault {
        Fault::Trapped(what) => Fault::Trapped(cut(&what).to_owned()),
        fault => fault,
    });
    let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(instance) = instance else {
        return line.send(&Report::Done(Done { deeds: Deeds(&[]), answer, fuel, memory, area: &[] }));
    };
    let mirror = mirror_of(instance);
    let (deeds, area) = mirror.end();
    line.send(&Report::Done(Done { deeds: Deeds(deeds), answer, fuel, memory, area }))?;
    mirror.forget();
    Ok(())
}
