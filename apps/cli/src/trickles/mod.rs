//! Files without state (docs/wire.md section 6.1): what answers requests out of a folder and what the requests bring;
//! and what keeps a server of them running.
//!
//! * [`config`], [`daemon`], [`status`]: the process; what it has in common with others is in [`crate::daemon`].
//! * [`spray`]: what stands before several servers.
//! * [`keys`], [`left`]: the files that servers share, and leave to each other.

mod answers;
pub mod config;
pub mod daemon;
mod descriptors;
mod fetch;
mod following;
mod gather;
mod given;
mod hashes;
mod jobs;
mod journal;
pub mod keys;
pub mod left;
mod listings;
mod means;
pub mod membership;
mod plain;
mod reading;
pub mod shop;
pub mod spray;
pub mod status;
pub mod watermark;
mod ways;
pub mod web;
#[cfg(test)]
mod world;

pub use answers::Files;
pub use descriptors::DESCRIPTORS_MAX;
pub use fetch::{ANSWERED_AT_ONCE_MAX, Answered, HASH_TRIES_MAX, Stateless, dial_failure, is_absence};
pub use following::Following;
pub use hashes::{HASHED_AT_ONCE_MAX, HASHES_BYTES_MIN, HASHES_KEPT_MAX, HASHES_WAITING_MAX};
pub use listings::{LISTING_LEN_MAX, LISTINGS_KEPT_MAX};
pub use means::{CACHE_CHOICE_MAX, IMAGES_CACHE_DEFAULT, Keeper, Means};
pub use plain::{HTTP_HEAD_MAX, HTTP_SILENCE_MAX, NoPlainUrl, Plain, PlainUrl};
pub use ways::{Spare, Ways};

use tng::trickles::{Answer, Fault};
use tng_services::files;
use tng_services::stateless::{self, BadAsking};

use crate::daemon::Kind;

/// What a server is called, for those who look after it.
pub const TRICKLES: Kind =
    Kind { name: "server", command: "tng trickles", unit: "tng-trickles", metrics: "tng_trickles" };

/// Why somebody does not get an object, as it is told.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Wrong {
    fault: Fault,
    text: String,
}

impl Wrong {
    /// Tells the client, and who reads the log.
    fn tell(&self, object: u64, answer: &mut Answer<'_>) {
        tracing::info!(client = %answer.client().remote, fault = ?self.fault, text = %self.text, "refused");
        answer.fault(object, self.fault, &self.text);
    }
}

impl From<files::Fault> for Wrong {
    fn from(fault: files::Fault) -> Wrong {
        let text = fault.to_string();
        let fault = match fault.code {
            // Another moment it may be there.
            files::FaultCode::Busy => Fault::Overloaded,
            code => Fault::Application(stateless::fault_code(code)),
        };
        Wrong { fault, text }
    }
}

impl From<BadAsking> for Wrong {
    fn from(bad: BadAsking) -> Wrong {
        let code = match bad {
            BadAsking::TooLong => stateless::PATH_TOO_LONG,
            _ => stateless::fault_code(files::FaultCode::BadRequest),
        };
        Wrong { fault: Fault::Application(code), text: bad.to_string() }
    }
}

impl From<std::io::Error> for Wrong {
    fn from(error: std::io::Error) -> Wrong {
        files::Fault::new(files::FaultCode::Io, &crate::failure::reason(&error)).into()
    }
}

/// That a file is not what it was.
fn changed() -> Wrong {
    files::Fault::new(files::FaultCode::Changed, "ask for it anew").into()
}
