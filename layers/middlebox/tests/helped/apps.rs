//! A client that sends, and a server that checks every byte.

use core::time::Duration;
use std::collections::BTreeMap;

use tng_base::Instant;
use tng_middlebox::{Helper, HelperEvent};
use tng_sim::App;
use tng_stack::structured::{Read, StreamEvent, StreamId};
use tng_stack::{CloseCause, ConnectionId, EventKind, Host, HostEvent, Sign, Target};

/// Bytes that are sent at a time by who has few.
const FEW: usize = 100;

pub const SERVICE: (&str, &str) = ("sink", "test/1");

/// The byte at `offset` of everything that is sent.
pub fn pattern(offset: u64) -> u8 {
    ((offset ^ (offset >> 8)).wrapping_mul(31) % 251) as u8
}

/// What a helper has told.
#[derive(Default)]
pub struct Log(pub Vec<(Instant, HelperEvent)>);

impl App<Helper> for Log {
    fn handle_event(&mut self, now: Instant, _: &mut Helper, event: HelperEvent) {
        self.0.push((now, event));
    }

    fn poll(&mut self, _: Instant, _: &mut Helper) -> Option<Instant> {
        None
    }
}

/// Closes everything at a time, with a code.
pub type CloseAt = Option<(Instant, u64)>;

fn close_when_due(now: Instant, host: &mut Host, at: &mut CloseAt) -> Option<Instant> {
    if let Some((_, code)) = at.take_if(|(at, _)| *at <= now) {
        host.close_all(now, code, "enough");
    }
    at.map(|(at, _)| at)
}

/// Sends so many bytes on one stream, and waits for the server to say that it has them.
pub struct Sender {
    pub target: Option<Target>,
    pub connection: Option<ConnectionId>,
    pub stream: Option<StreamId>,
    pub len: u64,
    pub sent: u64,
    /// Bytes that the server sends in return, and how many of all its bytes have come.
    pub reply: u64,
    pub answered: u64,
    pub done_at: Option<Instant>,
    pub first_byte_at: Option<Instant>,
    pub events: Vec<(Instant, EventKind)>,
    pub close_at: CloseAt,
    pub begin_at: Instant,
    /// It has a few bytes to send now and then only, and when the next ones.
    pub every: Option<Duration>,
    pub next_at: Instant,
}

impl Sender {
    pub fn new(target: Target, len: u64, reply: u64) -> Sender {
        let (connection, stream, done_at, first_byte_at) = (None, None, None, None);
        Sender {
            target: Some(target),
            connection,
            stream,
            len,
            sent: 0,
            reply,
            answered: 0,
            done_at,
            first_byte_at,
            events: Vec::new(),
            close_at: None,
            begin_at: Instant::ZERO,
            every: None,
            next_at: Instant::ZERO,
        }
    }

    fn advance(&mut self, now: Instant, host: &mut Host) {
        let Some(streams) = self.connection.and_then(|id| host.streams(id)) else { return };
        if self.stream.is_none() {
            self.stream = streams.open(SERVICE.0, SERVICE.1).ok();
        }
        let Some(stream) = self.stream else { return };
        let mut chunk = [0; 16 * 1024];
        while self.sent < self.len && self.next_at <= now {
            let most = if self.every.is_some() { FEW } else { chunk.len() };
            let n = most.min((self.len - self.sent) as usize);
            self.next_at = now + self.every.unwrap_or_default();
            for (byte, offset) in chunk[..n].iter_mut().zip(self.sent..) {
                *byte = pattern(offset);
            }
            match streams.write(stream, &chunk[..n]) {
                Ok(0) | Err(_) => break,
                Ok(written) => self.sent += written as u64,
            }
            if self.sent == self.len {
                let _ = streams.finish(stream);
            }
        }
        let mut buf = [0; 16 * 1024];
        while let Ok(Read::Bytes(n)) = streams.read(stream, &mut buf) {
            self.first_byte_at.get_or_insert(now);
            for byte in &buf[..n] {
                match (self.answered, byte) {
                    (0, b'.') => {}
                    (_, b'!') if self.answered == self.reply + 1 => _ = self.done_at.get_or_insert(now),
                    (at, byte) => assert_eq!(*byte, pattern(at - 1), "wrong byte at {at} of the reply"),
                }
                self.answered += 1;
            }
        }
    }
}

impl App<Host> for Sender {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        self.advance(now, host);
        if !matches!(event.kind, EventKind::Stream(StreamEvent::Readable(_) | StreamEvent::Writable(_))) {
            self.events.push((now, event.kind));
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if self.begin_at > now {
            return Some(self.begin_at);
        }
        if let Some(target) = self.target.take() {
            self.connection = host.connect(now, target).ok();
            assert!(self.connection.is_some(), "the path can be");
            self.advance(now, host);
        }
        let closes_at = close_when_due(now, host, &mut self.close_at);
        if self.every.is_none() || self.sent == self.len {
            return closes_at;
        }
        self.advance(now, host);
        closes_at.into_iter().chain([self.next_at]).min()
    }
}

/// Takes streams, checks their bytes, says `.` at the first and `!` at the end.
#[derive(Default)]
pub struct Sink {
    pub received: BTreeMap<(ConnectionId, StreamId), u64>,
    pub ended: Vec<EventKind>,
    pub finished: usize,
    /// What a helped path was left for at this end.
    pub left: Vec<(Instant, Sign)>,
    pub close_at: CloseAt,
    /// Bytes to send in return on each stream, and what of them has been written.
    pub reply: u64,
    pub replied: BTreeMap<(ConnectionId, StreamId), u64>,
    /// It has a few of them to send now and then only, and when the next ones.
    pub every: Option<Duration>,
    pub next_at: Instant,
}

impl Sink {
    fn reply(&mut self, now: Instant, host: &mut Host) {
        for ((connection, id), replied) in &mut self.replied {
            let Some(streams) = host.streams(*connection) else { continue };
            while *replied < self.reply && self.next_at <= now {
                let most = if self.every.is_some() { FEW as u64 } else { 16 * 1024 };
                let n = (self.reply - *replied).min(most);
                self.next_at = now + self.every.unwrap_or_default();
                let chunk: Vec<u8> = (*replied..*replied + n).map(pattern).collect();
                match streams.write(*id, &chunk) {
                    Ok(0) | Err(_) => break,
                    Ok(written) => *replied += written as u64,
                }
            }
            if *replied == self.reply && streams.write(*id, b"!").is_ok() && streams.finish(*id).is_ok() {
                (self.finished, *replied) = (self.finished + 1, u64::MAX);
            }
        }
    }
}

impl App<Host> for Sink {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        let connection = event.connection;
        if let EventKind::PathLost { cause: CloseCause::Left(sign), .. } = event.kind {
            self.left.push((now, sign));
        }
        if let EventKind::Stream(StreamEvent::Incoming) = event.kind {
            while let Some(incoming) = host.streams(connection).and_then(|streams| streams.accept()) {
                self.received.insert((connection, incoming.id), 0);
            }
        }
        if matches!(event.kind, EventKind::Closed(_)) {
            self.ended.push(event.kind.clone());
        }
        let Some(streams) = host.streams(connection) else { return };
        for ((_, id), received) in self.received.iter_mut().filter(|((owner, _), _)| *owner == connection) {
            let mut buf = [0; 16 * 1024];
            loop {
                match streams.read(*id, &mut buf) {
                    Ok(Read::Bytes(n)) => {
                        if *received == 0 {
                            let _ = streams.write(*id, b".");
                        }
                        for (byte, offset) in buf[..n].iter().zip(*received..) {
                            assert_eq!(*byte, pattern(offset), "wrong byte at {offset}");
                        }
                        *received += n as u64;
                    }
                    Ok(Read::Finished) => {
                        self.replied.entry((connection, *id)).or_insert(0);
                        break;
                    }
                    Ok(Read::Blocked) | Err(_) => break,
                }
            }
        }
        self.reply(now, host);
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        let closes_at = close_when_due(now, host, &mut self.close_at);
        if self.every.is_none() || self.replied.values().all(|replied| *replied >= self.reply) {
            return closes_at;
        }
        self.reply(now, host);
        closes_at.into_iter().chain([self.next_at]).min()
    }
}
