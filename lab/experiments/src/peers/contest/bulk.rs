//! What a party does, whatever it speaks.

use core::net::IpAddr;
use std::collections::{BTreeMap, BTreeSet};

use tng_base::Instant;
use tng_sim::{App, MachineNode, Node};

use super::{Figures, Party, Seat};
use crate::peers::transport::{Event, News, OpenError, Read, Transport};

/// Bytes that are written or read at once.
const PIECE: usize = 64 << 10;

/// A transport that parties speak; each of its streams is a connection.
pub(super) trait Contender: Transport {
    /// Those of all its connections together.
    fn figures(&self) -> Figures;
}

/// The two nodes of a party.
pub(super) fn nodes<T: Contender + 'static>(
    hosts: [T; 2],
    party: &Party,
    seat: &Seat,
    to: IpAddr,
) -> [Box<dyn Node>; 2] {
    let [sender, receiver] = hosts;
    let sending = Sender {
        open: Some((Instant::ZERO + party.start, party.connections)),
        to,
        bytes: party.bytes.unwrap_or(u64::MAX),
        left: BTreeMap::new(),
        zeros: vec![0; PIECE],
        heard: Vec::new(),
        seat: seat.clone(),
    };
    let receiving =
        Receiver { reading: BTreeSet::new(), buffer: vec![0; PIECE], heard: Vec::new(), seat: seat.clone() };
    [Box::new(MachineNode::new(sender, sending)), Box::new(MachineNode::new(receiver, receiving))]
}

struct Sender<T: Transport> {
    open: Option<(Instant, usize)>,
    to: IpAddr,
    bytes: u64,
    /// Bytes to be written.
    left: BTreeMap<T::Stream, u64>,
    zeros: Vec<u8>,
    heard: Vec<Event<T>>,
    seat: Seat,
}

impl<T: Contender> Sender<T> {
    fn begin(&mut self, now: Instant, host: &mut T) {
        match host.open(now, self.to, None) {
            Ok(stream) => {
                self.left.insert(stream, self.bytes);
                self.write(host, stream);
            }
            Err(OpenError::Refused(reason)) => self.seat.fail(reason),
            Err(OpenError::Later) => self.seat.fail("a new connection has no room for a stream".to_owned()),
        }
    }

    fn write(&mut self, host: &mut T, stream: T::Stream) {
        let Some(left) = self.left.get_mut(&stream) else { return };
        while *left > 0 {
            let want = (*left).min(self.zeros.len() as u64) as usize;
            match host.write(stream, &self.zeros[..want]) {
                0 => return,
                count => *left -= count as u64,
            }
        }
        self.left.remove(&stream);
        host.finish(stream);
    }
}

impl<T: Contender> App<T> for Sender<T> {
    fn handle_event(&mut self, _: Instant, host: &mut T, event: T::Event) {
        let mut heard = core::mem::take(&mut self.heard);
        host.hear(event, &mut heard);
        for event in heard.drain(..) {
            match event {
                Event::Stream(stream, News::Writable) => self.write(host, stream),
                Event::Lost { how, .. } => self.seat.fail(how),
                _ => {}
            }
        }
        self.heard = heard;
    }

    fn poll(&mut self, now: Instant, host: &mut T) -> Option<Instant> {
        if let Some((_, count)) = self.open.take_if(|(at, _)| *at <= now) {
            (0..count).for_each(|_| self.begin(now, host));
        }
        self.seat.with(|tally| tally.figures = host.figures());
        self.open.map(|(at, _)| at)
    }
}

struct Receiver<T: Transport> {
    /// Streams that have not ended.
    reading: BTreeSet<T::Stream>,
    buffer: Vec<u8>,
    heard: Vec<Event<T>>,
    seat: Seat,
}

impl<T: Contender> Receiver<T> {
    fn read(&mut self, now: Instant, host: &mut T, stream: T::Stream) {
        while self.reading.contains(&stream) {
            match host.read(stream, &mut self.buffer) {
                Read::Bytes(count) => self.seat.read(count as u64),
                Read::Finished => {
                    self.reading.remove(&stream);
                    self.seat.complete(now);
                    // There is nothing to say in the other direction.
                    host.finish(stream);
                }
                Read::Reset(code) => return self.seat.fail(format!("reset by the sender with code {code}")),
                // What is gone with its connection is told of at the sender.
                Read::Blocked | Read::Gone => return,
            }
        }
    }
}

impl<T: Contender> App<T> for Receiver<T> {
    fn handle_event(&mut self, now: Instant, host: &mut T, event: T::Event) {
        let mut heard = core::mem::take(&mut self.heard);
        host.hear(event, &mut heard);
        for event in heard.drain(..) {
            match event {
                Event::Stream(stream, News::Incoming) => {
                    self.reading.insert(stream);
                    self.read(now, host, stream);
                }
                Event::Stream(stream, News::Readable) => self.read(now, host, stream),
                _ => {}
            }
        }
        self.heard = heard;
    }

    fn poll(&mut self, _: Instant, _: &mut T) -> Option<Instant> {
        None
    }
}
