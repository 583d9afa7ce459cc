//! What a host does when.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tng_base::Instant;
use tng_sim::App;

use super::transport::{News, OpenError, Read, Rtt, Transport};
use crate::agenda::Agenda;
use crate::ledger::Ledger;
use crate::plan::{HEADER_LEN, PATTERN_LEN, Plan};
use crate::scenario::{FlowProtocol, StreamAction};
use crate::source::{Piece, Source};

/// Something to do at a time.
#[derive(Clone, Copy, Debug)]
enum Todo {
    /// A stream starts.
    Open(usize),
    /// There may be more to write to a stream, or its end.
    Write(usize),
    /// The scenario does something to a stream.
    Change(usize, StreamAction),
}

/// The application of one host.
pub(crate) struct Streams<T: Transport> {
    place: usize,
    protocol: FlowProtocol,
    plan: Rc<Plan>,
    ledger: Ledger,
    agenda: Agenda<Todo>,
    /// Streams that are here.
    here: BTreeMap<usize, T::Stream>,
    numbers: BTreeMap<T::Stream, usize>,
    writing: BTreeMap<usize, Writing>,
    reading: BTreeMap<T::Stream, Reading>,
    /// Streams that are not read for now.
    paused: BTreeSet<usize>,
    /// What is to be done to streams that are not here yet.
    held: BTreeMap<usize, Vec<StreamAction>>,
    /// By flow: what is known of its round-trip times from streams that are over.
    rtts: BTreeMap<usize, Rtt>,
    buffer: Vec<u8>,
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

impl<T: Transport> Streams<T> {
    pub(super) fn new(place: usize, protocol: FlowProtocol, plan: Rc<Plan>, ledger: Ledger) -> Streams<T> {
        let mut agenda = Agenda::default();
        for (number, stream) in plan.opened_by(place, protocol) {
            agenda.at(stream.start, Todo::Open(number));
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
            here: BTreeMap::new(),
            numbers: BTreeMap::new(),
            writing: BTreeMap::new(),
            reading: BTreeMap::new(),
            paused: BTreeSet::new(),
            held: BTreeMap::new(),
            rtts: BTreeMap::new(),
            buffer: vec![0; PATTERN_LEN],
            settled_past: false,
        }
    }

    fn perform(&mut self, todo: Todo, now: Instant, transport: &mut T) {
        match todo {
            Todo::Open(stream) => self.open(stream, now, transport),
            Todo::Write(stream) => self.write(stream, now, transport),
            Todo::Change(stream, action) => self.change(stream, action, now, transport),
        }
    }

    fn open(&mut self, number: usize, now: Instant, transport: &mut T) {
        if !self.ledger.is_waiting(number) {
            return;
        }
        self.ledger.start(number, now);
        let plan = self.plan.clone();
        let planned = &plan.streams[number];
        match transport.open(now, plan.address(planned.acceptor()), plan.controller(planned.flow)) {
            Ok(stream) => {
                let part = if planned.request.is_some() { Part::Body } else { Part::Nothing };
                self.reading.insert(stream, Reading { stream: Some(number), part, ..Reading::default() });
                self.begin_writing(number, Source::of_opener(&plan, number, now));
                self.know(number, stream, now, transport);
                self.write(number, now, transport);
            }
            Err(OpenError::Refused(reason)) => self.ledger.fail(number, reason),
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
                    return transport.finish(now, stream);
                }
                Piece::Later(time) => {
                    if writing.next != Some(time) {
                        writing.next = Some(time);
                        self.agenda.at(time, Todo::Write(number));
                    }
                    return;
                }
                Piece::Bytes(bytes) => match transport.write(now, stream, bytes) {
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
            match transport.read(now, stream, &mut buffer[..most]) {
                Read::Bytes(n) => {
                    if let Err(problem) = self.take(&mut reading, stream, &buffer[..n], now, transport) {
                        break Some(Err(problem));
                    }
                }
                Read::Finished => break Some(Ok(())),
                Read::Gone if reading.over => break Some(Ok(())),
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
    fn settle(
        &mut self,
        reading: &Reading,
        ended: Result<(), String>,
        stream: T::Stream,
        now: Instant,
        transport: &mut T,
    ) {
        let Some(number) = reading.stream else { return };
        match (reading.part, ended) {
            (_, Err(problem)) => self.ledger.fail(number, problem),
            (Part::Body, Ok(())) => self.ledger.end(number, now),
            (Part::Request, Ok(())) => {
                self.begin_writing(number, Source::of_answerer(&self.plan, number, now));
                return self.write(number, now, transport);
            }
            (Part::Opening | Part::Nothing, Ok(())) => return,
        }
        if !self.writing.contains_key(&number) {
            transport.finish(now, stream);
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
                transport.reset(now, stream, code);
                // The receiver may never hear of it.
                self.ledger.cut(number, now, "reset by the sender");
                self.writing.remove(&number);
            }
            StreamAction::Stop { code } => {
                self.ledger.expect_cut(number);
                transport.stop(now, stream, code);
                self.ledger.cut(number, now, "stopped by the receiver");
                self.reading.remove(&stream);
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
            News::Lost(how, rtt) => {
                self.note_rtt(stream, rtt);
                self.reading.remove(&stream);
                if let Some(number) = self.numbers.get(&stream) {
                    self.writing.remove(number);
                    self.ledger.cut(*number, now, how);
                }
            }
        }
    }

    fn note_rtt(&mut self, stream: T::Stream, rtt: Option<Rtt>) {
        if let (Some(number), Some(rtt)) = (self.numbers.get(&stream), rtt) {
            let flow = self.plan.streams[*number].flow;
            let known = self.rtts.get(&flow).map_or(rtt.min, |known| known.min);
            self.rtts.insert(flow, Rtt { min: rtt.min.min(known), ..rtt });
        }
    }

    /// Round-trip times of a flow as this host measures them: the mean over its streams that are under way, and the least ever; when
    /// none is, those of the last that was.
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
        self.agenda.retain(|time, todo| time >= now || !matches!(todo, Todo::Change(..)));
    }
}

impl<T: Transport> App<T> for Streams<T> {
    fn handle_event(&mut self, now: Instant, transport: &mut T, event: T::Event) {
        if let Some((stream, news)) = transport.news(event) {
            self.handle_news(stream, news, now, transport);
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut T) -> Option<Instant> {
        self.settle_past(now);
        while let Some(todo) = self.agenda.take_due(now) {
            self.perform(todo, now, transport);
        }
        self.agenda.next()
    }
}
