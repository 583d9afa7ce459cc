//! What runs on a host of a scenario: one node for every protocol that its flows use.

use std::rc::Rc;

use tng_base::{Input, Instant};
use tng_sim::{IpProtocol, Node, Outbox, PORT};

use crate::cross::{self, CrossNode};
use crate::ledger::Ledger;
use crate::plain::quic::{self, QuicNode};
use crate::plain::tcp::{self, TcpNode};
use crate::plan::Plan;
use crate::scenario::{FlowProtocol, Seat};
use crate::tng::{self, TngNode};

/// A node of a scenario's host.
#[expect(clippy::large_enum_variant, reason = "there are few, and each lives in its place in the world")]
pub(crate) enum Party {
    /// Speaks tng.
    Tng(TngNode),
    /// Speaks TCP.
    Tcp(TcpNode),
    /// Speaks QUIC.
    Quic(QuicNode),
    /// Sends plain datagrams.
    Cross(CrossNode),
}

impl Party {
    /// The node that speaks `protocol` at `place`, started for the `start`th time, counted from zero.
    pub(crate) fn new(plan: &Rc<Plan>, ledger: &Ledger, place: usize, protocol: FlowProtocol, start: u32) -> Party {
        match protocol {
            FlowProtocol::Tng => Party::Tng(tng::node(plan, ledger, place, start)),
            FlowProtocol::Tcp => Party::Tcp(tcp::node(plan, ledger, place, start)),
            FlowProtocol::Quic => Party::Quic(quic::node(plan, ledger, place, start)),
            FlowProtocol::Udp => Party::Cross(CrossNode::new(place, plan.clone(), ledger.clone())),
        }
    }
}

/// Where a protocol's packets are found.
pub(crate) fn seat(protocol: FlowProtocol) -> Seat {
    match protocol {
        FlowProtocol::Tng => Seat { protocol: IpProtocol::Udp, port: PORT },
        // Segments have their own ports.
        FlowProtocol::Tcp => Seat { protocol: IpProtocol::Tcp, port: 0 },
        FlowProtocol::Quic => Seat { protocol: IpProtocol::Udp, port: crate::transport::quic::PORT },
        FlowProtocol::Udp => Seat { protocol: IpProtocol::Udp, port: cross::PORT },
    }
}

/// Does the same with whatever node it is.
macro_rules! each {
    ($party:expr, $node:ident => $do:expr) => {
        match $party {
            Party::Tng($node) => $do,
            Party::Tcp($node) => $do,
            Party::Quic($node) => $do,
            Party::Cross($node) => $do,
        }
    };
}

impl Node for Party {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        each!(self, node => node.handle_input(now, input));
    }

    fn handle_timeout(&mut self, now: Instant) {
        each!(self, node => node.handle_timeout(now));
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        each!(self, node => node.poll(now, outbox))
    }
}
