//! How time passes in a run: in slices, with a look after each whether something is wrong.

use core::time::Duration;

use tng_base::Instant;
use tng_sim::{Node, World};

/// The first slice, and the longest: each is twice the one before.
const SLICE_FIRST: Duration = Duration::from_millis(5);
const SLICE_MAX: Duration = Duration::from_millis(500);

/// A run under way.
pub(super) trait Passage {
    /// Who is in its world.
    type Party: Node;

    /// Its world.
    fn world(&mut self) -> &mut World<Self::Party>;

    /// What is wrong by now, in words, if anything is.
    fn verdict(&self) -> Result<(), String>;

    /// Lets time pass, and looks now and then whether something is wrong.
    fn pass_until(&mut self, time: Instant) -> Result<(), String> {
        let time = time.since(self.world().now());
        self.wait(time, |_| false).map(drop)
    }

    /// Lets time pass until `done`: whether that came to be in time.
    fn wait(&mut self, time: Duration, done: impl Fn(&Self) -> bool) -> Result<bool, String> {
        let (limit, mut slice) = (self.world().now() + time, SLICE_FIRST);
        while !done(self) {
            let now = self.world().now();
            if now >= limit {
                return Ok(false);
            }
            self.world().run_until((now + slice).min(limit));
            slice = (slice * 2).min(SLICE_MAX);
            self.verdict()?;
        }
        Ok(true)
    }
}
