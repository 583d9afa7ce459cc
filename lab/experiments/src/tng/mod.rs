//! Flows over tng: the application beside a [`Host`], which opens the streams of its host, sends its datagrams, does to them
//! what the scenario says, and checks every byte that it receives.
//!
//! * [`plan`]: what all hosts of a run know.
//! * [`app`]: what a host does when.
//! * [`write`], [`read`], [`datagrams`]: how.
//!
//! A stream begins with its number, four bytes; a datagram with the number of its group, whose first bit is set, and its
//! own.

mod app;
mod datagrams;
mod plan;
mod read;
mod write;

use tng_sim::MachineNode;
use tng_stack::Host;

pub(crate) use app::Flows;
pub(crate) use plan::Plan;

/// A host that runs tng.
pub(crate) type TngNode = MachineNode<Host, Flows>;
