//! What can carry a flow of a scenario: a table with a row for each protocol.
//!
//! A row tells everything in which protocols differ: what a scenario file may ask of them, where their packets are
//! found, what runs at an end. It stands beside the node that speaks the protocol; a new protocol is such a file, and a
//! line of [`FlowProtocol::ALL`].

use core::cmp::Ordering;
use core::fmt;
use std::rc::Rc;

use tng_sim::{DATAGRAM_OVERHEAD, Node};

use crate::engine::asked;
use crate::engine::cross;
use crate::engine::ledger::Ledger;
use crate::engine::plain::{quic, stp, tcp};
use crate::engine::plan::Plan;
use crate::engine::tng;
use crate::peers::transport::{Helped, Rtt};
use crate::real::Real;
use crate::scenario::Seat;
use crate::settings::Settings;

/// Bytes of the IPv4 packets with which channels and QUIC connections begin: their datagrams have 1,200.
pub(crate) const FIRST_MTU: usize = 1_200 + DATAGRAM_OVERHEAD;

/// What carries a flow: a row of the table.
#[derive(Clone, Copy)]
pub struct FlowProtocol(&'static Row);

/// In what one protocol differs from the others.
pub(crate) struct Row {
    /// Its name in scenario files, by which it is told from the others.
    pub(crate) name: &'static str,
    /// Which of a host's streams of randomness are its own: its number in the order in which protocols were added.
    pub(crate) lots: u64,
    /// Where its packets are found.
    pub(crate) seat: Seat,
    /// What a flow over it cannot have: keys of the flow, of its streams and of its datagrams, each with why.
    pub(crate) lacks: &'static [(&'static str, &'static str)],
    /// What regulates it; `None`: nothing.
    pub(crate) control: Option<Control>,
    /// Streams are trees with priorities that may change; datagrams belong to a stream.
    pub(crate) structured: bool,
    /// Whether receivers open all streams, with a request or without: senders speak when they are asked. They measure
    /// round-trip times, too.
    pub(crate) receiver_opens: bool,
    /// Bytes of its largest datagram, where that is one packet whatever the links; `None`: the nodes say so.
    pub(crate) datagram_max: Option<u64>,
    /// Bytes of the IPv4 packets with which it begins, which every link must take; zero: any will do.
    pub(crate) mtu_min: usize,
    /// Whether a seed determines every byte that it sends; otherwise times and sizes alone.
    pub(crate) repeats_bytes: bool,
    /// The node that speaks it at a place, started for the `n`th time, counted from zero: plan, ledger, place, `n`.
    pub(crate) node: fn(&Rc<Plan>, &Ledger, usize, u32) -> Party,
    /// Tells, as this part, what its node at a place is set to.
    pub(crate) tell: fn(&Plan, usize, &str, &mut Settings),
    /// What carries its flows in real time, if anything does.
    pub(crate) real: Option<Real>,
}

/// How flows over a protocol choose what regulates them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control {
    /// Whether a host has one controller for all flows that it sends over the protocol; otherwise each flow has its
    /// own.
    pub(crate) by_host: bool,
    /// Names of its own controllers; `None`: those of the suite, which the scenario knows.
    pub(crate) own: Option<&'static [&'static str]>,
    /// What flows have that name none.
    pub(crate) default: &'static str,
}

impl FlowProtocol {
    /// Structured streams of this suite.
    pub const TNG: FlowProtocol = FlowProtocol(&tng::ROW);
    /// The reference TCP; each stream is a connection.
    pub const TCP: FlowProtocol = FlowProtocol(&tcp::ROW);
    /// QUIC, as quinn has it; one connection for each pair of hosts.
    pub const QUIC: FlowProtocol = FlowProtocol(&quic::ROW);
    /// Plain datagrams that nobody answers and nothing regulates: cross traffic.
    pub const UDP: FlowProtocol = FlowProtocol(&cross::ROW);

    /// Trickles, whose servers keep nothing; one connection for each pair of hosts.
    pub const TRICKLES: FlowProtocol = FlowProtocol(&asked::ROW);

    /// TCP NewReno as a guest.
    pub const STP_NEWRENO: FlowProtocol = FlowProtocol(&stp::NEWRENO);
    /// TCP with selective acknowledgments as a guest.
    pub const STP_SACK: FlowProtocol = FlowProtocol(&stp::SACK);

    /// Every row. What a flow that names none uses is the first.
    pub const ALL: &[FlowProtocol] = &[
        FlowProtocol::TNG,
        FlowProtocol::TCP,
        FlowProtocol::QUIC,
        FlowProtocol::UDP,
        FlowProtocol::TRICKLES,
        FlowProtocol::STP_NEWRENO,
        FlowProtocol::STP_SACK,
    ];

    /// Its name in scenario files.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What is in its row.
    pub(crate) fn row(self) -> &'static Row {
        self.0
    }

    /// Why a flow over it cannot have this key; `None`: it can.
    pub(crate) fn lacks(self, key: &str) -> Option<&'static str> {
        self.0.lacks.iter().find(|(lacking, _)| *lacking == key).map(|(_, why)| *why)
    }
}

/// Names are unique.
impl PartialEq for FlowProtocol {
    fn eq(&self, other: &FlowProtocol) -> bool {
        self.name() == other.name()
    }
}

impl Eq for FlowProtocol {}

/// In the order in which protocols were added.
impl Ord for FlowProtocol {
    fn cmp(&self, other: &FlowProtocol) -> Ordering {
        self.0.lots.cmp(&other.0.lots)
    }
}

impl PartialOrd for FlowProtocol {
    fn partial_cmp(&self, other: &FlowProtocol) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for FlowProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A node of a scenario's host.
pub(crate) type Party = Box<dyn Speaker>;

/// What a run asks of a node that speaks a protocol, beyond what the world does.
pub(crate) trait Speaker: Node {
    /// Round-trip times of a flow to the host `to`, as this node measures them; `flow` is its place in the scenario.
    fn rtt(&self, flow: usize, to: usize) -> Option<Rtt>;

    /// What it knows of helpers on its way to the host `to`.
    fn helped(&self, _to: usize) -> Option<Helped> {
        None
    }

    /// Datagrams to the host `to` that were too old to be sent, if the node counts them.
    fn datagrams_expired(&self, _to: usize) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_name_and_lots_of_its_own_and_a_place_where_its_packets_are_told_from_the_others() {
        for (place, protocol) in FlowProtocol::ALL.iter().enumerate() {
            let (name, row) = (protocol.name(), protocol.row());
            for other in &FlowProtocol::ALL[..place] {
                assert_ne!(name, other.name());
                assert_ne!(row.lots, other.row().lots, "{name} and {}", other.name());
                assert_ne!(row.seat, other.row().seat, "{name} and {}", other.name());
            }
            let control = row.control.is_none() == protocol.lacks("controller").is_some();
            assert!(control, "{name} is regulated, or files may name no controller for it");
            let ours = row.control.is_some_and(|control| control.own.is_none());
            assert_eq!(ours, protocol.lacks("policed").is_none(), "{name}: the policer holds the suite's controllers");
            if let Some(Control { own: Some(own), default, .. }) = row.control {
                assert!(own.contains(&default), "{name}: {default}");
            }
        }
    }
}
