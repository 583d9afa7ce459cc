//! The reference TCP: a stream is a connection.

use core::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use tng_base::Instant;
use tng_congestion::registry::{ENTRIES, Entry};
use tng_sim::MachineNode;
use tng_tcp::{Config, ConnectionId, End, Event as TcpEvent, Host, News as TcpNews, Stats};

use super::app::Streams;
use super::transport::{Event, News, OpenError, Read, Rtt, SendError, Transport};
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::scenario::FlowProtocol;

/// A host that runs TCP.
pub(crate) type TcpNode = MachineNode<Host, Streams<Host>>;

/// Congestion controller of a flow that names none.
pub(crate) const CONTROLLER_DEFAULT: &str = "cubic";
/// The port for connections whose flow names no controller. For those that name one it is higher by 1 and the controller's place in the
/// registry, so that both ends have it.
const PORT: u16 = 5001;

/// The node at `place`, started for the `start`th time, counted from zero.
pub(crate) fn node(plan: &Rc<Plan>, ledger: &Ledger, place: usize, start: u32) -> TcpNode {
    let rng = plan.node_rng(place, FlowProtocol::Tcp, start);
    let config = Config { controller: CONTROLLER_DEFAULT.to_owned(), ..Config::default() };
    let mut host = Host::new(plan.address(place), config, rng).expect("its controller is in the registry");
    for (number, entry) in (0..).zip(ENTRIES.iter().map(Some).rev().chain([None]).rev()) {
        host.listen_as(PORT + number, entry).expect("nobody listens at it");
    }
    MachineNode::new(host, Streams::new(place, FlowProtocol::Tcp, plan.clone(), ledger.clone()))
}

fn port(controller: Option<&str>) -> (u16, Option<&'static Entry>) {
    let found = controller.and_then(|name| (PORT + 1..).zip(ENTRIES).find(|(_, entry)| entry.name == name));
    found.map_or((PORT, None), |(port, entry)| (port, Some(entry)))
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

fn rtt(stats: &Stats) -> Option<Rtt> {
    stats.srtt.map(|smoothed| Rtt { smoothed, min: stats.rtt_min })
}

impl Transport for Host {
    type Stream = ConnectionId;
    type Carrier = ConnectionId;

    fn carrier(stream: ConnectionId) -> ConnectionId {
        stream
    }

    fn open(&mut self, now: Instant, to: IpAddr, controller: Option<&str>) -> Result<ConnectionId, OpenError> {
        let (port, controller) = port(controller);
        let to = SocketAddr::new(to, port);
        self.connect_as(now, to, controller).map_err(|error| OpenError::Refused(error.to_string()))
    }

    fn write(&mut self, _: Instant, stream: ConnectionId, bytes: &[u8]) -> usize {
        // What is gone takes nothing, and its end is told.
        Host::write(self, stream, bytes).unwrap_or(0)
    }

    fn finish(&mut self, _: Instant, stream: ConnectionId) {
        let _ = Host::finish(self, stream);
    }

    fn read(&mut self, _: Instant, stream: ConnectionId, out: &mut [u8]) -> Read {
        match Host::read(self, stream, out) {
            Ok(0) if self.is_drained(stream) == Ok(true) => Read::Finished,
            Ok(0) => Read::Blocked,
            Ok(n) => Read::Bytes(n),
            Err(_) => Read::Gone,
        }
    }

    fn reset(&mut self, _: Instant, stream: ConnectionId, _: u64) {
        let _ = self.abort(stream);
    }

    fn stop(&mut self, _: Instant, stream: ConnectionId, _: u64) {
        let _ = self.abort(stream);
    }

    fn send_datagram(&mut self, _: Instant, _: IpAddr, _: &[u8]) -> Result<(), SendError> {
        Err(SendError::Never("TCP has no datagrams".to_owned()))
    }

    fn recv_datagram(&mut self, _: ConnectionId) -> Option<Vec<u8>> {
        None
    }

    fn hear(&mut self, event: TcpEvent) -> Option<Event<Host>> {
        let news = match event.news {
            TcpNews::Accepted { .. } => News::Incoming,
            TcpNews::Readable | TcpNews::PeerFinished => News::Readable,
            TcpNews::Connected | TcpNews::Writable => News::Writable,
            TcpNews::Closed { end: End::Finished, stats } => News::Over(rtt(&stats)),
            TcpNews::Closed { end, stats } => {
                return Some(Event::Lost { carrier: event.id, peer: None, how: how(end).to_owned(), rtt: rtt(&stats) });
            }
        };
        Some(Event::Stream(event.id, news))
    }

    fn rtt(&self, stream: ConnectionId) -> Option<Rtt> {
        rtt(&self.stats(stream).ok()?)
    }
}
