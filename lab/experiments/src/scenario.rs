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
//! docs/scenarios.md has every section and key.
//!
//! A wrong key or value is an error that names the line and what should stand there.

mod build;
mod change;
mod draw;
mod event;
mod flow;
mod lane;
mod netem;
mod parse;
#[cfg(test)]
mod tests;
mod ways;

use core::net::{IpAddr, SocketAddr};
use core::time::Duration;

use tng_congestion::Controllers;
use tng_queue::QueueConfig;
use tng_semantic::structured::Priority;
use tng_sim::{Link, NatConfig};

pub use build::{Built, Seat};
pub use draw::{Draw, Law, OnOff, PERIOD_MIN};

pub use lane::LinkPatch;
pub use lane::queue;
pub(crate) use lane::{pattern_file, trace_file};

pub use crate::engine::protocol::FlowProtocol;

/// A whole scenario. Nodes and links are named by their place in these lists.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// Determines every lot that is drawn.
    pub seed: u64,
    /// When the run ends, unless every flow ends earlier.
    pub duration: Duration,
    /// The step of every series in the report; not zero.
    pub interval: Duration,
    /// Hosts and routers.
    pub nodes: Vec<NodeSpec>,
    /// Links between them.
    pub links: Vec<LinkSpec>,
    /// What the controllers of flows may be called.
    pub controllers: Controllers,
    /// What is sent.
    pub flows: Vec<FlowSpec>,
    /// What happens, in order of time.
    pub events: Vec<EventSpec>,
}

impl Scenario {
    /// The congestion controller that a host's flows over a protocol name first. Over one that has one controller at a
    /// host they never name two. `None`: they name none.
    pub fn controller_of(&self, node: usize, protocol: FlowProtocol) -> Option<&str> {
        controller_of(&self.flows, node, protocol)
    }

    /// Whether the policer holds a flow's controller.
    pub fn is_policed(&self, flow: &FlowSpec) -> bool {
        let by_host = flow.protocol.row().control.is_some_and(|control| control.by_host);
        let said = if by_host { policed_of(&self.flows, flow.from, flow.protocol) } else { flow.policed };
        said.unwrap_or(false)
    }

    /// The protocols that a host's flows use, in the order of [`FlowProtocol::ALL`].
    pub fn protocols_of(&self, node: usize) -> Vec<FlowProtocol> {
        let uses = |protocol: &FlowProtocol| {
            self.flows.iter().any(|flow| flow.protocol == *protocol && [flow.from, flow.to].contains(&node))
        };
        FlowProtocol::ALL.iter().copied().filter(uses).collect()
    }

    /// What an event is, in a few words.
    pub fn describe(&self, event: &EventSpec) -> String {
        let link = |link: usize| &self.links[link].name;
        let node = |node: usize| &self.nodes[node].name;
        match &event.kind {
            EventKind::Outage { link: at, lasts, .. } => format!("{} carries nothing for {lasts:?}", link(*at)),
            EventKind::Link { link: at, .. } => format!("{} changes", link(*at)),
            EventKind::Address { node: at, to: Some(to), .. } => format!("{} moves to {to}", node(*at)),
            EventKind::Address { node: at, to: None, .. } => format!("{} loses an address", node(*at)),
            EventKind::Rebind { node: at, seen, .. } => format!("{} is seen as {seen}", node(*at)),
            EventKind::Restart { node: at, .. } => format!("{} restarts", node(*at)),
            EventKind::Peer { node: at, peer, action: PeerAction::Path { to, .. } } => {
                format!("{} asks {} for a path to {to}", node(*at), node(*peer))
            }
            EventKind::Peer { node: at, peer, action: PeerAction::Reach { to } } => {
                format!("{} is told that {} is at {to}", node(*at), node(*peer))
            }
            EventKind::Stop { node: at } => format!("{} stops", node(*at)),
            EventKind::Stream { stream, action } => {
                let name = &self.flows[stream.flow].streams[stream.stream].name;
                match action {
                    StreamAction::Priority { by, priority } => {
                        let by = if *by == End::Sender { "sender" } else { "receiver" };
                        let level =
                            priority.level.map_or("its parent's level".to_owned(), |level| format!("level {level}"));
                        format!("{name}: {level}, weight {}, by its {by}", priority.weight)
                    }
                    StreamAction::Pause => format!("{name} is not read"),
                    StreamAction::Resume => format!("{name} is read again"),
                    StreamAction::Finish => format!("{name} is finished early"),
                    StreamAction::Reset { code } => format!("{name} is reset with code {code}"),
                    StreamAction::Stop { code } => format!("{name} is stopped with code {code}"),
                }
            }
        }
    }
}

fn controller_of(flows: &[FlowSpec], node: usize, protocol: FlowProtocol) -> Option<&str> {
    let such = |flow: &&FlowSpec| flow.from == node && flow.protocol == protocol;
    flows.iter().filter(such).find_map(|flow| flow.controller.as_deref())
}

fn policed_of(flows: &[FlowSpec], node: usize, protocol: FlowProtocol) -> Option<bool> {
    let such = |flow: &&FlowSpec| flow.from == node && flow.protocol == protocol;
    flows.iter().filter(such).find_map(|flow| flow.policed)
}

/// The run of a scenario that gives no duration ends after this.
pub const DURATION_DEFAULT: Duration = Duration::from_secs(60);
/// Step of every series of a scenario that gives none.
pub const INTERVAL_DEFAULT: Duration = Duration::from_millis(100);

/// A node.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeSpec {
    /// Unique.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
}

/// What a node is.
#[derive(Clone, PartialEq, Debug)]
pub enum NodeKind {
    /// An end of flows, with these addresses; the first is the one that others use.
    Host {
        /// Never empty.
        addresses: Vec<IpAddr>,
        /// What its tng does otherwise than by default.
        tng: TngSpec,
    },
    /// Stores and forwards.
    Router,
    /// Helps flows over tng that name it: passes them on from section to section.
    Helper {
        /// Never empty; the first is the one that others use.
        addresses: Vec<IpAddr>,
        /// What its operator decides otherwise than by default.
        queue: HelperQueue,
    },
    /// A router that stands for the nodes behind it.
    Nat {
        /// What it is set to.
        config: NatConfig,
        /// The nodes behind it, each on a link with it.
        inside: Vec<usize>,
    },
}

impl NodeKind {
    /// What it is called in files.
    pub const fn name(&self) -> &'static str {
        match self {
            NodeKind::Host { .. } => "host",
            NodeKind::Router => "router",
            NodeKind::Helper { .. } => "helper",
            NodeKind::Nat { .. } => "nat",
        }
    }

    /// The addresses at which it is found, of what is an end of packets.
    pub fn addresses(&self) -> &[IpAddr] {
        match self {
            NodeKind::Host { addresses, .. } | NodeKind::Helper { addresses, .. } => addresses,
            NodeKind::Router | NodeKind::Nat { .. } => &[],
        }
    }

    /// Whether it passes on packets that are not for it.
    pub const fn forwards(&self) -> bool {
        matches!(self, NodeKind::Router | NodeKind::Nat { .. })
    }
}

/// The queues of a helper, each between two sections of a flow.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HelperQueue {
    /// Their discipline; `None`: what the controller of the section that feeds one expects of a router.
    pub discipline: Option<QueueConfig>,
    /// What leaves one in so long is what it holds at most; `None`: by default.
    pub time: Option<Duration>,
}

/// What a host's tng does otherwise than by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TngSpec {
    /// How long its connections send nothing before they send a packet that says no more than that they are there;
    /// `None`: for ever.
    pub keep_alive: Option<Duration>,
    /// How long it keeps connections whose peer cannot be reached; `None`: by default.
    pub keep: Option<Kept>,
    /// Streams that a peer may have at once on a connection; `None`: by default.
    pub streams_max: Option<u64>,
    /// A keyed checksum instead of encryption, if the peer says so, too (SST 4.2.3).
    pub weak: bool,
}

/// How long something is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// So long.
    For(Duration),
    /// Until the run ends.
    Forever,
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
    /// Addresses of its ends that are reached over this link alone; what is sent from them leaves by it.
    pub addresses: Vec<IpAddr>,
    /// From `a` to `b`.
    pub forth: Link,
    /// From `b` to `a`.
    pub back: Link,
}

/// What passes between two hosts.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowSpec {
    /// Unique; the names of its ends with an arrow, unless the file says otherwise.
    pub name: String,
    /// The flows that it is compared with others together with; its protocol's name, unless the file says otherwise.
    pub group: String,
    /// The sender of what goes forth.
    pub from: usize,
    /// Its receiver.
    pub to: usize,
    /// What carries it.
    pub protocol: FlowProtocol,
    /// The helpers that it goes through from `from` to `to`, and in the other order back; none: it is direct. All flows
    /// over tng between two hosts have the same.
    pub via: Vec<usize>,
    /// Its congestion controller, by name. Over tng and QUIC the sender's, whose other flows over it have the same;
    /// over TCP that of both ends. `None`: the protocol's own choice, or what those other flows name.
    pub controller: Option<String>,
    /// Whether the policer of guests holds that controller: `Policed` of `tng_stp_host`. Whose it is, and what `None`
    /// is, is as with the controller.
    pub policed: Option<bool>,
    /// Its streams: one of the flow's own name, if the file gives the flow bytes or a duration instead.
    pub streams: Vec<StreamSpec>,
    /// Its datagrams.
    pub datagrams: Vec<DatagramSpec>,
    /// Pages that come forth.
    pub web: Vec<WebSpec>,
}

impl FlowSpec {
    /// From whom to whom its packets go, one after the other, forth.
    pub fn legs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let stops = || core::iter::once(self.from).chain(self.via.iter().copied()).chain([self.to]);
        stops().zip(stops().skip(1))
    }

    /// Sender and receiver of what goes in a direction.
    pub fn ends(&self, direction: Direction) -> (usize, usize) {
        match direction {
            Direction::Forth => (self.from, self.to),
            Direction::Back => (self.to, self.from),
        }
    }
}

/// Which way something goes, seen from the flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the flow's `from` to its `to`.
    Forth,
    /// The other way.
    Back,
}

/// A stream of a flow, or several alike.
#[derive(Clone, PartialEq, Debug)]
pub struct StreamSpec {
    /// Unique in the file; the flow's name and a number, unless the file says otherwise.
    pub name: String,
    /// How many there are; at least one.
    pub count: u32,
    /// Which way its bytes go.
    pub direction: Direction,
    /// How much each sends.
    pub amount: Amount,
    /// When the first starts.
    pub start: Duration,
    /// Over TCP: when the connections are made, if before that. A connection's handshake, and its stream's number,
    /// cross then.
    pub connect: Option<Duration>,
    /// How much later each of the others starts than the one before.
    pub every: Draw<Duration>,
    /// The stream whose child it is, by its place in [`FlowSpec::streams`]. If there are as many parents as children,
    /// each is the child of the parent of its number; otherwise there is one parent.
    pub parent: Option<usize>,
    /// What it is given at its start.
    pub priority: Option<Priority>,
    /// The receiver opens the stream and sends so many bytes; what the sender sends is the answer to them. `None`: the
    /// sender opens it.
    pub request: Option<u64>,
    /// How its bytes are written; `None`: as fast as they go.
    pub pace: Option<Pace>,
    /// Written only in some periods, the first from its beginning on; `None`: all the time.
    pub on_off: Option<OnOff>,
    /// What its bytes mean to the receiver.
    pub messages: Option<Messages>,
}

/// A stream of a scenario.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct StreamRef {
    /// Place in [`Scenario::flows`].
    pub flow: usize,
    /// Place in [`FlowSpec::streams`].
    pub stream: usize,
}

/// How much a stream sends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Amount {
    /// So many bytes, and it ends when they have arrived.
    Bytes(u64),
    /// The same, but how many is drawn for each stream by itself.
    Drawn(Draw<u64>),
    /// As much as possible for this long.
    For(Duration),
    /// As much as possible until the run ends, which does not wait for it.
    Forever,
}

/// Bytes are written piece by piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Bytes at once; not zero.
    pub chunk: u64,
    /// How often; not zero.
    pub interval: Duration,
}

/// A stream's bytes are messages, all of one size but for the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Messages {
    /// Bytes of each; not zero.
    pub size: u64,
    /// The messages are not written one behind the other, but in pieces of so many bytes, one of each in turn; not
    /// zero.
    pub piece: Option<u64>,
}

/// Datagrams, all alike.
#[derive(Clone, PartialEq, Debug)]
pub struct DatagramSpec {
    /// Unique in the file, among streams too.
    pub name: String,
    /// Which way they go.
    pub direction: Direction,
    /// Bytes of each, at least [`DATAGRAM_MIN`].
    pub size: u64,
    /// One is sent so often; not zero.
    pub interval: Duration,
    /// How many; `None`: until the run ends, which does not wait for them.
    pub count: Option<u64>,
    /// When the first is sent.
    pub start: Duration,
    /// Sent only in some periods, the first from their beginning on; `None`: all the time.
    pub on_off: Option<OnOff>,
    /// How long each may wait to be sent.
    pub lifetime: Option<Duration>,
    /// The stream whose children they are, by its place in [`FlowSpec::streams`]; `None`: one of their own.
    pub parent: Option<usize>,
}

/// Somebody at the flow's `to` looks at pages of its `from`, one after the other. What is on them is drawn by
/// [`Model`](crate::peers::web::Model).
#[derive(Clone, PartialEq, Debug)]
pub struct WebSpec {
    /// Unique in the file, among streams and datagrams too.
    pub name: String,
    /// How many pages; not zero.
    pub pages: u32,
    /// Requests of a page that are under way at once, when the first has told of the others; not zero.
    pub parallel: u32,
    /// How long each page is looked at, from when all of it is there.
    pub think: Draw<Duration>,
    /// When the first is asked for.
    pub start: Duration,
}

/// Helpers that a flow goes through at most: as many as an Opening names.
pub const HELPERS_MAX: usize = 8;
/// Requests of a page that are under way at once, unless the file says otherwise: connections that browsers have to a
/// host.
pub const WEB_PARALLEL_DEFAULT: u32 = 6;
/// Requests that a page has at most.
pub const WEB_REQUESTS_MAX: u64 = 54;
/// Bytes of the smallest datagram: its group and number are in it.
pub const DATAGRAM_MIN: u64 = 8;
/// Bytes of the largest datagram over plain UDP, which is one packet.
pub const UDP_DATAGRAM_MAX: u64 = 65_507;
/// Streams that a scenario may have, those of every `count` together.
pub const STREAMS_MAX: u64 = 100_000;
/// Datagrams that a group may have.
pub const DATAGRAMS_MAX: u64 = 1_000_000;
/// Intervals that the duration of a scenario may have.
pub const INTERVALS_MAX: u64 = 100_000;

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
    /// An application does something to its connection to a peer over tng. Nodes do it themselves, as with streams.
    Peer {
        /// Whose application.
        node: usize,
        /// The peer.
        peer: usize,
        /// What.
        action: PeerAction,
    },
    /// A host stops for good.
    Stop {
        /// Which.
        node: usize,
    },
    /// An application does something to a stream, or to all that a `count` makes. The world knows nothing of it: nodes
    /// do it themselves.
    Stream {
        /// Which.
        stream: StreamRef,
        /// What.
        action: StreamAction,
    },
}

/// What an application does to its connection to a peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PeerAction {
    /// Asks for a further path.
    Path {
        /// From this address; `None`: any.
        local: Option<IpAddr>,
        /// To this address of the peer's.
        to: IpAddr,
    },
    /// Says where the peer can be found from now on.
    Reach {
        /// There.
        to: IpAddr,
    },
}

/// What an application does to a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamAction {
    /// Gives it another priority.
    Priority {
        /// Who does.
        by: End,
        /// Which priority.
        priority: Priority,
    },
    /// The receiver reads no more for now.
    Pause,
    /// The receiver reads on.
    Resume,
    /// The sender writes no more, and what it wrote arrives.
    Finish,
    /// The sender gives it up.
    Reset {
        /// What the receiver is told.
        code: u64,
    },
    /// The receiver gives it up.
    Stop {
        /// What the sender is told.
        code: u64,
    },
}

/// An end of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Who writes.
    Sender,
    /// Who reads.
    Receiver,
}
