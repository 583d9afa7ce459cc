//! Files without state (docs/wire.md section 6.1): what answers requests out of a folder and what the requests bring.

mod answers;
mod descriptors;
mod fetch;
mod gather;
mod given;
mod hashes;
pub mod keys;
mod listings;
mod plain;
pub mod shop;
pub mod watermark;
mod ways;
#[cfg(test)]
mod world;

pub use answers::Files;
pub use descriptors::DESCRIPTORS_MAX;
pub use fetch::{ANSWERED_AT_ONCE_MAX, Answered, HASH_TRIES_MAX, Stateless, is_absence};
pub use hashes::{HASHED_AT_ONCE_MAX, HASHES_KEPT_MAX, HASHES_WAITING_MAX};
pub use listings::{LISTING_LEN_MAX, LISTINGS_KEPT_MAX};
pub use plain::{HTTP_HEAD_MAX, HTTP_SILENCE_MAX, NoPlainUrl, Plain, PlainUrl};
pub use ways::{Spare, Ways};

use tng::trickles::Fault;
use tng_services::files;
use tng_services::stateless::{self, BadAsking};

/// Why somebody does not get an object, as it is told.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Wrong {
    fault: Fault,
    text: String,
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
