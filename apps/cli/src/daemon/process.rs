//! The process of a daemon: its signals, what systemd hears of it, its end.

use std::future::{Future, pending};
use std::io;
use std::net::TcpListener as StdTcpListener;
use std::sync::Arc;
use std::time::Duration;

use sd_notify::NotifyState;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::control::Control;
use super::{Daemon, metrics};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::leash;
use crate::signals::hangup_is_ignored;
use crate::talk::Talk;

/// How often a daemon looks whether it still runs, if systemd does not want to hear of it more often.
const LOOK: Duration = Duration::from_secs(1);

/// Threads of the runtime where an endpoint has its own: for programs that ask the daemon something.
pub const ASKERS_THREADS: usize = 2;

/// The runtime of a daemon, with so many threads.
///
/// # Errors
/// If the system has none.
pub fn runtime(threads: usize) -> Result<Runtime, Failure> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = leash::heed().and_then(|()| builder.worker_threads(threads).enable_all().build());
    runtime.map_err(|error| starting(&error))
}

/// That a daemon could not begin.
pub fn starting(error: &io::Error) -> Failure {
    Failure::read("starting", error)
}

/// Answers for a daemon at its socket, and tells scrapers of it.
///
/// # Errors
/// If the runtime cannot wait for those who ask.
pub fn answer<D: Daemon>(
    daemon: &Arc<D>,
    control: Option<&Control>,
    http: Option<StdTcpListener>,
    talk: Talk,
) -> Result<(), Failure> {
    if let Some(control) = control {
        control.serve(Arc::clone(daemon), talk).map_err(|error| starting(&error))?;
    }
    if let Some(http) = http {
        let listener = TcpListener::from_std(http).map_err(|error| starting(&error))?;
        tokio::spawn(metrics::serve(listener, Arc::clone(daemon)));
    }
    Ok(())
}

/// The signals that a daemon heeds.
#[derive(Debug)]
pub struct Signals {
    /// Nothing if the process was started to outlive its terminal (`nohup`).
    hangup: Option<Signal>,
    /// Whether a hangup has it read its files again. Else it asks the process to end, as other signals do.
    reloads: bool,
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// Heeds them from now on. `reloads` if a hangup is to have files read again.
    ///
    /// # Errors
    /// If the system lets nobody listen.
    pub fn heed(reloads: bool) -> io::Result<Signals> {
        let hangup = if reloads || !hangup_is_ignored() { Some(signal(SignalKind::hangup())?) } else { None };
        let (terminate, interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        Ok(Signals { hangup, reloads, terminate, interrupt })
    }

    /// Waits for one that asks the process to end.
    pub async fn end(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Does `work` beside what a daemon does until a signal ends it, or the work ends, which fails if it does. Reloads at a
/// hangup, and tells systemd how it is.
///
/// # Errors
/// If one of its threads has failed, and as `work`.
pub async fn attend<D: Daemon>(
    daemon: &D,
    signals: &mut Signals,
    talk: Talk,
    work: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    let (mut looks, watched) = looks();
    let mut work = core::pin::pin!(work);
    loop {
        tokio::select! {
            ended = &mut work => return ended,
            _ = signals.terminate.recv() => break,
            _ = signals.interrupt.recv() => break,
            () = next_hangup(&mut signals.hangup) => match signals.reloads {
                // What came of it is said.
                true => drop(reload(daemon, talk)),
                false => break,
            },
            _ = looks.tick() => {
                // A daemon is alive if its drivers are there and let it be asked.
                if !daemon.is_running() {
                    let why = "a thread has failed, by a fault of its own";
                    return Err(Failure::new(Exit::Send, "running", why)
                        .or_try("start it again: clients find it, and go on; stderr has what failed"));
                }
                if watched {
                    notify(&[NotifyState::Watchdog]);
                }
            }
        }
    }
    notify(&[NotifyState::Stopping]);
    daemon.life().drain();
    Ok(())
}

/// Has a daemon read its configuration again, and says what came of it, to systemd as well.
///
/// # Errors
/// As the daemon's.
pub fn reload(daemon: &impl Daemon, talk: Talk) -> Result<(), Failure> {
    notify(&[NotifyState::Reloading, NotifyState::monotonic_usec_now().unwrap_or(NotifyState::Ready)]);
    let reloaded = daemon.reload();
    match &reloaded {
        Ok(()) => {
            talk.say("reloaded");
            talk.event("reloaded", &json!({}));
        }
        Err(failure) => {
            talk.warn(format_args!("not reloaded, and what held before holds: {failure}"));
            talk.event("reload_failed", &failure.to_json());
        }
    }
    notify(&[NotifyState::Ready]);
    reloaded
}

async fn next_hangup(hangup: &mut Option<Signal>) {
    match hangup {
        Some(hangup) => drop(hangup.recv().await),
        None => pending().await,
    }
}

/// Tells systemd that it is there.
pub fn ready() {
    notify(&[NotifyState::Ready]);
}

/// Tells systemd, if it wants to know.
fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        tracing::warn!("systemd cannot be told: {error}");
    }
}

/// Twice as often as systemd wants to hear of the process, if it does, and no less often than [`LOOK`].
fn looks() -> (tokio::time::Interval, bool) {
    let watched = sd_notify::watchdog_enabled();
    let every = watched.map_or(LOOK, |time| LOOK.min(time / 2));
    (tokio::time::interval(every), watched.is_some())
}
