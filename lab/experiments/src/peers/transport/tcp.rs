//! The reference TCP: a stream is a connection.

use core::net::{IpAddr, SocketAddr};

use tng_base::Instant;
use tng_congestion::Choice;
use tng_tcp::{ConnectionId, End, Event as TcpEvent, Host, News as TcpNews, Stats};

use super::{Event, Held, News, OpenError, Read, Rtt, Transport};

/// The port for connections whose congestion controller is not named, but the host's own. Those whose controller is
/// named follow: all hosts of a world are told the same names, so that both ends have it.
const PORT: u16 = 5001;

/// Takes connections under the host's own controller and under those that are named.
pub(crate) fn listen(host: &mut Host, named: impl IntoIterator<Item = Choice>) {
    for (port, controller) in (PORT..).zip([None].into_iter().chain(named.into_iter().map(Some))) {
        host.listen_as(port, controller).expect("nobody listens at it");
    }
}

/// How a connection ended.
fn how(end: End) -> &'static str {
    match end {
        End::Finished => "the connection was closed",
        End::Refused => "the peer refused the connection",
        End::Reset => "the peer reset the connection",
        End::TimedOut => "the peer did not answer",
        End::Aborted => "the connection was aborted",
    }
}

/// Round-trip times of a connection, if any was measured.
pub(crate) fn rtt(stats: &Stats) -> Option<Rtt> {
    stats.srtt.map(|smoothed| Rtt { smoothed, min: stats.rtt_min })
}

impl Transport for Host {
    type Stream = ConnectionId;
    type Carrier = ConnectionId;

    fn carrier(stream: ConnectionId) -> ConnectionId {
        stream
    }

    fn open(&mut self, now: Instant, to: IpAddr, controller: Option<&Choice>) -> Result<ConnectionId, OpenError> {
        let port = controller.and_then(|controller| self.port_of(controller)).unwrap_or(PORT);
        let to = SocketAddr::new(to, port);
        self.connect_as(now, to, controller).map_err(|error| OpenError::Refused(error.to_string()))
    }

    fn write(&mut self, stream: ConnectionId, bytes: &[u8]) -> usize {
        Host::write(self, stream, bytes).unwrap_or(0)
    }

    fn finish(&mut self, stream: ConnectionId) {
        let _ = Host::finish(self, stream);
    }

    fn read(&mut self, stream: ConnectionId, out: &mut [u8]) -> Read {
        match Host::read(self, stream, out) {
            Ok(0) if self.is_drained(stream) == Ok(true) => Read::Finished,
            Ok(0) => Read::Blocked,
            Ok(n) => Read::Bytes(n),
            Err(_) => Read::Gone,
        }
    }

    fn hang_up(&mut self, _: Instant, _: IpAddr) {}

    fn held(&self) -> Option<Held> {
        let connections = self.connections();
        Some(connections.fold(Held::default(), |held, id| Held {
            connections: held.connections + 1,
            bytes: held.bytes + self.unacknowledged(id).unwrap_or(0) as u64,
        }))
    }

    fn hear(&mut self, event: TcpEvent, tell: &mut Vec<Event<Host>>) {
        let news = match event.news {
            TcpNews::Accepted { .. } => News::Incoming,
            TcpNews::Readable | TcpNews::PeerFinished => News::Readable,
            TcpNews::Connected | TcpNews::Writable => News::Writable,
            TcpNews::Closed { end: End::Finished, stats } => News::Over(rtt(&stats)),
            TcpNews::Closed { end, stats } => {
                return tell.push(Event::Lost {
                    carrier: event.id,
                    peer: None,
                    how: how(end).to_owned(),
                    rtt: rtt(&stats),
                });
            }
        };
        tell.push(Event::Stream(event.id, news));
    }
}
