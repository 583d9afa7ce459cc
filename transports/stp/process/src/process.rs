//! A process for one guest.

use core::time::Duration;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use tng_stp_abi::Kind;

use crate::line::{Line, LineError, now};
use crate::nursery::{Shared, StartError};
use crate::wire::{Allowed, Order, Report};

/// A process has so long to compile its module.
pub const START_MAX: Duration = Duration::from_secs(20);

/// A process that ends closes its line a moment before it can be waited for: so long at most. Who takes longer lives
/// on, and has held its host up once.
const ENDS_WITHIN: Duration = Duration::from_millis(20);

/// What has become of a process whose line is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// It has ended.
    Ended {
        /// The signal that ended it, if one did.
        signal: Option<i32>,
    },
    /// It lives on: what runs our code never closes its line.
    LivesOn,
}

/// The program that a guest's process runs: one that calls [`serve`](crate::serve) first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
}

impl Program {
    /// The program at an absolute path, with these arguments.
    pub fn new(path: impl Into<PathBuf>, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Program {
        Program { path: path.into(), arguments: arguments.into_iter().map(Into::into).collect() }
    }

    /// The program that runs, even if another has taken its place on the disk.
    pub fn this(arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Program {
        Program::new("/proc/self/exe", arguments)
    }

    fn spawn(&self, stdin: UnixStream) -> io::Result<Child> {
        let mut command = Command::new(&self.path);
        // What a terminal tells this program (Ctrl-C) it tells its group: guests still say goodbye then.
        command.args(&self.arguments).env_clear().process_group(0);
        command.stdin(OwnedFd::from(stdin)).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    }
}

/// A process whose module is compiled, or that is at work for a connection. It ends with this.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) line: Line,
    child: Option<Child>,
    home: Arc<Shared>,
}

impl Process {
    /// Starts one, and waits until its module is compiled.
    pub(crate) fn start(home: Arc<Shared>) -> Result<(Process, Kind), StartError> {
        let system = |error: io::Error| StartError::System(error.to_string());
        let unfit = |_: io::Error| StartError::NoChild;
        let (here, there) = UnixStream::pair().map_err(system)?;
        let child = home.program.spawn(there).map_err(system)?;
        let mut process = Process { line: Line::new(here), child: Some(child), home };
        process.line.set_patience(START_MAX).map_err(unfit)?;
        let kind = process.load()?;
        process.line.set_patience(crate::away::ANSWER_MAX).map_err(unfit)?;
        Ok((process, kind))
    }

    /// Whatever is at the other end of a line.
    #[cfg(test)]
    pub(crate) fn of(line: std::os::unix::net::UnixStream) -> Process {
        Process::with(line, None, Shared::of_nothing())
    }

    /// The same with this as its process.
    #[cfg(test)]
    pub(crate) fn with(line: std::os::unix::net::UnixStream, child: Option<Child>, home: Arc<Shared>) -> Process {
        let process = Process { line: Line::new(line), child, home };
        process.line.set_patience(crate::away::ANSWER_MAX).expect("a socket");
        process
    }

    fn load(&mut self) -> Result<Kind, StartError> {
        let home = Arc::clone(&self.home);
        let load = Order::Load { allowed: Allowed(home.quotas), module: &home.module };
        let sent = self.line.send(&load);
        let report = sent.and_then(|()| self.line.receive(Some(now() + START_MAX)));
        match report {
            Ok(Report::Ready(kind)) => Ok(kind),
            Ok(Report::Unfit(why)) => Err(StartError::Unfit(why.to_owned())),
            Ok(_) | Err(LineError::Strange) => Err(StartError::NoChild),
            Err(LineError::Slow) => Err(StartError::Slow),
            Err(LineError::Gone) => Err(StartError::NoChild),
        }
    }

    /// Its number in the system.
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Its number, and a descriptor that tells when its line is closed.
    pub(crate) fn watched(&self) -> Option<(u32, OwnedFd)> {
        Some((self.id()?, self.line.watched().ok()?))
    }

    /// Whether it is there still; else the signal that ended it, if one did.
    pub(crate) fn is_there(&mut self) -> Result<(), Option<i32>> {
        match self.child.as_mut().map(Child::try_wait) {
            Some(Ok(Some(status))) => Err(status.signal()),
            // What has no child of this process at its other end, as in tests, is looked after by its line.
            Some(Ok(None)) | None => Ok(()),
            Some(Err(_)) => Err(None),
        }
    }

    /// It has closed its end: what ended it. Who lives on is killed by the thread that has started it: here nobody
    /// waits for that.
    pub(crate) fn end(mut self) -> Ending {
        let Some(child) = self.child.as_mut() else { return Ending::Ended { signal: None } };
        let until = now() + ENDS_WITHIN;
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ending::Ended { signal: status.signal() },
                Ok(None) if now() < until => std::thread::yield_now(),
                Ok(None) => return Ending::LivesOn,
                // As in `is_there`.
                Err(_) => return Ending::Ended { signal: None },
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            self.home.bury(child);
        }
    }
}
