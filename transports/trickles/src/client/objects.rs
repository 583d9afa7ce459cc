//! What an application asks for: apart from the connection, so that it goes on over another.

use core::ops::Range;
use std::collections::{BTreeMap, VecDeque};

use tng_base::Instant;
use tng_wire::{VARINT_MAX, Writer};

use super::object::{Next, Object, Region};
use super::sent::{Asked, List, PutOf};
use crate::wire::{Ask, Fault, Tell};
use crate::{Puzzle, Solution};

/// Objects that are asked for at the same time, at most.
pub const OBJECTS_MAX: usize = 256;
/// Bytes of a connection's row that are reserved for an object of unknown length (Trickles, figure 14).
pub const RESERVE_DEFAULT: u64 = 80_000;
/// Bytes of an object that are held for the application, if it says nothing else.
pub const BUFFER_DEFAULT: u64 = 1 << 22;
/// Ranges that a request wants of one object, at most.
const RANGES_PER_WANT: usize = 4;
/// Less than this is not asked for beside something else.
const PIECE_MIN: u64 = 64;
/// Bytes around what a put says of an object and a range.
const PUT_OVERHEAD: usize = 1 + 8 + 2 + 8 + 16 + 2;

/// One of a client's objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub u64);

/// What of an object is wanted, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes that are reserved for it at first. It may be longer: more is reserved then, before that is needed.
    pub reserve: u64,
    /// Bytes that are held until they are read. No more is asked for.
    pub buffer: u64,
    /// The first byte that is wanted.
    pub from: u64,
    /// Behind the last byte that is wanted.
    pub until: Option<u64>,
    /// What is not wanted between, in any order: it is left out of what is asked for, and of what is read. What is
    /// wanted is reserved for together with the holes.
    pub holes: Vec<Range<u64>>,
}

impl Default for Options {
    fn default() -> Options {
        Options { reserve: RESERVE_DEFAULT, buffer: BUFFER_DEFAULT, from: 0, until: None, holes: Vec::new() }
    }
}

/// Why an object does not come.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ObjectError {
    /// Peer: its application says so.
    #[error("the server says: {text} (code {code})")]
    Application {
        /// Its own code, from 64 on.
        code: u64,
        /// The same for people.
        text: String,
    },
    /// Peer: servers of different versions answer by turns, or their keys are erased again and again.
    #[error("the server does not know its own continuations again; ask later, when all servers are of one version")]
    Anew,
    /// Peer: it says that bytes are wanted that it has offered, and that it has not.
    #[error("the server refuses bytes that it has offered; update one of the two")]
    OutOfRange,
    /// Peer: it is asked too much, and was asked again in vain.
    #[error("the server has too much to do, or computes this too often; ask later")]
    Busy,
    /// Peer: it answers, and says nothing of the object.
    #[error("the server says nothing of the object; update one of the two")]
    Vain,
    /// Peer: it asks for more work than this client does.
    #[error("the server asks for work of {0} bits before it answers; allow more, or ask later")]
    Puzzle(u8),
}

/// What has become of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ObjectEvent {
    Readable,
    Finished,
    Failed(ObjectError),
}

/// Why nothing more is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AskError {
    /// There are as many as may be.
    #[error("{OBJECTS_MAX} objects are asked for already: read or cancel one first")]
    TooMany,
    /// The client has ended.
    #[error("the client has ended")]
    Ended,
}

/// What reading comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    /// So many bytes.
    Bytes(usize),
    /// None yet.
    Blocked,
    /// There are no more: the object is forgotten.
    End,
    /// There is no such object.
    Unknown,
}

/// How much can be asked for at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capacity {
    pub(super) packets: u64,
    /// Bytes of an object in each.
    pub(super) each: u64,
    /// Requests that can follow at once. What is put may take all the room that there is: it is spread over them then,
    /// and nothing else is asked for beside it.
    pub(super) following: u64,
}

#[derive(Debug, Default)]
pub(super) struct Objects {
    objects: BTreeMap<ObjectId, Object>,
    next: u64,
    /// Where each region begins in the connection's row, and whose it is.
    rows: BTreeMap<u64, ObjectId>,
    row_end: u64,
    /// Behind the furthest place that was asked for.
    reach: u64,
    /// Whose turn it is.
    turn: u64,
    events: VecDeque<(ObjectId, ObjectEvent)>,
    came: u64,
    puzzle_bits_max: u8,
}

impl Objects {
    pub(super) fn new(puzzle_bits_max: u8) -> Objects {
        Objects { puzzle_bits_max, ..Objects::default() }
    }

    pub(super) fn ask(&mut self, upload: Vec<u8>, options: Options) -> Result<ObjectId, AskError> {
        if self.objects.len() >= OBJECTS_MAX {
            return Err(AskError::TooMany);
        }
        let id = ObjectId(self.next);
        self.next += 1;
        self.objects.insert(id, Object::new(upload, options));
        Ok(id)
    }

    pub(super) fn read(&mut self, id: ObjectId, out: &mut [u8]) -> Read {
        let Some(object) = self.objects.get_mut(&id) else { return Read::Unknown };
        object.is_told_readable = false;
        match object.buffer.read(out) {
            // An application without room now reads the rest later.
            0 if object.is_finished && object.buffer.readable() == 0 => {
                self.forget(id);
                Read::End
            }
            0 => Read::Blocked,
            len => Read::Bytes(len),
        }
    }

    /// Where an object ends, if that is known.
    pub(super) fn end(&self, id: ObjectId) -> Option<u64> {
        self.objects.get(&id).and_then(|object| object.end)
    }

    pub(super) fn forget(&mut self, id: ObjectId) {
        self.objects.remove(&id);
        self.rows.retain(|_, owner| *owner != id);
    }

    pub(super) fn poll_event(&mut self) -> Option<(ObjectId, ObjectEvent)> {
        self.events.pop_front()
    }

    /// Bytes of objects that have come, in whatever order, each once.
    pub(super) const fn came(&self) -> u64 {
        self.came
    }

    /// Behind the furthest place that is asked for next, if that is so many bytes.
    pub(super) fn reach(&self, bytes: u64) -> u64 {
        self.row_end.min(self.reach.saturating_add(bytes))
    }

    /// Whether all is there that was asked for.
    pub(super) fn is_done(&self) -> bool {
        self.objects.values().all(|object| object.is_finished)
    }

    /// Another connection: all is asked for anew, but for what came.
    pub(super) fn begin_anew(&mut self) {
        self.rows.clear();
        (self.row_end, self.reach) = (0, 0);
        self.objects.values_mut().filter(|object| !object.is_finished).for_each(Object::begin_anew);
    }

    /// Whether there is something to ask for.
    pub(super) fn wants(&mut self, now: Instant) -> bool {
        let mut vain = Vec::new();
        for (id, object) in self.objects.iter_mut().filter(|(_, object)| !object.is_finished) {
            object.look_after();
            if object.is_vain() {
                vain.push(*id);
            }
        }
        vain.into_iter().for_each(|id| self.fail(id, ObjectError::Vain));
        self.objects.values().any(|object| object.next(now, u64::MAX).is_some())
    }

    /// When an object will be asked for that waits.
    pub(super) fn deadline(&self, now: Instant) -> Option<Instant> {
        self.objects.values().filter_map(|object| object.not_before).filter(|at| *at > now).min()
    }

    /// A puzzle to solve before something else is asked for.
    pub(super) fn puzzle(&self, now: Instant) -> Option<(ObjectId, Puzzle)> {
        let due = self.objects.iter().filter(|(_, object)| object.next(now, u64::MAX).is_some());
        due.filter_map(|(id, object)| object.puzzle.map(|puzzle| (*id, puzzle))).next()
    }

    /// Writes what is asked for next, as much as fits. `solved` is asked for first.
    pub(super) fn write(
        &mut self,
        now: Instant,
        writer: &mut Writer<'_>,
        capacity: Capacity,
        solved: Option<(ObjectId, Solution)>,
        asked: &mut List,
    ) {
        let mut left = capacity.packets * capacity.each;
        let first = solved.map_or(ObjectId(self.turn), |(id, _)| id);
        if let Some((id, solution)) = solved
            && Ask::Solved(solution).emit(writer).is_ok()
            && let Some(object) = self.objects.get_mut(&id)
        {
            object.puzzle = None;
        }
        let turns = || self.objects.range(first..).chain(self.objects.range(..first)).map(|(id, _)| *id);
        let (mut ids, mut count) = ([ObjectId(0); OBJECTS_MAX], 0);
        for (at, id) in turns().enumerate() {
            (ids[at], count) = (id, at + 1);
        }
        let due = self.objects.values().filter(|object| object.is_put_due(now)).count() as u64;
        let mut puts = due.div_ceil(1 + capacity.following);
        for id in &ids[..count] {
            let is_due = self.objects.get(id).is_some_and(|object| object.is_put_due(now));
            if is_due && !self.put(*id, writer, left, asked) {
                return;
            }
            if is_due && self.objects.get(id).is_some_and(Object::is_put_ahead) {
                // What comes of it takes all the room, and nobody waits for it yet.
                return;
            }
            puts = puts.saturating_sub(u64::from(is_due));
            if is_due && puts == 0 && capacity.following > 0 {
                return;
            }
            left = if is_due { left.saturating_sub(capacity.each).max(PIECE_MIN) } else { left };
        }
        for id in &ids[..count] {
            let before = left;
            self.want(now, *id, writer, &mut left, asked);
            if left < before {
                self.turn = id.0 + 1;
            }
            if left <= PIECE_MIN {
                return;
            }
        }
    }

    /// Puts what is due of an object. Answers whether there was room.
    fn put(&mut self, id: ObjectId, writer: &mut Writer<'_>, left: u64, asked: &mut List) -> bool {
        let Some(object) = self.objects.get_mut(&id) else { return true };
        if object.needs_region() {
            let (len, from) = (object.reserve_next(), object.reserved_to());
            if len > VARINT_MAX - self.row_end {
                self.fail(id, ObjectError::Vain);
                return true;
            }
            object.reserve(Region { row: self.row_end..self.row_end + len, from });
            self.rows.insert(self.row_end, id);
            self.row_end += len;
        }
        let Some(part) = object.due() else { return true };
        let reserved = object.regions.last().expect("it has one now").row.clone();
        let reserved_from = reserved.start;
        let upload = &object.upload[part.offset as usize..];
        let room = writer.left().saturating_sub(PUT_OVERHEAD + part.input.len());
        let until = part.until.map_or(upload.len(), |until| until.saturating_sub(part.offset) as usize);
        let len = upload.len().min(until.max(1)).min(room);
        let ask = Ask::Put {
            object: id.0,
            input: &part.input,
            offset: part.offset,
            is_end: len == upload.len(),
            reserved,
            data: &upload[..len],
        };
        let is_worth = len > 0 || upload.is_empty();
        if !asked.has_room_for(2) || !is_worth || writer.left() < PUT_OVERHEAD + part.input.len() {
            return false;
        }
        if ask.emit(writer).is_err() {
            return false;
        }
        let put = PutOf { offset: part.offset, row: reserved_from };
        self.reach = self.reach.max(reserved_from + left);
        let bytes = object.put_sent(left);
        asked.add(Asked::Put(id, put));
        asked.add(Asked::Bytes(id, bytes));
        true
    }

    /// Wants bytes of an object, as many as `left`.
    fn want(&mut self, now: Instant, id: ObjectId, writer: &mut Writer<'_>, left: &mut u64, asked: &mut List) {
        let Some(object) = self.objects.get_mut(&id) else { return };
        let (mut ranges, mut count, mut first) = ([const { 0..0 }; RANGES_PER_WANT], 0, None);
        while count < RANGES_PER_WANT && *left > PIECE_MIN && asked.has_room_for(1) {
            let Some(Next::Want(range)) = object.next(now, *left) else { break };
            let Some(place) = object.place(range.start) else { break };
            let place = place.start..place.start + (range.end - range.start);
            // One continuation for all, in order.
            let sealed = object.sealed_output(range.start);
            let is_next = count == 0
                || ranges[count - 1].end <= place.start && sealed == first.and_then(|byte| object.sealed_output(byte));
            let needed = sealed.map_or(usize::MAX, |sealed| 8 + sealed.len() + 16 * (count + 1));
            if !is_next || writer.left() < needed {
                break;
            }
            first = first.or(Some(range.start));
            *left = left.saturating_sub(range.end - range.start + 16);
            object.want_sent(&range);
            asked.add(Asked::Bytes(id, range));
            self.reach = self.reach.max(place.end);
            ranges[count] = place;
            count += 1;
        }
        if let Some(sealed) = first.and_then(|byte| object.sealed_output(byte)) {
            Ask::emit_want(sealed, &ranges[..count], writer).expect("there is room: it was looked at");
        }
    }

    /// Nothing more will come of what asked for that.
    pub(super) fn over(&mut self, asked: &Asked) {
        match asked {
            Asked::Bytes(id, range) => self.with(*id, |object| object.bytes_over(range)),
            Asked::Put(id, _) => self.with(*id, Object::put_over),
        }
    }

    fn with(&mut self, id: ObjectId, then: impl FnOnce(&mut Object)) {
        if let Some(object) = self.objects.get_mut(&id) {
            then(object);
        }
    }

    /// The server tells something in answer to what was asked. What is of no object is not for here.
    pub(super) fn tell(&mut self, now: Instant, tell: &Tell<'_>, asked: &List) {
        match tell {
            Tell::Data { start, data } => {
                let end = start + data.len() as u64;
                if let Some((id, byte)) = self.place(*start, end) {
                    self.came += self.objects.get_mut(&id).map_or(0, |object| object.data(byte, data));
                    self.tell_state(id);
                }
            }
            Tell::Skip(bytes) => {
                if let Some((id, byte)) = self.place(bytes.start, bytes.start + 1) {
                    self.with(id, |object| object.ends(byte));
                    self.tell_state(id);
                }
            }
            Tell::Output { object, valid, output } => {
                self.with(ObjectId(*object), |object| object.output_told(valid.clone(), output));
            }
            Tell::Input { object, taken, until, input } => {
                let id = ObjectId(*object);
                if let Some(put) = asked.put_of(id) {
                    self.with(id, |object| object.input_told(put, *taken, *until, input));
                }
            }
            Tell::Fault { object, fault, text } => {
                self.fault(now, ObjectId(*object), *fault, || text.exact().to_owned());
            }
            Tell::Puzzle { object, puzzle } => {
                let (id, bits) = (ObjectId(*object), puzzle.difficulty());
                let Some(object) = self.objects.get_mut(&id) else { return };
                if bits > self.puzzle_bits_max {
                    self.fail(id, ObjectError::Puzzle(bits));
                } else if object.puzzled(*puzzle).is_err() {
                    self.fail(id, ObjectError::Busy);
                }
            }
            Tell::Secret { .. } | Tell::ClientNetwork(_) => {}
        }
    }

    /// Whose these bytes are, and which of its bytes they begin with.
    fn place(&self, start: u64, end: u64) -> Option<(ObjectId, u64)> {
        let (_, id) = self.rows.range(..=start).next_back()?;
        let regions = &self.objects.get(id)?.regions;
        let Region { row, from } = regions.iter().find(|region| region.row.start <= start && end <= region.row.end)?;
        Some((*id, from + (start - row.start)))
    }

    fn tell_state(&mut self, id: ObjectId) {
        let Some(object) = self.objects.get_mut(&id) else { return };
        if !object.is_told_readable && object.buffer.readable() > 0 {
            object.is_told_readable = true;
            self.events.push_back((id, ObjectEvent::Readable));
        }
        if !object.is_finished && object.is_complete() {
            object.is_finished = true;
            self.events.push_back((id, ObjectEvent::Finished));
        }
    }

    fn fault(&mut self, now: Instant, id: ObjectId, fault: Fault, text: impl FnOnce() -> String) {
        let Some(object) = self.objects.get_mut(&id).filter(|object| !object.is_finished) else { return };
        let answer = match fault {
            Fault::Version | Fault::Unsealed => {
                let answer = object.spoiled(now, ObjectError::Anew);
                if object.regions.is_empty() {
                    self.rows.retain(|_, owner| *owner != id);
                }
                answer
            }
            Fault::TooOften | Fault::Overloaded => object.later(now).map_err(|()| ObjectError::Busy),
            Fault::NotYet => object.not_yet(now).map_err(|()| ObjectError::Busy),
            Fault::OutOfRange => Err(ObjectError::OutOfRange),
            Fault::Application(code) => Err(ObjectError::Application { code, text: text() }),
        };
        if let Err(error) = answer {
            self.fail(id, error);
        }
    }

    fn fail(&mut self, id: ObjectId, error: ObjectError) {
        if self.objects.contains_key(&id) {
            self.forget(id);
            self.events.push_back((id, ObjectEvent::Failed(error)));
        }
    }
}
