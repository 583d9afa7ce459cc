//! The real clock, as machines and lanes count time.

use std::time::Duration;

use tng_base::Instant;

/// Time since the clock was made.
#[derive(Clone, Copy)]
pub(crate) struct Clock(std::time::Instant);

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock(now())
    }

    pub(crate) fn now(self) -> Instant {
        Instant::from_nanos(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

/// Now.
#[expect(clippy::disallowed_methods, reason = "real time is what an emulator is for")]
pub(crate) fn now() -> std::time::Instant {
    std::time::Instant::now()
}

/// The clock that the kernel stamps packets with.
pub(crate) fn since_1970() -> Duration {
    std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
}

/// Waits.
#[expect(clippy::disallowed_methods, reason = "real time is what an emulator is for")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}
