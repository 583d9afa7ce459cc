//! The two ends: who calls says numbered words, and hears them back from who is called.

use core::net::SocketAddr;
use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;

use tng_base::{Eid, Instant};
use tng_sim::App;
use tng_stack::structured::{Read, StreamEvent, StreamId};
use tng_stack::{CloseCause, ConnectionId, EventKind, Host, HostEvent, Introduction, PathTaken, Target, Via};

use super::rendezvous::{Lines, Told, say};
use super::{MEETS, Met, TALKS};

/// How often who calls says something.
pub(super) const SAYS_EVERY: Duration = Duration::from_millis(20);
/// Bytes of a word: its number, and nothing.
const WORD: usize = 200;

/// A host's attendance at its rendezvous.
struct Attends {
    meets: Vec<Target>,
    /// Whether it heeds introductions.
    heeds: bool,
    /// Connections to them, in order.
    with: Vec<(ConnectionId, StreamId)>,
    lines: Lines,
}

impl Attends {
    fn new((meets, heeds): (Vec<Target>, bool)) -> Attends {
        Attends { meets, heeds, with: Vec::new(), lines: Lines::default() }
    }

    fn begin(&mut self, now: Instant, host: &mut Host, met: &Rc<RefCell<Met>>) {
        for target in &self.meets {
            match Attends::attend(now, host, target) {
                Ok(with) => self.with.push(with),
                Err(why) => met.borrow_mut().fail(why),
            }
        }
    }

    fn attend(now: Instant, host: &mut Host, target: &Target) -> Result<(ConnectionId, StreamId), String> {
        let id = host.connect(now, target.clone()).map_err(|error| error.to_string())?;
        let stream = host.streams(id).and_then(|streams| streams.open(MEETS.0, MEETS.1).ok());
        let stream = stream.ok_or_else(|| "no stream to a rendezvous".to_owned())?;
        say(host, id, stream, "attend");
        Ok((id, stream))
    }

    /// A rendezvous that was not reached, for what was lost, is asked again.
    fn not_reached(&mut self, now: Instant, host: &mut Host, id: ConnectionId, met: &Rc<RefCell<Met>>) {
        for (target, with) in self.meets.iter().zip(&mut self.with).filter(|(_, (with, _))| *with == id) {
            match Attends::attend(now, host, target) {
                Ok(again) => *with = again,
                Err(why) => met.borrow_mut().fail(why),
            }
        }
    }

    /// The host and another are introduced.
    fn introduced(&self, now: Instant, host: &mut Host, told: &Told) {
        let Told { eid, seen, nonce } = *told;
        if self.heeds {
            host.introduced(now, &Introduction { eid, addresses: vec![seen], nonce, begin_in: Duration::ZERO });
        }
    }

    /// What is read on one of its streams: who introduces whom.
    fn heard(&mut self, host: &mut Host, id: ConnectionId, stream: StreamId) -> Vec<Told> {
        let mut told = Vec::new();
        for line in self.lines.read(host, id, stream) {
            if let Some(seen) = line.strip_prefix("seen ").and_then(|seen| seen.parse::<SocketAddr>().ok()) {
                if let Some(observer) = host.remote_address(id) {
                    host.note_seen(observer, seen);
                }
            } else {
                told.extend(Told::parse(&line));
            }
        }
        told
    }
}

/// Who calls.
pub(super) struct Caller {
    attends: Attends,
    wanted: (Eid, Vec<Via>, Option<SocketAddr>),
    calls_at: Instant,
    end: Instant,
    begun: bool,
    asks: Option<StreamId>,
    call: Option<(ConnectionId, StreamId)>,
    says_at: Instant,
    back: Vec<u8>,
    back_at: Option<Instant>,
    met: Rc<RefCell<Met>>,
}

impl Caller {
    pub(super) fn new(
        meets: (Vec<Target>, bool),
        wanted: (Eid, Vec<Via>, Option<SocketAddr>),
        [calls_at, end]: [Instant; 2],
        met: &Rc<RefCell<Met>>,
    ) -> Caller {
        Caller {
            attends: Attends::new(meets),
            wanted,
            calls_at,
            end,
            begun: false,
            asks: None,
            call: None,
            says_at: Instant::ZERO,
            back: Vec::new(),
            back_at: None,
            met: met.clone(),
        }
    }

    fn ask(&mut self, now: Instant, host: &mut Host) {
        let Some((relay, _)) = self.attends.with.first().copied() else { return };
        let stream = match self.asks {
            Some(stream) => Some(stream),
            None => host.streams(relay).and_then(|streams| streams.open(MEETS.0, MEETS.1).ok()),
        };
        if let Some(stream) = stream {
            say(host, relay, stream, &format!("introduce {}", self.wanted.0));
            self.asks = Some(stream);
            self.met.borrow_mut().asked_at.get_or_insert(now);
        }
    }

    fn introduced(&mut self, now: Instant, host: &mut Host, told: &Told) {
        self.met.borrow_mut().introduced_at[0].get_or_insert(now);
        self.attends.introduced(now, host, told);
        if self.call.is_some() {
            return;
        }
        let (eid, via, own) = self.wanted.clone();
        let addresses = [told.seen].into_iter().chain(own).collect();
        let opened = host.connect(now, Target { eid, addresses, capability: None, via }).ok().and_then(|id| {
            let stream = host.streams(id)?.open(TALKS.0, TALKS.1).ok()?;
            Some((id, stream))
        });
        self.call = opened;
        self.says_at = now;
        if opened.is_none() {
            self.met.borrow_mut().fail("no call");
        }
    }

    fn say(&mut self, host: &mut Host) {
        let Some((id, stream)) = self.call else { return };
        let mut met = self.met.borrow_mut();
        let mut word = [0; WORD];
        word[..8].copy_from_slice(&met.said.to_be_bytes());
        // What finds no room is said the next time: the order stays.
        if let Some(Ok(WORD)) = host.streams(id).map(|streams| streams.write(stream, &word)) {
            met.said += 1;
        }
    }

    fn hear(&mut self, now: Instant, host: &mut Host) {
        let Some((id, stream)) = self.call else { return };
        let mut buf = [0; 4_096];
        let mut met = self.met.borrow_mut();
        while let Some(Ok(Read::Bytes(count))) = host.streams(id).map(|streams| streams.read(stream, &mut buf)) {
            self.back.extend_from_slice(&buf[..count]);
            met.first_at[1].get_or_insert(now);
            if let Some(before) = self.back_at.replace(now) {
                met.silence = met.silence.max(now.since(before));
            }
        }
        while let Some(word) = self.back.get(..WORD) {
            if word[..8] != met.back.to_be_bytes() {
                met.fail("a word came back out of its order");
            }
            met.back += 1;
            self.back.drain(..WORD);
        }
    }

    fn look(&self, now: Instant, host: &Host) {
        let Some((id, _)) = self.call else { return };
        let mut met = self.met.borrow_mut();
        match host.path_taken(id) {
            Some(PathTaken::Direct { .. }) if host.stats(id).is_some() => {
                met.is_direct = true;
                met.direct_at.get_or_insert(now);
            }
            _ => met.is_direct = false,
        }
        met.relayed = host.relayed(id);
    }
}

impl App<Host> for Caller {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let id = event.connection;
        let called = self.call.is_some_and(|(call, _)| call == id);
        match event.kind {
            EventKind::Stream(StreamEvent::Readable(_)) if called => self.hear(now, host),
            EventKind::Stream(StreamEvent::Readable(stream)) => {
                for told in self.attends.heard(host, id, stream) {
                    self.introduced(now, host, &told);
                }
            }
            EventKind::Stream(_) => {}
            kind if called => {
                match &kind {
                    EventKind::WantsIntroduction => self.ask(now, host),
                    EventKind::ConnectFailed(error) => self.met.borrow_mut().fail(error.to_string()),
                    EventKind::Closed(cause) => self.met.borrow_mut().fail(cause.to_string()),
                    _ => {}
                }
                self.met.borrow_mut().events.push((now, kind));
            }
            EventKind::ConnectFailed(_) => {
                let met = self.met.clone();
                self.attends.not_reached(now, host, id, &met);
            }
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if !core::mem::replace(&mut self.begun, true) {
            let met = self.met.clone();
            self.attends.begin(now, host, &met);
        }
        if self.asks.is_none() {
            if now < self.calls_at {
                return Some(self.calls_at);
            }
            self.ask(now, host);
        }
        self.look(now, host);
        if self.call.is_none() || now >= self.end {
            return None;
        }
        while self.says_at <= now {
            self.say(host);
            self.says_at += SAYS_EVERY;
        }
        Some(self.says_at)
    }
}

/// Who is called: says back what it hears.
pub(super) struct Called {
    attends: Attends,
    begun: bool,
    met: Rc<RefCell<Met>>,
}

impl Called {
    pub(super) fn new(meets: (Vec<Target>, bool), met: &Rc<RefCell<Met>>) -> Called {
        Called { attends: Attends::new(meets), begun: false, met: met.clone() }
    }

    fn echo(&mut self, now: Instant, host: &mut Host, id: ConnectionId, stream: StreamId) {
        let mut buf = [0; 4_096];
        while let Some(Ok(Read::Bytes(count))) = host.streams(id).map(|streams| streams.read(stream, &mut buf)) {
            let mut met = self.met.borrow_mut();
            if met.first_at[0].is_none() {
                met.first_at[0] = Some(now);
                met.began_relayed = matches!(host.path_taken(id), Some(PathTaken::Helped { .. }));
            }
            if !matches!(host.streams(id).map(|streams| streams.write(stream, &buf[..count])), Some(Ok(all)) if all == count)
            {
                met.fail("who is called has no room for what it says back");
            }
        }
    }
}

impl App<Host> for Called {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let id = event.connection;
        match event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = host.streams(id).and_then(|streams| streams.accept()) {
                    self.echo(now, host, id, incoming.id);
                }
            }
            EventKind::Stream(StreamEvent::Readable(stream)) => {
                if !self.attends.with.contains(&(id, stream)) {
                    return self.echo(now, host, id, stream);
                }
                for told in self.attends.heard(host, id, stream) {
                    self.met.borrow_mut().introduced_at[1].get_or_insert(now);
                    self.attends.introduced(now, host, &told);
                }
            }
            EventKind::ConnectFailed(_) => {
                let met = self.met.clone();
                self.attends.not_reached(now, host, id, &met);
            }
            EventKind::Closed(cause) if !matches!(cause, CloseCause::NotConnected(_)) => {
                self.met.borrow_mut().fail(format!("at who is called: {cause}"));
            }
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if !core::mem::replace(&mut self.begun, true) {
            let met = self.met.clone();
            self.attends.begin(now, host, &met);
        }
        None
    }
}
