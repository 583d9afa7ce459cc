//! Applications for the tests: a server that sends as many bytes as it is asked for, and a client that asks and checks.

use std::collections::BTreeMap;

use tng_base::Instant;
use tng_sim::App;
use tng_stack::structured::{Read, StreamEvent, StreamId};
use tng_stack::{ConnectionId, EventKind, Host, HostEvent, Target};

pub const SERVICE: (&str, &str) = ("blocks", "test/1");

/// The byte at `offset` of the answer to a request for `len` bytes.
pub fn pattern(len: u64, offset: u64) -> u8 {
    ((offset ^ (offset >> 8)).wrapping_mul(31).wrapping_add(len) % 251) as u8
}

/// Answers every stream with as many bytes as its first eight bytes say.
#[derive(Default)]
pub struct Server {
    pub events: Vec<HostEvent>,
    pub early: usize,
    answers: BTreeMap<(ConnectionId, StreamId), Answer>,
}

#[derive(Default)]
struct Answer {
    request: Vec<u8>,
    sent: u64,
    finished: bool,
}

impl Answer {
    fn advance(&mut self, host: &mut Host, connection: ConnectionId, id: StreamId) {
        let Some(streams) = host.streams(connection) else { return };
        let mut buf = [0; 64];
        while let Ok(Read::Bytes(n)) = streams.read(id, &mut buf) {
            self.request.extend(&buf[..n]);
        }
        let Some(len) = self.request.first_chunk().map(|bytes| u64::from_be_bytes(*bytes)) else { return };
        let mut chunk = [0; 16 * 1024];
        while self.sent < len {
            let n = chunk.len().min((len - self.sent) as usize);
            for (byte, offset) in chunk[..n].iter_mut().zip(self.sent..) {
                *byte = pattern(len, offset);
            }
            match streams.write(id, &chunk[..n]) {
                Ok(written) => self.sent += written as u64,
                Err(_) => return,
            }
        }
        if !self.finished {
            self.finished = true;
            streams.finish(id).expect("a stream that was not finished");
        }
    }
}

impl App<Host> for Server {
    fn handle_event(&mut self, _now: Instant, host: &mut Host, event: HostEvent) {
        let connection = event.connection;
        match &event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = host.streams(connection).and_then(|streams| streams.accept()) {
                    self.early += usize::from(incoming.early);
                    let mut answer = Answer::default();
                    answer.advance(host, connection, incoming.id);
                    self.answers.insert((connection, incoming.id), answer);
                }
            }
            EventKind::Stream(StreamEvent::Readable(id) | StreamEvent::Writable(id)) => {
                if let Some(answer) = self.answers.get_mut(&(connection, *id)) {
                    answer.advance(host, connection, *id);
                }
            }
            EventKind::Closed(_) => self.answers.retain(|(owner, _), _| *owner != connection),
            _ => {}
        }
        if !matches!(event.kind, EventKind::Stream(_)) {
            self.events.push(event);
        }
    }

    fn poll(&mut self, _now: Instant, _host: &mut Host) -> Option<Instant> {
        None
    }
}

/// Connects at the start, asks for blocks, checks every byte.
pub struct Client {
    pub events: Vec<(Instant, HostEvent)>,
    pub connection: Option<ConnectionId>,
    pub done: Vec<(u64, Instant)>,
    pub failed: Vec<String>,
    target: Option<Target>,
    sizes: Vec<u64>,
    asked: BTreeMap<StreamId, Block>,
}

struct Block {
    len: u64,
    received: u64,
}

impl Client {
    pub fn new(target: Target, sizes: &[u64]) -> Client {
        Client {
            events: Vec::new(),
            connection: None,
            done: Vec::new(),
            failed: Vec::new(),
            target: Some(target),
            sizes: sizes.to_vec(),
            asked: BTreeMap::new(),
        }
    }

    /// Whether every block has arrived.
    pub fn is_done(&self) -> bool {
        self.target.is_none() && self.sizes.is_empty() && self.asked.is_empty()
    }

    /// Bytes that have come of blocks that are not whole yet, and of those that are.
    pub fn received(&self) -> u64 {
        let whole: u64 = self.done.iter().map(|(len, _)| len).sum();
        whole + self.asked.values().map(|block| block.received).sum::<u64>()
    }

    /// Asks for one more block, at the next opportunity.
    pub fn ask(&mut self, len: u64) {
        self.sizes.push(len);
    }

    pub fn has(&self, kind: impl Fn(&EventKind) -> bool) -> bool {
        self.events.iter().any(|(_, event)| kind(&event.kind))
    }

    pub fn ended(&self) -> Option<&EventKind> {
        let end = |event: &EventKind| matches!(event, EventKind::Closed(_) | EventKind::ConnectFailed(_));
        self.events.iter().map(|(_, event)| &event.kind).find(|kind| end(kind))
    }

    fn open(&mut self, host: &mut Host) {
        let Some(streams) = self.connection.and_then(|id| host.streams(id)) else { return };
        while let Some(len) = self.sizes.first().copied() {
            let Ok(id) = streams.open(SERVICE.0, SERVICE.1) else { return };
            streams.write(id, &len.to_be_bytes()).expect("room for eight bytes");
            streams.finish(id).expect("an open stream");
            self.asked.insert(id, Block { len, received: 0 });
            self.sizes.remove(0);
        }
    }

    fn read(&mut self, now: Instant, host: &mut Host, connection: ConnectionId, id: StreamId) {
        let (Some(streams), Some(block)) = (host.streams(connection), self.asked.get_mut(&id)) else { return };
        let mut buf = [0; 16 * 1024];
        loop {
            match streams.read(id, &mut buf) {
                Ok(Read::Bytes(n)) => {
                    for (byte, offset) in buf[..n].iter().zip(block.received..) {
                        assert_eq!(*byte, pattern(block.len, offset), "wrong byte at {offset} of {}", block.len);
                    }
                    block.received += n as u64;
                }
                Ok(Read::Blocked) => return,
                Ok(Read::Finished) => {
                    assert_eq!(block.received, block.len, "the stream ended early");
                    self.done.push((block.len, now));
                    self.asked.remove(&id);
                    return;
                }
                Err(error) => {
                    self.failed.push(error.to_string());
                    self.asked.remove(&id);
                    return;
                }
            }
        }
    }
}

impl App<Host> for Client {
    fn handle_event(&mut self, now: Instant, host: &mut Host, event: HostEvent) {
        match &event.kind {
            EventKind::Stream(StreamEvent::Readable(id)) => self.read(now, host, event.connection, *id),
            EventKind::Stream(StreamEvent::Refused { id, reason, .. }) => {
                self.asked.remove(id);
                self.failed.push(reason.to_string());
            }
            EventKind::Stream(StreamEvent::CanOpen) => self.open(host),
            EventKind::Closed(cause) => {
                self.failed.extend(self.asked.iter().map(|_| cause.to_string()));
                self.asked.clear();
            }
            _ => {}
        }
        // Streams have too many events to keep.
        if !matches!(event.kind, EventKind::Stream(_)) {
            self.events.push((now, event));
        }
    }

    fn poll(&mut self, now: Instant, host: &mut Host) -> Option<Instant> {
        if let Some(target) = self.target.take() {
            self.connection = host.connect(now, target).ok();
        }
        if !self.sizes.is_empty() {
            self.open(host);
        }
        None
    }
}
