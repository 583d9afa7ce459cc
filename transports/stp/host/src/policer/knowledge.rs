//! What a policer knows of the path.

use core::time::Duration;

use tng_base::Instant;
use tng_congestion::LossIntervals;

/// What is known of the path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Knowledge {
    /// Nothing. So many bytes may leave; at a time, if there is one, more of them; and then after `wait`.
    Nothing { left: u64, more_at: Option<Instant>, wait: Duration },
    /// That it carries what was proven in a round trip, at most so much.
    Carries { fastest: u64 },
    /// How often something is lost.
    Losses { losses: LossIntervals, undo: Option<Undo> },
}

/// What there was before a loss event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    pub(super) before: Option<LossIntervals>,
    /// Bytes lost in the event that are not proven after all.
    pub(super) lost: u64,
}
