//! What a host does when.

use core::net::IpAddr;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::App;

use super::scripted::{Scripted, SendError};
use crate::engine::agenda::Agenda;
use crate::engine::ledger::Ledger;
use crate::engine::plan::{HEADER_LEN, PATTERN_LEN, Plan};
use crate::engine::source::{Piece, Source};
use crate::engine::timetable::{Next, Timetable};
use crate::peers::transport::{Event, News, OpenError, Read, Rtt};
use crate::scenario::{FlowProtocol, StreamAction};

/// Something to do at a time.
#[derive(Clone, Copy, Debug)]
enum Todo {
    /// A stream starts.
    Open(usize),
    /// There may be more to write to a stream, or its end.
    Write(usize),
    /// The scenario does something to a stream.
    Change(usize, StreamAction),
    /// The next datagram of a group is due.
    Datagram(usize),
    /// Of a group no more is waited for.
    DatagramsOver(usize),
}

/// The application of one host.
pub(crate) struct Streams<T: Scripted> {
    place: usize,
    protocol: FlowProtocol,
    plan: Rc<Plan>,
    ledger: Ledger,
    agenda: Agenda<Todo>,
    /// Streams whose time has come and that wait until one can be opened.
    unopened: BTreeSet<usize>,
    /// Groups of datagrams whose time has come, and that wait until one can be sent.
    unsent: BTreeSet<usize>,
    sending: BTreeMap<usize, Timetable>,
    /// Streams that are here.
    here: BTreeMap<usize, T::Stream>,
    numbers: BTreeMap<T::Stream, usize>,
    writing: BTreeMap<usize, Writing>,
    reading: BTreeMap<T::Stream, Reading>,
    /// Streams that are not read for now.
    paused: BTreeSet<usize>,
    /// What waits to be done to streams that are not here yet.
    held: BTreeMap<usize, Vec<StreamAction>>,
    /// By flow: what is known of its round-trip times from streams that are over.
    rtts: BTreeMap<usize, Rtt>,
    buffer: Vec<u8>,
    heard: Vec<Event<T>>,
    /// What an earlier life of this host left behind has been given up.
    settled_past: bool,
}

/// A half that is written here.
struct Writing {
    source: Source,
    /// When it is on the agenda, for its pace.
    next: Option<Instant>,
    finished: bool,
}

/// A half that is read here.
#[derive(Default)]
struct Reading {
    head: Vec<u8>,
    /// Which stream it is, as soon as its head says so.
    stream: Option<usize>,
    part: Part,
    offset: u64,
    /// The transport has forgotten it, since it ended well.
    over: bool,
}

/// What is read.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    /// What the opener wrote, before its head is there.
    #[default]
    Opening,
    /// What the stream is there for.
    Body,
    /// What asks for that.
    Request,
    /// A half on which nothing comes but its end.
    Nothing,
}

/// How a half ended.
enum Ended {
    Whole,
    Cut(String),
    Wrong(String),
}

impl<T: Scripted> Streams<T> {
    pub(super) fn new(place: usize, protocol: FlowProtocol, plan: Rc<Plan>, ledger: Ledger) -> Streams<T> {
        let mut agenda = Agenda::default();
        for (number, stream) in plan.opened_by(place, protocol) {
            agenda.at(stream.opens(), Todo::Open(number));
        }
        for (number, group) in plan.sent_by(place, protocol) {
            agenda.at(Instant::ZERO + group.spec.start, Todo::Datagram(number));
        }
        for (time, stream, action) in plan.changes_by(place, protocol) {
            agenda.at(time, Todo::Change(stream, action));
        }
        Streams {
            place,
            protocol,
            plan,
            ledger,
            agenda,
            unopened: BTreeSet::new(),
            unsent: BTreeSet::new(),
            sending: BTreeMap::new(),
            here: BTreeMap::new(),
            numbers: BTreeMap::new(),
            writing: BTreeMap::new(),
            reading: BTreeMap::new(),
            paused: BTreeSet::new(),
            held: BTreeMap::new(),
            rtts: BTreeMap::new(),
            buffer: vec![0; PATTERN_LEN],
            heard: Vec::new(),
            settled_past: false,
        }
    }

    fn perform(&mut self, todo: Todo, now: Instant, transport: &mut T) {
        match todo {
            Todo::Open(stream) => {
                if self.ledger.is_waiting(stream) {
                    self.ledger.start(stream, self.plan.streams[stream].starts(now));
                    // Those before it to the same peer come first.
                    let peer = |stream: usize| self.plan.streams[stream].acceptor();
                    let blocked = self.unopened.iter().any(|other| peer(*other) == peer(stream));
                    self.unopened.insert(stream);
                    if !blocked {
                        self.open(stream, now, transport);
                    }
                }
            }
            Todo::Write(stream) => self.write(stream, now, transport),
            Todo::Change(stream, action) => self.change(stream, action, now, transport),
            Todo::Datagram(group) => self.send_datagram(group, now, transport),
            Todo::DatagramsOver(group) => self.ledger.end_datagrams(group, now),
        }
    }

    /// Opens a stream that waits to be opened; answers whether others may try as well.
    fn open(&mut self, number: usize, now: Instant, transport: &mut T) -> bool {
        let plan = self.plan.clone();
        let planned = &plan.streams[number];
        match transport.open(now, plan.address(planned.acceptor()), plan.controller(planned.flow)) {
            Ok(stream) => {
                self.unopened.remove(&number);
                let part = if planned.request.is_some() { Part::Body } else { Part::Nothing };
                self.reading.insert(stream, Reading { stream: Some(number), part, ..Reading::default() });
                // What it carries comes into being from its start on, though it may have waited to be opened.
                let began = self.ledger.stream(number).started.unwrap_or(now);
                self.begin_writing(number, Source::of_opener(&plan, number, began));
                self.know(number, stream, now, transport);
                self.write(number, now, transport);
                true
            }
            Err(OpenError::Later) => false,
            Err(OpenError::Refused(reason)) => {
                self.unopened.remove(&number);
                self.ledger.fail(number, reason);
                true
            }
        }
    }

    /// Tries again what waits.
    fn retry(&mut self, now: Instant, transport: &mut T) {
        let mut blocked = BTreeSet::new();
        for number in self.unopened.iter().copied().collect::<Vec<_>>() {
            let peer = self.plan.streams[number].acceptor();
            if !blocked.contains(&peer) && !self.open(number, now, transport) {
                blocked.insert(peer);
            }
        }
        for group in core::mem::take(&mut self.unsent) {
            self.send_datagram(group, now, transport);
        }
    }

    /// Sends the datagram that is due.
    fn send_datagram(&mut self, number: usize, now: Instant, transport: &mut T) {
        let plan = self.plan.clone();
        let group = &plan.groups[number];
        let mut bytes = vec![0; group.spec.size as usize];
        let which = self.sending.get(&number).map_or(0, Timetable::number);
        plan.write_datagram(number, which, &mut bytes);
        let begun = self.ledger.datagrams(number).started.is_some();
        let taken = match transport.send_datagram(now, plan.address(group.receiver), &bytes) {
            Ok(()) => true,
            Err(SendError::Later) if !begun => {
                self.unsent.insert(number);
                return;
            }
            Err(SendError::Later | SendError::Full) => false,
            Err(SendError::Never(reason)) => {
                self.sending.remove(&number);
                return self.ledger.fail_datagrams(number, reason);
            }
        };
        if !begun {
            self.ledger.start_datagrams(number, now);
            self.sending.insert(number, Timetable::new(&plan, number, now));
        }
        self.ledger.send_datagram(number, now, taken);
        let Some(timetable) = self.sending.get_mut(&number) else { return };
        match timetable.depart(&plan, now) {
            Next::At(time) => self.agenda.at(time, Todo::Datagram(number)),
            Next::Over(time) => {
                self.agenda.at(time, Todo::DatagramsOver(number));
                self.sending.remove(&number);
            }
        }
    }

    /// A stream is here: what waited for it can happen.
    fn know(&mut self, number: usize, stream: T::Stream, now: Instant, transport: &mut T) {
        self.here.insert(number, stream);
        self.numbers.insert(stream, number);
        for action in self.held.remove(&number).unwrap_or_default() {
            self.change(number, action, now, transport);
        }
    }

    fn begin_writing(&mut self, number: usize, source: Source) {
        if source.until() < Instant::FAR_FUTURE {
            self.agenda.at(source.until(), Todo::Write(number));
        }
        self.writing.insert(number, Writing { source, next: None, finished: false });
    }

    /// Writes as much of a stream as it takes now, and its end.
    fn write(&mut self, number: usize, now: Instant, transport: &mut T) {
        let Some(&stream) = self.here.get(&number) else { return };
        let Some(writing) = self.writing.get_mut(&number).filter(|writing| !writing.finished) else { return };
        loop {
            match writing.source.piece(now, &self.plan) {
                Piece::End => {
                    writing.finished = true;
                    return transport.finish(stream);
                }
                Piece::Later(time) => {
                    if writing.next != Some(time) {
                        writing.next = Some(time);
                        self.agenda.at(time, Todo::Write(number));
                    }
                    return;
                }
                Piece::Bytes(bytes) => match transport.write(stream, bytes) {
                    0 => return,
                    n => writing.source.count_written(n),
                },
            }
        }
    }

    /// Reads what has come on a stream.
    fn read(&mut self, stream: T::Stream, now: Instant, transport: &mut T) {
        let Some(mut reading) = self.reading.remove(&stream) else { return };
        let mut buffer = core::mem::take(&mut self.buffer);
        let ended = loop {
            if reading.part == Part::Body && reading.stream.is_some_and(|number| self.paused.contains(&number)) {
                break None;
            }
            // What follows the head may have to wait, if the stream is not to be read.
            let most = if reading.part == Part::Opening { HEADER_LEN - reading.head.len() } else { buffer.len() };
            match transport.read(stream, &mut buffer[..most]) {
                Read::Bytes(n) => {
                    if let Err(problem) = self.take(&mut reading, stream, &buffer[..n], now, transport) {
                        break Some(Ended::Wrong(problem));
                    }
                }
                Read::Finished => break Some(Ended::Whole),
                Read::Gone if reading.over => break Some(Ended::Whole),
                Read::Reset(code) => break Some(Ended::Cut(format!("reset by the sender with code {code}"))),
                Read::Blocked | Read::Gone => break None,
            }
        };
        self.buffer = buffer;
        match ended {
            None => drop(self.reading.insert(stream, reading)),
            Some(ended) => self.settle(&reading, ended, stream, now, transport),
        }
    }

    /// Takes bytes of a half.
    fn take(
        &mut self,
        reading: &mut Reading,
        stream: T::Stream,
        bytes: &[u8],
        now: Instant,
        transport: &mut T,
    ) -> Result<(), String> {
        if reading.part == Part::Opening {
            reading.head.extend_from_slice(bytes);
            let Some(head) = reading.head.first_chunk::<HEADER_LEN>() else { return Ok(()) };
            let number = u32::from_be_bytes(*head) as usize;
            let planned = self.plan.streams.get(number).filter(|planned| planned.protocol == self.protocol);
            let planned = planned.ok_or_else(|| format!("there is no stream {number}"))?;
            reading.part = if planned.request.is_some() { Part::Request } else { Part::Body };
            reading.stream = Some(number);
            self.ledger.arrive(number);
            self.know(number, stream, now, transport);
            return Ok(());
        }
        if !self.plan.matches(reading.offset, bytes) {
            return Err(format!("a wrong byte behind {}", reading.offset));
        }
        reading.offset += bytes.len() as u64;
        if let (Some(number), Part::Body) = (reading.stream, reading.part) {
            self.ledger.count_received(number, now, bytes.len() as u64);
        }
        Ok(())
    }

    /// A half has come to its end.
    fn settle(&mut self, reading: &Reading, ended: Ended, stream: T::Stream, now: Instant, transport: &mut T) {
        let Some(number) = reading.stream else { return };
        match (reading.part, ended) {
            (_, Ended::Wrong(problem)) => self.ledger.fail(number, problem),
            (Part::Body, Ended::Cut(how)) => self.ledger.cut(number, now, how),
            (Part::Body, Ended::Whole) => self.ledger.end(number, now),
            (Part::Request, Ended::Cut(how)) => self.ledger.fail(number, how),
            (Part::Request, Ended::Whole) => {
                self.begin_writing(number, Source::of_answerer(&self.plan, number, now));
                return self.write(number, now, transport);
            }
            (Part::Opening | Part::Nothing, Ended::Whole | Ended::Cut(_)) => return,
        }
        if !self.writing.contains_key(&number) {
            transport.finish(stream);
        }
    }

    fn change(&mut self, number: usize, action: StreamAction, now: Instant, transport: &mut T) {
        if self.ledger.is_over(number) {
            return;
        }
        let Some(&stream) = self.here.get(&number) else {
            return self.held.entry(number).or_default().push(action);
        };
        match action {
            // The parser admits none for these protocols.
            StreamAction::Priority { .. } => {}
            StreamAction::Pause => drop(self.paused.insert(number)),
            StreamAction::Resume => {
                self.paused.remove(&number);
                self.read(stream, now, transport);
            }
            StreamAction::Finish => {
                self.ledger.expect_cut(number);
                if let Some(writing) = self.writing.get_mut(&number) {
                    writing.source.end_here();
                }
                self.write(number, now, transport);
            }
            StreamAction::Reset { code } => {
                self.ledger.expect_cut(number);
                transport.reset(stream, code);
                // The receiver may never hear of it.
                self.ledger.cut(number, now, "reset by the sender");
                self.writing.remove(&number);
            }
            StreamAction::Stop { code } => {
                self.ledger.expect_cut(number);
                transport.stop(stream, code);
                self.ledger.cut(number, now, "stopped by the receiver");
                self.reading.remove(&stream);
                if !self.writing.contains_key(&number) {
                    transport.finish(stream);
                }
            }
        }
    }

    fn handle_news(&mut self, stream: T::Stream, news: News, now: Instant, transport: &mut T) {
        match news {
            News::Incoming => {
                self.reading.insert(stream, Reading::default());
                self.read(stream, now, transport);
            }
            News::Readable => self.read(stream, now, transport),
            News::Writable => {
                if let Some(&number) = self.numbers.get(&stream) {
                    self.write(number, now, transport);
                }
            }
            News::Over(rtt) => {
                self.note_rtt(stream, rtt);
                if let Some(reading) = self.reading.get_mut(&stream) {
                    reading.over = true;
                }
                self.read(stream, now, transport);
            }
            News::Stopped(code) => {
                if let Some(&number) = self.numbers.get(&stream)
                    && self.writing.remove(&number).is_some()
                {
                    self.ledger.cut(number, now, format!("stopped by the other side with code {code}"));
                }
            }
        }
    }

    /// What a carrier carried has ended badly.
    fn lose(&mut self, carrier: T::Carrier, peer: Option<IpAddr>, how: &str, rtt: Option<Rtt>, now: Instant) {
        let on: Vec<T::Stream> = self.numbers.keys().copied().filter(|stream| T::carrier(*stream) == carrier).collect();
        for stream in on {
            self.note_rtt(stream, rtt);
            if let Some(number) = self.numbers.get(&stream) {
                self.writing.remove(number);
                self.ledger.cut(*number, now, how);
            }
        }
        self.reading.retain(|stream, _| T::carrier(*stream) != carrier);
        let plan = self.plan.clone();
        let leads_there = |place: usize| peer == Some(plan.address(place));
        self.unopened.retain(|number| {
            let lost = leads_there(plan.streams[*number].acceptor());
            if lost {
                self.ledger.fail(*number, how);
            }
            !lost
        });
        self.unsent.retain(|group| {
            let lost = leads_there(plan.groups[*group].receiver);
            if lost {
                self.ledger.fail_datagrams(*group, how);
            }
            !lost
        });
    }

    fn note_rtt(&mut self, stream: T::Stream, rtt: Option<Rtt>) {
        if let (Some(number), Some(rtt)) = (self.numbers.get(&stream), rtt) {
            let flow = self.plan.streams[*number].flow;
            let known = self.rtts.get(&flow).map_or(rtt.min, |known| known.min);
            self.rtts.insert(flow, Rtt { min: rtt.min.min(known), ..rtt });
        }
    }

    /// Round-trip times of a flow as this host measures them: the mean over its streams that are under way, and the
    /// least ever; when none is, those of the last that was.
    pub(crate) fn rtt(&self, transport: &T, flow: usize) -> Option<Rtt> {
        let here = self.here.range(self.plan.streams_of(flow));
        let of = |streams: Vec<&T::Stream>| streams.into_iter().filter_map(|stream| transport.rtt(*stream)).collect();
        let running = here.clone().filter(|(number, _)| self.ledger.is_running(**number));
        let mut now: Vec<Rtt> = of(running.map(|(_, stream)| stream).collect());
        if now.is_empty() {
            now = of(here.map(|(_, stream)| stream).collect());
        }
        let past = self.rtts.get(&flow).copied();
        let min = now.iter().map(|rtt| rtt.min).chain(past.map(|rtt| rtt.min)).min()?;
        let smoothed = match now.len() as u32 {
            0 => past?.smoothed,
            count => now.iter().map(|rtt| rtt.smoothed).sum::<core::time::Duration>() / count,
        };
        Some(Rtt { smoothed, min })
    }

    /// Gives up what an earlier life of this host began.
    fn settle_past(&mut self, now: Instant) {
        if core::mem::replace(&mut self.settled_past, true) {
            return;
        }
        for (number, _) in self.plan.opened_by(self.place, self.protocol) {
            if self.ledger.is_running(number) {
                self.ledger.fail(number, "its opener was restarted");
            }
        }
        for (number, _) in self.plan.sent_by(self.place, self.protocol) {
            if self.ledger.datagrams(number).started.is_some() {
                self.ledger.fail_datagrams(number, "the sender was restarted");
            }
        }
        self.agenda.retain(|time, todo| time >= now || !matches!(todo, Todo::Change(..)));
    }
}

impl<T: Scripted> App<T> for Streams<T> {
    fn handle_event(&mut self, now: Instant, transport: &mut T, event: T::Event) {
        let mut heard = core::mem::take(&mut self.heard);
        transport.hear(event, &mut heard);
        for event in heard.drain(..) {
            match event {
                Event::Stream(stream, news) => self.handle_news(stream, news, now, transport),
                Event::Ready => self.retry(now, transport),
                Event::Datagrams(carrier) => {
                    while let Some(bytes) = transport.recv_datagram(carrier) {
                        self.plan.take_datagram(&self.ledger, &bytes, now);
                    }
                }
                Event::Lost { carrier, peer, how, rtt } => self.lose(carrier, peer, &how, rtt, now),
            }
        }
        self.heard = heard;
    }

    fn poll(&mut self, now: Instant, transport: &mut T) -> Option<Instant> {
        self.settle_past(now);
        for (time, stream) in self.ledger.take_ready(self.place, self.protocol) {
            self.agenda.at(time.max(now), Todo::Open(stream));
        }
        while let Some(todo) = self.agenda.take_due(now) {
            self.perform(todo, now, transport);
        }
        self.agenda.next()
    }
}
