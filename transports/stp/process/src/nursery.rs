//! Processes that are ready before anybody needs them: what begins in the path of packets waits for none to start.

use core::fmt;
use core::time::Duration;
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use tng_stp_abi::{Kind, SocketKind};
use tng_stp_host::{Code, Instance, Quotas};

use crate::away::Away;
use crate::bell::Bell;
use crate::line::now;
use crate::process::{Process, Program};

/// Processes of all modules together, those that are ready included.
pub const PROCESSES_MAX: usize = 256;
/// Processes of a module that are ready; one, where half of [`PROCESSES_MAX`] run already.
pub const SPARES_MAX: usize = 4;
/// After one that did not start, so long passes before the next is tried; and if more than [`SPARES_MAX`] have ended
/// within it that nobody had used.
pub const AGAIN_AFTER: Duration = Duration::from_secs(5);

/// Why there is no process for a module.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StartError {
    /// Guest: the module is none that guests may be; or environment: the process cannot shut itself in. It says which.
    Unfit(String),
    /// Guest, or environment: it was not compiled in [`START_MAX`](crate::START_MAX).
    Slow,
    /// Caller: the program does not serve as a guest's process; or it has ended.
    NoChild,
    /// Environment: the system does not start it.
    System(String),
    /// Environment: there are [`PROCESSES_MAX`] already.
    TooMany,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Unfit(why) => f.write_str(why),
            StartError::Slow => f.write_str("its process did not compile it in time; try again, or use a smaller one"),
            StartError::NoChild => f.write_str(
                "the program that was started does not serve as a guest's process; have it call \
                 `tng::stp::process::serve` first",
            ),
            StartError::System(why) => write!(f, "the system starts no process for it: {why}"),
            StartError::TooMany => {
                write!(f, "{PROCESSES_MAX} processes of guests run already; close connections")
            }
        }
    }
}

impl core::error::Error for StartError {}

/// What starts processes of guests. Clones count together.
#[derive(Clone, Debug)]
pub struct Processes {
    program: Program,
    running: Arc<AtomicUsize>,
}

impl Processes {
    /// Those that run this program.
    pub fn new(program: Program) -> Processes {
        Processes { program, running: Arc::default() }
    }

    /// Processes that run now.
    pub fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    /// Starts the first for a module, to see what it is, and has more ready from then on. `quotas` are those of the
    /// engine there.
    ///
    /// # Errors
    /// See [`StartError`].
    pub fn load(&self, module: &[u8], quotas: Quotas) -> Result<Nursery, StartError> {
        let bell = Bell::new().map_err(|error| StartError::System(error.to_string()))?;
        let shared = Arc::new(Shared {
            program: self.program.clone(),
            module: module.into(),
            quotas,
            running: Arc::clone(&self.running),
            state: Mutex::default(),
            bell,
        });
        let (told, heard) = std::sync::mpsc::channel();
        let working = Arc::clone(&shared);
        // Processes end with the thread that started them: this one is there as long as any of them.
        let worker = thread::Builder::new().name("tng-processes".to_owned()).spawn(move || {
            let first = working.start();
            let good = first.is_ok();
            // Nobody may be waiting for it any more.
            let _ = told.send(first);
            if good {
                working.work();
            }
        });
        worker.map_err(|error| StartError::System(error.to_string()))?;
        let kind = heard.recv().map_err(|_| StartError::NoChild)??;
        Ok(Nursery(Arc::new(Owner { kind, shared })))
    }
}

/// Processes that are ready for a module. They end with the last clone, but for those that are at work.
#[derive(Clone)]
pub struct Nursery(Arc<Owner>);

struct Owner {
    kind: Kind,
    shared: Arc<Shared>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl fmt::Debug for Nursery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nursery").field("kind", &self.0.kind).field("spares", &self.spares()).finish()
    }
}

impl Nursery {
    /// What the module says that it is.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Processes that are ready.
    pub fn spares(&self) -> usize {
        self.0.shared.lock().spares.len()
    }

    /// A transport's code, each of whose instances takes a process when the first channel of its connection is there;
    /// nothing if it is a controller.
    pub fn code(&self, name: &str) -> Option<Code> {
        let (nursery, socket): (Nursery, SocketKind) = (self.clone(), self.kind().socket()?);
        let (here, own_name) = (self.clone(), Arc::<str>::from(name));
        let code = Code::new(name, socket, move |shim| {
            let nursery = nursery.clone();
            Ok(Box::new(Away::new(Arc::clone(&own_name), move || nursery.0.shared.take(), shim)) as Box<dyn Instance>)
        });
        Some(code.ready_when(move || here.spares() > 0))
    }
}

/// What the handles, the processes and the thread have of it.
pub(crate) struct Shared {
    pub(crate) program: Program,
    pub(crate) module: Box<[u8]>,
    pub(crate) quotas: Quotas,
    running: Arc<AtomicUsize>,
    state: Mutex<State>,
    /// Something has changed.
    bell: Bell,
}

#[derive(Default)]
struct State {
    spares: Vec<Process>,
    /// Processes that were started and have not been waited for.
    alive: usize,
    graves: Vec<Child>,
    over: bool,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("program", &self.program).finish_non_exhaustive()
    }
}

impl Shared {
    #[cfg(test)]
    pub(crate) fn of_nothing() -> Arc<Shared> {
        Arc::new(Shared {
            program: Program::new("/", [""; 0]),
            module: Box::default(),
            quotas: Quotas::default(),
            running: Arc::default(),
            state: Mutex::default(),
            bell: Bell::new().unwrap(),
        })
    }

    /// One that has started a process.
    #[cfg(test)]
    pub(crate) fn of_one() -> Arc<Shared> {
        let shared = Shared::of_nothing();
        shared.running.store(1, Ordering::Relaxed);
        shared.lock().alive = 1;
        shared
    }

    /// Processes that wait for their end.
    #[cfg(test)]
    pub(crate) fn graves(&self) -> usize {
        self.lock().graves.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Process> {
        let mut state = self.lock();
        loop {
            let process = state.spares.pop();
            self.bell.ring();
            let mut process = process?;
            if process.is_there().is_ok() {
                return Some(process);
            }
            // It has ended while it waited; to bury it takes the lock.
            drop(state);
            drop(process);
            state = self.lock();
        }
    }

    /// A process is not needed any more: the thread ends it, since that takes time.
    pub(crate) fn bury(&self, child: Child) {
        self.lock().graves.push(child);
        self.bell.ring();
    }

    /// A process has been waited for.
    pub(crate) fn note_end(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
        self.lock().alive -= 1;
        self.bell.ring();
    }

    fn close(&self) {
        let spares = {
            let mut state = self.lock();
            state.over = true;
            core::mem::take(&mut state.spares)
        };
        drop(spares);
        self.bell.ring();
    }

    /// Starts a process, and puts it to the others.
    fn start(self: &Arc<Shared>) -> Result<Kind, StartError> {
        let more = |running| (running < PROCESSES_MAX).then_some(running + 1);
        self.running.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).map_err(|_| StartError::TooMany)?;
        self.lock().alive += 1;
        match Process::start(Arc::clone(self)) {
            Ok((process, kind)) => {
                let late = {
                    let mut state = self.lock();
                    if state.over {
                        Some(process)
                    } else {
                        state.spares.push(process);
                        None
                    }
                };
                drop(late);
                Ok(kind)
            }
            Err(error) => {
                if matches!(error, StartError::System(_)) {
                    self.note_end();
                }
                self.dig();
                Err(error)
            }
        }
    }

    /// Ends what is not needed any more.
    pub(crate) fn dig(&self) {
        loop {
            let Some(mut child) = self.lock().graves.pop() else { return };
            // It is dead already, or dies now.
            let _ = child.kill();
            let _ = child.wait();
            self.note_end();
        }
    }

    /// Has processes ready, until nobody has any of them. One that ends while it waits is noticed at once.
    fn work(self: &Arc<Shared>) {
        let (mut again_at, mut ends) = (None, Ends::default());
        loop {
            self.dig();
            let state = self.lock();
            if state.over && state.alive == 0 {
                return;
            }
            if !state.graves.is_empty() {
                continue;
            }
            let wanted = if self.running.load(Ordering::Relaxed) < PROCESSES_MAX / 2 { SPARES_MAX } else { 1 };
            let pause = again_at.map(|at: Instant| at.saturating_duration_since(now())).unwrap_or_default();
            let is_full = state.over || state.spares.len() >= wanted;
            if !is_full && pause.is_zero() {
                drop(state);
                again_at = self.start().err().map(|_| now() + AGAIN_AFTER);
                continue;
            }
            let watched: Vec<(u32, OwnedFd)> = state.spares.iter().filter_map(Process::watched).collect();
            // Where descriptors are short, one that is not watched is looked for again.
            let is_blind = watched.len() < state.spares.len();
            drop(state);
            let most = (!is_full).then_some(pause).or(is_blind.then_some(AGAIN_AFTER));
            let ended = self.bell.wait(&watched, most);
            if !ended.is_empty() {
                let (count, now) = (self.discard(&ended), now());
                again_at = ends.note(count, now).or(again_at);
            }
        }
    }

    /// Has these processes buried, unless somebody has taken them meanwhile; answers how many they are.
    fn discard(&self, ended: &[u32]) -> usize {
        let is_one = |process: &mut Process| process.id().is_some_and(|id| ended.contains(&id));
        // To bury them takes the lock.
        let ended: Vec<Process> = self.lock().spares.extract_if(.., is_one).collect();
        ended.len()
    }
}

/// When processes have ended that nobody had used, the newest last.
#[derive(Debug, Default)]
struct Ends(VecDeque<Instant>);

impl Ends {
    /// So many have ended; answers until when none is started, if they do so again and again.
    fn note(&mut self, count: usize, now: Instant) -> Option<Instant> {
        self.0.extend(core::iter::repeat_n(now, count));
        while self.0.len() > SPARES_MAX + 1 {
            self.0.pop_front();
        }
        let first = *self.0.front().filter(|_| self.0.len() > SPARES_MAX)?;
        Some(first + AGAIN_AFTER).filter(|at| *at > now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_wait_are_replaced_at_once_and_those_that_end_again_and_again_are_not() {
        let (mut ends, began) = (Ends::default(), now());
        assert_eq!(ends.note(SPARES_MAX, began), None, "all of them were killed");
        let soon = began + AGAIN_AFTER / 2;
        assert_eq!(ends.note(1, soon), Some(began + AGAIN_AFTER));
        assert_eq!(ends.note(1, soon + 2 * AGAIN_AFTER), None);
    }
}
