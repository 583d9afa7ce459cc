//! QUIC: streams of one connection between each two hosts, and datagrams on it.

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;

use tng_base::{Input, Instant, Machine, Output};

use super::{Event, News, OpenError, Read, Rtt, Transport};
use crate::peers::quic::{
    ConnectionId, Dir, End, Event as QuicEvent, Host, News as QuicNews, OpenError as QuicOpenError, ReadError, Stats,
    StreamId, WriteError,
};
use tng_congestion::Choice;

/// The UDP port of both ends.
pub(crate) const PORT: u16 = 443;

/// A host that knows which of its connections leads where.
#[derive(Debug)]
pub(crate) struct Quic {
    pub(crate) host: Host,
    /// By peer: the connection that new streams use, and whether they can.
    peers: BTreeMap<IpAddr, (ConnectionId, bool)>,
    /// By connection: the peer.
    connections: BTreeMap<ConnectionId, IpAddr>,
}

impl Quic {
    /// A host without connections.
    pub(crate) fn new(host: Host) -> Quic {
        Quic { host, peers: BTreeMap::new(), connections: BTreeMap::new() }
    }

    /// The connection to a peer, begun now if there is none, once streams can be opened on it.
    pub(crate) fn connection(&mut self, now: Instant, to: IpAddr) -> Result<Option<ConnectionId>, String> {
        if let Some((id, ready)) = self.peers.get(&to) {
            return Ok(ready.then_some(*id));
        }
        let id = self.host.connect(now, SocketAddr::new(to, PORT)).map_err(|error| error.to_string())?;
        let ready = self.host.has_early_data(id).unwrap_or(false);
        self.peers.insert(to, (id, ready));
        self.connections.insert(id, to);
        Ok(ready.then_some(id))
    }
}

/// Round-trip times of a connection, if any was measured.
pub(crate) fn rtt(stats: &Stats) -> Option<Rtt> {
    // Before the first sample, quinn has the initial value for both.
    (stats.packets_sent > 0).then_some(Rtt { smoothed: stats.rtt, min: stats.rtt_min })
}

impl Machine for Quic {
    type Event = QuicEvent;

    fn handle_input(&mut self, now: Instant, input: Input<'_>) {
        self.host.handle_input(now, input);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.host.handle_timeout(now);
    }

    fn poll_output(&mut self, now: Instant, buf: &mut [u8]) -> Output<QuicEvent> {
        self.host.poll_output(now, buf)
    }
}

impl Transport for Quic {
    type Stream = (ConnectionId, StreamId);
    type Carrier = ConnectionId;

    fn carrier((id, _): Self::Stream) -> ConnectionId {
        id
    }

    fn open(&mut self, now: Instant, to: IpAddr, _: Option<&Choice>) -> Result<Self::Stream, OpenError> {
        let id = self.connection(now, to).map_err(OpenError::Refused)?.ok_or(OpenError::Later)?;
        match self.host.open(id, Dir::Bi) {
            Ok(stream) => Ok((id, stream)),
            Err(QuicOpenError::TooMany) => Err(OpenError::Later),
            Err(error) => Err(OpenError::Refused(error.to_string())),
        }
    }

    fn write(&mut self, (id, stream): Self::Stream, bytes: &[u8]) -> usize {
        self.host.write(id, stream, bytes).unwrap_or(0)
    }

    fn finish(&mut self, (id, stream): Self::Stream) {
        match self.host.finish(id, stream) {
            // A half that was over before is as well.
            Ok(()) | Err(WriteError::Stopped(_) | WriteError::Closed | WriteError::Gone(_)) => {}
        }
    }

    fn read(&mut self, (id, stream): Self::Stream, out: &mut [u8]) -> Read {
        match self.host.read(id, stream, out) {
            Ok(read) if read.bytes > 0 => Read::Bytes(read.bytes),
            Ok(read) if read.end => Read::Finished,
            Ok(_) => Read::Blocked,
            Err(ReadError::Reset(code)) => Read::Reset(code),
            // Its end came with its last bytes.
            Err(ReadError::Closed) => Read::Finished,
            Err(ReadError::Gone(_)) => Read::Gone,
        }
    }

    fn hang_up(&mut self, now: Instant, to: IpAddr) {
        if let Some((id, _)) = self.peers.remove(&to) {
            self.connections.remove(&id);
            // Fails if it is closed, and that is as well.
            let _ = self.host.close(now, id, 0);
        }
    }

    fn hear(&mut self, event: QuicEvent, tell: &mut Vec<Event<Self>>) {
        let id = event.id;
        tell.push(match event.news {
            QuicNews::Accepted { remote } => {
                self.connections.insert(id, remote.ip());
                self.peers.entry(remote.ip()).or_insert((id, false));
                return;
            }
            QuicNews::Connected { .. } => {
                let Some(peer) = self.connections.get(&id) else { return };
                if let Some((current, ready)) = self.peers.get_mut(peer)
                    && *current == id
                {
                    *ready = true;
                }
                Event::Ready
            }
            QuicNews::StreamsAvailable(_) => Event::Ready,
            QuicNews::Opened(stream) => Event::Stream((id, stream), News::Incoming),
            QuicNews::Readable(stream) => Event::Stream((id, stream), News::Readable),
            QuicNews::Writable(stream) => Event::Stream((id, stream), News::Writable),
            QuicNews::Stopped { stream, code } => Event::Stream((id, stream), News::Stopped(code)),
            QuicNews::DatagramReadable => Event::Datagrams(id),
            QuicNews::Delivered(_) | QuicNews::DatagramWritable => return,
            QuicNews::Closed { end, stats } => {
                let Some(peer) = self.connections.remove(&id) else { return };
                if self.peers.get(&peer).is_some_and(|(current, _)| *current == id) {
                    self.peers.remove(&peer);
                }
                Event::Lost { carrier: id, peer: Some(peer), how: how(&end), rtt: rtt(&stats) }
            }
        });
    }
}

/// How a connection ended.
fn how(end: &End) -> String {
    match end {
        End::ByPeer { code } => format!("the peer closed the connection with code {code}"),
        End::TimedOut => "the peer did not answer".to_owned(),
        End::Reset => "the peer knows nothing of the connection".to_owned(),
        End::Failed(why) => format!("the connection failed: {why}"),
    }
}
