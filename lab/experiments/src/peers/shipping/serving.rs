//! What a host does for those who visit it.

use std::collections::BTreeMap;

use tng_base::Instant;
use tng_services::code::{self, Desk, Reply, Request, Shelf};
use tng_stack::structured::{Priority, Read, StreamId};
use tng_stack::{ConnectionId, Host};
use tng_stp_host::Transport;
use tng_wire::{Reader, Repr};

use super::Spent;

/// Bytes that are read or written at once.
pub(super) const PIECE: usize = 16 << 10;
static ZEROS: [u8; PIECE] = [0; PIECE];

/// What waits to be written.
#[derive(Debug)]
pub(super) enum Pending {
    /// These bytes, from there on.
    Bytes(Vec<u8>, usize),
    /// So many of no meaning.
    Zeros(u64),
}

impl Pending {
    /// Writes as much as is taken; answers whether that is all.
    pub(super) fn go(&mut self, mut write: impl FnMut(&[u8]) -> usize) -> bool {
        loop {
            let piece = match self {
                Pending::Bytes(bytes, at) => &bytes[*at..],
                Pending::Zeros(left) => &ZEROS[..(*left).min(PIECE as u64) as usize],
            };
            if piece.is_empty() {
                return true;
            }
            match (write(piece), &mut *self) {
                (0, _) => return false,
                (written, Pending::Bytes(_, at)) => *at += written,
                // Without end is without end.
                (_, Pending::Zeros(u64::MAX)) => {}
                (written, Pending::Zeros(left)) => *left -= written as u64,
            }
        }
    }
}

/// Streams and transports that peers use.
#[derive(Debug, Default)]
pub(super) struct Serving {
    desk: Desk,
    streams: BTreeMap<(ConnectionId, StreamId), Served>,
    spoken: BTreeMap<ConnectionId, Spoken>,
}

#[derive(Debug, Default)]
struct Served {
    is_code: bool,
    request: Vec<u8>,
    answer: Option<Pending>,
}

/// A connection that a guest carries.
#[derive(Debug, Default)]
struct Spoken {
    served: Served,
    finished: bool,
    /// What the guest had used when it was looked at last.
    used: [u64; 2],
}

/// How many bytes are wanted, when that is known.
fn wanted(request: &[u8]) -> Option<Pending> {
    request.first_chunk().map(|bytes| Pending::Zeros(u64::from_le_bytes(*bytes)))
}

impl Serving {
    pub(super) fn accept(
        &mut self,
        now: Instant,
        host: &mut Host,
        connection: ConnectionId,
        by: (&impl Shelf, Priority),
    ) {
        while let Some(incoming) = host.streams(connection).and_then(|streams| streams.accept()) {
            let is_code = *incoming.service == *code::SERVICE;
            self.streams.insert((connection, incoming.id), Served { is_code, ..Served::default() });
            self.advance(now, host, (connection, incoming.id), by);
        }
    }

    /// Goes on with a stream.
    pub(super) fn advance(
        &mut self,
        now: Instant,
        host: &mut Host,
        at: (ConnectionId, StreamId),
        (shelf, priority): (&impl Shelf, Priority),
    ) {
        let (connection, id) = at;
        let (Some(served), Some(peer)) = (self.streams.get_mut(&at), host.peer(connection)) else { return };
        let Some(streams) = host.streams(connection) else { return };
        if served.answer.is_none() {
            let mut buf = [0; PIECE];
            while let Ok(Read::Bytes(n)) = streams.read(id, &mut buf) {
                served.request.extend_from_slice(&buf[..n]);
            }
            served.answer = match served.is_code {
                false => wanted(&served.request),
                true => Request::parse(&mut Reader::new(&served.request)).ok().map(|request| {
                    streams.set_priority(id, priority);
                    let bytes = match self.desk.answer(shelf, now, peer, request) {
                        Reply::Answer(answer) => answer.to_vec(),
                        Reply::Supply(supply) => {
                            let (packed, offset) = supply.rest();
                            [&supply.head().to_vec(), &packed[offset..]].concat()
                        }
                    };
                    Pending::Bytes(bytes, 0)
                }),
            };
        }
        let Some(answer) = &mut served.answer else { return };
        if answer.go(|piece| streams.write(id, piece).unwrap_or(0)) {
            let _ = streams.finish(id);
            self.streams.remove(&at);
        }
    }

    /// Goes on with a connection that a guest carries, if one does.
    pub(super) fn speak(&mut self, host: &mut Host, connection: ConnectionId, spent: &mut Spent) {
        let Some(guest) = host.protocol_as::<Transport>(connection) else { return };
        let Spoken { served, finished, used } = self.spoken.entry(connection).or_default();
        let mut buf = [0; PIECE];
        while let Some(len) = guest.read(&mut buf) {
            served.request.extend_from_slice(&buf[..len]);
        }
        if served.answer.is_none() {
            served.answer = wanted(&served.request);
        }
        if let Some(answer) = &mut served.answer
            && !*finished
            && answer.go(|piece| guest.write(piece).unwrap_or(0))
        {
            guest.finish();
            *finished = true;
        }
        count(guest, used, spent);
    }

    /// A connection is over.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.streams.retain(|(of, _), _| *of != connection);
        self.spoken.remove(&connection);
    }
}

/// Adds what a guest has used since it was looked at last.
pub(super) fn count(guest: &Transport, used: &mut [u64; 2], spent: &mut Spent) {
    let usage = guest.usage();
    spent.fuel += usage.fuel - used[0];
    spent.calls += usage.calls - used[1];
    *used = [usage.fuel, usage.calls];
}
