//! Worlds of the swarm that go on: what befalls them does so again in every round, and every few rounds their hosts
//! part and forget each other. Then nothing may be left, however often that was.

use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tng_base::Rng;

use super::plan::Plan;
use super::ride::Ride;
use super::{Family, Figures, lots, lots_apart, panic_words};
use crate::peers::transport::tell;
use crate::settings::{Configured, Settings};

/// What the hosts of a world hold together.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Held {
    /// When that was, seconds.
    pub at_s: f64,
    /// Connections, those that are kept for an unreachable peer included.
    pub connections: usize,
    /// Their channels.
    pub channels: usize,
    /// Bytes that count in their budgets.
    pub memory: u64,
}

/// What a long run came to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Soaked {
    /// What was held after each round, when everything was said and heard.
    pub rounds: Vec<Held>,
    /// And each time when they had parted and the time to forget was over.
    pub partings: Vec<Held>,
    /// Hosts that held anything then, at most.
    pub left: usize,
    /// All together.
    pub figures: Figures,
}

/// A world that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Soak {
    /// Of this family; not of the siblings nor of Trickles, whose worlds are of another kind.
    pub family: Family,
    /// Decides every lot.
    pub seed: u64,
    /// In each round everything happens again.
    pub rounds: u64,
    /// After so many rounds its hosts part, and begin anew; at least one.
    pub parted_each: u64,
    /// How long connections are kept whose peer cannot be reached.
    pub keep: Duration,
    /// How long its hosts are given to forget each other.
    pub forget: Duration,
}

impl Soak {
    /// Whose worlds can go on.
    pub const FAMILIES: &[Family] = Family::MIXED;

    fn draw(&self) -> (Plan, Rng) {
        let mut rng = lots(self.family, self.seed);
        let mut plan = Plan::draw(self.family, &mut rng, lots_apart(self.family, self.seed));
        plan.configs.iter_mut().for_each(|config| config.keep.time = Some(self.keep));
        (plan, rng)
    }

    /// Runs it. `tell` hears of each round that is over.
    ///
    /// # Errors
    /// What did not hold, in words.
    pub fn run(self, tell: &dyn Fn(u64)) -> Result<Soaked, String> {
        let ride = || {
            let (plan, rng) = self.draw();
            Ride::new(self.seed ^ (self.family as u64 + 1) << 56, plan, rng).soak(
                self.rounds,
                self.parted_each,
                self.forget,
                tell,
            )
        };
        catch_unwind(AssertUnwindSafe(ride)).unwrap_or_else(|panic| Err(panic_words(&*panic)))
    }
}

impl Configured for Soak {
    fn tell(&self, settings: &mut Settings) {
        let (plan, _) = self.draw();
        for (number, (forth, back)) in plan.roads.iter().enumerate() {
            tell::link(settings, &format!("{}, road {number}, to who listens", self.family), forth);
            tell::link(settings, &format!("{}, road {number}, from who listens", self.family), back);
        }
        for (who, config) in ["who asks", "who listens"].into_iter().zip(&plan.configs) {
            tell::host(settings, &format!("{}, {who}", self.family), config);
        }
    }
}
