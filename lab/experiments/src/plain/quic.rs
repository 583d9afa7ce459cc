//! QUIC: streams of one connection between each two hosts, and datagrams on it.

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;
use std::rc::Rc;

use tng_base::{Input, Instant, Machine, Output};
use tng_sim::MachineNode;

use super::app::Streams;
use super::transport::{Event, News, OpenError, Read, Rtt, SendError, Transport};
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::quic::{
    Config, ConnectionId, Controller, DatagramError, Dir, End, Event as QuicEvent, Host, News as QuicNews,
    OpenError as QuicOpenError, ReadError, Stats, StreamId, WriteError,
};
use crate::scenario::FlowProtocol;

/// A host that runs QUIC.
pub(crate) type QuicNode = MachineNode<Quic, Streams<Quic>>;

/// The UDP port of both ends.
pub(crate) const PORT: u16 = 443;

/// The node at `place`, started for the `start`th time, counted from zero.
pub(crate) fn node(plan: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> QuicNode {
    let controller = plan.peers[place].as_ref().and_then(|peer| peer.quic_controller.as_deref());
    let controller = controller.and_then(|name| name.parse::<Controller>().ok()).unwrap_or_default();
    let rng = plan.node_rng(place, FlowProtocol::Quic, start);
    let mut host = Host::new(&Config { controller, ..Config::default() }, rng);
    host.listen();
    let quic = Quic { host, peers: BTreeMap::new(), connections: BTreeMap::new() };
    MachineNode::new(quic, Streams::new(place, FlowProtocol::Quic, plan.clone(), ledger.clone()))
}

/// A host that knows which of its connections leads where.
#[derive(Debug)]
pub(crate) struct Quic {
    host: Host,
    /// By peer: the connection that new streams use, and whether they can.
    peers: BTreeMap<IpAddr, (ConnectionId, bool)>,
    /// By connection: the peer.
    connections: BTreeMap<ConnectionId, IpAddr>,
}

impl Quic {
    /// The connection to a peer, begun now if there is none, once streams can be opened on it.
    fn connection(&mut self, now: Instant, to: IpAddr) -> Result<Option<ConnectionId>, String> {
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

fn rtt(stats: &Stats) -> Option<Rtt> {
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

    fn open(&mut self, now: Instant, to: IpAddr, _: Option<&str>) -> Result<Self::Stream, OpenError> {
        let id = self.connection(now, to).map_err(OpenError::Refused)?.ok_or(OpenError::Later)?;
        match self.host.open(id, Dir::Bi) {
            Ok(stream) => Ok((id, stream)),
            Err(QuicOpenError::TooMany) => Err(OpenError::Later),
            Err(error) => Err(OpenError::Refused(error.to_string())),
        }
    }

    fn write(&mut self, _: Instant, (id, stream): Self::Stream, bytes: &[u8]) -> usize {
        // What takes nothing more is told of as stopped or lost.
        self.host.write(id, stream, bytes).unwrap_or(0)
    }

    fn finish(&mut self, _: Instant, (id, stream): Self::Stream) {
        match self.host.finish(id, stream) {
            // A half that was over before is as well.
            Ok(()) | Err(WriteError::Stopped(_) | WriteError::Closed | WriteError::Gone(_)) => {}
        }
    }

    fn read(&mut self, _: Instant, (id, stream): Self::Stream, out: &mut [u8]) -> Read {
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

    fn reset(&mut self, _: Instant, (id, stream): Self::Stream, code: u64) {
        // Fails if the half was over before, and that is as well.
        let _ = self.host.reset(id, stream, u32::try_from(code).unwrap_or(u32::MAX));
    }

    fn stop(&mut self, _: Instant, (id, stream): Self::Stream, code: u64) {
        let _ = self.host.stop(id, stream, u32::try_from(code).unwrap_or(u32::MAX));
    }

    fn send_datagram(&mut self, now: Instant, to: IpAddr, bytes: &[u8]) -> Result<(), SendError> {
        let id = self.connection(now, to).map_err(SendError::Never)?.ok_or(SendError::Later)?;
        self.host.send_datagram(id, bytes).map_err(|error| match error {
            DatagramError::Blocked => SendError::Full,
            error => SendError::Never(error.to_string()),
        })
    }

    fn recv_datagram(&mut self, carrier: ConnectionId) -> Option<Vec<u8>> {
        Some(self.host.recv_datagram(carrier).ok()??.to_vec())
    }

    fn hear(&mut self, event: QuicEvent) -> Option<Event<Self>> {
        let id = event.id;
        Some(match event.news {
            QuicNews::Accepted { remote } => {
                self.connections.insert(id, remote.ip());
                self.peers.entry(remote.ip()).or_insert((id, false));
                return None;
            }
            QuicNews::Connected { .. } => {
                let peer = self.connections.get(&id)?;
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
            QuicNews::Delivered(_) | QuicNews::DatagramWritable => return None,
            QuicNews::Closed { end, stats } => {
                let peer = self.connections.remove(&id)?;
                if self.peers.get(&peer).is_some_and(|(current, _)| *current == id) {
                    self.peers.remove(&peer);
                }
                Event::Lost { carrier: id, peer: Some(peer), how: how(&end), rtt: rtt(&stats) }
            }
        })
    }

    fn rtt(&self, (id, _): Self::Stream) -> Option<Rtt> {
        rtt(&self.host.stats(id).ok()?)
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
