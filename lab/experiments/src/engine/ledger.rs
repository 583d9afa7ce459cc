//! What became of the streams and datagrams of a run: kept beside the world, so that it outlives nodes that restart.

use core::time::Duration;
use std::cell::{Ref, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_base::Instant;

use crate::engine::visits::Visit;
use crate::scenario::{FlowProtocol, Messages, Pace};

/// Messages of a stream whose times are kept; of those that come later nothing is noted.
pub(crate) const MESSAGES_MAX: u64 = 1_000_000;

/// What the ledger is to expect of a stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expected {
    /// The run is not over before it is.
    pub(crate) awaited: bool,
    /// Its length, if that is settled.
    pub(crate) bytes: Option<u64>,
    pub(crate) pace: Option<Pace>,
    pub(crate) messages: Option<Messages>,
    /// The stream whose child it is.
    pub(crate) parent: Option<usize>,
    /// The page that it is a request of.
    pub(crate) visit: Option<usize>,
}

/// One stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    pub(crate) state: State,
    pub(crate) started: Option<Instant>,
    /// When the receiver had the first byte.
    pub(crate) first_byte: Option<Instant>,
    /// Bytes that the receiver has, every one of them checked.
    pub(crate) received: u64,
    /// The same, by interval.
    pub(crate) series: Vec<u64>,
    /// How long each message took, from when it was to be written.
    pub(crate) messages: Vec<Duration>,
    expected: Expected,
    /// What the scenario does to it ends it early.
    cut_expected: bool,
    /// Children, and groups of datagrams, that are still to come to it.
    pending: usize,
    /// It has come to its parent.
    arrived: bool,
}

/// One group of datagrams.
#[derive(Clone, Debug, Default)]
pub(crate) struct DatagramAccount {
    pub(crate) state: State,
    pub(crate) started: Option<Instant>,
    /// Those that the transport took.
    pub(crate) sent: u64,
    /// Those that it refused.
    pub(crate) refused: u64,
    /// Those that came, each counted once.
    pub(crate) received: u64,
    /// Those that came again.
    pub(crate) repeated: u64,
    /// Bytes of those that came, by interval.
    pub(crate) series: Vec<u64>,
    /// How long each took that came.
    pub(crate) delays: Vec<Duration>,
    /// By number: when it was handed over; `None` once it has come.
    on_their_way: Vec<Option<Instant>>,
    /// How many there will be.
    count: Option<u64>,
    parent: Option<usize>,
}

/// How far a stream is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) enum State {
    /// Its time has not come.
    #[default]
    Waiting,
    /// Under way.
    Running,
    /// The receiver has everything, since then.
    Done(Instant),
    /// The scenario ended it early, in this way.
    Cut(Instant, String),
    /// It will not end well.
    Failed(String),
}

impl State {
    fn is_open(&self) -> bool {
        matches!(self, State::Waiting | State::Running)
    }
}

#[derive(Debug)]
struct Books {
    streams: Vec<Account>,
    datagrams: Vec<DatagramAccount>,
    interval: Duration,
    /// Streams and groups that the run waits for.
    awaited: usize,
    /// Whether there were any.
    awaits: bool,
    visits: Vec<Visit>,
    /// By host and protocol: streams that may be opened now, and when.
    ready: BTreeMap<(usize, FlowProtocol), Vec<(Instant, usize)>>,
}

/// The accounts. Nodes write, the run reads.
#[derive(Clone, Debug)]
pub(crate) struct Ledger(Rc<RefCell<Books>>);

impl Ledger {
    /// `datagrams`: how many each group is to have, and the stream whose children they are, if any.
    pub(crate) fn new(
        interval: Duration,
        streams: Vec<Expected>,
        datagrams: Vec<(Option<u64>, Option<usize>)>,
        visits: Vec<Visit>,
    ) -> Ledger {
        let awaited = streams.iter().filter(|stream| stream.awaited).count()
            + datagrams.iter().filter(|(count, _)| count.is_some()).count();
        let mut accounts: Vec<Account> =
            streams.into_iter().map(|expected| Account { expected, ..Account::default() }).collect();
        let parents = accounts.iter().filter_map(|account| account.expected.parent);
        let pending: Vec<usize> = parents.chain(datagrams.iter().filter_map(|(_, parent)| *parent)).collect();
        pending.into_iter().for_each(|parent| accounts[parent].pending += 1);
        let group = |(count, parent)| DatagramAccount { count, parent, ..DatagramAccount::default() };
        let datagrams = datagrams.into_iter().map(group).collect();
        let (awaits, ready) = (awaited > 0, BTreeMap::new());
        let books = Books { streams: accounts, datagrams, interval, awaited, awaits, visits, ready };
        Ledger(Rc::new(RefCell::new(books)))
    }

    pub(crate) fn stream(&self, stream: usize) -> Ref<'_, Account> {
        Ref::map(self.0.borrow(), |books| &books.streams[stream])
    }

    pub(crate) fn datagrams(&self, group: usize) -> Ref<'_, DatagramAccount> {
        Ref::map(self.0.borrow(), |books| &books.datagrams[group])
    }

    /// Whether everything that has an end is done or has failed. Never, if nothing has an end.
    pub(crate) fn is_settled(&self) -> bool {
        let books = self.0.borrow();
        books.awaits && books.awaited == 0
    }
}

/// Streams.
impl Ledger {
    pub(crate) fn is_waiting(&self, stream: usize) -> bool {
        self.stream(stream).state == State::Waiting
    }

    pub(crate) fn is_running(&self, stream: usize) -> bool {
        self.stream(stream).state == State::Running
    }

    /// Whether nothing more comes of it.
    pub(crate) fn is_over(&self, stream: usize) -> bool {
        !self.stream(stream).state.is_open()
    }

    /// Whether the host that did not open it has it, or need not have it any more.
    pub(crate) fn has_arrived(&self, stream: usize) -> bool {
        self.stream(stream).arrived
    }

    /// Whether children or datagrams are still to come to it.
    pub(crate) fn awaits_children(&self, stream: usize) -> bool {
        self.stream(stream).pending > 0
    }

    /// Takes the streams that had to wait for others, and may be opened by this host from then on.
    pub(crate) fn take_ready(&self, place: usize, protocol: FlowProtocol) -> Vec<(Instant, usize)> {
        let books = &mut *self.0.borrow_mut();
        if books.ready.is_empty() { Vec::new() } else { books.ready.remove(&(place, protocol)).unwrap_or_default() }
    }

    pub(crate) fn start(&self, stream: usize, now: Instant) {
        let account = &mut self.0.borrow_mut().streams[stream];
        account.state = State::Running;
        account.started = Some(now);
    }

    /// It has come to the host that did not open it.
    pub(crate) fn arrive(&self, stream: usize) {
        self.0.borrow_mut().arrive(stream);
    }

    pub(crate) fn count_received(&self, stream: usize, now: Instant, bytes: u64) {
        let books = &mut *self.0.borrow_mut();
        let account = &mut books.streams[stream];
        account.first_byte.get_or_insert(now);
        account.received += bytes;
        add(&mut account.series, now, books.interval, bytes);
        account.note_messages(now);
        // The end of a parent waits for its children, but it is whole before.
        let whole = account.pending > 0 && account.expected.bytes == Some(account.received);
        if whole {
            books.settle(stream, State::Done(now));
        }
    }

    /// What the scenario does to the stream may end it before it is whole.
    pub(crate) fn expect_cut(&self, stream: usize) {
        self.0.borrow_mut().streams[stream].cut_expected = true;
    }

    /// The receiver has come to the end, behind what it has received.
    pub(crate) fn end(&self, stream: usize, now: Instant) {
        let (whole, received, cut) = {
            let account = self.stream(stream);
            let whole = account.expected.bytes.is_none_or(|bytes| bytes == account.received);
            (whole, account.received, account.cut_expected)
        };
        let state = match (whole, cut) {
            (true, _) => State::Done(now),
            (false, true) => State::Cut(now, "finished early by the sender".into()),
            (false, false) => State::Failed(format!("ended after {received} bytes")),
        };
        self.settle(stream, state);
    }

    /// It ended before it was whole; if the scenario did not do it, that is a failure.
    pub(crate) fn cut(&self, stream: usize, now: Instant, how: impl Into<String>) {
        let expected = self.stream(stream).cut_expected;
        self.settle(stream, if expected { State::Cut(now, how.into()) } else { State::Failed(how.into()) });
    }

    pub(crate) fn fail(&self, stream: usize, reason: impl Into<String>) {
        self.settle(stream, State::Failed(reason.into()));
    }

    fn settle(&self, stream: usize, state: State) {
        self.0.borrow_mut().settle(stream, state);
    }
}

/// Datagrams.
impl Ledger {
    pub(crate) fn start_datagrams(&self, group: usize, now: Instant) {
        let account = &mut self.0.borrow_mut().datagrams[group];
        account.state = State::Running;
        account.started = Some(now);
    }

    /// The next one was handed to the transport, which took it or did not.
    pub(crate) fn send_datagram(&self, group: usize, now: Instant, taken: bool) {
        let account = &mut self.0.borrow_mut().datagrams[group];
        account.on_their_way.push(taken.then_some(now));
        *(if taken { &mut account.sent } else { &mut account.refused }) += 1;
    }

    /// One has come, whole and right.
    pub(crate) fn receive_datagram(&self, group: usize, number: usize, now: Instant, bytes: u64) {
        let whole = {
            let books = &mut *self.0.borrow_mut();
            let account = &mut books.datagrams[group];
            match account.on_their_way.get_mut(number).and_then(Option::take) {
                Some(sent) => {
                    account.received += 1;
                    account.delays.push(now.since(sent));
                    add(&mut account.series, now, books.interval, bytes);
                }
                None => account.repeated += 1,
            }
            account.count == Some(account.received)
        };
        if whole {
            self.settle_datagrams(group, State::Done(now));
        }
    }

    /// No more are waited for.
    pub(crate) fn end_datagrams(&self, group: usize, now: Instant) {
        self.settle_datagrams(group, State::Done(now));
    }

    pub(crate) fn fail_datagrams(&self, group: usize, reason: impl Into<String>) {
        self.settle_datagrams(group, State::Failed(reason.into()));
    }

    fn settle_datagrams(&self, group: usize, state: State) {
        let books = &mut *self.0.borrow_mut();
        let account = &mut books.datagrams[group];
        if account.state.is_open() {
            account.state = state;
            books.awaited -= usize::from(account.count.is_some());
            if let Some(parent) = account.parent {
                books.streams[parent].pending -= 1;
            }
        }
    }
}

impl Books {
    /// What is settled stays so.
    fn settle(&mut self, stream: usize, state: State) {
        if self.streams[stream].state.is_open() {
            let time = match &state {
                State::Done(time) | State::Cut(time, _) => *time,
                State::Waiting | State::Running | State::Failed(_) => Instant::ZERO,
            };
            self.streams[stream].state = state;
            self.awaited -= usize::from(self.streams[stream].expected.awaited);
            self.arrive(stream);
            if let Some(visit) = self.streams[stream].expected.visit {
                let visit = &mut self.visits[visit];
                let next = visit.settle_one().into_iter().map(|(stream, later)| (time + later, stream));
                self.ready.entry(visit.opener).or_default().extend(next);
            }
        }
    }

    fn arrive(&mut self, stream: usize) {
        let account = &mut self.streams[stream];
        if !core::mem::replace(&mut account.arrived, true)
            && let Some(parent) = account.expected.parent
        {
            self.streams[parent].pending -= 1;
        }
    }
}

impl Account {
    /// Notes the messages that have become whole.
    fn note_messages(&mut self, now: Instant) {
        let (Some(messages), Some(started)) = (self.expected.messages, self.started) else { return };
        while let Some((first, end)) = bounds(&messages, self.expected.bytes, self.messages.len() as u64)
            && end <= self.received
        {
            let due = self.expected.pace.map_or(Duration::ZERO, |pace| times(pace.interval, first / pace.chunk));
            self.messages.push(now.since(started).saturating_sub(due));
        }
    }
}

/// So many times a duration.
pub(crate) fn times(duration: Duration, count: u64) -> Duration {
    Duration::from_nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX).saturating_mul(count))
}

/// Where a message begins in its stream, and behind which offset it is whole. `None`: there is none of this number.
fn bounds(messages: &Messages, bytes: Option<u64>, number: u64) -> Option<(u64, u64)> {
    let size = messages.size;
    let count = bytes.map_or(MESSAGES_MAX, |bytes| bytes.div_ceil(size)).min(MESSAGES_MAX);
    if number >= count {
        return None;
    }
    Some(match (messages.piece.map(|piece| piece.min(size)), bytes) {
        (Some(piece), Some(bytes)) => {
            let rounds = size.div_ceil(piece);
            let last = size - piece * (rounds - 1);
            (number * piece, bytes / size * piece * (rounds - 1) + (number + 1) * last)
        }
        _ => (number * size, bytes.unwrap_or(u64::MAX).min((number + 1) * size)),
    })
}

/// Adds to the interval in which `now` lies.
fn add(series: &mut Vec<u64>, now: Instant, interval: Duration, bytes: u64) {
    let at = (u128::from(now.as_nanos()) / interval.as_nanos()) as usize;
    if series.len() <= at {
        series.resize(at + 1, 0);
    }
    series[at] += bytes;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_lie_behind_each_other_or_in_pieces_one_of_each_in_turn() {
        let in_a_row = Messages { size: 10, piece: None };
        assert_eq!(bounds(&in_a_row, Some(25), 0), Some((0, 10)));
        assert_eq!(bounds(&in_a_row, Some(25), 2), Some((20, 25)));
        assert_eq!(bounds(&in_a_row, Some(25), 3), None);
        assert_eq!(bounds(&in_a_row, None, 7), Some((70, 80)));
        // 0000 1111 2222 00 11 22
        let in_turn = Messages { size: 6, piece: Some(4) };
        let all: Vec<_> = (0..4).map(|number| bounds(&in_turn, Some(18), number)).collect();
        assert_eq!(all, [Some((0, 14)), Some((4, 16)), Some((8, 18)), None]);
        // A piece larger than a message is the message.
        assert_eq!(bounds(&Messages { size: 6, piece: Some(100) }, Some(12), 1), Some((6, 12)));
    }

    #[test]
    fn a_series_has_the_sum_of_each_interval() {
        let mut series = Vec::new();
        for (ms, bytes) in [(0, 1), (99, 2), (100, 4), (350, 8)] {
            add(&mut series, Instant::from_millis(ms), Duration::from_millis(100), bytes);
        }
        assert_eq!(series, [3, 4, 0, 8]);
    }
}
