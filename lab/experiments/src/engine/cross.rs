//! Plain UDP: datagrams at their times, whatever becomes of them. Nothing answers, and nobody regulates.

use std::collections::BTreeMap;
use std::rc::Rc;

use tng_base::{Ecn, Input, Instant, Transmit};
use tng_sim::{IpProtocol, Node, Outbox};

use crate::engine::agenda::Agenda;
use crate::engine::ledger::Ledger;
use crate::engine::plan::Plan;
use crate::engine::protocol::{Row, Speaker};
use crate::engine::timetable::{Next, Timetable};
use crate::peers::transport::Rtt;
use crate::scenario::{FlowProtocol, Seat, UDP_DATAGRAM_MAX};

/// The UDP port of both ends.
const PORT: u16 = 5001;

const NO_STREAMS: &str = "it has no streams, only [[flow.datagrams]]";
const BY_THEMSELVES: &str = "its datagrams leave at once, by themselves";

/// Plain datagrams that nobody answers and nothing regulates: cross traffic.
pub(crate) static ROW: Row = Row {
    name: "udp",
    lots: 3,
    seat: Seat { protocol: IpProtocol::Udp, port: PORT },
    lacks: &[
        ("via", "helpers pass on tng alone"),
        ("bytes", NO_STREAMS),
        ("duration", NO_STREAMS),
        ("stream", NO_STREAMS),
        ("web", NO_STREAMS),
        ("controller", "nothing controls its rate"),
        ("policed", "nothing controls its rate"),
        ("parent", BY_THEMSELVES),
        ("lifetime", BY_THEMSELVES),
    ],
    control: None,
    structured: false,
    receiver_opens: false,
    datagram_max: Some(UDP_DATAGRAM_MAX),
    mtu_min: 0,
    repeats_bytes: true,
    node: |plan, ledger, place, _| Box::new(CrossNode::new(place, plan.clone(), ledger.clone())),
    tell: |_, _, _, _| {},
    real: None,
};

/// Something to do at a time, with a group.
#[derive(Clone, Copy, Debug)]
enum Todo {
    /// The next datagram is due.
    Send(usize),
    /// No more is waited for.
    Over(usize),
}

/// A host that sends and receives plain datagrams.
struct CrossNode {
    place: usize,
    plan: Rc<Plan>,
    ledger: Ledger,
    agenda: Agenda<Todo>,
    sending: BTreeMap<usize, Timetable>,
    settled_past: bool,
}

impl CrossNode {
    fn new(place: usize, plan: Rc<Plan>, ledger: Ledger) -> CrossNode {
        let mut agenda = Agenda::default();
        for (number, group) in plan.sent_by(place, FlowProtocol::UDP) {
            agenda.at(Instant::ZERO + group.spec.start, Todo::Send(number));
        }
        CrossNode { place, plan, ledger, agenda, sending: BTreeMap::new(), settled_past: false }
    }

    fn send(&mut self, number: usize, now: Instant, outbox: &mut Outbox) {
        if self.ledger.datagrams(number).started.is_none() {
            self.ledger.start_datagrams(number, now);
            self.sending.insert(number, Timetable::new(&self.plan, number, now));
        }
        let Some(timetable) = self.sending.get_mut(&number) else { return };
        let group = &self.plan.groups[number];
        let len = group.spec.size as usize;
        self.plan.write_datagram(number, timetable.number(), &mut outbox.buffer()[..len]);
        let remote = (self.plan.address(group.receiver), PORT).into();
        outbox.send(Transmit { remote, local: None, ecn: Ecn::NotEct, len, segment_size: len });
        self.ledger.send_datagram(number, now, true);
        match timetable.depart(&self.plan, now) {
            Next::At(time) => self.agenda.at(time, Todo::Send(number)),
            Next::Over(time) => self.agenda.at(time, Todo::Over(number)),
        }
    }

    /// Gives up what an earlier life of this host began.
    fn settle_past(&mut self) {
        if core::mem::replace(&mut self.settled_past, true) {
            return;
        }
        for (number, _) in self.plan.sent_by(self.place, FlowProtocol::UDP) {
            if self.ledger.datagrams(number).started.is_some() {
                self.ledger.fail_datagrams(number, "the sender was restarted");
            }
        }
    }
}

impl Speaker for CrossNode {
    fn rtt(&self, _: usize, _: usize) -> Option<Rtt> {
        None
    }
}

impl Node for CrossNode {
    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        if let Input::Datagram(datagram) = input {
            self.plan.take_datagram(&self.ledger, datagram.payload, now);
        }
    }

    fn handle_timeout(&mut self, _: Instant) {}

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        self.settle_past();
        while let Some(todo) = self.agenda.take_due(now) {
            match todo {
                Todo::Send(group) => self.send(group, now, outbox),
                Todo::Over(group) => self.ledger.end_datagrams(group, now),
            }
        }
        self.agenda.next()
    }
}
