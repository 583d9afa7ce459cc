//! A line for each flow that is over, and counts of why they ended.

use core::convert::Infallible;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tng::relay::{HelperEvent, LeftBecause, RelayEvent};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::sync::oneshot;

use super::clients::Clients;
use super::config::LogPlace;
use super::locked;
use crate::clock;
use crate::failure::Failure;

/// Where lines go.
#[derive(Debug)]
pub enum Lines {
    /// Nowhere.
    None,
    /// To stdout.
    Stdout,
    /// To the end of a file.
    File(File),
}

impl Lines {
    /// Opens a place; a file that is made is for this user alone: who was helped is nobody else's business.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn open(place: Option<&LogPlace>) -> Result<Lines, Failure> {
        match place {
            None => Ok(Lines::None),
            Some(LogPlace::Stdout) => Ok(Lines::Stdout),
            Some(LogPlace::File(path)) => {
                let opened = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
                let failed = |error| Failure::write(format!("opening the access log {}", path.display()), &error);
                opened.map(Lines::File).map_err(failed)
            }
        }
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        match self {
            Lines::None => Ok(()),
            Lines::Stdout => writeln!(io::stdout().lock(), "{line}"),
            // In one call: lines of several processes stay whole.
            Lines::File(file) => file.write_all(format!("{line}\n").as_bytes()),
        }
    }
}

/// Flows that are over, by the reason, and what they carried.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ended {
    /// How many ended for which reason.
    pub by_reason: BTreeMap<&'static str, u64>,
    /// Lines that could not be written.
    pub unwritten: u64,
    /// Events that came faster than they were taken.
    pub missed: u64,
}

/// A word for why a flow ended.
pub fn reason(because: LeftBecause) -> &'static str {
    match because {
        LeftBecause::Closed => "closed",
        LeftBecause::Silent => "silent",
        LeftBecause::Unanswered => "unanswered",
        LeftBecause::Declined(_) => "declined",
        LeftBecause::CapabilityEnded => "capability_ended",
        LeftBecause::Forbidden => "forbidden",
        LeftBecause::Draining => "draining",
    }
}

/// Writes a line for each flow that ends, until it is told to end and all that have ended before are written. `lines`
/// and `clients` are what holds at the time.
pub async fn keep(
    (mut events, mut ends): (Receiver<RelayEvent>, oneshot::Receiver<Infallible>),
    lines: Arc<Mutex<Lines>>,
    ended: Arc<Mutex<Ended>>,
    clients: Arc<Mutex<Arc<Clients>>>,
) {
    loop {
        let event = tokio::select! {
            biased;
            event = events.recv() => event,
            _ = &mut ends => return,
        };
        let event = match event {
            Ok(event) => event,
            Err(RecvError::Lagged(missed)) => {
                locked(&ended).missed += missed;
                continue;
            }
            Err(RecvError::Closed) => return,
        };
        // A tunnel that is lost was no flow.
        let HelperEvent::Left { relay, because, served: Some(served) } = event.event else { continue };
        let client = locked(&clients).name(served.client);
        let line = json!({
            "time_ms": u64::try_from(clock::since_1970().as_millis()).unwrap_or(u64::MAX),
            "flow": format!("{}.{}", event.thread, relay.0),
            "client": client,
            "from": shown(served.near),
            "to": shown(served.far),
            "duration_ms": u64::try_from(event.at.since(served.began).as_millis()).unwrap_or(u64::MAX),
            "outward_bytes": served.outward_bytes,
            "homeward_bytes": served.homeward_bytes,
            "marked": served.marked,
            "dropped": served.dropped,
            "ended": reason(because),
        });
        let written = locked(&lines).write(&line.to_string());
        let mut ended = locked(&ended);
        *ended.by_reason.entry(reason(because)).or_default() += 1;
        if let Err(error) = written {
            ended.unwritten += 1;
            // Once: a full disk stays full.
            if ended.unwritten == 1 {
                tracing::warn!("the access log cannot be written, and flows go on without: {error}");
            }
        }
    }
}

/// An address as people know it: a socket for both families shows IPv4 addresses as IPv6 ones.
fn shown(address: SocketAddr) -> String {
    SocketAddr::new(address.ip().to_canonical(), address.port()).to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn an_access_log_is_for_its_owner_alone_and_goes_on_where_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        for line in ["one", "two"] {
            Lines::open(Some(&LogPlace::File(path.clone()))).expect("opened").write(line).expect("written");
        }
        assert_eq!(fs::read_to_string(&path).expect("there"), "one\ntwo\n");
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }
}
