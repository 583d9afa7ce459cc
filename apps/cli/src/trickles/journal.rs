//! The access log of a server that keeps nothing: a line for each connection that is opened, and for each object that
//! is asked for. Lines are written by a thread of their own, so that a disk that does not answer stops nobody.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tng::trickles::Client;
use tng_services::stateless::What;

use crate::clock;
use crate::daemon::lines::{Lines, shown};
use crate::daemon::locked;

/// Lines that wait to be written, at most; those beyond are lost, and counted.
pub const LINES_WAITING_MAX: usize = 4_096;

/// Where applications say what happens. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Journal {
    to: SyncSender<Value>,
    lost: Arc<Lost>,
}

/// Lines that did not reach the log.
#[derive(Debug, Default)]
pub struct Lost {
    /// They came faster than they were written.
    pub missed: AtomicU64,
    /// They could not be written.
    pub unwritten: AtomicU64,
}

impl Journal {
    /// One that writes to `lines`: what holds at the time. The thread ends with the last who may say something.
    ///
    /// # Errors
    /// If the system has no thread.
    pub fn begin(lines: Arc<Mutex<Lines>>) -> std::io::Result<(Journal, Arc<Lost>)> {
        let ((to, from), lost) = (sync_channel(LINES_WAITING_MAX), Arc::<Lost>::default());
        let own = Arc::clone(&lost);
        std::thread::Builder::new().name("journal".to_owned()).spawn(move || write(&from, &lines, &own))?;
        Ok((Journal { to, lost: Arc::clone(&lost) }, lost))
    }

    /// A connection is granted.
    pub fn opened(&self, client: &Client, peer: &str) {
        self.say(client, json!({ "event": "opened", "peer": peer }));
    }

    /// Something was asked for; `why` not, if it is not given.
    pub fn asked(&self, client: &Client, what: What, path: &str, why: Option<&str>) {
        let what = match what {
            What::File => "file",
            What::Listing => "listing",
            What::Hash => "hash",
            What::About => "about",
        };
        self.say(client, json!({ "event": "asked", "what": what, "path": path, "refused": why }));
    }

    fn say(&self, client: &Client, mut line: Value) {
        line["connection"] = client.id.0[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
        line["from"] = shown(client.remote).into();
        self.note(line);
    }

    /// Something happens that this line says.
    pub fn note(&self, mut line: Value) {
        line["time_ms"] = u64::try_from(clock::since_1970().as_millis()).unwrap_or(u64::MAX).into();
        if self.to.try_send(line).is_err() {
            self.lost.missed.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn write(from: &Receiver<Value>, lines: &Mutex<Lines>, lost: &Lost) {
    for line in from {
        // Once: a full disk stays full.
        if let Err(error) = locked(lines).write(&line.to_string())
            && lost.unwritten.fetch_add(1, Ordering::Relaxed) == 0
        {
            tracing::warn!("the access log cannot be written, and the server goes on without: {error}");
        }
    }
}
