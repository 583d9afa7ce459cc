//! An application that does with its streams what a script says, and knows every byte that it may read.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tng_semantic::structured::{
    FirstData, Priority, Read, ReadChunk, ReadMessage, ServiceOptions, Services, StreamEvent, StreamId, Streams,
    WriteError,
};

use crate::bytes::Script;

/// Streams that one application opens at most: more of them teach nothing.
const OPENED_MAX: u32 = 12;
/// Bytes that it writes at most.
const WRITTEN_MAX: u64 = 60_000;
/// Datagrams that it sends at most.
const DATAGRAMS_MAX: u64 = 24;
/// A datagram's number times this, and its length, are what it begins with.
const DATAGRAM_UNIT: u64 = 100_000;

pub(crate) const SERVICES: [(&str, &str); 4] = [("www", "http"), ("mail", "smtp"), ("www", "gopher"), ("none", "x")];

/// What is there too, for streams that are requests.
pub(crate) const ASKED: (&str, &str) = ("ask", "request");

/// The first of [`SERVICES`] takes unproven first data and substreams, the second is neither; the others are not there.
pub(crate) fn services() -> Services {
    let mut services = Services::new();
    for (at, (service, protocol)) in SERVICES[..2].iter().enumerate() {
        services.listen(service, protocol, options(at));
    }
    services.listen_for_requests(ASKED.0, ASKED.1, FirstData::Proven);
    services
}

pub(crate) fn options(service: usize) -> ServiceOptions {
    let first_data = if service == 0 { FirstData::Unproven } else { FirstData::Proven };
    ServiceOptions { first_data, substreams: service == 0 }
}

/// The byte at an offset of a stream, as its creator or its acceptor writes it.
fn byte(id: StreamId, from: usize, offset: u64) -> u8 {
    let mixed = (id.as_u64() * 2 + from as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ offset.wrapping_mul(0x00ff_51af_d7ed_558d);
    (mixed >> 24) as u8
}

/// Some streams are cut into messages of so many bytes.
fn message(id: StreamId) -> Option<u64> {
    (id.as_u64() / 2).is_multiple_of(3).then_some(1 + id.as_u64() * 97 % 700)
}

/// Streams whose children are datagrams, and no others.
fn has_datagrams(id: StreamId) -> bool {
    id.as_u64().is_multiple_of(3)
}

fn datagram(end: usize, number: u64) -> Vec<u8> {
    let len = (number % DATAGRAM_UNIT) as usize;
    let mut bytes = number.to_be_bytes().to_vec();
    bytes.extend((8..len).map(|at| (number as usize + at * 7 + end) as u8));
    bytes
}

#[derive(Debug, Default)]
struct Use {
    written: u64,
    read: u64,
    write_over: bool,
    read_over: bool,
    told_finished: bool,
}

#[derive(Debug)]
pub(crate) struct App {
    /// 0 for the side that began the session.
    end: usize,
    streams: BTreeMap<StreamId, Use>,
    /// Read to the end: how much that was.
    arrived: BTreeMap<StreamId, u64>,
    /// Finished, and confirmed: how much that was.
    confirmed: BTreeMap<StreamId, u64>,
    opened: u32,
    written: u64,
    datagrams: u64,
    got: BTreeSet<u64>,
    refuses: bool,
}

impl App {
    pub(crate) fn new(end: usize) -> App {
        App {
            end,
            streams: BTreeMap::new(),
            arrived: BTreeMap::new(),
            confirmed: BTreeMap::new(),
            opened: 0,
            written: 0,
            datagrams: 0,
            got: BTreeSet::new(),
            refuses: false,
        }
    }

    fn pick(&self, script: &mut Script<'_>) -> Option<StreamId> {
        let at = script.below(self.streams.len());
        self.streams.keys().nth(at).copied()
    }

    /// Does the next thing of the script.
    pub(crate) fn act(&mut self, streams: &mut Streams, script: &mut Script<'_>) {
        let what = script.below(18);
        if what < 2 {
            let opened = match self.pick(script).filter(|id| what == 1 && !has_datagrams(*id)) {
                _ if self.opened == OPENED_MAX => return,
                Some(parent) => streams.open_child(parent),
                None => {
                    let (service, protocol) = SERVICES[script.below(8).min(3) & if what == 0 { 3 } else { 1 }];
                    streams.open(service, protocol)
                }
            };
            if let Ok(id) = opened {
                self.opened += 1;
                assert!(self.streams.insert(id, Use::default()).is_none(), "{id} was there before");
            }
            return;
        }
        let Some(id) = self.pick(script) else { return };
        match what {
            2..=4 => self.write(streams, id, usize::from(script.u16() & 0x1fff)),
            5 => self.finish(streams, id),
            6 => {
                streams.reset(id, script.number());
                self.used(id).write_over = true;
            }
            7 => {
                streams.stop(id, script.number());
                self.used(id).read_over = true;
            }
            8..=10 => self.read(streams, id, script.below(3), 1 + usize::from(script.u16() & 0x1fff)),
            11 => {
                let len = 8 + u64::from(script.u16()) * if script.u8() > 250 { 2 } else { 1 } % 70_000;
                let len = if script.u8() > 60 { 8 + len % 1500 } else { len };
                let lifetime = script.u8();
                let lifetime = (lifetime < 128).then(|| Duration::from_micros(u64::from(lifetime) * 300));
                self.send_datagram(streams, id, len, lifetime);
            }
            12 => streams.set_priority(id, priority(script)),
            13 => streams.request_priority(id, priority(script)),
            14 => streams.push(id),
            15 => streams.listen_children(id),
            16 => self.refuses = !self.refuses,
            _ => {
                let _about = (streams.parent(id), streams.priority(id), streams.bytes_held(), streams.is_idle());
            }
        }
    }

    fn used(&mut self, id: StreamId) -> &mut Use {
        self.streams.entry(id).or_default()
    }

    fn write(&mut self, streams: &mut Streams, id: StreamId, most: usize) {
        let (end, left) = (self.end, WRITTEN_MAX - self.written);
        let Some(stream) = self.streams.get_mut(&id) else { return };
        let mut n = (most as u64).min(left);
        let mut ends = false;
        if let Some(message) = message(id) {
            let left = message - stream.written % message;
            (n, ends) = (n.min(left), n >= left);
        }
        let data: Vec<u8> = (stream.written..stream.written + n).map(|offset| byte(id, end, offset)).collect();
        let written = match ends {
            true => streams.write_message(id, &data),
            false if n % 2 == 0 => streams.write(id, &data),
            false => streams.write_bytes(id, &mut data.clone().into()),
        };
        match written {
            Ok(taken) => {
                assert!(!stream.write_over, "{id} takes bytes after its end");
                assert!(taken <= data.len());
                stream.written += taken as u64;
                self.written += taken as u64;
            }
            Err(WriteError::Blocked) => {}
            Err(_) => stream.write_over = true,
        }
    }

    fn finish(&mut self, streams: &mut Streams, id: StreamId) {
        let ended = streams.finish(id);
        assert_ne!(ended, Err(WriteError::Blocked));
        streams.tell_finished(id);
        self.used(id).write_over = true;
    }

    fn read(&mut self, streams: &mut Streams, id: StreamId, how: usize, max: usize) {
        let end = self.end;
        let Some(stream) = self.streams.get_mut(&id) else { return };
        let mut buf = vec![0; max];
        let read = match how {
            0 => streams.read(id, &mut buf),
            1 => streams.read_chunk(id, max).map(|read| match read {
                ReadChunk::Bytes(chunk) => {
                    let at = stream.read + chunk.len() as u64;
                    let ends = message(id).is_some_and(|message| at.is_multiple_of(message));
                    assert_eq!(chunk.ends_message(), ends, "{id} at {at}");
                    let len = chunk.len();
                    buf[..len].copy_from_slice(&chunk);
                    streams.recycle(chunk);
                    Read::Bytes(len)
                }
                ReadChunk::Blocked => Read::Blocked,
                ReadChunk::Finished => Read::Finished,
            }),
            _ => {
                buf.clear();
                streams.read_message(id, &mut buf, max).map(|read| match read {
                    // Part of a message is read as well.
                    ReadMessage::Blocked | ReadMessage::TooLarge if buf.is_empty() => Read::Blocked,
                    ReadMessage::Finished => Read::Finished,
                    ReadMessage::Whole | ReadMessage::Blocked | ReadMessage::TooLarge => Read::Bytes(buf.len()),
                })
            }
        };
        match read {
            Ok(Read::Bytes(n)) => {
                assert!(!stream.read_over, "{id} gives bytes after its end");
                for (got, offset) in buf[..n].iter().zip(stream.read..) {
                    assert_eq!(*got, byte(id, 1 - end, offset), "{id} at {offset}");
                }
                stream.read += n as u64;
            }
            Ok(Read::Finished) => {
                stream.read_over = true;
                self.arrived.insert(id, stream.read);
            }
            Ok(Read::Blocked) => {}
            Err(_) => stream.read_over = true,
        }
    }

    fn send_datagram(&mut self, streams: &mut Streams, id: StreamId, len: u64, lifetime: Option<Duration>) {
        if !has_datagrams(id) || self.datagrams == DATAGRAMS_MAX {
            return;
        }
        let number = self.datagrams * DATAGRAM_UNIT + len;
        self.datagrams += u64::from(streams.send_datagram(id, &datagram(self.end, number), lifetime).is_ok());
    }

    /// Takes an event.
    pub(crate) fn handle(&mut self, streams: &mut Streams, event: StreamEvent) {
        match event {
            StreamEvent::Incoming => {
                while let Some(incoming) = streams.accept() {
                    if self.refuses {
                        streams.refuse(incoming.id, 4, "no");
                    } else {
                        assert!(self.streams.insert(incoming.id, Use::default()).is_none(), "accepted twice");
                    }
                }
            }
            StreamEvent::ChildIncoming { parent } if has_datagrams(parent) => {
                while let Some(bytes) = streams.recv_datagram(parent) {
                    let number = bytes.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
                    assert!(bytes == datagram(1 - self.end, number), "datagram {number} on {parent} is torn");
                    assert!(self.got.insert(number), "datagram {number} came twice");
                }
            }
            StreamEvent::ChildIncoming { parent } => {
                while let Some(id) = streams.accept_child(parent) {
                    assert!(self.streams.insert(id, Use::default()).is_none(), "accepted twice");
                }
            }
            StreamEvent::Refused { id, .. } => {
                let stream = self.known(id);
                (stream.write_over, stream.read_over) = (true, true);
            }
            StreamEvent::Reset { id, .. } => self.known(id).read_over = true,
            StreamEvent::Stopped { id, .. } => self.known(id).write_over = true,
            StreamEvent::Finished(id) => {
                let stream = self.known(id);
                assert!(stream.write_over && !core::mem::replace(&mut stream.told_finished, true), "{id} told twice");
                let written = stream.written;
                self.confirmed.insert(id, written);
            }
            StreamEvent::Readable(_)
            | StreamEvent::Writable(_)
            | StreamEvent::CanOpen
            | StreamEvent::Requested
            | StreamEvent::CanSendDatagram
            | StreamEvent::Settled => {}
        }
    }

    fn known(&mut self, id: StreamId) -> &mut Use {
        self.streams.get_mut(&id).expect("events are about streams that the application has")
    }

    /// Takes every event.
    pub(crate) fn events(&mut self, streams: &mut Streams) {
        while let Some(event) = streams.poll_event() {
            self.handle(streams, event);
        }
    }

    /// Ends what it writes and reads what there is.
    pub(crate) fn settle(&mut self, streams: &mut Streams) {
        let ids: Vec<StreamId> = self.streams.keys().copied().collect();
        for id in ids {
            if !self.streams[&id].write_over {
                self.finish(streams, id);
            }
            loop {
                let before = self.streams[&id].read;
                if self.streams[&id].read_over {
                    break;
                }
                self.read(streams, id, 0, 8192);
                if self.streams[&id].read == before {
                    break;
                }
            }
        }
    }

    /// Whether every stream is over, both ways.
    pub(crate) fn is_done(&self) -> bool {
        self.streams.values().all(|stream| stream.write_over && stream.read_over)
    }

    /// What both ends of a session say of it fits together.
    pub(crate) fn compare(&self, other: &App) {
        for (reader, writer) in [(self, other), (other, self)] {
            for (id, read) in &reader.arrived {
                if let Some(stream) = writer.streams.get(id) {
                    assert_eq!(*read, stream.written, "{id} was read to another end");
                }
            }
            for (id, confirmed) in &writer.confirmed {
                if let Some(read) = reader.arrived.get(id) {
                    assert_eq!(read, confirmed, "{id} was confirmed otherwise than read");
                }
            }
        }
    }
}

fn priority(script: &mut Script<'_>) -> Priority {
    let level = script.u8();
    Priority { level: (level & 1 == 0).then_some((level as i8) / 2), weight: script.u8() }
}
