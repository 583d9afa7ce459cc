//! One object: what asks for it, and what came of it.

use core::ops::Range;
use core::time::Duration;

use tng_base::{Instant, RangeSet};

use super::buffer::Buffer;
use super::objects::{ObjectError, Options};
use super::sent::PutOf;
use crate::Puzzle;

/// Output continuations of an object that are kept, at most: the newest.
pub const OUTPUTS_MAX: usize = 8;
/// Parts of a connection's bytes that are reserved for one object, at most: each is four times as long as the one
/// before.
pub const REGIONS_MAX: usize = 20;
/// How often an object is begun anew within a minute because its continuations are of another version of the server, or
/// of erased keys, at most.
pub const ANEW_MAX: u8 = 3;
const ANEW_WITHIN: Duration = Duration::from_secs(60);
/// How often an object is asked for again that was answered with nothing, or that the server put off, at most.
pub const VAIN_MAX: u8 = 6;
/// Puzzles that are solved for an object without a byte of it, at most: answers to some may be lost.
pub const PUZZLES_MAX: u8 = 32;
/// How long the client waits before it asks again for what is computed too often; it doubles each time.
const LATER: Duration = Duration::from_secs(1);
/// How long the client waits before it asks again for what is being made; it doubles each time, to a second.
const SOON: Duration = Duration::from_millis(125);
const SOON_MAX: Duration = Duration::from_secs(1);
/// What is still being made after so long is given up.
pub const MAKING_MAX: Duration = Duration::from_secs(60);

/// Part of a connection's bytes that is reserved for an object.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) row: Range<u64>,
    /// The byte of the object with which it begins.
    pub(super) from: u64,
}

impl Region {
    fn end(&self) -> u64 {
        self.from + (self.row.end - self.row.start)
    }
}

#[derive(Clone, Debug)]
struct Output {
    /// Of the connection's bytes.
    valid: Range<u64>,
    sealed: Vec<u8>,
}

/// Part of what asks for the object.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// The input continuation of the part before.
    pub(super) input: Vec<u8>,
    pub(super) offset: u64,
    pub(super) until: Option<u64>,
    /// It wants a further region.
    pub(super) is_overrun: bool,
}

/// What becomes of what asks for the object.
#[derive(Clone, Debug)]
enum Put {
    /// This part waits to be sent.
    Due(Part),
    /// It was sent.
    Out(Part),
    /// The server has taken all; the part was the last.
    Taken(Part),
}

/// What an object does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Put,
    /// These of its bytes.
    Want(Range<u64>),
}

#[derive(Debug)]
pub(super) struct Object {
    pub(super) upload: Vec<u8>,
    pub(super) options: Options,
    put: Put,
    overrun: Option<Vec<u8>>,
    pub(super) regions: Vec<Region>,
    outputs: Vec<Output>,
    /// Asked for before, and not got.
    owed: RangeSet,
    /// What lies behind was never asked for.
    frontier: u64,
    pub(super) buffer: Buffer,
    /// Where it ends, once that is known.
    pub(super) end: Option<u64>,
    /// Things that are asked for and not settled.
    under_way: u32,
    /// How often it was begun anew of late, and since when.
    anew: u8,
    anew_at: Option<Instant>,
    vain: u8,
    puzzles: u8,
    /// If it is being made, since when, as far as is known, and the last pause.
    making: Option<(Instant, Duration)>,
    pub(super) not_before: Option<Instant>,
    pub(super) puzzle: Option<Puzzle>,
    pub(super) is_told_readable: bool,
    pub(super) is_finished: bool,
}

impl Object {
    pub(super) fn new(upload: Vec<u8>, options: Options) -> Object {
        Object {
            upload,
            put: Put::Due(Part::default()),
            overrun: None,
            regions: Vec::new(),
            outputs: Vec::new(),
            owed: RangeSet::new(),
            frontier: options.from,
            buffer: Buffer::new(options.from, &options.holes),
            end: None,
            under_way: 0,
            anew: 0,
            anew_at: None,
            vain: 0,
            puzzles: 0,
            making: None,
            not_before: None,
            puzzle: None,
            is_told_readable: false,
            is_finished: false,
            options,
        }
    }

    /// Where what is reserved for it ends.
    pub(super) fn reserved_to(&self) -> u64 {
        self.regions.last().map_or(0, Region::end)
    }

    /// How much to reserve next.
    pub(super) fn reserve_next(&self) -> u64 {
        match self.regions.last() {
            Some(last) => 4 * (last.row.end - last.row.start),
            None => self.options.reserve.max(self.frontier).max(1),
        }
    }

    /// Where what the application wants ends, if that is known.
    fn target(&self) -> Option<u64> {
        match (self.end, self.options.until) {
            (Some(end), Some(until)) => Some(end.min(until)),
            (end, until) => end.or(until),
        }
    }

    /// All that was wanted came.
    pub(super) fn is_complete(&self) -> bool {
        self.target().is_some_and(|target| self.buffer.missing(self.options.from, target).is_none())
    }

    fn limit(&self) -> u64 {
        let room = self.buffer.read_to().saturating_add(self.options.buffer);
        self.target().unwrap_or(u64::MAX).min(room).min(self.reserved_to())
    }

    /// Whether it may ask for anything now.
    fn may_ask(&self, now: Instant) -> bool {
        !self.is_finished && self.not_before.is_none_or(|at| now >= at)
    }

    /// Whether a part of what asks for it goes out next.
    pub(super) fn is_put_due(&self, now: Instant) -> bool {
        self.may_ask(now) && self.due().is_some()
    }

    /// What it asks for next, at most `most` bytes.
    pub(super) fn next(&self, now: Instant, most: u64) -> Option<Next> {
        if !self.may_ask(now) {
            return None;
        }
        if self.due().is_some() {
            return Some(Next::Put);
        }
        let limit = self.limit();
        let owed = self.owed.iter().find_map(|range| self.buffer.missing(range.start, range.end.min(limit)));
        let range = owed.or_else(|| self.buffer.missing(self.frontier, limit))?;
        let place = self.place(range.start)?;
        let output = self.output(place.start)?;
        let len = (range.end - range.start).min(most).min(output.valid.end.min(place.end) - place.start);
        (len > 0).then(|| Next::Want(range.start..range.start + len))
    }

    /// If it has nothing to ask for and waits for nothing, what its server has told is not enough: the last part is put
    /// again. Once the last part that is reserved is begun, a further one is asked for: a window that doubles asks for
    /// three times as much until that is there.
    pub(super) fn look_after(&mut self) {
        let is_idle = self.under_way == 0 && !self.is_complete() && !self.waits_for_reader();
        // A further part is not asked for before this one's bytes can be: only the last is put again.
        let last = self.regions.last().map_or(0..0, |last| last.from..last.end());
        let can_be_asked_for =
            self.buffer.missing(last.start, last.end).is_none_or(|missing| self.is_told(missing.start));
        let Put::Taken(part) = &mut self.put else { return };
        let (from, to) = self.regions.last().map_or((0, 0), |last| (last.from, last.end()));
        let is_ending = self.end.is_none() && self.options.until.is_none_or(|until| until > to);
        // What is wanted next may lie behind a hole.
        let next = self.buffer.missing(self.frontier, u64::MAX).map_or(to, |missing| missing.start);
        if is_ending
            && can_be_asked_for
            && self.regions.len() < REGIONS_MAX
            && next >= from
            && let Some(input) = self.overrun.take()
        {
            self.put = Put::Due(Part { input, offset: self.upload.len() as u64, until: None, is_overrun: true });
        } else if is_idle {
            let part = core::mem::take(part);
            self.put = Put::Due(part);
            self.vain += 1;
        }
    }

    /// Whether nothing goes on because of its own reader, or because there is something to ask for.
    fn waits_for_reader(&self) -> bool {
        let room = self.buffer.read_to().saturating_add(self.options.buffer);
        let wanted = self.target().unwrap_or(u64::MAX);
        let missing = self.buffer.missing(self.buffer.read_to(), wanted.min(room));
        missing.is_none_or(|missing| self.is_told(missing.start))
    }

    /// Whether the server has said how to ask for that byte.
    fn is_told(&self, byte: u64) -> bool {
        self.place(byte).is_some_and(|place| self.output(place.start).is_some())
    }

    /// Whether it has been asked for in vain too often.
    pub(super) const fn is_vain(&self) -> bool {
        self.vain > VAIN_MAX
    }

    /// Where its bytes from that one on stand in the connection's, up to the end of their region.
    pub(super) fn place(&self, byte: u64) -> Option<Range<u64>> {
        let region = self.regions.iter().find(|region| (region.from..region.end()).contains(&byte))?;
        Some(region.row.start + (byte - region.from)..region.row.end)
    }

    fn output(&self, place: u64) -> Option<&Output> {
        self.outputs.iter().rev().find(|output| output.valid.contains(&place))
    }

    /// The sealed output continuation for a byte.
    pub(super) fn sealed_output(&self, byte: u64) -> Option<&[u8]> {
        let place = self.place(byte)?;
        self.output(place.start).map(|output| &output.sealed[..])
    }

    /// The part that is due.
    pub(super) fn due(&self) -> Option<&Part> {
        if let Put::Due(part) = &self.put { Some(part) } else { None }
    }

    /// Whether what is due needs a further region.
    pub(super) fn needs_region(&self) -> bool {
        self.regions.is_empty() || self.due().is_some_and(|part| part.is_overrun)
    }

    /// A region is there for it: what is due is for that, also when it does not go out at once, or is put again.
    pub(super) fn reserve(&mut self, region: Region) {
        self.regions.push(region);
        if let Put::Due(part) = &mut self.put {
            part.is_overrun = false;
        }
    }

    /// Whether what is put is for bytes behind others that were not asked for.
    pub(super) fn is_put_ahead(&self) -> bool {
        self.regions.last().is_some_and(|last| last.from > self.frontier)
    }

    /// The part that was due went out. What comes of it may be as many bytes as `most`, from the first that was never
    /// asked for; nothing that is waited for if there is something to ask for before.
    pub(super) fn put_sent(&mut self, most: u64) -> Range<u64> {
        if let Put::Due(part) = &mut self.put {
            self.put = Put::Out(core::mem::take(part));
        }
        let most = if self.is_put_ahead() { 0 } else { most };
        let bytes = self.frontier..self.frontier.saturating_add(most).min(self.limit()).max(self.frontier);
        self.frontier = bytes.end;
        self.under_way += 2;
        bytes
    }

    /// These bytes were asked for.
    pub(super) fn want_sent(&mut self, range: &Range<u64>) {
        self.owed.remove(0..range.end);
        self.frontier = self.frontier.max(range.end);
        self.under_way += 1;
    }

    /// Nothing more will come of what asked for these.
    pub(super) fn bytes_over(&mut self, range: &Range<u64>) {
        self.under_way = self.under_way.saturating_sub(1);
        let end = self.target().map_or(range.end, |target| range.end.min(target));
        let mut at = range.start;
        while let Some(missing) = self.buffer.missing(at, end) {
            at = missing.end;
            self.owed.insert(missing);
        }
    }

    /// Nothing more will come of what put the last part.
    pub(super) fn put_over(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
        if let Put::Out(part) = &mut self.put {
            self.put = Put::Due(core::mem::take(part));
        }
    }

    /// Bytes of it came: more than are wanted, if a packet had room for them. Answers how many are new.
    pub(super) fn data(&mut self, byte: u64, data: &[u8]) -> u64 {
        let data = match self.target() {
            Some(end) => &data[..data.len().min(usize::try_from(end.saturating_sub(byte)).unwrap_or(usize::MAX))],
            None => data,
        };
        if let Some(place) = self.place(byte) {
            self.taken(place.start);
        }
        let new = self.buffer.write(byte, data, self.options.buffer);
        if new > 0 {
            (self.vain, self.puzzles, self.making) = (0, 0, None);
        }
        new
    }

    /// The server says where it ends. What it says first stands.
    pub(super) fn ends(&mut self, end: u64) {
        if let Some(place) = self.place(end) {
            self.taken(place.start);
        }
        self.end.get_or_insert(end);
    }

    /// The server says how to ask for its bytes.
    pub(super) fn output_told(&mut self, valid: Range<u64>, sealed: &[u8]) {
        self.taken(valid.start);
        let known = self.outputs.iter_mut().find(|output| output.valid == valid);
        match known {
            Some(output) => {
                output.sealed.clear();
                output.sealed.extend_from_slice(sealed);
            }
            None => {
                if self.outputs.len() == OUTPUTS_MAX {
                    self.outputs.remove(0);
                }
                self.outputs.push(Output { valid, sealed: sealed.to_vec() });
            }
        }
    }

    /// The server has taken so much of what asks for it, that part included, and says how to go on. What it says of a
    /// part before comes late: it leads to bytes that have another place.
    pub(super) fn input_told(&mut self, put: PutOf, taken: u64, until: Option<u64>, sealed: &[u8]) {
        let len = self.upload.len() as u64;
        if taken > len || self.regions.last().is_none_or(|last| last.row.start != put.row) {
            return;
        }
        match &mut self.put {
            Put::Out(part) if taken < len && taken >= part.offset && part.offset == put.offset => {
                // The same again for nothing does not go on for ever.
                if taken > part.offset {
                    (self.vain, self.puzzles) = (0, 0);
                } else {
                    self.vain += 1;
                }
                self.put = Put::Due(Part { input: sealed.to_vec(), offset: taken, until, is_overrun: false });
            }
            Put::Out(_) | Put::Taken(_) if taken == len => {
                self.taken(put.row);
                self.overrun = Some(sealed.to_vec());
            }
            _ => {}
        }
    }

    /// What the server says of that place of the row shows that it has taken all: if it is of the last part.
    fn taken(&mut self, place: u64) {
        if let Put::Out(part) = &mut self.put
            && self.regions.last().is_some_and(|last| last.row.start <= place)
        {
            self.put = Put::Taken(core::mem::take(part));
        }
    }

    /// The server asks for work before it answers.
    ///
    /// # Errors
    /// It did too often.
    pub(super) fn puzzled(&mut self, puzzle: Puzzle) -> Result<(), ()> {
        self.puzzle = Some(puzzle);
        self.puzzles += 1;
        if self.puzzles > PUZZLES_MAX { Err(()) } else { Ok(()) }
    }

    /// The server puts it off.
    ///
    /// # Errors
    /// It was too often.
    pub(super) fn later(&mut self, now: Instant) -> Result<(), ()> {
        self.not_before = Some(now + LATER * (1 << self.vain.min(VAIN_MAX)));
        self.vain += 1;
        if self.is_vain() { Err(()) } else { Ok(()) }
    }

    /// It is being made. Who is killed and begins again to make it says the same: nothing is learned of how long it
    /// takes, so the pauses do not grow for ever.
    ///
    /// # Errors
    /// For too long.
    pub(super) fn not_yet(&mut self, now: Instant) -> Result<(), ()> {
        let (since, pause) = match self.making {
            Some((since, pause)) => (since, (pause * 2).min(SOON_MAX)),
            None => (now, SOON),
        };
        (self.making, self.not_before) = (Some((since, pause)), Some(now + pause));
        if now.since(since) > MAKING_MAX { Err(()) } else { Ok(()) }
    }

    /// What the server gave for it is good for nothing any more.
    ///
    /// # Errors
    /// It was too often.
    pub(super) fn spoiled(&mut self, now: Instant, error: ObjectError) -> Result<(), ObjectError> {
        let shows_something = match &self.put {
            Put::Due(_) => false,
            Put::Out(part) => !part.input.is_empty(),
            Put::Taken(_) => !self.outputs.is_empty(),
        };
        if !shows_something {
            // It was begun anew since it was asked for.
            return Ok(());
        }
        if self.anew_at.is_none_or(|at| now.since(at) > ANEW_WITHIN) {
            (self.anew, self.anew_at) = (0, Some(now));
        }
        self.anew += 1;
        if self.anew > ANEW_MAX {
            return Err(error);
        }
        self.begin_anew();
        Ok(())
    }

    /// It is asked for anew, from the first byte that did not come.
    pub(super) fn begin_anew(&mut self) {
        self.put = Put::Due(Part::default());
        self.options.reserve = self.options.reserve.max(self.reserved_to());
        (self.overrun, self.puzzle) = (None, None);
        self.regions.clear();
        self.outputs.clear();
        self.owed = RangeSet::new();
        self.frontier = self.buffer.read_to();
        self.under_way = 0;
    }
}
