//! The access log of a server that keeps nothing: a line for each connection that is opened, and for each object that
//! is asked for.

use serde_json::{Value, json};
use tng::trickles::Client;
use tng_services::stateless::What;

use crate::clock;
use crate::daemon::lines::shown;
use crate::daemon::log::Log;
use crate::hex::hex;

/// Where applications say what happens. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Journal(Log);

impl Journal {
    /// One that writes to a log.
    pub fn new(log: Log) -> Journal {
        Journal(log)
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
        line["connection"] = hex(&client.id.0[..8]).into();
        line["from"] = shown(client.remote).into();
        self.note(line);
    }

    /// Something happens that this line says.
    pub fn note(&self, mut line: Value) {
        line["time_ms"] = u64::try_from(clock::since_1970().as_millis()).unwrap_or(u64::MAX).into();
        self.0.say(line);
    }
}
