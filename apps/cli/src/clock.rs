//! The tool's clock. Machines are told the time; the tool is one of the two places that may ask for it.

use std::time::{Duration, Instant, SystemTime};

/// Now.
#[expect(clippy::disallowed_methods, reason = "the tool measures real transfers for people")]
pub fn now() -> Instant {
    Instant::now()
}

/// Now, by the clock that tokio's timers go by.
#[expect(clippy::disallowed_methods, reason = "what peers may have done is rationed by real time")]
pub fn ticks() -> tokio::time::Instant {
    tokio::time::Instant::now()
}

/// Seconds since 1970.
pub fn seconds_since_1970() -> u64 {
    since_1970().as_secs()
}

/// The time since 1970.
#[expect(clippy::disallowed_methods, reason = "reports of real transfers say when they were made; keys go by epochs")]
pub fn since_1970() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Waits.
#[expect(clippy::disallowed_methods, reason = "processes tell nobody when they have ended")]
pub fn rest(time: Duration) {
    std::thread::sleep(time);
}
