//! Signals that ask the tool to end. It remembers them from its first moment on, so that one that comes before a
//! command listens is heard by that command.

use std::io;
use std::sync::LazyLock;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::exit::Exit;
use crate::failure::Failure;

/// Whether any of them came.
static STOPPED: LazyLock<watch::Sender<bool>> = LazyLock::new(|| watch::Sender::new(false));

/// Listens from now on for Ctrl-C, a request to terminate, and the end of the terminal, unless the tool was started to
/// outlive that (`nohup`). The first of them asks a command to end politely; Ctrl-C after it ends the process at once.
///
/// # Errors
/// If the system lets nobody listen.
///
/// # Panics
/// Outside a runtime.
pub fn heed() -> io::Result<()> {
    // To listen for it would end that it is ignored.
    let mut hangup = if hangup_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = next(&mut hangup) => {}
        }
        STOPPED.send_replace(true);
        interrupt.recv().await;
        std::process::exit(Exit::Interrupted.code().into());
    });
    Ok(())
}

async fn next(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Waits until a signal has asked the tool to end; at once if one has.
pub async fn stopped() {
    // The sender is there as long as the process.
    let _ = STOPPED.subscribe().wait_for(|is_stopped| *is_stopped).await;
}

/// That a signal ended the work.
pub fn stopped_failure() -> Failure {
    Failure::new(Exit::Interrupted, "stopped", "by a signal")
}

/// Whether the process was started with SIGHUP ignored.
pub(crate) fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Bit 0 is for signal 1.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
