//! Numbered echoes: a semantic protocol for the lab, and an example of one.
//!
//! Either end asks with numbers from 0 on, each with a body, and the other echoes each number once. Packets may be
//! lost, doubled and reordered, channels come and go: what is lost is repaired here, from what the channel says became
//! of its packets. That each number is echoed exactly once, whatever happens to the connection, is what tests hold it
//! to.
//!
//! ```
//! use tng_echoes::Echoes;
//!
//! let mut end = Echoes::new(100);
//! assert_eq!(end.ask(b"hello"), Ok(0));
//! assert_eq!(end.ask(b"again"), Ok(1));
//! assert!(Echoes::answering(100, Some(b"of another protocol")).is_none());
//! ```
#![forbid(unsafe_code)]

pub mod battery;
mod carriers;
mod tally;
mod wire;

use core::fmt;
use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tng_base::{ChannelKey, Ecn, Fate, Filled, Instant, PathCondition, Protocol, RangeSet, Semantic, Taken, Violation};
use tng_wire::{Reader, Repr, Writer};

pub use tally::Tally;
pub use wire::{BODY_MAX, WINDOW_MAX, WINDOW_MIN};

use carriers::Carriers;
use wire::{Frame, SetUp};

/// The name under which it is registered.
pub const NAME: &str = "lab-echoes";

/// What a request or an echo counts for, in bytes, with its body.
pub const ENTRY_COST: u64 = 192;

/// Echoes that are not acknowledged may be this many times the window; a packet with further requests is not taken.
pub const OWED_PER_WINDOW: u64 = 2;

/// Close codes (docs/wire.md, section 5).
mod violation {
    use super::Violation;

    pub(super) const MALFORMED: Violation = Violation { code: 1, reason: "not a frame of numbered echoes" };
    pub(super) const SET_UP: Violation = Violation { code: 1, reason: "not a set-up item of numbered echoes" };
    pub(super) const NEVER_ASKED: Violation = Violation { code: 1, reason: "an echo that was never asked for" };
    pub(super) const BEYOND_WINDOW: Violation = Violation { code: 2, reason: "a request beyond the window" };
}

/// A request's echo.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Echo {
    /// Which request's.
    pub number: u64,
    /// What the request said, as the peer heard it.
    pub body: Vec<u8>,
}

/// Why nothing is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AskError {
    /// Caller: the body, of so many bytes, is longer than [`BODY_MAX`].
    TooLong(usize),
    /// Caller: the connection is over.
    Closed,
    /// Peer: as many requests are open, or as many echoes wait to be taken, as it lets be. A notice follows when there
    /// is room.
    Blocked,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AskError::TooLong(len) => write!(f, "a body of {len} bytes; at most {BODY_MAX} can be echoed"),
            AskError::Closed => f.write_str("the connection is over; connect again"),
            AskError::Blocked => f.write_str("the peer lets no more requests be open; take echoes first"),
        }
    }
}

impl core::error::Error for AskError {}

/// What is sent, and again until the peer has it: answers before questions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Item {
    Echo(u64),
    Ask(u64),
}

/// One end of a connection that speaks numbered echoes.
#[derive(Debug)]
pub struct Echoes {
    /// How far ahead of its lowest open number the peer may ask.
    window: u64,
    /// How far this end may.
    peer_window: u64,
    /// The next number to ask with.
    next: u64,
    /// Requests without an echo, and whether the peer is known to have them.
    open: BTreeMap<u64, (Vec<u8>, bool)>,
    /// Echoes that nobody has taken.
    echoed: VecDeque<Echo>,
    /// A request was refused for want of room.
    blocked: bool,
    /// The peer's numbers that have come.
    seen: RangeSet,
    /// Echoes that are not acknowledged.
    owed: BTreeMap<u64, Vec<u8>>,
    /// What waits to be sent, echoes first, and the lowest numbers.
    due: BTreeSet<Item>,
    carriers: Carriers<Item>,
    notice: bool,
    closed: bool,
    /// What is lost is sent again.
    repairs: bool,
    /// What comes in a first packet is taken before its sender has proven that it is no replay.
    early: bool,
    stats: Stats,
}

/// What one end has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Requests of this end's.
    pub asked: u64,
    /// Those that were echoed.
    pub echoed: u64,
    /// Numbers of the peer's that were echoed: each counts once, however often it was sent.
    pub answered: u64,
    /// Requests and echoes that came again.
    pub repeats: u64,
    /// Requests and echoes that were sent again.
    pub resent: u64,
}

impl Echoes {
    /// An end of a new connection that lets the other ask `window` numbers ahead, from [`WINDOW_MIN`] to
    /// [`WINDOW_MAX`].
    pub fn new(window: u64) -> Echoes {
        Echoes {
            window: window.clamp(WINDOW_MIN, WINDOW_MAX),
            peer_window: WINDOW_MIN,
            next: 0,
            open: BTreeMap::new(),
            echoed: VecDeque::new(),
            blocked: false,
            seen: RangeSet::new(),
            owed: BTreeMap::new(),
            due: BTreeSet::new(),
            carriers: Carriers::default(),
            notice: false,
            closed: false,
            repairs: true,
            early: true,
            stats: Stats::default(),
        }
    }

    /// The end that answers a peer with this set-up item; `None` if that is none.
    pub fn answering(window: u64, peer: Option<&[u8]>) -> Option<Echoes> {
        let SetUp { window: peer_window } = SetUp::parse(&mut Reader::new(peer?)).ok()?;
        Some(Echoes { peer_window, ..Echoes::new(window) })
    }

    /// The end that takes nothing before its peer has proven that its first packet is no replay.
    pub fn proven_only(self) -> Echoes {
        Echoes { early: false, ..self }
    }

    /// The control of every test: an end that sends nothing again.
    #[doc(hidden)]
    pub fn without_repair(self) -> Echoes {
        Echoes { repairs: false, ..self }
    }

    /// Asks the peer to echo `body`; answers the request's number.
    ///
    /// # Errors
    /// See [`AskError`].
    pub fn ask(&mut self, body: &[u8]) -> Result<u64, AskError> {
        if body.len() > BODY_MAX {
            return Err(AskError::TooLong(body.len()));
        }
        if self.closed {
            return Err(AskError::Closed);
        }
        let lowest = self.open.first_key_value().map_or(self.next, |(number, _)| *number);
        let held = (self.open.len() + self.echoed.len()) as u64;
        if self.next >= lowest + self.peer_window || held >= self.peer_window {
            self.blocked = true;
            return Err(AskError::Blocked);
        }
        let number = self.next;
        self.next += 1;
        self.stats.asked += 1;
        self.open.insert(number, (body.to_vec(), false));
        self.due.insert(Item::Ask(number));
        Ok(number)
    }

    /// The next echo that has come. Each number comes once, in any order.
    pub fn take_echo(&mut self) -> Option<Echo> {
        let echo = self.echoed.pop_front()?;
        self.notice |= core::mem::take(&mut self.blocked);
        Some(echo)
    }

    /// Requests without an echo.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Numbers for people and for tests.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Checks a payload and says whether all of it may be taken now.
    fn check(&self, payload: &[u8]) -> Result<(), Violation> {
        let mut reader = Reader::new(payload);
        let lowest = self.seen.first().filter(|first| first.start == 0).map_or(0, |first| first.end);
        while !reader.is_empty() {
            match Frame::parse(&mut reader).map_err(|_| violation::MALFORMED)? {
                Frame::Ask { number, .. } if number >= lowest + self.window => return Err(violation::BEYOND_WINDOW),
                Frame::Echo { number, .. } if number >= self.next => return Err(violation::NEVER_ASKED),
                Frame::Echo { number, body } => match self.open.get(&number) {
                    Some((asked, _)) if asked != body => return Err(violation::NEVER_ASKED),
                    _ => {}
                },
                Frame::Ask { .. } => {}
            }
        }
        Ok(())
    }

    fn take(&mut self, payload: &[u8]) -> Result<Taken, Violation> {
        self.check(payload)?;
        let (mut reader, mut taken) = (Reader::new(payload), Taken::All);
        while !reader.is_empty() {
            match Frame::parse(&mut reader).map_err(|_| violation::MALFORMED)? {
                Frame::Ask { number, .. } if self.seen.contains(number) => self.stats.repeats += 1,
                Frame::Ask { .. } if self.owed.len() as u64 >= self.window * OWED_PER_WINDOW => taken = Taken::Refused,
                Frame::Ask { number, body } => {
                    self.seen.insert(number..number + 1);
                    self.owed.insert(number, body.to_vec());
                    self.due.insert(Item::Echo(number));
                    self.stats.answered += 1;
                }
                Frame::Echo { number, body } => match self.open.remove(&number) {
                    Some(_) => {
                        self.due.remove(&Item::Ask(number));
                        self.echoed.push_back(Echo { number, body: body.to_vec() });
                        self.stats.echoed += 1;
                        self.notice = true;
                        self.blocked = false;
                    }
                    None => self.stats.repeats += 1,
                },
            }
        }
        Ok(taken)
    }

    /// Whether the peer may still lack it.
    fn is_wanted(&self, item: Item) -> bool {
        match item {
            Item::Ask(number) => self.open.get(&number).is_some_and(|(_, there)| !there),
            Item::Echo(number) => self.owed.contains_key(&number),
        }
    }

    fn again(&mut self, items: Vec<Item>) {
        for item in items {
            if self.repairs && !self.closed && self.is_wanted(item) && self.due.insert(item) {
                self.stats.resent += 1;
            }
        }
    }

    fn acked(&mut self, item: Item) {
        self.due.remove(&item);
        match item {
            Item::Ask(number) => {
                if let Some((_, there)) = self.open.get_mut(&number) {
                    *there = true;
                }
            }
            Item::Echo(number) => drop(self.owed.remove(&number)),
        }
    }
}

impl Protocol for Echoes {
    fn handle_packet(
        &mut self,
        _: Instant,
        _: ChannelKey,
        _: u64,
        _: Ecn,
        payload: &mut [u8],
    ) -> Result<Taken, Violation> {
        self.take(payload)
    }

    /// An echo does nothing but tell what it was told.
    fn replay_safe(&self, payload: &[u8]) -> bool {
        self.early && self.check(payload).is_ok()
    }

    fn poll_packet(&mut self, now: Instant, channel: ChannelKey, number: u64, buf: &mut [u8]) -> Option<Filled> {
        if !self.wants_to_send(now, channel) {
            return None;
        }
        let mut writer = Writer::new(buf);
        let mut sent = Vec::new();
        while let Some(item) = self.due.first().copied() {
            let body = match item {
                Item::Ask(number) => self.open.get(&number).map(|(body, _)| Frame::Ask { number, body }),
                Item::Echo(number) => self.owed.get(&number).map(|body| Frame::Echo { number, body }),
            };
            match body {
                Some(frame) if frame.wire_len() > writer.tail().len() => break,
                Some(frame) => {
                    frame.emit(&mut writer).expect("there is room for it");
                    sent.push(item);
                }
                None => {}
            }
            self.due.remove(&item);
        }
        let len = writer.position();
        if sent.is_empty() {
            return None;
        }
        self.carriers.note_sent(channel, number, sent);
        Some(Filled { len })
    }

    fn wants_to_send(&mut self, _: Instant, channel: ChannelKey) -> bool {
        !self.due.is_empty() && !self.carriers.leaves_to_others(channel)
    }

    fn handle_fates(&mut self, _: Instant, channel: ChannelKey, numbers: Range<u64>, fate: Fate) {
        for number in numbers {
            let items = self.carriers.settle(channel, number, fate);
            match fate {
                Fate::Acked => items.into_iter().for_each(|item| self.acked(item)),
                Fate::Lost | Fate::Doubtful => self.again(items),
            }
        }
    }

    fn handle_attach(&mut self, _: Instant, channel: ChannelKey) {
        self.carriers.attach(channel);
        let stalled = self.carriers.on_stalled();
        self.again(stalled);
    }

    fn handle_detach(&mut self, _: Instant, channel: ChannelKey) {
        let lost = self.carriers.detach(channel);
        self.again(lost);
    }

    fn handle_path(&mut self, _: Instant, channel: ChannelKey, condition: PathCondition) {
        self.carriers.note_condition(channel, condition);
        let stalled = self.carriers.on_stalled();
        self.again(stalled);
    }
}

impl Semantic for Echoes {
    /// Numbers tell what has come before.
    fn repeatable(&self, payload: &[u8]) -> bool {
        self.check(payload).is_ok()
    }

    fn set_up_item(&self) -> Option<Vec<u8>> {
        let item = SetUp { window: self.window };
        let mut bytes = vec![0; item.wire_len()];
        item.emit(&mut Writer::new(&mut bytes)).expect("wire_len bytes are enough");
        Some(bytes)
    }

    fn handle_set_up_item(&mut self, item: Option<&[u8]>) -> Result<(), Violation> {
        let item = item.ok_or(violation::SET_UP)?;
        self.peer_window = SetUp::parse(&mut Reader::new(item)).map_err(|_| violation::SET_UP)?.window;
        self.notice |= core::mem::take(&mut self.blocked);
        Ok(())
    }

    fn set_retired(&mut self, channel: ChannelKey, retired: bool) {
        self.carriers.set_retired(channel, retired);
    }

    fn is_idle(&self) -> bool {
        self.due.is_empty() && self.carriers.outstanding() == 0
    }

    fn is_empty(&self) -> bool {
        self.open.is_empty() && self.owed.is_empty() && self.echoed.is_empty()
    }

    fn bytes_held(&self) -> u64 {
        (self.open.len() + self.owed.len() + self.echoed.len()) as u64 * ENTRY_COST
    }

    fn bytes_promised(&self) -> u64 {
        let more = self.window * OWED_PER_WINDOW - self.owed.len() as u64;
        if self.closed { 0 } else { more * ENTRY_COST }
    }

    fn progress(&self) -> u64 {
        self.stats.echoed + self.stats.answered - (self.echoed.len() + self.owed.len()) as u64
    }

    fn take_notice(&mut self) -> bool {
        core::mem::take(&mut self.notice)
    }

    fn handle_closed(&mut self) {
        self.closed = true;
        self.due.clear();
        self.owed.clear();
        self.carriers = Carriers::default();
        self.notice = true;
    }
}

#[cfg(test)]
mod tests;
