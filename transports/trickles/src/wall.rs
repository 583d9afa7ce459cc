//! The time that servers share.

use core::time::Duration;

use tng_base::Instant;

/// Milliseconds since 1970 (Unix time), by the clock of some server. Servers differ by their skew.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Wall(u64);

impl Wall {
    /// So many milliseconds since 1970.
    pub const fn from_millis(ms: u64) -> Wall {
        Wall(ms)
    }

    /// Milliseconds since 1970.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The time that has passed since `earlier`, zero if that is to come.
    pub const fn since(self, earlier: Wall) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// The same, so much later.
    pub const fn after(self, time: Duration) -> Wall {
        let ms = time.as_millis();
        Wall(self.0.saturating_add(if ms > u64::MAX as u128 { u64::MAX } else { ms as u64 }))
    }
}

impl Wall {
    /// The same, so much earlier; not before 1970.
    pub const fn before(self, time: Duration) -> Wall {
        let ms = time.as_millis();
        Wall(self.0.saturating_sub(if ms > u64::MAX as u128 { u64::MAX } else { ms as u64 }))
    }
}

/// What a server's clock says at a driver's instant: a machine has no clock of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WallClock {
    /// At the driver's origin.
    origin: Wall,
}

impl WallClock {
    /// A clock that says `wall` at `now`.
    pub const fn set(now: Instant, wall: Wall) -> WallClock {
        WallClock { origin: Wall(wall.0.saturating_sub(now.as_nanos() / 1_000_000)) }
    }

    /// What it says at `now`.
    pub const fn at(&self, now: Instant) -> Wall {
        Wall(self.origin.0.saturating_add(now.as_nanos() / 1_000_000))
    }
}
