//! The reference TCP: a stream is a connection.

use core::net::SocketAddr;

use tng_base::Instant;
use tng_tcp::{ConnectionId, End, Event, Host, News as TcpNews};

use super::carrier::{Carrier, News};

/// The port of the server.
pub(super) const PORT: u16 = 80;

pub(super) struct Tcp {
    pub(super) server: SocketAddr,
}

impl Carrier for Tcp {
    type Host = Host;
    type Stream = ConnectionId;

    fn open(&mut self, now: Instant, host: &mut Host) -> Result<Option<ConnectionId>, String> {
        host.connect(now, self.server).map(Some).map_err(|error| error.to_string())
    }

    fn write(&mut self, host: &mut Host, stream: ConnectionId, bytes: &[u8]) -> usize {
        // What is gone takes nothing, and its end is told.
        host.write(stream, bytes).unwrap_or(0)
    }

    fn finish(&mut self, host: &mut Host, stream: ConnectionId) {
        let _ = host.finish(stream);
    }

    fn read_into(&mut self, host: &mut Host, stream: ConnectionId, out: &mut [u8]) -> (usize, bool) {
        let count = host.read(stream, out).unwrap_or(0);
        (count, host.is_drained(stream).unwrap_or(true))
    }

    fn hang_up(&mut self, _: Instant, _: &mut Host) {}

    fn news(&mut self, _: &mut Host, event: Event, tell: &mut Vec<News<ConnectionId>>) {
        tell.push(match event.news {
            TcpNews::Accepted { .. } => News::Incoming(event.id),
            TcpNews::Readable | TcpNews::PeerFinished => News::Readable(event.id),
            TcpNews::Connected | TcpNews::Writable => News::Writable(event.id),
            TcpNews::Closed { end: End::Finished, .. } => return,
            TcpNews::Closed { end, .. } => News::Lost(format!("a TCP connection ended: {end:?}")),
        });
    }
}
