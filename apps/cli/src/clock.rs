//! The tool's clock. Machines are told the time; the tool is one of the two places that may ask for it.

use std::time::Instant;

/// Now.
#[expect(clippy::disallowed_methods, reason = "the tool measures real transfers for people")]
pub fn now() -> Instant {
    Instant::now()
}
