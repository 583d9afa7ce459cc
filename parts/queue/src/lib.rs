//! Queue disciplines: what waits, in what order it leaves, and what is dropped or marked on the way.
//!
//! A [`Discipline`] is a plain value over any packet type that can tell its length and its ECN codepoint ([`Item`]).
//! Simulated routers and helpers in the path use the same ones: [`DropTail`], [`Red`], [`CoDel`] and [`Threshold`],
//! built by name from a [`QueueConfig`]. Every discipline passes the [`battery`].
#![forbid(unsafe_code)]

pub mod battery;
mod codel;
mod droptail;
mod fifo;
mod red;
#[cfg(test)]
mod tests;
mod threshold;

use core::time::Duration;

use tng_base::{Ecn, Instant, Rng};

pub use codel::{CoDel, CoDelConfig};
pub use droptail::{DropTail, Limit};
pub use red::{Red, RedConfig};
pub use threshold::{Threshold, ThresholdConfig};

/// The most packets that any discipline holds, whatever its configuration says.
pub const QUEUE_PACKETS_MAX: usize = 1 << 18;

/// What can wait in a queue.
pub trait Item: Send {
    /// Bytes that the item takes of the queue and of the link behind it.
    fn bytes(&self) -> usize;
    /// Its ECN codepoint.
    fn ecn(&self) -> Ecn;
    /// Sets the codepoint to congestion experienced. Only called on ECN-capable items.
    fn mark(&mut self);
}

/// What became of an offered item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Verdict<P> {
    /// It waits, perhaps marked.
    Queued,
    /// It is given back: the queue dropped it.
    Dropped(P),
}

/// A queue with a policy. Items leave in the order in which they came.
pub trait Discipline<P>: Send {
    /// Offers an item.
    fn enqueue(&mut self, now: Instant, item: P) -> Verdict<P>;

    /// Takes the next item. What the policy drops on the way goes to `dropped`, oldest first.
    fn dequeue(&mut self, now: Instant, dropped: &mut dyn FnMut(P)) -> Option<P>;

    /// Items waiting.
    fn packets(&self) -> usize;

    /// Bytes waiting.
    fn bytes(&self) -> u64;

    /// Items marked so far.
    fn marks(&self) -> u64;

    /// Those who send to the queue have a round trip of no less, as far as is known. One that judges by time reacts
    /// faster to senders that do.
    fn set_round_trip(&mut self, _rtt_min: Duration) {}

    /// Nothing is expected for a while: gives back the memory that holds nothing.
    fn shrink(&mut self) {}
}

/// A discipline and its parameters.
#[derive(Clone, PartialEq, Debug)]
pub enum QueueConfig {
    /// First in, first out, bounded.
    DropTail(Limit),
    /// Random early detection.
    Red(RedConfig),
    /// Controlled delay.
    CoDel(CoDelConfig),
    /// Marks above a threshold.
    Threshold(ThresholdConfig),
}

impl QueueConfig {
    /// An empty queue of this discipline. `rng` serves those that draw lots.
    pub fn build<P: Item + 'static>(&self, rng: Rng) -> Box<dyn Discipline<P>> {
        match self {
            QueueConfig::DropTail(limit) => Box::new(DropTail::new(*limit)),
            QueueConfig::Red(config) => Box::new(Red::new(config.clone(), rng)),
            QueueConfig::CoDel(config) => Box::new(CoDel::new(config.clone())),
            QueueConfig::Threshold(config) => Box::new(Threshold::new(config.clone())),
        }
    }
}

impl Default for QueueConfig {
    /// Drop-tail with netem's customary 1000 packets.
    fn default() -> QueueConfig {
        QueueConfig::DropTail(Limit::default())
    }
}

/// Whether `item` may be marked instead of dropped.
fn ecn_capable<P: Item>(item: &P) -> bool {
    item.ecn() != Ecn::NotEct
}
