//! Scenario files: a network, what flows through it, and what happens to it, in TOML.
//!
//! ```
//! use tng_experiments::Scenario;
//!
//! let scenario = Scenario::parse(
//!     r#"
//!     [world]
//!     seed = 7
//!     duration = "30s"
//!
//!     [[node]]
//!     name = "client"
//!
//!     [[node]]
//!     name = "server"
//!
//!     [[link]]
//!     between = ["client", "server"]
//!     rate = "100mbit"
//!     delay = "25ms"
//!     loss = "0.1%"
//!
//!     [[flow]]
//!     from = "server"
//!     to = "client"
//!     bytes = "100MB"
//!
//!     [[event]]
//!     at = "2s"
//!     kind = "outage"
//!     link = "client-server"
//!     lasts = "500ms"
//!     "#,
//! )
//! .unwrap();
//! assert_eq!(scenario.flows[0].from, 1);
//! ```
//!
//! A wrong key or value is an error that names the line and what should stand there.

mod build;
mod error;
mod lane;
mod nearest;
mod parse;
mod section;
#[cfg(test)]
mod tests;

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_sim::Link;

pub use build::Built;
pub use error::{Fault, ScenarioError};
pub use lane::LinkPatch;

/// A whole scenario. Nodes and links are named by their place in these lists.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// Determines every lot that is drawn.
    pub seed: u64,
    /// When the run ends, unless every flow ends earlier.
    pub duration: Duration,
    /// Hosts and routers.
    pub nodes: Vec<NodeSpec>,
    /// Links between them.
    pub links: Vec<LinkSpec>,
    /// What is sent.
    pub flows: Vec<FlowSpec>,
    /// What happens, in order of time.
    pub events: Vec<EventSpec>,
}

impl Scenario {
    /// The congestion controller of a host: the one that its flows name; they never name two. `None`: they name none.
    pub fn controller_of(&self, node: usize) -> Option<&str> {
        controller_of(&self.flows, node)
    }
}

fn controller_of(flows: &[FlowSpec], node: usize) -> Option<&str> {
    flows.iter().filter(|flow| flow.from == node).find_map(|flow| flow.controller.as_deref())
}

/// The run of a scenario that gives no duration ends after this.
pub const DURATION_DEFAULT: Duration = Duration::from_secs(60);

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeSpec {
    /// Unique.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
}

/// What a node is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// An end of flows, with these addresses; the first is the one that others use.
    Host {
        /// Never empty.
        addresses: Vec<IpAddr>,
    },
    /// Stores and forwards.
    Router,
}

/// A link.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkSpec {
    /// Unique; the names of its ends with a hyphen, unless the file says otherwise.
    pub name: String,
    /// The first end.
    pub a: usize,
    /// The second end.
    pub b: usize,
    /// From `a` to `b`.
    pub forth: Link,
    /// From `b` to `a`.
    pub back: Link,
}

/// What one host sends to another.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowSpec {
    /// Unique; the names of its ends with an arrow, unless the file says otherwise.
    pub name: String,
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// What carries it.
    pub protocol: FlowProtocol,
    /// How much.
    pub amount: Amount,
    /// When it starts.
    pub start: Duration,
    /// The sender's congestion controller, by name; `None`: whatever its other flows name, or else the protocol's own choice.
    pub controller: Option<String>,
}

/// What carries a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlowProtocol {
    /// A structured stream of this suite.
    Tng,
}

/// How much a flow sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// So many bytes, and it ends when they have arrived.
    Bytes(u64),
    /// As much as possible for this long.
    For(Duration),
}

/// Something that happens at a time.
#[derive(Clone, PartialEq, Debug)]
pub struct EventSpec {
    /// When.
    pub at: Duration,
    /// What.
    pub kind: EventKind,
}

/// What happens.
#[derive(Clone, PartialEq, Debug)]
pub enum EventKind {
    /// A link carries nothing for a while.
    Outage {
        /// Which.
        link: usize,
        /// For how long.
        lasts: Duration,
        /// Whether it keeps what waits, instead of dropping it.
        holds: bool,
    },
    /// A link's parameters change.
    Link {
        /// Which.
        link: usize,
        /// In which directions: forth, back.
        lanes: [bool; 2],
        /// To what.
        patch: Box<LinkPatch>,
    },
    /// A host's address changes.
    Address {
        /// Whose.
        node: usize,
        /// The address that goes; `None`: the first that it has then.
        from: Option<IpAddr>,
        /// The one that comes, if any.
        to: Option<IpAddr>,
    },
    /// A NAT before a host forgets its translation and makes another.
    Rebind {
        /// Which host's.
        node: usize,
        /// The host's own address; `None`: the first that it has then.
        local: Option<IpAddr>,
        /// What the others see from now on.
        seen: SocketAddr,
    },
    /// A host loses all state, and starts anew some time later.
    Restart {
        /// Which.
        node: usize,
        /// How much later.
        after: Duration,
    },
    /// A host stops for good.
    Stop {
        /// Which.
        node: usize,
    },
}
