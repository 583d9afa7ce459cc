//! Worlds of the swarm that go on: what befalls them does so again in every round, and what their hosts hold when
//! everything is said and heard must not grow.

use core::time::Duration;

use super::{Family, Figures, lots, plan::Plan, ride::Ride};

/// What the hosts of a world hold together after a round, when everything is said and heard.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Quiet {
    /// When that was, seconds.
    pub at_s: f64,
    /// Connections, those that are kept for an unreachable peer included.
    pub connections: usize,
    /// Their channels.
    pub channels: usize,
    /// Bytes that count in their budgets.
    pub memory: u64,
    /// UDP datagrams sent so far.
    pub packets: u64,
}

/// What a long run came to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Soaked {
    /// After each round.
    pub quiets: Vec<Quiet>,
    /// Hosts that held something when the time to forget was over.
    pub left: usize,
    /// All together.
    pub figures: Figures,
}

/// A world of this family goes through so many rounds. In the end its hosts are given `forget` to forget each other.
/// Connections that cannot reach their peer are kept for `keep`. `tell` hears of each round that is over.
///
/// # Errors
/// What did not hold, in words.
///
/// # Panics
/// If the family is that of the siblings, whose worlds are of another kind.
pub fn soak(
    family: Family,
    seed: u64,
    rounds: u64,
    keep: Duration,
    forget: Duration,
    tell: &dyn Fn(u64),
) -> Result<Soaked, String> {
    assert!(Family::MIXED.contains(&family), "{family} have no such worlds");
    let mut rng = lots(family, seed);
    let mut plan = Plan::draw(family, &mut rng);
    plan.configs.iter_mut().for_each(|config| config.keep.time = Some(keep));
    Ride::new(seed ^ (family as u64 + 1) << 56, plan, rng).soak(rounds, forget, tell)
}
