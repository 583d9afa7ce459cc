//! Who comes to a server, and leaves it: told once for a visitor, however many connections that has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use tng::CloseCause;
use tng_base::Eid;

use crate::talk::Talk;

/// What carries what no guest does.
pub const STREAMS: &str = "structured streams";

/// Those who are here. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Visitors {
    here: Arc<Mutex<BTreeMap<Eid, Stay>>>,
    talk: Talk,
}

/// A visitor, from the first connection to the end of the last.
#[derive(Debug)]
struct Stay {
    connections: usize,
    /// Where the first one came from.
    remote: SocketAddr,
    /// What has carried something.
    by: BTreeSet<String>,
    /// The first end of a connection that says more than that it is over.
    why: Option<String>,
}

impl Stay {
    fn begin(remote: SocketAddr) -> Stay {
        Stay { connections: 0, remote, by: BTreeSet::new(), why: None }
    }

    /// One of its connections is over; answers why it has left if that was the last.
    fn end(&mut self, cause: &CloseCause) -> Option<String> {
        let told = told(cause);
        if !is_usual(cause) {
            self.why.get_or_insert(told.clone());
        }
        self.connections -= 1;
        (self.connections == 0).then(|| self.why.take().unwrap_or(told))
    }
}

/// What has carried something, in words.
struct By<'a>(&'a BTreeSet<String>);

impl fmt::Display for By<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("that asked for nothing");
        }
        let names: Vec<&str> = self.0.iter().map(String::as_str).collect();
        write!(f, "served by {}", names.join(" and "))
    }
}

/// Whether an end says no more than that one of the two has ended it.
fn is_usual(cause: &CloseCause) -> bool {
    match cause {
        CloseCause::Local => true,
        CloseCause::Peer { code, reason } => *code == 0 && reason.is_empty(),
        _ => false,
    }
}

fn told(cause: &CloseCause) -> String {
    match cause {
        CloseCause::Local => "this server has ended it".to_owned(),
        cause if is_usual(cause) => "it was done".to_owned(),
        cause => cause.to_string(),
    }
}

impl Visitors {
    /// Nobody yet.
    pub fn new(talk: Talk) -> Visitors {
        Visitors { here: Arc::default(), talk }
    }

    fn here(&self) -> MutexGuard<'_, BTreeMap<Eid, Stay>> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection has come from there.
    pub fn came(&self, eid: Eid, remote: SocketAddr) {
        let is_first = {
            let mut here = self.here();
            let stay = here.entry(eid).or_insert_with(|| Stay::begin(remote));
            stay.connections += 1;
            stay.connections == 1
        };
        if is_first {
            let remote = tng::shown_address(remote);
            let came = json!({ "peer": eid.to_string(), "address": remote });
            self.talk.note(format_args!("{eid} came from {remote}"), "accepted", &came);
        }
    }

    /// Something is carried by this transport.
    pub fn goes_by(&self, eid: Eid, transport: &str) {
        if let Some(stay) = self.here().get_mut(&eid)
            && !stay.by.contains(transport)
        {
            stay.by.insert(transport.to_owned());
        }
    }

    /// A connection is over.
    pub fn left(&self, eid: Eid, cause: &CloseCause) {
        let gone = {
            let mut here = self.here();
            let why = here.get_mut(&eid).and_then(|stay| stay.end(cause));
            why.and_then(|why| Some((here.remove(&eid)?, why)))
        };
        if let Some((Stay { remote, by, .. }, why)) = gone {
            let left =
                json!({ "peer": eid.to_string(), "address": tng::shown_address(remote), "transports": by, "why": why });
            self.talk.note(format_args!("{eid} has left, {}: {why}", By(&by)), "closed", &left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 9))
    }

    fn closed() -> CloseCause {
        CloseCause::Peer { code: 0, reason: "".into() }
    }

    #[test]
    fn a_visitor_has_left_when_all_its_connections_are_over_and_the_end_that_says_more_is_told() {
        let mut stay = Stay { connections: 3, ..Stay::begin(remote()) };
        assert_eq!(stay.end(&closed()), None);
        assert_eq!(stay.end(&CloseCause::Idle), None);
        assert_eq!(stay.end(&closed()), Some(CloseCause::Idle.to_string()));
        let mut stay = Stay { connections: 1, ..Stay::begin(remote()) };
        assert_eq!(stay.end(&closed()).as_deref(), Some("it was done"), "control");
    }

    #[test]
    fn what_has_carried_something_is_named() {
        let by = |names: &[&str]| By(&names.iter().map(|name| (*name).to_owned()).collect()).to_string();
        assert_eq!(by(&["newreno", STREAMS]), "served by newreno and structured streams");
        assert_eq!(by(&[]), "that asked for nothing");
    }

    #[test]
    fn nobody_is_remembered_who_has_left() {
        let visitors = Visitors::new(Talk { quiet: true, ..Talk::default() });
        let eid = Eid::from_bytes([7; 32]);
        (0..2).for_each(|_| visitors.came(eid, remote()));
        visitors.goes_by(eid, STREAMS);
        visitors.left(eid, &closed());
        assert_eq!(visitors.here().len(), 1, "control: one connection is left");
        visitors.left(eid, &closed());
        visitors.goes_by(eid, STREAMS);
        assert!(visitors.here().is_empty());
    }
}
