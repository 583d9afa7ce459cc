//! SST: tng's structured streams, side by side and without children.

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;

use tng_base::{Eid, Input, Instant, Machine, Output};
use tng_congestion::Choice;
use tng_semantic::structured::{OpenError as SstOpenError, Read as SstRead, StreamEvent, StreamId};
use tng_sim::PORT;
use tng_stack::{ConnectionId, EventKind, Host, HostEvent, Target};

use super::{Event, News, OpenError, Read, Transport};

/// Service and protocol of the streams.
pub(crate) const SERVICE: (&str, &str) = ("plain", "lab/1");

/// Over how many connections the streams to a peer go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Connections {
    /// All over one.
    One,
    /// Each over one of its own.
    Each,
}

/// A host that knows who is where, and which of its connections leads there.
pub(crate) struct Sst {
    pub(crate) host: Host,
    connections: Connections,
    /// Who can be reached, by address.
    known: BTreeMap<IpAddr, Target>,
    /// By connection that was begun here: where it leads.
    begun: BTreeMap<ConnectionId, IpAddr>,
}

impl Sst {
    /// A host that knows nobody.
    pub(crate) fn new(host: Host, connections: Connections) -> Sst {
        Sst { host, connections, known: BTreeMap::new(), begun: BTreeMap::new() }
    }

    /// There is somebody there.
    pub(crate) fn know(&mut self, at: IpAddr, eid: Eid) {
        let target = Target { eid, addresses: vec![SocketAddr::new(at, PORT)], capability: None, via: Vec::new() };
        self.known.insert(at, target);
    }

    /// The connection for a new stream.
    fn connection(&mut self, now: Instant, to: IpAddr) -> Result<ConnectionId, String> {
        let kept = self.begun.iter().find(|(_, at)| self.connections == Connections::One && **at == to);
        if let Some((id, _)) = kept {
            return Ok(*id);
        }
        let target = self.known.get(&to).ok_or_else(|| format!("nobody is known at {to}"))?;
        let id = self.host.connect(now, target.clone()).map_err(|error| error.to_string())?;
        self.begun.insert(id, to);
        Ok(id)
    }

    /// A connection that was begun here has ended by itself.
    fn lose(&mut self, id: ConnectionId, how: String, tell: &mut Vec<Event<Sst>>) {
        if let Some(peer) = self.begun.remove(&id) {
            tell.push(Event::Lost { carrier: id, peer: Some(peer), how, rtt: None });
        }
    }
}

impl Machine for Sst {
    type Event = HostEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.host.handle_input(now, input);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.host.handle_timeout(now);
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<HostEvent> {
        self.host.poll_output(now, buf)
    }
}

impl Transport for Sst {
    type Stream = (ConnectionId, StreamId);
    type Carrier = ConnectionId;

    fn carrier((id, _): Self::Stream) -> ConnectionId {
        id
    }

    fn open(&mut self, now: Instant, to: IpAddr, _: Option<&Choice>) -> Result<Self::Stream, OpenError> {
        let id = self.connection(now, to).map_err(OpenError::Refused)?;
        let streams = self.host.streams(id).ok_or_else(|| OpenError::Refused("the connection is gone".to_owned()))?;
        match streams.open(SERVICE.0, SERVICE.1) {
            Ok(stream) => Ok((id, stream)),
            Err(SstOpenError::Blocked) => Err(OpenError::Later),
            Err(error) => Err(OpenError::Refused(error.to_string())),
        }
    }

    fn write(&mut self, (id, stream): Self::Stream, bytes: &[u8]) -> usize {
        self.host.streams(id).and_then(|streams| streams.write(stream, bytes).ok()).unwrap_or(0)
    }

    fn finish(&mut self, (id, stream): Self::Stream) {
        if let Some(streams) = self.host.streams(id) {
            // Fails if the half was over before, and that is as well.
            let _ = streams.finish(stream);
        }
    }

    fn read(&mut self, (id, stream): Self::Stream, out: &mut [u8]) -> Read {
        match self.host.streams(id).map(|streams| streams.read(stream, out)) {
            Some(Ok(SstRead::Bytes(count))) => Read::Bytes(count),
            Some(Ok(SstRead::Blocked)) => Read::Blocked,
            Some(Ok(SstRead::Finished)) => Read::Finished,
            Some(Err(_)) | None => Read::Gone,
        }
    }

    fn hang_up(&mut self, now: Instant, to: IpAddr) {
        for (id, _) in self.begun.extract_if(.., |_, at| *at == to) {
            self.host.close(now, id, 0, "");
        }
    }

    fn hear(&mut self, event: HostEvent, tell: &mut Vec<Event<Sst>>) {
        let id = event.connection;
        let mut told = |stream, news| tell.push(Event::Stream((id, stream), news));
        match event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = self.host.streams(id).and_then(|streams| streams.accept()) {
                    told(incoming.id, News::Incoming);
                }
            }
            EventKind::Stream(StreamEvent::Readable(stream)) => told(stream, News::Readable),
            EventKind::Stream(StreamEvent::Writable(stream)) => told(stream, News::Writable),
            EventKind::Stream(StreamEvent::CanOpen) => tell.push(Event::Ready),
            EventKind::Stream(StreamEvent::Refused { reason, .. }) => self.lose(id, reason.to_string(), tell),
            EventKind::ConnectFailed(error) => self.lose(id, error.to_string(), tell),
            EventKind::Closed(cause) => self.lose(id, cause.to_string(), tell),
            _ => {}
        }
    }
}
