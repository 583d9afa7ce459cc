//! QUIC: a connection, and a stream for every request, as HTTP/3 has it.

use core::net::SocketAddr;

use tng_base::Instant;

use super::carrier::{Carrier, News};
use crate::quic::{ConnectionId, Dir, End, Event, Host, News as QuicNews, OpenError, StreamId};

pub(super) struct Quic {
    pub(super) server: SocketAddr,
    pub(super) connection: Option<ConnectionId>,
    /// The handshake of it is complete.
    pub(super) connected: bool,
}

impl Carrier for Quic {
    type Host = Host;
    type Stream = (ConnectionId, StreamId);

    fn open(&mut self, now: Instant, host: &mut Host) -> Result<Option<Self::Stream>, String> {
        let id = match self.connection {
            Some(id) => id,
            None => *self.connection.insert(host.connect(now, self.server).map_err(|error| error.to_string())?),
        };
        if !self.connected && !host.has_early_data(id).map_err(|error| error.to_string())? {
            return Ok(None);
        }
        match host.open(id, Dir::Bi) {
            Ok(stream) => Ok(Some((id, stream))),
            Err(OpenError::TooMany) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn write(&mut self, host: &mut Host, (id, stream): Self::Stream, bytes: &[u8]) -> usize {
        // What is gone takes nothing, and its end is told.
        host.write(id, stream, bytes).unwrap_or(0)
    }

    fn finish(&mut self, host: &mut Host, (id, stream): Self::Stream) {
        let _ = host.finish(id, stream);
    }

    fn read_into(&mut self, host: &mut Host, (id, stream): Self::Stream, out: &mut [u8]) -> (usize, bool) {
        host.read(id, stream, out).map_or((0, true), |read| (read.bytes, read.end))
    }

    fn hang_up(&mut self, now: Instant, host: &mut Host) {
        self.connected = false;
        if let Some(id) = self.connection.take() {
            let _ = host.close(now, id, 0);
        }
    }

    fn news(&mut self, _: &mut Host, event: Event, tell: &mut Vec<News<Self::Stream>>) {
        let id = event.id;
        tell.push(match event.news {
            QuicNews::Connected { .. } => {
                self.connected |= self.connection == Some(id);
                News::CanOpen
            }
            QuicNews::StreamsAvailable(_) => News::CanOpen,
            QuicNews::Opened(stream) => News::Incoming((id, stream)),
            QuicNews::Readable(stream) => News::Readable((id, stream)),
            QuicNews::Writable(stream) => News::Writable((id, stream)),
            QuicNews::Closed { end: End::ByPeer { .. }, .. } => return,
            QuicNews::Closed { end, .. } => News::Lost(format!("the QUIC connection ended: {end:?}")),
            QuicNews::Accepted { .. }
            | QuicNews::Delivered(_)
            | QuicNews::Stopped { .. }
            | QuicNews::DatagramReadable
            | QuicNews::DatagramWritable => return,
        });
    }
}
