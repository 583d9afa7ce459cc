//! A client that asks for objects, at times, and looks at every byte of them.

use core::time::Duration;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use tng_base::{Datagram, Ecn, Input, Instant, Machine, Output, PathChange, Rng};
use tng_sim::{Node, Outbox};
use tng_trickles::client::{Client, ClientError, ClientStats, Event, ObjectId, Options, Read};

use super::judge::Oracle;
use super::replica::{byte, upload};

/// Datagrams that wait for a client that does not run; more are dropped, as by a socket.
const HELD_MAX: usize = 256;

/// Outputs of one round of polling, at most.
const OUTPUTS_MAX: u32 = 100_000;

/// What a slow reader takes at once, and how often.
const MORSEL: usize = 9_000;
const BITE: Duration = Duration::from_millis(20);

/// Something that is asked for.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub at: Instant,
    pub len: u64,
    pub salt: u64,
    /// How much more than is needed is said to ask for it.
    pub room: usize,
    pub options: Options,
    pub is_slow: bool,
    /// It is given up when so much of it has come.
    pub until: Option<u64>,
}

impl Wish {
    /// Behind its last byte that is wanted.
    fn end(&self) -> u64 {
        self.options.until.unwrap_or(self.len).min(self.len)
    }
}

/// An object that is on its way.
#[derive(Debug)]
struct Open {
    wish: Wish,
    /// The next byte.
    at: u64,
    /// There may be something to read.
    is_readable: bool,
}

/// What has come and was not handed over yet.
#[derive(Debug)]
enum Arrived {
    Datagram { remote: core::net::SocketAddr, local: Option<core::net::SocketAddr>, bytes: Vec<u8> },
    Change(PathChange),
}

/// A client on its machine.
#[derive(Debug)]
pub(super) struct Visitor {
    client: Client,
    judge: Rc<RefCell<Oracle>>,
    wishes: VecDeque<Wish>,
    open: BTreeMap<ObjectId, Open>,
    arrived: VecDeque<Arrived>,
    asleep_until: Instant,
    bite_at: Instant,
    /// Timers go off late by up to so much.
    late: Duration,
    rng: Rng,
    pub bytes: u64,
    pub objects: u64,
    pub sent: u64,
    pub heard: u64,
}

impl Visitor {
    pub fn new(client: Client, judge: &Rc<RefCell<Oracle>>, wishes: Vec<Wish>, late: Duration, rng: Rng) -> Visitor {
        Visitor {
            client,
            judge: Rc::clone(judge),
            wishes: wishes.into(),
            open: BTreeMap::new(),
            arrived: VecDeque::new(),
            asleep_until: Instant::ZERO,
            bite_at: Instant::ZERO,
            late,
            rng,
            bytes: 0,
            objects: 0,
            sent: 0,
            heard: 0,
        }
    }

    /// It does not run for so long.
    pub fn sleep(&mut self, now: Instant, time: Duration) {
        self.asleep_until = now + time;
    }

    /// One more thing to ask for.
    pub fn wish(&mut self, wish: Wish) {
        self.wishes.push_back(wish);
    }

    /// Whether all came that was asked for.
    pub fn is_done(&self) -> bool {
        self.wishes.is_empty() && self.open.is_empty()
    }

    pub fn stats(&self) -> ClientStats {
        self.client.stats()
    }

    /// What it waits for, in words.
    pub fn waits_for(&self) -> String {
        let of: Vec<_> = self.open.values().map(|open| (open.at, open.wish.end(), open.is_readable)).collect();
        format!("{of:?} and {} more: {:?}", self.wishes.len(), self.client.stats())
    }

    fn wrong(&self, what: impl FnOnce() -> String) {
        self.judge.borrow_mut().wrong(what);
    }

    fn begin(&mut self, now: Instant) {
        while self.wishes.front().is_some_and(|wish| wish.at <= now)
            && let Some(wish) = self.wishes.pop_front()
        {
            match self.client.ask(upload(wish.len, wish.salt, wish.room), wish.options.clone()) {
                Ok(id) => {
                    self.objects += 1;
                    let at = wish.options.from;
                    self.open.insert(id, Open { wish, at, is_readable: false });
                }
                Err(error) => self.wrong(|| format!("nothing can be asked for: {error}")),
            }
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Connected => {}
            Event::Readable(id) | Event::Finished(id) => {
                if let Some(open) = self.open.get_mut(&id) {
                    open.is_readable = true;
                }
            }
            Event::Failed(id, error) => {
                let open = self.open.remove(&id);
                self.wrong(|| format!("an object fails: {error}; {open:?}"));
            }
            Event::Ended(error) => {
                if error != ClientError::Closed {
                    self.wrong(|| format!("a client ends: {error}"));
                }
            }
        }
    }

    /// Reads what there is, the slow ones little of it. Answers whether anything was read.
    fn read(&mut self, now: Instant) -> bool {
        let (mut out, mut done, mut has_read) = ([0; MORSEL], Vec::new(), false);
        let is_time = now >= self.bite_at;
        if is_time {
            self.bite_at = now + BITE;
        }
        let Visitor { client, open, judge, bytes, .. } = self;
        let is_turn = |open: &Open| open.is_readable && (is_time || !open.wish.is_slow);
        for (id, Open { wish, at, is_readable }) in open.iter_mut().filter(|(_, open)| is_turn(open)) {
            loop {
                match client.read(*id, &mut out) {
                    Read::Bytes(len) => {
                        let is_right = (*at..).zip(&out[..len]).all(|(at, got)| *got == byte(wish.salt, at));
                        if !is_right || *at + len as u64 > wish.end() {
                            judge.borrow_mut().wrong(|| format!("other bytes at {at}..+{len} of {wish:?}"));
                        }
                        (*at, *bytes, has_read) = (*at + len as u64, *bytes + len as u64, true);
                    }
                    Read::Blocked => {
                        *is_readable = false;
                        break;
                    }
                    Read::End => {
                        if *at != wish.end() {
                            judge.borrow_mut().wrong(|| format!("an end at {at} of {wish:?}"));
                        }
                        done.push(*id);
                        break;
                    }
                    Read::Unknown => {
                        judge.borrow_mut().wrong(|| format!("forgotten at {at}: {wish:?}"));
                        done.push(*id);
                        break;
                    }
                }
                if wish.until.is_some_and(|until| *at >= until) {
                    client.cancel(*id);
                    done.push(*id);
                    break;
                }
                if wish.is_slow {
                    break;
                }
            }
        }
        for id in done {
            has_read = true;
            self.open.remove(&id);
        }
        has_read
    }
}

impl Node for Visitor {
    fn handle_input(&mut self, _: Instant, input: Input<'_>) {
        let arrived = match input {
            Input::Datagram(Datagram { remote, local, payload, .. }) => {
                self.heard += 1;
                Arrived::Datagram { remote, local, bytes: payload.to_vec() }
            }
            Input::PathChange(change) => Arrived::Change(change),
            Input::Entropy(_) | Input::LinkLoss(_) | Input::Unreachable(_) => return,
        };
        if self.arrived.len() < HELD_MAX || matches!(arrived, Arrived::Change(_)) {
            self.arrived.push_back(arrived);
        }
    }

    fn handle_timeout(&mut self, now: Instant) {
        if now >= self.asleep_until {
            self.client.handle_timeout(now);
        }
    }

    fn poll(&mut self, now: Instant, outbox: &mut Outbox) -> Option<Instant> {
        if now < self.asleep_until {
            return Some(self.asleep_until);
        }
        for arrived in core::mem::take(&mut self.arrived) {
            match arrived {
                Arrived::Change(change) => self.client.handle_input(now, Input::PathChange(change)),
                Arrived::Datagram { remote, local, mut bytes } => {
                    let segment_size = bytes.len().max(1);
                    let ecn = Ecn::NotEct;
                    let datagram = Datagram { remote, local, ecn, segment_size, payload: &mut bytes };
                    self.client.handle_input(now, Input::Datagram(datagram));
                }
            }
        }
        self.begin(now);
        let mut outputs = 0;
        let timer = loop {
            outputs += 1;
            if outputs > OUTPUTS_MAX {
                self.wrong(|| "a client has more and more to say at one moment".into());
                return None;
            }
            match self.client.poll_output(now, outbox.buffer()) {
                Output::Transmit(transmit) => {
                    self.sent += transmit.len.div_ceil(transmit.segment_size) as u64;
                    outbox.send(transmit);
                }
                Output::Event(event) => self.hear(event),
                Output::NeedsEntropy => self.client.handle_input(now, Input::Entropy(&mut outbox.entropy())),
                Output::Timeout(timer) => {
                    if !self.read(now) {
                        break timer;
                    }
                }
            }
        };
        let late = Duration::from_nanos(self.rng.below(self.late.as_nanos() as u64 + 1));
        let timer = timer.map(|timer| timer.max(now) + late);
        let bite = self.open.values().any(|open| open.is_readable).then_some(self.bite_at);
        [timer, bite, self.wishes.front().map(|wish| wish.at)].into_iter().flatten().min()
    }
}
