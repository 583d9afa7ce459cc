//! SST: tng's structured streams, a stream for every request.

use tng_base::Instant;
use tng_semantic::structured::{OpenError, Read, StreamEvent, StreamId};
use tng_stack::{ConnectionId, EventKind, Host, HostEvent, Target};

use super::carrier::{Carrier, News};

/// Service and protocol of the streams.
pub(super) const SERVICE: (&str, &str) = ("pages", "lab/1");

pub(super) struct Sst {
    pub(super) server: Target,
    pub(super) connection: Option<ConnectionId>,
}

impl Carrier for Sst {
    type Host = Host;
    type Stream = (ConnectionId, StreamId);

    fn open(&mut self, now: Instant, host: &mut Host) -> Result<Option<Self::Stream>, String> {
        let id = match self.connection {
            Some(id) => id,
            None => {
                let begun = host.connect(now, self.server.clone()).map_err(|error| error.to_string())?;
                *self.connection.insert(begun)
            }
        };
        let streams = host.streams(id).ok_or("the connection is gone")?;
        match streams.open(SERVICE.0, SERVICE.1) {
            Ok(stream) => Ok(Some((id, stream))),
            Err(OpenError::Blocked) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn write(&mut self, host: &mut Host, (id, stream): Self::Stream, bytes: &[u8]) -> usize {
        // What is gone takes nothing, and its end is told.
        host.streams(id).and_then(|streams| streams.write(stream, bytes).ok()).unwrap_or(0)
    }

    fn finish(&mut self, host: &mut Host, (id, stream): Self::Stream) {
        if let Some(streams) = host.streams(id) {
            let _ = streams.finish(stream);
        }
    }

    fn read_into(&mut self, host: &mut Host, (id, stream): Self::Stream, out: &mut [u8]) -> (usize, bool) {
        match host.streams(id).map(|streams| streams.read(stream, out)) {
            Some(Ok(Read::Bytes(count))) => (count, false),
            Some(Ok(Read::Blocked)) => (0, false),
            Some(Ok(Read::Finished) | Err(_)) | None => (0, true),
        }
    }

    fn hang_up(&mut self, now: Instant, host: &mut Host) {
        if let Some(id) = self.connection.take() {
            host.close(now, id, 0, "");
        }
    }

    fn news(&mut self, host: &mut Host, event: HostEvent, tell: &mut Vec<News<Self::Stream>>) {
        let id = event.connection;
        match event.kind {
            EventKind::Stream(StreamEvent::Incoming) => {
                while let Some(incoming) = host.streams(id).and_then(|streams| streams.accept()) {
                    tell.push(News::Incoming((id, incoming.id)));
                }
            }
            EventKind::Stream(StreamEvent::Readable(stream)) => tell.push(News::Readable((id, stream))),
            EventKind::Stream(StreamEvent::Writable(stream)) => tell.push(News::Writable((id, stream))),
            EventKind::Stream(StreamEvent::CanOpen) => tell.push(News::CanOpen),
            EventKind::Stream(StreamEvent::Refused { reason, .. }) => tell.push(News::Lost(reason)),
            EventKind::ConnectFailed(error) => tell.push(News::Lost(error.to_string())),
            EventKind::Closed(cause) if self.connection == Some(id) => tell.push(News::Lost(cause.to_string())),
            _ => {}
        }
    }
}
