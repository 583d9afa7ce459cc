//! The side that answers.

use std::collections::BTreeMap;

use super::{HEAD_LEN, skip, take};
use crate::peers::transport::{Event, News, Transport};

/// Whatever is asked for consists of these.
const ZEROS: [u8; 16 << 10] = [0; 16 << 10];

/// Answers every request on every stream, in turn, and ends a stream whose other half has ended.
pub(super) struct Server<T: Transport> {
    streams: BTreeMap<T::Stream, Answering>,
    heard: Vec<Event<T>>,
}

/// A stream.
#[derive(Default)]
struct Answering {
    head: Vec<u8>,
    /// Bytes of the request that follow its head and have not come.
    rest: u64,
    /// Bytes of answers to be written.
    owed: u64,
    ended: bool,
}

impl<T: Transport> Server<T> {
    pub(super) fn new() -> Server<T> {
        Server { streams: BTreeMap::new(), heard: Vec::new() }
    }

    pub(super) fn handle_event(&mut self, host: &mut T, event: T::Event) {
        let mut heard = core::mem::take(&mut self.heard);
        host.hear(event, &mut heard);
        for event in heard.drain(..) {
            match event {
                Event::Stream(stream, News::Incoming) => {
                    self.streams.insert(stream, Answering::default());
                    self.read(host, stream);
                }
                Event::Stream(stream, News::Readable) => self.read(host, stream),
                Event::Stream(stream, News::Writable) => self.write(host, stream),
                // The client that asked tells of the rest.
                _ => {}
            }
        }
        self.heard = heard;
    }

    fn read(&mut self, host: &mut T, stream: T::Stream) {
        let Some(answering) = self.streams.get_mut(&stream) else { return };
        while !answering.ended {
            if answering.rest > 0 {
                let (count, ended) = skip(host, stream, answering.rest);
                answering.rest -= count;
                answering.ended = ended;
                if count == 0 {
                    break;
                }
                continue;
            }
            let mut head = [0; HEAD_LEN];
            let missing = HEAD_LEN - answering.head.len();
            let (count, ended) = take(host, stream, &mut head[..missing]);
            answering.head.extend_from_slice(&head[..count]);
            answering.ended = ended;
            if let Some((len, answer)) = parse(&answering.head) {
                answering.rest = u64::from(len).saturating_sub(HEAD_LEN as u64);
                answering.owed += answer;
                answering.head.clear();
            }
            if count == 0 {
                break;
            }
        }
        self.write(host, stream);
    }

    fn write(&mut self, host: &mut T, stream: T::Stream) {
        let Some(answering) = self.streams.get_mut(&stream) else { return };
        // An answer begins when all of its request is there.
        while answering.owed > 0 && answering.rest == 0 {
            let len = ZEROS.len().min(usize::try_from(answering.owed).unwrap_or(usize::MAX));
            match host.write(stream, &ZEROS[..len]) {
                0 => return,
                count => answering.owed -= count as u64,
            }
        }
        if answering.ended && answering.owed == 0 {
            self.streams.remove(&stream);
            host.finish(stream);
        }
    }
}

/// Length of a request, and how much it asks for.
pub(crate) fn parse(head: &[u8]) -> Option<(u32, u64)> {
    let (len, answer) = head.first_chunk::<HEAD_LEN>()?.split_at(4);
    Some((u32::from_be_bytes(len.try_into().ok()?), u64::from_be_bytes(answer.try_into().ok()?)))
}
