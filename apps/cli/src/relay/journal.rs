//! A line for each flow that is over, and counts of why they ended.

use core::convert::Infallible;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tng::relay::{HelperEvent, LeftBecause, RelayEvent};
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::sync::oneshot;

use super::clients::Clients;
use crate::clock;
use crate::daemon::lines::shown;
use crate::daemon::locked;
use crate::daemon::log::Log;

/// Flows that are over, by the reason, and what they carried.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ended {
    /// How many ended for which reason.
    pub by_reason: BTreeMap<&'static str, u64>,
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

/// Has a line written for each flow that ends, until it is told to end and all that have ended before are. `clients`
/// are what holds at the time.
pub async fn keep(
    (mut events, mut ends): (Receiver<RelayEvent>, oneshot::Receiver<Infallible>),
    log: Log,
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
        log.say(line);
        *locked(&ended).by_reason.entry(reason(because)).or_default() += 1;
    }
}
