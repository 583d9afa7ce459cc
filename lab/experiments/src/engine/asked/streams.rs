//! The application of a host: what it asks for when.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::App;
use tng_trickles::client::{AskError, Event, ObjectId, Options, Read as ObjectRead};

use super::host::Host;
use crate::engine::agenda::Agenda;
use crate::engine::ledger::Ledger;
use crate::engine::plan::{PATTERN_LEN, Plan};
use crate::scenario::{Amount, FlowProtocol, StreamAction};

/// Bytes that are reserved for each object: longer than any.
const RESERVED: u64 = 1 << 41;
/// Something to do at a time.
#[derive(Clone, Copy, Debug)]
enum Todo {
    /// A stream is asked for.
    Ask(usize),
    /// The time of a stream is over.
    Over(usize),
    /// The scenario does something to a stream.
    Change(usize, StreamAction),
}

/// A stream that is asked for here.
struct Asking {
    peer: usize,
    object: ObjectId,
    /// Bytes of it that have come.
    offset: u64,
}

/// What a host asks for when.
pub(super) struct Streams {
    place: usize,
    plan: Rc<Plan>,
    ledger: Ledger,
    agenda: Agenda<Todo>,
    /// Streams whose time has come, while their connection has as many objects as it may.
    waiting: BTreeSet<usize>,
    here: BTreeMap<usize, Asking>,
    numbers: BTreeMap<(usize, ObjectId), usize>,
    /// Streams that are not read for now.
    paused: BTreeSet<usize>,
    buffer: Vec<u8>,
    /// What an earlier life of this host left behind has been given up.
    settled_past: bool,
}

impl Streams {
    pub(super) fn new(place: usize, plan: Rc<Plan>, ledger: Ledger) -> Streams {
        let mut agenda = Agenda::default();
        for (number, stream) in plan.opened_by(place, FlowProtocol::TRICKLES) {
            agenda.at(stream.opens(), Todo::Ask(number));
        }
        for (time, stream, action) in plan.changes_by(place, FlowProtocol::TRICKLES) {
            agenda.at(time, Todo::Change(stream, action));
        }
        Streams {
            place,
            plan,
            ledger,
            agenda,
            waiting: BTreeSet::new(),
            here: BTreeMap::new(),
            numbers: BTreeMap::new(),
            paused: BTreeSet::new(),
            buffer: vec![0; PATTERN_LEN],
            settled_past: false,
        }
    }

    fn perform(&mut self, todo: Todo, now: Instant, host: &mut Host) {
        match todo {
            Todo::Ask(number) => {
                if self.ledger.is_waiting(number) {
                    self.ledger.start(number, now);
                    if let Amount::For(time) = self.plan.streams[number].amount {
                        self.agenda.at(now + time, Todo::Over(number));
                    }
                    self.ask(number, now, host);
                }
            }
            Todo::Over(number) => {
                self.read(number, now, host);
                self.forget(number, now, host);
                self.ledger.end(number, now);
            }
            Todo::Change(number, action) => self.change(number, action, now, host),
        }
    }

    fn ask(&mut self, number: usize, now: Instant, host: &mut Host) {
        let plan = self.plan.clone();
        let planned = &plan.streams[number];
        let mut bytes = (number as u32).to_be_bytes().to_vec();
        bytes.extend(plan.pattern.iter().cycle().take(planned.request.unwrap_or(0) as usize));
        let options = Options { reserve: RESERVED, ..Options::default() };
        match host.client(now, planned.sender).ask(bytes, options) {
            Ok(object) => {
                self.waiting.remove(&number);
                self.numbers.insert((planned.sender, object), number);
                self.here.insert(number, Asking { peer: planned.sender, object, offset: 0 });
            }
            Err(AskError::TooMany) => drop(self.waiting.insert(number)),
            Err(error @ AskError::Ended) => self.ledger.fail(number, error.to_string()),
        }
    }

    /// Takes a stream off its connection: another may have its place.
    fn forget(&mut self, number: usize, now: Instant, host: &mut Host) {
        self.waiting.remove(&number);
        let Some(Asking { peer, object, .. }) = self.here.remove(&number) else { return };
        self.numbers.remove(&(peer, object));
        if let Some(client) = host.clients.get_mut(&peer) {
            client.cancel(object);
        }
        let next = self.waiting.iter().copied().find(|number| self.plan.streams[*number].sender == peer);
        next.into_iter().for_each(|next| self.ask(next, now, host));
    }

    /// Reads what has come of a stream.
    fn read(&mut self, number: usize, now: Instant, host: &mut Host) {
        if self.paused.contains(&number) {
            return;
        }
        loop {
            let Some(Asking { peer, object, offset }) = self.here.get_mut(&number) else { return };
            let Some(client) = host.clients.get_mut(peer) else { return };
            match client.read(*object, &mut self.buffer) {
                ObjectRead::Bytes(len) => {
                    if !self.plan.matches(*offset, &self.buffer[..len]) {
                        self.ledger.fail(number, format!("a wrong byte behind {offset}"));
                        return self.forget(number, now, host);
                    }
                    *offset += len as u64;
                    self.ledger.arrive(number);
                    self.ledger.count_received(number, now, len as u64);
                }
                ObjectRead::Blocked | ObjectRead::Unknown => return,
                ObjectRead::End => {
                    self.ledger.end(number, now);
                    return self.forget(number, now, host);
                }
            }
        }
    }

    fn change(&mut self, number: usize, action: StreamAction, now: Instant, host: &mut Host) {
        if self.ledger.is_over(number) {
            return;
        }
        match action {
            StreamAction::Pause => drop(self.paused.insert(number)),
            StreamAction::Resume => {
                self.paused.remove(&number);
                self.read(number, now, host);
            }
            StreamAction::Stop { .. } => {
                self.ledger.expect_cut(number);
                self.ledger.cut(number, now, "stopped by the receiver");
                self.forget(number, now, host);
            }
            // The parser admits none.
            StreamAction::Priority { .. } | StreamAction::Finish | StreamAction::Reset { .. } => {}
        }
    }

    /// What is known of a client has ended.
    fn lose(&mut self, peer: usize, how: &str, now: Instant, host: &mut Host) {
        host.clients.remove(&peer);
        let of_peer = |number: &usize| self.plan.streams[*number].sender == peer;
        let lost: Vec<usize> = self.here.keys().chain(&self.waiting).copied().filter(of_peer).collect();
        for number in lost {
            self.ledger.cut(number, now, how);
            self.waiting.remove(&number);
            if let Some(Asking { peer, object, .. }) = self.here.remove(&number) {
                self.numbers.remove(&(peer, object));
            }
        }
    }

    /// Gives up what an earlier life of this host asked for.
    fn settle_past(&mut self, now: Instant) {
        if core::mem::replace(&mut self.settled_past, true) {
            return;
        }
        for (number, _) in self.plan.opened_by(self.place, FlowProtocol::TRICKLES) {
            if self.ledger.is_running(number) {
                self.ledger.fail(number, "its receiver was restarted");
            }
        }
        self.agenda.retain(|time, todo| time >= now || !matches!(todo, Todo::Change(..)));
    }
}

impl App<Host> for Streams {
    fn handle_event(&mut self, now: Instant, host: &mut Host, (peer, event): (usize, Event)) {
        match event {
            Event::Connected => {}
            Event::Readable(object) | Event::Finished(object) => {
                if let Some(number) = self.numbers.get(&(peer, object)).copied() {
                    self.read(number, now, host);
                }
            }
            Event::Failed(object, error) => {
                if let Some(number) = self.numbers.get(&(peer, object)).copied() {
                    self.ledger.fail(number, error.to_string());
                    self.forget(number, now, host);
                }
            }
            Event::Ended(error) => self.lose(peer, &error.to_string(), now, host),
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        self.settle_past(now);
        for (time, number) in self.ledger.take_ready(self.place, FlowProtocol::TRICKLES) {
            self.agenda.at(time.max(now), Todo::Ask(number));
        }
        while let Some(todo) = self.agenda.take_due(now) {
            self.perform(todo, now, host);
        }
        self.agenda.next()
    }
}
