//! What a host does that speaks tng: sends, or reads and checks, one stream of each connection; and pings.

use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::Instant;
use tng_congestion::Choice;
use tng_sim::App;
use tng_stack::structured::{Priority, Read, StreamEvent, StreamId};
use tng_stack::{CloseCause, ConnectionId, EventKind, Host, HostEvent, Target};

use super::looped::{self, streams_of};
use super::tally::{Delay, Seat, Side, Told};

/// The stream that carries the data.
pub(super) const DATA: (&str, &str) = ("data", "lab/1");
/// The stream whose datagrams are the pings.
pub(super) const PINGS: (&str, &str) = ("pings", "lab/1");

/// Bytes of the pattern that repeats over and over: a prime, so that it is in step with nothing.
const PERIOD: usize = 4_093;
/// Bytes that are written or read at once.
const PIECE: usize = 16 << 10;
/// Pings wait for nothing but other pings.
const URGENT: Priority = Priority { level: Some(1), weight: 1 };

/// The part of an [`End`] that connects.
pub(super) struct Calls {
    pub(super) at: Instant,
    pub(super) target: Target,
    pub(super) connections: usize,
    /// What governs a loop above the sections, if there is one.
    pub(super) above: Option<Choice>,
}

/// A connection's streams.
#[derive(Default)]
struct Line {
    data: Option<StreamId>,
    pings: Option<StreamId>,
    sent: u64,
    read: u64,
    over: bool,
}

/// Client or server, sender or receiver.
pub struct End {
    side: Side,
    calls: Option<Calls>,
    sends: bool,
    /// Bytes of each transfer.
    bytes: u64,
    stop: Option<Instant>,
    ping_every: Option<Duration>,
    ping_at: Instant,
    lines: BTreeMap<ConnectionId, Line>,
    pattern: Vec<u8>,
    buffer: Vec<u8>,
    seat: Seat,
}

impl End {
    pub(super) fn new(sends: bool, party: &super::Party, seat: &Seat) -> End {
        let begin = Instant::ZERO + party.start;
        let byte = |at: usize| (at.wrapping_mul(31) ^ (at >> 8)) as u8;
        End {
            side: Side::Server,
            calls: None,
            sends,
            bytes: party.bytes.unwrap_or(u64::MAX),
            stop: party.stop.map(|stop| Instant::ZERO + stop),
            ping_every: party.ping.filter(|_| sends),
            ping_at: begin,
            lines: BTreeMap::new(),
            pattern: (0..PERIOD + PIECE).map(|at| byte(at % PERIOD)).collect(),
            buffer: vec![0; PIECE],
            seat: seat.clone(),
        }
    }

    pub(super) fn calls(self, calls: Calls) -> End {
        End { side: Side::Client, calls: Some(calls), ..self }
    }

    /// Its connections.
    pub fn connections(&self) -> impl Iterator<Item = ConnectionId> + '_ {
        self.lines.keys().copied()
    }

    fn connect(&mut self, now: Instant, host: &mut Host, calls: &Calls) {
        for _ in 0..calls.connections {
            let target = calls.target.clone();
            let connected = match &calls.above {
                Some(controller) => looped::connect(now, host, target, controller),
                None => host.connect(now, target),
            };
            let id = match connected {
                Ok(id) => id,
                Err(error) => return self.seat.fail(error.to_string()),
            };
            let Some(streams) = streams_of(host, id) else { continue };
            let mut line = Line { data: streams.open(DATA.0, DATA.1).ok(), ..Line::default() };
            line.pings = streams.open(PINGS.0, PINGS.1).ok();
            let (Some(data), Some(pings)) = (line.data, line.pings) else {
                return self.seat.fail("a new connection has no room for two streams".to_owned());
            };
            streams.set_priority(pings, URGENT);
            streams.listen_children(pings);
            self.lines.insert(id, line);
            // A stream that has carried nothing is not known at the other end.
            let _ = streams_of(host, id).map(|streams| streams.write(pings, b"."));
            if self.sends {
                self.write(host, id);
            } else {
                // The client asks by saying nothing.
                let _ = streams_of(host, id).map(|streams| streams.finish(data));
            }
        }
    }

    fn accept(&mut self, host: &mut Host, id: ConnectionId) {
        while let Some(incoming) = streams_of(host, id).and_then(|streams| streams.accept()) {
            let line = self.lines.entry(id).or_default();
            if &*incoming.service == DATA.0 {
                line.data = Some(incoming.id);
            } else {
                line.pings = Some(incoming.id);
                let _ = streams_of(host, id).map(|streams| streams.set_priority(incoming.id, URGENT));
            }
        }
    }

    fn write(&mut self, host: &mut Host, id: ConnectionId) {
        let Some(line) = self.lines.get_mut(&id) else { return };
        let (Some(data), Some(streams)) = (line.data.filter(|_| !line.over), streams_of(host, id)) else { return };
        while line.sent < self.bytes {
            let at = (line.sent % PERIOD as u64) as usize;
            let len = (self.bytes - line.sent).min(PIECE as u64) as usize;
            match streams.write(data, &self.pattern[at..at + len]) {
                Ok(0) | Err(_) => return,
                Ok(count) => line.sent += count as u64,
            }
        }
        line.over = true;
        let _ = streams.finish(data);
    }

    fn read(&mut self, now: Instant, host: &mut Host, id: ConnectionId) {
        let Some(line) = self.lines.get_mut(&id) else { return };
        let (Some(data), Some(streams)) = (line.data.filter(|_| !line.over), streams_of(host, id)) else { return };
        loop {
            match streams.read(data, &mut self.buffer) {
                Ok(Read::Bytes(count)) => {
                    let at = (line.read % PERIOD as u64) as usize;
                    if self.buffer[..count] != self.pattern[at..at + count] {
                        self.seat.fail(format!("wrong bytes at {} and behind", line.read));
                    }
                    line.read += count as u64;
                    self.seat.with(|tally| {
                        tally.bytes += count as u64;
                        tally.first_at.get_or_insert(now);
                    });
                }
                Ok(Read::Finished) => {
                    line.over = true;
                    let _ = streams.finish(data);
                    if line.read != self.bytes {
                        return self.seat.fail(format!("{} bytes, not {}", line.read, self.bytes));
                    }
                    return self.seat.with(|tally| {
                        (tally.complete, tally.completed_at) = (tally.complete + 1, Some(now));
                    });
                }
                Ok(Read::Blocked) => return,
                Err(error) => {
                    line.over = true;
                    return self.seat.fail(error.to_string());
                }
            }
        }
    }

    fn take_pings(&mut self, now: Instant, host: &mut Host, id: ConnectionId) {
        let Some(pings) = self.lines.get(&id).and_then(|line| line.pings) else { return };
        let Some(streams) = streams_of(host, id) else { return };
        while let Some(bytes) = streams.recv_datagram(pings) {
            let Ok(stamp) = <[u8; 8]>::try_from(&bytes[..]) else { continue };
            let sent_at = Instant::ZERO + Duration::from_nanos(u64::from_be_bytes(stamp));
            let delay = Delay { sent_at, took: now.since(sent_at) };
            if self.sends {
                self.seat.with(|tally| tally.round_trip.push(delay));
            } else {
                self.seat.with(|tally| tally.one_way.push(delay));
                let _ = streams.send_datagram(pings, &bytes, None);
            }
        }
    }

    fn ping(&mut self, now: Instant, host: &mut Host) {
        let stamp = (now.since(Instant::ZERO).as_nanos() as u64).to_be_bytes();
        for (id, line) in &self.lines {
            let (Some(pings), Some(streams)) = (line.pings, streams_of(host, *id)) else { continue };
            if streams.send_datagram(pings, &stamp, None).is_ok() {
                self.seat.with(|tally| tally.pings += 1);
            }
        }
    }
}

impl App<Host> for End {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let id = event.connection;
        match event.kind {
            EventKind::Stream(event) => self.handle_stream(now, host, id, &event),
            EventKind::Notice => {
                while let Some(event) = looped::next_event(host, id) {
                    self.handle_stream(now, host, id, &event);
                }
            }
            kind => {
                if let EventKind::ConnectFailed(error) = &kind {
                    self.seat.fail(error.to_string());
                }
                match &kind {
                    // The client has given this attempt up for another, directly, or is told itself that it has failed.
                    EventKind::Closed(CloseCause::NotConnected(_)) => {}
                    EventKind::Closed(cause) if self.stop.is_none_or(|stop| stop > now) => {
                        self.seat.fail(cause.to_string());
                    }
                    _ => {}
                }
                let told = Told { at: now, by: self.side, kind };
                self.seat.with(|tally| tally.events.push(told));
            }
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if let Some(calls) = self.calls.take_if(|calls| calls.at <= now) {
            self.connect(now, host, &calls);
        }
        if self.stop.is_some_and(|stop| stop <= now) {
            for (id, _) in core::mem::take(&mut self.lines) {
                host.close(now, id, 0, "");
            }
            return None;
        }
        let ping_at = self.ping_every.map(|every| {
            while self.ping_at <= now {
                self.ping(now, host);
                self.ping_at += every;
            }
            self.ping_at
        });
        [self.calls.as_ref().map(|calls| calls.at), self.stop, ping_at].into_iter().flatten().min()
    }
}

impl End {
    fn handle_stream(&mut self, now: Instant, host: &mut Host, id: ConnectionId, event: &StreamEvent) {
        match event {
            StreamEvent::Incoming => {
                self.accept(host, id);
                self.write_or_read(now, host, id);
            }
            StreamEvent::ChildIncoming { .. } => self.take_pings(now, host, id),
            StreamEvent::Readable(_) | StreamEvent::Writable(_) => self.write_or_read(now, host, id),
            _ => {}
        }
    }

    fn write_or_read(&mut self, now: Instant, host: &mut Host, id: ConnectionId) {
        match self.sends {
            true => self.write(host, id),
            false => self.read(now, host, id),
        }
    }
}
