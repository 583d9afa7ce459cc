//! The side that asks.

use core::net::IpAddr;
use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};

use tng_base::Instant;

use super::world::{ExchangeError, Way};
use super::{HEAD_LEN, Habit, REQUEST_MAX, Request, Step, skip};
use crate::peers::transport::{Event, News, OpenError, Transport};

/// A page that was loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loaded {
    /// When it was asked for.
    pub begun: Instant,
    /// When the last byte of the last answer was there.
    pub ended: Instant,
    /// How many requests it took.
    pub requests: usize,
    /// Bytes of all answers.
    pub bytes: u64,
}

impl Loaded {
    /// How long it took, in seconds.
    pub fn seconds(&self) -> f64 {
        self.ended.since(self.begun).as_secs_f64()
    }
}

/// How long a client waits that got nothing of a connection before it was lost, until it makes another.
const RETRY: Duration = Duration::from_millis(10);

/// What a client is sent for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Errand {
    /// What it does with its streams.
    pub habit: Habit,
    /// What it loads, in turn.
    pub steps: Vec<Step>,
    /// Whether it asks anew for what is missing when a connection is lost, instead of giving up. Only of ways on which
    /// each stream is a connection.
    pub perseveres: bool,
}

impl Errand {
    /// One that ends with the first lost connection.
    pub fn new(habit: Habit, steps: Vec<Step>) -> Errand {
        Errand { habit, steps, perseveres: false }
    }
}

/// What a client has come to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Record {
    /// Pages that are there.
    pub(super) loaded: Vec<Loaded>,
    /// Bytes of answers, those of pages under way included.
    pub(super) bytes: u64,
    /// Connections that it lost, and went on after.
    pub(super) losses: u32,
    failure: Option<String>,
    over: bool,
}

impl Record {
    /// Whether nothing more will come.
    pub(super) fn is_over(&self) -> bool {
        self.over || self.failure.is_some()
    }

    /// Whether it has given up.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// What was loaded, if that is everything; or why it is not.
    pub(super) fn outcome(self, way: Way) -> Result<Vec<Loaded>, ExchangeError> {
        match (self.failure, self.over) {
            (Some(why), _) => Err(ExchangeError::Lost { way, page: self.loaded.len(), why }),
            (None, true) => Ok(self.loaded),
            (None, false) => Err(ExchangeError::Endless { way, page: self.loaded.len() }),
        }
    }
}

/// Loads pages, one after the other.
pub(super) struct Client<T: Transport> {
    server: IpAddr,
    habit: Habit,
    perseveres: bool,
    steps: VecDeque<Step>,
    /// When the next step begins, if none is under way.
    due: Option<Instant>,
    /// The page under way.
    page: Option<Loaded>,
    /// Requests of it that wait for the answer to its first.
    later: Vec<Request>,
    /// Requests that wait for a stream.
    waiting: VecDeque<Request>,
    streams: BTreeMap<T::Stream, Asking>,
    /// When what waits is asked for again, after a connection was lost.
    retry_at: Option<Instant>,
    pub(super) record: Record,
    heard: Vec<Event<T>>,
}

/// A stream.
#[derive(Default)]
struct Asking {
    /// What waits to be written.
    unwritten: VecDeque<u8>,
    finished: bool,
    /// What is to come of answers, by request.
    expected: VecDeque<Request>,
    /// Whether anything has come.
    answered: bool,
}

impl<T: Transport> Client<T> {
    pub(super) fn new(server: IpAddr, errand: Errand) -> Client<T> {
        let Errand { habit, steps, perseveres } = errand;
        let due = steps.first().map(|step| Instant::ZERO + step.after);
        let record = Record { over: due.is_none(), ..Record::default() };
        Client {
            server,
            habit,
            perseveres,
            steps: steps.into(),
            due,
            page: None,
            later: Vec::new(),
            waiting: VecDeque::new(),
            streams: BTreeMap::new(),
            retry_at: None,
            record,
            heard: Vec::new(),
        }
    }

    pub(super) fn poll(&mut self, now: Instant, host: &mut T) -> Option<Instant> {
        if self.due.is_some_and(|due| due <= now)
            && let Some(step) = self.steps.pop_front()
        {
            self.due = None;
            self.begin(step, now, host);
        }
        if self.retry_at.take_if(|at| *at <= now).is_some() {
            self.ask(now, host);
        }
        [self.due, self.retry_at].into_iter().flatten().min()
    }

    pub(super) fn handle_event(&mut self, now: Instant, host: &mut T, event: T::Event) {
        let mut heard = core::mem::take(&mut self.heard);
        host.hear(event, &mut heard);
        for event in heard.drain(..) {
            match event {
                Event::Stream(stream, News::Readable) => self.read(now, host, stream),
                Event::Stream(stream, News::Writable) => self.write(host, stream),
                Event::Ready => self.ask(now, host),
                Event::Lost { carrier, how, .. } => self.lose(carrier, how, now),
                // Servers open nothing, and give nothing up.
                Event::Stream(_, News::Incoming | News::Stopped(_) | News::Over(_)) | Event::Datagrams(_) => {}
            }
        }
        self.heard = heard;
    }

    /// All streams of a carrier are gone.
    fn lose(&mut self, carrier: T::Carrier, how: String, now: Instant) {
        if !self.perseveres {
            self.record.failure = Some(how);
            return;
        }
        let mut progress = false;
        for (_, asking) in self.streams.extract_if(.., |stream, _| T::carrier(*stream) == carrier) {
            progress |= asking.answered;
            for request in asking.expected.into_iter().rev() {
                self.waiting.push_front(request);
            }
        }
        self.record.losses += 1;
        self.retry_at = Some(if progress { now } else { now + RETRY });
    }

    fn begin(&mut self, step: Step, now: Instant, host: &mut T) {
        if step.cold {
            for stream in core::mem::take(&mut self.streams).into_keys() {
                host.finish(stream);
            }
            host.hang_up(now, self.server);
        }
        let (requests, bytes) = (step.page.requests.len(), step.page.bytes());
        self.page = Some(Loaded { begun: now, ended: now, requests, bytes });
        let mut requests = step.page.requests.into_iter();
        self.waiting.extend(requests.next());
        self.later = requests.collect();
        self.ask(now, host);
        self.end_page(now);
    }

    /// The page is there if nothing of it is missing.
    fn end_page(&mut self, now: Instant) {
        let unanswered = self.streams.values().any(|asking| !asking.expected.is_empty());
        if !self.waiting.is_empty() || !self.later.is_empty() || unanswered {
            return;
        }
        if let Some(page) = self.page.take() {
            self.record.loaded.push(Loaded { ended: now, ..page });
            self.due = self.steps.front().map(|step| now + step.after);
            self.record.over = self.due.is_none();
        }
    }

    /// Gives waiting requests to streams.
    fn ask(&mut self, now: Instant, host: &mut T) {
        while let Some(request) = self.waiting.front().copied() {
            let stream = match self.stream(now, host) {
                Ok(Some(stream)) => stream,
                Ok(None) => return,
                Err(why) => return self.record.failure = Some(why),
            };
            self.waiting.pop_front();
            let Some(asking) = self.streams.get_mut(&stream) else { return };
            let len = request.request.clamp(HEAD_LEN as u32, REQUEST_MAX);
            asking.unwritten.extend(len.to_be_bytes());
            asking.unwritten.extend(request.answer.to_be_bytes());
            asking.unwritten.extend(core::iter::repeat_n(0, len as usize - HEAD_LEN));
            asking.expected.push_back(request);
            self.write(host, stream);
            self.read(now, host, stream);
        }
    }

    /// A stream for a request: an idle one, a new one, or one that takes several; `None`: not now.
    fn stream(&mut self, now: Instant, host: &mut T) -> Result<Option<T::Stream>, String> {
        let least =
            self.streams.iter().filter(|_| self.habit.persistent).min_by_key(|(_, asking)| asking.expected.len());
        let least = least.map(|(stream, asking)| (*stream, asking.expected.len()));
        if let Some((stream, 0)) = least {
            return Ok(Some(stream));
        }
        if self.streams.len() < self.habit.streams {
            return match host.open(now, self.server, None) {
                Ok(stream) => {
                    self.streams.insert(stream, Asking::default());
                    Ok(Some(stream))
                }
                Err(OpenError::Later) => Ok(None),
                Err(OpenError::Refused(why)) => Err(why),
            };
        }
        Ok(least.filter(|(_, asked)| *asked < self.habit.depth).map(|(stream, _)| stream))
    }

    fn write(&mut self, host: &mut T, stream: T::Stream) {
        let Some(asking) = self.streams.get_mut(&stream) else { return };
        while !asking.unwritten.is_empty() {
            match host.write(stream, asking.unwritten.make_contiguous()) {
                0 => return,
                count => drop(asking.unwritten.drain(..count)),
            }
        }
        if !self.habit.persistent && !asking.finished {
            asking.finished = true;
            host.finish(stream);
        }
    }

    fn read(&mut self, now: Instant, host: &mut T, stream: T::Stream) {
        let mut answered = false;
        loop {
            let Some(asking) = self.streams.get_mut(&stream) else { return };
            let Some(missing) = asking.expected.front_mut() else { break };
            let (count, ended) = skip(host, stream, missing.answer);
            missing.answer -= count;
            asking.answered |= count > 0;
            self.record.bytes += count;
            if missing.answer == 0 {
                asking.expected.pop_front();
                answered = true;
            } else if ended {
                return self.record.failure = Some("an answer was cut short".to_owned());
            } else if count == 0 {
                break;
            }
        }
        if !answered {
            return;
        }
        if !self.habit.persistent {
            self.streams.remove(&stream);
            // Takes the end, too, so that nothing is left of the stream.
            skip(host, stream, 1);
        }
        self.waiting.extend(self.later.drain(..));
        self.ask(now, host);
        self.end_page(now);
    }
}
