//! What a host does when.

use core::net::SocketAddr;
use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tng_base::Instant;
use tng_semantic::structured::{OpenError, StreamEvent, StreamId};
use tng_sim::{App, PORT};
use tng_stack::{ConnectionId, EventKind, Host, HostEvent, Target};

use super::SERVICE;
use super::read::{Part, Reading};
use super::write::Writing;
use crate::engine::agenda::Agenda;
use crate::engine::ledger::Ledger;
use crate::engine::plan::{PATTERN_LEN, Plan};
use crate::engine::source::Source;
use crate::engine::timetable::Timetable;
use crate::peers::transport::Helped;
use crate::scenario::{End, FlowProtocol, PeerAction, StreamAction};

/// How often a stream that waits for its parent, or with its end for its children, looks whether it waits in vain.
pub(super) const SOUGHT_EVERY: Duration = Duration::from_secs(1);

/// Something to do at a time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Todo {
    /// A stream starts.
    Open(usize),
    /// A stream whose time has come may wait for its parent in vain.
    Await(usize),
    /// There may be more to write to a stream, or its end.
    Write(usize),
    /// The scenario does something to a stream.
    Change(usize, StreamAction),
    /// The scenario does something to the connection to a peer.
    Deal(usize, PeerAction),
    /// The next datagram of a group is due.
    Datagram(usize),
    /// Of a group no more is waited for.
    DatagramsOver(usize),
}

/// The application of one host.
pub(crate) struct Flows {
    pub(super) place: usize,
    pub(super) plan: Rc<Plan>,
    pub(super) ledger: Ledger,
    pub(super) agenda: Agenda<Todo>,
    /// By peer: the connection that new streams use.
    connections: BTreeMap<usize, ConnectionId>,
    /// By peer: what has come of the helpers on the way there.
    helped: BTreeMap<usize, Helped>,
    /// Streams whose time has come and that wait for their parent, or for the peer to admit another.
    unopened: BTreeSet<usize>,
    /// Streams that are here.
    pub(super) here: BTreeMap<usize, (ConnectionId, StreamId)>,
    numbers: BTreeMap<(ConnectionId, StreamId), usize>,
    pub(super) writing: BTreeMap<usize, Writing>,
    pub(super) reading: BTreeMap<(ConnectionId, StreamId), Reading>,
    pub(super) sending: BTreeMap<usize, Timetable>,
    /// Streams that are not read for now.
    pub(super) paused: BTreeSet<usize>,
    /// What waits to be done to streams that are not here yet.
    held: BTreeMap<usize, Vec<StreamAction>>,
    pub(super) buffer: Vec<u8>,
    /// What an earlier life of this host left behind has been given up.
    settled_past: bool,
}

impl Flows {
    pub(super) fn new(place: usize, plan: Rc<Plan>, ledger: Ledger) -> Flows {
        let mut flows = Flows {
            place,
            plan: plan.clone(),
            ledger,
            agenda: Agenda::default(),
            connections: BTreeMap::new(),
            helped: BTreeMap::new(),
            unopened: BTreeSet::new(),
            here: BTreeMap::new(),
            numbers: BTreeMap::new(),
            writing: BTreeMap::new(),
            reading: BTreeMap::new(),
            sending: BTreeMap::new(),
            paused: BTreeSet::new(),
            held: BTreeMap::new(),
            buffer: vec![0; PATTERN_LEN],
            settled_past: false,
        };
        for (number, stream) in plan.opened_by(place, FlowProtocol::TNG) {
            flows.agenda.at(stream.start, Todo::Open(number));
        }
        for (number, group) in plan.sent_by(place, FlowProtocol::TNG) {
            flows.agenda.at(Instant::ZERO + group.spec.start, Todo::Datagram(number));
        }
        for (time, stream, action) in plan.changes_by(place, FlowProtocol::TNG) {
            flows.agenda.at(time, Todo::Change(stream, action));
        }
        for (time, _, peer, action) in plan.dealings.iter().filter(|(_, whose, ..)| *whose == place) {
            flows.agenda.at(*time, Todo::Deal(*peer, *action));
        }
        flows
    }

    fn perform(&mut self, todo: Todo, now: Instant, host: &mut Host) {
        match todo {
            Todo::Open(stream) => {
                if self.ledger.is_waiting(stream) {
                    self.ledger.start(stream, now);
                    self.unopened.insert(stream);
                    self.open(stream, now, host);
                }
            }
            Todo::Await(stream) => drop(self.open(stream, now, host)),
            Todo::Write(stream) => self.write(stream, now, host),
            Todo::Change(stream, action) => self.change(stream, action, now, host),
            Todo::Deal(peer, action) => self.deal(peer, action, now, host),
            Todo::Datagram(group) => self.send_datagram(group, now, host),
            Todo::DatagramsOver(group) => self.end_datagrams(group, now, host),
        }
    }

    /// Does something to the connection to a peer, if there is one.
    fn deal(&mut self, peer: usize, action: PeerAction, now: Instant, host: &mut Host) {
        let Some(connection) = self.connections.get(&peer).copied() else { return };
        match action {
            // If it is in vain, the path's link carries nothing, which the report tells.
            PeerAction::Path { local, to } => {
                let _ = host.attach(now, connection, local, &[SocketAddr::new(to, PORT)]);
            }
            PeerAction::Reach { to } => host.reach(now, connection, vec![SocketAddr::new(to, PORT)]),
        }
    }

    /// The connection to a peer, begun now if there is none.
    fn connection(&mut self, now: Instant, host: &mut Host, to: usize) -> Option<ConnectionId> {
        if let Some(connection) = self.connections.get(&to) {
            return Some(*connection);
        }
        let peer = self.plan.peers[to].as_ref()?;
        let via = self.plan.via(self.place, to);
        let target = Target { eid: peer.eid, addresses: peer.addresses.clone(), capability: None, via };
        let connection = host.connect(now, target).ok()?;
        self.connections.insert(to, connection);
        Some(connection)
    }

    /// Opens a stream that waits to be opened; answers whether others may try as well.
    fn open(&mut self, stream: usize, now: Instant, host: &mut Host) -> bool {
        // A stream that came to be here may have let it open meanwhile.
        if !self.unopened.contains(&stream) {
            return true;
        }
        let plan = self.plan.clone();
        let planned = &plan.streams[stream];
        let (connection, parent) = match planned.parent {
            None => match self.connection(now, host, planned.acceptor()) {
                Some(connection) => (connection, None),
                None => {
                    self.give_up(stream, "the opener could not begin to connect");
                    return true;
                }
            },
            Some(parent) => match self.here.get(&parent) {
                Some(&(connection, id)) => (connection, Some(id)),
                None if self.ledger.is_over(parent) => {
                    self.give_up(stream, "its parent was over before it could be opened");
                    return true;
                }
                None => {
                    self.agenda.at(now + SOUGHT_EVERY, Todo::Await(stream));
                    return true;
                }
            },
        };
        let Some(streams) = host.streams(connection) else {
            self.give_up(stream, "the connection of its parent is lost");
            return true;
        };
        let opened = match parent {
            None => streams.open(SERVICE.0, SERVICE.1),
            Some(parent) => streams.open_child(parent),
        };
        let id = match opened {
            Ok(id) => id,
            Err(OpenError::Blocked) => return false,
            Err(error) => {
                self.give_up(stream, &error.to_string());
                return true;
            }
        };
        if planned.has_children {
            streams.listen_children(id);
        }
        if let Some(priority) = planned.priority {
            match planned.opener == planned.sender {
                true => streams.set_priority(id, priority),
                false => streams.request_priority(id, priority),
            }
        }
        self.unopened.remove(&stream);
        let part = if planned.request.is_some() { Part::Body } else { Part::Nothing };
        self.reading.insert((connection, id), Reading::known(stream, part));
        self.writing.insert(stream, Writing::new(Source::of_opener(&plan, stream, now), connection, id));
        self.know(stream, connection, id, now, host);
        self.begin_writing(stream, now, host);
        true
    }

    fn give_up(&mut self, stream: usize, reason: &str) {
        self.unopened.remove(&stream);
        self.ledger.fail(stream, reason);
    }

    /// Tries again what waits to be opened.
    fn open_waiting(&mut self, now: Instant, host: &mut Host) {
        let waiting: Vec<usize> = self.unopened.iter().copied().collect();
        for stream in waiting {
            if !self.open(stream, now, host) {
                break;
            }
        }
    }

    /// A stream is here: what waited for it can happen.
    pub(super) fn know(
        &mut self,
        stream: usize,
        connection: ConnectionId,
        id: StreamId,
        now: Instant,
        host: &mut Host,
    ) {
        self.here.insert(stream, (connection, id));
        self.numbers.insert((connection, id), stream);
        for action in self.held.remove(&stream).unwrap_or_default() {
            self.change(stream, action, now, host);
        }
        let plan = self.plan.clone();
        if plan.streams[stream].has_children {
            self.open_waiting(now, host);
        }
        for (number, group) in plan.sent_by(self.place, FlowProtocol::TNG) {
            if group.parent == Some(stream) && Instant::ZERO + group.spec.start <= now {
                self.agenda.at(now, Todo::Datagram(number));
            }
        }
    }

    fn change(&mut self, stream: usize, action: StreamAction, now: Instant, host: &mut Host) {
        if self.ledger.is_over(stream) {
            return;
        }
        let place = self.here.get(&stream).copied();
        let Some((connection, id, streams)) =
            place.and_then(|(connection, id)| Some((connection, id, host.streams(connection)?)))
        else {
            self.held.entry(stream).or_default().push(action);
            return;
        };
        match action {
            StreamAction::Priority { by: End::Sender, priority } => streams.set_priority(id, priority),
            StreamAction::Priority { by: End::Receiver, priority } => streams.request_priority(id, priority),
            StreamAction::Pause => drop(self.paused.insert(stream)),
            StreamAction::Resume => {
                self.paused.remove(&stream);
                self.read(now, host, connection, id);
            }
            StreamAction::Finish => {
                self.ledger.expect_cut(stream);
                if let Some(writing) = self.writing.get_mut(&stream) {
                    writing.source.end_here();
                }
                self.write(stream, now, host);
            }
            StreamAction::Reset { code } => {
                self.ledger.expect_cut(stream);
                streams.reset(id, code);
                if !self.ledger.has_arrived(stream) {
                    // Its number may never come, and nobody could tell then what it was.
                    self.ledger.cut(stream, now, format!("reset by the sender with code {code}"));
                }
                self.writing.remove(&stream);
            }
            StreamAction::Stop { code } => {
                self.ledger.expect_cut(stream);
                streams.stop(id, code);
                self.ledger.cut(stream, now, format!("stopped by the receiver with code {code}"));
                self.reading.remove(&(connection, id));
                self.end_other_half(Some(stream), host, connection, id);
            }
        }
    }

    /// A connection is gone, and with it what was on it.
    fn lose(&mut self, connection: ConnectionId, reason: &str) {
        let peers: Vec<usize> =
            self.connections.iter().filter(|(_, other)| **other == connection).map(|(place, _)| *place).collect();
        self.connections.retain(|_, other| *other != connection);
        let written = self.writing.iter().filter(|(_, writing)| writing.connection == connection);
        written.for_each(|(stream, _)| self.ledger.fail(*stream, reason));
        self.writing.retain(|_, writing| writing.connection != connection);
        let read = self.reading.iter().filter(|((on, _), _)| *on == connection);
        read.filter_map(|(_, reading)| reading.stream).for_each(|stream| self.ledger.fail(stream, reason));
        self.reading.retain(|(on, _), _| *on != connection);
        let orphan = |stream: &&usize| {
            let planned = &self.plan.streams[**stream];
            planned.parent.is_none() && peers.contains(&planned.acceptor())
        };
        let unopened: Vec<usize> = self.unopened.iter().filter(orphan).copied().collect();
        unopened.into_iter().for_each(|stream| self.give_up(stream, reason));
        let lost = |group: &&usize| {
            self.plan.groups[**group]
                .parent
                .and_then(|parent| self.here.get(&parent))
                .is_some_and(|(on, _)| *on == connection)
        };
        let groups: Vec<usize> = self.sending.keys().filter(lost).copied().collect();
        for group in groups {
            self.sending.remove(&group);
            self.ledger.fail_datagrams(group, reason);
        }
    }

    pub(super) fn number(&self, connection: ConnectionId, stream: StreamId) -> Option<usize> {
        self.numbers.get(&(connection, stream)).copied()
    }

    fn handle_stream(&mut self, now: Instant, host: &mut Host, connection: ConnectionId, event: StreamEvent) {
        match event {
            StreamEvent::Incoming => {
                while let Some(incoming) = host.streams(connection).and_then(|streams| streams.accept()) {
                    self.reading.insert((connection, incoming.id), Reading::default());
                    self.read(now, host, connection, incoming.id);
                }
            }
            StreamEvent::ChildIncoming { parent } => self.take_children(now, host, connection, parent),
            StreamEvent::Readable(stream) => self.read(now, host, connection, stream),
            StreamEvent::Writable(stream) => {
                if let Some(stream) = self.number(connection, stream) {
                    self.write(stream, now, host);
                }
            }
            StreamEvent::CanOpen => self.open_waiting(now, host),
            StreamEvent::Requested | StreamEvent::CanSendDatagram | StreamEvent::Settled => {}
            StreamEvent::Refused { id, reason, .. } => {
                if let Some(stream) = self.number(connection, id) {
                    self.writing.remove(&stream);
                    self.ledger.fail(stream, format!("refused: {reason}"));
                }
            }
            StreamEvent::Stopped { id, code } => {
                if let Some(stream) = self.number(connection, id)
                    && self.writing.remove(&stream).is_some()
                {
                    self.ledger.cut(stream, now, format!("stopped by the other side with code {code}"));
                }
            }
            StreamEvent::Finished(id) => {
                if let Some(stream) = self.number(connection, id) {
                    self.writing.remove(&stream);
                    self.end_parent(stream, now, host);
                }
            }
            StreamEvent::Reset { id, code } => self.end_reset(code, now, host, connection, id),
        }
    }

    /// A stream's parent may have waited for it with its own end.
    pub(super) fn end_parent(&mut self, stream: usize, now: Instant, host: &mut Host) {
        if let Some(parent) = self.plan.streams[stream].parent {
            self.write(parent, now, host);
        }
    }

    /// Gives up what an earlier life of this host began.
    fn settle_past(&mut self, now: Instant) {
        if core::mem::replace(&mut self.settled_past, true) {
            return;
        }
        let plan = self.plan.clone();
        for (number, _) in plan.opened_by(self.place, FlowProtocol::TNG) {
            if self.ledger.is_running(number) {
                self.ledger.fail(number, "its opener was restarted");
            }
        }
        for (number, _) in plan.sent_by(self.place, FlowProtocol::TNG) {
            if self.ledger.datagrams(number).started.is_some() {
                self.ledger.fail_datagrams(number, "the sender was restarted");
            }
        }
        self.agenda.retain(|time, todo| time >= now || !matches!(todo, Todo::Change(..) | Todo::Deal(..)));
    }

    /// A connection may lead another way than before.
    fn note_way(&mut self, host: &Host, connection: ConnectionId) {
        let to = self.connections.iter().find(|(_, other)| **other == connection).map(|(peer, _)| *peer);
        if let (Some(peer), Some(stats)) = (to, host.stats(connection)) {
            self.helped.entry(peer).or_default().note(stats.helpers > 0);
        }
    }

    /// What has come of the helpers on the way to a peer.
    pub(super) fn helped(&self, peer: usize) -> Helped {
        self.helped.get(&peer).copied().unwrap_or_default()
    }

    /// The connection of this host to a peer.
    pub(super) fn connected(&self, peer: usize) -> Option<ConnectionId> {
        self.connections.get(&peer).copied()
    }
}

impl App<Host> for Flows {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let connection = event.connection;
        match event.kind {
            EventKind::Stream(event) => self.handle_stream(now, host, connection, event),
            EventKind::Accepted { eid } => {
                if let Some(peer) = self.plan.place_of(eid) {
                    self.connections.entry(peer).or_insert(connection);
                    self.note_way(host, connection);
                }
            }
            EventKind::Connected
            | EventKind::PathAdded { .. }
            | EventKind::PathLost { .. }
            | EventKind::Condition { .. }
            | EventKind::Back => self.note_way(host, connection),
            EventKind::ConnectFailed(error) => self.lose(connection, &error.to_string()),
            EventKind::Closed(cause) => self.lose(connection, &cause.to_string()),
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if let Some(this) = &self.plan.peers[self.place] {
            self.plan.observer.attend(self.place, &this.name, host);
        }
        self.settle_past(now);
        for (time, stream) in self.ledger.take_ready(self.place, FlowProtocol::TNG) {
            self.agenda.at(time.max(now), Todo::Open(stream));
        }
        while let Some(todo) = self.agenda.take_due(now) {
            self.perform(todo, now, host);
        }
        self.agenda.next()
    }
}
